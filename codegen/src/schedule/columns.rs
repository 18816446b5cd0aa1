//! Columns and transposed results, in which work-items that share a row would access memory far apart, are copied
//! through squares in local memory (rule `tile-transpose`).
//!
//! * `map f (T A) = map f (map (map id) (T A))`, where a group does a column
//! * `T (map f A) = map (map id) (T (map f A))`, where a group makes a row, or a row is made of whole rows
//! * `T ∘ map (map f) = map (map f) ∘ T`

use super::free;
use super::nested::{Dims, LONG, Work, array_of, is_known, rounds_of, work_of};
use super::pass::{Names, over};
use super::versions::{branch, choice, decided, fresh};
use super::{Applied, columns_once, host_blocks, nest, ragged, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Space, Stmt, VarId, VarInfo};
use crate::schedule::flat::is_flat;
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Adds the copies for maps at host level.
pub fn columns(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    match target.class {
        Class::Portable => return kernel,
        Class::Cpu => {
            return over(kernel, |kernel, Names { vars, .. }, body| columns_once::block(kernel, vars, body, applied));
        }
        Class::Gpu => {}
    }
    // The copies of columns need the types of what results are made of.
    for results in [true, false] {
        kernel = over(kernel, |kernel, Names { vars, lengths }, body| {
            let mut writer = Writer { kernel, vars, lengths, target, applied: &mut *applied };
            if results {
                writer.results(body);
            } else {
                writer.block(body);
            }
        });
    }
    kernel
}

struct Writer<'a> {
    kernel: &'a Kernel,
    vars: &'a mut Vec<VarInfo>,
    lengths: &'a mut Lengths,
    target: &'a Target,
    applied: &'a mut Vec<Applied>,
}

/// How the columns are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A work-item per column would also work, because neighbours read adjacent elements.
    Passed,
    /// The columns are only folded: no copy is needed if neighbouring columns are close together.
    Folded,
    /// The columns are kept, for which only groups have the memory.
    Kept,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.block(inner));
            match self.of_copies(&stmt).or_else(|| self.in_turn(&stmt)) {
                Some(stmts) => block.stmts.extend(stmts),
                None => block.stmts.push(stmt),
            }
        }
    }

    /// Copies the columns before a host-level loop over them.
    fn in_turn(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Host), .. }) = &stmt.rhs else { return None };
        let ([f], [columns]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
        let ty = self.kernel.ty(*f.params.first()?);
        ty.as_array().filter(|a| a.position.is_none() && f.position.is_none() && is_flat(&a.element))?;
        let count = self.kernel.atom_ty(columns).as_array()?.len.clone();
        let many = self.parameter(stmt, Parameter::ColumnsTurns);
        let known = decided(&count, &many);
        if !is_transposed(self.kernel, columns) || known == Some(true) {
            return None;
        }
        self.applied.push(Applied { rule: &rules::COPY_COLUMNS, origin: stmt.origin.clone() });
        let (mut stmts, stored) = self.stored_copy(stmt, call, 1)?;
        let of_stored = self.over(call, 1, Atom::Var(stored))?;
        let copies = branch(self.vars, stmt, Rhs::Prim(of_stored));
        stmts.extend(copies.stmts);
        let copies = Block { stmts, result: copies.result };
        let mut made = match known {
            Some(_) => copies,
            None => {
                let as_it_is = branch(self.vars, stmt, stmt.rhs.clone());
                choice(self.vars, stmt, &count, &many, as_it_is, copies)
            }
        };
        made.stmts.last_mut()?.var = stmt.var;
        Some(made.stmts)
    }

    /// The statements that copy the array of a nest of maps, and the copy.
    fn stored_copy(&mut self, stmt: &Stmt, call: &PrimCall, depth: usize) -> Option<(Vec<Stmt>, VarId)> {
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
        let (copy, ty) = self.copy(&PrimCall { prim: Prim::Map(Level::Auto), ..call.clone() }, depth)?;
        let column = call.funs.first()?.params.first().copied()?;
        let (copied, stored) = (self.fresh(column, ty.clone()), self.fresh(column, ty));
        let store = Rhs::Store(Space::Global, Atom::Var(copied));
        Some((vec![at(copied, Rhs::Prim(copy)), at(stored, store)], stored))
    }

    /// Copies the columns before a map over them.
    fn of_copies(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
        let dims = Dims::of(self.kernel, call);
        let depth = dims.calls.len();
        let innermost = dims.calls[depth - 1];
        let f = dims.innermost();
        let ([column], None) = (f.params.as_slice(), &f.position) else { return None };
        let array = self.kernel.ty(*column).as_array().filter(|a| a.position.is_none() && is_flat(&a.element))?;
        let plain = dims.calls.iter().all(|c| c.prim == Prim::Map(Level::Auto) && c.funs[0].position.is_none());
        // Squares are of the innermost two of three dimensions.
        let copied = depth <= 2 && dims.in_order && is_transposed(self.kernel, &innermost.args[0]);
        if !plain || !copied || mentions_outer(&dims, f) {
            return None;
        }
        let Some(used) = used(self.kernel, innermost, depth) else { return self.unless_narrow(stmt, call, depth) };
        let count = self.kernel.atom_ty(&innermost.args[0]).as_array()?.len.clone();
        let (few, least) = match used {
            Use::Passed => {
                let rows =
                    scans(f) && is_row(&self.kernel.atom_ty(&f.body.result)) && !is_turned(self.kernel, stmt.var);
                // Work-items that make a row each write far apart.
                let least = if rows { Parameter::ColumnsRows } else { Parameter::ColumnsCopied };
                (array.len.clone(), self.parameter(stmt, least))
            }
            Use::Folded => {
                let long = self.parameter(stmt, Parameter::RowsLong);
                // Groups share rows only.
                let wide = self.parameter(stmt, Parameter::ColumnsWide);
                let least = Size::if_le(&long, &array.len, &Size::zero(), &wide);
                (count, least)
            }
            Use::Kept => (Size::one(), Size::one()),
        };
        let known = decided(&few, &least);
        if known == Some(true) {
            return None;
        }
        self.applied.push(Applied { rule: &rules::COPY_COLUMNS, origin: stmt.origin.clone() });
        let (mut stmts, stored) = self.stored_copy(stmt, call, depth)?;
        let of_stored = self.over(call, depth, Atom::Var(stored))?;
        let result = self.fresh(stmt.var, self.kernel.ty(stmt.var).clone());
        stmts.push(Stmt { var: result, rhs: Rhs::Prim(of_stored), ..stmt.clone() });
        let copies = Block { stmts, result: Atom::Var(result) };
        let mut made = match known {
            Some(_) => copies,
            None => {
                let mut items = call.clone();
                if used == Use::Passed {
                    by_items(&mut items, depth);
                }
                let as_it_is = branch(self.vars, stmt, Rhs::Prim(items));
                choice(self.vars, stmt, &few, &least, as_it_is, copies)
            }
        };
        made.stmts.last_mut()?.var = stmt.var;
        Some(made.stmts)
    }

    /// Transposes several matrices in squares, unless they are narrow.
    fn unless_narrow(&mut self, stmt: &Stmt, call: &PrimCall, depth: usize) -> Option<Vec<Stmt>> {
        let dims = Dims::of(self.kernel, call);
        let f = dims.innermost();
        let [Stmt { rhs: Rhs::Prim(inner @ PrimCall { prim: Prim::Map(Level::Auto), .. }), var, .. }] =
            f.body.stmts.as_slice()
        else {
            return None;
        };
        let made = self.kernel.ty(*var).as_array().filter(|a| a.position.is_none() && is_flat(&a.element))?;
        let count = self.kernel.atom_ty(&dims.calls[depth - 1].args[0]).as_array()?.len.clone();
        let narrow = Size::min(&made.len, &count);
        let wide = self.parameter(stmt, Parameter::ColumnsWide);
        if depth != 2 || inner.funs[0].position.is_some() || decided(&narrow, &wide).is_some() {
            return None;
        }
        let mut items = call.clone();
        by_items(&mut items, depth + 1);
        let items = branch(self.vars, stmt, Rhs::Prim(items));
        let squares = Copier::new(self.vars, self.lengths).lambda(&call.funs[0]);
        let squares = branch(self.vars, stmt, Rhs::Prim(PrimCall { funs: vec![squares], ..call.clone() }));
        let mut made = choice(self.vars, stmt, &narrow, &wide, items, squares);
        made.stmts.last_mut()?.var = stmt.var;
        Some(made.stmts)
    }

    /// The value of a parameter at a statement.
    fn parameter(&self, stmt: &Stmt, parameter: Parameter) -> Size {
        Size::nat(self.target.written(&stmt.settings()).get(parameter).into())
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        fresh(self.vars, like, ty)
    }

    /// The nest of maps with the identity, element by element, as its function; and the type of its result.
    fn copy(&mut self, call: &PrimCall, depth: usize) -> Option<(PrimCall, Ty)> {
        let f = &call.funs[0];
        let len = self.kernel.atom_ty(call.args.first()?).as_array()?.len.clone();
        let (lambda, ty) = match depth {
            1 => {
                let ty = self.kernel.ty(f.params[0]).clone();
                (self.identity(f.params[0], &ty, &f.origin)?, ty)
            }
            _ => {
                let Rhs::Prim(next) = &f.body.stmts.last()?.rhs else { return None };
                let (inner, ty) = self.copy(next, depth - 1)?;
                let last = f.body.stmts.last()?;
                let var = self.fresh(last.var, ty.clone());
                let mut body = f.clone();
                body.body.stmts.pop();
                body.body.stmts.push(Stmt { var, rhs: Rhs::Prim(inner), ..last.clone() });
                body.body.result = Atom::Var(var);
                (body, ty)
            }
        };
        let lambda = Copier::new(self.vars, self.lengths).lambda(&lambda);
        Some((PrimCall { funs: vec![lambda], ..call.clone() }, array_of(&ty, &len)))
    }

    /// The identity on rows of this type, element by element.
    fn identity(&mut self, like: VarId, ty: &Ty, origin: &Origin) -> Option<Lambda> {
        let (row, copied) = (self.fresh(like, ty.clone()), self.fresh(like, ty.clone()));
        let x = self.fresh(like, ty.as_array()?.element.clone());
        let of = |param: VarId, stmts: Vec<Stmt>, result: VarId| Lambda {
            position: None,
            params: vec![param],
            body: Block { stmts, result: Atom::Var(result) },
            origin: origin.clone(),
        };
        let rhs = map(of(x, Vec::new(), x), Atom::Var(row));
        Some(of(row, vec![Stmt { var: copied, binds: Vec::new(), rhs, origin: origin.clone() }], copied))
    }

    /// The nest of maps over the copy.
    fn over(&mut self, call: &PrimCall, depth: usize, source: Atom) -> Option<PrimCall> {
        let f = &call.funs[0];
        let lambda = match depth {
            1 => Copier::new(self.vars, self.lengths).lambda(f),
            _ => {
                let last = f.body.stmts.last()?;
                let Rhs::Prim(next) = &last.rhs else { return None };
                let Atom::Var(v) = &source else { return None };
                let row = self.vars[v.0 as usize].ty.as_array()?.element.clone();
                let (row, made) = (self.fresh(*v, row), self.fresh(last.var, self.kernel.ty(last.var).clone()));
                let inner = self.over(next, depth - 1, Atom::Var(row))?;
                let stmts = vec![Stmt { var: made, rhs: Rhs::Prim(inner), ..last.clone() }];
                Lambda { params: vec![row], body: Block { stmts, result: Atom::Var(made) }, ..f.clone() }
            }
        };
        Some(PrimCall { funs: vec![lambda], args: vec![source], ..call.clone() })
    }

    /// Rewrites transposed results of the kernel.
    fn results(&mut self, block: &mut Block) {
        let Atom::Var(result) = block.result else { return };
        let Some(at) = block.stmts.iter().position(|s| s.var == result) else { return };
        let Rhs::Prim(PrimCall { prim: Prim::Transpose, args, .. }) = &block.stmts[at].rhs else { return };
        let [Atom::Var(rows)] = args.as_slice() else { return };
        let rows = *rows;
        let readers = block.stmts.iter().filter(|s| uses::mentions(s, &|v| v == rows)).count();
        let Some(made) = block.stmts.iter().position(|s| s.var == rows).filter(|_| readers == 1) else { return };
        if !self.turned_map(block, made, at) && makes_rows(self.kernel, &block.stmts[made].rhs) {
            self.copied_result(block, at);
        }
    }

    /// Rewrites `T ∘ map (map f)` at these statements; `false` if they do not have that form.
    fn turned_map(&mut self, block: &mut Block, made: usize, at: usize) -> bool {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &block.stmts[made].rhs else {
            return false;
        };
        let narrow = self.kernel.ty(block.stmts[made].var).as_array().and_then(|rows| {
            let each = rows.element.as_array()?.len.clone();
            Some(Size::min(&rows.len, &each))
        });
        let Some((narrow, (mapped, transpose))) = narrow.zip(self.element_wise(&call.clone())) else { return false };
        let turned = block.stmts.remove(at);
        let stmt = block.stmts.remove(made);
        self.applied.push(Applied { rule: &rules::TRANSPOSE_MAP, origin: stmt.origin.clone() });
        let mut squares = branch(self.vars, &turned, Rhs::Prim(mapped));
        squares.stmts.insert(0, transpose);
        let mut as_it_is = branch(self.vars, &turned, turned.rhs.clone());
        as_it_is.stmts.insert(0, stmt);
        let wide = self.parameter(&turned, Parameter::ColumnsWide);
        let mut versions = choice(self.vars, &turned, &narrow, &wide, as_it_is, squares);
        if let Some(last) = versions.stmts.last_mut() {
            last.var = turned.var;
        }
        block.stmts.splice(at - 1..at - 1, versions.stmts);
        true
    }

    /// Copies the array that a statement transposes, if it is a matrix of scalars.
    fn copied_result(&mut self, block: &mut Block, at: usize) {
        let transpose = block.stmts[at].clone();
        let ty = self.kernel.ty(transpose.var).clone();
        let Some(rows) = ty.as_array().map(|a| a.element.clone()) else { return };
        let flat = rows.as_array().is_some_and(|a| a.position.is_none() && is_flat(&a.element));
        let Some(id) = self.identity(transpose.var, &rows, &transpose.origin).filter(|_| flat) else { return };
        self.applied.push(Applied { rule: &rules::COPY_COLUMNS, origin: transpose.origin.clone() });
        let turned = self.fresh(transpose.var, ty);
        block.stmts[at].rhs = map(id, Atom::Var(turned));
        block.stmts.insert(at, Stmt { var: turned, ..transpose });
    }

    /// `map (map f)` of a transposed matrix, and the statement that transposes it, if the call is `map (map f)`.
    fn element_wise(&mut self, call: &PrimCall) -> Option<(PrimCall, Stmt)> {
        let ([f], [xs]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
        let (inner, g) = nest::inner(f)?;
        let [row] = f.params.as_slice() else { return None };
        let scalars = g.body.stmts.iter().all(|s| work_of(self.kernel, s) == Work::Item)
            && is_flat(&self.kernel.atom_ty(&g.body.result))
            && !g.body.stmts.iter().any(|s| uses::mentions(s, &|v| v == *row));
        let only = f.body.stmts.len() == 1
            && inner.prim == Prim::Map(Level::Auto)
            && inner.args.as_slice() == [Atom::Var(*row)]
            && f.body.result == Atom::Var(f.body.stmts[0].var)
            && f.position.is_none()
            && g.position.is_none();
        let rows = self.kernel.atom_ty(xs);
        let rows = rows.as_array().filter(|a| a.position.is_none())?;
        let elements = rows.element.as_array().filter(|a| a.position.is_none() && is_flat(&a.element))?;
        let result = self.kernel.ty(f.body.stmts[0].var).as_array()?.element.clone();
        if !scalars || !only || is_transposed(self.kernel, xs) {
            return None;
        }
        let column = array_of(&elements.element, &rows.len);
        let turned = self.fresh(*row, array_of(&column, &elements.len));
        let transpose = PrimCall { prim: Prim::Transpose, sizes: Vec::new(), funs: Vec::new(), args: vec![xs.clone()] };
        let stmt = Stmt { var: turned, binds: Vec::new(), rhs: Rhs::Prim(transpose), origin: f.origin.clone() };
        let (param, made) = (self.fresh(*row, column), self.fresh(f.body.stmts[0].var, array_of(&result, &rows.len)));
        let inner = PrimCall { args: vec![Atom::Var(param)], ..inner.clone() };
        let of_column = Stmt { var: made, rhs: Rhs::Prim(inner), ..f.body.stmts[0].clone() };
        let body = Block { stmts: vec![of_column], result: Atom::Var(made) };
        let lambda = Lambda { params: vec![param], body, ..f.clone() };
        let lambda = Copier::new(self.vars, self.lengths).lambda(&lambda);
        Some((PrimCall { funs: vec![lambda], args: vec![Atom::Var(turned)], ..call.clone() }, stmt))
    }
}

/// Gives each element of the innermost map to one work-item.
fn by_items(call: &mut PrimCall, depth: usize) {
    call.prim = Prim::Map(Level::Glb(depth as u8 - 1));
    if depth > 1
        && let Some(Stmt { rhs: Rhs::Prim(next), .. }) = call.funs[0].body.stmts.last_mut()
    {
        by_items(next, depth - 1);
    }
}

fn map(f: Lambda, xs: Atom) -> Rhs {
    Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![xs] })
}

/// Whether groups or neighbouring work-items make the rows of an array: long rows, except those computed from columns,
/// which are written in the order in which they are read.
fn makes_rows(kernel: &Kernel, rhs: &Rhs) -> bool {
    match rhs {
        // All versions except the host's, which makes one row after the other.
        Rhs::If(_, a, b) => {
            let made = [a, b].map(|block| {
                let is_result = |s: &&Stmt| block.result == Atom::Var(s.var);
                block.stmts.iter().find(is_result).map(|s| &s.rhs)
            });
            let by_host = |rhs: &Rhs| matches!(rhs, Rhs::Prim(call) if call.prim == Prim::Map(Level::Host));
            let [Some(a), Some(b)] = made else { return false };
            match (by_host(a), by_host(b)) {
                (true, _) => makes_rows(kernel, b),
                (_, true) => makes_rows(kernel, a),
                _ => makes_rows(kernel, a) && makes_rows(kernel, b),
            }
        }
        Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) => {
            let f = &funs[0];
            let long = kernel
                .atom_ty(&f.body.result)
                .as_array()
                .is_some_and(|a| is_known(&a.len) && a.len.as_const().is_none_or(|n| n >= LONG));
            let shares = |s: &Stmt| matches!(work_of(kernel, s), Work::Together(_)) && !is_map(s);
            let as_it_lies = is_transposed(kernel, &call.args[0]) && used(kernel, call, 1).is_none();
            let made = f.body.stmts.iter().any(shares) || is_computed_along(kernel, f);
            long && f.position.is_none() && !as_it_lies && made
        }
        _ => false,
    }
}

/// Whether a function computes a row from its argument as a whole: neither element by element nor in tiles.
fn is_computed_along(kernel: &Kernel, f: &Lambda) -> bool {
    let Some(made) = nest::returned(f).map(|at| &f.body.stmts[at]) else { return false };
    let rows = f.params.iter().any(|v| kernel.ty(*v).as_array().is_some());
    let computed = is_map(made) && matches!(work_of(kernel, made), Work::Together(_) | Work::Nest);
    rows && computed && nest::recognise(kernel, f).is_none_or(|nest| !nest.matrix)
}

fn is_map(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }))
}

/// Whether an array is a stored, transposed array or part of one.
fn is_transposed(kernel: &Kernel, rows: &Atom) -> bool {
    let Atom::Var(v) = rows else { return false };
    let mut found = false;
    kernel.body.visit(&mut |stmt| {
        if stmt.var == *v {
            found = match &stmt.rhs {
                Rhs::Atom(a) => is_transposed(kernel, a),
                Rhs::Prim(PrimCall { prim: Prim::Transpose, args, .. }) => !is_transposed(kernel, &args[0]),
                _ => false,
            };
        }
    });
    found
}

fn is_row(ty: &Ty) -> bool {
    ty.as_array().is_some_and(|a| a.position.is_none())
}

fn scans(f: &Lambda) -> bool {
    let is_scan = |prim: Prim| matches!(prim, Prim::Scan(_) | Prim::ScanExcl(_));
    f.body.stmts.iter().any(|s| matches!(&s.rhs, Rhs::Prim(call) if is_scan(call.prim)))
}

/// Whether an array is transposed.
fn is_turned(kernel: &Kernel, v: VarId) -> bool {
    let mut found = false;
    kernel.body.visit(&mut |stmt| {
        found |= match &stmt.rhs {
            Rhs::Prim(call) => call.prim == Prim::Transpose && call.args == [Atom::Var(v)],
            _ => false,
        };
    });
    found
}

/// Whether the innermost function uses elements of the surrounding maps.
fn mentions_outer(dims: &Dims, f: &Lambda) -> bool {
    let outer = dims.calls[..dims.calls.len() - 1].iter().flat_map(|call| &call.funs);
    let mut bound: Vec<VarId> = outer.clone().flat_map(|f| f.params.iter().copied()).collect();
    bound.extend(outer.flat_map(|f| &f.body.stmts).filter(|s| free::is_free(&s.rhs)).map(|s| s.var));
    f.body.stmts.iter().any(|s| uses::mentions(s, &|v| bound.contains(&v)))
}

/// How a function uses columns; `None` if another strategy makes neighbouring work-items read adjacent elements, or if
/// the work does not suit a group.
fn used(kernel: &Kernel, innermost: &PrimCall, depth: usize) -> Option<Use> {
    let f = &innermost.funs[0];
    let filters =
        f.body.stmts.iter().any(|s| matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Filter(Level::Auto)));
    if filters {
        return ragged::recognise(kernel, innermost).map(|_| Use::Passed);
    }
    let (mut folds, mut used) = (0, None);
    for stmt in &f.body.stmts {
        match (&stmt.rhs, work_of(kernel, stmt)) {
            (_, Work::Item) => {}
            (_, Work::Together(_)) if rounds_of(kernel, stmt).is_some() => used = Some(Use::Kept),
            (Rhs::Prim(call), Work::Together(_)) => match call.prim {
                Prim::Sort | Prim::Argsort | Prim::ReduceByKey(_) => used = Some(Use::Kept),
                Prim::Scan(_) | Prim::ScanExcl(_) => used = used.or(Some(Use::Passed)),
                Prim::Reduce(_) => folds += 1,
                _ => {}
            },
            _ => return None,
        }
    }
    // Folds of the columns of one matrix are maps of their own.
    used.or((folds > 1 && depth > 1).then_some(Use::Folded))
}
