//! Where `interleave` puts elements: a view if the positions are known before the run, otherwise `scatter`.
//!
//! An index is a number with digits: `p / 4 * 64 + p % 4 * 8 + i` has the digits `p / 4`, `p % 4` and `i`. If their
//! weights are those of the whole in another order, then the parts are the whole with axes exchanged.

use super::scalar;
use super::value::{Ev, Fun, Int, Place, Res, Value};
use crate::front::term::{Kind, Term};
use crate::size::{Node, Size, Var};
use std::rc::Rc;

pub enum Layout {
    /// The parts are concatenated.
    Joined,
    /// The digits in the order of the parts, each with its range and its weight in the whole.
    Digits(Vec<Digit>),
    /// Any other layout, given by the function from parts to the whole.
    Scattered(Fun),
}

#[derive(Debug, Clone)]
pub struct Digit {
    /// Whether it is a digit of the program's number; otherwise of the index in the program.
    of_program: bool,
    range: i64,
    /// Its weight in the index of the whole.
    worth: i64,
}

/// The layout of `m` parts of `n` elements.
pub fn layout(ev: &mut Ev, place: &Fun, m: &Size, n: &Size) -> Res<Layout> {
    let found = ev.probe(|ev| {
        let (p, program) = ev.below("p", m);
        let (i, index) = ev.below("i", n);
        let joined = program.size.as_ref().zip(index.size.as_ref()).map(|(p, i)| p.mul(n).add(i));
        let whole = place(ev, Value::Pair(Rc::new((Value::Int(program), Value::Int(index)))))?.int(ev)?;
        let (Some(size), Some(joined)) = (whole.size, joined) else { return Ok(None) };
        let (p, i) = (p.as_size(), i.as_size());
        if ev.facts.equal(&size, &joined).is_yes() {
            return Ok(Some(Layout::Joined));
        }
        let (Some(m), Some(n)) = (m.as_const(), n.as_const()) else { return Ok(None) };
        let (Some(p), Some(i)) = (p.as_var(), i.as_var()) else { return Ok(None) };
        Ok(digits(&size, (p, m), (i, n)).map(Layout::Digits))
    })?;
    Ok(found.unwrap_or_else(|| Layout::Scattered(place.clone())))
}

/// The digits of an index that is a sum of them.
fn digits(size: &Size, p: (&Var, i64), i: (&Var, i64)) -> Option<Vec<Digit>> {
    let mut found = Vec::new();
    let mut left = size.clone();
    for ((var, extent), of_program) in [(p, true), (i, false)] {
        // The parts that are multiples of the variable or of its quotients.
        let mut factors: Vec<(i64, i64)> = Vec::new();
        for summand in size.summands() {
            let Some(by) = quotient(&summand.monomial, var) else { continue };
            if summand.denominator != 1 {
                return None;
            }
            let factor = i64::try_from(summand.numerator).ok()?;
            factors.push((by, factor));
            left = left.sub(&summand.monomial.mul(&Size::int(factor)));
        }
        factors.sort_unstable();
        let mut divisors: Vec<i64> = factors.iter().map(|(by, _)| *by).chain([1, extent]).collect();
        divisors.sort_unstable();
        divisors.dedup();
        // From the digit that is worth most.
        for pair in divisors.windows(2).rev() {
            let (least, next) = (pair[0], pair[1]);
            if least < 1 || next % least != 0 {
                return None;
            }
            let worth = factors.iter().filter(|(by, _)| *by <= least).try_fold(0i64, |sum, (by, factor)| {
                if least % by != 0 {
                    return None;
                }
                sum.checked_add(factor.checked_mul(least / by)?)
            })?;
            if next / least > 1 {
                found.push(Digit { of_program, range: next / least, worth });
            }
        }
    }
    if !left.is_zero() {
        return None;
    }
    // The worth of each is the product of the ranges of those that are worth less.
    let mut sorted: Vec<&Digit> = found.iter().collect();
    sorted.sort_by_key(|digit| digit.worth);
    let mut worth = 1i64;
    for digit in sorted {
        if digit.worth != worth {
            return None;
        }
        worth = worth.checked_mul(digit.range)?;
    }
    Some(found)
}

/// The divisor, if the monomial is the variable divided by a constant.
fn quotient(monomial: &Size, var: &Var) -> Option<i64> {
    match monomial.node() {
        Node::Var(own) if own == *var => Some(1),
        Node::FloorDiv { num, den, .. } => match (*num, *den) {
            (Node::Var(own), Node::Int(by)) if own == *var => i64::try_from(by).ok(),
            _ => None,
        },
        _ => None,
    }
}

impl Layout {
    /// The number of programs that compute the first `most` elements of the whole.
    pub fn programs_for(&self, most: i64, m: &Size, n: &Size) -> Size {
        let (Some(all), Some(n)) = (m.as_const(), n.as_const()) else { return m.clone() };
        let up = |step: i64, each: i64| if step < 1 { all } else { ((most + step - 1) / step * each).min(all) };
        let wanted = match self {
            Layout::Joined => up(n, 1),
            Layout::Digits(digits) => match digits.first() {
                // The digit that is worth most is one of programs: of the others, all are needed.
                Some(first) if first.of_program && digits.iter().all(|digit| digit.worth <= first.worth) => {
                    up(first.worth, all / first.range)
                }
                _ => all,
            },
            Layout::Scattered(_) => all,
        };
        Size::int(wanted.max(1))
    }

    /// Digits of the number of a program and of an index in it, if both are in the order of the whole.
    pub fn nested(&self) -> Option<(Vec<Digit>, Vec<Digit>)> {
        let Layout::Digits(digits) = self else { return None };
        let (programs, indices): (Vec<Digit>, Vec<Digit>) = digits.iter().cloned().partition(|digit| digit.of_program);
        let ordered = indices.windows(2).all(|pair| pair[0].worth > pair[1].worth);
        (ordered && (1..=3).contains(&programs.len())).then_some((programs, indices))
    }

    /// Joins `m` parts of `n` elements each in this layout. A part of one element is the element itself, not an array.
    pub fn apply(&self, ev: &mut Ev, rows: Term, m: &Size, n: &Size) -> Res<Term> {
        let one = n.is_one();
        let joined = |ev: &Ev| if one { rows.clone() } else { ev.app("join", [rows.clone()]) };
        match self {
            Layout::Joined => Ok(joined(ev)),
            Layout::Digits(digits) => Ok(exchanged(ev, digits, rows, one)),
            Layout::Scattered(place) => {
                let flat = joined(ev);
                let (bound, index) = ev.below("k", &m.mul(n));
                let (body, ()) = ev.scoped(|ev| {
                    let (whole, n) = (Value::Int(index), Value::Int(ev.of_size(n)));
                    let p = scalar::binary(ev, "divi", &whole, &n)?;
                    let i = scalar::binary(ev, "modi", &whole, &n)?;
                    let at = place(ev, Value::Pair(Rc::new((p, i))))?.int(ev)?;
                    Ok((at.term, ()))
                })?;
                let function = ev.term(Kind::Lambda(vec![bound], body));
                Ok(ev.app("scatter", [function, flat]))
            }
        }
    }
}

/// A map for each digit of the number of a program, the first one outside: `row` gives the elements of a program, which
/// have the digits `indices`. Each map exchanges its own axis with those inside that are worth more, so that a program
/// writes its elements where they belong.
pub fn nest<T>(
    ev: &mut Ev,
    programs: &[Digit],
    indices: &[Digit],
    row: impl FnOnce(&mut Ev, &Int) -> Res<(Term, T)>,
) -> Res<(Term, T)> {
    let mut sorted = Vec::new();
    let zero = ev.number(0);
    let (term, more) = level(ev, programs, indices, &zero, &mut sorted, row)?;
    Ok((term, more))
}

/// The flat array of the programs whose first digits are `before`; `sorted` becomes its digits in the order of the whole.
fn level<T>(
    ev: &mut Ev,
    programs: &[Digit],
    indices: &[Digit],
    before: &Int,
    sorted: &mut Vec<Digit>,
    row: impl FnOnce(&mut Ev, &Int) -> Res<(Term, T)>,
) -> Res<(Term, T)> {
    let Some((own, inner)) = programs.split_first() else {
        sorted.extend_from_slice(indices);
        return row(ev, before);
    };
    let map = ["mapWrg0", "mapWrg1", "mapWrg2"].get(inner.len()).copied().unwrap_or("map");
    let mut above = 0;
    let (rows, more) = super::arrays::over(ev, map, &Size::int(own.range), Place::Group, |ev, digit| {
        let range = Value::Int(ev.number(own.range));
        let shifted = scalar::binary(ev, "muli", &Value::Int(before.clone()), &range)?;
        let program = scalar::binary(ev, "addi", &shifted, &Value::Int(digit.clone()))?.int(ev)?;
        let (flat, more) = level(ev, inner, indices, &program, sorted, row)?;
        above = sorted.iter().filter(|digit| digit.worth > own.worth).count();
        let rest: i64 = sorted[above..].iter().map(|digit| digit.range).product();
        let cut = above > 0 && above < sorted.len();
        Ok((if cut { ev.app("split", [ev.size_argument(&Size::int(rest)), flat]) } else { flat }, more))
    })?;
    let exchanged = if above > 0 { ev.app("transpose", [rows]) } else { rows };
    let joined = ev.app("join", [exchanged]);
    let cut = above > 0 && above < sorted.len();
    sorted.insert(above, own.clone());
    Ok((if cut { ev.app("join", [joined]) } else { joined }, more))
}

/// A view of an array below `depth` axes.
fn below(ev: &mut Ev, depth: usize, xs: Term, view: &dyn Fn(&Ev, Term) -> Term) -> Term {
    if depth == 0 {
        return view(ev, xs);
    }
    let bound = ev.fresh("part");
    let part = ev.local(&bound);
    let inner = below(ev, depth - 1, part, view);
    let function = ev.term(Kind::Lambda(vec![bound], inner));
    ev.app("map", [function, xs])
}

/// Splits an array into an axis for each digit, sorts the axes by transpositions of neighbours, and joins them.
fn exchanged(ev: &mut Ev, digits: &[Digit], rows: Term, one: bool) -> Term {
    let mut xs = rows;
    let programs = digits.iter().filter(|digit| digit.of_program).count();
    // The inner axis first: splitting the outer one moves it.
    let groups = [(1usize, &digits[programs..]), (0, &digits[..programs])];
    for (depth, own) in groups {
        if depth == 1 && one {
            continue;
        }
        if own.is_empty() {
            // An axis of length 1.
            xs = below(ev, depth, xs, &|ev, xs| ev.app("head", [xs]));
        }
        // From the left: rows of all digits after the first.
        let mut left: i64 = own.iter().map(|digit| digit.range).product();
        for (place, digit) in own.iter().enumerate().take(own.len().saturating_sub(1)) {
            left /= digit.range.max(1);
            let size = Size::int(left);
            xs = below(ev, depth + place, xs, &|ev, xs| ev.app("split", [ev.size_argument(&size), xs]));
        }
    }
    let mut order: Vec<i64> = digits.iter().map(|digit| digit.worth).collect();
    for end in (1..order.len()).rev() {
        for at in 0..end {
            if order[at] < order[at + 1] {
                order.swap(at, at + 1);
                xs = below(ev, at, xs, &|ev, xs| ev.app("transpose", [xs]));
            }
        }
    }
    for _ in 1..order.len() {
        xs = ev.app("join", [xs]);
    }
    xs
}
