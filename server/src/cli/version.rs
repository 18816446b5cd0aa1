//! `lift --version`; with `--verbose`, the data for a bug report.

use super::{Console, Status};
use lift_codegen::plan::json;
use lift_codegen::schedule::rules;
use std::io;

pub fn run(verbose: bool, console: &mut Console) -> io::Result<Status> {
    console.line(&format!("lift {}", env!("CARGO_PKG_VERSION")))?;
    if verbose {
        let rows = [
            ("commit", env!("LIFT_COMMIT").to_owned()),
            ("target", env!("LIFT_TARGET").to_owned()),
            ("plan", json::VERSION.to_string()),
            ("rules", format!("{:016x}", rules::fingerprint())),
        ];
        for (name, value) in rows {
            console.line(&format!("{name}: {value}"))?;
        }
    }
    Ok(Status::Fine)
}
