//! Folds that choose one of their elements, and folds of folds whose operands several elements read.

use crate::program::len::{Base, Len};
use crate::program::ty::{INT, Scalar, Ty};
use crate::program::{Maker, Place};

impl Maker<'_> {
    /// The first or the last of the greatest or the smallest elements of each row: its place, what belongs to it, or itself.
    pub(super) fn rows_chosen(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let rows = self.rows(&INT, &n, &m, 1, Place::Top);
        let (count, order) = (self.size(&m).unwrap_or_default(), self.choices.of(&["<", "<=", ">", ">="]));
        let least = if order.starts_with('<') { "-9" } else { "99" };
        // Few different numbers, so that some tie.
        let numbers = "(map (lambda (x) (bitand x 7)) r)";
        let choose = |of: fn(&str) -> String| format!("(lambda (a b) (if ({order} {} {}) b a))", of("a"), of("b"));
        let first = choose(|x| format!("(get1 {x})"));
        let fold = match self.choices.below(4) {
            0 => format!("(get2 (head (reduce (tuple {least} -1) {first} (zip {numbers} (iota #{count})))))"),
            1 => format!(
                "(get2 (head (reduce (tuple {least} 5) {first} (zip {numbers} (map (lambda (i) (mod (* i 7) 5)) (iota #{count}))))))"
            ),
            2 => {
                let by_size = choose(|x| format!("(abs {x})"));
                let least = if order.starts_with('<') { "0" } else { "99" };
                format!("(head (reduce {least} {by_size} (map (lambda (x) (- (bitand x 7) 4)) r)))")
            }
            _ => {
                let all = "(lambda (a b) (if (or (< (get1 a) (get1 b)) (and (= (get1 a) (get1 b)) (< (get2 b) (get2 a)))) b a))";
                format!("(get2 (head (reduce (tuple -9 -1) {all} (zip {numbers} (iota #{count})))))")
            }
        };
        let rows = if self.choices.below(4) == 3 { format!("(transpose (transpose {rows}))") } else { rows };
        (format!("(map (lambda (r) {fold}) {rows})"), Ty::array(INT, n))
    }

    /// A fold of folds for each pair of rows.
    pub(super) fn folds_met(&mut self) -> (String, Ty) {
        let (a, b, n, m) = self.matrices(Scalar::Int);
        let (zero, op) = self.commutative(Scalar::Int);
        let (inner_zero, inner_op) = if self.choices.flip() { (zero, op) } else { self.commutative(Scalar::Int) };
        let count = self.choices.of(&[1, 3, 5]);
        let (x, y, columns) = (self.fresh("x"), self.fresh("x"), self.fresh("h"));
        let met = self.lambda(&[INT, INT], |this| this.scalar(Scalar::Int, 1));
        let inner =
            format!("(head (reduce {inner_zero} {inner_op} (map ({met} (bitxor (get1 p) (get2 p))) (iota #{count}))))");
        let fold = format!("(head (reduce {zero} {op} (map (lambda (p) {inner}) (zip {x} {y}))))");
        let text = format!("(let {columns} {b} (map (lambda ({x}) (map (lambda ({y}) {fold}) {columns})) {a}))");
        (text, Ty::array(Ty::array(INT, m), n))
    }
}
