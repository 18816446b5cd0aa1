//! Expand, `b\x`: the elements of an array at the ones of a mask, and fills at its zeros. Counts say how many of each.

use super::context::MANY;
use super::value::{Arr, Ev, Kind, Res, fail, not_supported};
use super::{reduce, scalar, select};
use lift_syntax::SyntaxErrorCode::AplRank;

/// Expands along an axis.
pub fn expand(ev: &mut Ev, glyph: char, axis: usize, mask: &Arr, x: &Arr) -> Res<Arr> {
    let left = format!("the left of `{glyph}`");
    let mask = if mask.rank() == 0 { super::structure::ravel(ev, mask)? } else { mask.clone() };
    if mask.rank() > 1 {
        return fail(AplRank, mask.range, format!("{left} is a vector"));
    }
    if mask.kind != Kind::Bool {
        return match mask.known().filter(|_| mask.kind == Kind::Int) {
            Some(counts) => counted(ev, glyph, axis, &counts, x),
            None => not_supported(mask.range, format!("{left} with other numbers than 0 and 1 that the run computes")),
        };
    }
    if x.kind == Kind::Nested {
        return not_supported(x.range, format!("`{glyph}` of an array of arrays"));
    }
    let one = x.rank() == 0 || x.shape[axis].is_one();
    let x = if x.rank() == 0 { super::structure::ravel(ev, x)? } else { x.clone() };
    let plus = scalar::between('+');
    let x = if one {
        x
    } else {
        let length = match mask.known() {
            Some(known) => crate::size::Size::int(known.iter().sum::<f64>() as i64),
            None => {
                let total = reduce::reduce(ev, &plus, false, &mask)?;
                ev.reify(&total, "how many elements a mask selects")?
            }
        };
        let mut shape = x.shape.clone();
        shape[axis] = length;
        let wanted = Arr { shape, ..mask.clone() };
        ev.equal_lengths(&wanted, &x, &[(axis, axis)], &|ones, found| {
            format!("{left} has {ones} ones, but there are {found} elements")
        })?
    };
    let sums = reduce::scan(ev, &plus, false, &mask)?;
    let (mask, sums, x) = (ev.ready(&mask)?, ev.ready(&sums)?, ev.ready(&x)?);
    let mut shape = x.shape.clone();
    shape[axis] = mask.shape[0].clone();
    Ok(ev.of_pull(x.kind, shape, move |ev, index| {
        let here = std::slice::from_ref(&index[axis]);
        let there = ev.element(&mask, here)?;
        let fill = ev.known(x.kind, x.kind.fill()).term;
        ev.branches(
            there,
            |ev| {
                let mut from = index.to_vec();
                let place = ev.element(&sums, here)?;
                from[axis] = if one { ev.int(0) } else { ev.plus(place, ev.int(-1)) };
                ev.element(&x, &from)
            },
            |_| Ok(fill),
        )
    }))
}

/// `n\x` and `n/x` with counts that are known before the run: so many of each element, and fills for a negative count. For `\`,
/// a zero is one fill and has no element.
pub fn counted(ev: &mut Ev, glyph: char, axis: usize, counts: &[f64], x: &Arr) -> Res<Arr> {
    let expands = matches!(glyph, '\\' | '⍀');
    if counts.iter().map(|count| count.abs()).sum::<f64>() > MANY as f64 {
        return not_supported(ev.at, format!("`{glyph}` with counts that come to more than {MANY} elements"));
    }
    let (mut each, mut mask) = (Vec::new(), Vec::new());
    for &count in counts {
        let is_element = count > 0.0 || count == 0.0 && !expands;
        each.extend(is_element.then(|| ev.known(Kind::Int, count)));
        let places = if is_element { count } else { count.abs().max(1.0) };
        mask.extend((0..places as usize).map(|_| ev.known(Kind::Bool, f64::from(is_element))));
    }
    let (each, mask) = (ev.vector(Kind::Int, each), ev.vector(Kind::Bool, mask));
    let elements = select::replicate_along(ev, glyph, axis, &each, x)?;
    expand(ev, glyph, axis, &mask, &elements)
}
