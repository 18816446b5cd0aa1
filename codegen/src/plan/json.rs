//! A plan as JSON, for people and other hosts. `lift build` writes it beside the OpenCL text.
//!
//! The format is documented in `docs/plan.md`, whose example a test compares. Buffers and sizes are named instead of
//! numbered, and types are printed as the language does. The format is never read back.

use super::json_size::{Condition, Names};
use super::{Arg, BufferId, BufferRole, Count, Launch, Layout, Plan, Program, Step};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Size};
use serde::Serialize;
use serde_json::Value;

/// The version of the format; incremented whenever a reader of the old one could misunderstand the new one.
pub const VERSION: u32 = 3;

/// Writes `program` as JSON text, ending in a new line. `opencl` is the file name of the OpenCL text; `place` formats a
/// source location, as `3:5`.
pub fn to_json(program: &Program, opencl: &str, place: &dyn Fn(&Origin) -> String) -> String {
    let plan = &program.plan;
    let names = names(plan);
    let printer = Printer { names: &names, vars: Names::default(), place };
    let json = PlanJson {
        needless_checks: plan.needless_checks,
        version: VERSION,
        kernel: &plan.kernel,
        opencl,
        sizes: plan.sizes.iter().map(|v| printer.vars.of(v)).collect(),
        checks: plan.checks.iter().map(|(assumption, origin)| printer.check(assumption, origin)).collect(),
        inputs: plan
            .inputs
            .iter()
            .map(|i| ValueJson { name: Some(&i.name), ty: i.ty.to_string(), layout: printer.layout(&i.layout) })
            .collect(),
        result: ValueJson { name: None, ty: plan.result_ty.to_string(), layout: printer.layout(&plan.result) },
        buffers: plan
            .buffers
            .iter()
            .zip(&names)
            .map(|(b, name)| BufferJson {
                name,
                element: b.element.to_string(),
                capacity: printer.size(&b.capacity),
                role: role(b.role),
            })
            .collect(),
        steps: printer.steps(&plan.steps),
        failures: plan
            .failures
            .iter()
            .map(|f| FailureJson { kind: f.kind.name(), message: &f.message, at: place(&f.origin) })
            .collect(),
    };
    // Serialisation fails only for maps with keys other than strings, or if the writer fails.
    let compact = serde_json::to_string(&json).unwrap_or_default();
    let mut text = String::with_capacity(2 * compact.len());
    lay_out(&compact, 0, &mut text);
    text.push('\n');
    text
}

/// The maximum width of a line.
const WIDTH: usize = 110;

/// Appends compact JSON to `out`, broken into lines where it does not fit (serde_json's own layout gives each number of
/// an array a line). `indent` is the indentation of the current line.
fn lay_out(json: &str, indent: usize, out: &mut String) {
    let column = out.rsplit('\n').next().map_or(0, |line| line.chars().count());
    let line = spaced(json);
    // One column is for a comma at the end.
    let fits = column + line.chars().count() < WIDTH;
    // The plan as a whole always takes several lines.
    if (fits && indent > 0) || !json.starts_with(['{', '[']) || json.len() == 2 {
        out.push_str(&line);
        return;
    }
    let (open, close) = (&json[..1], &json[json.len() - 1..]);
    out.push_str(open);
    for (i, part) in parts(&json[1..json.len() - 1]).into_iter().enumerate() {
        out.push_str(if i > 0 { ",\n" } else { "\n" });
        out.push_str(&" ".repeat(indent + 2));
        let value = match (open, string_end(part)) {
            ("{", Some(end)) => {
                out.push_str(&part[..end]);
                out.push_str(": ");
                &part[end + 1..]
            }
            _ => part,
        };
        lay_out(value, indent + 2, out);
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push_str(close);
}

/// The end of the string literal with which `json` begins.
fn string_end(json: &str) -> Option<usize> {
    let mut escaped = false;
    let end = json.bytes().enumerate().skip(1).find(|(_, byte)| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.filter(|_| json.starts_with('"')).map(|(i, _)| i + 1)
}

/// The bytes of compact JSON outside string literals, with their indices.
fn punctuation(json: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        if let Some(end) = string_end(&json[at..]) {
            at += end;
        }
        // JSON is ASCII outside string literals, so every byte is a character.
        let byte = *json.as_bytes().get(at)?;
        at += 1;
        Some((at - 1, byte))
    })
}

/// The elements of an array or the entries of an object, given without its brackets.
fn parts(inside: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, byte) in punctuation(inside) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    parts
}

/// Inserts a space after every comma and colon.
fn spaced(json: &str) -> String {
    let (mut out, mut from) = (String::with_capacity(json.len() + json.len() / 8), 0);
    for (at, byte) in punctuation(json) {
        if byte == b',' || byte == b':' {
            out.push_str(&json[from..=at]);
            out.push(' ');
            from = at + 1;
        }
    }
    out.push_str(&json[from..]);
    out
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlanJson<'a> {
    version: u32,
    kernel: &'a str,
    opencl: &'a str,
    sizes: Vec<String>,
    checks: Vec<CheckJson>,
    inputs: Vec<ValueJson<'a>>,
    result: ValueJson<'a>,
    buffers: Vec<BufferJson<'a>>,
    steps: Vec<StepJson<'a>>,
    failures: Vec<FailureJson<'a>>,
    needless_checks: usize,
}

#[derive(Serialize)]
struct CheckJson {
    /// For people, as in "4 divides N".
    condition: String,
    #[serde(flatten)]
    parts: Condition,
    at: String,
}

#[derive(Serialize)]
struct ValueJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(rename = "type")]
    ty: String,
    layout: LayoutJson<'a>,
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum LayoutJson<'a> {
    Leaf {
        buffer: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        width: Option<u8>,
    },
    Tuple {
        tuple: Vec<LayoutJson<'a>>,
    },
    Array {
        length: Value,
        of: Box<LayoutJson<'a>>,
    },
    /// Rows of different lengths, concatenated.
    Packed {
        rows: Value,
        position: String,
        of: Box<LayoutJson<'a>>,
    },
    Exists {
        exists: Vec<LengthJson<'a>>,
        of: Box<LayoutJson<'a>>,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LengthJson<'a> {
    length: String,
    buffer: &'a str,
    at_most: Value,
}

#[derive(Serialize)]
struct BufferJson<'a> {
    name: &'a str,
    element: String,
    capacity: Value,
    role: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum StepJson<'a> {
    Launch(LaunchJson<'a>),
    Zero(&'a str),
    Repeat { count: Value, steps: Vec<StepJson<'a>> },
    For { index: String, count: Value, steps: Vec<StepJson<'a>> },
    While { test: Vec<StepJson<'a>>, flag: &'a str, steps: Vec<StepJson<'a>> },
    Swap([&'a str; 2]),
    Measure { size: String, from: &'a str, negative: usize },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LaunchJson<'a> {
    kernel: &'a str,
    label: &'a str,
    at: String,
    args: Vec<ArgJson<'a>>,
    groups: [CountJson; 3],
    local: [u32; 3],
    exact_local: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    only_if: Vec<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum ArgJson<'a> {
    Buffer(&'a str),
    Int(Value),
    Long(Value),
    LocalBytes(Value),
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum CountJson {
    Plain(Value),
    Rounded { count: Value, multiple_of: u32 },
}

#[derive(Serialize)]
struct FailureJson<'a> {
    kind: &'static str,
    message: &'a str,
    at: String,
}

fn role(role: BufferRole) -> &'static str {
    match role {
        BufferRole::Input => "input",
        BufferRole::Output => "output",
        BufferRole::Temporary => "temporary",
        BufferRole::State => "state",
        BufferRole::Failure => "failure",
    }
}

/// The names of the buffers, made unique.
fn names(plan: &Plan) -> Vec<String> {
    let unique = |i: usize, name: &str| plan.buffers.iter().enumerate().all(|(j, b)| i == j || b.name != name);
    let name = |(i, b): (usize, &super::Buffer)| {
        if unique(i, &b.name) { b.name.clone() } else { format!("{}#{i}", b.name) }
    };
    plan.buffers.iter().enumerate().map(name).collect()
}

struct Printer<'a> {
    /// The names of the buffers.
    names: &'a [String],
    vars: Names,
    place: &'a dyn Fn(&Origin) -> String,
}

impl<'a> Printer<'a> {
    fn name(&self, id: BufferId) -> &'a str {
        self.names.get(id.0 as usize).map_or("?", String::as_str)
    }

    fn size(&self, size: &Size) -> Value {
        self.vars.size(size)
    }

    fn check(&self, assumption: &Assumption, origin: &Origin) -> CheckJson {
        CheckJson {
            condition: assumption.to_string(),
            parts: self.vars.condition(assumption),
            at: (self.place)(origin),
        }
    }

    fn layout(&self, layout: &Layout) -> LayoutJson<'a> {
        match layout {
            Layout::Scalar(id) => LayoutJson::Leaf { buffer: self.name(*id), width: None },
            Layout::Vec { buffer, width } => LayoutJson::Leaf { buffer: self.name(*buffer), width: Some(*width) },
            Layout::Tuple(parts) => LayoutJson::Tuple { tuple: parts.iter().map(|p| self.layout(p)).collect() },
            Layout::Array { len, element } => {
                LayoutJson::Array { length: self.size(len), of: Box::new(self.layout(element)) }
            }
            Layout::Packed { len, position, element } => LayoutJson::Packed {
                rows: self.size(len),
                position: self.vars.of(position),
                of: Box::new(self.layout(element)),
            },
            Layout::Exists { lengths, body } => {
                let length = |l: &super::DynamicLength| LengthJson {
                    length: self.vars.of(&l.var),
                    buffer: self.name(l.buffer),
                    at_most: self.size(&l.at_most),
                };
                LayoutJson::Exists { exists: lengths.iter().map(length).collect(), of: Box::new(self.layout(body)) }
            }
        }
    }

    fn steps<'s>(&self, steps: &'s [Step]) -> Vec<StepJson<'s>>
    where
        'a: 's,
    {
        let step = |step: &'s Step| match step {
            Step::Launch(launch) => StepJson::Launch(self.launch(launch)),
            Step::Zero(id) => StepJson::Zero(self.name(*id)),
            Step::Repeat { count, steps } => StepJson::Repeat { count: self.size(count), steps: self.steps(steps) },
            Step::For { index, count, steps } => {
                StepJson::For { index: self.vars.of(index), count: self.size(count), steps: self.steps(steps) }
            }
            Step::While { test, flag, steps } => {
                StepJson::While { test: self.steps(test), flag: self.name(*flag), steps: self.steps(steps) }
            }
            Step::Swap(a, b) => StepJson::Swap([self.name(*a), self.name(*b)]),
            Step::Measure { var, from, negative } => {
                StepJson::Measure { size: self.vars.of(var), from: self.name(*from), negative: *negative }
            }
        };
        steps.iter().map(step).collect()
    }

    fn launch<'s>(&self, launch: &'s Launch) -> LaunchJson<'s>
    where
        'a: 's,
    {
        let arg = |arg: &Arg| match arg {
            Arg::Buffer(id) => ArgJson::Buffer(self.name(*id)),
            Arg::Size { value, wide: false } => ArgJson::Int(self.size(value)),
            Arg::Size { value, wide: true } => ArgJson::Long(self.size(value)),
            Arg::Local { bytes } => ArgJson::LocalBytes(self.size(bytes)),
        };
        let count = |count: &Count| match count.multiple_of {
            0 | 1 => CountJson::Plain(self.size(&count.wish)),
            multiple_of => CountJson::Rounded { count: self.size(&count.wish), multiple_of },
        };
        LaunchJson {
            kernel: &launch.kernel,
            label: &launch.label,
            at: (self.place)(&launch.origin),
            args: launch.args.iter().map(arg).collect(),
            groups: [count(&launch.groups[0]), count(&launch.groups[1]), count(&launch.groups[2])],
            local: launch.local,
            exact_local: launch.exact_local,
            only_if: launch.only_if.iter().map(|s| self.size(s)).collect(),
        }
    }
}
