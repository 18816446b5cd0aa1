//! Numbers as APL writes them, and arrays side by side.

use crate::front::program::Fixed;

const DIGITS: i32 = 12;

/// A number with at most 12 digits, a high minus and without trailing zeros.
pub fn number(x: f64) -> String {
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

/// Pads the numbers of a column so that their decimal points are aligned; with exponents or imaginary parts, aligns
/// their ends.
pub fn aligned(cells: &[String]) -> Vec<String> {
    let other = cells.iter().any(|cell| cell.contains(['E', 'J']));
    let decimals = |cell: &String| cell.split_once('.').map_or(0, |(_, decimals)| decimals.len() + 1);
    let most = if other { 0 } else { cells.iter().map(decimals).max().unwrap_or(0) };
    let after = |cell: &String| " ".repeat(most - if other { 0 } else { decimals(cell) });
    let padded: Vec<String> = cells.iter().map(|cell| format!("{cell}{}", after(cell))).collect();
    let width = padded.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
    padded.into_iter().map(|cell| format!("{cell:>width$}")).collect()
}

/// The lines of a matrix of numbers in rows of `columns`.
pub fn rows(numbers: &[f64], columns: usize) -> Vec<String> {
    let mut lines = vec![Vec::with_capacity(columns); numbers.len() / columns.max(1)];
    for column in 0..columns {
        let cells: Vec<String> = numbers.iter().skip(column).step_by(columns).map(|x| number(*x)).collect();
        lines.iter_mut().zip(aligned(&cells)).for_each(|(line, cell)| line.push(cell));
    }
    lines.into_iter().map(|line| line.join(" ")).collect()
}

/// A complex number: `3J4`, or its real part if the other is 0.
pub fn complex(re: f64, im: f64) -> String {
    if im == 0.0 { number(re) } else { format!("{}J{}", number(re), number(im)) }
}

/// A number with a fixed number of decimals; stars if it does not fit the width.
pub fn fixed(x: f64, fixed: Fixed) -> String {
    // Halves are rounded away from 0.
    let shift = 10f64.powi(fixed.decimals as i32);
    let shifted = (x * shift).round();
    let x = if shifted.abs() < 1e15 { shifted / shift } else { x };
    let rounded = format!("{:.*}", fixed.decimals, x);
    let zero = rounded.chars().all(|c| matches!(c, '-' | '0' | '.'));
    let text = if zero { rounded.replace('-', "") } else { rounded.replace('-', "¯") };
    match fixed.width {
        0 => format!(" {text}"),
        width if text.chars().count() > width => "*".repeat(width),
        width => format!("{text:>width$}"),
    }
}

/// Lines of text. Next to others, those of an array have a space at each side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub lines: Vec<String>,
    pub array: bool,
    /// Whether the block is a single number.
    pub number: bool,
}

impl Block {
    pub fn array(lines: Vec<String>) -> Block {
        Block { lines, array: true, number: false }
    }
}

/// Arrays side by side.
pub fn beside(blocks: Vec<Block>) -> Block {
    let height = blocks.iter().map(|block| block.lines.len()).max().unwrap_or(0).max(1);
    let mut lines = vec![String::new(); height];
    let mut after_array = false;
    for (place, block) in blocks.iter().enumerate() {
        let width = block.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let gap = match (place, block.array || after_array) {
            (0, _) => usize::from(block.array),
            (_, apart) => 1 + usize::from(apart),
        };
        for (number, line) in lines.iter_mut().enumerate() {
            let own = block.lines.get(number).map_or("", String::as_str);
            *line += &format!("{}{own:width$}", " ".repeat(gap));
        }
        after_array = block.array;
    }
    if after_array {
        lines.iter_mut().for_each(|line| line.push(' '));
    }
    Block::array(lines)
}

/// Formats a matrix of arrays; each column is as wide as its widest array. Columns of single numbers are aligned as in
/// a matrix of numbers; numbers and characters are separated by one blank.
pub fn grid(blocks: &[Block], columns: usize) -> Block {
    let columns = columns.max(1);
    let simple = blocks.iter().all(|block| !block.array);
    let mut texts: Vec<Vec<String>> = blocks.iter().map(|block| block.lines.clone()).collect();
    for column in 0..columns {
        if blocks.iter().skip(column).step_by(columns).all(|block| block.number) {
            let cells = texts.iter().skip(column).step_by(columns).map(|lines| lines.concat()).collect::<Vec<_>>();
            for (lines, cell) in texts.iter_mut().skip(column).step_by(columns).zip(aligned(&cells)) {
                *lines = vec![cell];
            }
        }
    }
    let width = |lines: &Vec<String>| lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..columns).map(|column| texts.iter().skip(column).step_by(columns).map(width).max().unwrap_or(0)).collect();
    let mut lines = Vec::new();
    for row in texts.chunks(columns) {
        for number in 0..row.iter().map(Vec::len).max().unwrap_or(0) {
            let text = |block: &Vec<String>| block.get(number).cloned().unwrap_or_default();
            let cells = row.iter().zip(&widths).map(|(block, width)| format!("{:width$}", text(block)));
            let cells: Vec<String> = cells.collect();
            lines.push(if simple { cells.join(" ") } else { format!(" {} ", cells.join("  ")) });
        }
    }
    Block::array(lines)
}

#[cfg(test)]
mod tests {
    use super::{complex, fixed, number};
    use crate::front::program::Fixed;

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
        let written = |x, width, decimals| fixed(x, Fixed { width, decimals });
        assert_eq!(
            (&*written(-2.345, 0, 1), &*written(-0.01, 6, 1), &*written(1234.5, 3, 0)),
            (" ¯2.3", "   0.0", "***")
        );
        assert_eq!(complex(3.0, -4.5), "3J¯4.5");
        assert_eq!(complex(3.0, 0.0), "3");
    }
}
