//! Expressions.

use super::super::kind::FclKind::{self, *};
use super::Parser;
use crate::SyntaxErrorCode;

/// Maximal nesting of operators and applications to the left.
const LONGEST_CHAIN: usize = 200;

/// Returns the precedence of an operator; all are left-associative.
fn strength(operator: &str) -> Option<u32> {
    Some(match operator {
        "|>" => 1,
        "==" | "!=" => 2,
        "<<" | ">>" | "&" => 3,
        "+" | "-" => 4,
        "*" | "/" | "%" => 5,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) {
        self.deeper(|p| p.operators(1));
    }

    fn operators(&mut self, least: u32) {
        let from = self.checkpoint();
        self.application();
        let mut chain = 0;
        while !self.failed && self.peek() == Some(Operator) {
            let Some(strength) = strength(self.word()).filter(|strength| *strength >= least) else { break };
            if !self.in_chain(&mut chain) {
                break;
            }
            self.wrap(from, Binary);
            self.take();
            self.deeper(|p| p.operators(strength + 1));
            self.finish();
        }
        if !self.failed && (self.is("<") || self.is(">")) {
            let (range, word) = (self.range(), self.word());
            let message = format!("`{word}` is not an operator: `lti a b` says whether `a` is less than `b`");
            self.error(SyntaxErrorCode::FclSyntax, range, message);
        }
    }

    /// Counts a step of a chain nested to the left, whose depth is its length.
    fn in_chain(&mut self, length: &mut usize) -> bool {
        *length += 1;
        let fine = *length <= LONGEST_CHAIN;
        if !fine {
            let range = self.range();
            self.error(SyntaxErrorCode::FclSyntax, range, "this expression is too long: give names to parts of it");
        }
        fine
    }

    fn application(&mut self) {
        let from = self.checkpoint();
        self.term();
        let mut chain = 0;
        while !self.failed && self.starts_term() && self.in_chain(&mut chain) {
            self.wrap(from, Apply);
            self.term();
            self.finish();
        }
    }

    fn starts_term(&self) -> bool {
        match self.peek() {
            Some(Name | Int | Double | Text | ParenOpen) => true,
            // A malformed token counts as an argument.
            Some(BadNumber | BadText) => true,
            Some(Keyword) => matches!(self.word(), "fn" | "true" | "false" | "if" | "let" | "do"),
            _ => false,
        }
    }

    fn literal(&mut self) {
        self.start(Literal);
        self.take();
        self.finish();
    }

    fn term(&mut self) {
        match self.peek() {
            Some(Name) => {
                self.start(NameUse);
                self.take();
                let first = !self.failed;
                self.levels();
                if first
                    && self.failed
                    && let Some(error) = self.errors.last_mut()
                {
                    error.message.push_str(": `<` begins levels, and `lti a b` says whether `a` is less than `b`");
                }
                self.finish();
            }
            Some(Int | Double | Text) => self.literal(),
            Some(ParenOpen) => self.tuple(),
            Some(Keyword) => match self.word() {
                "true" | "false" => self.literal(),
                "fn" => self.function(),
                "if" => self.choice(),
                "let" => self.binding(),
                "do" => self.block(),
                _ => self.unexpected("an expression"),
            },
            _ => self.unexpected("an expression"),
        }
    }

    /// Parses `()`, `(a)` or `(a, b)`.
    fn tuple(&mut self) {
        self.start(Tuple);
        let opener = self.take();
        if self.peek() != Some(ParenClose) {
            self.expression();
            if !self.failed && self.is(",") {
                self.take();
                self.expression();
            }
        }
        self.close(ParenClose, ")", opener);
        self.finish();
    }

    fn function(&mut self) {
        self.start(Function);
        self.take();
        if self.peek() == Some(Name) {
            while self.peek() == Some(Name) {
                self.take();
            }
            if self.is("=>") {
                self.take();
                self.expression();
            } else {
                let hint = if self.is("->") || self.is("=") { ": a function is `fn x => …`" } else { "" };
                self.unexpected_with("`=>`", hint);
            }
        } else {
            self.no_parameter("");
        }
        self.finish();
    }

    fn choice(&mut self) {
        self.start(If);
        self.take();
        self.expression();
        if self.want("then") {
            self.expression();
        }
        if !self.failed && self.want("else") {
            self.expression();
        }
        self.finish();
    }

    fn binding(&mut self) {
        self.start(Let);
        self.take();
        if self.want_kind(Name, "a name") {
            self.level_names();
            if self.is(":") {
                self.take();
                self.scheme();
            }
            if !self.failed && self.want("=") {
                self.expression();
            }
            if !self.failed && self.want("in") {
                self.expression();
            }
        }
        self.finish();
    }

    fn block(&mut self) {
        self.start(Do);
        self.take();
        if self.is("<") {
            self.levels();
        } else {
            self.unexpected("the level of `do`");
        }
        let opener = self.range();
        if !self.failed && self.want_kind(BraceOpen, "`{`") {
            loop {
                self.statement();
                if self.failed || !self.is(";") {
                    break;
                }
                self.take();
            }
            self.close(BraceClose, "}", opener);
        }
        self.finish();
    }

    fn statement(&mut self) {
        let binds = self.peek() == Some(Name) && self.second() == Some((Operator, "<-"));
        if binds {
            self.start(Bind);
            self.take();
            self.take();
            self.expression();
            self.finish();
        } else {
            self.expression();
        }
    }

    /// Returns the token after the next one.
    fn second(&self) -> Option<(FclKind, &str)> {
        let first = self.significant()?;
        let mut rest = self.tokens[first + 1..].iter().filter(|(kind, _)| !kind.is_trivia());
        rest.next().map(|(kind, range)| (*kind, &self.text[*range]))
    }
}
