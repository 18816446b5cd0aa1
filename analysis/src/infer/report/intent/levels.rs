//! Guesses what was meant where an array is given in place of its elements, or of a function of an index: `(map (* 2) rows)`,
//! `(aref xs indices)`, `(gather indices xs)`.

use crate::diagnostics::notes::Guess;
use crate::diagnostics::{Edit, Title};
use crate::hir::*;
use crate::infer::cause::Cause;
use crate::infer::report::intent::{Intent, wrapped};
use crate::infer::results::Results;
use crate::infer::walk::order::{is_order, is_test};
use crate::prims::{self, PrimitiveId};
use crate::ty::{Class, Ty, TyKind};

impl Results<'_> {
    /// An array of what the last parameter takes: suggests a `map` of the call without it.
    pub fn meant_each(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, arg, .. } = cause else { return None };
        let is_last = self.program.arguments(*apply).last() == Some(arg);
        (is_last && may_be(expected?, &actual.as_array()?.element)).then(|| self.map_of_call(*apply))?
    }

    /// Functions of elements where functions of the array are taken: `(iterateWhile (< 9) (+ 1) xs)`.
    pub fn meant_each_state(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, .. } = cause else { return None };
        let (wanted, given) = (expected?.uncurry().0, actual.uncurry().0);
        let ([wanted], [given]) = (&wanted[..], &given[..]) else { return None };
        let last = self.operand_type(*self.program.arguments(*apply).last()?)?;
        let is_of_element = may_be(given, &wanted.as_array()?.element) && may_be(wanted, &self.table.zonk(&last));
        is_of_element.then(|| self.map_of_call(*apply))?
    }

    /// Suggests a `map` of a call without its last argument, which is an array of what it takes.
    fn map_of_call(&self, apply: ExprId) -> Option<Intent> {
        let Expr::Apply { callee, args } = self.program.expr(apply) else { return None };
        let (Expr::Global(name), (&last, before)) = (self.program.expr(*callee), args.split_last()?) else {
            return None;
        };
        if self.program.parameters(name)? != args.len() {
            return None;
        }
        let map = prims::named(PrimitiveId::Map);
        let given: String = before.iter().map(|arg| format!(" {}", self.program.short(*arg))).collect();
        let array = self.program.short(last);
        let (written, edits) = match before.last() {
            None => {
                (format!("({map} {name} {array})"), vec![Edit::InsertBefore(Node::Expr(*callee), format!("{map} "))])
            }
            Some(before) => {
                let edits = vec![
                    Edit::InsertBefore(Node::Expr(*callee), format!("{map} (")),
                    Edit::InsertAfter(Node::Expr(*before), ")".into()),
                ];
                (format!("({map} ({name}{given}) {array})"), edits)
            }
        };
        Some(Intent::new(Guess::EachElement(written.clone()), Title::Write(written), edits))
    }

    /// `(any truths)`: a test is missing before truth values, which are their own test. `at` is the argument after it.
    pub fn meant_truth_values(&self, callee: ExprId, args: &[ExprId], at: ExprId) -> Intent {
        let own = prims::named(PrimitiveId::Identity);
        let given: String = (args.iter())
            .map(|arg| {
                format!(" {}{}", if *arg == at { format!("{own} ") } else { String::new() }, self.program.short(*arg))
            })
            .collect();
        let written = format!("({}{given})", self.program.short(callee));
        let edits = vec![Edit::InsertBefore(Node::Expr(at), format!("{own} "))];
        Intent::new(Guess::Write(written.clone()), Title::Write(written), edits)
    }

    /// A function of elements where an array is taken beside an array of such elements, as in `(groupBy 3 (lambda (x) …) xs)`.
    pub fn meant_of_each(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, arg, .. } = cause else { return None };
        let wanted = &expected?.as_array()?.element;
        let (params, result) = actual.uncurry();
        let [param] = params[..] else { return None };
        let array = self.array_beside(*apply, *arg, param)?;
        if !may_be(wanted, result) {
            return None;
        }
        let map = prims::named(PrimitiveId::Map);
        let written = format!("({map} {} {})", self.program.short(*arg), self.program.short(array));
        let at = Node::Expr(*arg);
        let copy = |before: String, of: ExprId, after: &str| Edit::CopyBefore {
            at,
            before,
            of: Node::Expr(of),
            after: after.to_owned(),
        };
        let edits = vec![
            copy(format!("({map} "), *arg, " "),
            copy(String::new(), array, ")"),
            Edit::Replace(at, String::new()),
        ];
        Some(Intent::new(Guess::EachElement(written.clone()), Title::Write(written), edits))
    }

    /// `(take (< 3) xs)`: a test of elements where a number of them is taken.
    pub fn meant_filter(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, arg, .. } = cause else { return None };
        let (true, Some(Scalar::Int)) = (is_test(actual), expected?.as_scalar()) else { return None };
        let array = self.array_beside(*apply, *arg, actual.uncurry().0.first()?)?;
        let filter = prims::named(PrimitiveId::Filter);
        let written = format!("({filter} {} {})", self.program.short(*arg), self.program.short(array));
        Some(Intent::advice(Guess::KeepsElements(written)))
    }

    /// Another argument of a call that is an array of such elements.
    fn array_beside(&self, apply: ExprId, arg: ExprId, element: &Ty) -> Option<ExprId> {
        let is_of_such = |e: &ExprId| {
            let ty = self.type_of_operand(*e);
            *e != arg && ty.is_some_and(|ty| ty.as_array().is_some_and(|array| may_be(element, &array.element)))
        };
        self.program.arguments(apply).iter().copied().find(is_of_such)
    }

    /// `(count 3 xs)`: a number where a test of a value is taken.
    pub fn meant_test(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { arg, .. } = cause else { return None };
        let is_number = actual.as_scalar().is_some_and(Scalar::is_number);
        if !is_number || !expected.is_some_and(is_test) {
            return None;
        }
        let before = format!("({} ", prims::named(PrimitiveId::Equal));
        let written = format!("{before}{})", self.program.short(*arg));
        Some(Intent::new(Guess::Tests(written.clone()), Title::Write(written), wrapped(*arg, &before, ")")))
    }

    /// An array where a function of an index is taken.
    pub fn meant_index(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, callee, arg, .. } = cause else { return None };
        let (params, result) = expected?.uncurry();
        let [index] = params[..] else { return None };
        let element = &actual.as_array()?.element;
        if index.as_scalar() != Some(Scalar::Int) {
            return None;
        }
        let aref = prims::named(PrimitiveId::Aref);
        let before = format!("({aref} ");
        if may_be(result, element) {
            let written = format!("{before}{})", self.program.short(*arg));
            return Some(Intent::new(
                Guess::OfIndex(written.clone()),
                Title::Write(written),
                wrapped(*arg, &before, ")"),
            ));
        }
        // `(gather xs indices)`
        let &[array, indices] = self.program.arguments(*apply) else { return None };
        let are_indices = self.type_of_operand(indices)?.as_array()?.element.as_scalar() == Some(Scalar::Int);
        let map = prims::named(PrimitiveId::Map);
        let written = format!("({map} {before}{}) {})", self.program.short(array), self.program.short(indices));
        let mut edits = wrapped(array, &before, ")");
        edits.push(Edit::Replace(Node::Expr(*callee), map.into()));
        are_indices.then(|| Intent::new(Guess::EachElement(written.clone()), Title::Write(written), edits))
    }

    /// A function of numbers that is given arrays, `(map sqrt rows)` or `(sum rows)`, numbers of another type, or more or fewer
    /// values than it takes. `actual` is the type of the argument at fault.
    pub fn meant_function(&self, class: Class, given: &Ty, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, callee, index, arg } = cause else { return None };
        if let Expr::Lambda { params, .. } = self.program.expr(*arg) {
            let callee = self.operand_type(*callee)?;
            let wanted = self.table.zonk(callee.uncurry().0.get(*index)?);
            return self.meant_pattern_of(params, Some(&wanted), wanted.uncurry().0.len());
        }
        if let Some(array) = actual.as_array() {
            let args = self.program.arguments(*apply);
            if array.element == *given && given.as_array().is_some() && args.len() == 1 && *index == 0 {
                return self.map_of_call(*apply);
            }
            let is_number = given.as_scalar().is_some_and(Scalar::is_number);
            if class == Class::Floating && array.element == *given && is_number && args.last() == Some(arg) {
                let before = format!("({} {} ", prims::named(PrimitiveId::Map), Scalar::Float.conversion()?);
                let written = format!("{before}{})", self.program.short(*arg));
                let edits = wrapped(*arg, &before, ")");
                return Some(Intent::new(Guess::Converts(written.clone()), Title::Write(written), edits));
            }
        }
        let is_function = |e: &ExprId| match self.program.expr(*e) {
            Expr::Global(name) => Some((*e, self.program.parameters(name).filter(|count| *count > 0)?)),
            _ => None,
        };
        let args = self.program.arguments(*apply);
        let (function, takes) = args.iter().find_map(is_function)?;
        let name = self.program.short(function);
        match given.kind() {
            TyKind::Array(_) => {
                let each = match takes {
                    1 => "map",
                    2 => "zipWith",
                    _ => return None,
                };
                let written = format!("({each} {name})");
                let edits = wrapped(function, &format!("({each} "), ")");
                Some(Intent::new(Guess::EachElement(written.clone()), Title::Write(written), edits))
            }
            TyKind::Tuple(parts) => {
                let index = args.iter().position(|arg| *arg == function)?;
                let wanted = self.operand_type(*callee)?;
                let wanted = self.table.zonk(wanted.uncurry().0.get(index)?);
                if is_order(&wanted) {
                    return Some(Intent::advice(Guess::OrdersByKey));
                }
                // A function of two values that is given pairs.
                let declared = self.program.primitive_at(*callee)?.scheme.ty.uncurry().0.get(index)?.uncurry().0.len();
                let is_of_pairs = declared == 1 && takes == 2 && parts.len() == 2;
                let written = format!("(uncurry {name})");
                let edits = wrapped(function, "(uncurry ", ")");
                is_of_pairs.then(|| Intent::new(Guess::TakesPairs(written.clone()), Title::Write(written), edits))
            }
            TyKind::Fun(..) => {
                let index = args.iter().position(|arg| *arg == function)?;
                let wanted = self.operand_type(*callee)?;
                let gives = self.table.zonk(wanted.uncurry().0.get(index)?).uncurry().0.len();
                let callee = self.program.short(*callee);
                let guess = Guess::OtherParameters { lambda: name, takes, given: gives, callee };
                (gives != takes).then(|| Intent::advice(guess))
            }
            _ => None,
        }
    }
}

/// Whether a value may be of the wanted type: lengths and inference variables may be anything.
fn may_be(wanted: &Ty, given: &Ty) -> bool {
    match (wanted.kind(), given.kind()) {
        (TyKind::Unknown(_), _) | (_, TyKind::Unknown(_)) => true,
        (TyKind::Array(a), TyKind::Array(b)) => may_be(&a.element, &b.element),
        (TyKind::Tuple(a), TyKind::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| may_be(a, b)),
        _ => wanted == given,
    }
}
