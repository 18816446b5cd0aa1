//! Kernels on blocks of their arrays, for the command line.

use crate::engine::{Compiled, core, problem_in, told};
use crate::places::{named_start_of, place, with_found};
use crate::report::codes;
use crate::report::parts::{ExplainedPart, ExplainedParts};
use lift_analysis::ide::Analysis;
use lift_analysis::origin::Origin;
use lift_codegen::core::{Kernel, print};
use lift_codegen::emit;
use lift_codegen::lower;
use lift_codegen::parts::{Parts, analyse};
use lift_codegen::plan::Program;
use lift_codegen::target::Target;
use std::sync::Arc;

/// Returns how a kernel is computed on blocks of its arrays.
pub fn parts(analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Compiled<Parts> {
    let kernel = match core(analysis, path, kernel)? {
        Ok(kernel) => kernel,
        Err(problems) => return Ok(Err(problems)),
    };
    of_kernel(analysis, path, &kernel)
}

/// Returns how a kernel in core is computed on blocks of its arrays.
pub fn of_kernel(analysis: &Analysis, path: &Arc<str>, kernel: &Kernel) -> Compiled<Parts> {
    match analyse::parts(kernel) {
        Ok(parts) => Ok(Ok(parts)),
        Err(why) => {
            let message = format!("`{}` cannot be computed on blocks: {}", kernel.name, why.message);
            let problem = problem_in(analysis, path, codes::CANNOT_DISTRIBUTE, message, why.origin.as_ref())?;
            Ok(Err(vec![if why.advice.is_empty() { problem } else { problem.note(why.advice) }]))
        }
    }
}

/// Returns how each statement of a kernel is distributed.
pub fn explained(analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Compiled<ExplainedParts> {
    let parts = match parts(analysis, path, kernel)? {
        Ok(parts) => parts,
        Err(problems) => return Ok(Err(problems)),
    };
    let mut statements = Vec::new();
    for told in &parts.told {
        let (what, how) = (told.what.clone(), told.how.clone());
        statements.push(ExplainedPart { what, how, notice: told.notice, place: place(analysis, &told.origin)? });
    }
    Ok(Ok(ExplainedParts { kernel: kernel.to_owned(), kernels: parts.kernels.len(), statements }))
}

/// Returns the parts and their compiled kernels, for each class of devices, as a line of JSON.
pub fn line(
    analysis: &Analysis,
    path: &Arc<str>,
    kernel: &str,
    targets: &[(&'static str, Target)],
) -> Compiled<String> {
    let parts = match parts(analysis, path, kernel)? {
        Ok(parts) => parts,
        Err(problems) => return Ok(Err(problems)),
    };
    let kernels: Vec<&Kernel> = parts.kernels.iter().collect();
    let mut programs: Vec<Vec<(&str, Program)>> = kernels.iter().map(|_| Vec::new()).collect();
    let mut problems = Vec::new();
    for (name, target) in targets {
        for (programs, compiled) in programs.iter_mut().zip(lower::compile_all(&kernels, target)) {
            match told(analysis, path, compiled)? {
                Ok(program) => programs.push((*name, program)),
                Err(why) => why.into_iter().for_each(|p| problems.extend((!problems.contains(&p)).then_some(p))),
            }
        }
    }
    if !problems.is_empty() {
        return Ok(Err(problems));
    }
    let described = kernels.iter().zip(&programs).map(|(kernel, programs)| emit::python::Kernel {
        name: &kernel.name,
        docs: "",
        meaning: print::meaning(kernel),
        programs: programs.iter().map(|(name, program)| (*name, program)).collect(),
    });
    let described: Vec<_> = described.collect();
    let find = |origin: &Origin| place(analysis, origin);
    Ok(Ok(with_found(&find, named_start_of, |place| emit::python::parts_line(&parts, &described, place))?))
}
