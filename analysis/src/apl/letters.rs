//! `⎕C`: small and capital letters.

use super::context::MANY;
use super::nested;
use super::value::{Arr, Ev, Kind, One, Res, Scalar, fail};
use crate::front::term::Term;
use lift_syntax::SyntaxErrorCode::AplDomain;
use std::rc::Rc;

/// Ranges of capitals of ASCII, Latin, Greek and Cyrillic, each with the distance of its small letters.
const CAPITALS: [(i32, i32, i32); 7] = [
    (0x41, 0x5a, 0x20),
    (0xc0, 0xd6, 0x20),
    (0xd8, 0xde, 0x20),
    (0x391, 0x3a1, 0x20),
    (0x3a3, 0x3ab, 0x20),
    (0x400, 0x40f, 0x50),
    (0x410, 0x42f, 0x20),
];

/// The characters as capitals where `left` is 1, as small letters where it is ¯1 or missing. Numbers stay as they are.
pub fn cased(ev: &mut Ev, left: Option<&Arr>, x: &Arr) -> Res<Arr> {
    let capitals = match left.map(|left| (left.known(), left)) {
        None => false,
        Some((Some(known), _)) if known == [1.0] => true,
        Some((Some(known), _)) if known == [-1.0] => false,
        Some((_, left)) => {
            return fail(AplDomain, left.range, "the left of `⎕C` is 1 for capitals, ¯1 for small letters");
        }
    };
    recased(ev, x, capitals)
}

fn recased(ev: &mut Ev, x: &Arr, capitals: bool) -> Res<Arr> {
    if x.kind == Kind::Nested {
        let f: One = Rc::new(move |ev, x| recased(ev, x, capitals));
        return nested::each(ev, &f, x);
    }
    if x.kind != Kind::Char {
        return Ok(x.clone());
    }
    if let Some(known) = x.known().filter(|known| known.len() <= MANY) {
        let items: Vec<Scalar> =
            known.into_iter().map(|code| ev.known(Kind::Char, f64::from(letter(code as i32, capitals)))).collect();
        return Ok(ev.of_items(Kind::Char, x.shape.clone(), items));
    }
    let x = ev.ready(x)?;
    let shape = x.shape.clone();
    Ok(ev.of_pull(Kind::Char, shape, move |ev, index| {
        let code = ev.element(&x, index)?;
        let code = ev.share(code, "c")?;
        Ok(CAPITALS.iter().fold(code.clone(), |rest, range| {
            let (first, last, by) = from(range, capitals);
            let after = ev.app(">=", [code.clone(), ev.int(first)]);
            let before = ev.app("<=", [code.clone(), ev.int(last)]);
            let inside = ev.app("and", [after, before]);
            let moved: Term = ev.app("+", [code.clone(), ev.int(by)]);
            ev.choose(inside, moved, rest)
        }))
    }))
}

/// The code of a letter, converted to a capital or small letter.
fn letter(code: i32, capitals: bool) -> i32 {
    let mut ranges = CAPITALS.iter().map(|range| from(range, capitals));
    ranges.find(|(first, last, _)| (*first..=*last).contains(&code)).map_or(code, |(.., by)| code + by)
}

/// The range of letters that change, and the distance to their counterparts.
fn from(&(first, last, by): &(i32, i32, i32), capitals: bool) -> (i32, i32, i32) {
    if capitals { (first + by, last + by, -by) } else { (first, last, by) }
}
