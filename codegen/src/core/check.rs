//! Verifies kernels: every variable is bound once and used in its scope, every type is the one its operation computes,
//! every size mentions known variables only. Finds compiler bugs in tests and debug builds.

use super::typing::{Signature, prim_type, same_type, scalar_type, under};
use super::{Atom, Block, Kernel, Lambda, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::size::{Facts, LengthCheck, Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// The faults of a kernel, each as a sentence; empty if it is well formed.
pub fn problems(kernel: &Kernel) -> Vec<String> {
    let mut facts = Facts::new();
    for (assumption, _) in &kernel.assumptions {
        facts.assume(assumption);
    }
    kernel.body.visit(&mut |stmt| {
        if let Rhs::Cast(_, checks) = &stmt.rhs {
            checks.iter().for_each(|check| facts.assume(&check.assumption()));
        }
    });
    let mut check = Check {
        kernel,
        facts,
        bound: FxHashSet::default(),
        visible: FxHashSet::default(),
        lengths: kernel.sizes.iter().cloned().collect(),
        opened: FxHashSet::default(),
        problems: Vec::new(),
    };
    for p in &kernel.params {
        check.bind(*p);
    }
    check.block(&kernel.body);
    let result = check.known_ty(&kernel.body.result);
    check.same(&result, &kernel.result, "the result");
    check.ty(&kernel.result, "the result");
    check.problems
}

struct Check<'k> {
    kernel: &'k Kernel,
    facts: Facts,
    /// Every variable bound so far, in scope or not.
    bound: FxHashSet<VarId>,
    visible: FxHashSet<VarId>,
    /// The lengths in scope.
    lengths: FxHashSet<Var>,
    opened: FxHashSet<Var>,
    problems: Vec<String>,
}

impl<'k> Check<'k> {
    fn problem(&mut self, message: String) {
        self.problems.push(message);
    }
    fn name(&self, v: VarId) -> String {
        match self.kernel.vars.get(v.0 as usize) {
            Some(info) => format!("`{}` ({})", info.name, v.0),
            None => format!("variable {}", v.0),
        }
    }

    fn bind(&mut self, v: VarId) {
        let name = self.name(v);
        if v.0 as usize >= self.kernel.vars.len() {
            return self.problem(format!("{name} is not declared"));
        }
        if !self.bound.insert(v) {
            self.problem(format!("{name} is bound twice"));
        }
        self.visible.insert(v);
        let ty = self.kernel.ty(v).clone();
        self.ty(&ty, &name);
    }

    /// Checks a block; the names and lengths that it binds are in scope only inside.
    fn block(&mut self, block: &'k Block) {
        let (visible, lengths) = (self.visible.clone(), self.lengths.clone());
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.atom(&block.result, "the result of a block");
        (self.visible, self.lengths) = (visible, lengths);
    }

    fn stmt(&mut self, stmt: &'k Stmt) {
        let name = self.name(stmt.var);
        if stmt.var.0 as usize >= self.kernel.vars.len() {
            return self.problem(format!("{name} is not declared"));
        }
        if !stmt.binds.is_empty() && !matches!(stmt.rhs, Rhs::Unpack(_)) {
            self.problem(format!("{name} binds lengths and is not an `unpack`"));
        }
        let declared = self.kernel.ty(stmt.var);
        match self.rhs(&stmt.rhs, declared, &stmt.binds, &name) {
            Ok(Some(ty)) => {
                self.same(&ty, declared, &name);
            }
            Ok(None) => {}
            Err(problem) => self.problem(format!("{name}: {problem}")),
        }
        for length in &stmt.binds {
            if length.kind != VarKind::Skolem {
                self.problem(format!("{name} binds `{length}`, which is not an opened length"));
            }
            if !self.opened.insert(length.clone()) {
                self.problem(format!("the length `{length}` is bound twice"));
            }
            self.lengths.insert(length.clone());
        }
        self.bind(stmt.var);
    }

    /// The type of a right-hand side; `None` where it already has been compared with the declared type.
    fn rhs(&mut self, rhs: &'k Rhs, declared: &Ty, binds: &[Var], name: &str) -> Result<Option<Ty>, String> {
        Ok(match rhs {
            Rhs::Atom(a) | Rhs::Store(_, a) => Some(self.atom(a, name)),
            Rhs::Tuple(parts) => Some(Ty::tuple(parts.iter().map(|a| self.atom(a, name)).collect())),
            Rhs::Proj(a, i) => match self.atom(a, name).kind() {
                TyKind::Tuple(parts) if *i < parts.len() => Some(parts[*i].clone()),
                _ => return Err(format!("component {i} of something without components")),
            },
            Rhs::Scalar(op, operands) => {
                let types: Vec<Ty> = operands.iter().map(|a| self.atom(a, name)).collect();
                Some(scalar_type(*op, &types)?)
            }
            Rhs::If(condition, then, otherwise) => {
                let ty = self.atom(condition, name);
                self.same(&ty, &Ty::bool(), "a condition");
                for branch in [then, otherwise] {
                    self.block(branch);
                    let ty = self.known_ty(&branch.result);
                    self.same(&ty, declared, name);
                }
                None
            }
            Rhs::Prim(call) => Some(self.call(call, name)?),
            Rhs::Pack(a, witnesses) => {
                let actual = self.atom(a, name);
                let TyKind::Exists(vars, body) = declared.kind() else {
                    return Err(format!("a `pack` that makes `{declared}`"));
                };
                if vars.len() != witnesses.len() {
                    return Err(format!("{} lengths hidden as {}", witnesses.len(), vars.len()));
                }
                for w in witnesses {
                    self.size(w, name);
                }
                let opened = replace(body, vars, witnesses);
                self.same(&actual, &opened, name);
                None
            }
            Rhs::Unpack(a) => {
                let actual = self.atom(a, name);
                let TyKind::Exists(vars, body) = actual.kind() else {
                    return Err(format!("an `unpack` of `{actual}`"));
                };
                if vars.len() != binds.len() {
                    return Err(format!("{} lengths opened as {}", vars.len(), binds.len()));
                }
                let lengths: Vec<Size> = binds.iter().cloned().map(Size::var).collect();
                Some(replace(body, vars, &lengths))
            }
            Rhs::Cast(a, checks) => {
                let actual = self.atom(a, name);
                for check in checks {
                    let positions: Vec<Var> = check.rows.iter().map(|(position, _)| position.clone()).collect();
                    self.with_lengths(&positions, |this| check.sizes().for_each(|size| this.size(size, name)));
                }
                // Lengths that the cast checks count as equal here, even if they never are at run time.
                // Rows are compared at the index variable of either type.
                let at = |size: &Size, check: &LengthCheck| {
                    let position = |v: &Var| v.kind == VarKind::Position && !self.lengths.contains(v);
                    size.subst(&mut |v| match check.rows.as_slice() {
                        [(row, _)] if position(v) => Some(Size::var(row.clone())),
                        _ => None,
                    })
                };
                let checked = |a: &Size, b: &Size| {
                    checks.iter().any(|check| {
                        let (a, b, l, r) = (at(a, check), at(b, check), &check.left, &check.right);
                        (l, r) == (&a, &b) || (l, r) == (&b, &a)
                    })
                };
                let facts = under(&self.facts);
                let same = same_type(&actual, declared, &|a, b| checked(a, b) || facts(a, b));
                if same { None } else { Some(actual) }
            }
        })
    }

    fn call(&mut self, call: &'k PrimCall, name: &str) -> Result<Ty, String> {
        for size in &call.sizes {
            self.size(size, name);
        }
        let args: Vec<Ty> = call.args.iter().map(|a| self.atom(a, name)).collect();
        let signatures: Vec<Signature> = call.funs.iter().map(|f| self.lambda(f)).collect();
        let same = under(&self.facts);
        let mut fresh = 0;
        prim_type(call.prim, &call.sizes, &signatures, &args, &same, &mut |kind| {
            fresh += 1;
            Var::new(kind, u32::MAX / 4 - fresh, "X")
        })
    }

    fn lambda(&mut self, f: &'k Lambda) -> Signature {
        let (visible, lengths) = (self.visible.clone(), self.lengths.clone());
        if let Some(position) = &f.position {
            if position.kind != VarKind::Position || !self.opened.insert(position.clone()) {
                self.problem(format!("the position `{position}` is bound twice"));
            }
            self.lengths.insert(position.clone());
        }
        for p in &f.params {
            self.bind(*p);
        }
        self.block(&f.body);
        (self.visible, self.lengths) = (visible, lengths);
        let params = f.params.iter().map(|p| self.known_ty(&Atom::Var(*p))).collect();
        Signature { position: f.position.clone(), params, result: self.known_ty(&f.body.result), size: f.size() }
    }

    fn known_ty(&self, a: &Atom) -> Ty {
        match a {
            Atom::Var(v) if v.0 as usize >= self.kernel.vars.len() => Ty::error(),
            a => self.kernel.atom_ty(a),
        }
    }

    fn atom(&mut self, a: &Atom, user: &str) -> Ty {
        match a {
            Atom::Var(v) => {
                if !self.visible.contains(v) {
                    let name = self.name(*v);
                    self.problem(format!("{user} uses {name}, which is not in scope"));
                }
                self.known_ty(a)
            }
            Atom::Size(s) => {
                self.size(s, user);
                Ty::int()
            }
            Atom::Lit(_) => self.known_ty(a),
        }
    }

    fn size(&mut self, size: &Size, user: &str) {
        for v in size.vars() {
            if !self.lengths.contains(&v) {
                self.problem(format!("{user} mentions the length `{v}`, which is not known there"));
            }
        }
    }

    fn ty(&mut self, ty: &Ty, user: &str) {
        match ty.kind() {
            TyKind::Scalar(_) => {}
            TyKind::Vec(lane, width) => {
                self.size(width, user);
                self.ty(lane, user);
            }
            TyKind::Array(a) => {
                self.size(&a.len, user);
                self.with_lengths(a.position.as_slice(), |this| this.ty(&a.element, user));
            }
            TyKind::Tuple(parts) => parts.iter().for_each(|p| self.ty(p, user)),
            TyKind::Exists(vars, body) => self.with_lengths(vars, |this| this.ty(body, user)),
            TyKind::Fun(..) | TyKind::Size(_) | TyKind::Unknown(_) | TyKind::Generic(_) | TyKind::Error => {
                self.problem(format!("{user} has the type `{ty}`, which no value of a run has"));
            }
        }
    }

    fn with_lengths(&mut self, vars: &[Var], f: impl FnOnce(&mut Self)) {
        let lengths = self.lengths.clone();
        self.lengths.extend(vars.iter().cloned());
        f(self);
        self.lengths = lengths;
    }

    fn same(&mut self, actual: &Ty, expected: &Ty, user: &str) {
        if !same_type(actual, expected, &under(&self.facts)) {
            self.problem(format!("{user} is declared as `{expected}`, but it is `{actual}`"));
        }
    }
}

fn replace(body: &Ty, vars: &[Var], by: &[Size]) -> Ty {
    body.subst_sizes(&mut |v| vars.iter().position(|w| w == v).map(|i| by[i].clone()))
}
