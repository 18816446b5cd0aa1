//! Validation of the proposed fixes: each is applied to its form and must remove errors.
//!
//! A fix of a syntax error must leave fewer syntax errors; errors of meaning that it uncovers existed before. A fix of
//! another error must leave fewer errors of the form. Fixes of warnings are not validated.

use super::FormDiagnostic;
use crate::db::{Db, Form};
use crate::diagnostics::Code;
use crate::diagnostics::Severity;
use crate::infer::Mode;
use crate::queries::{Errors, errors_of_text};
use lift_syntax::TextRange;

/// Limit on the fixes of one form that are validated one by one.
const MOST_TRIED: usize = 16;

/// Drops the fixes that do not remove errors from a form, whose errors are `before`.
pub(super) fn keep_those_that_mend(db: &dyn Db, form: Form, mode: Mode, before: Errors, found: &mut [FormDiagnostic]) {
    let is_tried = |d: &FormDiagnostic| d.severity == Severity::Error && !d.fixes.is_empty();
    if !found.iter().any(is_tried) {
        return;
    }
    // Checking that gave up will do so again after the fix.
    let given_up = found.iter().any(|d| d.code == Code::TooComplex.as_str());
    let text = form.text(db);
    let after = |edits: Vec<&(TextRange, String)>| Some(errors_of_text(db, form, &applied(text, edits)?, mode));
    // Most errors have one fix, and usually all of them work, so validate the first fixes together.
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

/// The numbers of syntax errors and of other errors among the diagnostics with fixes to validate.
fn count(found: &[FormDiagnostic], is_tried: &dyn Fn(&FormDiagnostic) -> bool) -> (usize, usize) {
    let tried = found.iter().filter(|d| is_tried(d));
    let syntax = tried.clone().filter(|d| is_syntax(d)).count();
    (syntax, tried.count() - syntax)
}

/// The text after edits; `None` if they overlap.
pub(super) fn applied(text: &str, mut edits: Vec<&(TextRange, String)>) -> Option<String> {
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
