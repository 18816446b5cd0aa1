//! Sorting by functions of every kind, of numbers that are not in order: NaN, both zeros, infinities, the ends of a type.
//!
//! Where a function is no strict order the result is any permutation, so that only that is asked.

use crate::program::ty::{INT, Ty};
use crate::program::{Maker, Place};

/// Functions that are strict orders of all numbers.
pub const ORDERS: [&str; 4] = ["<", ">", "(lambda (a b) (< b a))", "(lambda (a b) (> b a))"];

/// Functions that are none of some numbers.
pub const DISORDERS: [&str; 6] = [
    "(lambda (a b) (not (>= a b)))",
    "(lambda (a b) (!= a b))",
    "(lambda (a b) (< (- a b) (- b b)))",
    "(lambda (a b) (<= a b))",
    "(lambda (a b) true)",
    "(lambda (a b) (> a (+ b b)))",
];

/// What becomes of an `Int` x, so that what is sorted has numbers of every kind.
pub const NUMBERS: [&str; 4] = [
    "x",
    "(if (= (mod x 3) 0) 2147483647 (if (= (mod x 5) 0) -2147483648 x))",
    "(if (= (mod x 3) 0) (/ 0.0f 0.0f) (if (= (mod x 5) 0) -0.0f (if (= (mod x 7) 0) 0.0f (* 0.25f (toFloat x)))))",
    "(if (= (mod x 3) 0) (/ 0.0 0.0) (if (= (mod x 5) 0) (/ -1.0 0.0) (toDouble x)))",
];

impl Maker<'_> {
    /// The places of elements in an order, or all places in the order of numbers.
    pub(super) fn orders(&mut self) -> (String, Ty) {
        let len = self.some_length();
        let ints = self.array(&INT, &len, 1, Place::Top);
        let number = self.choices.of(&NUMBERS);
        let xs = format!("(map (lambda (x) {number}) {ints})");
        let ordered = self.choices.below(3) == 0;
        let text = match (ordered, self.choices.below(3)) {
            (true, 0) => {
                let order = self.choices.of(&["<", ">"]);
                // A size takes the length of what has a name only.
                let pairs = format!("(zip (iota #(length q)) (map (lambda (x) {number}) q))");
                format!("(let q {ints} (argsort (lambda (a b) ({order} (get2 a) (get2 b))) {pairs}))")
            }
            (true, _) => format!("(argsort {} {xs})", self.choices.of(&ORDERS)),
            (false, _) => format!("(sort < (argsort {} {xs}))", self.choices.of(&DISORDERS)),
        };
        (text, Ty::array(INT, len))
    }
}
