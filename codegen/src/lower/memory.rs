//! Memory for results inside a kernel: registers, arrays of a work-item or a group, and parts of global buffers for
//! each work-item or group.

use super::Result;
use super::function::{Body, FunctionBuilder};
use super::program::{Leaf, ProgramBuilder};
use super::value::{Env, Layout, Memory, Place, Root};
use crate::core::{Level, Rhs, Space, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, Storage};
use crate::plan::BufferRole;
use crate::report;
use crate::schedule::nested::MOST_PRIVATE;
use crate::schedule::place;
use crate::target::{Class, LEAST_LOCAL};
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::TyKind;
use std::rc::Rc;

/// Work-items that run at once, if each needs its own global memory; fewer if that is much.
pub const SCRATCH_ITEMS: u32 = 1 << 16;
/// Maximum bytes of global memory for the parts of work-items and groups; the part of one group is always allowed.
pub const SCRATCH_BYTES: i64 = 1 << 30;

impl Body {
    /// A barrier that makes writes to the memory visible to all work-items of the group.
    pub fn fence(&mut self, place: &Place) {
        let mut memories = Vec::new();
        place.layout.memories(&mut memories);
        let local = memories.iter().any(|m| matches!(m.root, Root::Array { local: true, .. }));
        let global = memories.iter().any(|m| matches!(m.root, Root::Buffer(_)));
        self.barrier(local, global);
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// Memory for the value of a statement without a destination.
    pub fn allocate_for(&mut self, stmt: &'k Stmt, space: Option<Space>, env: &Env<'k>) -> Result<Place> {
        let levels = place::stmt_levels(stmt);
        if levels.iter().any(|l| matches!(l, Level::Glb(_) | Level::Wrg(_))) {
            return Err(self.error(
                "",
                "its result is read by other work-items than those that compute it, inside of one kernel, \
                 where they cannot wait for each other",
            ));
        }
        let together = matches!(&stmt.rhs, Rhs::Prim(call) if self.sorts_together(call) || self.scans_together(call));
        let cooperative = together || levels.iter().any(|l| matches!(l, Level::Lcl(_)));
        let kernel = self.kernel();
        let name = kernel.name_of(stmt.var).to_string();
        let ty = kernel.ty(stmt.var).subst_sizes(&mut |v| {
            let s = Size::var(v.clone());
            let now = env.size(&s);
            (now != s).then_some(now)
        });
        let schedule = self.schedule();
        let bounds: Vec<_> = schedule.bounds.get(stmt.var).iter().map(|b| b.as_ref().map(|b| env.size(b))).collect();
        let bounds = &bounds;
        let active = self.position().active();
        match space {
            Some(Space::Private) if cooperative && active.lcl == [false; 3] && self.grid().own_row().is_some() => {
                declare_own(self, &ty, bounds, &name)
            }
            Some(Space::Local) if active.wrg != [false; 3] => self.allocate(&ty, bounds, &name, Kind::Local),
            _ if cooperative && active.lcl == [false; 3] => self.allocate(&ty, bounds, &name, Kind::Group),
            _ if cooperative => Err(self.error(
                "mapLcl",
                "its result would have to be shared by the work-items of one dimension only, which is not compiled yet",
            )),
            // There is no group whose memory could be used.
            Some(Space::Global | Space::Local) => self.allocate(&ty, bounds, &name, Kind::Item),
            _ => self.allocate(&ty, bounds, &name, Kind::Private),
        }
    }

    /// Private memory for a value of this type, which must not hide lengths.
    pub fn allocate_private(&mut self, ty: &lift_analysis::ty::Ty, name: &str) -> Result<Place> {
        self.allocate(ty, &[], name, Kind::Private)
    }

    /// Memory of the group for a value of this type: local memory, if the schedule has ensured that it fits.
    pub fn allocate_for_group(&mut self, ty: &lift_analysis::ty::Ty, name: &str) -> Result<Place> {
        let keeps = self.grid().team().is_some_and(|team| team.keeps);
        self.allocate(ty, &[], name, if keeps { Kind::Local } else { Kind::Group })
    }

    fn allocate(
        &mut self,
        ty: &lift_analysis::ty::Ty,
        bounds: &[Option<Size>],
        name: &str,
        kind: Kind,
    ) -> Result<Place> {
        let origin = self.origin();
        // The size determines which memory is possible.
        let mut wanted = Vec::new();
        let mut count = |_: &mut ProgramBuilder<'k>, leaf: Leaf| {
            wanted.push((leaf.scalar, leaf.count.clone()));
            Memory { root: Root::Register("".into()), scalar: leaf.scalar }
        };
        let (program, facts) = self.program_and_facts();
        let counted =
            program.layout_with(ty, &mut bounds.iter().cloned(), name, &Size::one(), &origin, facts, &mut count);
        counted?;
        let known = |n: &Size| n.as_const().map(|n| n.max(1) as u64);
        let elements = wanted.iter().try_fold(0u64, |a, (_, n)| Some(a + known(n)?));
        let bytes: Option<u64> = wanted.iter().map(|(s, n)| Some(known(n)? * s.bytes())).sum();
        let known_before = wanted.iter().all(|(_, n)| self.program().is_known_before(n));
        let fits_local = bytes.is_some_and(|b| self.own().local_bytes() + b <= LEAST_LOCAL as u64);
        match kind {
            Kind::Private if elements.is_some_and(|n| n <= MOST_PRIVATE as u64) => {
                declare(self, ty, bounds, name, Storage::Private)
            }
            Kind::Local | Kind::Group if fits_local => {
                self.own_mut().declare_local(bytes.unwrap_or(0));
                self.share_memory();
                declare(self, ty, bounds, name, Storage::Local)
            }
            Kind::Local if bytes.is_none() && known_before => {
                self.share_memory();
                declare(self, ty, bounds, name, Storage::Local)
            }
            Kind::Local => Err(self.error(
                "toLocal",
                match bytes {
                    Some(b) => {
                        format!("local memory has not room for {b} bytes more: devices have at least {LEAST_LOCAL}")
                    }
                    None => {
                        "local memory is allocated before a kernel runs, but only the device can compute the length \
                             of this array"
                            .into()
                    }
                },
            )),
            Kind::Group => {
                self.share_memory();
                scratch(self, ty, bounds, name, true)
            }
            Kind::Private | Kind::Item => scratch(self, ty, bounds, name, false),
        }
    }

    /// Whether all work-items of a group access the memory.
    pub fn is_shared(&self, place: &Place) -> bool {
        let mut memories = Vec::new();
        place.layout.memories(&mut memories);
        memories.iter().any(|m| match &m.root {
            Root::Array { local, .. } => *local,
            Root::Buffer(id) => self.own().is_of_group(*id),
            Root::Register(_) | Root::Own(_) | Root::Part { .. } => false,
        })
    }
}

/// Declares arrays in the function; a single element becomes a variable.
fn declare(
    f: &mut FunctionBuilder,
    ty: &lift_analysis::ty::Ty,
    bounds: &[Option<Size>],
    name: &str,
    storage: Storage,
) -> Result<Place> {
    let origin = f.origin();
    let mut leaves: Vec<(Scalar, Size, String)> = Vec::new();
    // Each element that a group computes at a time has its own array.
    let rows = if storage == Storage::Private { 1 } else { f.grid().rows_of_group() };
    let (program, facts) = f.program_and_facts();
    let layout =
        program.layout_with(ty, &mut bounds.iter().cloned(), name, &Size::int(rows), &origin, facts, &mut |_, leaf| {
            leaves.push((leaf.scalar, leaf.count.clone(), leaf.name.to_string()));
            // The name is filled in below, after the declaration.
            numbered(leaves.len() - 1, leaf.scalar)
        });
    let layout = layout?;
    let mut roots = Vec::new();
    for (scalar, count, wish) in leaves {
        f.note_double(scalar);
        let Some(n) = count.as_const() else {
            roots.push(shared_argument(f, scalar, &wish, &count, &origin));
            continue;
        };
        let n = n.max(1) as u64;
        roots.push(match storage {
            Storage::Private if n == 1 => Root::Register(f.variable(&wish, CType::of(scalar), None)),
            _ => stored_array(f, scalar, &wish, storage, n, &origin),
        });
    }
    let at = match rows {
        1 => Size::zero(),
        _ => {
            let row = f.bind("row_of_group", CType::Int, Expr::call("get_local_id", [Expr::int(1)]).cast(CType::Int));
            f.index_below("row_of_group", row, &Size::int(rows))
        }
    };
    Ok(Place { layout: with_roots(&layout, &roots), at })
}

/// Registers for the elements of a row that this work-item computes.
fn declare_own(
    f: &mut FunctionBuilder,
    ty: &lift_analysis::ty::Ty,
    bounds: &[Option<Size>],
    name: &str,
) -> Result<Place> {
    let origin = f.origin();
    let each = f.grid().own_row().map_or(1, |own| u64::from(own.each));
    let mut leaves: Vec<(Scalar, String)> = Vec::new();
    let (program, facts) = f.program_and_facts();
    let layout =
        program.layout_with(ty, &mut bounds.iter().cloned(), name, &Size::one(), &origin, facts, &mut |_, leaf| {
            leaves.push((leaf.scalar, leaf.name.to_string()));
            numbered(leaves.len() - 1, leaf.scalar)
        });
    let layout = layout?;
    let mut roots = Vec::new();
    for (scalar, wish) in leaves {
        f.note_double(scalar);
        f.program_mut().stored(&wish, report::Kind::Private, scalar, &Size::nat(each), &origin);
        roots.push(Root::Own(f.declare_array(&wish, Storage::Private, CType::stored(scalar), each)));
    }
    Ok(Place { layout: with_roots(&layout, &roots), at: Size::zero() })
}

fn stored_array(
    f: &mut FunctionBuilder,
    scalar: Scalar,
    wish: &str,
    storage: Storage,
    n: u64,
    origin: &Origin,
) -> Root {
    let kind = if storage == Storage::Private { report::Kind::Private } else { report::Kind::Local };
    f.program_mut().stored(wish, kind, scalar, &Size::nat(n), origin);
    Root::Array { name: f.declare_array(wish, storage, CType::stored(scalar), n), local: storage != Storage::Private }
}

/// Local memory whose length the host knows before the launch; at least one element, as devices require.
fn shared_argument(f: &mut FunctionBuilder, scalar: Scalar, wish: &str, count: &Size, origin: &Origin) -> Root {
    let count = f.facts().simplify(&Size::max(count, &Size::one()));
    f.program_mut().stored(wish, report::Kind::Local, scalar, &count, origin);
    let bytes = count.mul(&Size::nat(scalar.bytes()));
    Root::Array { name: f.local_argument(wish, CType::stored(scalar), bytes), local: true }
}

/// A part of a global buffer for each work-item, or for each group.
fn scratch(
    f: &mut FunctionBuilder,
    ty: &lift_analysis::ty::Ty,
    bounds: &[Option<Size>],
    name: &str,
    group: bool,
) -> Result<Place> {
    // Vectors are loaded as a whole, and the caches of a processor hold a part of its own better.
    let vectors = ty.any(&mut |t| matches!(t.kind(), TyKind::Vec(..)));
    let gpu = f.program().target.class == Class::Gpu;
    let interleaved = !group && gpu && !vectors && f.grid().used().any();
    let interleaved = interleaved.then(|| items_with_part(f)).transpose()?;
    let at = match (group, &interleaved) {
        (true, _) => group_number(f)?,
        (_, Some(_)) => Size::zero(),
        _ => item_number(f)?,
    };
    let instances = match (group, f.grid().used().any()) {
        (_, false) => 1,
        // Each row of a group has a part of its own.
        (true, _) => f.program().target.groups_at_once() * f.grid().rows_of_group() as u32,
        (false, _) => SCRATCH_ITEMS,
    };
    let origin = f.origin();
    let (mut made, mut parts) = (Vec::new(), Vec::new());
    let mut lengths: Vec<String> = Vec::new();
    let each = Size::nat(instances.into());
    let (program, facts) = f.program_and_facts();
    let layout =
        program.layout_with(ty, &mut bounds.iter().cloned(), name, &each, &origin, facts, &mut |program, leaf| {
            // The outermost length is a variable.
            if leaf.is_length && *leaf.count == each && !group {
                lengths.push(leaf.name.to_string());
                return numbered(lengths.len() - 1, leaf.scalar);
            }
            let id = program.buffer(leaf.name, leaf.scalar, leaf.count.clone(), BufferRole::Temporary);
            if !leaf.is_length {
                parts.push((id, origin.clone()));
            }
            made.push(id);
            let root = match &interleaved {
                Some(items) => Root::Part { buffer: id, items: items.clone() },
                None => Root::Buffer(id),
            };
            Memory { root, scalar: leaf.scalar }
        });
    let layout = layout?;
    let mut roots = Vec::new();
    for name in lengths {
        roots.push(Root::Register(f.variable(&name, CType::Int, None)));
    }
    let layout = with_roots(&layout, &roots);
    f.own_mut().note_stored(parts);
    match group {
        true => f.own_mut().add_for_groups(made),
        false => f.own_for_items(made),
    }
    Ok(Place { layout, at })
}

/// The number of work-items with a part in a buffer that the surrounding loop needs.
fn items_with_part(f: &mut FunctionBuilder) -> Result<Name> {
    let sizes = (0..3).map(|d| Expr::call("get_global_size", [Expr::int(d)]));
    let all = sizes.reduce(|a, b| Expr::binary(BinaryOp::Mul, a, b)).unwrap_or(Expr::int(1)).cast(CType::Int);
    let Some(rounds) = f.rounds_of_items() else {
        return f.in_prologue(|f| Ok(f.variable("items", CType::Int, Some(all))));
    };
    let rounds = f.host_size(&rounds, "rounds")?;
    let rounds = f.size(&rounds)?;
    Ok(f.variable("items", CType::Int, Some(Expr::call("min", [all, rounds]))))
}

/// The linear index of this work-item in the launch.
pub fn item_number(f: &mut FunctionBuilder) -> Result<Size> {
    if !f.grid().used().any() {
        return Ok(Size::zero());
    }
    if let Some(item) = f.own().item() {
        return Ok(item.clone());
    }
    let number = linear("get_global_id", "get_global_size");
    let name = f.in_prologue(|f| Ok(f.bind("item", CType::Int, number)))?;
    let var = f.index_var("item", name);
    let size = Size::var(var);
    f.own_mut().set_item(size.clone());
    Ok(size)
}

/// The linear index of this group in the launch, or of the row where a group computes several at a time.
fn group_number(f: &mut FunctionBuilder) -> Result<Size> {
    if !f.grid().used().any() {
        return Ok(Size::zero());
    }
    if let Some(group) = f.own().group() {
        return Ok(group.clone());
    }
    let mut number = linear("get_group_id", "get_num_groups");
    if f.grid().rows_of_group() > 1 {
        let row = Expr::call("get_local_id", [Expr::int(1)]).cast(CType::Int);
        number = number.mul(Expr::int(f.grid().rows_of_group())).add(row);
    }
    let name = f.in_prologue(|f| Ok(f.bind("group", CType::Int, number)))?;
    let var = f.index_var("group", name);
    let size = Size::var(var);
    f.own_mut().set_group(size.clone());
    Ok(size)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Owned by the work-item, in any memory.
    Private,
    /// Owned by the work-item, in global memory.
    Item,
    /// Owned by the group, in local memory.
    Local,
    /// Owned by the group, in any memory.
    Group,
}

fn linear(id: &str, size: &str) -> Expr {
    let call = |name: &str, d: i64| Expr::call(name, [Expr::int(d)]);
    let mul = |a, b| Expr::binary(BinaryOp::Mul, a, b);
    let add = |a, b| Expr::binary(BinaryOp::Add, a, b);
    let rows = add(call(id, 1), mul(call(size, 1), call(id, 2)));
    add(call(id, 0), mul(call(size, 0), rows))
}

/// Placeholder for the `n`-th variable, until it is known which are needed.
fn numbered(n: usize, scalar: Scalar) -> Memory {
    Memory { root: Root::Register(n.to_string().into()), scalar }
}

/// The layout with placeholders replaced by these memories.
fn with_roots(layout: &Layout, roots: &[Root]) -> Rc<Layout> {
    let memory = |m: &Memory| match &m.root {
        Root::Register(n) => match n.parse::<usize>().ok().and_then(|n| roots.get(n)) {
            Some(root) => Memory { root: root.clone(), scalar: m.scalar },
            None => m.clone(),
        },
        _ => m.clone(),
    };
    Rc::new(match layout {
        Layout::Scalar(m) => Layout::Scalar(memory(m)),
        Layout::Vec(m, w) => Layout::Vec(memory(m), *w),
        Layout::Tuple(parts) => Layout::Tuple(parts.iter().map(|p| with_roots(p, roots)).collect()),
        Layout::Array { len, capacity, element } => {
            Layout::Array { len: len.clone(), capacity: capacity.clone(), element: with_roots(element, roots) }
        }
        Layout::Packed { len, position, before, scale, element } => Layout::Packed {
            len: len.clone(),
            position: position.clone(),
            before: before.clone(),
            scale: scale.clone(),
            element: with_roots(element, roots),
        },
        Layout::Exists { lengths, body } => Layout::Exists {
            lengths: lengths
                .iter()
                .map(|l| super::value::HiddenLength { memory: memory(&l.memory), ..l.clone() })
                .collect(),
            body: with_roots(body, roots),
        },
    })
}
