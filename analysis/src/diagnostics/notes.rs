//! Notes of a diagnostic beside its message: at related places, and about what was probably meant.

use super::problem::Noun;
use super::shown::Shown;
use crate::node::Name;
use crate::size::Size;
use crate::ty::Ty;
use std::fmt::{Display, Formatter, Result};

/// The message at a related place.
pub enum Note {
    TypeOf {
        name: String,
        ty: String,
    },
    OpenedHere {
        length: Name,
    },
    /// The argument that belongs first.
    ArgumentHere {
        noun: Noun,
    },
    Inside {
        definition: Name,
    },
    ElementsOf {
        array: String,
        ty: Ty,
    },
    ExpressionIs {
        text: String,
        ty: Ty,
    },
    BranchIs {
        ty: Ty,
    },
    NameIs {
        ty: Ty,
    },
    TypeComesFrom {
        ty: Ty,
        text: String,
    },
    LengthComesFrom {
        name: String,
    },
    SizeComesFrom {
        size: Size,
    },
    First {
        name: Name,
    },
    /// The first error of a definition that is given rows of hidden length.
    WithSuchRows {
        message: String,
    },
}

impl Display for Note {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Note::TypeOf { name, ty } => write!(f, "`{name}` has the type `{ty}`"),
            Note::WithSuchRows { message } => write!(f, "with such rows: {message}"),
            Note::OpenedHere { length } => write!(f, "`{length}` is opened here"),
            Note::ArgumentHere { noun } => write!(f, "the {noun} is here"),
            Note::Inside { definition } => write!(f, "this is inside `{definition}`"),
            Note::ElementsOf { array, ty } => write!(f, "the elements of `{array}` are `{ty}`"),
            Note::ExpressionIs { text, ty } => write!(f, "`{text}` is `{}`", Shown(ty)),
            Note::BranchIs { ty } => write!(f, "this branch is `{}`", Shown(ty)),
            Note::NameIs { ty } => write!(f, "this is `{}`", Shown(ty)),
            Note::TypeComesFrom { ty, text } => write!(f, "`{}` comes from `{text}`", Shown(ty)),
            Note::LengthComesFrom { name } => write!(f, "`{name}` comes from here"),
            Note::SizeComesFrom { size } => write!(f, "length `{size}` comes from here"),
            Note::First { name } => write!(f, "the first `{name}`"),
        }
    }
}

/// A guess at the intention: a clause that follows the message. Texts are code as it should be written.
pub enum Guess {
    Write(String),
    /// A number that a test compares with.
    Tests(String),
    /// A function of two values as one of pairs.
    TakesPairs(String),
    Compares(String),
    Converts(String),
    /// `call` applies the function to each element.
    EachElement(String),
    AllElements(String),
    /// A call that keeps the elements for which a test holds.
    KeepsElements(String),
    BothArrays(String),
    TuplePattern(String),
    /// A lambda of several parameters, and the primitive that gives it one argument.
    FewerParameters {
        lambda: String,
        given: usize,
        primitive: String,
    },
    /// A lambda with other parameters than the arguments that its caller gives it.
    OtherParameters {
        lambda: String,
        takes: usize,
        given: usize,
        callee: String,
    },
    /// A function bound by `let` that is used with rows of both kinds.
    LocalForOneKind {
        name: String,
    },
    /// A fold whose accumulator changes its length.
    StateOfFold,
    /// A function of one element where two are compared.
    OrdersByKey,
    /// A function that gives a number where it says which element comes first.
    OrdersByTruth,
    /// An array as a function of the index.
    OfIndex(String),
    /// The remainder of a division of numbers that are not integers.
    Remainder,
    /// The element of an array of length 1, and the primitive that made the array.
    OnlyElement {
        text: String,
        maker: Option<Name>,
    },
    /// Missing arguments of a call, and the call of one number that may be meant.
    MoreArguments {
        name: Name,
        missing: usize,
        of_one: Option<String>,
    },
    Zip {
        name: Name,
        /// How many arrays it goes over, one or two.
        arrays: usize,
    },
    /// A call that joins rows of one length.
    JoinsRowsOfOneLength(String),
    /// Rows with their lengths hidden.
    HidesRows(String),
    /// `generate` with a function of several indices.
    OneIndex,
    /// A definition that takes a size as a number, from which the length of its result is computed.
    SizeTakenAsNumber {
        callee: Name,
        argument: String,
    },
    /// An array of truth values as the condition of an `if`.
    ChoosesEach {
        test: String,
    },
    /// The fold whose accumulator may have another type than the elements.
    FoldsInOrder,
    ArrayOfOne(String),
    /// A truth value that is used as a number.
    TruthAsNumber,
    /// A function that is used in its own value.
    UsesItself {
        name: Name,
    },
    ArraysAreInputs,
    ElementIs(String),
    ComponentIs(String),
    FunctionFirst(String),
    /// A call without the function that is given to what takes none.
    TakesNoFunction {
        callee: String,
        function: String,
        written: String,
    },
    /// An expression as the body of a function.
    FunctionOf(String),
    CalledHere(String),
    Similar(Name),
    Comma {
        name: Name,
    },
    Character(String),
    /// Advice about a word of another language.
    Foreign(&'static str),
}

impl Display for Guess {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Guess::Write(text) => write!(f, "write `{text}`"),
            Guess::Tests(text) => write!(f, "`{text}` is the test for being equal to it"),
            Guess::TakesPairs(text) => write!(f, "`{text}` takes pairs"),
            Guess::Compares(text) => write!(f, "`{text}` compares it"),
            Guess::Converts(text) => write!(f, "`{text}` converts it"),
            Guess::EachElement(text) => write!(f, "`{text}` applies it to each element"),
            Guess::KeepsElements(text) => write!(f, "`{text}` keeps the elements for which it holds"),
            Guess::AllElements(text) => write!(f, "`{text}` combines all elements"),
            Guess::BothArrays(text) => write!(f, "`{text}` maps over both arrays"),
            Guess::TuplePattern(pattern) => {
                write!(f, "a function of tuples takes them apart: `(lambda ({pattern}) …)`")
            }
            Guess::FewerParameters { lambda, given, primitive } => write!(
                f,
                "`{lambda}` takes {given} arguments, but `{primitive}` gives it one: `zipWith` maps over two arrays, \
                 and `(lambda ((tuple x y)) …)` takes a pair"
            ),
            Guess::OneIndex => f.write_str(
                "`generate` gives one index: `(generate #n (lambda (i) (generate #m (lambda (j) …))))` has rows",
            ),
            Guess::OtherParameters { lambda, takes, given, callee } => {
                let arguments = |count: &usize| match count {
                    1 => "one argument".to_owned(),
                    count => format!("{count} arguments"),
                };
                write!(f, "`{lambda}` takes {}, but `{callee}` gives it {}", arguments(takes), arguments(given))
            }
            Guess::LocalForOneKind { name } => {
                write!(f, "`let` binds `{name}`, which takes rows of one kind at all of its uses; a `define` takes both")
            }
            Guess::StateOfFold => f.write_str(
                "the accumulator keeps its length; the state of `iterateWhile` may change it: `(tuple state i)`, with the \
                 index of the next element",
            ),
            Guess::OrdersByKey => {
                f.write_str("it says which of two elements comes first: `(lambda (a b) (< (key a) (key b)))` compares by a key")
            }
            Guess::OrdersByTruth => {
                f.write_str("it says whether the first of two elements comes before the second, as `<` does")
            }
            Guess::OfIndex(text) => write!(f, "`{text}` is the array as a function of the index"),
            Guess::Remainder => f.write_str("`floorMod` is the remainder of all numbers"),
            Guess::OnlyElement { text, maker } => {
                if let Some(name) = maker {
                    write!(f, "`{name}` gives an array of length 1, and ")?;
                }
                write!(f, "`(head {text})` is its element")
            }
            Guess::MoreArguments { name, missing, of_one } => {
                match missing {
                    1 => write!(f, "`{name}` waits for one more argument")?,
                    n => write!(f, "`{name}` waits for {n} more arguments")?,
                }
                of_one.iter().try_for_each(|written| write!(f, "; of one number it is `{written}`"))
            }
            Guess::Zip { name, arrays } => {
                let over = if *arrays == 1 { "maps over one array" } else { "goes over two arrays" };
                write!(f, "`{name}` {over}; `zip` combines several into one")
            }
            Guess::JoinsRowsOfOneLength(text) => write!(f, "the rows have one length: `{text}` joins them"),
            Guess::HidesRows(text) => write!(f, "the rows have one length, which `{text}` hides"),
            Guess::SizeTakenAsNumber { callee, argument } => write!(
                f,
                "`{callee}` takes `{argument}` as a number: if it is the length, write `#` before that parameter in \
                 `{callee}`, as in `(generate #n …)`"
            ),
            Guess::ChoosesEach { test } => {
                write!(f, "`(map (lambda (c) (if c … …)) {test})` chooses for each element")
            }
            Guess::FoldsInOrder => f.write_str(
                "the accumulator of `reduceSeq` may have another type than the elements, and `map` converts them before",
            ),
            Guess::ArrayOfOne(text) => write!(f, "`{text}` is an array of this element"),
            Guess::TruthAsNumber => f.write_str(
                "`(if b 1 0)` is a number, and `(count p xs)` counts the elements for which `p` holds",
            ),
            Guess::UsesItself { name } => write!(
                f,
                "`{name}` cannot use itself, as recursion is not possible: `reduceSeq`, `iterate` and `iterateWhile` repeat \
                 a function"
            ),
            Guess::ArraysAreInputs => f.write_str(
                "an array cannot be written out: it is an input, or `(generate #n (lambda (i) …))` computes it; \
                 `(tuple a b)` is a pair",
            ),
            Guess::ElementIs(text) => write!(f, "an element is `{text}`"),
            Guess::ComponentIs(text) => write!(f, "a component is `{text}`"),
            Guess::FunctionFirst(text) => write!(f, "the function comes first: `{text}`"),
            Guess::TakesNoFunction { callee, function, written } => {
                write!(f, "`{callee}` takes no function such as `{function}`: write `{written}`")
            }
            Guess::FunctionOf(text) => write!(f, "a function is wanted here: `{text}`"),
            Guess::CalledHere(name) => write!(f, "it is called `{name}`"),
            Guess::Similar(name) => write!(f, "did you mean `{name}`?"),
            Guess::Comma { name } => {
                write!(f, "the comma is part of the name `{name}`: names are separated by spaces")
            }
            Guess::Character(text) => write!(f, "a character is a number: `{text}`"),
            Guess::Foreign(advice) => f.write_str(advice),
        }
    }
}
