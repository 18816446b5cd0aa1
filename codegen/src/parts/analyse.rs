//! The analysis of statements, in order.

use super::free::{free_of, used_by};
use super::known::{Known, Need, is_hidden, refusal, refusal_in_order};
use super::maker::Made;
use super::roots;
use super::{Held, Input, KernelId, Output, Parts, Range, Refusal, Step, Told, ValueId, Yields};
use crate::core::{Atom, Block, Kernel, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Size, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

pub type Result<T> = std::result::Result<T, Refusal>;

/// Divides a kernel into parts; an error says why it cannot be.
pub fn parts(kernel: &Kernel) -> Result<Parts> {
    let mut analysis = Analysis {
        known: Known::new(kernel),
        kernels: Vec::new(),
        values: Vec::new(),
        steps: Vec::new(),
        told: Vec::new(),
        checks: Vec::new(),
        begun: FxHashSet::default(),
    };
    let inputs = kernel.params.iter().map(|p| analysis.input(*p)).collect();
    let is_param = |a: &Assumption| a.vars().iter().all(|v| v.kind == VarKind::Param);
    analysis.checks = kernel.assumptions.iter().filter(|(a, _)| is_param(a)).cloned().collect();
    analysis.count(&kernel.body);
    analysis.block(&kernel.body)?;
    let result = analysis.output(&kernel.body.result)?;
    let Analysis { kernels, values, steps, told, checks, .. } = analysis;
    Ok(Parts {
        kernel: kernel.name.clone(),
        sizes: kernel.sizes.clone(),
        inputs,
        result_ty: kernel.result.clone(),
        checks,
        kernels,
        values,
        steps,
        result,
        told,
    })
}

pub struct Analysis {
    pub known: Known,
    kernels: Vec<Kernel>,
    values: Vec<Held>,
    pub steps: Vec<Step>,
    told: Vec<Told>,
    checks: Vec<(Assumption, Origin)>,
    /// Values whose blocks are being made.
    begun: FxHashSet<VarId>,
}

const EACH: &str = "each block";
/// A name that no program can use.
pub const PARTIALS: &str = "(partials)";
pub const WHOLE: &str = "whole, by one worker";

impl Analysis {
    pub fn input(&mut self, p: VarId) -> Input {
        let (name, ty) = (self.known.vars[p.0 as usize].name.clone(), self.known.ty(p).clone());
        let spread = self.can_be_cut(p);
        let value = self.value(&name, ty.clone(), spread);
        if spread {
            self.known.spread.insert(p);
            self.known.blocks.insert(p, value);
        } else {
            self.known.wholes.insert(p, value);
        }
        Input { name, ty, value }
    }

    /// Whether all elements of an array have the same type, so that it can be divided into blocks.
    pub fn can_be_cut(&self, v: VarId) -> bool {
        self.known.array(v).is_some_and(|a| a.position.is_none())
    }

    pub fn value(&mut self, name: &str, ty: Ty, spread: bool) -> ValueId {
        self.values.push(Held { name: name.into(), ty, spread });
        ValueId(self.values.len() as u32 - 1)
    }

    /// A value for a variable of the kernel.
    pub fn value_of(&mut self, v: VarId, spread: bool) -> ValueId {
        let (name, ty) = (self.known.vars[v.0 as usize].name.clone(), self.known.ty(v).clone());
        self.value(&name, ty, spread)
    }

    pub fn kernel(&mut self, made: &Made) -> KernelId {
        let mut kernel = made.kernel.clone();
        let name = format!("{}-{}", self.known.kernel.name, kernel.name);
        let taken = self.kernels.iter().filter(|k| *k.name == *name || k.name.starts_with(&format!("{name}-"))).count();
        kernel.name = if taken == 0 { name.as_str().into() } else { format!("{name}-{}", taken + 1).into() };
        self.kernels.push(kernel);
        KernelId(self.kernels.len() as u32 - 1)
    }

    pub fn tell(&mut self, what: &str, how: &str, notice: bool, origin: &Origin) {
        let told = Told { what: what.into(), how: how.into(), notice, origin: origin.clone() };
        if !self.told.contains(&told) {
            self.told.push(told);
        }
    }

    pub fn count(&mut self, block: &Block) {
        for stmt in &block.stmts {
            for v in used_by(stmt) {
                *self.known.uses.entry(v).or_default() += 1;
            }
        }
    }

    pub fn block(&mut self, block: &Block) -> Result<()> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    // --- what there is

    /// Runs `make` until it succeeds, adding steps for missing values.
    pub fn make(
        &mut self,
        origin: &Origin,
        over: &Size,
        make: &dyn Fn(&Known, &Range) -> std::result::Result<Made, Need>,
    ) -> Result<(Made, Size)> {
        let mut range = Range::elements();
        // Each iteration supplies something missing; a kernel needs at most this many.
        for _ in 0..=2 * self.known.vars.len() {
            match make(&self.known, &range) {
                Ok(made) => return Ok((made, range.scale)),
                Err(Need::Unit(size, rows)) => {
                    let unit = range.scale.mul(&size);
                    if self.known.facts.divides(&unit, over).is_yes() {
                        range.scale = unit;
                    } else {
                        self.blocks(rows, origin)?;
                    }
                }
                Err(Need::Blocks(v)) => {
                    self.blocks(v, origin)?;
                }
                Err(Need::Whole(v)) => {
                    self.whole(v, origin)?;
                }
                Err(Need::Length(v)) => self.measure(&v, origin)?,
                Err(Need::Refused(refusal)) => return Err(refusal),
            }
        }
        Err(refusal("internal error of the compiler: blocks of this have no kernel".into(), "report it", origin))
    }

    /// Adds a step that makes a skolem a number.
    pub fn measure(&mut self, size: &lift_analysis::size::Var, origin: &Origin) -> Result<()> {
        let Some(array) = self.known.opened.get(size).copied() else {
            let message = format!("the length `{size}` is used where its array is not known");
            return Err(refusal(message, "use the length of an array that has a name", origin));
        };
        let root = self.known.root(array);
        let of = match self.known.is_spread(array) {
            true => self.blocks(root, origin)?,
            false => self.whole(root, origin)?,
        };
        self.steps.push(Step::Length { of, size: size.clone() });
        self.known.measured.insert(size.clone());
        Ok(())
    }

    /// Adds a step for each block of an array of length `over`.
    pub fn each(&mut self, made: (Made, Size), over: &Size, name: &str, ty: Ty, origin: &Origin) -> Result<ValueId> {
        let (made, unit) = made;
        let like = self.like(over);
        let aligned = like.is_some() || (!made.reads.is_empty() && made.reads.iter().all(|r| r.range.is_aligned()));
        for v in over.vars() {
            if !aligned && v.kind == VarKind::Skolem && !self.known.measured.contains(&v) {
                self.measure(&v, origin)?;
            }
        }
        let kernel = self.kernel(&made);
        let yields = match ty.kind() {
            TyKind::Exists(..) => Yields::Some,
            _ if name == PARTIALS => Yields::One,
            _ => Yields::Elements,
        };
        let out = self.value(name, ty, true);
        self.steps.push(Step::Each(made.each(kernel, over.div_exact(&unit), like, yields, out)));
        Ok(out)
    }

    /// The blocks of a spread array.
    pub fn blocks(&mut self, v: VarId, origin: &Origin) -> Result<ValueId> {
        let v = self.known.root(v);
        if let Some(value) = self.known.blocks.get(&v) {
            return Ok(*value);
        }
        let at = self.known.defs.get(&v).map_or_else(|| origin.clone(), |stmt| stmt.origin.clone());
        if !self.begun.insert(v) {
            let message = "internal error of the compiler: blocks of this need themselves".into();
            return Err(refusal(message, "report it", &at));
        }
        let made = self.make(&at, &self.known.len(v), &|known, range| roots::elements(known, v, range))?;
        let (name, ty, len) = (self.known.name(v).to_owned(), self.known.ty(v).clone(), self.known.len(v));
        let out = self.each(made, &len, &name, ty, &at)?;
        self.begun.remove(&v);
        self.known.blocks.insert(v, out);
        Ok(out)
    }

    /// The blocks that an array of this length is divided like, if the length is known only at run time.
    pub fn like(&self, len: &Size) -> Option<ValueId> {
        let array = self.known.opened.get(len.as_var()?)?;
        self.known.blocks.get(&self.known.root(*array)).copied()
    }

    /// A value as a whole.
    pub fn whole(&mut self, v: VarId, origin: &Origin) -> Result<ValueId> {
        let v = self.known.root(v);
        if let Some(value) = self.known.wholes.get(&v) {
            return Ok(*value);
        }
        let (name, ty) = (self.known.name(v).to_owned(), self.known.ty(v).clone());
        let out = if self.known.spread.contains(&v) {
            let of = self.blocks(v, origin)?;
            let out = self.value(&name, ty, false);
            self.steps.push(Step::Gather { of, out });
            out
        } else {
            let (made, _) = self.make(origin, &Size::zero(), &|known, _| roots::whole(known, v))?;
            self.whole_step(&made, &name, ty)
        };
        self.known.wholes.insert(v, out);
        Ok(out)
    }

    pub fn whole_step(&mut self, made: &Made, name: &str, ty: Ty) -> ValueId {
        let kernel = self.kernel(made);
        let out = self.value(name, ty, false);
        self.steps.push(Step::Whole { kernel, inputs: made.wholes.clone(), sizes: made.sizes.clone(), out });
        out
    }

    pub fn output(&mut self, result: &Atom) -> Result<Output> {
        let origin = self.known.kernel.body.stmts.last().map(|stmt| stmt.origin.clone());
        let Atom::Var(v) = result else {
            let made = match roots::atom(&self.known, result) {
                Ok(made) => made,
                Err(Need::Length(size)) => {
                    if let Some(origin) = &origin {
                        self.measure(&size, origin)?;
                    }
                    return self.output(result);
                }
                Err(_) => {
                    let message = "the result is not a value that can be computed in parts".into();
                    return Err(Refusal { message, advice: String::new(), origin });
                }
            };
            let ty = self.known.atom_ty(result);
            return Ok(Output::Value(self.whole_step(&made, "result", ty)));
        };
        let root = self.known.root(*v);
        if let Some(parts) = self.known.tuples.get(&root).cloned() {
            return Ok(Output::Tuple(parts.iter().map(|part| self.output(part)).collect::<Result<_>>()?));
        }
        if let Some(value) = self.known.blocks.get(&root).or(self.known.wholes.get(&root)) {
            return Ok(Output::Value(*value));
        }
        let Some(origin) = origin else {
            return Err(Refusal { message: "the result is not known".into(), advice: String::new(), origin });
        };
        let value = if self.known.is_spread(root) { self.blocks(root, &origin)? } else { self.whole(root, &origin)? };
        Ok(Output::Value(value))
    }

    // --- statements

    pub fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        let var = stmt.var;
        match &stmt.rhs {
            Rhs::Atom(Atom::Var(of)) | Rhs::Store(_, Atom::Var(of)) => self.alias(var, *of),
            Rhs::Pack(Atom::Var(of), _) if self.is_parted(*of) => self.alias(var, *of),
            Rhs::Unpack(Atom::Var(of)) => {
                for length in &stmt.binds {
                    if self.known.len(var).as_var() == Some(length) {
                        self.known.opened.insert(length.clone(), var);
                    }
                }
                self.alias(var, *of);
            }
            Rhs::Tuple(parts) if parts.iter().any(|p| matches!(p, Atom::Var(v) if self.is_parted(*v))) => {
                self.known.tuples.insert(var, parts.clone());
            }
            Rhs::Proj(Atom::Var(of), i) if self.known.tuples.contains_key(&self.known.root(*of)) => {
                match self.known.tuples.get(&self.known.root(*of)).and_then(|parts| parts.get(*i)).cloned() {
                    Some(Atom::Var(part)) => self.alias(var, part),
                    Some(part) => self.define(Stmt { rhs: Rhs::Atom(part), ..stmt.clone() }),
                    None => self.define(stmt.clone()),
                }
            }
            Rhs::Cast(of, checks) => {
                let assumptions = checks.iter().map(|check| check.assumption());
                let (ready, open): (Vec<_>, Vec<_>) =
                    assumptions.partition(|a| a.vars().iter().all(|v| v.kind == VarKind::Param));
                if !open.is_empty() {
                    let lengths = open[0].to_string();
                    let message = format!("the program checks `{lengths}` during the run");
                    return Err(refusal(
                        message,
                        "write the program so that the lengths are equal by their types",
                        &stmt.origin,
                    ));
                }
                self.checks.extend(ready.into_iter().map(|a| (a, stmt.origin.clone())));
                match of {
                    Atom::Var(of) => self.alias(var, *of),
                    _ => self.define(Stmt { rhs: Rhs::Atom(of.clone()), ..stmt.clone() }),
                }
            }
            Rhs::Prim(call) => self.call(stmt, call)?,
            _ => self.whole_by_one(stmt, WHOLE),
        }
        Ok(())
    }

    /// Whether a value is spread, or has a component that is.
    pub fn is_parted(&self, v: VarId) -> bool {
        self.known.is_spread(v) || self.known.tuples.contains_key(&self.known.root(v))
    }

    pub fn alias(&mut self, var: VarId, of: VarId) {
        let uses = self.known.uses.get(&var).copied().unwrap_or_default();
        let root = self.known.root(of);
        // It takes over the other variable's uses, except this one.
        let all = self.known.uses.entry(root).or_default();
        *all = (*all + uses).saturating_sub(1);
        self.known.same.insert(var, root);
    }

    pub fn define(&mut self, stmt: Stmt) {
        self.known.defs.insert(stmt.var, stmt);
    }

    /// Adds a step for a statement that is not spread, with a notice if it needs spread arrays as a whole.
    pub fn whole_by_one(&mut self, stmt: &Stmt, how: &str) {
        let taken: Vec<VarId> = used_by(stmt).into_iter().filter(|v| self.is_parted(*v)).collect();
        if !taken.is_empty() {
            let what = match &stmt.rhs {
                Rhs::Prim(call) => call.prim.label(),
                Rhs::If(..) => "if",
                _ => "value",
            };
            self.tell(what, how, true, &stmt.origin);
        }
        self.define(stmt.clone());
    }

    pub fn local(&mut self, stmt: &Stmt, call: &PrimCall, how: &str) {
        self.captured(call);
        self.tell(call.prim.label(), how, false, &stmt.origin);
        self.known.spread.insert(stmt.var);
        self.define(stmt.clone());
    }

    /// Adds notices for spread arrays that functions use from outside.
    pub fn captured(&mut self, call: &PrimCall) {
        for f in &call.funs {
            let mut found = Vec::new();
            free_of(f, &mut FxHashSet::default(), &mut found);
            found.retain(|v| self.known.is_spread(*v));
            for v in found {
                let how = format!("`{}` goes whole to every block", self.known.name(v));
                self.tell(call.prim.label(), &how, true, &f.origin);
            }
        }
    }

    pub fn call(&mut self, stmt: &Stmt, call: &PrimCall) -> Result<()> {
        let var = stmt.var;
        let spread: Vec<VarId> = call
            .args
            .iter()
            .filter_map(|a| match a {
                Atom::Var(v) if self.known.is_spread(*v) => Some(*v),
                _ => None,
            })
            .collect();
        let is_made = matches!(call.prim, Prim::Iota | Prim::Generate | Prim::Fill) && call.sizes.len() == 1;
        if is_made && self.can_be_cut(var) && self.known.len(var).as_const().is_none() {
            self.local(stmt, call, EACH);
            return Ok(());
        }
        let Some(first) = spread.first().copied() else {
            if matches!(call.prim, Prim::Iterate)
                && call.args.iter().any(|a| matches!(a, Atom::Var(v) if self.is_parted(*v)))
            {
                return self.iterate(stmt, call);
            }
            self.whole_by_one(stmt, WHOLE);
            return Ok(());
        };
        let regular = spread.iter().all(|v| self.can_be_cut(*v));
        let hidden = spread.iter().any(|v| is_hidden(&self.known.len(*v)));
        match call.prim {
            _ if !regular => self.whole_by_one(stmt, "whole, by one worker: rows depend on their position"),
            Prim::Map(_) if self.can_be_cut(var) => self.local(stmt, call, EACH),
            Prim::Zip if self.can_be_cut(var) => {
                // Arrays divided only at run time can be paired only with those divided alike.
                let len = self.known.len(first);
                let alike = spread.len() == call.args.len() && spread.iter().all(|v| self.known.len(*v) == len);
                if hidden && !alike { self.whole_by_one(stmt, WHOLE) } else { self.local(stmt, call, EACH) }
            }
            Prim::Unzip => self.unzip(stmt, first),
            _ if hidden && moves(call.prim) => {
                self.whole_by_one(stmt, "whole, by one worker: only the run knows the length of its blocks");
            }
            Prim::Slide if self.can_be_cut(var) => {
                let how = format!("each block, with elements of its neighbours: windows of {}", call.sizes[0]);
                self.local(stmt, call, &how);
            }
            Prim::Pad(_) => self.local(stmt, call, "the blocks at the edges"),
            Prim::Split | Prim::AsVector | Prim::Join | Prim::AsScalar if self.can_be_cut(var) => {
                self.local(stmt, call, "each block, of whole rows");
            }
            Prim::Drop | Prim::Tail | Prim::Take | Prim::Slice => self.local(stmt, call, "blocks, cut"),
            Prim::Filter(_) => self.filter(stmt, call, first)?,
            Prim::Reduce(level) => self.fold(stmt, call, level)?,
            Prim::Scan(level) | Prim::ScanExcl(level) => self.scan(stmt, call, level)?,
            Prim::ReduceWhileSeq => return Err(refusal_in_order(call.prim, &stmt.origin)),
            Prim::IterateWhile => {
                let message =
                    "`iterateWhile` at the top goes round a spread array until the array itself says that it is done";
                return Err(refusal(
                    message.into(),
                    "iterate a known number of times, or loop in the program around the kernel",
                    &stmt.origin,
                ));
            }
            Prim::Sort => self.sort(stmt, call, first)?,
            Prim::Argsort => self.argsort(stmt, call, first)?,
            Prim::Reverse => self.reverse(stmt, first)?,
            Prim::Concat => self.concat(stmt, call)?,
            Prim::PadConstant => self.pad_constant(stmt, call)?,
            Prim::Iterate => self.iterate(stmt, call)?,
            Prim::Length => {
                let size = Atom::Size(self.known.len(first));
                self.define(Stmt { rhs: Rhs::Atom(size), ..stmt.clone() });
            }
            _ => self.whole_by_one(stmt, WHOLE),
        }
        Ok(())
    }
}

/// Whether the primitive reads elements of other blocks.
fn moves(prim: Prim) -> bool {
    use Prim::*;
    matches!(prim, Slide | Pad(_) | Split | AsVector | Join | AsScalar | Drop | Tail | Take | Slice)
}
