//! Lists the OpenCL devices in a child process, so that a driver that aborts or hangs ends only that process and can be
//! named in the error.
//!
//! The child is this program, run as `devices --embedded`. It prints JSON objects, one per line: the driver that it
//! asks next (`{"asking": "Portable Computing Language"}`), each device (`{"found": …}`), or why there is no OpenCL
//! device (`{"problem": "…"}`). It exits when its standard input closes.

use lift_codegen::run::device::{self, Asking, DeviceInfo};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// Time limit for listing the devices.
const PATIENCE: Duration = Duration::from_secs(30);
/// Limit on each of the child's output streams, in bytes.
const MOST_SAID: u64 = 1 << 20;
/// Maximum bytes of a driver's output that an error quotes.
const MOST_TOLD: usize = 2000;

/// The OpenCL devices, or the problem that leaves none.
#[derive(Debug, Default, PartialEq)]
pub struct Devices {
    pub found: Vec<DeviceInfo>,
    pub problem: Option<String>,
}

/// A line of the child's output.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Asking(String),
    Found(Box<DeviceInfo>),
    Problem(String),
}

/// Runs the child: lists the devices on standard output.
pub fn answer() -> io::Result<()> {
    // Standard input ends when the parent no longer waits for the answer.
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin().lock().take(u64::MAX), &mut io::sink());
        std::process::exit(1);
    });
    let say = |line: &Line| {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, line)?;
        writeln!(out)?;
        out.flush()
    };
    let found = device::list_telling(&mut |asking| {
        let _ = say(&Line::Asking(match asking {
            Asking::Library => String::new(),
            Asking::Platform(name) => name.to_owned(),
        }));
    });
    match found {
        Ok(devices) => devices.into_iter().try_for_each(|device| say(&Line::Found(Box::new(device.info)))),
        Err(why) => say(&Line::Problem(why.to_string())),
    }
}

/// Lists the devices. An error names the driver that crashed or hung.
pub async fn ask() -> Result<Devices, String> {
    let end = match ask_with(None).await {
        Ok(devices) => return Ok(devices),
        Err(end) => end,
    };
    let who = match &end.asked {
        Some(name) => format!("the driver of `{name}`"),
        None => culprit().await,
    };
    Err(format!(
        "{who} {}. Without it everything else works: remove it, or name a folder without it in OCL_ICD_VENDORS{}",
        end.how,
        end.printed()
    ))
}

/// Names the driver that fails although the child died before it could name one: queries each `.icd` file alone.
async fn culprit() -> String {
    let folder = std::env::var_os("OCL_ICD_VENDORS").map_or_else(|| "/etc/OpenCL/vendors".into(), PathBuf::from);
    if ask_with(Some(&folder.join("no driver has this name"))).await.is_err() {
        return "the OpenCL library".to_owned();
    }
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|e| e == "icd")).collect();
    files.sort();
    for file in files {
        if ask_with(Some(&file)).await.is_err() {
            return format!("the driver that {} names", file.display());
        }
    }
    "an OpenCL driver".to_owned()
}

/// The failure of a child.
struct End {
    /// The platform that it was querying.
    asked: Option<String>,
    /// As in "ended the process that asked it by signal 6 (abort)".
    how: String,
    stderr: String,
}

impl End {
    /// Quotes the end of the child's standard error, on lines of its own.
    fn printed(&self) -> String {
        let text = self.stderr.trim();
        if text.is_empty() {
            return String::new();
        }
        let start = (text.len().saturating_sub(MOST_TOLD)..).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        format!(". It printed:\n{}", &text[start..])
    }
}

/// Queries all drivers, or only the one of an `.icd` file; a missing file means no driver.
async fn ask_with(driver: Option<&Path>) -> Result<Devices, End> {
    let start = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["devices", "--embedded"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command.envs(driver.map(|driver| ("OCL_ICD_VENDORS", driver)));
        command.spawn()
    };
    let lost = |how: String| End { asked: None, how, stderr: String::new() };
    let mut child = start().map_err(|e| lost(format!("cannot be asked: no process could be started: {e}")))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let talk = async {
        tokio::join!(read(stdout, &mut out), read(stderr, &mut err));
        child.wait().await
    };
    let status = tokio::time::timeout(PATIENCE, talk).await;
    let (mut devices, mut asked) = (Devices::default(), None);
    for line in String::from_utf8_lossy(&out).lines() {
        match serde_json::from_str(line) {
            Ok(Line::Asking(name)) => asked = Some(name).filter(|name| !name.is_empty()),
            Ok(Line::Found(info)) => devices.found.push(*info),
            Ok(Line::Problem(why)) => devices.problem = Some(why),
            // A driver's own output.
            Err(_) => {}
        }
    }
    let how = match status {
        Ok(Ok(status)) if status.success() => return Ok(devices),
        Ok(Ok(status)) => format!("ended the process that asked it {}", ended(status)),
        Ok(Err(e)) => format!("was asked by a process that was lost: {e}"),
        Err(_) => format!("did not answer within {} s", PATIENCE.as_secs()),
    };
    Err(End { asked, how, stderr: String::from_utf8_lossy(&err).into_owned() })
}

/// Reads a stream up to the limit and discards the rest, so that the writer does not block.
async fn read(stream: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) {
    if let Some(mut stream) = stream {
        let _ = (&mut stream).take(MOST_SAID).read_to_end(into).await;
        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    }
}

/// Returns a process's resident memory in bytes.
pub fn resident(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.saturating_mul(1024))
}

/// Formats an exit status, as in "by signal 6 (abort)".
pub fn ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("with status {code}"),
        None => format!("by {}", signal(status)),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    let name = match status.signal() {
        Some(4) => " (illegal instruction)",
        Some(6) => " (abort)",
        Some(7) => " (bus error)",
        Some(8) => " (arithmetic fault)",
        Some(9) => " (killed; perhaps memory ran out)",
        Some(11) => " (segmentation fault)",
        _ => "",
    };
    format!("signal {}{name}", status.signal().unwrap_or_default())
}
#[cfg(not(unix))]
fn signal(_: ExitStatus) -> String {
    "the system".to_owned()
}
