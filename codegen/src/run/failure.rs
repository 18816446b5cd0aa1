//! Why a run gave no result.

use super::build_log::BuildMessage;
use super::device::{NoDevice, OpenClError};
use crate::failure::{Kind, fill};
use lift_analysis::origin::Origin;
use lift_analysis::size::Assumption;
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub enum RunFailure {
    NoDevice(NoDevice),
    /// An argument or a size does not fit the kernel.
    Input {
        message: String,
    },
    /// The program assumes a condition on sizes that is false for these sizes.
    Assumption {
        assumption: Assumption,
        /// The sizes that it mentions, with their values.
        values: Vec<(String, i64)>,
        origin: Origin,
    },
    /// The run needs more memory or larger arrays than the device or the generated code can address.
    Memory {
        message: String,
    },
    /// A function needs larger work-groups than the device allows for it.
    Groups {
        /// Maximum work-items of a group.
        most: u32,
        message: String,
    },
    /// Another limitation of the device.
    Device {
        message: String,
    },
    /// A check in a kernel failed: an index out of range, a division by zero and the like.
    Check {
        kind: Kind,
        message: String,
        origin: Origin,
    },
    /// The device's compiler rejected the generated text: a bug of this compiler or of that one.
    Build {
        /// The log as the device's compiler wrote it; lines are those of the OpenCL text.
        log: String,
        messages: Vec<BuildMessage>,
    },
    /// A call of OpenCL failed.
    OpenCl(OpenClError),
    /// The plan contradicts itself or the text: a bug of this compiler.
    Plan {
        message: String,
    },
}

impl RunFailure {
    pub(crate) fn plan(message: impl Into<String>) -> RunFailure {
        RunFailure::Plan { message: message.into() }
    }

    /// The origin of the failure, if it has one.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            RunFailure::Assumption { origin, .. } | RunFailure::Check { origin, .. } => Some(origin),
            RunFailure::Build { messages, .. } => messages.iter().find_map(|m| m.origin.as_ref()),
            _ => None,
        }
    }

    /// The name in machine-readable output.
    pub fn kind(&self) -> &'static str {
        match self {
            RunFailure::NoDevice(_) => "no-device",
            RunFailure::Input { .. } => "input",
            RunFailure::Assumption { .. } => "assumption",
            RunFailure::Memory { .. } => "memory",
            RunFailure::Device { .. } | RunFailure::Groups { .. } => "device",
            RunFailure::Check { .. } => "check",
            RunFailure::Build { .. } => "build",
            RunFailure::OpenCl(_) => "opencl",
            RunFailure::Plan { .. } => "plan",
        }
    }
}

impl fmt::Display for RunFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunFailure::NoDevice(e) => write!(f, "{e}"),
            RunFailure::Input { message }
            | RunFailure::Memory { message }
            | RunFailure::Device { message }
            | RunFailure::Groups { message, .. }
            | RunFailure::Check { message, .. } => f.write_str(message),
            RunFailure::Assumption { assumption, values, origin } => {
                // A front end may have its own wording.
                if let Some(wording) = origin.wording.as_ref().filter(|wording| wording.kind == Kind::Assumption) {
                    return f.write_str(&fill(&wording.template, 0, 0));
                }
                write!(f, "the program relies on `{assumption}`, which is false")?;
                for (i, (name, value)) in values.iter().enumerate() {
                    write!(f, "{} {name} = {value}", if i == 0 { " for" } else { "," })?;
                }
                Ok(())
            }
            RunFailure::Build { log, .. } => write!(
                f,
                "the device's compiler refused the generated OpenCL (a defect of lift, not of your program):\n{log}"
            ),
            RunFailure::OpenCl(e) => write!(f, "{e}"),
            RunFailure::Plan { message } => {
                write!(f, "the generated program is inconsistent (a defect of lift, not of your program): {message}")
            }
        }
    }
}

impl std::error::Error for RunFailure {}

impl From<OpenClError> for RunFailure {
    fn from(e: OpenClError) -> RunFailure {
        RunFailure::OpenCl(e)
    }
}

impl From<NoDevice> for RunFailure {
    fn from(e: NoDevice) -> RunFailure {
        RunFailure::NoDevice(e)
    }
}

/// Bytes for people, in decimal units: "40 GB", "1.5 MB", "12 bytes".
pub(crate) fn bytes_text(bytes: u128) -> String {
    const UNITS: [(u128, &str); 5] = [
        (1_000_000_000_000_000, "PB"),
        (1_000_000_000_000, "TB"),
        (1_000_000_000, "GB"),
        (1_000_000, "MB"),
        (1_000, "kB"),
    ];
    for (size, unit) in UNITS {
        if bytes >= size {
            let tenths = bytes / (size / 10);
            return match tenths % 10 {
                0 => format!("{} {unit}", tenths / 10),
                rest => format!("{}.{rest} {unit}", tenths / 10),
            };
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::bytes_text;

    #[test]
    fn bytes_read_well() {
        let texts = [0, 999, 1000, 1_500_000, 40_000_000_000, 10_999_999_999].map(bytes_text);
        assert_eq!(texts, ["0 bytes", "999 bytes", "1 kB", "1.5 MB", "40 GB", "10.9 GB"]);
    }
}
