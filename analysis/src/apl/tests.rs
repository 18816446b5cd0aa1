//! The APL front end by itself: its output is inferred without errors, and has the types of the arrays.

use super::translate;
use crate::ide::AnalysisHost;
use lift_syntax::apl::glyphs::{characters, glyphs};
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
    assert_eq!(
        hover("big ←"),
        "Array[Int,X1]\nX1 is the number of elements that `/` keeps, known only at run time: line 2, (x>12)/x\n"
    );
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
    assert_eq!(analysis.diagnostics("/p.apl").unwrap().len(), 1);
}

#[test]
fn examples_of_glyphs_are_programs() {
    for glyph in glyphs().iter().filter(|glyph| !(glyph.one.is_empty() && glyph.two.is_empty())) {
        assert!(!glyph.example.is_empty(), "{}", glyph.glyph);
        assert_eq!(translate(glyph.example).program.errors, [], "{}", glyph.example);
    }
    let mut keys: Vec<char> = characters().filter(|(symbol, key, _)| symbol != key).map(|(_, key, _)| key).collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count, "two characters have one key");
}

#[test]
fn names_and_glyphs_are_completed_and_names_renamed() {
    let mut host = AnalysisHost::default();
    let text = "total←+/⍳5\nf←{half←⍵÷2 ⋄ half+to}\n⎕←2 rh\n⎕←`r\n⎕←3 ⍴ \n";
    host.set_file("/p.apl", text.into());
    let analysis = host.snapshot();
    let after = |of: &str| TextSize::new((text.find(of).unwrap() + of.len()) as u32);
    let inserted = |of: &str, filter: &str| {
        let found = analysis.completions("/p.apl", after(of)).unwrap();
        let item = found.items.into_iter().find(|item| item.filter.as_deref().unwrap_or(&item.label) == filter);
        let item = item.unwrap_or_else(|| panic!("{filter} after {of}"));
        (&text[found.replace], item.insert.plain())
    };
    assert_eq!(inserted("half+to", "total"), ("to", "total".to_owned()));
    assert_eq!(inserted("half+to", "half"), ("to", "half".to_owned()));
    assert_eq!(inserted("2 rh", "rho"), ("rh", "⍴".to_owned()));
    assert_eq!(inserted("⎕←`", "`r"), ("`", "⍴".to_owned()));
    assert_eq!(inserted("⎕←`r", "`r"), ("`r", "⍴".to_owned()));
    let help = analysis.signature_help("/p.apl", after("3 ⍴ ")).unwrap().unwrap();
    assert_eq!((&*help.label, help.active), ("⍺ ⍴ ⍵", 1));
    assert!(help.documentation.unwrap().starts_with("The elements of the right"));
    let change = analysis.rename("/p.apl", after("hal"), "part").unwrap().unwrap();
    assert_eq!(change.files[0].1.len(), 2);
    assert!(analysis.rename("/p.apl", after("hal"), "total").unwrap().is_ok());
    assert!(analysis.rename("/p.apl", after("hal"), "⍴").unwrap().is_err());
    assert!(analysis.rename("/p.apl", after("tot"), "half").unwrap().is_err());
}

#[test]
fn statements_end_with_types_and_what_the_run_checks() {
    let text = "x←⍳20\na←(x>3)/x\nf←{s←+/⍵ ⋄ s÷≢⍵}\n⎕←a+(x>4)/x\n⎕←(f a),f 2 3⍴x\n";
    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", text.into());
    let whole = TextRange::up_to(TextSize::of(text));
    let mut told = String::new();
    for hint in host.snapshot().inlay_hints("/p.apl", whole).unwrap() {
        let before = &text[..usize::from(hint.offset)];
        let line = before.lines().last().unwrap_or_default();
        let parts: String = hint.parts.iter().map(|part| part.text.as_str()).collect();
        told += &format!("{line} │ {parts}\n");
    }
    let expected = "\
        x←⍳20 │ Array[Int,20]\n\
        a←(x>3)/x │ Array[Int,X1]\n\
        f←{s←+/⍵ │ Int or Array[Int,2]\n\
        f←{s←+/⍵ ⋄ s÷≢⍵ │ Double or Array[Double,2]\n\
        ⎕←a+(x>4)/x │ checks X1 = X2\n\
        ⎕←a+(x>4)/x │ Array[Int,X1]\n\
        ⎕←(f a),f 2 3⍴x │ Array[Double,3]\n";
    assert_eq!(told, expected);
}

#[test]
fn a_selection_has_the_type_of_the_expression_around_it() {
    let text = "x←⍳20 ⋄ ⎕←2×(x>3)/x\n";
    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", text.into());
    let start = TextSize::new(text.find("(x>3)/").unwrap() as u32);
    let hover = host.snapshot().hover("/p.apl", TextRange::at(start, TextSize::new(7))).unwrap().unwrap();
    let expected =
        "Array[Int,X1]\nX1 is the number of elements that `/` keeps, known only at run time: line 1, (x>3)/x\n";
    assert_eq!(hover.plain, expected);
}

/// Messages for APL programmers contain no term of Lift.
#[test]
fn messages_of_changed_programs_are_in_apl_terms() {
    let words = ["lambda", "aref", "iota", "unpack", "reduceSeq", "iterate", "defect", "Tuple", "get1", "toInt"];
    let seeds = [
        "x←3 4⍴⍳12 ⋄ y←(x>5)×x ⋄ ⎕←+/y ⋄ ⎕←y+.×⍉x",
        "b←(v>3)/v←⍳20 ⋄ ⎕←b+⌽b ⋄ ⎕←⍳¨b ⋄ ⎕←1{⍵=0:⍺ ⋄ (⍺×⍵)∇⍵-1}≢b",
        "p←(1 2 3)'ab' ⋄ ⎕←≢¨p ⋄ ⎕←(2⊃p),'c' ⋄ z←3J4×2 ⋄ ⎕←|z ⋄ ⎕←({⍵÷2}⍣{⍺<1})9",
    ];
    let with = ["", "⍴", "+", "⍳", "3", "'a'", "↑", "¨", "1 2 3", "/"];
    for seed in seeds {
        let tokens = lift_syntax::apl::tokens(seed);
        for (place, (_, range)) in tokens.iter().enumerate() {
            let other = with[place % with.len()];
            let text = [&seed[..usize::from(range.start())], other, &seed[usize::from(range.end())..]].concat();
            let mut host = AnalysisHost::default();
            host.set_file("/p.apl", text.as_str().into());
            for problem in host.snapshot().diagnostics("/p.apl").unwrap() {
                let wrong = words.iter().find(|word| problem.message.contains(**word));
                assert_eq!(wrong, None, "{text}: {}", problem.message);
            }
        }
    }
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
        "-\\1(2 3)",
        "⌽⍀(1 1 0 1)⊆⍳4",
        "1 2∘.⌽⊂2 2⍴⍳4",
        "(1(2 3))+.×(4 5)6",
    ] {
        translate(text);
    }
    translate(&format!("x←⍳30 ⋄ {}x", "x+".repeat(600)));
    translate(&format!("{}1{}", "(1+".repeat(200), ")".repeat(200)));
    translate(&"x←⍳30 ⋄ x←x+x ⋄ ".repeat(320));
}

#[test]
fn each_function_that_a_comment_names_is_a_kernel() {
    let text = "⍝ The mean.\n⍝ test: right=[1.0] => 1.0\n⍝: mean [double]1\nmean←{(+/⍵)÷≢⍵}\n\n⍝: dot [double]1 [int]1\ndot←{⍺+.×⍵}\n";
    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", text.into());
    let analysis = host.snapshot();
    assert_eq!(analysis.diagnostics("/p.apl"), Ok(Vec::new()));
    let kernels = analysis.kernels("/p.apl").unwrap();
    let told = kernels.iter().map(|k| (&*k.name, k.inputs.len(), k.lines.len(), &*k.docs, &text[k.range]));
    let of_mean = "⍝: mean [double]1\nmean←{(+/⍵)÷≢⍵}";
    let of_dot = "⍝: dot [double]1 [int]1\ndot←{⍺+.×⍵}";
    assert_eq!(told.collect::<Vec<_>>(), [("mean", 1, 1, "The mean.", of_mean), ("dot", 2, 0, "", of_dot)]);
    let outputs = |kernel: &str| analysis.printed("/p.apl", kernel).unwrap().map(|printed| printed.outputs.len());
    assert_eq!((outputs("mean"), outputs("dot"), outputs("p")), (Some(1), Some(1), None));
    let hover = |of: &str| analysis.hover("/p.apl", at(text, of)).unwrap().map(|hover| hover.plain).unwrap_or_default();
    assert!(hover("÷≢⍵").contains("Double") && hover("⍺+.×⍵").contains("Array[Double,N]"), "{}", hover("⍺+.×⍵"));
    assert!(hover("dot [").starts_with("Array[Double,N] -> Array[Int,M] -> Double"), "{}", hover("dot ["));
    let tokens = analysis.all_semantic_tokens("/p.apl").unwrap();
    assert!(tokens.windows(2).all(|pair| pair[0].range.end() <= pair[1].range.start()));

    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", "f←{⍵+x}\n⍝: f [int]0\n⍝: f [int]1\n⍝: g [int]0\n⍝: h\nx←1\n⍝: x [int]0\n".into());
    let problems = host.snapshot().diagnostics("/p.apl").unwrap();
    let messages: Vec<&str> = problems.iter().map(|problem| &*problem.message).collect();
    let malformed = "a kernel is declared as `⍝: name [double]1`: a name and one or two types, each with its rank";
    let twice = "a function is the kernel of one comment";
    assert_eq!(messages, [twice, "there is no function `g`", malformed, "`x` is not a function"]);
}

#[test]
fn the_kernels_of_a_file_share_its_evaluation() {
    let text = "v←⍳30\n⍝: f [double]1\nf←{⍵×+/v}\n⍝: g [int]1\ng←{(⍵>3)/⍵}\n⍝: h [int]0\nh←{⍵+missing}\n";
    let kernels = super::translate_file(text);
    assert_eq!(kernels.len(), 3);
    for (name, kernel) in kernels {
        assert_eq!(kernel, super::translate_kernel(text, name.as_deref()));
    }
    let mut host = AnalysisHost::counting();
    host.set_file("/p.apl", text.into());
    let analysis = host.snapshot();
    analysis.diagnostics("/p.apl").unwrap();
    let executed = analysis.db().take_executed();
    assert_eq!(executed.get("apl_kernels"), Some(&1));
}

#[test]
fn names_that_are_assigned_together_are_definitions() {
    let text = "mean←{(+/⍵)÷≢⍵}\nf←{i l←⍵ ⋄ mean x←i+l}\n⎕←f 1 2\n";
    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", text.into());
    let analysis = host.snapshot();
    assert_eq!(analysis.diagnostics("/p.apl"), Ok(Vec::new()));
    let definition = |of: &str| {
        let found = analysis.goto_definition("/p.apl", at(text, of).start()).unwrap();
        found.first().map(|target| text[..usize::from(target.focus.start())].chars().count())
    };
    assert_eq!((definition("i+l"), definition("l}")), (Some(19), Some(21)));
    assert_eq!(definition("mean x"), Some(0));
}
