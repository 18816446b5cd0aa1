//! The lexical split of a file into its top-level forms.
//!
//! This is the only authority on where a form begins and ends: every tree is the tree of one form. Between forms there
//! are only white space and ordinary comments.
//!
//! A `;;;` comment block directly above a form belongs to it. A `(define`, `(lift`, `(import` or `(primitive` at the
//! start of a line starts a new form even inside open brackets, so that a missing bracket affects one form.

use crate::brackets::OpenBrackets;
use crate::kind::SyntaxKind::*;
use crate::lexer::{Tokens, lex};
use crate::words::FORM_WORDS;
use crate::{TextRange, TextSize};

/// One top-level form, found by its brackets alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RawForm {
    pub kind: FormKind,
    /// From the first documentation line to the last token. Never empty.
    pub range: TextRange,
    /// The name that it appears to define; `None` for imports and unnamed kernels.
    pub name: Option<TextRange>,
}

/// The apparent kind of a form, from its first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FormKind {
    Import,
    Define,
    Lift,
    Primitive,
    /// A bracketed group with another first word.
    Unknown,
    /// Tokens outside all brackets.
    Stray,
}

/// Splits a file into its forms, in order and disjoint.
pub fn split(text: &str) -> Vec<RawForm> {
    let tokens = lex(text);
    let mut splitter = Splitter { text, tokens: &tokens, forms: Vec::new(), form: None, end: 0 };
    splitter.run();
    splitter.forms
}

struct Splitter<'t> {
    text: &'t str,
    tokens: &'t Tokens,
    forms: Vec<RawForm>,
    /// The form being read; its range grows.
    form: Option<RawForm>,
    /// The token after the last one that is not trivia.
    end: usize,
}

impl Splitter<'_> {
    fn run(&mut self) {
        let mut brackets = OpenBrackets::new();
        for token in 0..self.tokens.len() {
            let kind = self.tokens.kind(token);
            match kind {
                WHITESPACE | COMMENT => continue,
                L_PAREN | L_BRACKET => {
                    if !brackets.is_empty() && self.starts_form_at_line_start(token) {
                        brackets.clear();
                    }
                    if brackets.is_empty() {
                        self.finish();
                        self.form = Some(self.start(token));
                    }
                    brackets.open(kind, ());
                    self.end = token + 1;
                }
                _ => {
                    let outside = brackets.is_empty();
                    if outside && self.form.as_ref().is_none_or(|f| f.kind != FormKind::Stray) {
                        self.finish();
                        let range = self.tokens.range(token);
                        self.form = Some(RawForm { kind: FormKind::Stray, range, name: None });
                    }
                    if kind.is_closer() {
                        brackets.close(kind);
                    }
                    self.end = token + 1;
                    if !outside && brackets.is_empty() {
                        self.finish();
                    }
                }
            }
        }
        self.finish();
    }

    fn finish(&mut self) {
        if let Some(mut form) = self.form.take() {
            let end = self.tokens.range(self.end).start();
            form.range = TextRange::new(form.range.start(), end);
            // The token after the first word may already belong to the next form.
            form.name = form.name.filter(|name| name.end() <= end);
            self.forms.push(form);
        }
    }

    /// Starts the form whose first bracket is `opener`; its end is set later.
    fn start(&self, opener: usize) -> RawForm {
        let head = self.significant(opener + 1);
        let kind = match self.word(head) {
            Some("import") => FormKind::Import,
            Some("define") => FormKind::Define,
            Some("lift") => FormKind::Lift,
            Some("primitive") => FormKind::Primitive,
            _ => FormKind::Unknown,
        };
        let mut name = self.significant(head + 1);
        if kind == FormKind::Define && self.tokens.kind(name).is_opener() {
            name = self.significant(name + 1);
        }
        let named = !matches!(kind, FormKind::Import | FormKind::Unknown);
        RawForm {
            kind,
            range: TextRange::new(self.doc_start(opener), self.tokens.range(opener).end()),
            name: (named && self.tokens.kind(name) == IDENT).then(|| self.tokens.range(name)),
        }
    }

    fn starts_form_at_line_start(&self, opener: usize) -> bool {
        self.at_line_start(self.tokens.range(opener).start())
            && self.word(self.significant(opener + 1)).is_some_and(|word| FORM_WORDS.contains(&word))
    }

    /// Returns the start of the documentation directly above a token, or of the token itself.
    fn doc_start(&self, token: usize) -> TextSize {
        let mut first = token;
        while first >= 2
            && self.tokens.kind(first - 1) == WHITESPACE
            && line_breaks(self.slice(first - 1)) == 1
            && self.tokens.kind(first - 2) == COMMENT
            && is_doc_comment(self.slice(first - 2))
            && self.first_on_its_line(first - 2)
        {
            first -= 2;
        }
        self.tokens.range(first).start()
    }

    fn first_on_its_line(&self, token: usize) -> bool {
        match token.checked_sub(1) {
            None => true,
            Some(before) => {
                self.tokens.kind(before) == WHITESPACE && (before == 0 || line_breaks(self.slice(before)) > 0)
            }
        }
    }

    fn at_line_start(&self, at: TextSize) -> bool {
        self.text[..usize::from(at)].chars().next_back().is_none_or(|c| matches!(c, '\n' | '\r'))
    }

    /// Returns the first token from `token` on that is not trivia.
    fn significant(&self, mut token: usize) -> usize {
        while self.tokens.kind(token).is_trivia() {
            token += 1;
        }
        token
    }

    fn word(&self, token: usize) -> Option<&str> {
        (self.tokens.kind(token) == IDENT).then(|| self.slice(token))
    }

    fn slice(&self, token: usize) -> &str {
        &self.text[self.tokens.range(token)]
    }
}

/// Whether a comment starts with `;;;` but not `;;;;`, which draws a line.
pub(crate) fn is_doc_comment(comment: &str) -> bool {
    comment.starts_with(";;;") && !comment.starts_with(";;;;")
}

/// Counts the line breaks of a text: `\n`, `\r\n`, or a lone `\r`.
pub(crate) fn line_breaks(text: &str) -> usize {
    let feeds = text.matches('\n').count();
    let returns = text.matches('\r').count();
    feeds + returns - text.matches("\r\n").count()
}
