//! Application of functions to arguments: glyphs, derived functions and trains.

use super::value::{Arr, Axis, Between, Ev, Fun, FunKind, Kind, One, Res, Value, fail, not_supported};
use super::{
    axis, cells, constant, encode, inverses, matrix, nested, nested_operators, numerals, partition, power, random,
    reduce, scalar, select, sets, split, structure, system, text, turned,
};
use lift_syntax::SyntaxErrorCode::AplPhrase;
use lift_syntax::TextRange;
use std::rc::Rc;

/// Applies a function. The range of the result covers function and arguments.
pub fn apply(ev: &mut Ev, f: &Fun, left: Option<&Arr>, right: &Arr) -> Res<Arr> {
    let start = left.map_or(f.range, |left| left.range);
    let whole = if start.start() <= right.range.end() && ev.calls == 0 { start.cover(right.range) } else { f.range };
    let before = std::mem::replace(&mut ev.at, f.range);
    let result = apply_kind(ev, f, left, right);
    ev.at = before;
    let mut result = result?;
    if result.rank() == 0 && result.items().is_none() && result.boxes().is_none() {
        let element = ev.element(&result, &[])?;
        result = ev.of_term(result.kind, element)?;
    }
    let known = |arr: Option<&Arr>| arr.is_none_or(|arr| arr.known().is_some());
    // `⍳n` is computed where it is read, however short it is.
    let computed = matches!(&*f.kind, FunKind::Dfn(_)) || left.is_none() && matches!(&*f.kind, FunKind::Glyph('⍳'));
    if !computed && known(left) && known(Some(right)) {
        result = constant::settled(ev, result)?;
        if result.known().is_none() && !ev.settling {
            result = constant::attempt(ev, result, |ev| apply_kind(ev, f, left, right));
        }
    }
    let result = ev.unchained(result)?.at(whole);
    if ev.calls == 0 {
        ev.note(whole, result.type_text());
    }
    ev.note(f.range, result.type_text());
    Ok(result)
}

fn apply_kind(ev: &mut Ev, f: &Fun, left: Option<&Arr>, right: &Arr) -> Res<Arr> {
    if !passes_text(f) {
        left.map_or(Ok(()), text::known_length)?;
        text::known_length(right)?;
    }
    match &*f.kind {
        FunKind::Glyph(glyph) => {
            ev.valence(f.range, *glyph, left.is_some());
            match left {
                None => one(ev, *glyph, right),
                Some(left) => two(ev, *glyph, left, right),
            }
        }
        FunKind::System(system) => system::apply(ev, *system, left, right, f.range),
        FunKind::Dfn(dfn) => (ev.call)(ev, f, dfn, left.cloned(), right.clone()),
        FunKind::Along(inner, number) => {
            if let FunKind::Glyph(glyph) = &*inner.kind {
                ev.valence(f.range, *glyph, left.is_some());
            }
            axis::of_function(ev, inner, number, left, right)
        }
        FunKind::Reduce { f: inner, axis } => reduction(ev, inner, axis, left, right),
        FunKind::Scan { f: inner, axis } => match left {
            None => scan(ev, inner, axis, right),
            Some(_) => fail(AplPhrase, f.range, "a scan takes no left argument"),
        },
        FunKind::Outer(inner) => match left {
            Some(left) => reduce::outer(ev, &between(inner), left, right),
            None => fail(AplPhrase, f.range, "the outer product lacks its left argument"),
        },
        FunKind::Inner(plus, times) => match left {
            Some(left) => reduce::inner(ev, &between(plus), &between(times), left, right),
            None => fail(AplPhrase, f.range, "the inner product lacks its left argument"),
        },
        FunKind::Each(inner) => match left {
            None => nested::each(ev, &alone(inner), right),
            Some(left) => nested_operators::each_two(ev, &between(inner), left, right),
        },
        FunKind::Power(inner, Value::Arr(n)) => repeated(ev, inner, n, left, right),
        FunKind::Power(inner, Value::Fun(same)) => power::until(ev, &with_left(inner, left), &between(same), right),
        FunKind::Power(..) => fail(AplPhrase, f.range, "`⍣` needs a number or a function as its right operand"),
        FunKind::Commute(inner) => apply(ev, inner, Some(right), left.unwrap_or(right)),
        FunKind::Atop(g, h) => {
            let inner = apply(ev, h, left, right)?;
            apply(ev, g, None, &inner)
        }
        FunKind::Beside(g, h) => {
            let inner = apply(ev, h, None, right)?;
            apply(ev, g, left, &inner)
        }
        FunKind::Over(g, h) => {
            let right = apply(ev, h, None, right)?;
            let left = left.map(|left| apply(ev, h, None, left)).transpose()?;
            apply(ev, g, left.as_ref(), &right)
        }
        FunKind::Rank(g, ranks) => by_rank(ev, g, ranks, left, right),
        FunKind::Stencil(g, lengths) => match left {
            None => stencil(ev, g, lengths, right),
            Some(_) => fail(AplPhrase, f.range, "a function derived by `⌺` takes no left argument"),
        },
        FunKind::Key(g) => match left {
            None => cells::key(ev, &between(g), right, None),
            Some(left) => cells::key(ev, &between(g), left, Some(right)),
        },
        FunKind::At(change, place) => {
            let change = change_at(f, change, left)?;
            changed_at(ev, f, &change, place, right)
        }
        FunKind::WithLeft(arr, g) if left.is_none() => apply(ev, g, Some(arr), right),
        FunKind::WithRight(g, arr) if left.is_none() => apply(ev, g, Some(right), arr),
        FunKind::WithLeft(..) | FunKind::WithRight(..) => {
            fail(AplPhrase, f.range, "a function with one argument fixed takes no left argument")
        }
        FunKind::Fork(a, g, h) => {
            let right_value = apply(ev, h, left, right)?;
            let left_value = left_of_fork(ev, f, a, (left, right))?;
            apply(ev, g, Some(&left_value), &right_value)
        }
    }
}

/// `f/`: the reduction of an array, or of its windows if there is a left argument.
fn reduction(ev: &mut Ev, f: &Fun, axis: &Axis, left: Option<&Arr>, right: &Arr) -> Res<Arr> {
    if right.rank() == 0 && left.is_none() {
        return Ok(right.clone());
    }
    let axis = axis::resolved(ev, axis, right.rank())?;
    let Some(left) = left else {
        let sum = reduce::reduce_axis(ev, &between(f), axis, right)?;
        // A function that gives an array for two elements makes one element of them.
        let is_one = right.rank() == 1 && right.kind != Kind::Nested && sum.rank() > 0;
        return Ok(if is_one { nested::enclose(&sum) } else { sum });
    };
    cells::windows(ev, &between(f), left, axis, right)
}

/// `f\`.
fn scan(ev: &mut Ev, f: &Fun, axis: &Axis, right: &Arr) -> Res<Arr> {
    if right.rank() == 0 {
        return Ok(right.clone());
    }
    let axis = axis::resolved(ev, axis, right.rank())?;
    reduce::scan_axis(ev, &between(f), axis, right)
}

/// `f⍣n`: a negative number applies the inverse of the function.
fn repeated(ev: &mut Ev, f: &Fun, n: &Arr, left: Option<&Arr>, right: &Arr) -> Res<Arr> {
    let backwards = n.scalar().and_then(|n| n.known).filter(|n| *n < 0.0 && n.fract() == 0.0);
    let Some(times) = backwards else {
        return power::power(ev, &with_left(f, left), n, prints(f), right);
    };
    if let (Some(base), true) = (inverses::base(f, left), times == -1.0) {
        return encode::digits(ev, &base, right);
    }
    let undo = inverses::inverse(ev, f, left)?;
    let times = ev.known(Kind::Int, -times);
    let times = ev.of_scalar(times).at(n.range);
    power::power(ev, &alone(&undo), &times, false, right)
}

/// `f⍤ranks`.
fn by_rank(ev: &mut Ev, f: &Fun, ranks: &Arr, left: Option<&Arr>, right: &Arr) -> Res<Arr> {
    let (before, after) = cells::ranks(ranks)?;
    match left {
        None => {
            let one = ranks.known().map_or(after, |known| known[0] as i64);
            cells::by_rank(ev, &alone(f), one, right)
        }
        Some(left) => cells::by_ranks(ev, &between(f), (before, after), left, right),
    }
}

/// The value of the left part of the train `f`: an array, or the result of a function.
fn left_of_fork(ev: &mut Ev, f: &Fun, part: &Value, (left, right): (Option<&Arr>, &Arr)) -> Res<Arr> {
    match part {
        Value::Arr(arr) => Ok(arr.clone()),
        Value::Fun(inner) => apply(ev, inner, left, right),
        _ => fail(AplPhrase, f.range, "this part of a train is neither an array nor a function"),
    }
}

/// `f⌺lengths`: a function that mentions its left argument is given the padding.
fn stencil(ev: &mut Ev, f: &Fun, lengths: &Arr, right: &Arr) -> Res<Arr> {
    let takes_left = matches!(&*f.kind, FunKind::Dfn(dfn) if super::names::mentions(&dfn.tree, "⍺"));
    cells::stencil(ev, &alone(f), takes_left.then(|| between(f)), lengths, right)
}

/// The left operand of `@`, which is the operator of `f`.
fn change_at(f: &Fun, change: &Value, left: Option<&Arr>) -> Res<cells::Change> {
    match (change, left) {
        (Value::Arr(_), Some(left)) => {
            fail(AplPhrase, left.range, "`@` takes no left argument if its left operand is an array")
        }
        (Value::Arr(new), None) => Ok(cells::Change::Value(new.clone())),
        (Value::Fun(change), left) => Ok(cells::Change::Function(with_left(change, left))),
        _ => fail(AplPhrase, f.range, "the left of `@` is an array or a function"),
    }
}

/// The array after a change at the right operand of `@`, which is the operator of `f`.
fn changed_at(ev: &mut Ev, f: &Fun, change: &cells::Change, place: &Value, right: &Arr) -> Res<Arr> {
    match place {
        Value::Arr(place) => cells::at(ev, change, place, right, f.range),
        Value::Fun(place) => {
            let mask = apply(ev, place, None, right)?;
            cells::at_mask(ev, change, &mask, right)
        }
        _ => fail(AplPhrase, f.range, "the right of `@` is an array or a function"),
    }
}

/// Whether a function may accept a text whose characters are computed at run time.
fn passes_text(f: &Fun) -> bool {
    match &*f.kind {
        FunKind::Glyph(glyph) => matches!(glyph, ',' | '⍕' | '⊢' | '⊣' | '⊂'),
        FunKind::Reduce { f, .. } | FunKind::Commute(f) => passes_text(f),
        FunKind::System(_) | FunKind::Scan { .. } | FunKind::Outer(_) | FunKind::Inner(..) => false,
        _ => true,
    }
}

/// The function as an operand of an operator.
fn between(f: &Fun) -> Between {
    let glyph = if let FunKind::Glyph(glyph) = &*f.kind { Some(*glyph) } else { None };
    let f = f.clone();
    Between { two: Rc::new(move |ev, a, b| apply(ev, &f, Some(a), b)), glyph }
}

fn alone(f: &Fun) -> One {
    with_left(f, None)
}

/// The function of one argument that has this left argument, if any.
fn with_left(f: &Fun, left: Option<&Arr>) -> One {
    let (f, left) = (f.clone(), left.cloned());
    Rc::new(move |ev, x| apply(ev, &f, left.as_ref(), x))
}

/// Whether a function, or one from which it is derived, mentions `⎕`.
fn prints(f: &Fun) -> bool {
    match &*f.kind {
        FunKind::Glyph(_) | FunKind::System(_) => false,
        FunKind::Dfn(dfn) => {
            let operands = [&dfn.left, &dfn.right];
            let by_operand = operands.into_iter().flatten().any(|value| matches!(value, Value::Fun(f) if prints(f)));
            by_operand || super::names::mentions_quad(&dfn.tree, &dfn.env, 8)
        }
        FunKind::Reduce { f, .. } | FunKind::Scan { f, .. } | FunKind::Outer(f) | FunKind::Each(f) => prints(f),
        FunKind::Power(f, _) | FunKind::Commute(f) | FunKind::WithLeft(_, f) | FunKind::WithRight(f, _) => prints(f),
        FunKind::Along(f, _) | FunKind::Rank(f, _) | FunKind::Stencil(f, _) | FunKind::Key(f) => prints(f),
        FunKind::At(a, b) => [a, b].into_iter().any(|value| matches!(value, Value::Fun(f) if prints(f))),
        FunKind::Inner(f, g) | FunKind::Atop(f, g) | FunKind::Beside(f, g) | FunKind::Over(f, g) => {
            prints(f) || prints(g)
        }
        FunKind::Fork(a, g, h) => prints(g) || prints(h) || matches!(a, Value::Fun(f) if prints(f)),
    }
}

/// Applies a glyph to one argument.
fn one(ev: &mut Ev, glyph: char, x: &Arr) -> Res<Arr> {
    match glyph {
        '⍳' => structure::iota(ev, x),
        '⍴' => Ok(structure::shape(ev, x)),
        '≢' => Ok(structure::tally(ev, x)),
        ',' => structure::ravel(ev, x),
        '⍪' => structure::table(ev, x),
        '⌽' | '⊖' if x.rank() == 0 => Ok(x.clone()),
        '⌽' => turned::reverse(ev, x.rank() - 1, x),
        '⊖' => turned::reverse(ev, 0, x),
        '↓' => split::split(ev, x),
        '∪' => sets::unique(ev, x),
        '⍸' => sets::indices(ev, x),
        '≡' => Ok(sets::depth(ev, x)),
        '⍉' => turned::transpose(ev, x),
        '⊃' => nested::first(ev, x),
        '⊢' | '⊣' | '⌷' => Ok(x.clone()),
        '↑' => nested::mix(ev, x),
        '⊂' => Ok(nested::enclose(x)),
        '⊆' => Ok(if x.kind == Kind::Nested { x.clone() } else { nested::enclose(x) }),
        '∊' => nested::enlist(ev, x),
        '⍕' => text::format(ev, x),
        '⍎' => numerals::numbers(ev, x),
        '?' => random::roll(ev, x),
        '⍋' | '⍒' if nested::is_texts(x) => {
            // The shorter text is padded with blanks, which differ from the characters of the longer one.
            let rows = nested::mix(ev, x)?;
            select::grade(ev, glyph, &rows)
        }
        '⍋' | '⍒' => select::grade(ev, glyph, x),
        '⌹' => matrix::inverse(ev, x),
        '≠' => sets::unique_mask(ev, x),
        _ if scalar::is_scalar(glyph) => scalar::monadic(ev, glyph, x),
        _ => missing(ev.at, glyph, "with one argument"),
    }
}

/// Applies a glyph to two arguments.
fn two(ev: &mut Ev, glyph: char, a: &Arr, x: &Arr) -> Res<Arr> {
    match glyph {
        '⍴' => structure::reshape(ev, a, x),
        ',' | '⍪' => nested::join(ev, glyph, a, x),
        '↑' => structure::take(ev, a, x),
        '↓' => structure::drop(ev, a, x),
        '⌽' | '⊖' if x.rank() == 0 => Ok(x.clone()),
        '⌽' => turned::rotate(ev, glyph, x.rank() - 1, a, x),
        '⊖' => turned::rotate(ev, glyph, 0, a, x),
        '⍳' => sets::index_of(ev, a, x),
        '∊' => sets::member(ev, a, x),
        '∪' => sets::union(ev, a, x),
        '∩' => sets::intersection(ev, a, x),
        '~' => sets::without(ev, a, x),
        '⍸' => sets::interval(ev, a, x),
        '≡' => sets::matches(ev, a, x),
        '≢' => {
            let same = sets::matches(ev, a, x)?;
            scalar::monadic(ev, '~', &same)
        }
        '⍷' => sets::find(ev, a, x),
        '⍕' => text::format_fixed(ev, a, x),
        '⊥' => encode::decode(ev, a, x),
        '⊤' => encode::encode(ev, a, x),
        '⊂' | '⊆' => partition::partition(ev, glyph, x.rank().saturating_sub(1), a, x),
        '⍉' => turned::transpose_axes(ev, a, x),
        '⊢' => Ok(x.clone()),
        '⊣' => Ok(a.clone()),
        '/' | '⌿' => select::replicate(ev, glyph, a, x),
        '⌷' => select::squad(ev, a, x),
        '⊃' => select::pick(ev, a, x),
        '?' => random::deal(ev, a, x),
        '⌹' => matrix::divide(ev, a, x),
        '⍋' | '⍒' => sets::grade_by(ev, glyph, a, x),
        '\\' | '⍀' => {
            select::expand_along(ev, glyph, if glyph == '⍀' { 0 } else { x.rank().saturating_sub(1) }, a, x)
        }
        _ if scalar::is_scalar(glyph) => scalar::dyadic(ev, glyph, a, x),
        _ => missing(ev.at, glyph, "with two arguments"),
    }
}

fn missing<T>(range: TextRange, glyph: char, how: &str) -> Res<T> {
    not_supported(range, format!("`{glyph}` {how}"))
}
