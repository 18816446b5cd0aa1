//! Groups by key: instead of one filter of all elements per key, the elements are sorted by key once, and each filter
//! becomes a segment of them.
//!
//! `map (λk. filter (λx. key x = k) xs) (iota n) = map (λ(s,c). generate c (λj. aref (sort (λ(x,y). key x < key y) xs) (s + j))) (zip starts counts)`

use super::slice::{component, projection};
use super::{Definitions, Maker, definitions};
use crate::core::copy::Lengths;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::schedule::nest::is_scalars;
use crate::schedule::nested::{array_of, is_known, rows_of};
use crate::schedule::{Applied, host_blocks, rules};
use lift_analysis::hir::Literal;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};

/// Minimum number of keys for which a sort is faster than a filter per key.
const FEWEST_KEYS: i64 = 8;

/// Replaces maps that filter by key at host level.
pub fn grouped(mut kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let mut body = kernel.body.clone();
    block(&mut kernel, &mut body, applied);
    kernel.body = body;
    kernel
}

/// Rewrites the statements at host level.
fn block(kernel: &mut Kernel, of: &mut Block, applied: &mut Vec<Applied>) {
    let mut out: Vec<Stmt> = Vec::new();
    for mut stmt in std::mem::take(&mut of.stmts) {
        for inner in host_blocks(kernel, &mut stmt) {
            block(kernel, inner, applied);
        }
        while let Some((stmts, next)) = with_group(kernel, &stmt, &out) {
            applied.push(Applied { rule: &rules::GROUP_BY_KEY, origin: stmt.origin.clone() });
            out.extend(stmts);
            stmt = next;
        }
        out.push(stmt);
    }
    of.stmts = out;
}

/// A filter of the elements whose key is the index of the map's element.
struct Filter {
    /// The index of the statement in the function's block.
    at: usize,
    keys: Atom,
    xs: Atom,
    /// The arrays that the function zips to the filtered one.
    zipped: Option<Vec<Atom>>,
}

/// The statements that sort the elements by key, and the map that takes a segment for each key.
fn with_group(kernel: &mut Kernel, stmt: &Stmt, before: &[Stmt]) -> Option<(Vec<Stmt>, Stmt)> {
    let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
    let ([f], [Atom::Var(numbers)]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
    let ([k], None) = (f.params.as_slice(), &f.position) else { return None };
    let outer = Block { stmts: before.to_vec(), result: Atom::Var(*numbers) };
    let mut defs = definitions(&outer);
    let n = match defs.get(numbers)? {
        Rhs::Prim(PrimCall { prim: Prim::Iota, sizes, .. }) => sizes.first()?.clone(),
        _ => return None,
    };
    if n.as_const().is_some_and(|n| n < FEWEST_KEYS) || !is_known(&n) {
        return None;
    }
    defs.extend(definitions(&f.body));
    let filter = f.body.stmts.iter().enumerate().find_map(|(at, s)| by_number(kernel, f, at, s, *k, &defs))?;
    let mut maker = Maker {
        vars: kernel.vars.clone(),
        lengths: Lengths::of(kernel),
        stmts: Vec::new(),
        origin: stmt.origin.clone(),
    };
    let all = match &filter.zipped {
        Some(parts) => maker.zip(parts)?,
        None => filter.xs.clone(),
    };
    // Rows stay where they are.
    let (m, element) = rows_of(&maker.ty(&all))?;
    let of = (!is_scalars(&element)).then_some(&all);
    let moved = if of.is_some() { maker.places(&m) } else { all.clone() };
    let [sorted, starts, counts] = maker.sorted_by_key(&filter.keys, &moved, &n)?;
    let zipped = maker.zip(&[Atom::Var(*numbers), starts, counts])?;
    let element = maker.ty(&zipped).as_array()?.element.clone();
    let param = maker.fresh("group", element);
    let before = std::mem::take(&mut maker.stmts);
    let number = maker.stmt(*k, Rhs::Proj(Atom::Var(param), 0));
    maker.stmts.push(number);
    let start = maker.part("start", param, 1, Ty::int());
    let count = maker.part("count", param, 2, Ty::int());
    let mut body = std::mem::take(&mut maker.stmts);
    body.extend(f.body.stmts.iter().cloned());
    let Rhs::Prim(filtered) = &f.body.stmts[filter.at].rhs else { return None };
    let of_group = maker.member(&sorted, &start, of, filtered.funs.get(1))?;
    let taken = PrimCall { prim: Prim::Generate, sizes: Vec::new(), funs: vec![of_group], args: vec![count] };
    let at = body.len() - f.body.stmts.len() + filter.at;
    body[at].rhs = Rhs::Prim(taken);
    let f = Lambda { params: vec![param], body: Block { stmts: body, result: f.body.result.clone() }, ..f.clone() };
    let map = PrimCall { funs: vec![f], args: vec![zipped], ..call.clone() };
    (kernel.vars, kernel.assumptions) = (maker.vars, maker.lengths.assumptions);
    Some((before, Stmt { rhs: Rhs::Prim(map), ..stmt.clone() }))
}

/// Recognises a statement that keeps the elements whose key is the index `k` of the map's function.
fn by_number(kernel: &Kernel, f: &Lambda, at: usize, stmt: &Stmt, k: VarId, defs: &Definitions) -> Option<Filter> {
    let Rhs::Prim(PrimCall { prim: Prim::Filter(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
    let (p, [xs]) = (funs.first()?, args.as_slice()) else { return None };
    let array = kernel.atom_ty(xs);
    let array = array.as_array().filter(|a| a.position.is_none() && is_known(&a.len))?;
    let test = p.body.stmts.last().filter(|s| p.body.result == Atom::Var(s.var))?;
    let Rhs::Scalar(ScalarOp::Eq, sides) = &test.rhs else { return None };
    let key = match sides.as_slice() {
        [key, number] | [number, key] if *number == Atom::Var(k) && *key != Atom::Var(k) => key,
        _ => return None,
    };
    let plain = p.body.stmts.split_last()?.1.iter().all(|s| matches!(s.rhs, Rhs::Proj(..)));
    let (path, of) = projection(&p.body, key)?;
    if !plain
        || p.params != [of]
        || kernel.atom_ty(key) != Ty::int()
        || array.element.as_scalar().is_none() && path.is_empty()
    {
        return None;
    }
    let keys = component(defs, xs, &path)?;
    // What is filtered is the same for all numbers.
    let own = |a: &Atom| matches!(a, Atom::Var(v) if f.params.contains(v) || f.body.stmts.iter().any(|s| s.var == *v));
    let parts = match xs {
        Atom::Var(v) => match defs.get(v) {
            Some(Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. })) if own(xs) => Some(args.clone()),
            _ => None,
        },
        _ => return None,
    };
    let outside = !own(&keys) && parts.as_ref().map_or(!own(xs), |parts| !parts.iter().any(own));
    outside.then_some(Filter { at, keys, xs: xs.clone(), zipped: parts })
}

impl Maker {
    /// The elements sorted by key, and for each key the index of its first element and their number.
    pub(super) fn sorted_by_key(&mut self, keys: &Atom, xs: &Atom, n: &Size) -> Option<[Atom; 3]> {
        let ints = |len: &Size| array_of(&Ty::int(), len);
        let plain = |prim, sizes, funs, args| PrimCall { prim, sizes, funs, args };
        let m = self.ty(keys).as_array()?.len.clone();
        let (zero, one) = (Atom::Lit(Literal::Int(0)), Atom::Lit(Literal::Int(1)));
        // Keys that belong to no group come last.
        let in_range = self.function([("key", Ty::int())], |maker, [key]| {
            let key = Atom::Var(key);
            let below = maker.compare(ScalarOp::Lt, key.clone(), Atom::Lit(Literal::Int(0)));
            let above = maker.compare(ScalarOp::Ge, key.clone(), Atom::Size(n.clone()));
            let none = maker.compare(ScalarOp::Or, below, above);
            let value = |a: Atom| Block { stmts: Vec::new(), result: a };
            Some(maker.add("group", Ty::int(), Rhs::If(none, value(Atom::Size(n.clone())), value(key))))
        })?;
        let groups = plain(Prim::Map(Level::Auto), vec![], vec![in_range], vec![keys.clone()]);
        let groups = self.prim("groups", ints(&m), groups);
        let pairs = self.zip(&[groups, xs.clone()])?;
        let ty = self.ty(&pairs);
        let pair = ty.as_array()?.element.clone();
        let earlier = self.function([("a", pair.clone()), ("b", pair)], |maker, [a, b]| {
            let (a, b) = (maker.part("group", a, 0, Ty::int()), maker.part("group", b, 0, Ty::int()));
            Some(maker.compare(ScalarOp::Lt, a, b))
        })?;
        let sorted = self.prim("sorted", ty, plain(Prim::Sort, vec![], vec![earlier], vec![pairs]));
        let ones = self.fill(&m, &one);
        let add = |maker: &mut Maker| {
            maker.function([("a", Ty::int()), ("b", Ty::int())], |maker, [a, b]| {
                Some(maker.add("sum", Ty::int(), Rhs::Scalar(ScalarOp::Add, vec![Atom::Var(a), Atom::Var(b)])))
            })
        };
        let sum = add(self)?;
        let args = vec![zero.clone(), keys.clone(), ones];
        let counts = plain(Prim::ReduceByKey(Level::Glb(0)), vec![n.clone()], vec![sum], args);
        let counts = self.prim("counts", ints(n), counts);
        let sum = add(self)?;
        let starts = plain(Prim::ScanExcl(Level::Auto), vec![], vec![sum], vec![zero, counts.clone()]);
        let starts = self.prim("starts", ints(n), starts);
        Some([sorted, starts, counts])
    }

    /// 0, 1, …
    pub(super) fn places(&mut self, n: &Size) -> Atom {
        let call = PrimCall { prim: Prim::Iota, sizes: vec![n.clone()], funs: vec![], args: vec![] };
        self.prim("places", array_of(&Ty::int(), n), call)
    }

    /// The function from the position in a group to the element there, after `kept`. `sorted` has the elements, or
    /// their indices in the array `of`.
    fn member(&mut self, sorted: &Atom, start: &Atom, of: Option<&Atom>, kept: Option<&Lambda>) -> Option<Lambda> {
        let pair = self.ty(sorted).as_array()?.element.clone();
        let kept = match kept {
            Some(g) => {
                let of = self.vars.get(g.params.first()?.0 as usize)?.ty.clone();
                Some(self.copied(g, &of))
            }
            None => None,
        };
        self.function([("j", Ty::int())], |maker, [j]| {
            let at = maker.add("at", Ty::int(), Rhs::Scalar(ScalarOp::Add, vec![start.clone(), Atom::Var(j)]));
            let read = PrimCall { prim: Prim::Aref, sizes: vec![], funs: vec![], args: vec![sorted.clone(), at] };
            let Atom::Var(one) = maker.prim("pair", pair.clone(), read) else { return None };
            let x = maker.ty(&Atom::Var(one));
            let TyKind::Tuple(types) = x.kind() else { return None };
            let mut x = maker.part("element", one, 1, types.get(1)?.clone());
            if let Some(all) = of {
                let (_, element) = rows_of(&maker.ty(all))?;
                let read = PrimCall { prim: Prim::Aref, sizes: vec![], funs: vec![], args: vec![all.clone(), x] };
                x = maker.prim("element", element, read);
            }
            let Some(g) = kept else { return Some(x) };
            let param = maker.stmt(*g.params.first()?, Rhs::Atom(x));
            maker.stmts.push(param);
            maker.stmts.extend(g.body.stmts);
            Some(g.body.result)
        })
    }
}
