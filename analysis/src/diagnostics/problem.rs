//! Problems of a program as data: the parts of each message. [`super::words`] renders them.

use super::lengths::{Difference, LengthSource, LengthsOf, Provenance};
use super::{Code, Severity};
use crate::node::Name;
use crate::scalar::Scalar;
use crate::size::{Assumption, Size};
use crate::ty::{Class, Ty};
use std::sync::Arc;

/// A problem. Calls, functions and arguments are given as abridged text: `filter pos`.
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
    /// `what` is a noun such as "parameter".
    DuplicateParameter {
        what: &'static str,
        name: Name,
    },
    /// A `with` sets a parameter that does not exist.
    UnknownParameter {
        name: String,
    },
    ParameterValue {
        name: String,
        value: String,
        values: Vec<String>,
    },
    ParameterTwice {
        name: String,
    },
    /// A target for a part of a kernel.
    TargetOfPart,
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
    /// `why`: the reason why an existing file cannot be read.
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
    /// In a context that allows only types without components.
    UnknownTypeName {
        name: String,
        /// Whether it follows a name in brackets, which may be meant as a pattern.
        may_be_pattern: bool,
    },
    TypeNameWithComma {
        name: String,
    },
    UnknownSize {
        name: Name,
        declared: SizesDeclared,
    },
    /// `(lift f (N, M) …)` declares `N,`.
    SizeWithComma {
        name: Name,
        declared: Name,
    },
    OperatorAsSize {
        name: Name,
    },
    /// A definition that is not a natural number, in a size.
    DefinitionAsSize {
        name: Name,
    },
    /// A character as Scheme writes it.
    CharacterAsSize {
        /// The number that it is.
        number: String,
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
    ArgumentOrder {
        callee: Name,
        /// The kinds of values that it takes at the two places.
        wanted: [Noun; 2],
        first: String,
        second: String,
    },
    /// `written` is the call with its arguments in order.
    ArgumentsInOrder {
        callee: Name,
        written: String,
    },
    /// A function is given in place of a size and of an array. `written` is the call that is probably meant.
    NeedsArrays {
        callee: Name,
        written: String,
    },
    MissingArgument {
        callee: String,
        what: Noun,
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
    /// The function takes `takes` arguments and is given more.
    TooManyArguments {
        callee: String,
        takes: usize,
        given: usize,
    },
    NeedsArguments {
        of: NeedsArguments,
    },
    /// `of_definition`: the callee is a definition, which could take any Int.
    NeedsSize {
        callee: Option<String>,
        of_definition: bool,
    },
    /// `callee` gives `function` an Int; it takes a size.
    SizeByName {
        callee: String,
        function: String,
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
    /// The length changes in each of a number of iterations known only at run time.
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
    /// `meant`: the literal at the other type.
    DecidedByLiteral {
        definition: Name,
        literal: String,
        left: Ty,
        right: Ty,
        /// Whether the definition is the literal.
        is_constant: bool,
        meant: Option<String>,
    },
    InfiniteType {
        ty: Ty,
    },
    /// `said`: the rest of the message tells what to do.
    WrongOperand {
        place: OperandPlace,
        class: Class,
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
    /// The start of a fold in any order is not neutral for its function.
    NotNeutral {
        callee: String,
        start: String,
        operator: String,
        neutral: String,
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
    /// The index of an element is outside of the array, of length `len`.
    IndexOutside {
        index: String,
        len: Size,
        is_negative: bool,
    },
    /// A number of elements, or the place of the first one, is negative. `meant`: the number, if it counts from the end.
    NegativeNumber {
        callee: String,
        number: String,
        counts: Counts,
        meant: Option<String>,
    },
    AmbiguousLength,
    DivisorZero,
    DividesByZero,
    HiddenLength {
        ty: Ty,
    },
    /// `callee` passes `function` rows of hidden length, of type `right`; it takes `left`.
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
        /// Whether the function gives the next state of a fold.
        changes_state: bool,
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

/// The meaning of a number argument of a primitive on arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Counts {
    /// How many elements are made.
    Made,
    /// Where a part of the array begins or ends.
    Place,
    /// How many elements the part has.
    Length,
}

/// How size names are introduced in the context of an undeclared one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizesDeclared {
    AtHeadOfKernel,
    ByTypesOfParameters,
    Elsewhere,
}

/// Primitives that are meaningless without arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedsArguments {
    Iterate,
    Partition,
    CaseSplit,
}

/// Where two types conflict.
#[derive(Debug, Clone, PartialEq)]
pub enum TypePlace {
    /// `index` counts from zero.
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

/// Where an operand is outside the class of an operator.
#[derive(Debug, Clone, PartialEq)]
pub enum OperandPlace {
    /// The elements passed to a function.
    Given {
        function: String,
    },
    Argument {
        callee: String,
    },
    Other,
}

/// A broken placement rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlacementRule {
    FilterInsideGlobal,
    /// A surrounding map already uses the dimension.
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

/// The kind of values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noun {
    Function,
    /// A function that says whether a loop goes on.
    Test,
    Array,
    /// An array of such elements, beside another array.
    ArrayOf(Scalar),
    Number,
    Value,
}

/// The level at which elements run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Global,
    Group,
    Local,
}

impl Problem {
    /// The severity of the code, except for a placement problem that the compiler corrects itself.
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
            UnknownParameter { .. } | ParameterValue { .. } | ParameterTwice { .. } | TargetOfPart => Code::Setting,
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
            | SizeWithComma { .. }
            | CharacterAsSize { .. }
            | OperatorAsSize { .. }
            | LengthOfSize { .. }
            | LengthOfUnknown { .. }
            | UndeterminedSize { .. } => Code::UnknownSizeName,
            ArgumentOrder { .. } | ArgumentsInOrder { .. } => Code::ArgumentOrder,
            MissingArgument { .. } | NeedsArrays { .. } => Code::MissingArgument,
            NotApplicable { .. } | NotAFunction { .. } => Code::NotAFunction,
            TooManyArguments { .. } => Code::TooManyArguments,
            NeedsArguments { .. } => Code::NeedsArguments,
            NeedsSize { .. }
            | SizeByName { .. }
            | DefinitionAsSize { .. }
            | PieceNotASize { .. }
            | RowNotASize { .. } => Code::NeedsSize,
            PadMode => Code::PadMode,
            PieceCount { .. } => Code::PieceCount,
            IterateLength { .. } | IterateRounds { .. } => Code::IterateLength,
            NoComponent { .. } => Code::NoComponent,
            UnzipOfOther { .. } | TypeMismatch { .. } => Code::TypeMismatch,
            LiteralMismatch { .. } | DecidedByLiteral { .. } => Code::TypeMismatch,
            InfiniteType { .. } => Code::InfiniteType,
            WrongOperand { .. } => Code::WrongOperand,
            VectorElement => Code::VectorElement,
            WrittenVectorWidth { .. } | VectorWidth { .. } => Code::VectorWidth,
            KernelTakesFunction { .. } | KernelReturnsFunction { .. } => Code::FunctionAsData,
            NotNeutral { .. } => Code::NotNeutral,
            UnequalLengths { .. } => Code::UnequalLengths,
            AnnotationFalse { .. } => Code::AnnotationFalse,
            AssumptionFalse { .. } => Code::AssumptionFalse,
            IndexOutside { .. } => Code::IndexOutside,
            NegativeNumber { .. } => Code::NegativeNumber,
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
