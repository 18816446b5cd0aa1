//! Commands about programs: exit status, messages, JSON, formatting, types.

use crate::programs::Bench;
use expect_test::expect;
use serde_json::Value;
use std::io::{Read, Write};
use std::process::Stdio;

const EVENS: &str = "\
(define (even x) (= (mod x 2) 0))
;;; run: xs=iota N=6
(lift evens (N) ((array-type int N)) (lambda (xs) (filter even xs)))
";
const WRONG: &str = "(lift double (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2)) xs)))\n";

#[test]
fn a_program_without_errors_is_fine_and_says_nothing() {
    let bench = Bench::new(&[("evens.lift", EVENS)]);
    assert_eq!(bench.fine(&["check", "evens.lift"]), "");
}

#[test]
fn an_error_shows_its_line_its_places_and_its_fix() {
    let bench = Bench::new(&[("wrong.lift", WRONG)]);
    expect![[r#"
        error[type-mismatch]: `*` needs `Float` as its second argument, but this is `Int`
         --> wrong.lift:1:76
          |
        1 | (lift double (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2)) xs)))
          |                                                                          - ^
          |                                                                          |
          |                                                                          `Float` comes from `x`
          |
        help: Write `2.0f`
          |
        1 | (lift double (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2.0f)) xs)))
          |                                                                             +++

        1 error
    "#]]
    .assert_eq(&bench.wrong(&["check", "wrong.lift"]));
}

#[test]
fn json_has_one_object_a_line_with_positions_in_utf16_units() {
    let bench = Bench::new(&[("wrong.lift", &format!("; 𝒳\n{}", WRONG.replace("(* x 2)", "(* x (let 𝒳 1.0f 2))")))]);
    let ran = bench.lift(&["check", "--format", "json", "wrong.lift"]);
    assert_eq!((ran.status, &*ran.err), (Some(1), ""));
    let lines: Vec<Value> = ran.out.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    expect![[r#"
        {
          "code": "type-mismatch",
          "file": "wrong.lift",
          "fixes": [
            {
              "certain": false,
              "edits": [
                {
                  "file": "wrong.lift",
                  "newText": "(toFloat ",
                  "range": {
                    "end": {
                      "character": 75,
                      "line": 1
                    },
                    "start": {
                      "character": 75,
                      "line": 1
                    }
                  }
                },
                {
                  "file": "wrong.lift",
                  "newText": ")",
                  "range": {
                    "end": {
                      "character": 90,
                      "line": 1
                    },
                    "start": {
                      "character": 90,
                      "line": 1
                    }
                  }
                }
              ],
              "title": "Write `(toFloat (let …))`"
            }
          ],
          "message": "`*` needs `Float` as its second argument, but this is `Int`; `(toFloat (let …))` converts it",
          "range": {
            "end": {
              "character": 90,
              "line": 1
            },
            "start": {
              "character": 75,
              "line": 1
            }
          },
          "related": [
            {
              "file": "wrong.lift",
              "message": "`Float` comes from `x`",
              "range": {
                "end": {
                  "character": 74,
                  "line": 1
                },
                "start": {
                  "character": 73,
                  "line": 1
                }
              }
            }
          ],
          "severity": "error"
        }
        {
          "code": "unused-name",
          "file": "wrong.lift",
          "fixes": [
            {
              "certain": false,
              "edits": [
                {
                  "file": "wrong.lift",
                  "newText": "_𝒳",
                  "range": {
                    "end": {
                      "character": 82,
                      "line": 1
                    },
                    "start": {
                      "character": 80,
                      "line": 1
                    }
                  }
                }
              ],
              "title": "Rename to `_𝒳`"
            }
          ],
          "message": "the name `𝒳` is never used",
          "range": {
            "end": {
              "character": 82,
              "line": 1
            },
            "start": {
              "character": 80,
              "line": 1
            }
          },
          "related": [],
          "severity": "information"
        }
    "#]]
    .assert_eq(&lines.iter().map(|l| format!("{l:#}\n")).collect::<String>());
}

#[test]
fn explicit_mode_inserts_nothing() {
    let bench = Bench::new(&[(
        "twice.lift",
        "(lift twice (N) ((array-type int N)) (lambda (xs) (map abs (filter (lambda (x) (> x 0)) xs))))\n",
    )]);
    bench.fine(&["check", "twice.lift"]);
    let said = bench.wrong(&["check", "--explicit", "twice.lift"]);
    assert!(said.contains("error[hidden-length]"), "{said}");
}

#[test]
fn types_are_listed_one_form_a_line() {
    let bench = Bench::new(&[("evens.lift", EVENS)]);
    expect![[r#"
        even : Int -> Bool
        evens : Array[Int,N] -> <∃X, Array[Int,X]>
    "#]]
    .assert_eq(&bench.fine(&["types", "evens.lift"]));
    expect![[r#"
        {"name":"even","type":"Int -> Bool"}
        {"name":"evens","type":"Array[Int,N] -> <∃X, Array[Int,X]>"}
    "#]]
    .assert_eq(&bench.fine(&["types", "--format=json", "evens.lift"]));
}

#[test]
fn the_elaborated_program_checks_in_explicit_mode_to_the_same_types() {
    let twice = "(lift twice (N) ((array-type int N)) (lambda (xs) (map abs (filter (lambda (x) (> x 0)) xs))))\n";
    let bench = Bench::new(&[("twice.lift", twice)]);
    let elaborated = bench.fine(&["types", "--elaborated", "twice.lift"]);
    expect![[r#"
        (lift twice (N) ((array-type int N)) (lambda (xs) (unpack (X1 v1) (filter (lambda (x) (> x 0)) xs) (pack (map abs v1)))))
    "#]].assert_eq(&elaborated);
    bench.write("explicit.lift", elaborated.as_bytes());
    bench.fine(&["check", "--explicit", "explicit.lift"]);
    assert_eq!(bench.fine(&["types", "twice.lift"]), bench.fine(&["types", "explicit.lift"]));
}

#[test]
fn layout_is_changed_or_only_checked() {
    let bench = Bench::new(&[("a.lift", "(define   a 1)\n"), ("b.lift", "(define b 2)\n")]);
    let ran = bench.lift(&["fmt", "--check", "a.lift", "b.lift"]);
    assert_eq!((ran.status, &*ran.out), (Some(1), "a.lift\n"));
    assert_eq!(bench.read("a.lift"), "(define   a 1)\n");
    assert_eq!(bench.fine(&["fmt", "a.lift", "b.lift"]), "");
    assert_eq!(bench.read("a.lift"), "(define a 1)\n");
    bench.fine(&["fmt", "--check", "a.lift", "b.lift"]);
}

#[test]
fn layout_of_standard_input_is_printed() {
    let bench = Bench::new(&[]);
    let mut child =
        bench.command(&["fmt", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(b"(define   a   1)").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "(define a 1)\n");
}

#[cfg(unix)]
#[test]
fn layout_keeps_permissions_and_follows_links() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new(&[("real.lift", "(define   a 1)\n")]);
    let mode = |name: &str| std::fs::metadata(bench.path(name)).expect("a file").permissions().mode() & 0o777;
    std::fs::set_permissions(bench.path("real.lift"), std::fs::Permissions::from_mode(0o640)).expect("permissions");
    std::os::unix::fs::symlink(bench.path("real.lift"), bench.path("link.lift")).expect("a link");
    bench.fine(&["fmt", "link.lift"]);
    assert_eq!((bench.read("real.lift"), mode("real.lift")), ("(define a 1)\n".to_owned(), 0o640));
    assert!(std::fs::symlink_metadata(bench.path("link.lift")).expect("a link").is_symlink());
}

#[test]
fn codes_have_pages() {
    let bench = Bench::new(&[]);
    let codes = bench.fine(&["explain"]);
    for code in codes.lines() {
        let page = bench.fine(&["explain", code]);
        assert!(page.starts_with(&format!("# {code}\n")), "{code}: {page}");
    }
    assert!(codes.lines().any(|c| c == "unequal-lengths") && codes.lines().any(|c| c == "unreadable-file"));
    let unknown = bench.lift(&["explain", "nonsense"]);
    assert_eq!(
        (unknown.status, &*unknown.err),
        (Some(2), "error: there is no code `nonsense`; `lift explain` lists them\n")
    );
    let unlike = bench.lift(&["explain", "unequal"]);
    assert!(unlike.err.contains("there is no code `unequal`; there is `unequal-lengths`"), "{}", unlike.err);
}

#[test]
fn a_log_that_cannot_be_written_is_named() {
    let ran = Bench::new(&[]).lift(&["lsp", "--log", "nowhere/traffic.log"]);
    assert!(ran.status == Some(1) && ran.err.contains("cannot write nowhere/traffic.log: "), "{}", ran.err);
}

#[test]
fn wrong_use_is_status_2() {
    let bench = Bench::new(&[("evens.lift", EVENS)]);
    let uses: [&[&str]; 9] = [
        &[],
        &["bake"],
        &["check"],
        &["check", "--fast", "evens.lift"],
        &["run", "evens.lift", "--size", "N"],
        &["run", "evens.lift", "--size", "N=-1"],
        &["run", "evens.lift", "--device", "toaster"],
        &["build", "evens.lift", "--stage", "magic"],
        &["build", "evens.lift", "--target", "toaster"],
    ];
    for arguments in uses {
        let ran = bench.lift(arguments);
        assert_eq!(ran.status, Some(2), "{arguments:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains("Usage") || ran.err.contains("--help"), "{}", ran.err);
    }
    assert!(bench.fine(&["run", "--help"]).contains("--size"));
}

#[test]
fn the_version_says_what_a_report_needs() {
    let bench = Bench::new(&[]);
    let short = format!("lift {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(bench.fine(&["--version"]), short);
    assert_eq!(bench.fine(&["-V"]), short);
    let long = bench.fine(&["--version", "--verbose"]);
    let rest = long.strip_prefix(&short).unwrap_or_else(|| panic!("{long}"));
    let rows: Vec<(&str, &str)> = rest.lines().filter_map(|line| line.split_once(": ")).collect();
    assert_eq!(rows.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["commit", "target", "plan", "rules"]);
    let value = |name| rows.iter().find(|(row, _)| *row == name).map_or("", |(_, value)| value);
    assert_eq!(value("plan"), lift_codegen::plan::json::VERSION.to_string());
    assert!(value("target").contains(std::env::consts::ARCH), "{long}");
    assert!(value("rules").len() == 16 && value("rules").chars().all(|c| c.is_ascii_hexdigit()), "{long}");
    assert!(!value("commit").is_empty());
    assert_eq!(bench.lift(&["--verbose"]).status, Some(2));
}

#[test]
fn files_that_are_no_programs_are_named() {
    let bench = Bench::new(&[("folder/x", "")]);
    bench.write("latin.lift", b"(define a 1)\n; caf\xe9\n");
    let said = bench.wrong(&["check", "missing.lift", "folder", "latin.lift"]);
    expect![[r#"
        error[unreadable-file]: there is no such file
         --> missing.lift

        error[unreadable-file]: this is a directory, not a file
         --> folder

        error[unreadable-file]: the file is not UTF-8 text: the first bad byte is at offset 18, in line 2
         --> latin.lift

        3 errors in 3 files
    "#]]
    .assert_eq(&said);
    let json = bench.lift(&["check", "--format", "json", "missing.lift"]);
    expect![[r#"
        {"file":"missing.lift","code":"unreadable-file","severity":"error","message":"there is no such file","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"related":[],"fixes":[]}
    "#]].assert_eq(&json.out);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_read() {
    let bench = Bench::new(&[]);
    let said = bench.wrong(&["check", "/dev/zero"]);
    assert!(said.contains("this is not a regular file"), "{said}");
}

#[test]
fn files_that_are_too_large_are_not_read() {
    let bench = Bench::new(&[]);
    std::fs::File::create(bench.path("large.lift")).and_then(|f| f.set_len(1 << 30)).expect("a sparse file");
    let said = bench.wrong(&["check", "large.lift"]);
    assert!(said.contains("the file has 1073741824 bytes; at most 67108864 are read"), "{said}");
}

#[test]
fn texts_that_break_parsers_give_errors() {
    let bench = Bench::new(&[
        ("deep.lift", &"(".repeat(100_000)),
        ("long.lift", &format!("(define a (+ {}true))", "1 ".repeat(1_000_000))),
        ("nul.lift", "\0\0(define \0 1)\u{1b}[31m"),
    ]);
    for name in ["deep.lift", "long.lift", "nul.lift"] {
        let said = bench.wrong(&["check", name]);
        assert!(said.contains("error[") && said.len() < 100_000, "{name}: {} bytes", said.len());
        assert!(!said.contains('\u{1b}') && !said.contains('\0'), "{name}: control characters");
    }
}

#[test]
fn imports_that_are_missing_or_go_in_circles_are_errors() {
    let bench = Bench::new(&[
        ("a.lift", "(import \"b.lift\")\n(define a b)\n"),
        ("b.lift", "(import \"a.lift\")\n(define b 1)\n"),
        ("c.lift", "(import \"lib/none.lift\")\n"),
    ]);
    assert!(bench.wrong(&["check", "a.lift"]).contains("error[import-cycle]"));
    assert!(bench.wrong(&["check", "c.lift"]).contains("error[missing-import]"));
}

#[test]
fn an_import_that_is_no_file_is_one_error_at_the_import() {
    let bench = Bench::new(&[("lib/x", ""), ("here.lift", "(import \".\")\n"), ("folder.lift", "(import \"lib\")\n")]);
    for (file, import) in [("here.lift", "\".\""), ("folder.lift", "\"lib\"")] {
        let said = bench.wrong(&["check", file]);
        assert!(said.contains("cannot be imported: this is a directory, not a file"), "{said}");
        assert!(said.contains(&format!("{file}:1:9")) && said.contains(import), "{said}");
        assert!(said.ends_with("1 error\n"), "{said}");
    }
}

/// The commands that compile a kernel, with their arguments.
const COMPILING: [&[&str]; 6] = [
    &["run", "a.lift", "--kernel", "k", "--device", "interpreter", "[1,2]"],
    &["build", "a.lift", "--kernel", "k"],
    &["build", "a.lift", "--kernel", "k", "--emit", "python"],
    &["build", "a.lift", "--kernel", "k", "--stage", "opencl"],
    &["build", "a.lift", "--kernel", "k", "--cost"],
    &["build", "a.lift", "--kernel", "k", "--explain"],
];

/// The errors in a command's output: code and first line.
fn errors(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.starts_with("error[")).collect()
}

#[test]
fn what_a_kernel_uses_must_have_no_errors() {
    let kernel = |map: &str| format!("(lift k (N) ((array-type int N)) (lambda (xs) {map}))\n");
    let uses_f = kernel("(map f xs)");
    let of_f = |f: &str| format!("{f}\n{uses_f}");
    for (program, code) in [
        (kernel("(map (lambda (x) x) xs) xs"), "syntax/extra"),
        (of_f("(define (f x) x 1)"), "syntax/extra"),
        (format!("(define (f x) x)\n{}", uses_f.replace("xs)))", "xs))")), "syntax/"),
        (kernel("(map (lambda (x) x) xs"), "syntax/"),
        (kernel("(map (lambda (x) x) xs)) xs"), "syntax/"),
        (kernel("(map (lambda (x) x) xs)))\n  (filter (lambda (x) true) xs)"), "syntax/"),
        (of_f("(define (f x) x))"), "syntax/"),
        (of_f("(define (f x) x)\n(define (f x) (+ x 1))"), "duplicate-definition"),
        (format!("{}{}", kernel("xs"), kernel("(map (lambda (x) x) xs)")), "duplicate-definition"),
        (of_f("(define (f if) 1)"), "syntax/"),
        (format!("(import \"none.lift\")\n{}", kernel("xs")), "missing-import"),
        (of_f("(define (f x) (f x))"), "recursion"),
        (of_f("(import \"lib.lift\")"), "wrong-operand"),
    ] {
        let bench = Bench::new(&[("a.lift", &program), ("lib.lift", "(define (f x) (+ x (if x 1 2)))")]);
        let checked = bench.wrong(&["check", "a.lift"]);
        assert!(checked.contains(&format!("error[{code}")), "{program}\n{checked}");
        for command in COMPILING {
            let said = bench.wrong(command);
            assert_eq!(errors(&said), errors(&checked), "{command:?} of\n{program}");
        }
    }
}

#[test]
fn errors_elsewhere_are_warnings_of_a_run() {
    let kernel = "(lift k (N) ((array-type int N)) (lambda (xs) (map f xs)))\n(define (f x) (+ x 1))\n";
    for other in [
        "(define (g x) (+ x true))",
        "(define (g x) (g x))",
        "(define (g x) x)\n(define (g y) y)",
        "(define (g x) x x)",
        "(define (g (lambda x)",
        "(difine (g x) x)",
        "stray",
        "(import \"lib.lift\")",
        "(lift other () (int) (lambda (x) (unknown x)))",
    ] {
        let library = "(define (unused x) (+ x true))";
        let bench = Bench::new(&[("a.lift", &format!("{kernel}{other}\n")), ("lib.lift", library)]);
        assert_ne!(errors(&bench.wrong(&["check", "a.lift"])), [""; 0], "{other}");
        for command in COMPILING {
            let ran = bench.lift(command);
            assert_eq!(ran.status, Some(0), "{command:?} of {other}: {}", ran.err);
            assert!(ran.err.contains("warning[") && errors(&ran.err).is_empty(), "{command:?} of {other}: {}", ran.err);
            assert!(ran.err.contains("`k` does not use this"), "{command:?} of {other}: {}", ran.err);
        }
    }
}

#[test]
fn errors_of_imported_files_are_shown_with_their_own_text() {
    let bench = Bench::new(&[("main.lift", "(import \"lib/wrong.lift\")\n"), ("lib/wrong.lift", WRONG)]);
    let said = bench.wrong(&["check", "main.lift"]);
    assert!(said.contains("lib/wrong.lift:1:"), "{said}");
}

#[test]
fn colour_is_for_terminals_only() {
    let bench = Bench::new(&[("wrong.lift", WRONG)]);
    assert!(!bench.wrong(&["check", "wrong.lift"]).contains('\u{1b}'));
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let bench = Bench::new(&[("evens.lift", EVENS)]);
    let arguments = ["run", "evens.lift", "--device", "interpreter", "iota", "--size", "N=200000"];
    let mut child = bench.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut first = [0; 2];
    child.stdout.take().expect("a pipe").read_exact(&mut first).expect("a line");
    assert_eq!(&first, b"0\n");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()), (Some(0), String::new()));
}

#[test]
fn a_kernel_is_built_into_files_or_printed_by_stage() {
    let bench = Bench::new(&[("evens.lift", EVENS)]);
    assert_eq!(bench.fine(&["build", "evens.lift", "-o", "out/deep"]), "out/deep/evens.cl\nout/deep/evens.plan.json\n");
    assert!(bench.read("out/deep/evens.cl").contains("__kernel"));
    let plan: Value = serde_json::from_str(&bench.read("out/deep/evens.plan.json")).expect("JSON");
    assert_eq!((&plan["kernel"], &plan["opencl"]), (&Value::from("evens"), &Value::from("evens.cl")));
    assert_eq!(bench.fine(&["build", "evens.lift", "--stage", "opencl"]), bench.read("out/deep/evens.cl"));
    assert_eq!(bench.fine(&["build", "evens.lift", "--stage", "plan"]), bench.read("out/deep/evens.plan.json"));
    assert!(bench.fine(&["build", "evens.lift", "--stage", "opencl", "--target", "cpu"]).contains("__kernel"));
    assert_eq!(bench.fine(&["run", "evens.lift", "--target", "portable", "[1,2,3,4]"]), "2\n4\n");
    expect![[r#"
        kernel evens (N) (xs : Array[Int,N]) -> <∃X, Array[Int,X]>
          let t : <∃X, Array[Int,X]> = filter (λ(x : Int)
            let t'2 : Int = x mod 2
            let t'3 : Bool = t'2 = 0
            t'3) xs
          t
    "#]]
    .assert_eq(&bench.fine(&["build", "evens.lift", "--stage", "core"]));
    expect![[r#"
        ; filter p = filterGlb p  at 3:51
        kernel evens (N) (xs : Array[Int,N]) -> <∃X, Array[Int,X]>
          let kept : <∃X, Array[Int,X]> = filterGlb (λ(x : Int)
            let t : Int = x mod 2
            let t'2 : Bool = t = 0
            t'2) xs
          kept
    "#]]
    .assert_eq(&bench.fine(&["build", "evens.lift", "--stage", "scheduled"]));
    assert!(
        bench
            .wrong(&["build", "evens.lift", "--kernel", "odds"])
            .contains("there is no kernel `odds`; there is `evens`")
    );
    bench.write("none.lift", b"(define a 1)\n");
    bench.write("none.apl", b"");
    bench.write("none.fcl", b"val push = iota 3\n");
    for (program, kernel) in
        [("none.lift", "a form `(lift …)`"), ("none.apl", "an expression"), ("none.fcl", "a value `main`")]
    {
        let wrong = bench.wrong(&["build", program]);
        assert!(wrong.contains(&format!("the program has no kernel: {kernel}")), "{wrong}");
    }
}

#[test]
fn the_devices_are_listed() {
    let bench = Bench::new(&[]);
    let ran = bench.lift(&["devices"]);
    assert_eq!(ran.status, Some(0));
    assert!(ran.out.lines().any(|l| l.starts_with("interpreter")), "{}", ran.out);
    // Without a driver, a note gives the reason.
    let output = bench.command(&["devices"]).env("OCL_ICD_VENDORS", bench.path(".")).output().expect("it starts");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("note: no OpenCL"), "{output:?}");
    assert_eq!(output.status.code(), Some(0));
}

const PRODUCT: &str = "\
(lift product (N M) ((array-type (array-type int M) N) (array-type int M))
  (lambda (rows x) (map (doti x) rows)))
";

#[test]
fn what_was_done_to_a_kernel_is_explained() {
    let bench = Bench::new(&[("product.lift", PRODUCT)]);
    expect![[r#"
        product for gpu devices
        rules, in the order in which they were applied: 6
             2:25  reduce-group   reduce f z = the fold of what each work-item of a group has folded
             2:20  map-reduce-wrg map (reduce f z ∘ g) = mapWrg (reduce f z ∘ g)
             2:25  map-seq        map f = mapSeq f
             2:25  reduce-map     reduce f z ∘ map g = reduce (λ(acc,x). f acc (g x)) z
             2:20  row-teams      map (g ∘ reduce f z) A = mapWrg0 (g ∘ reduceLcl f z) A
             2:20  reduce-parts   reduce f z = reduce f z ∘ partRed m f z
        stored on the way: 2
             2:20  slots          1024 bytes, local
             2:20  mapped_parts   if(max(floor(M/8192)-floor(128/max(N,1)),0)+2<=floor(M/8192)+max(1-min(floor(128/max(N,1)),floor(M/8192)),0),4*N*max(min(floor(128/max(N,1)),floor(M/8192)),1),0) bytes, global
        checked before the run: none
        checked on the device: none
        checks proved needless: 1
             2:20  `head` of an empty array
    "#]]
    .assert_eq(&bench.fine(&["build", "product.lift", "--explain", "--target", "gpu"]));
    // Numbers that only the run knows have no place in the text.
    bench.write("at.lift", b"(lift at (N) ((array-type int N) int) (lambda (xs i) (aref xs i)))");
    let text = bench.fine(&["build", "at.lift", "--explain", "--target", "gpu"]);
    assert!(text.contains("index … is out of range: the length is …"), "{text}");
    let json = bench.fine(&["build", "product.lift", "--explain", "--target", "gpu", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let rules = json["rules"].as_array().expect("a list");
    let teams = rules.iter().find(|r| r["name"] == "row-teams").expect("the rule is there");
    assert_eq!(teams["place"]["range"]["start"]["line"], 1);
    assert_eq!(json["stored"][0]["bytes"], "1024");
}

#[test]
fn what_a_kernel_costs_is_told_as_sizes_and_as_numbers() {
    let program = "(lift above (N) ((array-type float N)) (lambda (xs) (mapGlb (lambda (x) (* x 2.0f)) xs)))\n";
    let bench = Bench::new(&[("above.lift", program)]);
    expect![[r#"
        above for portable devices, N = 1000: launches 1
        map at 1:53
          work-items             floor((N+127)/128) = 8 groups of 128
          global bytes read      4*N = 4000
          global bytes written   4*N = 4000
          integer operations     0
          float operations       N = 1000
          special operations     0
          barriers               0
          local memory           0 bytes a group
        result     4*N = 4000 bytes, global
    "#]]
    .assert_eq(&bench.fine(&["build", "above.lift", "--cost", "--size", "N=1000"]));
    let json = bench.fine(&["build", "above.lift", "--cost", "--size", "N=1000", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let written = &json["launches"][0]["globalBytesWritten"];
    assert_eq!(*written, serde_json::json!({ "size": "4*N", "exact": true, "value": 4000, "exactValue": true }));
    assert_eq!(json["total"]["floatOperations"]["size"], "N");
    let wrong = bench.wrong(&["build", "above.lift", "--cost", "--size", "M=1"]);
    assert!(wrong.contains("`above` has the size `N`, and no `M`"), "{wrong}");
    assert_eq!(bench.lift(&["build", "above.lift", "--size", "N=1"]).status, Some(2));
}
