//! Converts arrays, functions of the index, to terms; stores, reads and prints arrays.

use super::arrays::{elements, length, over, single, stored};
use super::place::{self, Layout};
use super::value::{Elem, Ev, Input, Int, Interleave, Place, Pull, Push, PushKind, Res, Value, fail, not_supported};
use super::{scalar, seqfor};
use crate::front::term::{Kind, Term};
use crate::scalar::Scalar;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::FclLength;
use lift_syntax::TextRange;
use std::rc::Rc;

/// Maximum number of grid-level programs that are unrolled.
const FEW_PROGRAMS: i64 = 16;

fn map_of(level: u32) -> &'static str {
    match level {
        0 => "mapSeq",
        1 => "mapLcl0",
        _ => "mapGlb0",
    }
}

/// The array as a term, and the kind of its elements. Only the first `most` elements are needed, if given; the array
/// may have more.
pub fn array(ev: &mut Ev, push: &Push, most: Option<i64>) -> Res<(Term, Elem)> {
    ev.step()?;
    match &*push.kind {
        PushKind::Pull(xs) => {
            let map = map_of(push.level);
            let mut xs = xs.clone();
            if let (Some(most), Some(len)) = (most, xs.len.known()) {
                xs.len = ev.number(len.min(most));
            }
            let work = ev.length(&xs.len)?;
            let by = match push.level {
                0 => "elements, by one work-item",
                1 => "elements, by the work-items of a work-group",
                _ => "elements, by all work-items",
            };
            ev.becomes(push.at, format!("`{map}` over {work} {by}"));
            elements(ev, map, &xs)
        }
        PushKind::Interleave(parts) => interleaved(ev, push, parts, most),
        PushKind::Seqfor { size, steps, step } => seqfor::array(ev, push.at, size, steps, step),
        PushKind::Mapped(..) if one_by_one(push) && ev.probe(|ev| mapped(ev, push)).is_ok() => mapped(ev, push),
        PushKind::Mapped(f, inner) => {
            let (term, elem) = array(ev, inner, None)?;
            let len = length(ev, inner)?;
            let len = ev.length(&len)?;
            let bound = ev.bind(term, "xs")?;
            let xs = stored(&bound, &len, elem, ev);
            let f = f.clone();
            let get = move |ev: &mut Ev, i: &Int| {
                let element = (xs.get)(ev, i)?;
                f(ev, Value::Int(i.clone()))?.fun(ev)?(ev, element)
            };
            elements(ev, "mapSeq", &Pull { len: ev.of_size(&len), get: Rc::new(get) })
        }
    }
}

/// Whether each element has a work-item of its own.
fn one_by_one(push: &Push) -> bool {
    match &*push.kind {
        PushKind::Pull(_) => push.level > 0,
        PushKind::Mapped(_, inner) => one_by_one(inner),
        PushKind::Interleave(parts) => push.level == 1 && parts.n.known() == Some(1),
        PushKind::Seqfor { .. } => false,
    }
}

/// An array whose elements are computed independently.
fn mapped(ev: &mut Ev, push: &Push) -> Res<(Term, Elem)> {
    let len = length(ev, push)?;
    let (whole, at) = (push.clone(), push.at);
    let get = move |ev: &mut Ev, i: &Int| match element(ev, &whole, i)? {
        Some(value) => Ok(value),
        None => not_supported(at, "an element of this array, computed alone,"),
    };
    elements(ev, map_of(push.level), &Pull { len, get: Rc::new(get) })
}

/// Joins the arrays of programs into one.
fn interleaved(ev: &mut Ev, push: &Push, parts: &Interleave, most: Option<i64>) -> Res<(Term, Elem)> {
    let n = ev.length(&parts.n)?;
    let all = ev.length(&parts.programs.len)?;
    let layout = place::layout(ev, &parts.place, &all, &n)?;
    let m = match most {
        Some(most) => layout.programs_for(most, &all, &n),
        None => all.clone(),
    };
    let layout = if m == all { layout } else { place::layout(ev, &parts.place, &m, &n)? };
    let (map, inside) = match (parts.in_order, push.level, ev.place) {
        (true, _, Place::Host) => {
            if let Some(count) = m.as_const().filter(|m| (1..=FEW_PROGRAMS).contains(m)) {
                return in_order(ev, parts, count, (&m, &n), &layout);
            }
            // Their order cannot be observed.
            ("mapWrg1", Place::Row)
        }
        (true, _, place) => ("mapSeq", place),
        (false, 1, _) => ("mapLcl0", Place::Item),
        (false, 2, Place::Host | Place::Row) => ("mapWrg0", Place::Group),
        _ => return not_supported(push.at, "`interleave` of programs of the whole grid"),
    };
    let what = match (parts.in_order && ev.place != Place::Host, inside) {
        (true, _) => "programs, one after the other",
        (_, Place::Item) if m.is_one() => "work-item",
        (_, Place::Item) => "work-items",
        _ if m.is_one() => "work-group",
        _ => "work-groups",
    };
    ev.becomes(push.at, format!("`{map}` over {m} {what}, each with {n} elements"));
    let one = n.is_one();
    let row = |ev: &mut Ev, p: &Int| {
        let part = part(ev, parts, p, &n)?;
        if one && let Some(value) = element(ev, &part, &ev.number(0))? {
            return ev.scalar(&value);
        }
        let (term, elem) = array(ev, &part, None)?;
        Ok((if one { ev.app("head", [term]) } else { term }, elem))
    };
    if let (Some((programs, indices)), Place::Group, Place::Host, false) = (layout.nested(), inside, ev.place, one) {
        return place::nest(ev, &programs, &indices, row);
    }
    let (rows, elem) = over(ev, map, &m, inside, row)?;
    Ok((layout.apply(ev, rows, &m, &n)?, elem))
}

/// The result of program `p`: an array of `n` elements.
fn part(ev: &mut Ev, parts: &Interleave, p: &Int, n: &Size) -> Res<Push> {
    let at = ev.at;
    let program = (parts.programs.get)(ev, p)?.program(ev)?;
    ev.unused = false;
    let part = program(ev)?.push(ev)?;
    let len = length(ev, &part)?;
    if let Some(len) = &len.size
        && ev.facts.equal(len, n).is_no()
    {
        let message = format!("each part must have {n} elements, but has {len}");
        return fail(FclLength, at, message);
    }
    Ok(part)
}

/// Unrolls few grid-level programs and concatenates their arrays.
fn in_order(ev: &mut Ev, parts: &Interleave, count: i64, (m, n): (&Size, &Size), layout: &Layout) -> Res<(Term, Elem)> {
    let mut all: Option<(Term, Elem)> = None;
    for p in 0..count {
        let part = part(ev, parts, &ev.number(p), n)?;
        let (term, elem) = array(ev, &part, None)?;
        let bound = ev.bind(term, "part")?;
        let term = ev.local(&bound);
        all = Some(match all {
            Some((before, elem)) => (ev.app("concat", [before, term]), elem),
            None => (term, elem),
        });
    }
    let Some((flat, elem)) = all else { return not_supported(ev.at, "`interleaveSeq` of no programs") };
    if matches!(layout, Layout::Joined) {
        return Ok((flat, elem));
    }
    let rows = ev.app("split", [ev.size_argument(n), flat]);
    Ok((layout.apply(ev, rows, m, n)?, elem))
}

/// One element, if it can be computed without the others.
pub fn element(ev: &mut Ev, push: &Push, i: &Int) -> Res<Option<Value>> {
    ev.step()?;
    match &*push.kind {
        PushKind::Pull(xs) => Ok(Some((xs.get)(ev, i)?)),
        PushKind::Mapped(f, inner) => {
            let Some(value) = element(ev, inner, i)? else { return Ok(None) };
            Ok(Some(f(ev, Value::Int(i.clone()))?.fun(ev)?(ev, value)?))
        }
        // A work-group computes its elements together.
        PushKind::Interleave(_) if push.level >= 2 => Ok(None),
        PushKind::Interleave(parts) => {
            let n = ev.length(&parts.n)?;
            let m = ev.length(&parts.programs.len)?;
            if !matches!(place::layout(ev, &parts.place, &m, &n)?, Layout::Joined) {
                return Ok(None);
            }
            let (whole, per) = (Value::Int(i.clone()), Value::Int(ev.of_size(&n)));
            let p = scalar::binary(ev, "divi", &whole, &per)?.int(ev)?;
            let inner = scalar::binary(ev, "modi", &whole, &per)?.int(ev)?;
            let outside = std::mem::replace(&mut ev.place, Place::Item);
            let found = part(ev, parts, &p, &n).and_then(|part| element(ev, &part, &inner));
            ev.place = outside;
            found
        }
        PushKind::Seqfor { size, steps, step } if size.known() == Some(1) => {
            seqfor::fold(ev, push.at, steps, step).map(Some)
        }
        PushKind::Seqfor { .. } => Ok(None),
    }
}

/// Computes an array and stores it.
pub fn force(ev: &mut Ev, push: &Push) -> Res<Pull> {
    let len = length(ev, push)?;
    if len.known() == Some(1)
        && let Some(value) = element(ev, push, &ev.number(0))?
    {
        let value = ev.shared(&value, "x")?;
        ev.becomes(push.at, "one element, in a register");
        return Ok(single(ev, value));
    }
    if ev.lazy {
        ev.recomputed = true;
        let (push, at) = (push.clone(), ev.at);
        let get = move |ev: &mut Ev, i: &Int| match element(ev, &push, i)? {
            Some(value) => Ok(value),
            None => not_supported(at, "an element of this array, computed alone,"),
        };
        return Ok(Pull { len, get: Rc::new(get) });
    }
    let at = ev.at;
    let (term, elem) = array(ev, push, None)?;
    let len = ev.length(&len)?;
    let (term, memory) = match ev.place {
        Place::Host => (term, "global"),
        Place::Row => return not_supported(at, "`force<grid>` in one of many programs of the whole grid"),
        Place::Group => (in_memory(ev, "toLocal", term), "local"),
        Place::Item => (in_memory(ev, "toPrivate", term), "private"),
    };
    let room = size_in_bytes(&len, &elem);
    match memory {
        "local" => {
            ev.becomes(at, format!("{len} elements in local memory, {room}, then a barrier"));
            ev.stores(at, format!("local {room}, barrier"));
        }
        "private" => {
            ev.becomes(at, format!("{len} elements in the registers of a work-item"));
            ev.stores(at, "registers");
        }
        _ => {
            ev.becomes(at, format!("{len} elements in global memory, {room}"));
            ev.stores(at, format!("global {room}"));
        }
    }
    let bound = ev.bind(term, "a")?;
    Ok(stored(&bound, &len, elem, ev))
}

/// The size of an array in memory: `1 KiB`, `4*N bytes`.
fn size_in_bytes(len: &Size, elem: &Elem) -> String {
    let bytes = len.mul(&Size::int(elem.bytes()));
    match bytes.as_const() {
        Some(n) if n >= 1 << 20 && n % (1 << 20) == 0 => format!("{} MiB", n >> 20),
        Some(n) if n >= 1 << 10 && n % (1 << 10) == 0 => format!("{} KiB", n >> 10),
        _ => format!("{bytes} bytes"),
    }
}

/// The value, stored in a memory.
fn in_memory(ev: &mut Ev, memory: &'static str, term: Term) -> Term {
    if let Kind::Apply(map, args) = term.kind()
        && let [function, of] = &args[..]
    {
        let function = ev.term(Kind::Apply(map.clone(), vec![function.clone()]));
        let callee = ev.app(memory, [function]);
        return ev.term(Kind::Apply(callee, vec![of.clone()]));
    }
    let unused = ev.fresh("_u");
    let function = ev.term(Kind::Lambda(vec![unused], term));
    let callee = ev.app(memory, [function]);
    ev.term(Kind::Apply(callee, vec![ev.int(0)]))
}

/// Stores an array and prints its first elements; if nothing else uses the array, only these are computed.
pub fn print(ev: &Ev, at: TextRange, n: &Value, push: &Value) -> Res<Value> {
    let (n, push) = (n.int(ev)?, push.push(ev)?);
    Ok(Value::Program(Rc::new(move |ev| {
        let unused = std::mem::take(&mut ev.unused);
        ev.at = at;
        if ev.place != Place::Host {
            return not_supported(at, "printing inside of a block");
        }
        let len = length(ev, &push)?;
        let (len, most) = (ev.length(&len)?, ev.length(&n)?);
        if ev.facts.lt(&len, &most).is_yes() {
            return fail(FclLength, at, format!("{most} elements are printed of an array of {len}"));
        }
        let known = most.as_const().filter(|_| unused && len.as_const().is_some());
        let (term, elem) = array(ev, &push, known)?;
        let bound = ev.bind(term, "a")?;
        let whole = ev.local(&bound);
        let all = most == len || ev.facts.equal(&len, &most).is_yes();
        let shown = if all { whole } else { ev.app("take", [ev.size_argument(&most), whole]) };
        ev.shown.push(shown);
        Ok(Value::Pull(stored(&bound, &len, elem, ev)))
    })))
}

/// The numbers of a file, as an input of the kernel.
pub fn read(ev: &Ev, at: TextRange, file: &Value) -> Res<Value> {
    let Value::Text(file) = file else { return super::value::unfit(ev, file, "the name of a file") };
    let file: Rc<str> = format!("numbers:{file}").into();
    Ok(Value::Program(Rc::new(move |ev| {
        ev.unused = false;
        if ev.place != Place::Host {
            return not_supported(at, "reading a file inside of a block");
        }
        let known = ev.inputs.iter().find(|input| input.source.as_ref() == Some(&file));
        let (name, len) = match known {
            Some(input) => (input.name.clone(), input.shape.first().cloned().unwrap_or_else(Size::zero)),
            None => {
                let len = new_length(ev);
                let name = ev.fresh("file");
                let shape = vec![len.clone()];
                let source = Some(file.clone());
                ev.inputs.push(Input { name: name.clone(), scalar: Scalar::Int, shape, range: at, source });
                (name, len)
            }
        };
        Ok(Value::Pull(stored(&name, &len, Elem::Int, ev)))
    })))
}

/// A length of the kernel's inputs.
pub fn new_length(ev: &mut Ev) -> Size {
    let name = ["N", "M", "K", "L", "P", "Q", "R", "S"].get(ev.lengths.len()).copied().unwrap_or("T");
    let bound = ev.fresh(name);
    ev.sizes.insert(bound.id);
    ev.lengths.push(bound.clone());
    bound.as_size()
}
