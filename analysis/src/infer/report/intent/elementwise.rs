//! Guesses what was meant where a function of numbers is given arrays or pairs: `(sqrt xs)`, `(+ xs 1)`, `(max xs)`.

use crate::diagnostics::notes::Guess;
use crate::diagnostics::{Edit, Title};
use crate::hir::*;
use crate::infer::cause::Cause;
use crate::infer::report::intent::Intent;
use crate::infer::results::Results;
use crate::prims::{self, PrimitiveId};
use crate::ty::{Ty, TyKind};

impl Results<'_> {
    /// Guesses what was meant by an operand that is not a number.
    pub fn meant_by_operand(&self, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, callee, arg, .. } = cause else { return None };
        match actual.kind() {
            TyKind::Array(_) => self.meant_elementwise(*apply, *callee, *arg),
            TyKind::Tuple(parts) => self.meant_pattern(*arg, parts.len()),
            _ => None,
        }
    }

    /// Guesses what was meant by an array as an operand of an operator whose other operand is a number: `(* 2.0f xs)`.
    pub fn meant_other_operand(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, callee, arg, .. } = cause else { return None };
        let params = self.program.primitive_at(*callee)?.scheme.ty.uncurry().0;
        let of_scalars = params.iter().all(|ty| matches!(ty.kind(), TyKind::Generic(_) | TyKind::Scalar(_)));
        let (scalar, array) = (expected?.as_scalar()?, actual.as_array()?);
        let fits = scalar.is_number() || array.element.as_scalar() == Some(scalar);
        (of_scalars && fits).then(|| self.meant_elementwise(*apply, *callee, *arg))?
    }

    fn meant_elementwise(&self, apply: ExprId, callee: ExprId, array: ExprId) -> Option<Intent> {
        let Expr::Apply { args, .. } = self.program.expr(apply) else { return None };
        let primitive = self.program.primitive_at(callee)?;
        let takes = primitive.scheme.ty.uncurry().0.len();
        let written = |text: String, edits: Vec<Edit>, guess: fn(String) -> Guess| {
            let title = Title::Write(text.clone());
            Some(Intent::new(guess(text), title, edits))
        };
        let name = self.program.short(callee);
        // A map for each level of the arrays: `zipWith (zipWith +)`.
        let mapped = |map: &str, levels: usize| {
            let inner = levels.saturating_sub(1);
            let (before, after) = (format!("{map} {}", format!("({map} ").repeat(inner)), ")".repeat(inner));
            let edits = vec![
                Edit::InsertBefore(Node::Expr(callee), before.clone()),
                Edit::InsertAfter(Node::Expr(callee), after.clone()),
            ];
            (format!("{before}{name}{after}"), edits)
        };
        match args[..] {
            [only] if takes == 1 => {
                let (function, edits) = mapped("map", self.levels(only));
                let text = format!("({function} {})", self.program.short(only));
                written(text, edits, Guess::EachElement)
            }
            [only] => {
                let of_all = of_all_elements(primitive.id)?;
                let inner = self.levels(only).saturating_sub(1);
                let join = format!("({} ", prims::named(PrimitiveId::Join)).repeat(inner);
                let after = ")".repeat(inner);
                let text = format!("({of_all} {join}{}{after})", self.program.short(only));
                let edits = vec![
                    Edit::Replace(Node::Expr(callee), of_all.to_owned()),
                    Edit::InsertBefore(Node::Expr(only), join),
                    Edit::InsertAfter(Node::Expr(only), after),
                ];
                written(text, edits, Guess::AllElements)
            }
            [left, right] if self.levels(left) > 0 && self.levels(left) == self.levels(right) => {
                let (function, edits) = mapped("zipWith", self.levels(left));
                let text = format!("({function} {} {})", self.program.short(left), self.program.short(right));
                written(text, edits, Guess::BothArrays)
            }
            [left, right] if self.levels(left) > 0 && self.levels(right) > 0 => None,
            [left, right] => {
                // The array is written again after the function, so it has to be a name.
                let Expr::Local(binder) = self.program.expr(array) else { return None };
                let element = self.unused_name_like("x");
                let inner = self.levels(array).saturating_sub(1);
                let (map, after) = (format!("(map {}", "(map ".repeat(inner)), ")".repeat(inner));
                let part = |e: ExprId| if e == array { element.clone() } else { self.program.short(e) };
                let of = &self.program.body().binder(*binder).name;
                let text = format!("{map}(lambda ({element}) ({name} {} {})){after} {of})", part(left), part(right));
                let edits = vec![
                    Edit::InsertBefore(Node::Expr(apply), format!("{map}(lambda ({element}) ")),
                    Edit::Replace(Node::Expr(array), element.clone()),
                    Edit::InsertAfter(Node::Expr(apply), format!("){after} {of})")),
                ];
                written(text, edits, Guess::EachElement)
            }
            _ => None,
        }
    }

    /// `(lambda (x y) …)` that is given pairs: suggests a pattern.
    fn meant_pattern(&self, operand: ExprId, parts: usize) -> Option<Intent> {
        let Expr::Local(binder) = self.program.expr(operand) else { return None };
        let params = self.program.body().exprs.iter().find_map(|e| match e {
            Expr::Lambda { params, .. } if params.first() == Some(binder) => Some(params),
            _ => None,
        })?;
        if params.len() != parts {
            return None;
        }
        self.pattern_of(params)
    }

    /// A function with more parameters than it is `given` arguments, of which the first is a tuple: `(lambda (a b x) …)`.
    pub fn meant_pattern_of(&self, params: &[BinderId], expected: Option<&Ty>, given: usize) -> Option<Intent> {
        let TyKind::Tuple(parts) = self.table.shallow(expected?.uncurry().0.first()?).kind().clone() else {
            return None;
        };
        let is_apart = params.len() + 1 == given + parts.len();
        is_apart.then(|| self.pattern_of(&params[..parts.len()]))?
    }

    /// Suggests a pattern with these names.
    fn pattern_of(&self, params: &[BinderId]) -> Option<Intent> {
        let (&first, &last) = (params.first()?, params.last()?);
        let names: Vec<&str> = params.iter().map(|p| &*self.program.body().binder(*p).name).collect();
        let pattern = format!("(tuple {})", names.join(" "));
        let edits = vec![
            Edit::InsertBefore(Node::Binder(first), "(tuple ".into()),
            Edit::InsertAfter(Node::Binder(last), ")".into()),
        ];
        let title = Title::Write(pattern.clone());
        Some(Intent::new(Guess::TuplePattern(pattern), title, edits))
    }

    /// Explains a kernel that gives functions because a function in it has more parameters than it is given, or a call at
    /// its end fewer arguments.
    pub fn meant_fewer_parameters(&self, body: ExprId) -> Option<Intent> {
        let Expr::Apply { callee, args } = self.program.expr(body) else { return None };
        self.program.primitive_at(*callee)?;
        let call_at_end = args.iter().find_map(|arg| match self.program.expr(*arg) {
            Expr::Lambda { params, body } if params.len() == 1 => Some((*body, self.operand_type(*body)?)),
            _ => None,
        });
        if let Some((call, ty)) = call_at_end.filter(|(_, ty)| matches!(ty.kind(), TyKind::Fun(..))) {
            return self.meant_whole_call(call, &ty);
        }
        let lambda = args.iter().find_map(|arg| match self.program.expr(*arg) {
            Expr::Lambda { params, .. } if params.len() > 1 => Some((*arg, params.len())),
            Expr::Global(_) => Some((*arg, self.operand_type(*arg)?.uncurry().0.len())).filter(|(_, takes)| *takes > 1),
            _ => None,
        });
        let (lambda, given) = lambda?;
        if self.program.primitive_at(*callee)?.id == PrimitiveId::Generate {
            return Some(Intent::advice(Guess::OneIndex));
        }
        let (primitive, lambda) = (self.program.short(*callee), self.program.short(lambda));
        Some(Intent::advice(Guess::FewerParameters { lambda, given, primitive }))
    }

    /// How many levels of arrays an argument has.
    fn levels(&self, e: ExprId) -> usize {
        let mut levels = 0;
        let mut ty = self.type_of_operand(e);
        while let Some(element) = ty.as_ref().and_then(|ty| ty.as_array()).map(|array| array.element.clone()) {
            levels += 1;
            ty = Some(self.table.zonk(&element));
        }
        levels
    }

    /// The type of an argument, which for a name is known before the argument is checked.
    pub fn type_of_operand(&self, e: ExprId) -> Option<Ty> {
        let ty = match self.program.expr(e) {
            Expr::Local(b) => self.binders.ty(*b)?.clone(),
            _ => self.operand_type(e)?,
        };
        Some(self.table.zonk(&ty))
    }
}

/// The definition of the prelude that combines all elements of an array by an operator.
fn of_all_elements(operator: PrimitiveId) -> Option<&'static str> {
    match operator {
        PrimitiveId::Max => Some("maximum"),
        PrimitiveId::Min => Some("minimum"),
        PrimitiveId::Add => Some("sum"),
        PrimitiveId::Mul => Some("product"),
        _ => None,
    }
}
