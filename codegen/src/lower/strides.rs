//! How far apart the elements lie that neighbouring work-items, or neighbouring rounds of a loop, access: found in
//! generated code.

use crate::opencl::{BinaryOp, Expr, Step, Stmt, StmtKind, Storage, UnaryOp};
use lift_analysis::hir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// By how much an index grows if another number grows by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stride {
    Times(i64),
    /// By a number that only the run knows, or not always by the same one.
    Far,
}

impl Stride {
    const NONE: Stride = Stride::Times(0);

    fn add(self, other: Stride) -> Stride {
        match (self, other) {
            (Stride::Times(a), Stride::Times(b)) => a.checked_add(b).map_or(Stride::Far, Stride::Times),
            _ => Stride::Far,
        }
    }

    fn times(self, k: i64) -> Stride {
        match self {
            Stride::Times(a) => a.checked_mul(k).map_or(Stride::Far, Stride::Times),
            Stride::Far => Stride::Far,
        }
    }

    /// The stride of a quotient, rounded up. If only the run knows the divisor, neighbours mostly have the same quotient.
    fn over(self, divisor: Option<i64>) -> Stride {
        match (self, divisor) {
            (Stride::Times(n), Some(k)) if k != 0 => {
                let each = n.unsigned_abs().div_ceil(k.unsigned_abs()).cast_signed();
                Stride::Times(n.signum() * each)
            }
            (Stride::Times(_), None) => Stride::NONE,
            _ => Stride::Far,
        }
    }

    /// The memory transactions of 32 bytes that 32 work-items make for elements of four bytes.
    fn transactions(self) -> u64 {
        match self {
            Stride::Times(0) => 1,
            Stride::Times(n) => n.unsigned_abs().saturating_mul(4).min(Stride::Far.transactions()),
            Stride::Far => 32,
        }
    }
}

/// By how much `e` grows if `by` grows by one; `named` has the values of names.
pub fn stride(e: &Expr, by: &Expr, named: &FxHashMap<Name, Expr>) -> Stride {
    let of = |e: &Expr| stride(e, by, named);
    match e {
        _ if e == by => Stride::Times(1),
        Expr::Var(name) => named.get(name).map_or(Stride::NONE, of),
        Expr::Cast(_, a) => of(a),
        Expr::Unary(UnaryOp::Neg, a) => of(a).times(-1),
        Expr::Binary(BinaryOp::Add, a, b) => of(a).add(of(b)),
        Expr::Binary(BinaryOp::Sub, a, b) => of(a).add(of(b).times(-1)),
        Expr::Binary(BinaryOp::Mul, a, b) => match (of(a), of(b), a.as_int(), b.as_int()) {
            (Stride::NONE, Stride::NONE, ..) => Stride::NONE,
            (of, _, _, Some(k)) | (_, of, Some(k), _) => of.times(k),
            _ => Stride::Far,
        },
        // An estimate: a remainder starts again, and a bound is reached, at a few places only.
        Expr::Binary(BinaryOp::Div, a, b) if of(b) == Stride::NONE => of(a).over(b.as_int()),
        Expr::Binary(BinaryOp::Rem, a, b) if of(b) == Stride::NONE => of(a),
        Expr::Call(_, args) => {
            let mut all = args.iter().map(of).filter(|stride| *stride != Stride::NONE);
            let first = all.next().unwrap_or(Stride::NONE);
            if all.next().is_none() { first } else { Stride::Far }
        }
        Expr::Select(_, a, b) => match (of(a), of(b)) {
            (a, b) if a == b || b == Stride::NONE => a,
            (Stride::NONE, b) => b,
            _ => Stride::Far,
        },
        other => {
            let mut depends = false;
            other.any(&mut |part| {
                depends |= part == by || matches!(part, Expr::Var(_)) && of(part) != Stride::NONE;
                depends
            });
            if depends { Stride::Far } else { Stride::NONE }
        }
    }
}

/// Assumed rounds of a loop if their number is not constant.
pub const UNKNOWN_ROUNDS: u64 = 16;

/// Loads that cost as much as a store: what a load moves besides its element is in the cache for the next ones.
const STORE: u64 = 4;

/// The iterations of a loop.
pub fn rounds_of(from: &Expr, condition: &Expr, step: &Step) -> u64 {
    let (Some(from), Expr::Binary(BinaryOp::Lt, _, to), Step::Increment) = (from.as_int(), condition, step) else {
        return UNKNOWN_ROUNDS;
    };
    to.as_int().map_or(UNKNOWN_ROUNDS, |to| to.saturating_sub(from).max(0).cast_unsigned())
}

/// The memory transactions of code for each of several work-item numbers, if those of neighbours differ by one.
pub fn transactions<const N: usize>(stmts: &[Stmt], numbers: [Expr; N]) -> [u64; N] {
    let mut walk = Walk { numbers, named: FxHashMap::default(), own: FxHashSet::default(), found: [0; N] };
    walk.block(stmts, 1);
    walk.found
}

struct Walk<const N: usize> {
    numbers: [Expr; N],
    /// Constants, and the first values of loops' variables.
    named: FxHashMap<Name, Expr>,
    /// Private arrays, which are registers.
    own: FxHashSet<Name>,
    found: [u64; N],
}

impl<const N: usize> Walk<N> {
    fn block(&mut self, stmts: &[Stmt], rounds: u64) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::DeclareArray { storage: Storage::Private, name, .. } => {
                    self.own.insert(name.clone());
                }
                StmtKind::Declare { name, init: Some(init), constant, .. } => {
                    self.accesses(init, rounds);
                    if *constant {
                        self.named.insert(name.clone(), init.clone());
                    }
                }
                StmtKind::Assign(to, value) => {
                    self.accesses(to, rounds.saturating_mul(STORE));
                    self.accesses(value, rounds);
                }
                StmtKind::Expr(e) => self.accesses(e, rounds),
                StmtKind::If { condition, then, otherwise } => {
                    self.accesses(condition, rounds);
                    self.block(then, rounds);
                    self.block(otherwise, rounds);
                }
                StmtKind::For { var, from, condition, step, body, .. } => {
                    self.named.insert(var.clone(), from.clone());
                    let shared = self.numbers.iter().any(|by| stride(from, by, &self.named) != Stride::NONE);
                    let own = if shared { 1 } else { rounds_of(from, condition, step) };
                    self.block(body, rounds.saturating_mul(own));
                }
                StmtKind::While { body, .. } => self.block(body, rounds.saturating_mul(UNKNOWN_ROUNDS)),
                StmtKind::Block(body) => self.block(body, rounds),
                _ => {}
            }
        }
    }

    fn accesses(&mut self, e: &Expr, rounds: u64) {
        let mut all = Vec::new();
        e.any(&mut |part| {
            match part {
                Expr::Index(of, _) if matches!(&**of, Expr::Var(name) if self.own.contains(name)) => {}
                Expr::Index(_, at) => all.push(at.clone()),
                Expr::Wide { pointer, .. } => all.push(pointer.clone()),
                _ => {}
            }
            false
        });
        for at in all {
            for (found, by) in self.found.iter_mut().zip(&self.numbers) {
                let each = stride(&at, by, &self.named).transactions();
                *found = found.saturating_add(rounds.saturating_mul(each));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::CType;

    fn id(dimension: i64) -> Expr {
        Expr::call("get_global_id", [Expr::int(dimension)])
    }

    fn var(name: &str) -> Expr {
        Expr::Var(name.into())
    }

    #[test]
    fn strides_of_indices() {
        let named = FxHashMap::from_iter([("i".into(), id(0))]);
        let of = |e: Expr| stride(&e, &id(0), &named);
        let i = || var("i");
        assert_eq!(of(i().add(var("k"))), Stride::Times(1));
        assert_eq!(of(var("k").mul(Expr::int(3)).sub(i().mul(Expr::int(2)))), Stride::Times(-2));
        assert_eq!(of(id(1).mul(var("n"))), Stride::NONE);
        assert_eq!(of(i().mul(var("n")).add(i())), Stride::Far);
        assert_eq!(of(i().div(Expr::int(2))), Stride::Times(1));
        assert_eq!(of(i().div(var("n"))), Stride::NONE);
        assert_eq!(of(Expr::call("min", [i(), var("n")])), Stride::Times(1));
        assert_eq!(of(Expr::call("max", [i(), i()])), Stride::Far);
        assert_eq!(of(var("table").index(i())), Stride::Far);
    }

    /// `for (i = id(0); …) for (k = 0; k < 8; k++) y[i] = x[k * n + i] + z[id(1)]`
    #[test]
    fn transactions_of_a_loop() {
        let at = |kind: StmtKind| Stmt { kind, origin: None };
        let loop_of = |var: &str, from: Expr, to: Expr, step: Step, body: Vec<Stmt>| {
            let condition = Expr::binary(BinaryOp::Lt, Expr::Var(var.into()), to);
            at(StmtKind::For { ty: CType::Int, var: var.into(), from, condition, step, below: None, body })
        };
        let read = var("x").index(var("k").mul(var("n")).add(var("i"))).add(var("z").index(id(1)));
        let write = at(StmtKind::Assign(var("y").index(var("i")), read));
        let inner = loop_of("k", Expr::int(0), Expr::int(8), Step::Increment, vec![write]);
        let outer =
            loop_of("i", id(0), var("n"), Step::Add(Expr::call("get_global_size", [Expr::int(0)])), vec![inner]);
        // Neighbours in dimension 0 read and write neighbours, and those in dimension 1 the same of `x` and `y`.
        assert_eq!(transactions(&[outer], [id(0), id(1)]), [8 * (4 + 1 + 4 * STORE), 8 * (1 + 4 + STORE)]);
    }
}
