//! Recognises the syntax of other languages (Python, Haskell, Futhark, C) where it is an error here, and says what is
//! written instead.

use super::Parser;
use super::scan::Group;
use crate::TextRange;
use crate::error::{SyntaxError, SyntaxErrorCode as Code};
use crate::kind::SyntaxKind::*;
use crate::words::{SCALAR_TYPES, TYPE_WORDS, foreign_scalar};
use std::ops::Range;

/// How text outside of forms begins in other languages, and what is written instead.
const OUTSIDE: &[(&str, &str)] = &[
    ("def", "a definition is `(define (name param …) expr)`"),
    ("fun", "a definition is `(define (name param …) expr)`"),
    ("let", "a definition is `(define name expr)`"),
    ("entry", "a form that can be run is `(lift name (N …) (type …) (lambda (x …) expr))`"),
    ("main", "a form that can be run is `(lift name (N …) (type …) (lambda (x …) expr))`"),
    ("from", "a file is imported by `(import \"file.lift\")`"),
    ("import", "a file is imported by `(import \"file.lift\")`"),
    ("open", "a file is imported by `(import \"file.lift\")`"),
];

/// Words that begin definitions and kernels in other languages, and the word here.
const FORMS: &[(&[&str], &str)] = &[
    (
        &["def", "defn", "defun", "defvar", "defparameter", "fn", "fun", "func", "function", "let", "val", "var"],
        "define",
    ),
    (&["kernel", "entry"], "lift"),
];

/// How comments begin in other languages. (`#` is a token of its own.)
const COMMENTS: &[&str] = &["--", "//", "#", "/*", "{-"];

/// Heads of array types in other languages.
const ARRAY_HEADS: &[&str] = &["array", "Array", "Arr", "vector", "list"];

/// Heads of tuple types in other languages, and of the expression.
const TUPLE_HEADS: &[&str] = &["tuple", "Tuple", "pair", "Pair"];

/// The meaning of text outside of forms in other languages, as the end of a message.
pub(super) fn outside(text: &str) -> Option<&'static str> {
    if COMMENTS.iter().any(|mark| text.starts_with(mark)) {
        return Some("a comment starts with `;`");
    }
    let word = text.split(|c: char| !c.is_alphanumeric()).next()?;
    OUTSIDE.iter().find(|(outside, _)| *outside == word).map(|(_, says)| *says)
}

/// The word that begins a form here, for one that begins it in other languages.
pub(super) fn form(word: &str) -> Option<&'static str> {
    FORMS.iter().find(|(words, _)| words.contains(&word)).map(|(_, here)| *here)
}

impl Parser<'_> {
    /// The token ranges of the elements between two positions: groups, or single tokens.
    pub(super) fn elements(&self, from: usize, end: usize) -> Vec<Range<usize>> {
        let (mut at, mut all) = (from, Vec::new());
        while at < end {
            let last = if self.kind_at(at).is_opener() { self.groups[at].last() } else { at };
            all.push(at..last + 1);
            at = last + 1;
        }
        all
    }

    fn range_of(&self, tokens: &Range<usize>) -> TextRange {
        self.range_at(tokens.start).cover(self.range_at(tokens.end.max(tokens.start + 1) - 1))
    }

    fn text_of(&self, tokens: &Range<usize>) -> &str {
        &self.text[self.range_of(tokens)]
    }

    /// The group that opens directly after the token at `pos`, without white space: `f(x)`, `xs[0]`.
    fn adjacent_group(&self, pos: usize) -> Option<Group> {
        let next = pos + 1;
        let touches = next < self.end && self.range_at(pos).end() == self.range_at(next).start();
        (touches && self.kind_at(next).is_opener()).then(|| self.groups[next])
    }

    /// Reports `(define f x y (…))`, in which the brackets around the name and the parameters are missing. Parses them.
    fn head_without_brackets(&mut self, rest: &[Range<usize>]) -> bool {
        let Some((body, names)) = rest.split_last() else { return false };
        let is_name =
            |part: &Range<usize>| self.kind_at(part.start) == IDENT && !super::is_operator(self.text_of(part));
        let is_call = self.kind_at(body.start).is_opener() && self.groups[body.start].is_closed();
        if names.len() < 2 || !names.iter().all(is_name) || !is_call || self.quiet {
            return false;
        }
        let head = names[0].start..body.start;
        let range = self.range_of(&head);
        let written = format!("({})", &self.text[range]);
        let message = format!("the name and the parameters of a function are in brackets: `(define {written} expr)`");
        self.replaced_head(range, message, written);
        let outer = std::mem::replace(&mut self.end, body.start);
        self.params_until_end();
        self.end = outer;
        self.finish();
        true
    }

    /// Reports a head that is written in another way, and parses the name in it.
    fn replaced_head(&mut self, range: TextRange, message: String, written: String) {
        self.report(SyntaxError::new(Code::ExpectedParams, range, message).with_replacement(range, written));
        self.start(DEFINE_HEAD);
        self.name("the name of the definition");
    }

    /// Reports `(define f (x) expr)`, in which the name precedes the brackets. Parses the name and the parameters.
    pub(super) fn head_apart(&mut self) -> bool {
        let rest = self.elements(self.pos, self.end);
        if self.head_without_brackets(&rest) {
            return true;
        }
        let [name, params, _body] = &rest[..] else { return false };
        let are_params = self.kind_at(params.start).is_opener()
            && self.elements(params.start + 1, self.groups[params.start].end()).iter().all(|p| {
                self.kind_at(p.start) == IDENT && !super::is_operator(self.text_of(p))
                    || self.kind_at(p.start).is_opener()
            });
        let is_closed = self.kind_at(params.start).is_opener() && self.groups[params.start].is_closed();
        if self.kind_at(name.start) != IDENT || !are_params || !is_closed || self.quiet {
            return false;
        }
        let names = (params.start + 1)..self.groups[params.start].end();
        let written = match names.is_empty() {
            true => self.text_of(name).to_owned(),
            false => format!("({} {})", self.text_of(name), self.text_of(&names)),
        };
        let range = self.range_of(&(name.start..params.end));
        let message = format!("the brackets go around the name and its parameters: `(define {written} expr)`");
        self.replaced_head(range, message, written);
        self.bump();
        let outer = self.end;
        self.end = names.end;
        self.params_until_end();
        self.end = outer;
        self.bump();
        self.finish();
        true
    }

    /// Reports a body like `x > 0`. Skips it.
    pub(super) fn operator_between(&mut self) -> bool {
        let rest = self.elements(self.pos, self.end);
        let [left, operator, right] = &rest[..] else { return false };
        if self.quiet
            || !super::is_operator(self.word_at(operator.start))
            || super::is_operator(self.word_at(left.start))
        {
            return false;
        }
        let written = format!("({} {} {})", self.text_of(operator), self.text_of(left), self.text_of(right));
        let range = self.range_of(&(left.start..right.end));
        let message = format!("an operator comes first: `{written}`");
        self.report(SyntaxError::new(Code::Extra, range, message).with_replacement(range, written));
        self.skip_to(self.end);
        true
    }

    /// Whether what is left over is the body of a `let` that ends before it: `(let x 1) (f x)`. The error about the `let`
    /// then says so.
    pub(super) fn body_after_let(&mut self) -> bool {
        let rest = self.elements(self.pos, self.end);
        let ([body], Some(closer)) = (&rest[..], self.without_body.filter(|closer| closer + 1 == self.pos)) else {
            return false;
        };
        let before = self.range_at(closer);
        let range = before.cover(self.range_of(body));
        let after = TextRange::new(before.end(), range.end());
        let moved = format!("{}{}", &self.text[after], &self.text[before]);
        let Some(error) = self.errors.last_mut().filter(|error| error.range == before) else { return false };
        let message = "the body of a `let` is inside of its brackets: `(let name value … body)`";
        *error = SyntaxError::new(Code::Missing, before, message).with_fix("Put it inside", range, moved);
        true
    }

    /// Reports the type after a parameter in `(define (f x : int) expr)`. Skips it.
    pub(super) fn type_of_parameter(&mut self) {
        let rest = self.elements(self.pos, self.end);
        let [colon, ty, ..] = &rest[..] else { return };
        if self.text_of(colon) != ":" || self.kind_at(self.pos - 1) != IDENT || self.quiet {
            return;
        }
        let name = self.pos - 1..self.pos;
        let written = format!("({} {})", self.text_of(&name), self.text_of(ty));
        let range = self.range_of(&(name.start..ty.end));
        let after = ty.end;
        let message = format!("a parameter with its type is written `{written}`");
        self.report(SyntaxError::new(Code::ExpectedParams, range, message).with_replacement(range, written));
        self.skip_to(after);
    }

    fn skip_to(&mut self, after: usize) {
        self.start(ERROR);
        while self.pos < after {
            self.bump();
        }
        self.finish();
    }

    /// Reports `(define (f x) -> int expr)`, in which the type of the result precedes the body. Skips it.
    pub(super) fn type_of_result(&mut self) {
        let rest = self.elements(self.pos, self.end);
        let [arrow, ty, body] = &rest[..] else { return };
        if !matches!(self.text_of(arrow), "->" | ":") || self.quiet {
            return;
        }
        let written = format!("(: {} {})", self.text_of(body), self.text_of(ty));
        let range = self.range_of(&(arrow.start..body.end));
        let message = format!("the type of the result is written around the body: `{written}`");
        let after = body.start;
        self.report(SyntaxError::new(Code::Extra, range, message).with_replacement(range, written));
        self.skip_to(after);
    }

    /// The error for `(if c then a else b)` and `(let x = a in b)`, with the words that have to go; `None` if the group
    /// that opens here is something else.
    pub(super) fn foreign_words(&self) -> Option<SyntaxError> {
        if !matches!(self.head_word(), "if" | "let") {
            return None;
        }
        let group = self.groups[self.pos];
        let elements = self.elements(self.pos + 1, group.end());
        let is = |at: usize, word: &str| elements.get(at).is_some_and(|e| self.text_of(e) == word);
        let head = elements.first().map_or("", |head| self.text_of(head));
        let (words, message): (&[&str], _) = match head {
            "if" if is(2, "then") => (&["then", "else"], "`if` has no `then` and no `else`: `(if condition a b)`"),
            "let" if is(2, "=") && (elements.len() == 5 || is(4, "in")) => {
                (&["=", "in"], "`let` has no `=` and no `in`: `(let name value … body)`")
            }
            _ => return None,
        };
        let is_foreign = |e: &&Range<usize>| words.contains(&self.text_of(e));
        let range = elements.iter().find(is_foreign).map(|e| self.range_of(e))?;
        let plain: Vec<&str> = elements.iter().filter(|e| !is_foreign(e)).map(|e| self.text_of(e)).collect();
        let contents = self.range_of(&(self.pos + 1..group.end()));
        let error = SyntaxError::new(Code::Extra, range, message);
        Some(error.with_fix("Remove the words", contents, plain.join(" ")))
    }

    /// The call `(f x)` where the rest of the group is `f x`.
    pub(super) fn call_without_brackets(&self) -> Option<String> {
        let rest = self.elements(self.pos, self.end);
        let [function, argument, ..] = rest.as_slice() else { return None };
        let is_apart = self.adjacent_group(function.start).is_none();
        let is_name = self.kind_at(function.start) == IDENT && !super::is_operator(self.word_at(argument.start));
        (!self.quiet && is_name && is_apart).then(|| format!("({})", self.text_of(&(self.pos..self.end))))
    }

    /// The error for `f(x)` or `xs[0]` as the last expression of a group, whose brackets are left over at `self.pos`.
    pub(super) fn call_apart(&self) -> Option<SyntaxError> {
        let function = self.pos.checked_sub(1).filter(|before| self.kind_at(*before) == IDENT)?;
        let group = self.adjacent_group(function)?;
        if group.last() + 1 != self.end {
            return None;
        }
        let (name, inside) = (self.text_at(function), self.pos + 1..group.end());
        let inside = if inside.is_empty() { "" } else { self.text_of(&inside) };
        let (says, written) = match self.kind_at(self.pos) {
            L_BRACKET => ("an element is written", format!("(aref {name} {inside})")),
            _ => ("the function of a call goes inside the brackets", format!("({name} {inside})")),
        };
        let range = self.range_of(&(function..self.end));
        let error = SyntaxError::new(Code::Extra, range, format!("{says}: `{written}`"));
        Some(error.with_replacement(range, written))
    }

    /// The tokens of a type of another language here, such as `int[N]`, and how it is written; `None` where that is not clear.
    pub(super) fn foreign_type(&self) -> Option<(Range<usize>, String)> {
        self.foreign_type_at(self.pos, 0)
    }

    /// `foreign_type` at a position, inside of `depth` arrays: `int[N]`, `[N]int`, `[int]`, `Array[Int,N]`, `(array int N)`,
    /// `(int int)`, `(int[N])`, and these in one another.
    fn foreign_type_at(&self, here: usize, depth: usize) -> Option<(Range<usize>, String)> {
        let array = |of: &str, length: &str| format!("(array-type {of} {length})");
        let is_group = |tokens: &Range<usize>| self.kind_at(tokens.start).is_opener();
        let is_length = |part: &Range<usize>| !is_group(part) && scalar_type(self.text_of(part)).is_none();
        if depth >= LENGTHS.len() {
            return None;
        }
        if !self.kind_at(here).is_opener() {
            let group = self.adjacent_group(here)?;
            if let Some(of) = scalar_type(self.text_at(here)) {
                let (lengths, last) = self.lengths_from(here + 1, depth);
                return Some((here..last + 1, arrays_of(of, &lengths)));
            }
            let all = here..group.last() + 1;
            return array_with_head(self.text_of(&all)).map(|written| (all, written));
        }
        let group = self.groups[here];
        let inside = self.elements(here + 1, group.end());
        let all = here..group.last() + 1;
        let (lengths, last) = self.lengths_from(here, depth);
        let before = last + 1;
        if inside.len() <= 1
            && inside.iter().all(is_length)
            && before < self.end
            && self.range_at(last).end() == self.range_at(before).start()
            && let Some(of) = scalar_type(self.text_at(before))
        {
            return Some((here..before + 1, arrays_of(of, &lengths)));
        }
        if inside.is_empty() {
            return None;
        }
        if self.kind_at(here) == L_BRACKET {
            let (after, of) = self.type_at(here + 1, depth + 1)?;
            return (after == group.end()).then(|| (all, array(&of, LENGTHS[depth])));
        }
        let type_of = |part: &Range<usize>| self.type_at(part.start, depth + 1).filter(|(after, _)| *after == part.end);
        match &inside[..] {
            [head, of, length] if ARRAY_HEADS.contains(&self.text_of(head)) => {
                Some((all, array(&type_of(of).map_or(self.text_of(of).to_owned(), |(_, of)| of), self.text_of(length))))
            }
            [head, length, of] if self.text_of(head) == "array-type" && is_length(length) => {
                Some((all, array(&type_of(of).filter(|_| self.is_type_here(of))?.1, self.text_of(length))))
            }
            [of, length] if is_length(length) && scalar_type(self.text_of(of)).is_some() => {
                Some((all, array(scalar_type(self.text_of(of))?, self.text_of(length))))
            }
            [head, parts @ ..] if parts.len() >= 2 && TUPLE_HEADS.contains(&self.text_of(head)) => {
                let parts: Option<Vec<String>> = parts.iter().map(|part| Some(type_of(part)?.1)).collect();
                Some((all, format!("(tuple-type {})", parts?.join(" "))))
            }
            [_, _, ..] if inside.iter().all(|part| scalar_type(self.text_of(part)).is_some()) => {
                let parts: Vec<&str> = inside.iter().filter_map(|part| scalar_type(self.text_of(part))).collect();
                Some((all, format!("(tuple-type {})", parts.join(" "))))
            }
            _ if !TYPE_WORDS.contains(&self.word_at(here + 1)) => {
                let (after, written) = self.type_at(here + 1, depth)?;
                (after == group.end()).then_some((all, written))
            }
            _ => None,
        }
    }

    /// The end of the type at a position, in this language or another, and how it is written.
    fn type_at(&self, here: usize, depth: usize) -> Option<(usize, String)> {
        if let Some((tokens, written)) = self.foreign_type_at(here, depth) {
            return Some((tokens.end, written));
        }
        let tokens = self.elements(here, here + 1).pop()?;
        match scalar_type(self.text_of(&tokens)) {
            Some(scalar) => Some((tokens.end, scalar.to_owned())),
            None => self.is_type_here(&tokens).then(|| (tokens.end, self.text_of(&tokens).to_owned())),
        }
    }

    /// Whether an element is a type of this language.
    fn is_type_here(&self, tokens: &Range<usize>) -> bool {
        match self.kind_at(tokens.start).is_opener() {
            true => TYPE_WORDS.contains(&self.word_at(tokens.start + 1)),
            false => SCALAR_TYPES.contains(&self.text_of(tokens)),
        }
    }

    /// The lengths in the groups that follow each other without white space from `here` on, and the last token of these
    /// groups. An empty group has a length by its depth.
    fn lengths_from(&self, here: usize, depth: usize) -> (Vec<String>, usize) {
        let (mut lengths, mut at) = (Vec::new(), here);
        loop {
            let group = self.groups[at];
            let inside = at + 1..group.end();
            lengths.push(match (inside.is_empty(), LENGTHS.get(depth + lengths.len())) {
                (true, Some(length)) => (*length).to_owned(),
                (true, None) => "N".to_owned(),
                (false, _) => self.text_of(&inside).to_owned(),
            });
            match self.adjacent_group(group.last()) {
                Some(_) => at = group.last() + 1,
                None => return (lengths, group.last()),
            }
        }
    }
}

/// The lengths of arrays in one another where none is written.
const LENGTHS: &[&str] = &["N", "M", "K", "L"];

/// The name here of a scalar type, in this language or another.
fn scalar_type(text: &str) -> Option<&'static str> {
    let word = text.to_ascii_lowercase();
    SCALAR_TYPES.iter().find(|scalar| **scalar == word).copied().or_else(|| foreign_scalar(&word))
}

/// Arrays in one another, the outermost length first.
fn arrays_of(scalar: &str, lengths: &[String]) -> String {
    lengths.iter().rev().fold(scalar.to_owned(), |of, length| format!("(array-type {of} {length})"))
}

/// `Array[Array[Int,M],N]` as it is written here.
fn array_with_head(text: &str) -> Option<String> {
    let (head, inside) = text.strip_suffix(']')?.split_once('[')?;
    let (of, length) = inside.rsplit_once(',')?;
    let (of, length) = (of.trim(), length.trim());
    let of = scalar_type(of).map(str::to_owned).or_else(|| array_with_head(of))?;
    ARRAY_HEADS.contains(&head).then(|| format!("(array-type {of} {length})"))
}
