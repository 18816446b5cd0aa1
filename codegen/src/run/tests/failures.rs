//! Failures name the fault and its origin.

use super::*;
use crate::failure::Kind;
use expect_test::{Expect, expect};
use lift_analysis::size::Assumption;

fn check(failure: &RunFailure, expected: Expect) {
    expected.assert_eq(&failure.to_string());
}

#[test]
fn an_assumption_is_checked_before_anything_runs() {
    let mut b = map();
    let value = n() + Size::var(param(1, "M"));
    b.plan().checks.push((Assumption::Divides { divisor: Size::nat(4), value }, origin(7)));
    let at = sizes(&[("N", 5), ("M", 1)]);
    let failure = b.failure(&[floats(&[0.0; 5])], &at);
    check(&failure, expect!["the program relies on `4 divides N+M`, which is false for N = 5, M = 1"]);
    assert_eq!(failure.origin(), Some(&origin(7)));
    assert!(b.run(&[floats(&[0.0; 5])], &sizes(&[("N", 5), ("M", 3)])).is_ok());
}

#[test]
fn sizes_must_be_known_and_natural() {
    check(&map().failure(&[floats(&[])], &sizes(&[])), expect!["the size N has no value"]);
    check(&map().failure(&[floats(&[])], &sizes(&[("N", -1)])), expect!["the size N = -1 is negative"]);
    check(
        &map().failure(&[floats(&[])], &sizes(&[("N", 1 << 40)])),
        expect!["the size N = 1099511627776 is too large: an Int is at most 2147483647"],
    );
}

#[test]
fn inputs_must_have_their_type() {
    let at = sizes(&[("N", 3)]);
    check(&map().failure(&[], &at), expect!["`k` takes 1 inputs, 0 are given"]);
    check(
        &map().failure(&[floats(&[1.0])], &at),
        expect!["the input `xs` is not of type Array[Float,N]: an array of N = 3 elements is needed, not of 1"],
    );
    check(
        &map().failure(&[ints(&[1, 2, 3])], &at),
        expect!["the input `xs` is not of type Array[Float,N]: Float is needed, not Int"],
    );
    check(
        &map().failure(&[Value::Float(1.0)], &at),
        expect!["the input `xs` is not of type Array[Float,N]: an array is needed, not Float"],
    );
}

#[test]
fn a_kernel_reports_a_failed_check_with_its_operands() {
    let text = "
kernel void get(global const int* xs, global const int* is, global int* ys, int n, global int* failure) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        int j = is[i];
        if (j < 0 || j >= n) {
            if (atomic_cmpxchg(failure, 0, 1) == 0) { failure[1] = 1; failure[2] = j; failure[3] = n; }
            j = 0;
        }
        ys[i] = xs[j];
    }
}
";
    let mut b = Builder::new(text).sizes(&["N"]);
    let xs = b.input("xs", Scalar::Int, n());
    let is = b.input("is", Scalar::Int, n());
    let ys = b.buffer("ys", Scalar::Int, n(), BufferRole::Output);
    let failure = b.buffer("failure", Scalar::Int, Size::nat(4), BufferRole::Failure);
    let args = vec![Arg::Buffer(xs), Arg::Buffer(is), Arg::Buffer(ys), size_arg(n()), Arg::Buffer(failure)];
    b.step(launch("get", args, Size::one(), 16));
    b.result(Ty::int(), array_of(n(), Layout::Scalar(ys)));
    let text = |message: &str, at| Failure { kind: Kind::Index, message: message.to_string(), origin: origin(at) };
    b.plan().failures =
        vec![text("division by zero", 3), text("the index {0} is out of range: the array has {1} elements", 9)];
    let at = sizes(&[("N", 3)]);
    assert_eq!(b.run(&[ints(&[5, 6, 7]), ints(&[2, 1, 0])], &at), Ok(ints(&[7, 6, 5])));
    let failure = b.failure(&[ints(&[5, 6, 7]), ints(&[0, 3, 0])], &at);
    check(&failure, expect!["the index 3 is out of range: the array has 3 elements"]);
    assert_eq!(failure.origin(), Some(&origin(9)));
    // A failure that the plan does not list is a bug of the compiler, not of the user.
    b.plan().failures.pop();
    check(
        &b.failure(&[ints(&[5, 6, 7]), ints(&[0, 3, 0])], &at),
        expect![
            "the generated program is inconsistent (a defect of lift, not of your program): a kernel reported failure 1, which the plan does not know"
        ],
    );
}

#[test]
fn a_text_that_does_not_compile_is_led_back_to_the_source() {
    let mut b = map();
    b.program.opencl.text = MAP.replace("2.0f *", "factor *");
    let at = b.program.opencl.text.find("factor").expect("is there") as u32;
    b.program.opencl.map = vec![(1..at + 20, origin(4)), (at..at + 6, origin(5))];
    let failure = b.failure(&[floats(&[1.0])], &sizes(&[("N", 1)]));
    let RunFailure::Build { messages, log } = &failure else { panic!("{failure}") };
    let first = messages.first().unwrap_or_else(|| panic!("no message in {log}"));
    assert_eq!((first.line, first.is_error, &first.origin), (3, true, &Some(origin(5))));
    assert!(first.text.contains("factor"), "{}", first.text);
}

#[test]
fn more_memory_than_there_is_is_refused_before_it_is_taken() {
    let mut b = map();
    for buffer in &mut b.plan().buffers {
        buffer.capacity = Size::nat(1_000_000) * n() * n();
    }
    let failure = b.failure(&[floats(&[1.0; 1000])], &sizes(&[("N", 1000)]));
    let text = failure.to_string();
    let (start, limit) = text.split_once("; the device allows ").unwrap_or_else(|| panic!("{text}"));
    expect!["the run needs 4 TB in buffer `xs` (1000000000000 elements of Float)"].assert_eq(start);
    assert!(limit.ends_with(" for one buffer"), "{text}");

    let limited = |memory| {
        map().run_with(
            &[floats(&[1.0; 1000])],
            &sizes(&[("N", 1000)]),
            &RunOptions { memory: Some(memory), ..RunOptions::default() },
        )
    };
    assert!(limited(8000).is_ok());
    check(
        &limited(7999).expect_err("too much"),
        expect!["the run needs 8 kB in 2 buffers; the limit for this run has 7.9 kB"],
    );
    check(
        &limited(3999).expect_err("too much"),
        expect![
            "the run needs 4 kB in buffer `xs` (1000 elements of Float); the limit for this run allows 3.9 kB for one buffer"
        ],
    );
}

#[test]
fn numbers_that_generated_code_cannot_hold_are_refused() {
    let mut b = map();
    if let Step::Launch(launch) = &mut b.plan().steps[0] {
        launch.args[2] = size_arg(Size::nat(3_000_000_000) * n());
    }
    check(
        &b.failure(&[floats(&[1.0])], &sizes(&[("N", 1)])),
        expect!["the size 3000000000*N is 3000000000 here; generated code counts to 2013265920 at most"],
    );
    let mut b = map();
    b.plan().buffers[1].capacity = Size::nat(i64::MAX as u64) * n();
    check(
        &b.failure(&[floats(&[1.0; 2])], &sizes(&[("N", 2)])),
        expect!["the capacity 9223372036854775807*N of buffer `ys` cannot be computed: the size is too large a number"],
    );
}

#[test]
fn an_exact_work_group_that_the_device_cannot_have_is_an_error() {
    let mut b = map();
    if let Step::Launch(launch) = &mut b.plan().steps[0] {
        (launch.local, launch.exact_local) = ([1 << 20, 1, 1], true);
    }
    let failure = b.failure(&[floats(&[1.0])], &sizes(&[("N", 1)])).to_string();
    assert!(failure.starts_with("`test: twice` needs work-groups of 1048576 work-items"), "{failure}");
}

#[test]
fn too_much_local_memory_is_an_error() {
    let mut b = map();
    b.program.opencl.text = MAP.replace("int n)", "int n, local int* tmp)");
    if let Step::Launch(launch) = &mut b.plan().steps[0] {
        launch.args.push(Arg::Local { bytes: Size::nat(1 << 40) });
    }
    let failure = b.failure(&[floats(&[1.0])], &sizes(&[("N", 1)])).to_string();
    assert!(
        failure.starts_with("`test: twice` needs 1099511627776 bytes of local memory in a work-group; "),
        "{failure}"
    );
}

#[test]
fn a_plan_that_contradicts_itself_is_an_error_and_not_a_crash() {
    let at = sizes(&[("N", 1)]);
    let run = |change: &dyn Fn(&mut Plan)| {
        let mut b = map();
        change(b.plan());
        let text = b.failure(&[floats(&[1.0])], &at).to_string();
        text.strip_prefix("the generated program is inconsistent (a defect of lift, not of your program): ")
            .unwrap_or(&text)
            .to_string()
    };
    let arg = |i: usize, arg: Arg| {
        move |plan: &mut Plan| {
            if let Step::Launch(launch) = &mut plan.steps[0] {
                launch.args[i] = arg.clone();
            }
        }
    };
    expect!["there is no buffer 9"].assert_eq(&run(&arg(0, Arg::Buffer(BufferId(9)))));
    expect!["kernel `twice`: argument 2 is `int`, but a buffer of Float is passed"]
        .assert_eq(&run(&arg(2, Arg::Buffer(BufferId(0)))));
    expect!["there is no buffer 9"].assert_eq(&run(&|plan| plan.result = Layout::Scalar(BufferId(9))));
    expect!["there is no buffer 9"].assert_eq(&run(&|plan| plan.steps.push(Step::Zero(BufferId(9)))));
    expect!["input `xs`: buffer 1 is not an input"]
        .assert_eq(&run(&|plan| plan.inputs[0].layout = array_of(n(), Layout::Scalar(BufferId(1)))));
    expect!["the length M cannot be computed: M has no value"]
        .assert_eq(&run(&|plan| plan.result = array_of(m(), Layout::Scalar(BufferId(1)))));
    expect!["buffer `xs` has room for 0 elements, not for 1"]
        .assert_eq(&run(&|plan| plan.buffers[0].capacity = Size::zero()));
    expect!["could not find kernel `nothing` in the program: (CL_INVALID_KERNEL_NAME, OpenCL error -46)"].assert_eq(
        &run(&|plan| {
            if let Step::Launch(launch) = &mut plan.steps[0] {
                launch.kernel = "nothing".to_string();
            }
        }),
    );
}

#[test]
fn a_device_without_doubles_says_so() {
    let mut b = map();
    b.program.opencl.text = MAP.replace("2.0f *", "(float)(double)");
    let mut device = device();
    device.info.doubles = false;
    let run = |b: &Builder| run(&b.program, &[floats(&[1.0])], &sizes(&[("N", 1)]), &device, &RunOptions::default());
    let failure = run(&b).expect_err("no doubles").to_string();
    assert!(failure.starts_with("the program computes with Double, which the device "), "{failure}");
    assert!(run(&map()).is_ok());
}

#[test]
fn a_condition_on_what_only_the_device_knows_is_no_check_of_the_host() {
    let mut b = map();
    b.plan().checks.push((Assumption::Positive(Size::var(x())), origin(1)));
    check(
        &b.failure(&[floats(&[1.0])], &sizes(&[("N", 1)])),
        expect![
            "the generated program is inconsistent (a defect of lift, not of your program): `X is positive` is to be checked before the run, but X is not known then"
        ],
    );
}

#[test]
fn a_length_outside_of_its_bounds_is_noticed() {
    let text = "kernel void f(global int* ys, global int* length, int n) { length[0] = n + 1; }";
    let mut b = Builder::new(text).sizes(&["N"]);
    let ys = b.buffer("ys", Scalar::Int, n(), BufferRole::Output);
    let length = b.buffer("length", Scalar::Int, Size::one(), BufferRole::Output);
    b.step(launch("f", vec![Arg::Buffer(ys), Arg::Buffer(length), size_arg(n())], Size::one(), 1));
    b.result(Ty::int(), exists(length, n(), array_of(Size::var(x()), Layout::Scalar(ys))));
    check(
        &b.failure(&[], &sizes(&[("N", 3)])),
        expect![
            "the generated program is inconsistent (a defect of lift, not of your program): a length of 4 came back for X; possible are 0 to 3"
        ],
    );
}
