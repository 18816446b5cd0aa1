//! Queries from a form's text to its body, on which names, imports and recursion are computed.
//!
//! [`body`] has no source locations, so it is equal after edits of white space and comments.

use crate::apl;
use crate::db::{Db, Form, SourceFile, is_builtin, language};
use crate::fcl;
use crate::front::program::Translated;
use crate::hir::{Body, Expr, Name};
use crate::lower::{Lowered, lower};
use lift_syntax::apl::kernels;
use lift_syntax::{Language, TextRange};
use std::sync::Arc;

/// The lowered form. The tree is dropped; callers that need it parse the form again.
#[salsa::tracked(no_eq, lru = 256)]
pub fn lower_form(db: &dyn Db, form: Form) -> Lowered {
    match language(db, form.file(db)) {
        Language::Lift => lower(form.text(db), is_builtin(db, form.file(db))),
        _ => match program(db, form) {
            Some(program) => {
                let (body, errors) = (Arc::new(program.body.clone()), program.errors.clone());
                Lowered { body, map: program.map.clone(), docs: documentation(db, form, &program), errors }
            }
            None => lower("", false),
        },
    }
}

/// The documentation of a kernel of another language: the comments around the one that names it, and where its inputs are.
fn documentation(db: &dyn Db, form: Form, program: &Translated) -> Option<Arc<str>> {
    let text = form.text(db);
    let lines = kernel_lines(db, form).into_iter();
    let lines = lines.map(|line| text[line].trim_start_matches(['⍝', ' ']).to_owned()).chain(run_line(program));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n").into())
}

/// The lines of the documentation of an APL kernel.
pub fn kernel_lines(db: &dyn Db, form: Form) -> Vec<TextRange> {
    let Some(name) = form.name(db).as_deref().filter(|_| language(db, form.file(db)) == Language::Apl) else {
        return Vec::new();
    };
    let text = form.text(db);
    let comment = kernels::kernel_comments(text).into_iter().find(|comment| text[comment.name] == *name);
    comment.map_or(Vec::new(), |comment| kernels::documentation(text, comment.range))
}

/// A `run:` line with the files from which the inputs of a program are read.
fn run_line(program: &Translated) -> Option<String> {
    let params = match program.body.root.map(|root| program.body.expr(root)) {
        Some(Expr::Lambda { params, .. }) if !program.sources.is_empty() => params,
        _ => return None,
    };
    let given = params.iter().zip(&program.sources);
    let given = given.map(|(param, file)| format!(" {}=\"{file}\"", program.body.binder(*param).name));
    Some(format!("run:{}", given.collect::<String>()))
}

/// The translated program, if the form is in another language.
pub fn program(db: &dyn Db, form: Form) -> Option<Foreign> {
    match language(db, form.file(db)) {
        Language::Lift => None,
        Language::Apl => Some(Foreign::Apl(apl_program(db, form))),
        Language::Fcl => Some(Foreign::Fcl(fcl_program(db, form))),
    }
}

/// A translated program in another language.
pub enum Foreign {
    Apl(Arc<apl::Translated>),
    Fcl(Arc<fcl::Translated>),
}

impl std::ops::Deref for Foreign {
    type Target = Translated;

    fn deref(&self) -> &Translated {
        match self {
            Foreign::Apl(program) => &program.program,
            Foreign::Fcl(program) => &program.program,
        }
    }
}

/// The translated kernels of an APL file, with their names.
type AplKernels = Arc<[(Option<Name>, Arc<apl::Translated>)]>;

#[salsa::tracked(returns(clone), lru = 64)]
fn apl_kernels(db: &dyn Db, file: SourceFile) -> AplKernels {
    let kernels = apl::translate_file(file.text(db)).into_iter();
    kernels.map(|(name, program)| (name, Arc::new(program))).collect()
}

/// A translated kernel of an APL file.
#[salsa::tracked(returns(clone), lru = 256)]
pub fn apl_program(db: &dyn Db, form: Form) -> Arc<apl::Translated> {
    let kernels = apl_kernels(db, form.file(db));
    let own = kernels.iter().find(|(name, _)| name == form.name(db));
    own.map_or_else(|| Arc::new(apl::translate("")), |(_, program)| program.clone())
}

/// A translated FCL program.
#[salsa::tracked(returns(clone), lru = 64)]
pub fn fcl_program(db: &dyn Db, form: Form) -> Arc<fcl::Translated> {
    Arc::new(fcl::translate(form.text(db)))
}

/// The body, without source locations: only edits of more than white space and comments change it. The cache, like that
/// of [`crate::queries::infer`], holds the forms of about ten thousand lines; a [`crate::queries::signature`] is small
/// and always cached.
#[salsa::tracked(returns(clone), lru = 4096)]
pub fn body(db: &dyn Db, form: Form) -> Arc<Body> {
    lower_form(db, form).body.clone()
}

/// The documentation of the form: its `;;;` lines.
#[salsa::tracked(returns(clone))]
pub fn docs(db: &dyn Db, form: Form) -> Option<Arc<str>> {
    lower_form(db, form).docs.clone()
}
