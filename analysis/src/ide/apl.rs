//! Editor features for APL files: ranges, names and glyphs come from the tree, types from the translation.
//!
//! | module | job |
//! |---|---|
//! | [`completion`] | completion of names and glyphs in APL |
//! | [`format`] | the formatter of APL |
//! | `hints` | hints: types of the values of statements, and checks of the run |
//! | [`rename`] | renaming of names in APL |
//! | [`signature_help`] | help with the arguments of a glyph |

pub mod completion;
pub mod format;
mod hints;
pub mod rename;
pub mod signature_help;

pub use hints::hints;

use super::structure::Fold;
use super::{FileRange, FormType, Highlight, Hover, NavTarget, Symbol, SymbolKind};
use crate::apl::Translated;
use crate::bodies::apl_program;
use crate::db::{Db, Form, SourceFile, forms, language};
use crate::queries::signature;
use lift_syntax::apl::glyphs::{GlyphKind, glyph_of};
use lift_syntax::apl::kernels::kernel_comments;
use lift_syntax::apl::{AplKind, AplNode, AplToken, complex, number, parse};
use lift_syntax::{Language, TextRange, TextSize};
use std::fmt::Write;
use std::sync::Arc;

/// The first form and its tree. Each form is the whole text of the file.
fn program(db: &dyn Db, file: SourceFile) -> Option<(Form, AplNode)> {
    let form = *forms(db, file).first()?;
    Some((form, parse(form.text(db)).syntax()))
}

/// The types and notes of a file: of the program, or of all its kernels.
fn translation(db: &dyn Db, file: SourceFile) -> Option<Arc<Translated>> {
    let (first, others) = forms(db, file).split_first()?;
    let first = apl_program(db, *first);
    if others.is_empty() {
        return Some(first);
    }
    let mut all = (*first).clone();
    for form in others {
        let other = apl_program(db, *form);
        all.program.types.extend_from_slice(&other.program.types);
        all.program
            .hidden
            .extend(other.program.hidden.iter().filter(|length| !first.program.hidden.contains(length)).cloned());
        all.valences.extend_from_slice(&other.valences);
        all.statements.extend_from_slice(&other.statements);
        all.checks.extend_from_slice(&other.checks);
    }
    Some(Arc::new(all))
}

/// The range of a kernel that a comment names: the comment, and the function if it is defined below.
pub(super) fn kernel_range(db: &dyn Db, form: Form) -> Option<TextRange> {
    let name = form.name(db).as_deref().filter(|_| language(db, form.file(db)) == Language::Apl)?;
    let text = form.text(db);
    let comment = kernel_comments(text).into_iter().find(|comment| text[comment.name] == *name)?.range;
    let tree = parse(text).syntax();
    let mut below = tree.children().filter(|node| node.kind() == AplKind::Statement);
    let next = below.find(|node| node.text_range().start() >= comment.end());
    let defines = |node: &AplNode| tokens(node).any(|token| token.text() == name && binds(&token));
    Some(next.filter(defines).map_or(comment, |node| comment.cover(node.text_range())))
}

pub(super) fn tokens(tree: &AplNode) -> impl Iterator<Item = AplToken> {
    tree.descendants_with_tokens().filter_map(|part| part.into_token())
}

/// The token at an offset; between two tokens, a name or glyph rather than a bracket or white space.
fn token_at(tree: &AplNode, offset: TextSize) -> Option<AplToken> {
    let offset = offset.min(tree.text_range().end());
    let weight = |token: &AplToken| match token.kind() {
        kind if kind.is_trivia() => 0,
        AplKind::ParenOpen | AplKind::ParenClose | AplKind::BraceOpen | AplKind::BraceClose => 1,
        _ => 2,
    };
    tree.token_at_offset(offset).max_by_key(weight).filter(|token| weight(token) > 0)
}

/// The last type recorded for a range: that of the last call.
fn type_of(program: &Translated, range: TextRange) -> Option<&str> {
    let noted = program.program.types.iter().rev().find(|(at, _)| *at == range);
    noted.map(|(_, text)| text.as_str())
}

/// The hover of a token: its type, the meaning of its glyph there, and the origins of its lengths.
pub(super) fn hover(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Hover> {
    let (form, tree) = program(db, file)?;
    let program = translation(db, file)?;
    if let Some((at, ty)) = kernel_at(db, file, range.start()) {
        let about = "A kernel: the comment gives the types of its arguments.".to_owned();
        return told(form.text(db), &program, at, Some(&ty), Some(about));
    }
    let token = if range.is_empty() { Some(token_at(&tree, range.start())?) } else { None };
    let token = token.or_else(|| tree.covering_element(range).into_token());
    let Some(token) = token else {
        // A selection of several tokens: the smallest expression around it.
        let at = expression(&program, range)?;
        return told(form.text(db), &program, at, type_of(&program, at), None);
    };
    let at = token.text_range();
    let ty = match token.kind() {
        AplKind::Arrow => statement_of(&program, &token),
        AplKind::ParenOpen | AplKind::ParenClose | AplKind::BracketOpen | AplKind::BracketClose => {
            type_of(&program, at).or_else(|| type_of(&program, grouped(&token)?))
        }
        _ => type_of(&program, at),
    };
    let constant = ty.is_none().then(|| literal(&token)).flatten();
    let glyph = (token.kind() == AplKind::Glyph).then(|| token.text().chars().next()).flatten();
    let about = glyph.and_then(|glyph| about(&program, at, glyph)).or_else(|| meaning(&token).map(str::to_owned));
    let about = about.or_else(|| if ty.is_none() { function(&tree, &token) } else { None });
    told(form.text(db), &program, at, ty.or(constant.as_deref()), about)
}

/// The kernel whose name in its comment is at an offset, and its type.
fn kernel_at(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<(TextRange, String)> {
    let text = file.text(db);
    let name = kernel_comments(text).into_iter().find(|comment| comment.name.contains_inclusive(offset))?.name;
    let form = forms(db, file).iter().find(|form| form.name(db).as_deref() == Some(&text[name]))?;
    Some((name, signature(db, *form)?.to_string()))
}

/// The smallest expression with a type around a range.
fn expression(program: &Translated, range: TextRange) -> Option<TextRange> {
    let around = program.program.types.iter().map(|(at, _)| *at).filter(|at| at.contains_range(range));
    around.min_by_key(|at| at.len())
}

/// The type of the statement of an arrow: that of the assigned value.
fn statement_of<'p>(program: &'p Translated, arrow: &AplToken) -> Option<&'p str> {
    let start = arrow.prev_sibling_or_token().filter(|part| !part.kind().is_trivia())?;
    let of = program.statements.iter().rev().find(|(at, _)| at.contains_range(arrow.text_range()));
    type_of(program, start.text_range()).or(of.map(|(_, ty)| ty.as_str()))
}

/// The expression that a bracket closes or opens; for an index, with the array before it.
fn grouped(bracket: &AplToken) -> Option<TextRange> {
    let group = bracket.parent()?;
    if group.kind() != AplKind::Index {
        return Some(group.text_range());
    }
    let before = group.prev_sibling_or_token()?;
    Some(before.text_range().cover(group.text_range()))
}

/// The definition of a name that is not an array's.
fn function(tree: &AplNode, token: &AplToken) -> Option<String> {
    let first = occurrences(tree, token.text_range().start()).into_iter().find(binds)?;
    let statement = first.parent()?.text().to_string();
    let line = statement.lines().next().unwrap_or_default();
    Some(format!("A function or operator: `{}`", line.trim()))
}

/// The type of a number or a text.
fn literal(token: &AplToken) -> Option<String> {
    match token.kind() {
        AplKind::Number => {
            let written = token.text();
            if complex(written).is_some() {
                return Some("Complex".to_owned());
            }
            let whole = number(written)?;
            let double = written.contains(['.', 'E', 'e']) && whole.fract() != 0.0;
            Some(if double || whole.abs() > f64::from(i32::MAX) {
                "Double".to_owned()
            } else if whole == 0.0 || whole == 1.0 {
                "Bool".to_owned()
            } else {
                "Int".to_owned()
            })
        }
        AplKind::String => match token.text().chars().count().saturating_sub(2) {
            1 => Some("Char".to_owned()),
            length => Some(format!("Array[Char,{length}]")),
        },
        AplKind::Zilde => Some("Array[Bool,0]".to_owned()),
        _ => None,
    }
}

/// The meaning of a token without a value.
fn meaning(token: &AplToken) -> Option<&'static str> {
    Some(match (token.kind(), token.text()) {
        (_, "⎕IO") => "The number of the first element: 1, or 0 after `⎕IO←0`.",
        (_, "⎕") => "The output: `⎕←x` prints `x`.",
        (_, "⎕A") => "The letters from A to Z.",
        (_, "⎕D") => "The digits from 0 to 9.",
        (_, "⎕C") => "Characters as small letters; `1 ⎕C x` as capitals.",
        (_, "⎕FMT") => "The characters of an array as a matrix.",
        (_, "⎕UCS") => "Characters of code points, or code points of characters.",
        (AplKind::Arrow, _) => "Gives the value at the right the name at the left.",
        (AplKind::SelfName, _) => "The function around it, or the operator with its operands.",
        (AplKind::Argument, "⍵") => "The right argument of the function around it.",
        (AplKind::Argument, "⍺") => "The left argument of the function around it.",
        (AplKind::Argument, "⍺⍺") => "The left operand of the operator around it.",
        (AplKind::Argument, "⍵⍵") => "The right operand of the operator around it.",
        (AplKind::Colon, _) => "A guard: if its left is true, the value of the function is its right.",
        (AplKind::Diamond, _) => "The end of a statement.",
        (AplKind::Semicolon, _) => "Between the indices of two axes.",
        (AplKind::ParenOpen | AplKind::ParenClose, _) => "A group: its contents are evaluated first.",
        (AplKind::BracketOpen | AplKind::BracketClose, _) => "Indices of an array, or the axis of a function.",
        (AplKind::BraceOpen | AplKind::BraceClose, _) => "A function of `⍵`, and of `⍺` at its left.",
        _ => return None,
    })
}

fn told(text: &str, program: &Translated, at: TextRange, ty: Option<&str>, about: Option<String>) -> Option<Hover> {
    let (source, text) = (text, about);
    if ty.is_none() && text.is_none() {
        return None;
    }
    let mut markdown = ty.map_or(String::new(), |ty| format!("```lift\n{ty}\n```\n"));
    let mut plain = ty.map_or(String::new(), |ty| format!("{ty}\n"));
    if let Some(text) = &text {
        let _ = write!(markdown, "\n{text}\n");
        let _ = writeln!(plain, "{text}");
    }
    for (name, from, what) in &program.program.hidden {
        if ty.is_some_and(|ty| mentions(ty, name)) {
            let (line, from) = origin(source, program, *from);
            let _ = write!(markdown, "\n`{name}` is {what}, known only at run time: line {line}, `{from}`.\n");
            let _ = writeln!(plain, "{name} is {what}, known only at run time: line {line}, {from}");
        }
    }
    Some(Hover { range: at, markdown, plain })
}

/// The number of the line where a length comes from, and the expression there.
fn origin<'t>(text: &'t str, program: &Translated, from: TextRange) -> (usize, &'t str) {
    let start = usize::from(from.start());
    let line = text.get(..start).map_or(0, |before| before.matches('\n').count()) + 1;
    let written = |at: TextRange| text.get(std::ops::Range::<usize>::from(at)).unwrap_or_default();
    // Not a function, because it contains an array.
    let applied = |at: &TextRange| written(*at).contains(|c: char| c.is_alphanumeric() || "⍵⍺⍬')".contains(c));
    let around = program.program.types.iter().map(|(at, _)| *at).filter(|at| at.contains_range(from));
    let source = written(around.filter(applied).min_by_key(|at| at.len()).unwrap_or(from));
    (line, source.lines().next().unwrap_or_default())
}

/// Whether a type mentions a length.
fn mentions(ty: &str, name: &str) -> bool {
    ty.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
}

/// The names and the meaning of a glyph at a range.
fn about(program: &Translated, at: TextRange, glyph: char) -> Option<String> {
    let known = glyph_of(glyph)?;
    let applied = program.valences.iter().rev().find(|(range, of, _)| *range == at && *of == glyph);
    let names = known.names.join(", ");
    let mut text = format!("`{glyph}` {names}: ");
    match (applied, known.kind) {
        (Some((_, _, true)), _) => text += known.two,
        (Some((_, _, false)), _) => text += known.one,
        (None, GlyphKind::Function) => {
            let parts: Vec<&str> = [known.one, known.two].into_iter().filter(|part| !part.is_empty()).collect();
            text += &parts.join(" With two arguments: ");
        }
        (None, _) => text += known.one,
    }
    if known.one.is_empty() && known.two.is_empty() {
        text += "not supported yet.";
    } else {
        let _ = write!(text, " `{}`", known.example);
    }
    Some(text)
}

/// Whether the token is an assigned name, alone or with others: `a←v`, `a b←v`.
pub(super) fn binds(token: &AplToken) -> bool {
    if token.kind() != AplKind::Name {
        return false;
    }
    let mut next = after(token);
    if next.as_ref().is_none_or(|next| next.kind() != AplKind::Name) {
        return next.is_some_and(|next| next.kind() == AplKind::Arrow);
    }
    while let Some(name) = next.take_if(|next| next.kind() == AplKind::Name) {
        next = after(&name);
    }
    // `f x←v` applies a function, which has a definition elsewhere.
    next.is_some_and(|next| next.kind() == AplKind::Arrow) && begins(token) && !is_defined(token)
}

/// The next token that is not white space.
fn after(token: &AplToken) -> Option<AplToken> {
    std::iter::successors(token.next_token(), AplToken::next_token).find(|token| !token.kind().is_trivia())
}

/// Whether only names are before a token in its statement.
fn begins(token: &AplToken) -> bool {
    let before = std::iter::successors(token.prev_sibling_or_token(), |part| part.prev_sibling_or_token());
    before.filter(|part| !part.kind().is_trivia()).all(|part| part.kind() == AplKind::Name)
}

/// Whether a name is assigned to by itself somewhere in the file.
fn is_defined(token: &AplToken) -> bool {
    let Some(file) = token.parent_ancestors().last() else { return false };
    let alone = |other: &AplToken| after(other).is_some_and(|next| next.kind() == AplKind::Arrow);
    let first = |other: &AplToken| {
        let mut before = std::iter::successors(other.prev_token(), AplToken::prev_token);
        before.find(|token| !token.kind().is_trivia()).is_none_or(|token| token.kind() != AplKind::Name)
    };
    tokens(&file)
        .any(|other| other.kind() == AplKind::Name && other.text() == token.text() && alone(&other) && first(&other))
}

/// The innermost dfn around a token, or the file.
fn around(token: &AplToken) -> Option<AplNode> {
    token.parent_ancestors().find(|node| matches!(node.kind(), AplKind::Dfn | AplKind::File))
}

/// The scope of a name: the innermost dfn, or the file, that assigns to it.
fn scope_of(token: &AplToken) -> Option<AplNode> {
    let same = |other: &AplToken| other.text() == token.text() && binds(other);
    let scopes = token.parent_ancestors().filter(|node| matches!(node.kind(), AplKind::Dfn | AplKind::File));
    let mut scopes = scopes;
    scopes.find(|scope| tokens(scope).any(|other| same(&other) && around(&other).as_ref() == Some(scope)))
}

/// All tokens of the name at an offset.
fn occurrences(tree: &AplNode, offset: TextSize) -> Vec<AplToken> {
    let Some(token) = token_at(tree, offset).filter(|token| token.kind() == AplKind::Name) else { return Vec::new() };
    let Some(scope) = scope_of(&token) else { return Vec::new() };
    let same = |other: &AplToken| {
        other.kind() == AplKind::Name && other.text() == token.text() && scope_of(other).as_ref() == Some(&scope)
    };
    tokens(&scope).filter(same).collect()
}

/// The assignment to the name at an offset.
pub(super) fn definition(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<NavTarget> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let first = occurrences(&tree, offset).into_iter().find(binds);
    let target = first.map(|token| {
        let statement = token.parent().map_or(token.text_range(), |node| node.text_range());
        let file = FileRange { path: file.path(db).clone(), range: statement };
        NavTarget { file, focus: token.text_range() }
    });
    target.into_iter().collect()
}

pub(super) fn references(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<FileRange> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let mut found = occurrences(&tree, offset);
    // The definition first.
    found.sort_by_key(|token| (!binds(token), token.text_range().start()));
    let path = |token: AplToken| FileRange { path: file.path(db).clone(), range: token.text_range() };
    found.into_iter().map(path).collect()
}

pub(super) fn highlights(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<Highlight> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let highlight = |token: AplToken| Highlight { range: token.text_range(), binds: binds(&token) };
    occurrences(&tree, offset).into_iter().map(highlight).collect()
}

/// The names assigned at top level: token, whether it is a function, type (empty if unknown), and statement.
fn names(db: &dyn Db, file: SourceFile) -> Vec<(AplToken, bool, String, TextRange)> {
    let (Some((_, tree)), Some(program)) = (program(db, file), translation(db, file)) else { return Vec::new() };
    let mut found: Vec<(AplToken, bool, String, TextRange)> = Vec::new();
    for statement in tree.children().filter(|node| node.kind() == AplKind::Statement) {
        for token in statement.children_with_tokens().filter_map(|part| part.into_token()).filter(binds) {
            let dfn = statement.children().any(|node| node.kind() == AplKind::Dfn);
            let ty = type_of(&program, token.text_range());
            let function = dfn && ty.is_none();
            found.push((token, function, ty.unwrap_or_default().to_owned(), statement.text_range()));
        }
    }
    found
}

pub(super) fn symbols(db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
    let symbol = |(token, function, detail, range): (AplToken, bool, String, TextRange)| Symbol {
        name: token.text().to_owned(),
        detail,
        kind: if function { SymbolKind::Function } else { SymbolKind::Constant },
        range,
        focus: token.text_range(),
    };
    names(db, file).into_iter().map(symbol).collect()
}

/// The types of named arrays.
pub(super) fn types(db: &dyn Db, file: SourceFile) -> Vec<FormType> {
    let typed = names(db, file).into_iter().filter(|(_, _, ty, _)| !ty.is_empty());
    typed.map(|(token, _, ty, range)| FormType { name: token.text().to_owned(), ty, range }).collect()
}

/// The dfns that span several lines.
pub(super) fn folds(db: &dyn Db, file: SourceFile) -> Vec<Fold> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let dfns = tree.descendants().filter(|node| node.kind() == AplKind::Dfn && node.text().contains_char('\n'));
    dfns.map(|node| Fold { range: node.text_range(), kind: super::structure::FoldKind::Form }).collect()
}
