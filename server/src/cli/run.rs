//! `lift run`: reads inputs, chooses a device, runs a kernel and reports the result.

use super::options::{Code, megabytes, size};
use super::{Console, Format, Status, answered, build, untyped};
use crate::engine::{self, Ran, Where};
use crate::files;
use crate::inputs::format::{self, Place};
use crate::inputs::run_line::RunLine;
use crate::inputs::{self, Reading, named};
use crate::program::{Embedded, Program};
use crate::report::{Problem, codes};
use crate::several;
use lift_analysis::front::program::Printed;
use lift_analysis::ide::KernelInfo;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use lift_codegen::core::Kernel;
use lift_codegen::core::print::meaning;
use lift_codegen::interp::Limits;
use lift_codegen::io::InputSource;
use lift_codegen::io::cast::Casts;
use lift_codegen::io::{apl, fcl, plot, print};
use lift_codegen::run::report::{Busy, ProfileEntry, RunReport};
use lift_codegen::run::several::DeviceList;
use lift_codegen::value::Value;
use lift_syntax::Language;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The devices of a run.
#[derive(Debug, Clone)]
enum Devices {
    One(Where),
    Several(DeviceList),
}

/// Parses the name of a device, or a list of numbers.
fn parse_devices(text: &str) -> Result<Devices, String> {
    if text.contains(',') { text.parse().map(Devices::Several) } else { engine::parse_device(text).map(Devices::One) }
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The kernel; required if the program has several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// A size that the shapes of the inputs do not determine, as in `--size N=1000`.
    #[arg(long = "size", value_name = "NAME=NUMBER", value_parser = size)]
    sizes: Vec<(String, i64)>,
    /// `interpreter`, `opencl`, `opencl:I` for device number I of `lift devices`, or `opencl:I,J` for several at a time.
    /// Default: an OpenCL device, or the interpreter if there is none.
    #[arg(long, value_name = "DEVICE", value_parser = parse_devices)]
    device: Option<Devices>,
    #[command(flatten)]
    code: Code,
    /// Print the time of each launch.
    #[arg(long)]
    profile: bool,
    /// Run up to this many times, within two seconds, and print the median, least and greatest time of each launch.
    #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Use at most this many megabytes on the device.
    #[arg(long, value_name = "MEGABYTES", value_parser = megabytes)]
    memory: Option<u64>,
    /// Convert the numbers of NumPy and Arrow files to the types of the parameters; one that does not fit is an error.
    #[arg(long)]
    cast: bool,
    /// Write the result to this file instead of printing it; its extension is `.npy`, `.npz`, `.arrow`, `.csv`, `.png`,
    /// `.pgm` or `.ppm`. `csv:-` writes CSV to standard output.
    #[arg(short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print only the first lines of the result.
    #[arg(long, value_name = "LINES")]
    head: Option<usize>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// With `--format json`: also give the result as curves or a picture, reduced to the resolution of a screen.
    #[arg(long)]
    plot: bool,
    /// Internal: started by the language server. The texts come on standard input; its end terminates the process.
    #[arg(long, hide = true)]
    embedded: bool,
    /// The program.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Inputs in the order of the kernel's parameters, each a file (`.npy`, `.npz`, `.arrow`, `.csv`, `.png`, `.pgm`,
    /// `.ppm` or text), `-` for standard input, a literal (`0.5`, `[1,2,3]`), `random[:SEED]`,
    /// `signed[:SEED]` or `iota`. `xs=INPUT` and `N=1000` name their parameter or size. Default: the kernel's
    /// `;;; run:` line.
    #[arg(value_name = "INPUT", allow_negative_numbers = true)]
    inputs: Vec<String>,
}

impl Arguments {
    /// Repeated runs are reported launch by launch, too.
    fn timing(&self) -> engine::Timing {
        if self.profile || self.repeat > 1 { engine::Timing::RunsAndLaunches } else { engine::Timing::Nothing }
    }
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let program = if arguments.embedded { load_embedded(&arguments.file)? } else { load(arguments)? };
    // Progress is for the language server only.
    let tell = |step: &str| {
        if arguments.embedded {
            let mut out = io::stdout().lock();
            let _ = writeln!(out, "{}", json!({ "progress": step })).and_then(|()| out.flush());
        }
    };
    if console.problems(&program.sources(), arguments.format, &program.unreadable)? > 0 {
        return Ok(Status::Wrong);
    }
    let Some(path) = program.roots.first().cloned() else { return Ok(Status::Wrong) };
    let program = match with_kernel(arguments, program, &path)? {
        Ok(program) => program,
        Err((program, problem)) => {
            console.problems(&program.sources(), arguments.format, &[problem])?;
            return Ok(Status::Wrong);
        }
    };
    if let Some(place) = arguments.output.as_deref().map(Place::parse).filter(|place| !place.is_standard())
        && let Err(e) = files::may_write(&place.path)
    {
        let message = format!("{} cannot be written: {e}", place.path.display());
        let problem = Problem::error(&path, codes::UNWRITABLE_FILE, message);
        console.problems(&program.sources(), arguments.format, &[problem])?;
        return Ok(Status::Wrong);
    }
    match run_kernel(arguments, &program, &path, console, &tell)? {
        Ok(done) => report(arguments, console, &program, &path, done),
        Err(problems) => {
            console.problems(&program.sources(), arguments.format, &problems)?;
            Ok(Status::Wrong)
        }
    }
}

/// The program, in which the wanted function is a kernel: the inputs tell the types of an APL function without.
fn with_kernel(
    arguments: &Arguments,
    program: Program,
    path: &Arc<str>,
) -> io::Result<Result<Program, (Program, Problem)>> {
    let Some(name) = &arguments.kernel else { return Ok(Ok(program)) };
    let Some(function) = answered(untyped::untyped(&program, path, name))? else { return Ok(Ok(program)) };
    let reading = Reading { folder: Path::new("."), casts: Casts::Made, streams: !arguments.embedded };
    Ok(match answered(untyped::typed(&program, path, &function, &arguments.inputs, &reading))? {
        Ok(typed) => Ok(typed),
        Err(problem) => Err((program, problem)),
    })
}

fn load(arguments: &Arguments) -> io::Result<Program> {
    answered(Program::load(std::slice::from_ref(&arguments.file)))
}

/// Loads the texts that the language server sends.
pub(super) fn load_embedded(file: &Path) -> io::Result<Program> {
    answered(Program::load_texts(file, &embedded()?.texts))
}

/// Reads the job that the language server sends.
pub(super) fn embedded() -> io::Result<Embedded> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let embedded: Embedded = serde_json::from_str(&line)?;
    // Standard input ends when the server closes it or dies; the result is then useless.
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock().take(u64::MAX), &mut io::sink());
        std::process::exit(1);
    });
    Ok(embedded)
}

/// A finished run.
struct Done {
    /// The name of the kernel.
    name: String,
    kernel: Arc<Kernel>,
    ran: Ran,
}

type Outcome<T> = io::Result<Result<T, Vec<Problem>>>;

fn run_kernel(
    arguments: &Arguments,
    program: &Program,
    path: &Arc<str>,
    console: &mut Console,
    tell: &dyn Fn(&str),
) -> Outcome<Done> {
    let info = match answered(build::one_kernel(program, path, arguments.kernel.as_deref(), "--kernel"))? {
        Ok(info) => info,
        Err(problems) => return Ok(Err(problems)),
    };
    let kernel = match answered(engine::core(&program.analysis, path, &info.name))? {
        Ok(kernel) => kernel,
        Err(problems) => return Ok(Err(problems)),
    };
    // The editor already shows these errors.
    if !arguments.embedded {
        let elsewhere = answered(engine::elsewhere(&program.analysis, path, std::slice::from_ref(&info)))?;
        console.problems(&program.sources(), arguments.format, &elsewhere)?;
    }
    // The program that the inputs are for, if it takes none itself.
    let functions = match info.inputs.is_empty() && !arguments.inputs.is_empty() {
        true => answered(untyped::functions(program, path))?,
        false => Vec::new(),
    };
    let input = |message: String| {
        let problem = Problem::error(path, codes::INPUT, message).at(info.focus);
        let problem = match functions.is_empty() {
            true => problem,
            false => {
                problem.note(format!("`--kernel` names a function that takes inputs: `{}`", functions.join("`, `")))
            }
        };
        Ok(Err(vec![problem]))
    };
    let wishes = match wishes(&arguments.inputs, &arguments.sizes, &info, path) {
        Ok(wishes) => wishes,
        Err(message) => return input(message),
    };
    let given = match inputs::given_sizes(&kernel, &wishes.sizes) {
        Ok(given) => given,
        Err(message) => return input(message),
    };
    tell("making the inputs");
    // Standard input of an embedded run is the language server's.
    let casts = if arguments.cast { Casts::Made } else { Casts::Offered };
    let reading = Reading { folder: &wishes.folder, casts, streams: !arguments.embedded };
    let arguments_of_kernel = match inputs::arguments(&kernel, &wishes.inputs, &reading) {
        Ok(values) => values,
        Err(message) => return input(message),
    };
    let (device, list) = match &arguments.device {
        Some(Devices::One(device)) => (Some(*device), None),
        Some(Devices::Several(list)) => (None, Some(list)),
        None => (None, None),
    };
    let wanted = engine::Wanted {
        subject: engine::Subject { path, focus: info.focus },
        timing: arguments.timing(),
        repeats: arguments.repeat,
        memory: arguments.memory,
        limits: Limits::default(),
        device,
        target: arguments.code.target,
        unchecked: arguments.code.unchecked,
        untuned: arguments.code.untuned,
        tell,
    };
    let ran = answered(match list {
        Some(list) => several::run(&program.analysis, &wanted, list, &kernel, arguments_of_kernel, &given),
        None => engine::run(&program.analysis, &wanted, &kernel, arguments_of_kernel, &given),
    })?;
    Ok(ran.map(|ran| Done { name: info.name, kernel, ran }))
}

/// Inputs and sizes of a run, unparsed.
pub(super) struct Wishes {
    pub inputs: Vec<String>,
    pub sizes: BTreeMap<String, i64>,
    /// Base of relative file names.
    pub folder: PathBuf,
}

/// Returns the inputs on the command line or, if there are none, those of the kernel's `;;; run:` line, whose files are
/// relative to the program.
pub(super) fn wishes(
    inputs: &[String],
    given: &[(String, i64)],
    info: &KernelInfo,
    path: &str,
) -> Result<Wishes, String> {
    let mut sizes: BTreeMap<String, i64> = BTreeMap::new();
    for (name, value) in given {
        if sizes.insert(name.clone(), *value).is_some_and(|old| old != *value) {
            return Err(format!("the size `{name}` is given twice"));
        }
    }
    let parameters: Vec<&str> = info.inputs.iter().map(|(name, _)| &**name).collect();
    let names: Vec<&str> = info.sizes.iter().map(|s| &**s).collect();
    let line = info.run_line.as_deref().filter(|_| inputs.is_empty());
    let Some(line) = line else {
        let (inputs, named) = named::in_order(inputs, &parameters, &names)?;
        for (name, value) in named {
            if sizes.insert(name.clone(), value).is_some_and(|old| old != value) {
                return Err(format!("the size `{name}` is given twice"));
            }
        }
        return Ok(Wishes { inputs, sizes, folder: PathBuf::from(".") });
    };
    let default = RunLine::parse(line)?.fit(&parameters, &names)?;
    for (name, value) in default.sizes {
        let value = i64::try_from(value).map_err(|_| format!("the size `{name}` is too large"))?;
        // Sizes on the command line take precedence.
        sizes.entry(name).or_insert(value);
    }
    Ok(Wishes { inputs: default.inputs, sizes, folder: folder_of(path) })
}

/// Replaces arrays that a line of the program writes out by random ones, because they determine their own sizes.
pub(super) fn randomize(inputs: &mut [String], kernel: &Kernel) {
    for (input, param) in inputs.iter_mut().zip(&kernel.params) {
        let is_generated = matches!(InputSource::parse(input.trim()), Ok(InputSource::Generated(_)));
        if kernel.ty(*param).as_array().is_some() && !is_generated {
            *input = "random".to_owned();
        }
    }
}

/// The base of file names in the lines of a program.
pub(super) fn folder_of(path: &str) -> PathBuf {
    Path::new(path).parent().filter(|f| f.is_dir()).unwrap_or(Path::new(".")).to_owned()
}

fn report(
    arguments: &Arguments,
    console: &mut Console,
    program: &Program,
    path: &Arc<str>,
    done: Done,
) -> io::Result<Status> {
    let Done { name, kernel, ran } = done;
    let written = match &arguments.output {
        Some(target) => match write_result(arguments, console, target, &ran.value, &result_type(&kernel, &ran)) {
            Ok(written) => Some(written),
            Err(message) => {
                let problem = Problem::error(path, codes::UNWRITABLE_FILE, message);
                console.problems(&program.sources(), arguments.format, &[problem])?;
                return Ok(Status::Wrong);
            }
        },
        None => None,
    };
    let outputs = answered(program.analysis.printed(path, &name))?;
    let print_value = |out: &mut dyn io::Write| match &outputs {
        Some(printed) => print_as(out, printed, &ran.value, arguments.head),
        None => print::write(out, &ran.value, arguments.head),
    };
    match arguments.format {
        Format::Json => {
            let mut output = Vec::new();
            let cut = written.is_none() && print_value(&mut output)?;
            let output = String::from_utf8_lossy(&output).into_owned();
            let notice = (!ran.notices.is_empty()).then(|| ran.notices.join("\n"));
            let plot = if arguments.plot { plot::plot(&ran.value) } else { None };
            console.json(&RunReport {
                kernel: kernel.name.to_string(),
                device: ran.device,
                notice,
                output,
                cut,
                written,
                profile: ran.profile,
                busy: ran.busy,
                runs: ran.runs,
                total: ran.total,
                sizes: ran.sizes,
                plot,
                meaning: format!("{:016x}", meaning(&kernel)),
            })?;
        }
        Format::Text => {
            for notice in &ran.notices {
                console.note(notice);
            }
            if written.is_none() && print_value(console.out())? {
                console.note("the rest of the result is left out");
            }
            if arguments.timing() != engine::Timing::Nothing {
                print_profile(console, &ran);
            }
        }
    }
    Ok(Status::Fine)
}

/// Writes the result as a file, or to standard output; returns its name. An error is a message for the user.
fn write_result(
    arguments: &Arguments,
    console: &mut Console,
    target: &Path,
    value: &Value,
    ty: &Ty,
) -> Result<String, String> {
    let place = Place::parse(target);
    let name = place.path.display().to_string();
    let cannot = |e: io::Error| format!("{name} cannot be written: {e}");
    if place.is_standard() && place.format.is_none() {
        return Err("`-o -` needs a format, as in `-o csv:-`; without `-o`, the result is printed as text".to_owned());
    }
    if place.is_standard() && arguments.format == Format::Json {
        return Err("with `--format json`, standard output is for the report; give `-o` a file".to_owned());
    }
    let bytes = format::encode(place.format, value, ty)?;
    match place.is_standard() {
        true => console.out().write_all(&bytes).map_err(cannot)?,
        false => files::write_atomically(&place.path, &bytes).map_err(cannot)?,
    }
    Ok(name)
}

/// Prints a value in the notation of the program's language, at most `head` lines; returns whether lines were omitted.
fn print_as(out: &mut dyn io::Write, printed: &Printed, value: &Value, head: Option<usize>) -> io::Result<bool> {
    let mut all = Vec::new();
    match printed.language {
        Language::Fcl => fcl::write(&mut all, printed.outputs.len(), value)?,
        Language::Lift | Language::Apl => apl::write(&mut all, &printed.outputs, value)?,
    }
    let end = head.map(|lines| all.split_inclusive(|byte| *byte == b'\n').take(lines).map(<[u8]>::len).sum());
    let end = end.unwrap_or(all.len());
    out.write_all(&all[..end])?;
    Ok(end < all.len())
}

/// Returns the result type with actual lengths: a file needs the shape even if the array has no elements.
fn result_type(kernel: &Kernel, ran: &Ran) -> Ty {
    kernel.result.subst_sizes(&mut |v| {
        let value = ran.sizes.get(&*v.name).filter(|_| kernel.sizes.contains(v))?;
        Some(Size::int(*value))
    })
}

/// Prints the profile as a table on standard error.
fn print_profile(console: &mut Console, ran: &Ran) {
    let name = |e: &ProfileEntry| match e.launches {
        0 | 1 => format!("{} ({})", e.name, e.kernel),
        n => format!("{} ({}, {n} launches)", e.name, e.kernel),
    };
    let rows: Vec<(String, &ProfileEntry)> = ran.profile.iter().map(|e| (name(e), e)).collect();
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .chain([if ran.busy.is_empty() { 6 } else { 20 }])
        .max()
        .unwrap_or(0);
    let several = ran.runs > 1;
    let runs = if several { format!(", the median of {} runs and their spread", ran.runs) } else { String::new() };
    console.say(&format!("on {}{runs}", ran.device));
    let spread = |[least, greatest]: [f64; 2]| match several {
        true => format!("  {least:.1} – {greatest:.1}"),
        false => String::new(),
    };
    for (name, entry) in &rows {
        let spread = spread(entry.spread);
        console.say(&format!("  {name:<width$} {:>12.1} µs{spread}", entry.microseconds));
    }
    for Busy { device, microseconds } in &ran.busy {
        console.say(&format!("  {:<width$} {microseconds:>12.1} µs", format!("{device} in all")));
    }
    if !ran.busy.is_empty() {
        let [median, least, greatest] = ran.total.unwrap_or_default();
        let spread = spread([least, greatest]);
        console.say(&format!("  {:<width$} {median:>12.1} µs{spread}", "longest of each step"));
    } else if rows.len() != 1 {
        let total = rows.iter().fold(0.0, |sum, (_, e)| sum + e.microseconds);
        console.say(&format!("  {:<width$} {total:>12.1} µs", "in all"));
    }
}
