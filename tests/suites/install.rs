//! The files that the installers accept as an OpenCL driver.

use lift_tests::files;
use std::path::Path;
use std::process::Command;

fn has_driver(vendors: &Path, name: &str) -> bool {
    let script = files::root().join("editors/has-driver");
    Command::new(script).arg(name).env("OCL_ICD_VENDORS", vendors).status().expect("the script runs").success()
}

#[test]
fn a_driver_is_there_when_its_library_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = folder.path().join("libdriver.so");
    let named = |text: &str| std::fs::write(folder.path().join("pocl.icd"), text).expect("a file is written");
    assert!(!has_driver(folder.path(), ""), "no file");
    named(&format!("{}\n", library.display()));
    // So a package leaves it that was removed.
    assert!(!has_driver(folder.path(), "pocl"), "a file without its library");
    std::fs::write(&library, "").expect("a file is written");
    assert!(has_driver(folder.path(), "pocl"), "a file with its library");
    assert!(!has_driver(folder.path(), "nvidia"), "a file of another driver");
    named("libno-driver-has-this-name.so.1");
    assert!(!has_driver(folder.path(), ""), "a library that the loader does not find");
    named("");
    assert!(!has_driver(folder.path(), ""), "an empty file");
}
