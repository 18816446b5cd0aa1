//! Views of rows, made of all rows at once: they become views of the whole array, and the rows those of one map.
//!
//! * `map (λx. f (join x)) = map f ∘ split (m·k) ∘ join ∘ join`, where x has m rows of k elements; rows that the function
//!   reads otherwise, too, are zipped with the joined ones
//! * `map (map f ∘ split k) = split (m/k) ∘ map f ∘ split k ∘ join`, where the rows have m elements
//! * `map (map f) x = split k (map f (join x))`, where `join x` is read, too

use super::nested::{LONG_VIEW, array_of, is_known, rows_of};
use super::versions::fresh;
use super::{Applied, rules, uses};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// The kernel in which the rows that functions join or split are views of the whole array.
pub fn views(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    Writer { vars: &mut kernel.vars, applied }.block(&mut kernel.body);
    kernel
}

struct Writer<'a> {
    vars: &'a mut Vec<VarInfo>,
    applied: &'a mut Vec<Applied>,
}

/// An unplaced map by a function of one parameter.
fn mapped(stmt: &Stmt) -> Option<(&Lambda, VarId, VarId)> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
    match (funs.as_slice(), args.as_slice()) {
        ([f @ Lambda { position: None, params, .. }], [Atom::Var(xs)]) if params.len() == 1 => {
            Some((f, params[0], *xs))
        }
        _ => None,
    }
}

/// The argument of a view of one array.
fn viewed(stmt: &Stmt, of: Prim) -> Option<VarId> {
    match &stmt.rhs {
        Rhs::Prim(PrimCall { prim, args, .. }) if *prim == of => match args.as_slice() {
            [Atom::Var(xs)] => Some(*xs),
            _ => None,
        },
        _ => None,
    }
}

fn is_long(len: &Size) -> bool {
    is_known(len) && len.as_const().is_none_or(|n| n >= LONG_VIEW)
}

/// Whether nothing but one statement of a function mentions a variable.
fn only_in(f: &Lambda, at: usize, v: VarId) -> bool {
    let is_it = |w: VarId| w == v;
    let others = f.body.stmts.iter().enumerate().filter(|(k, _)| *k != at);
    f.body.result != Atom::Var(v) && others.into_iter().all(|(_, s)| !uses::mentions(s, &is_it))
}

impl Writer<'_> {
    /// The length and the element type of an array of equally long rows, or of scalars.
    fn array(&self, v: VarId) -> Option<(Size, Ty)> {
        rows_of(&self.vars[v.0 as usize].ty)
    }

    fn block(&mut self, block: &mut Block) {
        let mut out: Vec<Stmt> = Vec::new();
        let mut rest = Block { stmts: std::mem::take(&mut block.stmts), result: block.result.clone() };
        rest.stmts.reverse();
        while let Some(mut stmt) = rest.stmts.pop() {
            if let Rhs::Prim(call) = &mut stmt.rhs {
                call.funs.iter_mut().for_each(|f| self.beside(f));
            }
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            let mut same = None;
            loop {
                if let Some(f) = self.joined_rows(&stmt, &mut out).or_else(|| self.split_rows(&stmt, &mut out)) {
                    self.applied.push(Applied { rule: &rules::VIEW_ROWS, origin: stmt.origin.clone() });
                    match f {
                        Made::Stmt(next) => stmt = next,
                        Made::View(view) => same = Some(view),
                    }
                    if same.is_none() {
                        continue;
                    }
                }
                break;
            }
            // `join ∘ split k` is the identity.
            if let Some(rows) = viewed(&stmt, Prim::Join) {
                same = same.or_else(|| split_of(&out, rows));
            }
            match same {
                Some(view) => {
                    let of = stmt.var;
                    rename(&mut rest, &|v| *v = if *v == of { view } else { *v });
                }
                None => out.push(stmt),
            }
        }
        *block = Block { stmts: out, result: rest.result };
    }

    fn view(
        &mut self,
        out: &mut Vec<Stmt>,
        (prim, sizes): (Prim, Vec<Size>),
        of: VarId,
        ty: Ty,
        origin: &Origin,
    ) -> VarId {
        let var = fresh(self.vars, of, ty);
        let rhs = Rhs::Prim(PrimCall { prim, sizes, funs: Vec::new(), args: vec![Atom::Var(of)] });
        out.push(Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() });
        var
    }

    /// The joined rows of an array.
    fn join(&mut self, out: &mut Vec<Stmt>, rows: VarId, origin: &Origin) -> Option<VarId> {
        if let Some(whole) = split_of(out, rows) {
            return Some(whole);
        }
        let (n, row) = self.array(rows)?;
        let (m, element) = rows_of(&row)?;
        Some(self.view(out, (Prim::Join, Vec::new()), rows, array_of(&element, &n.mul(&m)), origin))
    }

    fn split(&mut self, out: &mut Vec<Stmt>, xs: VarId, k: &Size, origin: &Origin) -> Option<VarId> {
        let (n, element) = self.array(xs)?;
        let ty = array_of(&array_of(&element, k), &n.div_exact(k));
        Some(self.view(out, (Prim::Split, vec![k.clone()]), xs, ty, origin))
    }

    /// A map whose function joins its rows. What else it does with them it does with the rows that are zipped with the
    /// joined ones.
    fn joined_rows(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) -> Option<Made> {
        let (f, x, xs) = mapped(stmt)?;
        let whole = f.body.stmts.iter().position(|s| viewed(s, Prim::Join) == Some(x));
        let (at, part) = whole.map(|at| (at, None)).or_else(|| joined_part(f, x))?;
        let f = &joined_once(f, at);
        let of = match part {
            None => xs,
            Some((_, k)) => *zipped(out, xs)?.get(k)?,
        };
        let (n, row) = self.array(of)?;
        let (m, inner) = rows_of(&row)?;
        let (k, _) = rows_of(&inner)?;
        let all = m.mul(&k);
        if !is_known(&n) || !is_long(&all) {
            return None;
        }
        let flat = self.join(out, of, &stmt.origin)?;
        let flat = self.join(out, flat, &stmt.origin)?;
        let rows = self.split(out, flat, &all, &stmt.origin)?;
        let mut f = f.clone();
        let joined = f.body.stmts[at].var;
        let mut args = match part {
            None if only_in(&f, at, x) => {
                f.body.stmts.remove(at);
                f.params = vec![joined];
                return Some(match f.body.stmts.is_empty() && f.body.result == Atom::Var(joined) {
                    true => Made::View(rows),
                    false => Made::Stmt(over(stmt, f, rows)),
                });
            }
            None => vec![xs],
            Some(_) => zipped(out, xs)?,
        };
        let tuple = fresh(self.vars, x, Ty::int());
        let project = |k: usize| Rhs::Proj(Atom::Var(tuple), k);
        for s in &mut f.body.stmts {
            if let (Rhs::Proj(Atom::Var(v), k), Some(_)) = (&s.rhs, part)
                && *v == x
            {
                s.rhs = project(*k);
            }
        }
        match part {
            Some((proj, k)) if only_in(&f, at, f.body.stmts[proj].var) => {
                args[k] = rows;
                f.body.stmts[proj].var = joined;
                f.body.stmts.remove(at);
            }
            _ => {
                f.body.stmts[at].rhs = project(args.len());
                args.push(rows);
            }
        }
        if part.is_none() {
            f.body.stmts.insert(0, Stmt { var: x, binds: Vec::new(), rhs: project(0), origin: stmt.origin.clone() });
        }
        let parts: Option<Vec<Ty>> = args.iter().map(|v| Some(self.array(*v)?.1)).collect();
        let ty = Ty::tuple(parts?);
        self.vars[tuple.0 as usize].ty = ty.clone();
        f.params = vec![tuple];
        let zip = fresh(self.vars, xs, array_of(&ty, &n));
        let args = args.into_iter().map(Atom::Var).collect();
        let rhs = Rhs::Prim(PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args });
        out.push(Stmt { var: zip, binds: Vec::new(), rhs, origin: stmt.origin.clone() });
        Some(Made::Stmt(over(stmt, f, zip)))
    }

    /// A map whose function is a map over the long parts of its rows.
    fn split_rows(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) -> Option<Made> {
        let (f, x, xs) = mapped(stmt)?;
        let [parts, last] = f.body.stmts.as_slice() else { return None };
        let (g, _, over_parts) = mapped(last)?;
        let is_parts = |v: VarId| v == x || v == parts.var;
        let only = over_parts == parts.var && f.body.result == Atom::Var(last.var);
        let (n, row) = self.array(xs)?;
        let (m, _) = rows_of(&row)?;
        if viewed(parts, Prim::Split) != Some(x) || !only || g.body.stmts.iter().any(|s| uses::mentions(s, &is_parts)) {
            return None;
        }
        let Rhs::Prim(PrimCall { sizes, .. }) = &parts.rhs else { return None };
        let k = sizes.first().filter(|k| is_long(k) && is_known(&n))?;
        let flat = self.join(out, xs, &stmt.origin)?;
        let all = self.split(out, flat, k, &stmt.origin)?;
        let rows = self.split(out, all, &m.div_exact(k), &stmt.origin)?;
        let mut f = f.clone();
        f.params = vec![parts.var];
        f.body.stmts.remove(0);
        Some(Made::Stmt(over(stmt, f, rows)))
    }

    /// Maps each element of the rows that the function joins as one array.
    fn beside(&mut self, f: &mut Lambda) {
        let mut at = 0;
        while at < f.body.stmts.len() {
            if let Some((join, map)) = self.element_by_element(&f.body, at) {
                let split = Stmt { var: f.body.stmts[at].var, ..map.1.clone() };
                self.applied.push(Applied { rule: &rules::MAP_JOINED, origin: split.origin.clone() });
                f.body.stmts[at] = split;
                f.body.stmts.insert(at, map.0);
                if join > at {
                    let join = f.body.stmts.remove(join + 1);
                    f.body.stmts.insert(at, join);
                }
                at += 1;
            }
            at += 1;
        }
    }

    /// For a map of maps at `at` whose rows are also joined: the joining statement, and one map of the joined array,
    /// whose result is split.
    fn element_by_element(&mut self, block: &Block, at: usize) -> Option<(usize, (Stmt, Stmt))> {
        let stmt = &block.stmts[at];
        let (f, row, rows) = mapped(stmt)?;
        let [last] = f.body.stmts.as_slice() else { return None };
        let (g, _, inner) = mapped(last)?;
        let of_row = |v: VarId| v == row;
        if inner != row
            || f.body.result != Atom::Var(last.var)
            || g.body.stmts.iter().any(|s| uses::mentions(s, &of_row))
        {
            return None;
        }
        let join = block.stmts.iter().position(|s| viewed(s, Prim::Join) == Some(rows))?;
        let (all, _) = self.array(block.stmts[join].var).filter(|(len, _)| is_long(len))?;
        let (_, made) = self.array(stmt.var)?;
        let (k, element) = rows_of(&made)?;
        let var = fresh(self.vars, stmt.var, array_of(&element, &all));
        let Rhs::Prim(call) = &last.rhs else { return None };
        let call = PrimCall { args: vec![Atom::Var(block.stmts[join].var)], ..call.clone() };
        let map = Stmt { var, rhs: Rhs::Prim(call), ..last.clone() };
        let split = PrimCall { prim: Prim::Split, sizes: vec![k], funs: Vec::new(), args: vec![Atom::Var(var)] };
        Some((join, (map, Stmt { rhs: Rhs::Prim(split), ..stmt.clone() })))
    }
}

/// The replacement of a map.
enum Made {
    Stmt(Stmt),
    /// The function of the map only makes the view.
    View(VarId),
}

fn over(stmt: &Stmt, f: Lambda, rows: VarId) -> Stmt {
    let call = PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![Atom::Var(rows)] };
    Stmt { rhs: Rhs::Prim(call), ..stmt.clone() }
}

/// The statement of a function that joins a component of its parameter, the statement of that component, and its number;
/// if the parameter is not used otherwise.
fn joined_part(f: &Lambda, x: VarId) -> Option<(usize, Option<(usize, usize)>)> {
    let stmts = &f.body.stmts;
    let is_part = |s: &&Stmt| matches!(&s.rhs, Rhs::Proj(Atom::Var(v), _) if *v == x);
    if !stmts.iter().filter(|s| uses::mentions(s, &|v| v == x)).all(|s| is_part(&s)) || f.body.result == Atom::Var(x) {
        return None;
    }
    stmts.iter().enumerate().find_map(|(proj, s)| {
        let Rhs::Proj(Atom::Var(v), k) = &s.rhs else { return None };
        let at = stmts.iter().position(|join| viewed(join, Prim::Join) == Some(s.var)).filter(|_| *v == x)?;
        Some((at, Some((proj, *k))))
    })
}

/// The function with one `join` of its rows, statement `at`: the others become its result.
fn joined_once(f: &Lambda, at: usize) -> Lambda {
    let mut f = f.clone();
    let (rows, joined) = (viewed(&f.body.stmts[at], Prim::Join), f.body.stmts[at].var);
    let again = |s: &Stmt| s.var != joined && viewed(s, Prim::Join) == rows;
    let others: Vec<VarId> = f.body.stmts.iter().filter(|s| again(s)).map(|s| s.var).collect();
    f.body.stmts.retain(|s| !others.contains(&s.var));
    rename(&mut f.body, &|v| *v = if others.contains(v) { joined } else { *v });
    f
}

/// The arrays that are zipped in one.
fn zipped(stmts: &[Stmt], xs: VarId) -> Option<Vec<VarId>> {
    let Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) = &stmts.iter().find(|s| s.var == xs)?.rhs else {
        return None;
    };
    let of = |a: &Atom| match a {
        Atom::Var(v) => Some(*v),
        _ => None,
    };
    args.iter().map(of).collect()
}

/// The array that is split.
fn split_of(stmts: &[Stmt], rows: VarId) -> Option<VarId> {
    stmts.iter().find(|s| s.var == rows).and_then(|s| viewed(s, Prim::Split))
}
