//! `lift devices`: lists the OpenCL devices and the interpreter.

use super::{Console, Format, Status};
use crate::devices::{self, Devices};
use serde_json::json;
use std::io;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Internal: query the drivers in this process, on behalf of the parent process.
    #[arg(long, hide = true)]
    embedded: bool,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    if arguments.embedded {
        return devices::answer().map(|()| Status::Fine);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let asked = runtime.block_on(devices::ask());
    let Devices { found, problem } = match &asked {
        Ok(devices) => devices,
        Err(_) => &Devices::default(),
    };
    for info in found {
        let name = format!("opencl:{}", info.index);
        match arguments.format {
            Format::Json => console.json(&json!({ "device": name, "info": info }))?,
            Format::Text => {
                let memory = info.limits.global_memory as f64 / 1e9;
                console.line(&format!(
                    "{name:<12} {} ({}, {} compute units, {memory:.1} GB, {}, {})",
                    info.name, info.kind, info.limits.compute_units, info.platform, info.version
                ))?;
            }
        }
    }
    match arguments.format {
        Format::Json => console.json(&json!({ "device": "interpreter" }))?,
        Format::Text => {
            console.line("interpreter  the meaning of programs, element by element: slow, and always there")?
        }
    }
    if let Some(why) = problem {
        console.note(why);
    }
    if let Err(why) = &asked {
        console.error(why);
    }
    Ok(Status::wrong_if(asked.is_err()))
}
