//! Edits that follow a typed character: a new line is indented, a closing bracket at the start of a line is aligned
//! with its opening one, and both brackets of a pair get the same shape. Also ranges that are edited together.

use super::TextEdit;
use super::navigation::linked_names;
use crate::db::{Db, SourceFile, forms};
use lift_syntax::{SyntaxKind, TextRange, TextSize, Tokens, lex};

/// The characters that [`on_type`] handles; the first is a line break.
pub const TRIGGERS: [&str; 5] = ["\n", ")", "]", "(", "["];

/// The edits that follow the character typed before an offset.
pub(super) fn on_type(db: &dyn Db, file: SourceFile, offset: TextSize, typed: &str) -> Vec<TextEdit> {
    let text = file.text(db);
    let edit = match typed {
        "\n" => indent_new_line(db, file, text, offset),
        _ => return shape_brackets(db, file, text, offset),
    };
    edit.into_iter().collect()
}

/// The ranges to edit together with the local name at an offset: its binder and its uses.
pub(super) fn linked_ranges(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<TextRange> {
    linked_names(db, file, offset)
}

/// The tokens of a form, with their brackets.
struct Brackets<'a> {
    text: &'a str,
    tokens: Tokens,
}

/// An unclosed opening bracket, and its elements so far.
struct Open {
    at: TextRange,
    parts: Vec<TextRange>,
}

impl<'a> Brackets<'a> {
    fn of(text: &'a str) -> Brackets<'a> {
        Brackets { text, tokens: lex(text) }
    }

    /// The brackets that are open at an offset, innermost last, each with its elements so far.
    fn open_at(&self, at: TextSize) -> Vec<Open> {
        let mut open: Vec<Open> = Vec::new();
        for token in 0..self.tokens.len() {
            let (kind, range) = (self.tokens.kind(token), self.tokens.range(token));
            if range.end() > at {
                break;
            }
            if kind.is_closer() {
                let closed = open.pop();
                if let (Some(around), Some(closed)) = (open.last_mut(), closed) {
                    around.parts.push(closed.at.cover(range));
                }
            } else if kind.is_opener() {
                open.push(Open { at: range, parts: Vec::new() });
            } else if !kind.is_trivia()
                && let Some(around) = open.last_mut()
            {
                around.parts.push(range);
            }
        }
        open
    }

    /// The matching bracket, of any shape; `None` if the brackets do not match up.
    fn partner(&self, at: TextRange) -> Option<TextRange> {
        let mut open: Vec<TextRange> = Vec::new();
        let mut partner = None;
        for token in 0..self.tokens.len() {
            let (kind, range) = (self.tokens.kind(token), self.tokens.range(token));
            if kind.is_opener() {
                open.push(range);
            } else if kind.is_closer() {
                let opener = open.pop()?;
                if opener == at {
                    partner = Some(range);
                } else if range == at {
                    partner = Some(opener);
                }
            }
        }
        partner.filter(|_| open.is_empty())
    }

    /// The first token on a line.
    fn kind_at(&self, line: TextSize) -> Option<SyntaxKind> {
        let mut behind = (0..self.tokens.len()).filter(|&token| self.tokens.range(token).end() > line);
        let rest = &self.text[usize::from(line)..];
        let end_of_line = line + TextSize::of(rest.lines().next().unwrap_or_default());
        behind
            .find(|&token| self.tokens.kind(token) != SyntaxKind::WHITESPACE)
            .filter(|&token| self.tokens.range(token).start() < end_of_line)
            .map(|token| self.tokens.kind(token))
    }

    fn slice(&self, range: TextRange) -> &'a str {
        &self.text[range]
    }

    fn line_start(&self, at: TextSize) -> TextSize {
        line_start(self.text, at)
    }

    /// Column in characters.
    fn column(&self, at: TextSize) -> usize {
        self.slice(TextRange::new(self.line_start(at), at)).chars().count()
    }
}

fn line_start(text: &str, at: TextSize) -> TextSize {
    let before = &text[..usize::from(at)];
    TextSize::of(&before[..before.rfind(['\n', '\r']).map_or(0, |end| end + 1)])
}

/// The lines from the start of the form before an offset to the next form that starts a line. This includes text after
/// the form's end, because a bracket being typed may have moved that end.
fn region(db: &dyn Db, file: SourceFile, text: &str, at: TextSize) -> Option<TextRange> {
    let forms = forms(db, file);
    let next = forms.partition_point(|form| form.start(db) < at);
    let start = line_start(text, forms[..next].last()?.start(db));
    let mut starts = forms[next..].iter().map(|form| form.start(db));
    let end = starts.find(|start| line_start(text, *start) == *start).unwrap_or(TextSize::of(text));
    Some(TextRange::new(start, end))
}

/// Forms with a body, which is indented by two columns.
pub(super) const WITH_BODY: [&str; 7] = ["define", "lift", "lambda", "λ", "let", "unpack", "with"];

fn indent_new_line(db: &dyn Db, file: SourceFile, text: &str, offset: TextSize) -> Option<TextEdit> {
    let start = line_start(text, offset.min(TextSize::of(text)));
    let wanted = |around: TextRange| {
        let brackets = Brackets::of(&text[around]);
        let line = start - around.start();
        brackets.open_at(line).last().map(|open| indentation(&brackets, open, line))
    };
    let wanted = region(db, file, text, start).and_then(wanted);
    set_indentation(text, start, wanted.unwrap_or(0))
}

/// The column of the next element of an open group, as `lift fmt` would put it, below the existing elements.
fn indentation(brackets: &Brackets<'_>, open: &Open, line: TextSize) -> usize {
    let next = brackets.kind_at(line);
    let column = brackets.column(open.at.start());
    if next.is_some_and(SyntaxKind::is_closer) {
        return column;
    }
    let Some((head, rest)) = open.parts.split_first() else { return column + 1 };
    let word = brackets.slice(*head);
    if WITH_BODY.contains(&word) {
        return column + 2;
    }
    let first_of_line = |part: &&TextRange| {
        brackets.slice(TextRange::new(brackets.line_start(part.start()), part.start())).trim().is_empty()
    };
    if let Some(below) = rest.iter().rfind(first_of_line) {
        return brackets.column(below.start());
    }
    match rest.first() {
        // A list, such as of parameters or of types.
        _ if brackets.slice(*head).starts_with(['(', '[']) => column + 1,
        Some(first) => brackets.column(first.start()),
        None => column + 2,
    }
}

/// The edit that changes the indentation of a line to `wanted` columns.
fn set_indentation(text: &str, start: TextSize, wanted: usize) -> Option<TextEdit> {
    let rest = &text[usize::from(start)..];
    let now = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let new_text = " ".repeat(wanted);
    let range = TextRange::at(start, TextSize::new(now as u32));
    (rest[..now] != new_text).then_some(TextEdit { range, new_text })
}

fn shape_brackets(db: &dyn Db, file: SourceFile, text: &str, offset: TextSize) -> Vec<TextEdit> {
    let found = || {
        let one = TextSize::new(1);
        let at = TextRange::at(offset.checked_sub(one)?, one);
        let region = region(db, file, text, at.end())?;
        let around = region.start();
        let brackets = Brackets::of(&text[region]);
        let typed = at - around;
        let partner = brackets.partner(typed)?;
        let mut edits = Vec::new();
        let is_closer = partner.start() < typed.start();
        let line = brackets.line_start(typed.start());
        if is_closer && brackets.slice(TextRange::new(line, typed.start())).trim().is_empty() && line > partner.start()
        {
            edits.extend(set_indentation(text, line + around, brackets.column(partner.start())));
        }
        // A typed closing bracket takes the shape of its opening one; for a typed opening bracket, the existing closing
        // one changes shape.
        let (opener, closer) = if is_closer { (partner, typed) } else { (typed, partner) };
        let shape = if brackets.slice(opener) == "(" { ")" } else { "]" };
        if brackets.slice(closer) != shape {
            edits.push(TextEdit { range: closer + around, new_text: shape.to_owned() });
        }
        Some(edits)
    };
    found().unwrap_or_default()
}
