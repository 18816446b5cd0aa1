//! Partitions of arrays along an axis into arrays of different lengths, `b⊂x` and `b⊆x`.

use super::context::MANY;
use super::counted::Counted;
use super::nested::{collect, join};
use super::scalar;
use super::sets::indices;
use super::structure::{drop, drop_axis, moved, take_axis};
use super::value::{Arr, Ev, Kind, Repr, Res, Rows, fail, not_supported};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplRank};
use std::rc::Rc;

/// Partition, `b⊆x`, or partitioned enclose, `b⊂x`.
///
/// For `⊂`, an array begins at each 1 and reaches up to the next one. For `⊆`, it begins where a number is above the one
/// before it, and ends before a 0.
pub fn partition(ev: &mut Ev, glyph: char, axis: usize, b: &Arr, x: &Arr) -> Res<Arr> {
    if b.kind > Kind::Int {
        return fail(AplDomain, b.range, format!("the left of `{glyph}` is Booleans or whole numbers"));
    }
    let wrong_rank = if glyph == '⊂' { b.rank() > 1 || x.rank() == 0 } else { b.rank() != 1 || x.rank() != 1 };
    if wrong_rank || x.kind == Kind::Nested {
        let right = if glyph == '⊂' {
            "an array of numbers or characters as its right one"
        } else {
            "one of numbers or characters as its right one"
        };
        return fail(AplRank, x.range, format!("`{glyph}` needs a vector as its left argument, and {right}"));
    }
    if glyph == '⊂' && b.kind != Kind::Bool {
        return not_supported(b.range, "`⊂` with other numbers than 0 and 1 in its left argument");
    }
    let extended = match b.rank() {
        0 => Some(moved(ev, b, vec![x.shape[axis].clone()], |_, _| Ok(Vec::new()))?),
        _ => None,
    };
    let b = extended.as_ref().unwrap_or(b);
    let x = ev.conform(b, x, &[(0, axis)], &format!("`{glyph}`"))?;
    if let (Some(marks), true) = (b.known(), x.rank() > 1) {
        let ends = ends(glyph, &marks);
        if (1..=MANY).contains(&ends.len()) {
            let mut parts = Vec::with_capacity(ends.len());
            for (from, to) in ends {
                let rest = drop_axis(ev, axis, Size::nat(from as u64), Counted::FromStart, &x)?;
                parts.push(take_axis(ev, axis, Size::nat((to - from) as u64), Counted::FromStart, &rest)?);
            }
            return collect(ev, vec![Size::nat(parts.len() as u64)], &parts);
        }
    }
    let items = x.items().filter(|_| x.rank() == 1).map(<[super::value::Scalar]>::to_vec);
    if let (Some(marks), Some(items)) = (b.known(), items) {
        let parts = ends(glyph, &marks).into_iter().map(|(from, to)| ev.vector(x.kind, items[from..to].to_vec()));
        let parts: Vec<Arr> = parts.collect();
        let shape = vec![Size::nat(parts.len() as u64)];
        match parts.len() {
            0 => return Ok(none(ev, x.kind)),
            count if count <= MANY => return collect(ev, shape, &parts),
            _ => {}
        }
    }
    let (first, last) = bounds(ev, glyph, b)?;
    let starts = indices(ev, &first)?;
    let starts = ev.stored(&starts)?;
    let ends = indices(ev, &last)?;
    let ends = ev.stored(&ends)?;
    let x = ev.ready(&x)?;
    let (kind, rank, shape, origin) = (x.kind, x.rank(), starts.shape.clone(), ev.origin);
    let row = move |ev: &mut Ev, i: &Term| {
        let i = std::slice::from_ref(i);
        let from = ev.element(&starts, i)?;
        let from = ev.minus(from, ev.int(origin));
        let from = ev.share(from, "from")?;
        let to = ev.element(&ends, i)?;
        let to = ev.minus(to, ev.int(origin - 1));
        let length = ev.minus(to, from.clone());
        let length = ev.of_term(Kind::Int, length)?;
        let length = ev.reify(&length, "the length of a part")?;
        let x = x.clone();
        let mut shape = x.shape.clone();
        shape[axis] = length;
        Ok(ev.of_pull(kind, shape, move |ev, index| {
            let mut index = index.to_vec();
            index[axis] = ev.plus(from.clone(), index[axis].clone());
            ev.element(&x, &index)
        }))
    };
    let rows = Rows { kind, rank, shape: None, stored: false, row: Rc::new(row) };
    Ok(Arr { kind: Kind::Nested, shape, repr: Repr::Rows(rows), range: ev.at })
}

/// An empty vector of vectors of a kind.
fn none(ev: &Ev, kind: Kind) -> Arr {
    let fill = kind.fill();
    let row = move |ev: &mut Ev, _: &Term| {
        Ok(ev.of_pull(kind, vec![Size::zero()], move |ev, _| Ok(ev.known(kind, fill).term)))
    };
    let rows = Rows { kind, rank: 1, shape: Some(vec![Size::zero()]), stored: false, row: Rc::new(row) };
    Arr { kind: Kind::Nested, shape: vec![Size::zero()], repr: Repr::Rows(rows), range: ev.at }
}

/// The start and the end (exclusive) of each part.
fn ends(glyph: char, marks: &[f64]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut before = 0.0;
    for (place, mark) in marks.iter().copied().enumerate() {
        let begins = if glyph == '⊂' { mark != 0.0 } else { mark > before };
        if begins {
            found.push((place, place + 1));
        } else if let Some(part) = found.last_mut()
            && (glyph == '⊂' || mark != 0.0)
        {
            part.1 = place + 1;
        }
        before = mark;
    }
    found
}

/// Two Boolean vectors that mark the first and the last element of each part.
fn bounds(ev: &mut Ev, glyph: char, b: &Arr) -> Res<(Arr, Arr)> {
    let number = |ev: &mut Ev, kind, n: f64| {
        let n = ev.known(kind, n);
        ev.of_scalar(n)
    };
    let one = number(ev, Kind::Int, 1.0);
    if glyph == '⊂' {
        // A part ends before each beginning, and at the end.
        let after = drop(ev, &one, b)?;
        let end = number(ev, Kind::Bool, 1.0);
        let after = join(ev, ',', &after, &end)?;
        let after = Arr { shape: b.shape.clone(), ..after };
        let whole = b.clone();
        // Elements before the first 1 belong to no part.
        let begun = super::reduce::scan(ev, &scalar::between('∨'), false, &whole)?;
        let last = scalar::dyadic(ev, '∧', &after, &begun)?;
        return Ok((b.clone(), last));
    }
    let b = ev.stored(b)?;
    let zero = number(ev, b.kind, 0.0);
    let minus = number(ev, Kind::Int, -1.0);
    let kept = drop(ev, &minus, &b)?;
    let before = join(ev, ',', &zero, &kept)?;
    let before = Arr { shape: b.shape.clone(), ..before };
    let first = scalar::dyadic(ev, '>', &b, &before)?;
    let first = ev.stored(&first)?;
    let following = drop(ev, &one, &b)?;
    let following = join(ev, ',', &following, &zero)?;
    let following = Arr { shape: b.shape.clone(), ..following };
    let rises = drop(ev, &one, &first)?;
    let end = number(ev, Kind::Bool, 1.0);
    let rises = join(ev, ',', &rises, &end)?;
    let rises = Arr { shape: b.shape.clone(), ..rises };
    let none = scalar::dyadic(ev, '=', &following, &zero)?;
    let stops = scalar::dyadic(ev, '∨', &rises, &none)?;
    let inside = scalar::dyadic(ev, '≠', &b, &zero)?;
    let last = scalar::dyadic(ev, '∧', &inside, &stops)?;
    Ok((first, last))
}
