//! The front end for APL. It evaluates a program as far as possible before the run, with ranks, kinds and lengths
//! known, and emits the rest as one kernel.
//!
//! Names, functions, operators, shapes and constants are evaluated away. Arrays are computed where they are read, or
//! stored if they are used more than once. The result of the kernel is what the program prints.
//!
//! | module | job |
//! |---|---|
//! | `value` | arrays, functions, frames, the state of an evaluation |
//! | `context` | terms and scalars |
//! | `arrays`, `cost` | elements, storing, lengths; what is computed at each use |
//! | `extend`, `scalar`, `complex`, `integer`, `factorial`, `circle` | functions of numbers, and how they extend to arrays |
//! | `counted`, `structure`, `turned`, `select`, `chosen`, `selection`, `expand`, `sets`, `encode` | moving, selecting and finding elements; digits |
//! | `choice`, `nested`, `nested_operators`, `overtake`, `partition`, `split`, `text`, `numerals`, `format` | arrays of arrays, numbers as text |
//! | `system`, `letters`, `random` | files, bits, letters, random numbers |
//! | `reduce`, `axis`, `cells`, `loops`, `power`, `inverses` | operators |
//! | `matrix` | systems of equations |
//! | `constant` | what is known before the run |
//! | `names` | uses of names in the text |
//! | `apply` | application of functions |
//! | `operators`, `phrase`, `frames`, `calls`, `again`, `recursion` | from the tree to values |
//! | `foreign` | lines of other dialects |
//! | `execute` | programs in texts |
//! | `words` | failures at run time |
//! | `entry` | functions as the kernels of a file |

mod again;
mod apply;
mod arrays;
mod axis;
mod calls;
mod cells;
mod choice;
mod chosen;
mod circle;
mod complex;
mod constant;
mod context;
mod cost;
mod counted;
mod encode;
mod entry;
mod execute;
mod expand;
mod extend;
mod factorial;
mod foreign;
pub mod format;
mod frames;
mod integer;
mod inverses;
mod letters;
mod loops;
mod matrix;
mod names;
mod nested;
mod nested_operators;
mod numerals;
mod operators;
mod overtake;
mod partition;
mod phrase;
mod power;
mod random;
mod recursion;
mod reduce;
mod scalar;
mod select;
mod selection;
mod sets;
mod split;
mod structure;
mod system;
mod text;
mod turned;
mod value;
mod words;

use crate::front::program::{Output, Translated as Program};
use crate::front::term::{Kind as TermKind, Term};
use crate::hir::Name;
use lift_syntax::apl::kernels::{self, KernelComment};
use lift_syntax::apl::{AplKind, parse};
use lift_syntax::{SyntaxErrorCode, TextRange, TextSize};
use std::rc::Rc;
use value::{Arr, Ev, Frame, Kind, Repr, Res};

/// The result of translating a program, for later stages and for the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Translated {
    pub program: Program,
    /// Ranges of applied glyphs, and whether each has two arguments.
    pub valences: Vec<(TextRange, char, bool)>,
    /// Types of the values of statements; a statement of a function has one for each distinct call.
    pub statements: Vec<(TextRange, String)>,
    /// Equalities of lengths that the run checks, by the range of the array.
    pub checks: Vec<(TextRange, String)>,
}

/// Translates the text of a program without kernel comments.
pub fn translate(text: &str) -> Translated {
    translate_kernel(text, None)
}

/// Translates a kernel of a program: the function `kernel` that a comment names, or the program itself.
pub fn translate_kernel(text: &str, kernel: Option<&str>) -> Translated {
    Evaluated::of(text).kernel(kernel)
}

/// Translates the kernels of a file, each with its name. The statements are evaluated once for all of them.
pub fn translate_file(text: &str) -> Vec<(Option<Name>, Translated)> {
    let mut names: Vec<Option<&str>> =
        kernels::split(text).into_iter().map(|form| form.name.map(|name| &text[name])).collect();
    let program = Evaluated::of(text);
    let Some(last) = names.pop() else { return Vec::new() };
    let of = |name: Option<&str>, program: Evaluated<'_>| (name.map(Name::from), program.kernel(name));
    let mut kernels: Vec<(Option<Name>, Translated)> =
        names.into_iter().map(|name| of(name, program.clone())).collect();
    kernels.push(of(last, program));
    kernels
}

/// A program after its statements were evaluated, before its kernels are.
#[derive(Clone)]
struct Evaluated<'t> {
    text: &'t str,
    ev: Ev,
    frame: Rc<Frame>,
    comments: Vec<KernelComment>,
    /// The first token.
    start: TextRange,
}

impl<'t> Evaluated<'t> {
    fn of(text: &'t str) -> Evaluated<'t> {
        let parsed = parse(text);
        let file = parsed.syntax();
        let mut ev = Ev::new(calls::call);
        ev.errors = parsed.errors;
        let frame = Rc::new(Frame::default());
        phrase::program(&mut ev, &file, &frame);
        let statement = file.children().find(|node| node.kind() == AplKind::Statement);
        let start = statement.map_or(TextRange::empty(TextSize::new(0)), |node| {
            let first = node.descendants_with_tokens().find_map(|part| part.into_token());
            first.map_or(node.text_range(), |token| token.text_range())
        });
        Evaluated { text, ev, frame, comments: kernels::kernel_comments(text), start }
    }

    fn kernel(self, kernel: Option<&str>) -> Translated {
        let mut ev = self.ev;
        let inputs = entry::entry(&mut ev, self.text, &self.comments, &self.frame, kernel).unwrap_or_else(|failure| {
            ev.report(failure);
            entry::Inputs::default()
        });
        let (outputs, result) = results(&mut ev);
        ev.errors.sort_by_key(|error| error.range.start());
        let named = self.comments.iter().find(|comment| kernel == Some(&self.text[comment.name]));
        let name = named.map_or(self.start, |comment| comment.name);
        let mut program =
            Program { errors: ev.errors, types: ev.notes, hidden: ev.hidden, outputs, ..Program::default() };
        // Files are bound to the first parameters.
        let mut sizes: Vec<_> = ev.sources.iter().map(|source| source.size.clone()).collect();
        let mut parameters: Vec<_> = ev.sources.iter().map(|source| source.parameter.clone()).collect();
        program.sources = ev.sources.iter().map(|source| source.file.as_str().into()).collect();
        sizes.extend(inputs.sizes);
        parameters.extend(inputs.parameters);
        program.set_body(&sizes, &parameters, result, name, SyntaxErrorCode::AplNotSupported);
        program.body.name = kernel.map(Name::from);
        Translated { program, valences: ev.valences, statements: ev.statements, checks: ev.checks }
    }
}

/// The printed values, and the kernel's result: a tuple of those computed at run time.
fn results(ev: &mut Ev) -> (Vec<Output>, Option<Term>) {
    let shown = std::mem::take(&mut ev.shown);
    let mut outputs = Vec::with_capacity(shown.len());
    let mut parts = Vec::new();
    for arr in shown {
        match output(ev, &arr, &mut parts) {
            Ok(output) => outputs.push(output),
            Err(failure) => {
                ev.report(failure);
                return (outputs, None);
            }
        }
    }
    let body = match <[Term; 1]>::try_from(parts) {
        Ok([one]) => one,
        Err(parts) if parts.is_empty() => ev.int(0),
        Err(parts) => ev.term(TermKind::Tuple(parts)),
    };
    (outputs, Some(ev.finish(body)))
}

/// The layout of a printed array; adds the terms whose values the run computes.
fn output(ev: &mut Ev, arr: &Arr, parts: &mut Vec<Term>) -> Res<Output> {
    if let Some(text) = characters(arr) {
        return Ok(Output::Text { text, array: arr.rank() > 0 });
    }
    ev.at = arr.range;
    let mut each =
        |ev: &mut Ev, arrays: &[Arr]| arrays.iter().map(|arr| output(ev, arr, parts)).collect::<Res<Vec<Output>>>();
    Ok(match &arr.repr {
        Repr::Text(pieces) => {
            let mut line = Vec::with_capacity(pieces.len());
            for piece in pieces.iter() {
                let written = each(ev, std::slice::from_ref(&piece.arr))?;
                line.extend(written.into_iter().map(|output| match piece.fixed {
                    Some(fixed) => Output::Fixed(fixed),
                    None => output,
                }));
            }
            Output::Line(line)
        }
        Repr::Boxes(boxes) if arr.rank() <= 1 => Output::Strand(each(ev, boxes)?),
        Repr::Boxes(boxes) => match arr.extents().as_deref() {
            Some(&[_, columns]) => Output::Grid { columns, parts: each(ev, boxes)? },
            _ => return value::not_supported(arr.range, "printing arrays of arrays with more than two axes"),
        },
        Repr::Rows(rows) => {
            parts.push(nested::rows_term(ev, arr, rows)?);
            Output::Rows { characters: rows.kind == Kind::Char }
        }
        _ => {
            let stored = ev.stored(arr)?;
            parts.push(match &stored.repr {
                Repr::Stored(bound) => ev.local(bound),
                _ => ev.element(&stored, &[])?,
            });
            if arr.kind == Kind::Char { Output::Characters } else { Output::Value }
        }
    })
}

/// The lines of a character array; `None` for any other array.
fn characters(arr: &Arr) -> Option<String> {
    if arr.kind != Kind::Char {
        return None;
    }
    let codes = arr.known()?;
    let all: Vec<char> = codes.iter().filter_map(|code| char::from_u32(*code as u32)).collect();
    let width = arr.extents()?.last().copied().unwrap_or(all.len()).max(1);
    let lines: Vec<String> = all.chunks(width).map(|line| line.iter().collect()).collect();
    Some(lines.join("\n"))
}

#[cfg(test)]
mod tests;
