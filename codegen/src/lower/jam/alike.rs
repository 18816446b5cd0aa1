//! Values that are certainly the same. Different forms of one value count as different.

use super::super::value::{Array, Closure, Value, View};
use crate::schedule::uses;
use rustc_hash::FxHashSet;
use std::rc::Rc;

pub fn alike(a: &Value<'_>, b: &Value<'_>) -> bool {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => a == b,
        (Value::Vec(a), Value::Vec(b)) => a == b,
        (Value::Tuple(a), Value::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Array(a), Value::Array(b)) => alike_arrays(a, b),
        (Value::Packed { sizes: n, body: a }, Value::Packed { sizes: m, body: b }) => n == m && alike(a, b),
        (Value::Deferred(a), Value::Deferred(b)) => Rc::ptr_eq(a, b),
        (Value::Place(a), Value::Place(b)) => a == b,
        _ => false,
    }
}

pub fn alike_arrays(a: &Array<'_>, b: &Array<'_>) -> bool {
    if a.len != b.len {
        return false;
    }
    if Rc::ptr_eq(&a.view, &b.view) {
        return true;
    }
    match (&*a.view, &*b.view) {
        (View::Stored { element: a, base: i }, View::Stored { element: b, base: j }) => i == j && a == b,
        (View::Packed { layout: a, base: i }, View::Packed { layout: b, base: j }) => i == j && a == b,
        (View::Zip(a), View::Zip(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike_arrays(a, b)),
        (View::Component(a, i), View::Component(b, j)) => i == j && alike_arrays(a, b),
        (View::Rows { row: i, of: a }, View::Rows { row: j, of: b })
        | (View::Flat { row: i, of: a }, View::Flat { row: j, of: b })
        | (View::Column { at: i, of: a }, View::Column { at: j, of: b }) => i == j && alike_arrays(a, b),
        (View::Windows { size: i, step: k, of: a }, View::Windows { size: j, step: l, of: b })
        | (View::Part { from: i, step: k, of: a }, View::Part { from: j, step: l, of: b })
        | (View::Strided { step: i, columns: k, of: a }, View::Strided { step: j, columns: l, of: b }) => {
            i == j && k == l && alike_arrays(a, b)
        }
        (View::Pad { left: i, mode: m, of: a }, View::Pad { left: j, mode: n, of: b }) => {
            i == j && m == n && alike_arrays(a, b)
        }
        (View::PadConstant { left: i, value: x, of: a }, View::PadConstant { left: j, value: y, of: b }) => {
            i == j && alike(x, y) && alike_arrays(a, b)
        }
        (View::Transposed(a), View::Transposed(b)) => alike_arrays(a, b),
        (View::Concat(a, c), View::Concat(b, d)) => alike_arrays(a, b) && alike_arrays(c, d),
        (View::Iota, View::Iota) => true,
        (View::Fill(a), View::Fill(b)) => alike(a, b),
        (View::Generated(f), View::Generated(g)) => alike_functions(f, g),
        (View::Mapped(f, a), View::Mapped(g, b)) | (View::Gathered(f, a), View::Gathered(g, b)) => {
            alike_functions(f, g) && alike_arrays(a, b)
        }
        _ => false,
    }
}

/// One function whose free variables are alike.
fn alike_functions(f: &Closure<'_>, g: &Closure<'_>) -> bool {
    if !std::ptr::eq(f.lambda, g.lambda) || !f.env.has_sizes_of(&g.env) {
        return false;
    }
    let mut read = FxHashSet::default();
    f.lambda.body.visit(&mut |stmt| uses::variables(stmt, &mut read));
    if let crate::core::Atom::Var(result) = f.lambda.body.result {
        read.insert(result);
    }
    read.iter().all(|v| match (f.env.get(*v), g.env.get(*v)) {
        (Some(a), Some(b)) => alike(a, b),
        (None, None) => true,
        _ => false,
    })
}
