//! The report of a process that ran a kernel: plain data, written as one line of JSON.
//!
//! `lift run` runs kernels in a child process and reads this report. If the child was killed or crashed, there is none,
//! and the parent explains why.

use super::Outcome;
use super::device::DeviceInfo;
use crate::io::plot::Plot;
use crate::io::print;
use crate::value::Value;
use lift_analysis::hir::{ExprId, Name};
use lift_analysis::origin::{FormKey, Origin};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The report of a successful run. A failed one is reported like the errors of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    pub kernel: String,
    /// "NVIDIA H200 (GPU, NVIDIA CUDA)" or "interpreter".
    pub device: String,
    /// A notice about this run, such as that there was no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The result or its first lines, as [`print`](mod@print) writes it.
    pub output: String,
    /// Whether `output` is incomplete.
    #[serde(default)]
    pub cut: bool,
    /// The file with the whole result, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    pub profile: Vec<ProfileEntry>,
    /// The time of each device, if several ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub busy: Vec<Busy>,
    /// The number of measured runs; `profile` has their medians.
    #[serde(default)]
    pub runs: u32,
    /// The time of the whole program on the device, without building and transfers: median, minimum and maximum over
    /// the measured runs, in microseconds. On several devices, the sum over the steps of the device that took longest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<[f64; 3]>,
    /// The sizes of this run.
    #[serde(default)]
    pub sizes: BTreeMap<String, i64>,
    /// The result as a curve or picture, if it can be drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plot: Option<Plot>,
    /// The fingerprint of the kernel that ran ([`meaning`](crate::core::print::meaning)).
    #[serde(default)]
    pub meaning: String,
}

/// The device time of one launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileEntry {
    /// "filter: count"
    pub name: String,
    /// The name of the function in the OpenCL text.
    pub kernel: String,
    /// Launches per run; more than one inside a loop.
    pub launches: u32,
    /// The total over the launches of a run; the median over the measured runs.
    pub microseconds: f64,
    /// The minimum and maximum over the measured runs.
    #[serde(default)]
    pub spread: [f64; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The origin of `place`, which can be found again after the source has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginData>,
}

/// The time of all launches of one of several devices in a run, without building and transfers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Busy {
    /// "opencl:1"
    pub device: String,
    pub microseconds: f64,
}

/// An [`Origin`] as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginData {
    pub file: String,
    /// The name of the form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The index among the forms of that name.
    pub nth: u32,
    pub expr: u32,
}

impl From<&Origin> for OriginData {
    fn from(origin: &Origin) -> OriginData {
        let form = &*origin.form;
        let name = form.name.as_ref().map(|n| n.to_string());
        OriginData { file: form.file.to_string(), form: name, nth: form.nth, expr: origin.expr.0 }
    }
}

impl OriginData {
    pub fn to_origin(&self) -> Origin {
        let name = self.form.as_deref().map(Name::from);
        let form = FormKey { file: self.file.as_str().into(), name, nth: self.nth };
        Origin::new(Arc::new(form), ExprId(self.expr))
    }
}

/// A source location as in the language server protocol: counted from 0, in UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub range: Range,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

/// Maps an origin to its source location.
pub type Locate<'a> = &'a dyn Fn(&Origin) -> Option<Place>;

impl RunReport {
    /// The report of a run on a device, with at most `head` lines of the result.
    pub fn new(
        kernel: &str,
        outcome: &Outcome,
        device: &DeviceInfo,
        head: Option<usize>,
        locate: Locate<'_>,
    ) -> RunReport {
        let (output, cut) = printed(&outcome.value, head);
        let entry = |time: &super::LaunchTime| ProfileEntry {
            name: time.label.clone(),
            kernel: time.kernel.clone(),
            launches: time.launches,
            microseconds: time.microseconds,
            spread: time.spread,
            place: locate(&time.origin),
            origin: Some((&time.origin).into()),
        };
        RunReport {
            kernel: kernel.to_string(),
            device: format!("{} ({}, {})", device.name, device.kind, device.platform),
            notice: (!outcome.notices.is_empty()).then(|| outcome.notices.join("\n")),
            output,
            cut,
            written: None,
            profile: outcome.profile.iter().map(entry).collect(),
            busy: Vec::new(),
            runs: u32::try_from(outcome.wall_microseconds.len()).unwrap_or(u32::MAX),
            total: spread(&outcome.wall_microseconds),
            sizes: BTreeMap::new(),
            plot: None,
            meaning: String::new(),
        }
    }
}

/// Median, minimum and maximum; `None` of no times.
pub fn spread(times: &[f64]) -> Option<[f64; 3]> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    let (least, greatest) = (*times.first()?, *times.last()?);
    let median = if times.len() % 2 == 1 { times[middle] } else { (times[middle - 1] + times[middle]) / 2.0 };
    Some([median, least, greatest])
}

fn printed(value: &Value, head: Option<usize>) -> (String, bool) {
    let mut out = Vec::new();
    // Writing to a vector cannot fail.
    let cut = print::write(&mut out, value, head).unwrap_or(true);
    (String::from_utf8_lossy(&out).into_owned(), cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::LaunchTime;
    use crate::testing::{device, origin};
    use crate::value::ArrayValue;

    #[test]
    fn a_report_has_the_first_lines_and_the_places_of_launches() {
        let outcome = Outcome {
            value: Value::Array(ArrayValue::Int(vec![1, 2, 3])),
            profile: vec![LaunchTime {
                label: "filter: count".to_string(),
                kernel: "evens_count".to_string(),
                origin: origin(3),
                launches: 2,
                microseconds: 1.5,
                spread: [1.0, 4.0],
            }],
            wall_microseconds: vec![9.0, 2.0, 4.0, 3.0],
            notices: vec!["one".to_string(), "two".to_string()],
        };
        let start = Position { line: 2, character: 4 };
        let place =
            Place { file: "a.lift".to_string(), range: Range { start, end: Position { character: 9, ..start } } };
        let locate = |at: &Origin| (*at == origin(3)).then(|| place.clone());
        let report = RunReport::new("evens", &outcome, &device().info, Some(2), &locate);
        assert_eq!((&*report.output, report.cut, report.notice.as_deref()), ("1\n2\n", true, Some("one\ntwo")));
        assert_eq!(report.profile[0].place, Some(place));
        assert_eq!(report.profile[0].origin.as_ref().map(OriginData::to_origin), Some(origin(3)));
        assert_eq!((report.runs, report.total), (4, Some([3.5, 2.0, 9.0])));
        let line = serde_json::to_string(&report).expect("plain data");
        assert!(!line.contains('\n'), "one line: {line}");
        assert_eq!(serde_json::from_str::<RunReport>(&line).expect("reads back"), report);
    }
}
