//! Comments that make functions the kernels of a file: `⍝: mean [double]1`.

use super::kind::AplKind;
use super::lexer::tokens;
use crate::{FormKind, RawForm, TextRange, TextSize};

/// The beginning of a comment that names a kernel.
const START: &str = "⍝:";

/// A comment that names a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelComment {
    pub range: TextRange,
    /// The first word; empty if there is none.
    pub name: TextRange,
}

/// The kernel comments of a text, in order.
pub fn kernel_comments(text: &str) -> Vec<KernelComment> {
    if !text.contains(START) {
        return Vec::new();
    }
    let comments = tokens(text).into_iter().filter(|(kind, _)| *kind == AplKind::Comment).filter_map(|(_, range)| {
        let words = text[range].strip_prefix(START)?;
        let blank = words.len() - words.trim_start().len();
        let name = words.split_whitespace().next().unwrap_or_default();
        let start = range.start() + TextSize::new((START.len() + blank) as u32);
        Some(KernelComment { range, name: TextRange::at(start, TextSize::of(name)) })
    });
    comments.collect()
}

/// The forms of a file. Each is the whole text: one for each kernel that a comment names, or else one without a name.
pub fn split(text: &str) -> Vec<RawForm> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let form = |name| RawForm { kind: FormKind::Lift, range: TextRange::up_to(TextSize::of(text)), name };
    let mut forms: Vec<RawForm> = Vec::new();
    for comment in kernel_comments(text) {
        let known = forms.iter().any(|form| form.name.is_some_and(|name| text[name] == text[comment.name]));
        if !comment.name.is_empty() && !known {
            forms.push(form(Some(comment.name)));
        }
    }
    if forms.is_empty() { vec![form(None)] } else { forms }
}

/// The lines of comments above and below a kernel comment, without a line between them. Lines below a kernel comment are of
/// that one only.
pub fn documentation(text: &str, comment: TextRange) -> Vec<TextRange> {
    let mut block: Vec<TextRange> = Vec::new();
    let (mut is_around, mut of_another) = (false, false);
    let mut at = TextSize::new(0);
    for line in text.split_inclusive('\n') {
        let own = TextRange::at(at, TextSize::of(line.trim_end()));
        at += TextSize::of(line);
        let names_kernel = line.trim_start().starts_with(START);
        if is_around && (names_kernel || !line.trim_start().starts_with('⍝')) {
            break;
        }
        if own.contains_range(comment) {
            is_around = true;
            if of_another {
                block.clear();
            }
        } else if names_kernel {
            of_another = true;
        } else if line.trim_start().starts_with('⍝') {
            block.push(own);
        } else {
            of_another = false;
            block.clear();
        }
    }
    if is_around { block } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "⍝ The mean.\n⍝: mean [double]1\n⍝ run: right=[1.0]\nmean←{(+/⍵)÷≢⍵}\n⍝ no\n\nx←'⍝: no'\n⍝: sum\n⍝ It adds.\n⍝: max\n⍝: sum\n⍝:\n";

    #[test]
    fn each_named_function_is_a_form() {
        let names: Vec<&str> = split(TEXT).iter().filter_map(|form| Some(&TEXT[form.name?])).collect();
        assert_eq!(names, ["mean", "sum", "max"]);
        assert_eq!(split("⎕←'⍝: no'").iter().map(|form| form.name).collect::<Vec<_>>(), [None]);
        assert_eq!(split("⍝:").len(), 1);
        assert!(split(" \n").is_empty());
    }

    #[test]
    fn comments_around_are_documentation() {
        let comments = kernel_comments(TEXT);
        let of = |nth: usize| documentation(TEXT, comments[nth].range).into_iter().map(|line| &TEXT[line]);
        assert_eq!(of(0).collect::<Vec<_>>(), ["⍝ The mean.", "⍝ run: right=[1.0]"]);
        assert_eq!(of(1).collect::<Vec<_>>(), ["⍝ It adds."]);
        assert_eq!(of(2).collect::<Vec<_>>(), [""; 0]);
    }
}
