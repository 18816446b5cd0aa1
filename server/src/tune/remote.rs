//! The parent's side of [`worker`](super::worker): limits of time and memory, and a new child after a crash.

use super::worker::{Ask, Job, Ready, Told};
use crate::devices::{ended, resident};
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Limits of one answer.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    pub time: Duration,
    /// Megabytes of the process.
    pub memory: u64,
}

/// A child that may have to be started again.
pub struct Remote {
    job: Job,
    patience: Patience,
    child: Option<Talking>,
    /// Why no child can be started any more.
    lost: Option<String>,
}

/// A child, killed with its descendants when dropped.
struct Talking {
    process: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Remote {
    /// Starts the child and waits until it is ready. An error says why the kernel cannot be tuned.
    pub fn start(job: Job, patience: Patience) -> Result<(Remote, Ready), String> {
        let mut remote = Remote { job, patience, child: None, lost: None };
        let ready = remote.restart()?;
        Ok((remote, ready))
    }

    fn restart(&mut self) -> Result<Ready, String> {
        let mut talking = spawn().map_err(|e| format!("no process for the kernel: {e}"))?;
        let told = talking.talk(&self.job, self.patience)?;
        self.child = Some(talking);
        match told {
            Told::Ready(ready) => Ok(*ready),
            Told::Failed(why) => Err(why),
            _ => Err("the process of the kernel gave an unexpected answer".to_owned()),
        }
    }

    /// Sends a request and waits for the answer. If a race or the process itself fails, the next request starts a new
    /// process: the driver may not be usable any more.
    pub fn ask(&mut self, ask: &Ask) -> Result<Told, String> {
        if let Some(why) = &self.lost {
            return Err(why.clone());
        }
        if self.child.is_none()
            && let Err(why) = self.restart()
        {
            self.lost = Some(why.clone());
            return Err(why);
        }
        let Some(child) = &mut self.child else { return Err("there is no process".to_owned()) };
        match child.talk(ask, self.patience) {
            Ok(Told::Failed(why)) => {
                if matches!(ask, Ask::Race(..)) {
                    self.child = None;
                }
                Err(why)
            }
            Ok(told) => Ok(told),
            Err(why) => {
                self.child = None;
                Err(why)
            }
        }
    }

    /// Why the kernel cannot be run any more, not even with default parameters.
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }
}

fn spawn() -> io::Result<Talking> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["tune", "--worker"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    #[cfg(unix)]
    {
        // Ctrl+C ends the parent; the child then ends with its standard input.
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    let mut process = command.spawn()?;
    let (input, output) = (process.stdin.take(), process.stdout.take());
    let (Some(input), Some(output)) = (input, output) else { return Err(io::Error::other("it has no streams")) };
    let (send, answers) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    Ok(Talking { process, input, answers })
}

impl Talking {
    fn talk(&mut self, ask: &impl serde::Serialize, patience: Patience) -> Result<Told, String> {
        let asked = serde_json::to_string(ask).map_err(|e| e.to_string())?;
        // If the child has ended, its exit status gives the reason.
        let _ = writeln!(self.input, "{asked}").and_then(|()| self.input.flush());
        let end = Instant::now() + patience.time;
        loop {
            match self.answers.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => match serde_json::from_str(&line) {
                    Ok(told) => return Ok(told),
                    // Drivers print on standard output, too.
                    Err(_) => continue,
                },
                Err(RecvTimeoutError::Disconnected) => {
                    let how = self.process.wait().map_or_else(|e| e.to_string(), ended);
                    return Err(format!("its process was ended {how}"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if Instant::now() > end {
                return Err(format!("it took more than {:.0} s", patience.time.as_secs_f64()));
            }
            if resident(self.process.id()).is_some_and(|bytes| bytes > patience.memory.saturating_mul(1_000_000)) {
                return Err(format!("it took more than {} MB", patience.memory));
            }
        }
    }
}

impl Drop for Talking {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(pid) = i32::try_from(self.process.id()).ok().and_then(rustix::process::Pid::from_raw)
            && matches!(self.process.try_wait(), Ok(None))
        {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        // Also needed on systems without process groups.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
