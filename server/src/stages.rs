//! The text of each compilation stage of a kernel, with a map to the source.
//!
//! A text is made in two steps: [`ingredients`] queries analysis; [`make`] works without a snapshot, because compiling
//! a large kernel takes longer than an edit may wait.

use crate::align;
use crate::engine::{self, Compiled};
use crate::report::{self, Problem, codes};
use lift_analysis::ide::{Analysis, FileRange};
use lift_analysis::origin::Origin;
use lift_codegen::core::{Kernel, print};
use lift_codegen::emit;
use lift_codegen::lower::{self, LowerError};
use lift_codegen::plan::{self, Launch, Program, Step};
use lift_codegen::schedule::Schedule;
use lift_codegen::target::Target;
use lift_syntax::{ColumnEncoding, TextRange, TextSize};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// A compilation stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A program of another language, translated to Lift.
    Translated,
    /// The program with every inserted `pack` and `unpack`.
    Elaborated,
    /// One kernel: every name, size, `pack` and `unpack` explicit, definitions inlined.
    Core,
    /// The core after fusion and placement.
    Scheduled,
    /// The OpenCL C text.
    #[default]
    Opencl,
    /// The plan for the host, as JSON.
    Plan,
    /// The kernel as a C function, including the host code.
    Host,
}

impl Stage {
    /// The stages of a program in Lift.
    pub const ALL: [Stage; 6] =
        [Stage::Elaborated, Stage::Core, Stage::Scheduled, Stage::Opencl, Stage::Plan, Stage::Host];

    /// The name in options and URIs.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Translated => "translated",
            Stage::Elaborated => "elaborated",
            Stage::Core => "core",
            Stage::Scheduled => "scheduled",
            Stage::Opencl => "opencl",
            Stage::Plan => "plan",
            Stage::Host => "host",
        }
    }
    /// The title shown to people.
    pub fn title(self) -> &'static str {
        match self {
            Stage::Translated => "program in Lift",
            Stage::Elaborated => "elaborated program",
            Stage::Core => "core",
            Stage::Scheduled => "scheduled core",
            Stage::Opencl => "OpenCL C",
            Stage::Plan => "host plan",
            Stage::Host => "C host",
        }
    }
    /// The file extension, appended to the kernel's name.
    pub fn extension(self) -> &'static str {
        match self {
            Stage::Translated => ".translated.lift",
            Stage::Elaborated => ".elaborated.lift",
            Stage::Core => ".core",
            Stage::Scheduled => ".scheduled.core",
            Stage::Opencl => ".cl",
            Stage::Plan => ".plan.json",
            Stage::Host => ".host.c",
        }
    }
    /// The language identifier for editors.
    pub fn language(self) -> &'static str {
        match self {
            Stage::Translated | Stage::Elaborated => "lift",
            Stage::Core | Stage::Scheduled => "lift-core",
            Stage::Opencl => "opencl",
            Stage::Plan => "jsonc",
            Stage::Host => "c",
        }
    }
    /// The prefix of a comment line.
    pub fn comment(self) -> &'static str {
        match self {
            Stage::Opencl | Stage::Plan | Stage::Host => "//",
            Stage::Translated | Stage::Elaborated | Stage::Core | Stage::Scheduled => ";",
        }
    }
}

/// A text and its source map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StageText {
    pub text: String,
    /// Ranges of `text`, sorted; inner ranges follow the outer ones that contain them.
    pub map: Vec<(TextRange, FileRange)>,
}

/// The inputs of [`make`]; they hold no snapshot.
#[derive(Debug, Clone)]
pub enum Ingredients {
    Done(StageText),
    Kernel { kernel: Arc<Kernel>, places: Places },
}

/// Source locations by origin.
pub type Places = FxHashMap<Origin, Place>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub at: FileRange,
    /// Start, from 1.
    pub line: u32,
    pub column: u32,
}

impl Place {
    fn start(&self) -> String {
        format!("{}:{}", self.line, self.column)
    }
    /// The file and the start in it.
    fn key(&self) -> (&str, TextSize) {
        (&self.at.path, self.at.range.start())
    }
}

/// Returns the text of a stage of a kernel, compiled for a class of devices.
pub fn text(analysis: &Analysis, path: &Arc<str>, kernel: &str, stage: Stage, target: &Target) -> Compiled<StageText> {
    match ingredients(analysis, path, kernel, stage)? {
        Ok(ingredients) => Ok(make(ingredients, path, stage, target)),
        Err(problems) => Ok(Err(problems)),
    }
}

/// Collects from analysis everything that a stage needs.
pub fn ingredients(analysis: &Analysis, path: &Arc<str>, kernel: &str, stage: Stage) -> Compiled<Ingredients> {
    let core = match engine::core(analysis, path, kernel)? {
        Ok(core) => core,
        Err(problems) => return Ok(Err(problems)),
    };
    if matches!(stage, Stage::Translated | Stage::Elaborated) {
        let errors = report::errors(analysis, path)?;
        if !errors.is_empty() {
            return Ok(Err(errors));
        }
        if let Some(text) = analysis.as_lift(path, kernel)? {
            return Ok(Ok(Ingredients::Done(StageText { text, map: Vec::new() })));
        }
        let (Some(source), Some(text)) = (analysis.text(path)?, analysis.elaborated(path)?) else {
            let gone = Problem::error(path, codes::UNREADABLE_FILE, "the program is not open");
            return Ok(Err(vec![gone]));
        };
        let pairs = align::tokens(&source, &text);
        let here = |(new, old)| (new, FileRange { path: path.clone(), range: old });
        let map = pairs.into_iter().map(here).collect();
        return Ok(Ok(Ingredients::Done(StageText { text, map })));
    }
    let mut places = Places::default();
    for origin in origins(&core) {
        if places.contains_key(origin) {
            continue;
        }
        let Some(at) = analysis.resolve_origin(origin)? else { continue };
        let Some(index) = analysis.line_index(&at.path)? else { continue };
        let start = index.position(at.range.start(), ColumnEncoding::Utf16);
        places.insert(origin.clone(), Place { at, line: start.line + 1, column: start.column + 1 });
    }
    Ok(Ok(Ingredients::Kernel { kernel: core, places }))
}

/// Returns every origin in a kernel.
fn origins(kernel: &Kernel) -> Vec<&Origin> {
    let mut out: Vec<&Origin> = kernel.assumptions.iter().map(|(_, origin)| origin).collect();
    kernel.body.visit(&mut |stmt| {
        out.push(&stmt.origin);
        if let lift_codegen::core::Rhs::Prim(call) = &stmt.rhs {
            out.extend(call.funs.iter().map(|f| &f.origin));
        }
    });
    out
}

/// Makes the text of a stage, without analysis.
pub fn make(
    ingredients: Ingredients,
    path: &Arc<str>,
    stage: Stage,
    target: &Target,
) -> Result<StageText, Vec<Problem>> {
    let (kernel, places) = match ingredients {
        Ingredients::Done(text) => return Ok(text),
        Ingredients::Kernel { kernel, places } => (kernel, places),
    };
    let compile = || lower::compile(&kernel, target).map_err(|errors| refused(path, &places, &errors));
    Ok(match stage {
        Stage::Translated | Stage::Elaborated | Stage::Core => {
            let printed = print::mapped(&kernel);
            StageText { text: printed.text, map: placed(&printed.map, &places) }
        }
        Stage::Scheduled => scheduled(&kernel, &places, target),
        Stage::Opencl => {
            let opencl = compile()?.opencl;
            StageText { map: placed(&opencl.map, &places), text: opencl.text }
        }
        Stage::Plan => host_plan(&compile()?, &places),
        Stage::Host => c_host(&compile()?, &places).map_err(|why| {
            let message = format!("no C can be written for the host: {why}");
            vec![Problem::error(path, codes::NOT_SUPPORTED, message)]
        })?,
    })
}

fn refused(path: &Arc<str>, places: &Places, errors: &[LowerError]) -> Vec<Problem> {
    let problem = |e: &LowerError| match places.get(&e.origin) {
        Some(place) => Problem::error(&place.at.path, codes::NOT_SUPPORTED, e.to_string()).at(place.at.range),
        None => Problem::error(path, codes::NOT_SUPPORTED, e.to_string()),
    };
    errors.iter().map(problem).collect()
}

fn placed(map: &[(Range<u32>, Origin)], places: &Places) -> Vec<(TextRange, FileRange)> {
    let place = |(range, origin): &(Range<u32>, Origin)| {
        let at = places.get(origin)?.at.clone();
        Some((TextRange::new(range.start.into(), range.end.into()), at))
    };
    map.iter().filter_map(place).collect()
}

/// The kernel after fusion and placement, preceded by the applied rules.
fn scheduled(kernel: &Kernel, places: &Places, target: &Target) -> StageText {
    let schedule = Schedule::new(kernel, target);
    let (mut text, mut map) = (String::new(), Vec::new());
    for applied in &schedule.applied {
        let start = TextSize::of(&text);
        let place = places.get(&applied.origin);
        let at = place.map_or(String::new(), |p| format!("  at {}", p.start()));
        text.push_str(&format!("; {}{at}\n", applied.rule));
        map.extend(place.map(|p| (TextRange::new(start, TextSize::of(&text)), p.at.clone())));
    }
    let printed = print::mapped(&schedule.kernel);
    let start = TextSize::of(&text);
    map.extend(placed(&printed.map, places).into_iter().map(|(range, at)| (range + start, at)));
    text.push_str(&printed.text);
    StageText { text, map }
}

/// Prints the plan. Its objects name source locations as `"at": "3:5"`; each is mapped to the largest expression that
/// starts there, in the file of the object's origin.
fn host_plan(program: &Program, places: &Places) -> StageText {
    let opencl = format!("{}.cl", program.plan.kernel);
    let json = |at: &dyn Fn(&Place) -> String| {
        plan::json::to_json(program, &opencl, &|origin| places.get(origin).map_or(String::new(), at))
    };
    let text = json(&Place::start);
    let mut largest: FxHashMap<(&str, TextSize), &FileRange> = FxHashMap::default();
    for place in places.values() {
        let known = largest.entry(place.key()).or_insert(&place.at);
        if place.at.range.len() > known.range.len() {
            *known = &place.at;
        }
    }
    // `at` does not name the file, so the same plan is printed with numbers in its place.
    let ranges: Vec<&FileRange> = largest.values().copied().collect();
    let numbers: FxHashMap<_, usize> = largest.keys().enumerate().map(|(i, key)| (*key, i)).collect();
    let numbered = json(&|place| numbers.get(&place.key()).map_or(String::new(), usize::to_string));
    let mut map = Vec::new();
    for ((object, _), (_, number)) in placed_objects(&text).into_iter().zip(placed_objects(&numbered)) {
        let range = number.parse().ok().and_then(|i: usize| ranges.get(i));
        map.extend(range.map(|at| (object, (*at).clone())));
    }
    map.sort_by(|(a, _), (b, _)| a.start().cmp(&b.start()).then(b.end().cmp(&a.end())));
    StageText { text, map }
}

/// Prints the host code in C. Each block `{ /* label */ … }` is a launch of the plan, in the same order.
fn c_host(program: &Program, places: &Places) -> Result<StageText, String> {
    let place = |origin: &Origin| places.get(origin).map_or(String::new(), Place::start);
    let text = emit::c::print(program, &program.plan.kernel, &place)?.source;
    let (mut map, mut from) = (Vec::new(), 0);
    let size = |n: usize| TextSize::try_from(n).unwrap_or(TextSize::new(u32::MAX));
    for launch in launches(&program.plan.steps) {
        let Some(start) = text[from..].find(&format!("{{ /* {} */\n", launch.label)).map(|at| from + at) else {
            continue;
        };
        let indent = text[..start].len() - text[..start].rfind('\n').map_or(0, |at| at + 1);
        let close = format!("\n{}}}", " ".repeat(indent));
        let end = text[start..].find(&close).map_or(text.len(), |at| start + at + close.len());
        map.extend(places.get(&launch.origin).map(|p| (TextRange::new(size(start), size(end)), p.at.clone())));
        from = end;
    }
    Ok(StageText { text, map })
}

/// Returns the launches of a plan in order, including those inside loops.
fn launches(steps: &[Step]) -> Vec<&Launch> {
    let mut out = Vec::new();
    for step in steps {
        match step {
            Step::Launch(launch) => out.push(launch),
            step => step.inside().into_iter().for_each(|inner| out.extend(launches(inner))),
        }
    }
    out
}

/// Returns the ranges of the JSON objects that have a member `at`, with its value.
fn placed_objects(json: &str) -> Vec<(TextRange, &str)> {
    const KEY: &str = "\"at\": \"";
    let (mut open, mut out): (Vec<(usize, Option<&str>)>, _) = (Vec::new(), Vec::new());
    let (mut in_string, mut escaped) = (false, false);
    for (i, byte) in json.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => {
                in_string = true;
                if let (Some((_, at)), Some(rest)) = (open.last_mut(), json[i..].strip_prefix(KEY)) {
                    *at = rest.split('"').next();
                }
            }
            b'{' => open.push((i, None)),
            b'}' => {
                if let Some((start, Some(at))) = open.pop() {
                    let size = |n: usize| TextSize::try_from(n).unwrap_or(TextSize::new(u32::MAX));
                    out.push((TextRange::new(size(start), size(i + 1)), at));
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use lift_analysis::ide::AnalysisHost;

    const PROGRAM: &str = "\
(define (half x) (* x 0.5f))
(lift k (N) ((array-type float N))
  (lambda (xs)
    (map half (filter (lambda (x) (> x 1.0f)) xs))))
";

    fn made(stage: Stage) -> StageText {
        let path: Arc<str> = "/p.lift".into();
        let mut host = AnalysisHost::default();
        host.set_file(&path, PROGRAM.into());
        text(&host.snapshot(), &path, "k", stage, &Target::portable()).expect("nobody edits").expect("it compiles")
    }

    /// Returns the source of the innermost mapped range around `part`.
    fn source_of(made: &StageText, part: &str) -> &'static str {
        let at = TextSize::new(made.text.find(part).unwrap_or_else(|| panic!("no {part} in {}", made.text)) as u32);
        let innermost = made.map.iter().rfind(|(range, _)| range.contains(at));
        let (_, from) = innermost.unwrap_or_else(|| panic!("{part} comes from nowhere:\n{}", made.text));
        &PROGRAM[std::ops::Range::<usize>::from(from.range)]
    }

    #[test]
    fn every_stage_says_where_its_parts_come_from() {
        assert_eq!(source_of(&made(Stage::Elaborated), "filter"), "filter");
        let core = made(Stage::Core);
        assert_eq!(source_of(&core, "x > 1.0f"), "(> x 1.0f)");
        assert_eq!(source_of(&core, "* 0.5f"), "(* x 0.5f)");
        assert_eq!(source_of(&made(Stage::Scheduled), "; map f"), "(map half (filter (lambda (x) (> x 1.0f)) xs))");
        assert_eq!(source_of(&made(Stage::Opencl), "> 1.0f"), "(> x 1.0f)");
        assert_eq!(source_of(&made(Stage::Opencl), "* 0.5f"), "(* x 0.5f)");
        assert_eq!(source_of(&made(Stage::Plan), "\"filter: count\""), "(filter (lambda (x) (> x 1.0f)) xs)");
        let host = made(Stage::Host);
        assert_eq!(source_of(&host, "{ /* filter: compact */"), "(filter (lambda (x) (> x 1.0f)) xs)");
        assert_eq!(source_of(&host, "{ /* filter: count */"), "(filter (lambda (x) (> x 1.0f)) xs)");
    }

    /// Two files with an operation at the same line and column.
    #[test]
    fn the_parts_of_a_plan_come_from_their_own_files() {
        const FILES: [(&str, &str); 2] = [
            ("/there.lift", "(define (there xs)\n  (filter (lambda (x) (> x 1)) xs))\n"),
            (
                "/here.lift",
                "(import \"there.lift\") (lift k (N) ((array-type int N)) (lambda (xs)\n  (sort < (there xs))))\n",
            ),
        ];
        let mut host = AnalysisHost::default();
        for (path, text) in FILES {
            host.set_file(path, text.into());
        }
        let made = text(&host.snapshot(), &FILES[1].0.into(), "k", Stage::Plan, &Target::portable());
        let made = made.expect("nobody edits").expect("it compiles");
        for (label, source) in [("\"filter: count\"", FILES[0]), ("\"sort: keys\"", FILES[1])] {
            let at =
                TextSize::new(made.text.find(label).unwrap_or_else(|| panic!("no {label}:\n{}", made.text)) as u32);
            let (_, from) = made.map.iter().rfind(|(range, _)| range.contains(at)).expect("it has a place");
            assert_eq!(&*from.path, source.0, "{label}");
            let part = &source.1[std::ops::Range::<usize>::from(from.range)];
            assert!(part.starts_with(if source == FILES[0] { "(filter" } else { "(sort" }), "{label}: {part}");
        }
    }

    #[test]
    fn inner_ranges_follow_the_outer_ones() {
        for stage in Stage::ALL {
            let made = made(stage);
            assert!(!made.map.is_empty(), "{stage:?}");
            for pair in made.map.windows(2) {
                let ((a, _), (b, _)) = (&pair[0], &pair[1]);
                assert!(
                    a.start() < b.start() || (a.start() == b.start() && a.end() >= b.end()),
                    "{stage:?}: {a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn objects_with_places_are_found() {
        let json = r#"{"a": {"at": "1:2", "x": "}{\"at\": \"9:9\""}, "b": [{"c": {}, "at": "3:4"}]}"#;
        let found: Vec<(&str, &str)> = placed_objects(json)
            .into_iter()
            .map(|(range, at)| (&json[std::ops::Range::<usize>::from(range)], at))
            .collect();
        assert_eq!(
            found,
            [(r#"{"at": "1:2", "x": "}{\"at\": \"9:9\""}"#, "1:2"), (r#"{"c": {}, "at": "3:4"}"#, "3:4")]
        );
    }
}
