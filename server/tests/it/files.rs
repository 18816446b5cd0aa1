//! Imported files: which are read, and how changes on disk are handled.

use crate::session::{Options, Session};
use serde_json::{Value, json};
use std::path::Path;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }
    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name))
    }
    fn path(&self, name: &str) -> String {
        Path::new(&self.0.path().canonicalize().expect("a folder")).join(name).display().to_string()
    }
    /// A session with this folder as its workspace.
    fn session(&self, folder: &str) -> Session {
        Session::with(Options { root: Some(self.uri(folder)), ..Options::default() })
    }
}

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().filter_map(|d| d["code"].as_str()).collect()
}

const USES: &str = "(import \"lib/half.lift\")\n(define a (half 2.0f))\n";
const HALF: &str = "(define (half x) (* x 0.5f))\n";

#[test]
fn what_an_open_document_imports_is_read_from_disk() {
    let folder = Folder::new(&[("lib/half.lift", HALF)]);
    let mut session = folder.session("");
    session.open(&folder.uri("main.lift"), USES);
    assert_eq!(codes(&session.diagnostics(&folder.uri("main.lift"), 1)), [] as [&str; 0]);
    session.shutdown();
}

#[test]
fn an_open_document_counts_and_not_its_file() {
    let folder = Folder::new(&[("lib/half.lift", HALF)]);
    let (main, lib) = (folder.uri("main.lift"), folder.uri("lib/half.lift"));
    let mut session = folder.session("");
    session.open(&main, USES);
    assert_eq!(codes(&session.diagnostics(&main, 1)), [] as [&str; 0]);
    session.open(&lib, "(define (third x) x)\n");
    session.wait("the unknown name", |m| m["params"]["uri"] == main && codes_of(m).contains(&"unknown-name"));
    // After closing, the file's text on disk counts again.
    session.notify("textDocument/didClose", json!({ "textDocument": { "uri": lib } }));
    session.edit(&main, 2, [0, 0, 0, 0], "; again\n");
    assert_eq!(codes(&session.diagnostics(&main, 2)), [] as [&str; 0]);
    session.shutdown();
}

fn codes_of(message: &Value) -> Vec<&str> {
    message["params"]["diagnostics"].as_array().map(|d| codes(d)).unwrap_or_default()
}

#[test]
fn a_file_that_changes_on_disk_is_read_again() {
    let folder = Folder::new(&[]);
    let main = folder.uri("main.lift");
    let mut session = folder.session("");
    session.open(&main, USES);
    assert!(codes(&session.diagnostics(&main, 1)).contains(&"missing-import"));
    folder.write("lib/half.lift", HALF);
    let change = json!({ "changes": [{ "uri": folder.uri("lib/half.lift"), "type": 1 }] });
    session.notify("workspace/didChangeWatchedFiles", change);
    session.wait("no diagnostics", |m| m["params"]["uri"] == main && m["params"]["diagnostics"] == json!([]));
    // A client that watches no files sends a save notification.
    folder.write("lib/half.lift", "(define (whole x) x)\n");
    session.notify("textDocument/didSave", json!({ "textDocument": { "uri": main } }));
    session.wait("the unknown name", |m| m["params"]["uri"] == main && codes_of(m).contains(&"unknown-name"));
    session.shutdown();
}

#[test]
fn nothing_outside_of_the_workspace_is_read() {
    let folder = Folder::new(&[("secret.lift", HALF), ("work/near.lift", HALF)]);
    std::fs::create_dir_all(folder.path("work/deep")).expect("a folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path("secret.lift"), folder.path("work/link.lift")).expect("a link");
    let mut session = folder.session("work");
    for (i, (import, found)) in
        [("../secret.lift", false), ("link.lift", false), ("deep/../near.lift", true)].into_iter().enumerate()
    {
        let uri = folder.uri(&format!("work/main{i}.lift"));
        session.open(&uri, &format!("(import \"{import}\")\n(define a (half 2.0f))\n"));
        let missing = codes(&session.diagnostics(&uri, 1)).contains(&"missing-import");
        assert_eq!(missing, !found, "{import}");
    }
    let logged = session.wait("a warning", |m| m["method"] == "window/logMessage");
    assert!(
        logged["params"]["message"].as_str().is_some_and(|m| m.contains("is not loaded: it is outside of")),
        "{logged}"
    );
    session.shutdown();
}

#[test]
fn a_document_outside_of_all_folders_may_import_what_lies_below_it() {
    let folder = Folder::new(&[("lib/half.lift", HALF), ("work/x.lift", "")]);
    let mut session = folder.session("work");
    session.open(&folder.uri("main.lift"), USES);
    assert_eq!(codes(&session.diagnostics(&folder.uri("main.lift"), 1)), [] as [&str; 0]);
    session.shutdown();
}

#[test]
fn imports_of_imports_circles_and_bad_files_are_survived() {
    let folder = Folder::new(&[
        ("a.lift", "(import \"b.lift\")\n(define a b)\n"),
        ("b.lift", "(import \"a.lift\")\n(define b 1)\n"),
        ("folder.lift/x", ""),
    ]);
    std::fs::write(folder.path("binary.lift"), b"\xff\xfe\x00").expect("a file");
    let mut session = folder.session("");
    let main = folder.uri("main.lift");
    session
        .open(&main, "(import \"a.lift\")\n(define c (+ a 1))\n(import \"binary.lift\")\n(import \"folder.lift\")\n");
    let found = session.diagnostics(&main, 1);
    assert_eq!(codes(&found).iter().filter(|c| **c == "missing-import").count(), 2, "{found:?}");
    session.open(&folder.uri("a.lift"), "(import \"b.lift\")\n(define a b)\n");
    assert!(codes(&session.diagnostics(&folder.uri("a.lift"), 1)).contains(&"import-cycle"));
    session.shutdown();
}

#[test]
fn an_edit_of_an_imported_document_refreshes_what_is_shown_of_others() {
    let folder = Folder::new(&[("lib/half.lift", HALF)]);
    let (main, lib) = (folder.uri("main.lift"), folder.uri("lib/half.lift"));
    let capabilities = json!({ "workspace": { "inlayHint": { "refreshSupport": true } } });
    let mut session = Session::with(Options { capabilities, root: Some(folder.uri("")), ..Options::default() });
    session.open(&main, USES);
    session.open(&lib, HALF);
    session.edit(&main, 2, [0, 0, 0, 0], "; nobody imports this\n");
    session.diagnostics(&main, 2);
    let refreshes =
        |session: &Session| session.messages().iter().filter(|m| m["method"] == "workspace/inlayHint/refresh").count();
    assert_eq!(refreshes(&session), 0);
    session.edit(&lib, 2, [0, 0, 0, 0], "; this is imported\n");
    session.wait("a refresh", |m| m["method"] == "workspace/inlayHint/refresh");
    session.shutdown();
}

/// Workspace folders are separate: a document imports only from its own. Folders can be added and removed.
#[test]
fn each_folder_of_a_workspace_is_for_itself() {
    let folder = Folder::new(&[
        ("one/lib/half.lift", HALF),
        ("two/lib/half.lift", "(define (other x) x)\n"),
        ("two/lib/third.lift", "(define (third x) x)\n"),
    ]);
    let mut session = Session::raw(&Options::default());
    let named = |name: &str| json!({ "uri": folder.uri(name), "name": name });
    let params = json!({ "capabilities": {}, "workspaceFolders": [named("one"), named("two")] });
    session.call("initialize", params).expect("initialize");
    session.notify("initialized", json!({}));
    let (one, two) = (folder.uri("one/main.lift"), folder.uri("two/main.lift"));
    session.open(&one, USES);
    session.open(&two, USES);
    assert_eq!(codes(&session.diagnostics(&one, 1)), [] as [&str; 0]);
    assert_eq!(codes(&session.diagnostics(&two, 1)), ["unused-import", "unknown-name"]);
    // An import from one folder into the other leaves the folder.
    let across = folder.uri("one/across.lift");
    session.open(&across, "(import \"../two/lib/third.lift\")\n(define a (third 2.0f))\n");
    assert!(codes(&session.diagnostics(&across, 1)).contains(&"missing-import"));
    // Workspace symbols cover all folders.
    let symbols = session.call("workspace/symbol", json!({ "query": "half" })).expect("symbols");
    let places: Vec<&str> =
        symbols.as_array().expect("a list").iter().filter_map(|s| s["location"]["uri"].as_str()).collect();
    assert_eq!(places, [folder.uri("one/lib/half.lift")]);
    // A third folder contains both, and `one` is removed: the import is now inside the third.
    let event = json!({ "added": [named("")], "removed": [named("one")] });
    session.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    session.edit(&across, 2, [1, 22, 1, 22], " ");
    assert_eq!(codes(&session.diagnostics(&across, 2)), [] as [&str; 0]);
    session.shutdown();
}
