//! Functions that another one covers: it computes the same where two of its arguments are one array. A matrix times
//! itself is then launched as the product of two matrices, and its text is written once.

use super::program::ProgramBuilder;
use crate::opencl::covers;
use crate::plan::{Launch, Step};

impl ProgramBuilder<'_> {
    /// Drops the functions that others cover, and launches those.
    pub fn drop_covered(&mut self) {
        for nth in (0..self.functions.len()).rev() {
            let (special, shape) = (&self.functions[nth], &self.shapes[nth]);
            let found = self.functions.iter().zip(&self.shapes).find_map(|(general, of)| {
                let more = general.params.len() > special.params.len();
                let args = if more { covers(general, special)? } else { return None };
                of.covers(shape, &args).then(|| (general.name.to_string(), args))
            });
            let Some((name, args)) = found else { continue };
            let special = special.name.clone();
            let mut redirect = |launch: &mut Launch| {
                if *launch.kernel == *special {
                    launch.kernel.clone_from(&name);
                    launch.args = args.iter().filter_map(|&arg| launch.args.get(arg).cloned()).collect();
                }
            };
            each_launch(&mut self.setup, &mut redirect);
            each_launch(&mut self.steps, &mut redirect);
            self.functions.remove(nth);
            self.shapes.remove(nth);
        }
    }
}

fn each_launch(steps: &mut [Step], act: &mut dyn FnMut(&mut Launch)) {
    for step in steps {
        match step {
            Step::Launch(launch) => act(launch),
            Step::Repeat { steps, .. } | Step::For { steps, .. } => each_launch(steps, act),
            Step::While { test, steps, .. } => {
                each_launch(test, act);
                each_launch(steps, act);
            }
            Step::Zero(_) | Step::Swap(..) | Step::Measure { .. } => {}
        }
    }
}
