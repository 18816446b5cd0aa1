//! `filterSeq`: one work-item keeps the elements that pass, in order, and counts them.

use super::Result;
use super::function::FunctionBuilder;
use super::value::{Closure, Dest, Env};
use crate::core::PrimCall;
use crate::opencl::{CType, Expr};
use lift_analysis::size::Size;

impl<'k> FunctionBuilder<'_, 'k> {
    pub fn filter(&mut self, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let xs = self.atom(&call.args[0], env)?;
        let xs = self.array(&xs)?;
        self.runs_alone(call.prim, &xs.len);
        let p = Closure { lambda: &call.funs[0], env: env.clone() };
        let out = call.funs.get(1).map(|f| Closure { lambda: f, env: env.clone() });
        let body = self.dest_body(dest)?;
        let count = Expr::Var(self.variable("count", CType::Int, Some(Expr::int(0))));
        let var = self.index_var("count", count.clone());
        self.known_mut().assume_range(var.clone(), Some(Size::zero()), Some(xs.len.clone()));
        let at = Size::var(var);
        self.for_each("i", &xs.len.clone(), |b, i| {
            let x = b.read(&xs, i)?;
            // Loaded once, for the test and for the result.
            let x = b.named_scalar(&x, "x")?;
            let keep = b.call(&p, std::slice::from_ref(&x))?;
            let keep = b.scalar_of(&keep)?;
            let keep = b.scalar(&keep)?;
            let (then, ()) = b.scope(|b| {
                let to = b.dest_at(&body, &at)?;
                match &out {
                    Some(f) => b.call_into(f, std::slice::from_ref(&x), &to)?,
                    None => b.copy(&x, &to)?,
                }
                b.assign(count.clone(), count.clone().add(Expr::int(1)));
                Ok(())
            })?;
            b.emit_if(keep, then, Vec::new());
            Ok(())
        })?;
        self.dest_packed(dest, &[at])?;
        Ok(())
    }
}
