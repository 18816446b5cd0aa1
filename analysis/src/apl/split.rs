//! Parts of arrays along their leading axes: cells, and the rows of a matrix as separate arrays.

use super::constant::settled;
use super::context::FEW;
use super::nested::{collect, enclose};
use super::value::{Arr, Ev, Kind, Repr, Res, Rows, not_supported};
use crate::front::term::Term;
use std::rc::Rc;

/// The part of an array at an index of its leading axes.
pub fn cell(ev: &mut Ev, x: &Arr, outer: &[Term]) -> Res<Arr> {
    let shape = x.shape[outer.len()..].to_vec();
    if outer.is_empty() {
        return Ok(x.clone());
    }
    if shape.is_empty() {
        let term = ev.element(x, outer)?;
        return ev.of_term(x.kind, term);
    }
    let (x, outer) = (x.clone(), outer.to_vec());
    Ok(ev.of_pull(x.kind, shape, move |ev, inner| ev.element(&x, &[&outer, inner].concat())))
}

/// Split, `↓x`: the rows of an array as separate arrays.
pub fn split(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    if x.rank() < 2 {
        return Ok(enclose(x));
    }
    if x.rank() > 2 {
        return not_supported(x.range, "`↓` of an array of a rank above 2");
    }
    if x.kind == Kind::Nested {
        let (Some(boxes), Some(&[rows, columns])) = (x.boxes(), x.extents().as_deref()) else {
            return not_supported(x.range, "`↓` of a matrix of arrays that the run makes");
        };
        let row = |row: usize| collect(ev, vec![x.shape[1].clone()], &boxes[row * columns..(row + 1) * columns]);
        let rows = (0..rows).map(row).collect::<Res<Vec<Arr>>>()?;
        return collect(ev, vec![x.shape[0].clone()], &rows);
    }
    let x = ev.ready(x)?;
    if let Some(rows) = x.shape[0].as_const().filter(|rows| *rows <= FEW as i64) {
        let rows = (0..rows as i32).map(|row| {
            let row = ev.int(row);
            let row = cell(ev, &x, &[row])?;
            if x.known().is_some() { settled(ev, row) } else { Ok(row) }
        });
        let rows = rows.collect::<Res<Vec<Arr>>>()?;
        return collect(ev, vec![x.shape[0].clone()], &rows);
    }
    let (kind, shape, n) = (x.kind, x.shape[1..].to_vec(), x.shape[0].clone());
    let row = move |ev: &mut Ev, i: &Term| cell(ev, &x, std::slice::from_ref(i));
    let rows = Rows { kind, rank: 1, shape: Some(shape), stored: false, row: Rc::new(row) };
    Ok(Arr { kind: Kind::Nested, shape: vec![n], repr: Repr::Rows(rows), range: ev.at })
}
