//! The emitted text. Tests of the program (`tests/program/test_emitted_*.py`) compile and run it.

use super::{c, python};
use crate::core::builder::*;
use crate::lower::compile;
use crate::target::Target;
use expect_test::expect;

fn filter() -> crate::plan::Program {
    let mut b = Builder::new("kept");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let kept = b.filter(Level::Seq, &xs, |b, x| b.gt(x, 0.5f32));
    compile(&b.finish(&kept), &Target::portable()).expect("it compiles")
}

#[test]
fn a_header_says_what_to_give() {
    let files = c::print(&filter(), "kept", &|_| String::new()).expect("it can be written in C");
    let start = files.header.find("/* xs").expect("inputs are named");
    let end = files.header.find("\n#ifdef __cplusplus\n}").expect("it ends");
    expect![[r#"
        /* xs : Array[Float,N] */
        /* the result : <∃X1, Array[Float,X1]> */
        /* result_len: room for 1 element, which the next function computes. */
        size_t kept_room_result_len(int64_t N);
        /* result: room for N elements, which the next function computes. */
        size_t kept_room_result(int64_t N);

        /* Runs on host memory. 0, or -1 and an error. */
        int kept_run(struct kept *program, int64_t N, const cl_float *xs, cl_int *result_len, cl_float *result);

        /* Runs on buffers of the device, in an in-order queue of it; when it returns all work is enqueued, and done
           if the kernel can fail. */
        int kept_run_on(struct kept *program, cl_command_queue queue, int64_t N, cl_mem xs, cl_mem result_len, cl_mem result);
    "#]]
    .assert_eq(&files.header[start..end]);
}

#[test]
fn a_module_has_plan_and_text_for_each_class_of_devices() {
    let program = filter();
    let kernel =
        python::Kernel { name: "kept-2", docs: "Keeps \"some\".", meaning: 1, programs: vec![("cpu", &program)] };
    let module = python::module("a.lift", &[kernel], &|_, _| String::new());
    let start = module.find("from lift_runtime").expect("it imports the runtime");
    let end = module.find("  \"inputs\"").expect("the plan has inputs");
    expect![[r#"
        from lift_runtime import LiftError
        from lift_runtime import compiled as _compiled

        __all__ = [
            "LiftError",
            "kept_2",
        ]

        kept_2 = _compiled(
            '''kept-2''',
            '''Keeps "some".''',
            {
                "cpu": (
        '''{
          "version": 3,
          "kernel": "kept",
          "opencl": "kept-2.cl",
          "sizes": ["N"],
          "checks": [],
    "#]]
    .assert_eq(&module[start..end]);
}
