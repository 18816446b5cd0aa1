//! The executions of a statement: the work-items and iterations of loops around it, as a nest of ranges.
//!
//! Conditions narrow the ranges. A loop with the stride of the grid replaces the range of its work-items by one for all
//! of its iterations. The number of elements of the nest is the number of executions.

use super::amount::Amount;
use lift_analysis::size::{Facts, Size, Var, VarKind, closed_form};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Longest constant range over which a sum without a closed form is added up term by term.
const ADDED_UP: i64 = 64;
/// Maximum terms of counts that are subtracted, and of sizes that are compared.
const LONGEST: u32 = 48;
const MOST_SUMMANDS: usize = 8;

/// One range: `low <= var < high`, in terms of the ranges around it; `low <= high` always.
#[derive(Debug, Clone)]
struct Index {
    var: Var,
    low: Size,
    high: Size,
    /// Bounds, in terms of the ranges around it, whose difference is the number of values.
    span: Option<(Size, Size)>,
    /// Start, end and step of the loop.
    turns: Option<[Size; 3]>,
    /// An upper bound of the number of values, without the ranges around it.
    most: Option<Size>,
}

#[derive(Debug, Clone)]
pub struct Domain {
    /// Outermost first.
    indices: Vec<Index>,
    /// Values of removed indices in terms of the others, in the order of removal.
    replaced: Vec<(Var, Size)>,
    /// Removed indices whose value is unknown.
    gone: FxHashSet<Var>,
    /// Facts outside all ranges.
    base: Facts,
    /// Facts at an element, where no range is empty.
    facts: Facts,
    /// The number of elements, if it is known otherwise.
    total: Option<Size>,
    /// The index by which neighbouring work-items differ, by one.
    lane: Option<Var>,
    pub exact: bool,
    /// Cached counts, shared with the domains from which this one was made: many statements have the same number of
    /// executions.
    counted: Rc<RefCell<FxHashMap<Vec<Range>, Amount>>>,
}

/// The parts of an index that determine the number of elements: variable, ends, span, upper bound.
type Range = (Var, [Size; 2], Option<(Size, Size)>, Option<Size>);

/// The part of a domain in which a condition holds.
pub enum Narrowed {
    All,
    Nothing,
    Part(Box<Domain>),
    Unknown,
}

thread_local! {
    static NEXT: Cell<u32> = const { Cell::new(0) };
}

/// A fresh index. Its id is not used in any program, and it occurs only within one count.
fn fresh() -> Var {
    let id = NEXT.with(|next| next.replace(next.get().wrapping_add(1) % (1 << 20)));
    Var::new(VarKind::Position, (1 << 30) + id, "w")
}

/// `⌈a/b⌉`, written with a constant divisor as programs write it.
pub fn rounded_up(a: &Size, b: &Size) -> Size {
    match b.as_const() {
        Some(n) if n > 0 => a.add(&Size::int(n - 1)).div_floor(b),
        _ => a.div_ceil(b),
    }
}

impl Domain {
    pub fn new(facts: Facts) -> Domain {
        Domain {
            indices: Vec::new(),
            replaced: Vec::new(),
            gone: FxHashSet::default(),
            base: facts.clone(),
            facts,
            total: None,
            lane: None,
            exact: true,
            counted: Rc::default(),
        }
    }

    /// Whether `a <= b` is provable. Long sizes are not tried: that takes long and seldom helps.
    pub fn is_at_most(&self, a: &Size, b: &Size) -> bool {
        let d = b.sub(a);
        match d.as_const() {
            Some(n) => n >= 0,
            None => d.weight() <= LONGEST && self.facts.le(a, b).is_yes(),
        }
    }
    /// Names a size without indices.
    pub fn name(&mut self, var: &Var, value: &Size) {
        for facts in [&mut self.base, &mut self.facts] {
            let (low, high) = facts.bounds(value);
            let positive = facts.le(&Size::one(), value).is_yes();
            facts.assume_range(var.clone(), low, high);
            if positive {
                facts.assume_le(Size::one(), Size::var(var.clone()));
            }
        }
    }
    pub fn simplify(&self, size: &Size) -> Size {
        if size.weight() <= LONGEST { self.facts.simplify(size) } else { size.clone() }
    }
    pub fn has_index(&self, size: &Size) -> bool {
        self.mentions_index(size) || size.any_var(&mut |v| self.gone.contains(v))
    }
    /// Assumes `a <= b` for all indices.
    pub fn assume_at_most(&mut self, a: &Size, b: &Size) {
        self.base.assume_le(a.clone(), b.clone());
        self.facts.assume_le(a.clone(), b.clone());
    }

    /// Adds a range of `n >= 0` numbers, and returns its index.
    pub fn push(&mut self, n: &Size) -> Size {
        if let Some(n) = n.as_const()
            && n == 1
        {
            return Size::zero();
        }
        let var = fresh();
        self.total = match self.total.take() {
            Some(total) if !self.mentions_index(n) => Some(total.mul(n)),
            Some(_) => {
                self.exact = false;
                None
            }
            None => None,
        };
        self.facts.assume_range(var.clone(), Some(Size::zero()), Some(n.sub(&Size::one())));
        self.indices.push(Index {
            var: var.clone(),
            low: Size::zero(),
            high: n.clone(),
            span: None,
            turns: None,
            most: None,
        });
        Size::var(var)
    }

    /// An upper bound of a size for all indices.
    pub fn most(&self, size: &Size) -> Option<Size> {
        if !self.has_index(size) {
            return Some(size.clone());
        }
        let light = size.weight() <= LONGEST;
        let most = if light { self.facts.bounds(size).1 } else { None };
        most.filter(|most| !self.has_index(most))
    }
    /// Marks the index by which neighbouring work-items differ.
    pub fn has_lanes(&mut self, item: &Size) {
        self.lane = item.as_var().cloned();
    }
    /// The distance between the addresses of neighbouring work-items: 0 if they are equal, `None` if unknown.
    pub fn stride(&self, place: &Size) -> Option<Size> {
        let place = self.known(place)?;
        let lane = self.lane.as_ref()?;
        let next = place.subst_var(lane, &Size::var(lane.clone()).add(&Size::one()));
        let stride = self.simplify(&next.sub(&place));
        (!self.mentions_index(&stride)).then_some(stride)
    }
    /// Records a removed index, by which `by` changes.
    fn moved(&mut self, old: &Var, by: Option<&Size>) {
        if self.lane.as_ref() == Some(old) {
            self.lane = by.and_then(Size::as_var).cloned();
        }
    }

    /// A size in terms of the present indices; `None` if it needs a removed one.
    pub fn known(&self, size: &Size) -> Option<Size> {
        let mut size = size.clone();
        for (var, by) in &self.replaced {
            if size.contains(var) {
                size = size.subst_var(var, by);
            }
        }
        (!size.any_var(&mut |v| self.gone.contains(v))).then_some(size)
    }

    fn mentions_index(&self, size: &Size) -> bool {
        size.any_var(&mut |v| self.indices.iter().any(|i| i.var == *v))
    }
    fn position(&self, var: &Var) -> Option<usize> {
        self.indices.iter().position(|i| i.var == *var)
    }
    /// Whether the range of an index depends on this one.
    fn is_used(&self, var: &Var) -> bool {
        self.indices.iter().any(|i| i.low.contains(var) || i.high.contains(var))
    }

    /// Limits the number of executed elements to `total`.
    pub fn limited(&self, total: Size) -> Domain {
        Domain { total: Some(total), exact: false, ..self.clone() }
    }
    /// Removes `part` of the elements; which ones is unknown.
    pub fn without(&self, part: &Amount) -> Domain {
        let all = self.count();
        // Subtracting an upper bound would leave too little; and long differences are unreadable.
        let short = part.exact && part.size.summands().len() <= MOST_SUMMANDS;
        if !short {
            return Domain { exact: false, ..self.clone() };
        }
        let exact = self.exact && all.exact;
        Domain { total: Some(all.size.sub(&part.size)), exact, ..self.clone() }
    }

    /// A number of at least zero.
    fn natural(&self, n: Size) -> Size {
        if self.is_at_most(&Size::zero(), &n) { n } else { Size::max(&Size::zero(), &n) }
    }
    fn lesser(&self, a: &Size, b: &Size) -> Size {
        if self.is_at_most(a, b) {
            a.clone()
        } else if self.is_at_most(b, a) {
            b.clone()
        } else {
            Size::min(a, b)
        }
    }
    fn greater(&self, a: &Size, b: &Size) -> Size {
        self.lesser(&a.neg(), &b.neg()).neg()
    }

    /// The number of elements.
    pub fn count(&self) -> Amount {
        if let Some(total) = &self.total {
            return Amount { size: total.clone(), exact: self.exact };
        }
        let range = |i: &Index| (i.var.clone(), [i.low.clone(), i.high.clone()], i.span.clone(), i.most.clone());
        let ranges: Vec<Range> = self.indices.iter().map(range).collect();
        let known = self.counted.borrow().get(&ranges).cloned();
        let mut count = known.unwrap_or_else(|| {
            let count = self.count_ranges();
            self.counted.borrow_mut().insert(ranges, count.clone());
            count
        });
        count.exact &= self.exact;
        count
    }

    fn count_ranges(&self) -> Amount {
        let (mut count, mut exact) = (Size::one(), true);
        // So far only the last range is counted, times a number; it has at most so many elements.
        let mut fallback: Option<Size> = None;
        let mut last: Option<(Size, &(Size, Size))> = None;
        for index in self.indices.iter().rev() {
            let Index { var, low, high, span, most, .. } = index;
            if !count.contains(var) {
                let n = high.sub(low);
                last = span.as_ref().filter(|_| !self.mentions_index(&count)).map(|span| (count.clone(), span));
                let long = self.mentions_index(&n) && (n.weight() > LONGEST || !self.adds_up(&n));
                count = count.mul(match most {
                    Some(most) if long && last.is_none() => {
                        exact = false;
                        most
                    }
                    _ => &n,
                });
                fallback = most.as_ref().filter(|_| last.is_some()).cloned();
                continue;
            }
            // Adjacent ranges are one range.
            let each = last.as_ref().map(|(each, _)| each.clone());
            if let Some((each, (from, to))) = last.take()
                && self.base.equal(&from.subst_var(var, &Size::var(var.clone()).add(&Size::one())), to).is_yes()
            {
                let all = from.subst_var(var, high).sub(&from.subst_var(var, low));
                count = each.mul(&self.base.simplify(&all));
                continue;
            }
            let n = high.sub(low);
            let other = each.zip(fallback.take());
            if let Some((each, most)) = &other
                && count.weight() > LONGEST
            {
                exact = false;
                count = each.mul(most).mul(&n);
                continue;
            }
            // One element or none: `N mod k` elements after the last whole k.
            if n.weight() <= LONGEST && self.base.le(&n, &Size::one()).is_yes() {
                let (first, behind) = (count.subst_var(var, low), count.subst_var(var, high));
                let zero = Size::zero();
                if self.base.le(&zero, &first).is_yes() && self.base.le(&behind, &zero).is_yes() {
                    count = self.base.simplify(&first);
                    continue;
                }
            }
            let shifted = count.subst_var(var, &Size::var(var.clone()).add(low));
            let closed = closed_form(var, &n, &shifted).filter(|closed| closed.weight() <= 4 * LONGEST);
            count = match (closed, n.as_const()) {
                (Some(closed), _) => closed,
                (None, Some(n)) if n <= ADDED_UP => {
                    (0..n).map(|i| shifted.subst_var(var, &Size::int(i))).fold(Size::zero(), |sum, part| sum.add(&part))
                }
                _ => {
                    exact = false;
                    if let Some((each, most)) = other {
                        count = each.mul(&most).mul(&n);
                        continue;
                    }
                    let most = self.facts.bounds(&count).1.filter(|most| !self.mentions_index(most));
                    match most {
                        Some(most) => most.mul(&n),
                        None => Size::sum(var.clone(), n, shifted),
                    }
                }
            };
        }
        Amount { size: self.base.simplify(&count), exact }
    }

    /// Whether the sum of a size over the ranges of its indices has a closed form.
    fn adds_up(&self, size: &Size) -> bool {
        let mut of = self.indices.iter().filter(|i| size.contains(&i.var));
        of.all(|i| closed_form(&i.var, &i.high, size).is_some())
    }

    /// The index, starting with 0, whose constant multiple a size is.
    fn plain_index(&self, size: &Size) -> Option<usize> {
        let at = self.position(size.as_var()?)?;
        self.indices[at].low.is_zero().then_some(at)
    }

    /// `size / by` and `size % by`, if `size` is an index that can be split in two.
    pub fn cut(&mut self, size: &Size, by: i64) -> Option<(Size, Size)> {
        let at = self.plain_index(size)?;
        let range = self.indices[at].high.as_const()?;
        if by <= 0 || range % by != 0 || self.is_used(&self.indices[at].var) {
            return None;
        }
        let old = self.indices.remove(at);
        let total = self.total.take();
        let (upper, lower) = (self.push(&Size::int(range / by)), self.push(&Size::int(by)));
        self.total = total;
        self.moved(&old.var, Some(if by == 1 { &upper } else { &lower }));
        self.replaced.push((old.var, upper.mul(&Size::int(by)).add(&lower)));
        Some((upper, lower))
    }

    /// The part in which `size % by` is `rest`.
    pub fn congruent(&self, size: &Size, by: i64, rest: i64) -> Option<Domain> {
        let mut part = self.clone();
        let at = part.plain_index(size)?;
        if part.total.is_some() || by <= 0 || !(0..by).contains(&rest) || part.is_used(&part.indices[at].var) {
            return None;
        }
        let old = part.indices.remove(at);
        let n = rounded_up(&old.high.sub(&Size::int(rest)), &Size::int(by));
        let n = part.natural(n);
        let z = part.push(&n);
        part.moved(&old.var, None);
        part.replaced.push((old.var, z.mul(&Size::int(by)).add(&Size::int(rest))));
        Some(part)
    }

    /// The indices in which a size is linear, with their coefficients, and the rest.
    fn linear(&self, size: &Size) -> (Vec<(usize, Size)>, Size) {
        let (mut found, mut rest) = (Vec::new(), size.clone());
        for (at, index) in self.indices.iter().enumerate() {
            if let Some((coefficient, other)) = rest.linear_in(&index.var)
                && !coefficient.is_zero()
                && !self.mentions_index(&coefficient)
            {
                found.push((at, coefficient));
                rest = other;
            }
        }
        (found, rest)
    }

    /// Indices that count `0, unit, 2·unit, …` like digits of a number, lowest first, and the product of their ranges
    /// and the unit. Stops when `enough` returns true.
    fn digits(
        &self,
        of: &[(usize, Size)],
        unit: &Size,
        enough: &dyn Fn(&Size) -> bool,
    ) -> Option<(Vec<(usize, Size)>, Size)> {
        let (mut chain, mut next) = (Vec::new(), unit.clone());
        while !enough(&next) {
            let Some((at, coefficient)) = of.iter().find(|(_, c)| *c == next) else { break };
            let index = &self.indices[*at];
            let whole = index.low.is_zero() && !self.mentions_index(&index.high);
            // A single digit may count in any way.
            if chain.iter().any(|(a, _)| a == at) || !(whole || chain.is_empty()) {
                break;
            }
            chain.push((*at, coefficient.clone()));
            if !whole {
                break;
            }
            next = next.mul(&index.high);
        }
        (!chain.is_empty()).then_some((chain, next))
    }

    /// One index `z` for several digits; `None` if ranges depend on them.
    fn joined(&self, chain: &[(usize, Size)], unit: &Size, n: &Size) -> Option<(Domain, Size)> {
        let mut domain = self.clone();
        if chain.iter().any(|(at, _)| self.is_used(&self.indices[*at].var)) {
            return None;
        }
        let vars: Vec<(Var, Size)> = chain.iter().map(|(at, c)| (self.indices[*at].var.clone(), c.clone())).collect();
        domain.indices.retain(|i| !vars.iter().any(|(v, _)| *v == i.var));
        let total = domain.total.take();
        let z = domain.push(n);
        domain.total = total;
        for (var, c) in &vars {
            domain.moved(var, Some(&z).filter(|_| c == unit));
        }
        let mut first = z.clone();
        for (var, c) in vars.iter().skip(1) {
            first = first.sub(&Size::var(var.clone()).mul(&c.div_exact(unit)));
            domain.gone.insert(var.clone());
        }
        domain.replaced.extend(vars.first().map(|(v, _)| (v.clone(), first)));
        Some((domain, z))
    }

    /// A loop `for (i = from; i < to; i += step)`: the executions of its body, and the value of `i`. If `from` counts
    /// the work-items and `step` is their number, they share one range.
    ///
    /// `most` is an upper bound of `to - from`, if one is known.
    pub fn iterate(&self, from: &Size, to: &Size, step: &Size, most: Option<&Size>) -> (Domain, Size) {
        let (linear, _) = self.linear(from);
        let turns = linear.iter().filter(|_| self.total.is_none()).filter_map(|(_, unit)| {
            let (chain, product) = self.digits(&linear, unit, &|n| n == step)?;
            let free = chain.iter().all(|(at, _)| {
                let index = &self.indices[*at];
                index.low.is_zero() && !self.mentions_index(&index.high) && !self.is_used(&index.var)
            });
            (product == *step && free).then(|| (chain, unit.clone()))
        });
        let turns = turns.max_by_key(|(chain, _)| chain.len());
        let mut domain = self.clone();
        let mut lane = false;
        let (base, unit) = match turns {
            Some((chain, unit)) => {
                let mut base = from.clone();
                for (at, c) in &chain {
                    let var = &self.indices[*at].var;
                    base = base.sub(&Size::var(var.clone()).mul(c));
                    if self.lane.as_ref() == Some(var) {
                        domain.lane = None;
                        lane = *c == unit;
                    }
                }
                let shared: Vec<Var> = chain.iter().map(|(at, _)| self.indices[*at].var.clone()).collect();
                domain.indices.retain(|i| !shared.contains(&i.var));
                domain.gone.extend(shared);
                (base, unit)
            }
            None => (from.clone(), step.clone()),
        };
        let n = domain.natural(rounded_up(&to.sub(&base), &unit));
        let z = domain.push(&n);
        if lane {
            domain.has_lanes(&z);
        }
        if let Some(last) = domain.indices.last_mut()
            && Some(&last.var) == z.as_var()
        {
            last.span = unit.is_one().then(|| (base.clone(), to.clone()));
            last.turns = Some([base.clone(), to.clone(), unit.clone()]);
            last.most = most.map(|most| rounded_up(most, &unit));
        }
        (domain, base.add(&z.mul(&unit)))
    }

    /// The part in which `d >= 1`.
    pub fn where_positive(&self, d: &Size) -> Narrowed {
        let Some(d) = self.known(d) else { return Narrowed::Unknown };
        let one = Size::one();
        if self.is_at_most(&one, &d) {
            return Narrowed::All;
        }
        if self.is_at_most(&d, &Size::zero()) {
            return Narrowed::Nothing;
        }
        if self.total.is_some() {
            return Narrowed::Unknown;
        }
        if !self.mentions_index(&d) {
            return Narrowed::Unknown;
        }
        if let Some(part) = self.last_turn(&d) {
            return Narrowed::Part(Box::new(part));
        }
        for positive in [true, false] {
            let signed = if positive { d.clone() } else { d.neg() };
            let (linear, _) = self.linear(&signed);
            let units = linear.iter().map(|(_, unit)| unit).filter(|unit| unit.as_const().is_none_or(|c| c > 0));
            let chains = units.filter_map(|unit| Some((self.digits(&linear, unit, &|_| false)?, unit.clone())));
            let longest = chains.max_by_key(|((chain, _), _)| chain.len());
            let Some(((chain, product), unit)) = longest else { continue };
            let digit = |(at, c): &(usize, Size)| Size::var(self.indices[*at].var.clone()).mul(c);
            let rest = chain.iter().fold(signed, |rest, part| rest.sub(&digit(part)));
            let joined = match chain.as_slice() {
                [(only, _)] => Some((self.clone(), Size::var(self.indices[*only].var.clone()))),
                _ => self.joined(&chain, &unit, &product.div_exact(&unit)),
            };
            if let Some((domain, z)) = joined
                && let Some(part) = domain.cut_off(&z, &unit, &rest, positive)
            {
                return Narrowed::Part(Box::new(part));
            }
        }
        // The innermost index alone, in terms of those around it.
        let inner = self.indices.iter().rev().find(|i| d.contains(&i.var));
        if let Some(index) = inner
            && let Some((c, rest)) = d.linear_in(&index.var)
            && let Some(n) = c.as_const()
            && let rest = if n > 0 { rest } else { rest.neg() }
            && let Some(part) = self.cut_off(&Size::var(index.var.clone()), &Size::int(n.abs()), &rest, n > 0)
        {
            return Narrowed::Part(Box::new(part));
        }
        Narrowed::Unknown
    }

    /// The part in which `from + step·z + l < to`, in a loop over z in each of whose iterations the work-items l do
    /// `step` elements: together they do each element once. `d` is the difference.
    fn last_turn(&self, d: &Size) -> Option<Domain> {
        for index in &self.indices {
            let Some([from, to, step]) = &index.turns else { continue };
            let item = to.sub(d).sub(from).sub(&Size::var(index.var.clone()).mul(step));
            let Some(at) = item.as_var().and_then(|l| self.position(l)) else { continue };
            let items = &self.indices[at];
            let whole = items.low.is_zero() && items.high == *step && index.low.is_zero();
            if !whole || self.is_used(&index.var) || self.is_used(&items.var) {
                continue;
            }
            let (turn, l) = (index.var.clone(), items.var.clone());
            let mut part = self.clone();
            part.indices.retain(|i| i.var != turn && i.var != l);
            let z = part.push(&self.natural(to.sub(from)));
            part.moved(&l, Some(&z));
            if let Some(last) = part.indices.last_mut()
                && Some(&last.var) == z.as_var()
            {
                last.span = Some((from.clone(), to.clone()));
                last.most = index.most.as_ref().map(|most| most.mul(step));
            }
            part.replaced.push((l, z.sub(&Size::var(turn.clone()).mul(step))));
            part.gone.insert(turn);
            return Some(part);
        }
        None
    }

    /// The part in which `unit·z + rest >= 1` (`positive`), or in which `unit·z + rest <= -1`.
    fn cut_off(&self, z: &Size, unit: &Size, rest: &Size, positive: bool) -> Option<Domain> {
        let mut part = self.clone();
        let at = part.position(z.as_var()?)?;
        let mut index = part.indices[at].clone();
        let one = Size::one();
        if positive {
            index.low = self.greater(&index.low, &rounded_up(&one.sub(rest), unit));
        } else {
            // unit·z <= -1 - rest
            let end = one.add(rest).neg().div_floor(unit).add(&one);
            index.high = self.lesser(&index.high, &end);
        }
        index.high = index.low.add(&self.natural(index.high.sub(&index.low)));
        (index.span, index.turns) = (None, None);
        // Ranges are in terms of those outside of them.
        let outside = |limit: &Size| part.indices[at..].iter().all(|i| !limit.contains(&i.var));
        if !(outside(&index.low) && outside(&index.high)) {
            if part.is_used(&index.var) {
                return None;
            }
            part.indices.remove(at);
            part.indices.push(index.clone());
        } else {
            part.indices[at] = index.clone();
        }
        let last = index.high.sub(&one);
        part.facts.assume_range(index.var.clone(), Some(index.low), Some(last));
        Some(part)
    }
}
