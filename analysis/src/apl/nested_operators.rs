//! Operators on arrays of arrays: each of two arguments, outer products, reductions and scans.

use super::context::{FEW, MANY};
use super::nested::{at, boxed, collect, enclose, enlist, over, separate};
use super::value::{Arr, Between, Ev, Kind, Res, fail, not_supported};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::AplRank;

/// `a f¨ b` with two arguments.
pub fn each_two(ev: &mut Ev, f: &Between, a: &Arr, b: &Arr) -> Res<Arr> {
    let extend = |x: &Arr| x.rank() == 0;
    if !extend(a) && !extend(b) && a.rank() != b.rank() {
        return fail(AplRank, ev.at, format!("`¨` has arguments of rank {} and {}", a.rank(), b.rank()));
    }
    let b = if extend(a) || extend(b) || b.kind == Kind::Nested {
        b.clone()
    } else {
        let axes: Vec<(usize, usize)> = (0..a.rank()).map(|axis| (axis, axis)).collect();
        ev.conform(a, b, &axes, "`¨`")?
    };
    let shape = if extend(a) { b.shape.clone() } else { a.shape.clone() };
    let few = |x: &Arr| if x.boxes().is_some() { MANY } else { FEW };
    let nested = a.boxes().is_some() || b.boxes().is_some();
    let most = if nested { MANY } else { few(a).min(few(&b)) };
    let both = (separate(ev, a, most)?, separate(ev, &b, most)?);
    if let (Some(xs), Some(ys)) = both {
        if !extend(a) && !extend(&b) && xs.len() != ys.len() {
            let message = format!("`¨` has arguments with {} and {} elements", xs.len(), ys.len());
            return fail(lift_syntax::SyntaxErrorCode::AplLength, ev.at, message);
        }
        let count = if extend(a) { ys.len() } else { xs.len() };
        let mut found = Vec::with_capacity(count);
        for place in 0..count {
            let x = &xs[if extend(a) { 0 } else { place }];
            let y = &ys[if extend(&b) { 0 } else { place }];
            found.push((f.two)(ev, x, y)?);
        }
        return collect(ev, shape, &found);
    }
    let (a, b) = (ev.ready(a)?, ev.ready(&b)?);
    let f = f.clone();
    over(ev, shape, move |ev, index| {
        let x = at(ev, &a, index)?;
        let y = at(ev, &b, index)?;
        (f.two)(ev, &x, &y)
    })
}

/// `a∘.f b` of arrays of arrays, or with a function that gives arrays.
pub fn outer(ev: &mut Ev, f: &Between, a: &Arr, b: &Arr) -> Res<Arr> {
    let shape: Vec<Size> = a.shape.iter().chain(&b.shape).cloned().collect();
    let most = if a.boxes().is_some() || b.boxes().is_some() { MANY } else { FEW };
    if let (Some(xs), Some(ys)) = (separate(ev, a, most)?, separate(ev, b, most)?)
        && xs.len().saturating_mul(ys.len()) <= most
    {
        let pairs = xs.iter().flat_map(|x| ys.iter().map(move |y| (x, y)));
        let found = pairs.map(|(x, y)| (f.two)(ev, x, y)).collect::<Res<Vec<Arr>>>()?;
        return collect(ev, shape, &found);
    }
    let (a, b) = (ev.ready(a)?, ev.ready(b)?);
    let (f, rank) = (f.clone(), a.rank());
    over(ev, shape, move |ev, index| {
        let (left, right) = index.split_at(rank);
        let x = at(ev, &a, left)?;
        let y = at(ev, &b, right)?;
        (f.two)(ev, &x, &y)
    })
}

/// Reduction of an array of arrays along an axis, from the last to the first.
pub fn reduce(ev: &mut Ev, f: &Between, axis: usize, x: &Arr) -> Res<Arr> {
    if x.rank() == 0 {
        return Ok(x.clone());
    }
    if let (Some(boxes), Some(extents), true) = (x.boxes().map(<[Arr]>::to_vec), x.extents(), x.rank() > 1) {
        let after: usize = extents[axis + 1..].iter().product();
        let before: usize = extents[..axis].iter().product();
        let n = extents[axis];
        let mut sums = Vec::with_capacity(before * after);
        for place in 0..before * after {
            let start = place / after.max(1) * n * after + place % after.max(1);
            let line = boxes.iter().skip(start).step_by(after.max(1)).take(n).cloned().collect();
            let line = boxed(x, vec![Size::nat(n as u64)], line);
            sums.push(reduce(ev, f, 0, &line)?);
        }
        let mut shape = x.shape.clone();
        shape.remove(axis);
        return collect(ev, shape, &sums);
    }
    if x.rows().is_some() && f.glyph == Some(',') {
        return Ok(enclose(&enlist(ev, x)?));
    }
    let Some((last, before)) = x.boxes().and_then(<[Arr]>::split_last) else {
        return not_supported(ev.at, "a reduction of arrays whose number only the run knows");
    };
    let (last, before) = (last.clone(), before.to_vec());
    let mut sum = last;
    for part in before.iter().rev() {
        sum = (f.two)(ev, part, &sum)?;
    }
    Ok(enclose(&sum))
}

/// Scan of a vector of arrays: the reduction of each prefix.
pub fn scan(ev: &mut Ev, f: &Between, x: &Arr) -> Res<Arr> {
    let Some(boxes) = x.boxes().filter(|boxes| x.rank() == 1 && boxes.len() <= FEW).map(<[Arr]>::to_vec) else {
        return not_supported(ev.at, "a scan of arrays, unless they are few and written side by side,");
    };
    let mut found = Vec::with_capacity(boxes.len());
    for count in 1..=boxes.len() {
        let part = boxed(x, vec![Size::nat(count as u64)], boxes[..count].to_vec());
        found.push(reduce(ev, f, 0, &part)?);
    }
    collect(ev, x.shape.clone(), &found)
}
