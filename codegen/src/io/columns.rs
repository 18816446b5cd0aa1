//! Values as named arrays: one array for each scalar of a type, with offsets for rows of different lengths.
//!
//! The names are those of `docs/running.md`: `values`, or the index in a tuple (`0`, `1.0`). Rows of different lengths
//! have `values` and `offsets`, with `offsets1` for the rows inside of these, and so on.

use super::cast::{Casts, cast};
use super::flat::{FlatArray, append, part, shape_text};
use super::{InputError, Result, counted, opened, scalar};
use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Scalar;
use lift_analysis::size::Var;
use lift_analysis::ty::{Ty, TyKind};
use std::collections::BTreeMap;

/// Maximum elements: device code counts in 32 bits.
const MOST: usize = i32::MAX as usize;

/// Named arrays; offsets are Longs.
pub type Arrays = BTreeMap<String, FlatArray>;

/// A scalar component of a type.
struct Leaf {
    /// The tuple indices that lead to it: `1.0`.
    path: String,
    scalar: Scalar,
    /// The surrounding arrays, from the outermost on.
    levels: Vec<Level>,
    width: Option<usize>,
}

/// An array of a type.
#[derive(Clone, Copy)]
struct Level {
    /// Whether its instances differ in length.
    own: bool,
    /// Its length, if the type is known to give it.
    length: Option<usize>,
}

impl Leaf {
    /// The innermost level whose instances differ in length; 0 if none do.
    fn last_own(&self) -> usize {
        self.levels.iter().rposition(|level| level.own).unwrap_or(0)
    }

    fn name(&self, what: &str) -> String {
        if self.path.is_empty() { what.to_owned() } else { format!("{}.{what}", self.path) }
    }

    fn values(&self) -> String {
        if self.last_own() == 0 && !self.path.is_empty() { self.path.clone() } else { self.name("values") }
    }
}

/// The name of a level's offsets: `offsets` for the first level inside the outermost array, then `offsets1`, …
fn offsets(level: usize) -> String {
    if level <= 1 { "offsets".to_owned() } else { format!("offsets{}", level - 1) }
}

fn leaves(ty: &Ty, path: &str, bound: &[Var], levels: &[Level], out: &mut Vec<Leaf>) -> Result<()> {
    match ty.kind() {
        TyKind::Exists(vars, body) => leaves(body, path, &[bound, vars].concat(), levels, out),
        TyKind::Array(array) => {
            let own = array.len.any_var(&mut |v| bound.contains(v));
            let length = array.len.as_const().and_then(|n| usize::try_from(n).ok());
            let position: Vec<Var> = array.position.iter().cloned().collect();
            let levels = [levels, &[Level { own, length }]].concat();
            leaves(&array.element, path, &[bound, &position].concat(), &levels, out)
        }
        TyKind::Tuple(parts) => {
            for (i, ty) in parts.iter().enumerate() {
                let path = if path.is_empty() { i.to_string() } else { format!("{path}.{i}") };
                leaves(ty, &path, bound, levels, out)?;
            }
            Ok(())
        }
        kind => {
            let (element, width) = match kind {
                TyKind::Vec(element, width) => (element.as_scalar(), width.as_const().map(|n| n as usize)),
                _ => (ty.as_scalar(), None),
            };
            let scalar = element.ok_or_else(|| InputError::new(format!("a value of type `{ty}` holds no numbers")))?;
            out.push(Leaf { path: path.to_owned(), scalar, levels: levels.to_vec(), width });
            Ok(())
        }
    }
}

/// Converts a value of type `ty` to named arrays.
pub fn arrays_from_value(ty: &Ty, value: &Value) -> Result<Arrays> {
    let mut all = Vec::new();
    leaves(ty, "", &[], &[], &mut all)?;
    let mut out = Arrays::new();
    for leaf in all {
        let mut gathered = Gathered { lengths: vec![Vec::new(); leaf.levels.len()], data: scalar::empty(leaf.scalar) };
        let positions: Vec<usize> = leaf.path.split('.').filter_map(|p| p.parse().ok()).collect();
        gathered.value(ty, value, 0, &positions);
        let last = leaf.last_own();
        let mut dims = Vec::new();
        for (level, lengths) in gathered.lengths.iter().enumerate() {
            if (1..=last).contains(&level) {
                let mut all = vec![0];
                all.extend(lengths.iter().scan(0i64, |sum, n| {
                    *sum += *n as i64;
                    Some(*sum)
                }));
                dims = vec![lengths.iter().sum()];
                let data = ArrayValue::Long(all);
                out.insert(leaf.name(&offsets(level)), FlatArray { dims: vec![data.len()], data });
            } else {
                // Without rows, only the type may say how long they would be.
                dims.push(lengths.first().copied().or(leaf.levels[level].length).unwrap_or(0));
            }
        }
        dims.extend(leaf.width);
        out.insert(leaf.values(), FlatArray { dims, data: gathered.data });
    }
    Ok(out)
}

/// The numbers of one scalar component, in order.
struct Gathered {
    /// For each surrounding array, the lengths of all its instances.
    lengths: Vec<Vec<usize>>,
    data: ArrayValue,
}

impl Gathered {
    fn value(&mut self, ty: &Ty, value: &Value, level: usize, path: &[usize]) {
        match (ty.kind(), value) {
            (TyKind::Exists(_, body), value) => self.value(body, value, level, path),
            (TyKind::Tuple(types), Value::Tuple(parts)) => {
                if let Some((&i, rest)) = path.split_first()
                    && let (Some(ty), Some(value)) = (types.get(i), parts.get(i))
                {
                    self.value(ty, value, level, rest);
                }
            }
            (TyKind::Array(array), Value::Array(elements)) => {
                self.lengths[level].push(elements.len());
                match elements {
                    ArrayValue::Values(values) => {
                        values.iter().for_each(|v| self.value(&array.element, v, level + 1, path));
                    }
                    flat => append(&mut self.data, flat),
                }
            }
            (_, Value::Vec(lanes)) => lanes.iter().for_each(|lane| scalar::push(&mut self.data, lane.clone())),
            (_, value) => scalar::push(&mut self.data, value.clone()),
        }
    }
}

/// Converts named arrays to a value of type `ty`.
pub fn value_from_arrays(ty: &Ty, arrays: &Arrays, casts: Casts) -> Result<Value> {
    let found = Reader { arrays, whole: ty, casts }.instances(ty, "", 0, 1)?;
    found.get(0).ok_or_else(|| InputError::new("the archive is empty"))
}

struct Reader<'a> {
    arrays: &'a Arrays,
    whole: &'a Ty,
    casts: Casts,
}

impl Reader<'_> {
    /// `count` instances of a type inside `level` arrays.
    fn instances(&self, ty: &Ty, path: &str, level: usize, count: usize) -> Result<ArrayValue> {
        let ty = opened(ty);
        match ty.kind() {
            TyKind::Tuple(types) => {
                let mut parts = Vec::new();
                for (i, ty) in types.iter().enumerate() {
                    let path = if path.is_empty() { i.to_string() } else { format!("{path}.{i}") };
                    parts.push(self.instances(ty, &path, level, count)?);
                }
                let tuple = |i: usize| Value::Tuple(parts.iter().filter_map(|part| part.get(i)).collect());
                Ok(ArrayValue::Values((0..count).map(tuple).collect()))
            }
            TyKind::Array(array) => {
                let lengths = self.lengths(ty, path, level, count)?;
                let total = lengths.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
                let total = total.filter(|total| *total <= MOST).ok_or_else(|| {
                    InputError::new(format!("`{}` has at most {MOST} elements; the offsets make more", self.whole))
                })?;
                let inner = self.instances(&array.element, path, level + 1, total)?;
                let mut from = 0;
                let row = |n: &usize| {
                    let row = part(&inner, from, *n);
                    from += n;
                    Value::Array(row)
                };
                Ok(ArrayValue::Values(lengths.iter().map(row).collect()))
            }
            TyKind::Vec(_, width) => {
                let width = width.as_const().unwrap_or(0).max(0) as usize;
                let data = self.data(path, ty, count.saturating_mul(width))?;
                let lanes = |i: usize| (0..width).filter_map(|j| data.get(i * width + j)).collect();
                Ok(ArrayValue::Values((0..count).map(|i| Value::Vec(lanes(i))).collect()))
            }
            _ => self.data(path, ty, count),
        }
    }

    /// The numbers of a scalar component.
    fn data(&self, path: &str, ty: &Ty, count: usize) -> Result<ArrayValue> {
        let array = self.values(path)?;
        let element = if let TyKind::Vec(element, _) = ty.kind() { element } else { ty };
        let (Some(wanted), Some(found)) = (element.as_scalar(), array.data.scalar()) else {
            return Err(InputError::new(format!("a value of type `{}` cannot be read from an archive", self.whole)));
        };
        if array.data.len() != count {
            return Err(self.misshapen(path, &array.dims, count));
        }
        if wanted == found {
            return Ok(array.data.clone());
        }
        let shown = if path.is_empty() { "values" } else { path };
        if self.casts == Casts::Made {
            return cast(&array.data, wanted).map_err(|e| InputError::new(format!("the array `{shown}`: {e}")));
        }
        let (has, advice) = (super::flat::numpy_name(found), self.casts.advice(wanted));
        Err(InputError::new(format!("`{}` is expected, but the array `{shown}` holds `{has}`: {advice}", self.whole)))
    }

    fn misshapen(&self, path: &str, dims: &[usize], count: usize) -> InputError {
        let shown = if path.is_empty() { "values" } else { path };
        let shape = shape_text(dims);
        let needed = format!("{} {} needed", counted(count, "number"), if count == 1 { "is" } else { "are" });
        InputError::new(format!("`{}` is expected: the array `{shown}` has shape {shape}; {needed}", self.whole))
    }

    fn values(&self, path: &str) -> Result<&FlatArray> {
        let names =
            if path.is_empty() { vec!["values".to_owned()] } else { vec![path.to_owned(), format!("{path}.values")] };
        let found = names.iter().find_map(|name| self.arrays.get(name));
        found.ok_or_else(|| {
            let has: Vec<String> = self.arrays.keys().map(|name| format!("`{name}`")).collect();
            InputError::new(format!("the archive has no array `{}`; it has {}", names[0], has.join(", ")))
        })
    }

    /// The length of each of `count` instances of an array, from offsets or from the shape of the numbers.
    fn lengths(&self, ty: &Ty, path: &str, level: usize, count: usize) -> Result<Vec<usize>> {
        let mut all = Vec::new();
        leaves(ty, path, &[], &[], &mut all)?;
        let Some(leaf) = all.first() else { return Err(InputError::new("an empty tuple has no length")) };
        let given = |level: usize| self.arrays.get(&leaf.name(&offsets(level)));
        if level > 0
            && let Some(array) = given(level)
        {
            return self.differences(&leaf.name(&offsets(level)), array, count);
        }
        let levels = level + leaf.levels.len();
        let lists = (1..levels).filter(|l| given(*l).is_some()).count();
        let length = match (level, given(1)) {
            (0, Some(first)) if first.data.is_empty() => {
                let name = leaf.name(&offsets(1));
                return Err(InputError::new(format!(
                    "the array `{name}` is empty; it begins with 0, also without rows"
                )));
            }
            (0, Some(first)) => Some(first.data.len() - 1),
            _ => self.values(&leaf.path)?.dims.get(level - lists.min(level)).copied(),
        };
        match length {
            Some(length) => Ok(vec![length; count]),
            None => {
                let (name, shape) = (leaf.values(), shape_text(&self.values(&leaf.path)?.dims));
                Err(InputError::new(format!(
                    "`{}` is expected: the array `{name}` has shape {shape}, and the archive has no array `{}`, which \
                     says where rows begin",
                    self.whole,
                    leaf.name(&offsets(level.max(1)))
                )))
            }
        }
    }

    fn differences(&self, name: &str, array: &FlatArray, count: usize) -> Result<Vec<usize>> {
        let offsets: Vec<i64> = match &array.data {
            ArrayValue::Long(v) => v.clone(),
            ArrayValue::Int(v) => v.iter().map(|n| i64::from(*n)).collect(),
            _ => return Err(InputError::new(format!("the array `{name}` holds no integers"))),
        };
        let length = |pair: &[i64]| usize::try_from(pair[1].checked_sub(pair[0])?).ok();
        let lengths: Option<Vec<usize>> = offsets.windows(2).map(length).collect();
        match lengths {
            Some(lengths) if lengths.len() == count && offsets.first() == Some(&0) => Ok(lengths),
            _ => Err(InputError::new(format!(
                "the array `{name}` must begin with 0, not decrease, and have one number more than the {} that it \
                 cuts",
                counted(count, "row")
            ))),
        }
    }
}

/// Collects values of type `ty` into an array.
pub fn gathered(ty: &Ty, values: impl IntoIterator<Item = Value>) -> ArrayValue {
    let mut array = empty(ty);
    values.into_iter().for_each(|value| scalar::push(&mut array, value));
    array
}

/// Concatenates arrays with elements of type `ty`; those with other elements are skipped.
pub fn concat(ty: &Ty, arrays: &[ArrayValue]) -> ArrayValue {
    let mut all = empty(ty);
    for array in arrays {
        match (&mut all, array) {
            (ArrayValue::Values(to), ArrayValue::Values(from)) => to.extend_from_slice(from),
            (all, array) => append(all, array),
        }
    }
    all
}

fn empty(ty: &Ty) -> ArrayValue {
    opened(ty).as_scalar().map_or_else(|| ArrayValue::Values(Vec::new()), scalar::empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::literal;
    use crate::testing::param;
    use lift_analysis::size::Size;
    use lift_analysis::ty::{Ty, bound};

    fn round(ty: &Ty, text: &str) -> Vec<String> {
        let value = literal::parse(ty, text).expect("a literal");
        let arrays = arrays_from_value(ty, &value).expect("it can be written");
        assert_eq!(value_from_arrays(ty, &arrays, Casts::Refused).expect("it can be read"), value);
        let shown =
            |(name, array): (&String, &FlatArray)| format!("{name} {} {:?}", shape_text(&array.dims), array.data);
        arrays.iter().map(shown).collect()
    }

    #[test]
    fn values_of_all_shapes_survive() {
        let n = Size::var(param(0, "N"));
        let rows = |element: Ty| {
            let x = bound(0, "X");
            Ty::exists(vec![x.clone()], Ty::array(element, Size::var(x)))
        };
        let pair = Ty::tuple(vec![Ty::int(), Ty::scalar(Scalar::Float)]);
        assert_eq!(round(&Ty::array(Ty::int(), n.clone()), "[1,2]"), ["values (2,) Int([1, 2])"]);
        assert_eq!(
            round(&Ty::array(rows(Ty::int()), n.clone()), "[[1],[],[2,3]]"),
            ["offsets (4,) Long([0, 1, 1, 3])", "values (3,) Int([1, 2, 3])"]
        );
        assert_eq!(
            round(&Ty::array(rows(rows(Ty::int())), n.clone()), "[[[1,2],[]],[],[[3]]]"),
            ["offsets (4,) Long([0, 2, 2, 3])", "offsets1 (4,) Long([0, 2, 2, 3])", "values (3,) Int([1, 2, 3])"]
        );
        assert_eq!(
            round(&Ty::array(Ty::array(rows(Ty::int()), Size::nat(2)), n.clone()), "[[[1],[]],[[2],[3]]]"),
            ["offsets (3,) Long([0, 2, 4])", "offsets1 (5,) Long([0, 1, 1, 2, 3])", "values (3,) Int([1, 2, 3])"]
        );
        assert_eq!(
            round(&Ty::array(pair.clone(), n.clone()), "[(1,0.5),(2,1.5)]"),
            ["0 (2,) Int([1, 2])", "1 (2,) Float([0.5, 1.5])"]
        );
        assert_eq!(
            round(&Ty::tuple(vec![Ty::int(), Ty::array(rows(pair), n.clone())]), "(7,[[(1,0.5)],[]])"),
            [
                "0 () Int([7])",
                "1.0.offsets (3,) Long([0, 1, 1])",
                "1.0.values (1,) Int([1])",
                "1.1.offsets (3,) Long([0, 1, 1])",
                "1.1.values (1,) Float([0.5])"
            ]
        );
        assert_eq!(
            round(&Ty::array(rows(Ty::array(Ty::int(), Size::nat(2))), n), "[[[1,2]],[]]"),
            ["offsets (3,) Long([0, 1, 1])", "values (1, 2) Int([1, 2])"]
        );
    }

    #[test]
    fn without_rows_the_type_says_how_long_they_would_be() {
        let three = |element: Ty| Ty::array(element, Size::nat(3));
        let shape = |ty: &Ty| {
            let arrays =
                arrays_from_value(ty, &literal::parse(ty, "[]").expect("a literal")).expect("it can be written");
            shape_text(&arrays["values"].dims)
        };
        assert_eq!(shape(&Ty::array(three(Ty::int()), Size::nat(0))), "(0, 3)");
        assert_eq!(shape(&Ty::array(three(three(Ty::int())), Size::nat(0))), "(0, 3, 3)");
        let x = bound(0, "X");
        let rows = Ty::exists(vec![x.clone()], Ty::array(three(Ty::int()), Size::var(x)));
        assert_eq!(shape(&Ty::array(rows, Size::nat(0))), "(0, 3)");
        let unknown = Ty::array(Ty::array(Ty::int(), Size::var(param(0, "M"))), Size::nat(0));
        assert_eq!(shape(&unknown), "(0, 0)");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let x = bound(0, "X");
        let rows = Ty::exists(vec![x.clone()], Ty::array(Ty::int(), Size::var(x)));
        let ty = Ty::array(rows, Size::var(param(0, "N")));
        let refused = |offsets: &[i64], values: ArrayValue| {
            let flat = |data: ArrayValue| FlatArray { dims: vec![data.len()], data };
            let arrays = Arrays::from([
                ("offsets".to_owned(), flat(ArrayValue::Long(offsets.to_vec()))),
                ("values".to_owned(), flat(values)),
            ]);
            value_from_arrays(&ty, &arrays, Casts::Refused).expect_err("it does not fit").message
        };
        let ints = || ArrayValue::Int(vec![1, 2, 3]);
        assert!(refused(&[0, 2, 1], ints()).contains("not decrease"));
        assert!(refused(&[1, 3], ints()).contains("begin with 0"));
        assert!(refused(&[0, 2], ints()).contains("2 numbers are needed"));
        assert!(refused(&[0, 1], ints()).contains("1 number is needed"));
        assert!(refused(&[0, i64::MAX], ints()).contains("the offsets make more"));
        assert!(refused(&[0, 3], ArrayValue::Float(vec![1.0; 3])).contains("holds `float32`"));
        assert!(
            value_from_arrays(&ty, &Arrays::new(), Casts::Refused)
                .expect_err("empty")
                .message
                .contains("no array `values`")
        );
        let alone = Arrays::from([("values".to_owned(), FlatArray { dims: vec![3], data: ints() })]);
        let message = value_from_arrays(&ty, &alone, Casts::Refused).expect_err("no offsets").message;
        assert!(
            message.ends_with("(3,), and the archive has no array `offsets`, which says where rows begin"),
            "{message}"
        );
    }
}
