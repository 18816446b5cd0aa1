//! Nests: maps whose function folds rows. [`super::tile`] may have a strategy for the recognised ones.
//!
//! In `map (λrow. map (λcolumn. g (reduce f z (zip row column))) columns) rows` every row meets every column, so a
//! block of results reads few rows and columns, each many times. This holds for all element functions and folds, if
//! rows and columns are read in step with the fold: iteration k reads element k of both, and of nothing else.

use super::flat::is_flat;
use super::free;
use super::uses;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// A fold inside one or two maps. The *element function* is the innermost one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nest {
    /// The statement of the fold, in the innermost function.
    pub fold: VarId,
    /// Whether there are two maps, and the function of the first consists of the second.
    pub matrix: bool,
    /// Whether the fold is an unplaced `reduce`, which may be reordered.
    pub reorder: bool,
}

/// The innermost function of a nest and its map, if the nest has two maps.
pub fn inner(outer: &Lambda) -> Option<(&PrimCall, &Lambda)> {
    match &outer.body.stmts.last()?.rhs {
        Rhs::Prim(call @ PrimCall { prim: Prim::Map(_), .. }) => Some((call, call.funs.first()?)),
        _ => None,
    }
}

/// The statement whose value a function returns, possibly with dimensions joined, split or reordered. Work-items that
/// compute an element write it directly to its place in the result.
pub fn returned(f: &Lambda) -> Option<usize> {
    let mut result = &f.body.result;
    for (at, stmt) in f.body.stmts.iter().enumerate().rev() {
        if *result != Atom::Var(stmt.var) {
            return None;
        }
        match &stmt.rhs {
            Rhs::Prim(call) if is_written_through(call) => result = call.args.first()?,
            _ => return Some(at),
        }
    }
    None
}

/// Whether elements of an array that a call [`rearranges`] can be written directly to the result: not if a map joins
/// rows, whose lengths may differ by element.
pub fn is_written_through(call: &PrimCall) -> bool {
    fn joins(f: &Lambda) -> bool {
        f.body.stmts.iter().any(|s| match &s.rhs {
            Rhs::Prim(call) => call.prim == Prim::Join || call.funs.iter().any(joins),
            _ => false,
        })
    }
    rearranges(call) && !call.funs.iter().any(joins)
}

/// Whether a call joins, splits or reorders dimensions of an array or takes its tuples apart, or is a map that does
/// nothing else with each element.
pub fn rearranges(call: &PrimCall) -> bool {
    match (call.prim, call.funs.as_slice()) {
        (Prim::Transpose | Prim::Split | Prim::Join | Prim::Unzip, _) => true,
        (Prim::Map(_), [f]) if f.position.is_none() => {
            let mut made = f.params.first().copied();
            let chain = f.body.stmts.iter().all(|s| {
                let before = made.replace(s.var);
                rearranging(s).is_some_and(|c| c.args.first() == before.map(Atom::Var).as_ref())
            });
            chain && !f.body.stmts.is_empty() && made.map(Atom::Var).as_ref() == Some(&f.body.result)
        }
        _ => false,
    }
}

/// The call of a statement that [`rearranges`] its argument.
pub fn rearranging(stmt: &Stmt) -> Option<&PrimCall> {
    match &stmt.rhs {
        Rhs::Prim(call) if stmt.binds.is_empty() && rearranges(call) => Some(call),
        _ => None,
    }
}

/// The innermost function of `depth` maps, the function of each of which has [`returned`] the next one.
pub fn innermost(call: &mut PrimCall, depth: usize) -> Option<&mut Lambda> {
    let f = call.funs.first_mut()?;
    if depth <= 1 {
        return Some(f);
    }
    let at = returned(f)?;
    match &mut f.body.stmts[at].rhs {
        Rhs::Prim(next) => innermost(next, depth - 1),
        _ => None,
    }
}

/// Grid dimensions left for maps around a nest.
pub const MOST_BATCHES: usize = 2;

/// Whether a statement before the inner map only takes a component of the row.
pub fn is_of_row(outer: &Lambda, stmt: &Stmt) -> bool {
    let Rhs::Proj(Atom::Var(v), _) = &stmt.rhs else { return false };
    outer.params.contains(v)
}

/// Recognises a nest in `map f`; `kernel` is the program before placement.
pub fn recognise(kernel: &Kernel, f: &Lambda) -> Option<Nest> {
    let [row] = f.params.as_slice() else { return None };
    let mut reader = Reader::new(kernel);
    if let Some((call, g)) = inner(f)
        && f.body.result == Atom::Var(f.body.stmts.last()?.var)
        && unplaced(call)
    {
        let [column] = g.params.as_slice() else { return None };
        // All rows and all columns need one length and the same function.
        if f.position.is_some() || g.position.is_some() {
            return None;
        }
        reader.depend.insert(*row);
        for stmt in f.body.stmts.iter().take(f.body.stmts.len() - 1).filter(|s| is_of_row(f, s)) {
            reader.depend.insert(stmt.var);
            reader.component(stmt.var)?;
        }
        for stmt in f.body.stmts.iter().take(f.body.stmts.len() - 1).filter(|s| !is_of_row(f, s)) {
            // Only free operations that are the same for all rows.
            if !free::is_free(&stmt.rhs) || mentions(&stmt.rhs, &reader.depend) {
                return None;
            }
        }
        if call.args.iter().any(|a| is_one_of(a, &reader.depend)) {
            return None;
        }
        reader.param(*row)?;
        reader.param(*column)?;
        let (fold, reorder) = reader.function(g)?;
        return Some(Nest { fold, matrix: true, reorder });
    }
    reader.matrix = false;
    reader.param(*row)?;
    let (fold, reorder) = reader.function(f)?;
    let made = f.body.stmts.iter().find(|s| s.var == fold)?;
    let Rhs::Prim(call) = &made.rhs else { return None };
    is_same_fold(kernel, f, call).then_some(Nest { fold, matrix: false, reorder })
}

/// Whether every work-item of a nest may repeat an operation: it returns a scalar and cannot fail.
fn may_repeat(kernel: &Kernel, rhs: &Rhs) -> bool {
    let Rhs::Scalar(op, args) = rhs else { return false };
    let floating = |a: &Atom| kernel.atom_ty(a).as_scalar().is_some_and(|s| s.is_floating());
    !matches!(op, ScalarOp::Div | ScalarOp::Mod | ScalarOp::FloorMod)
        || args.iter().any(floating)
        || free::divides_safely(args)
}

/// A matrix nest inside maps that otherwise compute only scalars.
pub struct Batch<'k> {
    pub nest: Nest,
    /// The number of maps around.
    pub around: usize,
    /// The maps over rows and columns.
    pub rows: &'k PrimCall,
    pub columns: &'k PrimCall,
    /// The function of a row and a column.
    pub element: &'k Lambda,
}

/// Recognises a batch of matrix nests in `map f`.
pub fn batched<'k>(kernel: &Kernel, f: &'k Lambda) -> Option<Batch<'k>> {
    let mut f = f;
    for around in 1..=MOST_BATCHES {
        let (last, before) = f.body.stmts.split_last()?;
        let plain = f.params.len() == 1 && before.iter().all(|s| free::is_free(&s.rhs) || may_repeat(kernel, &s.rhs));
        let (rows, g) = inner(f)?;
        if !plain || !unplaced(rows) || f.body.result != Atom::Var(last.var) {
            return None;
        }
        if let Some(nest) = recognise(kernel, g).filter(|nest| nest.matrix) {
            let (columns, element) = inner(g)?;
            return Some(Batch { nest, around, rows, columns, element });
        }
        f = g;
    }
    None
}

/// Whether a fold has the same neutral value and operator for all elements, so that work-items that share a row may
/// start without it.
pub fn is_same_fold(kernel: &Kernel, f: &Lambda, fold: &PrimCall) -> bool {
    let depend = uses::dependent(kernel, f);
    let of_position = |a: &Atom| f.position.as_ref().is_some_and(|p| uses::atom_mentions(a, p));
    let own = |a: &Atom| is_one_of(a, &depend) || of_position(a);
    let operator = |s: &Stmt| {
        mentions(&s.rhs, &depend) || f.position.as_ref().is_some_and(|p| uses::stmt_mentions(&kernel.vars, s, p))
    };
    let body = &fold.funs[0].body;
    !own(&fold.args[0]) && !own(&body.result) && !body.stmts.iter().any(operator)
}

/// Recognises, in the inner function of two maps, a fold over all elements of a window, row by row.
pub fn recognise_window(kernel: &Kernel, g: &Lambda) -> Option<Nest> {
    let ([window], Some(first)) = (g.params.as_slice(), g.body.stmts.first()) else { return None };
    let Rhs::Prim(PrimCall { prim: Prim::Join, args, .. }) = &first.rhs else { return None };
    let only = FxHashSet::from_iter([*window]);
    let again = g.body.stmts.iter().skip(1).any(|s| mentions(&s.rhs, &only)) || is_one_of(&g.body.result, &only);
    if again || args.as_slice() != [Atom::Var(*window)] {
        return None;
    }
    let mut reader = Reader::new(kernel);
    reader.param(first.var)?;
    let (fold, reorder) = reader.statements(&g.body.stmts[1..], &g.body.result)?;
    Some(Nest { fold, matrix: true, reorder })
}

fn unplaced(call: &PrimCall) -> bool {
    call.prim == Prim::Map(Level::Auto)
}

/// Whether the type is a scalar or a tuple of scalars.
pub fn is_scalars(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(_) => true,
        TyKind::Tuple(parts) => parts.iter().all(is_scalars),
        _ => false,
    }
}

struct Reader<'k> {
    kernel: &'k Kernel,
    /// Rows, and views of them that keep indices; to be read only in step with the fold.
    in_step: FxHashSet<VarId>,
    /// Tuples of a row and scalars that accompany it.
    tuples: FxHashSet<VarId>,
    depend: FxHashSet<VarId>,
    /// Whether each row meets every column.
    matrix: bool,
    fold: Option<(VarId, bool)>,
}

impl<'k> Reader<'k> {
    fn new(kernel: &'k Kernel) -> Reader<'k> {
        let none = FxHashSet::default;
        Reader { kernel, in_step: none(), tuples: none(), depend: none(), matrix: true, fold: None }
    }

    /// Classifies a parameter: a scalar may be used anywhere, a row only in step.
    fn param(&mut self, v: VarId) -> Option<()> {
        let ty = self.kernel.ty(v);
        if matches!(ty.kind(), TyKind::Tuple(_)) && !is_scalars(ty) {
            self.tuples.insert(v);
            return Some(());
        }
        self.component(v)
    }

    fn component(&mut self, v: VarId) -> Option<()> {
        let ty = self.kernel.ty(v);
        if is_scalars(ty) {
            return Some(());
        }
        ty.as_array().filter(|a| a.position.is_none() && is_scalars(&a.element))?;
        self.in_step.insert(v);
        Some(())
    }

    /// The only fold of a function, and whether it may be reordered.
    fn function(&mut self, f: &Lambda) -> Option<(VarId, bool)> {
        self.statements(&f.body.stmts, &f.body.result)
    }

    fn statements(&mut self, stmts: &[Stmt], result: &Atom) -> Option<(VarId, bool)> {
        for stmt in stmts {
            self.stmt(stmt)?;
        }
        if is_one_of(result, &self.in_step)
            || is_one_of(result, &self.tuples)
            || !is_scalars(&self.kernel.atom_ty(result))
        {
            return None;
        }
        self.fold
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        if let Rhs::Proj(Atom::Var(v), _) = &stmt.rhs
            && self.tuples.contains(v)
        {
            return self.param(stmt.var);
        }
        if mentions(&stmt.rhs, &self.tuples) {
            return None;
        }
        let touched = mentions(&stmt.rhs, &self.in_step);
        match &stmt.rhs {
            Rhs::Atom(_) if touched => {
                self.in_step.insert(stmt.var);
            }
            Rhs::Prim(call) => match call.prim {
                Prim::Zip if touched => {
                    self.in_step.insert(stmt.var);
                }
                Prim::Map(Level::Auto | Level::Seq) if touched => {
                    let f = call.funs.first()?;
                    let element = self.kernel.ty(stmt.var).as_array()?;
                    if block_mentions(&f.body, &self.in_step) || !is_scalars(&element.element) {
                        return None;
                    }
                    self.in_step.insert(stmt.var);
                }
                // Beside a row, what takes an instant is made again for each row, not stored for all.
                Prim::Map(Level::Auto | Level::Seq)
                    if !self.in_step.is_empty() && call.funs.iter().all(|f| free::is_instant(&f.body)) =>
                {
                    is_scalars(&self.kernel.ty(stmt.var).as_array()?.element).then_some(())?;
                    self.in_step.insert(stmt.var);
                }
                Prim::Reduce(level @ (Level::Auto | Level::Seq)) if self.fold.is_none() => {
                    let (z, f) = (call.args.first()?, call.funs.first()?);
                    let flat = is_scalars(&self.kernel.atom_ty(z)) && is_scalars(self.kernel.ty(*f.params.get(1)?));
                    if is_one_of(z, &self.in_step) || block_mentions(&f.body, &self.in_step) || !flat {
                        return None;
                    }
                    self.fold = Some((stmt.var, level == Level::Auto));
                }
                Prim::Head | Prim::Aref if !touched => {}
                // A row of its own is read again for a single element.
                Prim::Head | Prim::Last | Prim::Aref if !self.matrix && is_scalars(self.kernel.ty(stmt.var)) => {}
                // Any other work would be repeated in each iteration.
                prim if !touched && prim.is_view() => {}
                _ => return None,
            },
            Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) if !touched => {}
            Rhs::If(_, a, b) if !touched && is_flat(self.kernel.ty(stmt.var)) && plain(a) && plain(b) => {}
            _ => return None,
        }
        Some(())
    }
}

/// Whether a block computes scalars only, of scalars and the result of the fold.
fn plain(block: &Block) -> bool {
    block.stmts.iter().all(|s| match &s.rhs {
        Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::Prim(call) => call.prim == Prim::Head,
        Rhs::If(_, a, b) => plain(a) && plain(b),
        _ => false,
    })
}

fn is_one_of(a: &Atom, vars: &FxHashSet<VarId>) -> bool {
    matches!(a, Atom::Var(v) if vars.contains(v))
}

/// Whether a right-hand side, including its functions, mentions one of these variables.
fn mentions(rhs: &Rhs, vars: &FxHashSet<VarId>) -> bool {
    rhs.operands().iter().any(|a| is_one_of(a, vars)) || rhs.blocks().iter().any(|b| block_mentions(b, vars))
}

fn block_mentions(block: &Block, vars: &FxHashSet<VarId>) -> bool {
    block.stmts.iter().any(|s| mentions(&s.rhs, vars)) || is_one_of(&block.result, vars)
}
