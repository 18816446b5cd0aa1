//! `fold-by-key`: `reduce f z (map (λx. if k x = c then g x else z) xs)` for every index c.

use super::numbered::{Numbered, beside, elements, is_known};
use super::slice::{Made, as_var, mentioned, needed};
use super::{Definitions, Maker, by_table, definitions};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::schedule::nest::is_scalars;
use crate::schedule::{Applied, rules, uses};
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Maximum number of keys for which a pass over the elements per key is faster than sorting.
const FEW_KEYS: i64 = 32;

/// A fold over the elements whose key is the element's index.
struct Keyed<'k> {
    stmt: &'k Stmt,
    f: &'k Lambda,
    z: &'k Atom,
    /// The array that is folded, before the condition.
    xs: &'k Atom,
    keys: Made,
    values: Made,
}

/// A `map` inside the function, and the index of its statement.
struct Inner<'k> {
    at: usize,
    f: &'k Lambda,
    source: &'k Atom,
}

/// Replaces the first such fold of a function by one fold for all indices.
pub fn by_key(kernel: &Kernel, numbered: &Numbered) -> Option<(Kernel, Applied)> {
    let body = &numbered.f.body;
    let own = body.stmts.iter().find_map(|stmt| {
        let fold = keyed(kernel, numbered, &numbered.defs, body, stmt)?;
        Some((flat(kernel, numbered, &fold, None)?, fold.stmt))
    });
    let found = own.or_else(|| {
        body.stmts.iter().enumerate().find_map(|(at, stmt)| {
            let inner = inner(stmt, at)?;
            let mut defs = numbered.defs.clone();
            defs.extend(definitions(&inner.f.body));
            inner.f.body.stmts.iter().find_map(|stmt| {
                let fold = keyed(kernel, numbered, &defs, &inner.f.body, stmt)?;
                let next = flat(kernel, numbered, &fold, Some(&inner))
                    .or_else(|| by_columns(kernel, numbered, &fold, &inner))?;
                Some((next, fold.stmt))
            })
        })
    })?;
    Some((found.0, Applied { rule: &rules::FOLD_BY_KEY, origin: found.1.origin.clone() }))
}

fn inner(stmt: &Stmt, at: usize) -> Option<Inner<'_>> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
    let ([f], [source]) = (funs.as_slice(), args.as_slice()) else { return None };
    (f.position.is_none() && f.params.len() == 1).then_some(Inner { at, f, source })
}

/// Recognises a fold in a statement of `block`.
fn keyed<'k>(
    kernel: &Kernel,
    numbered: &Numbered,
    defs: &Definitions<'k>,
    block: &'k Block,
    stmt: &'k Stmt,
) -> Option<Keyed<'k>> {
    let Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
    let ([f], [z, masked]) = (funs.as_slice(), args.as_slice()) else { return None };
    if !is_scalars(&kernel.atom_ty(z)) || f.position.is_some() {
        return None;
    }
    // Elements must be sorted for it, which takes longer than a few passes over them.
    let few = numbered.count.as_const().is_some_and(|n| n <= FEW_KEYS);
    if few && !by_table(kernel, f, z) {
        return None;
    }
    let masked = block.stmts.iter().find(|s| as_var(masked) == Some(s.var))?;
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &masked.rhs else { return None };
    let ([g], [xs]) = (funs.as_slice(), args.as_slice()) else { return None };
    let [x] = g.params.as_slice() else { return None };
    kernel.atom_ty(xs).as_array().filter(|a| a.position.is_none() && g.position.is_none())?;
    let chosen = g.body.stmts.iter().find(|s| as_var(&g.body.result) == Some(s.var))?;
    let Rhs::If(condition, then, otherwise) = &chosen.rhs else { return None };
    let test = g.body.stmts.iter().find(|s| as_var(condition) == Some(s.var))?;
    let (value, other, operands) = match &test.rhs {
        Rhs::Scalar(ScalarOp::Eq, operands) => (then, otherwise, operands),
        Rhs::Scalar(ScalarOp::Ne, operands) => (otherwise, then, operands),
        _ => return None,
    };
    if !other.stmts.is_empty() || other.result != *z {
        return None;
    }
    let is_number = |a: &Atom| as_var(a).is_some_and(|v| numbered.numbers.contains(&v));
    let key = match operands.as_slice() {
        [c, key] if is_number(c) => key,
        [key, c] if is_number(c) => key,
        _ => return None,
    };
    let mut all = g.body.stmts.clone();
    all.extend(value.stmts.iter().cloned());
    let all = Block { stmts: all, result: value.result.clone() };
    let keys = Made::of((&kernel.vars, defs), xs, (*x, &all), key, g, &numbered.count)?;
    let values = Made::of((&kernel.vars, defs), xs, (*x, &all), &value.result, g, &numbered.count)?;
    Some(Keyed { stmt, f, z, xs, keys, values })
}

/// The case of a fold whose only variable from outside is the index.
fn flat(kernel: &Kernel, numbered: &Numbered, fold: &Keyed, inner: Option<&Inner>) -> Option<Kernel> {
    let mut uses = fold.keys.uses();
    uses.extend(fold.values.uses());
    uses.extend(as_var(fold.z));
    if let Some(inner) = inner
        && uses.iter().any(|v| is_own(inner, *v))
    {
        return None;
    }
    let moved = numbered.moved(&kernel.vars, &uses)?;
    let mut maker = numbered.maker(kernel, &moved, &fold.stmt.origin);
    let keys = maker.made(&fold.keys, fold.xs)?;
    let values = maker.made(&fold.values, fold.xs)?;
    let scalar = maker.ty(fold.z);
    let folded = maker.folded(numbered, fold, keys, values, scalar);
    let moved_before = |at: usize| moved.range(..at).count();
    numbered.with(kernel, &moved, maker, &folded, |maker, stmts, value| match inner {
        None => {
            found(maker, stmts, fold.stmt.var, value);
            Some(())
        }
        Some(inner) => {
            let stmt = stmts.get_mut(inner.at - moved_before(inner.at))?;
            let Rhs::Prim(map) = &mut stmt.rhs else { return None };
            found(maker, &mut map.funs.first_mut()?.body.stmts, fold.stmt.var, value);
            Some(())
        }
    })
}

/// The case of a `map` over rows that folds each row by the same keys: all rows are folded at once.
fn by_columns(kernel: &Kernel, numbered: &Numbered, fold: &Keyed, inner: &Inner) -> Option<Kernel> {
    if !by_table(kernel, fold.f, fold.z) {
        return None;
    }
    let per_row = uses::dependent(kernel, inner.f);
    // Values may depend on the row alone, and keys on nothing of it.
    if fold.keys.uses().iter().chain(&as_var(fold.z)).any(|v| per_row.contains(v) || is_own(inner, *v)) {
        return None;
    }
    let mut rows = elements(&numbered.defs, inner.f, inner.source);
    rows.retain(|_, array| as_var(array).is_some_and(|v| !numbered.varying.contains(&v)));
    let needs: Vec<Atom> = fold.values.uses().into_iter().map(Atom::Var).collect();
    let stmts: Vec<&Stmt> =
        needed(&kernel.vars, &inner.f.body, &needs)?.into_iter().filter(|s| !rows.contains_key(&s.var)).collect();
    let used = stmts.iter().flat_map(|s| mentioned(s)).chain(fold.values.uses());
    let mut of_rows: Vec<VarId> = used.filter(|v| rows.contains_key(v)).collect();
    of_rows.sort();
    of_rows.dedup();
    // The tuple that contains the row is used only to project the row.
    let [row] = of_rows.as_slice() else { return None };
    let array = rows.get(row)?.clone();
    let row_ty = kernel.ty(*row).clone();
    let len = row_ty.as_array().filter(|a| a.position.is_none())?.len.clone();
    let count = kernel.atom_ty(&array).as_array().filter(|a| a.position.is_none())?.len.clone();
    if !is_known(&count) {
        return None;
    }
    let local = |v: &VarId| stmts.iter().any(|s| s.var == *v) || v == row;
    let mut outside = fold.keys.uses();
    outside.extend(stmts.iter().flat_map(|s| outer(s)).chain(fold.values.uses()).filter(|v| !local(v)));
    outside.extend(as_var(fold.z).into_iter().chain(as_var(&array)));
    // Anything else that belongs to a row is not known before the map.
    if outside.iter().any(|v| per_row.contains(v) || is_own(inner, *v)) {
        return None;
    }
    let moved = numbered.moved(&kernel.vars, &outside)?;
    let mut maker = numbered.maker(kernel, &moved, &fold.stmt.origin);
    let keys = match &fold.keys {
        Made::Same(a) => a.clone(),
        Made::Map(..) => maker.made(&fold.keys, fold.xs)?,
        Made::Fill(_) => return None,
    };
    let values = maker.rows(&stmts, fold, (*row, &array), &len, &count)?;
    let scalar = maker.ty(fold.z);
    let folded = maker.folded(numbered, fold, keys, values, Ty::array(scalar, count));
    let place = inner.at - moved.range(..inner.at).count();
    numbered.with(kernel, &moved, maker, &folded, |maker, stmts, value| {
        let before = std::mem::take(&mut maker.stmts);
        let both = maker.zip(&[inner.source.clone(), value.clone()])?;
        let zipped = std::mem::replace(&mut maker.stmts, before);
        let own = inner.f.body.stmts.clone();
        let f = beside(maker, inner.f, own, &both, |maker, own, value| {
            found(maker, own, fold.stmt.var, value);
            Some(())
        })?;
        let Rhs::Prim(map) = &mut stmts.get_mut(place)?.rhs else { return None };
        (map.funs, map.args) = (vec![f], vec![both]);
        stmts.splice(place..place, zipped);
        Some(())
    })
}

/// Whether a variable is bound in the function of the inner `map`.
fn is_own(inner: &Inner, v: VarId) -> bool {
    inner.f.params.contains(&v) || inner.f.body.stmts.iter().any(|s| s.var == v)
}

/// The free variables of a statement.
fn outer(stmt: &Stmt) -> Vec<VarId> {
    let mut own = vec![stmt.var];
    for block in stmt.rhs.blocks() {
        crate::core::simplify::bound_in(block, &mut own);
    }
    if let Rhs::Prim(call) = &stmt.rhs {
        own.extend(call.funs.iter().flat_map(|f| f.params.clone()));
    }
    mentioned(stmt).into_iter().filter(|v| !own.contains(v)).collect()
}

impl Maker {
    fn folded(&mut self, numbered: &Numbered, fold: &Keyed, keys: Atom, values: Atom, element: Ty) -> Atom {
        let n = numbered.count.clone();
        // Copy the operator: the old one stays until it is unused.
        let scalar = self.ty(fold.z);
        let f = self.copied(fold.f, &scalar);
        let args = vec![fold.z.clone(), keys, values];
        let call = PrimCall { prim: Prim::ReduceByKey(Level::Glb(0)), sizes: vec![n.clone()], funs: vec![f], args };
        self.prim("folded", Ty::array(element, n), call)
    }

    /// The array of all rows' values at the same index: `T (map (λrow. values) array)`.
    fn rows(
        &mut self,
        stmts: &[&Stmt],
        fold: &Keyed,
        (row, array): (VarId, &Atom),
        len: &Size,
        count: &Size,
    ) -> Option<Atom> {
        let scalar = self.ty(fold.z);
        let elements = Ty::array(scalar.clone(), self.ty(fold.xs).as_array()?.len.clone());
        let points = match &fold.values {
            Made::Same(Atom::Var(v)) if *v == row && stmts.is_empty() => {
                let transposed = self.stmts.iter().find(|s| as_var(array) == Some(s.var)).map(|s| &s.rhs);
                if let Some(Rhs::Prim(PrimCall { prim: Prim::Transpose, args, .. })) = transposed {
                    return args.first().cloned();
                }
                array.clone()
            }
            values => {
                let outside = std::mem::take(&mut self.stmts);
                let result = self.made(values, fold.xs)?;
                let made = std::mem::replace(&mut self.stmts, outside);
                let stmts = stmts.iter().map(|s| (*s).clone()).chain(made).collect();
                let body = Block { stmts, result };
                let each = Lambda { position: None, params: vec![row], body, origin: self.origin.clone() };
                let row_ty = Ty::array(self.vars[row.0 as usize].ty.as_array()?.element.clone(), len.clone());
                let each = self.copied(&each, &row_ty);
                let call = PrimCall {
                    prim: Prim::Map(Level::Auto),
                    sizes: Vec::new(),
                    funs: vec![each],
                    args: vec![array.clone()],
                };
                self.prim("rows", Ty::array(elements.clone(), count.clone()), call)
            }
        };
        let len = elements.as_array()?.len.clone();
        let ty = Ty::array(Ty::array(scalar, count.clone()), len);
        let call = PrimCall { prim: Prim::Transpose, sizes: Vec::new(), funs: Vec::new(), args: vec![points] };
        Some(self.prim("points", ty, call))
    }
}

/// Replaces the fold `old` of a block by `value`.
fn found(maker: &mut Maker, stmts: &mut [Stmt], old: VarId, value: &Atom) {
    let ty = maker.ty(value);
    for stmt in stmts.iter_mut() {
        let head = matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Head && call.args == [Atom::Var(old)]);
        if stmt.var == old {
            let call =
                PrimCall { prim: Prim::Fill, sizes: vec![Size::one()], funs: Vec::new(), args: vec![value.clone()] };
            stmt.rhs = Rhs::Prim(call);
            maker.vars[old.0 as usize].ty = Ty::array(ty.clone(), Size::one());
        } else if head {
            stmt.rhs = Rhs::Atom(value.clone());
        }
    }
}
