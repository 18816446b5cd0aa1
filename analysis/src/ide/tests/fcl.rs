//! The editor features of FCL files.

use crate::ide::{Analysis, AnalysisHost, SourceChange, TextEdit};
use lift_syntax::{TextRange, TextSize};

const FILE: &str = "/p.fcl";

const PROGRAM: &str = "\
sig twice : [int] -> [int]
fun twice xs = mapPull (muli 2) xs
fun stored<l> xs = forcePull<l> xs
val main = do<grid>
  { a <- concatMap<block> 256 (fn part => do<block> { ys <- stored<block> part; pushM<block> (twice ys) }) (splitUp 256 (iota 1024))
  ; let n = 1024 in forceAndPrint n a
  }
";

fn with<T>(text: &str, ask: impl FnOnce(&Analysis) -> T) -> T {
    let mut host = AnalysisHost::default();
    host.set_file(FILE, text.into());
    ask(&host.snapshot())
}

/// The offset behind the first occurrence of a text.
fn behind(text: &str, part: &str) -> TextSize {
    TextSize::new((text.find(part).expect("the part is in the text") + part.len()) as u32)
}

fn applied(text: &str, edits: &[TextEdit]) -> String {
    let mut after = text.to_owned();
    for edit in edits.iter().rev() {
        after.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.new_text);
    }
    after
}

fn renamed(at: &str, new: &str) -> Result<String, String> {
    let change: SourceChange = with(PROGRAM, |a| a.rename(FILE, behind(PROGRAM, at), new)).expect("not stopped")?;
    Ok(change.files.iter().map(|(_, edits)| applied(PROGRAM, edits)).collect())
}

#[test]
fn names_are_renamed_where_they_mean_the_same() {
    assert_eq!(renamed("fun twice", "doubled"), Ok(PROGRAM.replace("twice", "doubled")));
    assert_eq!(renamed("(twice", "t"), Ok(PROGRAM.replace("twice", "t")));
    assert_eq!(renamed("let n", "count"), Ok(PROGRAM.replace("let n", "let count").replace("Print n", "Print count")));
    assert_eq!(renamed("ys <- sto", "halved"), Ok(PROGRAM.replace("stored", "halved")));
    assert_eq!(renamed("let n", "a"), Err("`a` is another name already where `n` is used".to_owned()));
    assert_eq!(renamed("let n", "fun"), Err("`fun` is a word of the language".to_owned()));
    assert!(renamed("let n", "1x").is_err_and(|why| why.contains("is not a name")));
    assert!(renamed("= mapPu", "x").is_err_and(|why| why.contains("library")));
    assert!(renamed("sig", "x").is_err());
}

#[test]
fn completions_are_the_names_in_sight() {
    let labels = |text: &str, at: &str| -> Vec<String> {
        let found = with(text, |a| a.completions(FILE, behind(text, at))).expect("not stopped");
        found.items.into_iter().map(|item| item.label).collect()
    };
    let first = |text: &str, at: &str, n: usize| labels(text, at).into_iter().take(n).collect::<Vec<_>>().join(" ");
    assert_eq!(first(PROGRAM, "(twice y", 5), "ys part stored twice absd");
    assert_eq!(first(PROGRAM, "Print ", 4), "n a stored twice");
    assert_eq!(first(PROGRAM, "fun twice xs = ", 1), "xs");
    assert_eq!(first("fun f<l> x = push<", "push<", 9), "l thread block grid");
    assert_eq!(first("sig f : ", ": ", 3), "int double bool");
    assert_eq!(first("sig f : int -> i", "-> i", 2), "int double");
    assert!(labels("fun f x = ", "= ").contains(&"zipWith".to_owned()));
    assert!(labels("val ", "val ").is_empty());
    assert!(labels("-- a comment", "com").is_empty());
    let found = with(PROGRAM, |a| a.completions(FILE, behind(PROGRAM, "(twice y"))).expect("not stopped");
    assert_eq!(
        (found.items[0].detail.as_str(), &PROGRAM[std::ops::Range::<usize>::from(found.replace)]),
        ("[int]", "y")
    );
    let about = with(PROGRAM, |a| a.completion_documentation(FILE, "splitUp")).expect("not stopped");
    assert!(about.is_some_and(|text| text.contains("forall 'a. int -> ['a] -> [['a]]")));
}

#[test]
fn the_argument_at_the_cursor_is_known() {
    let help = |text: &str, at: &str| {
        let help = with(text, |a| a.signature_help(FILE, behind(text, at))).expect("not stopped");
        help.map(|help| format!("{} / {}", help.label, help.active))
    };
    let zip = "zipWith : forall 'a 'b 'c. ('a -> 'b -> 'c) -> ['a] -> ['b] -> ['c]";
    assert_eq!(help("val x = zipWith ", "zipWith "), Some(format!("{zip} / 0")));
    assert_eq!(help("val x = zipWith addi ", "addi "), Some(format!("{zip} / 1")));
    assert_eq!(help("val x = zipWith addi (iota 3) ", "3) "), Some(format!("{zip} / 2")));
    assert_eq!(help(PROGRAM, "(twice "), Some("twice : [int] -> [int] / 0".to_owned()));
    assert_eq!(help("val x = 1", "1"), None);
}

#[test]
fn signatures_are_written() {
    let whole = TextRange::up_to(TextSize::of(PROGRAM));
    let actions = with(PROGRAM, |a| a.code_actions_at(FILE, whole)).expect("not stopped");
    let titles: Vec<&str> = actions.iter().map(|action| action.title.as_str()).collect();
    assert_eq!(titles, ["Write the signature of `stored`", "Write the signature of `main`"]);
    let mut after = PROGRAM.to_owned();
    for action in actions.iter().rev() {
        after = applied(&after, &action.change.files[0].1);
    }
    assert!(after.contains("sig stored : forall <l> 'a. ['a] -> Program <l> ['a]\nfun stored"), "{after}");
    let problems = with(&after, |a| a.diagnostics(FILE)).expect("not stopped");
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn levels_are_told() {
    let hover = |at: &str| {
        let cursor = TextRange::empty(behind(PROGRAM, at));
        with(PROGRAM, |a| a.hover(FILE, cursor)).expect("not stopped").map(|hover| hover.plain).unwrap_or_default()
    };
    let call = hover("ys <- stor");
    assert!(call.contains("Level `block`: the work-items of a work-group compute it together."), "{call}");
    let stored = hover("= forceP");
    assert!(stored.contains("256 elements in local memory, 1 KiB, then a barrier"), "{stored}");
    let parts = hover("concatMa");
    assert!(parts.contains("`mapWrg0` over 4 work-groups, each with 256 elements"), "{parts}");
    let pushed = hover("pushM");
    assert!(pushed.contains("`mapLcl0` over 256 elements, by the work-items of a work-group"), "{pushed}");
    let whole = TextRange::up_to(TextSize::of(PROGRAM));
    let hints = with(PROGRAM, |a| a.inlay_hints(FILE, whole)).expect("not stopped");
    let shown: Vec<String> =
        hints.iter().map(|hint| hint.parts.iter().map(|part| part.text.as_str()).collect()).collect();
    assert_eq!(shown, ["local 1 KiB, barrier"]);
}

#[test]
fn programs_are_formatted() {
    let text = "val  x=1\nfun f x=x+1";
    let edits = with(text, |a| a.format(FILE)).expect("not stopped");
    assert_eq!(applied(text, &edits), "val x = 1\nfun f x = x + 1\n");
    let second = TextRange::new(TextSize::new(9), TextSize::of(text));
    let edits = with(text, |a| a.format_range(FILE, second)).expect("not stopped");
    assert_eq!(applied(text, &edits), "val  x=1\nfun f x = x + 1\n");
}
