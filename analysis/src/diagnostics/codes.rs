//! The kinds of diagnostics: for each a permanent name, a level and a page.

use super::Severity;
use std::fmt;

macro_rules! codes {
    ($($code:ident = $name:literal, $level:ident;)+) => {
        /// A kind of diagnostic.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $($code,)+
        }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$code,)+];

            /// The permanent name: `unequal-lengths`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Code::$code => $name,)+
                }
            }

            pub const fn severity(self) -> Severity {
                match self {
                    $(Code::$code => Severity::$level,)+
                }
            }

            /// The page in Markdown: the problem, a small program that shows it, and the corrected program.
            pub const fn page(self) -> &'static str {
                match self {
                    $(Code::$code => include_str!(concat!("../../pages/", $name, ".md")),)+
                }
            }
        }
    };
}

codes! {
    AmbiguousImport = "ambiguous-import", Warning;
    AmbiguousLength = "ambiguous-length", Error;
    AnnotationFalse = "annotation-false", Error;
    ArgumentOrder = "argument-order", Error;
    AssumptionFalse = "assumption-false", Error;
    DependsOnPosition = "depends-on-position", Error;
    DivisionByZero = "division-by-zero", Error;
    DuplicateDefinition = "duplicate-definition", Error;
    DuplicateParameter = "duplicate-parameter", Error;
    FunctionAsData = "function-as-data", Error;
    HiddenLength = "hidden-length", Error;
    ImportCycle = "import-cycle", Error;
    ImportPath = "import-path", Error;
    IndexOutside = "index-outside", Warning;
    InfiniteType = "infinite-type", Error;
    IterateLength = "iterate-length", Error;
    KernelParameterCount = "kernel-parameter-count", Error;
    LengthEscapes = "length-escapes", Error;
    MissingArgument = "missing-argument", Error;
    MissingImport = "missing-import", Error;
    NeedsArguments = "needs-arguments", Error;
    NeedsSize = "needs-size", Error;
    NegativeNumber = "negative-number", Warning;
    NoComponent = "no-component", Error;
    NotAFunction = "not-a-function", Error;
    NotNeutral = "not-neutral", Warning;
    NothingToPack = "nothing-to-pack", Error;
    NothingToUnpack = "nothing-to-unpack", Error;
    PadMode = "pad-mode", Error;
    PieceCount = "piece-count", Error;
    Placement = "placement", Error;
    PrimitiveForm = "primitive-form", Error;
    Recursion = "recursion", Error;
    Setting = "setting", Error;
    TooComplex = "too-complex", Error;
    TooManyArguments = "too-many-arguments", Error;
    TypeMismatch = "type-mismatch", Error;
    UnequalLengths = "unequal-lengths", Error;
    UnknownName = "unknown-name", Error;
    UnknownSizeName = "unknown-size-name", Error;
    UnknownType = "unknown-type", Error;
    UnusedImport = "unused-import", Information;
    UnusedName = "unused-name", Information;
    VectorElement = "vector-element", Error;
    VectorWidth = "vector-width", Error;
    WordAsValue = "word-as-value", Error;
    WrongOperand = "wrong-operand", Error;
}

impl Code {
    pub fn named(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// Whether it concerns text that could be left out, which editors show faded.
    pub const fn is_about_unneeded_text(self) -> bool {
        matches!(self, Code::UnusedImport | Code::UnusedName)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, name: &&str) -> bool {
        self.as_str() == *name
    }
}
