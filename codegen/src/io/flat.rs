//! Regular arrays with a shape, as in NumPy, and their conversion from and to values.
//!
//! A vector is a last dimension of its width; a tuple of equal scalars is one of the number of its parts.

use super::{InputError, Result, counted, opened, scalar};
use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Scalar;
use lift_analysis::ty::{Ty, TyKind};

/// A regular array: elements in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatArray {
    pub dims: Vec<usize>,
    /// Scalars; their number is the product of the dimensions.
    pub data: ArrayValue,
}

/// NumPy's name of a scalar type.
pub fn numpy_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Byte => "int8",
        Scalar::UByte => "uint8",
        Scalar::Short => "int16",
        Scalar::UShort => "uint16",
        Scalar::Int => "int32",
        Scalar::UInt => "uint32",
        Scalar::Long => "int64",
        Scalar::ULong => "uint64",
        Scalar::Half => "float16",
        Scalar::Float => "float32",
        Scalar::Double => "float64",
        Scalar::Bool => "bool",
    }
}

/// Converts `array` to a value of type `ty`. Lengths are not compared with those of the type, except for vectors and
/// tuples.
pub fn value_from_flat(ty: &Ty, array: FlatArray) -> Result<Value> {
    let FlatArray { dims, data } = array;
    let Some(found) = data.scalar() else {
        return Err(InputError::new("a flat array holds scalars"));
    };
    if dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)) != Some(data.len()) {
        let problem = format!("the shape {} does not go with {}", shape_text(&dims), counted(data.len(), "element"));
        return Err(InputError::new(problem));
    }
    if let Some((scalar, count)) = crate::core::typing::packed(ty) {
        if dims.len() != 1 {
            return Err(InputError::new(format!(
                "`{ty}` is expected, whose rows lie one after the other in an array of one dimension and {count} elements; the array has shape {}",
                shape_text(&dims)
            )));
        }
        if scalar == found {
            return Ok(Value::Array(data));
        }
    }
    check_form(ty, ty, &dims, found)?;
    Ok(build(ty, &dims, data))
}

/// Checks that a shape and an element type match a type.
fn check_form(whole: &Ty, ty: &Ty, dims: &[usize], found: Scalar) -> Result<()> {
    let wrong_rank = || {
        let rank = rank(whole);
        InputError::new(format!(
            "`{whole}` is expected, which has {}; the array has shape {}",
            counted(rank, "dimension"),
            shape_text(dims)
        ))
    };
    let (mut ty, mut rest) = (opened(ty), dims);
    while let TyKind::Array(array) = ty.kind() {
        let [_, inner @ ..] = rest else { return Err(wrong_rank()) };
        (ty, rest) = (opened(&array.element), inner);
    }
    let width = match ty.kind() {
        TyKind::Scalar(_) => None,
        TyKind::Vec(_, width) => Some(width.as_const().unwrap_or(0) as usize),
        TyKind::Tuple(parts) if parts.iter().all(|p| p.as_scalar().is_some()) => Some(parts.len()),
        _ => return Err(InputError::new(format!("a value of type `{whole}` cannot be read from a regular array"))),
    };
    let scalars: Vec<Option<Scalar>> = match ty.kind() {
        TyKind::Vec(element, _) => vec![element.as_scalar()],
        TyKind::Tuple(parts) => parts.iter().map(Ty::as_scalar).collect(),
        _ => vec![ty.as_scalar()],
    };
    match (width, rest) {
        // NumPy users also save a number as an array of one element.
        (None, []) => {}
        (None, [1]) if dims.len() == 1 => {}
        (Some(width), [last]) if *last == width => {}
        (Some(width), [last]) => {
            let problem = format!(
                "`{ty}` has {}; the array has shape {}, where the last dimension is {last}",
                counted(width, "number"),
                shape_text(dims)
            );
            return Err(InputError::new(problem));
        }
        _ => return Err(wrong_rank()),
    }
    match scalars.into_iter().flatten().find(|s| *s != found) {
        None => Ok(()),
        Some(needed) => Err(InputError::new(format!(
            "{needed} (NumPy's {0}) is expected, but the elements are {found} ({1}); convert them, \
             as in `xs.astype(\"{0}\")`",
            numpy_name(needed),
            numpy_name(found),
        ))),
    }
}

/// The number of dimensions of the flat array for a type.
pub fn rank(ty: &Ty) -> usize {
    match opened(ty).kind() {
        TyKind::Array(array) => 1 + rank(&array.element),
        TyKind::Vec(..) | TyKind::Tuple(_) => 1,
        _ => 0,
    }
}

/// A shape as NumPy prints it: `(3, 4)`, `(5,)`, `()`.
pub(super) fn shape_text(dims: &[usize]) -> String {
    match dims {
        [one] => format!("({one},)"),
        dims => format!("({})", dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Builds a value from elements whose form has been checked.
fn build(ty: &Ty, dims: &[usize], data: ArrayValue) -> Value {
    match opened(ty).kind() {
        TyKind::Array(array) if opened(&array.element).as_scalar().is_some() => Value::Array(data),
        TyKind::Array(array) => {
            let (count, inner) = dims.split_first().map_or((0, dims), |(count, inner)| (*count, inner));
            let size = inner.iter().product::<usize>();
            let row = |i: usize| build(&array.element, inner, part(&data, i * size, size));
            Value::Array(ArrayValue::Values((0..count).map(row).collect()))
        }
        TyKind::Vec(..) => Value::Vec((0..data.len()).filter_map(|i| data.get(i)).collect()),
        TyKind::Tuple(_) => Value::Tuple((0..data.len()).filter_map(|i| data.get(i)).collect()),
        _ => data.get(0).unwrap_or(Value::Array(data)),
    }
}

/// The `len` elements from `from` on, which must exist.
pub fn part(data: &ArrayValue, from: usize, len: usize) -> ArrayValue {
    data.slice(from..from + len)
}

/// Converts a value to a regular array; fails if its rows differ in length or its parts in type.
pub fn flat_from_value(ty: &Ty, value: &Value) -> Result<FlatArray> {
    let Some(element) = common_scalar(ty) else {
        return Err(InputError::new(format!(
            "a value of type `{ty}` is not a regular array of one element type, as `.npy` files and pictures are; write it as `.npz`, as Arrow or as text"
        )));
    };
    let packed = crate::core::typing::packed(ty).is_some();
    let mut flattening = Flattening { data: scalar::empty(element), dims: Vec::new(), rows: Vec::new(), packed };
    flattening.value(value, 0)?;
    if packed {
        return Ok(FlatArray { dims: vec![flattening.data.len()], data: flattening.data });
    }
    let mut dims = flattening.dims;
    // An empty array shows no lengths of its elements, but the type may give them.
    let mut inner = ty;
    for depth in 0..rank(ty) {
        inner = opened(inner);
        let (len, below) = match inner.kind() {
            TyKind::Array(array) => (array.len.as_const(), &array.element),
            TyKind::Vec(_, width) => (width.as_const(), inner),
            TyKind::Tuple(parts) => (Some(parts.len() as i64), inner),
            _ => break,
        };
        if depth >= dims.len() {
            dims.push(len.and_then(|n| usize::try_from(n).ok()).unwrap_or(0));
        }
        inner = below;
    }
    Ok(FlatArray { dims, data: flattening.data })
}

/// The scalar type of all numbers in a value, if there is just one.
pub fn common_scalar(ty: &Ty) -> Option<Scalar> {
    match opened(ty).kind() {
        TyKind::Scalar(s) => Some(*s),
        TyKind::Vec(element, _) => common_scalar(element),
        TyKind::Array(array) => common_scalar(&array.element),
        TyKind::Tuple(parts) => {
            let mut scalars = parts.iter().map(Ty::as_scalar);
            let first = scalars.next()??;
            scalars.all(|s| s == Some(first)).then_some(first)
        }
        _ => None,
    }
}

struct Flattening {
    data: ArrayValue,
    /// The first length found at each depth.
    dims: Vec<usize>,
    /// The number of arrays found at each depth, for messages.
    rows: Vec<usize>,
    /// Whether rows may have different lengths.
    packed: bool,
}

impl Flattening {
    fn value(&mut self, value: &Value, depth: usize) -> Result<()> {
        match value {
            Value::Array(ArrayValue::Values(parts)) | Value::Tuple(parts) | Value::Vec(parts) => {
                self.length(parts.len(), depth)?;
                parts.iter().try_for_each(|part| self.value(part, depth + 1))
            }
            Value::Array(flat) => {
                self.length(flat.len(), depth)?;
                append(&mut self.data, flat);
                Ok(())
            }
            scalar => {
                scalar::push(&mut self.data, scalar.clone());
                Ok(())
            }
        }
    }

    fn length(&mut self, len: usize, depth: usize) -> Result<()> {
        if self.packed {
            return Ok(());
        }
        if depth == self.dims.len() {
            self.dims.push(len);
            self.rows.push(0);
        }
        self.rows[depth] += 1;
        if self.dims[depth] != len {
            let (row, first) = (self.rows[depth] - 1, self.dims[depth]);
            return Err(InputError::new(format!(
                "the rows of the result are not equally long (row 0 has {}, row {row} has {}), \
                 as they are in `.npy` files and pictures; write it as `.npz`, as Arrow or as text",
                counted(first, "element"),
                counted(len, "element")
            )));
        }
        Ok(())
    }
}

/// Appends scalars of the same type.
pub(super) fn append(to: &mut ArrayValue, from: &ArrayValue) {
    if from.scalar().is_some() {
        to.extend_from(from, 0..from.len());
    }
}
