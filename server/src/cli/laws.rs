//! `lift laws`: checks, tests and lists laws of rewriting.

use super::{Console, Format, Status, answered};
use crate::engine::{self, Where};
use crate::laws::{Effort, Found, Tested, Tester};
use crate::program::{Program, texts};
use lift_analysis::laws::{LAWS_TEXT, Law, NoLaw};
use lift_codegen::run::{DeviceChoice, device};
use lift_syntax::{ColumnEncoding, LineIndex};
use std::io;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Random instances of each law; each is run on several inputs.
    #[arg(long = "try", value_name = "TIMES", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    instances: u32,
    /// Which random instances.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// `interpreter`, `opencl`, or `opencl:I` for device number I of `lift devices`. The interpreter always runs both
    /// sides. Default: an OpenCL device, too, if there is one.
    #[arg(long, value_name = "DEVICE", value_parser = engine::parse_device)]
    device: Option<Where>,
    /// Only laws whose name contains this.
    #[arg(long, value_name = "NAME")]
    law: Option<String>,
    /// A program with laws. Default: the built-in laws.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Instances of a law that run on a device: compiling takes a while.
const ON_DEVICE: u32 = 1;

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let program = match &arguments.file {
        // Not under its path in editors: texts there cannot be set.
        None => Program::of_text("laws.lift", LAWS_TEXT.into()),
        Some(path) => Program::load(std::slice::from_ref(path)),
    };
    let program = answered(program)?;
    if console.problems(&program.sources(), Format::Text, &program.unreadable)? > 0 {
        return Ok(Status::Wrong);
    }
    let Some(path) = program.roots.first() else { return Ok(Status::Wrong) };
    let shown = program.shown.get(path).map_or(&**path, String::as_str);
    let texts = answered(texts(&program.analysis, path))?;
    let (mut tester, Found { laws, wrong, errors }) = Tester::new(path, &texts)?;
    console.problems(&program.sources(), Format::Text, &errors)?;
    let lines = LineIndex::new(texts.get(path).map_or("", |text| text));
    for NoLaw { name, why, range } in &wrong {
        let at = lines.position(range.start(), ColumnEncoding::Utf16);
        console.error(&format!("{shown}:{}: `{name}` is not a law: {why}", at.line + 1));
    }
    let chosen = |law: &&Law| arguments.law.as_ref().is_none_or(|part| law.name.contains(part.as_str()));
    let laws: Vec<&Law> = laws.iter().filter(chosen).collect();
    if laws.is_empty() && wrong.is_empty() && errors.is_empty() {
        console.error(&match &arguments.law {
            Some(part) => format!("{shown} has no law whose name contains `{part}`"),
            None => format!("{shown} has no laws: a law is a definition with a line `;;; forwards: …`"),
        });
        return Ok(Status::Wrong);
    }
    let device = match arguments.device {
        Some(Where::Interpreter) => None,
        Some(place) => Some(place),
        None => device::choose(DeviceChoice::Best).ok().map(|_| Where::OpenCl(DeviceChoice::Best)),
    };
    let effort = Effort {
        instances: arguments.instances,
        inputs: 6,
        device: device.map(|device| (device, ON_DEVICE)),
        seed: arguments.seed,
    };
    let mut refuted = 0;
    for law in laws {
        console.line(&listed(law))?;
        if arguments.instances == 0 {
            continue;
        }
        let tested = tester.test(law, &effort)?;
        console.line(&format!("    {}", outcome(&tested)))?;
        refuted += u32::from(tested.wrong.is_some());
    }
    Ok(Status::wrong_if(refuted > 0 || !wrong.is_empty() || !errors.is_empty()))
}

/// The text of a law: its name, each side on a line of its own, then its conditions.
fn listed(law: &Law) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = format!("{}\n    {}\n  = {}", law.name, one_line(&law.left.text), one_line(&law.right.text));
    for condition in &law.conditions {
        out += &format!("\n    where {condition}");
    }
    out
}

fn outcome(tested: &Tested) -> String {
    match &tested.wrong {
        Some(why) => format!("WRONG {why}"),
        None => {
            let device = match tested.equal_on_device {
                0 => String::new(),
                runs => format!(", {runs} on the device"),
            };
            format!(
                "equal on {} inputs, {} of them empty, {} of one element{device}",
                tested.equal, tested.empty, tested.single
            )
        }
    }
}
