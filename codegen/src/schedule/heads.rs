//! `head (map f xs) = f (head xs)` if a fold reads the map, too. Then the map is fused with the fold instead of stored
//! for one element, as in `reduce (head ys) min ys`.

use super::nested::{Work, work_of};
use super::{Applied, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};

/// Computes first elements of such maps separately.
pub fn heads(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let mut body = kernel.body.clone();
    let lengths = Lengths::of(&kernel);
    let mut writer = Writer { kernel, lengths, applied };
    writer.block(&mut body);
    let Writer { mut kernel, lengths, .. } = writer;
    (kernel.body, kernel.assumptions) = (body, lengths.assumptions);
    kernel
}

struct Writer<'a> {
    /// The original kernel, but with the variables of new statements.
    kernel: Kernel,
    lengths: Lengths,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
        let mut at = 0;
        while at < block.stmts.len() {
            if let Some(stmts) = self.first(block, at) {
                self.applied.push(Applied { rule: &rules::HEAD_MAP, origin: block.stmts[at].origin.clone() });
                let more = stmts.len();
                block.stmts.splice(at..=at, stmts);
                at += more;
            } else {
                at += 1;
            }
        }
    }

    /// The statements for the head of a map whose only other reader is a fold.
    fn first(&mut self, block: &Block, at: usize) -> Option<Vec<Stmt>> {
        let head = &block.stmts[at];
        let mapped = argument(&head.rhs, Prim::Head)?;
        let map = block.stmts[..at].iter().find(|s| s.var == mapped)?;
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &map.rhs else { return None };
        let ([f], [Atom::Var(xs)]) = (funs.as_slice(), args.as_slice()) else { return None };
        let mut readers = block.stmts.iter().filter(|s| s.var != head.var && uses::mentions(s, &|v| v == mapped));
        readers.next().filter(|s| is_fold_of(s, mapped))?;
        let apart = readers.next().is_none() && block.result != Atom::Var(mapped);
        // One work-item computes the head.
        let brief = matches!(work_of(&self.kernel, map), Work::Item | Work::Together(_));
        if !apart || !brief || f.position.is_some() || f.params.len() != 1 {
            return None;
        }
        let mut copy = Copier::new(&mut self.kernel.vars, &mut self.lengths).lambda(f);
        let x = copy.params.pop()?;
        let call = PrimCall { prim: Prim::Head, sizes: Vec::new(), funs: Vec::new(), args: vec![Atom::Var(*xs)] };
        let mut stmts = vec![Stmt { var: x, rhs: Rhs::Prim(call), ..head.clone() }];
        let made = copy.body.stmts.last().map(|last| last.var);
        match (made, copy.body.result.clone()) {
            (Some(made), Atom::Var(v)) if made == v => {
                rename(&mut copy.body, &|w| *w = if *w == v { head.var } else { *w });
            }
            (_, result) => copy.body.stmts.push(Stmt { rhs: Rhs::Atom(result), ..head.clone() }),
        }
        stmts.append(&mut copy.body.stmts);
        Some(stmts)
    }
}

/// The array argument, if the right-hand side applies this primitive.
fn argument(rhs: &Rhs, of: Prim) -> Option<VarId> {
    match rhs {
        Rhs::Prim(PrimCall { prim, args, .. }) if *prim == of => match args.as_slice() {
            [Atom::Var(v)] => Some(*v),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a statement folds an array, and does not read it otherwise.
fn is_fold_of(stmt: &Stmt, xs: VarId) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto | Level::Seq), funs, args, .. }) = &stmt.rhs else {
        return false;
    };
    let inside = |s: &Stmt| uses::mentions(s, &|v| v == xs);
    args.get(1) == Some(&Atom::Var(xs))
        && args.first() != Some(&Atom::Var(xs))
        && !funs.iter().any(|f| f.body.stmts.iter().any(inside) || f.body.result == Atom::Var(xs))
}
