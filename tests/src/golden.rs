//! Compares an outcome with the expected one. `UPDATE_EXPECT=1` rewrites the expectation; review the change.

use std::path::Path;

/// Prefix of the lines of an expected outcome, at the end of a program.
const MARK: &str = ";=";

/// Splits a file into the program and the expected outcome in its last lines.
pub fn split_trailing(text: &str) -> (&str, String) {
    let start = text.lines().rev().take_while(|line| line.starts_with(MARK)).map(str::len).sum::<usize>()
        + text.lines().rev().take_while(|line| line.starts_with(MARK)).count();
    let (program, expected) = text.split_at(text.len() - start);
    let unmark = |line: &str| {
        let line = &line[MARK.len()..];
        line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n"
    };
    (program, expected.lines().map(unmark).collect())
}

/// Compares with the last lines of the program.
pub fn check_trailing(path: &Path, text: &str, actual: &str) -> Result<(), String> {
    let (program, expected) = split_trailing(text);
    let mark = |line: &str| if line.is_empty() { format!("{MARK}\n") } else { format!("{MARK} {line}\n") };
    compare(path, &expected, actual, || program.to_owned() + &actual.lines().map(mark).collect::<String>())
}

/// Compares with a file that contains only the outcome.
pub fn check_file(path: &Path, actual: &str) -> Result<(), String> {
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    compare(path, &expected, actual, || actual.to_owned())
}

fn compare(path: &Path, expected: &str, actual: &str, updated: impl FnOnce() -> String) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        return std::fs::write(path, updated()).map_err(|e| format!("{}: {e}", path.display()));
    }
    let mut report = format!("{}: another outcome than expected (- expected, + actual)\n", path.display());
    let (before, after): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let tail =
        |a: &[&str], b: &[&str]| a[same..].iter().rev().zip(b[same..].iter().rev()).take_while(|(a, b)| a == b).count();
    let end = tail(&before, &after);
    for line in &before[same..before.len() - end] {
        report += &format!("- {line}\n");
    }
    for line in &after[same..after.len() - end] {
        report += &format!("+ {line}\n");
    }
    Err(report + "UPDATE_EXPECT=1 accepts it")
}
