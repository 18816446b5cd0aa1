//! Parameters and indices of a function under construction, as sizes.

use super::FunctionBuilder;
use crate::failure::Message;
use crate::lower::Result;
use crate::lower::value::LengthSource;
use crate::opencl::{CType, Expr, Helper};
use lift_analysis::hir::Name;
use lift_analysis::size::{Size, Var, VarKind};

impl<'k> FunctionBuilder<'_, 'k> {
    /// A size variable for a loop index or a computed number, given the C expression of its value.
    pub fn index_var(&mut self, name: &str, expr: Expr) -> Var {
        let var = self.program.fresh_var(name);
        self.known.alias(&var, expr);
        var
    }
    /// A size variable with the value, and so the bounds, of a size.
    fn index_like(&mut self, size: &Size, name: &str, expr: Expr) -> Var {
        let var = self.index_var(name, expr);
        let (low, high) = self.facts().bounds(size);
        self.known.assume_range(var.clone(), low, high);
        var
    }
    /// The C expression of a variable.
    pub fn var_expr(&mut self, var: &Var) -> Result<Expr> {
        if let Some(e) = self.known.expr_of(var) {
            return Ok(e.clone());
        }
        if let Some(source) = self.program.lengths.get(var).cloned() {
            let name = self.in_prologue(|f| match source {
                LengthSource::Size(size) => f.size(&size),
                LengthSource::Buffer(buffer) => {
                    let from = f.use_buffer(buffer, false);
                    Ok(f.bind(&var.name, CType::Int, Expr::Var(from).index(Expr::int(0))))
                }
                LengthSource::Value(value, length) => {
                    length.computed.set(true);
                    // The length is that of its statement, not of the first one that reads it here.
                    f.at(&length.stmt.origin, |f| {
                        let value = f.scalar_of(&value)?;
                        let mut value = f.scalar(&value)?;
                        if f.is_checked() {
                            let message = Message::impossible_length();
                            value = f.call_checked(Helper::CheckLength, &message, [value]);
                        }
                        Ok(f.bind(&var.name, CType::Int, value))
                    })
                }
            })?;
            self.known.alias(var, name.clone());
            return Ok(name);
        }
        if var.kind == VarKind::Param {
            let size = Size::var(var.clone());
            if let Some(name) = self.signature.size(&size) {
                return Ok(Expr::Var(name.clone()));
            }
            return Ok(self.argument(&var.name, &size));
        }
        Err(self.error("", format!("the length `{var}` is not known on the device here")))
    }

    /// A size that the host evaluates, as an argument; computed here if the host does not know it.
    pub fn host_size(&mut self, size: &Size, name: &str) -> Result<Size> {
        if size.as_const().is_some() {
            return Ok(size.clone());
        }
        if size.any_var(&mut |v| v.kind != VarKind::Param) {
            let expr = self.size(size)?;
            let expr = self.bind(name, CType::Int, expr);
            return Ok(Size::var(self.index_like(size, name, expr)));
        }
        if !self.program.is_measured(size) {
            return Err(self.error("", format!("the size `{size}` is not known before the launch")));
        }
        if let Some(name) = self.signature.size(size)
            && let Some(var) = self.known.var_of(&Expr::Var(name.clone()))
        {
            return Ok(Size::var(var.clone()));
        }
        if self.position.in_branch() && self.may_be_large(size) {
            return self.wide_size(size, name, Helper::CheckNumber, &Message::too_large_number());
        }
        let name = self.fresh_name(name);
        let var = self.index_like(size, &name, Expr::Var(name.clone()));
        self.signature.add_size(size.clone(), name);
        Ok(Size::var(var))
    }

    /// A size that the host evaluates, as a `long`, and that is checked where it is used.
    pub fn wide_size(&mut self, size: &Size, name: &str, check: Helper, message: &Message) -> Result<Size> {
        let body = &mut self.body;
        let argument = self.signature.wide_size(size, || body.fresh_name(name));
        let value = match self.is_checked() {
            true => self.call_checked(check, message, [Expr::Var(argument)]),
            false => Expr::Var(argument).cast(CType::Int),
        };
        let value = self.bind(name, CType::Int, value);
        Ok(Size::var(self.index_like(size, name, value)))
    }

    /// An argument whose value the plan may change between launches.
    pub fn argument(&mut self, name: &str, value: &Size) -> Expr {
        let name = self.fresh_name(name);
        self.signature.add_size(value.clone(), name.clone());
        Expr::Var(name)
    }

    /// Local memory of `bytes` bytes, allocated by the host, as an argument.
    pub fn local_argument(&mut self, wish: &str, element: CType, bytes: Size) -> Name {
        let name = self.fresh_name(wish);
        self.signature.add_local(element, bytes, name.clone());
        name
    }
}
