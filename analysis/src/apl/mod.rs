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
//! | `arrays` | elements, storing, lengths |
//! | `scalar` | scalar functions and extension |
//! | `structure`, `select` | moving and selecting elements |
//! | `reduce`, `power` | operators |
//! | `names` | uses of names in the text |
//! | `apply` | application of functions |
//! | `operators`, `phrase`, `calls` | from the tree to values |
//! | `entry` | a function as the kernel of a file |

mod apply;
mod arrays;
mod calls;
mod context;
mod entry;
mod names;
mod operators;
mod phrase;
mod power;
mod reduce;
mod scalar;
mod select;
mod structure;
mod value;

use crate::front::program::{Output, Translated as Program};
use crate::front::term::{Kind as TermKind, Term};
use lift_syntax::apl::{AplKind, parse};
use lift_syntax::{SyntaxErrorCode, TextRange, TextSize};
use value::{Arr, Ev, Frame, Kind, Shown};

/// The result of translating a program, for later stages and for the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Translated {
    pub program: Program,
    /// Applied glyphs, and whether to two arguments.
    pub valences: Vec<(TextRange, char, bool)>,
}

/// Translates the text of a program.
pub fn translate(text: &str) -> Translated {
    let parsed = parse(text);
    let file = parsed.syntax();
    let mut ev = Ev::new(calls::call);
    ev.errors = parsed.errors;
    let frame = std::rc::Rc::new(Frame::default());
    phrase::program(&mut ev, &file, &frame);
    let inputs = entry::entry(&mut ev, &file, &frame).unwrap_or_else(|failure| {
        ev.report(failure);
        entry::Inputs::default()
    });
    let (outputs, result) = results(&mut ev);
    ev.errors.sort_by_key(|error| error.range.start());
    let start = file.children().find(|node| node.kind() == AplKind::Statement);
    let name = start.map_or(TextRange::empty(TextSize::new(0)), |node| {
        let first = node.descendants_with_tokens().find_map(|part| part.into_token());
        first.map_or(node.text_range(), |token| token.text_range())
    });
    let mut program = Program { errors: ev.errors, types: ev.notes, hidden: ev.hidden, outputs, ..Program::default() };
    program.set_body(&inputs.sizes, &inputs.parameters, result, name, SyntaxErrorCode::AplNotSupported);
    Translated { program, valences: ev.valences }
}

/// The printed values, and the kernel's result: a tuple of those computed at run time.
fn results(ev: &mut Ev) -> (Vec<Output>, Option<Term>) {
    let shown = std::mem::take(&mut ev.shown);
    let mut outputs = Vec::with_capacity(shown.len());
    let mut parts = Vec::new();
    for Shown::Value(arr) in shown {
        if let Some(text) = characters(&arr) {
            outputs.push(Output::Text(text));
            continue;
        }
        outputs.push(Output::Value);
        match result(ev, &arr) {
            Ok(term) => parts.push(term),
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

fn result(ev: &mut Ev, arr: &Arr) -> value::Res<Term> {
    ev.at = arr.range;
    let stored = ev.stored(arr)?;
    match &stored.repr {
        value::Repr::Stored(bound) => Ok(ev.local(bound)),
        _ => ev.element(&stored, &[]),
    }
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
