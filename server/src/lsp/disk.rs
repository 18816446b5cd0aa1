//! Files on disk that open documents import.
//!
//! A file is read only inside the folder allowed for its imports, only if it is regular, and only once: a file that
//! could not be read is not retried at every edit.

use crate::files::{self, ReadError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Largest imported file that the server loads, in bytes.
pub const MAX_IMPORT: u64 = 16 << 20;

#[derive(Debug, Default)]
pub struct Disk {
    files: FxHashMap<Arc<str>, Entry>,
}

#[derive(Debug, PartialEq, Eq)]
enum Entry {
    /// The stamp is the file's time and size when it was loaded.
    Loaded(Stamp),
    Unreadable(Stamp),
    /// Outside the allowed folder.
    Refused,
}

type Stamp = Option<(SystemTime, u64)>;

fn stamp(path: &str) -> Stamp {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

impl Disk {
    /// Whether loading was attempted.
    pub fn knows(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }
    pub fn forget(&mut self, path: &str) {
        self.files.remove(path);
    }
    pub fn forget_refused(&mut self) {
        self.files.retain(|_, e| *e != Entry::Refused);
    }

    /// Loads a file imported from within the folder `root`.
    pub fn load(&mut self, root: &Path, path: &Arc<str>) -> Result<Arc<str>, ReadError> {
        let file = Path::new(&**path);
        let stamp = stamp(path);
        if stamp.is_some() && !files::is_inside(root, file) {
            self.files.insert(path.clone(), Entry::Refused);
            return Err(ReadError::Outside(root.to_path_buf()));
        }
        let text = files::read_bytes(file, MAX_IMPORT).and_then(files::text_of);
        let entry = if text.is_ok() { Entry::Loaded(stamp) } else { Entry::Unreadable(stamp) };
        self.files.insert(path.clone(), entry);
        text.map(Arc::from)
    }

    /// Returns the files that have changed since they were loaded or failed to load.
    pub fn recheck(&self) -> Vec<Arc<str>> {
        let stale = |(path, entry): (&Arc<str>, &Entry)| match entry {
            Entry::Loaded(old) | Entry::Unreadable(old) => (stamp(path) != *old).then(|| path.clone()),
            Entry::Refused => None,
        };
        self.files.iter().filter_map(stale).collect()
    }

    /// Removes and returns the files that are not in `reached`.
    pub fn unreached(&mut self, reached: &FxHashSet<Arc<str>>) -> Vec<Arc<str>> {
        let gone: Vec<Arc<str>> = self.files.keys().filter(|p| !reached.contains(*p)).cloned().collect();
        for path in &gone {
            self.files.remove(path);
        }
        gone
    }
}
