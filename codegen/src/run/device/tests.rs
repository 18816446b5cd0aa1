//! The device layer, on the devices of this machine and without any.
#![allow(clippy::single_range_in_vec_init, reason = "a list of one range is meant")]

use super::*;
use expect_test::expect;
use lift_analysis::hir::Scalar;

fn choice(text: &str) -> String {
    match text.parse::<DeviceChoice>() {
        Ok(choice) => format!("{choice:?}"),
        Err(e) => e,
    }
}

#[test]
fn a_device_is_chosen_by_number_or_kind() {
    assert_eq!(choice("opencl"), "Best");
    assert_eq!(choice("opencl:3"), "Index(3)");
    assert_eq!(choice("opencl:GPU"), "Kind(Gpu)");
    assert_eq!(choice("opencl:cpu"), "Kind(Cpu)");
    for wrong in ["openclx", "opencl:", "opencl:-1", "cuda", "interpreter", "opencl:99999999999999999999"] {
        assert!(choice(wrong).starts_with(&format!("`{wrong}` names no")), "{}", choice(wrong));
        assert!(!choice(wrong).contains("expected `interpreter`"));
    }
}

#[test]
fn there_is_a_device_and_it_describes_itself() {
    let device = crate::testing::device();
    assert!(!device.info.name.is_empty());
    assert!(device.info.limits.work_group_size > 0 && device.info.limits.allocation > 0);
    let text = serde_json::to_string(&device.info).expect("serialisable");
    assert_eq!(serde_json::from_str::<DeviceInfo>(&text).expect("readable"), device.info);
}

#[test]
fn a_device_that_does_not_exist_is_named_with_those_that_do() {
    let _ = crate::testing::device();
    let error = choose(DeviceChoice::Index(77)).expect_err("no machine has that many");
    assert!(error.to_string().starts_with("there is no OpenCL device 77: "), "{error}");
}

/// The result of `list` in a process whose environment is changed so that there is no OpenCL. The process is this test
/// program, which prints instead of testing if a variable is set.
fn list_in_a_child(name: &str, change: impl FnOnce(&mut std::process::Command)) -> Option<String> {
    const ASKED: &str = "LIFT_TEST_LIST_DEVICES";
    if std::env::var_os(ASKED).is_some() {
        let said = match list() {
            Ok(devices) => format!("{} devices", devices.len()),
            Err(e) => e.to_string(),
        };
        println!("<<{said}>>");
        return None;
    }
    let program = std::env::current_exe().expect("the test program");
    let mut child = std::process::Command::new(program);
    child.args(["--exact", &format!("run::device::tests::{name}"), "--nocapture"]).env(ASKED, "1");
    change(&mut child);
    let output = child.output().expect("the child runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text.split_once("<<").and_then(|(_, rest)| rest.split_once(">>"));
    assert!(output.status.success(), "the child must survive without OpenCL: {output:?}");
    Some(said.unwrap_or_else(|| panic!("the child said: {text}")).0.to_string())
}

#[test]
fn without_a_driver_the_advice_is_to_install_one() {
    let empty = std::env::temp_dir().join(format!("lift-no-drivers-{}", std::process::id()));
    std::fs::create_dir_all(&empty).expect("a folder");
    let said = list_in_a_child("without_a_driver_the_advice_is_to_install_one", |child| {
        child.env("OCL_ICD_VENDORS", &empty);
    });
    let _ = std::fs::remove_dir(&empty);
    if let Some(said) = said {
        expect!["no OpenCL device: the OpenCL library is installed, but it knows no driver; install the one of your GPU's vendor (for a driver that runs on the processor, `apt install pocl-opencl-icd`)"]
            .assert_eq(&said);
    }
}

#[test]
fn a_library_that_cannot_be_loaded_is_an_error_and_not_a_crash() {
    // The system finds this file first, and it is not a library: simulates a machine without OpenCL.
    let folder = std::env::temp_dir().join(format!("lift-no-library-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("libOpenCL.so.1"), "no library").expect("a file");
    let said = list_in_a_child("a_library_that_cannot_be_loaded_is_an_error_and_not_a_crash", |child| {
        child.env("LD_LIBRARY_PATH", &folder).env_remove("OPENCL_DYLIB_PATH");
    });
    let _ = std::fs::remove_dir_all(&folder);
    if let Some(said) = said {
        assert!(said.starts_with("no OpenCL on this machine: the library could not be loaded ("), "{said}");
        assert!(said.contains("libOpenCL.so.1") && said.contains("apt install ocl-icd-libopencl1"), "{said}");
    }
}

#[test]
fn a_library_named_by_the_user_that_does_not_exist_is_an_error() {
    let said = list_in_a_child("a_library_named_by_the_user_that_does_not_exist_is_an_error", |child| {
        child.env("OPENCL_DYLIB_PATH", "/nowhere/libOpenCL.so");
    });
    if let Some(said) = said {
        expect!["no OpenCL: the environment variable OPENCL_DYLIB_PATH names `/nowhere/libOpenCL.so`, which does not exist; correct it or unset it"].assert_eq(&said);
    }
}

#[test]
fn an_empty_name_of_a_library_is_an_error() {
    let said = list_in_a_child("an_empty_name_of_a_library_is_an_error", |child| {
        child.env("OPENCL_DYLIB_PATH", "");
    });
    if let Some(said) = said {
        expect!["no OpenCL: the environment variable OPENCL_DYLIB_PATH names ``, which does not exist; correct it or unset it"].assert_eq(&said);
    }
}

fn session() -> Session {
    Session::open(&crate::testing::device(), false).expect("the device opens")
}

#[test]
fn arguments_are_checked_against_the_signature() {
    let session = session();
    let text = "kernel void f(global float* xs, global uchar* flags, int n, long m, local int* tmp) {}";
    let program = Program::build(&session, text).expect("builds");
    let kernel = program.kernel(&session, "f").expect("is there");
    let floats = session.allocate(Scalar::Float, 4, "xs").expect("room");
    let bools = session.allocate(Scalar::Bool, 4, "flags").expect("room");
    let check = |args: Vec<KernelArg<'_>>| match kernel.check(&args) {
        Ok(()) => "fits".to_string(),
        Err(e) => e.to_string(),
    };
    use KernelArg::{Buffer, Int, Local, Long};
    assert_eq!(check(vec![Buffer(&floats), Buffer(&bools), Int(1), Long(1), Local(4)]), "fits");
    expect!["kernel `f`: it takes 5 arguments, but 1 are passed"].assert_eq(&check(vec![Buffer(&floats)]));
    expect!["kernel `f`: argument 0 is `global float*`, but a buffer of Bool is passed"].assert_eq(&check(vec![
        Buffer(&bools),
        Buffer(&bools),
        Int(1),
        Long(1),
        Local(4),
    ]));
    expect!["kernel `f`: argument 3 is `long`, but an int is passed"].assert_eq(&check(vec![
        Buffer(&floats),
        Buffer(&bools),
        Int(1),
        Int(1),
        Local(4),
    ]));
    assert!(program.kernel(&session, "g").err().is_some_and(|e| e.code_name() == "CL_INVALID_KERNEL_NAME"));
}

#[test]
fn what_is_written_is_read_back_and_nothing_else() {
    let session = session();
    let buffer = session.allocate(Scalar::Int, 10, "xs").expect("room");
    session.write(&buffer, &HostData::Int((0..10).collect())).expect("fits");
    let read = |ranges: Vec<std::ops::Range<usize>>| session.read(&[ReadRequest { buffer: &buffer, ranges }]);
    assert_eq!(read(vec![0..2, 5..7, 7..7, 9..10]), Ok(vec![HostData::Int(vec![0, 1, 5, 6, 9])]));
    assert_eq!(read(vec![]), Ok(vec![HostData::Int(vec![])]));
    assert!(read(vec![8..11]).is_err());
    assert!(session.write(&buffer, &HostData::Float(vec![0.0])).is_err());
    assert!(session.write(&buffer, &HostData::Int(vec![0; 11])).is_err());
    session.fill(&buffer, 0).expect("fills");
    assert_eq!(read(vec![0..10]), Ok(vec![HostData::Int(vec![0; 10])]));
}

#[test]
fn a_launch_has_an_event_where_its_time_is_asked_for() {
    for profiling in [false, true] {
        let session = Session::open(&crate::testing::device(), profiling).expect("the device opens");
        let text = "kernel void f(global int* xs) { xs[get_global_id(0)] += 1; }";
        let program = Program::build(&session, text).expect("builds");
        let kernel = program.kernel(&session, "f").expect("is there");
        let xs = session.allocate(Scalar::Int, 6, "xs").expect("room");
        session.fill(&xs, 0).expect("fills");
        let launch = |local| session.launch(&kernel, &[KernelArg::Buffer(&xs)], [2, 1, 1], [local, 1, 1]);
        let first = launch(3).expect("runs");
        let second = launch(2).expect("runs");
        let read = session.read(&[ReadRequest { buffer: &xs, ranges: vec![0..6] }]);
        assert_eq!(read, Ok(vec![HostData::Int(vec![2, 2, 2, 2, 1, 1])]));
        assert_eq!([first.is_some(), second.is_some()], [profiling; 2]);
        assert!(first.is_none_or(|event| event.nanoseconds().is_ok()));
        let too_large = launch(1 << 30).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(too_large.starts_with("could not launch kernel `f`"), "{too_large}");
    }
}
