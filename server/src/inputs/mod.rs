//! Reads a kernel's arguments as given on a command line.
//!
//! [`lift_codegen::io`] defines the syntax of arguments and literals and infers sizes from shapes; this module reads
//! the files, and writes results in the same formats.
//!
//! | module | job |
//! |---|---|
//! | `npy` | NumPy's `.npy` files |
//! | `picture` | pictures as values, and values as pictures |
//! | `open` | opens inputs: files, pipes and standard input |
//! | `arrow` | Arrow IPC files (also called Feather) |
//! | `csv` | CSV files |
//! | `npz` | NumPy's `.npz` files |
//! | `png` | PNG files |
//! | `pnm` | PGM and PPM files |
//! | [`format`] | file formats of inputs and results |
//! | [`kinds`] | element kind and rank of inputs, for kernels whose parameters have no types yet |
//! | [`named`] | inputs that name their parameter or size |
//! | [`run_line`] | the lines `;;; run:` and `;;; test:` of a program |

mod arrow;
mod csv;
pub mod format;
pub mod kinds;
pub mod named;
mod npy;
mod npz;
mod open;
mod picture;
mod png;
mod pnm;
pub mod run_line;

use format::Place;
use lift_analysis::size::Var;
use lift_analysis::ty::Ty;
use lift_codegen::core::{Kernel, VarId};
use lift_codegen::io::bind::Argument;
use lift_codegen::io::cast::Casts;
use lift_codegen::io::generate::Generator;
use lift_codegen::io::{InputError, InputSource, literal};
use lift_codegen::value::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// How inputs are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// Base of relative file names.
    pub folder: &'a Path,
    pub casts: Casts,
    /// Whether pipes and standard input are read too, which may block for ever.
    pub streams: bool,
}

impl Reading<'_> {
    /// Reads files as they are.
    pub fn files(folder: &Path) -> Reading<'_> {
        Reading { folder, casts: Casts::Refused, streams: false }
    }
}

/// Reads the arguments of a kernel, one per word. An error is a message for the user.
pub fn arguments(kernel: &Kernel, words: &[String], reading: &Reading<'_>) -> Result<Vec<Argument>, String> {
    if words.len() != kernel.params.len() {
        return Err(wrong_count(kernel, words.len()));
    }
    if words.iter().filter(|word| Place::parse(Path::new(word.trim())).is_standard()).count() > 1 {
        return Err("standard input, `-`, can be one input only".to_owned());
    }
    let argument = |(nth, word): (usize, &String)| {
        let param = kernel.params[nth];
        let ty = kernel.ty(param);
        Ok(match InputSource::parse(word.trim()).map_err(literal_error)? {
            InputSource::File(path) => Place::parse(Path::new(&path)).read(ty, reading)?,
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
        InputSource::File(path) => Place::parse(Path::new(&path)).read(ty, &Reading::files(folder))?,
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
    let varied = |seed: u64| seed ^ nth.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    match generator {
        Generator::Random { seed } => Generator::Random { seed: varied(seed) },
        Generator::Signed { seed } => Generator::Signed { seed: varied(seed) },
        Generator::Iota => Generator::Iota,
    }
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
