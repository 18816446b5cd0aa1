//! The text of diagnostics: the only place that renders a [`Problem`].
//!
//! A message says what is wrong, where it comes from, and what to do. Code, types and lengths are in backticks.

use super::lengths::{Difference, LengthSource, LengthsOf, Provenance};
use super::problem::{
    Counts, Level, NeedsArguments, Noun, OperandPlace, PlacementRule, Problem, SizesDeclared, TypePlace,
};
use super::shown::Shown;
use crate::ty::TyKind;
use std::fmt::{self, Display, Formatter};

const ORDINALS: [&str; 8] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

pub fn ordinal(index: usize) -> String {
    match ORDINALS.get(index) {
        Some(word) => (*word).into(),
        None => format!("{}{}", index + 1, suffix(index + 1)),
    }
}

/// What follows a number in an ordinal: "st" in "21st"
fn suffix(n: usize) -> &'static str {
    match (n % 10, n / 10 % 10) {
        (1, tens) if tens != 1 => "st",
        (2, tens) if tens != 1 => "nd",
        (3, tens) if tens != 1 => "rd",
        _ => "th",
    }
}

/// "1 parameter", "2 parameters"
fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

impl Noun {
    fn with_article(self) -> String {
        let article = if matches!(self, Noun::Array | Noun::ArrayOf(_)) { "an" } else { "a" };
        format!("{article} {self}")
    }
}

impl Display for Noun {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Noun::ArrayOf(scalar) => return write!(f, "array of `{scalar}`"),
            Noun::Function => "function",
            Noun::Test => "test",
            Noun::Array => "array",
            Noun::Number => "number",
            Noun::Value => "value",
        })
    }
}

/// The names in backticks, joined.
fn quoted<T: Display>(names: &[T], between: &str) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(between)
}

impl Display for Problem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Problem::KernelParameters { types, params } => write!(
                f,
                "the kernel has {} and {}: each parameter of the lambda needs its type in the list, in order",
                count(*types, "parameter type"),
                count(*params, "parameter"),
            ),
            Problem::PrimitiveForm => {
                f.write_str("`primitive` declares the compiler's built-in functions; a program uses `define`")
            }
            Problem::WordAsValue { word, example } => {
                write!(f, "`{word}` is not a value: write it directly after an opening bracket, as in `{example}`")
            }
            Problem::DuplicateParameter { what, name } => write!(f, "two {what}s are called `{name}`"),
            Problem::UnknownParameter { name } => {
                write!(f, "there is no parameter `{name}`; `lift tune --list` lists the parameters")
            }
            Problem::ParameterValue { name, value, values } => {
                write!(f, "`{name}` cannot be `{value}`: it is one of {}", quoted(values, ", "))
            }
            Problem::ParameterTwice { name } => write!(f, "`{name}` is set twice here"),
            Problem::TargetOfPart => f.write_str(
                "`target` is set for a whole kernel: write this `with` around the body of the kernel's lambda",
            ),
            Problem::UnusedName { what, name } => write!(f, "the {what} `{name}` is never used"),
            Problem::DuplicateDefinition { name } => {
                write!(f, "`{name}` is defined above already; that definition counts")
            }
            Problem::SecondUnnamedKernel => {
                f.write_str("only one kernel of a file can be without a name, since it is called after the file")
            }

            Problem::AbsoluteImport => f.write_str("an import is relative to the importing file: `lib/stencil.lift`"),
            Problem::ImportOutOfFolder { written } => {
                write!(f, "`{written}` leads out of the folder that the program is in")
            }
            Problem::ImportWithBackslash => f.write_str("the parts of an import are separated by `/`"),
            Problem::MissingImport { path, why: Some(why) } => write!(f, "`{path}` cannot be imported: {why}"),
            Problem::MissingImport { path, why: None } => write!(f, "there is no file `{path}`"),
            Problem::ImportCycle { files } => {
                write!(f, "imports form a cycle: {}", quoted(files, " imports "))
            }
            Problem::RepeatedImport { written } => write!(f, "`{written}` is imported above already"),
            Problem::AmbiguousImport { written, name, first } => write!(
                f,
                "`{written}` defines `{name}` too, which here is that of `{first}`: of two imports the first one counts; \
                 rename one of them"
            ),
            Problem::UnusedImport { written } => write!(f, "nothing of `{written}` is used here"),

            Problem::UnknownName { name } => write!(f, "there is no `{name}` here"),
            Problem::Recursion { names } => write!(
                f,
                "recursion is not possible in Lift: {}; `reduceSeq`, `iterate` and `iterateWhile` repeat a function",
                quoted(names, " uses ")
            ),
            Problem::UnknownType { name } => write!(
                f,
                "there is no type `{name}`; types are `int`, `float` and other scalars, `(array-type …)`, \
                 `(tuple-type …)`, `(vector-type …)`, `(exists …)` and `(-> …)`"
            ),
            Problem::UnknownTypeName { name, may_be_pattern } => {
                write!(
                    f,
                    "there is no type `{name}`: the types without parts are {}",
                    quoted(lift_syntax::SCALAR_TYPES, ", ")
                )?;
                if *may_be_pattern {
                    f.write_str("; a parameter that is a tuple is written `(tuple x y)`")
                } else {
                    Ok(())
                }
            }
            Problem::TypeNameWithComma { name } => {
                write!(f, "there is no type `{name}`: types are separated by spaces, without a comma")
            }
            Problem::UnknownSize { name, declared } => match declared {
                SizesDeclared::ByTypesOfParameters => write!(
                    f,
                    "there is no size `{name}` here: a size name of a `define` is introduced by the type of a parameter, \
                     as in `(xs (array-type float {name}))`"
                ),
                SizesDeclared::AtHeadOfKernel => write!(
                    f,
                    "there is no size `{name}` here: the sizes of a kernel are declared at its head, as in \
                     `(lift ({name}) …)`"
                ),
                SizesDeclared::Elsewhere => write!(f, "there is no size `{name}` here"),
            },
            Problem::SizeWithComma { name, declared } => write!(
                f,
                "there is no size `{name}` here; the comma is part of the name `{declared}`: names are separated by spaces"
            ),
            Problem::DefinitionAsSize { name } => write!(
                f,
                "`{name}` is not a size: only a definition that is a natural number is one, as in `(define {name} 100)`"
            ),
            Problem::OperatorAsSize { name } => write!(f, "`{name}` is an operation on sizes, not a size: it needs its operands"),
            Problem::CharacterAsSize { number } => write!(f, "a character is a number: `{number}`"),
            Problem::LengthOfSize { name } => write!(f, "`{name}` is a size: `length` takes the name of an array"),
            Problem::LengthOfUnknown { name } => write!(
                f,
                "there is no local name `{name}`: in a size, `length` takes a parameter or a name bound by `let`"
            ),
            Problem::UndeterminedSize { name, ty } => write!(
                f,
                "the size `{name}` is not determined: the type of this definition, `{ty}`, does not mention it; a size \
                 name of a `define` is introduced by the type of a parameter, as in `(xs (array-type float {name}))`"
            ),

            Problem::ArgumentsInOrder { callee, written } => {
                write!(f, "`{callee}` takes its arguments in another order: `{written}`")
            }
            Problem::ArgumentOrder { callee, wanted: [wanted, there], first, second } => {
                write!(
                    f,
                    "`{callee}` takes the {wanted} first and then the {there}: `{first}` and `{second}` have changed places"
                )
            }
            Problem::NeedsArrays { callee, written } => {
                write!(f, "`{callee}` takes a size and two arrays, no function: write `{written}`")
            }
            Problem::MissingArgument { callee, what, before, neutral } => {
                write!(f, "`{callee}` takes {} before `{before}`, but it is missing", what.with_article())?;
                match neutral {
                    Some(neutral) => write!(f, "; the neutral element of `{before}` is `{neutral}`"),
                    None => Ok(()),
                }
            }
            Problem::NotApplicable { callee, ty } => {
                write!(f, "`{callee}` is applied here, but it is not a function: its type is `{ty}`")
            }
            Problem::NotAFunction { ty } => write!(f, "this is not a function: its type is `{ty}`"),
            Problem::TooManyArguments { callee, takes, given } => {
                let takes = if *takes == 1 { "one argument".to_owned() } else { format!("{takes} arguments") };
                write!(f, "`{callee}` takes {takes}, but it is given {given}")
            }
            Problem::NeedsArguments { of } => f.write_str(match of {
                NeedsArguments::Iterate => {
                    "`iterate` needs its number of rounds and its function: `(iterate #k f)`"
                }
                NeedsArguments::CaseSplit => {
                    "`caseSplit` is allowed only as the lengths of a `partition`: `(partition #3 (caseSplit #a #b #c) xs)`"
                }
                NeedsArguments::Partition => {
                    "`partition` needs the number of pieces and their lengths: `(partition #n (lambda (i) …))`"
                }
            }),
            Problem::NeedsSize { callee, of_definition } => {
                match callee {
                    Some(callee) => write!(f, "`{callee}`")?,
                    None => f.write_str("`this`")?,
                }
                f.write_str(
                    " needs a size here: a natural number, a size name such as `N`, `#(…)`, or the length of an array; an Int `k` \
                     becomes one by `(let ks (iota k) … (length ks) …)`",
                )?;
                match of_definition {
                    true => f.write_str("; a definition that works with every number declares its parameter `(name int)`"),
                    false => Ok(()),
                }
            }
            Problem::PieceNotASize { text } => write!(
                f,
                "the length of a piece must be known before the run: natural numbers, sizes and the position, with `+ \
                 - * / mod min max` and `if`, but `{text}` is not made of these; write the rule as `(lambda (i) …)`"
            ),
            Problem::RowNotASize { rows, position, index } => write!(
                f,
                "the rows of this array have different lengths, `{rows}` at position `{position}`, so which one is \
                 taken must be known before the run, but `{index}` is not a size"
            ),
            Problem::PadMode => f.write_str(
                "the border of `pad` is `clamp`, `mirror` or `wrap`; `(padConstant #l #r v xs)` has a border of one value",
            ),
            Problem::PieceCount { pieces, lengths } => {
                write!(f, "`partition` makes `{pieces}` pieces, but `caseSplit` gives the lengths of {lengths}")
            }
            Problem::IterateLength { next, count } => write!(
                f,
                "`iterate` must know the length after each round; this function makes an array of length `{next}` from one \
                 of length `m`, and the number of rounds is `{count}`"
            ),
            Problem::IterateRounds { count } => write!(
                f,
                "the function of this `iterate` changes the length of the array, so the number of rounds must be a \
                 constant; `{count}` is known only in the run; where a definition takes the number as `(k int)`, the length \
                 of the result is hidden"
            ),
            Problem::NoComponent { index, ty } => match ty.kind() {
                TyKind::Tuple(parts) => {
                    write!(f, "`get{}` of a tuple of {} components, `{ty}`", index + 1, parts.len())
                }
                _ => write!(f, "`get{}` takes a tuple, but this is `{ty}`", index + 1),
            },
            Problem::UnzipOfOther { element } => {
                write!(f, "`unzip` takes an array of tuples, but this array's elements are `{element}`")
            }

            Problem::TypeMismatch { place, expected, actual, parts } => {
                mismatch(f, place, &Shown(expected), &Shown(actual))?;
                match parts {
                    Some((left, right)) => write!(f, " (`{}` is not `{}`)", Shown(left), Shown(right)),
                    None => Ok(()),
                }
            }
            Problem::LiteralMismatch { literal, left, right } => {
                write!(f, "`{literal}` is `{}`, but it meets `{}` here", Shown(left), Shown(right))
            }
            Problem::DecidedByLiteral { definition, literal, left, right, is_constant, meant } => {
                write!(f, "the literal `{literal}` in `{definition}` is `{}`, ", Shown(left))?;
                match is_constant {
                    true => write!(f, "but it meets `{}` here", Shown(right))?,
                    false => write!(f, "so `{definition}` takes that, but here it gets `{}`", Shown(right))?,
                }
                match meant {
                    Some(meant) => write!(f, "; there, `{meant}` fits"),
                    None => Ok(()),
                }
            }
            Problem::InfiniteType { ty } => {
                write!(f, "this would need a type that contains itself: it is part of `{ty}`")
            }
            Problem::WrongOperand { place, class, ty, said } => {
                let (member, members) = (class.member(), class.members());
                match place {
                    OperandPlace::Given { function } => {
                        write!(f, "`{function}` works on {members}, but here it gets `{ty}`")?;
                    }
                    OperandPlace::Argument { callee } => {
                        write!(f, "`{callee}` works on {members}, but this is `{ty}`")?;
                    }
                    OperandPlace::Other => write!(f, "this must be {member}, but it is `{ty}`")?,
                }
                match ty.kind() {
                    TyKind::Array(_) | TyKind::Exists(..) if !said => f.write_str("; `map` applies a function to each element"),
                    _ => Ok(()),
                }
            }
            Problem::VectorElement => f.write_str("the components of a vector are scalars"),
            Problem::WrittenVectorWidth { width } => {
                write!(f, "there are no vectors of {width}: the widths of OpenCL are 2, 3, 4, 8 and 16")
            }
            Problem::VectorWidth { width } => {
                write!(f, "OpenCL has vectors of 2, 3, 4, 8 and 16 elements, not of {width}")
            }
            Problem::KernelTakesFunction { ty } => write!(f, "a kernel takes data, but this is a function: `{ty}`"),

            Problem::KernelReturnsFunction { ty } => {
                write!(f, "a kernel returns data, but this is a function: its type is `{ty}`")
            }

            Problem::UnequalLengths { of, left, right, left_from: l, right_from: r, why } => {
                match of {
                    LengthsOf::Arguments { callee, of_two: true, first, second } => write!(
                        f,
                        "`{callee}` needs two arrays of one length: the {} has length `{left}`{l}, the {} `{right}`{r}",
                        ordinal(*first),
                        ordinal(*second)
                    )?,
                    LengthsOf::Arguments { callee, of_two: false, first, second } => write!(
                        f,
                        "`{callee}` needs arrays of one length: the {} argument has length `{left}`{l}, the {} `{right}`{r}",
                        ordinal(*first),
                        ordinal(*second)
                    )?,
                    LengthsOf::Argument { callee } => write!(
                        f,
                        "`{callee}` needs an array of length `{left}`{l} here, but this one has length `{right}`{r}"
                    )?,
                    LengthsOf::Branches => {
                        write!(f, "the branches have different lengths, `{left}`{l} and `{right}`{r}")?;
                    }
                    LengthsOf::Annotation => {
                        write!(f, "this is annotated with length `{left}`, but it has length `{right}`{r}")?;
                    }
                    LengthsOf::Component { part } => write!(
                        f,
                        "`{part}` takes an array of length `{left}`{l}, but it is given one of length `{right}`{r}"
                    )?,
                    LengthsOf::Other => {
                        write!(f, "the lengths `{left}`{l} and `{right}`{r} would have to be equal")?;
                    }
                }
                write!(f, "; {why}")
            }
            Problem::AnnotationFalse { left, right } => write!(
                f,
                "this is annotated with length `{right}`, but its length is `{left}`: they differ whatever the sizes are"
            ),
            Problem::AssumptionFalse { call, assumption } => {
                write!(f, "`{call}` needs that {assumption}, which is false whatever the sizes are")
            }
            Problem::NotNeutral { callee, start, operator, neutral } => write!(
                f,
                "`{callee}` may combine this with elements more than once, so it must be neutral for `{operator}`: \
                 `{neutral}` is, `{start}` is not; `({operator} {start} …)` of a result combines it once"
            ),
            Problem::IndexOutside { index, is_negative: true, .. } => write!(
                f,
                "indices begin at 0, so `{index}` is outside of every array and stops the run; `last` is the last element"
            ),
            Problem::IndexOutside { index, len, .. } => write!(
                f,
                "this array has length `{len}` and indices begin at 0, so `{index}` is outside of it and stops the run"
            ),
            Problem::NegativeNumber { callee, number, counts, meant } => {
                match counts {
                    Counts::Made => write!(f, "`{callee}` makes this many elements, so `{number}` stops the run")?,
                    Counts::Place => write!(f, "`{callee}` counts from the front, so `{number}` stops the run")?,
                    Counts::Length => write!(
                        f,
                        "`{callee}` takes a number of elements, not where they end, so `{number}` stops the run"
                    )?,
                }
                match meant {
                    Some(meant) => write!(f, "; counted from the end it is `{meant}`"),
                    None => Ok(()),
                }
            }
            Problem::AmbiguousLength => {
                f.write_str("nothing says how long this array is; annotate it: `(: … (array-type … N))`")
            }
            Problem::DivisorZero => f.write_str("the divisor of a size is 0"),
            Problem::DividesByZero => f.write_str("this size divides by zero"),
            Problem::SizeByName { callee, function } => write!(
                f,
                "`{callee}` gives `{function}` numbers that are computed at run time, but given by name it takes a size, \
                 known before the run; in a lambda it takes an `Int`"
            ),
            Problem::HiddenLength { ty } => write!(
                f,
                "the length of this array is hidden: `{}`; it must be opened with `unpack` before it is used",
                Shown(ty)
            ),
            Problem::RowsOfHiddenLength { callee, function, left, right } => write!(
                f,
                "`{callee}` gives `{function}` elements whose length is hidden, `{right}`, but it takes arrays of a \
                 known length, `{left}`; the parameter of a lambda is opened"
            ),
            Problem::HiddenRows { callee, rows } => write!(
                f,
                "each row of this array has its own hidden length, `{}`, but `{callee}` needs rows of one length here: \
                 open each row with `(map (lambda (row) …) …)`, or join them with `joinRows`",
                Shown(rows)
            ),
            Problem::ResultOfHiddenLength { callee, left, right, changes_state } => write!(
                f,
                "`{callee}` needs a function whose result has a known length, `{}`, but the length of this one's is \
                 known only at run time: `{}`; {}",
                Shown(left),
                Shown(right),
                match changes_state {
                    true => {
                        "the state of `iterateWhile` may change its length: `(tuple state i)`, with the index of the next \
                         element"
                    }
                    false => "`joinRows` joins such results of a `map`",
                }
            ),
            Problem::LengthChangesEachRound { callee, right } => write!(
                f,
                "`{callee}` gives the result of this function to it again, whatever its length is: `{}`; so the function \
                 must take an array of every length, with elements of the same type",
                Shown(right)
            ),
            Problem::LengthLeavesScope { ty, length, explicit } => {
                write!(f, "the type of this, `{ty}`, mentions the length `{length}`, which exists only inside")?;
                if *explicit { f.write_str("; hide it with `(pack …)`") } else { Ok(()) }
            }
            Problem::LengthEscapes { length, from: Some(source) } => write!(
                f,
                "something from outside would have to have the length `{length}` ({source}), which is known only inside \
                 this function"
            ),
            Problem::LengthEscapes { length, from: None } => {
                write!(f, "this would need the length `{length}` outside the function in which it is known")
            }
            Problem::NothingToPack { ty } => write!(f, "`pack` hides the length of an array, but this is `{ty}`"),
            Problem::NothingToUnpack { ty } => match ty.kind() {
                TyKind::Array(array) => write!(
                    f,
                    "`unpack` opens a hidden length, but the length of this array is already known: `{}`",
                    array.len
                ),
                _ => write!(
                    f,
                    "`unpack` opens an array of hidden length such as `<∃X, Array[Float,X]>`, but this is `{ty}`"
                ),
            },
            Problem::UnpackNames { names, lengths } => {
                let s = if *lengths == 1 { "" } else { "s" };
                write!(f, "`unpack` names {names} lengths here, but this value hides {lengths} length{s}")
            }
            Problem::DependentElements { callee, position, element } => write!(
                f,
                "`{callee}` needs an array whose elements are all of one type, but the elements of this one depend on \
                 the position: at `{position}` it has `{element}`"
            ),
            Problem::DependentLength { callee: Some(callee), position } => write!(
                f,
                "the length that `{callee}` needs here depends on the position `{position}` of another array, but it \
                 must be the same at every position"
            ),
            Problem::DependentLength { callee: None, position } => write!(
                f,
                "a length that depends on the position `{position}` of an array is needed where there is no position"
            ),
            Problem::DependentRows { element, row, column } => write!(
                f,
                "`join` of rows whose elements are `{element}` in row `{row}` and column `{column}`: in one array the \
                 elements may depend only on their index"
            ),

            Problem::TooLargeToCheck => {
                f.write_str("this form is too large to be checked in reasonable time; split it into several `define`s")
            }
            Problem::TypeTooLarge { parts, depth } => write!(
                f,
                "the type of this is too large: it has more than {parts} parts, or more than {depth} in one another"
            ),
            Problem::TooManyConditions { most } => write!(
                f,
                "this form needs too many assumptions about lengths: more than {most}, of which long ones count as several"
            ),
            Problem::Placement { name, rule } => placement(f, name, rule),
        }
    }
}

fn mismatch(f: &mut Formatter<'_>, place: &TypePlace, expected: &Shown<'_>, actual: &Shown<'_>) -> fmt::Result {
    match place {
        TypePlace::Argument { callee, index } => {
            write!(f, "`{callee}` needs `{expected}` as its {} argument, but this is `{actual}`", ordinal(*index))
        }
        TypePlace::Condition => write!(f, "a condition is `Bool`, but this is `{actual}`"),
        TypePlace::Branches => {
            write!(f, "the branches of an `if` have one type; the first is `{expected}`, the second `{actual}`")
        }
        TypePlace::Annotation => write!(f, "this is annotated as `{expected}`, but it is `{actual}`"),
        TypePlace::Component { part } => write!(f, "`{part}` takes `{expected}`, but it gets `{actual}`"),
        TypePlace::Binder { name } => write!(f, "`{name}` would have to be both `{expected}` and `{actual}`"),
        TypePlace::Pattern => write!(f, "the pattern destructures `{expected}`, but the value is `{actual}`"),
        TypePlace::LengthOf => write!(f, "only an array has a length, but this is `{actual}`"),
        TypePlace::SizeName { name } => write!(
            f,
            "`{name}` must be a size here, but it is `{actual}`; `take`, `drop`, `slice`, `iota`, `generate` and `fill` \
             take an `Int`, without `#`"
        ),
        TypePlace::Other => write!(f, "this would have to be both `{expected}` and `{actual}`"),
    }
}

fn placement(f: &mut Formatter<'_>, name: &str, rule: &PlacementRule) -> fmt::Result {
    match rule {
        PlacementRule::FilterInsideGlobal => {
            write!(f, "`{name}` needs all work-items of the device and cannot run inside a global map; use `filterSeq`")
        }
        PlacementRule::DimensionTwice { dimension, of } => {
            let of = match of {
                Level::Global => "the global work-items",
                Level::Group => "the work-groups",
                Level::Local => "the group's work-items",
            };
            write!(f, "`{name}` uses dimension {dimension} of {of}, which a map around it uses already")
        }
        PlacementRule::GlobalInsideGroup => write!(
            f,
            "`{name}` spreads over all work-items of the device and cannot run inside a work-group; use `mapLcl` or \
             `mapSeq`"
        ),
        PlacementRule::GroupInsideGlobal => {
            write!(f, "`{name}` spreads over work-groups and cannot run inside a global map")
        }
        PlacementRule::GroupInsideLocal => {
            write!(f, "`{name}` spreads over work-groups and cannot run inside `mapLcl`")
        }
        PlacementRule::LocalOutsideGroup { group } => {
            write!(f, "`{name}` spreads over the work-items of a group and is allowed only inside `{group}`")
        }
        PlacementRule::LocalMemoryOutsideGroup => {
            write!(
                f,
                "`{name}` stores in the memory of a work-group, but there is no `mapWrg` around it: the result is \
                 stored in global memory, as by `toGlobal`"
            )
        }
    }
}

/// A phrase such as "what `filter pos` kept".
impl Display for LengthSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            LengthSource::Kept { call } => write!(f, "what `{call}` kept"),
            LengthSource::Counted { callee } => write!(f, "the number given to `{callee}`"),
            LengthSource::Returned { callee } => write!(f, "the length of what `{callee}` returns"),
            LengthSource::Branch => f.write_str("the length of the branch that is taken"),
            LengthSource::Hidden { value } => write!(f, "the hidden length of `{value}`"),
            LengthSource::Nameless => f.write_str("a hidden length"),
        }
    }
}

/// Follows the length, in brackets.
impl Display for Provenance {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Provenance::Opened(source) => write!(f, " ({source})"),
            Provenance::LengthOf(array) => write!(f, " (the length of `{array}`)"),
            Provenance::Nothing => Ok(()),
        }
    }
}

/// A clause that explains why two lengths may differ.
impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Difference::TwoFilters => f.write_str("two filters may keep different numbers of elements"),
            Difference::TwoHidden => f.write_str("two hidden lengths are equal only if they come from one value"),
            Difference::AtRunTime { name } => write!(f, "`{name}` is known only at run time"),
            Difference::Always => f.write_str("they differ whatever the sizes are"),
            Difference::NotKnown => f.write_str("nothing says that they are equal"),
            Difference::At { position, index, left, right, names: None } => {
                write!(f, "at {position} = {index} they are `{left}` and `{right}`")
            }
            Difference::At { position, index, left, right, names: Some([a, b]) } => {
                let elements = if left.is_one() { "element" } else { "elements" };
                write!(f, "at {position} = {index} `{a}` has {left} {elements}, `{b}` {right}")
            }
        }
    }
}
