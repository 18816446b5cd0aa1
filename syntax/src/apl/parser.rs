//! The parser of APL: tokens to a tree of statements, brackets and braces.

use super::AplNode;
use super::kind::AplKind::{self, *};
use super::lexer::{number, tokens};
use crate::{MAX_DEPTH, SyntaxError, SyntaxErrorCode, TextRange, TextSize};
use rowan::{GreenNode, GreenNodeBuilder};

/// The tree of an APL text, and its errors in tokens and brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AplParse {
    pub green: GreenNode,
    /// In order of location.
    pub errors: Vec<SyntaxError>,
}

impl AplParse {
    /// The root, of kind [`AplKind::File`].
    pub fn syntax(&self) -> AplNode {
        AplNode::new_root(self.green.clone())
    }
}

/// Parses a text. Never fails: returns a tree and errors.
pub fn parse(text: &str) -> AplParse {
    let tokens = tokens(text);
    let mut parser = Parser {
        text,
        tokens: &tokens,
        next: 0,
        builder: GreenNodeBuilder::new(),
        errors: Vec::new(),
        depth: 0,
        braces: 0,
    };
    parser.start(File);
    parser.statements(None);
    parser.builder.finish_node();
    let mut errors = parser.errors;
    errors.sort_by_key(|error| error.range.start());
    AplParse { green: parser.builder.finish(), errors }
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [(AplKind, TextRange)],
    next: usize,
    builder: GreenNodeBuilder<'static>,
    errors: Vec<SyntaxError>,
    depth: u32,
    /// Number of open braces.
    braces: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<AplKind> {
        self.tokens.get(self.next).map(|(kind, _)| *kind)
    }

    fn start(&mut self, kind: AplKind) {
        self.builder.start_node(rowan::SyntaxKind(kind as u16));
    }

    fn take(&mut self) -> TextRange {
        let Some(&(kind, range)) = self.tokens.get(self.next) else {
            return TextRange::empty(TextSize::of(self.text));
        };
        self.builder.token(rowan::SyntaxKind(kind as u16), &self.text[range]);
        self.next += 1;
        range
    }

    fn error(&mut self, code: SyntaxErrorCode, range: TextRange, message: &str, opener: Option<TextRange>) {
        let related = opener.map(|range| (range, "opened here".to_owned()));
        self.errors.push(SyntaxError { code, range, message: message.to_owned(), related, fix: None });
    }

    /// Parses statements up to the end of the text or to `closer`.
    fn statements(&mut self, closer: Option<AplKind>) {
        while let Some(kind) = self.peek() {
            match kind {
                kind if Some(kind) == closer => return,
                kind if kind.is_trivia() || kind == Diamond => drop(self.take()),
                _ => {
                    self.start(Statement);
                    self.phrase(closer);
                    self.builder.finish_node();
                }
            }
        }
    }

    /// Parses the parts of a phrase, up to the end of the statement or to a closing bracket of an open group.
    fn phrase(&mut self, closer: Option<AplKind>) {
        while let Some(kind) = self.peek() {
            match kind {
                Newline | Diamond => return,
                kind if Some(kind) == closer => return,
                // `;` ends a phrase of an index; `}` of an enclosing function also ends unclosed brackets inside it.
                Semicolon if closer == Some(BracketClose) => return,
                BraceClose if self.braces > 0 => return,
                ParenOpen => self.group(Paren, ParenClose, "`(` is not closed"),
                BracketOpen => self.group(Index, BracketClose, "`[` is not closed"),
                BraceOpen => self.group(Dfn, BraceClose, "`{` is not closed"),
                ParenClose | BracketClose | BraceClose => {
                    self.start(Error);
                    let range = self.take();
                    self.builder.finish_node();
                    self.error(SyntaxErrorCode::AplUnmatched, range, "this bracket closes nothing", None);
                }
                Semicolon => {
                    let range = self.take();
                    self.error(SyntaxErrorCode::AplPhrase, range, "`;` separates indices between `[` and `]`", None);
                }
                _ => self.word(kind),
            }
        }
    }

    fn word(&mut self, kind: AplKind) {
        let range = self.take();
        let text = &self.text[range];
        match kind {
            BadNumber => {
                let message = if number(&text.replace('-', "¯")).is_some() {
                    format!("`{text}` is not a number: the sign is `¯`")
                } else {
                    format!("`{text}` is not a number")
                };
                self.error(SyntaxErrorCode::AplWord, range, &message, None);
            }
            BadString => self.error(SyntaxErrorCode::AplWord, range, "this string is not closed on its line", None),
            Unknown => {
                let message = format!("`{text}` means nothing in APL");
                self.error(SyntaxErrorCode::AplWord, range, &message, None);
            }
            _ => {}
        }
    }

    /// Whether an error that has been reported is the reason why a bracket is not closed: another bracket, a string that
    /// reaches up to the end of the line, or an unfinished word at the end of the text.
    fn explained(&self, opener: TextRange) -> bool {
        self.errors.last().is_some_and(|last| match last.code {
            SyntaxErrorCode::AplUnclosed | SyntaxErrorCode::TooDeep => true,
            SyntaxErrorCode::AplWord => {
                let string = self.text[last.range].starts_with(['\'', '"']);
                opener.end() <= last.range.start() && (string || last.range.end() == TextSize::of(self.text))
            }
            _ => false,
        })
    }

    fn group(&mut self, kind: AplKind, closer: AplKind, message: &str) {
        self.start(kind);
        let opener = self.take();
        self.depth += 1;
        self.braces += usize::from(kind == Dfn);
        if self.depth > MAX_DEPTH {
            self.error(SyntaxErrorCode::TooDeep, opener, "brackets are nested too deep", None);
            while self.peek().is_some() {
                self.take();
            }
        }
        match kind {
            Dfn => self.statements(Some(closer)),
            Index => loop {
                self.start(Phrase);
                self.phrase(Some(closer));
                self.builder.finish_node();
                if self.peek() != Some(Semicolon) {
                    break;
                }
                self.take();
            },
            _ => self.phrase(Some(closer)),
        }
        self.depth -= 1;
        self.braces -= usize::from(kind == Dfn);
        if self.peek() == Some(closer) {
            self.take();
        } else if !self.explained(opener) {
            self.error(SyntaxErrorCode::AplUnclosed, opener, message, None);
        }
        self.builder.finish_node();
    }
}

#[cfg(test)]
mod tests;
