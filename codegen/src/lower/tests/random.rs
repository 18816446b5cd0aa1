//! Random programs within the supported features: the device computes the same as the interpreter.

use super::{agree, floats, ints};
use crate::core::Kernel;
use crate::core::builder::*;
use crate::lower::compile;
use crate::target::Target;
use crate::value::Value;
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use proptest::prelude::*;

/// Builds a program from numbers: each chooses the next operation or an operand.
struct Choices<'a> {
    numbers: std::slice::Iter<'a, u8>,
    depth: u32,
    /// Statements so far.
    made: u32,
}

fn is_scalar(t: &Ty) -> bool {
    t.as_scalar().is_some()
}
fn is_flat(t: &Ty) -> bool {
    crate::schedule::flat::is_flat(t)
}
fn is_array(t: &Ty) -> bool {
    t.as_array().is_some()
}
fn has_scalars(t: &Ty) -> bool {
    t.as_array().is_some_and(|a| is_scalar(&a.element))
}
fn has_flat(t: &Ty) -> bool {
    t.as_array().is_some_and(|a| is_flat(&a.element))
}
fn has_rows(t: &Ty) -> bool {
    t.as_array().is_some_and(|a| is_array(&a.element))
}

impl Choices<'_> {
    fn next(&mut self, n: usize) -> usize {
        self.numbers.next().map_or(0, |x| usize::from(*x) % n.max(1))
    }
    fn pick(&mut self, pool: &[Atom], b: &Builder, wanted: impl Fn(&Ty) -> bool) -> Option<Atom> {
        let fitting: Vec<&Atom> = pool.iter().filter(|a| wanted(&b.ty(*a))).collect();
        // Prefer the newest, so that programs become deep.
        let n = fitting.len();
        if n == 0 { None } else { Some(fitting[n - 1 - self.next(n.min(5))].clone()) }
    }
    fn int(&mut self, pool: &[Atom], b: &Builder) -> Atom {
        match self.next(4) {
            0 => Atom::from([0, 1, 2, -3, 7, i32::MAX][self.next(6)]),
            _ => self.pick(pool, b, |t| *t == int()).unwrap_or_else(|| 1.into()),
        }
    }
    /// A scalar of the given type, from the pool.
    fn scalar(&mut self, pool: &[Atom], b: &mut Builder, ty: &Ty) -> Atom {
        if let Some(a) = self.pick(pool, b, |t| t == ty) {
            return a;
        }
        if *ty == boolean() {
            let (x, y) = (self.int(pool, b), self.int(pool, b));
            return b.lt(&x, &y);
        }
        match ty.as_scalar() {
            Some(lift_analysis::hir::Scalar::Float) => Atom::from(self.next(5) as f32 * 0.25),
            _ => self.int(pool, b),
        }
    }
    fn value_of(&mut self, pool: &[Atom], b: &mut Builder, ty: &Ty) -> Atom {
        match ty.kind() {
            TyKind::Tuple(parts) => {
                let parts: Vec<Atom> = parts.iter().map(|p| self.value_of(pool, b, p)).collect();
                b.tuple(&parts)
            }
            _ => self.scalar(pool, b, ty),
        }
    }
    fn body(&mut self, b: &mut Builder, pool: &[Atom], params: &[Atom]) -> Vec<Atom> {
        let mut pool: Vec<Atom> = pool.iter().chain(params).cloned().collect();
        self.depth += 1;
        for _ in 0..self.next(4) {
            self.step(b, &mut pool);
        }
        self.depth -= 1;
        pool
    }
    fn level(&mut self) -> Level {
        match self.depth {
            0 => [Level::Auto, Level::Auto, Level::Glb(0), Level::Seq][self.next(4)],
            _ => [Level::Auto, Level::Seq][self.next(2)],
        }
    }

    fn step(&mut self, b: &mut Builder, pool: &mut Vec<Atom>) {
        if self.depth > 3 || self.made > 40 {
            return;
        }
        self.made += 1;
        if let Some(new) = self.made_next(b, pool) {
            pool.push(new);
        }
    }

    fn made_next(&mut self, b: &mut Builder, pool: &mut Vec<Atom>) -> Option<Atom> {
        Some(match self.next(24) {
            0 | 1 => {
                use ScalarOp::*;
                let op = [Add, Sub, Mul, Div, Mod, Min, Max, BitAnd][self.next(8)];
                let (x, mut y) = (self.int(pool, b), self.int(pool, b));
                if matches!(op, Div | Mod) && self.next(4) > 0 {
                    y = 3.into();
                }
                b.op(op, &[x, y])
            }
            2 => {
                let x = self.scalar(pool, b, &float());
                let y = self.scalar(pool, b, &float());
                b.op([ScalarOp::Add, ScalarOp::Mul, ScalarOp::Min, ScalarOp::Sub][self.next(4)], &[x, y])
            }
            3 => {
                let condition = self.scalar(pool, b, &boolean());
                let ty = [int(), float()][self.next(2)].clone();
                let arrays = self.next(3) == 0;
                let like = if arrays { self.pick(pool, b, has_flat) } else { None };
                let ty = like.as_ref().map_or(ty, |a| b.ty(a));
                let branch = |c: &mut Self, b: &mut Builder| {
                    b.block(|b| {
                        let inner = c.body(b, pool, &[]);
                        match &like {
                            Some(a) => c.pick(&inner, b, |t| *t == ty).unwrap_or(a.clone()),
                            None => c.scalar(&inner, b, &ty),
                        }
                    })
                };
                let (then, otherwise) = (branch(self, b), branch(self, b));
                b.emit("t", ty, Vec::new(), crate::core::Rhs::If(condition, then, otherwise))
            }
            4 => {
                let flat = |t: &Ty| is_scalar(t);
                let parts = [self.pick(pool, b, flat)?, self.pick(pool, b, flat)?];
                b.tuple(&parts)
            }
            5 => {
                let t = self.pick(pool, b, |t| matches!(t.kind(), TyKind::Tuple(_)))?;
                b.proj(&t, self.next(2))
            }
            6..=9 => {
                let xs = self.pick(pool, b, is_array)?;
                let level = self.level();
                b.map(level, &xs, |b, x| {
                    let inner = self.body(b, pool, std::slice::from_ref(x));
                    let ok = |t: &Ty| is_flat(t) || has_flat(t);
                    let closed = |t: &Ty| ok(t) && !opened(t);
                    self.pick(&inner, b, closed).unwrap_or_else(|| 1.into())
                })
            }
            10 | 11 => {
                let xs = self.pick(pool, b, has_flat)?;
                let level = self.level();
                b.filter(level, &xs, |b, x| {
                    let inner = self.body(b, pool, std::slice::from_ref(x));
                    self.scalar(&inner, b, &boolean())
                })
            }
            12 | 13 => {
                let packed = self.pick(pool, b, |t| matches!(t.kind(), TyKind::Exists(..)))?;
                let (lengths, value) = b.unpack(&packed);
                pool.push(Atom::from(&lengths[0]));
                value
            }
            14 => {
                let xs = self.pick(pool, b, has_flat)?;
                let len = length(b, &xs)?;
                len.as_var().filter(|v| v.kind == VarKind::Skolem)?;
                b.pack(&xs, &[len])
            }
            15 | 16 => {
                // Associative, with this neutral value, in any order.
                let xs = self.pick(pool, b, |t| t.as_array().is_some_and(|a| a.element == int()))?;
                let level = self.level();
                let level = if level == Level::Glb(0) { Level::Auto } else { level };
                let which = self.next(3);
                let (z, op) = [(0, ScalarOp::Add), (i32::MIN, ScalarOp::Max), (1, ScalarOp::Mul)][which];
                let prim = [Prim::Reduce(level), Prim::Scan(level), Prim::ScanExcl(level)][self.next(3)];
                let r = b.fold(prim, &[], z, &xs, |b, x, y| b.op(op, &[x.clone(), y.clone()]));
                if matches!(prim, Prim::Reduce(_)) { b.aref(&r, 0) } else { r }
            }
            17 => {
                let xs = self.pick(pool, b, has_flat)?;
                let ty = [int(), Ty::tuple(vec![int(), float()])][self.next(2)].clone();
                let z = self.value_of(pool, b, &ty);
                let r = b.reduce(Level::Seq, &z, &xs, |b, acc, x| {
                    let mut params = vec![acc.clone(), x.clone()];
                    for (k, p) in [acc.clone(), x.clone()].iter().enumerate() {
                        if matches!(b.ty(p).kind(), TyKind::Tuple(_)) {
                            params.push(b.proj(p, k % 2));
                        }
                    }
                    let inner = self.body(b, pool, &params);
                    self.value_of(&inner, b, &ty)
                });
                b.view(Prim::Head, &[], &[r])
            }
            18 => {
                let xs = self.pick(pool, b, is_array)?;
                b.view(Prim::Reverse, &[], &[xs])
            }
            19 => {
                let xs = self.pick(pool, b, is_array)?;
                let len = length(b, &xs)?;
                let ys = self.pick(pool, b, |t| t.as_array().is_some_and(|a| a.len == len && is_flat(&a.element)))?;
                if !has_flat(&b.ty(&xs)) {
                    return None;
                }
                b.zip(&[xs, ys])
            }
            20 => {
                let xs = self.pick(pool, b, has_scalars)?;
                let k = [1u64, 2, 4][self.next(3)];
                let len = length(b, &xs)?;
                // Only lengths that are certainly divisible.
                let divides = b.ty(&xs).as_array().is_some_and(|a| a.len.as_const().is_some_and(|n| n % k as i64 == 0));
                let four = len.div_exact(&4u64.into());
                if !divides && four.as_var().is_none() {
                    return None;
                }
                b.split(k, &xs)
            }
            21 => {
                let xss = self.pick(pool, b, has_rows)?;
                if self.next(2) == 0 { b.join(&xss) } else { b.transpose(&xss) }
            }
            22 => {
                let xs = self.pick(pool, b, has_scalars)?;
                let n = b.view(Prim::Length, &[], &[xs.clone()]);
                let i = self.int(pool, b);
                let (m, i) = (b.op(ScalarOp::Max, &[n, 1.into()]), b.op(ScalarOp::Abs, &[i]));
                let i = b.rem(&i, &m);
                let i = b.op(ScalarOp::Abs, &[i]);
                b.aref(&xs, &i)
            }
            _ => match self.next(4) {
                0 => {
                    let xs = self.pick(pool, b, |t| t.as_array().is_some_and(|a| a.element == int()))?;
                    let f = b.lambda(&[int(), int()], |b, p| b.lt(&p[0], &p[1]));
                    b.prim(Prim::Sort, &[], vec![f], &[xs])
                }
                1 => {
                    let xs = self.pick(pool, b, has_scalars)?;
                    let ys = self.pick(pool, b, |t| t.as_array().is_some_and(|a| a.element == b_element(b, &xs)))?;
                    b.view(Prim::Concat, &[], &[xs, ys])
                }
                2 => {
                    let xs = self.pick(pool, b, has_scalars)?;
                    let v = self.scalar(pool, b, &b_element(b, &xs));
                    b.view(Prim::PadConstant, &[1u64.into(), 2u64.into()], &[v, xs])
                }
                _ => {
                    let n = self.next(7) as u64;
                    b.iota(n)
                }
            },
        })
    }
}

fn b_element(b: &Builder, xs: &Atom) -> Ty {
    b.ty(xs).as_array().map_or_else(int, |a| a.element.clone())
}
fn length(b: &Builder, xs: &Atom) -> Option<Size> {
    Some(b.ty(xs).as_array()?.len.clone())
}
fn opened(t: &Ty) -> bool {
    t.any_size_var(&mut |v| v.kind == VarKind::Skolem)
}

fn kernel(numbers: &[u8]) -> Kernel {
    let mut choices = Choices { numbers: numbers.iter(), depth: 0, made: 0 };
    let mut b = Builder::new("random");
    let n = b.size("N");
    let m = n.mul(&4u64.into());
    let mut pool = vec![b.param("xs", array(int(), &m)), b.param("ys", array(float(), &m)), b.param("a", int())];
    while choices.numbers.len() > 0 && choices.made <= 40 {
        choices.step(&mut b, &mut pool);
    }
    let mut result = Vec::new();
    for a in pool.iter().rev() {
        if !opened(&b.ty(a)) && result.len() < 3 {
            result.push(a.clone());
        }
    }
    let result = b.tuple(&result);
    b.finish(&result)
}

/// Maximum numbers of a result that is compared.
const MOST: i64 = 1 << 22;

/// The numbers of a value for a size parameter, without rows of hidden length.
fn numbers_of(ty: &Ty, n: usize) -> i64 {
    match ty.kind() {
        TyKind::Array(a) => {
            let len = a.len.subst(&mut |_| Some(Size::nat(n as u64))).as_const().unwrap_or(1);
            len.saturating_mul(numbers_of(&a.element, n))
        }
        TyKind::Tuple(parts) => parts.iter().map(|part| numbers_of(part, n)).fold(0, i64::saturating_add),
        TyKind::Exists(_, body) => numbers_of(body, n),
        _ => 1,
    }
}

/// Builds the program and compares its results on the device; the error describes the difference.
fn check(numbers: &[u8]) -> Result<bool, String> {
    let kernel = kernel(numbers);
    let kernel = crate::core::simplify::simplify(kernel);
    let program = match compile(&kernel, &Target::portable()) {
        Ok(program) => program,
        // A refusal is allowed, wrong code is not.
        Err(errors) => {
            if std::env::var_os("LIFT_RANDOM").is_some() {
                eprintln!("refused: {}\n{kernel}", errors[0]);
            }
            return Ok(false);
        }
    };
    for len in [0, 1, 5, 40] {
        // Pairs of pairs of everything are no result to compare.
        if numbers_of(&kernel.atom_ty(&kernel.body.result), len) > MOST {
            break;
        }
        agree(&kernel, &program, &[ints(len * 4), floats(len * 4), Value::from(3)])?;
    }
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("LIFT_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(24),
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    })]
    #[test]
    fn programs_agree(numbers in prop::collection::vec(any::<u8>(), 0..150)) {
        let compiled = check(&numbers);
        prop_assert!(compiled.is_ok(), "{}", compiled.err().unwrap_or_default());
    }
}
