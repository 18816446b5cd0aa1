//! Counts the work of a function's statements.

use super::amount::{Price, Work};
use super::branches::Branches;
use super::ctypes::{bytes, is_integer, is_zero};
use super::domain::{Domain, rounded_up};
use super::values::{Grid, Names, eval};
use super::verdict::Apart;
use super::{LaunchCost, Unknown, What};
use crate::opencl::{BinaryOp, CType, Expr, Function, Helper, ParamType, Step, Stmt, StmtKind, Storage};
use crate::plan::{Arg, BufferId, Launch, Program};
use crate::sizes::SizeValues;
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Facts, Size, Var, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// First id of the counter's own variables, above all ids of programs.
const FIRST: u32 = 1 << 28;
/// The largest weight of a size that gets a name; counting with longer ones is slow, and they are unreadable.
const MOST_WEIGHT: u32 = 100;

pub struct Counter<'p> {
    pub program: &'p Program,
    pub sizes: &'p SizeValues,
    pub unknown: Vec<Unknown>,
    /// Variables for numbers stored in buffers.
    pub values: FxHashMap<BufferId, Var>,
    pub next: u32,
    // State of the current function:
    pub grid: Grid,
    pub names: Names,
    /// The initial values of declared integers.
    pub declared: FxHashMap<Name, Expr>,
    /// Counters of loops, each with its initial value.
    pub reached: FxHashMap<Name, Size>,
    pub types: FxHashMap<Name, Typed>,
    pub buffers: FxHashMap<Name, BufferId>,
    /// For flags initialised to false and bits initialised to 0: how often one was set.
    pub set: FxHashMap<Name, Size>,
    /// Variables whose sum over all groups is the number of set flags: variable to flag.
    pub ranks: FxHashMap<Name, Name>,
    pub items: u32,
    pub waits: bool,
    /// Reads and writes of neighbouring work-items that lie far apart.
    pub apart: Vec<Apart>,
    /// The origins of all statements so far.
    pub origins: FxHashSet<Origin>,
    /// The origin of the current statement.
    pub origin: Option<Origin>,
    /// Names for compound sizes, with their values.
    pub shown: Vec<(Var, Size)>,
}

/// The type of a variable in the text.
#[derive(Debug, Clone, Copy)]
pub struct Typed {
    pub ty: CType,
    /// Whether it points to global memory.
    pub global: bool,
}

/// The head of a counting loop.
pub struct Loop<'a> {
    pub var: &'a Name,
    pub from: &'a Expr,
    pub end: Option<&'a Expr>,
    pub step: &'a Step,
    pub below: Option<&'a Size>,
    pub origin: Option<&'a Origin>,
}

impl<'p> Counter<'p> {
    /// Starts with `sizes` substituted for the program's size parameters; if all are given, amounts are numbers.
    pub fn new(program: &'p Program, sizes: &'p SizeValues) -> Counter<'p> {
        let one = || [(); 3].map(|()| Size::one());
        let zero = || [(); 3].map(|()| Size::zero());
        Counter {
            program,
            sizes,
            unknown: Vec::new(),
            values: FxHashMap::default(),
            next: FIRST,
            grid: Grid {
                group: zero(),
                item: zero(),
                groups: one(),
                items: one(),
                least: RefCell::default(),
                spans: RefCell::default(),
                rounded: RefCell::default(),
            },
            names: Names::default(),
            declared: FxHashMap::default(),
            reached: FxHashMap::default(),
            types: FxHashMap::default(),
            buffers: FxHashMap::default(),
            set: FxHashMap::default(),
            ranks: FxHashMap::default(),
            items: 1,
            waits: false,
            apart: Vec::new(),
            origins: FxHashSet::default(),
            origin: None,
            shown: Vec::new(),
        }
    }

    /// Substitutes the given values in a size.
    pub fn given(&self, size: &Size) -> Size {
        size.subst(&mut |v| self.sizes.get(v).map(Size::int))
    }
    pub fn var(&mut self, name: &str) -> Var {
        self.next += 1;
        Var::new(VarKind::Bound, self.next, name)
    }
    pub fn unknown(&mut self, name: &str, what: What, at_most: Option<Size>, origin: Option<&Origin>) -> Var {
        let taken = |name: &str| {
            self.unknown.iter().any(|u| *u.var.name == *name)
                || self.program.plan.sizes.iter().any(|v| *v.name == *name)
        };
        let mut n = 1;
        let mut free = name.to_string();
        while taken(&free) {
            n += 1;
            free = format!("{name}'{n}");
        }
        let var = self.var(&free);
        self.unknown.push(Unknown { var: var.clone(), what, at_most, origin: origin.cloned() });
        var
    }

    pub fn launch(&mut self, launch: &Launch, function: &Function, times: &Size) -> LaunchCost {
        self.start(launch.local.iter().product());
        let mut facts = Facts::new();
        if self.sizes.iter().next().is_none() {
            self.program.plan.checks.iter().for_each(|(assumption, _)| facts.assume(assumption));
            // Assume that no array is empty: the cost then hardly matters, and covering it would double the length of
            // amounts.
            let all = self.program.plan.sizes.iter();
            all.for_each(|v| facts.assume_range(v.clone(), Some(Size::one()), None));
        }
        let known = facts.clone();
        let mut domain = Domain::new(facts);
        let local_memory = self.arguments(launch, function, &known, &mut domain);
        let groups = launch.groups.clone().map(|count| {
            let multiple = Size::nat(count.multiple_of.max(1).into());
            known.simplify(&rounded_up(&self.given(&count.wish), &multiple).mul(&multiple))
        });
        self.distribute(&groups, launch.local, &mut domain);
        let mut work = self.block(&function.body, domain);
        let shown: Vec<(Var, Size)> = self.shown.drain(..).rev().collect();
        let mut in_full = |size: &Size| {
            let size = shown.iter().fold(size.clone(), |size, (var, value)| size.subst_var(var, value));
            known.simplify(&size)
        };
        work.map(&mut in_full);
        let mut apart = std::mem::take(&mut self.apart);
        for part in &mut apart {
            (part.stride, part.bytes) = (in_full(&part.stride), in_full(&part.bytes));
        }
        for unknown in &mut self.unknown {
            if let Some(most) = &mut unknown.at_most {
                *most = shown.iter().fold(most.clone(), |most, (var, value)| most.subst_var(var, value));
            }
        }
        LaunchCost {
            label: launch.label.clone(),
            function: Some(launch.kernel.clone()),
            origin: Some(launch.origin.clone()),
            times: self.given(times),
            groups,
            items: launch.local,
            local_memory: known.simplify(&local_memory),
            work,
            waits: self.waits,
            apart,
            origins: std::mem::take(&mut self.origins),
        }
    }

    /// Forgets the function before; a group has so many work-items.
    fn start(&mut self, items: u32) {
        self.names.clear();
        self.declared.clear();
        self.reached.clear();
        self.types.clear();
        self.buffers.clear();
        self.set.clear();
        self.ranks.clear();
        self.waits = false;
        self.apart.clear();
        self.origins.clear();
        self.origin = None;
        self.items = items;
        self.shown.clear();
    }

    /// Binds the parameters of a function; the bytes of a group's local memory.
    fn arguments(&mut self, launch: &Launch, function: &Function, known: &Facts, domain: &mut Domain) -> Size {
        let declared: u64 = function.body.iter().map(local_bytes).sum();
        let mut local_memory = Size::nat(declared);
        for (param, arg) in function.params.iter().zip(&launch.args) {
            match (arg, &param.ty) {
                (Arg::Buffer(id), ParamType::Buffer { element, .. }) => {
                    self.buffers.insert(param.name.clone(), *id);
                    self.types.insert(param.name.clone(), Typed { ty: *element, global: true });
                }
                (Arg::Size { value, .. }, ParamType::Value(ty)) => {
                    let value = known.simplify(&self.given(value));
                    let value = self.named(&param.name, value, domain);
                    self.names.insert(param.name.clone(), value);
                    self.types.insert(param.name.clone(), Typed { ty: *ty, global: false });
                }
                (Arg::Local { bytes }, ParamType::Local(ty)) => {
                    local_memory = local_memory.add(&self.given(bytes));
                    self.types.insert(param.name.clone(), Typed { ty: *ty, global: false });
                }
                _ => {}
            }
        }
        local_memory
    }

    /// Distributes the executions over the groups of a launch, and their work-items.
    fn distribute(&mut self, groups: &[Size; 3], local: [u32; 3], domain: &mut Domain) {
        let named = [0, 1, 2].map(|d| self.named("groups", groups[d].clone(), domain));
        let items = local.map(|n| Size::nat(n.into()));
        // Dimension 0 is innermost.
        let group = [2, 1, 0].map(|d: usize| domain.push(&named[d]));
        let item = [2, 1, 0].map(|d: usize| domain.push(&items[d]));
        domain.has_lanes(&item[2]);
        let turned = |[c, b, a]: [Size; 3]| [a, b, c];
        self.grid = Grid {
            group: turned(group),
            item: turned(item),
            groups: named,
            items,
            least: RefCell::default(),
            spans: RefCell::default(),
            rounded: RefCell::default(),
        };
    }

    // ---- statements

    pub fn block(&mut self, stmts: &[Stmt], mut domain: Domain) -> Work {
        let mut work = Work::none();
        for stmt in stmts {
            if let Some(origin) = &stmt.origin {
                self.origins.insert(origin.clone());
                self.origin.clone_from(&stmt.origin);
            }
            // The statements after a conditional `return` run where the condition does not hold.
            if let StmtKind::If { condition, then, otherwise } = &stmt.kind
                && otherwise.is_empty()
                && matches!(then.last().map(|s| &s.kind), Some(StmtKind::Return))
            {
                work.add(&self.expr(condition, &mut domain));
                match self.branches(condition, &mut domain) {
                    Branches::Known(_, Some(rest)) => domain = rest,
                    Branches::Known(_, None) => return work,
                    _ => domain.exact = false,
                }
                continue;
            }
            let part = self.stmt(stmt, &mut domain);
            work.add(&part);
        }
        work
    }

    fn stmt(&mut self, stmt: &Stmt, domain: &mut Domain) -> Work {
        match &stmt.kind {
            StmtKind::Declare { ty, constant, name, init } => self.declare(*ty, *constant, name, init.as_ref(), domain),
            StmtKind::DeclareArray { ty, name, .. } => {
                self.types.insert(name.clone(), Typed { ty: *ty, global: false });
                Work::none()
            }
            StmtKind::Assign(to, value) => self.assign(to, value, domain),
            StmtKind::Expr(e) => self.expr(e, domain),
            StmtKind::If { condition, then, otherwise } => self.branch(condition, then, otherwise, domain),
            StmtKind::For { ty, var, from, condition, step, below, body } => {
                self.types.insert(var.clone(), Typed { ty: *ty, global: false });
                let mut work = self.loads(from, domain);
                let end = match condition {
                    Expr::Binary(BinaryOp::Lt, v, end) if **v == Expr::Var(var.clone()) => Some(&**end),
                    _ => None,
                };
                let rounds = Loop { var, from, end, step, below: below.as_ref(), origin: stmt.origin.as_ref() };
                work.add(&self.rounds(&rounds, body, domain));
                work
            }
            StmtKind::While { condition, body } => self.whiles(condition, body, stmt.origin.as_ref(), domain),
            StmtKind::Barrier { .. } => self.paid(Price { barriers: 1, ..Price::default() }, domain),
            StmtKind::Block(body) => self.block(body, domain.clone()),
            StmtKind::Break
            | StmtKind::Return
            | StmtKind::Stop
            | StmtKind::Comment(_)
            | StmtKind::Unroll
            | StmtKind::Roll => Work::none(),
        }
    }

    fn declare(&mut self, ty: CType, constant: bool, name: &Name, init: Option<&Expr>, domain: &mut Domain) -> Work {
        self.types.insert(name.clone(), Typed { ty, global: false });
        self.names.remove(name);
        let Some(init) = init else { return Work::none() };
        if !constant && is_zero(init) {
            self.set.insert(name.clone(), Size::zero());
        }
        if let Expr::Call(call, args) = init
            && **call == *Helper::Ranks.name()
            && let Some(Expr::Var(flag)) = args.get(1)
        {
            self.ranks.insert(name.clone(), flag.clone());
        }
        if is_integer(ty) {
            self.declared.insert(name.clone(), init.clone());
            let value = match self.stored_value(init) {
                Some(value) => Some(value),
                None => eval(init, &self.names, &self.grid, domain),
            };
            if let Some(value) = value.filter(|value| value.weight() <= MOST_WEIGHT) {
                let value = self.named(name, value, domain);
                self.names.insert(name.clone(), value);
            }
        }
        self.expr(init, domain)
    }

    /// Introduces a name for a compound size while it is counted.
    fn named(&mut self, name: &str, value: Size, domain: &mut Domain) -> Size {
        if value.as_const().is_some() || value.as_var().is_some() || domain.has_index(&value) {
            return value;
        }
        if let Some((var, _)) = self.shown.iter().find(|(_, v)| *v == value) {
            return Size::var(var.clone());
        }
        let var = self.var(name);
        domain.name(&var, &value);
        let short = Size::var(var.clone());
        let rounded = self.grid.rounded.borrow().iter().find(|[q, ..]| *q == value).cloned();
        if let Some([_, a, b]) = rounded {
            domain.assume_at_most(&a, &short.mul(&b));
        }
        self.shown.push((var, value));
        short
    }

    /// The value of the first element of a buffer of `int`s: a length or another computed number.
    fn stored_value(&mut self, e: &Expr) -> Option<Size> {
        let Expr::Index(buffer, at) = e else { return None };
        let (Expr::Var(name), Some(0)) = (&**buffer, at.as_int()) else { return None };
        let id = *self.buffers.get(name)?;
        if let Some(var) = self.values.get(&id) {
            return Some(Size::var(var.clone()));
        }
        let name = self.program.plan.buffer(id).name.clone();
        let var = self.unknown(&name, What::Value, None, None);
        self.values.insert(id, var.clone());
        Some(Size::var(var))
    }

    fn assign(&mut self, to: &Expr, value: &Expr, domain: &mut Domain) -> Work {
        if let Expr::Var(name) = to {
            if !is_zero(value)
                && let Some(set) = self.set.get_mut(name)
            {
                *set = set.add(&domain.count().size);
            }
            self.reached.remove(name);
            let known = eval(value, &self.names, &self.grid, domain);
            match known {
                Some(known) => self.names.insert(name.clone(), known),
                None => self.names.remove(name),
            };
            return self.expr(value, domain);
        }
        let mut work = self.expr(value, domain);
        work.add(&self.loads_of_index(to, domain));
        let written = self.global_bytes(to);
        self.lies_apart(to, written, domain);
        work.add(&self.paid(Price { written, ..Price::default() }, domain));
        work
    }

    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt], domain: &mut Domain) -> Work {
        let mut work = self.expr(condition, domain);
        let branches = if fails(otherwise) {
            // The cost of a failing run does not matter.
            Branches::Known(Some(domain.clone()), None)
        } else if fails(then) {
            Branches::Known(None, Some(domain.clone()))
        } else {
            self.branches(condition, domain)
        };
        let before = self.names.clone();
        match branches {
            Branches::Known(yes, no) => {
                if let Some(yes) = yes {
                    work.add(&self.block(then, yes));
                }
                self.names.clone_from(&before);
                if let Some(no) = no {
                    work.add(&self.block(otherwise, no));
                }
            }
            Branches::Limited(yes) if otherwise.is_empty() => work.add(&self.block(then, yes)),
            Branches::Either | Branches::Limited(_) => {
                let yes = self.block(then, domain.clone());
                self.names.clone_from(&before);
                let no = self.block(otherwise, domain.clone());
                work.add(&yes.either(&no, &|a, b| domain.is_at_most(a, b)));
            }
        }
        self.names = before;
        self.forget(then);
        self.forget(otherwise);
        work
    }

    /// Forgets the values of variables that these statements assign.
    pub fn forget(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Assign(Expr::Var(name), _) => {
                    self.names.remove(name);
                    self.reached.remove(name);
                }
                StmtKind::If { then, otherwise, .. } => {
                    self.forget(then);
                    self.forget(otherwise);
                }
                StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => self.forget(body),
                _ => {}
            }
        }
    }
}

fn local_bytes(stmt: &Stmt) -> u64 {
    match &stmt.kind {
        StmtKind::DeclareArray { storage: Storage::Local | Storage::LocalVectors, ty, len, .. } => bytes(*ty) * len,
        _ => 0,
    }
}

/// Whether the statements handle a failure.
fn fails(stmts: &[Stmt]) -> bool {
    let records = |s: &Stmt| match &s.kind {
        StmtKind::Expr(Expr::Call(f, _)) => **f == *Helper::Fail.name(),
        StmtKind::Stop => true,
        _ => false,
    };
    stmts.iter().any(records)
}
