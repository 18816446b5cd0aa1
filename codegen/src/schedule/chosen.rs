//! Folds that choose one of their elements, such as the place of the greatest: ties are decided by position, so that the
//! elements may be folded in any order.
//!
//! `reduce (λ(a,b). if c a b then b else a) z xs` keeps the first of the elements that tie. With the position of each
//! element the operator is a total order: `if c a b or (not (c b a) and b is before a) then b else a`. It commutes, so
//! neighbouring work-items fold neighbouring elements, straight from memory.

use super::nested::{lies_across, rows_below};
use super::pass::{Names, over};
use super::{Applied, host_blocks, nest, rules};
use crate::core::commute::{Choice, Ties};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// Adds positions to the elements of such folds, if several work-items share them.
pub fn chosen(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class == Class::Portable {
        return kernel;
    }
    let folds = shared_folds(&kernel, &kernel.body);
    if folds.is_empty() {
        return kernel;
    }
    over(kernel, |kernel, Names { vars, lengths }, body| Writer { kernel, vars, lengths, folds, applied }.block(body))
}

/// The folds of rows in maps at host level. A fold of a whole array reads memory in order already.
fn shared_folds(kernel: &Kernel, block: &Block) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for stmt in &block.stmts {
        let mut stmt = stmt.clone();
        host_blocks(kernel, &mut stmt).into_iter().for_each(|inner| found.extend(shared_folds(kernel, inner)));
        // Work-items fold neighbouring columns each in its order.
        if let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs
            && !lies_across(kernel, &args[0])
        {
            let own = funs.first().and_then(|f| nest::recognise(kernel, f)).filter(|nest| !nest.matrix);
            let fold = own.or_else(|| rows_below(kernel, call).map(|(nest, _)| nest));
            found.extend(fold.map(|nest| nest.fold));
        }
    }
    found
}

struct Writer<'a> {
    kernel: &'a Kernel,
    vars: &'a mut Vec<VarInfo>,
    lengths: &'a mut Lengths,
    folds: FxHashSet<VarId>,
    applied: &'a mut Vec<Applied>,
}

/// A fold with positions: the statements before it, its arguments, and the path of the position in an element.
struct Numbered {
    before: Vec<Stmt>,
    z: Atom,
    xs: Atom,
    element: Ty,
    /// The path of the program's element in this one.
    inner: Vec<usize>,
    position: Vec<usize>,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
        let mut at = 0;
        while at < block.stmts.len() {
            if self.folds.contains(&block.stmts[at].var)
                && let Some(new) = self.with_positions(block, at)
            {
                self.applied.push(Applied { rule: &rules::CHOICE_BY_POSITION, origin: block.stmts[at].origin.clone() });
                let count = new.len();
                block.stmts.splice(at..=at, new);
                at += count;
            } else {
                at += 1;
            }
        }
    }

    /// Replaces a fold; the readers of its result are adapted.
    fn with_positions(&mut self, block: &mut Block, at: usize) -> Option<Vec<Stmt>> {
        let stmt = block.stmts[at].clone();
        let Rhs::Prim(call @ PrimCall { prim: Prim::Reduce(Level::Auto), funs, args, .. }) = &stmt.rhs else {
            return None;
        };
        let ([f], [z, xs]) = (funs.as_slice(), args.as_slice()) else { return None };
        if f.is_commutative(self.kernel) {
            return None;
        }
        let choice = Choice::of(f)?;
        let ties = choice.ties()?;
        let own = self.own_position(&choice, z, xs);
        let heads = block.stmts[at + 1..].iter().filter(|s| super::uses::mentions(s, &|v| v == stmt.var));
        let only_heads = heads.clone().all(|s| matches!(&s.rhs, Rhs::Prim(c) if c.prim == Prim::Head));
        if own.is_none() && (!only_heads || block.result == Atom::Var(stmt.var)) {
            return None;
        }
        let adds = own.is_none();
        let numbered = match own {
            Some(own) => own,
            None => self.numbered(&stmt, z, xs)?,
        };
        let operator = self.operator(f, &choice, ties, &numbered)?;
        let Numbered { mut before, z, xs, element, .. } = numbered;
        let call = PrimCall { funs: vec![operator], args: vec![z, xs], ..call.clone() };
        if !adds {
            before.push(Stmt { rhs: Rhs::Prim(call), ..stmt });
            return Some(before);
        }
        let folded = self.fresh(stmt.var, Ty::array(element.clone(), Size::one()));
        before.push(Stmt { var: folded, rhs: Rhs::Prim(call), ..stmt.clone() });
        let heads: Vec<usize> = (at + 1..block.stmts.len())
            .filter(|n| super::uses::mentions(&block.stmts[*n], &|v| v == stmt.var))
            .collect();
        for n in heads.into_iter().rev() {
            let head = block.stmts[n].clone();
            let pair = self.fresh(head.var, element.clone());
            let take =
                PrimCall { prim: Prim::Head, sizes: Vec::new(), funs: Vec::new(), args: vec![Atom::Var(folded)] };
            let first = Stmt { rhs: Rhs::Proj(Atom::Var(pair), 0), ..head.clone() };
            block.stmts.splice(n..=n, [Stmt { var: pair, rhs: Rhs::Prim(take), ..head }, first]);
        }
        Some(before)
    }

    /// A component of the elements that is their index, if the start precedes all elements.
    fn own_position(&self, choice: &Choice, z: &Atom, xs: &Atom) -> Option<Numbered> {
        let element = self.kernel.atom_ty(xs).as_array()?.element.clone();
        let (Some(Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. })), Some(Rhs::Tuple(start))) =
            (self.made(xs), self.made(z))
        else {
            return None;
        };
        let counts = |a: &Atom| matches!(self.made(a), Some(Rhs::Prim(PrimCall { prim: Prim::Iota, .. })));
        let others_compared = |k: usize| (0..args.len()).all(|other| other == k || choice.compares(&[other]));
        let k = (0..args.len()).find(|k| {
            let starts_before = match start.get(*k) {
                Some(Atom::Lit(Literal::Int(first))) => *first < 0 || *first == 0 && others_compared(*k),
                _ => false,
            };
            starts_before && counts(&args[*k])
        })?;
        let (z, xs) = (z.clone(), xs.clone());
        Some(Numbered { before: Vec::new(), z, xs, element, inner: Vec::new(), position: vec![k] })
    }

    /// The definition of a variable.
    fn made(&self, a: &Atom) -> Option<Rhs> {
        let Atom::Var(v) = a else { return None };
        let mut found = None;
        self.kernel.body.visit(&mut |stmt| {
            if stmt.var == *v {
                found = Some(stmt.rhs.clone());
            }
        });
        found
    }

    /// Zips the elements with their positions; the start has -1.
    fn numbered(&mut self, stmt: &Stmt, z: &Atom, xs: &Atom) -> Option<Numbered> {
        let ty = self.kernel.atom_ty(xs);
        let array = ty.as_array().filter(|a| a.position.is_none())?;
        let element = Ty::tuple(vec![array.element.clone(), Ty::int()]);
        let count = self.fresh(stmt.var, Ty::array(Ty::int(), array.len.clone()));
        let pairs = self.fresh(stmt.var, Ty::array(element.clone(), array.len.clone()));
        let start = self.fresh(stmt.var, element.clone());
        let prim =
            |prim, sizes: Vec<Size>, args: Vec<Atom>| Rhs::Prim(PrimCall { prim, sizes, funs: Vec::new(), args });
        let with = |var, rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
        let before = vec![
            with(count, prim(Prim::Iota, vec![array.len.clone()], Vec::new())),
            with(pairs, prim(Prim::Zip, Vec::new(), vec![xs.clone(), Atom::Var(count)])),
            with(start, Rhs::Tuple(vec![z.clone(), Atom::Lit(Literal::Int(-1))])),
        ];
        let (z, xs) = (Atom::Var(start), Atom::Var(pairs));
        Some(Numbered { before, z, xs, element, inner: vec![0], position: vec![1] })
    }

    /// The operator whose ties are broken by position, then by the components that it does not compare (positions are
    /// unique, so this only makes the order total).
    fn operator(&mut self, f: &Lambda, choice: &Choice, ties: Ties, numbered: &Numbered) -> Option<Lambda> {
        let [a, b] = [0, 1].map(|k| self.fresh(f.params[k], numbered.element.clone()));
        let mut order = vec![numbered.position.clone()];
        self.not_compared(choice, numbered, &mut order)?;
        let mut out = Out { stmts: Vec::new(), like: f.clone() };
        let [x, y] = [a, b].map(|side| self.component(&mut out, side, &numbered.inner));
        let second = self.second(&mut out, f, [&x, &y])?;
        let first = self.second(&mut out, f, [&y, &x])?;
        let not_first = self.scalar(&mut out, ScalarOp::Not, vec![first]);
        let (from, to) = if ties == Ties::First { (b, a) } else { (a, b) };
        let before = self.before(&mut out, from, to, &order);
        let condition = match ties {
            Ties::First => {
                let tie = self.scalar(&mut out, ScalarOp::And, vec![not_first, before]);
                self.scalar(&mut out, ScalarOp::Or, vec![second, tie])
            }
            Ties::Second => {
                let tie = self.scalar(&mut out, ScalarOp::Or, vec![not_first, before]);
                self.scalar(&mut out, ScalarOp::And, vec![second, tie])
            }
        };
        let result = |v: VarId| Block { stmts: Vec::new(), result: Atom::Var(v) };
        let chosen = self.fresh(f.params[0], numbered.element.clone());
        out.push(chosen, Rhs::If(condition, result(b), result(a)));
        let body = Block { stmts: out.stmts, result: Atom::Var(chosen) };
        Some(Lambda { position: None, params: vec![a, b], body, origin: f.origin.clone() })
    }

    /// Appends the paths to the numbers that the choice does not compare; `None` if something else is among them.
    fn not_compared(&self, choice: &Choice, numbered: &Numbered, order: &mut Vec<Vec<usize>>) -> Option<()> {
        let mut paths = Vec::new();
        scalars(&numbered.element, &mut Vec::new(), &mut paths)?;
        for (path, scalar) in paths {
            let compared = path.strip_prefix(numbered.inner.as_slice()).is_some_and(|path| choice.compares(path));
            if path == numbered.position || compared {
                continue;
            }
            if scalar == Scalar::Bool {
                return None;
            }
            order.push(path);
        }
        Some(())
    }

    /// Adds statements that compute whether the operator chooses the second argument.
    fn second(&mut self, out: &mut Out, f: &Lambda, args: [&Atom; 2]) -> Option<Atom> {
        let mut copier = Copier::new(self.vars, self.lengths);
        for (param, arg) in f.params.iter().zip(args) {
            copier.atoms.insert(*param, arg.clone());
        }
        let whole = Lambda { position: None, params: Vec::new(), ..f.clone() };
        let body = copier.lambda(&whole).body;
        self.flag(out, body, args)
    }

    /// Turns a block that returns one of its two arguments into one that returns whether it is the second.
    fn flag(&mut self, out: &mut Out, block: Block, args: [&Atom; 2]) -> Option<Atom> {
        let known = |second| Atom::Lit(Literal::Bool(second));
        let mut stmts = block.stmts;
        if block.result == *args[1] || block.result == *args[0] {
            out.stmts.extend(stmts);
            return Some(known(block.result == *args[1]));
        }
        let last = stmts.pop().filter(|last| block.result == Atom::Var(last.var))?;
        let Rhs::If(condition, then, otherwise) = last.rhs else { return None };
        out.stmts.extend(stmts);
        let branch = |writer: &mut Self, block| {
            let mut inner = Out { stmts: Vec::new(), like: out.like.clone() };
            let result = writer.flag(&mut inner, block, args)?;
            Some(Block { stmts: inner.stmts, result })
        };
        let (then, otherwise) = (branch(self, then)?, branch(self, otherwise)?);
        let plain = then.stmts.is_empty() && otherwise.stmts.is_empty();
        Some(match (&then.result, &otherwise.result) {
            (a, b) if plain && *a == known(true) && *b == known(false) => condition,
            (a, b) if plain && *a == known(false) && *b == known(true) => {
                self.scalar(out, ScalarOp::Not, vec![condition])
            }
            _ => {
                let var = self.fresh(out.like.params[0], Ty::bool());
                out.push(var, Rhs::If(condition, then, otherwise));
                Atom::Var(var)
            }
        })
    }

    /// Whether `a` comes before `b` in the order of these components.
    fn before(&mut self, out: &mut Out, a: VarId, b: VarId, order: &[Vec<usize>]) -> Atom {
        let mut less = None;
        for path in order.iter().rev() {
            let [x, y] = [a, b].map(|side| self.component(out, side, path));
            let this = self.scalar(out, ScalarOp::Lt, vec![x.clone(), y.clone()]);
            less = Some(match less {
                None => this,
                Some(rest) => {
                    let same = self.scalar(out, ScalarOp::Eq, vec![x, y]);
                    let rest = self.scalar(out, ScalarOp::And, vec![same, rest]);
                    self.scalar(out, ScalarOp::Or, vec![this, rest])
                }
            });
        }
        less.unwrap_or(Atom::Lit(Literal::Bool(false)))
    }

    fn component(&mut self, out: &mut Out, of: VarId, path: &[usize]) -> Atom {
        path.iter().fold(Atom::Var(of), |of, k| {
            let ty = match &of {
                Atom::Var(v) => self.vars[v.0 as usize].ty.clone(),
                _ => Ty::int(),
            };
            let part = match ty.kind() {
                TyKind::Tuple(parts) => parts.get(*k).cloned().unwrap_or_else(Ty::int),
                _ => ty.clone(),
            };
            let var = self.fresh(out.like.params[0], part);
            out.push(var, Rhs::Proj(of, *k));
            Atom::Var(var)
        })
    }

    fn scalar(&mut self, out: &mut Out, op: ScalarOp, args: Vec<Atom>) -> Atom {
        let var = self.fresh(out.like.params[0], Ty::bool());
        out.push(var, Rhs::Scalar(op, args));
        Atom::Var(var)
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        super::versions::fresh(self.vars, like, ty)
    }
}

/// The statements of an operator.
struct Out {
    stmts: Vec<Stmt>,
    /// The operator that it replaces.
    like: Lambda,
}

impl Out {
    fn push(&mut self, var: VarId, rhs: Rhs) {
        self.stmts.push(Stmt { var, binds: Vec::new(), rhs, origin: self.like.origin.clone() });
    }
}

/// The scalars of a type with their paths; `None` if it contains anything else.
fn scalars(ty: &Ty, path: &mut Vec<usize>, out: &mut Vec<(Vec<usize>, Scalar)>) -> Option<()> {
    match ty.kind() {
        TyKind::Scalar(s) => out.push((path.clone(), *s)),
        TyKind::Tuple(parts) => {
            for (k, part) in parts.iter().enumerate() {
                path.push(k);
                scalars(part, path, out)?;
                path.pop();
            }
        }
        _ => return None,
    }
    Some(())
}
