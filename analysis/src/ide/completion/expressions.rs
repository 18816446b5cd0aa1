//! Names and words that can stand where an expression is wanted.

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

/// Of each file that is not imported, so many definitions are offered at most.
const MOST_OF_A_FILE: usize = 30;

/// What the place wants.
struct Wanted<'a, 'db> {
    context: &'a Context<'db>,
    known: &'a dyn Fn(SourceFile) -> Arc<Definitions>,
    ty: Option<Ty>,
    /// Directly after an opening bracket.
    head: bool,
    /// How many arguments are written already.
    args: usize,
}

/// How a candidate is written to fit.
#[derive(Clone, Copy)]
struct Use {
    fit: Fit,
    /// Arguments that are to be written after it.
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

/// Arrays for `(length …)` of a size.
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
    /// The best way to write something of this type here.
    fn best(&self, ty: &Ty, classes: &rustc_hash::FxHashMap<crate::ty::TyVar, crate::ty::Class>) -> Use {
        let Some(wanted) = &self.ty else { return Use { fit: Fit::Yes(0), holes: 0 } };
        let fits = |ty: &Ty| fit(ty, classes, wanted, &self.context.partial);
        let (params, _) = ty.uncurry();
        if self.head && self.args > 0 {
            return Use { fit: fits(ty), holes: 0 };
        }
        if self.head {
            // `(f` alone: what it gives once it has arguments, the fewer the better.
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

    /// What a candidate loses for giving a function where anything would do.
    fn surplus(&self, ty: &Ty, way: &Use) -> i32 {
        let Some((params, result)) = self.ty.as_ref().map(Ty::uncurry) else { return 0 };
        let left = ty.uncurry().0.len().saturating_sub(way.holes);
        let any = matches!(result.kind(), TyKind::Unknown(_)) && !params.is_empty();
        if any && !self.head && left > params.len() { 8 } else { 0 }
    }

    /// The call in which the hole is an argument: its callee, the other arguments, the place of the hole among them.
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

    /// Whether the name is an argument of the call already, where the same again says nothing: `(> x x)`.
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

    /// Whether the primitive that is called takes a size here.
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

/// The primitive that a name means in the file.
fn primitive_of(context: &Context<'_>, name: &Name) -> Option<&'static Primitive> {
    match resolve(context.db, context.file, Sym::new(context.db, name.clone())) {
        Some(Resolution::Primitive(primitive)) => Some(primitive),
        Some(Resolution::Form(_)) | None => None,
    }
}

/// Of equally good ways, the one with all arguments: half a call is wanted only where it fits better.
fn best_of(ways: impl Iterator<Item = Use>) -> Option<Use> {
    ways.max_by_key(|way| (way.fit, way.holes))
}

/// The type that is left after some arguments.
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

/// What fits comes before what does not, however near that is.
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
        // A size is seldom meant where it is only a number.
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

/// A size name is the size itself, or an Int.
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

/// The files whose definitions are in sight, the nearest first: of two of one name, the nearer one counts.
fn in_sight(context: &Context<'_>) -> Vec<SourceFile> {
    let (db, file) = (context.db, context.file);
    let imported = imports(db, file).iter().filter_map(|import| target(db, import));
    std::iter::once(file).chain(imported).chain([db.prelude()]).collect()
}

fn is_defined(context: &Context<'_>, files: &[SourceFile], name: &Name) -> bool {
    files.iter().any(|file| file.names(context.db).contains_key(name))
}

/// Definitions of the file, of what it imports, of the prelude: each name the nearest.
///
/// A file may have many, of few types: whether they fit is told once for each type, and of each type only the first are
/// looked at that can be among the best.
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
        // A definition cannot use itself, and of two of one name in one file the first one counts.
        let can_be_meant = |name: &Name, form: Form| {
            Some(form) != context.form
                && from.names(db).get(name) == Some(&form)
                && !seen.contains(name)
                && !is_defined(context, &files[..index], name)
                && (all <= MOST || is_subsequence(&context.typed_text, name))
        };
        for (kind, definitions) in known.groups() {
            let (ty, classes) = instance(&kind.scheme);
            let way = wanted.best(&ty, &classes);
            let score = score(way.fit) + near - if kind.kernel { 6 } else { 0 } - i32::from(way.holes > 0) * 3;
            let best = definitions.filter(|(name, form)| can_be_meant(name, *form)).take(MOST);
            found.extend(best.map(|(name, form)| (score, name.clone(), form, &kind.scheme, way)));
        }
    }
    // What would be left out in the end need not be written.
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

/// Definitions that would be in sight if their file were imported: they come with the import.
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
            // Its documentation is not known by its name here.
            item.documented = None;
            ranked.push(score(way.fit) - 10, item);
        }
    }
}

/// The names of the parameters that a `define` writes; of others, names by their types.
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
    // The rule of its own may allow what the type does not.
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

/// The rank of a primitive, under the name that people write.
fn common(primitive: &Primitive, name: &Name) -> Option<u32> {
    primitive.common.filter(|_| name == primitive.spelling())
}

/// How usual a primitive is: how much it is used, and what its declaration says.
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
    // `mapGlb` is what people write for `mapGlb0`, and `+` for `+i`.
    let dimension = *name == primitive.name && primitive.spelling() != name;
    let variant = primitive.level.is_none() && prims::named(primitive.id) != &*primitive.name && late == 0;
    let long_alias = *name != primitive.name && name.len() > primitive.name.len();
    place - late - i32::from(dimension) * 2 - i32::from(variant) * 3 - i32::from(long_alias) * 3
}

/// Words of the language: what they are written like, and what they are for.
const WORDS: &[(&str, &str, &str)] = &[
    ("lambda", "lambda (‹x›) ‹›", "a function"),
    ("let", "let ‹x› ‹value›\n  ‹›", "names a value"),
    ("if", "if ‹condition› ‹then› ‹else›", "one of two values"),
    ("tuple", "tuple ‹x› ‹y›", "several values as one"),
    ("unpack", "unpack (‹X› ‹ys›) ‹value›\n  ‹›", "names a hidden length"),
    ("pack", "pack ‹value›", "hides a length"),
    (":", ": ‹value› ‹type›", "says the type of a value; lengths are checked when run"),
    ("o", "o ‹f› ‹g›", "composition, right to left"),
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
            // What follows is there already.
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
    for value in ["true", "false"] {
        let fits = matches!(kind, Some(TyKind::Scalar(Scalar::Bool)));
        if !wanted.head {
            ranked.push(if fits { 104 } else { 5 }, word_item(value, "Bool", Snippet::call(value, &[], false)));
        }
    }
}

/// `lambda` with as many parameters as the wanted function has.
fn lambda_template(ty: &Ty) -> String {
    let (params, result) = ty.uncurry();
    let mut names: Vec<String> =
        hole_names(params.iter().copied()).into_iter().map(|name| name.replace('#', "")).collect();
    // The function of a fold: what was gathered so far, then one more element.
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
