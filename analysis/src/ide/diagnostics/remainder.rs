//! The fix of a call that stopped a run because its pieces or windows leave a remainder.

use super::{change, fixes};
use crate::db::{Db, SourceFile};
use crate::diagnostics::Title;
use crate::hir::{Expr, Node};
use crate::ide::CodeFix;
use crate::ide::locate::View;
use crate::ide::navigation::form_of_key;
use crate::infer::Mode;
use crate::origin::Origin;
use crate::prims;
use crate::queries::errors_of_text;

/// The call of the function that leaves the remainder out; `None` if there is none, or the form then has errors.
pub(in crate::ide) fn without_remainder(db: &dyn Db, file: SourceFile, origin: &Origin) -> Option<CodeFix> {
    let form = form_of_key(db, file, &origin.form)?;
    let view = View::of(db, form);
    let callee = match view.body.exprs.get(origin.expr)? {
        Expr::Apply { callee, .. } => *callee,
        _ => origin.expr,
    };
    let Expr::Global(name) = view.body.expr(callee) else { return None };
    let instead = prims::without_remainder(name)?;
    let edits = vec![(view.map.range(Node::Expr(callee)), instead.to_owned())];
    let fixed = fixes::applied(form.text(db), edits.iter().collect())?;
    let errors = errors_of_text(db, form, &fixed, Mode::Insert);
    let title = Title::LeaveOutRest(instead.to_owned()).to_string();
    let change = change(file.path(db), form.start(db), &edits);
    (errors.syntax + errors.meaning == 0).then_some(CodeFix { title, certain: false, change })
}
