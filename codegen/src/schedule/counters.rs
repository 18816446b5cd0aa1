//! Counters of loops at host level: components of a state to which each iteration adds the same integer, or that it
//! leaves as they are. Such a component follows from the number of the iteration, so it need not be part of the state:
//!
//! `iterate k (λ(i,x). (i + d, f i x)) (s,x) = (s + k·d, reduceHost (λ(x,r). f (s + r·d) x) x (iota k))`
//!
//! The host knows the number of the current iteration, and so indices, rows and conditions that depend on it. For an
//! `iterateWhile` that only tests whether a counter is below a number, the host reads the number of iterations once.

use super::counted::{component, defined};
use super::versions::fresh;
use super::{Applied, bounds, host_blocks, on_the_host, rules};
use crate::core::copy::Lengths;
use crate::core::simplify::{bound_in, simplify};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId, VarInfo};
use crate::target::Target;
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

/// Replaces counting loops at host level by folds over the numbers of iterations.
pub fn counters(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    let before = applied.len();
    let mut tuples = FxHashMap::default();
    kernel.body.visit(&mut |stmt| {
        if let Rhs::Tuple(parts) = &stmt.rhs {
            tuples.insert(stmt.var, parts.clone());
        }
    });
    let (vars, lengths) = (kernel.vars.clone(), Lengths::of(&kernel));
    let mut writer = Writer { kernel: &kernel, target, tuples, vars, lengths, applied };
    let mut body = kernel.body.clone();
    writer.block(&mut body);
    let vars = writer.vars;
    if applied.len() == before {
        return kernel;
    }
    simplify(Kernel { vars, body, ..kernel })
}

struct Writer<'a> {
    kernel: &'a Kernel,
    target: &'a Target,
    /// The components of each tuple.
    tuples: FxHashMap<VarId, Vec<Atom>>,
    vars: Vec<VarInfo>,
    lengths: Lengths,
    applied: &'a mut Vec<Applied>,
}

/// A loop whose function is `f`.
struct Loop<'s> {
    stmt: &'s Stmt,
    f: &'s Lambda,
    state: VarId,
    rounds: Rounds,
    /// The types of the components of the state.
    types: Vec<Ty>,
    start: Vec<Atom>,
    next: Vec<Atom>,
}

enum Rounds {
    /// The host knows the number before the run.
    Known(Size),
    /// A counter is incremented from `start` to `bound`.
    Until { start: i32, bound: Atom },
}

/// The change of a component in each iteration.
enum Change {
    None,
    Adds(Atom),
    Subtracts(Atom),
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.block(inner));
            let made = self.looped(&stmt).and_then(|l| {
                let changes = l.changes()?;
                Some(self.folded(&l, &changes))
            });
            match made {
                Some(stmts) => block.stmts.extend(stmts),
                None => block.stmts.push(stmt),
            }
        }
    }

    fn looped<'s>(&self, stmt: &'s Stmt) -> Option<Loop<'s>> {
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        if !on_the_host(self.kernel, call) {
            return None;
        }
        let f = call.funs.last()?;
        let (TyKind::Tuple(types), [Atom::Var(start)], [state], None) =
            (self.kernel.ty(stmt.var).kind(), call.args.as_slice(), f.params.as_slice(), &f.position)
        else {
            return None;
        };
        if bounds::hidden(self.kernel.ty(stmt.var)) > 0 || self.kernel.ty(*start) != self.kernel.ty(stmt.var) {
            return None;
        }
        let start = self.tuples.get(start)?.clone();
        let Rhs::Tuple(next) = defined(&f.body, &f.body.result)? else { return None };
        let unrolled = i64::from(self.target.written(&stmt.settings()).get(Parameter::LoopsUnrolled));
        let rounds = match (call.prim, call.sizes.as_slice(), call.funs.as_slice()) {
            (Prim::Iterate, [count], [_]) if count.as_const().is_none_or(|k| k > unrolled) => {
                Rounds::Known(count.clone())
            }
            (Prim::IterateWhile, [], [test, f]) => until(test, f, &start, next)?,
            _ => return None,
        };
        Some(Loop { stmt, f, state: *state, rounds, types: types.to_vec(), start, next: next.clone() })
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        fresh(&mut self.vars, like, ty)
    }

    /// The statements of the fold.
    fn folded(&mut self, l: &Loop, changes: &[Option<Change>]) -> Vec<Stmt> {
        let origin = &l.stmt.origin;
        self.applied.push(Applied { rule: &rules::COUNTED_ROUNDS, origin: origin.clone() });
        let int = Ty::int();
        let mut out = Vec::new();
        let (count, numbers) = self.numbers(l, &mut out);
        let rest: Vec<usize> = (0..changes.len()).filter(|i| changes[*i].is_none()).collect();
        let ty = match rest.as_slice() {
            [one] => l.types[*one].clone(),
            _ => Ty::tuple(rest.iter().map(|i| l.types[*i].clone()).collect()),
        };
        let (x, r) = (self.fresh(l.state, ty.clone()), self.fresh(l.stmt.var, int));
        // In the function the state has its counters again.
        let mut stmts = Vec::new();
        let state = self.state(l, changes, &Atom::Var(r), x, &mut stmts);
        stmts.push(at(l.state, Rhs::Tuple(state), origin));
        stmts.extend(l.f.body.stmts.iter().cloned());
        let result = self.chosen(&l.next, &rest, &ty, l.stmt.var, &mut stmts, origin);
        let f =
            Lambda { position: None, params: vec![x, r], body: Block { stmts, result }, origin: l.f.origin.clone() };
        let start = self.chosen(&l.start, &rest, &ty, l.stmt.var, &mut out, origin);
        let (folded, last) = (self.fresh(l.stmt.var, Ty::array(ty.clone(), Size::one())), self.fresh(l.stmt.var, ty));
        out.push(at(folded, prim(Prim::Reduce(Level::Host), Vec::new(), vec![f], vec![start, numbers]), origin));
        out.push(at(last, prim(Prim::Head, Vec::new(), Vec::new(), vec![Atom::Var(folded)]), origin));
        let end = self.state(l, changes, &count, last, &mut out);
        out.push(Stmt { rhs: Rhs::Tuple(end), ..l.stmt.clone() });
        out
    }

    /// The number of iterations, and the array of their numbers.
    fn numbers(&mut self, l: &Loop, out: &mut Vec<Stmt>) -> (Atom, Atom) {
        let (origin, var, int) = (&l.stmt.origin, l.stmt.var, Ty::int());
        match &l.rounds {
            Rounds::Known(count) => {
                let numbers = self.fresh(var, Ty::array(int, count.clone()));
                out.push(at(numbers, prim(Prim::Iota, vec![count.clone()], Vec::new(), Vec::new()), origin));
                (Atom::Size(count.clone()), Atom::Var(numbers))
            }
            Rounds::Until { start, bound } => {
                let start = Atom::Lit(Literal::Int(*start));
                let end = self.scalar(ScalarOp::Max, [bound.clone(), start.clone()], var, out, origin);
                let count = self.scalar(ScalarOp::Sub, [end, start], var, out, origin);
                let hidden = self.lengths.fresh(VarKind::Bound, "X");
                let length = self.lengths.fresh(VarKind::Skolem, "X");
                let packed = Ty::exists(vec![hidden.clone()], Ty::array(int.clone(), Size::var(hidden)));
                let packed = self.fresh(var, packed);
                let numbers = self.fresh(var, Ty::array(int, Size::var(length.clone())));
                out.push(at(packed, prim(Prim::Iota, Vec::new(), Vec::new(), vec![count.clone()]), origin));
                out.push(Stmt { binds: vec![length], ..at(numbers, Rhs::Unpack(Atom::Var(packed)), origin) });
                (count, Atom::Var(numbers))
            }
        }
    }

    /// The components of the state before iteration `number`; `x` has those that are not counters.
    fn state(
        &mut self,
        l: &Loop,
        changes: &[Option<Change>],
        number: &Atom,
        x: VarId,
        out: &mut Vec<Stmt>,
    ) -> Vec<Atom> {
        let origin = &l.stmt.origin;
        let alone = changes.iter().filter(|change| change.is_none()).count() == 1;
        let mut before = 0;
        let mut parts = Vec::new();
        for (i, change) in changes.iter().enumerate() {
            let start = l.start[i].clone();
            let (op, step) = match change {
                None if alone => {
                    parts.push(Atom::Var(x));
                    continue;
                }
                None => {
                    let part = self.fresh(l.state, l.types[i].clone());
                    out.push(at(part, Rhs::Proj(Atom::Var(x), before), origin));
                    before += 1;
                    parts.push(Atom::Var(part));
                    continue;
                }
                Some(Change::None) => {
                    parts.push(start);
                    continue;
                }
                Some(Change::Adds(step)) => (ScalarOp::Add, step),
                Some(Change::Subtracts(step)) => (ScalarOp::Sub, step),
            };
            let all = match is_int(step, 1) {
                true => number.clone(),
                false => self.scalar(ScalarOp::Mul, [number.clone(), step.clone()], l.state, out, origin),
            };
            parts.push(match op {
                ScalarOp::Add if is_int(&start, 0) => all,
                op => self.scalar(op, [start, all], l.state, out, origin),
            });
        }
        parts
    }

    fn scalar(&mut self, op: ScalarOp, operands: [Atom; 2], like: VarId, out: &mut Vec<Stmt>, origin: &Origin) -> Atom {
        let var = self.fresh(like, Ty::int());
        out.push(at(var, Rhs::Scalar(op, operands.to_vec()), origin));
        Atom::Var(var)
    }

    /// Selects components; several are a tuple.
    fn chosen(
        &mut self,
        parts: &[Atom],
        which: &[usize],
        ty: &Ty,
        like: VarId,
        out: &mut Vec<Stmt>,
        origin: &Origin,
    ) -> Atom {
        if let [one] = which {
            return parts[*one].clone();
        }
        let tuple = self.fresh(like, ty.clone());
        out.push(at(tuple, Rhs::Tuple(which.iter().map(|i| parts[*i].clone()).collect()), origin));
        Atom::Var(tuple)
    }
}

impl Loop<'_> {
    /// The known change of each component in an iteration; `None` if no change is known, or all are.
    fn changes(&self) -> Option<Vec<Option<Change>>> {
        let mut bound = Vec::new();
        bound_in(&self.f.body, &mut bound);
        let outside = |a: &Atom| match a {
            Atom::Var(v) => !bound.contains(v) && *v != self.state,
            Atom::Lit(_) => true,
            Atom::Size(size) => !size.any_var(&mut |v| v.kind != VarKind::Param),
        };
        let change = |i: usize| {
            let is_counter = |a: &Atom| component(self.f, a) == Some(i);
            if is_counter(&self.next[i]) {
                return Some(Change::None);
            }
            if self.types[i] != Ty::int() {
                return None;
            }
            match defined(&self.f.body, &self.next[i])? {
                Rhs::Scalar(ScalarOp::Add, operands) => match operands.as_slice() {
                    [a, step] | [step, a] if is_counter(a) && outside(step) => Some(Change::Adds(step.clone())),
                    _ => None,
                },
                Rhs::Scalar(ScalarOp::Sub, operands) => match operands.as_slice() {
                    [a, step] if is_counter(a) && outside(step) => Some(Change::Subtracts(step.clone())),
                    _ => None,
                },
                _ => None,
            }
        };
        let changes: Vec<Option<Change>> = (0..self.types.len()).map(change).collect();
        (changes.iter().any(Option::is_some) && changes.iter().any(Option::is_none)).then_some(changes)
    }
}

/// The iterations of an `iterateWhile` that counts by ones from a natural number up to one that is known before the loop.
fn until(test: &Lambda, f: &Lambda, start: &[Atom], next: &[Atom]) -> Option<Rounds> {
    let Rhs::Scalar(op, operands) = defined(&test.body, &test.body.result)? else { return None };
    let (counter, bound) = match (op, operands.as_slice()) {
        (ScalarOp::Lt, [counter, bound]) | (ScalarOp::Gt, [bound, counter]) => (counter, bound),
        _ => return None,
    };
    // The test must not do anything else, such as stop the run.
    let compares = |rhs: &Rhs| matches!(rhs, Rhs::Proj(..) | Rhs::Scalar(ScalarOp::Lt | ScalarOp::Gt, _));
    let mut bound_inside = test.params.clone();
    bound_in(&test.body, &mut bound_inside);
    let outside = match bound {
        Atom::Var(v) => !bound_inside.contains(v),
        _ => true,
    };
    let at = component(test, counter).filter(|_| outside && test.body.stmts.iter().all(|s| compares(&s.rhs)))?;
    let Atom::Lit(Literal::Int(start @ 0..)) = start.get(at)? else { return None };
    let Rhs::Scalar(ScalarOp::Add, operands) = defined(&f.body, next.get(at)?)? else { return None };
    match operands.as_slice() {
        [a, step] | [step, a] if component(f, a) == Some(at) && is_int(step, 1) => {
            Some(Rounds::Until { start: *start, bound: bound.clone() })
        }
        _ => None,
    }
}

fn is_int(a: &Atom, n: i32) -> bool {
    *a == Atom::Lit(Literal::Int(n))
}

fn at(var: VarId, rhs: Rhs, origin: &Origin) -> Stmt {
    Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() }
}

fn prim(prim: Prim, sizes: Vec<Size>, funs: Vec<Lambda>, args: Vec<Atom>) -> Rhs {
    Rhs::Prim(PrimCall { prim, sizes, funs, args })
}
