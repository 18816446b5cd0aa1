//! Folds and scans of rows whose operator is element-wise: each column is folded on its own.
//!
//! `reduce (zipWith f) (fill z) rows = T (map (reduce f z) (T rows))`, and the same of `scan` and of loops in order.

use super::{Elements, element_of};
use crate::core::copy::Lengths;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::nested::array_of;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

/// The statements that fold columns, for a fold or scan of rows by an element-wise operator; `known` are the statements
/// before it.
pub fn columns(kernel: &mut Kernel, lengths: &mut Lengths, stmt: &Stmt, known: &[Stmt]) -> Option<Vec<Stmt>> {
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
    let origin = stmt.origin.clone();
    let own = FxHashMap::default();
    let mut all = Elements {
        kernel,
        lengths,
        len: state.len.clone(),
        own,
        same: Vec::new(),
        before: Vec::new(),
        stmts: Vec::new(),
        origin,
    };
    let element = all.fresh(*acc, state.element.clone());
    all.own.insert(*acc, Atom::Var(element));
    let parts = all.parts(*x, &rows.element)?;
    f.body.stmts.iter().try_for_each(|s| all.stmt(s))?;
    let result = all.element(&f.body.result)?;
    let body = Block { stmts: std::mem::take(&mut all.stmts), result };
    let f = Lambda { position: None, params: vec![element, parts.element], body, origin: f.origin.clone() };
    let call = PrimCall { prim: call.prim, sizes: Vec::new(), funs: vec![f], args: Vec::new() };
    all.fold(stmt, call, (z, *xs), known, parts, &rows.len)
}

/// The element of the folded array in the fold of one column.
struct Parts {
    element: VarId,
    /// By component of the element, whether it has a column; other components are the same for all columns. One entry
    /// if the element is not a tuple.
    columns: Vec<bool>,
    tuple: bool,
}

impl Elements<'_> {
    /// The element that the fold of one column reads instead of `x`.
    fn parts(&mut self, x: VarId, ty: &Ty) -> Option<Parts> {
        let is_row = |ty: &Ty| ty.as_array().is_some_and(|a| a.position.is_none() && a.len == self.len);
        let (columns, tuple) = match ty.kind() {
            TyKind::Tuple(parts) => (parts.iter().map(is_row).collect::<Vec<bool>>(), true),
            _ => (vec![is_row(ty)], false),
        };
        let of = element_of(ty, &self.len)?;
        let element = self.fresh(x, of);
        self.own.insert(x, Atom::Var(element));
        Some(Parts { element, columns, tuple })
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
        let arrays: Vec<(Atom, Ty)> = match rows.kind() {
            TyKind::Tuple(types) => {
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
        for ((array, ty), column) in arrays.into_iter().zip(&parts.columns) {
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
        let is_start = |s: &&Stmt| Atom::Var(s.var) == *z;
        let start = match known.iter().find(is_start).map(|s| &s.rhs) {
            Some(Rhs::Prim(PrimCall { prim: Prim::Fill, args, .. })) if !sources.is_empty() => args[0].clone(),
            _ => {
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
