//! Folds of the rows that a nest makes: `map (reduce f z) (map (λx. map (λy. g (reduce h w …)) ys) xs)`. A group folds the
//! results of its tiles while they are in registers, so that the matrix is never stored.

use super::kept::bytes_of;
use super::nest::{self, Nest};
use super::nested::{Work, work_of};
use super::{fails, on_the_host, uses};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Work-items of a group, 16 of which share a row.
pub const ITEMS: u32 = 256;

/// The size of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileSize {
    /// Rows of a work-item, and as many columns.
    pub item: u64,
    /// Iterations of the nest's fold in each of the two halves of local memory.
    pub depth: u64,
    /// Work-items that share a row: those of all warps, or of one for nests of few columns.
    pub of_row: u64,
}

impl TileSize {
    /// The numbers of rows and of columns.
    fn sides(&self) -> [u64; 2] {
        [u64::from(ITEMS) / self.of_row * self.item, self.of_row * self.item]
    }
}

const SIZES: [TileSize; 3] = [
    TileSize { item: 8, depth: 8, of_row: 16 },
    TileSize { item: 4, depth: 16, of_row: 16 },
    TileSize { item: 4, depth: 16, of_row: 4 },
];
/// Unused elements after each iteration's.
pub const PADDING: u64 = 4;
/// Maximum bytes of a result of the nest's fold, 64 of which a work-item has in registers; also of a row's fold.
const MOST_OF_CELL: u64 = 4;
const MOST_OF_ROW: u64 = 8;

/// A map that folds the rows of a nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// The map of the nest.
    pub made: VarId,
    pub nest: Nest,
    /// The statement that zips the rows with other arguments of the function.
    pub zip: Option<VarId>,
    /// The fold of a row, in that function.
    pub fold: VarId,
    /// The sizes of tiles, the largest first: smaller ones are for few tiles, and the last for few columns.
    pub sizes: Vec<TileSize>,
}

/// The maps at host level that fold the rows of a nest, each by its variable. `lazy`: the maps that are computed where
/// they are read, if that is known.
pub fn find(kernel: &Kernel, lazy: Option<&FxHashSet<VarId>>, target: &Target) -> FxHashMap<VarId, Folded> {
    let mut found = FxHashMap::default();
    in_block(kernel, &kernel.body, lazy, target, &mut found);
    found
}

fn in_block(
    kernel: &Kernel,
    block: &Block,
    lazy: Option<&FxHashSet<VarId>>,
    target: &Target,
    found: &mut FxHashMap<VarId, Folded>,
) {
    for stmt in &block.stmts {
        found.extend(recognise(kernel, &block.stmts, &block.result, stmt, lazy, target));
        let at_host = match &stmt.rhs {
            Rhs::If(..) => true,
            Rhs::Prim(call) => on_the_host(kernel, call),
            _ => false,
        };
        if at_host {
            stmt.rhs.blocks().into_iter().for_each(|inner| in_block(kernel, inner, lazy, target, found));
        }
    }
}

/// The map that folds the rows of `made`, if nothing else reads them.
pub fn recognise(
    kernel: &Kernel,
    stmts: &[Stmt],
    result: &Atom,
    made: &Stmt,
    lazy: Option<&FxHashSet<VarId>>,
    target: &Target,
) -> Option<(VarId, Folded)> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &made.rhs else { return None };
    let ([outer], [Atom::Var(_)], true) = (funs.as_slice(), args.as_slice(), made.binds.is_empty()) else {
        return None;
    };
    let nest = nest::recognise(kernel, outer).filter(|nest| nest.matrix && nest.reorder)?;
    let computed = |f: &Lambda| {
        f.body.stmts.iter().all(|s| match (&s.rhs, lazy) {
            (Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }), Some(lazy)) => lazy.contains(&s.var),
            _ => true,
        })
    };
    let (_, element) = nest::inner(outer)?;
    let only_reader = |v: VarId| {
        let mut readers = stmts.iter().filter(|s| uses::mentions(s, &|w| w == v));
        let reader = readers.next().filter(|_| *result != Atom::Var(v))?;
        readers.next().is_none().then_some(reader)
    };
    let mut reader = only_reader(made.var)?;
    let mut zip = None;
    let mut param = None;
    if let Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) = &reader.rhs {
        param = args.iter().position(|a| *a == Atom::Var(made.var));
        zip = Some(reader.var);
        reader = only_reader(reader.var)?;
    }
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &reader.rhs else { return None };
    let read = zip.unwrap_or(made.var);
    let ([f], true) = (funs.as_slice(), args.as_slice() == [Atom::Var(read)] && reader.binds.is_empty()) else {
        return None;
    };
    let fold = folded(kernel, f, param)?;
    let target = target.written(&reader.settings());
    let safe = !fails::may_fail(&kernel.vars, &outer.body) && computed(element) && computed(f);
    let sizes = sizes(kernel, outer, element, &nest, fold.1, &target).filter(|_| safe)?;
    Some((reader.var, Folded { made: made.var, nest, zip, fold: fold.0, sizes }))
}

/// The only parallel work of a function: the reorderable fold of a row that nothing else reads. `param`: the component
/// of the parameter that is the row.
fn folded<'k>(kernel: &Kernel, f: &'k Lambda, param: Option<usize>) -> Option<(VarId, &'k PrimCall)> {
    let ([p], None) = (f.params.as_slice(), &f.position) else { return None };
    let mut rows: FxHashSet<VarId> = FxHashSet::default();
    if param.is_none() {
        rows.insert(*p);
    }
    let mut found = None;
    for stmt in &f.body.stmts {
        let reads = |s: &Stmt| uses::mentions(s, &|v| rows.contains(&v) || (param.is_some() && v == *p));
        match &stmt.rhs {
            Rhs::Proj(Atom::Var(of), k) if of == p && param.is_some() => {
                rows.extend((Some(*k) == param).then_some(stmt.var));
            }
            Rhs::Prim(call @ PrimCall { prim: Prim::Reduce(Level::Auto), funs, args, .. }) if found.is_none() => {
                let of_row = matches!(&args[1], Atom::Var(v) if rows.contains(v));
                let commutes = funs[0].is_commutative(kernel) && nest::is_same_fold(kernel, f, call);
                if !of_row || !commutes {
                    return None;
                }
                found = Some((stmt.var, call));
            }
            // Element by element: the element of the row at the same place.
            Rhs::Prim(PrimCall { prim: Prim::Zip | Prim::Map(Level::Auto), funs, .. }) if reads(stmt) => {
                let plain = |g: &Lambda| {
                    let item =
                        |s: &Stmt| matches!(s.rhs, Rhs::Scalar(..) | Rhs::Proj(..) | Rhs::Tuple(_) | Rhs::Atom(_));
                    g.position.is_none()
                        && g.body.stmts.iter().all(item)
                        && !g.body.stmts.iter().any(reads)
                        && !fails::may_fail(&kernel.vars, &g.body)
                };
                let flat = kernel.ty(stmt.var).as_array().is_some_and(|a| nest::is_scalars(&a.element));
                if found.is_some() || !flat || !funs.iter().all(plain) {
                    return None;
                }
                rows.insert(stmt.var);
            }
            _ if reads(stmt) || work_of(kernel, stmt) != Work::Item => return None,
            _ => {}
        }
    }
    let scalars = nest::is_scalars(&kernel.atom_ty(&f.body.result));
    found.filter(|_| scalars)
}

/// The tiles that the program allows and whose operands, results and folds fit registers and local memory.
fn sizes(
    kernel: &Kernel,
    outer: &Lambda,
    element: &Lambda,
    nest: &Nest,
    fold: &PrimCall,
    target: &Target,
) -> Option<Vec<TileSize>> {
    let Rhs::Prim(inner) = &element.body.stmts.iter().find(|s| s.var == nest.fold)?.rhs else { return None };
    let (cell, row) = (kernel.atom_ty(&inner.args[0]), kernel.atom_ty(&fold.args[0]));
    let operands = [of_round(kernel.ty(*outer.params.first()?))?, of_round(kernel.ty(*element.params.first()?))?];
    let of_row = bytes_of(&row)?;
    let halves = [&cell, &row].iter().any(|ty| ty.any(&mut |t| t.as_scalar() == Some(Scalar::Half)));
    let groups = target.class == Class::Gpu && target.most_in_group >= ITEMS;
    if !groups || halves || bytes_of(&cell)? > MOST_OF_CELL || of_row > MOST_OF_ROW {
        return None;
    }
    let local = |size: &TileSize| {
        let sides = size.sides();
        let tiles: u64 = sides.iter().zip(operands).map(|(lanes, bytes)| (lanes + PADDING) * bytes).sum();
        2 * size.depth * tiles + sides[0] * size.of_row * of_row
    };
    let most = u64::from(target.get(Parameter::FoldItem));
    let fit = |size: &TileSize| size.item <= most && local(size) <= target.local_memory;
    Some(SIZES.into_iter().filter(fit).collect()).filter(|sizes: &Vec<TileSize>| !sizes.is_empty())
}

/// Bytes of a row, or of scalars that accompany it, that are read in one iteration.
fn of_round(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Tuple(parts) => parts.iter().map(of_round).sum(),
        _ => ty.as_array().map_or(Some(0), |a| bytes_of(&a.element)),
    }
}
