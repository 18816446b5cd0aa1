//! The results of a kernel's tests, as printed by `lift test --format json`.

use crate::report::json::Message;
use serde::{Deserialize, Serialize};

/// The tests of one kernel, in the order of their lines.
#[derive(Debug, Serialize)]
pub struct Tested {
    pub kernel: String,
    pub passed: usize,
    pub failed: usize,
    pub tests: Vec<Test>,
    /// Problems of the kernel itself; with any, no test ran.
    pub diagnostics: Vec<Message>,
}

#[derive(Debug, Serialize)]
pub struct Test {
    /// The text after `test:`.
    pub test: String,
    /// The line of the program, from 0.
    pub line: Option<u32>,
    pub passed: bool,
    /// Why it failed.
    pub diagnostics: Vec<Message>,
}

/// A line of the output.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Test {
        test: String,
        line: Option<u32>,
        passed: bool,
    },
    /// The last line.
    Count {
        passed: usize,
        failed: usize,
    },
    Message(Message),
}

impl Tested {
    /// Reads the output; `None` if its last line is missing. A message belongs to the test before it.
    pub fn read(kernel: &str, out: &str) -> Option<Tested> {
        let mut tested =
            Tested { kernel: kernel.to_owned(), passed: 0, failed: 0, tests: Vec::new(), diagnostics: Vec::new() };
        for line in out.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                Line::Test { test, line, passed } => {
                    tested.tests.push(Test { test, line, passed, diagnostics: Vec::new() });
                }
                Line::Message(message) => match tested.tests.last_mut() {
                    Some(test) => test.diagnostics.push(message),
                    None => tested.diagnostics.push(message),
                },
                Line::Count { passed, failed } => return Some(Tested { passed, failed, ..tested }),
            }
        }
        None
    }

    /// Formats the outcome for people, as comments and lines.
    pub fn text(&self) -> String {
        let mut out = format!("; {}: {} passed, {} failed\n", self.kernel, self.passed, self.failed);
        let mut tell = |message: &Message| format!("    {}\n", message.message.replace('\n', "\n    "));
        out.extend(self.diagnostics.iter().map(&mut tell));
        for test in &self.tests {
            out.push_str(&format!("{} {}\n", if test.passed { "ok    " } else { "FAILED" }, test.test));
            out.extend(test.diagnostics.iter().map(&mut tell));
        }
        out
    }
}
