//! Counts the uses of each variable.

use crate::core::{Atom, Block, Kernel, Lambda, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::size::{LengthCheck, Var};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// Occurrences in the text.
    pub count: usize,
    /// Whether one of them is in a function that does not contain the binder, so that it may run many times.
    pub in_loop: bool,
}

pub fn count(kernel: &Kernel) -> FxHashMap<VarId, Uses> {
    let mut counter = Counter { bound: FxHashMap::default(), uses: FxHashMap::default() };
    for p in &kernel.params {
        counter.bound.insert(*p, 0);
    }
    counter.block(&kernel.body, 0);
    counter.uses
}

/// Whether a statement, including its blocks, mentions a variable that satisfies `of`.
pub fn mentions(stmt: &Stmt, of: &dyn Fn(VarId) -> bool) -> bool {
    let atom = |a: &Atom| matches!(a, Atom::Var(v) if of(*v));
    let inside = |block: &Block| atom(&block.result) || block.stmts.iter().any(|s| mentions(s, of));
    stmt.rhs.operands().iter().any(atom) || stmt.rhs.blocks().into_iter().any(inside)
}

/// Whether a block mentions a variable.
pub fn in_block(block: &Block, v: VarId) -> bool {
    block.result == Atom::Var(v) || block.stmts.iter().any(|s| mentions(s, &|u| u == v))
}

/// Collects the variables that a statement mentions, including those that it binds inside.
pub fn variables(stmt: &Stmt, out: &mut FxHashSet<VarId>) {
    let found = std::cell::RefCell::new(out);
    mentions(stmt, &|v| {
        found.borrow_mut().insert(v);
        false
    });
}

/// Whether an operand is a size that mentions `x`.
pub fn atom_mentions(a: &Atom, x: &Var) -> bool {
    matches!(a, Atom::Size(s) if s.contains(x))
}

/// Whether a statement computes with the length `x`; an occurrence in the types of its variables does not count.
pub fn stmt_mentions(vars: &[VarInfo], stmt: &Stmt, x: &Var) -> bool {
    let in_type = vars[stmt.var.0 as usize].ty.mentions(x);
    let block = |b: &Block| b.stmts.iter().any(|s| stmt_mentions(vars, s, x)) || atom_mentions(&b.result, x);
    in_type
        || stmt.rhs.operands().iter().any(|a| atom_mentions(a, x))
        || match &stmt.rhs {
            Rhs::Pack(_, sizes) => sizes.iter().any(|s| s.contains(x)),
            Rhs::Cast(_, checks) => checks.iter().flat_map(LengthCheck::sizes).any(|size| size.contains(x)),
            Rhs::If(_, a, b) => block(a) || block(b),
            Rhs::Prim(call) => call.sizes.iter().any(|s| s.contains(x)) || call.funs.iter().any(|f| block(&f.body)),
            _ => false,
        }
}

/// The statements of a block that open a length with which `stmt` computes. It depends on them without mentioning what
/// they bind.
pub fn openings<'a>(vars: &[VarInfo], block: &'a [Stmt], stmt: &Stmt) -> impl Iterator<Item = &'a Stmt> {
    block.iter().filter(|s| s.var != stmt.var && s.binds.iter().any(|length| stmt_mentions(vars, stmt, length)))
}

/// The variables of a function's statements that depend on its parameters or its index variable.
pub fn dependent(kernel: &Kernel, f: &Lambda) -> FxHashSet<VarId> {
    let mut found: FxHashSet<VarId> = f.params.iter().copied().collect();
    for stmt in &f.body.stmts {
        let of_position = f.position.as_ref().is_some_and(|p| stmt_mentions(&kernel.vars, stmt, p));
        if of_position || mentions(stmt, &|v| found.contains(&v)) || !stmt.binds.is_empty() {
            found.insert(stmt.var);
        }
    }
    found
}

struct Counter {
    bound: FxHashMap<VarId, u32>,
    uses: FxHashMap<VarId, Uses>,
}

impl Counter {
    fn atom(&mut self, a: &Atom, depth: u32) {
        if let Atom::Var(v) = a {
            let uses = self.uses.entry(*v).or_default();
            uses.count += 1;
            uses.in_loop |= self.bound.get(v).is_some_and(|b| *b < depth);
        }
    }
    fn block(&mut self, block: &Block, depth: u32) {
        for stmt in &block.stmts {
            for a in stmt.rhs.operands() {
                self.atom(a, depth);
            }
            match &stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.block(a, depth);
                    self.block(b, depth);
                }
                Rhs::Prim(call) => {
                    for f in &call.funs {
                        for p in &f.params {
                            self.bound.insert(*p, depth + 1);
                        }
                        self.block(&f.body, depth + 1);
                    }
                }
                _ => {}
            }
            self.bound.insert(stmt.var, depth);
        }
        self.atom(&block.result, depth);
    }
}

/// Drops statements that nothing reads, as far as they may be dropped.
pub fn drop_unused(vars: &[VarInfo], block: &mut Block, may: &dyn Fn(&Stmt) -> bool) {
    for at in (0..block.stmts.len()).rev() {
        let (v, binds) = (block.stmts[at].var, &block.stmts[at].binds);
        let read = block.stmts[at + 1..]
            .iter()
            .any(|s| mentions(s, &|w| w == v) || binds.iter().any(|length| stmt_mentions(vars, s, length)));
        if !read && block.result != Atom::Var(v) && may(&block.stmts[at]) {
            block.stmts.remove(at);
        }
    }
}

/// The statements of these that make some variables.
pub fn needed(stmts: Vec<Stmt>, mut wanted: FxHashSet<VarId>) -> Vec<Stmt> {
    let mut found = Vec::new();
    for stmt in stmts.into_iter().rev() {
        if wanted.contains(&stmt.var) {
            variables(&stmt, &mut wanted);
            found.push(stmt);
        }
    }
    found.reverse();
    found
}

/// Whether the statement at `to` depends on none that the one at `from` makes, and no length is opened between them.
pub fn is_independent(block: &Block, from: usize, to: usize) -> bool {
    let mut of_first = FxHashSet::from_iter([block.stmts[from].var]);
    for stmt in &block.stmts[from + 1..=to] {
        if !stmt.binds.is_empty() {
            return false;
        }
        if mentions(stmt, &|v| of_first.contains(&v)) {
            of_first.insert(stmt.var);
        }
    }
    !of_first.contains(&block.stmts[to].var)
}

/// Divides the statements of a block for statements, from the one at `first` to the one at `last`, that become one: those
/// before it, without them, and those after it, with all that read their results.
pub fn around(mut stmts: Vec<Stmt>, first: usize, last: usize, joined: &[VarId]) -> (Vec<Stmt>, Vec<Stmt>) {
    let mut after: FxHashSet<VarId> = joined.iter().copied().collect();
    let rest = stmts.split_off(last + 1);
    let between = stmts.split_off(first);
    let mut later = Vec::new();
    for stmt in between.into_iter().filter(|s| !joined.contains(&s.var)) {
        match mentions(&stmt, &|v| after.contains(&v)) {
            true => {
                after.insert(stmt.var);
                later.push(stmt);
            }
            false => stmts.push(stmt),
        }
    }
    later.extend(rest);
    (stmts, later)
}
