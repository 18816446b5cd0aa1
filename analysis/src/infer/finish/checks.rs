//! Checks that need all types.

use crate::diagnostics::{Diagnostic, Edit, Problem, Title};
use crate::hir::*;
use crate::infer::Lookup;
use crate::infer::result::*;
use crate::infer::results::Results;
use crate::infer::walk::types::wrong_width;
use crate::prims::{Neutral, Special};
use crate::size::{Truth, VarKind};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Results<'_> {
    /// The size names of a definition that its type does not determine; uses infer them from it.
    pub fn undetermined_sizes(&self, ty: &Ty) -> Vec<Diagnostic> {
        let body = self.program.body();
        if body.size_params.is_empty() || self.is_broken() {
            return Vec::new();
        }
        let ty = self.table.zonk(ty);
        let occurs = |b: BinderId| ty.any_size_var(&mut |v| v.kind == VarKind::Param && v.id == b.0);
        let wrong = body.size_params.iter().filter(|b| !occurs(**b));
        let problem = |b: BinderId| Problem::UndeterminedSize { name: body.binder(b).name.clone(), ty: ty.clone() };
        wrong.map(|b| Diagnostic::new(Node::Binder(*b), &problem(*b))).collect()
    }

    /// The literals that determine the types of a definition's parameters, or of a definition that is a literal. For a parameter of any numeric type, it is the
    /// first literal of its type that a call has beside a value.
    pub fn literals_of_parameters(&self) -> Vec<(usize, Arc<str>)> {
        let body = self.program.body();
        let root = body.root.map(|root| self.program.expr(root));
        if let (Some(Expr::Literal(literal)), Some(root)) = (root, body.root)
            && literal.scalar().is_number()
        {
            return vec![(0, self.program.short(root).into())];
        }
        let Some(Expr::Lambda { params, .. }) = root else { return Vec::new() };
        let calls = || {
            body.exprs.iter().filter_map(|e| match e {
                Expr::Apply { callee, args } if args.len() > 1 => Some((*callee, args)),
                _ => None,
            })
        };
        let takes_this_type = |(callee, args): (ExprId, &Vec<ExprId>), param: BinderId| {
            let Expr::Global(name) = self.program.expr(callee) else { return false };
            let ty = match self.program.lookup(name) {
                Lookup::Primitive(p) => p.scheme.ty.clone(),
                Lookup::Definition(scheme) => scheme.ty,
                _ => return false,
            };
            let scalar =
                |(arg, ty): (&ExprId, &Ty)| *self.program.expr(*arg) == Expr::Local(param) && ty.as_scalar().is_some();
            args.iter().zip(ty.uncurry().0).any(scalar)
        };
        let literal = |(index, param): (usize, &BinderId)| {
            let decided = self.table.zonk(self.binders.ty(*param)?).as_scalar().filter(|scalar| scalar.is_number())?;
            if body.binder(*param).ty.is_some() || calls().any(|call| takes_this_type(call, *param)) {
                return None;
            }
            let of_type = |e: &ExprId| matches!(self.program.expr(*e), Expr::Literal(l) if l.scalar() == decided);
            let is_value = |e: &ExprId| !matches!(self.program.expr(*e), Expr::Literal(_));
            let beside = |(_, args): (ExprId, &Vec<ExprId>)| {
                args.iter().any(is_value).then(|| args.iter().copied().find(of_type)).flatten()
            };
            Some((index, self.program.short(calls().find_map(beside)?).into()))
        };
        params.iter().enumerate().filter_map(literal).collect()
    }

    /// The parameters that a definition gives to folds in any order as their start and their function; and warnings about starts
    /// that are written and not neutral.
    pub fn starts_of_folds(&self) -> (Vec<(usize, usize)>, Vec<Diagnostic>) {
        let body = self.program.body();
        let params: &[BinderId] = match body.root.map(|root| self.program.expr(root)) {
            Some(Expr::Lambda { params, .. }) => params,
            _ => &[],
        };
        let parameter = |e: ExprId| match self.program.expr(e) {
            Expr::Local(b) => params.iter().position(|param| param == b),
            _ => None,
        };
        let (mut folds, mut wrong) = (Vec::new(), Vec::new());
        for e in &body.exprs {
            let Expr::Apply { callee, args } = e else { continue };
            for (start, function) in self.folds_of(*callee) {
                let (Some(&start), Some(&function)) = (args.get(start), args.get(function)) else { continue };
                folds.extend(parameter(start).zip(parameter(function)));
                wrong.extend(self.starts_not_neutral(*callee, start, function));
            }
        }
        (folds, wrong)
    }

    /// The arguments that a callee takes as the start and the function of a fold in any order.
    fn folds_of(&self, callee: ExprId) -> Vec<(usize, usize)> {
        let Expr::Global(name) = self.program.expr(callee) else { return Vec::new() };
        match self.program.lookup(name) {
            Lookup::Primitive(primitive) if primitive.folds_in_any_order() => {
                let is_function = |ty: &&Ty| matches!(ty.kind(), TyKind::Fun(..));
                let function = primitive.scheme.ty.uncurry().0.iter().position(is_function);
                function.and_then(|function| Some((function.checked_sub(1)?, function))).into_iter().collect()
            }
            Lookup::Definition(scheme) => scheme.folds,
            _ => Vec::new(),
        }
    }

    /// Warnings about a start that is not neutral for an operator, or has components that are not for those of a function that
    /// combines tuples component by component.
    fn starts_not_neutral(&self, callee: ExprId, start: ExprId, function: ExprId) -> Vec<Diagnostic> {
        let mut wrong = Vec::new();
        let lambda = match self.program.expr(function) {
            Expr::Lambda { params, body } => <[BinderId; 2]>::try_from(&**params).ok().zip(Some(*body)),
            _ => None,
        };
        match (lambda, self.program.operator_at(function)) {
            (_, Some(operator)) => wrong.extend(self.start_not_neutral(callee, start, operator)),
            (Some((params, body)), None) => {
                let mut open = vec![(start, self.result_of(body), Vec::new())];
                while let Some((start, value, path)) = open.pop() {
                    match (self.program.expr(start), self.program.expr(value)) {
                        (Expr::Tuple(starts), Expr::Tuple(values)) if starts.len() == values.len() => {
                            let inside = starts.iter().zip(values).enumerate().rev();
                            let at = |index| path.iter().copied().chain([index]).collect();
                            open.extend(
                                inside.map(|(index, (start, value))| (*start, self.result_of(*value), at(index))),
                            );
                        }
                        (_, Expr::Apply { callee: operator, args }) => {
                            let of: Vec<_> = args.iter().filter_map(|arg| self.component_of(*arg)).collect();
                            let both = params.map(|param| (param, path.clone()));
                            if args.len() == 2 && both.iter().all(|part| of.contains(part)) {
                                wrong.extend(self.start_not_neutral(callee, start, *operator));
                            }
                        }
                        _ => {}
                    }
                }
            }
            (None, None) => {}
        }
        wrong
    }

    /// The variable of which an expression is a component, and the indices of the component from the outermost tuple on.
    fn component_of(&self, e: ExprId) -> Option<(BinderId, Vec<usize>)> {
        let (mut e, mut path) = (e, Vec::new());
        loop {
            let of = match self.program.expr(e) {
                Expr::Local(b) => *b,
                Expr::Component { of, index, .. } => {
                    path.push(*index);
                    *of
                }
                Expr::Apply { callee, args } => match (self.program.primitive_at(*callee)?.special, args.as_slice()) {
                    (Some(Special::Get(index)), [of]) => {
                        path.push(index);
                        e = *of;
                        continue;
                    }
                    _ => return None,
                },
                _ => return None,
            };
            match self.program.value_of(of) {
                Some(value) => e = value,
                None => {
                    path.reverse();
                    return Some((of, path));
                }
            }
        }
    }

    fn start_not_neutral(&self, callee: ExprId, start: ExprId, operator: ExprId) -> Option<Diagnostic> {
        let Expr::Literal(literal) = self.program.expr(start) else { return None };
        let neutral = match self.program.primitive_at(operator)?.id.neutral()? {
            Neutral::Bool(value) => value.to_string(),
            Neutral::Number(number) => literal.scalar().written(number.into())?,
        };
        let written = literal.to_string();
        let is_zero = neutral.starts_with('0') && written.strip_prefix('-') == Some(&*neutral);
        if written == neutral || is_zero {
            return None;
        }
        let short = |e| self.program.short(e);
        let fix =
            Title::StartFromNeutral(neutral.clone()).proposed(vec![Edit::Replace(Node::Expr(start), neutral.clone())]);
        let problem =
            Problem::NotNeutral { callee: short(callee), start: short(start), operator: short(operator), neutral };
        Some(Diagnostic::new(Node::Expr(start), &problem).fix(fix))
    }

    /// The parameters and the result of a kernel that are functions instead of data.
    pub fn functions_of_kernel(&self) -> Vec<Diagnostic> {
        let mut wrong = Vec::new();
        let root = self.program.body().root.map(|root| self.program.expr(root));
        let Some(Expr::Lambda { params, body }) = root else { return wrong };
        let is_function = |ty: &Ty| ty.any(&mut |part| matches!(part.kind(), TyKind::Fun(..)));
        for (param, at) in params.iter().zip(&self.program.body().param_types) {
            let Some(ty) = self.binders.ty(*param).map(|ty| self.table.zonk(ty)) else { continue };
            if is_function(&ty) {
                wrong.push(Diagnostic::new(Node::Type(*at), &Problem::KernelTakesFunction { ty }));
            }
        }
        let Some(ty) = self.found.ty(*body).map(|ty| self.table.zonk(ty)) else { return wrong };
        if is_function(&ty) {
            let meant = self.meant_whole_call(*body, &ty).or_else(|| self.meant_fewer_parameters(*body));
            let d = Diagnostic::new(Node::Expr(*body), &Problem::KernelReturnsFunction { ty });
            wrong.push(match meant {
                Some(meant) => meant.add_to(d),
                None => d,
            });
        }
        wrong
    }

    /// The assumptions that are not known to hold, and diagnostics for those that never hold.
    pub fn open_assumptions(&self) -> (Vec<Assumed>, Vec<Diagnostic>) {
        let (mut kept, mut wrong): (Vec<Assumed>, Vec<Diagnostic>) = Default::default();
        let mut seen = FxHashSet::default();
        for a in self.found.assumed() {
            match self.table.facts_about(&a.assumption.vars()).proves(&a.assumption) {
                Truth::Yes => {}
                Truth::No => wrong.push(self.false_assumption(a)),
                // With few index values, some cases may be provable.
                Truth::Unknown => {
                    for assumption in self.table.facts().left_of(a.assumption.clone()).at_few_positions() {
                        match self.table.facts_about(&assumption.vars()).proves(&assumption) {
                            Truth::Yes => {}
                            Truth::No => wrong.push(self.false_assumption(a)),
                            Truth::Unknown if !seen.insert(assumption.clone()) => {}
                            Truth::Unknown => kept.push(Assumed { assumption, ..a.clone() }),
                        }
                    }
                }
            }
        }
        (kept, wrong)
    }

    fn false_assumption(&self, a: &Assumed) -> Diagnostic {
        let problem = Problem::AssumptionFalse { call: self.program.short(a.at), assumption: a.assumption.clone() };
        let d = Diagnostic::new(Node::Expr(a.at), &problem);
        match self.without_remainder(a.at).filter(|_| a.assumption.is_division()) {
            Some(fix) => d.fix(fix),
            None => d,
        }
    }

    /// The first expression with an invalid inferred vector width.
    pub fn vector_widths(&self) -> Option<Diagnostic> {
        let mut wrong = None;
        for (e, ty) in self.found.so_far().expr_types.entries() {
            ty.any(&mut |t| {
                if let TyKind::Vec(_, width) = t.kind() {
                    wrong = wrong_width(width, Node::Expr(e));
                }
                wrong.is_some()
            });
            if wrong.is_some() {
                break;
            }
        }
        wrong
    }
}
