//! The progress of a search for parameters, as printed by `lift tune --format json`, and the records of earlier ones.

use super::times::{ago, time};
use crate::engine;
use crate::tuned::records::{self, Record};
use lift_analysis::ide::{Analysis, Cancellable};
use lift_codegen::core::print::meaning;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Length of the longest bar, in characters.
const BAR: f64 = 24.0;

/// A finished search.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    pub kernel: String,
    pub device: String,
    pub sizes: BTreeMap<String, i64>,
    /// Microseconds of the kernel with default parameters.
    pub default: f64,
    /// The least that the device allows, in microseconds.
    #[serde(default)]
    pub least: Option<f64>,
    #[serde(default)]
    pub rows: Vec<Row>,
    /// The choice that is kept; `None` if none is clearly faster.
    #[serde(default)]
    pub best: Option<String>,
    /// Microseconds of the default and of the best, measured alternately.
    #[serde(default)]
    pub times: Option<[f64; 2]>,
}

/// A program that was tried.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub choice: String,
    pub microseconds: Option<f64>,
    /// Why it cannot be used.
    pub failed: Option<String>,
}

/// The last line of the output.
#[derive(Deserialize)]
struct Found {
    best: Option<String>,
    times: Option<[f64; 2]>,
    #[serde(rename = "tries")]
    _tries: u32,
}

impl Tuning {
    /// Reads the output; `None` if its last line is missing.
    pub fn read(out: &str) -> Option<Tuning> {
        let (mut tuning, mut end): (Option<Tuning>, _) = (None, None);
        for line in out.lines() {
            let Some(begun) = &mut tuning else {
                tuning = serde_json::from_str(line).ok();
                continue;
            };
            if let Ok(row) = serde_json::from_str(line) {
                begun.rows.push(row);
            } else if let Ok(Found { best, times, .. }) = serde_json::from_str(line) {
                end = Some((best, times));
            }
        }
        let (best, times) = end?;
        Some(Tuning { best, times, ..tuning? })
    }

    /// Formats a table for people, the fastest first; a bar is as long as a program is fast.
    pub fn text(&self) -> String {
        let least = self
            .least
            .map(|least| format!("; {} is the least that the device allows without caches, 100 %\n", time(least)));
        let sizes: Vec<String> = self.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
        let sizes = if sizes.is_empty() { String::new() } else { format!(" for {}", sizes.join(", ")) };
        let mut out = format!("; {}{sizes}\n; on {}\n{}", self.kernel, self.device, least.unwrap_or_default());
        out += &match (&self.best, self.times) {
            (Some(best), Some([default, time])) => {
                format!("; {best}: {:.2} × as fast as the default; kept beside the program\n", default / time)
            }
            _ => "; none is clearly faster than the default\n".to_owned(),
        };
        let measured = self.rows.iter().filter_map(|row| Some((row.microseconds?, &*row.choice)));
        let mut rows: Vec<(f64, &str)> = measured.chain([(self.default, "(as it is)")]).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let fastest = rows.first().map_or(1.0, |row| row.0).max(1e-3);
        for (microseconds, choice) in rows {
            let bar = "█".repeat(((BAR * fastest / microseconds.max(1e-3)).round() as usize).max(1));
            let ratio = self.default / microseconds.max(1e-3);
            let share = self.least.map(|least| format!("{:>4.0} %", 100.0 * least / microseconds.max(1e-3)));
            let share = share.unwrap_or_default();
            out += &format!("{:>9} {share} {ratio:>6.2} ×  {bar:<24}  {choice}\n", time(microseconds));
        }
        for row in &self.rows {
            if let Some(why) = &row.failed {
                out += &format!("   failed                                    {}: {why}\n", row.choice);
            }
        }
        out
    }
}

/// The records of all kernels of a file, read once.
pub struct Records {
    path: Arc<str>,
    all: Vec<Record>,
}

impl Records {
    pub fn of_file(path: &Arc<str>) -> Records {
        Records { path: path.clone(), all: records::read(&records::file(Path::new(&**path))).unwrap_or_default() }
    }

    /// The records that hold for the current kernel, newest first; `None` without any.
    pub fn of_kernel(&self, analysis: &Analysis, kernel: &str) -> Cancellable<Option<Vec<Record>>> {
        let mut found: Vec<Record> = self.all.iter().filter(|record| record.kernel == kernel).cloned().collect();
        if found.is_empty() {
            return Ok(None);
        }
        let now = engine::core(analysis, &self.path, kernel)?.ok().map(|kernel| format!("{:016x}", meaning(&kernel)));
        found.retain(|record| now.as_ref() == Some(&record.meaning));
        found.reverse();
        Ok((!found.is_empty()).then_some(found))
    }
}

/// [`Records::of_kernel`] where only one kernel is of interest.
pub fn kept(analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Cancellable<Option<Vec<Record>>> {
    Records::of_file(path).of_kernel(analysis, kernel)
}

/// The gain of the last search: `Tuned 12 s ago on NVIDIA H200: 1.80 × of the default (rows.team=16).`
pub fn gained(records: &[Record]) -> Option<String> {
    let record = records.first()?;
    let (device, gain, choice) = (&record.device[0], record.gain(), &record.choice);
    Some(format!("Tuned{} on {device}: {gain:.2} × of the default (`{choice}`).", when(record)))
}

/// ` 12 s ago`; empty where the record does not say it. The file's own time may be that of another kernel or of a copy.
pub fn when(record: &Record) -> String {
    let at = record.at.and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
    at.map_or(String::new(), |at| format!(" {}", ago(at)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_search_is_read_and_shown() {
        let out = r#"{"kernel":"f","device":"a device","sizes":{"N":8},"default":20.0,"least":8.0}
{"choice":"group=32","microseconds":10.0,"failed":null}
a driver says this
{"choice":"group=64","microseconds":null,"failed":"it hangs"}
{"kernel":"f","best":"group=32","tries":2,"times":[20.0,10.0]}
"#;
        let tuning = Tuning::read(out).expect("a search");
        expect![[r#"
            ; f for N = 8
            ; on a device
            ; 8.00 µs is the least that the device allows without caches, 100 %
            ; group=32: 2.00 × as fast as the default; kept beside the program
              10.0 µs   80 %   2.00 ×  ████████████████████████  group=32
              20.0 µs   40 %   1.00 ×  ████████████              (as it is)
               failed                                    group=64: it hangs
        "#]]
        .assert_eq(&tuning.text());
        let cut = out.rsplit_once("{\"kernel").map(|(head, _)| head);
        assert_eq!(cut.and_then(Tuning::read), None);
    }
}
