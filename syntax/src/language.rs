//! The languages that a file can be written in.

/// What a file is written in, decided by the ending of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// Every file without an ending of another language.
    #[default]
    Lift,
    /// `.apl`
    Apl,
    /// `.fcl`
    Fcl,
}

impl Language {
    /// How the names of its files end.
    pub fn ending(self) -> &'static str {
        match self {
            Language::Lift => ".lift",
            Language::Apl => ".apl",
            Language::Fcl => ".fcl",
        }
    }

    pub fn of_path(path: &str) -> Language {
        let others = [Language::Apl, Language::Fcl];
        others.into_iter().find(|language| path.ends_with(language.ending())).unwrap_or_default()
    }
}
