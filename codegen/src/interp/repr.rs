//! Values inside the interpreter: like [`Value`], but cheap to clone, slice and pack.

use super::{Result, RunError, RunErrorKind};
use crate::number::Number;
use crate::sizes::SizeValues;
use crate::value::{ArrayValue, Value, article};
use lift_analysis::each_scalar;
use lift_analysis::hir::Literal;
use lift_analysis::ty::{Ty, TyKind};
use std::cell::Cell;
use std::rc::Rc;

macro_rules! values {
    (() $($kind:ident: $rust:ty),*) => {
        #[derive(Debug, Clone)]
        pub enum Val {
            $($kind($rust),)*
            Tuple(Rc<[Val]>),
            Vec(Rc<[Val]>),
            Array(Array),
            Packed(Rc<Packed>),
        }

        impl Val {
            /// The number or truth value; `None` if it is not a scalar.
            pub fn number(&self) -> Option<Number> {
                match self {
                    $(Val::$kind(x) => Some(Number::$kind(*x)),)*
                    Val::Tuple(_) | Val::Vec(_) | Val::Array(_) | Val::Packed(_) => None,
                }
            }
        }

        impl From<Number> for Val {
            fn from(number: Number) -> Val {
                match number {
                    $(Number::$kind(x) => Val::$kind(x),)*
                }
            }
        }
    };
}
each_scalar!(values!());

/// A value of existential type with its hidden lengths, in the order of the type's variables.
#[derive(Debug)]
pub struct Packed {
    pub lengths: Vec<i64>,
    pub value: Val,
}

/// A slice of shared elements.
#[derive(Debug, Clone)]
pub struct Array {
    data: Rc<Data>,
    start: usize,
    len: usize,
}

#[derive(Debug)]
struct Data {
    elements: Elements,
    _charge: Charge,
}

#[derive(Debug)]
enum Elements {
    /// Scalars; never [`ArrayValue::Values`].
    Flat(ArrayValue),
    Values(Vec<Val>),
}

/// Counts the bytes of live arrays.
#[derive(Debug)]
pub struct Meter {
    live: Cell<u64>,
    limit: u64,
}

/// Bytes that are counted while this exists.
#[derive(Debug)]
struct Charge {
    meter: Rc<Meter>,
    bytes: u64,
}

impl Meter {
    pub fn new(limit: u64) -> Rc<Meter> {
        Rc::new(Meter { live: Cell::new(0), limit })
    }
    fn charge(self: &Rc<Meter>, count: usize, element_bytes: u64) -> Result<Charge> {
        let bytes = (count as u64).saturating_mul(element_bytes);
        let live = self.live.get().saturating_add(bytes);
        if live > self.limit {
            let message = format!(
                "an array of {count} elements needs {} more; all arrays together may take {}",
                human_bytes(bytes),
                human_bytes(self.limit)
            );
            return Err(RunError::new(RunErrorKind::Limit, message));
        }
        self.live.set(live);
        Ok(Charge { meter: self.clone(), bytes })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.meter.live.set(self.meter.live.get().saturating_sub(self.bytes));
    }
}

fn human_bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}

/// Bytes of an array's element, without the arrays inside it, which are counted separately.
fn element_bytes(ty: &Ty) -> u64 {
    let slot = size_of::<Val>() as u64;
    match ty.kind() {
        TyKind::Scalar(s) => s.bytes(),
        TyKind::Tuple(parts) => slot + parts.len() as u64 * slot,
        TyKind::Vec(_, width) => slot + width.as_const().unwrap_or(16).unsigned_abs() * slot,
        _ => slot,
    }
}

/// Refuses a value that alone exceeds the memory limit, before any of it is built.
pub fn check_fits(ty: &Ty, env: &SizeValues, limit: u64) -> Result<()> {
    /// Unknown lengths count as 0.
    fn bytes(ty: &Ty, env: &SizeValues) -> u64 {
        match ty.kind() {
            TyKind::Array(array) => {
                let len = env.eval(&array.len).map_or(0, i64::unsigned_abs);
                len.saturating_mul(element_bytes(&array.element).saturating_add(bytes(&array.element, env)))
            }
            TyKind::Tuple(parts) => parts.iter().fold(0, |sum, part| bytes(part, env).saturating_add(sum)),
            _ => 0,
        }
    }
    let needed = bytes(ty, env);
    if needed <= limit {
        return Ok(());
    }
    let (needed, limit) = (human_bytes(needed), human_bytes(limit));
    let message = format!("the result, `{ty}`, needs {needed}; all arrays together may take {limit}");
    Err(RunError::new(RunErrorKind::Limit, message))
}

/// Collects the elements of a new array, in order.
pub struct Collector {
    elements: Elements,
    charge: Charge,
}

impl Collector {
    /// A collector of at most `most` elements of type `element`.
    pub fn new(meter: &Rc<Meter>, element: &Ty, most: usize) -> Result<Collector> {
        let charge = meter.charge(most, element_bytes(element))?;
        let elements = match element.as_scalar() {
            Some(scalar) => Elements::Flat(ArrayValue::empty(scalar, most)),
            None => Elements::Values(Vec::with_capacity(most)),
        };
        Ok(Collector { elements, charge })
    }
    pub fn push(&mut self, v: Val) -> Result<()> {
        let pushed = match &mut self.elements {
            Elements::Flat(xs) => v.number().is_some_and(|number| xs.push_number(number)),
            Elements::Values(xs) => {
                xs.push(v);
                return Ok(());
            }
        };
        if pushed { Ok(()) } else { Err(malformed(format!("an element is {}", v.describe()))) }
    }
    /// Appends all elements of an array of the same element type.
    pub fn extend(&mut self, from: &Array) -> Result<()> {
        let range = from.start..from.start + from.len;
        let extended = match (&mut self.elements, &from.data.elements) {
            (Elements::Flat(xs), Elements::Flat(ys)) => xs.extend_from(ys, range),
            (Elements::Values(xs), Elements::Values(ys)) => {
                xs.extend_from_slice(&ys[range]);
                true
            }
            _ => false,
        };
        if extended { Ok(()) } else { Err(malformed("arrays of different element types are joined".into())) }
    }
    pub fn finish(self) -> Array {
        let len = self.elements.len();
        Array { data: Rc::new(Data { elements: self.elements, _charge: self.charge }), start: 0, len }
    }
}

impl Elements {
    fn len(&self) -> usize {
        match self {
            Elements::Flat(v) => v.len(),
            Elements::Values(v) => v.len(),
        }
    }
}

impl Array {
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn get(&self, i: usize) -> Option<Val> {
        if i >= self.len {
            return None;
        }
        let i = self.start + i;
        match &self.data.elements {
            Elements::Flat(v) => v.number(i).map(Val::from),
            Elements::Values(v) => v.get(i).cloned(),
        }
    }
    pub fn iter(&self) -> impl Iterator<Item = Val> + '_ {
        (0..self.len).filter_map(|i| self.get(i))
    }
    /// The `len` elements from `from` on, shared; fewer if the array ends before.
    pub fn slice(&self, from: usize, len: usize) -> Array {
        let from = from.min(self.len);
        Array { data: self.data.clone(), start: self.start + from, len: len.min(self.len - from) }
    }
}

impl Val {
    pub fn literal(l: Literal) -> Val {
        Number::from(l).into()
    }
    pub fn packed(lengths: Vec<i64>, value: Val) -> Val {
        Val::Packed(Rc::new(Packed { lengths, value }))
    }
    pub fn describe(&self) -> String {
        match self {
            Val::Tuple(_) => "a tuple".into(),
            Val::Vec(_) => "a vector".into(),
            Val::Array(_) => "an array".into(),
            Val::Packed(_) => "a packed value".into(),
            scalar => scalar.number().map_or(String::new(), |x| format!("{} `{}`", article(x.scalar()), x.scalar())),
        }
    }
    pub fn int(&self) -> Result<i32> {
        match self {
            Val::Int(x) => Ok(*x),
            v => Err(malformed(format!("an `Int` is expected here, but this is {}", v.describe()))),
        }
    }
    pub fn bool(&self) -> Result<bool> {
        match self {
            Val::Bool(x) => Ok(*x),
            v => Err(malformed(format!("a `Bool` is expected here, but this is {}", v.describe()))),
        }
    }
    pub fn array(self) -> Result<Array> {
        match self {
            Val::Array(a) => Ok(a),
            v => Err(malformed(format!("an array is expected here, but this is {}", v.describe()))),
        }
    }
    pub fn tuple(self) -> Result<Rc<[Val]>> {
        match self {
            Val::Tuple(parts) => Ok(parts),
            v => Err(malformed(format!("a tuple is expected here, but this is {}", v.describe()))),
        }
    }
    pub fn vec(self) -> Result<Rc<[Val]>> {
        match self {
            Val::Vec(lanes) => Ok(lanes),
            v => Err(malformed(format!("a vector is expected here, but this is {}", v.describe()))),
        }
    }

    /// Converts to an external value, in which hidden lengths are part of the shape.
    pub fn export(&self) -> Value {
        let all = |vs: &[Val]| vs.iter().map(Val::export).collect();
        match self {
            Val::Tuple(parts) => Value::Tuple(all(parts)),
            Val::Vec(lanes) => Value::Vec(all(lanes)),
            Val::Packed(p) => p.value.export(),
            Val::Array(a) => {
                let range = a.start..a.start + a.len;
                Value::Array(match &a.data.elements {
                    Elements::Flat(v) => v.slice(range),
                    Elements::Values(v) => ArrayValue::Values(all(&v[range])),
                })
            }
            scalar => scalar.number().map_or(Value::Tuple(Vec::new()), Value::from),
        }
    }
}

/// A new array that takes over the numbers of an input.
pub fn import_scalars(meter: &Rc<Meter>, element: &Ty, input: ArrayValue) -> Result<Array> {
    let len = input.len();
    let charge = meter.charge(len, element_bytes(element))?;
    let elements = match input {
        ArrayValue::Values(_) => return Err(malformed("an array of scalars is expected here".into())),
        flat => Elements::Flat(flat),
    };
    Ok(Array { data: Rc::new(Data { elements, _charge: charge }), start: 0, len })
}

/// The error for a meaningless argument that types do not exclude.
pub fn argument(message: String) -> RunError {
    RunError::new(RunErrorKind::Argument, message)
}

pub fn malformed(message: String) -> RunError {
    RunError::new(RunErrorKind::Malformed, format!("the kernel is not well formed: {message}"))
}
