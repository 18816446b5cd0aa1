//! Loads files and their imports for the command line.

use crate::files::{self, ReadError};
use crate::report::{Problem, Sources, codes, with_imports};
use lift_analysis::ide::{Analysis, AnalysisHost, Cancellable};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Source texts by path.
pub type Texts = BTreeMap<Arc<str>, Arc<str>>;

/// The texts of a loaded program and of its imports.
pub fn texts(analysis: &Analysis, path: &Arc<str>) -> Cancellable<Texts> {
    let mut out = Texts::new();
    for path in with_imports(analysis, vec![path.clone()])? {
        if let Some(text) = analysis.text(&path)? {
            out.insert(path, text);
        }
    }
    Ok(out)
}

/// One line of JSON that the language server sends to its child process.
#[derive(Debug, Serialize, Deserialize)]
pub struct Embedded {
    /// The program and its imports.
    pub texts: Texts,
}

/// Loaded files, and the files that could not be loaded.
pub struct Program {
    pub analysis: Analysis,
    /// The requested files, in order, by normalized path.
    pub roots: Vec<Arc<str>>,
    pub shown: FxHashMap<Arc<str>, String>,
    /// Problems of requested files that could not be read.
    pub unreadable: Vec<Problem>,
    /// The working directory, if known.
    here: Option<PathBuf>,
}

impl Program {
    /// Loads files and, transitively, their imports.
    pub fn load(paths: &[PathBuf]) -> Cancellable<Program> {
        Loader::default().load(paths, |path| files::read_source(Path::new(&**path)))
    }

    /// Loads one file from the given texts, without reading from disk.
    pub fn load_texts(path: &Path, texts: &Texts) -> Cancellable<Program> {
        let loader = Loader { verbatim: true, ..Loader::default() };
        loader.load(&[path.to_owned()], |path| texts.get(path).cloned().ok_or(ReadError::Missing))
    }

    /// Loads one text; its imports are missing.
    pub fn of_text(shown: &str, text: Arc<str>) -> Cancellable<Program> {
        let path: Arc<str> = shown.into();
        Program::load_texts(Path::new(shown), &Texts::from([(path, text)]))
    }

    /// A copy of the program in which a file has this text. Nothing is read from disk.
    pub fn edited(&self, path: &Arc<str>, text: &str) -> Cancellable<Program> {
        let mut texts = texts(&self.analysis, path)?;
        texts.insert(path.clone(), text.into());
        let mut edited = Program::load_texts(Path::new(&**path), &texts)?;
        edited.shown.clone_from(&self.shown);
        Ok(edited)
    }

    /// Returns all loaded files: the requested ones first, then their imports.
    pub fn files(&self) -> Cancellable<Vec<Arc<str>>> {
        with_imports(&self.analysis, self.roots.clone())
    }

    pub fn sources(&self) -> Sources<'_> {
        Sources { analysis: &self.analysis, shown: &self.shown, here: self.here.as_deref() }
    }
}

#[derive(Default)]
struct Loader {
    host: AnalysisHost,
    shown: FxHashMap<Arc<str>, String>,
    unreadable: Vec<Problem>,
    /// Paths are already normalized.
    verbatim: bool,
}

impl Loader {
    fn load(
        mut self,
        paths: &[PathBuf],
        read: impl Fn(&Arc<str>) -> Result<Arc<str>, ReadError>,
    ) -> Cancellable<Program> {
        let mut roots = Vec::new();
        let mut queue: Vec<Arc<str>> = Vec::new();
        for path in paths {
            let shown = path.display().to_string();
            let key = if self.verbatim { path.to_str().map(Arc::from) } else { files::normal_path(path) };
            let Some(key) = key else {
                let message = "the name of the file is not Unicode";
                self.unreadable.push(Problem::error(&shown.as_str().into(), codes::UNREADABLE_FILE, message));
                continue;
            };
            if self.shown.insert(key.clone(), shown).is_none() {
                self.read(&key, &read, &mut queue);
                roots.push(key);
            }
        }
        let mut seen: Vec<Arc<str>> = roots.clone();
        while let Some(path) = queue.pop() {
            // The snapshot must be dropped before the next file is added.
            let imports = self.host.snapshot().imports(&path)?;
            for import in imports {
                if !seen.contains(&import) {
                    seen.push(import.clone());
                    self.read(&import, &read, &mut queue);
                }
            }
        }
        let Loader { host, shown, unreadable, .. } = self;
        let here = std::env::current_dir().ok();
        Ok(Program { analysis: host.snapshot(), roots, shown, unreadable, here })
    }

    fn read(
        &mut self,
        path: &Arc<str>,
        read: &impl Fn(&Arc<str>) -> Result<Arc<str>, ReadError>,
        queue: &mut Vec<Arc<str>>,
    ) {
        match read(path) {
            Ok(text) => {
                self.host.set_file(path, text);
                queue.push(path.clone());
            }
            // Analysis reports problems of an import at the import.
            Err(ReadError::Missing) if !self.shown.contains_key(path) => {}
            Err(why) if !self.shown.contains_key(path) => self.host.set_unreadable(path, &why.to_string()),
            Err(why) => self.unreadable.push(Problem::error(path, codes::UNREADABLE_FILE, why.to_string())),
        }
    }
}
