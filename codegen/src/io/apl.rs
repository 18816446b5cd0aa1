//! Prints results as APL does.
//!
//! A number has at most 12 digits, a high minus, and an exponent if it is very large or very small; a truth value is 0
//! or 1. A vector is a line, a matrix has aligned columns, and planes are separated by an empty line. An empty array is
//! an empty line.

use crate::value::{ArrayValue, Value};
use lift_analysis::apl::format::{self, Block, beside, grid};
use lift_analysis::front::program::{Fixed, Output};
use std::io;

/// Writes the result of a program, whose values are the parts of `value` in the order of the outputs.
pub fn write(out: &mut dyn io::Write, outputs: &[Output], value: &Value) -> io::Result<()> {
    let count: usize = outputs.iter().map(Output::values).sum();
    let mut parts = match value {
        Value::Tuple(parts) if count != 1 => parts.iter(),
        value => std::slice::from_ref(value).iter(),
    };
    for output in outputs {
        for line in block(output, &mut parts).lines {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn block(output: &Output, parts: &mut std::slice::Iter<'_, Value>) -> Block {
    match output {
        Output::Text { text, array } => {
            Block { lines: text.split('\n').map(str::to_owned).collect(), array: *array, number: false }
        }
        Output::Value | Output::Characters => {
            let characters = matches!(output, Output::Characters);
            parts.next().map_or(Block::array(Vec::new()), |value| of_value(value, characters))
        }
        Output::Rows { characters } => match parts.next() {
            Some(Value::Array(rows)) => {
                let rows = (0..rows.len()).filter_map(|i| rows.get(i)).map(|row| of_value(&row, *characters));
                beside(rows.collect())
            }
            _ => beside(Vec::new()),
        },
        Output::Fixed(fixed) => match parts.next() {
            Some(value) => in_columns(value, &|value| write_fixed(value, *fixed), ""),
            None => Block::array(Vec::new()),
        },
        Output::Grid { columns, parts: of } => {
            let blocks: Vec<Block> = of.iter().map(|output| block(output, parts)).collect();
            grid(&blocks, *columns)
        }
        Output::Strand(of) => beside(of.iter().map(|output| block(output, parts)).collect()),
        Output::Line(of) => {
            let mut blocks: Vec<Block> = of.iter().map(|output| block(output, parts)).collect();
            if blocks.len() == 1 {
                return blocks.swap_remove(0);
            }
            let line: String = blocks.into_iter().map(|block| block.lines.join(" ")).collect();
            Block::array(vec![line])
        }
    }
}

fn of_value(value: &Value, characters: bool) -> Block {
    let Value::Array(array) = value else {
        let text = if characters { character(value).to_string() } else { scalar(value) };
        return Block { lines: vec![text], array: false, number: !characters };
    };
    let mut lines: Vec<Vec<Value>> = Vec::new();
    // The number of empty lines before each line.
    let mut gaps: Vec<usize> = Vec::new();
    gather(array, 0, &mut lines, &mut gaps);
    if lines.is_empty() {
        return Block::array(vec![String::new()]);
    }
    let mut written = Vec::new();
    if characters {
        for (line, gap) in lines.iter().zip(gaps) {
            written.extend(std::iter::repeat_n(String::new(), gap));
            written.push(line.iter().map(character).collect());
        }
        return Block::array(written);
    }
    in_columns_of(&lines, &gaps, &scalar, " ")
}

/// The numbers of an array, or one number, in columns aligned to the right.
fn in_columns(value: &Value, write: &dyn Fn(&Value) -> String, between: &str) -> Block {
    let Value::Array(array) = value else { return Block { lines: vec![write(value)], array: false, number: true } };
    let (mut lines, mut gaps) = (Vec::new(), Vec::new());
    gather(array, 0, &mut lines, &mut gaps);
    in_columns_of(&lines, &gaps, write, between)
}

fn in_columns_of(lines: &[Vec<Value>], gaps: &[usize], write: &dyn Fn(&Value) -> String, between: &str) -> Block {
    let mut written = Vec::new();
    let cells: Vec<Vec<String>> = lines.iter().map(|line| line.iter().map(write).collect()).collect();
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut rows: Vec<Vec<String>> = vec![Vec::with_capacity(columns); cells.len()];
    for column in 0..columns {
        let all: Vec<String> = cells.iter().map(|line| line.get(column).cloned().unwrap_or_default()).collect();
        let all = if cells.len() > 1 { format::aligned(&all) } else { all };
        rows.iter_mut().zip(all).for_each(|(row, cell)| row.push(cell));
    }
    for (row, gap) in rows.iter().zip(gaps) {
        written.extend(std::iter::repeat_n(String::new(), *gap));
        written.push(row.join(between));
    }
    Block::array(written)
}

/// Collects the lines of an array; `gap` empty lines precede the first one.
fn gather(array: &ArrayValue, gap: usize, lines: &mut Vec<Vec<Value>>, gaps: &mut Vec<usize>) {
    let deep = depth(array);
    if deep == 1 {
        if !array.is_empty() {
            lines.push((0..array.len()).filter_map(|i| array.get(i)).collect());
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

/// The character of a code point.
fn character(value: &Value) -> char {
    let code = match value {
        Value::Int(code) => u32::try_from(*code).ok(),
        _ => None,
    };
    code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn write_fixed(value: &Value, fixed: Fixed) -> String {
    match value {
        Value::Double(x) => format::fixed(*x, fixed),
        // The front end makes all of them doubles.
        other => scalar(other),
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::Float(x) => format::number(f64::from(*x)),
        Value::Double(x) => format::number(*x),
        Value::Bool(b) => u8::from(*b).to_string(),
        Value::Tuple(parts) => match &parts[..] {
            [Value::Double(re), Value::Double(im)] => format::complex(*re, *im),
            parts => parts.iter().map(scalar).collect::<Vec<_>>().join(" "),
        },
        Value::Vec(parts) => parts.iter().map(scalar).collect::<Vec<_>>().join(" "),
        Value::Array(_) => String::new(),
        integer => integer.to_string().replace('-', "¯"),
    }
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::value::Value;
    use lift_analysis::front::program::Output;

    fn written(outputs: &[Output], value: &Value) -> String {
        let mut out = Vec::new();
        write(&mut out, outputs, value).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn arrays_are_aligned_and_planes_apart() {
        let matrix = Value::from(vec![vec![1, -20], vec![300, 4]]);
        let planes = Value::rows([matrix.clone(), matrix.clone()]);
        let value = Value::Tuple(vec![Value::Bool(true), matrix, planes, Value::from(Vec::<i32>::new())]);
        let text = Output::Text { text: "text".to_owned(), array: true };
        let outputs = [Output::Value, text, Output::Value, Output::Value, Output::Value];
        let expected = "1\ntext\n  1 ¯20\n300   4\n  1 ¯20\n300   4\n\n  1 ¯20\n300   4\n\n";
        assert_eq!(written(&outputs, &value), expected);
    }

    #[test]
    fn arrays_in_arrays_are_side_by_side() {
        let text = |text: &str| Output::Text { text: text.to_owned(), array: text.len() > 1 };
        let rows = Value::rows([Value::from(vec![1, 2]), Value::from(vec![3])]);
        let value = Value::Tuple(vec![Value::Double(2.5), rows, Value::from(vec![104, 105])]);
        let outputs = [
            Output::Line(vec![text("mean "), Output::Value]),
            Output::Rows { characters: false },
            Output::Strand(vec![Output::Characters, text("x"), text("ab\ncd")]),
        ];
        assert_eq!(written(&outputs, &value), "mean 2.5\n 1 2  3 \n hi  x  ab \n        cd \n");
    }
}
