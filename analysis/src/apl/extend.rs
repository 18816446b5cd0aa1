//! Scalar extension: a function of two elements on two arrays.

use super::context::{FEW, MANY};
use super::value::{Arr, Ev, Kind, Repr, Res, Scalar, fail};
use lift_syntax::SyntaxErrorCode;

/// Combines the elements of two arrays, after a conversion to the kind `wanted`. A scalar or a vector of one element
/// extends to the shape of the other. `name` is the operation in messages.
pub fn extended(
    ev: &mut Ev,
    name: &str,
    result: Kind,
    wanted: Option<Kind>,
    (a, b): (&Arr, &Arr),
    combine: impl Fn(&mut Ev, &Scalar, &Scalar) -> Res<Scalar> + 'static,
) -> Res<Arr> {
    let single = |arr: &Arr| arr.items().is_some_and(|items| items.len() == 1);
    let lone = |arr: &Arr, other: &Arr| single(arr) && arr.rank() <= other.rank();
    let (extend_a, extend_b) = (lone(a, b) && a.shape != b.shape, lone(b, a) && a.shape != b.shape);
    if !extend_a && !extend_b && a.rank() != b.rank() {
        let message = format!("the left of {name} has rank {} and the right rank {}", a.rank(), b.rank());
        return fail(SyntaxErrorCode::AplRank, ev.at, message);
    }
    let converted = |ev: &mut Ev, x: &Arr| wanted.map_or_else(|| Ok(x.clone()), |kind| ev.as_kind(x, kind));
    let (mut a, mut b) = (converted(ev, a)?, converted(ev, b)?);
    if !extend_a && !extend_b {
        let axes: Vec<(usize, usize)> = (0..a.rank()).map(|axis| (axis, axis)).collect();
        b = ev.conform(&a, &b, &axes, name)?;
    }
    let shape = if extend_a { b.shape.clone() } else { a.shape.clone() };
    if let (Some(x), Some(y)) = (a.items(), b.items()) {
        let (x, y) = (x.to_vec(), y.to_vec());
        let count = if extend_a { y.len() } else { x.len() };
        let known = x.iter().chain(&y).all(|item| item.known.is_some());
        if count <= FEW || known && count <= MANY {
            let mut found = Vec::with_capacity(count);
            for index in 0..count {
                let x = &x[if extend_a { 0 } else { index }];
                let y = &y[if extend_b { 0 } else { index }];
                let made = combine(ev, x, y)?;
                if count > FEW && made.known.is_none() {
                    break;
                }
                found.push(Scalar { term: ev.share(made.term, "s")?, ..made });
            }
            if found.len() == count {
                return Ok(ev.of_items(result, shape, found));
            }
        }
    }
    (a, b) = (ev.ready(&a)?, ev.ready(&b)?);
    Ok(ev.of_pull(result, shape, move |ev, index| {
        let read = |ev: &mut Ev, arr: &Arr, extend: bool| match (&arr.repr, extend) {
            (Repr::Items(items), true) => Ok(items[0].clone()),
            (Repr::Items(items), _) if arr.rank() == 0 => Ok(items[0].clone()),
            _ => {
                let term = ev.element(arr, index)?;
                Ok(Scalar { kind: arr.kind, term, known: None, size: None })
            }
        };
        let x = read(ev, &a, extend_a)?;
        let y = read(ev, &b, extend_b)?;
        Ok(combine(ev, &x, &y)?.term)
    }))
}
