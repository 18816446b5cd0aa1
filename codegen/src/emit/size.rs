//! Sizes as expressions of the host language.

use lift_analysis::size::{Assumption, Node, Size, Var};

/// The differences between C and Python.
pub trait Language {
    /// The name of a size.
    fn var(&self, v: &Var) -> String;
    fn call(&self, function: Function, args: &[String]) -> String;
    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String;
    fn sum(
        &self,
        index: &Var,
        count: &str,
        body: &dyn Fn(&dyn Language) -> Result<String, String>,
    ) -> Result<String, String>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Function {
    Min,
    Max,
    /// Rounded towards minus infinity.
    FloorDiv,
    /// Never negative.
    Mod,
    Pow,
    /// A product, which may overflow the language's integers.
    Mul,
}

pub fn expression(language: &dyn Language, size: &Size) -> Result<String, String> {
    node(language, &size.node())
}

/// The expression of a size; 0 if a divisor is not positive. No branch that runs uses such a size, but memory and
/// arguments are computed for all branches.
pub fn where_used(language: &dyn Language, size: &Size) -> Result<String, String> {
    let (mut divisors, node) = (Vec::new(), size.node());
    collect_divisors(&node, &mut divisors);
    let mut positive: Vec<String> = Vec::new();
    for divisor in divisors {
        let condition = format!("{} > 0", self::node(language, divisor)?);
        if !positive.contains(&condition) {
            positive.push(condition);
        }
    }
    let value = self::node(language, &node)?;
    // A divisor inside another one comes before it; the first that is not positive decides.
    let guarded = positive.iter().rev().fold(value, |value, condition| language.choose(condition, &value, "0"));
    Ok(guarded)
}

/// Collects the divisors that are always evaluated, innermost first; conditional expressions guard their own.
fn collect_divisors<'a>(n: &'a Node, found: &mut Vec<&'a Node>) {
    let parts: Vec<&Node> = match n {
        Node::Int(_) | Node::Var(_) | Node::TooLarge | Node::Sum { .. } => Vec::new(),
        Node::Neg(a) => vec![a],
        Node::Sub(a, b) | Node::Pow(a, b) | Node::ExactDiv(a, b) => vec![a, b],
        Node::FloorDiv { num, den, .. } | Node::Mod { num, den, .. } => vec![num, den],
        Node::Add(all) | Node::Mul(all) | Node::Min(all) | Node::Max(all) => all.iter().collect(),
        Node::IfLe { left, right, .. } => vec![left, right],
    };
    parts.into_iter().for_each(|part| collect_divisors(part, found));
    if let Node::ExactDiv(_, den) | Node::FloorDiv { den, .. } | Node::Mod { den, .. } = n
        && !matches!(**den, Node::Int(d) if d > 0)
    {
        found.push(den);
    }
}

/// An assumption as a condition of the language.
pub fn condition(language: &dyn Language, assumption: &Assumption, and: &str) -> Result<String, String> {
    let size = |s: &Size| expression(language, s);
    Ok(match assumption {
        Assumption::Divides { divisor, value } => {
            let (d, v) = (size(divisor)?, size(value)?);
            format!("{d} > 0 {and} {} == 0", language.call(Function::Mod, &[v, d.clone()]))
        }
        Assumption::NonNegative(a) => format!("{} >= 0", size(a)?),
        Assumption::Positive(a) => format!("{} > 0", size(a)?),
        Assumption::AtMost(a, b) => format!("{} <= {}", size(a)?, size(b)?),
        Assumption::Equal(a, b) => format!("{} == {}", size(a)?, size(b)?),
        // It holds if the number of indices at which it fails is 0.
        Assumption::ForAll { position, count, holds } => {
            let wrong = |l: &dyn Language| Ok(l.choose(&condition(l, holds, and)?, "0", "1"));
            format!("{} == 0", language.sum(position, &size(count)?, &wrong)?)
        }
        // Evaluated only if it is needed, because otherwise it may have no value.
        Assumption::Where { given, holds } => {
            let mut all = condition(language, holds, and)?;
            for given in given.iter().rev() {
                let given = condition(language, given, and)?;
                all = format!("{} == 1", language.choose(&given, &language.choose(&all, "1", "0"), "1"));
            }
            all
        }
    })
}

fn node(l: &dyn Language, n: &Node) -> Result<String, String> {
    let all = |ns: &[Node]| ns.iter().map(|n| node(l, n)).collect::<Result<Vec<_>, _>>();
    let fold = |f: Function, ns: &[Node]| {
        let all = all(ns)?;
        Ok::<_, String>(all.into_iter().reduce(|a, b| l.call(f, &[a, b])).unwrap_or_else(|| "0".into()))
    };
    Ok(match n {
        Node::Int(v) => match i64::try_from(*v) {
            Ok(v) if v >= 0 => v.to_string(),
            Ok(v) => format!("({v})"),
            Err(_) => return Err(format!("the number {v} is too large")),
        },
        Node::Var(v) => l.var(v),
        Node::Neg(a) => format!("(-{})", node(l, a)?),
        Node::Add(ns) => format!("({})", all(ns)?.join(" + ")),
        Node::Sub(a, b) => format!("({} - {})", node(l, a)?, node(l, b)?),
        Node::Mul(ns) => fold(Function::Mul, ns)?,
        // An exact division may be rounded like any other.
        Node::ExactDiv(a, b) => l.call(Function::FloorDiv, &[node(l, a)?, node(l, b)?]),
        Node::FloorDiv { num, den, .. } => l.call(Function::FloorDiv, &[node(l, num)?, node(l, den)?]),
        Node::Mod { num, den, .. } => l.call(Function::Mod, &[node(l, num)?, node(l, den)?]),
        Node::Min(ns) => fold(Function::Min, ns)?,
        Node::Max(ns) => fold(Function::Max, ns)?,
        Node::Pow(a, b) => l.call(Function::Pow, &[node(l, a)?, node(l, b)?]),
        Node::IfLe { left, right, then, otherwise } => {
            let condition = format!("{} <= {}", node(l, left)?, node(l, right)?);
            l.choose(&condition, &node(l, then)?, &node(l, otherwise)?)
        }
        Node::Sum { index, count, body } => l.sum(index, &node(l, count)?, &|l| node(l, body))?,
        Node::TooLarge => return Err("a size has become too large to be written".into()),
    })
}
