//! Module structure of each crate: dependencies between files are acyclic, and heads list modules in their order.
//!
//! Dependencies are found in the text: `use` declarations, and paths in code that start with `crate`, `super` or
//! `self`.

use super::{is_test, none, without_tests};
use std::collections::{BTreeMap, BTreeSet};

/// The crates, each of which uses those before it.
const CRATES: [&str; 4] = ["syntax", "analysis", "codegen", "server"];

/// The path of a module: `["infer", "apply"]`.
type Module = Vec<String>;
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// Returns the modules of a crate with the paths of their files.
fn paths_of(of: &str) -> BTreeMap<Module, String> {
    let root = format!("{of}/src/");
    let mut found = BTreeMap::new();
    for path in super::tracked() {
        let Some(name) = path.strip_prefix(&root).and_then(|name| name.strip_suffix(".rs")) else { continue };
        let tests_only = path.ends_with("/testing.rs") || path.ends_with("core/builder.rs");
        if is_test(&path) || tests_only || name == "main" {
            continue;
        }
        let mut module: Module = name.split('/').map(str::to_owned).collect();
        if module.last().is_some_and(|last| last == "mod") || module[0] == "lib" {
            module.pop();
        }
        found.insert(module, path);
    }
    assert!(found.len() > 20, "only {} modules in {of}", found.len());
    found
}

/// Returns the modules of a crate, with their texts without comments and tests.
fn modules(of: &str) -> BTreeMap<Module, String> {
    let code_of = |path: String| {
        let text = crate::files::read(&crate::files::root().join(path));
        let code = without_tests(&text).lines().map(|l| l.split("//").next().unwrap_or(l));
        code.flat_map(|l| [l, "\n"]).collect()
    };
    paths_of(of).into_iter().map(|(module, path)| (module, code_of(path))).collect()
}

/// Expands a `use` tree: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let split = |path: &str| -> Vec<String> {
        let path = path.split(" as ").next().unwrap_or(path);
        path.split("::").map(str::trim).filter(|part| !part.is_empty() && *part != "*").map(str::to_owned).collect()
    };
    let (Some(open), Some(close)) = (tree.find('{'), tree.rfind('}').filter(|close| tree.find('{') < Some(*close)))
    else {
        return vec![split(tree)];
    };
    let before = split(&tree[..open]);
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    let inner = &tree[open + 1..close];
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[from..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty()).flat_map(paths);
    parts.map(|part| before.iter().cloned().chain(part.into_iter().filter(|p| p != "self")).collect()).collect()
}

/// Returns the paths inside the crate that a module's text mentions.
fn mentioned(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    // A declaration starts a line; elsewhere `use` may be a word in a message.
    let mut declaration: Option<String> = None;
    for line in text.lines() {
        let begun = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        if declaration.is_none() && begun.starts_with("use ") {
            declaration = Some(String::new());
        }
        let Some(tree) = &mut declaration else {
            found.extend(mentioned_in_code(line));
            continue;
        };
        tree.push_str(line);
        if let Some((tree, _)) = tree.split_once(';') {
            found.extend(tree.split_once("use ").map(|(_, tree)| paths(tree)).unwrap_or_default());
            declaration = None;
        }
    }
    found
}

fn mentioned_in_code(line: &str) -> impl Iterator<Item = Vec<String>> {
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let paths = words.map(|word| word.split("::").map(str::to_owned).collect::<Vec<String>>());
    paths.filter(|path| matches!(path[0].as_str(), "crate" | "super") && path.len() > 1)
}

/// Resolves a path inside the module `from` to a module of the crate.
fn target(all: &BTreeMap<Module, String>, from: &Module, path: &[String]) -> Option<Module> {
    let mut base = from.clone();
    let mut path = path;
    match path.first()?.as_str() {
        "crate" => {
            base.clear();
            path = &path[1..];
        }
        "super" | "self" => {
            while let Some(first) = path.first().filter(|first| matches!(first.as_str(), "super" | "self")) {
                if first == "super" {
                    base.pop();
                }
                path = &path[1..];
            }
        }
        child => {
            let mut inner = from.clone();
            inner.push(child.to_owned());
            if !all.contains_key(&inner) {
                return None;
            }
        }
    }
    base.extend(path.iter().cloned());
    while !all.contains_key(&base) {
        base.pop()?;
    }
    Some(base)
}

/// Returns the dependencies of each module; between parent and child they are allowed.
fn graph(of: &str) -> Graph {
    let all = modules(of);
    let related = |a: &Module, b: &Module| a.starts_with(b) || b.starts_with(a);
    let mut graph = Graph::new();
    for (module, text) in &all {
        let used = mentioned(text).into_iter().filter_map(|path| target(&all, module, &path));
        graph.insert(module.clone(), used.filter(|used| !related(used, module)).collect());
    }
    graph
}

fn reachable(graph: &Graph, from: &Module) -> BTreeSet<Module> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&Module> = graph.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if seen.insert(module.clone()) {
            next.extend(graph.get(module).into_iter().flatten());
        }
    }
    seen
}

/// Returns the strongly connected components with a cycle.
fn cycles(graph: &Graph) -> BTreeSet<Vec<Module>> {
    let reached: BTreeMap<&Module, BTreeSet<Module>> = graph.keys().map(|m| (m, reachable(graph, m))).collect();
    let mut found = BTreeSet::new();
    for (module, of) in &reached {
        if of.contains(*module) {
            found.insert(of.iter().filter(|other| reached[other].contains(*module)).cloned().collect());
        }
    }
    found
}

#[test]
fn files_use_one_another_in_one_direction() {
    let mut found = Vec::new();
    for of in CRATES {
        for cycle in cycles(&graph(of)) {
            let names: Vec<String> = cycle.iter().map(|module| format!("{of}/{}", module.join("/"))).collect();
            found.push(names.join(", "));
        }
    }
    none(found, "files that use one another in a cycle");
}

/// Top-level modules include everything below them.
#[test]
fn top_level_modules_use_one_another_in_one_direction() {
    let mut found = Vec::new();
    for of in CRATES {
        let mut top = Graph::new();
        for (module, used) in graph(of) {
            let Some(from) = module.first() else { continue };
            let to = used.iter().filter_map(|used| used.first()).filter(|to| *to != from);
            top.entry(vec![from.clone()]).or_default().extend(to.map(|to| vec![to.clone()]));
        }
        found.extend(cycles(&top).iter().map(|cycle| format!("{of}: {}", cycle.concat().join(", "))));
    }
    none(found, "modules that use one another in a cycle");
}

/// The modules declared in a file, without those for tests.
fn declared(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.strip_prefix("pub ").unwrap_or(line));
    let names = lines.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    names.filter(|name| !matches!(*name, "tests" | "testing")).collect()
}

/// The head of each crate and folder lists every module in it: in a table, after the modules that it uses or in the
/// same row; or in its text.
#[test]
fn heads_list_their_modules_in_order() {
    let mut found = Vec::new();
    for of in CRATES {
        let (all, graph) = (modules(of), graph(of));
        for (module, path) in paths_of(of) {
            let text = crate::files::read(&crate::files::root().join(&path));
            let head: Vec<&str> = text.lines().filter(|line| line.starts_with("//!")).collect();
            let names = |name: &str| [format!("`{name}`"), format!("`mod@{name}`"), format!("::{name}`")];
            let row = |name: &str| {
                let names = names(name);
                let mut lines = head.iter().map(|line| line.split(" | ").next().unwrap_or(line));
                lines.position(|first| first.starts_with("//! | ") && names.iter().any(|name| first.contains(name)))
            };
            let inside = |name: &str| -> Module { [module.as_slice(), &[name.to_owned()]].concat() };
            for name in declared(&text).into_iter().filter(|name| all.contains_key(&inside(name))) {
                if !names(name).iter().any(|name| head.iter().any(|line| line.contains(name))) {
                    found.push(format!("{path}: `{name}` is not listed"));
                }
                let Some(at) = row(name) else { continue };
                for (from, used) in graph.iter().filter(|(from, _)| from.starts_with(&inside(name))) {
                    let beside = used.iter().filter(|used| used.len() > module.len() && used.starts_with(&module));
                    let below = beside.filter(|used| row(&used[module.len()]).is_some_and(|row| row > at));
                    for below in below {
                        let (from, below) = (from.join("::"), below.join("::"));
                        found.push(format!("{path}: `{from}` uses `{below}`, which is below it"));
                    }
                }
            }
        }
    }
    none(found, "heads of crates and folders");
}
