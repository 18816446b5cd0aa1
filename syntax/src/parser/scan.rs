//! The first pass over the tokens of a form: matches brackets and reports malformed tokens. Its errors do not depend on
//! the grammar.

use super::Parser;
use crate::brackets::{Closing, OpenBrackets};
use crate::error::{SyntaxError, SyntaxErrorCode as Code};
use crate::kind::SyntaxKind::*;
use crate::lexer::lex;
use crate::{TextRange, TextSize};

/// A fix inserts at most this many brackets.
const MAX_INSERTED: usize = 64;

/// The extent of an opening bracket's group, as positions of significant tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// The first token after the contents: the closer, if there is one.
    end: u32,
    closed: bool,
}

impl Group {
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// Whether the token at `end` is the closing bracket of this group.
    pub fn is_closed(self) -> bool {
        self.closed
    }

    /// The last token of the group: the closer, or the token before the missing closer.
    pub fn last(self) -> usize {
        if self.closed { self.end() } else { self.end().saturating_sub(1) }
    }
}

impl Parser<'_> {
    /// Fills `groups`, and reports malformed tokens and unclosed or mismatched brackets. Stray closers are left to the
    /// grammar: they occur only outside all groups.
    pub(super) fn scan(&mut self) {
        self.groups = vec![Group::default(); self.significant.len()];
        let mut brackets = OpenBrackets::new();
        for pos in 0..self.significant.len() {
            let kind = self.kind_at(pos);
            if kind.is_malformed() {
                self.malformed(pos);
            } else if kind.is_opener() {
                brackets.open(kind, pos);
            } else if kind.is_closer()
                && let Closing::Closes { opener, mismatched, unclosed } = brackets.close(kind)
            {
                self.unclosed(&unclosed, pos);
                self.groups[opener] = Group { end: pos as u32, closed: true };
                if mismatched {
                    self.mismatched(opener, pos);
                }
            }
        }
        self.unclosed(&brackets.finish(), self.significant.len());
        self.quiet = false;
    }

    fn malformed(&mut self, pos: usize) {
        let text = self.text_at(pos);
        let plain = text.trim_end_matches(',');
        let (code, message) = match self.kind_at(pos) {
            BAD_NUMBER if plain.len() < text.len() && is_number(plain) => {
                let message = format!("`{text}` is not a number: parts are separated by spaces, without a comma");
                let label = format!("Write `{plain}`");
                return self.error_with_fix(Code::MalformedNumber, self.range_at(pos), message, label, plain);
            }
            BAD_NUMBER if let Some(meant) = meant(text) => {
                let message = format!("`{text}` is not a number: here it is written `{meant}`");
                let label = format!("Write `{meant}`");
                return self.error_with_fix(Code::MalformedNumber, self.range_at(pos), message, label, &meant);
            }
            BAD_NUMBER => {
                let message = format!("`{text}` is not a number, and a name cannot start with a digit");
                (Code::MalformedNumber, message)
            }
            BAD_STRING => (Code::UnclosedString, "the string is not closed on its line".to_owned()),
            _ => {
                let code = text.chars().next().map_or(0, u32::from);
                (Code::InvalidCharacter, format!("control character U+{code:04X}"))
            }
        };
        self.error(code, self.range_at(pos), message);
    }

    /// Reports the groups at `openers`, innermost first, which end before `end` without a closing bracket.
    fn unclosed(&mut self, openers: &[usize], end: usize) {
        for &opener in openers {
            self.groups[opener] = Group { end: end as u32, closed: false };
        }
        let Some(&innermost) = openers.first() else {
            return;
        };
        let indented = if openers.len() == 1 { self.unclosed_by_indentation(end) } else { None };
        let (innermost, end) = indented.map_or((innermost, end), |(opener, last)| (opener, last + 1));
        if self.kind_at(end.saturating_sub(1)) == BAD_STRING {
            return; // The string extends over the missing brackets and is already reported.
        }
        let mut closers: String = openers
            .iter()
            .take(MAX_INSERTED + 1)
            .map(|&opener| if indented.is_some() { innermost } else { opener })
            .map(|opener| if self.kind_at(opener) == L_PAREN { ')' } else { ']' })
            .collect();
        let all_shown = openers.len() <= MAX_INSERTED;
        if !all_shown {
            closers.truncate(MAX_INSERTED);
            closers.push('…');
        }
        let message = match openers.len() {
            1 => format!("`{closers}` is missing"),
            n => format!("`{closers}` is missing: {n} brackets are not closed"),
        };
        let range = self.last_char(end.saturating_sub(1));
        let mut error = SyntaxError::new(Code::Unclosed, range, message);
        error.related = Some((self.range_at(innermost), "this bracket is not closed".to_owned()));
        if all_shown {
            error = error.with_fix(format!("Insert `{closers}`"), TextRange::empty(range.end()), closers);
        }
        self.report(error);
    }

    /// The only bracket that lines show to be unclosed, and the last token before the line that shows it: the line begins no
    /// further right than the bracket, and under an element of the group around it, or no further right than the line of the
    /// bracket. `None` if with a bracket there the others do not match.
    fn unclosed_by_indentation(&self, end: usize) -> Option<(usize, usize)> {
        // Open brackets, each with the columns of its elements.
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        let columns = self.columns();
        let mut found = None;
        for pos in 0..end {
            let (kind, (column, indent)) = (self.kind_at(pos), columns[pos]);
            if kind.is_closer() {
                let (opener, _) = open.pop()?;
                if (self.kind_at(opener) == L_PAREN) != (kind == R_PAREN) {
                    return None;
                }
                continue;
            }
            let ends = |opener: usize, around: &[usize]| {
                let (opened_at, outer_indent) = columns[opener];
                column == indent && column <= opened_at && (around.contains(&column) || column <= outer_indent)
            };
            if let [.., (_, around), (opener, _)] = &open[..]
                && ends(*opener, around)
            {
                if found.is_some() {
                    return None;
                }
                found = Some((*opener, pos - 1));
                open.pop();
            }
            if let Some((_, elements)) = open.last_mut() {
                elements.push(column);
            }
            if kind.is_opener() {
                open.push((pos, Vec::new()));
            }
        }
        if open.is_empty() { found } else { None }
    }

    /// For each token, its column and that of the first token of its line.
    fn columns(&self) -> Vec<(usize, usize)> {
        let (mut column, mut indent, mut before) = (0, 0, 0);
        let mut columns = Vec::with_capacity(self.significant.len());
        for pos in 0..self.significant.len() {
            let start = usize::from(self.range_at(pos).start());
            let between = &self.text[before..start];
            match between.rsplit_once('\n') {
                Some((_, line)) => {
                    column = line.chars().count();
                    indent = column;
                }
                None => column += between.chars().count(),
            }
            columns.push((column, indent));
            before = start;
        }
        columns
    }

    fn mismatched(&mut self, opener: usize, closer: usize) {
        let opening = self.text_at(opener);
        let wanted = if opening == "(" { ")" } else { "]" };
        let range = self.range_at(closer);
        let message = format!("`{}` cannot close `{opening}`", self.text_at(closer));
        let mut error = SyntaxError::new(Code::MismatchedBracket, range, message);
        error.related = Some((self.range_at(opener), "opened here".to_owned()));
        self.report(error.with_replacement(range, wanted));
    }

    /// Returns the range of a token's last character, after which something is missing.
    fn last_char(&self, pos: usize) -> TextRange {
        let range = self.range_at(pos);
        let len = self.text_at(pos).chars().next_back().map_or(0, char::len_utf8);
        TextRange::new(range.end() - TextSize::new(len as u32), range.end())
    }
}

/// The number that a word is in other languages: with other letters at its end, or `_` between digits.
fn meant(text: &str) -> Option<String> {
    /// Letters at the end of a number in C, Java, Rust and Python, and ours.
    const ENDINGS: [(&str, &str); 18] = [
        ("i8", "b"),
        ("u8", "ub"),
        ("i16", "s"),
        ("u16", "us"),
        ("i32", ""),
        ("u32", "u"),
        ("i64", "L"),
        ("u64", "uL"),
        ("f16", "h"),
        ("f32", "f"),
        ("f64", ""),
        ("ull", "uL"),
        ("ul", "uL"),
        ("ll", "L"),
        ("l", "L"),
        ("f", "f"),
        ("u", "u"),
        ("d", ""),
    ];
    let plain = text.replace('_', "");
    let small = plain.to_ascii_lowercase();
    let candidates = ENDINGS.iter().filter_map(|(theirs, ours)| {
        let digits = small.strip_suffix(theirs)?;
        // A whole number of a floating-point type needs its point.
        let point = if theirs.starts_with(['f', 'd']) && !digits.contains(['.', 'e']) { ".0" } else { "" };
        Some(format!("{digits}{point}{ours}"))
    });
    std::iter::once(small.clone()).chain(candidates).find(|number| number != text && is_number(number))
}

fn is_number(text: &str) -> bool {
    let tokens = lex(text);
    tokens.len() == 1 && tokens.kind(0).is_number()
}
