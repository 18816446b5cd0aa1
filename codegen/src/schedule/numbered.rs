//! Converts arrays that are accessed by index to maps over their elements: `generate`, and maps over numbers that pick
//! rows.
//!
//! * `generate n f = map f (iota n)`, where f has loops, or reads the elements of another array by number, or the array is
//!   stored, as each round of a loop stores its state
//! * `map (λi. … aref xs i …) (iota n) = map (λ(i,x). … x …) (zip (iota n) xs)`, where xs has n elements
//! * `map (λi. … map (λk. … aref (aref xs k) i …) …) (iota n) = map (λ(i,c). … map (λk. … aref c k …) …) (zip (iota n)
//!   (transpose xs))`, where k counts the rows of xs, which have n elements
//! * `map (λx. x) xs = xs`, where one of these rules left it
//!
//! A program that counts the rows of an array gets the strategies for maps over them.
//!
//! | module | job |
//! |---|---|
//! | `outside` | views that do not depend on the number |
//! | `picks` | what a function reads by the number of its element |
//! | `shared` | arrays that are read again for each element of a map around |

mod outside;
mod picks;
mod shared;

use self::outside::take_views;
use self::picks::{Picks, Source, picks};
use self::shared::{Dependences, bit, is_map};
use super::flat::is_flat;
use super::free::is_free;
use super::fuse::fuse;
use super::nested::LONG;
use super::uses::{self, stmt_mentions};
use super::versions::fresh;
use super::{Applied, rules};
use crate::core::simplify::simplify;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::origin::Origin;
use lift_analysis::size::{LengthCheck, Size, Var};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Replaces `generate`s by maps, and maps over numbers by maps over rows.
pub fn numbered(kernel: &Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let before = applied.len();
    let again = fuse(kernel, None, &uses::count(kernel), &FxHashSet::default(), false, &mut Vec::new()).lazy;
    let (vars, dependences) = (kernel.vars.clone(), Dependences::of(kernel));
    let mut writer = Writer { vars, again, dependences, depth: 0, maps: 0, applied };
    let mut body = kernel.body.clone();
    writer.block(&mut body, true);
    let Writer { vars, .. } = writer;
    let numbered = Kernel { vars, ..kernel.around(kernel.params.clone(), body) };
    // The reads by number that are left are names of elements.
    if applied.len() == before { numbered } else { simplify(numbered) }
}

struct Writer<'a> {
    vars: Vec<VarInfo>,
    /// The arrays whose elements are computed for each reader.
    again: FxHashSet<VarId>,
    dependences: Dependences,
    /// The number of functions around.
    depth: usize,
    /// The functions around that maps apply.
    maps: u64,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    /// `stored`: the result of the block is stored as it is.
    fn block(&mut self, block: &mut Block, stored: bool) {
        let made = if stored { makers(block) } else { FxHashSet::default() };
        for mut stmt in std::mem::take(&mut block.stmts) {
            let stored = made.contains(&stmt.var);
            let (view, rules) = (self.is_view_of_scalars(&stmt, stored).then(|| stmt.clone()), self.applied.len());
            let numbers = self.mapped(&mut stmt);
            let counted = numbers.is_some();
            block.stmts.extend(numbers);
            let over_rows = self.over_rows(&mut stmt, &block.stmts);
            match view {
                Some(view) if counted && over_rows.is_none() => {
                    stmt = view;
                    block.stmts.pop();
                    self.applied.truncate(rules);
                }
                _ => {}
            }
            let is_if = matches!(&stmt.rhs, Rhs::If(..));
            // A `generate` whose elements are not computed for each reader is stored.
            let stored = stored || counted && !self.again.contains(&stmt.var);
            let stored = stored && (is_map(&stmt.rhs) || is_if) || self.stores_state(&stmt.rhs);
            self.inside(&mut stmt.rhs, stored);
            let changed = over_rows.is_some();
            block.stmts.extend(over_rows.unwrap_or_default());
            if changed && let Some(same) = self.same_elements(&stmt) {
                stmt.rhs = Rhs::Atom(same);
            }
            block.stmts.push(stmt);
        }
    }

    /// Converts what the blocks of a statement access by index.
    fn inside(&mut self, rhs: &mut Rhs, stored: bool) {
        let around = (self.depth, self.maps);
        self.maps |= if is_map(rhs) { bit(self.depth) } else { 0 };
        self.depth += usize::from(!matches!(rhs, Rhs::If(..)));
        rhs.blocks_mut().into_iter().for_each(|b| self.block(b, stored));
        (self.depth, self.maps) = around;
    }

    /// Whether a statement is a `generate` that stays a view: its elements are computed for each reader, from scalars or
    /// by views; or they are a few numbers from scalars; or it is stored, and nothing is computed.
    fn is_view_of_scalars(&self, stmt: &Stmt, stored: bool) -> bool {
        let Rhs::Prim(PrimCall { prim: Prim::Generate, funs, sizes, .. }) = &stmt.rhs else { return false };
        let all = |is_it: &dyn Fn(&Rhs) -> bool| funs.iter().all(|f| f.body.stmts.iter().all(|s| is_it(&s.rhs)));
        let again = self.again.contains(&stmt.var);
        let few = sizes.first().is_some_and(|n| n.as_const().is_some_and(|n| n < LONG));
        again && all(&is_free) || !stored && (again || few) && all(&is_of_scalars)
    }

    /// Whether each round of a loop stores an array, its next state.
    fn stores_state(&self, rhs: &Rhs) -> bool {
        let Rhs::Prim(call) = rhs else { return false };
        match (call.prim, call.args.first()) {
            (Prim::Iterate | Prim::IterateWhile, _) => true,
            (Prim::Reduce(_) | Prim::Scan(_) | Prim::ScanExcl(_), Some(Atom::Var(state))) => !is_flat(self.ty(*state)),
            _ => false,
        }
    }

    /// The array whose elements a map copies unchanged.
    fn same_elements(&self, stmt: &Stmt) -> Option<Atom> {
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
        let ([f], [xs]) = (funs.as_slice(), args.as_slice()) else { return None };
        let [x] = f.params.as_slice() else { return None };
        let mut result = &f.body.result;
        while let Atom::Var(v) = result
            && v != x
            && let Some(Rhs::Atom(a)) = f.body.stmts.iter().find(|s| s.var == *v).map(|s| &s.rhs)
        {
            result = a;
        }
        let regular = self.ty(stmt.var).as_array()?.position.is_none();
        (regular && *result == Atom::Var(*x)).then(|| xs.clone())
    }

    fn ty(&self, v: VarId) -> &Ty {
        &self.vars[v.0 as usize].ty
    }

    /// Converts a `generate` to a map; returns the statement that makes its numbers.
    fn mapped(&mut self, stmt: &mut Stmt) -> Option<Stmt> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Generate, .. }) = &mut stmt.rhs else { return None };
        let ([n], [f]) = (call.sizes.as_slice(), call.funs.as_slice()) else { return None };
        let number = *f.params.first()?;
        let (int, n) = (self.vars[number.0 as usize].ty.clone(), n.clone());
        let numbers = fresh(&mut self.vars, number, Ty::array(int, n.clone()));
        let iota = PrimCall { prim: Prim::Iota, sizes: vec![n], funs: Vec::new(), args: Vec::new() };
        let counted = Stmt { var: numbers, rhs: Rhs::Prim(iota), binds: Vec::new(), origin: stmt.origin.clone() };
        if let [f] = call.funs.as_mut_slice()
            && f.position.as_ref().is_some_and(|p| is_only_number(&self.vars, &f.body, p))
            && let Some(position) = f.position.take()
        {
            number_for(&mut f.body, &position, number);
        }
        call.prim = Prim::Map(Level::Auto);
        call.sizes = Vec::new();
        call.args = vec![Atom::Var(numbers)];
        self.applied.push(Applied { rule: &rules::GENERATE_MAP, origin: stmt.origin.clone() });
        Some(counted)
    }

    /// The sources of which a function takes elements or columns, each with the variable for its part. An element is loaded
    /// where the function begins, even if only a branch reads it.
    fn picked(&mut self, picks: &Picks) -> Vec<(Source, VarId)> {
        let mut picked: Vec<(Source, VarId)> = Vec::new();
        for source in &picks.sources {
            let xs = source.array();
            let Some(ArrayTy { element, len: rows, .. }) = self.ty(xs).as_array().cloned() else { continue };
            let element = match source {
                Source::Element(_) if element.as_array().is_some() || is_flat(&element) && self.may_load(picks, xs) => {
                    element
                }
                Source::Repeated(_) | Source::Cycled(_) if element.as_array().is_some() => element,
                Source::Element(_) | Source::Repeated(_) | Source::Cycled(_) => continue,
                Source::Column(_) => match element.as_array() {
                    Some(row) => Ty::array(row.element.clone(), rows),
                    None => continue,
                },
            };
            let part = fresh(&mut self.vars, xs, element);
            self.dependences.add(part, xs, self.depth);
            picked.push((*source, part));
        }
        picked
    }

    /// Whether each element of an array may be loaded, though not every element of the map reads one: other maps around
    /// read it, too.
    fn may_load(&self, picks: &Picks, xs: VarId) -> bool {
        picks.always.contains(&xs) || self.dependences.is_shared(xs, self.maps)
    }

    /// Whether a function of a number reads the number itself, or has a length that depends on it.
    fn reads_number(&self, f: &Lambda, number: VarId) -> bool {
        let unused = |s: &Stmt| {
            let of_position = f.position.as_ref().is_some_and(|p| stmt_mentions(&self.vars, s, p));
            !of_position && !uses::mentions(s, &|v| v == number)
        };
        f.body.result == Atom::Var(number)
            || matches!((&f.body.result, &f.position), (Atom::Size(s), Some(p)) if s.contains(p))
            || !f.body.stmts.iter().all(unused)
    }

    /// Gives a map over numbers the rows and columns that its function picks by them; returns the statements that make
    /// and zip these.
    fn over_rows(&mut self, stmt: &mut Stmt, before: &[Stmt]) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &mut stmt.rhs else { return None };
        let ([f], [Atom::Var(numbers)]) = (call.funs.as_mut_slice(), call.args.as_slice()) else { return None };
        let numbers = *numbers;
        let counts = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(c) if c.prim == Prim::Iota && !c.sizes.is_empty());
        before.iter().find(|s| s.var == numbers).filter(|s| counts(s))?;
        let len = self.ty(numbers).as_array()?.len.clone();
        let [number] = f.params.as_slice() else { return None };
        let number = *number;
        let iotas =
            before.iter().filter(|s| counts(s)).filter_map(|s| Some((s.var, self.ty(s.var).as_array()?.len.clone())));
        let iotas = iotas.collect();
        let mut found = picks(&self.vars, f, &len, &iotas);
        let mut without = f.clone();
        let mut made = take_views(&self.vars, &mut without);
        let of_views = picks(&self.vars, &without, &len, &iotas);
        if of_views.sources.len() > found.sources.len() {
            (*f, found) = (without, of_views);
        } else {
            made.clear();
        }
        let picks = found;
        let picked = self.picked(&picks);
        if picked.is_empty() {
            return (!made.is_empty()).then_some(made);
        }
        read_picked(&mut f.body, &picks, &picked);
        for (is_column, rule) in [(false, &rules::PICK_ROWS), (true, &rules::PICK_COLUMNS)] {
            if picked.iter().any(|(source, _)| matches!(source, Source::Column(_)) == is_column) {
                self.applied.push(Applied { rule, origin: stmt.origin.clone() });
            }
        }
        let counted = self.reads_number(f, number);
        let ragged = self.vars[stmt.var.0 as usize].ty.as_array().is_some_and(|a| a.position.is_some());
        if !counted && !ragged {
            f.position = None;
        }
        let origin = stmt.origin.clone();
        let at = |var, rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let of = |prim, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs: Vec::new(), args });
        let mut parts: Vec<(VarId, VarId)> = counted.then_some((numbers, number)).into_iter().collect();
        for (source, part) in picked {
            let xs = match source {
                Source::Element(xs) => xs,
                Source::Column(xs) => {
                    let ty = Ty::array(self.ty(part).clone(), len.clone());
                    let columns = fresh(&mut self.vars, xs, ty);
                    made.push(at(columns, of(Prim::Transpose, vec![Atom::Var(xs)])));
                    columns
                }
                Source::Repeated(_) | Source::Cycled(_) => self.copies(source, (part, &len), &origin, &mut made)?,
            };
            parts.push((xs, part));
        }
        if let [(xs, part)] = parts.as_slice() {
            (f.params, call.args) = (vec![*part], vec![Atom::Var(*xs)]);
            return Some(made);
        }
        let ty = Ty::new(TyKind::Tuple(parts.iter().map(|(_, x)| self.vars[x.0 as usize].ty.clone()).collect()));
        let zipped = fresh(&mut self.vars, numbers, Ty::array(ty.clone(), len));
        let element = fresh(&mut self.vars, number, ty);
        let taken = parts.iter().enumerate().map(|(k, (_, x))| at(*x, Rhs::Proj(Atom::Var(element), k)));
        f.body.stmts.splice(0..0, taken.collect::<Vec<_>>());
        (f.params, call.args) = (vec![element], vec![Atom::Var(zipped)]);
        made.push(at(zipped, of(Prim::Zip, parts.iter().map(|(xs, _)| Atom::Var(*xs)).collect())));
        Some(made)
    }
}

impl Writer<'_> {
    /// Adds a view with `len` rows, which repeats each row of an array (1 1 2 2) or the whole array (1 2 1 2); returns it.
    /// `part` is one of its rows.
    fn copies(
        &mut self,
        source: Source,
        (part, len): (VarId, &Size),
        origin: &Origin,
        out: &mut Vec<Stmt>,
    ) -> Option<VarId> {
        let xs = source.array();
        let (array, row) = (self.ty(xs).clone(), self.ty(part).clone());
        let of_xs = array.as_array()?.len.clone();
        let times = len.div_exact(&of_xs);
        let at = |var, rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let prim = |prim, sizes, funs, x| Rhs::Prim(PrimCall { prim, sizes, funs, args: vec![Atom::Var(x)] });
        let fill = |x| prim(Prim::Fill, vec![times.clone()], Vec::new(), x);
        let (ty, all) = match source {
            Source::Repeated(_) => {
                let copies = Ty::array(row.clone(), times.clone());
                let [x, same] = [row.clone(), copies.clone()].map(|ty| fresh(&mut self.vars, xs, ty));
                let body = Block { stmts: vec![at(same, fill(x))], result: Atom::Var(same) };
                let f = Lambda { position: None, params: vec![x], body, origin: origin.clone() };
                (Ty::array(copies, of_xs), prim(Prim::Map(Level::Auto), Vec::new(), vec![f], xs))
            }
            _ => (Ty::array(array, times.clone()), fill(xs)),
        };
        let filled = fresh(&mut self.vars, xs, ty);
        out.push(at(filled, all));
        let joined = fresh(&mut self.vars, xs, Ty::array(row, len.clone()));
        out.push(at(joined, prim(Prim::Join, Vec::new(), Vec::new(), filled)));
        Some(joined)
    }
}

/// Replaces reads at the number of a function by the parts of `picked`.
fn read_picked(body: &mut Block, picks: &Picks, picked: &[(Source, VarId)]) {
    let rows = row_reads(body);
    replace(body, &|s| {
        let source = picks.of(s)?;
        let (_, part) = picked.iter().find(|(known, _)| *known == source)?;
        Some(match source {
            Source::Element(_) | Source::Repeated(_) | Source::Cycled(_) => Rhs::Atom(Atom::Var(*part)),
            Source::Column(_) => {
                let mut read = rows.get(&picks.row(s)?)?.clone();
                *read.args.first_mut()? = Atom::Var(*part);
                Rhs::Prim(read)
            }
        })
    });
    let idle: FxHashSet<VarId> =
        rows.keys().copied().filter(|v| picks.is_row(*v) && !uses::in_block(body, *v)).collect();
    remove(body, &idle);
}

/// The calls of `aref` in a block and its functions, by their variables.
fn row_reads(block: &Block) -> FxHashMap<VarId, PrimCall> {
    let mut reads = FxHashMap::default();
    block.visit(&mut |s| {
        if let Rhs::Prim(call @ PrimCall { prim: Prim::Aref, .. }) = &s.rhs {
            reads.insert(s.var, call.clone());
        }
    });
    reads
}

/// The statements that make the result of a block, through views.
fn makers(block: &Block) -> FxHashSet<VarId> {
    let of = |a: &Atom| match a {
        Atom::Var(v) => Some(*v),
        _ => None,
    };
    let mut found: FxHashSet<VarId> = of(&block.result).into_iter().collect();
    for stmt in block
        .stmts
        .iter()
        .rev()
        .filter(|s| matches!(&s.rhs, Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Pack(..)) || is_view(&s.rhs))
    {
        if found.contains(&stmt.var) {
            found.extend(stmt.rhs.operands().iter().filter_map(of));
        }
    }
    found
}

fn is_view(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Prim(call) if call.prim.is_view())
}

/// Whether a statement computes a scalar from scalars.
fn is_of_scalars(rhs: &Rhs) -> bool {
    let all = |block: &Block| block.stmts.iter().all(|s| is_of_scalars(&s.rhs));
    match rhs {
        Rhs::Scalar(..) | Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::If(_, a, b) => all(a) && all(b),
        _ => false,
    }
}

/// Whether an index variable is used only as a number, so that no length depends on it.
fn is_only_number(vars: &[VarInfo], block: &Block, position: &Var) -> bool {
    let in_type = |v: VarId| vars[v.0 as usize].ty.mentions(position);
    let is_number = |a: &Atom| !uses::atom_mentions(a, position) || *a == Atom::Size(Size::var(position.clone()));
    let of_stmt = |s: &Stmt| {
        let sizes = match &s.rhs {
            Rhs::Pack(_, sizes) => !sizes.iter().any(|s| s.contains(position)),
            Rhs::Cast(_, checks) => !checks.iter().flat_map(LengthCheck::sizes).any(|s| s.contains(position)),
            Rhs::Prim(PrimCall { prim: Prim::Aref, sizes, .. }) => {
                sizes.iter().all(|s| is_number(&Atom::Size(s.clone())))
            }
            Rhs::Prim(call) => !call.sizes.iter().any(|s| s.contains(position)),
            _ => true,
        };
        let params = match &s.rhs {
            Rhs::Prim(call) => !call.funs.iter().flat_map(|f| &f.params).any(|v| in_type(*v)),
            _ => true,
        };
        let inside = s.rhs.blocks().into_iter().all(|b| is_only_number(vars, b, position));
        sizes && params && inside && !in_type(s.var) && s.rhs.operands().iter().all(is_number)
    };
    is_number(&block.result) && block.stmts.iter().all(of_stmt)
}

/// Replaces an index variable by the variable of its number.
fn number_for(block: &mut Block, position: &Var, number: VarId) {
    let is_it = |a: &Atom| *a == Atom::Size(Size::var(position.clone()));
    for stmt in &mut block.stmts {
        if let Rhs::Prim(call @ PrimCall { prim: Prim::Aref, .. }) = &mut stmt.rhs
            && call.sizes.as_slice() == [Size::var(position.clone())]
        {
            call.sizes.clear();
            call.args.push(Atom::Var(number));
        }
        stmt.rhs.operands_mut().iter_mut().filter(|a| is_it(a)).for_each(|a| *a = Atom::Var(number));
        stmt.rhs.blocks_mut().into_iter().for_each(|b| number_for(b, position, number));
    }
    if is_it(&block.result) {
        block.result = Atom::Var(number);
    }
}

/// Removes statements from a block and from the blocks in it.
fn remove(block: &mut Block, of: &FxHashSet<VarId>) {
    block.stmts.retain(|s| !of.contains(&s.var));
    block.stmts.iter_mut().flat_map(|s| s.rhs.blocks_mut()).for_each(|b| remove(b, of));
}

/// Replaces right-hand sides by others of the same values.
fn replace(block: &mut Block, by: &dyn Fn(&Stmt) -> Option<Rhs>) {
    for stmt in &mut block.stmts {
        match by(stmt) {
            Some(rhs) => stmt.rhs = rhs,
            None => stmt.rhs.blocks_mut().into_iter().for_each(|b| replace(b, by)),
        }
    }
}
