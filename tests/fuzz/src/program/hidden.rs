//! Expressions with hidden lengths.

use super::len::{Base, Len};
use super::ty::{BOOL, INT, Scalar, Ty};
use super::{Maker, Place};

impl Maker<'_> {
    /// Returns a value with hidden lengths, its type, and whether `unpack` may open it: some expressions have already
    /// opened the length themselves.
    pub(super) fn hidden(&mut self, place: Place, depth: u32) -> (String, Ty, bool) {
        let element = self.element();
        let ty = match self.choices.below(if self.whole() { 8 } else { 4 }) {
            0..4 => Ty::dynamic(element),
            4 => self.shared(element),
            5 => Ty::Hidden(
                2,
                Box::new(Ty::Tuple(vec![
                    Ty::array(element.clone(), Len::of(Base::Hidden(0))),
                    Ty::array(element, Len::of(Base::Hidden(1))),
                ])),
            ),
            6 => Ty::Hidden(1, Box::new(Ty::array(Ty::array(element, Len::of(Base::Hidden(0))), Len::nat(2)))),
            _ => Ty::dynamic(Ty::dynamic(element)),
        };
        let (text, openable) = self.hidden_of(&ty, depth, place);
        (text, ty, openable)
    }

    /// The type of two arrays with one hidden length.
    fn shared(&mut self, element: Ty) -> Ty {
        let len = Len::of(Base::Hidden(0));
        Ty::Hidden(1, Box::new(Ty::Tuple(vec![Ty::array(element.clone(), len.clone()), Ty::array(element, len)])))
    }

    pub(super) fn hidden_of(&mut self, ty: &Ty, depth: u32, place: Place) -> (String, bool) {
        let depth = self.deeper(depth);
        let Ty::Hidden(_, body) = ty else { return (self.value(ty, depth, place), false) };
        match &**body {
            Ty::Array(element, len) if *len == Len::of(Base::Hidden(0)) => self.dynamic(element, depth, place),
            // Rows of one hidden length.
            Ty::Array(row, outer) => {
                let Some((element, _)) = row.as_array() else { return (String::from("xs"), false) };
                let (inner, openable) = self.dynamic(element, depth, place);
                let name = self.fresh("h");
                let Some(outer) = self.size(outer) else { return (String::from("xs"), false) };
                let body = format!("(fill #{outer} {name})");
                {
                    let unpack = openable && self.choices.flip();
                    (self.named_in(&name, &inner, &body, unpack), false)
                }
            }
            Ty::Tuple(parts) => {
                let elements: Vec<Ty> = parts.iter().filter_map(|p| p.as_array().map(|(e, _)| e.clone())).collect();
                let [first, second] = elements.as_slice() else { return (String::from("xs"), false) };
                if parts[0].as_array().map(|a| a.1) != parts[1].as_array().map(|a| a.1) {
                    if first == second && self.choices.below(3) == 2 {
                        let (p, q) = (self.function(first, &BOOL, 1), self.function(first, &BOOL, 1));
                        let xs = self.some_length();
                        let xs = self.array(first, &xs, depth, place);
                        return (format!("(both {p} {q} {xs})"), true);
                    }
                    let (a, b) = (self.dynamic(first, depth, place).0, self.dynamic(second, depth, place).0);
                    return (format!("(tuple {a} {b})"), false);
                }
                let from = self.element();
                let (inner, openable) = self.dynamic(&from, depth, place);
                if self.choices.below(3) == 2 && from == *first {
                    let keep = self.function(&from, &BOOL, 1);
                    let xs = self.some_length();
                    let xs = self.array(&from, &xs, depth, place);
                    let function = self.function(first, second, depth.min(1));
                    return (format!("(shared {keep} {function} {xs})"), true);
                }
                let name = self.fresh("h");
                let one = self.function(&from, first, depth.min(1));
                let two = self.function(&from, second, depth.min(1));
                let body = format!("(tuple (map {one} {name}) (map {two} {name}))");
                {
                    let unpack = openable && self.choices.flip();
                    (self.named_in(&name, &inner, &body, unpack), false)
                }
            }
            _ => (String::from("xs"), false),
        }
    }

    /// Binds the name to the value in the body.
    fn named_in(&mut self, name: &str, value: &str, body: &str, unpack: bool) -> String {
        match (unpack, self.choices.below(3)) {
            (true, 0) => format!("(unpack {name} {value} {body})"),
            (true, _) => {
                let size = self.fresh("L");
                format!("(unpack ({size} {name}) {value} {body})")
            }
            (false, 0 | 1) => format!("(let {name} {value} {body})"),
            (false, _) => format!("((lambda ({name}) {body}) {value})"),
        }
    }

    /// A loop whose state has another length in each round.
    fn changing_state(&mut self, element: &Ty, depth: u32, place: Place) -> String {
        let keep = self.function(element, &BOOL, 1);
        let from = self.some_length();
        let xs = self.array(element, &from, depth, place);
        let round = self.choices.of(&[
            "(filter P (drop (min 1 (length s)) s))",
            "(concat s (filter P s))",
            "(concat (filter P s) (take (min 2 (length s)) s))",
            "(filter P s)",
        ]);
        let round = round.replace('P', &keep);
        match self.choices.below(3) {
            0 => {
                let rounds = self.choices.of(&["#2", "0", "(bitand k 3)", "#1"]);
                format!("(iterate {rounds} (lambda (s) {round}) {xs})")
            }
            1 => {
                format!("(iterateWhile (lambda (s) (and (< 2 (length s)) (< (length s) 5))) (lambda (s) {round}) {xs})")
            }
            // To take a component opens the length; a filter hides one again.
            _ => format!(
                "(filter (lambda (x) true) (get1 (iterateWhile (lambda (t) (< (get2 t) 3)) \
                 (lambda (t) (let s (get1 t) (tuple {round} (+ (get2 t) 1)))) (tuple {xs} 0))))"
            ),
        }
    }

    /// An array whose length is known only at run time.
    fn dynamic(&mut self, element: &Ty, depth: u32, place: Place) -> (String, bool) {
        let simple = !self.whole() && place == Place::Inside;
        match self.choices.below(if simple || element.hides() { 1 } else { 11 }) {
            3 => {
                let (a, b) = (self.some_length(), self.some_length());
                let test = self.scalar(Scalar::Bool, 1);
                let (a, b) = (self.array(element, &a, depth, place), self.array(element, &b, depth, place));
                (format!("(if {test} {a} {b})"), false)
            }
            4 => {
                let (a, b) = (self.some_length(), self.some_length());
                let (a, b) = (self.array(element, &a, depth, place), self.array(element, &b, depth, place));
                (format!("(concat {a} {b})"), false)
            }
            5 if self.whole() => {
                let count = format!("(abs (mod {} 9))", self.scalar(Scalar::Int, 1));
                let text = match self.choices.below(3) {
                    0 if *element == INT => format!("(iota {count})"),
                    1 => format!("(fill {count} {})", self.value(element, 0, Place::Inside)),
                    _ => {
                        let function = self.lambda(&[INT], |this| this.value(element, 1, Place::Inside));
                        format!("(generate {count} {function})")
                    }
                };
                (text, true)
            }
            9 if self.whole() || place == Place::Top => (self.changing_state(element, depth, place), true),
            6 if self.whole() => {
                let name = self.fresh("h");
                let (value, openable) = self.dynamic(element, depth.saturating_sub(1), place);
                let body = self.choices.of(&["(reverse {})", "(concat {} {})", "(pack {})"]).replace("{}", &name);
                let unpack = openable && self.choices.flip() && !body.starts_with("(pack");
                (self.named_in(&name, &value, &body, unpack), false)
            }
            7 if self.whole() => {
                let function = self.function(element, element, 1);
                let (xs, _) = self.dynamic(element, depth.saturating_sub(1), place);
                (format!("(map {function} {xs})"), false)
            }
            8 if self.whole() => {
                let (xs, _) = self.dynamic(element, depth.saturating_sub(1), place);
                let keep = self.function(element, &BOOL, 1);
                match self.choices.below(3) {
                    2 => (format!("(either {} {keep} {xs})", self.scalar(Scalar::Bool, 1)), true),
                    _ => (format!("(keep {keep} {xs})"), true),
                }
            }
            10 if self.whole() && depth > 0 => {
                let before = (self.scope.len(), self.sizes.len());
                let (begin, end) = self.definition(place);
                let (body, _) = self.dynamic(element, depth - 1, place);
                self.scope.truncate(before.0);
                self.sizes.truncate(before.1);
                (begin + &body + &end, false)
            }
            _ => {
                let keep = match element {
                    Ty::Hidden(..) => {
                        self.lambda(std::slice::from_ref(element), |this| this.value(&BOOL, 1, Place::Inside))
                    }
                    _ => self.function(element, &BOOL, 2),
                };
                let len = self.some_length();
                let xs = self.array(element, &len, depth, place);
                let filter = match place {
                    Place::Top if self.whole() => self.choices.of(&["filter", "filterGlb", "filterSeq", "filterWrg"]),
                    Place::Top => self.choices.of(&["filter", "filterGlb", "filterSeq"]),
                    Place::Inside => self.choices.of(&["filter", "filterSeq"]),
                };
                (format!("({filter} {keep} {xs})"), true)
            }
        }
    }
}
