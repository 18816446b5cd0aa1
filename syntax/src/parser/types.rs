//! Types.

use super::Parser;
use crate::error::SyntaxErrorCode as Code;
use crate::kind::SyntaxKind::*;
use crate::words::{SCALAR_TYPES, TYPE_WORDS};

impl Parser<'_> {
    pub(super) fn type_part(&mut self, what: &str) {
        if self.at_end() { self.missing(what) } else { self.ty() }
    }

    /// Parses one element, whatever it is; there must be one left in the group.
    pub(super) fn ty(&mut self) {
        let head = self.head_word();
        if (head == "array-type" || !TYPE_WORDS.contains(&head))
            && let Some((tokens, written)) = self.foreign_type()
        {
            return self.type_of_another_language(tokens.end, written);
        }
        match self.current() {
            IDENT => self.type_name(),
            L_PAREN | L_BRACKET => match self.head_word() {
                "array-type" => self.array_type(),
                "tuple-type" => self.group(TUPLE_TYPE, "(tuple-type type type …)", |p| {
                    p.keyword();
                    p.type_part("the first component");
                    p.type_part("the second component");
                    p.types_until_end();
                }),
                "vector-type" => self.group(VECTOR_TYPE, "(vector-type scalar size)", |p| {
                    p.keyword();
                    p.type_part("the scalar type");
                    p.size_part("the width");
                }),
                "exists" => self.group(EXISTS_TYPE, "(exists (X …) type)", |p| {
                    p.keyword();
                    p.exists_names();
                    p.type_part("the type");
                }),
                "->" => self.group(FUN_TYPE, "(-> type type …)", |p| {
                    p.keyword();
                    p.type_part("the type of the argument");
                    p.type_part("the type of the result");
                    p.types_until_end();
                }),
                _ => self.no_type("a type is expected here, such as `float` or `(array-type float N)`"),
            },
            _ if self.at_malformed() => self.skip_element(),
            _ => self.no_type("a type is expected here, such as `float` or `(array-type float N)`"),
        }
    }

    /// Reports and skips the tokens up to `end`, a type that programs write as `written`.
    fn type_of_another_language(&mut self, end: usize, written: String) {
        let range = self.current_range().cover(self.range_at(end - 1));
        let message = format!("this type is written `{written}`");
        self.error_with_fix(Code::ExpectedType, range, message, format!("Write `{written}`"), written);
        self.start(ERROR);
        while self.pos < end {
            self.bump();
        }
        self.finish();
    }

    fn types_until_end(&mut self) {
        while !self.at_end() {
            self.ty();
        }
    }

    fn type_name(&mut self) {
        let word = self.text_at(self.pos);
        if TYPE_WORDS.contains(&word) {
            return self.no_type(&format!("`{word}` is allowed only directly after an opening bracket"));
        }
        let lower = word.to_ascii_lowercase();
        if lower != word && SCALAR_TYPES.contains(&lower.as_str()) {
            let message = format!("the type is written `{lower}` in programs");
            let label = format!("Write `{lower}`");
            self.error_with_fix(Code::ExpectedType, self.current_range(), message, label, lower);
        }
        self.leaf(NAME_TYPE);
    }

    fn array_type(&mut self) {
        self.group(ARRAY_TYPE, "(array-type type size)", |p| {
            p.keyword();
            if p.at_position_binder() {
                p.group(POSITION_BINDER, "(i)", |p| p.name("the name of the position"));
            }
            p.type_part("the type of the elements");
            p.size_part("the length");
        });
    }

    /// Whether the next group is `(i)`, with a single name, which cannot be a type.
    fn at_position_binder(&self) -> bool {
        self.current().is_opener() && self.groups[self.pos].end() == self.pos + 2 && self.kind_at(self.pos + 1) == IDENT
    }

    fn exists_names(&mut self) {
        if self.at_end() {
            return self.missing("the list of size names");
        }
        let empty = self.current().is_opener()
            && self.groups[self.pos].is_closed()
            && self.groups[self.pos].end() == self.pos + 1;
        if empty {
            let range = self.element_range();
            self.error(Code::ExpectedName, range, "`exists` needs at least one size name");
        }
        self.size_names("the list of size names");
    }

    fn no_type(&mut self, message: &str) {
        self.error(Code::ExpectedType, self.element_range(), message);
        self.skip_element();
    }

    /// Whether a lambda is next.
    pub(super) fn at_lambda(&self) -> bool {
        matches!(self.head_word(), "lambda" | "λ")
    }
}
