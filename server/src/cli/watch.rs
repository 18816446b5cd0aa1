//! Ends this process when a kernel runs too long.
//!
//! Nothing else ends a kernel with an endless loop: OpenCL has no function that stops it.

use super::{Console, Format};
use std::io::{self, Write};
use std::process::exit;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// The end of this process, with a message, after a limit of time.
pub(super) struct Late {
    limit: Duration,
    format: Format,
    message: String,
}

impl Late {
    /// The message is rendered already; what the console has to print comes before it.
    pub(super) fn new(seconds: f64, format: Format, message: String, console: &mut Console) -> io::Result<Late> {
        console.flush()?;
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Ok(Late { limit, format, message })
    }

    /// Returns the result of `work`, which may take as long as the limit.
    pub(super) fn while_running<T>(self, work: impl FnOnce() -> T) -> T {
        let (ended, end) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            if end.recv_timeout(self.limit) == Err(RecvTimeoutError::Timeout) {
                // A closed stream must not keep the process alive.
                let _ = match self.format {
                    Format::Json => writeln!(io::stdout().lock(), "{}", self.message),
                    Format::Text => writeln!(io::stderr().lock(), "{}\n", self.message),
                };
                exit(1);
            }
        });
        let result = work();
        drop(ended);
        result
    }
}
