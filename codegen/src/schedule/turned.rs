//! Rewrites maps over columns whose results are transposed to maps over rows, which read the matrix in the order of
//! memory.
//!
//! * `T (map (λ(c,y). map (g y) c) (zip (T A) ys)) = map (λr. map (λ(x,y). g y x) (zip r ys)) A`
//! * the same, where y is folded from the column: `ys = map (λc. fold c) (T A)`
//! * `T (map (λc. map g (slide n s c)) (T A)) = map (λw. map g (T w)) (slide n s A)`, and of padded columns
//!
//! So neighbouring work-items read and write neighbours, also in a loop, whose next round reads what this one wrote. The
//! matrix is read once for each fold and once more. To copy it and its result in squares moves it four times.

use super::distribute::folds_apart;
use super::flat::is_flat;
use super::free::are_brief;
use super::nested::{Work, array_of, work_of};
use super::versions::{branch, choice, decided, fresh};
use super::{Applied, fails, host_blocks, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

/// Replaces host-level maps over columns by maps over rows.
pub fn turned(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let mut body = kernel.body.clone();
    let (views, lengths) = (views(&kernel.body), Lengths::of(&kernel));
    let mut writer = Writer { views, lengths, kernel: &mut kernel, target, applied };
    writer.block(&mut body);
    let lengths = writer.lengths;
    Kernel { body, assumptions: lengths.assumptions, ..kernel }
}

/// Maximum folds of a column. With more, the matrix is read more often than copies read and write it.
const MOST_FOLDS: usize = 3;

/// The transpositions and zips of a block and of the blocks in it.
fn views(block: &Block) -> FxHashMap<VarId, PrimCall> {
    let mut views = FxHashMap::default();
    block.visit(&mut |stmt| {
        if let Rhs::Prim(call @ PrimCall { prim: Prim::Transpose | Prim::Zip, .. }) = &stmt.rhs {
            views.insert(stmt.var, call.clone());
        }
    });
    views
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: Lengths,
    views: FxHashMap<VarId, PrimCall>,
    target: &'a Target,
    applied: &'a mut Vec<Applied>,
}

/// A map from the columns of a matrix to columns.
struct Columns<'k> {
    /// The matrix, by rows.
    matrix: Atom,
    /// The arrays that are zipped with the columns, and the variable of each.
    beside: Vec<(VarId, Atom)>,
    /// The statements of a column that the element's function reads: scalars.
    of_column: Vec<Stmt>,
    /// The statement that maps the column.
    made: &'k Stmt,
    /// The functions that are applied in sequence to its elements.
    functions: Vec<&'k Lambda>,
    /// The views that make windows of a column (padding and `slide`), if the first function is applied to windows.
    windows: Vec<&'k Stmt>,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            host_blocks(self.kernel, stmt).into_iter().for_each(|inner| self.block(inner));
        }
        let transposed: Vec<VarId> = block.stmts.iter().filter(|s| is_transpose(s)).map(|s| s.var).collect();
        for t in transposed {
            self.transposed(block, t);
        }
    }

    /// Replaces a map over columns and the transposition of its result by maps over rows, if nothing else reads that result.
    fn transposed(&mut self, block: &mut Block, t: VarId) {
        let reads = |s: &Stmt, v: VarId| uses::mentions(s, &|w| w == v);
        let Some(at) = block.stmts.iter().position(|s| s.var == t) else { return };
        let Rhs::Prim(PrimCall { args, .. }) = &block.stmts[at].rhs else { return };
        let [Atom::Var(mapped)] = args.as_slice() else { return };
        let mapped = *mapped;
        if block.result == Atom::Var(mapped) || block.stmts.iter().filter(|s| reads(s, mapped)).count() != 1 {
            return;
        }
        let Some(from) = block.stmts.iter().position(|s| s.var == mapped) else { return };
        let (stmt, transpose) = (block.stmts[from].clone(), block.stmts[at].clone());
        let Some(len) = self.column_of(t) else { return };
        // A shorter column is the work of one work-item, which keeps it.
        let long = self.target.written(&transpose.settings()).get(Parameter::ColumnsMade);
        let long = Size::nat(long.into());
        let mut known = decided(&len, &long);
        if known == Some(true) {
            return;
        }
        let Some((mut made, last)) = self.folds_apart(&stmt) else { return };
        let Some(columns) = self.columns(&last) else { return };
        if !columns.windows.is_empty() {
            // A work-item makes a few elements of a column, short or long.
            known = Some(false);
        }
        let Some((windows, rhs)) = self.by_rows(&columns, t) else { return };
        self.applied.push(Applied { rule: &rules::MAP_TURNED, origin: stmt.origin.clone() });
        // What is zipped for the last map alone.
        if let Rhs::Prim(PrimCall { args, .. }) = &last.rhs {
            made.retain(|s| args.as_slice() != [Atom::Var(s.var)]);
        }
        made.extend(windows);
        block.stmts.remove(at);
        block.stmts.remove(from);
        let turned = Stmt { rhs, ..stmt.clone() };
        let vars = &mut self.kernel.vars;
        if known == Some(false) {
            made.push(Stmt { var: t, ..turned });
        } else {
            let mut by_rows = branch(vars, &transpose, turned.rhs);
            by_rows.stmts.splice(0..0, made);
            let mut as_it_is = branch(vars, &transpose, transpose.rhs.clone());
            as_it_is.stmts.insert(0, stmt);
            made = choice(vars, &transpose, &len, &long, as_it_is, by_rows).stmts;
            if let Some(last) = made.last_mut() {
                last.var = t;
            }
        }
        block.stmts.splice(at - 1..at - 1, made);
    }

    /// The length of a column of a matrix.
    fn column_of(&self, matrix: VarId) -> Option<Size> {
        Some(self.kernel.ty(matrix).as_array().filter(|a| a.position.is_none())?.len.clone())
    }

    /// The maps that fold columns, and the map that computes columns from the folds.
    fn folds_apart(&mut self, stmt: &Stmt) -> Option<(Vec<Stmt>, Stmt)> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else {
            return None;
        };
        let (f, Some(Atom::Var(source))) = (funs.first()?, args.first()) else { return None };
        let is_fold = |s: &&Stmt| matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Reduce(_), .. }));
        let folds = f.body.stmts.iter().filter(is_fold).count();
        let plain = f.position.is_none() && f.params.len() == 1 && stmt.binds.is_empty();
        if !plain || folds > MOST_FOLDS || !(self.is_columns(*source) || self.zips_columns(*source)) {
            return None;
        }
        if folds == 0 {
            return Some((Vec::new(), stmt.clone()));
        }
        let mut made = folds_apart(self.kernel, &mut self.lengths, stmt, call, 1)?;
        let last = made.pop()?;
        self.views.extend(views(&Block { stmts: made.clone(), result: Atom::Var(last.var) }));
        Some((made, last))
    }

    /// Whether an array has the columns of a matrix that is not transposed itself.
    fn is_columns(&self, v: VarId) -> bool {
        let transpose = self.views.get(&v).filter(|call| call.prim == Prim::Transpose);
        transpose.is_some_and(|call| {
            let of =
                |a: &Atom| matches!(a, Atom::Var(v) if self.views.get(v).is_some_and(|c| c.prim == Prim::Transpose));
            !call.args.iter().any(of)
        })
    }

    fn zips_columns(&self, v: VarId) -> bool {
        let zip = self.views.get(&v).filter(|call| call.prim == Prim::Zip);
        zip.is_some_and(|call| call.args.iter().any(|a| matches!(a, Atom::Var(v) if self.is_columns(*v))))
    }

    fn columns<'k>(&self, stmt: &'k Stmt) -> Option<Columns<'k>> {
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
        let ([f], [Atom::Var(source)]) = (funs.as_slice(), args.as_slice()) else { return None };
        let ([param], None, true) = (f.params.as_slice(), &f.position, stmt.binds.is_empty()) else { return None };
        let (made, before) = f.body.stmts.split_last().filter(|(made, _)| f.body.result == Atom::Var(made.var))?;
        let (functions, source_of_first) = chain(made, before)?;
        let (windows, column) = windows_of(source_of_first, before);
        let (mut beside, mut of_column) = (Vec::new(), Vec::new());
        let mut matrix = (column == *param).then_some(*source);
        let maps: Vec<VarId> = before.iter().filter(|s| is_map(s)).map(|s| s.var).collect();
        if maps.len() + 1 != functions.len() {
            return None;
        }
        let before = before.iter().filter(|s| !is_map(s) && !windows.iter().any(|w| w.var == s.var));
        if let Some(zip) = self.views.get(source).filter(|call| call.prim == Prim::Zip) {
            for s in before {
                match &s.rhs {
                    Rhs::Proj(Atom::Var(of), k) if of == param => match zip.args.get(*k)? {
                        Atom::Var(columns) if s.var == column => matrix = Some(*columns),
                        part => beside.push((s.var, part.clone())),
                    },
                    _ => of_column.push(s.clone()),
                }
            }
        } else {
            of_column.extend(before.cloned());
        }
        let transpose = self.views.get(&matrix.filter(|v| self.is_columns(*v))?)?;
        let matrix = transpose.args.first()?.clone();
        let whole: Vec<VarId> = maps.into_iter().chain([*param, column]).chain(windows.iter().map(|s| s.var)).collect();
        let columns = Columns { matrix, beside, of_column, made, functions, windows };
        self.is_element_wise(&columns, &whole).then_some(columns)
    }

    /// Whether each element of the result depends on one element of the column, or on one window, and on scalars that take
    /// few instructions.
    fn is_element_wise(&self, columns: &Columns<'_>, whole: &[VarId]) -> bool {
        let kernel = &*self.kernel;
        let scalar = |s: &Stmt| s.binds.is_empty() && work_of(kernel, s) == Work::Item && is_flat(kernel.ty(s.var));
        let of_whole = |s: &Stmt| uses::mentions(s, &|v| whole.contains(&v));
        let is_plain = |(k, g): (usize, &&Lambda)| {
            let of_window = k == 0 && !columns.windows.is_empty();
            let flat = is_flat(&kernel.atom_ty(&g.body.result));
            flat && g.params.len() == 1
                && g.position.is_none()
                && g.body.stmts.iter().all(|s| (scalar(s) || of_window) && !of_whole(s))
        };
        columns.functions.iter().enumerate().all(is_plain)
            && columns.beside.iter().all(|(v, _)| is_flat(kernel.ty(*v)))
            && are_brief(&columns.of_column)
            && columns.of_column.iter().all(|s| scalar(s) && !of_whole(s) && !fails::rhs_may_fail(&kernel.vars, &s.rhs))
    }

    /// The windows of rows that the map goes over, if the columns have windows: the statements that make them.
    fn windows_of_rows(&mut self, columns: &Columns<'_>) -> Option<Vec<Stmt>> {
        let mut rows = columns.matrix.clone();
        let row = self.kernel.atom_ty(&rows).as_array()?.element.clone();
        let mut made = Vec::new();
        for view in &columns.windows {
            let Rhs::Prim(call) = &view.rhs else { return None };
            let of_column = self.kernel.ty(view.var).as_array()?;
            let element = match of_column.element.as_array() {
                Some(window) => array_of(&row, &window.len),
                None => row.clone(),
            };
            let ty = array_of(&element, &of_column.len);
            let var = fresh(&mut self.kernel.vars, view.var, ty);
            let call = PrimCall { args: vec![rows], ..call.clone() };
            made.push(Stmt { var, rhs: Rhs::Prim(call), ..(*view).clone() });
            rows = Atom::Var(var);
        }
        Some(made)
    }

    /// The map over the rows, or over windows of them, of the type of the transposed result `like`; and the statements that
    /// make the windows.
    fn by_rows(&mut self, columns: &Columns<'_>, like: VarId) -> Option<(Vec<Stmt>, Rhs)> {
        let windows = self.windows_of_rows(columns)?;
        let Columns { matrix, beside, of_column, made, functions, .. } = columns;
        let rows = windows.last().map_or_else(|| matrix.clone(), |s| Atom::Var(s.var));
        let (first, last) = (functions.first()?, functions.last()?);
        let ty = self.kernel.ty(like).as_array()?.element.clone();
        let row_ty = self.kernel.atom_ty(&rows).as_array()?.element.clone();
        let len =
            self.kernel.atom_ty(matrix).as_array()?.element.as_array().filter(|a| a.position.is_none())?.len.clone();
        let param = *first.params.first()?;
        let element = self.kernel.ty(param).clone();
        let row = fresh(&mut self.kernel.vars, made.var, row_ty.clone());
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: made.origin.clone() };
        let (mut stmts, mut source, mut own) = (Vec::new(), row, Vec::new());
        if !windows.is_empty() {
            source = fresh(&mut self.kernel.vars, made.var, array_of(&element, &len));
            let args = vec![Atom::Var(row)];
            let transpose = PrimCall { prim: Prim::Transpose, sizes: Vec::new(), funs: Vec::new(), args };
            stmts.push(at(source, Rhs::Prim(transpose)));
        }
        let mut q = param;
        if !beside.is_empty() {
            let mut parts = vec![element];
            parts.extend(beside.iter().map(|(v, _)| self.kernel.ty(*v).clone()));
            let tuple = Ty::tuple(parts);
            q = fresh(&mut self.kernel.vars, param, tuple.clone());
            let elements = Atom::Var(source);
            source = fresh(&mut self.kernel.vars, made.var, array_of(&tuple, &len));
            let args = std::iter::once(elements).chain(beside.iter().map(|(_, a)| a.clone())).collect();
            let zip = PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args };
            stmts.push(at(source, Rhs::Prim(zip)));
            own.push(at(param, Rhs::Proj(Atom::Var(q), 0)));
            own.extend(beside.iter().enumerate().map(|(k, (v, _))| at(*v, Rhs::Proj(Atom::Var(q), k + 1))));
        }
        own.extend(of_column.iter().cloned());
        for (k, g) in functions.iter().enumerate() {
            if let Some(before) = k.checked_sub(1) {
                own.push(at(*g.params.first()?, Rhs::Atom(functions[before].body.result.clone())));
            }
            own.extend(g.body.stmts.iter().cloned());
        }
        let function = |params, stmts, result, origin: &Lambda| Lambda {
            position: None,
            params,
            body: Block { stmts, result },
            origin: origin.origin.clone(),
        };
        let inner = function(vec![q], own, last.body.result.clone(), last);
        let map = |f, xs| {
            Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![xs] })
        };
        let result = fresh(&mut self.kernel.vars, made.var, ty);
        stmts.push(Stmt { var: result, rhs: map(inner, Atom::Var(source)), ..(*made).clone() });
        let outer = function(vec![row], stmts, Atom::Var(result), last);
        let outer = Copier::new(&mut self.kernel.vars, &mut self.lengths).lambda(&outer);
        Some((windows, map(outer, rows)))
    }
}

/// The functions of consecutive maps that make an array from another one, and that one.
fn chain<'k>(made: &'k Stmt, before: &'k [Stmt]) -> Option<(Vec<&'k Lambda>, VarId)> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &made.rhs else { return None };
    let ([g], [Atom::Var(source)]) = (funs.as_slice(), args.as_slice()) else { return None };
    let (mut functions, from) = match before.iter().position(|s| s.var == *source && is_map(s)) {
        Some(at) => chain(&before[at], &before[..at])?,
        None => (Vec::new(), *source),
    };
    functions.push(g);
    Some((functions, from))
}

/// The views that make windows of a column, and the column; none if `source` is not an array of windows.
fn windows_of(source: VarId, before: &[Stmt]) -> (Vec<&Stmt>, VarId) {
    let (mut views, mut of) = (Vec::new(), source);
    while let Some(stmt) = before.iter().find(|s| s.var == of && s.binds.is_empty())
        && let Rhs::Prim(PrimCall { prim, args, .. }) = &stmt.rhs
        && let [Atom::Var(viewed)] = args.as_slice()
        && matches!((prim, views.is_empty()), (Prim::Slide, true) | (Prim::Pad(_), false))
    {
        views.insert(0, stmt);
        of = *viewed;
    }
    (views, of)
}

fn is_map(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }))
}

fn is_transpose(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Transpose, .. })) && stmt.binds.is_empty()
}
