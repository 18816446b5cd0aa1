//! `docs/editors/features.md` agrees with `tests/editors/features.json`; the editors' own tests check the claims
//! (`tests/editors/claims.mjs`).

use expect_test::expect_file;
use lift_tests::files;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Keys of the data, with names of the editors.
const EDITORS: [(&str, &str); 4] =
    [("vscode", "VS Code"), ("neovim", "Neovim"), ("helix", "Helix"), ("emacs", "Emacs")];

fn groups() -> Vec<Value> {
    let text = files::read(&files::root().join("tests/editors/features.json"));
    serde_json::from_str(&text).expect("features.json is a list of groups")
}

fn features(group: &Value) -> &[Value] {
    group["features"].as_array().expect("a group has features")
}

fn word<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).map(|v| v.as_str().expect("what is said is text"))
}

fn table() -> String {
    let mut out = String::from(
        "# What works where\n\n\
         How it is done in each editor; `–` where there is no way. Generated from `tests/editors/features.json`, by\n\
         `UPDATE_EXPECT=1 cargo test -p lift-tests --test it features::`; the tests of each editor (`tests/run workbench editors`)\n\
         fail where they do not see what it says. All that any other editor with a language client gets stands in\n\
         [protocol.md](../protocol.md).\n",
    );
    for group in groups() {
        let title = word(&group, "group").expect("a group has a name");
        let names: Vec<String> = EDITORS.iter().map(|(key, name)| format!("[{name}]({key}.md)")).collect();
        write!(out, "\n## {title}\n\n| | {} |\n|---|---|---|---|---|\n", names.join(" | ")).expect("texts take text");
        for feature in features(&group) {
            let cells: Vec<&str> = EDITORS.iter().map(|(key, _)| word(feature, key).unwrap_or("–")).collect();
            let what = word(feature, "what").expect("a feature says what it is");
            writeln!(out, "| {what} | {} |", cells.join(" | ")).expect("texts take text");
        }
    }
    out
}

#[test]
fn the_table_of_features_is_current() {
    expect_file![files::root().join("docs/editors/features.md")].assert_eq(&table());
}

#[test]
fn features_have_names_of_their_own_and_an_editor_each() {
    let mut seen = BTreeSet::new();
    for group in groups() {
        for feature in features(&group) {
            let id = word(feature, "id").expect("a feature has a name");
            assert!(seen.insert(id.to_owned()), "{id} twice");
            let keys: BTreeSet<&str> = feature.as_object().expect("it has fields").keys().map(String::as_str).collect();
            let editors: Vec<_> = EDITORS.iter().filter(|(key, _)| keys.contains(key)).collect();
            assert!(!editors.is_empty(), "{id}: no editor has it");
            assert_eq!(keys.len(), editors.len() + 2, "{id}: a field that is not read, of {keys:?}");
        }
    }
}
