//! The child process of a tuning: compiles choices, checks their results, and measures them.
//!
//! It reads lines of JSON: a [`Job`], then one [`Ask`] after the other, and answers each with a line ([`Told`]). It
//! ends when its standard input does, even while a kernel hangs.

use super::search::{Race, median};
use crate::engine;
use crate::inputs::{Reading, arguments, given_sizes};
use crate::program::{Program, Texts};
use crate::tuned::choice::Choice;
use lift_codegen::core::Kernel;
use lift_codegen::core::print::meaning;
use lift_codegen::difference::difference;
use lift_codegen::interp::{self, Limits};
use lift_codegen::io::bind::measure;
use lift_codegen::run::device::{self, HostData, Session};
use lift_codegen::run::{Device, DeviceInfo, Resident, contents};
use lift_codegen::sizes::SizeValues;
use lift_codegen::value::Value;
use lift_codegen::{lower, plan};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Sizes at which results are compared with the interpreter's, if those of the tuning are larger; multiples of small
/// powers of two last, for kernels that require them.
const SMALL: [i64; 4] = [37, 36, 48, 64];
/// The product of all sizes up to which the interpreter is asked.
const INTERPRETED: i64 = 1 << 20;

/// A kernel with inputs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    pub texts: Texts,
    pub path: Arc<str>,
    pub kernel: String,
    pub inputs: Vec<String>,
    pub sizes: BTreeMap<String, i64>,
    /// Base of relative file names among the inputs.
    pub folder: PathBuf,
    pub device: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// Asks for the fingerprint of the generated code.
    Code(Choice),
    /// Alternating runs of two choices, up to this many, within about this many milliseconds.
    Race(Choice, Choice, u32, u64),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Told {
    Ready(Box<Ready>),
    Code(u64),
    Race(Race),
    /// The reason why the request cannot be answered.
    Failed(String),
}

/// What is known before anything is tried.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ready {
    pub device: DeviceInfo,
    pub meaning: String,
    pub sizes: BTreeMap<String, i64>,
    /// Microseconds of a run of the default.
    pub default: f64,
    /// Whether results are compared with the interpreter's.
    pub interpreted: bool,
}

/// Runs the child.
pub fn answer() -> io::Result<()> {
    let mut first = String::new();
    io::stdin().lock().read_line(&mut first)?;
    let job: Job = serde_json::from_str(&first)?;
    let (send, asks) = mpsc::channel::<Ask>();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if let Ok(ask) = serde_json::from_str(&line) {
                let _ = send.send(ask);
            }
        }
        // The parent has gone; a kernel may still hang.
        std::process::exit(1);
    });
    let told = work(&job, &asks);
    told.or_else(|why| say(&Told::Failed(why)))
}

fn say(told: &Told) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, told)?;
    writeln!(out)?;
    out.flush()
}

/// Values of the inputs, and all sizes.
struct Given {
    values: Vec<Value>,
    sizes: SizeValues,
    named: BTreeMap<String, i64>,
}

fn given(kernel: &Kernel, job: &Job, sizes: &BTreeMap<String, i64>) -> Result<Given, String> {
    let given = given_sizes(kernel, sizes)?;
    let bound = measure(kernel, arguments(kernel, &job.inputs, &Reading::files(&job.folder))?, &given)
        .map_err(|e| e.to_string())?;
    let named = bound.sizes.iter().map(|(var, n)| (var.name.to_string(), n)).collect();
    let sizes = bound.sizes.clone();
    Ok(Given { values: bound.into_values().map_err(|e| e.to_string())?, sizes, named })
}

/// A small input, and what the interpreter computes of it.
fn small(kernel: &Kernel, job: &Job) -> Option<(Given, Value)> {
    let of = |most: i64| job.sizes.iter().map(|(name, n)| (name.clone(), (*n).min(most))).collect::<BTreeMap<_, _>>();
    SMALL.iter().find_map(|most| {
        let given = given(kernel, job, &of(*most)).ok()?;
        let work = given.sizes.iter().fold(1i64, |all, (_, n)| all.saturating_mul(n.max(1)));
        if work > INTERPRETED {
            return None;
        }
        let sizes: Vec<_> = given.sizes.iter().map(|(var, n)| (var.clone(), n)).collect();
        let value = interp::run(kernel, given.values.clone(), &sizes, Limits::default()).ok()?;
        Some((given, value))
    })
}

struct Worker<'s> {
    kernel: &'s Kernel,
    device: &'s DeviceInfo,
    session: &'s Session,
    given: Given,
    small: Option<(Given, Value)>,
    /// The default's result.
    expected: Option<Value>,
    checked: HashSet<Choice>,
}

fn work(job: &Job, asks: &mpsc::Receiver<Ask>) -> Result<(), String> {
    let io = |e: io::Error| e.to_string();
    let stopped = |_| "analysis was stopped".to_owned();
    let program = Program::load_texts(Path::new(&*job.path), &job.texts).map_err(stopped)?;
    let kernel = engine::core(&program.analysis, &job.path, &job.kernel).map_err(stopped)?;
    let kernel = kernel.map_err(|problems| problems.first().map_or(String::new(), |p| p.message.clone()))?;
    let device: Device = device::choose(job.device.parse()?).map_err(|e| e.to_string())?;
    let session = Session::open(&device, true).map_err(|e| e.to_string())?;
    let (given, small) = (given(&kernel, job, &job.sizes)?, small(&kernel, job));
    let mut worker = Worker {
        kernel: &kernel,
        device: &device.info,
        session: &session,
        given,
        small,
        expected: None,
        checked: HashSet::new(),
    };
    let default = Choice::default();
    let [times, _] = worker.race(&default, &default, 3, 200)?;
    say(&Told::Ready(Box::new(Ready {
        device: device.info.clone(),
        meaning: format!("{:016x}", meaning(&kernel)),
        sizes: worker.given.named.clone(),
        default: median(&times),
        interpreted: worker.small.is_some(),
    })))
    .map_err(io)?;
    for ask in asks {
        let told = match ask {
            Ask::Code(choice) => worker.code(&choice).map(Told::Code),
            Ask::Race(best, choice, rounds, within) => worker.race(&best, &choice, rounds, within).map(Told::Race),
        };
        say(&told.unwrap_or_else(Told::Failed)).map_err(io)?;
    }
    Ok(())
}

impl Worker<'_> {
    fn compile(&self, choice: &Choice) -> Result<plan::Program, String> {
        let compiled = lower::compile(self.kernel, &choice.on(self.device)?);
        compiled.map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))
    }

    fn code(&self, choice: &Choice) -> Result<u64, String> {
        let program = self.compile(choice)?;
        let mut hasher = DefaultHasher::new();
        program.opencl.text.hash(&mut hasher);
        plan::json::to_json(&program, "", &|_| String::new()).hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn race(&mut self, best: &Choice, choice: &Choice, rounds: u32, within: u64) -> Result<Race, String> {
        let programs = [self.compile(best)?, self.compile(choice)?];
        if !self.checked.contains(choice) {
            self.check_small(&programs[1])?;
        }
        let (inputs, sizes) =
            contents(&programs[0], &self.given.values, &self.given.sizes).map_err(|e| e.to_string())?;
        let session = self.session;
        let on_device = |program| resident(session, program, inputs.clone(), &sizes);
        let mut residents = [on_device(&programs[0])?, on_device(&programs[1])?];
        if !self.checked.contains(choice) {
            once(&mut residents[1], session)?;
            let value = residents[1].value().map_err(|e| e.to_string())?;
            match &self.expected {
                Some(expected) => {
                    if let Some(difference) = difference(&value, expected) {
                        return Err(format!("its result differs from the default's: {difference}"));
                    }
                }
                None => self.expected = Some(value),
            }
            self.checked.insert(choice.clone());
        }
        let mut race: Race = [Vec::new(), Vec::new()];
        // The first run of each is the warm-up.
        let began = Instant::now();
        for round in 0..=rounds {
            for (resident, times) in residents.iter_mut().zip(&mut race) {
                let time = once(resident, session)?;
                if round > 0 {
                    times.push(time);
                }
            }
            if round > 2 && began.elapsed() > Duration::from_millis(within) {
                break;
            }
        }
        Ok(race)
    }

    /// Compares with the interpreter on the small input.
    fn check_small(&self, program: &plan::Program) -> Result<(), String> {
        let Some((given, expected)) = &self.small else { return Ok(()) };
        let (inputs, sizes) = contents(program, &given.values, &given.sizes).map_err(|e| e.to_string())?;
        let mut resident = resident(self.session, program, inputs, &sizes)?;
        once(&mut resident, self.session)?;
        let value = resident.value().map_err(|e| e.to_string())?;
        match difference(&value, expected) {
            Some(difference) => Err(format!("its result differs from the interpreter's: {difference}")),
            None => Ok(()),
        }
    }
}

fn resident<'p>(
    session: &'p Session,
    program: &'p plan::Program,
    inputs: Vec<HostData>,
    sizes: &SizeValues,
) -> Result<Resident<'p>, String> {
    Resident::new(program, inputs, sizes.clone(), session).map_err(|e| e.to_string())
}

/// Runs once; returns the microseconds on the device.
fn once(resident: &mut Resident<'_>, session: &Session) -> Result<f64, String> {
    let mut run = || {
        resident.reset(false)?;
        resident.enqueue()?;
        session.finish()?;
        resident.take_nanoseconds()
    };
    run().map(|nanoseconds| nanoseconds as f64 / 1e3).map_err(|e| e.to_string())
}
