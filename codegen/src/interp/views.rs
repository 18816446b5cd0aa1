//! Primitives that only move elements. Slices of an array share its elements.

use super::eval::nth;
use super::repr::{Array, Collector, Meter, Val, argument, malformed};
use super::{Result, RunError};
use crate::core::{PadMode, Prim};
use crate::failure::Message;
use lift_analysis::ty::Ty;
use std::rc::Rc;

/// `n / k`; fails if there is a remainder.
pub fn exact_quotient(n: usize, k: usize, name: &str) -> Result<usize> {
    match n.checked_rem(k) {
        Some(0) => Ok(n / k),
        Some(_) => Err(argument(format!("`{name} #{k}` of an array of {n} elements, which {k} does not divide"))),
        None => Err(argument(format!("`{name} #0`"))),
    }
}

/// The elements at these indices, which must be in range.
pub fn gather(meter: &Rc<Meter>, element: &Ty, xs: &Array, indices: impl IntoIterator<Item = usize>) -> Result<Array> {
    let mut out = Collector::new(meter, element, xs.len())?;
    indices.into_iter().try_for_each(|i| out.push(nth(xs, i)?))?;
    Ok(out.finish())
}

/// The first rows of `k` elements.
pub fn split(meter: &Rc<Meter>, row: &Ty, xs: &Array, k: usize, rows: usize) -> Result<Array> {
    let mut out = Collector::new(meter, row, rows)?;
    (0..rows).try_for_each(|i| out.push(Val::Array(xs.slice(i * k, k))))?;
    Ok(out.finish())
}

pub fn slide(meter: &Rc<Meter>, row: &Ty, xs: &Array, size: usize, step: usize) -> Result<Array> {
    let n = xs.len();
    if size > n || step == 0 || !(n - size).is_multiple_of(step) {
        return Err(argument(format!(
            "`slide #{size} #{step}` of an array of {n} elements: no window ends where the array ends"
        )));
    }
    let rows = (n - size) / step + 1;
    let mut out = Collector::new(meter, row, rows)?;
    (0..rows).try_for_each(|i| out.push(Val::Array(xs.slice(i * step, size))))?;
    Ok(out.finish())
}

pub fn join(meter: &Rc<Meter>, element: &Ty, xss: &Array) -> Result<Array> {
    let rows = xss.iter().map(Val::array).collect::<Result<Vec<_>>>()?;
    concat(meter, element, &rows)
}

pub fn concat(meter: &Rc<Meter>, element: &Ty, arrays: &[Array]) -> Result<Array> {
    let mut out = Collector::new(meter, element, arrays.iter().map(Array::len).sum())?;
    arrays.iter().try_for_each(|a| out.extend(a))?;
    Ok(out.finish())
}

pub fn zip(meter: &Rc<Meter>, element: &Ty, arrays: &[Array]) -> Result<Array> {
    let len = arrays.first().map_or(0, Array::len);
    if let Some(other) = arrays.iter().find(|a| a.len() != len) {
        return Err(malformed(format!("`zip` of arrays of {len} and {} elements", other.len())));
    }
    let mut out = Collector::new(meter, element, len)?;
    for i in 0..len {
        out.push(Val::Tuple(arrays.iter().map(|a| nth(a, i)).collect::<Result<_>>()?))?;
    }
    Ok(out.finish())
}

/// The index in an array of length `n > 0` that replaces index `i` outside it.
pub fn boundary(mode: PadMode, i: i64, n: i64) -> i64 {
    match mode {
        PadMode::Clamp => i.clamp(0, n - 1),
        PadMode::Wrap => i.rem_euclid(n),
        // The edge itself is repeated: 2 1 0 | 0 1 2 | 2 1 0.
        PadMode::Mirror => {
            let j = i.rem_euclid(2 * n);
            if j < n { j } else { 2 * n - 1 - j }
        }
    }
}

pub fn pad(meter: &Rc<Meter>, element: &Ty, xs: &Array, l: usize, r: usize, mode: PadMode) -> Result<Array> {
    let (n, total) = (xs.len(), padded(xs.len(), l, r)?);
    if n == 0 && total > 0 {
        return Err(RunError::failed(&Message::empty_pad(), 0, 0));
    }
    let mut out = Collector::new(meter, element, total)?;
    for i in 0..total {
        let from = boundary(mode, i as i64 - l as i64, n as i64);
        out.push(nth(xs, from as usize)?)?;
    }
    Ok(out.finish())
}

pub fn pad_constant(meter: &Rc<Meter>, element: &Ty, xs: &Array, l: usize, r: usize, v: &Val) -> Result<Array> {
    let mut out = Collector::new(meter, element, padded(xs.len(), l, r)?)?;
    (0..l).try_for_each(|_| out.push(v.clone()))?;
    out.extend(xs)?;
    (0..r).try_for_each(|_| out.push(v.clone()))?;
    Ok(out.finish())
}

fn padded(n: usize, l: usize, r: usize) -> Result<usize> {
    let total = n.checked_add(l).and_then(|m| m.checked_add(r));
    total.ok_or_else(|| argument(format!("`pad #{l} #{r}` is too long")))
}

/// Transposes rows of length `width`, which is needed if there are no rows.
pub fn transpose(meter: &Rc<Meter>, column: &Ty, xss: &Array, width: usize) -> Result<Array> {
    let element = &column.as_array().ok_or_else(|| malformed("`transpose` makes rows".into()))?.element;
    let rows = xss.iter().map(Val::array).collect::<Result<Vec<_>>>()?;
    let mut out = Collector::new(meter, column, width)?;
    for j in 0..width {
        let mut column = Collector::new(meter, element, rows.len())?;
        rows.iter().try_for_each(|row| column.push(nth(row, j)?))?;
        out.push(Val::Array(column.finish()))?;
    }
    Ok(out.finish())
}

/// The `len` elements from `from` on; fails if there are fewer.
pub fn window(xs: &Array, from: usize, len: usize, prim: Prim) -> Result<Array> {
    match from.checked_add(len) {
        Some(end) if end <= xs.len() => Ok(xs.slice(from, len)),
        _ => {
            let sizes = match prim {
                Prim::Take => format!(" #{len}"),
                Prim::Drop => format!(" #{from}"),
                Prim::Slice => format!(" #{from} #{len}"),
                _ => String::new(),
            };
            Err(argument(format!("`{}{sizes}` of an array of {} elements", prim.name(), xs.len())))
        }
    }
}

pub fn as_vector(meter: &Rc<Meter>, vector: &Ty, xs: &Array, k: usize) -> Result<Array> {
    let n = exact_quotient(xs.len(), k, "asVector")?;
    let mut out = Collector::new(meter, vector, n)?;
    (0..n).try_for_each(|i| out.push(Val::Vec(xs.slice(i * k, k).iter().collect())))?;
    Ok(out.finish())
}

pub fn as_scalar(meter: &Rc<Meter>, element: &Ty, xs: &Array) -> Result<Array> {
    let vectors = xs.iter().map(Val::vec).collect::<Result<Vec<_>>>()?;
    let mut out = Collector::new(meter, element, vectors.iter().map(|v| v.len()).sum())?;
    vectors.iter().flat_map(|v| v.iter()).try_for_each(|x| out.push(x.clone()))?;
    Ok(out.finish())
}

pub fn partition(meter: &Rc<Meter>, row: &Ty, xs: &Array, lengths: &[usize]) -> Result<Array> {
    let total = lengths.iter().fold(0usize, |sum, n| sum.saturating_add(*n));
    if total != xs.len() {
        return Err(argument(format!(
            "`partition`: the pieces have {total} elements together, but the array has {}",
            xs.len()
        )));
    }
    let mut out = Collector::new(meter, row, lengths.len())?;
    let mut from = 0;
    for n in lengths {
        out.push(Val::Array(xs.slice(from, *n)))?;
        from += n;
    }
    Ok(out.finish())
}
