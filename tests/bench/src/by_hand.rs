//! Hand-written kernels from `kernels/`: the best known implementations; each file names its source.

use crate::Problem;
use crate::data::Input;
use crate::external::Kind;
use crate::measure::{Effort, Make, Runner, Times, measure as take_time};
use lift_analysis::hir::Scalar;
use lift_codegen::run::Device;
use lift_codegen::run::device::{Buffer, HostData, Kernel, KernelArg, LaunchEvent, Program, ReadRequest, Session};
use std::fmt::Write as _;

/// A sequence of launches over the inputs, results and temporary memory.
#[derive(Debug, Clone)]
pub struct ByHand {
    pub kind: Kind,
    pub name: String,
    /// The OpenCL text.
    pub text: &'static str,
    /// Definitions placed before it with `#define`.
    pub defines: Vec<(&'static str, String)>,
    /// Result buffers, initially filled with the byte 0xff, and temporary buffers, initially zero.
    pub results: Vec<Memory>,
    pub memory: Vec<Memory>,
    pub launches: Vec<Launch>,
    /// Index of the temporary buffer whose first element is the length of the results, if it is dynamic.
    pub length: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
pub enum Memory {
    Floats(usize),
    Doubles(usize),
    Ints(usize),
    Longs(usize),
}

#[derive(Debug, Clone)]
pub struct Launch {
    pub kernel: &'static str,
    pub args: Vec<Arg>,
    pub groups: [usize; 3],
    pub local: [usize; 3],
}

#[derive(Debug, Clone, Copy)]
pub enum Arg {
    Input(usize),
    Result(usize),
    Memory(usize),
    Int(usize),
    /// The number of the run, from 1; it distinguishes values left in memory by an earlier run, which is not cleared.
    Run,
    /// This factor times the number of earlier runs.
    RunsBefore(usize),
}

impl ByHand {
    pub fn new(name: impl Into<String>, text: &'static str) -> ByHand {
        ByHand {
            kind: Kind::Hand,
            name: name.into(),
            text,
            defines: Vec::new(),
            results: Vec::new(),
            memory: Vec::new(),
            launches: Vec::new(),
            length: None,
        }
    }
    pub fn define(mut self, name: &'static str, value: impl ToString) -> ByHand {
        self.defines.push((name, value.to_string()));
        self
    }
    pub fn result(mut self, memory: Memory) -> ByHand {
        self.results.push(memory);
        self
    }
    pub fn memory(mut self, memory: Memory) -> ByHand {
        self.memory.push(memory);
        self
    }
    pub fn length(mut self, memory: usize) -> ByHand {
        self.length = Some(memory);
        self
    }
    /// Adds a one-dimensional launch of `groups` work-groups of `local` work-items.
    pub fn launch(self, kernel: &'static str, args: &[Arg], groups: usize, local: usize) -> ByHand {
        self.launch3(kernel, args, [groups, 1, 1], [local, 1, 1])
    }
    pub fn launch3(mut self, kernel: &'static str, args: &[Arg], groups: [usize; 3], local: [usize; 3]) -> ByHand {
        self.launches.push(Launch { kernel, args: args.to_vec(), groups, local });
        self
    }
}

/// Returns the results and the times.
pub fn measure(
    peer: &ByHand,
    inputs: &[Input],
    device: &Device,
    effort: Effort,
) -> Result<(Vec<HostData>, Times), Problem> {
    let same = |a: &[HostData], b: &[HostData]| crate::compare::Check::Relative(1e-3).compare(a, b);
    take_time(&Ready { peer, inputs }, device, effort, same)
}

struct Ready<'a> {
    peer: &'a ByHand,
    inputs: &'a [Input],
}

struct Running<'s> {
    peer: &'s ByHand,
    session: &'s Session,
    inputs: Vec<Buffer>,
    results: Vec<Buffer>,
    memory: Vec<Buffer>,
    kernels: Vec<Kernel>,
    events: Vec<LaunchEvent>,
    runs: usize,
}

impl Make for Ready<'_> {
    fn make<'s>(&'s self, session: &'s Session) -> Result<Box<dyn Runner + 's>, Problem> {
        let peer = self.peer;
        let mut text = String::new();
        for (name, value) in &peer.defines {
            let _ = writeln!(text, "#define {name} {value}");
        }
        text += peer.text;
        let program = Program::build(session, &text).map_err(|e| e.to_string())?;
        let kernel = |launch: &Launch| program.kernel(session, launch.kernel).map_err(|e| e.to_string());
        let mut inputs = Vec::new();
        for input in self.inputs {
            let buffer =
                session.allocate(input.data.element(), input.data.len(), "input").map_err(|e| e.to_string())?;
            session.write(&buffer, &input.data).map_err(|e| e.to_string())?;
            inputs.push(buffer);
        }
        let running = Running {
            peer,
            session,
            inputs,
            results: allocate(session, &peer.results, 0xff)?,
            memory: allocate(session, &peer.memory, 0)?,
            kernels: peer.launches.iter().map(kernel).collect::<Result<_, _>>()?,
            events: Vec::new(),
            runs: 0,
        };
        for (launch, kernel) in peer.launches.iter().zip(&running.kernels) {
            kernel.check(&running.args(launch)).map_err(|e| e.to_string())?;
        }
        Ok(Box::new(running))
    }
}

fn allocate(session: &Session, memory: &[Memory], byte: u8) -> Result<Vec<Buffer>, Problem> {
    let one = |memory: &Memory| {
        let (element, len) = match *memory {
            Memory::Floats(n) => (Scalar::Float, n),
            Memory::Doubles(n) => (Scalar::Double, n),
            Memory::Ints(n) => (Scalar::Int, n),
            Memory::Longs(n) => (Scalar::Long, n),
        };
        let buffer = session.allocate(element, len, "memory").map_err(|e| e.to_string())?;
        session.fill(&buffer, byte).map_err(|e| e.to_string())?;
        Ok(buffer)
    };
    memory.iter().map(one).collect()
}

impl Running<'_> {
    fn args(&self, launch: &Launch) -> Vec<KernelArg<'_>> {
        let arg = |arg: &Arg| match *arg {
            Arg::Input(i) => KernelArg::Buffer(&self.inputs[i]),
            Arg::Result(i) => KernelArg::Buffer(&self.results[i]),
            Arg::Memory(i) => KernelArg::Buffer(&self.memory[i]),
            Arg::Int(n) => KernelArg::Int(n as i32),
            Arg::Run => KernelArg::Int(self.runs as i32 + 1),
            Arg::RunsBefore(times) => KernelArg::Int((self.runs * times) as i32),
        };
        launch.args.iter().map(arg).collect()
    }
}

impl Runner for Running<'_> {
    fn enqueue(&mut self) -> Result<(), Problem> {
        let peer = self.peer;
        for (launch, kernel) in peer.launches.iter().zip(&self.kernels) {
            let event = self.session.launch(kernel, &self.args(launch), launch.groups, launch.local);
            if let Some(event) = event.map_err(|e| e.to_string())? {
                self.events.push(event);
            }
        }
        self.runs += 1;
        Ok(())
    }

    fn nanoseconds(&mut self) -> Result<u64, Problem> {
        let events = std::mem::take(&mut self.events);
        events.iter().try_fold(0, |sum, event| Ok(sum + event.nanoseconds().map_err(|e| e.to_string())?))
    }

    fn result(&mut self) -> Result<Vec<HostData>, Problem> {
        let read = |buffer: &Buffer, len: usize| -> Result<HostData, Problem> {
            let request = ReadRequest { buffer, ranges: std::iter::once(0..len).collect() };
            self.session.read(&[request]).map_err(|e| e.to_string())?.pop().ok_or("nothing was read".to_owned())
        };
        let mut length = None;
        if let Some(memory) = self.peer.length
            && let HostData::Int(found) = read(&self.memory[memory], 1)?
        {
            length = found.first().map(|n| (*n).max(0) as usize);
        }
        self.results.iter().map(|buffer| read(buffer, length.map_or(buffer.len(), |n| n.min(buffer.len())))).collect()
    }
}
