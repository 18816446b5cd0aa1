//! Statements with their own step: the work in each block, and between the blocks.

use super::analyse::{Analysis, PARTIALS, Result, WHOLE};
use super::known::refusal_in_order;
use super::roots::{self, Fold};
use super::{Sort, Step, ValueId};
use crate::core::{Atom, Lambda, Level, Prim, PrimCall, Rhs, Stmt, UNNAMED, VarId};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};

impl Analysis {
    /// Records the value that a step computes for a statement.
    pub fn made(&mut self, stmt: &Stmt, value: ValueId) {
        self.known.spread.insert(stmt.var);
        self.known.blocks.insert(stmt.var, value);
    }

    pub fn unzip(&mut self, stmt: &Stmt, xs: VarId) {
        let Some(array) = self.known.array(xs).cloned() else { return };
        let TyKind::Tuple(parts) = array.element.kind() else { return };
        let mut vars = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let f = roots::component(&mut self.known, &array.element, part, i, &stmt.origin);
            vars.push(Atom::Var(self.synthetic(
                Prim::Map(Level::Auto),
                Vec::new(),
                vec![f],
                vec![Atom::Var(xs)],
                Ty::array(part.clone(), array.len.clone()),
                &stmt.origin,
            )));
        }
        *self.known.uses.entry(self.known.root(xs)).or_default() += parts.len() - 1;
        self.known.tuples.insert(stmt.var, vars);
    }

    /// Makes a statement that the program does not contain.
    pub fn synthetic(
        &mut self,
        prim: Prim,
        sizes: Vec<Size>,
        funs: Vec<Lambda>,
        args: Vec<Atom>,
        ty: Ty,
        origin: &Origin,
    ) -> VarId {
        let var = self.known.var(UNNAMED, ty);
        let rhs = Rhs::Prim(PrimCall { prim, sizes, funs, args });
        self.define(Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() });
        self.known.spread.insert(var);
        var
    }

    pub fn filter(&mut self, stmt: &Stmt, call: &PrimCall, xs: VarId) -> Result<()> {
        self.captured(call);
        self.tell(call.prim.label(), "each block; the run finds how many it keeps", false, &stmt.origin);
        let made = self.make(&stmt.origin, &self.known.len(xs), &|known, range| roots::kept(known, stmt, xs, range))?;
        let (len, ty) = (self.known.len(xs), self.known.ty(stmt.var).clone());
        let name = self.known.name(stmt.var).to_owned();
        let value = self.each(made, &len, &name, ty, &stmt.origin)?;
        self.made(stmt, value);
        Ok(())
    }

    /// The fold of a call, if its operator combines two of its results.
    pub fn associative<'c>(&self, stmt: &'c Stmt, call: &'c PrimCall, level: Level) -> Result<(Fold<'c>, Ty)> {
        let (Some(f), Some(z), Some(Atom::Var(xs))) = (call.funs.first(), call.args.first(), call.args.get(1)) else {
            return Err(refusal_in_order(call.prim, &stmt.origin));
        };
        let element = self.known.array(*xs).map_or_else(Ty::error, |a| a.element.clone());
        let acc = self.known.atom_ty(z);
        if level == Level::Seq || acc != element {
            return Err(refusal_in_order(call.prim, &stmt.origin));
        }
        Ok((Fold { f, z, xs: *xs, origin: &stmt.origin }, element))
    }

    /// Adds a step that folds each block to one element.
    pub fn partials(&mut self, fold: &Fold<'_>, element: &Ty) -> Result<ValueId> {
        let made =
            self.make(fold.origin, &self.known.len(fold.xs), &|known, range| roots::partial(known, fold, range))?;
        let len = self.known.len(fold.xs);
        // One per block; no size gives the number of blocks.
        self.each(made, &len, PARTIALS, Ty::array(element.clone(), Size::one()), fold.origin)
    }

    pub fn fold(&mut self, stmt: &Stmt, call: &PrimCall, level: Level) -> Result<()> {
        let (fold, element) = self.associative(stmt, call, level)?;
        self.captured(call);
        self.tell(call.prim.label(), "each block, then their results two by two", false, &stmt.origin);
        let of = self.partials(&fold, &element)?;
        let prim = Prim::Reduce(Level::Auto);
        let (made, _) =
            self.make(&stmt.origin, &Size::zero(), &|known, _| roots::combined(known, &fold, prim, &element))?;
        let kernel = self.kernel(&made);
        let name = self.known.name(stmt.var).to_owned();
        let out = self.value(&name, self.known.ty(stmt.var).clone(), false);
        self.steps.push(Step::Fold { kernel, wholes: made.wholes, sizes: made.sizes, of, out });
        self.known.wholes.insert(stmt.var, out);
        Ok(())
    }

    pub fn scan(&mut self, stmt: &Stmt, call: &PrimCall, level: Level) -> Result<()> {
        let (fold, element) = self.associative(stmt, call, level)?;
        self.captured(call);
        self.tell(
            call.prim.label(),
            "totals of the blocks, their running totals, then each block",
            false,
            &stmt.origin,
        );
        let of = self.partials(&fold, &element)?;
        let totals = Ty::array(element.clone(), Size::one());
        let gathered = self.value("totals", totals.clone(), false);
        self.steps.push(Step::Gather { of, out: gathered });
        let exclusive = Prim::ScanExcl(Level::Auto);
        let (mut made, _) =
            self.make(&stmt.origin, &Size::zero(), &|known, _| roots::combined(known, &fold, exclusive, &element))?;
        made.wholes.insert(0, gathered);
        let before = self.whole_step(&made, "before", totals);
        let prim = call.prim;
        let made = self.make(&stmt.origin, &self.known.len(fold.xs), &|known, range| {
            roots::scanned(known, &fold, prim, before, &element, range)
        })?;
        let (len, ty) = (self.known.len(fold.xs), self.known.ty(stmt.var).clone());
        let name = self.known.name(stmt.var).to_owned();
        let value = self.each(made, &len, &name, ty, &stmt.origin)?;
        self.made(stmt, value);
        Ok(())
    }

    pub fn sort(&mut self, stmt: &Stmt, call: &PrimCall, xs: VarId) -> Result<()> {
        self.captured(call);
        let how = "each block, cut at samples, exchanged, and each block again";
        self.tell(call.prim.label(), how, false, &stmt.origin);
        let Some(f) = call.funs.first() else { return Ok(()) };
        let element = self.known.array(xs).map_or_else(Ty::error, |a| a.element.clone());
        let of = self.blocks(xs, &stmt.origin)?;
        let (sort, _) =
            self.make(&stmt.origin, &Size::zero(), &|known, _| roots::sorted(known, f, &element, &stmt.origin))?;
        let (before, _) =
            self.make(&stmt.origin, &Size::zero(), &|known, _| roots::before(known, f, &element, &stmt.origin))?;
        let out = self.value_of(stmt.var, true);
        let step = Sort {
            sort: self.kernel(&sort),
            before: self.kernel(&before),
            wholes: sort.wholes,
            sizes: sort.sizes,
            before_wholes: before.wholes,
            before_sizes: before.sizes,
            of,
            out,
        };
        self.steps.push(Step::Sort(step));
        self.made(stmt, out);
        Ok(())
    }

    /// Sorts pairs of elements and indices, and keeps the indices.
    pub fn argsort(&mut self, stmt: &Stmt, call: &PrimCall, xs: VarId) -> Result<()> {
        let (Some(f), Some(array)) = (call.funs.first(), self.known.array(xs).cloned()) else { return Ok(()) };
        let at = &stmt.origin;
        let len = array.len.clone();
        let array_of = |element: Ty| Ty::array(element, len.clone());
        let iota = self.synthetic(Prim::Iota, vec![len.clone()], Vec::new(), Vec::new(), array_of(Ty::int()), at);
        let pair = Ty::tuple(vec![array.element.clone(), Ty::int()]);
        let args = vec![Atom::Var(xs), Atom::Var(iota)];
        let pairs = self.synthetic(Prim::Zip, Vec::new(), Vec::new(), args, array_of(pair.clone()), at);
        let by_first = roots::by_first(&mut self.known, f, &pair, &array.element, at);
        let sorted = self.known.var("sorted", array_of(pair.clone()));
        let call = PrimCall { prim: Prim::Sort, sizes: Vec::new(), funs: vec![by_first], args: vec![Atom::Var(pairs)] };
        let sort = Stmt { var: sorted, binds: Vec::new(), rhs: Rhs::Prim(call.clone()), origin: at.clone() };
        self.sort(&sort, &call, pairs)?;
        let second = roots::component(&mut self.known, &pair, &Ty::int(), 1, at);
        let args = vec![Atom::Var(sorted)];
        let order = self.synthetic(Prim::Map(Level::Auto), Vec::new(), vec![second], args, array_of(Ty::int()), at);
        self.alias(stmt.var, order);
        Ok(())
    }

    pub fn reverse(&mut self, stmt: &Stmt, xs: VarId) -> Result<()> {
        self.tell("reverse", "the blocks in the other order, each reversed", false, &stmt.origin);
        let of = self.blocks(xs, &stmt.origin)?;
        let element = self.known.array(xs).map_or_else(Ty::error, |a| a.element.clone());
        let (made, _) =
            self.make(&stmt.origin, &Size::zero(), &|known, _| roots::reversed(known, &element, &stmt.origin))?;
        let kernel = self.kernel(&made);
        let out = self.value_of(stmt.var, true);
        self.steps.push(Step::Reverse { kernel, sizes: made.sizes, of, out });
        self.made(stmt, out);
        Ok(())
    }

    pub fn concat(&mut self, stmt: &Stmt, call: &PrimCall) -> Result<()> {
        self.tell("concat", "the blocks of one, then those of the other", false, &stmt.origin);
        let mut of = Vec::new();
        for a in &call.args {
            let Atom::Var(v) = a else { continue };
            of.push(if self.known.is_spread(*v) {
                self.blocks(*v, &stmt.origin)?
            } else {
                self.whole(*v, &stmt.origin)?
            });
        }
        self.concatenated(stmt, of);
        Ok(())
    }

    pub fn concatenated(&mut self, stmt: &Stmt, of: Vec<ValueId>) {
        let out = self.value_of(stmt.var, true);
        self.steps.push(Step::Concat { of, out });
        self.made(stmt, out);
    }

    /// The padding becomes separate arrays.
    pub fn pad_constant(&mut self, stmt: &Stmt, call: &PrimCall) -> Result<()> {
        self.tell("padConstant", "the blocks, and one at each edge", false, &stmt.origin);
        let (value, Some(Atom::Var(xs))) = (call.args[0].clone(), call.args.get(1)) else { return Ok(()) };
        let element = self.known.atom_ty(&value);
        let mut of = Vec::new();
        for (i, size) in call.sizes.iter().enumerate() {
            if !size.is_zero() {
                let ty = Ty::array(element.clone(), size.clone());
                let args = vec![value.clone()];
                let edge = self.synthetic(Prim::Fill, vec![size.clone()], Vec::new(), args, ty, &stmt.origin);
                self.known.spread.remove(&edge);
                of.push(self.whole(edge, &stmt.origin)?);
            }
            if i == 0 {
                of.push(self.blocks(*xs, &stmt.origin)?);
            }
        }
        self.concatenated(stmt, of);
        Ok(())
    }

    pub fn iterate(&mut self, stmt: &Stmt, call: &PrimCall) -> Result<()> {
        let Some(Atom::Var(start)) = call.args.first() else { return Ok(()) };
        if let [f] = call.funs.as_slice()
            && call.sizes[0].as_const() != Some(1)
        {
            if self.known.is_spread(*start) {
                return self.repeat(stmt, &call.sizes[0], f, *start);
            }
            // The steps of a round go from one array to one array; this state has several values.
            self.whole_by_one(stmt, WHOLE);
            return Ok(());
        }
        // Lengths change, so each iteration has its own kernels.
        let mut state = *start;
        for f in &call.funs {
            let param = f.params[0];
            self.count(&f.body);
            self.alias(param, state);
            self.block(&f.body)?;
            let Atom::Var(next) = f.body.result else {
                self.whole_by_one(stmt, WHOLE);
                return Ok(());
            };
            state = next;
        }
        self.alias(stmt.var, state);
        Ok(())
    }

    /// Repeats the same steps in each iteration.
    pub fn repeat(&mut self, stmt: &Stmt, count: &Size, f: &Lambda, start: VarId) -> Result<()> {
        self.tell("iterate", "the steps of a round, again and again", false, &stmt.origin);
        let start = self.blocks(start, &stmt.origin)?;
        let ty = self.known.ty(stmt.var).clone();
        let name = self.known.name(f.params[0]).to_owned();
        let state = self.value(&name, ty.clone(), true);
        let steps = std::mem::take(&mut self.steps);
        // Results of an iteration do not exist after it.
        let before = (self.known.blocks.clone(), self.known.wholes.clone(), self.known.measured.clone());
        self.known.spread.insert(f.params[0]);
        self.known.blocks.insert(f.params[0], state);
        self.count(&f.body);
        self.block(&f.body)?;
        let next = match &f.body.result {
            Atom::Var(v) if self.known.is_spread(*v) => self.blocks(*v, &stmt.origin)?,
            _ => return Err(refusal_in_order(Prim::Iterate, &stmt.origin)),
        };
        (self.known.blocks, self.known.wholes, self.known.measured) = before;
        let steps = std::mem::replace(&mut self.steps, steps);
        let out = self.value_of(stmt.var, true);
        self.steps.push(Step::Repeat { count: count.clone(), start, state, steps, next, out });
        self.made(stmt, out);
        Ok(())
    }
}
