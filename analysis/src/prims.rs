//! The primitives as data: read once from `prelude/primitives.lift`, which ships inside the program.
//!
//! The declarations are written in the language's own type syntax; the head of that file says how to read them. A name is
//! resolved to its [`Primitive`] once ([`lookup`]). From there on its [`PrimitiveId`] says what it computes, and its fields
//! say the rest; no code asks for a name again.

mod id;
mod read;

pub use id::{Neutral, PrimitiveId};

use crate::hir::Name;
use crate::size::Size;
use crate::ty::Scheme;
use lift_syntax::TextRange;
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::OnceLock;

/// The path under which the declarations can be read in the editor.
pub const PRIMITIVES_PATH: &str = "lift:primitives.lift";
pub const PRIMITIVES_TEXT: &str = include_str!("../prelude/primitives.lift");

/// Where a placed primitive runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    Seq,
    /// Global work-items of a dimension.
    Glb(u8),
    /// Work-groups of a dimension.
    Wrg(u8),
    /// Work-items of a group, of a dimension.
    Lcl(u8),
}

/// As in the names of primitives: `Glb0`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Seq => f.write_str("Seq"),
            Level::Glb(d) => write!(f, "Glb{d}"),
            Level::Wrg(d) => write!(f, "Wrg{d}"),
            Level::Lcl(d) => write!(f, "Lcl{d}"),
        }
    }
}

/// A typing rule beyond the scheme. The scheme then gives the type of the most common use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Special {
    /// Two or more arrays.
    Zip,
    /// An array of tuples of any width.
    Unzip,
    /// This component, from 0, of a tuple of any width.
    Get(usize),
    /// The length may change from round to round.
    Iterate,
    /// The first argument is a size, or an Int: then the length of the result is hidden.
    Sized,
    /// The arguments that are sizes may be Ints: then a length that such an Int decides is hidden, and whether the part lies in
    /// the array is checked in the run.
    Cut,
    /// As `Sized`; of a size, the elements may depend on the position.
    Generate,
    /// Functions of any number of arguments.
    Vectorize,
    /// The first argument after the sizes is one of the modes, by name.
    Pad,
    PadMode,
    /// The length of the result is a sum, if the rows have different lengths.
    Join,
    /// The element may depend on the index.
    Aref,
    /// The pieces have the lengths that a function of their position gives.
    Partition,
    /// The lengths of pieces; only an argument of `Partition`.
    CaseSplit,
}

/// One declaration.
#[derive(Debug)]
pub struct Primitive {
    pub id: PrimitiveId,
    pub name: Name,
    /// Other names of the same function.
    pub aliases: Vec<Name>,
    /// The static sizes, which are the leading arguments of `scheme.ty`, of type [`crate::ty::TyKind::Size`], and the
    /// first of `scheme.sizes`.
    pub static_sizes: Vec<Name>,
    /// Types are `Generic(0..)` in the order of their letters; lengths are of kind `Generic`.
    pub scheme: Scheme,
    /// What the hidden length of the result cannot exceed, in the lengths of the scheme.
    pub at_most: Option<Size>,
    pub special: Option<Special>,
    pub level: Option<Level>,
    /// Its place among those that programs use most, from 1.
    pub common: Option<u32>,
    /// Markdown: the meaning, then an example in a code fence.
    pub docs: String,
    /// The declaration in [`PRIMITIVES_TEXT`].
    pub range: TextRange,
    pub name_range: TextRange,
}

/// There is one entry for each name, so that the name says it all.
impl PartialEq for Primitive {
    fn eq(&self, other: &Primitive) -> bool {
        self.name == other.name
    }
}
impl Eq for Primitive {}

impl Primitive {
    /// The name that people write: `mapGlb` for `mapGlb0`.
    pub fn spelling(&self) -> &Name {
        let short = self.name.strip_suffix('0');
        short.and_then(|short| self.aliases.iter().find(|alias| ***alias == *short)).unwrap_or(&self.name)
    }

    /// Whether it lacks arguments where it is given so many, so that the call is a function.
    pub fn awaits_more(&self, given: usize) -> bool {
        self.scheme.ty.uncurry().0.len() > given
    }
}

struct Registry {
    all: Vec<Primitive>,
    by_name: FxHashMap<Name, usize>,
}

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let all = read::declarations(PRIMITIVES_TEXT).into_iter().flatten().collect::<Vec<Primitive>>();
        let mut by_name = FxHashMap::default();
        for (index, primitive) in all.iter().enumerate() {
            for name in std::iter::once(&primitive.name).chain(&primitive.aliases) {
                by_name.insert(name.clone(), index);
            }
        }
        Registry { all, by_name }
    })
}

/// The primitive of this name or alias.
pub fn lookup(name: &str) -> Option<&'static Primitive> {
    let registry = registry();
    registry.by_name.get(name).map(|&index| &registry.all[index])
}

/// The primitive that computes this on a level.
pub fn placed(id: PrimitiveId, level: Option<Level>) -> Option<&'static Primitive> {
    all().iter().find(|p| p.id == id && p.level == level)
}

/// The first declaration of an operation.
pub fn named(id: PrimitiveId) -> &'static str {
    id.names()[0]
}

/// All primitives, in the order of their declarations.
pub fn all() -> &'static [Primitive] {
    &registry().all
}

/// All names, aliases included.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().iter().flat_map(|p| std::iter::once(&p.name).chain(&p.aliases)).map(|name| &**name)
}

#[cfg(test)]
mod tests;
