//! The primitive functions and operators of APL: names, keys, and effect with one or two arguments.
//!
//! `glyphs.txt` has one line per glyph, with fields separated by tabs: glyph, key after the prefix key (the glyph itself if
//! it has none), kind, names,
//! effect with one argument or as an operator, effect with two arguments, example. The description of an unsupported
//! use is empty; so is the example of an unsupported glyph.

use std::sync::OnceLock;

/// A primitive function or operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph {
    pub glyph: char,
    /// The key after the prefix key; the glyph itself if there is none.
    pub key: char,
    pub kind: GlyphKind,
    /// Names for lookup, such as `rho`.
    pub names: Vec<&'static str>,
    /// Effect with one argument, or as an operator; empty if unsupported.
    pub one: &'static str,
    /// Effect with two arguments; empty if unsupported.
    pub two: &'static str,
    pub example: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GlyphKind {
    Function,
    /// An operator with one function operand, on its left.
    Monadic,
    /// An operator with an operand on each side.
    Dyadic,
    /// `/ ⌿ \\ ⍀`: an operator after a function, a function after an array.
    Both,
}

static GLYPHS: OnceLock<Vec<Glyph>> = OnceLock::new();

/// Returns all glyphs, including unsupported ones.
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

/// The key before that of a glyph.
pub const PREFIX: char = '`';

/// Other characters of the language, with the keys after the prefix key and their names.
pub const SYMBOLS: [(char, char, &str); 10] = [
    ('←', '[', "assign gets"),
    ('⍵', 'w', "omega"),
    ('⍺', 'a', "alpha"),
    ('∇', 'g', "del self"),
    ('⎕', 'l', "quad"),
    ('⋄', '`', "diamond"),
    ('⍝', ',', "lamp comment"),
    ('¯', '2', "macron negative"),
    ('⍬', '}', "zilde empty"),
    ('∆', 'h', "delta"),
];

/// All characters that a prefix key or a name enters: character, key, names.
pub fn characters() -> impl Iterator<Item = (char, char, Vec<&'static str>)> {
    let glyphs = glyphs().iter().map(|glyph| (glyph.glyph, glyph.key, glyph.names.clone()));
    glyphs.chain(SYMBOLS.iter().map(|(symbol, key, names)| (*symbol, *key, names.split(' ').collect())))
}

/// Looks up a glyph.
pub fn glyph_of(glyph: char) -> Option<&'static Glyph> {
    glyphs().iter().find(|known| known.glyph == glyph)
}

pub fn is_glyph(c: char) -> bool {
    !c.is_ascii_alphanumeric() && glyph_of(c).is_some()
}
