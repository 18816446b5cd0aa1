//! Few, long rows: the whole device computes one row at a time.
//!
//! If rows are few, operators that a group or a work-item runs on a row (filter, sort, scan, histogram, loop) leave
//! most of the device idle. Then `map f = mapHost f`: the host applies `f` to one row at a time, and its operators are
//! those of the top of a kernel. The host chooses between that version and the other ones.
//!
//! A map, fold or scan whose function has a loop whose state may grow is always computed so: only the host makes memory that
//! grows. The test of such a filter is mapped before (`copies`).
//!
//! A fold or scan in order whose accumulator is a long row is such a loop too: `reduceSeq f z = reduceHost f z`.

use super::bounds::Bounds;
use super::copies::tested_before;
use super::pass::{Names, over};
use super::rules::Rule;
use super::versions::{branch, choice, decided};
use super::{Applied, by_key, on_the_host, rounds, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::schedule::flat::is_flat;
use crate::schedule::nested::{is_known, rounds_of};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The kernel with both versions of the maps at host level over rows that are worth the whole device.
pub fn in_turn(kernel: &Kernel, target: &Target, applied: &mut Vec<Applied>) -> Option<Kernel> {
    let before = applied.len();
    let kernel = tested_before(kernel.clone(), applied);
    let bounds = Bounds::of(&kernel, &BTreeSet::new());
    let made = over(kernel, |kernel, Names { vars, lengths }, body| {
        Writer { kernel, bounds: &bounds, vars, lengths, target, applied: &mut *applied }.block(body);
    });
    (applied.len() > before).then_some(made)
}

struct Writer<'a> {
    kernel: &'a Kernel,
    bounds: &'a Bounds,
    vars: &'a mut Vec<VarInfo>,
    lengths: &'a mut Lengths,
    target: &'a Target,
    applied: &'a mut Vec<Applied>,
}

/// An operator of a function that is worth the whole device.
struct Long {
    /// Its number of elements.
    row: Size,
    /// Its number of executions.
    times: Size,
}

impl Writer<'_> {
    /// Maximum folds of an array that all elements of a map read, if the device computes one after the other. With more
    /// folds, a group for each keeps the device as busy.
    fn most_folds(&self, stmt: &Stmt) -> i64 {
        let target = self.target.written(&stmt.settings());
        i64::from(target.compute_units / target.get(Parameter::TurnsUnits))
    }

    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let most = self.most_folds(&stmt);
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.block(a);
                    self.block(b);
                }
                Rhs::Prim(call) if on_the_host(self.kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.block(&mut f.body));
                }
                Rhs::Prim(call) if grows(self.bounds, stmt.var, call) => {
                    let rule = if is_map(call) { &rules::MAP_IN_TURN } else { &rules::FOLD_IN_TURN };
                    self.applied.push(Applied { rule, origin: stmt.origin.clone() });
                    grown_at_the_host(self.bounds, call);
                }
                Rhs::Prim(call) if self.target.class == Class::Gpu => {
                    let made = match long_accumulator(self.kernel, call) {
                        Some(row) => self.fold_versions(&stmt, &row),
                        None => long_map(self.kernel, call, most)
                            .filter(|_| !finds_room(self.bounds, stmt.var, call))
                            .and_then(|long| self.versions(&stmt, &long)),
                    };
                    if let Some(stmts) = made {
                        block.stmts.extend(stmts);
                        continue;
                    }
                }
                _ => {}
            }
            block.stmts.push(stmt);
        }
    }

    /// Both versions of a map.
    fn versions(&mut self, stmt: &Stmt, long: &Long) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        // Minimum elements of a row: absolute, and for each row.
        let target = self.target.written(&stmt.settings());
        let [row, each] = [Parameter::TurnsRow, Parameter::TurnsEach].map(|p| i64::from(target.get(p)));
        if decided(&Size::int(row), &long.row.add(&Size::one())) == Some(false) {
            return None;
        }
        let least = Size::max(&Size::int(row), &long.times.mul(&Size::int(each)));
        let bounds = self.bounds;
        let place = |kernel: &Kernel, of: &PrimCall, call: &mut PrimCall| at_the_host(kernel, bounds, of, call);
        self.chosen(stmt, call, (&least, &long.row), &rules::MAP_IN_TURN, place)
    }

    /// Both versions of a sequential fold or scan.
    fn fold_versions(&mut self, stmt: &Stmt, row: &Size) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        // A group runs rounds of few elements (`loops_in`), so that no work-item has to.
        let least = match rounds_of(self.kernel, stmt) {
            Some(_) => Size::zero(),
            None => Size::nat(self.target.written(&stmt.settings()).get(Parameter::TurnsState).into()),
        };
        self.chosen(stmt, call, (&least, row), &rules::FOLD_IN_TURN, |_, _, call| {
            call.prim = by_the_host(call.prim);
        })
    }

    /// A choice between the call and, for at least this many elements of a row, its copy at host level.
    fn chosen(
        &mut self,
        stmt: &Stmt,
        call: &PrimCall,
        (least, row): (&Size, &Size),
        rule: &'static Rule,
        place: impl FnOnce(&Kernel, &PrimCall, &mut PrimCall),
    ) -> Option<Vec<Stmt>> {
        let behind = row.add(&Size::one());
        let known = decided(least, &behind);
        if known == Some(false) {
            return None;
        }
        self.applied.push(Applied { rule, origin: stmt.origin.clone() });
        let mut turns = call.clone();
        turns.funs = vec![Copier::new(self.vars, self.lengths).lambda(&call.funs[0])];
        place(self.kernel, call, &mut turns);
        let turns = branch(self.vars, stmt, Rhs::Prim(turns));
        let mut made = match known {
            Some(_) => turns,
            None => {
                let others = branch(self.vars, stmt, stmt.rhs.clone());
                choice(self.vars, stmt, least, &behind, turns, others)
            }
        };
        made.stmts.last_mut()?.var = stmt.var;
        Some(made.stmts)
    }
}

/// Places a map, and those inside whose elements are rows, at the host; `of` is the call of which `call` is a copy.
fn at_the_host(kernel: &Kernel, bounds: &Bounds, of: &PrimCall, call: &mut PrimCall) {
    call.prim = Prim::Map(Level::Host);
    let few = if by_key::would_match(kernel, &of.funs[0].body) { 0 } else { i64::MAX };
    let stmts = of.funs[0].body.stmts.iter().zip(&mut call.funs[0].body.stmts);
    for (original, stmt) in stmts {
        if let (Rhs::Prim(of), Rhs::Prim(call)) = (&original.rhs, &mut stmt.rhs)
            && long_map(kernel, of, few).is_some()
            && !finds_room(bounds, original.var, of)
        {
            at_the_host(kernel, bounds, of, call);
        }
    }
}

/// Whether the function of a map, fold or scan runs a loop whose state may grow, on which the memory of the results does not
/// depend.
fn grows(bounds: &Bounds, var: VarId, call: &PrimCall) -> bool {
    let (Prim::Map(Level::Auto) | Prim::Reduce(Level::Auto | Level::Seq) | Prim::Scan(Level::Auto | Level::Seq), [f]) =
        (call.prim, call.funs.as_slice())
    else {
        return false;
    };
    let takes = if is_map(call) { 1 } else { 2 };
    f.params.len() == takes && f.position.is_none() && bounds.has_state_in(&f.body) && !finds_room(bounds, var, call)
}

fn is_map(call: &PrimCall) -> bool {
    matches!(call.prim, Prim::Map(_))
}

/// A map, fold or scan that the host computes one element after the other.
fn by_the_host(prim: Prim) -> Prim {
    match prim {
        Prim::Scan(_) => Prim::Scan(Level::Host),
        Prim::Reduce(_) => Prim::Reduce(Level::Host),
        _ => Prim::Map(Level::Host),
    }
}

/// Places a map, fold or scan, and those inside whose functions have such loops, at the host.
fn grown_at_the_host(bounds: &Bounds, call: &mut PrimCall) {
    call.prim = by_the_host(call.prim);
    for stmt in call.funs.iter_mut().flat_map(|f| &mut f.body.stmts) {
        if let Rhs::Prim(inner) = &mut stmt.rhs
            && grows(bounds, stmt.var, inner)
        {
            grown_at_the_host(bounds, inner);
        }
    }
}

/// Whether the function of a map computes a length, or runs a loop, that determines the memory of the results. Then the
/// maximum over all results must be known before the first one is stored.
fn finds_room(bounds: &Bounds, map: VarId, call: &PrimCall) -> bool {
    let mut inside = FxHashSet::default();
    call.funs.iter().for_each(|f| {
        f.body.visit(&mut |stmt| {
            inside.extend(bounds.length(stmt.var));
            inside.extend(bounds.state(stmt.var).iter().map(|state| &state.end));
        });
    });
    bounds.get(map).iter().flatten().any(|most| most.any_var(&mut |v| inside.contains(v)))
}

/// The length of the longest row in the accumulator of a fold or scan in order, if its function has work for the device.
fn long_accumulator(kernel: &Kernel, call: &PrimCall) -> Option<Size> {
    let (Prim::Reduce(Level::Seq) | Prim::Scan(Level::Seq), [f]) = (call.prim, call.funs.as_slice()) else {
        return None;
    };
    let xs = kernel.atom_ty(call.args.get(1)?);
    xs.as_array().filter(|a| a.position.is_none() && is_known(&a.len))?;
    let accumulator = kernel.ty(*f.params.first()?);
    if f.position.is_some() || !rounds::has_work(kernel, &f.body, true) {
        return None;
    }
    longest(accumulator)
}

/// The length of the longest row of a value; `None` if it has no row, or one whose length is hidden or differs from
/// row to row.
fn longest(ty: &Ty) -> Option<Size> {
    match ty.kind() {
        TyKind::Tuple(parts) => {
            let arrays = parts.iter().filter(|part| !is_flat(part));
            let each = arrays.map(longest).collect::<Option<Vec<Size>>>()?;
            each.into_iter().reduce(|a, b| Size::max(&a, &b))
        }
        _ => {
            let array = ty.as_array().filter(|a| a.position.is_none() && is_known(&a.len))?;
            match is_flat(&array.element) {
                true => Some(array.len.clone()),
                false => Some(array.len.mul(&longest(&array.element)?)),
            }
        }
    }
}

/// The long rows of a map whose function is applied to each by itself. Up to `few` elements, a constant number of them, are
/// worth the whole device for a fold.
fn long_map(kernel: &Kernel, call: &PrimCall, few: i64) -> Option<Long> {
    let (Prim::Map(Level::Auto), [f]) = (call.prim, call.funs.as_slice()) else { return None };
    let rows = kernel.atom_ty(call.args.first()?);
    let rows = rows.as_array().filter(|a| a.position.is_none() && is_known(&a.len))?;
    if f.position.is_some() || f.params.len() != 1 {
        return None;
    }
    let few = rows.len.as_const().map_or(0, |n| few / n.max(1));
    let long = long(kernel, f, few)?;
    Some(Long { times: long.times.mul(&rows.len), ..long })
}

/// The longest row that a function processes by an operator for which at most one group shares a row; also by a fold, if the
/// function has at least one of `few` elements.
fn long(kernel: &Kernel, f: &Lambda, few: i64) -> Option<Long> {
    let mut found: Option<Long> = None;
    let by_key = by_key::would_match(kernel, &f.body);
    let few = if by_key { 0 } else { few };
    if let Some(row) = f.params.first().and_then(|x| row(kernel, &Atom::Var(*x)))
        && by_key
    {
        found = Some(Long { row, times: Size::one() });
    }
    for stmt in &f.body.stmts {
        let Rhs::Prim(call) = &stmt.rhs else { continue };
        let over = |at: usize| call.args.get(at).and_then(|xs| row(kernel, xs));
        let row = match call.prim {
            Prim::Filter(Level::Auto) | Prim::Sort | Prim::Argsort => over(0),
            Prim::Scan(Level::Auto) | Prim::ScanExcl(Level::Auto) => over(1),
            Prim::Iterate | Prim::IterateWhile if on_the_host(kernel, call) => over(0),
            // Groups share a fold of rows of a matrix, but not one of an array that all elements read.
            Prim::Reduce(Level::Auto) if few > 0 && f.params.iter().all(|x| is_flat(kernel.ty(*x))) => over(1),
            _ => None,
        };
        let here = match row {
            Some(row) => Some(Long { row, times: Size::one() }),
            None => long_map(kernel, call, few),
        };
        found = match (found, here) {
            (Some(a), Some(b)) => Some(Long { row: Size::max(&a.row, &b.row), times: Size::max(&a.times, &b.times) }),
            (a, b) => a.or(b),
        };
    }
    found
}

/// The length of an array of scalars, or tuples of them, if it may be long.
fn row(kernel: &Kernel, xs: &Atom) -> Option<Size> {
    let ty = kernel.atom_ty(xs);
    let array = ty.as_array().filter(|a| a.position.is_none() && is_flat(&a.element) && is_known(&a.len))?;
    array.len.as_const().is_none_or(|n| n >= super::nested::LONG).then(|| array.len.clone())
}
