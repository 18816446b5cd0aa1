//! The rewrite rules as data: an equation and the condition under which it holds.
//!
//! A pass of [`crate::schedule`] applies a rule, or [`crate::lower`] if the memory layout matters. Each application is
//! recorded as [`super::Applied`] and shown by `lift build --explain`. The manual's table of rules is generated from
//! [`ALL`] ([`document`]), so that the two agree.
//!
//! `table`: the table of rules.

mod table;

pub use table::*;

use lift_analysis::parameters;
use std::hash::{DefaultHasher, Hash, Hasher};

/// An equation between programs, applied from left to right.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name for people and tools.
    pub name: &'static str,
    pub left: &'static str,
    pub right: &'static str,
    /// When the equation holds, and what else the compiler requires so that it pays.
    pub condition: &'static str,
    pub chapter: Chapter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chapter {
    Fusion,
    Decomposition,
    Placement,
    Tiling,
    Arithmetic,
}

impl Chapter {
    pub const ALL: [Chapter; 5] =
        [Chapter::Fusion, Chapter::Decomposition, Chapter::Placement, Chapter::Tiling, Chapter::Arithmetic];

    fn title(self) -> &'static str {
        match self {
            Chapter::Fusion => "Fusion: what is never stored",
            Chapter::Decomposition => "Decomposition: primitives in terms of others",
            Chapter::Placement => "Placement: what runs where",
            Chapter::Tiling => "Tiling: who computes which block, through which memory",
            Chapter::Arithmetic => "Arithmetic: the same numbers by other instructions",
        }
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {}", self.left, self.right)
    }
}

/// A fingerprint of the rules and parameters: two programs that differ in it may generate different code.
pub fn fingerprint() -> u64 {
    // `DefaultHasher::new` has fixed keys: the same compiler has the same fingerprint in every process.
    let mut hasher = DefaultHasher::new();
    document().hash(&mut hasher);
    for entry in parameters::TABLE {
        (entry.name, entry.default, entry.candidates).hash(&mut hasher);
    }
    hasher.finish()
}

/// The manual's tables, in Markdown.
pub fn document() -> String {
    let mut out = String::new();
    for chapter in Chapter::ALL {
        out.push_str(&format!("### {}\n\n", chapter.title()));
        for rule in ALL.iter().filter(|r| r.chapter == chapter) {
            out.push_str(&format!(
                "**{}**\n\n    {}\n      = {}\n\n{}\n\n",
                rule.name, rule.left, rule.right, rule.condition
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_everything_is_said() {
        for (i, rule) in ALL.iter().enumerate() {
            assert!(!rule.left.is_empty() && !rule.right.is_empty() && !rule.condition.is_empty(), "{}", rule.name);
            assert!(ALL[..i].iter().all(|r| r.name != rule.name), "{} stands twice", rule.name);
        }
    }

    /// `UPDATE_EXPECT=1` writes the tables into the document.
    #[test]
    fn the_document_has_the_rules_as_they_are() {
        const START: &str = "<!-- rules -->\n";
        const END: &str = "<!-- end of rules -->";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/compiler.md");
        let text = std::fs::read_to_string(path).expect("docs/compiler.md is there");
        let (before, rest) = text.split_once(START).expect("the place of the rules is marked");
        let (tables, after) = rest.split_once(END).expect("the end of the rules is marked");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, format!("{before}{START}{}{END}{after}", document())).expect("it can be written");
        } else {
            assert!(tables == document(), "run this test with UPDATE_EXPECT=1");
        }
    }
}
