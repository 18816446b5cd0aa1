//! Resolution of local names to binders.
//!
//! Values and sizes share one name space: the innermost binder decides, so that a name means the same in an expression
//! and in a type. A value may occur where a size is expected; inference decides whether its type is a size
//! (`(define (halves k xs) (split k xs))`).

use super::{Lowerer, closest};
use crate::diagnostics::Problem;
use crate::diagnostics::problem::SizesDeclared;
use crate::diagnostics::{Diagnostic, Edit, Title};
use crate::foreign;
use crate::hir::*;
use lift_syntax::SIZE_OPERATORS;
use rustc_hash::FxHashSet;

/// The meaning of a size name without a binder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SizeNames {
    /// An error: a kernel declares its sizes.
    Declared,
    /// In a type, a size parameter of the `define`; elsewhere, possibly one that a later type mentions.
    Implicit,
    /// A variable of a primitive's declaration.
    Variables,
}

pub(crate) struct Scope {
    pub(crate) names: SizeNames,
    /// Innermost last.
    binders: Vec<BinderId>,
    /// For each binder of the body, whether its name is used.
    pub(crate) used: IdVec<BinderId, bool>,
    /// Names in expressions that may turn out to be implicit sizes.
    late_exprs: Vec<(ExprId, Name)>,
    late_sizes: Vec<(SizeRefId, Name)>,
    /// The tuples destructured by patterns.
    pub(crate) patterns: Vec<BinderId>,
    reported_sizes: FxHashSet<Name>,
    /// Inside a type, where an unknown size name of a `define` becomes a size parameter.
    pub(crate) in_type: bool,
}

impl Scope {
    pub(crate) fn new(names: SizeNames) -> Scope {
        Scope {
            names,
            binders: Vec::new(),
            used: IdVec::default(),
            late_exprs: Vec::new(),
            late_sizes: Vec::new(),
            patterns: Vec::new(),
            reported_sizes: FxHashSet::default(),
            in_type: false,
        }
    }

    pub(crate) fn enter(&mut self, binder: BinderId) {
        self.binders.push(binder);
    }

    /// A mark for [`Scope::leave`].
    pub(crate) fn mark(&self) -> usize {
        self.binders.len()
    }

    /// Leaves the scopes of the binders entered since the mark.
    pub(crate) fn leave(&mut self, mark: usize) {
        self.binders.truncate(mark);
    }
}

impl BinderRole {
    /// Whether the binder names a size.
    pub fn is_size(self) -> bool {
        use BinderRole::*;
        matches!(self, SizeParam | ImplicitSize | UnpackSize | ExistsSize | Position)
    }
}

impl Lowerer {
    fn find(&self, name: &str) -> Option<BinderId> {
        let bound = |b: &&BinderId| *self.body.binder(**b).name == *name;
        self.scope.binders.iter().rev().find(bound).copied().or_else(|| self.implicit_size(name))
    }

    /// The size parameter of a `define` with this name, in scope in the whole form.
    fn implicit_size(&self, name: &str) -> Option<BinderId> {
        let mut implicit = self.implicit_sizes();
        implicit.find(|b| *self.body.binder(**b).name == *name).copied()
    }

    fn implicit_sizes(&self) -> impl Iterator<Item = &BinderId> {
        let implicit = self.scope.names == SizeNames::Implicit;
        self.body.size_params.iter().filter(move |_| implicit)
    }

    /// The local binder that a name in an expression refers to.
    pub(crate) fn lookup_value(&mut self, name: &str) -> Option<BinderId> {
        let binder = self.find(name)?;
        self.scope.used[binder] = true;
        Some(binder)
    }

    /// Records a name without a binder in an expression; a later type may make it a size.
    pub(crate) fn remember_global(&mut self, expr: ExprId, name: &Name) {
        if self.scope.names == SizeNames::Implicit {
            self.scope.late_exprs.push((expr, name.clone()));
        }
    }

    /// The meaning of the size name at node `at`.
    pub(crate) fn lookup_size(&mut self, name: &Name, at: SizeRefId) -> SizeRef {
        if let Some(binder) = self.lookup_value(name) {
            return SizeRef::Local(binder);
        }
        match self.scope.names {
            SizeNames::Variables => SizeRef::Variable(name.clone()),
            SizeNames::Implicit if self.scope.in_type && !SIZE_OPERATORS.contains(&&**name) => {
                let range = self.map.sizes[at];
                let binder = self.alloc_binder(name.clone(), BinderRole::ImplicitSize, range);
                self.scope.used[binder] = true;
                self.body.size_params.push(binder);
                SizeRef::Local(binder)
            }
            SizeNames::Implicit if !SIZE_OPERATORS.contains(&&**name) => {
                self.scope.late_sizes.push((at, name.clone()));
                SizeRef::Error
            }
            SizeNames::Implicit | SizeNames::Declared => self.unbound_size(name, at),
        }
    }

    /// Resolves names that occurred before a type made them sizes.
    pub(super) fn resolve_late_names(&mut self) {
        for (expr, name) in std::mem::take(&mut self.scope.late_exprs) {
            if let Some(binder) = self.implicit_size(&name) {
                self.body.exprs[expr] = Expr::Local(binder);
            }
        }
        for (size, name) in std::mem::take(&mut self.scope.late_sizes) {
            self.body.sizes[size] = match self.implicit_size(&name) {
                Some(binder) => SizeRef::Local(binder),
                None => self.unbound_size(&name, size),
            };
        }
    }

    /// The meaning of a size name without a binder: a definition, unless no definition can have such a name.
    fn unbound_size(&mut self, name: &Name, at: SizeRefId) -> SizeRef {
        let is_first = self.scope.reported_sizes.insert(name.clone());
        let impossible = match foreign::character_of_scheme(name) {
            Some(number) => Some(Problem::CharacterAsSize { number }),
            None if SIZE_OPERATORS.contains(&&**name) => Some(Problem::OperatorAsSize { name: name.clone() }),
            None => None,
        };
        if let Some(problem) = impossible {
            if is_first {
                self.report(Diagnostic::new(Node::Size(at), &problem));
            }
            return SizeRef::Error;
        }
        if is_first {
            let unknown = match self.size_with_comma(name) {
                Some(binder) => self.without_commas(name, binder, at),
                None => self.unknown_size(name, at),
            };
            self.body.unbound_sizes.push(unknown);
        }
        SizeRef::Global(self.alloc_expr(Expr::Global(name.clone()), self.map.sizes[at]))
    }

    /// A size of the kernel whose name is this one and a comma.
    fn size_with_comma(&self, name: &Name) -> Option<BinderId> {
        let is_part = |declared: &Name| declared.len() > name.len() && declared.split(',').any(|part| *part == **name);
        self.body.size_params.iter().copied().find(|b| is_part(&self.body.binder(*b).name))
    }

    /// Suggests names without commas for the sizes of a kernel.
    fn without_commas(&mut self, name: &Name, meant: BinderId, at: SizeRefId) -> Diagnostic {
        self.scope.used[meant] = true;
        let declared = self.body.binder(meant).name.clone();
        let with_commas = self.body.size_params.iter().filter(|b| self.body.binder(**b).name.contains(','));
        let apart = |binder: &BinderId| {
            let names: Vec<&str> = self.body.binder(*binder).name.split(',').filter(|part| !part.is_empty()).collect();
            Edit::Replace(Node::Binder(*binder), names.join(" "))
        };
        let edits = with_commas.map(apart).collect();
        let problem = Problem::SizeWithComma { name: name.clone(), declared };
        Diagnostic::new(Node::Size(at), &problem).fix(Title::RemoveCommas.certain(edits))
    }

    fn unknown_size(&self, name: &Name, at: SizeRefId) -> Diagnostic {
        let in_scope = self.scope.binders.iter().chain(self.implicit_sizes());
        let sizes = in_scope.map(|b| self.body.binder(*b)).filter(|b| b.role.is_size() && !b.name.is_empty());
        let sizes: Vec<&str> = sizes.map(|b| &*b.name).collect();
        let other_case = || sizes.iter().copied().find(|size| size.eq_ignore_ascii_case(name));
        let meant: Option<String> = closest(name, sizes.iter().copied()).or_else(other_case).map(str::to_owned);
        let problem = match self.scope.names {
            SizeNames::Implicit => {
                Problem::UnknownSize { name: name.clone(), declared: SizesDeclared::ByTypesOfParameters }
            }
            _ => Problem::UnknownSize { name: name.clone(), declared: SizesDeclared::AtHeadOfKernel },
        };
        let mut diagnostic = Diagnostic::new(Node::Size(at), &problem);
        if let Some(meant) = meant {
            let edits = vec![Edit::Replace(Node::Size(at), meant.clone())];
            diagnostic = diagnostic.fix(Title::Write(meant).certain(edits));
        } else if self.scope.names == SizeNames::Declared
            && let Some(&last) = self.body.size_params.last()
        {
            let edits = vec![Edit::InsertAfter(Node::Binder(last), format!(" {name}"))];
            diagnostic = diagnostic.fix(Title::DeclareSize(name.clone()).proposed(edits));
        }
        diagnostic
    }

    /// Gives each tuple destructured by a pattern a unique name. The program never uses the name, but elaborated text
    /// shows it.
    pub(super) fn name_patterns(&mut self) {
        let mut taken: FxHashSet<Name> = FxHashSet::default();
        for (id, binder) in self.body.binders.entries() {
            if !self.scope.patterns.contains(&id) {
                taken.insert(binder.name.clone());
            }
        }
        taken.extend(self.body.exprs.iter().filter_map(|e| match e {
            Expr::Global(name) => Some(name.clone()),
            _ => None,
        }));
        for &tuple in &self.scope.patterns {
            self.scope.used[tuple] = true;
            let mut name = self.body.binders[tuple].name.to_string();
            while !taken.insert(name.as_str().into()) {
                name.push('\'');
            }
            self.body.binders[tuple].name = name.into();
        }
    }

    /// Reports unused names of `let`, `unpack` and parameters. The parameters of a kernel are its interface, and
    /// lengths named by `unpack` serve as documentation.
    pub(super) fn report_unused(&mut self) {
        let interface: &[BinderId] = match (&self.body.kind, self.body.root.map(|root| self.body.expr(root))) {
            (FormKind::Kernel, Some(Expr::Lambda { params, .. })) => params,
            _ => &[],
        };
        // A name such as `i+1` or `p.0` is meant as an expression of `i` or `p`.
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'');
        let mut meant: FxHashSet<&str> = FxHashSet::default();
        for e in &self.body.exprs {
            if let Expr::Global(name) = e
                && name.contains(is_part)
                && !name.chars().all(is_part)
            {
                meant.extend(name.split(|c| !is_part(c)));
            }
        }
        let mut found = Vec::new();
        for (id, binder) in self.body.binders.entries() {
            let role = match binder.role {
                BinderRole::Param => "parameter",
                BinderRole::Let | BinderRole::Unpack => "name",
                BinderRole::SizeParam => "size name",
                BinderRole::UnpackSize | BinderRole::ImplicitSize | BinderRole::ExistsSize | BinderRole::Position => {
                    continue;
                }
            };
            let name = &binder.name;
            if self.scope.used[id]
                || meant.contains(&**name)
                || name.is_empty()
                || name.starts_with('_')
                || interface.contains(&id)
            {
                continue;
            }
            let unused = format!("_{name}");
            let edits = vec![Edit::Replace(Node::Binder(id), unused.clone())];
            let fix = Title::Rename(unused).proposed(edits);
            let problem = Problem::UnusedName { what: role, name: name.clone() };
            found.push(Diagnostic::new(Node::Binder(id), &problem).fix(fix));
        }
        self.body.diagnostics.extend(found);
    }
}
