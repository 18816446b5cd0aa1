//! Expressions for scalars and vectors.

use super::len::Len;
use super::ty::{BOOL, INT, Scalar, Ty};
use super::{Maker, Place};
use Scalar::*;

impl Maker<'_> {
    pub(super) fn scalar(&mut self, scalar: Scalar, depth: u32) -> String {
        if depth == 0 || self.budget == 0 {
            return self.leaf(scalar);
        }
        let depth = self.deeper(depth);
        match scalar {
            Int => self.int(depth),
            UByte => self.unsigned(UByte, "toUByte", depth),
            UInt => self.unsigned(UInt, "toUInt", depth),
            Long => match self.choices.below(4) {
                0 => self.leaf(Long),
                1 => format!("(toLong {})", self.scalar(Int, depth)),
                2 => self.reduced(Long, depth),
                _ => {
                    let op = self.choices.of(&["+", "-", "*", "min", "max", "bitxor"]);
                    format!("({op} {} {})", self.scalar(Long, depth), self.scalar(Long, depth))
                }
            },
            Float => match self.choices.below(8) {
                0 => self.leaf(Float),
                1 => {
                    let op = self.choices.of(&["+", "-", "min", "max"]);
                    format!("({op} {} {})", self.scalar(Float, depth), self.scalar(Float, depth))
                }
                2 => format!("(* {} {})", self.scalar(Float, depth), self.choices.of(&["0.5f", "2.0f"])),
                3 => format!("(toFloat (mod {} 64))", self.scalar(Int, depth)),
                4 => self.conditional(Float, depth),
                5 => self.function_of_reals(Float, depth),
                6 => self.component(Float),
                _ => self.reduced(Float, depth),
            },
            Double => match self.choices.below(6) {
                0 => self.leaf(Double),
                1 => format!("(toDouble {})", self.scalar(Float, depth)),
                2 => self.conditional(Double, depth),
                3 => self.function_of_reals(Double, depth),
                4 => self.reduced(Double, depth),
                _ => {
                    let op = self.choices.of(&["+", "-", "min", "max"]);
                    format!("({op} {} {})", self.scalar(Double, depth), self.scalar(Double, depth))
                }
            },
            Bool => self.bool(depth),
        }
    }

    fn unsigned(&mut self, scalar: Scalar, conversion: &str, depth: u32) -> String {
        match self.choices.below(6) {
            0 => self.leaf(scalar),
            1 => format!("({conversion} {})", self.scalar(Int, depth)),
            2 => self.reduced(scalar, depth),
            3 => self.conditional(scalar, depth),
            4 => {
                let op = self.choices.of(&["/", "mod", "shl", "shr", "ushr"]);
                let by = if scalar == UByte { "3ub" } else { "3u" };
                format!("({op} {} {by})", self.scalar(scalar, depth))
            }
            _ => {
                let op = self.choices.of(&["+", "-", "*", "min", "max", "bitxor", "bitand"]);
                format!("({op} {} {})", self.scalar(scalar, depth), self.scalar(scalar, depth))
            }
        }
    }

    /// A function of a real number. Only some are exact, and thus equal on every device.
    fn function_of_reals(&mut self, scalar: Scalar, depth: u32) -> String {
        // Those that are not exact are in pairs, so that each occurs often enough.
        let exact = [["floor"], ["ceil"], ["round"], ["abs"], ["neg"], ["floorMod"]];
        let all: [&[&str]; 16] = [
            &exact[0],
            &exact[1],
            &exact[2],
            &exact[3],
            &exact[4],
            &exact[5],
            &["sqrt"],
            &["pow"],
            &["atan2"],
            &["log", "exp"],
            &["asin", "sin"],
            &["acos", "cos"],
            &["atan", "tan"],
            &["asinh", "sinh"],
            &["acosh", "cosh"],
            &["atanh", "tanh"],
        ];
        let chosen = if self.whole() { self.choices.of(&all) } else { self.choices.of(&all[..exact.len()]) };
        let value = self.scalar(scalar, depth);
        chosen.iter().rev().fold(value, |value, function| of_real(function, scalar, &value))
    }

    /// A component of a larger tuple.
    fn component(&mut self, scalar: Scalar) -> String {
        let this = self.choices.below(16);
        let width = (this + 1 + self.choices.below(2)).clamp(4, 16);
        let others = [Int, Float, Bool, Long];
        let parts: Vec<String> = (0..width)
            .map(|i| if i == this { self.leaf(scalar) } else { self.leaf(others[i % others.len()]) })
            .collect();
        format!("(get{} (tuple {}))", this + 1, parts.join(" "))
    }

    fn int(&mut self, depth: u32) -> String {
        match self.choices.below(16) {
            0 => self.leaf(Int),
            1 | 2 => {
                let op = self.choices.of(&["+", "-", "*", "min", "max", "bitand", "bitor", "bitxor", "+i", "*i", "-i"]);
                format!("({op} {} {})", self.scalar(Int, depth), self.scalar(Int, depth))
            }
            3 => {
                let (op, by) = (
                    self.choices.of(&["mod", "floorMod", "/", "shl", "shr", "ushr", "/i"]),
                    self.choices.of(&["3", "2", "7", "-5"]),
                );
                format!("({op} {} {by})", self.scalar(Int, depth))
            }
            4 => format!("({} {})", self.choices.of(&["neg", "abs", "popcount", "clz"]), self.scalar(Int, depth)),
            5 => self.conditional(Int, depth),
            6 | 7 => self.reduced(Int, depth),
            8 => {
                let value = self.scalar(Int, depth);
                let name = self.fresh("t");
                self.scope.push((name.clone(), INT));
                let body = self.scalar(Int, depth);
                self.scope.pop();
                let other = self.leaf(Int);
                match self.choices.below(3) {
                    0 => format!("(let {name} {value} {body})"),
                    1 => format!("(let other {other} {name} {value} (max {body} other 0))"),
                    _ => format!("(let (tuple {name} other) (tuple {value} {other}) (+ {body} other 1))"),
                }
            }
            9 => match self.some_named(|ty| matches!(ty, Ty::Array(..))) {
                Some(name) => format!("(length {name})"),
                None => self.leaf(Int),
            },
            10 => match self.sizes.last().filter(|_| self.whole()) {
                Some((_, name)) => format!("#{name}"),
                None => "#(* 2 N)".into(),
            },
            11 if self.choices.flip() => self.iterated_number(depth),
            11 => {
                let (start, most) = (self.scalar(Int, 0), self.choices.of(&["100", "7", "0"]));
                let (test, step) = (self.choices.of(&["3", "2"]), self.choices.of(&["1", "4"]));
                format!(
                    "(iterateWhile (lambda (i) (< i {most})) (lambda (i) (+ (* {test} i) {step})) (abs (mod {start} 64)))"
                )
            }
            12 => format!("(toInt {})", self.scalar(Float, depth)),
            13 => self.component(Int),
            14 if self.whole() => self.of_few_pieces(),
            15 if self.choices.flip() => match self.choices.below(6) {
                0 => format!("(toInt {})", self.scalar(UByte, depth)),
                1 => format!("(toInt {})", self.scalar(UInt, depth)),
                // Whole numbers up to 2048 are exact.
                2 => format!("(toInt (toHalf (mod {} 2048)))", self.scalar(Int, depth)),
                _ => {
                    let through = self.choices.of(&["toByte", "toUByte", "toShort", "toUShort", "toUInt", "toULong"]);
                    format!("(toInt ({through} {}))", self.scalar(Int, depth))
                }
            },
            _ => self.found(depth),
        }
    }

    /// An `iterate` over a number or a tuple.
    fn iterated_number(&mut self, depth: u32) -> String {
        let rounds = self.rounds_number();
        if self.choices.flip() {
            let round = self.lambda(&[INT], |this| this.scalar(Int, depth.min(1)));
            return format!("(iterate {rounds} {round} {})", self.scalar(Int, depth.min(1)));
        }
        let state = Ty::Tuple(vec![INT, BOOL]);
        let round = self.lambda(&[state], |this| {
            format!("(tuple {} {})", this.scalar(Int, depth.min(1)), this.scalar(Bool, depth.min(1)))
        });
        format!("(get1 (iterate {rounds} {round} (tuple {} {})))", self.scalar(Int, 0), self.leaf(Bool))
    }

    /// A number of rounds: a constant, a size or an `Int`, perhaps negative.
    pub(super) fn rounds_number(&mut self) -> &'static str {
        self.choices.of(&["#2", "0", "(bitand k 3)", "#M", "(mod k 4)", "#1"])
    }

    /// A search, or a helper of the prelude.
    fn found(&mut self, depth: u32) -> String {
        let Some(name) = self.some_named(|ty| matches!(ty, Ty::Array(e, _) if **e == INT)) else {
            return self.leaf(Int);
        };
        match self.choices.below(4) {
            3 => {
                let wanted = self.scalar(Int, depth.min(1));
                format!("(search (lambda (q) (- q (mod {wanted} 64))) (iota #N))")
            }
            0 => format!("(+ (sumi {name}) (toElement {name} 1))"),
            1 => format!("(lsearch (lambda (q) (- q {})) {name})", self.scalar(Int, depth.min(1))),
            _ => {
                let keep = self.lambda(&[INT], |this| this.scalar(Bool, depth.min(1)));
                format!("(count {keep} {name})")
            }
        }
    }

    /// A sum over the segments of `caseSplit`: first, middle and rest.
    fn of_few_pieces(&mut self) -> String {
        let (first, rest) = (self.choices.of(&["1", "0", "2"]), self.choices.of(&["1", "3"]));
        let value = self.leaf(Int);
        format!(
            "(head (reduceSeq 0 + (map (lambda (p) (head (reduceSeq 0 + p))) \
             (partition #3 (caseSplit {first} N {rest}) (padConstant #{first} #{rest} {value} xs)))))"
        )
    }

    fn bool(&mut self, depth: u32) -> String {
        match self.choices.below(7) {
            6 => {
                let comparison = self.choices.of(&["=i", "<i", ">i"]);
                format!("({comparison} {} {})", self.leaf(Int), self.scalar(Int, depth))
            }
            0 => format!("({} {} {})", self.comparison(), self.leaf(Int), self.leaf(Int)),
            1 => format!("({} {} {})", self.comparison(), self.scalar(Int, depth), self.scalar(Int, depth)),
            2 => {
                let (op, a, b) = (self.comparison(), self.scalar(Float, depth), self.scalar(Float, depth));
                // The operand is duplicated, so only if it is short.
                if depth == 0 { format!("(or (isnan {a}) ({op} {a} {b}))") } else { format!("({op} {a} {b})") }
            }
            3 => format!("(= (mod {} 2) 0)", self.scalar(Int, depth)),
            4 => self.leaf(Bool),
            _ => {
                let (a, b) = (self.scalar(Bool, depth), self.scalar(Bool, depth));
                match self.choices.below(3) {
                    0 => format!("(and {a} {b} {})", self.leaf(Bool)),
                    1 => format!("(or {a} {b})"),
                    _ => format!("(not {a})"),
                }
            }
        }
    }

    fn comparison(&mut self) -> &'static str {
        self.choices.of(&["<", ">", "<=", ">=", "=", "!="])
    }

    fn conditional(&mut self, scalar: Scalar, depth: u32) -> String {
        let test = self.scalar(Bool, depth);
        format!("(if {test} {} {})", self.scalar(scalar, depth), self.scalar(scalar, depth))
    }

    /// Returns an associative function with its neutral element.
    pub(super) fn monoid(&mut self, scalar: Scalar) -> Option<(&'static str, &'static str)> {
        Some(match scalar {
            Int => self.choices.of(&[("0", "+"), ("1", "*"), ("0", "bitxor"), ("-1", "bitand"), ("0", "bitor")]),
            Long => self.choices.of(&[("0L", "+"), ("1L", "*"), ("0L", "bitxor")]),
            UByte => self.choices.of(&[("0ub", "+"), ("1ub", "*"), ("255ub", "bitand"), ("0ub", "max")]),
            UInt => self.choices.of(&[("0u", "+"), ("1u", "*"), ("0u", "bitxor"), ("0xffffffffu", "min")]),
            Bool => self.choices.of(&[("false", "or"), ("true", "and")]),
            Float | Double => return None,
        })
    }

    /// A fold of an array, or one of its elements.
    fn reduced(&mut self, scalar: Scalar, depth: u32) -> String {
        let element = Ty::Scalar(scalar);
        let Some((name, Ty::Array(_, len))) = self.some_value(|ty| matches!(ty, Ty::Array(e, _) if **e == element))
        else {
            return self.leaf(scalar);
        };
        match self.choices.below(8) {
            6 => {
                let value = self.leaf(scalar);
                format!("({} (padConstant #1 #1 {value} {name}))", self.choices.of(&["last", "head"]))
            }
            7 => {
                // An index known only at run time.
                let (value, index) = (self.leaf(scalar), self.scalar(Int, depth.min(1)));
                format!("(aref (concat (fill #3 {value}) {name}) (mod (bitand {index} 255) 3))")
            }
            0 if len.is_positive() => format!("({} {name})", self.choices.of(&["head", "last"])),
            1 if len.is_positive() => format!("(aref {name} {})", self.choices.below(len.plus as usize)),
            2 => {
                let other = self.element();
                let step = self.lambda(&[other.clone(), element], |this| this.value(&other, depth, Place::Inside));
                let start = self.value(&other, 0, Place::Inside);
                // The fold has another type; the wanted value is computed from its result.
                let folded = format!("(head (reduceSeq {start} {step} {name}))");
                let result = self.lambda(&[other], |this| this.scalar(scalar, depth.min(1)));
                format!("({result} {folded})")
            }
            3 if scalar == Int => {
                let keep = self.lambda(&[element], |this| this.scalar(Bool, depth.min(1)));
                match self.choices.below(5) {
                    0 => format!("(length (filter {keep} {name}))"),
                    1 => format!(
                        "(let ks (filter {keep} {name}) (if (> (length ks) 0) (/ (head (reduce 0 + ks)) (length ks)) 0))"
                    ),
                    2 => format!(
                        "(let ks (filter {keep} {name}) (- (length ks) (head (reduceSeq 0 max (map (bitxor 5) ks)))))"
                    ),
                    3 => format!("(head (reduceSeq 0 + (filterSeq {keep} {name})))"),
                    _ => self.equal_here(&name, &keep, depth),
                }
            }
            4 if scalar == Int => {
                let limit = self.choices.of(&["50", "0", "1000"]);
                format!("(head (reduceWhileSeq (lambda (s) (< s {limit})) 0 + {name}))")
            }
            _ => match self.monoid(scalar) {
                Some((neutral, op)) => {
                    let reduce = self.choices.of(&["reduce", "reduceSeq"]);
                    format!("(head ({reduce} {neutral} {op} {name}))")
                }
                // A sum in sequential order, or a maximum in any order.
                None if scalar == Float => match self.choices.flip() {
                    true => format!("(head (reduce -1000000.0f max {name}))"),
                    false => format!("(head (reduceSeq 0.0f + {name}))"),
                },
                None => format!("(head ({} 0.0 max {name}))", self.choices.of(&["reduceSeq", "reduce"])),
            },
        }
    }

    /// A fold of pairs of two arrays whose lengths are equal only where a condition says so.
    fn equal_here(&mut self, name: &str, keep: &str, depth: u32) -> String {
        let also = self.lambda(&[Ty::Scalar(Int)], |this| this.scalar(Bool, depth.min(1)));
        let (second, test) = match self.choices.below(4) {
            0 => (format!("(filter {also} {name})"), "(= (length ks) (length ls))"),
            1 => (format!("(filter {also} {name})"), "(not (!= (length ls) (length ks)))"),
            2 => (
                format!("(concat (fill #1 7) (filter {also} {name}))"),
                "(and (< 0 (length ks)) (= (length ks) (length ls)))",
            ),
            _ => (name.to_owned(), "(= (length ls) (length ks))"),
        };
        let pairs = self.choices.of(&[
            "(zip ks ls)",
            "(zip ls ks)",
            "((o (map (lambda (p) p)) (zip ks)) ls)",
            "(o (zip ls) ks)",
        ]);
        let sum = format!("(head (reduceSeq 0 + (map (lambda (p) (bitxor (get1 p) (get2 p))) {pairs})))");
        format!("(let ks (filter {keep} {name}) (let ls {second} (if {test} {sum} -1)))")
    }

    fn leaf(&mut self, scalar: Scalar) -> String {
        let ty = Ty::Scalar(scalar);
        let names = self.named(|t| *t == ty);
        let choice = self.choices.below(names.len() + 1);
        if let Some(name) = names.get(choice) {
            return name.clone();
        }
        match scalar {
            Int => self.choices.of(&["1", "0", "-3", "100", "N", "M"]),
            UByte => self.choices.of(&["1ub", "0ub", "200ub"]),
            UInt => self.choices.of(&["1u", "0u", "4000000000u"]),
            Long => self.choices.of(&["1L", "0L", "-5L"]),
            Float => self.choices.of(&["0.5f", "-2.0f", "0.0f", "inff", "-inff", "nanf"]),
            Double => self.choices.of(&["0.5", "-2.0", "0.0", "-inf", "nan"]),
            Bool => self.choices.of(&["true", "false"]),
        }
        .to_owned()
    }

    pub(super) fn vector(&mut self, scalar: Scalar, width: u32, depth: u32) -> String {
        if let Some(name) = self.some_named(|ty| *ty == Ty::Vec(scalar, width)) {
            if depth == 0 || self.choices.flip() {
                return name;
            }
            let function = self.function(&Ty::Scalar(scalar), &Ty::Scalar(scalar), depth - 1);
            return match self.choices.flip() {
                true => format!("(mapVec {function} {name})"),
                false => format!("(vectorize #{width} {function} {name})"),
            };
        }
        let lanes = self.array(&Ty::Scalar(scalar), &Len::nat(width), depth.min(1), Place::Inside);
        format!("(head (asVector #{width} {lanes}))")
    }
}

/// A function of a real number, with a constant as its second argument if it has two.
fn of_real(function: &str, scalar: Scalar, value: &str) -> String {
    let second = match (function, scalar) {
        ("floorMod", Float) => " -2.5f",
        ("floorMod", _) => " 1.0",
        ("pow" | "atan2", Float) => " 2.0f",
        ("pow" | "atan2", _) => " 0.5",
        _ => "",
    };
    format!("({function} {value}{second})")
}
