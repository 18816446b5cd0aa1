//! Primitives that are views and so cost nothing.

use super::read::part;
use super::value::{Array, Closure, Env, Layout, Pieces, Value, View};
use crate::core::Prim;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};

/// The value of a view primitive; `None` if the arguments do not have the required form. `ty` is the type of the result
/// and `of` that of the last argument; `env` has the values of their lengths.
pub fn view<'k>(
    prim: Prim,
    sizes: Vec<Size>,
    mut funs: Vec<Closure<'k>>,
    args: Vec<Value<'k>>,
    ty: &Ty,
    of: Option<&Ty>,
    env: &Env<'k>,
) -> Option<Value<'k>> {
    let len = || Some(env.size(&ty.as_array()?.len));
    let size = |i: usize| sizes.get(i).cloned();
    if prim == Prim::Zip {
        let parts = args.iter().map(as_array).collect::<Option<Vec<_>>>()?;
        return Some(Value::Array(Array::new(len()?, View::Zip(parts))));
    }
    if matches!(prim, Prim::Iota | Prim::Generate | Prim::Fill) {
        return of_length(prim, size(0)?, funs, args.first()).map(Value::Array);
    }
    if prim == Prim::PadConstant {
        let view = View::PadConstant { left: size(0)?, value: args.first()?.clone(), of: as_array(args.get(1)?)? };
        return Some(Value::Array(Array::new(len()?, view)));
    }
    let xs = as_array(args.first()?)?;
    let one = Size::one();
    Some(Value::Array(match prim {
        Prim::Length => return Some(Value::size(xs.len)),
        Prim::Unzip => {
            let TyKind::Tuple(parts) = ty.kind() else { return None };
            let parts = (0..parts.len()).map(|i| match &*xs.view {
                View::Zip(zipped) if i < zipped.len() => Value::Array(zipped[i].clone()),
                _ => Value::Array(Array::new(xs.len.clone(), View::Component(xs.clone(), i))),
            });
            return Some(Value::Tuple(parts.collect()));
        }
        Prim::Map(_) => Array::new(len()?, View::Mapped(funs.pop()?, xs)),
        Prim::Split => match (&*xs.view, size(0)?) {
            (View::Flat { row, of }, k) if *row == k => of.clone(),
            (_, row) => Array::new(len()?, View::Rows { row, of: xs }),
        },
        Prim::Partition => {
            let rule = funs.pop()?;
            let position = rule.lambda.position.as_ref()?;
            let each = rule.env.size(&rule.lambda.size()?);
            Array::new(len()?, View::Pieces { pieces: Pieces::new(position, &each), of: xs })
        }
        Prim::Join => joined(xs, len, of?, env)?,
        Prim::Slide => Array::new(len()?, View::Windows { size: size(0)?, step: size(1)?, of: xs }),
        Prim::Pad(mode) => Array::new(len()?, View::Pad { left: size(0)?, mode, of: xs }),
        Prim::Transpose => match &*xs.view {
            View::Transposed(of) => of.clone(),
            _ => Array::new(len()?, View::Transposed(xs)),
        },
        Prim::Gather => Array::new(len()?, View::Gathered(funs.pop()?, xs)),
        Prim::Reverse => {
            let last = xs.len.sub(&one);
            part(len()?, last, Size::int(-1), &xs)
        }
        Prim::Stride => {
            let step = size(0)?;
            let columns = env.size(&xs.len).div_exact(&step);
            Array::new(len()?, View::Strided { step, columns, of: xs })
        }
        Prim::Take => part(len()?, Size::zero(), one, &xs),
        Prim::Drop | Prim::Slice => part(len()?, size(0)?, one, &xs),
        Prim::Tail => part(len()?, one.clone(), one, &xs),
        Prim::Concat => Array::new(len()?, View::Concat(xs, as_array(args.get(1)?)?)),
        Prim::AsVector => Array::new(len()?, View::Vectors { width: u8::try_from(size(0)?.as_const()?).ok()?, of: xs }),
        Prim::AsScalar => {
            let TyKind::Vec(_, width) = of?.as_array()?.element.kind() else { return None };
            let width = u8::try_from(width.as_const()?).ok()?;
            Array::new(len()?, View::Lanes { width, of: xs })
        }
        _ => return None,
    }))
}

/// The rows of an array, whose type is `of`, one after the other; `len` computes the length of the result.
fn joined<'k>(xs: Array<'k>, len: impl Fn() -> Option<Size>, of: &Ty, env: &Env<'k>) -> Option<Array<'k>> {
    Some(match &*xs.view {
        View::Rows { row: _, of } => of.clone(),
        View::Pieces { of, .. } => of.clone(),
        View::Stored { element: row, base } if row.dense_row().is_some() => {
            let (len, element) = row.dense_row()?;
            Array::new(xs.len.mul(len), View::Stored { element: element.clone(), base: base.mul(len) })
        }
        View::Packed { layout, base } if rows_of_scalars(layout) => {
            let Layout::Packed { element, .. } = &**layout else { return None };
            let Layout::Array { element, .. } = &**element else { return None };
            Array::new(len()?, View::Stored { element: element.clone(), base: base.clone() })
        }
        _ if pieces(of, env).is_some() => Array::new(len()?, View::FlatPieces { pieces: pieces(of, env)?, of: xs }),
        _ => {
            let row = env.size(&of.as_array()?.element.as_array()?.len);
            Array::new(len()?, View::Flat { row, of: xs })
        }
    })
}

/// `iota`, `generate` and `fill` with the given length.
pub fn of_length<'k>(
    prim: Prim,
    len: Size,
    mut funs: Vec<Closure<'k>>,
    value: Option<&Value<'k>>,
) -> Option<Array<'k>> {
    let view = match prim {
        Prim::Iota => View::Iota,
        Prim::Generate => View::Generated(funs.pop()?),
        Prim::Fill => View::Fill(value?.clone()),
        _ => return None,
    };
    Some(Array::new(len, view))
}

fn rows_of_scalars(layout: &Layout) -> bool {
    matches!(layout, Layout::Packed { element, .. } if matches!(&**element, Layout::Array { .. }))
}

/// The rows of an array type, if they have different lengths.
pub fn pieces(ty: &Ty, env: &Env<'_>) -> Option<Pieces> {
    let rows = ty.as_array()?;
    let (position, row) = (rows.position.as_ref()?, rows.element.as_array()?);
    row.len.contains(position).then(|| Pieces::new(position, &env.size(&row.len)))
}

fn as_array<'k>(v: &Value<'k>) -> Option<Array<'k>> {
    match v {
        Value::Array(a) => Some(a.clone()),
        _ => None,
    }
}
