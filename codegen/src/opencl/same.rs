//! Equality of functions, up to the names of parameters and variables and up to origins.

use super::{Expr, Function, Step, Stmt, StmtKind};
use lift_analysis::hir::Name;
use rustc_hash::FxHashMap;

/// Whether two functions compute the same from their arguments.
pub fn same(a: &Function, b: &Function) -> bool {
    let alike = a.params.len() == b.params.len()
        && a.body.len() == b.body.len()
        && a.group_size == b.group_size
        && a.doc == b.doc
        && a.params.iter().zip(&b.params).all(|(p, q)| p.ty == q.ty);
    let mut names = Pairs::default();
    alike && {
        a.params.iter().zip(&b.params).for_each(|(p, q)| names.declare(&p.name, &q.name));
        names.stmts(&a.body, &b.body)
    }
}

/// The renaming between the variables of the two functions.
#[derive(Default)]
struct Pairs<'f> {
    there: FxHashMap<&'f Name, &'f Name>,
    back: FxHashMap<&'f Name, &'f Name>,
}

impl<'f> Pairs<'f> {
    fn declare(&mut self, a: &'f Name, b: &'f Name) {
        self.there.insert(a, b);
        self.back.insert(b, a);
    }

    fn name(&self, a: &Name, b: &Name) -> bool {
        match (self.there.get(a), self.back.get(b)) {
            (Some(there), Some(back)) => *there == b && *back == a,
            // A constant of OpenCL.
            (None, None) => a == b,
            _ => false,
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

    fn exprs(&self, a: &[Expr], b: &[Expr]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.expr(a, b))
    }

    fn expr(&self, a: &Expr, b: &Expr) -> bool {
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
