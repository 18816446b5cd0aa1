//! Reads, in the function of a map over numbers, at the number itself.

use crate::core::{Atom, Block, Lambda, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId, VarInfo};
use lift_analysis::size::{Facts, Size, Var};
use lift_analysis::ty::ArrayTy;
use rustc_hash::{FxHashMap, FxHashSet};

/// The element that a statement reads of an array that exists before the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// `aref xs i`, where i is the number
    Element(VarId),
    /// `aref (aref xs k) i`, where k counts the rows of xs
    Column(VarId),
    /// `aref xs (i / c)`, where c numbers in turn have one element of xs
    Repeated(VarId),
    /// `aref xs (mod i c)`, where xs has c elements
    Cycled(VarId),
}

impl Source {
    pub fn array(self) -> VarId {
        let (Source::Element(xs) | Source::Column(xs) | Source::Repeated(xs) | Source::Cycled(xs)) = self;
        xs
    }
}

/// A function that is applied to numbers.
struct Counter<'k> {
    number: Option<VarId>,
    position: Option<&'k Var>,
    len: Size,
}

impl Counter<'_> {
    /// Whether a call of `aref` reads at this number.
    fn is_index(&self, call: &PrimCall) -> bool {
        let is_position = |i: &Size| self.position.is_some_and(|p| i.as_var() == Some(p));
        match (call.args.as_slice(), call.sizes.as_slice()) {
            ([_, Atom::Var(i)], []) => Some(*i) == self.number,
            ([_, Atom::Size(i)], []) | ([_], [i]) => is_position(i),
            _ => false,
        }
    }
}

/// The reads by number in a function.
pub struct Picks {
    by_statement: FxHashMap<VarId, Source>,
    /// The row of which a statement reads an element of a column.
    row_of: FxHashMap<VarId, VarId>,
    /// The sources in the order of the statements, each once.
    pub sources: Vec<Source>,
    /// Sources that are read whenever the function runs.
    pub always: FxHashSet<VarId>,
}

impl Picks {
    pub fn of(&self, stmt: &Stmt) -> Option<Source> {
        self.by_statement.get(&stmt.var).copied()
    }

    /// Whether a statement reads a row for an element of a column.
    pub fn is_row(&self, v: VarId) -> bool {
        self.row_of.values().any(|row| *row == v)
    }

    /// The statement that reads the row from which `stmt` takes an element of a column.
    pub fn row(&self, stmt: &Stmt) -> Option<VarId> {
        self.row_of.get(&stmt.var).copied()
    }
}

/// The elements that `f` reads at the number of its element, which is less than `len`.
pub fn picks(vars: &[VarInfo], f: &Lambda, len: &Size, iotas: &FxHashMap<VarId, Size>) -> Picks {
    let mut walk = Walk {
        vars,
        own: Counter { number: f.params.first().copied(), position: f.position.as_ref(), len: len.clone() },
        iotas: iotas.clone(),
        names: FxHashMap::default(),
        shares: FxHashMap::default(),
        bound: FxHashSet::default(),
        rows: FxHashMap::default(),
        found: Picks {
            by_statement: FxHashMap::default(),
            row_of: FxHashMap::default(),
            sources: Vec::new(),
            always: FxHashSet::default(),
        },
    };
    walk.block(&f.body, &mut Vec::new(), true);
    walk.found
}

struct Walk<'k> {
    vars: &'k [VarInfo],
    own: Counter<'k>,
    /// Arrays of the numbers from 0, with their lengths.
    iotas: FxHashMap<VarId, Size>,
    /// The original of each variable that is another name of one.
    names: FxHashMap<VarId, VarId>,
    /// Quotients and remainders of the number by a constant or a size.
    shares: FxHashMap<VarId, (ScalarOp, Size)>,
    /// The variables of the function.
    bound: FxHashSet<VarId>,
    /// Rows that an inner function picks by number, with their arrays.
    rows: FxHashMap<VarId, VarId>,
    found: Picks,
}

impl<'k> Walk<'k> {
    /// `runs`: whether the block runs whenever the function does.
    fn block(&mut self, block: &'k Block, counters: &mut Vec<Counter<'k>>, runs: bool) {
        for stmt in &block.stmts {
            self.bound.insert(stmt.var);
            match &stmt.rhs {
                Rhs::Atom(Atom::Var(v)) => {
                    self.names.insert(stmt.var, self.named(*v));
                }
                Rhs::Scalar(op @ (ScalarOp::Div | ScalarOp::Mod), args) => {
                    if let [Atom::Var(i), by] = args.as_slice()
                        && Some(*i) == self.own.number
                        && let Some(by) = size_of(by)
                    {
                        self.shares.insert(stmt.var, (*op, by));
                    }
                }
                Rhs::If(_, a, b) => {
                    let before = std::mem::take(&mut self.found.always);
                    self.block(a, counters, runs);
                    let in_a = std::mem::take(&mut self.found.always);
                    self.block(b, counters, runs);
                    self.found.always.retain(|xs| in_a.contains(xs));
                    self.found.always.extend(before);
                }
                Rhs::Prim(call @ PrimCall { prim: Prim::Aref, .. }) => self.read(stmt.var, call, counters, runs),
                Rhs::Prim(call) => {
                    if let (Prim::Iota, [n]) = (call.prim, call.sizes.as_slice()) {
                        self.iotas.insert(stmt.var, n.clone());
                    }
                    let counted = self.counted(call);
                    for f in &call.funs {
                        self.bound.extend(&f.params);
                        counters.extend(counted.clone().map(|len| Counter {
                            number: f.params.first().copied(),
                            position: f.position.as_ref(),
                            len,
                        }));
                        self.block(&f.body, counters, runs);
                        counters.truncate(counters.len() - usize::from(counted.is_some()));
                    }
                }
                _ => {}
            }
        }
    }

    /// The number of elements of a call's array, if they are 0, 1, …
    fn counted(&self, call: &PrimCall) -> Option<Size> {
        match (call.prim, call.sizes.as_slice(), call.args.as_slice()) {
            (Prim::Generate, [n], _) => Some(n.clone()),
            (Prim::Map(_), _, [Atom::Var(numbers)]) => self.iotas.get(&self.named(*numbers)).cloned(),
            _ => None,
        }
    }

    fn named(&self, v: VarId) -> VarId {
        self.names.get(&v).copied().unwrap_or(v)
    }

    /// The type of an array; `None` if the lengths of its elements depend on their index.
    fn regular(&self, xs: VarId) -> Option<&'k ArrayTy> {
        self.vars[xs.0 as usize].ty.as_array().filter(|a| a.position.is_none())
    }

    fn read(&mut self, element: VarId, call: &PrimCall, counters: &[Counter<'k>], runs: bool) {
        let Some(Atom::Var(xs)) = call.args.first() else { return };
        let xs = self.named(*xs);
        let Some(array) = self.regular(xs) else { return };
        let outside = !self.bound.contains(&xs);
        if self.own.is_index(call) && array.len == self.own.len {
            if outside {
                self.note(element, Source::Element(xs), runs);
            } else if let Some(&rows) = self.rows.get(&xs) {
                self.found.row_of.insert(element, xs);
                self.note(element, Source::Column(rows), runs);
            }
        } else if outside && let Some(source) = self.share(xs, &array.len, call) {
            self.note(element, source, runs);
        } else if outside && counters.iter().any(|c| c.is_index(call) && c.len == array.len) {
            self.rows.insert(element, xs);
        }
    }

    /// A read at the quotient or the remainder of the number.
    fn share(&self, xs: VarId, len: &Size, call: &PrimCall) -> Option<Source> {
        let [_, Atom::Var(i)] = call.args.as_slice() else { return None };
        match self.shares.get(i)? {
            (ScalarOp::Div, by) => (len.mul(by) == self.own.len).then_some(Source::Repeated(xs)),
            (_, by) => (by == len && divides(by, &self.own.len)).then_some(Source::Cycled(xs)),
        }
    }

    fn note(&mut self, element: VarId, source: Source, runs: bool) {
        self.found.by_statement.insert(element, source);
        if !self.found.sources.contains(&source) {
            self.found.sources.push(source);
        }
        if let (Source::Element(xs), true) = (source, runs) {
            self.found.always.insert(xs);
        }
    }
}

/// A positive number, or a size.
fn size_of(a: &Atom) -> Option<Size> {
    match a {
        Atom::Lit(n) => n.integer().filter(|n| *n > 0).and_then(|n| i64::try_from(n).ok()).map(Size::int),
        Atom::Size(n) => Some(n.clone()),
        Atom::Var(_) => None,
    }
}

fn divides(by: &Size, n: &Size) -> bool {
    Facts::new().divides(by, n).is_yes()
}
