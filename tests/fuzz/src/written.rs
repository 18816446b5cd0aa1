//! Whether a program may be written otherwise: formatted, or with what the checker inserts written out, it has the same
//! types and the same errors, also where nothing is inserted.

use crate::choices::{Random, shrink};
use crate::program::{Breadth, program};
use crate::soundness::alike;
use crate::{Case, Wrong, guarded, remember};
use lift_tests::check::Program;
use std::path::Path;

pub fn try_one(seed: u64) -> Case {
    let choices = Random::new(seed).choices(200);
    match guarded(|| same(&program(&choices, Breadth::Whole))) {
        Ok(()) => Case::Accepted,
        Err(why) => {
            let mut wrong = |c: &[u16]| guarded(|| same(&program(c, Breadth::Whole))).is_err_and(|w| alike(&w, &why));
            let smaller = program(&shrink(choices, 400, &mut wrong), Breadth::Whole);
            let why = guarded(|| same(&smaller)).err().unwrap_or(why);
            Case::Wrong(Wrong { program: smaller, why })
        }
    }
}

fn same(text: &str) -> Result<(), String> {
    remember("written", text);
    let program = Program::new(Path::new("."), "random.lift", text);
    if !program.is_well_typed() {
        return Err(format!("refused: {}", program.outcome()));
    }
    program.check_invariants(Path::new("."))
}
