//! Random expressions: the normal form, and its printed form, have the value of the expression wherever that is
//! defined.

use super::*;
use crate::size::ratio::Ratio;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

/// An expression as a program may contain it.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Const(i64),
    Var(usize),
    Add(Box<Tree>, Box<Tree>),
    Sub(Box<Tree>, Box<Tree>),
    Mul(Box<Tree>, Box<Tree>),
    DivExact(Box<Tree>, Box<Tree>),
    DivFloor(Box<Tree>, Box<Tree>),
    Rem(Box<Tree>, Box<Tree>),
    Min(Box<Tree>, Box<Tree>),
    Max(Box<Tree>, Box<Tree>),
    Pow(Box<Tree>, Box<Tree>),
    /// The sum over an index below the first tree; in the second tree the index is variable 5.
    Sum(Box<Tree>, Box<Tree>),
    IfLe(Box<[Tree; 4]>),
}

pub(super) const NAMES: [&str; 6] = ["N", "M", "k", "X1", "i", "p"];

impl Tree {
    /// The value by the definition of each operation; `None` if it is undefined or too large.
    pub fn value(&self, at: &[i64; 6]) -> Option<i128> {
        let value = match self {
            Tree::Const(c) => i128::from(*c),
            Tree::Var(index) => i128::from(at[*index]),
            Tree::Add(a, b) => a.value(at)? + b.value(at)?,
            Tree::Sub(a, b) => a.value(at)? - b.value(at)?,
            Tree::Mul(a, b) => a.value(at)? * b.value(at)?,
            Tree::DivExact(a, b) => {
                let (a, b) = (a.value(at)?, b.value(at)?);
                if b <= 0 || a % b != 0 {
                    return None;
                }
                a / b
            }
            Tree::DivFloor(a, b) => {
                let (a, b) = (a.value(at)?, b.value(at)?);
                if b <= 0 {
                    return None;
                }
                a.div_euclid(b)
            }
            Tree::Rem(a, b) => {
                let (a, b) = (a.value(at)?, b.value(at)?);
                if b <= 0 {
                    return None;
                }
                a.rem_euclid(b)
            }
            Tree::Min(a, b) => a.value(at)?.min(b.value(at)?),
            Tree::Max(a, b) => a.value(at)?.max(b.value(at)?),
            Tree::Pow(a, b) => {
                let (a, b) = (a.value(at)?, b.value(at)?);
                a.checked_pow(u32::try_from(b).ok()?)?
            }
            Tree::Sum(count, body) => {
                let count = count.value(at)?;
                if !(0..=200).contains(&count) {
                    return None;
                }
                // No divisor may be zero, even in an empty sum.
                let mut inner = *at;
                inner[5] = 0;
                body.value(&inner)?;
                let mut sum = 0;
                for index in 0..count {
                    inner[5] = i64::try_from(index).ok()?;
                    sum += body.value(&inner)?;
                }
                sum
            }
            Tree::IfLe(parts) => {
                let [a, b, then, otherwise] = parts.as_ref();
                let (then, otherwise) = (then.value(at)?, otherwise.value(at)?);
                if a.value(at)? <= b.value(at)? { then } else { otherwise }
            }
        };
        (value.abs() < 1 << 40).then_some(value)
    }

    pub fn size(&self) -> Size {
        match self {
            Tree::Const(c) => n(*c),
            Tree::Var(index) => v(NAMES[*index]),
            Tree::Add(a, b) => a.size() + b.size(),
            Tree::Sub(a, b) => a.size() - b.size(),
            Tree::Mul(a, b) => a.size() * b.size(),
            Tree::DivExact(a, b) => a.size().div_exact(&b.size()),
            Tree::DivFloor(a, b) => a.size().div_floor(&b.size()),
            Tree::Rem(a, b) => a.size().rem(&b.size()),
            Tree::Min(a, b) => Size::min(&a.size(), &b.size()),
            Tree::Max(a, b) => Size::max(&a.size(), &b.size()),
            Tree::Pow(a, b) => a.size().pow(&b.size()),
            Tree::Sum(count, body) => Size::sum(var(NAMES[5]), count.size(), body.size()),
            Tree::IfLe(parts) => {
                let [a, b, then, otherwise] = parts.as_ref();
                Size::if_le(&a.size(), &b.size(), &then.size(), &otherwise.size())
            }
        }
    }
}

pub(super) fn tree(depth: u32) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (-2..8i64).prop_map(Tree::Const),
        (0..6usize).prop_map(Tree::Var),
        (0..6usize).prop_map(Tree::Var),
    ];
    leaf.prop_recursive(depth, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        let divisor = prop_oneof![(1..7i64).prop_map(Tree::Const), (0..4usize).prop_map(Tree::Var), inner.clone()];
        let division = (inner.clone(), divisor).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            3 => two.clone().prop_map(|(a, b)| Tree::Add(a, b)),
            3 => two.clone().prop_map(|(a, b)| Tree::Sub(a, b)),
            3 => two.clone().prop_map(|(a, b)| Tree::Mul(a, b)),
            2 => division.clone().prop_map(|(a, b)| Tree::DivExact(a, b)),
            3 => division.clone().prop_map(|(a, b)| Tree::DivFloor(a, b)),
            3 => division.prop_map(|(a, b)| Tree::Rem(a, b)),
            2 => two.clone().prop_map(|(a, b)| Tree::Min(a, b)),
            2 => two.clone().prop_map(|(a, b)| Tree::Max(a, b)),
            1 => two.clone().prop_map(|(a, b)| Tree::Pow(a, b)),
            1 => two.prop_map(|(a, b)| Tree::Sum(a, b)),
            1 => [inner.clone(), inner.clone(), inner.clone(), inner]
                .prop_map(|parts| Tree::IfLe(Box::new(parts))),
        ]
    })
}

/// Values for [`NAMES`], half of them 0, 1 or 2. Only the index `i` may be negative.
pub(super) fn points(count: usize) -> impl Strategy<Value = Vec<[i64; 6]>> {
    // A generator in this file is far faster than a strategy for each number.
    any::<u64>().no_shrink().prop_map(move |mut state| {
        let mut next = |below: i64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            i64::try_from(state >> 33).unwrap_or(0) % below
        };
        let mut point = || {
            let mut at = [0; 6].map(|_| if next(2) == 0 { next(3) } else { next(40) });
            at[4] = next(26) - 6;
            at
        };
        (0..count).map(|_| point()).collect()
    })
}

pub(super) fn names_at(at: [i64; 6]) -> impl Fn(&Var) -> Option<i64> {
    move |var| NAMES.iter().position(|name| **name == *var.name).map(|index| at[index])
}

/// The value of an expression, with each division computed as written. If `exact`, no exact division may leave a
/// remainder.
fn node_value(node: &Node, exact: bool, at: &dyn Fn(&Var) -> Option<i64>) -> Option<Ratio> {
    let value = |node: &Node| node_value(node, exact, at);
    let all = |nodes: &[Node]| nodes.iter().map(value).collect::<Option<Vec<Ratio>>>();
    let floor = |num: &Node, den: &Node, dividend: &Size| {
        let (num, den) = (value(num)?, value(den)?);
        assert_eq!(dividend.eval_ratio(at).ok(), Some(num), "{node}: {dividend}");
        assert!(den > Ratio::ZERO, "{node} divides by {den:?}");
        Some((num, den, Ratio::integer(num.div(den)?.floor())?))
    };
    Some(match node {
        Node::Int(value) => Ratio::integer(*value)?,
        Node::Var(var) => Ratio::integer(i128::from(at(var)?))?,
        Node::Neg(a) => value(a)?.neg(),
        Node::Add(nodes) => all(nodes)?.into_iter().try_fold(Ratio::ZERO, Ratio::add)?,
        Node::Sub(a, b) => value(a)?.add(value(b)?.neg())?,
        Node::Mul(nodes) => all(nodes)?.into_iter().try_fold(Ratio::ONE, Ratio::mul)?,
        Node::ExactDiv(a, b) => {
            let quotient = value(a)?.div(value(b)?)?;
            assert!(!exact || quotient.is_integer(), "{node} leaves a remainder");
            quotient
        }
        Node::FloorDiv { num, den, dividend } => floor(num, den, dividend)?.2,
        Node::Mod { num, den, dividend } => {
            let (num, den, quotient) = floor(num, den, dividend)?;
            num.add(den.mul(quotient)?.neg())?
        }
        Node::Min(nodes) => all(nodes)?.into_iter().min()?,
        Node::Max(nodes) => all(nodes)?.into_iter().max()?,
        Node::Pow(a, b) => value(a)?.pow(i32::try_from(value(b)?.to_integer()?).ok()?)?,
        Node::Sum { index, count, body } => {
            let mut sum = Ratio::ZERO;
            for i in 0..i64::try_from(value(count)?.to_integer()?).ok()? {
                let inner = |var: &Var| if var == index { Some(i) } else { at(var) };
                sum = sum.add(node_value(body, exact, &inner)?)?;
            }
            sum
        }
        Node::IfLe { left, right, then, otherwise } => {
            if value(left)? <= value(right)? {
                value(then)?
            } else {
                value(otherwise)?
            }
        }
        Node::TooLarge => return None,
    })
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn the_normal_form_has_the_value_of_the_expression(
        tree in tree(5),
        points in points(24),
    ) {
        let size = tree.size();
        for at in points {
            let Some(value) = tree.value(&at) else { continue };
            match size.eval_int(&names_at(at)) {
                Ok(got) => prop_assert_eq!(i128::from(got), value, "{} at {:?}", size, at),
                Err(EvalError::Overflow | EvalError::TooLarge) => {}
                Err(error) => prop_assert!(false, "{error:?}: {size} at {at:?} should be {value}"),
            }
        }
    }

    #[test]
    fn what_is_computed_or_read_has_the_value_of_the_size(tree in tree(4), points in points(24)) {
        let size = tree.size();
        let (computed, read) = (size.node(), size.reading());
        for at in points {
            if tree.value(&at).is_none() {
                continue;
            }
            let env = names_at(at);
            let Ok(value) = size.eval_ratio(&env) else { continue };
            for (node, exact) in [(&computed, true), (&read, false)] {
                if let Some(got) = node_value(node, exact, &env) {
                    prop_assert_eq!(got, value, "{} at {:?}", node, at);
                }
            }
        }
    }

    #[test]
    fn replacing_variables_commutes_with_evaluation(
        tree in tree(4),
        replacement in tree(3),
        points in points(24),
    ) {
        let (size, by) = (tree.size(), replacement.size());
        let replaced = size.subst_var(&var("M"), &by);
        for at in points {
            let Some(inner) = replacement.value(&at) else { continue };
            let Ok(inner) = i64::try_from(inner) else { continue };
            if inner < 0 {
                continue;
            }
            let mut outer = at;
            outer[1] = inner;
            let Some(value) = tree.value(&outer) else { continue };
            match replaced.eval_int(&names_at(at)) {
                Ok(got) => prop_assert_eq!(i128::from(got), value, "{} at {:?}", replaced, at),
                Err(EvalError::Overflow | EvalError::TooLarge) => {}
                Err(error) => prop_assert!(false, "{error:?}: {replaced} at {at:?} should be {value}"),
            }
        }
    }

    #[test]
    fn the_variables_are_those_that_matter(tree in tree(4), two in points(2)) {
        let (at, other) = (two[0], two[1]);
        let size = tree.size();
        let vars = size.vars();
        let mut changed = at;
        for (index, name) in NAMES.iter().enumerate() {
            if !vars.contains(&var(name)) {
                changed[index] = other[index];
            }
        }
        prop_assert_eq!(size.eval_int(&names_at(at)), size.eval_int(&names_at(changed)));
    }
}

/// Checks the same random trees in each run, because a search that is given up has no guarantees.
fn sampled(count: usize, check: impl Fn(&Size)) {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..count {
        let tree = tree(4).new_tree(&mut runner).expect("a tree").current();
        check(&tree.size());
    }
}

#[test]
fn a_size_costs_what_it_was_found_to_cost() {
    sampled(1000, |size| {
        for mut writer in [Writer::to_compute(), Writer::to_read()] {
            if let Some((found, written)) = writer.costs(size) {
                assert_eq!(found, written, "{size}");
            }
        }
    });
}

#[test]
fn who_writes_many_sizes_writes_each_as_if_it_were_the_only_one() {
    let writers = std::cell::RefCell::new((Writer::to_compute(), Writer::to_read()));
    sampled(300, |size| {
        let (computed, read) = &mut *writers.borrow_mut();
        assert_eq!(*computed.node(size), size.node());
        assert_eq!(*read.node(size), size.reading());
    });
}
