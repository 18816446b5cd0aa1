//! The grammars of editors colour exactly the primitives as built-in. `UPDATE_EXPECT=1` writes missing names into them.

use expect_test::expect_file;
use lift_analysis::prims::{self, Primitive};
use lift_tests::files;
use std::collections::BTreeSet;

/// The names of primitives that are words, with their declarations, in the order of declaration.
fn words() -> Vec<(&'static str, &'static Primitive)> {
    let names = prims::all().iter().flat_map(|primitive| {
        std::iter::once(&primitive.name).chain(&primitive.aliases).map(move |name| (&**name, primitive))
    });
    names.filter(|(name, _)| name.starts_with(char::is_alphabetic) && !is_projection(name)).collect()
}

/// Whether a name is `get1`, `get2`, ….
fn is_projection(name: &str) -> bool {
    name.strip_prefix("get").is_some_and(|n| n.parse::<u32>().is_ok())
}

/// Byte offsets of a list in a text, and its parts.
fn list<'t>(text: &'t str, before: &str, after: &str) -> (std::ops::Range<usize>, &'t str) {
    let start = text.find(before).unwrap_or_else(|| panic!("there is no {before}")) + before.len();
    let end = start + text[start..].find(after).unwrap_or_else(|| panic!("there is no {after}"));
    (start..end, &text[start..end])
}

fn quoted(list: &str) -> BTreeSet<&str> {
    list.split('"').skip(1).step_by(2).collect()
}

#[test]
fn of_the_tree_sitter_grammar() {
    let path = files::root().join("editors/tree-sitter-lift/queries/highlights.scm");
    let text = files::read(&path);
    let (range, functions) = list(&text, "(#any-of? @function.builtin", "))\n");
    let (_, operators) = list(&text, "(#any-of? @operator", "))\n");
    let coloured: BTreeSet<&str> = quoted(functions).union(&quoted(operators)).copied().collect();
    let known: BTreeSet<&str> = prims::names().filter(|name| !is_projection(name)).collect();
    let unknown: Vec<_> =
        coloured.difference(&known).filter(|name| !lift_syntax::SCALAR_TYPES.contains(name)).collect();
    assert!(unknown.is_empty(), "no primitives: {unknown:?}");
    let signs: Vec<_> = known.difference(&coloured).filter(|name| !name.starts_with(char::is_alphabetic)).collect();
    assert!(signs.is_empty(), "not in the list of operators: {signs:?}");
    let mut wanted = functions.to_owned();
    for (name, _) in words() {
        if !coloured.contains(name) {
            wanted += &format!("\n    \"{name}\"");
        }
    }
    expect_file![path].assert_eq(&format!("{}{wanted}{}", &text[..range.start], &text[range.end..]));
}

#[test]
fn of_the_textmate_grammar() {
    let path = files::root().join("editors/vscode/syntaxes/lift.tmLanguage.json");
    let mut text = files::read(&path);
    let all = text.clone();
    let alternatives =
        all.split("(?:").skip(1).filter_map(|rest| rest.split(')').next()).flat_map(|list| list.split('|'));
    let alternatives: BTreeSet<&str> = alternatives.collect();
    let coloured = |name: &str| {
        let stem = name.strip_suffix(|last: char| last.is_ascii_digit()).unwrap_or(name);
        alternatives.contains(name) || alternatives.contains(&*format!("{stem}[0-2]?"))
    };
    for (name, primitive) in words() {
        if coloured(name) {
            continue;
        }
        let scope = if primitive.level.is_some() { "pattern" } else { "view" };
        let (range, patterns) = list(&text, &format!("support.function.{scope}.lift"), "}");
        let (inside, list) = list(patterns, "(?:", ")");
        let mut names: Vec<&str> = list.split('|').collect();
        // The longest first.
        names.insert(names.partition_point(|other| other.len() >= name.len()), name);
        let names = names.join("|");
        text.replace_range(range.start + inside.start..range.start + inside.end, &names);
    }
    expect_file![path].assert_eq(&text);
}
