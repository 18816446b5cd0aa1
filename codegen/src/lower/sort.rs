//! `sort` and `argsort` by one work-item: a stable bottom-up merge sort of indices, the interpreter's algorithm, so
//! that the result is the same even if the function is not a strict weak order. A few elements that are compared by
//! numbers are exchanged in registers instead.

use super::Result;
use super::function::FunctionBuilder;
use super::value::{Array, Closure, Dest, Env, Hits, Layout, Place, Value};
use crate::core::PrimCall;
use crate::core::order::NumberOrder;
use crate::opencl::{CType, Expr, Step, StmtKind, Storage};
use crate::schedule::rules;
use crate::target::Class;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// A stored array of `int`s.
pub struct Ints(Place);

impl<'k> FunctionBuilder<'_, 'k> {
    /// A computed number below `n`, as an index.
    pub fn index_below(&mut self, name: &str, expr: Expr, n: &Size) -> Size {
        let expr = if expr.is_atom() { expr } else { self.bind(name, CType::Int, expr) };
        let var = self.index_var(name, expr);
        self.known_mut().assume_index(&var, n);
        Size::var(var)
    }

    pub fn sort(&mut self, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>, positions: bool) -> Result<()> {
        let xs = self.atom(&call.args[0], env)?;
        let xs = self.array(&xs)?;
        self.runs_alone(call.prim, &xs.len);
        let before = Closure { lambda: &call.funs[0], env: env.clone() };
        sort_array(self, &xs, &before, dest, positions)
    }
}

/// Private memory for `n` ints.
pub fn ints(f: &mut FunctionBuilder, n: &Size, name: &str) -> Result<Ints> {
    Ok(Ints(f.allocate_private(&Ty::array(Ty::int(), n.clone()), name)?))
}

/// Uses memory for ints as the record of written indices.
pub fn hits_in(f: &FunctionBuilder, ints: Ints) -> Result<Hits> {
    if let Layout::Array { capacity, element, .. } = &*ints.0.layout
        && let Layout::Scalar(memory) = &**element
    {
        return Ok(Hits { memory: memory.clone(), base: ints.0.at.mul(capacity), atomic: false });
    }
    Err(f.error("scatter", "there is no memory for positions"))
}

/// Whether element `i` comes before element `j`.
pub fn comes_before<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    before: &Closure<'k>,
    xs: &Array<'k>,
    i: &Size,
    j: &Size,
) -> Result<Expr> {
    let (x, y) = (f.read(xs, i)?, f.read(xs, j)?);
    precedes(f, before, x, y)
}

/// Whether an element comes before another one.
fn precedes<'k>(f: &mut FunctionBuilder<'_, 'k>, before: &Closure<'k>, x: Value<'k>, y: Value<'k>) -> Result<Expr> {
    if let Some((order, key)) = order_of_floats(f, before) {
        let (mut x, mut y) = (number_in(f, &x, &order)?, number_in(f, &y, &order)?);
        let key = if key == Scalar::Half {
            (x, y) = (f.float_of_half(x), f.float_of_half(y));
            CType::Float
        } else {
            CType::of(key)
        };
        let (x, y) = (f.bind("x_key", key, x), f.bind("y_key", key, y));
        let (first, second) = if order.descending { (&y, &x) } else { (&x, &y) };
        let ordered = first.clone().lt(second.clone());
        let is_nan = |e: Expr| Expr::call("isnan", [e]);
        return Ok(ordered.or(is_nan(y).and(is_nan(x).not())));
    }
    let result = f.call(before, &[x, y])?;
    let result = f.scalar_of(&result)?;
    f.scalar(&result)
}

/// The number in an element by which it is sorted.
pub fn number_in<'k>(f: &mut FunctionBuilder<'_, 'k>, x: &Value<'k>, order: &NumberOrder) -> Result<Expr> {
    let mut x = f.force(x)?;
    for at in &order.path {
        let part = match &x {
            Value::Tuple(parts) => parts.get(*at).cloned(),
            _ => None,
        };
        let Some(part) = part else { return Err(f.error("sort", "a component of an element is missing")) };
        x = f.force(&part)?;
    }
    let number = f.scalar_of(&x)?;
    f.scalar(&number)
}

/// Writes the elements, or their indices, in the order of `before`.
pub fn sort_array<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    xs: &Array<'k>,
    before: &Closure<'k>,
    dest: &Dest<'k>,
    positions: bool,
) -> Result<()> {
    if exchanged(f, xs, before, dest, positions)? {
        return Ok(());
    }
    let n = xs.len.clone();
    let (order, merged) = (ints(f, &n, "order")?, ints(f, &n, "merged")?);
    f.for_range("i", Expr::int(0), &n, Step::Increment, |f, i| {
        let (to, i) = (order.int_at(f, i)?, f.size(i)?);
        f.assign(to, i);
        Ok(())
    })?;
    f.for_range("width", Expr::int(1), &n, Step::Double, |f, width| {
        let width = f.size(width)?;
        let twice = Step::Add(width.clone().mul(Expr::int(2)));
        f.for_range("start", Expr::int(0), &n, twice, |f, start| merge(f, xs, before, start, &width, &order, &merged))?;
        f.for_range("i", Expr::int(0), &n, Step::Increment, |f, i| {
            let (to, from) = (order.int_at(f, i)?, merged.int_at(f, i)?);
            f.assign(to, from);
            Ok(())
        })
    })?;
    f.for_range("i", Expr::int(0), &n, Step::Increment, |f, i| {
        let from = order.int_at(f, i)?;
        let to = f.dest_at(dest, i)?;
        if positions {
            return f.copy(&Value::computed(Scalar::Int, from), &to);
        }
        let from = f.index_below("from", from, &xs.len);
        let x = f.read(xs, &from)?;
        f.copy(&x, &to)
    })
}

/// Sorts a few elements in registers by exchanges of neighbours, which are stable; `false` if there are too many, or they
/// are not compared by a number, so that only the interpreter's algorithm gives its result. The loops are written out, so
/// that no index remains: a device keeps an array with computed indices in memory.
fn exchanged<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    xs: &Array<'k>,
    before: &Closure<'k>,
    dest: &Dest<'k>,
    positions: bool,
) -> Result<bool> {
    let Some(n) = xs.len.as_const().filter(|n| (2..=f.parameter(Parameter::SortFew)).contains(n)) else {
        return Ok(false);
    };
    let element = before.lambda.params.first().map(|x| f.kernel().ty(*x).clone());
    let Some(element) = element.filter(|_| f.target().class == Class::Gpu && NumberOrder::of(before.lambda).is_some())
    else {
        return Ok(false);
    };
    // The position of an element moves with it.
    let kept = if positions { Ty::tuple(vec![element, Ty::int()]) } else { element };
    let Some(own) = f.element_arrays(&kept, "sorted", Storage::Private, n) else { return Ok(false) };
    let origin = f.origin();
    f.program_mut().applied(&rules::SORT_EXCHANGED, &origin);
    f.unrolled("i", n, |f, i| {
        let (x, at) = (f.read(xs, i)?, f.size(i)?);
        let x = if positions { Value::Tuple(vec![x, Value::computed(Scalar::Int, at.clone())]) } else { x };
        let to = f.slot_at(&own, at);
        f.copy(&x, &Dest::Place(to))
    })?;
    f.unrolled("done", n - 1, |f, done| {
        f.emit(StmtKind::Unroll);
        let end = Size::int(n - 1).sub(done);
        f.for_range("i", Expr::int(0), &end, Step::Increment, |f, i| {
            let (left, right) = (f.size(i)?, f.size(&i.add(&Size::one()))?);
            let [left, right] = [left, right].map(|at| f.slot_at(&own, at));
            let (x, y) = (f.load(&left)?, f.load(&right)?);
            let (Some(x), Some(y)) = (f.registers_with(&x, "x")?, f.registers_with(&y, "y")?) else {
                return Err(f.error("sort", "an element is not kept in registers"));
            };
            let element = |of: &Value<'k>| match of {
                Value::Tuple(parts) if positions => parts[0].clone(),
                all => all.clone(),
            };
            let wrong = precedes(f, before, element(&y), element(&x))?;
            let (exchange, ()) = f.scope(|f| {
                f.copy(&y, &Dest::Place(left))?;
                f.copy(&x, &Dest::Place(right))
            })?;
            f.emit_if(wrong, exchange, Vec::new());
            Ok(())
        })
    })?;
    f.unrolled("i", n, |f, i| {
        let at = f.size(i)?;
        let from = f.slot_at(&own, at);
        let x = match f.load(&from)? {
            Value::Tuple(mut parts) if positions => parts.swap_remove(1),
            x => x,
        };
        let to = f.dest_at(dest, i)?;
        f.copy(&x, &to)
    })?;
    Ok(true)
}

impl Ints {
    pub fn int_at(&self, f: &mut FunctionBuilder, i: &Size) -> Result<Expr> {
        let Layout::Array { capacity, element, .. } = &*self.0.layout else { return Ok(Expr::int(0)) };
        let Layout::Scalar(m) = &**element else { return Ok(Expr::int(0)) };
        let at = f.facts().simplify(&self.0.at.mul(capacity).add(i));
        f.memory(m, &at, true)
    }
}

/// The order, and the type of the number, if a function compares elements by a floating-point number in them.
fn order_of_floats<'k>(f: &FunctionBuilder<'_, 'k>, before: &Closure<'k>) -> Option<(NumberOrder, Scalar)> {
    let order = NumberOrder::of(before.lambda)?;
    let element = f.kernel().ty(*before.lambda.params.first()?);
    let key = order.scalar(element).filter(|s| s.is_floating())?;
    Some((order, key))
}

/// Merges the two runs of length `width` that start at `start`.
fn merge<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    xs: &Array<'k>,
    before: &Closure<'k>,
    start: &Size,
    width: &Expr,
    order: &Ints,
    merged: &Ints,
) -> Result<()> {
    let n = &xs.len;
    let (first, len) = (f.size(start)?, f.size(n)?);
    // Compare remaining lengths instead of ends, which could overflow.
    let rest = len.sub(first.clone());
    let middle = first.clone().add(Expr::call("min", [width.clone(), rest.clone()]));
    let middle = f.bind("middle", CType::Int, middle);
    let second = Expr::call("min", [width.clone(), rest.sub(middle.clone().sub(first.clone()))]);
    let end = f.bind("end", CType::Int, middle.clone().add(second));
    let end_var = f.index_var("end", end.clone());
    f.known_mut().assume_range(end_var.clone(), Some(Size::zero()), Some(n.clone()));
    let left = Expr::Var(f.variable("left", CType::Int, Some(first.clone())));
    let right = Expr::Var(f.variable("right", CType::Int, Some(middle.clone())));
    f.for_range("at", first, &Size::var(end_var), Step::Increment, |f, at| {
        let from_right = f.variable("from_right", CType::Bool, Some(left.clone().ge(middle.clone())));
        let from_right = Expr::Var(from_right);
        let index = |f: &mut FunctionBuilder<'_, 'k>, e: &Expr| {
            let var = f.index_var("run", e.clone());
            f.known_mut().assume_index(&var, n);
            Size::var(var)
        };
        let (both, ()) = f.scope(|f| {
            let (l, r) = (index(f, &left), index(f, &right));
            let (x, y) = (order.int_at(f, &l)?, order.int_at(f, &r)?);
            let (x, y) = (f.index_below("x", x, n), f.index_below("y", y, n));
            let swapped = comes_before(f, before, xs, &y, &x)?;
            f.assign(from_right.clone(), swapped);
            Ok(())
        })?;
        f.emit_if(left.clone().lt(middle.clone()).and(right.clone().lt(end.clone())), both, Vec::new());
        let to = merged.int_at(f, at)?;
        let take = |f: &mut FunctionBuilder<'_, 'k>, from: &Expr| {
            f.scope(|f| {
                let i = index(f, from);
                let value = order.int_at(f, &i)?;
                f.assign(to.clone(), value);
                f.assign(from.clone(), from.clone().add(Expr::int(1)));
                Ok(())
            })
        };
        let ((one, ()), (other, ())) = (take(f, &right)?, take(f, &left)?);
        f.emit_if(from_right, one, other);
        Ok(())
    })
}
