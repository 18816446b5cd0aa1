//! `lift compare`: two kernels of one type side by side.
//!
//! Their results are compared on small random inputs, on the interpreter, and on the inputs of a run, on a device. Then
//! follow times, costs and the difference between the generated texts.
//!
//! `small`: compares two kernels on small random inputs, on the interpreter.

mod small;

use super::build::one_kernel;
use super::run::{Wishes, embedded, randomize, wishes};
use super::watch::Late;
use super::{Console, Format, Status, answered, bench};
use crate::engine::{self, Ran, Where};
use crate::inputs::{self, given_sizes};
use crate::program::Program;
use crate::report::cost::{CostReport, Counted};
use crate::report::{Problem, codes};
use crate::stages::{self, Stage};
use lift_analysis::ide::KernelInfo;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use lift_codegen::core::Kernel;
use lift_codegen::core::typing::same_type;
use lift_codegen::difference::{difference, is_same};
use lift_codegen::interp::Limits;
use lift_codegen::run::{DeviceChoice, device};
use lift_codegen::target::Target;
use serde_json::json;
use similar::TextDiff;
use small::Small;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Length to which a difference between two results is shortened, in characters.
const SHOWN: usize = 100;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The kernel, in both programs; required if a program has several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The kernel in NEW, if it has another name there.
    #[arg(long, value_name = "NAME")]
    new_kernel: Option<String>,
    /// A size of OLD that the shapes of the inputs do not determine, as in `--size N=1000`.
    #[arg(long = "size", value_name = "NAME=NUMBER", value_parser = super::options::size)]
    sizes: Vec<(String, i64)>,
    /// `interpreter`, `opencl`, or `opencl:I` for device number I of `lift devices`. Default: an OpenCL device, or the
    /// interpreter if there is none.
    #[arg(long, value_name = "DEVICE", value_parser = engine::parse_device)]
    device: Option<Where>,
    /// What to generate for: `portable`, `gpu`, `nvidia` or `cpu`. Default: what suits the device.
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Ignore the records of `lift tune`.
    #[arg(long)]
    untuned: bool,
    /// Measure each kernel up to this many times, within two seconds.
    #[arg(long, value_name = "TIMES", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    runs: u32,
    /// Stop if a kernel takes more than this many seconds, with all its runs and its compilation by the driver.
    #[arg(long, value_name = "SECONDS", value_parser = super::options::seconds, default_value_t = 120.0)]
    patience: f64,
    /// The stage whose texts are compared.
    #[arg(long, value_enum, value_name = "STAGE", default_value_t)]
    stage: Stage,
    /// Fail if NEW takes more than this many times as long as OLD and the two measurements do not overlap.
    #[arg(long, value_name = "RATIO", value_parser = super::options::ratio)]
    at_most: Option<f64>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Internal: started by the language server. The texts come on standard input; its end terminates the process.
    #[arg(long, hide = true)]
    embedded: bool,
    /// The program with the one kernel.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The program with the other kernel; the same file with `--new-kernel`.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Inputs in the order of the parameters, as of `lift run`. Default: the `;;; run:` line of OLD, or else of NEW, or
    /// else random ones.
    #[arg(value_name = "INPUT", allow_negative_numbers = true)]
    inputs: Vec<String>,
}

type Outcome<T> = io::Result<Result<T, Vec<Problem>>>;

/// Where and how often a kernel runs.
#[derive(Clone, Copy)]
struct How {
    device: Option<Where>,
    limits: Limits,
    runs: u32,
}

#[derive(Clone, Copy)]
enum Which {
    Old,
    New,
}

impl Display for Which {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Which::Old => "old",
            Which::New => "new",
        })
    }
}

/// One of the two kernels.
struct Side {
    program: Program,
    path: Arc<str>,
    info: KernelInfo,
    kernel: Arc<Kernel>,
}

impl Side {
    /// Loads a program and its kernel; reports problems and returns `None` if there is no such kernel.
    /// `option` is the option that names the kernel.
    fn load(
        program: Program,
        (kernel, option): (Option<&str>, &str),
        format: Format,
        console: &mut Console,
    ) -> io::Result<Option<Side>> {
        console.problems(&program.sources(), format, &program.unreadable)?;
        let Some(path) = program.roots.first().filter(|_| program.unreadable.is_empty()).cloned() else {
            return Ok(None);
        };
        let found = match answered(one_kernel(&program, &path, kernel, option))? {
            Ok(info) => answered(engine::core(&program.analysis, &path, &info.name))?.map(|kernel| (info, kernel)),
            Err(problems) => Err(problems),
        };
        match found {
            Ok((info, kernel)) => Ok(Some(Side { program, path, info, kernel })),
            Err(problems) => {
                console.problems(&program.sources(), format, &problems)?;
                Ok(None)
            }
        }
    }

    fn shown(&self) -> String {
        format!("{}: {}", self.program.sources().shown(&self.path), self.info.name)
    }

    fn ty(&self) -> Ty {
        Ty::funs(self.kernel.params.iter().map(|p| self.kernel.ty(*p).clone()), self.kernel.result.clone())
    }

    fn run(&self, arguments: &Arguments, wishes: &Wishes, how: How) -> Outcome<Ran> {
        let input = |why: String| Ok(Err(vec![Problem::error(&self.path, codes::INPUT, why).at(self.info.focus)]));
        let given = match given_sizes(&self.kernel, &wishes.sizes) {
            Ok(given) => given,
            Err(why) => return input(why),
        };
        let values = match inputs::arguments(&self.kernel, &wishes.inputs, &inputs::Reading::files(&wishes.folder)) {
            Ok(values) => values,
            Err(why) => return input(why),
        };
        let wanted = engine::Wanted {
            subject: engine::Subject { path: &self.path, focus: self.info.focus },
            timing: engine::Timing::RunsAndLaunches,
            repeats: how.runs,
            memory: None,
            limits: how.limits,
            device: how.device,
            target: arguments.target,
            unchecked: false,
            untuned: arguments.untuned,
            tell: &|_| {},
        };
        answered(engine::run(&self.program.analysis, &wanted, &self.kernel, values, &given))
    }

    fn cost(&self, target: &Target, sizes: &BTreeMap<String, i64>) -> Outcome<CostReport> {
        let sizes = match given_sizes(&self.kernel, sizes) {
            Ok(sizes) => sizes,
            Err(why) => return Ok(Err(vec![Problem::error(&self.path, codes::INPUT, why)])),
        };
        answered(engine::cost(&self.program.analysis, &self.path, &self.info.name, target, &sizes))
    }

    fn text(&self, stage: Stage, target: &Target) -> Outcome<String> {
        let made = stages::text(&self.program.analysis, &self.path, &self.info.name, stage, target);
        Ok(answered(made)?.map(|made| made.text))
    }
}

/// Two kernels of one type.
struct Pair<'a> {
    arguments: &'a Arguments,
    old: Side,
    new: Side,
}

/// The comparison of both on one input on a device.
struct Measured {
    differs: Option<String>,
    ran: [Ran; 2],
    costs: [CostReport; 2],
    texts: [String; 2],
}

impl Measured {
    fn times(&self) -> Option<[[f64; 3]; 2]> {
        let [old, new] = &self.ran;
        Some([old.total?, new.total?])
    }

    /// The new time relative to the old; `None` without times, or if the measurements overlap.
    fn ratio(&self) -> Option<f64> {
        self.times().and_then(|[old, new]| bench::clear_ratio(new, old))
    }

    fn is_exact(&self) -> bool {
        let [old, new] = &self.ran;
        is_same(&old.value, &new.value)
    }

    /// The differing lines of the texts, with their surroundings; empty if the texts are equal.
    fn diff(&self, names: [&str; 2]) -> String {
        let [old, new] = &self.texts;
        TextDiff::from_lines(old, new).unified_diff().context_radius(3).header(names[0], names[1]).to_string()
    }
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let new_name = arguments.new_kernel.as_deref().or(arguments.kernel.as_deref());
    let [old, new] = match arguments.embedded {
        true => {
            let texts = embedded()?.texts;
            [&arguments.old, &arguments.new].map(|file| Program::load_texts(file, &texts))
        }
        false => [&arguments.old, &arguments.new].map(|file| Program::load(std::slice::from_ref(file))),
    };
    let old = Side::load(answered(old)?, (arguments.kernel.as_deref(), "--kernel"), arguments.format, console)?;
    let new = Side::load(answered(new)?, (new_name, "--new-kernel"), arguments.format, console)?;
    let (Some(old), Some(new)) = (old, new) else { return Ok(Status::Wrong) };
    let pair = Pair { arguments, old, new };
    if let Some(why) = pair.unlike() {
        console.error(&why);
        return Ok(Status::Wrong);
    }
    let small = pair.small()?;
    // What a run that fails must not hide.
    if arguments.format == Format::Text {
        pair.print_small(&small, console)?;
    }
    let measured = match pair.measured(console)? {
        Some(measured) => measured,
        None => return Ok(Status::Wrong),
    };
    match arguments.format {
        Format::Text => pair.print(&measured, console)?,
        Format::Json => console.json(&pair.json(&small, &measured))?,
    }
    let slower = measured.ratio().zip(arguments.at_most).is_some_and(|(ratio, most)| ratio > most);
    if slower {
        console.error("the new kernel is slower than `--at-most` allows");
    }
    Ok(Status::wrong_if(small.differs.is_some() || measured.differs.is_some() || slower))
}

impl Pair<'_> {
    /// Why the kernels cannot be compared: their types differ by more than the names of lengths.
    fn unlike(&self) -> Option<String> {
        let (old, new) = (&self.old, &self.new);
        let renamed = new.ty().subst_sizes(&mut |v| {
            let at = new.kernel.sizes.iter().position(|w| w == v)?;
            old.kernel.sizes.get(at).cloned().map(Size::var)
        });
        let same = old.kernel.sizes.len() == new.kernel.sizes.len() && same_type(&old.ty(), &renamed, &|a, b| a == b);
        let shown = |side: &Side| {
            let sizes: Vec<&str> = side.kernel.sizes.iter().map(|v| &*v.name).collect();
            format!("`{}` has the sizes ({}) and the type `{}`", side.shown(), sizes.join(" "), side.ty())
        };
        (!same).then(|| format!("the kernels have different types: {}, but {}", shown(old), shown(new)))
    }

    /// The same wishes with the sizes' names in NEW.
    fn for_new(&self, wishes: &Wishes) -> Wishes {
        let named = |name: &String| {
            let at = self.old.kernel.sizes.iter().position(|v| *v.name == **name);
            at.and_then(|at| self.new.kernel.sizes.get(at)).map_or_else(|| name.clone(), |v| v.name.to_string())
        };
        let sizes = wishes.sizes.iter().map(|(name, n)| (named(name), *n)).collect();
        Wishes { inputs: wishes.inputs.clone(), sizes, folder: wishes.folder.clone() }
    }

    /// The inputs of the run: of the command line, of a `;;; run:` line, or random ones. With `--size`, arrays that a
    /// line writes out are random. An error is one of a side.
    fn wishes(&self) -> Result<Wishes, (&Side, String)> {
        let (side, found) = self.wishes_of();
        let mut found = found.map_err(|why| (side, why))?;
        if self.arguments.inputs.is_empty() && !self.arguments.sizes.is_empty() {
            randomize(&mut found.inputs, &side.kernel);
        }
        Ok(found)
    }

    fn wishes_of(&self) -> (&Side, Result<Wishes, String>) {
        let Arguments { inputs, sizes, .. } = self.arguments;
        let (old, new) = (&self.old, &self.new);
        if !inputs.is_empty() || old.info.run_line.is_some() {
            return (old, wishes(inputs, sizes, &old.info, &old.path));
        }
        if new.info.run_line.is_some() {
            // Its names, then those of OLD; `--size` takes precedence.
            let found = match wishes(&[], &[], &new.info, &new.path) {
                Ok(found) => found,
                Err(why) => return (new, Err(why)),
            };
            let pairs = new.kernel.sizes.iter().zip(&old.kernel.sizes);
            let renamed = pairs.filter_map(|(n, o)| Some((o.name.to_string(), *found.sizes.get(&*n.name)?)));
            let sizes = renamed.chain(sizes.iter().cloned()).collect();
            return (new, Ok(Wishes { sizes, ..found }));
        }
        let random = vec!["random".to_owned(); old.kernel.params.len()];
        (old, wishes(&random, sizes, &old.info, &old.path))
    }

    /// Runs, costs and compiles both; reports problems.
    fn measured(&self, console: &mut Console) -> io::Result<Option<Measured>> {
        let wishes = match self.wishes() {
            Ok(wishes) => wishes,
            Err((side, why)) => {
                let problem = Problem::error(&side.path, codes::INPUT, why).at(side.info.focus);
                console.problems(&side.program.sources(), self.arguments.format, &[problem])?;
                return Ok(None);
            }
        };
        let target = self.target();
        let mut both = Vec::new();
        for (which, side, wishes) in [(Which::Old, &self.old, &wishes), (Which::New, &self.new, &self.for_new(&wishes))]
        {
            let late = self.late(which, side, console)?;
            match late.while_running(|| self.one(side, wishes, &target))? {
                Ok(found) => both.push(found),
                Err(problems) => {
                    console.problems(&side.program.sources(), self.arguments.format, &problems)?;
                    return Ok(None);
                }
            }
        }
        let Ok([(old, old_cost, old_text), (new, new_cost, new_text)]) = <[_; 2]>::try_from(both) else {
            return Ok(None);
        };
        let differs = difference(&new.value, &old.value).map(|what| shortened(&what));
        Ok(Some(Measured { differs, ran: [old, new], costs: [old_cost, new_cost], texts: [old_text, new_text] }))
    }

    /// The end of this process if a kernel does not end.
    fn late(&self, which: Which, side: &Side, console: &mut Console) -> io::Result<Late> {
        let Arguments { patience, format, .. } = *self.arguments;
        let why = format!("the {which} kernel ran longer than {patience} s and was stopped");
        let problem = Problem::error(&side.path, codes::RUN_LIMIT, why).at(side.info.focus);
        let problem = problem.note("`--patience SECONDS` is the limit; the driver's compilation of the kernel counts");
        let problem = problem.note(match which {
            Which::Old => "the new kernel was not run, and may take as long",
            Which::New => "the old kernel ended in time",
        });
        Late::new(patience, format, console.rendered(&side.program.sources(), format, &problem)?, console)
    }

    fn one(&self, side: &Side, wishes: &Wishes, target: &Target) -> Outcome<(Ran, CostReport, String)> {
        let Arguments { device, runs, .. } = *self.arguments;
        let ran = match side.run(self.arguments, wishes, How { device, limits: Limits::default(), runs })? {
            Ok(ran) => ran,
            Err(problems) => return Ok(Err(problems)),
        };
        let cost = match side.cost(target, &ran.sizes)? {
            Ok(cost) => cost,
            Err(problems) => return Ok(Err(problems)),
        };
        Ok(side.text(self.arguments.stage, target)?.map(|text| (ran, cost, text)))
    }

    /// The target of the costs and texts.
    fn target(&self) -> Target {
        let choice = match self.arguments.device {
            Some(Where::Interpreter) => None,
            Some(Where::OpenCl(choice)) => Some(choice),
            None => Some(DeviceChoice::Best),
        };
        let of_device = || Some(Target::of(&device::choose(choice?).ok()?.info));
        self.arguments.target.or_else(of_device).unwrap_or(Target::portable())
    }

    fn print_small(&self, small: &Small, console: &mut Console) -> io::Result<()> {
        let [old, new] = [self.old.shown(), self.new.shown()];
        console.line(&format!("old  {old}\nnew  {new}\n"))?;
        match &small.differs {
            Some(why) => console.line(&format!("interpreter: DIFFERENT {why}"))?,
            None => console.line(&format!("interpreter: {}", small.agreement()))?,
        }
        if let Some(first) = &small.first_late {
            console.line(&format!("limit: both kernels were stopped on {} small inputs, first {first}", small.late))?;
        }
        if let Some(first) = &small.first_refused {
            console.line(&format!("conditions: {} small inputs fit one kernel only; {first}", small.refused))?;
        }
        console.flush()
    }

    fn print(&self, measured: &Measured, console: &mut Console) -> io::Result<()> {
        let [old, new] = [self.old.shown(), self.new.shown()];
        let [ran, _] = &measured.ran;
        let sizes: Vec<String> = ran.sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
        let verdict = match &measured.differs {
            Some(why) => format!("DIFFERENT {why}"),
            None if measured.is_exact() => "equal".to_owned(),
            None => "equal up to the rounding of floats".to_owned(),
        };
        let on = if sizes.is_empty() { ran.device.clone() } else { format!("{}, {}", ran.device, sizes.join(" ")) };
        console.line(&format!("{on}: {verdict}\n"))?;
        let mut notices: Vec<&String> = measured.ran.iter().flat_map(|ran| &ran.notices).collect();
        // Of one file, both say the same.
        notices.dedup();
        notices.into_iter().for_each(|notice| console.note(notice));
        self.print_times(measured, console)?;
        for (what, [a, b]) in rows(&measured.costs) {
            let changed = if a == b { "" } else { "  *" };
            console.line(&format!("{what:<16} {a:>20} {b:>20}{changed}"))?;
        }
        let stage = self.arguments.stage.title();
        match measured.diff([&old, &new]) {
            diff if diff.is_empty() => console.line(&format!("\nboth have the same {stage}")),
            diff => console.line(&format!("\n{}", diff.trim_end())),
        }
    }

    fn print_times(&self, measured: &Measured, console: &mut Console) -> io::Result<()> {
        let Some(times) = measured.times() else { return Ok(()) };
        for ((name, [median, least, greatest]), ran) in ["old", "new"].iter().zip(times).zip(&measured.ran) {
            console.line(&format!("{name}  {median:>12.1} µs  ({least:.1} – {greatest:.1}, {} runs)", ran.runs))?;
            for entry in &ran.profile {
                console.line(&format!("     {:>12.1} µs    {} ({})", entry.microseconds, entry.name, entry.kernel))?;
            }
        }
        console.line(&match measured.ratio() {
            None => "the times overlap\n".to_owned(),
            Some(ratio) if ratio > 1.0 => format!("the new takes {ratio:.2} times as long\n"),
            Some(ratio) => format!("the new is {:.2} times as fast\n", 1.0 / ratio),
        })
    }

    fn json(&self, small: &Small, measured: &Measured) -> serde_json::Value {
        let [old, new] = [self.old.shown(), self.new.shown()];
        let side = |name: &str, ran: &Ran, cost: &CostReport| {
            json!({
                "kernel": name, "runs": ran.runs, "times": ran.total, "profile": ran.profile,
                "launches": cost.launched, "total": cost.total,
            })
        };
        let [ran_old, ran_new] = &measured.ran;
        let [cost_old, cost_new] = &measured.costs;
        json!({
            "old": side(&old, ran_old, cost_old),
            "new": side(&new, ran_new, cost_new),
            "device": ran_old.device,
            "sizes": ran_old.sizes,
            "small": { "equal": small.equal, "stopped": small.stopped, "late": small.late, "firstLate": small.first_late,
                       "refused": small.refused, "firstRefused": small.first_refused, "differs": small.differs },
            "differs": measured.differs,
            "ratio": measured.ratio(),
            "diff": measured.diff([&old, &new]),
        })
    }
}

/// The totals of the cost model, old and new.
fn rows(costs: &[CostReport; 2]) -> Vec<(&'static str, [String; 2])> {
    let of = |what, get: fn(&CostReport) -> &Counted| (what, [0, 1].map(|nth: usize| counted(get(&costs[nth]))));
    vec![
        of("launches", |c| &c.launched),
        of("bytes read", |c| &c.total.global_bytes_read),
        of("bytes written", |c| &c.total.global_bytes_written),
        of("local memory", |c| &c.total.local_memory),
        of("barriers", |c| &c.total.barriers),
        of("float operations", |c| &c.total.float_operations),
    ]
}

fn counted(amount: &Counted) -> String {
    match amount.value {
        Some(value) if amount.exact_value => value.to_string(),
        Some(value) => format!("≤ {value}"),
        None if amount.exact => amount.size.clone(),
        None => format!("≤ {}", amount.size),
    }
}

/// Code and message of the first of the problems that stopped a run.
fn first(problems: &[Problem]) -> (&str, &str) {
    problems.first().map_or(("", ""), |p| (&p.code, &p.message))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
