//! Lowers the tree of one form to its [`Body`] and [`SourceMap`].
//!
//! Lowering resolves local names, size names and the values of literals, which need no other form. It never fails:
//! missing parts become [`Expr::Missing`], which the parser has reported and which conflicts with nothing later.
//! Comments, brackets and the spelling of literals do not appear in the body; documentation is stored beside it.
//!
//! | module | job |
//! |---|---|
//! | `scope` | resolution of local names to binders |
//! | `expressions` | lowering of expressions and parameters |
//! | `forms` | lowering of top-level forms |
//! | `settings` | lowering of `with` |
//! | `sizes` | lowering of written sizes |
//! | `types` | lowering of written types |

mod expressions;
mod forms;
mod scope;
mod settings;
mod sizes;
mod types;

pub(crate) use scope::SizeNames;

use crate::diagnostics::Code;
use crate::diagnostics::Diagnostic;
use crate::hir::*;
use lift_syntax::ast::AstNode;
use lift_syntax::{SyntaxError, SyntaxErrorCode, SyntaxNode, TextRange};
use scope::Scope;
use std::sync::Arc;

/// The result of lowering one form.
#[derive(Debug)]
pub struct Lowered {
    pub body: Arc<Body>,
    /// Source ranges relative to the form.
    pub map: SourceMap,
    /// The `;;;` lines above the form, as Markdown.
    pub docs: Option<Arc<str>>,
    pub errors: Vec<SyntaxError>,
}

/// Lowers the text of one form. `builtin` allows `primitive` declarations, for files built into the program.
pub fn lower(text: &str, builtin: bool) -> Lowered {
    let parse = lift_syntax::parse_form(text);
    let form = parse.form();
    let docs = form.as_ref().and_then(|form| form.doc()).map(Arc::from);
    let mut lowerer = Lowerer::new(SizeNames::Declared);
    if let Some(form) = form {
        lowerer.form(&form, builtin);
    }
    let (mut body, map) = lowerer.finish();
    if !parse.errors.is_empty() {
        // The syntax errors may hide the use of a name.
        body.diagnostics.retain(|d| d.code != Code::UnusedName);
    }
    if parse.errors.iter().any(|e| e.code == SyntaxErrorCode::Missing) {
        // The missing part may be the list of sizes.
        body.diagnostics.retain(|d| d.code != Code::UnknownSizeName);
        body.unbound_sizes.clear();
    }
    Lowered { body: Arc::new(body), map, docs, errors: parse.errors }
}

/// Builds the arenas of one body.
pub(crate) struct Lowerer {
    pub(crate) body: Body,
    pub(crate) map: SourceMap,
    pub(crate) scope: Scope,
}

impl Lowerer {
    pub(crate) fn new(names: SizeNames) -> Lowerer {
        let body = Body {
            wordings: Vec::new(),
            kind: FormKind::Unknown,
            name: None,
            binders: IdVec::default(),
            exprs: IdVec::default(),
            types: IdVec::default(),
            sizes: IdVec::default(),
            settings: IdVec::default(),
            size_params: Vec::new(),
            param_types: Vec::new(),
            root: None,
            diagnostics: Vec::new(),
            unbound_sizes: Vec::new(),
        };
        Lowerer { body, map: SourceMap::default(), scope: Scope::new(names) }
    }

    fn finish(mut self) -> (Body, SourceMap) {
        self.resolve_late_names();
        self.name_patterns();
        self.report_unused();
        (self.body, self.map)
    }

    // ---- allocation

    pub(crate) fn alloc_expr(&mut self, expr: Expr, range: TextRange) -> ExprId {
        self.map.exprs.push(range);
        self.body.exprs.push(expr)
    }

    pub(crate) fn alloc_type(&mut self, ty: TypeRef, range: TextRange) -> TypeRefId {
        self.map.types.push(range);
        self.body.types.push(ty)
    }

    pub(crate) fn alloc_size(&mut self, size: SizeRef, range: TextRange) -> SizeRefId {
        self.map.sizes.push(range);
        self.body.sizes.push(size)
    }

    pub(crate) fn alloc_binder(&mut self, name: Name, role: BinderRole, range: TextRange) -> BinderId {
        self.map.binders.push(range);
        self.scope.used.push(false);
        self.body.binders.push(Binder { name, role, ty: None })
    }

    /// A binder for a name in the tree. A binder with an empty name, which the parser has reported, cannot be
    /// referenced.
    pub(crate) fn name_binder(
        &mut self,
        name: Option<&lift_syntax::ast::Name>,
        role: BinderRole,
        within: &SyntaxNode,
    ) -> BinderId {
        match name.and_then(|name| name.token()) {
            Some(token) => self.alloc_binder(token.text().into(), role, token.text_range()),
            None => {
                let range = name.map_or(end_of(within), |name| range_of(name.syntax()));
                // A literal cannot be bound, which the parser has reported. Its uses mean the binder nevertheless.
                let literal = name.map(|name| name.syntax().text().to_string());
                let literal = literal.filter(|text| lift_syntax::is_literal_word(text)).unwrap_or_default();
                self.alloc_binder(literal.as_str().into(), role, range)
            }
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.body.diagnostics.push(diagnostic);
    }
}

/// From the first to the last token of a node.
pub(crate) fn range_of(node: &SyntaxNode) -> TextRange {
    node.text_range()
}

/// The last token of a node, usually its closing bracket, where missing parts are reported.
pub(crate) fn end_of(node: &SyntaxNode) -> TextRange {
    match node.last_token() {
        Some(token) => token.text_range(),
        None => node.text_range(),
    }
}

/// The candidate that was probably meant by `name`, if exactly one is closest.
pub(crate) fn closest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let length = name.chars().count();
    let allowed = match length {
        0..=1 => return None,
        2..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    let mut tied = false;
    for candidate in candidates {
        if candidate == name {
            continue;
        }
        let Some(distance) = edit_distance(name, candidate, allowed) else { continue };
        match best {
            Some((d, c)) if distance == d => tied |= c != candidate,
            Some((d, _)) if distance > d => {}
            _ => (best, tied) = (Some((distance, candidate)), false),
        }
    }
    best.filter(|_| !tied).map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and transpositions of neighbours that turn one text into the other
/// (optimal string alignment), if it is at most `allowed`. A difference in case only counts as one change.
///
/// Compares only prefixes whose lengths differ by at most `allowed` (Ukkonen, *Algorithms for approximate string
/// matching*, 1985), because names may be as long as a file.
fn edit_distance(a: &str, b: &str, allowed: usize) -> Option<usize> {
    if a.eq_ignore_ascii_case(b) {
        return Some(usize::from(a != b));
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    let too_far = allowed + 1;
    let first: Vec<usize> = (0..=b.len()).map(|j| j.min(too_far)).collect();
    let mut rows = [vec![too_far; b.len() + 1], first, vec![too_far; b.len() + 1]];
    for i in 1..=a.len() {
        let [before, above, row] = &mut rows;
        let (from, to) = (i.saturating_sub(allowed).max(1), (i + allowed).min(b.len()));
        row[from - 1] = if from == 1 { i.min(too_far) } else { too_far };
        for j in from..=to {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row[j] = least.min(too_far);
        }
        if let Some(behind) = row.get_mut(to + 1) {
            *behind = too_far;
        }
        rows.rotate_left(1);
    }
    rows[1].get(b.len()).copied().filter(|distance| *distance <= allowed)
}

#[cfg(test)]
mod tests;
