//! Parses values written as literals: `0.5`, `[1,2,3]`, `[[1,2],[3,4]]`, `(1, 2.5)`. Commas are optional, also at the
//! end.

use super::{InputError, Result, counted, opened, scalar};
use crate::value::{ArrayValue, Value};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};

/// Maximum nesting of brackets, far more than a type has.
const MAX_DEPTH: usize = 64;

/// Parses `text` as a value of type `ty`. Lengths are not compared with those of the type, but the rows of an array
/// must have one length unless the type hides it.
pub fn parse(ty: &Ty, text: &str) -> Result<Value> {
    let mut parser = Parser { text, at: 0 };
    let tree = parser.tree(0)?;
    parser.skip_blanks();
    if parser.at < text.len() {
        return Err(parser.error(parser.at, format!("`{}` follows the value", scalar::shortened(&text[parser.at..]))));
    }
    parser.value(ty, &tree)
}

/// A parsed literal, before its type is known.
enum Tree<'a> {
    Word { at: usize, word: &'a str },
    List { at: usize, parts: Vec<Tree<'a>> },
    Tuple { at: usize, parts: Vec<Tree<'a>> },
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, at: usize, message: impl Into<String>) -> InputError {
        InputError::at(1, self.text[..at].chars().count() + 1, message)
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at = self.text.len() - rest.trim_start().len();
    }

    /// Skips a comma after a value.
    fn skip_comma(&mut self) {
        self.skip_blanks();
        self.at += usize::from(self.text[self.at..].starts_with(','));
    }

    fn tree(&mut self, depth: usize) -> Result<Tree<'a>> {
        self.skip_blanks();
        let at = self.at;
        let rest = &self.text[at..];
        let (close, is_list) = match rest.chars().next() {
            Some('[') => (']', true),
            Some('(') => (')', false),
            Some(c @ (']' | ')' | ',')) => return Err(self.error(at, format!("a value is expected before `{c}`"))),
            Some(_) => {
                let end = rest.find(|c: char| c.is_whitespace() || ",[]()".contains(c)).unwrap_or(rest.len());
                self.at += end;
                return Ok(Tree::Word { at, word: &rest[..end] });
            }
            None => return Err(self.error(at, "a value is expected")),
        };
        if depth == MAX_DEPTH {
            return Err(self.error(at, format!("more than {MAX_DEPTH} brackets in one another")));
        }
        self.at += 1;
        let mut parts = Vec::new();
        loop {
            self.skip_blanks();
            match self.text[self.at..].chars().next() {
                Some(c) if c == close => {
                    self.at += 1;
                    return Ok(if is_list { Tree::List { at, parts } } else { Tree::Tuple { at, parts } });
                }
                Some(c @ (']' | ')')) => return Err(self.error(self.at, format!("`{close}` is expected, not `{c}`"))),
                Some(_) => {
                    parts.push(self.tree(depth + 1)?);
                    self.skip_comma();
                }
                None => return Err(self.error(self.at, format!("`{close}` is missing"))),
            }
        }
    }

    fn value(&self, ty: &Ty, tree: &Tree<'a>) -> Result<Value> {
        match (opened(ty).kind(), tree) {
            (TyKind::Scalar(s), Tree::Word { at, word }) => scalar::parse(*s, word).map_err(|e| self.error(*at, e)),
            (TyKind::Array(array), Tree::List { at, parts }) => self.array(array, *at, parts),
            (TyKind::Tuple(types), Tree::Tuple { at, parts }) => {
                if types.len() != parts.len() {
                    let problem = format!("`{ty}` has {}, not {}", counted(types.len(), "part"), parts.len());
                    return Err(self.error(*at, problem));
                }
                let parts = types.iter().zip(parts).map(|(ty, part)| self.value(ty, part));
                Ok(Value::Tuple(parts.collect::<Result<_>>()?))
            }
            (TyKind::Vec(element, width), Tree::List { at, parts } | Tree::Tuple { at, parts }) => {
                if width.as_const() != Some(parts.len() as i64) {
                    return Err(self.error(*at, format!("`{ty}` has {width} elements, not {}", parts.len())));
                }
                Ok(Value::Vec(parts.iter().map(|part| self.value(element, part)).collect::<Result<_>>()?))
            }
            (_, tree) => {
                let (Tree::Word { at, .. } | Tree::List { at, .. } | Tree::Tuple { at, .. }) = tree;
                let found = match tree {
                    Tree::Word { word, .. } => format!("`{}`", scalar::shortened(word)),
                    Tree::List { parts, .. } => format!("an array of {}", counted(parts.len(), "element")),
                    Tree::Tuple { parts, .. } => format!("a tuple of {}", counted(parts.len(), "part")),
                };
                Err(self.error(*at, format!("`{ty}` is expected, not {found}")))
            }
        }
    }

    fn array(&self, array: &ArrayTy, at: usize, parts: &[Tree<'a>]) -> Result<Value> {
        let mut elements = match array.element.as_scalar() {
            Some(s) => scalar::empty(s),
            None => ArrayValue::Values(Vec::with_capacity(parts.len())),
        };
        let regular = array.position.is_none() && matches!(array.element.kind(), TyKind::Array(_));
        let mut first = None;
        for (i, part) in parts.iter().enumerate() {
            let value = self.value(&array.element, part)?;
            if let (true, Value::Array(row)) = (regular, &value) {
                let expected = *first.get_or_insert(row.len());
                if row.len() != expected {
                    let here = if let Tree::List { at, .. } = part { *at } else { at };
                    let problem = format!(
                        "the rows are not equally long: row 0 has {}, row {i} has {}",
                        counted(expected, "element"),
                        row.len()
                    );
                    return Err(self.error(here, problem));
                }
            }
            scalar::push(&mut elements, value);
        }
        Ok(Value::Array(elements))
    }
}
