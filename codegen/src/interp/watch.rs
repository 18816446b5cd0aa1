//! Watched runs: compares values with the promises of their types.
//!
//! [`super::run_watched`] is [`super::run`] with these checks. After each statement and at each call of a function, the
//! value is compared with its type under the current lengths ([`Interp::watch`]): every array has as many elements as
//! its type says, the hidden lengths of a packed value are those of the value inside, and tuples and scalars have their
//! types. Since a length has one value while it is in scope, arrays whose types mention the same length agree. At the
//! end of a scope, its skolems and variables are forgotten ([`Interp::leave`]), so a type or statement that still
//! mentions one of them is found, too (`tests::watched`).
//!
//! A contradiction is a [`RunErrorKind::Unsound`]: a bug of the checker, of the elaboration or of a rewrite, never of
//! the program.

use super::eval::Interp;
use super::repr::Val;
use super::{Result, RunError, RunErrorKind};
use crate::core::{Lambda, Stmt, VarId};
use crate::sizes::SizeValues;
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::{Ty, TyKind};

impl<'k> Interp<'k> {
    /// Checks a variable that has just been assigned.
    pub fn watch(&mut self, var: VarId) -> Result<()> {
        let Some(Some(value)) = self.slots.get(var.0 as usize).cloned() else { return Ok(()) };
        let ty = self.kernel.ty(var);
        self.compare(ty, &value).map_err(|why| unsound(format!("`{} : {ty}`: {why}", self.kernel.name_of(var))))
    }

    /// Checks the result of the kernel, which is outside every scope.
    pub fn watch_result(&mut self, value: &Val) -> Result<()> {
        let ty = &self.kernel.result;
        self.compare(ty, value).map_err(|why| unsound(format!("the result, `{ty}`: {why}")))
    }

    /// Compares a value with its type under the current lengths.
    fn compare(&mut self, ty: &Ty, value: &Val) -> std::result::Result<(), String> {
        self.knows_lengths(ty)?;
        is_of_type(ty, value, &mut self.env)
    }

    /// Checks that every skolem in the type is in scope, which matters even for an empty array, whose rows cannot
    /// contradict it.
    fn knows_lengths(&self, ty: &Ty) -> std::result::Result<(), String> {
        let mut unknown = None;
        ty.any_size_var(&mut |v| {
            let is_unknown = v.kind == VarKind::Skolem && self.env.get(v).is_none();
            if is_unknown {
                unknown = Some(v.name.clone());
            }
            is_unknown
        });
        unknown.map_or(Ok(()), |name| Err(format!("the length `{name}` is mentioned outside of its scope")))
    }

    /// Ends the scope of these statements.
    pub fn leave(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            for length in &stmt.binds {
                self.env.remove(length);
            }
            self.forget(stmt.var);
        }
    }

    /// Ends the scope of a call.
    pub fn leave_call(&mut self, f: &Lambda) {
        for param in &f.params {
            self.forget(*param);
        }
    }

    fn forget(&mut self, var: VarId) {
        if let Some(slot) = self.slots.get_mut(var.0 as usize) {
            *slot = None;
        }
    }
}

fn unsound(message: String) -> RunError {
    RunError::new(RunErrorKind::Unsound, message)
}

/// Compares a value with its type. `lengths` are those in scope; they are restored on return.
fn is_of_type(ty: &Ty, value: &Val, lengths: &mut SizeValues) -> std::result::Result<(), String> {
    let of = |size: &Size, lengths: &SizeValues| {
        lengths.eval(size).map_err(|e| format!("its length `{size}` means nothing here: {e}"))
    };
    match (ty.kind(), value) {
        (TyKind::Scalar(scalar), value) if value.number().is_some_and(|x| x.scalar() == *scalar) => Ok(()),
        (TyKind::Tuple(types), Val::Tuple(parts)) if types.len() == parts.len() => {
            types.iter().zip(parts.iter()).try_for_each(|(ty, part)| is_of_type(ty, part, lengths))
        }
        (TyKind::Vec(lane, width), Val::Vec(lanes)) => {
            let said = of(width, lengths)?;
            if said != lanes.len() as i64 {
                return Err(format!("`{width}` is {said}, but there are {} lanes", lanes.len()));
            }
            lanes.iter().try_for_each(|v| is_of_type(lane, v, lengths))
        }
        (TyKind::Array(array), Val::Array(elements)) => {
            let said = of(&array.len, lengths)?;
            if said != elements.len() as i64 {
                return Err(format!("its length `{}` is {said}, but it has {} elements", array.len, elements.len()));
            }
            // Elements of one array have the same representation, which was checked when the first one was inserted.
            if array.element.as_scalar().is_some() {
                return elements.get(0).map_or(Ok(()), |first| is_of_type(&array.element, &first, lengths));
            }
            let Some(position) = &array.position else {
                return elements.iter().try_for_each(|x| is_of_type(&array.element, &x, lengths));
            };
            let before = lengths.get(position);
            let rows = elements.iter().enumerate().try_for_each(|(i, x)| {
                lengths.insert(position.clone(), i as i64);
                is_of_type(&array.element, &x, lengths).map_err(|why| format!("at position {i}: {why}"))
            });
            restore(lengths, [(position, before)]);
            rows
        }
        (TyKind::Exists(vars, body), Val::Packed(packed)) if vars.len() == packed.lengths.len() => {
            let before: Vec<_> = vars.iter().map(|v| (v, lengths.get(v))).collect();
            for (var, length) in vars.iter().zip(&packed.lengths) {
                lengths.insert(var.clone(), *length);
            }
            let inside = is_of_type(body, &packed.value, lengths);
            restore(lengths, before);
            inside.map_err(|why| format!("what is hidden in `{ty}`: {why}"))
        }
        (_, value) => Err(format!("it is {} where its type says `{ty}`", value.describe())),
    }
}

fn restore<'v>(
    lengths: &mut SizeValues,
    before: impl IntoIterator<Item = (&'v lift_analysis::size::Var, Option<i64>)>,
) {
    for (var, value) in before {
        match value {
            Some(value) => lengths.insert(var.clone(), value),
            None => lengths.remove(var),
        };
    }
}
