//! The kernels of a file: a comment `⍝: mean [double]1` names a function and the types of its arguments.
//!
//! A type is `[bool]`, `[int]` or `[double]` with a rank; the first of two types is that of `⍺`. Each axis of each
//! argument has its own length.

use super::apply::apply;
use super::value::{Arr, Ev, Failure, Frame, Kind, Repr, Res, Scalar, Value, fail, fail_with, not_supported};
use crate::front::build::Parameter;
use crate::front::term::Bound;
use lift_syntax::SyntaxErrorCode::{AplName, AplPhrase};
use lift_syntax::TextRange;
use lift_syntax::apl::kernels::KernelComment;

/// Names of lengths, by axis.
const LENGTHS: [&str; 8] = ["N", "M", "K", "L", "P", "Q", "R", "S"];

/// The parameters of a kernel.
#[derive(Default)]
pub struct Inputs {
    pub sizes: Vec<Bound>,
    pub parameters: Vec<Parameter>,
}

/// Applies the function of kernel `name` to the kernel's parameters. Then only its result is printed. Every comment of the
/// file that names a kernel is checked, because some name no function that could be one.
pub fn entry(ev: &mut Ev, text: &str, comments: &[KernelComment], frame: &Frame, name: Option<&str>) -> Res<Inputs> {
    let wrong = !ev.errors.is_empty();
    let mut wanted: Option<(TextRange, Vec<(Kind, usize)>)> = None;
    for comment in comments {
        let range = comment.range;
        let types: Option<Vec<(Kind, usize)>> =
            text[TextRange::new(comment.name.end(), range.end())].split_whitespace().map(read_type).collect();
        let Some(types) = types.filter(|types| !comment.name.is_empty() && matches!(types.len(), 1 | 2)) else {
            let message =
                "a kernel is declared as `⍝: name [double]1`: a name and one or two types, each with its rank";
            ev.report(fail::<()>(AplPhrase, range, message).err().unwrap_or(Failure::Reported));
            continue;
        };
        if name != Some(&text[comment.name]) {
            continue;
        }
        match &wanted {
            None => wanted = Some((range, types)),
            Some((first, _)) => {
                let related = Some((*first, "the first one".to_owned()));
                return fail_with(AplPhrase, range, "a function is the kernel of one comment", related);
            }
        }
    }
    let (Some(name), Some((range, types))) = (name, wanted) else { return Ok(Inputs::default()) };
    let f = match frame.lookup(name) {
        Some(Value::Fun(f)) => f,
        Some(Value::Broken) => return Err(Failure::Reported),
        // The mistake in the program may be why there is no such function.
        _ if wrong => return Err(Failure::Reported),
        Some(_) => return fail(AplName, range, format!("`{name}` is not a function")),
        None => return fail(AplName, range, format!("there is no function `{name}`")),
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
