//! Sizes in code: facts about indices, and their C expressions.

use super::Result;
use super::function::FunctionBuilder;
use super::pieces::tabled_sum;
use super::value::{ScalarValue, Value};
use super::wrapped::wrapped;
use crate::failure::{LONGEST, Message};
use crate::opencl::{BinaryOp, CType, Expr, Helper, UnaryOp};
use crate::schedule::bounds::size_of_node as as_size;
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::{Node, Size, Var, VarKind};
use std::sync::Arc;

/// The host computes a length of size parameters that has more nodes than this.
const HEAVIEST: u32 = 40;

/// Difference between the greatest `int` and the length of the longest array.
const SLACK: i64 = (i32::MAX - LONGEST) as i64;

impl<'k> FunctionBuilder<'_, 'k> {
    /// An upper bound of a size that the host knows before the launch.
    pub fn upper(&self, size: &Size) -> Option<Size> {
        self.program().upper(self.facts(), size)
    }

    /// Whether a natural number with the C expression `expr` may exceed an `int`: a length or an index of an array that
    /// is never stored, such as `(join (fill #4000000000 xs))`. A number bounded by the capacity of a buffer does not.
    pub fn overflows(&self, s: &Size, expr: &Expr) -> bool {
        if expr.is_atom() {
            return false;
        }
        self.may_be_large(s)
    }

    /// Whether a size may exceed an `int`, as far as is known.
    pub fn may_be_large(&self, s: &Size) -> bool {
        !self.known().fits_int(s) && !self.is_stored(s, 0)
    }

    /// Whether a size is at most `more` above the capacity of a buffer. Tries the buffer of the last such size first,
    /// because a failed proof takes longest.
    fn is_stored(&self, s: &Size, more: i64) -> bool {
        let program = self.program();
        let (last, more) = (program.last_stored.get(), Size::int(more));
        let all = (0..program.buffers.len()).filter(|at| *at != last);
        let found = program.buffers.get(last).map(|_| last).into_iter().chain(all).find(|at| {
            let capacity = &program.buffers[*at].capacity;
            self.facts().le(s, &capacity.add(&more)).is_yes()
        });
        found.inspect(|at| program.last_stored.set(*at)).is_some()
    }

    /// A length to which a loop counts or with which an index is compared. It is an `int`; if it does not fit, a
    /// failure is recorded and it is 0. If it may not fit and consists of size parameters, it becomes an argument of
    /// the kernel, so that the host reports it.
    pub fn checked_length(&mut self, len: &Size) -> Result<Size> {
        let of_host = !len.any_var(&mut |v| v.kind != VarKind::Param) && self.program().is_measured(len);
        // A proof about a heavy size takes long, and as an argument it makes the code shorter.
        if !(of_host && len.weight() > HEAVIEST) {
            let expr = self.size(len)?;
            if !self.overflows(len, &expr) {
                return Ok(len.clone());
            }
        }
        if of_host {
            if self.position().in_branch() {
                return self.wide_size(len, &argument_name(len), Helper::CheckCount, &Message::too_long());
            }
            return self.host_size(len, &argument_name(len));
        }
        if !self.is_checked() {
            return Ok(len.clone());
        }
        let expr = self.size(len)?;
        let checked = self.call_checked(Helper::CheckCount, &Message::too_long(), [in_long(expr)]);
        let checked = self.bind("len", CType::Int, checked);
        let var = self.index_var("len", checked);
        let most = self.facts().bounds(len).1;
        self.known_mut().assume_range(var.clone(), Some(Size::zero()), most);
        Ok(Size::var(var))
    }

    /// The C expression of [`FunctionBuilder::checked_length`].
    pub fn length(&mut self, len: &Size) -> Result<Expr> {
        let checked = self.checked_length(len)?;
        self.size(&checked)
    }

    /// The C expression of a size, computed in `long` if it may exceed an `int`.
    pub fn exact_size(&mut self, s: &Size) -> Result<Expr> {
        let expr = self.size(s)?;
        Ok(if expr.is_atom() || self.known().fits_int(s) { expr } else { in_long(expr) })
    }

    /// The C expression of a size whose value must fit an `int`.
    pub fn size(&mut self, s: &Size) -> Result<Expr> {
        let simplified = self.known_mut().simplify(s);
        let simplified = self.known_mut().quotients_mut().named(simplified);
        if let Some(expr) = by_host_factors(self, &simplified)? {
            return Ok(expr);
        }
        as_written(self, &simplified)
    }

    /// A scalar as a C expression.
    pub fn scalar(&mut self, v: &ScalarValue) -> Result<Expr> {
        Ok(match v {
            ScalarValue::Literal(l) => {
                self.note_double((*l).scalar());
                Expr::literal(*l)
            }
            ScalarValue::Size(s) => size_as_number(self, s)?,
            ScalarValue::Computed { expr, .. } => expr.clone(),
        })
    }

    /// An `Int` as a size; a computed one gets a name and a size variable.
    pub fn as_size(&mut self, v: &ScalarValue, name: &str) -> Result<Size> {
        Ok(match v {
            ScalarValue::Size(s) => s.clone(),
            ScalarValue::Literal(Literal::Int(i)) => Size::int((*i).into()),
            other => {
                let expr = self.scalar(other)?;
                let expr = if matches!(expr, Expr::Var(_)) { expr } else { self.bind(name, CType::Int, expr) };
                let var = self.index_var(name, expr);
                self.known_mut().assume_range(
                    var.clone(),
                    Some(Size::int(i32::MIN.into())),
                    Some(Size::int(i32::MAX.into())),
                );
                Size::var(var)
            }
        })
    }

    /// An index below `n`, bound to a name unless it is an atom.
    pub fn named_index(&mut self, name: &str, i: &Size, n: &Size) -> Result<Size> {
        let expr = self.size(i)?;
        if expr.is_atom() {
            return Ok(i.clone());
        }
        Ok(self.index_below(name, expr, n))
    }

    /// Binds a value to a name, if it is not already one, so that later assignments do not affect it.
    pub fn named_scalar(&mut self, v: &Value<'k>, name: &str) -> Result<Value<'k>> {
        Ok(match v {
            Value::Scalar(ScalarValue::Computed { ty, expr }) if !expr.is_atom() => {
                let (ty, expr) = (*ty, expr.clone());
                let named = self.bind(name, CType::of(ty), expr.clone());
                self.known_mut().note_name(&expr, &named);
                Value::computed(ty, named)
            }
            Value::Vec(v) if !v.expr.is_atom() => {
                let expr = self.bind(name, CType::Vec(v.scalar, v.width), v.expr.clone());
                Value::Vec(super::value::VecValue { expr, ..v.clone() })
            }
            Value::Tuple(parts) => {
                let mut named = Vec::new();
                for (i, p) in parts.iter().enumerate() {
                    named.push(self.named_scalar(p, &format!("{name}_{}", i + 1))?);
                }
                Value::Tuple(named)
            }
            other => other.clone(),
        })
    }
}

/// `0` of a type, as a harmless value.
pub fn zero(s: Scalar) -> Expr {
    match s {
        Scalar::Half => Expr::literal(Literal::Half(0)),
        Scalar::Float => Expr::Float(0),
        Scalar::Double => Expr::Double(0),
        Scalar::Bool => Expr::Bool(false),
        integer => Literal::of_integer(integer, 0).map_or(Expr::int(0), Expr::literal),
    }
}

/// Whether a part of an index may leave the range of `int`. Lengths that buffers bound leave [`SLACK`] for the distances
/// of elements that are read together.
fn may_wrap(f: &FunctionBuilder, s: &Size) -> bool {
    if is_near_a_variable(s) {
        return false;
    }
    let (lower, upper) = f.facts().const_bounds(s);
    let above = upper.is_none_or(|u| u > i32::MAX.into()) && !f.is_stored(s, SLACK);
    above || lower.is_none_or(|l| l < i32::MIN.into()) && !f.is_stored(&s.neg(), SLACK)
}

/// Operands of a minimum, a maximum or a condition: all computed in `long` if one of them may wrap.
fn alternatives<'k>(f: &mut FunctionBuilder<'_, 'k>, nodes: &[&Node]) -> Result<Vec<Expr>> {
    let all = nodes.iter().map(|n| node_expr(f, n)).collect::<Result<Vec<_>>>()?;
    let wide = |f: &FunctionBuilder<'_, 'k>, n: &Node, e: &Expr| {
        is_long(e) || !e.is_atom() && as_size(n).is_some_and(|size| may_wrap(f, &size))
    };
    let any = nodes.iter().zip(&all).any(|(n, e)| wide(f, n, e));
    Ok(if any { all.into_iter().map(in_long).collect() } else { all })
}

/// The choice `e` among alternatives, as an `int` if it fits one.
fn chosen(f: &FunctionBuilder, node: &Node, e: Expr) -> Expr {
    let fits = || as_size(node).is_some_and(|size| !may_wrap(f, &size));
    if is_long(&e) && fits() { e.cast(CType::Int) } else { e }
}

/// A size as a number of the program. If it mentions an index variable, it is checked here to fit an `Int`;
/// otherwise that is an assumption ([`crate::core::numbers`]).
fn size_as_number(f: &mut FunctionBuilder, s: &Size) -> Result<Expr> {
    let expr = f.size(s)?;
    let of_position = |v: &Var| !matches!(v.kind, VarKind::Param | VarKind::Skolem);
    if !f.is_checked() || !s.any_var(&mut |v| of_position(v)) || !f.overflows(s, &expr) {
        return Ok(expr);
    }
    Ok(f.call_checked(Helper::CheckNumber, &Message::too_large_number(), [in_long(expr)]))
}

/// A sum with fractions, `j·N/k + i`: the quotients are integers that the host computes, so that no product exceeds
/// the resulting index. `None` if there is no fraction or it cannot be separated.
fn by_host_factors(f: &mut FunctionBuilder, s: &Size) -> Result<Option<Expr>> {
    if s.is_integral() {
        return Ok(None);
    }
    let terms: Vec<Size> = s.summands().into_iter().map(|t| term(t.numerator, t.denominator, &t.monomial)).collect();
    if terms.iter().all(|t| is_whole(&f.program_mut().node(t))) {
        return Ok(None);
    }
    let mut whole = Size::zero();
    let mut fractions = Vec::new();
    for t in terms {
        if is_whole(&f.program_mut().node(&t)) {
            whole = whole.add(&t);
            continue;
        }
        let (mut coefficient, mut indices) = (t, Vec::new());
        while let Some(var) = coefficient.vars().into_iter().find(|v| v.kind != VarKind::Param) {
            match coefficient.linear_in(&var) {
                Some((c, rest)) if rest.is_zero() => {
                    coefficient = c;
                    indices.push(var);
                }
                _ => return Ok(None),
            }
        }
        let node = f.program_mut().node(&coefficient);
        if !is_integer(f, &node) {
            return Ok(None);
        }
        fractions.push((coefficient, indices));
    }
    let mut sum = match whole.is_zero() {
        true => None,
        false => Some(as_written(f, &whole)?),
    };
    for (coefficient, indices) in fractions {
        let (negative, coefficient) = match coefficient.summands().first() {
            Some(first) if first.numerator < 0 => (true, coefficient.neg()),
            _ => (false, coefficient),
        };
        let mut product = host_value(f, &coefficient)?;
        for var in indices {
            product = f.var_expr(&var)?.mul(product);
        }
        sum = Some(match (sum, negative) {
            (None, false) => product,
            (None, true) => Expr::Unary(UnaryOp::Neg, Arc::new(product)),
            (Some(sum), false) => sum.add(product),
            (Some(sum), true) => sum.sub(product),
        });
    }
    Ok(sum)
}

/// Whether the size is provably an integer for all values of the size parameters.
fn is_integer(f: &FunctionBuilder, node: &Node) -> bool {
    match node {
        Node::ExactDiv(num, den) => match (as_size(num), as_size(den)) {
            (Some(num), Some(den)) => f.facts().divides(&den, &num).is_yes(),
            _ => false,
        },
        Node::Neg(a) => is_integer(f, a),
        Node::Add(all) | Node::Mul(all) => all.iter().all(|n| is_integer(f, n)),
        Node::Sub(a, b) => is_integer(f, a) && is_integer(f, b),
        _ => true,
    }
}

/// A size in size parameters only: computed by the host, an argument of the kernel.
fn host_value(f: &mut FunctionBuilder, s: &Size) -> Result<Expr> {
    let node = f.program_mut().node(s);
    match *node {
        Node::Int(_) | Node::Var(_) => node_expr(f, &node),
        _ => {
            let size = f.host_size(s, &argument_name(s))?;
            as_written(f, &size)
        }
    }
}

/// The C expression of a size, without simplification.
fn as_written(f: &mut FunctionBuilder, s: &Size) -> Result<Expr> {
    let node = f.program_mut().node(s);
    node_expr(f, &node)
}

/// A divisor fits an `int`, like a length: it is twice the length of a mirrored array, for example.
fn divisor(f: &mut FunctionBuilder, den: &Node) -> Result<Expr> {
    match as_size(den) {
        Some(size) => f.length(&size),
        None => node_expr(f, den),
    }
}

fn node_exprs(f: &mut FunctionBuilder, nodes: &[Node]) -> Result<Vec<Expr>> {
    nodes.iter().map(|n| node_expr(f, n)).collect()
}

fn node_expr(f: &mut FunctionBuilder, node: &Node) -> Result<Expr> {
    // The host computes anything but sums and products of size parameters, in integers that are wide enough.
    if matches!(
        node,
        Node::ExactDiv(..)
            | Node::FloorDiv { .. }
            | Node::Mod { .. }
            | Node::Min(_)
            | Node::Max(_)
            | Node::Pow(..)
            | Node::IfLe { .. }
            | Node::Sum { .. }
    ) && let Some(size) = as_size(node)
        && !size.any_var(&mut |v| v.kind != VarKind::Param)
        && let written = f.program_mut().node(&size)
        && is_integer(f, &written)
    {
        let size = f.host_size(&size, &argument_name(&size))?;
        return match size.as_var() {
            Some(v) => f.var_expr(v),
            None => as_written(f, &size),
        };
    }
    Ok(match node {
        Node::Int(v) => match i64::try_from(*v) {
            Ok(v) => Expr::int(v),
            Err(_) => return Err(f.error("", format!("the number {v} does not fit an index"))),
        },
        Node::Var(v) => f.var_expr(v)?,
        Node::Neg(a) => Expr::Unary(UnaryOp::Neg, Arc::new(node_expr(f, a)?)),
        Node::Add(all) => {
            let all = node_exprs(f, all)?;
            all.into_iter().reduce(Expr::add).unwrap_or(Expr::int(0))
        }
        Node::Mul(all) => {
            // Write `2*N` as `N * 2`, as people write strides.
            let mut all = node_exprs(f, all)?;
            if all.len() > 1 && all[0].as_int().is_some() {
                all.rotate_left(1);
            }
            all.into_iter().reduce(Expr::mul).unwrap_or(Expr::int(1))
        }
        Node::Sub(a, b) => node_expr(f, a)?.sub(node_expr(f, b)?),
        // The numerator may exceed the range of indices.
        Node::ExactDiv(a, b) => {
            let (a, b) = (node_expr(f, a)?, node_expr(f, b)?);
            in_long(a).div(b).cast(CType::Int)
        }
        Node::FloorDiv { num, den, dividend } => {
            let (n, d) = (node_expr(f, num)?, divisor(f, den)?);
            match (f.known().not_negative(dividend), f.overflows(dividend, &n)) {
                (true, false) => n.div(d),
                (true, true) => in_long(n).div(d).cast(CType::Int),
                (false, _) if may_wrap(f, dividend) => {
                    let (n, d) = (in_long(n), in_long(d));
                    n.clone().sub(floor_mod(n, &d)).div(d).cast(CType::Int)
                }
                (false, _) => f.call_helper(Helper::FloorDiv, [n, d]),
            }
        }
        Node::Mod { num, den, dividend } => {
            let (n, d) = (node_expr(f, num)?, divisor(f, den)?);
            let near = as_size(den).filter(|_| !may_wrap(f, dividend));
            if let Some(by) = near
                && let Some(remainder) = wrapped(f, [n.clone(), d.clone()], dividend, &by)
            {
                return Ok(remainder);
            }
            match (f.known().not_negative(dividend), f.overflows(dividend, &n)) {
                (true, false) => n.rem(d),
                (true, true) => in_long(n).rem(d).cast(CType::Int),
                (false, _) if may_wrap(f, dividend) => floor_mod(in_long(n), &in_long(d)).cast(CType::Int),
                (false, _) => f.call_helper(Helper::FloorMod, [n, d]),
            }
        }
        Node::Min(all) => {
            let all = alternatives(f, &all.iter().collect::<Vec<_>>())?;
            let min = all.into_iter().reduce(|a, b| Expr::call("min", [a, b])).unwrap_or(Expr::int(0));
            chosen(f, node, min)
        }
        Node::Max(all) => {
            let all = alternatives(f, &all.iter().collect::<Vec<_>>())?;
            let max = all.into_iter().reduce(|a, b| Expr::call("max", [a, b])).unwrap_or(Expr::int(0));
            chosen(f, node, max)
        }
        Node::Pow(base, exponent) => {
            let (base, exponent) = (node_expr(f, base)?, node_expr(f, exponent)?);
            match base.as_int() {
                Some(2) => Expr::binary(BinaryOp::Shl, Expr::int(1), exponent),
                _ => f.call_helper(Helper::Power, [base, exponent]),
            }
        }
        Node::IfLe { left, right, then, otherwise } => {
            let compared = alternatives(f, &[left, right])?;
            let condition = compared.into_iter().reduce(Expr::le).unwrap_or(Expr::Bool(true));
            // The operand that is not chosen may wrap.
            condition.select(node_expr(f, then)?, node_expr(f, otherwise)?)
        }
        Node::Sum { index, count, body } => tabled_sum(f, index, count, body)?,
        Node::TooLarge => return Err(f.error("", "the expression of a length or an index has become too large")),
    })
}

/// The name of a size's argument: the size as written, if that is short.
fn argument_name(s: &Size) -> String {
    const LONGEST: usize = 12;
    /// Maximum weight of a size whose text is tried as a name; heavier ones are certainly too long.
    const HEAVIEST: u32 = 24;
    let text = (s.weight() <= HEAVIEST).then(|| s.to_string());
    text.filter(|text| text.len() <= LONGEST).unwrap_or_else(|| "size".into())
}

fn term(numerator: i128, denominator: i128, monomial: &Size) -> Size {
    let coefficient = |n: i128| Size::int(i64::try_from(n).unwrap_or(i64::MAX));
    monomial.mul(&coefficient(numerator)).div_exact(&coefficient(denominator))
}

/// Whether a sum or product contains no exact division.
fn is_whole(n: &Node) -> bool {
    match n {
        Node::ExactDiv(..) => false,
        Node::Neg(a) => is_whole(a),
        Node::Add(all) | Node::Mul(all) => all.iter().all(is_whole),
        Node::Sub(a, b) => is_whole(a) && is_whole(b),
        _ => true,
    }
}

/// Whether it is a variable, or its negation, and a distance.
fn is_near_a_variable(s: &Size) -> bool {
    let [var] = &s.vars()[..] else { return false };
    s.linear_in(var).is_some_and(|(by, rest)| {
        (by.is_one() || by.neg().is_one()) && rest.as_const().is_some_and(|n| (-SLACK..=SLACK).contains(&n))
    })
}

/// `n` modulo a positive `d`, both `long`.
fn floor_mod(n: Expr, d: &Expr) -> Expr {
    n.rem(d.clone()).add(d.clone()).rem(d.clone())
}

/// The same expression, computed in `long`.
fn in_long(e: Expr) -> Expr {
    let long = |e: Arc<Expr>| Arc::new(in_long(Arc::unwrap_or_clone(e)));
    match e {
        // What is divided fits an `int`, and a division of `long` takes much longer.
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ref a, ref b) if !is_long(a) && !is_long(b) => e.cast(CType::Long),
        // A comparison stays a truth value, but its operands are converted.
        Expr::Binary(op, a, b) => Expr::Binary(op, long(a), long(b)),
        Expr::Unary(op, a) => Expr::Unary(op, long(a)),
        Expr::Select(condition, a, b) => Expr::Select(long(condition), long(a), long(b)),
        Expr::Call(name, args) if matches!(&*name, "min" | "max") => {
            Expr::Call(name, args.into_iter().map(in_long).collect())
        }
        // The cast is of a `long` already.
        Expr::Cast(CType::Int, a) if is_long(&a) => Arc::unwrap_or_clone(a),
        other => other.cast(CType::Long),
    }
}

/// Whether an expression is a `long`.
pub fn is_long(e: &Expr) -> bool {
    match e {
        Expr::Int { long, .. } => *long,
        Expr::Cast(ty, _) => *ty == CType::Long,
        Expr::Unary(_, a) => is_long(a),
        Expr::Binary(_, a, b) | Expr::Select(_, a, b) => is_long(a) || is_long(b),
        Expr::Call(name, args) => matches!(&**name, "min" | "max") && args.iter().any(is_long),
        _ => false,
    }
}
