//! Hovers: the type first, then the openings of hidden lengths, assumptions about lengths, and documentation.
//!
//! `page`: the text of a hover, part by part.

mod page;

use super::Hover;
use super::locate::{View, inferred_form_at};
use crate::db::{Db, SourceFile};
use crate::hir::*;
use crate::infer::{AtPosition, Condition, Inference, LengthSource, Opening, Site, short_text};
use crate::names::Resolution;
use crate::parameters::{Entry, TargetName};
use crate::prims::Primitive;
use crate::queries::{docs, signature};
use crate::size::{Assumption, Facts, Size, Var, VarKind};
use crate::ty::{Scheme, Ty, TyKind, type_variable_name};
use lift_syntax::{ColumnEncoding, TextRange};
use page::{Page, tells_something};
use rustc_hash::FxHashSet;

/// Skip bounds for sizes with more assumptions; proving them is quadratic.
const MOST_TO_BOUND: usize = 12;

pub(super) fn hover(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Hover> {
    let view = inferred_form_at(db, file, range.start())?;
    let node = view.node_at(range)?;
    let inference = view.inference();
    let pane = Pane { view: &view, inference: &inference };
    let mut page = Page::default();
    match node {
        Node::Expr(expr) => pane.expr(expr, &mut page)?,
        Node::Binder(binder) => pane.binder(binder, &mut page)?,
        Node::Size(size) => pane.size(size, &mut page)?,
        Node::Setting(setting) => pane.setting(setting, &mut page)?,
        Node::Type(ty) => pane.written_type(ty, &mut page)?,
        Node::FormName => pane.form_name(&mut page)?,
    }
    page.finish(view.range(node))
}

/// A parameter as Markdown: its sentence, and its values.
pub(super) fn described(entry: &Entry) -> String {
    let values: Vec<String> = entry.values().iter().map(u32::to_string).collect();
    format!("`{}`: {}\n\nOne of {}; unless set, {}.", entry.name, entry.meaning, values.join(", "), entry.default)
}

/// The class of devices, which `with` sets like a parameter.
pub(super) fn described_target() -> String {
    let names = TargetName::ALL.map(|name| format!("`{}`", name.as_str()));
    format!("`{}`: {}\n\nOne of {}.", TargetName::WORD, TargetName::MEANING, names.join(", "))
}

struct Pane<'a, 'db> {
    view: &'a View<'db>,
    inference: &'a Inference,
}

impl Pane<'_, '_> {
    fn body(&self) -> &Body {
        &self.view.body
    }

    fn expr(&self, expr: ExprId, page: &mut Page) -> Option<()> {
        match self.body().expr(expr) {
            Expr::Missing => None,
            Expr::Local(binder) => {
                // For a value that was opened where it was bound, show the full hover of the binder.
                let opened = self.inference.opening_at(Site::Binder(*binder)).is_some();
                let general = self.inference.let_schemes.contains_key(binder);
                if opened || general || self.body().binder(*binder).role.is_size() {
                    if general {
                        page.ty(self.inference.expr_types.get(expr)?);
                    }
                    self.binder(*binder, page)?;
                } else {
                    page.ty(self.inference.expr_types.get(expr)?);
                    self.openings(Site::Expr(expr), page);
                    self.lengths_of(expr, page);
                    page.text(self.introduced(*binder));
                }
                self.checks(expr, page);
                Some(())
            }
            _ if self.inference.expr_types.get(expr).is_none_or(|ty| ty.is_error()) => None,
            Expr::Global(name) => {
                self.global(expr, name, page)?;
                self.checks(expr, page);
                Some(())
            }
            _ => {
                page.ty(self.inference.expr_types.get(expr)?);
                self.value(expr, page);
                Some(())
            }
        }
    }

    /// Adds the facts about a value other than its type.
    fn value(&self, expr: ExprId, page: &mut Page) {
        // The value of a `let` is opened under the name bound to it.
        let bound = self.body().exprs.iter().find_map(|e| match e {
            Expr::Let { binder, value, .. } | Expr::Unpack { binder, value, .. } if *value == expr => Some(*binder),
            _ => None,
        });
        if !self.openings(Site::Expr(expr), page)
            && let Some(binder) = bound
        {
            self.openings(Site::Binder(binder), page);
        }
        self.lengths_of(expr, page);
        self.packings(expr, page);
        self.checks(expr, page);
        let callee = match self.body().expr(expr) {
            Expr::Apply { callee, .. } => Some(*callee),
            _ => None,
        };
        if !matches!(self.body().expr(expr), Expr::Ascribe { .. }) {
            self.assumptions(&[Some(expr), callee], page);
        }
        if self.inference.defaulted.contains(&expr) && !matches!(self.body().expr(expr), Expr::Apply { .. }) {
            page.text("Nothing in the program decides this type, so it is the default.");
        }
    }

    /// Adds the sentence of a parameter, and its values.
    fn setting(&self, setting: SettingId, page: &mut Page) -> Option<()> {
        match self.body().settings[setting].set? {
            Set::Target(_) => page.text(described_target()),
            Set::Value(parameter, _) => page.text(described(parameter.entry())),
        }
        Some(())
    }

    fn openings(&self, site: Site, page: &mut Page) -> bool {
        let Some(opening) = self.inference.opening_at(site) else { return false };
        let names: Vec<String> = opening.lengths.iter().map(|length| format!("`{length}`")).collect();
        let how = if opening.explicit { "Opened by `unpack`" } else { "Opened here" };
        page.text(format!("{how} as `{}`, with the hidden length named {}.", opening.to, names.join(", ")));
        for length in &opening.lengths {
            if let Some(origin) = self.length_origin(length) {
                page.text(origin);
            }
        }
        true
    }

    /// Adds the origin and bounds of each length in the type of an expression.
    fn lengths_of(&self, expr: ExprId, page: &mut Page) {
        if let Some(ty) = self.inference.expr_types.get(expr) {
            self.lengths_in(ty, page);
        }
    }

    /// Adds the origin and bounds of each length in a type; lengths known only at run time come first.
    fn lengths_in(&self, ty: &Ty, page: &mut Page) {
        for origin in self.inference.lengths.iter().filter(|origin| ty.mentions(&origin.length)) {
            if let Some(text) = self.length_origin(&origin.length) {
                page.text(text);
            }
        }
        let mut seen = FxHashSet::default();
        for (binder, index) in self.body().binders.iter().zip(0..) {
            let named = matches!(binder.role, BinderRole::SizeParam | BinderRole::ImplicitSize);
            let mut mentioned = |var: &Var| is_named(var) && *var.name == *binder.name;
            if named && ty.any_size_var(&mut mentioned) && seen.insert(&binder.name) {
                page.text(self.size_bounds(BinderId(index)));
            }
        }
        self.positions_in(ty, page);
    }

    /// Explains how the rows of an array depend on their index, or which row the type is of.
    fn positions_in(&self, ty: &Ty, page: &mut Page) {
        let mut bound: Vec<Var> = Vec::new();
        ty.any(&mut |part| {
            if let Some(array) = part.as_array()
                && let Some(position) = &array.position
            {
                bound.push(position.clone());
                let first = array.element.subst_size(position, &Size::zero());
                page.text(format!(
                    "`{position}`: the position of an element, from `0`, below `{}`; at `{position}` is `{}`, at `0` \
                     `{first}`.",
                    array.len, array.element
                ));
            }
            false
        });
        let mut at: Vec<&AtPosition> = self.inference.positions.values().collect();
        at.sort_by_key(|at| at.position.id);
        at.dedup_by(|a, b| a.position == b.position);
        for at in at.into_iter().filter(|at| ty.mentions(&at.position) && !bound.contains(&at.position)) {
            let below = at.count.as_ref().map(|count| format!(", below `{count}`")).unwrap_or_default();
            page.text(format!("`{0}`: the position of the element that is at hand, from `0`{below}.", at.position));
        }
    }

    /// The origin and upper bound of an opened length such as `X1`.
    fn length_origin(&self, length: &Var) -> Option<String> {
        let origin = self.inference.lengths.iter().find(|origin| origin.length == *length)?;
        let at = match origin.made_by {
            Node::Expr(_) => {
                let (line, column) = self.place(origin.made_by);
                format!(" at {line}:{column}")
            }
            _ => String::new(),
        };
        let mut text = match &origin.source {
            LengthSource::Kept { call } => format!("`{length}`: how many elements `{call}`{at} kept"),
            source => format!("`{length}`: {source}{at}"),
        };
        if let Some(most) = &origin.at_most {
            text += &format!("; at most `{most}`");
        }
        Some(text + ".")
    }

    /// The description of a size such as `N`: the arrays of that length, its bounds, and assumptions about it.
    fn size_bounds(&self, id: BinderId) -> String {
        let name = &self.body().binder(id).name;
        let is_it = |var: &Var| is_named(var) && *var.name == **name;
        let what = match self.body().binder(id).role {
            BinderRole::SizeParam => "a size of the kernel",
            _ => "any length",
        };
        let mut text = format!("`{name}`: {what}");
        let arrays = self.body().binders.iter().zip(&self.inference.binder_types).filter(|(binder, ty)| {
            let length = ty.as_array().and_then(|array| array.len.as_var());
            binder.role == BinderRole::Param && length.is_some_and(is_it)
        });
        let arrays: Vec<String> = arrays.map(|(binder, _)| format!("`{}`", binder.name)).collect();
        if !arrays.is_empty() {
            text += &format!(", the length of {}", arrays.join(" and of "));
        }
        let (in_branches, about) = self.assumed_of(&is_it);
        let var = about.iter().flat_map(|assumption| assumption.vars()).find(&is_it);
        if let Some(size) = var.map(Size::var).filter(|_| about.len() <= MOST_TO_BOUND) {
            let mut facts = Facts::new();
            about.iter().for_each(|assumption| facts.assume(assumption));
            let (least, most) = facts.const_bounds(&size);
            let least = least.filter(|least| *least > 0).map(|least| format!("at least `{least}`"));
            let most = most.map(|most| format!("at most `{most}`"));
            for bound in least.into_iter().chain(most) {
                text += &format!("; {bound}");
            }
        }
        for (all, checked) in
            [(about, "checked before a run"), (in_branches, "checked only where that branch is taken")]
        {
            let lines: Vec<String> = all.iter().map(|assumption| format!("`{assumption}`")).collect();
            if !lines.is_empty() {
                text += &format!("; assumes that {}, {checked}", lines.join(", "));
            }
        }
        text + "."
    }

    /// The form's assumptions that mention a size: those of branches, then the others.
    fn assumed_of(&self, is_it: &dyn Fn(&Var) -> bool) -> (Vec<&Assumption>, Vec<&Assumption>) {
        let own = self.inference.assumed.iter().map(|assumed| (&assumed.assumption, assumed.branch.is_some()));
        let stated = self.inference.scheme.iter().flat_map(|scheme| &scheme.assumptions);
        // The form's type repeats assumptions of its body, with sizes of another kind and the same name.
        let mut said = FxHashSet::default();
        let all = own.chain(stated.map(|assumption| (assumption, false)));
        let about = all.filter(|(assumption, in_branch)| {
            assumption.vars().iter().any(is_it) && said.insert((assumption.to_string(), *in_branch))
        });
        let (in_branches, others): (Vec<_>, Vec<_>) = about.partition(|(_, in_branch)| *in_branch);
        let assumptions = |all: Vec<(_, bool)>| all.into_iter().map(|(assumption, _)| assumption).collect();
        (assumptions(in_branches), assumptions(others))
    }

    /// Line and column of a node, from 1.
    fn place(&self, node: Node) -> (usize, usize) {
        let lines = self.view.file.lines(self.view.db);
        let at = lines.position(self.view.range(node).start(), ColumnEncoding::Utf32);
        (at.line as usize + 1, at.column as usize + 1)
    }

    fn packings(&self, expr: ExprId, page: &mut Page) {
        for packing in &self.inference.packings {
            if packing.expr != expr && tail(self.body(), packing.expr) != expr {
                continue;
            }
            let sizes: Vec<String> = packing.hidden.iter().map(|(_, size)| format!("`{size}`")).collect();
            page.text(format!("Packed as `{}`, which hides {}.", packing.to, sizes.join(", ")));
        }
    }

    fn checks(&self, expr: ExprId, page: &mut Page) {
        for cast in self.inference.casts.iter().filter(|cast| cast.expr == expr) {
            let checks: Vec<String> = cast.checks.iter().map(|check| format!("`{check}`")).collect();
            let since: Vec<String> = cast.since.iter().map(|condition| self.condition(*condition)).collect();
            page.text(match since.is_empty() {
                true => format!("Checked at run time: {}.", checks.join(", ")),
                false => format!("Equal here: {}, since {}.", checks.join(", "), since.join(" and ")),
            });
        }
    }

    fn condition(&self, Condition { expr, holds }: Condition) -> String {
        let verb = if holds { "holds" } else { "does not hold" };
        format!("`{}` {verb}", short_text(self.body(), expr))
    }

    fn assumptions(&self, at: &[Option<ExprId>], page: &mut Page) {
        let here = self.inference.assumed.iter().filter(|assumed| at.contains(&Some(assumed.at)));
        let (in_branches, others): (Vec<_>, Vec<_>) = here.partition(|assumed| assumed.branch.is_some());
        assumptions(others.into_iter().map(|assumed| &assumed.assumption), page);
        for assumed in in_branches {
            page.text(format!("Assumes that `{}`: checked only where this branch is taken.", assumed.assumption));
        }
    }

    /// A definition or primitive at one of its uses.
    fn global(&self, expr: ExprId, name: &Name, page: &mut Page) -> Option<()> {
        let ty = self.inference.expr_types.get(expr)?;
        // The call with this callee, if its result has a hidden length, which is probably the reader's question.
        let call = self.body().exprs.iter().position(|e| matches!(e, Expr::Apply { callee, .. } if *callee == expr));
        let call = call.map(|index| ExprId(index as u32));
        if let Some(call) = call
            && let Some(result) = self.inference.expr_types.get(call)
            && matches!(result.kind(), TyKind::Exists(..))
        {
            page.ty(result);
            self.value(call, page);
        } else {
            page.ty(ty);
            self.openings(Site::Expr(expr), page);
            self.assumptions(&[Some(expr), call], page);
        }
        match self.view.resolve(name) {
            Some(Resolution::Primitive(primitive)) => about_primitive(primitive, page),
            Some(Resolution::Form(form)) => {
                let scheme = signature(self.view.db, form)?;
                page.signature(name, &scheme);
                about_scheme(&scheme, page);
                if let Some(docs) = docs(self.view.db, form) {
                    page.docs(&docs);
                }
            }
            None => {}
        }
        Some(())
    }

    fn binder(&self, id: BinderId, page: &mut Page) -> Option<()> {
        let binder = self.body().binder(id);
        if binder.role.is_size() {
            page.code("Int");
            page.text(match binder.role {
                BinderRole::SizeParam | BinderRole::ImplicitSize => self.size_bounds(id),
                _ => self.introduced(id),
            });
            let length = self.inference.openings.iter().flat_map(|o| &o.lengths).find(|v| *v.name == *binder.name);
            if binder.role == BinderRole::UnpackSize
                && let Some(origin) = length.and_then(|length| self.length_origin(length))
            {
                page.text(origin);
            }
            return Some(());
        }
        match (self.inference.opening_at(Site::Binder(id)), self.inference.let_schemes.get(&id)) {
            (Some(Opening { from, .. }), _) => page.ty(from),
            (None, Some(general)) => page.scheme(&general.scheme),
            (None, None) => page.ty(self.inference.binder_types.get(id)?),
        }
        if !self.openings(Site::Binder(id), page)
            && let Some(ty) = self.inference.binder_types.get(id)
        {
            self.lengths_in(ty, page);
        }
        page.text(self.introduced(id));
        Some(())
    }

    /// A sentence such as "`xs` is a parameter."
    fn introduced(&self, id: BinderId) -> String {
        let binder = self.body().binder(id);
        let what = match binder.role {
            BinderRole::Param => "is a parameter",
            BinderRole::Let => "is bound by `let`",
            BinderRole::Unpack => "is bound by `unpack`",
            BinderRole::SizeParam => "is a size of the kernel",
            BinderRole::ImplicitSize => "is a length that the definition works for any value of",
            BinderRole::UnpackSize => "is the hidden length, named by `unpack`",
            BinderRole::ExistsSize => "is a hidden length",
            BinderRole::Position => "is the position of an element, from 0",
        };
        format!("`{}` {what}.", binder.name)
    }

    fn size(&self, id: SizeRefId, page: &mut Page) -> Option<()> {
        match self.body().size_ref(id) {
            SizeRef::Local(binder) | SizeRef::LengthOf(binder) => self.binder(*binder, page),
            SizeRef::Global(name) => self.expr(*name, page),
            _ => {
                // A size such as `#(* 2 N)` has the type of the literal around it.
                let literal = self.body().exprs.find(|e| *e == Expr::Size(id))?;
                page.ty(self.inference.expr_types.get(literal)?);
                Some(())
            }
        }
    }

    /// A written type, as messages print it.
    fn written_type(&self, id: TypeRefId, page: &mut Page) -> Option<()> {
        let annotated = self.body().binders.find(|binder| binder.ty == Some(id));
        let listed = self.body().param_types.iter().position(|ty| *ty == id);
        let ascribed = self.body().exprs.find(|e| matches!(e, Expr::Ascribe { ty, .. } if *ty == id));
        let ty = match (annotated, listed, ascribed) {
            (Some(binder), ..) => match self.inference.opening_at(Site::Binder(binder)) {
                Some(opening) => opening.from.clone(),
                None => self.inference.binder_types.get(binder)?.clone(),
            },
            (_, Some(index), _) => {
                let scheme = self.inference.scheme.as_ref()?;
                (*scheme.ty.uncurry().0.get(index)?).clone()
            }
            (.., Some(expr)) => self.inference.expr_types.get(expr)?.clone(),
            _ => return None,
        };
        page.ty(&ty);
        Some(())
    }

    fn form_name(&self, page: &mut Page) -> Option<()> {
        let view = self.view;
        match &view.body.kind {
            FormKind::Define | FormKind::Kernel => {
                let scheme = self.inference.scheme.as_ref()?;
                if !tells_something(&scheme.ty) {
                    page.text("An error in it leaves its type open.");
                }
                page.scheme(scheme);
                about_scheme(scheme, page);
            }
            FormKind::Primitive => {
                let name = view.body.name.as_ref()?;
                about_primitive(crate::prims::lookup(name)?, page);
                return Some(());
            }
            FormKind::Import(_) | FormKind::Unknown => return None,
        }
        if let Some(docs) = docs(view.db, view.form) {
            page.docs(&docs);
        }
        Some(())
    }
}

/// Whether the program names the size, rather than opening it or binding it in a type.
fn is_named(var: &Var) -> bool {
    matches!(var.kind, VarKind::Param | VarKind::Generic)
}

/// The last expression of a chain of `let`s, where an inserted `pack` goes.
pub(super) fn tail(body: &Body, expr: ExprId) -> ExprId {
    let mut at = expr;
    while let Expr::Let { body: inner, .. } = body.expr(at) {
        at = *inner;
    }
    at
}

fn about_primitive(primitive: &Primitive, page: &mut Page) {
    page.signature(&primitive.name, &primitive.scheme);
    about_scheme(&primitive.scheme, page);
    if !primitive.aliases.is_empty() {
        let aliases: Vec<String> = primitive.aliases.iter().map(|alias| format!("`{alias}`")).collect();
        page.text(format!("Also called {}.", aliases.join(", ")));
    }
    page.text(&*primitive.docs);
}

/// Adds the classes of type variables and the assumptions of a definition.
fn about_scheme(scheme: &Scheme, page: &mut Page) {
    let classes = scheme.types.iter().zip(0..).filter_map(|(class, index)| {
        class.map(|class| format!("`{}` is {}", type_variable_name(index), class.member()))
    });
    let classes: Vec<String> = classes.collect();
    if !classes.is_empty() {
        page.text(format!("{}.", classes.join("; ")));
    }
    assumptions(scheme.assumptions.iter(), page);
}

fn assumptions<'a>(assumed: impl Iterator<Item = &'a Assumption>, page: &mut Page) {
    let mut seen = FxHashSet::default();
    let assumed: Vec<&Assumption> = assumed.filter(|assumption| seen.insert(assumption.to_string())).collect();
    let everywhere = assumed.iter().filter(|assumption| assumption.only_where().is_none());
    let lines: Vec<String> = everywhere.map(|assumption| format!("`{assumption}`")).collect();
    if !lines.is_empty() {
        page.text(format!("Assumes that {}: checked before a run.", lines.join(", ")));
    }
    for (holds, given) in assumed.iter().filter_map(|assumption| assumption.only_where()) {
        page.text(format!("Assumes that `{holds}`: checked only where `{given}`."));
    }
}
