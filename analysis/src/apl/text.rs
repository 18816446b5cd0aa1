//! Format, `⍕x` and `d⍕x`: numbers as characters. Numbers that the run computes are written when they are printed.

use super::format::{self, Block};
use super::value::{Arr, Ev, Kind, Piece, Repr, Res, fail, not_supported};
use crate::front::program::Fixed;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::AplDomain;

/// The largest width, and number of decimals.
const WIDEST: f64 = 100.0;

/// `⍕x`: the characters of an array.
pub fn format(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if x.kind == Kind::Char || matches!(x.repr, Repr::Text(_)) {
        return Ok(x.clone());
    }
    if x.kind == Kind::Nested {
        return Ok(match block(x) {
            Some(block) => of_lines(ev, &block.lines),
            None => written_by_the_run(x, vec![Piece { arr: x.clone(), fixed: None }]),
        });
    }
    if x.rank() > 2 {
        return not_supported(x.range, "`⍕` of an array of more than two axes");
    }
    Ok(match x.known() {
        Some(numbers) if x.rank() == 2 => {
            let lines = format::rows(&numbers, columns(x));
            let width = lines.first().map_or(0, |line| line.chars().count());
            let items = lines.concat().chars().map(|c| ev.known(Kind::Char, f64::from(u32::from(c)))).collect();
            ev.of_items(Kind::Char, vec![x.shape[0].clone(), Size::nat(width as u64)], items)
        }
        Some(numbers) => {
            let written: Vec<String> = numbers.into_iter().map(format::number).collect();
            characters(ev, &written.join(" "))
        }
        None => written_by_the_run(x, vec![Piece { arr: x.clone(), fixed: None }]),
    })
}

/// `⎕FMT x`: the characters of an array as a matrix. Numbers that the run computes are printed so anyway.
pub fn as_matrix(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    let text = format(ev, x)?;
    match (&text.repr, text.rank()) {
        (Repr::Text(_), _) => Ok(text),
        (_, rank) if rank > 2 => not_supported(x.range, "`⎕FMT` of an array of more than two axes"),
        (_, rank) => {
            let mut shape = vec![Size::one(); 2 - rank];
            shape.extend(text.shape.iter().cloned());
            Ok(Arr { shape, ..text })
        }
    }
}

fn columns(x: &Arr) -> usize {
    x.extents().and_then(|shape| shape.last().copied()).unwrap_or(0)
}

/// The lines of an array that is known before the run; `None` for any other, or one of more than two axes.
fn block(x: &Arr) -> Option<Block> {
    if let Some(boxes) = x.boxes() {
        let blocks = boxes.iter().map(block).collect::<Option<Vec<Block>>>()?;
        return match x.rank() {
            0 | 1 => Some(format::beside(blocks)),
            2 => Some(format::grid(&blocks, columns(x))),
            _ => None,
        };
    }
    let known = x.known().filter(|_| x.rank() <= 2 && x.kind != Kind::Complex)?;
    if x.kind == Kind::Char {
        let all: Vec<char> = known.iter().filter_map(|code| char::from_u32(*code as u32)).collect();
        let lines = if x.rank() == 2 {
            all.chunks(columns(x).max(1)).map(String::from_iter).collect()
        } else {
            vec![String::from_iter(all)]
        };
        return Some(Block { lines, array: x.rank() > 0, number: false });
    }
    let written = || known.iter().map(|x| format::number(*x)).collect::<Vec<String>>().join(" ");
    let lines = if x.rank() == 2 { format::rows(&known, columns(x)) } else { vec![written()] };
    Some(Block { lines, array: x.rank() > 0, number: x.rank() == 0 })
}

/// One line as a vector of characters, several as a matrix.
fn of_lines(ev: &Ev, lines: &[String]) -> Arr {
    if let [line] = lines {
        return characters(ev, line);
    }
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let padded: String = lines.iter().map(|line| format!("{line:width$}")).collect();
    let shape = vec![Size::nat(lines.len() as u64), Size::nat(width as u64)];
    Arr { shape, ..characters(ev, &padded) }
}

/// Whether an array is printed on several lines.
fn is_tall(x: &Arr) -> bool {
    x.rank() > 1
        || x.rows().is_some_and(|rows| rows.rank > 1)
        || x.boxes().is_some_and(|boxes| boxes.iter().any(is_tall))
}

/// The characters of numbers with `d` decimals, or of `w` characters each for `w d⍕x`.
pub fn format_fixed(ev: &mut Ev, by: &Arr, x: &Arr) -> Res<Arr> {
    let numbers = by.known().filter(|_| by.rank() <= 1 && by.kind <= Kind::Int);
    let fits = |n: &f64| (0.0..=WIDEST).contains(n);
    let fixed = match numbers.as_deref() {
        Some([decimals]) if fits(decimals) => Fixed { width: 0, decimals: *decimals as usize },
        Some([width, decimals]) if fits(width) && fits(decimals) => {
            Fixed { width: *width as usize, decimals: *decimals as usize }
        }
        _ => {
            let what = "the left of `⍕` is a number of decimals, or a width and a number of decimals, up to 100";
            return fail(AplDomain, by.range, what);
        }
    };
    if x.kind > Kind::Double || x.rank() > 2 {
        return fail(AplDomain, x.range, "the right of `⍕` is a number, or a vector or matrix of numbers");
    }
    if let (Some(numbers), true) = (x.known(), x.rank() < 2) {
        let written: String = numbers.into_iter().map(|number| format::fixed(number, fixed)).collect();
        return Ok(characters(ev, &written));
    }
    let x = ev.as_kind(x, Kind::Double)?;
    Ok(written_by_the_run(&x, vec![Piece { arr: x.clone(), fixed: Some(fixed) }]))
}

pub fn characters(ev: &Ev, text: &str) -> Arr {
    let items = text.chars().map(|c| ev.known(Kind::Char, f64::from(u32::from(c)))).collect();
    ev.vector(Kind::Char, items)
}

fn written_by_the_run(at: &Arr, parts: Vec<Piece>) -> Arr {
    // The length is not known: no function but those below reads it.
    Arr { kind: Kind::Char, shape: vec![Size::one()], repr: Repr::Text(parts.into()), range: at.range }
}

/// Joins two texts, at least one of which is computed by the run; `None` if neither is.
pub fn joined(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Option<Arr>> {
    if !matches!(a.repr, Repr::Text(_)) && !matches!(b.repr, Repr::Text(_)) {
        return Ok(None);
    }
    let mut parts = Vec::new();
    for x in [a, b] {
        match &x.repr {
            Repr::Text(own) if own.iter().any(|piece| is_tall(&piece.arr)) => {
                return not_supported(ev.at, "the lines of a matrix that the run writes, joined with others,");
            }
            Repr::Text(own) => parts.extend(own.iter().cloned()),
            _ if x.kind == Kind::Char && x.rank() <= 1 => parts.push(Piece { arr: x.clone(), fixed: None }),
            _ => return not_supported(ev.at, "a text that the run writes, joined with numbers (`⍕` makes them text),"),
        }
    }
    Ok(Some(written_by_the_run(a, parts)))
}

/// Rejects a text computed at run time as an argument of a function that needs its length.
pub fn known_length(x: &Arr) -> Res<()> {
    match x.repr {
        Repr::Text(_) => not_supported(x.range, "a text that the run writes, for anything but `,` and printing,"),
        _ => Ok(()),
    }
}
