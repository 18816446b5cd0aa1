//! Readable dumps of trees and errors.

use std::fmt::Write;

use lift_syntax::{NodeOrToken, ParsedFile, SyntaxError, SyntaxNode, parse_file};

/// Dumps the tree of each form without trivia, then the errors below the lines that they mark.
pub fn dump(text: &str) -> String {
    let file = parse_file(text);
    let mut out = trees(&file);
    for error in file.errors() {
        describe(&mut out, text, &error);
    }
    out
}

pub fn trees(file: &ParsedFile) -> String {
    let mut out = String::new();
    for form in &file.forms {
        dump_node(&mut out, &form.parse.syntax(), 0);
    }
    out
}

/// Dumps only the errors.
pub fn errors(text: &str) -> String {
    let mut out = String::new();
    for error in parse_file(text).errors() {
        describe(&mut out, text, &error);
    }
    out
}

fn dump_node(out: &mut String, node: &SyntaxNode, indent: usize) {
    let parts: Vec<_> = node.children_with_tokens().filter(|part| !part.kind().is_trivia()).collect();
    let _ = write!(out, "{:indent$}{:?}", "", node.kind());
    // Tokens are on the line of their node; `(` and `)` are omitted.
    for part in &parts {
        if let NodeOrToken::Token(token) = part {
            let kind = token.kind();
            if !kind.is_opener() && !kind.is_closer() {
                let _ = write!(out, " {kind:?} {:?}", token.text());
            } else if node.kind() == lift_syntax::SyntaxKind::ERROR {
                let _ = write!(out, " {:?}", token.text());
            }
        }
    }
    out.push('\n');
    for part in parts {
        if let NodeOrToken::Node(child) = part {
            dump_node(out, &child, indent + 2);
        }
    }
}

fn describe(out: &mut String, text: &str, error: &SyntaxError) {
    let SyntaxError { code, range, message, related, fix } = error;
    let _ = writeln!(out, "{range:?} {:?} {code}: {message}", &text[*range]);
    if let Some((range, message)) = related {
        let _ = writeln!(out, "  {range:?} {:?}: {message}", &text[*range]);
    }
    if let Some(fix) = fix {
        let mut fixed = text.to_owned();
        let range = fix.edit.range;
        fixed.replace_range(usize::from(range.start())..usize::from(range.end()), &fix.edit.insert);
        let _ = writeln!(out, "  {}: {fixed:?}", fix.label);
    }
}
