//! The page of each diagnostic code.

use super::*;
use crate::diagnostics::Code;
use crate::ide::explain::{codes, page};

#[test]
fn every_code_has_a_page_and_is_the_code_of_a_problem() {
    let problems = include_str!("../../diagnostics/problem.rs");
    for code in Code::ALL {
        assert!(problems.contains(&format!("Code::{code:?},")), "{code} is the code of no problem");
        assert_eq!(page(code.as_str()), Some(code.page()));
    }
    for code in lift_syntax::SyntaxErrorCode::ALL {
        assert!(page(code.as_str()).is_some(), "no page: {code:?}");
    }
    let listed = codes();
    assert!(listed.is_sorted(), "{listed:?}");
    assert!(page("no-such-code").is_none());
}

#[test]
fn the_programs_in_fcl_do_what_their_pages_say() {
    for code in codes().into_iter().filter(|code| code.starts_with("fcl/")) {
        let found: Vec<Vec<String>> = fenced(page(code).unwrap(), "```fcl")
            .into_iter()
            .map(|(_, program)| {
                let mut host = AnalysisHost::default();
                host.set_file("/p.fcl", program.into());
                let found = host.snapshot().diagnostics("/p.fcl").unwrap();
                found.into_iter().map(|d| d.code.to_owned()).collect()
            })
            .collect();
        assert_eq!(found, [vec![code.to_owned()], vec![]], "{code}");
    }
}

/// The programs on a page, each with whether it is for explicit mode.
fn programs(page: &str) -> Vec<(bool, &str)> {
    fenced(page, "```lift")
}

fn fenced<'p>(page: &'p str, fence: &str) -> Vec<(bool, &'p str)> {
    let fences = page.split(fence).skip(1);
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
        // Programs in APL and FCL are not Lift programs.
        if code.starts_with("apl/")
            || code.starts_with("fcl/")
            || matches!(code, "too-complex" | "syntax/too-deep" | "syntax/invalid-character")
        {
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
