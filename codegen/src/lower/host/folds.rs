//! Folds and scans at host level whose accumulator is an array: each element is folded by launches of its own.

use super::Host;
use crate::core::{Lambda, PrimCall, Stmt};
use crate::lower::Result;
use crate::lower::value::{Array, Dest, Env, Layout, Place, Value, View};
use crate::plan::{BufferRole, Step};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// A fold that is being lowered.
struct Fold<'a, 'k> {
    stmt: &'k Stmt,
    f: &'k Lambda,
    xs: Array<'k>,
    env: &'a Env<'k>,
}

impl<'k> Host<'k> {
    /// `reduceHost f z xs`, with two memories of the accumulator, which are exchanged after each element.
    pub(super) fn reduce_in_turn(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let fold = self.fold_of(stmt, call, env)?;
        let ty = self.program.kernel.ty(fold.f.params[0]);
        let memories = self.memories(stmt, |host| host.place_of(stmt, ty, env))?;
        let start = self.atom(&call.args[0], env);
        self.copy(&start, &Dest::Place(memories.current.clone()), &stmt.origin)?;
        let accumulator = self.load(&memories.current)?;
        let len = fold.xs.len.clone();
        self.each_element(
            &fold,
            (&Size::zero(), &len),
            |_, _| Ok((accumulator, memories.next.clone())),
            |steps| {
                memories.exchange(steps);
            },
        )?;
        let end = self.load(&memories.current)?;
        Ok(Value::Array(Array::new(Size::one(), View::Fill(end))))
    }

    /// `scanHost f z xs`: each element but the first continues the row before it in the result.
    pub(super) fn scan_in_turn(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<Value<'k>> {
        let fold = self.fold_of(stmt, call, env)?;
        let own;
        let to = match dest {
            Dest::Place(to) => to,
            _ => {
                own = self.allocate(stmt, env)?;
                &own
            }
        };
        let Layout::Array { capacity, element, .. } = &*to.layout else {
            return Err(self.error(stmt, "scan", "this form of it is not compiled for one row at a time"));
        };
        let row = |at: &Size| Place { layout: element.clone(), at: to.at.mul(capacity).add(at) };
        let start = self.atom(&call.args[0], env);
        let (len, one) = (fold.xs.len.clone(), Size::one());
        self.each_element(&fold, (&Size::zero(), &Size::min(&len, &one)), |_, at| Ok((start, row(at))), |_| {})?;
        let continues = |host: &mut Self, at: &Size| Ok((host.load(&row(&at.sub(&one)))?, row(at)));
        self.each_element(&fold, (&one, &len), continues, |_| {})?;
        match dest {
            Dest::Place(_) => self.written(dest),
            _ => {
                let made = self.load(to)?;
                self.deliver(stmt, made, Some(dest))
            }
        }
    }

    fn fold_of<'a>(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &'a Env<'k>) -> Result<Fold<'a, 'k>> {
        let refused =
            |host: &Self| host.error(stmt, call.prim.label(), "this form of it is not compiled for one row at a time");
        let ([f], Value::Array(xs)) = (call.funs.as_slice(), self.atom(&call.args[1], env)) else {
            return Err(refused(self));
        };
        let ty = self.program.kernel.atom_ty(&call.args[1]);
        let Some(len) = ty.as_array().map(|array| array.len.clone()) else { return Err(refused(self)) };
        // The host may have read the length since the array was made.
        let xs = Array { len: env.size(&len), ..xs };
        if f.params.len() != 2 || !self.program.is_known_here(&xs.len) {
            self.program.want_opened(&len);
            return Err(refused(self));
        }
        let xs = self.with_elements(&xs, &ty, stmt, env)?;
        Ok(Fold { stmt, f, xs, env })
    }

    /// The array, in memory unless the host can find its elements.
    fn with_elements(&mut self, xs: &Array<'k>, ty: &Ty, stmt: &'k Stmt, env: &Env<'k>) -> Result<Array<'k>> {
        let Some(of) = ty.as_array() else { return Ok(xs.clone()) };
        let facts = self.program.facts.clone();
        let found = self.element(xs, &Size::zero(), &of.element, env);
        self.program.facts = facts;
        if found.is_some() {
            return Ok(xs.clone());
        }
        let place = self.place_of(stmt, ty, env)?;
        self.copy(&Value::Array(xs.clone()), &Dest::Place(place.clone()), &stmt.origin)?;
        match self.load(&place)? {
            Value::Array(xs) => Ok(xs),
            _ => Ok(xs.clone()),
        }
    }

    /// A loop over the elements from `range.0` on and before `range.1`. For the index of an element, `between` returns
    /// the accumulator before it and the destination of the next one; `after` adds steps to each iteration.
    fn each_element(
        &mut self,
        fold: &Fold<'_, 'k>,
        (from, to): (&Size, &Size),
        between: impl FnOnce(&mut Self, &Size) -> Result<(Value<'k>, Place)>,
        after: impl FnOnce(&mut Vec<Step>),
    ) -> Result<()> {
        // Facts about the element and its index hold only inside the loop.
        let outside = self.program.facts.clone();
        let count = Size::max(&to.sub(from), &Size::zero());
        self.program.facts.assume_le(from.add(&Size::one()), to.clone());
        let index = self.index_up_to(&to.sub(from).sub(&Size::one()));
        let at = from.add(&Size::var(index.clone()));
        let [_, x] = fold.f.params[..] else { return Ok(()) };
        let element = self.element(&fold.xs, &at, self.program.kernel.ty(x), fold.env);
        let element = element.ok_or_else(|| self.error(fold.stmt, "", "an element is not found by the host"))?;
        let (accumulator, next) = between(self, &at)?;
        let mut inner = fold.env.clone();
        inner.bind(fold.f.params[0], accumulator);
        inner.bind(x, element);
        let body = &fold.f.body;
        let steps = self
            .perhaps(|host| host.looped(|host| host.block(body, inner, Some(&Dest::Place(next.clone()))).map(drop)));
        self.program.facts = outside;
        let mut steps = steps?;
        after(&mut steps);
        let count = self.program.if_taken(&self.guards, &count);
        self.program.steps.push(Step::For { index, count, steps });
        Ok(())
    }

    /// Memory for a value of this type, which hides no length, for a statement.
    fn place_of(&mut self, stmt: &Stmt, ty: &Ty, env: &Env<'k>) -> Result<Place> {
        let ty = ty.subst_sizes(&mut |v| {
            let s = Size::var(v.clone());
            let now = env.size(&s);
            (now != s).then_some(now)
        });
        let (name, origin): (_, &Origin) = (self.program.kernel.name_of(stmt.var), &stmt.origin);
        let layout =
            self.program.layout(&ty, &mut std::iter::empty(), name, BufferRole::Temporary, &Size::one(), origin)?;
        Ok(Place { layout, at: Size::zero() })
    }
}
