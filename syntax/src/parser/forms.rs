//! Top-level forms.

use super::{Parser, foreign};
use crate::TextRange;
use crate::error::{SyntaxError, SyntaxErrorCode as Code, SyntaxFix};
use crate::kind::SyntaxKind::*;
use crate::words::{SCALAR_TYPES, TYPE_WORDS};

const KERNEL: &str = "(lift (N …) (type …) (lambda (x …) expr))";

impl Parser<'_> {
    /// Parses the root: one form, and any other tokens.
    pub(super) fn form(&mut self) {
        self.start(FORM);
        if self.current().is_opener() {
            match self.head_word() {
                "import" => self.import(),
                "define" => self.define(),
                "lift" => self.kernel(),
                "primitive" => self.primitive(),
                word if let Some(meant) = foreign::form(word) => self.foreign_form(meant),
                _ => self.unknown_form(),
            }
        }
        if !self.at_end() {
            self.stray();
        }
        self.finish();
    }

    fn import(&mut self) {
        self.group(IMPORT, "(import \"file.lift\")", |p| {
            p.keyword();
            match p.current() {
                EOF => p.missing("the path"),
                STRING => {
                    if p.text_at(p.pos) == "\"\"" {
                        let range = p.element_range();
                        p.error(Code::ExpectedPath, range, "the path is empty: `(import \"lib/stencil.lift\")`");
                    }
                    p.bump();
                }
                _ => {
                    if !p.at_malformed() {
                        let range = p.element_range();
                        p.error(Code::ExpectedPath, range, "the path must be in quotes");
                    }
                    p.skip_element();
                }
            }
        });
    }

    fn define(&mut self) {
        self.group(DEFINE, "(define name expr)` or `(define (name param …) expr)", |p| {
            p.keyword();
            if p.current().is_opener() {
                p.group(DEFINE_HEAD, "(name param …)", |p| {
                    p.name("the name of the definition");
                    p.params_until_end();
                });
                p.type_of_result();
                return p.function_body("the expression");
            } else if !p.head_apart() {
                p.name("the name of the definition");
            }
            p.expr_part("the expression");
        });
    }

    fn kernel(&mut self) {
        self.group(LIFT, KERNEL, |p| {
            p.keyword();
            if p.current() == IDENT {
                p.name("the name of the kernel");
            }
            p.kernel_sizes();
            p.kernel_types();
            if p.at_end() {
                return p.missing("the lambda");
            }
            if !p.at_lambda() && !p.quiet {
                let range = p.element_range();
                let message = format!("a lambda is expected here: a kernel is written `{KERNEL}`");
                let without_inputs = p.kind_at(p.pos - 1).is_closer() && p.kind_at(p.pos - 2).is_opener();
                // A lambda put around a type would not be a value either.
                if without_inputs && !TYPE_WORDS.contains(&p.head_word()) {
                    let written = format!("(lambda () {})", &p.text[range]);
                    let message = format!("{message}, and one without inputs has `(lambda () expr)`");
                    p.error_with_fix(Code::ExpectedLambda, range, message, "Put `(lambda () …)` around it", written);
                } else {
                    p.error(Code::ExpectedLambda, range, message);
                }
            }
            p.expr();
        });
    }

    fn kernel_sizes(&mut self) {
        let looks_like_types = self.current().is_opener()
            && self.pos + 1 < self.groups[self.pos].end()
            && self.kind_at(self.pos + 1).is_opener();
        if self.at_end() {
            self.missing("the list of size names");
        } else if self.at_types_alone() {
            let range = self.current_range();
            let message = format!("the list of size names is missing before this list of types: `{KERNEL}`");
            let before = TextRange::empty(range.start());
            let error = SyntaxError::new(Code::Missing, range, message);
            self.report(error.with_fix("Write `()`: there are no sizes", before, "() "));
        } else if self.at_lambda() || looks_like_types {
            let message = format!("the list of size names is missing before this: `{KERNEL}`");
            self.error(Code::Missing, self.current_range(), message);
        } else {
            self.size_names("the list of size names");
        }
    }

    /// Whether a list of scalar types stands directly before the lambda.
    fn at_types_alone(&self) -> bool {
        if !SCALAR_TYPES.contains(&self.head_word()) {
            return false;
        }
        let after = self.groups[self.pos].end() + 1;
        self.kind_at(after).is_opener() && matches!(self.word_at(after + 1), "lambda" | "λ")
    }

    fn kernel_types(&mut self) {
        if self.at_end() {
            self.missing("the list of types");
        } else if self.at_lambda() {
            if !self.quiet {
                let message = format!("the list of types is missing before this: `{KERNEL}`");
                self.error(Code::Missing, self.current_range(), message);
            }
        } else if !self.current().is_opener() || TYPE_WORDS.contains(&self.head_word()) {
            let range = self.element_range();
            self.error_with_fix(
                Code::ExpectedType,
                range,
                "the types of the parameters are a list, with brackets around it",
                "Put brackets around it",
                format!("({})", &self.text[range]),
            );
            self.start(TYPE_LIST);
            self.ty();
            self.finish();
        } else {
            self.group(TYPE_LIST, "(type …)", |p| {
                while !p.at_end() {
                    p.ty();
                }
            });
        }
    }

    /// `(primitive name (size-name*) type clause*)`
    fn primitive(&mut self) {
        self.group(PRIMITIVE, "(primitive name (size-name …) type clause …)", |p| {
            p.keyword();
            p.name("the name of the primitive");
            if p.at_end() {
                p.missing("the list of static sizes");
            } else {
                p.size_names("the list of static sizes");
            }
            p.type_part("the type");
            while !p.at_end() {
                p.clause();
            }
        });
    }

    fn clause(&mut self) {
        if self.current().is_opener() {
            self.group(CLAUSE, "(clause …)", |p| {
                while !p.at_end() {
                    p.clause();
                }
            });
        } else if self.at_malformed() {
            self.skip_element();
        } else {
            self.bump();
        }
    }

    /// Parses a group that is not a form as an expression, for better errors.
    fn unknown_form(&mut self) {
        let word = self.head_word();
        let range = self.range_at(if word.is_empty() { self.pos } else { self.pos + 1 });
        let begins = |form: &&str| !word.is_empty() && form.starts_with(word);
        let meant = match word {
            "require" | "include" | "use" | "load" => Some("import"),
            _ => ["define", "import"].into_iter().find(begins),
        };
        let wanted = "`import`, `define` or `lift` must follow the first bracket of a form";
        match meant {
            Some(meant) => {
                let label = format!("Write `{meant}`");
                self.error_with_fix(Code::ExpectedForm, range, wanted, label, meant);
            }
            None => self.error(Code::ExpectedForm, range, wanted),
        }
        self.skip_element();
    }

    /// Parses a form that begins with a word of another language as the form that is meant. It has one error, whose fix also
    /// brackets the name and the parameters.
    fn foreign_form(&mut self, meant: &'static str) {
        let (word, text) = (self.range_at(self.pos + 1), self.head_word());
        let from = self.errors.len();
        let (noun, shape) = match meant {
            "define" => {
                self.define();
                ("a definition", "(define (name param …) expr)")
            }
            _ => {
                self.kernel();
                ("a kernel", KERNEL)
            }
        };
        let follows = |error: &SyntaxError| matches!(error.code, Code::Missing | Code::Extra);
        let own = self.errors.split_off(from);
        let (head, own): (Vec<_>, Vec<_>) =
            own.into_iter().filter(|error| !follows(error)).partition(|e| e.code == Code::ExpectedParams);
        let (range, insert) = match head.into_iter().next().and_then(|error| error.fix) {
            Some(SyntaxFix { edit, .. }) => (word.cover(edit.range), format!("{meant} {}", edit.insert)),
            None => (word, meant.to_owned()),
        };
        self.errors.extend(own);
        let message = format!("{noun} begins with `{meant}`, not `{text}`: `{shape}`");
        self.report(SyntaxError::new(Code::ExpectedForm, word, message).with_replacement(range, insert));
    }

    /// Handles tokens outside all groups.
    fn stray(&mut self) {
        let rest = self.pos..self.end;
        if let Some(closer) = rest.clone().find(|&pos| self.kind_at(pos).is_closer()) {
            let message = format!("`{}` closes nothing", self.text_at(closer));
            self.error(Code::UnmatchedBracket, self.range_at(closer), message);
        } else if !self.at_malformed() {
            let range = self.current_range().cover(self.range_at(self.end - 1));
            let meant = foreign::outside(&self.text[range]).map_or(String::new(), |meant| format!("; {meant}"));
            let message = format!("only forms are allowed here: `(import …)`, `(define …)`, `(lift …)`{meant}");
            self.error(Code::ExpectedForm, range, message);
        }
        self.start(ERROR);
        for _ in rest {
            self.bump();
        }
        self.finish();
    }
}
