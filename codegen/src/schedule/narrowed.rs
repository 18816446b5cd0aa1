//! Removes arrays that the function does not read from maps over zipped arrays.
//!
//! `map (λ(x,y). f x) (zip xs ys) = map f xs`, also where one of the arrays is zipped itself. Rules that split a map leave
//! arrays that a part does not read; what an unread array looks like must not decide how the part runs.

use super::uses;
use super::versions::fresh;
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

/// Narrows all maps of the kernel.
pub fn narrowed(mut kernel: Kernel) -> Kernel {
    Writer { vars: &mut kernel.vars, zips: FxHashMap::default() }.block(&mut kernel.body);
    while without_unread_zips(&mut kernel) {}
    kernel
}

/// Removes unread zips, which would count as readers of their arrays. Returns whether there was one.
fn without_unread_zips(kernel: &mut Kernel) -> bool {
    let read = uses::count(kernel);
    let mut found = false;
    keep(&mut kernel.body, &mut |s| {
        let unread = matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Zip) && !read.contains_key(&s.var);
        found |= unread;
        !unread
    });
    found
}

fn keep(block: &mut Block, of: &mut dyn FnMut(&Stmt) -> bool) {
    block.stmts.retain(&mut *of);
    block.stmts.iter_mut().flat_map(|s| s.rhs.blocks_mut()).for_each(|inner| keep(inner, of));
}

struct Writer<'a> {
    vars: &'a mut Vec<VarInfo>,
    /// The arrays of each zip in scope.
    zips: FxHashMap<VarId, Vec<VarId>>,
}

/// The parts of its parameter that a function reads.
#[derive(Default)]
struct Read {
    /// The arrays of which it reads elements, each with the variables that have its element, in the order of the zip.
    arrays: Vec<(VarId, Vec<VarId>)>,
    /// The statements that take tuples apart.
    apart: Vec<VarId>,
    /// Whether there are arrays that it does not read, or nested zips.
    narrower: bool,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            if let Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) = &stmt.rhs {
                let arrays = args.iter().map(|a| match a {
                    Atom::Var(v) => Some(*v),
                    _ => None,
                });
                self.zips.extend(arrays.collect::<Option<Vec<_>>>().map(|arrays| (stmt.var, arrays)));
            }
            out.extend(self.narrow(&mut stmt));
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            out.push(stmt);
        }
        block.stmts = out;
    }

    /// Narrows a map; returns the statement of its own zip, if it needs one.
    fn narrow(&mut self, stmt: &mut Stmt) -> Option<Stmt> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &mut stmt.rhs else { return None };
        let ([f], [Atom::Var(xs)]) = (call.funs.as_mut_slice(), call.args.as_slice()) else { return None };
        let [param] = f.params.as_slice() else { return None };
        let (param, xs) = (*param, *xs);
        let len = self.vars[xs.0 as usize].ty.as_array().filter(|a| a.position.is_none())?.len.clone();
        let mut read = Read::default();
        self.read(&f.body, param, xs, &mut read)?;
        if !read.narrower || read.arrays.is_empty() {
            return None;
        }
        f.body.stmts.retain(|s| !read.apart.contains(&s.var));
        let names = |element: VarId, rest: &[VarId]| -> Vec<Stmt> {
            let origin = f.origin.clone();
            let at = |var| Stmt { var, binds: Vec::new(), rhs: Rhs::Atom(Atom::Var(element)), origin: origin.clone() };
            rest.iter().map(|v| at(*v)).collect()
        };
        if let [(array, elements)] = read.arrays.as_slice() {
            let (element, rest) = elements.split_first()?;
            let named = names(*element, rest);
            f.params = vec![*element];
            f.body.stmts.splice(0..0, named);
            call.args = vec![Atom::Var(*array)];
            return None;
        }
        let parts = read.arrays.iter().map(|(xs, _)| Some(self.vars[xs.0 as usize].ty.as_array()?.element.clone()));
        let ty = Ty::tuple(parts.collect::<Option<Vec<_>>>()?);
        let tuple = fresh(self.vars, param, ty.clone());
        let mut taken = Vec::new();
        for (k, (_, elements)) in read.arrays.iter().enumerate() {
            let (element, rest) = elements.split_first()?;
            let rhs = Rhs::Proj(Atom::Var(tuple), k);
            taken.push(Stmt { var: *element, binds: Vec::new(), rhs, origin: f.origin.clone() });
            taken.extend(names(*element, rest));
        }
        f.params = vec![tuple];
        f.body.stmts.splice(0..0, taken);
        let zip = fresh(self.vars, xs, Ty::array(ty, len));
        let args = read.arrays.iter().map(|(xs, _)| Atom::Var(*xs)).collect();
        call.args = vec![Atom::Var(zip)];
        let rhs = Rhs::Prim(PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args });
        Some(Stmt { var: zip, binds: Vec::new(), rhs, origin: stmt.origin.clone() })
    }

    /// Records which components of `tuple`, an element of `xs`, a function reads; `None` if it uses the whole tuple,
    /// or projects it inside another function.
    fn read(&self, body: &Block, tuple: VarId, xs: VarId, found: &mut Read) -> Option<()> {
        let arrays = self.zips.get(&xs)?;
        let mut parts: Vec<Vec<VarId>> = vec![Vec::new(); arrays.len()];
        for stmt in body.stmts.iter().filter(|s| uses::mentions(s, &|v| v == tuple)) {
            match &stmt.rhs {
                Rhs::Proj(Atom::Var(v), k) if *v == tuple => parts.get_mut(*k)?.push(stmt.var),
                _ => return None,
            }
        }
        if body.result == Atom::Var(tuple) {
            return None;
        }
        for (array, elements) in arrays.iter().zip(parts) {
            found.apart.extend(&elements);
            match elements.as_slice() {
                [] => found.narrower = true,
                [element] => {
                    let mut inner = Read::default();
                    match self.read(body, *element, *array, &mut inner) {
                        Some(()) => {
                            found.narrower = true;
                            found.apart.append(&mut inner.apart);
                            inner.arrays.into_iter().for_each(|part| found.add(part));
                        }
                        None => found.add((*array, elements)),
                    }
                }
                _ => found.add((*array, elements)),
            }
        }
        Some(())
    }
}

impl Read {
    fn add(&mut self, (array, elements): (VarId, Vec<VarId>)) {
        match self.arrays.iter_mut().find(|(known, _)| *known == array) {
            Some((_, all)) => {
                all.extend(elements);
                self.narrower = true;
            }
            None => self.arrays.push((array, elements)),
        }
    }
}
