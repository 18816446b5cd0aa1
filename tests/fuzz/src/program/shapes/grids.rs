//! Matrices and grids: transposes, windows, three dimensions.

use crate::program::len::{Base, Len};
use crate::program::ty::{FLOAT, INT, Scalar, Ty};
use crate::program::{Maker, Place};

impl Maker<'_> {
    pub(super) fn transposed(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let element = self.choices.of(&[0, 0, 1, 2]);
        let element = [INT, FLOAT, Ty::Scalar(Scalar::Long)][element].clone();
        let rows = self.rows(&element, &n, &m, 1, Place::Top);
        match self.choices.below(8) {
            // Folds of columns that are made row by row.
            6 => {
                let function = self.function(&element, &INT, 1);
                let made = self.choices.of(&[
                    "(map F r)",
                    "(map (lambda (w) (+ k (head (reduce 0 + (map F w))))) (slide #3 #1 (pad #1 #1 clamp r)))",
                    "(map (lambda (v) (* k (F v))) r)",
                ]);
                let made = made.replace('F', &function);
                let numbers = self.array(&INT, &n, 1, Place::Top);
                let rows = format!("(zipWith (lambda (r k) {made}) {rows} {numbers})");
                (format!("(map (lambda (c) (head (reduce 0 + c))) (transpose {rows}))"), Ty::array(INT, m))
            }
            // Planes that are joined, and read otherwise.
            7 => {
                let function = self.function(&element, &INT, 1);
                let sum = format!("(head (reduce 0 + (map {function} (join p))))");
                let planes = format!("(map (lambda (p) (let s {sum} (map (lambda (r) (+ s (length r))) p)))");
                (format!("{planes} (fill #3 {rows}))"), Ty::array(Ty::array(INT, n), Len::nat(3)))
            }
            0 => (format!("(transpose {rows})"), Ty::array(Ty::array(element, n), m)),
            4 => {
                // Rows by number.
                let function = self.function(&element, &INT, 1);
                let sums = format!("(head (reduce 0 + (map {function} (aref q i))))");
                let by_column = "(generate #M (lambda (j) (generate #N (lambda (i) READ))))";
                let read = format!("({function} (aref (aref q i) j))");
                match self.choices.below(3) {
                    0 => (format!("(let q {rows} (generate #N (lambda (i) {sums})))"), Ty::array(INT, n)),
                    1 => {
                        let columns = by_column.replace("READ", &read);
                        (format!("(let q {rows} {columns})"), Ty::array(Ty::array(INT, n), m))
                    }
                    _ => {
                        let columns = by_column.replace("READ", "(aref (aref q i) j)");
                        (format!("(let q {rows} {columns})"), Ty::array(Ty::array(element, n), m))
                    }
                }
            }
            5 => {
                // Rows below two maps.
                let function = self.function(&element, &INT, 1);
                let sums = format!("(map (lambda (r) (scan 0 + (map {function} r))) p)");
                let planes = Ty::array(Ty::array(Ty::array(INT, m), n), Len::nat(3));
                (format!("(map (lambda (p) {sums}) (fill #3 {rows}))"), planes)
            }
            1 => {
                let function = self.function(&element, &INT, 1);
                let columns = format!("(transpose {rows})");
                let text = match self.choices.flip() {
                    true => format!("(map (lambda (column) (scan 0 + (map {function} column))) {columns})"),
                    false => format!("(map (map {function}) {columns})"),
                };
                (text, Ty::array(Ty::array(INT, n), m))
            }
            2 => {
                let function = self.function(&element, &element, 1);
                (format!("(transpose (map (map {function}) {rows}))"), Ty::array(Ty::array(element, n), m))
            }
            _ => {
                let xs = self.array(&element, &Len::of(Base::N).times(4), 1, Place::Top);
                (format!("(transpose (split #4 {xs}))"), Ty::array(Ty::array(element, n), Len::nat(4)))
            }
        }
    }

    /// Returns the text of padded windows and their width.
    pub(super) fn window(&mut self, dimensions: &str) -> (String, u32) {
        let (size, pad) = self.choices.of(&[(3, "#1 #1"), (5, "#2 #2"), (5, "#0 #4"), (3, "#2 #0")]);
        let mode = self.choices.of(&["clamp", "mirror", "wrap"]);
        (format!("(slide{dimensions} #{size} #1 (pad{dimensions} {pad} {mode} GRID))"), size)
    }

    pub(super) fn windows_of_planes(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let (windows, size) = self.window("2D");
        let grid = self.rows(&INT, &n, &m, 1, Place::Top);
        let windows = windows.replace("GRID", &grid);
        let function = self.of_a_window(size);
        let text = match self.choices.below(4) {
            3 => format!("(zipWith (zipWith (lambda (w p) (+ ({function} w) p))) {windows} rows)"),
            2 => format!("(map (lambda (r) (map {function} r)) {windows})"),
            _ => format!("(map (map {function}) {windows})"),
        };
        (text, Ty::array(Ty::array(INT, m), n))
    }

    /// Each of some filters meets each window.
    pub(super) fn filters_of_windows(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let (windows, size) = self.window("2D");
        let grid = self.rows(&INT, &n, &m, 1, Place::Top);
        let windows = windows.replace("GRID", &grid);
        let term = self.choices.of(&["(bitxor k (+ i j))", "(- k (* 3 i))", "(mod (+ k j) 5)"]);
        let filters = format!(
            "(generate #9 (lambda (k) (generate #{size} (lambda (i) (generate #{size} (lambda (j) {term}))))))"
        );
        let (zero, op) = self.commutative(Scalar::Int);
        let fold = self.choices.of(&[
            "(head (reduce Z OP (map (lambda (p) (* (get1 p) (get2 p))) (zip (join w) (join f)))))",
            "(head (reduce Z OP (join (zipWith (zipWith -) w f))))",
            "(head (reduce Z OP (map (lambda (p) (head (reduce Z OP (zipWith * (get1 p) (get2 p))))) (zip w f))))",
        ]);
        let fold = fold.replace('Z', zero).replace("OP", op);
        let plane = Ty::array(Ty::array(INT, m), n);
        let (all, ty) = match self.choices.flip() {
            true => (
                format!("(map (lambda (f) (map (map (lambda (w) {fold})) {windows})) {filters})"),
                Ty::array(plane, Len::nat(9)),
            ),
            false => (
                format!("(map (map (lambda (w) (head (reduce 0 + (map (lambda (f) {fold}) {filters}))))) {windows})"),
                plane,
            ),
        };
        (format!("(with ((matrix.least 8) (matrix.cells 1)) {all})"), ty)
    }

    /// A number computed from a two-dimensional window.
    pub(super) fn of_a_window(&mut self, size: u32) -> String {
        match self.choices.below(4) {
            0 | 3 => {
                let term = match self.choices.flip() {
                    false => self.choices.of(&["id", "abs", "(* 3)"]).to_owned(),
                    true => self.function(&INT, &INT, 1),
                };
                let (zero, op) = self.commutative(Scalar::Int);
                let reduce = self.choices.of(&["reduce", "reduceSeq"]);
                format!("(lambda (w) (head ({reduce} {zero} {op} (map {term} (join w)))))")
            }
            1 => {
                let mut at = || self.choices.below(size as usize);
                let parts: Vec<String> = (0..3).map(|_| format!("(aref (aref w {}) {})", at(), at())).collect();
                format!("(lambda (w) (- (* 3 {}) (+ {} {})))", parts[0], parts[1], parts[2])
            }
            _ => {
                let window = Ty::array(Ty::array(INT, Len::nat(size)), Len::nat(size));
                self.lambda(&[window], |this| this.scalar(Scalar::Int, 2))
            }
        }
    }

    /// Maps and windows in three dimensions.
    pub(super) fn windows_of_spaces(&mut self) -> (String, Ty) {
        let (n, m, depth) = (Len::of(Base::N), Len::of(Base::M), self.choices.of(&[3, 1, 4]));
        let space = format!("(generate #{depth} (lambda (z) (map (map (+ z)) rows)))");
        let ty = Ty::array(Ty::array(Ty::array(INT, m), n), Len::nat(depth));
        let text = match self.choices.below(3) {
            0 => {
                let (windows, size) = self.window("3D");
                let plane = self.of_a_window(size);
                let which = self.choices.below(size as usize);
                let windows = windows.replace("GRID", &space);
                format!(
                    "(map (map (map (lambda (s) (+ ({plane} (aref s {which})) (aref (aref (aref s 0) 0) 0))))) {windows})"
                )
            }
            1 => {
                let function = self.function(&INT, &INT, 1);
                format!("(map (map (map {function})) {space})")
            }
            _ => {
                let function = self.function(&INT, &INT, 1);
                let maps = self.choices.of(&[
                    ("map", "mapWrg", "mapLcl"),
                    ("map", "mapGlb1", "mapGlb0"),
                    ("mapGlb2", "map", "mapGlb0"),
                ]);
                format!("({} ({} ({} {function})) {space})", maps.0, maps.1, maps.2)
            }
        };
        (text, ty)
    }
}
