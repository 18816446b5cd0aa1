//! Drivers that fail, crash and hang: the failure is reported, and later runs work.
//!
//! The OpenCL library in these tests is `drivers/faults.c`, which forwards calls to the system's library and makes one
//! of them fail.

use crate::commands::{PROGRAM, URI};
use crate::programs::{Bench, Ran};
use crate::session::{Options, Session, rich_client};
use expect_test::expect;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

const FIG22: &str = include_str!("../../../examples/papers/fig22.lift");
const RUN: [&str; 7] = ["run", "--device", "opencl", "--target", "portable", "--profile", "fig22.lift"];
/// The result of fig22 on its own `;;; run:` line.
const RESULT: &str = "1.2\n1.8\n1.5\n";
/// Functions whose failure does not matter to the user: names, kernel signatures, caching for the next run, releasing
/// objects.
const NEEDLESS: [&str; 12] = [
    "clGetPlatformInfo",
    "clGetDeviceInfo",
    "clGetProgramInfo",
    "clGetKernelWorkGroupInfo",
    "clGetKernelArgInfo",
    "clCreateProgramWithBinary",
    "clReleaseProgram",
    "clReleaseKernel",
    "clReleaseMemObject",
    "clReleaseEvent",
    "clReleaseCommandQueue",
    "clReleaseContext",
];

/// Time limit for every event; the test fails after it.
const PATIENCE: Duration = Duration::from_secs(120);

/// Compiles the library once for all tests.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/drivers/faults.c");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (unfinished, library) = (folder.join(format!("{}.so", std::process::id())), folder.join("libfaults.so"));
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-Wall", "-Wextra", "-O1"]).arg(source).arg("-o").arg(&unfinished);
        let output = cc.arg("-ldl").output().expect("`cc` is there: `tests/run` names the packages");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // Rename atomically, so that concurrent tests find the complete file or none.
        std::fs::rename(unfinished, &library).expect("a library");
        library
    })
}

/// A folder with fig22 and the files that control the library.
struct Faulty(Bench);

impl Faulty {
    fn new() -> Faulty {
        let bench = Bench::new(&[("fig22.lift", FIG22), ("fault", "")]);
        Faulty(bench)
    }

    /// Sets the fault of the following runs.
    fn fault(&self, fault: &str) {
        self.0.write("fault", fault.as_bytes());
    }

    /// Clears the cache.
    fn forget(&self) {
        let _ = std::fs::remove_dir_all(self.0.path("cache"));
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let path = |name| self.0.path(name).display().to_string();
        vec![
            ("OPENCL_DYLIB_PATH", library().display().to_string()),
            ("FAULT", path("fault")),
            ("FAULT_LOG", path("log")),
            ("LIFT_CACHE", path("cache")),
        ]
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command(arguments);
        command.envs(self.environment());
        command
    }

    /// Runs a command line with a fault and an empty cache.
    fn lift(&self, arguments: &[&str], fault: &str) -> Ran {
        self.fault(fault);
        self.forget();
        ran(self.command(arguments))
    }

    /// Returns the functions that a command line calls, in order.
    fn calls(&self, arguments: &[&str]) -> Vec<String> {
        self.fault("");
        let _ = std::fs::remove_file(self.0.path("log"));
        let ran = ran(self.command(arguments));
        assert_eq!(ran.status, Some(0), "{}", ran.err);
        self.logged()
    }

    fn logged(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.0.path("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

fn ran(mut command: Command) -> Ran {
    let output = command.output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    assert!(output.status.code().is_some(), "it died: {}: {}", output.status, text(output.stderr));
    Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Returns the number of the first call of a function, from 1.
fn first(calls: &[String], name: &str) -> usize {
    1 + calls.iter().position(|call| call == name).unwrap_or_else(|| panic!("no call of {name} in {calls:?}"))
}

/// Returns the text after "could not", without parts that differ between machines.
fn complaint(ran: &Ran, calls: &[String], number: usize) -> String {
    let call = format!("call {number}, {}", calls[number - 1]);
    assert_eq!((ran.status, &*ran.out), (Some(1), ""), "{call}: {}", ran.err);
    assert!(ran.err.contains("(CL_OUT_OF_RESOURCES, OpenCL error -5)"), "{call}: {}", ran.err);
    let (_, what) = ran.err.split_once("could not ").unwrap_or_else(|| panic!("{call}: {}", ran.err));
    let what = what.split(": ").next().unwrap_or_default();
    let named = ["open the device", "list the devices of"].into_iter().find(|words| what.starts_with(words));
    named.map_or(what.to_owned(), |words| format!("{words} …"))
}

/// Calls `each` with the number of every call, on several threads.
fn in_turn(calls: &[String], each: impl Fn(&Faulty, usize) + Sync) {
    let next = AtomicUsize::new(1);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let faulty = Faulty::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number > calls.len() {
                        break;
                    }
                    each(&faulty, number);
                }
            });
        }
    });
}

#[test]
fn each_call_of_a_run_may_fail() {
    let calls = Faulty::new().calls(&RUN);
    let said = Mutex::new(BTreeSet::new());
    in_turn(&calls, |faulty, number| {
        let call = &calls[number - 1];
        let ran = faulty.lift(&RUN, &format!("{number} -5"));
        // The last calls end the session, after the result is complete.
        let ending = number > calls.len() - 3;
        if ran.status == Some(0) {
            assert!(NEEDLESS.contains(&&**call) || ending, "{number}, {call}: as if nothing had happened");
            assert_eq!(ran.out, RESULT, "{number}, {call}");
        } else {
            let what = complaint(&ran, &calls, number);
            said.lock().expect("no thread fails").insert(format!("{call}: could not {what}\n"));
        }
        // The cached program must be valid or be rejected.
        if call.contains("Program") {
            faulty.fault("");
            let next = self::ran(faulty.command(&RUN));
            assert_eq!((next.status, &*next.out), (Some(0), RESULT), "after {number}, {call}: {}", next.err);
        }
    });
    let said: String = said.into_inner().expect("no thread fails").into_iter().collect();
    expect![[r#"
        clBuildProgram: could not build the program for the device
        clCreateBuffer: could not allocate 20 bytes for buffer `result`
        clCreateBuffer: could not allocate 20 bytes for buffer `xs`
        clCreateBuffer: could not allocate 4 bytes for buffer `kept_counts`
        clCreateBuffer: could not allocate 4 bytes for buffer `result_len`
        clCreateCommandQueue: could not create a command queue
        clCreateContext: could not open the device …
        clCreateKernel: could not find kernel `kept_count` in the program
        clCreateKernel: could not find kernel `kept` in the program
        clCreateProgramWithSource: could not hand the program to the device's compiler
        clEnqueueNDRangeKernel: could not launch kernel `kept_count`
        clEnqueueNDRangeKernel: could not launch kernel `kept`
        clEnqueueReadBuffer: could not copy results from the device
        clEnqueueWriteBuffer: could not copy data to the device
        clFinish: could not finish the commands on the device
        clFlush: could not start the commands on the device
        clGetDeviceIDs: could not list the devices of …
        clGetDeviceInfo: could not ask a device for its limits
        clGetEventProfilingInfo: could not ask for the time of a launch
        clGetKernelInfo: could not find kernel `kept_count` in the program
        clGetKernelInfo: could not find kernel `kept` in the program
        clGetPlatformIDs: could not list the OpenCL platforms
        clSetKernelArg: could not launch kernel `kept_count`
        clSetKernelArg: could not launch kernel `kept`
    "#]]
    .assert_eq(&said);
}

#[test]
fn a_device_may_be_lost_at_any_call() {
    let calls = Faulty::new().calls(&RUN);
    in_turn(&calls, |faulty, number| {
        // Test each function once, and every call that releases an object.
        let name = &calls[number - 1];
        if first(&calls, name) != number && !name.starts_with("clRelease") {
            return;
        }
        let ran = faulty.lift(&RUN, &format!("{number} -5 lost"));
        if ran.status == Some(0) {
            let after = &calls[number - 1..];
            let done = after.iter().all(|call| call.starts_with("clRelease") || call == "clFinish");
            assert!(done && ran.out == RESULT, "{number}, {name}: {}", ran.out);
        } else {
            complaint(&ran, &calls, number);
        }
    });
}

#[test]
fn a_program_of_the_cache_that_the_device_does_not_take_is_compiled_again() {
    let faulty = Faulty::new();
    let _ = faulty.calls(&RUN);
    let calls = faulty.calls(&RUN);
    let number = first(&calls, "clCreateProgramWithBinary");
    assert!(!calls.iter().any(|call| call == "clCreateProgramWithSource"), "it is cached: {calls:?}");
    let build = first(&calls, "clBuildProgram");
    for fault in [number, build] {
        faulty.fault(&format!("{fault} -42"));
        let ran = ran(faulty.command(&RUN));
        assert_eq!((ran.status, &*ran.out), (Some(0), RESULT), "{fault}: {}", ran.err);
        // The program is cached again.
        assert_eq!(faulty.calls(&RUN), calls);
    }
}

#[test]
fn each_call_of_a_list_of_devices_may_fail() {
    let calls = Faulty::new().calls(&["devices"]);
    in_turn(&calls, |faulty, number| {
        let call = &calls[number - 1];
        let ran = faulty.lift(&["devices"], &format!("{number} -5"));
        assert_eq!(ran.status, Some(0), "{number}, {call}: {}", ran.err);
        assert!(ran.out.contains("interpreter  "), "it is always there: {}", ran.out);
        if ran.out.contains("opencl:0") {
            assert!(NEEDLESS.contains(&&**call), "{number}, {call}: as if nothing had happened");
        } else {
            assert!(ran.err.starts_with("note: no OpenCL device: could not "), "{number}, {call}: {}", ran.err);
            assert!(ran.err.contains("(CL_OUT_OF_RESOURCES, OpenCL error -5)"), "{number}, {call}: {}", ran.err);
        }
    });
}

#[test]
fn a_device_without_memory_says_for_what() {
    let faulty = Faulty::new();
    let number = first(&faulty.calls(&RUN), "clCreateBuffer");
    let ran = faulty.lift(&RUN, &format!("{} -4", number + 2));
    assert_eq!((ran.status, &*ran.out), (Some(1), ""));
    expect![[r#"
        error[opencl]: could not allocate 20 bytes for buffer `result`: the device has not enough free memory (CL_MEM_OBJECT_ALLOCATION_FAILURE, OpenCL error -4)
         --> fig22.lift:4:2
          |
        4 | (lift
          |  ^^^^

    "#]].assert_eq(&ran.err);
}

#[test]
fn a_compiler_that_refuses_the_text_is_quoted() {
    let faulty = Faulty::new();
    let number = first(&faulty.calls(&RUN), "clCreateProgramWithSource");
    let ran = faulty.lift(&RUN, &format!("{number} refuse"));
    assert_eq!((ran.status, &*ran.out), (Some(1), ""));
    assert!(ran.err.contains("the device's compiler refused the generated OpenCL"), "{}", ran.err);
    assert!(ran.err.contains("note: the compiler's log:"), "{}", ran.err);
    assert!(ran.err.contains("this compiler takes nothing"), "{}", ran.err);
    // The rejected program is not cached.
    faulty.fault("");
    assert_eq!(self::ran(faulty.command(&RUN)).out, RESULT);
}

#[test]
fn a_read_may_arrive_after_its_wait_has_failed() {
    let faulty = Faulty::new();
    let run = [&RUN[..6], &["--size", "N=100000", "fig22.lift", "iota"]].concat();
    let calls = faulty.calls(&run);
    let read = calls.iter().rposition(|call| call == "clEnqueueReadBuffer").expect("a read");
    let wait = 1 + read + calls[read..].iter().position(|call| call == "clFinish").expect("a wait");
    faulty.fault(&format!("{wait} -5 late"));
    faulty.forget();
    let mut command = faulty.command(&run);
    // Freed blocks of this size are unmapped immediately, so a late write to one crashes.
    command.env("MALLOC_MMAP_THRESHOLD_", "65536");
    assert_eq!(complaint(&ran(command), &calls, wait), "finish the commands on the device");
}

#[test]
fn a_folder_that_cannot_be_written_keeps_nothing() {
    let faulty = Faulty::new();
    faulty.0.write("file", b"");
    // Even root cannot create files in `/proc`.
    let places = [faulty.0.path("file"), faulty.0.path("file/below"), "/proc/self".into(), "/proc/self/new".into()];
    for place in places {
        let mut command = faulty.command(&RUN);
        command.env("LIFT_CACHE", &place);
        let ran = ran(command);
        assert_eq!((ran.status, &*ran.out), (Some(0), RESULT), "{}: {}", place.display(), ran.err);
        assert!(!ran.err.contains("error") && !ran.err.contains("warning"), "{}: {}", place.display(), ran.err);
    }
}

#[test]
fn drivers_that_are_not_there_or_are_none_are_no_drivers() {
    let bench = Bench::new(&[("fig22.lift", FIG22), ("text.so", "no library")]);
    bench.write("vendors/missing.icd", bench.path("missing.so").display().to_string().as_bytes());
    bench.write("vendors/text.icd", bench.path("text.so").display().to_string().as_bytes());
    bench.write("vendors/empty.icd", b"");
    let without = |arguments: &[&str]| {
        let mut command = bench.command(arguments);
        command.env("OCL_ICD_VENDORS", bench.path("vendors"));
        ran(command)
    };
    let asked = without(&["run", "--device", "opencl", "fig22.lift"]);
    assert_eq!((asked.status, &*asked.out), (Some(1), ""));
    assert!(
        asked.err.contains("no OpenCL device: the OpenCL library is installed, but it knows no driver"),
        "{}",
        asked.err
    );
    let fallen_back = without(&["run", "fig22.lift"]);
    assert_eq!((fallen_back.status, &*fallen_back.out), (Some(0), RESULT));
    assert!(fallen_back.err.starts_with("note: running on the interpreter: no OpenCL device: "), "{}", fallen_back.err);
}

#[test]
fn a_named_library_that_is_none_is_an_error() {
    let bench = Bench::new(&[("fig22.lift", FIG22), ("text.so", "no library")]);
    let with = |library: &str| {
        let mut command = bench.command(&["run", "--device", "opencl", "fig22.lift"]);
        command.env("OPENCL_DYLIB_PATH", library);
        let ran = ran(command);
        assert_eq!((ran.status, &*ran.out), (Some(1), ""), "{library}");
        ran.err
    };
    let text = bench.path("text.so").display().to_string();
    let said = with(&text);
    assert!(said.contains(&format!("OPENCL_DYLIB_PATH names `{text}`, which could not be loaded (")), "{said}");
    let said = with(&format!("/nowhere/libOpenCL.so;{text}"));
    assert!(said.contains("which could not be loaded ("), "{said}");
    let said = with("libm.so.6");
    assert!(said.contains("what was loaded is not an OpenCL library"), "{said}");
}

/// Starts a session whose runs use the library.
fn session(faulty: &Faulty, seconds: f64) -> Session {
    let environment = faulty.environment();
    // A single run, because the number of measured runs depends on time.
    let options = json!({ "runTimeLimit": seconds, "runRepeats": 1 });
    let mut session =
        Session::with(Options { capabilities: rich_client(), options, environment, ..Options::default() });
    session.open(URI, PROGRAM);
    session
}

fn request() -> Value {
    json!({ "uri": URI, "kernel": "positive", "device": "opencl" })
}

/// Returns the functions that a run in a session calls; clears the cache.
fn calls_of_a_run(faulty: &Faulty, session: &mut Session) -> Vec<String> {
    works(faulty, session);
    faulty.forget();
    faulty.logged()
}

fn works(faulty: &Faulty, session: &mut Session) {
    faulty.fault("");
    let report = session.execute("lift.server.runKernel", request()).expect("a result");
    assert_eq!(report["output"], "1.0\n3.0\n");
    assert_eq!(session.text(URI), PROGRAM);
}

#[test]
fn a_driver_that_crashes_costs_the_server_one_run() {
    let faulty = Faulty::new();
    let mut session = session(&faulty, 60.0);
    let calls = calls_of_a_run(&faulty, &mut session);
    for name in ["clGetPlatformIDs", "clCreateContext", "clBuildProgram", "clEnqueueNDRangeKernel", "clReleaseContext"]
    {
        faulty.fault(&format!("{} crash", first(&calls, name)));
        faulty.forget();
        let error = session.execute("lift.server.runKernel", request());
        let error = error.expect_err("it crashed");
        let message = error["message"].as_str().unwrap_or_default();
        let said = "the process of positive was ended by signal 11 (segmentation fault)";
        assert!(message.starts_with(said), "{name}: {message}");
        works(&faulty, &mut session);
    }
    // The setup command also queries the drivers.
    faulty.fault("1 crash");
    let setup = session.call("workspace/executeCommand", json!({ "command": "lift.server.setup" })).expect("the setup");
    assert_eq!(setup["devices"], json!([{ "device": "interpreter" }]));
    let problem = setup["problem"].as_str().unwrap_or_default();
    let said = "the OpenCL library ended the process that asked it by signal 11 (segmentation fault)";
    assert!(problem.contains(said), "{problem}");
    works(&faulty, &mut session);
    session.shutdown();
}

#[test]
fn a_driver_that_does_not_survive_being_asked_is_named() {
    let faulty = Faulty::new();
    let calls = faulty.calls(&["devices"]);
    let asking = first(&calls, "clGetDeviceIDs");
    for arguments in [&["devices"][..], &["devices", "--format", "json"]] {
        let ran = faulty.lift(arguments, &format!("{asking} crash"));
        assert_eq!(ran.status, Some(1), "{}", ran.err);
        assert!(ran.out.contains("interpreter") && !ran.out.contains("opencl:"), "{}", ran.out);
        let (before, after) = ran.err.split_once("the driver of `").unwrap_or_else(|| panic!("{}", ran.err));
        let (platform, after) = after.split_once("` ").expect("a name");
        assert!(before == "error: " && !platform.is_empty(), "{}", ran.err);
        let how = "ended the process that asked it by signal 11 (segmentation fault). Without it everything else works";
        assert!(after.starts_with(how), "{}", ran.err);
    }
    let ran = faulty.lift(&["devices"], "1 crash");
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    assert!(
        ran.err.starts_with("error: the OpenCL library ended the process that asked it by signal 11"),
        "{}",
        ran.err
    );
}

/// A driver may abort while it is loaded, before its name is known.
#[test]
fn a_driver_that_aborts_when_it_is_loaded_is_named_by_its_file() {
    let bench = Bench::new(&[(
        "aborts.c",
        "#include <stdio.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { fputs(\"no /sys here\\n\", stderr); abort(); }\n",
    )]);
    let library = bench.path("libaborts.so");
    let cc = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(bench.path("aborts.c")).status();
    assert!(cc.expect("`cc` is there: `tests/run` names the packages").success());
    let missing = bench.path("missing.so").display().to_string();
    bench.write("vendors/a-missing.icd", missing.as_bytes());
    bench.write("vendors/b-aborts.icd", library.display().to_string().as_bytes());
    let mut command = bench.command(&["devices"]);
    command.env("OCL_ICD_VENDORS", bench.path("vendors"));
    let ran = ran(command);
    assert_eq!(ran.status, Some(1), "{}", ran.err);
    let file = bench.path("vendors/b-aborts.icd");
    let said =
        format!("error: the driver that {} names ended the process that asked it by signal 6 (abort).", file.display());
    assert!(ran.err.starts_with(&said), "{}", ran.err);
    assert!(ran.err.contains("It printed:\nno /sys here"), "{}", ran.err);
}

#[test]
fn a_driver_that_fails_costs_the_server_one_run() {
    let faulty = Faulty::new();
    let mut session = session(&faulty, 60.0);
    let calls = calls_of_a_run(&faulty, &mut session);
    faulty.fault(&format!("{} -4", first(&calls, "clCreateBuffer")));
    let error = session.execute("lift.server.runKernel", request()).expect_err("no memory");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.contains("the device has not enough free memory (CL_MEM_OBJECT_ALLOCATION_FAILURE"), "{message}");
    works(&faulty, &mut session);
    session.shutdown();
}

#[test]
fn a_driver_that_hangs_is_ended_by_the_time_limit() {
    let faulty = Faulty::new();
    let calls = {
        let mut session = session(&faulty, 60.0);
        calls_of_a_run(&faulty, &mut session)
    };
    let mut session = session(&faulty, 0.5);
    for name in ["clGetPlatformIDs", "clBuildProgram", "clFinish"] {
        faulty.fault(&format!("{} hang", first(&calls, name)));
        faulty.forget();
        let error = session.execute("lift.server.runKernel", request()).expect_err("it hangs");
        assert_eq!(
            error["message"], "positive ran longer than 0.5 s (the time limit of a run) and was stopped",
            "{name}"
        );
        assert_eq!(session.text(URI), PROGRAM);
    }
    session.notify("workspace/didChangeConfiguration", json!({ "settings": { "lift": { "runTimeLimit": 60 } } }));
    works(&faulty, &mut session);
    session.shutdown();
}

#[test]
fn a_run_that_is_killed_costs_the_server_one_run() {
    let faulty = Faulty::new();
    let mut session = session(&faulty, 600.0);
    let calls = calls_of_a_run(&faulty, &mut session);
    let number = first(&calls, "clFinish");
    faulty.fault(&format!("{number} hang"));
    let _ = std::fs::remove_file(faulty.0.path("log"));
    let params = json!({ "command": "lift.server.runKernel", "arguments": [request()], "workDoneToken": "mine" });
    let id = session.request("workspace/executeCommand", params);
    // The kernel has been launched.
    let start = Instant::now();
    while faulty.logged().len() < number {
        assert!(start.elapsed() < PATIENCE, "the run does not get to its kernel: {:?}", faulty.logged());
        std::thread::sleep(Duration::from_millis(10));
    }
    let [child] = &session.children()[..] else { panic!("one child: {:?}", session.children()) };
    let killed = Command::new("sh").args(["-c", "kill -KILL \"$0\"", child]).status().expect("sh");
    assert!(killed.success());
    let error = session.answer(id).expect_err("it died");
    assert_eq!(error["message"], "the process of positive was ended by signal 9 (killed; perhaps memory ran out)");
    works(&faulty, &mut session);
    session.shutdown();
}

/// A device that is lost during a search: the search goes on in a new process.
#[test]
fn a_search_outlives_its_device() {
    let faulty = Faulty::new();
    let tune = ["tune", "fig22.lift", "--budget", "600", "--parameter", "map.pieces", "--parameter", "chunks.unit"];
    let calls = faulty.calls(&tune);
    let mut launches =
        calls.iter().enumerate().filter(|(_, call)| *call == "clEnqueueNDRangeKernel").map(|(at, _)| at + 1);
    // The default is run some ten times before another program is; each new process loses its device at that call, too.
    let of_another = launches.nth(13).expect("another program is run");
    let ran = faulty.lift(&tune, &format!("{of_another} -5 lost"));
    assert!(ran.out.contains("as it is") && ran.out.contains("failed"), "{}", ran.out);
    assert_eq!((ran.status, &*ran.err), (Some(0), ""));
    // The default itself cannot be run.
    let ran = faulty.lift(&tune, &format!("{} -5 lost", first(&calls, "clEnqueueNDRangeKernel")));
    assert_eq!((ran.status, &*ran.out), (Some(1), ""), "{}", ran.err);
    assert!(ran.err.contains("cannot be tuned") && ran.err.contains("OpenCL error -5"), "{}", ran.err);
}
