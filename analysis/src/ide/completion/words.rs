//! Completion of types, sizes, the first words of forms, and import paths.

use super::context::Context;
use super::expressions::word_item;
use super::snippet::Snippet;
use super::{CompletionItem, CompletionKind, Ranked};
use crate::db::{Files, is_builtin};
use crate::ide::importing::relative_path;
use crate::ide::scope::in_scope;
use crate::parameters::{Entry, TABLE, TargetName};
use crate::scalar::Scalar;
use crate::ty::TyKind;

/// The scalar types that are written most often, which are offered first.
const OFTEN: [Scalar; 4] = [Scalar::Float, Scalar::Int, Scalar::Bool, Scalar::Double];

const TYPES: &[(&str, &str, &str)] = &[
    ("array-type", "array-type ‹float› ‹N›", "an array: the type of its elements, its length"),
    ("tuple-type", "tuple-type ‹float› ‹int›", "a tuple"),
    ("vector-type", "vector-type ‹float› ‹4›", "an OpenCL vector"),
    ("exists", "exists (‹X›) ‹type›", "an array whose length is known only at run time"),
    ("->", "-> ‹type› ‹type›", "a function: its arguments, its result"),
];

pub fn types(head: bool, ranked: &mut Ranked) {
    for (index, &(word, template, about)) in TYPES.iter().enumerate() {
        let template = if head { template.to_owned() } else { format!("({template})") };
        let mut item = word_item(word, about, Snippet::template(&template));
        item.kind = CompletionKind::Type;
        ranked.push(if head { 110 } else { 99 } - index as i32, item);
    }
    if head {
        return;
    }
    // A stable sort: the rest stays in the order of the table.
    let mut scalars: Vec<Scalar> = Scalar::all().collect();
    scalars.sort_by_key(|s| OFTEN.iter().position(|often| often == s).unwrap_or(OFTEN.len()));
    for (index, scalar) in scalars.into_iter().enumerate() {
        let spelling = scalar.spelling();
        let mut item = word_item(spelling, scalar.about(), Snippet::call(spelling, &[], false));
        item.kind = CompletionKind::Type;
        ranked.push(110 - index as i32, item);
    }
}

const OPERATORS: &[(&str, &str, &str)] = &[
    ("+", "+ ‹N› ‹1›", "the sum of sizes"),
    ("-", "- ‹N› ‹1›", "the difference of two sizes"),
    ("*", "* ‹2› ‹N›", "the product of sizes"),
    ("/", "/ ‹N› ‹2›", "the exact quotient of two sizes"),
    ("mod", "mod ‹N› ‹2›", "the remainder"),
    ("min", "min ‹N› ‹M›", "the smallest of sizes"),
    ("max", "max ‹N› ‹M›", "the largest of sizes"),
    ("pow", "pow ‹2› ‹N›", "a power"),
    ("sum", "sum (‹i› ‹N›) ‹i›", "a sum over positions"),
    ("length", "length ‹xs›", "the length of a named array"),
];

pub fn sizes(context: &Context<'_>, head: bool, hash: bool, ranked: &mut Ranked) {
    let text = |template: &str| if head { template.to_owned() } else { format!("({template})") };
    for (index, &(word, template, about)) in OPERATORS.iter().enumerate() {
        let mut item = word_item(word, about, Snippet::template(&text(template)));
        item.kind = CompletionKind::Size;
        ranked.push(if head { 110 } else { 60 } - index as i32, item);
    }
    if head {
        return;
    }
    for (depth, binder) in in_scope(&context.body, &context.map, context.at.start()).into_iter().enumerate() {
        let local = context.body.binder(binder);
        let ty = context.partial.binder(binder);
        let (label, score, detail) = if local.role.is_size() {
            (local.name.to_string(), 120, "size".to_owned())
        } else if matches!(ty.map(|ty| ty.kind()), Some(TyKind::Array(_) | TyKind::Exists(..))) && hash {
            (format!("(length {})", local.name), 90, ty.map(|ty| ty.to_string()).unwrap_or_default())
        } else {
            continue;
        };
        let item = CompletionItem {
            insert: Snippet::call(&label, &[], false),
            label,
            kind: CompletionKind::Size,
            detail,
            source: None,
            additional: Vec::new(),
            filter: None,
            documented: None,
        };
        ranked.push(score - depth as i32, item);
    }
}

const FORMS: &[(&str, &str, &str)] = &[
    ("define", "define (‹name› ‹x›)\n  ‹›", "a function or a value"),
    (
        "lift",
        "lift ‹name› (‹N›) ((array-type ‹float› ‹N›))\n  (lambda (‹xs›)\n    ‹›)",
        "a kernel: a form that can be compiled and run",
    ),
    ("import", "import \"‹file›.lift\"", "the definitions of another file"),
];

pub fn forms(context: &Context<'_>, head: bool, ranked: &mut Ranked) {
    // Do not repeat an existing closing bracket.
    let closed = head && context.text.trim_end().ends_with(')');
    for (index, &(word, template, about)) in FORMS.iter().enumerate() {
        let template = match (head, closed) {
            (true, true) => template.to_owned(),
            (true, false) => format!("{template})"),
            (false, _) => format!("({template})"),
        };
        ranked.push(100 - index as i32, word_item(word, about, Snippet::template(&template)));
    }
}

/// Completes parameters of a `with`, in the order of their table.
pub fn parameters(brackets: bool, ranked: &mut Ranked) {
    let all = TABLE.iter().map(|entry| (entry.name, entry.default.to_string(), entry.meaning));
    let target = (TargetName::WORD, TargetName::Portable.as_str().to_owned(), TargetName::MEANING);
    for (index, (name, value, meaning)) in all.chain([target]).enumerate() {
        let template = if brackets { format!("({name} ‹{value}›)") } else { name.to_owned() };
        ranked.push_fine(100, index, word_item(name, meaning, Snippet::template(&template)));
    }
}

/// Completes the value of a parameter.
pub fn values(name: &str, ranked: &mut Ranked) {
    let values: Vec<(String, bool)> = match Entry::named(name) {
        Some(entry) => entry.values().into_iter().map(|value| (value.to_string(), value == entry.default)).collect(),
        None if name == TargetName::WORD => TargetName::ALL.map(|name| (name.as_str().to_owned(), false)).to_vec(),
        None => Vec::new(),
    };
    for (index, (value, default)) in values.iter().enumerate() {
        let about = if *default { "the value unless set" } else { "" };
        ranked.push_fine(100, index, word_item(value, about, Snippet::call(value, &[], false)));
    }
}

/// Completes the paths of known files, as this file would import them.
pub fn paths(context: &Context<'_>, ranked: &mut Ranked) {
    let here: Vec<&str> = context.file.path(context.db).split('/').collect();
    for (path, file) in Files::get(context.db).by_path(context.db).iter() {
        if is_builtin(context.db, *file) || *file == context.file || path.contains(':') {
            continue;
        }
        let label = relative_path(&here, path);
        let item = CompletionItem {
            insert: Snippet::call(&label, &[], false),
            kind: CompletionKind::File,
            detail: String::new(),
            source: None,
            additional: Vec::new(),
            filter: None,
            documented: None,
            label,
        };
        ranked.push(-(item.label.matches("..").count() as i32), item);
    }
}
