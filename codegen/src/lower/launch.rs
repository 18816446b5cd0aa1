//! Launches: a function, its arguments, and its launch size.
//!
//! [`shape`]: the properties that launches of the same function share.

pub mod shape;

use self::shape::{Kind, Shape};
use super::Result;
use super::function::{Dims, FunctionBuilder, Parts, Wishes};
use super::memory::{SCRATCH_BYTES, SCRATCH_ITEMS};
use super::program::ProgramBuilder;
use super::value::Value;
use super::work::Mark;
use crate::core::{Atom, Level, Rhs, ScalarOp, Stmt};
use crate::opencl::{StmtKind, same};
use crate::plan::{Arg, Buffer, BufferId, BufferRole, Count, Launch};
use crate::report::{self, Stored};
use crate::schedule::place;
use crate::target::Target;
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;

/// Total work-items, if the useful number is unknown before the run.
const UNKNOWN_ITEMS: i64 = 1 << 16;

/// A host-level condition under which the launches of a branch have an effect.
#[derive(Debug, Clone)]
pub struct Guard<'k> {
    pub condition: Value<'k>,
    pub holds: bool,
}

impl Guard<'_> {
    /// A size that is positive if the branch is taken; `None` unless the condition compares sizes known to the host.
    fn taken(&self, program: &ProgramBuilder) -> Option<Size> {
        let Value::Deferred(deferred) = &self.condition else { return None };
        let Rhs::Scalar(op, args) = &deferred.stmt.rhs else { return None };
        let size = |a: &Atom| {
            let size = match a {
                Atom::Size(s) => deferred.env.size(s),
                Atom::Lit(Literal::Int(n)) => Size::int(i64::from(*n)),
                _ => return None,
            };
            program.is_known_before(&size).then_some(size)
        };
        let [a, b] = args.as_slice() else { return None };
        let (a, b) = (size(a)?, size(b)?);
        let one = Size::one();
        let not_above = |a: &Size, b: &Size| b.sub(a).add(&one);
        Some(match (op, self.holds) {
            (ScalarOp::Lt, true) | (ScalarOp::Ge, false) => b.sub(&a),
            (ScalarOp::Gt, true) | (ScalarOp::Le, false) => a.sub(&b),
            (ScalarOp::Le, true) | (ScalarOp::Gt, false) => not_above(&a, &b),
            (ScalarOp::Ge, true) | (ScalarOp::Lt, false) => not_above(&b, &a),
            (ScalarOp::Eq, true) | (ScalarOp::Ne, false) => Size::min(&not_above(&a, &b), &not_above(&b, &a)),
            (ScalarOp::Ne, true) | (ScalarOp::Eq, false) => Size::max(&a.sub(&b), &b.sub(&a)),
            _ => return None,
        })
    }
}

/// A launch whose function is not written yet.
pub struct Request<'a, 'k> {
    pub title: &'a Title<'a>,
    pub guards: &'a [Guard<'k>],
    /// Sizes that the function may assume to be positive: otherwise the launch is skipped.
    pub positive: &'a [Size],
    /// The dimensions over which the function distributes work.
    pub used: Dims,
    /// The group sizes on which the function relies.
    pub local: [Option<u32>; 3],
}

impl<'a, 'k> Request<'a, 'k> {
    /// One work-item, which always runs.
    pub fn of_one_item(title: &'a Title<'a>) -> Request<'a, 'k> {
        Request { title, guards: &[], positive: &[], used: Dims::default(), local: [None; 3] }
    }
}

/// The name and origin of a launch.
#[derive(Debug, Clone)]
pub struct Title<'a> {
    /// The stem of the function's name.
    pub name: &'a str,
    pub label: &'a str,
    pub origin: &'a Origin,
}

/// Writes the body of a launch's function.
pub type Body<'b, 'k> = Box<dyn FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()> + 'b>;

/// Writes the code that leaves the function unless a branch of the host level is taken.
fn leave_unless<'k>(f: &mut FunctionBuilder<'_, 'k>, guard: &Guard<'k>) -> Result<()> {
    if guard.taken(f.program()).is_none() {
        f.only_in_branch();
    }
    let condition = f.in_prologue(|f| {
        let condition = f.scalar_of(&guard.condition)?;
        let condition = f.scalar(&condition)?;
        let leave = if guard.holds { condition.clone().not() } else { condition.clone() };
        let stop = vec![StmtKind::Return.at(&f.origin())];
        f.emit_if(leave, stop, Vec::new());
        Ok(condition)
    })?;
    f.known_mut().assume_condition(&condition, guard.holds);
    Ok(())
}

/// The wished number of groups in each dimension; `room` limits their product.
fn wished_groups(target: &Target, wishes: &Wishes, used: Dims, size: [u32; 3], room: &mut Option<Size>) -> [Count; 3] {
    let mut groups = [(); 3].map(|()| Count { wish: Size::one(), multiple_of: 1 });
    for d in 0..3 {
        let wish = if used.wrg[d] {
            wishes.wrg[d].clone().unwrap_or(Size::int(UNKNOWN_ITEMS / i64::from(target.group)))
        } else if used.glb[d] {
            let items = wishes.glb[d].clone().unwrap_or(Size::int(UNKNOWN_ITEMS));
            items.add(&Size::int(i64::from(size[d]) - 1)).div_floor(&Size::nat(size[d].into()))
        } else {
            continue;
        };
        let wish = Size::max(&wish, &Size::one());
        groups[d].wish = match room {
            Some(room) => {
                let wish = Size::min(&wish, room);
                *room = Size::max(&room.div_floor(&wish), &Size::one());
                wish
            }
            None => wish,
        };
    }
    groups
}

impl<'k> ProgramBuilder<'k> {
    /// `much` under these conditions, and 0 where the host knows that one of them does not hold.
    pub fn if_taken(&self, guards: &[Guard<'k>], much: &Size) -> Size {
        let taken: Vec<Size> = guards.iter().filter_map(|g| g.taken(self)).collect();
        where_launched(&taken, much)
    }

    /// Adds a launch whose function is written by `body`. Nothing is written while the lengths in memory are still being found.
    pub fn emit_launch(&mut self, request: &Request<'_, 'k>, body: Body<'_, 'k>) -> Result<()> {
        if self.is_discarded() {
            return Ok(());
        }
        self.with_own_vars(|program| program.emit_function(request, body))
    }

    fn emit_function(&mut self, request: &Request<'_, 'k>, body: Body<'_, 'k>) -> Result<()> {
        let Request { title, guards, positive, used, local } = *request;
        let target = self.target;
        let taken = guards.iter().filter_map(|g| g.taken(self));
        let only_if: Vec<Size> = taken.chain(positive.iter().cloned()).collect();
        let stored_before = self.report.stored.len();
        let allocated = self.allocated();
        let spent_before = self.work.mark();
        let mut f = FunctionBuilder::new(self, title.origin);
        f.grid_mut().distribute_over(used);
        f.grid_mut().rely_on_group(local);
        guards.iter().try_for_each(|guard| leave_unless(&mut f, guard))?;
        body(&mut f)?;
        // For example a check that was eliminated. NVIDIA's assembler rejects functions without instructions.
        if f.does_nothing() {
            self.free_since(allocated);
            return Ok(());
        }
        f.join_loops()?;
        let (wishes, used, own) = (f.grid().wishes().clone(), f.grid().used(), f.own().parts());
        let alone = f.grid().alone_in_group();
        let (kernel, mut args) = f.finish(title.name, title.label, title.origin);
        for arg in &mut args {
            if let Arg::Local { bytes } = arg {
                *bytes = where_launched(&only_if, bytes);
            }
        }
        if !only_if.is_empty() {
            self.say_once(stored_before);
        }
        let grouped = used.wrg.iter().chain(&used.lcl).any(|d| *d);
        let dims = (0..3).filter(|d| used.glb[*d]).count();
        let size = if alone {
            [1; 3]
        } else if grouped {
            let group = wishes.group.map_or(target.group, |most| most.min(target.group));
            group_size(used, local, &Target { group, ..target })
        } else {
            spread(used.glb, dims, &target, wishes.glb[0].as_ref())
        };
        // If each work-item or group has its own memory, the total number of groups is limited.
        let in_group: u32 = size.iter().product();
        let mut room = self.most_groups(&own, in_group, used);
        let capacity = |builder: &Self, id: BufferId| builder.buffers[id.0 as usize].capacity.clone();
        let most: Vec<Size> = own.stored.iter().map(|(id, _)| capacity(self, *id)).collect();
        let groups = wished_groups(&target, &wishes, used, size, &mut room);
        if used.any() {
            let launched = groups.iter().fold(Size::one(), |all, count| all.mul(&count.wish));
            let items = launched.mul(&Size::nat(in_group.into()));
            let items = match &own.most_items {
                Some(most) => Size::min(&items, most),
                None => items,
            };
            own.items.iter().for_each(|id| self.parts_for(*id, SCRATCH_ITEMS, &items));
            own.groups.iter().for_each(|id| self.parts_for(*id, self.target.groups_at_once(), &launched));
        }
        self.complete_parts(own, most, &only_if);
        let launch = Launch {
            kernel,
            args,
            groups,
            local: size,
            exact_local: local.iter().any(Option::is_some),
            only_if,
            origin: title.origin.clone(),
            label: title.label.into(),
        };
        let launch = self.written_once(launch, spent_before);
        self.launch(launch);
        Ok(())
    }

    /// Sets the memory of work-items and groups, which exists only if they are launched, and reports the values in it. `most`
    /// are the capacities for one part.
    fn complete_parts(&mut self, own: Parts, most: Vec<Size>, only_if: &[Size]) {
        for id in own.items.iter().chain(&own.groups) {
            let capacity = &mut self.buffers[id.0 as usize].capacity;
            *capacity = where_launched(only_if, capacity);
        }
        for ((id, origin), most) in own.stored.into_iter().zip(most) {
            let Buffer { name, element, capacity, .. } = self.buffers[id.0 as usize].clone();
            // People read a bound rather than how many work-items there are for all lengths.
            let capacity = if capacity.is_polynomial() { capacity } else { most };
            self.stored(&name, report::Kind::GlobalParts, element, &capacity, &origin);
        }
    }

    /// The maximum number of groups if each work-item or group has its own memory.
    fn most_groups(&self, own: &Parts, in_group: u32, used: Dims) -> Option<Size> {
        let of_items = (!own.items.is_empty()).then_some(SCRATCH_ITEMS / in_group.max(1));
        let most =
            of_items.into_iter().chain((!own.groups.is_empty()).then_some(self.target.groups_of(in_group))).min()?;
        let most = Size::nat(most.max(1).into());
        if !used.any() {
            return Some(most);
        }
        let bytes = |ids: &[BufferId], parts: u32, each: u32| {
            ids.iter().fold(Size::zero(), |all, id| {
                let buffer = &self.buffers[id.0 as usize];
                let each = Size::nat(u64::from(each) * buffer.element.bytes());
                all.add(&buffer.capacity.div_exact(&Size::nat(parts.into())).mul(&each))
            })
        };
        let of_group =
            bytes(&own.items, SCRATCH_ITEMS, in_group).add(&bytes(&own.groups, self.target.groups_at_once(), 1));
        let fit = Size::int(SCRATCH_BYTES).div_floor(&Size::max(&of_group, &Size::one()));
        Some(Size::max(&Size::min(&most, &fit), &Size::one()))
    }

    /// Gives a buffer that has room for `parts` parts only as many as are launched.
    fn parts_for(&mut self, id: BufferId, parts: u32, launched: &Size) {
        let capacity = &mut self.buffers[id.0 as usize].capacity;
        *capacity = capacity.div_exact(&Size::nat(parts.into())).mul(launched);
    }

    /// Merges the function written last with an equal earlier one, so that it is in the text only once.
    fn written_once(&mut self, mut launch: Launch, spent_before: Mark) -> Launch {
        let kinds = launch.args.iter().map(|arg| self.kind_of(arg)).collect();
        let shape = Shape { local: launch.local, exact: launch.exact_local, kinds };
        let Some((last, before)) = self.functions.split_last() else { return launch };
        let known = before.iter().zip(&self.shapes).find(|(f, of)| **of == shape && same(f, last));
        match known.map(|(f, _)| f.name.to_string()) {
            Some(name) => {
                launch.kernel = name;
                self.functions.pop();
                self.work.repeated_since(spent_before);
            }
            None => self.shapes.push(shape),
        }
        launch
    }

    /// The kind of an argument; the test for failures treats kinds differently.
    fn kind_of(&self, arg: &Arg) -> Kind {
        match arg {
            Arg::Buffer(id) if self.failure_buffer == Some(*id) => Kind::Failure,
            Arg::Buffer(id) if self.buffers[id.0 as usize].role == BufferRole::State => Kind::State,
            Arg::Buffer(_) => Kind::Buffer,
            Arg::Size { wide, .. } => Kind::Size { wide: *wide },
            Arg::Local { .. } => Kind::Local,
        }
    }

    /// Reports private and local arrays once if they are equal in alternative launches. Those of the last launch start at
    /// index `first`.
    fn say_once(&mut self, first: usize) {
        let last = self.report.stored.split_off(first);
        let own = |s: &Stored| matches!(s.memory, report::Kind::Local | report::Kind::Private);
        let new: Vec<Stored> = last.into_iter().filter(|s| !own(s) || !self.report.stored.contains(s)).collect();
        self.report.stored.extend(new);
    }
}

/// `much` if all of these sizes are positive, otherwise 0.
fn where_launched(only_if: &[Size], much: &Size) -> Size {
    only_if.iter().fold(much.clone(), |much, size| Size::if_le(&Size::one(), size, &much, &Size::zero()))
}

/// The group size for loops over global work-items, of which there are `innermost` in the innermost dimension.
fn spread(used: [bool; 3], dims: usize, target: &Target, innermost: Option<&Size>) -> [u32; 3] {
    let rest = |before: u32| (target.group / before).max(1);
    // No more work-items than there are elements for.
    let few = innermost.and_then(Size::as_const).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    let across = |most: u32| few.map_or(most, |n| n.next_power_of_two().min(most));
    let shape: [u32; 3] = match dims {
        0 => [1, 1, 1],
        1 => [target.group, 1, 1],
        2 => [across(16), rest(across(16)), 1],
        // Neighbours in the innermost dimension read adjacent elements.
        _ => [across(32), rest(across(32)), 1],
    };
    let mut shape = shape.into_iter();
    used.map(|u| if u { shape.next().unwrap_or(1) } else { 1 })
}

/// The group size for loops over the work-items of a group.
fn group_size(used: Dims, local: [Option<u32>; 3], target: &Target) -> [u32; 3] {
    if local.iter().any(Option::is_some) {
        return local.map(|n| n.unwrap_or(1));
    }
    let dims = (0..3).filter(|d| used.lcl[*d]).count();
    spread(used.lcl, dims, target, None)
}

/// The dimensions that a statement uses.
pub fn dims_of(stmt: &Stmt) -> Dims {
    let mut dims = Dims::default();
    for level in place::stmt_levels(stmt) {
        let at = |d: u8| usize::from(d.min(2));
        match level {
            Level::Glb(d) => dims.glb[at(d)] = true,
            Level::Wrg(d) => dims.wrg[at(d)] = true,
            Level::Lcl(d) => dims.lcl[at(d)] = true,
            Level::Auto | Level::Seq | Level::Host => {}
        }
    }
    dims
}
