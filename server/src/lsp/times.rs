//! Times and amounts of memory, for people.

use std::time::{Duration, SystemTime};

/// Formats a time with three significant digits and its unit.
pub fn time(microseconds: f64) -> String {
    let (value, unit) = match microseconds {
        t if t < 1e3 => (t, "µs"),
        t if t < 1e6 => (t / 1e3, "ms"),
        t => (t / 1e6, "s"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

/// Formats an amount with two or three digits and its unit, as in `64 MB`.
pub fn bytes(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64, "B");
    for larger in units {
        if value < 1000.0 {
            break;
        }
        (value, unit) = (value / 1000.0, larger);
    }
    let digits = usize::from(value < 10.0 && unit != "B");
    format!("{value:.digits$} {unit}")
}

/// How long ago something was, as in `12 s ago`.
pub fn ago(written: SystemTime) -> String {
    let seconds = written.elapsed().unwrap_or(Duration::ZERO).as_secs();
    match seconds {
        s if s < 120 => format!("{s} s ago"),
        s if s < 2 * 3600 => format!("{} min ago", s / 60),
        s if s < 48 * 3600 => format!("{} h ago", s / 3600),
        s => format!("{} days ago", s / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let shown: Vec<String> = [0.0, 1.234, 12.34, 123.4, 1234.0, 45_600.0, 7.89e6].map(time).into();
        assert_eq!(shown, ["0.00 µs", "1.23 µs", "12.3 µs", "123 µs", "1.23 ms", "45.6 ms", "7.89 s"]);
    }

    #[test]
    fn amounts_have_units() {
        let shown = [0, 12, 1234, 67_108_864, 7_890_000_000].map(bytes);
        assert_eq!(shown, ["0 B", "12 B", "1.2 kB", "67 MB", "7.9 GB"]);
    }

    #[test]
    fn times_that_have_passed_are_rounded() {
        let passed = |seconds| ago(SystemTime::now() - Duration::from_secs(seconds));
        assert_eq!([12, 150, 7300, 200_000].map(passed), ["12 s ago", "2 min ago", "2 h ago", "2 days ago"]);
    }
}
