//! Slices: the part of a function that one of its values needs, as a separate function.

use super::{Definitions, Maker};
use crate::core::copy::Copier;
use crate::core::simplify::bound_in;
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId, VarInfo};
use crate::schedule::{fails, uses};
use lift_analysis::size::{Facts, Size};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// The statements of a block that the atoms need, in order; `None` if one of them may stop the run.
pub fn needed<'b>(vars: &[VarInfo], block: &'b Block, of: &[Atom]) -> Option<Vec<&'b Stmt>> {
    let mut wanted: FxHashSet<VarId> = of.iter().filter_map(as_var).collect();
    let mut found = Vec::new();
    for stmt in block.stmts.iter().rev() {
        if wanted.contains(&stmt.var) {
            if fails::has_effect(vars, stmt) {
                return None;
            }
            wanted.extend(mentioned(stmt));
            found.push(stmt);
        }
    }
    found.reverse();
    Some(found)
}

/// Like [`needed`], for a function that is applied to at most `count` elements, perhaps none. A division by a length
/// that is positive whenever there is an element is allowed; without elements it divides by 1.
fn needed_of_some(vars: &[VarInfo], block: &Block, of: &Atom, count: &Size) -> Option<Vec<Stmt>> {
    let mut some = Facts::new();
    some.assume_le(Size::one(), count.clone());
    let guarded = |stmt: &Stmt| {
        let mut stmt = stmt.clone();
        if let Rhs::Scalar(ScalarOp::Div | ScalarOp::Mod | ScalarOp::FloorMod, args) = &mut stmt.rhs
            && let Some(Atom::Size(divisor)) = args.get_mut(1)
            && some.lt(&Size::zero(), divisor).is_yes()
        {
            *divisor = Size::max(divisor, &Size::one());
        }
        stmt
    };
    let block = Block { stmts: block.stmts.iter().map(guarded).collect(), result: block.result.clone() };
    let stmts = needed(vars, &block, std::slice::from_ref(of))?;
    Some(stmts.into_iter().cloned().collect())
}

pub fn as_var(a: &Atom) -> Option<VarId> {
    match a {
        Atom::Var(v) => Some(*v),
        _ => None,
    }
}

/// The variables that occur in a statement.
pub fn mentioned(stmt: &Stmt) -> Vec<VarId> {
    let found = RefCell::new(Vec::new());
    uses::mentions(stmt, &|v| {
        found.borrow_mut().push(v);
        false
    });
    found.into_inner()
}

/// The variable of which an atom is a component, and the path to the component.
pub fn projection(block: &Block, a: &Atom) -> Option<(Vec<usize>, VarId)> {
    let mut at = as_var(a)?;
    let mut path = Vec::new();
    while let Some(stmt) = block.stmts.iter().find(|s| s.var == at) {
        match &stmt.rhs {
            Rhs::Proj(Atom::Var(of), i) => {
                path.insert(0, *i);
                at = *of;
            }
            _ => return None,
        }
    }
    Some((path, at))
}

/// The array of one component of an array of tuples.
pub fn component(defs: &Definitions, xs: &Atom, path: &[usize]) -> Option<Atom> {
    let Some((first, rest)) = path.split_first() else { return Some(xs.clone()) };
    match defs.get(&as_var(xs)?)? {
        Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) => component(defs, args.get(*first)?, rest),
        _ => None,
    }
}

/// An array computed elementwise from another.
#[derive(Debug, Clone)]
pub enum Made {
    /// The array itself.
    Same(Atom),
    /// A constant.
    Fill(Atom),
    /// A function of each element.
    Map(Lambda, Atom),
}

impl Made {
    /// Its free variables.
    pub fn uses(&self) -> Vec<VarId> {
        match self {
            Made::Same(a) | Made::Fill(a) => as_var(a).into_iter().collect(),
            Made::Map(f, xs) => {
                let mut own = f.params.clone();
                bound_in(&f.body, &mut own);
                let inside = f.body.stmts.iter().flat_map(mentioned).chain(as_var(&f.body.result));
                inside.filter(|v| !own.contains(v)).chain(as_var(xs)).collect()
            }
        }
    }

    /// The value `of`, computed by the statements of `body` for an element `x` of `xs`. It is computed where there are
    /// `count` elements, perhaps none.
    pub fn of(
        (vars, defs): (&[VarInfo], &Definitions),
        xs: &Atom,
        (x, body): (VarId, &Block),
        of: &Atom,
        f: &Lambda,
        count: &Size,
    ) -> Option<Made> {
        let stmts = needed_of_some(vars, body, of, count)?;
        let depends = as_var(of) == Some(x) || stmts.iter().any(|s| uses::mentions(s, &|v| v == x));
        if !depends && stmts.is_empty() {
            return Some(Made::Fill(of.clone()));
        }
        if let Some((path, v)) = projection(body, of)
            && v == x
            && let Some(array) = component(defs, xs, &path)
        {
            return Some(Made::Same(array));
        }
        let body = Block { stmts, result: of.clone() };
        let (xs, body) = only_component(defs, xs, x, body);
        Some(Made::Map(Lambda { position: None, params: vec![x], body, origin: f.origin.clone() }, xs))
    }
}

/// Turns a function that reads only one component into a function of that component.
fn only_component(defs: &Definitions, xs: &Atom, x: VarId, body: Block) -> (Atom, Block) {
    let mut parts = body.stmts.iter().filter_map(|s| match &s.rhs {
        Rhs::Proj(Atom::Var(v), i) if *v == x => Some(*i),
        _ => None,
    });
    let Some(part) = parts.next().filter(|first| parts.all(|i| i == *first)) else { return (xs.clone(), body) };
    let whole = |s: &Stmt| !matches!(&s.rhs, Rhs::Proj(Atom::Var(v), _) if *v == x) && uses::mentions(s, &|v| v == x);
    let Some(array) = component(defs, xs, &[part]).filter(|_| !body.stmts.iter().any(whole)) else {
        return (xs.clone(), body);
    };
    let mut body = body;
    for stmt in &mut body.stmts {
        if matches!(&stmt.rhs, Rhs::Proj(Atom::Var(v), _) if *v == x) {
            stmt.rhs = Rhs::Atom(Atom::Var(x));
        }
    }
    (array, body)
}

impl Maker {
    /// A copy of a function with fresh variables, for elements of the given type.
    pub fn copied(&mut self, f: &Lambda, element: &Ty) -> Lambda {
        let copy = Copier::new(&mut self.vars, &mut self.lengths).lambda(f);
        if let [x] = copy.params.as_slice() {
            self.vars[x.0 as usize].ty = element.clone();
        }
        copy
    }

    /// Adds the statements that compute the array.
    pub fn made(&mut self, made: &Made, xs: &Atom) -> Option<Atom> {
        let len = self.ty(xs).as_array()?.len.clone();
        match made {
            Made::Same(a) => Some(a.clone()),
            Made::Fill(v) => Some(self.fill(&len, v)),
            Made::Map(f, of) => {
                let element = self.ty(of).as_array()?.element.clone();
                let f = self.copied(f, &element);
                let result = self.ty(&f.body.result);
                let call =
                    PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![of.clone()] };
                Some(self.prim("keyed", Ty::array(result, len), call))
            }
        }
    }
}
