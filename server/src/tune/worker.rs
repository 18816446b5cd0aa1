//! The child process of a tuning: compiles choices, checks their results, and measures them.
//!
//! It reads lines of JSON: a [`Job`], then one [`Ask`] after the other, and answers each with a line ([`Told`]). It
//! ends when its standard input does, even while a kernel hangs.

use super::roofline::Roofline;
use super::search::{Race, median};
use super::timed::{once, resident};
use crate::engine;
use crate::inputs::{Reading, arguments, given_sizes};
use crate::program::{Program, Texts};
use crate::tuned::choice::Choice;
use crate::tuned::rewriting::{self, Rewritten, Step};
use lift_codegen::core::Kernel;
use lift_codegen::core::print::meaning;
use lift_codegen::difference::difference;
use lift_codegen::interp::{self, Limits};
use lift_codegen::io::bind::measure;
use lift_codegen::run::device::{self, HostData, Session};
use lift_codegen::run::{Device, DeviceInfo, RunOptions, check, contents};
use lift_codegen::sizes::SizeValues;
use lift_codegen::value::Value;
use lift_codegen::{lower, plan};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Sizes at which results are compared with the interpreter's, if those of the tuning are larger; multiples of small
/// powers of two last, for kernels that require them.
const SMALL: [i64; 5] = [37, 36, 48, 64, 256];
/// Maximum product of all sizes for a check on the interpreter.
const INTERPRETED: i64 = 1 << 20;

/// No edit stops analysis here.
const STOPPED: &str = "analysis was stopped";

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
    /// Asks for the least time that the device allows, in microseconds.
    Least,
    /// Asks for the choices that rewrite the program of a choice once more.
    Rewritings(Choice),
    /// Alternating runs of two choices, up to this many, within about this many milliseconds.
    Race(Choice, Choice, u32, u64),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Told {
    Ready(Box<Ready>),
    Code(u64),
    Least(Option<f64>),
    Rewritings(Vec<Choice>),
    Race(Race),
    /// The reason why the request cannot be answered.
    Failed(String),
}

/// The data before the first attempt.
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
        // The parent has ended; a kernel may still hang.
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

/// The small input with sizes of at most `most`, and the interpreter's result for it.
fn small(kernel: &Kernel, job: &Job, most: i64) -> Option<(Given, Value)> {
    let sizes: BTreeMap<String, i64> = job.sizes.iter().map(|(name, n)| (name.clone(), (*n).min(most))).collect();
    let given = given(kernel, job, &sizes).ok()?;
    let work = given.sizes.iter().fold(1i64, |all, (_, n)| all.saturating_mul(n.max(1)));
    if work > INTERPRETED {
        return None;
    }
    let sizes: Vec<_> = given.sizes.iter().map(|(var, n)| (var.clone(), n)).collect();
    let value = interp::run(kernel, given.values.clone(), &sizes, Limits::default()).ok()?;
    Some((given, value))
}

/// The inputs of the tuning in the form of buffers, which is the same for all choices.
struct Inputs {
    contents: Vec<HostData>,
    /// All sizes, including those that only the values determine.
    sizes: SizeValues,
    /// The sizes that the kernel names.
    named: BTreeMap<String, i64>,
}

impl Inputs {
    fn of(kernel: &Kernel, job: &Job, device: &DeviceInfo) -> Result<Inputs, String> {
        let Given { values, sizes, named } = given(kernel, job, &job.sizes)?;
        let program = compile(kernel, &Choice::default(), device)?;
        let (contents, sizes) = contents(&program, &values, &sizes).map_err(|e| e.to_string())?;
        Ok(Inputs { contents, sizes, named })
    }
}

fn compile(kernel: &Kernel, choice: &Choice, device: &DeviceInfo) -> Result<plan::Program, String> {
    let compiled = lower::compile(kernel, &choice.on(device)?);
    compiled.map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))
}

struct Worker<'s> {
    job: &'s Job,
    /// The original program, and the requested rewritten ones.
    kernel: Arc<Kernel>,
    rewritten: HashMap<Vec<Step>, Result<Arc<Kernel>, String>>,
    device: &'s DeviceInfo,
    session: &'s Session,
    inputs: Inputs,
    /// For each of [`SMALL`], once it was asked for.
    smalls: [OnceCell<Option<(Given, Value)>>; SMALL.len()],
    /// The default's result.
    expected: Option<Value>,
    checked: HashSet<Choice>,
}

fn work(job: &Job, asks: &mpsc::Receiver<Ask>) -> Result<(), String> {
    let io = |e: io::Error| e.to_string();
    let stopped = |_| STOPPED.to_owned();
    let program = Program::load_texts(Path::new(&*job.path), &job.texts).map_err(stopped)?;
    let kernel = engine::core(&program.analysis, &job.path, &job.kernel).map_err(stopped)?;
    let kernel = kernel.map_err(|problems| problems.first().map_or(String::new(), |p| p.message.clone()))?;
    let device: Device = device::choose(job.device.parse()?).map_err(|e| e.to_string())?;
    let session = Session::open(&device, true).map_err(|e| e.to_string())?;
    let inputs = Inputs::of(&kernel, job, &device.info)?;
    let mut worker = Worker {
        job,
        kernel,
        rewritten: HashMap::new(),
        device: &device.info,
        session: &session,
        inputs,
        smalls: Default::default(),
        expected: None,
        checked: HashSet::new(),
    };
    let default = Choice::default();
    let [times, _] = worker.race(&default, &default, 3, 200)?;
    say(&Told::Ready(Box::new(Ready {
        device: device.info.clone(),
        meaning: format!("{:016x}", meaning(&worker.kernel)),
        sizes: worker.inputs.named.clone(),
        default: median(&times),
        interpreted: worker.smalls().next().is_some(),
    })))
    .map_err(io)?;
    for ask in asks {
        let told = match ask {
            Ask::Code(choice) => worker.code(&choice).map(Told::Code),
            Ask::Least => worker.least().map(Told::Least),
            Ask::Rewritings(choice) => worker.rewritings(&choice).map(Told::Rewritings),
            Ask::Race(best, choice, rounds, within) => worker.race(&best, &choice, rounds, within).map(Told::Race),
        };
        say(&told.unwrap_or_else(Told::Failed)).map_err(io)?;
    }
    Ok(())
}

impl Worker<'_> {
    fn compile(&mut self, choice: &Choice) -> Result<plan::Program, String> {
        let kernel = self.kernel(choice.laws())?;
        compile(&kernel, choice, self.device)
    }

    fn kernel(&mut self, laws: &[Step]) -> Result<Arc<Kernel>, String> {
        if laws.is_empty() {
            return Ok(self.kernel.clone());
        }
        if let Some(known) = self.rewritten.get(laws) {
            return known.clone();
        }
        let core = |now: Rewritten| engine::core(&now.analysis, &self.job.path, &self.job.kernel).map_err(|_| STOPPED);
        let kernel = apply(self.job, laws).and_then(|now| {
            core(now)?.map_err(|problems| problems.first().map_or(String::new(), |p| p.message.clone()))
        });
        self.rewritten.insert(laws.to_vec(), kernel.clone());
        kernel
    }

    fn least(&mut self) -> Result<Option<f64>, String> {
        let program = self.compile(&Choice::default())?;
        let roofline = Roofline::of(self.device, self.session);
        Ok(roofline.and_then(|roofline| roofline.least(&program, &self.inputs.sizes)))
    }

    fn rewritings(&self, choice: &Choice) -> Result<Vec<Choice>, String> {
        if choice.laws().len() >= rewriting::MOST {
            return Ok(Vec::new());
        }
        let now = apply(self.job, choice.laws())?;
        let steps = rewriting::steps(&now.analysis, &self.job.path, &self.job.kernel).map_err(|_| STOPPED)?;
        Ok(steps.into_iter().map(|step| choice.then(step)).collect())
    }

    /// The small inputs of the original kernel, with the interpreter's results.
    fn smalls(&self) -> impl Iterator<Item = &(Given, Value)> {
        let all = self.smalls.iter().zip(SMALL);
        all.filter_map(|(cell, most)| cell.get_or_init(|| small(&self.kernel, self.job, most)).as_ref())
    }

    fn code(&mut self, choice: &Choice) -> Result<u64, String> {
        let program = self.compile(choice)?;
        if !choice.laws().is_empty() {
            self.fits(&program)?;
        }
        let mut hasher = DefaultHasher::new();
        program.opencl.text.hash(&mut hasher);
        plan::json::to_json(&program, "", &|_| String::new()).hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// Whether a rewritten program accepts the sizes, and some small ones.
    fn fits(&self, program: &plan::Program) -> Result<(), String> {
        let fits = |sizes: &SizeValues| check(program, sizes, self.device, &RunOptions::default());
        fits(&self.inputs.sizes).map_err(|e| e.to_string())?;
        let mut small = self.smalls().map(|(given, _)| fits(&given.sizes)).peekable();
        if small.peek().is_some() && !small.any(|fits| fits.is_ok()) {
            return Err("no small input satisfies its assumptions about lengths".to_owned());
        }
        Ok(())
    }

    fn race(&mut self, best: &Choice, choice: &Choice, rounds: u32, within: u64) -> Result<Race, String> {
        let programs = [self.compile(best)?, self.compile(choice)?];
        if !self.checked.contains(choice) {
            self.check_small(choice, &programs[1])?;
        }
        let (session, inputs) = (self.session, &self.inputs);
        let on_device = |program| resident(session, program, inputs.contents.clone(), &inputs.sizes);
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

    /// Compares with the interpreter on a small input. A rewritten program may assume more about lengths than the
    /// original: then the first input that it accepts is used.
    fn check_small(&self, choice: &Choice, program: &plan::Program) -> Result<(), String> {
        let mut refused = None;
        for (given, expected) in self.smalls() {
            let run = || {
                let (inputs, sizes) = contents(program, &given.values, &given.sizes).map_err(|e| e.to_string())?;
                let mut resident = resident(self.session, program, inputs, &sizes)?;
                once(&mut resident, self.session)?;
                resident.value().map_err(|e| e.to_string())
            };
            let value = match run() {
                Err(why) if !choice.laws().is_empty() => {
                    refused.get_or_insert(why);
                    continue;
                }
                value => value?,
            };
            return match difference(&value, expected) {
                Some(difference) => Err(format!("its result differs from the interpreter's: {difference}")),
                None => Ok(()),
            };
        }
        refused.map_or(Ok(()), Err)
    }
}

/// The kernel after rewriting.
fn apply(job: &Job, laws: &[Step]) -> Result<Rewritten, String> {
    rewriting::apply(&job.texts, &job.path, &job.kernel, laws).map_err(|_| STOPPED.to_owned())?
}
