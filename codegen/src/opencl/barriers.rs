//! Verifies the barriers of generated functions: all work-items of a group reach each barrier, shared memory is
//! accessed between two barriers, and a barrier separates a branch with barriers from what follows ([`joins`]). A loop with
//! barriers is left only where all work-items have taken the same path since the last barrier: pocl lets one work-item
//! decide from the branch before on. Debug builds verify every program that they generate.
//!
//! A divergence analysis follows work-item ids through the tree. A value is *own* (it may differ between the work-items
//! of a group) if it is computed from an item id, from private memory that is own, from an element at an own index, or
//! under an own condition. An element of shared memory at an index that is not own is the same for all, unless the function
//! passes the buffer to helpers that record failures in it: then others may have written it in between.

#[cfg(test)]
mod tests;

use super::helpers::FAILURE;
use super::{Expr, Function, Helper, ParamType, Step, Stmt, StmtKind, Storage, joins};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// Returns the number of barriers in the kernels of a program, or the first fault found.
pub fn verify(functions: &[Function], text: &str) -> Result<usize, String> {
    let waiting = waiting_helpers(text);
    functions.iter().map(|function| check(function, &waiting)).sum()
}

/// Whether all work-items of each group reach the barriers of all kernels, also after one of them has recorded a failure.
pub fn are_reached(functions: &[Function], text: &str) -> bool {
    let waiting = waiting_helpers(text);
    let stopping = functions.iter().filter(|function| !recorded(function).is_empty());
    stopping.map(|function| Checked::of(function, &waiting)).all(|checked| match checked {
        Some((checked, body)) => checked.reached(body, false).is_ok(),
        None => true,
    })
}

/// The helper functions in a text that contain a barrier.
fn waiting_helpers(text: &str) -> FxHashSet<String> {
    let name = |function: &str| {
        // Comments may precede the signature.
        let head = function.lines().find(|line| line.contains('(') && !line.trim_start().starts_with("//"))?;
        let head = head.split('(').next()?;
        head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned)
    };
    let functions = text.split("\n}\n").filter(|f| f.contains("barrier(") && !f.contains("__kernel"));
    functions.filter_map(name).collect()
}

/// The kinds of barriers (local, global) since the last access to shared memory; `None` if there was none.
type Idle = Option<[bool; 2]>;

fn both(a: Idle, b: Idle) -> Idle {
    let ([l, g], [m, h]) = (a?, b?);
    Some([l && m, g && h])
}

/// The state for one function.
struct Checked<'a> {
    function: &'a str,
    waiting: &'a FxHashSet<String>,
    /// Variables whose values may differ between work-items.
    own: FxHashSet<String>,
    /// Private arrays.
    private: FxHashSet<String>,
    /// Arrays and buffers shared by work-items.
    shared: FxHashSet<String>,
    /// Buffers in which the function records failures.
    recorded: FxHashSet<String>,
    barriers: Cell<usize>,
}

/// How control flow may diverge out of a statement.
#[derive(Clone, Copy, Default, PartialEq)]
struct Leaves {
    /// Whether some work-items leave the loop, or the function, but others do not.
    the_loop: bool,
    the_function: bool,
}

impl<'a> Checked<'a> {
    /// What is learned of a function, and its body; `None` if it has no barriers.
    fn of(function: &'a Function, waiting: &'a FxHashSet<String>) -> Option<(Checked<'a>, &'a [Stmt])> {
        let mut checked = Checked {
            function: &function.name,
            waiting,
            own: FxHashSet::default(),
            private: FxHashSet::default(),
            shared: FxHashSet::default(),
            // The only work-item of a group decides for itself.
            recorded: if function.group_size == Some([1; 3]) { FxHashSet::default() } else { recorded(function) },
            barriers: Cell::new(0),
        };
        if !checked.any_waits(&function.body) {
            return None;
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
        Some((checked, &function.body))
    }
}

fn check(function: &Function, waiting: &FxHashSet<String>) -> Result<usize, String> {
    let Some((checked, _)) = Checked::of(function, waiting) else { return Ok(0) };
    checked.reached(&function.body, false)?;
    checked.needed(&function.body, Some([true; 2]))?;
    checked.followed(&function.body, false)?;
    checked.left_together(&function.body, false, false)?;
    if joins::lacks(&function.body) {
        return Err(format!("{}: a branch with barriers is not separated from what follows", function.name));
    }
    Ok(checked.barriers.get())
}

/// The buffers that a function passes to helpers that record failures.
fn recorded(function: &Function) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    note_recorded(&function.body, &mut found);
    found
}

fn note_recorded(stmts: &[Stmt], found: &mut FxHashSet<String>) {
    const RECORDING: [Helper; 4] = [Helper::Fail, Helper::CheckLength, Helper::CheckCount, Helper::CheckNumber];
    let mut note = |e: &Expr| {
        e.any(&mut |e| {
            if let Expr::Call(name, args) = e
                && RECORDING.iter().any(|helper| helper.name() == &**name)
                && let Some(Expr::Var(buffer)) = args.first()
            {
                found.insert(buffer.to_string());
            }
            false
        });
    };
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => note(e),
            StmtKind::Assign(to, value) => [to, value].into_iter().for_each(&mut note),
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => note(condition),
            StmtKind::For { from, condition, .. } => [from, condition].into_iter().for_each(&mut note),
            _ => {}
        }
    }
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                note_recorded(then, found);
                note_recorded(otherwise, found);
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => {
                note_recorded(body, found);
            }
            _ => {}
        }
    }
}

impl Checked<'_> {
    /// Whether a value may differ between work-items.
    fn is_own(&self, e: &Expr) -> bool {
        let any = |all: &[Expr]| all.iter().any(|e| self.is_own(e));
        match e {
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) => false,
            Expr::Var(name) => self.own.contains(&**name),
            Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) | Expr::AddressOf(a) => self.is_own(a),
            Expr::Wide { pointer, .. } => self.is_own(pointer),
            Expr::Index(a, b) if self.is_recorded(a) && !matches!(&**b, Expr::Int { value: FAILURE.., .. }) => true,
            Expr::Binary(_, a, b) | Expr::Index(a, b) => self.is_own(a) || self.is_own(b),
            Expr::Select(a, b, c) => self.is_own(a) || self.is_own(b) || self.is_own(c),
            Expr::Vector(_, all) => any(all),
            Expr::Call(name, args) => match &**name {
                "get_local_id" | "get_global_id" => true,
                "get_group_id" | "get_num_groups" | "get_local_size" | "get_global_size" => false,
                // One work-item computes the result, and all read it after a barrier.
                name if [Helper::NextTile, Helper::LastGroup, Helper::GroupSums].iter().any(|h| h.name() == name) => {
                    false
                }
                name if name.starts_with("atomic_") || self.waiting.contains(name) => true,
                _ => any(args),
            },
        }
    }

    fn is_recorded(&self, array: &Expr) -> bool {
        matches!(array, Expr::Var(name) if self.recorded.contains(&**name))
    }

    fn note(&mut self, target: &Expr, own: bool) {
        match target {
            Expr::Var(name) if own => {
                self.own.insert(name.to_string());
            }
            // Tracks private arrays; elements of shared memory are examined where they are read.
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

    /// Propagates own values through statements; `apart` if these run under an own condition.
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
                    // Variables passed by address are written.
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
            // Only some work-items execute the following statements.
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

    /// Checks that no barrier runs in some work-items only.
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

    /// Whether the statement itself, apart from nested ones, waits at a barrier.
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

    /// Whether an expression contains a name that satisfies `holds`.
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

    /// Checks that shared memory is accessed between two barriers. `idle` has the kinds of barriers since the last
    /// access, on all paths; returns the same for the end of the statements.
    fn needed(&self, stmts: &[Stmt], mut idle: Idle) -> Result<Idle, String> {
        let touches = |e: &Expr| self.mentions(e, &|name| self.shared.contains(name) || self.waiting.contains(name));
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Barrier { local: false, global: false } => {}
                StmtKind::Barrier { local, global } => {
                    // A barrier for local memory does not order global memory.
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
                    // The first iteration follows the code before the loop, every other one the previous iteration.
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
    /// Checks that no loop with barriers (`inside` one) is left after a branch of single work-items without a barrier
    /// between. `parted` is whether there is one before; returns the same for the end of the statements.
    fn left_together(&self, stmts: &[Stmt], inside: bool, mut parted: bool) -> Result<bool, String> {
        for stmt in stmts {
            if self.waits(&stmt.kind) {
                parted = false;
            }
            match &stmt.kind {
                StmtKind::Break if inside && parted => {
                    return Err(format!("{}: a loop is left after a branch without a barrier", self.function));
                }
                StmtKind::If { condition, then, otherwise } => {
                    let own = self.is_own(condition);
                    let then = self.left_together(then, inside, parted)?;
                    parted = self.left_together(otherwise, inside, parted)? || then || own;
                }
                StmtKind::For { condition, body, .. } | StmtKind::While { condition, body } => {
                    let end = self.left_together(body, self.any_waits(body), parted)?;
                    parted |= end || self.is_own(condition);
                }
                StmtKind::Block(body) => parted = self.left_together(body, inside, parted)?,
                _ => {}
            }
        }
        Ok(parted)
    }

    /// Checks that shared memory is accessed after each barrier; returns whether it is from the beginning of `stmts`
    /// on.
    fn followed(&self, stmts: &[Stmt], mut later: bool) -> Result<bool, String> {
        let touches = |e: &Expr| self.mentions(e, &|name| self.shared.contains(name) || self.waiting.contains(name));
        for stmt in stmts.iter().rev() {
            match &stmt.kind {
                StmtKind::Barrier { local: false, global: false } => {}
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
                    // Another iteration may follow.
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
