//! Rewrites by laws: the built-in ones, and those of the file and of its imports.

use super::super::SourceChange;
use super::super::locate::View;
use super::trial::{errors, tried_assuming};
use super::{CodeAction, kinds};
use crate::db::{Form, LAW_WORD, SourceFile, Sym};
use crate::hir::{Expr, Name, Node};
use crate::imports::{imports, target};
use crate::laws::failing::Failing;
use crate::laws::term::Term;
use crate::laws::{Law, Rewritten, Subject, builtin, read_form, root};
use crate::names::{Resolution, forms_with_words, mentions, resolve};
use crate::size::Assumption;
use crate::ty::Ty;
use lift_syntax::TextRange;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

/// Rewrites offered at one place; more would be in the way.
const MOST: usize = 12;

/// The rewrites at the cursor or selection.
pub(super) fn rewrites(view: &View<'_>, selection: TextRange) -> Vec<CodeAction> {
    let mut out: Vec<CodeAction> = Vec::new();
    let Some((selection, root)) = wanted(view, selection).zip(root_of(view)) else { return out };
    let own = own_laws(view);
    let laws = own.iter().map(|(law, file)| (law, *file)).chain(builtin().iter().map(|law| (law, view.db.prelude())));
    for (law, file) in laws {
        for action in offers(view, &root, law, file, Some(selection)) {
            // Two laws may say the same.
            if out.len() < MOST && !out.iter().any(|other| other.change == action.change) {
                out.push(action);
            }
        }
        if out.len() == MOST {
            break;
        }
    }
    out
}

/// The rewrites of a form by one law, wherever it applies.
pub(super) fn rewrites_by(view: &View<'_>, law: &Law) -> Vec<CodeAction> {
    root_of(view).map(|root| offers(view, &root, law, view.db.prelude(), None)).unwrap_or_default()
}

/// The rewrites of a form at every location and for each choice of sizes, by laws without conditions for the programmer
/// to check; each with the name of its law.
pub(super) fn certain_rewrites(view: &View<'_>) -> Vec<(Name, SourceChange)> {
    let Some(root) = root_of(view) else { return Vec::new() };
    let own = own_laws(view);
    let laws = own.iter().map(|(law, file)| (law, *file)).chain(builtin().iter().map(|law| (law, view.db.prelude())));
    let mut out: Vec<(Name, SourceChange)> = Vec::new();
    for (law, file) in laws {
        for one in rewritings(view, &root, law, file, None).into_iter().filter(|one| one.assumed.is_empty()) {
            let Some((change, _)) = tried_assuming(view, one.text) else { continue };
            if !out.iter().any(|(_, other)| *other == change) {
                out.push((law.name.clone(), change));
            }
        }
    }
    out
}

/// The term of a form without errors.
fn root_of(view: &View<'_>) -> Option<Term> {
    let inference = view.inference();
    let pipelines: Vec<TextRange> = inference.pipelines.iter().map(|&expr| view.map.range(Node::Expr(expr))).collect();
    (errors(&inference) == 0).then(|| root(view.text(), &|range| pipelines.contains(&range))).flatten()
}

/// The selection in the form, or the name or literal at the cursor.
fn wanted(view: &View<'_>, selection: TextRange) -> Option<TextRange> {
    if !selection.is_empty() {
        return selection.checked_sub(view.start);
    }
    match view.node_at(selection)? {
        Node::Expr(expr) => {
            let range = view.map.range(Node::Expr(expr));
            // The bracket of a call: the call, but nothing in it.
            let is_name = matches!(view.body.expr(expr), Expr::Global(_) | Expr::Local(_) | Expr::Literal(_));
            Some(if is_name { range } else { TextRange::at(range.start(), 1.into()) })
        }
        _ => None,
    }
}

/// The laws of the file and of its imports, each with its file.
fn own_laws(view: &View<'_>) -> Vec<(Law, SourceFile)> {
    let db = view.db;
    let imported = imports(db, view.file).iter().filter_map(|import| target(db, import));
    let mut out = Vec::new();
    for file in std::iter::once(view.file).chain(imported) {
        let others = forms_with_words(db, file, &[LAW_WORD.into()]).into_iter().filter(|form| *form != view.form);
        let laws = others.filter_map(|form| read_form(form.text(db), TextRange::default())?.ok());
        out.extend(laws.map(|law| (law, file)));
    }
    out
}

/// The rewrites by a law of a file that leave the form well typed.
fn offers(view: &View<'_>, root: &Term, law: &Law, file: SourceFile, selection: Option<TextRange>) -> Vec<CodeAction> {
    tried(view, law, rewritings(view, root, law, file, selection))
}

/// The form rewritten by a law of a file, whether or not it then checks.
fn rewritings(
    view: &View<'_>,
    root: &Term,
    law: &Law,
    file: SourceFile,
    selection: Option<TextRange>,
) -> Vec<Rewritten> {
    let meaning = |file: SourceFile, name: &Name| resolve(view.db, file, Sym::new(view.db, name.clone()));
    let same_global = |own: &Name, theirs: &Name| {
        let own = meaning(file, own);
        own.is_some() && own == meaning(view.file, theirs)
    };
    failing(view, None, &mut |failing| {
        let subject = Subject { text: view.text(), root, same_global: &same_global, failing };
        match selection {
            Some(selection) => subject.at(law, selection),
            None => subject.anywhere(law),
        }
    })
}

/// The definitions, and the maximum depth of their calls.
#[derive(Clone, Copy)]
struct Within<'a> {
    found: &'a RefCell<HashMap<Form, bool>>,
    depth: u32,
}

/// Limit on the chain of calls in which failures are searched.
const DEEPEST: u32 = 24;

/// Calls `with` on the facts about a form; with `within`, the form is a definition that another one calls.
fn failing<T>(view: &View<'_>, within: Option<Within<'_>>, with: &mut dyn FnMut(&Failing<'_>) -> T) -> T {
    let meaning = |name: &Name| resolve(view.db, view.file, Sym::new(view.db, name.clone()));
    let primitive = |name: &Name| match meaning(name) {
        Some(Resolution::Primitive(primitive)) => Some(primitive),
        _ => None,
    };
    let types: OnceCell<HashMap<TextRange, Ty>> = OnceCell::new();
    let ty = |range: TextRange| {
        let all = types.get_or_init(|| {
            let inference = view.inference();
            view.map.exprs.entries().map(|(expr, range)| (*range, inference.expr_types[expr].clone())).collect()
        });
        all.get(&range).cloned()
    };
    let found = RefCell::default();
    let inside = Within {
        found: within.map_or(&found, |within| within.found),
        depth: within.map_or(0, |within| within.depth + 1),
    };
    let definition = |name: &Name| match meaning(name) {
        Some(Resolution::Form(form)) if inside.depth < DEEPEST => {
            if let Some(fails) = inside.found.borrow().get(&form) {
                return *fails;
            }
            let of = View::of(view.db, form);
            let root = root_of(&of);
            let fails = root.is_none_or(|root| {
                failing(&of, Some(inside), &mut |failing| failing.term(&root) || failing.function(&root))
            });
            inside.found.borrow_mut().insert(form, fails);
            fails
        }
        _ => true,
    };
    let locals_are_fine = within.is_some();
    with(&Failing { primitive: &primitive, ty: &ty, definition: &definition, locals_are_fine })
}

/// One action for each range and direction: the first rewriting without new assumptions, or else the first.
fn tried(view: &View<'_>, law: &Law, rewritten: Vec<Rewritten>) -> Vec<CodeAction> {
    let mut out: Vec<(Rewritten, SourceChange, Vec<Assumption>)> = Vec::new();
    let mut used = None;
    for one in rewritten {
        let Some((change, added)) = tried_assuming(view, one.text.clone()) else { continue };
        // A new assumption of a definition may be false at its uses.
        if !added.is_empty() && *used.get_or_insert_with(|| is_used(view)) {
            continue;
        }
        match out.iter_mut().find(|(other, ..)| other.range == one.range && other.direction == one.direction) {
            Some(other) if added.is_empty() && !other.2.is_empty() => *other = (one, change, added),
            Some(_) => {}
            None => out.push((one, change, added)),
        }
    }
    let action = |(one, change, added): (Rewritten, SourceChange, Vec<Assumption>)| CodeAction {
        title: title(law, &one, &added),
        kind: kinds::LAW,
        change,
        preferred: false,
    };
    out.into_iter().map(action).collect()
}

/// Whether other forms of the file use the form.
fn is_used(view: &View<'_>) -> bool {
    let Some(name) = view.form.name(view.db) else { return false };
    let uses = |other: &Form| *other != view.form && mentions(view.db, *other).contains(name);
    forms_with_words(view.db, view.file, std::slice::from_ref(name)).iter().any(uses)
}

/// The effect, the law, the chosen sizes, and the conditions.
fn title(law: &Law, one: &Rewritten, added: &[Assumption]) -> String {
    let chosen: String = one.chosen.iter().map(|(name, value)| format!(", {name} = {value}")).collect();
    let mut title = format!("{} ({}{chosen})", law.title(one.direction).unwrap_or_default(), law.name);
    let assumed: Vec<String> = one.assumed.iter().map(|c| format!("assumes that {c}")).collect();
    let mut checked: Vec<String> = added.iter().map(|a| format!("a run checks that {a}")).collect();
    // Assumptions of several parts may have the same text.
    let mut seen = HashSet::new();
    checked.retain(|condition| seen.insert(condition.clone()));
    let rounds = one.rounds.then(|| "floats may round otherwise".to_owned());
    for condition in assumed.into_iter().chain(checked).chain(rounds) {
        title += &format!("; {condition}");
    }
    title
}
