//! Recursive descent over groups of brackets.
//!
//! A first pass over the tokens (`scan`) reports malformed tokens and matches brackets by the same rule as the splitter
//! (`brackets`). Every part of the grammar therefore knows where its group ends, and cannot run past that end. Recovery
//! needs no heuristics: what does not fit becomes an `ERROR` node, and what follows the group is intact.
//!
//! An `ERROR` node takes the position of the missing part, so that the second part of a form stays the second part. One
//! mistake gives one error: after an error in a group, missing or superfluous parts of the same group are not reported.
//!
//! | module | job |
//! |---|---|
//! | `scan` | the first pass over the tokens of a form |
//! | `foreign` | syntax of other languages (Python, Haskell, Futhark, C): what is written instead |
//! | `expressions` | expressions and parameters |
//! | `forms` | top-level forms |
//! | `sizes` | sizes |
//! | `types` | types |

mod expressions;
mod foreign;
mod forms;
mod scan;
mod sizes;
mod types;

use crate::TextRange;
use crate::error::{SyntaxError, SyntaxErrorCode as Code};
use crate::kind::SyntaxKind::{self, *};
use crate::lexer::{Tokens, lex};
use crate::literal::is_literal_word;
use crate::tree::{Event, Parse, build};
use crate::words::{self, EXPRESSION_WORDS};
use scan::Group;

/// Maximal nesting of brackets. Trees are dropped and compared recursively, so unbounded depth would overflow the
/// stack; a deeper group becomes one flat `ERROR` node.
pub const MAX_DEPTH: u32 = 256;

/// Maximal number of errors reported per form.
const MAX_ERRORS: usize = 200;

/// Parses the text of one form, as [`crate::split`] finds it. The tree contains the whole text, whatever it is.
pub fn parse_form(text: &str) -> Parse {
    let tokens = lex(text);
    let mut parser = Parser::new(text, &tokens);
    parser.form();
    let Parser { events, mut errors, .. } = parser;
    // What is missing or superfluous in the groups around a missing bracket follows from it.
    if errors.iter().any(|error| error.code == Code::Unclosed) {
        errors.retain(|error| !matches!(error.code, Code::Missing | Code::Extra));
    }
    errors.sort_by_key(|error| (error.range.start(), error.range.end()));
    Parse { green: build(text, &tokens, &events), errors }
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: &'t Tokens,
    /// Indices of the tokens that are not trivia. All positions below are indices into this list.
    significant: Vec<u32>,
    /// For each opening bracket, its group.
    groups: Vec<Group>,
    pos: usize,
    /// The end of the current group's contents.
    end: usize,
    depth: u32,
    /// The syntax of the current group, for messages.
    shape: &'static str,
    /// Whether the current group has an error, so its missing and superfluous parts are not reported.
    quiet: bool,
    /// Inside skipped tokens, where nothing is reported.
    muted: bool,
    reported_depth: bool,
    /// The end of a `let` that was just reported, because it has no body.
    without_body: Option<usize>,
    events: Vec<Event>,
    errors: Vec<SyntaxError>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, tokens: &'t Tokens) -> Self {
        let significant: Vec<u32> =
            (0u32..).zip(tokens.kinds()).filter(|(_, kind)| !kind.is_trivia()).map(|(token, _)| token).collect();
        let mut parser = Parser {
            text,
            tokens,
            groups: Vec::new(),
            pos: 0,
            end: significant.len(),
            depth: 0,
            shape: "",
            quiet: false,
            muted: false,
            reported_depth: false,
            without_body: None,
            events: Vec::with_capacity(significant.len() * 2),
            errors: Vec::new(),
            significant,
        };
        parser.scan();
        parser
    }

    // ---- looking

    fn at_end(&self) -> bool {
        self.pos >= self.end
    }

    fn kind_at(&self, pos: usize) -> SyntaxKind {
        self.significant.get(pos).map_or(EOF, |&token| self.tokens.kind(token as usize))
    }

    /// The kind of the next token of the current group; `EOF` at its end.
    fn current(&self) -> SyntaxKind {
        if self.at_end() { EOF } else { self.kind_at(self.pos) }
    }

    fn range_at(&self, pos: usize) -> TextRange {
        let token = self.significant.get(pos).map_or(self.tokens.len(), |&token| token as usize);
        self.tokens.range(token)
    }

    fn current_range(&self) -> TextRange {
        self.range_at(self.pos)
    }

    fn text_at(&self, pos: usize) -> &'t str {
        &self.text[self.range_at(pos)]
    }

    /// Returns the name at `pos` in the current group, or `""`.
    fn word_at(&self, pos: usize) -> &'t str {
        if pos < self.end && self.kind_at(pos) == IDENT { self.text_at(pos) } else { "" }
    }

    /// Returns the first word of the group that opens here, or `""`.
    fn head_word(&self) -> &'t str {
        if self.current().is_opener() && self.pos + 1 < self.groups[self.pos].end() {
            self.word_at(self.pos + 1)
        } else {
            ""
        }
    }

    /// Returns the range of the next element: a group, `#` with its size, or one token.
    fn element_range(&self) -> TextRange {
        let start = if self.current() == HASH { self.pos + 1 } else { self.pos };
        let last = if start < self.end && self.kind_at(start).is_opener() {
            self.groups[start].last()
        } else {
            start.min(self.end.saturating_sub(1)).max(self.pos)
        };
        self.current_range().cover(self.range_at(last))
    }

    // ---- building

    fn start(&mut self, kind: SyntaxKind) {
        self.events.push(Event::Start(kind));
    }

    fn finish(&mut self) {
        self.events.push(Event::Finish);
    }

    fn bump(&mut self) {
        self.bump_as(self.kind_at(self.pos));
    }

    fn bump_as(&mut self, kind: SyntaxKind) {
        self.events.push(Event::Token(kind));
        self.pos += 1;
    }

    fn keyword(&mut self) {
        self.bump_as(KEYWORD);
    }

    /// Wraps one token in a node.
    fn leaf(&mut self, kind: SyntaxKind) {
        self.start(kind);
        self.bump();
        self.finish();
    }

    /// Parses the group that opens here: its brackets, the `contents` between them, and leftover tokens. `shape` is its
    /// syntax, for messages.
    fn group(&mut self, kind: SyntaxKind, shape: &'static str, contents: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        let group = self.groups[self.pos];
        let outer = (self.end, self.shape, self.quiet);
        self.start(kind);
        self.bump();
        (self.end, self.shape, self.quiet) = (group.end(), shape, !group.is_closed());
        self.depth += 1;
        contents(self);
        self.left_over(kind, group.is_closed());
        self.depth -= 1;
        (self.end, self.shape, self.quiet) = outer;
        if group.is_closed() {
            self.bump();
        }
        self.finish();
    }

    /// Reports and skips leftover tokens of the current group. After the body of a function, they are probably arguments of the
    /// call around it.
    fn left_over(&mut self, kind: SyntaxKind, is_closed: bool) {
        if self.at_end() {
            return;
        }
        if self.quiet {
            // An earlier error of this group explains what is left over.
        } else if self.body_after_let() {
            self.quiet = true;
        } else if let Some(error) = self.call_apart() {
            self.report(error);
        } else {
            let range = self.current_range().cover(self.range_at(self.end - 1));
            let word = self.word_at(self.pos);
            let order =
                if is_operator(word) { format!("; an operator comes first: `({word} a b)`") } else { String::new() };
            let message = format!("too much: this is written `{}`{order}", self.shape);
            let mut error = SyntaxError::new(Code::Extra, range, message);
            if kind == LAMBDA && is_closed && self.depth > 1 {
                let before = self.range_at(self.pos - 1).end();
                let closer = self.range_at(self.end);
                let rest = TextRange::new(before, range.end());
                let moved = format!("{}{}", &self.text[closer], &self.text[rest]);
                error = error.with_fix("Close the function before it", rest.cover(closer), moved);
            }
            self.report(error);
        }
        self.start(ERROR);
        self.muted(|p| {
            while !p.at_end() {
                p.expr();
            }
        });
        self.finish();
    }

    /// Skips an element that does not fit.
    fn skip_element(&mut self) {
        self.start(ERROR);
        self.muted(Self::expr);
        self.finish();
    }

    fn muted(&mut self, skip: impl FnOnce(&mut Self)) {
        let outer = (self.muted, self.quiet);
        self.muted = true;
        skip(self);
        (self.muted, self.quiet) = outer;
    }

    /// Consumes the group that opens here as flat tokens, without recursion.
    fn too_deep(&mut self) {
        self.report_depth();
        let last = self.groups[self.pos].last();
        self.start(ERROR);
        while self.pos <= last {
            self.bump();
        }
        self.finish();
    }

    // ---- complaining

    fn report_depth(&mut self) {
        if !self.reported_depth && !self.muted {
            self.reported_depth = true;
            let message = format!("nested too deep: at most {MAX_DEPTH} brackets can be open");
            self.error(Code::TooDeep, self.current_range(), message);
        }
        self.quiet = true;
    }

    fn error(&mut self, code: Code, range: TextRange, message: impl Into<String>) {
        self.report(SyntaxError::new(code, range, message));
    }

    fn report(&mut self, error: SyntaxError) {
        self.quiet = true;
        if !self.muted && self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    fn error_with_fix(
        &mut self,
        code: Code,
        range: TextRange,
        message: impl Into<String>,
        label: impl Into<String>,
        insert: impl Into<String>,
    ) {
        self.report(SyntaxError::new(code, range, message).with_fix(label, range, insert));
    }

    /// Reports that the current group ends before the part named `what`.
    fn missing(&mut self, what: &str) {
        if !self.quiet {
            let message = format!("{what} is missing: this is written `{}`", self.shape);
            self.error(Code::Missing, self.range_at(self.end), message);
        }
    }

    // ---- names

    /// Parses a name that is bound here.
    fn name(&mut self, what: &str) {
        match self.current() {
            EOF => return self.missing(what),
            IDENT => {
                let word = self.text_at(self.pos);
                if EXPRESSION_WORDS.contains(&word) {
                    let message = format!("`{word}` has a fixed meaning and cannot be bound");
                    self.error(Code::ReservedWord, self.current_range(), message);
                }
                return self.leaf(NAME);
            }
            _ if is_literal_word(self.text_at(self.pos)) => {
                let message = format!("`{}` is a literal and cannot be bound", self.text_at(self.pos));
                self.error(Code::ExpectedName, self.current_range(), message);
            }
            _ if self.at_malformed() => {}
            _ => {
                self.error(Code::ExpectedName, self.element_range(), "a name is expected here");
            }
        }
        self.start(NAME);
        self.skip_element();
        self.finish();
    }

    /// Whether the next token is malformed; `scan` has already reported it.
    fn at_malformed(&mut self) -> bool {
        let malformed = self.current().is_malformed();
        self.quiet |= malformed;
        malformed
    }

    /// Reports the next token, an `IDENT` used as an expression, if it is a keyword that can only head a group.
    fn misplaced_word(&mut self) {
        let word = self.text_at(self.pos);
        if words::only_heads(word) {
            let message = format!("`{word}` is allowed only directly after an opening bracket");
            self.error(Code::ReservedWord, self.current_range(), message);
        }
    }
}

/// Whether a word looks like an operator of this or another language.
fn is_operator(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| "+-*/%<>=!&|".contains(c))
}
