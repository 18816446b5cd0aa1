//! The first and the last element of sorted arrays: folds that keep the element which goes before, or after, all others,
//! instead of sorts.
//!
//! `head (argsort < xs) = i where (_,i) = head (reduce (λ(a,b). if b goes before a then b else a) z (zip xs (iota n)))`
//!
//! Positions decide between equal numbers, as a stable sort does, so that the elements may be folded in any order.

use super::after_scan::zero;
use super::emitter::Emitter;
use super::nested::{array_of, rows_of};
use super::pass::within;
use super::versions::fresh;
use super::{Applied, rules, uses};
use crate::core::order::NumberOrder;
use crate::core::scalar::neutral_of;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};

/// The kernel without sorts of which only the first or the last element is read.
pub fn ends(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    within(kernel, |kernel, _, body| Writer { kernel, applied }.block(body))
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    applied: &'a mut Vec<Applied>,
}

/// A sort by one number in each element.
struct Sorted {
    /// The index of the statement.
    at: usize,
    order: NumberOrder,
    number: Scalar,
    xs: Atom,
    /// The length of the array, and the type of its elements.
    n: Size,
    element: Ty,
    positions: bool,
}

/// Which element of the sorted array is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// What is folded: the number or the element with it, whether the number is NaN, and the position.
const VALUE: usize = 0;
const IS_NAN: usize = 1;
const POSITION: usize = 2;

/// Maximum scalars of an element: a choice by more comparisons is not known to be the same in any order.
const MOST: usize = 3;

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
        while let Some(sorted) = Sorted::of(self.kernel, block) {
            let sort = block.stmts.remove(sorted.at);
            self.applied.push(Applied { rule: &rules::SORT_END, origin: sort.origin.clone() });
            let mut at = sorted.at;
            while at < block.stmts.len() {
                match end_of(&block.stmts[at], sort.var) {
                    Some(end) => {
                        let made = self.fold(&sorted, &sort, &block.stmts[at], end);
                        let count = made.len();
                        block.stmts.splice(at..=at, made);
                        at += count;
                    }
                    None => at += 1,
                }
            }
        }
    }

    /// The statements that compute the first or the last element; `reader` reads it from the sorted array.
    fn fold(&mut self, sorted: &Sorted, sort: &Stmt, reader: &Stmt, end: End) -> Vec<Stmt> {
        let mut out = Emitter { origin: &sort.origin, stmts: Vec::new() };
        let like = sort.var;
        let value = sorted.value();
        let folded = Ty::tuple(vec![value.clone(), Ty::int(), Ty::int()]);
        let call = |prim, sizes, funs, args| Rhs::Prim(PrimCall { prim, sizes, funs, args });
        let positions = array_of(&Ty::int(), &sorted.n);
        let positions =
            out.emit(self.kernel, like, positions, call(Prim::Iota, vec![sorted.n.clone()], vec![], vec![]));
        let pair = Ty::tuple(vec![sorted.element.clone(), Ty::int()]);
        let zip = call(Prim::Zip, vec![], vec![], vec![sorted.xs.clone(), positions]);
        let pairs = out.emit(self.kernel, like, array_of(&pair, &sorted.n), zip);
        let with_flag = self.with_flag(sorted, sort, &pair, &folded);
        let map = call(Prim::Map(Level::Auto), vec![], vec![with_flag], vec![pairs]);
        let all = out.emit(self.kernel, like, array_of(&folded, &sorted.n), map);
        let start = self.start(sorted, sort, end, &mut out);
        let start = out.emit(self.kernel, like, folded.clone(), Rhs::Tuple(start));
        let choice = self.choice(sorted, sort, end, &folded);
        let reduce = call(Prim::Reduce(Level::Auto), vec![], vec![choice], vec![start, all]);
        let one = out.emit(self.kernel, like, array_of(&folded, &Size::one()), reduce);
        let found = out.emit(self.kernel, like, folded, call(Prim::Head, vec![], vec![], vec![one]));
        let part = if sorted.positions { POSITION } else { VALUE };
        out.stmts.push(Stmt { rhs: Rhs::Proj(found, part), ..reader.clone() });
        out.stmts
    }

    /// λ(x,i). (x, is x NaN, i)
    fn with_flag(&mut self, sorted: &Sorted, sort: &Stmt, pair: &Ty, folded: &Ty) -> Lambda {
        let mut out = Emitter { origin: &sort.origin, stmts: Vec::new() };
        let like = sort.var;
        let param = fresh(&mut self.kernel.vars, like, pair.clone());
        let element = out.emit(self.kernel, like, sorted.element.clone(), Rhs::Proj(Atom::Var(param), 0));
        let position = out.emit(self.kernel, like, Ty::int(), Rhs::Proj(Atom::Var(param), 1));
        let number = out.component(self.kernel, like, &sorted.element, element.clone(), &sorted.order.path);
        let flag = match sorted.number.is_floating() {
            true => {
                let is_nan = out.scalar(self.kernel, like, ScalarOp::IsNan, vec![number.clone()]);
                out.chosen_int(self.kernel, like, &is_nan, [1, 0])
            }
            false => int(0),
        };
        let value = if sorted.positions { number } else { element };
        let result = out.emit(self.kernel, like, folded.clone(), Rhs::Tuple(vec![value, flag, position]));
        let body = Block { stmts: out.stmts, result };
        Lambda { position: None, params: vec![param], body, origin: sort.origin.clone() }
    }

    /// What goes after all elements (before all, for the last one), by its flag or its position.
    fn start(&mut self, sorted: &Sorted, sort: &Stmt, end: End, out: &mut Emitter) -> Vec<Atom> {
        let first = end == End::First;
        let least = if first == sorted.order.descending { ScalarOp::Max } else { ScalarOp::Min };
        let value = match neutral_of(least, sorted.number).filter(|_| sorted.value().as_scalar().is_some()) {
            Some(literal) => Atom::Lit(literal),
            None => zero(self.kernel, &sorted.value(), sort, &mut out.stmts),
        };
        match first {
            true => vec![value, int(2), int(i32::MAX)],
            false => vec![value, int(-1), int(-1)],
        }
    }

    /// λ(a,b). if b goes before a (after a, for the last one) then b else a
    fn choice(&mut self, sorted: &Sorted, sort: &Stmt, end: End, folded: &Ty) -> Lambda {
        let mut out = Emitter { origin: &sort.origin, stmts: Vec::new() };
        let like = sort.var;
        let [a, b] = [0, 1].map(|_| fresh(&mut self.kernel.vars, like, folded.clone()));
        let number: Vec<usize> = match sorted.positions {
            true => vec![VALUE],
            false => [VALUE].into_iter().chain(sorted.order.path.iter().copied()).collect(),
        };
        // Numbers that are equal have different positions: what follows only makes the order total.
        let mut compared =
            vec![(vec![IS_NAN], false), (number.clone(), sorted.order.descending), (vec![POSITION], false)];
        let mut others = Vec::new();
        scalars(&sorted.value(), &mut vec![VALUE], &mut others);
        compared.extend(others.into_iter().filter(|path| *path != number).map(|path| (path, false)));
        let mut chosen: Option<Atom> = None;
        for (path, descending) in compared.iter().rev() {
            let [x, y] = [a, b].map(|side| out.component(self.kernel, like, folded, Atom::Var(side), path));
            let (before, after) = match *descending == (end == End::First) {
                true => (ScalarOp::Gt, ScalarOp::Lt),
                false => (ScalarOp::Lt, ScalarOp::Gt),
            };
            let goes = out.scalar(self.kernel, like, before, vec![y.clone(), x.clone()]);
            chosen = Some(match chosen {
                None => goes,
                Some(rest) => {
                    let stays = out.scalar(self.kernel, like, after, vec![y, x]);
                    let ties = out.scalar(self.kernel, like, ScalarOp::Not, vec![stays]);
                    let rest = out.scalar(self.kernel, like, ScalarOp::And, vec![ties, rest]);
                    out.scalar(self.kernel, like, ScalarOp::Or, vec![goes, rest])
                }
            });
        }
        let condition = chosen.unwrap_or(Atom::Lit(Literal::Bool(false)));
        let result = out.choose(self.kernel, like, folded, &condition, &Atom::Var(b), &Atom::Var(a));
        let body = Block { stmts: out.stmts, result };
        Lambda { position: None, params: vec![a, b], body, origin: sort.origin.clone() }
    }
}

impl Sorted {
    /// The first sort of a block of which only ends are read.
    fn of(kernel: &Kernel, block: &Block) -> Option<Sorted> {
        (0..block.stmts.len()).find_map(|at| {
            let stmt = &block.stmts[at];
            let Rhs::Prim(PrimCall { prim: prim @ (Prim::Sort | Prim::Argsort), funs, args, .. }) = &stmt.rhs else {
                return None;
            };
            let ([before], [xs]) = (funs.as_slice(), args.as_slice()) else { return None };
            let order = NumberOrder::of(before)?;
            let (n, element) = rows_of(&kernel.atom_ty(xs))?;
            let number = order.scalar(&element)?;
            let positions = *prim == Prim::Argsort;
            let mut all = Vec::new();
            let fits = positions || scalars(&element, &mut Vec::new(), &mut all) && all.len() <= MOST;
            let mut readers = block.stmts[at + 1..].iter().filter(|s| uses::mentions(s, &|v| v == stmt.var)).peekable();
            let some = readers.peek().is_some() && block.result != Atom::Var(stmt.var);
            let only_ends = readers.all(|s| end_of(s, stmt.var).is_some());
            (fits && some && only_ends && stmt.binds.is_empty()).then(|| Sorted {
                at,
                order,
                number,
                xs: xs.clone(),
                n,
                element,
                positions,
            })
        })
    }

    /// The type of what is folded beside the flag and the position.
    fn value(&self) -> Ty {
        if self.positions { Ty::scalar(self.number) } else { self.element.clone() }
    }
}

/// Which element of an array a statement reads, if it is the first or the last one.
fn end_of(stmt: &Stmt, of: VarId) -> Option<End> {
    let Rhs::Prim(call) = &stmt.rhs else { return None };
    match call.prim {
        _ if call.args.first() != Some(&Atom::Var(of)) => None,
        Prim::Head => Some(End::First),
        Prim::Last => Some(End::Last),
        _ => None,
    }
}

/// Adds the paths to the scalars of a type; whether it has nothing else, and no truth values, which have no order.
fn scalars(ty: &Ty, path: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) -> bool {
    let TyKind::Tuple(parts) = ty.kind() else {
        out.push(path.clone());
        return ty.as_scalar().is_some_and(Scalar::is_number);
    };
    parts.iter().enumerate().all(|(k, part)| {
        path.push(k);
        let all = scalars(part, path, out);
        path.pop();
        all
    })
}

fn int(n: i32) -> Atom {
    Atom::Lit(Literal::Int(n))
}
