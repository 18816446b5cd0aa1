//! Equality of functions, up to the names of parameters and variables and up to origins.

use super::{Expr, Function, ParamType, Step, Stmt, StmtKind};
use lift_analysis::hir::Name;
use rustc_hash::FxHashMap;

/// Whether two functions compute the same from their arguments.
pub fn same(a: &Function, b: &Function) -> bool {
    let types = |f: &Function| f.params.iter().map(|p| p.ty).collect::<Vec<_>>();
    let mut pairs = Pairs::default();
    a.params.iter().zip(&b.params).for_each(|(p, q)| pairs.declare(&p.name, &q.name));
    types(a) == types(b) && pairs.functions(a, b)
}

/// For each parameter of `general`, the parameter of `special` whose argument makes `general` compute what `special`
/// does. Several parameters may get one argument if they are only read.
pub fn covers(general: &Function, special: &Function) -> Option<Vec<usize>> {
    let mut pairs = Pairs::default();
    for p in &general.params {
        pairs.open.insert(&p.name, p.ty);
    }
    for q in &special.params {
        pairs.free.insert(&q.name, q.ty);
    }
    if !pairs.functions(general, special) {
        return None;
    }
    let at = |name: &Name| special.params.iter().position(|q| q.name == *name);
    general
        .params
        .iter()
        .map(|p| match pairs.there.get(&p.name) {
            Some(name) => at(name),
            // Nothing reads it.
            None => at(&p.name).or_else(|| special.params.iter().position(|q| q.ty == p.ty)),
        })
        .collect()
}

/// The renaming between the variables of the two functions.
#[derive(Default)]
struct Pairs<'f> {
    there: FxHashMap<&'f Name, &'f Name>,
    back: FxHashMap<&'f Name, &'f Name>,
    /// Parameters of either function that may correspond to each other; their occurrences decide.
    open: FxHashMap<&'f Name, ParamType>,
    free: FxHashMap<&'f Name, ParamType>,
}

impl<'f> Pairs<'f> {
    fn declare(&mut self, a: &'f Name, b: &'f Name) {
        self.there.insert(a, b);
        self.back.insert(b, a);
    }

    fn functions(&mut self, a: &'f Function, b: &'f Function) -> bool {
        a.body.len() == b.body.len() && a.group_size == b.group_size && a.doc == b.doc && self.stmts(&a.body, &b.body)
    }

    fn name(&mut self, a: &'f Name, b: &'f Name) -> bool {
        match (self.there.get(a), self.back.get(b)) {
            (Some(there), Some(back)) if *there == b => *back == a || self.open.contains_key(a),
            (Some(_), _) => false,
            (None, back) => match (self.open.get(a), self.free.get(b)) {
                (Some(ty), Some(of)) if ty == of && (back.is_none() || ty.is_only_read()) => {
                    self.declare(a, b);
                    true
                }
                // A constant of OpenCL.
                (None, None) => back.is_none() && a == b,
                _ => false,
            },
        }
    }

    fn stmts(&mut self, a: &'f [Stmt], b: &'f [Stmt]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.stmt(&a.kind, &b.kind))
    }

    fn stmt(&mut self, a: &'f StmtKind, b: &'f StmtKind) -> bool {
        use StmtKind as S;
        match (a, b) {
            (
                S::Declare { ty, constant, name, init },
                S::Declare { ty: ty_b, constant: constant_b, name: name_b, init: init_b },
            ) => {
                let init = match (init, init_b) {
                    (Some(a), Some(b)) => self.expr(a, b),
                    (None, None) => true,
                    _ => false,
                };
                self.declare(name, name_b);
                init && ty == ty_b && constant == constant_b
            }
            (
                S::DeclareArray { storage, ty, name, len },
                S::DeclareArray { storage: storage_b, ty: ty_b, name: name_b, len: len_b },
            ) => {
                self.declare(name, name_b);
                (storage, ty, len) == (storage_b, ty_b, len_b)
            }
            (S::Assign(to, value), S::Assign(to_b, value_b)) => self.expr(to, to_b) && self.expr(value, value_b),
            (S::Expr(a), S::Expr(b)) => self.expr(a, b),
            (
                S::If { condition, then, otherwise },
                S::If { condition: condition_b, then: then_b, otherwise: otherwise_b },
            ) => self.expr(condition, condition_b) && self.stmts(then, then_b) && self.stmts(otherwise, otherwise_b),
            (
                S::For { ty, var, from, condition, step, below, body },
                S::For {
                    ty: ty_b,
                    var: var_b,
                    from: from_b,
                    condition: condition_b,
                    step: step_b,
                    below: below_b,
                    body: body_b,
                },
            ) => {
                let from = self.expr(from, from_b);
                self.declare(var, var_b);
                let step = match (step, step_b) {
                    (Step::Add(a), Step::Add(b)) => self.expr(a, b),
                    (a, b) => a == b,
                };
                // `below` mentions sizes of the plan, which both functions share.
                from && step
                    && ty == ty_b
                    && below == below_b
                    && self.expr(condition, condition_b)
                    && self.stmts(body, body_b)
            }
            (S::While { condition, body }, S::While { condition: condition_b, body: body_b }) => {
                self.expr(condition, condition_b) && self.stmts(body, body_b)
            }
            (S::Block(a), S::Block(b)) => self.stmts(a, b),
            (
                S::Break | S::Return | S::Stop | S::Barrier { .. } | S::Comment(_) | S::Unroll | S::Roll,
                S::Break | S::Return | S::Stop | S::Barrier { .. } | S::Comment(_) | S::Unroll | S::Roll,
            ) => a == b,
            _ => false,
        }
    }

    fn exprs(&mut self, a: &'f [Expr], b: &'f [Expr]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.expr(a, b))
    }

    fn expr(&mut self, a: &'f Expr, b: &'f Expr) -> bool {
        use Expr as E;
        match (a, b) {
            (E::Var(a), E::Var(b)) => self.name(a, b),
            (E::Unary(op, a), E::Unary(op_b, b)) => op == op_b && self.expr(a, b),
            (E::Binary(op, l, r), E::Binary(op_b, l_b, r_b)) => op == op_b && self.expr(l, l_b) && self.expr(r, r_b),
            (E::Select(c, x, y), E::Select(c_b, x_b, y_b)) => {
                self.expr(c, c_b) && self.expr(x, x_b) && self.expr(y, y_b)
            }
            (E::Call(f, all), E::Call(f_b, all_b)) => f == f_b && self.exprs(all, all_b),
            (E::Cast(ty, a), E::Cast(ty_b, b)) => ty == ty_b && self.expr(a, b),
            (E::Index(a, i), E::Index(b, i_b)) => self.expr(a, b) && self.expr(i, i_b),
            (E::Lane(a, lane), E::Lane(b, lane_b)) => lane == lane_b && self.expr(a, b),
            (E::Vector(ty, all), E::Vector(ty_b, all_b)) => ty == ty_b && self.exprs(all, all_b),
            (E::AddressOf(a), E::AddressOf(b)) => self.expr(a, b),
            (E::Wide { ty, space, pointer }, E::Wide { ty: ty_b, space: space_b, pointer: pointer_b }) => {
                ty == ty_b && space == space_b && self.expr(pointer, pointer_b)
            }
            (
                E::Int { .. } | E::UInt(_) | E::Float(_) | E::Double(_) | E::Bool(_),
                E::Int { .. } | E::UInt(_) | E::Float(_) | E::Double(_) | E::Bool(_),
            ) => a == b,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::{CType, Param, ParamType};
    use lift_analysis::origin::{FormKey, Origin};

    fn function(names: [&str; 3], value: i64) -> Function {
        let [to, n, i] = names.map(Name::from);
        let form = FormKey { file: "a.lift".into(), name: None, nth: 0 }.into();
        let origin = Origin::new(form, lift_analysis::hir::ExprId(0));
        let element = ParamType::Buffer { element: CType::Int, constant: false };
        let set = StmtKind::Assign(Expr::Var(to.clone()).index(Expr::Var(i.clone())), Expr::int(value)).at(&origin);
        let body = StmtKind::For {
            ty: CType::Int,
            var: i.clone(),
            from: Expr::int(0),
            condition: Expr::Var(i).lt(Expr::Var(n.clone())),
            step: Step::Increment,
            below: None,
            body: vec![set],
        };
        Function {
            name: to.clone(),
            doc: String::new(),
            params: vec![Param { name: to, ty: element }, Param { name: n, ty: ParamType::Value(CType::Int) }],
            group_size: None,
            body: vec![body.at(&origin)],
            parts: Default::default(),
            origin,
        }
    }

    #[test]
    fn two_arrays_that_are_only_read_may_be_one() {
        let reading = |names: &[&str], constant: bool| {
            let mut function = function(["to", "n", "i"], 1);
            let element = ParamType::Buffer { element: CType::Int, constant };
            function.params.extend(names.iter().map(|name| Param { name: (*name).into(), ty: element }));
            let read = |name: &str| Expr::Var(name.into()).index(Expr::int(0));
            let (first, last) = (names[0], names[names.len() - 1]);
            let origin = function.origin.clone();
            let set = |value| StmtKind::Assign(Expr::Var("to".into()).index(Expr::int(0)), value).at(&origin);
            function.body = vec![set(read(first).add(read(last)))];
            function
        };
        assert_eq!(covers(&reading(&["a", "b"], true), &reading(&["a"], true)), Some(vec![0, 1, 2, 2]));
        assert_eq!(covers(&reading(&["a", "b"], false), &reading(&["a"], false)), None);
        assert_eq!(covers(&reading(&["a"], true), &reading(&["a", "b"], true)), None);
    }

    #[test]
    fn names_make_no_difference_and_what_is_computed_does() {
        let one = function(["a", "n", "i"], 1);
        assert!(same(&one, &one));
        assert!(same(&one, &function(["b", "m", "j"], 1)));
        assert!(same(&one, &function(["i", "a", "n"], 1)), "names that the other uses for something else");
        assert!(!same(&one, &function(["b", "m", "j"], 2)));
        let mut other = function(["b", "m", "j"], 1);
        if let StmtKind::For { condition, .. } = &mut other.body[0].kind {
            *condition = Expr::Var("m".into()).lt(Expr::Var("j".into()));
        }
        assert!(!same(&one, &other));
    }
}
