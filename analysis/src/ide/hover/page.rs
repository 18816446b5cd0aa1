//! The text of a hover, part by part.

use crate::ide::Hover;
use crate::ide::outline::is_for_programs;
use crate::ty::{Scheme, Ty, TyKind};
use lift_syntax::TextRange;

/// The parts of a hover, in order.
#[derive(Default)]
pub(super) struct Page {
    parts: Vec<Part>,
    /// Whether a type on the page has parts that errors left undetermined.
    gaps: bool,
}

enum Part {
    Code(String),
    Text(String),
}

impl Page {
    pub fn code(&mut self, code: impl Into<String>) {
        self.parts.push(Part::Code(code.into()));
    }

    /// Adds a type, as far as it is known. Omitted when errors left nothing known.
    pub fn ty(&mut self, ty: &Ty) {
        self.typed(ty, |ty| ty.to_string());
    }

    pub fn scheme(&mut self, scheme: &Scheme) {
        self.typed(&scheme.ty, |_| scheme.to_string());
    }

    /// Adds `name : type`.
    pub fn signature(&mut self, name: &str, scheme: &Scheme) {
        self.typed(&scheme.ty, |_| format!("{name} : {scheme}"));
    }

    fn typed(&mut self, ty: &Ty, print: impl FnOnce(&Ty) -> String) {
        if tells_something(ty) {
            self.gaps |= ty.has_gaps();
            self.code(print(ty));
        }
    }

    pub fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    pub fn docs(&mut self, docs: &str) {
        let lines: Vec<&str> = docs.lines().filter(|line| !is_for_programs(line)).collect();
        let text = lines.join("\n");
        if !text.trim().is_empty() {
            self.text(text);
        }
    }

    /// The finished hover; `None` if the page is empty.
    pub fn finish(mut self, range: TextRange) -> Option<Hover> {
        if self.gaps {
            self.text("`?` marks a part that an error leaves unknown.");
        }
        if self.parts.is_empty() {
            return None;
        }
        let markdown = self.parts.iter().map(|part| match part {
            Part::Code(code) => format!("```lift\n{code}\n```"),
            Part::Text(text) => text.clone(),
        });
        let plain = self.parts.iter().map(|part| match part {
            Part::Code(code) => code.clone(),
            Part::Text(text) => text.lines().filter(|line| !line.starts_with("```")).collect::<Vec<_>>().join("\n"),
        });
        Some(Hover {
            range,
            markdown: markdown.collect::<Vec<_>>().join("\n\n"),
            plain: plain.collect::<Vec<_>>().join("\n\n"),
        })
    }
}

/// Whether a type has a known part other than function arrows and quantifiers.
pub(super) fn tells_something(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Error => false,
        TyKind::Fun(argument, result) => tells_something(argument) || tells_something(result),
        TyKind::Exists(_, inner) => tells_something(inner),
        _ => true,
    }
}
