//! Generates values for a type and its sizes: `random`, `signed` and `iota`.

use super::{InputError, Result, scalar};
use crate::number::Number;
use crate::value::{ArrayValue, Value};
use lift_analysis::halves;
use lift_analysis::hir::Scalar;
use lift_analysis::size::{Size, Var};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// Floats and doubles in [0, 1), integers from 0 to 999, truth values; the same seed gives the same numbers.
    Random { seed: u64 },
    /// Floats and doubles in [-1, 1), signed integers from -999 to 999 within their type; others as `Random`.
    Signed { seed: u64 },
    /// 0, 1, 2, … in row-major order; truth values alternate, starting with `false`.
    Iota,
}

/// Maximum numbers to generate: generated code can index twice as many, but generating them takes minutes.
const MOST_ELEMENTS: u64 = 1 << 30;

/// Generates a value of type `ty` under the sizes in `env`. `iota` counts a tuple as one element and each part
/// separately.
pub fn generate(generator: Generator, ty: &Ty, env: &dyn Fn(&Var) -> Option<i64>) -> Result<Value> {
    let elements = elements(ty, env)?;
    if elements > MOST_ELEMENTS {
        return Err(InputError::new(format!(
            "{elements} numbers would have to be made; at most {MOST_ELEMENTS} can be"
        )));
    }
    let state = match generator {
        Generator::Random { seed } | Generator::Signed { seed } => seed,
        Generator::Iota => 0,
    };
    let mut making = Making { generator, state };
    making.value(ty, 0, env)
}

fn length(len: &Size, env: &dyn Fn(&Var) -> Option<i64>) -> Result<u64> {
    match len.eval(env) {
        Ok(n) => Ok(n as u64),
        Err(e) => Err(InputError::new(format!("the length {len} is not known: {e}"))),
    }
}

/// The number of scalars in a value. An empty array inside an array counts as one, because it takes time, too.
fn elements(ty: &Ty, env: &dyn Fn(&Var) -> Option<i64>) -> Result<u64> {
    Ok(match ty.kind() {
        TyKind::Scalar(_) => 1,
        TyKind::Vec(element, width) => length(width, env)?.saturating_mul(elements(element, env)?),
        TyKind::Tuple(parts) => parts.iter().map(|part| elements(part, env)).sum::<Result<u64>>()?,
        TyKind::Array(array) => in_array(array, env, &|element, env| Ok(elements(element, env)?.max(1)))?,
        TyKind::Exists(..) => {
            return Err(InputError::new(format!(
                "the length of a `{ty}` is not known, so it cannot be generated; give a file or a literal"
            )));
        }
        _ => return Err(InputError::new(format!("a value of type `{ty}` cannot be made; give a file or a literal"))),
    })
}

/// The numbers that a value takes from the counter: a tuple takes one, because its parts count separately.
fn steps(ty: &Ty, env: &dyn Fn(&Var) -> Option<i64>) -> Result<u64> {
    match ty.kind() {
        TyKind::Tuple(_) => Ok(1),
        TyKind::Array(array) => in_array(array, env, &steps),
        _ => elements(ty, env),
    }
}

type Measure<'a> = &'a dyn Fn(&Ty, &dyn Fn(&Var) -> Option<i64>) -> Result<u64>;

/// The sum of `measure` over the elements of an array.
fn in_array(array: &ArrayTy, env: &dyn Fn(&Var) -> Option<i64>, measure: Measure<'_>) -> Result<u64> {
    let len = length(&array.len, env)?;
    let Some(position) = &array.position else {
        return Ok(len.saturating_mul(measure(&array.element, env)?));
    };
    let mut sum = 0u64;
    for i in 0..len {
        let at = |v: &Var| if v == position { Some(i as i64) } else { env(v) };
        sum = sum.saturating_add(measure(&array.element, &at)?);
        if sum > MOST_ELEMENTS {
            break;
        }
    }
    Ok(sum)
}

struct Making {
    generator: Generator,
    state: u64,
}

impl Making {
    /// Generates a value, starting at number `first` of the sequence.
    fn value(&mut self, ty: &Ty, first: u64, env: &dyn Fn(&Var) -> Option<i64>) -> Result<Value> {
        Ok(match ty.kind() {
            TyKind::Scalar(s) => self.scalar(*s, first),
            TyKind::Vec(element, width) => {
                let width = length(width, env)?;
                let lanes = (0..width).map(|i| self.value(element, first + i, env));
                Value::Vec(lanes.collect::<Result<_>>()?)
            }
            TyKind::Tuple(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(self.value(part, first.saturating_mul(steps(part, env)?), env)?);
                }
                Value::Tuple(values)
            }
            TyKind::Array(array) => {
                let len = length(&array.len, env)?;
                if let Some(s) = array.element.as_scalar() {
                    let mut made = scalar::empty(s);
                    for i in 0..len {
                        let value = self.scalar(s, first + i);
                        scalar::push(&mut made, value);
                    }
                    return Ok(Value::Array(made));
                }
                let mut rows = Vec::new();
                let mut number = first;
                for i in 0..len {
                    let at = |v: &Var| if array.position.as_ref() == Some(v) { Some(i as i64) } else { env(v) };
                    rows.push(self.value(&array.element, number, &at)?);
                    number = number.saturating_add(steps(&array.element, &at)?);
                }
                Value::Array(ArrayValue::Values(rows))
            }
            // Other types are refused by `elements`.
            _ => return Err(InputError::new(format!("a value of type `{ty}` cannot be made"))),
        })
    }

    fn scalar(&mut self, s: Scalar, number: u64) -> Value {
        match self.generator {
            Generator::Iota => match s {
                Scalar::Half => Value::Half(halves::nearest(number as f64)),
                Scalar::Float => Value::Float(number as f32),
                Scalar::Double => Value::Double(number as f64),
                Scalar::Bool => Value::Bool(number % 2 == 1),
                integer => wrapped(integer, number),
            },
            Generator::Random { .. } => self.random(s, false),
            Generator::Signed { .. } => self.random(s, true),
        }
    }

    /// A random number, or a random truth value; negative ones only if `signed`, in types that have them.
    fn random(&mut self, s: Scalar, signed: bool) -> Value {
        let bits = self.next();
        // From 0 to 1 or from -1 to 1, exactly: one bit of the mantissa becomes the sign.
        let spread = |unit: f64| if signed { 2.0 * unit - 1.0 } else { unit };
        match s {
            // The upper bits, as many as the mantissa has.
            Scalar::Half => Value::Half(halves::nearest(spread((bits >> 53) as f64 / (1u64 << 11) as f64))),
            Scalar::Float => Value::Float(spread((bits >> 40) as f64 / (1u64 << 24) as f64) as f32),
            Scalar::Double => Value::Double(spread((bits >> 11) as f64 / (1u64 << 53) as f64)),
            Scalar::Bool => Value::Bool(bits >> 63 == 1),
            integer => {
                let (least, most) = integer.range().unwrap_or((0, 0));
                let (least, most) = (if signed { least.max(-999) } else { 0 }, most.min(999));
                // The upper half of the product maps to the range almost without bias.
                let above = (u128::from(bits) * (most - least + 1) as u128) >> 64;
                wrapped(integer, (least + above as i128) as u64)
            }
        }
    }

    /// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The lowest bits of a number.
fn wrapped(integer: Scalar, number: u64) -> Value {
    Number::ULong(number).converted(integer).map_or(Value::Tuple(Vec::new()), Value::from)
}
