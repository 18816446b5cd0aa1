//! Licences, sources and duplicates of our dependencies are those that `deny.toml` allows; tested without `cargo deny`.

use lift_tests::files;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Returns the strings in the value of `key` in `[section]` of `deny.toml`; of tables, the values of `crate =`.
fn allowed(section: &str, key: &str) -> Vec<String> {
    let text = files::read(&files::root().join("deny.toml"));
    let section = text.split(&format!("[{section}]\n")).nth(1).expect("the section is there");
    let section = section.split("\n[").next().expect("there is a first part");
    let value = section.split(&format!("\n{key} = ")).nth(1).or_else(|| section.strip_prefix(&format!("{key} = ")));
    let value = value.expect("the key is there");
    let value = &value[..=value.find(if value.starts_with("[\n") { "\n]" } else { "]" }).expect("the list ends")];
    let lines = value.split(if value.contains('{') { '\n' } else { ',' });
    lines.filter_map(|line| line.split('"').nth(1)).map(str::to_owned).collect()
}

/// Returns cargo's metadata of every package in the lock file; cargo downloads those for other systems, too.
fn packages() -> Vec<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--locked"]).current_dir(files::root());
    let out = cargo.output().expect("cargo runs");
    assert!(out.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&out.stderr));
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list").clone();
    assert!(packages.len() > 50, "only {} packages", packages.len());
    packages
}

fn foreign() -> Vec<Value> {
    packages().into_iter().filter(|p| !p["source"].is_null()).collect()
}

/// Whether an SPDX expression holds, with the `allowed` licences as true; `/` is an old spelling of `OR`.
fn holds(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let held = any(&words, &mut at, allowed);
    held && at == words.len()
}
fn any(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut held = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        held |= all(words, at, allowed);
    }
    held
}
fn all(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let mut held = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        held &= one(words, at, allowed);
    }
    held
}
fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let held = any(words, at, allowed);
        *at += 1;
        return held;
    }
    let mut name = (*word).to_owned();
    if words.get(*at) == Some(&"WITH") {
        name = format!("{name} WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
    }
    allowed.contains(&name)
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    let allowed = ["MIT".to_owned(), "A WITH x".to_owned()];
    for good in ["MIT", "GPL OR MIT", "MIT/GPL", "(GPL OR MIT) AND MIT", "A WITH x", "A WITH x OR GPL"] {
        assert!(holds(good, &allowed), "{good}");
    }
    for bad in ["GPL", "MIT AND GPL", "A", "A WITH y", "(GPL OR MIT) AND GPL", ""] {
        assert!(!holds(bad, &allowed), "{bad}");
    }
}

#[test]
fn licences_are_allowed() {
    let allowed = allowed("licenses", "allow");
    let bad = |p: &Value| !p["license"].as_str().is_some_and(|license| holds(license, &allowed));
    let bad: Vec<String> =
        foreign().iter().filter(|p| bad(p)).map(|p| format!("{}: {}", p["name"], p["license"])).collect();
    assert!(bad.is_empty(), "not in the list of deny.toml: {bad:#?}");
}

#[test]
fn sources_are_allowed() {
    let allowed = allowed("sources", "allow-registry");
    let known = |p: &Value| {
        p["source"].as_str().and_then(|s| s.strip_prefix("registry+")).is_some_and(|s| allowed.iter().any(|a| a == s))
    };
    let bad: Vec<String> =
        foreign().iter().filter(|p| !known(p)).map(|p| format!("{}: {}", p["name"], p["source"])).collect();
    assert!(bad.is_empty(), "from elsewhere than deny.toml says: {bad:#?}");
}

#[test]
fn there_is_one_version_of_each() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in foreign() {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        versions.entry(text("name")).or_default().insert(text("version"));
    }
    let twice: Vec<&String> = versions.iter().filter(|(_, v)| v.len() > 1).map(|(name, _)| name).collect();
    let mut skipped = allowed("bans", "skip");
    skipped.sort();
    assert_eq!(twice, skipped.iter().collect::<Vec<_>>(), "beside what deny.toml skips");
}
