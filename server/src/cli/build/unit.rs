//! A kernel to build: unchanged, or for a device, with the fastest choice that `lift tune` found there.

use super::{Arguments, Console, KernelInfo};
use crate::engine::{self, told};
use crate::places::place;
use crate::program::{Program, texts};
use crate::report::Problem;
use crate::tuned::choice::Choice;
use crate::tuned::records;
use crate::tuned::rewriting::Rewritten;
use lift_analysis::ide::{Analysis, Cancellable};
use lift_analysis::origin::Origin;
use lift_codegen::core::Kernel;
use lift_codegen::core::print::meaning;
use lift_codegen::run::report::Place;
use lift_codegen::target::Target;
use lift_codegen::{lower, plan};
use std::path::Path;
use std::sync::Arc;

pub(super) struct Unit<'a> {
    pub kernel: &'a KernelInfo,
    /// The fingerprint of the kernel's core; 0 with errors.
    pub meaning: u64,
    program: &'a Program,
    choice: Choice,
    /// The program that is compiled instead.
    rewritten: Option<Rewritten>,
}

impl<'a> Unit<'a> {
    /// Finds the records for the device, if the arguments name one.
    pub fn new(
        program: &'a Program,
        path: &Arc<str>,
        kernel: &'a KernelInfo,
        arguments: &Arguments,
        console: &mut Console,
    ) -> Cancellable<Unit<'a>> {
        let mut unit = Unit { kernel, meaning: 0, program, choice: Choice::default(), rewritten: None };
        // Its errors are reported when it is compiled.
        let Ok(core) = engine::core(&program.analysis, path, &kernel.name)? else { return Ok(unit) };
        unit.meaning = meaning(&core);
        let Some(device) = arguments.for_device.as_ref().filter(|_| !arguments.untuned) else { return Ok(unit) };
        let (file, sizes) = (Path::new(&**path), arguments.sizes.iter().cloned().collect());
        let meaning = &format!("{:016x}", unit.meaning);
        let found = records::Key { program: file, kernel: &kernel.name, meaning, device }.for_code(&sizes);
        found.notice.iter().for_each(|notice| console.note(notice));
        let Some(record) = found.record else { return Ok(unit) };
        match engine::rewritten::recorded(&texts(&program.analysis, path)?, path, &record)? {
            Ok(rewritten) => unit.rewritten = rewritten,
            Err(why) => {
                console.note(&records::unused(file, &why));
                return Ok(unit);
            }
        }
        console.note(&format!("`{}` as tuned {}: {}", kernel.name, record.found(), record.choice));
        unit.choice = record.choice;
        Ok(unit)
    }

    pub fn analysis(&self) -> &Analysis {
        self.rewritten.as_ref().map_or(&self.program.analysis, |rewritten| &rewritten.analysis)
    }

    /// The target, from the one for which everything is generated.
    pub fn target(&self, target: &Target) -> Target {
        self.choice.of(*target).unwrap_or(*target)
    }

    /// The source location of an origin in the unchanged program.
    pub fn place(&self, origin: &Origin) -> Cancellable<Option<Place>> {
        match &self.rewritten {
            Some(rewritten) => rewritten.place(&self.program.analysis, origin),
            None => place(&self.program.analysis, origin),
        }
    }

    fn core(&self, path: &Arc<str>) -> Cancellable<Result<Arc<Kernel>, Vec<Problem>>> {
        engine::core(self.analysis(), path, &self.kernel.name)
    }
}

/// Compiles kernels for a target, in parallel.
pub(super) fn compiled(
    units: &[Unit<'_>],
    path: &Arc<str>,
    target: &Target,
) -> Cancellable<Vec<Result<plan::Program, Vec<Problem>>>> {
    let cores: Vec<_> = units.iter().map(|unit| unit.core(path)).collect::<Cancellable<_>>()?;
    let jobs: Vec<(&Kernel, Target)> = units
        .iter()
        .zip(&cores)
        .filter_map(|(unit, core)| Some((&**core.as_ref().ok()?, unit.target(target))))
        .collect();
    let mut compiled = lower::compile_each(&jobs).into_iter();
    let mut results = Vec::new();
    for (unit, core) in units.iter().zip(cores) {
        results.push(match core {
            Err(problems) => Err(problems),
            Ok(_) => match compiled.next() {
                Some(compiled) => told(unit.analysis(), path, compiled)?,
                None => break,
            },
        });
    }
    Ok(results)
}
