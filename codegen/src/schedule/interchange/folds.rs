//! Folds and scans of rows whose operator is element-wise: each column is folded on its own.
//!
//! * `reduce (zipWith f) (fill z) rows = T (map (reduce f z) (T rows))`, and the same of `scan` and of loops in order
//! * `reduceSeq (λ(A,(x,y)). zipWith (f y) A x) Z (zip X Y) = map (λ(z,x). reduceSeq (λ(a,(x,y)). f y a x) z (zip x Y))
//!   (zip Z (T X))`, where a and f may be rows and their folds again: so sums of outer products are products of matrices

use super::{Elements, element_of};
use crate::core::copy::{Copier, Lengths};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::schedule::flat::is_flat;
use crate::schedule::free::is_free;
use crate::schedule::nested::array_of;
use crate::schedule::uses;
use crate::schedule::versions::fresh;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The statements that fold columns, for a fold or scan of rows by an element-wise operator; `known` are the statements
/// before it.
///
/// Also whether each column reads rows as a whole.
pub fn columns(kernel: &mut Kernel, lengths: &mut Lengths, stmt: &Stmt, known: &[Stmt]) -> Option<(Vec<Stmt>, bool)> {
    let Rhs::Prim(call) = &stmt.rhs else { return None };
    if !matches!(
        call.prim,
        Prim::Reduce(Level::Auto | Level::Seq)
            | Prim::Scan(Level::Auto | Level::Seq)
            | Prim::ScanExcl(Level::Auto | Level::Seq)
    ) {
        return None;
    }
    let ([z, Atom::Var(xs)], [f]) = (call.args.as_slice(), call.funs.as_slice()) else { return None };
    let state = kernel.atom_ty(z).as_array().filter(|a| a.position.is_none())?.clone();
    let rows = kernel.ty(*xs).as_array().filter(|a| a.position.is_none())?.clone();
    let ([acc, x], None) = (f.params.as_slice(), &f.position) else { return None };
    let (acc, x, origin) = (*acc, *x, stmt.origin.clone());
    let mut body = f.body.clone();
    let read = Read::of(kernel, &mut body, x, &rows.element, &origin);
    let whole: FxHashSet<VarId> = read.parts.iter().filter(|p| p.whole).map(|p| p.name).collect();
    let reads_rows = !whole.is_empty();
    let mut all = Elements {
        kernel,
        lengths,
        len: state.len.clone(),
        own: FxHashMap::default(),
        whole,
        same: Vec::new(),
        before: Vec::new(),
        stmts: Vec::new(),
        origin,
    };
    let element = all.fresh(acc, state.element.clone());
    all.own.insert(acc, Atom::Var(element));
    let parts = all.parts(x, read)?;
    body.stmts.iter().try_for_each(|s| all.stmt(s))?;
    let result = all.element(&body.result)?;
    let body = Block { stmts: std::mem::take(&mut all.stmts), result };
    let f = Lambda { position: None, params: vec![element, parts.element], body, origin: f.origin.clone() };
    let call = PrimCall { prim: call.prim, sizes: Vec::new(), funs: vec![f], args: Vec::new() };
    Some((all.fold(stmt, call, (z, *xs), known, parts, &rows.len)?, reads_rows))
}

/// What makes the element of an array whose elements are all the same.
fn same_element(vars: &[VarInfo], array: &Atom, known: &[Stmt]) -> Option<Block> {
    let made = known.iter().find(|s| Atom::Var(s.var) == *array)?;
    match &made.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Fill, args, .. }) => {
            Some(Block { stmts: Vec::new(), result: args.first()?.clone() })
        }
        Rhs::Prim(PrimCall { prim: Prim::Generate, funs, .. }) => {
            let f = funs.first()?;
            let own = |v: VarId| f.params.contains(&v);
            let of_position = |s: &Stmt| f.position.as_ref().is_some_and(|p| uses::stmt_mentions(vars, s, p));
            let depends = f.body.stmts.iter().any(|s| !is_free(&s.rhs) || uses::mentions(s, &own) || of_position(s));
            let result = matches!(&f.body.result, Atom::Var(v) if own(*v)) || matches!(f.body.result, Atom::Size(_));
            (!depends && !result).then(|| f.body.clone())
        }
        _ => None,
    }
}

/// The arrays that are zipped in one.
fn zipped(xs: VarId, known: &[Stmt]) -> Option<&[Atom]> {
    match &known.iter().find(|s| s.var == xs)?.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) => Some(args),
        _ => None,
    }
}

/// A component of the folded elements, as a function reads it.
struct Part {
    component: usize,
    name: VarId,
    ty: Ty,
    /// As a row, of which each column has all, instead of its own element.
    whole: bool,
}

/// What a function reads of an element.
struct Read {
    parts: Vec<Part>,
    /// The parts are in a tuple; else the only one is the element itself.
    tuple: bool,
}

impl Read {
    /// Of `x`, of this type; the body reads the parts by their names then, if they are in a tuple.
    fn of(kernel: &mut Kernel, body: &mut Block, x: VarId, ty: &Ty, origin: &Origin) -> Read {
        let (types, tuple) = match ty.kind() {
            TyKind::Tuple(types) => (types.clone(), true),
            _ => (vec![ty.clone()], false),
        };
        let names: Vec<VarId> = match tuple {
            true => types.iter().map(|ty| fresh(&mut kernel.vars, x, ty.clone())).collect(),
            false => vec![x],
        };
        if tuple {
            name_parts(body, x, &names);
        }
        let as_it_is = tuple && uses::in_block(body, x);
        let mut parts = Vec::new();
        for (component, (name, ty)) in names.into_iter().zip(types).enumerate() {
            let is_it = |a: &Atom| *a == Atom::Var(name);
            let inside = body.stmts.iter().flat_map(|s| s.rhs.blocks()).any(|b| uses::in_block(b, name));
            let own = is_it(&body.result) || body.stmts.iter().any(|s| s.rhs.operands().iter().any(is_it));
            let reads_whole = inside && !is_flat(&ty) && !as_it_is;
            if own || !reads_whole {
                parts.push(Part { component, name, ty: ty.clone(), whole: false });
            }
            if reads_whole {
                let row = fresh(&mut kernel.vars, x, ty.clone());
                let renamed = |v: &mut VarId| {
                    if *v == name {
                        *v = row;
                    }
                };
                body.stmts.iter_mut().flat_map(|s| s.rhs.blocks_mut()).for_each(|b| rename(b, &renamed));
                parts.push(Part { component, name: row, ty, whole: true });
            }
        }
        if let ([one], false) = (parts.as_mut_slice(), tuple) {
            let row = std::mem::replace(&mut one.name, x);
            rename(body, &|v| {
                if *v == row {
                    *v = x;
                }
            });
            return Read { parts, tuple };
        }
        if !tuple && let Some(part) = parts.iter_mut().find(|p| !p.whole) {
            let name = fresh(&mut kernel.vars, x, part.ty.clone());
            rename(body, &|v| {
                if *v == x {
                    *v = name;
                }
            });
            part.name = name;
        }
        let at = |(k, part): (usize, &Part)| {
            let rhs = Rhs::Proj(Atom::Var(x), k);
            Stmt { var: part.name, binds: Vec::new(), rhs, origin: origin.clone() }
        };
        let mut stmts: Vec<Stmt> = parts.iter().enumerate().map(at).collect();
        stmts.append(&mut body.stmts);
        body.stmts = stmts;
        Read { parts, tuple: true }
    }
}

/// Reads the components of `x` by their names.
fn name_parts(block: &mut Block, x: VarId, names: &[VarId]) {
    for stmt in &mut block.stmts {
        if let Rhs::Proj(Atom::Var(v), k) = stmt.rhs
            && v == x
            && let Some(name) = names.get(k)
        {
            stmt.rhs = Rhs::Atom(Atom::Var(*name));
        }
        stmt.rhs.blocks_mut().into_iter().for_each(|b| name_parts(b, x, names));
    }
}

/// The element of the folded array in the fold of one column.
struct Parts {
    element: VarId,
    /// For each part, its component and whether it has a column; the others are the same for all columns.
    columns: Vec<(usize, bool)>,
    tuple: bool,
}

impl Elements<'_> {
    /// The element that the fold of one column reads instead of `x`.
    fn parts(&mut self, x: VarId, read: Read) -> Option<Parts> {
        let is_row = |ty: &Ty| ty.as_array().is_some_and(|a| a.position.is_none() && a.len == self.len);
        let columns = read.parts.iter().map(|p| (p.component, !p.whole && is_row(&p.ty))).collect();
        let of = |p: &Part| if p.whole { Some(p.ty.clone()) } else { element_of(&p.ty, &self.len) };
        let mut types: Vec<Ty> = read.parts.iter().map(of).collect::<Option<_>>()?;
        let ty = if read.tuple { Ty::tuple(types) } else { types.pop()? };
        let element = self.fresh(x, ty);
        self.own.insert(x, Atom::Var(element));
        Some(Parts { element, columns, tuple: read.tuple })
    }

    fn view(&mut self, like: VarId, prim: Prim, args: Vec<Atom>, ty: Ty, out: &mut Vec<Stmt>) -> Atom {
        let var = self.fresh(like, ty);
        out.push(self.at(var, Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs: Vec::new(), args })));
        Atom::Var(var)
    }

    /// `T (map (fold f z) (T rows))`, with the rows that are the same for all elements beside the columns.
    fn fold(
        mut self,
        stmt: &Stmt,
        mut call: PrimCall,
        (z, xs): (&Atom, VarId),
        known: &[Stmt],
        parts: Parts,
        n: &Size,
    ) -> Option<Vec<Stmt>> {
        let (m, state) = (self.len.clone(), self.kernel.atom_ty(z).as_array()?.element.clone());
        let mut out = std::mem::take(&mut self.before);
        // The arrays of which the folded elements consist.
        let rows = self.kernel.ty(xs).as_array()?.element.clone();
        let arrays: Vec<(Atom, Ty)> = match (rows.kind(), zipped(xs, known)) {
            (_, Some(arrays)) => arrays.iter().map(|a| (a.clone(), self.kernel.atom_ty(a))).collect(),
            (TyKind::Tuple(types), None) => {
                let types: Vec<Ty> = types.iter().map(|ty| array_of(ty, n)).collect();
                let all = self.view(xs, Prim::Unzip, vec![Atom::Var(xs)], Ty::tuple(types.clone()), &mut out);
                let one = |k: usize, ty: Ty, this: &mut Self, out: &mut Vec<Stmt>| {
                    let part = this.fresh(xs, ty.clone());
                    out.push(this.at(part, Rhs::Proj(all.clone(), k)));
                    (Atom::Var(part), ty)
                };
                types.into_iter().enumerate().map(|(k, ty)| one(k, ty, &mut self, &mut out)).collect()
            }
            _ => vec![(Atom::Var(xs), array_of(&rows, n))],
        };
        // What the map over columns goes over, each with the variable in its function.
        let mut sources: Vec<(Atom, VarId)> = Vec::new();
        let mut read = Vec::new();
        for (component, column) in &parts.columns {
            let (array, ty) = arrays.get(*component)?.clone();
            if !column {
                read.push((array, ty));
                continue;
            }
            let element = ty.as_array()?.element.as_array()?.element.clone();
            let one = array_of(&element, n);
            let turned = self.view(xs, Prim::Transpose, vec![array], array_of(&one, &m), &mut out);
            let x = self.fresh(xs, one.clone());
            sources.push((turned, x));
            read.push((Atom::Var(x), one));
        }
        let start = match same_element(&self.kernel.vars, z, known).filter(|_| !sources.is_empty()) {
            Some(made) => {
                let made = Copier::new(&mut self.kernel.vars, self.lengths).block(&made);
                out.extend(made.stmts);
                made.result
            }
            None => {
                let x = self.fresh(xs, state.clone());
                sources.push((z.clone(), x));
                Atom::Var(x)
            }
        };
        sources.extend(self.same.iter().map(|(row, x)| (Atom::Var(*row), *x)));
        let mut made = Vec::new();
        let folded = match (read.as_slice(), parts.tuple) {
            ([(array, _)], false) => array.clone(),
            _ => {
                let element = self.kernel.ty(parts.element).clone();
                let args = read.iter().map(|(array, _)| array.clone()).collect();
                self.view(xs, Prim::Zip, args, array_of(&element, n), &mut made)
            }
        };
        let (param, source) = match sources.as_slice() {
            [(row, x)] => (*x, row.clone()),
            all => {
                let ty = Ty::tuple(all.iter().map(|(_, x)| self.kernel.ty(*x).clone()).collect());
                let param = self.fresh(xs, ty.clone());
                let apart: Vec<Stmt> =
                    all.iter().enumerate().map(|(k, (_, x))| self.at(*x, Rhs::Proj(Atom::Var(param), k))).collect();
                made.splice(0..0, apart);
                let args = all.iter().map(|(row, _)| row.clone()).collect();
                (param, self.view(xs, Prim::Zip, args, array_of(&ty, &m), &mut out))
            }
        };
        let folds = matches!(call.prim, Prim::Reduce(_));
        let count = self.kernel.ty(stmt.var).as_array()?.len.clone();
        let (column, all_of) = (array_of(&state, &count), stmt.var);
        let last = self.fresh(all_of, column.clone());
        call.args = vec![start, folded];
        made.push(self.at(last, Rhs::Prim(call)));
        // A fold has one row.
        let (result, of_column) = match folds {
            true => (self.view(all_of, Prim::Head, vec![Atom::Var(last)], state.clone(), &mut made), state),
            false => (Atom::Var(last), column),
        };
        let f = Lambda {
            position: None,
            params: vec![param],
            body: Block { stmts: made, result },
            origin: stmt.origin.clone(),
        };
        let all = self.fresh(all_of, array_of(&of_column, &m));
        let map = PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![source] };
        out.push(self.at(all, Rhs::Prim(map)));
        let (prim, sizes) = if folds { (Prim::Split, vec![m]) } else { (Prim::Transpose, Vec::new()) };
        let back = PrimCall { prim, sizes, funs: Vec::new(), args: vec![Atom::Var(all)] };
        out.push(Stmt { rhs: Rhs::Prim(back), ..stmt.clone() });
        Some(out)
    }
}
