//! Products of what several maps go over, or of parts of arrays, such as a convolution: each filter meets each window of each
//! image. Their rows and columns become those of two matrices, which are read as views and are never stored.
//!
//! `map (λx. map (map (λy. g (reduce f z (h (v x) (w y))))) ys) xs =
//! map (split k) (map (λr. map (λc. g (reduce f z (h r c))) (join (map (map w) ys))) (map v xs))`
//!
//! | module | job |
//! |---|---|
//! | `product` | recognises such a product |
//! | `matrices` | its rows and columns, and the functions of them |

mod matrices;
mod product;

use self::matrices::{Known, Maker};
use self::product::{Behind, Product, Read, lengths, product};
use super::free::is_free;
use super::nest::{self, MOST_BATCHES, is_scalars};
use super::nested::rows_of;
use super::pass::within;
use super::versions::{branch, choice, decided, fresh};
use super::{Applied, host_blocks, joined, rules, tile_folds};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// The kernel in which such products are those of two matrices.
pub fn unfolded(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    within(kernel, |kernel, lengths, body| Writer { kernel, lengths, target, applied }.host(body))
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    target: &'a Target,
    applied: &'a mut Vec<Applied>,
}

/// The size of a product.
struct Extent {
    /// The least of the numbers of rows and columns.
    least: Size,
    /// The results, in all elements of the maps around.
    cells: Size,
}

impl Writer<'_> {
    fn host(&mut self, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.host(inner));
            match self.rewritten(&stmt, 0) {
                Some((made, extent)) => out.extend(self.versions(stmt, made, extent)),
                None => out.push(stmt),
            }
        }
        block.stmts = out;
    }

    /// The statements in place of one below `around` maps, and the size of the product if tiles must be worth it.
    fn rewritten(&mut self, stmt: &Stmt, around: usize) -> Option<(Vec<Stmt>, Option<Extent>)> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
        let f = &call.funs[0];
        let mut joins = Vec::new();
        if let Some(made) = self.product(stmt, call) {
            return Some(made);
        }
        if let Some(f) = joined::one_fold(self.kernel, f, &mut joins)
            && let Some(made) = self.product(stmt, &PrimCall { funs: vec![f], ..call.clone() })
        {
            self.applied.extend(joins);
            return Some(made);
        }
        // What follows rearranges the result, which [`super::results`] does for all elements at once.
        let at = nest::returned(f).filter(|_| around < MOST_BATCHES)?;
        let (before, after) = (&f.body.stmts[..at], &f.body.stmts[at + 1..]);
        if !before.iter().all(|s| is_free(&s.rhs)) {
            return None;
        }
        let (made, mut extent) = self.rewritten(&f.body.stmts[at], around + 1)?;
        let (len, _) = rows_of(&self.kernel.atom_ty(&call.args[0]))?;
        if let Some(extent) = &mut extent {
            extent.cells = extent.cells.mul(&len);
        }
        let mut call = call.clone();
        call.funs[0].body.stmts = before.iter().cloned().chain(made).chain(after.iter().cloned()).collect();
        Some((vec![Stmt { rhs: Rhs::Prim(call), ..stmt.clone() }], extent))
    }

    fn product(&mut self, stmt: &Stmt, call: &PrimCall) -> Option<(Vec<Stmt>, Option<Extent>)> {
        product(self.kernel, call)?;
        let kernel = self.kernel.clone();
        let product = product(&kernel, call)?;
        let (rows, columns) = product.levels.split_at(product.rows);
        let all = |lens: Vec<Size>| lens.iter().fold(Size::one(), |n, len| n.mul(len));
        let [rows, columns] = [all(lengths(&kernel, rows)?), all(lengths(&kernel, columns)?)];
        let extent = Extent { least: Size::min(&rows, &columns), cells: rows.mul(&columns) };
        // Products of matrices below maps have tiles in any case.
        let tiled = nest::batched(&kernel, &call.funs[0]).is_some();
        Some((self.matrices(stmt, &product)?, (!tiled).then_some(extent)))
    }

    /// The product of matrices, or both versions if rows or columns may be too few for tiles.
    fn versions(&mut self, stmt: Stmt, mut made: Vec<Stmt>, extent: Option<Extent>) -> Vec<Stmt> {
        let target = self.target.written(&stmt.settings());
        let least = Size::nat(target.get(Parameter::MatrixLeast).into());
        let enough = Size::int(i64::from(target.compute_units) * i64::from(target.get(Parameter::MatrixCells)));
        let few = match extent {
            Some(Extent { least, cells }) => Size::if_le(&enough, &cells, &least, &Size::zero()),
            None => least.clone(),
        };
        let known = decided(&few, &least);
        if known != Some(true) {
            self.applied.push(Applied { rule: &rules::UNFOLD, origin: stmt.origin.clone() });
        }
        match (known, made.last_mut()) {
            (Some(true), _) | (_, None) => vec![stmt],
            (Some(false), _) => made,
            (None, Some(last)) => {
                let ty = self.kernel.ty(stmt.var).clone();
                last.var = fresh(&mut self.kernel.vars, stmt.var, ty);
                let matrices = Block { result: Atom::Var(last.var), stmts: made };
                let mut others = stmt.rhs.clone();
                if let Rhs::Prim(call) = &mut others {
                    call.funs[0] = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&call.funs[0]);
                }
                let others = branch(&mut self.kernel.vars, &stmt, others);
                let mut both = choice(&mut self.kernel.vars, &stmt, &few, &least, others, matrices);
                if let Some(last) = both.stmts.last_mut() {
                    last.var = stmt.var;
                }
                both.stmts
            }
        }
    }

    /// The statements of the product of two matrices, the last of which has the value of `stmt`.
    fn matrices(&mut self, stmt: &Stmt, product: &Product) -> Option<Vec<Stmt>> {
        let reads = product.reads(self.kernel)?;
        let mut maker = Maker { kernel: self.kernel, lengths: self.lengths, origin: &stmt.origin };
        let mut out = Vec::new();
        let columns = maker.side(product, (product.rows, product.levels.len()), &reads.columns, &mut out)?;
        let rows = maker.side(product, (0, product.rows), &reads.rows, &mut out)?;
        let (mut known, mut of_row, mut of_column) = (Known::default(), Vec::new(), Vec::new());
        let row = maker.entered(rows, &reads.rows, &mut known, &mut of_row)?;
        let column = maker.entered(columns, &reads.columns, &mut known, &mut of_column)?;
        let array = maker.folded(product, &known, &mut of_column)?;
        known.scalars.insert(reads.array, Atom::Var(array));
        let result = product.levels.last()?.f.body.result.clone();
        let folded = maker.copied_block(&Block { stmts: reads.folded, result }, &known.scalars);
        of_column.extend(folded.stmts);
        let column_function = Block { stmts: of_column, result: folded.result };
        if !is_scalars(&maker.kernel.atom_ty(&column_function.result)) {
            return None;
        }
        let results = maker.map(column, column_function, columns, &mut of_row)?;
        let row_function = Block { stmts: of_row, result: Atom::Var(results) };
        let all = maker.map(row, row_function, rows, &mut out)?;
        let (of_rows, of_columns) = product.levels.split_at(product.rows);
        let of_columns = lengths(maker.kernel, of_columns)?;
        let shown = match &reads.behind {
            Some(behind) => {
                let made = out.len() - 1;
                let folded =
                    rest_of_rows(&mut maker, product, (&reads.rows, behind), [rows, all], &of_columns, &mut out)?;
                // Groups fold the results of a row while they are in registers.
                let results = Atom::Var(folded);
                tile_folds::recognise(maker.kernel, &out, &results, &out[made], None, self.target)?;
                folded
            }
            None => all,
        };
        let of_rows = lengths(maker.kernel, of_rows)?;
        let mut shown = maker.split(shown, 0, &of_rows, &mut out)?;
        if reads.behind.is_none() {
            shown = maker.split(shown, of_rows.len(), &of_columns, &mut out)?;
        }
        let same = maker.kernel.ty(shown) == maker.kernel.ty(stmt.var);
        out.last_mut().filter(|last| last.var == shown && same)?.var = stmt.var;
        Some(out)
    }
}

/// Adds the map that does the rest of the rows' function with the results of each row.
fn rest_of_rows(
    maker: &mut Maker,
    product: &Product,
    (read, behind): (&Read, &Behind),
    [rows, all]: [VarId; 2],
    of_columns: &[Size],
    out: &mut Vec<Stmt>,
) -> Option<VarId> {
    let (mut known, mut stmts, mut over) = (Known::default(), Vec::new(), all);
    let (_, results) = rows_of(maker.kernel.ty(all))?;
    let mut results = maker.fresh(all, results);
    let mut param = results;
    if behind.reads_rows {
        over = maker.zip(&[all, rows], out)?;
        let (_, both) = rows_of(maker.kernel.ty(over))?;
        param = maker.fresh(all, both);
        let parts = maker.parts(param, &mut stmts)?;
        results = *parts.first()?;
        maker.taken_apart(*parts.get(1)?, read, &mut known, &mut stmts)?;
    }
    let shown = maker.split(results, 0, of_columns, &mut stmts)?;
    known.scalars.insert(product.inner?.var, Atom::Var(shown));
    let rest =
        maker.copied_block(&Block { stmts: behind.stmts.clone(), result: behind.result.clone() }, &known.scalars);
    stmts.extend(rest.stmts);
    maker.map(param, Block { stmts, result: rest.result }, over, out)
}
