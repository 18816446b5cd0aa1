//! Names from other languages (Scheme, Haskell, Futhark, NumPy, C), and their equivalents in Lift.
//!
//! * [`words`]: the table

mod words;

use words::{LAMBDA, WORDS};

/// The equivalent of a foreign name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// The same function under its name in Lift.
    Name(&'static str),
    /// Advice: Lift has no such function.
    Advice(&'static str),
    /// Advice for the head of a form, whose parts are not arguments and are not checked.
    Form(&'static str),
}

pub fn word(word: &str) -> Option<Foreign> {
    // Haskell's `\x`.
    if word.starts_with('\\') {
        return Some(LAMBDA);
    }
    WORDS.iter().find(|(foreign, _)| *foreign == word).map(|(_, here)| *here)
}

/// The literal of a character's code: `97ub` for `a`. `None` if it fits no UByte.
pub fn character(c: char) -> Option<String> {
    u8::try_from(c).ok().map(|number| format!("{number}ub"))
}

/// The character that Scheme writes as `#\a` or `#\space`, given the text after `#`.
pub fn character_of_scheme(name: &str) -> Option<String> {
    let written = name.strip_prefix('\\')?;
    let mut only = written.chars();
    match (only.next(), only.next(), written) {
        (Some(c), None, _) => character(c),
        (.., "space") => character(' '),
        (.., "newline") => character('\n'),
        (.., "tab") => character('\t'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{PRELUDE_PATH, RootDatabase};
    use crate::names::defined_names;
    use crate::prims;

    #[test]
    fn foreign_words_are_no_names_here_and_lead_to_names_that_are() {
        let db = RootDatabase::default();
        let prelude = db.file(PRELUDE_PATH).map_or(&[][..], |file| defined_names(&db, file));
        assert!(!prelude.is_empty());
        let is_name = |word: &str| prims::lookup(word).is_some() || prelude.iter().any(|name| **name == *word);
        for (index, (word, here)) in WORDS.iter().enumerate() {
            assert!(!is_name(word), "`{word}` is a name");
            assert!(index == 0 || WORDS[index - 1].0 < *word, "`{word}` is out of order");
            if let Foreign::Name(here) = here {
                assert!(is_name(here) || lift_syntax::is_literal_word(here), "`{word}`: there is no `{here}`");
            }
        }
    }
}
