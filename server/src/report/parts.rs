//! The computation of a kernel on blocks of its arrays, as text and as JSON.

use lift_codegen::run::report::Place;
use serde::Serialize;
use std::fmt;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedParts {
    pub kernel: String,
    /// Number of kernels that the blocks need.
    pub kernels: usize,
    pub statements: Vec<ExplainedPart>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedPart {
    pub what: String,
    pub how: String,
    /// Whether it takes more memory or time than computation on blocks.
    pub notice: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl fmt::Display for ExplainedParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} in parts", self.kernel)?;
        for ExplainedPart { what, how, notice, place } in &self.statements {
            let place = place.as_ref().map(|p| format!("{}:{}", p.range.start.line + 1, p.range.start.character + 1));
            let notice = if *notice { "notice: " } else { "" };
            writeln!(f, "  {:>7}  {what:<14} {notice}{how}", place.unwrap_or_default())?;
        }
        Ok(())
    }
}
