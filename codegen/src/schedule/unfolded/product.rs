//! Recognises a fold of what rows and columns have at the same place, below the maps that go over them.

use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::elements::{Elements, Leaf, elements};
use crate::schedule::flat::is_flat;
use crate::schedule::free::is_free;
use crate::schedule::nest::is_scalars;
use crate::schedule::nested::{is_known, rows_of};
use crate::schedule::uses;
use lift_analysis::size::Size;
use rustc_hash::{FxHashMap, FxHashSet};

/// A map around a fold.
pub struct Around<'k> {
    pub call: &'k PrimCall,
    pub f: &'k Lambda,
    /// The statements of its function before the next map.
    pub before: &'k [Stmt],
}

/// A fold below maps.
pub struct Product<'k> {
    /// Outermost first.
    pub levels: Vec<Around<'k>>,
    /// How many of them go over rows; the others go over columns.
    pub rows: usize,
    /// The statement of the map over columns, unless each function returns the next map.
    pub inner: Option<&'k Stmt>,
    pub fold: &'k Stmt,
    pub elements: Elements<'k>,
    /// The levels on whose elements a variable depends, one bit each.
    depends: FxHashMap<VarId, u64>,
}

/// One of the two sides of a product, by the levels that it goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Rows,
    Columns,
}

/// The arrays and scalars of its row, or of its column, that a result reads.
#[derive(Debug, Default)]
pub struct Read {
    /// The numbers of the leaves.
    pub leaves: Vec<usize>,
    pub scalars: Vec<VarId>,
}

/// The fold of a result, and its reads.
#[derive(Debug)]
pub struct Reads {
    /// The array that is folded.
    pub array: VarId,
    /// The statements of the innermost function, from the fold of that array on.
    pub folded: Vec<Stmt>,
    pub rows: Read,
    pub columns: Read,
    pub behind: Option<Behind>,
}

/// The use of the results of all columns in the function of a row.
#[derive(Debug)]
pub struct Behind {
    pub stmts: Vec<Stmt>,
    pub result: Atom,
    /// Whether it also reads scalars of the row.
    pub reads_rows: bool,
}

impl Product<'_> {
    /// Whether each leaf belongs to one side, both sides have one, and the columns are the same for all rows.
    fn is_one(&self, rows: usize) -> bool {
        let sides: Option<Vec<Side>> = self.elements.leaves.iter().map(|leaf| self.side_of(leaf.of, rows)).collect();
        let both = sides.is_some_and(|all| all.contains(&Side::Rows) && all.contains(&Side::Columns));
        let same = |level: &Around| {
            let of_row = |v| self.depends.get(&v).is_some_and(|on| on & ((1u64 << rows) - 1) != 0);
            level.call.args.iter().all(|a| variable(a).is_some_and(|v| !of_row(v)))
        };
        both && self.levels.len() < 64 && self.levels[rows..].iter().all(same)
    }

    /// Whether rows and columns are those of two matrices.
    fn is_of_matrices(&self) -> bool {
        let params: Vec<VarId> = self.levels.iter().flat_map(|level| level.f.params.clone()).collect();
        let body = self.levels.iter().flat_map(|level| &level.f.body.stmts);
        let parts: Vec<VarId> = body
            .filter(|s| matches!(&s.rhs, Rhs::Proj(Atom::Var(v), _) if params.contains(v)))
            .map(|s| s.var)
            .collect();
        let is_row = |leaf: &Leaf| leaf.is_plain() && (params.contains(&leaf.of) || parts.contains(&leaf.of));
        self.levels.len() == 2 && self.elements.leaves.iter().all(is_row)
    }

    /// Whether a variable depends on an element of some level.
    pub fn depends_on_any(&self, v: VarId) -> bool {
        self.depends.get(&v).is_some_and(|on| *on != 0)
    }

    fn side(&self, v: VarId) -> Option<Side> {
        self.side_of(v, self.rows)
    }

    /// The side on which a variable depends, if the first `rows` levels go over rows.
    fn side_of(&self, v: VarId, rows: usize) -> Option<Side> {
        let on = self.depends.get(&v).copied().unwrap_or(0);
        let rows = (1u64 << rows) - 1;
        match (on & rows != 0, on & !rows != 0) {
            (true, false) => Some(Side::Rows),
            (false, true) => Some(Side::Columns),
            _ => None,
        }
    }

    /// The reads of a result from its row and its column; `None` if it needs anything else of them.
    pub fn reads(&self, kernel: &Kernel) -> Option<Reads> {
        let Rhs::Prim(PrimCall { args, .. }) = &self.fold.rhs else { return None };
        let array = variable(args.get(1)?)?;
        let functions = self.elements.functions.iter().flat_map(|f| f.body.stmts.clone()).collect::<Vec<_>>();
        let (folded, scalars) = self.rest(kernel, &self.levels.last()?.f.body, array, &functions)?;
        let [mut rows, mut columns] = [Read::default(), Read::default()];
        for (k, leaf) in self.elements.leaves.iter().enumerate() {
            match self.side(leaf.of)? {
                Side::Rows => rows.leaves.push(k),
                Side::Columns => columns.leaves.push(k),
            }
        }
        for v in scalars {
            match self.side(v)? {
                Side::Rows => rows.scalars.push(v),
                Side::Columns => columns.scalars.push(v),
            }
        }
        let mut behind = None;
        if let Some(inner) = self.inner {
            let f = self.levels.get(self.rows.checked_sub(1)?)?.f;
            let (stmts, scalars) = self.rest(kernel, &f.body, inner.var, &[])?;
            for v in &scalars {
                match self.side(*v)? {
                    Side::Rows if rows.scalars.contains(v) => {}
                    Side::Rows => rows.scalars.push(*v),
                    Side::Columns => return None,
                }
            }
            behind = Some(Behind { stmts, result: f.body.result.clone(), reads_rows: !scalars.is_empty() });
        }
        let both = !rows.leaves.is_empty() && !columns.leaves.is_empty();
        both.then_some(Reads { array, folded, rows, columns, behind })
    }

    /// What the result of a block needs beside the array `given`: statements, and scalars of rows or columns. `None` if it
    /// needs anything else of them.
    fn rest(&self, kernel: &Kernel, block: &Block, given: VarId, also: &[Stmt]) -> Option<(Vec<Stmt>, Vec<VarId>)> {
        let of_element = |v: &VarId| *v != given && self.depends_on_any(*v);
        // A component of a row or column is not computed.
        let is_part = |s: &Stmt| matches!(s.rhs, Rhs::Proj(..)) && is_flat(kernel.ty(s.var)) && of_element(&s.var);
        let mut wanted = FxHashSet::from_iter([variable(&block.result)?]);
        let mut stmts = Vec::new();
        for stmt in block.stmts.iter().rev() {
            if wanted.contains(&stmt.var) && stmt.var != given && !is_part(stmt) {
                if !stmt.binds.is_empty() {
                    return None;
                }
                uses::variables(stmt, &mut wanted);
                stmts.push(stmt.clone());
            }
        }
        stmts.reverse();
        also.iter().for_each(|s| uses::variables(s, &mut wanted));
        let own: FxHashSet<VarId> = stmts.iter().map(|s| s.var).collect();
        let mut scalars: Vec<VarId> = wanted.into_iter().filter(|v| of_element(v) && !own.contains(v)).collect();
        scalars.sort();
        scalars.iter().all(|v| is_flat(kernel.ty(*v))).then_some((stmts, scalars))
    }
}

pub fn variable(a: &Atom) -> Option<VarId> {
    match a {
        Atom::Var(v) => Some(*v),
        _ => None,
    }
}

/// The maps whose functions do nothing but the next one.
fn around<'k>(kernel: &Kernel, call: &'k PrimCall) -> Option<Vec<Around<'k>>> {
    let mut call = call;
    let mut levels = Vec::new();
    loop {
        let [f] = call.funs.as_slice() else { return None };
        let (len, _) = rows_of(&kernel.atom_ty(call.args.first()?))?;
        if f.position.is_some() || f.params.len() != 1 || !is_known(&len) || call.prim != Prim::Map(Level::Auto) {
            return None;
        }
        if let Some((last, before)) = f.body.stmts.split_last()
            && let Rhs::Prim(next @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &last.rhs
            && f.body.result == Atom::Var(last.var)
            && before.iter().all(|s| is_free(&s.rhs) && s.binds.is_empty())
        {
            levels.push(Around { call, f, before });
            call = next;
            continue;
        }
        levels.push(Around { call, f, before: &[] });
        return Some(levels);
    }
}

/// The fold of a function that does little else.
fn fold<'k>(kernel: &Kernel, f: &'k Lambda) -> Option<(&'k Stmt, VarId)> {
    let is_fold =
        |s: &&Stmt| matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto | Level::Seq), .. }));
    let mut folds = f.body.stmts.iter().filter(is_fold);
    let (Some(fold), None) = (folds.next(), folds.next()) else { return None };
    let Rhs::Prim(PrimCall { args, .. }) = &fold.rhs else { return None };
    is_scalars(&kernel.atom_ty(&args[0])).then_some((fold, variable(args.get(1)?)?))
}

/// The lengths of some maps.
pub fn lengths(kernel: &Kernel, levels: &[Around]) -> Option<Vec<Size>> {
    levels.iter().map(|level| Some(rows_of(&kernel.atom_ty(level.call.args.first()?))?.0)).collect()
}

/// Recognises the product of a map, unless it is one of matrices already.
pub fn product<'k>(kernel: &'k Kernel, call: &'k PrimCall) -> Option<Product<'k>> {
    let levels = around(kernel, call)?;
    let f = levels.last()?.f;
    if let Some((fold, array)) = fold(kernel, f)
        && let Some(elements) = elements(kernel, &f.body, array)
    {
        let depends = depends(&levels);
        let mut product = Product { levels, rows: 0, inner: None, fold, elements, depends };
        product.rows = (1..product.levels.len()).find(|rows| product.is_one(*rows))?;
        return (!product.is_of_matrices()).then_some(product);
    }
    f.body.stmts.iter().enumerate().find_map(|(at, stmt)| {
        let Rhs::Prim(inner @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
        let mut levels = around(kernel, call)?;
        levels.last_mut()?.before = &f.body.stmts[..at];
        let rows = levels.len();
        levels.extend(around(kernel, inner)?);
        let g = levels.last()?.f;
        let (fold, array) = fold(kernel, g)?;
        let (elements, depends) = (elements(kernel, &g.body, array)?, depends(&levels));
        let product = Product { levels, rows, inner: Some(stmt), fold, elements, depends };
        (product.is_one(rows) && !product.is_of_matrices()).then_some(product)
    })
}

/// On which levels' elements each variable depends that their functions bind.
fn depends(levels: &[Around]) -> FxHashMap<VarId, u64> {
    let mut found: FxHashMap<VarId, u64> = FxHashMap::default();
    for (k, level) in levels.iter().enumerate() {
        let of = |found: &FxHashMap<VarId, u64>, v: &VarId| found.get(v).copied().unwrap_or(0);
        let own = 1u64.checked_shl(k as u32).unwrap_or(0);
        found.extend(level.f.params.iter().map(|p| (*p, own)));
        for stmt in &level.f.body.stmts {
            let mut read = FxHashSet::default();
            uses::variables(stmt, &mut read);
            let on = read.iter().fold(0, |on, v| on | of(&found, v));
            found.insert(stmt.var, on);
        }
    }
    found
}
