//! Programs to which the compiler's rules apply: folds by key, products of matrices, windows, nested parallelism,
//! loops, ….
//!
//! Each is the left side of a rule of `lift_codegen::schedule::rules`, with random arrays and functions; sometimes a
//! condition of the rule is violated. Random programs alone would rarely match; `every_rule_is_applied_to_programs`
//! checks that all rules are covered.

mod by_key;
pub mod failing;
mod folds;
mod grids;
pub mod orders;
mod shared;
mod updates;

use super::len::{Base, Len};
use super::ty::{BOOL, INT, Scalar, Ty};
use super::{Maker, Place};

/// Additional definitions that shapes use: name and text.
const HELPERS: &[(&str, &str)] = &[
    (
        "(below ",
        "(define (below (bound int) (sorted (array-type int n)))
           (search (lambda (p) (if (< (get2 p) bound) 1 (if (>= (get1 p) bound) -1 0)))
                   (zip (padConstant #1 #0 -1 sorted) (padConstant #0 #1 2147483647 sorted))))",
    ),
    ("(picked ", "(define (picked xs i) (if (and (>= i 0) (< i (length xs))) (aref xs i) 7))"),
    (
        "(slide3D ",
        "(define (slide3D size step grid)
           (map (o (map transpose) transpose) (slide size step (map (slide2D size step) grid))))",
    ),
    ("(pad3D ", "(define (pad3D l r mode grid) (map (pad2D l r mode) (pad l r mode grid)))"),
];

/// Returns the definitions that a program body uses.
pub fn helpers(body: &str) -> String {
    HELPERS.iter().filter(|(name, _)| body.contains(name)).map(|(_, definition)| format!("{definition}\n")).collect()
}

impl Maker<'_> {
    /// Returns an expression at the top level of the kernel, and its type.
    pub(super) fn shape(&mut self) -> (String, Ty) {
        match self.choices.below(24) {
            1 if self.choices.below(3) == 2 => self.groups_by_key(),
            0 if self.choices.below(4) == 3 => self.pairs_by_key(),
            0 | 1 => self.folds_by_key(),
            21 if self.choices.below(3) == 2 => self.rows_ordered(),
            21 => self.orders(),
            22 if self.choices.below(3) == 2 => self.rows_into_one(),
            22 if self.choices.below(3) == 1 => self.rows_joined(),
            22 => self.rows_copied(),
            23 => self.rows_compared(),
            2 if self.choices.flip() => self.rows_by_key(),
            2 => self.columns_by_key(),
            3 => self.counts_of_sorted(),
            4 if self.choices.below(4) == 3 => self.folds_met(),
            4 if self.choices.below(4) == 3 => self.product_beside(),
            4 => self.product(),
            5 if self.choices.below(3) == 2 => self.rows_chosen(),
            5 if self.choices.below(4) == 3 => self.folded_twice(),
            5 if self.choices.below(4) == 2 => self.rows_in_steps(),
            5 if self.choices.below(6) == 1 => self.pairs_added(),
            5 => self.rows_folded(),
            6 => self.of_hidden_rows_folded(),
            7 => self.all_pairs(),
            8 if self.choices.below(5) == 4 => self.walks(),
            8 if self.choices.flip() => self.rows_iterated(),
            8 if self.choices.below(3) == 2 => self.updates(),
            8 => self.rounds(),
            9 if self.choices.below(4) == 3 => self.rows_in_tuples(),
            9 => self.short_rows(),
            10 => self.transposed(),
            11 if self.choices.below(3) == 2 => self.filters_of_windows(),
            11 => self.windows_of_planes(),
            12 => self.windows_of_spaces(),
            13 => self.rounds_of_launches(),
            14 => self.placed_by_hand(),
            15 => self.kept(),
            16 => self.pieces(),
            17 => self.bits(),
            18 => self.bodies(),
            20 => self.folded_for_few(),
            19 if self.choices.flip() => self.small_arrays_folded(),
            19 => self.angles(),
            _ => self.few_rows_or_many(),
        }
    }

    /// Returns the name of the innermost parameter.
    fn here(&self) -> String {
        self.scope.last().map_or_else(String::new, |(name, _)| name.clone())
    }

    /// Returns a length for an `iota`.
    fn count(&mut self) -> Len {
        let lengths = [Len::nat(5), Len::of(Base::N), Len::of(Base::M), Len::nat(20), Len::nat(1), Len::nat(300)];
        lengths[self.choices.below(lengths.len())].clone()
    }

    /// Returns the `iota` of a length.
    fn numbers(&mut self, len: &Len) -> String {
        let size = self.size(len).unwrap_or_else(|| "N".into());
        format!("(iota #{size})")
    }

    /// Returns an associative and commutative function with its neutral element; floats are added only where that is
    /// exact.
    fn commutative(&mut self, scalar: Scalar) -> (&'static str, &'static str) {
        match scalar {
            Scalar::Int => self.choices.of(&[("0", "+"), ("1", "*"), ("0", "bitxor"), ("-900", "max"), ("900", "min")]),
            Scalar::UByte => self.choices.of(&[("0ub", "+"), ("0ub", "bitxor"), ("0ub", "max"), ("255ub", "min")]),
            Scalar::UInt => self.choices.of(&[("0u", "+"), ("1u", "*"), ("0u", "max"), ("0xffffffffu", "min")]),
            Scalar::Long => self.choices.of(&[("0L", "+"), ("1L", "*"), ("-900L", "max")]),
            Scalar::Bool => self.choices.of(&[("false", "or"), ("true", "and")]),
            Scalar::Float => self.choices.of(&[("0.0f", "+"), ("-900.0f", "max"), ("900.0f", "min")]),
            Scalar::Double => self.choices.of(&[("0.0", "+"), ("-900.0", "max")]),
        }
    }

    /// A value for [`Maker::commutative`]; reals are multiples of a quarter below 16.
    fn term(&mut self, scalar: Scalar, depth: u32) -> String {
        match scalar {
            Scalar::Float => format!("(* 0.25f (toFloat (mod {} 64)))", self.scalar(Scalar::Int, depth)),
            Scalar::Double => format!("(toDouble {})", self.term(Scalar::Float, depth)),
            other => self.scalar(other, depth),
        }
    }

    fn folded(&mut self) -> Scalar {
        self.choices.of(&[Scalar::Int, Scalar::Int, Scalar::Float, Scalar::Long, Scalar::UByte, Scalar::UInt])
    }

    /// For each element, an `iterate` over a short array.
    fn rounds(&mut self) -> (String, Ty) {
        let (len, size) = (self.choices.of(&[Base::M, Base::N]), self.choices.of(&[64, 32, 128, 30]));
        let xs = self.array(&INT, &Len::of(len), 1, Place::Top);
        let steps = self.choices.of(&[3, 1, 0]);
        let round = match self.choices.below(3) {
            0 => "(zip v (concat (drop #1 v) (fill #1 0)))",
            1 => "(zip v (reverse v))",
            _ => "(zip (concat (fill #1 1) (take #(- (length v) 1) v)) v)",
        };
        let step = self.lambda(&[Ty::Tuple(vec![INT, INT])], |this| this.scalar(Scalar::Int, 1));
        let start = self.lambda(&[INT, INT], |this| this.scalar(Scalar::Int, 1));
        let end = self.choices.of(&["(head ALL)", "(last ALL)", "(aref ALL 7)"]);
        let all = format!("(iterate #{steps} (lambda (v) (map {step} {round})) (map ({start} x) (iota #{size})))");
        (format!("(map (lambda (x) {}) {xs})", end.replace("ALL", &all)), Ty::array(INT, Len::of(len)))
    }

    /// Two rows made of each row, in a tuple.
    fn rows_in_tuples(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let rows = self.rows(&INT, &n, &m, 1, Place::Top);
        let [f, g] = [(); 2].map(|()| self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1)));
        let second = self.choices.of(&["(map G r)", "(map G (reverse r))", "(reverse (map G r))"]).replace('G', &g);
        let both = format!("(map (lambda (r) (tuple (map {f} r) {second})) {rows})");
        (format!("(map (lambda (p) (bitxor (sumi (get1 p)) (sumi (get2 p)))) {both})"), Ty::array(INT, n))
    }

    /// A loop for each row, whose state is a matrix.
    fn matrices_iterated(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let rows = self.rows(&INT, &n, &m, 1, Place::Top);
        let function = self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1));
        let step = self.choices.of(&[
            "(map (map F) s)",
            "(map (lambda (q) (map (lambda (p) (bitxor (get1 p) (get2 p))) (zip q (map F r)))) s)",
            "(map (lambda (q) (map (+ (sumi q)) q)) (reverse s))",
            "(map (lambda (p) (map F (if (> (get1 p) 3) (reverse (get2 p)) (get2 p)))) (zip (iota #17) s))",
        ]);
        let step = step.replace('F', &function);
        let start = "(map (lambda (y) (map (+ y) r)) (iota #17))";
        let state = match self.choices.below(3) {
            0 => format!("(iterate #3 (lambda (s) {step}) {start})"),
            1 => format!("(head (reduceSeq {start} (lambda (s i) (map (map (+ i)) {step})) (iota #3)))"),
            _ => format!("(head (reduceSeq {start} (lambda (s x) (map (map (bitxor x)) {step})) r))"),
        };
        (format!("(map (lambda (r) (map sumi {state})) {rows})"), Ty::array(Ty::array(INT, Len::nat(17)), n))
    }

    /// A loop over each row, element-wise or not.
    fn rows_iterated(&mut self) -> (String, Ty) {
        if self.choices.below(3) == 2 {
            return self.matrices_iterated();
        }
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let rows = self.rows(&INT, &n, &m, 1, Place::Top);
        let function = self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1));
        let count = self.choices.of(&["#3", "#20", "(bitand k 3)", "(bitand (length r) 3)"]);
        let step = self.choices.of(&[
            "(map F q)",
            "(map F (map (lambda (p) (- (get1 p) (get2 p))) (zip q r)))",
            "(let s (head (reduce 0 + q)) (map (lambda (v) (bitxor v s)) (map F q)))",
            "(map (lambda (p) (+ (get1 p) (get2 p))) (zip (map F q) (reverse q)))",
            "(scan 0 + (map F q))",
        ]);
        let step = step.replace('F', &function);
        let text = format!("(map (lambda (r) (iterate {count} (lambda (q) {step}) r)) {rows})");
        (text, Ty::array(Ty::array(INT, m), n))
    }

    /// A fold or scan over rows, one after the other, whose accumulator is a row.
    fn rows_into_one(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let rows = self.rows(&INT, &n, &m, 1, Place::Top);
        let function = self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1));
        let step = self.choices.of(&[
            "(map (lambda (p) (+ (get1 p) (get2 p))) (zip (map F acc) r))",
            "(scan 0 + (map (lambda (p) (- (get1 p) (get2 p))) (zip r (reverse acc))))",
            "(let s (head (reduce 0 + acc)) (map (lambda (v) (bitxor v s)) (map F r)))",
        ]);
        let step = step.replace('F', &function);
        match self.choices.flip() {
            true => (format!("(scanSeq (iota #M) (lambda (acc r) {step}) {rows})"), Ty::array(Ty::array(INT, m), n)),
            false => {
                let text = format!("(reduceSeq (iota #M) (lambda (acc r) {step}) {rows})");
                (text, Ty::array(Ty::array(INT, m), Len::nat(1)))
            }
        }
    }

    /// A loop with a launch per iteration.
    fn rounds_of_launches(&mut self) -> (String, Ty) {
        let len = self.some_length();
        let xs = self.array(&INT, &len, 1, Place::Top);
        let function = self.lambda(&[INT], |this| this.scalar(Scalar::Int, 1));
        let rounds = self.choices.of(&["2", "0", "(bitand k 3)", "20", "(- (bitand k 31) 9)"]);
        let step = self.choices.of(&[
            "(map F V)",
            "(map F (reverse V))",
            "(scan 0 + (map F V))",
            "(let i (get1 s) (map (lambda (v) (bitxor v (* i 715827883))) (map F V)))",
            "(let h (aref rows (min (get1 s) (- #N 1))) (map (lambda (v) (+ v (sumi h))) (map F V)))",
        ]);
        let test = self.choices.of(&["(< (get1 s) R)", "(and (< (get1 s) R) (< (head (reduce 0 + (get2 s))) 100000))"]);
        let (step, test) = (step.replace('V', "(get2 s)").replace('F', &function), test.replace('R', rounds));
        let text = format!(
            "(get2 (iterateWhile (lambda (s) {test}) (lambda (s) (tuple (+ (get1 s) 1) {step})) (tuple 0 {xs})))"
        );
        (text, Ty::array(INT, len))
    }

    /// Rows that are there already, by number or by a test, and lengths of rows.
    fn rows_copied(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let rows = self.rows(&INT, &n, &m, 1, Place::Top);
        if self.choices.below(3) == 0 {
            let keep = self.function(&INT, &BOOL, 1);
            return (format!("(rowLengths (map (lambda (r) (filter {keep} r)) {rows}))"), Ty::array(INT, n));
        }
        if self.choices.flip() {
            let ids = self.array(&INT, &n, 1, Place::Top);
            let at = self.choices.of(&["(mod (abs i) #N)", "i", "(bitand i 3)"]);
            return (format!("(map (lambda (i) (aref {rows} {at})) {ids})"), Ty::array(Ty::array(INT, m), n));
        }
        let test = self.choices.of(&["(> (head (reduce 0 + r)) 0)", "true", "(> (head r) 1)"]);
        let sums = format!("(map (lambda (r) (head (reduceSeq 0 + r))) (filter (lambda (r) {test}) {rows}))");
        (format!("(take #1 (concat {sums} (fill #1 7)))"), Ty::array(INT, Len::nat(1)))
    }

    /// Programs that place some of their operations.
    fn placed_by_hand(&mut self) -> (String, Ty) {
        let (n, m) = (Len::of(Base::N), Len::of(Base::M));
        let rows = self.rows(&INT, &n, &m, 1, Place::Top);
        let function = self.function(&INT, &INT, 1);
        let keep = self.function(&INT, &BOOL, 1);
        let grid = Ty::array(Ty::array(INT, m), n.clone());
        let column = Ty::array(INT, n);
        match self.choices.below(12) {
            0 => (format!("(map (mapGlb {function}) {rows})"), grid),
            11 => {
                let guard = self.choices.of(&["(> M 1)", "(<= (length r) 2)", "(= N M)"]);
                (format!("(map (lambda (r) (if {guard} (head (reduceSeq 1 - (map {function} r))) 7)) {rows})"), column)
            }
            10 => {
                let sort = self.choices.of(&["(sort > {r})", "(argsort < {r})"]);
                let row = format!("(concat (map {function} r) (iota #40))");
                let part = sort.replace("{r}", &row);
                (
                    format!("(map (lambda (r) (take #2 {part})) {rows})"),
                    Ty::array(Ty::array(INT, Len::nat(2)), Len::of(Base::N)),
                )
            }
            9 => {
                let few = self.rows(&INT, &Len::of(Base::M), &Len::nat(2), 1, Place::Top);
                let fold = "(lambda (c) (sumi (zipWith * w c)))";
                let each = format!("(lambda (r) (let w (map {function} r) (map {fold} (transpose {few}))))");
                (format!("(map {each} {rows})"), Ty::array(Ty::array(INT, Len::nat(2)), Len::of(Base::N)))
            }
            7 => {
                let scan =
                    self.choices.of(&["(scanSeq 1 - r)", "(scanSeq 1 - (map {f} r))", "(scanSeq 1 - (reverse r))"]);
                let scan = scan.replace("{f}", &function);
                let after = self.choices.of(&[
                    "(map {f} {scan})",
                    "(zipWith - r {scan})",
                    "(zipWith - (scanSeq 5 - (map {f} r)) {scan})",
                    "(scanSeq 2 - (reverse {scan}))",
                ]);
                let after = after.replace("{f}", &function).replace("{scan}", &scan);
                (format!("(map (lambda (r) {after}) {rows})"), grid)
            }
            8 => {
                let scan = self.choices.of(&["scanSeq", "scanExcl"]);
                let state = "(tuple 1 2) (lambda ((tuple a b) v) (tuple (- v b) a))";
                match scan {
                    "scanSeq" => (format!("(map (lambda (r) (map get2 (scanSeq {state} r))) {rows})"), grid),
                    _ => {
                        (format!("(map (lambda (r) (head (reduceSeq 1 - (reverse (scanSeq 3 - r))))) {rows})"), column)
                    }
                }
            }
            4 | 6 => {
                let scan = self.choices.of(&["scan", "scanExcl", "scanSeq"]);
                (format!("(map (lambda (r) (head (reduceSeq 1 - ({scan} 0 + (map {function} r))))) {rows})"), column)
            }
            1 => (format!("(mapWrg (lambda (r) (mapLcl {function} r)) {rows})"), grid),
            2 | 5 => {
                let (map, filter) = self.choices.of(&[("map", "filterGlb"), ("map", "filter"), ("mapGlb", "filter")]);
                (format!("({map} (lambda (r) (head (reduceSeq 1 - ({filter} {keep} r)))) {rows})"), column)
            }
            _ => {
                let filter = self.choices.of(&["filter", "filter", "filterLcl"]);
                (
                    format!("(mapWrg (lambda (r) ({filter} {keep} r)) {rows})"),
                    Ty::array(Ty::dynamic(INT), Len::of(Base::N)),
                )
            }
        }
    }

    /// Uses of the elements that a filter keeps.
    fn kept(&mut self) -> (String, Ty) {
        let (element, len) = (self.element(), self.some_length());
        let xs = self.array(&element, &len, 1, Place::Top);
        let keep = self.function(&element, &BOOL, 1);
        let term = self.function(&element, &INT, 1);
        let (zero, op) = self.commutative(Scalar::Int);
        match self.choices.below(4) {
            0 => {
                let to = self.element();
                let function = self.function(&element, &to, 1);
                let filter = self.choices.of(&["filter", "filterGlb", "filterSeq"]);
                let map = if filter == "filterSeq" { "mapSeq" } else { "map" };
                (format!("({map} {function} ({filter} {keep} {xs}))"), Ty::dynamic(to))
            }
            1 => (format!("(head (reduce {zero} {op} (filter (< 0) (map {term} {xs}))))"), INT),
            2 => (format!("(head (reduce {zero} {op} (map {term} (filter {keep} {xs}))))"), INT),
            _ => {
                let limit = self.choices.of(&["50", "0", "1000"]);
                (format!("(head (reduceWhileSeq (lambda (s) (< s {limit})) 0 + (map {term} {xs})))"), INT)
            }
        }
    }

    /// `partition` into edges and middle.
    fn pieces(&mut self) -> (String, Ty) {
        let (first, rest) = (self.choices.of(&[1, 0, 2]), self.choices.of(&[1, 3]));
        let len = Len::of(Base::N).add_nat(first + rest);
        let xs = self.array(&INT, &len, 1, Place::Top);
        let function = self.function(&INT, &INT, 1);
        let text = format!("(join (map (map {function}) (partition #3 (caseSplit {first} N {rest}) {xs})))");
        (text, Ty::array(INT, len))
    }

    /// Sine and cosine of one angle, compared with thresholds to hide rounding.
    fn angles(&mut self) -> (String, Ty) {
        let len = self.some_length();
        let xs = self.array(&INT, &len, 1, Place::Top);
        let (one, other) = self.choices.of(&[("sin", "cos"), ("cos", "sin")]);
        let text = format!(
            "(map (lambda (x) (let a (* 0.25f (toFloat (mod x 64))) \
             (+ (if (> ({one} a) 0.1f) 1 0) (if (< ({other} a) 0.3f) 2 0)))) {xs})"
        );
        (text, Ty::array(INT, len))
    }
}
