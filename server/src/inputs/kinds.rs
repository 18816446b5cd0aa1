//! The element kind and the rank of inputs by themselves, for kernels whose parameters have no types yet.

use super::format::{FileFormat, Place};
use super::open::Opened;
use super::{Reading, npy};
use lift_analysis::scalar::ScalarKind;
use lift_codegen::io::InputSource;
use std::path::Path;

/// The kind of the elements, as a kernel comment of APL writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Bool,
    Int,
    Double,
}

/// The type of an input: `[double]1`.
pub fn type_of(word: &str, reading: &Reading<'_>) -> Result<String, String> {
    let (kind, rank) = match InputSource::parse(word.trim()).map_err(|e| e.message)? {
        InputSource::Literal(text) => (kind_of(&text), depth(&text)),
        InputSource::Generated(_) => return Err("generated inputs have no shape".to_owned()),
        InputSource::File(path) => of_file(&Place::parse(Path::new(&path)), reading)?,
    };
    let kind = match kind {
        Kind::Bool => "bool",
        Kind::Int => "int",
        Kind::Double => "double",
    };
    Ok(format!("[{kind}]{rank}"))
}

fn of_file(place: &Place, reading: &Reading<'_>) -> Result<(Kind, usize), String> {
    // A stream can be read once only.
    let mut opened = Opened::open(&place.path, &Reading { streams: false, ..*reading })?;
    let of_text = |opened: Opened, separators: &[char]| {
        let text = super::format::text_of(opened)?;
        Ok((kind_of(&text), depth_of_lines(&text, separators)))
    };
    match place.format_of(&mut opened)? {
        FileFormat::Npy => {
            let (kind, rank) = npy::kind_and_rank(&mut opened)?;
            let kind = match kind {
                ScalarKind::Truth => Kind::Bool,
                ScalarKind::Signed | ScalarKind::Unsigned => Kind::Int,
                ScalarKind::Floating => Kind::Double,
            };
            Ok((kind, rank))
        }
        FileFormat::Csv => of_text(opened, &[',']),
        FileFormat::Text => of_text(opened, &[' ', '\t']),
        FileFormat::Numbers => Ok((of_text(opened, &[])?.0, 1)),
        _ => Err("files of this format do not tell one".to_owned()),
    }
}

/// The least kind that has all numbers of a text.
fn kind_of(text: &str) -> Kind {
    let words = text.split(|c: char| c.is_whitespace() || "[](),;\"".contains(c)).filter(|word| !word.is_empty());
    let kind = |word: &str| match word {
        "true" | "false" => Kind::Bool,
        _ if word.parse::<i64>().is_ok() => Kind::Int,
        _ => Kind::Double,
    };
    words.map(kind).max().unwrap_or(Kind::Double)
}

/// How deep the brackets of a literal are.
fn depth(text: &str) -> usize {
    text.chars().take_while(|c| matches!(c, '[' | '(') || c.is_whitespace()).filter(|c| !c.is_whitespace()).count()
}

/// The rank of the numbers in the lines of a text: of a matrix, unless each line has one number or there is one line.
fn depth_of_lines(text: &str, separators: &[char]) -> usize {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let several = |line: &str| line.contains(separators);
    match (lines.next(), lines.next()) {
        (Some(first), Some(second)) if several(first) || several(second) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_tell_their_types() {
        let of = |word: &str| type_of(word, &Reading::files(Path::new("."))).ok();
        let cases = [
            ("3", Some("[int]0")),
            ("-0.5", Some("[double]0")),
            ("[true, false]", Some("[bool]1")),
            ("[[1,2],[3,4.5]]", Some("[double]2")),
            ("[]", Some("[double]1")),
            ("random", None),
        ];
        for (word, told) in cases {
            assert_eq!(of(word).as_deref(), told, "{word}");
        }
    }

    #[test]
    fn lines_tell_the_rank_of_a_text() {
        let cases = [("1 2 3\n", 1), ("1\n2\n", 1), ("1 2\n3 4\n", 2), ("", 1), ("1\n\n2\n", 1)];
        for (text, rank) in cases {
            assert_eq!(depth_of_lines(text, &[' ', '\t']), rank, "{text}");
        }
        assert_eq!(depth_of_lines("1,2\n3,4\n", &[',']), 2);
    }
}
