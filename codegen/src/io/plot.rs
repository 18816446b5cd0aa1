//! Results as curves and pictures: plain data for a renderer, reduced to the resolution of a screen.
//!
//! * An array of numbers is a curve; an array of tuples or vectors of numbers has a curve for each part.
//! * An array of rows of numbers is a picture. Rows may have different lengths; missing cells are empty.
//! * Long curves are divided into buckets that keep their minimum and maximum, so that no peak is lost; large pictures
//!   into blocks that keep the mean.
//! * Other values are not drawn. Numbers that are not finite are omitted and counted.

use crate::number::Number;
use crate::value::{ArrayValue, Value};
use serde::{Deserialize, Serialize};

/// Maximum points of a curve.
pub const MAX_POINTS: usize = 2048;
/// Maximum rows and columns of a picture.
pub const MAX_CELLS: usize = 256;
/// Maximum curves: tuples and vectors of more parts are not drawn.
pub const MAX_CURVES: usize = 16;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Plot {
    Curves {
        /// Elements of the array.
        length: usize,
        curves: Vec<Curve>,
        /// The number of omitted values: NaN and infinities.
        left_out: usize,
    },
    Picture {
        rows: usize,
        /// The columns of the longest row.
        columns: usize,
        /// Row by row, the mean of each block; `None` for an empty block.
        cells: Vec<Vec<Option<f64>>>,
        left_out: usize,
    },
}

/// The minimum and maximum of each bucket; in a short curve each bucket is one element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    pub low: Vec<Option<f64>>,
    pub high: Vec<Option<f64>>,
}

/// The result as a curve or picture; `None` if it cannot be drawn.
pub fn plot(value: &Value) -> Option<Plot> {
    let array = value.as_array()?;
    if array.is_empty() {
        return None;
    }
    match array {
        ArrayValue::Values(values) => match &values[0] {
            Value::Array(_) => picture(values),
            Value::Tuple(parts) | Value::Vec(parts) => {
                let count = parts.len();
                (1..=MAX_CURVES).contains(&count).then_some(())?;
                curves(array.len(), count, |i, part| match &values[i] {
                    Value::Tuple(parts) | Value::Vec(parts) => parts.get(part).and_then(number),
                    _ => None,
                })
            }
            _ => None,
        },
        flat => curves(flat.len(), 1, |i, _| flat.get(i).as_ref().and_then(number)),
    }
}

/// The value as a number; `None` for tuples, vectors and arrays.
fn number(value: &Value) -> Option<f64> {
    Some(match value.number()? {
        Number::Half(x) => f64::from(x),
        Number::Float(x) => f64::from(x),
        Number::Double(x) => x,
        Number::Bool(x) => f64::from(u8::from(x)),
        integer => integer.integer()? as f64,
    })
}

fn curves(length: usize, count: usize, at: impl Fn(usize, usize) -> Option<f64>) -> Option<Plot> {
    let buckets = length.min(MAX_POINTS);
    let empty = || Curve { low: vec![None; buckets], high: vec![None; buckets] };
    let mut curves: Vec<Curve> = (0..count).map(|_| empty()).collect();
    let mut left_out = 0;
    for (part, curve) in curves.iter_mut().enumerate() {
        for i in 0..length {
            let x = at(i, part)?;
            if !x.is_finite() {
                left_out += 1;
                continue;
            }
            let bucket = bucket(i, length, buckets);
            let keep = |old: &mut Option<f64>, new: fn(f64, f64) -> f64| *old = Some(old.map_or(x, |o| new(o, x)));
            keep(&mut curve.low[bucket], f64::min);
            keep(&mut curve.high[bucket], f64::max);
        }
    }
    Some(Plot::Curves { length, curves, left_out })
}

fn picture(rows: &[Value]) -> Option<Plot> {
    let rows: Vec<&ArrayValue> = rows.iter().map(Value::as_array).collect::<Option<_>>()?;
    let columns = rows.iter().map(|r| r.len()).max().filter(|n| *n > 0)?;
    let (height, width) = (rows.len().min(MAX_CELLS), columns.min(MAX_CELLS));
    let mut sums = vec![vec![(0.0, 0u32); width]; height];
    let mut left_out = 0;
    for (i, row) in rows.iter().enumerate() {
        let cells = &mut sums[bucket(i, rows.len(), height)];
        for j in 0..row.len() {
            let x = number(&row.get(j)?)?;
            if !x.is_finite() {
                left_out += 1;
                continue;
            }
            let (sum, count) = &mut cells[bucket(j, columns, width)];
            *sum += x;
            *count += 1;
        }
    }
    let mean = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count));
    let cells = sums.into_iter().map(|row| row.into_iter().map(mean).collect()).collect();
    Some(Plot::Picture { rows: rows.len(), columns, cells, left_out })
}

/// The bucket of element `i` of `length`; all buckets have almost the same size.
fn bucket(i: usize, length: usize, buckets: usize) -> usize {
    (i as u128 * buckets as u128 / length.max(1) as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(xs: &[f32]) -> Value {
        Value::Array(ArrayValue::Float(xs.to_vec()))
    }

    #[test]
    fn a_short_array_is_drawn_number_by_number() {
        let curve = Curve { low: vec![Some(1.0), None, Some(-2.0)], high: vec![Some(1.0), None, Some(-2.0)] };
        let drawn = plot(&floats(&[1.0, f32::NAN, -2.0]));
        assert_eq!(drawn, Some(Plot::Curves { length: 3, curves: vec![curve], left_out: 1 }));
    }

    #[test]
    fn no_peak_of_a_long_array_is_lost() {
        let mut xs = vec![0.0; 1_000_003];
        (xs[17], xs[1_000_002]) = (9.0, -9.0);
        let Some(Plot::Curves { length, curves, .. }) = plot(&floats(&xs)) else { panic!("a curve") };
        assert_eq!((length, curves[0].low.len()), (1_000_003, MAX_POINTS));
        assert_eq!((curves[0].high[0], curves[0].low[0]), (Some(9.0), Some(0.0)));
        assert_eq!(curves[0].low[MAX_POINTS - 1], Some(-9.0));
        assert!(curves[0].low.iter().all(Option::is_some), "every bucket has elements");
    }

    #[test]
    fn pairs_have_two_curves() {
        let pair = |a: i32, b: bool| Value::Tuple(vec![Value::Int(a), Value::Bool(b)]);
        let Some(Plot::Curves { curves, .. }) = plot(&Value::rows([pair(3, true), pair(4, false)])) else {
            panic!("curves")
        };
        assert_eq!(curves[0].low, [Some(3.0), Some(4.0)]);
        assert_eq!(curves[1].low, [Some(1.0), Some(0.0)]);
    }

    #[test]
    fn rows_of_any_lengths_are_a_picture() {
        let drawn = plot(&Value::rows([floats(&[1.0, 2.0]), floats(&[]), floats(&[5.0])]));
        let cells = vec![vec![Some(1.0), Some(2.0)], vec![None, None], vec![Some(5.0), None]];
        assert_eq!(drawn, Some(Plot::Picture { rows: 3, columns: 2, cells, left_out: 0 }));
    }

    #[test]
    fn a_large_picture_has_the_means_of_its_blocks() {
        let row = Value::Array(ArrayValue::Long((0..2 * MAX_CELLS as i64).collect()));
        let drawn = plot(&Value::rows(vec![row; 3 * MAX_CELLS]));
        let Some(Plot::Picture { rows, columns, cells, .. }) = drawn else { panic!("a picture") };
        assert_eq!((rows, columns, cells.len(), cells[0].len()), (3 * MAX_CELLS, 2 * MAX_CELLS, MAX_CELLS, MAX_CELLS));
        assert_eq!((cells[0][0], cells[9][MAX_CELLS - 1]), (Some(0.5), Some(2.0 * MAX_CELLS as f64 - 1.5)));
    }

    #[test]
    fn what_is_no_array_of_numbers_or_rows_is_not_drawn() {
        let deep = Value::rows([Value::rows([floats(&[1.0])])]);
        let nested = Value::rows([Value::Tuple(vec![Value::Int(1), floats(&[1.0])])]);
        for value in [Value::Int(1), floats(&[]), deep, nested] {
            assert_eq!(plot(&value), None, "{value:?}");
        }
    }
}
