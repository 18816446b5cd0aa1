//! Files: normalized paths, bounded reading, atomic writing.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Largest source file that is read, in bytes; source locations have 32 bits.
pub const MAX_SOURCE: u64 = 64 << 20;

/// Why a file cannot be read.
#[derive(Debug)]
pub enum ReadError {
    Missing,
    Directory,
    /// The file is outside this folder.
    Outside(PathBuf),
    /// A device, pipe or socket: reading could block for ever.
    NotAFile,
    /// Byte offset and line (from 1) of the first invalid byte.
    NotUtf8 {
        offset: usize,
        line: usize,
    },
    TooLarge {
        bytes: u64,
        limit: u64,
    },
    Io(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Missing => write!(f, "there is no such file"),
            ReadError::Directory => write!(f, "this is a directory, not a file"),
            ReadError::Outside(folder) => write!(f, "it is outside of {}", folder.display()),
            ReadError::NotAFile => write!(f, "this is not a regular file"),
            ReadError::NotUtf8 { offset, line } => {
                write!(f, "the file is not UTF-8 text: the first bad byte is at offset {offset}, in line {line}")
            }
            ReadError::TooLarge { bytes, limit } => {
                write!(f, "the file has {bytes} bytes; at most {limit} are read")
            }
            ReadError::Io(e) => write!(f, "{e}"),
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(e: io::Error) -> ReadError {
        match e.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            io::ErrorKind::IsADirectory => ReadError::Directory,
            _ => ReadError::Io(e),
        }
    }
}

/// Reads a regular file of at most `limit` bytes.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let meta = std::fs::metadata(path)?;
    if meta.is_dir() {
        return Err(ReadError::Directory);
    }
    if !meta.is_file() {
        return Err(ReadError::NotAFile);
    }
    if meta.len() > limit {
        return Err(ReadError::TooLarge { bytes: meta.len(), limit });
    }
    read_bounded(File::open(path)?, limit)
}

/// Reads a whole stream of at most `limit` bytes.
pub fn read_bounded(stream: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    // The file may have grown since its size was read.
    stream.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { bytes: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

/// Decodes UTF-8.
pub fn text_of(bytes: Vec<u8>) -> Result<String, ReadError> {
    String::from_utf8(bytes).map_err(|e| {
        let offset = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..offset].iter().filter(|&&b| b == b'\n').count() + 1;
        ReadError::NotUtf8 { offset, line }
    })
}

/// Reads a source file.
pub fn read_source(path: &Path) -> Result<Arc<str>, ReadError> {
    Ok(text_of(read_bytes(path, MAX_SOURCE)?)?.into())
}

/// Reads a source text from standard input.
pub fn read_stdin() -> Result<Arc<str>, ReadError> {
    Ok(text_of(read_bounded(io::stdin().lock(), MAX_SOURCE)?)?.into())
}

/// Returns the path by which analysis knows a file: absolute, without `.` and `..`, separated by `/`. Purely lexical,
/// so symbolic links stay. `None` if the path is not Unicode.
pub fn normal_path(path: &Path) -> Option<Arc<str>> {
    let absolute = std::path::absolute(path).ok()?;
    let mut out = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    let text = out.to_str()?;
    Some(if cfg!(windows) { text.replace('\\', "/").into() } else { text.into() })
}

/// Collects the programs in a folder and its subfolders, sorted by name; skips hidden folders and symbolic links to
/// folders. `wrong` is called for each folder that cannot be read.
pub fn programs_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>, wrong: &mut dyn FnMut(&Path, io::Error)) {
    let entries = std::fs::read_dir(folder).and_then(|entries| {
        let with_kind = |entry: io::Result<std::fs::DirEntry>| entry.and_then(|e| Ok((e.file_type()?, e)));
        entries.map(with_kind).collect::<io::Result<Vec<_>>>()
    });
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(e) => return wrong(folder, e),
    };
    entries.sort_by_key(|(_, entry)| entry.file_name());
    for (kind, entry) in entries {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_dir() && !hidden && depth > 0 {
            programs_below(&path, depth - 1, found, wrong);
        } else if !kind.is_dir() && path.extension().is_some_and(|e| e == "lift") {
            found.push(path);
        }
    }
}

/// Whether `path` is inside the folder `root` after symbolic links are resolved.
pub fn is_inside(root: &Path, path: &Path) -> bool {
    match (root.canonicalize(), path.canonicalize()) {
        (Ok(root), Ok(path)) => path.starts_with(root),
        _ => false,
    }
}

/// Writes a file so that readers see the old or the new content, never a part. Keeps the permissions of an existing
/// file and follows a symbolic link.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(meta) = std::fs::metadata(&target)
        && !meta.is_file()
    {
        // Devices and pipes are written to, not replaced.
        return File::options().write(true).open(&target)?.write_all(content);
    }
    // The error of a folder that is missing does not name the temporary file.
    std::fs::metadata(folder)?;
    let mut new = new_file_in(folder).map_err(|e| io::Error::from(e.kind()))?;
    new.write_all(content)?;
    if let Ok(old) = std::fs::metadata(&target) {
        new.as_file().set_permissions(old.permissions())?;
    }
    new.persist(&target).map_err(|e| e.error)?;
    Ok(())
}

/// Tells before long work that [`write_atomically`] could not write a file. Nothing is changed.
pub fn may_write(path: &Path) -> io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    match std::fs::metadata(&target) {
        // Opening a pipe waits for its reader.
        Ok(meta) if !meta.is_file() && !meta.is_dir() => Ok(()),
        Ok(meta) if meta.is_dir() => File::options().write(true).open(&target).map(|_| ()),
        _ => {
            let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            std::fs::metadata(folder)?;
            new_file_in(folder).map(|_| ()).map_err(|e| io::Error::from(e.kind()))
        }
    }
}

/// Tells before long work that no file could be written to a folder, which is created if missing. Nothing is changed.
pub fn may_write_in(folder: &Path) -> io::Result<()> {
    let exists = folder.ancestors().find(|path| path.as_os_str().is_empty() || path.exists());
    let exists = exists.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !exists.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    new_file_in(exists).map(|_| ()).map_err(|e| io::Error::from(e.kind()))
}

/// Creates a temporary file with the permissions of an ordinary new file; the default is private.
fn new_file_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The operating system subtracts the umask.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".lift-").tempfile_in(folder)
}
