//! External peers. They have the interface of programs compiled by Futhark: inputs on standard input and results on
//! standard output, in [Futhark's binary format](https://futhark.readthedocs.io/en/stable/binary-data-format.html).
//!
//! ```text
//! PEER -e ENTRY -r RUNS -t TIMES -b
//! ```
//!
//! runs an entry RUNS times and writes the wall time of each run to the file TIMES, in microseconds. Our own peers
//! (CUDA, C, NumPy, PyTorch) write lines such as `device 12.5`, `wall 13.1`, `each 12.6` instead, and exit with 3 if
//! they lack the entry.

use crate::Problem;
use crate::data::Input;
use crate::measure::{Effort, Times, median};
use lift_codegen::run::device::HostData;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Hand-written OpenCL.
    Hand,
    /// CUB, Thrust and cuBLAS.
    Cuda,
    /// cuBLAS: a triangular matrix stored as a square.
    Strmv,
    /// cuBLAS: a packed triangular matrix.
    Stpmv,
    /// cuBLAS: a square matrix with zeros.
    Sgemv,
    /// Futhark: OpenCL on a GPU, multicore on a processor.
    Futhark,
    /// C with OpenMP.
    OpenMp,
    NumPy,
    PyTorch,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Hand => "by hand",
            Kind::Cuda => "CUDA",
            Kind::Strmv => "cuBLAS strmv",
            Kind::Stpmv => "cuBLAS stpmv",
            Kind::Sgemv => "cuBLAS sgemv, zeros",
            Kind::Futhark => "Futhark",
            Kind::OpenMp => "C, OpenMP",
            Kind::NumPy => "NumPy",
            Kind::PyTorch => "PyTorch",
        }
    }
    /// Returns the name of this peer's entry; programs with several variants have several.
    pub fn entry(self, of: String) -> String {
        match self {
            Kind::Strmv => of + "_strmv",
            Kind::Stpmv => of + "_stpmv",
            Kind::Sgemv => of + "_sgemv",
            _ => of,
        }
    }
    /// Returns the name of the executable; `None` for hand-written kernels.
    fn program(self) -> Option<&'static str> {
        match self {
            Kind::Hand => None,
            Kind::Cuda | Kind::Strmv | Kind::Stpmv | Kind::Sgemv => Some("cuda"),
            Kind::Futhark => Some("futhark"),
            Kind::OpenMp => Some("openmp"),
            Kind::NumPy => Some("numpy"),
            Kind::PyTorch => Some("pytorch"),
        }
    }
}

pub struct External {
    pub kind: Kind,
    program: PathBuf,
}

impl External {
    /// Returns the peers that exist in a folder.
    pub fn in_folder(folder: &Path) -> Vec<External> {
        let kinds = [
            Kind::Cuda,
            Kind::Strmv,
            Kind::Stpmv,
            Kind::Sgemv,
            Kind::Futhark,
            Kind::OpenMp,
            Kind::NumPy,
            Kind::PyTorch,
        ];
        let found = kinds.into_iter().filter_map(|kind| Some(External { kind, program: folder.join(kind.program()?) }));
        found.filter(|external| external.program.is_file()).collect()
    }

    pub fn measure(&self, entry: &str, inputs: &[Input], effort: Effort) -> Result<(Vec<HostData>, Times), Problem> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let times = folder.path().join("times");
        let mut command = Command::new(&self.program);
        if self.kind == Kind::Futhark
            && let Some(device) = std::env::var_os("FUTHARK_DEVICE")
        {
            command.arg("--device").arg(device);
        }
        let mut child = command
            .args(["-e", entry, "-r", &effort.runs.to_string(), "-b", "-t"])
            .arg(&times)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", self.program.display()))?;
        let output = std::thread::scope(|scope| {
            // A peer that stops reading gives the reason on standard error.
            if let Some(stdin) = child.stdin.take() {
                scope.spawn(move || write_all(BufWriter::with_capacity(1 << 20, stdin), inputs));
            }
            child.wait_with_output()
        })
        .map_err(|e| e.to_string())?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: {}", output.status, why.lines().take(5).collect::<Vec<_>>().join(" / ")));
        }
        let times = std::fs::read_to_string(&times).map_err(|e| e.to_string())?;
        Ok((parse_all(&output.stdout)?, parse_times(&times)?))
    }
}

fn write_all(mut out: impl Write, inputs: &[Input]) -> io::Result<()> {
    for input in inputs {
        let (name, bytes): (&[u8; 4], &mut dyn Iterator<Item = u8>) = match &input.data {
            HostData::Byte(v) => (b"  i8", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::UByte(v) => (b"  u8", &mut v.iter().copied()),
            HostData::Short(v) => (b" i16", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::Half(v) => (b" f16", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::UShort(v) => (b" u16", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::UInt(v) => (b" u32", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::ULong(v) => (b" u64", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::Int(v) => (b" i32", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::Long(v) => (b" i64", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::Float(v) => (b" f32", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::Double(v) => (b" f64", &mut v.iter().flat_map(|x| x.to_le_bytes())),
            HostData::Bool(v) => (b"bool", &mut v.iter().copied()),
        };
        out.write_all(&[b'b', 2, input.shape.len() as u8])?;
        out.write_all(name)?;
        for length in &input.shape {
            out.write_all(&(*length as u64).to_le_bytes())?;
        }
        let mut chunk = Vec::with_capacity(1 << 16);
        for byte in bytes {
            chunk.push(byte);
            if chunk.len() == chunk.capacity() {
                out.write_all(&chunk)?;
                chunk.clear();
            }
        }
        out.write_all(&chunk)?;
    }
    out.flush()
}

/// Parses the arrays and scalars of a result, flattened.
fn parse_all(mut bytes: &[u8]) -> Result<Vec<HostData>, Problem> {
    let mut all = Vec::new();
    loop {
        while let [b' ' | b'\n', rest @ ..] = bytes {
            bytes = rest;
        }
        if bytes.is_empty() {
            return Ok(all);
        }
        let (one, rest) = parse_one(bytes).ok_or("the result is not in Futhark's binary format")?;
        all.push(one);
        bytes = rest;
    }
}

fn parse_one(bytes: &[u8]) -> Option<(HostData, &[u8])> {
    let [b'b', 2, rank, rest @ ..] = bytes else { return None };
    let (name, mut rest) = rest.split_at_checked(4)?;
    let mut len = 1usize;
    for _ in 0..*rank {
        let (length, after) = rest.split_first_chunk::<8>()?;
        len = len.checked_mul(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        rest = after;
    }
    let width = match name {
        b" i32" | b" f32" => 4,
        b" i64" | b" f64" => 8,
        b"bool" => 1,
        _ => return None,
    };
    let (data, rest) = rest.split_at_checked(len.checked_mul(width)?)?;
    let four = |x: &[u8]| [x[0], x[1], x[2], x[3]];
    let eight = |x: &[u8]| [x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]];
    let data = match name {
        b" i32" => HostData::Int(data.chunks_exact(4).map(|x| i32::from_le_bytes(four(x))).collect()),
        b" f32" => HostData::Float(data.chunks_exact(4).map(|x| f32::from_le_bytes(four(x))).collect()),
        b" i64" => HostData::Long(data.chunks_exact(8).map(|x| i64::from_le_bytes(eight(x))).collect()),
        b" f64" => HostData::Double(data.chunks_exact(8).map(|x| f64::from_le_bytes(eight(x))).collect()),
        _ => HostData::Bool(data.to_vec()),
    };
    Some((data, rest))
}

fn parse_times(text: &str) -> Result<Times, Problem> {
    let (mut device, mut wall, mut each) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        let (kind, number) = line.split_once(' ').unwrap_or(("wall", line));
        let number = number.trim().parse().map_err(|_| format!("`{line}` is not a time"))?;
        match kind {
            "device" => device.push(number),
            "wall" => wall.push(number),
            "each" => each.push(number),
            _ => return Err(format!("`{line}` is not a time")),
        }
    }
    let some = |mut times: Vec<f64>| (!times.is_empty()).then(|| median(&mut times));
    Ok(Times { device: some(device), wall: some(wall), each: some(each) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let inputs = [Input::floats(&[3, 5], 1, 0.0, 1.0), Input::int(7), Input::ints(&[0], 2, 5)];
        let mut bytes = Vec::new();
        write_all(&mut bytes, &inputs).expect("memory takes everything");
        assert_eq!(&bytes[..7], b"b\x02\x02 f32");
        let data: Vec<HostData> = inputs.into_iter().map(|input| input.data).collect();
        assert_eq!(parse_all(&bytes), Ok(data));
        assert!(parse_all(&bytes[..bytes.len() - 9]).is_err(), "cut");
    }

    #[test]
    fn times_are_those_of_futhark_or_ours() {
        let times = parse_times("10\n30\n20\n").expect("numbers");
        assert_eq!(times, Times { device: None, wall: Some(20.0), each: None });
        let times = parse_times("device 1.5\nwall 4\nwall 2\neach 2.5\n").expect("named numbers");
        assert_eq!(times, Times { device: Some(1.5), wall: Some(3.0), each: Some(2.5) });
        assert!(parse_times("fast").is_err());
    }
}
