//! Prints results as lines.
//!
//! * A scalar is a line; an array of scalars has one line per element.
//! * An array of arrays has one line per row, with numbers separated by spaces. An array of those has an empty line
//!   between its parts; one level higher two empty lines, and so on.
//! * An element that is a tuple or a vector is printed as its numbers on the element's line.
//! * A tuple as the whole result is one line if its parts are scalars; otherwise its parts are separated by an empty
//!   line.
//! * Floats are the shortest text that reads back as the same number, always with a point, an exponent or a name:
//!   `2.0`, `1e-7`, `NaN`, `-inf`. Truth values are `true` and `false`.

use crate::value::{ArrayValue, Value};
use std::fmt::Write as _;
use std::io;

/// Writes `value` line by line, at most `head` lines; returns whether lines were omitted. `out` should be buffered.
pub fn write(out: &mut dyn io::Write, value: &Value, head: Option<usize>) -> io::Result<bool> {
    print(out, value, head.unwrap_or(usize::MAX), ' ')
}

/// Writes `value` line by line, with `separator` between the numbers of a line.
pub fn write_separated(out: &mut dyn io::Write, value: &Value, separator: char) -> io::Result<()> {
    print(out, value, usize::MAX, separator).map(|_| ())
}

fn print(out: &mut dyn io::Write, value: &Value, left: usize, separator: char) -> io::Result<bool> {
    let mut printer = Printer { out, line: String::new(), separator, left, cut: false, cause: None };
    printer.whole(value);
    match printer.cause {
        Some(e) => Err(e),
        None => Ok(printer.cut),
    }
}

/// Prints a whole value to a string.
pub fn to_text(value: &Value) -> String {
    let mut out = Vec::new();
    match write(&mut out, value, None) {
        Ok(_) => String::from_utf8_lossy(&out).into_owned(),
        Err(_) => String::new(),
    }
}

struct Printer<'a> {
    out: &'a mut dyn io::Write,
    line: String,
    /// The separator of the numbers in a line.
    separator: char,
    /// Lines that may still be written.
    left: usize,
    cut: bool,
    cause: Option<io::Error>,
}

impl Printer<'_> {
    fn whole(&mut self, value: &Value) {
        match value {
            Value::Tuple(parts) if parts.iter().any(|p| matches!(p, Value::Array(_) | Value::Tuple(_))) => {
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        self.end_line();
                    }
                    self.whole(part);
                }
            }
            Value::Array(array) => self.array(array),
            element => {
                self.numbers(element);
                self.end_line();
            }
        }
    }

    fn array(&mut self, array: &ArrayValue) {
        let deep = depth(array);
        for i in 0..array.len() {
            if self.cut || self.cause.is_some() {
                return;
            }
            match (array, deep) {
                (ArrayValue::Values(parts), 3..) => {
                    // Planes are separated by one empty line, arrays of planes by two.
                    for _ in 0..if i > 0 { deep - 2 } else { 0 } {
                        self.end_line();
                    }
                    self.whole(&parts[i]);
                }
                (array, _) => {
                    self.element(array, i);
                    self.end_line();
                }
            }
        }
    }

    /// Writes all numbers of a value to the current line.
    fn numbers(&mut self, value: &Value) {
        match value {
            Value::Tuple(parts) | Value::Vec(parts) => {
                for part in parts {
                    self.numbers(part);
                }
            }
            Value::Array(array) => (0..array.len()).for_each(|i| self.element(array, i)),
            scalar => self.word(format_args!("{scalar}")),
        }
    }

    /// Writes an element of an array without copying it.
    fn element(&mut self, array: &ArrayValue, i: usize) {
        match array {
            ArrayValue::Values(v) => self.numbers(&v[i]),
            flat => {
                if let Some(number) = flat.number(i) {
                    self.word(format_args!("{}", Value::from(number)));
                }
            }
        }
    }

    fn word(&mut self, word: std::fmt::Arguments<'_>) {
        if !self.line.is_empty() {
            self.line.push(self.separator);
        }
        let _ = self.line.write_fmt(word);
    }

    fn end_line(&mut self) {
        if self.left == 0 {
            self.cut = true;
        } else if self.cause.is_none() {
            self.left -= 1;
            self.line.push('\n');
            self.cause = self.out.write_all(self.line.as_bytes()).err();
        }
        self.line.clear();
    }
}

/// The nesting depth of an array. The deepest element counts, because an empty one does not show its depth.
fn depth(array: &ArrayValue) -> usize {
    let ArrayValue::Values(parts) = array else { return 1 };
    1 + parts.iter().map(|part| if let Value::Array(inner) = part { depth(inner) } else { 0 }).max().unwrap_or(0)
}
