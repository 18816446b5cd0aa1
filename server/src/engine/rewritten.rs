//! The kernel that the laws of a record make of another; the record has its fingerprint.

use super::core;
use crate::program::Texts;
use crate::tuned::records::Record;
use crate::tuned::rewriting::{self, Rewritten, Step};
use lift_analysis::ide::Cancellable;
use lift_codegen::core::print::meaning;
use std::sync::Arc;

/// The fingerprint of a kernel after steps; empty without steps.
pub fn fingerprint(
    texts: &Texts,
    path: &Arc<str>,
    kernel: &str,
    steps: &[Step],
) -> Cancellable<Result<String, String>> {
    if steps.is_empty() {
        return Ok(Ok(String::new()));
    }
    match rewriting::apply(texts, path, kernel, steps)? {
        Ok(now) => of(&now, path, kernel),
        Err(why) => Ok(Err(why)),
    }
}

/// Applies the steps of a record, `None` if it has none; an error if they do not give what was measured. A law of a
/// program may have changed since, and may even be false now.
pub fn recorded(texts: &Texts, path: &Arc<str>, record: &Record) -> Cancellable<Result<Option<Rewritten>, String>> {
    let steps = record.choice.laws();
    if steps.is_empty() {
        return Ok(Ok(None));
    }
    let now = match rewriting::apply(texts, path, &record.kernel, steps)? {
        Ok(now) => now,
        Err(why) => return Ok(Err(why)),
    };
    Ok(match of(&now, path, &record.kernel)? {
        Ok(found) if found == record.rewritten => Ok(Some(now)),
        Ok(_) => Err(format!("its laws make something else of `{}` now; tune again", record.kernel)),
        Err(why) => Err(why),
    })
}

fn of(now: &Rewritten, path: &Arc<str>, kernel: &str) -> Cancellable<Result<String, String>> {
    Ok(match core(&now.analysis, path, kernel)? {
        Ok(core) => Ok(format!("{:016x}", meaning(&core))),
        Err(problems) => Err(problems.first().map_or(String::new(), |problem| problem.message.clone())),
    })
}
