//! Loads that are far apart for neighbours along the last dimension, and adjacent along others.

use super::{declare, declare_parts};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::sums::{Known, Sum, expr_of, linear_in, product};
use crate::opencl::{BinaryOp, Expr, Stmt, StmtKind, has_loop};
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// The index of a dimension.
pub struct Index {
    pub name: Name,
    pub len: Size,
}

/// A load that every element does.
pub struct Load {
    pub buffer: Name,
    pub scalar: Scalar,
    /// The address.
    at: Sum,
    /// The address without the indices of [`Turned::chain`].
    rest: Sum,
}

/// The dimensions of a map or copy, and its loads that are turned.
pub struct Turned {
    indices: Vec<Index>,
    /// The dimensions that are adjacent in memory as one, the fastest first. Invariant: not the last dimension.
    chain: Vec<usize>,
    /// Whether the chain is read from its end.
    back: bool,
    /// Not empty.
    pub loads: Vec<Load>,
    known: Known,
}

impl Turned {
    /// How the loads of the statements that write an element depend on the indices; neighbours differ in the last index.
    pub fn of(b: &mut FunctionBuilder, body: &[Stmt], indices: Vec<Index>) -> Option<Turned> {
        let (last, outer) = indices.split_last()?;
        // The code of an element is written out several times.
        let instructions: usize = body.iter().map(|s| s.kind.instructions()).sum();
        let most = usize::try_from(b.parameter(Parameter::TransposeCode)).unwrap_or(usize::MAX);
        if has_loop(body) || instructions > most {
            return None;
        }
        // A length that depends on an index differs from row to row.
        let lens: Vec<Sum> =
            indices.iter().map(|i| Known::default().sum(&b.size(&i.len).ok()?)).collect::<Option<_>>()?;
        let known = Known::of(body);
        let memory = b.buffers_so_far();
        let mut all: Vec<(Name, Sum)> = Vec::new();
        for stmt in body {
            at_once(&stmt.kind, &mut |buffer, at| {
                let read = memory.iter().any(|(name, m)| name == buffer && !m.written);
                if let Some(at) = known.sum(at).filter(|at| read && is_outside(at, body))
                    && !all.iter().any(|(name, other)| name == buffer && *other == at)
                {
                    all.push((buffer.clone(), at));
                }
            });
        }
        let far = |at: &Sum| linear_in(at, &last.name).is_some_and(|(by, _)| by.keys().any(|names| !names.is_empty()));
        all.retain(|(_, at)| far(at));
        let stride = |at: &Sum, dim: usize| linear_in(at, &indices[dim].name).and_then(|(by, _)| constant(&by));
        let along = |dim: usize, by: i64| all.iter().filter(|(_, at)| stride(at, dim) == Some(by)).count();
        let dims = (0..outer.len()).flat_map(|dim| [(dim, 1), (dim, -1)]);
        let (first, by) = dims.max_by_key(|(dim, by)| along(*dim, *by)).filter(|(dim, by)| along(*dim, *by) > 0)?;
        all.retain(|(_, at)| stride(at, first) == Some(by));
        // Dimensions that continue where the ones before end.
        let mut chain = vec![first];
        let mut together = lens[first].clone();
        let continues = |at: &Sum, dim: usize, together: &Sum| {
            linear_in(at, &indices[dim].name).is_some_and(|(by, _)| by == *together)
        };
        while by == 1
            && let Some(next) = (0..outer.len())
                .filter(|dim| !chain.contains(dim))
                .find(|dim| all.iter().all(|(_, at)| continues(at, *dim, &together)))
        {
            chain.push(next);
            together = product(&together, &lens[next])?;
        }
        let mut loads = Vec::new();
        for (buffer, at) in all {
            let scalar = memory.iter().find(|(name, _)| *name == buffer)?.1.scalar;
            let mut rest = at.clone();
            for dim in &chain {
                rest = linear_in(&rest, &indices[*dim].name)?.1;
            }
            loads.push(Load { buffer, scalar, at, rest });
        }
        Some(Turned { indices, chain, back: by == -1, loads, known })
    }

    /// Bytes of local memory for each element of a square.
    pub fn bytes(&self) -> i64 {
        self.loads.iter().map(|load| load.scalar.bytes() as i64).sum()
    }

    pub fn last(&self) -> &Index {
        &self.indices[self.indices.len() - 1]
    }

    /// The number of adjacent elements.
    pub fn across(&self) -> Size {
        self.chain.iter().fold(Size::one(), |all, dim| all.mul(&self.indices[*dim].len))
    }

    /// The dimensions that are not of the squares.
    pub fn others(&self) -> Vec<&Index> {
        let last = self.indices.len() - 1;
        (0..last).filter(|dim| !self.chain.contains(dim)).map(|dim| &self.indices[dim]).collect()
    }

    /// Declares the indices of the element `q` of the chain and `c` of the last dimension.
    pub fn declare_indices(&self, b: &mut FunctionBuilder, q: Expr, c: Expr) -> Result<()> {
        declare(b, &self.last().name, c);
        declare_parts(b, self.chain.iter().map(|dim| &self.indices[*dim]), q)
    }

    /// The load that an expression is.
    pub fn load_of(&self, e: &Expr) -> Option<usize> {
        let Expr::Index(buffer, at) = e else { return None };
        let Expr::Var(name) = &**buffer else { return None };
        let at = self.known.sum(at)?;
        self.loads.iter().position(|load| load.buffer == *name && load.at == at)
    }
}

impl Load {
    /// The address for the element `q` of the chain and `c` of the last dimension.
    pub fn address(&self, turned: &Turned, q: &Expr, c: &Expr) -> Expr {
        let mut at = expr_of(&self.rest);
        let last = &turned.last().name;
        at.rewrite(&mut |e| {
            if matches!(e, Expr::Var(name) if name == last) {
                *e = c.clone();
            }
        });
        if turned.back { at.sub(q.clone()) } else { at.add(q.clone()) }
    }
}

/// The value of a sum without names.
fn constant(sum: &Sum) -> Option<i64> {
    match sum.len() {
        0 => Some(0),
        1 => sum.get(&Vec::new()).copied(),
        _ => None,
    }
}

/// Whether nothing in an address is declared in these statements.
fn is_outside(at: &Sum, body: &[Stmt]) -> bool {
    let declared =
        |name: &Name| body.iter().any(|s| matches!(&s.kind, StmtKind::Declare { name: own, .. } if own == name));
    !at.keys().flatten().any(declared)
}

/// Shows the buffer and the address of every load that the statement does in any case.
fn at_once(stmt: &StmtKind, see: &mut dyn FnMut(&Name, &Expr)) {
    match stmt {
        StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => loads(e, see),
        StmtKind::Assign(to, value) => {
            if let Expr::Index(_, at) = to {
                loads(at, see);
            }
            loads(value, see);
        }
        StmtKind::If { condition, .. } => loads(condition, see),
        _ => {}
    }
}

fn loads(e: &Expr, see: &mut dyn FnMut(&Name, &Expr)) {
    match e {
        Expr::Index(buffer, at) => {
            if let Expr::Var(name) = &**buffer {
                see(name, at);
            }
            loads(at, see);
        }
        Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) | Expr::Select(a, ..) => loads(a, see),
        Expr::Binary(BinaryOp::And | BinaryOp::Or, a, _) => loads(a, see),
        Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| loads(e, see)),
        Expr::Call(_, parts) | Expr::Vector(_, parts) => parts.iter().for_each(|e| loads(e, see)),
        _ => {}
    }
}
