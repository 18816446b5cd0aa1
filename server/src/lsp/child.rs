//! Runs a kernel, or its tests, in a child process: this program with `run --embedded` or `test --embedded`.
//!
//! A kernel that writes out of bounds can kill its process, and a driver can hang. The child reads the texts from
//! standard input and ends when that closes, so it does not outlive the server. It is killed with its descendants when
//! the request is cancelled or a limit on time or memory is exceeded.

use super::outcome::{Failure, Outcome};
use super::tested::Tested;
use super::tuning::Tuning;
use crate::devices::{ended, resident};
use crate::program::Embedded;
use crate::program::Texts;
use crate::report::json::Message;
use lift_codegen::run::report::RunReport;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::UnboundedSender;

/// Limit on the child's standard output, in bytes; `lift run -o` is for larger results.
const MAX_OUTPUT: u64 = 64 << 20;
/// Number of elements or rows of the result that are shown.
const MAX_LINES: usize = 100_000;
/// Maximum bytes of the child's standard error that are quoted.
const MAX_STDERR: u64 = 16 << 10;

/// A kernel with its inputs and sizes.
#[derive(Debug)]
pub struct RunJob {
    /// The program, by normalized path.
    pub path: Arc<str>,
    pub kernel: String,
    /// The program and its imports.
    pub texts: Texts,
    pub inputs: Vec<String>,
    pub sizes: BTreeMap<String, u64>,
    pub device: Option<String>,
    /// Base of relative file names among the inputs.
    pub folder: Option<PathBuf>,
}

/// Limits of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLimits {
    pub time: Duration,
    /// Limit on the process, and on buffers on the device, in megabytes.
    pub memory: u64,
    /// Maximal number of measured runs.
    pub repeats: u32,
}

impl Default for RunLimits {
    fn default() -> RunLimits {
        RunLimits { time: Duration::from_secs(60), memory: 4096, repeats: 10 }
    }
}

/// Runs a job and returns its report. `tell` receives progress messages.
pub async fn run(job: RunJob, limits: RunLimits, tell: UnboundedSender<String>) -> Outcome<RunReport> {
    let command = run_command(&job, limits)?;
    let ended = finish(command, &job, limits, tell).await?;
    outcome(&job.kernel, ended.status, &ended.out, &ended.err)
}

/// Runs the tests of a job's kernel; its inputs and sizes do not count.
pub async fn test(job: RunJob, limits: RunLimits) -> Outcome<Tested> {
    let command = test_command(&job)?;
    // Tests report no progress.
    let (tell, _) = tokio::sync::mpsc::unbounded_channel();
    let ended = finish(command, &job, limits, tell).await?;
    match Tested::read(&job.kernel, &ended.out) {
        Some(tested) => Ok(tested),
        None => Err(failure(&job.kernel, ended.status, Vec::new(), &ended.err)),
    }
}

/// Tunes a job's kernel for `seconds`. `tell` receives progress messages.
pub async fn tune(job: RunJob, limits: RunLimits, seconds: f64, tell: UnboundedSender<String>) -> Outcome<Tuning> {
    let command = tune_command(&job, limits, seconds)?;
    // The attempts have their own limits; this one is for a process that does not end.
    let time = limits.time.saturating_add(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let ended = finish(command, &job, RunLimits { time, ..limits }, tell).await?;
    match Tuning::read(&ended.out) {
        Some(tuning) if ended.status.success() => Ok(tuning),
        _ => {
            let messages = ended.out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            Err(failure(&job.kernel, ended.status, messages, &ended.err))
        }
    }
}

/// Compares a kernel with a job's kernel; `old` is in the job's texts, too. `tell` receives no progress.
pub async fn compare(job: RunJob, old: (Arc<str>, String), limits: RunLimits) -> Outcome<serde_json::Value> {
    let command = compare_command(&job, &old, limits)?;
    let (tell, _) = tokio::sync::mpsc::unbounded_channel();
    let ended = finish(command, &job, limits, tell).await?;
    let mut messages = Vec::new();
    for line in ended.out.lines() {
        match serde_json::from_str::<serde_json::Value>(line) {
            Ok(found) if found.get("differs").is_some() => return Ok(found),
            Ok(other) => messages.extend(serde_json::from_value(other)),
            Err(_) => {}
        }
    }
    Err(failure(&job.kernel, ended.status, messages, &ended.err))
}

/// A child that has ended, with what it wrote.
struct Ended {
    status: ExitStatus,
    out: String,
    err: String,
}

/// Starts a child, sends it the texts, and waits for its end.
async fn finish(command: Command, job: &RunJob, limits: RunLimits, tell: UnboundedSender<String>) -> Outcome<Ended> {
    let kernel = &job.kernel;
    let mut child =
        spawn(command, job).map_err(|e| Failure::failed(format!("no process for the kernel: {e}"), None))?;
    // The child exits when its standard input closes.
    let mut stdin = child.process.stdin.take();
    let (stdout, stderr) = (child.process.stdout.take(), child.process.stderr.take());
    let pid = child.process.id();
    let texts = serde_json::to_vec(&Embedded { texts: job.texts.clone() }).unwrap_or_default();
    let talk = async {
        let send = async {
            if let Some(stdin) = &mut stdin {
                // A child that has already failed does not read its input; its exit status gives the reason.
                let _ = stdin.write_all(&texts).await;
                let _ = stdin.write_all(b"\n").await;
                let _ = stdin.flush().await;
            }
        };
        let ((), out, err) = tokio::join!(send, listen(stdout, tell), read(stderr, MAX_STDERR));
        (out, err, child.process.wait().await)
    };
    let stopped = |why: String| Err(Failure::failed(format!("{kernel} {why} and was stopped"), None));
    let (out, err, status) = tokio::select! {
        ended = talk => ended,
        () = tokio::time::sleep(limits.time) => {
            return stopped(format!("ran longer than {} s (the time limit of a run)", limits.time.as_secs_f64()));
        }
        () = outgrown(pid, limits.memory) => {
            return stopped(format!("took more than {} MB (the memory limit of a run)", limits.memory));
        }
    };
    child.ended = true;
    let status = status.map_err(|e| Failure::failed(format!("the kernel's process was lost: {e}"), None))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Ended { status, out: text(&out), err: text(&err) })
}

/// Interprets the child's output and exit status.
fn outcome(kernel: &str, status: ExitStatus, out: &str, err: &str) -> Outcome<RunReport> {
    let mut messages = Vec::new();
    for line in out.lines() {
        if let Ok(report) = serde_json::from_str::<RunReport>(line)
            && status.success()
        {
            return Ok(report);
        }
        messages.extend(serde_json::from_str::<Message>(line));
    }
    Err(failure(kernel, status, messages, err))
}

/// The failure of a child that gave no result.
fn failure(kernel: &str, status: ExitStatus, messages: Vec<Message>, err: &str) -> Failure {
    let data = json!({ "diagnostics": messages, "stderr": err });
    let error = messages.iter().find(|m| m.severity == "error").map(|m| m.message.clone());
    let why = match (status.code(), error) {
        (Some(1), Some(error)) => error,
        (Some(0), _) => format!("{kernel} ended without a result"),
        (Some(code), _) => format!("the process of {kernel} ended with status {code}{}", tail(err)),
        (None, _) => format!("the process of {kernel} was ended {}{}", ended(status), tail(err)),
    };
    Failure::failed(why, Some(data))
}

fn tail(err: &str) -> String {
    match err.trim() {
        "" => String::new(),
        err => format!(":\n{err}"),
    }
}

/// Reads the child's output up to the limit; forwards progress lines to `tell` and omits them from the result.
async fn listen(stream: Option<impl AsyncRead + Unpin>, tell: UnboundedSender<String>) -> Vec<u8> {
    #[derive(serde::Deserialize)]
    struct Step {
        progress: String,
    }
    let mut out = Vec::new();
    let Some(stream) = stream else { return out };
    let mut lines = BufReader::new(stream.take(MAX_OUTPUT));
    loop {
        let start = out.len();
        match lines.read_until(b'\n', &mut out).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if out[start..].starts_with(b"{\"progress\"")
            && let Ok(step) = serde_json::from_slice::<Step>(&out[start..])
        {
            out.truncate(start);
            let _ = tell.send(step.progress);
        }
    }
    let _ = tokio::io::copy(lines.get_mut().get_mut(), &mut tokio::io::sink()).await;
    out
}

/// Returns when a process uses more memory than the limit; never returns if its memory is unknown.
async fn outgrown(pid: Option<u32>, megabytes: u64) {
    // `RLIMIT_AS` limits address space, but drivers reserve many times the address space that they use.
    let Some(pid) = pid.filter(|_| cfg!(target_os = "linux")) else { return std::future::pending().await };
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        match resident(pid) {
            Some(bytes) if bytes > megabytes.saturating_mul(1_000_000) => return,
            Some(_) => {}
            None => return std::future::pending().await,
        }
    }
}

/// Reads a stream up to the limit and discards the rest, so that the writer does not block.
async fn read(stream: Option<impl AsyncRead + Unpin>, limit: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(mut stream) = stream {
        let _ = (&mut stream).take(limit).read_to_end(&mut out).await;
        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    }
    out
}

/// Milliseconds that a killed child has to end; then tokio waits for it.
#[cfg(unix)]
const REAPING: u32 = 100;

/// The child; dropping it kills its process group unless it has ended.
struct Group {
    process: Child,
    ended: bool,
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        #[cfg(unix)]
        if let Some(pid) = self.process.id().and_then(|id| rustix::process::Pid::from_raw(id as i32)) {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        // Also needed on systems without process groups.
        let _ = self.process.start_kill();
        // On Unix its entry stays until its status is read.
        #[cfg(unix)]
        for _ in 0..REAPING {
            if !matches!(self.process.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn run_command(job: &RunJob, limits: RunLimits) -> Outcome<Command> {
    let mut command = this_program()?;
    command.args(["run", "--embedded", "--format", "json", "--plot", "--profile", "--head", &MAX_LINES.to_string()]);
    command.arg(format!("--kernel={}", job.kernel));
    command.arg(format!("--repeat={}", limits.repeats)).arg(format!("--memory={}", limits.memory));
    command.args(job.device.iter().map(|device| format!("--device={device}")));
    command.args(job.sizes.iter().map(|(name, value)| format!("--size={name}={value}")));
    command.arg("--").arg(&*job.path).args(&job.inputs);
    Ok(command)
}

fn test_command(job: &RunJob) -> Outcome<Command> {
    let mut command = this_program()?;
    command.args(["test", "--embedded", "--format", "json"]).arg(format!("--kernel={}", job.kernel));
    command.args(job.device.iter().map(|device| format!("--device={device}")));
    command.arg("--").arg(&*job.path);
    Ok(command)
}

fn tune_command(job: &RunJob, limits: RunLimits, seconds: f64) -> Outcome<Command> {
    let mut command = this_program()?;
    command.args(["tune", "--embedded", "--format", "json"]).arg(format!("--kernel={}", job.kernel));
    command.arg(format!("--budget={seconds}")).arg(format!("--patience={}", limits.time.as_secs_f64()));
    command.arg(format!("--memory={}", limits.memory));
    command.args(job.device.iter().map(|device| format!("--device={device}")));
    command.args(job.sizes.iter().map(|(name, value)| format!("--size={name}={value}")));
    command.arg("--").arg(&*job.path).args(&job.inputs);
    Ok(command)
}

fn compare_command(job: &RunJob, old: &(Arc<str>, String), limits: RunLimits) -> Outcome<Command> {
    let mut command = this_program()?;
    command.args(["compare", "--embedded", "--untuned", "--format", "json"]);
    command.arg(format!("--kernel={}", old.1)).arg(format!("--new-kernel={}", job.kernel));
    command.arg(format!("--runs={}", limits.repeats.clamp(2, 10_000)));
    command.arg(format!("--patience={}", limits.time.as_secs_f64()));
    command.args(job.device.iter().map(|device| format!("--device={device}")));
    command.args(job.sizes.iter().map(|(name, value)| format!("--size={name}={value}")));
    command.arg("--").arg(&*old.0).arg(&*job.path).args(&job.inputs);
    Ok(command)
}

fn this_program() -> Outcome<Command> {
    let program = std::env::current_exe();
    program.map(Command::new).map_err(|e| Failure::failed(format!("no process for the kernel: {e}"), None))
}

fn spawn(mut command: Command, job: &RunJob) -> std::io::Result<Group> {
    if let Some(folder) = job.folder.as_ref().filter(|f| f.is_dir()) {
        command.current_dir(folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    Ok(Group { process: command.spawn()?, ended: false })
}
