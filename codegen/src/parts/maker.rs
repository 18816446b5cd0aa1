//! Makes kernels of blocks: the terms of the program with the length of a block as the outermost length.
//!
//! A kernel is built backwards from its result. It reads the results of earlier steps and recomputes everything
//! between, for as many elements as the block needs. If it needs something that does not exist yet, it is abandoned
//! with a [`Need`], and built again when that exists.

use super::free::{free_of, mentioned, used_by};
use super::known::{Known, Need, about, computes, is_scalar, refusal};
use super::{Each, KernelId, Number, Pad, Range, Read, ValueId, Yields};
use crate::core::copy::{Copier, Lengths};
use crate::core::typing::{Signature, prim_type, under};
use crate::core::{Atom, Block, Kernel, Lambda, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId, VarInfo, simplify};
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Settings;
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

type Result<T> = std::result::Result<T, Need>;

pub struct Maker<'k> {
    pub known: &'k Known,
    vars: Vec<VarInfo>,
    stmts: Vec<Stmt>,
    reads: Vec<(Read, VarId)>,
    wholes: Vec<(ValueId, VarId)>,
    picks: Vec<(ValueId, VarId)>,
    made: FxHashMap<(VarId, Range), VarId>,
    made_whole: FxHashMap<VarId, Atom>,
    block: Var,
    first: Var,
    lengths: Lengths,
}

/// A kernel and the sources of its arguments.
pub struct Made {
    pub kernel: Kernel,
    pub reads: Vec<Read>,
    pub wholes: Vec<ValueId>,
    pub picks: Vec<ValueId>,
    pub sizes: Vec<(Var, Number)>,
}

impl Made {
    pub fn each(self, kernel: KernelId, over: Size, like: Option<ValueId>, yields: Yields, out: ValueId) -> Each {
        let Made { reads, wholes, picks, sizes, .. } = self;
        Each { kernel, reads, wholes, picks, sizes, over, like, yields, out }
    }
}

impl<'k> Maker<'k> {
    pub fn new(known: &'k Known) -> Maker<'k> {
        let mut lengths = known.lengths.clone();
        let [block, first] = ["block", "first"].map(|name| lengths.fresh(VarKind::Param, name));
        Maker {
            known,
            vars: known.vars.clone(),
            stmts: Vec::new(),
            reads: Vec::new(),
            wholes: Vec::new(),
            picks: Vec::new(),
            made: FxHashMap::default(),
            made_whole: FxHashMap::default(),
            block,
            first,
            lengths,
        }
    }

    pub fn block_size(&self) -> Size {
        Size::var(self.block.clone())
    }

    /// A size that follows from the shape of a parameter.
    pub fn cuts(&mut self) -> Var {
        self.lengths.fresh(VarKind::Param, "cuts")
    }

    fn ty(&self, a: &Atom) -> Ty {
        match a {
            Atom::Var(v) => self.vars[v.0 as usize].ty.clone(),
            other => self.known.kernel.atom_ty(other),
        }
    }

    pub fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name: name.into(), ty });
        VarId(self.vars.len() as u32 - 1)
    }

    pub fn push(&mut self, name: &str, ty: Ty, rhs: Rhs, origin: &Origin) -> VarId {
        let var = self.var(name, ty);
        self.stmts.push(Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() });
        var
    }

    /// Adds a primitive; its type follows from its operands.
    pub fn prim(&mut self, name: &str, call: PrimCall, origin: &Origin) -> Result<VarId> {
        let types: Vec<Ty> = call.args.iter().map(|a| self.ty(a)).collect();
        let signature = |f: &Lambda| Signature {
            position: f.position.clone(),
            params: f.params.iter().map(|p| self.ty(&Atom::Var(*p))).collect(),
            result: self.ty(&f.body.result),
            size: f.size(),
        };
        let signatures: Vec<Signature> = call.funs.iter().map(signature).collect();
        let lengths = &mut self.lengths;
        let mut fresh = |kind| lengths.fresh(kind, "X");
        let same = under(&self.known.facts);
        let ty = prim_type(call.prim, &call.sizes, &signatures, &types, &same, &mut fresh).map_err(|e| {
            let message = format!("internal error of the compiler: in a kernel of blocks, {e}");
            Need::Refused(refusal(message, "report it", origin))
        })?;
        Ok(self.push(name, ty, Rhs::Prim(call), origin))
    }

    /// Copies a function of the program; variables from outside become whole values.
    pub fn lambda(&mut self, f: &Lambda) -> Result<Lambda> {
        self.lambda_with(f, FxHashMap::default(), &Size::zero())
    }

    /// As [`Self::lambda`], with these atoms for variables, and indices that count from `start`.
    fn lambda_with(&mut self, f: &Lambda, mut atoms: FxHashMap<VarId, Atom>, start: &Size) -> Result<Lambda> {
        let mut found = Vec::new();
        free_of(f, &mut FxHashSet::default(), &mut found);
        for v in found.into_iter().filter(|v| (v.0 as usize) < self.known.vars.len()) {
            if let std::collections::hash_map::Entry::Vacant(free) = atoms.entry(v) {
                free.insert(self.whole(v)?);
            }
        }
        let mut copier = Copier::new(&mut self.vars, &mut self.lengths);
        copier.atoms = atoms;
        Ok(copier.lambda_from(f, start))
    }

    /// The body of a function with atoms for its first parameters.
    pub fn applied(&mut self, f: &Lambda, args: &[Atom]) -> Result<Block> {
        let atoms: FxHashMap<VarId, Atom> = f.params.iter().copied().zip(args.iter().cloned()).collect();
        let rest = Lambda { params: f.params.iter().skip(args.len()).copied().collect(), ..f.clone() };
        Ok(self.lambda_with(&rest, atoms, &Size::zero())?.body)
    }

    // --- whole values

    pub fn whole_atom(&mut self, a: &Atom) -> Result<Atom> {
        match a {
            Atom::Var(v) => self.whole(*v),
            other => Ok(other.clone()),
        }
    }

    /// A whole value, as a parameter; recomputed if it consists of scalars.
    pub fn whole(&mut self, v: VarId) -> Result<Atom> {
        if let Some(atom) = self.made_whole.get(&v) {
            return Ok(atom.clone());
        }
        let root = self.known.root(v);
        let atom = if let Some(value) = self.known.wholes.get(&root) {
            self.whole_param(*value, self.known.name(v), self.known.ty(v).clone())
        } else if self.known.is_spread(root) || self.known.tuples.contains_key(&root) {
            return Err(Need::Whole(v));
        } else {
            match self.known.defs.get(&root) {
                Some(stmt) if is_scalar(self.known.ty(root)) && !matches!(stmt.rhs, Rhs::Prim(_)) => {
                    self.whole_stmt(stmt)?
                }
                _ => return Err(Need::Whole(v)),
            }
        };
        self.made_whole.insert(v, atom.clone());
        Ok(atom)
    }

    pub fn whole_param(&mut self, value: ValueId, name: &str, ty: Ty) -> Atom {
        let var = self.var(name, ty);
        self.wholes.push((value, var));
        Atom::Var(var)
    }

    /// A parameter that gets one element of an array for each block.
    pub fn pick(&mut self, value: ValueId, name: &str, ty: Ty) -> Atom {
        let var = self.var(name, ty);
        self.picks.push((value, var));
        Atom::Var(var)
    }

    /// Copies a statement that works on whole values.
    pub fn whole_stmt(&mut self, stmt: &Stmt) -> Result<Atom> {
        let mut atoms = FxHashMap::default();
        for v in used_by(stmt).into_iter().filter(|v| (v.0 as usize) < self.known.vars.len()) {
            atoms.insert(v, self.whole_inside(v)?);
        }
        let mut copier = Copier::new(&mut self.vars, &mut self.lengths);
        copier.atoms = atoms;
        let copied = copier.stmt(stmt);
        let var = copied.var;
        self.stmts.push(copied);
        Ok(Atom::Var(var))
    }

    /// A whole value inside a kernel of whole values; computed there if it is used once.
    fn whole_inside(&mut self, v: VarId) -> Result<Atom> {
        let root = self.known.root(v);
        let there = self.made_whole.contains_key(&v) || self.known.wholes.contains_key(&root);
        let once = self.known.uses.get(&root).is_none_or(|uses| *uses < 2);
        match self.known.defs.get(&root) {
            Some(stmt) if !there && once && root == v && !self.known.is_spread(root) => {
                let atom = self.whole_stmt(stmt)?;
                self.made_whole.insert(v, atom.clone());
                Ok(atom)
            }
            _ => self.whole(v),
        }
    }

    // --- blocks

    /// The elements of `v` that a block needs, as an array.
    pub fn part(&mut self, v: VarId, range: &Range, is_root: bool) -> Result<VarId> {
        let v = self.known.root(v);
        let key = (v, range.clone());
        if let Some(made) = self.made.get(&key) {
            return Ok(*made);
        }
        let made = if let Some(value) = self.known.blocks.get(&v) {
            self.read(*value, v, range)
        } else if !self.known.is_spread(v) {
            match self.known.wholes.get(&v) {
                Some(value) => self.read(*value, v, range),
                None => return Err(Need::Whole(v)),
            }
        } else {
            match self.known.defs.get(&v) {
                Some(stmt) => self.local(v, stmt, range, is_root)?,
                None => return Err(Need::Blocks(v)),
            }
        };
        self.made.insert(key, made);
        Ok(made)
    }

    fn length(&self, range: &Range) -> Size {
        self.block_size().mul(&range.scale).add(&range.more)
    }

    fn read(&mut self, value: ValueId, v: VarId, range: &Range) -> VarId {
        let element = self.known.array(v).map_or_else(Ty::error, |a| a.element.clone());
        let var = self.var(self.known.name(v), Ty::array(element, self.length(range)));
        self.reads.push((Read { value, range: range.clone() }, var));
        var
    }

    fn local(&mut self, v: VarId, stmt: &Stmt, range: &Range, is_root: bool) -> Result<VarId> {
        let Rhs::Prim(call) = &stmt.rhs else { return Err(Need::Blocks(v)) };
        let name = self.known.name(v);
        let origin = &stmt.origin;
        let here =
            |args: Vec<Atom>, sizes: Vec<Size>, funs: Vec<Lambda>| PrimCall { prim: call.prim, sizes, funs, args };
        let operand = |i: usize| match call.args.get(i) {
            Some(Atom::Var(v)) => Ok(*v),
            _ => Err(Need::Blocks(v)),
        };
        match call.prim {
            Prim::Map(_) => {
                let several = self.known.uses.get(&v).is_some_and(|uses| *uses > 1);
                if !is_root && several && call.funs.iter().any(computes) {
                    return Err(Need::Blocks(v));
                }
                let has_position = call.funs[0].position.is_some();
                if has_position && range.pad.is_some() {
                    return Err(Need::Blocks(v));
                }
                let xs = self.part(operand(0)?, range, false)?;
                let f = self.lambda_with(&call.funs[0], FxHashMap::default(), &self.start(range))?;
                return self.prim(name, here(vec![Atom::Var(xs)], Vec::new(), vec![f]), origin);
            }
            Prim::Zip => {
                let parts = (0..call.args.len()).map(|i| self.part(operand(i)?, range, false).map(Atom::Var));
                let parts = parts.collect::<Result<Vec<_>>>()?;
                return self.prim(name, here(parts, Vec::new(), Vec::new()), origin);
            }
            _ => {}
        }
        if range.pad.is_some() {
            // Only elementwise statements may precede the repetition of elements at the edges.
            return Err(Need::Blocks(v));
        }
        let sizes = &call.sizes;
        let moved = |by: &Size| Range { offset: range.offset.add(by), cut: true, ..range.clone() };
        match call.prim {
            Prim::Drop | Prim::Slice => self.part(operand(0)?, &moved(&sizes[0]), false),
            Prim::Tail => self.part(operand(0)?, &moved(&Size::one()), false),
            Prim::Take => self.part(operand(0)?, &moved(&Size::zero()), false),
            Prim::Pad(mode) => {
                let pad = Some(Pad { mode, left: sizes[0].clone(), right: sizes[1].clone() });
                self.part(operand(0)?, &Range { pad, ..range.clone() }, false)
            }
            Prim::Split | Prim::AsVector => {
                let xs = self.part(operand(0)?, &times(range, &sizes[0]), false)?;
                self.prim(name, here(vec![Atom::Var(xs)], sizes.clone(), Vec::new()), origin)
            }
            Prim::Slide => {
                let mut inner = times(range, &sizes[1]);
                inner.more = inner.more.add(&sizes[0]).sub(&sizes[1]);
                let xs = self.part(operand(0)?, &inner, false)?;
                self.prim(name, here(vec![Atom::Var(xs)], sizes.clone(), Vec::new()), origin)
            }
            Prim::Join | Prim::AsScalar => {
                let xss = operand(0)?;
                let rows = self.rows_of(v, xss, range)?;
                let xss = self.part(xss, &rows, false)?;
                self.prim(name, here(vec![Atom::Var(xss)], Vec::new(), Vec::new()), origin)
            }
            Prim::Fill => {
                let value = self.whole_atom(&call.args[0])?;
                let len = self.length(range);
                self.prim(name, here(vec![value], vec![len], Vec::new()), origin)
            }
            Prim::Iota => self.counted(name, range, None, origin),
            Prim::Generate => self.counted(name, range, Some(&call.funs[0]), origin),
            _ => Err(Need::Blocks(v)),
        }
    }

    /// The range of rows that have a range of the elements of `v`, the rows one after the other.
    fn rows_of(&self, v: VarId, xss: VarId, range: &Range) -> Result<Range> {
        let row = self.known.array(xss).and_then(|a| match a.element.kind() {
            TyKind::Array(row) => Some(row.len.clone()),
            TyKind::Vec(_, width) => Some(width.clone()),
            _ => None,
        });
        let Some(row) = row else { return Err(Need::Blocks(v)) };
        let over = |size: &Size| Some(size.div_exact(&row)).filter(Size::is_integral);
        let inner = over(&range.scale).zip(over(&range.offset)).zip(over(&range.more));
        let Some(((scale, offset), more)) = inner else {
            let is_plain = range.offset.is_zero() && range.more.is_zero();
            return Err(if is_plain { Need::Unit(row, v) } else { Need::Blocks(v) });
        };
        Ok(Range { scale, offset, more, pad: None, cut: range.cut })
    }

    /// The index of the first element in the whole array.
    fn start(&self, range: &Range) -> Size {
        Size::var(self.first.clone()).mul(&range.scale).add(&range.offset)
    }

    /// Indices in the whole array, or a function of them.
    fn counted(&mut self, name: &str, range: &Range, f: Option<&Lambda>, origin: &Origin) -> Result<VarId> {
        let start = self.start(range);
        let at = self.var("i", Ty::int());
        let moved = self.var("i", Ty::int());
        let rhs = Rhs::Scalar(ScalarOp::Add, vec![Atom::Var(at), Atom::Size(start.clone())]);
        let mut stmts = vec![Stmt { var: moved, binds: Vec::new(), rhs, origin: origin.clone() }];
        let (mut position, mut result) = (None, Atom::Var(moved));
        if let Some(f) = f {
            let atoms = f.params.iter().map(|p| (*p, Atom::Var(moved))).collect();
            let copied = self.lambda_with(&Lambda { params: Vec::new(), ..f.clone() }, atoms, &start)?;
            stmts.extend(copied.body.stmts);
            (position, result) = (copied.position, copied.body.result);
        }
        let f = Lambda { position, params: vec![at], body: Block { stmts, result }, origin: origin.clone() };
        let sizes = vec![self.length(range)];
        self.prim(name, PrimCall { prim: Prim::Generate, sizes, funs: vec![f], args: Vec::new() }, origin)
    }

    // --- the end

    /// Completes the kernel with this result.
    pub fn finish(mut self, name: &str, result: Atom) -> Result<Made> {
        let params: Vec<VarId> = self.reads.iter().map(|(_, v)| *v).collect();
        let params = params.into_iter().chain(self.wholes.iter().map(|(_, v)| *v));
        let params: Vec<VarId> = params.chain(self.picks.iter().map(|(_, v)| *v)).collect();
        let ty = self.ty(&result);
        let kernel = Kernel {
            name: name.into(),
            sizes: Vec::new(),
            params,
            vars: std::mem::take(&mut self.vars),
            body: Block { stmts: std::mem::take(&mut self.stmts), result },
            result: ty,
            assumptions: Vec::new(),
            settings: Settings::DEFAULT,
        };
        let mut kernel = simplify::simplify(kernel);
        let mut bound = FxHashSet::default();
        kernel.body.visit(&mut |stmt| bound.extend(stmt.binds.iter().cloned()));
        // Skolems opened elsewhere become sizes of this kernel.
        let mut renamed: FxHashMap<Var, Size> = FxHashMap::default();
        let mut sizes: Vec<(Var, Number)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for v in mentioned(&kernel) {
            let number = match v.kind {
                VarKind::Param if v == self.block => Number::Block,
                VarKind::Param if v == self.first => Number::First,
                VarKind::Param => Number::Of(v.clone()),
                VarKind::Skolem if !bound.contains(&v) => Number::Of(v.clone()),
                _ => continue,
            };
            let mut name = v.name.to_string();
            while names.contains(&name) || (!matches!(number, Number::Of(_)) && self.is_taken(&name)) {
                name.push('_');
            }
            names.push(name.clone());
            let own = self.lengths.fresh(VarKind::Param, name);
            renamed.insert(v, Size::var(own.clone()));
            sizes.push((own, number));
        }
        let mut lengths = self.lengths.clone();
        let mut vars = kernel.vars.clone();
        for info in &mut vars {
            info.ty = info.ty.subst_sizes(&mut |v| renamed.get(v).cloned());
        }
        let start = vars.len();
        let mut copier = Copier::new(&mut vars, &mut lengths);
        copier.sizes = renamed;
        kernel.body = copier.block(&kernel.body);
        debug_assert!(copier.vars.len() >= start);
        let is_known = |v: &Var| bound.contains(v) || sizes.iter().any(|(_, n)| *n == Number::Of(v.clone()));
        let assumptions = about(&self.lengths.assumptions, &is_known)
            .map(|(a, origin)| (a.subst(&mut |v| copier.sizes.get(v).cloned()), origin.clone()));
        kernel.assumptions = assumptions.collect();
        kernel.vars = vars;
        kernel.sizes = sizes.iter().map(|(v, _)| v.clone()).collect();
        let kernel = simplify::simplify(kernel);
        for (own, number) in &mut sizes {
            let Number::Of(v) = number else { continue };
            let is_length = |p: &VarId| kernel.ty(*p).as_array().is_some_and(|a| a.len.as_var() == Some(own));
            if kernel.params.iter().any(is_length) {
                *number = Number::Derived(v.clone());
            } else if v.kind == VarKind::Skolem && !self.known.measured.contains(v) {
                return Err(Need::Length(v.clone()));
            }
        }
        Ok(Made {
            kernel,
            reads: self.reads.into_iter().map(|(read, _)| read).collect(),
            wholes: self.wholes.into_iter().map(|(value, _)| value).collect(),
            picks: self.picks.into_iter().map(|(value, _)| value).collect(),
            sizes,
        })
    }

    fn is_taken(&self, name: &str) -> bool {
        self.known.kernel.sizes.iter().any(|v| &*v.name == name)
    }
}

/// The range in an array whose `by` elements are one element here.
fn times(range: &Range, by: &Size) -> Range {
    Range {
        scale: range.scale.mul(by),
        offset: range.offset.mul(by),
        more: range.more.mul(by),
        pad: range.pad.clone(),
        cut: range.cut,
    }
}
