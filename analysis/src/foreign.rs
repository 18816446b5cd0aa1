//! Names from other languages (Scheme, Haskell, Futhark, NumPy, C), and their equivalents in Lift.

/// The equivalent of a foreign name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// The same function under its name in Lift.
    Name(&'static str),
    /// Advice: Lift has no such function.
    Advice(&'static str),
    /// Advice for the head of a form, whose parts are not arguments and are not checked.
    Form(&'static str),
}

const LAMBDA: Foreign = Foreign::Form("a function is written `(lambda (x y) body)`");
const CONDITIONAL: Foreign = Foreign::Form("`(if test one other)` chooses; several tests are `if`s in one another");
const CONDITIONAL_WORD: Foreign = Foreign::Advice("`(if condition a b)` has no `then` and no `else`");
const LOOP: Foreign = Foreign::Form(
    "`map` does something for each element, `reduceSeq` carries a value along an array, `iterateWhile` repeats as long as a test holds",
);
const LET: Foreign = Foreign::Form("`(let name value … body)` binds names, each in sight of those after it");
const EFFECT: Foreign = Foreign::Form("there are no effects: the body of a function is one expression, its value");
const CHOICE: Foreign = Foreign::Form("`(map (lambda (x) (if (> x 0) x 0)) xs)` chooses for each element");
const ARRAY: Foreign =
    Foreign::Advice("an array is an input, or `(generate #n (lambda (i) …))` computes it; `(tuple a b)` is a pair");
const INDEXED: Foreign =
    Foreign::Advice("`(scatterInto dest indices values)` writes, `(reduceByKey #n z f keys values)` combines by index");
const UPDATED: Foreign = Foreign::Advice("`(update xs i x)` is the array with another element at one index");
const RANDOM: Foreign = Foreign::Advice(
    "random numbers are an input, `lift run … random`, or computed from an index: `(map (lambda (i) …) (iota #n))`",
);
const PAD_MODE: Foreign = Foreign::Advice(
    "the border of `pad` is `clamp`, `mirror` or `wrap`; `(padConstant #l #r v xs)` has a border of one value",
);
const INDEXED_MAP: Foreign =
    Foreign::Advice("`(map f (enumerate xs))` gives each element with its index: `(lambda ((tuple i x)) …)`");
const NOTHING: Foreign = Foreign::Advice(
    "there is no missing value: a `tuple` of a Bool and a value, an empty array, or a number such as -1 says it",
);
const WHILE: Foreign = Foreign::Advice(
    "`(take (iterateWhile (lambda (k) (and (< k (length xs)) (p (aref xs k)))) (+ 1) 0) xs)` has the first elements for which \
     `p` holds",
);
const FOUND: Foreign = Foreign::Advice(
    "`(lsearch (lambda (x) (if (p x) 0 1)) xs)` is the index of the first element for which `p` holds, or -1",
);
const FROM_FIRST: Foreign = Foreign::Advice("`(reduceSeq (head xs) f (tail xs))` begins with the first element");
const SIGN: Foreign = Foreign::Advice("`(if (> x 0) 1 (if (< x 0) -1 0))` is the sign of an Int");
const SPREAD: Foreign =
    Foreign::Advice("`(average (map (lambda (x) (* (- x m) (- x m))) xs))` is the variance, with m the average");
const COMPOSED: Foreign = Foreign::Advice("`(o f g)` is the function that applies `g`, then `f`");
const FILLED: Foreign = Foreign::Advice("`(fill #n 0.0f)` makes an array of equal elements");

/// Sorted by name, for readers; contains no name that Lift defines.
const WORDS: &[(&str, Foreign)] = &[
    ("!", Foreign::Name("not")),
    ("!!", Foreign::Name("aref")),
    ("%", Foreign::Name("mod")),
    ("&", Foreign::Name("bitand")),
    ("&&", Foreign::Name("and")),
    ("'", Foreign::Advice("a character is a number: `97ub` is an `a`, `32ub` a space")),
    ("**", Foreign::Name("pow")),
    ("++", Foreign::Name("concat")),
    (".&.", Foreign::Name("bitand")),
    (".|.", Foreign::Name("bitor")),
    ("//", Foreign::Name("/")),
    ("/=", Foreign::Name("!=")),
    ("<<", Foreign::Name("shl")),
    ("<>", Foreign::Name("!=")),
    ("==", Foreign::Name("=")),
    ("=>", LAMBDA),
    (">>", Foreign::Name("shr")),
    (">>>", Foreign::Name("ushr")),
    ("False", Foreign::Name("false")),
    ("INFINITY", Foreign::Name("inf")),
    ("Inf", Foreign::Name("inf")),
    ("Infinity", Foreign::Name("inf")),
    ("NAN", Foreign::Name("nan")),
    ("NaN", Foreign::Name("nan")),
    ("None", NOTHING),
    ("Nothing", NOTHING),
    ("True", Foreign::Name("true")),
    ("^", Foreign::Advice("`(pow x y)` is a power, `(bitxor i j)` the exclusive or of bits")),
    ("__clz", Foreign::Name("clz")),
    ("__popc", Foreign::Name("popcount")),
    ("absolute", Foreign::Name("abs")),
    ("accumulate", Foreign::Name("scan")),
    ("add", Foreign::Name("+")),
    ("amax", Foreign::Name("maximum")),
    ("amin", Foreign::Name("minimum")),
    ("append", Foreign::Name("concat")),
    ("arange", Foreign::Name("iota")),
    ("arccos", Foreign::Name("acos")),
    ("arcsin", Foreign::Name("asin")),
    ("arctan", Foreign::Name("atan")),
    ("arctan2", Foreign::Name("atan2")),
    ("argmax", Foreign::Advice("`(head (argsort > xs))` is the index of the greatest element")),
    ("argmin", Foreign::Advice("`(head (argsort < xs))` is the index of the least element")),
    ("array", ARRAY),
    ("ashr", Foreign::Name("shr")),
    ("assert", Foreign::Advice("`(: e type)` checks a length in the run; there are no other assertions")),
    ("astype", Foreign::Advice("`toInt`, `toFloat` and the like convert a number: `(map toFloat xs)`")),
    ("begin", EFFECT),
    ("bincount", INDEXED),
    ("bitAnd", Foreign::Name("bitand")),
    ("bitCount", Foreign::Name("popcount")),
    ("bitOr", Foreign::Name("bitor")),
    ("bitXor", Foreign::Name("bitxor")),
    ("bit_count", Foreign::Name("popcount")),
    ("bitwise_and", Foreign::Name("bitand")),
    ("bitwise_left_shift", Foreign::Name("shl")),
    ("bitwise_or", Foreign::Name("bitor")),
    ("bitwise_right_shift", Foreign::Name("shr")),
    ("bitwise_xor", Foreign::Name("bitxor")),
    ("car", Foreign::Name("head")),
    ("case", CONDITIONAL),
    ("cat", Foreign::Name("concat")),
    ("cdr", Foreign::Name("tail")),
    ("chunk", Foreign::Name("split")),
    ("chunks", Foreign::Name("split")),
    ("chunksOf", Foreign::Name("split")),
    ("clip", Foreign::Advice("`(max low (min high x))` keeps a number between two")),
    ("clzll", Foreign::Name("clz")),
    ("comp", COMPOSED),
    ("compose", COMPOSED),
    ("concatMap", Foreign::Name("flatMap")),
    ("concatenate", Foreign::Name("concat")),
    ("cond", CONDITIONAL),
    ("cons", Foreign::Advice("`(concat (fill #1 x) xs)` puts an element before an array")),
    ("countLeadingZeros", Foreign::Name("clz")),
    ("ctz", Foreign::Advice("`(popcount (- (bitand x (neg x)) 1))` counts the zeros at the end of an Int")),
    (
        "cumprod",
        Foreign::Advice("`(scan 1 * xs)` has the products of all prefixes, with a 1 of the elements' type (`1.0f`)"),
    ),
    (
        "cumsum",
        Foreign::Advice("`(scan 0 + xs)` has the sums of all prefixes, with a 0 of the elements' type (`0.0f`)"),
    ),
    ("diff", Foreign::Advice("`(zipWith - (tail xs) (init xs))` has the differences of neighbours")),
    ("digitize", Foreign::Advice("`(searchSorted bounds x)` is how many bounds are less than x")),
    ("div", Foreign::Name("/")),
    ("divide", Foreign::Name("/")),
    ("do", LOOP),
    ("dotimes", LOOP),
    ("dropWhile", WHILE),
    ("edge", PAD_MODE),
    ("elem", Foreign::Advice("`(any (= x) xs)` says whether x is an element")),
    ("else", CONDITIONAL_WORD),
    ("eq", Foreign::Name("=")),
    ("equal", Foreign::Name("=")),
    ("exp2", Foreign::Advice("`(pow 2.0f x)` is a power of two")),
    ("expf", Foreign::Name("exp")),
    ("expt", Foreign::Name("pow")),
    (
        "eye",
        Foreign::Advice(
            "`(generate #n (lambda (i) (generate #n (lambda (j) (if (= i j) 1.0f 0.0f)))))` is that matrix",
        ),
    ),
    ("fabs", Foreign::Name("abs")),
    ("find", FOUND),
    ("findIndex", FOUND),
    ("first", Foreign::Name("head")),
    ("flatten", Foreign::Name("join")),
    ("flipud", Foreign::Name("reverse")),
    ("float", Foreign::Name("toFloat")),
    ("floor_divide", Foreign::Name("/")),
    ("fmax", Foreign::Name("max")),
    ("fmin", Foreign::Name("min")),
    ("fmod", Foreign::Advice("`(floorMod x y)` is the remainder, with the sign of y")),
    ("fn", LAMBDA),
    ("fold", Foreign::Name("reduceSeq")),
    ("foldl", Foreign::Name("reduceSeq")),
    ("foldl'", Foreign::Name("reduceSeq")),
    ("foldl1", FROM_FIRST),
    ("foldr", Foreign::Advice("`(reduceSeq z f (reverse xs))` begins at the end of an array")),
    ("foldr1", FROM_FIRST),
    ("for", LOOP),
    ("foreach", LOOP),
    ("fromIntegral", Foreign::Name("toFloat")),
    ("full", FILLED),
    ("fun", LAMBDA),
    ("function", LAMBDA),
    ("get", Foreign::Advice("`(get1 p)` is the first component of a tuple, `(aref xs i)` an element of an array")),
    ("greater", Foreign::Name(">")),
    ("greater_equal", Foreign::Name(">=")),
    (
        "group",
        Foreign::Advice("`(groupBy #n keys xs)` has the elements of each key, and `sort` puts equal ones side by side"),
    ),
    ("hist", INDEXED),
    ("histogram", INDEXED),
    ("hstack", Foreign::Advice("`(zipWith concat rows others)` joins each row with another")),
    ("hypot", Foreign::Advice("`(sqrt (+ (* x x) (* y y)))` is the length of a vector")),
    ("identity", Foreign::Name("id")),
    ("imap", INDEXED_MAP),
    ("in", LET),
    ("index", Foreign::Name("aref")),
    ("indices", Foreign::Advice("`(iota #n)` has the numbers from 0 to n-1")),
    ("inner", Foreign::Name("dot")),
    ("int", Foreign::Name("toInt")),
    ("isNaN", Foreign::Name("isnan")),
    ("isfinite", Foreign::Advice("`(< (abs x) inff)` says whether a number is finite")),
    ("isinf", Foreign::Advice("`(= (abs x) inff)` says whether a number is infinite")),
    ("left_shift", Foreign::Name("shl")),
    ("len", Foreign::Name("length")),
    ("less", Foreign::Name("<")),
    ("less_equal", Foreign::Name("<=")),
    ("let*", LET),
    ("letrec", LET),
    ("linspace", Foreign::Advice("`(generate #n (lambda (i) …))` computes each element from its index")),
    ("list", ARRAY),
    ("log10", Foreign::Advice("`(/ (log x) (log 10.0f))` is a logarithm to another base")),
    ("log2", Foreign::Advice("`(/ (log x) (log 2.0f))` is a logarithm to another base")),
    ("logf", Foreign::Name("log")),
    ("logicalShiftRight", Foreign::Name("ushr")),
    ("logical_and", Foreign::Name("and")),
    ("logical_not", Foreign::Name("not")),
    ("logical_or", Foreign::Name("or")),
    ("loop", LOOP),
    ("lshift", Foreign::Name("shl")),
    ("lshr", Foreign::Name("ushr")),
    ("mapIndexed", INDEXED_MAP),
    ("map_indexed", INDEXED_MAP),
    ("mapi", INDEXED_MAP),
    ("match", CONDITIONAL),
    ("max-of", Foreign::Name("maximum")),
    ("mean", Foreign::Name("average")),
    ("mean-of", Foreign::Name("average")),
    ("median", Foreign::Advice("`(aref (sort < xs) (/ (length xs) 2))` is the element in the middle")),
    ("min-of", Foreign::Name("minimum")),
    ("modulo", Foreign::Name("floorMod")),
    ("mul", Foreign::Name("*")),
    ("multiply", Foreign::Name("*")),
    ("negate", Foreign::Name("neg")),
    ("negative", Foreign::Name("neg")),
    ("nil", NOTHING),
    ("nonzero", Foreign::Advice("`(filter (lambda (i) (!= (aref xs i) 0)) (iota (length xs)))` has the indices")),
    ("norm", Foreign::Advice("`(sqrt (dot xs xs))` is the length of a vector")),
    ("not_equal", Foreign::Name("!=")),
    ("nth", Foreign::Name("aref")),
    ("nub", Foreign::Name("unique")),
    ("null", Foreign::Advice("`(= (length xs) 0)` says whether an array is empty")),
    ("ones", FILLED),
    ("ones_like", FILLED),
    ("outer", Foreign::Advice("`(map (lambda (x) (map (* x) ys)) xs)` has the products of all pairs")),
    ("popCount", Foreign::Name("popcount")),
    ("popc", Foreign::Name("popcount")),
    ("power", Foreign::Name("pow")),
    ("powf", Foreign::Name("pow")),
    ("print", EFFECT),
    ("progn", EFFECT),
    ("quot", Foreign::Name("/")),
    ("quotient", Foreign::Name("/")),
    ("rand", RANDOM),
    ("randint", RANDOM),
    ("random", RANDOM),
    ("range", Foreign::Name("iota")),
    ("redomap", Foreign::Advice("`(reduce z f (map g xs))` is compiled to one pass")),
    ("reduce_by_index", INDEXED),
    ("reduce_comm", Foreign::Name("reduce")),
    ("reflect", Foreign::Name("mirror")),
    ("relu", Foreign::Advice("`(max 0.0f x)` is x or 0")),
    ("rem", Foreign::Name("mod")),
    ("remainder", Foreign::Name("mod")),
    ("repeat", Foreign::Name("fill")),
    ("replicate", Foreign::Name("fill")),
    ("reshape", Foreign::Advice("`(split #k xs)` makes rows of `k` elements, `(join rows)` puts rows together")),
    ("rest", Foreign::Name("tail")),
    ("return", EFFECT),
    ("right_shift", Foreign::Name("shr")),
    ("rint", Foreign::Name("round")),
    ("roll", Foreign::Advice("`(concat (drop #k xs) (take #k xs))` turns an array by k")),
    ("rotate", Foreign::Advice("`(concat (drop #k xs) (take #k xs))` turns an array by k")),
    ("rotl", Foreign::Advice("`(bitor (shl x k) (ushr x (- 32 k)))` turns the bits of an Int")),
    ("rshift", Foreign::Name("shr")),
    ("scanl", Foreign::Name("scanExcl")),
    ("scanl1", Foreign::Name("scan")),
    ("scanr", Foreign::Advice("`(reverse (scan z f (reverse xs)))` begins at the end of an array")),
    ("searchsorted", Foreign::Name("searchSorted")),
    ("set", UPDATED),
    ("set!", EFFECT),
    ("shape", Foreign::Name("length")),
    ("shiftL", Foreign::Name("shl")),
    ("shiftLeft", Foreign::Name("shl")),
    ("shiftR", Foreign::Name("shr")),
    ("shiftRight", Foreign::Name("shr")),
    ("sigmoid", Foreign::Advice("`(/ 1.0f (+ 1.0f (exp (neg x))))` computes it")),
    ("sign", SIGN),
    ("signum", SIGN),
    ("size", Foreign::Name("length")),
    ("sliding_window_view", Foreign::Name("windows")),
    (
        "softmax",
        Foreign::Advice(
            "`(let m (maximum xs) es (map (lambda (x) (exp (- x m))) xs) s (sum es) (map (lambda (e) (/ e s)) es))` computes it",
        ),
    ),
    ("sorted", Foreign::Name("sort")),
    ("span", WHILE),
    ("splitAt", Foreign::Advice("`(take #k xs)` and `(drop #k xs)` are the two parts")),
    ("split_at", Foreign::Advice("`(take #k xs)` and `(drop #k xs)` are the two parts")),
    ("sqr", Foreign::Advice("`(* x x)` is a square")),
    ("sqrtf", Foreign::Name("sqrt")),
    ("square", Foreign::Advice("`(* x x)` is a square")),
    ("squeeze", Foreign::Name("join")),
    ("std", SPREAD),
    ("sub", Foreign::Name("-")),
    ("subtract", Foreign::Name("-")),
    ("sum-of", Foreign::Name("sum")),
    ("swap", UPDATED),
    ("switch", CONDITIONAL),
    ("tabulate", Foreign::Name("generate")),
    ("takeWhile", WHILE),
    ("then", CONDITIONAL_WORD),
    ("tile", Foreign::Advice("`(join (fill #k xs))` repeats an array")),
    (
        "trace",
        Foreign::Advice(
            "`(sum (map (lambda (i) (aref (aref rows i) i)) (iota (length rows))))` is the sum of the diagonal",
        ),
    ),
    ("true_divide", Foreign::Name("/")),
    ("trunc", Foreign::Advice("`(toFloat (toInt x))` is a number without its fraction")),
    ("unflatten", Foreign::Name("split")),
    (
        "unfold",
        Foreign::Advice(
            "`(windows #size #step xs)` has the windows of an array; `scanSeq` and `iterateWhile` carry a state",
        ),
    ),
    ("unsignedShiftRight", Foreign::Name("ushr")),
    ("until", LOOP),
    ("unzip3", Foreign::Name("unzip")),
    ("var", SPREAD),
    ("vector", ARRAY),
    ("vector-ref", Foreign::Name("aref")),
    ("vstack", Foreign::Name("concat")),
    ("when", CONDITIONAL),
    ("where", CHOICE),
    ("while", LOOP),
    ("write", INDEXED),
    ("xor", Foreign::Advice("`(bitxor i j)` is the exclusive or of bits, and `(!= a b)` that of truth values")),
    ("zero", PAD_MODE),
    ("zeros", FILLED),
    ("zeros_like", FILLED),
    ("zip3", Foreign::Name("zip")),
    ("|", Foreign::Name("bitor")),
    ("|>", Foreign::Advice("`(o f g xs)` applies `g` to `xs`, then `f`")),
    ("||", Foreign::Name("or")),
    ("∘", COMPOSED),
];

pub fn word(word: &str) -> Option<Foreign> {
    // Haskell's `\x`.
    if word.starts_with('\\') {
        return Some(LAMBDA);
    }
    WORDS.iter().find(|(foreign, _)| *foreign == word).map(|(_, here)| *here)
}

/// The literal of a character's code: `97ub` for `a`. `None` if it fits no UByte.
pub fn character(c: char) -> Option<String> {
    u8::try_from(c).ok().map(|number| format!("{number}ub"))
}

/// The character that Scheme writes as `#\a` or `#\space`, given the text after `#`.
pub fn character_of_scheme(name: &str) -> Option<String> {
    let written = name.strip_prefix('\\')?;
    let mut only = written.chars();
    match (only.next(), only.next(), written) {
        (Some(c), None, _) => character(c),
        (.., "space") => character(' '),
        (.., "newline") => character('\n'),
        (.., "tab") => character('\t'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{PRELUDE_PATH, RootDatabase};
    use crate::names::defined_names;
    use crate::prims;

    #[test]
    fn foreign_words_are_no_names_here_and_lead_to_names_that_are() {
        let db = RootDatabase::default();
        let prelude = db.file(PRELUDE_PATH).map_or(&[][..], |file| defined_names(&db, file));
        assert!(!prelude.is_empty());
        let is_name = |word: &str| prims::lookup(word).is_some() || prelude.iter().any(|name| **name == *word);
        for (index, (word, here)) in WORDS.iter().enumerate() {
            assert!(!is_name(word), "`{word}` is a name");
            assert!(index == 0 || WORDS[index - 1].0 < *word, "`{word}` is out of order");
            if let Foreign::Name(here) = here {
                assert!(is_name(here) || lift_syntax::is_literal_word(here), "`{word}`: there is no `{here}`");
            }
        }
    }
}
