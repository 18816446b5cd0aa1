//! `count-between` and `count-below`: the index of a bound in a sorted array is the number of smaller elements. For the
//! bounds 0, 1, … these are prefix sums of counts by key, and nothing has to be sorted for them.

use super::numbered::Numbered;
use super::slice::as_var;
use super::{Definitions, Maker};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::schedule::Applied;
use crate::schedule::rules::{self, Rule};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// A search whose result is the number of elements of `xs` that are less than the element's index plus `offset`.
struct Below<'k> {
    stmt: &'k Stmt,
    number: VarId,
    offset: i64,
    xs: &'k Atom,
}

/// Replaces the first such search, or difference of two, by one computation for all indices.
pub fn by_key(kernel: &Kernel, numbered: &Numbered) -> Option<(Kernel, Applied)> {
    let stmts = &numbered.f.body.stmts;
    let searches: Vec<Below> = stmts.iter().filter_map(|s| below(kernel, numbered, s)).collect();
    let of = |a: &Atom| searches.iter().find(|s| as_var(a) == Some(s.stmt.var));
    let difference = stmts.iter().find_map(|stmt| {
        let Rhs::Scalar(ScalarOp::Sub, operands) = &stmt.rhs else { return None };
        let [a, b] = operands.as_slice() else { return None };
        let (a, b) = (of(a)?, of(b)?);
        (a.offset == b.offset + 1 && a.number == b.number && a.xs == b.xs).then_some((stmt, b))
    });
    let (next, rule, at): (Kernel, &'static Rule, &Stmt) = match difference {
        Some((stmt, low)) => (between(kernel, numbered, stmt, low)?, &rules::COUNT_BETWEEN, stmt),
        None => {
            let search = searches.first()?;
            (all_below(kernel, numbered, search)?, &rules::COUNT_BELOW, search.stmt)
        }
    };
    Some((next, Applied { rule, origin: at.origin.clone() }))
}

/// `(elements less than c + offset + 1) - (elements less than c + offset)`: the number of elements equal to c + offset.
fn between(kernel: &Kernel, numbered: &Numbered, stmt: &Stmt, low: &Below) -> Option<Kernel> {
    let mut maker = numbered.maker(kernel, &Default::default(), &stmt.origin);
    let keys = match low.offset {
        0 => low.xs.clone(),
        // Clamped so that nothing overflows: the values cut off equal no bound.
        k => maker.shifted(low.xs, i64::from(i32::MAX) + k, k - 1, -k)?,
    };
    let counts = maker.counts(numbered, keys)?;
    replace(kernel, numbered, maker, &counts, stmt.var)
}

/// The number of elements less than `c + offset`, for each index c. The key of an element is the first index whose
/// bound is greater, so these are the elements with key at most c.
fn all_below(kernel: &Kernel, numbered: &Numbered, search: &Below) -> Option<Kernel> {
    let mut maker = numbered.maker(kernel, &Default::default(), &search.stmt.origin);
    let k = search.offset;
    let keys = maker.shifted(search.xs, i64::from(i32::MAX) + k - 1, k - 1, 1 - k)?;
    let counts = maker.counts(numbered, keys)?;
    let sum = maker.sum();
    let call = PrimCall {
        prim: Prim::Scan(Level::Auto),
        sizes: Vec::new(),
        funs: vec![sum],
        args: vec![Atom::Lit(Literal::Int(0)), counts],
    };
    let below = maker.prim("below", Ty::array(Ty::int(), numbered.count.clone()), call);
    replace(kernel, numbered, maker, &below, search.stmt.var)
}

/// Replaces the variable `var` of the function by the element of `results`.
fn replace(kernel: &Kernel, numbered: &Numbered, maker: Maker, results: &Atom, var: VarId) -> Option<Kernel> {
    numbered.with(kernel, &Default::default(), maker, results, |_, stmts, value| {
        stmts.iter_mut().find(|s| s.var == var)?.rhs = Rhs::Atom(value.clone());
        Some(())
    })
}

impl Maker {
    /// `map (λx. max (min x most) least + by) xs`
    fn shifted(&mut self, xs: &Atom, most: i64, least: i64, by: i64) -> Option<Atom> {
        let int = |n: i64| i32::try_from(n).ok().map(|n| Atom::Lit(Literal::Int(n)));
        let len = self.ty(xs).as_array()?.len.clone();
        let outside = std::mem::take(&mut self.stmts);
        let x = self.fresh("x", Ty::int());
        let mut value = Atom::Var(x);
        if most < i64::from(i32::MAX) {
            value = self.add("least", Ty::int(), Rhs::Scalar(ScalarOp::Min, vec![value, int(most)?]));
        }
        value = self.add("within", Ty::int(), Rhs::Scalar(ScalarOp::Max, vec![value, int(least)?]));
        if by != 0 {
            value = self.add("key", Ty::int(), Rhs::Scalar(ScalarOp::Add, vec![value, int(by)?]));
        }
        let stmts = std::mem::replace(&mut self.stmts, outside);
        let body = Block { stmts, result: value };
        let f = Lambda { position: None, params: vec![x], body, origin: self.origin.clone() };
        let call = PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![xs.clone()] };
        Some(self.prim("keys", Ty::array(Ty::int(), len), call))
    }

    fn sum(&mut self) -> Lambda {
        let outside = std::mem::take(&mut self.stmts);
        let (a, b) = (self.fresh("a", Ty::int()), self.fresh("b", Ty::int()));
        let result = self.add("sum", Ty::int(), Rhs::Scalar(ScalarOp::Add, vec![Atom::Var(a), Atom::Var(b)]));
        let stmts = std::mem::replace(&mut self.stmts, outside);
        Lambda { position: None, params: vec![a, b], body: Block { stmts, result }, origin: self.origin.clone() }
    }

    /// The number of occurrences of each index among the keys.
    fn counts(&mut self, numbered: &Numbered, keys: Atom) -> Option<Atom> {
        let len = self.ty(&keys).as_array()?.len.clone();
        let ones = self.fill(&len, &Atom::Lit(Literal::Int(1)));
        let (n, sum) = (numbered.count.clone(), self.sum());
        let args = vec![Atom::Lit(Literal::Int(0)), keys, ones];
        let call = PrimCall { prim: Prim::ReduceByKey(Level::Glb(0)), sizes: vec![n.clone()], funs: vec![sum], args };
        Some(self.prim("counts", Ty::array(Ty::int(), n), call))
    }
}

/// Recognises `search f (zip (padConstant #1 #0 low s) (padConstant #0 #1 high s))` of a sorted array s, where f finds
/// the two neighbours with a bound in between.
fn below<'k>(kernel: &Kernel, numbered: &Numbered<'k>, stmt: &'k Stmt) -> Option<Below<'k>> {
    let call = prim(&stmt.rhs, Prim::Search)?;
    let ([f], [pairs]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
    let zip = prim(numbered.defs.get(&as_var(pairs)?)?, Prim::Zip)?;
    let [lower, upper] = zip.args.as_slice() else { return None };
    let (low, s) = padded(&numbered.defs, lower, 1, 0)?;
    let (high, other) = padded(&numbered.defs, upper, 0, 1)?;
    let sort = prim(numbered.defs.get(&as_var(s)?)?, Prim::Sort)?;
    let xs = sort.args.first()?;
    let is_int = kernel.atom_ty(xs).as_array().is_some_and(|a| a.element.as_scalar() == Some(Scalar::Int));
    if s != other
        || !is_int
        || !ascends(sort.funs.first()?)
        || as_var(xs).is_some_and(|v| numbered.varying.contains(&v))
    {
        return None;
    }
    // An array that the function makes would have to be moved before it.
    if numbered.f.body.stmts.iter().any(|other| as_var(xs) == Some(other.var)) {
        return None;
    }
    let (bound, strict) = Neighbours::of(f)?.between()?;
    let (number, offset) = numbered.plus_constant(&bound)?;
    // An element not greater than a bound is less than the next bound.
    let offset = if strict { offset } else { offset + 1 };
    let all_bounds = (offset, i64::from(i32::MAX) - 1 + offset);
    let on_the_right_sides = low < all_bounds.0 && high >= all_bounds.1;
    (offset <= 1 && offset > -(1 << 30) && on_the_right_sides).then_some(Below { stmt, number, offset, xs })
}

fn prim(rhs: &Rhs, wanted: Prim) -> Option<&PrimCall> {
    match rhs {
        Rhs::Prim(call) if call.prim == wanted => Some(call),
        _ => None,
    }
}

/// The padding constant and the array, if it is padded by `left` and `right` elements.
fn padded<'k>(defs: &Definitions<'k>, xs: &Atom, left: i64, right: i64) -> Option<(i64, &'k Atom)> {
    let call = prim(defs.get(&as_var(xs)?)?, Prim::PadConstant)?;
    let sizes = call.sizes.iter().map(Size::as_const).collect::<Option<Vec<_>>>()?;
    match call.args.as_slice() {
        [Atom::Lit(Literal::Int(by)), of] if sizes == [left, right] => Some(((*by).into(), of)),
        _ => None,
    }
}

/// Whether the function is `λ(a,b). a < b`, or `b > a`.
fn ascends(before: &Lambda) -> bool {
    let ([a, b], [stmt]) = (before.params.as_slice(), before.body.stmts.as_slice()) else { return false };
    let (a, b) = (Atom::Var(*a), Atom::Var(*b));
    let ordered = match &stmt.rhs {
        Rhs::Scalar(ScalarOp::Lt, operands) => *operands == [a, b],
        Rhs::Scalar(ScalarOp::Gt, operands) => *operands == [b, a],
        _ => false,
    };
    ordered && before.body.result == Atom::Var(stmt.var)
}

impl Numbered<'_> {
    /// Decomposes an `Int` of the function into an index and a constant that is added to it.
    fn plus_constant(&self, a: &Atom) -> Option<(VarId, i64)> {
        let v = as_var(a)?;
        if self.numbers.contains(&v) {
            return Some((v, 0));
        }
        match self.defs.get(&v)? {
            Rhs::Scalar(ScalarOp::Add, operands) => match operands.as_slice() {
                [Atom::Var(c), Atom::Lit(Literal::Int(k))] | [Atom::Lit(Literal::Int(k)), Atom::Var(c)] => {
                    self.numbers.contains(c).then_some((*c, (*k).into()))
                }
                _ => None,
            },
            Rhs::Scalar(ScalarOp::Sub, operands) => match operands.as_slice() {
                [Atom::Var(c), Atom::Lit(Literal::Int(k))] => self.numbers.contains(c).then_some((*c, -i64::from(*k))),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A function of two neighbours in a sorted array that compares them with one bound and does nothing else.
struct Neighbours<'k> {
    f: &'k Lambda,
    bound: Option<Atom>,
    /// Whether it tests for elements less than the bound (`true`) or not greater than it (`false`).
    strict: Option<bool>,
}

/// The value of an expression of the function under assumed outcomes of the comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Lower,
    Upper,
    Is(bool),
    Number(i64),
}

impl<'k> Neighbours<'k> {
    fn of(f: &'k Lambda) -> Option<Neighbours<'k>> {
        (f.params.len() == 1 && f.position.is_none()).then_some(Neighbours { f, bound: None, strict: None })
    }

    /// The bound, if the function is 0 when the bound is between the neighbours, negative when it is before them and
    /// positive when after. The case that only the upper neighbour is less cannot occur in a sorted array.
    fn between(mut self) -> Option<(Atom, bool)> {
        let outcome = |this: &mut Self, lower: bool, upper: bool| match this.run(lower, upper)? {
            Known::Number(n) => Some(n.signum()),
            _ => None,
        };
        let all = [(true, true), (true, false), (false, false)].map(|(lower, upper)| outcome(&mut self, lower, upper));
        (all == [Some(1), Some(0), Some(-1)]).then_some(())?;
        Some((self.bound?, self.strict?))
    }

    fn run(&mut self, lower: bool, upper: bool) -> Option<Known> {
        let mut known = Vec::new();
        self.block(&self.f.body, (lower, upper), &mut known)
    }

    fn block(&mut self, block: &Block, outcomes: (bool, bool), known: &mut Vec<(VarId, Known)>) -> Option<Known> {
        for stmt in &block.stmts {
            let value = self.value(&stmt.rhs, outcomes, known)?;
            known.push((stmt.var, value));
        }
        look_up(&block.result, known)
    }

    fn value(&mut self, rhs: &Rhs, outcomes: (bool, bool), known: &mut Vec<(VarId, Known)>) -> Option<Known> {
        let pair = Atom::Var(self.f.params[0]);
        match rhs {
            Rhs::Proj(of, 0) if *of == pair => Some(Known::Lower),
            Rhs::Proj(of, 1) if *of == pair => Some(Known::Upper),
            Rhs::Atom(a) => look_up(a, known),
            Rhs::If(condition, then, otherwise) => match look_up(condition, known)? {
                Known::Is(true) => self.block(then, outcomes, known),
                Known::Is(false) => self.block(otherwise, outcomes, known),
                _ => None,
            },
            Rhs::Scalar(op, operands) => {
                let sides: Vec<Option<Known>> = operands.iter().map(|a| look_up(a, known)).collect();
                match (op, sides.as_slice(), operands.as_slice()) {
                    (ScalarOp::Not, [Some(Known::Is(b))], _) => Some(Known::Is(!b)),
                    (ScalarOp::And, [Some(Known::Is(a)), Some(Known::Is(b))], _) => Some(Known::Is(*a && *b)),
                    (ScalarOp::Or, [Some(Known::Is(a)), Some(Known::Is(b))], _) => Some(Known::Is(*a || *b)),
                    (op, [Some(side), _], [_, bound]) => self.compared(*op, *side, bound, outcomes),
                    (op, [None, Some(side)], [bound, _]) => self.compared(turned(*op)?, *side, bound, outcomes),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Evaluates `side op bound`.
    fn compared(&mut self, op: ScalarOp, side: Known, bound: &Atom, outcomes: (bool, bool)) -> Option<Known> {
        let is_below = match side {
            Known::Lower => outcomes.0,
            Known::Upper => outcomes.1,
            _ => return None,
        };
        let (strict, positive) = match op {
            ScalarOp::Lt => (true, true),
            ScalarOp::Ge => (true, false),
            ScalarOp::Le => (false, true),
            ScalarOp::Gt => (false, false),
            _ => return None,
        };
        if self.bound.get_or_insert_with(|| bound.clone()) != bound || *self.strict.get_or_insert(strict) != strict {
            return None;
        }
        Some(Known::Is(is_below == positive))
    }
}

fn look_up(a: &Atom, known: &[(VarId, Known)]) -> Option<Known> {
    match a {
        Atom::Var(v) => known.iter().rev().find(|(other, _)| other == v).map(|(_, value)| *value),
        Atom::Lit(Literal::Int(n)) => Some(Known::Number((*n).into())),
        Atom::Lit(Literal::Bool(b)) => Some(Known::Is(*b)),
        _ => None,
    }
}

/// The comparison operator with exchanged operands.
fn turned(op: ScalarOp) -> Option<ScalarOp> {
    Some(match op {
        ScalarOp::Lt => ScalarOp::Gt,
        ScalarOp::Gt => ScalarOp::Lt,
        ScalarOp::Le => ScalarOp::Ge,
        ScalarOp::Ge => ScalarOp::Le,
        _ => return None,
    })
}
