//! `lift test`: runs the `;;; test:` lines of kernels on the interpreter and on devices.

use super::run::load_embedded;
use super::watch::Late;
use super::{Console, Format, Status, answered};
use crate::engine::{self, Ran, Where};
use crate::inputs::run_line::{DefaultRun, Expected, RunLine};
use crate::inputs::{self, given_sizes};
use crate::program::Program;
use crate::report::{self, Problem, codes};
use lift_analysis::ide::{Cancellable, DocLine, DocLineKind, FileRange, KernelInfo, RelatedPlace};
use lift_codegen::core::Kernel;
use lift_codegen::difference::difference;
use lift_codegen::interp::Limits;
use lift_codegen::run::{DeviceChoice, device};
use lift_codegen::target::Target;
use lift_codegen::value::Value;
use lift_syntax::{Language, TextRange, TextSize};
use serde_json::json;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Length to which a `;;; test:` line is shortened in the list, in characters.
const SHOWN: usize = 72;
/// Seconds that one `;;; test:` line may take.
const PATIENCE: f64 = 120.0;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only this kernel.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Where to run the tests: `interpreter`, `opencl`, `opencl:I`; may be repeated. Default: the interpreter and, if
    /// there is one, an OpenCL device.
    #[arg(long = "device", value_name = "DEVICE", value_parser = engine::parse_device)]
    devices: Vec<Where>,
    /// What to generate for: `portable`, `gpu`, `nvidia` or `cpu`. Default: what suits the device.
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Number of different inputs to test for each `random`.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// Stop if one line takes more than this many seconds, on all devices and with its compilation by their drivers.
    #[arg(long, value_name = "SECONDS", value_parser = super::options::seconds, default_value_t = PATIENCE)]
    patience: f64,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Internal: started by the language server, with one file. The texts come on standard input; its end terminates
    /// the process.
    #[arg(long, hide = true)]
    embedded: bool,
    /// The programs.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Numbers of passed and failed tests.
#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let program = match arguments.files.first() {
        Some(file) if arguments.embedded => load_embedded(file)?,
        _ => answered(Program::load(&arguments.files))?,
    };
    let mut wrong = console.problems(&program.sources(), arguments.format, &program.unreadable)?;
    let (places, notice) = places(&arguments.devices);
    if let Some(notice) = notice {
        console.note(&notice);
    }
    let (mut count, mut found) = (Count::default(), false);
    for path in &program.roots {
        let kernels = answered(program.analysis.kernels(path))?;
        let is_wanted = |k: &&KernelInfo| arguments.kernel.as_ref().is_none_or(|name| *name == k.name);
        let wanted: Vec<KernelInfo> =
            kernels.iter().filter(is_wanted).filter(|k| tests(k).next().is_some()).cloned().collect();
        found |= kernels.iter().any(|k| is_wanted(&k));
        if arguments.kernel.is_none() {
            let stray = answered(stray(&program, path, &kernels, DocLineKind::Test))?;
            count.failed += console.problems(&program.sources(), arguments.format, &stray)?;
        }
        if wanted.is_empty() {
            // An error may hide a test.
            if arguments.kernel.is_none() && !arguments.embedded {
                let errors = answered(report::errors(&program.analysis, path))?;
                wrong += console.problems(&program.sources(), arguments.format, &errors)?;
            }
            continue;
        }
        // The editor already shows these errors.
        if !arguments.embedded {
            let elsewhere = answered(engine::elsewhere(&program.analysis, path, &wanted))?;
            console.problems(&program.sources(), arguments.format, &elsewhere)?;
        }
        for info in &wanted {
            let tester = Tester { arguments, program: &program, path, info, places: &places };
            tester.test_kernel(console, &mut count)?;
        }
    }
    if let Some(name) = arguments.kernel.as_ref().filter(|_| !found && wrong == 0) {
        console.error(&format!("there is no kernel `{name}`"));
        return Ok(Status::Wrong);
    }
    match arguments.format {
        Format::Json => console.json(&json!({ "passed": count.passed, "failed": count.failed }))?,
        Format::Text if count.passed + count.failed == 0 => {
            if wrong == 0 {
                console.note("no kernel has a test: a line such as `;;; test: xs=[1,2,3] => [2,3]` above it");
            }
        }
        Format::Text => console.line(&format!("{} passed, {} failed", count.passed, count.failed))?,
    }
    Ok(Status::wrong_if(wrong > 0 || count.failed > 0))
}

/// Returns where to run the tests, and a notice if no OpenCL device was found.
fn places(asked: &[Where]) -> (Vec<Where>, Option<String>) {
    if !asked.is_empty() {
        return (asked.to_vec(), None);
    }
    match device::choose(DeviceChoice::Best) {
        Ok(_) => (vec![Where::Interpreter, Where::OpenCl(DeviceChoice::Best)], None),
        Err(why) => (vec![Where::Interpreter], Some(format!("testing on the interpreter only: {why}"))),
    }
}

/// The lines of this kind in a program in Lift that are not directly above a kernel: these would never run.
pub(super) fn stray(
    program: &Program,
    path: &Arc<str>,
    kernels: &[KernelInfo],
    kind: DocLineKind,
) -> Cancellable<Vec<Problem>> {
    let what = match kind {
        DocLineKind::Test => "test",
        DocLineKind::Bench => "benchmark",
    };
    let mut found = Vec::new();
    let text = program.analysis.text(path)?.filter(|_| Language::of_path(path) == Language::Lift);
    let known: HashSet<TextSize> = kernels.iter().flat_map(|k| &k.lines).map(|line| line.range.start()).collect();
    let mut at = TextSize::new(0);
    for line in text.as_deref().unwrap_or_default().split_inclusive('\n') {
        let range = TextRange::at(at, TextSize::of(line.trim_end()));
        at += TextSize::of(line);
        let doc = line.strip_prefix(";;;").map(|doc| doc.trim_start_matches(';').trim_start());
        if doc.is_some_and(|doc| doc.starts_with(kind.head())) && !known.contains(&range.start()) {
            let message =
                format!("this {what} does not run: a line `;;; {}` belongs directly above a kernel", kind.head());
            found.push(Problem::error(path, codes::INPUT, message).at(range));
        }
    }
    Ok(found)
}

fn tests(info: &KernelInfo) -> impl Iterator<Item = &DocLine> {
    info.lines.iter().filter(|line| line.kind == DocLineKind::Test)
}

/// Runs the test lines of a kernel on the interpreter; for each line that fails, the problem.
pub(super) fn on_interpreter(
    program: &Program,
    path: &Arc<str>,
    info: &KernelInfo,
) -> io::Result<Vec<(DocLine, Option<Problem>)>> {
    let places = [Where::Interpreter];
    let arguments = Arguments {
        kernel: None,
        devices: Vec::new(),
        target: None,
        seeds: 1,
        patience: PATIENCE,
        format: Format::Text,
        embedded: false,
        files: Vec::new(),
    };
    let tester = Tester { arguments: &arguments, program, path, info, places: &places };
    let mut kernel = None;
    let mut all = Vec::new();
    for line in tests(info) {
        let kernel = match &kernel {
            Some(known) => known,
            None => kernel.insert(answered(engine::core(&program.analysis, path, &info.name))?),
        };
        let problem = match kernel {
            Ok(kernel) => tester.test(kernel, line)?.err().flatten(),
            Err(problems) => problems.first().cloned(),
        };
        all.push((line.clone(), problem));
    }
    Ok(all)
}

/// The expected result of a test.
enum Wanted {
    Value(Value),
    Error(String),
    /// The interpreter's result.
    Meaning,
}

/// The tests of one kernel.
struct Tester<'a> {
    arguments: &'a Arguments,
    program: &'a Program,
    path: &'a Arc<str>,
    info: &'a KernelInfo,
    places: &'a [Where],
}

impl Tester<'_> {
    fn test_kernel(&self, console: &mut Console, count: &mut Count) -> io::Result<()> {
        let format = self.arguments.format;
        let kernel = answered(engine::core(&self.program.analysis, self.path, &self.info.name))?;
        if let Err(problems) = &kernel {
            console.problems(&self.program.sources(), format, problems)?;
        }
        for line in tests(self.info) {
            let outcome = match &kernel {
                Ok(kernel) => self.late(line, console)?.while_running(|| self.test(kernel, line))?,
                // These errors are already reported.
                Err(_) => Err(None),
            };
            let passed = outcome.is_ok();
            *(if passed { &mut count.passed } else { &mut count.failed }) += 1;
            let (file, name) = (self.program.sources().shown(self.path), &self.info.name);
            match format {
                Format::Text => {
                    let verdict = if passed { "ok" } else { "FAILED" };
                    console.line(&format!("{file}: {name}: {} ... {verdict}", shortened(&line.text)))?;
                }
                Format::Json => {
                    let start = answered(self.program.analysis.line_index(self.path))?
                        .map(|index| index.position(line.range.start(), lift_syntax::ColumnEncoding::Utf16).line);
                    console.json(&json!({
                        "file": file, "kernel": name, "line": start, "test": line.text, "passed": passed,
                    }))?;
                }
            }
            if let Err(Some(problem)) = outcome {
                console.problems(&self.program.sources(), format, &[problem])?;
            }
        }
        Ok(())
    }

    /// The end of this process if a line does not end.
    fn late(&self, line: &DocLine, console: &mut Console) -> io::Result<Late> {
        let Arguments { patience, format, .. } = *self.arguments;
        let why = format!("the test of `{}` ran longer than {patience} s and was stopped", self.info.name);
        let problem = Problem::error(self.path, codes::RUN_LIMIT, why).at(line.range);
        let problem = problem.note("`--patience SECONDS` is the limit of one line; the lines after it were not run");
        Late::new(patience, format, console.rendered(&self.program.sources(), format, &problem)?, console)
    }

    /// Runs one line with all its sizes and seeds on every device; stops at the first failure.
    fn test(&self, kernel: &Kernel, line: &DocLine) -> io::Result<Result<(), Option<Problem>>> {
        let wrong =
            |code: &str, message: String| Ok(Err(Some(Problem::error(self.path, code, message).at(line.range))));
        let parameters: Vec<&str> = self.info.inputs.iter().map(|(name, _)| &**name).collect();
        let sizes: Vec<&str> = self.info.sizes.iter().map(|s| &**s).collect();
        let read = RunLine::parse_test(&line.text)
            .and_then(|(given, expected)| Ok((given.fit_all(&parameters, &sizes)?, expected)));
        let (runs, expected) = match read {
            Ok(read) => read,
            Err(why) => return wrong(codes::INPUT, why),
        };
        let folder = Path::new(&**self.path).parent().unwrap_or(Path::new("."));
        let wanted = match expected {
            None => Wanted::Meaning,
            Some(Expected::Error(code)) if !code.is_empty() && codes::page(&code).is_none() => {
                return wrong(codes::INPUT, format!("there is no code `{code}`; `lift explain` lists them"));
            }
            Some(Expected::Error(code)) => Wanted::Error(code),
            Some(Expected::Value(word)) => match inputs::value(&word, &kernel.result, folder) {
                Ok(value) => Wanted::Value(value),
                Err(why) => return wrong(codes::INPUT, format!("the expected result `{word}`: {why}")),
            },
        };
        for run in runs.iter().flat_map(|run| seeded(run, self.arguments.seeds)) {
            if let Err(problem) = self.test_run(kernel, line, &run, folder, &wanted)? {
                let given: Vec<String> = run.sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
                let seeds = run
                    .inputs
                    .iter()
                    .filter(|input| ["random:", "signed:"].iter().any(|g| input.starts_with(g)))
                    .cloned();
                let with: Vec<String> = given.into_iter().chain(seeds).collect();
                let problem = if with.is_empty() { problem } else { problem.note(format!("with {}", with.join(", "))) };
                return Ok(Err(Some(problem)));
            }
        }
        Ok(Ok(()))
    }

    fn test_run(
        &self,
        kernel: &Kernel,
        line: &DocLine,
        run: &DefaultRun,
        folder: &Path,
        wanted: &Wanted,
    ) -> io::Result<Result<(), Problem>> {
        let failed = |what: &str| {
            let message = format!("`{}` {what}", self.info.name);
            Problem::error(self.path, codes::TEST_FAILED, message).at(line.range)
        };
        let mut meaning = None;
        let mut places = self.places.to_vec();
        if matches!(wanted, Wanted::Meaning) {
            // The interpreter runs first: the other results are compared with its result.
            places.retain(|place| *place != Where::Interpreter);
            places.insert(0, Where::Interpreter);
        }
        for place in places {
            let ran = self.run_on(kernel, line, run, folder, place)?;
            let on = ran.as_ref().map_or_else(|_| name_of(place), |ran| ran.device.clone());
            let expected = match (wanted, &meaning) {
                (Wanted::Value(value), _) => Some(value),
                (_, meaning) => meaning.as_ref(),
            };
            match (ran, wanted) {
                (Err(problems), Wanted::Error(code)) => {
                    if !code.is_empty() && !problems.iter().any(|p| p.code == *code) {
                        let problem = failed(&format!("stops with another error than `{code}`"));
                        return Ok(Err(stopped(problem, &on, problems)));
                    }
                }
                (Err(problems), _) => {
                    return Ok(Err(stopped(failed("stops instead of giving a result"), &on, problems)));
                }
                (Ok(ran), Wanted::Error(code)) => {
                    let error = if code.is_empty() { "an error".to_owned() } else { format!("the error `{code}`") };
                    let gives = shortened(&ran.value.to_string());
                    let problem = failed(&format!("gives a result, but {error} is expected"));
                    return Ok(Err(problem.note(format!("on {on}: {gives}"))));
                }
                (Ok(ran), _) => {
                    if let Some(differs) = expected.and_then(|expected| difference(&ran.value, expected)) {
                        let than = if meaning.is_some() { "on the interpreter" } else { "the test expects" };
                        let problem = failed(&format!("gives another result than {than}"));
                        return Ok(Err(problem.note(format!("on {on}: {}", shortened(&differs)))));
                    }
                    if matches!(wanted, Wanted::Meaning) && meaning.is_none() {
                        meaning = Some(ran.value);
                    }
                }
            }
        }
        Ok(Ok(()))
    }

    fn run_on(
        &self,
        kernel: &Kernel,
        line: &DocLine,
        run: &DefaultRun,
        folder: &Path,
        place: Where,
    ) -> io::Result<Result<Ran, Vec<Problem>>> {
        let input = |why: String| Ok(Err(vec![Problem::error(self.path, codes::INPUT, why).at(line.range)]));
        let sizes = run.sizes.iter().map(|(name, n)| (name.clone(), i64::try_from(*n).unwrap_or(i64::MAX))).collect();
        let given = match given_sizes(kernel, &sizes) {
            Ok(given) => given,
            Err(why) => return input(why),
        };
        let values = match inputs::arguments(kernel, &run.inputs, &inputs::Reading::files(folder)) {
            Ok(values) => values,
            Err(why) => return input(why),
        };
        let wanted = engine::Wanted {
            subject: engine::Subject { path: self.path, focus: line.range },
            timing: engine::Timing::Nothing,
            repeats: 1,
            memory: None,
            limits: Limits::default(),
            device: Some(place),
            target: self.arguments.target,
            unchecked: false,
            untuned: false,
            tell: &|_| {},
        };
        answered(engine::run(&self.program.analysis, &wanted, kernel, values, &given))
    }
}

/// Returns the run once per seed, with `random` replaced by `random:SEED`, and `signed` likewise; without them, the run itself.
fn seeded(run: &DefaultRun, seeds: u64) -> Vec<DefaultRun> {
    let is_seeded = |input: &str| matches!(input, "random" | "signed");
    if !run.inputs.iter().any(|input| is_seeded(input)) {
        return vec![run.clone()];
    }
    let with = |seed: u64| {
        let inputs = run.inputs.iter().map(|input| match is_seeded(input) {
            true => format!("{input}:{seed}"),
            false => input.to_owned(),
        });
        DefaultRun { inputs: inputs.collect(), sizes: run.sizes.clone() }
    };
    (0..seeds).map(with).collect()
}

fn name_of(place: Where) -> String {
    match place {
        Where::Interpreter => "interpreter".to_owned(),
        Where::OpenCl(_) => "OpenCL".to_owned(),
    }
}

/// Attaches the errors that stopped a run to a test failure.
fn stopped(mut problem: Problem, on: &str, errors: Vec<Problem>) -> Problem {
    for error in errors {
        let message = format!("{}: {}", error.code, error.message);
        match error.range.filter(|range| problem.range != Some(*range)) {
            Some(range) => problem.related.push(RelatedPlace { at: FileRange { path: error.path, range }, message }),
            None => problem = problem.note(format!("on {on}: {message}")),
        }
    }
    problem
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
