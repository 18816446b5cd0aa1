//! The pages of the error codes: what is wrong, a small program that shows it, and the repaired program.
//!
//! One Markdown file a code in `analysis/pages`. Tests check that each code has a page and that the programs do what
//! their page says; a page shows none only where it would be too long to read.

use crate::diagnostics::Code;

macro_rules! pages {
    ($($code:literal,)*) => {
        const PAGES: &[(Code, &str)] = &[$(($code, include_str!(concat!("../../pages/", $code, ".md"))),)*];
    };
}

// Sorted by code.
pages! {
    "ambiguous-import",
    "ambiguous-length",
    "annotation-false",
    "argument-order",
    "assumption-false",
    "depends-on-position",
    "division-by-zero",
    "duplicate-definition",
    "duplicate-parameter",
    "function-as-data",
    "hidden-length",
    "import-cycle",
    "import-path",
    "infinite-type",
    "iterate-length",
    "kernel-parameter-count",
    "length-escapes",
    "missing-import",
    "needs-arguments",
    "needs-size",
    "no-component",
    "not-a-function",
    "nothing-to-pack",
    "nothing-to-unpack",
    "pad-mode",
    "piece-count",
    "placement",
    "primitive-form",
    "recursion",
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
    "too-complex",
    "too-many-arguments",
    "type-mismatch",
    "unequal-lengths",
    "unknown-name",
    "unknown-size-name",
    "unknown-type",
    "unused-import",
    "unused-name",
    "vector-element",
    "vector-width",
    "word-as-value",
    "wrong-operand",
}

/// The page of a code, as Markdown.
pub fn page(code: &str) -> Option<&'static str> {
    let index = PAGES.binary_search_by_key(&code, |(code, _)| code).ok()?;
    Some(PAGES[index].1)
}

/// All codes, sorted.
pub fn codes() -> Vec<Code> {
    PAGES.iter().map(|(code, _)| *code).collect()
}
