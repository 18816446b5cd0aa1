//! Functions of parts of an array: windows, cells of a rank, groups of equal keys, selected elements.

use super::chosen::chosen;
use super::context::{FEW, MANY};
use super::counted::{Counted, amount};
use super::loops::{leaves, rebuilt};
use super::nested::{bound_since, over};
use super::select::{assigned, index, replicate};
use super::split::{cell, split};
use super::structure::{constant_index, iota, reshaped};
use super::value::{Arr, Between, Ev, Kind, One, Res, Scalar, fail, not_supported, write_instead};
use super::{scalar, sets};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplLength, AplRank};
use lift_syntax::TextRange;
use std::rc::Rc;

/// Reduction of all windows of `k` elements along an axis, `k f/x`.
pub fn windows(ev: &mut Ev, f: &Between, k: &Arr, axis: usize, x: &Arr) -> Res<Arr> {
    let k = ev.whole(k, "the length of the windows")?;
    let Some(wanted) = k.scalar().or_else(|| k.items().filter(|items| items.len() == 1)?.first()).cloned() else {
        return fail(AplRank, k.range, "the windows of a reduction have one length");
    };
    if x.rank() == 0 || x.kind == Kind::Nested {
        return not_supported(x.range, "a reduction of windows of this");
    }
    let (length, counted) = amount(ev, f.glyph.unwrap_or('/'), &wanted, k.range)?;
    let n = x.shape[axis].clone();
    let mut shape = x.shape.clone();
    shape[axis] = match (n.as_const(), length.as_const()) {
        (Some(n), Some(length)) if n + 1 < length => {
            let message = format!("windows of {length} elements are longer than the axis, which has {n}");
            return fail(AplLength, k.range, message);
        }
        (Some(n), Some(length)) => Size::int(n + 1 - length),
        _ => Size::max(&n.add(&Size::one()).sub(&length), &Size::zero()),
    };
    if length.is_zero() {
        return not_supported(k.range, "a reduction of windows without elements");
    }
    let x = ev.ready(x)?;
    let f = f.clone();
    over(ev, shape, move |ev, at| {
        let (x, at, length, counted) = (x.clone(), at.to_vec(), length.clone(), counted.clone());
        let last = length.sub(&Size::one());
        let few = length.as_const().filter(|n| *n <= FEW as i64);
        let kind = x.kind;
        let read = move |ev: &mut Ev, k: &[Term]| {
            let turned = |ev: &Ev| ev.minus(ev.size_term(&last), k[0].clone());
            let k = match &counted {
                Counted::FromStart => k[0].clone(),
                Counted::FromEnd => turned(ev),
                Counted::BySign(number) => ev.choose(ev.less(number.clone(), ev.int(0)), turned(ev), k[0].clone()),
            };
            let mut at = at.clone();
            at[axis] = ev.plus(at[axis].clone(), k);
            ev.element(&x, &at)
        };
        let window = match few {
            Some(few) => {
                let mut window = Vec::with_capacity(few as usize);
                for k in 0..few as i32 {
                    let term = read(ev, &[ev.int(k)])?;
                    window.extend(ev.of_term(kind, term)?.scalar().cloned());
                }
                ev.vector(kind, window)
            }
            None => ev.of_pull(kind, vec![length], read),
        };
        super::reduce::reduce_axis(ev, &f, 0, &window)
    })
}

/// Applies a function to cells, and joins the results. Vectors of different lengths are filled up.
fn joined(ev: &mut Ev, frame: Vec<Size>, f: impl Fn(&mut Ev, &[Term]) -> Res<Arr> + 'static) -> Res<Arr> {
    let f = Rc::new(f);
    let bound_before = ev.next;
    let probed = ev.probe(|ev| {
        let bound: Vec<_> = frame.iter().map(|_| ev.fresh("p")).collect();
        let index: Vec<Term> = bound.iter().map(|bound| ev.local(bound)).collect();
        f(ev, &index)
    })?;
    if probed.rank() == 0 {
        // The element of a scalar that holds an array is that array.
        return over(ev, frame, move |ev, index| Ok(super::nested::opened(&f(ev, index)?)));
    }
    if probed.kind == Kind::Nested {
        return not_supported(ev.at, "a function that gives arrays of arrays for each cell");
    }
    let frame_rank = frame.len();
    let shape: Vec<Size> = frame.iter().chain(&probed.shape).cloned().collect();
    let kind = probed.kind;
    if probed.shape.iter().any(|n| bound_since(n, bound_before)) {
        if frame_rank != 1 || probed.rank() != 1 {
            return not_supported(
                ev.at,
                "a function that gives arrays of different shapes, other than vectors for the rows of a matrix,",
            );
        }
        let rows = over(ev, frame, move |ev, index| f(ev, index))?;
        return super::nested::mix(ev, &rows);
    }
    Ok(ev.of_pull(kind, shape, move |ev, index| {
        let (outer, inner) = index.split_at(frame_rank);
        let cell = ev.inside(|ev| f(ev, outer));
        let cell = ev.as_kind(&cell?, kind)?;
        ev.element(&cell, inner)
    }))
}

/// The ranks of the left and right cells, given by a number or a vector of numbers.
pub fn ranks(ranks: &Arr) -> Res<(i64, i64)> {
    let known = ranks.known().filter(|known| ranks.kind <= Kind::Int && matches!(known.len(), 1..=3));
    let Some(known) = known else {
        return fail(AplDomain, ranks.range, "the right operand of `⍤` is one to three whole numbers");
    };
    let (left, right) = match known[..] {
        [one] => (one, one),
        [left, right] => (left, right),
        _ => (known[1], known[2]),
    };
    Ok((left as i64, right as i64))
}

/// The number of leading axes outside of cells of a rank; a negative rank counts them.
fn frame_of(rank: i64, x: &Arr) -> usize {
    let have = x.rank() as i64;
    (if rank < 0 { -rank } else { have - rank }).clamp(0, have) as usize
}

/// `(f⍤k)x`: applies a function to each cell of rank `k`.
pub fn by_rank(ev: &mut Ev, f: &One, rank: i64, x: &Arr) -> Res<Arr> {
    let outer = frame_of(rank, x);
    if outer == 0 || x.kind == Kind::Nested {
        return f(ev, x);
    }
    let x = ev.ready(x)?;
    let frame = x.shape[..outer].to_vec();
    let f = f.clone();
    joined(ev, frame, move |ev, index| {
        let cell = cell(ev, &x, index)?;
        f(ev, &cell)
    })
}

/// `a(f⍤i j)x`: applies a function to pairs of cells; a single cell is paired with every cell of the other side.
pub fn by_ranks(ev: &mut Ev, f: &Between, (left, right): (i64, i64), a: &Arr, x: &Arr) -> Res<Arr> {
    let (m, n) = (frame_of(left, a), frame_of(right, x));
    if m == 0 && n == 0 {
        return (f.two)(ev, a, x);
    }
    if m != 0 && n != 0 && m != n {
        let message = format!("`⍤` pairs cells along {m} axes of the left argument with {n} of the right one");
        return fail(AplRank, ev.at, message);
    }
    let axes: Vec<(usize, usize)> = (0..m.min(n)).map(|axis| (axis, axis)).collect();
    let x = ev.conform(a, x, &axes, "`⍤`")?;
    let (a, x) = (ev.ready(a)?, ev.ready(&x)?);
    let frame = if m > 0 { a.shape[..m].to_vec() } else { x.shape[..n].to_vec() };
    let f = f.clone();
    joined(ev, frame, move |ev, index| {
        let left = cell(ev, &a, &index[..m])?;
        let right = cell(ev, &x, &index[..n])?;
        (f.two)(ev, &left, &right)
    })
}

/// `(f⌺k)x`: applies a function to the window around each element, or between two elements if the window's length is
/// even. The array is padded with zeros or blanks. The left argument of `with` is the amount of padding along each
/// axis, negative if it is after the array.
pub fn stencil(ev: &mut Ev, f: &One, with: Option<Between>, k: &Arr, x: &Arr) -> Res<Arr> {
    // A second row has the steps along each axis.
    let has_steps = k.rank() == 2 && k.shape[0].as_const() == Some(2);
    let Some(mut lengths) = k.known().filter(|_| (k.rank() <= 1 || has_steps) && k.kind <= Kind::Int) else {
        return write_instead(
            k.range,
            "`⌺` with windows whose lengths the run computes",
            "`n f/x` reduces such windows",
        );
    };
    let steps = if has_steps { lengths.split_off(lengths.len() / 2) } else { vec![1.0; lengths.len()] };
    if steps.iter().any(|step| *step < 1.0) {
        return fail(AplDomain, k.range, "the steps of `⌺` are 1 at least");
    }
    let steps: Vec<i32> = steps.iter().map(|step| *step as i32).collect();
    if lengths.len() != x.rank() || x.kind == Kind::Nested {
        let message = format!("`⌺` has {} lengths for an array of rank {}", lengths.len(), x.rank());
        return fail(AplRank, k.range, message);
    }
    if lengths.iter().any(|n| *n < 1.0) {
        return fail(AplDomain, k.range, "the windows of `⌺` have one element at least");
    }
    let lengths: Vec<usize> = lengths.iter().map(|n| *n as usize).collect();
    let x = ev.ready(x)?;
    let centers = x.shape.iter().zip(&lengths).map(|(n, length)| match length % 2 {
        1 => n.clone(),
        _ => Size::max(&n.sub(&Size::one()), &Size::zero()),
    });
    let shape = centers.zip(&steps).map(|(n, step)| n.div_ceil(&Size::int(i64::from(*step)))).collect();
    let f = f.clone();
    joined(ev, shape, move |ev, index| {
        let center = index.iter().zip(&steps).map(|(i, step)| ev.times(i.clone(), ev.int(*step)));
        let center: Vec<Term> = center.collect();
        let window = window(ev, &x, &center, &lengths)?;
        let Some(with) = &with else { return f(ev, &window) };
        let mut outside = Vec::with_capacity(lengths.len());
        for ((at, length), n) in center.iter().zip(&lengths).zip(&x.shape) {
            let half = before_center(*length);
            let (zero, n) = (ev.int(0), ev.size_term(n));
            let before = ev.minus(ev.int(half), at.clone());
            let before = ev.app("max", [before, zero.clone()]);
            let last = ev.minus(n, ev.int(*length as i32 - half));
            let after = ev.app("min", [ev.minus(last, at.clone()), zero]);
            let outer = ev.app("+", [before, after]);
            outside.push(ev.of_term(Kind::Int, outer)?.scalar().cloned());
        }
        let outside = outside.into_iter().flatten().collect();
        let outside = ev.vector(Kind::Int, outside);
        (with.two)(ev, &outside, &window)
    })
}

/// The number of elements of a window before its center; of two middle elements the first is the center.
fn before_center(length: usize) -> i32 {
    (length.saturating_sub(1) / 2) as i32
}

/// The window around an index.
fn window(ev: &mut Ev, x: &Arr, center: &[Term], lengths: &[usize]) -> Res<Arr> {
    let shape: Vec<Size> = lengths.iter().map(|n| Size::nat(*n as u64)).collect();
    let halves: Vec<i32> = lengths.iter().map(|n| before_center(*n)).collect();
    let count: usize = lengths.iter().product();
    let (x, center) = (x.clone(), center.to_vec());
    let kind = x.kind;
    let read = move |ev: &mut Ev, offset: &[Term]| {
        let mut inside = ev.boolean(true);
        let mut at = Vec::with_capacity(center.len());
        for (axis, (c, k)) in center.iter().zip(offset).enumerate() {
            let half = ev.int(halves[axis]);
            let shift = ev.minus(k.clone(), half);
            let place = ev.plus(c.clone(), shift.clone());
            // The center itself lies inside.
            if !matches!(shift.kind(), crate::front::term::Kind::Int(0)) {
                let place = ev.share(place.clone(), "i")?;
                let n = ev.size_term(&x.shape[axis]);
                let low = ev.app(">=", [place.clone(), ev.int(0)]);
                let high = ev.app("<", [place.clone(), n]);
                for part in [low, high] {
                    inside = match inside.kind() {
                        crate::front::term::Kind::Bool(true) => part,
                        _ => ev.app("and", [inside, part]),
                    };
                }
                at.push(place);
            } else {
                at.push(place);
            }
        }
        let blank = ev.known(x.kind, x.kind.fill()).term;
        ev.branches(inside, |ev| ev.element(&x, &at), |_| Ok(blank))
    };
    if count > FEW * 2 {
        return Ok(ev.of_pull(kind, shape, read));
    }
    let mut items: Vec<Scalar> = Vec::with_capacity(count);
    for place in 0..count {
        let offset = constant_index(ev, place, lengths);
        let term = read(ev, &offset)?;
        let element = ev.of_term(kind, term)?;
        items.extend(element.scalar().cloned());
    }
    Ok(ev.of_items(kind, shape, items))
}

/// `f⌸x` and `k f⌸x`: applies a function to each distinct key and its values or indices.
pub fn key(ev: &mut Ev, f: &Between, keys: &Arr, values: Option<&Arr>) -> Res<Arr> {
    if !matches!(keys.rank(), 1 | 2) || values.is_some_and(|values| values.rank() == 0) {
        return not_supported(keys.range, "`⌸` of an array that is not a vector or a matrix");
    }
    if keys.rank() == 2 || keys.kind == Kind::Nested {
        return key_of_arrays(ev, f, keys, values);
    }
    // What is known of all keys and values before the run is computed then.
    let elements = |x: &Arr| x.items().map_or(MANY, <[Scalar]>::len);
    let all_known = values.is_none_or(|values| values.known().is_some()) && elements(keys) < MANY;
    let known = keys.known().map(|all| distinct(&all)).filter(|different| {
        different.len() <= FEW || all_known && different.len().saturating_mul(elements(keys)) <= MANY * FEW
    });
    let keys = ev.ready(keys)?;
    let values = match values {
        Some(values) => {
            let values = ev.conform(&keys, values, &[(0, 0)], "`⌸`")?;
            if values.rows().is_some() { ev.stored(&values)? } else { ev.ready(&values)? }
        }
        None => {
            let n = ev.length(&keys.shape[0]);
            let n = ev.of_scalar(n);
            iota(ev, &n)?
        }
    };
    let of = {
        let f = f.clone();
        let keys = keys.clone();
        move |ev: &mut Ev, key: &Arr| {
            let same = scalar::dyadic(ev, '=', &keys, key)?;
            let mine = replicate(ev, '⌿', &same, &values)?;
            (f.two)(ev, key, &mine)
        }
    };
    if let Some(separate) = known {
        let mut found = Vec::with_capacity(separate.len());
        for key in &separate {
            let key = ev.known(keys.kind, *key);
            let key = ev.of_scalar(key);
            found.push(of(ev, &key)?);
        }
        return super::nested::mixed_results(ev, separate.len(), &found);
    }
    let different = sets::unique(ev, &keys)?;
    let different = ev.stored(&different)?;
    let frame = different.shape.clone();
    joined(ev, frame, move |ev, index| {
        let key = ev.element(&different, index)?;
        let key = ev.of_term(different.kind, key)?;
        of(ev, &key)
    })
}

/// The distinct numbers, in the order of their first occurrences.
fn distinct(all: &[f64]) -> Vec<f64> {
    let mut different: Vec<f64> = Vec::new();
    for number in all {
        if !different.contains(number) {
            different.push(*number);
        }
    }
    different
}

/// [`key`] for keys that are arrays, or rows of a matrix: equal keys are found by the index of the first.
fn key_of_arrays(ev: &mut Ev, f: &Between, keys: &Arr, values: Option<&Arr>) -> Res<Arr> {
    let words = keys.rank() == 1;
    let all = if words { keys.clone() } else { split(ev, keys)? };
    let all = if all.rows().is_some() { ev.stored(&all)? } else { all };
    let origin = std::mem::replace(&mut ev.origin, 0);
    let places = sets::places(ev, &all, &all);
    ev.origin = origin;
    let two = {
        let f = f.clone();
        move |ev: &mut Ev, place: &Arr, mine: &Arr| {
            let origin = ev.known(Kind::Int, f64::from(ev.origin));
            let origin = ev.of_scalar(origin);
            let place = scalar::dyadic(ev, '+', place, &origin)?;
            let key = super::nested::picked(ev, &all, &place)?;
            let key = if words { super::nested::enclose(&key) } else { key };
            (f.two)(ev, &key, mine)
        }
    };
    let f = Between { two: Rc::new(two), glyph: None };
    key(ev, &f, &places?, values)
}

/// The left operand of `@`.
pub enum Change {
    Value(Arr),
    Function(One),
}

/// `(v@i)x` and `(f@i)x`: the array with other elements at some indices.
pub fn at(ev: &mut Ev, change: &Change, i: &Arr, x: &Arr, range: TextRange) -> Res<Arr> {
    // Indices with a part for every axis, `0@(⊂2 2)`.
    if let Some((flat, places)) = chosen(ev, x, &[Some(i.clone())])? {
        let changed = at(ev, change, &places, &flat, range)?;
        return reshaped(ev, x.shape.clone(), &changed);
    }
    let indices = [vec![Some(i.clone())], vec![None; x.rank().saturating_sub(1)]].concat();
    let new = match change {
        Change::Value(new) => new.clone(),
        Change::Function(f) => {
            let old = index(ev, x, &indices, range)?;
            f(ev, &old)?
        }
    };
    assigned(ev, x, &indices, &new, range)
}

/// `(v@g)x` and `(f@g)x`: the array with other elements where a function gives 1.
pub fn at_mask(ev: &mut Ev, change: &Change, mask: &Arr, x: &Arr) -> Res<Arr> {
    if mask.kind > Kind::Double || mask.rank() != x.rank() {
        return fail(AplDomain, mask.range, "the right operand of `@` gives a Boolean for each element");
    }
    let mask = &match mask.kind {
        Kind::Bool => mask.clone(),
        _ => {
            let zero = ev.known(Kind::Int, 0.0);
            let zero = ev.of_scalar(zero);
            scalar::dyadic(ev, '≠', mask, &zero)?
        }
    };
    let new = match change {
        Change::Value(new) => new.clone(),
        Change::Function(f) => f(ev, x)?,
    };
    if new.rank() != 0 && new.rank() != x.rank() {
        return not_supported(new.range, "`@` with other elements than one number, or a function of each element,");
    }
    choose(ev, mask, &new, x)
}

/// The elements of `then` where a mask has 1, otherwise those of `other`.
pub fn choose(ev: &mut Ev, mask: &Arr, then: &Arr, other: &Arr) -> Res<Arr> {
    let kind = super::structure::join_kinds(ev, then, other)?;
    let (then, other) = (ev.as_kind(then, kind)?, ev.as_kind(other, kind)?);
    let axes: Vec<(usize, usize)> = (0..other.rank()).map(|axis| (axis, axis)).collect();
    let mask = if mask.rank() == 0 { mask.clone() } else { ev.conform(&other, mask, &axes, "this choice")? };
    let then = if then.rank() == 0 { then } else { ev.conform(&other, &then, &axes, "this choice")? };
    let (mask, then, other) = (ev.ready(&mask)?, ev.ready(&then)?, ev.ready(&other)?);
    let shape = other.shape.clone();
    Ok(ev.of_pull(kind, shape, move |ev, index| {
        let own = |x: &Arr| if x.rank() == 0 { Vec::new() } else { index.to_vec() };
        let condition = ev.element(&mask, &own(&mask))?;
        ev.branches(condition, |ev| ev.element(&then, &own(&then)), |ev| ev.element(&other, index))
    }))
}

/// Selects one of two arrays with the same shape by a scalar condition.
pub fn either(ev: &mut Ev, mask: &Arr, a: &Arr, b: &Arr) -> Res<Arr> {
    let (mut xs, ys) = (leaves(a), leaves(b));
    if xs.len() != ys.len() || a.rank() != b.rank() {
        return not_supported(ev.at, "a guard that the run decides, between arrays of different rank,");
    }
    for (x, y) in xs.iter_mut().zip(&ys) {
        if x.rank() != y.rank() {
            return not_supported(ev.at, "a guard that the run decides, between arrays of different rank,");
        }
        if x.rank() > 0 {
            *x = choose(ev, mask, x, y)?;
            continue;
        }
        let kind = super::structure::join_kinds(ev, x, y)?;
        let (then, other) = (ev.as_kind(x, kind)?, ev.as_kind(y, kind)?);
        let (then, other) = (ev.element(&then, &[])?, ev.element(&other, &[])?);
        let condition = ev.element(mask, &[])?;
        let term = ev.choose(condition, then, other);
        *x = ev.of_term(kind, term)?;
    }
    Ok(rebuilt(a, &mut xs.into_iter()))
}
