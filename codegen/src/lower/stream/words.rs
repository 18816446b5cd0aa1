//! Maps of elements of one or two bytes: a work-item computes four neighbouring elements, which it reads and writes as
//! vectors.
//!
//! One byte at a time, a GPU has too few bytes on their way to fill its memory's bandwidth. The elements of a vector pass
//! through private arrays, which the device's compiler keeps in registers because the loop over them is written out. An
//! index that is a multiple of the element's number plus a constant less than it (`3·i + 1`, the green of a pixel) is
//! read with its neighbours, too.

use crate::lower::function::Accessed;
use crate::lower::sums::Known;
use crate::opencl::{BinaryOp, CType, Expr, Qualifier, Step, Stmt, StmtKind, Storage, rewrite};
use lift_analysis::hir::{Name, Scalar};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Neighbouring elements of a work-item.
pub const WORD: i64 = 4;
/// Elements of fewer bytes than this are narrow. Wider ones are vectors only beside narrow ones.
const WIDE: u64 = 4;
/// Maximum elements of a buffer for each element of the map.
const MOST_STRIDE: i64 = 4;
/// Maximum bytes of all private arrays.
const MOST_BYTES: u64 = 256;

/// A buffer whose elements are read, or written, as vectors.
struct Part {
    buffer: Name,
    memory: Accessed,
    /// Elements of the buffer for each element of the map.
    stride: i64,
    /// The private array.
    own: Name,
    /// A name for each vector that is read.
    vectors: Vec<Name>,
}

/// The buffers of a loop's body that are accessed as vectors.
pub struct Words {
    parts: Vec<Part>,
    /// The index variable of the loop.
    index: Name,
    /// The values of the constants in the body.
    known: Known,
}

/// The buffers that the body of a loop over `index` accesses as vectors, if one of them has narrow elements.
pub fn words(
    body: &[Stmt],
    index: &Name,
    memory: &dyn Fn(&Name) -> Option<Accessed>,
    fresh: &mut dyn FnMut(&str) -> Name,
) -> Option<Words> {
    let known = Known::of(body);
    let mut found = Found { index, known: &known, memory, places: BTreeMap::new() };
    found.all(body);
    let mut parts = Vec::new();
    for (buffer, places) in found.places {
        let Some(memory) = memory(&buffer) else { continue };
        let Some(&Some((stride, _))) = places.first() else { continue };
        let alike = places.iter().all(|p| p.is_some_and(|(s, at)| s == stride && (0..stride).contains(&at)));
        let bytes = vector_of(memory.scalar).bytes();
        let wanted = (1..=MOST_STRIDE).contains(&stride) && bytes <= WIDE;
        let whole = |at: i64| always_writes(body, &buffer, &|e| place_in(e, index, &known) == Some((stride, at)));
        if alike && wanted && (!memory.written || (0..stride).all(whole)) {
            let (own, read) = (fresh(&buffer), if memory.written { 0 } else { stride });
            let vectors = (0..read).map(|_| fresh("four")).collect();
            parts.push(Part { buffer, memory, stride, own, vectors });
        }
    }
    let narrow = parts.iter().any(|p| vector_of(p.memory.scalar).bytes() < WIDE);
    let bytes: u64 = parts.iter().map(|p| vector_of(p.memory.scalar).bytes() * (WORD * p.stride).unsigned_abs()).sum();
    (narrow && bytes <= MOST_BYTES).then(|| Words { parts, index: index.clone(), known })
}

impl Words {
    /// The statements for the elements `WORD·word` and so on: `c` counts them.
    pub fn written_out(&self, word: &Expr, c: &Name, body: Vec<Stmt>) -> Vec<StmtKind> {
        let mut out = Vec::new();
        for part in &self.parts {
            let len = (WORD * part.stride).unsigned_abs();
            let ty = CType::stored(part.memory.scalar);
            out.push(StmtKind::DeclareArray { storage: Storage::Private, ty, name: part.own.clone(), len });
            for (vector, nth) in part.vectors.iter().zip(0..) {
                let ty = CType::Vec(vector_of(part.memory.scalar), WORD as u8);
                let init = Some(part.vector(word, nth));
                out.push(StmtKind::Declare { ty, constant: true, name: vector.clone(), init });
                let lane = |lane| Expr::Lane(Arc::new(Expr::Var(vector.clone())), lane as u8);
                out.extend((0..WORD).map(|n| StmtKind::Assign(part.at(Expr::int(nth * WORD + n)), lane(n))));
            }
        }
        let index = Expr::binary(BinaryOp::Mul, word.clone(), Expr::int(WORD)).add(Expr::Var(c.clone()));
        let mut body = body;
        self.replace(&mut body, c);
        out.push(StmtKind::Unroll);
        let declared =
            StmtKind::Declare { ty: CType::Int, constant: true, name: self.index.clone(), init: Some(index) };
        out.push(StmtKind::For {
            ty: CType::Int,
            var: c.clone(),
            from: Expr::int(0),
            condition: Expr::Var(c.clone()).lt(Expr::int(WORD)),
            step: Step::Increment,
            below: None,
            body: std::iter::once(Stmt { kind: declared, origin: None }).chain(body).collect(),
        });
        for part in self.parts.iter().filter(|p| p.memory.written) {
            for nth in 0..part.stride {
                let lanes = (0..WORD).map(|lane| part.at(Expr::int(nth * WORD + lane))).collect();
                let vector = Expr::Vector(CType::Vec(vector_of(part.memory.scalar), WORD as u8), lanes);
                out.push(StmtKind::Assign(part.vector(word, nth), vector));
            }
        }
        out
    }

    /// Accesses the private arrays in place of the buffers.
    fn replace(&self, body: &mut [Stmt], c: &Name) {
        let new = |e: &Expr| -> Option<Expr> {
            let Expr::Index(buffer, at) = e else { return None };
            let Expr::Var(name) = &**buffer else { return None };
            let part = self.parts.iter().find(|p| p.buffer == *name)?;
            let (stride, at) = place_in(at, &self.index, &self.known)?;
            let element = match stride {
                1 => Expr::Var(c.clone()),
                _ => Expr::binary(BinaryOp::Mul, Expr::Var(c.clone()), Expr::int(stride)),
            };
            Some(part.at(if at == 0 { element } else { element.add(Expr::int(at)) }))
        };
        rewrite(body, &mut |e| {
            if let Some(new) = new(e) {
                *e = new;
            }
        });
    }
}

impl Part {
    fn at(&self, element: Expr) -> Expr {
        Expr::Var(self.own.clone()).index(element)
    }

    /// Vector `nth` of a word.
    fn vector(&self, word: &Expr, nth: i64) -> Expr {
        let per_word = WORD * self.stride;
        let at = Expr::binary(BinaryOp::Mul, word.clone(), Expr::int(per_word));
        let at = if nth == 0 { at } else { at.add(Expr::int(nth * WORD)) };
        let space = if self.memory.written { Qualifier::Global } else { Qualifier::GlobalConst };
        let ty = CType::Vec(vector_of(self.memory.scalar), WORD as u8);
        Expr::Wide { ty, space, pointer: Arc::new(Expr::Var(self.buffer.clone()).add(at)) }
    }
}

/// The scalar in whose vectors elements are loaded: as they are stored.
fn vector_of(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool => Scalar::UByte,
        Scalar::Half => Scalar::UShort,
        other => other,
    }
}

/// Where a body accesses each buffer: at `stride·index + at`, or elsewhere.
struct Found<'a> {
    index: &'a Name,
    known: &'a Known,
    memory: &'a dyn Fn(&Name) -> Option<Accessed>,
    places: BTreeMap<Name, Vec<Option<(i64, i64)>>>,
}

impl Found<'_> {
    fn all(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            stmt.kind.each_expr(&mut |e| self.expr(e));
            stmt.kind.blocks().into_iter().for_each(|inner| self.all(inner));
        }
    }

    fn expr(&mut self, e: &Expr) {
        // A buffer that is used otherwise, such as the argument of a function, is accessed elsewhere.
        let mut indexed = 0;
        e.any(&mut |e| {
            if let Expr::Index(buffer, at) = e
                && let Expr::Var(name) = &**buffer
                && (self.memory)(name).is_some()
            {
                indexed += 1;
                self.places.entry(name.clone()).or_default().push(place_in(at, self.index, self.known));
            }
            false
        });
        let mut mentioned = Vec::new();
        e.any(&mut |e| {
            mentioned.extend(match e {
                Expr::Var(name) if (self.memory)(name).is_some() => Some(name.clone()),
                _ => None,
            });
            false
        });
        if mentioned.len() != indexed {
            mentioned.into_iter().for_each(|name| self.places.entry(name).or_default().push(None));
        }
    }
}

/// The stride and the offset of an index that is `stride·index + offset`.
fn place_in(at: &Expr, index: &Name, known: &Known) -> Option<(i64, i64)> {
    let mut sum = known.sum(at)?;
    let offset = sum.remove(&Vec::new()).unwrap_or(0);
    let stride = sum.remove(std::slice::from_ref(index))?;
    sum.is_empty().then_some((stride, offset))
}

/// Whether the statements write a place of a buffer in any case.
fn always_writes(stmts: &[Stmt], buffer: &Name, is_place: &dyn Fn(&Expr) -> bool) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Assign(Expr::Index(to, at), _) => matches!(&**to, Expr::Var(name) if name == buffer) && is_place(at),
        StmtKind::If { then, otherwise, .. } => {
            always_writes(then, buffer, is_place) && always_writes(otherwise, buffer, is_place)
        }
        StmtKind::Block(body) => always_writes(body, buffer, is_place),
        _ => false,
    })
}
