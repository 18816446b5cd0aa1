//! Functions of APL as kernels, on the command line.

use crate::programs::Bench;

const STATISTICS: &str = "mean←{(+/⍵)÷≢⍵}\ndot←{⍺+.×⍵}\nx←3\n";

#[test]
fn a_function_of_apl_is_a_kernel_by_its_name() {
    let bench = Bench::new(&[("stats.apl", STATISTICS)]);
    let run = |arguments: &[&str]| {
        bench.fine(&[&["run", "--device", "interpreter", "stats.apl", "--kernel"], arguments].concat())
    };
    assert_eq!(run(&["mean", "[1.5,2,4]"]), "2.5\n");
    assert_eq!(run(&["dot", "[1,2]", "[3,4]"]), "11\n");
    assert_eq!(run(&["dot", "2", "[[1,2],[3,4]]"]), "8 12\n");
    bench.write("m.txt", b"1 2\n3 4\n");
    bench.fine(&["run", "--device", "interpreter", "stats.apl", "--kernel", "mean", "m.txt", "-o", "m.npy"]);
    assert_eq!(run(&["mean", "m.npy"]), "2.5\n");
    let comment = "write a comment such as `⍝: mean [double]1`";
    let refused = bench.wrong(&["build", "stats.apl", "--kernel", "mean"]);
    assert!(refused.contains(comment) && refused.contains("stats.apl:1:1"), "{refused}");
    let refused = bench.wrong(&["run", "stats.apl", "--kernel", "mean", "random"]);
    assert!(refused.contains(comment) && refused.contains("`random`"), "{refused}");
    let refused = bench.wrong(&["run", "stats.apl", "--kernel", "mode", "3"]);
    assert!(refused.contains("there is no kernel `mode`; there is `stats`, `mean`, `dot`"), "{refused}");
    let refused = bench.wrong(&["run", "stats.apl", "[1,2]"]);
    assert!(refused.contains("`--kernel` names a function that takes inputs: `mean`, `dot`"), "{refused}");

    bench.write(
        "both.apl",
        format!("{STATISTICS}⍝: mean [double]1\n⍝ test: right=[1,2] => 1.5\n⍝: dot [int]1 [int]1\n").as_bytes(),
    );
    assert!(bench.wrong(&["run", "both.apl", "[1,2]"]).contains("choose one with `--kernel`"));
    assert_eq!(bench.fine(&["types", "both.apl"]).lines().count(), 3);
    let translated = bench.fine(&["build", "both.apl", "--stage", "translated", "--kernel", "dot"]);
    assert!(translated.starts_with("(lift main (N'1 M'1) ((array-type int N'1) "), "{translated}");
    bench.fine(&["build", "both.apl"]);
    assert!(bench.path("mean.cl").exists() && bench.path("dot.cl").exists());
    assert!(bench.fine(&["test", "both.apl", "--device", "interpreter"]).ends_with("1 passed, 0 failed\n"));
}
