//! Sizes that a program uses as numbers must fit an `Int`.
//!
//! A size is unbounded, an `Int` is not. Where a size becomes a number (`#(N*M)` among values, the result of `length`,
//! the indices that `iota` and `generate` count), the kernel assumes that it fits. So it is checked before the run, or
//! where the last of its lengths is opened, and proofs may rely on it. In a branch that comparisons of sizes select, it is
//! assumed where they hold: elsewhere the size need not even have a value (`N/M` for `M = 0`).
//!
//! `dividends`: sums of positions and lengths whose remainder is taken.

mod dividends;

use self::dividends::Ranges;

use super::{Atom, Block, Kernel, Prim, Rhs, ScalarOp, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Facts, Size, Var, VarKind};
use rustc_hash::FxHashMap;

/// Adds an assumption for each size used as a number that is not known to fit an `Int`. `root` is the origin of the
/// kernel's result.
pub fn assume_fitting(kernel: &mut Kernel, root: Option<&Origin>) {
    let mut numbers = Numbers {
        kernel,
        given: Vec::new(),
        conditions: FxHashMap::default(),
        ranges: Ranges::default(),
        found: Vec::new(),
    };
    numbers.block(&kernel.body);
    let mut found = numbers.found;
    if let (Atom::Size(size), Some(root)) = (&kernel.body.result, root) {
        found.push(Number { size: size.clone(), given: Vec::new(), origin: root.clone() });
    }
    found.retain(|number| number.size.as_var().is_none() && is_known(&number.size));
    if found.is_empty() {
        return;
    }
    let mut facts = Facts::new();
    for size in &kernel.sizes {
        facts.assume_range(size.clone(), None, Some(most()));
    }
    for (assumption, _) in &kernel.assumptions {
        facts.assume(assumption);
    }
    // A bound of one length proves the weaker ones.
    found.sort_by_key(|number| number.most_of_one().map_or(i64::MAX, |(_, n)| n));
    for number in found {
        let bound = match number.most_of_one() {
            Some((length, n)) => Assumption::AtMost(Size::var(length), Size::int(n)),
            None => Assumption::AtMost(number.size, most()),
        };
        let (fits, origin) = (facts.left_of(bound.given(number.given)), number.origin);
        if !facts.proves(&fits).is_yes() && !kernel.assumptions.iter().any(|(known, _)| *known == fits) {
            facts.assume(&fits);
            kernel.assumptions.push((fits, origin));
        }
    }
}

/// The largest `Int`.
fn most() -> Size {
    Size::int(i32::MAX.into())
}

/// Whether a size has only variables that are known before the run, or once their lengths are opened.
fn is_known(size: &Size) -> bool {
    !size.any_var(&mut |v| !matches!(v.kind, VarKind::Param | VarKind::Skolem))
}

/// A size used as a number.
struct Number {
    size: Size,
    /// The comparisons of sizes that hold where it is used.
    given: Vec<Assumption>,
    origin: Origin,
}

impl Number {
    /// The size fits an `Int` if this length is at most this number; `None` if it depends on anything else.
    fn most_of_one(&self) -> Option<(Var, i64)> {
        let [length] = &self.size.vars()[..] else { return None };
        let (by, rest) = self.size.linear_in(length)?;
        let (by, rest) = (by.as_const()?, rest.as_const()?);
        (by > 0).then(|| (length.clone(), (i64::from(i32::MAX) - rest).div_euclid(by)))
    }
}

/// Collects the sizes used as numbers.
struct Numbers<'k> {
    kernel: &'k Kernel,
    /// The comparisons that select the current branch.
    given: Vec<Assumption>,
    /// The Bools computed so far that conditions may use.
    conditions: FxHashMap<VarId, &'k Rhs>,
    ranges: Ranges<'k>,
    found: Vec<Number>,
}

impl<'k> Numbers<'k> {
    fn number(&mut self, size: &Size, origin: &Origin) {
        self.found.push(Number { size: size.clone(), given: self.given.clone(), origin: origin.clone() });
    }

    fn block(&mut self, block: &'k Block) {
        for stmt in &block.stmts {
            for operand in stmt.rhs.operands() {
                if let Atom::Size(size) = operand {
                    self.number(size, &stmt.origin);
                }
            }
            if let Rhs::Prim(call) = &stmt.rhs {
                match call.prim {
                    Prim::Length => {
                        if let Some(array) = call.args.first().map(|xs| self.kernel.atom_ty(xs))
                            && let Some(array) = array.as_array()
                        {
                            self.number(&array.len, &stmt.origin);
                        }
                    }
                    // Indices are below the length.
                    Prim::Iota | Prim::Generate => {
                        call.sizes.iter().for_each(|n| self.number(&n.sub(&Size::one()), &stmt.origin));
                    }
                    _ => {}
                }
            }
            for size in self.ranges.greatest_of_dividend(&stmt.rhs) {
                self.number(&size, &stmt.origin);
            }
            self.ranges.learn(stmt.var, &stmt.rhs);
            if matches!(stmt.rhs, Rhs::Scalar(..) | Rhs::If(..)) {
                self.conditions.insert(stmt.var, &stmt.rhs);
            }
            // The results of `partition`'s function are sizes, not numbers.
            let gives_numbers = !matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Partition);
            for (i, inner) in stmt.rhs.blocks().into_iter().enumerate() {
                let outside = self.given.len();
                if let Rhs::If(condition, ..) = &stmt.rhs {
                    let selects = self.compared(condition, i == 0);
                    self.given.extend(selects);
                }
                self.block(inner);
                if let Atom::Size(size) = &inner.result
                    && gives_numbers
                {
                    self.number(size, &stmt.origin);
                }
                self.given.truncate(outside);
            }
        }
    }

    /// The comparisons of sizes that hold if a condition has the given value.
    fn compared(&self, condition: &Atom, value: bool) -> Vec<Assumption> {
        let Atom::Var(v) = condition else { return Vec::new() };
        match self.conditions.get(v) {
            Some(Rhs::Scalar(ScalarOp::Not, operands)) => {
                operands.first().map(|a| self.compared(a, !value)).unwrap_or_default()
            }
            // `and` and `or` evaluate the right side if the left one does not decide.
            Some(Rhs::If(left, then, otherwise)) => {
                let decided = Atom::Lit(Literal::Bool(!value));
                let (right, left_value) = match value {
                    true if otherwise.result == decided => (then, true),
                    false if then.result == decided => (otherwise, false),
                    _ => return Vec::new(),
                };
                let mut both = self.compared(left, left_value);
                both.extend(self.compared(&right.result, value));
                both
            }
            Some(Rhs::Scalar(op, operands)) => match &operands[..] {
                [a, b] => {
                    as_size(a).zip(as_size(b)).and_then(|(a, b)| comparison(*op, a, b, value)).into_iter().collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

/// The size that an operand is, if it is one whose variables are known.
fn as_size(atom: &Atom) -> Option<Size> {
    match atom {
        Atom::Size(size) if is_known(size) => Some(size.clone()),
        Atom::Lit(Literal::Int(n)) => Some(Size::int((*n).into())),
        _ => None,
    }
}

/// The assumption that a comparison has the given value.
fn comparison(op: ScalarOp, a: Size, b: Size, value: bool) -> Option<Assumption> {
    Some(match (op, value) {
        (ScalarOp::Lt, true) | (ScalarOp::Ge, false) => Assumption::AtMost(a.add(&Size::one()), b),
        (ScalarOp::Gt, true) | (ScalarOp::Le, false) => Assumption::AtMost(b.add(&Size::one()), a),
        (ScalarOp::Le, true) | (ScalarOp::Gt, false) => Assumption::AtMost(a, b),
        (ScalarOp::Ge, true) | (ScalarOp::Lt, false) => Assumption::AtMost(b, a),
        (ScalarOp::Eq, true) | (ScalarOp::Ne, false) => Assumption::Equal(a, b),
        _ => return None,
    })
}
