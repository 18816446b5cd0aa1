//! Reads a kernel's arguments as given on a command line.
//!
//! [`lift_codegen::io`] defines the syntax of arguments and literals and infers sizes from shapes; this module reads
//! the files.

pub mod arrow;
pub mod npy;
pub mod npz;
pub mod run_line;

use crate::files::{self, ReadError};
use lift_analysis::size::Var;
use lift_analysis::ty::Ty;
use lift_codegen::core::{Kernel, VarId};
use lift_codegen::io::bind::Argument;
use lift_codegen::io::generate::Generator;
use lift_codegen::io::{InputError, InputSource, literal, text};
use lift_codegen::value::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest text file that is read as an input, in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// Reads the arguments of a kernel, one per word. File names are relative to `folder`. An error is a message for the
/// user.
pub fn arguments(kernel: &Kernel, words: &[String], folder: &Path) -> Result<Vec<Argument>, String> {
    if words.len() != kernel.params.len() {
        return Err(wrong_count(kernel, words.len()));
    }
    let argument = |(nth, word): (usize, &String)| {
        let param = kernel.params[nth];
        let ty = kernel.ty(param);
        Ok(match InputSource::parse(word.trim()).map_err(literal_error)? {
            InputSource::File(path) => read_file(&folder.join(path), ty)?,
            InputSource::Literal(text) => literal::parse(ty, &text).map_err(literal_error)?.into(),
            InputSource::Generated(generator) => Argument::Generated(for_parameter(generator, nth as u64)),
        })
    };
    let named = |(nth, word): (usize, &String)| {
        let name = kernel.name_of(kernel.params[nth]);
        argument((nth, word)).map_err(|why: String| format!("input `{name}`, given as `{}`: {why}", shown(word)))
    };
    words.iter().enumerate().map(named).collect()
}

/// Reads an expected value, which is a literal or a file.
pub fn value(word: &str, ty: &Ty, folder: &Path) -> Result<Value, String> {
    let argument = match InputSource::parse(word.trim()).map_err(literal_error)? {
        InputSource::File(path) => read_file(&folder.join(path), ty)?,
        InputSource::Literal(text) => literal::parse(ty, &text).map_err(literal_error)?.into(),
        InputSource::Generated(generator) => Argument::Generated(generator),
    };
    match argument {
        Argument::Value { value, .. } => Ok(value),
        Argument::Generated(_) => Err(format!("`{word}` makes inputs; a literal or a file is wanted")),
    }
}

/// Varies the seed by parameter, so that two random inputs of a run differ.
fn for_parameter(generator: Generator, nth: u64) -> Generator {
    match generator {
        Generator::Random { seed } => Generator::Random { seed: seed ^ nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) },
        other => other,
    }
}

/// Binary file formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    Npy,
    Npz,
    Arrow,
}

impl Binary {
    /// Returns the format of a file name's extension.
    pub fn named(path: &Path) -> Option<Binary> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "npy" => Some(Binary::Npy),
            "npz" => Some(Binary::Npz),
            "arrow" | "feather" => Some(Binary::Arrow),
            _ => None,
        }
    }

    /// Returns the format of a file's first bytes.
    fn begun(path: &Path) -> Option<Binary> {
        let mut start = [0; 6];
        // Opening a pipe could block.
        let regular = std::fs::metadata(path).is_ok_and(|m| m.is_file());
        if !regular || File::open(path).and_then(|mut f| f.read_exact(&mut start)).is_err() {
            return None;
        }
        let begins = [(b"\x93NUMPY".as_slice(), Binary::Npy), (npz::MAGIC, Binary::Npz), (arrow::MAGIC, Binary::Arrow)];
        begins.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, format)| *format)
    }

    /// Reads a file as a value of type `ty`.
    fn read(self, path: &Path, ty: &Ty) -> Result<Argument, String> {
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => return Err("this is a directory, not a file".to_owned()),
            Ok(meta) if !meta.is_file() => return Err("this is not a regular file".to_owned()),
            Ok(_) => {}
            Err(e) => return Err(cannot_open(&e)),
        }
        match self {
            Binary::Npy => npy::read(path, ty),
            Binary::Npz => npz::read(path, ty).map(Argument::from),
            Binary::Arrow => arrow::read(path, ty).map(Argument::from),
        }
    }

    /// Writes a value of type `ty` to a file. An error is a message for the user.
    pub fn write(self, path: &Path, value: &Value, ty: &Ty) -> Result<(), String> {
        match self {
            Binary::Npy => npy::write(path, value, ty),
            Binary::Npz => npz::write(path, value, ty),
            Binary::Arrow => arrow::write(path, value, ty),
        }
    }
}

fn cannot_open(e: &io::Error) -> String {
    if e.kind() == io::ErrorKind::NotFound { "there is no such file".to_owned() } else { e.to_string() }
}

/// Resolves the names of a kernel's size parameters. An error is a message for the user.
pub fn given_sizes(kernel: &Kernel, sizes: &BTreeMap<String, i64>) -> Result<Vec<(Var, i64)>, String> {
    let find = |(name, value): (&String, &i64)| {
        let var = kernel.sizes.iter().find(|v| *v.name == **name);
        let known = kernel.sizes.iter().map(|v| format!("`{}`", v.name)).collect::<Vec<_>>().join(", ");
        let known = match kernel.sizes.len() {
            0 => "no sizes".to_owned(),
            1 => format!("the size {known}"),
            _ => format!("the sizes {known}"),
        };
        var.map(|v| (v.clone(), *value)).ok_or_else(|| format!("`{}` has {known}, and no `{name}`", kernel.name))
    };
    sizes.iter().map(find).collect()
}

fn read_file(path: &Path, ty: &Ty) -> Result<Argument, String> {
    if let Some(format) = Binary::named(path).or_else(|| Binary::begun(path)) {
        return format.read(path, ty);
    }
    let bytes = files::read_bytes(path, MAX_TEXT).map_err(|e| e.to_string())?;
    let content = files::text_of(bytes).map_err(|e| match e {
        ReadError::NotUtf8 { .. } => format!("neither text nor a `.npy`, `.npz` or Arrow file: {e}"),
        e => e.to_string(),
    })?;
    let separated = path.extension().is_some_and(|ending| ending == "csv");
    let content = if separated { content.replace(',', " ") } else { content };
    let value = text::parse(ty, &content).map_err(|e| match e.at {
        Some((line, column)) => format!("line {line}, column {column}: {}", e.message),
        None => e.message,
    })?;
    Ok(value.into())
}

fn literal_error(e: InputError) -> String {
    match e.at {
        Some((_, column)) if column > 1 => format!("at character {column}: {}", e.message),
        _ => e.message,
    }
}

/// Shortens literals for messages; file names stay complete.
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
