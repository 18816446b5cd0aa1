//! Distributes a map whose function contains different kinds of parallel work over several maps, one after the other,
//! so that each can run where it is fastest. Values that pass from one map to another are stored.
//!
//! `map (λx. b (a x)) = map b ∘ map a`. A nest of maps gets its own map. Consecutive statements that a group shares
//! form one map, together with the scalars and views that they need.
//!
//! | module | job |
//! |---|---|
//! | [`mod@components`] | several rows that a function returns |
//! | [`mod@in_step`] | maps of one row, composed |
//! | [`pieces`] | which of the maps computes each statement |

mod components;
mod in_step;
mod pieces;

use self::components::components;
use self::in_step::in_step;
use self::pieces::Pieces;
use super::free::is_brief;
use super::nest;
use super::nested::{Work, array_of, is_known, work_of};
use super::versions::{branch, choice, decided};
use super::{Applied, on_the_host, rules, tile_folds, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

pub fn distribute(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    let gpu = target.class == Class::Gpu;
    if gpu {
        super::copies::apart(&mut kernel, applied);
    }
    kernel = super::invariant::invariant(kernel, applied);
    kernel = super::repeated::once(kernel, applied);
    if target.class == Class::Portable {
        return kernel;
    }
    let mut body = kernel.body.clone();
    let mut lengths = Lengths::of(&kernel);
    rows_once(&kernel, &mut body);
    let mut writer = Writer { kernel: &mut kernel, lengths: &mut lengths, applied, busy: target.busy(), target };
    writer.host(&mut body);
    kernel.body = body;
    kernel.assumptions = lengths.assumptions;
    if gpu {
        super::copies::in_nests(&mut kernel, applied);
    }
    kernel
}

/// Gives each array component of a tuple one variable, so that several reads of it are recognised.
fn rows_once(kernel: &Kernel, block: &mut Block) {
    let mut same = FxHashMap::default();
    read_once(kernel, block, &FxHashMap::default(), &mut same);
    if !same.is_empty() {
        rename(block, &|v| *v = same.get(v).copied().unwrap_or(*v));
    }
}

/// Drops the reads that repeat one in scope: `known` has those before this block, and `same` gets the variables to read
/// instead.
fn read_once(
    kernel: &Kernel,
    block: &mut Block,
    known: &FxHashMap<(VarId, usize), VarId>,
    same: &mut FxHashMap<VarId, VarId>,
) {
    let mut known = known.clone();
    block.stmts.retain_mut(|stmt| {
        if let Rhs::Proj(Atom::Var(of), k) = &stmt.rhs
            && kernel.ty(stmt.var).as_array().is_some()
        {
            let of = same.get(of).copied().unwrap_or(*of);
            let first = *known.entry((of, *k)).or_insert(stmt.var);
            if first != stmt.var {
                same.insert(stmt.var, first);
            }
            return first == stmt.var;
        }
        stmt.rhs.blocks_mut().into_iter().for_each(|inner| read_once(kernel, inner, &known, same));
        true
    });
}

/// Splits a map into one map for each fold of rows, with the device synchronised between them; for few, long rows.
/// Results of maps over rows are computed where they are read. The folds are those of the innermost of `depth` maps,
/// each of which does nothing but the next one. `None` if the innermost function does anything else.
pub fn folds_apart(
    kernel: &mut Kernel,
    lengths: &mut Lengths,
    stmt: &Stmt,
    call: &PrimCall,
    depth: usize,
) -> Option<Vec<Stmt>> {
    let len = kernel.ty(stmt.var).as_array()?.len.clone();
    if depth <= 1 {
        let pieces = Pieces::of_folds(kernel, &call.funs[0].body)?;
        let mut writer = Writer { kernel, lengths, applied: &mut Vec::new(), busy: 0, target: &ANY };
        return Some(writer.split(stmt, call, &len, &pieces));
    }
    let mut call = call.clone();
    let at = nest::returned(&call.funs[0])?;
    let inner = call.funs[0].body.stmts[at].clone();
    let Rhs::Prim(next) = &inner.rhs else { return None };
    let made = folds_apart(kernel, lengths, &inner, next, depth - 1)?;
    call.funs[0].body.stmts.splice(at..=at, made);
    let pieces = Pieces::of(kernel, &call.funs[0].body)?;
    let mut writer = Writer { kernel, lengths, applied: &mut Vec::new(), busy: 0, target: &ANY };
    Some(writer.split(stmt, &call, &len, &pieces))
}

/// Splits a map into one map for each of these statements of its function, in order, and one for the result; other
/// statements are repeated by all that need them.
pub fn split_at(
    kernel: &mut Kernel,
    lengths: &mut Lengths,
    stmt: &Stmt,
    call: &PrimCall,
    at: &[VarId],
) -> Option<Vec<Stmt>> {
    let len = kernel.ty(stmt.var).as_array().filter(|a| a.position.is_none())?.len.clone();
    let mut writer = Writer { kernel, lengths, applied: &mut Vec::new(), busy: 0, target: &ANY };
    Some(writer.split(stmt, call, &len, &Pieces::each(at)))
}

/// Maximum bytes of a nest's result that is stored for one fold.
const MOST_STORED: i64 = 1 << 31;

/// The target for splits, whose result does not depend on it.
const ANY: Target = Target::gpu();

/// The bytes of an array of scalars, of tuples of them, or of equally long rows.
fn bytes_of_array(ty: &Ty) -> Option<Size> {
    let array = ty.as_array().filter(|a| a.position.is_none())?;
    let each = match array.element.as_array() {
        Some(_) => bytes_of_array(&array.element)?,
        None => Size::nat(super::kept::bytes_of(&array.element)?),
    };
    Some(array.len.mul(&each))
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    applied: &'a mut Vec<Applied>,
    /// Work-items that keep the device busy.
    busy: i64,
    target: &'a Target,
}

impl Writer<'_> {
    /// Distributes the maps at host level.
    fn host(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.host(a);
                    self.host(b);
                }
                Rhs::Prim(call) if on_the_host(self.kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.host(&mut f.body));
                }
                Rhs::Prim(_) => {
                    for made in self.maps(stmt) {
                        match self.of_few(&made) {
                            Some(versions) => block.stmts.extend(versions),
                            None => block.stmts.push(made),
                        }
                    }
                    continue;
                }
                _ => {}
            }
            block.stmts.push(stmt);
        }
    }

    /// The maps into which a map is split.
    fn maps(&mut self, mut stmt: Stmt) -> Vec<Stmt> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &mut stmt.rhs else { return vec![stmt] };
        let Some(len) = self.kernel.ty(stmt.var).as_array().filter(|a| a.position.is_none()).map(|a| a.len.clone())
        else {
            return vec![stmt];
        };
        if call.funs[0].position.is_some() || call.funs[0].params.len() != 1 {
            return vec![stmt];
        }
        let body = &mut call.funs[0].body;
        for s in std::mem::take(&mut body.stmts) {
            body.stmts.extend(self.maps(s));
        }
        composed(self.kernel, body);
        let gpu = self.target.class == Class::Gpu;
        if gpu && in_step(self.kernel, self.lengths, &mut call.funs[0]).is_some() {
            self.applied.push(Applied { rule: &rules::MAP_MAP, origin: stmt.origin.clone() });
        }
        let Rhs::Prim(call) = &stmt.rhs else { return vec![stmt] };
        let call = call.clone();
        if let Some(parts) = components(self.kernel, &call.funs[0].body).filter(|_| gpu) {
            self.applied.push(Applied { rule: &rules::MAP_COMPONENTS, origin: stmt.origin.clone() });
            return self.apart(&stmt, &call, &len, parts);
        }
        if let Some(pieces) = Pieces::of_loops(self.kernel, &call.funs[0].body).filter(|_| gpu) {
            self.applied.push(Applied { rule: &rules::MAP_LOOPS, origin: stmt.origin.clone() });
            let mut made = self.split(&stmt, &call, &len, &pieces);
            let rest = made.pop().map(|last| self.rest(last));
            made.extend(rest.into_iter().flatten());
            return made;
        }
        let Some(pieces) = Pieces::of(self.kernel, &call.funs[0].body) else {
            return gpu.then(|| self.view_of_maps(&stmt, &call, &len)).flatten().unwrap_or_else(|| vec![stmt]);
        };
        let made = self.split(&stmt, &call, &len, &pieces);
        // A core computes all of an element while what it needs is in the caches, unless other elements need it, too.
        if self.target.class == Class::Cpu && !made.iter().any(|s| is_product(self.kernel, s)) {
            return vec![stmt];
        }
        self.applied.push(Applied { rule: &rules::MAP_PARTS, origin: stmt.origin.clone() });
        made
    }

    /// The versions of a map in which each element folds the result of a nest: if there are too few elements for the
    /// device, the nest becomes a map of its own, provided that its result can be stored.
    fn of_few(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
        let f = call.funs.first().filter(|f| f.position.is_none() && f.params.len() == 1)?;
        if self.target.class != Class::Gpu {
            return None;
        }
        let len = self.kernel.ty(stmt.var).as_array().filter(|a| a.position.is_none())?.len.clone();
        let pieces = Pieces::of_nests(self.kernel, &f.body)?;
        let (mut bytes, mut rounds, mut made) = (Size::zero(), Size::zero(), Size::zero());
        for s in f.body.stmts.iter().filter(|s| work_of(self.kernel, s) == Work::Nest) {
            let row = self.kernel.ty(s.var);
            bytes = bytes.add(&len.mul(&bytes_of_array(row)?));
            rounds = Size::max(&rounds, &self.rounds_in(s));
            made = Size::max(&made, &row.as_array()?.len);
        }
        let mut stored = self.split(stmt, call, &len, &pieces);
        // A work-item does not keep a long row in registers, and reads it for each element that it makes.
        let target = self.target.written(&stmt.settings());
        let parameter = |parameter| Size::nat(target.get(parameter).into());
        let all = len.add(&Size::one());
        let enough = Size::int(self.busy);
        let long = Size::if_le(&parameter(Parameter::NestsRow), &rounds, &all, &enough);
        let most = Size::if_le(&parameter(Parameter::NestsMade), &made, &long, &enough);
        let (kernel, result) = (&*self.kernel, Atom::Var(stmt.var));
        let in_tiles =
            stored.iter().any(|s| tile_folds::recognise(kernel, &stored, &result, s, None, self.target).is_some());
        let few = match in_tiles {
            true => most,
            false => Size::if_le(&bytes, &Size::int(MOST_STORED), &most, &Size::zero()),
        };
        let known = decided(&len, &few);
        if known == Some(false) {
            return None;
        }
        self.applied.push(Applied { rule: &rules::MAP_PARTS, origin: stmt.origin.clone() });
        if known == Some(true) {
            return Some(stored);
        }
        let var = self.fresh(stmt.var, self.kernel.ty(stmt.var).clone());
        stored.last_mut()?.var = var;
        let stored = Block { stmts: stored, result: Atom::Var(var) };
        let otherwise = branch(&mut self.kernel.vars, stmt, stmt.rhs.clone());
        let mut made = choice(&mut self.kernel.vars, stmt, &len, &few, stored, otherwise);
        made.stmts.last_mut()?.var = stmt.var;
        Some(made.stmts)
    }

    /// The number of elements that each element of a nest folds; 0 if it folds nothing.
    fn rounds_in(&self, nest: &Stmt) -> Size {
        let mut most = Size::zero();
        for inner in nest.rhs.blocks() {
            inner.visit(&mut |s| {
                if let Rhs::Prim(PrimCall { prim: Prim::Reduce(_), args, .. }) = &s.rhs
                    && let Some(array) = self.kernel.atom_ty(&args[1]).as_array()
                    && array.position.is_none()
                    && is_known(&array.len)
                {
                    most = Size::max(&most, &array.len);
                }
            });
        }
        most
    }

    /// Splits a map whose function returns a view of the results of maps: into those, and one that copies the view.
    fn view_of_maps(&mut self, stmt: &Stmt, call: &PrimCall, len: &Size) -> Option<Vec<Stmt>> {
        let pieces = Pieces::of_maps(self.kernel, &call.funs[0])?;
        let mut made = self.split(stmt, call, len, &pieces);
        if let Some(Rhs::Prim(last)) = made.last_mut().map(|s| &mut s.rhs)
            && super::copies::element_by_element(self.kernel, &mut last.funs[0], &stmt.origin)
        {
            self.applied.push(Applied { rule: &rules::COPY_ROWS, origin: stmt.origin.clone() });
            return Some(made);
        }
        None
    }

    /// Splits the last of several maps. If it returns a view of rows, a work-item copies each element.
    fn rest(&mut self, last: Stmt) -> Vec<Stmt> {
        let mut made = self.maps(last);
        if let [Stmt { rhs: Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }), origin, .. }] =
            made.as_mut_slice()
            && super::copies::element_by_element(self.kernel, &mut call.funs[0], origin)
        {
            self.applied.push(Applied { rule: &rules::COPY_ROWS, origin: origin.clone() });
        }
        made
    }

    /// One map for each component of the returned tuple, and the zip of their results.
    fn apart(&mut self, stmt: &Stmt, call: &PrimCall, len: &Size, parts: Vec<Block>) -> Vec<Stmt> {
        let (mut out, mut all) = (Vec::new(), Vec::new());
        for body in parts {
            if body.stmts.is_empty() && call.funs[0].params.iter().any(|p| body.result == Atom::Var(*p)) {
                all.extend(call.args.first().cloned());
                continue;
            }
            let ty = array_of(&self.kernel.atom_ty(&body.result), len);
            let var = self.fresh(stmt.var, ty);
            let f = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&Lambda { body, ..call.funs[0].clone() });
            let rhs = Rhs::Prim(PrimCall { funs: vec![f], ..call.clone() });
            out.extend(self.maps(Stmt { var, rhs, ..stmt.clone() }));
            all.push(Atom::Var(var));
        }
        let zip = PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args: all };
        out.push(Stmt { rhs: Rhs::Prim(zip), ..stmt.clone() });
        out
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        let name = self.kernel.name_of(like).into();
        self.kernel.vars.push(VarInfo { name, ty });
        VarId(self.kernel.vars.len() as u32 - 1)
    }

    fn split(&mut self, stmt: &Stmt, call: &PrimCall, len: &Size, pieces: &Pieces) -> Vec<Stmt> {
        let (f, xs) = (&call.funs[0], &call.args[0]);
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
        // The array of all elements' values for each variable that passes from one map to a later one.
        let mut arrays: FxHashMap<VarId, Atom> = FxHashMap::from_iter([(f.params[0], xs.clone())]);
        let mut out = Vec::new();
        for piece in 0..pieces.count {
            let last = piece + 1 == pieces.count;
            let wanted: Vec<VarId> =
                if last { Vec::new() } else { pieces.handed_on(&self.kernel.vars, &f.body, piece) };
            let (stmts, mut reads) = pieces.statements(&self.kernel.vars, &f.body, piece, &wanted, last);
            reads.retain(|v| arrays.contains_key(v));
            // Some argument must determine the number of elements.
            if reads.is_empty() {
                reads.push(f.params[0]);
            }
            let mut body = Block { stmts, result: f.body.result.clone() };
            let result_ty = match wanted.as_slice() {
                _ if last => self.kernel.atom_ty(&f.body.result),
                [one] => {
                    body.result = Atom::Var(*one);
                    self.kernel.ty(*one).clone()
                }
                all => {
                    let ty = Ty::tuple(all.iter().map(|v| self.kernel.ty(*v).clone()).collect());
                    let tuple = self.fresh(stmt.var, ty.clone());
                    body.stmts.push(at(tuple, Rhs::Tuple(all.iter().map(|v| Atom::Var(*v)).collect())));
                    body.result = Atom::Var(tuple);
                    ty
                }
            };
            let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
            let (param, source) = match reads.as_slice() {
                [one] => (*one, arrays[one].clone()),
                all => {
                    let ty = Ty::tuple(all.iter().map(|v| self.kernel.ty(*v).clone()).collect());
                    let element = self.fresh(f.params[0], ty.clone());
                    let zipped = self.fresh(f.params[0], array_of(&ty, len));
                    let args = all.iter().map(|v| arrays[v].clone()).collect();
                    out.push(at(zipped, prim(Prim::Zip, Vec::new(), args)));
                    let parts = all.iter().enumerate().map(|(i, v)| at(*v, Rhs::Proj(Atom::Var(element), i)));
                    body.stmts.splice(0..0, parts);
                    (element, Atom::Var(zipped))
                }
            };
            let part = Lambda { position: None, params: vec![param], body, origin: f.origin.clone() };
            let part = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&part);
            let var = if last { stmt.var } else { self.fresh(wanted[0], array_of(&result_ty, len)) };
            out.push(at(var, prim(Prim::Map(Level::Auto), vec![part], vec![source])));
            match wanted.as_slice() {
                _ if last => {}
                [one] => {
                    arrays.insert(*one, Atom::Var(var));
                }
                all => {
                    let types: Vec<Ty> = all.iter().map(|v| array_of(self.kernel.ty(*v), len)).collect();
                    let unzipped = self.fresh(var, Ty::tuple(types.clone()));
                    out.push(at(unzipped, prim(Prim::Unzip, Vec::new(), vec![Atom::Var(var)])));
                    for (i, (v, ty)) in all.iter().zip(types).enumerate() {
                        let array = self.fresh(*v, ty);
                        out.push(at(array, Rhs::Proj(Atom::Var(unzipped), i)));
                        arrays.insert(*v, Atom::Var(array));
                    }
                }
            }
        }
        out
    }
}

/// Composes a map whose function has a loop with the map that alone reads its result.
///
/// `map f (map g xs) = map (f ∘ g) xs`
fn composed(kernel: &Kernel, body: &mut Block) {
    let mut at = 0;
    while at + 1 < body.stmts.len() {
        match composition(kernel, body, at) {
            Some((reader, call)) => {
                body.stmts[reader].rhs = Rhs::Prim(call);
                body.stmts.remove(at);
            }
            None => at += 1,
        }
    }
}

/// The index of the only map that reads the result of the one at `at`, and the composition of the two.
fn composition(kernel: &Kernel, body: &Block, at: usize) -> Option<(usize, PrimCall)> {
    let first = &body.stmts[at];
    let Rhs::Prim(made @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &first.rhs else { return None };
    if !matches!(work_of(kernel, first), Work::Together(_)) || made.funs[0].body.stmts.iter().all(is_brief) {
        return None;
    }
    let mut readers = (at + 1..body.stmts.len()).filter(|k| uses::mentions(&body.stmts[*k], &|v| v == first.var));
    let (Some(reader), None) = (readers.next(), readers.next()) else { return None };
    let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &body.stmts[reader].rhs else { return None };
    let ([g], [f]) = (made.funs.as_slice(), call.funs.as_slice()) else { return None };
    let [x] = f.params.as_slice() else { return None };
    let inside = f.body.stmts.iter().any(|s| uses::mentions(s, &|v| v == first.var));
    if inside || f.position.is_some() || g.position.is_some() || body.result == Atom::Var(first.var) {
        return None;
    }
    let given = Stmt { var: *x, binds: Vec::new(), rhs: Rhs::Atom(g.body.result.clone()), origin: f.origin.clone() };
    let stmts = g.body.stmts.iter().cloned().chain([given]).chain(f.body.stmts.iter().cloned()).collect();
    let both = Lambda { params: g.params.clone(), body: Block { stmts, result: f.body.result.clone() }, ..f.clone() };
    Some((reader, PrimCall { funs: vec![both], args: made.args.clone(), ..call.clone() }))
}

/// Whether in a map, or in each element of one, every row meets every column.
fn is_product(kernel: &Kernel, stmt: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &stmt.rhs else { return false };
    nest::recognise(kernel, &funs[0]).is_some_and(|nest| nest.matrix) || nest::batched(kernel, &funs[0]).is_some()
}
