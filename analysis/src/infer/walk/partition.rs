//! Typing of position-dependent arrays: `partition`, `join`, `aref`, and `generate` over an index variable.
//!
//! Pizzuti, Steuwer, Dubach, *Position-dependent arrays and their application for high performance code generation*
//! (2019), Fig. 8 and section 4.4.

use crate::diagnostics::Problem;
use crate::hir::*;
use crate::infer::cause::Cause;
use crate::infer::constraint::{Constraint, Rows};
use crate::infer::context::Infer;
use crate::infer::result::Pieces;
use crate::prims::{PrimitiveId, Special};
use crate::size::{Assumption, Size, Truth, Var};
use crate::ty::{ArrayTy, Ty, TyKind};

/// The number of elements in the rows before `row`: the sum of `each` over them.
pub fn offset(row: &Var, each: &Size) -> Size {
    let index = Var { id: u32::MAX / 2, ..row.clone() };
    let each = each.subst(&mut |v| (v == row).then(|| Size::var(index.clone())));
    Size::sum(index, Size::var(row.clone()), each)
}

impl Infer<'_> {
    /// The type of `join`, `Array[i => Array[j => a,k],n] -> Array[a,Σ k]`, where `k` may depend on `i`.
    pub fn join_type(&mut self, id: ExprId) -> Ty {
        let (count, total) = (self.fresh_size(), self.fresh_size());
        let [row, column, flat] = [0, 1, 0].map(|nth| self.fresh_position(nth));
        let level = self.scopes.level();
        let each = self.table.fresh_size_at(level, vec![row.id]);
        let element = self.table.fresh_type_at(level, None, vec![row.id, column.id]);
        let joined = self.table.fresh_type_at(level, None, vec![flat.id]);
        for (position, below) in [(&row, &count), (&column, &each), (&flat, &total)] {
            self.table.set_count(position, below);
        }
        let array = |element: &Ty, len: &Size, position: &Var| {
            let position = Some(position.clone());
            Ty::new(TyKind::Array(ArrayTy { element: element.clone(), len: len.clone(), position }))
        };
        let ty = Ty::fun(array(&array(&element, &each, &column), &count, &row), array(&joined, &total, &flat));
        let rows = Rows { row, column, flat, count, each, element };
        self.defer(Constraint::JoinRows { rows, total, joined, cause: Cause::Result(id) });
        ty
    }

    /// The element type of joined rows in terms of the flat index; `None` if it depends on the row in any other way.
    pub fn joined_element(&mut self, rows: &Rows) -> Option<Ty> {
        let element = self.table.zonk(&rows.element);
        if !element.mentions(&rows.row) && !element.mentions(&rows.column) {
            return Some(element);
        }
        let before = offset(&rows.row, &self.table.zonk_size(&rows.each));
        let column = Size::var(rows.flat.clone()).sub(&before);
        let element = self.table.at_index(&element, &rows.column, &column);
        (!element.mentions(&rows.row)).then_some(element)
    }

    /// Types `partition #n f xs`: segment `i` has length `f i`, which is read as a size.
    pub fn partition(&mut self, id: ExprId, callee: ExprId, args: &[ExprId], note: impl Fn(&mut Self, &Ty)) -> Ty {
        let cause = |index: usize| Cause::Argument { apply: id, callee, index, arg: args[index] };
        let Some(count) = self.static_size(args[0]) else {
            self.needs_size(args[0], &cause(0));
            self.infer_all(&args[1..]);
            return Ty::error();
        };
        let size = Ty::new(TyKind::Size(count.clone()));
        self.found.set_type(args[0], size.clone());
        let position = self.fresh_position(0);
        self.table.set_count(&position, &count);
        let rule = Ty::fun(Ty::int(), Ty::int());
        let Some(each) = self.piece_lengths(args[1], &position, &count) else {
            self.infer_all(&args[2..]);
            return Ty::error();
        };
        let total = Size::sum(position.clone(), count.clone(), each.clone());
        let len = self.fresh_size();
        let (array, element) = self.any_array(&len);
        let flat = array.as_array().and_then(|a| a.position.clone());
        let column = self.fresh_position(1);
        self.table.set_count(&column, &each);
        let before = offset(&position, &each);
        let element = match &flat {
            Some(flat) => self.table.at_index(&element, flat, &before.add(&Size::var(column.clone()))),
            None => element,
        };
        let row = ArrayTy { element, len: each.clone(), position: Some(column) };
        let rows =
            ArrayTy { element: Ty::new(TyKind::Array(row)), len: count.clone(), position: Some(position.clone()) };
        let rows = Ty::new(TyKind::Array(rows));
        note(self, &Ty::funs([size, rule, array.clone()], rows.clone()));
        self.found.partitioned(id, Pieces { position, count: count.clone(), each });
        let ty = self.call(id, callee, Ty::fun(array, rows), &args[2..], 2);
        // The segments must add up to the array's length. This is proved, unified, or assumed and checked before a run.
        let known = self.table.zonk_size(&len);
        match self.table.facts().equal(&known, &total) {
            Truth::Yes => {}
            Truth::Unknown if !known.any_var(&mut |v| v.kind == crate::size::VarKind::Unknown) => {
                self.assume(Assumption::Equal(known, total), id);
            }
            _ => {
                let cause = args.get(2).map_or(Cause::Result(id), |_| cause(2));
                if let Err(m) = self.unify_sizes(&total, &len, &cause) {
                    self.report_lengths(m, &cause);
                }
            }
        }
        ty
    }

    /// The length of a segment as a size in its index; `None` after an error.
    fn piece_lengths(&mut self, rule: ExprId, position: &Var, count: &Size) -> Option<Size> {
        let rule_type = Ty::fun(Ty::int(), Ty::int());
        let each = match self.program.expr(rule).clone() {
            Expr::Lambda { params, body } if params.len() == 1 => {
                let param = params[0];
                self.binders.set_position(param, position);
                let ty = self.at_positions(std::slice::from_ref(position), |this| this.infer(rule, Some(&rule_type)));
                let cause = Cause::Result(rule);
                if !self.unify(&rule_type, &ty, &cause) {
                    return None;
                }
                let each = self.size_of_expr(body);
                if let Some(each) = &each {
                    self.assume(Assumption::NonNegative(each.clone()), rule);
                }
                each
            }
            Expr::Apply { args, .. } if self.too_many_for_a_type(args.len()) => {
                self.give_up_on_type(Node::Expr(rule));
                return None;
            }
            Expr::Apply { callee, args } if self.is_case_split(callee) => {
                self.found
                    .set_type(callee, Ty::funs(args.iter().map(|_| Ty::int()).collect::<Vec<_>>(), rule_type.clone()));
                self.found.set_type(rule, rule_type);
                let mut lengths = Vec::new();
                for &arg in &args {
                    let ty = self.operand(arg, None);
                    let ty = self.size_as_int(ty);
                    self.unify(&Ty::int(), &ty, &Cause::Result(arg));
                    match self.size_of_expr(arg) {
                        Some(len) => {
                            self.assume(Assumption::NonNegative(len.clone()), arg);
                            lengths.push(len);
                        }
                        None => {
                            self.not_a_size(arg);
                            return None;
                        }
                    }
                }
                let pieces = Size::nat(lengths.len() as u64);
                if self.table.facts().equal(&pieces, count) != Truth::Yes {
                    let problem = Problem::PieceCount { pieces: count.clone(), lengths: lengths.len() };
                    self.error(Node::Expr(rule), &problem);
                    return None;
                }
                let at = Size::var(position.clone());
                let (last, before) = lengths.split_last()?;
                Some(
                    before
                        .iter()
                        .enumerate()
                        .rev()
                        .fold(last.clone(), |rest, (i, len)| Size::if_le(&at, &Size::nat(i as u64), len, &rest)),
                )
            }
            _ => {
                let ty = self.infer(rule, Some(&rule_type));
                let ty = self.size_as_int(ty);
                self.unify(&rule_type, &ty, &Cause::Result(rule));
                self.size_of_rule(rule, position)
            }
        };
        if each.is_none() {
            let at = match self.program.expr(rule) {
                Expr::Lambda { body, .. } => *body,
                _ => rule,
            };
            self.not_a_size(at);
        }
        each
    }

    fn not_a_size(&mut self, at: ExprId) {
        if self.results().operand_type(at).is_some_and(|t| t.contains_error()) {
            return;
        }
        let text = self.program.short(at);
        self.error(Node::Expr(at), &Problem::PieceNotASize { text });
    }

    fn is_case_split(&self, callee: ExprId) -> bool {
        self.program.primitive_at(callee).is_some_and(|p| p.special == Some(Special::CaseSplit))
    }

    /// The size that a partially applied primitive, such as `(+ 1)`, computes from the index.
    fn size_of_rule(&mut self, rule: ExprId, position: &Var) -> Option<Size> {
        let Expr::Apply { callee, args } = self.program.expr(rule).clone() else { return None };
        let id = self.program.primitive_at(callee)?.id;
        let mut operands: Vec<Size> = Vec::new();
        for a in args {
            operands.push(self.size_of_expr(a)?);
        }
        operands.push(Size::var(position.clone()));
        integer_operation(id, &operands)
    }

    /// An expression of type Int as a size; `None` if it is not made of sizes alone. Integer division rounds down.
    pub fn size_of_expr(&mut self, e: ExprId) -> Option<Size> {
        if !matches!(self.program.expr(e), Expr::Apply { .. })
            && let Some(size) = self.static_size(e)
        {
            return Some(size);
        }
        match self.program.expr(e).clone() {
            Expr::Literal(Literal::Int(n)) => Some(Size::int(i64::from(n))),
            Expr::Apply { callee, args } => {
                let id = self.program.primitive_at(callee)?.id;
                if id == PrimitiveId::Length {
                    let ty = self.results().operand_type(*args.first()?)?;
                    return self.table.zonk(&ty).as_array().map(|a| a.len.clone());
                }
                let mut operands = Vec::new();
                for a in args {
                    operands.push(self.size_of_expr(a)?);
                }
                if let Some(known) = quotient(id, &operands) {
                    return Some(known);
                }
                // Truncation equals rounding down for operands that are not negative.
                if matches!(id, PrimitiveId::Div | PrimitiveId::Mod) {
                    for operand in &operands {
                        self.assume(Assumption::NonNegative(operand.clone()), e);
                    }
                }
                integer_operation(id, &operands)
            }
            Expr::If { condition, then, otherwise } => {
                let (then, otherwise) = (self.size_of_expr(then)?, self.size_of_expr(otherwise)?);
                self.size_condition(condition, &then, &otherwise)
            }
            _ => None,
        }
    }

    fn size_condition(&mut self, condition: ExprId, then: &Size, otherwise: &Size) -> Option<Size> {
        let Expr::Apply { callee, args } = self.program.expr(condition).clone() else { return None };
        let id = self.program.primitive_at(callee)?.id;
        let (a, b) = match (id, args.as_slice()) {
            (PrimitiveId::Not, &[inner]) => return self.size_condition(inner, otherwise, then),
            (PrimitiveId::And, &[a, b]) => {
                let inner = self.size_condition(b, then, otherwise)?;
                return self.size_condition(a, &inner, otherwise);
            }
            (PrimitiveId::Or, &[a, b]) => {
                let inner = self.size_condition(b, then, otherwise)?;
                return self.size_condition(a, then, &inner);
            }
            (_, &[a, b]) => (a, b),
            _ => return None,
        };
        let (a, b) = (self.size_of_expr(a)?, self.size_of_expr(b)?);
        let one = Size::one();
        Some(match id {
            PrimitiveId::AtMost => Size::if_le(&a, &b, then, otherwise),
            PrimitiveId::AtLeast => Size::if_le(&b, &a, then, otherwise),
            PrimitiveId::Less => Size::if_le(&a.add(&one), &b, then, otherwise),
            PrimitiveId::Greater => Size::if_le(&b.add(&one), &a, then, otherwise),
            PrimitiveId::Equal => Size::if_le(&a, &b, &Size::if_le(&b, &a, then, otherwise), otherwise),
            PrimitiveId::NotEqual => Size::if_le(&a, &b, &Size::if_le(&b, &a, otherwise, then), then),
            _ => return None,
        })
    }

    /// Types `aref` on rows that may depend on their index, which must then be a size.
    pub fn indexed(
        &mut self,
        id: ExprId,
        callee: ExprId,
        args: &[ExprId],
        note: impl Fn(&mut Self, &Ty),
    ) -> Option<Ty> {
        // Assumptions about the index count only if the type of the element depends on it.
        let before = self.found.assumed().len();
        let index = self.size_of_expr(args[1]);
        let assumed = self.found.take_assumed_from(before);
        let len = self.fresh_size();
        let (array, element) = self.any_array(&len);
        let position = array.as_array().and_then(|a| a.position.clone())?;
        let cause = Cause::Argument { apply: id, callee, index: 0, arg: args[0] };
        note(self, &Ty::funs([array.clone(), Ty::int()], element.clone()));
        if !self.argument(args[0], &array, &cause) {
            self.infer_all(&args[1..]);
            return Some(Ty::error());
        }
        self.solve();
        let rows = self.table.zonk(&element);
        let result = match index {
            Some(index) => {
                if self.table.may_depend(&element, &position) {
                    self.found.indexed(id, index.clone());
                    self.found.assume_all(assumed);
                }
                self.table.at_index(&element, &position, &index)
            }
            None if rows.mentions(&position) => {
                let problem =
                    Problem::RowNotASize { rows, position: position.name.clone(), index: self.program.short(args[1]) };
                self.error(Node::Expr(args[1]), &problem);
                self.infer_all(&args[1..]);
                return Some(Ty::error());
            }
            None => {
                self.table.make_independent(&element, &position);
                self.wake_bound();
                element
            }
        };
        Some(self.call(id, callee, Ty::fun(Ty::int(), result), &args[1..], 1))
    }

    /// Whether the function argument of `generate` may use its parameter as a size.
    pub fn generates_by_position(&mut self, count: ExprId, rest: &[ExprId]) -> bool {
        let Some(&function) = rest.first() else { return false };
        let Expr::Lambda { params, .. } = self.program.expr(function) else { return false };
        params.len() == 1 && self.static_size(count).is_some()
    }

    /// Types `generate #n (lambda (i) …)`: the elements may depend on `i`, which can be used as a size.
    pub fn generate_by_position(
        &mut self,
        id: ExprId,
        callee: ExprId,
        count: ExprId,
        rest: &[ExprId],
        note: impl Fn(&mut Self, &Ty),
    ) -> Ty {
        let Some(len) = self.static_size(count) else { return Ty::error() };
        let size = Ty::new(TyKind::Size(len.clone()));
        self.found.set_type(count, size.clone());
        let (array, element) = self.any_array(&len);
        let positions: Vec<Var> = array.as_array().and_then(|a| a.position.clone()).into_iter().collect();
        if let (Expr::Lambda { params, .. }, Some(position)) = (self.program.expr(rest[0]), positions.first()) {
            self.binders.set_position(params[0], position);
            self.found.generated(id, position.clone());
        }
        let ty = Ty::fun(Ty::fun(Ty::int(), element), array);
        note(self, &Ty::fun(size, ty.clone()));
        self.at_positions_of_call(id, callee, ty, rest, &positions)
    }

    fn at_positions_of_call(&mut self, id: ExprId, callee: ExprId, ty: Ty, rest: &[ExprId], positions: &[Var]) -> Ty {
        let instance =
            crate::infer::result::Instance { types: Vec::new(), sizes: Vec::new(), positions: positions.to_vec() };
        self.found.instantiated(callee, instance);
        self.call(id, callee, ty, rest, 1)
    }
}

/// A quotient or remainder of two constants, which may be negative, as at run time.
fn quotient(id: PrimitiveId, operands: &[Size]) -> Option<Size> {
    let [a, b] = operands else { return None };
    let (a, b) = (a.as_const()?, b.as_const()?);
    Some(Size::int(match id {
        PrimitiveId::Div => a.checked_div(b)?,
        PrimitiveId::Mod => a.checked_rem(b)?,
        PrimitiveId::FloorMod => {
            let rest = a.checked_rem(b)?;
            if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
        }
        _ => return None,
    }))
}

/// An integer primitive on sizes, provided that no negative value is divided.
fn integer_operation(id: PrimitiveId, operands: &[Size]) -> Option<Size> {
    Some(match (id, operands) {
        (PrimitiveId::Add, [a, b]) => a.add(b),
        (PrimitiveId::Sub, [a, b]) => a.sub(b),
        (PrimitiveId::Mul, [a, b]) => a.mul(b),
        (PrimitiveId::Div, [a, b]) if b.as_const().is_none_or(|b| b > 0) => a.div_floor(b),
        (PrimitiveId::Mod | PrimitiveId::FloorMod, [a, b]) if b.as_const().is_none_or(|b| b > 0) => a.rem(b),
        (PrimitiveId::Min, [a, b]) => Size::min(a, b),
        (PrimitiveId::Max, [a, b]) => Size::max(a, b),
        (PrimitiveId::ShiftLeft, [a, b]) => a.mul(&Size::nat(2).pow(b)),
        (PrimitiveId::Identity | PrimitiveId::ToInt, [a]) => a.clone(),
        _ => return None,
    })
}
