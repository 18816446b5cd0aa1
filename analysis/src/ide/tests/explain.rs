//! The page of each code of a diagnostic.

use super::*;
use crate::ide::explain::{codes, page};
use std::collections::BTreeSet;
use std::path::Path;

/// The codes that stand as literals in the sources of this crate, and those of the parser.
fn emitted() -> BTreeSet<String> {
    fn scan(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("tests")) {
                continue;
            } else if path.is_dir() {
                scan(&path, found);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                for call in text.split("error(").skip(1) {
                    if let Some(code) = call.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) {
                        found.insert(code.to_owned());
                    }
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    scan(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    // Of `imports`, where the code is passed on.
    found.extend(["import-path", "missing-import", "import-cycle"].map(str::to_owned));
    found.insert(crate::lower::UNUSED_NAME.to_owned());
    found.extend(lift_syntax::SyntaxErrorCode::ALL.iter().map(|code| code.as_str().to_owned()));
    found
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let emitted = emitted();
    let pages: BTreeSet<String> = codes().into_iter().map(str::to_owned).collect();
    let missing: Vec<&String> = emitted.difference(&pages).collect();
    let needless: Vec<&String> = pages.difference(&emitted).collect();
    assert!(missing.is_empty() && needless.is_empty(), "no page: {missing:?}; no code: {needless:?}");
    let listed = codes();
    assert!(listed.is_sorted(), "{listed:?}");
    assert!(page("no-such-code").is_none());
}

/// The programs on a page, each with whether it is meant for explicit mode.
fn programs(page: &str) -> Vec<(bool, &str)> {
    let fences = page.split("```lift").skip(1);
    fences
        .map(|rest| {
            let (mode, code) = rest.split_once('\n').unwrap();
            (mode.trim() == "explicit", code.split("```").next().unwrap())
        })
        .collect()
}

fn diagnostics(program: &str, explicit: bool) -> (Fixture, Vec<FileDiagnostic>) {
    let fixture = Fixture::new(&format!(
        "{program};;- lib.lift\n(define (twice x) (+ x x))\n;;- other.lift\n(define (twice x) (* 2 x))\n"
    ));
    let analysis = fixture.analysis();
    let found = if explicit { analysis.explicit_diagnostics("main.lift") } else { analysis.diagnostics("main.lift") };
    drop(analysis);
    (fixture, found.unwrap())
}

#[test]
fn the_programs_of_each_page_do_what_it_says() {
    let mut wrong = String::new();
    for code in codes() {
        let page = page(code).unwrap();
        assert!(page.starts_with(&format!("# {code}\n")));
        let programs = programs(page);
        if matches!(code, "too-complex" | "syntax/too-deep" | "syntax/invalid-character") {
            assert!(programs.is_empty());
            continue;
        }
        let [(explicit, bad), (_, good)] = programs[..] else {
            panic!("{code} needs a program and its repair");
        };
        let (fixture, found) = diagnostics(bad, explicit);
        let others = found.iter().any(|d| d.code != code && d.severity == Severity::Error);
        if others || !found.iter().any(|d| d.code == code) {
            wrong += &format!("{code}, as it should not be:\n{bad}{}\n", describe(&fixture, "main.lift", &found));
        }
        let (fixture, found) = diagnostics(good, explicit);
        if !found.is_empty() {
            wrong += &format!("{code}, repaired:\n{good}{}\n", describe(&fixture, "main.lift", &found));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
