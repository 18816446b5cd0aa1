//! A program that stays on a device to be run repeatedly: built once, with its inputs in place.
//!
//! For measurements: building, allocating and copying the inputs happen before the first run. Inputs and results are
//! flat arrays, as in the buffers, so that large ones need not become values.

use super::device::{HostData, Session};
use super::execute::Run;
use super::failure::RunFailure;
use super::kernels::Built;
use super::pour::{pour, with_lengths};
use super::prepare::prepare;
use crate::plan::{BufferId, BufferRole, Program};
use crate::sizes::SizeValues;
use crate::value::Value;

/// The contents of the input buffers for these values, and all sizes, also those that only the values determine.
pub fn contents(
    program: &Program,
    inputs: &[Value],
    sizes: &SizeValues,
) -> Result<(Vec<HostData>, SizeValues), RunFailure> {
    let sizes = with_lengths(&program.plan, inputs, sizes);
    let mut data = pour(&program.plan, inputs, &sizes)?;
    data.sort_by_key(|(buffer, _)| buffer.0);
    Ok((data.into_iter().map(|(_, data)| data).collect(), sizes))
}

pub struct Resident<'a> {
    run: Run<'a>,
    data: Vec<(BufferId, HostData)>,
    sizes: SizeValues,
}

impl<'a> Resident<'a> {
    /// `inputs` are the contents of the input buffers in the order of the plan: a structure of arrays, with a flat
    /// array for each scalar in the type of an input.
    pub fn new(
        program: &'a Program,
        inputs: Vec<HostData>,
        sizes: SizeValues,
        session: &'a Session,
    ) -> Result<Resident<'a>, RunFailure> {
        let prepared = prepare(&program.plan, &sizes, &session.info, None)?;
        let buffers = program.plan.buffers.iter().enumerate();
        let wanted: Vec<_> = buffers.filter(|(_, buffer)| buffer.role == BufferRole::Input).collect();
        if wanted.len() != inputs.len() {
            let message = format!("there are {} input buffers, but data for {}", wanted.len(), inputs.len());
            return Err(RunFailure::Input { message });
        }
        let mut data = Vec::with_capacity(inputs.len());
        for ((id, buffer), input) in wanted.into_iter().zip(inputs) {
            // Lengths of inputs are known before the run.
            let (capacity, element) = (prepared.capacities[id].unwrap_or(0), buffer.element);
            if input.element() != element || input.len() != capacity {
                let (name, given, of) = (&buffer.name, input.len(), input.element());
                let message = format!("`{name}` takes {capacity} elements of {element}, not {given} of {of}");
                return Err(RunFailure::Input { message });
            }
            data.push((BufferId(id as u32), input));
        }
        let run = Run::new(program, prepared, &data, session, Built::Needed)?;
        let mut resident = Resident { run, data, sizes };
        resident.reset(true)?;
        Ok(resident)
    }

    /// Restores the state before a run; with `poison`, results are filled with a pattern that no sound program
    /// computes.
    pub fn reset(&mut self, poison: bool) -> Result<(), RunFailure> {
        self.run.reset(&self.data, &self.sizes, poison)
    }

    /// Enqueues one run without waiting. If the program overwrites its inputs, the caller must [reset](Resident::reset)
    /// it before the next run.
    pub fn enqueue(&mut self) -> Result<(), RunFailure> {
        self.run.enqueue(&self.data)
    }

    /// Nanoseconds of device time of all launches since the last call. The session must have profiling enabled and be
    /// finished.
    pub fn take_nanoseconds(&mut self) -> Result<u64, RunFailure> {
        self.run.take_nanoseconds()
    }

    /// Waits and reads the result as a value. Fails if the run has failed.
    pub fn value(&self) -> Result<Value, RunFailure> {
        self.run.collect()
    }

    /// Waits and reads the result: the elements of each of its buffers. Fails if the run has failed.
    pub fn result(&self) -> Result<Vec<HostData>, RunFailure> {
        Ok(self.run.read()?.into_elements())
    }
}
