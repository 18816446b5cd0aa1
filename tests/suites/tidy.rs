//! Properties of the whole repository that no compiler checks: files state their purpose and stay short, layers are
//! kept, no machine-specific paths occur, no user action can cause a panic, links are valid.

mod modules;

use lift_tests::files;
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

/// Maximal number of lines in a file.
const MOST_LINES: usize = 600;

/// Returns the tracked files, as paths from the root, except deleted ones.
fn tracked() -> Vec<String> {
    let root = files::root();
    let out = Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output().expect("git runs");
    assert!(out.status.success(), "git ls-files: {}", String::from_utf8_lossy(&out.stderr));
    let list = String::from_utf8(out.stdout).expect("paths are UTF-8");
    let paths: Vec<String> = list.split('\0').filter(|p| !p.is_empty()).map(str::to_owned).collect();
    assert!(paths.len() > 300, "only {} files are tracked", paths.len());
    paths.into_iter().filter(|p| root.join(p).is_file()).collect()
}

fn with_ending(endings: &[&str]) -> Vec<(String, String)> {
    let chosen = tracked().into_iter().filter(|p| endings.iter().any(|e| p.ends_with(e)));
    chosen.map(|p| (files::read(&files::root().join(&p)), p)).map(|(text, p)| (p, text)).collect()
}

/// Returns the text of a tracked file, unless it is binary.
fn text_of(path: &str) -> Option<String> {
    String::from_utf8(std::fs::read(files::root().join(path)).expect("a tracked file can be read")).ok()
}

#[track_caller]
fn none(found: Vec<String>, what: &str) {
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches"))
}

#[test]
fn only_what_belongs_there_lies_at_the_root() {
    const ROOT: [&str; 14] = [
        ".gitattributes",
        ".gitignore",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "SECURITY.md",
        "clippy.toml",
        "deny.toml",
        "pyproject.toml",
        "rustfmt.toml",
    ];
    let others = tracked().into_iter().filter(|p| !p.contains('/') && !ROOT.contains(&&**p));
    none(others.collect(), "files at the root that a program wrote, or that belong into a folder");
}

#[test]
fn files_open_with_what_they_are_for() {
    let heads = [(".rs", "//! "), (".ts", "// "), (".mjs", "// "), (".cjs", "// "), (".py", "\"\"\"")];
    let mut wrong = Vec::new();
    for (ending, head) in heads {
        for (path, text) in with_ending(&[ending]) {
            let first = text.lines().find(|l| !l.starts_with("#!")).unwrap_or_default();
            // A fixture needs no head if its name describes it.
            let data = path.contains("/fixture/");
            if !data && !first.starts_with(head) && !first.starts_with("/**") && !first.starts_with("/*") {
                wrong.push(format!("{path}: {first}"));
            }
        }
    }
    none(wrong, "files that do not open with a comment that says what they are for");
}

#[test]
fn files_stay_readable() {
    let files = with_ending(&[".rs", ".ts", ".mjs", ".cjs", ".py"]);
    let long = files.iter().filter(|(path, text)| {
        let generated = path.starts_with("editors/tree-sitter-lift/src/");
        !generated && text.lines().count() > MOST_LINES
    });
    let long = long.map(|(path, text)| format!("{path}: {} lines", text.lines().count())).collect();
    none(long, "files that ask to be two");
}

/// The forbidden words are split here, so that this file does not contain them.
#[test]
fn nothing_of_one_machine_is_written_down() {
    let words: Vec<String> = [
        ("/wo", "rk/"),
        ("/fa", "rm/"),
        ("/tmp/rep", "orts"),
        ("deb.deb", "ian.org"),
        ("security.deb", "ian.org"),
        ("registry.np", "mjs"),
        ("static.cra", "tes.io"),
        ("index.cra", "tes.io"),
        ("pythonho", "sted"),
    ]
    .map(|(a, b)| format!("{a}{b}"))
    .to_vec();
    let mut found = Vec::new();
    for path in tracked() {
        let Some(text) = text_of(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            if words.iter().any(|w| line.contains(w.as_str())) {
                found.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none(found, "paths of a machine, or hosts of a registry");
}

#[test]
fn lock_files_name_the_default_registry_only() {
    let mut found = Vec::new();
    for path in tracked() {
        let Some(text) = text_of(&path) else { continue };
        if path.ends_with("Cargo.lock") {
            let sources = text.lines().filter(|l| l.starts_with("source = "));
            let other = sources.filter(|l| *l != "source = \"registry+https://github.com/rust-lang/crates.io-index\"");
            found.extend(other.map(|l| format!("{path}: {l}")));
        }
        if path.ends_with("package-lock.json") {
            found.extend(text.lines().filter(|l| l.contains("\"resolved\"")).map(|l| format!("{path}: {}", l.trim())));
        }
    }
    none(found, "sources other than the default registry");
}

#[cfg(unix)]
#[test]
fn scripts_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let mut wrong = Vec::new();
    for path in tracked() {
        let Some(text) = text_of(&path) else { continue };
        let metadata = std::fs::metadata(files::root().join(&path)).expect("a tracked file is there");
        let runs = metadata.permissions().mode() & 0o111 != 0;
        if runs != text.starts_with("#!") {
            wrong.push(format!(
                "{path}: {}",
                if runs { "may be run, and has no #! line" } else { "has a #! line, and may not be run" }
            ));
        }
    }
    none(wrong, "the bit that lets a file be run, and its first line, disagree");
}

/// Returns the text before the module of tests, which ends a file.
fn without_tests(text: &str) -> &str {
    text.split("\nmod tests {").next().unwrap_or(text)
}

#[test]
fn nothing_in_the_program_panics_on_purpose() {
    // Our own methods named `expect` do not take a string literal.
    let words = [".unwrap()", ".expect(\"", "panic!(", "todo!(", "unimplemented!(", ".unwrap_unchecked("];
    // Compiled for tests only.
    let tests_only = ["codegen/src/core/builder.rs", "codegen/src/testing.rs"];
    let mut found = Vec::new();
    for (path, text) in with_ending(&[".rs"]) {
        let program =
            ["syntax/src/", "analysis/src/", "codegen/src/", "server/src/"].iter().any(|d| path.starts_with(d));
        if !program || is_test(&path) || tests_only.contains(&path.as_str()) {
            continue;
        }
        for (number, line) in without_tests(&text).lines().enumerate() {
            let code = line.split("//").next().unwrap_or(line);
            // A panic that server tests request, to check that it fails only one request.
            let asked_for = code.contains("panic!(\"asked for\")");
            if !asked_for && words.iter().any(|w| code.contains(w)) {
                found.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none(found, "panics in the program");
}

/// Files in which strings equal to primitives' names belong to another language.
const OTHER_LANGUAGES: &[&str] = &[
    // The declarations themselves, and the operators of sizes.
    "analysis/src/prims/read.rs",
    "syntax/src/",
    // Names in FCL.
    "analysis/src/fcl/prims.rs",
    "analysis/src/fcl/scalar.rs",
    "analysis/src/ide/fcl/completion.rs",
    // The textual format of core.
    "codegen/src/core/parse/",
    // Functions of OpenCL.
    "codegen/src/lower/barriers.rs",
    "codegen/src/lower/index.rs",
    "codegen/src/opencl/",
    "codegen/src/cost/",
    "codegen/src/lower/tile/cores.rs",
    "codegen/src/lower/tile/roots.rs",
    // Inputs of a run: `xs=iota`.
    "codegen/src/io/source.rs",
];

/// Whether a line compares with a literal that is a primitive's name, or tests for a part of one.
fn asks_for_a_name(line: &str, names: &[&str]) -> bool {
    let parts: Vec<&str> = line.split('"').collect();
    (1..parts.len()).step_by(2).any(|at| {
        let literal = parts[at];
        let before = parts[at - 1].trim_end();
        let after = parts.get(at + 1).map_or("", |after| after.trim_start());
        let compared = ["==", "!="].iter().any(|op| before.ends_with(op) || after.starts_with(op));
        let pattern =
            before.ends_with('|') && !before.ends_with("||") || after.starts_with("=>") || after.starts_with("| ");
        let matched = line.contains("matches!(") && after.starts_with(')');
        let part_of = ["starts_with(", "ends_with(", "strip_prefix(", "strip_suffix("];
        let part = part_of.iter().any(|call| before.ends_with(call))
            && literal.len() > 2
            && names.iter().any(|name| name.starts_with(literal) || name.ends_with(literal));
        part || (compared || pattern || matched) && names.contains(&literal)
    })
}

/// Primitives are resolved once; code uses the `PrimitiveId` or the declaration instead of the name.
#[test]
fn no_code_asks_for_a_primitive_by_name() {
    let names: Vec<&str> = lift_analysis::prims::names().collect();
    for wrong in [
        "if &*p.name == \"zip\" {",
        "\"mapSeq\" | \"mapGlb\" => 1,",
        "matches!(&**name, \"iota\" | \"fill\")",
        "name.starts_with(\"filter\")",
        "name.strip_suffix(\"Seq\")",
    ] {
        assert!(asks_for_a_name(wrong, &names), "{wrong}");
    }
    let mut found = Vec::new();
    for (path, text) in with_ending(&[".rs"]) {
        let program = ["syntax/", "analysis/", "codegen/", "server/"].iter().any(|d| path.starts_with(d));
        if !program || is_test(&path) || OTHER_LANGUAGES.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        for (number, line) in without_tests(&text).lines().enumerate() {
            if asks_for_a_name(line.split("//").next().unwrap_or(line), &names) {
                found.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none(found, "names of primitives in code: match on `PrimitiveId` instead");
}

#[test]
fn no_test_is_skipped() {
    let words =
        ["#[ig", "nore", "it.sk", "ip(", "describe.sk", "ip(", "test.sk", "ip(", "pytest.mark.sk", "ip", ".on", "ly("];
    let words: Vec<String> = words.chunks(2).map(|w| w.concat()).collect();
    let mut found = Vec::new();
    for (path, text) in with_ending(&[".rs", ".ts", ".mjs", ".cjs", ".py"]) {
        for (number, line) in text.lines().enumerate() {
            if words.iter().any(|w| line.contains(w.as_str())) {
                found.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none(found, "tests that are skipped, or keep others from running");
}

/// `syntax -> analysis -> codegen -> server`: a crate depends only on those to its left.
#[test]
fn layers_are_kept() {
    let layers = [
        ("syntax", "lift-syntax"),
        ("analysis", "lift-analysis"),
        ("codegen", "lift-codegen"),
        ("server", "lift-lang"),
    ];
    for (at, (folder, name)) in layers.iter().enumerate() {
        let manifest = files::read(&files::root().join(folder).join("Cargo.toml"));
        let uses = |other: &str| {
            manifest
                .lines()
                .any(|l| l.strip_prefix(other).is_some_and(|rest| rest.trim_start().starts_with(['=', '.'])))
        };
        for (_, other) in &layers[at + 1..] {
            // A manifest gives its own name as `name = …`, never before an `=`.
            assert!(!uses(other), "{name} must not know {other}");
        }
    }
    let of_the_compiler = ["lift_syntax", "lsp_types", "opencl3", "cl3", "std::fs"];
    let of_the_analysis = ["lsp_types", "opencl", "std::fs"];
    let mut found = Vec::new();
    for (path, text) in with_ending(&[".rs"]) {
        let forbidden: &[&str] = match path.split('/').next() {
            Some("analysis") if path.starts_with("analysis/src/") => &of_the_analysis,
            // Only the run layer uses devices and files.
            Some("codegen") if path.starts_with("codegen/src/") && !path.starts_with("codegen/src/run/") => {
                &of_the_compiler
            }
            _ => continue,
        };
        if is_test(&path) {
            continue;
        }
        for (number, line) in text.lines().enumerate().filter(|(_, l)| l.starts_with("use ")) {
            if forbidden.iter().any(|f| line.contains(&format!("use {f}"))) {
                found.push(format!("{path}:{}: {line}", number + 1));
            }
        }
    }
    none(found, "a layer knows what it should not");
}

/// Returns the targets of `[text](target)` and `![text](target)` outside code.
fn links(text: &str) -> Vec<&str> {
    // Text between backticks is code, and so are indented lines.
    let lines = text.lines().filter(|l| !l.starts_with("    "));
    let prose = lines.flat_map(|l| l.split('`').step_by(2));
    let ends = prose.flat_map(|p| p.match_indices("](").map(|(at, _)| &p[at + 2..]));
    ends.filter_map(|rest| rest.split_once(')').map(|(target, _)| target)).collect()
}

#[test]
fn links_in_documents_lead_somewhere() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for (path, text) in with_ending(&[".md"]) {
        for target in links(&text) {
            let file = target.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains(':') || file.contains(' ') {
                continue;
            }
            seen += 1;
            let folder = files::root().join(&path);
            let folder = folder.parent().unwrap_or(Path::new(""));
            if !folder.join(file).exists() {
                broken.push(format!("{path}: {target}"));
            }
        }
    }
    assert!(seen > 20, "only {seen} links were found");
    none(broken, "links that lead nowhere");
}

/// Returns the text between backticks in the prose of a document.
fn code_in(text: &str) -> Vec<&str> {
    text.lines().filter(|l| !l.starts_with("    ")).flat_map(|l| l.split('`').skip(1).step_by(2)).collect()
}

/// Returns the words after these keywords: the names that a text defines.
fn defined<'t>(text: &'t str, keywords: &[&str]) -> Vec<&'t str> {
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty());
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        if keywords.contains(&word) {
            found.extend(words.next());
        }
    }
    found
}

/// Documents about trust name only tests, theorems and files that exist.
#[test]
fn what_is_said_to_show_something_is_there() {
    let mut there = HashSet::new();
    let (sources, proofs) = (with_ending(&[".rs"]), with_ending(&[".v"]));
    sources.iter().for_each(|(_, text)| there.extend(defined(text, &["fn"])));
    proofs
        .iter()
        .for_each(|(_, text)| there.extend(defined(text, &["Theorem", "Lemma", "Corollary", "Definition", "Example"])));
    let tracked = tracked();
    let (mut missing, mut seen) = (Vec::new(), 0);
    for document in ["docs/trust.md", "tests/fuzz/LOG.md", "SECURITY.md"] {
        for code in code_in(&files::read(&files::root().join(document))) {
            let is_name =
                code.contains('_') && code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
            let endings = [".rs", ".v", ".c", ".py", ".lift", ".md", ".toml", ".json"];
            let is_file =
                endings.iter().any(|e| code.ends_with(e)) && !code.starts_with('.') && !code.contains([' ', '*', '<']);
            let is_there = match () {
                () if is_name => there.contains(code),
                () if is_file => tracked.iter().any(|p| p == code || p.ends_with(&format!("/{code}"))),
                () => continue,
            };
            seen += 1;
            if !is_there {
                missing.push(format!("{document}: {code}"));
            }
        }
    }
    assert!(seen > 60, "only {seen} names were found");
    none(missing, "tests, theorems and files that are not there");
}
