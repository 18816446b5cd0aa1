//! Converts a term to the body of a kernel and its source map.

use super::term::{Bound, Kind, Term};
use crate::hir::*;
use crate::size::{self, Size};
use lift_syntax::TextRange;
use rustc_hash::FxHashMap;

/// A parameter of a kernel: an array of scalars with this shape.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub name: Bound,
    pub scalar: Scalar,
    pub shape: Vec<Size>,
    pub range: TextRange,
}

/// The body of a kernel without a name. `name` is the range to show as its name.
pub fn kernel(sizes: &[Bound], parameters: &[Parameter], term: &Term, name: TextRange) -> (Body, SourceMap) {
    let mut builder = Builder::default();
    builder.map.form_name = name;
    builder.body.kind = FormKind::Kernel;
    for size in sizes {
        let binder = builder.binder(size, BinderRole::SizeParam, name);
        builder.body.size_params.push(binder);
    }
    let mut params = Vec::new();
    for parameter in parameters {
        let ty = builder.ty(parameter.scalar, &parameter.shape, parameter.range);
        builder.body.param_types.push(ty);
        params.push(builder.binder(&parameter.name, BinderRole::Param, parameter.range));
    }
    let body = builder.expr(term);
    let root = builder.alloc(Expr::Lambda { params, body }, term.range());
    builder.body.root = Some(root);
    (builder.body, builder.map)
}

#[derive(Default)]
struct Builder {
    body: Body,
    map: SourceMap,
    known: FxHashMap<u32, BinderId>,
}

impl Builder {
    fn alloc(&mut self, expr: Expr, range: TextRange) -> ExprId {
        self.map.exprs.push(range);
        self.body.exprs.push(expr)
    }

    fn binder(&mut self, bound: &Bound, role: BinderRole, range: TextRange) -> BinderId {
        self.map.binders.push(range);
        let id = self.body.binders.push(Binder { name: bound.name.as_ref().into(), role, ty: None });
        self.known.insert(bound.id, id);
        id
    }

    /// Walks the chain of `let`s in a loop, because it is as long as the program.
    fn expr(&mut self, term: &Term) -> ExprId {
        let mut spine = Vec::new();
        let mut term = term;
        loop {
            let range = term.range();
            match term.kind() {
                Kind::Let(name, value, body) => {
                    let value = self.expr(value);
                    let at = self.map.exprs[value];
                    spine.push((None, self.binder(name, BinderRole::Let, at), value, range));
                    term = body;
                }
                Kind::Unpack(length, name, value, body) => {
                    let value = self.expr(value);
                    let at = self.map.exprs[value];
                    let size = self.binder(length, BinderRole::UnpackSize, at);
                    spine.push((Some(size), self.binder(name, BinderRole::Unpack, at), value, range));
                    term = body;
                }
                _ => break,
            }
        }
        let mut body = self.part(term);
        for (size, binder, value, range) in spine.into_iter().rev() {
            let expr = match size {
                None => Expr::Let { binder, value, body },
                Some(size) => Expr::Unpack { sizes: vec![size], binder, value, body },
            };
            body = self.alloc(expr, range);
        }
        body
    }

    fn part(&mut self, term: &Term) -> ExprId {
        let range = term.range();
        let expr = match term.kind() {
            Kind::Local(bound) => match self.known.get(&bound.id) {
                Some(binder) => Expr::Local(*binder),
                None => Expr::Missing,
            },
            Kind::Global(name) => Expr::Global((*name).into()),
            Kind::Int(n) => Expr::Literal(Literal::Int(*n)),
            Kind::Double(x) => Expr::Literal(Literal::Double(x.to_bits())),
            Kind::Bool(b) => Expr::Literal(Literal::Bool(*b)),
            Kind::Size(size) => Expr::Size(self.size(size, range)),
            Kind::Lambda(params, body) => {
                let params = params.iter().map(|param| self.binder(param, BinderRole::Param, range)).collect();
                Expr::Lambda { params, body: self.expr(body) }
            }
            Kind::Apply(callee, args) => {
                let callee = self.expr(callee);
                Expr::Apply { callee, args: args.iter().map(|arg| self.expr(arg)).collect() }
            }
            Kind::If(condition, then, otherwise) => {
                let condition = self.expr(condition);
                let then = self.expr(then);
                Expr::If { condition, then, otherwise: self.expr(otherwise) }
            }
            Kind::Tuple(parts) => Expr::Tuple(parts.iter().map(|part| self.expr(part)).collect()),
            Kind::Ascribe(value, scalar, shape) => {
                let value = self.expr(value);
                Expr::Ascribe { value, ty: self.ty(*scalar, shape, range) }
            }
            Kind::Hide(length, value, scalar, shape) => {
                let value = self.expr(value);
                let sizes = vec![self.binder(length, BinderRole::ExistsSize, range)];
                let body = self.ty(*scalar, shape, range);
                self.map.types.push(range);
                Expr::Ascribe { value, ty: self.body.types.push(TypeRef::Exists { sizes, body }) }
            }
            Kind::Let(..) | Kind::Unpack(..) => return self.expr(term),
        };
        let id = self.alloc(expr, range);
        // A node's id is greater than those of its parts, which have been added.
        self.body.wordings.extend(term.0.wording.clone().map(|wording| (id, wording)));
        id
    }

    fn ty(&mut self, scalar: Scalar, shape: &[Size], range: TextRange) -> TypeRefId {
        self.map.types.push(range);
        let mut ty = self.body.types.push(TypeRef::Scalar(scalar));
        for length in shape.iter().rev() {
            let length = self.size(length, range);
            self.map.types.push(range);
            ty = self.body.types.push(TypeRef::Array { position: None, element: ty, length });
        }
        ty
    }

    fn size(&mut self, size: &Size, range: TextRange) -> SizeRefId {
        self.size_node(&size.node(), range)
    }

    fn size_node(&mut self, node: &size::Node, range: TextRange) -> SizeRefId {
        use size::Node;
        let size = match node {
            Node::Int(n) => u64::try_from(*n).map_or(SizeRef::Error, SizeRef::Nat),
            Node::Var(var) => self.known.get(&var.id).map_or(SizeRef::Error, |binder| SizeRef::Local(*binder)),
            Node::Neg(inner) => {
                let zero = self.size_node(&Node::Int(0), range);
                SizeRef::Op(SizeOp::Sub, vec![zero, self.size_node(inner, range)])
            }
            Node::Sub(a, b) => self.op(SizeOp::Sub, [&**a, &**b], range),
            Node::Add(parts) => self.op(SizeOp::Add, parts, range),
            Node::Mul(parts) => self.op(SizeOp::Mul, parts, range),
            Node::ExactDiv(a, b) => self.op(SizeOp::Div, [&**a, &**b], range),
            Node::Mod { num, den, .. } => self.op(SizeOp::Mod, [&**num, &**den], range),
            Node::Min(parts) => self.op(SizeOp::Min, parts, range),
            Node::Max(parts) => self.op(SizeOp::Max, parts, range),
            Node::Pow(a, b) => self.op(SizeOp::Pow, [&**a, &**b], range),
            // (a - a mod b) / b
            Node::FloorDiv { num, den, .. } => {
                let rest = self.op(SizeOp::Mod, [&**num, &**den], range);
                let rest = self.alloc_size(rest, range);
                let num = self.size_node(num, range);
                let whole = self.alloc_size(SizeRef::Op(SizeOp::Sub, vec![num, rest]), range);
                SizeRef::Op(SizeOp::Div, vec![whole, self.size_node(den, range)])
            }
            Node::Sum { .. } | Node::IfLe { .. } | Node::TooLarge => SizeRef::Error,
        };
        self.alloc_size(size, range)
    }

    fn op<'n>(&mut self, op: SizeOp, parts: impl IntoIterator<Item = &'n size::Node>, range: TextRange) -> SizeRef {
        SizeRef::Op(op, parts.into_iter().map(|part| self.size_node(part, range)).collect())
    }

    fn alloc_size(&mut self, size: SizeRef, range: TextRange) -> SizeRefId {
        self.map.sizes.push(range);
        self.body.sizes.push(size)
    }
}
