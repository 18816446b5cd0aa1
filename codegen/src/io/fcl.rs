//! Prints results as FCL does: `[0,1,2]`, one part per line.

use crate::value::Value;
use std::io;

/// Writes the result of a program, a value with `parts` parts.
pub fn write(out: &mut dyn io::Write, parts: usize, value: &Value) -> io::Result<()> {
    match value {
        _ if parts == 0 => Ok(()),
        Value::Tuple(values) if parts > 1 => values.iter().try_for_each(|value| writeln!(out, "{}", text(value))),
        value => writeln!(out, "{}", text(value)),
    }
}

fn text(value: &Value) -> String {
    let list = |values: Vec<String>| values.join(",");
    match value {
        Value::Float(x) => double(f64::from(*x)),
        Value::Double(x) => double(*x),
        Value::Bool(b) => b.to_string(),
        Value::Tuple(parts) => format!("({})", list(parts.iter().map(text).collect())),
        Value::Vec(parts) => format!("[{}]", list(parts.iter().map(text).collect())),
        Value::Array(array) => {
            let elements = (0..array.len()).filter_map(|i| array.get(i)).map(|element| text(&element));
            format!("[{}]", list(elements.collect()))
        }
        integer => integer.to_string(),
    }
}

/// Formats a double, always with a point or an exponent.
fn double(x: f64) -> String {
    format!("{x:?}")
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::value::Value;

    #[test]
    fn parts_are_lines() {
        let pair = Value::Tuple(vec![Value::Int(-1), Value::Double(2.0)]);
        let value = Value::Tuple(vec![Value::from(vec![1, 2, 3]), pair, Value::Bool(true)]);
        let shown = |parts, value: &Value| {
            let mut out = Vec::new();
            write(&mut out, parts, value).expect("memory");
            String::from_utf8(out).expect("text")
        };
        assert_eq!(shown(3, &value), "[1,2,3]\n(-1,2.0)\ntrue\n");
        assert_eq!(shown(1, &Value::Tuple(vec![Value::Int(1), Value::Int(2)])), "(1,2)\n");
        assert_eq!(shown(0, &Value::Int(0)), "");
    }
}
