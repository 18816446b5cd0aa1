//! The languages that a file can be written in.

/// The language of a file, determined by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// The language of every other extension.
    #[default]
    Lift,
    /// `.apl`
    Apl,
    /// `.fcl`
    Fcl,
}

impl Language {
    /// Returns the file extension.
    pub fn ending(self) -> &'static str {
        match self {
            Language::Lift => ".lift",
            Language::Apl => ".apl",
            Language::Fcl => ".fcl",
        }
    }

    /// The condition for a program to be a kernel.
    pub fn kernel(self) -> &'static str {
        match self {
            Language::Lift => "a form `(lift …)`",
            Language::Apl => "an expression",
            Language::Fcl => "a value `main`",
        }
    }

    pub fn of_path(path: &str) -> Language {
        let others = [Language::Apl, Language::Fcl];
        others.into_iter().find(|language| path.ends_with(language.ending())).unwrap_or_default()
    }
}
