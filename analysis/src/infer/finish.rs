//! The end of an inference: defaults, the form's scheme, and final versions of all recorded types.
//!
//! | module | job |
//! |---|---|
//! | `renumber` | the final numbers of quantified variables |
//! | `complete` | the result without inference variables |
//! | `checks` | what can be checked only when all types are known |

mod checks;
mod complete;
mod renumber;

use super::context::Infer;
use super::result::*;
use crate::diagnostics::problem::Counts;
use crate::diagnostics::{Diagnostic, Edit, Problem, Severity, Title};
use crate::hir::*;
use crate::infer::walk::generalize::Quantified;
use crate::prims::{PrimitiveId, Special};
use crate::size::{Assumption, Size, Truth, Var, VarKind, work};
use crate::ty::{Scheme, Ty};
use renumber::{Renumber, canonical};
use rustc_hash::FxHashSet;

impl Infer<'_> {
    pub fn finish(mut self, root: Option<Ty>) -> Inference {
        self.settle(0, 0);
        // A partial type would cause more errors in users of the definition.
        let root = root.map(|ty| if self.budget.is_closed() { Ty::error() } else { ty });
        let body = self.program.body();
        let quantified = root.as_ref().filter(|_| !self.program.is_kernel()).map(|ty| self.quantify_form(ty));
        let quantified = quantified.unwrap_or_default();
        if self.program.is_kernel() && !self.results().is_broken() {
            let wrong = self.results().functions_of_kernel();
            self.found.diagnostics(wrong);
        }
        self.settle_rest();
        let constants = self.open_constants(&quantified.sizes);
        let guards = self.results().guards_of_lengths();
        self.found.add_fixes(guards);
        if work::exhausted() {
            self.too_large_to_check();
        }
        if self.budget.is_closed() {
            // Users of the form must not get a part of its assumptions.
            self.found.set_assumed(Vec::new());
        }

        // The quantified lengths of the form: its declared or implicit size names, then the inferred ones.
        let implicit = body.size_params.iter().enumerate();
        let implicit = implicit.map(|(i, b)| (i as u32, body.binder(*b).name.clone()));
        let implicit = implicit.map(|(id, name)| Var { kind: VarKind::Generic, id, name });
        let sizes: Vec<Var> = implicit.chain(quantified.sizes.iter().cloned()).collect();
        let in_scheme = Renumber {
            types: quantified.classes.len() as u32,
            sizes: sizes.len() as u32,
            params: body.size_params.clone(),
        };
        // The size names of a kernel stay as they are; others become quantified.
        let params = if self.program.is_kernel() { Vec::new() } else { body.size_params.clone() };
        let ty = root.map(|ty| in_scheme.ty(&self.table.zonk(&ty)));
        let mut complete = self.results().complete(&Renumber { params, ..in_scheme.clone() });
        complete.scheme_positions = ty.as_ref().map_or_else(Vec::new, Ty::positions);
        self.found.complete(complete);

        let (assumed, wrong) = self.results().open_assumptions();
        self.found.set_assumed(assumed);
        self.found.diagnostics(wrong);
        let wrong = self.results().vector_widths();
        self.found.diagnostics(wrong);
        let (folds, wrong) = self.results().starts_of_folds();
        self.found.diagnostics(wrong);
        let (natural, literals) = match self.program.is_kernel() {
            true => (None, Vec::new()),
            false => (self.named_natural(), self.results().literals_of_parameters()),
        };
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        let faulty = self.found.so_far().diagnostics.iter().chain(&body.diagnostics).any(is_error);
        let scheme = ty.map(|ty| {
            let (types, dependence) = (quantified.classes, quantified.dependence);
            let assumptions = assumptions_about(&sizes, self.found.assumed(), &in_scheme);
            let constants = constants.iter().map(|size| in_scheme.size(size)).collect();
            canonical(Scheme { types, sizes, ty, assumptions, constants, dependence, natural, literals, folds, faulty })
        });
        self.found.set_scheme(scheme);
        let lengths = self.results().length_origins();
        self.found.set_lengths(lengths);
        // Report a type that was replaced by an error because of its size, wherever that happened.
        self.over_budget();
        self.found.into_inference(&body.diagnostics)
    }

    /// Quantifies the type of a definition.
    fn quantify_form(&mut self, ty: &Ty) -> Quantified {
        let implicit = &self.program.body().size_params;
        let taken: Vec<Name> = implicit.iter().map(|b| self.program.body().binder(*b).name.clone()).collect();
        let mut quantified = self.quantify(ty, 0, 0, implicit.len() as u32, &taken);
        let wrong = self.results().undetermined_sizes(ty);
        self.found.diagnostics(wrong);
        // The form's size names do not depend on any index variable.
        quantified.dependence.sizes.splice(0..0, implicit.iter().map(|_| Vec::new()));
        self.solve();
        quantified
    }

    /// Defaults everything that is still open, then makes the assumptions where they are checked.
    fn settle_rest(&mut self) {
        self.default_rest();
        self.settle(0, 0);
        self.default_rest();
        let all = self.found.take_assumed();
        let all = all.into_iter().map(|a| self.where_computed(a.assumption, a.at)).collect();
        self.indices_outside();
        self.negative_numbers();
        // Reading the conditions has repeated what they assume.
        self.found.set_assumed(all);
        self.assume_in_each_round();
    }
}

impl Infer<'_> {
    /// Warns about indices that are outside of their array whatever the sizes are.
    fn indices_outside(&mut self) {
        if self.results().is_broken() {
            return;
        }
        let body = self.program.body();
        for (at, e) in body.exprs.entries() {
            let Expr::Apply { callee, args } = e else { continue };
            let (&[array, index, ..], Some(PrimitiveId::Aref)) =
                (args.as_slice(), self.program.primitive_at(*callee).map(|p| p.id))
            else {
                continue;
            };
            let ty = self.results().operand_type(array);
            let Some(len) = ty.as_ref().and_then(Ty::as_array).map(|a| a.len.clone()) else { continue };
            let is_negative = matches!(body.expr(index), Expr::Literal(l) if l.integer().is_some_and(|n| n < 0));
            let is_outside = is_negative
                || self.named_size(index).is_some_and(|size| {
                    let after = self.table.zonk_size(&size).add(&Size::one());
                    let inside = Assumption::AtMost(after, len.clone());
                    let here = self.where_computed(inside.clone(), at).assumption;
                    let facts = self.table.facts_about(&here.vars());
                    // What no branch computes does not stop the run.
                    facts.proves(&inside) == Truth::No && facts.proves(&here) != Truth::Yes
                });
            if is_outside {
                let index_text = self.program.short(index);
                self.error(Node::Expr(index), &Problem::IndexOutside { index: index_text, len, is_negative });
            }
        }
    }
}

impl Infer<'_> {
    /// Warns about numbers of elements that are written below 0.
    fn negative_numbers(&mut self) {
        if self.results().is_broken() {
            return;
        }
        let body = self.program.body();
        let below = |e: ExprId| match body.expr(e) {
            Expr::Literal(literal) => literal.integer().filter(|n| *n < 0),
            _ => None,
        };
        for (_, e) in body.exprs.entries() {
            let Expr::Apply { callee, args } = e else { continue };
            let Some(primitive) = self.program.primitive_at(*callee) else { continue };
            let cuts = match primitive.special {
                Some(Special::Cut) => true,
                Some(Special::Sized | Special::Generate) => false,
                _ => continue,
            };
            let (numbers, rest) = args.split_at(primitive.static_sizes.len().min(args.len()));
            for (nth, &at) in numbers.iter().enumerate() {
                let Some(number) = below(at) else { continue };
                let counts = match (cuts, nth) {
                    (false, _) => Counts::Made,
                    (true, 0) => Counts::Place,
                    (true, _) => Counts::Length,
                };
                // The length of a part ends before the elements that the number counts.
                let before = numbers[..nth].iter().map(|&e| match body.expr(e) {
                    Expr::Literal(literal) => literal.integer().filter(|n| *n >= 0),
                    _ => None,
                });
                let left_out = before.sum::<Option<i128>>().map(|before| before - number);
                let meant = match rest.first().map(|array| body.expr(*array)) {
                    Some(Expr::Local(_)) if cuts => {
                        left_out.map(|n| format!("(- (length {}) {n})", self.program.short(rest[0])))
                    }
                    _ => None,
                };
                let callee = self.program.short(*callee);
                let problem =
                    Problem::NegativeNumber { callee, number: self.program.short(at), counts, meant: meant.clone() };
                let d = Diagnostic::new(Node::Expr(at), &problem);
                self.found.diagnostic(match meant {
                    Some(meant) => {
                        let edits = vec![Edit::Replace(Node::Expr(at), meant.clone())];
                        d.fix(Title::Write(meant).proposed(edits))
                    }
                    None => d,
                });
            }
        }
    }
}

/// The assumptions about the quantified lengths `sizes` alone, which each use of the definition makes.
fn assumptions_about(sizes: &[Var], assumed: &[Assumed], in_scheme: &Renumber) -> Vec<Assumption> {
    let of_form: FxHashSet<&Var> = sizes.iter().collect();
    let own = |a: &Assumption| a.vars().iter().all(|v| of_form.contains(v)) && !a.vars().is_empty();
    let all = assumed.iter().filter(|a| a.branch.is_none());
    let all = all.map(|a| a.assumption.subst(&mut |v| in_scheme.var(v)));
    let mut seen = FxHashSet::default();
    all.filter(|a| own(a) && seen.insert(a.clone())).collect()
}
