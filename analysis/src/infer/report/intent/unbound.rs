//! Guesses what was meant by an expression of names that nothing binds where a function is taken: `(filter (> x 3) xs)`.

use crate::diagnostics::{Diagnostic, Problem, Title};
use crate::foreign;
use crate::hir::*;
use crate::infer::Lookup;
use crate::infer::meant::UnboundBody;
use crate::infer::report::intent::{Intent, wrapped};
use crate::infer::results::Results;
use lift_syntax::FOLDED_OPERATORS;

impl Results<'_> {
    /// Takes the names that nothing binds in `arg` for the parameters of a function of `params` arguments, if `arg` is a value
    /// and there are as many of them.
    pub fn meant_as_body(&self, arg: ExprId, params: usize) -> Option<UnboundBody> {
        if !self.is_value(arg) {
            return None;
        }
        let (mut names, mut uses): (Vec<&Name>, Vec<ExprId>) = (Vec::new(), Vec::new());
        let mut inside = vec![arg];
        while let Some(e) = inside.pop() {
            inside.extend(self.program.expr(e).children().into_iter().rev());
            let Expr::Global(name) = self.program.expr(e) else { continue };
            if !matches!(self.program.lookup(name), Lookup::Unknown { .. }) {
                continue;
            }
            if foreign::word(name).is_some() || self.meant_by_foreign_name(e, name).is_some() {
                return None;
            }
            if e == arg || self.is_callee(e) {
                return None;
            }
            uses.push(e);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.is_empty() || names.len() != params {
            return None;
        }
        let listed: Vec<&str> = names.iter().map(|name| &***name).collect();
        let before = format!("(lambda ({}) ", listed.join(" "));
        let written = format!("{before}{})", self.program.short(arg));
        Some(UnboundBody { uses, before, written })
    }

    /// Diagnoses an expression of unbound names where a function is taken.
    pub fn unbound_body(&self, body: ExprId, meant: &UnboundBody) -> Option<Diagnostic> {
        let first = *meant.uses.first()?;
        let Expr::Global(name) = self.program.expr(first) else { return None };
        let diagnostic = Diagnostic::new(Node::Expr(first), &Problem::UnknownName { name: name.clone() });
        let edits = wrapped(body, &meant.before, ")");
        Some(Intent::new(meant.guess(), Title::Write(meant.written.clone()), edits).add_to(diagnostic))
    }

    fn is_callee(&self, e: ExprId) -> bool {
        self.program.body().exprs.iter().any(|of| matches!(of, Expr::Apply { callee, .. } if *callee == e))
    }

    /// Whether an expression surely gives no function: its calls have all their arguments.
    fn is_value(&self, e: ExprId) -> bool {
        match self.program.expr(e) {
            Expr::Literal(_) | Expr::Tuple(_) => true,
            Expr::If { then, otherwise, .. } => self.is_value(*then) || self.is_value(*otherwise),
            Expr::Let { body, .. } => self.is_value(*body),
            Expr::Apply { callee, args } => match self.program.expr(*callee) {
                Expr::Global(name) if FOLDED_OPERATORS.contains(&&**name) => args.len() >= 2,
                Expr::Global(name) => self.program.parameters(name).is_some_and(|takes| args.len() >= takes),
                _ => false,
            },
            _ => false,
        }
    }
}
