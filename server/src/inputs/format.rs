//! File formats of inputs and results.

use super::open::{Opened, STANDARD_INPUT};
use super::picture::Picture;
use super::{Reading, arrow, csv, npy, npz, png, pnm};
use crate::files::{self, ReadError};
use lift_analysis::ty::Ty;
use lift_codegen::io::bind::Argument;
use lift_codegen::io::text;
use lift_codegen::value::Value;
use std::path::{Path, PathBuf};

/// Largest text that is read as an input, in bytes.
const MAX_TEXT: u64 = 1 << 30;
/// Largest Arrow file or picture that is read, in bytes.
const MAX_BYTES: u64 = 1 << 34;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    Npy,
    Npz,
    Arrow,
    Csv,
    Png,
    Pgm,
    Ppm,
    /// Only for inputs: the bytes of the file are the elements.
    Bytes,
    /// Only for inputs: all numbers of a text, however they are divided into lines.
    Numbers,
    /// Only for inputs: numbers separated by white space.
    Text,
}

/// Extensions of file names, which are also prefixes: `csv:-`.
const NAMED: [(&str, FileFormat); 10] = [
    ("npy", FileFormat::Npy),
    ("npz", FileFormat::Npz),
    ("arrow", FileFormat::Arrow),
    ("feather", FileFormat::Arrow),
    ("csv", FileFormat::Csv),
    ("png", FileFormat::Png),
    ("pgm", FileFormat::Pgm),
    ("ppm", FileFormat::Ppm),
    ("bytes", FileFormat::Bytes),
    ("numbers", FileFormat::Numbers),
];

/// First bytes of files that are not read, and what they are.
const FOREIGN: [(&[u8], &str); 3] =
    [(b"PAR1", "a Parquet file"), (b"\xff\xff\xff\xff", "an Arrow stream"), (b"\x89HDF", "an HDF5 file")];

/// A file as the command line names it: `data.npy`, `csv:data.txt`, `csv:-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    /// Given by the prefix or the extension.
    pub format: Option<FileFormat>,
}

impl Place {
    pub fn parse(word: &Path) -> Place {
        let prefixed = word.to_str().and_then(|word| word.split_once(':'));
        if let Some((prefix, rest)) = prefixed
            && let Some(format) = named(prefix)
        {
            return Place { path: PathBuf::from(rest), format: Some(format) };
        }
        let extension = word.extension().and_then(|extension| extension.to_str());
        let format = extension.and_then(|extension| named(&extension.to_ascii_lowercase()));
        Place { path: word.to_owned(), format }
    }

    /// Whether this is standard input or output.
    pub fn is_standard(&self) -> bool {
        self.path == Path::new(STANDARD_INPUT)
    }

    /// The given format, or that of the first bytes.
    pub fn format_of(&self, opened: &mut Opened) -> Result<FileFormat, String> {
        match self.format {
            Some(format) => Ok(format),
            None => Ok(begun(&opened.start()?)),
        }
    }

    /// Reads a value of type `ty`. An error is a message for the user.
    pub fn read(&self, ty: &Ty, reading: &Reading<'_>) -> Result<Argument, String> {
        let mut opened = Opened::open(&self.path, reading)?;
        let format = self.format_of(&mut opened)?;
        let size = opened.size;
        let bytes = |opened: Opened| opened.bytes(MAX_BYTES).map_err(|e| e.to_string());
        match format {
            FileFormat::Npy => npy::read(&mut opened, size, ty, reading.casts),
            FileFormat::Npz => npz::read(opened, ty, reading.casts),
            FileFormat::Arrow => arrow::read(&bytes(opened)?, ty, reading.casts).map(Argument::from),
            FileFormat::Csv => csv::read(&text_of(opened)?, ty).map(Argument::from),
            FileFormat::Png => png::decode(&bytes(opened)?)?.into_value(ty),
            FileFormat::Pgm | FileFormat::Ppm => pnm::decode(&bytes(opened)?)?.into_value(ty),
            FileFormat::Bytes => Ok(Value::from(bytes(opened)?).into()),
            FileFormat::Numbers => parsed(ty, &text_of(opened)?.replace([',', ';', '\r', '\n'], " ")),
            FileFormat::Text => parsed(ty, &text_of(opened)?),
        }
    }
}

fn parsed(ty: &Ty, text: &str) -> Result<Argument, String> {
    let value = text::parse(ty, text).map_err(|e| match e.at {
        Some((line, column)) => format!("line {line}, column {column}: {}", e.message),
        None => e.message,
    })?;
    Ok(value.into())
}

fn named(name: &str) -> Option<FileFormat> {
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
}

/// Returns the format of a file with these first bytes; the default is text.
fn begun(start: &[u8]) -> FileFormat {
    let is_picture = |magic: &[u8]| start.starts_with(magic) && start.get(2).is_some_and(u8::is_ascii_whitespace);
    if pnm::MAGICS.iter().any(|magic| is_picture(magic)) {
        return FileFormat::Pgm;
    }
    let begins = [
        (npy::MAGIC, FileFormat::Npy),
        (npz::MAGIC, FileFormat::Npz),
        (arrow::MAGIC, FileFormat::Arrow),
        (png::MAGIC, FileFormat::Png),
    ];
    begins.iter().find(|(magic, _)| start.starts_with(magic)).map_or(FileFormat::Text, |(_, format)| *format)
}

/// Reads a text. An error is a message for the user.
pub fn text_of(opened: Opened) -> Result<String, String> {
    let bytes = opened.bytes(MAX_TEXT).map_err(|e| e.to_string())?;
    if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(format!("{what} is not read; an Arrow file is, as `pyarrow.feather.write_feather` writes it"));
    }
    files::text_of(bytes).map_err(|e| match e {
        ReadError::NotUtf8 { .. } => format!("neither text nor a NumPy file, an Arrow file or a picture: {e}"),
        e => e.to_string(),
    })
}

/// Encodes a value of type `ty` in a format; without one, as `.npy`. An error is a message for the user.
pub fn encode(format: Option<FileFormat>, value: &Value, ty: &Ty) -> Result<Vec<u8>, String> {
    match format.unwrap_or(FileFormat::Npy) {
        FileFormat::Npy | FileFormat::Text | FileFormat::Numbers | FileFormat::Bytes => npy::write(value, ty),
        FileFormat::Npz => npz::write(value, ty),
        FileFormat::Arrow => arrow::write(value, ty),
        FileFormat::Csv => csv::encode(value, ty),
        FileFormat::Png => png::encode(&Picture::from_value(value, ty)?),
        FileFormat::Pgm => pnm::encode(&Picture::from_value(value, ty)?, 1),
        FileFormat::Ppm => pnm::encode(&Picture::from_value(value, ty)?, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_an_extension_or_a_prefix() {
        let place = |word: &str| {
            let place = Place::parse(Path::new(word));
            (place.path.display().to_string(), place.format)
        };
        assert_eq!(place("a/b.CSV"), ("a/b.CSV".to_owned(), Some(FileFormat::Csv)));
        assert_eq!(place("csv:-"), ("-".to_owned(), Some(FileFormat::Csv)));
        assert_eq!(place("npy:x.csv"), ("x.csv".to_owned(), Some(FileFormat::Npy)));
        assert_eq!(place("numbers:x.csv"), ("x.csv".to_owned(), Some(FileFormat::Numbers)));
        assert_eq!(place("-"), ("-".to_owned(), None));
        assert_eq!(place("C:x"), ("C:x".to_owned(), None));
        assert_eq!(place("./csv:x"), ("./csv:x".to_owned(), None));
        assert_eq!(begun(b"P5\n3 2"), FileFormat::Pgm);
        assert_eq!(begun(b"\x93NUMPY"), FileFormat::Npy);
        assert_eq!(begun(b"1 2 3"), FileFormat::Text);
    }
}
