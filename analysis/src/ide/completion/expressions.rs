//! Completion of expressions: names and keywords.

use super::context::Context;
use super::fit::{Fit, fit, instance};
use super::snippet::{Snippet, hole_names};
use super::{CompletionItem, CompletionKind, MOST, Ranked};
use crate::db::{Form, SourceFile, Sym, is_builtin};
use crate::hir::*;
use crate::ide::digest::Definitions;
use crate::ide::importing::{import_edit, other_files, written_path};
use crate::ide::scope::{in_scope, is_subsequence};
use crate::imports::{imports, target};
use crate::names::{Resolution, defined_names, names_of, resolve};
use crate::prims::{self, Level, Primitive, Special};
use crate::queries::{body, infer_in_order, signature};
use crate::ty::{Scheme, Ty, TyKind};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Limit on the definitions offered from each file that is not imported.
const MOST_OF_A_FILE: usize = 30;

/// The expected type at the cursor.
struct Wanted<'a, 'db> {
    context: &'a Context<'db>,
    known: &'a dyn Fn(SourceFile) -> Arc<Definitions>,
    ty: Option<Ty>,
    /// Whether the cursor directly follows an opening bracket.
    head: bool,
    /// The number of arguments already written.
    args: usize,
}

/// How to write a candidate so that it fits.
#[derive(Clone, Copy)]
struct Use {
    fit: Fit,
    /// The number of arguments to write after it.
    holes: usize,
}

pub fn complete(
    context: &Context<'_>,
    known: &dyn Fn(SourceFile) -> Arc<Definitions>,
    head: bool,
    args: usize,
    ranked: &mut Ranked,
) {
    let ty = context.hole().and_then(|hole| context.partial.expr(hole)).cloned();
    let wanted = Wanted { context, known, ty, head, args };
    let mut seen: FxHashSet<Name> = FxHashSet::default();
    locals(&wanted, &mut seen, ranked);
    definitions(&wanted, &seen, ranked);
    not_imported(&wanted, &seen, ranked);
    let files = in_sight(context);
    for primitive in prims::all() {
        for name in std::iter::once(&primitive.name).chain(&primitive.aliases) {
            if !is_defined(context, &files, name) && seen.insert(name.clone()) {
                primitive_item(&wanted, primitive, name, ranked);
            }
        }
    }
    words(&wanted, ranked);
}

/// Completes the array in `(length …)` of a size.
pub fn arrays(context: &Context<'_>, ranked: &mut Ranked) {
    for (depth, binder) in in_scope(&context.body, &context.map, context.at.start()).into_iter().enumerate() {
        let ty = context.partial.binder(binder);
        let array = ty.is_none_or(|ty| matches!(ty.kind(), TyKind::Array(_) | TyKind::Exists(..)));
        if !context.body.binder(binder).role.is_size() {
            ranked.push(if array { 100 } else { 0 } - depth as i32, local_item(context, binder, Snippet::default()));
        }
    }
}

impl Wanted<'_, '_> {
    /// The best way to write a candidate of this type here.
    fn best(&self, ty: &Ty, classes: &rustc_hash::FxHashMap<crate::ty::TyVar, crate::ty::Class>) -> Use {
        let Some(wanted) = &self.ty else { return Use { fit: Fit::Yes(0), holes: 0 } };
        let fits = |ty: &Ty| fit(ty, classes, wanted, &self.context.partial);
        let (params, _) = ty.uncurry();
        if self.head && self.args > 0 {
            return Use { fit: fits(ty), holes: 0 };
        }
        if self.head {
            // Compare the result after any number of arguments.
            let ways = (1..=params.len()).map(|holes| Use { fit: fits(&after(ty, holes)), holes });
            return best_of(ways).unwrap_or(Use { fit: Fit::No, holes: 0 });
        }
        let plain = fits(ty);
        if plain.is_good() && (plain > Fit::Yes(0) || params.is_empty()) {
            return Use { fit: plain, holes: 0 };
        }
        let ways = (1..=params.len()).map(|holes| Use { fit: fits(&after(ty, holes)), holes });
        match best_of(ways) {
            Some(way) if way.fit > plain => way,
            _ => Use { fit: plain, holes: 0 },
        }
    }

    /// Score penalty for a candidate that yields a function where any type is accepted.
    fn surplus(&self, ty: &Ty, way: &Use) -> i32 {
        let Some((params, result)) = self.ty.as_ref().map(Ty::uncurry) else { return 0 };
        let left = ty.uncurry().0.len().saturating_sub(way.holes);
        let any = matches!(result.kind(), TyKind::Unknown(_)) && !params.is_empty();
        if any && !self.head && left > params.len() { 8 } else { 0 }
    }

    /// The call with the hole as an argument: its callee, its arguments, and the index of the hole.
    fn call(&self) -> Option<(&Expr, &[ExprId], usize)> {
        let hole = self.context.hole()?;
        self.context.body.exprs.iter().find_map(|expr| match expr {
            Expr::Apply { callee, args } => {
                let place = args.iter().position(|arg| *arg == hole)?;
                Some((self.context.body.expr(*callee), args.as_slice(), place))
            }
            _ => None,
        })
    }

    /// Whether the name is already an argument of the call and repeating it is pointless, as in `(> x x)`.
    fn says_nothing(&self, binder: BinderId) -> bool {
        use prims::PrimitiveId::*;
        let of_two = |callee: &Expr| {
            let primitive = match callee {
                Expr::Global(name) => primitive_of(self.context, name),
                _ => None,
            };
            primitive.is_some_and(|primitive| {
                matches!(
                    primitive.id,
                    Zip | Concat | Sub | Div | Min | Max | Less | Greater | AtMost | AtLeast | Equal | NotEqual
                )
            })
        };
        self.call().is_some_and(|(callee, args, _)| {
            of_two(callee) && args.iter().any(|arg| *self.context.body.expr(*arg) == Expr::Local(binder))
        })
    }

    /// Whether the called primitive takes a size here.
    fn wants_size(&self) -> bool {
        if matches!(self.ty.as_ref().map(Ty::kind), Some(TyKind::Size(_))) {
            return true;
        }
        let Some((Expr::Global(name), _, place)) = self.call() else { return false };
        primitive_of(self.context, name).is_some_and(|primitive| place < primitive.static_sizes.len())
    }

    /// The text of a call, or of the name alone.
    fn write(&self, name: &str, holes: &[String]) -> Snippet {
        Snippet::call(name, holes, !self.head && !holes.is_empty())
    }
}

/// The primitive that a name refers to in the file.
fn primitive_of(context: &Context<'_>, name: &Name) -> Option<&'static Primitive> {
    match resolve(context.db, context.file, Sym::new(context.db, name.clone())) {
        Some(Resolution::Primitive(primitive)) => Some(primitive),
        Some(Resolution::Form(_)) | None => None,
    }
}

/// The best way; among equal fits, the one with most arguments, because a partial call is rarely intended.
fn best_of(ways: impl Iterator<Item = Use>) -> Option<Use> {
    ways.max_by_key(|way| (way.fit, way.holes))
}

/// The type of a function applied to `args` arguments.
fn after(ty: &Ty, args: usize) -> Ty {
    let mut ty = ty.clone();
    for _ in 0..args {
        match ty.kind() {
            TyKind::Fun(_, rest) => ty = rest.clone(),
            _ => break,
        }
    }
    ty
}

/// Every fitting candidate scores above every other one, regardless of proximity.
fn score(fit: Fit) -> i32 {
    match fit {
        Fit::Yes(agreement) => 100 + 2 * agreement.min(8) as i32,
        Fit::Lengths => 40,
        Fit::No => 0,
    }
}

fn locals(wanted: &Wanted<'_, '_>, seen: &mut FxHashSet<Name>, ranked: &mut Ranked) {
    let context = wanted.context;
    let none = rustc_hash::FxHashMap::default();
    for (depth, binder) in in_scope(&context.body, &context.map, context.at.start()).into_iter().enumerate() {
        let local = context.body.binder(binder);
        seen.insert(local.name.clone());
        let way = if local.role.is_size() {
            let size = Ty::new(TyKind::Size(crate::size::Size::var(crate::size::Var::new(
                crate::size::VarKind::Param,
                binder.0,
                local.name.clone(),
            ))));
            Use { fit: wanted.ty.as_ref().map_or(Fit::Yes(0), |ty| size_fit(&size, ty, context)), holes: 0 }
        } else {
            match (context.partial.let_schemes.get(&binder), context.partial.binder(binder)) {
                (Some(general), _) => {
                    let (ty, classes) = instance(&general.scheme);
                    wanted.best(&ty, &classes)
                }
                (None, Some(ty)) => wanted.best(ty, &none),
                (None, None) => Use { fit: Fit::Yes(0), holes: 0 },
            }
        };
        // A size is seldom intended where it is only a number.
        let near = match local.role.is_size() {
            true if wanted.wants_size() => 20,
            true => 2,
            false if wanted.says_nothing(binder) => 7,
            false => 14,
        };
        let params = context.partial.binder(binder).map(|ty| hole_names(ty.uncurry().0));
        let holes = params.unwrap_or_default();
        let snippet = wanted.write(&local.name, &holes[..way.holes.min(holes.len())]);
        ranked.push(score(way.fit) + near - (depth as i32).min(6), local_item(context, binder, snippet));
    }
}

/// Fit of a size name, which is a size and also an Int.
fn size_fit(size: &Ty, wanted: &Ty, context: &Context<'_>) -> Fit {
    let none = rustc_hash::FxHashMap::default();
    match wanted.kind() {
        TyKind::Size(_) => Fit::Yes(1),
        TyKind::Unknown(_) => fit(&Ty::int(), &none, wanted, &context.partial),
        TyKind::Scalar(Scalar::Int) => Fit::Yes(1),
        _ => fit(size, &none, wanted, &context.partial),
    }
}

fn local_item(context: &Context<'_>, binder: BinderId, insert: Snippet) -> CompletionItem {
    let local = context.body.binder(binder);
    let insert = if insert == Snippet::default() { Snippet::call(&local.name, &[], false) } else { insert };
    let detail = match context.partial.binder(binder) {
        _ if local.role.is_size() => "size".to_owned(),
        Some(ty) => ty.to_string(),
        None => String::new(),
    };
    CompletionItem {
        label: local.name.to_string(),
        kind: if local.role.is_size() { CompletionKind::Size } else { CompletionKind::Local },
        detail,
        source: None,
        insert,
        additional: Vec::new(),
        filter: None,
        documented: None,
    }
}

/// The files whose definitions are visible, nearest first; a nearer definition shadows a farther one.
fn in_sight(context: &Context<'_>) -> Vec<SourceFile> {
    let (db, file) = (context.db, context.file);
    let imported = imports(db, file).iter().filter_map(|import| target(db, import));
    std::iter::once(file).chain(imported).chain([db.prelude()]).collect()
}

fn is_defined(context: &Context<'_>, files: &[SourceFile], name: &Name) -> bool {
    files.iter().any(|file| file.names(context.db).contains_key(name))
}

/// Completes the definitions of the file, its imports and the prelude, without shadowed ones.
///
/// A file may have many definitions but few types: fit is computed once per type, and only definitions that can be
/// among the best are visited.
fn definitions(wanted: &Wanted<'_, '_>, seen: &FxHashSet<Name>, ranked: &mut Ranked) {
    let context = wanted.context;
    let (db, file) = (context.db, context.file);
    let files = in_sight(context);
    let known: Vec<Arc<Definitions>> = files.iter().map(|file| (wanted.known)(*file)).collect();
    let all: usize = known.iter().map(|known| known.len()).sum();
    let mut found: Vec<(i32, Name, Form, &Scheme, Use)> = Vec::new();
    for (index, (&from, known)) in files.iter().zip(&known).enumerate() {
        let near = if from == file {
            8
        } else if is_builtin(db, from) {
            1
        } else {
            5
        };
        // A definition cannot use itself, and the first definition of a name in a file shadows later ones.
        let can_be_meant = |name: &Name, form: Form| {
            Some(form) != context.form
                && (all <= MOST || is_subsequence(&context.typed_text, name))
                && from.names(db).get(name) == Some(&form)
                && !seen.contains(name)
                && !is_defined(context, &files[..index], name)
        };
        let typed = (all > MOST).then_some(&*context.typed_text);
        for (kind, lists) in known.groups(typed) {
            let (ty, classes) = instance(&kind.scheme);
            let way = wanted.best(&ty, &classes);
            let score = score(way.fit) + near - if kind.kernel { 6 } else { 0 } - i32::from(way.holes > 0) * 3;
            for definitions in lists {
                let best = definitions.filter(|(name, form)| can_be_meant(name, *form)).take(MOST);
                found.extend(best.map(|(name, form)| (score, name.clone(), form, &kind.scheme, way)));
            }
        }
    }
    // Do not build items that would be dropped in the end.
    ranked.best_of(&mut found, all, |(score, name, ..)| (*score, name));
    for (score, name, form, scheme, way) in found {
        let mut item = global_item(wanted, &name, scheme, way, || parameter_names(context, form));
        let kernel = form.kind(db) == lift_syntax::FormKind::Lift;
        item.kind = if kernel { CompletionKind::Kernel } else { CompletionKind::Definition };
        let from = form.file(db);
        if from != file {
            item.source = Some(if is_builtin(db, from) { "prelude".into() } else { from.path(db).to_string() });
        }
        ranked.push(score, item);
    }
}

/// Completes definitions of files that are not imported yet, each with the edit that imports its file.
fn not_imported(wanted: &Wanted<'_, '_>, seen: &FxHashSet<Name>, ranked: &mut Ranked) {
    let Context { db, file, ref typed_text, .. } = *wanted.context;
    if typed_text.is_empty() {
        return;
    }
    for from in other_files(db, file) {
        let defined = defined_names(db, from);
        let meant = |name: &&Name| {
            let means_nothing = || resolve(db, file, Sym::new(db, (*name).clone())).is_none();
            !seen.contains(*name) && is_subsequence(typed_text, name) && means_nothing()
        };
        let names: FxHashSet<&Name> = defined.iter().filter(meant).take(MOST_OF_A_FILE).collect();
        if names.is_empty() {
            continue;
        }
        let meant: Vec<Form> = names_of(db, from)
            .into_iter()
            .filter(|form| form.name(db).as_ref().is_some_and(|name| names.contains(name)))
            .collect();
        infer_in_order(db, &meant, crate::infer::Mode::Insert);
        let edit = import_edit(db, file, from);
        for form in meant {
            let (Some(name), Some(scheme)) = (form.name(db).clone(), signature(db, form)) else { continue };
            let (ty, classes) = instance(&scheme);
            let way = wanted.best(&ty, &classes);
            let mut item = global_item(wanted, &name, &scheme, way, || parameter_names(wanted.context, form));
            item.source = Some(written_path(db, file, from));
            item.additional = vec![edit.clone()];
            // The name does not resolve here, so its documentation cannot be found by name.
            item.documented = None;
            ranked.push(score(way.fit) - 10, item);
        }
    }
}

/// The parameter names that a `define` writes; empty if it is not a `lambda`.
fn parameter_names(context: &Context<'_>, form: Form) -> Vec<String> {
    let body = body(context.db, form);
    match body.root.map(|root| body.expr(root)) {
        Some(Expr::Lambda { params, .. }) => params.iter().map(|param| body.binder(*param).name.to_string()).collect(),
        _ => Vec::new(),
    }
}

fn global_item(
    wanted: &Wanted<'_, '_>,
    name: &Name,
    scheme: &Scheme,
    way: Use,
    own_names: impl FnOnce() -> Vec<String>,
) -> CompletionItem {
    let mut names = hole_names(scheme.ty.uncurry().0);
    if way.holes > 0 {
        for (name, own) in names.iter_mut().zip(own_names()) {
            if !own.is_empty() && !name.starts_with('#') {
                *name = own;
            }
        }
    }
    CompletionItem {
        label: name.to_string(),
        kind: CompletionKind::Definition,
        detail: scheme.to_string(),
        source: None,
        insert: wanted.write(name, &names[..way.holes.min(names.len())]),
        additional: Vec::new(),
        filter: None,
        documented: Some(name.clone()),
    }
}

fn primitive_item(wanted: &Wanted<'_, '_>, primitive: &Primitive, name: &Name, ranked: &mut Ranked) {
    let (ty, classes) = instance(&primitive.scheme);
    let mut way = wanted.best(&ty, &classes);
    let mut item = global_item(wanted, name, &primitive.scheme, way, Vec::new);
    // A primitive with its own typing rule may accept more than its declared type.
    if primitive.special.is_some() && way.fit == Fit::No {
        way.fit = Fit::Lengths;
    }
    item.kind = CompletionKind::Primitive;
    if *name != primitive.name {
        item.source = Some(format!("= {}", primitive.name));
    }
    let place = common(primitive, name).map_or(prims::all().len(), |rank| rank as usize - 1);
    let score = score(way.fit) + usual(primitive, name) - i32::from(way.holes > 0) * 3;
    ranked.push_fine(score - wanted.surplus(&primitive.scheme.ty, &way), place, item);
}

/// The rank of a primitive under its usual spelling.
fn common(primitive: &Primitive, name: &Name) -> Option<u32> {
    primitive.common.filter(|_| name == primitive.spelling())
}

/// A score for how common a primitive is, from its rank and declaration.
fn usual(primitive: &Primitive, name: &Name) -> i32 {
    if let Some(rank) = common(primitive, name) {
        return 6 - (rank as i32 - 1) / 12;
    }
    let place = match primitive.level {
        None => 2,
        Some(Level::Seq) => 1,
        Some(Level::Glb(0)) => 1,
        Some(Level::Glb(_)) => -2,
        Some(Level::Wrg(0) | Level::Lcl(0)) => -1,
        Some(Level::Wrg(_) | Level::Lcl(_)) => -3,
    };
    let late = match primitive.special {
        Some(Special::Get(index)) => (index as i32).min(8),
        _ => 0,
    };
    // The usual spellings are `mapGlb` for `mapGlb0` and `+` for `+i`.
    let dimension = *name == primitive.name && primitive.spelling() != name;
    let variant = primitive.level.is_none() && prims::named(primitive.id) != &*primitive.name && late == 0;
    let long_alias = *name != primitive.name && name.len() > primitive.name.len();
    place - late - i32::from(dimension) * 2 - i32::from(variant) * 3 - i32::from(long_alias) * 3
}

/// Keywords: name, template and purpose.
const WORDS: &[(&str, &str, &str)] = &[
    ("lambda", "lambda (‹x›) ‹›", "a function"),
    ("let", "let ‹x› ‹value›\n  ‹›", "names a value"),
    ("if", "if ‹condition› ‹then› ‹else›", "one of two values"),
    ("tuple", "tuple ‹x› ‹y›", "several values as one"),
    ("unpack", "unpack (‹X› ‹ys›) ‹value›\n  ‹›", "names a hidden length"),
    ("pack", "pack ‹value›", "hides a length"),
    (":", ": ‹value› ‹type›", "says the type of a value; lengths are checked when run"),
    ("o", "o ‹f› ‹g›", "composition, right to left"),
    ("with", "with ((‹group› ‹64›)) ‹›", "sets parameters of the generated code"),
];

fn words(wanted: &Wanted<'_, '_>, ranked: &mut Ranked) {
    let kind = wanted.ty.as_ref().map(Ty::kind);
    let unknown = matches!(kind, None | Some(TyKind::Unknown(_) | TyKind::Error));
    for &(word, template, about) in WORDS {
        let fits = match word {
            "lambda" => matches!(kind, Some(TyKind::Fun(..))) && !(wanted.head && wanted.args > 0),
            "o" => matches!(kind, Some(TyKind::Fun(..))),
            "tuple" => matches!(kind, Some(TyKind::Tuple(_))),
            "pack" => matches!(kind, Some(TyKind::Exists(..))),
            _ => wanted.head,
        };
        let template = match (word, &wanted.ty) {
            ("lambda", Some(ty)) if matches!(ty.kind(), TyKind::Fun(..)) => lambda_template(ty),
            _ => template.to_owned(),
        };
        let template = match (wanted.head, wanted.args) {
            (true, 0) => template,
            // The elements after the cursor exist already.
            (true, _) => word.to_owned(),
            (false, _) => format!("({template})"),
        };
        let score = match (fits, word) {
            (true, "lambda" | "tuple") => 112,
            (true, "pack") => 104,
            (true, _) => 103,
            (false, "let" | "if" | ":") => 94,
            (false, _) if unknown => 92,
            (false, _) => 10,
        };
        ranked.push(score, word_item(word, about, Snippet::template(&template)));
    }
    for (value, scalar) in LITERAL_WORDS {
        let fits = matches!(kind, Some(TyKind::Scalar(wanted)) if *wanted == scalar);
        if !wanted.head {
            // Bool has no other literals.
            let score = if scalar == Scalar::Bool { 104 } else { 20 };
            ranked
                .push(if fits { score } else { 5 }, word_item(value, scalar.name(), Snippet::call(value, &[], false)));
        }
    }
}

/// The literals that are words, with their types.
const LITERAL_WORDS: [(&str, Scalar); 8] = [
    ("true", Scalar::Bool),
    ("false", Scalar::Bool),
    ("inf", Scalar::Double),
    ("nan", Scalar::Double),
    ("infh", Scalar::Half),
    ("nanh", Scalar::Half),
    ("inff", Scalar::Float),
    ("nanf", Scalar::Float),
];

/// A `lambda` template with as many parameters as the expected function.
fn lambda_template(ty: &Ty) -> String {
    let (params, result) = ty.uncurry();
    let mut names: Vec<String> =
        hole_names(params.iter().copied()).into_iter().map(|name| name.replace('#', "")).collect();
    // The function of a fold: accumulator, then element.
    if let ([first, _], true) = (params.as_slice(), params.len() == 2)
        && *first == result
    {
        names = vec!["acc".into(), "x".into()];
    }
    let holes: Vec<String> = names.iter().map(|name| format!("‹{name}›")).collect();
    format!("lambda ({}) ‹›", holes.join(" "))
}

pub fn word_item(word: &str, about: &str, insert: Snippet) -> CompletionItem {
    CompletionItem {
        label: word.to_owned(),
        kind: CompletionKind::Word,
        detail: about.to_owned(),
        source: None,
        insert,
        additional: Vec::new(),
        filter: None,
        documented: None,
    }
}
