//! Random instances of a law: two kernels, one of each side.
//!
//! Arrays become parameters of the kernels. Functions, numbers and sizes are made from their types; an operator that
//! the law requires to be associative is taken from a table, which has some that are not commutative.

use super::building::built;
use super::checking::sides;
use super::law::{Condition, Law};
use super::term::{Term, parse};
use crate::infer::type_source;
use crate::node::Name;
use crate::scalar::Scalar;
use crate::size::{Size, Var, VarKind};
use crate::ty::{Class, Scheme, Ty, TyKind};
use std::collections::BTreeMap;

/// A program with a kernel of each side.
#[derive(Debug, Clone)]
pub struct Instance {
    pub text: String,
    /// The size names of both kernels.
    pub sizes: Vec<Name>,
    /// The constant sizes: the lengths of arrays are likely to be multiples of them.
    pub constants: Vec<u64>,
    /// The values of the pattern variables, for people.
    pub shown: String,
}

/// Random numbers: SplitMix64 (Steele, Lea, Flood, 2014).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// An associative operator on the elements of a type, and its neutral element.
struct Operator {
    text: &'static str,
    neutral: &'static str,
    commutative: bool,
}

const INT_OPERATORS: &[Operator] = &[
    Operator { text: "+", neutral: "0", commutative: true },
    Operator { text: "*", neutral: "1", commutative: true },
    Operator { text: "max", neutral: "-2147483648", commutative: true },
    Operator { text: "bitxor", neutral: "0", commutative: true },
];
/// Composition of affine functions is not commutative.
const PAIR_OPERATORS: &[Operator] = &[
    Operator {
        text: "(lambda (p q) (tuple (* (get1 p) (get1 q)) (+ (* (get2 p) (get1 q)) (get2 q))))",
        neutral: "(tuple 1 0)",
        commutative: false,
    },
    Operator {
        text: "(lambda (p q) (tuple (+ (get1 p) (get1 q)) (bitxor (get2 p) (get2 q))))",
        neutral: "(tuple 0 0)",
        commutative: true,
    },
];
const BOOL_OPERATORS: &[Operator] = &[
    Operator { text: "and", neutral: "true", commutative: true },
    Operator { text: "or", neutral: "false", commutative: true },
];

/// Makes an instance of a law with a scheme; an error says why none can be made.
pub fn instance(law: &Law, scheme: &Scheme, kernels: &[String; 2], random: &mut Random) -> Result<Instance, String> {
    let types = sides(scheme, law.params.len())?;
    // Functions of every third instance may fail.
    let fails = random.below(3) == 0;
    let element: Vec<Ty> = scheme.types.iter().map(|class| element_type(*class, fails, random)).collect();
    // A size that is an argument is a constant; any other is a size of the kernels.
    let is_argument =
        |var: &Var| types.iter().any(|ty| matches!(ty.kind(), TyKind::Size(size) if size.vars().contains(var)));
    let mut lengths: BTreeMap<u32, Size> = BTreeMap::new();
    let (mut sizes, mut constants): (Vec<Name>, Vec<u64>) = (Vec::new(), Vec::new());
    for var in &scheme.sizes {
        let size = if is_argument(var) {
            let value = *random.one(&[1, 2, 2, 3, 4]);
            constants.push(value);
            Size::nat(value)
        } else {
            let name: Name = format!("N{}", sizes.len()).into();
            sizes.push(name.clone());
            Size::var(Var::new(VarKind::Param, sizes.len() as u32 - 1, name))
        };
        lengths.insert(var.id, size);
    }
    let concrete = |ty: &Ty| {
        let ty = ty.subst_sizes(&mut |var| lengths.get(&var.id).filter(|_| var.kind == VarKind::Generic).cloned());
        with_types(&ty, &element)
    };
    let mut terms: BTreeMap<Name, Term> = BTreeMap::new();
    let mut arrays: Vec<(Name, String)> = Vec::new();
    let mut shown = Vec::new();
    for (name, ty) in law.params.iter().zip(&types) {
        let ty = concrete(ty);
        let text = match ty.kind() {
            TyKind::Array(_) => {
                let written = type_source(&ty, &|_| false).ok_or_else(|| format!("no kernel takes `{name} : {ty}`"))?;
                arrays.push((name.clone(), written));
                terms.insert(name.clone(), Term::name(name, true));
                continue;
            }
            TyKind::Size(size) => match size.as_const() {
                Some(value) => value.to_string(),
                None => return Err(format!("no value for the size `{name}`")),
            },
            _ => special(law, name, &ty, &terms, random)
                .or_else(|| Maker { random, scope: Vec::new(), fails }.expr(&ty, 3))
                .ok_or_else(|| format!("no value for `{name} : {ty}`"))?,
        };
        shown.push(format!("{name} = {text}"));
        terms.insert(name.clone(), parse(&text, &[]).ok_or_else(|| format!("`{text}` does not parse"))?);
    }
    let names: Vec<&str> = arrays.iter().map(|(name, _)| &**name).collect();
    let types: Vec<&str> = arrays.iter().map(|(_, ty)| ty.as_str()).collect();
    let mut text = String::new();
    for (kernel, side) in kernels.iter().zip([&law.left, &law.right]) {
        let body = built(&side.term, &terms, &BTreeMap::new())
            .ok_or("a side cannot be written with these arguments")?
            .print("");
        let (sizes, types, names) = (sizes.join(" "), types.join(" "), names.join(" "));
        text += &format!("(lift {kernel} ({sizes}) ({types}) (lambda ({names}) {body}))\n");
    }
    Ok(Instance { text, sizes, constants, shown: shown.join(", ") })
}

fn pair() -> Ty {
    Ty::tuple(vec![Ty::int(), Ty::int()])
}

/// Pairs only of functions that cannot fail: what nothing uses of a pair is computed in an array, but not elsewhere.
fn element_type(class: Option<Class>, fails: bool, random: &mut Random) -> Ty {
    match class {
        Some(Class::Floating) => Ty::scalar(Scalar::Float),
        None if !fails && random.below(3) == 0 => pair(),
        _ => Ty::int(),
    }
}

fn with_types(ty: &Ty, types: &[Ty]) -> Ty {
    let part = |ty: &Ty| with_types(ty, types);
    match ty.kind() {
        TyKind::Generic(nth) => types.get(*nth as usize).cloned().unwrap_or_else(Ty::int),
        TyKind::Array(array) => Ty::array(part(&array.element), array.len.clone()),
        TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(part).collect()),
        TyKind::Fun(a, b) => Ty::fun(part(a), part(b)),
        TyKind::Vec(a, n) => Ty::new(TyKind::Vec(part(a), n.clone())),
        TyKind::Exists(vars, inner) => Ty::exists(vars.clone(), part(inner)),
        _ => ty.clone(),
    }
}

/// An operator or a neutral element that a condition of the law names.
fn special(law: &Law, name: &Name, ty: &Ty, terms: &BTreeMap<Name, Term>, random: &mut Random) -> Option<String> {
    let of_element = |element: &Ty| match element.kind() {
        TyKind::Scalar(Scalar::Int) => INT_OPERATORS,
        TyKind::Scalar(Scalar::Bool) => BOOL_OPERATORS,
        TyKind::Tuple(_) if *element == pair() => PAIR_OPERATORS,
        _ => &[],
    };
    let fits = |operator: &&Operator, op: &Name| {
        operator.commutative || !law.conditions.contains(&Condition::Commutative(op.clone()))
    };
    // The parameters of a law may name the neutral element before the operator or after it.
    for condition in &law.conditions {
        match condition {
            Condition::Neutral(z, op) if z == name => {
                let all: Vec<&Operator> = of_element(ty).iter().filter(|o| fits(o, op)).collect();
                let chosen = terms.get(op).map(|term| term.print(""));
                let operator = match chosen {
                    Some(text) => all.into_iter().find(|operator| is_written(operator.text, &text))?,
                    None => random.one_of(all)?,
                };
                return Some(operator.neutral.to_owned());
            }
            Condition::Associative(op) | Condition::Commutative(op) | Condition::Neutral(_, op) if op == name => {
                let TyKind::Fun(element, _) = ty.kind() else { return None };
                let all: Vec<&Operator> = of_element(element).iter().filter(|o| fits(o, op)).collect();
                let z = law.conditions.iter().find_map(|condition| match condition {
                    Condition::Neutral(z, of) if of == op => terms.get(z).map(|term| term.print("")),
                    _ => None,
                });
                let all = all.into_iter().filter(|o| z.as_ref().is_none_or(|z| is_written(o.neutral, z))).collect();
                return Some(random.one_of(all)?.text.to_owned());
            }
            _ => {}
        }
    }
    None
}

fn is_written(text: &str, printed: &str) -> bool {
    parse(text, &[]).is_some_and(|term| term.print("") == printed)
}

impl Random {
    fn one_of<T>(&mut self, mut of: Vec<T>) -> Option<T> {
        let nth = self.below(of.len());
        (nth < of.len()).then(|| of.swap_remove(nth))
    }
}

/// Makes expressions of a type.
struct Maker<'a> {
    random: &'a mut Random,
    scope: Vec<(String, Ty)>,
    /// Whether integers are divided, also by zero.
    fails: bool,
}

impl Maker<'_> {
    /// `None` where no expression of the type is known.
    fn expr(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        match ty.kind() {
            TyKind::Scalar(Scalar::Bool) => {
                let (a, b) = (self.expr(&Ty::int(), depth.min(1))?, self.random.below(9));
                Some(format!("({} (mod {a} 9) {b})", self.random.one(&["<", ">", "=", "!="])))
            }
            TyKind::Scalar(scalar) => Some(self.number(*scalar, depth)),
            TyKind::Tuple(parts) => {
                let parts: Option<Vec<String>> =
                    parts.iter().map(|part| self.expr(part, depth.saturating_sub(1))).collect();
                Some(format!("(tuple {})", parts?.join(" ")))
            }
            TyKind::Fun(..) => {
                let (params, result) = ty.uncurry();
                let before = self.scope.len();
                let mut names = Vec::new();
                for param in params {
                    let name = format!("a{}", self.scope.len());
                    names.push(name.clone());
                    self.scope.push((name, param.clone()));
                }
                let mut body = self.expr(result, depth);
                if self.fails {
                    body = body.map(|body| uses_all(&self.scope[before..], result, body));
                }
                self.scope.truncate(before);
                Some(format!("(lambda ({}) {})", names.join(" "), body?))
            }
            TyKind::Array(array) => {
                let from = self.scope.iter().filter(|(_, own)| own.as_array().is_some_and(|own| own.len == array.len));
                let from: Vec<(String, Ty)> = from.cloned().collect();
                let (name, own) = self.random.one_of(from)?;
                let function = Ty::fun(own.as_array()?.element.clone(), array.element.clone());
                Some(format!("(map {} {name})", self.expr(&function, depth.saturating_sub(1))?))
            }
            _ => None,
        }
    }

    /// A number; variables in scope are likely, so that functions depend on their arguments.
    fn number(&mut self, scalar: Scalar, depth: u32) -> String {
        let ending = match scalar {
            Scalar::Long => "L",
            Scalar::Half => ".0h",
            Scalar::Float => ".0f",
            Scalar::Double => ".0",
            _ => "",
        };
        if depth > 0 && self.random.below(3) > 0 {
            let (a, b) = (self.number(scalar, depth - 1), self.number(scalar, depth - 1));
            let operations = if self.fails && scalar == Scalar::Int { 6 } else { 5 };
            return match self.random.below(operations) {
                5 => format!("(/ {a} (mod {b} 3))"),
                0 => format!("(+ {a} {b})"),
                1 => format!("(- {a} {b})"),
                2 => format!("(* {a} {b})"),
                3 => format!("(max {a} {b})"),
                _ => format!("(if (< {a} {b}) {a} {b})"),
            };
        }
        let uses: Vec<String> = self.scope.iter().filter_map(|(name, ty)| number_of(name, ty, scalar)).collect();
        match self.random.below(5) {
            0 => format!("{}{ending}", self.random.below(7)),
            _ => self.random.one_of(uses).unwrap_or_else(|| format!("{}{ending}", self.random.below(7))),
        }
    }
}

/// The body of a function that uses all of its parameters: what is not used is not computed, and cannot fail.
fn uses_all(params: &[(String, Ty)], result: &Ty, body: String) -> String {
    let used = |(name, ty): &(String, Ty)| match ty.as_scalar() {
        Some(Scalar::Bool) => Some(format!("(if {name} 1 0)")),
        _ => number_of(name, ty, Scalar::Int),
    };
    let sum = params.iter().filter_map(used).reduce(|all, one| format!("(+ {all} {one})"));
    match (sum, result.as_scalar()) {
        (Some(sum), Some(Scalar::Int)) => format!("(+ {sum} {body})"),
        (Some(sum), Some(Scalar::Bool)) => format!("(= (mod {sum} 1) (if {body} 0 1))"),
        _ => body,
    }
}

/// A number of a value in scope.
fn number_of(name: &str, ty: &Ty, scalar: Scalar) -> Option<String> {
    match ty.kind() {
        TyKind::Scalar(own) if *own == scalar => Some(name.to_owned()),
        TyKind::Tuple(parts) => {
            let nth = parts.iter().position(|part| part.as_scalar() == Some(scalar))?;
            Some(format!("(get{} {name})", nth + 1))
        }
        TyKind::Array(array) => {
            let zero = if scalar == Scalar::Int { "0" } else { return None };
            let element = number_of("e", &array.element, scalar)?;
            Some(format!("(head (reduceSeq {zero} (lambda (s e) (- {element} s)) {name}))"))
        }
        _ => None,
    }
}
