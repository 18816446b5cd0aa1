//! Guesses what was meant by more arguments than a function takes: `(aref m i j)`, `(map f xs ys)`, `(update m i j x)`.

use crate::diagnostics::notes::Guess;
use crate::diagnostics::{Edit, Title};
use crate::hir::*;
use crate::infer::report::intent::{Intent, wrapped};
use crate::infer::results::Results;
use crate::prims::{self, PrimitiveId};
use crate::ty::{Ty, TyKind};
use lift_syntax::FOLDED_OPERATORS;

impl Results<'_> {
    /// Explains surplus arguments: suggests nested calls of a binary function on one type, and `zip` for several
    /// arrays. `taken` are the types of the arguments that the callee takes.
    pub fn meant_by_more(&self, callee: ExprId, args: &[ExprId], taken: &[Ty], result: &Ty) -> Option<Intent> {
        let Expr::Global(name) = self.program.expr(callee) else { return None };
        let by_call = (self.meant_scatter(callee, args))
            .or_else(|| self.meant_row(name, args, taken, result))
            .or_else(|| self.meant_operator(callee, args, taken));
        if by_call.is_some() {
            return by_call;
        }
        // Arrays may have other lengths.
        let alike = |a: &Ty, b: &Ty| match (a.as_array(), b.as_array()) {
            (Some(a), Some(b)) => a.element == b.element,
            _ => a == b,
        };
        if let [left, right] = taken
            && alike(left, right)
            && alike(right, result)
        {
            let (&first, more) = args.split_first()?;
            let nested = more.split_last()?.1;
            let mut written = self.program.short(first);
            more.iter().for_each(|arg| written = format!("({name} {written} {})", self.program.short(*arg)));
            let mut edits = vec![Edit::InsertBefore(Node::Expr(first), format!("({name} ").repeat(nested.len()))];
            edits.extend(nested.iter().map(|arg| Edit::InsertAfter(Node::Expr(*arg), ")".into())));
            return Some(Intent::new(Guess::Write(written.clone()), Title::Write(written.clone()), edits));
        }
        let is_array = |ty: &Ty| matches!(ty.kind(), TyKind::Array(_));
        let function = taken.iter().position(|ty| matches!(ty.kind(), TyKind::Fun(..)))?;
        let more = args.get(taken.len()..)?;
        let all_arrays = || more.iter().all(|e| self.operand_type(*e).is_some_and(|ty| is_array(&ty)));
        if !taken.last().is_some_and(is_array) || !all_arrays() {
            return None;
        }
        let (f, first, last) = (*args.get(function)?, *args.get(taken.len() - 1)?, *more.last()?);
        let takes = match self.program.expr(f) {
            Expr::Lambda { params, .. } => Some(params.len()),
            Expr::Global(name) if FOLDED_OPERATORS.contains(&&**name) => None,
            Expr::Global(name) => self.program.parameters(name),
            _ => self.operand_type(f).map(|ty| self.table.zonk(&ty).uncurry().0.len()),
        };
        let arrays = taken.iter().rev().take_while(|ty| is_array(ty)).count();
        let guess = Guess::Zip { name: name.clone(), arrays };
        // A function of tuples takes the elements of the zipped arrays as they are.
        if (takes, arrays) == (Some(1), 1) && self.takes_pattern(f) {
            let edits = vec![
                Edit::InsertBefore(Node::Expr(first), "(zip ".into()),
                Edit::InsertAfter(Node::Expr(last), ")".into()),
            ];
            return Some(Intent::new(guess, Title::ZipArrays, edits));
        }
        if takes.is_some_and(|n| n != arrays + more.len()) {
            return Some(Intent::advice(guess));
        }
        // The function takes an element of each array; of those that are zipped, it takes one element.
        let parameter = self.unused_name_like("p");
        let before = match arrays {
            1 => String::new(),
            2 => format!("{} ", self.unused_name_like("x")),
            _ => return None,
        };
        let parts: String = (1..=more.len() + 1).map(|n| format!(" (get{n} {parameter})")).collect();
        let given = if before.is_empty() { String::new() } else { format!(" {}", before.trim_end()) };
        let mut edits = wrapped(f, &format!("(lambda ({before}{parameter}) ("), &format!("{given}{parts}))"));
        edits.push(Edit::InsertBefore(Node::Expr(first), "(zip ".into()));
        edits.push(Edit::InsertAfter(Node::Expr(last), ")".into()));
        Some(Intent::new(guess, Title::ZipArrays, edits))
    }

    /// `(aref m i j)`: suggests the element of a row. `row` is the type of `(aref m i)`.
    pub fn meant_by_indices(&self, callee: ExprId, row: &Ty) -> Option<Intent> {
        if self.program.primitive_at(callee)?.id != PrimitiveId::Aref || row.as_array().is_none() {
            return None;
        }
        let call = self.program.body().exprs.iter().find_map(|e| match e {
            Expr::Apply { callee: of, args } if *of == callee => Some(args),
            _ => None,
        });
        let &[array, first, second] = &call?[..] else { return None };
        let name = self.program.short(callee);
        let written = format!(
            "({name} ({name} {} {}) {})",
            self.program.short(array),
            self.program.short(first),
            self.program.short(second)
        );
        let edits = vec![
            Edit::InsertBefore(Node::Expr(array), format!("({name} ")),
            Edit::InsertAfter(Node::Expr(first), ")".into()),
        ];
        Some(Intent::new(Guess::Write(written.clone()), Title::Write(written.clone()), edits))
    }

    /// Whether the first parameter of a lambda is a pattern: its components are taken in the body.
    fn takes_pattern(&self, f: ExprId) -> bool {
        let Expr::Lambda { params, .. } = self.program.expr(f) else { return false };
        let of_first = |e: &Expr| matches!(e, Expr::Component { of, .. } if params.first() == Some(of));
        self.program.body().exprs.iter().any(of_first)
    }

    /// `(scatter dest indices values)`: the function of that name moves the elements of one array.
    fn meant_scatter(&self, callee: ExprId, args: &[ExprId]) -> Option<Intent> {
        const INTO: &str = "scatterInto";
        let is_meant = self.program.primitive_at(callee)?.id == PrimitiveId::Scatter && args.len() == 3;
        let text: String = args.iter().map(|arg| format!(" {}", self.program.short(*arg))).collect();
        let written = format!("({INTO}{text})");
        let edits = vec![Edit::Replace(Node::Expr(callee), INTO.into())];
        is_meant.then(|| Intent::new(Guess::Write(written.clone()), Title::Write(written), edits))
    }

    /// `(toFloat x / y)`: an operator between its operands.
    fn meant_operator(&self, callee: ExprId, args: &[ExprId], taken: &[Ty]) -> Option<Intent> {
        let (before, &[operator, right]) = args.split_at_checked(taken.len())? else { return None };
        let Expr::Global(name) = self.program.expr(operator) else { return None };
        let is_operator = !name.starts_with(|c: char| c.is_alphanumeric()) && self.program.parameters(name) == Some(2);
        let of: String = before.iter().map(|arg| format!(" {}", self.program.short(*arg))).collect();
        let written = format!("({name} ({}{of}) {})", self.program.short(callee), self.program.short(right));
        let edits = vec![
            Edit::InsertBefore(Node::Expr(callee), format!("{name} (")),
            Edit::InsertAfter(Node::Expr(*before.last()?), ")".into()),
            Edit::Replace(Node::Expr(operator), String::new()),
        ];
        is_operator.then(|| Intent::new(Guess::Write(written.clone()), Title::Write(written), edits))
    }

    /// `(update rows i j x)`: changes the row, by a function that takes an array, an index and an element.
    fn meant_row(&self, name: &Name, args: &[ExprId], taken: &[Ty], result: &Ty) -> Option<Intent> {
        let ([array, index, element], &[rows, row, column, value]) = (taken, args) else { return None };
        let changes =
            index.as_scalar() == Some(Scalar::Int) && array == result && array.as_array()?.element == *element;
        let of_row =
            format!("({} {} {})", prims::named(PrimitiveId::Aref), self.program.short(rows), self.program.short(row));
        let before = format!("({name} {of_row} ");
        let changed = format!("{before}{} {})", self.program.short(column), self.program.short(value));
        let written = format!("({name} {} {} {changed})", self.program.short(rows), self.program.short(row));
        let edits =
            vec![Edit::InsertBefore(Node::Expr(column), before), Edit::InsertAfter(Node::Expr(value), ")".into())];
        changes.then(|| Intent::new(Guess::Write(written.clone()), Title::Write(written), edits))
    }
}
