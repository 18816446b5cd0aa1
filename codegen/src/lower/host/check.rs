//! What may stop a run: checks of lengths, and what is computed only because it may fail.

use super::Host;
use crate::core::Stmt;
use crate::lower::Result;
use crate::lower::function::Dims;
use crate::lower::launch::Title;
use crate::lower::value::{Deferred, Env, Value};
use lift_analysis::size::{LengthCheck, Size};
use std::rc::Rc;

impl<'k> Host<'k> {
    /// What may stop the run before the current point and no launch has computed yet; nothing where a launch may be left
    /// out.
    pub(super) fn due_checks(&self) -> Vec<Rc<Deferred<'k>>> {
        match self.guards.is_empty() && self.uncertain == 0 && self.program.is_checked() {
            true => self.to_check.iter().filter(|d| !d.computed.get() && !d.is_length).cloned().collect(),
            false => Vec::new(),
        }
    }

    /// What no kernel of the block computes, but may stop the run, is computed for that.
    pub fn check_rest(&mut self, from: usize) -> Result<()> {
        for d in self.to_check.split_off(from) {
            if !d.computed.get() {
                self.for_its_failures(d.stmt, &d.env)?;
            }
        }
        Ok(())
    }

    /// Which of the values that may stop the run some launch computes by now.
    pub fn computed(&self) -> Vec<bool> {
        self.to_check.iter().map(|d| d.computed.get()).collect()
    }

    /// Makes it those again: what was launched since then may not run.
    pub fn only_computed(&self, those: &[bool]) {
        self.to_check.iter().zip(those).for_each(|(d, computed)| d.computed.set(*computed));
    }

    /// A statement whose value nobody wants, but that may stop the run.
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

    /// Checks what the program assumes of the lengths that a statement opens.
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
        self.launch(&title, Dims::default(), [None; 3], |f| assumed.iter().try_for_each(|a| f.check_assumption(a)))?;
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
                // What the whole kernel assumes is checked already.
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

    /// Before an array of `n` elements is padded by `more`.
    pub(super) fn not_empty(&mut self, stmt: &'k Stmt, n: &Size, more: &Size) -> Result<()> {
        if !self.program.is_checked() || more.is_zero() || self.program.facts.lt(&Size::zero(), n).is_yes() {
            return Ok(());
        }
        let title = Title { name: "check", label: "check of a length", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| f.check_not_empty(n, more))
    }
}
