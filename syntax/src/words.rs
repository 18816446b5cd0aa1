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

/// Heads of sizes.
pub const SIZE_OPERATORS: &[&str] = &["+", "-", "*", "/", "mod", "min", "max", "pow", "sum", "length"];

/// Operators with two or more operands: `(+ a b c)` is `(+ (+ a b) c)`.
pub const FOLDED_OPERATORS: &[&str] = &["+", "*", "and", "or", "min", "max"];

/// Whether a word can only head an expression. (Name resolution decides about `tuple` and `o`.)
pub(crate) fn only_heads(word: &str) -> bool {
    EXPRESSION_WORDS.contains(&word) && word != "tuple" && word != "o"
}
