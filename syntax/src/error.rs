//! Syntax errors as data: code, range, message, and sometimes a fix.

use crate::TextRange;

/// Replaces the text at `range` by `insert`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextEdit {
    pub range: TextRange,
    pub insert: String,
}

/// An error in the text of a form. Ranges are relative to the start of that text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    pub code: SyntaxErrorCode,
    /// Never empty, unless the text is empty.
    pub range: TextRange,
    pub message: String,
    /// A related location, such as the opening bracket of an unclosed form.
    pub related: Option<(TextRange, String)>,
    /// A fix, if one is certain enough to offer.
    pub fix: Option<SyntaxFix>,
}

/// A quick fix for an error.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxFix {
    /// An imperative, as in "Insert `)`".
    pub label: String,
    pub edit: TextEdit,
}

macro_rules! codes {
    ($($variant:ident = $text:literal, $explanation:literal;)*) => {
        /// The error codes of this crate.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum SyntaxErrorCode {
            $(#[doc = $explanation] $variant,)*
        }

        impl SyntaxErrorCode {
            pub const ALL: &'static [SyntaxErrorCode] = &[$(SyntaxErrorCode::$variant),*];

            /// Returns the stable name shown to users and tools.
            pub const fn as_str(self) -> &'static str {
                match self { $(SyntaxErrorCode::$variant => $text,)* }
            }

            /// Returns a paragraph of Markdown that explains the error.
            pub const fn explanation(self) -> &'static str {
                match self { $(SyntaxErrorCode::$variant => $explanation,)* }
            }
        }
    };
}

codes! {
    Unclosed = "syntax/unclosed",
        "A bracket is opened and never closed. The error is reported where the closing bracket is missing: before an outer bracket that closes, at the end of the form, or before a line that starts with `(define`, `(lift` or `(import`, which always starts a new form.";
    MismatchedBracket = "syntax/mismatched-bracket",
        "`(` is closed by `)` and `[` by `]`. The two pairs mean the same, but a pair must match.";
    UnmatchedBracket = "syntax/unmatched-bracket",
        "A closing bracket that closes nothing: there is one too many, here or earlier in the form above.";
    TooDeep = "syntax/too-deep",
        "Brackets are nested more than 256 deep. Name inner parts with `define` or `let`.";
    ExpectedForm = "syntax/expected-form",
        "A file is a sequence of forms: `(import \"file.lift\")`, `(define name expr)`, `(define (name param …) expr)` and `(lift (size …) (type …) (lambda (param …) expr))`. Nothing else is allowed at the top.";
    ExpectedPath = "syntax/expected-path",
        "`import` takes the path of a file in quotes, relative to the importing file: `(import \"lib/stencil.lift\")`.";
    ExpectedName = "syntax/expected-name",
        "A name is bound here, so a name is expected here: any run of characters other than white space, brackets, `;` and `\"` that starts with neither `#` nor a digit.";
    ExpectedParams = "syntax/expected-params",
        "Parameters are in brackets: `(lambda (x y) …)`. Each is a name or a name with its type: `(x float)`.";
    ExpectedExpression = "syntax/expected-expression",
        "An expression is expected here: a name, a literal, `#` with a size, or a form in brackets. `()` is not one: an application needs a function.";
    ExpectedLambda = "syntax/expected-lambda",
        "The last part of a `lift` form is a lambda with one parameter for each type: `(lift (N) ((array-type float N)) (lambda (xs) …))`.";
    ExpectedType = "syntax/expected-type",
        "A type is expected here: `int`, `long`, `float`, `double`, `bool`, `(array-type type size)`, `(tuple-type type type …)`, `(vector-type scalar size)`, `(exists (X …) type)` or `(-> type type …)`.";
    ExpectedSize = "syntax/expected-size",
        "A size is expected here: a natural number, a size name, or one of `+ - * / mod min max pow sum length` applied to sizes, as in `(* 2 N)`.";
    HashInSize = "syntax/hash-in-size",
        "`#` turns a size into an expression, as in `(split #4)`. Inside a type or another size there are only sizes, so they are written without it: `(array-type float 4)`.";
    Missing = "syntax/missing",
        "A form lacks one of its parts.";
    Extra = "syntax/extra",
        "A form has more parts than it takes. Often a bracket was closed too early, or an application lacks its brackets.";
    ReservedWord = "syntax/reserved-word",
        "`lambda`, `λ`, `let`, `if`, `tuple`, `:`, `pack`, `unpack` and `o` have a fixed meaning after an opening bracket. They cannot be bound, and most of them mean nothing elsewhere.";
    MalformedNumber = "syntax/malformed-number",
        "What starts with a digit must be a number: `3` (Int), `3L` (Long), `2.0f` (Float), `2.0` (Double), `1e-3f`.";
    NumberRange = "syntax/number-range",
        "The number does not fit its type. Int has 32 bits (-2147483648 to 2147483647), Long, written `3L`, has 64; a Float reaches about 3.4e38, a Double about 1.8e308.";
    UnclosedString = "syntax/unclosed-string",
        "A string must end on the line on which it starts.";
    UnexpectedString = "syntax/unexpected-string",
        "There are no string values. A string is allowed only in `(import \"file.lift\")`.";
    InvalidCharacter = "syntax/invalid-character",
        "Control characters, such as NUL, belong to no program.";
    AplUnclosed = "apl/unclosed",
        "A bracket of an APL program is opened and never closed: `(` and `[` on the same line, `{` before the end of the file.";
    AplUnmatched = "apl/unmatched",
        "A closing bracket of an APL program that closes nothing.";
    AplWord = "apl/word",
        "A word of an APL program that is neither a number, a string nor a glyph. Negative numbers are written with a high minus: `¯3`.";
    AplPhrase = "apl/phrase",
        "The parts of a phrase do not fit together: an operator without its function, a function without an argument, an assignment without a name.";
    AplName = "apl/name",
        "A name of an APL program that has no value where it is used.";
    AplRank = "apl/rank",
        "A function of APL got an array of the wrong rank: the number of axes of one argument must be that of the other, or the one that the function needs.";
    AplLength = "apl/length",
        "Two axes of an APL program must have the same length but differ. The second place is where the other length is.";
    AplIndex = "apl/index",
        "An index of an APL program that is known before the run is outside of its array. Indices start at 1.";
    AplDomain = "apl/domain",
        "A function of APL got values that it is not defined for: `∧` needs Booleans, `⍳` whole numbers.";
    AplNotSupported = "apl/not-supported",
        "Something of APL that is not compiled yet; the message names it and, where there is one, another way to write it.";
    FclSyntax = "fcl/syntax",
        "Something is missing or is too much in a declaration of an FCL program. What follows it up to the next `sig`, `fun` or `val` is not judged.";
    FclWord = "fcl/word",
        "A word of an FCL program that is neither a number, a string nor an operator, or a comment that is not closed.";
    FclName = "fcl/name",
        "A name, a type or a level of an FCL program that is not known where it is used. A definition is known only after it.";
    FclType = "fcl/type",
        "Two types of an FCL program must be the same and are not. The second place is where the other type comes from.";
    FclLevel = "fcl/level",
        "Two levels of an FCL program must be the same and are not: `thread` (`Z`), `block` (`1+Z`) and `grid` (`1+1+Z`), or a level that has a name. The second place is where the other level is written.";
    FclSignature = "fcl/signature",
        "A signature of an FCL program promises more than its definition keeps, or names another definition than the one that follows it.";
    FclLength = "fcl/length",
        "Two lengths of an FCL program do not fit: an index or a part of an array is outside of it.";
    FclShorter = "fcl/shorter",
        "The two arrays have different lengths: the result is as long as the shorter one, and elements of the longer one are left out.";
    FclNotSupported = "fcl/not-supported",
        "Something of FCL that is not compiled; the message names it and, where there is one, another way to write it.";
}

impl SyntaxErrorCode {
    /// Whether the program means something all the same.
    pub const fn is_warning(self) -> bool {
        matches!(self, SyntaxErrorCode::FclShorter)
    }
}

impl std::fmt::Display for SyntaxErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl SyntaxError {
    pub(crate) fn new(code: SyntaxErrorCode, range: TextRange, message: impl Into<String>) -> Self {
        SyntaxError { code, range, message: message.into(), related: None, fix: None }
    }

    /// Adds the fix that replaces `range` by `insert`.
    pub(crate) fn with_fix(
        mut self,
        label: impl Into<String>,
        range: TextRange,
        insert: impl Into<String>,
    ) -> SyntaxError {
        let edit = TextEdit { range, insert: insert.into() };
        self.fix = Some(SyntaxFix { label: label.into(), edit });
        self
    }

    /// Adds the fix "Write `insert`" at `range`.
    pub(crate) fn with_replacement(self, range: TextRange, insert: impl Into<String>) -> SyntaxError {
        let insert = insert.into();
        self.with_fix(format!("Write `{insert}`"), range, insert)
    }

    /// Moves the error to a text in which the form starts at `offset`.
    pub fn shifted(mut self, offset: rowan::TextSize) -> SyntaxError {
        self.range += offset;
        if let Some((range, _)) = &mut self.related {
            *range += offset;
        }
        if let Some(fix) = &mut self.fix {
            fix.edit.range += offset;
        }
        self
    }
}
