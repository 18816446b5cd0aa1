//! The pages of the error codes: the mistake, a small program with it, and the corrected program.
//!
//! `analysis/pages` has one Markdown file per code. Tests check that each code has a page and that the programs behave
//! as their page says. A page omits the program only if it would be too long.

use crate::diagnostics::Code;

macro_rules! pages {
    ($($code:literal,)*) => {
        /// The codes that the parser reports.
        const SYNTAX: &[(&str, &str)] = &[$(($code, include_str!(concat!("../../pages/", $code, ".md"))),)*];
    };
}

pages! {
    "apl/domain",
    "apl/index",
    "apl/length",
    "apl/name",
    "apl/not-supported",
    "apl/phrase",
    "apl/rank",
    "apl/unclosed",
    "apl/unmatched",
    "apl/word",
    "fcl/level",
    "fcl/length",
    "fcl/name",
    "fcl/not-supported",
    "fcl/shorter",
    "fcl/signature",
    "fcl/syntax",
    "fcl/type",
    "fcl/word",
    "syntax/expected-expression",
    "syntax/expected-form",
    "syntax/expected-lambda",
    "syntax/expected-name",
    "syntax/expected-params",
    "syntax/expected-path",
    "syntax/expected-size",
    "syntax/expected-type",
    "syntax/extra",
    "syntax/hash-in-size",
    "syntax/invalid-character",
    "syntax/malformed-number",
    "syntax/mismatched-bracket",
    "syntax/missing",
    "syntax/number-range",
    "syntax/reserved-word",
    "syntax/too-deep",
    "syntax/unclosed",
    "syntax/unclosed-string",
    "syntax/unexpected-string",
    "syntax/unmatched-bracket",
}

/// The page of a code, as Markdown.
pub fn page(code: &str) -> Option<&'static str> {
    let of_syntax = || SYNTAX.iter().find(|(name, _)| *name == code).map(|(_, page)| *page);
    Code::named(code).map(Code::page).or_else(of_syntax)
}

/// All codes, sorted.
pub fn codes() -> Vec<&'static str> {
    let all = Code::ALL.iter().map(|code| code.as_str()).chain(SYNTAX.iter().map(|(name, _)| *name));
    let mut all: Vec<&str> = all.collect();
    all.sort_unstable();
    all
}
