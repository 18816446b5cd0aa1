//! An OpenCL function under construction, in parts; each part has an invariant of its own.
//!
//! | module | job |
//! |---|---|
//! | `body` | names and statements |
//! | `signature` | parameters and arguments |
//! | `knowledge` | what is known of sizes and memory, until the end of a scope |
//! | `position` | where in the program the code stands |
//! | `extents` | code in a scope, or at a position, of its own |
//! | `values` | values that are computed already |
//! | `grid` | the work-items of the launch, and what it asks of the host |
//! | `own` | memory of one work-item or one group |
//! | [`states`] | loops around the code that write arrays of their state in place |
//! | `sizes` | parameters and indices as sizes |
//! | `extrema` | minima and maxima of indices that a program computes |
//! | `conditions` | what conditions imply for indices in their branches |
//! | `prologue` | code at the start of a function, written while its body is |
//! | `ranges` | `for` loops |

mod body;
mod conditions;
mod extents;
mod extrema;
mod grid;
mod knowledge;
mod own;
mod position;
mod prologue;
mod ranges;
mod signature;
mod sizes;
pub mod states;
mod values;

pub use self::body::Body;
pub use self::grid::{Dims, Grid, Wishes};
pub use self::knowledge::Knowledge;
pub use self::own::{OwnMemory, Parts};
pub use self::position::Position;
pub use self::values::Values;

use self::body::Written;
pub use self::signature::Accessed;
use self::signature::Signature;
use super::ahead::Ahead;
use super::program::ProgramBuilder;
use super::stop::{buffer, middle};
use super::{Result, angles, barriers};
use crate::core::Kernel;
use crate::failure::{LONGEST, Message};
use crate::opencl::{Expr, Function, Helper, ast};
use crate::plan::{Arg, BufferId};
use crate::schedule::{Schedule, rules};
use crate::target::{Class, Target};
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Facts, Size};

/// The parts of a function, and the program to which it will be added. It dereferences to its body, so that what only
/// writes statements takes a [`Body`]. Methods on it are what several files say; what one file needs is a function there, or
/// a method of its data.
pub struct FunctionBuilder<'p, 'k> {
    program: &'p mut ProgramBuilder<'k>,
    body: Body,
    signature: Signature,
    known: Knowledge,
    position: Position,
    values: Values<'k>,
    grid: Grid,
    own: OwnMemory,
    /// The loops that write their state in place.
    in_place: states::Loops,
}

impl std::ops::Deref for FunctionBuilder<'_, '_> {
    type Target = Body;
    fn deref(&self) -> &Body {
        &self.body
    }
}

impl std::ops::DerefMut for FunctionBuilder<'_, '_> {
    fn deref_mut(&mut self) -> &mut Body {
        &mut self.body
    }
}

impl<'p, 'k> FunctionBuilder<'p, 'k> {
    pub fn new(program: &'p mut ProgramBuilder<'k>, origin: &Origin) -> Self {
        let mut facts = program.facts.clone();
        // The host refuses to launch with a greater size, so that an `int` reaches beyond the last element.
        for size in &program.kernel.sizes {
            facts.assume_range(size.clone(), None, Some(Size::int(LONGEST.into())));
        }
        FunctionBuilder {
            program,
            body: Body::new(origin, buffer::NAME),
            signature: Signature::default(),
            known: Knowledge::new(facts),
            position: Position::new(),
            values: Values::new(),
            grid: Grid::new(origin),
            own: OwnMemory::new(),
            in_place: states::Loops::default(),
        }
    }

    // ---- the parts

    pub fn known(&self) -> &Knowledge {
        &self.known
    }
    pub fn known_mut(&mut self) -> &mut Knowledge {
        &mut self.known
    }
    pub fn facts(&self) -> &Facts {
        self.known.facts()
    }
    pub fn position(&self) -> &Position {
        &self.position
    }
    pub fn values(&self) -> &Values<'k> {
        &self.values
    }
    pub fn values_mut(&mut self) -> &mut Values<'k> {
        &mut self.values
    }
    pub fn grid(&self) -> &Grid {
        &self.grid
    }
    pub fn grid_mut(&mut self) -> &mut Grid {
        &mut self.grid
    }
    pub fn own(&self) -> &OwnMemory {
        &self.own
    }
    pub fn own_mut(&mut self) -> &mut OwnMemory {
        &mut self.own
    }
    pub fn in_place(&self) -> &states::Loops {
        &self.in_place
    }
    pub fn in_place_mut(&mut self) -> &mut states::Loops {
        &mut self.in_place
    }

    /// Adds buffers with a part for each work-item that runs an iteration of the surrounding loop.
    pub fn own_for_items(&mut self, made: Vec<BufferId>) {
        let rounds = self.rounds_of_items();
        self.own.add_for_items(made, rounds.as_ref());
    }

    /// The iterations of the surrounding loop, if it gives iteration `i` to no work-item after `i`.
    pub fn rounds_of_items(&self) -> Option<Size> {
        let only_items = Dims { glb: [true, false, false], ..Dims::default() };
        self.position.item_rounds().filter(|_| self.grid.used() == only_items).cloned()
    }

    // ---- the program

    pub fn program(&self) -> &ProgramBuilder<'k> {
        self.program
    }
    pub fn program_mut(&mut self) -> &mut ProgramBuilder<'k> {
        self.program
    }
    pub fn kernel(&self) -> &'k Kernel {
        self.program.kernel
    }
    pub fn schedule(&self) -> &'k Schedule {
        self.program.schedule
    }
    pub fn target(&self) -> &Target {
        &self.program.target
    }
    /// The value of a parameter of the target.
    pub fn parameter(&self, parameter: Parameter) -> i64 {
        self.program.parameter(parameter)
    }
    /// Whether the target has checks.
    pub fn is_checked(&self) -> bool {
        self.program.is_checked()
    }
    /// Records a check of the current statement that is eliminated because it provably holds.
    pub fn needless(&mut self, message: &Message) {
        let origin = self.body.origin();
        self.program.needless(message, &origin);
    }
    /// The number that identifies a failure of the current statement on the device.
    pub fn failure(&mut self, message: &Message) -> i64 {
        let origin = self.body.origin();
        self.program.failure(message, &origin)
    }
    /// Charges one step to the budget; an error if it is exhausted.
    pub fn spend(&mut self) -> Result<()> {
        let origin = self.body.origin();
        self.program.work.spend(1, &origin)
    }
    pub fn note_double(&mut self, s: Scalar) {
        self.program.uses_double |= s == Scalar::Double;
    }

    /// The program, and the facts known here.
    pub fn program_and_facts(&mut self) -> (&mut ProgramBuilder<'k>, &mut Facts) {
        (self.program, self.known.facts_mut())
    }

    // ---- parameters and calls

    /// Whether the function, as written so far, writes a buffer.
    pub fn writes(&self, id: BufferId) -> bool {
        self.signature.writes(id)
    }
    /// Whether the function, as written so far, may record a failure.
    pub fn records_failures(&self) -> bool {
        self.program.failure_buffer.is_some_and(|id| self.writes(id))
    }
    /// The name of a buffer in this function, which becomes a parameter.
    pub fn use_buffer(&mut self, id: BufferId, written: bool) -> Name {
        let (body, program) = (&mut self.body, &self.program);
        self.signature.buffer(id, written, || match program.failure_buffer == Some(id) {
            true => buffer::NAME.into(),
            false => body.fresh_name(&program.buffers[id.0 as usize].name),
        })
    }
    /// The buffers that the function uses so far, by the names of their parameters.
    pub fn buffers_so_far(&self) -> Vec<(Name, Accessed)> {
        self.signature.accessed(&self.program.buffers)
    }
    pub fn failure_buffer(&mut self) -> Expr {
        self.may_fail();
        let id = self.program.failure_buffer();
        Expr::Var(self.use_buffer(id, true))
    }
    pub fn call_helper(&mut self, h: Helper, args: impl IntoIterator<Item = Expr>) -> Expr {
        self.program.helper(h);
        Expr::call(h.name(), args)
    }
    /// Calls a helper that may record a failure at the current origin.
    pub fn call_checked(&mut self, h: Helper, message: &Message, args: impl IntoIterator<Item = Expr>) -> Expr {
        let which = self.failure(message);
        let buffer = self.failure_buffer();
        self.program.helper(Helper::Fail);
        self.call_helper(h, [buffer, Expr::int(which)].into_iter().chain(args))
    }

    // ---- the end

    /// Adds the function to the program; returns its name and arguments.
    pub fn finish(self, stem: &str, doc: &str, origin: &Origin) -> (String, Vec<Arg>) {
        let FunctionBuilder { program, body, signature, grid, .. } = self;
        let Written { stmts: mut body, mut names, parts } = body.finish();
        middle::resolve(&mut body);
        barriers::drop_needless(&mut body);
        if program.target.class == Class::Gpu {
            for angle in angles::together(&mut body, &mut names).into_iter().flatten() {
                program.applied(&rules::SINE_COSINE, &angle);
            }
        }
        let (params, args) = signature.finish(&program.buffers);
        if program.target.class == Class::Gpu {
            let limit = program.parameter(Parameter::OrderedAhead);
            for origin in Ahead::new(limit as usize, &params, &body).load(&mut body, &mut names).into_iter().flatten() {
                program.applied(&rules::LOADS_AHEAD, &origin);
            }
        }
        let name = program.function_name(stem);
        let doc = if grid.used().any() || doc.is_empty() { doc.to_string() } else { format!("{doc} (one work-item)") };
        let group_size = grid.group_size();
        if let Some(sizes) = group_size.filter(|_| program.target.group_in_numbers) {
            ast::rewrite(&mut body, &mut |e| with_size(e, sizes));
        }
        let function = Function { name: name.clone(), doc, origin: origin.clone(), params, group_size, body, parts };
        program.functions.push(function);
        (name.to_string(), args)
    }
}

/// Replaces a call for the size of the group by the size.
fn with_size(e: &mut Expr, sizes: [u32; 3]) {
    if let Expr::Call(name, args) = e
        && &**name == "get_local_size"
        && let [Expr::Int { value, .. }] = args.as_slice()
        && let Some(size) = usize::try_from(*value).ok().and_then(|d| sizes.get(d))
    {
        *e = Expr::int(i64::from(*size));
    }
}
