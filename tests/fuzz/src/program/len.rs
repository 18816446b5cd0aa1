//! Lengths in a normal form: sums of multiples of named lengths, so that equal lengths are equal values.

/// A named length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base {
    N,
    M,
    /// An opened length, by number.
    Opened(u32),
    /// The hidden length with this index in an existential type.
    Hidden(u32),
}

/// `Σ count·base + plus`; bases are sorted and distinct, counts positive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Len {
    pub terms: Vec<(Base, u32)>,
    pub plus: u32,
}

impl Len {
    pub fn nat(n: u32) -> Len {
        Len { terms: Vec::new(), plus: n }
    }
    pub fn of(base: Base) -> Len {
        Len { terms: vec![(base, 1)], plus: 0 }
    }
    pub fn times(&self, k: u32) -> Len {
        let terms = self.terms.iter().map(|(base, count)| (*base, count * k)).collect();
        Len { terms, plus: self.plus * k }
    }
    pub fn add(&self, other: &Len) -> Len {
        let mut terms = self.terms.clone();
        for (base, count) in &other.terms {
            match terms.iter_mut().find(|(b, _)| b == base) {
                Some((_, sum)) => *sum += count,
                None => terms.push((*base, *count)),
            }
        }
        terms.sort();
        Len { terms, plus: self.plus + other.plus }
    }
    pub fn add_nat(&self, n: u32) -> Len {
        Len { plus: self.plus + n, ..self.clone() }
    }
    /// Returns `self / k` if k divides every count and the constant.
    pub fn divided(&self, k: u32) -> Option<Len> {
        let divides =
            k > 0 && self.plus.is_multiple_of(k) && self.terms.iter().all(|(_, count)| count.is_multiple_of(k));
        let terms = self.terms.iter().map(|(base, count)| (*base, count / k));
        divides.then(|| Len { terms: terms.collect(), plus: self.plus / k })
    }
    /// Whether the length is positive for all values of its names.
    pub fn is_positive(&self) -> bool {
        self.plus > 0
    }
    pub fn with(&self, is: &dyn Fn(Base) -> Option<Len>) -> Len {
        let plus = Len::nat(self.plus);
        self.terms.iter().fold(plus, |sum, (base, count)| {
            let len = is(*base).unwrap_or(Len::of(*base));
            sum.add(&len.times(*count))
        })
    }
    /// Formats the length as a size of the language; `None` if a base has no name.
    pub fn text(&self, name: &dyn Fn(Base) -> Option<String>) -> Option<String> {
        let mut parts = Vec::new();
        for (base, count) in &self.terms {
            let base = name(*base)?;
            parts.push(if *count == 1 { base } else { format!("(* {count} {base})") });
        }
        if self.plus > 0 || parts.is_empty() {
            parts.push(self.plus.to_string());
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { format!("(+ {})", parts.join(" ")) })
    }
}
