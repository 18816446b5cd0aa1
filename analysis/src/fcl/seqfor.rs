//! `seqfor`: a fold, a scan, independent elements, or a few unrolled steps.

use super::arrays::over;
use super::scalar;
use super::value::{Elem, Ev, Fun, Int, Place, Res, Value, fail, not_supported};
use crate::front::term::{Kind, Term};
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::FclLength;
use lift_syntax::TextRange;
use std::cell::RefCell;
use std::rc::Rc;

/// Maximum number of unrolled steps, and of elements of their array.
const FEW_STEPS: i64 = 64;
const FEW: i64 = 16;

/// Evaluates a step. Returns the index and the value that it writes.
fn run_step(ev: &mut Ev, step: &Fun, read: Fun, i: &Int) -> Res<(Int, Value)> {
    let inner = step(ev, Value::Fun(read))?.fun(ev)?;
    let pair = inner(ev, Value::Int(i.clone()))?.pair(ev)?;
    Ok((pair.0.int(ev)?, pair.1.clone()))
}

fn no_reads(at: TextRange) -> Fun {
    Rc::new(move |_, _| fail(FclLength, at, "the first step reads an element that is not there yet"))
}

/// The index and the value that the first step writes.
fn first(ev: &mut Ev, at: TextRange, step: &Fun) -> Res<(Int, Value)> {
    run_step(ev, step, no_reads(at), &ev.number(0))
}

/// `seqfor` of one element.
pub fn fold(ev: &mut Ev, at: TextRange, steps: &Int, step: &Fun) -> Res<Value> {
    if steps.known() == Some(0) {
        return not_supported(at, "`seqfor` without steps");
    }
    let (_, start) = first(ev, at, step)?;
    if steps.known() == Some(1) {
        return Ok(start);
    }
    let (start, elem) = ev.scalar(&start)?;
    let less = scalar::binary(ev, "subi", &Value::Int(steps.clone()), &Value::Int(ev.number(1)))?.int(ev)?;
    let count = ev.length(&less)?;
    let (k, index) = ev.below("k", &count);
    let state = ev.fresh("acc");
    let term = ev.local(&state);
    let outside = std::mem::replace(&mut ev.place, Place::Item);
    let body = ev.scoped(|ev| {
        let i = scalar::binary(ev, "addi", &Value::Int(index), &Value::Int(ev.number(1)))?.int(ev)?;
        let value = ev.value(term, &elem)?;
        let read: Fun = Rc::new(move |_, _| Ok(value.clone()));
        let (_, value) = run_step(ev, step, read, &i)?;
        Ok((ev.scalar(&value)?.0, ()))
    });
    ev.place = outside;
    let function = ev.term(Kind::Lambda(vec![state, k], body?.0));
    let indices = ev.app("iota", [ev.size_argument(&count)]);
    let folded = ev.app("reduceSeq", [start, function, indices]);
    let head = ev.app("head", [folded]);
    ev.becomes(at, format!("`reduceSeq` over {count} elements"));
    ev.value(head, &elem)
}

/// The dependences between the steps of a `seqfor`.
enum Order {
    /// Each writes its own element and reads none.
    Apart,
    /// Each writes its own element and reads the one before.
    Scan,
    Other,
}

fn order(ev: &mut Ev, at: TextRange, size: &Int, steps: &Int, step: &Fun, elem: &Elem) -> Res<Order> {
    let reads: Rc<RefCell<Vec<Option<Size>>>> = Rc::default();
    let count = ev.length(steps)?;
    let noted = reads.clone();
    let (elem, place) = (elem.clone(), ev.place);
    let written = ev.probe(|ev| {
        ev.place = Place::Item;
        let (bound, index) = ev.below("i", &count);
        if let Some(var) = bound.as_size().as_var() {
            ev.facts.assume_range(var.clone(), Some(Size::one()), None);
        }
        let read: Fun = Rc::new(move |ev, j| {
            noted.borrow_mut().push(j.int(ev)?.size);
            let bound = ev.fresh("element");
            let term = ev.local(&bound);
            ev.value(term, &elem)
        });
        let (to, _) = run_step(ev, step, read, &index)?;
        let own = bound.as_size();
        let before = own.sub(&Size::one());
        let is = |a: &Option<Size>, b: &Size| a.as_ref().is_some_and(|a| a == b);
        let same = is(&to.size, &own) && size.size.is_some() && size.size == steps.size;
        Ok(match (same, &reads.borrow()[..]) {
            (true, []) => Order::Apart,
            (true, reads) if reads.iter().all(|read| is(read, &before)) => Order::Scan,
            _ => Order::Other,
        })
    });
    ev.place = place;
    ev.at = at;
    written
}

/// The array of a `seqfor`.
pub fn array(ev: &mut Ev, at: TextRange, size: &Int, steps: &Int, step: &Fun) -> Res<(Term, Elem)> {
    if size.known() == Some(1) {
        let value = fold(ev, at, steps, step)?;
        let (term, elem) = ev.scalar(&value)?;
        return Ok((ev.app("fill", [ev.size_argument(&Size::one()), term]), elem));
    }
    let (_, start) = first(ev, at, step)?;
    let (start, elem) = ev.scalar(&start)?;
    let count = ev.length(steps)?;
    match order(ev, at, size, steps, step, &elem)? {
        Order::Apart => over(ev, "mapSeq", &count, Place::Item, |ev, i| {
            let (_, value) = run_step(ev, step, no_reads(at), i)?;
            ev.scalar(&value)
        }),
        Order::Scan => {
            let start = ev.share(start, "start")?;
            scan(ev, at, &count, start, step, elem)
        }
        Order::Other => match (size.known(), steps.known()) {
            (Some(size), Some(steps)) if size <= FEW && steps <= FEW_STEPS => {
                written_out(ev, at, size, steps, step, elem)
            }
            _ => not_supported(at, "`seqfor` that reads or writes in another order than one element after the other"),
        },
    }
}

/// Steps that each read the previous element: a scan of pairs of element and index.
fn scan(ev: &mut Ev, at: TextRange, count: &Size, start: Term, step: &Fun, elem: Elem) -> Res<(Term, Elem)> {
    let own = start.clone();
    let (indices, ()) =
        over(ev, "mapSeq", count, Place::Item, |ev, i| Ok((ev.term(Kind::Tuple(vec![own, i.term.clone()])), ())))?;
    let (acc, pair) = (ev.fresh("acc"), ev.fresh("pair"));
    let (_, index) = ev.below("i", count);
    let (before, own) = (ev.local(&acc), ev.local(&pair));
    let outside = std::mem::replace(&mut ev.place, Place::Item);
    let body = ev.scoped(|ev| {
        // Facts about the index need a name for it.
        let Kind::Local(name) = index.term.kind() else { return not_supported(at, "this `seqfor`") };
        let i = ev.app("get2", [own]);
        let name = name.clone();
        if let Some(scope) = ev.scopes.last_mut() {
            scope.bind(name, i);
        }
        let element = ev.app("get1", [before]);
        let value = ev.value(element, &elem)?;
        let read: Fun = Rc::new(move |_, _| Ok(value.clone()));
        let (_, value) = run_step(ev, step, read, &index)?;
        let (term, _) = ev.scalar(&value)?;
        Ok((ev.term(Kind::Tuple(vec![term, index.term.clone()])), ()))
    });
    ev.place = outside;
    let function = ev.term(Kind::Lambda(vec![acc, pair], body?.0));
    let zero = ev.term(Kind::Tuple(vec![start, ev.int(0)]));
    let scanned = ev.app("scanSeq", [zero, function, indices]);
    let result = ev.fresh("pair");
    let first = ev.app("get1", [ev.local(&result)]);
    let function = ev.term(Kind::Lambda(vec![result], first));
    ev.becomes(at, format!("`scanSeq` over {count} elements"));
    Ok((ev.app("mapSeq", [function, scanned]), elem))
}

/// Unrolls few steps, with each element bound to a name.
fn written_out(ev: &mut Ev, at: TextRange, size: i64, steps: i64, step: &Fun, elem: Elem) -> Res<(Term, Elem)> {
    let known: Rc<RefCell<Vec<Option<Value>>>> = Rc::new(RefCell::new(vec![None; size as usize]));
    for i in 0..steps {
        let elements = known.clone();
        let read: Fun = Rc::new(move |ev, j| {
            let found = j.int(ev)?.known().and_then(|j| elements.borrow().get(usize::try_from(j).ok()?).cloned());
            match found.flatten() {
                Some(value) => Ok(value),
                None => fail(FclLength, at, "a step reads an element that is not there yet"),
            }
        });
        let (to, value) = run_step(ev, step, read, &ev.number(i))?;
        let value = ev.shared(&value, "x")?;
        let to = to.known().and_then(|to| usize::try_from(to).ok());
        match to.and_then(|to| known.borrow_mut().get_mut(to).map(|place| *place = Some(value))) {
            Some(()) => {}
            None => return fail(FclLength, at, "a step writes out of bounds, or at an index that only the run knows"),
        }
    }
    let mut whole: Option<Term> = None;
    for value in known.borrow().iter() {
        let Some(value) = value else { return fail(FclLength, at, "an element is never written") };
        let (term, _) = ev.scalar(value)?;
        let one = ev.app("fill", [ev.size_argument(&Size::one()), term]);
        whole = Some(match whole {
            Some(before) => ev.app("concat", [before, one]),
            None => one,
        });
    }
    match whole {
        Some(term) => Ok((term, elem)),
        None => not_supported(at, "an array without elements by `seqfor`"),
    }
}
