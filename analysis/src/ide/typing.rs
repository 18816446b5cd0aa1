//! What happens beside a character while it is typed: a new line is indented, a closing bracket at the start of a line
//! stands below its opening one, and a pair of brackets keeps one shape. And names that change together.

use super::TextEdit;
use super::navigation::linked_names;
use crate::db::{Db, SourceFile, forms};
use lift_syntax::{SyntaxKind, TextRange, TextSize, Tokens, lex};

/// The characters after which [`on_type`] has something to do; the first is that of a new line.
pub const TRIGGERS: [&str; 5] = ["\n", ")", "]", "(", "["];

/// The edits that follow a character that was just typed before a place.
pub(super) fn on_type(db: &dyn Db, file: SourceFile, offset: TextSize, typed: &str) -> Vec<TextEdit> {
    let text = file.text(db);
    let edit = match typed {
        "\n" => indent_new_line(db, file, text, offset),
        _ => return shape_brackets(db, file, text, offset),
    };
    edit.into_iter().collect()
}

/// The names that are to change when the one at a place does: a local one where it is bound and used.
pub(super) fn linked_ranges(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<TextRange> {
    linked_names(db, file, offset)
}

/// A form's brackets.
struct Brackets<'a> {
    text: &'a str,
    tokens: Tokens,
}

/// An opening bracket that is not closed yet, and how many tokens that say something stand behind it.
struct Open {
    at: TextRange,
    parts: Vec<TextRange>,
}

impl<'a> Brackets<'a> {
    fn of(text: &'a str) -> Brackets<'a> {
        Brackets { text, tokens: lex(text) }
    }

    /// The brackets that are open before a place, innermost last, each with its parts so far.
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

    /// The other bracket of the pair of one at a place, whatever the shapes; `None` if some bracket has none.
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

    /// What stands first on a line.
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

    /// Of the characters of its line.
    fn column(&self, at: TextSize) -> usize {
        self.slice(TextRange::new(self.line_start(at), at)).chars().count()
    }
}

fn line_start(text: &str, at: TextSize) -> TextSize {
    let before = &text[..usize::from(at)];
    TextSize::of(&before[..before.rfind(['\n', '\r']).map_or(0, |end| end + 1)])
}

/// The lines from the start of the form that begins before a place up to the next form that starts a line: also what stands
/// behind the form's end, which a bracket that is being typed may have moved.
fn region(db: &dyn Db, file: SourceFile, text: &str, at: TextSize) -> Option<TextRange> {
    let forms = forms(db, file);
    let next = forms.partition_point(|form| form.start(db) < at);
    let start = line_start(text, forms[..next].last()?.start(db));
    let mut starts = forms[next..].iter().map(|form| form.start(db));
    let end = starts.find(|start| line_start(text, *start) == *start).unwrap_or(TextSize::of(text));
    Some(TextRange::new(start, end))
}

/// What has a body, which is indented by two columns.
pub(super) const WITH_BODY: [&str; 6] = ["define", "lift", "lambda", "λ", "let", "unpack"];

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

/// Where the next part of an open group goes: as `lift fmt` would put it, below the parts that stand there already.
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
        // A list, such as that of parameters, or of types.
        _ if brackets.slice(*head).starts_with(['(', '[']) => column + 1,
        Some(first) => brackets.column(first.start()),
        None => column + 2,
    }
}

/// The edit that makes the white space at the start of a line `wanted` columns.
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
        // A closing bracket takes the shape of its opening one; a closing one that is there, that of a new opening one.
        let (opener, closer) = if is_closer { (partner, typed) } else { (typed, partner) };
        let shape = if brackets.slice(opener) == "(" { ")" } else { "]" };
        if brackets.slice(closer) != shape {
            edits.push(TextEdit { range: closer + around, new_text: shape.to_owned() });
        }
        Some(edits)
    };
    found().unwrap_or_default()
}
