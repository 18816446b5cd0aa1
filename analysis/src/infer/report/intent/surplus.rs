//! Guesses what was meant by more arguments than a function takes: `(aref m i j)`, `(map f xs ys)`, `(update m i j x)`,
//! `(head xs 3)`, `(iota from to)`, `(generate #n #m f)`.

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
            .or_else(|| self.meant_count(callee, args))
            .or_else(|| self.meant_row(name, args, taken, result))
            .or_else(|| self.meant_operator(callee, args, taken))
            .or_else(|| self.meant_without_function(callee, args, taken));
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

    /// Explains surplus arguments of a primitive whose first ones are sizes or indices. `result` is the type of the call
    /// without them.
    pub fn meant_by_sizes(&self, callee: ExprId, result: &Ty) -> Option<Intent> {
        let call = self.program.body().exprs.iter().find_map(|e| match e {
            Expr::Apply { callee: of, args } if *of == callee => Some(args),
            _ => None,
        });
        match (self.program.primitive_at(callee)?.id, &call?[..]) {
            (PrimitiveId::Aref, &[array, first, second]) => self.meant_indices(callee, result, array, first, second),
            (PrimitiveId::Generate, &[_, rows, function]) => self.meant_rows(rows, function),
            (PrimitiveId::Iota, &[from, to]) => self.meant_range(callee, from, to),
            _ => None,
        }
    }

    /// `(generate #n #m (lambda (i j) …))`: suggests rows.
    fn meant_rows(&self, columns: ExprId, function: ExprId) -> Option<Intent> {
        let Expr::Lambda { params, body } = self.program.expr(function) else { return None };
        let &[i, j] = &params[..] else { return None };
        let name = |b: BinderId| &self.program.body().binder(b).name;
        let inner =
            format!("({} {} (lambda ({}) ", prims::named(PrimitiveId::Generate), self.program.short(columns), name(j));
        let edits = vec![
            Edit::Replace(Node::Expr(columns), String::new()),
            Edit::Replace(Node::Binder(j), String::new()),
            Edit::InsertBefore(Node::Expr(*body), inner.clone()),
            Edit::InsertAfter(Node::Expr(*body), "))".into()),
        ];
        let written = format!("(lambda ({}) {inner}…)))", name(i));
        Some(Intent::new(Guess::OneIndex, Title::Write(written), edits))
    }

    /// `(iota from to)`: suggests the numbers from one to before another.
    fn meant_range(&self, callee: ExprId, from: ExprId, to: ExprId) -> Option<Intent> {
        let (map, iota) = (prims::named(PrimitiveId::Map), self.program.short(callee));
        let (start, end) = (self.program.short(from), self.program.short(to));
        let (before, count) = (format!("{map} (+ {start}) ("), format!(" (- {end} {start}))"));
        let written = format!("({before}{iota}{count})");
        let edits = vec![
            Edit::InsertBefore(Node::Expr(callee), before),
            Edit::InsertAfter(Node::Expr(callee), count),
            Edit::Replace(Node::Expr(from), String::new()),
            Edit::Replace(Node::Expr(to), String::new()),
        ];
        Some(Intent::new(Guess::Write(written.clone()), Title::Write(written), edits))
    }

    /// `(head xs 3)`, `(tail 2 xs)`: a number of elements is given to a function of one end of an array.
    pub fn meant_count(&self, callee: ExprId, args: &[ExprId]) -> Option<Intent> {
        let (several, from_end) = of_several(self.program.primitive_at(callee)?.id)?;
        let &[first, second] = args else { return None };
        let is_count = |e: ExprId| {
            matches!(self.program.expr(e), Expr::Literal(Literal::Int(_)) | Expr::Size(_))
                || self.type_of_operand(e).is_some_and(|ty| ty.as_scalar() == Some(Scalar::Int))
        };
        let (array, count) = match (is_count(first), is_count(second)) {
            (true, false) => (second, first),
            (false, true) => (first, second),
            _ => return None,
        };
        let (several, of) = (prims::named(several), self.program.short(array));
        let (before, after) = match from_end {
            true => (format!("(- ({} {of}) ", prims::named(PrimitiveId::Length)), ")"),
            false => (String::new(), ""),
        };
        let written = format!("({several} {before}{}{after} {of})", self.program.short(count));
        let mut edits = vec![Edit::Replace(Node::Expr(callee), several.into())];
        if array == second {
            edits.push(Edit::InsertBefore(Node::Expr(count), before));
            edits.push(Edit::InsertAfter(Node::Expr(count), after.into()));
        } else {
            let copy = |at: ExprId, before: String, of: ExprId, after: &str| {
                let (at, of) = (Node::Expr(at), Node::Expr(of));
                [Edit::CopyBefore { at, before, of, after: after.into() }, Edit::Replace(at, String::new())]
            };
            edits.extend(copy(array, before, count, after));
            edits.extend(copy(count, String::new(), array, ""));
        }
        Some(Intent::new(Guess::Write(written.clone()), Title::Write(written), edits))
    }

    /// `(aref m i j)`: suggests the element of a row. `row` is the type of `(aref m i)`.
    fn meant_indices(&self, callee: ExprId, row: &Ty, array: ExprId, first: ExprId, second: ExprId) -> Option<Intent> {
        row.as_array()?;
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
        let fits = before.iter().zip(taken).all(|(e, ty)| self.may_have_rank_of(*e, ty));
        let is_operator =
            fits && !name.starts_with(|c: char| c.is_alphanumeric()) && self.program.parameters(name) == Some(2);
        let of: String = before.iter().map(|arg| format!(" {}", self.program.short(*arg))).collect();
        let written = format!("({name} ({}{of}) {})", self.program.short(callee), self.program.short(right));
        let edits = vec![
            Edit::InsertBefore(Node::Expr(callee), format!("{name} (")),
            Edit::InsertAfter(Node::Expr(*before.last()?), ")".into()),
            Edit::Replace(Node::Expr(operator), String::new()),
        ];
        is_operator.then(|| Intent::new(Guess::Write(written.clone()), Title::Write(written), edits))
    }

    /// Whether an argument may be an array if the parameter is one, and a number if it is a number.
    fn may_have_rank_of(&self, arg: ExprId, param: &Ty) -> bool {
        let given = match self.program.expr(arg) {
            Expr::Literal(_) => Some(false),
            _ => self.type_of_operand(arg).and_then(|ty| is_array(&ty)),
        };
        given.zip(is_array(param)).is_none_or(|(given, taken)| given == taken)
    }

    /// `(searchSorted < xs x)`, `(sum 0 + xs)`: a function is given to what takes none.
    fn meant_without_function(&self, callee: ExprId, args: &[ExprId], taken: &[Ty]) -> Option<Intent> {
        let is_function = |e: &ExprId| match self.program.expr(*e) {
            Expr::Lambda { .. } | Expr::Compose(_) => true,
            Expr::Global(name) => self.program.parameters(name).is_some_and(|takes| takes > 0),
            _ => false,
        };
        let fits = |e: &ExprId, ty: &Ty| !is_function(e) && self.may_have_rank_of(*e, ty);
        let surplus = *args.iter().find(|e| is_function(e))?;
        // What takes a value of any type has taken the function.
        if taken.iter().any(|ty| matches!(ty.kind(), TyKind::Fun(..))) {
            return None;
        }
        let mut rest = args.iter();
        let meant: Vec<ExprId> =
            taken.iter().map(|ty| rest.find(|e| fits(e, ty)).copied()).collect::<Option<Vec<_>>>()?;
        let (function, name) = (self.program.short(surplus), self.program.short(callee));
        let of: String = meant.iter().map(|arg| format!(" {}", self.program.short(*arg))).collect();
        let written = format!("({name}{of})");
        let left_out = args.iter().filter(|arg| !meant.contains(arg));
        let edits = left_out.map(|arg| Edit::Replace(Node::Expr(*arg), String::new())).collect();
        let guess = Guess::TakesNoFunction { callee: name, function, written: written.clone() };
        Some(Intent::new(guess, Title::Write(written), edits))
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

/// Whether a type is an array or a number; `None` if it may be either.
fn is_array(ty: &Ty) -> Option<bool> {
    match ty.kind() {
        TyKind::Array(_) => Some(true),
        TyKind::Scalar(_) => Some(false),
        _ => None,
    }
}

/// The primitive that takes or leaves out several elements where another one does so with one element, and whether it does
/// so at the end.
fn of_several(of_one: PrimitiveId) -> Option<(PrimitiveId, bool)> {
    match of_one {
        PrimitiveId::Head => Some((PrimitiveId::Take, false)),
        PrimitiveId::Tail => Some((PrimitiveId::Drop, false)),
        PrimitiveId::Last => Some((PrimitiveId::Drop, true)),
        PrimitiveId::Init => Some((PrimitiveId::Take, true)),
        _ => None,
    }
}
