//! Checks at host level: of lengths, and computations made only because they may fail.

use super::Host;
use crate::core::Stmt;
use crate::lower::Result;
use crate::lower::function::Dims;
use crate::lower::launch::Title;
use crate::lower::value::{Deferred, Env, Value};
use lift_analysis::size::{LengthCheck, Size};
use std::rc::Rc;

impl<'k> Host<'k> {
    /// Computations before the current point that may stop the run and that no launch includes yet; none if the launch
    /// may be skipped.
    pub(super) fn due_checks(&self) -> Vec<Rc<Deferred<'k>>> {
        match self.guards.is_empty() && self.uncertain == 0 && self.program.is_checked() {
            true => self.to_check.iter().filter(|d| !d.computed.get() && !d.is_length).cloned().collect(),
            false => Vec::new(),
        }
    }

    /// Adds launches for computations that may stop the run but that no kernel of the block includes.
    pub fn check_rest(&mut self, from: usize) -> Result<()> {
        for d in self.to_check.split_off(from) {
            if !d.computed.get() {
                self.for_its_failures(d.stmt, &d.env)?;
            }
        }
        Ok(())
    }

    /// For each computation that may stop the run, whether a launch already includes it.
    pub fn computed(&self) -> Vec<bool> {
        self.to_check.iter().map(|d| d.computed.get()).collect()
    }

    /// Restores the state of [`Host::computed`], because the launches since then may be skipped.
    pub fn only_computed(&self, those: &[bool]) {
        self.to_check.iter().zip(those).for_each(|(d, computed)| d.computed.set(*computed));
    }

    /// Runs a statement only because it may stop the run; its value is unused.
    pub(super) fn for_its_failures(&mut self, stmt: &'k Stmt, env: &Env<'k>) -> Result<Value<'k>> {
        if !self.program.is_checked() {
            return Ok(Value::Written);
        }
        let title = Title { name: "check", label: "check", origin: &stmt.origin };
        let mut env = env.clone();
        self.launch(&title, Dims::default(), [None; 3], |f| {
            f.eval_stmt(stmt, &mut env, None)?;
            Ok(())
        })?;
        Ok(Value::Written)
    }

    /// Checks the program's assumptions about the lengths that a statement opens.
    pub(super) fn assumed(&mut self, stmt: &'k Stmt, env: &Env<'k>) -> Result<()> {
        let assumed = self.program.assumptions_of(&stmt.binds, env);
        if assumed.is_empty() {
            return Ok(());
        }
        if !self.program.is_checked() {
            assumed.iter().for_each(|a| self.program.facts.assume(&a.assumption));
            return Ok(());
        }
        let title = Title { name: "check", label: "check of lengths", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| assumed.iter().try_for_each(|a| a.check_assumption(f)))?;
        assumed.iter().for_each(|a| self.program.facts.assume(&a.assumption));
        Ok(())
    }

    pub(super) fn cast(&mut self, stmt: &'k Stmt, checks: &[LengthCheck], env: &Env<'k>) -> Result<()> {
        let mut on_the_device = Vec::new();
        for check in checks {
            let here = check.map(&mut |size| env.size(size));
            let (a, b) = here.sides();
            let proved = match &here.relies {
                Some(relies) => self.program.facts.proves(relies),
                None => self.program.facts.equal(&a, &b),
            };
            if proved.is_yes() {
                continue;
            }
            let is_known = |s: &Size| self.program.is_known_before(s);
            let known = match &here.relies {
                Some(relies) => relies.all_sizes().into_iter().all(is_known),
                None => is_known(&a) && is_known(&b),
            };
            if known && self.guards.is_empty() && self.uncertain == 0 {
                let assumption = here.assumption();
                // Assumptions of the whole kernel are checked already.
                if !self.program.checks.iter().any(|(known, _)| *known == assumption) {
                    self.program.checks.push((assumption, stmt.origin.clone()));
                }
            } else {
                on_the_device.push(check);
            }
        }
        if on_the_device.is_empty() || !self.program.is_checked() {
            return Ok(());
        }
        let title = Title { name: "check", label: "check of lengths", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| {
            for check in &on_the_device {
                f.check_equal(check, env)?;
            }
            Ok(())
        })
    }

    /// Checks that an array of `n` elements to be padded by `more` is not empty.
    pub(super) fn not_empty(&mut self, stmt: &'k Stmt, n: &Size, more: &Size) -> Result<()> {
        if !self.program.is_checked() || more.is_zero() || self.program.facts.lt(&Size::zero(), n).is_yes() {
            return Ok(());
        }
        let title = Title { name: "check", label: "check of a length", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| f.check_not_empty(n, more))
    }
}
