//! What can be wrong with a program, as values: the parts of each message. [`super::words`] says them.

use super::lengths::{Difference, LengthSource, LengthsOf, Provenance};
use super::{Code, Severity};
use crate::node::Name;
use crate::size::{Assumption, Size};
use crate::ty::Ty;
use std::sync::Arc;

/// Calls, functions and arguments are given in words: `filter pos`.
#[derive(Debug, Clone)]
pub enum Problem {
    // ---- forms
    KernelParameters {
        types: usize,
        params: usize,
    },
    PrimitiveForm,
    WordAsValue {
        word: String,
        example: &'static str,
    },
    /// `what`: "parameter".
    DuplicateParameter {
        what: &'static str,
        name: Name,
    },
    UnusedName {
        what: &'static str,
        name: Name,
    },
    DuplicateDefinition {
        name: Name,
    },
    SecondUnnamedKernel,

    // ---- imports
    AbsoluteImport,
    ImportOutOfFolder {
        written: Name,
    },
    ImportWithBackslash,
    /// `why` it cannot be read, if it is there.
    MissingImport {
        path: Arc<str>,
        why: Option<Arc<str>>,
    },
    ImportCycle {
        files: Vec<Arc<str>>,
    },
    RepeatedImport {
        written: Name,
    },
    AmbiguousImport {
        written: Name,
        name: Name,
        first: Name,
    },
    UnusedImport {
        written: Name,
    },

    // ---- names
    UnknownName {
        name: Name,
    },
    Recursion {
        names: Vec<Name>,
    },
    UnknownType {
        name: Name,
    },
    /// Where only types without parts are read.
    UnknownTypeName {
        name: String,
    },
    TypeNameWithComma {
        name: String,
    },
    UnknownSize {
        name: Name,
        declared: SizesDeclared,
    },
    OperatorAsSize {
        name: Name,
    },
    LengthOfSize {
        name: String,
    },
    LengthOfUnknown {
        name: String,
    },
    /// A size name of a definition that its type does not mention.
    UndeterminedSize {
        name: Name,
        ty: Ty,
    },

    // ---- calls
    /// `value_first`: the function takes the value before the function.
    ArgumentOrder {
        callee: Name,
        value_first: bool,
        first: String,
        second: String,
    },
    MissingArgument {
        callee: String,
        what: &'static str,
        before: String,
        neutral: Option<String>,
    },
    NotApplicable {
        callee: String,
        ty: Ty,
    },
    NotAFunction {
        ty: Ty,
    },
    /// It takes so many arguments and is given more.
    TooManyArguments {
        callee: String,
        takes: usize,
        given: usize,
    },
    NeedsArguments {
        of: NeedsArguments,
    },
    NeedsSize {
        callee: Option<String>,
    },
    PieceNotASize {
        text: String,
    },
    RowNotASize {
        rows: Ty,
        position: Name,
        index: String,
    },
    PadMode,
    PieceCount {
        pieces: Size,
        lengths: usize,
    },
    IterateLength {
        next: Size,
        count: Size,
    },
    /// The length changes in a number of rounds that is no size.
    IterateUncounted {
        next: Size,
    },
    /// The length changes in a number of rounds that only the run knows.
    IterateRounds {
        count: Size,
    },
    NoComponent {
        index: usize,
        ty: Ty,
    },
    UnzipOfOther {
        element: Ty,
    },

    // ---- types
    TypeMismatch {
        place: TypePlace,
        expected: Ty,
        actual: Ty,
        parts: Option<(Ty, Ty)>,
    },
    LiteralMismatch {
        literal: String,
        left: Ty,
        right: Ty,
    },
    InfiniteType {
        ty: Ty,
    },
    /// `said`: what to do is said beside it.
    WrongOperand {
        place: OperandPlace,
        members: &'static str,
        ty: Ty,
        said: bool,
    },
    VectorElement,
    WrittenVectorWidth {
        width: u64,
    },
    VectorWidth {
        width: i64,
    },
    KernelTakesFunction {
        ty: Ty,
    },
    KernelReturnsFunction {
        ty: Ty,
    },

    // ---- lengths
    UnequalLengths {
        of: LengthsOf,
        left: Size,
        right: Size,
        left_from: Provenance,
        right_from: Provenance,
        why: Difference,
    },
    AnnotationFalse {
        left: Size,
        right: Size,
    },
    AssumptionFalse {
        call: String,
        assumption: Assumption,
    },
    AmbiguousLength,
    DivisorZero,
    DividesByZero,
    HiddenLength {
        ty: Ty,
    },
    /// `callee` gives `function` hidden rows, `right`; it takes `left`.
    RowsOfHiddenLength {
        callee: String,
        function: String,
        left: Ty,
        right: Ty,
    },
    HiddenRows {
        callee: String,
        rows: Ty,
    },
    ResultOfHiddenLength {
        callee: String,
        left: Ty,
        right: Ty,
    },
    LengthChangesEachRound {
        callee: String,
        right: Ty,
    },
    /// A type that mentions a length outside the scope in which it was opened.
    LengthLeavesScope {
        ty: Ty,
        length: Name,
        explicit: bool,
    },
    LengthEscapes {
        length: String,
        from: Option<LengthSource>,
    },
    NothingToPack {
        ty: Ty,
    },
    NothingToUnpack {
        ty: Ty,
    },
    /// An `unpack` names more lengths than its value hides.
    UnpackNames {
        names: usize,
        lengths: usize,
    },
    DependentElements {
        callee: String,
        position: Name,
        element: Ty,
    },
    DependentLength {
        callee: Option<String>,
        position: Name,
    },
    DependentRows {
        element: Ty,
        row: Name,
        column: Name,
    },

    // ---- limits
    TooLargeToCheck,
    TypeTooLarge {
        parts: usize,
        depth: usize,
    },
    TooManyConditions {
        most: usize,
    },

    Placement {
        name: Name,
        rule: PlacementRule,
    },
}

/// What a size name that is not there would have been introduced by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizesDeclared {
    AtHeadOfKernel,
    ByTypesOfParameters,
    Elsewhere,
}

/// A primitive that is nothing without its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedsArguments {
    Iterate,
    Partition,
    CaseSplit,
}

/// Where two types meet.
#[derive(Debug, Clone, PartialEq)]
pub enum TypePlace {
    /// From zero.
    Argument {
        callee: String,
        index: usize,
    },
    Condition,
    Branches,
    Annotation,
    Component {
        part: String,
    },
    Binder {
        name: Name,
    },
    Pattern,
    LengthOf,
    SizeName {
        name: Name,
    },
    Other,
}

/// What is of no class that an operator works on.
#[derive(Debug, Clone, PartialEq)]
pub enum OperandPlace {
    /// The elements that a function is given.
    Given {
        function: String,
    },
    Argument {
        callee: String,
    },
    Other,
}

/// Which rule of placement is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlacementRule {
    FilterInsideGlobal,
    /// A map around it uses the dimension already.
    DimensionTwice {
        dimension: u8,
        of: Level,
    },
    GlobalInsideGroup,
    GroupInsideGlobal,
    GroupInsideLocal,
    LocalOutsideGroup {
        group: Name,
    },
    LocalMemoryOutsideGroup,
}

/// Where an element of a work-group or of the device runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Global,
    Group,
    Local,
}

impl Problem {
    /// That of its code, but for a rule of placement that is mended without the program.
    pub fn severity(&self) -> Severity {
        match self {
            Problem::Placement { rule: PlacementRule::LocalMemoryOutsideGroup, .. } => Severity::Warning,
            _ => self.code().severity(),
        }
    }

    pub fn code(&self) -> Code {
        use Problem::*;
        match self {
            KernelParameters { .. } => Code::KernelParameterCount,
            PrimitiveForm => Code::PrimitiveForm,
            WordAsValue { .. } => Code::WordAsValue,
            DuplicateParameter { .. } => Code::DuplicateParameter,
            UnusedName { .. } => Code::UnusedName,
            DuplicateDefinition { .. } | SecondUnnamedKernel => Code::DuplicateDefinition,
            AbsoluteImport | ImportOutOfFolder { .. } | ImportWithBackslash => Code::ImportPath,
            MissingImport { .. } => Code::MissingImport,
            ImportCycle { .. } => Code::ImportCycle,
            RepeatedImport { .. } | UnusedImport { .. } => Code::UnusedImport,
            AmbiguousImport { .. } => Code::AmbiguousImport,
            UnknownName { .. } => Code::UnknownName,
            Recursion { .. } => Code::Recursion,
            UnknownType { .. } | UnknownTypeName { .. } | TypeNameWithComma { .. } => Code::UnknownType,
            UnknownSize { .. }
            | OperatorAsSize { .. }
            | LengthOfSize { .. }
            | LengthOfUnknown { .. }
            | UndeterminedSize { .. } => Code::UnknownSizeName,
            ArgumentOrder { .. } => Code::ArgumentOrder,
            MissingArgument { .. } => Code::MissingArgument,
            NotApplicable { .. } | NotAFunction { .. } => Code::NotAFunction,
            TooManyArguments { .. } => Code::TooManyArguments,
            NeedsArguments { .. } => Code::NeedsArguments,
            NeedsSize { .. } | PieceNotASize { .. } | RowNotASize { .. } => Code::NeedsSize,
            PadMode => Code::PadMode,
            PieceCount { .. } => Code::PieceCount,
            IterateLength { .. } | IterateUncounted { .. } | IterateRounds { .. } => Code::IterateLength,
            NoComponent { .. } => Code::NoComponent,
            UnzipOfOther { .. } | TypeMismatch { .. } | LiteralMismatch { .. } => Code::TypeMismatch,
            InfiniteType { .. } => Code::InfiniteType,
            WrongOperand { .. } => Code::WrongOperand,
            VectorElement => Code::VectorElement,
            WrittenVectorWidth { .. } | VectorWidth { .. } => Code::VectorWidth,
            KernelTakesFunction { .. } | KernelReturnsFunction { .. } => Code::FunctionAsData,
            UnequalLengths { .. } => Code::UnequalLengths,
            AnnotationFalse { .. } => Code::AnnotationFalse,
            AssumptionFalse { .. } => Code::AssumptionFalse,
            AmbiguousLength => Code::AmbiguousLength,
            DivisorZero | DividesByZero => Code::DivisionByZero,
            HiddenLength { .. }
            | RowsOfHiddenLength { .. }
            | HiddenRows { .. }
            | ResultOfHiddenLength { .. }
            | LengthChangesEachRound { .. } => Code::HiddenLength,
            LengthLeavesScope { .. } | LengthEscapes { .. } => Code::LengthEscapes,
            NothingToPack { .. } => Code::NothingToPack,
            NothingToUnpack { .. } | UnpackNames { .. } => Code::NothingToUnpack,
            DependentElements { .. } | DependentLength { .. } | DependentRows { .. } => Code::DependsOnPosition,
            TooLargeToCheck | TypeTooLarge { .. } | TooManyConditions { .. } => Code::TooComplex,
            Placement { .. } => Code::Placement,
        }
    }
}
