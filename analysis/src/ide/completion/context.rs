//! The context of the cursor: the text around it with a hole, and the syntactic category of the hole.

use crate::db::{Db, Form, SourceFile, forms};
use crate::hir::{Body, Expr, ExprId, SourceMap};
use crate::infer::Partial;
use crate::lower::Lowered;
use crate::queries::{HOLE, infer_in_order, infer_unfinished};
use lift_syntax::ast::{self, AstNode};
use lift_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize, lex, parse_form, split};
use std::sync::Arc;

/// The syntactic category expected at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// `head`: directly after an opening bracket; `args`: the number of elements after the cursor in that bracket.
    Expr {
        head: bool,
        args: usize,
    },
    Type {
        head: bool,
    },
    /// `hash`: after `#`, where numbers are sizes.
    Size {
        head: bool,
        hash: bool,
    },
    /// A parameter in a `with`; with its brackets unless they are there.
    Parameter {
        brackets: bool,
    },
    /// The value of the parameter of this name.
    ParameterValue(String),
    /// `(length …)` of a size: the name of an array.
    ArrayName,
    /// Outside all forms, or the first word of one.
    Form {
        head: bool,
    },
    /// Between the quotes of an import.
    Path,
    /// After the dot of `xs.map`. `receiver` is a range of the file.
    Postfix {
        receiver: TextRange,
    },
}

pub struct Context<'db> {
    pub db: &'db dyn Db,
    pub file: SourceFile,
    pub form: Option<Form>,
    pub place: Place,
    /// The text already typed, to be replaced, as a range of the file.
    pub typed: TextRange,
    pub typed_text: String,
    /// The form with the hole.
    pub text: String,
    pub body: Arc<Body>,
    pub map: SourceMap,
    pub partial: Partial,
    /// The range of the hole in `text`; for a postfix, of the receiver.
    pub at: TextRange,
}

impl<'db> Context<'db> {
    /// The context at an offset; `None` where nothing can be completed, as in a comment, a number or a new name.
    pub fn at(db: &'db dyn Db, file: SourceFile, offset: TextSize) -> Option<Context<'db>> {
        // The text from the form before the cursor to the next form suffices.
        let all = forms(db, file);
        let after = all.partition_point(|form| form.start(db) < offset);
        let form = after.checked_sub(1).and_then(|index| all.get(index)).copied();
        let text = file.text(db);
        let from = form.map_or(TextSize::new(0), |form| form.start(db));
        let to = all.get(after).map_or(TextSize::of(&**text), |form| form.start(db));
        let chunk = text.get(std::ops::Range::<usize>::from(TextRange::new(from, to.max(offset))))?;
        let cursor = offset - from;
        let token = token_before(chunk, cursor);
        let (kind, range) = match token {
            Some((kind, range)) => (kind, range),
            None => (SyntaxKind::WHITESPACE, TextRange::empty(cursor)),
        };
        let typed = match kind {
            kind if is_word(kind, &chunk[range]) => range,
            SyntaxKind::STRING | SyntaxKind::BAD_STRING => {
                return in_string(db, file, form, chunk, range, cursor, from);
            }
            SyntaxKind::COMMENT if range.end() == cursor || range.contains(cursor) => return None,
            kind if kind.is_trivia() || kind.is_opener() || kind.is_closer() || kind == SyntaxKind::HASH => {
                TextRange::empty(cursor)
            }
            _ => return None,
        };
        let typed_text = chunk[typed].to_owned();
        // The names of parameters have dots, too.
        if let Some(dot) = postfix_dot(chunk, typed, cursor).filter(|_| !is_parameter(chunk, typed)) {
            return postfix(db, file, form, chunk, dot, typed, from);
        }
        let mut with_hole = chunk.to_owned();
        let bytes = std::ops::Range::<usize>::from(typed);
        // A space separates the hole from a closing bracket directly before the cursor.
        let pad = if kind.is_closer() { " " } else { "" };
        with_hole.replace_range(bytes.clone(), &format!("{pad}{HOLE}"));
        let hole = TextRange::at(TextSize::new((bytes.start + pad.len()) as u32), TextSize::of(HOLE));
        let raw = split(&with_hole).into_iter().find(|raw| raw.range.contains_range(hole))?;
        let form_text = with_hole[raw.range].to_owned();
        let at = hole - raw.range.start();
        let place = place_of(&form_text, at)?;
        let form = form.filter(|_| raw.range.start() == TextSize::new(0));
        let mut context = Context::empty(db, file, form, place, typed + from);
        context.typed_text = typed_text;
        context.at = at;
        context.infer(form_text);
        Some(context)
    }

    fn empty(db: &'db dyn Db, file: SourceFile, form: Option<Form>, place: Place, typed: TextRange) -> Context<'db> {
        let (body, map) = (Arc::new(Body::default()), SourceMap::default());
        Context {
            db,
            file,
            form,
            place,
            typed,
            typed_text: String::new(),
            text: String::new(),
            body,
            map,
            partial: Partial::default(),
            at: TextRange::default(),
        }
    }

    fn infer(&mut self, text: String) {
        if let Some(form) = self.form {
            // Infer used definitions in order, which keeps the stack small; the form itself may be broken.
            infer_in_order(self.db, &[form], crate::infer::Mode::Insert);
        }
        let (lowered, partial) = infer_unfinished(self.db, self.file, self.form, &text);
        let Lowered { body, map, .. } = lowered;
        (self.body, self.map, self.partial, self.text) = (body, map, partial, text);
    }

    /// The expression of the hole.
    pub fn hole(&self) -> Option<ExprId> {
        let exprs = self.body.exprs.iter().zip(0..);
        exprs.filter(|(expr, _)| matches!(expr, Expr::Global(name) if **name == *HOLE)).map(|(_, id)| ExprId(id)).next()
    }

    /// The first expression whose range is the receiver of a postfix.
    pub fn receiver(&self) -> Option<ExprId> {
        self.map.exprs.iter().position(|range| *range == self.at).map(|index| ExprId(index as u32))
    }
}

/// Whether a token may be the start of a name: a name, or a literal that is a word.
fn is_word(kind: SyntaxKind, text: &str) -> bool {
    kind == SyntaxKind::IDENT || lift_syntax::is_literal_word(text)
}

/// The token that ends at the cursor or contains it.
fn token_before(text: &str, cursor: TextSize) -> Option<(SyntaxKind, TextRange)> {
    let tokens = lex(text);
    let at = (0..tokens.len()).find(|&token| {
        let range = tokens.range(token);
        range.start() < cursor && cursor <= range.end()
    });
    let after = (0..tokens.len()).find(|&token| tokens.range(token).start() == cursor);
    let word = |token: usize| is_word(tokens.kind(token), &text[tokens.range(token)]);
    match (at, after) {
        // At the start of a word, use that word.
        (Some(at), Some(after)) if !word(at) && word(after) && tokens.kind(at) != SyntaxKind::COMMENT => {
            Some((tokens.kind(after), tokens.range(after)))
        }
        (Some(at), _) => Some((tokens.kind(at), tokens.range(at))),
        (None, Some(after)) if word(after) => Some((tokens.kind(after), tokens.range(after))),
        _ => None,
    }
}

/// Whether a word is the name of a parameter in a `with`.
fn is_parameter(chunk: &str, word: TextRange) -> bool {
    let Some(raw) = split(chunk).into_iter().find(|raw| raw.range.contains_range(word)) else { return false };
    let tree = parse_form(&chunk[raw.range]).syntax();
    let token = tree.token_at_offset(word.start() - raw.range.start()).right_biased();
    token.and_then(|token| token.parent()).is_some_and(|node| node.kind() == SyntaxKind::SETTING_NAME)
}

/// The offset of the dot in `xs.map` or `(f xs).map`, if the word at the cursor has one.
fn postfix_dot(chunk: &str, typed: TextRange, cursor: TextSize) -> Option<TextSize> {
    let before = &chunk[TextRange::new(typed.start(), cursor.min(typed.end()))];
    let dot = before.rfind('.')?;
    let at = typed.start() + TextSize::new(dot as u32);
    let receiver = dot > 0 || chunk[..usize::from(typed.start())].ends_with([')', ']']);
    receiver.then_some(at)
}

fn postfix<'db>(
    db: &'db dyn Db,
    file: SourceFile,
    form: Option<Form>,
    chunk: &str,
    dot: TextSize,
    typed: TextRange,
    from: TextSize,
) -> Option<Context<'db>> {
    let mut without = chunk.to_owned();
    without.replace_range(usize::from(dot)..usize::from(typed.end()), "");
    let raw = split(&without).into_iter().find(|raw| raw.range.contains_inclusive(dot))?;
    let end = dot - raw.range.start();
    let text = without[raw.range].to_owned();
    let tree = parse_form(&text).syntax();
    let token = tree.token_at_offset(end).left_biased()?;
    let receiver = token.parent_ancestors().take_while(|node| node.text_range().end() == end);
    // The outermost node ending there: the bracketed group, or the name.
    let receiver = receiver.filter(|node| node.kind() != SyntaxKind::FORM).last()?.text_range();
    let place = Place::Postfix { receiver: receiver + raw.range.start() + from };
    let form = form.filter(|_| raw.range.start() == TextSize::new(0));
    let replaced = TextRange::new(dot, typed.end());
    let mut context = Context::empty(db, file, form, place, replaced + from);
    context.typed_text = chunk[replaced].to_owned();
    context.at = receiver;
    context.infer(text);
    Some(context)
}

fn in_string<'db>(
    db: &'db dyn Db,
    file: SourceFile,
    form: Option<Form>,
    chunk: &str,
    string: TextRange,
    cursor: TextSize,
    from: TextSize,
) -> Option<Context<'db>> {
    let inside =
        cursor > string.start() && (cursor < string.end() || !chunk[string].ends_with('"') || string.len() == 1.into());
    let import = chunk[..usize::from(string.start())].trim_end().ends_with("(import");
    if !inside || !import {
        return None;
    }
    let closed = chunk[string].len() > 1 && chunk[string].ends_with('"');
    let end = if closed { string.end() - TextSize::new(1) } else { string.end() };
    let typed = TextRange::new(string.start() + TextSize::new(1), end.max(cursor));
    let mut context = Context::empty(db, file, form, Place::Path, typed + from);
    context.typed_text = chunk[typed].to_owned();
    Some(context)
}

/// The syntactic category that the parser expects at the hole.
fn place_of(text: &str, hole: TextRange) -> Option<Place> {
    let tree = parse_form(text).syntax();
    let token = tree.token_at_offset(hole.start()).right_biased()?;
    let node = token.parent()?;
    let head = is_head(&token);
    match node.kind() {
        SyntaxKind::NAME_REF => {
            let parent = node.parent()?;
            if parent.parent().is_some_and(|list| list.kind() == SyntaxKind::SETTING_LIST) {
                return Some(Place::Parameter { brackets: true });
            }
            if parent.kind() == SyntaxKind::SIZE_OP {
                return Some(Place::ArrayName);
            }
            if is_form_head(&parent, &token) {
                return Some(Place::Form { head: true });
            }
            // The parser reads a group as a call if its first word starts neither a type nor a size.
            if let Some(group) = parent.parent().filter(|around| head && around.kind() == SyntaxKind::ERROR) {
                let place = of_error(&group, &token, head);
                if matches!(place, Some(Place::Type { .. } | Place::Size { .. })) {
                    return place;
                }
            }
            let args = if head { parent.children().skip(1).count() } else { 0 };
            Some(Place::Expr { head, args })
        }
        SyntaxKind::NAME_TYPE => Some(Place::Type { head: false }),
        SyntaxKind::SIZE_NAME => Some(Place::Size { head: false, hash: node.parent()?.kind() == SyntaxKind::SIZE_LIT }),
        SyntaxKind::SETTING_NAME => Some(Place::Parameter { brackets: false }),
        SyntaxKind::SETTING_VALUE => {
            let setting = node.parent().and_then(ast::Setting::cast)?;
            Some(Place::ParameterValue(setting.name()?.token()?.text().to_owned()))
        }
        SyntaxKind::ERROR => of_error(&node, &token, head),
        SyntaxKind::FORM => Some(Place::Form { head }),
        // Incomplete first words of types and sizes.
        SyntaxKind::SIZE_OP => Some(Place::Size { head: true, hash: false }),
        SyntaxKind::ARRAY_TYPE
        | SyntaxKind::TUPLE_TYPE
        | SyntaxKind::VECTOR_TYPE
        | SyntaxKind::EXISTS_TYPE
        | SyntaxKind::FUN_TYPE => Some(Place::Type { head }),
        _ => None,
    }
}

/// Whether the token directly follows an opening bracket.
fn is_head(token: &SyntaxToken) -> bool {
    let mut before = token.prev_token();
    while let Some(prev) = before {
        if !prev.kind().is_trivia() {
            return prev.kind().is_opener();
        }
        before = prev.prev_token();
    }
    false
}

/// Whether the token is the first word of the whole form.
fn is_form_head(parent: &SyntaxNode, token: &SyntaxToken) -> bool {
    let first = |node: &SyntaxNode| {
        let mut tokens = node.descendants_with_tokens().filter_map(|part| part.into_token());
        tokens.find(|token| !token.kind().is_trivia())
    };
    let Some(root) = parent.ancestors().last() else { return false };
    is_head(token)
        && first(&root).is_some_and(|opener| {
            let mut next = opener.next_token();
            while next.as_ref().is_some_and(|next| next.kind().is_trivia()) {
                next = next.and_then(|next| next.next_token());
            }
            next.is_some_and(|next| next == *token)
        })
}

/// The syntactic category at an `ERROR` node, by the nodes around it.
fn of_error(node: &SyntaxNode, token: &SyntaxToken, head: bool) -> Option<Place> {
    let mut around = node.parent();
    let mut inner = node.clone();
    while let Some(parent) = around {
        let place = match parent.kind() {
            SyntaxKind::FORM => Place::Form { head },
            SyntaxKind::TYPE_LIST | SyntaxKind::PARAM | SyntaxKind::TUPLE_TYPE | SyntaxKind::FUN_TYPE => {
                Place::Type { head }
            }
            SyntaxKind::SIZE_OP | SyntaxKind::SIZE_LIT => {
                Place::Size { head, hash: parent.kind() == SyntaxKind::SIZE_LIT }
            }
            SyntaxKind::ARRAY_TYPE | SyntaxKind::VECTOR_TYPE | SyntaxKind::EXISTS_TYPE => {
                // The type comes first, then the size.
                let types = parent.children().filter(|child| child.index() < inner.index());
                let seen = types
                    .filter(|child| !matches!(child.kind(), SyntaxKind::POSITION_BINDER | SyntaxKind::SIZE_PARAMS));
                if seen.count() == 0 || parent.kind() == SyntaxKind::EXISTS_TYPE {
                    Place::Type { head }
                } else {
                    Place::Size { head, hash: false }
                }
            }
            SyntaxKind::ASCRIBE => Place::Type { head },
            SyntaxKind::APP | SyntaxKind::LET | SyntaxKind::IF | SyntaxKind::LAMBDA | SyntaxKind::DEFINE => {
                Place::Expr { head, args: 0 }
            }
            SyntaxKind::ERROR => {
                inner = parent.clone();
                around = parent.parent();
                continue;
            }
            _ => return None,
        };
        if matches!(place, Place::Form { head: false }) && token.text() != HOLE {
            return None;
        }
        return Some(place);
    }
    None
}
