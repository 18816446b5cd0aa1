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
const LOOP: Foreign = Foreign::Form(
    "`map` does something for each element, `reduceSeq` carries a value along an array, `iterateWhile` repeats as long as a test holds",
);
const LET: Foreign = Foreign::Form("`(let name value … body)` binds names, each in sight of those after it");
const EFFECT: Foreign = Foreign::Form("there are no effects: the body of a function is one expression, its value");
const CHOICE: Foreign = Foreign::Form("`(map (lambda (x) (if (> x 0) x 0)) xs)` chooses for each element");
const FILLED: Foreign = Foreign::Advice("`(fill #n 0.0f)` makes an array of equal elements");

/// Sorted by name, for readers; contains no name that Lift defines.
const WORDS: &[(&str, Foreign)] = &[
    ("!", Foreign::Name("not")),
    ("!!", Foreign::Name("aref")),
    ("%", Foreign::Name("mod")),
    ("&&", Foreign::Name("and")),
    ("**", Foreign::Name("pow")),
    ("++", Foreign::Name("concat")),
    ("//", Foreign::Name("/")),
    ("/=", Foreign::Name("!=")),
    ("<<", Foreign::Name("shl")),
    ("<>", Foreign::Name("!=")),
    ("==", Foreign::Name("=")),
    (">>", Foreign::Name("shr")),
    ("False", Foreign::Name("false")),
    ("INFINITY", Foreign::Name("inf")),
    ("Inf", Foreign::Name("inf")),
    ("Infinity", Foreign::Name("inf")),
    ("NAN", Foreign::Name("nan")),
    ("NaN", Foreign::Name("nan")),
    ("True", Foreign::Name("true")),
    ("\\", LAMBDA),
    ("^", Foreign::Advice("`(pow x y)` is a power, `(bitxor i j)` the exclusive or of bits")),
    ("accumulate", Foreign::Name("scan")),
    ("append", Foreign::Name("concat")),
    ("arange", Foreign::Name("iota")),
    ("begin", EFFECT),
    ("car", Foreign::Name("head")),
    ("case", CONDITIONAL),
    ("cat", Foreign::Name("concat")),
    ("cdr", Foreign::Name("tail")),
    ("concatenate", Foreign::Name("concat")),
    ("cond", CONDITIONAL),
    ("cons", Foreign::Advice("`(concat (fill #1 x) xs)` puts an element before an array")),
    ("cumsum", Foreign::Advice("`(scan 0.0f + xs)` has the sums of all prefixes")),
    ("div", Foreign::Name("/")),
    ("do", LOOP),
    ("dotimes", LOOP),
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
    ("int", Foreign::Name("toInt")),
    ("len", Foreign::Name("length")),
    ("let*", LET),
    ("letrec", LET),
    ("loop", LOOP),
    ("match", CONDITIONAL),
    ("mean", Foreign::Name("average")),
    ("modulo", Foreign::Name("mod")),
    ("negate", Foreign::Name("neg")),
    ("nth", Foreign::Name("aref")),
    ("ones", FILLED),
    ("print", EFFECT),
    ("progn", EFFECT),
    ("quot", Foreign::Name("/")),
    ("quotient", Foreign::Name("/")),
    ("range", Foreign::Name("iota")),
    ("redomap", Foreign::Advice("`(reduce z f (map g xs))` is compiled to one pass")),
    ("rem", Foreign::Name("mod")),
    ("remainder", Foreign::Name("mod")),
    ("repeat", Foreign::Name("fill")),
    ("replicate", Foreign::Name("fill")),
    ("reshape", Foreign::Advice("`(split #k xs)` makes rows of `k` elements, `(join rows)` puts rows together")),
    ("rest", Foreign::Name("tail")),
    ("set!", EFFECT),
    ("shape", Foreign::Name("length")),
    ("size", Foreign::Name("length")),
    ("switch", CONDITIONAL),
    ("vector-ref", Foreign::Name("aref")),
    ("when", CONDITIONAL),
    ("where", CHOICE),
    ("while", LOOP),
    ("zeros", FILLED),
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
    WORDS.iter().find(|(foreign, _)| *foreign == word).map(|(_, here)| *here)
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
