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
const FILLED: Foreign = Foreign::Advice("`(fill #n 0.0f)` makes an array of equal elements");

/// Sorted by name, for readers; contains no name that Lift defines.
const WORDS: &[(&str, Foreign)] = &[
    ("!", Foreign::Name("not")),
    ("!!", Foreign::Name("aref")),
    ("%", Foreign::Name("mod")),
    ("&&", Foreign::Name("and")),
    ("'", Foreign::Advice("a character is a number: `97ub` is an `a`, `32ub` a space")),
    ("**", Foreign::Name("pow")),
    ("++", Foreign::Name("concat")),
    ("//", Foreign::Name("/")),
    ("/=", Foreign::Name("!=")),
    ("<<", Foreign::Name("shl")),
    ("<>", Foreign::Name("!=")),
    ("==", Foreign::Name("=")),
    ("=>", LAMBDA),
    (">>", Foreign::Name("shr")),
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
    ("accumulate", Foreign::Name("scan")),
    ("append", Foreign::Name("concat")),
    ("arange", Foreign::Name("iota")),
    ("arccos", Foreign::Name("acos")),
    ("arcsin", Foreign::Name("asin")),
    ("arctan", Foreign::Name("atan")),
    ("argmax", Foreign::Advice("`(head (argsort > xs))` is the index of the greatest element")),
    ("argmin", Foreign::Advice("`(head (argsort < xs))` is the index of the least element")),
    ("array", ARRAY),
    ("assert", Foreign::Advice("`(: e type)` checks a length in the run; there are no other assertions")),
    ("astype", Foreign::Advice("`toInt`, `toFloat` and the like convert a number: `(map toFloat xs)`")),
    ("begin", EFFECT),
    ("bincount", INDEXED),
    ("car", Foreign::Name("head")),
    ("case", CONDITIONAL),
    ("cat", Foreign::Name("concat")),
    ("cdr", Foreign::Name("tail")),
    ("concatMap", Foreign::Name("flatMap")),
    ("concatenate", Foreign::Name("concat")),
    ("cond", CONDITIONAL),
    ("cons", Foreign::Advice("`(concat (fill #1 x) xs)` puts an element before an array")),
    ("cumprod", Foreign::Advice("`(scan 1.0f * xs)` has the products of all prefixes")),
    ("cumsum", Foreign::Advice("`(scan 0.0f + xs)` has the sums of all prefixes")),
    ("div", Foreign::Name("/")),
    ("do", LOOP),
    ("dotimes", LOOP),
    ("edge", PAD_MODE),
    ("else", CONDITIONAL_WORD),
    ("eq", Foreign::Name("=")),
    ("expt", Foreign::Name("pow")),
    ("fabs", Foreign::Name("abs")),
    ("first", Foreign::Name("head")),
    ("flatten", Foreign::Name("join")),
    ("float", Foreign::Name("toFloat")),
    ("fn", LAMBDA),
    ("fold", Foreign::Name("reduceSeq")),
    ("foldl", Foreign::Name("reduceSeq")),
    ("foldl'", Foreign::Name("reduceSeq")),
    ("foldr", Foreign::Advice("`(reduceSeq z f (reverse xs))` begins at the end of an array")),
    ("for", LOOP),
    ("foreach", LOOP),
    ("fromIntegral", Foreign::Name("toFloat")),
    ("fun", LAMBDA),
    ("function", LAMBDA),
    ("get", Foreign::Advice("`(get1 p)` is the first component of a tuple, `(aref xs i)` an element of an array")),
    ("hist", INDEXED),
    ("histogram", INDEXED),
    ("imap", INDEXED_MAP),
    ("in", LET),
    ("index", Foreign::Name("aref")),
    ("indices", Foreign::Advice("`(iota #n)` has the numbers from 0 to n-1")),
    ("int", Foreign::Name("toInt")),
    ("len", Foreign::Name("length")),
    ("let*", LET),
    ("letrec", LET),
    ("linspace", Foreign::Advice("`(generate #n (lambda (i) …))` computes each element from its index")),
    ("list", ARRAY),
    ("loop", LOOP),
    ("mapIndexed", INDEXED_MAP),
    ("map_indexed", INDEXED_MAP),
    ("mapi", INDEXED_MAP),
    ("match", CONDITIONAL),
    ("mean", Foreign::Name("average")),
    ("modulo", Foreign::Name("floorMod")),
    ("negate", Foreign::Name("neg")),
    ("nil", NOTHING),
    ("nth", Foreign::Name("aref")),
    ("null", Foreign::Advice("`(= (length xs) 0)` says whether an array is empty")),
    ("ones", FILLED),
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
    ("reflect", Foreign::Name("mirror")),
    ("rem", Foreign::Name("mod")),
    ("remainder", Foreign::Name("mod")),
    ("repeat", Foreign::Name("fill")),
    ("replicate", Foreign::Name("fill")),
    ("reshape", Foreign::Advice("`(split #k xs)` makes rows of `k` elements, `(join rows)` puts rows together")),
    ("rest", Foreign::Name("tail")),
    ("return", EFFECT),
    ("roll", Foreign::Advice("`(concat (drop #k xs) (take #k xs))` turns an array by k")),
    ("rotate", Foreign::Advice("`(concat (drop #k xs) (take #k xs))` turns an array by k")),
    ("scanl", Foreign::Name("scanExcl")),
    ("scanl1", Foreign::Name("scan")),
    ("set", UPDATED),
    ("set!", EFFECT),
    ("shape", Foreign::Name("length")),
    ("size", Foreign::Name("length")),
    ("sorted", Foreign::Name("sort")),
    ("splitAt", Foreign::Advice("`(take #k xs)` and `(drop #k xs)` are the two parts")),
    ("split_at", Foreign::Advice("`(take #k xs)` and `(drop #k xs)` are the two parts")),
    ("swap", UPDATED),
    ("switch", CONDITIONAL),
    ("tabulate", Foreign::Name("generate")),
    ("then", CONDITIONAL_WORD),
    ("unflatten", Foreign::Name("split")),
    ("vector", ARRAY),
    ("vector-ref", Foreign::Name("aref")),
    ("when", CONDITIONAL),
    ("where", CHOICE),
    ("while", LOOP),
    ("write", INDEXED),
    ("zero", PAD_MODE),
    ("zeros", FILLED),
    ("zip3", Foreign::Name("zip")),
    ("|>", Foreign::Advice("`(o f g xs)` applies `g` to `xs`, then `f`")),
    ("||", Foreign::Name("or")),
];

/// Scalar types by their foreign names.
const TYPES: &[(&str, &str)] = &[
    ("boolean", "bool"),
    ("char", "ubyte"),
    ("f32", "float"),
    ("f64", "double"),
    ("float32", "float"),
    ("float64", "double"),
    ("i16", "short"),
    ("i32", "int"),
    ("i64", "long"),
    ("i8", "byte"),
    ("int16", "short"),
    ("int32", "int"),
    ("int64", "long"),
    ("int8", "byte"),
    ("integer", "int"),
    ("real", "float"),
    ("sbyte", "byte"),
    ("u16", "ushort"),
    ("u32", "uint"),
    ("u64", "ulong"),
    ("u8", "ubyte"),
    ("uchar", "ubyte"),
    ("uint16", "ushort"),
    ("uint32", "uint"),
    ("uint64", "ulong"),
    ("uint8", "ubyte"),
    ("word8", "ubyte"),
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

pub fn scalar_type(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    TYPES.iter().find(|(foreign, _)| *foreign == word).map(|(_, here)| *here)
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
