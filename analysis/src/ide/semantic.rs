//! Semantic tokens: colours that depend on the meaning of names.
//!
//! `fcl`: semantic tokens of FCL programs.

mod fcl;

use super::apl::{binds, tokens};
use super::locate::View;
use crate::db::Sym;
use crate::db::{Db, Form, SourceFile, forms_in, language};
use crate::hir::*;
use crate::infer::Site;
use crate::names::{Resolution, resolve};
use crate::queries::{infer, infer_in_order};
use crate::ty::TyKind;
use lift_syntax::apl::glyphs::{GlyphKind, glyph_of};
use lift_syntax::apl::{AplKind, AplToken, parse};
use lift_syntax::{Language, SyntaxKind, TextRange, parse_form};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenKind {
    /// `define`, `lambda`, `array-type`
    Keyword,
    /// `float`
    Type,
    /// A definition of the program or of the prelude.
    Function,
    Kernel,
    /// A built-in function with an alphabetic name.
    Primitive,
    /// A built-in function with a symbolic name, such as `+`.
    Operator,
    Parameter,
    /// Bound by `let` or `unpack`.
    Variable,
    /// A size name.
    Size,
    Number,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TokenModifiers {
    /// Whether the token binds the name.
    pub declaration: bool,
    /// Defined in a file built into the program.
    pub builtin: bool,
    /// Its value has a length known only at run time.
    pub dynamic: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    pub range: TextRange,
    pub kind: TokenKind,
    pub modifiers: TokenModifiers,
}

/// The tokens that touch the range, in order and disjoint.
pub(super) fn semantic_tokens(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<SemanticToken> {
    let touched = forms_in(db, file, range);
    infer_in_order(db, touched, crate::infer::Mode::Insert);
    let mut tokens = Vec::new();
    for &form in touched {
        let start = form.start(db);
        let moved = form_tokens(db, form).iter().map(|token| SemanticToken { range: token.range + start, ..*token });
        tokens.extend(moved.filter(|token| token.range.intersect(range).is_some()));
    }
    tokens
}

/// The tokens of one form, with ranges relative to it. Edits elsewhere do not change them.
#[salsa::tracked(lru = 512)]
pub(super) fn form_tokens(db: &dyn Db, form: Form) -> Vec<SemanticToken> {
    match language(db, form.file(db)) {
        Language::Lift => {}
        // Each form is the whole text.
        Language::Apl if form.place(db) != Some(0) => return Vec::new(),
        Language::Apl => return apl_tokens(form.text(db)),
        Language::Fcl => return fcl::tokens(db, form),
    }
    let view = View::of(db, form);
    let mut tokens = words(&view);
    tokens.extend(names(&view));
    tokens.sort_by_key(|token| (token.range.start(), token.range.end()));
    // An implicit size is bound at its first mention: of two tokens there, keep the one that binds.
    tokens.dedup_by(|later, earlier| {
        let same = later.range.intersect(earlier.range).is_some_and(|both| !both.is_empty());
        if same && later.modifiers.declaration {
            *earlier = *later;
        }
        same
    });
    tokens.retain(|token| !token.range.is_empty());
    tokens
}

/// The tokens of an APL program.
fn apl_tokens(text: &str) -> Vec<SemanticToken> {
    let tree = parse(text).syntax();
    let mut functions: Vec<String> = Vec::new();
    for token in tokens(&tree).filter(binds) {
        let mut next = token.next_sibling_or_token();
        while let Some(part) = &next
            && (part.kind().is_trivia() || part.kind() == AplKind::Arrow)
        {
            next = part.next_sibling_or_token();
        }
        if next.is_some_and(|part| part.kind() == AplKind::Dfn) {
            functions.push(token.text().to_owned());
        }
    }
    let kind = |token: &AplToken| {
        Some(match token.kind() {
            AplKind::Number | AplKind::Zilde => TokenKind::Number,
            AplKind::Argument => TokenKind::Parameter,
            AplKind::Quad | AplKind::Arrow | AplKind::SelfName => TokenKind::Keyword,
            AplKind::Name if functions.iter().any(|name| name == token.text()) => TokenKind::Function,
            AplKind::Name => TokenKind::Variable,
            AplKind::Glyph => match glyph_of(token.text().chars().next()?)?.kind {
                GlyphKind::Function => TokenKind::Primitive,
                _ => TokenKind::Operator,
            },
            _ => return None,
        })
    };
    let token = |token: AplToken| {
        let builtin = matches!(token.kind(), AplKind::Glyph | AplKind::Quad);
        let modifiers = TokenModifiers { declaration: binds(&token), builtin, dynamic: false };
        Some(SemanticToken { range: token.text_range(), kind: kind(&token)?, modifiers })
    };
    tokens(&tree).filter_map(token).collect()
}

/// Keywords and numbers, from the tree.
fn words(view: &View<'_>) -> Vec<SemanticToken> {
    let tree = parse_form(view.text()).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(|part| part.into_token());
    let kind = tokens.filter_map(|token| {
        let kind = match token.kind() {
            SyntaxKind::KEYWORD | SyntaxKind::BOOL => TokenKind::Keyword,
            kind if kind.is_number() => TokenKind::Number,
            SyntaxKind::IDENT if token.parent().is_some_and(|node| node.kind() == SyntaxKind::NAME_TYPE) => {
                TokenKind::Type
            }
            _ => return None,
        };
        Some(plain(token.text_range(), kind))
    });
    kind.collect()
}

fn plain(range: TextRange, kind: TokenKind) -> SemanticToken {
    SemanticToken { range, kind, modifiers: TokenModifiers::default() }
}

/// Names, by their meaning.
fn names(view: &View<'_>) -> Vec<SemanticToken> {
    let mut tokens = Vec::new();
    let body = &view.body;
    let inference = infer(view.db, view.form);
    let dynamic = |binder: BinderId| {
        let exists = inference.binder_types.get(binder).is_some_and(|ty| matches!(ty.kind(), TyKind::Exists(..)));
        exists || inference.opening_at(Site::Binder(binder)).is_some()
    };
    let kinds: IdVec<BinderId, (TokenKind, bool)> =
        body.binders.entries().map(|(id, binder)| (of_role(binder.role), dynamic(id))).collect();
    let local = |binder: BinderId, range: TextRange, declaration: bool| {
        let (kind, dynamic) = kinds[binder];
        SemanticToken { range, kind, modifiers: TokenModifiers { declaration, dynamic, builtin: false } }
    };
    for (id, binder) in body.binders.entries() {
        if !binder.name.is_empty() {
            tokens.push(local(id, view.map.range(Node::Binder(id)), true));
        }
    }
    for (expr, &range) in body.exprs.iter().zip(&view.map.exprs) {
        match expr {
            Expr::Local(binder) => tokens.push(local(*binder, range, false)),
            Expr::Global(name) => tokens.extend(global(view, name, range)),
            _ => {}
        }
    }
    for (index, (size, &range)) in body.sizes.iter().zip(&view.map.sizes).enumerate() {
        match size {
            SizeRef::Local(binder) => tokens.push(local(*binder, range, false)),
            SizeRef::LengthOf(binder) => {
                let range = super::navigation::array_of_length(view, SizeRefId(index as u32)).range - view.start;
                tokens.push(local(*binder, range, false));
            }
            _ => {}
        }
    }
    if body.name.is_some() {
        let kind = match body.kind {
            FormKind::Kernel => TokenKind::Kernel,
            FormKind::Primitive => TokenKind::Primitive,
            _ => TokenKind::Function,
        };
        let modifiers = TokenModifiers { declaration: true, ..TokenModifiers::default() };
        tokens.push(SemanticToken { range: view.map.range(Node::FormName), kind, modifiers });
    }
    tokens
}

fn of_role(role: BinderRole) -> TokenKind {
    match role {
        BinderRole::Param => TokenKind::Parameter,
        BinderRole::Let | BinderRole::Unpack => TokenKind::Variable,
        role if role.is_size() => TokenKind::Size,
        _ => TokenKind::Variable,
    }
}

/// The token of a global name; `None` if the name is unknown.
fn global(view: &View<'_>, name: &Name, range: TextRange) -> Option<SemanticToken> {
    let (kind, builtin) = match resolve(view.db, view.file, Sym::new(view.db, name.clone()))? {
        Resolution::Primitive(_) if name.starts_with(|c: char| c.is_alphabetic()) => (TokenKind::Primitive, true),
        Resolution::Primitive(_) => (TokenKind::Operator, true),
        Resolution::Form(form) => {
            let kernel = form.kind(view.db) == lift_syntax::FormKind::Lift;
            let kind = if kernel { TokenKind::Kernel } else { TokenKind::Function };
            (kind, crate::db::is_builtin(view.db, form.file(view.db)))
        }
    };
    Some(SemanticToken { range, kind, modifiers: TokenModifiers { builtin, ..TokenModifiers::default() } })
}
