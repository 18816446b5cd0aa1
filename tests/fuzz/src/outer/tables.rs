//! The tables: kernels that work-items share, origins of the outer length, and sizes.

/// A kernel that work-items share by tiles, teams or tables.
pub struct Skeleton {
    pub name: &'static str,
    /// The body. `h` is an array of rows of M numbers, `v` is a row, `k` is a number.
    pub text: &'static str,
    /// The compiler's rules that it tests.
    pub rules: &'static [&'static str],
}

const fn of(name: &'static str, rules: &'static [&'static str], text: &'static str) -> Skeleton {
    Skeleton { name, text, rules }
}

pub const SKELETONS: &[Skeleton] = &[
    of(
        "matrix product",
        &["tile-matrix", "tile-parts"],
        "(map (lambda (r) (map (lambda (c) (sumi (map (uncurry *) (zip r c)))) h)) h)",
    ),
    of(
        "matrix product of floats",
        &["tile-matrix", "tile-cores", "whole-tiles", "tile-parts"],
        "(let g (map (map (lambda (x) (* 0.25f (toFloat x)))) h) \
         (map (lambda (r) (map (lambda (c) (head (reduce 0.0f + (map (uncurry *) (zip r c))))) g)) g))",
    ),
    of("matrix times vector", &["row-teams"], "(map (lambda (r) (sumi (map (uncurry *) (zip r v)))) h)"),
    of("folds of rows", &["row-teams", "reduce-lanes"], "(map sumi h)"),
    of("folds of columns", &["column-teams", "map-lanes"], "(map sumi (transpose h))"),
    of("ordered folds of rows", &[], "(map (lambda (r) (head (reduceSeq 1 (lambda (s x) (- (* 3 s) x)) r))) h)"),
    of(
        "ordered folds of columns",
        &[],
        "(map (lambda (c) (head (reduceSeq 1 (lambda (s x) (- (* 3 s) x)) c))) (transpose h))",
    ),
    of("rows in registers", &["map-folds-wrg"], "(map (lambda (r) (let s (sumi r) (map (lambda (x) (- x s)) r))) h)"),
    of(
        "greatest of each row",
        &["map-folds-wrg"],
        "(map (lambda (r) (head (reduce (tuple -900 0) (lambda (a b) (if (< (get1 a) (get1 b)) b a)) \
         (map (lambda (p) (tuple (get1 p) (get2 p))) (zip r (iota #(length r))))))) h)",
    ),
    of(
        "attention",
        &["map-parts", "row-teams"],
        "(map (lambda (r) (let s (map (lambda (c) (sumi (map (uncurry *) (zip r c)))) h) \
         (let t (head (reduce -900 max s)) (map (lambda (c) (sumi (map (lambda (p) (* (- (get1 p) t) (get2 p))) \
         (zip s c)))) (transpose h))))) h)",
    ),
    of(
        "greatest product of each row",
        &["tile-fold"],
        "(map (lambda (r) (head (reduce -900 max (map (lambda (c) (sumi (map (uncurry *) (zip r c)))) h)))) h)",
    ),
    of(
        "columns without their sums",
        &["map-turned"],
        "(transpose (map (lambda (c) (let s (sumi c) (map (lambda (x) (- x s)) c))) (transpose h)))",
    ),
    of("scans of rows", &[], "(map (scan 0 +) h)"),
    of("scans of columns", &[], "(map (scanExcl 0 max) (transpose h))"),
    of("sorts of rows", &["sort-lanes"], "(map (sort <) h)"),
    of("places in the order of rows", &[], "(map (argsort >) h)"),
    of("rows that are filtered", &[], "(map (lambda (r) (sumi (filter (< 2) r))) h)"),
    of("parts of rows", &[], "(map (filter (< 2)) h)"),
    of(
        "rows met by few",
        &["row-teams"],
        "(let t (generate #2 (lambda (i) (generate #M (+ i)))) (map (lambda (r) (head (reduceSeq 0 + (map (lambda (q) \
         (head (reduceSeq 0 + (map (lambda (p) (* (get1 p) (get2 p))) (zip r q))))) t)))) h))",
    ),
    of(
        "short rows",
        &["short-rows"],
        "(let t (generate #2 (lambda (i) (generate #M (+ i)))) (map (lambda (r) (head (reduceSeq 0 + (map (lambda (q) \
         (head (reduceSeq 1 - (map (lambda (p) (* (get1 p) (get2 p))) (zip r q))))) t)))) h))",
    ),
    of(
        "folds of folds",
        &["unroll-and-jam"],
        "(let g (map (map (lambda (x) (map (lambda (i) (- x i)) (iota #3)))) h) (map (lambda (x) (map (lambda (y) (sumi (map \
         (lambda (p) (sumi (map (uncurry *) (zip (get1 p) (get2 p))))) (zip x y)))) g)) g))",
    ),
    of("transposition", &["tile-transpose"], "(map (map (+ k)) (transpose h))"),
    of(
        "pairs",
        &["tile-pairs", "row-teams"],
        "(let e (map sumi h) (map (lambda (x) (sumi (map (lambda (y) (* x (- x y))) e))) e))",
    ),
    of(
        "windows of rows",
        &["slide-pad-pieces"],
        "(map (lambda (r) (map sumi (slide #3 #1 (padConstant #1 #1 0 r)))) h)",
    ),
    of(
        "stencil",
        &["blocks"],
        "(map (map (lambda (w) (sumi (join w)))) (map transpose (slide #3 #1 (map (slide #3 #1) \
         (padConstant #1 #1 (fill #(+ 2 M) 0) (map (padConstant #1 #1 0) h))))))",
    ),
    of(
        "sums of large windows",
        &["windows"],
        "(map (map (lambda (w) (sumi (join w)))) (slide2D #5 #1 (pad2D #2 #2 clamp h)))",
    ),
    of(
        "histogram",
        &["fold-by-key"],
        "(let e (join h) (map (lambda (q) (sumi (map (lambda (x) (if (= (bitand x 7) q) 1 0)) e))) (iota #8)))",
    ),
    of(
        "histogram of many buckets",
        &["fold-by-key", "by-key-shared"],
        "(let e (join h) (map (lambda (q) (sumi (map (lambda (x) (if (= x q) x 0)) e))) (iota #20000)))",
    ),
    of(
        "columns by key",
        &["fold-by-key"],
        "(let g (map (lambda (r) (mod (+ k (length r)) 5)) h) (map (lambda (q) (map (lambda (c) \
         (sumi (map (lambda (p) (if (= (get1 p) q) (get2 p) 0)) (zip g c)))) (transpose h))) (iota #5)))",
    ),
    of(
        "rows by key",
        &["map-tables-wrg"],
        "(map (lambda (r) (map (lambda (q) (sumi (map (lambda (c) (if (= (mod c 600) q) 1 0)) r))) (iota #600))) h)",
    ),
    of("fold of all", &["reduce-parts"], "(reduce 0 + (join h))"),
    of(
        "two folds of all",
        &["folds-together"],
        "(let e (join h) (let a (sumi e) (let b (head (reduce -900 max e)) (map (lambda (x) (+ x (- a b))) v))))",
    ),
    of(
        "products and what is beside them",
        &["folds-together", "product-apart"],
        "(let e (map sumi h) (map (lambda (r) (let s (sumi r) (map (lambda (p) (- (* (sumi (map (uncurry *) (zip r (get1 p)))) \
         (sumi (map (uncurry -) (zip r (get1 p))))) (get2 p))) (zip h (map (+ s) e))))) h))",
    ),
    of("scan of all", &["scan-chunks"], "(scan 0 + (join h))"),
    of("sort of all", &["sort-radix"], "(sort < (join h))"),
    of("filter of all", &["filter-glb"], "(filter (< 2) (join h))"),
    of(
        "rounds of short arrays",
        &["rounds"],
        "(map (lambda (x) (head (iterate #3 (lambda (u) (map (lambda (p) (+ (get1 p) (get2 p))) (zip u (reverse u)))) \
         (map (+ x) (iota #32))))) (map sumi h))",
    ),
    of(
        "rounds of matrices",
        &["loop-out"],
        "(map (lambda (r) (map sumi (iterate #3 (lambda (s) (map (lambda (q) (map (+ (sumi q)) q)) (reverse s))) \
         (map (lambda (x) (map (+ x) v)) r)))) h)",
    ),
    of("rounds", &[], "(iterate #3 (map (map (lambda (x) (- k x)))) h)"),
];

/// The origin of the outer length.
pub struct Outer {
    pub name: &'static str,
    /// The template; `$s` stands for the skeleton, `rows` for the input.
    pub text: &'static str,
    /// Whether the skeleton is inside a map, where other rules place it.
    pub inside: bool,
}

const fn as_of(name: &'static str, text: &'static str) -> Outer {
    Outer { name, text, inside: false }
}
const fn inside(name: &'static str, text: &'static str) -> Outer {
    Outer { name, text, inside: true }
}

/// The rows whose index modulo 3 is below `$b`.
macro_rules! kept {
    ($b:literal) => {
        concat!("(map get2 (filter (lambda (p) (< (mod (get1 p) 3) ", $b, ")) (zip (iota #N) rows)))")
    };
}

pub const OUTERS: &[Outer] = &[
    as_of("a size", "(let h rows $s)"),
    as_of("what a filter kept", concat!("(let h ", kept!("k"), " $s)")),
    as_of("a number", "(let h (map (lambda (i) (map (+ i) v)) (iota n)) $s)"),
    as_of("a part", "(let h (take n rows) $s)"),
    as_of("a branch", "(let h (if (> k 1) rows (concat rows rows)) $s)"),
    inside("a batch", "(map (lambda (h) $s) (generate #2 (lambda (b) (map (map (+ b)) rows))))"),
    inside("a position", "(map (lambda (h) $s) (generate #3 (lambda (b) (take #(min b N) rows))))"),
    inside(
        "what a filter kept of each",
        concat!("(map (lambda (h) $s) (map (lambda (b) ", kept!("b"), ") (iota #4)))"),
    ),
];

/// N and M: zero, one and many of each; many is more than a tile and not a multiple of one.
pub const MANY: (usize, usize) = (37, 70);
pub const SIZES: [(usize, usize); 9] =
    [(0, 0), (0, 1), (0, MANY.1), (1, 0), (1, 1), (1, MANY.1), (MANY.0, 0), (MANY.0, 1), MANY];

/// Values of `k`: a filter keeps nothing, some or all.
pub const KEPT: [i32; 3] = [0, 1, 3];
