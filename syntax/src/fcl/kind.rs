//! The kinds of tokens and nodes of an FCL tree.

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident),* $(,)?) => {
        /// What a token or a node of an FCL tree is.
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
    /// A `(*` that is not closed.
    BadComment,
    Int,
    Double,
    /// Starts as a number and is none.
    BadNumber,
    Text,
    /// A string that is open at the end of its line.
    BadText,
    Name,
    /// `'a`
    TypeName,
    /// A word that cannot be a name.
    Keyword,
    /// `+ |> <-` and the like: what it is tells its text.
    Operator,
    ParenOpen,
    ParenClose,
    BracketOpen,
    BracketClose,
    BraceOpen,
    BraceClose,
    /// A character that means nothing in FCL.
    Unknown,

    /// The root: declarations.
    File,
    /// `sig name : scheme`
    Signature,
    /// `fun name <levels> params = expr`, `val name = expr`
    Definition,
    /// `<l, m>` where levels get names.
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
    /// What could not be read.
    Error,
}

impl FclKind {
    pub const fn is_trivia(self) -> bool {
        matches!(self, FclKind::Space | FclKind::Comment | FclKind::BadComment)
    }
}

/// The language tag that rowan wants.
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
