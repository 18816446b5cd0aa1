//! Guesses what was meant by a mistake: a clause for the message and, where possible, a quick fix.
//!
//! Each rule looks at the types and the shape of one call. The edits are proposals: [`crate::ide`] validates them and
//! offers only those with which the form checks.
//!
//! | module | job |
//! |---|---|
//! | `elementwise` | functions of numbers applied to arrays or pairs: what was meant |
//! | `levels` | arrays where their elements are taken, or where a function of an index is |
//! | `orders` | functions that compare two elements |
//! | `surplus` | more arguments than a function takes |
//! | `foreign_names` | names of other languages: what was meant |
//! | `unbound` | an expression of unbound names in place of a function |

mod elementwise;
mod foreign_names;
mod levels;
mod orders;
mod surplus;
mod unbound;

use crate::diagnostics::notes::Guess;
use crate::diagnostics::{Diagnostic, Edit, Fix, Note, Problem, Title};
use crate::foreign::{self, Foreign};
use crate::hir::*;
use crate::infer::Lookup;
use crate::infer::cause::Cause;
use crate::infer::meant::Ordered;
use crate::infer::results::Results;
use crate::infer::walk::order;
use crate::prims::{self, Neutral, PrimitiveId};
use crate::ty::{ArrayTy, Ty, TyKind};

/// A guess at what was meant.
pub struct Intent {
    /// Follows the message.
    guess: Guess,
    fix: Option<Fix>,
}

impl Intent {
    pub fn new(guess: Guess, title: Title, edits: Vec<Edit>) -> Intent {
        Intent { guess, fix: Some(title.proposed(edits)) }
    }

    pub fn advice(guess: Guess) -> Intent {
        Intent { guess, fix: None }
    }

    pub fn add_to(self, d: Diagnostic) -> Diagnostic {
        let mut d = d.guess(&self.guess);
        d.fixes.extend(self.fix);
        d
    }
}

fn wrapped(at: ExprId, before: &str, after: &str) -> Vec<Edit> {
    vec![Edit::InsertBefore(Node::Expr(at), before.into()), Edit::InsertAfter(Node::Expr(at), after.into())]
}

impl Cause {
    /// The expression with the second of the two conflicting types.
    fn actual(&self) -> Option<ExprId> {
        match self {
            Cause::Argument { arg, .. } => Some(*arg),
            Cause::Branches { otherwise, .. } => Some(*otherwise),
            Cause::Condition(e) => Some(*e),
            _ => None,
        }
    }
}

impl Results<'_> {
    /// Guesses what was meant where a value of type `actual` meets another expected type (`None`: some number).
    /// `expected_at` is the expression that determined the expected type.
    pub fn meant_by_value(
        &self,
        expected: Option<&Ty>,
        actual: &Ty,
        expected_at: Option<ExprId>,
        cause: &Cause,
    ) -> Option<Intent> {
        let arg = cause.actual()?;
        if expected.is_none() {
            // The one element of an array rather than a map over it.
            let meant = self.meant_element(expected, actual, arg).or_else(|| self.meant_by_operand(actual, cause));
            if meant.is_some() {
                return meant;
            }
        }
        let meant = (self.meant_condition(actual, cause))
            .or_else(|| self.meant_element(expected, actual, arg))
            .or_else(|| self.meant_other_operand(expected, actual, cause))
            .or_else(|| self.meant_test(expected, actual, cause))
            .or_else(|| self.meant_count_or_component(actual, cause))
            .or_else(|| self.meant_each(expected, actual, cause))
            .or_else(|| self.meant_each_state(expected, actual, cause))
            .or_else(|| self.meant_index(expected, actual, cause))
            .or_else(|| self.meant_of_each(expected, actual, cause))
            .or_else(|| self.meant_filter(expected, actual, cause))
            .or_else(|| self.meant_fold_in_order(expected, actual, cause))
            .or_else(|| self.meant_array_of_one(expected, actual, cause))
            .or_else(|| self.meant_element_of_part(expected?, actual, cause))
            .or_else(|| self.meant_other_parameters(expected?, actual, cause))
            .or_else(|| self.meant_comparison(expected, actual, arg))
            .or_else(|| self.meant_result_of_test(expected?, actual, cause));
        if meant.is_some() {
            return meant;
        }
        let is_function = |ty: &Ty| matches!(ty.kind(), TyKind::Fun(..));
        if is_function(actual) && !expected.is_some_and(is_function) {
            return self.meant_whole_call(arg, actual);
        }
        self.meant_conversion(expected?, actual, expected_at, arg)
    }

    /// A number, or an array of truth values, as a condition.
    fn meant_condition(&self, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Condition(test) = cause else { return None };
        let text = self.program.short(*test);
        if actual.as_scalar().is_some() {
            return self.compared_with_zero(*test, actual);
        }
        let array = actual.as_array()?;
        let is_of_tests = array.element.as_scalar() == Some(Scalar::Bool) && !array.len.is_one();
        is_of_tests.then(|| Intent::advice(Guess::ChoosesEach { test: text }))
    }

    /// A number where a truth value is expected.
    fn compared_with_zero(&self, test: ExprId, actual: &Ty) -> Option<Intent> {
        let zero = actual.as_scalar().filter(|scalar| scalar.is_number())?.written(0)?;
        let written = format!("(!= {} {zero})", self.program.short(test));
        let edits = wrapped(test, "(!= ", &format!(" {zero})"));
        Some(Intent::new(Guess::Compares(written.clone()), Title::Write(written), edits))
    }

    /// A number as the result of a test.
    fn meant_result_of_test(&self, expected: &Ty, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Expr::Lambda { body, .. } = self.program.expr(cause.actual()?) else { return None };
        let ((wanted, result), (given, number)) = (expected.uncurry(), actual.uncurry());
        let is_test = wanted.len() == given.len() && result.as_scalar() == Some(Scalar::Bool);
        is_test.then(|| self.compared_with_zero(self.result_of(*body), number)).flatten()
    }

    /// An array of length 1 where its element is expected: as the result of a function, or in the first branch of an `if`.
    fn meant_element_of_part(&self, expected: &Ty, actual: &Ty, cause: &Cause) -> Option<Intent> {
        if let Expr::Lambda { body, .. } = self.program.expr(cause.actual()?) {
            let ((wanted, result), (given, of_one)) = (expected.uncurry(), actual.uncurry());
            return match wanted.len() == given.len() {
                true => self.meant_element(Some(result), of_one, self.result_of(*body)),
                false => None,
            };
        }
        let Cause::Branches { then, .. } = cause else { return None };
        self.meant_element(Some(actual), expected, *then)
    }

    /// A lambda with another number of parameters than its caller gives it.
    fn meant_other_parameters(&self, expected: &Ty, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { arg, callee, .. } = cause else { return None };
        let Expr::Lambda { params, .. } = self.program.expr(*arg) else { return None };
        let given = expected.uncurry().0.len();
        let (taken, result) = actual.uncurry();
        if given == 0 || params.len() == given || taken.len() == given {
            return None;
        }
        if let Some(meant) = self.meant_pattern_of(params, Some(expected), given) {
            return Some(meant);
        }
        if order::is_order(expected) && params.len() == 1 && result.as_scalar().is_some() {
            return Some(Intent::advice(Guess::OrdersByKey));
        }
        let (lambda, callee) = (self.program.short(*arg), self.program.short(*callee));
        Some(Intent::advice(Guess::OtherParameters { lambda, takes: params.len(), given, callee }))
    }

    /// `(head xs 3)`: an array that is given together with a number. `(aref p 0)`: a tuple instead of an array.
    fn meant_count_or_component(&self, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, callee, .. } = cause else { return None };
        let args = self.program.arguments(*apply);
        match (actual.kind(), args) {
            (TyKind::Array(_), _) => self.meant_count(*callee, args),
            (TyKind::Tuple(parts), &[tuple, index]) if self.program.primitive_at(*callee)?.id == PrimitiveId::Aref => {
                let Expr::Literal(number) = self.program.expr(index) else { return None };
                let place = number.integer().filter(|place| (0..parts.len() as i128).contains(place))?;
                let component = format!("get{}", place + 1);
                let written = format!("({component} {})", self.program.short(tuple));
                let edits = vec![
                    Edit::Replace(Node::Expr(*callee), component),
                    Edit::Replace(Node::Expr(index), String::new()),
                ];
                Some(Intent::new(Guess::ComponentIs(written.clone()), Title::Write(written), edits))
            }
            _ => None,
        }
    }

    /// An integer where a number with a fraction is taken: suggests a conversion.
    pub fn meant_float(&self, cause: &Cause) -> Option<Intent> {
        let arg = cause.actual()?;
        let before = format!("({} ", Scalar::Float.conversion()?);
        let written = format!("{before}{})", self.program.short(arg));
        let edits = wrapped(arg, &before, ")");
        Some(Intent::new(Guess::Converts(written.clone()), Title::Write(written), edits))
    }

    /// A fold in any order whose result has another type than the elements: names the fold in order.
    fn meant_fold_in_order(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { callee, .. } = cause else { return None };
        let (wanted, given) = (expected?.as_array()?, actual.as_array()?);
        let folds = self.program.primitive_at(*callee)?.folds_in_any_order();
        (folds && wanted.element != given.element).then(|| Intent::advice(Guess::FoldsInOrder))
    }

    /// An element where a function of two arrays, such as `concat`, takes an array of such elements.
    fn meant_array_of_one(&self, expected: Option<&Ty>, actual: &Ty, cause: &Cause) -> Option<Intent> {
        let Cause::Argument { apply, callee, arg, .. } = cause else { return None };
        let wanted = expected?.as_array()?;
        let params = self.program.primitive_at(*callee)?.scheme.ty.uncurry().0;
        let of_two = match params[..] {
            [a, b] => a.as_array().zip(b.as_array()).is_some_and(|(a, b)| a.element == b.element),
            _ => false,
        };
        let unknown = matches!(wanted.element.kind(), TyKind::Unknown(_));
        if !of_two || !(unknown || wanted.element == *actual) || self.program.arguments(*apply).len() != 2 {
            return None;
        }
        let written = format!("({} #1 {})", prims::named(PrimitiveId::Fill), self.program.short(*arg));
        let edits = wrapped(*arg, &format!("({} #1 ", prims::named(PrimitiveId::Fill)), ")");
        Some(Intent::new(Guess::ArrayOfOne(written.clone()), Title::Write(written), edits))
    }

    /// Rows of one length where rows of hidden lengths are expected: suggests `join` in place of a definition that only can join
    /// rows, else to hide the length of each row.
    pub fn meant_rows_of_one_length(&self, callee: ExprId, rows: ExprId) -> Intent {
        let text = self.program.short(rows);
        if self.joins_rows(callee) {
            let join = prims::named(PrimitiveId::Join);
            let written = format!("({join} {text})");
            let edits = vec![Edit::Replace(Node::Expr(callee), join.into())];
            return Intent::new(Guess::JoinsRowsOfOneLength(written.clone()), Title::Write(written), edits);
        }
        self.hides_rows(rows)
    }

    /// Suggests to hide the length of each row.
    pub fn hides_rows(&self, rows: ExprId) -> Intent {
        let text = self.program.short(rows);
        let row = self.unused_name_like("row");
        let before = format!("(map (lambda ({row}) (pack {row})) ");
        let written = format!("{before}{text})");
        Intent::new(Guess::HidesRows(written.clone()), Title::Write(written), wrapped(rows, &before, ")"))
    }

    /// Whether the result of a definition is an array of any element type, but rows of hidden lengths are given to it.
    fn joins_rows(&self, callee: ExprId) -> bool {
        let Expr::Global(name) = self.program.expr(callee) else { return false };
        let Lookup::Definition(scheme) = self.program.lookup(name) else { return false };
        let elements = |hidden: &Ty| match hidden.kind() {
            TyKind::Exists(_, array) => array.as_array().map(|array| array.element.clone()),
            _ => None,
        };
        match scheme.ty.uncurry() {
            (params, result) if params.len() == 1 => {
                let taken = params[0].as_array().and_then(|rows| elements(&rows.element));
                taken.is_some_and(|ty| matches!(ty.kind(), TyKind::Generic(_)) && elements(result) == Some(ty))
            }
            _ => false,
        }
    }

    /// Suggests `head` for an array of length 1, such as `reduce` yields, where its element is expected.
    fn meant_element(&self, expected: Option<&Ty>, actual: &Ty, at: ExprId) -> Option<Intent> {
        self.only_element(actual, at, |element| {
            let is_unknown = matches!(element.kind(), TyKind::Unknown(_));
            match expected {
                Some(scalar) => scalar.as_scalar().is_some() && (element == scalar || is_unknown),
                None => element.as_scalar().is_some() || is_unknown,
            }
        })
    }

    /// Suggests `head` for an array of length 1 whose element is meant.
    fn only_element(&self, actual: &Ty, at: ExprId, is_meant: impl Fn(&Ty) -> bool) -> Option<Intent> {
        actual.as_array().filter(|a| a.len.is_one() && is_meant(&a.element))?;
        let text = self.program.short(at);
        let title = Title::Write(format!("(head {text})"));
        let guess = Guess::OnlyElement { text, maker: self.primitive_that_made(at).cloned() };
        Some(Intent::new(guess, title, wrapped(at, "(head ", ")")))
    }

    /// The expression whose value is that of `e`, after its `let`s.
    pub fn result_of(&self, e: ExprId) -> ExprId {
        let mut e = e;
        while let Expr::Let { body, .. } = self.program.expr(e) {
            e = *body;
        }
        e
    }

    /// The primitive that computes the value of an expression, also through a name.
    fn primitive_that_made(&self, at: ExprId) -> Option<&Name> {
        let value = match self.program.expr(at) {
            Expr::Local(b) => self.program.value_of(*b)?,
            _ => at,
        };
        match self.program.expr(crate::infer::call_of(self.program.body(), value)?.0) {
            Expr::Global(name) if matches!(self.program.lookup(name), Lookup::Primitive(_)) => Some(name),
            _ => None,
        }
    }

    /// `(zipWith (lambda ((tuple a b)) …) xs ys)`: explains a pattern where a function of several arguments is expected.
    pub fn meant_parameters(&self, component: ExprId) -> Option<Intent> {
        let Expr::Component { of: binder, .. } = self.program.expr(component) else { return None };
        self.meant_parameters_for(*binder)
    }

    /// Diagnoses `get1` of what is no tuple. Of a parameter that is taken for the pair of what its function is given, all
    /// components are one mistake, at the parameter.
    pub fn no_component(&self, get: ExprId, index: usize, ty: Ty) -> Diagnostic {
        let of = self.program.body().exprs.iter().find_map(|e| match e {
            Expr::Apply { callee, args } if *callee == get => args.first().copied(),
            _ => None,
        });
        let parameter = of.and_then(|of| match self.program.expr(of) {
            Expr::Local(b) => Some((*b, self.meant_parameters_for(*b)?)),
            _ => None,
        });
        let is_tuple = |element: &Ty| matches!(element.kind(), TyKind::Tuple(parts) if index < parts.len());
        let element = of.and_then(|of| self.only_element(&ty, of, is_tuple));
        let problem = Problem::NoComponent { index, ty };
        match (parameter, element) {
            (Some((b, meant)), _) => meant.add_to(Diagnostic::new(Node::Binder(b), &problem)),
            (None, Some(meant)) => meant.add_to(Diagnostic::new(Node::Expr(get), &problem)),
            (None, None) => Diagnostic::new(Node::Expr(get), &problem),
        }
    }

    /// The argument from which a function beside it gets the value of its pattern, such as the initial state of a loop.
    pub fn value_of_pattern(&self, component: ExprId, ty: &Ty) -> Option<(ExprId, Note)> {
        let Expr::Component { of: binder, .. } = self.program.expr(component) else { return None };
        let (_, callee, args, _) = self.call_with(*binder)?;
        let function = self.table.zonk(&self.operand_type(callee)?);
        let given = function.uncurry().0.into_iter().zip(args);
        let mut values =
            given.filter(|(param, arg)| *param == ty && !matches!(self.program.expr(**arg), Expr::Lambda { .. }));
        let (_, value) = values.next()?;
        Some((*value, Note::ExpressionIs { text: self.program.short(*value), ty: ty.clone() }))
    }

    /// The lambda with this only parameter, and the call that it is an argument of: its callee, its arguments and the index.
    fn call_with(&self, binder: BinderId) -> Option<(ExprId, ExprId, &[ExprId], usize)> {
        let body = self.program.body();
        let lambda = body.exprs.find(|e| matches!(e, Expr::Lambda { params, .. } if params[..] == [binder]))?;
        body.exprs.iter().find_map(|e| match e {
            Expr::Apply { callee, args } => {
                Some((lambda, *callee, args.as_slice(), args.iter().position(|arg| *arg == lambda)?))
            }
            _ => None,
        })
    }

    /// Explains a function of one parameter that is given several values.
    fn meant_parameters_for(&self, binder: BinderId) -> Option<Intent> {
        let (lambda, callee, _, index) = self.call_with(binder)?;
        let function = self.operand_type(callee)?;
        let given = self.table.zonk(function.uncurry().0.get(index)?).uncurry().0.len();
        let (lambda, callee) = (self.program.short(lambda), self.program.short(callee));
        (given > 1).then(|| Intent::advice(Guess::OtherParameters { lambda, takes: 1, given, callee }))
    }

    /// Explains a call that lacks arguments where its result is expected.
    pub fn meant_whole_call(&self, call: ExprId, ty: &Ty) -> Option<Intent> {
        let Expr::Apply { callee, args } = self.program.expr(call) else { return None };
        let Expr::Global(name) = self.program.expr(*callee) else { return None };
        let missing = ty.uncurry().0.len();
        if missing == 0 {
            return None;
        }
        let guess = |of_one| Guess::MoreArguments { name: name.clone(), missing, of_one };
        match (self.program.primitive_at(*callee).and_then(|p| of_one(p.id)), &args[..]) {
            (Some(unary), [only]) => {
                let written = format!("({unary} {})", self.program.short(*only));
                let edits = vec![Edit::Replace(Node::Expr(*callee), unary.into())];
                Some(Intent::new(guess(Some(written.clone())), Title::Write(written.clone()), edits))
            }
            _ => Some(Intent::advice(guess(None))),
        }
    }

    /// Suggests a conversion between number types, of the number with the smaller range if both expressions are known.
    fn meant_conversion(&self, expected: &Ty, actual: &Ty, expected_at: Option<ExprId>, arg: ExprId) -> Option<Intent> {
        if let (Some(wanted), Some(given)) = (expected.as_array(), actual.as_array()) {
            let (to, from) = (wanted.element.as_scalar()?, given.element.as_scalar()?);
            rank(to).zip(rank(from))?;
            let before = format!("(map {} ", to.conversion()?);
            let written = format!("{before}{})", self.program.short(arg));
            let edits = wrapped(arg, &before, ")");
            return Some(Intent::new(Guess::Converts(written.clone()), Title::Write(written), edits));
        }
        let (expected, actual) = (expected.as_scalar()?, actual.as_scalar()?);
        let is_number = |at: &ExprId| self.operand_type(*at).is_some_and(|ty| ty.as_scalar().is_some());
        let (at, to) = match expected_at.filter(is_number) {
            Some(at) if rank(expected)? < rank(actual)? => (at, actual),
            _ => (arg, expected),
        };
        rank(actual)?;
        let (text, function) = (self.program.short(at), to.conversion()?);
        let written = format!("({function} {text})");
        let title = Title::Write(written.clone());
        Some(Intent::new(Guess::Converts(written), title, wrapped(at, &format!("({function} "), ")")))
    }

    /// The integer literal without a suffix that determined the type of an expression, through a name.
    pub fn deciding_literal(&self, of: ExprId) -> Option<ExprId> {
        let plain = |e: ExprId| matches!(self.program.expr(e), Expr::Literal(Literal::Int(_))).then_some(e);
        let mut next = vec![of];
        // Names lead to earlier values; the limit bounds the cost of long chains.
        let mut steps = 0;
        while let Some(at) = next.pop() {
            steps += 1;
            if steps > 64 {
                return None;
            }
            match self.program.expr(at) {
                Expr::Local(b) => match self.program.value_of(*b) {
                    Some(value) => next.push(value),
                    None => {
                        let ty = self.binders.ty(*b)?;
                        if let Some(literal) = self.table.resolve(ty).why.and_then(plain) {
                            return Some(literal);
                        }
                    }
                },
                Expr::Apply { args, .. } => next.extend(args),
                _ => {}
            }
        }
        None
    }

    /// `(x > 0.0f)`: suggests writing the function first. `(1 2 3)`: explains that arrays have no literals.
    pub fn meant_by_applying(&self, callee: ExprId, ty: &Ty, args: &[ExprId]) -> Option<Intent> {
        let is_primitive = |e: &ExprId| self.program.primitive_at(*e).is_some();
        if matches!(self.program.expr(callee), Expr::Literal(_)) && !args.iter().any(is_primitive) {
            return Some(Intent::advice(Guess::ArraysAreInputs));
        }
        if let (TyKind::Array(_), &[index]) = (ty.kind(), args) {
            let written = format!("(aref {} {})", self.program.short(callee), self.program.short(index));
            let edits = vec![Edit::InsertBefore(Node::Expr(callee), "aref ".into())];
            return Some(Intent::new(Guess::ElementIs(written.clone()), Title::Write(written.clone()), edits));
        }
        if let (TyKind::Tuple(parts), &[index]) = (ty.kind(), args)
            && let Expr::Literal(index) = self.program.expr(index)
            && let Some(index) = index.integer().filter(|index| (0..parts.len() as i128).contains(index))
        {
            let (component, tuple) = (format!("get{}", index + 1), self.program.short(callee));
            let edits = vec![
                Edit::InsertBefore(Node::Expr(callee), format!("{component} ")),
                Edit::Replace(Node::Expr(args[0]), String::new()),
            ];
            let written = format!("({component} {tuple})");
            return Some(Intent::new(Guess::ComponentIs(written.clone()), Title::Write(written), edits));
        }
        let (&first, rest) = args.split_first()?;
        let Expr::Global(name) = self.program.expr(first) else { return None };
        let takes = match self.program.lookup(name) {
            Lookup::Definition(scheme) => scheme.ty.uncurry().0.len(),
            Lookup::Primitive(p) => p.scheme.ty.uncurry().0.len(),
            Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => 0,
        };
        // `(2 *)` lacks its second operand, as `(* 2)` does.
        let is_section = rest.is_empty() && takes == 2;
        if (takes != args.len() && !is_section) || rest.len() > 1 {
            return None;
        }
        let rest: String = rest.iter().map(|arg| format!(" {}", self.program.short(*arg))).collect();
        let written = format!("({name} {}{rest})", self.program.short(callee));
        let title = Title::Write(written.clone());
        Some(Intent::new(Guess::FunctionFirst(written), title, crate::infer::walk::order::exchanged(callee, first)))
    }

    /// The diagnostic for an unknown name, with a suggestion if there is one. `ordered` gives the text of its call with another
    /// name, and the edits of its arguments, if that name takes them in another order.
    pub fn unknown_name(
        &self,
        id: ExprId,
        name: &Name,
        similar: Option<Name>,
        ordered: &dyn Fn(&Name) -> Option<Ordered>,
    ) -> Diagnostic {
        let d = Diagnostic::new(Node::Expr(id), &Problem::UnknownName { name: name.clone() });
        let change = |to: &str| {
            let (title, mut edits) = match ordered(&to.into()) {
                Some((written, edits)) => (Title::Write(written), edits),
                None => (Title::ChangeTo(to.to_owned()), Vec::new()),
            };
            edits.push(Edit::Replace(Node::Expr(id), to.to_owned()));
            (title, edits)
        };
        if let Some(meant) = self.meant_without_comma(id, name) {
            return meant.add_to(d);
        }
        if self.is_in_value_of(id, name) {
            return Intent::advice(Guess::UsesItself { name: name.clone() }).add_to(d);
        }
        let (title, edits);
        let guess = match foreign::word(name) {
            Some(Foreign::Name(here)) => {
                (title, edits) = change(here);
                Guess::CalledHere(here.to_owned())
            }
            Some(Foreign::Advice(says) | Foreign::Form(says)) => return Intent::advice(Guess::Foreign(says)).add_to(d),
            None => {
                if let Some(meant) = self.meant_by_foreign_name(id, name) {
                    return meant.add_to(d);
                }
                let Some(similar) = similar else { return d };
                (title, edits) = change(&similar);
                Guess::Similar(similar)
            }
        };
        Intent::new(guess, title, edits).add_to(d)
    }

    /// Whether an expression is part of the value that a `let` binds to this name.
    fn is_in_value_of(&self, id: ExprId, name: &Name) -> bool {
        let body = self.program.body();
        let values = body.exprs.iter().filter_map(|e| match e {
            Expr::Let { binder, value, .. } if body.binder(*binder).name == *name => Some(*value),
            _ => None,
        });
        let mut inside: Vec<ExprId> = values.collect();
        while let Some(e) = inside.pop() {
            if e == id {
                return true;
            }
            inside.extend(self.program.expr(e).children());
        }
        false
    }

    /// `(lambda (xs, ys) …)` binds `xs,`: suggests names without commas.
    fn meant_without_comma(&self, id: ExprId, name: &Name) -> Option<Intent> {
        let comma = |name: &Name| Guess::Comma { name: name.clone() };
        let plain = name.trim_end_matches(',');
        if plain.len() < name.len() {
            let edits = vec![Edit::Replace(Node::Expr(id), plain.to_owned())];
            let title = if plain.is_empty() { Title::RemoveComma } else { Title::Write(plain.to_owned()) };
            return Some(Intent::new(comma(name), title, edits));
        }
        let has_comma = |b: &Binder| b.name.len() > name.len() && b.name.trim_end_matches(',') == &**name;
        let index = self.program.body().binders.find(has_comma)?;
        let binders = self.program.body().binders.entries().filter(|(_, b)| b.name.ends_with(','));
        let without =
            |(id, b): (BinderId, &Binder)| Edit::Replace(Node::Binder(id), b.name.trim_end_matches(',').to_owned());
        let edits = binders.map(without).collect();
        Some(Intent::new(comma(&self.program.body().binder(index).name), Title::RemoveCommas, edits))
    }

    /// The neutral element of a function for the elements of an array, as source text.
    pub fn neutral_element(&self, function: ExprId, array: &Ty) -> Option<String> {
        let neutral = self.program.primitive_at(function)?.id.neutral()?;
        let TyKind::Array(ArrayTy { element, .. }) = array.kind() else { return None };
        let number = match neutral {
            Neutral::Bool(value) => return Some(value.to_string()),
            Neutral::Number(number) => number,
        };
        element.as_scalar()?.written(number.into())
    }
}

/// The unary counterpart of a binary operator.
fn of_one(operator: PrimitiveId) -> Option<&'static str> {
    match operator {
        PrimitiveId::Sub => Some(prims::named(PrimitiveId::Neg)),
        _ => None,
    }
}

/// The rank of a number type by its range; `None` for `Bool`. The table of scalars has this order.
fn rank(scalar: Scalar) -> Option<u32> {
    scalar.is_number().then_some(scalar as u32)
}
