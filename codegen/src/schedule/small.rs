//! Batches of small matrices: on a GPU each result gets a work-item, because tiles of a small matrix would be mostly
//! empty; on a processor each matrix gets one.

use super::pass::{Names, over};
use super::versions::{branch, choice, decided};
use super::{Applied, host_blocks, nest, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, VarKind};

/// Adds a version for small matrices to each batch of matrices.
pub fn small(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class == Class::Portable {
        return kernel;
    }
    let most = i64::from(target.get(Parameter::MatrixSmall));
    over(kernel, |kernel, Names { vars, lengths }, body| {
        Writer { vars, lengths, most, class: target.class, applied }.block(kernel, body);
    })
}

struct Writer<'a> {
    vars: &'a mut Vec<VarInfo>,
    lengths: &'a mut Lengths,
    /// Maximum operations of a small matrix.
    most: i64,
    class: Class,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    /// Visits the maps at host level.
    fn block(&mut self, kernel: &Kernel, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(kernel, &mut stmt).into_iter().for_each(|inner| self.block(kernel, inner));
            match work_of_a_matrix(kernel, &stmt) {
                Some(work) => out.extend(self.versions(stmt, &work)),
                None => out.push(stmt),
            }
        }
        block.stmts = out;
    }

    fn versions(&mut self, stmt: Stmt, work: &Size) -> Vec<Stmt> {
        let Rhs::Prim(call) = &stmt.rhs else { return vec![stmt] };
        let below = Size::int(self.most + 1);
        let is_small = decided(work, &below);
        if is_small == Some(false) {
            return vec![stmt];
        }
        let mut by_items = call.clone();
        by_items.funs = call.funs.iter().map(|f| Copier::new(self.vars, self.lengths).lambda(f)).collect();
        match self.class {
            // A core has whole matrices.
            Class::Cpu => by_items.prim = Prim::Map(Level::Glb(0)),
            _ => {
                place(&mut by_items);
            }
        }
        self.applied.push(Applied { rule: &rules::SMALL_MATRICES, origin: stmt.origin.clone() });
        if is_small == Some(true) {
            return vec![Stmt { rhs: Rhs::Prim(by_items), ..stmt }];
        }
        let by_items = branch(self.vars, &stmt, Rhs::Prim(by_items));
        let in_tiles = branch(self.vars, &stmt, stmt.rhs.clone());
        let mut chosen = choice(self.vars, &stmt, work, &below, by_items, in_tiles);
        if let Some(last) = chosen.stmts.last_mut() {
            last.var = stmt.var;
        }
        chosen.stmts
    }
}

/// The number of multiplications for one matrix, if the statement makes a batch of matrices whose dimensions are known
/// before the run.
fn work_of_a_matrix(kernel: &Kernel, stmt: &Stmt) -> Option<Size> {
    let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
    let batch = nest::batched(kernel, &call.funs[0])?;
    let fold = batch.element.body.stmts.iter().find(|stmt| stmt.var == batch.nest.fold)?;
    let Rhs::Prim(fold) = &fold.rhs else { return None };
    let len = |a: &Atom| kernel.atom_ty(a).as_array().map(|a| a.len.clone());
    let work = len(&batch.rows.args[0])?.mul(&len(&batch.columns.args[0])?).mul(&len(fold.args.get(1)?)?);
    let is_uniform = !kernel.ty(stmt.var).any(&mut |t| t.as_array().is_some_and(|a| a.position.is_some()));
    (is_uniform && !work.any_var(&mut |v| v.kind != VarKind::Param)).then_some(work)
}

/// Gives each result a work-item of its own; maps around the three innermost are loops.
fn place(call: &mut PrimCall) -> Option<u8> {
    let f = call.funs.first_mut()?;
    let at = nest::returned(f);
    let inner = at.and_then(|at| f.body.stmts.get_mut(at)).and_then(|stmt| match &mut stmt.rhs {
        Rhs::Prim(inner @ PrimCall { prim: Prim::Map(Level::Auto), .. }) => place(inner),
        _ => None,
    });
    let dimension = inner.map_or(0, |inner| inner + 1);
    call.prim = Prim::Map(if dimension < 3 { Level::Glb(dimension) } else { Level::Seq });
    Some(dimension)
}
