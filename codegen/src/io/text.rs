//! Arrays as text: numbers separated by white space, rows by new lines, planes by an empty line.

use super::{InputError, Result, counted, opened, scalar};
use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Scalar;
use lift_analysis::ty::{Ty, TyKind};

/// Parses `text` as a value of type `ty`. A `;` starts a comment to the end of the line.
///
/// * A scalar, or a tuple or vector of scalars: its numbers, on any lines.
/// * An array of scalars: all numbers of the text, on any lines.
/// * An array of tuples or vectors: one per line.
/// * An array of arrays: one row per line. Rows must have one length unless the type hides it; if it does, an empty
///   line is an empty row. If the lengths depend on the index, all rows may also be concatenated in one line.
/// * An array of those: separated by an empty line; one level higher by two empty lines, and so on.
///
/// Lengths are not compared with those of the type.
pub fn parse(ty: &Ty, text: &str) -> Result<Value> {
    let form = Form::of(ty).ok_or_else(|| {
        InputError::new(format!(
            "a value of type `{ty}` cannot be read from text; write it as a literal: `[(1, [2, 3])]`"
        ))
    })?;
    let lines: Vec<Line<'_>> = text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .lines()
        .enumerate()
        .map(|(i, line)| Line { number: i + 1, text: line.split(';').next().unwrap_or_default() })
        .collect();
    // Rows of different lengths may be concatenated in one line.
    let packed = crate::core::typing::packed(ty).is_some() && lines.iter().filter(|line| !line.is_blank()).count() == 1;
    match form.rank {
        _ if packed => form.vector(&lines),
        0 => form.single(ty, &lines),
        1 => form.vector(&lines),
        rank => form.nested(rank, &lines),
    }
}

/// The form in which a text gives a type's numbers.
pub(super) struct Form {
    /// The number of arrays around the innermost element.
    pub(super) rank: usize,
    element: Element,
    /// Whether rows of the innermost arrays may have different lengths.
    pub(super) ragged: bool,
}

enum Element {
    Scalar(Scalar),
    Vec(Vec<Scalar>),
    /// A tuple of scalars.
    Tuple(Vec<Scalar>),
}

struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_whitespace()
    }

    /// An error at a word of this line.
    fn error(&self, word: &str, message: String) -> InputError {
        // `word` is a slice of this line's text.
        let offset = (word.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        InputError::at(self.number, self.text[..offset].chars().count() + 1, message)
    }
}

impl Form {
    /// The form of an array of tuples.
    pub(super) fn of_rows(columns: Vec<Scalar>) -> Form {
        Form { rank: 1, element: Element::Tuple(columns), ragged: false }
    }

    pub(super) fn of(ty: &Ty) -> Option<Form> {
        let (mut rank, mut ragged, mut ty) = (0, false, ty);
        loop {
            // A length hidden outside all rows is the same for all of them.
            ragged |= rank > 0 && matches!(ty.kind(), TyKind::Exists(..));
            ty = opened(ty);
            let TyKind::Array(array) = ty.kind() else { break };
            ragged |= array.position.is_some();
            rank += 1;
            ty = &array.element;
        }
        let element = match ty.kind() {
            TyKind::Scalar(s) => Element::Scalar(*s),
            TyKind::Vec(s, width) => Element::Vec(vec![s.as_scalar()?; usize::try_from(width.as_const()?).ok()?]),
            TyKind::Tuple(parts) => Element::Tuple(parts.iter().map(Ty::as_scalar).collect::<Option<_>>()?),
            _ => return None,
        };
        if let Element::Vec(columns) | Element::Tuple(columns) = &element
            && columns.is_empty()
        {
            return None;
        }
        Some(Form { rank, element, ragged })
    }

    /// The number of scalars in an element, at least 1.
    pub(super) fn columns(&self) -> usize {
        self.scalars().len()
    }

    /// The types of the scalars in an element.
    pub(super) fn scalars(&self) -> &[Scalar] {
        match &self.element {
            Element::Scalar(scalar) => std::slice::from_ref(scalar),
            Element::Vec(lanes) | Element::Tuple(lanes) => lanes,
        }
    }

    fn single(&self, ty: &Ty, lines: &[Line<'_>]) -> Result<Value> {
        let mut elements = self.empty();
        self.push(&mut elements, lines)?;
        match elements.get(0) {
            Some(value) if elements.len() == 1 => Ok(value),
            Some(_) => Err(InputError::new(format!("one `{ty}` is expected, not {}", elements.len()))),
            None => Err(InputError::new(format!("one `{ty}` is expected, but there is nothing"))),
        }
    }

    fn vector(&self, lines: &[Line<'_>]) -> Result<Value> {
        let mut elements = self.empty();
        for line in lines.iter().filter(|line| !line.is_blank()) {
            let before = elements.len();
            self.push(&mut elements, std::slice::from_ref(line))?;
            if self.columns() > 1 && elements.len() != before + 1 {
                let (has, needed) = ((elements.len() - before) * self.columns(), self.columns());
                return Err(line.error(line.text, format!("an element has {needed} numbers, this line {has}")));
            }
        }
        Ok(Value::Array(elements))
    }

    /// Parses an array of rank 2 or more. Planes are separated by at least `rank - 2` empty lines.
    fn nested(&self, rank: usize, lines: &[Line<'_>]) -> Result<Value> {
        if rank == 2 {
            return self.rows(lines);
        }
        let end = lines.iter().rposition(|line| !line.is_blank()).map_or(0, |last| last + 1);
        let first = lines[..end].iter().take_while(|line| line.is_blank()).count();
        let (mut planes, mut start, mut blank) = (Vec::new(), first, 0);
        for at in first..end {
            if lines[at].is_blank() {
                blank += 1;
                continue;
            }
            if blank >= rank - 2 && at > start {
                planes.push(self.nested(rank - 1, &lines[start..at - blank])?);
                start = at;
            }
            blank = 0;
        }
        if start < end {
            planes.push(self.nested(rank - 1, &lines[start..end])?);
        }
        Ok(Value::Array(ArrayValue::Values(planes)))
    }

    fn rows(&self, lines: &[Line<'_>]) -> Result<Value> {
        // If the text has no numbers, every line is an empty row; otherwise empty lines are rows only if rows may be
        // empty.
        let keep_blank = self.ragged || lines.iter().all(Line::is_blank);
        let mut rows = Vec::new();
        let mut first: Option<(usize, usize)> = None;
        for line in lines.iter().filter(|line| keep_blank || !line.is_blank()) {
            let mut row = self.empty();
            self.push(&mut row, std::slice::from_ref(line))?;
            let (first_line, expected) = *first.get_or_insert((line.number, row.len()));
            if !self.ragged && row.len() != expected {
                let (this, that) = (counted(row.len(), "element"), counted(expected, "element"));
                let problem =
                    format!("the rows are not equally long: this line has {this}, line {first_line} has {that}");
                return Err(line.error(line.text, problem));
            }
            rows.push(Value::Array(row));
        }
        Ok(Value::Array(ArrayValue::Values(rows)))
    }

    /// No elements.
    pub(super) fn empty(&self) -> ArrayValue {
        match &self.element {
            Element::Scalar(s) => scalar::empty(*s),
            Element::Vec(_) | Element::Tuple(_) => ArrayValue::Values(Vec::new()),
        }
    }

    /// Appends the elements whose numbers are in `lines`.
    fn push(&self, to: &mut ArrayValue, lines: &[Line<'_>]) -> Result<()> {
        let mut parts = Vec::new();
        for line in lines {
            for word in line.words() {
                let column = self.scalars()[parts.len()];
                let value = scalar::parse(column, word).map_err(|problem| line.error(word, hinted(problem, word)))?;
                if let Element::Scalar(_) = self.element {
                    scalar::push(to, value);
                    continue;
                }
                parts.push(value);
                if parts.len() == self.columns() {
                    self.push_element(to, std::mem::take(&mut parts));
                }
            }
        }
        match lines.last() {
            Some(line) if !parts.is_empty() => {
                let (needed, over) = (self.columns(), parts.len());
                let problem = format!("an element has {needed} numbers; {over} are left over at the end of the line");
                Err(line.error(line.text, problem))
            }
            _ => Ok(()),
        }
    }

    /// Appends the element with these scalars, which are as many as [`Form::columns`].
    pub(super) fn push_element(&self, to: &mut ArrayValue, parts: Vec<Value>) {
        match self.element {
            Element::Scalar(_) => parts.into_iter().for_each(|part| scalar::push(to, part)),
            Element::Vec(_) => scalar::push(to, Value::Vec(parts)),
            Element::Tuple(_) => scalar::push(to, Value::Tuple(parts)),
        }
    }
}

fn hinted(problem: String, word: &str) -> String {
    if word.contains([',', '[', ']']) { format!("{problem}; numbers are separated by white space") } else { problem }
}
