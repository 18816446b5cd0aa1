//! The parser of FCL: tokens to a tree of declarations.
//!
//! A keyword that starts a declaration ends everything open before it. A declaration has at most one error: tokens
//! after its first mistake are kept without further reports.
//!
//! | module | job |
//! |---|---|
//! | `expressions` | expressions |
//! | `types` | types, schemes and levels |

mod expressions;
mod types;

use super::FclNode;
use super::kind::FclKind::{self, *};
use super::lexer::tokens;
use crate::{MAX_DEPTH, SyntaxError, SyntaxErrorCode, TextRange, TextSize};
use rowan::{Checkpoint, GreenNode, GreenNodeBuilder};

/// The tree of an FCL text, and its errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FclParse {
    pub green: GreenNode,
    /// In order of location.
    pub errors: Vec<SyntaxError>,
}

impl FclParse {
    /// The root, of kind [`FclKind::File`].
    pub fn syntax(&self) -> FclNode {
        FclNode::new_root(self.green.clone())
    }
}

/// Parses a text. Never fails: returns a tree and errors.
pub fn parse(text: &str) -> FclParse {
    let tokens = tokens(text);
    let mut parser = Parser {
        text,
        tokens: &tokens,
        next: 0,
        builder: GreenNodeBuilder::new(),
        errors: Vec::new(),
        failed: false,
        depth: 0,
        last: TextRange::default(),
    };
    parser.builder.start_node(raw(File));
    parser.declarations();
    parser.trivia();
    parser.builder.finish_node();
    let mut errors = parser.errors;
    errors.sort_by_key(|error| error.range.start());
    FclParse { green: parser.builder.finish(), errors }
}

fn raw(kind: FclKind) -> rowan::SyntaxKind {
    rowan::SyntaxKind(kind as u16)
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [(FclKind, TextRange)],
    next: usize,
    builder: GreenNodeBuilder<'static>,
    errors: Vec<SyntaxError>,
    /// Whether this declaration has an error, after which no others are reported.
    failed: bool,
    depth: u32,
    /// Range of the last token taken.
    last: TextRange,
}

impl Parser<'_> {
    fn significant(&self) -> Option<usize> {
        (self.next..self.tokens.len()).find(|at| !self.tokens[*at].0.is_trivia())
    }

    fn peek(&self) -> Option<FclKind> {
        self.significant().map(|at| self.tokens[at].0)
    }

    /// Returns the text of the next token; empty at the end.
    fn word(&self) -> &str {
        self.significant().map_or("", |at| &self.text[self.tokens[at].1])
    }

    fn range(&self) -> TextRange {
        self.significant().map_or(TextRange::empty(TextSize::of(self.text)), |at| self.tokens[at].1)
    }

    fn is(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Operator | Keyword)) && self.word() == word
    }

    fn starts_declaration(&self) -> bool {
        self.peek() == Some(Keyword) && matches!(self.word(), "sig" | "fun" | "val" | "kernel")
    }

    fn is_first_in_line(&self) -> bool {
        let before = &self.text[..self.range().start().into()];
        before.trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| matches!(c, '\n' | '\r'))
    }

    fn token(&mut self) {
        if let Some((kind, range)) = self.tokens.get(self.next).copied() {
            if kind == BadComment {
                self.errors.push(SyntaxError::new(SyntaxErrorCode::FclWord, range, "this comment is not closed"));
            }
            self.builder.token(raw(kind), &self.text[range]);
            self.next += 1;
        }
    }

    fn trivia(&mut self) {
        while self.tokens.get(self.next).is_some_and(|(kind, _)| kind.is_trivia()) {
            self.token();
        }
    }

    /// Takes the next significant token.
    fn take(&mut self) -> TextRange {
        self.trivia();
        let range = self.range();
        self.token();
        self.last = range;
        range
    }

    fn start(&mut self, kind: FclKind) {
        self.trivia();
        self.builder.start_node(raw(kind));
    }

    fn finish(&mut self) {
        self.builder.finish_node();
    }

    fn checkpoint(&mut self) -> Checkpoint {
        self.trivia();
        self.builder.checkpoint()
    }

    fn wrap(&mut self, from: Checkpoint, kind: FclKind) {
        self.builder.start_node_at(from, raw(kind));
    }

    fn error(&mut self, code: SyntaxErrorCode, range: TextRange, message: impl Into<String>) {
        if !self.failed {
            self.errors.push(SyntaxError::new(code, range, message));
        }
        self.failed = true;
    }

    /// Reports the next token as wrong, or `wanted` as missing.
    fn unexpected(&mut self, wanted: &str) {
        if self.peek().is_none() && self.tokens.last().is_some_and(|(kind, _)| *kind == BadComment) {
            // The missing part may be inside the unclosed comment.
            self.failed = true;
            return;
        }
        let range = self.range();
        let word = self.word().to_owned();
        let (code, message) = match self.peek() {
            Some(BadNumber) => (SyntaxErrorCode::FclWord, format!("`{word}` is not a number")),
            Some(BadText) => (SyntaxErrorCode::FclWord, "this string is not closed on its line".to_owned()),
            Some(Unknown) => {
                let hint = if matches!(&*word, "\\" | "λ") { ": a function is `fn x => …`" } else { "" };
                (SyntaxErrorCode::FclWord, format!("`{word}` means nothing in FCL{hint}"))
            }
            None => (SyntaxErrorCode::FclSyntax, format!("{wanted} is missing at the end of the file")),
            Some(_) => (SyntaxErrorCode::FclSyntax, format!("{wanted} is missing before `{word}`")),
        };
        // At the end of the file, mark the last token.
        let range = if range.is_empty() { self.last } else { range };
        self.error(code, range, message);
    }

    /// Reports that the name of a parameter is missing. `alternative` is what a definition without parameters is.
    fn no_parameter(&mut self, alternative: &str) {
        let hint = match self.peek() {
            Some(ParenOpen) => ": a parameter is a name, whose type a `sig` says; `fst` and `snd` take pairs apart",
            _ if self.is("=") || self.is("=>") => alternative,
            _ => "",
        };
        self.unexpected_with("a parameter", hint);
    }

    /// Reports the next token as wrong, or `wanted` as missing, with a hint at the end of the message.
    fn unexpected_with(&mut self, wanted: &str, hint: &str) {
        let before = self.errors.len();
        self.unexpected(wanted);
        if self.errors.len() > before
            && let Some(error) = self.errors.last_mut()
        {
            error.message.push_str(hint);
        }
    }

    /// Takes an operator or keyword, or reports it as missing.
    fn want(&mut self, word: &str) -> bool {
        let fine = self.is(word);
        if fine {
            self.take();
        } else {
            self.unexpected(&format!("`{word}`"));
        }
        fine
    }

    fn want_kind(&mut self, kind: FclKind, what: &str) -> bool {
        let fine = self.peek() == Some(kind);
        if fine {
            self.take();
        } else {
            self.unexpected(what);
        }
        fine
    }

    /// Takes a closing bracket, or reports it as missing.
    fn close(&mut self, kind: FclKind, bracket: &str, opener: TextRange) {
        if self.peek() == Some(kind) {
            self.take();
            return;
        }
        let first = !self.failed;
        self.unexpected(&format!("`{bracket}`"));
        if first && let Some(error) = self.errors.last_mut() {
            error.related = Some((opener, "opened here".to_owned()));
        }
    }

    /// Runs a parser of a nested construct; `false` if the nesting is too deep.
    fn deeper(&mut self, run: impl FnOnce(&mut Self)) -> bool {
        if self.depth >= MAX_DEPTH {
            let range = self.range();
            self.error(SyntaxErrorCode::FclSyntax, range, format!("this is nested more than {MAX_DEPTH} deep"));
            return false;
        }
        self.depth += 1;
        run(self);
        self.depth -= 1;
        true
    }

    fn declarations(&mut self) {
        while self.peek().is_some() {
            // On the line of a mistake, a keyword may be part of it, so errors stay suppressed.
            self.failed &= !self.is_first_in_line();
            self.declaration();
            if self.peek().is_some() && !self.starts_declaration() {
                if !self.failed {
                    let what =
                        if self.last.is_empty() { "`sig`, `fun` or `val`" } else { "an operator or a declaration" };
                    self.unexpected(what);
                }
                self.start(Error);
                while self.peek().is_some() && !self.starts_declaration() {
                    self.take();
                }
                self.finish();
            }
        }
    }

    fn declaration(&mut self) {
        match self.word() {
            _ if !self.starts_declaration() => {}
            "sig" => self.signature(),
            "kernel" => {
                let range = self.range();
                let message = "`kernel` is not supported: a program is the value `main`";
                self.error(SyntaxErrorCode::FclNotSupported, range, message);
                self.start(Error);
                self.take();
                self.finish();
            }
            word => {
                let function = word == "fun";
                self.definition(function);
            }
        }
    }

    fn signature(&mut self) {
        self.start(Signature);
        self.take();
        if self.want_kind(Name, "a name") && self.want(":") {
            self.scheme();
        }
        self.finish();
    }

    fn definition(&mut self, function: bool) {
        self.start(Definition);
        self.take();
        if self.want_kind(Name, "a name") {
            self.level_names();
            let first = self.next;
            while self.peek() == Some(Name) {
                self.take();
            }
            if function && self.next == first {
                self.no_parameter(": without parameters it is `val name = …`");
            } else if self.want("=") {
                self.expression();
            }
        }
        self.finish();
    }
}

#[cfg(test)]
mod tests;
