//! The front end for FCL: a program is typed with levels, then evaluated as far as possible before the run; the rest is
//! one kernel.
//!
//! The evaluation removes functions, pairs, lengths, levels and arrays that are computed where they are read; the
//! kernel computes `force`, `interleave` and printed arrays. The result of the kernel is what `main` prints, or the
//! value of `main` if it prints nothing.
//!
//! | module | job |
//! |---|---|
//! | `types`, `unify`, `infer` | Hindley–Milner with levels |
//! | `library` | what every program knows |
//! | `value` | what a program computes with before the run, and the state of an evaluation |
//! | `eval`, `scalar`, `prims` | from expressions to values |
//! | `arrays`, `place`, `seqfor`, `collective`, `store`, `loops` | arrays, and where they are computed and stored |
//! | `words` | failures at run time |
//! | `entry` | `main` as a kernel |

mod arrays;
mod collective;
mod entry;
mod eval;
mod infer;
mod library;
mod loops;
mod place;
mod prims;
mod scalar;
mod seqfor;
mod store;
mod types;
mod unify;
mod value;
mod words;

use crate::front::build::Parameter;
use crate::front::program::{Output, Translated as Program};
use lift_syntax::fcl::{FclKind, FclNode, ast, parse};
use lift_syntax::{SyntaxError, SyntaxErrorCode, TextRange, TextSize};

use library::library;
use value::Ev;

/// A translated program, for later stages and for the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Translated {
    pub program: Program,
    /// Names of the program with their types, in order.
    pub definitions: Vec<(TextRange, String, String)>,
    /// Uses of names that the program binds, and where these are bound.
    pub uses: Vec<(TextRange, TextRange)>,
    /// The translation of parts of the text.
    pub becomes: Vec<(TextRange, String)>,
    /// Where arrays are stored, each with its memory and size.
    pub stores: Vec<(TextRange, String)>,
}

/// Translates the text of a program.
pub fn translate(text: &str) -> Translated {
    let parsed = parse(text);
    let tree = parsed.syntax();
    let written = ast::program(&tree);
    let library = library();
    let inferred = infer::infer(&written, &library.types);
    let wrong: Vec<TextRange> = parsed.errors.iter().map(|error| error.range).collect();
    let mut program = Program { errors: parsed.errors, types: inferred.types, ..Program::default() };
    let guessed = guessed(&tree, &wrong);
    let own = |error: &SyntaxError| !guessed.iter().any(|node| node.contains_range(error.range));
    program.errors.extend(inferred.errors.into_iter().filter(own));
    let (mut becomes, mut stores) = (Vec::new(), Vec::new());
    let main = inferred.definitions.iter().rev().find(|(name, _)| &*name.text == "main");
    let first = written.definitions.first().map_or(TextRange::empty(TextSize::new(0)), |first| first.name.range);
    let name = main.map_or(first, |(name, _)| name.range);
    let mut ev = Ev::new();
    let mut result = None;
    if let Some((name, scheme)) = main.filter(|_| program.errors.is_empty()) {
        match entry::kernel(&mut ev, &written.definitions, name, &scheme.ty) {
            Ok((term, shown)) => {
                program.outputs = vec![Output::Value; shown];
                result = Some(ev.finish(term));
            }
            Err(failure) => ev.report(failure),
        }
        program.errors.append(&mut ev.errors);
        (becomes, stores) = (std::mem::take(&mut ev.becomes), std::mem::take(&mut ev.stores));
    }
    program.errors.sort_by_key(|error| error.range.start());
    program.hidden = ev.hidden;
    program.sources = ev.inputs.iter().filter_map(|input| Some(input.source.as_deref()?.into())).collect();
    let parameter = |input: value::Input| Parameter {
        name: input.name,
        scalar: input.scalar,
        shape: input.shape,
        range: input.range,
    };
    let parameters: Vec<Parameter> = ev.inputs.into_iter().map(parameter).collect();
    program.set_body(&ev.lengths, &parameters, result, name, SyntaxErrorCode::FclNotSupported);
    let definitions = inferred.definitions.iter();
    let definitions =
        definitions.map(|(name, scheme)| (name.range, name.text.to_string(), scheme.to_string())).collect();
    Translated { program, definitions, uses: inferred.uses, becomes, stores }
}

/// The declarations with a syntax error in them or at their end, and their signatures. Their meaning is a guess, so no
/// other error is reported there.
fn guessed(tree: &FclNode, wrong: &[TextRange]) -> Vec<TextRange> {
    let nodes: Vec<FclNode> = tree.children().collect();
    let end = tree.text_range().end();
    let start_of = |place: usize| nodes.get(place).map_or(end, |node| node.text_range().start());
    let reaches = nodes.iter().enumerate().map(|(place, node)| {
        let covered = if node.kind() == FclKind::Signature { 2 } else { 1 };
        TextRange::new(start_of(place), start_of(place + covered))
    });
    let is_wrong = |node: &TextRange| wrong.iter().any(|at| node.start() < at.start() && at.start() <= node.end());
    reaches.filter(is_wrong).collect()
}

/// The type of a name that every program knows, and what it does.
pub fn about(name: &str) -> Option<(String, Option<String>)> {
    let library = library();
    let ty = library.types.get(name)?.to_string();
    Some((ty, library.about(name).map(str::to_owned)))
}

/// The names that every program knows, sorted, with their types.
pub fn library_names() -> Vec<(String, String)> {
    let library = library();
    let mut names: Vec<_> = library.types.iter().map(|(name, ty)| (name.to_string(), ty.to_string())).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests;
