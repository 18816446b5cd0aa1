//! Selection of elements: compress and replicate, indexing, grades.

use super::context::MANY;
use super::structure::moved;
use super::value::{Arr, Ev, Kind, Repr, Res, Scalar, fail, not_supported};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplIndex, AplLength, AplRank};
use lift_syntax::TextRange;

/// Compress or replicate, `a/x` and `a⌿x`.
pub fn replicate(ev: &mut Ev, glyph: char, a: &Arr, x: &Arr) -> Res<Arr> {
    let first = glyph == '⌿';
    if a.rank() > 1 {
        return fail(AplRank, a.range, format!("the left of `{glyph}` is a number or a vector of numbers"));
    }
    if a.kind > Kind::Int {
        return fail(AplDomain, a.range, format!("the left of `{glyph}` must be Booleans or whole numbers"));
    }
    let x = if x.rank() == 0 { super::structure::ravel(ev, x)? } else { x.clone() };
    let axis = if first { 0 } else { x.rank() - 1 };
    let n = x.shape[axis].clone();
    if let Some(counts) = a.known() {
        return replicate_known(ev, glyph, a, &counts, axis, &x);
    }
    if a.scalar().is_some() || a.kind != Kind::Bool {
        return not_supported(a.range, format!("`{glyph}` with counts that are computed at run time"));
    }
    let x = if x.items().is_some_and(|items| items.len() == 1) && x.rank() == 1 {
        let one = x.clone();
        ev.of_pull(x.kind, a.shape.clone(), move |ev, _| {
            let zero = ev.int(0);
            ev.element(&one, &[zero])
        })
    } else {
        x
    };
    let n = if x.rank() == 1 { x.shape[0].clone() } else { n };
    let a = {
        // Check the length of the mask against the axis.
        let frame = Arr { shape: vec![n.clone()], ..x.clone() };
        ev.conform(&frame, a, &[(0, 0)], &format!("`{glyph}`"))?
    };
    compress(ev, &a, axis, &n, &x)
}

/// Compresses by a mask computed at run time. The length of the result is hidden.
fn compress(ev: &mut Ev, mask: &Arr, axis: usize, n: &Size, x: &Arr) -> Res<Arr> {
    let (mask, x) = (ev.ready(mask)?, ev.ready(x)?);
    let all = ev.size_argument(n);
    let all = ev.app("iota", [all]);
    let vector = x.rank() == 1;
    // Pair each element with its mask bit; with several axes, the index instead of the element.
    let pairs = ev.lambda(&["i"], |ev, args| {
        let keep = ev.element(&mask, args)?;
        let value = if vector { ev.element(&x, args)? } else { args[0].clone() };
        Ok(ev.term(crate::front::term::Kind::Tuple(vec![value, keep])))
    })?;
    let pairs = ev.app("map", [pairs, all]);
    let test = ev.lambda(&["p"], |ev, args| Ok(ev.app("get2", [args[0].clone()])))?;
    let kept = ev.app("filter", [test, pairs]);
    let what = "how many elements `/` keeps";
    let (length, bound) = ev.unpack(kept, "kept", what)?;
    let mut shape = x.shape.clone();
    shape[axis] = length;
    let read = move |ev: &mut Ev, i: crate::front::term::Term| {
        let kept = ev.local(&bound);
        let pair = ev.app("aref", [kept, i]);
        ev.app("get1", [pair])
    };
    if vector {
        let kind = x.kind;
        return Ok(ev.of_pull(kind, shape, move |ev, index| Ok(read(ev, index[0].clone()))));
    }
    moved(ev, &x, shape, move |ev, index| {
        let mut index = index.to_vec();
        index[axis] = read(ev, index[axis].clone());
        Ok(index)
    })
}

fn replicate_known(ev: &mut Ev, glyph: char, a: &Arr, counts: &[f64], axis: usize, x: &Arr) -> Res<Arr> {
    if counts.iter().any(|count| *count < 0.0) {
        return not_supported(a.range, format!("`{glyph}` with a negative count"));
    }
    let n = x.shape[axis].clone();
    let mut shape = x.shape.clone();
    if let [count] = *counts {
        shape[axis] = n.mul(&Size::int(count as i64));
        return moved(ev, x, shape, move |ev, index| {
            let mut index = index.to_vec();
            let by = ev.int(count as i32);
            index[axis] = ev.divide(index[axis].clone(), by).0;
            Ok(index)
        });
    }
    let one = x.rank() == 1 && n.is_one();
    match n.as_const() {
        Some(n) if n as usize == counts.len() || one => {}
        Some(n) => {
            let message = format!("`{glyph}` has {} counts at its left for {n} elements", counts.len());
            return fail(AplLength, a.range, message);
        }
        None => return not_supported(a.range, format!("`{glyph}` of counts for an axis of unknown length")),
    }
    if counts.iter().sum::<f64>() > MANY as f64 {
        return not_supported(a.range, format!("`{glyph}` with counts that come to more than {MANY} elements"));
    }
    let places = counts.iter().enumerate().flat_map(|(place, count)| {
        let place = if one { 0 } else { place };
        std::iter::repeat_n(place as f64, *count as usize)
    });
    let places: Vec<Scalar> = places.map(|place| ev.known(Kind::Int, place)).collect();
    let places = ev.vector(Kind::Int, places);
    shape[axis] = places.shape[0].clone();
    let places = ev.ready(&places)?;
    moved(ev, x, shape, move |ev, index| {
        let mut index = index.to_vec();
        index[axis] = ev.element(&places, &[index[axis].clone()])?;
        Ok(index)
    })
}

/// Indexing, `x[i;j]`; `None` selects a whole axis.
pub fn index(ev: &mut Ev, x: &Arr, indices: &[Option<Arr>], range: TextRange) -> Res<Arr> {
    if indices.len() != x.rank() {
        let message = format!("{} indices for an array of rank {}", indices.len(), x.rank());
        return fail(AplRank, range, message);
    }
    let mut shape = Vec::new();
    let mut ready = Vec::with_capacity(indices.len());
    for (axis, index) in indices.iter().enumerate() {
        let Some(index) = index else {
            shape.push(x.shape[axis].clone());
            ready.push(None);
            continue;
        };
        if index.kind > Kind::Int {
            return fail(AplDomain, index.range, "indices must be whole numbers");
        }
        let index = ev.as_kind(index, Kind::Int)?;
        if let (Some(values), Some(n)) = (index.known(), x.shape[axis].as_const()) {
            let origin = i64::from(ev.origin);
            if let Some(wrong) = values.iter().find(|i| !(origin..n + origin).contains(&(**i as i64))) {
                let wrong = wrong.to_string().replace('-', "¯");
                let message = format!("the index {wrong} lies outside of an axis of length {n}");
                return fail(AplIndex, index.range, message);
            }
        }
        shape.extend(index.shape.iter().cloned());
        ready.push(Some(ev.ready(&index)?));
    }
    let origin = ev.origin;
    moved(ev, x, shape, move |ev, at| {
        let mut rest = at;
        let mut found = Vec::with_capacity(ready.len());
        for index in &ready {
            match index {
                None => {
                    found.push(rest[0].clone());
                    rest = &rest[1..];
                }
                Some(index) => {
                    let (own, after) = rest.split_at(index.rank());
                    let place = ev.element(index, own)?;
                    let from = ev.int(origin);
                    found.push(ev.minus(place, from));
                    rest = after;
                }
            }
        }
        Ok(found)
    })
}

/// `i⌷x`, with one number for each of the leading axes.
pub fn squad(ev: &mut Ev, i: &Arr, x: &Arr) -> Res<Arr> {
    let Some(items) = i.items().filter(|_| i.rank() <= 1).map(<[Scalar]>::to_vec) else {
        return not_supported(i.range, "`⌷` with indices that are computed at run time");
    };
    if items.len() > x.rank() {
        return fail(AplRank, i.range, format!("{} indices for an array of rank {}", items.len(), x.rank()));
    }
    let mut indices: Vec<Option<Arr>> = items.into_iter().map(|item| Some(ev.of_scalar(item).at(i.range))).collect();
    indices.resize(x.rank(), None);
    index(ev, x, &indices, i.range)
}

/// The grades `⍋x` and `⍒x`.
pub fn grade(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    if x.rank() != 1 {
        return not_supported(x.range, format!("`{glyph}` of an array whose rank is not 1"));
    }
    let kind = x.kind.max(Kind::Int);
    let x = ev.as_kind(x, kind)?;
    let x = ev.stored(&x)?;
    let Repr::Stored(bound) = &x.repr else { return Ok(x) };
    let order = ev.lambda(&["a", "b"], |ev, args| {
        let before = if glyph == '⍋' { "<" } else { ">" };
        Ok(ev.app(before, [args[0].clone(), args[1].clone()]))
    })?;
    let array = ev.local(bound);
    let order = ev.app("argsort", [order, array]);
    let order = ev.bind(order, "order")?;
    let order = Arr { kind: Kind::Int, repr: Repr::Stored(order), ..x };
    let origin = ev.origin;
    Ok(ev.of_pull(Kind::Int, order.shape.clone(), move |ev, index| {
        let place = ev.element(&order, index)?;
        let origin = ev.int(origin);
        Ok(ev.plus(place, origin))
    }))
}

/// Indexed assignment, `x[i;j]←v`: the changed array.
pub fn assigned(ev: &mut Ev, x: &Arr, indices: &[Option<Arr>], value: &Arr, range: TextRange) -> Res<Arr> {
    if indices.len() != x.rank() {
        return fail(AplRank, range, format!("{} indices for an array of rank {}", indices.len(), x.rank()));
    }
    if value.rank() != 0 || indices.iter().flatten().any(|index| index.rank() != 0) {
        return not_supported(range, "an assignment to several elements at once");
    }
    let kind = super::structure::join_kinds(ev, x, value)?;
    let (x, value) = (ev.as_kind(x, kind)?, ev.as_kind(value, kind)?);
    let mut places = Vec::new();
    for index in indices {
        places.push(match index {
            None => None,
            Some(index) => {
                let index = ev.as_kind(index, Kind::Int)?;
                let place = ev.element(&index, &[])?;
                let origin = ev.int(ev.origin);
                let place = ev.minus(place, origin);
                Some(ev.share(place, "i")?)
            }
        });
    }
    let new = ev.element(&value, &[])?;
    let old = ev.ready(&x)?;
    let changed = ev.of_pull(kind, x.shape.clone(), move |ev, at| {
        let mut here = ev.boolean(true);
        for (place, i) in places.iter().zip(at) {
            let Some(place) = place else { continue };
            let same = ev.app("=", [i.clone(), place.clone()]);
            here = match here.kind() {
                crate::front::term::Kind::Bool(true) => same,
                _ => ev.app("and", [here, same]),
            };
        }
        let element = ev.scoped(|ev| ev.element(&old, at))?;
        Ok(ev.choose(here, new.clone(), element))
    });
    ev.stored(&changed)
}
