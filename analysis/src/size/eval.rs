//! Evaluates a size under an assignment of its variables.

use super::Size;
use super::atom::Atom;
use super::poly::Term;
use super::ratio::Ratio;
use super::var::Var;
use std::cell::Cell;
use std::fmt;

/// Maximum number of summands of finite sums that one evaluation adds up.
const MAX_SUM_STEPS: u32 = 1 << 22;

/// The reason why a size has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// A variable without a value.
    Unbound(Var),
    /// An exact division leaves a remainder.
    NotIntegral,
    /// The value is negative where a natural number is required.
    Negative,
    Overflow,
    DivisionByZero,
    /// Part of the size was too large to keep, or a sum has too many summands to add up.
    TooLarge,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::Unbound(var) => write!(f, "{var} has no value"),
            EvalError::NotIntegral => f.write_str("a division leaves a remainder"),
            EvalError::Negative => f.write_str("the size is negative"),
            EvalError::Overflow => f.write_str("the size is too large a number"),
            EvalError::DivisionByZero => f.write_str("division by zero"),
            EvalError::TooLarge => f.write_str("the size is too large an expression"),
        }
    }
}

impl std::error::Error for EvalError {}

type Env<'a> = &'a dyn Fn(&Var) -> Option<i64>;

impl Size {
    /// The value of the size as a natural number.
    pub fn eval(&self, env: &dyn Fn(&Var) -> Option<i64>) -> Result<i64, EvalError> {
        let value = self.eval_int(env)?;
        if value < 0 { Err(EvalError::Negative) } else { Ok(value) }
    }

    /// The value of the size as an integer, possibly negative.
    pub fn eval_int(&self, env: &dyn Fn(&Var) -> Option<i64>) -> Result<i64, EvalError> {
        let value = self.eval_ratio(env)?.to_integer().ok_or(EvalError::NotIntegral)?;
        i64::try_from(value).map_err(|_| EvalError::Overflow)
    }

    /// The rational value, without a check that divisions are exact.
    pub(crate) fn eval_ratio(&self, env: Env<'_>) -> Result<Ratio, EvalError> {
        if let Some(value) = short(self, env).and_then(|value| Ratio::integer(i128::from(value))) {
            return Ok(value);
        }
        value(self, env, &Cell::new(MAX_SUM_STEPS))
    }
}

/// Fast path: the value, if it and all intermediate results fit in `i64`, which is nearly always.
fn short(size: &Size, env: Env<'_>) -> Option<i64> {
    let mut sum = 0i64;
    for term in size.terms() {
        let mut product = i64::try_from(term.coeff.to_integer()?).ok()?;
        for (atom, e) in &*term.mono.0 {
            let factor = short_atom(atom, env)?;
            let power = if *e == 1 { factor } else { factor.checked_pow(u32::try_from(*e).ok()?)? };
            product = product.checked_mul(power)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

fn short_atom(atom: &Atom, env: Env<'_>) -> Option<i64> {
    match atom {
        Atom::Var(var) => env(var),
        Atom::Floor(a, b) => {
            let (a, b) = (short(a, env)?, short(b, env)?);
            (b > 0).then(|| a.div_euclid(b))
        }
        Atom::Max(operands) => operands.iter().try_fold(0, |max: i64, operand| Some(max.max(short(operand, env)?))),
        Atom::Step(a) => Some(i64::from(short(a, env)? >= 0)),
        Atom::Pow(base, exponent) => short(base, env)?.checked_pow(u32::try_from(short(exponent, env)?).ok()?),
        Atom::Group(inner) => short(inner, env),
        Atom::Sum { .. } | Atom::TooLarge(_) => None,
    }
}

fn value(size: &Size, env: Env<'_>, fuel: &Cell<u32>) -> Result<Ratio, EvalError> {
    let mut sum = Ratio::ZERO;
    for term in size.terms() {
        // A factor excluded by a false condition needs no value.
        if is_excluded(term, env, fuel)? {
            continue;
        }
        let mut product = term.coeff;
        for (atom, e) in &*term.mono.0 {
            let factor = atom_value(atom, env, fuel)?;
            if factor.is_zero() && *e < 0 {
                return Err(EvalError::DivisionByZero);
            }
            let power = factor.pow(*e).ok_or(EvalError::Overflow)?;
            product = product.mul(power).ok_or(EvalError::Overflow)?;
        }
        sum = sum.add(product).ok_or(EvalError::Overflow)?;
    }
    Ok(sum)
}

/// Whether a factor of the term is a false condition.
fn is_excluded(term: &Term, env: Env<'_>, fuel: &Cell<u32>) -> Result<bool, EvalError> {
    for (atom, e) in &*term.mono.0 {
        if let Atom::Step(_) = atom
            && *e > 0
            && atom_value(atom, env, fuel)?.is_zero()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn atom_value(atom: &Atom, env: Env<'_>, fuel: &Cell<u32>) -> Result<Ratio, EvalError> {
    let integer = |value| Ratio::integer(value).ok_or(EvalError::Overflow);
    match atom {
        Atom::Var(var) => match env(var) {
            Some(value) => integer(i128::from(value)),
            None => Err(EvalError::Unbound(var.clone())),
        },
        Atom::Floor(a, b) => {
            let (a, b) = (value(a, env, fuel)?, value(b, env, fuel)?);
            if b.is_zero() {
                return Err(EvalError::DivisionByZero);
            }
            integer(a.div(b).ok_or(EvalError::Overflow)?.floor())
        }
        Atom::Max(operands) => {
            let mut max = Ratio::ZERO;
            for operand in operands.iter() {
                max = max.max(value(operand, env, fuel)?);
            }
            Ok(max)
        }
        Atom::Step(a) => Ok(if value(a, env, fuel)?.is_negative() { Ratio::ZERO } else { Ratio::ONE }),
        Atom::Pow(base, exponent) => {
            let base = value(base, env, fuel)?;
            let exponent = value(exponent, env, fuel)?.to_integer().ok_or(EvalError::NotIntegral)?;
            if base.is_zero() && exponent < 0 {
                return Err(EvalError::DivisionByZero);
            }
            // Powers of 0, 1 and -1 never overflow; the parity of the exponent determines them.
            let exponent = if base.is_zero() || base.abs().is_one() {
                if exponent == 0 { 0 } else { 2 - exponent.rem_euclid(2) }
            } else {
                exponent
            };
            let exponent = i32::try_from(exponent).map_err(|_| EvalError::Overflow)?;
            base.pow(exponent).ok_or(EvalError::Overflow)
        }
        Atom::Sum { index, count, body } => {
            let count = value(count, env, fuel)?.to_integer().ok_or(EvalError::NotIntegral)?;
            let count = i64::try_from(count).map_err(|_| EvalError::Overflow)?;
            let mut sum = Ratio::ZERO;
            for i in 0..count {
                let left = fuel.get().checked_sub(1).ok_or(EvalError::TooLarge)?;
                fuel.set(left);
                let inner = |var: &Var| if var == index { Some(i) } else { env(var) };
                sum = sum.add(value(body, &inner, fuel)?).ok_or(EvalError::Overflow)?;
            }
            Ok(sum)
        }
        Atom::Group(inner) => value(inner, env, fuel),
        Atom::TooLarge(_) => Err(EvalError::TooLarge),
    }
}
