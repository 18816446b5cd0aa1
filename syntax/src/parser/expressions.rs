//! Expressions and parameters.

use super::{MAX_DEPTH, Parser};
use crate::error::{SyntaxError, SyntaxErrorCode as Code, SyntaxFix, TextEdit};
use crate::kind::SyntaxKind::{self, *};
use crate::literal;
use std::ops::Range;

impl Parser<'_> {
    /// Parses an expression, or reports that the part named `what` is missing.
    pub(super) fn expr_part(&mut self, what: &str) {
        if self.at_end() { self.missing(what) } else { self.expr() }
    }

    /// Parses the body of a function, which ends the group. Parts that begin with a name are a call whose brackets are
    /// missing.
    pub(super) fn function_body(&mut self, what: &str) {
        if self.operator_between() {
            return;
        }
        let Some(written) = self.call_without_brackets() else { return self.expr_part(what) };
        let range = self.current_range().cover(self.range_at(self.end - 1));
        let message = format!("the brackets of the call are missing: `{written}`");
        self.error_with_fix(Code::Extra, range, message, "Put brackets around it", written);
        self.start(APP);
        self.exprs_until_end();
        self.finish();
    }

    /// Parses one element, whatever it is; there must be one left in the group.
    pub(super) fn expr(&mut self) {
        match self.current() {
            L_PAREN | L_BRACKET => self.bracketed(),
            IDENT => {
                self.misplaced_word();
                self.leaf(NAME_REF);
            }
            INT | SIZED | LONG | HALF | FLOAT | DOUBLE | BOOL => self.literal(),
            HASH => self.size_literal(),
            EOF => {}
            STRING => {
                let range = self.current_range();
                self.error(
                    Code::UnexpectedString,
                    range,
                    "a string is allowed only in `import`; text is an input of type `(array-type ubyte N)`",
                );
                self.leaf(ERROR);
            }
            _ => {
                self.at_malformed();
                self.leaf(ERROR);
            }
        }
    }

    fn literal(&mut self) {
        let text = self.text_at(self.pos);
        if literal::value(self.current(), text).is_none() {
            let (ty, hint) = match self.current() {
                INT if literal::value(SIZED, &format!("{text}u")).is_some() => {
                    ("an Int", ": a UInt is written with a `u` at its end, a Long with an `L`")
                }
                INT => ("an Int", ": a Long is written with an `L` at its end"),
                LONG => ("a Long", ""),
                SIZED => (literal::sized_type(text), ""),
                HALF => ("a Half", ""),
                FLOAT => ("a Float", ""),
                _ => ("a Double", ""),
            };
            let message = format!("`{text}` does not fit {ty}{hint}");
            self.error(Code::NumberRange, self.current_range(), message);
        }
        self.leaf(LITERAL);
    }

    fn size_literal(&mut self) {
        let hash = self.current_range();
        self.start(SIZE_LIT);
        self.bump();
        if self.at_end() {
            self.error(Code::ExpectedSize, hash, "a size must follow `#`");
        } else {
            self.size_part("the size");
        }
        self.finish();
    }

    fn bracketed(&mut self) {
        if let Some(error) = self.foreign_words() {
            self.report(error);
            return self.group(ERROR, "", |p| p.muted(Self::exprs_until_end));
        }
        match self.head_word() {
            "lambda" | "λ" => self.group(LAMBDA, "(lambda (param …) expr)", |p| {
                p.keyword();
                p.param_list();
                p.function_body("the body");
            }),
            "let" if self.binds_a_list() => self.let_of_a_list(),
            "let" => self.group(LET, "(let name value … body)", |p| {
                p.keyword();
                p.bindings();
            }),
            "if" => self.group(IF, "(if condition a b)", |p| {
                p.keyword();
                p.expr_part("the condition");
                p.expr_part("the first branch");
                p.expr_part("the second branch");
            }),
            "tuple" => self.group(TUPLE_EXPR, "(tuple expr expr …)", |p| {
                p.keyword();
                p.expr_part("the first component");
                p.expr_part("the second component");
                p.exprs_until_end();
            }),
            ":" => self.group(ASCRIBE, "(: expr type)", |p| {
                p.keyword();
                p.expr_part("the expression");
                p.type_part("the type");
            }),
            "pack" => self.group(PACK, "(pack expr)", |p| {
                p.keyword();
                p.expr_part("the expression");
            }),
            "unpack" => self.unpack(),
            "o" => self.group(COMPOSE, "(o expr expr …)", |p| {
                p.keyword();
                p.expr_part("the function");
                p.exprs_until_end();
            }),
            "with" => self.group(WITH, "(with ((parameter value) …) expr)", |p| {
                p.keyword();
                p.settings();
                p.expr_part("the expression");
            }),
            form @ ("define" | "lift" | "import") => {
                let message = match form {
                    "define" => {
                        "`define` is allowed only at the top of a file: inside an expression, `let` binds a name"
                            .to_owned()
                    }
                    _ => format!("`{form}` is allowed only at the top of a file"),
                };
                self.error(Code::ExpectedExpression, self.range_at(self.pos + 1), message);
                self.group(ERROR, "", |p| p.muted(Self::exprs_until_end));
            }
            _ => self.application(),
        }
    }

    /// Parses `name value` at least once, then the body.
    fn bindings(&mut self) {
        let outer = self.depth;
        let mut open = 0;
        loop {
            self.pattern("the name");
            self.expr_part("the value");
            if !self.binds_more() {
                break;
            }
            if self.depth >= MAX_DEPTH {
                self.report_depth();
                break;
            }
            self.depth += 1;
            open += 1;
            self.start(LET);
        }
        if self.at_end() && !self.quiet {
            self.without_body = Some(self.end);
        }
        self.expr_part("the body");
        (0..open).for_each(|_| self.finish());
        self.depth = outer;
    }

    /// Whether another binding follows: a name or pattern, and an element after it. A single element is the body.
    fn binds_more(&self) -> bool {
        let binds = match self.current() {
            IDENT => !super::is_operator(self.text_at(self.pos)),
            kind => kind.is_opener() && self.head_word() == "tuple",
        };
        let last = if self.current().is_opener() { self.groups[self.pos].last() } else { self.pos };
        binds && last + 1 < self.end
    }

    /// Parses a bound name, or a tuple pattern of names.
    fn pattern(&mut self, what: &str) {
        if self.current().is_opener() && self.head_word() == "tuple" {
            self.group(TUPLE_PATTERN, "(tuple name name …)", |p| {
                p.keyword();
                p.pattern("the first name");
                p.pattern("the second name");
                while !p.at_end() {
                    p.pattern("a name");
                }
            });
        } else {
            self.name(what);
        }
    }

    /// Whether the `let` that opens here has a list instead of a name.
    fn binds_a_list(&self) -> bool {
        let list = self.pos + 2;
        let is_list = |list: usize| self.kind_at(list).is_opener() && self.word_in(list) != "tuple";
        list < self.groups[self.pos].end() && is_list(list)
    }

    /// Returns the first word of the group that opens at a position, or `""`.
    fn word_in(&self, opener: usize) -> &str {
        let is_word = opener + 1 < self.groups[opener].end() && self.kind_at(opener + 1) == IDENT;
        if is_word { self.text_at(opener + 1) } else { "" }
    }

    /// Reports `(let ((x 1) (y 2)) body)`, `(let (x 1 y 2) body)` or `(let [x 1] body)`, the syntax of other languages.
    fn let_of_a_list(&mut self) {
        let list = self.pos + 2;
        let range = self.range_at(list).cover(self.range_at(self.groups[list].last()));
        let message = "`let` has no list of its names: `(let name value … body)`";
        let mut error = SyntaxError::new(Code::ExpectedName, range, message);
        error.fix = self.plain_bindings(list, self.groups[self.pos].end());
        if let Some(pattern) = self.pattern_without_word(list) {
            let message = format!("a pattern is written `{pattern}`: `(let {pattern} value … body)`");
            error = SyntaxError::new(Code::ExpectedName, range, message).with_replacement(range, pattern);
        }
        self.report(error);
        self.group(ERROR, "", |p| p.muted(Self::exprs_until_end));
    }

    /// The pattern that is meant by the names in the brackets at `list`, if two or more elements follow: `(let (x y) pair body)`.
    fn pattern_without_word(&self, list: usize) -> Option<String> {
        let names = self.elements(list + 1, self.groups[list].end());
        let after = self.elements(self.groups[list].last() + 1, self.groups[self.pos].end());
        let is_pattern =
            names.len() > 1 && names.iter().all(|name| self.kind_at(name.start) == IDENT) && after.len() > 1;
        let names: Vec<&str> = names.iter().map(|name| self.text_at(name.start)).collect();
        is_pattern.then(|| format!("(tuple {})", names.join(" ")))
    }

    /// Returns a fix that removes the brackets of the binding list at `list`, in a `let` whose contents end at `end`.
    fn plain_bindings(&self, list: usize, end: usize) -> Option<SyntaxFix> {
        let text = |of: &Range<usize>| &self.text[self.range_at(of.start).cover(self.range_at(of.end - 1))];
        let mut bindings = self.elements(list + 1, self.groups[list].end());
        if bindings.iter().all(|b| self.kind_at(b.start).is_opener()) {
            bindings = bindings.iter().flat_map(|b| self.elements(b.start + 1, self.groups[b.start].end())).collect();
        }
        let names = bindings.iter().step_by(2);
        let pairs = bindings.len().is_multiple_of(2) && names.clone().all(|name| self.kind_at(name.start) == IDENT);
        let [_body] = &self.elements(self.groups[list].last() + 1, end)[..] else { return None };
        if !pairs || bindings.is_empty() {
            return None;
        }
        let range = self.range_at(list).cover(self.range_at(self.groups[list].last()));
        let insert = bindings.iter().map(text).collect::<Vec<_>>().join(" ");
        Some(SyntaxFix { label: "Take the list apart".to_owned(), edit: TextEdit { range, insert } })
    }

    fn application(&mut self) {
        let range = self.element_range();
        self.group(APP, "(function argument …)", |p| {
            if p.at_end() && !p.quiet {
                p.error(Code::ExpectedExpression, range, "an application needs a function");
            }
            p.exprs_until_end();
        });
    }

    fn unpack(&mut self) {
        let shape = "(unpack name value body)` or `(unpack (size-name … name) value body)";
        self.group(UNPACK, shape, |p| {
            p.keyword();
            if p.current().is_opener() {
                p.group(UNPACK_BINDER, "(size-name … name)", |p| {
                    p.name("the size name");
                    p.name("the name");
                    while !p.at_end() {
                        p.name("the name");
                    }
                });
            } else {
                p.name("the name");
            }
            p.expr_part("the value");
            p.expr_part("the body");
        });
    }

    /// Parses the settings of a `with`.
    fn settings(&mut self) {
        if self.current() == EOF {
            return self.missing("the list of parameters");
        }
        if !self.current().is_opener() {
            if !self.at_malformed() {
                let message = "the parameters are expected here, each in brackets: `((parameter value) …)`";
                self.error(Code::ExpectedParams, self.element_range(), message);
            }
            self.start(SETTING_LIST);
            self.skip_element();
            return self.finish();
        }
        self.group(SETTING_LIST, "((parameter value) …)", |p| {
            while !p.at_end() {
                p.setting();
            }
        });
    }

    fn setting(&mut self) {
        if !self.current().is_opener() {
            if !self.at_malformed() {
                let message = "a parameter and its value are expected here, in brackets: `(parameter value)`";
                self.error(Code::ExpectedParams, self.element_range(), message);
            }
            return self.skip_element();
        }
        self.group(SETTING, "(parameter value)", |p| {
            p.word_of_setting(SETTING_NAME, "the parameter", |kind| kind == IDENT);
            p.word_of_setting(SETTING_VALUE, "the value", |kind| kind == INT || kind == IDENT);
        });
    }

    fn word_of_setting(&mut self, node: SyntaxKind, what: &str, fits: impl Fn(SyntaxKind) -> bool) {
        match self.current() {
            EOF => self.missing(what),
            kind if fits(kind) => self.leaf(node),
            _ => {
                if !self.at_malformed() {
                    self.error(Code::ExpectedName, self.element_range(), format!("{what} is expected here"));
                }
                self.start(node);
                self.skip_element();
                self.finish();
            }
        }
    }

    fn exprs_until_end(&mut self) {
        while !self.at_end() {
            self.expr();
        }
    }

    fn param_list(&mut self) {
        match self.current() {
            EOF => self.missing("the list of parameters"),
            L_PAREN | L_BRACKET => {
                self.group(PARAM_LIST, "(param …)", Self::params_until_end);
            }
            IDENT => {
                let range = self.current_range();
                let message = "the parameters must be in brackets";
                let insert = format!("({})", self.text[range].trim_end_matches(':'));
                let label = "Put brackets around it";
                self.error_with_fix(Code::ExpectedParams, range, message, label, insert);
                self.start(PARAM_LIST);
                self.param();
                self.finish();
            }
            _ => {
                if !self.at_malformed() {
                    let message = "the parameters are expected here, in brackets";
                    self.error(Code::ExpectedParams, self.element_range(), message);
                }
                self.start(PARAM_LIST);
                self.skip_element();
                self.finish();
            }
        }
    }

    pub(super) fn params_until_end(&mut self) {
        while !self.at_end() {
            self.param();
            self.type_of_parameter();
        }
    }

    fn param(&mut self) {
        if self.current().is_opener() && self.head_word() == "tuple" {
            self.start(PARAM);
            self.pattern("a parameter");
            self.finish();
        } else if self.current().is_opener() {
            self.group(PARAM, "(name type)", |p| {
                p.name("the name");
                p.type_part("the type");
            });
        } else {
            self.start(PARAM);
            self.name("a parameter");
            self.finish();
        }
    }

    /// Parses `(N M …)`, names of sizes bound here; there must be an element left in the group.
    pub(super) fn size_names(&mut self, what: &str) {
        if self.current().is_opener() {
            self.group(SIZE_PARAMS, "(N …)", |p| {
                while !p.at_end() {
                    p.name("a size name");
                }
            });
            return;
        }
        if !self.at_malformed() {
            let message = format!("{what} is expected here, in brackets");
            self.error(Code::ExpectedParams, self.element_range(), message);
        }
        self.start(SIZE_PARAMS);
        self.skip_element();
        self.finish();
    }
}
