//! The tables: primitives that take a function, checks, and positions of a check in the function.

use lift_analysis::prims;

/// An application of a primitive that takes a function. `$u` stands for a function from `Int` to `Int` that adds the
/// check to its argument, `$f` for a function from the checked array to the check, `$z` for an array of `Int`s, `$y`
/// for the checked array.
pub struct Use {
    pub primitive: &'static str,
    pub text: &'static str,
}

const fn of(primitive: &'static str, text: &'static str) -> Use {
    Use { primitive, text }
}

pub const USES: &[Use] = &[
    of("map", "(map $u $z)"),
    of("map", "(map $f (map (lambda (z) $y) $z))"),
    // The length of a row is that of the array, but the checker knows only that it depends on the index.
    of("map", "(map $f (generate #2 (lambda (i) (take #(mod (length $y) (+ (length $y) 1 i)) $y))))"),
    of("mapSeq", "(mapSeq $u $z)"),
    of("mapGlb0", "(mapGlb0 $u $z)"),
    of("mapGlb0", "(mapGlb0 $f (map (lambda (z) $y) $z))"),
    of("mapGlb1", "(mapGlb1 (mapGlb0 $u) (split #1 $z))"),
    of("mapGlb2", "(mapGlb2 (mapGlb0 $u) (split #1 $z))"),
    of("mapWrg0", "(mapWrg0 (mapLcl0 $u) (split #1 $z))"),
    of("mapWrg1", "(mapWrg1 (mapWrg0 (mapLcl0 $u)) (split #1 (split #1 $z)))"),
    of("mapWrg2", "(mapWrg2 (mapWrg0 (mapLcl0 $u)) (split #1 (split #1 $z)))"),
    of("mapLcl0", "(join (mapWrg0 (mapLcl0 $u) (split #1 $z)))"),
    of("mapLcl1", "(mapWrg1 (mapWrg0 (mapLcl1 (mapLcl0 $u))) (split #1 (split #1 (split #1 $z))))"),
    of("mapLcl2", "(mapWrg2 (mapWrg0 (mapLcl2 (mapLcl0 $u))) (split #1 (split #1 (split #1 $z))))"),
    of("filter", "(filter (lambda (a) (< 0 ($u a))) $z)"),
    of("filterSeq", "(filterSeq (lambda (a) (< 0 ($u a))) $z)"),
    of("filterGlb", "(filterGlb (lambda (a) (< 0 ($u a))) $z)"),
    of("filterWrg", "(filterWrg (lambda (a) (< 0 ($u a))) $z)"),
    of(
        "filterLcl",
        "(mapWrg0 (lambda (row) (head (reduceSeq 0 + (filterLcl (lambda (a) (< 0 ($u a))) row)))) (split #1 $z))",
    ),
    of("reduce", "(reduce 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("reduceSeq", "(reduceSeq 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("partRed", "(partRed #1 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("reduceWhileSeq", "(reduceWhileSeq (lambda (a) (< ($u a) 100)) 0 + $z)"),
    of("reduceWhileSeq", "(reduceWhileSeq (lambda (a) (< a 100)) 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("iterateWhile", "(iterateWhile (lambda (a) (< ($u a) 3)) (+ 1) 0)"),
    of("iterateWhile", "(iterateWhile (lambda (a) (< a 3)) (lambda (a) (+ 1 ($u a))) 0)"),
    of("scan", "(scan 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("scanSeq", "(scanSeq 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("scanExcl", "(scanExcl 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("iterate", "(iterate #2 (map $u) $z)"),
    of("iterate", "(iterate #2 $u 0)"),
    of("iterate", "(iterate (abs -2) $u 0)"),
    of("iterate", "(get1 (iterate #2 (lambda (s) (tuple ($u (get1 s)) (get1 s))) (tuple 0 0)))"),
    of("iterate", "(iterate #2 (lambda (vs) (map (lambda (p) ($u (get1 p))) (zip vs $z))) $z)"),
    of("iterate", "(iterate #1 (lambda (vs) (map (+ ($f vs)) vs)) $y)"),
    of("iterate", "(iterate #1 (lambda (vs) (concat vs (map (+ ($f vs)) vs))) $y)"),
    of("reorder", "(reorder (lambda (i) (min 1 ($u i))) $z)"),
    of("scatter", "(scatter (lambda (i) ($u i)) $z)"),
    of("generate", "(generate #2 $u)"),
    of("sort", "(sort (lambda (a b) (< ($u a) ($u b))) $z)"),
    of("argsort", "(argsort (lambda (a b) (< ($u a) ($u b))) $z)"),
    of("search", "(search (lambda (a) ($u a)) $z)"),
    of("lsearch", "(lsearch (lambda (a) (- ($u a) 1)) $z)"),
    of("vectorize", "(asScalar (map (vectorize #2 $u) (asVector #2 $z)))"),
    of("mapVec", "(asScalar (map (mapVec $u) (asVector #2 $z)))"),
    of("toGlobal", "((toGlobal (mapGlb0 $u)) $z)"),
    of("toLocal", "(mapWrg0 (o (mapLcl0 id) (toLocal (mapLcl0 $u))) (split #1 $z))"),
    of("toPrivate", "(mapGlb0 (o (mapSeq id) (toPrivate (mapSeq $u))) (split #1 $z))"),
];

/// Primitives whose function parameter is not run: it is the name of a mode or a rule for lengths.
pub const WITHOUT_A_FUNCTION_THAT_RUNS: [&str; 2] = ["pad", "partition"];

/// An expression `text` of the array `ys`, with an assumption or check.
pub struct Check {
    pub uses: &'static str,
    pub text: &'static str,
    /// Lengths of `ys` for which the check holds and fails. All elements are 0.
    pub holds: usize,
    pub fails: usize,
    /// Whether it is a condition on lengths, which the checker refutes if it knows them.
    pub of_lengths: bool,
}

const fn assumes(uses: &'static str, text: &'static str, holds: usize, fails: usize) -> Check {
    Check { uses, text, holds, fails, of_lengths: true }
}
const fn checks(uses: &'static str, text: &'static str, holds: usize, fails: usize) -> Check {
    Check { uses, text, holds, fails, of_lengths: false }
}

pub const CHECKS: &[Check] = &[
    assumes("take", "(head (take #3 ys))", 4, 2),
    assumes("drop", "(head (reduceSeq 0 + (drop #3 ys)))", 4, 2),
    assumes("slice", "(head (slice #1 #2 ys))", 4, 2),
    assumes("head", "(head ys)", 1, 0),
    assumes("last", "(last ys)", 1, 0),
    assumes("tail", "(head (reduceSeq 0 + (tail ys)))", 1, 0),
    assumes("init", "(head (reduceSeq 0 + (init ys)))", 1, 0),
    assumes("split", "(head (reduceSeq 0 + (map (lambda (r) (head r)) (split #2 ys))))", 4, 3),
    assumes("stride", "(head (reduceSeq 0 + (stride #2 ys)))", 4, 3),
    assumes("slide", "(head (reduceSeq 0 + (map (lambda (r) (head r)) (slide #3 #1 ys))))", 4, 2),
    assumes("slide", "(head (reduceSeq 0 + (map (lambda (r) (head r)) (slide #1 #2 ys))))", 3, 4),
    assumes("partRed", "(head (reduceSeq 0 + (partRed #2 0 + ys)))", 4, 3),
    assumes("pad", "(head (pad #1 #1 clamp ys))", 1, 0),
    assumes("asVector", "(head (reduceSeq 0 + (asScalar (asVector #2 ys))))", 4, 3),
    assumes(
        "partition",
        "(head (reduceSeq 0 + (map (lambda (p) (head (reduceSeq 0 + p))) (partition #2 (caseSplit #(- (length ys) 2) 2) ys))))",
        4,
        1,
    ),
    assumes("-", "(- (head (reduceSeq 0 max (iota #(- (length ys) 3)))) (- (length ys) 4))", 5, 2),
    assumes("/", "(* 0 (length (iota #(/ (length ys) 2))))", 4, 3),
    assumes("mod", "(head (reduceSeq 0 + (iota #(mod 1 (length ys)))))", 3, 0),
    checks("cast", "(head (reduceSeq 0 + (: ys (array-type int 3))))", 3, 4),
    checks("aref", "(aref ys (+ 1 (bitand (length ys) 1)))", 3, 1),
    checks("/", "(/ 0 (- (length ys) 2))", 3, 2),
    checks("mod", "(mod 0 (- (length ys) 2))", 3, 2),
    assumes("iota", "(* 0 (length (iota (- (length ys) 3))))", 3, 2),
    assumes("generate", "(* 0 (length (generate (- (length ys) 3) (+ 1))))", 3, 2),
    assumes("fill", "(* 0 (length (fill (- (length ys) 3) 1)))", 3, 2),
];

/// How the checked expression gets into the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    Argument,
    Partial,
    Composition,
    Define,
    /// A branch around the primitive: the check fails only if the branch is taken.
    Branch,
    /// A branch in the function: the check fails only if the branch is taken.
    Inside,
    /// Guarded by a condition that implies the check, so that it never fails.
    Guard,
}
pub const POSITIONS: [Position; 7] = [
    Position::Argument,
    Position::Partial,
    Position::Composition,
    Position::Define,
    Position::Branch,
    Position::Inside,
    Position::Guard,
];

/// The checker's knowledge of the checked length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Length {
    /// A number for which the check holds.
    Holds,
    /// A number for which the check fails.
    Fails,
    /// A size of the input; both numbers are tried.
    Input,
    /// The length of a `filter`'s result; both numbers are tried.
    Hidden,
}
pub const LENGTHS: [Length; 4] = [Length::Holds, Length::Fails, Length::Input, Length::Hidden];

/// Returns the primitives missing from the tables: those that take a function or have an assumption.
pub fn missing() -> Vec<&'static str> {
    let takes_a_function = |p: &prims::Primitive| {
        p.scheme.ty.uncurry().0.iter().any(|param| matches!(param.kind(), lift_analysis::ty::TyKind::Fun(..)))
    };
    let used = |p: &prims::Primitive| {
        USES.iter().any(|u| *u.primitive == *p.name) || WITHOUT_A_FUNCTION_THAT_RUNS.contains(&&*p.name)
    };
    let checked = |p: &prims::Primitive| CHECKS.iter().any(|c| *c.uses == *p.name);
    let missing = prims::all()
        .iter()
        .filter(|p| takes_a_function(p) && !used(p) || !p.scheme.assumptions.is_empty() && !checked(p));
    missing.map(|p| &*p.name).collect()
}
