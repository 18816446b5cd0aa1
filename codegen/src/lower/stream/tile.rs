//! Tiles: the elements of an array that a work-group of known size processes at a time. Its work-items take turns with
//! four consecutive elements each, and keep all their elements in registers.

use crate::lower::Result;
use crate::lower::device_filter::local_id;
use crate::lower::function::{Body, Dims, FunctionBuilder};
use crate::lower::value::{Array, Closure, Dest, Layout, Memory, Place, Root, ScalarValue, Value, View};
use crate::opencl::ast::{Qualifier, instructions};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind, Storage, has_loop};
use crate::target::Target;
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;
use std::sync::Arc;

/// The dimensions of a launch over tiles.
pub const TILED: Dims = Dims { glb: [false; 3], wrg: [true, false, false], lcl: [true, false, false] };

/// The shape of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Work-items of the group.
    pub group: u32,
    /// Vectors of four elements per work-item.
    pub fours: u32,
}

impl Shape {
    /// The shape for elements of `bytes` bytes; `None` if they are too large. A tile fits local memory, and the
    /// elements of a work-item fit registers.
    pub fn of(target: &Target, bytes: u64) -> Option<Shape> {
        const MOST_BYTES: u64 = 16 * 1024;
        let group = target.group.min(target.most_in_group).max(1);
        let fours = MOST_BYTES / (u64::from(group) * 4 * bytes.max(1));
        (fours > 0).then_some(Shape { group, fours: fours.min(8) as u32 })
    }
    pub fn elements(self) -> i64 {
        i64::from(self.group) * i64::from(self.fours) * 4
    }
    /// Elements per work-item.
    pub fn each(self) -> i64 {
        i64::from(self.fours) * 4
    }
    /// The group size for [`crate::lower::host::Host::launch`].
    pub fn local(self) -> [Option<u32>; 3] {
        [Some(self.group), Some(1), Some(1)]
    }
    /// The number of tiles of an array of `n` elements; at least one.
    pub fn tiles(self, n: &Size) -> Size {
        let elements = Size::int(self.elements());
        let tiles = n.add(&elements).sub(&Size::one()).div_floor(&elements);
        Size::max(&Size::one(), &tiles)
    }
}

/// The cost of computing an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementWork {
    Little,
    /// Too many instructions: code for all elements of a work-item would not fit the instruction cache.
    Much,
    /// A loop.
    Loop,
}

/// Approximate number of instructions per element from which four elements at a time have code of their own.
const MUCH: usize = 100;

/// Writes code for one element of a work-item, given its index among these.
pub type Each<'a, 'k> = &'a dyn Fn(&mut FunctionBuilder<'_, 'k>, Expr) -> Result<()>;

/// Bytes of a scalar or a tuple of scalars in memory; `None` for other types.
pub fn bytes(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Scalar(s) => Some(s.bytes()),
        TyKind::Tuple(parts) => parts.iter().map(bytes).sum(),
        _ => None,
    }
}

/// A tile of an array of `n` elements.
pub struct Tile {
    pub shape: Shape,
    pub number: Expr,
    /// Index of its first element.
    pub begin: Expr,
    /// Elements from there to the end of the array; may exceed the tile.
    pub left: Expr,
}

impl Tile {
    pub fn is_whole(&self) -> Expr {
        self.left.clone().ge(Expr::int(self.shape.elements()))
    }
    /// The index in the tile of element `j` of this work-item's `k`-th vector.
    fn offset(&self, k: Expr, j: Expr) -> Expr {
        let four = times(k, self.shape.group).add(local_id().cast(CType::Int));
        times(four, 4).add(j)
    }
}

fn times(e: Expr, by: u32) -> Expr {
    Expr::binary(BinaryOp::Mul, e, Expr::int(by.into()))
}

impl Body {
    pub fn tile(&mut self, shape: Shape, number: Expr, n: &Expr) -> Tile {
        let begin = Expr::binary(BinaryOp::Mul, number.clone(), Expr::int(shape.elements()));
        let begin = self.bind("begin", CType::Int, begin);
        let left = self.bind("left", CType::Int, n.clone().sub(begin.clone()));
        Tile { shape, number, begin, left }
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// One C array for each scalar of the elements; `None` unless elements are scalars or tuples of them.
    pub fn element_arrays(&mut self, ty: &Ty, name: &str, storage: Storage, len: i64) -> Option<Rc<Layout>> {
        Some(match ty.kind() {
            TyKind::Scalar(s) => {
                self.note_double(*s);
                let local = storage != Storage::Private;
                if local {
                    self.own_mut().declare_local(len as u64 * s.bytes());
                }
                let name = self.declare_array(name, storage, CType::stored(*s), len as u64);
                Layout::Scalar(Memory { root: Root::Array { name, local }, scalar: *s }).into()
            }
            TyKind::Tuple(parts) => {
                let mut all = Vec::new();
                for (i, part) in parts.iter().enumerate() {
                    all.push(self.element_arrays(part, &format!("{name}_{}", i + 1), storage, len)?);
                }
                Layout::Tuple(all).into()
            }
            _ => return None,
        })
    }

    /// An element of these arrays.
    pub fn slot_at(&mut self, arrays: &Rc<Layout>, at: Expr) -> Place {
        let at = match at.as_int() {
            Some(n) => Size::int(n),
            None => Size::var(self.index_var("slot", at)),
        };
        Place { layout: arrays.clone(), at }
    }

    /// A loop of a constant number of iterations that the device's compiler unrolls.
    pub fn written_out(&mut self, name: &str, n: u32, body: impl FnOnce(&mut Self, Expr) -> Result<()>) -> Result<()> {
        match n {
            0 => return Ok(()),
            1 => return body(self, Expr::int(0)),
            _ => self.emit(StmtKind::Unroll),
        }
        self.for_range(name, Expr::int(0), &Size::nat(n.into()), Step::Increment, |f, i| {
            let i = f.size(i)?;
            body(f, i)
        })
    }

    /// Statements under a condition.
    pub fn provided(&mut self, condition: Expr, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (stmts, ()) = self.scope(body)?;
        self.emit_if(condition, stmts, Vec::new());
        Ok(())
    }

    /// Runs `body` in a context where all work-items of the group are active.
    pub fn in_group<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mut active = self.position().active();
        (active.wrg[0], active.lcl[0]) = (true, true);
        self.with_active(active, body)
    }

    /// A group-stride loop over `0 <= i < n`.
    pub fn for_group(&mut self, group: u32, n: &Size, body: impl FnOnce(&mut Self, &Size) -> Result<()>) -> Result<()> {
        self.for_range("i", local_id(), n, Step::Add(Expr::int(group.into())), body)
    }
}

/// Like [`Self::load_tile`], for a tile all of whose elements exist.
pub fn load_whole_tile<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    shape: Shape,
    number: Expr,
    xs: &Array<'k>,
    own: &Rc<Layout>,
) -> Result<()> {
    let fours = xs.len.div_floor(&Size::int(4));
    let first = times(number, shape.group * shape.fours).add(local_id().cast(CType::Int));
    let first = f.bind("first", CType::Int, first);
    if work_of_element(f, xs, &first)? == ElementWork::Loop {
        return load_one_at_a_time(f, shape, first, xs, own);
    }
    f.written_out("k", shape.fours, |f, k| {
        let q = f.bind("q", CType::Int, first.add(times(k.clone(), shape.group)));
        let q = f.index_var("q", q);
        f.known_mut().assume_index(&q, &fours);
        let elements = read_four(f, xs, &Size::var(q))?;
        for (j, x) in elements.iter().enumerate() {
            let to = f.slot_at(own, times(k.clone(), 4).add(Expr::int(j as i64)));
            f.copy(x, &Dest::Place(to))?;
        }
        Ok(())
    })
}

/// The work of computing an element. The code of a loop is written once, not once per element of a work-item: many
/// copies are slow to compile and hide no latency, and one driver miscompiled a body of 64 such loops.
pub fn work_of_element<'k>(f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>, at: &Expr) -> Result<ElementWork> {
    let (stmts, result) = f.scope(|f| {
        let i = f.index_var("i", at.clone());
        f.known_mut().assume_index(&i, &xs.len);
        f.read(xs, &Size::var(i))
    })?;
    if has_loop(&stmts) {
        return Ok(ElementWork::Loop);
    }
    let computed = match &result {
        Value::Scalar(ScalarValue::Computed { expr, .. }) => instructions(expr),
        _ => 0,
    };
    let all = stmts.iter().map(|s| s.kind.instructions()).sum::<usize>() + computed;
    Ok(if all > MUCH { ElementWork::Much } else { ElementWork::Little })
}

/// Elements `4·q` to `4·q + 3`, which must exist.
pub fn read_four<'k>(f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>, q: &Size) -> Result<[Value<'k>; 4]> {
    let four = Size::int(4);
    match &*xs.view {
        View::Stored { element, base } if f.facts().divides(&four, base).is_yes() => match &**element {
            Layout::Scalar(Memory { root: Root::Buffer(buffer), scalar }) => {
                f.note_double(*scalar);
                let pointer = Expr::Var(f.use_buffer(*buffer, false));
                let four = wide(f, Qualifier::GlobalConst, *scalar, pointer, &base.add(&q.mul(&four)))?;
                let v = f.bind("v", CType::Vec(*scalar, 4), four);
                Ok([0, 1, 2, 3].map(|j| Value::computed(*scalar, v.clone().lane(j))))
            }
            Layout::Tuple(parts) => {
                let parts: Vec<Array> = parts
                    .iter()
                    .map(|p| Array::new(xs.len.clone(), View::Stored { element: p.clone(), base: base.clone() }))
                    .collect();
                four_tuples(f, &parts, q)
            }
            _ => one_by_one(f, xs, q),
        },
        View::Zip(parts) => four_tuples(f, parts, q),
        View::Component(of, at) => {
            let tuples = read_four(f, of, q)?;
            let mut out = Vec::new();
            for t in tuples {
                match t {
                    Value::Tuple(mut parts) if *at < parts.len() => out.push(parts.swap_remove(*at)),
                    _ => return Err(f.error("", "a component is taken of something that is not a tuple")),
                }
            }
            as_four(f, out)
        }
        View::Mapped(function, of) => {
            let xs = read_four(f, of, q)?;
            call_on_four(f, function, &xs)
        }
        View::Part { from, step, of } if step.is_one() && f.facts().divides(&four, from).is_yes() => {
            read_four(f, of, &from.div_exact(&four).add(q))
        }
        _ => one_by_one(f, xs, q),
    }
}

/// Four elements of a buffer as one vector access. Buffers are aligned for every vector type.
pub fn wide(f: &mut FunctionBuilder, space: Qualifier, scalar: Scalar, pointer: Expr, at: &Size) -> Result<Expr> {
    let pointer = Arc::new(pointer.add(f.size(at)?));
    Ok(Expr::Wide { ty: CType::Vec(scalar, 4), space, pointer })
}

impl Tile {
    /// A loop over this work-item's elements: `body` gets the index among these and the index in the tile.
    pub fn for_own<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, Expr, Expr) -> Result<()>,
    ) -> Result<()> {
        f.written_out("k", self.shape.fours, |f, k| {
            f.written_out("j", 4, |f, j| {
                let own = times(k.clone(), 4).add(j.clone());
                let offset = self.offset(k.clone(), j);
                body(f, own, offset)
            })
        })
    }

    /// Element `begin + offset` of the array, as an index.
    pub fn tile_index(&self, f: &mut FunctionBuilder, offset: Expr, n: &Size) -> Size {
        let i = f.bind("i", CType::Int, self.begin.clone().add(offset));
        let var = f.index_var("i", i);
        f.known_mut().assume_index(&var, n);
        Size::var(var)
    }

    /// Reads the elements of this work-item into `own`; after the end of the array, `otherwise` replaces them. Once all
    /// loads are in flight, `then` is called for each existing element.
    pub fn load_tile<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        xs: &Array<'k>,
        own: &Rc<Layout>,
        otherwise: Option<&Value<'k>>,
        then: Option<Each<'_, 'k>>,
    ) -> Result<()> {
        let (whole, ()) = f.scope(|f| {
            load_whole_tile(f, self.shape, self.number.clone(), xs, own)?;
            then.map_or(Ok(()), |then| self.for_own(f, |f, at, _| then(f, at)))
        })?;
        let (some, ()) = f.scope(|f| {
            self.for_own(f, |f, at, offset| {
                let to = Dest::Place(f.slot_at(own, at.clone()));
                let (inside, ()) = f.scope(|f| {
                    let i = self.tile_index(f, offset.clone(), &xs.len);
                    let x = f.read(xs, &i)?;
                    f.copy(&x, &to)?;
                    then.map_or(Ok(()), |then| then(f, at))
                })?;
                let (outside, ()) = f.scope(|f| otherwise.map_or(Ok(()), |v| f.copy(v, &to)))?;
                f.emit_if(offset.lt(self.left.clone()), inside, outside);
                Ok(())
            })
        })?;
        f.emit_if(self.is_whole(), whole, some);
        Ok(())
    }
}

fn load_one_at_a_time<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    shape: Shape,
    first: Expr,
    xs: &Array<'k>,
    own: &Rc<Layout>,
) -> Result<()> {
    let fours = Size::nat(shape.fours.into());
    f.for_range("k", Expr::int(0), &fours, Step::Increment, |f, k| {
        let k = f.size(k)?;
        f.for_range("j", Expr::int(0), &Size::int(4), Step::Increment, |f, j| {
            let j = f.size(j)?;
            let four = first.add(times(k.clone(), shape.group));
            let i = f.bind("i", CType::Int, times(four, 4).add(j.clone()));
            let i = f.index_var("i", i);
            f.known_mut().assume_index(&i, &xs.len);
            let x = f.read(xs, &Size::var(i))?;
            let to = f.slot_at(own, times(k, 4).add(j));
            f.copy(&x, &Dest::Place(to))
        })
    })
}

fn one_by_one<'k>(f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>, q: &Size) -> Result<[Value<'k>; 4]> {
    let mut out = Vec::new();
    for j in 0..4 {
        let x = f.read(xs, &q.mul(&Size::int(4)).add(&Size::int(j)))?;
        out.push(f.named_scalar(&x, "x")?);
    }
    as_four(f, out)
}

fn four_tuples<'k>(f: &mut FunctionBuilder<'_, 'k>, parts: &[Array<'k>], q: &Size) -> Result<[Value<'k>; 4]> {
    let mut all = Vec::new();
    for p in parts {
        all.push(read_four(f, p, q)?);
    }
    Ok([0, 1, 2, 3].map(|j| Value::Tuple(all.iter().map(|four| four[j].clone()).collect())))
}

fn call_on_four<'k>(b: &mut FunctionBuilder<'_, 'k>, f: &Closure<'k>, xs: &[Value<'k>; 4]) -> Result<[Value<'k>; 4]> {
    let mut out = Vec::new();
    for x in xs {
        out.push(b.call(f, std::slice::from_ref(x))?);
    }
    as_four(b, out)
}

fn as_four<'k>(f: &Body, values: Vec<Value<'k>>) -> Result<[Value<'k>; 4]> {
    values.try_into().map_err(|_| f.error("", "four elements are expected"))
}
