//! Text with placeholders.

use crate::ty::{Ty, TyKind};

/// Text to insert, with placeholders for the user to fill.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    /// A placeholder, shown until it is typed over.
    Hole(String),
    /// The final cursor position.
    End,
}

impl Snippet {
    /// `(name hole …)`, with brackets if `brackets`. A hole that starts with `#` is a size.
    pub fn call(name: &str, holes: &[String], brackets: bool) -> Snippet {
        let mut snippet = Snippet::default();
        snippet.text(if brackets { "(" } else { "" });
        snippet.text(name);
        for hole in holes {
            match hole.strip_prefix('#') {
                Some(size) => {
                    snippet.text(" #");
                    snippet.parts.push(Part::Hole(size.to_owned()));
                }
                None => {
                    snippet.text(" ");
                    snippet.parts.push(Part::Hole(hole.clone()));
                }
            }
        }
        snippet.text(if brackets { ")" } else { "" });
        snippet
    }

    /// Parses a template in which `‹name›` is a placeholder and `‹›` the final cursor position.
    pub fn template(template: &str) -> Snippet {
        let mut snippet = Snippet::default();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('‹') {
            let (name, after) = after.split_once('›').unwrap_or((after, ""));
            snippet.text(before);
            snippet.parts.push(if name.is_empty() { Part::End } else { Part::Hole(name.to_owned()) });
            rest = after;
        }
        snippet.text(rest);
        snippet
    }

    pub fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.parts.push(Part::Text(text.to_owned()));
        }
    }

    /// Appends another snippet.
    pub fn append(&mut self, other: Snippet) {
        self.parts.extend(other.parts);
    }

    /// The snippet in the protocol's syntax; `None` if it has no placeholder.
    pub fn as_snippet(&self) -> Option<String> {
        let mut out = String::new();
        let mut holes = 0;
        for part in &self.parts {
            match part {
                Part::Text(text) => out += &escape(text),
                Part::Hole(name) => {
                    holes += 1;
                    out += &format!("${{{holes}:{}}}", escape(name));
                }
                Part::End => out += "$0",
            }
        }
        self.parts.iter().any(|part| !matches!(part, Part::Text(_))).then_some(out)
    }

    /// Plain text, with the names of the placeholders, for editors without snippets.
    pub fn plain(&self) -> String {
        let texts = self.parts.iter().map(|part| match part {
            Part::Text(text) | Part::Hole(text) => text.as_str(),
            Part::End => "",
        });
        texts.collect()
    }
}

fn escape(text: &str) -> String {
    text.chars().flat_map(|c| matches!(c, '$' | '}' | '\\').then_some('\\').into_iter().chain([c])).collect()
}

/// Placeholder names for the arguments of a call, by their types.
pub fn hole_names<'t>(args: impl IntoIterator<Item = &'t Ty>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for arg in args {
        let stems: &[&str] = match arg.kind() {
            TyKind::Size(size) => {
                let name = size.to_string();
                names.push(format!("#{}", if name.chars().all(char::is_alphanumeric) { &name } else { "n" }));
                continue;
            }
            TyKind::Fun(first, rest) => match rest.kind() {
                TyKind::Fun(..) if rest.uncurry().1 == first => &["op", "op2"],
                TyKind::Scalar(crate::hir::Scalar::Bool) => &["p", "q"],
                _ => &["f", "g", "h"],
            },
            TyKind::Array(array) if matches!(array.element.kind(), TyKind::Array(_)) => &["xss", "yss", "zss"],
            TyKind::Array(_) | TyKind::Exists(..) => &["xs", "ys", "zs"],
            TyKind::Scalar(crate::hir::Scalar::Int) => &["i", "j", "k"],
            TyKind::Tuple(_) => &["pair", "pair2"],
            _ => &["x", "y", "z"],
        };
        let free = stems.iter().find(|stem| !names.iter().any(|name| name == *stem));
        names.push(free.map_or_else(|| format!("x{}", names.len()), |stem| (*stem).to_owned()));
    }
    names
}
