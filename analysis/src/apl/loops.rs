//! Loops over arrays: the state is a list of arrays whose kinds and ranks do not change. An iteration may change the
//! lengths of first axes, which are hidden then.

use super::value::{Arr, Ev, Kind, Repr, Res, not_supported};
use crate::front::term::{Kind as TermKind, Term};
use crate::size::{Size, Var};

/// The components of a tuple, by number.
const PARTS: [&str; 16] = [
    "get1", "get2", "get3", "get4", "get5", "get6", "get7", "get8", "get9", "get10", "get11", "get12", "get13",
    "get14", "get15", "get16",
];

/// The flat arrays of numbers or characters in a nested array.
pub fn leaves(x: &Arr) -> Vec<Arr> {
    match x.boxes() {
        Some(boxes) => boxes.iter().flat_map(leaves).collect(),
        None => vec![x.clone()],
    }
}

/// The array with other leaves, in the same order.
pub fn rebuilt(x: &Arr, leaves: &mut dyn Iterator<Item = Arr>) -> Arr {
    match x.boxes() {
        Some(boxes) => {
            let boxes: Vec<Arr> = boxes.iter().map(|part| rebuilt(part, leaves)).collect();
            Arr { repr: Repr::Boxes(boxes.into()), ..x.clone() }
        }
        None => leaves.next().unwrap_or_else(|| x.clone()),
    }
}

/// The start of a loop.
#[derive(Clone)]
pub struct Start {
    pub arrays: Vec<Arr>,
    /// Whether iterations change the length of each array's first axis.
    varying: Vec<bool>,
}

impl Start {
    /// The start of a loop that keeps all shapes.
    pub fn steady(arrays: Vec<Arr>) -> Start {
        let varying = vec![false; arrays.len()];
        Start { arrays, varying }
    }

    /// Whether iterations keep all shapes.
    pub fn is_steady(&self) -> bool {
        !self.varying.contains(&true)
    }

    /// Prepends an array that keeps its shape.
    pub fn after(&self, first: Arr) -> Start {
        let mut both = Start::steady(vec![first]);
        both.arrays.extend(self.arrays.iter().cloned());
        both.varying.extend(&self.varying);
        both
    }
}

/// Leaves of the same kinds and shapes, with unknown values.
pub fn hollow(ev: &mut Ev, leaves: &[Arr]) -> Res<Vec<Arr>> {
    let one = |ev: &mut Ev, x: &Arr| match x.rank() {
        0 => ev.any(x.kind),
        _ => Ok(Arr { repr: Repr::Stored(ev.fresh("p")), ..x.clone() }),
    };
    leaves.iter().map(|x| one(ev, x)).collect()
}

/// Unknown leaves with the kinds and shapes of an arbitrary iteration.
fn some_iteration(ev: &mut Ev, start: &Start) -> Res<Vec<Arr>> {
    let mut leaves = hollow(ev, &start.arrays)?;
    for (x, _) in leaves.iter_mut().zip(&start.varying).filter(|(_, varies)| **varies) {
        x.shape[0] = ev.fresh("X").as_size();
    }
    Ok(leaves)
}

/// Whether two lengths differ. Equal ones can have several forms, so they are compared at some large numbers.
fn differ(a: &Size, b: &Size) -> bool {
    // Multiples of small numbers, because lengths are often divided by these.
    let large = |var: &Var| Some(720_720 * (i64::from(var.id % 64) + 2));
    a != b
        && match (a.eval_int(&large), b.eval_int(&large)) {
            (Ok(m), Ok(n)) => m != n,
            _ => false,
        }
}

/// The result of one iteration of a loop.
pub type Iteration<'a> = dyn Fn(&mut Ev, &[Arr]) -> Res<Vec<Arr>> + 'a;

/// The start of a loop, in kinds that hold the results of all iterations; `None` if these change ranks, or lengths of
/// axes other than the first.
pub fn start_of(ev: &mut Ev, leaves: Vec<Arr>, step: &Iteration<'_>) -> Res<Option<Start>> {
    let mut start = Start::steady(leaves);
    // Each iteration but the last finds another kind or a varying length.
    loop {
        let (state, found) = ev.probe(|ev| {
            let state = some_iteration(ev, &start)?;
            let found = step(ev, &state)?;
            Ok((state, found))
        })?;
        let fits = |(now, next): (&Arr, &Arr)| {
            let mut inner = now.shape.iter().zip(&next.shape).skip(1);
            now.rank() == next.rank()
                && (now.kind == Kind::Char) == (next.kind == Kind::Char)
                && inner.all(|(a, b)| !differ(a, b))
        };
        if found.len() != state.len() || !state.iter().zip(&found).all(fits) {
            return Ok(None);
        }
        let mut same = true;
        let parts = start.arrays.iter_mut().zip(&mut start.varying);
        for ((x, varies), (now, next)) in parts.zip(state.iter().zip(&found)) {
            if !*varies && now.shape.first().zip(next.shape.first()).is_some_and(|(a, b)| differ(a, b)) {
                (*varies, same) = (true, false);
            }
            if next.kind > x.kind {
                *x = ev.as_kind(x, next.kind)?;
                same = false;
            }
        }
        if same {
            return Ok(Some(start));
        }
    }
}

/// The state as one term.
fn packed(ev: &mut Ev, state: &[Arr]) -> Res<Term> {
    let mut terms = Vec::with_capacity(state.len());
    for x in state {
        if x.kind == Kind::Nested || matches!(x.repr, Repr::Text(_)) || state.len() > PARTS.len() {
            return not_supported(ev.at, "a loop over such an array of arrays");
        }
        let stored = ev.stored(x)?;
        terms.push(match &stored.repr {
            Repr::Stored(bound) => ev.local(bound),
            _ => ev.element(&stored, &[])?,
        });
    }
    Ok(match <[Term; 1]>::try_from(terms) {
        Ok([one]) => one,
        Err(terms) => ev.term(TermKind::Tuple(terms)),
    })
}

/// The arrays of the state in a term.
fn opened(ev: &mut Ev, term: &Term, like: &Start) -> Res<Vec<Arr>> {
    let mut found = Vec::with_capacity(like.arrays.len());
    for ((x, varies), part) in like.arrays.iter().zip(&like.varying).zip(PARTS) {
        let term = if like.arrays.len() == 1 { term.clone() } else { ev.app(part, [term.clone()]) };
        found.push(if x.rank() == 0 {
            ev.of_term(x.kind, term)?
        } else if *varies {
            let Some(scalar) = x.kind.scalar() else {
                return not_supported(ev.at, "a loop that changes the length of an array of complex numbers");
            };
            let length = ev.fresh("X");
            let mut shape = x.shape.clone();
            shape[0] = length.as_size();
            let hidden = ev.term(TermKind::Hide(length, term, scalar, shape.clone()));
            let (length, bound) = ev.unpack(hidden, "state", "the length of an array that a loop gives")?;
            shape[0] = length;
            Arr { shape, repr: Repr::Stored(bound), ..x.clone() }
        } else {
            let bound = ev.bind(term, "state")?;
            Arr { repr: Repr::Stored(bound), ..x.clone() }
        });
    }
    Ok(found)
}

/// The result of an iteration, in the kinds and shapes of the state. Lengths not proved equal are checked by the run.
fn fitted(ev: &mut Ev, start: &Start, next: &[Arr]) -> Res<Vec<Arr>> {
    let mut found = Vec::with_capacity(next.len());
    for ((now, varies), next) in start.arrays.iter().zip(&start.varying).zip(next) {
        let next = ev.as_kind(next, now.kind)?;
        let axes: Vec<(usize, usize)> = (usize::from(*varies)..now.rank()).map(|axis| (axis, axis)).collect();
        let changed = |wanted: &str, found: &str| {
            format!("an iteration keeps the lengths of its argument, but gives {found} for {wanted}")
        };
        found.push(ev.equal_lengths(now, &next, &axes, &changed)?);
    }
    Ok(found)
}

type Test<'a> = &'a dyn Fn(&mut Ev, &[Arr]) -> Res<Term>;
type Step<'a> = &'a dyn Fn(&mut Ev, &[Arr]) -> Res<Vec<Arr>>;

/// Repeats `step` as long as `test` holds.
pub fn repeat_while(ev: &mut Ev, start: &Start, test: Test<'_>, step: Step<'_>) -> Res<Vec<Arr>> {
    let first = packed(ev, &start.arrays)?;
    let parts = ev.inside(|ev| {
        ev.lambda(&["s"], |ev, args| {
            let state = opened(ev, &args[0], start)?;
            test(ev, &state)
        })
        .and_then(|test| Ok((test, body(ev, start, step)?)))
    });
    let (test, body) = parts?;
    let last = ev.app("iterateWhile", [test, body, first]);
    let last = ev.share(last, "end")?;
    opened(ev, &last, start)
}

/// Repeats `step` on one array `n` times.
pub fn repeat(ev: &mut Ev, n: i64, start: &Start, step: Step<'_>) -> Res<Vec<Arr>> {
    let first = packed(ev, &start.arrays)?;
    let body = ev.inside(|ev| body(ev, start, step));
    let n = ev.size_argument(&crate::size::Size::int(n));
    let last = ev.app("iterate", [n, body?, first]);
    opened(ev, &last, start)
}

fn body(ev: &mut Ev, start: &Start, step: Step<'_>) -> Res<Term> {
    ev.lambda(&["s"], |ev, args| {
        let state = opened(ev, &args[0], start)?;
        let next = step(ev, &state)?;
        let next = fitted(ev, start, &next)?;
        packed(ev, &next)
    })
}
