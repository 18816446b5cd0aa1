//! Which choices are tried, and when one is better than another.
//!
//! First the classes of devices, then one parameter after the other, then the rewritings by laws of the best so far, until
//! none helps any more or the time is up. Of choices that give equal code one is tried. A choice is measured alternately with the best so far, first briefly; it
//! takes its place only if it is clearly faster.

use crate::tuned::choice::Choice;
use lift_analysis::parameters::Entry;
use std::collections::HashSet;

/// Alternating runs at first, and before a choice is preferred.
const BRIEF: u32 = 5;
const THOROUGH: u32 = 15;
/// A choice is preferred only if it is faster by this factor.
const CLEARLY: f64 = 1.03;
/// Rewritten programs that are rewritten further: the fastest of each step.
const BEAM: usize = 4;

/// Microseconds of runs of two choices, measured alternately.
pub type Race = [Vec<f64>; 2];

/// Compiles and measures.
pub trait Bench {
    /// A fingerprint of the generated code.
    fn code(&mut self, choice: &Choice) -> Result<u64, String>;
    /// The choices that rewrite the program of a choice once more; none after a few rewritings.
    fn rewritings(&mut self, choice: &Choice) -> Vec<Choice>;
    /// Measures two choices alternately. An error says why the second cannot be used.
    fn race(&mut self, best: &Choice, choice: &Choice, rounds: u32) -> Result<Race, String>;
    /// Whether the time is up.
    fn is_over(&self) -> bool;
    /// Receives each choice after it was tried.
    fn tried(&mut self, tried: &Tried);
    /// A choice that is clearly faster than the default; `race` compares the two.
    fn keep(&mut self, choice: &Choice, race: &Race);
}

/// A choice that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    pub choice: Choice,
    /// Microseconds, and how many times as fast as the best before; or why it cannot be used.
    pub outcome: Result<(f64, f64), String>,
}

/// The best choice, and its race with the default; `None` if nothing is clearly faster than the default.
pub fn search(bench: &mut dyn Bench, targets: &[Choice], parameters: &[&Entry]) -> Option<(Choice, Race)> {
    let mut search = Search { bench, seen: HashSet::new(), best: Choice::default(), won: None };
    let first = search.bench.code(&Choice::default()).ok()?;
    search.seen.insert(first);
    for target in targets {
        search.consider(target.clone());
    }
    loop {
        let before = search.best.clone();
        for entry in parameters {
            search.parameter(entry);
        }
        search.laws();
        if search.best == before || search.bench.is_over() {
            break;
        }
    }
    search.won
}

struct Search<'b> {
    bench: &'b mut dyn Bench,
    /// Fingerprints of the code that was tried.
    seen: HashSet<u64>,
    best: Choice,
    won: Option<(Choice, Race)>,
}

impl Search<'_> {
    fn parameter(&mut self, entry: &Entry) {
        if self.bench.is_over() {
            return;
        }
        let now = self.best.value(entry.name);
        let values = entry.candidates.iter().copied().chain(now.map(|_| entry.default)).filter(|v| Some(*v) != now);
        // The outermost values first: if both change nothing, the code does not depend on the parameter.
        let mut values: Vec<u32> = values.collect();
        values.sort_unstable();
        let outermost: Vec<u32> = values.first().into_iter().chain(values.last()).copied().collect();
        let base = self.best.clone();
        let same = self.bench.code(&base);
        if outermost.iter().all(|value| self.bench.code(&base.with(entry.name, *value)) == same) {
            return;
        }
        for value in values {
            self.consider(self.best.with(entry.name, value));
        }
    }

    /// Rewrites the best program, then the fastest results, because a single step may gain nothing.
    fn laws(&mut self) {
        let mut from = vec![self.best.clone()];
        while !from.is_empty() && !self.bench.is_over() {
            let rewritten: Vec<Choice> = from.iter().flat_map(|choice| self.bench.rewritings(choice)).collect();
            let mut timed: Vec<(f64, Choice)> = Vec::new();
            for choice in rewritten {
                timed.extend(self.consider(choice.clone()).map(|time| (time, choice)));
            }
            timed.sort_by(|a, b| a.0.total_cmp(&b.0));
            from = timed.into_iter().take(BEAM).map(|(_, choice)| choice).collect();
        }
    }

    /// Tries a choice; returns its time if its code is new and can be used.
    fn consider(&mut self, choice: Choice) -> Option<f64> {
        if self.bench.is_over() {
            return None;
        }
        let outcome = match self.bench.code(&choice) {
            Ok(code) if !self.seen.insert(code) => return None,
            Ok(_) => self.measured(&choice),
            Err(why) => Err(why),
        };
        let time = outcome.as_ref().ok().map(|(time, _)| *time);
        self.bench.tried(&Tried { choice, outcome });
        time
    }

    fn measured(&mut self, choice: &Choice) -> Result<(f64, f64), String> {
        let brief = self.bench.race(&self.best, choice, BRIEF)?;
        let of = |race: &Race| (median(&race[1]), median(&race[0]) / median(&race[1]));
        if of(&brief).1 < CLEARLY {
            return Ok(of(&brief));
        }
        let race = self.bench.race(&self.best, choice, THOROUGH)?;
        if !is_faster(&race) {
            return Ok(of(&race));
        }
        let against_default = match self.best == Choice::default() {
            true => race.clone(),
            false => self.bench.race(&Choice::default(), choice, THOROUGH)?,
        };
        if is_faster(&against_default) {
            self.best = choice.clone();
            self.bench.keep(choice, &against_default);
            self.won = Some((choice.clone(), against_default));
        }
        Ok(of(&race))
    }
}

/// Whether the second is clearly faster: in the median, and three quarters of its runs than three quarters of the others.
pub fn is_faster(race: &Race) -> bool {
    let [a, b] = race;
    median(b) * CLEARLY < median(a) && quantile(b, 0.75) < quantile(a, 0.25)
}

pub fn median(times: &[f64]) -> f64 {
    quantile(times, 0.5)
}

/// A quantile of measured times; of none, infinity.
pub fn quantile(times: &[f64], q: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (q * sorted.len().saturating_sub(1) as f64).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuned::rewriting::Step;
    use lift_analysis::parameters::TABLE;

    /// A device whose times have noise of ±10 %, and a limit on races.
    struct Simulated {
        seed: u64,
        races: u32,
        /// The factor by which the best value of `rows.team` is faster, and so is the rewriting `b` after `a`, which alone
        /// is slower; `rows.each` does nothing.
        gain: f64,
        kept: Vec<Choice>,
    }

    impl Simulated {
        fn noise(&mut self) -> f64 {
            self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            0.9 + 0.2 * ((self.seed >> 33) as f64 / (1u64 << 31) as f64)
        }
        fn time(&mut self, choice: &Choice) -> f64 {
            let team = if choice.value("rows.team") == Some(32) { self.gain } else { 1.0 };
            let law = match names(choice).as_slice() {
                [] => 1.0,
                [a, b] if (&**a, &**b) == ("a", "b") => self.gain,
                _ => 0.9,
            };
            100.0 / (team * law) * self.noise()
        }
    }

    fn names(choice: &Choice) -> Vec<String> {
        choice.laws().iter().map(ToString::to_string).collect()
    }

    impl Bench for Simulated {
        fn code(&mut self, choice: &Choice) -> Result<u64, String> {
            let relevant = ["rows.team", "rows.each", "rows.busy"].map(|name| choice.value(name).unwrap_or(0));
            let mut code = relevant.iter().fold(0, |h, v| h * 10_000 + u64::from(*v));
            for name in names(choice) {
                code = 4 * code + if name == "a" { 1 } else { 2 };
            }
            Ok(code)
        }
        fn rewritings(&mut self, choice: &Choice) -> Vec<Choice> {
            let more = if choice.laws().len() < 2 { &["a", "b"][..] } else { &[] };
            more.iter().map(|law| choice.then(Step::parse(law).expect("a step"))).collect()
        }
        fn race(&mut self, best: &Choice, choice: &Choice, rounds: u32) -> Result<Race, String> {
            self.races += 1;
            if choice.value("rows.busy") == Some(512) {
                return Err("it hangs".to_owned());
            }
            let mut race = [Vec::new(), Vec::new()];
            for _ in 0..rounds {
                race[0].push(self.time(best));
                race[1].push(self.time(choice));
            }
            Ok(race)
        }
        fn is_over(&self) -> bool {
            self.races > 200
        }
        fn tried(&mut self, tried: &Tried) {
            let hangs = tried.choice.value("rows.busy") == Some(512);
            assert_eq!(tried.outcome.is_err(), hangs, "{tried:?}");
        }
        fn keep(&mut self, choice: &Choice, race: &Race) {
            assert!(is_faster(race));
            self.kept.push(choice.clone());
        }
    }

    fn found(seed: u64, gain: f64) -> Option<Choice> {
        let mut bench = Simulated { seed, races: 0, gain, kept: Vec::new() };
        let parameters: Vec<&Entry> = TABLE.iter().collect();
        let found = search(&mut bench, &[], &parameters).map(|(choice, _)| choice);
        assert_eq!(bench.kept.last(), found.as_ref());
        found
    }

    #[test]
    fn the_optimum_is_found_in_noise_and_a_flat_space_keeps_the_default() {
        let is_best = |c: Choice| c.value("rows.team") == Some(32) && names(&c) == ["a", "b"];
        let best = (0..100).filter(|seed| found(*seed, 1.5).is_some_and(is_best)).count();
        assert!(best >= 95, "{best} of 100");
        let default = (0..100).filter(|seed| found(*seed, 1.0).is_none()).count();
        assert!(default >= 98, "{default} of 100");
    }
}
