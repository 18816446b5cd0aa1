//! Fusion: chooses the results of `map` that are never stored.
//!
//! An array that is read once is computed where it is read:
//! `reduceSeq f z ∘ map g = reduceSeq (λ(acc,x). f acc (g x)) z`, `map f ∘ map g = map (f∘g)`, `filter p ∘ map f`, and
//! so on through every view. A backward pass over each block finds how each variable is demanded. An array is stored if
//! it would be computed twice or by fewer work-items than possible, or if only some elements are read and computing the
//! others might fail.

use super::by_key::table_bytes;
use super::fails::may_fail;
use super::flat::is_flat;
use super::free::{are_brief, is_cheap, is_free, is_instant, picks_rows};
use super::kept::bytes_of;
use super::place::level_of;
use super::rules::{self, Rule};
use super::uses::Uses;
use super::{Applied, is_parallel};
use crate::core::scalar::is_transcendental;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Space, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Default)]
pub struct Fused {
    pub lazy: FxHashSet<VarId>,
    pub spaces: FxHashMap<VarId, Space>,
}

/// The number of times that the elements of an array are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Often {
    #[default]
    Never,
    Once,
    /// About twice; a cheap element is recomputed.
    Few,
    Many,
}

/// The demand of an array's readers.
#[derive(Debug, Clone, Copy, Default)]
struct Demand {
    often: Often,
    /// The number of host-level operators that read it, if each reads each element once; 0 if there are other readers.
    streams: u64,
    /// Only one work-item reads it, at the top of the kernel.
    by_one: bool,
    /// Whether some elements may not be read.
    partial: bool,
    /// Whether elements of rows are read out of order, so that each read would compute the whole row.
    scattered: bool,
    /// The rule that the reader would apply.
    rule: Option<&'static Rule>,
}

impl Demand {
    fn once() -> Demand {
        Demand { often: Often::Once, streams: 1, ..Demand::default() }
    }
    fn many() -> Demand {
        Demand { often: Often::Many, ..Demand::default() }
    }
    /// The same demand, of a reader that would apply a rule.
    fn by(self, rule: &'static Rule) -> Demand {
        Demand { rule: Some(rule), ..self }
    }
    /// Combines the demands of two readers.
    fn and(self, other: Demand) -> Demand {
        let often = match (self.often, other.often) {
            (Often::Never, o) | (o, Often::Never) => o,
            _ => Often::Many,
        };
        let streams = match (self.often, other.often) {
            (Often::Never, _) => other.streams,
            (_, Often::Never) => self.streams,
            _ if self.streams == 0 || other.streams == 0 => 0,
            _ => self.streams + other.streams,
        };
        Demand { often, streams, ..self.flags(other) }
    }
    /// Combines the demands of two alternatives, one of which is taken.
    fn or(self, other: Demand) -> Demand {
        Demand { often: self.often.max(other.often), ..self.flags(other) }
    }
    fn flags(self, other: Demand) -> Demand {
        Demand {
            often: self.often,
            streams: 0,
            by_one: self.by_one || other.by_one,
            partial: self.partial || other.partial,
            scattered: self.scattered || other.scattered,
            rule: self.rule.or(other.rule),
        }
    }
    fn at_least(mut self, often: Often) -> Demand {
        if self.often != Often::Never {
            if self.often < often {
                self.streams = 0;
            }
            self.often = self.often.max(often);
        }
        self
    }
}

/// Maximum transcendental functions of an element that is computed for each reader.
const MOST_SPECIAL: usize = 2;

type Demands = FxHashMap<VarId, Demand>;

/// `stored`: results of maps that are not fused with their readers. Without a `target`: for a GPU of which nothing is known.
pub fn fuse(
    kernel: &Kernel,
    target: Option<&Target>,
    uses: &FxHashMap<VarId, Uses>,
    stored: &FxHashSet<VarId>,
    sequential: bool,
    applied: &mut Vec<Applied>,
) -> Fused {
    let mut fuser = Fuser { kernel, target, uses, stored, applied, fused: Fused::default() };
    let mut demands = Demands::default();
    fuser.block(&kernel.body, Demand::once(), !sequential, &mut demands);
    fuser.fused
}

/// Whether a function is a view of its argument and computes nothing; then a `map` of it is a view, too.
fn is_pure_view(block: &Block) -> bool {
    block.stmts.iter().all(|s| match &s.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Map(_), funs, .. }) => is_pure_view(&funs[0].body),
        Rhs::Prim(call) => call.prim.is_view() && call.funs.iter().all(|f| is_cheap(&f.body)),
        Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        _ => false,
    })
}

/// Whether a function only gathers elements of stored arrays in a row of hidden length. Reading a stored copy would
/// take as long, and its rows would be padded to the longest.
fn gathers_rows(kernel: &Kernel, block: &Block) -> bool {
    let generates = |s: &Stmt| match &s.rhs {
        Rhs::Prim(call) => call.prim == Prim::Generate && call.funs.iter().all(|f| are_brief(&f.body.stmts)),
        _ => false,
    };
    let plain = |s: &Stmt| is_free(&s.rhs) || generates(s);
    matches!(kernel.atom_ty(&block.result).kind(), TyKind::Exists(..))
        && block.stmts.iter().all(plain)
        && block.stmts.iter().any(generates)
}

struct Fuser<'a> {
    kernel: &'a Kernel,
    target: Option<&'a Target>,
    uses: &'a FxHashMap<VarId, Uses>,
    stored: &'a FxHashSet<VarId>,
    applied: &'a mut Vec<Applied>,
    fused: Fused,
}

impl Fuser<'_> {
    /// Whether the target is a GPU, where memory traffic dominates.
    fn gpu(&self) -> bool {
        self.target.is_none_or(|t| t.class == Class::Gpu)
    }

    /// Whether groups have whole tables in local memory, so that each element is read once.
    fn in_one_turn(&self, call: &PrimCall) -> bool {
        let Some(target) = self.target else { return false };
        let keys = call.sizes.first().and_then(Size::as_const).and_then(|n| u64::try_from(n).ok());
        let value = call.args.first().and_then(|z| bytes_of(&self.kernel.atom_ty(z)));
        let copies = u64::from(target.get(Parameter::KeyCopies));
        let all = keys.zip(value).and_then(|(n, bytes)| n.checked_mul(bytes)?.checked_mul(copies));
        all.is_some_and(|bytes| bytes <= table_bytes(target))
    }

    fn add(&self, demands: &mut Demands, a: &Atom, d: Demand) {
        if let Atom::Var(v) = a {
            let known = demands.get(v).copied().unwrap_or_default();
            demands.insert(*v, known.and(d));
        }
    }

    /// Walks a block backwards. `host`: the block is at the top of a program with parallel parts.
    fn block(&mut self, block: &Block, result: Demand, host: bool, demands: &mut Demands) {
        self.add(demands, &block.result, result);
        for stmt in block.stmts.iter().rev() {
            let d = demands.get(&stmt.var).copied().unwrap_or_default();
            self.stmt(stmt, d, host, demands);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, d: Demand, host: bool, demands: &mut Demands) {
        match &stmt.rhs {
            Rhs::Atom(a) | Rhs::Pack(a, _) | Rhs::Unpack(a) | Rhs::Cast(a, _) => {
                if let (Some(space), Atom::Var(v)) = (self.fused.spaces.get(&stmt.var).copied(), a) {
                    self.fused.spaces.insert(*v, space);
                }
                self.add(demands, a, d);
            }
            Rhs::Store(space, a) => {
                if let Atom::Var(v) = a {
                    self.fused.spaces.insert(*v, *space);
                }
                self.add(demands, a, Demand { often: Often::Once, ..Demand::default() });
            }
            Rhs::Tuple(all) => all.iter().for_each(|a| self.add(demands, a, d)),
            Rhs::Proj(a, _) => self.add(demands, a, d),
            Rhs::Scalar(_, args) => args.iter().for_each(|a| self.add(demands, a, Demand::once())),
            Rhs::If(c, a, b) => {
                self.add(demands, c, Demand::once());
                let (mut left, mut right) = (Demands::default(), Demands::default());
                // An array that results from an `if` is stored.
                let result = Demand { often: Often::Once, ..Demand::default() };
                self.block(a, result, host, &mut left);
                self.block(b, result, host, &mut right);
                // A value that only one branch reads may not be read at all.
                let in_one = |d: Demand| Demand { partial: true, ..d };
                for (v, d) in left {
                    let both = right.remove(&v).map_or(in_one(d), |other| d.or(other));
                    self.add(demands, &Atom::Var(v), both);
                }
                for (v, d) in right {
                    self.add(demands, &Atom::Var(v), in_one(d));
                }
            }
            Rhs::Prim(call) => self.prim(stmt, call, d, host, demands),
        }
    }

    /// Walks a function whose body runs once for each element, and returns the demands on its parameters. Variables
    /// from outside are read many times.
    fn function(&mut self, f: &Lambda, result: Demand, demands: &mut Demands) -> Vec<Demand> {
        let mut inner = Demands::default();
        self.block(&f.body, result, false, &mut inner);
        let params = f.params.iter().map(|p| inner.remove(p).unwrap_or_default()).collect();
        for (v, d) in inner {
            self.add(demands, &Atom::Var(v), d.at_least(Often::Many));
        }
        params
    }

    /// The demand on an array whose elements a function takes.
    fn elementwise(&self, array: &Atom, param: Demand, mut d: Demand) -> Demand {
        let flat = self.kernel.atom_ty(array).as_array().is_some_and(|a| is_flat(&a.element));
        if !flat {
            // The function's demand on its parameter is the demand on parts of the element.
            d.often = d.often.max(param.often);
            d.streams = 0;
            d.scattered |= param.scattered;
            d.partial |= param.partial;
        }
        d
    }

    fn prim(&mut self, stmt: &Stmt, call: &PrimCall, d: Demand, host: bool, demands: &mut Demands) {
        let by_one = host && !matches!(level_of(call.prim), Some(l) if is_parallel(l));
        let args = &call.args;
        let once = Demand { by_one, ..Demand::once() };
        match call.prim {
            Prim::Map(level) if level != Level::Host => {
                let lazy = self.may_fuse(stmt, &call.funs[0], level, d, host);
                self.map(stmt, call, once, lazy.then_some(d), demands);
            }
            Prim::Generate => {
                // A view, but stored if its function is expensive and it is read often.
                let lazy = d.often <= Often::Once || is_cheap(&call.funs[0].body);
                if lazy {
                    self.fused.lazy.insert(stmt.var);
                }
                self.function(&call.funs[0], if lazy { d } else { once }, demands);
                args.iter().for_each(|a| self.add(demands, a, Demand::once()));
            }
            Prim::Reduce(_) | Prim::ReduceWhileSeq | Prim::Scan(_) | Prim::ScanExcl(_)
                if level_of(call.prim) != Some(Level::Host) =>
            {
                self.fold(call, once, demands);
            }
            Prim::ReduceByKey(_) => {
                self.function(&call.funs[0], once, demands);
                self.add(demands, &args[0], once.at_least(Often::Few));
                // Read once for each part of the table that groups share.
                let turns = if self.in_one_turn(call) { Often::Once } else { Often::Few };
                for xs in &args[1..] {
                    self.add(demands, xs, once.by(&rules::BY_KEY_MAP).at_least(turns));
                }
            }
            Prim::Filter(level) => self.filter(call, level, once, demands),
            Prim::Length => self.add(demands, &args[0], Demand::default()),
            Prim::Gather => {
                self.function(&call.funs[0], Demand::once(), demands);
                self.add(demands, &args[0], Demand { partial: true, scattered: true, ..d });
            }
            Prim::Slide => self.add(demands, &args[0], Demand { partial: true, ..Demand::many() }),
            Prim::Pad(_) => self.add(demands, &args[0], d),
            Prim::PadConstant => {
                self.add(demands, &args[0], Demand::many());
                self.add(demands, &args[1], d);
            }
            Prim::Fill => {
                for a in args {
                    self.add(demands, a, Demand::many());
                }
            }
            Prim::Take | Prim::Drop | Prim::Slice | Prim::Stride | Prim::Tail => {
                self.add(demands, &args[0], Demand { partial: true, ..d });
            }
            Prim::Head | Prim::Last | Prim::Aref => {
                let one = Demand { often: Often::Once, partial: true, by_one: d.by_one, ..Demand::default() };
                let element_is_flat = self.kernel.atom_ty(&args[0]).as_array().is_some_and(|a| is_flat(&a.element));
                self.add(demands, &args[0], if element_is_flat { one } else { Demand::many() });
                args.iter().skip(1).for_each(|a| self.add(demands, a, Demand::once()));
            }
            Prim::Transpose | Prim::Join | Prim::AsScalar => {
                self.add(demands, &args[0], Demand { scattered: true, ..d });
            }
            Prim::Zip => self.zip(args, d, demands),
            prim if prim.is_view() => {
                for f in &call.funs {
                    self.function(f, Demand::once(), demands);
                }
                args.iter().for_each(|a| self.add(demands, a, d));
            }
            _ => {
                // All others may read in any order.
                for f in &call.funs {
                    self.function(f, Demand::many(), demands);
                }
                args.iter().for_each(|a| self.add(demands, a, Demand { partial: true, ..Demand::many() }));
            }
        }
    }

    /// The demands of a map that reads each element `once`. `fused` is the demand for its result, if its readers compute it.
    fn map(&mut self, stmt: &Stmt, call: &PrimCall, once: Demand, fused: Option<Demand>, demands: &mut Demands) {
        let result = fused.unwrap_or(Demand { often: Often::Once, ..Demand::default() });
        let param = self.function(&call.funs[0], result, demands);
        if let Some(d) = fused {
            self.fused.lazy.insert(stmt.var);
            if let Some(rule) = d.rule {
                self.applied.push(Applied { rule, origin: stmt.origin.clone() });
            }
        }
        let on_array = fused.unwrap_or(once).by(&rules::MAP_MAP);
        let on_array = self.elementwise(&call.args[0], param[0], on_array);
        self.add(demands, &call.args[0], on_array);
    }

    /// The demands of a fold or a scan that reads each element `once`.
    fn fold(&mut self, call: &PrimCall, once: Demand, demands: &mut Demands) {
        let rule = match call.prim {
            Prim::Reduce(_) => &rules::REDUCE_MAP,
            Prim::ReduceWhileSeq => &rules::REDUCE_WHILE_MAP,
            _ => &rules::SCAN_MAP,
        };
        let mut params = Vec::new();
        for f in &call.funs {
            params = self.function(f, once, demands);
        }
        self.add(demands, &call.args[0], once.at_least(Often::Few));
        let element = params.get(1).copied().unwrap_or_default();
        let mut on_array = self.elementwise(&call.args[1], element, once.by(rule));
        if let Prim::Scan(Level::Glb(_) | Level::Auto) | Prim::ScanExcl(Level::Glb(_) | Level::Auto) = call.prim {
            on_array = on_array.at_least(Often::Few);
        }
        on_array.partial |= call.prim == Prim::ReduceWhileSeq;
        self.add(demands, &call.args[1], on_array);
    }

    fn filter(&mut self, call: &PrimCall, level: Level, once: Demand, demands: &mut Demands) {
        let xs = &call.args[0];
        let param = self.function(&call.funs[0], once, demands);
        if let Some(f) = call.funs.get(1) {
            self.function(f, Demand::once(), demands);
        }
        let mut on_array = self.elementwise(xs, param[0], once.by(&rules::FILTER_MAP));
        let flat = self.kernel.atom_ty(xs).as_array().is_some_and(|a| is_flat(&a.element));
        if !flat {
            on_array = Demand::many();
        } else if is_parallel(level) || level == Level::Auto {
            on_array = on_array.at_least(Often::Few);
        }
        self.add(demands, xs, on_array);
    }

    fn zip(&mut self, args: &[Atom], d: Demand, demands: &mut Demands) {
        for (at, a) in args.iter().enumerate() {
            // The elements of an array that is zipped with itself are read in pairs.
            let again = args.iter().filter(|b| *b == a).count() > 1;
            if !args[..at].contains(a) {
                self.add(demands, a, if again { d.at_least(Often::Few) } else { d });
            }
        }
    }

    /// Whether computing the elements for each reader moves fewer bytes than storing the array, and takes few
    /// instructions.
    fn is_faster_again(&self, f: &Lambda, readers: u64) -> bool {
        let bytes = |ty: &Ty| super::kept::bytes_of(ty).filter(|_| is_flat(ty));
        let is_plain = |s: &Stmt| matches!(s.rhs, Rhs::Scalar(..) | Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..));
        let special = |s: &&Stmt| matches!(&s.rhs, Rhs::Scalar(op, _) if is_transcendental(*op));
        let (Some(param), true) = (f.params.first().filter(|_| f.params.len() == 1), readers > 0) else { return false };
        let (Some(read), Some(made)) = (bytes(self.kernel.ty(*param)), bytes(&self.kernel.atom_ty(&f.body.result)))
        else {
            return false;
        };
        let stmts = &f.body.stmts;
        stmts.iter().all(is_plain)
            && are_brief(stmts)
            && stmts.iter().filter(special).count() <= MOST_SPECIAL
            && readers * read < read + made + readers * made
    }

    fn may_fuse(&self, stmt: &Stmt, f: &Lambda, level: Level, d: Demand, host: bool) -> bool {
        let used = self.uses.get(&stmt.var).is_some_and(|u| u.count > 0);
        if !used || self.fused.spaces.contains_key(&stmt.var) {
            return false;
        }
        if is_pure_view(&f.body) || gathers_rows(self.kernel, &f.body) {
            return true;
        }
        let body_runs_in_parallel = super::place::block_levels(&f.body).iter().any(|l| is_parallel(*l));
        let often = match d.often {
            Often::Never | Often::Once => true,
            Often::Few => is_cheap(&f.body),
            // In a work-item, storing and loading an element takes longer than an instruction or two.
            Often::Many if level == Level::Seq && !host => is_instant(&f.body),
            Often::Many => self.gpu() && host && self.is_faster_again(f, d.streams),
        };
        let apart = body_runs_in_parallel || self.stored.contains(&stmt.var) || (d.by_one && is_parallel(level));
        let fails = may_fail(&self.kernel.vars, &f.body);
        // A row without elements is never read, so its check is lost, unless a function makes it (`check_unread`).
        let picks = picks_rows(self.kernel, f) && !(host && fails);
        let lost = (d.partial && fails) || (d.scattered && !picks && !gives_views(self.kernel, &f.body));
        often && !apart && !lost
    }
}

/// Whether the result of a block is a scalar, or an array that no statement of the block has to compute as a whole.
fn gives_views(kernel: &Kernel, block: &Block) -> bool {
    let flat = match &block.result {
        Atom::Var(v) => is_flat(kernel.ty(*v)),
        _ => true,
    };
    flat || block.stmts.iter().all(|s| match &s.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }) => true,
        rhs => is_free(rhs),
    })
}
