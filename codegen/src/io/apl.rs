//! Prints results as APL does.
//!
//! A number has at most 12 digits, a high minus, and an exponent if it is very large or very small; a truth value is 0
//! or 1. A vector is a line, a matrix has aligned columns, and planes are separated by an empty line. An empty array is
//! an empty line.

use crate::value::{ArrayValue, Value};
use std::io;

const DIGITS: i32 = 12;

/// Writes the result of a program: texts known before the run and, at each `None`, the next part of the value.
pub fn write(out: &mut dyn io::Write, outputs: &[Option<&str>], value: &Value) -> io::Result<()> {
    let count = outputs.iter().filter(|output| output.is_none()).count();
    let mut parts = match value {
        Value::Tuple(parts) if count != 1 => parts.iter(),
        value => std::slice::from_ref(value).iter(),
    };
    for output in outputs {
        match output {
            Some(text) => writeln!(out, "{text}")?,
            None => {
                if let Some(part) = parts.next() {
                    print(out, part)?;
                }
            }
        }
    }
    Ok(())
}

fn print(out: &mut dyn io::Write, value: &Value) -> io::Result<()> {
    let Value::Array(array) = value else { return writeln!(out, "{}", scalar(value)) };
    let mut lines: Vec<Vec<String>> = Vec::new();
    // The number of empty lines before each line.
    let mut gaps: Vec<usize> = Vec::new();
    gather(array, 0, &mut lines, &mut gaps);
    if lines.is_empty() {
        return writeln!(out);
    }
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max())
        .map(|width| width.unwrap_or(0))
        .collect();
    for (line, gap) in lines.iter().zip(gaps) {
        for _ in 0..gap {
            writeln!(out)?;
        }
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join(" "))?;
    }
    Ok(())
}

/// Collects the lines of an array; `gap` empty lines precede the first one.
fn gather(array: &ArrayValue, gap: usize, lines: &mut Vec<Vec<String>>, gaps: &mut Vec<usize>) {
    let deep = depth(array);
    if deep == 1 {
        if !array.is_empty() {
            lines.push((0..array.len()).filter_map(|i| array.get(i)).map(|element| scalar(&element)).collect());
            gaps.push(if lines.len() > 1 { gap } else { 0 });
        }
        return;
    }
    let ArrayValue::Values(parts) = array else { return };
    for (index, part) in parts.iter().enumerate() {
        if let Value::Array(inner) = part {
            let own = if index == 0 { gap } else { deep - 2 };
            gather(inner, own, lines, gaps);
        }
    }
}

fn depth(array: &ArrayValue) -> usize {
    let ArrayValue::Values(parts) = array else { return 1 };
    1 + parts.iter().map(|part| if let Value::Array(inner) = part { depth(inner) } else { 0 }).max().unwrap_or(0)
}

fn scalar(value: &Value) -> String {
    match value {
        Value::Float(x) => number(f64::from(*x)),
        Value::Double(x) => number(*x),
        Value::Bool(b) => u8::from(*b).to_string(),
        Value::Tuple(parts) | Value::Vec(parts) => parts.iter().map(scalar).collect::<Vec<_>>().join(" "),
        Value::Array(_) => String::new(),
        integer => integer.to_string().replace('-', "¯"),
    }
}

/// Formats a number with at most 12 digits and without trailing zeros.
fn number(x: f64) -> String {
    if x.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if x < 0.0 { "¯" } else { "" };
    if x.is_infinite() {
        return format!("{sign}∞");
    }
    if x == 0.0 {
        return "0".to_owned();
    }
    // `d.ddddddddddde±n`
    let rounded = format!("{:.*e}", DIGITS as usize - 1, x.abs());
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    let text = if !(-6..DIGITS).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        format!("{first}{point}{rest}E{}", exponent.to_string().replace('-', "¯"))
    } else if exponent < 0 {
        format!("0.{}{digits}", "0".repeat((-1 - exponent) as usize))
    } else {
        let whole = exponent as usize + 1;
        let padded = format!("{digits:0<whole$}");
        let (whole, rest) = padded.split_at(whole);
        if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }
    };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use super::{number, write};
    use crate::value::Value;

    #[test]
    fn numbers_have_twelve_digits_and_high_signs() {
        for (x, text) in [
            (0.0, "0"),
            (-3.0, "¯3"),
            (0.1 + 0.2, "0.3"),
            (std::f64::consts::PI, "3.14159265359"),
            (-0.00125, "¯0.00125"),
            (1e12, "1E12"),
            (123456789012.0, "123456789012"),
            (1.5e-7, "1.5E¯7"),
            (20140420.0, "20140420"),
        ] {
            assert_eq!(number(x), text);
        }
    }

    #[test]
    fn arrays_are_aligned_and_planes_apart() {
        let matrix = Value::from(vec![vec![1, -20], vec![300, 4]]);
        let planes = Value::rows([matrix.clone(), matrix.clone()]);
        let value = Value::Tuple(vec![Value::Bool(true), matrix, planes, Value::from(Vec::<i32>::new())]);
        let mut out = Vec::new();
        write(&mut out, &[None, Some("text"), None, None, None], &value).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text, "1\ntext\n  1 ¯20\n300   4\n  1 ¯20\n300   4\n\n  1 ¯20\n300   4\n\n");
    }
}
