//! Functions of APL without types: the inputs of a run give them, as a comment would.

use crate::inputs::{Reading, kinds};
use crate::program::Program;
use crate::report::{Problem, codes};
use lift_analysis::ide::{Cancellable, Symbol, SymbolKind};
use lift_syntax::Language;
use std::sync::Arc;

/// The name that an APL program assigns, unless it is a kernel or an array.
pub fn untyped(program: &Program, path: &Arc<str>, name: &str) -> Cancellable<Option<Symbol>> {
    if Language::of_path(path) != Language::Apl || program.analysis.kernels(path)?.iter().any(|k| k.name == name) {
        return Ok(None);
    }
    let mut symbols = program.analysis.symbols(path)?.into_iter();
    Ok(symbols.find(|symbol| symbol.name == name && (symbol.kind == SymbolKind::Function || symbol.detail.is_empty())))
}

/// The names of the functions of an APL program; of other programs none.
pub fn functions(program: &Program, path: &Arc<str>) -> Cancellable<Vec<String>> {
    if Language::of_path(path) != Language::Apl {
        return Ok(Vec::new());
    }
    let symbols = program.analysis.symbols(path)?.into_iter();
    Ok(symbols.filter(|symbol| symbol.kind == SymbolKind::Function).map(|symbol| symbol.name).collect())
}

/// The error that says which comment makes a function a kernel.
pub fn wanted(path: &Arc<str>, function: &Symbol, why: &str) -> Problem {
    let name = &function.name;
    let message = format!(
        "the types of the arguments of `{name}` are not known{why}: write a comment such as `⍝: {name} [double]1`, with \
         the kind (`bool`, `int` or `double`) and the rank of each argument"
    );
    Problem::error(path, codes::NO_SUCH_KERNEL, message).at(function.focus)
}

/// The program with the comment that makes a function the kernel of these inputs.
pub fn typed(
    program: &Program,
    path: &Arc<str>,
    function: &Symbol,
    inputs: &[String],
    reading: &Reading<'_>,
) -> Cancellable<Result<Program, Problem>> {
    let name = &function.name;
    if !matches!(inputs.len(), 1 | 2) {
        let why = if inputs.is_empty() { "" } else { "; a function has one or two arguments" };
        return Ok(Err(wanted(path, function, why)));
    }
    let mut comment = format!("⍝: {name}");
    for word in inputs {
        match kinds::type_of(word, reading) {
            Ok(ty) => comment.extend([" ", &ty]),
            Err(why) => return Ok(Err(wanted(path, function, &format!(" (`{word}`: {why})")))),
        }
    }
    let text = program.analysis.text(path)?.unwrap_or_default();
    Ok(Ok(program.edited(path, &format!("{text}\n{comment}\n"))?))
}
