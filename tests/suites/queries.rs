//! Queries of the tree-sitter grammar, applied to every example: colours, names, bindings, folds.

use lift_analysis::ide::SymbolKind;
use lift_tests::check::Program;
use lift_tests::files;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use tree_sitter::{Language, Node, Parser, Query, QueryCursor, StreamingIterator, Tree};

fn language() -> Language {
    tree_sitter_lift::LANGUAGE.into()
}

/// Returns path below `examples/`, text and tree of every example.
fn examples() -> Vec<(PathBuf, String, Tree)> {
    let folder = files::root().join("examples");
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the parser fits the library");
    let all: Vec<_> = files::below(&folder, ".lift")
        .into_iter()
        .map(|path| {
            let text = files::read(&path);
            let tree = parser.parse(&text, None).expect("no time limit");
            (path.strip_prefix(&folder).expect("it is below").to_owned(), text, tree)
        })
        .collect();
    assert!(all.len() > 80, "only {} examples", all.len());
    all
}

/// Returns the captures of a query in order of the text: names and ranges.
fn captures(query: &str, tree: &Tree, text: &str) -> Vec<(String, Range<usize>)> {
    let path = files::root().join("editors/tree-sitter-lift/queries").join(query);
    let query = Query::new(&language(), &files::read(&path)).expect("the query fits the grammar");
    let mut cursor = QueryCursor::new();
    let mut all = Vec::new();
    let mut found = cursor.captures(&query, tree.root_node(), text.as_bytes());
    while let Some((of, index)) = found.next() {
        let capture = of.captures[*index];
        all.push((query.capture_names()[capture.index as usize].to_owned(), capture.node.byte_range()));
    }
    all
}

fn leaves<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if node.child_count() == 0 {
        out.push(node);
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        leaves(child, out);
    }
}

#[test]
fn every_word_has_a_colour() {
    for (path, text, tree) in examples() {
        let coloured: BTreeSet<(usize, usize)> =
            captures("highlights.scm", &tree, &text).into_iter().map(|(_, r)| (r.start, r.end)).collect();
        let mut words = Vec::new();
        leaves(tree.root_node(), &mut words);
        for word in words {
            let covered = std::iter::successors(Some(word), Node::parent)
                .any(|node| coloured.contains(&(node.start_byte(), node.end_byte())));
            let line = word.start_position().row + 1;
            assert!(covered, "{}:{line}: `{}` has no colour", path.display(), &text[word.byte_range()]);
        }
    }
}

/// Comments and keywords are highlighted as such: highlighting is correct, not just present.
#[test]
fn words_have_their_own_colours() {
    let text = "; c\n(lift k (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2.0f)) xs)))\n";
    let mut parser = Parser::new();
    parser.set_language(&language()).expect("the parser fits the library");
    let tree = parser.parse(text, None).expect("no time limit");
    let found = captures("highlights.scm", &tree, text);
    // The last matching pattern takes precedence.
    let colour = |word: &str| {
        let at = text.find(word).expect("it is there");
        let mut fits = found.iter().filter(|(_, range)| *range == (at..at + word.len()));
        fits.next_back().map(|(name, _)| name.as_str())
    };
    for (word, expected) in [
        ("; c", "comment"),
        ("lift", "keyword.function"),
        ("k", "function"),
        ("array-type", "type.builtin"),
        ("float", "type.builtin"),
        ("lambda", "keyword.function"),
        ("xs", "variable.parameter"),
        ("map", "function.builtin"),
        ("*", "operator"),
        ("2.0f", "number.float"),
    ] {
        assert_eq!(colour(word), Some(expected), "{word}");
    }
}

/// Symbol lists contain the names of the forms, according to the language's own parser.
#[test]
fn the_names_of_forms_are_tagged() {
    for (path, text, tree) in examples() {
        let tags = captures("tags.scm", &tree, &text);
        let name = path.to_string_lossy();
        let program = Program::new(&files::root().join("examples"), &name, &text);
        let symbols = program.analysis().symbols(&name).expect("no edit, no cancellation");
        let tagged: BTreeSet<&str> = tags.iter().filter(|(n, _)| n == "name").map(|(_, r)| &text[r.clone()]).collect();
        let forms = tags.iter().filter(|(name, _)| name.starts_with("definition.")).count();
        let named =
            symbols.iter().filter(|s| s.kind != SymbolKind::Import && text[Range::<usize>::from(s.focus)] == s.name);
        let named: Vec<&str> = named.map(|s| s.name.as_str()).collect();
        assert_eq!(forms, named.len(), "{name}: {named:?}");
        for name in named {
            assert!(tagged.contains(name), "{}: `{name}` is not tagged", path.display());
        }
    }
}

/// If the query finds the binder of a name, analysis finds the same.
#[test]
fn names_are_bound_where_the_language_binds_them() {
    let mut asked = 0;
    for (path, text, tree) in examples() {
        let name = path.to_string_lossy();
        let program = Program::new(&files::root().join("examples"), &name, &text);
        let analysis = program.analysis();
        let all = captures("locals.scm", &tree, &text);
        let of =
            |kind: &str| all.iter().filter(|(n, _)| n.starts_with(kind)).map(|(_, r)| r.clone()).collect::<Vec<_>>();
        let (scopes, definitions) = (of("local.scope"), of("local.definition"));
        // The smallest scope around a definition.
        let home = |at: &Range<usize>| {
            let around = scopes.iter().filter(|s| s.start <= at.start && at.end <= s.end);
            around.min_by_key(|s| s.len()).cloned().expect("the file is a scope")
        };
        let homes: Vec<(Range<usize>, Range<usize>)> = definitions.iter().map(|d| (home(d), d.clone())).collect();
        for reference in of("local.reference") {
            let word = &text[reference.clone()];
            // Definitions precede their uses; take the innermost in scope, then the last.
            let fitting = homes.iter().filter(|(home, d)| {
                home.start <= reference.start
                    && reference.end <= home.end
                    && d.start < reference.start
                    && &text[d.clone()] == word
            });
            let Some((scope, binder)) = fitting.min_by_key(|(home, d)| (home.len(), usize::MAX - d.start)) else {
                continue;
            };
            // The value of a `let` does not see its name, which the query cannot express.
            if text[scope.start..].starts_with(['(', '[']) && shadows_in_value(&tree, scope, &reference) {
                continue;
            }
            let at = u32::try_from(reference.start).expect("examples are small").into();
            let found = analysis.goto_definition(&name, at).expect("no edit, no cancellation");
            let Some(target) = found.first() else { continue };
            asked += 1;
            let line = text[..reference.start].lines().count().max(1);
            assert_eq!(
                Range::<usize>::from(target.focus),
                *binder,
                "{name}:{line}: `{word}` is bound elsewhere than the query says"
            );
        }
    }
    assert!(asked > 1000, "only {asked} names");
}

/// Whether a reference is in the value of the `let` or `unpack` that forms this scope.
fn shadows_in_value(tree: &Tree, scope: &Range<usize>, reference: &Range<usize>) -> bool {
    let Some(node) = tree.root_node().descendant_for_byte_range(scope.start, scope.end) else { return false };
    let value = node.child_by_field_name("value").filter(|_| matches!(node.kind(), "let" | "unpack"));
    value.is_some_and(|v| v.start_byte() <= reference.start && reference.end <= v.end_byte())
}

/// Every form of several lines can be folded.
#[test]
fn forms_fold() {
    for (path, text, tree) in examples() {
        let folds: BTreeSet<usize> = captures("folds.scm", &tree, &text).into_iter().map(|(_, r)| r.start).collect();
        let root = tree.root_node();
        let mut cursor = root.walk();
        for form in root.children(&mut cursor).filter(|form| !form.is_extra() && form.kind() != "import") {
            let lines = form.start_position().row..form.end_position().row;
            let at = form.start_byte();
            assert!(lines.is_empty() || folds.contains(&at), "{}:{}: no fold", path.display(), lines.start + 1);
        }
    }
}
