//! Counts the work of expressions.

use super::amount::{Amount, Price, Work};
use super::branches::Branches;
use super::calls;
use super::count::Counter;
use super::ctypes::bytes;
use super::domain::{Domain, rounded_up};
use super::values::eval;
use super::verdict::{Apart, NEAR};
use crate::opencl::{BinaryOp, CType, Expr, Qualifier, UnaryOp};
use lift_analysis::size::Size;
use std::sync::Arc;

impl Counter<'_> {
    /// The work of `price` in each execution of the domain.
    pub fn paid(&self, price: Price, domain: &Domain) -> Work {
        let mut work = Work::none();
        if price.is_free() {
            return work;
        }
        let count = domain.count();
        let times = |n: u64| count.times(&Size::nat(n));
        work.read = times(price.read);
        work.written = times(price.written);
        work.integer = times(price.integer);
        work.float = times(price.float);
        work.special = times(price.special);
        if price.barriers > 0 {
            // All work-items of a group pass a barrier together.
            let items = Size::nat(self.items.max(1).into());
            let barriers = times(price.barriers);
            let whole = barriers.size.div_exact(&items);
            let is_whole = whole.summands().iter().all(|term| term.denominator == 1);
            let size = if is_whole { whole } else { rounded_up(&barriers.size, &items) };
            work.barriers = Amount { size, exact: barriers.exact };
        }
        work
    }

    /// The work of an expression in all executions of the domain.
    pub fn expr(&mut self, e: &Expr, domain: &mut Domain) -> Work {
        let mut price = Price::default();
        let mut more = Work::none();
        self.price(e, true, domain, &mut price, &mut more);
        more.add(&self.paid(price, domain));
        more
    }
    /// The loads of an expression in a loop's head; its arithmetic is not counted.
    pub fn loads(&mut self, e: &Expr, domain: &mut Domain) -> Work {
        let (mut price, mut more) = (Price::default(), Work::none());
        self.price(e, false, domain, &mut price, &mut more);
        more.add(&self.paid(price, domain));
        more
    }
    /// The loads in the index of an assignment's target.
    pub fn loads_of_index(&mut self, to: &Expr, domain: &mut Domain) -> Work {
        match to {
            Expr::Index(_, at) => self.loads(at, domain),
            Expr::Lane(inner, _) => self.loads_of_index(inner, domain),
            Expr::Wide { pointer, .. } => self.loads(pointer, domain),
            _ => Work::none(),
        }
    }

    /// Adds the work of one evaluation to `price`, and work that is done only conditionally to `more`. Arithmetic is
    /// ignored unless `count`, as in indices.
    fn price(&mut self, e: &Expr, count: bool, domain: &mut Domain, price: &mut Price, more: &mut Work) {
        match e {
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) | Expr::Var(_) => {}
            Expr::Index(array, at) => {
                let read = self.global_bytes(e);
                price.read += read;
                self.lies_apart(e, read, domain);
                self.price(array, false, domain, price, more);
                self.price(at, false, domain, price, more);
            }
            Expr::Wide { pointer, .. } => {
                let read = self.global_bytes(e);
                price.read += read;
                self.lies_apart(e, read, domain);
                self.price(pointer, false, domain, price, more);
            }
            Expr::Lane(inner, _) => self.price(inner, count, domain, price, more),
            Expr::AddressOf(inner) => self.price(inner, false, domain, price, more),
            Expr::Cast(_, inner) => self.price(inner, count, domain, price, more),
            Expr::Vector(_, lanes) => lanes.iter().for_each(|l| self.price(l, count, domain, price, more)),
            Expr::Unary(op, inner) => {
                if count && *op == UnaryOp::Neg {
                    price.add(self.operation(inner, false));
                }
                self.price(inner, count, domain, price, more);
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                self.price(a, count, domain, price, more);
                let when =
                    if *op == BinaryOp::And { a.clone() } else { Arc::new(Expr::Unary(UnaryOp::Not, a.clone())) };
                self.sometimes(&when, b, None, count, domain, more);
            }
            Expr::Binary(op, a, b) => {
                if count {
                    let division = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                    let wider = if self.type_of(a).is_some_and(is_float) { a } else { b };
                    price.add(self.operation(wider, division));
                }
                self.price(a, count, domain, price, more);
                self.price(b, count, domain, price, more);
            }
            Expr::Select(condition, then, otherwise) => {
                self.price(condition, count, domain, price, more);
                self.sometimes(condition, then, Some(otherwise), count, domain, more);
            }
            Expr::Call(name, args) => {
                let (float, lanes) = args
                    .iter()
                    .filter_map(|a| self.type_of(a))
                    .fold((false, 1), |(f, n), t| (f || is_float(t), n.max(lanes(t))));
                let call = calls::price(name, args, self.items, float, lanes);
                price.add(if count { call } else { Price { integer: 0, float: 0, special: 0, ..call } });
                let first = calls::of_first(name);
                if first > 0 {
                    let groups = rounded_up(&domain.count().size, &Size::nat(self.items.max(1).into()));
                    let bytes = Amount { size: groups.mul(&Size::nat(first)), exact: domain.exact };
                    more.add(&Work { read: bytes.clone(), written: bytes, ..Work::none() });
                }
                if let Some(work) = self.sorting(name, args, domain) {
                    more.add(&work);
                }
                self.waits |= calls::waits(name);
                for arg in args {
                    self.price(arg, count, domain, price, more);
                }
            }
        }
    }

    /// The work of `then` where the condition holds, and of `otherwise` elsewhere.
    fn sometimes(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: Option<&Expr>,
        count: bool,
        domain: &mut Domain,
        more: &mut Work,
    ) {
        if then.is_atom() && otherwise.is_none_or(Expr::is_atom) {
            return;
        }
        let of = |counter: &mut Self, e: &Expr, mut domain: Domain| {
            if count { counter.expr(e, &mut domain) } else { counter.loads(e, &mut domain) }
        };
        let work = match self.branches(condition, domain) {
            Branches::Known(yes, no) => {
                let mut work = yes.map_or_else(Work::none, |yes| of(self, then, yes));
                if let (Some(no), Some(otherwise)) = (no, otherwise) {
                    work.add(&of(self, otherwise, no));
                }
                work
            }
            Branches::Either | Branches::Limited(_) => {
                let yes = of(self, then, domain.clone());
                let no = otherwise.map_or_else(Work::none, |e| of(self, e, domain.clone()));
                yes.either(&no, &|a, b| domain.is_at_most(a, b))
            }
        };
        more.add(&work);
    }

    /// The price of an operation on operands of this type.
    fn operation(&self, operand: &Expr, division: bool) -> Price {
        match self.type_of(operand) {
            Some(ty) if is_float(ty) && division => Price { special: lanes(ty), ..Price::default() },
            Some(ty) if is_float(ty) => Price { float: lanes(ty), ..Price::default() },
            Some(ty) => Price { integer: lanes(ty), ..Price::default() },
            None => Price { integer: 1, ..Price::default() },
        }
    }

    /// Bytes per element of an array in global memory; 0 for other arrays.
    fn global_element(&self, array: &Expr) -> u64 {
        match array {
            Expr::Var(name) => self.types.get(name).filter(|t| t.global).map_or(0, |t| bytes(t.ty)),
            // A choice between two buffers of the same type.
            Expr::Select(_, one, _) => self.global_element(one),
            _ => 0,
        }
    }

    /// Bytes of global memory that an lvalue designates.
    pub fn global_bytes(&self, e: &Expr) -> u64 {
        match e {
            Expr::Index(array, _) => self.global_element(array),
            Expr::Wide { ty, space: Qualifier::Global | Qualifier::GlobalConst, .. } => bytes(*ty),
            Expr::Lane(inner, _) => match self.type_of(inner) {
                Some(ty) => self.global_bytes(inner) / lanes(ty),
                None => self.global_bytes(inner),
            },
            _ => 0,
        }
    }

    /// Records an access if neighbouring work-items lie far apart in it.
    pub fn lies_apart(&mut self, e: &Expr, bytes: u64, domain: &Domain) {
        if bytes == 0 {
            return;
        }
        let (array, at) = match e {
            Expr::Index(array, at) => (array, at),
            Expr::Lane(inner, _) => return self.lies_apart(inner, bytes, domain),
            Expr::Wide { pointer, .. } => match &**pointer {
                Expr::AddressOf(inner) => return self.lies_apart(inner, bytes, domain),
                _ => return,
            },
            _ => return,
        };
        let mut domain = domain.clone();
        let Some(place) = eval(at, &self.names, &self.grid, &mut domain) else { return };
        let Some(stride) = domain.stride(&place) else { return };
        let stride = stride.mul(&Size::nat(self.global_element(array)));
        if stride.as_const().is_some_and(|n| n.abs() <= NEAR) {
            return;
        }
        let element = bytes;
        let bytes = domain.count().size.mul(&Size::nat(element));
        match self.apart.iter_mut().find(|a| a.origin == self.origin && a.stride == stride) {
            Some(known) => known.bytes = known.bytes.add(&bytes),
            None => self.apart.push(Apart { origin: self.origin.clone(), stride, element, bytes }),
        }
    }

    /// The type of an expression, as far as its cost depends on it.
    fn type_of(&self, e: &Expr) -> Option<CType> {
        Some(match e {
            Expr::Int { long: false, .. } => CType::Int,
            Expr::Int { long: true, .. } => CType::Long,
            Expr::UInt(_) => CType::UInt,
            Expr::Float(_) => CType::Float,
            Expr::Double(_) => CType::Double,
            Expr::Bool(_) => CType::Bool,
            Expr::Var(name) => self.types.get(name)?.ty,
            Expr::Unary(_, a) => self.type_of(a)?,
            Expr::Binary(
                BinaryOp::Lt
                | BinaryOp::Gt
                | BinaryOp::Le
                | BinaryOp::Ge
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::And
                | BinaryOp::Or,
                ..,
            ) => CType::Bool,
            Expr::Binary(_, a, b) => match (self.type_of(a), self.type_of(b)) {
                (Some(a), Some(b)) => {
                    if is_float(b) || lanes(b) > lanes(a) {
                        b
                    } else {
                        a
                    }
                }
                (a, b) => a.or(b)?,
            },
            Expr::Select(_, a, b) => self.type_of(a).or_else(|| self.type_of(b))?,
            Expr::Call(name, args) => match &**name {
                "as_float" => CType::Float,
                "as_uint" => CType::UInt,
                _ if name.starts_with("convert_") => converted(name)?,
                _ if name.starts_with("get_") || name.starts_with("lift_") => CType::Int,
                _ => self.type_of(args.first()?)?,
            },
            Expr::Cast(ty, _) | Expr::Vector(ty, _) | Expr::Wide { ty, .. } => *ty,
            Expr::Index(array, _) => self.type_of(array)?,
            Expr::Lane(inner, _) => match self.type_of(inner)? {
                CType::Vec(s, _) => CType::of(s),
                other => other,
            },
            Expr::AddressOf(inner) => self.type_of(inner)?,
        })
    }
}

/// The type of the result of `convert_int_sat` and the like.
fn converted(function: &str) -> Option<CType> {
    let name = function.strip_prefix("convert_")?.strip_suffix("_sat")?;
    lift_analysis::hir::Scalar::all().map(CType::of).find(|ty| ty.name() == name)
}

fn is_float(ty: CType) -> bool {
    match ty {
        CType::Float | CType::Double => true,
        CType::Vec(lane, _) => lane.is_floating(),
        _ => false,
    }
}

fn lanes(ty: CType) -> u64 {
    match ty {
        CType::Vec(_, n) => n.max(1).into(),
        _ => 1,
    }
}
