//! Format, `⍕x`: numbers as characters. Numbers that the run computes are written when they are printed.

use super::format;
use super::value::{Arr, Ev, Kind, Repr, Res, not_supported};
use crate::size::Size;

/// The characters of an array.
pub fn format(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if x.kind == Kind::Char && x.rank() <= 1 || matches!(x.repr, Repr::Text(_)) {
        return Ok(x.clone());
    }
    if x.rank() > 1 || x.kind == Kind::Nested {
        return not_supported(x.range, "`⍕` of an array that is not a number or a vector of numbers");
    }
    Ok(match x.known() {
        Some(numbers) => {
            let written: Vec<String> = numbers.into_iter().map(format::number).collect();
            characters(ev, &written.join(" "))
        }
        None => written_by_the_run(x, vec![x.clone()]),
    })
}

pub fn characters(ev: &Ev, text: &str) -> Arr {
    let items = text.chars().map(|c| ev.known(Kind::Char, f64::from(u32::from(c)))).collect();
    ev.vector(Kind::Char, items)
}

fn written_by_the_run(at: &Arr, parts: Vec<Arr>) -> Arr {
    // The length is not known: no function but those below reads it.
    Arr { kind: Kind::Char, shape: vec![Size::one()], repr: Repr::Text(parts.into()), range: at.range }
}

/// Joins texts of which the run writes one at least; `None` if neither is such a text.
pub fn joined(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Option<Arr>> {
    if !matches!(a.repr, Repr::Text(_)) && !matches!(b.repr, Repr::Text(_)) {
        return Ok(None);
    }
    let mut parts = Vec::new();
    for x in [a, b] {
        match &x.repr {
            Repr::Text(own) => parts.extend(own.iter().cloned()),
            _ if x.kind == Kind::Char && x.rank() <= 1 => parts.push(x.clone()),
            _ => return not_supported(ev.at, "a text that the run writes, joined with numbers (`⍕` makes them text),"),
        }
    }
    Ok(Some(written_by_the_run(a, parts)))
}

/// Refuses a text that the run writes as an argument of a function that needs its length.
pub fn known_length(x: &Arr) -> Res<()> {
    match x.repr {
        Repr::Text(_) => not_supported(x.range, "a text that the run writes, for anything but `,` and printing,"),
        _ => Ok(()),
    }
}
