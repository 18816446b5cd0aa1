//! Random well-typed programs as text, from a stream of choices.
//!
//! A program is grown from the type that is wanted, with the names in scope; each decision takes one number of the
//! stream, and 0 is always the simplest. So whoever shrinks the stream shrinks the program, and every stream is a
//! program.
//!
//! What the programs compute is the same on every device, bit by bit: integers wrap; floating point numbers are small
//! multiples of a power of two, on which sums are exact in any order; nothing divides by zero. What a program assumes of
//! its sizes may be false, which every device says before it begins.

use lift_codegen::value::{ArrayValue, Value};
use std::fmt::Write as _;

/// Numbers that decide; when they are used up, 0 for ever.
pub struct Choices<'a>(std::slice::Iter<'a, u16>);

impl Choices<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |choice| *choice as usize % n.max(1))
    }
    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Scalar {
    Int,
    Float,
    Bool,
}
use Scalar::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Len {
    N,
    M,
    /// 4·N
    FourN,
    /// A length with no other name than that of an array that has it.
    Of(u32),
    Nat(u32),
}

#[derive(Debug, Clone, PartialEq)]
enum Ty {
    Scalar(Scalar),
    Pair(Scalar, Scalar),
    Array(Box<Ty>, Len),
    /// Rows of Ints, each with a hidden length of its own.
    Rows(Len),
}

fn array(element: Ty, len: Len) -> Ty {
    Ty::Array(Box::new(element), len)
}

/// Where an expression stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// In no function: it may use the whole device.
    Top,
    /// In a function that runs for each element.
    Inside,
}

/// A kernel `random` on five inputs: `xs : [Int]N`, `ys : [Float]N`, `zs : [Int](4·N)`, `rows : [[Int]M]N`, `k : Int`.
pub fn program(choices: &[u16]) -> String {
    let mut maker = Maker { choices: Choices(choices.iter()), scope: Vec::new(), made: 0 };
    let inputs = [
        ("xs", array(Ty::Scalar(Int), Len::N)),
        ("ys", array(Ty::Scalar(Float), Len::N)),
        ("zs", array(Ty::Scalar(Int), Len::FourN)),
        ("rows", array(array(Ty::Scalar(Int), Len::M), Len::N)),
        ("k", Ty::Scalar(Int)),
    ];
    maker.scope.extend(inputs.map(|(name, ty)| (name.to_owned(), ty)));
    let body = maker.body();
    lift_syntax::format(&format!(
        "(lift random (N M) ((array-type int N) (array-type float N) (array-type int (* 4 N)) \
         (array-type (array-type int M) N) int) (lambda (xs ys zs rows k) {body}))\n"
    ))
}

struct Maker<'a> {
    choices: Choices<'a>,
    scope: Vec<(String, Ty)>,
    made: u32,
}

impl Maker<'_> {
    fn fresh(&mut self, letter: &str) -> String {
        self.made += 1;
        format!("{letter}{}", self.made)
    }

    fn names(&self, wanted: impl Fn(&Ty) -> bool) -> Vec<String> {
        self.scope.iter().filter(|(_, ty)| wanted(ty)).map(|(name, _)| name.clone()).collect()
    }

    /// The length as a size, as it stands behind `#`.
    fn size(&self, len: Len) -> String {
        match len {
            Len::N => "N".into(),
            Len::M => "M".into(),
            Len::FourN => "(* 4 N)".into(),
            Len::Nat(n) => n.to_string(),
            Len::Of(_) => {
                let named = self.scope.iter().rev().find(|(_, ty)| matches!(ty, Ty::Array(_, l) if *l == len));
                named.map_or("0".into(), |(name, _)| format!("(length {name})"))
            }
        }
    }

    /// Lengths that an array in scope has.
    fn lengths(&self) -> Vec<Len> {
        let mut found = vec![Len::N];
        for (_, ty) in &self.scope {
            if let Ty::Array(_, len) = ty
                && !found.contains(len)
            {
                found.push(*len);
            }
        }
        found
    }

    /// `(lambda (x) …)` with a body made under the parameter.
    fn lambda(&mut self, param: Ty, body: impl FnOnce(&mut Self) -> String) -> String {
        let name = self.fresh("x");
        self.scope.push((name.clone(), param));
        let body = body(self);
        self.scope.pop();
        format!("(lambda ({name}) {body})")
    }

    // --- statements

    fn body(&mut self) -> String {
        let mut text = String::new();
        let lets = self.choices.below(5);
        for _ in 0..lets {
            let (name, value, ty) = self.definition();
            let _ = write!(text, "(let {name} {value} ");
            self.scope.push((name, ty));
        }
        text += &self.result();
        text + &")".repeat(lets)
    }

    fn definition(&mut self) -> (String, String, Ty) {
        let name = self.fresh("v");
        let new = Len::Of(self.made);
        let (value, ty) = match self.choices.below(9) {
            0 | 1 => {
                let (element, from) = (self.element(), self.some_length());
                let predicate = self.lambda(element.clone(), |this| this.scalar(Bool, 2));
                let from = self.array(&element, from, 1, Place::Top);
                let filter = self.choices.of(&["filter", "filterGlb", "filterSeq"]);
                (format!("({filter} {predicate} {from})"), array(element, new))
            }
            2 => {
                let (element, len) = (self.element(), self.some_length());
                (self.array(&element, len, 2, Place::Top), array(element, len))
            }
            3 => (self.scalar(Int, 2), Ty::Scalar(Int)),
            4 => {
                let (element, a, b) = (self.element(), self.some_length(), self.some_length());
                let (a, b) = (self.array(&element, a, 1, Place::Top), self.array(&element, b, 1, Place::Top));
                (format!("(concat {a} {b})"), array(element, new))
            }
            5 => {
                let (element, a, b) = (self.element(), self.some_length(), self.some_length());
                let test = self.scalar(Bool, 1);
                let (a, b) = (self.array(&element, a, 1, Place::Top), self.array(&element, b, 1, Place::Top));
                (format!("(if {test} {a} {b})"), array(element, new))
            }
            6 => {
                let predicate = self.lambda(Ty::Scalar(Int), |this| this.scalar(Bool, 2));
                let ways = [
                    ("map", "filter"),
                    ("map", "filterSeq"),
                    ("mapGlb", "filter"),
                    ("mapSeq", "filterGlb"),
                    ("mapWrg", "filter"),
                    ("mapWrg", "filterLcl"),
                ];
                let (map, filter) = ways[self.choices.below(ways.len())];
                (format!("({map} (lambda (r) ({filter} {predicate} r)) rows)"), Ty::Rows(Len::N))
            }
            7 => {
                let function = self.lambda(Ty::Scalar(Int), |this| this.scalar(Int, 2));
                let (outer, inner) =
                    [("map", "map"), ("mapGlb1", "mapGlb0"), ("mapGlb", "mapSeq"), ("mapWrg", "mapLcl")]
                        [self.choices.below(4)];
                (format!("({outer} ({inner} {function}) rows)"), array(array(Ty::Scalar(Int), Len::M), Len::N))
            }
            _ => {
                let element = self.element();
                let from = self.array(&element, Len::N, 1, Place::Top);
                (format!("(take #2 {from})"), array(element, Len::Nat(2)))
            }
        };
        (name, value, ty)
    }

    fn result(&mut self) -> String {
        let hidden = self.names(|ty| matches!(ty, Ty::Rows(_)));
        let kind = self.choices.below(5);
        if let (3 | 4, Some(rows)) = (kind, hidden.last()) {
            self.made += 1;
            let row = array(Ty::Scalar(Int), Len::Of(self.made));
            let len = Len::Of(self.made);
            let function = match self.choices.below(2) {
                0 => self.lambda(row, |this| this.scalar(Int, 2)),
                _ => self.lambda(row, |this| this.array(&Ty::Scalar(Int), len, 2, Place::Inside)),
            };
            return format!("(map {function} {rows})");
        }
        match kind {
            1 => {
                let (one, other) = (self.some_array(1), self.some_array(1));
                format!("(tuple {one} {other})")
            }
            2 => self.scalar(Int, 2),
            _ => self.some_array(2),
        }
    }

    fn some_array(&mut self, depth: u32) -> String {
        let (element, len) = (self.element(), self.some_length());
        self.array(&element, len, depth, Place::Top)
    }

    /// Preferably the last one that was made.
    fn some_length(&mut self) -> Len {
        let lengths = self.lengths();
        lengths[lengths.len() - 1 - self.choices.below(lengths.len())]
    }

    fn element(&mut self) -> Ty {
        match self.choices.below(4) {
            0 | 1 => Ty::Scalar(Int),
            2 => Ty::Scalar(Float),
            _ => Ty::Pair(Int, Float),
        }
    }

    // --- arrays

    fn array(&mut self, element: &Ty, len: Len, depth: u32, place: Place) -> String {
        let wanted = array(element.clone(), len);
        let names = self.names(|ty| *ty == wanted);
        let simple = names.last().cloned();
        if depth == 0 {
            return simple.unwrap_or_else(|| self.generated(element, len));
        }
        let depth = depth - 1;
        match self.choices.below(9) {
            0 => simple.unwrap_or_else(|| self.generated(element, len)),
            1 | 2 => {
                let from = self.element();
                let function = self.lambda(from.clone(), |this| this.value(element, 2));
                let from = self.array(&from, len, depth, place);
                let map = match place {
                    Place::Top => self.choices.of(&["map", "mapGlb", "mapSeq", "(toGlobal (mapGlb"]),
                    Place::Inside => self.choices.of(&["map", "mapSeq"]),
                };
                match map {
                    "(toGlobal (mapGlb" => format!("((toGlobal (mapGlb {function})) {from})"),
                    map => format!("({map} {function} {from})"),
                }
            }
            3 => format!("(reverse {})", self.array(element, len, depth, place)),
            4 => {
                let test = self.scalar(Bool, 1);
                let (a, b) = (self.array(element, len, depth, place), self.array(element, len, depth, place));
                format!("(if {test} {a} {b})")
            }
            5 => match element {
                Ty::Pair(a, b) => {
                    let (a, b) = (Ty::Scalar(*a), Ty::Scalar(*b));
                    let (a, b) = (self.array(&a, len, depth, place), self.array(&b, len, depth, place));
                    format!("(zip {a} {b})")
                }
                Ty::Scalar(Int) => {
                    let (scan, (neutral, op)) = (self.choices.of(&["scan", "scanSeq"]), self.monoid());
                    format!("({scan} {neutral} {op} {})", self.array(element, len, depth, place))
                }
                _ => self.generated(element, len),
            },
            6 => self.generated(element, len),
            7 => self.rearranged(element, len, depth, place),
            _ => self.joined_pieces(element, len, depth, place),
        }
    }

    fn generated(&mut self, element: &Ty, len: Len) -> String {
        let size = self.size(len);
        if *element == Ty::Scalar(Int) && self.choices.below(2) == 0 {
            return format!("(iota #{size})");
        }
        let function = self.lambda(Ty::Scalar(Int), |this| this.value(element, 1));
        format!("(generate #{size} {function})")
    }

    /// Views that change the order, or the length there and back.
    fn rearranged(&mut self, element: &Ty, len: Len, depth: u32, place: Place) -> String {
        let from = self.array(element, len, depth, place);
        let size = self.size(len);
        match (len, self.choices.below(5)) {
            (_, 0) => format!("(reorder (lambda (i) (- (- #{size} 1) i)) {from})"),
            (Len::FourN, 1) => format!("(join (split #4 {from}))"),
            (Len::FourN, 2) => format!("(join (map reverse (split #4 {from})))"),
            (Len::FourN, 3) => format!("(stride #4 {from})"),
            (Len::FourN, _) if place == Place::Top => {
                let function = self.lambda(element.clone(), |this| this.value(element, 1));
                match self.choices.below(2) {
                    0 => format!("(join (mapWrg (mapLcl {function}) (split #4 {from})))"),
                    _ => format!("(join (mapWrg (o (mapLcl {function}) (toLocal (mapLcl id))) (split #4 {from})))"),
                }
            }
            (_, 1) => format!("(take #{size} (concat {from} {from}))"),
            (_, 2) => format!("(drop #2 (padConstant #1 #1 {} {from}))", self.value(element, 0)),
            (_, 3) => format!("(get1 (unzip (zip {from} {from})))"),
            _ => format!("(iterate #2 reverse {from})"),
        }
    }

    /// Each element from a piece, a window, a row or a column.
    fn joined_pieces(&mut self, element: &Ty, len: Len, depth: u32, place: Place) -> String {
        let (piece, pieces) = match (len, self.choices.below(2)) {
            (Len::N, 0) => {
                let from = self.array(&Ty::Scalar(Int), Len::FourN, depth, place);
                (Len::Nat(4), format!("(split #4 {from})"))
            }
            (Len::N, _) => (Len::M, "rows".to_owned()),
            (Len::M, 0) => (Len::N, "(transpose rows)".to_owned()),
            (Len::FourN, _) | (Len::M, _) => {
                let from = self.array(&Ty::Scalar(Int), len, depth, place);
                let mode = self.choices.of(&["clamp", "mirror", "wrap"]);
                (Len::Nat(3), format!("(slide #3 #1 (pad #1 #1 {mode} {from}))"))
            }
            (Len::Nat(_), _) => {
                let from = self.array(&Ty::Scalar(Int), len, depth, place);
                (Len::Nat(3), format!("(slide #3 #1 (padConstant #1 #1 7 {from}))"))
            }
            // A window may be longer than an array whose length is known only when it is there.
            (Len::Of(_), _) => return self.generated(element, len),
        };
        let function = self.lambda(array(Ty::Scalar(Int), piece), |this| this.value(element, 2));
        let map = match place {
            Place::Top => self.choices.of(&["map", "mapGlb", "mapSeq"]),
            Place::Inside => self.choices.of(&["map", "mapSeq"]),
        };
        format!("({map} {function} {pieces})")
    }

    /// Associative on Ints, with what is neutral.
    fn monoid(&mut self) -> (&'static str, &'static str) {
        [("0", "+"), ("1", "*"), ("0", "bitxor"), ("-1", "bitand"), ("0", "bitor")][self.choices.below(5)]
    }

    // --- values

    fn value(&mut self, ty: &Ty, depth: u32) -> String {
        match ty {
            Ty::Scalar(scalar) => self.scalar(*scalar, depth),
            Ty::Pair(a, b) => {
                let names = self.names(|t| t == ty);
                match names.last() {
                    Some(name) if self.choices.below(2) == 1 => name.clone(),
                    _ => format!("(tuple {} {})", self.scalar(*a, depth), self.scalar(*b, depth)),
                }
            }
            Ty::Array(..) | Ty::Rows(_) => unreachable!("only elements are values"),
        }
    }

    fn scalar(&mut self, scalar: Scalar, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(scalar);
        }
        let depth = depth - 1;
        match scalar {
            Int => match self.choices.below(9) {
                0 => self.leaf(Int),
                1 | 2 => {
                    let op = self.choices.of(&["+", "-", "*", "min", "max", "bitand", "bitor", "bitxor"]);
                    format!("({op} {} {})", self.scalar(Int, depth), self.scalar(Int, depth))
                }
                3 => {
                    let (op, by) = (self.choices.of(&["mod", "/", "shl", "shr"]), self.choices.of(&["3", "2", "7"]));
                    format!("({op} {} {by})", self.scalar(Int, depth))
                }
                4 => format!("({} {})", self.choices.of(&["neg", "abs"]), self.scalar(Int, depth)),
                5 => self.conditional(Int, depth),
                6 => self.reduced(Int, depth),
                7 => {
                    let value = self.scalar(Int, depth);
                    let name = self.fresh("t");
                    self.scope.push((name.clone(), Ty::Scalar(Int)));
                    let body = self.scalar(Int, depth);
                    self.scope.pop();
                    format!("(let {name} {value} {body})")
                }
                _ => match self.names(|ty| matches!(ty, Ty::Array(_, _))).last() {
                    Some(name) => format!("(length {name})"),
                    None => self.leaf(Int),
                },
            },
            Float => match self.choices.below(6) {
                0 => self.leaf(Float),
                1 => {
                    let op = self.choices.of(&["+", "-", "min", "max"]);
                    format!("({op} {} {})", self.scalar(Float, depth), self.scalar(Float, depth))
                }
                2 => format!("(* {} {})", self.scalar(Float, depth), self.choices.of(&["0.5f", "2.0f"])),
                3 => format!("(toFloat (mod {} 64))", self.scalar(Int, depth)),
                4 => self.conditional(Float, depth),
                _ => self.reduced(Float, depth),
            },
            Bool => match self.choices.below(5) {
                0 => format!("({} {} {})", self.comparison(), self.leaf(Int), self.leaf(Int)),
                1 => format!("({} {} {})", self.comparison(), self.scalar(Int, depth), self.scalar(Int, depth)),
                2 => format!("({} {} {})", self.comparison(), self.scalar(Float, depth), self.scalar(Float, depth)),
                3 => format!("(= (mod {} 2) 0)", self.scalar(Int, depth)),
                _ => {
                    let (a, b) = (self.scalar(Bool, depth), self.scalar(Bool, depth));
                    match self.choices.below(3) {
                        0 => format!("(and {a} {b})"),
                        1 => format!("(or {a} {b})"),
                        _ => format!("(not {a})"),
                    }
                }
            },
        }
    }

    fn comparison(&mut self) -> &'static str {
        self.choices.of(&["<", ">", "<=", ">=", "=", "!="])
    }

    fn conditional(&mut self, scalar: Scalar, depth: u32) -> String {
        let test = self.scalar(Bool, depth);
        format!("(if {test} {} {})", self.scalar(scalar, depth), self.scalar(scalar, depth))
    }

    /// All elements of an array as one number, or one element of a short one.
    fn reduced(&mut self, scalar: Scalar, depth: u32) -> String {
        let element = Ty::Scalar(scalar);
        let arrays = self.names(|ty| matches!(ty, Ty::Array(e, _) if **e == element));
        let Some(name) = arrays.last().cloned() else { return self.leaf(scalar) };
        let short = self.scope.iter().any(|(n, ty)| *n == name && matches!(ty, Ty::Array(_, Len::Nat(_))));
        match (scalar, self.choices.below(4)) {
            (_, 3) if short => format!("(aref {name} {})", self.choices.of(&["0", "1"])),
            (Float, _) => format!("(head (reduceSeq 0.0f + {name}))"),
            (_, 0 | 3) => {
                let (neutral, op) = self.monoid();
                format!("(head (reduce {neutral} {op} {name}))")
            }
            (_, 1) => {
                let start = self.leaf(Int);
                let (a, b) = (self.fresh("a"), self.fresh("b"));
                self.scope.extend([(a.clone(), Ty::Scalar(Int)), (b.clone(), Ty::Scalar(Int))]);
                let body = self.scalar(Int, depth);
                self.scope.truncate(self.scope.len() - 2);
                format!("(head (reduceSeq {start} (lambda ({a} {b}) {body}) {name}))")
            }
            _ => {
                let predicate = self.lambda(element, |this| this.scalar(Bool, depth.min(1)));
                format!("(head (reduceSeq 0 + (filterSeq {predicate} {name})))")
            }
        }
    }

    fn leaf(&mut self, scalar: Scalar) -> String {
        let names = self.names(|ty| *ty == Ty::Scalar(scalar));
        let pairs = self.names(|ty| matches!(ty, Ty::Pair(..)));
        let choice = self.choices.below(names.len() + pairs.len() + 1);
        if let Some(name) = names.iter().rev().nth(choice) {
            return name.clone();
        }
        match (scalar, pairs.iter().rev().nth(choice.saturating_sub(names.len()))) {
            (Int, Some(pair)) => format!("(get1 {pair})"),
            (Float, Some(pair)) => format!("(get2 {pair})"),
            (Int, None) => self.choices.of(&["1", "0", "-3", "100", "N"]).to_owned(),
            (Float, None) => self.choices.of(&["0.5f", "-2.0f", "0.0f"]).to_owned(),
            (Bool, _) => self.choices.of(&["true", "false"]).to_owned(),
        }
    }
}

/// What [`program`] takes, at sizes N and M.
pub fn inputs(n: usize, m: usize) -> Vec<Value> {
    let int = |i: usize| ((i * 37 + 11) % 101) as i32 - 50;
    let ints = |from: usize, n: usize| Value::Array(ArrayValue::Int((from..from + n).map(int).collect()));
    let floats = (0..n).map(|i| ((i * 29 + 5) % 61) as f32 * 0.25 - 7.0).collect();
    let rows = (0..n).map(|row| ints(row * 7, m)).collect();
    vec![
        ints(0, n),
        Value::Array(ArrayValue::Float(floats)),
        ints(3, 4 * n),
        Value::Array(ArrayValue::Values(rows)),
        Value::Int(5),
    ]
}
