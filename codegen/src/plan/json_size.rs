//! Sizes in JSON: a number, a name, or an operator followed by its operands, as in `["+", "N", 1]`.

use lift_analysis::size::{Assumption, Node, Size, Var, Writer};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};
use std::cell::RefCell;

/// Names of variables, made unique: programs and types may call several variables `X`.
pub(crate) struct Names {
    given: RefCell<Vec<(Var, String)>>,
    /// The JSON of each size so far: a plan repeats its sizes, and the shortest view of one is expensive to find.
    sizes: RefCell<FxHashMap<Size, Value>>,
    /// Views of their shared parts.
    writer: RefCell<Writer>,
}

impl Default for Names {
    fn default() -> Names {
        Names { given: RefCell::default(), sizes: RefCell::default(), writer: RefCell::new(Writer::to_compute()) }
    }
}

impl Names {
    pub(crate) fn of(&self, var: &Var) -> String {
        let mut given = self.given.borrow_mut();
        if let Some((_, name)) = given.iter().find(|(v, _)| v == var) {
            return name.clone();
        }
        let taken = |name: &str| given.iter().any(|(_, other)| other == name);
        let mut name = var.name.to_string();
        for n in 2.. {
            if !taken(&name) {
                break;
            }
            name = format!("{}#{n}", var.name);
        }
        given.push((var.clone(), name.clone()));
        name
    }

    pub(crate) fn size(&self, size: &Size) -> Value {
        if let Some(value) = self.sizes.borrow().get(size) {
            return value.clone();
        }
        let node = self.writer.borrow_mut().node(size);
        let value = self.node(&node);
        self.sizes.borrow_mut().insert(size.clone(), value.clone());
        value
    }

    fn node(&self, node: &Node) -> Value {
        let all = |operator: &str, nodes: &[&Node]| {
            let operands = nodes.iter().map(|n| self.node(n));
            Value::Array([Value::from(operator)].into_iter().chain(operands).collect())
        };
        let each = |operator: &str, nodes: &[Node]| all(operator, &nodes.iter().collect::<Vec<_>>());
        match node {
            Node::Int(value) => i64::try_from(*value).map_or(Value::Null, Value::from),
            Node::Var(var) => Value::from(self.of(var)),
            Node::Neg(a) => all("-", &[a]),
            Node::Add(parts) => each("+", parts),
            Node::Sub(a, b) => all("-", &[a, b]),
            Node::Mul(parts) => each("*", parts),
            Node::ExactDiv(a, b) => all("/", &[a, b]),
            Node::FloorDiv { num, den, .. } => all("floor", &[num, den]),
            Node::Mod { num, den, .. } => all("mod", &[num, den]),
            Node::Min(parts) => each("min", parts),
            Node::Max(parts) => each("max", parts),
            Node::Pow(a, b) => all("^", &[a, b]),
            Node::Sum { index, count, body } => json!(["sum", self.of(index), self.node(count), self.node(body)]),
            Node::IfLe { left, right, then, otherwise } => all("if", &[left, right, then, otherwise]),
            Node::TooLarge => Value::Null,
        }
    }

    pub(crate) fn condition(&self, assumption: &Assumption) -> Condition {
        let size = |s: &Size| self.size(s);
        match assumption {
            Assumption::Divides { divisor, value } => Condition::Divides([size(divisor), size(value)]),
            Assumption::NonNegative(a) => Condition::NonNegative(size(a)),
            Assumption::Positive(a) => Condition::Positive(size(a)),
            Assumption::AtMost(a, b) => Condition::AtMost([size(a), size(b)]),
            Assumption::Equal(a, b) => Condition::Equal([size(a), size(b)]),
            Assumption::ForAll { position, count, holds } => Condition::ForAll(Box::new(ForAll {
                position: self.of(position),
                count: size(count),
                holds: self.condition(holds),
            })),
            Assumption::Where { given, holds } => Condition::Where(Box::new(Where {
                given: given.iter().map(|a| self.condition(a)).collect(),
                holds: self.condition(holds),
            })),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Condition {
    /// The divisor and the value.
    Divides([Value; 2]),
    NonNegative(Value),
    Positive(Value),
    AtMost([Value; 2]),
    Equal([Value; 2]),
    /// For every index below the count.
    ForAll(Box<ForAll>),
    Where(Box<Where>),
}

#[derive(Serialize)]
pub(crate) struct ForAll {
    position: String,
    count: Value,
    #[serde(flatten)]
    holds: Condition,
}

/// A condition that must hold only where the given ones do.
#[derive(Serialize)]
pub(crate) struct Where {
    given: Vec<Condition>,
    #[serde(flatten)]
    holds: Condition,
}
