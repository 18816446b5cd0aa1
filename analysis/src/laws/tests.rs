//! The built-in laws: each reads, checks and applies to its example.

use super::*;
use crate::db::forms;
use crate::diagnostics::Severity;
use crate::ide::AnalysisHost;
use crate::laws::checking::sides;
use crate::queries::signature;

/// Every definition of the file is a law.
#[test]
fn built_in_laws_read() {
    let wrong: Vec<String> = read(LAWS_TEXT).into_iter().filter_map(Result::err).map(|e| e.why).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(builtin().len(), LAWS_TEXT.matches("\n(define ").count());
    assert!(builtin().len() >= 40);
    let without: Vec<&str> =
        builtin().iter().filter(|law| law.docs.is_empty() || law.example.is_none()).map(|law| &*law.name).collect();
    assert!(without.is_empty(), "{without:?}");
}

/// Both sides of every law have one type.
#[test]
fn built_in_laws_check() {
    let mut host = AnalysisHost::default();
    host.set_file("laws.lift", LAWS_TEXT.into());
    let analysis = host.snapshot();
    let mut wrong = String::new();
    for diagnostic in analysis.diagnostics("laws.lift").unwrap() {
        if diagnostic.severity == Severity::Error {
            let text = &LAWS_TEXT[std::ops::Range::<usize>::from(diagnostic.range)];
            wrong += &format!("{text}: {}\n", diagnostic.message);
        }
    }
    let db = analysis.db();
    let file = db.file("laws.lift").unwrap();
    for (law, &form) in builtin().iter().zip(forms(db, file)) {
        match signature(db, form).map(|scheme| sides(&scheme, law.params.len())) {
            Some(Ok(_)) => {}
            Some(Err(why)) => wrong += &format!("{}: {why}\n", law.name),
            None => wrong += &format!("{}: no type\n", law.name),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The work on a term is bounded by its length, not by two to its depth.
#[test]
fn a_long_chain_of_lets_has_its_free_names() {
    let text =
        (0..64).fold("(+ v64 w)".to_owned(), |body, nth| format!("(let v{} (+ v{} 1) {body})", 64 - nth, 63 - nth));
    let term = term::parse(&text, &[]).unwrap();
    assert_eq!(term.free().iter().map(|name| &**name).collect::<Vec<_>>(), ["+", "v0", "w"]);
}

#[test]
fn a_long_composition_that_is_applied_has_no_term() {
    let read = |functions: usize| {
        let form = lift_syntax::parse_form(&format!("(define it (o {} xs))", "id ".repeat(functions)));
        let Some(lift_syntax::ast::Item::Define(define)) = form.form().and_then(|form| form.item()) else {
            panic!("a definition")
        };
        term::Reader::new(Vec::new(), &|_| true).expr(&define.body().unwrap())
    };
    assert!(read(100).is_some());
    assert!(read(2000).is_none());
}
