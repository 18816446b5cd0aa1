//! Passes the commit and the target to `lift --version --verbose`.
//!
//! `LIFT_COMMIT` is set by the scripts of a release; a package of `cargo package` records its commit. Development builds
//! name none: asking git would compile this crate again after each commit.

use std::{env, fs};

/// The file in which `cargo package` records the commit.
const RECORD: &str = ".cargo_vcs_info.json";

fn main() {
    println!("cargo::rerun-if-env-changed=LIFT_COMMIT");
    let commit = env::var("LIFT_COMMIT").ok().or_else(recorded).unwrap_or_else(|| "not recorded".to_owned());
    println!("cargo::rustc-env=LIFT_COMMIT={commit}");
    println!("cargo::rustc-env=LIFT_TARGET={}", env::var("TARGET").unwrap_or_default());
}

fn recorded() -> Option<String> {
    let text = fs::read_to_string(RECORD).ok()?;
    Some(text.split_once("\"sha1\": \"")?.1.split_once('"')?.0.to_owned())
}
