//! Guesses what was meant by a name that is not there because another language writes it so: `np.sum`, `xs.length`,
//! `-x`, `i+1`, `'a'`.

use crate::diagnostics::notes::Guess;
use crate::diagnostics::{Edit, Title};
use crate::foreign::{self, Foreign};
use crate::hir::*;
use crate::infer::Lookup;
use crate::infer::report::intent::Intent;
use crate::infer::results::Results;
use lift_syntax::{SCALAR_TYPES, foreign_scalar};

impl Results<'_> {
    pub fn meant_by_foreign_name(&self, id: ExprId, name: &str) -> Option<Intent> {
        (self.meant_character(id, name))
            .or_else(|| self.meant_prefix(id, name))
            .or_else(|| self.meant_infix(id, name))
            .or_else(|| self.meant_member(id, name))
    }

    /// `'a'`: characters are numbers.
    fn meant_character(&self, id: ExprId, name: &str) -> Option<Intent> {
        let mut inside = name.strip_prefix('\'')?.strip_suffix('\'')?.chars();
        let (Some(c), None) = (inside.next(), inside.next()) else { return None };
        let written = foreign::character(c)?;
        Some(replaced(id, &written, Guess::Character(written.clone())))
    }

    /// `-x` and `!c` are names.
    fn meant_prefix(&self, id: ExprId, name: &str) -> Option<Intent> {
        let (function, rest) = match name.split_at_checked(1)? {
            ("-", rest) => ("neg", rest),
            ("!", rest) => ("not", rest),
            _ => return None,
        };
        let written = format!("({function} {rest})");
        self.is_known(rest).then(|| replaced(id, &written, Guess::Write(written.clone())))
    }

    /// `i+1` and `x==y` are names.
    fn meant_infix(&self, id: ExprId, name: &str) -> Option<Intent> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let from = name.find(|c| !is_part(c))?;
        let (left, rest) = name.split_at(from);
        let (operator, right) = rest.split_at(rest.find(is_part)?);
        let operator = match foreign::word(operator) {
            Some(Foreign::Name(here)) => here,
            _ => operator,
        };
        let is_operand = |word: &str| self.is_local(word) || word.parse::<f64>().is_ok();
        if !self.is_global(operator) || ![left, right].into_iter().all(is_operand) {
            return None;
        }
        let written = format!("({operator} {left} {right})");
        Some(replaced(id, &written, Guess::Write(written.clone())))
    }

    /// `xs.length`, `p.0`, `np.sum`, `f32.i64`.
    fn meant_member(&self, id: ExprId, name: &str) -> Option<Intent> {
        let (of, member) = name.rsplit_once('.')?;
        let scalar = |word: &str| SCALAR_TYPES.iter().find(|ty| **ty == word).copied().or(foreign_scalar(word));
        let function = match (scalar(of), scalar(member), foreign::word(member)) {
            (Some(to), Some(_), _) => Scalar::spelled(to)?.conversion()?.to_owned(),
            (.., Some(Foreign::Name(here))) => here.to_owned(),
            (.., Some(Foreign::Advice(says))) => return Some(Intent::advice(Guess::Foreign(says))),
            _ => match member.parse::<u8>() {
                // The components of tuples are counted from 0 elsewhere.
                Ok(index) => format!("get{}", u32::from(index) + 1),
                Err(_) if self.is_global(member) => member.to_owned(),
                Err(_) => return None,
            },
        };
        if self.is_local(of) {
            let written = format!("({function} {of})");
            return Some(replaced(id, &written, Guess::Write(written.clone())));
        }
        let is_module = self.is_global(&function);
        is_module.then(|| replaced(id, &function, Guess::CalledHere(function.clone())))
    }

    fn is_local(&self, name: &str) -> bool {
        self.program.body().binders.iter().any(|b| &*b.name == name)
    }

    fn is_global(&self, name: &str) -> bool {
        matches!(self.program.lookup(name), Lookup::Definition(_) | Lookup::Primitive(_))
    }

    fn is_known(&self, name: &str) -> bool {
        self.is_local(name) || self.is_global(name)
    }
}

fn replaced(id: ExprId, written: &str, guess: Guess) -> Intent {
    Intent::new(guess, Title::Write(written.to_owned()), vec![Edit::Replace(Node::Expr(id), written.to_owned())])
}
