//! The compiler's decisions about a kernel, as text and as JSON.

use lift_codegen::failure::without_numbers;
use lift_codegen::run::report::Place;
use serde::Serialize;
use std::fmt::{self, Display, Write as _};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub kernel: String,
    /// The class of devices.
    pub target: String,
    pub rules: Vec<ExplainedRule>,
    pub stored: Vec<ExplainedStore>,
    /// Lengths that the host waits for, before it allocates the memory that depends on them.
    #[serde(rename = "lengthsRead", skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<ExplainedLength>,
    #[serde(rename = "inMemoryOf", skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<ExplainedSharing>,
    /// Parts that are far slower than the device allows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slow: Vec<ExplainedCheck>,
    /// Checked by the host before the run.
    #[serde(rename = "checksBefore")]
    pub before: Vec<ExplainedCheck>,
    /// Checked by the device during the run.
    #[serde(rename = "checksDuring")]
    pub during: Vec<ExplainedCheck>,
    /// Eliminated because proved.
    #[serde(rename = "checksLeftOut")]
    pub needless: Vec<ExplainedCheck>,
}

#[derive(Debug, Serialize)]
pub struct ExplainedRule {
    pub name: String,
    pub law: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// A result that reuses the memory of one that is no longer needed.
#[derive(Debug, Serialize)]
pub struct ExplainedSharing {
    pub name: String,
    pub with: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedLength {
    /// The name in the sizes of stored results.
    pub name: String,
    /// The upper bound that is known before the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

#[derive(Debug, Serialize)]
pub struct ExplainedStore {
    pub name: String,
    pub memory: String,
    /// A symbolic size.
    pub bytes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

#[derive(Debug, Serialize)]
pub struct ExplainedCheck {
    /// With placeholders `{0}` and `{1}` for the numbers of a failure.
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// Formats a start as `3:5`, from 1.
fn at(place: &Option<Place>) -> String {
    place.as_ref().map_or(String::new(), |p| format!("{}:{}", p.range.start.line + 1, p.range.start.character + 1))
}

impl Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} for {} devices", self.kernel, self.target)?;
        let mut out = String::new();
        section(&mut out, "rules, in the order in which they were applied", &self.rules, |r| {
            (&r.place, format!("{:<14} {}", r.name, r.law))
        });
        section(&mut out, "stored on the way", &self.stored, |s| {
            (&s.place, format!("{:<14} {} bytes, {}", s.name, s.bytes, s.memory))
        });
        if !self.read.is_empty() {
            section(&mut out, "lengths read during the run", &self.read, |l| {
                let most = l.at_most.as_ref().map_or("not known before".into(), |most| format!("at most {most}"));
                (&l.place, format!("{:<14} {most}", l.name))
            });
        }
        if !self.shared.is_empty() {
            section(&mut out, "in the memory of others", &self.shared, |s| {
                (&None, format!("{:<14} {}", s.name, s.with))
            });
        }
        if !self.slow.is_empty() {
            section(&mut out, "far slower than the device", &self.slow, |c| (&c.place, c.message.clone()));
        }
        section(&mut out, "checked before the run", &self.before, |c| (&c.place, c.message.clone()));
        section(&mut out, "checked on the device", &self.during, |c| (&c.place, without_numbers(&c.message)));
        section(&mut out, "checks proved needless", &self.needless, |c| (&c.place, without_numbers(&c.message)));
        f.write_str(&out)
    }
}

fn section<T>(out: &mut String, title: &str, entries: &[T], line: impl Fn(&T) -> (&Option<Place>, String)) {
    let _ = match entries.len() {
        0 => writeln!(out, "{title}: none"),
        n => writeln!(out, "{title}: {n}"),
    };
    for entry in entries {
        let (place, text) = line(entry);
        let _ = writeln!(out, "  {:>7}  {text}", at(place));
    }
}
