//! Values of core variables during code generation: a C expression, a size, a place in memory, or a view.
//!
//! An array is a length and a [`View`], its access function. Views are data; they are composed, never executed, and
//! reading one ([`super::read`]) composes index arithmetic in [`Size`] until memory is reached.

use crate::core::{Kernel, Lambda, PadMode, Stmt, VarId};
use crate::opencl::Expr;
use crate::plan::BufferId;
use lift_analysis::hir::{Literal, Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

#[derive(Debug, Clone)]
pub enum Value<'k> {
    Scalar(ScalarValue),
    Vec(VecValue),
    Tuple(Vec<Value<'k>>),
    Array(Array<'k>),
    /// An existential: the hidden lengths, in the order of the type's variables, and the value.
    Packed {
        sizes: Vec<Size>,
        body: Box<Value<'k>>,
    },
    /// Scalar work at host level, computed by each kernel that uses it.
    Deferred(Rc<Deferred<'k>>),
    /// A scalar or vector in a buffer, loaded by each kernel that uses it.
    Place(Place),
    /// Already written to its destination through a view that cannot be read back; never read.
    Written,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ScalarValue {
    Literal(Literal),
    /// An `Int` known as a size, so that it takes part in index arithmetic.
    Size(Size),
    Computed {
        ty: Scalar,
        expr: Expr,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct VecValue {
    pub scalar: Scalar,
    pub width: u8,
    pub expr: Expr,
}

/// A host-level statement whose value each kernel computes for itself.
#[derive(Debug)]
pub struct Deferred<'k> {
    pub stmt: &'k Stmt,
    pub env: Env<'k>,
    /// Whether some kernel computes it.
    pub computed: Cell<bool>,
    /// Whether it is a length that may be negative: each kernel that reads it checks, so that no earlier check is needed.
    pub is_length: bool,
}

/// How a kernel gets a length that was opened at host level.
#[derive(Debug, Clone)]
pub enum LengthSource<'k> {
    /// From the first element of a buffer.
    Buffer(BufferId),
    /// An `Int` that each kernel computes, checking that it is not negative.
    Value(Value<'k>, Rc<Deferred<'k>>),
    /// A known size.
    Size(Size),
}

/// A function with the values of its free variables.
#[derive(Debug, Clone)]
pub struct Closure<'k> {
    pub lambda: &'k Lambda,
    pub env: Env<'k>,
}

impl<'k> Closure<'k> {
    /// The function for the element at an index.
    pub fn at(&self, index: &Size) -> Closure<'k> {
        let mut closure = self.clone();
        if let Some(position) = &self.lambda.position {
            closure.env.bind_size(position.clone(), index.clone());
        }
        closure
    }

    /// The name of its first parameter, such as the accumulator of a fold.
    pub fn first_name(&self, kernel: &Kernel) -> String {
        self.lambda.params.first().map_or("acc", |p| kernel.name_of(*p)).to_string()
    }
}

#[derive(Debug, Clone)]
pub struct Array<'k> {
    pub len: Size,
    pub view: Rc<View<'k>>,
}

impl<'k> Array<'k> {
    /// The length of the rows whose elements these are, row by row, if the rows do not lie one after the other in memory.
    pub fn scattered_rows(&self) -> Option<Size> {
        match &*self.view {
            View::Flat { row, of } => (!of.is_in_order()).then(|| row.clone()),
            View::Mapped(_, of) | View::Component(of, _) => of.scattered_rows(),
            View::Zip(parts) => parts.iter().find_map(Array::scattered_rows),
            _ => None,
        }
    }

    /// Whether rows lie one after the other in memory.
    fn is_in_order(&self) -> bool {
        match &*self.view {
            View::Stored { .. } | View::Packed { .. } | View::Rows { .. } => true,
            View::Part { step, of, .. } => step.is_one() && of.is_in_order(),
            _ => false,
        }
    }

    pub fn new(len: Size, view: View<'k>) -> Array<'k> {
        Array { len, view: Rc::new(view) }
    }
}

/// The access function of an array: how to get element `i`. Lengths are those of the array itself unless stated
/// otherwise.
#[derive(Debug)]
pub enum View<'k> {
    /// In memory: element `i` is instance `base + i` of the layout.
    Stored {
        element: Rc<Layout>,
        base: Size,
    },
    Zip(Vec<Array<'k>>),
    /// In memory, with rows of different lengths concatenated; `base` is the start of the first.
    Packed {
        layout: Rc<Layout>,
        base: Size,
    },
    /// One component of an array of tuples.
    Component(Array<'k>, usize),
    /// Row `i` has the `row` elements from `i·row` on.
    Rows {
        row: Size,
        of: Array<'k>,
    },
    /// Row `i` has the `each` elements from `before` on; both mention the index `i`.
    Pieces {
        pieces: Pieces,
        of: Array<'k>,
    },
    /// The concatenated elements of rows of different lengths.
    FlatPieces {
        pieces: Pieces,
        of: Array<'k>,
    },
    /// Window `i` has the `size` elements from `i·step` on.
    Windows {
        size: Size,
        step: Size,
        of: Array<'k>,
    },
    /// Element `from + i·step`; the step may be negative.
    Part {
        from: Size,
        step: Size,
        of: Array<'k>,
    },
    /// Element `i mod row` of row `i / row`.
    Flat {
        row: Size,
        of: Array<'k>,
    },
    /// Element `(i mod columns)·step + i / columns`: every `step`-th element first, then those after them, ….
    Strided {
        step: Size,
        columns: Size,
        of: Array<'k>,
    },
    Pad {
        left: Size,
        mode: PadMode,
        of: Array<'k>,
    },
    PadConstant {
        left: Size,
        value: Value<'k>,
        of: Array<'k>,
    },
    Transposed(Array<'k>),
    /// Element `i` is element `at` of row `i`.
    Column {
        at: Size,
        of: Array<'k>,
    },
    /// Element `i` is element `f(i)`.
    Gathered(Closure<'k>, Array<'k>),
    Concat(Array<'k>, Array<'k>),
    /// One of two arrays of the same length.
    Choice {
        condition: Expr,
        then: Array<'k>,
        otherwise: Array<'k>,
    },
    Iota,
    Generated(Closure<'k>),
    Fill(Value<'k>),
    /// Element `i` is `f` of element `i`.
    Mapped(Closure<'k>, Array<'k>),
    /// Element `i` is the vector of the `width` elements from `i·width` on.
    Vectors {
        width: u8,
        of: Array<'k>,
    },
    /// Element `i` is lane `i mod width` of vector `i / width`.
    Lanes {
        width: u8,
        of: Array<'k>,
    },
}

/// Rows of different lengths (segments).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    pub position: Var,
    /// The length of row `position`.
    pub each: Size,
    /// The number of elements before it.
    pub before: Size,
}

impl Pieces {
    pub fn each(&self, i: &Size) -> Size {
        self.each.subst_var(&self.position, i)
    }
    pub fn before(&self, i: &Size) -> Size {
        self.before.subst_var(&self.position, i)
    }
}

/// Memory for elements of one scalar type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    pub root: Root,
    pub scalar: Scalar,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    Buffer(BufferId),
    /// The part of this work-item in a buffer that has element 0 of all parts first, then their elements 1, …: neighbours
    /// access neighbouring elements. `items` is the number of parts.
    Part {
        buffer: BufferId,
        items: Name,
    },
    /// An array declared in the kernel, private or local.
    Array {
        name: Name,
        local: bool,
    },
    /// A variable; any index into it is 0.
    Register(Name),
    /// Registers for the elements of a row that a work-item computes; no other work-item reads them.
    Own(Name),
}

/// How the instances of a type are stored: a structure of arrays, with separate memory for every scalar leaf. Like
/// [`crate::plan::Layout`], with logical lengths in addition to capacities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    Scalar(Memory),
    Vec(Memory, u8),
    Tuple(Vec<Rc<Layout>>),
    Array {
        len: Size,
        /// Instances of the element for each instance of the array: `len` with hidden lengths at their maximum.
        capacity: Size,
        element: Rc<Layout>,
    },
    /// Rows of different lengths, concatenated: row `i` starts `before` elements after the first, and `element` is its
    /// layout; both mention the index variable. An instance of the whole takes `scale` elements; a row inside another
    /// one is counted in elements.
    Packed {
        len: Size,
        position: Var,
        before: Size,
        scale: Size,
        element: Rc<Layout>,
    },
    Exists {
        lengths: Vec<HiddenLength>,
        body: Rc<Layout>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenLength {
    pub var: Var,
    pub memory: Memory,
    pub at_most: Size,
}

/// One instance of a layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub layout: Rc<Layout>,
    pub at: Size,
}

/// Where to write a result: memory, possibly through the inverse of a view.
#[derive(Debug, Clone)]
pub enum Dest<'k> {
    Place(Place),
    Tuple(Vec<Dest<'k>>),
    Array(Rc<ArrayDest<'k>>),
    /// A lane of a vector.
    Lane(Place, Size),
    /// For what nobody reads, such as a component of the states of a scan.
    Nowhere,
}

/// Counts the writes to each element of an array, to check that `scatter` has a permutation.
#[derive(Debug, Clone)]
pub struct Hits {
    pub memory: Memory,
    pub base: Size,
    /// Whether several work-items write.
    pub atomic: bool,
}

/// A view that rearranges an array or takes it apart.
#[derive(Debug, Clone)]
pub enum DestView {
    Transposed,
    /// Joined rows of this length.
    Rows(Size),
    /// Split into rows of this length.
    Flat(Size),
    /// Arrays of this number of components of its tuples.
    Unzipped(usize),
    /// Of each element, the last view first.
    Each(Rc<[DestView]>),
}

/// The destination of element `i` of an array that is written through a view.
#[derive(Debug)]
pub enum ArrayDest<'k> {
    /// Row `i`: the elements from `i·row` on.
    Rows {
        row: Size,
        of: Dest<'k>,
    },
    /// The elements of segment `i`.
    Pieces {
        pieces: Pieces,
        of: Dest<'k>,
    },
    /// Element `from + i·step`.
    Part {
        from: Size,
        step: Size,
        of: Dest<'k>,
    },
    /// Element `i mod row` of row `i / row`.
    Flat {
        row: Size,
        of: Dest<'k>,
    },
    Transposed(Dest<'k>),
    /// The destination of element `i` through these views.
    Each {
        views: Rc<[DestView]>,
        of: Dest<'k>,
    },
    Column {
        at: Size,
        of: Dest<'k>,
    },
    Component(Dest<'k>, usize),
    /// Element `f(i)` of an array of length `len`; each must be written once.
    Scattered {
        to: Closure<'k>,
        len: Size,
        hits: Hits,
        of: Dest<'k>,
        origin: Origin,
    },
    /// Vector `i` consists of the elements from `i·width` on.
    Vectors {
        width: u8,
        of: Dest<'k>,
    },
    /// Lane `i mod width` of vector `i / width`.
    Lanes {
        width: u8,
        of: Dest<'k>,
    },
    /// A tuple of elements of several arrays.
    Zipped(Vec<Dest<'k>>),
}

/// The values of variables and skolems. Cheap to clone; a clone does not see later bindings.
#[derive(Debug, Clone, Default)]
pub struct Env<'k> {
    vars: Rc<FxHashMap<VarId, Value<'k>>>,
    sizes: Rc<FxHashMap<Var, Size>>,
}

impl<'k> Env<'k> {
    pub fn get(&self, v: VarId) -> Option<&Value<'k>> {
        self.vars.get(&v)
    }
    pub fn bind(&mut self, v: VarId, value: Value<'k>) {
        Rc::make_mut(&mut self.vars).insert(v, value);
    }
    /// Binds the parameter and the index variable of a `map`'s function, for the element at an index.
    pub fn enter(&mut self, f: &Lambda, index: &Size, element: Value<'k>) {
        if let Some(position) = &f.position {
            self.bind_size(position.clone(), index.clone());
        }
        if let Some(param) = f.params.first() {
            self.bind(*param, element);
        }
    }
    pub fn bind_size(&mut self, v: Var, size: Size) {
        Rc::make_mut(&mut self.sizes).insert(v, size);
    }
    /// Whether the value of a skolem is known.
    pub fn has_size(&self, v: &Var) -> bool {
        self.sizes.contains_key(v)
    }
    /// Whether both know the same values of skolems.
    pub fn has_sizes_of(&self, other: &Env<'k>) -> bool {
        Rc::ptr_eq(&self.sizes, &other.sizes) || self.sizes == other.sizes
    }
    /// A size of the program with skolems replaced by their values.
    pub fn size(&self, s: &Size) -> Size {
        if self.sizes.is_empty() { s.clone() } else { s.subst(&mut |v| self.sizes.get(v).cloned()) }
    }
}

impl Value<'_> {
    pub fn size(s: Size) -> Self {
        Value::Scalar(ScalarValue::Size(s))
    }
    pub fn computed(ty: Scalar, expr: Expr) -> Self {
        Value::Scalar(ScalarValue::Computed { ty, expr })
    }
}

impl ScalarValue {
    /// The size that the value is known as.
    pub fn as_size(&self) -> Option<Size> {
        match self {
            ScalarValue::Size(s) => Some(s.clone()),
            ScalarValue::Literal(Literal::Int(n)) => Some(Size::int((*n).into())),
            _ => None,
        }
    }
    pub fn ty(&self) -> Scalar {
        match self {
            ScalarValue::Literal(l) => (*l).scalar(),
            ScalarValue::Size(_) => Scalar::Int,
            ScalarValue::Computed { ty, .. } => *ty,
        }
    }
}

impl Layout {
    /// The length of rows of this layout, and the layout of their elements, if the rows of an array follow each other
    /// without room between them.
    pub fn dense_row(&self) -> Option<(&Size, &Rc<Layout>)> {
        match self {
            Layout::Array { len, capacity, element }
                if len == capacity && !matches!(**element, Layout::Packed { .. }) =>
            {
                Some((len, element))
            }
            _ => None,
        }
    }

    /// The layout with a hidden length replaced by its value.
    pub fn with_length(self: &Rc<Layout>, var: &Var, by: &Size) -> Rc<Layout> {
        match &**self {
            Layout::Scalar(_) | Layout::Vec(..) => self.clone(),
            Layout::Tuple(parts) => Rc::new(Layout::Tuple(parts.iter().map(|p| p.with_length(var, by)).collect())),
            Layout::Array { len, capacity, element } => Rc::new(Layout::Array {
                len: len.subst_var(var, by),
                capacity: capacity.clone(),
                element: element.with_length(var, by),
            }),
            Layout::Packed { len, position, before, scale, element } => Rc::new(Layout::Packed {
                len: len.subst_var(var, by),
                position: position.clone(),
                before: before.subst_var(var, by),
                scale: scale.clone(),
                element: element.with_length(var, by),
            }),
            Layout::Exists { lengths, body } => {
                Rc::new(Layout::Exists { lengths: lengths.clone(), body: body.with_length(var, by) })
            }
        }
    }
    /// The layout with a variable of its lengths replaced, such as the index variable of a row.
    pub fn subst(self: &Rc<Layout>, var: &Var, by: &Size) -> Rc<Layout> {
        let size = |s: &Size| s.subst_var(var, by);
        Rc::new(match &**self {
            Layout::Scalar(_) | Layout::Vec(..) => return self.clone(),
            Layout::Tuple(parts) => Layout::Tuple(parts.iter().map(|p| p.subst(var, by)).collect()),
            Layout::Array { len, capacity, element } => {
                Layout::Array { len: size(len), capacity: size(capacity), element: element.subst(var, by) }
            }
            Layout::Packed { len, position, before, scale, element } => Layout::Packed {
                len: size(len),
                position: position.clone(),
                before: size(before),
                scale: size(scale),
                element: element.subst(var, by),
            },
            Layout::Exists { lengths, body } => Layout::Exists { lengths: lengths.clone(), body: body.subst(var, by) },
        })
    }
    /// Appends all memories, of elements and lengths, in order.
    pub fn memories<'a>(&'a self, out: &mut Vec<&'a Memory>) {
        match self {
            Layout::Scalar(m) | Layout::Vec(m, _) => out.push(m),
            Layout::Tuple(parts) => parts.iter().for_each(|p| p.memories(out)),
            Layout::Array { element, .. } | Layout::Packed { element, .. } => element.memories(out),
            Layout::Exists { lengths, body } => {
                out.extend(lengths.iter().map(|l| &l.memory));
                body.memories(out);
            }
        }
    }
}
