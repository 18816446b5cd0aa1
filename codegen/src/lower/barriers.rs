//! Removes redundant barriers from a complete function: those without an access to shared memory between them on any
//! path, and those after which there is none. They arise because each loop waits before its next iteration, even if it
//! turns out to be a condition or contains nothing but another loop.

use crate::opencl::{Expr, Stmt, StmtKind, Storage, names};
use lift_analysis::hir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// Removes redundant barriers from the body of a function.
pub fn drop_needless(body: &mut Vec<Stmt>) {
    if !has_barrier(body) {
        return;
    }
    let mut private = FxHashSet::default();
    private_arrays(body, &mut private);
    let pass = Pass { private };
    // A kernel starts with all memory synchronised.
    pass.forward(body, Some(Fences { local: true, global: true }));
    pass.backward(body, false);
}

/// Whether statements neither read nor write shared memory.
pub fn touches_nothing(stmts: &[Stmt]) -> bool {
    !Pass { private: FxHashSet::default() }.anywhere(stmts)
}

/// The memories that a barrier synchronises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Fences {
    local: bool,
    global: bool,
}

/// The memories synchronised since the last access; `None` if there was no barrier since.
type Ordered = Option<Fences>;

/// Results of [`Pass::end_of`], by the first statement and the state before it.
type Ends = FxHashMap<(*const Stmt, Ordered), Ordered>;

fn both(a: Ordered, b: Ordered) -> Ordered {
    let (a, b) = (a?, b?);
    Some(Fences { local: a.local && b.local, global: a.global && b.global })
}

/// Whether statements contain a barrier.
pub fn has_barrier(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Barrier { .. } => true,
        StmtKind::If { then, otherwise, .. } => has_barrier(then) || has_barrier(otherwise),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => has_barrier(body),
        _ => false,
    })
}

fn private_arrays(stmts: &[Stmt], out: &mut FxHashSet<Name>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::DeclareArray { storage: Storage::Private, name, .. } => {
                out.insert(name.clone());
            }
            StmtKind::If { then, otherwise, .. } => {
                private_arrays(then, out);
                private_arrays(otherwise, out);
            }
            StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => {
                private_arrays(body, out);
            }
            _ => {}
        }
    }
}

struct Pass {
    private: FxHashSet<Name>,
}

impl Pass {
    /// Whether an expression may access shared memory.
    fn touches(&self, e: &Expr) -> bool {
        match e {
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) | Expr::Var(_) => false,
            Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) => self.touches(a),
            Expr::Binary(_, a, b) => self.touches(a) || self.touches(b),
            Expr::Select(a, b, c) => self.touches(a) || self.touches(b) || self.touches(c),
            Expr::Vector(_, all) => all.iter().any(|e| self.touches(e)),
            Expr::Index(array, at) => {
                let own = matches!(&**array, Expr::Var(name) if self.private.contains(name));
                !own || self.touches(at)
            }
            Expr::Call(name, args) => !is_pure(name) || args.iter().any(|e| self.touches(e)),
            Expr::AddressOf(_) | Expr::Wide { .. } => true,
        }
    }

    /// Whether a statement, apart from nested ones, may access shared memory.
    fn itself(&self, kind: &StmtKind) -> bool {
        match kind {
            StmtKind::Declare { init, .. } => init.as_ref().is_some_and(|e| self.touches(e)),
            StmtKind::Assign(a, b) => self.touches(a) || self.touches(b),
            StmtKind::Expr(e) | StmtKind::If { condition: e, .. } | StmtKind::While { condition: e, .. } => {
                self.touches(e)
            }
            StmtKind::For { from, condition, .. } => self.touches(from) || self.touches(condition),
            _ => false,
        }
    }

    fn anywhere(&self, stmts: &[Stmt]) -> bool {
        stmts.iter().any(|s| {
            self.itself(&s.kind)
                || match &s.kind {
                    StmtKind::If { then, otherwise, .. } => self.anywhere(then) || self.anywhere(otherwise),
                    StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => {
                        self.anywhere(body)
                    }
                    _ => false,
                }
        })
    }

    /// The state after statements, with or without the barriers that [`Pass::forward`] removes. A loop is evaluated for
    /// two initial states, which would double the work at each level of nesting; but there are few states, and `known`
    /// caches the results.
    fn end_of(&self, stmts: &[Stmt], mut ordered: Ordered, known: &mut Ends) -> Ordered {
        let Some(first) = stmts.first() else { return ordered };
        let asked = (std::ptr::from_ref(first), ordered);
        if let Some(end) = known.get(&asked) {
            return *end;
        }
        for stmt in stmts {
            if self.itself(&stmt.kind) {
                ordered = None;
            }
            match &stmt.kind {
                StmtKind::Barrier { local, global } => {
                    let before = ordered.unwrap_or(Fences { local: false, global: false });
                    ordered = Some(Fences { local: before.local || *local, global: before.global || *global });
                }
                StmtKind::If { then, otherwise, .. } => {
                    ordered = both(self.end_of(then, ordered, known), self.end_of(otherwise, ordered, known));
                }
                StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                    let begin = self.begin_of(body, ordered, known);
                    let end = self.end_of(body, begin, known);
                    ordered = if leaves(body) { None } else { both(begin, end) };
                }
                StmtKind::Block(body) => ordered = self.end_of(body, ordered, known),
                _ => {}
            }
        }
        known.insert(asked, ordered);
        ordered
    }

    /// The state at the beginning of a loop's iterations: the first follows the code before, every other one the end of
    /// an iteration, whatever its initial state.
    fn begin_of(&self, body: &[Stmt], before: Ordered, known: &mut Ends) -> Ordered {
        before.and_then(|_| both(before, self.end_of(body, None, known)))
    }

    /// Removes barriers that only synchronise what already is; returns the state at the end.
    fn forward(&self, stmts: &mut Vec<Stmt>, mut ordered: Ordered) -> Ordered {
        stmts.retain_mut(|stmt| {
            if self.itself(&stmt.kind) {
                ordered = None;
            }
            match &mut stmt.kind {
                StmtKind::Barrier { local, global } => {
                    let now = Fences { local: *local, global: *global };
                    if ordered.is_some_and(|o| (o.local || !now.local) && (o.global || !now.global)) {
                        return false;
                    }
                    let before = ordered.unwrap_or(Fences { local: false, global: false });
                    ordered = Some(Fences { local: before.local || now.local, global: before.global || now.global });
                }
                StmtKind::If { then, otherwise, .. } => {
                    ordered = both(self.forward(then, ordered), self.forward(otherwise, ordered));
                }
                StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                    let begin = self.begin_of(body, ordered, &mut FxHashMap::default());
                    let end = self.forward(body, begin);
                    // A `break` may leave the loop in any state.
                    ordered = if leaves(body) { None } else { both(begin, end) };
                }
                StmtKind::Block(body) => ordered = self.forward(body, ordered),
                _ => {}
            }
            true
        });
        ordered
    }

    /// Removes barriers after which shared memory is not accessed; returns whether it is accessed from the beginning
    /// on.
    fn backward(&self, stmts: &mut Vec<Stmt>, mut later: bool) -> bool {
        let mut kept = Vec::with_capacity(stmts.len());
        for mut stmt in std::mem::take(stmts).into_iter().rev() {
            let itself = self.itself(&stmt.kind);
            match &mut stmt.kind {
                StmtKind::Barrier { .. } if !later => continue,
                StmtKind::If { then, otherwise, .. } => {
                    let (a, b) = (self.backward(then, later), self.backward(otherwise, later));
                    later |= a || b;
                }
                StmtKind::For { body, .. } | StmtKind::While { body, .. } => {
                    later |= itself || self.anywhere(body);
                    self.backward(body, later);
                }
                StmtKind::Block(body) => later = self.backward(body, later),
                _ => {}
            }
            later |= itself;
            kept.push(stmt);
        }
        kept.reverse();
        *stmts = kept;
        later
    }
}

/// Whether a loop may be left in the middle of an iteration: by a `break` of its own, or by a `return` anywhere in it.
fn leaves(body: &[Stmt]) -> bool {
    any_exit(body, true)
}

fn any_exit(stmts: &[Stmt], own_loop: bool) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Break => own_loop,
        StmtKind::Return | StmtKind::Stop => true,
        StmtKind::If { then, otherwise, .. } => any_exit(then, own_loop) || any_exit(otherwise, own_loop),
        StmtKind::Block(body) => any_exit(body, own_loop),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } => any_exit(body, false),
        _ => false,
    })
}

/// Functions of OpenCL that access only their arguments.
fn is_pure(name: &str) -> bool {
    let converts = name.starts_with("convert_") || name.starts_with("as_");
    converts || names::is_special(name) || is_brief(name)
}

fn is_brief(name: &str) -> bool {
    matches!(
        name,
        "get_local_id"
            | "get_group_id"
            | "get_global_id"
            | "get_local_size"
            | "get_num_groups"
            | "get_global_size"
            | "min"
            | "max"
            | "abs"
            | "clamp"
            | "popcount"
            | "clz"
            | "rotate"
            | "mul_hi"
            | "fmin"
            | "fmax"
            | "fabs"
            | "fma"
            | "floor"
            | "ceil"
            | "trunc"
            | "rint"
            | "round"
            | "isnan"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::CType;
    use std::sync::Arc;

    fn at(kind: StmtKind) -> Stmt {
        Stmt { kind, origin: None }
    }
    fn barrier(local: bool, global: bool) -> Stmt {
        at(StmtKind::Barrier { local, global })
    }
    fn wait() -> Stmt {
        barrier(true, false)
    }
    fn access() -> Stmt {
        let to = Expr::Index(Arc::new(Expr::Var("shared".into())), Arc::new(Expr::int(0)));
        at(StmtKind::Assign(to, Expr::int(1)))
    }
    fn own() -> Stmt {
        at(StmtKind::Declare { ty: CType::Int, constant: true, name: "x".into(), init: Some(Expr::int(0)) })
    }
    fn when(then: Vec<Stmt>) -> Stmt {
        at(StmtKind::If { condition: Expr::Var("c".into()), then, otherwise: Vec::new() })
    }
    fn rounds(body: Vec<Stmt>) -> Stmt {
        at(StmtKind::While { condition: Expr::Var("c".into()), body })
    }
    fn left(mut body: Vec<Stmt>) -> Vec<Stmt> {
        drop_needless(&mut body);
        body
    }

    #[test]
    fn functions_of_numbers_touch_nothing() {
        let x = Expr::call("popcount", [Expr::Var("k".into())]);
        let declared =
            |init| at(StmtKind::Declare { ty: CType::Int, constant: true, name: "x".into(), init: Some(init) });
        assert!(touches_nothing(&[declared(x.clone())]));
        assert!(!touches_nothing(&[declared(Expr::Index(Arc::new(Expr::Var("shared".into())), Arc::new(x)))]));
    }

    #[test]
    fn what_is_between_accesses_stays() {
        for body in [
            vec![access(), wait(), access()],
            vec![rounds(vec![access(), wait()])],
            vec![when(vec![access(), wait()]), access()],
            vec![rounds(vec![access(), wait(), when(vec![at(StmtKind::Break)])]), wait(), access()],
            // One synchronises local memory, the other global memory.
            vec![access(), barrier(true, false), barrier(false, true), access()],
            // The outer loop accesses memory outside the inner one.
            vec![rounds(vec![access(), rounds(vec![access(), wait()]), wait()])],
        ] {
            assert_eq!(left(body.clone()), body);
        }
    }

    #[test]
    fn what_stands_at_an_end_or_beside_another_goes() {
        assert_eq!(
            left(vec![wait(), access(), wait(), own(), wait(), access(), wait()]),
            [access(), wait(), own(), access()]
        );
        assert_eq!(left(vec![when(vec![access(), wait()]), own()]), [when(vec![access()]), own()]);
        assert_eq!(
            left(vec![rounds(vec![rounds(vec![access(), wait()]), wait()])]),
            [rounds(vec![rounds(vec![access(), wait()])])]
        );
        // A `break` of the innermost loop leaves only that loop.
        let search = || rounds(vec![when(vec![at(StmtKind::Break)])]);
        assert_eq!(
            left(vec![rounds(vec![rounds(vec![access(), search(), wait()]), wait()])]),
            [rounds(vec![rounds(vec![access(), search(), wait()])])]
        );
    }
}
