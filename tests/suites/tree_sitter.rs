//! The tree-sitter grammar, used by editors for highlighting and folding, agrees with the language's own parser.

use lift_syntax::{SyntaxKind, SyntaxNode};
use lift_tests::files;
use std::path::PathBuf;
use tree_sitter::{Language, Node, Parser, Query};

fn language() -> Language {
    tree_sitter_lift::LANGUAGE.into()
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the parser fits the library");
    parser
}

/// A node of either tree: depth, kind, and range without surrounding trivia.
type Shown = (usize, String, std::ops::Range<usize>);

/// Collects the nodes below `node` in the grammar's tree, outer ones first.
fn of_the_grammar(node: Node<'_>, depth: usize, out: &mut Vec<Shown>) {
    let token = matches!(
        node.kind(),
        "comment" | "doc_comment" | "int" | "sized" | "long" | "half" | "float" | "double" | "bool" | "string"
    );
    if node.is_named() && !token {
        let root = node.kind() == "source_file";
        if !root {
            out.push((depth, node.kind().to_owned(), node.byte_range()));
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            of_the_grammar(child, depth + usize::from(!root), out);
        }
    }
}

/// Collects the same of our tree, whose first node is at `start` in the file.
fn of_the_parser(node: &SyntaxNode, start: usize, depth: usize, out: &mut Vec<Shown>) {
    let root = node.kind() == SyntaxKind::FORM;
    if !root {
        let mut tokens =
            node.descendants_with_tokens().filter_map(|e| e.into_token()).filter(|t| !t.kind().is_trivia());
        let Some(first) = tokens.next() else { return };
        let last = tokens.last().unwrap_or_else(|| first.clone());
        let range = start + usize::from(first.text_range().start())..start + usize::from(last.text_range().end());
        out.push((depth, format!("{:?}", node.kind()).to_lowercase(), range));
    }
    for child in node.children() {
        of_the_parser(&child, start, depth + usize::from(!root), out);
    }
}

/// Prints one line per node.
fn shown(nodes: &[Shown], text: &str) -> String {
    let line = |(depth, kind, range): &Shown| {
        let words = text[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let words: String = words.chars().take(60).collect();
        format!("{}{kind} {}: {words}\n", "  ".repeat(*depth), range.start)
    };
    nodes.iter().map(line).collect()
}

/// Returns the programs of this repository without syntax errors, and texts for corner cases.
fn programs() -> Vec<(String, String)> {
    let root = files::root();
    let folders = ["examples", "tests/programs", "tests/primitives", "analysis/prelude"];
    let paths: Vec<PathBuf> = folders.iter().flat_map(|folder| files::below(&root.join(folder), ".lift")).collect();
    let mut programs: Vec<(String, String)> = paths
        .iter()
        .map(|path| (path.strip_prefix(&root).unwrap_or(path).display().to_string(), files::read(path)))
        .filter(|(_, text)| lift_syntax::parse_file(text).forms.iter().all(|form| form.parse.errors.is_empty()))
        .collect();
    assert!(programs.len() > 100, "only {} programs", programs.len());
    for text in [
        "\u{feff}(define λx (xs' +i a#b .5 é× 名前 a-1 - + -> o' lambda2 if-not))",
        "(define x (f 3 -3 +3 3L 2.0f 2.0 1e-3f 2. 1E5 -1.5e+3 true false -x truer))",
        "[define [f x [y float]] [(lambda (z) [g z]) y]]",
        "(define x (f #4 #N #(* 2 N) # (length xs) #(sum (i (+ N 1)) (pow i 2))))",
        "(define (f (x (array-type (i) (array-type float (+ i 1)) N)) (g (-> int (exists (X Y) (tuple-type int bool))))) x)",
        "(define (f o tuple) (tuple o (o tuple o)))",
        "(define (f x (tuple a [tuple b c])) (let a 1 (tuple b c) x d (tuple b c) (tuple a d)))",
        ";;; Kept\r\n(lift () () (λ () 1)) ; over\r\n;;; and out",
        "(import \"a \\\" b.lift\")",
    ] {
        programs.push((text.to_owned(), text.to_owned()));
    }
    programs
}

#[test]
fn both_parsers_see_the_same_tree() {
    let mut parser = parser();
    let mut wrong = Vec::new();
    for (name, text) in programs() {
        let tree = parser.parse(&text, None).expect("no time limit");
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        of_the_grammar(tree.root_node(), 0, &mut theirs);
        for form in lift_syntax::parse_file(&text).forms {
            of_the_parser(&form.parse.syntax(), form.raw.range.start().into(), 0, &mut ours);
        }
        if tree.root_node().has_error() || theirs != ours {
            let (theirs, ours) = (shown(&theirs, &text), shown(&ours, &text));
            let differ = theirs.lines().zip(ours.lines()).find(|(a, b)| a != b);
            wrong.push(format!("{name}: {differ:?}\n    {}", tree.root_node().to_sexp()));
        }
    }
    assert!(wrong.is_empty(), "{} programs differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_query_fits_the_grammar() {
    let root = files::root();
    let mut seen = 0;
    for folder in ["editors/tree-sitter-lift/queries", "editors/helix/queries/lift", "editors/neovim/queries/lift"] {
        for path in files::below(&root.join(folder), ".scm") {
            seen += 1;
            if let Err(e) = Query::new(&language(), &files::read(&path)) {
                panic!("{}: {e}", path.display());
            }
        }
    }
    assert!(seen >= 13, "only {seen} queries");
}

/// `editors/tree-sitter-lift/generate` updates the parser; `tests/editors/run` compares every byte.
#[test]
fn the_generated_parser_has_the_rules_of_the_grammar() {
    let folder = files::root().join("editors/tree-sitter-lift");
    let grammar = files::read(&folder.join("grammar.js"));
    let rule = |line: &str| {
        let (name, rest) = line.strip_prefix("    ")?.split_once(": ")?;
        let is_rule = rest.starts_with("$ =>") || rest.starts_with("_ =>") || name == "_word";
        (is_rule && !name.contains(' ')).then(|| name.to_owned())
    };
    let written: Vec<String> = grammar.lines().filter_map(rule).collect();
    let generated = files::read(&folder.join("src/grammar.json"));
    let json: serde_json::Value = serde_json::from_str(&generated).expect("it is JSON");
    let mut generated: Vec<&String> = json["rules"].as_object().expect("it has rules").keys().collect();
    let mut written: Vec<&String> = written.iter().collect();
    generated.sort();
    written.sort();
    assert_eq!(written, generated, "src/ is not generated from grammar.js as it is");
}
