//! Prepares a kernel of the gallery: from its source to a resident program.

use crate::Problem;
use crate::catalog::Benchmark;
use crate::data::Input;
use crate::measure::{Effort, Make, Runner, Times, measure as take_time};
use crate::source;
use lift_codegen::core::Kernel;
use lift_codegen::lower;
use lift_codegen::plan::Program;
use lift_codegen::run::device::{HostData, Session};
use lift_codegen::run::{Device, Resident};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use std::path::Path;
use std::sync::Arc;

/// Returns the results and the times.
pub fn measure(
    examples: &Path,
    benchmark: &Benchmark,
    inputs: &[Input],
    device: &Device,
    effort: Effort,
) -> Result<(Vec<HostData>, Times), Problem> {
    let kernel = kernel(examples, benchmark)?;
    let target = Target::of(&device.info);
    let program = lower::compile(&kernel, &target)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let value = |name: &str| benchmark.sizes.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    let mut sizes = SizeValues::default();
    for size in &kernel.sizes {
        let value = value(&size.name).ok_or_else(|| format!("the size {size} has no value"))?;
        sizes.insert(size.clone(), value);
    }
    let compiled =
        Compiled { program: &program, sizes, inputs: inputs.iter().map(|input| input.data.clone()).collect() };
    take_time(&compiled, device, effort, |a, b| benchmark.check.compare(a, b))
}

/// Returns the kernel's core.
fn kernel(examples: &Path, benchmark: &Benchmark) -> Result<Arc<Kernel>, Problem> {
    let (file, name) = (benchmark.file, benchmark.kernel);
    let path = match (Path::new(file).extension(), file.contains('/')) {
        (Some(_), _) => file.to_owned(),
        (None, true) => format!("{file}.lift"),
        (None, false) => format!("gallery/{file}.lift"),
    };
    let text = match &benchmark.text {
        Some(text) => text.clone(),
        None => source::read(&examples.join(&path))?,
    };
    let kernels = source::kernels(examples, &path, &text)?;
    let found = kernels.into_iter().find(|kernel| kernel.name == name);
    found.ok_or_else(|| format!("{path} has no kernel `{name}`"))?.core
}

/// A program with the flat contents of its input buffers.
pub struct Compiled<'p> {
    pub program: &'p Program,
    pub sizes: SizeValues,
    pub inputs: Vec<HostData>,
}

impl Make for Compiled<'_> {
    fn make<'s>(&'s self, session: &'s Session) -> Result<Box<dyn Runner + 's>, Problem> {
        let resident = Resident::new(self.program, self.inputs.clone(), self.sizes.clone(), session);
        Ok(Box::new(resident.map_err(|e| e.to_string())?))
    }
}

impl Runner for Resident<'_> {
    fn enqueue(&mut self) -> Result<(), Problem> {
        Resident::enqueue(self).map_err(|e| e.to_string())
    }
    fn nanoseconds(&mut self) -> Result<u64, Problem> {
        self.take_nanoseconds().map_err(|e| e.to_string())
    }
    fn result(&mut self) -> Result<Vec<HostData>, Problem> {
        Resident::result(self).map_err(|e| e.to_string())
    }
}
