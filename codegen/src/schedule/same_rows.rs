//! Maps over the same rows, one after the other, become one map: a group then reads each row once, and stores nothing between
//! them.
//!
//! `zipWith g xs (map f xs) = map (λx. g x (f x)) xs`, where a group computes each element of the result
//!
//! A number of each row that other statements read, too, is a part of the result: then the map makes tuples.
//!
//! So a program that treats whole matrices, one step after the other, is the same as one that treats each of its rows.

use super::flat::is_flat;
use super::nested::{Work, array_of, lies_across, rows_of, work_of};
use super::pass::within;
use super::versions::fresh;
use super::{Applied, fails, host_blocks, rules, teams, uses};
use crate::core::simplify::simplify;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// The kernel in which such maps at host level are one.
pub fn same_rows(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let before = applied.len();
    let kernel = within(kernel, |kernel, _, body| Writer { kernel, applied }.host(body));
    if applied.len() == before { kernel } else { simplify(kernel) }
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    applied: &'a mut Vec<Applied>,
}

/// The element of an array, in the function of the map that becomes the only one.
enum Element {
    /// Of an array that none of the maps makes, by its number.
    Leaf(usize),
    /// What the map with this number makes.
    Made(usize),
    Tuple(Vec<Element>),
    Part(Box<Element>, usize),
}

/// Maps over arrays of one length, of which all but the last are read by others of them.
struct Chain {
    /// The indices of the maps in the block, in order.
    maps: Vec<usize>,
    /// Those whose arrays other statements read, too; the last map is one of them.
    results: Vec<usize>,
    /// The views of what they make, which nothing else reads.
    views: FxHashSet<VarId>,
}

impl Writer<'_> {
    fn host(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.host(inner));
            block.stmts.push(stmt);
        }
        let mut at = block.stmts.len();
        while at > 0 {
            at -= 1;
            let Some(chain) = self.chain(block, at) else { continue };
            let vars = self.kernel.vars.clone();
            match self.as_one(block, &chain).filter(|one| self.is_shared(one)) {
                Some(one) => {
                    let origin = block.stmts[at].origin.clone();
                    self.applied.push(Applied { rule: &rules::SAME_ROWS, origin });
                    at = replace(block, &chain, one);
                }
                None => self.kernel.vars = vars,
            }
        }
    }

    /// Whether a group computes each element of a map, each with a row of its own.
    fn is_shared(&self, made: &[Stmt]) -> bool {
        let mut with = self.kernel.clone();
        with.body.stmts.extend_from_slice(made);
        made.iter().any(|s| matches!(&s.rhs, Rhs::Prim(call) if teams::shares_rows(&with, call)))
    }

    /// The longest chain that ends with statement `last`.
    fn chain(&self, block: &Block, last: usize) -> Option<Chain> {
        let end = &block.stmts[last];
        let n = self.row_map(end)?;
        let mut chain = Chain { maps: vec![last], results: vec![last], views: FxHashSet::default() };
        let mut inside: FxHashSet<VarId> = FxHashSet::from_iter([end.var]);
        for at in (0..last).rev() {
            let stmt = &block.stmts[at];
            let is_view = is_side_by_side(&stmt.rhs);
            let is_map = !is_view && self.row_map(stmt).is_some_and(|m| m == n) && stmt.settings() == end.settings();
            if !is_view && !is_map {
                continue;
            }
            let reads = |s: &&Stmt| uses::mentions(s, &|v| v == stmt.var);
            let is_inside = |s: &&Stmt| inside.contains(&s.var);
            let of_chain: Vec<&Stmt> = block.stmts.iter().filter(is_inside).filter(reads).collect();
            // A function of the chain reads its element, not the array.
            let whole = of_chain.iter().any(|s| s.rhs.blocks().iter().any(|b| uses::in_block(b, stmt.var)));
            if of_chain.is_empty() || whole {
                continue;
            }
            let is_read = |s: &Stmt| !is_inside(&s) && reads(&s);
            if block.result == Atom::Var(stmt.var) || block.stmts.iter().any(is_read) {
                // Numbers of the rows, which are made where the last map is.
                let flat = |s: &Stmt| self.kernel.ty(s.var).as_array().is_some_and(|a| is_flat(&a.element));
                if is_view || block.stmts[..last].iter().any(is_read) || !flat(stmt) || !flat(end) {
                    continue;
                }
                chain.results.insert(0, at);
            }
            if is_view {
                chain.views.insert(stmt.var);
            } else {
                chain.maps.insert(0, at);
            }
            inside.insert(stmt.var);
        }
        // Views that only lead to arrays outside stay.
        let mut leads: FxHashSet<VarId> = chain.maps.iter().map(|m| block.stmts[*m].var).collect();
        for stmt in block.stmts.iter().filter(|s| chain.views.contains(&s.var)) {
            if stmt.rhs.operands().iter().any(|a| matches!(a, Atom::Var(v) if leads.contains(v))) {
                leads.insert(stmt.var);
            }
        }
        chain.views.retain(|v| leads.contains(v));
        let maps = || chain.maps.iter().map(|m| &block.stmts[*m]);
        // Of two that fail, the first would not be the one that stops the run.
        let one_fails = maps().filter(|s| fails::rhs_may_fail(&self.kernel.vars, &s.rhs)).count() < 2;
        // Folds of columns have a strategy of their own, and what is made of their results takes little.
        let wide = || maps().filter(|s| !self.is_of_numbers(s));
        let columns = wide().count() == 1 && wide().any(|s| self.goes_over_columns(s));
        (chain.maps.len() > 1 && one_fails && !columns && maps().any(has_fold)).then_some(chain)
    }

    /// Whether a map makes numbers of numbers.
    fn is_of_numbers(&self, map: &Stmt) -> bool {
        let flat = |ty: &Ty| rows_of(ty).is_some_and(|(_, element)| is_flat(&element));
        flat(self.kernel.ty(map.var)) && map.rhs.operands().iter().all(|xs| flat(&self.kernel.atom_ty(xs)))
    }

    fn goes_over_columns(&self, map: &Stmt) -> bool {
        matches!(&map.rhs, Rhs::Prim(call) if call.args.first().is_some_and(|xs| lies_across(self.kernel, xs)))
    }

    /// The length of a map whose function works on rows of its elements.
    fn row_map(&self, stmt: &Stmt) -> Option<Size> {
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
        let ([f], [xs]) = (funs.as_slice(), args.as_slice()) else { return None };
        let (n, _) = rows_of(&self.kernel.atom_ty(xs))?;
        let plain = stmt.binds.is_empty() && f.position.is_none() && f.params.len() == 1;
        let regular = self.kernel.ty(stmt.var).as_array().is_some_and(|a| a.position.is_none());
        (plain && regular && self.on_rows(f)).then_some(n)
    }

    fn on_rows(&self, f: &Lambda) -> bool {
        let own = |a: &Atom| matches!(a, Atom::Var(v) if self.is_own(f, *v));
        f.body.stmts.iter().all(|s| match (work_of(self.kernel, s), &s.rhs) {
            (Work::Item, _) => true,
            (Work::Together(_), Rhs::Prim(call)) => {
                matches!(call.prim, Prim::Map(_) | Prim::Reduce(Level::Auto) | Prim::Scan(_))
            }
            (Work::Nest, Rhs::Prim(call)) => call.args.iter().all(own) && call.funs.iter().all(|g| self.on_rows(g)),
            _ => false,
        })
    }

    /// Whether a variable is an element of the map, or parts of it, side by side.
    fn is_own(&self, f: &Lambda, v: VarId) -> bool {
        let of = |a: &Atom| matches!(a, Atom::Var(v) if self.is_own(f, *v));
        f.params.contains(&v)
            || f.body.stmts.iter().any(|s| {
                s.var == v
                    && match &s.rhs {
                        Rhs::Atom(a) | Rhs::Proj(a, _) => of(a),
                        Rhs::Prim(call) if matches!(call.prim, Prim::Zip | Prim::Map(Level::Auto)) => {
                            call.args.iter().all(of)
                        }
                        _ => false,
                    }
            })
    }

    /// The map instead of those of a chain, after the statement of what it goes over.
    fn as_one(&mut self, block: &Block, chain: &Chain) -> Option<Vec<Stmt>> {
        let last = &block.stmts[*chain.maps.last()?];
        let mut leaves: Vec<Atom> = Vec::new();
        let mut members = Vec::new();
        for at in &chain.maps {
            let Rhs::Prim(PrimCall { funs, args, .. }) = &block.stmts[*at].rhs else { return None };
            let element = element(block, chain, args.first()?, &mut leaves);
            members.push((element, funs.first()?));
        }
        let types: Vec<Ty> = leaves.iter().map(|a| Some(rows_of(&self.kernel.atom_ty(a))?.1)).collect::<Option<_>>()?;
        let stmt = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: last.origin.clone() };
        let vars = &mut self.kernel.vars;
        let (mut out, mut body) = (Vec::new(), Vec::new());
        let (x, over, parts) = match (types.as_slice(), leaves.as_slice()) {
            ([one], [over]) => {
                let x = fresh(vars, last.var, one.clone());
                (x, over.clone(), vec![Atom::Var(x)])
            }
            _ => {
                let (n, _) = rows_of(&self.kernel.atom_ty(leaves.first()?))?;
                let vars = &mut self.kernel.vars;
                let ty = Ty::tuple(types.clone());
                let (x, zip) = (fresh(vars, last.var, ty.clone()), fresh(vars, last.var, array_of(&ty, &n)));
                let call = PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args: leaves.clone() };
                out.push(stmt(zip, Rhs::Prim(call)));
                let parts: Vec<VarId> = types.into_iter().map(|ty| fresh(vars, last.var, ty)).collect();
                body.extend(parts.iter().enumerate().map(|(k, v)| stmt(*v, Rhs::Proj(Atom::Var(x), k))));
                (x, Atom::Var(zip), parts.into_iter().map(Atom::Var).collect())
            }
        };
        let mut made: Vec<Atom> = Vec::new();
        for (element, f) in members {
            let mut of = f.body.clone();
            let param = *f.params.first()?;
            let bound = self.bound(&element, (&parts, &made), param, &mut body, &last.origin)?;
            if let Bound::Tuple(each) = &bound {
                project(&mut of, param, each);
            }
            if uses::in_block(&of, param) {
                body.push(stmt(param, bound.rhs()));
            }
            body.append(&mut of.stmts);
            made.push(of.result);
        }
        let map = |body: Block| {
            let f = Lambda { position: None, params: vec![x], body, origin: last.origin.clone() };
            Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![over] })
        };
        if chain.results.len() == 1 {
            let mut body = Block { stmts: body, result: made.pop()? };
            self.below(&mut body);
            out.push(Stmt { rhs: map(body), ..last.clone() });
            return Some(out);
        }
        let results: Vec<VarId> = chain.results.iter().map(|at| block.stmts[*at].var).collect();
        let numbers = chain.maps.iter().zip(made).filter(|(at, _)| chain.results.contains(at)).map(|(_, made)| made);
        let numbers: Vec<Atom> = numbers.collect();
        let of_row = Ty::tuple(numbers.iter().map(|a| self.kernel.atom_ty(a)).collect());
        let arrays = Ty::tuple(results.iter().map(|v| self.kernel.ty(*v).clone()).collect());
        let (n, _) = rows_of(self.kernel.ty(last.var))?;
        let vars = &mut self.kernel.vars;
        let all = fresh(vars, last.var, of_row.clone());
        let (made, apart) = (fresh(vars, last.var, array_of(&of_row, &n)), fresh(vars, last.var, arrays));
        body.push(stmt(all, Rhs::Tuple(numbers)));
        out.push(stmt(made, map(Block { stmts: body, result: Atom::Var(all) })));
        let call = PrimCall { prim: Prim::Unzip, sizes: Vec::new(), funs: Vec::new(), args: vec![Atom::Var(made)] };
        out.push(stmt(apart, Rhs::Prim(call)));
        out.extend(results.iter().enumerate().map(|(k, v)| stmt(*v, Rhs::Proj(Atom::Var(apart), k))));
        Some(out)
    }

    /// Makes one map of those in the function of a map, of which the last gives the result.
    fn below(&mut self, block: &mut Block) {
        let Some(last) = block.stmts.iter().position(|s| block.result == Atom::Var(s.var)) else { return };
        if let Some(chain) = self.chain(block, last)
            && let Some(one) = self.as_one(block, &chain)
        {
            replace(block, &chain, one);
        }
    }

    /// The value of an element, after the statements that make it.
    fn bound(
        &mut self,
        element: &Element,
        (parts, made): (&[Atom], &[Atom]),
        like: VarId,
        body: &mut Vec<Stmt>,
        origin: &Origin,
    ) -> Option<Bound> {
        let all = match element {
            Element::Leaf(k) => return parts.get(*k).cloned().map(Bound::One),
            Element::Made(k) => return made.get(*k).cloned().map(Bound::One),
            Element::Part(of, k) => {
                return match self.bound(of, (parts, made), like, body, origin)? {
                    Bound::Tuple(all) => all.get(*k).cloned().map(Bound::One),
                    Bound::One(of) => {
                        let ty = part_of(&self.kernel.atom_ty(&of), *k)?;
                        let part = fresh(&mut self.kernel.vars, like, ty);
                        body.push(Stmt { var: part, binds: vec![], rhs: Rhs::Proj(of, *k), origin: origin.clone() });
                        Some(Bound::One(Atom::Var(part)))
                    }
                };
            }
            Element::Tuple(all) => all,
        };
        let mut each = Vec::new();
        for one in all {
            let atom = match self.bound(one, (parts, made), like, body, origin)? {
                Bound::One(atom) => atom,
                Bound::Tuple(inner) => {
                    let ty = Ty::tuple(inner.iter().map(|a| self.kernel.atom_ty(a)).collect());
                    let var = fresh(&mut self.kernel.vars, like, ty);
                    body.push(Stmt { var, binds: vec![], rhs: Rhs::Tuple(inner), origin: origin.clone() });
                    Atom::Var(var)
                }
            };
            each.push(atom);
        }
        Some(Bound::Tuple(each))
    }
}

/// The value of a map's parameter.
enum Bound {
    One(Atom),
    Tuple(Vec<Atom>),
}

impl Bound {
    fn rhs(self) -> Rhs {
        match self {
            Bound::One(atom) => Rhs::Atom(atom),
            Bound::Tuple(each) => Rhs::Tuple(each),
        }
    }
}

/// Reads the parts of a parameter where they are, also in the functions of a block.
fn project(block: &mut Block, param: VarId, each: &[Atom]) {
    for stmt in &mut block.stmts {
        if let Rhs::Proj(Atom::Var(v), k) = &stmt.rhs
            && *v == param
            && let Some(part) = each.get(*k)
        {
            stmt.rhs = Rhs::Atom(part.clone());
        }
        stmt.rhs.blocks_mut().into_iter().for_each(|b| project(b, param, each));
    }
}

/// The element of an array in the function of the only map; adds arrays that none of the maps makes to the leaves.
fn element(block: &Block, chain: &Chain, array: &Atom, leaves: &mut Vec<Atom>) -> Element {
    let made = |v: VarId| chain.maps.iter().position(|m| block.stmts[*m].var == v);
    if let Atom::Var(v) = array {
        if let Some(k) = made(*v) {
            return Element::Made(k);
        }
        if chain.views.contains(v)
            && let Some(stmt) = block.stmts.iter().find(|s| s.var == *v)
        {
            match &stmt.rhs {
                Rhs::Atom(of) => return element(block, chain, of, leaves),
                Rhs::Proj(of, k) => return Element::Part(Box::new(element(block, chain, of, leaves)), *k),
                Rhs::Prim(PrimCall { prim: Prim::Unzip, args, .. }) if let [of] = args.as_slice() => {
                    return element(block, chain, of, leaves);
                }
                Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) => {
                    return Element::Tuple(args.iter().map(|a| element(block, chain, a, leaves)).collect());
                }
                _ => {}
            }
        }
    }
    let array = source(block, array);
    let k = leaves.iter().position(|leaf| leaf == array).unwrap_or_else(|| {
        leaves.push(array.clone());
        leaves.len() - 1
    });
    Element::Leaf(k)
}

/// What a name in a block is another name of.
fn source<'b>(block: &'b Block, name: &'b Atom) -> &'b Atom {
    let of = |name: &Atom| match name {
        Atom::Var(v) => block.stmts.iter().find(|s| s.var == *v).map(|s| &s.rhs),
        _ => None,
    };
    match of(name) {
        Some(Rhs::Atom(a)) => source(block, a),
        _ => name,
    }
}

/// Puts statements in the place of a chain; returns the index of the last one.
fn replace(block: &mut Block, chain: &Chain, one: Vec<Stmt>) -> usize {
    let last = chain.maps.last().copied().unwrap_or_default();
    let gone: Vec<VarId> = chain.maps.iter().map(|m| block.stmts[*m].var).chain(chain.views.iter().copied()).collect();
    let before = block.stmts[..=last].iter().filter(|s| gone.contains(&s.var)).count();
    let at = last + 1 - before;
    block.stmts.retain(|s| !gone.contains(&s.var));
    let count = one.len();
    block.stmts.splice(at..at, one);
    at + count - 1
}

/// Whether a statement arranges elements of arrays side by side.
fn is_side_by_side(rhs: &Rhs) -> bool {
    match rhs {
        Rhs::Atom(_) | Rhs::Proj(..) => true,
        Rhs::Prim(call) => matches!(call.prim, Prim::Zip | Prim::Unzip),
        _ => false,
    }
}

/// Whether a map's function folds or scans.
fn has_fold(map: &Stmt) -> bool {
    let mut found = false;
    let mut look = |s: &Stmt| {
        found |= matches!(&s.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::Reduce(_) | Prim::Scan(_)));
    };
    map.rhs.blocks().into_iter().for_each(|b| b.visit(&mut look));
    found
}

/// The type of a part of a tuple.
fn part_of(ty: &Ty, k: usize) -> Option<Ty> {
    match ty.kind() {
        TyKind::Tuple(all) => all.get(k).cloned(),
        _ => None,
    }
}
