//! Evaluation of statements and phrases, from the tree to values. The values of the names determine the meaning of
//! juxtaposition.
//!
//! | module | job |
//! |---|---|
//! | `assignment` | assignment to names, to elements, and by a function |

mod assignment;

use self::assignment::assignment;
use super::apply::apply;
use super::context::deeper;
use super::names::{broken, missing_name, operands, parts, surrounding, uses_in};
use super::operators::{Item, cells, train};
use super::value::{
    Again, Arr, Dfn, Ev, Failure, Frame, Fun, FunKind, Kind, Repr, Res, Scalar, Value, fail, not_supported,
    write_instead,
};
use super::{again, cost, execute, foreign, nested, select, selection, system, text};
use lift_syntax::SyntaxErrorCode::{AplDomain, AplLength, AplName, AplNotSupported, AplPhrase, AplWord};
use lift_syntax::TextRange;
use lift_syntax::apl::glyphs::{GlyphKind, glyph_of};
use lift_syntax::apl::{AplElement, AplKind, AplNode, AplToken, complex, number};
use std::rc::Rc;

/// The effect of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Value,
    Assigned,
    Printed,
    /// A call of [`Ev::tail`] as the last step.
    Again,
    /// The value of a function that ends with an assignment or prints: it is not printed again.
    Shy,
}

/// Runs a program. An error in a statement is reported; evaluation continues with the next one.
pub fn program(ev: &mut Ev, file: &AplNode, frame: &Rc<Frame>) {
    let statements: Vec<AplNode> = file.children().filter(|node| node.kind() == AplKind::Statement).collect();
    let mut skipped = 0;
    for (place, statement) in statements.iter().enumerate() {
        if place < skipped {
            continue;
        }
        let parts = parts(statement);
        if let Some(after) = foreign::lines(ev, &statements, place, frame) {
            skipped = after;
            continue;
        }
        let shown = ev.shown.len();
        let range = statement.text_range();
        if ev.errors.iter().any(|error| range.contains_range(error.range)) {
            // Its brackets or words are wrong, so that its meaning is a guess, good for types alone.
            let told = ev.statements.len();
            let _ = self::statement(ev, &parts, frame);
            ev.shown.truncate(shown);
            ev.statements.truncate(told);
            broken(&parts, frame);
            continue;
        }
        match self::statement(ev, &parts, frame) {
            Ok((Value::Arr(arr), act)) => {
                let last = place + 1 == statements.len();
                if act == Act::Value || act == Act::Assigned && last {
                    ev.shown.push(arr);
                }
            }
            Ok(_) => {}
            Err(failure) => {
                ev.shown.truncate(shown);
                missing_name(&failure, file, frame);
                ev.report(failure);
                broken(&parts, frame);
            }
        }
    }
}

pub fn range_of(parts: &[AplElement]) -> TextRange {
    match (parts.first(), parts.last()) {
        (Some(first), Some(last)) => first.text_range().cover(last.text_range()),
        _ => TextRange::default(),
    }
}

/// Evaluates a statement, or the part after its guard, and records the type of its value.
pub fn statement(ev: &mut Ev, parts: &[AplElement], frame: &Rc<Frame>) -> Res<(Value, Act)> {
    let (value, act) = phrase(ev, parts, frame, None)?;
    if let Value::Arr(arr) = &value
        && act != Act::Again
    {
        ev.statement(range_of(parts), arr);
    }
    Ok((value, act))
}

/// Evaluates a phrase; `right` is an already evaluated array to its right.
pub fn phrase(ev: &mut Ev, parts: &[AplElement], frame: &Rc<Frame>, right: Option<Arr>) -> Res<(Value, Act)> {
    let tail = ev.tail.take();
    let arrow = parts.iter().rposition(|part| part.kind() == AplKind::Arrow);
    if let Some(arrow) = arrow {
        if arrow + 1 == parts.len() && right.is_none() {
            return fail(AplPhrase, parts[arrow].text_range(), "`←` has nothing at its right");
        }
        let (value, _) = phrase(ev, &parts[arrow + 1..], frame, right)?;
        if let (Value::Fun(f), Some(AplElement::Token(target))) = (&value, parts[..arrow].last())
            && target.kind() == AplKind::Quad
        {
            return fail(AplPhrase, f.range, "this function has no argument, so there is nothing to print");
        }
        return assignment(ev, &parts[..arrow], parts[arrow].text_range(), value, frame);
    }
    if let [first, after @ ..] = parts
        && right.is_none()
        && let Some(text) = execute::literal(first, after)
    {
        ev.valence(first.text_range(), '⍎', false);
        let (arr, act) = execute::written(text, |node| statement(ev, &self::parts(node), frame))?;
        return Ok((Value::Arr(arr), if act == Act::Value { act } else { Act::Shy }));
    }
    let items = deeper(|| items(ev, parts, frame))?;
    let whole = range_of(parts);
    let mut cells = cells(ev, items)?;
    if let Some(right) = right {
        cells.push(Value::Arr(right));
    }
    match cells.last() {
        None => return fail(AplPhrase, whole, "there is nothing here"),
        Some(Value::Arr(_)) => {}
        Some(_) => return Ok((train(cells, whole)?, Act::Value)),
    }
    let mut value: Option<Arr> = None;
    let mut shy = false;
    while let Some(cell) = cells.pop() {
        match (cell, value.take()) {
            (Value::Arr(arr), None) => value = Some(arr),
            (Value::Fun(f), Some(right)) => {
                let left = match cells.last() {
                    Some(Value::Arr(left)) => Some(left.clone()),
                    _ => None,
                };
                if left.is_some() {
                    cells.pop();
                }
                if tail.as_ref().is_some_and(|tail| Rc::ptr_eq(tail, &f.kind))
                    && let Some(after) = again::after(ev, &cells)?
                {
                    ev.again = Some(Again { left, right: right.clone(), after });
                    return Ok((Value::Arr(right), Act::Again));
                }
                ev.shy = false;
                let result = apply(ev, &f, left.as_ref(), &right)?;
                shy = ev.shy && matches!(&*f.kind, FunKind::Dfn(_));
                value = Some(result);
            }
            (Value::Arr(arr), Some(right)) => {
                return fail(AplPhrase, arr.range.cover(right.range), "two arrays without a function between them");
            }
            (Value::Operator { .. } | Value::Broken | Value::Fun(_), _) => {
                return fail(AplPhrase, whole, "this operator lacks its operand");
            }
        }
    }
    match value {
        Some(arr) => Ok((Value::Arr(arr), if shy { Act::Shy } else { Act::Value })),
        None => fail(AplPhrase, whole, "there is nothing here"),
    }
}

pub fn array(value: Value, range: TextRange) -> Res<Arr> {
    match value {
        Value::Arr(arr) => Ok(arr),
        Value::Broken => Err(Failure::Reported),
        _ => fail(AplPhrase, range, "a function is written here where an array should be"),
    }
}

/// Assigns to the elements that an expression in brackets selects from the name at its end.
fn selected(ev: &mut Ev, node: &AplNode, value: &Arr, frame: &Rc<Frame>) -> Res<Value> {
    let inside = parts(node);
    let Some((name, index, functions)) = selection::parts_of(&inside) else {
        let message = "an assignment selects from the name at the end of these brackets";
        return fail(AplPhrase, node.text_range(), message);
    };
    let Item::Arr(old) = name_item(ev, name, frame)? else {
        return fail(AplPhrase, name.text_range(), "only an array has elements to assign to");
    };
    changes_own(name, frame)?;
    let indices = index.map(|index| Ok((indices(ev, index, frame)?, index.text_range()))).transpose()?;
    let target = selection::Target { old, indices, functions, range: node.text_range() };
    let evaluate = |ev: &mut Ev, parts: &[AplElement], right| Ok(phrase(ev, parts, frame, right)?.0);
    let new = selection::assigned(ev, &target, value, &evaluate)?.at(name.text_range());
    ev.note(name.text_range(), new.type_text());
    frame.set(name.text(), Value::Arr(new));
    Ok(Value::Arr(value.clone()))
}

/// Evaluates the rest of a phrase to the left of an assignment.
fn after(
    ev: &mut Ev,
    rest: &[AplElement],
    frame: &Rc<Frame>,
    value: Value,
    act: Act,
    arrow: TextRange,
) -> Res<(Value, Act)> {
    if rest.is_empty() {
        return Ok((value, act));
    }
    let right = array(value, arrow)?;
    phrase(ev, rest, frame, Some(right))
}

/// Refuses to change a name that belongs outside of the running function.
fn changes_own(name: &AplToken, frame: &Frame) -> Res<()> {
    if frame.own(name.text()).is_some() {
        return Ok(());
    }
    let text = name.text();
    let message =
        format!("`{text}` belongs outside of this function, which cannot change it: give the new value as the result");
    fail(AplNotSupported, name.text_range(), message)
}

/// Assigns the elements of an array to names; a scalar to each.
fn several(ev: &mut Ev, names: &[AplToken], value: Arr, frame: &Rc<Frame>) -> Res<Value> {
    let range = names.first().map_or(value.range, |first| first.text_range());
    let Some(parts) = nested::separate(ev, &value, names.len().max(1))? else {
        return fail(AplLength, range, format!("{} names for an array of another length", names.len()));
    };
    if value.rank() > 0 && parts.len() != names.len() {
        let message = format!("{} names for {} elements", names.len(), parts.len());
        return fail(AplLength, range, message);
    }
    for (place, name) in names.iter().enumerate() {
        let part = if value.rank() == 0 { value.clone() } else { parts[place].clone() };
        named(ev, name, Value::Arr(part), frame)?;
    }
    Ok(Value::Arr(value))
}

fn named(ev: &mut Ev, name: &AplToken, value: Value, frame: &Rc<Frame>) -> Res<Value> {
    let value = match value {
        Value::Arr(arr) => {
            ev.note(name.text_range(), arr.type_text());
            let arr = arr.at(name.text_range());
            Value::Arr(kept(ev, arr, name, frame)?)
        }
        other => other,
    };
    frame.set(name.text(), value.clone());
    Ok(value)
}

/// Stores an array that is used more than once, so that it is computed once, unless that is cheap.
fn kept(ev: &mut Ev, arr: Arr, name: &AplToken, frame: &Frame) -> Res<Arr> {
    if !matches!(arr.repr, Repr::Pull(_) | Repr::Rows(_) | Repr::Boxes(_)) {
        return Ok(arr);
    }
    let Some(around) = name.parent().map(|node| surrounding(&node)) else { return ev.stored(&arr) };
    let again = uses_in(ev, &around).get(name.text()).is_none_or(|uses| uses.inside || uses.count > 2);
    if again { cost::named(ev, arr, name, &around, frame) } else { Ok(arr) }
}

/// Assigns to `⎕` or a system name: `⎕←x`, `⎕IO←0`.
fn quad(ev: &mut Ev, token: &AplToken, value: &Arr) -> Res<Act> {
    match token.text() {
        "⎕" => {
            if ev.inner > 0 {
                let what = "`⎕←` in a function that is applied to each element or again and again";
                return write_instead(token.text_range(), what, "`⎕←f¨x` prints what the function gives");
            }
            ev.shown.push(value.clone());
            Ok(Act::Printed)
        }
        "⎕IO" => match value.scalar().and_then(|scalar| scalar.known) {
            Some(n) if n == 0.0 || n == 1.0 => {
                ev.origin = n as i32;
                Ok(Act::Assigned)
            }
            _ => fail(AplDomain, value.range, "`⎕IO` is 0 or 1"),
        },
        name => not_supported(token.text_range(), format!("`{name}`")),
    }
}

/// The items of a phrase without arrows, evaluated from right to left.
fn items(ev: &mut Ev, parts: &[AplElement], frame: &Rc<Frame>) -> Res<Vec<Item>> {
    let mut found: Vec<Item> = Vec::with_capacity(parts.len());
    let mut index = parts.len();
    while index > 0 {
        index -= 1;
        let part = &parts[index];
        if let Some(text) = execute::literal(part, &parts[index + 1..]) {
            found.pop();
            ev.valence(part.text_range(), '⍎', false);
            let (arr, _) = execute::written(text, |node| statement(ev, &self::parts(node), frame))?;
            found.push(Item::Whole(arr));
            continue;
        }
        let item = match part {
            AplElement::Node(node) if node.kind() == AplKind::Index => {
                let indices = indices(ev, node, frame)?;
                let Some(base) = index.checked_sub(1) else {
                    return fail(AplPhrase, node.text_range(), "there is no array before this index");
                };
                index = base;
                match single(ev, &parts[base], frame)? {
                    Item::Arr(arr) | Item::Whole(arr) => {
                        let range = parts[base].text_range().cover(node.text_range());
                        let before = std::mem::replace(&mut ev.at, range);
                        let element = select::index(ev, &arr, &indices, node.text_range());
                        ev.at = before;
                        let element = element?.at(range);
                        ev.note(range, element.type_text());
                        Item::Arr(element)
                    }
                    other => match (other, <[_; 1]>::try_from(indices)) {
                        (Item::Fun(f), Ok([Some(axis)])) => {
                            let range = f.range;
                            Item::Fun(Fun { kind: Rc::new(FunKind::Along(f, axis)), range })
                        }
                        (Item::Monadic(glyph @ ('/' | '⌿' | '\\' | '⍀'), range, None), Ok([Some(axis)])) => {
                            Item::Monadic(glyph, range, Some(axis))
                        }
                        _ => {
                            return fail(AplPhrase, node.text_range(), "this index is neither of an array nor an axis");
                        }
                    },
                }
            }
            part => single(ev, part, frame)?,
        };
        found.push(item);
    }
    found.reverse();
    Ok(found)
}

/// The item of one token or group.
fn single(ev: &mut Ev, part: &AplElement, frame: &Rc<Frame>) -> Res<Item> {
    let range = part.text_range();
    match part {
        AplElement::Node(node) => match node.kind() {
            AplKind::Paren => {
                let inside = parts(node);
                let inside: Vec<AplElement> = inside
                    .into_iter()
                    .filter(|part| !matches!(part.kind(), AplKind::ParenOpen | AplKind::ParenClose))
                    .collect();
                if inside.is_empty() {
                    return fail(AplPhrase, range, "there is nothing between these brackets");
                }
                match phrase(ev, &inside, frame, None)?.0 {
                    Value::Arr(arr) => Ok(Item::Whole(arr.at(range))),
                    Value::Fun(f) => Ok(Item::Fun(f)),
                    Value::Operator { tree, env, two } => Ok(Item::User { tree, env, two, range }),
                    Value::Broken => Err(Failure::Reported),
                }
            }
            AplKind::Dfn => Ok(match operands(node) {
                (false, false) => {
                    let dfn = Dfn { tree: node.clone(), env: frame.clone(), left: None, right: None };
                    Item::Fun(Fun { kind: Rc::new(FunKind::Dfn(dfn)), range })
                }
                (_, two) => Item::User { tree: node.clone(), env: frame.clone(), two, range },
            }),
            // The parser has reported the error.
            _ => Err(Failure::Reported),
        },
        AplElement::Token(token) => word(ev, token, frame),
    }
}

fn word(ev: &mut Ev, token: &AplToken, frame: &Rc<Frame>) -> Res<Item> {
    let (range, text) = (token.text_range(), token.text());
    ev.at = range;
    match token.kind() {
        AplKind::Number => {
            if let Some((re, im)) = complex(text) {
                let term = ev.pair(ev.double(re), ev.double(im));
                return Ok(Item::Arr(ev.of_scalar(Scalar { kind: Kind::Complex, term, known: None, size: None })));
            }
            let Some(value) = number(text) else { return fail(AplWord, range, format!("`{text}` is not a number")) };
            let written_whole = !text.contains(['.', 'E', 'e']) || value.fract() == 0.0;
            let kind = match value {
                _ if !written_whole || value < f64::from(i32::MIN) || value > f64::from(i32::MAX) => Kind::Double,
                0.0 | 1.0 => Kind::Bool,
                _ => Kind::Int,
            };
            let scalar = ev.known(kind, value);
            Ok(Item::Arr(ev.of_scalar(scalar)))
        }
        AplKind::String => {
            let quote = &text[..1];
            let inner = text.trim_start_matches(quote);
            let inner = if inner.is_empty() { "" } else { &text[1..text.len() - 1] };
            let chars = inner.replace(&quote.repeat(2), quote);
            let items: Vec<_> = chars.chars().map(|c| ev.known(Kind::Char, f64::from(u32::from(c)))).collect();
            Ok(match <[_; 1]>::try_from(items) {
                Ok([one]) => Item::Arr(ev.of_scalar(one)),
                Err(items) => Item::Whole(ev.vector(Kind::Char, items)),
            })
        }
        AplKind::Zilde => Ok(Item::Whole(ev.vector(Kind::Bool, Vec::new()))),
        AplKind::Name | AplKind::Argument | AplKind::SelfName => name_item(ev, token, frame),
        AplKind::Quad => match text {
            "⎕IO" => {
                let scalar = ev.known(Kind::Int, f64::from(ev.origin));
                Ok(Item::Arr(ev.of_scalar(scalar)))
            }
            "⎕" => not_supported(range, "reading from `⎕`"),
            "⎕A" => Ok(Item::Whole(text::characters(ev, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))),
            "⎕D" => Ok(Item::Whole(text::characters(ev, "0123456789"))),
            name => match system::of_name(name) {
                Some(system) => Ok(Item::Fun(Fun { kind: Rc::new(FunKind::System(system)), range })),
                None => not_supported(range, format!("`{name}`")),
            },
        },
        AplKind::Glyph => {
            let glyph = match text.chars().next().unwrap_or_default() {
                '−' => '-',
                '∣' => '|',
                '⋆' => '*',
                glyph => glyph,
            };
            match glyph_of(glyph).map(|known| known.kind) {
                Some(GlyphKind::Function) => Ok(Item::Fun(Fun { kind: Rc::new(FunKind::Glyph(glyph)), range })),
                Some(GlyphKind::Monadic | GlyphKind::Both) => Ok(Item::Monadic(glyph, range, None)),
                Some(GlyphKind::Dyadic) => Ok(Item::Dyadic(glyph, range)),
                None => fail(AplWord, range, format!("`{text}` means nothing in APL")),
            }
        }
        AplKind::Colon => fail(AplPhrase, range, "a guard is allowed only in a function in braces"),
        // The parser has reported the error.
        _ => Err(Failure::Reported),
    }
}

fn name_item(ev: &mut Ev, token: &AplToken, frame: &Rc<Frame>) -> Res<Item> {
    let (range, text) = (token.text_range(), token.text());
    let own = token.kind() != AplKind::Name;
    match if own { frame.own(text) } else { frame.lookup(text) } {
        Some(Value::Arr(arr)) => {
            ev.note(range, arr.type_text());
            Ok(Item::Arr(arr.at(range)))
        }
        Some(Value::Fun(f)) => Ok(Item::Fun(Fun { kind: f.kind, range })),
        Some(Value::Operator { tree, env, two }) => Ok(Item::User { tree, env, two, range }),
        Some(Value::Broken) => Err(Failure::Reported),
        None if text == "⍺" => {
            fail(AplName, range, "this function is called without a left argument, but `⍺` needs one")
        }
        None if own => fail(AplName, range, format!("`{text}` has a meaning only inside of a function in braces")),
        None => {
            let known = frame.all_names();
            let advice = match crate::lower::closest(text, known.iter().map(String::as_str)) {
                Some(meant) => format!("; did you mean `{meant}`?"),
                None => format!(": `{text}←…` gives it one"),
            };
            fail(AplName, range, format!("`{text}` has no value here{advice}"))
        }
    }
}

/// The indices in `[…;…]`, evaluated from right to left; `None` for an omitted one.
fn indices(ev: &mut Ev, node: &AplNode, frame: &Rc<Frame>) -> Res<Vec<Option<Arr>>> {
    let phrases: Vec<AplNode> = node.children().filter(|part| part.kind() == AplKind::Phrase).collect();
    let mut found = Vec::with_capacity(phrases.len());
    for part in phrases.iter().rev() {
        let inside = parts(part);
        if inside.is_empty() {
            found.push(None);
            continue;
        }
        let (value, _) = phrase(ev, &inside, frame, None)?;
        found.push(Some(array(value, part.text_range())?));
    }
    found.reverse();
    Ok(found)
}
