//! Sorting with arbitrary comparison functions, and with special numbers: NaN, both zeros, infinities, extreme
//! integers.
//!
//! If the function is not a strict order, any permutation is a correct result, and the program checks only that.

use crate::program::len::{Base, Len};
use crate::program::ty::{INT, Ty};
use crate::program::{Maker, Place};

/// Functions that are strict orders of all numbers.
pub const ORDERS: [&str; 4] = ["<", ">", "(lambda (a b) (< b a))", "(lambda (a b) (> b a))"];

/// Functions that are not strict orders of some numbers.
pub const DISORDERS: [&str; 6] = [
    "(lambda (a b) (not (>= a b)))",
    "(lambda (a b) (!= a b))",
    "(lambda (a b) (< (- a b) (- b b)))",
    "(lambda (a b) (<= a b))",
    "(lambda (a b) true)",
    "(lambda (a b) (> a (+ b b)))",
];

/// Of pairs of a number and its index: no strict order where a number is NaN.
pub const LEXICOGRAPHIC: &str =
    "(lambda (a b) (or (< (get1 a) (get1 b)) (and (= (get1 a) (get1 b)) (< (get2 a) (get2 b)))))";

/// Functions of an `Int` x that produce special numbers.
pub const NUMBERS: [&str; 4] = [
    "x",
    "(if (= (mod x 3) 0) 2147483647 (if (= (mod x 5) 0) -2147483648 x))",
    "(if (= (mod x 3) 0) (/ 0.0f 0.0f) (if (= (mod x 5) 0) -0.0f (if (= (mod x 7) 0) 0.0f (* 0.25f (toFloat x)))))",
    "(if (= (mod x 3) 0) (/ 0.0 0.0) (if (= (mod x 5) 0) (/ -1.0 0.0) (toDouble x)))",
];

impl Maker<'_> {
    /// The `argsort` of an array: compared directly if it is unique, otherwise sorted, which gives all indices.
    pub(super) fn orders(&mut self) -> (String, Ty) {
        let len = self.some_length();
        let ints = self.array(&INT, &len, 1, Place::Top);
        let number = self.choices.of(&NUMBERS);
        let xs = format!("(map (lambda (x) {number}) {ints})");
        let ordered = self.choices.below(3) == 0;
        let text = match (ordered, self.choices.below(3)) {
            (true, 0) => {
                let order = self.choices.of(&["<", ">"]);
                // A size may use the length of a named array only.
                let pairs = format!("(zip (iota #(length q)) (map (lambda (x) {number}) q))");
                format!("(let q {ints} (argsort (lambda (a b) ({order} (get2 a) (get2 b))) {pairs}))")
            }
            (true, _) => format!("(argsort {} {xs})", self.choices.of(&ORDERS)),
            (false, 0) => {
                let pairs = format!("(zip (map (lambda (x) {number}) q) (iota #(length q)))");
                format!("(let q {ints} (sort < (argsort {LEXICOGRAPHIC} {pairs})))")
            }
            (false, _) => format!("(sort < (argsort {} {xs}))", self.choices.of(&DISORDERS)),
        };
        (text, Ty::array(INT, len))
    }

    /// Rows of special numbers in order, also few of them, their places in the order, and a fold of these; the ends of rows in
    /// order.
    pub(super) fn rows_ordered(&mut self) -> (String, Ty) {
        let number = self.choices.of(&NUMBERS);
        let order = self.choices.of(&ORDERS);
        let row = format!("(map (lambda (x) {number}) r)");
        let (m, n) = (Len::of(Base::M), Len::of(Base::N));
        match self.choices.below(5) {
            4 => {
                let end = self.choices.of(&["head", "last"]);
                let row = format!("(map (lambda (x) {number}) (concat r (iota #2)))");
                (format!("(map (lambda (r) ({end} (argsort {order} {row}))) rows)"), Ty::array(INT, n))
            }
            0 => (format!("(map (lambda (r) (argsort {order} {row})) rows)"), Ty::array(Ty::array(INT, m), n)),
            1 => (format!("(map (lambda (r) (sort {order} r)) rows)"), Ty::array(Ty::array(INT, m), n)),
            2 => {
                let few = format!("(map (lambda (k) (let x (mod (* k (+ q 3)) 7) {number})) (iota #5))");
                (
                    format!("(map (lambda (q) (argsort {order} {few})) (iota #N))"),
                    Ty::array(Ty::array(INT, Len::nat(5)), n),
                )
            }
            _ => {
                let places = format!("(zip (argsort {order} {row}) (sort {order} r))");
                let weighted = format!("(map (lambda (p) (* (get1 p) (get2 p))) {places})");
                (format!("(map (lambda (r) (head (reduce 0 + {weighted}))) rows)"), Ty::array(INT, n))
            }
        }
    }
}
