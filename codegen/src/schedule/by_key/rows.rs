//! Rows that are folded by key, element by element: each column is folded by the same keys.
//!
//! `map (λk. reduce (zipWith f) (fill z) (map (λ(key,row). if key = k then row else fill z) (zip keys rows))) (iota n)
//! = map (λk. map (λc. reduce f z (map (λ(key,v). if key = k then v else z) (zip keys c))) (T rows)) (iota n)`

use super::numbered::{Moved, Numbered};
use super::slice::{as_var, component, projection};
use super::{Maker, fold};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::schedule::nest::is_scalars;
use crate::schedule::nested::{array_of, rows_of};
use crate::schedule::{Applied, rules};
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

/// A fold of the rows whose key is the function's index.
struct Rows<'k> {
    /// The statement that takes the row out of the fold.
    head: &'k Stmt,
    /// The operator of the elements, and its neutral element.
    f: &'k Lambda,
    z: Atom,
    keys: Atom,
    rows: Atom,
    number: VarId,
}

/// Folds the columns, if the fold of a column is one by key.
pub fn by_key(kernel: &Kernel, at: usize) -> Option<(Kernel, Applied)> {
    let numbered = Numbered::of(kernel, at)?;
    let found = numbered.f.body.stmts.iter().find_map(|stmt| rows(kernel, &numbered, stmt))?;
    let next = by_columns(kernel, at, &numbered, &found)?;
    fold::by_key(&next, &Numbered::of(&next, at)?)?;
    Some((next, Applied { rule: &rules::FOLD_COLUMNS, origin: found.head.origin.clone() }))
}

/// Recognises the fold of rows that ends with `head`.
fn rows<'k>(kernel: &Kernel, numbered: &Numbered<'k>, head: &'k Stmt) -> Option<Rows<'k>> {
    let (body, defs) = (&numbered.f.body, &numbered.defs);
    let made = |a: &Atom| body.stmts.iter().find(|s| as_var(a) == Some(s.var)).map(|s| &s.rhs);
    let Rhs::Prim(PrimCall { prim: Prim::Head, args, .. }) = &head.rhs else { return None };
    let Some(Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto), funs, args, .. })) = made(&args[0]) else {
        return None;
    };
    let ([f], [start, masked]) = (funs.as_slice(), args.as_slice()) else { return None };
    let Some(Rhs::Prim(PrimCall { prim: Prim::Fill, args, .. })) = defs.get(&as_var(start)?) else { return None };
    let z = args.first()?.clone();
    let Some(Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. })) = made(masked) else { return None };
    let ([g], [xs]) = (funs.as_slice(), args.as_slice()) else { return None };
    let of_g = |a: &Atom| g.body.stmts.iter().find(|s| as_var(a) == Some(s.var)).map(|s| &s.rhs);
    let Some(Rhs::If(condition, then, otherwise)) = of_g(&g.body.result) else { return None };
    let Some(Rhs::Scalar(op, operands)) = of_g(condition) else { return None };
    let (row, other) = match op {
        ScalarOp::Eq => (then, otherwise),
        ScalarOp::Ne => (otherwise, then),
        _ => return None,
    };
    if !row.stmts.is_empty() || !other.stmts.is_empty() || other.result != *start {
        return None;
    }
    let number = |a: &Atom| as_var(a).filter(|v| numbered.numbers.contains(v));
    let [a, b] = operands.as_slice() else { return None };
    let (number, key) = number(a).map(|k| (k, b)).or_else(|| number(b).map(|k| (k, a)))?;
    let of_element = |a: &Atom| {
        let (path, of) = projection(&g.body, a)?;
        (g.params == [of]).then(|| component(defs, xs, &path))?
    };
    let (keys, rows) = (of_element(key)?, of_element(&row.result)?);
    let plain = kernel.atom_ty(&keys) == array_of(&Ty::int(), &rows_of(&kernel.atom_ty(&rows))?.0);
    let f = of_elements(f)?;
    (plain && is_scalars(&kernel.atom_ty(&z))).then_some(Rows { head, f, z, keys, rows, number })
}

/// The operator of the elements of two rows: `f` of `zipWith f`.
fn of_elements(f: &Lambda) -> Option<&Lambda> {
    let [zip, map] = f.body.stmts.as_slice() else { return None };
    let Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) = &zip.rhs else { return None };
    let params: Vec<Atom> = f.params.iter().map(|v| Atom::Var(*v)).collect();
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args: of, .. }) = &map.rhs else { return None };
    let whole = *args == params && *of == [Atom::Var(zip.var)] && f.body.result == Atom::Var(map.var);
    funs.first().filter(|_| whole && f.position.is_none())
}

/// Rewrites the map's function to fold the columns of the rows.
fn by_columns(kernel: &Kernel, at: usize, numbered: &Numbered, fold: &Rows) -> Option<Kernel> {
    let Rows { head, f, z, keys, rows, number } = fold;
    let mut maker = numbered.maker(kernel, &Moved::new(), &head.origin);
    let (n, row) = rows_of(&kernel.atom_ty(rows))?;
    let (m, scalar) = rows_of(&row)?;
    let plain = |prim, funs, args| PrimCall { prim, sizes: Vec::new(), funs, args };
    let column = array_of(&scalar, &n);
    let columns = maker.prim("columns", array_of(&column, &m), plain(Prim::Transpose, vec![], vec![rows.clone()]));
    let folded = maker.function([("column", column.clone())], |maker, [own]| {
        let pairs = maker.zip(&[keys.clone(), Atom::Var(own)])?;
        let pair = Ty::tuple(vec![Ty::int(), scalar.clone()]);
        let masked = maker.function([("pair", pair)], |maker, [pair]| {
            let (key, value) = (maker.part("key", pair, 0, Ty::int()), maker.part("value", pair, 1, scalar.clone()));
            let is = maker.compare(ScalarOp::Eq, key, Atom::Var(*number));
            let only = |a: Atom| Block { stmts: Vec::new(), result: a };
            Some(maker.add("chosen", scalar.clone(), Rhs::If(is, only(value), only(z.clone()))))
        })?;
        let masked = maker.prim("masked", column.clone(), plain(Prim::Map(Level::Auto), vec![masked], vec![pairs]));
        let f = maker.of_two(f, &scalar)?;
        let fold = plain(Prim::Reduce(Level::Auto), vec![f], vec![z.clone(), masked]);
        let one = maker.prim("folded", array_of(&scalar, &Size::one()), fold);
        Some(maker.prim("element", scalar.clone(), plain(Prim::Head, vec![], vec![one])))
    })?;
    let made = std::mem::take(&mut maker.stmts);
    let all = Rhs::Prim(plain(Prim::Map(Level::Auto), vec![folded], vec![columns]));
    let mut next = Kernel { vars: maker.vars, assumptions: maker.lengths.assumptions, ..kernel.clone() };
    let Rhs::Prim(call) = &mut next.body.stmts[at].rhs else { return None };
    let stmts = &mut call.funs.first_mut()?.body.stmts;
    let place = stmts.iter().position(|s| s.var == head.var)?;
    stmts[place].rhs = all;
    stmts.splice(place..place, made);
    Some(next)
}

impl Maker {
    /// Converts a function of a pair to a function of two values.
    fn of_two(&mut self, f: &Lambda, scalar: &Ty) -> Option<Lambda> {
        let pair = Ty::tuple(vec![scalar.clone(), scalar.clone()]);
        let of_pair = self.copied(f, &pair);
        self.function([("a", scalar.clone()), ("b", scalar.clone())], |maker, both| {
            let component = |s: &Stmt| match &s.rhs {
                Rhs::Proj(Atom::Var(of), k) if of_pair.params == [*of] => both.get(*k).map(|v| (s.var, *v)),
                _ => None,
            };
            let known: FxHashMap<VarId, VarId> = of_pair.body.stmts.iter().filter_map(component).collect();
            let mut body = of_pair.body.clone();
            body.stmts.retain(|s| !known.contains_key(&s.var));
            rename(&mut body, &|v| *v = known.get(v).copied().unwrap_or(*v));
            maker.stmts.extend(body.stmts);
            Some(body.result)
        })
    }
}
