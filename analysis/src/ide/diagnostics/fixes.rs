//! Which of the proposed fixes are offered: each is tried out on its form, and mends it.
//!
//! A fix of a syntax error leaves fewer of these; what it uncovers was wrong before. A fix of another error leaves fewer
//! errors of the form. Fixes of warnings are taken as they are.

use super::FormDiagnostic;
use crate::db::{Db, Form};
use crate::diagnostics::Code;
use crate::diagnostics::Severity;
use crate::infer::Mode;
use crate::queries::{Errors, errors_of_text};
use lift_syntax::TextRange;

/// So many fixes of one form are tried one by one.
const MOST_TRIED: usize = 16;

/// Drops the fixes that do not mend their form, which has these errors.
pub(super) fn keep_those_that_mend(db: &dyn Db, form: Form, mode: Mode, before: Errors, found: &mut [FormDiagnostic]) {
    let is_tried = |d: &FormDiagnostic| d.severity == Severity::Error && !d.fixes.is_empty();
    if !found.iter().any(is_tried) {
        return;
    }
    // What is given up is given up after the change, too.
    let given_up = found.iter().any(|d| d.code == Code::TooComplex.as_str());
    let text = form.text(db);
    let after = |edits: Vec<&(TextRange, String)>| Some(errors_of_text(db, form, &applied(text, edits)?, mode));
    // Most mistakes have one fix, and all hold: that is seen at one go.
    let firsts = || found.iter().filter(|d| is_tried(d)).filter_map(|d| d.fixes.first());
    let all_first = firsts().flat_map(|fix| &fix.edits).collect();
    let together: Option<Errors> = if given_up { None } else { after(all_first) };
    let (syntax, meaning) = count(found, &is_tried);
    let all_hold = together.is_some_and(|after| {
        after.syntax + syntax <= before.syntax && (syntax > 0 || after.meaning + meaning <= before.meaning)
    });
    let mut left = if given_up { 0 } else { MOST_TRIED };
    for d in found.iter_mut().filter(|d| is_tried(d)) {
        let is_syntax = is_syntax(d);
        let mut index = 0..;
        d.fixes.retain(|fix| {
            if index.next() == Some(0) && all_hold {
                return true;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            after(fix.edits.iter().collect()).is_some_and(|after: Errors| match is_syntax {
                true => after.syntax < before.syntax,
                false => after.syntax <= before.syntax && after.meaning < before.meaning,
            })
        });
    }
}

fn is_syntax(d: &FormDiagnostic) -> bool {
    d.code.starts_with("syntax/")
}

/// How many of the diagnostics that are tried are of syntax, and how many of meaning.
fn count(found: &[FormDiagnostic], is_tried: &dyn Fn(&FormDiagnostic) -> bool) -> (usize, usize) {
    let tried = found.iter().filter(|d| is_tried(d));
    let syntax = tried.clone().filter(|d| is_syntax(d)).count();
    (syntax, tried.count() - syntax)
}

/// The text after edits; `None` if they overlap.
fn applied(text: &str, mut edits: Vec<&(TextRange, String)>) -> Option<String> {
    edits.sort_by_key(|(range, _)| (range.start(), range.end()));
    let (mut out, mut at) = (String::with_capacity(text.len() + 64), 0);
    for (range, new) in edits {
        out.push_str(text.get(at..usize::from(range.start()))?);
        out.push_str(new);
        at = usize::from(range.end());
    }
    out.push_str(text.get(at..)?);
    Some(out)
}
