//! Upper bounds, in size parameters, of every length that an `∃` hides.
//!
//! Memory is allocated before the run, so every stored array needs a bound. A `filter` keeps at most its input; a
//! `pack` hides a length with a known bound; an `if` has the greater of two bounds. A length that the host reads during
//! the run ([`Read`]) is a bound, too.
//!
//! [`nodes`]: sizes from the nodes of their trees.

mod nodes;

use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::size::{Facts, Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use nodes::rounded_down;
pub use nodes::size_of_node;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A bound for each hidden length of a type, in the order of occurrence; `None` if no bound is known.
pub type Hidden = Vec<Option<Size>>;

#[derive(Debug, Clone, Default)]
pub struct Bounds {
    vars: FxHashMap<VarId, Hidden>,
    /// For the statements of `iota k` and the like: a size variable for the maximum of `k`.
    lengths: FxHashMap<VarId, Var>,
    /// Size variables for the maxima of the lengths that inputs hide.
    inputs: Vec<Var>,
    /// For the statements that open one length which is read back: a size variable for that length, and its bound.
    opened: FxHashMap<VarId, (Var, Option<Size>)>,
    /// For loops whose state may grow: for each length that the state hides, size variables for its values.
    states: FxHashMap<VarId, Vec<State>>,
}

/// Size variables for a length of a loop's state, which the host reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The length before the first iteration.
    pub start: Var,
    /// The length in the current iteration.
    pub round: Var,
    /// The length after the last iteration.
    pub end: Var,
    /// A bound of `end` that is known before the loop; only for loops in maps at the host.
    most: Option<Size>,
}

/// The first id of size variables for lengths; ids of size parameters are smaller.
pub const FIRST_LENGTH: u32 = 1 << 24;
/// The first id of size variables for the further values of a length that is read in several iterations.
pub const FIRST_REPEATED: u32 = FIRST_LENGTH * 2;
/// The first id of size variables for lengths that an `unpack` opens.
const FIRST_OPENED: u32 = FIRST_LENGTH * 3;

/// The first id of size variables with which loops of the host count.
pub const FIRST_COUNTED: u32 = FIRST_LENGTH * 4;

/// The first id of size variables for lengths of loops' states.
pub const FIRST_STATE: u32 = FIRST_LENGTH * 5;

/// Maximum rounds of a loop for which the growth of its state is computed.
const FEW_ROUNDS: i64 = 16;

/// Maximum number of hidden lengths of a loop's state.
const MOST_STATES: u32 = 64;

/// The lengths opened by `unpack` that the host reads during a run.
enum Read<'a> {
    All,
    /// The lengths that these statements open.
    Of(&'a BTreeSet<VarId>),
}

impl Read<'_> {
    fn has(&self, stmt: &Stmt) -> bool {
        match self {
            Read::All => true,
            Read::Of(some) => some.contains(&stmt.var),
        }
    }
}

/// An upper bound of a size, in size parameters only.
pub fn upper(facts: &Facts, size: &Size) -> Option<Size> {
    let known = |s: &Size| !s.any_var(&mut |v| v.kind != VarKind::Param);
    if known(size) {
        return Some(size.clone());
    }
    facts.bounds(size).1.filter(known).map(|bound| rounded_down(facts, &bound))
}

/// The number of hidden lengths in a type.
pub fn hidden(ty: &Ty) -> usize {
    match ty.kind() {
        TyKind::Exists(vars, body) => vars.len() + hidden(body),
        TyKind::Array(a) => hidden(&a.element),
        TyKind::Tuple(parts) => parts.iter().map(hidden).sum(),
        _ => 0,
    }
}

impl Bounds {
    /// Bounds, in size parameters and in the lengths that these statements open.
    pub fn of(kernel: &Kernel, read: &BTreeSet<VarId>) -> Bounds {
        Bounds::found(kernel, Read::Of(read), Bounds::default())
    }

    /// The bounds as if the host read every length that is opened by itself. The variables of `self` keep their names.
    pub fn if_all_were_read(&self, kernel: &Kernel) -> Bounds {
        Bounds::found(kernel, Read::All, Bounds { lengths: self.lengths.clone(), ..Bounds::default() })
    }

    fn found(kernel: &Kernel, read: Read, bounds: Bounds) -> Bounds {
        let mut facts = Facts::new();
        for (assumption, _) in &kernel.assumptions {
            facts.assume(assumption);
        }
        let mut ranges = facts.clone();
        for size in &kernel.sizes {
            ranges.assume_range(size.clone(), None, Some(Size::int(i32::MAX.into())));
        }
        let mut finder = Finder {
            kernel,
            read,
            facts,
            ranges,
            bounds,
            ints: FxHashMap::default(),
            on_device: false,
            in_turn: false,
        };
        for p in &kernel.params {
            finder.input(*p);
        }
        finder.block(&kernel.body);
        finder.bounds
    }

    pub fn get(&self, v: VarId) -> &[Option<Size>] {
        self.vars.get(&v).map_or(&[], Vec::as_slice)
    }

    /// Size variables for the maxima of the lengths that inputs hide; the host knows them once it has the inputs.
    pub fn inputs(&self) -> &[Var] {
        &self.inputs
    }

    /// The size variable for the length of an `iota k` and the like, by the variable of its statement: the maximum
    /// during one execution of the surrounding host-level statement.
    pub fn length(&self, v: VarId) -> Option<&Var> {
        self.lengths.get(&v).or_else(|| self.opened.get(&v).map(|(var, _)| var))
    }
    pub fn lengths(&self) -> impl Iterator<Item = (VarId, &Var)> {
        self.lengths
            .iter()
            .map(|(stmt, var)| (*stmt, var))
            .chain(self.opened.iter().map(|(stmt, (var, _))| (*stmt, var)))
    }

    /// The lengths of the state of a loop that may grow; empty for other loops.
    pub fn state(&self, v: VarId) -> &[State] {
        self.states.get(&v).map_or(&[], Vec::as_slice)
    }

    /// Whether a block has a loop whose state may grow.
    pub fn has_state_in(&self, block: &Block) -> bool {
        let mut found = false;
        block.visit(&mut |stmt| found |= !self.state(stmt.var).is_empty());
        found
    }

    /// Size variables for the lengths of all states that may grow.
    pub fn states(&self) -> impl Iterator<Item = &Var> {
        self.states.values().flatten().flat_map(|state| [&state.start, &state.round, &state.end])
    }

    /// Whether the length is one that an `unpack` opens.
    pub fn is_opened(&self, v: VarId) -> bool {
        self.opened.contains_key(&v)
    }

    /// The size variable for the value of an opened length.
    pub fn value_of(&self, opened: &Var) -> Option<Var> {
        let id = FIRST_OPENED.checked_add(opened.id)?;
        self.opened.values().map(|(var, _)| var).find(|var| var.id == id && opened.kind == VarKind::Skolem).cloned()
    }

    /// The bound, known before the run, of the length that a statement opens.
    pub fn of_opened(&self, v: VarId) -> Option<&Size> {
        self.opened.get(&v)?.1.as_ref()
    }
}

struct Finder<'k> {
    kernel: &'k Kernel,
    read: Read<'k>,
    facts: Facts,
    /// The `facts`, and that size parameters fit an `Int`.
    ranges: Facts,
    bounds: Bounds,
    /// Integers equal, modulo 2^32, to `Int` variables: their values before they wrap.
    ints: FxHashMap<VarId, Size>,
    /// Whether the statements are in a function that the device runs.
    on_device: bool,
    /// Whether the statements are in the function of a map at the host, whose results share memory.
    in_turn: bool,
}

impl Finder<'_> {
    fn input(&mut self, v: VarId) {
        let mut found = Hidden::new();
        for _ in 0..hidden(self.kernel.ty(v)) {
            let longest = self.fresh_length();
            self.bounds.inputs.push(longest.clone());
            found.push(Some(Size::var(longest)));
        }
        self.bounds.vars.insert(v, found);
    }
    fn atom(&self, a: &Atom) -> Hidden {
        match a {
            Atom::Var(v) => self.bounds.get(*v).to_vec(),
            _ => Vec::new(),
        }
    }
    fn upper(&self, s: &Size) -> Option<Size> {
        upper(&self.facts, s)
    }
    fn len(&self, a: &Atom) -> Option<Size> {
        self.upper(&self.kernel.atom_ty(a).as_array()?.len)
    }

    fn assume_range(&mut self, var: &Var, low: Option<Size>, high: Option<Size>) {
        for facts in [&mut self.facts, &mut self.ranges] {
            facts.assume_range(var.clone(), low.clone(), high.clone());
        }
    }

    fn block(&mut self, block: &Block) -> Hidden {
        for stmt in &block.stmts {
            let mut found = self.rhs(stmt.var, &stmt.rhs);
            if let Rhs::Unpack(_) = stmt.rhs {
                let rest = found.split_off(stmt.binds.len().min(found.len()));
                if let ([var], true) = (stmt.binds.as_slice(), self.read.has(stmt)) {
                    let length = self.opened(var);
                    let bound = found.pop().flatten();
                    self.ranges.assume_range(length.clone(), None, Some(Size::int(i32::MAX.into())));
                    self.assume_range(&length, None, bound.clone());
                    found.push(Some(Size::var(length.clone())));
                    self.bounds.opened.insert(stmt.var, (length, bound));
                }
                for (var, bound) in stmt.binds.iter().zip(&found) {
                    self.assume_range(var, Some(Size::zero()), bound.clone());
                    self.ranges.assume_range(var.clone(), None, Some(Size::int(i32::MAX.into())));
                }
                found = rest;
            }
            found.resize(hidden(self.kernel.ty(stmt.var)), None);
            self.bounds.vars.insert(stmt.var, found);
        }
        self.atom(&block.result)
    }

    fn call(&mut self, f: &Lambda, args: &[Hidden]) -> Hidden {
        let results = self.one_call(f, args);
        results.into_iter().map(|bound| self.for_every_call(&f.body, bound?)).collect()
    }

    /// The bounds of a function's result, in the lengths that the call opens.
    fn one_call(&mut self, f: &Lambda, args: &[Hidden]) -> Hidden {
        for (i, p) in f.params.iter().enumerate() {
            let n = hidden(self.kernel.ty(*p));
            let mut given = args.get(i).cloned().unwrap_or_default();
            given.resize(n, None);
            self.bounds.vars.insert(*p, given);
        }
        self.block(&f.body)
    }

    /// A bound of a function's result for all arguments: without the lengths that one call opens.
    fn for_every_call(&self, body: &Block, bound: Size) -> Option<Size> {
        let mut opened = Vec::new();
        body.visit(&mut |stmt| opened.extend(self.opened_by(stmt)));
        without(&opened, bound)
    }

    /// A bound for all elements of a map at the host: also without the lengths of states after the loops of one element.
    fn for_every_element(&self, body: &Block, bound: Size) -> Option<Size> {
        let mut found = Vec::new();
        body.visit(&mut |stmt| {
            found.extend(self.opened_by(stmt));
            found.extend(self.bounds.state(stmt.var).iter().map(|state| (&state.end, state.most.as_ref())));
        });
        without(&found, bound)
    }

    fn opened_by(&self, stmt: &Stmt) -> Option<(&Var, Option<&Size>)> {
        self.bounds.opened.get(&stmt.var).map(|(length, most)| (length, most.as_ref()))
    }

    fn int(&self, a: &Atom) -> Option<Size> {
        match a {
            Atom::Size(s) => Some(s.clone()),
            Atom::Lit(Literal::Int(n)) => Some(Size::int((*n).into())),
            Atom::Var(v) => self.ints.get(v).cloned(),
            Atom::Lit(_) => None,
        }
    }

    /// An upper bound of an array's length, given as an `Int`. A value too large for an `Int` wraps to a smaller one,
    /// which is safe; one too small would wrap to a larger one.
    fn most(&self, k: &Atom) -> Option<Size> {
        let k = self.int(k)?;
        let (low, _) = self.ranges.const_bounds(&k);
        low.filter(|low| *low >= i32::MIN.into()).and_then(|_| self.upper(&k))
    }

    /// Whether the value fits an `Int`.
    fn fits(&self, k: &Size) -> bool {
        let (low, high) = self.ranges.const_bounds(k);
        low.is_some_and(|low| low >= i32::MIN.into()) && high.is_some_and(|high| high <= i32::MAX.into())
    }

    /// The size variable for the length given to `iota k` and the like.
    fn length(&mut self, stmt: VarId) -> Size {
        if let Some(known) = self.bounds.lengths.get(&stmt) {
            return Size::var(known.clone());
        }
        let var = self.fresh_length();
        self.bounds.lengths.insert(stmt, var.clone());
        Size::var(var)
    }

    /// The size variable for the value of a length that is opened.
    fn opened(&self, length: &Var) -> Var {
        let name = format!("L{}", length.name);
        let name = if self.is_taken(&name) { format!("{name}_{}", length.id) } else { name };
        Var::new(VarKind::Param, FIRST_OPENED + length.id, name)
    }

    fn is_taken(&self, name: &str) -> bool {
        self.kernel.sizes.iter().any(|s| *s.name == *name)
    }

    /// A size variable with an unused name.
    fn fresh_length(&mut self) -> Var {
        let mut number = (self.bounds.lengths.len() + self.bounds.inputs.len()) as u32 + 1;
        while self.is_taken(&format!("L{number}")) {
            number += self.kernel.sizes.len() as u32;
        }
        Var::new(VarKind::Param, FIRST_LENGTH + number, format!("L{number}"))
    }

    fn rhs(&mut self, var: VarId, rhs: &Rhs) -> Hidden {
        match rhs {
            Rhs::Scalar(op, args) => {
                let [a, b] = args.as_slice() else { return Vec::new() };
                if let (Some(a), Some(b)) = (self.int(a), self.int(b)) {
                    let value = match op {
                        ScalarOp::Add => a.add(&b),
                        ScalarOp::Sub => a.sub(&b),
                        ScalarOp::Min if self.fits(&a) && self.fits(&b) => Size::min(&a, &b),
                        ScalarOp::Max if self.fits(&a) && self.fits(&b) => Size::max(&a, &b),
                        _ => return Vec::new(),
                    };
                    self.ints.insert(var, value);
                }
                Vec::new()
            }
            Rhs::Atom(a) | Rhs::Store(_, a) | Rhs::Unpack(a) | Rhs::Cast(a, _) => self.atom(a),
            Rhs::Tuple(all) => all.iter().flat_map(|a| self.atom(a)).collect(),
            Rhs::Proj(a, i) => {
                let ty = self.kernel.atom_ty(a);
                let TyKind::Tuple(parts) = ty.kind() else { return Vec::new() };
                let before: usize = parts.iter().take(*i).map(hidden).sum();
                let n = parts.get(*i).map_or(0, hidden);
                self.atom(a).into_iter().skip(before).take(n).collect()
            }
            Rhs::If(_, a, b) => {
                let (a, b) = (self.block(a), self.block(b));
                greater(a, b)
            }
            Rhs::Pack(a, witnesses) => {
                let mut found: Hidden = witnesses.iter().map(|w| self.upper(w)).collect();
                found.extend(self.atom(a));
                found
            }
            Rhs::Prim(call) => {
                let around = self.on_device;
                self.on_device |= !matches!(
                    call.prim,
                    Prim::Iterate
                        | Prim::IterateWhile
                        | Prim::Map(Level::Host)
                        | Prim::Reduce(Level::Host)
                        | Prim::Scan(Level::Host)
                );
                let found = self.prim(var, call);
                self.on_device = around;
                found
            }
        }
    }

    fn prim(&mut self, var: VarId, call: &PrimCall) -> Hidden {
        let args: Vec<Hidden> = call.args.iter().map(|a| self.atom(a)).collect();
        self.assume_indices(call);
        let arg = |i: usize| args.get(i).cloned().unwrap_or_default();
        match call.prim {
            Prim::Map(Level::Host) => {
                let around = std::mem::replace(&mut self.in_turn, true);
                let found = self.one_call(&call.funs[0], &args);
                self.in_turn = around;
                found.into_iter().map(|bound| self.for_every_element(&call.funs[0].body, bound?)).collect()
            }
            Prim::Map(_) => self.call(&call.funs[0], &args),
            Prim::Filter(_) => {
                self.call(&call.funs[0], &args);
                let mut found = vec![call.args.first().and_then(|xs| self.len(xs))];
                found.extend(match call.funs.get(1) {
                    Some(f) => self.call(f, &args),
                    None => arg(0),
                });
                found
            }
            Prim::Iterate if call.funs.len() == 1 && !arg(0).is_empty() => {
                let rounds = call.sizes.first().and_then(Size::as_const);
                self.state_of_loop(var, &call.funs, arg(0), rounds)
            }
            Prim::IterateWhile => self.state_of_loop(var, &call.funs, arg(0), None),
            Prim::Iterate => {
                let mut found = args;
                for f in &call.funs {
                    found = vec![self.call(f, &found)];
                }
                found.into_iter().next().unwrap_or_default()
            }
            Prim::Concat => greater(arg(0), arg(1)),
            Prim::PadConstant => greater(arg(0), arg(1)),
            Prim::Zip => args.concat(),
            Prim::Iota | Prim::Generate | Prim::Fill => self.counted(var, call, &args),
            // Their functions map indices; the results have the lengths of the array.
            Prim::Gather | Prim::Scatter => {
                self.call(&call.funs[0], &[]);
                arg(0)
            }
            Prim::Sort => {
                self.call(&call.funs[0], &[arg(0), arg(0)]);
                arg(0)
            }
            Prim::Argsort => {
                self.call(&call.funs[0], &[arg(0), arg(0)]);
                Vec::new()
            }
            Prim::Search | Prim::LSearch => {
                self.call(&call.funs[0], &args);
                Vec::new()
            }
            Prim::Reduce(_) | Prim::PartRed | Prim::Scan(_) | Prim::ScanExcl(_) => {
                let acc = vec![None; arg(0).len()];
                self.call(&call.funs[0], &[acc.clone(), arg(1)]);
                acc
            }
            Prim::ReduceWhileSeq => {
                let acc = vec![None; arg(0).len()];
                self.call(&call.funs[0], std::slice::from_ref(&acc));
                self.call(&call.funs[1], &[acc.clone(), arg(1)]);
                acc
            }
            Prim::Length => {
                if let Some(array) = self.kernel.atom_ty(&call.args[0]).as_array() {
                    self.ints.insert(var, array.len.clone());
                }
                Vec::new()
            }
            _ => {
                for f in &call.funs {
                    self.call(f, &[]);
                }
                arg(0)
            }
        }
    }

    /// Bounds the index variables of functions, by which the lengths that they hide may be bounded.
    fn assume_indices(&mut self, call: &PrimCall) {
        let count = call.args.last().and_then(|xs| Some(self.kernel.atom_ty(xs).as_array()?.len.clone()));
        let count = if call.prim == Prim::Generate { call.sizes.first().cloned() } else { count };
        if let Some(last) = count.map(|n| n.sub(&Size::one())) {
            for position in call.funs.iter().filter_map(|f| f.position.clone()) {
                // Two separate facts, because one range would imply that there is an element.
                self.assume_range(&position, Some(Size::zero()), None);
                self.assume_range(&position, None, Some(last.clone()));
            }
        }
    }

    /// The bounds of an array whose length is the call's size, or a number that the program computes.
    fn counted(&mut self, var: VarId, call: &PrimCall, args: &[Hidden]) -> Hidden {
        let inner = match call.funs.first() {
            Some(f) => self.call(f, &[]),
            None => args.last().cloned().filter(|_| call.prim == Prim::Fill).unwrap_or_default(),
        };
        if !call.sizes.is_empty() {
            return inner;
        }
        let seen = call.args.first().and_then(|k| self.most(k));
        let most = match seen {
            Some(most) => Size::max(&most, &Size::zero()),
            None => self.length(var),
        };
        [vec![Some(self.facts.simplify(&most))], inner].concat()
    }
}

impl Finder<'_> {
    /// The bounds of lengths that the state of a loop hides: those before the first iteration if no iteration makes
    /// them longer; those after so many in a function of the device, if they are few; otherwise lengths that the host reads.
    fn state_of_loop(&mut self, var: VarId, funs: &[Lambda], start: Hidden, count: Option<i64>) -> Hidden {
        let rounds = |this: &mut Self, state: &Hidden| {
            let results: Vec<Hidden> = funs.iter().map(|f| this.call(f, std::slice::from_ref(state))).collect();
            results.into_iter().next_back().unwrap_or_default()
        };
        // Facts about a state with these lengths hold for no other state.
        let known = (!start.is_empty()).then(|| (self.facts.clone(), self.ranges.clone()));
        let next = rounds(self, &start);
        let Some((facts, ranges)) = known else { return start };
        let shorter = |(next, start): (&Option<Size>, &Option<Size>)| match (next, start) {
            (Some(next), Some(start)) => self.facts.le(next, start).is_yes(),
            _ => false,
        };
        if next.len() == start.len() && next.iter().zip(&start).all(shorter) {
            return start;
        }
        (self.facts, self.ranges) = (facts, ranges);
        let mut most = vec![None; start.len()];
        if let Some(count @ 0..=FEW_ROUNDS) = count.filter(|_| self.on_device || self.in_turn) {
            let around = std::mem::replace(&mut self.on_device, true);
            let mut longest = start.clone();
            for _ in 0..count {
                let known = (self.facts.clone(), self.ranges.clone());
                let next = rounds(self, &longest);
                // What the last round has is no shorter than what the others have.
                longest = greater(longest, next);
                (self.facts, self.ranges) = known;
            }
            self.on_device = around;
            if self.on_device {
                return longest;
            }
            most = longest;
        }
        let states: Vec<State> = most.into_iter().enumerate().map(|(nth, most)| self.state(var, nth, most)).collect();
        for state in &states {
            for length in [&state.start, &state.round, &state.end] {
                self.assume_range(length, Some(Size::zero()), None);
                self.ranges.assume_range(length.clone(), None, Some(Size::int(i32::MAX.into())));
            }
        }
        let all = |of: fn(&State) -> &Var| states.iter().map(|s| Some(Size::var(of(s).clone()))).collect::<Hidden>();
        rounds(self, &all(|s| &s.round));
        let end = all(|s| &s.end);
        self.bounds.states.insert(var, states);
        end
    }

    fn state(&self, var: VarId, nth: usize, most: Option<Size>) -> State {
        let name =
            format!("{}{}", self.kernel.name_of(var), if nth == 0 { String::new() } else { (nth + 1).to_string() });
        let first = FIRST_STATE + (var.0 * MOST_STATES + nth as u32) * 3;
        let of = |which: u32, when: &str| Var::new(VarKind::Param, first + which, format!("{name}_{when}"));
        State { start: of(0, "start"), round: of(1, "round"), end: of(2, "end"), most }
    }
}

/// A bound without these lengths; each may be bounded by one that is found before it.
fn without(lengths: &[(&Var, Option<&Size>)], bound: Size) -> Option<Size> {
    lengths.iter().rev().try_fold(bound, |bound, (length, most)| match bound.contains(length) {
        true => Some(bound.subst_var(length, (*most)?)),
        false => Some(bound),
    })
}

fn greater(a: Hidden, b: Hidden) -> Hidden {
    a.into_iter().zip(b).map(|(a, b)| Some(Size::max(&a?, &b?))).collect()
}
