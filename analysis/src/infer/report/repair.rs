//! Quick fixes that the checker constructs, and types as source text.

use crate::diagnostics::Note;
use crate::diagnostics::Problem;
use crate::diagnostics::{Diagnostic, Edit, Fix, Title};
use crate::hir::*;
use crate::infer::cause::Cause;
use crate::infer::results::Results;
use crate::prims;
use crate::size::{Facts, Node as SizeNode, Size, Truth, Var, VarKind};
use crate::ty::{Ty, TyKind};

impl Results<'_> {
    /// The fix for `(f a b)` with arrays whose lengths are not known to be equal: casts the second to the first's
    /// length, which is checked at run time. An unnamed first array is bound to a name, so that its length can be
    /// written.
    pub fn checked_cast_fix(
        &self,
        apply: ExprId,
        first: usize,
        second: usize,
        left: &Size,
        right: &Size,
    ) -> Option<Fix> {
        let Expr::Apply { args, .. } = self.program.expr(apply) else { return None };
        let (a, b) = (*args.get(first)?, *args.get(second)?);
        if Facts::new().equal(left, right) == Truth::No {
            return None;
        }
        let element =
            self.operand_type(b)?.as_array().filter(|t| t.position.is_none() && t.len == *right)?.element.clone();
        let element = type_source(&element, &|_| false)?;
        if self.operand_type(a)?.as_array()?.len != *left {
            return None;
        }
        let mut edits = Vec::new();
        let length = match (size_source(left, &|_| false), self.program.expr(a)) {
            (Some(text), _) => text,
            (None, Expr::Local(name)) => format!("(length {})", self.program.body().binder(*name).name),
            (None, _) => {
                let name = self.unused_name();
                edits.push(Edit::CopyBefore {
                    at: Node::Expr(apply),
                    before: format!("(let {name} "),
                    of: Node::Expr(a),
                    after: " ".into(),
                });
                edits.push(Edit::Replace(Node::Expr(a), name.clone()));
                edits.push(Edit::InsertAfter(Node::Expr(apply), ")".into()));
                format!("(length {name})")
            }
        };
        edits.push(Edit::InsertBefore(Node::Expr(b), "(: ".into()));
        edits.push(Edit::InsertAfter(Node::Expr(b), format!(" (array-type {element} {length}))")));
        Some(Title::CheckLengths.proposed(edits))
    }

    /// The fix for a call whose pieces or windows leave a remainder.
    pub fn without_remainder(&self, call: ExprId) -> Option<Fix> {
        let callee = match self.program.expr(call) {
            Expr::Apply { callee, .. } => *callee,
            _ => call,
        };
        let Expr::Global(name) = self.program.expr(callee) else { return None };
        let instead = prims::without_remainder(name)?;
        let edits = vec![Edit::Replace(Node::Expr(callee), instead.into())];
        Some(Title::LeaveOutRest(instead.into()).proposed(edits))
    }

    /// Diagnoses `(map f rows)`, where `f` takes an array of known length but the length of each row is hidden. The fix
    /// wraps `f` in a lambda, whose parameter is opened.
    pub fn takes_no_hidden_length(&self, left: &Ty, right: &Ty, cause: &Cause) -> Option<Diagnostic> {
        let Cause::Argument { apply, callee, arg, .. } = cause else { return None };
        let Expr::Apply { args, .. } = self.program.expr(*apply) else { return None };
        // A conflict in the type of a function argument, as in `(iterateWhile p f xs)`, is another mistake.
        if matches!(self.operand_type(*arg)?.kind(), TyKind::Fun(..)) {
            return None;
        }
        let f = args.iter().copied().find(|f| f != arg && self.takes(*f, left))?;
        let TyKind::Exists(_, row) = right.kind() else { return None };
        if !may_be(left, row) {
            return None;
        }
        let (callee, function) = (self.program.short(*callee), self.program.short(f));
        let fix = self.written_out(f, "row")?;
        let array = self.program.short(*arg);
        let problem = Problem::RowsOfHiddenLength { callee, function, left: left.clone(), right: right.clone() };
        Some(
            Diagnostic::new(Node::Expr(f), &problem)
                .related(Node::Expr(*arg), &Note::ElementsOf { array, ty: right.clone() })
                .fix(fix),
        )
    }

    /// Diagnoses `(map iota lengths)`: a function given by name takes a size, `left`, where its argument is an Int. The fix
    /// wraps it in a lambda, in which it takes an Int.
    pub fn takes_size_by_name(&self, left: &Ty, cause: &Cause) -> Option<Diagnostic> {
        let Cause::Argument { apply, callee, arg, .. } = cause else { return None };
        let f = self.program.arguments(*apply).iter().copied().find(|f| f != arg && self.takes(*f, left))?;
        let problem = Problem::SizeByName { callee: self.program.short(*callee), function: self.program.short(f) };
        Some(Diagnostic::new(Node::Expr(f), &problem).fix(self.written_out(f, "n")?))
    }

    /// Whether an expression is a function with a parameter of this type.
    fn takes(&self, f: ExprId, param: &Ty) -> bool {
        self.operand_type(f).is_some_and(|ty| self.table.zonk(&ty).uncurry().0.contains(&param))
    }

    /// The fix that writes a function given by name as a lambda, with parameters like `name`.
    fn written_out(&self, f: ExprId, name: &str) -> Option<Fix> {
        let taken = self.operand_type(f)?.uncurry().0.len();
        let names = self.unused_names_like(name, taken).join(" ");
        let edits = vec![
            Edit::InsertBefore(Node::Expr(f), format!("(lambda ({names}) (")),
            Edit::InsertAfter(Node::Expr(f), format!(" {names}))")),
        ];
        Some(Title::Write(format!("(lambda ({names}) ({} {names}))", self.program.short(f))).certain(edits))
    }

    fn unused_name(&self) -> String {
        let numbered = (1..).map(|i| format!("v{i}"));
        self.first_unused(numbered)
    }
    /// The name itself, or the name with a number if it is taken.
    pub fn unused_name_like(&self, name: &str) -> String {
        self.unused_names_like(name, 1).concat()
    }
    /// Up to `count` names that are not taken.
    fn unused_names_like(&self, name: &str, count: usize) -> Vec<String> {
        let numbered = (1..).map(|i| format!("{name}{i}"));
        self.unused(std::iter::once(name.to_string()).chain(numbered)).take(count).collect()
    }
    fn first_unused(&self, names: impl Iterator<Item = String>) -> String {
        self.unused(names).next().unwrap_or_default()
    }
    fn unused(&self, names: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
        let taken = move |n: &str| {
            self.program.body().binders.iter().any(|b| &*b.name == n)
                || self.program.body().exprs.iter().any(|e| matches!(e, Expr::Global(g) if &**g == n))
        };
        names.filter(move |n| !taken(n))
    }
}

/// Whether an array with an opened length may have the wanted type. Inference variables may be anything.
fn may_be(wanted: &Ty, row: &Ty) -> bool {
    let unknown = |s: &Size| s.vars().iter().any(|v| v.kind == VarKind::Unknown);
    match (wanted.kind(), row.kind()) {
        (TyKind::Unknown(_), _) | (_, TyKind::Unknown(_)) => true,
        (TyKind::Array(a), TyKind::Array(b)) => (unknown(&a.len) || a.len == b.len) && may_be(&a.element, &b.element),
        (TyKind::Tuple(a), TyKind::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| may_be(a, b)),
        _ => wanted == row,
    }
}

/// Whether a function's result type equals its parameter type, so that it can be applied again.
pub fn is_endomorphism(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Fun(param, result) if param == result)
}

/// A type as source text, with its size names and the opened lengths for which `opened` holds; `None` if it mentions
/// anything else.
pub fn type_source(ty: &Ty, opened: &dyn Fn(&Var) -> bool) -> Option<String> {
    let size = |s: &Size| size_source(s, opened);
    Some(match ty.kind() {
        TyKind::Scalar(s) => s.to_string().to_lowercase(),
        TyKind::Array(a) if a.position.is_none() => {
            format!("(array-type {} {})", type_source(&a.element, opened)?, size(&a.len)?)
        }
        TyKind::Vec(t, n) => format!("(vector-type {} {})", type_source(t, opened)?, size(n)?),
        TyKind::Tuple(parts) => {
            let parts: Option<Vec<String>> = parts.iter().map(|p| type_source(p, opened)).collect();
            format!("(tuple-type {})", parts?.join(" "))
        }
        TyKind::Exists(vars, inner) => {
            let names: Vec<&str> = vars.iter().map(|v| &*v.name).collect();
            format!("(exists ({}) {})", names.join(" "), type_source(inner, opened)?)
        }
        TyKind::Fun(..) => {
            let (params, result) = ty.uncurry();
            let parts: Option<Vec<String>> =
                params.into_iter().chain([result]).map(|part| type_source(part, opened)).collect();
            format!("(-> {})", parts?.join(" "))
        }
        _ => return None,
    })
}

/// A size as source text; `None` if it contains a variable without a name or a node without syntax.
pub fn size_source(size: &Size, opened: &dyn Fn(&Var) -> bool) -> Option<String> {
    let named = |v: &Var| {
        matches!(v.kind, VarKind::Param | VarKind::Generic | VarKind::Bound) || (v.kind == VarKind::Skolem && opened(v))
    };
    node_source(&size.node(), &named)
}

fn node_source(node: &SizeNode, named: &dyn Fn(&Var) -> bool) -> Option<String> {
    let all = |op: &str, parts: &[&SizeNode]| {
        let parts: Option<Vec<String>> = parts.iter().map(|part| node_source(part, named)).collect();
        Some(format!("({op} {})", parts?.join(" ")))
    };
    let many = |op: &str, parts: &[SizeNode]| all(op, &parts.iter().collect::<Vec<_>>());
    match node {
        SizeNode::Int(n) => (*n >= 0).then(|| n.to_string()),
        SizeNode::Var(v) => named(v).then(|| v.name.to_string()),
        SizeNode::Add(parts) => many("+", parts),
        SizeNode::Mul(parts) => many("*", parts),
        SizeNode::Min(parts) => many("min", parts),
        SizeNode::Max(parts) => many("max", parts),
        SizeNode::Sub(a, b) => all("-", &[a, b]),
        SizeNode::ExactDiv(a, b) => all("/", &[a, b]),
        SizeNode::Mod { num, den, .. } => all("mod", &[num, den]),
        SizeNode::Pow(a, b) => all("pow", &[a, b]),
        SizeNode::Neg(_)
        | SizeNode::FloorDiv { .. }
        | SizeNode::Sum { .. }
        | SizeNode::IfLe { .. }
        | SizeNode::TooLarge => None,
    }
}
