//! Tuning on a device: what is tried, kept and used, and kernels that never end.

use crate::commands::ENDLESS;
use crate::programs::Bench;
use serde_json::Value;

const SCALE: &str = "\
;;; run: xs=[1,2,3]
(lift scale (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (* 2 x)) xs)))
";

#[test]
fn a_kernel_is_tuned_and_the_program_says_so() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let arguments = ["tune", "scale.lift", "--size", "N=100", "--budget", "1", "--parameter", "map.pieces"];
    let out = bench.fine(&arguments);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("scale on ") && lines[0].ends_with(", N=100"), "{out}");
    assert!(lines[1].ends_with("as it is"), "{out}");
    assert!(lines[lines.len() - 1].contains(" programs tried; "), "{out}");
    assert_eq!(bench.fine(&["run", "scale.lift"]), "2\n4\n6\n");
}

#[test]
fn a_kernel_that_never_ends_is_stopped() {
    let bench = Bench::new(&[("endless.lift", ENDLESS)]);
    let err = bench.wrong(&["tune", "endless.lift", "1", "--patience", "1"]);
    assert!(err.contains("`endless` cannot be tuned: it took more than 1 s"), "{err}");
}

#[test]
fn a_record_is_used_and_what_is_wrong_or_stale_is_told() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    let devices = bench.fine(&["devices", "--format", "json"]);
    let info: Value = serde_json::from_str(devices.lines().next().expect("a device")).expect("JSON");
    let report: Value = serde_json::from_str(&bench.fine(&["run", "scale.lift", "--format", "json"])).expect("JSON");
    let [name, platform, driver] = ["name", "platform", "driver"].map(|key| info["info"][key].as_str().expect(key));
    let file = |meaning: &str, driver: &str, choice: &str| {
        let head = format!("lift-tuned 1\n\nkernel scale {meaning}\ndevice {name} | {platform} | {driver}\n");
        bench.write("scale.lift.tuned", format!("{head}sizes N=3\nuse {choice}\ntime 1 of 2\n").as_bytes());
        let ran = bench.lift(&["run", "--device", "opencl:0", "scale.lift"]);
        assert_eq!((ran.status, &*ran.out), (Some(0), "2\n4\n6\n"));
        ran.err
    };
    let meaning = report["meaning"].as_str().expect("a fingerprint");
    assert_eq!(file(meaning, driver, "target=portable group=32"), "");
    let why = "`group` cannot be 33; it is one of 32, 64, 128, 256";
    assert_eq!(file(meaning, driver, "group=33"), format!("note: scale.lift.tuned is not used: line 6: {why}\n"));
    let stale = "note: scale.lift.tuned is of another version of `scale`, which runs as if never tuned\n";
    assert_eq!(file("0", driver, "group=32"), stale);
    assert!(file(meaning, "0.1", "group=32").starts_with("note: scale.lift.tuned is of another driver than "));
}

#[test]
fn parameters_are_listed_and_wrong_usage_is_refused() {
    let bench = Bench::new(&[("scale.lift", SCALE)]);
    assert!(bench.fine(&["tune", "--list"]).contains("rows.team            8  (2 4 16 32)"));
    assert_eq!(bench.lift(&["tune"]).status, Some(2));
    assert_eq!(bench.lift(&["tune", "--parameter", "no", "scale.lift"]).status, Some(2));
    assert!(bench.wrong(&["tune", "--device", "opencl:9", "scale.lift"]).contains("cannot be tuned"));
}
