//! Arguments in another order than the function takes them: `(map xs f)`, `(reduce + 0 xs)`.
//!
//! Recognised before the call is checked, where a function stands for a value and a value for a function: one mistake,
//! whose repair is certain, and the call is checked as if it were mended.

use super::Lookup;
use super::context::Infer;
use crate::diagnostics::{Diagnostic, Edit, Fix};
use crate::hir::*;
use crate::ty::{Ty, TyKind};

/// What an argument is as far as it can be told before it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    Function,
    Value,
    Unclear,
}

impl Infer<'_> {
    /// The arguments in the order in which the callee takes them, if two have changed places; says so.
    pub fn in_order(&mut self, callee: ExprId, args: &[ExprId]) -> Option<Vec<ExprId>> {
        let Expr::Global(name) = self.body.expr(callee) else { return None };
        let name = name.clone();
        let ty = match self.env.lookup(&name) {
            Lookup::Definition(scheme) => scheme.ty,
            Lookup::Primitive(p) => p.scheme.ty.clone(),
            Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => return None,
        };
        let params: Vec<bool> = ty.uncurry().0.into_iter().map(is_function).collect();
        if !params.contains(&true) {
            return None;
        }
        let looks: Vec<Looks> = args.iter().map(|a| self.looks(*a)).collect();
        let value = params.iter().zip(&looks).position(|(function, l)| *function && *l == Looks::Value)?;
        let function = params.iter().zip(&looks).position(|(function, l)| !function && *l == Looks::Function)?;
        let mut ordered = args.to_vec();
        ordered.swap(value, function);
        let (first, second) = (args[value.min(function)], args[value.max(function)]);
        let (wanted, there) = match function < value {
            true => ("value", "function"),
            false => ("function", "value"),
        };
        let (one, other) = (self.short(first), self.short(second));
        let d = Diagnostic::error(
            "argument-order",
            Node::Expr(first),
            format!(
                "`{name}` takes the {wanted} first and then the {there}: `{one}` and `{other}` have changed places"
            ),
        )
        .related(Node::Expr(second), format!("the {wanted} stands here"))
        .fix(exchange(first, second));
        self.diagnostic(d);
        Some(ordered)
    }

    fn looks(&self, e: ExprId) -> Looks {
        let of = |ty: &Ty| match self.table.shallow(ty).kind() {
            TyKind::Fun(..) => Looks::Function,
            TyKind::Unknown(_) | TyKind::Generic(_) | TyKind::Error => Looks::Unclear,
            _ => Looks::Value,
        };
        match self.body.expr(e) {
            Expr::Lambda { .. } => Looks::Function,
            Expr::Literal(_) | Expr::Size(_) | Expr::Tuple(_) => Looks::Value,
            Expr::Local(b) => self.binder_types[b.index()].as_ref().map_or(Looks::Unclear, of),
            Expr::Global(name) => match self.env.lookup(name) {
                Lookup::Definition(scheme) => of(&scheme.ty),
                Lookup::Primitive(p) => of(&p.scheme.ty),
                Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => Looks::Unclear,
            },
            // A call that lacks arguments.
            Expr::Apply { callee, args } => match self.body.expr(*callee) {
                Expr::Global(name) => match self.env.lookup(name) {
                    Lookup::Definition(scheme) if awaits_more(&scheme.ty, args.len()) => Looks::Function,
                    Lookup::Primitive(p) if awaits_more(&p.scheme.ty, args.len()) => Looks::Function,
                    _ => Looks::Unclear,
                },
                _ => Looks::Unclear,
            },
            _ => Looks::Unclear,
        }
    }
}

/// Each takes the other's place.
fn exchange(first: ExprId, second: ExprId) -> Fix {
    let moved = |to: ExprId, from: ExprId| {
        let (at, of) = (Node::Expr(to), Node::Expr(from));
        let copy = Edit::CopyBefore { at, before: String::new(), of, after: String::new() };
        [copy, Edit::Replace(at, String::new())]
    };
    let edits = moved(first, second).into_iter().chain(moved(second, first)).collect();
    Fix { title: "Exchange the two arguments".into(), edits, certain: true }
}

fn awaits_more(function: &Ty, given: usize) -> bool {
    function.uncurry().0.len() > given
}

fn is_function(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Fun(..))
}
