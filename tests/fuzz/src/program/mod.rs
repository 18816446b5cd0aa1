//! Random well-typed programs as text, from a stream of choices.
//!
//! A program is generated from the wanted type and the names in scope. Each decision consumes a number of the stream,
//! and 0 is always the simplest choice, so every stream is a program, and a smaller stream gives a smaller one.
//!
//! The results are bitwise equal on all devices: integers wrap, floating point numbers are small multiples of a power
//! of two, whose sums are exact in any order, and nothing divides by zero. Assumptions on sizes and casts may be false;
//! every device must report that.
//!
//! Modules: [`len`] and [`ty`] lengths and types · [`Maker`] the state with the scope · `arrays`, `rows`, `hidden`,
//! `scalars` expressions by type · [`branches`] · `shapes` programs for the compiler's rules · [`inputs`] inputs of the
//! programs.

mod arrays;
pub mod branches;
mod hidden;
mod inputs;
mod len;
mod rows;
mod scalars;
pub mod shapes;
mod ty;

pub use inputs::inputs;

use crate::choices::Choices;
use len::{Base, Len};
use std::fmt::Write as _;
use ty::{BOOL, FLOAT, INT, Scalar, Ty};

/// The kind of programs to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// The whole language.
    Whole,
    /// Without constructs that are supported in some places only: rows and arrays of hidden length inside functions,
    /// triangles, sorting inside functions.
    Compiled,
    /// As `Compiled`; the result has one of the shapes for the compiler's rules.
    Shapes,
    /// As `Compiled`; the result depends on a check that may fail.
    Failing,
    /// The whole language; the result has branches that hide lengths.
    Branches,
}

/// The context of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Outside all functions, where the whole device may be used.
    Top,
    /// Inside a function that runs for each element.
    Inside,
}

/// Definitions at the start of every program.
const DEFINITIONS: &str = "\
(define (twice f x) (f (f x)))
(define (keep p xs) (filter p xs))
(define (either c p xs) (if c (filter p xs) xs))
(define (pairs xs ys) (zip xs ys))
(define (both p q xs) (tuple (filter p xs) (filter q xs)))
(define (shared p f xs) (let ys (filter p xs) (tuple ys (map f ys))))
";

/// Generates a program with the kernel `random`, which takes [`inputs`].
pub fn program(choices: &[u16], breadth: Breadth) -> String {
    let mut maker = Maker {
        choices: Choices::new(choices),
        scope: inputs::parameters(),
        sizes: Vec::new(),
        made: 0,
        seen_through: Vec::new(),
        budget: 150,
        breadth,
        failing: ("", ""),
    };
    let types: Vec<String> = maker.scope.iter().filter_map(|(_, ty)| ty.text(&base_name)).collect();
    let names: Vec<String> = maker.scope.iter().map(|(name, _)| name.clone()).collect();
    // The checker opens the hidden lengths of inputs.
    for i in 0..maker.scope.len() {
        let opened = maker.opened(maker.scope[i].1.clone());
        maker.scope[i].1 = opened;
    }
    let body = maker.body();
    let helpers = shapes::helpers(&body);
    lift_syntax::format(&format!(
        "{DEFINITIONS}{helpers}(lift random (N M) ({}) (lambda ({}) {body}))\n",
        types.join(" "),
        names.join(" ")
    ))
}

fn base_name(base: Base) -> Option<String> {
    match base {
        Base::N => Some("N".into()),
        Base::M => Some("M".into()),
        Base::Opened(_) | Base::Hidden(_) => None,
    }
}

struct Maker<'a> {
    choices: Choices<'a>,
    scope: Vec<(String, Ty)>,
    /// Names of opened lengths that have one.
    sizes: Vec<(u32, String)>,
    made: u32,
    /// Opened lengths that were never hidden, so that the checker may know them by another name.
    seen_through: Vec<u32>,
    /// Number of expressions that may still be generated; then only the simplest are.
    budget: u32,
    breadth: Breadth,
    /// The check and the work of a program that is [`Breadth::Failing`].
    failing: (&'static str, &'static str),
}

/// A construct that binds a value in an expression.
enum Binder {
    Let,
    Lambda,
    Unpack,
    /// `unpack` with names for the lengths.
    UnpackLengths(Vec<String>),
}

impl Maker<'_> {
    fn whole(&self) -> bool {
        matches!(self.breadth, Breadth::Whole | Breadth::Branches)
    }
    fn fresh(&mut self, letter: &str) -> String {
        self.made += 1;
        format!("{letter}{}", self.made)
    }

    /// Returns the remaining depth; 0 if the budget is exhausted.
    fn deeper(&mut self, depth: u32) -> u32 {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 { 0 } else { depth.saturating_sub(1) }
    }

    /// Returns the values in scope, including the components of tuples.
    fn values(&self) -> Vec<(String, Ty)> {
        let mut found = Vec::new();
        for (name, ty) in &self.scope {
            found.push((name.clone(), ty.clone()));
            if let Ty::Tuple(parts) = ty {
                let part = |(i, part): (usize, &Ty)| (format!("(get{} {name})", i + 1), part.clone());
                found.extend(parts.iter().enumerate().map(part));
            }
        }
        found
    }

    /// Returns the values of matching types, latest first.
    fn named(&self, wanted: impl Fn(&Ty) -> bool) -> Vec<String> {
        self.values().into_iter().rev().filter(|(_, ty)| wanted(ty)).map(|(name, _)| name).collect()
    }

    fn some_named(&mut self, wanted: impl Fn(&Ty) -> bool) -> Option<String> {
        let names = self.named(wanted);
        let choice = self.choices.below(names.len().min(4));
        names.into_iter().nth(choice)
    }

    fn some_value(&mut self, wanted: impl Fn(&Ty) -> bool) -> Option<(String, Ty)> {
        let mut values = self.values();
        values.retain(|(_, ty)| wanted(ty));
        let n = values.len();
        let choice = self.choices.below(n.min(4));
        values.into_iter().nth_back(choice)
    }

    /// Formats a length as a size, if all its bases can be named here.
    fn size(&self, len: &Len) -> Option<String> {
        len.text(&|base| match base {
            Base::Opened(id) => {
                self.sizes.iter().find(|(known, _)| *known == id).map(|(_, name)| name.clone()).or_else(|| {
                    let has = |ty: &Ty| ty.as_array().is_some_and(|(_, l)| *l == Len::of(base));
                    let name = self.scope.iter().rev().find(|(_, ty)| has(ty))?;
                    Some(format!("(length {})", name.0))
                })
            }
            base => base_name(base),
        })
    }

    /// Formats a type; `None` if it has hidden lengths, because the value may already be opened.
    fn type_text(&self, ty: &Ty) -> Option<String> {
        if ty.hides() {
            return None;
        }
        let by_name = |base| match base {
            Base::Opened(id) => self.sizes.iter().find(|(known, _)| *known == id).map(|(_, name)| name.clone()),
            base => base_name(base),
        };
        ty.text(&by_name)
    }

    /// Replaces the outermost hidden lengths of a type by fresh opened ones.
    fn opened(&mut self, ty: Ty) -> Ty {
        let Ty::Hidden(n, body) = ty else { return ty };
        let first = self.made;
        self.made += n;
        body.with(&|base| match base {
            Base::Hidden(i) => Some(Len::of(Base::Opened(first + i + 1))),
            _ => None,
        })
    }

    /// Returns the length of an array in scope; small choices prefer the latest.
    fn some_length(&mut self) -> Len {
        let mut lengths = vec![Len::of(Base::N)];
        for (_, ty) in self.values() {
            if let Some((_, len)) = ty.as_array()
                && !lengths.contains(len)
            {
                lengths.push(len.clone());
            }
        }
        let back = self.choices.below(lengths.len());
        lengths.swap_remove(lengths.len() - 1 - back)
    }

    fn element(&mut self) -> Ty {
        match self.choices.below(if self.whole() { 11 } else { 7 }) {
            0 | 1 => INT,
            2 => FLOAT,
            3 => Ty::Tuple(vec![INT, FLOAT]),
            4 => BOOL,
            5 => Ty::Scalar(Scalar::Long),
            6 => Ty::Scalar(Scalar::Double),
            7 => Ty::Tuple(vec![INT, BOOL, FLOAT]),
            8 => Ty::Scalar(Scalar::UByte),
            9 => Ty::Scalar(Scalar::UInt),
            _ => Ty::Tuple(vec![Ty::Tuple(vec![INT, INT]), FLOAT]),
        }
    }

    // --- statements

    fn body(&mut self) -> String {
        if self.breadth == Breadth::Failing {
            self.failing = self.check_and_work();
        }
        let (mut text, mut end) = (String::new(), String::new());
        let most = if self.breadth == Breadth::Shapes { 3 } else { 6 };
        for _ in 0..self.choices.below(most) {
            let (begin, rest) = self.definition(Place::Top);
            text += &begin;
            end.insert_str(0, &rest);
        }
        text += &self.result();
        text + &end
    }

    /// Binds a new name in scope; returns the texts before and after the expression that may use it.
    fn definition(&mut self, place: Place) -> (String, String) {
        let mut opaque = true;
        let (value, ty, binder) = match self.choices.below(if place == Place::Top { 5 } else { 4 }) {
            4 => {
                let (value, ty) = self.shape();
                (value, ty, Binder::Let)
            }
            0 | 1 => {
                let (value, ty, openable) = self.hidden(place, 2);
                opaque = openable;
                let binder = match self.choices.below(6) {
                    3 => Binder::Lambda,
                    4 if openable => Binder::Unpack,
                    5 if openable && let Ty::Hidden(lengths, _) = ty => {
                        Binder::UnpackLengths((0..lengths).map(|_| self.fresh("L")).collect())
                    }
                    _ => Binder::Let,
                };
                (value, ty, binder)
            }
            choice => {
                let ty = match choice {
                    2 => {
                        let (element, len) = (self.element(), self.some_length());
                        Ty::array(element, len)
                    }
                    _ => match self.choices.below(4) {
                        0 | 1 => INT,
                        2 => FLOAT,
                        _ => self.some_rows(),
                    },
                };
                let value = self.value(&ty, 2, place);
                let binder = if self.choices.below(6) == 5 { Binder::Lambda } else { Binder::Let };
                (value, ty, binder)
            }
        };
        let name = self.fresh("v");
        if let Binder::UnpackLengths(sizes) = &binder {
            self.sizes.extend((self.made + 1..).zip(sizes.iter().cloned()));
        }
        let before = self.made;
        let ty = self.opened(ty);
        if !opaque {
            self.seen_through.extend(before + 1..=self.made);
        }
        self.scope.push((name.clone(), ty));
        match binder {
            Binder::Let => (format!("(let {name} {value} "), ")".into()),
            Binder::Lambda => (format!("((lambda ({name}) "), format!(") {value})")),
            Binder::Unpack => (format!("(unpack {name} {value} "), ")".into()),
            Binder::UnpackLengths(sizes) => (format!("(unpack ({} {name}) {value} ", sizes.join(" ")), ")".into()),
        }
    }

    fn result(&mut self) -> String {
        match self.breadth {
            Breadth::Shapes => return self.shape().0,
            Breadth::Failing => return self.failing(),
            Breadth::Branches => return self.branches(),
            Breadth::Whole | Breadth::Compiled => {}
        }
        match self.choices.below(9) {
            8 => self.branches(),
            7 => self.shape().0,
            0 | 1 => self.some_array(3),
            2 => self.scalar(Scalar::Int, 3),
            3 => {
                let (one, other) = (self.some_array(2), self.some_array(2));
                format!("(tuple {one} {other})")
            }
            4 => self.hidden(Place::Top, 2).0,
            5 => {
                let rows = self.some_rows();
                self.value(&rows, 3, Place::Top)
            }
            _ => match self.some_value(|ty| matches!(ty, Ty::Array(e, _) if matches!(**e, Ty::Hidden(..)))) {
                Some((rows, Ty::Array(row, _))) => self.map_rows(&rows, &row),
                _ => self.some_array(3),
            },
        }
    }

    fn some_array(&mut self, depth: u32) -> String {
        let (element, len) = (self.element(), self.some_length());
        self.array(&element, &len, depth, Place::Top)
    }

    // --- functions

    /// Generates `(lambda (x …) …)`, with the parameters in scope of the body.
    fn lambda(&mut self, params: &[Ty], body: impl FnOnce(&mut Self) -> String) -> String {
        let before = (self.scope.len(), self.sizes.len());
        let mut text = String::new();
        for ty in params {
            let name = self.fresh("x");
            let typed = if self.choices.below(8) == 7 { self.type_text(ty) } else { None };
            let _ = match typed {
                Some(ty) => write!(text, "({name} {ty}) "),
                None => write!(text, "{name} "),
            };
            let ty = self.opened(ty.clone());
            self.scope.push((name, ty));
        }
        let body = body(self);
        self.scope.truncate(before.0);
        self.sizes.truncate(before.1);
        format!("(lambda ({}) {body})", text.trim_end())
    }

    /// A function of one argument.
    fn function(&mut self, from: &Ty, to: &Ty, depth: u32) -> String {
        let same = from == to && !matches!(from, Ty::Hidden(..));
        match (self.choices.below(9), from, to) {
            (6, _, _) if same => "id".into(),
            (7, Ty::Scalar(Scalar::Int), Ty::Scalar(Scalar::Int)) => {
                self.choices.of(&["neg", "abs", "(+ 1)", "(* 3)"]).into()
            }
            (7, Ty::Scalar(Scalar::Int), Ty::Scalar(Scalar::Bool)) => {
                self.choices.of(&["(< 0)", "(= 1)", "(>= 7)"]).into()
            }
            (7, Ty::Tuple(parts), to) if parts.contains(to) && !matches!(to, Ty::Hidden(..)) => {
                format!("get{}", 1 + parts.iter().position(|p| p == to).unwrap_or(0))
            }
            (8, _, _) if depth > 0 => {
                let between = self.element();
                let (f, g) = (self.function(&between, to, depth - 1), self.function(from, &between, depth - 1));
                format!("(o {f} {g})")
            }
            _ => self.lambda(std::slice::from_ref(from), |this| this.value(to, depth, Place::Inside)),
        }
    }

    // --- expressions

    fn value(&mut self, ty: &Ty, depth: u32, place: Place) -> String {
        if depth > 0 && self.budget > 0 && !ty.hides() && self.choices.below(10) == 9 {
            return self.around(ty, depth - 1, place);
        }
        match ty {
            Ty::Scalar(scalar) => self.scalar(*scalar, depth),
            Ty::Array(element, len) => self.array(element, len, depth, place),
            Ty::Tuple(parts) => {
                if self.choices.below(3) == 2
                    && let Some(name) = self.some_named(|t| t == ty)
                {
                    return name;
                }
                let parts: Vec<String> = parts.iter().map(|part| self.value(part, depth, place)).collect();
                format!("(tuple {})", parts.join(" "))
            }
            Ty::Vec(scalar, width) => self.vector(*scalar, *width, depth),
            Ty::Triangle(scalar, len) => self.triangle(*scalar, len, depth, place),
            Ty::Hidden(..) => self.hidden_of(ty, depth, place).0,
        }
    }

    /// An expression equivalent to a value: bound to a name, in both branches of an `if`, or annotated.
    fn around(&mut self, ty: &Ty, depth: u32, place: Place) -> String {
        self.budget = self.budget.saturating_sub(1);
        match self.choices.below(4) {
            0 | 1 if self.whole() || place == Place::Top => {
                let before = (self.scope.len(), self.sizes.len());
                let (begin, end) = self.definition(place);
                let body = self.value(ty, depth, place);
                self.scope.truncate(before.0);
                self.sizes.truncate(before.1);
                begin + &body + &end
            }
            2 => {
                let test = self.scalar(Scalar::Bool, 1);
                format!("(if {test} {} {})", self.value(ty, depth, place), self.value(ty, depth, place))
            }
            _ => {
                let value = self.value(ty, depth, place);
                match self.type_text(ty) {
                    Some(ty) if !matches!(value.as_str(), "id") => format!("(: {value} {ty})"),
                    _ => value,
                }
            }
        }
    }
}
