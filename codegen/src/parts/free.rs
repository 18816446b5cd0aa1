//! The variables that terms mention.

use crate::core::{Atom, Block, Kernel, Lambda, Rhs, Stmt, VarId};
use lift_analysis::size::{LengthCheck, Size, Var};
use rustc_hash::FxHashSet;

/// Collects the free variables of a block.
pub fn free(block: &Block, bound: &mut FxHashSet<VarId>, found: &mut Vec<VarId>) {
    for stmt in &block.stmts {
        let operands = stmt.rhs.operands();
        operands.iter().for_each(|a| used(a, bound, found));
        match &stmt.rhs {
            Rhs::Prim(call) => call.funs.iter().for_each(|f| free_of(f, bound, found)),
            rhs => rhs.blocks().into_iter().for_each(|b| free(b, bound, found)),
        }
        bound.insert(stmt.var);
    }
    used(&block.result, bound, found);
}

pub fn free_of(f: &Lambda, bound: &mut FxHashSet<VarId>, found: &mut Vec<VarId>) {
    bound.extend(&f.params);
    free(&f.body, bound, found);
}

fn used(atom: &Atom, bound: &FxHashSet<VarId>, found: &mut Vec<VarId>) {
    if let Atom::Var(v) = atom
        && !bound.contains(v)
        && !found.contains(v)
    {
        found.push(*v);
    }
}

/// The variables that a statement uses, including the free variables of its functions and branches.
pub fn used_by(stmt: &Stmt) -> Vec<VarId> {
    let mut found = Vec::new();
    let block = Block { stmts: vec![stmt.clone()], result: Atom::Var(stmt.var) };
    free(&block, &mut FxHashSet::default(), &mut found);
    found
}

/// The size variables that a kernel mentions.
pub fn mentioned(kernel: &Kernel) -> Vec<Var> {
    let mut found: Vec<Var> = Vec::new();
    let mut add = |v: Var| {
        if !found.contains(&v) {
            found.push(v);
        }
    };
    for info in &kernel.vars {
        info.ty.any_size_var(&mut |v| {
            add(v.clone());
            false
        });
    }
    kernel.result.any_size_var(&mut |v| {
        add(v.clone());
        false
    });
    in_block(&kernel.body, &mut add);
    found
}

fn in_block(block: &Block, add: &mut dyn FnMut(Var)) {
    let mut size = |s: &Size| s.vars().into_iter().for_each(&mut *add);
    for stmt in &block.stmts {
        for operand in stmt.rhs.operands() {
            if let Atom::Size(s) = operand {
                size(s);
            }
        }
        match &stmt.rhs {
            Rhs::Prim(call) => call.sizes.iter().for_each(&mut size),
            Rhs::Pack(_, witnesses) => witnesses.iter().for_each(&mut size),
            Rhs::Cast(_, checks) => checks.iter().flat_map(LengthCheck::sizes).for_each(&mut size),
            _ => {}
        }
    }
    if let Atom::Size(s) = &block.result {
        size(s);
    }
    for stmt in &block.stmts {
        stmt.rhs.blocks().into_iter().for_each(|b| in_block(b, add));
    }
}
