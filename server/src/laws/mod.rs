//! Tests of laws: both sides as kernels, on random inputs, on the interpreter and on a device.
//!
//! `page`: the page about laws, `docs/laws.md`.

mod page;

pub use page::page;

use crate::engine::{self, Ran, Where};
use crate::inputs;
use crate::program::Texts;
use crate::report::{Problem, codes, errors};
use lift_analysis::db::forms;
use lift_analysis::ide::{AnalysisHost, Cancellable};
use lift_analysis::laws::checking::sides;
use lift_analysis::laws::instance::{Instance, Random, instance};
use lift_analysis::laws::{Condition, Direction, LAWS_TEXT, Law, NoLaw, builtin, read};
use lift_analysis::queries::signature;
use lift_analysis::ty::Scheme;
use lift_codegen::core::Kernel;
use lift_codegen::difference::difference;
use lift_codegen::interp::Limits;
use lift_syntax::TextRange;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A program whose laws are tested.
pub struct Tester {
    /// The program and its imports.
    host: AnalysisHost,
    path: Arc<str>,
    /// The program's text; for a test, two kernels are appended.
    text: Arc<str>,
    /// The names of these kernels, which the program does not use.
    kernels: [String; 2],
    schemes: BTreeMap<String, Scheme>,
}

/// The laws in a program.
#[derive(Default)]
pub struct Found {
    pub laws: Vec<Law>,
    /// Definitions that look like laws and are none.
    pub wrong: Vec<NoLaw>,
    /// Errors elsewhere, also in imports.
    pub errors: Vec<Problem>,
}

/// How often a law is tested, and where.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Choices of functions and sizes.
    pub instances: u32,
    /// Inputs for each.
    pub inputs: u32,
    /// Tests the first instances on a device, too.
    pub device: Option<(Where, u32)>,
    pub seed: u64,
}

/// The outcome of the tests of one law.
#[derive(Debug, Default)]
pub struct Tested {
    /// Inputs on which both sides gave the same, on the interpreter.
    pub equal: u32,
    /// Equal inputs with a size of 0, and with a size of 1.
    pub empty: u32,
    pub single: u32,
    /// Inputs on which both sides gave the same on a device.
    pub equal_on_device: u32,
    /// Instances with a side that does not type-check, because its sizes do not fit.
    pub unfit: u32,
    pub first_unfit: Option<String>,
    /// Inputs that a side refused, because a condition on lengths does not hold.
    pub refused: u32,
    /// Why the law is wrong, or cannot be tested: a sentence.
    pub wrong: Option<String>,
}

/// The path of the built-in laws.
const BUILTIN: &str = "laws.lift";
/// Sizes of inputs.
const SIZES: [i64; 9] = [0, 1, 2, 3, 4, 5, 6, 8, 12];

/// The result of one input.
enum Shown {
    Equal,
    Refused,
    /// A rewriting in this direction makes the program stop.
    Stops(Direction, String),
    Different(String),
}

impl Tester {
    /// A tester for the laws of a program, and these laws.
    pub fn new(path: &Arc<str>, texts: &Texts) -> io::Result<(Tester, Found)> {
        let mut host = AnalysisHost::default();
        for (path, text) in texts {
            host.set_file(path, text.clone());
        }
        let text = texts.get(path).cloned().unwrap_or_default();
        let mut found = Found::default();
        for law in read(&text) {
            match law {
                Ok(law) => found.laws.push(law),
                Err(why) => found.wrong.push(why),
            }
        }
        let mut schemes = BTreeMap::new();
        {
            let analysis = host.snapshot();
            for problem in answered(errors(&analysis, path))? {
                let is_inside = |range: TextRange| problem.range.is_some_and(|part| range.contains_range(part));
                match found.laws.iter().find(|law| problem.path == *path && is_inside(law.range)) {
                    Some(law) => {
                        let range = problem.range.unwrap_or(law.range);
                        found.wrong.push(NoLaw { name: law.name.clone(), why: problem.message, range });
                    }
                    // A definition that is not a law for another reason may have errors, too.
                    None if problem.path == *path && found.wrong.iter().any(|no| is_inside(no.range)) => {}
                    None => found.errors.push(problem),
                }
            }
            let db = analysis.db();
            if let Some(file) = db.file(path) {
                for &form in forms(db, file) {
                    let (name, scheme) = (form.name(db), signature(db, form));
                    if let Some((name, scheme)) = name.as_ref().zip(scheme) {
                        schemes.insert(name.to_string(), scheme);
                    }
                }
            }
        }
        let Found { laws, wrong, .. } = &mut found;
        laws.retain(|law| !wrong.iter().any(|no| no.name == law.name));
        for law in &*laws {
            let checked = schemes.get(&*law.name).ok_or("it has no type".to_owned());
            if let Err(why) = checked.and_then(|scheme| sides(scheme, law.params.len())) {
                wrong.push(NoLaw { name: law.name.clone(), why, range: law.range });
            }
        }
        laws.retain(|law| !wrong.iter().any(|no| no.name == law.name));
        let kernels = ["left", "right"].map(|side| unused(side, &text));
        Ok((Tester { host, path: path.clone(), text, kernels, schemes }, found))
    }

    /// A tester for the built-in laws.
    pub fn builtin() -> io::Result<(Tester, &'static [Law])> {
        let texts = Texts::from([(BUILTIN.into(), LAWS_TEXT.into())]);
        Ok((Tester::new(&BUILTIN.into(), &texts)?.0, builtin()))
    }

    /// Tests a law of the program.
    pub fn test(&mut self, law: &Law, effort: &Effort) -> io::Result<Tested> {
        let mut tested = Tested::default();
        let Some(scheme) = self.schemes.get(&*law.name).cloned() else {
            tested.wrong = Some("it has no type".to_owned());
            return Ok(tested);
        };
        let mut random = Random(effort.seed);
        for nth in 0..effort.instances {
            let made = match instance(law, &scheme, &self.kernels, &mut random) {
                Ok(made) => made,
                Err(why) => {
                    tested.wrong = Some(format!("it cannot be tested: {why}"));
                    return Ok(tested);
                }
            };
            let device = effort.device.filter(|(_, most)| nth < *most).map(|(device, _)| device);
            self.test_instance(law, &made, (nth, effort.inputs), device, &mut random, &mut tested)?;
            if tested.wrong.is_some() {
                return Ok(tested);
            }
        }
        if tested.equal == 0 {
            let why = tested.first_unfit.clone().unwrap_or("no random input fulfils its conditions".to_owned());
            tested.wrong = Some(format!("it cannot be tested: {why}"));
        }
        Ok(tested)
    }

    fn test_instance(
        &mut self,
        law: &Law,
        made: &Instance,
        (which, inputs): (u32, u32),
        device: Option<Where>,
        random: &mut Random,
        tested: &mut Tested,
    ) -> io::Result<()> {
        // The program's own definitions, which laws may use.
        let path = self.path.clone();
        self.host.set_file(&path, format!("{}\n{}", self.text, made.text).into());
        let analysis = self.host.snapshot();
        let mut kernels = Vec::new();
        for (name, side) in self.kernels.iter().zip(["left", "right"]) {
            match answered(engine::core(&analysis, &path, name))? {
                Ok(kernel) => kernels.push(kernel),
                Err(problems) => {
                    let why = problems.first().map_or("", |problem| &problem.message);
                    let with = if made.shown.is_empty() { String::new() } else { format!("with {}, ", made.shown) };
                    tested.unfit += 1;
                    tested.first_unfit = Some(format!("{with}its {side} side does not check: {why}"));
                    return Ok(());
                }
            }
        }
        let [left, right] = kernels.as_slice() else { return Ok(()) };
        for nth in 0..inputs.max(3) {
            let sizes: BTreeMap<String, i64> =
                made.sizes.iter().map(|name| (name.to_string(), size(nth, made, random))).collect();
            // Every other input has negative numbers; of two instances, one has them at each of the first sizes.
            let generator = if (which + nth).is_multiple_of(2) { "random" } else { "signed" };
            let words = vec![format!("{generator}:{}", random.below(1 << 20)); left.params.len()];
            let given: Vec<String> = sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
            let given = given.join(", ");
            let inputs = if words.is_empty() { String::new() } else { format!("inputs {}", words.join(" ")) };
            let shown = [made.shown.clone(), given.clone(), inputs];
            let shown: Vec<String> = shown.into_iter().filter(|part| !part.is_empty()).collect();
            let wrong = |differs: String| match shown.is_empty() {
                true => differs,
                false => format!("with {}: {differs}", shown.join(", ")),
            };
            let run = |kernel: &Kernel, place: Where| run(&analysis, &path, kernel, &words, &sizes, place);
            match compared(run(left, Where::Interpreter)?, run(right, Where::Interpreter)?) {
                Shown::Equal => {
                    tested.equal += 1;
                    tested.empty += u32::from(sizes.values().any(|n| *n == 0));
                    tested.single += u32::from(sizes.values().any(|n| *n == 1));
                }
                Shown::Refused => {
                    tested.refused += 1;
                    continue;
                }
                Shown::Stops(direction, _) if !may_not_stop(law, direction) => {
                    tested.refused += 1;
                    continue;
                }
                Shown::Different(differs) | Shown::Stops(_, differs) => {
                    tested.wrong = Some(wrong(differs));
                    return Ok(());
                }
            }
            // A device is slow: the first inputs, among them the empty one, and one that is larger.
            let Some(device) = device.filter(|_| nth < 4) else { continue };
            match compared(run(left, device)?, run(right, device)?) {
                Shown::Equal => tested.equal_on_device += 1,
                // A device does not compute what nothing reads.
                Shown::Refused | Shown::Stops(..) => tested.refused += 1,
                Shown::Different(differs) => {
                    tested.wrong = Some(format!("on the device, {}", wrong(differs)));
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Whether a rewriting in a direction must not make a program stop that did not: it is offered, and asks for nothing that
/// cannot fail.
fn may_not_stop(law: &Law, direction: Direction) -> bool {
    let asks = law.directed.iter().any(|(of, condition)| *of == direction && matches!(condition, Condition::Total(..)));
    law.title(direction).is_some() && !asks
}

/// A name that does not occur in a text.
fn unused(name: &str, text: &str) -> String {
    let mut name = name.to_owned();
    while text.contains(&name) {
        name += "-side";
    }
    name
}

/// A size: first 0, then 1, then random ones; half of these are multiples of all constants.
fn size(nth: u32, made: &Instance, random: &mut Random) -> i64 {
    match nth {
        0 => 0,
        1 => 1,
        _ => {
            let size = SIZES[random.below(SIZES.len())];
            let all: u64 = made.constants.iter().product();
            if random.below(2) == 0 && all <= 24 { size.min(3) * all as i64 } else { size }
        }
    }
}

fn run(
    analysis: &lift_analysis::ide::Analysis,
    path: &Arc<str>,
    kernel: &Kernel,
    words: &[String],
    sizes: &BTreeMap<String, i64>,
    place: Where,
) -> io::Result<Result<Ran, Vec<Problem>>> {
    let input = |why: String| Ok(Err(vec![Problem::error(path, codes::INPUT, why)]));
    // A size that only one side mentions is not one of the other.
    let given = inputs::given_sizes(kernel, sizes);
    let reading = inputs::Reading::files(Path::new("."));
    let (given, values) = match given.and_then(|given| Ok((given, inputs::arguments(kernel, words, &reading)?))) {
        Ok(both) => both,
        Err(why) => return input(why),
    };
    let wanted = engine::Wanted {
        subject: engine::Subject { path, focus: TextRange::default() },
        timing: engine::Timing::Nothing,
        repeats: 1,
        memory: None,
        limits: Limits::BRIEF,
        device: Some(place),
        target: None,
        unchecked: false,
        untuned: true,
        tell: &|_| {},
    };
    answered(engine::run(analysis, &wanted, kernel, values, &given))
}

fn compared(left: Result<Ran, Vec<Problem>>, right: Result<Ran, Vec<Problem>>) -> Shown {
    // Nothing was computed: a condition on the lengths does not hold, or the input takes too long.
    let refused = |problems: &Vec<Problem>| {
        problems.first().is_some_and(|problem| {
            [codes::INPUT, codes::ASSUMPTION_FALSE, codes::RUN_LIMIT, codes::MEMORY].contains(&&*problem.code)
        })
    };
    let first = |problems: &[Problem]| problems.first().map_or(String::new(), |p| p.message.clone());
    match (&left, &right) {
        (Err(why), _) | (_, Err(why)) if refused(why) => Shown::Refused,
        (Ok(left), Ok(right)) => match difference(&right.value, &left.value) {
            Some(differs) => Shown::Different(format!("the right side differs: {differs}")),
            None => Shown::Equal,
        },
        (Err(left), Err(right)) if left.first().map(|p| &p.code) == right.first().map(|p| &p.code) => Shown::Equal,
        (Err(left), Err(right)) => {
            Shown::Different(format!("the left side stops: {}; the right side: {}", first(left), first(right)))
        }
        (Err(left), Ok(_)) => Shown::Stops(Direction::Backwards, format!("only the left side stops: {}", first(left))),
        (Ok(_), Err(right)) => {
            Shown::Stops(Direction::Forwards, format!("only the right side stops: {}", first(right)))
        }
    }
}

/// No edit cancels analysis here.
fn answered<T>(answer: Cancellable<T>) -> io::Result<T> {
    answer.map_err(|_| io::Error::other("internal error: analysis was stopped"))
}

#[cfg(test)]
mod tests;
