//! A kernel's arguments: from the words of a command line to values.
//!
//! What a word means, how numbers are read from text, and how the shapes of arguments tell the sizes is
//! [`lift_codegen::io`]'s business; here files are opened.

pub mod npy;
pub mod run_line;

use crate::files::{self, ReadError};
use lift_analysis::ty::Ty;
use lift_codegen::core::{Kernel, VarId};
use lift_codegen::io::bind::Argument;
use lift_codegen::io::generate::Generator;
use lift_codegen::io::{InputError, InputSource, literal, text};
use lift_codegen::value::Value;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest text file that is read as an input, in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// The arguments of a kernel, one for each word. File names are relative to `folder`. An error is a message for the
/// user.
pub fn arguments(kernel: &Kernel, words: &[String], folder: &Path) -> Result<Vec<Argument>, String> {
    if words.len() != kernel.params.len() {
        return Err(wrong_count(kernel, words.len()));
    }
    let argument = |(nth, word): (usize, &String)| {
        let param = kernel.params[nth];
        let ty = kernel.ty(param);
        let read = match InputSource::parse(word.trim()).map_err(literal_error)? {
            InputSource::File(path) => read_file(&folder.join(path), ty)?,
            InputSource::Literal(text) => literal::parse(ty, &text).map_err(literal_error)?,
            InputSource::Generated(generator) => return Ok(Argument::Generated(for_parameter(generator, nth as u64))),
        };
        Ok(Argument::Value(read))
    };
    let named = |(nth, word): (usize, &String)| {
        let name = kernel.name_of(kernel.params[nth]);
        argument((nth, word)).map_err(|why: String| format!("input `{name}`, given as `{}`: {why}", shown(word)))
    };
    words.iter().enumerate().map(named).collect()
}

/// Two random inputs of one run are not the same numbers.
fn for_parameter(generator: Generator, nth: u64) -> Generator {
    match generator {
        Generator::Random { seed } => Generator::Random { seed: seed ^ nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) },
        other => other,
    }
}

fn read_file(path: &Path, ty: &Ty) -> Result<Value, String> {
    let is_npy = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) || starts_like_npy(path);
    if is_npy {
        return npy::read(path, ty);
    }
    let bytes = files::read_bytes(path, MAX_TEXT).map_err(|e| e.to_string())?;
    let content = files::text_of(bytes).map_err(|e| match e {
        ReadError::NotUtf8 { .. } => format!("neither a `.npy` file nor text: {e}"),
        e => e.to_string(),
    })?;
    text::parse(ty, &content).map_err(|e| match e.at {
        Some((line, column)) => format!("line {line}, column {column}: {}", e.message),
        None => e.message,
    })
}

fn starts_like_npy(path: &Path) -> bool {
    let mut magic = [0; 6];
    // a pipe is not even opened
    std::fs::metadata(path).is_ok_and(|m| m.is_file())
        && File::open(path).and_then(|mut f| f.read_exact(&mut magic)).is_ok()
        && magic == *b"\x93NUMPY"
}

fn literal_error(e: InputError) -> String {
    match e.at {
        Some((_, column)) if column > 1 => format!("at character {column}: {}", e.message),
        _ => e.message,
    }
}

/// Literals can be long; of a file the whole name is worth reading.
fn shown(word: &str) -> String {
    let word = word.trim();
    match word.char_indices().nth(60) {
        Some((end, _)) if word.starts_with(['[', '(']) => format!("{}…", &word[..end]),
        _ => word.to_owned(),
    }
}

fn wrong_count(kernel: &Kernel, given: usize) -> String {
    let parameter = |p: &VarId| format!("`{}: {}`", kernel.name_of(*p), kernel.ty(*p));
    let list: Vec<String> = kernel.params.iter().map(parameter).collect();
    let takes = match list.len() {
        0 => "no inputs".to_owned(),
        1 => format!("one input, {}", list[0]),
        n => format!("{n} inputs, {}", list.join(", ")),
    };
    let given = match given {
        0 => "none is given".to_owned(),
        1 => "one is given".to_owned(),
        n => format!("{n} are given"),
    };
    format!("`{}` takes {takes}; {given}", kernel.name)
}
