//! Arrays of arrays. Those written side by side are separate values; those that a function makes for each element of a
//! long vector are rows, whose lengths the run computes.

use super::choice::{ROW_LENGTH, one_of, selectable};
use super::context::{FEW, MANY};
use super::structure::{catenate, constant_index, join_kinds, mixed, ravel, take, with_row_axis};
use super::value::{Arr, Ev, Kind, One, Piece, Repr, Res, Rows, fail, not_supported};
use super::{constant, structure, text};
use crate::front::term::Term;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::{AplIndex, AplLength, AplRank};
use std::rc::Rc;

/// The element of a scalar: the array in it, or the scalar itself.
pub fn opened(x: &Arr) -> Arr {
    match x.boxes() {
        Some([one]) if x.rank() == 0 => one.clone(),
        _ => x.clone(),
    }
}

/// An array with one array in it. A scalar of numbers or characters is its own element.
pub fn enclose(x: &Arr) -> Arr {
    if x.rank() == 0 && x.kind != Kind::Nested && !matches!(x.repr, Repr::Text(_)) {
        return x.clone();
    }
    boxed(x, Vec::new(), vec![x.clone()])
}

pub fn boxed(at: &Arr, shape: Vec<Size>, boxes: Vec<Arr>) -> Arr {
    Arr { kind: Kind::Nested, shape, repr: Repr::Boxes(boxes.into()), range: at.range }
}

/// The elements of an array as arrays; `None` if there are many or their number is unknown.
pub fn separate(ev: &mut Ev, x: &Arr, most: usize) -> Res<Option<Vec<Arr>>> {
    if let Some(boxes) = x.boxes() {
        return Ok(Some(boxes.to_vec()));
    }
    if let Some(items) = x.items() {
        let items = items.to_vec();
        return Ok((items.len() <= most).then(|| items.into_iter().map(|item| ev.of_scalar(item)).collect()));
    }
    let (Some(extents), true) = (x.extents(), x.kind != Kind::Nested) else { return Ok(None) };
    let count: usize = extents.iter().product();
    if count > most {
        return Ok(None);
    }
    let x = ev.stored(x)?;
    let mut found = Vec::with_capacity(count);
    for place in 0..count {
        let index = constant_index(ev, place, &extents);
        let element = ev.element(&x, &index)?;
        found.push(ev.of_term(x.kind, element)?);
    }
    Ok(Some(found))
}

/// The array of results for each element: of numbers or characters if each is one, otherwise of arrays.
pub fn collect(ev: &mut Ev, shape: Vec<Size>, found: &[Arr]) -> Res<Arr> {
    let found: Vec<Arr> = found.iter().map(opened).collect();
    let characters = found.iter().filter(|x| x.kind == Kind::Char).count();
    let simple = found.iter().all(|x| x.rank() == 0 && x.kind != Kind::Nested);
    if !simple || characters != 0 && characters != found.len() {
        let at = ev.of_items(Kind::Bool, Vec::new(), Vec::new());
        return Ok(boxed(&at, shape, found));
    }
    let kind = found.iter().map(|x| x.kind).max().unwrap_or(Kind::Int);
    let mut items = Vec::with_capacity(found.len());
    for x in &found {
        let x = ev.as_kind(x, kind)?;
        items.extend(x.scalar().cloned());
    }
    Ok(ev.of_items(kind, shape, items))
}

/// Catenate: along the last axis for `,`, along the first for `⍪`.
pub fn join(ev: &mut Ev, glyph: char, a: &Arr, b: &Arr) -> Res<Arr> {
    let rank = a.rank().max(b.rank()).max(1);
    join_along(ev, glyph, if glyph == ',' { rank - 1 } else { 0 }, a, b)
}

/// Catenate along an axis.
pub fn join_along(ev: &mut Ev, glyph: char, axis: usize, a: &Arr, b: &Arr) -> Res<Arr> {
    if let Some(text) = text::joined(ev, a, b)? {
        return Ok(text);
    }
    if a.kind == Kind::Nested || b.kind == Kind::Nested || mixed(a, b) && is_few(a) && is_few(b) {
        return if a.rank().max(b.rank()) > 1 { join_boxes(ev, glyph, axis, a, b) } else { join_nested(ev, a, b) };
    }
    catenate(ev, glyph, axis, a, b)
}

/// Whether the elements of an array can be separate values.
fn is_few(x: &Arr) -> bool {
    let count = |extents: Vec<usize>| extents.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
    x.rank() <= 1 || x.extents().and_then(count).is_some_and(|count| count <= MANY)
}

/// Joins two arrays of arrays, one of which has several axes.
fn join_boxes(ev: &mut Ev, glyph: char, axis: usize, a: &Arr, b: &Arr) -> Res<Arr> {
    let rank = a.rank().max(b.rank());
    if [a, b].into_iter().any(|x| x.rank() > 0 && x.rank() + 1 < rank) {
        return fail(AplRank, ev.at, format!("`{glyph}` joins arrays whose ranks differ by 1 at most"));
    }
    let whole = if a.rank() == rank { a } else { b };
    let (Some(frame), Some(x), Some(y)) = (whole.extents(), separate(ev, a, MANY)?, separate(ev, b, MANY)?) else {
        return not_supported(ev.at, "an array of arrays with several axes whose lengths the run computes");
    };
    let mut sides = Vec::new();
    for (x, parts) in [(a, x), (b, y)] {
        let mut extents = x.extents().unwrap_or_default();
        if extents.is_empty() {
            extents = frame.clone();
            extents[axis] = 1;
            let count = extents.iter().product();
            sides.push((extents, vec![parts[0].clone(); count]));
            continue;
        }
        if extents.len() < rank {
            extents.insert(axis, 1);
        }
        sides.push((extents, parts));
    }
    let [(m, x), (n, y)] = &sides[..] else { return Ok(a.clone()) };
    for other in (0..rank).filter(|other| *other != axis) {
        if m[other] != n[other] {
            let message = format!("`{glyph}` joins arrays of lengths {} and {} beside each other", m[other], n[other]);
            return fail(AplLength, ev.at, message);
        }
    }
    // The number of elements of each side in a step along an earlier axis.
    let own = |extents: &[usize]| extents[axis..].iter().product::<usize>();
    let steps: usize = m[..axis].iter().product();
    let mut all = Vec::with_capacity(x.len() + y.len());
    for step in 0..steps {
        all.extend(x.iter().skip(step * own(m)).take(own(m)).cloned());
        all.extend(y.iter().skip(step * own(n)).take(own(n)).cloned());
    }
    let mut shape = m.clone();
    shape[axis] += n[axis];
    let shape = shape.into_iter().map(|n| Size::nat(n as u64)).collect();
    let all: Vec<Arr> = all.iter().map(opened).collect();
    collect(ev, shape, &all)
}

/// Joins two vectors, if one contains arrays or if they mix characters and numbers.
fn join_nested(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Arr> {
    if let Some(joined) = join_rows(ev, a, b)? {
        return Ok(joined);
    }
    let (Some(mut all), Some(more)) = (separate(ev, a, MANY)?, separate(ev, b, MANY)?) else {
        return not_supported(ev.at, "an array of arrays of different kinds whose lengths the run computes");
    };
    all.extend(more);
    let all: Vec<Arr> = all.iter().map(|x| if x.rank() == 0 { opened(x) } else { x.clone() }).collect();
    let shape = vec![Size::nat(all.len() as u64)];
    collect(ev, shape, &all)
}

/// Joins vectors of rows.
fn join_rows(ev: &mut Ev, a: &Arr, b: &Arr) -> Res<Option<Arr>> {
    if a.rows().is_none() && b.rows().is_none() {
        return Ok(None);
    }
    let (Some(x), Some(y)) = (as_rows(ev, a)?, as_rows(ev, b)?) else { return Ok(None) };
    if x.kind != y.kind || x.rank != y.rank {
        return Ok(None);
    }
    let split = a.shape.first().cloned().unwrap_or_else(Size::one);
    let n = split.add(b.shape.first().unwrap_or(&Size::one()));
    let (kind, rank) = (x.kind, x.rank);
    if rank != 1 {
        return Ok(None);
    }
    let row = move |ev: &mut Ev, i: &Term| {
        let split = ev.size_term(&split);
        let condition = ev.less(i.clone(), split.clone());
        let condition = ev.share(condition, "before")?;
        let rest = ev.minus(i.clone(), split);
        let (zero, one) = (ev.int(0), ev.int(0));
        // Both rows are opened, one of them at its first place; only the other is read.
        let left = ev.choose(condition.clone(), i.clone(), zero);
        let right = ev.choose(condition.clone(), one, rest);
        let (left, right) = ((x.row)(ev, &left)?, (y.row)(ev, &right)?);
        let (m, n) = (ev.size_term(&left.shape[0]), ev.size_term(&right.shape[0]));
        let length = ev.choose(condition.clone(), m, n);
        let length = ev.of_term(Kind::Int, length)?;
        let length = ev.reify(&length, ROW_LENGTH)?;
        let condition = condition.clone();
        Ok(ev.of_pull(kind, vec![length], move |ev, index| {
            ev.branches(condition.clone(), |ev| ev.element(&left, index), |ev| ev.element(&right, index))
        }))
    };
    let rows = Rows { kind, rank, shape: None, row: Rc::new(row), stored: false };
    Ok(Some(Arr { kind: Kind::Nested, shape: vec![n], repr: Repr::Rows(rows), range: ev.at }))
}

/// The array as rows: rows, one enclosed array, or vectors of one kind.
fn as_rows(ev: &mut Ev, x: &Arr) -> Res<Option<Rows>> {
    if let Some(rows) = x.rows() {
        return Ok(Some(rows.clone()));
    }
    let Some([one]) = x.boxes() else {
        return Ok(selectable(ev, x)?.as_ref().and_then(Arr::rows).cloned());
    };
    let one = one.clone();
    let (kind, rank) = (one.kind, one.rank());
    Ok(Some(Rows {
        kind,
        rank,
        shape: one.extents().map(|_| one.shape.clone()),
        row: Rc::new(move |_, _| Ok(one.clone())),
        stored: false,
    }))
}

impl Ev {
    /// Stores each array of an array of arrays.
    pub fn stored_nested(&mut self, x: &Arr) -> Res<Arr> {
        let each = |ev: &mut Ev, parts: &[Arr]| parts.iter().map(|part| ev.stored(part)).collect::<Res<Vec<Arr>>>();
        match &x.repr {
            Repr::Boxes(boxes) => Ok(Arr { repr: Repr::Boxes(each(self, boxes)?.into()), ..x.clone() }),
            Repr::Text(parts) => {
                let stored = |part: &Piece| Ok(Piece { arr: self.stored(&part.arr)?, ..part.clone() });
                let parts = parts.iter().map(stored).collect::<Res<Vec<Piece>>>()?;
                Ok(Arr { repr: Repr::Text(parts.into()), ..x.clone() })
            }
            Repr::Rows(rows) if rows.rank == 1 && !rows.stored => stored_rows(self, x, rows),
            _ => Ok(x.clone()),
        }
    }
}

/// The rows as one value of the kernel.
pub fn rows_term(ev: &mut Ev, x: &Arr, rows: &Rows) -> Res<Term> {
    let all = ev.size_argument(&x.shape[0]);
    let all = ev.app("iota", [all]);
    let row = rows.row.clone();
    let function = ev.lambda(&["i"], |ev, args| {
        let made = ev.inside(|ev| row(ev, &args[0]).and_then(|row| ev.stored(&row)));
        match made?.repr {
            Repr::Stored(bound) => Ok(ev.local(&bound)),
            _ => not_supported(ev.at, "an array of such arrays"),
        }
    })?;
    Ok(ev.app("map", [function, all]))
}

fn stored_rows(ev: &mut Ev, x: &Arr, rows: &Rows) -> Res<Arr> {
    let before = std::mem::replace(&mut ev.at, x.range);
    let term = rows_term(ev, x, rows);
    let bound = ev.bind(term?, "rows")?;
    ev.at = before;
    let (kind, range, shape) = (rows.kind, x.range, rows.shape.clone());
    let row = move |ev: &mut Ev, i: &Term| {
        let row = ev.app("aref", [ev.local(&bound), i.clone()]).worded(ev.outside());
        if let Some(shape) = &shape {
            let row = ev.bind(row, "row")?;
            return Ok(Arr { kind, shape: shape.clone(), repr: Repr::Stored(row), range });
        }
        let (length, row) = ev.unpack(row, "row", ROW_LENGTH)?;
        Ok(Arr { kind, shape: vec![length], repr: Repr::Stored(row), range })
    };
    let rows = Rows { row: Rc::new(row), stored: true, ..rows.clone() };
    Ok(Arr { repr: Repr::Rows(rows), ..x.clone() })
}

/// Converts a function's result to an element: a scalar that holds an array is enclosed once more, so that it stays a
/// scalar.
fn element(x: Arr) -> Arr {
    if x.rank() == 0 && x.kind == Kind::Nested { boxed(&x, Vec::new(), vec![x.clone()]) } else { x }
}

/// `f¨x` with one argument.
pub fn each(ev: &mut Ev, f: &One, x: &Arr) -> Res<Arr> {
    if let Some(rows) = x.rows() {
        let (row, f) = (rows.row.clone(), f.clone());
        return over(ev, x.shape.clone(), move |ev, index| {
            let row = row(ev, &index[0])?;
            f(ev, &row)
        });
    }
    if let Some(items) = separate(ev, x, if x.boxes().is_some() { MANY } else { FEW })? {
        let found = items.iter().map(|item| Ok(element(f(ev, item)?))).collect::<Res<Vec<Arr>>>()?;
        return collect(ev, x.shape.clone(), &found);
    }
    let x = ev.ready(x)?;
    let (shape, f) = (x.shape.clone(), f.clone());
    over(ev, shape, move |ev, index| {
        let element = ev.element(&x, index)?;
        let element = ev.of_term(x.kind, element)?;
        f(ev, &element)
    })
}

/// The argument of an each-function at an index; a scalar is used at every index.
pub fn at(ev: &mut Ev, x: &Arr, index: &[Term]) -> Res<Arr> {
    match &x.repr {
        Repr::Rows(rows) => (rows.row)(ev, &index[0]),
        Repr::Boxes(_) if x.rank() == 0 => Ok(opened(x)),
        _ => {
            let element = ev.element(x, if x.rank() == 0 { &[] } else { index })?;
            ev.of_term(x.kind, element)
        }
    }
}

type At = Rc<dyn Fn(&mut Ev, &[Term]) -> Res<Arr>>;

/// Whether a length depends on a name bound after the one with a number.
pub fn bound_since(n: &Size, number: u32) -> bool {
    n.vars().iter().any(|var| var.id > number)
}

/// The results of a function of an index: numbers or characters, or rows along one axis.
pub fn over(ev: &mut Ev, shape: Vec<Size>, f: impl Fn(&mut Ev, &[Term]) -> Res<Arr> + 'static) -> Res<Arr> {
    let f: At = Rc::new(f);
    let bound_before = ev.next;
    let probed = ev.probe(|ev| {
        let bound: Vec<_> = shape.iter().map(|_| ev.fresh("p")).collect();
        let index: Vec<Term> = bound.iter().map(|bound| ev.local(bound)).collect();
        f(ev, &index)
    })?;
    if probed.rank() == 0 && probed.kind != Kind::Nested && !matches!(probed.repr, Repr::Text(_)) {
        let kind = probed.kind;
        return Ok(ev.of_pull(kind, shape, move |ev, index| {
            let result = ev.inside(|ev| f(ev, index));
            let result = ev.as_kind(&result?, kind)?;
            ev.element(&result, &[])
        }));
    }
    if shape.len() != 1 || probed.kind == Kind::Nested || matches!(probed.repr, Repr::Text(_)) {
        return not_supported(ev.at, "an array of such arrays");
    }
    let row = move |ev: &mut Ev, i: &Term| f(ev, std::slice::from_ref(i));
    let own = probed.shape.iter().any(|n| bound_since(n, bound_before));
    let same = (!own).then(|| probed.shape.clone());
    let rows = Rows { kind: probed.kind, rank: probed.rank(), shape: same, row: Rc::new(row), stored: false };
    Ok(Arr { kind: Kind::Nested, shape, repr: Repr::Rows(rows), range: ev.at })
}

/// The results for each of several groups in one array, if they have one shape, otherwise as an array of arrays.
pub fn mixed_results(ev: &mut Ev, count: usize, found: &[Arr]) -> Res<Arr> {
    let all = collect(ev, vec![Size::nat(count as u64)], found)?;
    let Some(boxes) = all.boxes() else { return Ok(all) };
    if found.iter().all(|part| part.kind != Kind::Nested) {
        return mix(ev, &all);
    }
    // Arrays of arrays of one shape become one with an axis more.
    let alike = boxes.iter().all(|part| part.boxes().is_some() && part.shape == boxes[0].shape);
    if !alike || found.iter().any(|part| part.rank() == 0) {
        return Ok(all.clone());
    }
    let parts = boxes.iter().flat_map(|part| part.boxes().unwrap_or_default()).cloned().collect();
    let shape = [all.shape.clone(), boxes[0].shape.clone()].concat();
    Ok(boxed(&all, shape, parts))
}

/// Mix, `↑x`: the arrays as the rows of one array, filled up to the longest one.
pub fn mix(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if let Some(rows) = x.rows().cloned() {
        return mix_rows(ev, x, &rows);
    }
    let Some(boxes) = x.boxes().map(<[Arr]>::to_vec) else { return Ok(x.clone()) };
    let rank = boxes.iter().map(Arr::rank).max().unwrap_or(0);
    let mut widened = Vec::with_capacity(boxes.len());
    for part in &boxes {
        let mut part = part.clone();
        while part.rank() < rank {
            part = with_row_axis(ev, &part)?;
        }
        widened.push(part);
    }
    let mut shape: Vec<Size> = widened.first().map_or(Vec::new(), |first| first.shape.clone());
    for part in &widened {
        shape = shape.iter().zip(&part.shape).map(|(a, b)| if a == b { a.clone() } else { Size::max(a, b) }).collect();
    }
    if x.rank() <= 1 && widened.iter().any(|part| part.kind == Kind::Nested || mixed(&widened[0], part)) {
        return mix_boxes(ev, x, &shape, &widened);
    }
    let mut kind = widened.first().map_or(Kind::Int, |first| first.kind);
    for part in &widened {
        let other = Arr { kind, ..part.clone() };
        kind = join_kinds(ev, &other, part)?;
    }
    let mut parts = Vec::with_capacity(widened.len());
    for part in widened {
        let counts = shape.iter().map(|size| ev.length(size)).collect();
        let counts = ev.vector(Kind::Int, counts);
        let part = take(ev, &counts, &part)?;
        let part = ev.as_kind(&part, kind)?;
        parts.push(ev.ready(&part)?);
    }
    if x.rank() == 0 {
        return Ok(parts.swap_remove(0));
    }
    if x.rank() != 1 {
        return not_supported(ev.at, "`↑` of a matrix of arrays");
    }
    shape.insert(0, x.shape[0].clone());
    let made = ev.of_pull(kind, shape, move |ev, index| one_of(ev, &parts, &index[0], 0, &index[1..]));
    constant::settled(ev, made)
}

/// The mix of arrays of one rank whose elements are arrays, or numbers beside characters. `shape`: the largest extents.
fn mix_boxes(ev: &mut Ev, x: &Arr, shape: &[Size], parts: &[Arr]) -> Res<Arr> {
    let mut boxes = Vec::new();
    for part in parts {
        let counts = shape.iter().map(|size| ev.length(size)).collect();
        let counts = ev.vector(Kind::Int, counts);
        let filled = take(ev, &counts, part)?;
        let Some(elements) = separate(ev, &filled, MANY)? else {
            return not_supported(ev.at, "`↑` of arrays of arrays whose lengths the run computes");
        };
        boxes.extend(elements);
    }
    Ok(boxed(x, [&x.shape, shape].concat(), boxes))
}

fn mix_rows(ev: &mut Ev, x: &Arr, rows: &Rows) -> Res<Arr> {
    let stored = ev.stored(x)?;
    let Some(rows) = stored.rows().cloned().filter(|_| rows.rank == 1) else {
        return not_supported(ev.at, "`↑` of such arrays");
    };
    let row = rows.row.clone();
    let n = x.shape[0].clone();
    if let Some(shape) = &rows.shape {
        let shape = [vec![n], shape.clone()].concat();
        return Ok(ev.of_pull(rows.kind, shape, move |ev, index| {
            let row = row(ev, &index[0])?;
            ev.element(&row, &index[1..])
        }));
    }
    let lengths = rows.row.clone();
    let all = ev.size_argument(&n);
    let all = ev.app("iota", [all]);
    let length = ev.lambda(&["i"], |ev, args| {
        let row = lengths(ev, &args[0])?;
        Ok(ev.size_term(&row.shape[0]))
    })?;
    let lengths = ev.app("map", [length, all]);
    let width = ev.app("head", [ev.app("reduce", [ev.int(0), ev.global("max"), lengths])]);
    let width = ev.of_term(Kind::Int, width)?;
    let width = ev.reify(&width, "the longest array")?;
    let blank = ev.known(rows.kind, rows.kind.fill());
    Ok(ev.of_pull(rows.kind, vec![n, width], move |ev, index| {
        let row = row(ev, &index[0])?;
        let have = ev.size_term(&row.shape[0]);
        let inside = ev.less(index[1].clone(), have);
        ev.branches(inside, |ev| ev.element(&row, &index[1..]), |_| Ok(blank.term.clone()))
    }))
}

/// The first element, `⊃x`: of an array of arrays, the first array.
pub fn first(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    match &x.repr {
        Repr::Boxes(boxes) if !boxes.is_empty() => Ok(boxes[0].clone()),
        Repr::Rows(rows) => {
            let zero = ev.int(0);
            (rows.row)(ev, &zero)
        }
        _ => structure::first(ev, x),
    }
}

/// Selects one array of a vector of arrays.
pub fn picked(ev: &mut Ev, x: &Arr, i: &Arr) -> Res<Arr> {
    let i = ev.whole(i, "an index")?;
    let Some(item) = i.items().filter(|items| items.len() == 1).and_then(|items| items.first()).cloned() else {
        return not_supported(i.range, "an index of several numbers here");
    };
    let place = ev.minus(item.term, ev.int(ev.origin));
    match (&x.repr, item.known) {
        (Repr::Boxes(boxes), Some(n)) => {
            let place = n as i64 - i64::from(ev.origin);
            match usize::try_from(place).ok().and_then(|place| boxes.get(place)) {
                Some(found) => Ok(found.clone()),
                None => fail(AplIndex, i.range, format!("the index is outside of {} elements", boxes.len())),
            }
        }
        (Repr::Rows(rows), _) => (rows.row)(ev, &place),
        _ => match selectable(ev, x)?.as_ref().and_then(Arr::rows) {
            Some(rows) => (rows.row)(ev, &place),
            None => not_supported(i.range, "an index that the run computes, into arrays of different kinds,"),
        },
    }
}

/// Whether all elements of an array are texts.
pub fn is_texts(x: &Arr) -> bool {
    let is_text = |part: &Arr| part.kind == Kind::Char && part.rank() < 2;
    x.rows().is_some_and(|rows| rows.kind == Kind::Char && rows.rank == 1)
        || x.boxes().is_some_and(|boxes| !boxes.is_empty() && boxes.iter().all(is_text))
}

/// Enlist, `∊x`: the elements of all arrays, concatenated.
pub fn enlist(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if x.rows().is_some_and(|rows| rows.shape.is_some()) {
        let rows = mix(ev, x)?;
        return ravel(ev, &rows);
    }
    if x.rows().is_some() {
        let stored = ev.stored(x)?;
        let Some(rows) = stored.rows().cloned().filter(|rows| rows.rank == 1) else {
            return not_supported(ev.at, "`∊` of such arrays");
        };
        let kind = rows.kind;
        let rows = rows_term(ev, &stored, &rows)?;
        let joined = ev.app("joinRows", [rows]);
        let (length, bound) = ev.unpack(joined, "all", "the number of elements of all arrays together")?;
        return Ok(Arr { kind, shape: vec![length], repr: Repr::Stored(bound), range: ev.at });
    }
    let Some(boxes) = x.boxes().map(<[Arr]>::to_vec) else { return ravel(ev, x) };
    let mut all = ev.vector(Kind::Bool, Vec::new());
    for part in boxes {
        let part = enlist(ev, &part)?;
        all = join(ev, ',', &all, &part)?;
    }
    Ok(all)
}
