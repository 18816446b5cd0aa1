//! `lift devices`.

use super::{Console, Format, Status};
use lift_codegen::run::device;
use serde_json::json;
use std::io;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let devices = device::list();
    for device in devices.iter().flatten() {
        let info = &device.info;
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
    if let Err(why) = devices {
        console.note(&why.to_string());
    }
    Ok(Status::Fine)
}
