//! Maps at host level: each element is computed by launches of its own, in a loop of the host.

use super::Host;
use crate::core::{Atom, Lambda, PrimCall, Stmt};
use crate::failure::LONGEST;
use crate::lower::value::{Array, Dest, Env, Layout, Place, ScalarValue, Value, View};
use crate::lower::{Result, read};
use crate::plan::Step;
use crate::schedule::bounds;
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;

impl<'k> Host<'k> {
    /// Applies a function to one element after the other.
    pub(super) fn each_in_turn(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<Value<'k>> {
        if let Dest::Place(to) = dest {
            self.rows_in_turn(stmt, call, env, to)?;
            return self.written(dest);
        }
        let to = self.allocate(stmt, env)?;
        self.rows_in_turn(stmt, call, env, &to)?;
        let made = self.load(&to)?;
        self.deliver(stmt, made, Some(dest))
    }

    fn rows_in_turn(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, to: &Place) -> Result<()> {
        let refused = |host: &Self| host.error(stmt, "map", "this form of it is not compiled for one row at a time");
        let ([f], Value::Array(xs)) = (call.funs.as_slice(), self.atom(&call.args[0], env)) else {
            return Err(refused(self));
        };
        let (Layout::Array { capacity, element, .. }, [param]) = (&*to.layout, f.params.as_slice()) else {
            return Err(refused(self));
        };
        if !self.program.is_known_before(&xs.len) {
            return Err(refused(self));
        }
        // Facts about the row and its index hold only inside the loop.
        let outside = self.program.facts.clone();
        self.program.facts.assume_le(Size::one(), xs.len.clone());
        let index = self.index_up_to(&xs.len.sub(&Size::one()));
        let at = Size::var(index.clone());
        let Some(row) = self.element(&xs, &at, self.program.kernel.ty(*param), env) else { return Err(refused(self)) };
        let mut inner = env.clone();
        inner.bind(*param, row);
        let to = Place { layout: element.clone(), at: to.at.mul(capacity).add(&at) };
        let steps = self.perhaps(|host| host.looped(|host| host.one_row(f, inner, to)));
        self.program.facts = outside;
        let count = self.program.if_taken(&self.guards, &xs.len);
        self.program.steps.push(Step::For { index, count, steps: steps? });
        Ok(())
    }

    /// The counter of a host loop whose last iteration is `last`.
    pub(super) fn index_up_to(&mut self, last: &Size) -> Var {
        let id = self.program.fresh_var("row").id;
        let index = Var::new(VarKind::Param, bounds::FIRST_COUNTED + id, "row");
        self.program.facts.assume_range(index.clone(), Some(Size::zero()), Some(last.clone()));
        index
    }

    /// Computes the function of one element, and writes its value to `to`.
    fn one_row(&mut self, f: &'k Lambda, mut env: Env<'k>, to: Place) -> Result<()> {
        let ty = self.program.kernel.atom_ty(&f.body.result);
        let made = f.body.stmts.iter().find(|s| Atom::Var(s.var) == f.body.result);
        let made = made.filter(|_| hides_lengths(&ty));
        // A kernel finds a hidden length at the start of its buffer.
        let Some(made) = made else {
            self.block(&f.body, env, Some(&Dest::Place(to)))?;
            return Ok(());
        };
        let own = self.allocate(made, &env)?;
        env = env.clone();
        self.block(&f.body, env, Some(&Dest::Place(own.clone())))?;
        let value = self.load(&own)?;
        self.copy(&value, &Dest::Place(to), &made.origin)
    }

    /// The element, of type `ty`, of an array at an index that the host counts.
    pub(super) fn element(&mut self, xs: &Array<'k>, at: &Size, ty: &Ty, env: &Env<'k>) -> Option<Value<'k>> {
        let one = Size::one();
        Some(match (&*xs.view, ty.kind()) {
            (View::Stored { element, base }, _) => {
                // There is a row, and all of them are in one buffer.
                if let Layout::Array { capacity, .. } = &**element
                    && let Some(row) = capacity.as_var()
                {
                    self.program.facts.assume_range(row.clone(), None, Some(Size::int(LONGEST.into())));
                }
                self.load(&Place { layout: element.clone(), at: base.add(at) }).ok()?
            }
            (View::Zip(parts), TyKind::Tuple(types)) => {
                let each = |(part, ty): (&Array<'k>, &Ty)| self.element(part, at, ty, env);
                Value::Tuple(parts.iter().zip(types).map(each).collect::<Option<Vec<_>>>()?)
            }
            (View::Component(of, part), _) => match &*of.view {
                View::Zip(parts) => self.element(parts.get(*part)?, at, ty, env)?,
                View::Stored { element, base } => match &**element {
                    Layout::Tuple(parts) => {
                        self.load(&Place { layout: parts.get(*part)?.clone(), at: base.add(at) }).ok()?
                    }
                    _ => return None,
                },
                _ => column(xs, at, ty, env)?,
            },
            (View::Rows { row, of }, _) => Value::Array(read::part(row.clone(), at.mul(row), one, of)),
            (View::Windows { size, step, of }, _) => Value::Array(read::part(size.clone(), at.mul(step), one, of)),
            (View::Part { from, step, of }, _) => self.element(of, &from.add(&at.mul(step)), ty, env)?,
            (View::Iota, _) => Value::Scalar(ScalarValue::Size(at.clone())),
            (View::Fill(value), _) => value.clone(),
            _ => column(xs, at, ty, env)?,
        })
    }
}

/// Whether lengths of the value itself are hidden, not of elements.
fn hides_lengths(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Exists(..) => true,
        TyKind::Tuple(parts) => parts.iter().any(hides_lengths),
        _ => false,
    }
}

/// Row `at` of an array of arrays: a column of the transposed array.
fn column<'k>(xs: &Array<'k>, at: &Size, ty: &Ty, env: &Env<'k>) -> Option<Value<'k>> {
    let len = env.size(&ty.as_array()?.len);
    let of = match &*xs.view {
        View::Transposed(of) => of.clone(),
        _ => Array { len: len.clone(), view: Rc::new(View::Transposed(xs.clone())) },
    };
    Some(Value::Array(Array::new(len, View::Column { at: at.clone(), of })))
}
