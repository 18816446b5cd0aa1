//! The first elements of sorted rows: one fold in order keeps the best so far, instead of a sort of the whole row.
//!
//! `take k (sort f xs) = generate k (λi. e_i) where (_,e_0,…) = head (reduceSeq (keep f) (0,0,…) xs)`
//!
//! The accumulator is the number of elements that it has and these, in order. An element goes before the first one that it
//! precedes, so elements that are equal keep their order, as in a sort. Most elements are compared with the last one only.
//!
//! Few long rows, and arrays at the top of a kernel, are folded in [`parts`] that lie one after the other.

mod parts;

use super::after_scan::zero;
use super::distribute::split_at;
use super::emitter::Emitter;
use super::nest::is_scalars;
use super::nested::{Work, array_of, is_known, rows_of, work_of};
use super::pass::within;
use super::unrolled::row_of;
use super::versions::{branch, choice, decided, fresh};
use super::{Applied, fails, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::order::NumberOrder;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};

/// Maximum scalars of the kept elements, all of them in registers.
const MOST: usize = 32;
/// Minimum length of a row that is not sorted in registers.
const LEAST: i64 = 32;

/// The kernel in which no array is sorted at host level, or by a map there, for a few elements.
pub fn least(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    within(kernel, |kernel, lengths, body| Writer { kernel, lengths, target, applied, parts: Vec::new() }.block(body))
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    target: &'a Target,
    applied: &'a mut Vec<Applied>,
    /// The maps over lanes that were made.
    parts: Vec<VarId>,
}

/// The first elements of a sorted row, or their positions.
#[derive(Clone)]
struct Found {
    /// The statements of the sort and of the part.
    sort: usize,
    part: usize,
    /// The number of elements.
    count: usize,
    before: Lambda,
    xs: Atom,
    /// The elements' type, and the length of the row.
    element: Ty,
    row: Size,
    positions: bool,
}

impl Writer<'_> {
    /// Rewrites a block at host level.
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let host = !matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto));
            if host {
                super::host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.block(inner));
            }
            match self.versions(&stmt) {
                Some(stmts) => out.extend(stmts),
                None => out.push(stmt),
            }
        }
        block.stmts = out;
        while let Some(found) = Found::of(self.kernel, block) {
            let Some(stmts) = self.at_the_top(&found, block) else { break };
            self.applied.push(Applied { rule: &rules::TAKE_SORT, origin: block.stmts[found.sort].origin.clone() });
            block.stmts.splice(found.part..=found.part, stmts);
            block.stmts.remove(found.sort);
        }
    }

    /// The map with folds; where rows are long and few, those of parts.
    fn versions(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        if call.prim != Prim::Map(Level::Auto) {
            return None;
        }
        let n = self.kernel.atom_ty(call.args.first()?).as_array()?.len.clone();
        let vars = self.kernel.vars.len();
        let done = self.folding(call, &[]);
        if done.rows.is_empty() {
            self.kernel.vars.truncate(vars);
        }
        let (most, shortest) = (done.rows.iter().map(|r| r.count).max()?, shortest(&done.rows)?);
        let below = match self.target.class {
            Class::Gpu => {
                let many = i64::from(self.target.get(Parameter::RowsWaiting)) * i64::from(self.target.compute_units);
                let [lanes, ..] = parts::of_row(self.target);
                let enough = lanes.mul(&Size::nat(most as u64));
                Size::if_le(&Size::int(many), &n, &shortest.add(&Size::one()), &enough)
            }
            Class::Portable | Class::Cpu => shortest.add(&Size::one()),
        };
        let known = decided(&shortest, &below);
        let said = self.applied.len();
        let parted = (known != Some(true)).then(|| self.apart(stmt, call)).flatten();
        self.applied.truncate(said);
        match parted {
            None => {}
            Some(parted) if known == Some(false) => return Some(parted.stmts),
            Some(mut parted) => {
                let vars = &mut self.kernel.vars;
                let then = branch(vars, stmt, Rhs::Prim(done.call));
                let result = fresh(vars, stmt.var, vars[stmt.var.0 as usize].ty.clone());
                parted.stmts.last_mut()?.var = result;
                let otherwise = Block { result: Atom::Var(result), ..parted };
                let mut all = choice(vars, stmt, &shortest, &below, then, otherwise);
                all.stmts.push(Stmt { rhs: Rhs::Atom(all.result), ..stmt.clone() });
                return Some(all.stmts);
            }
        }
        Some(vec![Stmt { rhs: Rhs::Prim(done.call), ..stmt.clone() }])
    }

    /// A copy of the map that sorts no row for a few elements; each row is folded in parts by so many lanes, then these by
    /// fewer.
    fn folding(&mut self, call: &PrimCall, lanes: &[Size]) -> Folding {
        let mut call = call.clone();
        let mut rows = Vec::new();
        call.funs[0] = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&call.funs[0]);
        self.function(&mut call.funs[0], lanes, &mut rows);
        Folding { call, rows }
    }

    /// A map for the lanes of all rows, then those for fewer, and one for the result.
    fn apart(&mut self, stmt: &Stmt, call: &PrimCall) -> Option<Block> {
        let Folding { call, .. } = self.folding(call, &parts::of_row(self.target));
        let at: Vec<VarId> = call.funs[0].body.stmts.iter().map(|s| s.var).filter(|v| self.parts.contains(v)).collect();
        // Rows of deeper maps are many.
        if at.is_empty() || call.funs[0].params.len() != 1 || call.funs[0].position.is_some() {
            return None;
        }
        let stmts = split_at(self.kernel, self.lengths, stmt, &call, &at)?;
        Some(Block { stmts, result: Atom::Var(stmt.var) })
    }

    /// Rewrites a function and those in it, and adds the rows that it no longer sorts.
    fn function(&mut self, f: &mut Lambda, lanes: &[Size], rows: &mut Vec<Found>) {
        for stmt in &mut f.body.stmts {
            if let Rhs::Prim(call) = &mut stmt.rhs
                && call.prim == Prim::Map(Level::Auto)
            {
                call.funs.iter_mut().for_each(|f| self.function(f, lanes, rows));
            }
        }
        while let Some(found) = Found::of(self.kernel, &f.body) {
            let Some(stmts) = self.folded(&found, &f.body, lanes) else { return };
            self.applied.push(Applied { rule: &rules::TAKE_SORT, origin: f.body.stmts[found.sort].origin.clone() });
            f.body.stmts.splice(found.part..=found.part, stmts);
            f.body.stmts.remove(found.sort);
            rows.push(found);
        }
    }

    /// The statements that make the part by a fold, which goes over what folds of parts have kept.
    fn folded(&mut self, found: &Found, body: &Block, lanes: &[Size]) -> Option<Vec<Stmt>> {
        let stmt = &body.stmts[found.part];
        let origin = &stmt.origin;
        let like = stmt.var;
        let kept =
            if found.positions { Ty::tuple(vec![Ty::int(), found.element.clone()]) } else { found.element.clone() };
        let mut out = Emitter { origin, stmts: Vec::new() };
        let mut xs = found.xs.clone();
        if found.positions {
            let iota =
                PrimCall { prim: Prim::Iota, sizes: vec![found.row.clone()], funs: Vec::new(), args: Vec::new() };
            let iota = out.emit(self.kernel, like, array_of(&Ty::int(), &found.row), Rhs::Prim(iota));
            let zip = PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args: vec![iota, xs] };
            xs = out.emit(self.kernel, like, array_of(&kept, &found.row), Rhs::Prim(zip));
        }
        let mut state = vec![Ty::int()];
        state.extend(std::iter::repeat_n(kept.clone(), found.count));
        let state = Ty::tuple(state);
        let nothing = zero(self.kernel, &kept, stmt, &mut out.stmts);
        let mut start = vec![Atom::Lit(Literal::Int(0))];
        start.extend(std::iter::repeat_n(nothing, found.count));
        let start = out.emit(self.kernel, like, state.clone(), Rhs::Tuple(start));
        let keep = Keep { found, state, kept, start, origin, like };
        let mut row = found.row.clone();
        for lanes in lanes {
            (xs, row) = self.by_lanes(&keep, &mut out, (&xs, &row), lanes)?;
        }
        let step = self.step(&keep);
        let mut elements = self.kept_by(&keep, &mut out, step, xs);
        if found.positions {
            for e in &mut elements {
                *e = out.emit(self.kernel, like, Ty::int(), Rhs::Proj(e.clone(), 0));
            }
        }
        let result = self.kernel.ty(stmt.var).clone();
        let (made, row) = row_of(&mut self.kernel.vars, self.lengths, origin, elements, &result)?;
        out.stmts.extend(made);
        out.stmts.push(Stmt { rhs: Rhs::Atom(row), ..stmt.clone() });
        Some(out.stmts)
    }

    /// The elements that a fold keeps.
    fn kept_by(&mut self, keep: &Keep, out: &mut Emitter, step: Lambda, xs: Atom) -> Vec<Atom> {
        let Keep { state, kept, like, .. } = keep;
        let args = vec![keep.start.clone(), xs];
        let fold = PrimCall { prim: Prim::Reduce(Level::Seq), sizes: Vec::new(), funs: vec![step], args };
        let folded = out.emit(self.kernel, *like, array_of(state, &Size::one()), Rhs::Prim(fold));
        let head = PrimCall { prim: Prim::Head, sizes: Vec::new(), funs: Vec::new(), args: vec![folded] };
        let all = out.emit(self.kernel, *like, state.clone(), Rhs::Prim(head));
        let part = |k: usize| out.emit(self.kernel, *like, kept.clone(), Rhs::Proj(all.clone(), k));
        (1..=keep.found.count).map(part).collect()
    }

    /// λ((n,e_0,…),x). (n,e_0,…), with x before the first element that it precedes
    fn step(&mut self, keep: &Keep) -> Lambda {
        let Keep { found, state, kept, origin, like, .. } = keep;
        let like = *like;
        let (acc, x) =
            (fresh(&mut self.kernel.vars, like, state.clone()), fresh(&mut self.kernel.vars, like, kept.clone()));
        let mut out = Emitter { origin, stmts: Vec::new() };
        let n = out.emit(self.kernel, like, Ty::int(), Rhs::Proj(Atom::Var(acc), 0));
        let last = out.emit(self.kernel, like, kept.clone(), Rhs::Proj(Atom::Var(acc), found.count));
        let int = |k: usize| Atom::Lit(Literal::Int(i32::try_from(k).unwrap_or(i32::MAX)));
        let room = out.scalar(self.kernel, like, ScalarOp::Lt, vec![n.clone(), int(found.count)]);
        let goes = self.precedes(found, &mut out, &Atom::Var(x), &last, like);
        let enters = out.scalar(self.kernel, like, ScalarOp::Or, vec![room, goes]);
        // Where it enters: whether it goes before each element, or there is none.
        let mut inner = Emitter { origin, stmts: Vec::new() };
        let mut elements = Vec::new();
        let mut moved: Option<(Atom, Atom)> = None;
        for k in 0..found.count {
            let e = inner.emit(self.kernel, like, kept.clone(), Rhs::Proj(Atom::Var(acc), k + 1));
            let none = inner.scalar(self.kernel, like, ScalarOp::Le, vec![n.clone(), int(k)]);
            let goes = self.precedes(found, &mut inner, &Atom::Var(x), &e, like);
            let here = inner.scalar(self.kernel, like, ScalarOp::Or, vec![none, goes]);
            // After x, each element is the one before.
            let new = match &moved {
                None => Atom::Var(x),
                Some((earlier, before)) => inner.choose(self.kernel, like, kept, earlier, before, &Atom::Var(x)),
            };
            elements.push(inner.choose(self.kernel, like, kept, &here, &new, &e));
            moved = Some((here, e));
        }
        let one = inner.scalar(self.kernel, like, ScalarOp::Add, vec![n, int(1)]);
        let more = inner.scalar(self.kernel, like, ScalarOp::Min, vec![one, int(found.count)]);
        elements.insert(0, more);
        let entered = inner.emit(self.kernel, like, state.clone(), Rhs::Tuple(elements));
        let then = Block { stmts: inner.stmts, result: entered };
        let otherwise = Block { stmts: Vec::new(), result: Atom::Var(acc) };
        let result = out.emit(self.kernel, like, state.clone(), Rhs::If(enters, then, otherwise));
        let body = Block { stmts: out.stmts, result };
        Lambda { position: None, params: vec![acc, x], body, origin: (*origin).clone() }
    }

    /// Whether one kept element goes before another one that came earlier. NaN goes last.
    fn precedes(&mut self, found: &Found, out: &mut Emitter, x: &Atom, e: &Atom, like: VarId) -> Atom {
        let (mut x, mut e) = (x.clone(), e.clone());
        if found.positions {
            x = out.emit(self.kernel, like, found.element.clone(), Rhs::Proj(x, 1));
            e = out.emit(self.kernel, like, found.element.clone(), Rhs::Proj(e, 1));
        }
        let mut copier = Copier::new(&mut self.kernel.vars, self.lengths);
        for (param, value) in found.before.params.iter().zip([&x, &e]) {
            copier.atoms.insert(*param, value.clone());
        }
        let Block { stmts, result } = copier.block(&found.before.body);
        out.stmts.extend(stmts);
        let order = NumberOrder::of(&found.before);
        let Some((order, scalar)) = order.and_then(|o| o.scalar(&found.element).map(|s| (o, s))) else { return result };
        if !matches!(scalar, Scalar::Half | Scalar::Float | Scalar::Double) {
            return result;
        }
        let [of_x, of_e] = [x, e].map(|value| {
            let number = out.component(self.kernel, like, &found.element, value, &order.path);
            out.scalar(self.kernel, like, ScalarOp::IsNan, vec![number])
        });
        let number = out.scalar(self.kernel, like, ScalarOp::Not, vec![of_x]);
        let before_nan = out.scalar(self.kernel, like, ScalarOp::And, vec![number, of_e]);
        out.scalar(self.kernel, like, ScalarOp::Or, vec![result, before_nan])
    }
}

/// A map without sorts, and what it sorted before.
struct Folding {
    call: PrimCall,
    rows: Vec<Found>,
}

/// A fold that keeps the best elements.
struct Keep<'a> {
    found: &'a Found,
    /// The accumulator, its first value, and an element in it.
    state: Ty,
    start: Atom,
    kept: Ty,
    origin: &'a Origin,
    like: VarId,
}

/// The length of the shortest row.
fn shortest(rows: &[Found]) -> Option<Size> {
    let (first, rest) = rows.split_first()?;
    let least = |a: Size, b: &Found| if a == b.row { a } else { Size::min(&a, &b.row) };
    Some(rest.iter().fold(first.row.clone(), least))
}

impl Found {
    fn of(kernel: &Kernel, body: &Block) -> Option<Found> {
        let at = |part: usize| {
            let Rhs::Prim(PrimCall { prim: Prim::Take, sizes, args, .. }) = &body.stmts[part].rhs else { return None };
            let count = usize::try_from(sizes.first()?.as_const()?).ok().filter(|k| *k > 1)?;
            let Some(Atom::Var(sorted)) = args.first() else { return None };
            let sort = body.stmts[..part].iter().position(|s| s.var == *sorted)?;
            let Rhs::Prim(call) = &body.stmts[sort].rhs else { return None };
            let positions = match call.prim {
                Prim::Sort => false,
                Prim::Argsort => true,
                _ => return None,
            };
            let ([before], [xs]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
            let (row, element) = rows_of(&kernel.atom_ty(xs))?;
            let words = scalars(&element) + usize::from(positions);
            // A fold compares other pairs than a sort.
            let items = before.body.stmts.iter().all(|s| work_of(kernel, s) == Work::Item)
                && !fails::may_fail(&kernel.vars, &before.body);
            let alone = body.result != Atom::Var(*sorted)
                && body.stmts.iter().filter(|s| uses::mentions(s, &|v| v == *sorted)).count() == 1;
            let long = is_known(&row) && row.as_const().is_none_or(|n| n > LEAST);
            let fits = is_scalars(&element) && words * count <= MOST;
            (alone && items && long && fits && before.position.is_none()).then(|| Found {
                sort,
                part,
                count,
                before: before.clone(),
                xs: xs.clone(),
                element,
                row,
                positions,
            })
        };
        (0..body.stmts.len()).find_map(at)
    }
}

fn scalars(ty: &Ty) -> usize {
    match ty.kind() {
        TyKind::Tuple(parts) => parts.iter().map(scalars).sum(),
        _ => 1,
    }
}
