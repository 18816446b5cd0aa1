//! Every built-in law holds; false laws are refuted; the page is up to date.

use super::page::{applied, page};
use super::*;

const QUICK: Effort = Effort { instances: 6, inputs: 6, device: None, seed: 1 };

#[test]
fn built_in_laws_hold_on_the_interpreter() {
    let (mut tester, laws) = Tester::builtin().unwrap();
    let mut wrong = String::new();
    for law in laws {
        let tested = tester.test(law, &QUICK).unwrap();
        if let Some(why) = tested.wrong {
            wrong += &format!("{}: {why}\n", law.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn built_in_laws_apply_to_their_examples() {
    let without: Vec<&str> = builtin()
        .iter()
        .filter(|law| applied(law, law.example.as_deref().unwrap_or_default()).unwrap().is_none())
        .map(|law| &*law.name)
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

/// `UPDATE_EXPECT=1` writes the page.
#[test]
fn the_page_is_printed_from_the_laws() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/laws.md");
    let made = page(builtin()).unwrap();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, made).unwrap();
    } else {
        assert!(std::fs::read_to_string(path).unwrap_or_default() == made, "run this test with UPDATE_EXPECT=1");
    }
}

/// Laws that are wrong by one condition, one bound or one order.
const FALSE: &str = include_str!("false.lift");

#[test]
fn false_laws_are_refuted() {
    let (mut tester, Found { laws, wrong, errors }) =
        Tester::new(&BUILTIN.into(), &Texts::from([(BUILTIN.into(), FALSE.into())])).unwrap();
    assert!(wrong.is_empty() && errors.is_empty(), "{wrong:?} {errors:?}");
    assert!(laws.len() >= 12);
    let effort = Effort { instances: 100, inputs: 5, ..QUICK };
    let held: Vec<String> = laws
        .iter()
        .filter_map(|law| match tester.test(law, &effort).unwrap().wrong {
            Some(why) if !why.contains("cannot be tested") => None,
            other => Some(format!("{}: {other:?}", law.name)),
        })
        .collect();
    assert!(held.is_empty(), "{held:?}");
}
