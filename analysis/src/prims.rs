//! The primitives as data: read once from `prelude/primitives.lift`, which ships inside the program.
//!
//! The declarations are written in the language's own type syntax, explained at the head of that file. A name is
//! resolved to its [`Primitive`] once ([`lookup`]). After that, its [`PrimitiveId`] says what it computes and its
//! fields say the rest; no code compares names.
//!
//! | module | job |
//! |---|---|
//! | `id` | ids of the primitives |
//! | `read` | reads the declarations of the primitives |

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

/// The path under which editors show the declarations.
pub const PRIMITIVES_PATH: &str = "lift:primitives.lift";
pub const PRIMITIVES_TEXT: &str = include_str!("../prelude/primitives.lift");

/// The level of parallelism on which a placed primitive runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    Seq,
    /// Global work-items of a dimension (0 to 2).
    Glb(u8),
    /// Work-groups of a dimension.
    Wrg(u8),
    /// Work-items of a work-group in a dimension.
    Lcl(u8),
}

/// The suffix in the names of primitives: `Glb0`.
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

/// A typing rule beyond the scheme; the scheme then gives the type of the most common use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Special {
    /// Takes two or more arrays.
    Zip,
    /// Takes an array of tuples of any width.
    Unzip,
    /// Takes a tuple of any width; this component, from 0.
    Get(usize),
    /// The length may change in each iteration.
    Iterate,
    /// The lengths of the state may change in each iteration.
    IterateWhile,
    /// The first argument is a size or an Int; for an Int, the length of the result is hidden.
    Sized,
    /// Size arguments may be Ints. A length that depends on such an Int is hidden, and the bounds of the part are
    /// checked at run time.
    Cut,
    /// As `Sized`; if the argument is a size, the elements may depend on the index.
    Generate,
    /// Takes functions of any number of arguments.
    Vectorize,
    /// The first argument after the sizes is a mode, by name.
    Pad,
    PadMode,
    /// If the rows have different lengths, the length of the result is their sum.
    Join,
    /// The element may depend on the index.
    Aref,
    /// The segments have the lengths that a function of their index gives.
    Partition,
    /// The lengths of segments; only an argument of `Partition`.
    CaseSplit,
}

/// Functions that take lengths without remainder, each with the one that leaves the remainder out.
const WITHOUT_REMAINDER: &[(&str, &str)] = &[("slide", "windows"), ("slide2D", "windows2D"), ("split", "pieces")];

/// The function that leaves out the elements for which a function of this name would need another length.
pub fn without_remainder(name: &str) -> Option<&'static str> {
    WITHOUT_REMAINDER.iter().find(|(of, _)| *of == name).map(|(_, instead)| *instead)
}

/// One declaration of `primitives.lift`.
#[derive(Debug)]
pub struct Primitive {
    pub id: PrimitiveId,
    pub name: Name,
    /// Other names of the same function.
    pub aliases: Vec<Name>,
    /// The static sizes: the leading arguments of `scheme.ty`, of type [`crate::ty::TyKind::Size`], and the first of
    /// `scheme.sizes`.
    pub static_sizes: Vec<Name>,
    /// Types are `Generic(0..)` in alphabetical order; lengths have kind `Generic`.
    pub scheme: Scheme,
    /// Upper bound of the hidden length of the result, in the lengths of the scheme.
    pub at_most: Option<Size>,
    pub special: Option<Special>,
    pub level: Option<Level>,
    /// Rank among the most used primitives, from 1.
    pub common: Option<u32>,
    /// Markdown: the meaning, then an example in a code fence.
    pub docs: String,
    /// The range of the declaration in [`PRIMITIVES_TEXT`].
    pub range: TextRange,
    pub name_range: TextRange,
}

/// Names are unique, so comparing them suffices.
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

    /// Whether it combines elements in any order, so that its start must be neutral for its function.
    pub fn folds_in_any_order(&self) -> bool {
        self.level != Some(Level::Seq)
            && matches!(self.id, PrimitiveId::Reduce | PrimitiveId::PartRed | PrimitiveId::Scan | PrimitiveId::ScanExcl)
    }

    /// Whether a call with `given` arguments is partial.
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

/// The name of the operation's first declaration.
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
