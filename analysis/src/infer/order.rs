//! Detects arguments in the wrong order, `(map xs f)`, `(reduce + 0 xs)`, or with one missing, `(reduce + xs)`.
//!
//! Runs before the call is checked, where a function is given for a value and a value for a function. That is reported
//! as one mistake, and the call is checked as if corrected.

use super::Lookup;
use super::context::Infer;
use crate::diagnostics::Problem;
use crate::diagnostics::{Diagnostic, Edit, Fix};
use crate::hir::*;
use crate::ty::{Ty, TyKind};

/// What an argument appears to be before it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    Function,
    Array,
    /// Neither a function nor an array.
    Value,
    Unclear,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Function,
    Array,
    /// Includes type variables, which may be arrays.
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
    /// An argument is missing; only the result type is known.
    Lacking(Ty),
}

impl Infer<'_> {
    /// Detects two exchanged arguments or a missing one. Reports the mistake and returns the corrected call.
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

    /// Reports that the argument at index `missing` is missing.
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
            Expr::Local(b) => self.binders.ty(*b).map_or(Looks::Unclear, of),
            Expr::Global(name) => match self.env.lookup(name) {
                Lookup::Definition(scheme) => of(&scheme.ty),
                Lookup::Primitive(p) => of(&p.scheme.ty),
                Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => Looks::Unclear,
            },
            // A call that lacks arguments is a function.
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

/// The index of the single missing argument, if the given ones fit the other parameters.
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

/// Edits that exchange two expressions.
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
