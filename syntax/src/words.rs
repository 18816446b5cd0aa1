//! Words with a fixed meaning directly after an opening bracket.

/// Heads of top-level forms. At the start of a line they start a new form even inside open brackets. `primitive`
/// declares a built-in and is used only by the declarations that ship with the program.
pub const FORM_WORDS: &[&str] = &["import", "define", "lift", "primitive"];

/// Heads of expressions other than application. They cannot be bound.
pub const EXPRESSION_WORDS: &[&str] = &["lambda", "λ", "let", "if", "tuple", ":", "pack", "unpack", "o", "with"];

/// Heads of types.
pub const TYPE_WORDS: &[&str] = &["array-type", "tuple-type", "vector-type", "exists", "->"];

/// The scalar types.
pub const SCALAR_TYPES: &[&str] =
    &["byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "bool"];

/// The scalar types of other languages, and their names here.
const FOREIGN_SCALARS: &[(&str, &str)] = &[
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

/// The name here of a scalar type of another language.
pub fn foreign_scalar(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    FOREIGN_SCALARS.iter().find(|(foreign, _)| *foreign == word).map(|(_, here)| *here)
}

/// Heads of sizes.
pub const SIZE_OPERATORS: &[&str] = &["+", "-", "*", "/", "mod", "min", "max", "pow", "sum", "length"];

/// Operators with two or more operands: `(+ a b c)` is `(+ (+ a b) c)`.
pub const FOLDED_OPERATORS: &[&str] = &["+", "*", "and", "or", "min", "max"];

/// Whether a word can only head an expression. (Name resolution decides about `tuple` and `o`.)
pub(crate) fn only_heads(word: &str) -> bool {
    EXPRESSION_WORDS.contains(&word) && word != "tuple" && word != "o"
}
