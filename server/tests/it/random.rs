//! Sessions of random typing: every request is answered, none by a defect, and the text is what was typed.
//!
//! Columns are counted as the session has agreed (UTF-8 or UTF-16); some edits come with an old version, and now and then
//! the document is closed, asked about, and opened again.

use crate::session::{Options, Session, at, rich_client, span};
use serde_json::{Value, json};

const URI: &str = "file:///tmp/lift-test/random.lift";
const PROGRAM: &str = "\
;;; Keeps what is positive. 𝒳é
(define (positive xs) (filter (lambda (x) (> x 0.0f)) xs))
(lift twice (N M) ((array-type (array-type float M) N) float)
  (lambda (xss k)
    (map (lambda (xs)
      (let ys (positive xs)
        (if (> k 1.0f) (map (lambda (y) (* y k)) ys) (concat ys ys)))) xss)))
(lift pairs (N) ((array-type int N))
  (lambda (xs) (zip (drop #1 xs) (take #3 (reverse xs)))))
";
/// What is typed: pieces that make and break programs.
const PIECES: [&str; 26] = [
    "(",
    ")",
    "[",
    "]",
    " ",
    "\n",
    "\r\n",
    ";",
    "x",
    "xs",
    "#1",
    "N",
    "0.5f",
    "(lambda (y) ",
    "(filter ",
    "(unpack (X v) ",
    "(pack ",
    "(let z ",
    "𝒳",
    // an `e` with its accent as a character of its own
    "e\u{301}",
    "\u{1f468}\u{200d}\u{1f469}",
    "\"",
    "(define q 1)\n",
    "(array-type int N)",
    ": ",
    "(lift k () () 1)\n",
];
const REQUESTS: [&str; 18] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/inlayHint",
    "textDocument/codeAction",
    "textDocument/documentSymbol",
    "textDocument/formatting",
    "textDocument/codeLens",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/documentHighlight",
    "textDocument/linkedEditingRange",
    "textDocument/onTypeFormatting",
    "textDocument/rangeFormatting",
    "textDocument/foldingRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/typeDefinition",
];

/// A linear congruential generator (Knuth's MMIX): the same session for the same seed.
struct Dice(u64);
impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// What columns are counted in.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Utf8,
    Utf16,
}

/// The line and the column of a byte of a text.
fn position(text: &str, byte: usize, unit: Unit) -> [u32; 2] {
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = match unit {
        Unit::Utf8 => byte - start,
        Unit::Utf16 => before[start..].encode_utf16().count(),
    };
    [before.matches('\n').count() as u32, column as u32]
}

/// A place between two characters, but not inside of a line end.
fn place(dice: &mut Dice, text: &str) -> usize {
    let places: Vec<usize> = (0..=text.len())
        .filter(|&i| text.is_char_boundary(i) && !(i > 0 && text[..i].ends_with('\r') && text[i..].starts_with('\n')))
        .collect();
    places[dice.below(places.len())]
}

/// Closes the document, asks for it and edits it although it is closed, and opens it again.
fn reopened(session: &mut Session, text: &str) {
    session.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    session.edit(URI, 1, [0, 0, 0, 0], "(");
    for method in ["textDocument/hover", "textDocument/completion", "lift/virtualText"] {
        let mut params = at(URI, 0, 3);
        params["uri"] = json!(URI);
        session.call(method, params).expect_err("it is closed");
    }
    session.open(URI, text);
}

fn session(seed: u64) {
    let mut dice = Dice(seed);
    let unit = [Unit::Utf8, Unit::Utf16][dice.below(2)];
    let mut capabilities = rich_client();
    if unit == Unit::Utf8 {
        capabilities["general"]["positionEncodings"] = json!(["utf-8", "utf-16"]);
    }
    let mut session = Session::with(Options { capabilities, ..Options::default() });
    let mut text = PROGRAM.to_owned();
    session.open(URI, &text);
    let mut asked: Vec<(i64, &str)> = Vec::new();
    for version in 2..200 {
        let from = place(&mut dice, &text);
        // some edits delete a little, some undo everything
        let to = if dice.below(3) == 0 { (from + dice.below(12)).min(text.len()) } else { from };
        let to = (to..=text.len()).find(|&i| text.is_char_boundary(i) && !text[i..].starts_with('\n')).unwrap_or(from);
        let piece = PIECES[dice.below(PIECES.len())];
        if dice.below(30) == 0 {
            reopened(&mut session, &text);
        }
        // An edit that says that it is older than the text is made as well.
        let version = version - [0, 0, 0, 1, 7][dice.below(5)];
        if dice.below(20) == 0 {
            text = PROGRAM.to_owned();
            session.change(URI, version, json!([{ "text": text }]));
        } else if !text[..from].ends_with('\r') {
            // One message may hold several changes, each about what the one before it made: they may overlap.
            let mut changes = Vec::new();
            let mut changed = |text: &mut String, from: usize, to: usize, piece: &str| {
                let ([l, c], [to_l, to_c]) = (position(text, from, unit), position(text, to, unit));
                changes.push(json!({ "range": span([l, c, to_l, to_c]), "text": piece }));
                text.replace_range(from..to, piece);
            };
            changed(&mut text, from, to, piece);
            if dice.below(4) == 0 && !piece.ends_with('\r') {
                let inside = from + dice.below(piece.len() + 1);
                let inside = (inside..).find(|&i| text.is_char_boundary(i)).unwrap_or(from);
                if !text[..inside].ends_with('\r') {
                    changed(&mut text, inside, inside, PIECES[dice.below(4)]);
                }
            }
            session.change(URI, version, Value::Array(changes));
        }
        for _ in 0..dice.below(4) {
            let method = REQUESTS[dice.below(REQUESTS.len())];
            let [line, column] = position(&text, place(&mut dice, &text), unit);
            let mut params = at(URI, line, column);
            params["range"] = span([line, column, line + dice.below(3) as u32, column]);
            params["context"] =
                json!({ "includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false });
            params["ch"] = json!(["\n", ")", "[", "("][dice.below(4)]);
            params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
            let id = session.request(method, params);
            match dice.below(5) {
                0 => session.notify("$/cancelRequest", json!({ "id": id })),
                // no edit comes before this answer
                1 | 2 => assert!(session.answer(id).is_ok(), "seed {seed}, {method}: {:?}", session.answer(id)),
                _ => {}
            }
            asked.push((id, method));
        }
    }
    for (id, method) in asked {
        if let Err(error) = session.answer(id) {
            let code = error["code"].as_i64();
            assert!(matches!(code, Some(-32800 | -32801)), "seed {seed}, {method}: {error}");
        }
    }
    assert_eq!(session.text(URI), text, "seed {seed}");
    // what was typed last has its diagnostics, and is whole again when it is put back
    session.change(URI, 1000, json!([{ "text": PROGRAM }]));
    let found = session.diagnostics(URI, 1000);
    let errors: Vec<&Value> = found.iter().filter(|d| d["severity"] == 1).collect();
    assert_eq!(errors.len(), 1, "seed {seed}: {errors:?}");
    session.shutdown();
}

/// The same sessions each time; `LIFT_SESSIONS` says how many, and `LIFT_SEED` the seed of the first.
#[test]
fn random_typing_is_followed_and_answered() {
    let said = |name: &str, usual: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (count, first) = (said("LIFT_SESSIONS", 6), said("LIFT_SEED", 1));
    let wrong = (first..first + count).filter(|seed| {
        let failed = std::panic::catch_unwind(|| session(*seed)).is_err();
        if failed {
            println!("wrong: seed {seed}");
        }
        failed
    });
    let wrong = wrong.count();
    println!("{count} tried, {wrong} wrong");
    assert_eq!(wrong, 0);
}
