//! Functions with the number of an axis in brackets: `+/[1]x`, `k⌽[2]x`, `a,[1]b`, `a,[0.5]b`, `v+[1]m`.

use super::partition::partition;
use super::select::replicate_along;
use super::structure::{self, moved};
use super::value::{Arr, Axis, Ev, Fun, FunKind, Kind, Res, fail, not_supported};
use super::{counted, nested, scalar, split, turned};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplRank};

/// The number of an axis, from 0.
pub fn resolved(ev: &Ev, axis: &Axis, rank: usize) -> Res<usize> {
    match axis {
        Axis::Last => Ok(rank.saturating_sub(1)),
        Axis::First => Ok(0),
        Axis::At(number) => {
            let found = written(ev, number)?;
            if found.fract() != 0.0 || !(0.0..rank as f64).contains(&found) {
                let message = format!("this is not an axis of an array of rank {rank}");
                return fail(AplRank, number.range, message);
            }
            Ok(found as usize)
        }
    }
}

/// The number in brackets, counted from 0.
fn written(ev: &Ev, number: &Arr) -> Res<f64> {
    let known = number.known().filter(|known| known.len() == 1 && number.kind <= Kind::Double);
    match known {
        Some(known) => Ok(known[0] - f64::from(ev.origin)),
        None => not_supported(number.range, "an axis that is not one number, known before the run,"),
    }
}

/// Applies a glyph along an axis.
pub fn along(ev: &mut Ev, glyph: char, number: &Arr, left: Option<&Arr>, x: &Arr) -> Res<Arr> {
    let at = Axis::At(number.clone());
    match (glyph, left) {
        (',' | '⍪', Some(a)) => {
            let place = written(ev, number)?;
            if place.fract() != 0.0 {
                return laminate(ev, glyph, number, place, a, x);
            }
            let axis = resolved(ev, &at, a.rank().max(x.rank()))?;
            nested::join_along(ev, glyph, axis, a, x)
        }
        (',', None) => ravel_axes(ev, number, x),
        ('⊂' | '↓', None) if x.rank() == 2 => match resolved(ev, &at, 2)? {
            0 => {
                let columns = turned::transpose(ev, x)?;
                split::split(ev, &columns)
            }
            _ => split::split(ev, x),
        },
        ('⊂', Some(b)) => {
            let axis = resolved(ev, &at, x.rank())?;
            partition(ev, glyph, axis, b, x)
        }
        ('⌽' | '⊖', None) => {
            let axis = resolved(ev, &at, x.rank())?;
            turned::reverse(ev, axis, x)
        }
        ('⌽' | '⊖', Some(k)) => {
            let axis = resolved(ev, &at, x.rank())?;
            turned::rotate(ev, glyph, axis, k, x)
        }
        ('/' | '⌿', Some(a)) => {
            let axis = resolved(ev, &at, x.rank())?;
            replicate_along(ev, glyph, axis, a, x)
        }
        ('↑' | '↓', Some(k)) => {
            let axis = resolved(ev, &at, x.rank())?;
            let Some([count]) = k.items().and_then(|items| <&[_; 1]>::try_from(items).ok()).cloned() else {
                return not_supported(k.range, format!("`{glyph}` along an axis with several numbers"));
            };
            let count = ev.of_scalar(count);
            let count = ev.as_kind(&count, count.kind.max(Kind::Int))?;
            let Some(count) = count.scalar().cloned().filter(|count| count.kind == Kind::Int) else {
                return fail(AplDomain, k.range, format!("`{glyph}` needs a whole number"));
            };
            let (count, end) = counted::amount(ev, glyph, &count, k.range)?;
            match glyph {
                '↑' => structure::take_axis(ev, axis, count, end, x),
                _ => structure::drop_axis(ev, axis, count, end, x),
            }
        }
        (_, Some(a)) if scalar::is_scalar(glyph) => {
            let rank = a.rank().max(x.rank());
            let axis = resolved(ev, &at, rank)?;
            let (vector, whole) = if a.rank() < x.rank() { (a, x) } else { (x, a) };
            if vector.rank() != 1 {
                return fail(AplRank, number.range, format!("`{glyph}` along an axis needs a vector and an array"));
            }
            let what = format!("`{glyph}`");
            let vector = match a.rank() < x.rank() {
                true => ev.conform_left(whole, vector, &[(axis, 0)], &what)?,
                false => ev.conform(whole, vector, &[(axis, 0)], &what)?,
            };
            let spread = moved(ev, &vector, whole.shape.clone(), move |_, index| Ok(vec![index[axis].clone()]))?;
            match a.rank() < x.rank() {
                true => scalar::dyadic(ev, glyph, &spread, x),
                false => scalar::dyadic(ev, glyph, a, &spread),
            }
        }
        _ => not_supported(number.range, format!("`{glyph}` with an axis")),
    }
}

/// Ravel with axes: `,[1 2]x` makes one axis of adjacent ones, `,[0.5]x` a new one of length 1, `,[⍬]x` a last one.
fn ravel_axes(ev: &mut Ev, number: &Arr, x: &Arr) -> Res<Arr> {
    let known = number.known().filter(|_| number.rank() <= 1 && number.kind <= Kind::Double);
    let Some(known) = known else {
        return not_supported(number.range, "an axis that is not known before the run,");
    };
    let axes: Vec<f64> = known.iter().map(|axis| axis - f64::from(ev.origin)).collect();
    let rank = x.rank() as f64;
    let mut shape = x.shape.clone();
    match axes.as_slice() {
        [] => shape.push(Size::one()),
        [place] if place.fract() != 0.0 => {
            if !(0.0..=rank).contains(&place.ceil()) {
                return fail(AplRank, number.range, format!("there is no new axis there in an array of rank {rank}"));
            }
            shape.insert(place.ceil() as usize, Size::one());
        }
        [first, rest @ ..] => {
            let mut follow = std::iter::successors(Some(*first), |axis| Some(axis + 1.0));
            let adjacent = axes.iter().all(|axis| follow.next() == Some(*axis));
            let last = rest.last().unwrap_or(first);
            if !adjacent || first.fract() != 0.0 || *first < 0.0 || *last >= rank {
                let message = format!("`,` needs adjacent axes of an array of rank {rank}, in their order");
                return fail(AplRank, number.range, message);
            }
            let merged = *first as usize..*last as usize + 1;
            let all = structure::product(&shape[merged.clone()]);
            shape.splice(merged, [all]);
        }
    }
    structure::reshaped(ev, shape, x)
}

/// Joins arrays along a new axis.
fn laminate(ev: &mut Ev, glyph: char, number: &Arr, place: f64, a: &Arr, x: &Arr) -> Res<Arr> {
    let rank = a.rank().max(x.rank());
    let axis = place.ceil();
    if !(0.0..=rank as f64).contains(&axis) {
        return fail(AplRank, number.range, format!("there is no new axis there in an array of rank {rank}"));
    }
    let axis = axis as usize;
    let frame = if a.rank() >= x.rank() { a.shape.clone() } else { x.shape.clone() };
    let mut shape = frame;
    shape.insert(axis, Size::one());
    let widened = |ev: &mut Ev, part: &Arr| {
        let mut own = if part.rank() == rank { part.shape.clone() } else { shape[..].to_vec() };
        if part.rank() == rank {
            own.insert(axis, Size::one());
        }
        let scalar = part.rank() == 0;
        moved(ev, part, own, move |_, index| {
            let mut index = index.to_vec();
            index.remove(axis);
            Ok(if scalar { Vec::new() } else { index })
        })
    };
    let (a, x) = (widened(ev, a)?, widened(ev, x)?);
    nested::join_along(ev, glyph, axis, &a, &x)
}

/// Applies a function along an axis in brackets.
pub fn of_function(ev: &mut Ev, f: &Fun, number: &Arr, left: Option<&Arr>, x: &Arr) -> Res<Arr> {
    match &*f.kind {
        FunKind::Glyph(glyph) => along(ev, *glyph, number, left, x),
        _ => not_supported(number.range, "an axis of this function"),
    }
}
