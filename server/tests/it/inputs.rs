//! `lift run`: valid and invalid inputs of every kind; sizes; devices; results.

use crate::programs::Bench;
use expect_test::expect;
use serde_json::Value;

const PROGRAM: &str = "\
(lift scale (N) ((array-type float N) float) (lambda (xs k) (map (lambda (x) (* x k)) xs)))
(lift sums (N M) ((array-type (array-type int M) N)) (lambda (xss) (map (lambda (xs) (reduceSeq 0 + xs)) xss)))
(lift keep (N M) ((array-type (array-type int M) N)) (lambda (xss) (map (lambda (xs) (filterSeq (lambda (x) (> x 0)) xs)) xss)))
(lift halves (N) ((array-type int (* 2 N))) (lambda (xs) (split #2 xs)))
(lift plus () (int int) (lambda (a b) (+ a b)))
(lift quarters (N) ((array-type int N)) (lambda (xs) (split #4 xs)))
(lift pick (N) ((array-type int N) int) (lambda (xs i) (aref xs i)))
";

fn bench() -> Bench {
    Bench::new(&[("p.lift", PROGRAM)])
}

/// Runs a kernel on the interpreter.
fn run(bench: &Bench, kernel: &str, inputs: &[&str]) -> String {
    let mut arguments = vec!["run", "p.lift", "--device", "interpreter", "--kernel", kernel];
    arguments.extend(inputs);
    bench.fine(&arguments)
}

/// Returns the first line of the error for a kernel that is not run.
fn refusal(bench: &Bench, kernel: &str, inputs: &[&str]) -> String {
    let mut arguments = vec!["run", "p.lift", "--device", "interpreter", "--kernel", kernel];
    arguments.extend(inputs);
    bench.wrong(&arguments).lines().next().unwrap_or_default().to_owned()
}

/// Builds a `.npy` file from a header and data.
fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    let header = format!("{header:<117}\n");
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

fn header(dtype: &str, fortran: bool, shape: &str) -> String {
    let fortran = if fortran { "True" } else { "False" };
    format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
}

fn ints(values: impl IntoIterator<Item = i32>) -> Vec<u8> {
    values.into_iter().flat_map(i32::to_le_bytes).collect()
}

#[test]
fn literals_may_be_negative_and_are_no_options() {
    let bench = bench();
    assert_eq!(run(&bench, "plus", &["-3", "5"]), "2\n");
    assert_eq!(run(&bench, "plus", &["-2147483648", "-1"]), "2147483647\n");
    assert_eq!(run(&bench, "scale", &["[1, -2.5]", "-2.0f"]), "-2.0\n5.0\n");
    assert_eq!(run(&bench, "scale", &["[inf, nan, 1e30]", "-5e-1"]), "-inf\nNaN\n-5e29\n");
    assert_eq!(run(&bench, "scale", &["[]", "-.5"]), "");
}

#[test]
fn text_files_hold_numbers_and_rows() {
    let bench = bench();
    bench.write("xs.txt", b"1 2\n3\t4.5\n");
    bench.write("rows.txt", b"1 2 3\n4 5 6\n");
    assert_eq!(run(&bench, "scale", &["xs.txt", "2"]), "2.0\n4.0\n6.0\n9.0\n");
    assert_eq!(run(&bench, "sums", &["rows.txt"]), "6\n15\n");
}

#[test]
fn numpy_files_are_read_in_both_orders_and_endiannesses() {
    let bench = bench();
    bench.write("c.npy", &npy(&header("<i4", false, "(2, 3)"), &ints([1, 2, 3, 4, 5, 6])));
    bench.write("fortran.npy", &npy(&header("<i4", true, "(2, 3)"), &ints([1, 4, 2, 5, 3, 6])));
    let big: Vec<u8> = [1i32, 2, 3, 4, 5, 6].into_iter().flat_map(i32::to_be_bytes).collect();
    bench.write("big.npy", &npy(&header(">i4", false, "(2, 3)"), &big));
    for file in ["c.npy", "fortran.npy", "big.npy"] {
        assert_eq!(run(&bench, "keep", &[file]), "1 2 3\n4 5 6\n", "{file}");
    }
    bench.write("one.npy", &npy(&header("<f4", false, "(2,)"), &[0, 0, 128, 63, 0, 0, 0, 64]));
    assert_eq!(run(&bench, "scale", &["one.npy", "1"]), "1.0\n2.0\n");
}

#[test]
fn bad_numpy_files_are_refused_with_the_reason() {
    let bench = bench();
    bench.write("cut.npy", &npy(&header("<i4", false, "(2, 3)"), &ints([1, 2, 3, 4, 5])));
    bench.write("wide.npy", &npy(&header("<i8", false, "(2, 3)"), &[0; 48]));
    bench.write("float.npy", &npy(&header("<f8", false, "(2, 3)"), &[0; 48]));
    bench.write("flat.npy", &npy(&header("<i4", false, "(6,)"), &[0; 24]));
    bench.write("huge.npy", &npy(&header("<i4", false, "(4294967296, 4294967296)"), &[]));
    bench.write("large.npy", &npy(&header("<i4", false, "(65536, 65536)"), &[]));
    bench.write("records.npy", &npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1, 1), }", &[0; 4]));
    bench.write("nested.npy", &npy(&"(".repeat(5000), &[]));
    bench.write("text.npy", b"1 2 3\n");
    bench.write("start.npy", b"\x93NUMPY\x01\x00");
    bench.write("header.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}");
    bench.write("version.npy", b"\x93NUMPY\x09\x00\x00\x00");
    bench.write("empty.npy", b"");
    let files = [
        "cut", "wide", "float", "flat", "huge", "large", "records", "nested", "text", "start", "header", "version",
        "empty", "missing",
    ];
    let said: String = files.map(|f| refusal(&bench, "sums", &[&format!("{f}.npy")]) + "\n").concat();
    expect![[r#"
        error[input]: input `xss`, given as `cut.npy`: the file is cut short: shape (2, 3) needs 24 bytes of data, there are 20
        error[input]: input `xss`, given as `wide.npy`: the file holds `int64`, but the parameter is `Array[Array[Int,M],N]`: `Int` is NumPy's `int32`; run with `--cast`, or convert with `.astype(numpy.int32)`
        error[input]: input `xss`, given as `float.npy`: the file holds `float64`, but the parameter is `Array[Array[Int,M],N]`: `Int` is NumPy's `int32`; run with `--cast`, or convert with `.astype(numpy.int32)`
        error[input]: input `xss`, given as `flat.npy`: `Array[Array[Int,M],N]` is expected, which has 2 dimensions; the array has shape (6,)
        error[input]: input `xss`, given as `huge.npy`: the header of the `.npy` file is bad: its shape is impossible
        error[input]: input `xss`, given as `large.npy`: it has shape (65536, 65536), 4294967296 elements; at most 2147483647 are taken
        error[input]: input `xss`, given as `records.npy`: the file holds records, `[('a', '<i4'), ]`; arrays of numbers are taken
        error[input]: input `xss`, given as `nested.npy`: the header of the `.npy` file is bad: too many brackets
        error[input]: input `xss`, given as `text.npy`: this is not a `.npy` file: it does not begin as one
        error[input]: input `xss`, given as `start.npy`: the file is cut short: it ends in the header
        error[input]: input `xss`, given as `header.npy`: the header of the `.npy` file has 4294967295 bytes; at most 10000 are read
        error[input]: input `xss`, given as `version.npy`: `.npy` format version 9 is not known
        error[input]: input `xss`, given as `empty.npy`: this is not a `.npy` file: it does not begin as one
        error[input]: input `xss`, given as `missing.npy`: there is no such file
    "#]].assert_eq(&said);
}

/// Compressed input is rejected before it is unpacked, so a small file cannot become large.
#[test]
fn broken_archives_are_refused() {
    let bench = bench();
    let zip = b"PK\x03\x04\x14\x00\x00\x00\x08\x00\x00\x00!\x00\xff\xff\xff\xff\xff\xff\xff\xff\x07\x00\x00\x00arr.npy";
    for name in ["a.npz", "b.npy", "c.zip"] {
        bench.write(name, zip);
    }
    bench.write("d.npy.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x03\x00");
    let said: String = ["a.npz", "b.npy", "c.zip", "d.npy.gz"].map(|f| refusal(&bench, "sums", &[f]) + "\n").concat();
    expect![[r#"
        error[input]: input `xss`, given as `a.npz`: the archive cannot be read: invalid Zip archive: Could not find EOCD
        error[input]: input `xss`, given as `b.npy`: this is not a `.npy` file: it does not begin as one
        error[input]: input `xss`, given as `c.zip`: the archive cannot be read: invalid Zip archive: Could not find EOCD
        error[input]: input `xss`, given as `d.npy.gz`: neither text nor a NumPy file, an Arrow file or a picture: the file is not UTF-8 text: the first bad byte is at offset 1, in line 1
    "#]]
    .assert_eq(&said);
}

#[test]
fn bad_text_and_literals_are_refused_with_the_place() {
    let bench = bench();
    bench.write("word.txt", b"1 2 3\n4 five 6\n");
    bench.write("ragged.txt", b"1 2 3\n4 5\n");
    bench.write("binary.dat", b"\x00\xff\xfe");
    let said = [
        refusal(&bench, "sums", &["word.txt"]),
        refusal(&bench, "sums", &["ragged.txt"]),
        refusal(&bench, "sums", &["binary.dat"]),
        refusal(&bench, "sums", &["."]),
        refusal(&bench, "sums", &["[[1,2],[3,4.5]]"]),
        refusal(&bench, "sums", &["[1,2]"]),
        refusal(&bench, "plus", &["99999999999", "1"]),
        refusal(&bench, "plus", &["1"]),
        refusal(&bench, "plus", &["1", "2", "3"]),
        refusal(&bench, "plus", &["[1", "2"]),
        refusal(&bench, "plus", &["random:x", "2"]),
    ];
    expect![[r#"
        error[input]: input `xss`, given as `word.txt`: line 2, column 3: `five` is not an Int
        error[input]: input `xss`, given as `ragged.txt`: line 2, column 1: the rows are not equally long: this line has 2 elements, line 1 has 3 elements
        error[input]: input `xss`, given as `binary.dat`: neither text nor a NumPy file, an Arrow file or a picture: the file is not UTF-8 text: the first bad byte is at offset 1, in line 1
        error[input]: input `xss`, given as `.`: this is a directory, not a file
        error[input]: input `xss`, given as `[[1,2],[3,4.5]]`: at character 11: `4.5` is not an Int
        error[input]: input `xss`, given as `[1,2]`: at character 2: `Array[Int,M]` is expected, not `1`
        error[input]: input `a`, given as `99999999999`: `99999999999` does not fit Int (-2147483648 to 2147483647)
        error[input]: `plus` takes 2 inputs, `a: Int`, `b: Int`; one is given
        error[input]: `plus` takes 2 inputs, `a: Int`, `b: Int`; 3 are given
        error[input]: input `a`, given as `[1`: at character 3: `]` is missing
        error[input]: input `a`, given as `random:x`: `x` is not a seed: `random:SEED` takes a number from 0 to 18446744073709551615
    "#]].assert_eq(&(said.join("\n") + "\n"));
}

#[test]
fn sizes_follow_from_shapes_and_must_agree() {
    let bench = bench();
    assert_eq!(run(&bench, "halves", &["[1,2,3,4]"]), "1 2\n3 4\n");
    assert_eq!(run(&bench, "halves", &["iota", "--size", "N=2"]), "0 1\n2 3\n");
    assert_eq!(run(&bench, "halves", &["[]"]), "");
    let said = [
        refusal(&bench, "halves", &["[1,2,3]"]),
        refusal(&bench, "halves", &["[1,2]", "--size", "N=2"]),
        refusal(&bench, "halves", &["iota"]),
        refusal(&bench, "halves", &["[1,2]", "--size", "K=2"]),
        refusal(&bench, "halves", &["iota", "--size", "N=1", "--size", "N=2"]),
        refusal(&bench, "quarters", &["[1,2,3]"]),
        refusal(&bench, "halves", &["iota", "--size", "N=99999999999999"]),
    ];
    expect![[r#"
        error[input]: `xs` has 3 elements, but by its type that number is `2*N`, which it is for no `N`
        error[input]: the sizes disagree: `N` is given as 2, so that `2*N` is 4, but `xs` has 2 elements
        error[input]: the size `N` does not follow from the shapes of the inputs; give it, as in `--size N=16`
        error[input]: `halves` has the size `N`, and no `K`
        error[input]: the size `N` is given twice
        error[assumption-false]: the program relies on `4 divides N`, which is false for N = 3
        error[input]: input `xs`: 199999999999998 numbers would have to be made; at most 1073741824 can be
    "#]]
    .assert_eq(&(said.join("\n") + "\n"));
}

#[test]
fn pieces_that_leave_a_remainder_say_what_to_write() {
    let bench = bench();
    for device in ["interpreter", "opencl"] {
        let error = bench.wrong(&["run", "p.lift", "--kernel", "quarters", "[1,2,3]", "--device", device]);
        assert!(error.contains("help: Write `pieces`"), "{error}");
    }
}

#[test]
fn inputs_may_name_their_parameters() {
    let bench = bench();
    assert_eq!(run(&bench, "pick", &["i=1", "xs=[5,6]"]), "6\n");
    assert_eq!(run(&bench, "pick", &["i=1", "[5,6]"]), "6\n");
    assert_eq!(run(&bench, "halves", &["xs=iota", "N=2"]), "0 1\n2 3\n");
    let said = [
        refusal(&bench, "pick", &["i=1"]),
        refusal(&bench, "pick", &["i=1", "i=2"]),
        refusal(&bench, "pick", &["i=1", "[2]", "3"]),
        refusal(&bench, "pick", &["ys=[1]", "2"]),
        refusal(&bench, "halves", &["xs=iota", "N=x"]),
        refusal(&bench, "halves", &["xs=iota", "N=2", "--size", "N=3"]),
    ];
    expect![[r#"
        error[input]: no value is given for `xs`
        error[input]: `i` is given twice
        error[input]: `pick` takes 2 inputs, `xs: Array[Int,N]`, `i: Int`; 3 are given
        error[input]: `ys=[1]` names no input and no file: the inputs are `xs`, `i`
        error[input]: `N=x` is not a size
        error[input]: the size `N` is given twice
    "#]]
    .assert_eq(&(said.join("\n") + "\n"));
}

#[test]
fn an_error_of_the_run_points_at_the_program() {
    let bench = bench();
    let arguments = ["run", "p.lift", "--device", "interpreter", "--kernel", "pick", "[1,2,3]", "3"];
    expect![[r#"
        error[index-out-of-range]: index 3 is out of range: the length is 3
         --> p.lift:7:56
          |
        7 | (lift pick (N) ((array-type int N) int) (lambda (xs i) (aref xs i)))
          |                                                        ^^^^^^^^^^^

    "#]]
    .assert_eq(&bench.wrong(&arguments));
    let on_device = bench.wrong(&["run", "p.lift", "--kernel", "pick", "--device", "opencl", "[1,2,3]", "3"]);
    assert!(on_device.contains("p.lift:7:56"), "{on_device}");
}

#[test]
fn random_inputs_repeat_with_their_seed() {
    let bench = bench();
    let random = |seed: &str| run(&bench, "scale", &[seed, "1", "--size", "N=50"]);
    assert_eq!(random("random:7"), random("random:7"));
    assert_ne!(random("random:7"), random("random:8"));
    assert_eq!(random("random").lines().count(), 50);
}

#[test]
fn a_kernel_runs_on_its_own_line() {
    let bench = Bench::new(&[
        (
            "deep/own.lift",
            ";;; run: xs=data.txt k=2\n(lift own (N) ((array-type float N) float) (lambda (xs k) (map (lambda (x) (* x k)) xs)))\n",
        ),
        ("deep/data.txt", "1 2"),
        ("bad.lift", ";;; run: N=3\n(lift bad (N) ((array-type int N)) (lambda (xs) xs))\n"),
        ("other.lift", ";;; run: ys=iota\n(lift other (N) ((array-type int N)) (lambda (xs) xs))\n"),
    ]);
    // File names in the `;;; run:` line are relative to the program.
    assert_eq!(bench.fine(&["run", "deep/own.lift", "--device", "interpreter"]), "2.0\n4.0\n");
    let said = bench.wrong(&["run", "bad.lift", "--device", "interpreter"]);
    assert!(said.contains("the line `;;; run:` gives no value for `xs`"), "{said}");
    let said = bench.wrong(&["run", "other.lift", "--device", "interpreter"]);
    assert!(said.contains("the line `;;; run:` names `ys`, which is neither a parameter nor a size"), "{said}");
}

#[test]
fn results_are_written_as_numpy_files() {
    let bench = bench();
    assert_eq!(run(&bench, "halves", &["[1,2,3,4]", "-o", "out.npy"]), "");
    assert_eq!(run(&bench, "keep", &["out.npy"]), "1 2\n3 4\n");
    assert_eq!(run(&bench, "plus", &["1", "2", "-o", "scalar.npy"]), "");
    let said = refusal(&bench, "keep", &["[[1,2],[-3,4]]", "-o", "ragged.npy"]);
    expect!["error[unwritable-file]: the rows of the result are not equally long (row 0 has 2 elements, row 1 has 1 element), as they are in `.npy` files and pictures; write it as `.npz`, as Arrow or as text"].assert_eq(&said);
    assert!(!bench.path("ragged.npy").exists());
    assert!(refusal(&bench, "plus", &["1", "2", "-o", "no/such/folder/x.npy"]).contains("no/such/folder/x.npy"));
}

#[test]
fn a_device_gives_what_the_interpreter_gives() {
    let bench = bench();
    let cases: [(&str, &[&str]); 4] = [
        ("scale", &["[1, -2.5, 1e10]", "-2"]),
        ("sums", &["iota", "--size", "N=7", "--size", "M=5"]),
        ("halves", &["iota", "--size", "N=100"]),
        ("plus", &["2147483647", "1"]),
    ];
    for (kernel, inputs) in cases {
        let mut arguments = vec!["run", "p.lift", "--device", "opencl", "--kernel", kernel];
        arguments.extend(inputs);
        assert_eq!(bench.fine(&arguments), run(&bench, kernel, inputs), "{kernel}");
    }
}

#[test]
fn without_a_device_the_interpreter_runs_and_says_so() {
    let bench = bench();
    let arguments = ["run", "p.lift", "--kernel", "plus", "1", "2"];
    let output = bench.command(&arguments).env("OCL_ICD_VENDORS", bench.path(".")).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3\n");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("note: running on the interpreter: no OpenCL"), "{said}");
    let arguments = ["run", "p.lift", "--device", "opencl", "--kernel", "plus", "1", "2"];
    let output = bench.command(&arguments).env("OCL_ICD_VENDORS", bench.path(".")).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error[no-device]"));
}

#[test]
fn json_reports_a_run_as_one_object() {
    let bench = bench();
    let out = bench.fine(&[
        "run",
        "p.lift",
        "--format",
        "json",
        "--device",
        "interpreter",
        "--head",
        "1",
        "--kernel",
        "sums",
        "[[1,2],[3,4]]",
    ]);
    let mut report: Value = serde_json::from_str(out.trim_end()).expect("one object");
    assert!(report["meaning"].take().as_str().is_some_and(|m| m.len() == 16), "a fingerprint");
    expect![[r#"
        {
          "cut": true,
          "device": "interpreter",
          "kernel": "sums",
          "meaning": null,
          "output": "3\n",
          "profile": [],
          "runs": 0,
          "sizes": {
            "M": 2,
            "N": 2
          }
        }"#]]
    .assert_eq(&format!("{report:#}"));
    let ran = bench.lift(&["run", "p.lift", "--format", "json", "--kernel", "plus", "1"]);
    assert_eq!((ran.status, &*ran.err), (Some(1), ""));
    let message: Value = serde_json::from_str(ran.out.trim_end()).expect("one object");
    assert_eq!((&message["code"], &message["severity"]), (&Value::from("input"), &Value::from("error")));
}

#[test]
fn the_kernel_must_be_named_if_there_are_several() {
    let bench = bench();
    let said = bench.wrong(&["run", "p.lift", "1", "2"]);
    assert!(said.contains("choose one with `--kernel`"), "{said}");
}

#[test]
fn more_memory_than_the_device_has_is_refused_before_it_is_taken() {
    let bench = bench();
    let arguments = [
        "run",
        "p.lift",
        "--device",
        "opencl",
        "--kernel",
        "sums",
        "iota",
        "--size",
        "N=1000000",
        "--size",
        "M=1000000",
    ];
    let said = bench.wrong(&arguments);
    assert!(said.starts_with("error["), "{said}");
}

#[test]
fn an_embedded_run_ends_when_nobody_listens() {
    use std::io::Write;
    let endless =
        "(lift endless () (int) (lambda (x) (iterateWhile (lambda (n) (>= n 0)) (lambda (n) (mod (+ n 1) 7)) x)))";
    let bench = bench();
    let mut command = bench.command(&["run", "--embedded", "--device", "interpreter", "/e.lift", "0"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    writeln!(stdin, "{}", serde_json::json!({ "texts": { "/e.lift": endless } })).expect("it reads");
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn errors_in_forms_that_a_kernel_does_not_use_do_not_stop_it() {
    let wrong = "(lift wrong (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2)) xs)))\n";
    let bench = Bench::new(&[("p.lift", &format!("{PROGRAM}{wrong}"))]);
    let warned = |arguments: &[&str]| {
        let ran = bench.lift(arguments);
        assert_eq!(ran.status, Some(0), "{arguments:?}: {}", ran.err);
        assert!(ran.err.starts_with("warning[type-mismatch]"), "{arguments:?}: {}", ran.err);
        ran.out
    };
    assert_eq!(warned(&["run", "p.lift", "--device", "interpreter", "--kernel", "plus", "1", "2"]), "3\n");
    assert!(refusal(&bench, "wrong", &["[1]"]).starts_with("error[type-mismatch]"));
    assert!(warned(&["build", "p.lift", "--kernel", "plus", "--stage", "opencl"]).contains("__kernel"));
}
