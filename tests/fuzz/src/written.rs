//! Formatting and elaboration preserve a program's types and errors, also in explicit mode. Every second program has
//! branches that hide lengths.

use crate::choices::{Random, shrink};
use crate::program::branches::KINDS;
use crate::program::{Breadth, program};
use crate::soundness::alike;
use crate::{Case, Wrong, guarded, remember};
use lift_tests::check::Program;
use lift_tests::sample;
use std::path::Path;

pub fn try_one(seed: u64) -> Case {
    let breadth = if seed.is_multiple_of(2) { Breadth::Whole } else { Breadth::Branches };
    let choices = Random::new(seed).choices(200);
    match guarded(|| same(&program(&choices, breadth))) {
        Ok(()) => Case::Accepted,
        Err(why) => {
            let mut wrong = |c: &[u16]| guarded(|| same(&program(c, breadth))).is_err_and(|w| alike(&w, &why));
            let smaller = program(&shrink(choices, 400, &mut wrong), breadth);
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

/// Checks programs that combine every two branches of a kind in an `if`.
pub fn pairs_of_branches() -> Result<(), String> {
    const ARRAYS: [(char, [&str; 3]); 2] = [('A', ["h", "xs", "g"]), ('B', ["g", "h", "zs"])];
    for kind in &KINDS {
        let mut text = "(define (both p q xs) (tuple (filter p xs) (filter q xs)))\n".to_owned();
        for (i, then) in kind.branches.iter().enumerate() {
            for (j, otherwise) in kind.branches.iter().enumerate() {
                if !sample::takes(&(then, otherwise), 3) {
                    continue;
                }
                let filled = |branch: &str, which: usize| {
                    let names = [("v", "l", "a"), ("w", "m", "b")][which];
                    let letters = [('P', "(< 2)"), ('F', "neg"), ('V', names.0), ('L', names.1), ('M', names.2)];
                    let arrays = ARRAYS.map(|(letter, arrays)| (letter, arrays[(i + j + which) % 3]));
                    let of = |c: char| letters.iter().chain(&arrays).find(|(letter, _)| *letter == c);
                    let filled =
                        branch.chars().map(|c| of(c).map_or_else(|| c.to_string(), |(_, with)| (*with).to_owned()));
                    filled.collect::<String>()
                };
                let body = format!(
                    "(let h (filter (< 0) xs) (let g (filter (< 1) zs) (if c {} {})))",
                    filled(then, 0),
                    filled(otherwise, 1)
                );
                text += &format!(
                    "(lift k{i}-{j} (N) (bool int (array-type int N) (array-type int (* 4 N)))\n  \
                     (lambda (c k xs zs) {body}))\n"
                );
                // The lengths of what a definition takes are not known while its body is checked; where the result has
                // either of two, they are one. Each branch is in four of these.
                if [1, 3].contains(&((j + kind.branches.len() - i) % kind.branches.len())) {
                    text += &format!(
                        "(define (d{i}-{j} c (k int) xs zs) {body})\n\
                         (lift kd{i}-{j} (N) (bool int (array-type int N)) (lambda (c k xs) (d{i}-{j} c k xs xs)))\n"
                    );
                }
            }
        }
        same(&text)?;
    }
    Ok(())
}
