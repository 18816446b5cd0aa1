//! Opens inputs: files, pipes and standard input.

use super::Reading;
use crate::files::{self, ReadError};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::Path;

/// Largest input that is read from a pipe, in bytes.
const MAX_PIPED: u64 = 1 << 32;

/// The word for standard input.
pub const STANDARD_INPUT: &str = "-";

trait Stream: Read + Seek {}
impl<T: Read + Seek> Stream for T {}

/// An opened input, at its beginning.
pub struct Opened {
    stream: Box<dyn Stream>,
    /// Number of bytes.
    pub size: u64,
}

impl Opened {
    /// Opens a file, a pipe, or standard input. An error is a message for the user.
    pub fn open(path: &Path, reading: &Reading<'_>) -> Result<Opened, String> {
        if path == Path::new(STANDARD_INPUT) {
            if !reading.streams {
                return Err("standard input is read only by `lift run` on a command line".to_owned());
            }
            return Opened::piped(io::stdin().lock());
        }
        let path = reading.folder.join(path);
        let meta = std::fs::metadata(&path).map_err(|e| ReadError::from(e).to_string())?;
        if meta.is_dir() {
            return Err(ReadError::Directory.to_string());
        }
        if !meta.is_file() && !reading.streams {
            return Err(ReadError::NotAFile.to_string());
        }
        let file = File::open(&path).map_err(|e| ReadError::from(e).to_string())?;
        match meta.is_file() {
            true => Ok(Opened { stream: Box::new(BufReader::new(file)), size: meta.len() }),
            false => Opened::piped(file),
        }
    }

    /// Reads a stream to its end: formats are read with knowledge of the size.
    fn piped(stream: impl Read) -> Result<Opened, String> {
        let bytes = files::read_bounded(stream, MAX_PIPED).map_err(|e| match e {
            ReadError::TooLarge { limit, .. } => format!("more than {limit} bytes come from the pipe"),
            e => e.to_string(),
        })?;
        Ok(Opened { size: bytes.len() as u64, stream: Box::new(Cursor::new(bytes)) })
    }

    /// The first bytes, at most eight.
    pub fn start(&mut self) -> Result<Vec<u8>, String> {
        let mut start = Vec::new();
        let read = (&mut self.stream).take(8).read_to_end(&mut start).and_then(|_| self.stream.rewind());
        read.map(|()| start).map_err(|e| e.to_string())
    }

    /// Reads everything, at most `limit` bytes.
    pub fn bytes(self, limit: u64) -> Result<Vec<u8>, ReadError> {
        if self.size > limit {
            return Err(ReadError::TooLarge { bytes: self.size, limit });
        }
        files::read_bounded(self.stream, limit)
    }
}

impl Read for Opened {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.stream.read(to)
    }
}

impl Seek for Opened {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.stream.seek(to)
    }
}
