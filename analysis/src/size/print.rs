//! Prints sizes: `(N-1)/2`, `2*N+1`, `min(N,4)`, `N mod 4`, `2^k`, `sum(i<N, floor(i*i/3))`.

use super::Size;
use super::view::Node;
use super::work;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::rc::Rc;

/// Minimum weight of sizes whose text is cached: searching for their shortest form is slow, and types repeat them.
const LONG: u32 = 50;
/// Capacity of the cache of texts, of at most some kilobytes each.
const MOST_WRITTEN: usize = 64;

thread_local! {
    static WRITTEN: RefCell<FxHashMap<Size, Rc<str>>> = RefCell::default();
}

/// Precedence of an expression, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    /// `a mod b` is parenthesised inside every other operation.
    Mod,
    Product,
    Power,
    Whole,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Most sizes are single names or short, and are not cached.
        if let Some(var) = self.as_var() {
            return f.write_str(&var.name);
        }
        if self.weight() < LONG {
            return self.reading().fmt(f);
        }
        let known = WRITTEN.with_borrow(|known| known.get(self).cloned());
        let text = known.unwrap_or_else(|| {
            let text: Rc<str> = self.reading().to_string().into();
            WRITTEN.with_borrow_mut(|known| {
                if known.len() == MOST_WRITTEN {
                    known.clear();
                }
                if !work::exhausted() {
                    known.insert(self.clone(), text.clone());
                }
            });
            text
        });
        f.write_str(&text)
    }
}

impl fmt::Debug for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Int(value) => write!(f, "{value}"),
            Node::Var(var) => write!(f, "{var}"),
            Node::Neg(a) => {
                f.write_char('-')?;
                operand(f, a, Binding::Product)
            }
            Node::Add(all) => {
                for (i, a) in all.iter().enumerate() {
                    if i > 0 {
                        f.write_char('+')?;
                    }
                    operand(f, a, Binding::Sum)?;
                }
                Ok(())
            }
            Node::Sub(a, b) => {
                operand(f, a, Binding::Sum)?;
                f.write_char('-')?;
                operand(f, b, Binding::Product)
            }
            Node::Mul(all) => {
                for (i, a) in all.iter().enumerate() {
                    if i > 0 {
                        f.write_char('*')?;
                    }
                    operand(f, a, if i > 0 { Binding::Power } else { Binding::Product })?;
                }
                Ok(())
            }
            Node::ExactDiv(a, b) => {
                operand(f, a, Binding::Product)?;
                f.write_char('/')?;
                operand(f, b, Binding::Power)
            }
            Node::FloorDiv { num, den, .. } => {
                f.write_str("floor(")?;
                operand(f, num, Binding::Product)?;
                f.write_char('/')?;
                operand(f, den, Binding::Power)?;
                f.write_char(')')
            }
            Node::Mod { num, den, .. } => {
                operand(f, num, Binding::Product)?;
                f.write_str(" mod ")?;
                operand(f, den, Binding::Product)
            }
            Node::Min(all) => call(f, "min", all),
            Node::Max(all) => call(f, "max", all),
            Node::Pow(a, b) => {
                operand(f, a, Binding::Whole)?;
                f.write_char('^')?;
                operand(f, b, Binding::Whole)
            }
            Node::Sum { index, count, body } => {
                write!(f, "sum({index}<")?;
                operand(f, count, Binding::Sum)?;
                write!(f, ", {body})")
            }
            Node::IfLe { left, right, then, otherwise } => {
                write!(f, "if({left}<={right},{then},{otherwise})")
            }
            Node::TooLarge => f.write_char('…'),
        }
    }
}

impl Node {
    fn binding(&self) -> Binding {
        match self {
            Node::Int(value) if *value < 0 => Binding::Sum,
            Node::Neg(_) | Node::Add(_) | Node::Sub(..) => Binding::Sum,
            Node::Mod { .. } => Binding::Mod,
            Node::Mul(_) | Node::ExactDiv(..) => Binding::Product,
            Node::Pow(..) => Binding::Power,
            _ => Binding::Whole,
        }
    }
}

fn operand(f: &mut fmt::Formatter<'_>, node: &Node, least: Binding) -> fmt::Result {
    let binding = node.binding();
    if binding < least || binding == Binding::Mod { write!(f, "({node})") } else { write!(f, "{node}") }
}

fn call(f: &mut fmt::Formatter<'_>, name: &str, operands: &[Node]) -> fmt::Result {
    write!(f, "{name}(")?;
    for (i, a) in operands.iter().enumerate() {
        if i > 0 {
            f.write_char(',')?;
        }
        write!(f, "{a}")?;
    }
    f.write_char(')')
}
