//! Functions that turn an array: reverse, rotate, transpose.

use super::structure::moved;
use super::value::{Arr, Ev, Res, fail, not_supported};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplRank};

/// Reverse along an axis.
pub fn reverse(ev: &mut Ev, axis: usize, x: &Arr) -> Res<Arr> {
    let last = x.shape[axis].sub(&Size::one());
    moved(ev, x, x.shape.clone(), move |ev, index| {
        let mut index = index.to_vec();
        let last = ev.size_term(&last);
        index[axis] = ev.minus(last, index[axis].clone());
        Ok(index)
    })
}

/// Rotate along an axis, `k⌽x` and `k⊖x`: all lines by one number, or each by its own.
pub fn rotate(ev: &mut Ev, glyph: char, axis: usize, k: &Arr, x: &Arr) -> Res<Arr> {
    let k = ev.whole(k, &format!("the left of `{glyph}`"))?;
    let extent = x.shape[axis].clone();
    if extent.is_zero() {
        return Ok(x.clone());
    }
    if let Some([by]) = k.items() {
        let by = by.clone();
        if let Some(by) = by.known {
            let by = by as i32;
            return moved(ev, x, x.shape.clone(), move |ev, index| {
                let mut index = index.to_vec();
                index[axis] = wrapped(ev, index[axis].clone(), by, &extent)?;
                Ok(index)
            });
        }
        let shift = remainder(ev, by.known, by.term, &extent)?;
        return moved(ev, x, x.shape.clone(), move |ev, index| Ok(rotated(ev, index, axis, &extent, &shift)));
    }
    let mut lines = x.shape.clone();
    lines.remove(axis);
    if k.rank() != lines.len() {
        let message = format!("`{glyph}` has numbers of rank {} for lines of rank {}", k.rank(), lines.len());
        return fail(AplRank, k.range, message);
    }
    let frame = Arr { shape: lines, ..x.clone() };
    let axes: Vec<(usize, usize)> = (0..k.rank()).map(|axis| (axis, axis)).collect();
    let k = ev.conform_left(&frame, &k, &axes, &format!("`{glyph}`"))?;
    let k = ev.ready(&k)?;
    moved(ev, x, x.shape.clone(), move |ev, index| {
        let mut line = index.to_vec();
        line.remove(axis);
        let by = ev.element(&k, &line)?;
        let known = if let crate::front::term::Kind::Int(n) = by.kind() { Some(f64::from(*n)) } else { None };
        let shift = remainder(ev, known, by, &extent)?;
        Ok(rotated(ev, index, axis, &extent, &shift))
    })
}

/// A rotation, reduced to at least 0 and below the extent.
fn remainder(ev: &mut Ev, known: Option<f64>, by: Term, extent: &Size) -> Res<Term> {
    if let (Some(by), Some(n)) = (known, extent.as_const()) {
        return Ok(ev.int((by as i64).rem_euclid(n) as i32));
    }
    let n = ev.size_term(extent);
    let shift = ev.app("floorMod", [by, n]);
    ev.share(shift, "k")
}

/// The index `by` places after `i`, wrapped around. Only an index out of bounds costs a division.
fn wrapped(ev: &mut Ev, i: Term, by: i32, extent: &Size) -> Res<Term> {
    let by = match extent.as_const() {
        Some(n) if n > 0 => i64::from(by).rem_euclid(n) as i32,
        _ => by,
    };
    let n = ev.size_term(extent);
    let at = if by >= 0 {
        let inside = ev.minus(n.clone(), ev.int(by));
        let after = ev.divide(ev.minus(i.clone(), inside.clone()), n).1;
        ev.choose(ev.less(i.clone(), inside), ev.plus(i, ev.int(by)), after)
    } else {
        let by = ev.int(by.saturating_neg());
        let rest = ev.minus(ev.minus(by.clone(), ev.int(1)), i.clone());
        let before = ev.divide(rest, n.clone()).1;
        let before = ev.minus(ev.minus(n, ev.int(1)), before);
        ev.choose(ev.less(i.clone(), by.clone()), before, ev.minus(i, by))
    };
    ev.share(at, "p")
}

fn rotated(ev: &Ev, index: &[Term], axis: usize, extent: &Size, shift: &Term) -> Vec<Term> {
    let mut index = index.to_vec();
    let n = ev.size_term(extent);
    let place = ev.plus(index[axis].clone(), shift.clone());
    index[axis] = ev.divide(place, n).1;
    index
}

/// Transpose, `⍉x`.
pub fn transpose(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    let mut shape = x.shape.clone();
    shape.reverse();
    moved(ev, x, shape, |_, index| Ok(index.iter().rev().cloned().collect()))
}

/// Transpose by result axes, `p⍉x`.
pub fn transpose_axes(ev: &mut Ev, p: &Arr, x: &Arr) -> Res<Arr> {
    let Some(axes) = p.known().filter(|_| p.rank() <= 1) else {
        return not_supported(p.range, "`⍉` with axes that are computed at run time");
    };
    let axes: Vec<usize> = axes.iter().map(|axis| (*axis as i64 - i64::from(ev.origin)) as usize).collect();
    let rank = axes.iter().max().map_or(0, |most| most.saturating_add(1));
    let whole = axes.len() == x.rank() && rank <= axes.len() && (0..rank).all(|axis| axes.contains(&axis));
    if !whole {
        let message = format!("the left of `⍉` must name a result axis for each of the {} axes", x.rank());
        return fail(AplDomain, p.range, message);
    }
    let extent = |axis: usize| {
        let sources = axes.iter().zip(&x.shape).filter(|(to, _)| **to == axis).map(|(_, size)| size.clone());
        sources.reduce(|a, b| if a == b { a } else { Size::min(&a, &b) }).unwrap_or_else(Size::one)
    };
    let shape = (0..rank).map(extent).collect();
    moved(ev, x, shape, move |_, index| Ok(axes.iter().map(|axis| index[*axis].clone()).collect()))
}
