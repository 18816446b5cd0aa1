//! Sizes from the nodes of their trees.

use lift_analysis::size::{Facts, Node, Size};

/// Rounds the bound of an integer down: `N/2` loses its fraction if N is odd.
pub(super) fn rounded_down(facts: &Facts, bound: &Size) -> Size {
    if bound.is_integral() {
        return bound.clone();
    }
    fn floors(facts: &Facts, n: &Node) -> Option<Size> {
        Some(match n {
            Node::ExactDiv(a, b) => {
                let (a, b) = (size_of_node(a)?, size_of_node(b)?);
                if facts.divides(&b, &a).is_yes() { a.div_exact(&b) } else { a.div_floor(&b) }
            }
            Node::Neg(a) => floors(facts, a)?.neg(),
            Node::Add(all) => all.iter().try_fold(Size::zero(), |sum, n| Some(sum.add(&floors(facts, n)?)))?,
            Node::Sub(a, b) => floors(facts, a)?.sub(&floors(facts, b)?),
            other => size_of_node(other)?,
        })
    }
    floors(facts, &bound.node()).unwrap_or_else(|| bound.clone())
}

/// The size that a node represents; `None` if it contains [`Node::TooLarge`].
pub fn size_of_node(n: &Node) -> Option<Size> {
    let all = |ns: &[Node]| ns.iter().map(size_of_node).collect::<Option<Vec<_>>>();
    Some(match n {
        Node::Int(v) => Size::int(i64::try_from(*v).ok()?),
        Node::Var(v) => Size::var(v.clone()),
        Node::Neg(a) => size_of_node(a)?.neg(),
        Node::Add(ns) => all(ns)?.iter().fold(Size::zero(), |a, b| a.add(b)),
        Node::Sub(a, b) => size_of_node(a)?.sub(&size_of_node(b)?),
        Node::Mul(ns) => all(ns)?.iter().fold(Size::one(), |a, b| a.mul(b)),
        Node::ExactDiv(a, b) => size_of_node(a)?.div_exact(&size_of_node(b)?),
        Node::FloorDiv { num, den, .. } => size_of_node(num)?.div_floor(&size_of_node(den)?),
        Node::Mod { num, den, .. } => size_of_node(num)?.rem(&size_of_node(den)?),
        Node::Min(ns) => all(ns)?.into_iter().reduce(|a, b| Size::min(&a, &b))?,
        Node::Max(ns) => all(ns)?.into_iter().reduce(|a, b| Size::max(&a, &b))?,
        Node::Pow(a, b) => size_of_node(a)?.pow(&size_of_node(b)?),
        Node::Sum { index, count, body } => Size::sum(index.clone(), size_of_node(count)?, size_of_node(body)?),
        Node::IfLe { left, right, then, otherwise } => {
            Size::if_le(&size_of_node(left)?, &size_of_node(right)?, &size_of_node(then)?, &size_of_node(otherwise)?)
        }
        Node::TooLarge => return None,
    })
}
