//! Evaluates functions of small arrays element by element: of constant lengths and indices nothing is left but scalars.

use crate::core::copy::{Copier, Lengths};
use crate::core::scalar::fold;
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, UNNAMED, VarId, VarInfo};
use crate::schedule::flat::is_flat;
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

/// Maximum number of statements of one function, so that the text stays short, unless a caller allows more.
const MOST_STATEMENTS: usize = 256;

#[derive(Debug, Clone)]
pub enum Value {
    /// A scalar, or a tuple of scalars.
    One(Atom),
    /// A component of a tuple, which no statement has read yet.
    Part(VarId, usize),
    Tuple(Vec<Value>),
    Array(Vec<Value>),
}

pub struct Evaluator<'a> {
    vars: &'a mut Vec<VarInfo>,
    lengths: &'a mut Lengths,
    origin: &'a Origin,
    values: FxHashMap<VarId, Value>,
    /// Statements before, whose values are computed again where they are views of constants.
    known: &'a [Stmt],
    parts: FxHashMap<(VarId, usize), Atom>,
    most: usize,
    pub stmts: Vec<Stmt>,
}

impl<'a> Evaluator<'a> {
    pub fn new(vars: &'a mut Vec<VarInfo>, lengths: &'a mut Lengths, origin: &'a Origin) -> Evaluator<'a> {
        let (values, parts) = (FxHashMap::default(), FxHashMap::default());
        Evaluator { vars, lengths, origin, values, known: &[], parts, most: MOST_STATEMENTS, stmts: Vec::new() }
    }

    /// Allows so many statements.
    pub fn at_most(&mut self, most: usize) {
        self.most = most;
    }

    pub fn knows(&mut self, known: &'a [Stmt]) {
        self.known = known;
    }

    pub fn set(&mut self, v: VarId, value: Value) {
        self.values.insert(v, value);
    }

    fn ty(&self, v: VarId) -> Ty {
        self.vars[v.0 as usize].ty.clone()
    }

    fn fresh(&mut self, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name: UNNAMED.into(), ty });
        VarId(self.vars.len() as u32 - 1)
    }

    fn emit(&mut self, ty: Ty, rhs: Rhs) -> Option<Atom> {
        if self.stmts.len() >= self.most {
            return None;
        }
        let var = self.fresh(ty);
        self.stmts.push(Stmt { var, binds: Vec::new(), rhs, origin: self.origin.clone() });
        Some(Atom::Var(var))
    }

    /// The value of an operand: one that is not computed here is read element by element.
    pub fn value(&mut self, a: &Atom) -> Option<Value> {
        let Atom::Var(v) = a else { return Some(Value::One(a.clone())) };
        if let Some(value) = self.values.get(v) {
            return Some(value.clone());
        }
        let known = self.known;
        let views = |s: &&Stmt| {
            s.var == *v
                && match &s.rhs {
                    Rhs::Prim(c) => matches!(c.prim, Prim::Iota | Prim::Fill | Prim::Generate),
                    Rhs::Tuple(_) => !is_flat(&self.vars[v.0 as usize].ty),
                    _ => false,
                }
        };
        let computed = known.iter().find(views).and_then(|s| {
            let before = self.stmts.len();
            let value = self.rhs(&s.rhs, s.var);
            if value.is_none() {
                self.stmts.truncate(before);
            }
            value
        });
        let value = match computed {
            Some(value) => value,
            None => self.read(a, &self.ty(*v))?,
        };
        self.values.insert(*v, value.clone());
        Some(value)
    }

    /// A parameter of a function: the components of a tuple, of which arrays are read element by element.
    pub fn param(&mut self, v: VarId) -> Option<()> {
        let ty = self.ty(v);
        let TyKind::Tuple(types) = ty.kind() else { return Some(()) };
        let mut parts = Vec::new();
        for (k, ty) in types.iter().enumerate() {
            if is_flat(ty) {
                parts.push(Value::Part(v, k));
                continue;
            }
            let row = self.emit(ty.clone(), Rhs::Proj(Atom::Var(v), k))?;
            parts.push(self.read(&row, ty)?);
        }
        self.set(v, Value::Tuple(parts));
        Some(())
    }

    /// The elements of an array of constant length that is computed elsewhere.
    fn read(&mut self, a: &Atom, ty: &Ty) -> Option<Value> {
        if is_flat(ty) {
            return Some(Value::One(a.clone()));
        }
        let array = ty.as_array().filter(|array| array.position.is_none())?.clone();
        let mut all = Vec::new();
        for i in 0..constant(&array.len)? {
            let index = Atom::Lit(Literal::Int(i32::try_from(i).ok()?));
            let call = PrimCall { prim: Prim::Aref, sizes: Vec::new(), funs: Vec::new(), args: vec![a.clone(), index] };
            let element = self.emit(array.element.clone(), Rhs::Prim(call))?;
            all.push(self.read(&element, &array.element)?);
        }
        Some(Value::Array(all))
    }

    /// An array of the next scalars.
    pub fn array(&self, ty: &Ty, scalars: &mut dyn Iterator<Item = Value>) -> Option<Value> {
        match ty.as_array() {
            None => scalars.next(),
            Some(array) => {
                let all = (0..constant(&array.len)?).map(|_| self.array(&array.element, scalars));
                Some(Value::Array(all.collect::<Option<Vec<Value>>>()?))
            }
        }
    }

    /// A scalar, or a tuple of scalars, as an atom.
    fn atom(&mut self, value: &Value) -> Option<Atom> {
        match value {
            Value::One(a) => Some(a.clone()),
            Value::Part(tuple, k) => {
                if let Some(a) = self.parts.get(&(*tuple, *k)) {
                    return Some(a.clone());
                }
                let TyKind::Tuple(types) = self.ty(*tuple).kind().clone() else { return None };
                let a = self.emit(types.get(*k)?.clone(), Rhs::Proj(Atom::Var(*tuple), *k))?;
                self.parts.insert((*tuple, *k), a.clone());
                Some(a)
            }
            Value::Tuple(parts) => {
                let atoms = parts.iter().map(|p| self.atom(p)).collect::<Option<Vec<Atom>>>()?;
                let ty = Ty::tuple(atoms.iter().map(|a| self.atom_ty(a)).collect());
                self.emit(ty, Rhs::Tuple(atoms))
            }
            Value::Array(_) => None,
        }
    }

    /// A component of a tuple, of scalars, as an atom.
    pub fn component(&mut self, rhs: &Rhs) -> Option<Atom> {
        let Rhs::Proj(Atom::Var(v), k) = rhs else { return None };
        let Value::Tuple(parts) = self.values.get(v)?.clone() else { return None };
        self.atom(parts.get(*k)?)
    }

    fn atom_ty(&self, a: &Atom) -> Ty {
        match a {
            Atom::Var(v) => self.ty(*v),
            Atom::Lit(l) => Ty::scalar(l.scalar()),
            Atom::Size(_) => Ty::int(),
        }
    }

    /// The scalars of a value, in order.
    fn scalars(&mut self, value: &Value, out: &mut Vec<Atom>) -> Option<()> {
        match value {
            Value::Tuple(parts) | Value::Array(parts) => parts.iter().try_for_each(|p| self.scalars(p, out)),
            one => {
                let a = self.atom(one)?;
                out.push(a);
                Some(())
            }
        }
    }

    /// The tuple of the scalars of a value.
    pub fn tuple(&mut self, value: &Value, ty: &Ty) -> Option<Atom> {
        let mut all = Vec::new();
        self.scalars(value, &mut all)?;
        self.emit(ty.clone(), Rhs::Tuple(all))
    }

    /// An array as a view, whose element is chosen by its index.
    pub fn view(&mut self, value: &Value, ty: &Ty) -> Option<Atom> {
        let (Value::Array(elements), Some(array)) = (value, ty.as_array()) else { return self.atom(value) };
        let elements: Vec<Atom> = elements.iter().map(|x| self.view(x, &array.element)).collect::<Option<_>>()?;
        let i = self.fresh(Ty::int());
        let outer = std::mem::take(&mut self.stmts);
        let result = self.chosen(&Atom::Var(i), &elements, &array.element);
        let body = Block { stmts: std::mem::replace(&mut self.stmts, outer), result: result? };
        let f = Lambda { position: None, params: vec![i], body, origin: self.origin.clone() };
        let sizes = vec![array.len.clone()];
        self.emit(ty.clone(), Rhs::Prim(PrimCall { prim: Prim::Generate, sizes, funs: vec![f], args: Vec::new() }))
    }

    /// The element at an index; the last one at every other index.
    fn chosen(&mut self, i: &Atom, elements: &[Atom], ty: &Ty) -> Option<Atom> {
        let (last, rest) = elements.split_last()?;
        let mut result = last.clone();
        for (k, element) in rest.iter().enumerate().rev() {
            let index = Atom::Lit(Literal::Int(i32::try_from(k).ok()?));
            let is_it = self.emit(Ty::bool(), Rhs::Scalar(ScalarOp::Eq, vec![i.clone(), index]))?;
            let one = |a: &Atom| Block { stmts: Vec::new(), result: a.clone() };
            result = self.emit(ty.clone(), Rhs::If(is_it, one(element), one(&result)))?;
        }
        Some(result)
    }

    pub fn block(&mut self, block: &Block) -> Option<Value> {
        for stmt in &block.stmts {
            if !stmt.binds.is_empty() {
                return None;
            }
            let value = self.rhs(&stmt.rhs, stmt.var)?;
            self.values.insert(stmt.var, value);
        }
        self.value(&block.result)
    }

    fn call(&mut self, f: &Lambda, args: &[Value]) -> Option<Value> {
        if f.position.is_some() || f.params.len() != args.len() {
            return None;
        }
        // Each call has variables of its own.
        let f = Copier::new(self.vars, self.lengths).lambda(f);
        for (param, arg) in f.params.iter().zip(args) {
            self.values.insert(*param, arg.clone());
        }
        self.block(&f.body)
    }

    fn rhs(&mut self, rhs: &Rhs, var: VarId) -> Option<Value> {
        match rhs {
            Rhs::Atom(a) | Rhs::Store(_, a) => self.value(a),
            Rhs::Tuple(parts) => Some(Value::Tuple(parts.iter().map(|p| self.value(p)).collect::<Option<_>>()?)),
            Rhs::Proj(a, k) => match self.value(a)? {
                Value::Tuple(parts) => parts.get(*k).cloned(),
                Value::One(a) => Some(Value::One(self.emit(self.ty(var), Rhs::Proj(a, *k))?)),
                _ => None,
            },
            Rhs::Scalar(op, args) => {
                let mut atoms = Vec::new();
                for a in args {
                    let value = self.value(a)?;
                    atoms.push(self.atom(&value)?);
                }
                match fold(*op, &atoms) {
                    Some(known) => Some(Value::One(known)),
                    None => Some(Value::One(self.emit(self.ty(var), Rhs::Scalar(*op, atoms))?)),
                }
            }
            Rhs::If(c, a, b) => {
                let c = self.value(c)?;
                let c = self.atom(&c)?;
                let ty = self.ty(var);
                let (then, otherwise) = (self.branch(a)?, self.branch(b)?);
                let types: Vec<Ty> = then.1.iter().map(|a| self.atom_ty(a)).collect();
                let chosen = self.emit(Ty::tuple(types), Rhs::If(c, then.0, otherwise.0))?;
                let Atom::Var(chosen) = chosen else { return None };
                shaped(&ty, chosen, &mut 0)
            }
            Rhs::Prim(call) => self.prim(call),
            Rhs::Pack(..) | Rhs::Unpack(_) | Rhs::Cast(..) => None,
        }
    }

    /// A branch that gives the scalars of its value as a tuple.
    fn branch(&mut self, block: &Block) -> Option<(Block, Vec<Atom>)> {
        let outer = std::mem::take(&mut self.stmts);
        // What only the branch has computed is unknown behind it.
        let (parts, values) = (self.parts.clone(), self.values.clone());
        let made = self.block(block).and_then(|value| {
            let mut all = Vec::new();
            self.scalars(&value, &mut all)?;
            let ty = Ty::tuple(all.iter().map(|a| self.atom_ty(a)).collect());
            let tuple = self.emit(ty, Rhs::Tuple(all.clone()))?;
            Some((tuple, all))
        });
        let stmts = std::mem::replace(&mut self.stmts, outer);
        (self.parts, self.values) = (parts, values);
        made.map(|(result, all)| (Block { stmts, result }, all))
    }

    fn elements(&mut self, a: &Atom) -> Option<Vec<Value>> {
        match self.value(a)? {
            Value::Array(all) => Some(all),
            _ => None,
        }
    }

    fn prim(&mut self, call: &PrimCall) -> Option<Value> {
        let sizes = call.sizes.iter().map(constant).collect::<Option<Vec<usize>>>()?;
        let size = |k: usize| sizes.get(k).copied();
        let f = call.funs.first();
        let (xs, last) = (call.args.first(), call.args.last());
        let int = |i: usize| i32::try_from(i).ok().map(|i| Value::One(Atom::Lit(Literal::Int(i))));
        let all = match call.prim {
            Prim::Map(Level::Auto | Level::Seq) => {
                let xs = self.elements(xs?)?;
                xs.into_iter().map(|x| self.call(f?, &[x])).collect::<Option<_>>()?
            }
            Prim::Reduce(Level::Auto | Level::Seq) => {
                let (z, xs) = (self.value(xs?)?, self.elements(last?)?);
                vec![xs.into_iter().try_fold(z, |acc, x| self.call(f?, &[acc, x]))?]
            }
            Prim::Scan(Level::Auto | Level::Seq) | Prim::ScanExcl(Level::Auto | Level::Seq) => {
                let (mut acc, xs) = (self.value(xs?)?, self.elements(last?)?);
                let mut out = Vec::new();
                for x in xs {
                    let next = self.call(f?, &[acc.clone(), x])?;
                    out.push(if matches!(call.prim, Prim::Scan(_)) { next.clone() } else { acc });
                    acc = next;
                }
                out
            }
            Prim::Zip => {
                let all = call.args.iter().map(|a| self.elements(a)).collect::<Option<Vec<Vec<Value>>>>()?;
                let n = all.iter().map(Vec::len).min()?;
                (0..n).map(|i| Value::Tuple(all.iter().map(|xs| xs[i].clone()).collect())).collect()
            }
            Prim::Iota => (0..size(0)?).map(int).collect::<Option<_>>()?,
            Prim::Generate => (0..size(0)?).map(|i| self.call(f?, &[int(i)?])).collect::<Option<_>>()?,
            Prim::Fill => {
                let value = self.value(last?)?;
                vec![value; size(0).filter(|n| *n <= MOST_STATEMENTS)?]
            }
            Prim::Split => {
                let (xs, k) = (self.elements(xs?)?, size(0).filter(|k| *k > 0)?);
                xs.chunks(k).map(|row| Value::Array(row.to_vec())).collect()
            }
            Prim::Slide => {
                let (xs, n, step) = (self.elements(xs?)?, size(0)?, size(1).filter(|step| *step > 0)?);
                xs.windows(n.max(1)).step_by(step).map(|row| Value::Array(row.to_vec())).collect()
            }
            Prim::Join => {
                let rows = self.elements(xs?)?;
                rows.into_iter().map(of_array).collect::<Option<Vec<_>>>()?.concat()
            }
            Prim::Concat => call.args.iter().map(|a| self.elements(a)).collect::<Option<Vec<_>>>()?.concat(),
            Prim::Transpose => {
                let rows = self.elements(xs?)?.into_iter().map(of_array).collect::<Option<Vec<_>>>()?;
                let width = rows.first()?.len();
                (0..width).map(|j| Value::Array(rows.iter().map(|row| row[j].clone()).collect())).collect()
            }
            Prim::Reverse => self.elements(xs?)?.into_iter().rev().collect(),
            Prim::Take => self.elements(xs?)?.into_iter().take(size(0)?).collect(),
            Prim::Drop => self.elements(xs?)?.into_iter().skip(size(0)?).collect(),
            Prim::Slice => self.elements(xs?)?.into_iter().skip(size(0)?).take(size(1)?).collect(),
            Prim::Tail => self.elements(xs?)?.into_iter().skip(1).collect(),
            Prim::Head => return self.elements(xs?)?.first().cloned(),
            Prim::Last => return self.elements(xs?)?.last().cloned(),
            Prim::Length => return int(self.elements(xs?)?.len()),
            Prim::Aref => return self.aref(xs?, last?),
            _ => return None,
        };
        (all.len() <= MOST_STATEMENTS).then_some(Value::Array(all))
    }

    /// An element; of scalars also at an index that is computed, which is then checked.
    fn aref(&mut self, xs: &Atom, i: &Atom) -> Option<Value> {
        let (elements, i) = (self.elements(xs)?, self.value(i)?);
        let i = self.atom(&i)?;
        let known = match &i {
            Atom::Lit(l) => Some(usize::try_from(l.integer()?).ok()?),
            Atom::Size(n) => Some(constant(n)?),
            Atom::Var(_) => None,
        };
        if let Some(at) = known {
            return elements.get(at).cloned();
        }
        let Atom::Var(v) = xs else { return None };
        let ty = self.ty(*v);
        let element = ty.as_array()?.element.clone();
        if !is_flat(&element) {
            return None;
        }
        let view = self.view(&Value::Array(elements), &ty)?;
        let call = PrimCall { prim: Prim::Aref, sizes: Vec::new(), funs: Vec::new(), args: vec![view, i] };
        Some(Value::One(self.emit(element, Rhs::Prim(call))?))
    }
}

fn of_array(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(all) => Some(all),
        _ => None,
    }
}

/// A value of a type, made of the components of a tuple from `next` on.
pub fn shaped(ty: &Ty, tuple: VarId, next: &mut usize) -> Option<Value> {
    match ty.kind() {
        TyKind::Tuple(parts) => {
            Some(Value::Tuple(parts.iter().map(|p| shaped(p, tuple, next)).collect::<Option<_>>()?))
        }
        _ => match ty.as_array() {
            Some(array) => {
                let all = (0..constant(&array.len)?).map(|_| shaped(&array.element, tuple, next));
                Some(Value::Array(all.collect::<Option<_>>()?))
            }
            None => {
                *next += 1;
                Some(Value::Part(tuple, *next - 1))
            }
        },
    }
}

fn constant(n: &Size) -> Option<usize> {
    usize::try_from(n.as_const()?).ok()
}
