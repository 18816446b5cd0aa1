//! Generated texts that follow the edits, and the mapping between their parts and the program.

use crate::session::{Options, Session, rich_client, span};
use serde_json::{Value, json};

const URI: &str = "file:///tmp/lift-test/views.lift";
const VIEW: &str = "lift-opencl:/double.cl?file%3A%2F%2F%2Ftmp%2Flift-test%2Fviews.lift";
const PROGRAM: &str = "\
(define (twice x) (* x 2.0f))
(lift double (N) ((array-type float N))
  (lambda (xs)
    (map twice (filter (lambda (x) (> x 0.5f)) xs))))
";

/// Starts a session of a client with or without `workspace/textDocumentContent`.
fn session(standard: bool) -> Session {
    let mut capabilities = rich_client();
    if standard {
        capabilities["workspace"]["textDocumentContent"] = json!({});
    }
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    session.open(URI, PROGRAM);
    session
}

fn content(session: &mut Session, view: &str) -> String {
    let answer = session.call("workspace/textDocumentContent", json!({ "uri": view })).expect("a text");
    answer["text"].as_str().expect("a text").to_owned()
}

fn head(text: &str) -> &str {
    text.lines().next().expect("a line")
}

/// Returns how often the client was asked to refresh a text.
fn told(session: &Session) -> usize {
    session.messages().iter().filter(|m| m["method"] == "workspace/textDocumentContent/refresh").count()
}

fn wait_until_told(session: &mut Session, times: usize) {
    session.wait("a refresh", |_| true);
    while told(session) < times {
        // Every wait also answers the server's requests.
        session.call("lift/test/text", json!({ "uri": URI })).expect("an open document");
    }
    let last = session.messages().into_iter().rfind(|m| m["method"] == "workspace/textDocumentContent/refresh");
    assert_eq!(last.map(|m| m["params"]["uri"].clone()), Some(json!(VIEW)));
}

#[test]
fn a_view_follows_the_edits_of_what_is_not_saved() {
    let mut session = session(true);
    assert_eq!(
        session.initialized["capabilities"]["workspace"]["textDocumentContent"]["schemes"],
        json!(["lift", "lift-opencl"])
    );
    let first = content(&mut session, VIEW);
    assert_eq!(head(&first), "// OpenCL C of double in views.lift");
    assert!(first.contains("* 2.0f"), "{first}");
    session.edit(URI, 2, [0, 23, 0, 27], "7.0f");
    wait_until_told(&mut session, 1);
    let second = content(&mut session, VIEW);
    assert_eq!(second, first.replace("* 2.0f", "* 7.0f"));
    // An edit that does not change the text causes no refresh.
    session.edit(URI, 3, [0, 0, 0, 0], "; a comment\n");
    session.edit(URI, 4, [1, 23, 1, 27], "8.0f");
    wait_until_told(&mut session, 2);
    assert_eq!(content(&mut session, VIEW), first.replace("* 2.0f", "* 8.0f"));
    assert_eq!(told(&session), 2);
    session.shutdown();
}

#[test]
fn a_view_that_nobody_asks_for_again_is_made_no_more() {
    let mut session = session(true);
    content(&mut session, VIEW);
    session.edit(URI, 2, [0, 23, 0, 27], "7.0f");
    wait_until_told(&mut session, 1);
    session.edit(URI, 3, [0, 23, 0, 27], "8.0f");
    // When the other view is refreshed, this one would have been refreshed, too, if it were still wanted.
    let plan = VIEW.replace(".cl?", ".core?");
    assert!(content(&mut session, &plan).contains("* 8.0f"));
    session.edit(URI, 4, [0, 23, 0, 27], "9.0f");
    session.wait("a refresh of the other", |m| {
        m["method"] == "workspace/textDocumentContent/refresh" && m["params"]["uri"] == json!(plan)
    });
    assert_eq!(told(&session), 2);
    session.shutdown();
}

#[test]
fn the_last_good_text_stays_while_the_program_is_broken() {
    let mut session = session(true);
    let first = content(&mut session, VIEW);
    session.edit(URI, 2, [0, 23, 0, 27], "true");
    wait_until_told(&mut session, 1);
    let stale = content(&mut session, VIEW);
    assert!(head(&stale).starts_with("// stale: views.lift:1:24: ") && head(&stale).contains("Bool"), "{stale}");
    assert_eq!(stale.split_once('\n').map(|s| s.1), first.split_once('\n').map(|s| s.1), "below it nothing changes");
    session.edit(URI, 3, [0, 23, 0, 27], "2.0f");
    wait_until_told(&mut session, 2);
    assert_eq!(content(&mut session, VIEW), first);
    session.shutdown();
}

#[test]
fn a_view_of_a_program_that_never_compiled_says_why_until_it_does() {
    let mut session = session(true);
    session.edit(URI, 2, [0, 23, 0, 27], "true");
    let empty = content(&mut session, VIEW);
    assert_eq!(head(&empty), "// stale: there is no OpenCL C of double yet");
    assert!(empty.lines().nth(1).is_some_and(|l| l.starts_with("//   views.lift:1:")), "{empty}");
    session.edit(URI, 3, [0, 23, 0, 27], "2.0f");
    wait_until_told(&mut session, 1);
    assert!(content(&mut session, VIEW).contains("__kernel"));
    // The program is closed.
    session.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    session.wait("the view of a closed program", |m| m["method"] == "workspace/textDocumentContent/refresh");
    let closed = session.call("lift/virtualText", json!({ "uri": VIEW })).expect("a text");
    let closed = closed["text"].as_str().expect("a text");
    assert_eq!(head(closed), "// stale: views.lift: the program is not open");
    assert!(closed.contains("__kernel"), "the last good text stays");
    session.shutdown();
}

#[test]
fn typing_in_bursts_ends_with_the_newest_text() {
    let mut session = session(true);
    let first = content(&mut session, VIEW);
    for version in 2..120 {
        let broken = version % 3 == 0 && version != 119;
        let number = if broken { "true".to_owned() } else { format!("{}.5f", version % 10) };
        session.edit(URI, version, [0, 23, 0, 27], &number);
        if version % 20 == 0 {
            // During the burst, too, the answer shows the current text.
            let text = content(&mut session, VIEW);
            assert!(broken == head(&text).contains("stale"), "{version}: {}", head(&text));
        }
    }
    let last = content(&mut session, VIEW);
    assert_eq!(last, first.replace("* 2.0f", "* 9.5f"));
    session.shutdown();
}

#[test]
fn clients_without_the_standard_request_are_told_by_a_notification() {
    let mut session = session(false);
    assert_eq!(session.initialized["capabilities"]["workspace"].get("textDocumentContent"), None);
    session.call("lift/virtualText", json!({ "uri": VIEW })).expect("a text");
    session.edit(URI, 2, [0, 23, 0, 27], "7.0f");
    let message = session.wait("a notification", |m| m["method"] == "lift/virtualTextChanged");
    assert_eq!((&message["params"]["uri"], message.get("id")), (&json!(VIEW), None));
    session.shutdown();
}

#[test]
fn every_stage_can_be_seen() {
    let mut session = session(true);
    let stages = [
        (
            "elaborated",
            "double.elaborated.lift",
            "lift",
            "; elaborated program of double in views.lift",
            "(unpack (X1 v1)",
        ),
        ("core", "double.core", "lift-core", "; core of double in views.lift", "kernel double (N)"),
        ("scheduled", "double.scheduled.core", "lift-core", "; scheduled core of double in views.lift", "filterGlb"),
        ("opencl", "double.cl", "opencl", "// OpenCL C of double in views.lift", "__kernel"),
        ("plan", "double.plan.json", "jsonc", "// host plan of double in views.lift", "\"launch\""),
        ("host", "double.host.c", "c", "// C host of double in views.lift", "/* filter: count */"),
        ("host", "double.host.c", "c", "// C host of double in views.lift", "/* filter: count */"),
    ];
    for (stage, name, language, first, part) in stages {
        let made = session.execute("lift.server.generateOpenCL", json!({ "uri": URI, "stage": stage })).expect(stage);
        assert_eq!((&made["language"], &made["stage"]), (&json!(language), &json!(stage)));
        let address = made["uri"].as_str().expect("an address");
        assert!(address.starts_with(&format!("lift-opencl:/{name}?file")), "{address}");
        let text = content(&mut session, address);
        assert_eq!(head(&text), first);
        assert_eq!(text.split_once('\n').map(|(_, text)| text), made["text"].as_str());
        assert!(text.contains(part), "{text}");
    }
    let wrong = session.execute("lift.server.generateOpenCL", json!({ "uri": URI, "stage": "cuda" }));
    assert_eq!(wrong.expect_err("no such stage")["code"], -32602);
    session.shutdown();
}

/// Returns the text of a range.
fn part<'t>(text: &'t str, range: &Value) -> &'t str {
    let offset = |at: &Value| {
        let line = at["line"].as_u64().expect("a line") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + at["character"].as_u64().expect("a column") as usize
    };
    &text[offset(&range["start"])..offset(&range["end"])]
}

/// Returns the position of a text as an empty range.
fn place(text: &str, what: &str) -> Value {
    let at = text.find(what).unwrap_or_else(|| panic!("no {what} in {text}"));
    let line = text[..at].matches('\n').count() as u32;
    let column = (at - text[..at].rfind('\n').map_or(0, |n| n + 1)) as u32;
    span([line, column, line, column])
}

#[test]
fn an_expression_leads_to_its_generated_parts_and_back() {
    let mut session = session(true);
    let text = content(&mut session, VIEW);
    let mut parts = |range: Value| -> Vec<String> {
        let found = session.call("lift/generatedRanges", json!({ "view": VIEW, "uri": URI, "range": range }));
        found.expect("ranges").as_array().expect("a list").iter().map(|r| part(&text, r).to_owned()).collect()
    };
    let test = parts(place(PROGRAM, "0.5f"));
    assert!(test.len() >= 2 && test.iter().all(|p| p.contains("> 0.5f")), "both launches of the filter: {test:?}");
    let body = parts(place(PROGRAM, "2.0f"));
    assert!(!body.is_empty() && body.iter().all(|p| p.contains("* 2.0f")), "{body:?}");
    let call = parts(place(PROGRAM, "filter"));
    assert!(call.iter().any(|p| p.starts_with("__kernel") || p.starts_with("__attribute__")), "{call:?}");
    assert_eq!(parts(span([0, 0, 0, 0])), Vec::<String>::new());

    let mut source = |what: &str| {
        let found = session.call("lift/sourceRange", json!({ "view": VIEW, "range": place(&text, what) }));
        let found = found.expect("a place");
        assert_eq!(found["uri"], URI);
        assert!(part(&text, &found["part"]).contains(what), "{found}");
        part(PROGRAM, &found["range"]).to_owned()
    };
    assert_eq!(source("> 0.5f"), "(> x 0.5f)");
    assert_eq!(source("* 2.0f"), "(* x 2.0f)");
    let first = session.call("lift/sourceRange", json!({ "view": VIEW, "range": span([0, 3, 0, 3]) }));
    assert_eq!(first, Ok(Value::Null), "the first line comes from nowhere");

    // The standard requests give the same.
    let position = place(&text, "> 0.5f")["start"].clone();
    let at = json!({ "textDocument": { "uri": VIEW }, "position": position });
    let definition = session.call("textDocument/definition", at.clone()).expect("a place");
    assert_eq!(part(PROGRAM, &definition[0]["range"]), "(> x 0.5f)");
    let hover = session.call("textDocument/hover", at).expect("a hover");
    let said = hover["contents"]["value"].as_str().expect("a text");
    assert!(said.starts_with("From views.lift:4:36\n\n```lift\n(> x 0.5f)\n```"), "{said}");
    assert!(said.contains("```lift\nBool\n```"), "{said}");
    session.shutdown();
}

#[test]
fn places_follow_edits_that_the_view_does_not_show_yet() {
    let mut session = session(true);
    let text = content(&mut session, VIEW);
    let edited = format!("; a line\n{PROGRAM}");
    session.edit(URI, 2, [0, 0, 0, 0], "; a line\n");
    let params = json!({ "view": VIEW, "range": place(&text, "> 0.5f") });
    let found = session.call("lift/sourceRange", params).expect("a place");
    assert_eq!(part(&edited, &found["range"]), "(> x 0.5f)");
    let params = json!({ "view": VIEW, "uri": URI, "range": place(&edited, "2.0f") });
    let found = session.call("lift/generatedRanges", params).expect("ranges");
    assert!(part(&text, &found[0]).contains("* 2.0f"), "{found}");
    // Inside the edit, no source is known.
    session.edit(URI, 3, [4, 36, 4, 42], "(= x 1.0f)");
    let params = json!({ "view": VIEW, "uri": URI, "range": span([4, 38, 4, 38]) });
    let found = session.call("lift/generatedRanges", params).expect("ranges");
    assert_eq!(found, json!([]));
    // A view that was never requested has no source map.
    let params = json!({ "view": VIEW.replace("double", "other"), "range": span([0, 0, 0, 0]) });
    assert_eq!(session.call("lift/sourceRange", params).expect_err("unknown")["code"], -32602);
    session.shutdown();
}
