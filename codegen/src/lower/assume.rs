//! Assumptions about skolems, checked on the device where the length becomes known. (The host checks assumptions about
//! size parameters before the run.)

use super::Result;
use super::function::FunctionBuilder;
use super::program::ProgramBuilder;
use super::value::Env;
use crate::failure::Message;
use crate::opencl::{BinaryOp, Expr};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Size, Var, VarKind};

/// An assumption in terms of the values of skolems, with its message and origin.
pub struct Opened {
    pub assumption: Assumption,
    pub message: Message,
    /// The values of its first two variables, for the message.
    pub values: Vec<Size>,
    pub origin: Origin,
}

impl Opened {
    pub fn new(assumption: &Assumption, env: &Env<'_>, origin: &Origin) -> Opened {
        let message = Message::false_assumption(assumption);
        let values = assumption.vars().iter().take(2).map(|v| env.size(&Size::var(v.clone()))).collect();
        let assumption = assumption.subst(&mut |v| env.has_size(v).then(|| env.size(&Size::var(v.clone()))));
        Opened { assumption, message, values, origin: origin.clone() }
    }
}

impl<'k> ProgramBuilder<'k> {
    /// The assumptions that can be checked once these lengths are opened, and not before.
    pub fn assumptions_of(&self, opened: &[Var], env: &Env<'k>) -> Vec<Opened> {
        let mut found = Vec::new();
        for (assumption, origin) in &self.kernel.assumptions {
            let vars = assumption.vars();
            let now = vars.iter().any(|v| opened.contains(v));
            let known = vars.iter().all(|v| v.kind == VarKind::Param || env.has_size(v));
            if now && known {
                found.push(Opened::new(assumption, env, origin));
            }
        }
        found
    }
}

impl Opened {
    /// Records a failure if an assumption is false; the code that follows may rely on it.
    pub fn check_assumption(&self, f: &mut FunctionBuilder) -> Result<()> {
        if f.facts().proves(&self.assumption).is_yes() {
            f.program_mut().needless(&Message::false_assumption(&self.assumption), &self.origin);
            return Ok(());
        }
        if !f.is_checked() {
            return Ok(());
        }
        let origin = self.origin.clone();
        f.at(&origin, |f| fail_if_false(f, &self.assumption, self))
    }
}

/// Checks an assumption; a quantified one in a loop over the indices.
fn fail_if_false(f: &mut FunctionBuilder, assumption: &Assumption, opened: &Opened) -> Result<()> {
    if let Assumption::ForAll { position, count, holds } = assumption {
        return f.for_each("i", count, |f, i| {
            fail_if_false(f, &holds.subst(&mut |v| (v == position).then(|| i.clone())), opened)
        });
    }
    let Some(wrong) = is_false(f, assumption)? else { return fail_where(f, assumption, opened) };
    let mut values = [Expr::int(0), Expr::int(0)];
    for (value, size) in values.iter_mut().zip(&opened.values) {
        *value = f.size(size)?;
    }
    f.stop_if(wrong, &opened.message, values)
}

/// Checks a conditional assumption where its conditions hold.
fn fail_where(f: &mut FunctionBuilder, assumption: &Assumption, opened: &Opened) -> Result<()> {
    let Assumption::Where { given, holds } = assumption else { return Ok(()) };
    let Some((first, rest)) = given.split_first() else { return fail_if_false(f, holds, opened) };
    let rest = (**holds).clone().given(rest.to_vec());
    // Conditions of a program compare two sizes.
    let Some(excluded) = is_false(f, first)? else { return fail_if_false(f, &rest, opened) };
    let (then, ()) = f.scope(|f| fail_if_false(f, &rest, opened))?;
    f.emit_if(excluded.not(), then, Vec::new());
    Ok(())
}

/// The test that an assumption is false; `None` if it is quantified or conditional.
fn is_false(f: &mut FunctionBuilder, assumption: &Assumption) -> Result<Option<Expr>> {
    Ok(Some(match assumption {
        Assumption::Divides { divisor, value } => {
            let (d, v) = (f.exact_size(divisor)?, f.exact_size(value)?);
            let remains = Expr::binary(BinaryOp::Ne, v.rem(d.clone()), Expr::int(0));
            if d.as_int().is_some_and(|d| d > 0) { remains } else { d.le(Expr::int(0)).or(remains) }
        }
        Assumption::NonNegative(a) => f.exact_size(a)?.lt(Expr::int(0)),
        Assumption::Positive(a) => f.exact_size(a)?.le(Expr::int(0)),
        Assumption::AtMost(a, b) => {
            let (a, b) = (f.exact_size(a)?, f.exact_size(b)?);
            b.lt(a)
        }
        Assumption::Equal(a, b) => {
            let (a, b) = (f.exact_size(a)?, f.exact_size(b)?);
            Expr::binary(BinaryOp::Ne, a, b)
        }
        Assumption::ForAll { .. } | Assumption::Where { .. } => return Ok(None),
    }))
}
