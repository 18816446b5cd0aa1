//! The type of each operation, computed from its operands: what [`super::builder`] gives a variable and what
//! [`super::check`] expects.

use super::{Prim, ScalarOp};
use lift_analysis::hir::Scalar;
use lift_analysis::size::{Facts, Size, Truth, Var};

/// Whether two sizes are taken to be equal.
pub type SameSize<'a> = &'a dyn Fn(&Size, &Size) -> bool;
use lift_analysis::ty::{ArrayTy, Ty, TyKind};

/// The type of a [`super::Lambda`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub params: Vec<Ty>,
    pub result: Ty,
}

type Result<T> = std::result::Result<T, String>;

/// Whether two types are the same, whatever their bound lengths are called.
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

/// Equality of sizes under what is known of them.
pub fn under(facts: &Facts) -> impl Fn(&Size, &Size) -> bool + '_ {
    |a, b| a == b || facts.equal(a, b) == Truth::Yes
}

/// The bound variables of a type in the order in which they occur in it: that in which the variables of two equal
/// types correspond.
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
    let number = |s: Scalar| s != Scalar::Bool;
    let floating = |s: Scalar| matches!(s, Scalar::Float | Scalar::Double);
    match (op, scalars.ok_or_else(wrong)?.as_slice()) {
        (Add | Sub | Mul | Div | Min | Max, [s, t]) if s == t && number(*s) => Ok(Ty::scalar(*s)),
        (Mod | BitAnd | BitOr | BitXor | Shl | Shr, [s, t]) if s == t && number(*s) && !floating(*s) => {
            Ok(Ty::scalar(*s))
        }
        (Pow, [s, t]) if s == t && floating(*s) => Ok(Ty::scalar(*s)),
        (Lt | Gt | Le | Ge, [s, t]) if s == t && number(*s) => Ok(Ty::bool()),
        (Eq | Ne, [s, t]) if s == t => Ok(Ty::bool()),
        (And | Or, [Scalar::Bool, Scalar::Bool]) | (Not, [Scalar::Bool]) => Ok(Ty::bool()),
        (Neg | Abs, [s]) if number(*s) => Ok(Ty::scalar(*s)),
        (Sqrt | Exp | Log | Sin | Cos | Tan | Floor | Ceil, [s]) if floating(*s) => Ok(Ty::scalar(*s)),
        (ToInt, [s]) if number(*s) => Ok(Ty::int()),
        (ToLong, [s]) if number(*s) => Ok(Ty::scalar(Scalar::Long)),
        (ToFloat, [s]) if number(*s) => Ok(Ty::scalar(Scalar::Float)),
        (ToDouble, [s]) if number(*s) => Ok(Ty::scalar(Scalar::Double)),
        _ => Err(wrong()),
    }
}

/// The type of a primitive's result. `bound` gives fresh variables for the lengths that it hides. For
/// [`Prim::Partition`] the type cannot be computed and is what the program `declared`.
pub fn prim_type(
    prim: Prim,
    sizes: &[Size],
    funs: &[Signature],
    args: &[Ty],
    declared: Option<&Ty>,
    same: SameSize,
    bound: &mut dyn FnMut() -> Var,
) -> Result<Ty> {
    Call { prim, sizes, funs, args, same }.result(declared, bound).map_err(|e| format!("`{}`: {e}", prim.name()))
}

struct Call<'a> {
    prim: Prim,
    sizes: &'a [Size],
    funs: &'a [Signature],
    args: &'a [Ty],
    same: SameSize<'a>,
}

impl Call<'_> {
    fn result(&self, declared: Option<&Ty>, bound: &mut dyn FnMut() -> Var) -> Result<Ty> {
        match self.prim {
            Prim::Map(_) => {
                self.counts(0, 1, 1)?;
                let xs = self.array(0)?;
                Ok(like(xs, self.apply(0, &[&xs.element])?))
            }
            Prim::Filter(_) => {
                self.counts(0, 1, 1)?;
                let xs = self.array(0)?;
                self.expect(&self.apply(0, &[&xs.element])?, &Ty::bool())?;
                let length = bound();
                Ok(Ty::exists(vec![length.clone()], Ty::array(xs.element.clone(), Size::var(length))))
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
                let xs = self.array(1)?;
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
                        // Nothing happens in no round at all.
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
                let (xs, k) = (self.plain(0)?, &self.sizes[0]);
                Ok(Ty::array(Ty::array(xs.element.clone(), k.clone()), xs.len.div_exact(k)))
            }
            Prim::Join => {
                self.counts(0, 0, 1)?;
                let xss = self.array(0)?;
                let row = xss.element.as_array().ok_or_else(|| format!("`{}` has no rows", self.args[0]))?;
                let len = match &xss.position {
                    Some(p) => Size::sum(p.clone(), xss.len.clone(), row.len.clone()),
                    None => xss.len.mul(&row.len),
                };
                Ok(array(row.position.clone(), row.element.clone(), len))
            }
            Prim::Slide => {
                self.counts(2, 0, 1)?;
                let (xs, size, step) = (self.plain(0)?, &self.sizes[0], &self.sizes[1]);
                let count = xs.len.sub(size).div_exact(step).add(&Size::one());
                Ok(Ty::array(Ty::array(xs.element.clone(), size.clone()), count))
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
                let xss = self.plain(0)?;
                let row = xss.element.as_array().ok_or_else(|| format!("`{}` has no rows", self.args[0]))?;
                Ok(Ty::array(Ty::array(row.element.clone(), xss.len.clone()), row.len.clone()))
            }
            Prim::Gather | Prim::Scatter => {
                self.counts(0, 1, 1)?;
                self.plain(0)?;
                self.expect(&self.apply(0, &[&Ty::int()])?, &Ty::int())?;
                Ok(self.args[0].clone())
            }
            Prim::Reverse => {
                self.counts(0, 0, 1)?;
                self.plain(0)?;
                Ok(self.args[0].clone())
            }
            Prim::Stride => {
                self.counts(1, 0, 1)?;
                self.plain(0)?;
                Ok(self.args[0].clone())
            }
            Prim::Take => {
                self.counts(1, 0, 1)?;
                Ok(Ty::array(self.plain(0)?.element.clone(), self.sizes[0].clone()))
            }
            Prim::Drop => {
                self.counts(1, 0, 1)?;
                let xs = self.plain(0)?;
                Ok(Ty::array(xs.element.clone(), xs.len.sub(&self.sizes[0])))
            }
            Prim::Slice => {
                self.counts(2, 0, 1)?;
                Ok(Ty::array(self.plain(0)?.element.clone(), self.sizes[1].clone()))
            }
            Prim::Head | Prim::Last => {
                self.counts(0, 0, 1)?;
                Ok(self.plain(0)?.element.clone())
            }
            Prim::Tail => {
                self.counts(0, 0, 1)?;
                let xs = self.plain(0)?;
                Ok(Ty::array(xs.element.clone(), xs.len.sub(&Size::one())))
            }
            Prim::Concat => {
                self.counts(0, 0, 2)?;
                let (xs, ys) = (self.plain(0)?, self.plain(1)?);
                self.expect(&ys.element, &xs.element)?;
                Ok(Ty::array(xs.element.clone(), xs.len.add(&ys.len)))
            }
            Prim::Aref => {
                self.counts(0, 0, 2)?;
                self.expect(&self.args[1], &Ty::int())?;
                Ok(self.plain(0)?.element.clone())
            }
            Prim::Iota => self.counted(0, 0, Ty::int(), bound),
            Prim::Generate => {
                let element = self.apply(0, &[&Ty::int()])?;
                self.counted(1, 0, element, bound)
            }
            Prim::Fill => {
                let element = self.args.last().cloned().ok_or("takes a value")?;
                self.counted(0, 1, element, bound)
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
                let xs = self.plain(0)?;
                let declared = declared.ok_or("has the type that is declared for it")?;
                let rows = declared.as_array().ok_or_else(|| format!("makes rows, not `{declared}`"))?;
                let row = rows.element.as_array().ok_or_else(|| format!("makes rows, not `{declared}`"))?;
                self.expect(&row.element, &xs.element)?;
                let count = self.sizes.first().ok_or("takes a size")?;
                self.same_length(&rows.len, count)?;
                Ok(declared.clone())
            }
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

    /// An array whose elements all have the same type.
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

    /// Function `i` takes an accumulator of the type of the first value, and an element.
    fn fold(&self, i: usize, xs: &ArrayTy) -> Result<()> {
        self.expect(&self.apply(i, &[&self.args[0], &xs.element])?, &self.args[0])
    }

    fn expect(&self, ty: &Ty, expected: &Ty) -> Result<()> {
        if same_type(ty, expected, self.same) { Ok(()) } else { Err(format!("`{expected}` is expected, not `{ty}`")) }
    }

    fn same_length(&self, a: &Size, b: &Size) -> Result<()> {
        if (self.same)(a, b) { Ok(()) } else { Err(format!("the lengths {a} and {b} differ")) }
    }

    /// An array whose length is the size given, or else a value and so hidden.
    fn counted(&self, funs: usize, values: usize, element: Ty, bound: &mut dyn FnMut() -> Var) -> Result<Ty> {
        if let [len] = self.sizes {
            self.counts(1, funs, values)?;
            return Ok(Ty::array(element, len.clone()));
        }
        self.counts(0, funs, values + 1)?;
        self.expect(&self.args[0], &Ty::int())?;
        let length = bound();
        Ok(Ty::exists(vec![length.clone()], Ty::array(element, Size::var(length))))
    }
}

/// An array as long as `xs` of other elements.
fn like(xs: &ArrayTy, element: Ty) -> Ty {
    array(xs.position.clone(), element, xs.len.clone())
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
