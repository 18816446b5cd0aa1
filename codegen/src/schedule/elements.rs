//! Expresses the elements of an array made by maps, zips and views as a function of scalars, applied to elements of
//! views of existing arrays.
//!
//! `join (map (map f) (zip xss yss)) = map f (zip (join xss) (join yss))`, and so for other views, and deeper.

use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::schedule::flat::is_flat;
use crate::schedule::nested::{array_of, rows_of};
use crate::schedule::uses;
use crate::schedule::versions::fresh;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// The expression of an element.
#[derive(Debug)]
pub enum Element<'k> {
    /// The element of the leaf with this index.
    Leaf(usize),
    Tuple(Vec<Element<'k>>),
    Map(&'k Lambda, Box<Element<'k>>),
}

/// An array of scalars: a sequence of views of an array.
#[derive(Debug, Clone)]
pub struct Leaf {
    pub of: VarId,
    views: Vec<View>,
}

/// A view of each element of some dimensions.
#[derive(Debug, Clone)]
struct View {
    /// The lengths of these dimensions, outermost first.
    around: Vec<Size>,
    prim: Prim,
    sizes: Vec<Size>,
    /// The type of the view of one element.
    made: Ty,
}

/// The elements of an array that a block makes, and the leaves.
#[derive(Debug)]
pub struct Elements<'k> {
    pub element: Element<'k>,
    pub leaves: Vec<Leaf>,
    /// The functions that compute elements.
    pub functions: Vec<&'k Lambda>,
}

/// The elements of `array`; `None` if they are not made by maps, zips and views.
pub fn elements<'k>(kernel: &'k Kernel, block: &'k Block, array: VarId) -> Option<Elements<'k>> {
    let mut walk = Walk {
        kernel,
        made: block.stmts.iter().map(|s| (s.var, (0, s))).collect(),
        over: FxHashMap::default(),
        around: Vec::new(),
        inside: FxHashSet::default(),
        leaves: Vec::new(),
        functions: Vec::new(),
    };
    let element = walk.element(array, 0)?;
    let Walk { inside, leaves, functions, .. } = walk;
    let own = |f: &&Lambda| f.body.stmts.iter().any(|s| uses::mentions(s, &|v| inside.contains(&v)));
    (!functions.iter().any(own)).then_some(Elements { element, leaves, functions })
}

struct Walk<'k> {
    kernel: &'k Kernel,
    /// By variable: the number of maps around its statement, and the statement.
    made: FxHashMap<VarId, (usize, &'k Stmt)>,
    /// The array to whose elements a function's parameter is applied, and the number of maps around that.
    over: FxHashMap<VarId, (VarId, usize)>,
    /// The lengths of the maps around.
    around: Vec<Size>,
    /// The variables of functions of arrays.
    inside: FxHashSet<VarId>,
    leaves: Vec<Leaf>,
    functions: Vec<&'k Lambda>,
}

impl<'k> Walk<'k> {
    /// The elements of an array below `depth` maps.
    fn element(&mut self, v: VarId, depth: usize) -> Option<Element<'k>> {
        let over = self.over.get(&v).copied();
        let made = self.made.get(&v).copied();
        let at = over.map(|(_, outside)| outside + 1).or(made.map(|(at, _)| at)).unwrap_or(0);
        if at != depth {
            return self.repeated(v, at, depth);
        }
        if let Some((xs, outside)) = over {
            return self.element(xs, outside);
        }
        let Some((_, stmt)) = made else { return Some(self.leaf(v)) };
        let argument = |call: &PrimCall| match call.args.as_slice() {
            [Atom::Var(v)] => Some(*v),
            _ => None,
        };
        match &stmt.rhs {
            Rhs::Atom(Atom::Var(w)) => self.element(*w, depth),
            Rhs::Proj(Atom::Var(p), k) => match self.over.get(p).copied() {
                Some((xs, outside)) if outside + 1 == depth => {
                    let component = self.zipped(xs)?.get(*k).copied()?;
                    self.element(component, outside)
                }
                None if depth == 0 => Some(self.leaf(v)),
                _ => None,
            },
            Rhs::Prim(call) => match call.prim {
                Prim::Zip => {
                    let parts = self.zipped(v)?.into_iter().map(|part| self.element(part, depth));
                    Some(Element::Tuple(parts.collect::<Option<_>>()?))
                }
                Prim::Map(Level::Auto | Level::Seq) => self.mapped(&call.funs[0], argument(call)?, depth),
                Prim::Join | Prim::Split | Prim::Transpose | Prim::Slide | Prim::Reverse if stmt.binds.is_empty() => {
                    let from = self.leaves.len();
                    let element = self.element(argument(call)?, depth)?;
                    let around = self.around.get(..depth)?.to_vec();
                    let made = self.kernel.ty(v).clone();
                    let view = View { around, prim: call.prim, sizes: call.sizes.clone(), made };
                    self.leaves[from..].iter_mut().for_each(|leaf| leaf.views.push(view.clone()));
                    Some(element)
                }
                _ if depth == 0 => Some(self.leaf(v)),
                _ => None,
            },
            _ => None,
        }
    }

    fn leaf(&mut self, v: VarId) -> Element<'k> {
        self.leaves.push(Leaf { of: v, views: Vec::new() });
        Element::Leaf(self.leaves.len() - 1)
    }

    /// The elements of an array that is the same for all elements of the innermost maps around: copies of it.
    fn repeated(&mut self, v: VarId, at: usize, depth: usize) -> Option<Element<'k>> {
        let (around, copies) = self.around.get(..depth)?.split_at_checked(at)?;
        let (around, copies) = (around.to_vec(), copies.to_vec());
        let from = self.leaves.len();
        let element = self.element(v, at).filter(|e| matches!(e, Element::Leaf(_)))?;
        let mut made = self.kernel.ty(v).clone();
        for len in copies.into_iter().rev() {
            made = array_of(&made, &len);
            let view = View { around: around.clone(), prim: Prim::Fill, sizes: vec![len], made: made.clone() };
            self.leaves[from..].iter_mut().for_each(|leaf| leaf.views.push(view.clone()));
        }
        Some(element)
    }

    fn mapped(&mut self, f: &'k Lambda, xs: VarId, depth: usize) -> Option<Element<'k>> {
        let ([x], None) = (f.params.as_slice(), &f.position) else { return None };
        if is_flat(self.kernel.ty(*x)) && is_flat(&self.kernel.atom_ty(&f.body.result)) {
            self.functions.push(f);
            return Some(Element::Map(f, Box::new(self.element(xs, depth)?)));
        }
        // Of a number, an array may be made, of an array a number.
        let Atom::Var(result) = &f.body.result else { return None };
        if is_flat(self.kernel.ty(*x)) || is_flat(self.kernel.ty(*result)) {
            return None;
        }
        let (len, _) = rows_of(self.kernel.ty(xs))?;
        self.over.insert(*x, (xs, depth));
        self.inside.insert(*x);
        self.inside.extend(f.body.stmts.iter().map(|s| s.var));
        self.made.extend(f.body.stmts.iter().map(|s| (s.var, (depth + 1, s))));
        let around = std::mem::take(&mut self.around);
        self.around = around.get(..depth)?.iter().cloned().chain([len]).collect();
        let element = self.element(*result, depth + 1);
        self.around = around;
        element
    }

    fn zipped(&self, v: VarId) -> Option<Vec<VarId>> {
        let Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) = &self.made.get(&v)?.1.rhs else { return None };
        let of = |a: &Atom| match a {
            Atom::Var(v) => Some(*v),
            _ => None,
        };
        args.iter().map(of).collect()
    }
}

impl Leaf {
    /// Whether the leaf is an array without views.
    pub fn is_plain(&self) -> bool {
        self.views.is_empty()
    }

    /// The statements that make the leaf, and the array.
    pub fn made(&self, vars: &mut Vec<VarInfo>, origin: &Origin) -> (Vec<Stmt>, VarId) {
        let mut stmts = Vec::new();
        let mut array = self.of;
        for view in &self.views {
            let stmt = view.of(vars, array, &view.around, origin);
            array = stmt.var;
            stmts.push(stmt);
        }
        (stmts, array)
    }
}

impl View {
    fn of(&self, vars: &mut Vec<VarInfo>, xs: VarId, around: &[Size], origin: &Origin) -> Stmt {
        // The view may have been one of what functions make of the leaf's elements, or of tuples with them.
        let made = with_scalars(&self.made, &scalars(&vars[xs.0 as usize].ty));
        let ty = around.iter().rev().fold(made, |ty, len| array_of(&ty, len));
        let var = fresh(vars, xs, ty);
        let call = match (around, rows_of(&vars[xs.0 as usize].ty)) {
            ([_, rest @ ..], Some((_, element))) => {
                let x = fresh(vars, xs, element);
                let inner = self.of(vars, x, rest, origin);
                let body = Block { result: Atom::Var(inner.var), stmts: vec![inner] };
                let f = Lambda { position: None, params: vec![x], body, origin: origin.clone() };
                PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![Atom::Var(xs)] }
            }
            _ => PrimCall { prim: self.prim, sizes: self.sizes.clone(), funs: Vec::new(), args: vec![Atom::Var(xs)] },
        };
        Stmt { var, binds: Vec::new(), rhs: Rhs::Prim(call), origin: origin.clone() }
    }
}

/// The type of an array's scalars, or of tuples of them.
fn scalars(ty: &Ty) -> Ty {
    match rows_of(ty).filter(|_| !is_flat(ty)) {
        Some((_, element)) => scalars(&element),
        None => ty.clone(),
    }
}

/// An array of the same lengths with other scalars.
fn with_scalars(ty: &Ty, scalars: &Ty) -> Ty {
    match rows_of(ty).filter(|_| !is_flat(ty)) {
        Some((len, element)) => array_of(&with_scalars(&element, scalars), &len),
        None => scalars.clone(),
    }
}

impl Element<'_> {
    /// Adds the statements that compute one element from the elements of the leaves at the same index. `known` replaces free
    /// variables of the functions.
    pub fn computed(
        &self,
        (vars, lengths): (&mut Vec<VarInfo>, &mut Lengths),
        leaves: &[Atom],
        known: &FxHashMap<VarId, Atom>,
        (like, origin): (VarId, &Origin),
        out: &mut Vec<Stmt>,
    ) -> Option<Atom> {
        match self {
            Element::Leaf(k) => leaves.get(*k).cloned(),
            Element::Tuple(parts) => {
                let mut atoms = Vec::new();
                for part in parts {
                    atoms.push(part.computed((vars, lengths), leaves, known, (like, origin), out)?);
                }
                let types = atoms.iter().map(|a| match a {
                    Atom::Var(v) => Some(vars[v.0 as usize].ty.clone()),
                    _ => None,
                });
                let var_ty = Ty::tuple(types.collect::<Option<_>>()?);
                let var = fresh(vars, like, var_ty);
                out.push(Stmt { var, binds: Vec::new(), rhs: Rhs::Tuple(atoms), origin: origin.clone() });
                Some(Atom::Var(var))
            }
            Element::Map(f, of) => {
                let of = of.computed((vars, lengths), leaves, known, (like, origin), out)?;
                let mut copier = Copier::new(vars, lengths);
                copier.atoms.extend(known.iter().map(|(v, a)| (*v, a.clone())));
                copier.atoms.insert(f.params[0], of);
                let body = copier.block(&f.body);
                out.extend(body.stmts);
                Some(body.result)
            }
        }
    }
}
