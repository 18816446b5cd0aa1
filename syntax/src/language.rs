//! The languages that a file can be written in.

/// What a file is written in, decided by the ending of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// Every file without an ending of another language.
    #[default]
    Lift,
    /// `.apl`
    Apl,
}

impl Language {
    /// How the names of its files end.
    pub fn ending(self) -> &'static str {
        match self {
            Language::Lift => ".lift",
            Language::Apl => ".apl",
        }
    }

    pub fn of_path(path: &str) -> Language {
        if path.ends_with(Language::Apl.ending()) { Language::Apl } else { Language::Lift }
    }
}
