//! Folds per element: products of matrices, rows, pairs, bits.

use crate::program::len::{Base, Len};
use crate::program::ty::{INT, Scalar, Ty};
use crate::program::{Maker, Place};

impl Maker<'_> {
    /// Two arrays whose rows have one length.
    pub(super) fn matrices(&mut self, scalar: Scalar) -> (String, String, Len, Len) {
        let row = match self.choices.below(3) {
            0 => Len::of(Base::M),
            1 => Len::nat(4),
            _ => Len::of(Base::N),
        };
        // N × N would take too long on the interpreter.
        let (n, m) = match row.terms.first() {
            Some((Base::N, _)) => (Len::of(Base::M), self.choices.of(&[5, 20])),
            _ => (Len::of(Base::N), self.choices.of(&[5, 17, 64])),
        };
        let term = self.lambda(&[INT, INT], |this| this.term(scalar, 1));
        let known = match (&n, &row) {
            (n, row) if *n == Len::of(Base::N) && *row == Len::of(Base::M) => Some("rows"),
            (n, row) if *n == Len::of(Base::M) && *row == Len::of(Base::N) => Some("(transpose rows)"),
            (n, _) if *n == Len::of(Base::N) => Some("(split #4 zs)"),
            _ => None,
        };
        let (rows, length) = (self.size(&n).unwrap_or_default(), self.size(&row).unwrap_or_default());
        let a = match (known, scalar) {
            (Some(known), Scalar::Int) if self.choices.below(4) != 3 => known.to_owned(),
            _ => format!("(generate #{rows} (lambda (i) (generate #{length} ({term} i))))"),
        };
        let b = format!("(generate #{m} (lambda (i) (generate #{length} ({term} (+ i 1)))))");
        (a, b, n, Len::nat(m))
    }

    pub(super) fn product(&mut self) -> (String, Ty) {
        let scalar = self.choices.of(&[Scalar::Int, Scalar::Float, Scalar::Int]);
        let element = Ty::Scalar(scalar);
        let (a, b, n, m) = self.matrices(scalar);
        let (fold, zero) = match self.choices.below(4) {
            // This function is neither associative nor commutative.
            3 if scalar == Scalar::Int => ("(reduceSeq 3 (lambda (s x) (- (* 5 s) x))", String::new()),
            2 => ("(reduceSeq Z +", self.leaf_zero(scalar)),
            _ => ("(reduce Z +", self.leaf_zero(scalar)),
        };
        let fold = fold.replace('Z', &zero);
        let met = match self.choices.below(3) {
            0 | 1 => "(lambda (p) (* (get1 p) (get2 p)))".to_owned(),
            _ => {
                let pair = Ty::Tuple(vec![element.clone(), element.clone()]);
                self.lambda(&[pair], |this| this.term(scalar, 1))
            }
        };
        let end = self.lambda(std::slice::from_ref(&element), |this| match this.choices.below(3) {
            2 => this.scalar(scalar, 1),
            _ => this.here(),
        });
        let (x, y, columns) = (self.fresh("x"), self.fresh("x"), self.fresh("h"));
        let kind = self.choices.below(8);
        let (one, other) = if kind % 4 == 3 { (&y, &x) } else { (&x, &y) };
        let row = format!("(map (lambda ({y}) ({end} (head {fold} (map {met} (zip {one} {other})))))) {columns})");
        let product = |a: &str| format!("(map (lambda ({x}) {row}) {a})");
        // A view of each row.
        if kind == 5 {
            let text = format!("(let {columns} {b} (map (lambda ({x}) (split #1 {row})) {a}))");
            return (text, Ty::array(Ty::array(Ty::array(element, Len::nat(1)), m), n));
        }
        // A batch of matrices of one row each.
        if kind >= 6 {
            let batch = self.fresh("x");
            let each = product(&batch);
            let text = format!("(let {columns} {b} (map (lambda ({batch}) {each}) (split #1 {a})))");
            return (text, Ty::array(Ty::array(Ty::array(element, m), Len::nat(1)), n));
        }
        (format!("(let {columns} {b} {})", product(&a)), Ty::array(Ty::array(element, m), n))
    }

    /// One or two products of each row and column, and a number that is read with their results.
    pub(super) fn product_beside(&mut self) -> (String, Ty) {
        let (a, b, n, m) = self.matrices(Scalar::Int);
        let (x, p, columns) = (self.fresh("x"), self.fresh("p"), self.fresh("h"));
        let mut folds = Vec::new();
        for _ in 0..self.choices.of(&[1, 2]) {
            let (zero, op) = self.commutative(Scalar::Int);
            let met = self.lambda(&[Ty::Tuple(vec![INT, INT])], |this| this.term(Scalar::Int, 1));
            folds.push(format!("(head (reduce {zero} {op} (map {met} (zip {x} (get1 {p})))))"));
        }
        let products = folds.join(" ");
        let both = if folds.len() == 2 { format!("(bitxor {products})") } else { products };
        let columns_met = self.size(&m).unwrap_or_default();
        let beside = format!("(fill #{columns_met} (head (reduce 0 + {x})))");
        let each = format!("(map (lambda ({p}) (- {both} (get2 {p}))) (zip {columns} {beside}))");
        let text = format!("(let {columns} {b} (map (lambda ({x}) {each}) {a}))");
        (text, Ty::array(Ty::array(INT, m), n))
    }

    /// Folds of all elements of an array, and what is made of them.
    pub(super) fn folded_twice(&mut self) -> (String, Ty) {
        let xs = self.array(&INT, &Len::of(Base::N), 1, Place::Top);
        let f = self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1));
        let [(zero, op), (other_zero, other)] = [0; 2].map(|_| self.commutative(Scalar::Int));
        let (all, one, two) = (self.fresh("h"), self.fresh("x"), self.fresh("x"));
        let text = format!(
            "(let {all} {xs} (let {one} (head (reduce {zero} {op} {all})) (let {two} (head (reduce {other_zero} {other} \
             (map {f} {all}))) (map (lambda (v) (+ v (bitxor {one} {two}))) {all}))))"
        );
        (text, Ty::array(INT, Len::of(Base::N)))
    }

    pub(super) fn leaf_zero(&self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Float => "0.0f",
            Scalar::Double => "0.0",
            Scalar::Long => "0L",
            Scalar::UByte => "0ub",
            Scalar::UInt => "0u",
            _ => "0",
        }
        .into()
    }

    /// A fold of each row.
    pub(super) fn rows_folded(&mut self) -> (String, Ty) {
        let scalar = self.folded();
        let (zero, op) = self.commutative(scalar);
        let term = self.lambda(&[INT], |this| this.term(scalar, 1));
        let (rows, len) = match self.choices.below(4) {
            0 | 1 => ("rows".to_owned(), Len::of(Base::N)),
            2 => ("(transpose rows)".to_owned(), Len::of(Base::M)),
            _ => {
                let len = self.choices.of(&[3, 300]);
                let xs = self.array(&INT, &Len::of(Base::N), 1, Place::Top);
                (format!("(fill #{len} {xs})"), Len::nat(len))
            }
        };
        let in_order = "(lambda (s v) (- v s))";
        let (reduce, op) = match self.choices.below(4) {
            0 | 1 => ("reduce", op),
            2 => ("reduceSeq", op),
            _ => ("reduceSeq", in_order),
        };
        let element = Ty::Scalar(scalar);
        let end = self.function(&element, &element, 1);
        let text = format!("(map (lambda (r) ({end} (head ({reduce} {zero} {op} (map {term} r))))) {rows})");
        (text, Ty::array(element, len))
    }

    /// Folds of what each function joins, folds of folds, folds in a branch, and folds that begin with the first element.
    pub(super) fn rows_joined(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let rows = self.rows(&INT, &n, &m, 1, Place::Top);
        let f = self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1));
        let (zero, op) = self.commutative(Scalar::Int);
        let parts = format!("(map (split #1) {rows})");
        let fold = |of: &str| format!("(head (reduce {zero} {op} {of}))");
        match self.choices.below(6) {
            4 => {
                let some = fold(&format!("(map {f} (get2 p))"));
                (format!("(map (lambda (p) (if (< (get1 p) 3) {some} {zero})) (enumerate {rows}))"), Ty::array(INT, n))
            }
            0 => {
                let text = format!("(map (lambda (x) {}) {parts})", fold(&format!("(map {f} (join x))")));
                (text, Ty::array(INT, n))
            }
            3 => {
                let each = format!("(map (lambda (r) {}) x)", fold(&format!("(map {f} r)")));
                let text = format!("(map (lambda (x) {}) (split #1 {rows}))", fold(&each));
                (text, Ty::array(INT, n))
            }
            1 => {
                let each = format!("(map (map (lambda (v) (bitxor ({f} v) whole))) x)");
                let text = format!("(map (lambda (x) (let whole {} {each})) {parts})", fold("(join x)"));
                (text, Ty::array(Ty::array(Ty::array(INT, Len::nat(1)), m), n))
            }
            _ => {
                let op = self.choices.of(&["max", "(lambda (a b) (if (< a b) b a))"]);
                let greatest = format!("(head (reduce (head ys) {op} ys))");
                let text = format!("(map (lambda (r) (let ys (map {f} (concat (fill #1 7) r)) {greatest})) {rows})");
                (text, Ty::array(INT, n))
            }
        }
    }

    /// A fold of each row, for rows of different lengths.
    pub(super) fn of_hidden_rows_folded(&mut self) -> (String, Ty) {
        let scalar = self.folded();
        let (zero, op) = self.commutative(scalar);
        let term = self.lambda(&[INT], |this| this.term(scalar, 1));
        let element = Ty::Scalar(scalar);
        let fold = |row: &str| format!("(head (reduce {zero} {op} (map {term} {row})))");
        let size = self.choices.of(&[
            "(iota (abs (mod k 9)))",
            "(iota (bitand x 31))",
            "(iota (- (aref os (+ i 1)) (aref os i)))",
        ]);
        match self.choices.below(3) {
            0 => {
                let end = self.function(&element, &element, 1);
                (format!("(map (lambda (r) ({end} {})) ragged)", fold("r")), Ty::array(element, Len::of(Base::M)))
            }
            // Row starts, as in a compressed sparse matrix.
            _ => {
                let count = Len::of(Base::N);
                let body = fold(size);
                let starts = "(scan 0 + (concat (fill #1 0) (map (lambda (q) (bitand q 7)) xs)))";
                let (map, numbers) = ("(map (lambda (i) (let x (aref xs i) BODY)) NUMBERS)", self.numbers(&count));
                let map = map.replace("BODY", &body).replace("NUMBERS", &numbers);
                (format!("(let os {starts} {map})"), Ty::array(element, count))
            }
        }
    }

    /// For each x, a fold over pairs with each y.
    pub(super) fn all_pairs(&mut self) -> (String, Ty) {
        let scalar = self.choices.of(&[Scalar::Int, Scalar::Float]);
        let element = Ty::Scalar(scalar);
        let of = if self.choices.flip() { Ty::Tuple(vec![INT, INT]) } else { INT };
        let (xs_len, ys_len) = match self.choices.below(3) {
            0 => (Len::of(Base::M), Len::of(Base::N)),
            1 => (Len::nat(20), Len::of(Base::N).times(4)),
            _ => (Len::of(Base::N), Len::nat(self.choices.of(&[257, 40]))),
        };
        let (xs, ys) = (self.array(&INT, &xs_len, 1, Place::Top), self.array(&of, &ys_len, 1, Place::Top));
        let name = self.fresh("h");
        let (zero, op) = self.commutative(scalar);
        let function = self.lambda(&[INT], |this| {
            let meet = this.lambda(std::slice::from_ref(&of), |this| {
                let y = this.here();
                let y = if of == INT { y } else { format!("(+ (get1 {y}) (get2 {y}))") };
                let x = this.scope.iter().rev().nth(1).map_or_else(String::new, |(name, _)| name.clone());
                match (scalar, this.choices.below(3)) {
                    (Scalar::Int, 0) => format!("(* {x} {y})"),
                    (Scalar::Int, 1) => format!("(if (< {x} {y}) {} 1)", this.scalar(Scalar::Int, 1)),
                    (Scalar::Int, _) => this.scalar(Scalar::Int, 1),
                    _ => format!("(* 0.25f (toFloat (mod (- {x} {y}) 64)))"),
                }
            });
            let reduce = this.choices.of(&["reduce", "reduceSeq"]);
            format!("(head ({reduce} {zero} {op} (map {meet} {name})))")
        });
        (format!("(let {name} {ys} (map {function} {xs}))"), Ty::array(element, xs_len))
    }

    /// Functions that read a short row several times.
    pub(super) fn short_rows(&mut self) -> (String, Ty) {
        let table = self.lambda(&[INT, INT], |this| this.scalar(Scalar::Int, 1));
        let size = self.choices.of(&[5, 2]);
        let (rows, len) = match self.choices.flip() {
            true => ("(map reverse rows)", Len::of(Base::N)),
            false => ("rows", Len::of(Base::N)),
        };
        let (zero, op) = self.commutative(Scalar::Int);
        let distance =
            self.choices.of(&["(* (get1 p) (get2 p))", "(abs (- (get1 p) (get2 p)))", "(bitxor (get1 p) (get2 p))"]);
        let text = format!(
            "(let table (generate #{size} (lambda (i) (generate #M ({table} i)))) \
             (map (lambda (r) (head (reduceSeq {zero} {op} (map (lambda (t) \
             (head (reduceSeq 0 + (map (lambda (p) {distance}) (zip r t))))) table)))) {rows}))"
        );
        (text, Ty::array(INT, len))
    }

    /// For each row: an array, its fold, and a map of both; a nest with results shared in a work-group.
    pub(super) fn rows_compared(&mut self) -> (String, Ty) {
        let table = self.lambda(&[INT, INT], |this| this.scalar(Scalar::Int, 1));
        let meet = self.choices.of(&["(* (get1 p) (get2 p))", "(abs (- (get1 p) (get2 p)))", "(bitxor (get1 p) 5)"]);
        let made = match self.choices.below(4) {
            2 => format!("(map {} r)", self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1))),
            3 => {
                let [one, other] = [0, 1].map(|_| self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1)));
                format!("(if (> (head (reduce 0 + r)) 3) (map {one} r) (map {other} r))")
            }
            _ => format!("(map (lambda (t) (head (reduce 0 + (map (lambda (p) {meet}) (zip r t))))) table)"),
        };
        let (zero, op) = self.commutative(Scalar::Int);
        let end = self.choices.of(&["(- x s)", "(if (= x s) 1 0)", "(bitxor s x)"]);
        let text = format!(
            "(let table (generate #M (lambda (i) (generate #M ({table} i)))) \
             (map (lambda (r) (let a {made} (let s (head (reduce {zero} {op} a)) (map (lambda (x) {end}) a)))) rows))"
        );
        (text, Ty::array(Ty::array(INT, Len::of(Base::M)), Len::of(Base::N)))
    }

    /// A fold whose iterations depend on single bits of a number.
    pub(super) fn bits(&mut self) -> (String, Ty) {
        let (count, rounds) = (self.choices.of(&["#(* 32 N)", "#(* 64 N)", "#N"]), self.choices.of(&[10, 30]));
        let (zero, op) = self.choices.of(&[("0", "bitxor"), ("0", "+"), ("0", "bitor")]);
        let code = self.choices.of(&["i", "(bitxor i (shr i 1))"]);
        let table = self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1));
        let (sum, end) = self.commutative(Scalar::Int);
        let text = format!(
            "(let table (generate #{rounds} {table}) \
             (head (reduce {sum} {end} (map (lambda (i) (let g {code} \
             (head (reduceSeq {zero} (lambda (s at) (if (= (bitand (shr g (get1 at)) 1) 1) ({op} s (get2 at)) s)) \
             (enumerate table))))) (iota {count})))))"
        );
        (text, INT)
    }

    /// Sums of quotients by roots, which are exact up to a few ulps, rounded to integers.
    pub(super) fn bodies(&mut self) -> (String, Ty) {
        let count = self.choices.of(&[300, 1024]);
        let xs = self.array(&INT, &Len::of(Base::M), 1, Place::Top);
        let a = self.lambda(&[INT, INT], |this| this.scalar(Scalar::Int, 1));
        let text = format!(
            "(let ys (iota #{count}) (map (lambda (x) (toInt (floor (+ 0.5f (* 64.0f (head (reduce 0.0f + (map \
             (lambda (y) (let b (if (= (mod (+ x y) 2) 0) 4.0f 16.0f) \
             (/ (toFloat (mod ({a} x y) 8)) (* b (sqrt b))))) ys)))))))) {xs}))"
        );
        (text, Ty::array(INT, Len::of(Base::M)))
    }

    /// Folds and scans of small arrays: functions as tables, the array with the greatest first element, products of matrices.
    pub(super) fn small_arrays_folded(&mut self) -> (String, Ty) {
        let count = self.count();
        let (size, term) = (self.choices.of(&[2, 3, 4]), self.choices.of(&["(* i 3)", "(bitxor i 5)", "i"]));
        let compose = "(lambda (f g) (map (lambda (i) (aref g i)) f))";
        let greatest = "(lambda (a b) (if (< (aref a 0) (aref b 0)) b a))";
        let product = "(lambda (a b) (map (lambda (r) (map (lambda (c) (head (reduce 0 + (map (lambda (p) (* (get1 p) (get2 p))) \
                       (zip r c))))) (transpose b))) a))";
        let row = format!("(generate #{size} (lambda (j) (mod (+ {term} j) {size})))");
        let unit = "(generate #2 (lambda (i) (generate #2 (lambda (j) (if (= i j) 1 0)))))";
        let matrix = "(generate #2 (lambda (j) (generate #2 (lambda (k) (- (+ i j) (* 2 k))))))";
        let (start, f, x, element) = match self.choices.below(3) {
            0 => (format!("(iota #{size})"), compose, row, Ty::array(INT, Len::nat(size))),
            1 => (format!("(fill #{size} -900)"), greatest, row, Ty::array(INT, Len::nat(size))),
            _ => (unit.into(), product, matrix.into(), Ty::array(Ty::array(INT, Len::nat(2)), Len::nat(2))),
        };
        let xs = format!("(map (lambda (i) {x}) {})", self.numbers(&count));
        match self.choices.flip() {
            true => (format!("(scan {start} {f} {xs})"), Ty::array(element, count)),
            false => (format!("(reduce {start} {f} {xs})"), Ty::array(element, Len::nat(1))),
        }
    }

    /// Folds of equal length per element, for few or many elements.
    pub(super) fn few_rows_or_many(&mut self) -> (String, Ty) {
        let count = self.choices.of(&[Base::M, Base::N]);
        let len = if self.choices.flip() { Len::of(Base::M) } else { Len::nat(40) };
        let (zero, op) = self.commutative(Scalar::Int);
        let size = self.size(&len).unwrap_or_default();
        let term = self.lambda(&[INT, INT], |this| this.scalar(Scalar::Int, 1));
        let numbers = self.numbers(&Len::of(count));
        let fold = format!("(head (reduce {zero} {op} (map ({term} i) (iota #{size}))))");
        let text = match self.choices.flip() {
            false => format!("(map (lambda (i) {fold}) {numbers})"),
            true => format!(
                "(map (lambda (i) (- {fold} (head (reduce 0 + (map ({term} (+ i 1)) (iota #{size})))))) {numbers})"
            ),
        };
        (text, Ty::array(INT, Len::of(count)))
    }

    /// Folds of each row for a few numbers, or more, and what these fold to; or a table of powers of two numbers, by which
    /// rows are multiplied.
    pub(super) fn folded_for_few(&mut self) -> (String, Ty) {
        let [(zero, op), (last_zero, last)] = [0; 2].map(|_| self.commutative(Scalar::Int));
        let count = self.choices.of(&["2", "5", "14", "20", "M"]);
        let fold = match self.choices.flip() {
            true => {
                let term = self.lambda(&[INT, INT], |this| this.scalar(Scalar::Int, 1));
                format!("(head (reduce {zero} {op} (map (lambda (v) ({term} v k)) r)))")
            }
            false => {
                let power = "(toInt (round (pow 2.0f (toFloat (mod (* k i) 4)))))";
                format!("(sumi (zipWith (lambda (v i) (* v {power})) r (iota #M)))")
            }
        };
        let all = format!("(map (lambda (k) {fold}) (iota #{count}))");
        let folded = match self.choices.below(3) {
            0 => format!("(head (reduce {last_zero} {last} {all}))"),
            1 => format!("(- (sumi {all}) (head (reduce {last_zero} {last} r)))"),
            _ => format!("(let gave {all} (if (> #{count} 0) (head (argsort > gave)) 7))"),
        };
        (format!("(map (lambda (r) {folded}) rows)"), Ty::array(INT, Len::of(Base::N)))
    }

    /// Steps over all rows, one after the other, each of which also reads what the one before made of the row.
    pub(super) fn rows_in_steps(&mut self) -> (String, Ty) {
        let [(zero, op), (next_zero, next)] = [0; 2].map(|_| self.commutative(Scalar::Int));
        let (rows, n, m) = match self.choices.below(2) {
            0 => ("rows", Len::of(Base::N), Len::of(Base::M)),
            _ => ("(transpose rows)", Len::of(Base::M), Len::of(Base::N)),
        };
        let (first, second) = (self.fresh("h"), self.fresh("h"));
        let made = format!("(map (lambda (r) (head (reduce {zero} {op} r))) {rows})");
        let step = self.lambda(&[INT, INT], |this| this.term(Scalar::Int, 1));
        let both = format!("(zipWith (lambda (r v) (map ({step} v) r)) {rows} {first})");
        match self.choices.below(3) {
            0 => (format!("(let {first} {made} {both})"), Ty::array(Ty::array(INT, m), n)),
            1 => {
                let last = format!("(zipWith (lambda (r v) (map (lambda (u) (- u v)) r)) {second} {first})");
                (format!("(let {first} {made} {second} {both} {last})"), Ty::array(Ty::array(INT, m), n))
            }
            _ => {
                let folded = format!("(map (lambda (r) (head (reduce {next_zero} {next} r))) {both})");
                let text = format!("(let {first} {made} {second} {folded} (zip {first} {second}))");
                (text, Ty::array(Ty::Tuple(vec![INT, INT]), n))
            }
        }
    }

    /// A matrix to which each of many rows adds what it makes of pairs of its elements.
    pub(super) fn pairs_added(&mut self) -> (String, Ty) {
        let f = self.lambda(&[INT, INT, INT], |this| this.term(Scalar::Int, 1));
        let (acc, row) = (self.fresh("x"), self.fresh("x"));
        let inner = format!("(lambda (e c) (map (lambda ((tuple u d)) ({f} u c d)) (zip e {row})))");
        let body = format!("(lambda ({acc} {row}) (zipWith {inner} {acc} {row}))");
        let text = format!("(head (reduceSeq (fill #4 (fill #4 1)) {body} (split #4 zs)))");
        (text, Ty::array(Ty::array(INT, Len::nat(4)), Len::nat(4)))
    }

    /// Loops for two starts, whose rounds fold all rows of a matrix, then all columns.
    pub(super) fn walks(&mut self) -> (String, Ty) {
        let [met, back] = [0; 2].map(|_| self.lambda(&[Ty::Tuple(vec![INT, INT])], |this| this.term(Scalar::Int, 1)));
        let (zero, op) = self.commutative(Scalar::Int);
        let (state, half) = (self.fresh("x"), self.fresh("h"));
        let fold = |met: &str, of: &str, rows: &str| {
            format!("(map (lambda (r) (head (reduce {zero} {op} (map {met} (zip r {of}))))) {rows})")
        };
        let round = format!("(let {half} {} {})", fold(&met, &state, "rows"), fold(&back, &half, "(transpose rows)"));
        let starts = "(generate #2 (lambda (i) (map (lambda (j) (- j i)) (iota #M))))";
        let text = format!("(map (lambda (s) (iterate 2 (lambda ({state}) {round}) s)) {starts})");
        (text, Ty::array(Ty::array(INT, Len::of(Base::M)), Len::nat(2)))
    }
}
