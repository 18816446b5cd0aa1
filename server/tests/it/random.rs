//! Random editing sessions: every request gets an answer, no answer is an internal error, and the server's text is the
//! typed text.
//!
//! Columns are in the negotiated unit (UTF-8 or UTF-16). Some edits have an old version. Sometimes the document is
//! closed, used while closed, and opened again.

use crate::session::{Options, Session, at, rich_client, span};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

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
/// The texts to insert, which make and break programs.
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
    // An `e` with a combining accent.
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

/// A linear congruential generator (Knuth's MMIX): a seed determines the session.
struct Dice(u64);
impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Utf8,
    Utf16,
}

/// A session to play. Each step depends only on its own seed and the current text, so any subsequence of the steps is a
/// valid session.
#[derive(Debug, Clone)]
struct Plan {
    unit: Unit,
    steps: Vec<u64>,
}

/// Maximal number of steps in a session.
const STEPS: usize = 200;

impl Plan {
    fn of(seed: u64) -> Plan {
        let mut dice = Dice(seed);
        let unit = [Unit::Utf8, Unit::Utf16][dice.below(2)];
        Plan { unit, steps: (0..STEPS).map(|_| dice.below(1 << 30) as u64).collect() }
    }
}

/// Returns line and column of a byte offset.
fn position(text: &str, byte: usize, unit: Unit) -> [u32; 2] {
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = match unit {
        Unit::Utf8 => byte - start,
        Unit::Utf16 => before[start..].encode_utf16().count(),
    };
    [before.matches('\n').count() as u32, column as u32]
}

/// Picks a character boundary that is not inside a line break.
fn place(dice: &mut Dice, text: &str) -> usize {
    let places: Vec<usize> = (0..=text.len())
        .filter(|&i| text.is_char_boundary(i) && !(i > 0 && text[..i].ends_with('\r') && text[i..].starts_with('\n')))
        .collect();
    places[dice.below(places.len())]
}

/// A running session, with a log of sent messages for reports.
struct Play {
    session: Session,
    unit: Unit,
    text: String,
    asked: Vec<(i64, &'static str)>,
    sent: Vec<String>,
}

impl Play {
    fn start(unit: Unit) -> Play {
        let mut capabilities = rich_client();
        if unit == Unit::Utf8 {
            capabilities["general"]["positionEncodings"] = json!(["utf-8", "utf-16"]);
        }
        let mut session = Session::with(Options { capabilities, ..Options::default() });
        session.open(URI, PROGRAM);
        let sent = vec![format!("columns in {unit:?}; opened with its first text")];
        Play { session, unit, text: PROGRAM.to_owned(), asked: Vec::new(), sent }
    }

    /// Plays one step: possibly reopens the document, edits it, sends some requests.
    fn step(&mut self, seed: u64, version: i64) {
        let mut dice = Dice(seed);
        let from = place(&mut dice, &self.text);
        // Some edits delete a few characters.
        let to = if dice.below(3) == 0 { (from + dice.below(12)).min(self.text.len()) } else { from };
        let whole = |i: &usize| self.text.is_char_boundary(*i) && !self.text[*i..].starts_with('\n');
        let to = (to..=self.text.len()).find(whole).unwrap_or(from);
        let piece = PIECES[dice.below(PIECES.len())];
        if dice.below(30) == 0 {
            self.reopen();
        }
        // The server applies an edit with an old version, too.
        let version = version - [0, 0, 0, 1, 7][dice.below(5)];
        if dice.below(20) == 0 {
            self.text = PROGRAM.to_owned();
            self.change(version, vec![json!({ "text": self.text })]);
        } else if !self.text[..from].ends_with('\r') {
            // A message may hold several changes, each relative to the result of the previous one; they may overlap.
            let mut changes = vec![self.replace(from, to, piece)];
            if dice.below(4) == 0 && !piece.ends_with('\r') {
                let inside = from + dice.below(piece.len() + 1);
                let inside = (inside..).find(|&i| self.text.is_char_boundary(i)).unwrap_or(from);
                if !self.text[..inside].ends_with('\r') {
                    changes.push(self.replace(inside, inside, PIECES[dice.below(4)]));
                }
            }
            self.change(version, changes);
        }
        for _ in 0..dice.below(4) {
            self.ask(&mut dice);
        }
    }

    /// Replaces a range of the text, and returns the change for the server.
    fn replace(&mut self, from: usize, to: usize, piece: &str) -> Value {
        let ([l, c], [to_l, to_c]) = (position(&self.text, from, self.unit), position(&self.text, to, self.unit));
        self.text.replace_range(from..to, piece);
        json!({ "range": span([l, c, to_l, to_c]), "text": piece })
    }

    fn change(&mut self, version: i64, changes: Vec<Value>) {
        let changes = Value::Array(changes);
        self.sent.push(format!("change to version {version}: {changes}"));
        self.session.change(URI, version, changes);
    }

    fn ask(&mut self, dice: &mut Dice) {
        let method = REQUESTS[dice.below(REQUESTS.len())];
        let [line, column] = position(&self.text, place(dice, &self.text), self.unit);
        let mut params = at(URI, line, column);
        params["range"] = span([line, column, line + dice.below(3) as u32, column]);
        params["context"] =
            json!({ "includeDeclaration": true, "diagnostics": [], "triggerKind": 1, "isRetrigger": false });
        params["ch"] = json!(["\n", ")", "[", "("][dice.below(4)]);
        params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
        self.sent.push(format!("{method} at {line}:{column}"));
        let id = self.session.request(method, params);
        match dice.below(5) {
            0 => {
                self.sent.push("which is cancelled".into());
                self.session.notify("$/cancelRequest", json!({ "id": id }));
            }
            // No edit can cancel this request.
            1 | 2 => assert!(self.session.answer(id).is_ok(), "{method}: {:?}", self.session.answer(id)),
            _ => {}
        }
        self.asked.push((id, method));
    }

    /// Closes the document, sends requests and an edit for it while it is closed, and opens it again.
    fn reopen(&mut self) {
        self.sent.push("closed, asked about, edited, opened again".into());
        self.session.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
        self.session.edit(URI, 1, [0, 0, 0, 0], "(");
        for method in ["textDocument/hover", "textDocument/completion", "lift/virtualText"] {
            let mut params = at(URI, 0, 3);
            params["uri"] = json!(URI);
            self.session.call(method, params).expect_err("it is closed");
        }
        self.session.open(URI, &self.text);
    }

    /// Checks that every request is answered, and that the server's text is the typed text.
    fn end(mut self) {
        for (id, method) in std::mem::take(&mut self.asked) {
            if let Err(error) = self.session.answer(id) {
                let code = error["code"].as_i64();
                assert!(matches!(code, Some(-32800 | -32801)), "{method}: {error}");
            }
        }
        assert_eq!(self.session.text(URI), self.text);
        // The original text, when restored, has its diagnostics again.
        self.session.change(URI, 1000, json!([{ "text": PROGRAM }]));
        let found = self.session.diagnostics(URI, 1000);
        let errors: Vec<&Value> = found.iter().filter(|d| d["severity"] == 1).collect();
        assert_eq!(errors.len(), 1, "{errors:?}");
        self.session.shutdown();
    }
}

/// A failed session: the sent messages, and the reason.
struct Wrong {
    sent: Vec<String>,
    why: String,
}

fn played(plan: &Plan) -> Result<(), Wrong> {
    let sent = Mutex::new(Vec::new());
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut play = Play::start(plan.unit);
        for (i, seed) in plan.steps.iter().enumerate() {
            let step = catch_unwind(AssertUnwindSafe(|| play.step(*seed, i as i64 + 2)));
            sent.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&play.sent);
            step.unwrap_or_else(|panic| resume_unwind(panic));
        }
        play.end();
    }));
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Wrong {
            sent: sent.into_inner().unwrap_or_else(PoisonError::into_inner),
            why: text.unwrap_or("a panic without a message").to_owned(),
        }
    })
}

/// Minimizes a failing plan: removes halves, quarters, … down to single steps while `wrong` still holds (Zeller and
/// Hildebrandt, *Simplifying and isolating failure-inducing input*, 2002). Calls `wrong` at most `tries` times.
fn smaller(mut plan: Plan, mut tries: u32, wrong: &mut dyn FnMut(&Plan) -> bool) -> Plan {
    let mut piece = plan.steps.len().div_ceil(2);
    while piece > 0 {
        let (mut from, before) = (0, plan.steps.len());
        while from < plan.steps.len() {
            let Some(left) = tries.checked_sub(1) else { return plan };
            tries = left;
            let mut fewer = plan.clone();
            fewer.steps.drain(from..(from + piece).min(plan.steps.len()));
            if wrong(&fewer) {
                plan = fewer;
            } else {
                from += piece;
            }
        }
        // Repeat single steps until none can be removed.
        if piece > 1 || plan.steps.len() == before {
            piece /= 2;
        }
    }
    plan
}

/// Formats the report of a failed session: seed, minimized session, reason.
fn told(seed: u64, plan: Plan, wrong: Wrong) -> String {
    let plan = smaller(plan, 80, &mut |plan| played(plan).is_err());
    let Wrong { sent, why } = played(&plan).err().unwrap_or(wrong);
    let again = format!("again: tests/fuzz/run server 1 {seed}");
    let steps = plan.steps.len();
    format!("wrong: seed {seed}, {steps} of {STEPS} steps\n  {}\n  {why}\n{again}", sent.join("\n  "))
}

#[test]
fn a_session_that_goes_wrong_is_made_smaller() {
    let plan = Plan::of(3);
    let (one, other) = (plan.steps[17], plan.steps[150]);
    let mut tries = 0;
    let found = smaller(plan, 200, &mut |plan| {
        tries += 1;
        plan.steps.contains(&one) && plan.steps.contains(&other)
    });
    assert_eq!(found.steps, [one, other]);
    assert!(tries < 60, "{tries}");
}

/// Plays six fixed sessions, and three new ones with seeds from `LIFT_SEED` or the clock. With `LIFT_SESSIONS=N`, plays
/// only N new ones.
#[test]
fn random_typing_is_followed_and_answered() {
    let said = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
    };
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let fresh = said("LIFT_SEED").unwrap_or(clock);
    let seeds: Vec<u64> = match said("LIFT_SESSIONS") {
        Some(count) => (fresh..fresh + count).collect(),
        None => (1..7).chain(fresh..fresh + 3).collect(),
    };
    let mut found = Vec::new();
    for seed in &seeds {
        let plan = Plan::of(*seed);
        if let Err(wrong) = played(&plan) {
            let told = told(*seed, plan, wrong);
            println!("{told}");
            found.push(told);
        }
    }
    println!("{} tried, {} wrong", seeds.len(), found.len());
    assert!(found.is_empty(), "new sessions from seed {fresh} on\n{}", found.join("\n"));
}
