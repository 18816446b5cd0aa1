//! Expressions for arrays of arrays, including those whose rows have different lengths.

use super::len::{Base, Len};
use super::ty::{INT, Scalar, Ty};
use super::{Maker, Place};

impl Maker<'_> {
    /// Returns a type of rows.
    pub(super) fn some_rows(&mut self) -> Ty {
        match self.choices.below(if self.whole() { 7 } else { 2 }) {
            0 | 1 => {
                let (element, len) = (self.element(), self.some_length());
                Ty::array(Ty::array(element, len), Len::of(Base::N))
            }
            2 => {
                let (element, len) = (self.element(), self.some_length());
                Ty::array(Ty::dynamic(element), len)
            }
            3 => {
                let len = self.some_length();
                Ty::Triangle(self.choices.of(&[Scalar::Int, Scalar::Float]), len)
            }
            6 => Ty::array(Ty::dynamic(INT), Len::of(Base::N)),
            4 => {
                let (element, inner, outer) = (self.element(), self.some_length(), self.some_length());
                Ty::array(Ty::array(Ty::array(element, inner), Len::nat(2)), outer)
            }
            _ => {
                let hidden = Len::of(Base::Hidden(0));
                let both = Ty::Tuple(vec![Ty::array(INT, hidden.clone()), Ty::array(self.element(), hidden)]);
                Ty::array(Ty::Hidden(1, Box::new(both)), self.some_length())
            }
        }
    }

    /// An array of `n` rows of `m` elements.
    pub(super) fn rows(&mut self, element: &Ty, n: &Len, m: &Len, depth: u32, place: Place) -> String {
        let row = Ty::array(element.clone(), m.clone());
        let wanted = Ty::array(row.clone(), n.clone());
        if depth > 0 && self.budget > 0 {
            let depth = self.deeper(depth);
            match self.choices.below(8) {
                // What is computed of each inner row is the same for all outer elements.
                0 if *element == INT => {
                    let function = self.function(&INT, &INT, depth.min(1));
                    let (xs, rows) = (self.array(&INT, n, 1, place), self.rows(&INT, m, &Len::nat(3), depth, place));
                    let sum = "(head (reduce 0 + r))";
                    let inner = format!("(map (lambda (r) (bitxor q ({function} {sum}))) inner)");
                    return format!("(let inner {rows} (map (lambda (q) {inner}) {xs}))");
                }
                1 => return format!("(transpose {})", self.rows(element, m, n, depth, place)),
                2 if m.terms.is_empty() && m.plus > 0 => {
                    let xs = self.array(element, &n.times(m.plus), depth, place);
                    return format!("(split #{} {xs})", m.plus);
                }
                3 | 6 | 7 => {
                    let function = self.function(element, element, depth.min(1));
                    let rows = self.rows(element, n, m, depth, place);
                    let maps = match place {
                        Place::Top => self.choices.of(&[
                            ("map", "map"),
                            ("mapGlb1", "mapGlb0"),
                            ("mapGlb", "mapSeq"),
                            ("mapWrg", "mapLcl"),
                            ("mapWrg1", "mapLcl1"),
                            ("mapWrg2", "mapLcl2"),
                            ("mapGlb2", "mapGlb0"),
                        ]),
                        Place::Inside => ("map", "mapSeq"),
                    };
                    return format!("({} ({} {function}) {rows})", maps.0, maps.1);
                }
                4 if m.terms.is_empty() && n.plus > 0 && self.whole() => {
                    // n windows of m elements with step 1 cover the whole array.
                    let long = Len { plus: n.plus + m.plus - 1, ..n.clone() };
                    if m.plus > 0 {
                        return format!("(slide #{} #1 {})", m.plus, self.array(element, &long, depth, place));
                    }
                }
                5 if self.whole() && depth > 0 => return self.array(&row, n, depth, place),
                _ => {}
            }
        }
        if let Some(name) = self.some_named(|ty| *ty == wanted) {
            return name;
        }
        self.generated(&row, n, depth.min(1))
    }

    pub(super) fn triangle(&mut self, scalar: Scalar, len: &Len, depth: u32, place: Place) -> String {
        let wanted = Ty::Triangle(scalar, len.clone());
        let element = Ty::Scalar(scalar);
        if let Some(name) = self.some_named(|ty| *ty == wanted)
            && (depth == 0 || self.choices.flip())
        {
            return name;
        }
        let from = self.some_value(|ty| matches!(ty, Ty::Triangle(_, l) if l == len));
        match (self.choices.below(4), from, self.size(len)) {
            (1, Some((name, Ty::Triangle(from, _))), _) if depth > 0 => {
                let function = self.function(&Ty::Scalar(from), &element, depth - 1);
                let (outer, inner) = (self.map_name(place), self.choices.of(&["map", "mapSeq"]));
                match self.choices.flip() {
                    true => format!("({outer} ({inner} {function}) {name})"),
                    false => format!("({outer} (lambda (row) ({inner} {function} row)) {name})"),
                }
            }
            (2, _, Some(size)) => {
                let flat = self.lambda(&[INT], |this| this.scalar(scalar, depth.min(1)));
                format!("(partition #{size} (lambda (i) (+ i 1)) (generate #(/ (* {size} (+ {size} 1)) 2) {flat}))")
            }
            (3, _, Some(size)) => {
                let xs = self.array(&element, &len.add_nat(1), depth.min(1), Place::Inside);
                format!("(generate #{size} (lambda (i) (take #(+ i 1) {xs})))")
            }
            (_, _, Some(size)) => {
                let function = self.lambda(&[INT, INT], |this| this.scalar(scalar, depth.min(1)));
                format!("(generate #{size} (lambda (i) (generate #(+ i 1) ({function} i))))")
            }
            (_, from, None) => match from {
                Some((name, Ty::Triangle(from, _))) => {
                    let function = self.function(&Ty::Scalar(from), &element, 0);
                    format!("(map (map {function}) {name})")
                }
                _ => {
                    let xs = self.array(&INT, len, 0, place);
                    let value = self.scalar(scalar, 0);
                    format!("(let q {xs} (generate #(length q) (lambda (i) (fill #(+ i 1) {value}))))")
                }
            },
        }
    }

    /// Maps over rows of hidden length, to rows or to numbers.
    pub(super) fn map_rows(&mut self, rows: &str, row: &Ty) -> String {
        let kind = self.choices.below(3);
        let function = self.lambda(std::slice::from_ref(row), |this| {
            let (name, ty) = this.scope.last().cloned().unwrap_or((String::new(), INT));
            let (element, len) = match ty.as_array() {
                Some((element, len)) => (element.clone(), len.clone()),
                None => return format!("(tuple {name} {name})"),
            };
            match kind {
                0 => this.scalar(Scalar::Int, 2),
                1 => this.array(&element, &len, 1, Place::Inside),
                _ => {
                    let keep = this.function(&element, &Ty::Scalar(Scalar::Bool), 1);
                    format!("({} {keep} {name})", this.choices.of(&["filter", "filterSeq"]))
                }
            }
        });
        format!("({} {function} {rows})", self.map_name(Place::Top))
    }
}
