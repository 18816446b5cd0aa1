//! `lift bench`: measures kernels on a device and compares with earlier results.

use super::options::{Code, megabytes, ratio, size};
use super::run::randomize;
use super::test::stray;
use super::{Console, Format, Status, answered};
use crate::engine::{self, Where};
use crate::files;
use crate::inputs::run_line::{DefaultRun, RunLine};
use crate::inputs::{self, given_sizes};
use crate::program::Program;
use crate::report::{self, Problem, codes};
use lift_analysis::ide::{DocLineKind, KernelInfo};
use lift_codegen::interp::Limits;
use lift_codegen::run::DeviceChoice;
use lift_syntax::TextRange;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest results file that is read, in bytes.
const MAX_RESULTS: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only this kernel.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Override a size of the `;;; bench:` lines, as in `--size N=1000`.
    #[arg(long = "size", value_name = "NAME=NUMBER", value_parser = size)]
    sizes: Vec<(String, i64)>,
    /// `opencl`, or `opencl:I` for device number I of `lift devices`.
    #[arg(long, value_name = "DEVICE", value_parser = parse_device, default_value = "opencl")]
    device: DeviceChoice,
    #[command(flatten)]
    code: Code,
    /// Use at most this many megabytes on the device.
    #[arg(long, value_name = "MEGABYTES", value_parser = megabytes)]
    memory: Option<u64>,
    /// Measure each kernel up to this many times, within two seconds.
    #[arg(long, value_name = "TIMES", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    runs: u32,
    /// Write the results to this file.
    #[arg(long, value_name = "RESULTS.json")]
    json: Option<PathBuf>,
    /// Compare with earlier results, written by `--json`.
    #[arg(long, value_name = "RESULTS.json")]
    against: Option<PathBuf>,
    /// With `--against`: fail if a kernel is slower by more than this percentage and the two measurements do not
    /// overlap.
    #[arg(long, value_name = "PERCENT", requires = "against", value_parser = ratio)]
    fail_if_slower: Option<f64>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The programs.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn parse_device(text: &str) -> Result<DeviceChoice, String> {
    text.parse()
}

/// The file that `--json` writes.
#[derive(Debug, Serialize, Deserialize)]
struct Results {
    /// The version of `lift`.
    version: String,
    device: String,
    benchmarks: Vec<Benchmark>,
}

/// One kernel on one input. Times are microseconds for the whole kernel on the device, without transfers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Benchmark {
    file: String,
    kernel: String,
    /// Input specification by parameter name.
    inputs: BTreeMap<String, String>,
    sizes: BTreeMap<String, i64>,
    runs: u32,
    median: f64,
    least: f64,
    greatest: f64,
}

impl Benchmark {
    fn is_same(&self, other: &Benchmark) -> bool {
        let key = |b: &Benchmark| (b.file.clone(), b.kernel.clone(), b.inputs.clone(), b.sizes.clone());
        key(self) == key(other)
    }

    /// Returns the new median time relative to the earlier one; `None` if the two measurements overlap.
    fn ratio(&self, before: &Benchmark) -> Option<f64> {
        clear_ratio([self.median, self.least, self.greatest], [before.median, before.least, before.greatest])
    }
}

/// The median of `now` relative to that of `before`, each median, least and greatest time; `None` if they overlap.
pub(super) fn clear_ratio(now: [f64; 3], before: [f64; 3]) -> Option<f64> {
    let ([now, least, greatest], [before, before_least, before_greatest]) = (now, before);
    let apart = least > before_greatest || before_least > greatest;
    (apart && before > 0.0).then(|| now / before)
}

/// Describes the change from an earlier measurement.
fn compared(now: &Benchmark, before: Option<&Benchmark>) -> String {
    match before.map(|before| now.ratio(before)) {
        None => "new".to_owned(),
        Some(None) => "as before".to_owned(),
        Some(Some(ratio)) if ratio > 1.0 => format!("{ratio:.2} times as long as before"),
        Some(Some(ratio)) => format!("{:.2} times as fast as before", 1.0 / ratio),
    }
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let before = match arguments.against.as_deref().map(read) {
        Some(Err(why)) => {
            console.error(&why);
            return Ok(Status::Wrong);
        }
        Some(Ok(before)) => Some(before),
        None => None,
    };
    let cannot = |target: &Path, e: io::Error| format!("{} cannot be written: {e}", target.display());
    if let Some(target) = &arguments.json
        && let Err(e) = files::may_write(target)
    {
        console.error(&cannot(target, e));
        return Ok(Status::Wrong);
    }
    let program = answered(Program::load(&arguments.files))?;
    let mut wrong = console.problems(&program.sources(), arguments.format, &program.unreadable)?;
    let mut results =
        Results { version: env!("CARGO_PKG_VERSION").to_owned(), device: String::new(), benchmarks: Vec::new() };
    let mut slower = 0;
    let mut unknown: Vec<&str> = arguments.sizes.iter().map(|(name, _)| name.as_str()).collect();
    for path in &program.roots {
        let kernels = answered(program.analysis.kernels(path))?;
        if arguments.kernel.is_none() {
            let stray = answered(stray(&program, path, &kernels, DocLineKind::Bench))?;
            wrong += console.problems(&program.sources(), arguments.format, &stray)?;
        }
        let mut measured = false;
        for info in kernels.iter().filter(|k| arguments.kernel.as_ref().is_none_or(|name| *name == k.name)) {
            unknown.retain(|name| !info.sizes.iter().any(|size| size == name));
            let bencher = Bencher { arguments, program: &program, path, info };
            let (cases, mut problems) = bencher.cases();
            measured |= !cases.is_empty() || !problems.is_empty();
            for case in cases {
                match bencher.measure(&case)? {
                    Ok((benchmark, device)) => {
                        if results.device.is_empty() {
                            about_devices(console, arguments.format, &device, before.as_ref());
                            results.device = device;
                        }
                        let earlier = before.as_ref().and_then(|b| b.benchmarks.iter().find(|b| b.is_same(&benchmark)));
                        slower += usize::from(is_slower(arguments, &benchmark, earlier));
                        let beside = before.as_ref().map(|_| compared(&benchmark, earlier));
                        show(console, arguments.format, &benchmark, beside.as_deref())?;
                        results.benchmarks.push(benchmark);
                    }
                    Err(why) => problems.extend(why),
                }
            }
            wrong += console.problems(&program.sources(), arguments.format, &problems)?;
        }
        // An error may hide a measurement.
        if !measured && arguments.kernel.is_none() {
            let errors = answered(report::errors(&program.analysis, path))?;
            wrong += console.problems(&program.sources(), arguments.format, &errors)?;
        }
    }
    if wrong == 0 {
        for name in &unknown {
            console.error(&format!("no kernel has the size `{name}`"));
        }
        wrong = unknown.len();
    }
    if wrong == 0 && results.benchmarks.is_empty() {
        console.note("nothing to measure: no kernel has a line such as `;;; bench: xs=random N=1000,1000000` above it");
    }
    if let Some(target) = &arguments.json {
        let text = serde_json::to_string_pretty(&results).map_err(io::Error::other)? + "\n";
        if let Err(e) = files::write_atomically(target, text.as_bytes()) {
            console.error(&cannot(target, e));
            wrong += 1;
        }
    }
    if slower > 0 {
        console.error(&format!("{slower} slower than before"));
    }
    Ok(Status::wrong_if(wrong > 0 || slower > 0))
}

fn read(path: &Path) -> Result<Results, String> {
    let name = path.display();
    let text = files::read_bytes(path, MAX_RESULTS).and_then(files::text_of).map_err(|e| format!("{name}: {e}"))?;
    serde_json::from_str(&text).map_err(|e| format!("{name} has no results of `lift bench --json`: {e}"))
}

fn about_devices(console: &mut Console, format: Format, device: &str, before: Option<&Results>) {
    if format == Format::Text {
        console.note(&format!("on {device}"));
    }
    if let Some(before) = before.filter(|before| before.device != device && !before.device.is_empty()) {
        console.note(&format!("the earlier results are of another device, {}", before.device));
    }
}

fn is_slower(arguments: &Arguments, now: &Benchmark, before: Option<&Benchmark>) -> bool {
    let ratio = before.and_then(|before| now.ratio(before));
    arguments.fail_if_slower.zip(ratio).is_some_and(|(percent, ratio)| ratio > 1.0 + percent / 100.0)
}

fn show(console: &mut Console, format: Format, b: &Benchmark, beside: Option<&str>) -> io::Result<()> {
    if format == Format::Json {
        let mut object = serde_json::to_value(b).map_err(io::Error::other)?;
        object["compared"] = beside.into();
        return console.json(&object);
    }
    let sizes: Vec<String> = b.sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
    let (kernel, sizes) = (format!("{}: {}", b.file, b.kernel), sizes.join(" "));
    let times = format!("{:>12.1} µs  ({:.1} – {:.1}, {} runs)", b.median, b.least, b.greatest, b.runs);
    let beside = beside.map_or(String::new(), |text| format!("  {text}"));
    console.line(&format!("{kernel:<32} {sizes:<20} {times}{beside}"))
}

/// Measures one kernel.
struct Bencher<'a> {
    arguments: &'a Arguments,
    program: &'a Program,
    path: &'a Arc<str>,
    info: &'a KernelInfo,
}

/// One input, and the range of the line that gives it.
struct Case {
    run: DefaultRun,
    at: TextRange,
}

impl Bencher<'_> {
    /// Returns the inputs of the `;;; bench:` lines, or else of the `;;; run:` line, and the errors in them.
    fn cases(&self) -> (Vec<Case>, Vec<Problem>) {
        let parameters: Vec<&str> = self.info.inputs.iter().map(|(name, _)| &**name).collect();
        let sizes: Vec<&str> = self.info.sizes.iter().map(|s| &**s).collect();
        let own = self.info.lines.iter().filter(|line| line.kind == DocLineKind::Bench);
        let mut lines: Vec<(Result<RunLine, String>, TextRange)> =
            own.map(|line| (RunLine::parse_bench(&line.text), line.range)).collect();
        if lines.is_empty() {
            lines.extend(self.info.run_line.as_deref().map(|line| (RunLine::parse(line), self.info.focus)));
        }
        let (mut cases, mut problems) = (Vec::new(), Vec::new());
        for (line, at) in lines {
            match line.and_then(|line| line.fit_all(&parameters, &sizes)) {
                Ok(runs) => cases.extend(runs.into_iter().map(|run| Case { run, at })),
                Err(why) => problems.push(Problem::error(self.path, codes::INPUT, why).at(at)),
            }
        }
        for case in &mut cases {
            let given = self.arguments.sizes.iter().filter(|(name, _)| sizes.contains(&&**name));
            case.run.sizes.extend(given.map(|(name, n)| (name.clone(), n.unsigned_abs())));
        }
        // With `--size`, several lines may give the same input.
        let mut seen: Vec<DefaultRun> = Vec::new();
        cases.retain(|case| {
            let new = !seen.contains(&case.run);
            seen.push(case.run.clone());
            new
        });
        (cases, problems)
    }

    fn measure(&self, case: &Case) -> io::Result<Result<(Benchmark, String), Vec<Problem>>> {
        let input = |why: String| Ok(Err(vec![Problem::error(self.path, codes::INPUT, why).at(case.at)]));
        let kernel = match answered(engine::core(&self.program.analysis, self.path, &self.info.name))? {
            Ok(kernel) => kernel,
            Err(problems) => return Ok(Err(problems)),
        };
        let sizes = case.run.sizes.iter().map(|(n, value)| (n.clone(), i64::try_from(*value).unwrap_or(i64::MAX)));
        let given = match given_sizes(&kernel, &sizes.collect()) {
            Ok(given) => given,
            Err(why) => return input(why),
        };
        let folder = Path::new(&**self.path).parent().unwrap_or(Path::new("."));
        let mut texts = case.run.inputs.clone();
        if self.arguments.sizes.iter().any(|(name, _)| self.info.sizes.contains(name)) {
            randomize(&mut texts, &kernel);
        }
        let values = match inputs::arguments(&kernel, &texts, &inputs::Reading::files(folder)) {
            Ok(values) => values,
            Err(why) => return input(why),
        };
        let wanted = engine::Wanted {
            subject: engine::Subject { path: self.path, focus: case.at },
            timing: engine::Timing::Runs,
            repeats: self.arguments.runs,
            memory: self.arguments.memory,
            limits: Limits::default(),
            device: Some(Where::OpenCl(self.arguments.device)),
            target: self.arguments.code.target,
            unchecked: self.arguments.code.unchecked,
            untuned: self.arguments.code.untuned,
            tell: &|_| {},
        };
        let ran = match answered(engine::run(&self.program.analysis, &wanted, &kernel, values, &given))? {
            Ok(ran) => ran,
            Err(problems) => return Ok(Err(problems)),
        };
        let Some([median, least, greatest]) = ran.total else {
            return input("the device gives no times".to_owned());
        };
        let names = self.info.inputs.iter().map(|(name, _)| name.clone());
        let benchmark = Benchmark {
            file: self.program.sources().shown(self.path),
            kernel: self.info.name.clone(),
            inputs: names.zip(texts).collect(),
            sizes: ran.sizes,
            runs: ran.runs,
            median,
            least,
            greatest,
        };
        Ok(Ok((benchmark, ran.device)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(median: f64, least: f64, greatest: f64) -> Benchmark {
        Benchmark {
            file: "a.lift".to_owned(),
            kernel: "k".to_owned(),
            inputs: BTreeMap::new(),
            sizes: BTreeMap::from([("N".to_owned(), 10)]),
            runs: 10,
            median,
            least,
            greatest,
        }
    }

    #[test]
    fn measurements_that_overlap_are_the_same() {
        let before = measured(10.0, 9.0, 12.0);
        let beside = |now: &Benchmark| compared(now, Some(&before));
        assert_eq!(beside(&measured(11.0, 10.0, 13.0)), "as before");
        assert_eq!(beside(&measured(20.0, 12.5, 30.0)), "2.00 times as long as before");
        assert_eq!(beside(&measured(5.0, 4.0, 8.0)), "2.00 times as fast as before");
        assert_eq!(compared(&before, None), "new");
        assert!(!before.is_same(&Benchmark { sizes: BTreeMap::new(), ..before.clone() }));
    }
}
