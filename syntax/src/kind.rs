//! The kinds of tokens and nodes that a tree is made of.

macro_rules! syntax_kinds {
    ($($(#[$doc:meta])* $kind:ident),* $(,)?) => {
        /// What a token or a node of the tree is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        pub enum SyntaxKind {
            $($(#[$doc])* $kind,)*
        }

        impl SyntaxKind {
            /// Every kind, in the order of its number.
            const ALL: &'static [SyntaxKind] = &[$(SyntaxKind::$kind),*];
        }
    };
}

syntax_kinds! {
    // Tokens

    /// Any run of Unicode white space (and byte order marks).
    WHITESPACE,
    /// From `;` to the end of the line, without the line break.
    COMMENT,
    L_PAREN,
    R_PAREN,
    L_BRACKET,
    R_BRACKET,
    /// `#`, which turns the size after it into an expression.
    HASH,
    /// `3`, `-3`
    INT,
    /// `3L`
    LONG,
    /// `2.0f`, `1e-3f`
    FLOAT,
    /// `2.0`, `1e-3`
    DOUBLE,
    /// `true`, `false`
    BOOL,
    /// `"..."`, on one line; `\"` and `\\` are its escapes.
    STRING,
    /// Any other run of characters: a name.
    IDENT,
    /// A name that has a fixed meaning where it stands: `lambda`, `array-type`, `mod` in a size.
    /// The lexer never makes one; the parser turns an `IDENT` into it.
    KEYWORD,
    /// Starts with a digit (or a sign and a digit) but is no number: `3x`.
    BAD_NUMBER,
    /// A string that is still open at the end of its line.
    BAD_STRING,
    /// A run of control characters.
    BAD_CHARS,
    /// The end of the input; in no tree.
    EOF,

    // Nodes

    /// The root of every tree: documentation, then one form.
    FORM,
    IMPORT,
    DEFINE,
    /// `(name param*)` of a `define` with parameters.
    DEFINE_HEAD,
    LIFT,
    PRIMITIVE,
    /// A clause of a `primitive`, or a list in one: uninterpreted.
    CLAUSE,
    /// A name at the place where it is bound.
    NAME,
    /// `(N M)`: size names at the place where they are bound.
    SIZE_PARAMS,
    /// `(type*)` of a kernel.
    TYPE_LIST,
    /// `(param*)`
    PARAM_LIST,
    /// `name`, `(name type)` or a pattern
    PARAM,
    /// `(tuple name name …)` where a name is bound: each component gets a name.
    TUPLE_PATTERN,

    // expressions
    NAME_REF,
    LITERAL,
    /// `# size`
    SIZE_LIT,
    LAMBDA,
    APP,
    /// `(let name value body)`. Of several bindings each but the first is a `LET` without brackets and without the word, which is
    /// the body of the one before it.
    LET,
    IF,
    TUPLE_EXPR,
    /// `(: expr type)`
    ASCRIBE,
    PACK,
    UNPACK,
    /// `(size-name … name)` of an `unpack`.
    UNPACK_BINDER,
    /// `(o expr+)`
    COMPOSE,

    // types
    /// `int`, `float`, …, or a type variable.
    NAME_TYPE,
    ARRAY_TYPE,
    /// `(i)` of an `array-type` whose element type mentions the position.
    POSITION_BINDER,
    TUPLE_TYPE,
    VECTOR_TYPE,
    EXISTS_TYPE,
    FUN_TYPE,

    // sizes
    SIZE_NAT,
    SIZE_NAME,
    /// `(op size*)`, `(sum (i size) size)`, `(length name)`
    SIZE_OP,
    /// `(i size)` of a `sum`.
    SUM_BINDER,

    /// What fits nowhere. Stands in the place of an expression, type, size or name, or holds what
    /// is left over.
    ERROR,
}

use SyntaxKind::*;

impl SyntaxKind {
    /// White space and comments.
    pub const fn is_trivia(self) -> bool {
        matches!(self, WHITESPACE | COMMENT)
    }

    pub const fn is_opener(self) -> bool {
        matches!(self, L_PAREN | L_BRACKET)
    }

    pub const fn is_closer(self) -> bool {
        matches!(self, R_PAREN | R_BRACKET)
    }

    /// A token that is wrong in itself, wherever it stands.
    pub const fn is_malformed(self) -> bool {
        matches!(self, BAD_NUMBER | BAD_STRING | BAD_CHARS)
    }

    /// The bracket that matches this one; any other kind is its own match.
    pub const fn partner(self) -> SyntaxKind {
        match self {
            L_PAREN => R_PAREN,
            R_PAREN => L_PAREN,
            L_BRACKET => R_BRACKET,
            R_BRACKET => L_BRACKET,
            other => other,
        }
    }

    /// The kind with this number; `ERROR` for a number that is none (no tree of ours has one).
    pub(crate) fn from_raw(raw: u16) -> SyntaxKind {
        SyntaxKind::ALL.get(usize::from(raw)).copied().unwrap_or(ERROR)
    }
}

/// The language tag that rowan wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LiftLanguage {}

impl rowan::Language for LiftLanguage {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::from_raw(raw.0)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}
