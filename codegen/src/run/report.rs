//! What a process that ran a kernel says about it: plain data, written as one line of JSON.
//!
//! `lift run` runs kernels in a child process and reads this from it. A child that was killed, or that a kernel brought
//! down, says nothing; what that means is for the parent to tell.

use super::device::DeviceInfo;
use super::{Outcome, RunFailure};
use crate::io::print;
use crate::value::Value;
use lift_analysis::origin::Origin;
use serde::{Deserialize, Serialize};

/// A run that came to an end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Report {
    Done(RunReport),
    Failed(FailureReport),
}

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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureReport {
    /// A word for machines: [`RunFailure::kind`].
    pub kind: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What the device's compiler complained of, if that was the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub build: Vec<BuildReport>,
}

/// One complaint of the device's compiler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BuildReport {
    /// In the OpenCL text, from 1.
    pub line: u32,
    pub column: u32,
    pub message: String,
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
    /// The report of a value that the interpreter gave.
    pub fn interpreted(kernel: &str, value: &Value, head: Option<usize>) -> RunReport {
        let (output, cut) = printed(value, head);
        RunReport {
            kernel: kernel.to_string(),
            device: "interpreter".to_string(),
            notice: None,
            output,
            cut,
            written: None,
            profile: Vec::new(),
        }
    }

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

impl FailureReport {
    pub fn new(failure: &RunFailure, locate: Locate<'_>) -> FailureReport {
        let build = match failure {
            RunFailure::Build { messages, .. } => messages.as_slice(),
            _ => &[],
        };
        let build = build.iter().map(|m| BuildReport {
            line: m.line,
            column: m.column,
            message: m.text.clone(),
            place: m.origin.as_ref().and_then(locate),
        });
        FailureReport {
            kind: failure.kind().to_string(),
            message: failure.to_string(),
            place: failure.origin().and_then(locate),
            build: build.collect(),
        }
    }
}

impl Report {
    /// One line of JSON, without the line's end.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what [`Report::to_line`] wrote.
    pub fn from_line(line: &str) -> Option<Report> {
        serde_json::from_str(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::ArrayValue;
    use expect_test::expect;

    #[test]
    fn a_report_is_one_line_that_reads_back() {
        let value = Value::Array(ArrayValue::Int(vec![1, 2, 3]));
        let mut report = RunReport::interpreted("evens", &value, Some(2));
        report.notice = Some("no OpenCL device: ran on the interpreter".to_string());
        let report = Report::Done(report);
        expect![[r#"{"outcome":"done","kernel":"evens","device":"interpreter","notice":"no OpenCL device: ran on the interpreter","output":"1\n2\n","cut":true,"profile":[]}"#]]
            .assert_eq(&report.to_line());
        assert_eq!(Report::from_line(&report.to_line()), Some(report));
        assert_eq!(Report::from_line("Segmentation fault"), None);
    }

    #[test]
    fn a_failure_is_reported_with_its_place() {
        let start = Position { line: 2, character: 4 };
        let place =
            Place { file: "a.lift".to_string(), range: Range { start, end: Position { character: 9, ..start } } };
        let origin = crate::testing::origin(3);
        let failure = RunFailure::Check { message: "division by zero".to_string(), origin };
        let report = Report::Failed(FailureReport::new(&failure, &|_| Some(place.clone())));
        expect![[r#"{"outcome":"failed","kind":"check","message":"division by zero","place":{"file":"a.lift","range":{"start":{"line":2,"character":4},"end":{"line":2,"character":9}}}}"#]]
            .assert_eq(&report.to_line());
        assert_eq!(Report::from_line(&report.to_line()), Some(report));
    }
}
