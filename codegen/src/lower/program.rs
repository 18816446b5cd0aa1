//! The program under construction: buffers, functions, steps and failures, shared by all functions of one compilation.

use super::cliffs::Cliffs;
use super::launch::shape::Shape;
use super::measure::measured::Measured;
use super::stop::buffer;
use super::value::{HiddenLength, Layout, LengthSource, Memory, Root};
use super::work::Work;
use super::{LowerError, Result};
use crate::core;
use crate::failure::Message;
use crate::opencl::{Function, Helper, Names, Unit, joins, print};
use crate::plan::{self, Buffer, BufferId, BufferRole, Failure, Launch, Plan, PlanInput, Program, Step};
use crate::report::{self, Report, Stored};
use crate::schedule::rules::Rule;
use crate::schedule::{Applied, Schedule, bounds, sequential};
use crate::target::Target;
use lift_analysis::hir::Scalar;
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Assumption, Facts, Node, Size, Var, VarKind, Writer};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Memory that a layout needs.
pub struct Leaf<'a> {
    pub scalar: Scalar,
    /// In elements.
    pub count: &'a Size,
    pub name: &'a str,
    /// Whether it holds hidden lengths instead of elements.
    pub is_length: bool,
}

pub struct ProgramBuilder<'k> {
    pub kernel: &'k core::Kernel,
    pub schedule: &'k Schedule,
    /// The target, with the program's settings for the current statement.
    pub target: Target,
    /// Facts about size parameters and about skolems opened at host level.
    pub facts: Facts,
    /// Facts that hold before the run.
    before: Facts,
    /// The elements of all inputs.
    pub given: Size,
    pub buffers: Vec<Buffer>,
    /// The index of the last buffer whose capacity proved that a size is small. The next query tries it first.
    pub last_stored: Cell<usize>,
    pub failures: Vec<Failure>,
    pub failure_buffer: Option<BufferId>,
    pub helpers: BTreeSet<Helper>,
    pub uses_double: bool,
    pub functions: Vec<Function>,
    /// The launch properties of each function.
    pub shapes: Vec<Shape>,
    pub steps: Vec<Step>,
    pub checks: Vec<(Assumption, Origin)>,
    /// The sources of skolems opened at host level.
    pub lengths: FxHashMap<Var, LengthSource<'k>>,
    pub measured: Measured,
    /// Sums without a closed form (body, maximum count), and the buffers with their values for every count.
    pub tables: Vec<(Size, Size, BufferId)>,
    /// Steps that run before all others.
    pub setup: Vec<Step>,
    /// Eliminated checks.
    needless: Vec<(Message, Origin)>,
    pub report: Report,
    pub cliffs: Cliffs,
    pub work: Work,
    /// Cached expressions of sizes, because finding the shortest one is slow.
    nodes: Writer,
    buffer_names: Names,
    function_names: Names,
    next_var: u32,
}

impl<'k> ProgramBuilder<'k> {
    /// The value of a parameter of the target.
    pub fn parameter(&self, parameter: Parameter) -> i64 {
        self.target.get(parameter).into()
    }

    /// `only_host`: to find the lengths that the host level requires; launches have no functions.
    pub fn new(kernel: &'k core::Kernel, schedule: &'k Schedule, only_host: bool) -> Self {
        let mut facts = Facts::new();
        for size in &kernel.sizes {
            facts.assume_range(size.clone(), None, Some(Size::int(i32::MAX.into())));
        }
        for longest in schedule.bounds.inputs() {
            facts.assume_range(longest.clone(), None, Some(Size::int(i32::MAX.into())));
        }
        let mut before = facts.clone();
        for (assumption, _) in &kernel.assumptions {
            facts.assume(assumption);
            if assumption.vars().iter().all(|v| v.kind == VarKind::Param) {
                before.assume(assumption);
            }
        }
        let (mut buffer_names, mut function_names) = (Names::default(), Names::default());
        for size in &kernel.sizes {
            buffer_names.reserve(&size.name);
            function_names.reserve(&size.name);
        }
        let (written, demoted) = sequential::one_by_one(schedule);
        ProgramBuilder {
            kernel,
            schedule,
            target: schedule.target,
            facts,
            before,
            given: Size::zero(),
            buffers: Vec::new(),
            last_stored: Cell::default(),
            failures: Vec::new(),
            failure_buffer: None,
            helpers: BTreeSet::new(),
            uses_double: false,
            functions: Vec::new(),
            shapes: Vec::new(),
            steps: Vec::new(),
            checks: Vec::new(),
            lengths: FxHashMap::default(),
            measured: Measured::new(schedule, only_host),
            tables: Vec::new(),
            setup: Vec::new(),
            needless: Vec::new(),
            report: Report {
                applied: schedule.applied.clone(),
                asked: schedule.asked.clone(),
                sequential: written,
                demoted,
                ..Report::default()
            },
            cliffs: Cliffs::default(),
            work: Work::default(),
            nodes: Writer::to_compute(),
            buffer_names,
            function_names,
            next_var: 0,
        }
    }

    /// The expression that computes a size.
    pub fn node(&mut self, size: &Size) -> Rc<Node> {
        self.nodes.node(size)
    }

    /// Runs `make`, whose fresh variables nothing else uses: what follows numbers its own from here on again. So equal code
    /// has equal variables, and answers about its sizes are found again.
    pub fn with_own_vars<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let next = self.next_var;
        let made = make(self);
        self.next_var = next;
        made
    }

    /// A fresh index variable, for a loop or a number computed on the device.
    pub fn fresh_var(&mut self, name: &str) -> Var {
        self.next_var += 1;
        Var::new(VarKind::Index, self.next_var, name)
    }

    pub fn buffer(&mut self, name: &str, element: Scalar, capacity: Size, role: BufferRole) -> BufferId {
        let id = BufferId(self.buffers.len() as u32);
        let name = self.buffer_names.fresh(name).to_string();
        // Assumptions about skolems may turn out to be false.
        let natural = self.before.le(&Size::zero(), &capacity).is_yes();
        let capacity = if natural { capacity } else { Size::max(&capacity, &Size::zero()) };
        self.buffers.push(Buffer { name, element, capacity, role });
        id
    }

    pub fn failure_buffer(&mut self) -> BufferId {
        match self.failure_buffer {
            Some(id) => id,
            None => {
                let id = self.buffer(buffer::NAME, Scalar::Int, Size::nat(buffer::ELEMENTS), BufferRole::Failure);
                self.failure_buffer = Some(id);
                id
            }
        }
    }

    /// The number that identifies a failure on the device.
    pub fn failure(&mut self, message: &Message, origin: &Origin) -> i64 {
        let failure = Failure { kind: message.kind, message: message.at(origin).template, origin: origin.clone() };
        let at = self.failures.iter().position(|f| *f == failure).unwrap_or_else(|| {
            self.failures.push(failure);
            self.failures.len() - 1
        });
        at as i64
    }

    /// Whether the target has checks.
    pub fn is_checked(&self) -> bool {
        self.target.checked
    }

    /// Records a check that is eliminated because it provably holds.
    pub fn needless(&mut self, message: &Message, origin: &Origin) {
        if !self.needless.iter().any(|(m, o)| m.kind == message.kind && o == origin) {
            self.needless.push((message.clone(), origin.clone()));
        }
    }

    pub fn helper(&mut self, h: Helper) {
        self.helpers.insert(h);
    }

    pub fn function_name(&mut self, stem: &str) -> lift_analysis::hir::Name {
        self.function_names.fresh(stem)
    }

    /// Allocates buffers for `instances` adjacent values of type `ty`. `bounds` are the maxima of its hidden lengths,
    /// in the order of occurrence.
    pub fn layout(
        &mut self,
        ty: &Ty,
        bounds: &mut dyn Iterator<Item = Option<Size>>,
        name: &str,
        role: BufferRole,
        instances: &Size,
        origin: &Origin,
    ) -> Result<Rc<Layout>> {
        let mut facts = std::mem::take(&mut self.facts);
        let layout = self.layout_with(ty, bounds, name, instances, origin, &mut facts, &mut |b, leaf| {
            let id = b.buffer(leaf.name, leaf.scalar, leaf.count.clone(), role);
            match role {
                BufferRole::Temporary if !leaf.is_length => {
                    b.stored(leaf.name, report::Kind::Global, leaf.scalar, leaf.count, origin);
                }
                BufferRole::Input => b.is_given(leaf.count),
                BufferRole::Output => {
                    let result = stored(leaf.name, report::Kind::Global, leaf.scalar, leaf.count, origin);
                    b.report.results.push(result);
                }
                _ => {}
            }
            Memory { root: Root::Buffer(id), scalar: leaf.scalar }
        });
        self.facts = facts;
        layout
    }

    /// The layout of a type, with memories made by `leaf`. Adds the ranges of hidden lengths to `facts`.
    #[allow(clippy::too_many_arguments)]
    pub fn layout_with(
        &mut self,
        ty: &Ty,
        bounds: &mut dyn Iterator<Item = Option<Size>>,
        name: &str,
        instances: &Size,
        origin: &Origin,
        facts: &mut Facts,
        leaf: &mut dyn FnMut(&mut Self, Leaf) -> Memory,
    ) -> Result<Rc<Layout>> {
        let unsupported =
            |what: &str| LowerError::new(origin, name, format!("{what} cannot be stored in device memory yet"));
        Ok(Rc::new(match ty.kind() {
            TyKind::Scalar(s) => {
                Layout::Scalar(leaf(self, Leaf { scalar: *s, count: instances, name, is_length: false }))
            }
            TyKind::Vec(element, width) => {
                let (Some(s), Some(w)) = (element.as_scalar(), width.as_const()) else {
                    return Err(unsupported(&format!("`{ty}`")));
                };
                let count = instances.mul(&Size::int(w));
                Layout::Vec(leaf(self, Leaf { scalar: s, count: &count, name, is_length: false }), w as u8)
            }
            TyKind::Tuple(parts) => {
                let mut layouts = Vec::new();
                for (i, part) in parts.iter().enumerate() {
                    let name = format!("{name}_{}", i + 1);
                    layouts.push(self.layout_with(part, bounds, &name, instances, origin, facts, leaf)?);
                }
                Layout::Tuple(layouts)
            }
            TyKind::Array(a) if a.position.is_none() => {
                let capacity = self.capacity(facts, &a.len, origin)?;
                let instances = instances.mul(&capacity);
                let element = self.layout_with(&a.element, bounds, name, &instances, origin, facts, leaf)?;
                Layout::Array { len: a.len.clone(), capacity, element }
            }
            TyKind::Exists(vars, body) => {
                let mut lengths = Vec::new();
                let mut body = body.clone();
                for var in vars {
                    let Some(at_most) = bounds.next().flatten().filter(|most| self.room(most)) else {
                        return Err(LowerError::new(
                            origin,
                            name,
                            format!(
                                "`{ty}` has to be stored, but nothing is known before the run of how long it can get"
                            ),
                        ));
                    };
                    // A fresh variable, so that lengths are not confused.
                    let fresh = self.fresh_var(&var.name);
                    assume_hidden(facts, &fresh, Some(at_most.clone()));
                    body = body.subst_size(var, &Size::var(fresh.clone()));
                    let name = format!("{name}_len");
                    let leaf_wanted = Leaf { scalar: Scalar::Int, count: instances, name: &name, is_length: true };
                    let memory = leaf(self, leaf_wanted);
                    lengths.push(HiddenLength { var: fresh, memory, at_most });
                }
                let body = self.layout_with(&body, bounds, name, instances, origin, facts, leaf)?;
                Layout::Exists { lengths, body }
            }
            TyKind::Array(a) => {
                let Some((leaf_ty, total)) = units(ty) else {
                    let what = format!("`{ty}`, whose rows have different lengths and hold more than scalars,");
                    return Err(unsupported(&what));
                };
                // The maximum number of rows gives the maximum number of elements.
                let most = bounds::upper(facts, &a.len).map(|len| ArrayTy { len, ..a.clone() });
                let most = most.and_then(|a| units(&Ty::new(TyKind::Array(a)))).map_or(total, |(_, most)| most);
                let scale = self.capacity(facts, &most, origin)?;
                let instances = instances.mul(&scale);
                let leaf = self.layout_with(&leaf_ty, bounds, name, &instances, origin, facts, leaf)?;
                self.packed(a, scale, &leaf)
            }
            _ => return Err(unsupported(&format!("`{ty}`"))),
        }))
    }

    /// The layout of rows of different lengths, with elements of the layout `leaf`.
    fn packed(&mut self, a: &ArrayTy, scale: Size, leaf: &Rc<Layout>) -> Layout {
        let Some(row) = a.element.as_array() else {
            return Layout::Array { len: a.len.clone(), capacity: scale, element: leaf.clone() };
        };
        let position = match &a.position {
            Some(p) => p.clone(),
            None => Var::new(VarKind::Position, u32::MAX / 8 - self.fresh_var("i").id, "i"),
        };
        let each = units(&a.element).map_or_else(Size::zero, |(_, each)| each);
        let before = crate::core::typing::offset(&position, &each, &sum_index());
        let element = Rc::new(self.packed(row, Size::one(), leaf));
        Layout::Packed { len: a.len.clone(), position, before, scale, element }
    }

    /// An upper bound of a length, in size parameters; an error if none is known.
    pub fn capacity(&self, facts: &Facts, len: &Size, origin: &Origin) -> Result<Size> {
        bounds::upper(facts, len).filter(|most| self.room(most)).ok_or_else(|| {
            LowerError::new(
                origin,
                "",
                format!(
                    "an array of length `{len}` has to be stored, but how long it can get is not known before the run"
                ),
            )
        })
    }

    /// The layout for the host.
    pub fn plan_layout(&self, layout: &Layout) -> plan::Layout {
        let id = |m: &Memory| match m.root {
            Root::Buffer(id) => id,
            // Not reached: the layouts of arguments and results consist of buffers.
            _ => BufferId(u32::MAX),
        };
        match layout {
            Layout::Scalar(m) => plan::Layout::Scalar(id(m)),
            Layout::Vec(m, width) => plan::Layout::Vec { buffer: id(m), width: *width },
            Layout::Tuple(parts) => plan::Layout::Tuple(parts.iter().map(|p| self.plan_layout(p)).collect()),
            Layout::Array { len, element, .. } => {
                plan::Layout::Array { len: len.clone(), element: Box::new(self.plan_layout(element)) }
            }
            Layout::Packed { len, position, element, .. } => plan::Layout::Packed {
                len: len.clone(),
                position: position.clone(),
                element: Box::new(self.plan_layout(element)),
            },
            Layout::Exists { lengths, body } => plan::Layout::Exists {
                lengths: lengths
                    .iter()
                    .map(|l| plan::DynamicLength {
                        var: l.var.clone(),
                        buffer: id(&l.memory),
                        at_most: l.at_most.clone(),
                    })
                    .collect(),
                body: Box::new(self.plan_layout(body)),
            },
        }
    }

    /// Records that a rule was applied.
    pub fn applied(&mut self, rule: &'static Rule, origin: &Origin) {
        let applied = Applied { rule, origin: origin.clone() };
        // The same code may be written several times.
        if self.report.applied.last() != Some(&applied) {
            self.report.applied.push(applied);
        }
    }

    /// Records that a result of `count` elements is stored.
    pub fn stored(&mut self, name: &str, memory: report::Kind, scalar: Scalar, count: &Size, origin: &Origin) {
        self.report.stored.push(stored(name, memory, scalar, count, origin));
    }

    pub fn launch(&mut self, launch: Launch) {
        self.steps.push(Step::Launch(launch));
    }

    pub fn finish(
        mut self,
        inputs: Vec<PlanInput>,
        result_ty: Ty,
        result: &Layout,
    ) -> (std::result::Result<Program, Vec<LowerError>>, BTreeSet<core::VarId>) {
        self.drop_covered();
        self.stop_after_failures();
        self.functions.iter_mut().for_each(|function| joins::separate(&mut function.body));
        let unit = Unit {
            header: vec![
                format!("{}: generated from Lift.", self.kernel.name),
                String::new(),
                "Every kernel is right for any number of work-items; the host plan says how many are useful.".into(),
            ],
            uses_double: self.uses_double || self.buffers.iter().any(|b| b.element == Scalar::Double),
            helpers: std::mem::take(&mut self.helpers),
            functions: std::mem::take(&mut self.functions),
        };
        let opencl = print(&unit);
        let result = self.plan_layout(result);
        // If the same function is inlined several times, a check is eliminated only if it is in every copy.
        let needed = |m: &Message, at: &Origin| self.failures.iter().any(|f| f.kind == m.kind && f.origin == *at);
        let needless = self.needless.iter().filter(|(message, at)| !needed(message, at));
        let check = |(m, at): &(Message, Origin)| report::Check { message: m.at(at).template, origin: at.clone() };
        self.report.left_out = needless.map(check).collect();
        self.report.cliffs = std::mem::take(&mut self.cliffs).told();
        let mut plan = Plan {
            kernel: self.kernel.name.to_string(),
            sizes: self.kernel.sizes.clone(),
            inputs,
            buffers: self.buffers,
            checks: self.checks,
            steps: self.setup.into_iter().chain(self.steps).collect(),
            result_ty,
            result,
            needless_checks: self.report.left_out.len(),
            failures: self.failures,
        };
        self.report.shared = plan::reuse::share(&mut plan);
        (Ok(Program { opencl, functions: unit.functions, plan, report: self.report }), self.measured.wanted())
    }
}

/// Assumes that a hidden length is natural and has a bound. The bound itself may be negative: it mentions lengths about
/// which the program assumes something that is checked later. So there are two facts, because one range would imply
/// that it is not empty.
pub fn assume_hidden(facts: &mut Facts, length: &Var, at_most: Option<Size>) {
    facts.assume_range(length.clone(), Some(Size::zero()), None);
    facts.assume_range(length.clone(), None, at_most);
}

fn stored(name: &str, memory: report::Kind, scalar: Scalar, count: &Size, origin: &Origin) -> Stored {
    let bytes = count.mul(&Size::nat(scalar.bytes()));
    Stored { name: name.into(), memory, bytes, origin: origin.clone() }
}

/// The innermost elements of nested arrays, and their number; `None` unless they are scalars, vectors or tuples of
/// these.
pub fn units(ty: &Ty) -> Option<(Ty, Size)> {
    match ty.kind() {
        TyKind::Array(a) => {
            let (leaf, each) = units(&a.element)?;
            let all = match &a.position {
                Some(p) => Size::sum(p.clone(), a.len.clone(), each),
                None => a.len.mul(&each),
            };
            Some((leaf, all))
        }
        _ => crate::schedule::flat::is_flat(ty).then(|| (ty.clone(), Size::one())),
    }
}

/// The index variable of sums.
pub fn sum_index() -> Var {
    Var::new(VarKind::Position, u32::MAX / 2, "k")
}
