//! The definitions that a kernel uses, and the errors that concern it.
//!
//! A kernel uses the definitions that it reaches by name. Apart from the errors in these, three kinds concern it:
//! errors in imports of the files with these definitions, because they determine what the names there mean; a second
//! definition of a used name; and stray text after a used form, which was probably closed too early.

use super::PlacedErrors;
use super::diagnostics::of_forms;
use crate::calls::in_order;
use crate::db::{Db, Form, SourceFile, forms, is_builtin};
use crate::diagnostics::Severity;
use crate::infer::Mode;
use crate::names::{callees, file_stem, forms_with_words};
use lift_syntax::FormKind;
use rustc_hash::FxHashSet;

/// The kernel of a file with a name. A kernel without a name has the name of its file.
pub fn kernel_form(db: &dyn Db, file: SourceFile, kernel: &str) -> Option<Form> {
    let is_kernel = |form: &Form| form.kind(db) == FormKind::Lift;
    let named = file.names(db).get(kernel).copied().filter(is_kernel);
    // A kernel without a name, or one whose name belongs to an earlier definition.
    let meant = |form: &Form| match form.name(db) {
        Some(name) => **name == *kernel,
        None => file_stem(file.path(db)) == kernel,
    };
    named.or_else(|| forms(db, file).iter().copied().find(|form| is_kernel(form) && meant(form)))
}

/// The forms of a kernel's file that it uses, in the order of the file; the kernel is one of them.
pub(super) fn own_forms(db: &dyn Db, kernel: Form) -> Vec<Form> {
    let reached = in_order(db, &[kernel]).into_iter();
    let mut own: Vec<Form> = reached.filter(|form| form.file(db) == kernel.file(db)).collect();
    own.sort_unstable_by_key(|form| form.place(db));
    own
}

/// The first kernel in a definition's file that uses it, directly or through other definitions.
pub(super) fn first_kernel_using(db: &dyn Db, definition: Form) -> Option<Form> {
    let file = definition.file(db);
    let mut users: FxHashSet<Form> = FxHashSet::from_iter([definition]);
    let mut open = vec![definition];
    while let Some(used) = open.pop() {
        for user in forms_with_words(db, file, used.name(db).as_slice()) {
            if callees(db, user).contains(&used) && users.insert(user) {
                open.push(user);
            }
        }
    }
    let kernels = users.into_iter().filter(|form| form.kind(db) == FormKind::Lift);
    kernels.min_by_key(|form| form.place(db))
}

/// The errors that concern a kernel, each with the path of its file; the kernel's own file comes first.
pub(super) fn errors_of_kernel(db: &dyn Db, kernel: Form) -> PlacedErrors {
    let reached = in_order(db, &[kernel]);
    let used: FxHashSet<Form> = reached.into_iter().filter(|form| !is_builtin(db, form.file(db))).collect();
    let mut files: Vec<SourceFile> = used.iter().map(|form| form.file(db)).collect();
    files.sort_by_cached_key(|file| (*file != kernel.file(db), file.path(db).clone()));
    files.dedup();
    let mut errors = Vec::new();
    for file in files {
        let found = of_forms(db, &concerned(db, file, &used), Mode::Insert).into_iter();
        let found = found.filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.extend(found.map(|diagnostic| (file.path(db).clone(), diagnostic)));
    }
    errors
}

/// The forms of a file whose errors concern users of the forms `used`.
fn concerned(db: &dyn Db, file: SourceFile, used: &FxHashSet<Form>) -> Vec<Form> {
    let names: FxHashSet<_> = used.iter().filter(|form| form.file(db) == file).map(|form| form.name(db)).collect();
    let repeated = |form: &Form| file.repeated(db).contains(form) && names.contains(form.name(db));
    let mut follows_used = false;
    let mut concerned = Vec::new();
    for &form in forms(db, file) {
        match form.kind(db) {
            FormKind::Stray | FormKind::Unknown if !starts_anew(db, form) => {
                concerned.extend(follows_used.then_some(form));
            }
            kind => {
                follows_used = used.contains(&form);
                let own = follows_used || kind == FormKind::Import || repeated(&form);
                concerned.extend(own.then_some(form));
            }
        }
    }
    concerned
}

/// Whether a form starts a line with anything but a closing bracket, so that it continues no other form.
fn starts_anew(db: &dyn Db, form: Form) -> bool {
    let before = &form.file(db).text(db)[..usize::from(form.start(db))];
    (before.is_empty() || before.ends_with('\n')) && !form.text(db).starts_with([')', ']'])
}
