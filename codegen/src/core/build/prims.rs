//! The primitives by name, each with all of its arguments.

use super::super::typing::{Signature, prim_type, scalar_type};
use super::super::{Atom, Lambda, Level, PadMode, Prim, PrimCall, Rhs, ScalarOp, Space};
use super::eval::component;
use super::lengths::unnamed;
use super::staged::{Fun, Staged, Use};
use super::{Build, BuildError, Result};
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::prims::{self, Primitive};
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};

/// What a primitive is made of here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Scalar(ScalarOp),
    /// So many sizes; then the functions, by the types of their parameters, and the values.
    Prim(Prim, Shape),
    Component(usize),
    Store(Space),
    PadMode(PadMode),
    Pad,
    Length,
    Identity,
    MapVec,
    Vectorize,
    /// The first argument is a size, or an Int.
    Counted(Prim),
    /// Taken care of before its arguments are evaluated.
    Iterate,
    Unsupported,
}

/// The order of the arguments, and the parameters of the functions among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Sizes, then values.
    Values(usize),
    /// `(f xs)`: a function of an element.
    Element,
    /// `(f xs)`: a function of two elements.
    Elements,
    /// `(f xs)`: a function of an index.
    Index,
    /// Sizes, then `(z f xs)`: a function of an accumulator and an element.
    Fold(usize),
    /// `(test z f xs)`
    FoldWhile,
    /// `(test f x)`
    Loop,
}

pub fn meaning(p: &Primitive) -> Meaning {
    use Meaning::{Counted, Scalar};
    use ScalarOp::*;
    let level = match p.level {
        None => Level::Auto,
        Some(prims::Level::Seq) => Level::Seq,
        Some(prims::Level::Glb(d)) => Level::Glb(d),
        Some(prims::Level::Wrg(d)) => Level::Wrg(d),
        Some(prims::Level::Lcl(d)) => Level::Lcl(d),
    };
    let view = |prim: Prim, sizes: usize| Meaning::Prim(prim, Shape::Values(sizes));
    let of = Meaning::Prim;
    let name = &*p.name;
    if let Some(i) = component(name) {
        return Meaning::Component(i);
    }
    match name {
        "+" | "+i" => Scalar(Add),
        "-" | "-i" => Scalar(Sub),
        "*" | "*i" => Scalar(Mul),
        "/" | "/i" => Scalar(Div),
        "mod" => Scalar(Mod),
        "min" => Scalar(Min),
        "max" => Scalar(Max),
        "neg" => Scalar(Neg),
        "abs" => Scalar(Abs),
        "<" | "<i" => Scalar(Lt),
        ">" | ">i" => Scalar(Gt),
        "<=" => Scalar(Le),
        ">=" => Scalar(Ge),
        "=" | "=i" => Scalar(Eq),
        "!=" => Scalar(Ne),
        "and" => Scalar(And),
        "or" => Scalar(Or),
        "not" => Scalar(Not),
        "bitand" => Scalar(BitAnd),
        "bitor" => Scalar(BitOr),
        "bitxor" => Scalar(BitXor),
        "shl" => Scalar(Shl),
        "shr" => Scalar(Shr),
        "sqrt" => Scalar(Sqrt),
        "exp" => Scalar(Exp),
        "log" => Scalar(Log),
        "sin" => Scalar(Sin),
        "cos" => Scalar(Cos),
        "tan" => Scalar(Tan),
        "pow" => Scalar(Pow),
        "floor" => Scalar(Floor),
        "ceil" => Scalar(Ceil),
        "toInt" => Scalar(ToInt),
        "toLong" => Scalar(ToLong),
        "toFloat" => Scalar(ToFloat),
        "toDouble" => Scalar(ToDouble),
        "reduceWhileSeq" => of(Prim::ReduceWhileSeq, Shape::FoldWhile),
        "iterateWhile" => of(Prim::IterateWhile, Shape::Loop),
        "partRed" => of(Prim::PartRed, Shape::Fold(1)),
        "scanExcl" => of(Prim::ScanExcl(level), Shape::Fold(0)),
        "scan" | "scanSeq" => of(Prim::Scan(level), Shape::Fold(0)),
        "reduce" | "reduceSeq" => of(Prim::Reduce(level), Shape::Fold(0)),
        "iterate" => Meaning::Iterate,
        "zip" => view(Prim::Zip, 0),
        "unzip" => view(Prim::Unzip, 0),
        "split" => view(Prim::Split, 1),
        "join" => view(Prim::Join, 0),
        "slide" => view(Prim::Slide, 2),
        "pad" => Meaning::Pad,
        "clamp" => Meaning::PadMode(PadMode::Clamp),
        "mirror" => Meaning::PadMode(PadMode::Mirror),
        "wrap" => Meaning::PadMode(PadMode::Wrap),
        "padConstant" => view(Prim::PadConstant, 2),
        "transpose" => view(Prim::Transpose, 0),
        "reorder" => of(Prim::Gather, Shape::Index),
        "scatter" => of(Prim::Scatter, Shape::Index),
        "reverse" => view(Prim::Reverse, 0),
        "stride" => view(Prim::Stride, 1),
        "take" => view(Prim::Take, 1),
        "drop" => view(Prim::Drop, 1),
        "slice" => view(Prim::Slice, 2),
        "head" => view(Prim::Head, 0),
        "last" => view(Prim::Last, 0),
        "tail" => view(Prim::Tail, 0),
        "concat" => view(Prim::Concat, 0),
        "aref" => view(Prim::Aref, 0),
        "iota" => Counted(Prim::Iota),
        "generate" => Counted(Prim::Generate),
        "fill" => Counted(Prim::Fill),
        "length" => Meaning::Length,
        "sort" => of(Prim::Sort, Shape::Elements),
        "argsort" => of(Prim::Argsort, Shape::Elements),
        "search" => of(Prim::Search, Shape::Element),
        "lsearch" => of(Prim::LSearch, Shape::Element),
        "asVector" => view(Prim::AsVector, 1),
        "asScalar" => view(Prim::AsScalar, 0),
        "vectorize" => Meaning::Vectorize,
        "mapVec" => Meaning::MapVec,
        "toGlobal" => Meaning::Store(Space::Global),
        "toLocal" => Meaning::Store(Space::Local),
        "toPrivate" => Meaning::Store(Space::Private),
        "id" => Meaning::Identity,
        _ if name.starts_with("map") => of(Prim::Map(level), Shape::Element),
        _ if name.starts_with("filter") => of(Prim::Filter(level), Shape::Element),
        _ => Meaning::Unsupported,
    }
}

impl<'db> Build<'db> {
    /// A primitive with all of its arguments, in the order in which programs write them.
    pub fn primitive(
        &mut self,
        p: &'static Primitive,
        used: &Use<'db>,
        args: Vec<Staged<'db>>,
        at: &Origin,
    ) -> Result<Staged<'db>> {
        let name = &*p.name;
        match (meaning(p), args.as_slice()) {
            (Meaning::Scalar(op), args) => {
                let operands = self.reify_all(args, at)?;
                self.scalar(op, operands, at)
            }
            (Meaning::Component(i), [tuple]) => self.component(tuple.clone(), i, at),
            (Meaning::Store(space), [f, x]) => {
                let value = self.apply(f.clone(), vec![x.clone()], at)?;
                let atom = self.reify(value, at)?;
                let ty = self.atom_ty(&atom);
                Ok(self.emit.stmt(ty, Rhs::Store(space, atom), at)?.into())
            }
            (Meaning::Identity, [x]) => Ok(x.clone()),
            (Meaning::Length, [xs]) => match self.length_of(xs) {
                // A number, not a size: `(iota (length xs))` hides its length.
                Some(len) => Ok(Staged::Atom(Atom::Size(len))),
                None => Err(self.internal(at, "`length` of what is no array".into())),
            },
            (Meaning::PadMode(mode), [i, n]) => {
                let (i, n) = (self.reify(i.clone(), at)?, self.reify(n.clone(), at)?);
                self.boundary(mode, i, n, at)
            }
            (Meaning::Pad, [l, r, mode, xs]) => {
                let sizes = vec![self.size(l, name, at)?, self.size(r, name, at)?];
                let Some(mode) = pad_mode(mode) else {
                    let message = "the border of `pad` is `clamp`, `mirror` or `wrap`".into();
                    return Err(BuildError { message, origin: Some(at.clone()) });
                };
                let xs = self.reify(xs.clone(), at)?;
                self.call(Prim::Pad(mode), sizes, Vec::new(), vec![xs], at)
            }
            (Meaning::Counted(prim), [count, rest @ ..]) => self.counted(prim, count, rest, used, at),
            (Meaning::MapVec, [f, v]) => self.vectorized(None, f, std::slice::from_ref(v), at),
            (Meaning::Vectorize, [k, f, vectors @ ..]) => {
                let width = self.size(k, name, at)?;
                self.vectorized(Some(width), f, vectors, at)
            }
            (Meaning::Prim(prim, shape), args) => self.shaped(prim, shape, name, args, used, at),
            _ => {
                let message = format!("`{name}` is not supported yet");
                Err(BuildError { message, origin: Some(at.clone()) })
            }
        }
    }

    fn shaped(
        &mut self,
        prim: Prim,
        shape: Shape,
        name: &str,
        args: &[Staged<'db>],
        used: &Use<'db>,
        at: &Origin,
    ) -> Result<Staged<'db>> {
        let malformed = |this: &Self| this.internal(at, format!("`{name}` of {} arguments", args.len()));
        match (shape, args) {
            (Shape::Values(count), args) if args.len() >= count => {
                let (sizes, values) = args.split_at(count);
                let sizes = sizes.iter().map(|s| self.size(s, name, at)).collect::<Result<_>>()?;
                let values = self.reify_all(values, at)?;
                // Rows of different lengths: which one it is is known.
                let mut sizes: Vec<Size> = sizes;
                if let (Prim::Aref, [xs, Atom::Size(index)]) = (prim, values.as_slice())
                    && self.array(xs, name, at)?.position.is_some()
                {
                    sizes.push(index.clone());
                }
                self.call(prim, sizes, Vec::new(), values, at)
            }
            (Shape::Element | Shape::Elements | Shape::Index, [f, xs]) => {
                let xs = self.reify(xs.clone(), at)?;
                let (element, position) = self.element(&xs, name, used, at)?;
                let params = match shape {
                    Shape::Element => vec![element],
                    Shape::Elements => vec![element.clone(), element],
                    _ => vec![Ty::int()],
                };
                let f = self.lambda_at(f, &params, position, at)?;
                self.call(prim, Vec::new(), vec![f], vec![xs], at)
            }
            (Shape::Fold(count), args) if args.len() == count + 3 => {
                let (sizes, values) = args.split_at(count);
                let sizes = sizes.iter().map(|s| self.size(s, name, at)).collect::<Result<_>>()?;
                let (z, xs) = (self.reify(values[0].clone(), at)?, self.reify(values[2].clone(), at)?);
                let (element, position) = self.element(&xs, name, used, at)?;
                let f = self.lambda_at(&values[1], &[self.atom_ty(&z), element], position, at)?;
                self.call(prim, sizes, vec![f], vec![z, xs], at)
            }
            (Shape::FoldWhile, [test, z, f, xs]) => {
                let (z, xs) = (self.reify(z.clone(), at)?, self.reify(xs.clone(), at)?);
                let (element, position) = self.element(&xs, name, used, at)?;
                let params = [self.atom_ty(&z), element];
                let test = self.lambda(test, &params[..1], at)?;
                let f = self.lambda_at(f, &params, position, at)?;
                self.call(prim, Vec::new(), vec![test, f], vec![z, xs], at)
            }
            (Shape::Loop, [test, f, x]) => {
                let x = self.reify(x.clone(), at)?;
                let params = [self.atom_ty(&x)];
                let test = self.lambda(test, &params, at)?;
                let f = self.lambda(f, &params, at)?;
                self.call(prim, Vec::new(), vec![test, f], vec![x], at)
            }
            _ => Err(malformed(self)),
        }
    }

    /// The type of an element as a function sees it, and the position that the function is given.
    fn element(&mut self, xs: &Atom, name: &str, used: &Use<'db>, at: &Origin) -> Result<(Ty, Option<Var>)> {
        let array = self.array(xs, name, at)?;
        let Some(bound) = &array.position else { return Ok((array.element, None)) };
        let position = self.emit.position(&bound.name);
        let index = Size::var(position.clone());
        used.bind_position(&index);
        Ok((array.element.subst_size(bound, &index), Some(position)))
    }

    fn counted(
        &mut self,
        prim: Prim,
        count: &Staged<'db>,
        rest: &[Staged<'db>],
        used: &Use<'db>,
        at: &Origin,
    ) -> Result<Staged<'db>> {
        let (mut sizes, mut values, mut funs) = (Vec::new(), Vec::new(), Vec::new());
        match count {
            Staged::Size(n) => sizes.push(n.clone()),
            computed => values.push(self.reify(computed.clone(), at)?),
        }
        match (prim, rest) {
            // The function may use its argument as a size.
            (Prim::Generate, [f]) if used.has_positions() && !sizes.is_empty() => {
                let name = f.param_name(0).unwrap_or_else(|| "i".into());
                let position = self.emit.position(&name);
                used.bind_position(&Size::var(position.clone()));
                funs.push(self.lambda_of_position(f, position, at)?);
            }
            (Prim::Generate, [f]) => funs.push(self.lambda(f, &[Ty::int()], at)?),
            (Prim::Fill, [v]) => values.push(self.reify(v.clone(), at)?),
            _ => {}
        }
        self.call(prim, sizes, funs, values, at)
    }

    fn vectorized(
        &mut self,
        width: Option<Size>,
        f: &Staged<'db>,
        vectors: &[Staged<'db>],
        at: &Origin,
    ) -> Result<Staged<'db>> {
        let vectors = self.reify_all(vectors, at)?;
        let (mut lanes, mut widths) = (Vec::new(), Vec::new());
        for v in &vectors {
            let TyKind::Vec(lane, width) = self.atom_ty(v).kind().clone() else {
                return Err(self.internal(at, "a function of vectors is applied to something else".into()));
            };
            lanes.push(lane);
            widths.push(width);
        }
        let Some(width) = width.or_else(|| widths.first().cloned()) else {
            return Err(self.internal(at, "a function of vectors without vectors".into()));
        };
        let f = self.lambda(f, &lanes, at)?;
        self.call(Prim::Vectorize, vec![width], vec![f], vectors, at)
    }

    fn component(&mut self, tuple: Staged<'db>, i: usize, at: &Origin) -> Result<Staged<'db>> {
        if let Staged::Tuple(parts) = &tuple
            && let Some(part) = parts.get(i)
        {
            return Ok(part.clone());
        }
        let tuple = self.reify(tuple, at)?;
        match self.atom_ty(&tuple).kind() {
            TyKind::Tuple(parts) if i < parts.len() => {
                Ok(self.emit.stmt(parts[i].clone(), Rhs::Proj(tuple, i), at)?.into())
            }
            _ => Err(self.internal(at, "a component of what is no tuple".into())),
        }
    }

    /// A primitive of the core.
    pub fn call(
        &mut self,
        prim: Prim,
        sizes: Vec<Size>,
        funs: Vec<Lambda>,
        args: Vec<Atom>,
        at: &Origin,
    ) -> Result<Staged<'db>> {
        let types: Vec<Ty> = args.iter().map(|a| self.atom_ty(a)).collect();
        let signatures: Vec<Signature> = funs
            .iter()
            .map(|f| Signature {
                position: f.position.clone(),
                params: f.params.iter().map(|p| self.emit.ty(*p).clone()).collect(),
                result: self.atom_ty(&f.body.result),
                size: f.size(),
            })
            .collect();
        // That the lengths fit has been checked, with more knowledge than there is here.
        let ty = prim_type(prim, &sizes, &signatures, &types, &|_, _| true, &mut |kind| match kind {
            VarKind::Position => self.emit.position(&"i".into()),
            _ => self.emit.bound_length(&unnamed()),
        });
        match ty {
            Ok(ty) => Ok(self.emit.stmt(ty, Rhs::Prim(PrimCall { prim, sizes, funs, args }), at)?.into()),
            Err(problem) => Err(self.internal(at, problem)),
        }
    }

    fn scalar(&mut self, op: ScalarOp, operands: Vec<Atom>, at: &Origin) -> Result<Staged<'db>> {
        let types: Vec<Ty> = operands.iter().map(|a| self.atom_ty(a)).collect();
        match scalar_type(op, &types) {
            Ok(ty) => Ok(self.emit.stmt(ty, Rhs::Scalar(op, operands), at)?.into()),
            Err(problem) => Err(self.internal(at, problem)),
        }
    }

    /// The index that stands for index `i` beside an array of length `n`: what `clamp`, `mirror` and `wrap` are as
    /// functions.
    fn boundary(&mut self, mode: PadMode, i: Atom, n: Atom, at: &Origin) -> Result<Staged<'db>> {
        let one = Atom::Lit(Literal::Int(1));
        let op = |this: &mut Self, op: ScalarOp, a: &Atom, b: &Atom| {
            let value = this.scalar(op, vec![a.clone(), b.clone()], at)?;
            this.reify(value, at)
        };
        // The remainder that is not negative.
        let positive_rest = |this: &mut Self, i: &Atom, n: &Atom| {
            let rest = op(this, ScalarOp::Mod, i, n)?;
            let shifted = op(this, ScalarOp::Add, &rest, n)?;
            op(this, ScalarOp::Mod, &shifted, n)
        };
        let index = match mode {
            PadMode::Wrap => positive_rest(self, &i, &n)?,
            PadMode::Clamp => {
                let last = op(self, ScalarOp::Sub, &n, &one)?;
                let below = op(self, ScalarOp::Min, &i, &last)?;
                op(self, ScalarOp::Max, &below, &Atom::Lit(Literal::Int(0)))?
            }
            PadMode::Mirror => {
                // Of 2n places the upper n count backwards: the smaller of j and 2n-1-j.
                let period = op(self, ScalarOp::Add, &n, &n)?;
                let rest = op(self, ScalarOp::Mod, &i, &period)?;
                let shifted = op(self, ScalarOp::Add, &rest, &period)?;
                let j = op(self, ScalarOp::Mod, &shifted, &period)?;
                let last = op(self, ScalarOp::Sub, &period, &one)?;
                let back = op(self, ScalarOp::Sub, &last, &j)?;
                op(self, ScalarOp::Min, &j, &back)?
            }
        };
        Ok(index.into())
    }

    fn reify_all(&mut self, values: &[Staged<'db>], at: &Origin) -> Result<Vec<Atom>> {
        values.iter().map(|v| self.reify(v.clone(), at)).collect()
    }

    fn array(&self, atom: &Atom, name: &str, at: &Origin) -> Result<ArrayTy> {
        let ty = self.atom_ty(atom);
        match ty.as_array() {
            Some(a) => Ok(a.clone()),
            None => Err(self.internal(at, format!("`{name}` of `{ty}`, which is no array"))),
        }
    }

    fn size(&self, value: &Staged<'db>, name: &str, at: &Origin) -> Result<Size> {
        match value {
            Staged::Size(s) | Staged::Atom(Atom::Size(s)) => Ok(s.clone()),
            Staged::Atom(Atom::Lit(Literal::Int(n))) if *n >= 0 => Ok(Size::int(i64::from(*n))),
            _ => {
                let message = format!("`{name}` needs a size that is known before the run");
                Err(BuildError { message, origin: Some(at.clone()) })
            }
        }
    }
}

fn pad_mode(mode: &Staged<'_>) -> Option<PadMode> {
    match mode {
        Staged::Fun(f) => match **f {
            Fun::Primitive(p, ..) => match meaning(p) {
                Meaning::PadMode(mode) => Some(mode),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
