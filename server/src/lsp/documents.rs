//! Open documents, and the mapping between the client's URIs and analysis' paths.

use crate::files;
use lift_analysis::db::BUILTIN_PREFIX;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::Uri;

/// The URI scheme of generated texts.
pub const SCHEME: &str = "lift-opencl";
/// The URI scheme of an earlier version of a program, which a client keeps to compare with: `lift-pinned:/a/b.lift`.
const PINNED: &str = "lift-pinned";

/// An open document: the client's text takes precedence over the file on disk.
#[derive(Debug, Clone)]
pub struct Document {
    /// As spelled by the client.
    pub uri: Uri,
    pub version: i32,
    pub text: Arc<str>,
    /// Distinguishes this opening of the file from earlier ones.
    pub generation: u64,
}

/// The open documents by normalized path.
pub type Documents = FxHashMap<Arc<str>, Document>;

/// Returns the path of a document in the analysis: a normalized path for a file; the URI without its first `/` for
/// documents of the program itself (`lift:/prelude.lift` is `lift:prelude.lift`); else the URI.
pub fn path_of(uri: &Uri) -> Arc<str> {
    if uri.scheme() == "lift" {
        return format!("{BUILTIN_PREFIX}{}", uri.path().trim_start_matches('/')).into();
    }
    if uri.scheme() == PINNED {
        return pinned_path(uri).unwrap_or_else(|| uri.as_str().into());
    }
    file_path(uri).and_then(|p| files::normal_path(&p)).unwrap_or_else(|| uri.as_str().into())
}

/// The path of an earlier version of a program: in the same folder, so that it has the same imports, and with the same
/// stem, after which a kernel may be named.
fn pinned_path(uri: &Uri) -> Option<Arc<str>> {
    let (_, rest) = uri.as_str().split_once(':')?;
    let plain = rest.split(['?', '#']).next()?;
    let file = format!("file://{plain}").parse::<Uri>().ok().and_then(|uri| file_path(&uri));
    let path = files::normal_path(&file?)?;
    let (folder, name) = path.rsplit_once('/')?;
    Some(format!("{folder}/pinned:{name}").into())
}

/// Returns the document's path on disk, if it is a file.
pub fn file_path(uri: &Uri) -> Option<PathBuf> {
    (uri.scheme() == "file").then(|| uri.to_file_path().ok()).flatten()
}

/// Returns the URI of a path that no open document has.
pub fn uri_of(path: &str) -> Option<Uri> {
    if let Some(name) = path.strip_prefix(BUILTIN_PREFIX) {
        return format!("lift:/{name}").parse().ok();
    }
    if Path::new(path).is_absolute() { Uri::from_file_path(path).ok() } else { path.parse().ok() }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_file_is_one_path() {
        for uri in ["file:///a/b%20c/d.lift", "file:///a/x/../b c/d.lift", "file://localhost/a/b%20c/./d.lift"] {
            assert_eq!(&*path_of(&uri.parse().expect(uri)), "/a/b c/d.lift");
        }
    }

    #[test]
    fn an_earlier_version_lies_beside_the_program() {
        let path = path_of(&"lift-pinned:/a/b%20c/d.lift?2".parse().expect("an address"));
        assert_eq!(&*path, "/a/b c/pinned:d.lift");
        assert_eq!(lift_analysis::names::file_stem(&path), "d");
    }

    #[test]
    fn what_is_no_file_is_known_by_its_address() {
        let uri: Uri = "untitled:Untitled-1".parse().expect("an address");
        assert_eq!(&*path_of(&uri), uri.as_str());
        assert_eq!(uri_of(uri.as_str()), Some(uri));
    }

    #[test]
    fn what_ships_with_the_program_has_an_address() {
        let uri: Uri = "lift:/prelude.lift".parse().expect("an address");
        assert_eq!(&*path_of(&uri), lift_analysis::db::PRELUDE_PATH);
        assert_eq!(uri_of(lift_analysis::db::PRELUDE_PATH), Some(uri));
    }
}
