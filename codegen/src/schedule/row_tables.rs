//! Rows whose elements are folded by key: a group folds each row into a table in its local memory, a core of a processor into
//! one of its own.
//!
//! Without a table, a row of k elements takes k comparisons for each of its n keys. If the faster version depends on
//! lengths, the kernel has both, and the host chooses.

use super::nested::{Work, is_known, rows_of, work_among};
use super::pass::{Names, over};
use super::versions::{branch, choice, decided};
use super::{Applied, by_key, free, host_blocks, nest, ragged, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, Var};

/// Adds the versions with tables of host-level maps that fold rows by key.
pub fn row_tables(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class == Class::Portable {
        return kernel;
    }
    over(kernel, |kernel, Names { vars, lengths }, body| Writer { vars, lengths, target, applied }.block(kernel, body))
}

struct Writer<'a> {
    vars: &'a mut Vec<VarInfo>,
    lengths: &'a mut Lengths,
    target: &'a Target,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    fn block(&mut self, kernel: &Kernel, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(kernel, &mut stmt).into_iter().for_each(|inner| self.block(kernel, inner));
            match self.with_table(kernel, &stmt) {
                Some(stmts) => block.stmts.extend(stmts),
                None => block.stmts.push(stmt),
            }
        }
    }

    /// The versions of a map, with and without a table.
    fn with_table(&mut self, kernel: &Kernel, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        if !call.funs.iter().any(|f| by_key::may_match(&f.body)) {
            return None;
        }
        let now = Kernel { vars: self.vars.clone(), assumptions: self.lengths.assumptions.clone(), ..kernel.clone() };
        let mut rules = Vec::new();
        let target = self.target.written(&stmt.settings());
        let Tabled { vars, call: tabled, compared } = tabled(&now, call, &target, &mut rules)?;
        // Minimum comparisons of a row.
        let least = Size::int(target.get(Parameter::KeyRows).into());
        let known = decided(&least, &compared);
        if known == Some(false) {
            return None;
        }
        *self.vars = vars;
        self.applied.append(&mut rules);
        if target.class == Class::Gpu {
            self.applied.push(Applied { rule: &rules::MAP_TABLES_WRG, origin: stmt.origin.clone() });
        }
        let f = Copier::new(self.vars, self.lengths).lambda(tabled.funs.first()?);
        let table = branch(self.vars, stmt, Rhs::Prim(PrimCall { funs: vec![f], ..tabled }));
        let mut made = match known {
            Some(_) => table,
            None => {
                let otherwise = branch(self.vars, stmt, stmt.rhs.clone());
                choice(self.vars, stmt, &least, &compared, table, otherwise)
            }
        };
        made.stmts.last_mut()?.var = stmt.var;
        Some(made.stmts)
    }
}

/// A map whose rows are folded by key.
struct Tabled {
    /// All variables, with those of the folds.
    vars: Vec<VarInfo>,
    call: PrimCall,
    /// The comparisons of a row that a table saves, or their mean if rows have lengths of their own.
    compared: Size,
}

/// The map with tables in its function, or in that of the map below it if it does nothing else.
fn tabled(kernel: &Kernel, call: &PrimCall, target: &Target, rules: &mut Vec<Applied>) -> Option<Tabled> {
    let (Prim::Map(Level::Auto), [f], [rows]) = (call.prim, call.funs.as_slice(), call.args.as_slice()) else {
        return None;
    };
    let n = kernel.atom_ty(rows).as_array()?.len.clone();
    if f.params.len() != 1 || f.position.is_some() && !is_known(&n) {
        return None;
    }
    if let Some((vars, f)) = by_key::in_function(kernel, f, rules) {
        let made = Kernel { vars, ..kernel.clone() };
        if of_hidden_length(&made, &f) {
            // One pass over the row, whoever makes it, instead of one for each key.
            let compared = Size::int(i64::MAX);
            return Some(Tabled { vars: made.vars, call: PrimCall { funs: vec![f], ..call.clone() }, compared });
        }
        let each = compared(&made, &f, target)?;
        let compared = match &f.position {
            Some(position) => ragged::mean(position, &n, &each)?,
            None => each,
        };
        return Some(Tabled { vars: made.vars, call: PrimCall { funs: vec![f], ..call.clone() }, compared });
    }
    let at = nest::returned(f)?;
    let (stmt, before) = f.body.stmts[..=at].split_last()?;
    let Rhs::Prim(below) = &stmt.rhs else { return None };
    if f.position.is_some() || !before.iter().all(|s| free::is_free(&s.rhs)) {
        return None;
    }
    let tabled = tabled(kernel, below, target, rules)?;
    let mut f = f.clone();
    f.body.stmts[at].rhs = Rhs::Prim(tabled.call);
    Some(Tabled { call: PrimCall { funs: vec![f], ..call.clone() }, ..tabled })
}

/// Whether an array of a hidden length is folded by key: only the device knows how long it is.
fn of_hidden_length(kernel: &Kernel, f: &Lambda) -> bool {
    f.body.stmts.iter().any(|s| match &s.rhs {
        Rhs::Prim(PrimCall { prim: Prim::ReduceByKey(_), args, .. }) => {
            args.get(2).and_then(|xs| rows_of(&kernel.atom_ty(xs))).is_some_and(|(len, _)| !is_known(&len))
        }
        _ => false,
    })
}

/// The comparisons of elements with keys that a table saves, if a group can do all that the function does.
fn compared(kernel: &Kernel, f: &Lambda, target: &Target) -> Option<Size> {
    let parameter = |parameter| Size::nat(target.get(parameter).into());
    let own: Vec<Var> = f.position.iter().cloned().collect();
    let mut found: Option<Size> = None;
    for stmt in &f.body.stmts {
        match (&stmt.rhs, work_among(kernel, stmt, &own)) {
            (Rhs::Prim(PrimCall { prim: Prim::ReduceByKey(_), sizes, .. }), Work::Together(len)) => {
                let own = len.mul(sizes.first()?);
                let own = match f.position {
                    Some(_) => own,
                    None => {
                        // Most work-items of the group are idle in a short row.
                        let few = own.div_floor(&parameter(Parameter::KeyShort));
                        Size::if_le(&parameter(Parameter::KeyGroup), &len, &own, &few)
                    }
                };
                found = Some(found.map_or(own.clone(), |other| Size::max(&other, &own)));
            }
            (Rhs::Prim(PrimCall { prim: Prim::ReduceByKey(_), .. }), _) => return None,
            (_, Work::Item | Work::Together(_)) => {}
            _ => return None,
        }
    }
    found
}
