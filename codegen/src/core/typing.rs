//! The type of each operation, computed from its operands: [`super::builder`] declares it and [`super::check`] expects
//! it.

use super::{Prim, ScalarOp};
use lift_analysis::hir::Scalar;
use lift_analysis::size::{Facts, Size, Truth, Var, VarKind};

/// Decides whether two sizes count as equal.
pub type SameSize<'a> = &'a dyn Fn(&Size, &Size) -> bool;
use lift_analysis::ty::{ArrayTy, Ty, TyKind};

/// The type of a [`super::Lambda`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The index variable that the types may mention.
    pub position: Option<Var>,
    pub params: Vec<Ty>,
    pub result: Ty,
    /// The function's result, if it is a size.
    pub size: Option<Size>,
}

type Result<T> = std::result::Result<T, String>;

/// Whether two types are equal up to the names of their bound lengths.
pub fn same_type(a: &Ty, b: &Ty, same: SameSize) -> bool {
    match (a.kind(), b.kind()) {
        (TyKind::Vec(s, m), TyKind::Vec(t, n)) => same_type(s, t, same) && same(m, n),
        (TyKind::Array(s), TyKind::Array(t)) => {
            same(&s.len, &t.len)
                && match (&s.position, &t.position) {
                    (Some(i), Some(j)) if i != j => {
                        same_type(&s.element, &t.element.subst_size(j, &Size::var(i.clone())), same)
                    }
                    _ => same_type(&s.element, &t.element, same),
                }
        }
        (TyKind::Tuple(ss), TyKind::Tuple(ts)) => {
            ss.len() == ts.len() && ss.iter().zip(ts).all(|(s, t)| same_type(s, t, same))
        }
        (TyKind::Exists(vs, s), TyKind::Exists(ws, t)) => {
            let (vs, ws) = (occurrence_order(vs, s), occurrence_order(ws, t));
            let renamed = t.subst_sizes(&mut |w| {
                let at = ws.iter().position(|x| x == w)?;
                vs.get(at).cloned().map(Size::var)
            });
            vs.len() == ws.len() && same_type(s, &renamed, same)
        }
        (TyKind::Fun(s, r), TyKind::Fun(t, q)) => same_type(s, t, same) && same_type(r, q, same),
        _ => a == b,
    }
}

/// Equality of sizes under the given facts.
pub fn under(facts: &Facts) -> impl Fn(&Size, &Size) -> bool + '_ {
    |a, b| a == b || facts.equal(a, b) == Truth::Yes
}

/// The bound variables of a type in the order of their first occurrence in it. The variables of two equal types
/// correspond in this order.
pub fn occurrence_order(vars: &[Var], body: &Ty) -> Vec<Var> {
    let mut order: Vec<Var> = Vec::new();
    body.any(&mut |t| {
        let size = match t.kind() {
            TyKind::Array(a) => &a.len,
            TyKind::Vec(_, s) | TyKind::Size(s) => s,
            _ => return false,
        };
        for v in size.vars() {
            if vars.contains(&v) && !order.contains(&v) {
                order.push(v);
            }
        }
        false
    });
    order
}

/// The type of an operator's result.
pub fn scalar_type(op: ScalarOp, operands: &[Ty]) -> Result<Ty> {
    use ScalarOp::*;
    let scalars: Option<Vec<Scalar>> = operands.iter().map(Ty::as_scalar).collect();
    let wrong = || format!("`{}` of {}", op.name(), list(operands));
    let number = Scalar::is_number;
    let floating = Scalar::is_floating;
    match (op, scalars.ok_or_else(wrong)?.as_slice()) {
        (Add | Sub | Mul | Div | FloorMod | Min | Max, [s, t]) if s == t && number(*s) => Ok(Ty::scalar(*s)),
        (Mod | BitAnd | BitOr | BitXor | Shl | Shr | UShr, [s, t]) if s == t && number(*s) && !floating(*s) => {
            Ok(Ty::scalar(*s))
        }
        (Pow | Atan2, [s, t]) if s == t && floating(*s) => Ok(Ty::scalar(*s)),
        (Lt | Gt | Le | Ge, [s, t]) if s == t && number(*s) => Ok(Ty::bool()),
        (Eq | Ne, [s, t]) if s == t => Ok(Ty::bool()),
        (And | Or, [Scalar::Bool, Scalar::Bool]) | (Not, [Scalar::Bool]) => Ok(Ty::bool()),
        (Neg | Abs, [s]) if number(*s) => Ok(Ty::scalar(*s)),
        (
            Sqrt | Exp | Log | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh
            | Floor | Ceil | Round,
            [s],
        ) if floating(*s) => Ok(Ty::scalar(*s)),
        (IsNan, [s]) if floating(*s) => Ok(Ty::bool()),
        (PopCount | Clz, [s]) if number(*s) && !floating(*s) => Ok(Ty::int()),
        (To(to), [s]) if to.is_number() && number(*s) => Ok(Ty::scalar(to)),
        _ => Err(wrong()),
    }
}

/// The type of a primitive's result. `fresh` makes variables for the lengths that it hides and the index variables that
/// it binds.
pub fn prim_type(
    prim: Prim,
    sizes: &[Size],
    funs: &[Signature],
    args: &[Ty],
    same: SameSize,
    fresh: &mut dyn FnMut(VarKind) -> Var,
) -> Result<Ty> {
    Call { prim, sizes, funs, args, same }.result(fresh).map_err(|e| format!("`{}`: {e}", prim.name()))
}

struct Call<'a> {
    prim: Prim,
    sizes: &'a [Size],
    funs: &'a [Signature],
    args: &'a [Ty],
    same: SameSize<'a>,
}

impl Call<'_> {
    fn result(&self, fresh: &mut dyn FnMut(VarKind) -> Var) -> Result<Ty> {
        match self.prim {
            Prim::Map(_) => {
                self.counts(0, 1, 1)?;
                let xs = self.array(0)?;
                let element = self.apply(0, &[&self.element(xs, 0)?])?;
                Ok(array(self.funs[0].position.clone(), element, xs.len.clone()))
            }
            Prim::Filter(_) => {
                // The optional second function, added by fusion, is applied to the elements that pass.
                self.counts(0, self.funs.len().clamp(1, 2), 1)?;
                let xs = self.plain(0)?;
                self.expect(&self.apply(0, &[&xs.element])?, &Ty::bool())?;
                let element = if self.funs.len() > 1 { self.apply(1, &[&xs.element])? } else { xs.element.clone() };
                let length = fresh(VarKind::Bound);
                Ok(Ty::exists(vec![length.clone()], Ty::array(element, Size::var(length))))
            }
            Prim::Reduce(_) => {
                self.counts(0, 1, 2)?;
                self.fold(0, self.array(1)?)?;
                Ok(Ty::array(self.args[0].clone(), Size::one()))
            }
            Prim::PartRed => {
                self.counts(1, 1, 2)?;
                self.fold(0, self.array(1)?)?;
                Ok(Ty::array(self.args[0].clone(), self.sizes[0].clone()))
            }
            Prim::ReduceByKey(_) => {
                self.counts(1, 1, 3)?;
                let (keys, xs, z) = (self.plain(1)?, self.plain(2)?, &self.args[0]);
                self.expect(&keys.element, &Ty::int())?;
                self.same_length(&keys.len, &xs.len)?;
                self.expect(&self.apply(0, &[z, z])?, z)?;
                let folded = match xs.element.as_array() {
                    Some(row) if row.position.is_none() => {
                        self.expect(&row.element, z)?;
                        Ty::array(z.clone(), row.len.clone())
                    }
                    _ => {
                        self.expect(&xs.element, z)?;
                        z.clone()
                    }
                };
                Ok(Ty::array(folded, self.sizes[0].clone()))
            }
            Prim::ReduceWhileSeq => {
                self.counts(0, 2, 2)?;
                self.expect(&self.apply(0, &[&self.args[0]])?, &Ty::bool())?;
                self.fold(1, self.array(1)?)?;
                Ok(Ty::array(self.args[0].clone(), Size::one()))
            }
            Prim::IterateWhile => {
                self.counts(0, 2, 1)?;
                self.expect(&self.apply(0, &[&self.args[0]])?, &Ty::bool())?;
                self.expect(&self.apply(1, &[&self.args[0]])?, &self.args[0])?;
                Ok(self.args[0].clone())
            }
            Prim::Scan(_) | Prim::ScanExcl(_) => {
                self.counts(0, 1, 2)?;
                let xs = self.plain(1)?;
                self.fold(0, xs)?;
                Ok(Ty::array(self.args[0].clone(), xs.len.clone()))
            }
            Prim::Iterate => {
                if self.sizes.len() != 1 || self.args.len() != 1 {
                    return Err("takes a size and a value".into());
                }
                let mut ty = self.args[0].clone();
                match (self.funs, self.sizes[0].as_const()) {
                    ([_], count) => {
                        let next = self.apply(0, &[&ty])?;
                        if count != Some(1) {
                            self.expect(&next, &ty)?;
                        }
                        // Zero iterations return the argument.
                        if count != Some(0) {
                            ty = next;
                        }
                    }
                    (funs, Some(count)) if funs.len() as i64 == count => {
                        for i in 0..funs.len() {
                            ty = self.apply(i, &[&ty])?;
                        }
                    }
                    (funs, _) => return Err(format!("{} functions for {} rounds", funs.len(), self.sizes[0])),
                }
                Ok(ty)
            }
            Prim::Zip => {
                let first = self.array(0)?;
                if self.args.len() < 2 || !self.sizes.is_empty() || !self.funs.is_empty() {
                    return Err("takes two or more arrays".into());
                }
                let arrays = (0..self.args.len()).map(|i| self.array(i)).collect::<Result<Vec<_>>>()?;
                let position = arrays.iter().find_map(|a| a.position.clone());
                let mut parts = Vec::new();
                for a in arrays {
                    self.same_length(&a.len, &first.len)?;
                    parts.push(match (&a.position, &position) {
                        (Some(q), Some(p)) => a.element.subst_size(q, &Size::var(p.clone())),
                        _ => a.element.clone(),
                    });
                }
                Ok(array(position, Ty::tuple(parts), first.len.clone()))
            }
            Prim::Unzip => {
                self.counts(0, 0, 1)?;
                let xs = self.array(0)?;
                let TyKind::Tuple(parts) = xs.element.kind() else {
                    return Err(format!("the elements are `{}`, not tuples", xs.element));
                };
                Ok(Ty::tuple(parts.iter().map(|p| like(xs, p.clone())).collect()))
            }
            Prim::Split => {
                self.counts(1, 0, 1)?;
                let (xs, k) = (self.array(0)?, &self.sizes[0]);
                Ok(windows(xs, k, k, xs.len.div_exact(k), fresh))
            }
            Prim::Join => {
                self.counts(0, 0, 1)?;
                let xss = self.array(0)?;
                let row = xss.element.as_array().ok_or_else(|| format!("`{}` has no rows", self.args[0]))?;
                let len = match &xss.position {
                    Some(p) => Size::sum(p.clone(), xss.len.clone(), row.len.clone()),
                    None => xss.len.mul(&row.len),
                };
                self.joined(xss, row, len, fresh)
            }
            Prim::Slide => {
                self.counts(2, 0, 1)?;
                let (xs, size, step) = (self.array(0)?, &self.sizes[0], &self.sizes[1]);
                let count = xs.len.sub(size).div_exact(step).add(&Size::one());
                Ok(windows(xs, size, step, count, fresh))
            }
            Prim::Pad(_) => {
                self.counts(2, 0, 1)?;
                let xs = self.plain(0)?;
                Ok(Ty::array(xs.element.clone(), xs.len.add(&self.sizes[0]).add(&self.sizes[1])))
            }
            Prim::PadConstant => {
                self.counts(2, 0, 2)?;
                let xs = self.plain(1)?;
                self.expect(&self.args[0], &xs.element)?;
                Ok(Ty::array(xs.element.clone(), xs.len.add(&self.sizes[0]).add(&self.sizes[1])))
            }
            Prim::Transpose => {
                self.counts(0, 0, 1)?;
                let xss = self.array(0)?;
                let row = xss.element.as_array().ok_or_else(|| format!("`{}` has no rows", self.args[0]))?;
                if xss.position.as_ref().is_some_and(|p| row.len.contains(p)) {
                    return Err(format!("the rows of `{}` have different lengths", self.args[0]));
                }
                let column = array(xss.position.clone(), row.element.clone(), xss.len.clone());
                Ok(array(row.position.clone(), column, row.len.clone()))
            }
            Prim::Gather | Prim::Scatter => {
                self.counts(0, 1, 1)?;
                self.plain(0)?;
                self.expect(&self.apply(0, &[&Ty::int()])?, &Ty::int())?;
                Ok(self.args[0].clone())
            }
            Prim::Reverse => {
                self.counts(0, 0, 1)?;
                let xs = self.array(0)?;
                Ok(shifted(xs, |i| xs.len.sub(&Size::one()).sub(i), xs.len.clone()))
            }
            Prim::Stride => {
                self.counts(1, 0, 1)?;
                self.plain(0)?;
                Ok(self.args[0].clone())
            }
            Prim::Take => {
                self.counts(1, 0, 1)?;
                Ok(shifted(self.array(0)?, Size::clone, self.sizes[0].clone()))
            }
            Prim::Drop => {
                self.counts(1, 0, 1)?;
                let xs = self.array(0)?;
                Ok(shifted(xs, |i| i.add(&self.sizes[0]), xs.len.sub(&self.sizes[0])))
            }
            Prim::Slice => {
                self.counts(2, 0, 1)?;
                Ok(shifted(self.array(0)?, |i| i.add(&self.sizes[0]), self.sizes[1].clone()))
            }
            Prim::Update => {
                let [xs, indices @ .., value] = self.args else {
                    return Err("takes an array, indices and a value".into());
                };
                if !self.sizes.is_empty() || !self.funs.is_empty() || indices.is_empty() {
                    return Err("takes an array, indices and a value".into());
                }
                let mut element = xs.clone();
                for index in indices {
                    self.expect(index, &Ty::int())?;
                    let rows = element.as_array().filter(|rows| rows.position.is_none());
                    element = rows.ok_or_else(|| format!("`{element}` has no elements of one type"))?.element.clone();
                }
                self.expect(value, &element)?;
                Ok(xs.clone())
            }
            Prim::Head | Prim::Last => {
                self.counts(0, 0, 1)?;
                let xs = self.array(0)?;
                let index = if self.prim == Prim::Head { Size::zero() } else { xs.len.sub(&Size::one()) };
                Ok(element_at(xs, &index))
            }
            Prim::Tail => {
                self.counts(0, 0, 1)?;
                let xs = self.array(0)?;
                Ok(shifted(xs, |i| i.add(&Size::one()), xs.len.sub(&Size::one())))
            }
            Prim::Concat => {
                self.counts(0, 0, 2)?;
                let (xs, ys) = (self.plain(0)?, self.plain(1)?);
                self.expect(&ys.element, &xs.element)?;
                Ok(Ty::array(xs.element.clone(), xs.len.add(&ys.len)))
            }
            Prim::Aref => {
                self.counts(self.sizes.len().min(1), 0, 2)?;
                self.expect(&self.args[1], &Ty::int())?;
                // An index into rows of different lengths is a size.
                match self.sizes {
                    [index] => Ok(element_at(self.array(0)?, index)),
                    _ => Ok(self.plain(0)?.element.clone()),
                }
            }
            Prim::Iota => self.counted(0, 0, Ty::int(), fresh),
            Prim::Generate => {
                let element = self.apply(0, &[&Ty::int()])?;
                self.counted(1, 0, element, fresh)
            }
            Prim::Fill => {
                let element = self.args.last().cloned().ok_or("takes a value")?;
                self.counted(0, 1, element, fresh)
            }
            Prim::Length => {
                self.counts(0, 0, 1)?;
                self.array(0)?;
                Ok(Ty::int())
            }
            Prim::Sort | Prim::Argsort => {
                self.counts(0, 1, 1)?;
                let xs = self.plain(0)?;
                self.expect(&self.apply(0, &[&xs.element, &xs.element])?, &Ty::bool())?;
                match self.prim {
                    Prim::Sort => Ok(self.args[0].clone()),
                    _ => Ok(Ty::array(Ty::int(), xs.len.clone())),
                }
            }
            Prim::Search | Prim::LSearch => {
                self.counts(0, 1, 1)?;
                self.expect(&self.apply(0, &[&self.plain(0)?.element])?, &Ty::int())?;
                Ok(Ty::int())
            }
            Prim::AsVector => {
                self.counts(1, 0, 1)?;
                let (xs, k) = (self.plain(0)?, &self.sizes[0]);
                if xs.element.as_scalar().is_none() {
                    return Err(format!("the elements are `{}`, not scalars", xs.element));
                }
                Ok(Ty::array(Ty::new(TyKind::Vec(xs.element.clone(), k.clone())), xs.len.div_exact(k)))
            }
            Prim::AsScalar => {
                self.counts(0, 0, 1)?;
                let xs = self.plain(0)?;
                let TyKind::Vec(element, k) = xs.element.kind() else {
                    return Err(format!("the elements are `{}`, not vectors", xs.element));
                };
                Ok(Ty::array(element.clone(), xs.len.mul(k)))
            }
            Prim::Vectorize => {
                if self.sizes.len() != 1 || self.funs.len() != 1 || self.args.is_empty() {
                    return Err("takes a width, a function and vectors".into());
                }
                let mut lanes = Vec::new();
                for a in self.args {
                    match a.kind() {
                        TyKind::Vec(lane, width) if (self.same)(width, &self.sizes[0]) => lanes.push(lane),
                        _ => return Err(format!("`{a}` is not a vector of width {}", self.sizes[0])),
                    }
                }
                Ok(Ty::new(TyKind::Vec(self.apply(0, &lanes)?, self.sizes[0].clone())))
            }
            Prim::Partition => {
                self.counts(1, 1, 1)?;
                let (xs, count) = (self.array(0)?, self.sizes[0].clone());
                let each = self.funs[0].size.clone().ok_or("takes a function that yields a size")?;
                let column = fresh(VarKind::Position);
                let (element, row) = match (&xs.position, &self.funs[0].position) {
                    (Some(p), Some(row)) => {
                        let before = offset(row, &each, &fresh(VarKind::Position));
                        (xs.element.subst_size(p, &before.add(&Size::var(column.clone()))), Some(row.clone()))
                    }
                    (Some(p), None) => {
                        let row = fresh(VarKind::Position);
                        let before = Size::var(row.clone()).mul(&each);
                        (xs.element.subst_size(p, &before.add(&Size::var(column.clone()))), Some(row))
                    }
                    (None, row) => (xs.element.clone(), row.clone()),
                };
                Ok(array(row, array(Some(column), element, each), count))
            }
        }
    }

    /// Concatenates rows. Their elements may depend on row and column only through the index in the result.
    fn joined(&self, xss: &ArrayTy, row: &ArrayTy, len: Size, fresh: &mut dyn FnMut(VarKind) -> Var) -> Result<Ty> {
        let depends = |p: &Option<Var>| p.as_ref().is_some_and(|p| row.element.mentions(p));
        if !depends(&xss.position) && !depends(&row.position) {
            return Ok(Ty::array(row.element.clone(), len));
        }
        let flat = fresh(VarKind::Position);
        let outer = xss.position.clone().unwrap_or_else(|| fresh(VarKind::Position));
        let before = offset(&outer, &row.len, &fresh(VarKind::Position));
        let column = Size::var(flat.clone()).sub(&before);
        let element = match &row.position {
            Some(p) => row.element.subst_size(p, &column),
            None => row.element.clone(),
        };
        if element.mentions(&outer) {
            return Err(format!("`{}` has rows whose elements depend on more than their place", self.args[0]));
        }
        Ok(array(Some(flat), element, len))
    }

    /// The type of an element of `xs`, at the index variable of function `f`.
    fn element(&self, xs: &ArrayTy, f: usize) -> Result<Ty> {
        match (&xs.position, self.funs.get(f).and_then(|f| f.position.as_ref())) {
            (None, _) => Ok(xs.element.clone()),
            (Some(p), Some(at)) => Ok(xs.element.subst_size(p, &Size::var(at.clone()))),
            (Some(_), None) => Err(format!("the function knows no position, but the elements are `{}`", xs.element)),
        }
    }

    fn counts(&self, sizes: usize, funs: usize, args: usize) -> Result<()> {
        if (self.sizes.len(), self.funs.len(), self.args.len()) == (sizes, funs, args) {
            return Ok(());
        }
        Err(format!(
            "takes {sizes} sizes, {funs} functions and {args} values, not {}, {} and {}",
            self.sizes.len(),
            self.funs.len(),
            self.args.len()
        ))
    }

    fn array(&self, i: usize) -> Result<&ArrayTy> {
        let ty = self.args.get(i).ok_or("lacks an argument")?;
        ty.as_array().ok_or_else(|| format!("`{ty}` is not an array"))
    }

    /// Argument `i` as an array whose elements all have the same type.
    fn plain(&self, i: usize) -> Result<&ArrayTy> {
        let a = self.array(i)?;
        if a.position.is_some() { Err(format!("`{}` depends on the position", self.args[i])) } else { Ok(a) }
    }

    fn apply(&self, i: usize, args: &[&Ty]) -> Result<Ty> {
        let f = self.funs.get(i).ok_or("lacks a function")?;
        if f.params.len() != args.len() {
            return Err(format!("a function of {} parameters is applied to {}", f.params.len(), args.len()));
        }
        for (param, arg) in f.params.iter().zip(args) {
            if !same_type(param, arg, self.same) {
                return Err(format!("the function takes `{param}`, but is applied to `{arg}`"));
            }
        }
        Ok(f.result.clone())
    }

    /// Checks that function `i` folds elements of `xs` into an accumulator of the first argument's type.
    fn fold(&self, i: usize, xs: &ArrayTy) -> Result<()> {
        self.expect(&self.apply(i, &[&self.args[0], &self.element(xs, i)?])?, &self.args[0])
    }

    fn expect(&self, ty: &Ty, expected: &Ty) -> Result<()> {
        if same_type(ty, expected, self.same) { Ok(()) } else { Err(format!("`{expected}` is expected, not `{ty}`")) }
    }

    fn same_length(&self, a: &Size, b: &Size) -> Result<()> {
        if (self.same)(a, b) { Ok(()) } else { Err(format!("the lengths {a} and {b} differ")) }
    }

    /// An array of the given length; the length is hidden if it is a value.
    fn counted(&self, funs: usize, values: usize, element: Ty, fresh: &mut dyn FnMut(VarKind) -> Var) -> Result<Ty> {
        if let [len] = self.sizes {
            self.counts(1, funs, values)?;
            let position = self.funs.first().and_then(|f| f.position.clone());
            return Ok(array(position, element, len.clone()));
        }
        self.counts(0, funs, values + 1)?;
        self.expect(&self.args[0], &Ty::int())?;
        let length = fresh(VarKind::Bound);
        Ok(Ty::exists(vec![length.clone()], Ty::array(element, Size::var(length))))
    }
}

/// An array of other elements, as long as `xs`.
fn like(xs: &ArrayTy, element: Ty) -> Ty {
    array(xs.position.clone(), element, xs.len.clone())
}

/// The type of the element at `index`.
pub fn element_at(xs: &ArrayTy, index: &Size) -> Ty {
    match &xs.position {
        Some(p) => xs.element.subst_size(p, index),
        None => xs.element.clone(),
    }
}

/// An array whose element `i` is element `index(i)` of `xs`.
fn shifted(xs: &ArrayTy, index: impl Fn(&Size) -> Size, len: Size) -> Ty {
    match &xs.position {
        Some(p) => {
            let element = xs.element.subst_size(p, &index(&Size::var(p.clone())));
            Ty::dependent_array(p.clone(), element, len)
        }
        None => Ty::array(xs.element.clone(), len),
    }
}

/// Windows of `size` elements whose starts are `step` elements apart.
fn windows(xs: &ArrayTy, size: &Size, step: &Size, count: Size, fresh: &mut dyn FnMut(VarKind) -> Var) -> Ty {
    let Some(p) = &xs.position else { return Ty::array(Ty::array(xs.element.clone(), size.clone()), count) };
    let column = fresh(VarKind::Position);
    let index = Size::var(p.clone()).mul(step).add(&Size::var(column.clone()));
    let row = array(Some(column), xs.element.subst_size(p, &index), size.clone());
    array(Some(p.clone()), row, count)
}

/// The number of elements before row `p`, if row `p` has `each` elements. `index` is a fresh variable for the sum.
pub fn offset(p: &Var, each: &Size, index: &Var) -> Size {
    let each = each.subst(&mut |v| (v == p).then(|| Size::var(index.clone())));
    Size::sum(index.clone(), Size::var(p.clone()), each)
}

fn array(position: Option<Var>, element: Ty, len: Size) -> Ty {
    match position {
        Some(p) => Ty::dependent_array(p, element, len),
        None => Ty::array(element, len),
    }
}

fn list(types: &[Ty]) -> String {
    types.iter().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(" and ")
}

/// The scalar type and the number of scalars of nested arrays with rows of different lengths; `None` for any other
/// type.
pub fn packed(ty: &Ty) -> Option<(Scalar, Size)> {
    let irregular = ty.any(&mut |t| t.as_array().is_some_and(|a| a.position.is_some()));
    if irregular { packed_count(ty) } else { None }
}

fn packed_count(ty: &Ty) -> Option<(Scalar, Size)> {
    match ty.kind() {
        TyKind::Scalar(s) => Some((*s, Size::one())),
        TyKind::Array(a) => {
            let (scalar, each) = packed_count(&a.element)?;
            let all = match &a.position {
                Some(p) => Size::sum(p.clone(), a.len.clone(), each),
                None => a.len.mul(&each),
            };
            Some((scalar, all))
        }
        _ => None,
    }
}
