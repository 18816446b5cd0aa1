//! Parses the log of a device's compiler and maps its messages to the source.
//!
//! Drivers print clang's messages with different file names: `<kernel>:3:5: error: …` (NVIDIA),
//! `/tmp/….cl:3:5: error: …` (AMD, pocl), `1:3:5: error: …` (Intel), `error: /tmp/….cl:3:5: …` (pocl's summary). Only
//! the location is common to all.

use crate::opencl::OpenClText;
use lift_analysis::origin::Origin;

/// A message of the device's compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildMessage {
    /// Line in the OpenCL text, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    pub is_error: bool,
    pub text: String,
    /// The call for which the line was generated.
    pub origin: Option<Origin>,
}

/// The messages of a log, one for each location.
pub fn parse(log: &str, opencl: &OpenClText) -> Vec<BuildMessage> {
    let mut messages: Vec<BuildMessage> = Vec::new();
    for log_line in log.lines() {
        let Some((line, column, rest)) = position(log_line) else { continue };
        let rest = rest.trim_start();
        let (is_error, text) = match rest.split_once(": ") {
            Some(("error" | "fatal error", text)) => (true, text),
            Some(("warning", text)) => (false, text),
            Some(("note" | "remark", _)) => continue,
            _ => (log_line.starts_with("error"), rest),
        };
        // pocl repeats its errors in the summary.
        if messages.iter().any(|m| (m.line, m.column) == (line, column)) {
            continue;
        }
        let origin = origin_at(opencl, line, column).cloned();
        messages.push(BuildMessage { line, column, is_error, text: text.trim_end().to_string(), origin });
    }
    messages
}

/// The first `:LINE:COLUMN:` of a line of the log, and the text after it.
fn position(log_line: &str) -> Option<(u32, u32, &str)> {
    let mut rest = log_line;
    // A line may also start with the location: `3:5: error`.
    let mut at_start = true;
    loop {
        if let Some((line, after)) = number(rest)
            && let Some((column, after)) = after.strip_prefix(':').and_then(number)
            && let Some(after) = after.strip_prefix(':')
        {
            // Intel prefixes the number of the source: `1:3:5:`.
            if at_start
                && let Some((third, after)) = number(after)
                && let Some(after) = after.strip_prefix(':')
            {
                return Some((column, third, after));
            }
            return Some((line, column, after));
        }
        at_start = false;
        rest = rest.split_once(':')?.1;
    }
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// The innermost origin at a location (line and column from 1), otherwise the first one of its line.
fn origin_at(opencl: &OpenClText, line: u32, column: u32) -> Option<&Origin> {
    let start = match line {
        0 => return None,
        1 => 0,
        n => opencl.text.match_indices('\n').nth(n as usize - 2)?.0 + 1,
    };
    let end = opencl.text[start..].find('\n').map_or(opencl.text.len(), |n| start + n);
    let offset = (start as u64 + u64::from(column.max(1)) - 1).min(end as u64) as u32;
    // An inner range follows the outer ones that contain it, so the last match is the innermost.
    let innermost = opencl.map.iter().rfind(|(range, _)| range.contains(&offset));
    let first_of_line = || opencl.map.iter().find(|(r, _)| (r.start as usize) < end && r.end as usize > start);
    innermost.or_else(first_of_line).map(|(_, origin)| origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::origin;

    fn positions(log: &str) -> Vec<(u32, u32, bool, String, Option<u32>)> {
        let text = "kernel void f(global float* z)\n{\n  z[0] = undeclared + 1;\n}\n".to_string();
        // The whole body, and `undeclared` in it.
        let map = vec![(31..59, origin(1)), (42..52, origin(2))];
        let opencl = OpenClText { text, map, kernels: Vec::new() };
        parse(log, &opencl)
            .into_iter()
            .map(|m| (m.line, m.column, m.is_error, m.text, m.origin.map(|o| o.expr.0)))
            .collect()
    }

    #[test]
    fn each_driver_s_way_of_writing_a_position_is_understood() {
        let expected = vec![(3, 10, true, "use of undeclared identifier 'undeclared'".to_string(), Some(2))];
        for log in [
            "<kernel>:3:10: error: use of undeclared identifier 'undeclared'\n  z[0] = undeclared + 1;\n         ^\n",
            "/tmp/comgr-1/input/CompileSource:3:10: error: use of undeclared identifier 'undeclared'",
            "1:3:10: error: use of undeclared identifier 'undeclared'",
            "error: /root/.cache/pocl/tempfile_x.cl:3:10: use of undeclared identifier 'undeclared'",
            "input.cl:3:10: error: use of undeclared identifier 'undeclared'\n1 error generated.\n\
             error: input.cl:3:10: use of undeclared identifier 'undeclared'",
        ] {
            assert_eq!(positions(log), expected, "{log}");
        }
    }

    #[test]
    fn a_position_outside_of_every_range_takes_the_first_of_its_line() {
        assert_eq!(positions("<kernel>:3:1: warning: odd")[0].4, Some(1));
        assert_eq!(positions("<kernel>:1:1: error: odd")[0].4, None);
        assert_eq!(positions("<kernel>:99:1: error: odd")[0].4, None);
        assert_eq!(positions("<kernel>:0:0: error: odd")[0].4, None);
    }

    #[test]
    fn lines_without_a_position_are_no_messages() {
        assert_eq!(
            positions("ptxas fatal : Unresolved extern function 'f'\n::\n12:30 is a time\n99999999999:1: x"),
            []
        );
    }
}
