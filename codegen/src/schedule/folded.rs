//! Filters whose results are only folded or counted: the kept elements are not stored.
//!
//! * `reduceSeq f z ∘ filter p = reduceSeq (λ(acc,x). if p x then f acc x else acc) z`
//! * `reduce f z ∘ filter p = reduce f z ∘ map (λx. if p x then x else z)`, with z neutral
//! * `reduceByKey n f z (map k (filter p xs)) (map g (filter p xs)) = reduceByKey n f z (map (λx. if p x then k x else -1) xs)
//!   (map (λx. if p x then g x else z) xs)`
//! * `length ∘ filter p = reduce + 0 ∘ map (λx. if p x then 1 else 0)`
//!
//! Maps and zips may stand between the filter and a fold, and several folds may read one filter, if nothing else does.

use super::fails::may_fail;
use super::flat::is_flat;
use super::free::are_brief;
use super::rewrite::Rewriter;
use super::{Applied, rules};
use crate::core::copy::Copier;
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::size::{LengthCheck, Size, Var};
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum folds that read the source in place of one filter: at the top of a kernel, where each of them reads it from
/// memory, and in a function, where a row is at hand.
const MOST_AT_THE_TOP: usize = 3;
const MOST_IN_A_FUNCTION: usize = 8;

/// `t = filter p xs; ys = unpack t`, by their indices in a block, and what reads `ys`.
struct Kept {
    filter: usize,
    unpack: usize,
    length: Var,
    /// Arrays made by maps and zips, with one element for each kept element.
    derived: FxHashSet<VarId>,
    /// The number of folds over them.
    folds: usize,
    /// Whether the length is used as a number.
    counted: bool,
    /// Whether a reader is in a branch.
    in_branch: bool,
}

impl Rewriter<'_> {
    /// Replaces filters of a block if only folds and the number of their elements are used. `top`: the block is at the
    /// top of the kernel.
    pub(super) fn folds_of_filters(&mut self, block: &mut Block, top: bool) {
        while self.goes_on()
            && let Some(kept) = (0..block.stmts.len()).find_map(|at| self.only_folded(block, at, top))
        {
            self.replace(block, &kept);
        }
    }

    fn only_folded(&self, block: &Block, unpack: usize, top: bool) -> Option<Kept> {
        let stmt = &block.stmts[unpack];
        let (Rhs::Unpack(Atom::Var(t)), [length]) = (&stmt.rhs, stmt.binds.as_slice()) else { return None };
        let filter = block.stmts[..unpack].iter().position(|s| s.var == *t)?;
        let Rhs::Prim(PrimCall { prim: Prim::Filter(level), funs, args, .. }) = &block.stmts[filter].rhs else {
            return None;
        };
        let source = self.ty(&args[0])?;
        let source = source.as_array().filter(|a| a.position.is_none())?;
        if !self.used_once(*t) || self.assumed.contains(length) || funs.iter().any(|f| f.position.is_some()) {
            return None;
        }
        let mut kept = Kept {
            filter,
            unpack,
            length: length.clone(),
            derived: FxHashSet::from_iter([stmt.var]),
            folds: 0,
            counted: false,
            in_branch: false,
        };
        let mut recipes: Vec<&Lambda> = funs.iter().collect();
        let mut reader = Reader { rewriter: self, kept: &mut kept, level: *level, recipes: &mut recipes };
        reader.stmts(&block.stmts[unpack + 1..], false)?;
        reader.numbers([&block.result], false)?;
        if reader.is_derived(&block.result) {
            return None;
        }
        let reads = kept.folds + usize::from(kept.counted);
        let most = if top { MOST_AT_THE_TOP } else { MOST_IN_A_FUNCTION };
        let again = reads > 1;
        let fits = source.len.as_var().is_some() || source.len.as_const().is_some_and(|n| n <= i32::MAX.into());
        let holds = reads > 0
            && reads <= most
            && (!again || recipes.iter().all(|f| are_brief(&f.body.stmts)))
            && (!kept.in_branch || !recipes.iter().any(|f| may_fail(&self.vars, &f.body)))
            && (!kept.counted || (fits && matches!(level, Level::Auto | Level::Seq)));
        holds.then_some(kept)
    }

    fn replace(&mut self, block: &mut Block, kept: &Kept) {
        let mut rest = block.stmts.split_off(kept.unpack + 1);
        let opened = block.stmts.pop();
        let filter = block.stmts.remove(kept.filter);
        let (Some(opened), Rhs::Prim(PrimCall { prim, funs, args, .. })) = (opened, filter.rhs) else { return };
        let mut funs = funs.into_iter();
        let Some(test) = funs.next() else { return };
        let mut writer = Writer {
            test,
            out: funs.next(),
            source: args[0].clone(),
            recipes: FxHashMap::from_iter([(opened.var, Recipe::Kept)]),
            rewriter: self,
        };
        let mut number = None;
        if kept.counted {
            let sequential = prim == Prim::Filter(Level::Seq);
            if let Some((stmts, n)) = writer.count(sequential, &filter.origin) {
                block.stmts.extend(stmts);
                number = Some(n);
            }
        }
        writer.stmts(&mut rest);
        block.stmts.extend(rest);
        if let Some(n) = number {
            count_by(block, &kept.length, n);
        }
    }
}

/// Finds the folds of the kept elements. Its methods return `None` if anything else reads these elements.
struct Reader<'r, 'a, 'b> {
    rewriter: &'r Rewriter<'a>,
    kept: &'r mut Kept,
    /// The level of the filter.
    level: Level,
    /// The functions of the filter and of the maps after it.
    recipes: &'r mut Vec<&'b Lambda>,
}

impl<'b> Reader<'_, '_, 'b> {
    fn is_derived(&self, a: &Atom) -> bool {
        matches!(a, Atom::Var(v) if self.kept.derived.contains(v))
    }

    /// Whether the atom is the number of kept elements; `None` if it is computed with it in another way.
    fn counts(&self, a: &Atom) -> Option<bool> {
        match a {
            Atom::Size(s) if s.as_var() == Some(&self.kept.length) => Some(true),
            Atom::Size(s) if s.contains(&self.kept.length) => None,
            _ => Some(false),
        }
    }

    fn numbers<'s>(&mut self, atoms: impl IntoIterator<Item = &'s Atom>, branch: bool) -> Option<()> {
        for a in atoms {
            if self.counts(a)? {
                self.kept.counted = true;
                self.kept.in_branch |= branch;
            }
        }
        Some(())
    }

    fn stmts(&mut self, stmts: &'b [Stmt], branch: bool) -> Option<()> {
        stmts.iter().try_for_each(|s| self.stmt(s, branch))
    }

    fn stmt(&mut self, stmt: &'b Stmt, branch: bool) -> Option<()> {
        self.numbers(stmt.rhs.operands(), branch)?;
        let read = stmt.rhs.operands().iter().any(|a| self.is_derived(a));
        match &stmt.rhs {
            Rhs::If(_, a, b) => {
                for block in [a, b] {
                    self.stmts(&block.stmts, true)?;
                    self.numbers([&block.result], true)?;
                    if self.is_derived(&block.result) {
                        return None;
                    }
                }
            }
            Rhs::Prim(call) => {
                call.funs.iter().try_for_each(|f| self.function(&f.body, branch))?;
                if read {
                    self.kept.in_branch |= branch;
                    return self.reader(stmt, call);
                }
            }
            _ => {}
        }
        (!read && !self.has_length(stmt)).then_some(())
    }

    /// Visits a statement that reads an array of the kept elements.
    fn reader(&mut self, stmt: &Stmt, call: &'b PrimCall) -> Option<()> {
        match call.prim {
            Prim::Map(Level::Auto) if call.funs[0].position.is_none() => {
                let ty = &self.rewriter.vars[stmt.var.0 as usize].ty;
                ty.as_array().filter(|a| is_flat(&a.element))?;
                self.recipes.push(&call.funs[0]);
                self.kept.derived.insert(stmt.var);
            }
            Prim::Zip if call.args.iter().all(|a| self.is_derived(a)) => {
                self.kept.derived.insert(stmt.var);
            }
            // A fold by one work-item must not do the work of a filter over the device.
            Prim::Reduce(Level::Seq) if !matches!(self.level, Level::Seq | Level::Auto) => return None,
            Prim::Reduce(Level::Seq | Level::Auto) => {
                let [z, _] = call.args.as_slice() else { return None };
                if self.is_derived(z) || call.funs[0].position.is_some() || self.has_length(stmt) {
                    return None;
                }
                self.kept.folds += 1;
            }
            Prim::ReduceByKey(_) => {
                let [z, keys, xs] = call.args.as_slice() else { return None };
                let both = self.is_derived(keys) && self.is_derived(xs) && !self.is_derived(z);
                if !both || self.has_length(stmt) {
                    return None;
                }
                self.kept.folds += 1;
            }
            _ => return None,
        }
        Some(())
    }

    /// Visits a function, which may use only the number of elements.
    fn function(&mut self, body: &Block, branch: bool) -> Option<()> {
        for stmt in &body.stmts {
            if stmt.rhs.operands().iter().any(|a| self.is_derived(a)) || self.has_length(stmt) {
                return None;
            }
            self.numbers(stmt.rhs.operands(), branch)?;
            stmt.rhs.blocks().into_iter().try_for_each(|inner| self.function(inner, branch))?;
        }
        if self.is_derived(&body.result) {
            return None;
        }
        self.numbers([&body.result], branch)
    }

    /// Whether a statement mentions the length other than as an operand.
    fn has_length(&self, stmt: &Stmt) -> bool {
        let x = &self.kept.length;
        let in_rhs = match &stmt.rhs {
            Rhs::Pack(_, sizes) => sizes.iter().any(|s| s.contains(x)),
            Rhs::Cast(_, checks) => checks.iter().flat_map(LengthCheck::sizes).any(|s| s.contains(x)),
            Rhs::Prim(call) => call.sizes.iter().any(|s| s.contains(x)),
            _ => false,
        };
        in_rhs || self.rewriter.vars[stmt.var.0 as usize].ty.mentions(x)
    }
}

/// The computation of an array's element from a kept element.
#[derive(Clone)]
enum Recipe {
    Kept,
    Map(Lambda, VarId),
    Zip(Vec<VarId>, VarId),
}

struct Writer<'r, 'a> {
    rewriter: &'r mut Rewriter<'a>,
    test: Lambda,
    /// The function whose results the filter stores instead of elements.
    out: Option<Lambda>,
    source: Atom,
    recipes: FxHashMap<VarId, Recipe>,
}

impl Writer<'_, '_> {
    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        self.rewriter.fresh(like, ty)
    }

    fn copied(&mut self, f: &Lambda) -> Lambda {
        Copier::new(&mut self.rewriter.vars, &mut self.rewriter.lengths).lambda(f)
    }

    /// Inlines a function applied to an atom.
    fn applied(&mut self, f: &Lambda, x: Atom) -> Block {
        let f = self.copied(f);
        let at = |y: VarId| Stmt { var: y, binds: Vec::new(), rhs: Rhs::Atom(x.clone()), origin: f.origin.clone() };
        let mut stmts: Vec<Stmt> = f.params.first().map(|y| at(*y)).into_iter().collect();
        stmts.extend(f.body.stmts);
        Block { stmts, result: f.body.result }
    }

    /// Computes the element of an array from the element `x` of the source.
    fn element(&mut self, array: VarId, x: VarId) -> Block {
        match self.recipes.get(&array).cloned() {
            Some(Recipe::Map(f, of)) => {
                let mut made = self.element(of, x);
                let next = self.applied(&f, made.result);
                made.stmts.extend(next.stmts);
                Block { result: next.result, ..made }
            }
            Some(Recipe::Zip(parts, zip)) => {
                let mut stmts = Vec::new();
                let mut all = Vec::new();
                for part in parts {
                    let made = self.element(part, x);
                    stmts.extend(made.stmts);
                    all.push(made.result);
                }
                let element = self.rewriter.vars[zip.0 as usize].ty.as_array().map(|a| a.element.clone());
                let tuple = self.fresh(zip, element.unwrap_or_else(Ty::int));
                stmts.push(Stmt {
                    var: tuple,
                    binds: Vec::new(),
                    rhs: Rhs::Tuple(all),
                    origin: self.test.origin.clone(),
                });
                Block { stmts, result: Atom::Var(tuple) }
            }
            _ => match self.out.clone() {
                Some(f) => self.applied(&f, Atom::Var(x)),
                None => Block { stmts: Vec::new(), result: Atom::Var(x) },
            },
        }
    }

    /// `map (λx. if p x then … else z) xs`
    fn masked(&mut self, ty: &Ty, then: &mut dyn FnMut(&mut Self, VarId) -> Block, z: &Atom) -> Option<Stmt> {
        let test = self.test.clone();
        let mut f = self.copied(&test);
        let x = *f.params.first()?;
        let array = self.rewriter.ty(&self.source)?;
        let len = array.as_array()?.len.clone();
        let (result, masked) = (self.fresh(x, ty.clone()), self.fresh(x, Ty::array(ty.clone(), len)));
        let passes = f.body.result.clone();
        let otherwise = Block { stmts: Vec::new(), result: z.clone() };
        let rhs = Rhs::If(passes, then(self, x), otherwise);
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: test.origin.clone() };
        f.body.stmts.push(at(result, rhs));
        f.body.result = Atom::Var(result);
        let call = PrimCall {
            prim: Prim::Map(Level::Auto),
            sizes: Vec::new(),
            funs: vec![f],
            args: vec![self.source.clone()],
        };
        Some(at(masked, Rhs::Prim(call)))
    }

    /// The statements that count the kept elements, and the number.
    fn count(&mut self, sequential: bool, origin: &Origin) -> Option<(Vec<Stmt>, VarId)> {
        let int = |n| Atom::Lit(Literal::Int(n));
        let one = &mut |_: &mut Self, _| Block { stmts: Vec::new(), result: int(1) };
        let flags = self.masked(&Ty::int(), one, &int(0))?;
        let like = flags.var;
        let [a, b, sum, number] = std::array::from_fn(|_| self.fresh(like, Ty::int()));
        let folded = self.fresh(like, Ty::array(Ty::int(), Size::one()));
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let add = at(sum, Rhs::Scalar(ScalarOp::Add, vec![Atom::Var(a), Atom::Var(b)]));
        let body = Block { stmts: vec![add], result: Atom::Var(sum) };
        let plus = Lambda { position: None, params: vec![a, b], body, origin: origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let level = if sequential { Level::Seq } else { Level::Auto };
        let fold = at(folded, prim(Prim::Reduce(level), vec![plus], vec![int(0), Atom::Var(flags.var)]));
        let head = at(number, prim(Prim::Head, Vec::new(), vec![Atom::Var(folded)]));
        self.rewriter.applied.push(Applied { rule: &rules::COUNT_FILTER, origin: origin.clone() });
        Some((vec![flags, fold, head], number))
    }

    /// Replaces the folds; statements between them and the filter are dropped.
    fn stmts(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.stmts(&mut a.stmts);
                    self.stmts(&mut b.stmts);
                }
                Rhs::Prim(call) => {
                    let of = call.args.iter().find_map(|a| match a {
                        Atom::Var(v) if self.recipes.contains_key(v) => Some(*v),
                        _ => None,
                    });
                    match (call.prim, of) {
                        (Prim::Map(_), Some(of)) => {
                            self.recipes.insert(stmt.var, Recipe::Map(call.funs.swap_remove(0), of));
                            continue;
                        }
                        (Prim::Zip, Some(_)) => {
                            let parts = call.args.iter().filter_map(|a| match a {
                                Atom::Var(v) => Some(*v),
                                _ => None,
                            });
                            self.recipes.insert(stmt.var, Recipe::Zip(parts.collect(), stmt.var));
                            continue;
                        }
                        (Prim::Reduce(level), Some(of)) => {
                            let rule = match level {
                                Level::Seq => self.guarded(call, of),
                                _ => self.folded(call, of).map(|masked| {
                                    stmts.push(masked);
                                    &rules::REDUCE_FILTER
                                }),
                            };
                            if let Some(rule) = rule {
                                self.rewriter.applied.push(Applied { rule, origin: stmt.origin.clone() });
                            }
                        }
                        (Prim::ReduceByKey(_), Some(_)) => {
                            if let Some(masked) = self.by_key(call) {
                                stmts.extend(masked);
                                let applied = Applied { rule: &rules::REDUCE_FILTER, origin: stmt.origin.clone() };
                                self.rewriter.applied.push(applied);
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
            stmts.push(stmt);
        }
    }

    /// Makes a `reduce` read the masked elements, which the statement makes.
    fn folded(&mut self, call: &mut PrimCall, of: VarId) -> Option<Stmt> {
        let ty = self.rewriter.vars[of.0 as usize].ty.as_array()?.element.clone();
        let z = call.args[0].clone();
        let masked = self.masked(&ty, &mut |w, x| w.element(of, x), &z)?;
        call.args[1] = Atom::Var(masked.var);
        Some(masked)
    }

    /// Makes a `reduceByKey` read keys that are no key, and neutral values, for what is not kept.
    fn by_key(&mut self, call: &mut PrimCall) -> Option<[Stmt; 2]> {
        let [z, Atom::Var(keys), Atom::Var(xs)] = call.args.as_slice() else { return None };
        let (z, keys, xs) = (z.clone(), *keys, *xs);
        let ty = self.rewriter.vars[xs.0 as usize].ty.as_array()?.element.clone();
        let none = Atom::Lit(Literal::Int(-1));
        let of_keys = self.masked(&Ty::int(), &mut |w, x| w.element(keys, x), &none)?;
        let of_xs = self.masked(&ty, &mut |w, x| w.element(xs, x), &z)?;
        call.args[1..].clone_from_slice(&[Atom::Var(of_keys.var), Atom::Var(of_xs.var)]);
        Some([of_keys, of_xs])
    }

    /// Makes a `reduceSeq` skip elements that the filter drops.
    fn guarded(&mut self, call: &mut PrimCall, of: VarId) -> Option<&'static rules::Rule> {
        let test = self.test.clone();
        let mut tested = self.copied(&test);
        let (acc, y, x) = (call.funs[0].params[0], call.funs[0].params[1], *tested.params.first()?);
        let f = &call.funs[0];
        let (origin, body) = (f.origin.clone(), f.body.clone());
        let mut then = self.element(of, x);
        then.stmts.push(Stmt { var: y, binds: Vec::new(), rhs: Rhs::Atom(then.result), origin: origin.clone() });
        then.stmts.extend(body.stmts);
        then.result = body.result;
        let ty = self.rewriter.vars[acc.0 as usize].ty.clone();
        let result = self.fresh(acc, ty);
        let skip = Block { stmts: Vec::new(), result: Atom::Var(acc) };
        let rhs = Rhs::If(tested.body.result.clone(), then, skip);
        tested.body.stmts.push(Stmt { var: result, binds: Vec::new(), rhs, origin: origin.clone() });
        tested.body.result = Atom::Var(result);
        call.funs[0] = Lambda { params: vec![acc, x], origin, ..tested };
        call.args[1] = self.source.clone();
        Some(&rules::FOLD_FILTER)
    }
}

/// Replaces the length by a variable wherever it is a number.
fn count_by(block: &mut Block, length: &Var, number: VarId) {
    let replace = |a: &mut Atom| {
        if matches!(a, Atom::Size(s) if s.as_var() == Some(length)) {
            *a = Atom::Var(number);
        }
    };
    for stmt in &mut block.stmts {
        stmt.rhs.operands_mut().iter_mut().for_each(replace);
        for inner in stmt.rhs.blocks_mut() {
            count_by(inner, length, number);
        }
    }
    replace(&mut block.result);
}
