//! The kernel of a file: a comment `⍝: mean [double]1` names a function and the types of its arguments.
//!
//! A type is `[bool]`, `[int]` or `[double]` with a rank; the first of two types is that of `⍺`. Each axis of each
//! argument has its own length.

use super::apply::apply;
use super::value::{Arr, Ev, Frame, Kind, Repr, Res, Scalar, Value, fail, not_supported};
use crate::front::build::Parameter;
use crate::front::term::Bound;
use lift_syntax::SyntaxErrorCode::{AplName, AplPhrase};
use lift_syntax::TextRange;
use lift_syntax::apl::{AplKind, AplNode};

/// Names of lengths, by axis.
const LENGTHS: [&str; 8] = ["N", "M", "K", "L", "P", "Q", "R", "S"];

/// The parameters of a kernel.
#[derive(Default)]
pub struct Inputs {
    pub sizes: Vec<Bound>,
    pub parameters: Vec<Parameter>,
}

/// Applies the function named in such a comment, if there is one, to the kernel's parameters. Then only its result is
/// printed.
pub fn entry(ev: &mut Ev, file: &AplNode, frame: &Frame) -> Res<Inputs> {
    let mut comments = super::names::tokens(file).filter(|token| token.kind() == AplKind::Comment);
    let Some(comment) = comments.find(|token| token.text().starts_with("⍝:")) else { return Ok(Inputs::default()) };
    let range = comment.text_range();
    let mut words = comment.text().trim_start_matches("⍝:").split_whitespace();
    let name = words.next().unwrap_or_default().to_owned();
    let types: Option<Vec<(Kind, usize)>> = words.map(read_type).collect();
    let Some(types) = types.filter(|types| matches!(types.len(), 1 | 2)) else {
        let message = "a kernel is told as `⍝: name [double]1`: a name and one or two types, each with its rank";
        return fail(AplPhrase, range, message);
    };
    let f = match frame.lookup(&name) {
        Some(Value::Fun(f)) => f,
        Some(Value::Broken) => return Err(super::value::Failure::Reported),
        // The mistake in the program may be why there is no such function.
        _ if !ev.errors.is_empty() => return Err(super::value::Failure::Reported),
        _ => return fail(AplName, range, format!("there is no function `{name}`")),
    };
    let mut inputs = Inputs::default();
    let names = if types.len() == 2 { &["left", "right"][..] } else { &["right"] };
    let mut arguments = Vec::new();
    for (name, (kind, rank)) in names.iter().zip(types) {
        arguments.push(parameter(ev, &mut inputs, name, kind, rank, range)?);
    }
    let Some(right) = arguments.pop() else { return Ok(inputs) };
    let result = apply(ev, &f, arguments.pop().as_ref(), &right)?;
    ev.shown = vec![result];
    Ok(inputs)
}

/// Reads a type such as `[double]2`.
fn read_type(word: &str) -> Option<(Kind, usize)> {
    let (kind, rank) = word.strip_prefix('[')?.split_once(']')?;
    let kind = match kind {
        "bool" => Kind::Bool,
        "int" => Kind::Int,
        "double" => Kind::Double,
        _ => return None,
    };
    Some((kind, rank.parse().ok().filter(|rank| *rank <= 3)?))
}

fn parameter(ev: &mut Ev, inputs: &mut Inputs, name: &str, kind: Kind, rank: usize, range: TextRange) -> Res<Arr> {
    let mut shape = Vec::with_capacity(rank);
    for _ in 0..rank {
        let size = ev.fresh(LENGTHS.get(inputs.sizes.len()).copied().unwrap_or("T"));
        shape.push(size.as_size());
        inputs.sizes.push(size);
    }
    let bound = ev.fresh(name);
    let Some(scalar) = kind.scalar() else { return not_supported(range, "a kernel of such arguments") };
    inputs.parameters.push(Parameter { name: bound.clone(), scalar, shape: shape.clone(), range });
    let repr = if rank == 0 {
        Repr::Items([Scalar { kind, term: ev.local(&bound), known: None, size: None }].into())
    } else {
        Repr::Stored(bound)
    };
    Ok(Arr { kind, shape, repr, range })
}
