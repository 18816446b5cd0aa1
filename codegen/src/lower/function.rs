//! An OpenCL function under construction: its parameters, names, facts about indices, and the statements so far.
//!
//! | module | job |
//! |---|---|
//! | `extrema` | minima and maxima of indices that a program computes |
//! | `conditions` | what conditions imply for indices in their branches |
//! | `prologue` | code at the start of a function, written while its body is |
//! | `ranges` | `for` loops |
//! | [`states`] | loops around the code that write arrays of their state in place |

mod conditions;
mod extrema;
mod prologue;
mod ranges;
pub mod states;

use super::flagged::checks::Flagged;
use super::program::ProgramBuilder;
use super::stop::{buffer, middle};
use super::stream::shared::rounds::SharedRounds;
use super::tile::loads::Loads;
use super::tile::memo::answers::Memo;
use super::tile::rounds::held::Held;
use super::value::{Deferred, LengthSource, Place, Value};
use super::{LowerError, Result, angles};
use crate::core::VarId;
use crate::failure::{LONGEST, Message};
use crate::opencl::{
    BinaryOp, CType, Expr, Function, Helper, Names, Param, ParamType, PartOrigins, Stmt, StmtKind, Storage,
};
use crate::plan::{Arg, BufferId};
use crate::schedule::rules;
use crate::schedule::teams::Team;
use crate::target::Class;
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Facts, Size, Var, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The dimensions of global work-items, of work-groups and of work-items of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dims {
    pub glb: [bool; 3],
    pub wrg: [bool; 3],
    pub lcl: [bool; 3],
}

impl Dims {
    pub fn any(&self) -> bool {
        self.glb.iter().chain(&self.wrg).chain(&self.lcl).any(|d| *d)
    }
    pub fn union(self, other: Dims) -> Dims {
        let or = |a: [bool; 3], b: [bool; 3]| [a[0] || b[0], a[1] || b[1], a[2] || b[2]];
        Dims { glb: or(self.glb, other.glb), wrg: or(self.wrg, other.wrg), lcl: or(self.lcl, other.lcl) }
    }
}

/// The useful numbers of work-items (of `mapGlb`) and groups (of `mapWrg`) in each dimension; requested from the host.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    pub glb: [Option<Size>; 3],
    pub wrg: [Option<Size>; 3],
    /// Maximum work-items of a group.
    pub group: Option<u32>,
}

pub struct FunctionBuilder<'p, 'k> {
    pub program: &'p mut ProgramBuilder<'k>,
    pub facts: Facts,
    /// The dimensions of the launch, those of the surrounding loops, and whether one work-item does all its group's work.
    pub used: Dims,
    pub active: Dims,
    pub leads: bool,
    /// Surrounding loops that may run more than once, including parallel ones.
    pub loop_depth: u32,
    /// Buffers with a part for each work-item, or for each group.
    pub own: Vec<BufferId>,
    pub group_own: Vec<BufferId>,
    /// The statements whose values these parts hold.
    pub stored_parts: Vec<(BufferId, Origin)>,
    /// An upper bound of the iterations of a loop whose iteration `i` is never run by a work-item with an id greater
    /// than `i`.
    pub item_rounds: Option<Size>,
    /// The number of work-items with their own memory: those that run an iteration of such a loop. `None`: all.
    pub items_own: Option<Size>,
    /// Variables whose value has been stored in the requested address space.
    pub in_space: FxHashSet<VarId>,
    /// Upper bounds of the trip counts of parallel loops, for the launch size; `None` if unknown.
    pub wishes: Wishes,
    /// The index of these parts: the id of the work-item, or of the group.
    pub item: Option<Size>,
    pub group: Option<Size>,
    /// Whether the body of the current loop writes memory shared by a group.
    pub shared_in_loop: bool,
    /// Bytes of local memory declared so far.
    pub local_bytes: u64,
    /// The fixed number of work-items of a group, if a `mapLcl` relies on it.
    pub local_size: [Option<u32>; 3],
    /// How the group shares the work of the function, if the schedule says so.
    pub team: Option<Team>,
    /// The current element of the work-item's row: its index in the row and in the registers.
    pub at_hand: Option<(Size, Expr)>,
    /// Neighbouring work-items belong to the outer one of two maps, because then they read adjacent elements.
    pub across: bool,
    /// The number of elements that a group computes at a time, until they are assigned.
    pub rows_of_team: Option<u32>,
    /// A group has one work-item, because each does a large part of the work.
    pub alone_in_group: bool,
    /// Host-level scalars loaded so far.
    pub loaded: Vec<(Place, Value<'k>)>,
    /// Elements of buffers that are kept in registers.
    pub loads: Option<Loads>,
    /// Elements of a group's arrays that are kept in registers.
    pub held: Option<Held>,
    /// Cached queries about sizes.
    pub memo: Option<Memo>,
    /// Maximum iterations of a sequential loop that is unrolled.
    pub write_out: i64,
    /// The code for the halo of a padded array is being written; its loops are not split again.
    pub in_border: bool,
    /// The current code may never be reached, so the host must not refuse a size because of it.
    pub in_branch: bool,
    /// The checks of the current loop, if they are branch-free.
    pub flagged: Option<Flagged>,
    /// Folds with iterations that several elements share.
    pub rounds: Option<SharedRounds<'k>>,
    /// The loops that write their state in place.
    pub in_place: states::Loops,
    /// The variables of loops over global work-items, and how long the loops are.
    pub grid_loops: Vec<(Name, Size)>,
    /// The origin of the launch.
    pub launched: Origin,
    origin: Origin,
    /// Origins of subexpressions.
    pub parts: PartOrigins,
    names: Names,
    buffers: Vec<(BufferId, Name, bool)>,
    sizes: Vec<(Size, Name)>,
    /// Sizes that branches need, as `long`s, because they may exceed the range of generated code.
    wide_sizes: Vec<(Size, Name)>,
    /// Local memory allocated by the host: its element type, bytes and name.
    locals: Vec<(CType, Size, Name)>,
    indices: FxHashMap<Var, Expr>,
    deferred: FxHashMap<*const Deferred<'k>, Value<'k>>,
    /// Conditions, each with two sizes; if it holds, the first is at most the second.
    compared: FxHashMap<Expr, [Size; 2]>,
    extrema: extrema::Extrema,
    declarations: Vec<Stmt>,
    prologue: Vec<Stmt>,
    scopes: Vec<Vec<Stmt>>,
}

/// The barrier with which statements certainly end, possibly in the last iteration of a loop: for local and for global
/// memory.
fn last_barrier(stmts: &mut [Stmt]) -> Option<[&mut bool; 2]> {
    match &mut stmts.last_mut()?.kind {
        StmtKind::Barrier { local, global } => Some([local, global]),
        StmtKind::For { from, condition: Expr::Binary(BinaryOp::Lt, _, to), body, .. } => {
            let rounds = from.as_int().zip(to.as_int()).is_some_and(|(from, to)| from < to);
            if rounds { last_barrier(body) } else { None }
        }
        _ => None,
    }
}

// The functions below that take a closure consist of a part before and a part after it, because the closure's type makes
// a copy of all that surrounds its call: some 800 copies of `scope` alone.

/// Facts to restore at the end of a scope.
struct Outside {
    facts: Facts,
    loads: Option<Loads>,
    memo: Option<Memo>,
    extrema: usize,
}

impl<'p, 'k> FunctionBuilder<'p, 'k> {
    pub fn new(program: &'p mut ProgramBuilder<'k>, origin: &Origin) -> Self {
        let mut facts = program.facts.clone();
        // The host refuses to launch with a greater size, so that an `int` reaches beyond the last element.
        for size in &program.kernel.sizes {
            facts.assume_range(size.clone(), None, Some(Size::int(LONGEST.into())));
        }
        let mut names = Names::default();
        names.reserve(buffer::NAME);
        FunctionBuilder {
            program,
            facts,
            used: Dims::default(),
            active: Dims::default(),
            leads: false,
            loop_depth: 0,
            own: Vec::new(),
            group_own: Vec::new(),
            stored_parts: Vec::new(),
            item_rounds: None,
            items_own: Some(Size::zero()),
            in_space: FxHashSet::default(),
            wishes: Wishes::default(),
            item: None,
            group: None,
            shared_in_loop: false,
            local_bytes: 0,
            local_size: [None; 3],
            team: None,
            at_hand: None,
            across: false,
            rows_of_team: None,
            alone_in_group: false,
            loaded: Vec::new(),
            loads: None,
            held: None,
            memo: None,
            write_out: 1,
            in_border: false,
            in_branch: false,
            flagged: None,
            rounds: None,
            in_place: states::Loops::default(),
            grid_loops: Vec::new(),
            launched: origin.clone(),
            origin: origin.clone(),
            parts: PartOrigins::default(),
            names,
            buffers: Vec::new(),
            sizes: Vec::new(),
            wide_sizes: Vec::new(),
            locals: Vec::new(),
            indices: FxHashMap::default(),
            deferred: FxHashMap::default(),
            compared: FxHashMap::default(),
            extrema: extrema::Extrema::default(),
            declarations: Vec::new(),
            prologue: Vec::new(),
            scopes: vec![Vec::new()],
        }
    }

    // ---- the current origin

    pub fn origin(&self) -> Origin {
        self.origin.clone()
    }
    /// Runs `f` with statements attributed to `origin`.
    pub fn at<T>(&mut self, origin: &Origin, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = std::mem::replace(&mut self.origin, origin.clone());
        let result = f(self);
        self.origin = outer;
        result
    }
    pub fn error(&self, primitive: &str, message: impl Into<String>) -> LowerError {
        LowerError::new(&self.origin, primitive, message)
    }
    /// Charges one step to the budget; an error if it is exhausted.
    pub fn spend(&mut self) -> Result<()> {
        self.program.work.spend(1, &self.origin)
    }

    // ---- statements

    pub fn emit(&mut self, kind: StmtKind) {
        let stmt = kind.at(&self.origin);
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(stmt);
        }
    }
    /// Appends statements that were written in a separate scope.
    pub fn emit_all(&mut self, stmts: Vec<Stmt>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(stmts);
        }
    }
    /// Runs `f` in a new scope; returns the statements written there, and the result.
    pub fn scope<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<(Vec<Stmt>, T)> {
        let outside = self.open_scope();
        let result = f(self);
        let stmts = self.close_scope(outside);
        Ok((stmts, result?))
    }
    fn open_scope(&mut self) -> Outside {
        self.scopes.push(Vec::new());
        let (loads, memo) = (self.loads.clone(), self.memo.clone());
        Outside { facts: self.facts.clone(), loads, memo, extrema: self.extrema.count() }
    }
    fn close_scope(&mut self, outside: Outside) -> Vec<Stmt> {
        (self.facts, self.loads, self.memo) = (outside.facts, outside.loads, outside.memo);
        self.extrema.keep(outside.extrema);
        self.scopes.pop().unwrap_or_default()
    }
    /// Runs `f`, which writes code under a condition of the program.
    pub fn branch<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outside = std::mem::replace(&mut self.in_branch, true);
        let result = f(self);
        self.in_branch = outside;
        result
    }
    pub fn fresh_name(&mut self, wish: &str) -> Name {
        self.names.fresh(wish)
    }
    /// `const T name = init;`
    pub fn bind(&mut self, wish: &str, ty: CType, init: Expr) -> Expr {
        let name = self.fresh_name(wish);
        self.emit(StmtKind::Declare { ty, constant: true, name: name.clone(), init: Some(init) });
        Expr::Var(name)
    }
    /// `T name = init;`
    pub fn variable(&mut self, wish: &str, ty: CType, init: Option<Expr>) -> Name {
        let name = self.fresh_name(wish);
        self.emit(StmtKind::Declare { ty, constant: false, name: name.clone(), init });
        name
    }
    /// `T name = init;` with a fresh name.
    pub fn variable_named(&mut self, name: Name, ty: CType, init: Expr) -> Name {
        self.emit(StmtKind::Declare { ty, constant: false, name: name.clone(), init: Some(init) });
        name
    }
    /// The number of open scopes.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }
    /// The statements of the innermost scope.
    pub fn innermost(&mut self) -> Option<&mut Vec<Stmt>> {
        self.scopes.last_mut()
    }
    /// The last statement of the innermost scope.
    pub fn last_written(&self) -> Option<&StmtKind> {
        self.scopes.last()?.last().map(|s| &s.kind)
    }
    /// The initialiser of a variable in the innermost scope.
    pub fn initial(&self, of: &Name) -> Option<&Expr> {
        self.scopes.last()?.iter().rev().find_map(|s| match &s.kind {
            StmtKind::Declare { constant: true, name, init, .. } if name == of => init.as_ref(),
            _ => None,
        })
    }
    pub fn assign(&mut self, to: Expr, value: Expr) {
        self.emit(StmtKind::Assign(to, value));
    }
    pub fn declare_array(&mut self, wish: &str, storage: Storage, ty: CType, len: u64) -> Name {
        let name = self.fresh_name(wish);
        let kind = StmtKind::DeclareArray { storage, ty, name: name.clone(), len };
        match storage {
            // OpenCL C 1.2 requires them at the start of the function.
            Storage::Local | Storage::LocalVectors => self.declarations.push(kind.at(&self.origin)),
            Storage::Private => self.emit(kind),
        }
        name
    }
    pub fn barrier(&mut self, local: bool, global: bool) {
        if let Some([l, g]) = self.scopes.last_mut().and_then(|s| last_barrier(s)) {
            *l |= local;
            *g |= global;
            return;
        }
        self.emit(StmtKind::Barrier { local, global });
    }
    pub fn emit_if(&mut self, condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) {
        if then.is_empty() && otherwise.is_empty() {
            return;
        }
        if then.is_empty() {
            self.emit(StmtKind::If { condition: condition.not(), then: otherwise, otherwise: Vec::new() });
            return;
        }
        self.emit(StmtKind::If { condition, then, otherwise });
    }

    // ---- parameters

    /// Whether the function, as written so far, writes a buffer.
    pub fn writes(&self, id: BufferId) -> bool {
        self.buffers.iter().any(|(b, _, written)| *b == id && *written)
    }
    /// Whether the function, as written so far, may record a failure.
    pub fn records_failures(&self) -> bool {
        self.program.failure_buffer.is_some_and(|id| self.writes(id))
    }
    /// The name of a buffer in this function, which becomes a parameter.
    pub fn use_buffer(&mut self, id: BufferId, written: bool) -> Name {
        if let Some((_, name, w)) = self.buffers.iter_mut().find(|(b, ..)| *b == id) {
            *w |= written;
            return name.clone();
        }
        let name = match self.program.failure_buffer == Some(id) {
            true => buffer::NAME.into(),
            false => self.names.fresh(&self.program.buffers[id.0 as usize].name),
        };
        self.buffers.push((id, name.clone(), written));
        name
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
        let which = self.program.failure(message, &self.origin);
        let buffer = self.failure_buffer();
        self.program.helper(Helper::Fail);
        self.call_helper(h, [buffer, Expr::int(which)].into_iter().chain(args))
    }

    // ---- sizes and indices

    /// A size variable for a loop index or a computed number, given the C expression of its value.
    pub fn index_var(&mut self, name: &str, expr: Expr) -> Var {
        let var = self.program.fresh_var(name);
        self.indices.insert(var.clone(), expr);
        var
    }
    /// Gives the C expression for a variable of the program, such as a skolem.
    pub fn alias(&mut self, var: &Var, expr: Expr) {
        self.indices.insert(var.clone(), expr);
    }
    pub fn var_expr(&mut self, var: &Var) -> Result<Expr> {
        if let Some(e) = self.indices.get(var) {
            return Ok(e.clone());
        }
        if let Some(source) = self.program.lengths.get(var).cloned() {
            let name = self.in_prologue(|f| match source {
                LengthSource::Size(size) => f.size(&size),
                LengthSource::Buffer(buffer) => {
                    let from = f.use_buffer(buffer, false);
                    Ok(f.bind(&var.name, CType::Int, Expr::Var(from).index(Expr::int(0))))
                }
                LengthSource::Value(value, length) => {
                    length.computed.set(true);
                    // The length is that of its statement, not of the first one that reads it here.
                    f.at(&length.stmt.origin, |f| {
                        let value = f.scalar_of(&value)?;
                        let mut value = f.scalar(&value)?;
                        if f.program.is_checked() {
                            let message = Message::impossible_length();
                            value = f.call_checked(Helper::CheckLength, &message, [value]);
                        }
                        Ok(f.bind(&var.name, CType::Int, value))
                    })
                }
            })?;
            self.indices.insert(var.clone(), name.clone());
            return Ok(name);
        }
        if var.kind == VarKind::Param {
            let size = Size::var(var.clone());
            if let Some((_, name)) = self.sizes.iter().find(|(s, _)| *s == size) {
                return Ok(Expr::Var(name.clone()));
            }
            let name = self.names.fresh(&var.name);
            self.sizes.push((size, name.clone()));
            return Ok(Expr::Var(name));
        }
        Err(self.error("", format!("the length `{var}` is not known on the device here")))
    }

    /// A size that the host evaluates, as an argument; computed here if the host does not know it.
    pub fn host_size(&mut self, size: &Size, name: &str) -> Result<Size> {
        if size.as_const().is_some() {
            return Ok(size.clone());
        }
        if size.any_var(&mut |v| v.kind != VarKind::Param) {
            let expr = self.size(size)?;
            let expr = self.bind(name, CType::Int, expr);
            let var = self.index_var(name, expr);
            let (low, high) = self.facts.bounds(size);
            self.facts.assume_range(var.clone(), low, high);
            return Ok(Size::var(var));
        }
        if !self.program.is_measured(size) {
            return Err(self.error("", format!("the size `{size}` is not known before the launch")));
        }
        if let Some((_, name)) = self.sizes.iter().find(|(s, _)| s == size)
            && let Some((var, _)) = self.indices.iter().find(|(_, e)| **e == Expr::Var(name.clone()))
        {
            return Ok(Size::var(var.clone()));
        }
        if self.in_branch && self.may_be_large(size) {
            return self.wide_size(size, name, Helper::CheckNumber, &Message::too_large_number());
        }
        let name = self.names.fresh(name);
        let var = self.index_var(&name.clone(), Expr::Var(name.clone()));
        let (low, high) = self.facts.bounds(size);
        self.facts.assume_range(var.clone(), low, high);
        self.sizes.push((size.clone(), name));
        Ok(Size::var(var))
    }

    /// A size that the host evaluates, as a `long`, and that is checked where it is used.
    pub fn wide_size(&mut self, size: &Size, name: &str, check: Helper, message: &Message) -> Result<Size> {
        let known = self.wide_sizes.iter().find(|(s, _)| s == size).map(|(_, argument)| argument.clone());
        let argument = match known {
            Some(argument) => argument,
            None => {
                let argument = self.names.fresh(name);
                self.wide_sizes.push((size.clone(), argument.clone()));
                argument
            }
        };
        let value = match self.program.is_checked() {
            true => self.call_checked(check, message, [Expr::Var(argument)]),
            false => Expr::Var(argument).cast(CType::Int),
        };
        let value = self.bind(name, CType::Int, value);
        let var = self.index_var(name, value);
        let (low, high) = self.facts.bounds(size);
        self.facts.assume_range(var.clone(), low, high);
        Ok(Size::var(var))
    }

    /// An argument whose value the plan may change between launches.
    pub fn argument(&mut self, name: &str, value: &Size) -> Expr {
        let name = self.names.fresh(name);
        self.sizes.push((value.clone(), name.clone()));
        Expr::Var(name)
    }

    /// Local memory of `bytes` bytes, allocated by the host, as an argument.
    pub fn local_argument(&mut self, wish: &str, element: CType, bytes: Size) -> Name {
        let name = self.names.fresh(wish);
        self.locals.push((element, bytes, name.clone()));
        name
    }

    // ---- deferred values

    pub fn deferred(&self, key: *const Deferred<'k>) -> Option<Value<'k>> {
        self.deferred.get(&key).cloned()
    }
    pub fn set_deferred(&mut self, key: *const Deferred<'k>, value: Value<'k>) {
        self.deferred.insert(key, value);
    }

    // ---- the end

    /// Whether the function accesses no memory visible to others.
    pub fn does_nothing(&self) -> bool {
        self.scopes.iter().all(|scope| super::barriers::touches_nothing(scope))
    }

    /// Adds the function to the program; returns its name and arguments.
    pub fn finish(self, stem: &str, doc: &str, origin: &Origin) -> (String, Vec<Arg>) {
        let FunctionBuilder {
            parts,
            program,
            buffers,
            sizes,
            wide_sizes,
            locals,
            declarations,
            prologue,
            mut scopes,
            mut names,
            local_size,
            used,
            ..
        } = self;
        let body = scopes.pop().unwrap_or_default();
        let mut body: Vec<_> = declarations.into_iter().chain(prologue).chain(body).collect();
        middle::resolve(&mut body);
        super::barriers::drop_needless(&mut body);
        if program.target.class == Class::Gpu {
            for angle in angles::together(&mut body, &mut names).into_iter().flatten() {
                program.applied(&rules::SINE_COSINE, &angle);
            }
        }
        let (mut params, mut args) = (Vec::new(), Vec::new());
        for (id, name, written) in buffers {
            let element = CType::stored(program.buffers[id.0 as usize].element);
            params.push(Param { name, ty: ParamType::Buffer { element, constant: !written } });
            args.push(Arg::Buffer(id));
        }
        for (value, name) in sizes {
            params.push(Param { name, ty: ParamType::Value(CType::Int) });
            args.push(Arg::Size { value, wide: false });
        }
        for (value, name) in wide_sizes {
            params.push(Param { name, ty: ParamType::Value(CType::Long) });
            args.push(Arg::Size { value, wide: true });
        }
        for (element, bytes, name) in locals {
            params.push(Param { name, ty: ParamType::Local(element) });
            args.push(Arg::Local { bytes });
        }
        let group_size = local_size.iter().any(Option::is_some).then(|| local_size.map(|d| d.unwrap_or(1)));
        let name = program.function_name(stem);
        let doc = if used.any() || doc.is_empty() { doc.to_string() } else { format!("{doc} (one work-item)") };
        let function = Function { name: name.clone(), doc, origin: origin.clone(), params, group_size, body, parts };
        program.functions.push(function);
        (name.to_string(), args)
    }

    pub fn note_double(&mut self, s: Scalar) {
        self.program.uses_double |= s == Scalar::Double;
    }
}
