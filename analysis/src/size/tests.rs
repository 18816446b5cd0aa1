//! Tests of the size library. Most compare two ways to compute a value at thousands of random points, which always
//! include zeros and ones.

mod algebra;
mod answers;
mod bounded;
mod facts;
mod models;
mod print;
mod rules;
mod solve;
mod substitution;
mod sums;
mod trees;

use super::*;

/// A variable whose first letter determines its kind: `X…` is an opened length, `?…` an inference variable, lower case
/// `p`, `q`, `r` index variables of arrays, `i`, `j`, `l` indices, and everything else a name of the user.
fn var(name: &str) -> Var {
    let kind = match name.chars().next() {
        Some('X') => VarKind::Skolem,
        Some('?') => VarKind::Unknown,
        Some('p' | 'q' | 'r') => VarKind::Position,
        Some('i' | 'j' | 'l') => VarKind::Index,
        _ => VarKind::Param,
    };
    Var::new(kind, 0, name)
}

fn v(name: &str) -> Size {
    Size::var(var(name))
}

fn n(value: i64) -> Size {
    Size::int(value)
}

/// The environment with these values, by name.
fn env<'a>(values: &'a [(&'a str, i64)]) -> impl Fn(&Var) -> Option<i64> + 'a {
    move |var| values.iter().find(|(name, _)| **name == *var.name).map(|(_, value)| *value)
}

/// Values of variables: small numbers, half of them 0, 1 or 2.
fn small() -> impl proptest::strategy::Strategy<Value = i64> {
    use proptest::prelude::*;
    prop_oneof![0..3i64, 0..40i64]
}

/// A configuration with this many random cases, unless `PROPTEST_CASES` is set. Failures are not written to files.
fn cases(cases: u32) -> proptest::test_runner::Config {
    let default = proptest::test_runner::Config::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { default.cases } else { cases };
    proptest::test_runner::Config { cases, failure_persistence: None, ..default }
}
