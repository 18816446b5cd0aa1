//! Builds calls of primitives that have all their arguments.

use super::super::scalar::fold;
use super::super::typing::{Signature, prim_type, scalar_type};
use super::super::{Atom, Lambda, Level, PadMode, Prim, PrimCall, Rhs, ScalarOp, Space};
use super::lengths::unnamed;
use super::scope::staged::{Fun, Staged, Use};
use super::{Build, BuildError, Result};
use lift_analysis::hir::{self, Literal, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::prims::{self, Primitive, PrimitiveId, Special};
use lift_analysis::size::{Assumption, Size, Var, VarKind};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};

/// How to build the application of a primitive.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    Scalar(ScalarOp),
    /// A primitive of core with arguments in this order.
    Prim(Prim, Shape),
    Component(usize),
    Store(Space),
    PadMode(PadMode),
    Pad,
    Length,
    RowLengths,
    Identity,
    MapVec,
    Vectorize,
    /// A number, converted to the type of an array's elements.
    ToElement,
    /// A part of the argument: the function gives its start and length from the argument's length.
    Part(fn(&Size) -> (Size, Size)),
    /// The first argument, a length, is a size or an Int.
    Counted(Prim),
    /// A part of an array, given by this number of lengths, each a size or an Int.
    Cut(Prim, usize),
    /// Built before its arguments are evaluated ([`super::eval`]).
    BeforeArguments,
}

/// The order of the arguments, and the parameters of the functions among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// This number of sizes, then values.
    Values(usize),
    /// `(f xs)`: a function of an element.
    Element,
    /// `(f xs)`: a function of two elements.
    Elements,
    /// `(f xs)`: a function of an index.
    Index,
    /// This number of sizes, then `(z f xs)`: a function of an accumulator and an element.
    Fold(usize),
    /// `(test z f xs)`
    FoldWhile,
    /// `(test f x)`
    Loop,
}

pub fn meaning(p: &Primitive) -> Meaning {
    use Meaning::{Counted, Scalar};
    use PrimitiveId as Id;
    let level = match p.level {
        None => Level::Auto,
        Some(prims::Level::Seq) => Level::Seq,
        Some(prims::Level::Glb(d)) => Level::Glb(d),
        Some(prims::Level::Wrg(d)) => Level::Wrg(d),
        Some(prims::Level::Lcl(d)) => Level::Lcl(d),
    };
    let view = |prim: Prim, sizes: usize| Meaning::Prim(prim, Shape::Values(sizes));
    let of = Meaning::Prim;
    let to = |scalar| Scalar(ScalarOp::To(scalar));
    match p.id {
        Id::Get => match p.special {
            Some(Special::Get(index)) => Meaning::Component(index),
            _ => Meaning::BeforeArguments,
        },
        Id::Add => Scalar(ScalarOp::Add),
        Id::Sub => Scalar(ScalarOp::Sub),
        Id::Mul => Scalar(ScalarOp::Mul),
        Id::Div => Scalar(ScalarOp::Div),
        Id::Mod => Scalar(ScalarOp::Mod),
        Id::FloorMod => Scalar(ScalarOp::FloorMod),
        Id::Min => Scalar(ScalarOp::Min),
        Id::Max => Scalar(ScalarOp::Max),
        Id::Neg => Scalar(ScalarOp::Neg),
        Id::Abs => Scalar(ScalarOp::Abs),
        Id::Less => Scalar(ScalarOp::Lt),
        Id::Greater => Scalar(ScalarOp::Gt),
        Id::AtMost => Scalar(ScalarOp::Le),
        Id::AtLeast => Scalar(ScalarOp::Ge),
        Id::Equal => Scalar(ScalarOp::Eq),
        Id::NotEqual => Scalar(ScalarOp::Ne),
        Id::And => Scalar(ScalarOp::And),
        Id::Or => Scalar(ScalarOp::Or),
        Id::Not => Scalar(ScalarOp::Not),
        Id::BitAnd => Scalar(ScalarOp::BitAnd),
        Id::BitOr => Scalar(ScalarOp::BitOr),
        Id::BitXor => Scalar(ScalarOp::BitXor),
        Id::ShiftLeft => Scalar(ScalarOp::Shl),
        Id::ShiftRight => Scalar(ScalarOp::Shr),
        Id::Sqrt => Scalar(ScalarOp::Sqrt),
        Id::Exp => Scalar(ScalarOp::Exp),
        Id::Log => Scalar(ScalarOp::Log),
        Id::Sin => Scalar(ScalarOp::Sin),
        Id::Cos => Scalar(ScalarOp::Cos),
        Id::Tan => Scalar(ScalarOp::Tan),
        Id::Asin => Scalar(ScalarOp::Asin),
        Id::Acos => Scalar(ScalarOp::Acos),
        Id::Atan => Scalar(ScalarOp::Atan),
        Id::Sinh => Scalar(ScalarOp::Sinh),
        Id::Cosh => Scalar(ScalarOp::Cosh),
        Id::Tanh => Scalar(ScalarOp::Tanh),
        Id::Asinh => Scalar(ScalarOp::Asinh),
        Id::Acosh => Scalar(ScalarOp::Acosh),
        Id::Atanh => Scalar(ScalarOp::Atanh),
        Id::Atan2 => Scalar(ScalarOp::Atan2),
        Id::Round => Scalar(ScalarOp::Round),
        Id::IsNan => Scalar(ScalarOp::IsNan),
        Id::LogicalShiftRight => Scalar(ScalarOp::UShr),
        Id::PopCount => Scalar(ScalarOp::PopCount),
        Id::LeadingZeros => Scalar(ScalarOp::Clz),
        Id::ToElement => Meaning::ToElement,
        Id::Pow => Scalar(ScalarOp::Pow),
        Id::Floor => Scalar(ScalarOp::Floor),
        Id::Ceil => Scalar(ScalarOp::Ceil),
        Id::ToByte => to(hir::Scalar::Byte),
        Id::ToUByte => to(hir::Scalar::UByte),
        Id::ToShort => to(hir::Scalar::Short),
        Id::ToUShort => to(hir::Scalar::UShort),
        Id::ToInt => to(hir::Scalar::Int),
        Id::ToUInt => to(hir::Scalar::UInt),
        Id::ToLong => to(hir::Scalar::Long),
        Id::ToULong => to(hir::Scalar::ULong),
        Id::ToHalf => to(hir::Scalar::Half),
        Id::ToFloat => to(hir::Scalar::Float),
        Id::ToDouble => to(hir::Scalar::Double),
        Id::ReduceWhile => of(Prim::ReduceWhileSeq, Shape::FoldWhile),
        Id::IterateWhile => of(Prim::IterateWhile, Shape::Loop),
        Id::PartRed => of(Prim::PartRed, Shape::Fold(1)),
        Id::ScanExcl => of(Prim::ScanExcl(level), Shape::Fold(0)),
        Id::Scan => of(Prim::Scan(level), Shape::Fold(0)),
        Id::Reduce => of(Prim::Reduce(level), Shape::Fold(0)),
        Id::Iterate => Meaning::BeforeArguments,
        Id::Zip => view(Prim::Zip, 0),
        Id::Unzip => view(Prim::Unzip, 0),
        Id::Split => view(Prim::Split, 1),
        Id::Join => view(Prim::Join, 0),
        Id::Slide => view(Prim::Slide, 2),
        Id::Pad => Meaning::Pad,
        Id::Clamp => Meaning::PadMode(PadMode::Clamp),
        Id::Mirror => Meaning::PadMode(PadMode::Mirror),
        Id::Wrap => Meaning::PadMode(PadMode::Wrap),
        Id::PadConstant => view(Prim::PadConstant, 2),
        Id::Transpose => view(Prim::Transpose, 0),
        Id::Reorder => of(Prim::Gather, Shape::Index),
        Id::Scatter => of(Prim::Scatter, Shape::Index),
        Id::Reverse => view(Prim::Reverse, 0),
        Id::Stride => view(Prim::Stride, 1),
        Id::Take => Meaning::Cut(Prim::Take, 1),
        Id::Drop => Meaning::Cut(Prim::Drop, 1),
        Id::Slice => Meaning::Cut(Prim::Slice, 2),
        Id::Head => view(Prim::Head, 0),
        Id::Last => view(Prim::Last, 0),
        Id::Tail => view(Prim::Tail, 0),
        Id::Init => Meaning::Part(|len| (Size::zero(), len.sub(&Size::one()))),
        Id::Concat => view(Prim::Concat, 0),
        Id::Aref => view(Prim::Aref, 0),
        Id::Iota => Counted(Prim::Iota),
        Id::Generate => Counted(Prim::Generate),
        Id::Fill => Counted(Prim::Fill),
        Id::Length => Meaning::Length,
        Id::RowLengths => Meaning::RowLengths,
        Id::Sort => of(Prim::Sort, Shape::Elements),
        Id::Argsort => of(Prim::Argsort, Shape::Elements),
        Id::Search => of(Prim::Search, Shape::Element),
        Id::LinearSearch => of(Prim::LSearch, Shape::Element),
        Id::AsVector => view(Prim::AsVector, 1),
        Id::AsScalar => view(Prim::AsScalar, 0),
        Id::Vectorize => Meaning::Vectorize,
        Id::MapVec => Meaning::MapVec,
        Id::ToGlobal => Meaning::Store(Space::Global),
        Id::ToLocal => Meaning::Store(Space::Local),
        Id::ToPrivate => Meaning::Store(Space::Private),
        Id::Identity => Meaning::Identity,
        Id::Map => of(Prim::Map(level), Shape::Element),
        Id::Filter => of(Prim::Filter(level), Shape::Element),
        Id::Partition | Id::CaseSplit => Meaning::BeforeArguments,
    }
}

impl<'db> Build<'db> {
    /// Builds a primitive from all its arguments, in the order in which programs write them.
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
                // `length` gives a number, not a size: `(iota (length xs))` hides its length.
                Some(len) => Ok(Staged::Atom(Atom::Size(len))),
                None => Err(self.internal(at, "`length` of something that is not an array".into())),
            },
            (Meaning::RowLengths, [xss]) => self.row_lengths(xss, name, at),
            (Meaning::PadMode(mode), [i, n]) => {
                let (i, n) = (self.reify(i.clone(), at)?, self.reify(n.clone(), at)?);
                self.boundary(mode, i, n, at)
            }
            (Meaning::Pad, [l, r, mode, xs]) => {
                let sizes = vec![self.size(l, name, at)?, self.size(r, name, at)?];
                let Some(mode) = pad_mode(mode) else {
                    let message = "the border of `pad` is `clamp`, `mirror` or `wrap`".into();
                    return Err(BuildError::new(message, Some(at.clone())));
                };
                let xs = self.reify(xs.clone(), at)?;
                self.call(Prim::Pad(mode), sizes, Vec::new(), vec![xs], at)
            }
            (Meaning::Part(part), [xs]) => {
                let xs = self.reify(xs.clone(), at)?;
                let (from, len) = part(&self.array(&xs, name, at)?.len);
                self.call(Prim::Slice, vec![from, len], Vec::new(), vec![xs], at)
            }
            (Meaning::ToElement, [xs, number]) => {
                let xs = self.reify(xs.clone(), at)?;
                let op = match self.array(&xs, name, at)?.element.as_scalar() {
                    Some(element) if element.is_number() => ScalarOp::To(element),
                    _ => return Err(self.internal(at, format!("`{name}` of elements that are not numbers"))),
                };
                let number = self.reify(number.clone(), at)?;
                match fold(op, std::slice::from_ref(&number)) {
                    Some(known) => Ok(known.into()),
                    None if op == ScalarOp::To(Scalar::Int) => Ok(number.into()),
                    None => self.scalar(op, vec![number], at),
                }
            }
            (Meaning::Counted(prim), [count, rest @ ..]) => self.counted(prim, count, rest, used, at),
            (Meaning::Cut(prim, count), args) if args.len() == count + 1 => self.cut(prim, args, name, at),
            (Meaning::MapVec, [f, v]) => self.vectorized(None, f, std::slice::from_ref(v), at),
            (Meaning::Vectorize, [k, f, vectors @ ..]) => {
                let width = self.size(k, name, at)?;
                self.vectorized(Some(width), f, vectors, at)
            }
            (Meaning::Prim(prim, shape), args) => self.shaped(prim, shape, name, args, used, at),
            _ => {
                let message = format!("`{name}` is not supported yet");
                Err(BuildError::new(message, Some(at.clone())))
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
                // An index into rows of different lengths must be known as a size, because the type depends on it.
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

    /// `map (λrow. unpack (X) _ = row; X) xss`
    fn row_lengths(&mut self, xss: &Staged<'db>, name: &str, at: &Origin) -> Result<Staged<'db>> {
        let xss = self.reify(xss.clone(), at)?;
        let rows = self.array(&xss, name, at)?.element;
        let TyKind::Exists(hidden, body) = rows.kind() else {
            return Err(self.internal(at, format!("`{name}` of rows of type `{rows}`")));
        };
        let [hidden] = hidden.as_slice() else {
            return Err(self.internal(at, format!("`{name}` of rows with {} lengths", hidden.len())));
        };
        let row = self.emit.var("row".into(), rows.clone());
        self.emit.open(at)?;
        let length = self.emit.opened_length(&"X".into());
        let opened = body.subst_size(hidden, &Size::var(length.clone()));
        self.emit.binding_stmt(opened, vec![length.clone()], Rhs::Unpack(Atom::Var(row)), at)?;
        let body = self.emit.close_block(Atom::Size(Size::var(length)));
        let each = Lambda { position: None, params: vec![row], body, origin: at.clone() };
        self.call(Prim::Map(Level::Auto), Vec::new(), vec![each], vec![xss], at)
    }

    /// The type of an element as a function sees it, and the index variable of that function.
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

    /// Builds `take`, `drop` and `slice`. A count that is known only at run time becomes a size by opening an `iota` of
    /// that length, which is never stored; the assumptions about it are checked there.
    fn cut(&mut self, prim: Prim, args: &[Staged<'db>], name: &str, at: &Origin) -> Result<Staged<'db>> {
        let Some((xs, counts)) = args.split_last() else {
            return Err(self.internal(at, format!("`{name}` of nothing")));
        };
        let xs = self.reify(xs.clone(), at)?;
        let len = self.array(&xs, name, at)?.len;
        let mut sizes = Vec::with_capacity(counts.len());
        let mut computed = false;
        for count in counts {
            // For `slice`, only the last count is the length.
            computed = match count {
                Staged::Size(size) => {
                    sizes.push(size.clone());
                    computed && prim != Prim::Slice
                }
                count => {
                    let count = self.reify(count.clone(), at)?;
                    sizes.push(self.opened_count(count, at)?);
                    true
                }
            };
        }
        if counts.iter().any(|count| !matches!(count, Staged::Size(_))) {
            let end = sizes.iter().fold(Size::zero(), |sum, size| sum.add(size));
            self.assume(Assumption::AtMost(end, len), at);
        }
        let part = self.call(prim, sizes, Vec::new(), vec![xs], at)?;
        if !computed {
            return Ok(part);
        }
        let part = self.reify(part, at)?;
        let array = self.array(&part, name, at)?;
        let hidden = self.emit.bound_length(&unnamed());
        let witness = array.len.clone();
        let packed = Ty::new(TyKind::Array(ArrayTy { len: Size::var(hidden.clone()), ..array }));
        Ok(self.emit.stmt(Ty::exists(vec![hidden], packed), Rhs::Pack(part, vec![witness]), at)?.into())
    }

    /// Opens an `iota` to turn an Int into a size.
    fn opened_count(&mut self, count: Atom, at: &Origin) -> Result<Size> {
        let indices = self.call(Prim::Iota, Vec::new(), Vec::new(), vec![count], at)?;
        let indices = self.reify(indices, at)?;
        let length = self.emit.opened_length(&unnamed());
        let ty = match self.atom_ty(&indices).kind() {
            TyKind::Exists(vars, body) => match vars.as_slice() {
                [var] => body.subst_size(var, &Size::var(length.clone())),
                _ => return Err(self.internal(at, "an `iota` of several lengths".into())),
            },
            _ => return Err(self.internal(at, "an `iota` that hides no length".into())),
        };
        self.emit.binding_stmt(ty, vec![length.clone()], Rhs::Unpack(indices), at)?;
        Ok(Size::var(length))
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

    pub fn component(&mut self, tuple: Staged<'db>, i: usize, at: &Origin) -> Result<Staged<'db>> {
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
            _ => Err(self.internal(at, "a component of something that is not a tuple".into())),
        }
    }

    /// Emits a primitive of core.
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
        // The lengths are already checked, with more knowledge than there is here.
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

    /// The index that replaces `i` outside an array of length `n`: the functions `clamp`, `mirror` and `wrap`.
    fn boundary(&mut self, mode: PadMode, i: Atom, n: Atom, at: &Origin) -> Result<Staged<'db>> {
        let one = Atom::Lit(Literal::Int(1));
        let op = |this: &mut Self, op: ScalarOp, a: &Atom, b: &Atom| {
            let value = this.scalar(op, vec![a.clone(), b.clone()], at)?;
            this.reify(value, at)
        };
        // The non-negative remainder.
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
                // The period is 2n, and the upper n indices count backwards: take the smaller of j and 2n-1-j.
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
            None => Err(self.internal(at, format!("`{name}` of `{ty}`, which is not an array"))),
        }
    }

    fn size(&self, value: &Staged<'db>, name: &str, at: &Origin) -> Result<Size> {
        match value {
            Staged::Size(s) | Staged::Atom(Atom::Size(s)) => Ok(s.clone()),
            Staged::Atom(Atom::Lit(Literal::Int(n))) if *n >= 0 => Ok(Size::int(i64::from(*n))),
            _ => {
                let message = format!("`{name}` needs a size that is known before the run");
                Err(BuildError::new(message, Some(at.clone())))
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
