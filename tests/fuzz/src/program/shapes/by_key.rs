//! Folds by key, and near-misses.

use crate::program::len::{Base, Len};
use crate::program::ty::{FLOAT, INT, Scalar, Ty};
use crate::program::{Maker, Place};

impl Maker<'_> {
    /// `(map (λc. … (reduce f z (map (λx. if k x = c then g x else z) xs)) …) (iota n))`
    pub(super) fn folds_by_key(&mut self) -> (String, Ty) {
        let (scalar, count) = (self.folded(), self.count());
        let (element, len) = (if self.choices.flip() { Ty::Tuple(vec![INT, FLOAT]) } else { INT }, self.some_length());
        let xs = self.array(&element, &len, 1, Place::Top);
        let (all, number) = (self.fresh("h"), self.fresh("x"));
        let fold = self.fold_of_key(scalar, &element, &number, &all);
        let inside = self.choices.flip();
        self.scope.push((number.clone(), INT));
        let result = Ty::Scalar(scalar);
        let name = self.fresh("x");
        self.scope.push((name.clone(), result.clone()));
        let body = match self.choices.below(3) {
            0 => name.clone(),
            _ => self.value(&result, 1, Place::Inside),
        };
        self.scope.truncate(self.scope.len() - 2);
        let numbers = self.numbers(&count);
        let text = match inside {
            false => format!("(let {all} {xs} (map (lambda ({number}) (let {name} {fold} {body})) {numbers}))"),
            true => format!("(map (lambda ({number}) (let {all} {xs} (let {name} {fold} {body}))) {numbers})"),
        };
        (text, Ty::array(result, count))
    }

    /// A sum and a least float for each key, of the same keys; few of them, or many.
    pub(super) fn pairs_by_key(&mut self) -> (String, Ty) {
        let (count, len) = (self.count(), self.some_length());
        let xs = self.array(&INT, &len, 1, Place::Top);
        let size = self.size(&count).unwrap_or_else(|| "N".into());
        let key = self.choices.of(&["(bitand x 7)", "(- (bitand x 511) 100)", "x"]);
        let value = |bits: u32| format!("(map (lambda (x) (toFloat (bitand x {bits}))) q)");
        let sums = format!("(reduceByKey #{size} 0.0f + k {})", value(63));
        let least = format!("(reduceByKey #{size} 900.0f min k {})", value(15));
        let keys = format!("(map (lambda (x) {key}) q)");
        (
            format!("(let q {xs} (let k {keys} (zipWith (lambda (a b) (- a b)) {sums} {least})))"),
            Ty::array(FLOAT, count),
        )
    }

    /// The fold of the elements whose key is `number`; one in eight violates a condition of the rule.
    pub(super) fn fold_of_key(&mut self, scalar: Scalar, element: &Ty, number: &str, xs: &str) -> String {
        let (zero, op) = self.commutative(scalar);
        let near_miss = self.choices.below(8) == 7;
        let masked = self.lambda(std::slice::from_ref(element), |this| {
            let x = this.here();
            let int = if *element == INT { x } else { format!("(get1 {x})") };
            if near_miss {
                this.scope.push((number.to_owned(), INT));
            }
            let key = match this.choices.below(5) {
                0 => int,
                1 => format!("(bitand {int} {})", this.choices.of(&["7", "3"])),
                2 => format!("(- {int} {})", this.choices.of(&["-50", "3"])),
                3 => format!("(mod {} 5)", this.scalar(Scalar::Int, 1)),
                _ => this.scalar(Scalar::Int, 1),
            };
            let value = this.term(scalar, 1);
            if near_miss {
                this.scope.pop();
            }
            match this.choices.below(4) {
                0 | 1 => format!("(if (= {key} {number}) {value} {zero})"),
                2 => format!("(if (= {number} {key}) {value} {zero})"),
                _ => format!("(if (!= {number} {key}) {zero} {value})"),
            }
        });
        if scalar == Scalar::Int && self.choices.below(6) == 5 && *element == INT {
            return format!("(count (= {number}) {xs})");
        }
        let reduce = if near_miss { self.choices.of(&["reduce", "reduceSeq"]) } else { "reduce" };
        format!("(head ({reduce} {zero} {op} (map {masked} {xs})))")
    }

    /// A fold by key for each column.
    pub(super) fn columns_by_key(&mut self) -> (String, Ty) {
        let (n, m, count) = (Len::of(Base::N), Len::of(Base::M), self.count());
        let scalar = self.choices.of(&[Scalar::Int, Scalar::Float]);
        let element = Ty::Scalar(scalar);
        let keys = self.array(&INT, &n, 1, Place::Top);
        let (ks, rows, number) = (self.fresh("h"), self.fresh("h"), self.fresh("x"));
        let of_rows = match self.choices.below(3) {
            0 if scalar == Scalar::Int => "rows".to_owned(),
            _ => {
                let term = self.lambda(&[INT], |this| this.term(scalar, 1));
                format!("(map (map {term}) rows)")
            }
        };
        let fold = {
            let pair = Ty::Tuple(vec![INT, element.clone()]);
            let (zero, op) = self.commutative(scalar);
            let zip = self.choices.of(&["(zip KS COLUMN)", "(zip KS (reverse COLUMN))"]);
            let masked = self.lambda(&[pair], |this| {
                let x = this.here();
                let key = this.choices.of(&["(get1 X)", "(bitand (get1 X) 7)", "(mod (get1 X) 5)"]).replace('X', &x);
                format!("(if (= {key} {number}) (get2 {x}) {zero})")
            });
            let zip = zip.replace("KS", &ks).replace("COLUMN", "column");
            format!("(head (reduce {zero} {op} (map {masked} {zip})))")
        };
        let numbers = self.numbers(&count);
        let result = format!(
            "(let {ks} {keys} (let {rows} {of_rows} \
             (map (lambda ({number}) (map (lambda (column) {fold}) (transpose {rows}))) {numbers})))"
        );
        (result, Ty::array(Ty::array(element, m), count))
    }

    /// A fold by key of each row, and what is done with it.
    pub(super) fn rows_by_key(&mut self) -> (String, Ty) {
        let (n, count) = (Len::of(Base::N), self.count());
        let (scalar, row, number) = (self.folded(), self.fresh("h"), self.fresh("x"));
        let fold = self.fold_of_key(scalar, &INT, &number, &row);
        let numbers = self.numbers(&count);
        let folded = format!("(map (lambda ({number}) {fold}) {numbers})");
        let result = Ty::Scalar(scalar);
        let (zero, op) = self.commutative(scalar);
        let (text, ty) = match self.choices.below(3) {
            0 => (format!("(head (reduce {zero} {op} {folded}))"), result),
            _ => (folded, Ty::array(result, count)),
        };
        (format!("(map (lambda ({row}) {text}) rows)"), Ty::array(ty, n))
    }

    /// The elements of each key, and a number made of them.
    pub(super) fn groups_by_key(&mut self) -> (String, Ty) {
        let (len, count) = (Len::of(self.choices.of(&[Base::N, Base::M])), self.count());
        let (keys, xs) = (self.array(&INT, &len, 1, Place::Top), self.array(&INT, &len, 1, Place::Top));
        let of_group = self.choices.of(&[
            "(head (reduce 0 + (map get2 g)))",
            "(length g)",
            "(head (reduce 0 bitxor (map (lambda (v) (* 3 v)) (sort < (map get2 g)))))",
            "(if (> (length g) 0) (get2 (head g)) -1)",
        ]);
        let numbers = self.numbers(&count);
        let text = format!(
            "(let ps (zip {keys} {xs}) (map (lambda (k) (let g (filter (lambda (p) (= (get1 p) k)) ps) {of_group})) {numbers}))"
        );
        (text, Ty::array(INT, count))
    }

    /// Positions of numbers in a sorted array, and counts as their differences.
    pub(super) fn counts_of_sorted(&mut self) -> (String, Ty) {
        let (len, count) = (self.some_length(), self.count());
        let xs = self.array(&INT, &len, 1, Place::Top);
        let (sorted, number) = (self.fresh("h"), self.fresh("x"));
        let body = self.choices.of(&[
            "(- (below (+ c 1) s) (below c s))",
            "(below c s)",
            "(* 2 (below (+ 1 c) s))",
            "(- (below (+ c 3) s) (below c s))",
            "(- (below c s) (below (- c 1) s))",
            "(* (below (+ c 1) s) (below c s))",
        ]);
        let body = body.replace(" s)", &format!(" {sorted})")).replace(" c", &format!(" {number}"));
        let numbers = self.numbers(&count);
        let text = format!("(let {sorted} (sort < {xs}) (map (lambda ({number}) {body}) {numbers}))");
        (text, Ty::array(INT, count))
    }
}
