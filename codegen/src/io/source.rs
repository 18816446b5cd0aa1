//! Parses how an argument is given on the command line.

use super::Result;
use super::generate::Generator;
use super::{InputError, literal, scalar};
use lift_analysis::ty::Ty;

/// How a person gives an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputSource {
    /// The text of a literal.
    Literal(String),
    /// `random`, `random:7`, `signed`, `signed:7`, `iota`: generated once the sizes are known.
    Generated(Generator),
    /// The name of a file: any other word.
    File(String),
}

/// Makes a generator of a seed.
type OfSeed = fn(u64) -> Generator;

/// The generators with a seed, and their words.
const SEEDED: [(&str, OfSeed); 2] =
    [("random", |seed| Generator::Random { seed }), ("signed", |seed| Generator::Signed { seed })];

impl InputSource {
    /// Parses a word. `random`, `signed` and `iota` are generators (a file of that name is `./iota`); a word that starts like a
    /// literal is one.
    pub fn parse(word: &str) -> Result<InputSource> {
        if word.is_empty() {
            return Err(InputError::new("nothing is given; an empty array is `[]`"));
        }
        if word == "iota" {
            return Ok(InputSource::Generated(Generator::Iota));
        }
        for (name, generator) in SEEDED {
            let Some(rest) = word.strip_prefix(name) else { continue };
            if rest.is_empty() {
                return Ok(InputSource::Generated(generator(0)));
            }
            if let Some(seed) = rest.strip_prefix(':') {
                let seed = seed.parse().map_err(|_| {
                    InputError::new(format!(
                        "`{seed}` is not a seed: `{name}:SEED` takes a number from 0 to {}",
                        u64::MAX
                    ))
                })?;
                return Ok(InputSource::Generated(generator(seed)));
            }
        }
        let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
        let number = unsigned.strip_prefix('.').unwrap_or(unsigned);
        let begins_as_literal = word.starts_with(['[', '(']) || number.starts_with(|c: char| c.is_ascii_digit());
        if begins_as_literal || scalar::is_not_finite(word) || matches!(word, "true" | "false") {
            return Ok(InputSource::Literal(word.to_string()));
        }
        Ok(InputSource::File(word.to_string()))
    }

    /// The value of a literal; `None` for other sources.
    pub fn literal(&self, ty: &Ty) -> Option<Result<crate::value::Value>> {
        match self {
            InputSource::Literal(text) => Some(literal::parse(ty, text)),
            _ => None,
        }
    }
}
