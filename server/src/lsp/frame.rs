//! Message framing: a header with the length, an empty line, the body.

use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

/// Largest accepted body, in bytes.
const MAX_BODY: usize = 256 << 20;
/// Header lines are read in segments of this many bytes.
const MAX_LINE: u64 = 64 << 10;

/// Reads the body of the next message; `None` at the end of the stream. Skips everything that is not a header.
pub async fn read(stream: &mut BufReader<impl AsyncRead + Unpin>) -> Option<Vec<u8>> {
    loop {
        let mut length: Option<usize> = None;
        loop {
            let mut line = Vec::new();
            if (&mut *stream).take(MAX_LINE).read_until(b'\n', &mut line).await.ok()? == 0 {
                return None;
            }
            let line = String::from_utf8_lossy(&line).to_ascii_lowercase();
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            // If a body is longer than announced, its end is on the same line as the next header.
            if let Some((_, value)) = line.rsplit_once("content-length:") {
                length = value.trim().parse().ok();
            }
        }
        // Skip a header without a valid length.
        let Some(length) = length.filter(|&n| n <= MAX_BODY) else { continue };
        // The buffer grows with the data that actually arrives.
        let mut body = Vec::new();
        let read = (&mut *stream).take(length as u64).read_to_end(&mut body).await.ok()?;
        return (read == length).then_some(body);
    }
}

/// Encodes a message with its header.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    framed(serde_json::to_vec(message).unwrap_or_default())
}

/// Puts the header before a body.
pub fn framed(body: Vec<u8>) -> Vec<u8> {
    let mut out = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    out.extend(body);
    out
}

/// Returns the body of an encoded message.
pub fn body(frame: &[u8]) -> &[u8] {
    let end = frame.windows(4).position(|w| w == b"\r\n\r\n");
    end.map_or(frame, |i| &frame[i + 4..])
}

/// A log of the session, one message per line: `<- JSON` from the client and `-> JSON` from the server.
#[derive(Clone, Default)]
pub struct TrafficLog(Option<Arc<Mutex<File>>>);

impl TrafficLog {
    pub fn create(path: &Path) -> io::Result<TrafficLog> {
        Ok(TrafficLog(Some(Arc::new(Mutex::new(File::create(path)?)))))
    }
    pub fn received(&self, body: &[u8]) {
        self.line("<- ", body);
    }
    pub fn sent(&self, frame: &[u8]) {
        self.line("-> ", body(frame));
    }
    fn line(&self, direction: &str, body: &[u8]) {
        let Some(file) = &self.0 else { return };
        // In JSON, line breaks occur only between tokens.
        let text = String::from_utf8_lossy(body).replace(['\n', '\r'], " ");
        let mut file = file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // A full disk must not stop the session.
        let _ = file.write_all(format!("{direction}{text}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(mut bytes: &[u8]) -> Vec<String> {
        let rt = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        rt.block_on(async {
            let mut stream = BufReader::new(&mut bytes);
            let mut out = Vec::new();
            while let Some(body) = read(&mut stream).await {
                out.push(String::from_utf8(body).expect("UTF-8"));
            }
            out
        })
    }

    #[test]
    fn other_headers_and_any_case_are_read() {
        let bytes = b"content-type: x\r\nCONTENT-LENGTH: 2\r\n\r\nabContent-Length:1\n\nc";
        assert_eq!(bodies(bytes), ["ab", "c"]);
    }

    #[test]
    fn what_is_no_message_is_skipped() {
        let bytes = b"garbage\r\n\r\nContent-Length: x\r\n\r\nContent-Length: 99999999999\r\n\r\nContent-Length: 2\r\n\r\nabcdContent-Length: 1\r\n\r\ne";
        assert_eq!(bodies(bytes), ["ab", "e"]);
    }

    #[test]
    fn a_body_that_ends_early_is_the_end() {
        assert_eq!(bodies(b"Content-Length: 9\r\n\r\nabc"), [] as [&str; 0]);
    }
}
