//! Barriers of generated kernels, for every example and every class of devices: all work-items of a group reach each of
//! them, and between two of them memory that they share is read or written.
//!
//! What work-items of a group may disagree about is found by following their ids through the tree: a value is *their own*
//! if it is computed from an id of the item, from what only it has in private memory, from an element at an index of its
//! own, or where a condition of its own decided. What lies in shared memory at an index that all agree about is the same
//! for all.

use libtest_mimic::{Arguments, Trial};
use lift_codegen::lower;
use lift_codegen::opencl::{Expr, Function, Helper, ParamType, Step, Stmt, StmtKind, Storage};
use lift_codegen::target::Target;
use lift_tests::check::Program;
use lift_tests::files;
use std::cell::Cell;
use std::collections::BTreeSet;

const TARGETS: [&str; 4] = ["portable", "gpu", "nvidia", "cpu"];

fn main() {
    let examples = files::root().join("examples");
    let mut trials = vec![
        Trial::test("what is wrong is found", || found_out().map_err(Into::into)),
        Trial::test("there are barriers", || there_are_some().map_err(Into::into)),
    ];
    for path in files::below(&examples, ".lift") {
        let path = path.display().to_string();
        for target in TARGETS {
            let (name, path) = (path.trim_start_matches(&*examples.display().to_string()).to_owned(), path.clone());
            let trial = move || example(&path, target).map(|_| ()).map_err(Into::into);
            trials.push(Trial::test(format!("{target} {name}"), trial));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// How many barriers the kernels of an example have.
fn example(path: &str, target: &str) -> Result<usize, String> {
    let folder = files::root().join("examples");
    let program = Program::new(&folder, path, &files::read(std::path::Path::new(path)));
    let mut barriers = 0;
    for kernel in program.kernels() {
        let Ok(core) = kernel.core else { continue };
        let Ok(compiled) = lower::compile(&core, &target.parse::<Target>()?) else { continue };
        let waiting = waiting_helpers(&compiled.opencl.text);
        for function in &compiled.functions {
            barriers += check(function, &waiting).map_err(|why| format!("{why}\n{}", compiled.opencl.text))?;
        }
    }
    Ok(barriers)
}

fn there_are_some() -> Result<(), String> {
    let folder = files::root().join("examples/gallery");
    for (name, target) in [("matmul", "gpu"), ("sum", "portable"), ("scan", "nvidia"), ("gemv", "gpu")] {
        let path = folder.join(format!("{name}.lift")).display().to_string();
        if example(&path, target)? == 0 {
            return Err(format!("{name} has no barrier for {target}: nothing is tested"));
        }
    }
    Ok(())
}

/// The functions of a text, other than kernels, that have a barrier.
fn waiting_helpers(text: &str) -> BTreeSet<String> {
    let name = |function: &str| {
        // Comments stand before it.
        let head = function.lines().find(|line| line.contains('(') && !line.trim_start().starts_with("//"))?;
        let head = head.split('(').next()?;
        head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned)
    };
    let functions = text.split("\n}\n").filter(|f| f.contains("barrier(") && !f.contains("__kernel"));
    functions.filter_map(name).collect()
}

/// One function.
struct Checked<'a> {
    function: &'a str,
    waiting: &'a BTreeSet<String>,
    /// Variables about whose values work-items may disagree.
    own: BTreeSet<String>,
    /// Arrays that only one work-item has.
    private: BTreeSet<String>,
    /// Arrays and buffers that work-items share.
    shared: BTreeSet<String>,
    barriers: Cell<usize>,
}

/// How a statement may leave what is around it.
#[derive(Clone, Copy, Default, PartialEq)]
struct Leaves {
    /// Some work-items leave the loop, or the function, and others do not.
    the_loop: bool,
    the_function: bool,
}

fn check(function: &Function, waiting: &BTreeSet<String>) -> Result<usize, String> {
    let mut checked = Checked {
        function: &function.name,
        waiting,
        own: BTreeSet::new(),
        private: BTreeSet::new(),
        shared: BTreeSet::new(),
        barriers: Cell::new(0),
    };
    for param in &function.params {
        if matches!(param.ty, ParamType::Buffer { .. } | ParamType::Local(_)) {
            checked.shared.insert(param.name.to_string());
        }
    }
    loop {
        let before = checked.own.len();
        checked.learn(&function.body, false);
        if checked.own.len() == before {
            break;
        }
    }
    checked.reached(&function.body, false)?;
    checked.needed(&function.body, true)?;
    checked.followed(&function.body, false)?;
    Ok(checked.barriers.get())
}

impl Checked<'_> {
    /// Whether work-items may disagree about a value.
    fn is_own(&self, e: &Expr) -> bool {
        let any = |all: &[Expr]| all.iter().any(|e| self.is_own(e));
        match e {
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) => false,
            Expr::Var(name) => self.own.contains(&**name),
            Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) | Expr::AddressOf(a) => self.is_own(a),
            Expr::Wide { pointer, .. } => self.is_own(pointer),
            Expr::Binary(_, a, b) | Expr::Index(a, b) => self.is_own(a) || self.is_own(b),
            Expr::Select(a, b, c) => self.is_own(a) || self.is_own(b) || self.is_own(c),
            Expr::Vector(_, all) => any(all),
            Expr::Call(name, args) => match &**name {
                "get_local_id" | "get_global_id" => true,
                "get_group_id" | "get_num_groups" | "get_local_size" | "get_global_size" => false,
                // What one work-item finds and all read behind a barrier.
                name if [Helper::NextTile, Helper::LastGroup, Helper::GroupSums].iter().any(|h| h.name() == name) => {
                    false
                }
                name if name.starts_with("atomic_") || self.waiting.contains(name) => true,
                _ => any(args),
            },
        }
    }

    fn note(&mut self, target: &Expr, own: bool) {
        match target {
            Expr::Var(name) if own => {
                self.own.insert(name.to_string());
            }
            // Elements of private arrays; what work-items share is looked at where it is read.
            Expr::Index(array, at) => {
                if let Expr::Var(name) = &**array
                    && self.private.contains(&**name)
                    && (own || self.is_own(at))
                {
                    self.own.insert(name.to_string());
                }
            }
            Expr::Lane(of, _) => self.note(of, own),
            _ => {}
        }
    }

    /// Follows ids through statements, which are executed under a condition about which work-items disagree or not.
    fn learn(&mut self, stmts: &[Stmt], mut apart: bool) -> Leaves {
        let mut leaves = Leaves::default();
        for stmt in stmts {
            let here = match &stmt.kind {
                StmtKind::Declare { name, init, .. } => {
                    let own = apart || init.as_ref().is_some_and(|e| self.is_own(e));
                    self.note(&Expr::Var(name.clone()), own);
                    Leaves::default()
                }
                StmtKind::DeclareArray { storage, name, .. } => {
                    let of = if *storage == Storage::Private { &mut self.private } else { &mut self.shared };
                    of.insert(name.to_string());
                    Leaves::default()
                }
                StmtKind::Assign(to, value) => {
                    let own = apart || self.is_own(value);
                    self.note(to, own);
                    Leaves::default()
                }
                StmtKind::Expr(Expr::Call(_, args)) => {
                    // What is written by address.
                    let own = apart || args.iter().any(|e| self.is_own(e));
                    for arg in args {
                        if let Expr::AddressOf(to) = arg {
                            self.note(to, own);
                        }
                    }
                    Leaves::default()
                }
                StmtKind::If { condition, then, otherwise } => {
                    let apart = apart || self.is_own(condition);
                    let (a, b) = (self.learn(then, apart), self.learn(otherwise, apart));
                    a.or(b)
                }
                StmtKind::For { var, from, condition, step, body, .. } => {
                    let step = matches!(step, Step::Add(by) if self.is_own(by));
                    let own = apart || self.is_own(from) || step;
                    self.note(&Expr::Var(var.clone()), own);
                    self.learn_loop(condition, body, apart)
                }
                StmtKind::While { condition, body } => self.learn_loop(condition, body, apart),
                StmtKind::Block(body) => self.learn(body, apart),
                StmtKind::Break => Leaves { the_loop: apart, the_function: false },
                StmtKind::Return => Leaves { the_loop: apart, the_function: apart },
                _ => Leaves::default(),
            };
            // What follows is done by some of them only.
            apart |= here != Leaves::default();
            leaves = leaves.or(here);
        }
        leaves
    }

    fn learn_loop(&mut self, condition: &Expr, body: &[Stmt], apart: bool) -> Leaves {
        let mut inside = apart || self.is_own(condition);
        let leaves = self.learn(body, inside);
        if leaves.the_loop && !inside {
            inside = true;
            self.learn(body, inside);
        }
        Leaves { the_loop: leaves.the_function, the_function: leaves.the_function }
    }

    /// No barrier is executed by some work-items only.
    fn reached(&self, stmts: &[Stmt], mut apart: bool) -> Result<Leaves, String> {
        let mut leaves = Leaves::default();
        for stmt in stmts {
            if apart && self.waits(&stmt.kind) {
                return Err(format!(
                    "{}: a barrier that some work-items may not reach: {:?}",
                    self.function, stmt.kind
                ));
            }
            let here = match &stmt.kind {
                StmtKind::If { condition, then, otherwise } => {
                    let apart = apart || self.is_own(condition);
                    self.reached(then, apart)?.or(self.reached(otherwise, apart)?)
                }
                StmtKind::For { condition, body, .. } | StmtKind::While { condition, body } => {
                    let mut inside = apart || self.is_own(condition);
                    let found = self.reached(body, inside)?;
                    if found.the_loop && !inside {
                        inside = true;
                        self.reached(body, inside)?;
                    }
                    Leaves { the_loop: found.the_function, the_function: found.the_function }
                }
                StmtKind::Block(body) => self.reached(body, apart)?,
                StmtKind::Break => Leaves { the_loop: apart, the_function: false },
                StmtKind::Return => Leaves { the_loop: apart, the_function: apart },
                _ => Leaves::default(),
            };
            apart |= here != Leaves::default();
            leaves = leaves.or(here);
        }
        Ok(leaves)
    }

    /// Whether a statement itself, not one inside of it, waits at a barrier.
    fn waits(&self, kind: &StmtKind) -> bool {
        let calls = |e: &Expr| self.mentions(e, &|name| self.waiting.contains(name));
        match kind {
            StmtKind::Barrier { .. } => true,
            StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => calls(e),
            StmtKind::Assign(a, b) => calls(a) || calls(b),
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => calls(condition),
            StmtKind::For { from, condition, .. } => calls(from) || calls(condition),
            _ => false,
        }
    }

    /// Whether a name for which this holds stands in an expression.
    fn mentions(&self, e: &Expr, holds: &dyn Fn(&str) -> bool) -> bool {
        match e {
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) => false,
            Expr::Var(name) => holds(name),
            Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) | Expr::AddressOf(a) => self.mentions(a, holds),
            Expr::Wide { pointer, .. } => self.mentions(pointer, holds),
            Expr::Binary(_, a, b) | Expr::Index(a, b) => self.mentions(a, holds) || self.mentions(b, holds),
            Expr::Select(a, b, c) => [a, b, c].iter().any(|e| self.mentions(e, holds)),
            Expr::Vector(_, all) => all.iter().any(|e| self.mentions(e, holds)),
            Expr::Call(name, args) => holds(name) || args.iter().any(|e| self.mentions(e, holds)),
        }
    }

    /// `idle`: no work-item has read or written what they share since the last barrier, whatever way it came. Gives
    /// whether it is so behind the statements.
    fn needed(&self, stmts: &[Stmt], mut idle: bool) -> Result<bool, String> {
        let touches = |e: &Expr| self.mentions(e, &|name| self.shared.contains(name) || self.waiting.contains(name));
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Barrier { .. } => {
                    if idle {
                        return Err(format!("{}: nothing is shared between two barriers", self.function));
                    }
                    self.barriers.set(self.barriers.get() + 1);
                    idle = true;
                }
                StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => idle &= !touches(e),
                StmtKind::Assign(a, b) => idle &= !touches(a) && !touches(b),
                StmtKind::If { condition, then, otherwise } => {
                    idle &= !touches(condition);
                    let (a, b) = (self.needed(then, idle)?, self.needed(otherwise, idle)?);
                    idle = a && b;
                }
                StmtKind::For { condition, body, .. } | StmtKind::While { condition, body } => {
                    if let StmtKind::For { from, .. } = &stmt.kind {
                        idle &= !touches(from);
                    }
                    idle &= !touches(condition);
                    // The first round comes from before, every other one from the end of the last.
                    let again = self.needed(body, false)?;
                    idle = self.needed(body, idle && again)? && idle;
                }
                StmtKind::Block(body) => idle = self.needed(body, idle)?,
                _ => {}
            }
        }
        Ok(idle)
    }
}

impl Checked<'_> {
    /// Whether memory that work-items share is read or written from here on; no barrier stands where it is not.
    fn followed(&self, stmts: &[Stmt], mut later: bool) -> Result<bool, String> {
        let touches = |e: &Expr| self.mentions(e, &|name| self.shared.contains(name) || self.waiting.contains(name));
        for stmt in stmts.iter().rev() {
            match &stmt.kind {
                StmtKind::Barrier { .. } if !later => {
                    return Err(format!("{}: nothing is shared behind the last barrier", self.function));
                }
                StmtKind::Declare { init: Some(e), .. } | StmtKind::Expr(e) => later |= touches(e),
                StmtKind::Assign(a, b) => later |= touches(a) || touches(b),
                StmtKind::If { condition, then, otherwise } => {
                    let (a, b) = (self.followed(then, later)?, self.followed(otherwise, later)?);
                    later = a || b || touches(condition);
                }
                StmtKind::For { condition, body, .. } | StmtKind::While { condition, body } => {
                    // A round is followed by another.
                    later = self.followed(body, true)? || later || touches(condition);
                    if let StmtKind::For { from, .. } = &stmt.kind {
                        later |= touches(from);
                    }
                }
                StmtKind::Block(body) => later = self.followed(body, later)?,
                _ => {}
            }
        }
        Ok(later)
    }
}

impl Leaves {
    fn or(self, other: Leaves) -> Leaves {
        Leaves { the_loop: self.the_loop || other.the_loop, the_function: self.the_function || other.the_function }
    }
}

/// Functions that are wrong are found to be.
fn found_out() -> Result<(), String> {
    use lift_analysis::hir::ExprId;
    use lift_analysis::origin::{FormKey, Origin};
    use lift_codegen::opencl::{CType, Param, PartOrigins};
    let at = |kind: StmtKind| Stmt { kind, origin: None };
    let barrier = || at(StmtKind::Barrier { local: true, global: false });
    let item = || Expr::Call("get_local_id".into(), vec![Expr::Int { value: 0, long: false }]);
    let group = || Expr::Call("get_group_id".into(), vec![Expr::Int { value: 0, long: false }]);
    let write = || {
        let to = Expr::Index(Expr::Var("xs".into()).into(), item().into());
        at(StmtKind::Assign(to, Expr::Int { value: 1, long: false }))
    };
    let declared =
        |init: Expr| at(StmtKind::Declare { ty: CType::Int, constant: true, name: "i".into(), init: Some(init) });
    let when = |condition: Expr, then: Vec<Stmt>| at(StmtKind::If { condition, then, otherwise: Vec::new() });
    let i = || Expr::Var("i".into());
    let function = |body: Vec<Stmt>| Function {
        name: "f".into(),
        doc: String::new(),
        origin: Origin { form: FormKey { file: "".into(), name: None, nth: 0 }.into(), expr: ExprId(0) },
        params: vec![Param { name: "xs".into(), ty: ParamType::Buffer { element: CType::Int, constant: false } }],
        group_size: None,
        body,
        parts: PartOrigins::default(),
    };
    let none = BTreeSet::new();
    let loop_of = |body: Vec<Stmt>| at(StmtKind::While { condition: Expr::Bool(true), body });
    let right = [
        vec![write(), barrier(), write()],
        vec![declared(group()), when(i(), vec![write(), barrier(), write()]), write()],
        vec![loop_of(vec![write(), barrier(), when(group(), vec![at(StmtKind::Break)])])],
    ];
    let wrong = [
        vec![write(), barrier(), barrier(), write()],
        vec![write(), barrier()],
        vec![declared(item()), when(i(), vec![write(), barrier(), write()])],
        vec![declared(item()), when(i(), vec![at(StmtKind::Return)]), write(), barrier(), write()],
        vec![declared(item()), loop_of(vec![write(), barrier(), write(), when(i(), vec![at(StmtKind::Break)])])],
        vec![loop_of(vec![barrier(), declared(group())])],
    ];
    for body in right {
        check(&function(body), &none)?;
    }
    for (n, body) in wrong.into_iter().enumerate() {
        if check(&function(body), &none).is_ok() {
            return Err(format!("number {n} of what is wrong is not found"));
        }
    }
    Ok(())
}
