//! The kinds of tokens and nodes of an FCL tree.

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident),* $(,)?) => {
        /// The kind of a token or node of an FCL tree.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum FclKind {
            $($(#[$doc])* $kind,)*
        }

        const ALL: &[FclKind] = &[$(FclKind::$kind),*];
    };
}

kinds! {
    Space,
    /// `-- …` and `(* … *)`
    Comment,
    /// An unclosed `(*`.
    BadComment,
    Int,
    Double,
    /// Starts as a number but is malformed.
    BadNumber,
    Text,
    /// A string without its closing quote on the line.
    BadText,
    Name,
    /// `'a`
    TypeName,
    /// A reserved word.
    Keyword,
    /// `+ |> <-` and other operators, distinguished by their text.
    Operator,
    ParenOpen,
    ParenClose,
    BracketOpen,
    BracketClose,
    BraceOpen,
    BraceClose,
    /// A character without a meaning in FCL.
    Unknown,

    /// The root: declarations.
    File,
    /// `sig name : scheme`
    Signature,
    /// `fun name <levels> params = expr`, `val name = expr`
    Definition,
    /// `<l, m>` as a binding of levels.
    LevelNames,
    /// `<block, l>` after a name or a type.
    Levels,
    /// `block`, `1+l`
    Level,
    Scheme,
    /// `a -> b`
    ArrowType,
    /// `(a, b)`, `(a)`
    TupleType,
    /// `[a]`, `[a]<l>`
    ArrayType,
    /// `Program <l> a`
    ProgramType,
    /// `int`, `'a`
    NamedType,

    Literal,
    /// `name <levels>`
    NameUse,
    Apply,
    /// `a + b`, `a |> f`
    Binary,
    /// `()`, `(a)`, `(a, b)`
    Tuple,
    If,
    Let,
    Function,
    Do,
    /// `x <- e`
    Bind,
    /// Tokens that do not fit the grammar.
    Error,
}

impl FclKind {
    pub const fn is_trivia(self) -> bool {
        matches!(self, FclKind::Space | FclKind::Comment | FclKind::BadComment)
    }
}

/// The language tag for rowan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FclLanguage {}

impl rowan::Language for FclLanguage {
    type Kind = FclKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> FclKind {
        ALL.get(usize::from(raw.0)).copied().unwrap_or(FclKind::Error)
    }

    fn kind_to_raw(kind: FclKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}
