//! Addresses of elements of arrays that are views of memory, to load several neighbours at once.

use super::super::function::FunctionBuilder;
use super::super::read::part;
use super::super::value::{Array, Layout, Memory, Place, Root, View};
use lift_analysis::hir::Scalar;
use lift_analysis::size::{Size, Var};

/// The value at an index.
enum Found<'k> {
    Place(Place),
    Array(Array<'k>),
}

/// How the address of an element depends on two indices.
#[derive(Debug, Clone)]
pub struct Strides {
    pub memory: Memory,
    /// The stride of each index.
    pub first: Size,
    pub second: Size,
    /// The address of the element at 0, 0.
    pub base: Size,
}

/// Why the rows that a function joins are examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joined {
    /// The address of each element.
    Exactly,
    /// The strides inside a row, the same in each row.
    InRows,
}

/// Whether neighbours along the first and along the second index are adjacent in a buffer; for tuples, the
/// components of each kind. For joined rows: whether neighbours in a row are adjacent.
pub fn lies<'k>(f: &mut FunctionBuilder<'_, 'k>, a: &Array<'k>) -> Option<(bool, bool)> {
    let (i, j) = (f.program_mut().fresh_var("i"), f.program_mut().fresh_var("j"));
    let Found::Array(row) = find(f, a, &Size::var(i.clone()), Joined::InRows)? else { return None };
    let Found::Place(place) = find(f, &row, &Size::var(j.clone()), Joined::InRows)? else { return None };
    if !in_buffers(&place.layout) {
        return None;
    }
    let (second, rest) = linear(&place.at, &j)?;
    let (first, _) = linear(&rest, &i)?;
    Some((first.is_one(), second.is_one()))
}

/// The address of element `[first][second]`, if it is a scalar in a buffer and its address is linear in both
/// indices.
pub fn strides<'k>(f: &mut FunctionBuilder<'_, 'k>, a: &Array<'k>) -> Option<Strides> {
    let (i, j) = (f.program_mut().fresh_var("i"), f.program_mut().fresh_var("j"));
    let Found::Array(row) = find(f, a, &Size::var(i.clone()), Joined::Exactly)? else { return None };
    let Found::Place(place) = find(f, &row, &Size::var(j.clone()), Joined::Exactly)? else { return None };
    let Layout::Scalar(memory) = &*place.layout else { return None };
    if !matches!(memory.root, Root::Buffer(_)) {
        return None;
    }
    let (second, rest) = linear(&place.at, &j)?;
    let (first, base) = linear(&rest, &i)?;
    let free = |s: &Size| !s.contains(&i) && !s.contains(&j);
    let all = [&first, &second, &base].into_iter().all(free);
    (all && free(&row.len)).then(|| Strides { memory: memory.clone(), first, second, base })
}

fn find<'k>(f: &mut FunctionBuilder<'_, 'k>, a: &Array<'k>, i: &Size, joined: Joined) -> Option<Found<'k>> {
    let i = &f.facts().simplify(i);
    Some(match &*a.view {
        View::Stored { element, base } => {
            let at = f.facts().simplify(&base.add(i));
            match &**element {
                Layout::Array { len, capacity, element } => {
                    let base = f.facts().simplify(&at.mul(capacity));
                    Found::Array(Array::new(len.clone(), View::Stored { element: element.clone(), base }))
                }
                _ => Found::Place(Place { layout: element.clone(), at }),
            }
        }
        View::Rows { row, of } => Found::Array(part(row.clone(), i.mul(row), Size::one(), of)),
        View::Windows { size, step, of } => Found::Array(part(size.clone(), i.mul(step), Size::one(), of)),
        View::Part { from, step, of } => find(f, of, &from.add(&i.mul(step)), joined)?,
        View::Transposed(of) => {
            Found::Array(Array::new(of.len.clone(), View::Column { at: i.clone(), of: of.clone() }))
        }
        View::Column { at, of } => match find(f, of, i, joined)? {
            Found::Array(row) => find(f, &row, at, joined)?,
            Found::Place(_) => return None,
        },
        View::Flat { of, .. } if joined == Joined::InRows => {
            let row = Size::var(f.program_mut().fresh_var("row"));
            match find(f, of, &row, joined)? {
                Found::Array(row) => find(f, &row, i, joined)?,
                Found::Place(_) => return None,
            }
        }
        _ => return None,
    })
}

/// Whether the value is a scalar in a buffer or a tuple of such scalars.
fn in_buffers(layout: &Layout) -> bool {
    match layout {
        Layout::Scalar(memory) => matches!(memory.root, Root::Buffer(_)),
        Layout::Tuple(parts) => parts.iter().all(|part| in_buffers(part)),
        _ => false,
    }
}

fn linear(s: &Size, v: &Var) -> Option<(Size, Size)> {
    if s.contains(v) { s.linear_in(v) } else { Some((Size::zero(), s.clone())) }
}

/// Whether four of these scalars are a vector of 16 bytes.
pub fn is_word(s: Scalar) -> bool {
    matches!(s, Scalar::Float | Scalar::Int)
}
