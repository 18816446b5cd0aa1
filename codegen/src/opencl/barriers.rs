//! Whether the barriers of generated functions are right: all work-items of a group reach each of them, and between two of
//! them memory that they share is read or written. Debug builds of the compiler verify every program that they make.
//!
//! What work-items of a group may disagree about is found by following their ids through the tree: a value is *their own*
//! if it is computed from an id of the item, from what only it has in private memory, from an element at an index of its
//! own, or where a condition of its own decided. What lies in shared memory at an index that all agree about is the same
//! for all.

#[cfg(test)]
mod tests;

use super::{Expr, Function, Helper, ParamType, Step, Stmt, StmtKind, Storage};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// The number of barriers in the kernels of a program, or what is wrong with one of them.
pub fn verify(functions: &[Function], text: &str) -> Result<usize, String> {
    let waiting = waiting_helpers(text);
    functions.iter().map(|function| check(function, &waiting)).sum()
}

/// The functions of a text, other than kernels, that have a barrier.
fn waiting_helpers(text: &str) -> FxHashSet<String> {
    let name = |function: &str| {
        // Comments stand before it.
        let head = function.lines().find(|line| line.contains('(') && !line.trim_start().starts_with("//"))?;
        let head = head.split('(').next()?;
        head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned)
    };
    let functions = text.split("\n}\n").filter(|f| f.contains("barrier(") && !f.contains("__kernel"));
    functions.filter_map(name).collect()
}

/// What barriers since the last access put in order, local memory and global; none where there was no barrier since.
type Idle = Option<[bool; 2]>;

fn both(a: Idle, b: Idle) -> Idle {
    let ([l, g], [m, h]) = (a?, b?);
    Some([l && m, g && h])
}

/// One function.
struct Checked<'a> {
    function: &'a str,
    waiting: &'a FxHashSet<String>,
    /// Variables about whose values work-items may disagree.
    own: FxHashSet<String>,
    /// Arrays that only one work-item has.
    private: FxHashSet<String>,
    /// Arrays and buffers that work-items share.
    shared: FxHashSet<String>,
    barriers: Cell<usize>,
}

/// How a statement may leave what is around it.
#[derive(Clone, Copy, Default, PartialEq)]
struct Leaves {
    /// Some work-items leave the loop, or the function, and others do not.
    the_loop: bool,
    the_function: bool,
}

fn check(function: &Function, waiting: &FxHashSet<String>) -> Result<usize, String> {
    let mut checked = Checked {
        function: &function.name,
        waiting,
        own: FxHashSet::default(),
        private: FxHashSet::default(),
        shared: FxHashSet::default(),
        barriers: Cell::new(0),
    };
    if !checked.any_waits(&function.body) {
        return Ok(0);
    }
    for param in &function.params {
        if matches!(param.ty, ParamType::Buffer { .. } | ParamType::Local(_)) {
            checked.shared.insert(param.name.to_string());
        }
    }
    loop {
        let before = checked.own.len();
        checked.learn(&function.body, false);
        if checked.own.len() == before {
            break;
        }
    }
    checked.reached(&function.body, false)?;
    checked.needed(&function.body, Some([true; 2]))?;
    checked.followed(&function.body, false)?;
    Ok(checked.barriers.get())
}

impl Checked<'_> {
    /// Whether work-items may disagree about a value.
    fn is_own(&self, e: &Expr) -> bool {
        let any = |all: &[Expr]| all.iter().any(|e| self.is_own(e));
        match e {
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) => false,
            Expr::Var(name) => self.own.contains(&**name),
            Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) | Expr::AddressOf(a) => self.is_own(a),
            Expr::Wide { pointer, .. } => self.is_own(pointer),
            Expr::Binary(_, a, b) | Expr::Index(a, b) => self.is_own(a) || self.is_own(b),
            Expr::Select(a, b, c) => self.is_own(a) || self.is_own(b) || self.is_own(c),
            Expr::Vector(_, all) => any(all),
            Expr::Call(name, args) => match &**name {
                "get_local_id" | "get_global_id" => true,
                "get_group_id" | "get_num_groups" | "get_local_size" | "get_global_size" => false,
                // What one work-item finds and all read behind a barrier.
                name if [Helper::NextTile, Helper::LastGroup, Helper::GroupSums].iter().any(|h| h.name() == name) => {
                    false
                }
                name if name.starts_with("atomic_") || self.waiting.contains(name) => true,
                _ => any(args),
            },
        }
    }

    fn note(&mut self, target: &Expr, own: bool) {
        match target {
            Expr::Var(name) if own => {
                self.own.insert(name.to_string());
            }
            // Elements of private arrays; what work-items share is looked at where it is read.
            Expr::Index(array, at) => {
                if let Expr::Var(name) = &**array
                    && self.private.contains(&**name)
                    && (own || self.is_own(at))
                {
                    self.own.insert(name.to_string());
                }
            }
            Expr::Lane(of, _) => self.note(of, own),
            _ => {}
        }
    }

    /// Follows ids through statements, which are executed under a condition about which work-items disagree or not.
    fn learn(&mut self, stmts: &[Stmt], mut apart: bool) -> Leaves {
        let mut leaves = Leaves::default();
        for stmt in stmts {
            let here = match &stmt.kind {
                StmtKind::Declare { name, init, .. } => {
                    let own = apart || init.as_ref().is_some_and(|e| self.is_own(e));
                    self.note(&Expr::Var(name.clone()), own);
                    Leaves::default()
                }
                StmtKind::DeclareArray { storage, name, .. } => {
                    let of = if *storage == Storage::Private { &mut self.private } else { &mut self.shared };
                    of.insert(name.to_string());
                    Leaves::default()
                }
                StmtKind::Assign(to, value) => {
                    let own = apart || self.is_own(value);
                    self.note(to, own);
                    Leaves::default()
                }
                StmtKind::Expr(Expr::Call(_, args)) => {
                    // What is written by address.
                    let own = apart || args.iter().any(|e| self.is_own(e));
                    for arg in args {
                        if let Expr::AddressOf(to) = arg {
                            self.note(to, own);
                        }
                    }
                    Leaves::default()
                }
                StmtKind::If { condition, then, otherwise } => {
                    let apart = apart || self.is_own(condition);
                    let (a, b) = (self.learn(then, apart), self.learn(otherwise, apart));
                    a.or(b)
                }
                StmtKind::For { var, from, condition, step, body, .. } => {
                    let step = matches!(step, Step::Add(by) if self.is_own(by));
                    let own = apart || self.is_own(from) || step;
                    self.note(&Expr::Var(var.clone()), own);
                    self.learn_loop(condition, body, apart)
                }
                StmtKind::While { condition, body } => self.learn_loop(condition, body, apart),
                StmtKind::Block(body) => self.learn(body, apart),
                StmtKind::Break => Leaves { the_loop: apart, the_function: false },
                StmtKind::Return | StmtKind::Stop => Leaves { the_loop: apart, the_function: apart },
                _ => Leaves::default(),
            };
            // What follows is done by some of them only.
            apart |= here != Leaves::default();
            leaves = leaves.or(here);
        }
        leaves
    }

    fn learn_loop(&mut self, condition: &Expr, body: &[Stmt], apart: bool) -> Leaves {
        let mut inside = apart || self.is_own(condition);
        let leaves = self.learn(body, inside);
        if leaves.the_loop && !inside {
            inside = true;
            self.learn(body, inside);
        }
        Leaves { the_loop: leaves.the_function, the_function: leaves.the_function }
    }

    /// No barrier is executed by some work-items only.
    fn reached(&self, stmts: &[Stmt], mut apart: bool) -> Result<Leaves, String> {
        let mut leaves = Leaves::default();
        for stmt in stmts {
            if apart && self.waits(&stmt.kind) {
                return Err(format!(
                    "{}: a barrier that some work-items may not reach: {:?}",
                    self.function, stmt.kind
                ));
            }
            let here = match &stmt.kind {
                StmtKind::If { condition, then, otherwise } => {
                    let apart = apart || self.is_own(condition);
                    self.reached(then, apart)?.or(self.reached(otherwise, apart)?)
                }
                StmtKind::For { condition, body, .. } | StmtKind::While { condition, body } => {
                    let mut inside = apart || self.is_own(condition);
                    let found = self.reached(body, inside)?;
                    if found.the_loop && !inside {
                        inside = true;
                        self.reached(body, inside)?;
                    }
                    Leaves { the_loop: found.the_function, the_function: found.the_function }
                }
                StmtKind::Block(body) => self.reached(body, apart)?,
                StmtKind::Break => Leaves { the_loop: apart, the_function: false },
                StmtKind::Return | StmtKind::Stop => Leaves { the_loop: apart, the_function: apart },
                _ => Leaves::default(),
            };
            apart |= here != Leaves::default();
            leaves = leaves.or(here);
        }
        Ok(leaves)
    }

    /// Whether a statement itself, not one inside of it, waits at a barrier.
    fn waits(&self, kind: &StmtKind) -> bool {
        let calls = |e: &Expr| self.mentions(e, &|name| self.waiting.contains(name));
        match kind {
            StmtKind::Barrier { .. } => true,
            StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => calls(e),
            StmtKind::Assign(a, b) => calls(a) || calls(b),
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => calls(condition),
            StmtKind::For { from, condition, .. } => calls(from) || calls(condition),
            _ => false,
        }
    }

    fn any_waits(&self, stmts: &[Stmt]) -> bool {
        stmts.iter().any(|stmt| {
            self.waits(&stmt.kind)
                || match &stmt.kind {
                    StmtKind::If { then, otherwise, .. } => self.any_waits(then) || self.any_waits(otherwise),
                    StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => {
                        self.any_waits(body)
                    }
                    _ => false,
                }
        })
    }

    /// Whether a name for which this holds stands in an expression.
    fn mentions(&self, e: &Expr, holds: &dyn Fn(&str) -> bool) -> bool {
        match e {
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) => false,
            Expr::Var(name) => holds(name),
            Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) | Expr::AddressOf(a) => self.mentions(a, holds),
            Expr::Wide { pointer, .. } => self.mentions(pointer, holds),
            Expr::Binary(_, a, b) | Expr::Index(a, b) => self.mentions(a, holds) || self.mentions(b, holds),
            Expr::Select(a, b, c) => [a, b, c].iter().any(|e| self.mentions(e, holds)),
            Expr::Vector(_, all) => all.iter().any(|e| self.mentions(e, holds)),
            Expr::Call(name, args) => holds(name) || args.iter().any(|e| self.mentions(e, holds)),
        }
    }

    /// `idle`: no work-item has read or written what they share since barriers of these kinds, whatever way it came. Gives
    /// whether it is so behind the statements.
    fn needed(&self, stmts: &[Stmt], mut idle: Idle) -> Result<Idle, String> {
        let touches = |e: &Expr| self.mentions(e, &|name| self.shared.contains(name) || self.waiting.contains(name));
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Barrier { local, global } => {
                    // One that orders local memory does not order global memory.
                    if idle.is_some_and(|[l, g]| (l || !local) && (g || !global)) {
                        return Err(format!("{}: nothing is shared between two barriers", self.function));
                    }
                    self.barriers.set(self.barriers.get() + 1);
                    let [l, g] = idle.unwrap_or([false; 2]);
                    idle = Some([l || *local, g || *global]);
                }
                StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => idle = idle.filter(|_| !touches(e)),
                StmtKind::Assign(a, b) => idle = idle.filter(|_| !touches(a) && !touches(b)),
                StmtKind::If { condition, then, otherwise } => {
                    idle = idle.filter(|_| !touches(condition));
                    idle = both(self.needed(then, idle)?, self.needed(otherwise, idle)?);
                }
                StmtKind::For { condition, body, .. } | StmtKind::While { condition, body } => {
                    if let StmtKind::For { from, .. } = &stmt.kind {
                        idle = idle.filter(|_| !touches(from));
                    }
                    idle = idle.filter(|_| !touches(condition));
                    // The first iteration comes from before, every other one from the end of the last.
                    let begin = both(idle, self.needed(body, None)?);
                    idle = if begin.is_some() { both(idle, self.needed(body, begin)?) } else { None };
                }
                StmtKind::Block(body) => idle = self.needed(body, idle)?,
                _ => {}
            }
        }
        Ok(idle)
    }
}

impl Checked<'_> {
    /// Whether memory that work-items share is read or written from here on; no barrier stands where it is not.
    fn followed(&self, stmts: &[Stmt], mut later: bool) -> Result<bool, String> {
        let touches = |e: &Expr| self.mentions(e, &|name| self.shared.contains(name) || self.waiting.contains(name));
        for stmt in stmts.iter().rev() {
            match &stmt.kind {
                StmtKind::Barrier { .. } if !later => {
                    return Err(format!("{}: nothing is shared behind the last barrier", self.function));
                }
                StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => later |= touches(e),
                StmtKind::Assign(a, b) => later |= touches(a) || touches(b),
                StmtKind::If { condition, then, otherwise } => {
                    let (a, b) = (self.followed(then, later)?, self.followed(otherwise, later)?);
                    later = a || b || touches(condition);
                }
                StmtKind::For { condition, body, .. } | StmtKind::While { condition, body } => {
                    // A round is followed by another.
                    later = self.followed(body, true)? || later || touches(condition);
                    if let StmtKind::For { from, .. } = &stmt.kind {
                        later |= touches(from);
                    }
                }
                StmtKind::Block(body) => later = self.followed(body, later)?,
                _ => {}
            }
        }
        Ok(later)
    }
}

impl Leaves {
    fn or(self, other: Leaves) -> Leaves {
        Leaves { the_loop: self.the_loop || other.the_loop, the_function: self.the_function || other.the_function }
    }
}
