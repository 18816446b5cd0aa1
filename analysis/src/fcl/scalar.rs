//! Arithmetic on terms, and on their values as lengths and indices.

use super::value::{Ev, Int, Res, Value, fail, not_supported};
use crate::front::term::{Bound, Kind, Term};
use crate::size::{Node, Size};
use lift_syntax::SyntaxError;
use lift_syntax::SyntaxErrorCode::{FclLength, FclShorter};

pub fn unary(ev: &mut Ev, name: &str, value: &Value) -> Res<Value> {
    let term = value.number(ev)?;
    let known = match value {
        Value::Int(int) => int.known().map(|n| n as i32),
        _ => None,
    };
    Ok(match name {
        "negatei" => {
            let zero = Value::Int(ev.number(0));
            return binary(ev, "subi", &zero, value);
        }
        "absi" | "signi" | "clz" | "popc" if known.is_some() => {
            let n = known.unwrap_or(0);
            Value::Int(ev.number(match name {
                "absi" => i64::from(n.wrapping_abs()),
                "signi" => i64::from(n.signum()),
                "popc" => i64::from(n.count_ones()),
                _ => i64::from(n.leading_zeros()),
            }))
        }
        "absi" => Value::Int(ev.unknown(ev.app("abs", [term]))),
        "clz" => Value::Int(ev.unknown(ev.app("clz", [term]))),
        "popc" => Value::Int(ev.unknown(ev.app("popcount", [term]))),
        "signi" => {
            let n = ev.share(term, "n")?;
            let positive = ev.less(ev.int(0), n.clone());
            let negative = ev.less(n, ev.int(0));
            let other = ev.choose(negative, ev.int(-1), ev.int(0));
            let sign = ev.choose(positive, ev.int(1), other);
            Value::Int(ev.unknown(sign))
        }
        "negated" => Value::Double(ev.app("neg", [term])),
        "absd" => Value::Double(ev.app("abs", [term])),
        "sqrtd" => Value::Double(ev.app("sqrt", [term])),
        "expd" => Value::Double(ev.app("exp", [term])),
        "logd" => Value::Double(ev.app("log", [term])),
        "i2d" => Value::Double(match known {
            Some(n) => ev.double(f64::from(n)),
            None => ev.app("toDouble", [term]),
        }),
        "d2i" => Value::Int(ev.unknown(ev.app("toInt", [term]))),
        "b2i" => match term.kind() {
            Kind::Bool(b) => Value::Int(ev.number(i64::from(*b))),
            _ => {
                let chosen = ev.choose(term, ev.int(1), ev.int(0));
                Value::Int(ev.unknown(chosen))
            }
        },
        _ => Value::Bool(match term.kind() {
            Kind::Bool(b) => ev.boolean(!b),
            _ => ev.app("not", [term]),
        }),
    })
}

pub fn binary(ev: &mut Ev, name: &str, left: &Value, right: &Value) -> Res<Value> {
    let double = |ev: &Ev, primitive: &'static str| -> Res<Term> {
        let (a, b) = (left.number(ev)?, right.number(ev)?);
        Ok(ev.app(primitive, [a, b]))
    };
    match name {
        "addd" | "addr" => return Ok(Value::Double(double(ev, "+")?)),
        "subd" => return Ok(Value::Double(double(ev, "-")?)),
        "muld" => return Ok(Value::Double(double(ev, "*")?)),
        "divd" => return Ok(Value::Double(double(ev, "/")?)),
        "ltd" => return Ok(Value::Bool(double(ev, "<")?)),
        _ => {}
    }
    let (a, b) = (left.int(ev)?, right.int(ev)?);
    match name {
        "eqi" | "neqi" => {
            let equal = compare(ev, &a, &b, true);
            Ok(Value::Bool(match (equal, name) {
                (Some(equal), "eqi") => ev.boolean(equal),
                (Some(equal), _) => ev.boolean(!equal),
                (None, "eqi") => ev.app("=", [a.term, b.term]),
                (None, _) => ev.app("!=", [a.term, b.term]),
            }))
        }
        "lti" => Ok(Value::Bool(match compare(ev, &a, &b, false) {
            Some(less) => ev.boolean(less),
            None => ev.app("<", [a.term, b.term]),
        })),
        "mini" | "maxi" => Ok(Value::Int(extremum(ev, name == "mini", &a, &b)?)),
        _ => Ok(Value::Int(arithmetic(ev, name, &a, &b)?)),
    }
}

/// Whether two numbers are equal, or the first is less, if that is known.
fn compare(ev: &Ev, a: &Int, b: &Int, equal: bool) -> Option<bool> {
    let (x, y) = (a.size.as_ref()?, b.size.as_ref()?);
    let truth = if equal { ev.facts.equal(x, y) } else { ev.facts.lt(x, y) };
    match (truth.is_yes(), truth.is_no()) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Computes the minimum (`least`) or the maximum of two whole numbers. Warns where it is the minimum of two lengths that
/// may differ: then elements of the longer array are left out.
fn extremum(ev: &mut Ev, least: bool, a: &Int, b: &Int) -> Res<Int> {
    if compare(ev, a, b, true) == Some(true) {
        return Ok(a.clone());
    }
    if least && a.of_length && b.of_length && compare(ev, a, b, true) == Some(false) {
        let show = |int: &Int| int.size.as_ref().map_or(String::new(), Size::to_string);
        let message =
            format!("the arrays have {} and {} elements: the result is as long as the shorter one", show(a), show(b));
        let warning = SyntaxError { code: FclShorter, range: ev.at, message, related: None, fix: None };
        if !ev.errors.iter().any(|known| known.range == warning.range) {
            ev.errors.push(warning);
        }
    }
    match compare(ev, a, b, false) {
        Some(less) => Ok(if less == least { a.clone() } else { b.clone() }),
        None => {
            let size = match (&a.size, &b.size) {
                (Some(x), Some(y)) if least => Some(x.min(y)),
                (Some(x), Some(y)) => Some(x.max(y)),
                _ => None,
            };
            let term = ev.app(if least { "min" } else { "max" }, [a.term.clone(), b.term.clone()]);
            Ok(Int { term, size, of_length: false })
        }
    }
}

/// Whether a size is provably not negative.
fn is_natural(ev: &Ev, size: &Size) -> bool {
    ev.facts.le(&Size::zero(), size).is_yes()
}

fn arithmetic(ev: &mut Ev, name: &str, a: &Int, b: &Int) -> Res<Int> {
    if let (Some(x), Some(y)) = (a.known(), b.known()) {
        return known(ev, name, x as i32, y as i32);
    }
    let both = a.size.as_ref().zip(b.size.as_ref());
    let divides = both.filter(|(x, y)| is_natural(ev, x) && ev.facts.lt(&Size::zero(), y).is_yes());
    let power = |n: i64| (0..=30).contains(&n).then(|| Size::int(1 << n));
    let shift = b.known().and_then(power);
    let (term, size) = match name {
        "addi" => (ev.plus(a.term.clone(), b.term.clone()), both.map(|(x, y)| x.add(y))),
        "subi" => (ev.minus(a.term.clone(), b.term.clone()), both.map(|(x, y)| x.sub(y))),
        "muli" => (ev.times(a.term.clone(), b.term.clone()), both.map(|(x, y)| x.mul(y))),
        "divi" => (ev.app("/", [a.term.clone(), b.term.clone()]), divides.map(|(x, y)| x.div_floor(y))),
        "modi" => (ev.app("mod", [a.term.clone(), b.term.clone()]), divides.map(|(x, y)| x.rem(y))),
        "sll" => {
            let size = shift.as_ref().zip(a.size.as_ref()).map(|(factor, x)| x.mul(factor));
            (ev.app("shl", [a.term.clone(), b.term.clone()]), size)
        }
        "srl" => {
            let natural = a.size.as_ref().filter(|x| is_natural(ev, x));
            let size = shift.as_ref().zip(natural).map(|(factor, x)| x.div_floor(factor));
            (ev.app("ushr", [a.term.clone(), b.term.clone()]), size)
        }
        "andi" => (ev.app("bitand", [a.term.clone(), b.term.clone()]), None),
        "ori" => (ev.app("bitor", [a.term.clone(), b.term.clone()]), None),
        "xor" => (ev.app("bitxor", [a.term.clone(), b.term.clone()]), None),
        _ => return not_supported(ev.at, "`powi` of numbers that only the run knows"),
    };
    Ok(simplified(ev, term, size.filter(|size| !size.is_too_large())))
}

/// Replaces the term of a number by a shorter one for its known value, if there is one.
fn simplified(ev: &Ev, term: Term, size: Option<Size>) -> Int {
    let Some(size) = size else { return ev.unknown(term) };
    let size = ev.facts.simplify(&size);
    if let Some(n) = size.as_const() {
        return ev.number(n);
    }
    let shorter = written(ev, &size.node()).filter(|other| other.weight() < term.weight());
    Int { term: shorter.unwrap_or(term), size: Some(size), of_length: false }
}

/// The term that computes a size at run time.
fn written(ev: &Ev, node: &Node) -> Option<Term> {
    let all = |parts: &[Node], f: fn(&Ev, Term, Term) -> Term| -> Option<Term> {
        let mut terms = parts.iter().map(|part| written(ev, part));
        let first = terms.next()??;
        terms.try_fold(first, |sum, term| Some(f(ev, sum, term?)))
    };
    Some(match node {
        Node::Int(n) => ev.int(i32::try_from(*n).ok()?),
        Node::Var(var) => {
            let bound = Bound { id: var.id, name: var.name.clone() };
            if ev.sizes.contains(&var.id) { ev.size_argument(&bound.as_size()) } else { ev.local(&bound) }
        }
        Node::Neg(inner) => ev.minus(ev.int(0), written(ev, inner)?),
        Node::Sub(a, b) => ev.minus(written(ev, a)?, written(ev, b)?),
        Node::Add(parts) => all(parts, |ev, a, b| ev.plus(a, b))?,
        Node::Mul(parts) => all(parts, |ev, a, b| ev.times(a, b))?,
        Node::FloorDiv { num, den, .. } => ev.divide(written(ev, num)?, written(ev, den)?).0,
        Node::Mod { num, den, .. } => ev.divide(written(ev, num)?, written(ev, den)?).1,
        _ => return None,
    })
}

fn known(ev: &mut Ev, name: &str, x: i32, y: i32) -> Res<Int> {
    if y == 0 && matches!(name, "divi" | "modi") {
        return fail(FclLength, ev.at, "this divides by 0");
    }
    let n = match name {
        "addi" => x.wrapping_add(y),
        "subi" => x.wrapping_sub(y),
        "muli" => x.wrapping_mul(y),
        "divi" => x.wrapping_div(y),
        "modi" => x.wrapping_rem(y),
        "andi" => x & y,
        "ori" => x | y,
        "xor" => x ^ y,
        "sll" => x.wrapping_shl(y as u32),
        "srl" => (x as u32).wrapping_shr(y as u32) as i32,
        _ => match u32::try_from(y) {
            Ok(y) => x.wrapping_pow(y),
            Err(_) => return fail(FclLength, ev.at, "`powi` needs an exponent that is not negative"),
        },
    };
    Ok(ev.number(i64::from(n)))
}

/// Whether a term is defined for all values of its names.
pub fn is_total(term: &Term) -> bool {
    match term.kind() {
        Kind::Apply(f, args) => {
            let fine = match f.kind() {
                Kind::Global(name) => !matches!(*name, "aref" | "/" | "mod" | "head"),
                _ => false,
            };
            fine && args.iter().all(is_total)
        }
        Kind::If(condition, then, otherwise) => [condition, then, otherwise].into_iter().all(is_total),
        Kind::Tuple(parts) => parts.iter().all(is_total),
        _ => term.is_atom(),
    }
}
