//! Registers: variables that hold a scalar, a vector or a tuple of these.

use super::Result;
use super::function::FunctionBuilder;
use super::index::zero;
use super::value::{Value, VecValue};
use super::write::is_flat;
use crate::opencl::{CType, Expr};

impl<'k> FunctionBuilder<'_, 'k> {
    /// Evaluates a value with all components of a tuple.
    pub fn forced(&mut self, v: &Value<'k>) -> Result<Value<'k>> {
        Ok(match self.force(v)? {
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(|p| self.forced(p)).collect::<Result<_>>()?),
            other => other,
        })
    }

    /// Declares variables for a scalar, a vector or a tuple of these, initialised to zero if `is_zero`; `None` if the
    /// value contains an array.
    pub fn registers(&mut self, like: &Value<'k>, name: &str, is_zero: bool) -> Result<Option<Value<'k>>> {
        let like = self.forced(like)?;
        if !is_flat(&like) {
            return Ok(None);
        }
        registers_flat(self, &like, name, is_zero).map(Some)
    }

    /// Declares variables for a value of this form, initialised to zero.
    pub fn registers_like(&mut self, like: &Value<'k>, name: &str) -> Result<Option<Value<'k>>> {
        self.registers(like, name, true)
    }

    /// Declares variables that hold this scalar, vector or tuple of these.
    pub fn registers_with(&mut self, value: &Value<'k>, name: &str) -> Result<Option<Value<'k>>> {
        let value = self.forced(value)?;
        if !is_flat(&value) {
            return Ok(None);
        }
        registers_holding(self, &value, name).map(Some)
    }

    /// Assigns to registers simultaneously: the value may mention them.
    pub fn assign_registers(&mut self, to: &Value<'k>, value: &Value<'k>) -> Result<()> {
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        self.flatten(to, &mut targets)?;
        self.flatten(value, &mut values)?;
        if targets.len() != values.len() {
            return Err(self.error("", "two values of one type have different forms"));
        }
        let mut pending: Vec<(Expr, CType, Expr)> = targets
            .into_iter()
            .zip(values)
            .filter(|((t, _), (v, _))| t != v)
            .map(|((t, ty), (v, _))| (t, ty, v))
            .collect();
        // Assign in order as long as no later value reads the target; otherwise compute those values first.
        for i in 0..pending.len() {
            let target = pending[i].0.clone();
            for (_, ty, later) in pending.iter_mut().skip(i + 1) {
                if later.mentions(&target) {
                    *later = self.bind("next", *ty, later.clone());
                }
            }
            let (_, _, value) = pending[i].clone();
            self.assign(target, value);
        }
        Ok(())
    }
}

fn registers_flat<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    like: &Value<'k>,
    name: &str,
    is_zero: bool,
) -> Result<Value<'k>> {
    Ok(match like {
        Value::Scalar(s) => {
            let ty = s.ty();
            f.note_double(ty);
            let init = is_zero.then(|| zero(ty));
            let name = f.variable(name, CType::of(ty), init);
            Value::computed(ty, Expr::Var(name))
        }
        Value::Vec(v) => {
            let ty = CType::Vec(v.scalar, v.width);
            let init = is_zero.then(|| Expr::Vector(ty, vec![zero(v.scalar)]));
            let name = f.variable(name, ty, init);
            Value::Vec(VecValue { expr: Expr::Var(name), ..v.clone() })
        }
        Value::Tuple(parts) => {
            let mut all = Vec::new();
            for (i, p) in parts.iter().enumerate() {
                all.push(registers_flat(f, p, &format!("{name}_{}", i + 1), is_zero)?);
            }
            Value::Tuple(all)
        }
        other => return Err(f.error("", format!("{other:?} has no registers"))),
    })
}

fn registers_holding<'k>(f: &mut FunctionBuilder<'_, 'k>, value: &Value<'k>, name: &str) -> Result<Value<'k>> {
    Ok(match value {
        Value::Scalar(s) => {
            let ty = s.ty();
            let init = f.scalar(s)?;
            Value::computed(ty, Expr::Var(f.variable(name, CType::of(ty), Some(init))))
        }
        Value::Vec(v) => {
            let name = f.variable(name, CType::Vec(v.scalar, v.width), Some(v.expr.clone()));
            Value::Vec(VecValue { expr: Expr::Var(name), ..v.clone() })
        }
        Value::Tuple(parts) => {
            let mut all = Vec::new();
            for (i, p) in parts.iter().enumerate() {
                all.push(registers_holding(f, p, &format!("{name}_{}", i + 1))?);
            }
            Value::Tuple(all)
        }
        other => return Err(f.error("", format!("{other:?} has no registers"))),
    })
}
