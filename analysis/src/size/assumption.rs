//! Conditions on lengths under which a program is valid: collected during inference, shown to the reader, and checked
//! before a run.

use super::Size;
use super::eval::EvalError;
use super::var::Var;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assumption {
    /// The divisor is positive and divides the value.
    Divides {
        divisor: Size,
        value: Size,
    },
    NonNegative(Size),
    /// `a <= b`.
    AtMost(Size, Size),
    Equal(Size, Size),
    Positive(Size),
    /// `holds` is true for all values of the index variable from 0 to below the count.
    ForAll {
        position: Var,
        count: Size,
        holds: Box<Assumption>,
    },
    /// `holds` is true wherever all of `given` are.
    Where {
        given: Vec<Assumption>,
        holds: Box<Assumption>,
    },
}

impl Assumption {
    /// Whether the assumption is that a division leaves no remainder.
    pub fn is_division(&self) -> bool {
        match self {
            Assumption::Divides { .. } => true,
            Assumption::ForAll { holds, .. } | Assumption::Where { holds, .. } => holds.is_division(),
            _ => false,
        }
    }

    /// Weakens the assumption to hold only under further conditions.
    #[must_use]
    pub fn given(self, mut given: Vec<Assumption>) -> Assumption {
        match self {
            holds if given.is_empty() => holds,
            Assumption::Where { given: more, holds } => {
                given.extend(more);
                Assumption::Where { given, holds }
            }
            holds => Assumption::Where { given, holds: Box::new(holds) },
        }
    }

    /// For a conditional assumption, the inner assumption and its conditions as text.
    pub fn only_where(&self) -> Option<(&Assumption, String)> {
        let Assumption::Where { given, holds } = self else { return None };
        let given: Vec<String> = given.iter().map(Assumption::as_condition).collect();
        Some((&**holds, given.join(" and ")))
    }

    fn sizes(&self) -> Vec<&Size> {
        match self {
            Assumption::Divides { divisor, value } => vec![divisor, value],
            Assumption::NonNegative(a) | Assumption::Positive(a) => vec![a],
            Assumption::AtMost(a, b) | Assumption::Equal(a, b) => vec![a, b],
            Assumption::ForAll { count, .. } => vec![count],
            Assumption::Where { .. } => Vec::new(),
        }
    }

    /// The sizes of the assumption, including those of nested ones.
    pub fn all_sizes(&self) -> Vec<&Size> {
        let mut sizes = self.sizes();
        match self {
            Assumption::ForAll { holds, .. } => sizes.extend(holds.all_sizes()),
            Assumption::Where { given, holds } => {
                sizes.extend(given.iter().flat_map(Assumption::all_sizes).chain(holds.all_sizes()));
            }
            _ => {}
        }
        sizes
    }

    /// Maps every size; `f` must not change index variables.
    #[must_use]
    pub fn map(&self, f: &mut dyn FnMut(&Size) -> Size) -> Assumption {
        match self {
            Assumption::Divides { divisor, value } => Assumption::Divides { divisor: f(divisor), value: f(value) },
            Assumption::NonNegative(a) => Assumption::NonNegative(f(a)),
            Assumption::Positive(a) => Assumption::Positive(f(a)),
            Assumption::AtMost(a, b) => Assumption::AtMost(f(a), f(b)),
            Assumption::Equal(a, b) => Assumption::Equal(f(a), f(b)),
            Assumption::ForAll { position, count, holds } => {
                Assumption::ForAll { position: position.clone(), count: f(count), holds: Box::new(holds.map(f)) }
            }
            Assumption::Where { given, holds } => {
                let given = given.iter().map(|a| a.map(f)).collect();
                Assumption::Where { given, holds: Box::new(holds.map(f)) }
            }
        }
    }

    /// Weight of the assumption for printing and proving: the number of nodes of its sizes.
    pub fn weight(&self) -> u32 {
        let inside = match self {
            Assumption::ForAll { holds, .. } => holds.weight(),
            Assumption::Where { given, holds } => {
                given.iter().map(Assumption::weight).fold(holds.weight(), u32::saturating_add)
            }
            _ => 0,
        };
        self.sizes().into_iter().map(Size::weight).fold(inside, u32::saturating_add)
    }

    /// The free variables, sorted, each once.
    pub fn vars(&self) -> Vec<Var> {
        let mut vars: Vec<Var> = self.sizes().into_iter().flat_map(Size::vars).collect();
        match self {
            Assumption::ForAll { position, holds, .. } => {
                vars.extend(holds.vars().into_iter().filter(|v| v != position));
            }
            Assumption::Where { given, holds } => {
                vars.extend(given.iter().flat_map(Assumption::vars).chain(holds.vars()));
            }
            _ => {}
        }
        vars.sort();
        vars.dedup();
        vars
    }

    #[must_use]
    pub fn subst(&self, replacement: &mut dyn FnMut(&Var) -> Option<Size>) -> Assumption {
        match self {
            Assumption::Divides { divisor, value } => {
                Assumption::Divides { divisor: divisor.subst(replacement), value: value.subst(replacement) }
            }
            Assumption::NonNegative(a) => Assumption::NonNegative(a.subst(replacement)),
            Assumption::Positive(a) => Assumption::Positive(a.subst(replacement)),
            Assumption::AtMost(a, b) => Assumption::AtMost(a.subst(replacement), b.subst(replacement)),
            Assumption::Equal(a, b) => Assumption::Equal(a.subst(replacement), b.subst(replacement)),
            Assumption::ForAll { position, count, holds } => Assumption::ForAll {
                position: position.clone(),
                count: count.subst(replacement),
                holds: Box::new(holds.subst(&mut |v| if v == position { None } else { replacement(v) })),
            },
            Assumption::Where { given, holds } => Assumption::Where {
                given: given.iter().map(|a| a.subst(replacement)).collect(),
                holds: Box::new(holds.subst(replacement)),
            },
        }
    }

    /// Expands an assumption for all of at most 8 indices into one per index; returns others unchanged.
    pub fn at_few_positions(self) -> Vec<Assumption> {
        const FEW: i64 = 8;
        match self {
            Assumption::ForAll { position, count, holds }
                if count.as_const().is_some_and(|n| (0..=FEW).contains(&n)) =>
            {
                let at = |i: i64| holds.subst(&mut |v| (*v == position).then(|| Size::int(i)));
                (0..count.as_const().unwrap_or(0)).map(at).flat_map(Assumption::at_few_positions).collect()
            }
            other => vec![other],
        }
    }

    /// Whether the assumption holds under these values; an error if a size has no value.
    pub fn check(&self, env: &dyn Fn(&Var) -> Option<i64>) -> Result<bool, EvalError> {
        match self {
            Assumption::Divides { divisor, value } => {
                let (divisor, value) = (divisor.eval_ratio(env)?, value.eval_ratio(env)?);
                if divisor.is_zero() || divisor.is_negative() {
                    return Ok(false);
                }
                Ok(value.div(divisor).ok_or(EvalError::Overflow)?.is_integer())
            }
            Assumption::NonNegative(a) => Ok(!a.eval_ratio(env)?.is_negative()),
            Assumption::Positive(a) => {
                let value = a.eval_ratio(env)?;
                Ok(!value.is_negative() && !value.is_zero())
            }
            Assumption::AtMost(a, b) => Ok(a.eval_ratio(env)? <= b.eval_ratio(env)?),
            Assumption::Equal(a, b) => Ok(a.eval_ratio(env)? == b.eval_ratio(env)?),
            Assumption::ForAll { position, count, holds } => {
                for i in 0..count.eval(env)? {
                    if !holds.check(&|v| if v == position { Some(i) } else { env(v) })? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Assumption::Where { given, holds } => {
                for condition in given {
                    if !condition.check(env)? {
                        return Ok(true);
                    }
                }
                holds.check(env)
            }
        }
    }

    /// The assumption as a condition of the language, such as `N > 0`; divisibility and the rest print as usual.
    fn as_condition(&self) -> String {
        match self {
            Assumption::AtMost(a, b) => match (a.as_const(), b.as_const()) {
                (Some(a), None) if a > 0 => format!("{b} > {}", a - 1),
                (Some(_), _) => format!("{b} >= {a}"),
                (None, _) if a.sub(&Size::one()).is_natural() => format!("{} < {b}", a.sub(&Size::one())),
                (None, _) => format!("{a} <= {b}"),
            },
            Assumption::Equal(a, b) => format!("{a} = {b}"),
            Assumption::Positive(a) => format!("{a} > 0"),
            other => other.to_string(),
        }
    }
}

impl Size {
    /// `self >= 0` as `less <= more`, if both sides mention a variable.
    fn as_comparison(&self) -> Option<(Size, Size)> {
        let (num, _) = self.as_fraction()?;
        let (more, less) = num.by_sign();
        (more.as_ratio().is_none() && less.as_ratio().is_none()).then_some((less, more))
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::Divides { divisor, value } => write!(f, "{divisor} divides {value}"),
            Assumption::NonNegative(a) => match a.as_comparison() {
                Some((less, more)) => write!(f, "{less} is at most {more}"),
                None => write!(f, "{a} is not negative"),
            },
            Assumption::AtMost(a, b) => write!(f, "{a} is at most {b}"),
            Assumption::Equal(a, b) => write!(f, "{a} equals {b}"),
            Assumption::Positive(a) => write!(f, "{a} is positive"),
            Assumption::ForAll { position, count, holds } => write!(f, "{holds} for every {position} below {count}"),
            Assumption::Where { .. } => match self.only_where() {
                Some((holds, given)) => write!(f, "{holds} where {given}"),
                None => Ok(()),
            },
        }
    }
}
