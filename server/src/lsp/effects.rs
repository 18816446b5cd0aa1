//! The change of a kernel's cost by a law, for the title of the action.
//!
//! Both programs are compiled outside the session's database, so that edits do not wait.

use super::times::bytes;
use crate::engine;
use crate::inputs::given_sizes;
use crate::program::{Program, Texts};
use crate::report::cost::CostReport;
use crate::tune::written::code;
use lift_analysis::ide::Cancellable;
use lift_codegen::target::Target;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long a menu of code actions waits for effects; then they come without.
pub const PATIENCE: Duration = Duration::from_millis(150);
/// Capacity of the cache.
const MOST: usize = 512;

/// Costs of programs by fingerprint; `None` for a kernel that cannot be compiled.
#[derive(Clone, Default)]
pub struct Known(Arc<Mutex<HashMap<u64, Option<Cost>>>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    /// A fingerprint of the text and the plan.
    code: u64,
    launches: Option<i64>,
    bytes: Option<i64>,
}

/// The kernel that is rewritten.
pub struct Asked {
    pub known: Known,
    pub texts: Texts,
    pub path: Arc<str>,
    pub kernel: String,
    /// Whether the rewriting is in the kernel itself, not in a definition that it uses.
    pub is_around: bool,
    pub target: Target,
    pub sizes: BTreeMap<String, i64>,
    /// How long to wait for effects that are not computed yet.
    pub patience: Duration,
}

/// An effect, for the title and for the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    pub told: String,
    /// Bytes and launches that are gained, negative if they are less.
    pub gained: (i64, i64),
}

impl Asked {
    /// The effects of rewriting the file to each of these texts, `None` where the time was over or a kernel cannot be
    /// compiled.
    pub fn effects(&self, after: &[String]) -> Vec<Option<Effect>> {
        let end = Instant::now() + self.patience;
        let before = self.cost(None, end);
        let effect = |text: &String| self.told(before?, self.cost(Some(text), end)?);
        after.iter().map(effect).collect()
    }

    fn cost(&self, text: Option<&str>, end: Instant) -> Option<Cost> {
        let mut texts = self.texts.clone();
        if let Some(text) = text {
            texts.insert(self.path.clone(), text.into());
        }
        let mut hasher = DefaultHasher::new();
        (&texts, &self.path, &self.kernel, format!("{:?}", self.target), &self.sizes).hash(&mut hasher);
        let key = hasher.finish();
        if let Some(cost) = self.known.lock().get(&key) {
            return *cost;
        }
        if Instant::now() >= end {
            return None;
        }
        // The database is private, so nothing cancels this.
        let cost = self.computed(&texts).ok().flatten();
        let mut known = self.known.lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, cost);
        cost
    }

    fn computed(&self, texts: &Texts) -> Cancellable<Option<Cost>> {
        let program = Program::load_texts(Path::new(&*self.path), texts)?;
        let (analysis, path, kernel) = (&program.analysis, &self.path, &*self.kernel);
        let Ok(core) = engine::core(analysis, path, kernel)? else { return Ok(None) };
        let Ok(sizes) = given_sizes(&core, &self.sizes) else { return Ok(None) };
        let Ok(compiled) = engine::program(analysis, path, kernel, &self.target)? else { return Ok(None) };
        let Ok(report) = engine::cost(analysis, path, kernel, &self.target, &sizes)? else { return Ok(None) };
        let mut hasher = DefaultHasher::new();
        code(compiled).hash(&mut hasher);
        Ok(Some(Cost { code: hasher.finish(), launches: report.launched.value, bytes: moved(&report) }))
    }

    fn told(&self, before: Cost, after: Cost) -> Option<Effect> {
        if before.code == after.code {
            let place = if self.is_around { String::new() } else { format!(" of {}", self.kernel) };
            return Some(Effect { told: format!("same code{place}"), gained: (0, 0) });
        }
        let less = |old: Option<i64>, new: Option<i64>| Some(old?.saturating_sub(new?));
        let launches = less(before.launches, after.launches);
        let moved = less(before.bytes, after.bytes);
        let mut parts = Vec::new();
        if let Some(n) = launches.filter(|n| *n != 0) {
            let s = if n.abs() == 1 { "" } else { "es" };
            parts.push(format!("{} launch{s} {}", n.abs(), if n > 0 { "fewer" } else { "more" }));
        }
        if let Some(n) = moved.filter(|n| *n != 0) {
            parts.push(format!("{} {}", bytes(n.unsigned_abs()), if n > 0 { "less" } else { "more" }));
        }
        let (Some(launches), Some(moved)) = (launches, moved) else { return None };
        if parts.is_empty() {
            parts.push("as many launches and bytes".to_owned());
        }
        Some(Effect { told: format!("{}{}", parts.join(", "), self.at()), gained: (moved, launches) })
    }

    /// As in ` at N = 2^24`, for a definition ` in least at N = 2^24`.
    fn at(&self) -> String {
        let power = |n: i64| match n.checked_ilog2() {
            Some(log) if log > 9 && n == 1 << log => format!("2^{log}"),
            _ => n.to_string(),
        };
        let sizes: Vec<String> = self.sizes.iter().map(|(name, n)| format!("{name} = {}", power(*n))).collect();
        let place = if self.is_around { String::new() } else { format!(" in {}", self.kernel) };
        if sizes.is_empty() { place } else { format!("{place} at {}", sizes.join(", ")) }
    }
}

/// Sizes for a kernel that has not run: 2^24 for one, 2^12 for each of two, which give arrays of 2^24 elements.
pub fn large(names: &[String]) -> BTreeMap<String, i64> {
    let log = (24 / names.len().max(1)).max(4);
    names.iter().map(|name| (name.clone(), 1 << log)).collect()
}

impl Known {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Option<Cost>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Bytes that a run reads from and writes to the memory of the device.
fn moved(report: &CostReport) -> Option<i64> {
    Some(report.total.global_bytes_read.value?.saturating_add(report.total.global_bytes_written.value?))
}
