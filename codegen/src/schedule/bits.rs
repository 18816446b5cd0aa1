//! Folds in a function of a number i whose iteration k reads no bit of i below bit k.
//!
//! Examples are the exclusive or of direction numbers in Sobol's sequence, which tests the bits of `i ^ (i >> 1)`, and
//! sums over the bits of a number. With i = 2^p·q + r, r < 2^p, the iterations from p on are the same for all r. As the
//! operator is exact, associative and commutative, they may come first and are computed once for 2^p numbers.

use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::Scalar;
use rustc_hash::FxHashMap;

/// The bits of the number on which a value depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    Nothing,
    /// Each bit of the value depends only on the same and higher bits.
    NotLower,
    /// The index of the iteration.
    Round,
    /// In iteration k, only bits from k on.
    FromRound,
    Anything,
}

impl Reads {
    fn no_lower(self) -> bool {
        matches!(self, Reads::Nothing | Reads::Round | Reads::FromRound)
    }
}

type Known = FxHashMap<VarId, Reads>;

/// Value bits of an `Int`.
const MOST_ROUNDS: i64 = 31;

/// Finds these folds in a function of an `Int`, with their numbers of iterations.
pub fn shared_folds(kernel: &Kernel, f: &Lambda) -> FxHashMap<VarId, i64> {
    let [x] = f.params.as_slice() else { return FxHashMap::default() };
    if kernel.ty(*x).as_scalar() != Some(Scalar::Int) || f.position.is_some() {
        return FxHashMap::default();
    }
    let mut known = Known::from_iter([(*x, Reads::NotLower)]);
    let mut found = FxHashMap::default();
    for s in &f.body.stmts {
        if let Rhs::Prim(call) = &s.rhs
            && let Some(rounds) = rounds(kernel, &f.body, call, &known)
        {
            found.insert(s.var, rounds);
        }
        let reads = reads_of(s, &known);
        known.insert(s.var, reads);
    }
    found
}

fn of(a: &Atom, known: &Known) -> Reads {
    match a {
        Atom::Var(v) => known.get(v).copied().unwrap_or(Reads::Nothing),
        Atom::Lit(_) | Atom::Size(_) => Reads::Nothing,
    }
}

/// Analyses a statement of scalars, or a view of an array that does not depend on the number.
fn reads_of(s: &Stmt, known: &Known) -> Reads {
    let all = |atoms: &[Atom]| atoms.iter().map(|a| of(a, known)).collect::<Vec<_>>();
    match &s.rhs {
        Rhs::Atom(a) => of(a, known),
        Rhs::Scalar(op, args) => of_operator(*op, &all(args)),
        Rhs::If(c, a, b) => {
            let (mut a_known, mut b_known) = (known.clone(), known.clone());
            let results = [of_block(a, &mut a_known), of_block(b, &mut b_known), of(c, known)];
            if results.iter().all(|r| r.no_lower()) { joined(&results) } else { Reads::Anything }
        }
        Rhs::Prim(call) if call.funs.is_empty() => joined(&all(&call.args)),
        _ => Reads::Anything,
    }
}

fn of_block(block: &Block, known: &mut Known) -> Reads {
    for s in &block.stmts {
        let reads = reads_of(s, known);
        known.insert(s.var, reads);
    }
    of(&block.result, known)
}

fn joined(all: &[Reads]) -> Reads {
    match all {
        _ if all.iter().all(|r| *r == Reads::Nothing) => Reads::Nothing,
        _ if all.iter().all(|r| r.no_lower()) => Reads::FromRound,
        _ => Reads::Anything,
    }
}

fn of_operator(op: ScalarOp, args: &[Reads]) -> Reads {
    match (op, args) {
        (ScalarOp::Div | ScalarOp::Mod | ScalarOp::FloorMod, args) if args.iter().any(|r| *r != Reads::Nothing) => {
            Reads::Anything
        }
        (ScalarOp::Shr, [Reads::NotLower, Reads::Round]) => Reads::FromRound,
        (ScalarOp::Shr, [Reads::NotLower, Reads::Nothing]) => Reads::NotLower,
        (ScalarOp::BitAnd | ScalarOp::BitOr | ScalarOp::BitXor, args)
            if args.contains(&Reads::NotLower)
                && args.iter().all(|r| matches!(r, Reads::Nothing | Reads::NotLower)) =>
        {
            Reads::NotLower
        }
        _ => joined(args),
    }
}

/// The number of iterations of a fold over 0, 1, …, possibly zipped with arrays that do not depend on the number.
fn rounds(kernel: &Kernel, around: &Block, fold: &PrimCall, known: &Known) -> Option<i64> {
    let (Prim::Reduce(Level::Seq), [z, Atom::Var(xs)], [f]) = (fold.prim, fold.args.as_slice(), fold.funs.as_slice())
    else {
        return None;
    };
    let n = kernel.ty(*xs).as_array()?.len.as_const().filter(|n| (1..=MOST_ROUNDS).contains(n))?;
    let exact = kernel.atom_ty(z).as_scalar().is_some_and(Scalar::is_integer);
    let ([acc, x], Reads::Nothing, true) = (f.params.as_slice(), of(z, known), exact) else { return None };
    let made = |v: VarId| around.stmts.iter().find(|s| s.var == v).map(|s| &s.rhs);
    let is_iota = |a: &Atom| matches!(a, Atom::Var(v) if matches!(made(*v), Some(Rhs::Prim(c)) if c.prim == Prim::Iota && c.args.is_empty()));
    let mut inner = known.clone();
    inner.insert(*acc, Reads::Anything);
    // What each component of an element reads.
    let mut parts = Vec::new();
    if is_iota(&Atom::Var(*xs)) {
        inner.insert(*x, Reads::Round);
    } else {
        let Some(Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. })) = made(*xs) else { return None };
        parts.extend(args.iter().map(|a| if is_iota(a) { Reads::Round } else { of(a, known) }));
        inner.insert(*x, Reads::Anything);
    }
    let step = Step { acc: *acc, element: *x, parts };
    step.block(&f.body, &mut inner).is_some().then_some(n)
}

/// One iteration.
struct Step {
    acc: VarId,
    element: VarId,
    parts: Vec<Reads>,
}

/// The operator by which the accumulator changes; `None` if it does not.
type Change = Option<ScalarOp>;

impl Step {
    /// Recognises `acc ⊕ t`, possibly under conditions, with the same ⊕ everywhere. Neither t nor a condition may
    /// mention `acc` or read bits of the number below the iteration.
    fn block(&self, block: &Block, known: &mut Known) -> Option<Change> {
        let Atom::Var(result) = &block.result else { return None };
        let mut change = (*result == self.acc).then_some(None);
        for s in &block.stmts {
            if s.var == *result {
                change = self.change(s, known);
            }
            let part = match &s.rhs {
                Rhs::Proj(Atom::Var(v), i) if *v == self.element => self.parts.get(*i).copied(),
                _ => None,
            };
            let reads = part.unwrap_or_else(|| reads_of(s, known));
            known.insert(s.var, reads);
        }
        change
    }

    fn change(&self, s: &Stmt, known: &Known) -> Option<Change> {
        use ScalarOp::{Add, BitAnd, BitOr, BitXor, Max, Min, Mul};
        match &s.rhs {
            Rhs::Scalar(op @ (Add | Mul | Min | Max | BitAnd | BitOr | BitXor), args) => {
                let [a, b] = args.as_slice() else { return None };
                let acc = Atom::Var(self.acc);
                let other = match (*a == acc, *b == acc) {
                    (true, false) => b,
                    (false, true) => a,
                    _ => return None,
                };
                of(other, known).no_lower().then_some(Some(*op))
            }
            Rhs::If(c, a, b) if of(c, known).no_lower() => {
                let (a, b) = (self.block(a, &mut known.clone())?, self.block(b, &mut known.clone())?);
                match (a, b) {
                    (Some(a), Some(b)) if a != b => None,
                    (a, b) => Some(a.or(b)),
                }
            }
            _ => None,
        }
    }
}
