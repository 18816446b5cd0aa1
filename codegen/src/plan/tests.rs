//! Plans as JSON.

use super::*;
use crate::opencl::OpenClText;
use crate::testing::{origin, param};
use lift_analysis::ty::bound;

/// The plan of a filter in two launches, covering every kind of entry.
fn example() -> Program {
    let n = || Size::var(param(0, "N"));
    let x = bound(0, "X");
    let buffer = |name: &str, element, capacity, role| Buffer { name: name.to_string(), element, capacity, role };
    let count = |wish, multiple_of| Count { wish, multiple_of };
    let groups = || [count(n().div_floor(&Size::nat(64)), 4), count(Size::one(), 1), count(Size::one(), 1)];
    let launch = |kernel: &str, label: &str, args| {
        Step::Launch(Launch {
            kernel: kernel.to_string(),
            args,
            groups: groups(),
            local: [64, 1, 1],
            exact_local: true,
            only_if: Vec::new(),
            origin: origin(7),
            label: label.to_string(),
        })
    };
    let size = |wide| Arg::Size { value: n(), wide };
    let [xs, counts, ys, length, failure, flag] = [0, 1, 2, 3, 4, 5].map(BufferId);
    let array = |len, id| Layout::Array { len, element: Box::new(Layout::Scalar(id)) };
    let local = Arg::Local { bytes: Size::nat(256) };
    let compact_args = [xs, counts, ys, length, failure].map(Arg::Buffer).to_vec();
    let mut again = launch("evens_again", "copy", vec![Arg::Buffer(flag)]);
    if let Step::Launch(launch) = &mut again {
        launch.only_if = vec![n() - 4];
    }
    let plan = Plan {
        kernel: "evens".to_string(),
        sizes: vec![param(0, "N")],
        inputs: vec![PlanInput { name: "xs".to_string(), ty: Ty::array(Ty::int(), n()), layout: array(n(), xs) }],
        buffers: vec![
            buffer("xs", Scalar::Int, n(), BufferRole::Input),
            buffer("counts", Scalar::Int, n().div_floor(&Size::nat(64)) + 4, BufferRole::Temporary),
            buffer("ys", Scalar::Int, n(), BufferRole::Output),
            buffer("ys_length", Scalar::Int, Size::one(), BufferRole::Output),
            buffer("failure", Scalar::Int, Size::nat(4), BufferRole::Failure),
            buffer("again", Scalar::Bool, Size::one(), BufferRole::Temporary),
        ],
        checks: vec![(Assumption::Divides { divisor: Size::nat(4), value: n() }, origin(3))],
        steps: vec![
            Step::Zero(counts),
            launch("evens_count", "filter: count", vec![Arg::Buffer(xs), Arg::Buffer(counts), size(false), local]),
            Step::Repeat { count: Size::nat(2), steps: vec![Step::Swap(xs, ys)] },
            Step::While { test: vec![again], flag, steps: vec![Step::Swap(xs, ys)] },
            Step::Measure { var: param(1 << 24, "L1"), from: counts, negative: 0 },
            launch("evens_compact", "filter: compact", [compact_args, vec![size(true)]].concat()),
        ],
        result_ty: Ty::exists(vec![x.clone()], Ty::array(Ty::int(), Size::var(x.clone()))),
        result: Layout::Exists {
            lengths: vec![DynamicLength { var: x.clone(), buffer: length, at_most: n() }],
            body: Box::new(array(Size::var(x), ys)),
        },
        failures: vec![Failure {
            kind: crate::failure::Kind::Index,
            message: "the index {0} is out of range".to_string(),
            origin: origin(9),
        }],
        needless_checks: 3,
    };
    Program {
        opencl: OpenClText { text: String::new(), map: Vec::new(), kernels: Vec::new() },
        functions: Vec::new(),
        plan,
        report: Default::default(),
    }
}

#[test]
fn a_plan_is_written_as_the_manual_shows_it() {
    let place = |origin: &Origin| format!("{}:3", origin.expr.0);
    let written = json::to_json(&example(), "evens.cl", &place);
    // The fenced JSON in the manual is the expected text.
    let manual = include_str!("../../../docs/plan.md");
    let (before, rest) = manual.split_once("```json\n").expect("the manual shows a plan");
    let (shown, after) = rest.split_once("```").expect("and ends it");
    if std::env::var_os("UPDATE_EXPECT").is_some() && shown != written {
        let updated = format!("{before}```json\n{written}```{after}");
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/plan.md"), updated)
            .expect("the manual is written");
        return;
    }
    assert_eq!(shown, written);
}

#[test]
fn strings_with_brackets_and_quotes_survive_the_layout() {
    let mut program = example();
    let message = "a \"quoted\" \\ {0}, [1]: é ".repeat(8);
    program.plan.failures[0].message = message.clone();
    let written = json::to_json(&program, "evens.cl", &|_| "1:1".to_string());
    let read: serde_json::Value = serde_json::from_str(&written).expect("is JSON");
    assert_eq!(read["failures"][0]["message"], message);
    assert_eq!(read["version"], json::VERSION);
}

#[test]
fn buffers_of_one_name_are_told_apart() {
    let mut program = example();
    program.plan.buffers[2].name = "xs".to_string();
    let written = json::to_json(&program, "evens.cl", &|_| String::new());
    assert!(written.contains("\"xs#0\"") && written.contains("\"xs#2\""), "{written}");
}
