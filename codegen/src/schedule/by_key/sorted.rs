//! Folds by key for which a table does not work: the table is far larger than local memory and OpenCL lacks the atomic
//! operation; or values are tuples; or the operator is not commutative. A stable sort by key makes the elements of each
//! key adjacent, so one scan that restarts at each key folds them all.
//!
//! `reduceByKey n f z ks xs = map (λp. if p < 0 then z else aref (scan f' …) p) (reduceByKey n max (-1) ks' (iota m))`

use super::{Maker, by_table};
use crate::core::copy::Lengths;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::schedule::kept::bytes_of;
use crate::schedule::nested::rows_of;
use crate::schedule::versions::{branch, choice, decided};
use crate::schedule::{Applied, host_blocks, rules};
use crate::target::{Class, Target};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// The bytes of a group's table in local memory: the largest power of two within two thirds of the memory, or within a
/// quarter if the target does not describe the device.
pub fn table_bytes(target: &Target) -> u64 {
    let bytes = match target.class {
        Class::Portable => target.local_memory / 4,
        Class::Gpu | Class::Cpu => target.local_memory * 2 / 3,
    };
    1u64 << bytes.max(64).ilog2()
}

/// The cells of a table in local memory that few work-items share, each with a mask of those that meet in it.
pub fn masked_cells(target: &Target, bytes: u64) -> i64 {
    const MASK: u64 = 4;
    (table_bytes(target) / (bytes + MASK)).max(1) as i64
}

/// An operation of OpenCL that no other work-item interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atomic {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Atomic {
    /// The function of OpenCL.
    pub fn name(self) -> &'static str {
        match self {
            Atomic::Add => "atomic_add",
            Atomic::Min => "atomic_min",
            Atomic::Max => "atomic_max",
            Atomic::And => "atomic_and",
            Atomic::Or => "atomic_or",
            Atomic::Xor => "atomic_xor",
        }
    }

    /// The one of a function's last operator.
    fn of(f: &Lambda) -> Option<Atomic> {
        let Rhs::Scalar(op, _) = &f.body.stmts.last()?.rhs else { return None };
        Some(match op {
            ScalarOp::Add => Atomic::Add,
            ScalarOp::Min => Atomic::Min,
            ScalarOp::Max => Atomic::Max,
            ScalarOp::BitAnd => Atomic::And,
            ScalarOp::BitOr => Atomic::Or,
            ScalarOp::BitXor => Atomic::Xor,
            _ => return None,
        })
    }
}

/// The atomic operation for a commutative operator, if there is one.
pub fn atomic(f: &Lambda, value: &Ty) -> Option<Atomic> {
    Atomic::of(f).filter(|_| value.as_scalar() == Some(Scalar::Int))
}

/// The atomic operation on the bits of floats, in their order, for the least or the greatest of floats.
pub fn ordered(f: &Lambda, value: &Ty) -> Option<Atomic> {
    Atomic::of(f).filter(|op| matches!(op, Atomic::Min | Atomic::Max) && value.as_scalar() == Some(Scalar::Float))
}

/// Rewrites folds by key with large tables to sorts.
pub fn sorted(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    let mut body = kernel.body.clone();
    block(&mut kernel, target, &mut body, applied);
    kernel.body = body;
    kernel
}

/// Rewrites the statements at host level.
fn block(kernel: &mut Kernel, target: &Target, of: &mut Block, applied: &mut Vec<Applied>) {
    for mut stmt in std::mem::take(&mut of.stmts) {
        for inner in host_blocks(kernel, &mut stmt) {
            block(kernel, target, inner, applied);
        }
        match versions(kernel, target, &stmt) {
            Some(stmts) => {
                applied.push(Applied { rule: &rules::BY_KEY_SORTED, origin: stmt.origin.clone() });
                of.stmts.extend(stmts);
            }
            None => of.stmts.push(stmt),
        }
    }
}

/// Both versions of a fold by key under a condition, or one if the condition is known.
fn versions(kernel: &mut Kernel, target: &Target, stmt: &Stmt) -> Option<Vec<Stmt>> {
    let Rhs::Prim(call @ PrimCall { prim: Prim::ReduceByKey(Level::Glb(0)), .. }) = &stmt.rhs else { return None };
    let ([n], [f], [z, ..]) = (call.sizes.as_slice(), call.funs.as_slice(), call.args.as_slice()) else { return None };
    let mut fits = Size::zero();
    // The numbers of a table.
    let (mut cells, mut columns) = (n.clone(), false);
    if by_table(kernel, f, z) {
        let value = kernel.atom_ty(z);
        let rows = rows_of(&kernel.ty(stmt.var).as_array()?.element).is_some();
        let is_ordered = target.class == Class::Gpu && !rows && ordered(f, &value).is_some();
        if atomic(f, &value).is_some() || is_ordered {
            return None;
        }
        if target.class == Class::Cpu {
            return None;
        }
        let bytes = bytes_of(&value).filter(|b| *b > 0)?;
        let fit = table_bytes(target) / bytes;
        let turns = target.get(Parameter::KeyTurns);
        fits = match target.class {
            Class::Gpu => Size::int(masked_cells(target, bytes) * i64::from(turns) + 1),
            Class::Portable | Class::Cpu => Size::nat(fit + 1),
        };
        if let Some((width, _)) = rows_of(&kernel.ty(stmt.var).as_array()?.element) {
            // Each table of some columns reads only these.
            (cells, columns) = (n.mul(&width), true);
            fits = Size::nat(fit * u64::from(turns) + 1);
        }
    }
    // No size is less than 0.
    let in_tables = if fits.is_zero() { Some(false) } else { decided(&cells, &fits) };
    if in_tables == Some(true) {
        return None;
    }
    let mut maker = Maker {
        vars: kernel.vars.clone(),
        lengths: Lengths::of(kernel),
        stmts: Vec::new(),
        origin: stmt.origin.clone(),
    };
    let result = match columns {
        true => maker.by_pieces(call, n, f, target.get(Parameter::KeyPiece))?,
        false => maker.by_sorting(call, n, f)?,
    };
    let Maker { mut vars, lengths, mut stmts, .. } = maker;
    if in_tables.is_none() {
        let sorted = Block { stmts, result };
        let tables = branch(&mut vars, stmt, stmt.rhs.clone());
        stmts = choice(&mut vars, stmt, &cells, &fits, tables, sorted).stmts;
    }
    stmts.last_mut()?.var = stmt.var;
    (kernel.vars, kernel.assumptions) = (vars, lengths.assumptions);
    Some(stmts)
}

fn int(n: i32) -> Atom {
    Atom::Lit(Literal::Int(n))
}

impl Maker {
    /// Creates a function; `body` adds its statements and receives the parameters.
    pub(super) fn function<const N: usize>(
        &mut self,
        params: [(&str, Ty); N],
        body: impl FnOnce(&mut Maker, [VarId; N]) -> Option<Atom>,
    ) -> Option<Lambda> {
        let params = params.map(|(name, ty)| self.fresh(name, ty));
        let body = self.nested(|maker| body(maker, params))?;
        Some(Lambda { position: None, params: params.to_vec(), body, origin: self.origin.clone() })
    }

    fn nested(&mut self, body: impl FnOnce(&mut Maker) -> Option<Atom>) -> Option<Block> {
        let outside = std::mem::take(&mut self.stmts);
        let result = body(self);
        let stmts = std::mem::replace(&mut self.stmts, outside);
        Some(Block { stmts, result: result? })
    }

    pub(super) fn part(&mut self, name: &str, of: VarId, k: usize, ty: Ty) -> Atom {
        self.add(name, ty, Rhs::Proj(Atom::Var(of), k))
    }

    pub(super) fn compare(&mut self, op: ScalarOp, a: Atom, b: Atom) -> Atom {
        self.add("is", Ty::bool(), Rhs::Scalar(op, vec![a, b]))
    }

    /// The element at an index if a condition holds, otherwise another value.
    fn element_if(
        &mut self,
        holds: Atom,
        of: &Atom,
        at: Atom,
        otherwise: Atom,
        then: impl FnOnce(&mut Maker, Atom) -> Atom,
    ) -> Option<Atom> {
        let element = self.ty(of).as_array()?.element.clone();
        let ty = self.ty(&otherwise);
        let read = PrimCall { prim: Prim::Aref, sizes: Vec::new(), funs: Vec::new(), args: vec![of.clone(), at] };
        let taken = self.nested(|maker| {
            let element = maker.prim("element", element, read);
            Some(then(maker, element))
        })?;
        let other = Block { stmts: Vec::new(), result: otherwise };
        Some(self.add("chosen", ty, Rhs::If(holds, taken, other)))
    }

    fn by_sorting(&mut self, call: &PrimCall, n: &Size, f: &Lambda) -> Option<Atom> {
        let [z, ks, xs] = call.args.as_slice() else { return None };
        let m = self.ty(ks).as_array().filter(|a| a.position.is_none())?.len.clone();
        let value = self.ty(z);
        let array = |ty: &Ty| Ty::array(ty.clone(), m.clone());
        let plain = |prim, sizes, funs, args| PrimCall { prim, sizes, funs, args };
        let pairs = self.zip(&[ks.clone(), xs.clone()])?;
        let pair = Ty::tuple(vec![Ty::int(), value.clone()]);
        let earlier = self.function([("a", pair.clone()), ("b", pair.clone())], |maker, [a, b]| {
            let (a, b) = (maker.part("key", a, 0, Ty::int()), maker.part("key", b, 0, Ty::int()));
            Some(maker.compare(ScalarOp::Lt, a, b))
        })?;
        let sorted = self.prim("sorted", array(&pair), plain(Prim::Sort, vec![], vec![earlier], vec![pairs]));
        let apart = Ty::tuple(vec![array(&Ty::int()), array(&value)]);
        let Atom::Var(apart) = self.prim("apart", apart, plain(Prim::Unzip, vec![], vec![], vec![sorted])) else {
            return None;
        };
        let keys = self.part("keys", apart, 0, array(&Ty::int()));
        let values = self.part("values", apart, 1, array(&value));
        let places = self.prim("places", array(&Ty::int()), plain(Prim::Iota, vec![m.clone()], vec![], vec![]));
        let folded = self.folded_runs(f, z, [&places, &keys, &values])?;
        // The last element of each key has its fold.
        let numbered = self.zip(&[places.clone(), keys.clone()])?;
        let ends = self.function([("at", Ty::tuple(vec![Ty::int(), Ty::int()]))], |maker, [at]| {
            let (i, key) = (maker.part("i", at, 0, Ty::int()), maker.part("key", at, 1, Ty::int()));
            let next = maker.add("next", Ty::int(), Rhs::Scalar(ScalarOp::Add, vec![i, int(1)]));
            let follows = maker.compare(ScalarOp::Lt, next.clone(), Atom::Size(m.clone()));
            let same = maker.element_if(follows, &keys, next, Atom::Lit(Literal::Bool(false)), |maker, after| {
                maker.compare(ScalarOp::Eq, after, key.clone())
            })?;
            let (inner, end) = (Block { stmts: vec![], result: int(-1) }, Block { stmts: vec![], result: key });
            Some(maker.add("end", Ty::int(), Rhs::If(same, inner, end)))
        })?;
        let ends =
            self.prim("ends", array(&Ty::int()), plain(Prim::Map(Level::Auto), vec![], vec![ends], vec![numbered]));
        let later = self.function([("a", Ty::int()), ("b", Ty::int())], |maker, [a, b]| {
            Some(maker.add("last", Ty::int(), Rhs::Scalar(ScalarOp::Max, vec![Atom::Var(a), Atom::Var(b)])))
        })?;
        let each = |ty: &Ty| Ty::array(ty.clone(), n.clone());
        let last = plain(Prim::ReduceByKey(Level::Glb(0)), vec![n.clone()], vec![later], vec![int(-1), ends, places]);
        let last = self.prim("last", each(&Ty::int()), last);
        let result = self.function([("at", Ty::int())], |maker, [at]| {
            let found = maker.compare(ScalarOp::Ge, Atom::Var(at), int(0));
            maker.element_if(found, &folded, Atom::Var(at), z.clone(), |_, element| element)
        })?;
        Some(self.prim("by_key", each(&value), plain(Prim::Map(Level::Auto), vec![], vec![result], vec![last])))
    }

    /// For each position, the fold of the values from the first one with the same key.
    fn folded_runs(&mut self, f: &Lambda, z: &Atom, [places, keys, values]: [&Atom; 3]) -> Option<Atom> {
        let value = self.ty(z);
        let flagged = Ty::tuple(vec![Ty::bool(), value.clone()]);
        let len = self.ty(keys).as_array()?.len.clone();
        let all = self.zip(&[places.clone(), keys.clone(), values.clone()])?;
        let element = self.ty(&all).as_array()?.element.clone();
        let starts = self.function([("at", element)], |maker, [at]| {
            let (i, key) = (maker.part("i", at, 0, Ty::int()), maker.part("key", at, 1, Ty::int()));
            let value = maker.part("value", at, 2, value.clone());
            let follows = maker.compare(ScalarOp::Gt, i.clone(), int(0));
            let before = maker.add("before", Ty::int(), Rhs::Scalar(ScalarOp::Sub, vec![i, int(1)]));
            let first = maker.element_if(follows, keys, before, Atom::Lit(Literal::Bool(true)), |maker, before| {
                maker.compare(ScalarOp::Ne, before, key)
            })?;
            Some(maker.add("flagged", flagged.clone(), Rhs::Tuple(vec![first, value])))
        })?;
        let call = PrimCall { prim: Prim::Map(Level::Auto), sizes: vec![], funs: vec![starts], args: vec![all] };
        let starts = self.prim("starts", Ty::array(flagged.clone(), len.clone()), call);
        let scalar = value.clone();
        let copy = self.copied(f, &scalar);
        let ([x, y], body) = (<[VarId; 2]>::try_from(copy.params).ok()?, copy.body);
        let again = self.function([("a", flagged.clone()), ("b", flagged.clone())], |maker, [a, b]| {
            let (p, u) = (maker.part("started", a, 0, Ty::bool()), maker.part("sum", a, 1, value.clone()));
            let (q, v) = (maker.part("starts", b, 0, Ty::bool()), maker.part("sum", b, 1, value.clone()));
            let either = maker.compare(ScalarOp::Or, p, q.clone());
            let mut stmts = vec![maker.stmt(x, Rhs::Atom(u)), maker.stmt(y, Rhs::Atom(v.clone()))];
            stmts.extend(body.stmts);
            let on = Block { stmts, result: body.result };
            let folded = maker.add("folded", value.clone(), Rhs::If(q, Block { stmts: vec![], result: v }, on));
            Some(maker.add("both", flagged.clone(), Rhs::Tuple(vec![either, folded])))
        })?;
        let neutral =
            self.add("neutral", flagged.clone(), Rhs::Tuple(vec![Atom::Lit(Literal::Bool(false)), z.clone()]));
        let call =
            PrimCall { prim: Prim::Scan(Level::Auto), sizes: vec![], funs: vec![again], args: vec![neutral, starts] };
        let scanned = self.prim("scanned", Ty::array(flagged, len.clone()), call);
        let apart = Ty::tuple(vec![Ty::array(Ty::bool(), len.clone()), Ty::array(value.clone(), len.clone())]);
        let call = PrimCall { prim: Prim::Unzip, sizes: vec![], funs: vec![], args: vec![scanned] };
        let Atom::Var(apart) = self.prim("apart", apart, call) else { return None };
        Some(self.part("folded", apart, 1, Ty::array(value, len)))
    }
}
