//! Expressions for arrays of a given element type and length.

use super::len::{Base, Len};
use super::ty::{BOOL, FLOAT, INT, Scalar, Ty};
use super::{Maker, Place};
use lift_analysis::prims;
use std::sync::LazyLock;

impl Maker<'_> {
    pub(super) fn array(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> String {
        let wanted = Ty::array(element.clone(), len.clone());
        if element.hides() {
            return self.of_hidden_rows(element, len, depth, place);
        }
        if depth == 0 || self.budget == 0 {
            return self.some_named(|ty| *ty == wanted).unwrap_or_else(|| self.generated(element, len, 0));
        }
        let depth = self.deeper(depth);
        if let Ty::Array(inner, m) = element
            && self.choices.flip()
        {
            return self.rows(inner, len, m, depth, place);
        }
        let made = match self.choices.below(13) {
            0 => self.some_named(|ty| *ty == wanted),
            1 | 2 => Some(self.mapped(element, len, depth, place)),
            3 => Some(self.reordered(element, len, depth, place)),
            4 => self.by_element(element, len, depth, place),
            5 => Some(self.generated(element, len, depth)),
            6 => self.cut(element, len, depth, place),
            7 => self.regrouped(element, len, depth, place),
            8 => self.windows_reduced(element, len, depth, place),
            9 => self.rows_reduced(element, len, depth, place),
            10 => self.iterated(element, len, depth, place),
            11 => self.cast(element, len),
            _ => self.put_together(element, len, depth, place),
        };
        made.or_else(|| self.some_named(|ty| *ty == wanted)).unwrap_or_else(|| self.generated(element, len, depth))
    }

    /// Rows of hidden length are made by functions only: only a function's result stays hidden; an argument is opened.
    fn of_hidden_rows(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> String {
        let depth = self.deeper(depth);
        let from = self.element();
        if place == Place::Top
            && self.choices.below(4) == 3
            && let Some(rows) = self.rows_filtered_by_groups(element, len)
        {
            return rows;
        }
        match (self.choices.below(5), self.some_named(|ty| ty.as_array() == Some((element, len))), self.size(len)) {
            (0, Some(name), _) => name,
            (1, Some(name), _) => format!("(reverse {name})"),
            (2 | 3, _, Some(size)) => {
                let function = self.lambda(&[INT], |this| this.value(element, depth, Place::Inside));
                format!("(generate #{size} {function})")
            }
            _ => {
                let function =
                    self.lambda(std::slice::from_ref(&from), |this| this.value(element, depth, Place::Inside));
                let xs = self.array(&from, len, depth, place);
                format!("({} {function} {xs})", self.map_name(place))
            }
        }
    }

    /// Filters each row in a work-group.
    fn rows_filtered_by_groups(&mut self, element: &Ty, len: &Len) -> Option<String> {
        let rows = |ty: &Ty| {
            let row = ty.as_array().filter(|(_, l)| *l == len).and_then(|(row, _)| row.as_array());
            row.is_some_and(|(e, _)| Ty::dynamic(e.clone()) == *element)
        };
        let (name, ty) = self.some_value(rows)?;
        let (of, _) = ty.as_array()?.0.as_array()?;
        let keep = self.function(&of.clone(), &BOOL, 1);
        let filter = self.choices.of(&["filterLcl", "filter"]);
        Some(format!("(mapWrg (lambda (r) ({filter} {keep} r)) {name})"))
    }

    /// An array made from the length alone; if the length cannot be named, from an array of the same length.
    pub(super) fn generated(&mut self, element: &Ty, len: &Len, depth: u32) -> String {
        let Some(size) = self.size(len) else { return self.of_same_length(element, len, depth) };
        match self.choices.below(4) {
            1 if *element == INT => format!("(iota #{size})"),
            2 => format!("(fill #{size} {})", self.value(element, depth.min(1), Place::Inside)),
            _ => {
                let function = self.lambda(&[INT], |this| this.value(element, depth.min(1), Place::Inside));
                format!("(generate #{size} {function})")
            }
        }
    }

    /// An array made from others whose lengths add up to this one; wherever a length is wanted, some array has it.
    fn of_same_length(&mut self, element: &Ty, len: &Len, depth: u32) -> String {
        let has = |ty: &Ty| ty.as_array().is_some_and(|(_, l)| l == len);
        match self.some_value(has) {
            Some((name, Ty::Array(from, _))) => {
                let function = self.lambda(&[*from], |this| this.value(element, depth.min(1), Place::Inside));
                format!("(map {function} {name})")
            }
            // Only the rows of an array have this length.
            _ if *len == Len::of(len.terms.first().map_or(Base::N, |t| t.0)) => {
                let has = |ty: &Ty| {
                    ty.as_array()
                        .is_some_and(|(row, n)| n.is_positive() && row.as_array().is_some_and(|(_, l)| l == len))
                };
                let Some((name, Ty::Array(row, _))) = self.some_value(has) else {
                    return "nothing-has-this-length".into();
                };
                let from = row.as_array().map_or(INT, |(from, _)| from.clone());
                let function = self.lambda(&[from], |this| this.value(element, 0, Place::Inside));
                format!("(map {function} (head {name}))")
            }
            // A sum of lengths: concatenate arrays of its terms.
            _ => {
                let mut parts: Vec<String> = Vec::new();
                for (base, count) in &len.terms {
                    let part = self.of_same_length(element, &Len::of(*base), 0);
                    parts.extend((0..*count).map(|_| part.clone()));
                }
                if len.plus > 0 {
                    parts.push(self.generated(element, &Len::nat(len.plus), 0));
                }
                let all = parts.into_iter().reduce(|all, part| format!("(concat {all} {part})"));
                all.unwrap_or_else(|| self.generated(element, &Len::nat(0), 0))
            }
        }
    }

    pub(super) fn map_name(&mut self, place: Place) -> &'static str {
        match place {
            Place::Top => self.choices.of(&["map", "mapGlb", "mapSeq"]),
            Place::Inside => self.choices.of(&["map", "mapSeq"]),
        }
    }

    fn mapped(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> String {
        let from = match self.some_value(|ty| ty.as_array().is_some_and(|(_, l)| l == len)) {
            Some((_, Ty::Array(from, _))) if self.whole() && !from.hides() && self.choices.flip() => *from,
            _ => self.element(),
        };
        let function = self.function(&from, element, depth);
        let xs = self.array(&from, len, depth, place);
        match (place, self.choices.below(8)) {
            (Place::Top, 4) => format!("((toGlobal (mapGlb {function})) {xs})"),
            (Place::Inside, 4 | 7) => format!("((toPrivate (mapSeq {function})) {xs})"),
            (_, 5) if self.whole() => format!("((o (map {function}) reverse) {xs})"),
            (_, 6) if self.whole() && matches!(&from, Ty::Tuple(parts) if parts.len() == 2) => {
                format!("(let f {function} (map f {xs}))")
            }
            _ => format!("({} {function} {xs})", self.map_name(place)),
        }
    }

    /// Views and permutations that keep the length.
    fn reordered(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> String {
        let xs = self.array(element, len, depth, place);
        let size = self.size(len);
        match (self.choices.below(9), size) {
            (1, Some(size)) => format!("(reorder (lambda (i) (- (- #{size} 1) i)) {xs})"),
            (2, Some(size)) if self.whole() => format!("(scatter (lambda (i) (- (- #{size} 1) i)) {xs})"),
            (3, Some(size)) if self.whole() => format!("(gather (lambda (i) (mod (+ i 1) #{size})) {xs})"),
            (4, _) => {
                let k = [self.choices.of(&[2, 4, 3]), 4, 2].into_iter().find(|k| len.divided(*k).is_some());
                match k {
                    Some(k) => format!("(stride #{k} {xs})"),
                    None => format!("(iterate #2 reverse {xs})"),
                }
            }
            (5, _) if *element == INT && place == Place::Top => format!("(sort {} {xs})", self.choices.of(&["<", ">"])),
            (6, _) if self.whole() => format!("(twice reverse {xs})"),
            (7, _) => {
                let test = self.scalar(Scalar::Bool, 1);
                format!("(if {test} {xs} {})", self.array(element, len, depth, place))
            }
            (8, _) => format!("(get1 (unzip (zip {xs} {xs})))"),
            _ => format!("(reverse {xs})"),
        }
    }

    /// Operations for a kind of element: zips, vectors, scans.
    fn by_element(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> Option<String> {
        match element {
            Ty::Tuple(parts) => {
                let arrays: Vec<String> = parts.iter().map(|part| self.array(part, len, depth, place)).collect();
                let zip = if arrays.len() == 2 && self.whole() { self.choices.of(&["zip", "pairs"]) } else { "zip" };
                Some(format!("({zip} {})", arrays.join(" ")))
            }
            Ty::Scalar(scalar) => {
                if self.choices.below(3) != 0
                    && let Some(k) = [4, 2].into_iter().find(|k| len.divided(*k).is_some())
                    && *scalar != Scalar::Bool
                {
                    let function = self.function(element, element, depth.min(1));
                    let xs = self.array(element, len, depth, place);
                    return Some(match self.choices.flip() {
                        true => format!("(asScalar (map (mapVec {function}) (asVector #{k} {xs})))"),
                        false => format!("(asScalar (map (vectorize #{k} {function}) (asVector #{k} {xs})))"),
                    });
                }
                if *element == INT && self.choices.below(4) == 3 && place == Place::Top {
                    let of = if self.choices.flip() { FLOAT } else { INT };
                    return Some(format!("(argsort < {})", self.array(&of, len, depth, place)));
                }
                let (neutral, op) = self.monoid(*scalar)?;
                let scan = self.choices.of(&["scan", "scanSeq", "scanExcl"]);
                Some(format!("({scan} {neutral} {op} {})", self.array(element, len, depth, place)))
            }
            _ => None,
        }
    }

    /// A part of a longer array.
    fn cut(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> Option<String> {
        let size = self.size(len);
        match (self.choices.below(6), size) {
            (1, _) => {
                let value = self.value(element, 0, Place::Inside);
                let xs = self.array(element, len, depth, place);
                Some(format!("(drop #2 (padConstant #1 #1 {value} {xs}))"))
            }
            (2, _) if len.plus == 0 => {
                let longer = self.array(element, &len.add_nat(1), depth, place);
                Some(format!("({} {longer})", self.choices.of(shorter_by_one())))
            }
            (3, Some(size)) => {
                let longer = self.array(element, &len.add_nat(3), depth, place);
                Some(format!("(slice #1 #{size} {longer})"))
            }
            (4, Some(size)) => {
                let other = self.some_length();
                let (xs, ys) =
                    (self.array(element, len, depth, place), self.array(element, &other, depth.min(1), place));
                Some(format!("(take #{size} (concat {xs} {ys}))"))
            }
            (5, _) => {
                let other = self.some_length();
                let skipped = self.size(&other)?;
                let (ys, xs) =
                    (self.array(element, &other, depth.min(1), place), self.array(element, len, depth, place));
                Some(format!("(drop #{skipped} (concat {ys} {xs}))"))
            }
            _ => {
                let k = self.choices.of(&[1, 2, 5]);
                let longer = self.array(element, &len.add_nat(k), depth, place);
                Some(format!("(drop #{k} {longer})"))
            }
        }
    }

    /// Splits and joins again.
    fn regrouped(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> Option<String> {
        let k = [4, 2, 3].into_iter().find(|k| len.divided(*k).is_some())?;
        let xs = self.array(element, len, depth, place);
        let pieces = format!("(split #{k} {xs})");
        match self.choices.below(5) {
            1 => Some(format!("(join (map reverse {pieces}))")),
            2 if place == Place::Top => {
                let function = self.function(element, element, depth.min(1));
                let in_local = format!("(o (mapLcl {function}) (toLocal (mapLcl id)))");
                Some(match (self.choices.below(3), self.size(len)) {
                    (0, _) => format!("(join (mapWrg (mapLcl {function}) {pieces}))"),
                    // A single row whose length is known at run time.
                    (1, Some(size)) => {
                        let longer = self.array(element, &len.add_nat(1), depth, place);
                        format!("(take #{size} (join (mapWrg {in_local} (split #(+ {size} 1) {longer}))))")
                    }
                    _ => format!("(join (mapWrg {in_local} {pieces}))"),
                })
            }
            3 => Some(format!("(join (transpose (transpose {pieces})))")),
            4 if self.whole() => {
                let part = Ty::array(element.clone(), Len::nat(k));
                let function = self.function(&part, &part, depth.min(1));
                Some(format!("(join (map {function} {pieces}))"))
            }
            _ => Some(format!("(join {pieces})")),
        }
    }

    /// Each element is computed from a window.
    fn windows_reduced(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> Option<String> {
        // An empty array, padded by two, has no window of three.
        if *len == Len::nat(0) {
            return None;
        }
        let from = if self.whole() { self.element() } else { INT };
        let xs = self.array(&from, len, depth, place);
        let padded = match self.choices.below(3) {
            0 => format!("(padConstant #1 #1 {} {xs})", self.value(&from, 0, Place::Inside)),
            _ => format!("(pad #1 #1 {} {xs})", self.choices.of(&["clamp", "mirror", "wrap"])),
        };
        let function = self.lambda(&[Ty::array(from, Len::nat(3))], |this| this.value(element, depth, Place::Inside));
        Some(format!("({} {function} (slide #3 #1 {padded}))", self.map_name(place)))
    }

    /// Each element is computed from a row, a column or a chunk.
    fn rows_reduced(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> Option<String> {
        let rows = self.some_value(|ty| ty.as_array().is_some_and(|(e, l)| l == len && e.as_array().is_some()));
        let (row, rows) = match (rows, self.choices.below(4)) {
            (Some((name, Ty::Array(row, _))), 0 | 1) => (*row, name),
            (_, 2) => {
                let k = self.choices.of(&[4, 2, 3]);
                (Ty::array(INT, Len::nat(k)), format!("(split #{k} {})", self.array(&INT, &len.times(k), depth, place)))
            }
            (_, 3) if *element == INT => {
                let size = self.size(len)?;
                // The checker rejects a division into 0 parts.
                if size == "0" {
                    return None;
                }
                let xs = self.array(&INT, &len.times(4), depth, place);
                let (neutral, op) = self.monoid(Scalar::Int)?;
                return Some(format!("(partRed #{size} {neutral} {op} {xs})"));
            }
            _ => {
                let (row, other) = (self.element(), self.some_length());
                let columns = self.rows(&row, &other, len, depth, place);
                (Ty::array(row, other), format!("(transpose {columns})"))
            }
        };
        let function = self.lambda(&[row], |this| this.value(element, depth, Place::Inside));
        Some(format!("({} {function} {rows})", self.map_name(place)))
    }

    fn iterated(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> Option<String> {
        let same = Ty::array(element.clone(), len.clone());
        let exact = [INT, BOOL, Ty::Scalar(Scalar::Long)].contains(element);
        match self.choices.below(6) {
            1 if *element == INT => {
                let xs = self.array(&INT, &len.times(4), depth, place);
                Some(format!("(iterate #2 (lambda (q) (join (map (reduceSeq 0 +) (split #2 q)))) {xs})"))
            }
            2 if self.whole() => {
                let body = self.lambda(&[same], |this| this.array(element, len, depth.min(1), place));
                let xs = self.array(element, len, depth, place);
                let rounds = self.choices.below(3);
                Some(format!(
                    "(get2 (iterateWhile (lambda (s) (< (get1 s) {rounds})) \
                     (lambda (s) (tuple (+ (get1 s) 1) ({body} (get2 s)))) (tuple 0 {xs})))"
                ))
            }
            3 if self.whole() && len.plus == 0 && len.terms.len() == 1 && len.terms[0].1.is_multiple_of(2) => {
                let half = len.divided(2)?;
                Some(format!("(iterate #1 (lambda (q) (concat q q)) {})", self.array(element, &half, depth, place)))
            }
            // Functions at one length; inside of functions such arrays are supported in some places only.
            4 if exact && (self.whole() || place == Place::Top) => {
                let round = self.lambda(&[same], |this| this.array(element, len, depth.min(1), place));
                let rounds = self.rounds_number();
                Some(format!("(iterate {rounds} {round} {})", self.array(element, len, depth, place)))
            }
            5 if exact && (self.whole() || place == Place::Top) => {
                let state = Ty::Tuple(vec![INT, same]);
                let round = self.lambda(&[state], |this| {
                    let array = this.array(element, len, depth.min(1), place);
                    format!("(tuple {} {array})", this.scalar(Scalar::Int, depth.min(1)))
                });
                let (rounds, start) = (self.rounds_number(), self.scalar(Scalar::Int, 0));
                let xs = self.array(element, len, depth, place);
                Some(format!("(get2 (iterate {rounds} {round} (tuple {start} {xs})))"))
            }
            _ => {
                let function = self.function(element, element, depth.min(1));
                let rounds = self.choices.of(&[2, 0, 1, 3]);
                let xs = self.array(element, len, depth, place);
                Some(format!("(iterate #{rounds} (map {function}) {xs})"))
            }
        }
    }

    /// A cast of an array to this length, which is checked at run time.
    fn cast(&mut self, element: &Ty, len: &Len) -> Option<String> {
        if !self.whole() {
            return None;
        }
        let ty = self.type_text(&Ty::array(element.clone(), len.clone()))?;
        // The checker would reject a length that differs for all sizes.
        let seen_through = self.seen_through.clone();
        let may_be = |l: &Len| match l.terms.as_slice() {
            [(own @ Base::Opened(id), 1)] => {
                // A length plus a positive number never equals the length itself.
                let longer = len.plus > 0 && len.terms.iter().any(|(base, _)| base == own);
                l.plus == 0 && !seen_through.contains(id) && !longer
            }
            _ => false,
        };
        let (name, _) = self.some_value(|ty| ty.as_array().is_some_and(|(e, l)| e == element && may_be(l)))?;
        Some(format!("(: {name} {ty})"))
    }

    fn put_together(&mut self, element: &Ty, len: &Len, depth: u32, place: Place) -> Option<String> {
        if len.plus > 0 && self.choices.flip() {
            let rest = Len { plus: len.plus - 1, ..len.clone() };
            let (first, rest) =
                (self.value(element, depth.min(1), Place::Inside), self.array(element, &rest, depth, place));
            return Some(match self.choices.flip() {
                true => format!("(padConstant #0 #1 {first} {rest})"),
                false => format!("(concat (fill #1 {first}) {rest})"),
            });
        }
        if let Some(half) = len.divided(2).filter(|half| !half.terms.is_empty()) {
            let (a, b) = (self.array(element, &half, depth, place), self.array(element, &half, depth, place));
            return Some(format!("(concat {a} {b})"));
        }
        let (base, count) = *len.terms.first()?;
        let (a, b) =
            (Len { terms: vec![(base, count)], plus: 0 }, Len { terms: len.terms[1..].to_vec(), plus: len.plus });
        if b == Len::nat(0) {
            let keep = self.function(element, &BOOL, 0);
            let xs = self.array(element, len, depth, place);
            return Some(format!("(map (lambda (q) (if ({keep} q) q q)) {xs})"));
        }
        let (a, b) = (self.array(element, &a, depth, place), self.array(element, &b, depth, place));
        Some(format!("(concat {a} {b})"))
    }
}

/// Returns the views with the same type as `tail`, which omit one of n elements.
fn shorter_by_one() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let tail = prims::lookup("tail").map(|tail| &tail.scheme.ty);
        prims::all().iter().filter(|p| Some(&p.scheme.ty) == tail).map(|p| &*p.name).collect()
    });
    &NAMES
}
