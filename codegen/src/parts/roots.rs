//! Kernels of statements with their own step: the work in a block, and between the blocks.

use super::known::{Known, Need};
use super::maker::{Made, Maker};
use super::{Range, ValueId};
use crate::core::copy::Copier;
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, UNNAMED, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

type Result<T> = std::result::Result<T, Need>;

/// Copies the elements of `v`.
pub fn elements(known: &Known, v: VarId, range: &Range) -> Result<Made> {
    let mut maker = Maker::new(known);
    let xs = maker.part(v, range, true)?;
    maker.finish(known.name(v), Atom::Var(xs))
}

/// Filters a block.
pub fn kept(known: &Known, stmt: &Stmt, xs: VarId, range: &Range) -> Result<Made> {
    let Rhs::Prim(call) = &stmt.rhs else { return Err(Need::Blocks(xs)) };
    let mut maker = Maker::new(known);
    let part = maker.part(xs, range, false)?;
    let funs = call.funs.iter().map(|f| maker.lambda(f)).collect::<Result<Vec<_>>>()?;
    let args = vec![Atom::Var(part)];
    let kept = maker.prim("kept", PrimCall { prim: call.prim, sizes: Vec::new(), funs, args }, &stmt.origin)?;
    maker.finish("filter", Atom::Var(kept))
}

/// Folds a block to an array of one element.
pub fn partial(known: &Known, fold: &Fold, range: &Range) -> Result<Made> {
    let mut maker = Maker::new(known);
    let xs = maker.part(fold.xs, range, false)?;
    let folded = folded(&mut maker, fold, Prim::Reduce(Level::Auto), xs)?;
    maker.finish("reduce", Atom::Var(folded))
}

/// The operands of a fold, a scan or an exclusive scan.
pub struct Fold<'s> {
    pub f: &'s Lambda,
    pub z: &'s Atom,
    pub xs: VarId,
    pub origin: &'s Origin,
}

fn folded(maker: &mut Maker<'_>, fold: &Fold<'_>, prim: Prim, xs: VarId) -> Result<VarId> {
    let z = maker.whole_atom(fold.z)?;
    let f = maker.lambda(fold.f)?;
    let call = PrimCall { prim, sizes: Vec::new(), funs: vec![f], args: vec![z, Atom::Var(xs)] };
    maker.prim(UNNAMED, call, fold.origin)
}

/// Folds several partial results; with `Prim::ScanExcl`, gives the fold of those before each of them.
pub fn combined(known: &Known, fold: &Fold<'_>, prim: Prim, element: &Ty) -> Result<Made> {
    let mut maker = Maker::new(known);
    let ty = Ty::array(element.clone(), maker.block_size());
    // The first parameter is the array that the step folds.
    let partials = maker.whole_param(ValueId(u32::MAX), "partials", ty);
    let Atom::Var(partials) = partials else { return Err(Need::Blocks(fold.xs)) };
    let folded = folded(&mut maker, fold, prim, partials)?;
    let mut made = maker.finish("combine", Atom::Var(folded))?;
    made.wholes.retain(|v| *v != ValueId(u32::MAX));
    Ok(made)
}

/// Scans a block, starting with the fold of the preceding blocks.
pub fn scanned(
    known: &Known,
    fold: &Fold<'_>,
    prim: Prim,
    before: ValueId,
    element: &Ty,
    range: &Range,
) -> Result<Made> {
    let mut maker = Maker::new(known);
    let xs = maker.part(fold.xs, range, false)?;
    let scanned = folded(&mut maker, fold, prim, xs)?;
    let before = maker.pick(before, "before", element.clone());
    let x = maker.var("x", element.clone());
    let body = maker.applied(fold.f, &[before, Atom::Var(x)])?;
    let f = Lambda { position: None, params: vec![x], body, origin: fold.f.origin.clone() };
    let call =
        PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![Atom::Var(scanned)] };
    let result = maker.prim(UNNAMED, call, fold.origin)?;
    maker.finish("scan", Atom::Var(result))
}

/// An array of these elements, as the first parameter of a kernel.
fn input(maker: &mut Maker<'_>, element: &Ty, known: &Known) -> Result<VarId> {
    let ty = Ty::array(element.clone(), maker.block_size());
    match maker.whole_param(ValueId(u32::MAX), "xs", ty) {
        Atom::Var(v) => Ok(v),
        _ => Err(Need::Blocks(VarId(known.vars.len() as u32))),
    }
}

fn without_input(mut made: Made) -> Made {
    made.wholes.retain(|v| *v != ValueId(u32::MAX));
    made
}

/// Sorts a whole array.
pub fn sorted(known: &Known, f: &Lambda, element: &Ty, origin: &Origin) -> Result<Made> {
    let mut maker = Maker::new(known);
    let xs = input(&mut maker, element, known)?;
    let f = maker.lambda(f)?;
    let call = PrimCall { prim: Prim::Sort, sizes: Vec::new(), funs: vec![f], args: vec![Atom::Var(xs)] };
    let sorted = maker.prim("sorted", call, origin)?;
    Ok(without_input(maker.finish("sort", Atom::Var(sorted))?))
}

/// Reverses an array.
pub fn reversed(known: &Known, element: &Ty, origin: &Origin) -> Result<Made> {
    let mut maker = Maker::new(known);
    let xs = input(&mut maker, element, known)?;
    let call = PrimCall { prim: Prim::Reverse, sizes: Vec::new(), funs: Vec::new(), args: vec![Atom::Var(xs)] };
    let reversed = maker.prim("reversed", call, origin)?;
    Ok(without_input(maker.finish("reverse", Atom::Var(reversed))?))
}

/// For each of some elements, the number of elements of a sorted array that go before it.
pub fn before(known: &Known, f: &Lambda, element: &Ty, origin: &Origin) -> Result<Made> {
    let mut maker = Maker::new(known);
    let xs = input(&mut maker, element, known)?;
    let cuts = Ty::array(element.clone(), Size::var(maker.cuts()));
    let cuts = match maker.whole_param(ValueId(u32::MAX), "cuts", cuts) {
        Atom::Var(v) => v,
        _ => return Err(Need::Blocks(xs)),
    };
    let int = |n| Atom::Lit(Literal::Int(n));
    let cut = maker.var("cut", element.clone());
    // 1 for each element that goes before the cut.
    let x = maker.var("x", element.clone());
    let mut body = maker.applied(f, &[Atom::Var(x), Atom::Var(cut)])?;
    let one = maker.var("one", Ty::int());
    let number = |n| Block { stmts: Vec::new(), result: int(n) };
    let rhs = Rhs::If(body.result.clone(), number(1), number(0));
    body.stmts.push(Stmt { var: one, binds: Vec::new(), rhs, origin: origin.clone() });
    body.result = Atom::Var(one);
    let is_before = Lambda { position: None, params: vec![x], body, origin: origin.clone() };
    let n = maker.block_size();
    let ones = maker.var("ones", Ty::array(Ty::int(), n));
    let (a, b, sum) = (maker.var("a", Ty::int()), maker.var("b", Ty::int()), maker.var("sum", Ty::int()));
    let rhs = Rhs::Scalar(ScalarOp::Add, vec![Atom::Var(a), Atom::Var(b)]);
    let stmt = |var, rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
    let plus = Block { stmts: vec![stmt(sum, rhs)], result: Atom::Var(sum) };
    let plus = Lambda { position: None, params: vec![a, b], body: plus, origin: origin.clone() };
    let total = maker.var("total", Ty::array(Ty::int(), Size::one()));
    let count = maker.var("count", Ty::int());
    let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
    let stmts = vec![
        stmt(ones, prim(Prim::Map(Level::Auto), vec![is_before], vec![Atom::Var(xs)])),
        stmt(total, prim(Prim::Reduce(Level::Auto), vec![plus], vec![int(0), Atom::Var(ones)])),
        stmt(count, prim(Prim::Head, Vec::new(), vec![Atom::Var(total)])),
    ];
    let body = Block { stmts, result: Atom::Var(count) };
    let each = Lambda { position: None, params: vec![cut], body, origin: origin.clone() };
    let call =
        PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![each], args: vec![Atom::Var(cuts)] };
    let counts = maker.prim("counts", call, origin)?;
    Ok(without_input(maker.finish("before", Atom::Var(counts))?))
}

/// Computes one statement, or a tuple, on whole values.
pub fn whole(known: &Known, v: VarId) -> Result<Made> {
    let mut maker = Maker::new(known);
    let root = known.root(v);
    let name = match known.name(root) {
        UNNAMED => "whole",
        name => name,
    };
    let result = match (known.defs.get(&root), known.tuples.get(&root)) {
        (Some(stmt), _) => maker.whole_stmt(stmt)?,
        (None, Some(parts)) => {
            let parts = parts.iter().map(|a| maker.whole_atom(a)).collect::<Result<Vec<_>>>()?;
            let origin = known.kernel.body.stmts.first().map(|stmt| stmt.origin.clone());
            let Some(origin) = origin else { return Err(Need::Blocks(root)) };
            Atom::Var(maker.push(UNNAMED, known.ty(root).clone(), Rhs::Tuple(parts), &origin))
        }
        (None, None) => maker.whole(root)?,
    };
    maker.finish(name, result)
}

/// Returns an atom other than a variable as a whole value.
pub fn atom(known: &Known, a: &Atom) -> Result<Made> {
    let maker = Maker::new(known);
    maker.finish("result", a.clone())
}

/// Compares pairs of an element and its index by the elements.
pub fn by_first(known: &mut Known, f: &Lambda, pair: &Ty, element: &Ty, origin: &Origin) -> Lambda {
    let params = vec![known.var("a", pair.clone()), known.var("b", pair.clone())];
    let firsts = [known.var("a", element.clone()), known.var("b", element.clone())];
    let mut stmts: Vec<Stmt> = Vec::new();
    for (var, of) in firsts.iter().zip(&params) {
        let rhs = Rhs::Proj(Atom::Var(*of), 0);
        stmts.push(Stmt { var: *var, binds: Vec::new(), rhs, origin: origin.clone() });
    }
    let atoms: FxHashMap<VarId, Atom> = f.params.iter().copied().zip(firsts.iter().map(|v| Atom::Var(*v))).collect();
    let mut vars = std::mem::take(&mut known.vars);
    let mut copier = Copier::new(&mut vars, &mut known.lengths);
    copier.atoms = atoms;
    let body = copier.block(&f.body);
    known.vars = vars;
    stmts.extend(body.stmts);
    Lambda { position: None, params, body: Block { stmts, result: body.result }, origin: f.origin.clone() }
}

/// A function that takes component `i` of a tuple.
pub fn component(known: &mut Known, tuple: &Ty, part: &Ty, i: usize, origin: &Origin) -> Lambda {
    let p = known.var("p", tuple.clone());
    let var = known.var(UNNAMED, part.clone());
    let stmts = vec![Stmt { var, binds: Vec::new(), rhs: Rhs::Proj(Atom::Var(p), i), origin: origin.clone() }];
    Lambda { position: None, params: vec![p], body: Block { stmts, result: Atom::Var(var) }, origin: origin.clone() }
}
