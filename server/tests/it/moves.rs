//! Files that an editor is about to rename: the imports that name them.

use crate::programs::Bench;
use crate::session::{Options, Session, rich_client};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The session of a client that asks before it renames files, with a folder as its workspace.
fn session(bench: &Bench) -> Session {
    let mut capabilities = rich_client();
    capabilities["workspace"]["fileOperations"] = json!({ "willRename": true });
    Session::with(Options {
        capabilities,
        root: Some(uri(bench, "").trim_end_matches('/').to_owned()),
        ..Options::default()
    })
}

fn uri(bench: &Bench, name: &str) -> String {
    format!("file://{}/{name}", bench.path(".").canonicalize().expect("a folder").display())
}

/// The new imports by file, after moves from one name to another.
fn renamed(session: &mut Session, bench: &Bench, moves: &[(&str, &str)]) -> BTreeMap<String, Vec<String>> {
    let files: Vec<Value> =
        moves.iter().map(|(from, to)| json!({ "oldUri": uri(bench, from), "newUri": uri(bench, to) })).collect();
    let edit = session.call("workspace/willRenameFiles", json!({ "files": files })).expect("an edit");
    let mut found = BTreeMap::new();
    for document in edit["documentChanges"].as_array().expect("changes") {
        let name = document["textDocument"]["uri"].as_str().expect("a URI").replace(&uri(bench, ""), "");
        let edits = document["edits"].as_array().expect("edits").iter();
        let written = edits.map(|edit| {
            let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
            format!(
                "{}:{}-{} {}",
                start["line"],
                start["character"],
                end["character"],
                edit["newText"].as_str().expect("text")
            )
        });
        found.insert(name, written.collect());
    }
    found
}

fn expected(files: &[(&str, &str)]) -> BTreeMap<String, Vec<String>> {
    files.iter().map(|(name, edit)| ((*name).to_owned(), vec![(*edit).to_owned()])).collect()
}

#[test]
fn imports_follow_a_file_that_is_renamed() {
    let main = "(import \"lib/part.lift\")\n(lift k (N) ((array-type int N)) (lambda (xs) (twice xs)))\n";
    let bench = Bench::new(&[
        ("main.lift", main),
        ("closed.lift", "; ä\n(import \"./lib/part.lift\")\n(import \"lib/other.lift\")\n"),
        ("lib/part.lift", "(import \"other.lift\")\n(define (twice xs) (map (* 2) xs))\n"),
        ("lib/other.lift", "(define one 1)\n"),
        ("lib/deep/user.lift", "(import \"../part.lift\")\n"),
        ("part.lift", "(define other 1)\n"),
        ("table.apl", "⎕←⎕ReadFile 'lib/part.lift'\n"),
    ]);
    let mut session = session(&bench);
    session.open(&uri(&bench, "main.lift"), main);
    let renamed_file = renamed(&mut session, &bench, &[("lib/part.lift", "lib/piece.lift")]);
    assert_eq!(
        renamed_file,
        expected(&[
            ("closed.lift", "1:8-25 \"./lib/piece.lift\""),
            ("lib/deep/user.lift", "0:8-22 \"../piece.lift\""),
            ("main.lift", "0:8-23 \"lib/piece.lift\""),
        ])
    );
    // A file that goes to another folder imports from there.
    let moved = renamed(&mut session, &bench, &[("lib/part.lift", "new/part.lift")]);
    assert_eq!(
        moved,
        expected(&[
            ("closed.lift", "1:8-25 \"./new/part.lift\""),
            ("lib/deep/user.lift", "0:8-22 \"../../new/part.lift\""),
            ("lib/part.lift", "0:8-20 \"../lib/other.lift\""),
            ("main.lift", "0:8-23 \"new/part.lift\""),
        ])
    );
    // Imports inside of a folder that is renamed stay.
    let folder = renamed(&mut session, &bench, &[("lib", "library")]);
    assert_eq!(folder["closed.lift"], ["1:8-25 \"./library/part.lift\"", "2:8-24 \"library/other.lift\""]);
    assert_eq!(folder["main.lift"], ["0:8-23 \"library/part.lift\""]);
    assert_eq!(folder.len(), 2);
    assert!(renamed(&mut session, &bench, &[("table.apl", "tables.apl")]).is_empty());
}

#[test]
fn only_a_client_that_asks_is_told_which_files_are_meant() {
    let bench = Bench::new(&[]);
    let filters =
        session(&bench).initialized["capabilities"]["workspace"]["fileOperations"]["willRename"]["filters"].clone();
    assert_eq!(filters.as_array().map(Vec::len), Some(2), "{filters}");
    assert_eq!(Session::start().initialized["capabilities"]["workspace"]["fileOperations"], Value::Null);
}
