//! The APL front end by itself: its output is inferred without errors, and has the types of the arrays.

use super::translate;
use crate::ide::AnalysisHost;
use lift_syntax::{TextRange, TextSize};

const PROGRAM: &str = "x ← ⍳20\nbig ← (x>12)/x\nmean ← {(+/⍵)÷≢⍵}\n⎕←mean big\nm ← 2 3⍴1.5\n⎕←m+.×⍉m\n";

fn at(text: &str, of: &str) -> TextRange {
    let start = text.find(of).expect("it is in the text");
    TextRange::empty(TextSize::new(start as u32))
}

#[test]
fn what_is_emitted_checks() {
    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", PROGRAM.into());
    let analysis = host.snapshot();
    assert_eq!(analysis.diagnostics("/p.apl"), Ok(Vec::new()));
    let types: Vec<String> =
        analysis.types("/p.apl").unwrap().into_iter().map(|form| format!("{} : {}", form.name, form.ty)).collect();
    let expected = [
        "x : Array[Int,20]",
        "big : Array[Int,X1]",
        "m : Array[Array[Double,3],2]",
        "p : (Double, Array[Array[Double,2],2])",
    ];
    assert_eq!(types, expected);
}

#[test]
fn hovers_tell_types_glyphs_and_where_lengths_come_from() {
    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", PROGRAM.into());
    let analysis = host.snapshot();
    let hover =
        |of: &str| analysis.hover("/p.apl", at(PROGRAM, of)).unwrap().map(|hover| hover.plain).unwrap_or_default();
    assert_eq!(hover("big ←"), "Array[Int,X1]\nX1 is how many elements `/` keeps, known only at run time: /\n");
    assert!(hover("⍳20").contains("iota, index: The whole numbers from 1 up to a number."), "{}", hover("⍳20"));
    assert!(hover("⍉m").starts_with("Array[Array[Double,2],3]\n`⍉` transpose: The axes backwards"), "{}", hover("⍉m"));
    let mean = TextSize::new(PROGRAM.rfind("mean").unwrap() as u32);
    let definition = analysis.goto_definition("/p.apl", mean).unwrap();
    assert_eq!(usize::from(definition[0].focus.start()), PROGRAM.find("mean").unwrap());
    assert_eq!(analysis.references("/p.apl", mean).unwrap().len(), 2);
    let symbols: Vec<String> = analysis.symbols("/p.apl").unwrap().into_iter().map(|symbol| symbol.name).collect();
    assert_eq!(symbols, ["x", "big", "mean", "m"]);
    assert!(!analysis.all_semantic_tokens("/p.apl").unwrap().is_empty());
}

#[test]
fn features_of_lift_are_quiet_in_files_of_another_language() {
    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", "x ← (1 + 2\n".into());
    let analysis = host.snapshot();
    let whole = TextRange::up_to(TextSize::new(4));
    assert_eq!(analysis.inlay_hints("/p.apl", whole), Ok(Vec::new()));
    assert_eq!(analysis.code_actions("/p.apl", whole), Ok(Vec::new()));
    assert_eq!(analysis.format("/p.apl"), Ok(Vec::new()));
    assert_eq!(analysis.diagnostics("/p.apl").unwrap().len(), 1);
}

#[test]
fn an_edit_replaces_the_program() {
    let mut host = AnalysisHost::default();
    for text in ["", "1+", "⎕←1+2\n", "⍝ nothing\n", "⎕←x", "x←3 ⋄ x"] {
        host.set_file("/p.apl", text.into());
        let again = {
            let mut host = AnalysisHost::default();
            host.set_file("/p.apl", text.into());
            host.snapshot().diagnostics("/p.apl")
        };
        assert_eq!(host.snapshot().diagnostics("/p.apl"), again, "{text}");
    }
}

/// Programs that would run or grow forever are errors.
#[test]
fn evaluation_ends() {
    for text in [
        "f←{∇⍵+1} ⋄ f 1",
        "f←{(∇⍵),∇⍵} ⋄ f 1",
        "d←{⍺⍺ ⍺⍺ ⍵} ⋄ +d d d d d d d 1",
        "⍳1000000000 ⋄ 1000000 1000000⍴1",
        "(⍳3)⍴¨⍳3",
        "({⍵,⍵}⍣60)1 2",
        "99999999999↑1",
        "(-99999999999)↑1 2",
        "1000000000/1 2 3",
    ] {
        translate(text);
    }
    translate(&format!("x←⍳30 ⋄ {}x", "x+".repeat(600)));
    translate(&format!("{}1{}", "(1+".repeat(200), ")".repeat(200)));
    translate(&"x←⍳30 ⋄ x←x+x ⋄ ".repeat(320));
}
