//! Inlay hints: labels, links, edits and settings.

use crate::features::{PROGRAM, UNEQUAL, URI, document, rich};
use crate::session::{Options, Session, rich_client, span};
use expect_test::{Expect, expect};
use lift_server::lsp::hint_settings::KINDS;
use serde_json::{Value, json};

#[test]
fn hints_show_what_was_inserted() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let params = json!({ "textDocument": document(), "range": span([0, 0, 6, 0]) });
    let hints = session.call("textDocument/inlayHint", params).expect("hints");
    let shown: Vec<String> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|h| {
            let label: String =
                h["label"].as_array().expect("parts").iter().filter_map(|p| p["value"].as_str()).collect();
            format!("{}:{} {label}", h["position"]["line"], h["position"]["character"])
        })
        .collect();
    expect![[r#"
        1:20 : Array[Float,n]
        1:40 : Float
        3:13 : Array[Float,N]
        4:11 : Array[Float,X1]
        4:12 unpack X1
        5:6 pack
        5:21 : Float"#]]
    .assert_eq(&shown.join("\n"));
    session.shutdown();
}

#[test]
fn hints_of_a_range_are_those_in_it() {
    let mut session = rich();
    session.open(URI, PROGRAM);
    let params = json!({ "textDocument": document(), "range": span([1, 0, 1, 60]) });
    let hints = session.call("textDocument/inlayHint", params).expect("hints");
    assert!(hints.as_array().expect("a list").iter().all(|h| h["position"]["line"] == 1), "{hints}");
    session.shutdown();
}

/// Lists the hints of a document as `line:column label`, each followed by the targets of its parts.
fn shown(session: &mut Session) -> String {
    let params = json!({ "textDocument": document(), "range": span([0, 0, 99, 0]) });
    let hints = session.call("textDocument/inlayHint", params).expect("hints");
    let describe = |hint: &Value| {
        let parts = hint["label"].as_array().expect("parts");
        let label: String = parts.iter().filter_map(|part| part["value"].as_str()).collect();
        let leads = parts.iter().filter(|part| part["location"].is_object()).map(|part| {
            let at = &part["location"]["range"]["start"];
            format!("; {} -> {}:{}", part["value"].as_str().unwrap_or_default(), at["line"], at["character"])
        });
        let at = &hint["position"];
        format!("{}:{} {label}{}", at["line"], at["character"], leads.collect::<String>())
    };
    hints.as_array().expect("a list").iter().map(describe).collect::<Vec<_>>().join("\n")
}

/// A client that cannot refresh hints; the server waits for the compiler instead.
fn waiting_client() -> Value {
    let mut capabilities = rich_client();
    capabilities["workspace"]["inlayHint"] = Value::Null;
    capabilities
}

/// In seconds.
const FOREVER: u32 = 3600;

/// Checks the hints of a program with only some kinds enabled.
fn only(kinds: &[&str], program: &str, expected: Expect) {
    let settings: serde_json::Map<String, Value> =
        KINDS.iter().map(|setting| (setting.name.to_owned(), json!(kinds.contains(&setting.name)))).collect();
    let options = json!({ "inlayHints": settings, "hintPatience": FOREVER });
    let mut session = Session::with(Options { capabilities: waiting_client(), options, ..Options::default() });
    session.open(URI, program);
    expected.assert_eq(&shown(&mut session));
    session.shutdown();
}

const ROWS: &str = "\
(define (total xs) (reduce 0.0f + xs))
(lift rows (N M) ((array-type (array-type float M) N))
  (lambda (xss) (map total (map (lambda (xs) (scan 0.0f + (map (lambda (x) (* x 2.0f)) xs))) xss))))
(lift kept (N) ((array-type float N))
  (lambda (xs)
    (let ys (filter (lambda (x) (> x 0.0f)) xs)
      (reduce 0.0f + (map sqrt ys)))))
";

const SLOW: &str = "\
(lift powers (B N) ((array-type (array-type (array-type float N) N) B))
  (lambda (x)
    (map (lambda (a) (iterate #10 (lambda (v) (map (lambda (r) (sum (zipWith * r v))) a)) (fill #N 1.0f))) x)))
(lift total (N) ((array-type float N))
  (lambda (xs) (reduce 0.0f + xs)))
";

#[test]
fn what_is_slow_on_a_gpu_is_shown_where_it_is_written() {
    only(&["slow"], SLOW, expect!["2:84 far apart"]);
}

#[test]
fn each_word_that_names_a_length_leads_to_it() {
    only(
        &["types", "packUnpack"],
        PROGRAM,
        expect![[r#"
            1:20 : Array[Float,n]
            1:40 : Float
            3:13 : Array[Float,N]; N -> 2:13
            4:11 : Array[Float,X1]; X1 -> 4:12
            4:12 unpack X1; unpack -> 4:12; X1 -> 4:12
            5:6 pack; pack -> 4:12
            5:21 : Float"#]],
    );
}

#[test]
fn where_the_compiler_runs_what_is_not_placed() {
    only(
        &["placements"],
        ROWS,
        expect![[r#"
            0:26 Seq
            2:20 Glb0
            2:50 Seq
            2:62 Seq
            6:13 Glb0"#]],
    );
}

#[test]
fn what_is_stored_on_the_way() {
    only(
        &["memory"],
        ROWS,
        expect![[r#"
            2:91 global, in parts 262144*M bytes; M -> 1:14
            6:35 global 4*max(min(floor((N+1023)/1024),1024),1) bytes; N -> 3:12"#]],
    );
}

const CHECKED: &str = "\
(lift picked (N M) ((array-type float N) (array-type int M))
  (lambda (xs is) (map (lambda (i) (aref xs i)) is)))
(lift shares (N) (int (array-type int N))
  (lambda (by xs) (map (lambda (x) (/ x by)) xs)))
";

#[test]
fn what_a_run_still_checks_inside_of_a_launch() {
    only(
        &["checks"],
        CHECKED,
        expect![[r#"
            1:46 checks the index; checks the index -> 1:35
            3:43 checks the divisor; checks the divisor -> 3:35"#]],
    );
}

/// Hints appear once the kernel is compiled, and stay in place while it is compiled again.
#[test]
fn what_the_compiler_tells_comes_later_and_does_not_flicker() {
    let mut session = Session::with(Options { capabilities: rich_client(), ..Options::default() });
    session.open(URI, CHECKED);
    let checks = |session: &mut Session| -> Vec<String> {
        let shown = shown(session);
        let checks = shown.lines().filter(|line| line.contains("checks"));
        checks.filter_map(|line| line.split(';').next()).map(str::to_owned).collect()
    };
    assert_eq!(checks(&mut session), [] as [&str; 0], "nothing is compiled yet");
    session.wait("a wish to be asked again", |message| message["method"] == "workspace/inlayHint/refresh");
    assert_eq!(checks(&mut session), ["1:46 checks the index", "3:43 checks the divisor"]);
    // An edit before the hint, then one over it.
    session.edit(URI, 2, [1, 35, 1, 35], " ");
    assert_eq!(checks(&mut session), ["1:47 checks the index", "3:43 checks the divisor"]);
    session.edit(URI, 3, [1, 36, 1, 47], "(+ i 1)");
    assert_eq!(checks(&mut session), ["3:43 checks the divisor"]);
    session.shutdown();
}

/// Hints about lengths do not wait for the compiler, which may take too long.
#[test]
fn a_client_that_cannot_be_asked_to_ask_again_has_lengths_at_once_and_the_rest_when_it_asks_again() {
    let options = json!({ "hintPatience": 0 });
    let mut session = Session::with(Options { capabilities: waiting_client(), options, ..Options::default() });
    session.open(URI, CHECKED);
    let first = shown(&mut session);
    assert!(first.contains(": Int") && !first.contains("checks the index"), "{first}");
    // Repeat until the kernel is compiled.
    while !shown(&mut session).contains("checks the index") {}
    let refreshed = session.messages().iter().any(|message| message["method"] == "workspace/inlayHint/refresh");
    assert!(!refreshed, "it was not told that it may be");
    session.shutdown();
}

#[test]
fn lengths_that_would_have_to_be_equal() {
    only(&["obligations"], UNEQUAL, expect!["1:91 ✗ X1 = X2; X1 -> 1:20; X2 -> 1:56"]);
}

#[test]
fn a_client_that_paints_unequal_lengths_by_itself_has_them_in_its_diagnostics() {
    let start = |options: Value| {
        let mut session = Session::with(Options { capabilities: rich_client(), options, ..Options::default() });
        session.open(URI, UNEQUAL);
        let obligation = session.diagnostics(URI, 1)[0]["data"]["obligation"].clone();
        let hinted = shown(&mut session).contains('\u{2717}');
        session.shutdown();
        (obligation, hinted)
    };
    let label = json!({ "label": "\u{2717} X1 = X2", "position": { "line": 1, "character": 91 } });
    assert_eq!(start(json!({})), (label.clone(), true));
    assert_eq!(start(json!({ "paintsObligations": true })), (label, false));
    assert_eq!(start(json!({ "inlayHints": { "obligations": false } })), (Value::Null, false));
}

/// Checks the tooltip of the hint with a label, and the program after its edit is applied.
fn resolved(mut options: Value, program: &str, label: &str, expected: Expect) {
    options["hintPatience"] = json!(FOREVER);
    let mut capabilities = waiting_client();
    capabilities["textDocument"]["inlayHint"] = json!({ "resolveSupport": { "properties": ["tooltip", "textEdits"] } });
    let mut session = Session::with(Options { capabilities, options, ..Options::default() });
    session.open(URI, program);
    let params = json!({ "textDocument": document(), "range": span([0, 0, 99, 0]) });
    let hints = session.call("textDocument/inlayHint", params).expect("hints");
    let text = |hint: &&Value| {
        let parts = hint["label"].as_array().expect("parts");
        parts.iter().filter_map(|part| part["value"].as_str()).collect::<String>() == label
    };
    let hint = hints.as_array().expect("a list").iter().find(text).expect("the hint");
    assert!(hint.get("tooltip").is_none() && hint.get("textEdits").is_none(), "{hint}");
    let hint = session.call("inlayHint/resolve", hint.clone()).expect("a hint");
    let edits = hint["textEdits"].as_array().cloned().unwrap_or_default();
    session.change(URI, 2, edits.iter().map(|e| json!({ "range": e["range"], "text": e["newText"] })).collect());
    let after = if edits.is_empty() { String::new() } else { session.text(URI) };
    expected.assert_eq(&format!("{}\n{after}", hint["tooltip"].as_str().expect("a tooltip")));
    session.shutdown();
}

#[test]
fn a_hint_says_in_a_sentence_what_it_is_and_writes_itself() {
    let pairs = "(lift pairs (N M) ((array-type float N) (array-type float M))\n  (lambda (xs ys) (zip xs (: ys (array-type float N)))))\n";
    resolved(
        json!({}),
        PROGRAM,
        "unpack X1",
        expect![[r#"
        The length hidden in <∃X, Array[Float,X]> is opened here: the value is used as Array[Float,X1]. Off with the setting `inlayHints.packUnpack`.
        ;;; Keeps what is positive.
        (define (positive xs) (filter (lambda (x) (> x 0.0f)) xs))
        (lift twice (N) ((array-type float N))
          (lambda (xs)
            (unpack (X1 ys) (positive xs)
              (pack (map (lambda (y) (* y 2.0f)) ys)))))
    "#]],
    );
    resolved(
        json!({}),
        PROGRAM,
        ": Array[Float,N]",
        expect![[r#"
        The type of `xs`: Array[Float,N]. Off with the setting `inlayHints.types`.
        ;;; Keeps what is positive.
        (define (positive xs) (filter (lambda (x) (> x 0.0f)) xs))
        (lift twice (N) ((array-type float N))
          (lambda ((xs (array-type float N)))
            (let ys (positive xs)
              (map (lambda (y) (* y 2.0f)) ys))))
    "#]],
    );
    resolved(
        json!({}),
        pairs,
        "checks M = N",
        expect![[r#"
        The lengths cannot be proved equal: the run stops with an error if they are not. Off with the setting `inlayHints.checks`.
    "#]],
    );
    resolved(
        json!({ "inlayHints": { "placements": true } }),
        ROWS,
        "Glb0",
        expect![[r#"
        The program does not place this; the compiler runs it on global work-items of dimension 0. Off with the setting `inlayHints.placements`.
        (define (total xs) (reduce 0.0f + xs))
        (lift rows (N M) ((array-type (array-type float M) N))
          (lambda (xss) (mapGlb total (map (lambda (xs) (scan 0.0f + (map (lambda (x) (* x 2.0f)) xs))) xss))))
        (lift kept (N) ((array-type float N))
          (lambda (xs)
            (let ys (filter (lambda (x) (> x 0.0f)) xs)
              (reduce 0.0f + (map sqrt ys)))))
    "#]],
    );
    resolved(
        json!({}),
        UNEQUAL,
        "\u{2717} X1 = X2",
        expect![[r#"
        The lengths X1 and X2 would have to be equal here, but nothing shows that they are. Off with the setting `inlayHints.obligations`.
    "#]],
    );
}

/// All kinds of hints that the server supports are documented.
#[test]
fn every_kind_is_documented() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/protocol.md")).expect("the page");
    for setting in KINDS {
        let row = format!("| `{}` | {} | {} |", setting.name, if setting.on { "on" } else { "off" }, setting.shows);
        assert!(page.contains(&row), "docs/protocol.md lacks the row\n{row}");
    }
}

/// The extension has a setting for each kind, with the same default, an example in its text, and a command that toggles
/// it.
#[test]
fn every_kind_has_a_setting_in_visual_studio_code() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../editors/vscode/package.json");
    let manifest = std::fs::read_to_string(manifest).expect("the manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let contributes = &manifest["contributes"];
    let toggles = contributes["commands"].as_array().expect("commands").iter();
    let toggles = toggles.filter_map(|c| c["command"].as_str()).filter(|c| c.starts_with("lift.toggle"));
    assert!(toggles.count() >= KINDS.len());
    // The manifest has one object of settings or a list of them.
    let settings = &contributes["configuration"];
    let groups = settings.as_array().cloned().unwrap_or_else(|| vec![settings.clone()]);
    for setting in KINDS {
        let name = format!("lift.inlayHints.{}", setting.name);
        let found = groups.iter().find_map(|group| group["properties"].get(&name));
        let found = found.unwrap_or_else(|| panic!("no setting {name}"));
        assert_eq!(found["default"], setting.on, "{name}");
        let text = found["markdownDescription"].as_str().unwrap_or_default();
        assert!(text.contains(&format!("Example: `\"{name}\": {}`", !setting.on)), "{name}: {text}");
    }
}
