//! Random numbers from a seed, and the stream of choices that determines a case.

/// SplitMix64 (Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, 2014), which gives the same
/// numbers on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Returns a number less than `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n.max(1) as u64) as usize
    }
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    pub fn of<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }
    /// Returns one of `n` cases for a seed; few seeds in a row cover much of them.
    pub fn scattered(seed: u64, n: usize) -> usize {
        (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as usize % n.max(1)
    }
    /// Returns a stream of at most `most` choices.
    pub fn choices(&mut self, most: usize) -> Vec<u16> {
        let len = self.below(most + 1);
        (0..len).map(|_| self.number() as u16).collect()
    }
}

/// A stream of choices; after its end, every choice is 0. The choice 0 is always the simplest, so a shorter stream of
/// smaller numbers gives a smaller program.
#[derive(Debug, Clone)]
pub struct Choices<'a>(std::slice::Iter<'a, u16>);

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u16]) -> Choices<'a> {
        Choices(numbers.iter())
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |choice| *choice as usize % n.max(1))
    }
    pub fn of<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }
    pub fn flip(&mut self) -> bool {
        self.below(2) == 1
    }
}

/// Minimizes a stream while `wrong` holds: removes segments, then replaces numbers by 0, their half or their
/// predecessor. Calls `wrong` at most `tries` times.
pub fn shrink(mut choices: Vec<u16>, mut tries: u32, wrong: &mut dyn FnMut(&[u16]) -> bool) -> Vec<u16> {
    loop {
        let before = choices.clone();
        let mut piece = choices.len();
        while piece > 0 {
            let mut from = 0;
            while from < choices.len() {
                let mut shorter = choices.clone();
                shorter.drain(from..(from + piece).min(choices.len()));
                let Some(left) = tries.checked_sub(1) else { return choices };
                tries = left;
                if wrong(&shorter) {
                    choices = shorter;
                } else {
                    from += piece;
                }
            }
            piece /= 2;
        }
        for i in 0..choices.len() {
            for smaller in [0, choices[i] / 2, choices[i].saturating_sub(1)] {
                if smaller >= choices[i] {
                    continue;
                }
                let Some(left) = tries.checked_sub(1) else { return choices };
                tries = left;
                let mut other = choices.clone();
                other[i] = smaller;
                if wrong(&other) {
                    choices = other;
                    break;
                }
            }
        }
        if choices == before {
            return choices;
        }
    }
}
