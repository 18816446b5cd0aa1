//! Expand, `b\x`: the elements of an array at the ones of a mask, and fills at its zeros.

use super::value::{Arr, Ev, Kind, Res, fail, not_supported};
use super::{reduce, scalar};
use lift_syntax::SyntaxErrorCode::AplRank;

/// Expands along an axis.
pub fn expand(ev: &mut Ev, glyph: char, axis: usize, mask: &Arr, x: &Arr) -> Res<Arr> {
    let left = format!("the left of `{glyph}`");
    let mask = if mask.rank() == 0 { super::structure::ravel(ev, mask)? } else { mask.clone() };
    if mask.rank() > 1 {
        return fail(AplRank, mask.range, format!("{left} is a vector"));
    }
    if mask.kind != Kind::Bool {
        return not_supported(mask.range, format!("{left} with other numbers than 0 and 1 that the run computes"));
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
                ev.reify(&total, "the number of elements that a mask selects")?
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
