//! Sizes.

use super::Parser;
use crate::error::SyntaxErrorCode as Code;
use crate::kind::SyntaxKind::*;
use crate::literal;

impl Parser<'_> {
    pub(super) fn size_part(&mut self, what: &str) {
        if self.at_end() { self.missing(what) } else { self.size() }
    }

    /// Parses one element, whatever it is; there must be one left in the group.
    fn size(&mut self) {
        match self.current() {
            IDENT => self.leaf(SIZE_NAME),
            INT => self.natural(),
            HASH => {
                let hash = self.current_range();
                let message = "a size is written without `#` here";
                self.error_with_fix(Code::HashInSize, hash, message, "Remove `#`", "");
                self.start(ERROR);
                while self.current() == HASH {
                    self.bump();
                }
                self.muted(|p| p.size_part(""));
                self.finish();
            }
            L_PAREN | L_BRACKET => match self.head_word() {
                "+" => self.operation("(+ size …)", 1, true),
                "*" => self.operation("(* size …)", 1, true),
                "min" => self.operation("(min size …)", 1, true),
                "max" => self.operation("(max size …)", 1, true),
                "-" => self.operation("(- size size)", 2, false),
                "/" => self.operation("(/ size size)", 2, false),
                "mod" => self.operation("(mod size size)", 2, false),
                "pow" => self.operation("(pow size size)", 2, false),
                "sum" => self.group(SIZE_OP, "(sum (i size) size)", |p| {
                    p.keyword();
                    p.sum_binder();
                    p.size_part("the summand");
                }),
                "length" => self.group(SIZE_OP, "(length name)", |p| {
                    p.keyword();
                    p.array_name();
                }),
                _ => self.no_size(),
            },
            _ if self.at_malformed() => self.skip_element(),
            _ => self.no_size(),
        }
    }

    fn natural(&mut self) {
        let text = self.text_at(self.pos);
        if text.starts_with('-') {
            return self.no_size();
        }
        if literal::natural(text).is_none() {
            let message = format!("`{text}` is too large for a size");
            self.error(Code::NumberRange, self.current_range(), message);
        }
        self.leaf(SIZE_NAT);
    }

    fn operation(&mut self, shape: &'static str, at_least: usize, more: bool) {
        self.group(SIZE_OP, shape, |p| {
            p.keyword();
            for _ in 0..at_least {
                p.size_part("a size");
            }
            while more && !p.at_end() {
                p.size();
            }
        });
    }

    fn sum_binder(&mut self) {
        if self.current().is_opener() {
            self.group(SUM_BINDER, "(i size)", |p| {
                p.name("the name of the position");
                p.size_part("the number of summands");
            });
        } else if self.at_end() {
            self.missing("the position with its bound");
        } else {
            let message = "the position with its bound is expected here: `(i size)`";
            self.error(Code::ExpectedParams, self.element_range(), message);
            self.skip_element();
        }
    }

    fn array_name(&mut self) {
        match self.current() {
            EOF => self.missing("the name of the array"),
            IDENT => self.leaf(NAME_REF),
            _ => {
                if !self.at_malformed() {
                    let message = "`length` in a size takes the name of an array";
                    self.error(Code::ExpectedName, self.element_range(), message);
                }
                self.skip_element();
            }
        }
    }

    fn no_size(&mut self) {
        let message = "a size is expected here: a natural number, a size name, or an operation on sizes";
        self.error(Code::ExpectedSize, self.element_range(), message);
        self.skip_element();
    }
}
