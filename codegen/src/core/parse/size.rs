//! Sizes and assumptions.

use super::{Parser, Result};
use lift_analysis::size::{Assumption, LengthCheck, Size, Var, VarKind};

impl Parser<'_> {
    /// Parses a size, or `a mod b` without parentheses.
    pub(super) fn expression(&mut self) -> Result<Size> {
        let left = self.size()?;
        if self.take(" mod ") { Ok(left.rem(&self.size()?)) } else { Ok(left) }
    }

    /// Parses a size without spaces.
    pub(super) fn size(&mut self) -> Result<Size> {
        let mut sum = if self.take("-") { self.product()?.neg() } else { self.product()? };
        loop {
            if self.take("+") {
                let negative = self.take("-");
                let next = self.product()?;
                sum = if negative { sum.sub(&next) } else { sum.add(&next) };
            } else if self.take("-") {
                sum = sum.sub(&self.product()?);
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<Size> {
        let mut product = self.power()?;
        loop {
            if self.take("*") {
                product = product.mul(&self.power()?);
            } else if self.take("/") {
                product = product.div_exact(&self.power()?);
            } else {
                return Ok(product);
            }
        }
    }

    fn power(&mut self) -> Result<Size> {
        let base = self.whole()?;
        if self.take("^") { Ok(base.pow(&self.whole()?)) } else { Ok(base) }
    }

    fn whole(&mut self) -> Result<Size> {
        if self.take("floor(") {
            return self.floor();
        }
        if self.take("min(") {
            return self.extremum(Size::min);
        }
        if self.take("max(") {
            return self.extremum(Size::max);
        }
        if self.take("sum(") {
            return self.scope(|this| {
                let (name, _) = this.rest().split_once('<').ok_or("a sum without `<`")?;
                this.at += name.len() + 1;
                // The index is not in scope in its bound.
                let count = this.size()?;
                let index = this.bound_in_type(VarKind::Position, name);
                this.require(", ")?;
                let body = this.expression()?;
                this.require(")")?;
                Ok(Size::sum(index, count, body))
            });
        }
        if self.take("if(") {
            let left = self.expression()?;
            self.require("<=")?;
            let right = self.expression()?;
            self.require(",")?;
            let then = self.expression()?;
            self.require(",")?;
            let otherwise = self.expression()?;
            self.require(")")?;
            return Ok(Size::if_le(&left, &right, &then, &otherwise));
        }
        if self.take("(") {
            let inside = self.expression()?;
            self.require(")")?;
            return Ok(inside);
        }
        let rest = self.rest();
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            self.at += digits;
            return rest[..digits].parse().map(Size::nat).map_err(|_| format!("`{}` is too large", &rest[..digits]));
        }
        self.named()
    }

    /// Parses the longest name in scope that matches, because a name may contain `-`.
    fn named(&mut self) -> Result<Size> {
        let rest = self.rest();
        let longest = self.lengths.iter().rev().filter(|v| rest.starts_with(&*v.name)).max_by_key(|v| v.name.len());
        let whole = |v: &&Var| !rest[v.name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        // The innermost of several equal names is meant.
        let innermost = longest.and_then(|longest| self.lengths.iter().rev().find(|v| v.name == longest.name));
        let found = innermost.filter(whole).cloned();
        let Some(var) = found else {
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            return Err(format!("no length is called `{word}` here"));
        };
        self.at += var.name.len();
        Ok(Size::var(var))
    }

    /// Parses `a*b/c)`, a division rounded down.
    fn floor(&mut self) -> Result<Size> {
        let mut product = self.power()?;
        loop {
            let multiplied = self.take("*");
            if !multiplied {
                self.require("/")?;
            }
            let next = self.power()?;
            product = match (multiplied, self.take(")")) {
                (true, false) => product.mul(&next),
                (false, false) => product.div_exact(&next),
                (false, true) => return Ok(product.div_floor(&next)),
                (true, true) => return Err("`floor` needs a quotient".into()),
            };
        }
    }

    fn extremum(&mut self, of: fn(&Size, &Size) -> Size) -> Result<Size> {
        let mut result = self.expression()?;
        while self.take(",") {
            result = of(&result, &self.expression()?);
        }
        self.require(")")?;
        Ok(result)
    }

    /// Parses an assumption; a quantified one names its index variables at the end of the line.
    pub(super) fn assumption(&mut self) -> Result<Assumption> {
        self.scope(|this| {
            let positions = this.positions();
            let a = this.expression()?;
            let mut holds = if this.take(" divides ") {
                Assumption::Divides { divisor: a, value: this.expression()? }
            } else if this.take(" is at most ") {
                Assumption::AtMost(a, this.expression()?)
            } else if this.take(" equals ") {
                Assumption::Equal(a, this.expression()?)
            } else if this.take(" is positive") {
                Assumption::Positive(a)
            } else {
                this.require(" is not negative")?;
                Assumption::NonNegative(a)
            };
            for (position, count) in this.counts(positions)? {
                holds = Assumption::ForAll { position, count, holds: Box::new(holds) };
            }
            Ok(holds)
        })
    }

    pub(super) fn length_check(&mut self) -> Result<LengthCheck> {
        self.scope(|this| {
            let positions = this.positions();
            let left = this.expression()?;
            this.require(" = ")?;
            let right = this.expression()?;
            Ok(LengthCheck { rows: this.counts(positions)?, ..LengthCheck::new(left, right) })
        })
    }

    /// Binds the index variables of the check or assumption that starts here. They follow it, up to the next check or
    /// the end of the line.
    fn positions(&mut self) -> Vec<Var> {
        let line = self.rest().lines().next().unwrap_or_default();
        let names = line.split(" for every ").skip(1).filter_map(|part| part.split_once(" below "));
        names.map(|(name, _)| self.bound_in_type(VarKind::Position, name)).collect()
    }

    fn counts(&mut self, positions: Vec<Var>) -> Result<Vec<(Var, Size)>> {
        let mut counts = Vec::new();
        for position in positions {
            if !self.take(&format!(" for every {position} below ")) {
                break;
            }
            counts.push((position, self.expression()?));
        }
        Ok(counts)
    }
}
