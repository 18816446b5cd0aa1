//! The primitive functions and operators of APL: names, keys, and what each does with one argument or two.
//!
//! `glyphs.txt` has a line for each, fields separated by tabs: glyph, key after the prefix key, kind, names, what it does
//! with one argument or as an operator, with two, an example. What is not supported has no text and no example.

use std::sync::OnceLock;

/// A primitive function or operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph {
    pub glyph: char,
    /// The key that follows the prefix key.
    pub key: char,
    pub kind: GlyphKind,
    /// Names by which it is found: `rho`.
    pub names: Vec<&'static str>,
    /// What it does with one argument, or as an operator; empty if it is not supported so.
    pub one: &'static str,
    /// What it does with two.
    pub two: &'static str,
    pub example: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GlyphKind {
    Function,
    /// An operator that takes one function, at its left.
    Monadic,
    /// An operator that takes an operand at each side.
    Dyadic,
    /// `/ ⌿ \\ ⍀`: an operator after a function, a function after an array.
    Both,
}

static GLYPHS: OnceLock<Vec<Glyph>> = OnceLock::new();

/// All glyphs, those that are not supported among them.
pub fn glyphs() -> &'static [Glyph] {
    GLYPHS.get_or_init(|| include_str!("glyphs.txt").lines().filter_map(read).collect())
}

fn read(line: &'static str) -> Option<Glyph> {
    let mut fields = line.split('\t');
    let mut field = || fields.next().unwrap_or_default();
    let (glyph, key) = (field().chars().next()?, field().chars().next()?);
    let kind = match field().chars().next()? {
        'm' => GlyphKind::Monadic,
        'd' => GlyphKind::Dyadic,
        'b' => GlyphKind::Both,
        _ => GlyphKind::Function,
    };
    let names = field().split(' ').collect();
    Some(Glyph { glyph, key, kind, names, one: field(), two: field(), example: field() })
}

/// What is known of a glyph.
pub fn glyph_of(glyph: char) -> Option<&'static Glyph> {
    glyphs().iter().find(|known| known.glyph == glyph)
}

pub fn is_glyph(c: char) -> bool {
    !c.is_ascii_alphanumeric() && glyph_of(c).is_some()
}
