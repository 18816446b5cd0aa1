//! `lift tune`: finds the parameters that make a kernel fastest on a device, by measurement.

use super::run::{Wishes, folder_of, load_embedded, randomize, wishes};
use super::{Console, Format, Status, answered, build};
use crate::inputs::run_line::RunLine;
use crate::program::{Program, Texts, texts};
use crate::report::{Problem, codes};
use crate::tune::remote::{Patience, Remote};
use crate::tune::search::{self, Bench, Race, Tried, median};
use crate::tune::worker::{self, Ask, Job, Ready, Told};
use crate::tune::written::{self, Place, Wish};
use crate::tuned::choice::Choice;
use crate::tuned::records::{self, Lookup, Record};
use crate::{engine, files};
use lift_analysis::ide::{DocLineKind, KernelInfo};
use lift_analysis::parameters::{Entry, TABLE};
use lift_codegen::core::Kernel;
use lift_codegen::device::DeviceInfo;
use lift_codegen::run::DeviceChoice;
use lift_codegen::target::Target;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Milliseconds of a measurement, beyond the first few runs.
const WITHIN: u64 = 400;
/// The word for rewritings where parameters are named.
const LAWS: &str = "law";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The kernel; required if the program has several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// A size, as in `--size N=1000`. Default: those of the kernel's `;;; bench:` or `;;; run:` line.
    #[arg(long = "size", value_name = "NAME=NUMBER", value_parser = super::options::size)]
    sizes: Vec<(String, i64)>,
    /// Search for at most this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::options::seconds, default_value_t = 30.0)]
    budget: f64,
    /// `opencl`, or `opencl:I` for device number I of `lift devices`.
    #[arg(long, value_name = "DEVICE", default_value = "opencl", value_parser = device)]
    device: String,
    /// Try only this parameter; may be given several times. `target` is the class of devices, `law` the rewritings of the
    /// program.
    #[arg(long = "parameter", value_name = "NAME", value_parser = parameter)]
    parameters: Vec<String>,
    /// Stop an attempt that takes more than this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::options::seconds, default_value_t = 30.0)]
    patience: f64,
    /// Stop an attempt whose process takes more than this many megabytes.
    #[arg(long, value_name = "MEGABYTES", default_value_t = 16_384)]
    memory: u64,
    /// List the parameters and their values.
    #[arg(long)]
    list: bool,
    /// Write the best choice into the program, as `(with ((NAME VALUE) …) e)`, or a changed program into FILE. With
    /// `--budget 0`, write that of an earlier tuning.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    write: Option<Option<PathBuf>>,
    /// With `--write`: keep the kernel, and add a copy with the best choice below it.
    #[arg(long, requires = "write")]
    copy: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Internal: compile and measure in this process, on behalf of the parent process.
    #[arg(long, hide = true)]
    worker: bool,
    /// Internal: started by the language server. The texts come on standard input; its end terminates the process.
    #[arg(long, hide = true)]
    embedded: bool,
    /// The program.
    #[arg(value_name = "FILE", required_unless_present_any = ["worker", "list"])]
    file: Option<PathBuf>,
    /// Inputs, as of `lift run`. Default: those of the kernel's `;;; bench:` or `;;; run:` line, or `random`.
    #[arg(value_name = "INPUT", allow_negative_numbers = true)]
    inputs: Vec<String>,
}

impl Arguments {
    fn wants(&self, parameter: &str) -> bool {
        self.parameters.is_empty() || self.parameters.iter().any(|wanted| wanted == parameter)
    }
}

fn device(text: &str) -> Result<String, String> {
    text.parse::<DeviceChoice>().map(|_| text.to_owned())
}

fn parameter(text: &str) -> Result<String, String> {
    match ["target", LAWS].contains(&text) || TABLE.iter().any(|entry| entry.name == text) {
        true => Ok(text.to_owned()),
        false => Err(format!("there is no parameter `{text}`; `lift tune --list` lists them")),
    }
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    if arguments.worker {
        return worker::answer().map(|()| Status::Fine);
    }
    if arguments.list {
        return list(arguments.format, console).map(|()| Status::Fine);
    }
    let program = match &arguments.file {
        Some(file) if arguments.embedded => load_embedded(file)?,
        file => answered(Program::load(file.as_slice()))?,
    };
    if console.problems(&program.sources(), arguments.format, &program.unreadable)? > 0 {
        return Ok(Status::Wrong);
    }
    let Some(path) = program.roots.first().cloned() else { return Ok(Status::Wrong) };
    let info = match answered(build::one_kernel(&program, &path, arguments.kernel.as_deref(), "--kernel"))? {
        Ok(info) => info,
        Err(problems) => {
            console.problems(&program.sources(), arguments.format, &problems)?;
            return Ok(Status::Wrong);
        }
    };
    // Its errors, with their places; the child would only have their text.
    let kernel = match answered(engine::core(&program.analysis, &path, &info.name))? {
        Ok(kernel) => kernel,
        Err(problems) => {
            console.problems(&program.sources(), arguments.format, &problems)?;
            return Ok(Status::Wrong);
        }
    };
    let tuned = match job(arguments, &program, &path, &info, &kernel)? {
        Ok(job) => {
            let texts = job.texts.clone();
            match (tune(arguments, &path, &info, job, console)?, &arguments.write) {
                (Ok((best, device)), Some(to)) => {
                    write(&Writing { arguments, texts: &texts, to }, &path, &info, best, &device, console)?
                }
                (tuned, _) => tuned.map(|_| ()),
            }
        }
        Err(why) => Err(why),
    };
    if let Err(why) = tuned {
        let problem = Problem::error(&path, codes::INPUT, why).at(info.focus);
        console.problems(&program.sources(), arguments.format, &[problem])?;
        return Ok(Status::Wrong);
    }
    Ok(Status::Fine)
}

fn list(format: Format, console: &mut Console) -> io::Result<()> {
    for entry in TABLE {
        let values: Vec<String> = entry.candidates.iter().map(u32::to_string).collect();
        match format {
            Format::Json => console.json(&json!({
                "parameter": entry.name, "default": entry.default, "values": entry.candidates, "meaning": entry.meaning
            }))?,
            Format::Text => {
                let (name, default, values) = (entry.name, entry.default, values.join(" "));
                console.line(&format!("{name:<16} {default:>5}  ({values})"))?;
                console.line(&format!("    {}", entry.meaning))?;
            }
        }
    }
    Ok(())
}

/// The inputs: of the command line, of the first `;;; bench:` line, of the `;;; run:` line, or random ones, of sizes that
/// were tuned before unless others are given. With `--size`, arrays that a line writes out are random.
fn job(
    arguments: &Arguments,
    program: &Program,
    path: &Arc<str>,
    info: &KernelInfo,
    kernel: &Kernel,
) -> io::Result<Result<Job, String>> {
    let texts = answered(texts(&program.analysis, path))?;
    let bench = info.lines.iter().find(|line| line.kind == DocLineKind::Bench && arguments.inputs.is_empty());
    let found = match (bench, &info.run_line) {
        (Some(bench), _) => {
            let parameters: Vec<&str> = info.inputs.iter().map(|(name, _)| &**name).collect();
            let names: Vec<&str> = info.sizes.iter().map(|s| &**s).collect();
            // Of several sizes the largest, which are last.
            let lines = RunLine::parse_bench(&bench.text).and_then(|line| line.fit_all(&parameters, &names));
            let last = lines.and_then(|mut lines| lines.pop().ok_or_else(|| "the bench line is empty".to_owned()));
            last.map(|line| {
                let given = line.sizes.into_iter().map(|(name, n)| (name, i64::try_from(n).unwrap_or(i64::MAX)));
                let sizes = given.chain(arguments.sizes.iter().cloned()).collect();
                Wishes { inputs: line.inputs, sizes, folder: folder_of(path) }
            })
        }
        (None, None) if arguments.inputs.is_empty() => Ok(Wishes {
            inputs: vec!["random".to_owned(); info.inputs.len()],
            sizes: sizes_before(path, info).into_iter().chain(arguments.sizes.iter().cloned()).collect(),
            folder: PathBuf::from("."),
        }),
        _ => wishes(&arguments.inputs, &arguments.sizes, info, path),
    };
    let found = found.map(|mut wishes| {
        if arguments.inputs.is_empty() && !arguments.sizes.is_empty() {
            randomize(&mut wishes.inputs, kernel);
        }
        wishes
    });
    Ok(found.map(|wishes| Job {
        texts,
        path: path.clone(),
        kernel: info.name.clone(),
        inputs: wishes.inputs,
        sizes: wishes.sizes,
        folder: wishes.folder,
        device: arguments.device.clone(),
    }))
}

/// The sizes for which a kernel was tuned last.
fn sizes_before(path: &Arc<str>, info: &KernelInfo) -> BTreeMap<String, i64> {
    let records = records::read(&records::file(Path::new(&**path))).unwrap_or_default();
    let mut sizes = records.into_iter().rfind(|r| r.kernel == info.name).map(|r| r.sizes).unwrap_or_default();
    // An earlier version of the kernel may have had others.
    sizes.retain(|name, _| info.sizes.iter().any(|size| **size == **name));
    sizes
}

fn tune(
    arguments: &Arguments,
    path: &Arc<str>,
    info: &KernelInfo,
    job: Job,
    console: &mut Console,
) -> io::Result<Result<(Option<Record>, DeviceInfo), String>> {
    let seconds = |s: f64| Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX);
    let patience = Patience { time: seconds(arguments.patience), memory: arguments.memory };
    let file = records::file(Path::new(&**path));
    // A search would end with a result that cannot be kept.
    if let Err(why) = records::read(&file) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        return Ok(Err(format!("{name} cannot be used: {why}; correct or delete it")));
    }
    let own = Path::new(&**path);
    let to = arguments.write.as_ref().map(|to| to.as_deref().unwrap_or(own));
    if let Some(to) = to.filter(|to| *to != own && to.exists()) {
        return Ok(Err(format!("{} exists already", to.display())));
    }
    for target in [Some(&*file).filter(|_| arguments.budget > 0.0), to].into_iter().flatten() {
        if let Err(e) = files::may_write(target) {
            return Ok(Err(format!("{} cannot be written: {e}", target.display())));
        }
    }
    let texts = job.texts.clone();
    let (mut remote, ready) = match Remote::start(job, patience) {
        Ok(started) => started,
        Err(why) => return Ok(Err(format!("`{}` cannot be tuned: {why}", info.name))),
    };
    let least = match (arguments.budget > 0.0).then(|| remote.ask(&Ask::Least)) {
        Some(Ok(Told::Least(least))) => least,
        _ => None,
    };
    // Making inputs and interpreting them does not count.
    let until = Instant::now().checked_add(seconds(arguments.budget));
    let (kernel, texts, file) = (&*info.name, &texts, &*file);
    let mut tuner =
        Tuner { arguments, remote, ready, kernel, texts, path, file, until, console, least, tries: 0, unkept: None };
    tuner.show_start()?;
    let found = tuner.search();
    let best = tuner.best(found.as_ref());
    let is_over = tuner.is_over();
    clear_progress();
    if arguments.write.is_some() {
        best.notice.iter().for_each(|notice| tuner.console.note(notice));
    }
    if let Some(why) = tuner.failure(found.is_some()) {
        return Ok(Err(why));
    }
    tuner.show_end(found, is_over)?;
    Ok(Ok((best.record, tuner.ready.device)))
}

/// The data of `--write`.
struct Writing<'a> {
    arguments: &'a Arguments,
    texts: &'a Texts,
    /// The file, if not the program's own.
    to: &'a Option<PathBuf>,
}

/// Writes the best choice into the program. After writing in place, its record is useless and is removed.
fn write(
    writing: &Writing<'_>,
    path: &Arc<str>,
    info: &KernelInfo,
    best: Option<Record>,
    device: &DeviceInfo,
    console: &mut Console,
) -> io::Result<Result<(), String>> {
    let Some(best) = best else {
        console.note("there is nothing to write: no choice is known that is faster than the default");
        return Ok(Ok(()));
    };
    if let Err(why) = answered(engine::rewritten::recorded(writing.texts, path, &best))? {
        return Ok(Err(records::unused(Path::new(&**path), &why)));
    }
    let place = if writing.arguments.copy { Place::Copy } else { Place::Kernel };
    let wish = Wish { path, kernel: info, choice: &best.choice, place, found: &best.found() };
    let targets = [Target::of(device)];
    let written = match answered(written::write(writing.texts, &wish, &targets))? {
        Ok(written) => written,
        Err(why) => return Ok(Err(why)),
    };
    let own = Path::new(&**path);
    let to = writing.to.as_deref().unwrap_or(own);
    if to != own && to.exists() {
        return Ok(Err(format!("{} exists already", to.display())));
    }
    if let Err(why) = files::write_atomically(to, written.text.as_bytes()) {
        return Ok(Err(format!("{} cannot be written: {why}", to.display())));
    }
    if to == own && place == Place::Kernel {
        let like = Record { meaning: written.meaning, ..best.clone() };
        if let Err(why) = records::forget(&records::file(own), &like) {
            return Ok(Err(format!("{} cannot be written: {why}", records::file(own).display())));
        }
    }
    if writing.arguments.format == Format::Text {
        let name = to.file_name().unwrap_or_default().to_string_lossy();
        console.line(&format!("`{}` in {name} has {}", written.kernel, best.choice.written()))?;
    }
    Ok(Ok(()))
}

/// Measures in the child, and writes each improvement at once.
struct Tuner<'a> {
    arguments: &'a Arguments,
    remote: Remote,
    ready: Ready,
    kernel: &'a str,
    texts: &'a Texts,
    path: &'a Arc<str>,
    file: &'a Path,
    until: Option<Instant>,
    console: &'a mut Console,
    /// The least time that the device allows.
    least: Option<f64>,
    tries: u32,
    /// Why the file cannot be written.
    unkept: Option<String>,
}

impl Tuner<'_> {
    /// Prints the kernel, and the times between which those of all choices should be.
    fn show_start(&mut self) -> io::Result<()> {
        let Ready { device, sizes, default, interpreted, .. } = &self.ready;
        let (console, kernel, least) = (&mut *self.console, self.kernel, self.least);
        if self.arguments.format == Format::Text {
            let sizes: Vec<String> = sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
            let of = if sizes.is_empty() { String::new() } else { format!(", {}", sizes.join(" ")) };
            console.line(&format!("{kernel} on {}{of}", device.name))?;
            if let Some(least) = least {
                let what = "the least that the device allows without caches";
                console.line(&format!("{least:>12.1} µs   100 %            {what}"))?;
            }
            let share = shown_share(least, *default);
            console.line(&format!("{default:>12.1} µs  {share}           as it is"))?;
        } else {
            let device = &device.name;
            console.json(
                &json!({ "kernel": kernel, "device": device, "sizes": sizes, "default": default, "least": least }),
            )?;
            console.flush()?;
        }
        if !interpreted {
            console.note("no small input: results are compared with the default's only, not with the interpreter's");
        }
        Ok(())
    }

    /// The best choice of the search, and its race with the default. A search that ran to its end without a result says
    /// that the default is best now: an earlier record is removed.
    fn search(&mut self) -> Option<(Choice, Race)> {
        let parameters: Vec<&Entry> = TABLE.iter().filter(|entry| self.arguments.wants(entry.name)).collect();
        let single_pass = Target::of(&self.ready.device).single_pass;
        let mut targets: Vec<Choice> = Vec::new();
        if self.arguments.wants("target") {
            let possible = Target::named().into_iter().filter(|(_, target)| single_pass || !target.single_pass);
            targets.extend(possible.map(|(name, _)| Choice::for_target(name)));
        }
        let found = search::search(self, &targets, &parameters);
        if found.is_none()
            && !self.is_over()
            && self.arguments.parameters.is_empty()
            && let Err(why) = records::forget(self.file, &self.record(&Choice::default(), [0.0; 2]))
        {
            self.unkept = Some(why.to_string());
        }
        found
    }

    /// The record of the choice that was found, else that of an earlier tuning.
    fn best(&self, found: Option<&(Choice, Race)>) -> Lookup {
        if let Some((choice, race)) = found {
            return Lookup { record: Some(self.record(choice, [median(&race[1]), median(&race[0])])), notice: None };
        }
        let Ready { meaning, device, sizes, .. } = &self.ready;
        records::Key { program: Path::new(&**self.path), kernel: self.kernel, meaning, device }.lookup(sizes)
    }

    /// Why the search did not run to its end.
    fn failure(&self, has_found: bool) -> Option<String> {
        if let Some(why) = &self.unkept {
            return Some(format!("{} cannot be written: {why}", self.file.display()));
        }
        let why = self.remote.lost()?;
        let kept = if has_found { "; the best so far is kept" } else { "" };
        Some(format!("the search ended early, because `{}` does not run any more: {why}{kept}", self.kernel))
    }

    /// Prints the best choice, and how many were tried.
    fn show_end(&mut self, found: Option<(Choice, Race)>, is_over: bool) -> io::Result<()> {
        let (console, tries) = (&mut *self.console, self.tries);
        let found = found.map(|(choice, race)| (choice.to_string(), race.map(|times| median(&times))));
        if self.arguments.format == Format::Json {
            let (choice, times) = found.unzip();
            return console.json(&json!({ "kernel": self.kernel, "best": choice, "tries": tries, "times": times }));
        }
        let tried = if tries == 1 { "1 program tried".to_owned() } else { format!("{tries} programs tried") };
        let is_searched = self.arguments.budget > 0.0;
        let rest = if is_over && is_searched { "; the time was up before the others" } else { "" };
        match found {
            Some((choice, [default, best])) => {
                let name = self.file.file_name().unwrap_or_default().to_string_lossy();
                let share = shown_share(self.least, best);
                console.line(&format!("{best:>12.1} µs  {share}  {:>6.2} ×  {choice}", default / best))?;
                console.line(&format!("{tried}{rest}; kept in {name}"))
            }
            None if is_searched => console.line(&format!("{tried}{rest}; none is clearly faster")),
            None => Ok(()),
        }
    }

    fn record(&self, choice: &Choice, times: [f64; 2]) -> Record {
        // Nothing cancels this, and the choice was compiled before.
        let rewritten = engine::rewritten::fingerprint(self.texts, self.path, self.kernel, choice.laws());
        Record {
            rewritten: rewritten.ok().and_then(Result::ok).unwrap_or_default(),
            kernel: self.kernel.to_owned(),
            meaning: self.ready.meaning.clone(),
            device: records::identity(&self.ready.device),
            sizes: self.ready.sizes.clone(),
            choice: choice.clone(),
            times,
            at: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs()),
        }
    }
}

impl Bench for Tuner<'_> {
    fn code(&mut self, choice: &Choice) -> Result<u64, String> {
        match self.remote.ask(&Ask::Code(choice.clone()))? {
            Told::Code(code) => Ok(code),
            _ => Err("it gave an unexpected answer".to_owned()),
        }
    }

    fn rewritings(&mut self, choice: &Choice) -> Vec<Choice> {
        if !self.arguments.wants(LAWS) {
            return Vec::new();
        }
        match self.remote.ask(&Ask::Rewritings(choice.clone())) {
            Ok(Told::Rewritings(all)) => all,
            // A program that cannot be rewritten any more.
            _ => Vec::new(),
        }
    }

    fn race(&mut self, best: &Choice, choice: &Choice, rounds: u32) -> Result<Race, String> {
        let step = format!("{} tried; now {choice}", self.tries);
        match self.arguments.embedded {
            true => {
                let shown = self.console.json(&json!({ "progress": step })).and_then(|()| self.console.flush());
                // The language server has ended; this process ends with its standard input.
                let _ = shown;
            }
            false => progress(&step),
        }
        match self.remote.ask(&Ask::Race(best.clone(), choice.clone(), rounds, WITHIN))? {
            Told::Race(race) => Ok(race),
            _ => Err("it gave an unexpected answer".to_owned()),
        }
    }

    fn is_over(&self) -> bool {
        self.unkept.is_some() || self.remote.lost().is_some() || self.until.is_some_and(|until| Instant::now() > until)
    }

    fn tried(&mut self, tried: &Tried) {
        self.tries += 1;
        clear_progress();
        let choice = tried.choice.to_string();
        let shown = match (&tried.outcome, self.arguments.format) {
            (outcome, Format::Json) => {
                let (time, why) = (outcome.as_ref().ok().map(|(time, _)| time), outcome.as_ref().err());
                self.console.json(&json!({ "choice": choice, "microseconds": time, "failed": why }))
            }
            (Ok((time, ratio)), Format::Text) => {
                let share = shown_share(self.least, *time);
                self.console.line(&format!("{time:>12.1} µs  {share}  {ratio:>6.2} ×  {choice}"))
            }
            (Err(why), Format::Text) => {
                self.console.line(&format!("{:>12}                       {choice}: {why}", "failed"))
            }
        };
        // A closed output must not end the search.
        let _ = shown.and_then(|()| self.console.flush());
    }

    fn keep(&mut self, choice: &Choice, race: &Race) {
        let record = self.record(choice, [median(&race[1]), median(&race[0])]);
        if let Err(why) = records::add(self.file, record) {
            self.unkept = Some(why.to_string());
        }
    }
}

/// The share of the roofline that a time reaches: in caches more than all of it.
fn shown_share(least: Option<f64>, time: f64) -> String {
    least.map_or("      ".to_owned(), |least| format!("{:>4.0} %", 100.0 * least / time.max(1e-3)))
}

fn progress(text: &str) {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr().lock(), "\r\x1b[K{text}");
    }
}

fn clear_progress() {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr().lock(), "\r\x1b[K");
    }
}
