//! Hand-written plans, run on a real device.

mod failures;
mod programs;
mod resident;
mod results;

use super::*;
use crate::opencl::OpenClText;
use crate::plan::*;
use crate::sizes::SizeValues;
use crate::testing::{device, origin, param};
use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Scalar;
use lift_analysis::size::{Size, Var};
use lift_analysis::ty::{Ty, bound};

/// Builds a plan step by step.
struct Builder {
    program: Program,
}

fn n() -> Size {
    Size::var(param(0, "N"))
}

fn m() -> Size {
    Size::var(param(1, "M"))
}

fn x() -> Var {
    bound(0, "X")
}

fn sizes(values: &[(&str, i64)]) -> SizeValues {
    let value = |name: &str| values.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    ["N", "M"].iter().enumerate().filter_map(|(id, name)| Some((param(id as u32, name), value(name)?))).collect()
}

fn array_of(len: Size, element: Layout) -> Layout {
    Layout::Array { len, element: Box::new(element) }
}

fn exists(buffer: BufferId, at_most: Size, body: Layout) -> Layout {
    Layout::Exists { lengths: vec![DynamicLength { var: x(), buffer, at_most }], body: Box::new(body) }
}

fn floats(values: &[f32]) -> Value {
    Value::Array(ArrayValue::Float(values.to_vec()))
}

fn ints(values: &[i32]) -> Value {
    Value::Array(ArrayValue::Int(values.to_vec()))
}

impl Builder {
    fn new(text: &str) -> Builder {
        let plan = Plan {
            kernel: "k".to_string(),
            sizes: vec![],
            inputs: vec![],
            buffers: vec![],
            checks: vec![],
            steps: vec![],
            result_ty: Ty::int(),
            result: Layout::Tuple(vec![]),
            failures: vec![],
            needless_checks: 0,
        };
        Builder {
            program: Program {
                opencl: OpenClText { text: text.to_string(), map: vec![], kernels: vec![] },
                functions: vec![],
                plan,
                report: Default::default(),
            },
        }
    }

    fn plan(&mut self) -> &mut Plan {
        &mut self.program.plan
    }

    fn sizes(mut self, names: &[&str]) -> Builder {
        self.plan().sizes = names.iter().enumerate().map(|(id, name)| param(id as u32, name)).collect();
        self
    }

    fn buffer(&mut self, name: &str, element: Scalar, capacity: Size, role: BufferRole) -> BufferId {
        self.plan().buffers.push(Buffer { name: name.to_string(), element, capacity, role });
        BufferId(self.plan().buffers.len() as u32 - 1)
    }

    /// Adds an input array of scalars.
    fn input(&mut self, name: &str, element: Scalar, len: Size) -> BufferId {
        let id = self.buffer(name, element, len.clone(), BufferRole::Input);
        let ty = Ty::array(Ty::scalar(element), len.clone());
        let layout = array_of(len, Layout::Scalar(id));
        self.plan().inputs.push(PlanInput { name: name.to_string(), ty, layout });
        id
    }

    fn result(&mut self, ty: Ty, layout: Layout) {
        self.plan().result_ty = ty;
        self.plan().result = layout;
    }

    fn step(&mut self, step: Step) {
        self.plan().steps.push(step);
    }

    fn run_with(&self, inputs: &[Value], sizes: &SizeValues, options: &RunOptions) -> Result<Outcome, RunFailure> {
        run(&self.program, inputs, sizes, &device(), options)
    }

    fn run(&self, inputs: &[Value], sizes: &SizeValues) -> Result<Value, RunFailure> {
        Ok(self.run_with(inputs, sizes, &RunOptions { poison: true, ..RunOptions::default() })?.value)
    }

    fn failure(&self, inputs: &[Value], sizes: &SizeValues) -> RunFailure {
        self.run(inputs, sizes).expect_err("the run must fail")
    }
}

/// A launch in one dimension, with `groups` groups of `local` work-items.
fn launch(kernel: &str, args: Vec<Arg>, groups: Size, local: u32) -> Step {
    let count = |wish| Count { wish, multiple_of: 1 };
    Step::Launch(Launch {
        kernel: kernel.to_string(),
        args,
        groups: [count(groups), count(Size::one()), count(Size::one())],
        local: [local, 1, 1],
        exact_local: false,
        only_if: Vec::new(),
        origin: origin(1),
        label: format!("test: {kernel}"),
    })
}

fn size_arg(value: Size) -> Arg {
    Arg::Size { value, wide: false }
}

const MAP: &str = "
kernel void twice(global const float* xs, global float* ys, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) ys[i] = 2.0f * xs[i];
}
";

/// `map (* 2.0f)` on N floats.
fn map() -> Builder {
    let mut b = Builder::new(MAP).sizes(&["N"]);
    let xs = b.input("xs", Scalar::Float, n());
    let ys = b.buffer("ys", Scalar::Float, n(), BufferRole::Output);
    b.step(launch("twice", vec![Arg::Buffer(xs), Arg::Buffer(ys), size_arg(n())], Size::nat(4), 64));
    b.result(Ty::array(Ty::scalar(Scalar::Float), n()), array_of(n(), Layout::Scalar(ys)));
    b
}
