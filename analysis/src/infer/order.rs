//! Arguments in another order than the function takes them, `(map xs f)`, `(reduce + 0 xs)`, or without the first of them,
//! `(reduce + xs)`.
//!
//! Recognised before the call is checked, where a function stands for a value and a value for a function: one mistake,
//! and the call is checked as if it were mended.

use super::Lookup;
use super::context::Infer;
use crate::diagnostics::Problem;
use crate::diagnostics::{Diagnostic, Edit, Fix};
use crate::hir::*;
use crate::ty::{Ty, TyKind};

/// What an argument is as far as it can be told before it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    Function,
    Array,
    /// Anything but a function and an array.
    Value,
    Unclear,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Function,
    Array,
    /// A type variable may be an array, too.
    Value,
}

impl Takes {
    fn of(ty: &Ty) -> Takes {
        match ty.kind() {
            TyKind::Fun(..) => Takes::Function,
            TyKind::Array(_) => Takes::Array,
            _ => Takes::Value,
        }
    }

    fn may_be(self, looks: Looks) -> bool {
        match looks {
            Looks::Function => self == Takes::Function,
            Looks::Array => self != Takes::Function,
            Looks::Value => self == Takes::Value,
            Looks::Unclear => true,
        }
    }
}

/// A call as it was probably meant.
pub enum Meant {
    Ordered(Vec<ExprId>),
    /// An argument is missing: of the result only this is known.
    Lacking(Ty),
}

impl Infer<'_> {
    /// The call as the callee takes it, if two arguments have changed places or one is missing; says so.
    pub fn in_order(&mut self, callee: ExprId, args: &[ExprId]) -> Option<Meant> {
        let Expr::Global(name) = self.body.expr(callee) else { return None };
        let name = name.clone();
        let ty = match self.env.lookup(&name) {
            Lookup::Definition(scheme) => scheme.ty,
            Lookup::Primitive(p) => p.scheme.ty.clone(),
            Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => return None,
        };
        let params: Vec<Takes> = ty.uncurry().0.into_iter().map(Takes::of).collect();
        if !params.contains(&Takes::Function) {
            return None;
        }
        let looks: Vec<Looks> = args.iter().map(|a| self.looks(*a)).collect();
        let is_value = |looks: Looks| matches!(looks, Looks::Value | Looks::Array);
        let value = params.iter().zip(&looks).position(|(p, l)| *p == Takes::Function && is_value(*l))?;
        let function = params.iter().zip(&looks).position(|(p, l)| *p != Takes::Function && *l == Looks::Function)?;
        if let Some(missing) = missing(&params, &looks) {
            return Some(self.lacks_argument(callee, args, &params, missing));
        }
        let mut ordered = args.to_vec();
        ordered.swap(value, function);
        let (first, second) = (args[value.min(function)], args[value.max(function)]);
        let wanted = if function < value { "value" } else { "function" };
        let (one, other) = (self.short(first), self.short(second));
        let problem = Problem::ArgumentOrder { callee: name, value_first: function < value, first: one, second: other };
        let d = Diagnostic::new(Node::Expr(first), &problem)
            .related(Node::Expr(second), format!("the {wanted} stands here"))
            .fix(Fix { title: "Exchange the two arguments".into(), edits: exchanged(first, second), certain: true });
        self.diagnostic(d);
        Some(Meant::Ordered(ordered))
    }

    /// Says that the argument at an index is missing, which all others follow.
    fn lacks_argument(&mut self, callee: ExprId, args: &[ExprId], params: &[Takes], missing: usize) -> Meant {
        self.infer_all(args);
        let name = self.short(callee);
        let at = args[missing];
        let what = match params[missing] {
            Takes::Function => "a function",
            Takes::Array => "an array",
            Takes::Value => "a value",
        };
        let before = self.short(at);
        let array = args.iter().find_map(|a| self.operand_type(*a).filter(|ty| ty.as_array().is_some()));
        let neutral = array.as_ref().and_then(|array| self.neutral_element(at, array));
        let neutral = neutral.map(|neutral| neutral.to_string());
        let problem = Problem::MissingArgument { callee: name, what, before, neutral: neutral.clone() };
        let mut d = Diagnostic::new(Node::Expr(at), &problem);
        if let Some(neutral) = neutral {
            d = d.fix(Fix {
                title: format!("Insert the neutral element `{neutral}`"),
                edits: vec![Edit::InsertBefore(Node::Expr(at), format!("{neutral} "))],
                certain: true,
            });
        }
        self.diagnostic(d);
        Meant::Lacking(Ty::error())
    }

    fn looks(&self, e: ExprId) -> Looks {
        let of = |ty: &Ty| match self.table.shallow(ty).kind() {
            TyKind::Fun(..) => Looks::Function,
            TyKind::Array(_) => Looks::Array,
            TyKind::Unknown(_) | TyKind::Generic(_) | TyKind::Exists(..) | TyKind::Error => Looks::Unclear,
            _ => Looks::Value,
        };
        match self.body.expr(e) {
            Expr::Lambda { .. } => Looks::Function,
            Expr::Literal(_) | Expr::Size(_) | Expr::Tuple(_) => Looks::Value,
            Expr::Local(b) => self.binder_types[*b].as_ref().map_or(Looks::Unclear, of),
            Expr::Global(name) => match self.env.lookup(name) {
                Lookup::Definition(scheme) => of(&scheme.ty),
                Lookup::Primitive(p) => of(&p.scheme.ty),
                Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => Looks::Unclear,
            },
            // A call that lacks arguments.
            Expr::Apply { callee, args } => match self.body.expr(*callee) {
                Expr::Global(name) => match self.env.lookup(name) {
                    Lookup::Definition(scheme) if awaits_more(&scheme.ty, args.len()) => Looks::Function,
                    Lookup::Primitive(p) if p.awaits_more(args.len()) => Looks::Function,
                    _ => Looks::Unclear,
                },
                _ => Looks::Unclear,
            },
            _ => Looks::Unclear,
        }
    }
}

/// The index of the one argument that is missing, if all others then are what is taken.
fn missing(params: &[Takes], looks: &[Looks]) -> Option<usize> {
    if looks.len() + 1 != params.len() {
        return None;
    }
    let fits_without = |index: &usize| {
        let mut rest = params.iter().enumerate().filter(|(i, _)| i != index).map(|(_, p)| p);
        looks.iter().all(|looks| rest.next().is_some_and(|p| p.may_be(*looks)))
    };
    (0..looks.len()).find(fits_without)
}

/// Each takes the other's place.
pub fn exchanged(first: ExprId, second: ExprId) -> Vec<Edit> {
    let moved = |to: ExprId, from: ExprId| {
        let (at, of) = (Node::Expr(to), Node::Expr(from));
        let copy = Edit::CopyBefore { at, before: String::new(), of, after: String::new() };
        [copy, Edit::Replace(at, String::new())]
    };
    moved(first, second).into_iter().chain(moved(second, first)).collect()
}

fn awaits_more(function: &Ty, given: usize) -> bool {
    function.uncurry().0.len() > given
}
