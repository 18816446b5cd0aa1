//! Evaluates blocks, statements and functions. Each variable has one slot, because there is no recursion.

use super::repr::{Array, Collector, Meter, Val, check_fits, import_scalars, malformed};
use super::sizes::{check_assumption, hidden_lengths};
use super::{Limits, Result, RunError, RunErrorKind, scalar};
use crate::core::{Atom, Block, Kernel, Lambda, Rhs, ScalarOp, Stmt};
use crate::failure::Message;
use crate::sizes::SizeValues;
use crate::value::{ArrayValue, Value};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, LengthCheck, Size, Var};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Maximum nesting of blocks: more than any real program has, and within the thread's stack.
const MAX_DEPTH: u32 = 5000;

pub struct Interp<'k> {
    pub kernel: &'k Kernel,
    pub env: SizeValues,
    pub meter: Rc<Meter>,
    pub limits: Limits,
    pub slots: Vec<Option<Val>>,
    steps: u64,
    depth: u32,
    /// The assumptions to check when a length or index variable is bound: those for which it is the last missing value.
    pending: FxHashMap<Var, Vec<&'k (Assumption, Origin)>>,
    /// Whether values are compared with their types ([`super::watch`]).
    watched: bool,
}

/// Evaluates a kernel; its size parameters are bound and assumptions about them checked.
pub fn evaluate(kernel: &Kernel, inputs: Vec<Value>, env: SizeValues, limits: Limits, watched: bool) -> Result<Value> {
    check_fits(&kernel.result, &env, limits.bytes)?;
    let mut interp = Interp {
        kernel,
        env,
        meter: Meter::new(limits.bytes),
        limits,
        slots: vec![None; kernel.vars.len()],
        steps: 0,
        depth: 0,
        pending: pending_assumptions(kernel),
        watched,
    };
    for (param, input) in kernel.params.iter().zip(inputs) {
        let value = interp.take_in(kernel.ty(*param), input)?;
        interp.slots[param.0 as usize] = Some(value);
        if watched {
            interp.watch(*param)?;
        }
    }
    let result = interp.block(&kernel.body)?;
    if watched {
        interp.watch_result(&result)?;
    }
    Ok(result.export())
}

/// The assumptions about skolems and index variables, by the one that is bound last.
fn pending_assumptions(kernel: &Kernel) -> FxHashMap<Var, Vec<&(Assumption, Origin)>> {
    let mut order = FxHashMap::default();
    kernel.body.visit(&mut |stmt| {
        for var in stmt.binds.iter().chain(positions_of_call(&stmt.rhs)) {
            let place = order.len();
            order.insert(var, place);
        }
    });
    let mut pending: FxHashMap<Var, Vec<_>> = FxHashMap::default();
    for entry in &kernel.assumptions {
        let last = entry.0.vars().into_iter().filter_map(|v| Some((*order.get(&v)?, v))).max();
        if let Some((_, var)) = last {
            pending.entry(var).or_default().push(entry);
        }
    }
    pending
}

/// The index variables that a call binds in its functions.
fn positions_of_call(rhs: &Rhs) -> impl Iterator<Item = &Var> {
    let funs = match rhs {
        Rhs::Prim(call) => call.funs.as_slice(),
        _ => &[],
    };
    funs.iter().filter_map(|f| f.position.as_ref())
}

impl<'k> Interp<'k> {
    fn tick(&mut self) -> Result<()> {
        self.steps += 1;
        if self.steps <= self.limits.steps {
            return Ok(());
        }
        let message = format!("the run was stopped after {} steps", self.limits.steps);
        Err(RunError::new(RunErrorKind::Limit, message))
    }

    pub fn block(&mut self, block: &'k Block) -> Result<Val> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(RunError::new(RunErrorKind::Limit, "functions and branches are nested too deeply"));
        }
        for stmt in &block.stmts {
            self.stmt(stmt).map_err(|e| e.at(&stmt.origin))?;
        }
        self.depth -= 1;
        let result = self.atom(&block.result);
        if self.watched {
            self.leave(&block.stmts);
        }
        result
    }

    fn stmt(&mut self, stmt: &'k Stmt) -> Result<()> {
        self.tick()?;
        let value = match &stmt.rhs {
            Rhs::Atom(a) => self.atom(a)?,
            Rhs::Scalar(op, operands) => self.scalar(*op, operands)?,
            Rhs::Tuple(parts) => Val::Tuple(parts.iter().map(|a| self.atom(a)).collect::<Result<_>>()?),
            Rhs::Proj(tuple, i) => {
                let parts = self.atom(tuple)?.tuple()?;
                parts.get(*i).cloned().ok_or_else(|| malformed(format!("a tuple has no component {}", i + 1)))?
            }
            Rhs::If(condition, then, otherwise) => {
                let holds = self.atom(condition)?.bool()?;
                self.block(if holds { then } else { otherwise })?
            }
            Rhs::Prim(call) => self.prim(call, self.kernel.ty(stmt.var))?,
            Rhs::Store(_, a) => self.atom(a)?,
            Rhs::Pack(a, witnesses) => {
                let lengths = witnesses.iter().map(|w| self.length(w)).collect::<Result<_>>()?;
                Val::packed(lengths, self.atom(a)?)
            }
            Rhs::Unpack(a) => self.unpack(a, &stmt.binds)?,
            Rhs::Cast(a, checks) => {
                checks.iter().try_for_each(|check| self.check_length(check, &stmt.origin))?;
                self.atom(a)?
            }
        };
        let slot = self.slots.get_mut(stmt.var.0 as usize);
        *slot.ok_or_else(|| malformed("a variable is not declared".into()))? = Some(value);
        if self.watched { self.watch(stmt.var) } else { Ok(()) }
    }

    fn unpack(&mut self, packed: &Atom, binds: &'k [Var]) -> Result<Val> {
        let Val::Packed(packed) = self.atom(packed)? else {
            return Err(malformed("the unpacked value has no hidden length".into()));
        };
        if packed.lengths.len() != binds.len() {
            return Err(malformed("an `unpack` binds another number of lengths than are hidden".into()));
        }
        for (var, length) in binds.iter().zip(&packed.lengths) {
            self.bind(var, *length)?;
        }
        Ok(packed.value.clone())
    }

    /// Binds a length or index variable, and checks the assumptions that are complete now.
    pub fn bind(&mut self, var: &Var, value: i64) -> Result<()> {
        self.env.insert(var.clone(), value);
        match self.pending.get(var) {
            None => Ok(()),
            Some(due) => due.iter().try_for_each(|(a, origin)| check_assumption(a, origin, &self.env)),
        }
    }

    fn check_length(&self, check: &LengthCheck, at: &Origin) -> Result<()> {
        if let Some(relies) = &check.relies {
            return check_assumption(relies, at, &self.env);
        }
        let (left, right) = check.sides();
        let (l, r) = (self.length(&left)?, self.length(&right)?);
        if l == r {
            return Ok(());
        }
        Err(RunError::failed(&Message::false_cast(check), l, r))
    }

    pub fn length(&self, size: &Size) -> Result<i64> {
        self.env
            .eval(size)
            .map_err(|e| RunError::new(RunErrorKind::Argument, format!("the size `{size}` has no value: {e}")))
    }

    pub fn atom(&self, atom: &Atom) -> Result<Val> {
        match atom {
            Atom::Var(v) => match self.slots.get(v.0 as usize) {
                Some(Some(value)) => Ok(value.clone()),
                _ => Err(malformed(format!("the variable {} has no value yet", v.0))),
            },
            Atom::Lit(l) => Ok(Val::literal(*l)),
            Atom::Size(s) => match s.as_const() {
                Some(n) => number(n),
                None => match s.eval_int(&|v| self.env.get(v)) {
                    Ok(n) => number(n),
                    Err(e) => Err(RunError::new(RunErrorKind::Argument, format!("the size `{s}` has no value: {e}"))),
                },
            },
        }
    }

    fn scalar(&self, op: ScalarOp, operands: &[Atom]) -> Result<Val> {
        match operands {
            [x] => scalar::unary(op, &self.atom(x)?),
            [x, y] => scalar::binary(op, &self.atom(x)?, &self.atom(y)?),
            _ => Err(malformed(format!("`{}` has {} operands", op.name(), operands.len()))),
        }
    }

    pub fn call<const N: usize>(&mut self, f: &'k Lambda, args: [Val; N]) -> Result<Val> {
        if f.params.len() != N {
            return Err(malformed(format!("a function of {} parameters is applied to {N}", f.params.len())));
        }
        self.call_many(f, args)
    }

    pub fn call_many(&mut self, f: &'k Lambda, args: impl IntoIterator<Item = Val>) -> Result<Val> {
        self.tick().map_err(|e| e.at(&f.origin))?;
        for (param, arg) in f.params.iter().zip(args) {
            let slot = self.slots.get_mut(param.0 as usize);
            *slot.ok_or_else(|| malformed("a parameter is not declared".into()))? = Some(arg);
        }
        if !self.watched {
            return self.block(&f.body);
        }
        f.params.iter().try_for_each(|param| self.watch(*param)).map_err(|e| e.at(&f.origin))?;
        let result = self.block(&f.body)?;
        self.leave_call(f);
        Ok(result)
    }

    /// Converts an input; hidden lengths are found from its shape.
    fn take_in(&mut self, ty: &Ty, value: Value) -> Result<Val> {
        Ok(match (ty.kind(), value) {
            (TyKind::Exists(vars, body), value) => {
                let lengths = hidden_lengths(vars, body, &value, &self.env)?;
                for (v, n) in vars.iter().zip(&lengths) {
                    self.env.insert(v.clone(), *n);
                }
                Val::packed(lengths, self.take_in(body, value)?)
            }
            (TyKind::Tuple(types), Value::Tuple(parts)) => {
                Val::Tuple(types.iter().zip(parts).map(|(t, v)| self.take_in(t, v)).collect::<Result<_>>()?)
            }
            (TyKind::Vec(element, _), Value::Vec(lanes)) => {
                Val::Vec(lanes.into_iter().map(|v| self.take_in(element, v)).collect::<Result<_>>()?)
            }
            (TyKind::Array(a), Value::Array(elements)) => Val::Array(if elements.is_empty() {
                Collector::new(&self.meter, &a.element, 0)?.finish()
            } else if let ArrayValue::Values(rows) = elements {
                let mut out = Collector::new(&self.meter, &a.element, rows.len())?;
                for (i, row) in rows.into_iter().enumerate() {
                    if let Some(position) = &a.position {
                        self.env.insert(position.clone(), i as i64);
                    }
                    out.push(self.take_in(&a.element, row)?)?;
                }
                out.finish()
            } else {
                import_scalars(&self.meter, &a.element, elements)?
            }),
            (_, value) => match value.number() {
                Some(number) => number.into(),
                None => {
                    let message = format!("`{ty}` is expected, but an input is {}", value.describe());
                    return Err(RunError::new(RunErrorKind::Input, message));
                }
            },
        })
    }

    pub fn collector(&self, element: &Ty, most: usize) -> Result<Collector> {
        Collector::new(&self.meter, element, most)
    }
}

/// A length or index as a value of the program; fails if it exceeds an `Int`.
pub fn number(size: i64) -> Result<Val> {
    i32::try_from(size).map(Val::Int).map_err(|_| RunError::failed(&Message::too_large_number(), size, 0))
}

/// The element at `i`, which should exist.
pub fn nth(xs: &Array, i: usize) -> Result<Val> {
    xs.get(i).ok_or_else(|| out_of_range(i as i64, xs.len()))
}

/// Checks an index that the program computed.
pub fn checked_index(i: i64, len: usize) -> Result<usize> {
    usize::try_from(i).ok().filter(|i| *i < len).ok_or_else(|| out_of_range(i, len))
}

fn out_of_range(i: i64, len: usize) -> RunError {
    RunError::failed(&Message::out_of_range(), i, len as i64)
}
