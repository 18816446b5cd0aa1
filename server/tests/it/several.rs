//! `lift run` on several OpenCL devices: two of pocl, which are the processor twice.

use crate::programs::{Bench, Ran};

const PROGRAM: &str = "\
(lift doubled (N) ((array-type int N)) (lambda (xs) (map (* 2) xs)))
(lift even (N) ((array-type int N)) (lambda (xs) (filter (lambda (x) (= (mod x 2) 0)) xs)))
(lift total (N) ((array-type int N)) (lambda (xs) (reduce 0 + xs)))
(lift sums (N) ((array-type int N)) (lambda (xs) (scan 0 + xs)))
(lift product (N K M) ((array-type (array-type int K) N) (array-type (array-type int M) K))
  (lambda (a b) (map (lambda (row) (map (lambda (column) (head (reduce 0 + (zipWith * row column)))) (transpose b))) a)))
(lift smaller (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (filter (< x) xs)) xs)))
(lift sorted (N) ((array-type int N)) (lambda (xs) (sort < (filter (lambda (x) (> x 1)) xs))))
(lift divided (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (/ 60 x)) xs)))
(lift halves (N) ((array-type int N)) (lambda (xs) (map (reduce 0 +) (split 2 xs))))
(lift ordered (N) ((array-type int N)) (lambda (xs) (reduceSeq 0 - xs)))
";

fn bench() -> Bench {
    Bench::new(&[("a.lift", PROGRAM)])
}

fn run(bench: &Bench, arguments: &[&str]) -> Ran {
    let mut command = bench.command(&["run", "a.lift"]);
    let output = command.args(arguments).env("POCL_DEVICES", "pthread pthread").output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn two_devices_give_what_one_gives() {
    let bench = bench();
    let xs = "[5,2,8,1,4,7]";
    for (kernel, inputs, devices) in [
        ("doubled", &[xs] as &[&str], "opencl:0,1"),
        ("even", &[xs], "opencl:0:2,1:1"),
        ("total", &[xs], "opencl:0:1,1:0"),
        ("sums", &[xs], "opencl:1,0"),
        ("product", &["[[1,2],[3,4],[5,6]]", "[[1,0,2],[0,1,1]]"], "opencl:0,1"),
        // Kernels some of whose sizes only the shapes of their inputs tell.
        ("sorted", &[xs], "opencl:0,1"),
        ("smaller", &[xs], "opencl:0,1"),
        // More devices than elements.
        ("doubled", &["[3]"], "opencl:0,1"),
    ] {
        let with = |device| {
            let ran = run(&bench, &[&["--kernel", kernel, "--device", device], inputs].concat());
            assert_eq!(ran.status, Some(0), "{kernel}: {}", ran.err);
            ran.out
        };
        assert_eq!(with(devices), with("interpreter"), "{kernel}");
    }
}

#[test]
fn the_profile_tells_devices_apart() {
    let ran = run(&bench(), &["--kernel", "doubled", "--device", "opencl:0,1", "--profile", "[1,2]"]);
    assert_eq!((ran.status, &*ran.out), (Some(0), "2\n4\n"), "{}", ran.err);
    for part in
        ["on opencl:0, ", " and opencl:1, ", "  opencl:0: ", "  opencl:1: ", "opencl:1 in all", "longest of each step"]
    {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[test]
fn errors_of_several_devices_are_those_of_one() {
    let bench = bench();
    for (kernel, xs, parts) in [
        ("divided", "[1,2,3,0]", &["error[division-by-zero]", "a.lift:9:", "on opencl:1, "] as &[&str]),
        ("halves", "[1,2,3]", &["error[assumption-false]", "2 divides N", "a.lift:10:"]),
        ("ordered", "[1,2,3]", &["error[cannot-distribute]", "`reduceSeq`", "a.lift:11:", "`--device opencl`"]),
    ] {
        let ran = run(&bench, &["--kernel", kernel, "--device", "opencl:0,1", xs]);
        assert_eq!((ran.status, &*ran.out), (Some(1), ""), "{kernel}: {}", ran.err);
        for part in parts {
            assert!(ran.err.contains(part), "{kernel}: {part}: {}", ran.err);
        }
    }
}

#[test]
fn a_wrong_list_of_devices_is_told() {
    let bench = bench();
    for (list, status, why) in [
        ("opencl:0,0", 2, "names device 0 twice"),
        ("opencl:0,cuda", 2, "`cuda` in `opencl:0,cuda` is not a device number"),
        ("opencl:", 2, "`opencl:` names no device"),
        ("opencl:0,9", 1, "there is no OpenCL device 9"),
    ] {
        let ran = run(&bench, &["--kernel", "doubled", "--device", list, "[1]"]);
        assert_eq!((ran.status, &*ran.out), (Some(status), ""), "{list}: {}", ran.err);
        assert!(ran.err.contains(why), "{list}: {}", ran.err);
    }
}
