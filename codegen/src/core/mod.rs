//! Core: the elaborated program of one kernel, the language in which the compiler works.
//!
//! A-normal (every operand is an atom), first-order (functions occur only as arguments of primitives) and monomorphic,
//! with every size, `pack` and `unpack` explicit. Definitions are inlined. Each statement carries an opaque [`Origin`],
//! from which `lift_analysis` finds the source text.
//!
//! Types are [`lift_analysis::ty::Ty`] without inference variables, generics and errors. Sizes mention variables of
//! kind `Param` (size parameters of the kernel), `Skolem` (lengths bound by [`Rhs::Unpack`], unique in a kernel),
//! `Bound` (inside an existential type) and `Position` (index variables of functions and dependent arrays).
//!
//! | module | job |
//! |---|---|
//! | [`typing`] | the type of each operation, computed from its operands |
//! | [`scalar`] | evaluation of scalar operators |
//! | [`mod@check`] | verifies kernels |
//! | `numbers` | sizes that a program uses as numbers, which must fit an `Int` |
//! | [`simplify`] | simplification |
//! | [`build`] | builds a [`Kernel`] from typed HIR |
//! | `builder` | builds kernels by hand, for tests |
//! | [`commute`] | operators of folds whose arguments may be swapped |
//! | [`mod@copy`] | copies statements and functions |
//! | [`order`] | sorts by one number in each element |
//! | `parse` | kernels from the text that `print` makes, for tests of single passes |
//! | `prim` | properties of core's operations |
//! | [`mod@print`] | kernels as text, for people |

pub mod build;
#[cfg(test)]
pub mod builder;
pub mod check;
pub mod commute;
pub mod copy;
mod numbers;
pub mod order;
#[cfg(test)]
pub mod parse;
mod prim;
pub mod print;
pub mod scalar;
pub mod simplify;
pub mod typing;

#[cfg(test)]
mod tests;

use lift_analysis::hir::{Literal, Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Settings;
use lift_analysis::size::{Assumption, LengthCheck, Size, Var};
use lift_analysis::ty::Ty;
use smallvec::{SmallVec, smallvec};

/// A variable of one kernel: an index into [`Kernel::vars`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VarInfo {
    /// The name in the source, or a generated one; not unique.
    pub name: Name,
    pub ty: Ty,
}

/// Name of variables to which the program gives no name.
pub const UNNAMED: &str = "t";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    pub name: Name,
    /// The size parameters, of kind `Param`, in the order of their declaration.
    pub sizes: Vec<Var>,
    pub params: Vec<VarId>,
    pub vars: Vec<VarInfo>,
    pub body: Block,
    pub result: Ty,
    /// Checked against the sizes of the run before anything is evaluated. An assumption that mentions skolems is
    /// checked as soon as the last of them is known.
    pub assumptions: Vec<(Assumption, Origin)>,
    /// The settings of a `with` around the whole kernel; the origins of its statements have them, too.
    pub settings: Settings,
}

impl Kernel {
    /// This kernel with other parameters and another body.
    pub fn around(&self, params: Vec<VarId>, body: Block) -> Kernel {
        Kernel {
            name: self.name.clone(),
            sizes: self.sizes.clone(),
            params,
            vars: self.vars.clone(),
            body,
            result: self.result.clone(),
            assumptions: self.assumptions.clone(),
            settings: self.settings,
        }
    }
    pub fn ty(&self, v: VarId) -> &Ty {
        &self.vars[v.0 as usize].ty
    }
    pub fn name_of(&self, v: VarId) -> &str {
        &self.vars[v.0 as usize].name
    }
    pub fn atom_ty(&self, a: &Atom) -> Ty {
        match a {
            Atom::Var(v) => self.ty(*v).clone(),
            Atom::Lit(l) => Ty::scalar(l.scalar()),
            Atom::Size(_) => Ty::int(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    pub result: Atom,
}

impl Block {
    /// Visits every statement in the order of evaluation; the statements of functions and branches follow the one that
    /// contains them.
    pub fn visit<'b>(&'b self, f: &mut dyn FnMut(&'b Stmt)) {
        for stmt in &self.stmts {
            f(stmt);
            for block in stmt.rhs.blocks() {
                block.visit(f);
            }
        }
    }
}

impl Rhs {
    /// The blocks directly inside: branches and bodies of functions.
    pub fn blocks(&self) -> SmallVec<[&Block; 2]> {
        match self {
            Rhs::If(_, then, otherwise) => smallvec![then, otherwise],
            Rhs::Prim(call) => call.funs.iter().map(|f| &f.body).collect(),
            _ => SmallVec::new(),
        }
    }

    /// The operands of the right-hand side itself, without those in its blocks and functions.
    pub fn operands(&self) -> &[Atom] {
        match self {
            Rhs::Atom(a) | Rhs::Proj(a, _) | Rhs::Store(_, a) | Rhs::Pack(a, _) | Rhs::Unpack(a) | Rhs::Cast(a, _) => {
                std::slice::from_ref(a)
            }
            Rhs::Tuple(all) | Rhs::Scalar(_, all) => all,
            Rhs::If(c, ..) => std::slice::from_ref(c),
            Rhs::Prim(call) => &call.args,
        }
    }

    pub fn operands_mut(&mut self) -> &mut [Atom] {
        match self {
            Rhs::Atom(a) | Rhs::Proj(a, _) | Rhs::Store(_, a) | Rhs::Pack(a, _) | Rhs::Unpack(a) | Rhs::Cast(a, _) => {
                std::slice::from_mut(a)
            }
            Rhs::Tuple(all) | Rhs::Scalar(_, all) => all,
            Rhs::If(c, ..) => std::slice::from_mut(c),
            Rhs::Prim(call) => &mut call.args,
        }
    }

    pub fn blocks_mut(&mut self) -> SmallVec<[&mut Block; 2]> {
        match self {
            Rhs::If(_, then, otherwise) => smallvec![then, otherwise],
            Rhs::Prim(call) => call.funs.iter_mut().map(|f| &mut f.body).collect(),
            _ => SmallVec::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    Var(VarId),
    Lit(Literal),
    /// A size as a value of type Int.
    Size(Size),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stmt {
    pub var: VarId,
    /// For an `unpack`, whose `rhs` is [`Rhs::Unpack`]: the lengths that it binds, of kind `Skolem`.
    pub binds: Vec<Var>,
    pub rhs: Rhs,
    pub origin: Origin,
}

impl Stmt {
    /// The settings of the statement; parameters without a setting get that of the first inner statement with one.
    pub fn settings(&self) -> Settings {
        let mut all = self.origin.settings.as_ref().map_or(Settings::DEFAULT, |own| **own);
        for block in self.rhs.blocks() {
            block.visit(&mut |inner| {
                if let Some(settings) = &inner.origin.settings {
                    all = all.inside(settings);
                }
            });
        }
        all
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rhs {
    Atom(Atom),
    Tuple(Vec<Atom>),
    /// A component of a tuple, counted from 0.
    Proj(Atom, usize),
    Scalar(ScalarOp, Vec<Atom>),
    If(Atom, Block, Block),
    Prim(PrimCall),
    /// Stores the value in the given address space.
    Store(Space, Atom),
    /// Hides sizes: one witness for each variable of the result's `Exists` type, in order.
    Pack(Atom, Vec<Size>),
    /// Opens an existential; the lengths it binds are `Stmt::binds`.
    Unpack(Atom),
    /// A checked cast: if the lengths differ at run time, the run stops with an error.
    Cast(Atom, Vec<LengthCheck>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimCall {
    pub prim: Prim,
    /// Static size arguments in order (`split #k`: k; `slide #size #step`: both).
    pub sizes: Vec<Size>,
    pub funs: Vec<Lambda>,
    /// Value arguments in order (`reduce z f xs`: `[z, xs]`).
    pub args: Vec<Atom>,
}

/// The block binds `params`; their types are in [`Kernel::vars`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lambda {
    /// The index variable of the element to which the function is applied, if its types or sizes mention it. Each
    /// function has its own, even where several go over one array.
    pub position: Option<Var>,
    pub params: Vec<VarId>,
    pub body: Block,
    pub origin: Origin,
}

impl Lambda {
    /// The result as a size, if it is one.
    pub fn size(&self) -> Option<Size> {
        match &self.body.result {
            Atom::Size(s) => Some(s.clone()),
            _ => None,
        }
    }
}

/// Where a parallel or sequential primitive runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Unplaced: the compiler chooses.
    Auto,
    Seq,
    /// The host: the elements are computed one after the other, each by its own launches.
    Host,
    /// The global work-items of a dimension.
    Glb(u8),
    /// The work-groups of a dimension.
    Wrg(u8),
    /// The work-items of a group, in one dimension.
    Lcl(u8),
}

/// OpenCL address spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    Global,
    Local,
    Private,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PadMode {
    Clamp,
    Mirror,
    Wrap,
}

/// The primitives. The notation is that of [`PrimCall`]: sizes; functions; values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prim {
    /// `; f; xs`
    Map(Level),
    /// `; f; z xs`. `Seq` folds from the left with any accumulator type; `Auto` requires `f` associative and `z`
    /// neutral.
    Reduce(Level),
    /// `m; f; z xs`
    PartRed,
    /// `n; f; z keys xs`: element c of the result folds the elements of `xs` whose key is c; elements with a key
    /// outside `0..n` are ignored. `f` is associative and commutative, `z` neutral. If `xs` has rows, each column is
    /// folded separately. Only rules make it ([`crate::schedule::by_key`]), for the device or for a group.
    ReduceByKey(Level),
    /// `; test f; z xs`
    ReduceWhileSeq,
    /// `; test f; x`
    IterateWhile,
    /// Inclusive. `; f; z xs`
    Scan(Level),
    /// Exclusive. `; f; z xs`
    ScanExcl(Level),
    /// `; p; xs`
    Filter(Level),
    /// `k; f_0 … f_(k-1); xs`: one copy of the function for each iteration, because lengths may change; a function that
    /// keeps the length is given once. `k` is a constant unless the function keeps the length.
    Iterate,
    /// `; ; xs ys …`, two or more
    Zip,
    /// `; ; xs`: an array of tuples as a tuple of arrays
    Unzip,
    /// `k; ; xs`
    Split,
    /// `; ; xss`
    Join,
    /// `size step; ; xs`
    Slide,
    /// `l r; ; xs`
    Pad(PadMode),
    /// `l r; ; v xs`
    PadConstant,
    Transpose,
    /// `; f; xs`: result i is input f(i) (`reorder`, `gather`)
    Gather,
    /// `; f; xs`: input i is result f(i)
    Scatter,
    Reverse,
    /// `s; ; xs`
    Stride,
    /// `k; ; xs`
    Take,
    Drop,
    /// `from len; ; xs`
    Slice,
    Head,
    Last,
    /// all but the first
    Tail,
    Concat,
    /// `; ; xs i`: checked
    Aref,
    /// `; ; xs i … v`: the array with another element at an index, or at one for each of the outermost axes; nothing
    /// changes if one is out of range. Only rules make it ([`crate::schedule::updates`]).
    Update,
    /// `n; ;`, or `; ; k` if the length is known only at run time
    Iota,
    /// `n; f;` or `; f; k`
    Generate,
    /// `n; ; v` or `; ; k v`
    Fill,
    /// `; ; xs`
    Length,
    /// `; f; xs`: stable; `f a b` is true if `a` goes before `b`
    Sort,
    /// `; f; xs`: the permutation that sorts
    Argsort,
    /// `; f; xs`: binary search; `f x` is 0 where found, negative if the element sought is before `x`
    Search,
    /// `; f; xs`: linear search
    LSearch,
    /// `k; ; xs`
    AsVector,
    AsScalar,
    /// `k; f; x`: f on each lane of a vector
    Vectorize,
    /// `n; f; xs`: segment i has length f(i). The function has no parameter but an index variable, and its result is a
    /// size.
    Partition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarOp {
    Add,
    Sub,
    Mul,
    /// Truncates integers; an integer division by zero stops the run with an error that names the origin.
    Div,
    /// The remainder with the sign of the dividend (as C's `%`).
    Mod,
    /// The remainder with the sign of the divisor, as of a division that rounds down; also of floating-point numbers.
    FloorMod,
    Min,
    Max,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Not,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    /// Fills with zeros.
    UShr,
    PopCount,
    /// Count of leading zeros; the number of bits for 0.
    Clz,
    Neg,
    Abs,
    Sqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Atan2,
    Pow,
    Floor,
    Ceil,
    /// To the nearest integer, halves away from zero.
    Round,
    IsNan,
    /// The number as one of this type.
    To(Scalar),
}
