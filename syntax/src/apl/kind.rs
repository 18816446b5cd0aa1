//! The kinds of tokens and nodes of an APL tree.

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident),* $(,)?) => {
        /// What a token or a node of an APL tree is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum AplKind {
            $($(#[$doc])* $kind,)*
        }

        const ALL: &[AplKind] = &[$(AplKind::$kind),*];
    };
}

kinds! {
    /// White space within a line.
    Space,
    /// From `⍝` to the end of the line.
    Comment,
    /// A line break: ends a statement.
    Newline,
    /// `⋄`: ends a statement.
    Diamond,
    /// `12`, `¯3`, `1.5E¯3`
    Number,
    /// Starts as a number and is none.
    BadNumber,
    /// `'text'`; a doubled quote is a quote.
    String,
    /// A string that is open at the end of its line.
    BadString,
    Name,
    /// `⎕`, `⎕IO`
    Quad,
    /// `⍵ ⍺ ⍵⍵ ⍺⍺`
    Argument,
    /// `∇`
    SelfName,
    /// `⍬`
    Zilde,
    /// A primitive function or operator.
    Glyph,
    /// `←`
    Arrow,
    /// `:` of a guard.
    Colon,
    Semicolon,
    ParenOpen,
    ParenClose,
    BracketOpen,
    BracketClose,
    BraceOpen,
    BraceClose,
    /// A character that means nothing in APL.
    Unknown,

    /// The root: statements.
    File,
    /// What lies between two ends of statements.
    Statement,
    /// `( … )`
    Paren,
    /// `[ … ; … ]`, whose parts are phrases.
    Index,
    /// One part of an `Index`, possibly empty.
    Phrase,
    /// `{ … }`, whose parts are statements.
    Dfn,
    /// A closing bracket that closes nothing.
    Error,
}

impl AplKind {
    pub const fn is_trivia(self) -> bool {
        matches!(self, AplKind::Space | AplKind::Comment | AplKind::Newline)
    }

    pub const fn ends_statement(self) -> bool {
        matches!(self, AplKind::Newline | AplKind::Diamond)
    }
}

/// The language tag that rowan wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AplLanguage {}

impl rowan::Language for AplLanguage {
    type Kind = AplKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> AplKind {
        ALL.get(usize::from(raw.0)).copied().unwrap_or(AplKind::Error)
    }

    fn kind_to_raw(kind: AplKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}
