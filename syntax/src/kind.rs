//! The kinds of tokens and nodes of a tree.

macro_rules! syntax_kinds {
    ($($(#[$doc:meta])* $kind:ident),* $(,)?) => {
        /// The kind of a token or node.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        pub enum SyntaxKind {
            $($(#[$doc])* $kind,)*
        }

        impl SyntaxKind {
            /// Every kind, in the order of their numbers.
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
    /// `3`, `-3`, `0xff`
    INT,
    /// An integer whose suffix names its type: `255ub`, `3u`.
    SIZED,
    /// `3L`
    LONG,
    /// `2.0h`
    HALF,
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
    /// A name with a fixed meaning at its position: `lambda`, `array-type`, `mod` in a size. The lexer never produces
    /// it; the parser converts an `IDENT`.
    KEYWORD,
    /// Starts with a digit (or a sign and a digit) but is not a number: `3x`.
    BAD_NUMBER,
    /// A string without its closing quote on the line.
    BAD_STRING,
    /// A run of control characters.
    BAD_CHARS,
    /// The end of the input; never in a tree.
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
    /// A name where it is bound.
    NAME,
    /// `(N M)`: size names where they are bound.
    SIZE_PARAMS,
    /// `(type*)` of a kernel.
    TYPE_LIST,
    /// `(param*)`
    PARAM_LIST,
    /// `name`, `(name type)` or a pattern
    PARAM,
    /// `(tuple name name …)` as a binding: each component gets a name.
    TUPLE_PATTERN,

    // expressions
    NAME_REF,
    LITERAL,
    /// `# size`
    SIZE_LIT,
    LAMBDA,
    APP,
    /// `(let name value body)`. Each further binding is a `LET` without brackets and keyword, which is the body of the
    /// previous one.
    LET,
    IF,
    TUPLE_EXPR,
    /// `(: expr type)`
    ASCRIBE,
    PACK,
    UNPACK,
    /// `(size-name … name)` in an `unpack`.
    UNPACK_BINDER,
    /// `(o expr+)`
    COMPOSE,
    /// `(with (setting*) expr)`
    WITH,
    /// `(setting*)` of a `with`.
    SETTING_LIST,
    /// `(name value)`
    SETTING,
    SETTING_NAME,
    /// A number or a word.
    SETTING_VALUE,

    // types
    /// `int`, `float`, …, or a type variable.
    NAME_TYPE,
    ARRAY_TYPE,
    /// `(i)` in an `array-type` whose element type mentions the index variable.
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
    /// `(i size)` in a `sum`.
    SUM_BINDER,

    /// Tokens that do not fit the grammar: in place of an expression, type, size or name, or left over at the end of a
    /// group.
    ERROR,
}

use SyntaxKind::*;

impl SyntaxKind {
    /// Whether it is white space or a comment.
    pub const fn is_trivia(self) -> bool {
        matches!(self, WHITESPACE | COMMENT)
    }

    /// Whether it is a literal of a number.
    pub const fn is_number(self) -> bool {
        matches!(self, INT | SIZED | LONG | HALF | FLOAT | DOUBLE)
    }

    pub const fn is_opener(self) -> bool {
        matches!(self, L_PAREN | L_BRACKET)
    }

    pub const fn is_closer(self) -> bool {
        matches!(self, R_PAREN | R_BRACKET)
    }

    /// Whether a token is malformed in any context.
    pub const fn is_malformed(self) -> bool {
        matches!(self, BAD_NUMBER | BAD_STRING | BAD_CHARS)
    }

    /// Returns the matching bracket; any other kind is returned unchanged.
    pub const fn partner(self) -> SyntaxKind {
        match self {
            L_PAREN => R_PAREN,
            R_PAREN => L_PAREN,
            L_BRACKET => R_BRACKET,
            R_BRACKET => L_BRACKET,
            other => other,
        }
    }

    /// Returns the kind with this number; `ERROR` for an invalid number, which never occurs in our trees.
    pub(crate) fn from_raw(raw: u16) -> SyntaxKind {
        SyntaxKind::ALL.get(usize::from(raw)).copied().unwrap_or(ERROR)
    }
}

/// The language tag for rowan.
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
