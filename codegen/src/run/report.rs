//! What a process that ran a kernel says about it: plain data, written as one line of JSON.
//!
//! `lift run` runs kernels in a child process and reads this from it. A child that was killed, or that a kernel brought
//! down, says nothing; what that means is for the parent to tell.

use super::Outcome;
use super::device::DeviceInfo;
use crate::io::print;
use crate::value::Value;
use lift_analysis::origin::Origin;
use serde::{Deserialize, Serialize};

/// A run that gave a result. One that failed is told as the errors of a program are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    pub kernel: String,
    /// "NVIDIA H200 (GPU, NVIDIA CUDA)" or "interpreter".
    pub device: String,
    /// Something to know about this run, such as that there was no device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The result, or its first lines, as [`print`](mod@print) writes it.
    pub output: String,
    /// Whether `output` is not all of it.
    #[serde(default)]
    pub cut: bool,
    /// The file that has the whole result, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    pub profile: Vec<ProfileEntry>,
}

/// The time of one launch on the device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileEntry {
    /// "filter: count"
    pub name: String,
    /// The function in the OpenCL text.
    pub kernel: String,
    /// Launches in one run; more than one inside a loop.
    pub launches: u32,
    /// All of them together.
    pub microseconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// A place in the source: positions as in the language server protocol, from 0, in UTF-16 code units.
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

/// Finds the place of an origin in the source.
pub type Locate<'a> = &'a dyn Fn(&Origin) -> Option<Place>;

impl RunReport {
    /// The report of a run on a device; of the result at most `head` lines.
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
            place: locate(&time.origin),
        };
        RunReport {
            kernel: kernel.to_string(),
            device: format!("{} ({}, {})", device.name, device.kind, device.platform),
            notice: (!outcome.notices.is_empty()).then(|| outcome.notices.join("\n")),
            output,
            cut,
            written: None,
            profile: outcome.profile.iter().map(entry).collect(),
        }
    }
}

fn printed(value: &Value, head: Option<usize>) -> (String, bool) {
    let mut out = Vec::new();
    // A vector takes everything.
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
            }],
            wall_microseconds: vec![],
            notices: vec!["one".to_string(), "two".to_string()],
        };
        let start = Position { line: 2, character: 4 };
        let place =
            Place { file: "a.lift".to_string(), range: Range { start, end: Position { character: 9, ..start } } };
        let locate = |at: &Origin| (*at == origin(3)).then(|| place.clone());
        let report = RunReport::new("evens", &outcome, &device().info, Some(2), &locate);
        assert_eq!((&*report.output, report.cut, report.notice.as_deref()), ("1\n2\n", true, Some("one\ntwo")));
        assert_eq!(report.profile[0].place, Some(place));
        let line = serde_json::to_string(&report).expect("plain data");
        assert!(!line.contains('\n'), "one line: {line}");
        assert_eq!(serde_json::from_str::<RunReport>(&line).expect("reads back"), report);
    }
}
