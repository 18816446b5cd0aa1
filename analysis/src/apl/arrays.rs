//! Access to the elements of arrays, storing of arrays, and checks of equal lengths.

use super::context::{FEW, deeper};
use super::value::{Arr, Ev, Kind, Repr, Res, Scalar, fail, fail_with, not_supported};
use crate::failure::{self, Wording};
use crate::front::term::{self, Bound, Term};
use crate::hir;
use crate::size::Size;
use lift_syntax::{SyntaxErrorCode, TextRange};
use std::sync::Arc;

/// Maximum number of `concat`ed parts of an array of known elements.
const MOST_PARTS: usize = 128;

impl Ev {
    /// The term of the element at an index.
    pub fn element(&mut self, arr: &Arr, index: &[Term]) -> Res<Term> {
        match &arr.repr {
            Repr::Items(items) => {
                let items = items.clone();
                let linear = self.linear(index, &arr.shape);
                self.among(&items, &linear, 0)
            }
            Repr::Pull(pull) => {
                let before = std::mem::replace(&mut self.at, arr.range);
                let term = deeper(|| pull(self, index));
                self.at = before;
                let term = term?;
                self.spend(&term)?;
                Ok(term)
            }
            Repr::Stored(bound) => {
                let array = self.local(bound);
                let read = |row, i: &Term| self.app("aref", [row, i.clone()]).worded(self.outside());
                Ok(index.iter().fold(array, read))
            }
            Repr::Boxes(_) | Repr::Rows(_) => not_supported(arr.range, "an array of arrays here"),
            Repr::Text(_) => {
                not_supported(arr.range, "a text that the run writes, where it is neither joined nor printed,")
            }
        }
    }

    /// Selects one of several terms by binary search over the index.
    fn among(&mut self, items: &[Scalar], index: &Term, from: usize) -> Res<Term> {
        let same = |a: &Scalar, b: &Scalar| a.known.is_some() && a.known == b.known;
        match items {
            [] => fail(SyntaxErrorCode::AplIndex, self.at, "an empty array has no elements"),
            [first, rest @ ..] if rest.iter().all(|item| same(first, item)) => Ok(first.term.clone()),
            _ => {
                if let term::Kind::Int(n) = index.kind() {
                    let place = usize::try_from(*n).ok().and_then(|n| n.checked_sub(from));
                    let item = place.and_then(|place| items.get(place));
                    return item.map_or_else(
                        || fail(SyntaxErrorCode::AplIndex, self.at, "this index is outside of the array"),
                        |item| Ok(item.term.clone()),
                    );
                }
                let index = self.share(index.clone(), "i")?;
                let half = items.len() / 2;
                let low = self.among(&items[..half], &index, from)?;
                let high = self.among(&items[half..], &index, from + half)?;
                let condition = self.app("<", [index, self.int((from + half) as i32)]);
                Ok(self.choose(condition, low, high))
            }
        }
    }

    /// Makes reading at any index cheap: an array of many different elements is stored.
    pub fn ready(&mut self, arr: &Arr) -> Res<Arr> {
        match arr.items() {
            Some(items)
                if items.len() > FEW && !self.settling && items.iter().any(|item| item.known != items[0].known) =>
            {
                self.stored(arr)
            }
            _ => Ok(arr.clone()),
        }
    }

    /// Stores the array under a name.
    pub fn stored(&mut self, arr: &Arr) -> Res<Arr> {
        if arr.shape.is_empty() || matches!(arr.repr, Repr::Stored(_)) {
            return Ok(arr.clone());
        }
        if arr.kind == Kind::Nested || matches!(arr.repr, Repr::Text(_)) {
            return self.stored_nested(arr);
        }
        let before = std::mem::replace(&mut self.at, arr.range);
        let term = match arr.items() {
            Some(items) if items.len() > FEW => {
                let items = items.to_vec();
                let flat = Arr { shape: vec![Size::nat(items.len() as u64)], ..arr.clone() };
                let term = self.listed(&items)?;
                let bound = self.bind(term, "a")?;
                let flat = Arr { repr: Repr::Stored(bound), ..flat };
                if arr.shape.len() == 1 {
                    self.at = before;
                    return Ok(flat);
                }
                let shape = arr.shape.clone();
                let pull = self.of_pull(arr.kind, arr.shape.clone(), move |ev, index| {
                    let linear = ev.linear(index, &shape);
                    ev.element(&flat, &[linear])
                });
                self.nest(&pull, &mut Vec::new())?
            }
            _ => self.nest(arr, &mut Vec::new())?,
        };
        let bound = self.bind(term, "a")?;
        self.at = before;
        Ok(Arr { repr: Repr::Stored(bound), ..arr.clone() })
    }

    /// The array of given elements: a balanced tree of `concat`s, in which a run of equal elements is one part. With
    /// many parts, the index selects the element, because a view is expanded at each read.
    fn listed(&mut self, items: &[Scalar]) -> Res<Term> {
        let same = |a: &Scalar, b: &Scalar| a.known.is_some() && a.known == b.known;
        let runs: Vec<&[Scalar]> = items.chunk_by(same).collect();
        if runs.len() <= MOST_PARTS {
            return self.joined(&runs);
        }
        let all = self.size_argument(&Size::nat(items.len() as u64));
        let all = self.app("iota", [all]);
        let choice = self.lambda(&["i"], |ev, args| ev.among(items, &args[0], 0))?;
        Ok(self.app("map", [choice, all]))
    }

    fn joined(&mut self, runs: &[&[Scalar]]) -> Res<Term> {
        if let [run @ [item, ..]] = runs {
            let count = self.size_argument(&Size::nat(run.len() as u64));
            return Ok(self.app("fill", [count, item.term.clone()]));
        }
        let (left, right) = runs.split_at(runs.len() / 2);
        let (left, right) = (self.joined(left)?, self.joined(right)?);
        Ok(self.app("concat", [left, right]))
    }

    /// Nested maps, one for each axis.
    fn nest(&mut self, arr: &Arr, index: &mut Vec<Term>) -> Res<Term> {
        let Some(extent) = arr.shape.get(index.len()) else { return self.element(arr, index) };
        if extent.is_zero() {
            return self.empty(arr.kind, &arr.shape[index.len()..]);
        }
        let size = self.size_argument(extent);
        let over = self.app("iota", [size]);
        let function = self.lambda(&["i"], |ev, args| {
            index.push(args[0].clone());
            let body = ev.nest(arr, index);
            index.pop();
            body
        })?;
        Ok(self.app("map", [function, over]))
    }

    /// An array without elements.
    fn empty(&mut self, kind: Kind, shape: &[Size]) -> Res<Term> {
        let Some((extent, rest)) = shape.split_first() else {
            return Ok(self.known(kind, kind.fill()).term);
        };
        let inner = self.empty(kind, rest)?;
        let size = self.size_argument(extent);
        Ok(self.app("fill", [size, inner]))
    }

    /// The linear index of an element in row-major order.
    pub fn linear(&mut self, index: &[Term], shape: &[Size]) -> Term {
        let mut place = self.int(0);
        for (i, extent) in index.iter().zip(shape) {
            let extent = self.size_term(extent);
            let scaled = self.times(place, extent);
            place = self.plus(scaled, i.clone());
        }
        place
    }

    // ---- lengths

    /// A number as a length. A number that is not known to be a length becomes a hidden one.
    pub fn reify(&mut self, arr: &Arr, what: &str) -> Res<Size> {
        let Some(scalar) = arr.scalar().or_else(|| arr.items().filter(|items| items.len() == 1)?.first()) else {
            return fail(SyntaxErrorCode::AplRank, arr.range, format!("{what} needs one number"));
        };
        self.reify_scalar(&scalar.clone(), arr.range, what)
    }

    pub fn reify_scalar(&mut self, scalar: &Scalar, range: TextRange, what: &str) -> Res<Size> {
        if let Some(size) = &scalar.size {
            if size.as_const().is_some_and(|n| n < 0) {
                return fail(SyntaxErrorCode::AplDomain, range, format!("{what} cannot be negative"));
            }
            return Ok(size.clone());
        }
        let term = match scalar.kind {
            Kind::Bool | Kind::Int => self.convert(scalar.term.clone(), scalar.kind, Kind::Int),
            Kind::Double | Kind::Complex | Kind::Char | Kind::Nested => {
                let number = self.of_scalar(scalar.clone()).at(range);
                let number = self.whole(&number, what)?;
                let number = number.scalar().cloned();
                return number.map_or(Ok(Size::zero()), |number| self.reify_scalar(&number, range, what));
            }
        };
        let term = self.share(term, "n")?;
        let term::Kind::Local(bound) = term.kind() else { return Ok(Size::zero()) };
        let key = bound.id;
        if let Some((_, size)) = self.lengths.get(&key) {
            return Ok(size.clone());
        }
        let negative = Wording::new(failure::Kind::Argument, format!("{what} cannot be negative, but is {{0}}"));
        let all = self.app("iota", [term.clone()]).worded(Some(negative));
        let before = std::mem::replace(&mut self.at, range);
        let opened = self.unpack(all, "r", "a number that the run computes");
        self.at = before;
        let (size, _) = opened?;
        self.lengths.insert(key, (self.scopes.len(), size.clone()));
        Ok(size)
    }

    /// Makes the lengths of the right argument `b` equal to those of `a` along pairs of axes. Different constants are an
    /// error; lengths not proved equal are checked at run time. `what` names the operation.
    pub fn conform(&mut self, a: &Arr, b: &Arr, axes: &[(usize, usize)], what: &str) -> Res<Arr> {
        self.equal_lengths(a, b, axes, &|wanted, found| {
            format!("{what} needs equal lengths, but the left has {wanted} and the right {found}")
        })
    }

    /// [`Ev::conform`] of a left argument `b` with the right argument `a`.
    pub fn conform_left(&mut self, a: &Arr, b: &Arr, axes: &[(usize, usize)], what: &str) -> Res<Arr> {
        self.equal_lengths(a, b, axes, &|wanted, found| {
            format!("{what} needs equal lengths, but the left has {found} and the right {wanted}")
        })
    }

    /// Makes the lengths of `b` equal to those of `a` along pairs of axes. `words` is the message if a length of `a`
    /// and one of `b` differ.
    pub fn equal_lengths(&mut self, a: &Arr, b: &Arr, axes: &[(usize, usize)], words: Unequal<'_>) -> Res<Arr> {
        let mut shape = b.shape.clone();
        let mut unequal: Vec<Option<Arc<Wording>>> = vec![None; shape.len()];
        for &(left, right) in axes {
            let (x, y) = (&a.shape[left], &b.shape[right]);
            if x == y {
                continue;
            }
            if let (Some(m), Some(n)) = (x.as_const(), y.as_const()) {
                let message = words(&m.to_string(), &n.to_string());
                let related = Some((a.range, format!("this has {m}: `{}`", a.type_text())));
                return fail_with(SyntaxErrorCode::AplLength, b.range, message, related);
            }
            unequal[right] = Some(Wording::new(failure::Kind::Cast, words(&told(x, 1), &told(y, 0))));
            self.checked(b.range, x, y);
            shape[right] = x.clone();
        }
        let Some(first) = unequal.iter().flatten().next().cloned() else { return Ok(b.clone()) };
        if matches!(b.repr, Repr::Pull(_)) {
            return self.read_through(b, shape, &unequal);
        }
        let stored = self.stored(b)?;
        let Repr::Stored(bound) = &stored.repr else { return Ok(stored) };
        let Some(scalar) = b.kind.scalar() else {
            return not_supported(b.range, "a comparison of lengths of complex numbers that only the run knows");
        };
        let value = self.local(bound);
        let cast = self.term(term::Kind::Ascribe(value, scalar, shape.clone()));
        let cast = cast.worded(Some(first));
        let bound = self.bind(cast, "a")?;
        Ok(Arr { shape, repr: Repr::Stored(bound), ..b.clone() })
    }

    /// An array that is computed where it is read, in a shape whose equality with its own the run checks. An axis that
    /// may differ is read through its indices, an array that takes no memory, so that this array needs no copy.
    fn read_through(&mut self, arr: &Arr, shape: Vec<Size>, unequal: &[Option<Arc<Wording>>]) -> Res<Arr> {
        let mut through = Vec::with_capacity(shape.len());
        for ((own, wanted), words) in arr.shape.iter().zip(&shape).zip(unequal) {
            let Some(words) = words else {
                through.push(None);
                continue;
            };
            let size = self.size_argument(own);
            let indices = self.app("iota", [size]);
            let cast = self.term(term::Kind::Ascribe(indices, hir::Scalar::Int, vec![wanted.clone()]));
            through.push(Some(self.bind(cast.worded(Some(words.clone())), "i")?));
        }
        let inner = arr.clone();
        let read = self.of_pull(arr.kind, shape, move |ev, index| {
            let place = |(i, through): (&Term, &Option<Bound>)| match through {
                Some(indices) => ev.app("aref", [ev.local(indices), i.clone()]),
                None => i.clone(),
            };
            let index: Vec<Term> = index.iter().zip(&through).map(place).collect();
            ev.element(&inner, &index)
        });
        Ok(read.at(arr.range))
    }
}

/// Formats the message about two different lengths.
type Unequal<'a> = &'a dyn Fn(&str, &str) -> String;

/// A length in the message of a failure: a constant, or the failure's number `place` with the name of the length.
fn told(length: &Size, place: usize) -> String {
    match length.as_const() {
        Some(n) => n.to_string(),
        None => format!("{{{place}}} (`{length}`)"),
    }
}
