//! Finds loops that may write their state in place, by last use.
//!
//! A loop has memory for its state. [`Prim::Update`] in an iteration may overwrite an array of the state if nothing
//! reads the old array afterwards: under another name, through a view, or in a function. The new array then has the
//! memory of the old one, and nothing is copied. An inner loop that starts with such an array uses its memory, too.
//!
//! The analysis follows the order of evaluation. Each update gives an array a new version. For each variable the analysis
//! knows which versions its value reads: a use of an old version means that the array must be copied.

use super::flat::is_flat;
use super::uses;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The arrays of a kernel's loops that are written in place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InPlace {
    /// For each such loop and leaf of its state: whether the leaf is an array that every iteration returns in its
    /// memory.
    pub loops: FxHashMap<VarId, Vec<bool>>,
    /// The updates of such arrays.
    pub updates: FxHashSet<VarId>,
    /// The loops inside of others, with the leaves whose initial value is overwritten.
    pub taken: FxHashSet<(VarId, usize)>,
}

impl InPlace {
    pub fn of(kernel: &Kernel) -> InPlace {
        let mut found = InPlace::default();
        kernel.body.visit(&mut |stmt| {
            if let Some((f, _)) = round_of(stmt)
                && updates(&f.body)
            {
                found.add(kernel, stmt, f);
            }
        });
        found
    }

    fn add(&mut self, kernel: &Kernel, stmt: &Stmt, f: &Lambda) {
        let round = Round::of(kernel, f);
        if !round.kept.contains(&true) {
            return;
        }
        self.updates.extend(round.written(|w| w.1.is_none()).map(|w| w.0));
        self.taken.extend(round.written(|w| w.1.is_some()).filter_map(|w| Some((w.0, w.1?))));
        self.loops.insert(stmt.var, round.kept);
    }
}

/// The function of one iteration of a loop, and the initial state.
pub fn round_of(stmt: &Stmt) -> Option<(&Lambda, &Atom)> {
    let Rhs::Prim(call) = &stmt.rhs else { return None };
    let f = match (call.prim, call.funs.as_slice()) {
        (Prim::Iterate | Prim::Reduce(Level::Seq), [f]) => f,
        (Prim::IterateWhile | Prim::ReduceWhileSeq, [_, f]) => f,
        _ => return None,
    };
    Some((f, call.args.first()?))
}

/// Whether a block, or a function or branch in it, updates an element.
pub fn updates(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| {
        matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Update, .. }))
            || stmt.rhs.blocks().into_iter().any(updates)
    })
}

/// Whether the iterations of the loop update elements.
pub fn is_updating(call: &PrimCall) -> bool {
    matches!(call.prim, Prim::Iterate | Prim::IterateWhile | Prim::Reduce(Level::Seq) | Prim::ReduceWhileSeq)
        && call.funs.iter().any(|f| updates(&f.body))
}

/// The types of the leaves of a state: of its components, and of their components.
pub fn leaves(ty: &Ty) -> Vec<&Ty> {
    match ty.kind() {
        TyKind::Tuple(parts) => parts.iter().flat_map(leaves).collect(),
        _ => vec![ty],
    }
}

/// A leaf of the state, and the version of its contents.
type Contents = (usize, u32);

/// The relation of a variable to the state.
#[derive(Debug, Clone)]
enum Class {
    Tuple(Vec<Class>),
    /// The complete contents of a leaf.
    Is(Contents),
    /// A value that may read contents when it is used.
    Of(Vec<Contents>),
}

impl Class {
    const NOTHING: Class = Class::Of(Vec::new());

    fn of(ty: &Ty, next: &mut usize) -> Class {
        match ty.kind() {
            TyKind::Tuple(parts) => Class::Tuple(parts.iter().map(|part| Class::of(part, next)).collect()),
            _ => {
                *next += 1;
                Class::Is((*next - 1, 0))
            }
        }
    }

    fn contents(&self, out: &mut Vec<Contents>) {
        match self {
            Class::Tuple(parts) => parts.iter().for_each(|part| part.contents(out)),
            Class::Is(one) => out.push(*one),
            Class::Of(all) => out.extend(all),
        }
    }

    fn leaves<'c>(&'c self, out: &mut Vec<&'c Class>) {
        match self {
            Class::Tuple(parts) => parts.iter().for_each(|part| part.leaves(out)),
            leaf => out.push(leaf),
        }
    }
}

struct Round<'k> {
    kernel: &'k Kernel,
    class: FxHashMap<VarId, Class>,
    /// The version of each leaf's contents.
    now: Vec<u32>,
    versions: u32,
    /// Whether each leaf is an array that stays in its memory.
    kept: Vec<bool>,
    /// The writes to each leaf: an update, or a loop with the leaf of its own state.
    writes: Vec<(usize, VarId, Option<usize>)>,
}

impl<'k> Round<'k> {
    fn of(kernel: &'k Kernel, f: &'k Lambda) -> Round<'k> {
        let state = f.params.first().copied();
        let types = state.map_or_else(Vec::new, |state| leaves(kernel.ty(state)));
        let kept: Vec<bool> = types.iter().map(|ty| is_plain(ty)).collect();
        let mut round = Round {
            kernel,
            class: FxHashMap::default(),
            now: vec![0; kept.len()],
            versions: 0,
            kept,
            writes: Vec::new(),
        };
        if let Some(state) = state {
            round.class.insert(state, Class::of(kernel.ty(state), &mut 0));
        }
        let end = round.block(&f.body);
        round.used(&end);
        let mut ends = Vec::new();
        end.leaves(&mut ends);
        for leaf in 0..round.kept.len() {
            let stays = matches!(ends.get(leaf), Some(Class::Is(is)) if *is == (leaf, round.now[leaf]));
            round.kept[leaf] &= stays && ends.len() == round.kept.len();
        }
        round
    }

    /// The writes to a leaf that stays in its memory.
    fn written(&self, of: impl Fn(&(VarId, Option<usize>)) -> bool) -> impl Iterator<Item = (VarId, Option<usize>)> {
        let kept = |leaf: usize| self.kept.get(leaf) == Some(&true);
        self.writes.iter().filter(move |w| kept(w.0)).map(|w| (w.1, w.2)).filter(move |w| of(w))
    }

    fn class_of(&self, a: &Atom) -> Class {
        match a {
            Atom::Var(v) => self.class.get(v).cloned().unwrap_or(Class::NOTHING),
            _ => Class::NOTHING,
        }
    }

    /// Records a use of a value: leaves whose old contents it reads do not stay in their memory.
    fn used(&mut self, class: &Class) {
        let mut all = Vec::new();
        class.contents(&mut all);
        for (leaf, version) in all {
            if self.now[leaf] != version {
                self.kept[leaf] = false;
            }
        }
    }

    fn write(&mut self, leaf: usize) -> Class {
        self.versions += 1;
        self.now[leaf] = self.versions;
        Class::Is((leaf, self.versions))
    }

    fn block(&mut self, block: &'k Block) -> Class {
        for stmt in &block.stmts {
            let class = self.stmt(stmt);
            self.class.insert(stmt.var, class);
        }
        self.class_of(&block.result)
    }

    fn stmt(&mut self, stmt: &'k Stmt) -> Class {
        match &stmt.rhs {
            Rhs::Atom(a) => self.class_of(a),
            Rhs::Tuple(all) => Class::Tuple(all.iter().map(|a| self.class_of(a)).collect()),
            Rhs::Proj(a, i) => match self.class_of(a) {
                Class::Tuple(parts) => parts.get(*i).cloned().unwrap_or(Class::NOTHING),
                _ => self.computed(stmt),
            },
            Rhs::If(_, a, b) => self.branches(a, b),
            Rhs::Prim(call) if call.prim == Prim::Update => self.update(stmt, call),
            Rhs::Prim(call) => match round_of(stmt) {
                Some((f, start)) => self.inner_loop(stmt, call, f, start),
                None => self.computed(stmt),
            },
            _ => self.computed(stmt),
        }
    }

    /// Classifies a statement that overwrites nothing.
    fn computed(&mut self, stmt: &'k Stmt) -> Class {
        let mut all = Vec::new();
        for class in self.mentioned(stmt) {
            self.used(&class);
            class.contents(&mut all);
        }
        if is_flat(self.kernel.ty(stmt.var)) { Class::NOTHING } else { Class::Of(all) }
    }

    /// The classes of the variables that a statement mentions, in its functions and branches too.
    fn mentioned(&self, stmt: &Stmt) -> Vec<Class> {
        let mut vars = FxHashSet::default();
        uses::variables(stmt, &mut vars);
        vars.iter().filter_map(|v| self.class.get(v)).cloned().collect()
    }

    fn branches(&mut self, a: &'k Block, b: &'k Block) -> Class {
        let before = self.now.clone();
        let first = self.block(a);
        self.used(&first);
        let after = std::mem::replace(&mut self.now, before.clone());
        let second = self.block(b);
        self.used(&second);
        let ends = [after, self.now.clone()];
        for leaf in 0..before.len() {
            if ends.iter().any(|end| end[leaf] != before[leaf]) {
                self.write(leaf);
            }
        }
        self.joined(&first, &second)
    }

    /// The class of a choice between two values, each with its own latest contents.
    fn joined(&self, a: &Class, b: &Class) -> Class {
        match (a, b) {
            (Class::Tuple(a), Class::Tuple(b)) if a.len() == b.len() => {
                Class::Tuple(a.iter().zip(b).map(|(a, b)| self.joined(a, b)).collect())
            }
            (Class::Is((a, _)), Class::Is((b, _))) if a == b => Class::Is((*a, self.now[*a])),
            _ => {
                let mut all = Vec::new();
                a.contents(&mut all);
                b.contents(&mut all);
                Class::Of(all.into_iter().map(|(leaf, _)| (leaf, self.now[leaf])).collect())
            }
        }
    }

    fn update(&mut self, stmt: &'k Stmt, call: &'k PrimCall) -> Class {
        let ([xs, .., value], Some(Class::Is((leaf, _)))) =
            (call.args.as_slice(), call.args.first().map(|xs| self.class_of(xs)))
        else {
            return self.computed(stmt);
        };
        for class in self.mentioned(stmt) {
            self.used(&class);
        }
        // An array is copied element by element, so it must not be a view of what is overwritten.
        let mut read = Vec::new();
        self.class_of(value).contents(&mut read);
        if read.iter().any(|(of, _)| *of == leaf) || self.kernel.atom_ty(xs) != *self.kernel.ty(stmt.var) {
            return self.computed(stmt);
        }
        self.writes.push((leaf, stmt.var, None));
        self.write(leaf)
    }

    fn inner_loop(&mut self, stmt: &'k Stmt, call: &'k PrimCall, f: &'k Lambda, start: &'k Atom) -> Class {
        // The result of a fold is an array of one accumulator.
        let folds = matches!(call.prim, Prim::Reduce(_) | Prim::ReduceWhileSeq);
        if folds || !is_updating(call) {
            return self.computed(stmt);
        }
        let mut all = Vec::new();
        for class in self.mentioned(stmt) {
            self.used(&class);
            class.contents(&mut all);
        }
        let mut captured = Vec::new();
        let mut inside = FxHashSet::default();
        for block in stmt.rhs.blocks() {
            block.stmts.iter().for_each(|s| uses::variables(s, &mut inside));
            inside.extend(match block.result {
                Atom::Var(v) => Some(v),
                _ => None,
            });
        }
        inside.iter().filter_map(|v| self.class.get(v)).for_each(|class| class.contents(&mut captured));
        let inner = Round::of(self.kernel, f);
        let start = self.class_of(start);
        let mut starts = Vec::new();
        start.leaves(&mut starts);
        let mut ends = Vec::new();
        for (own, kept) in inner.kept.iter().enumerate() {
            let class = starts.get(own).filter(|_| starts.len() == inner.kept.len());
            let twice = |leaf: usize| starts.iter().filter(|c| touches(c, leaf)).count() > 1;
            ends.push(match class {
                Some(Class::Is((leaf, _))) if *kept && !twice(*leaf) && !captured.iter().any(|(of, _)| of == leaf) => {
                    self.writes.push((*leaf, stmt.var, Some(own)));
                    Some(*leaf)
                }
                _ => None,
            });
        }
        let written: Vec<Class> = ends
            .into_iter()
            .map(|leaf| match leaf {
                Some(leaf) => self.write(leaf),
                None => Class::Of(all.clone()),
            })
            .collect();
        let mut written = written.into_iter();
        shaped(self.kernel.ty(stmt.var), &mut written)
    }
}

fn touches(class: &Class, leaf: usize) -> bool {
    let mut all = Vec::new();
    class.contents(&mut all);
    all.iter().any(|(of, _)| *of == leaf)
}

/// Combines the classes of leaves in the structure of the type. A scalar reads no array.
fn shaped(ty: &Ty, leaves: &mut impl Iterator<Item = Class>) -> Class {
    match ty.kind() {
        TyKind::Tuple(parts) => Class::Tuple(parts.iter().map(|part| shaped(part, leaves)).collect()),
        _ => leaves.next().filter(|_| !is_flat(ty)).unwrap_or(Class::NOTHING),
    }
}

/// Whether a type is that of an array without hidden lengths, of elements of one type.
pub fn is_plain(ty: &Ty) -> bool {
    let Some(array) = ty.as_array() else { return false };
    array.position.is_none() && (is_flat(&array.element) || is_plain(&array.element))
}
