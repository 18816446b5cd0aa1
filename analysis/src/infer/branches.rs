//! The branches of a form.

use crate::hir::*;

/// An expression that is computed only if a condition holds, or only if it does not.
#[derive(Debug, Clone, Copy)]
pub struct Branch {
    pub body: ExprId,
    pub condition: ExprId,
    pub holds: bool,
    /// The index of the next outer branch.
    pub around: Option<usize>,
}

/// All branches of a form.
#[derive(Debug, Default)]
pub struct Branches {
    all: Vec<Branch>,
    /// The index of the innermost branch around each expression.
    of: IdVec<ExprId, Option<usize>>,
    /// For each expression, the preorder numbers of itself and of its last part; the parts in between are within it.
    numbers: IdVec<ExprId, (u32, u32)>,
}

impl Branches {
    /// Builds the branches. `children` returns the direct parts of an expression; `taken_if` returns those computed
    /// only under a condition, each with the condition and the value that it must have.
    pub fn new(
        body: &Body,
        children: impl Fn(ExprId) -> Vec<ExprId>,
        taken_if: impl Fn(ExprId) -> Vec<(ExprId, ExprId, bool)>,
    ) -> Branches {
        let exprs = body.exprs.len();
        let mut found = Branches { all: Vec::new(), of: vec![None; exprs].into(), numbers: vec![(0, 0); exprs].into() };
        let mut open: Vec<(ExprId, Option<usize>)> = body.root.into_iter().map(|root| (root, None)).collect();
        let mut seen: Vec<ExprId> = Vec::new();
        while let Some((e, around)) = open.pop() {
            found.of[e] = around;
            found.numbers[e] = (seen.len() as u32, seen.len() as u32);
            seen.push(e);
            let taken = taken_if(e);
            for inner in children(e) {
                let inside = taken.iter().find(|(branch, ..)| *branch == inner).map(|&(body, condition, holds)| {
                    found.all.push(Branch { body, condition, holds, around });
                    found.all.len() - 1
                });
                open.push((inner, inside.or(around)));
            }
        }
        // Inner expressions have higher numbers.
        for e in seen.into_iter().rev() {
            let last = children(e).into_iter().map(|inner| found.numbers[inner].1).max();
            let (_, own) = &mut found.numbers[e];
            *own = last.unwrap_or(*own);
        }
        found
    }

    /// Whether an expression is `outer` or a part of it.
    pub fn is_within(&self, inner: ExprId, outer: ExprId) -> bool {
        let (first, last) = self.numbers[outer];
        (first..=last).contains(&self.numbers[inner].0)
    }

    /// The branches around an expression, innermost first.
    pub fn around(&self, e: ExprId) -> impl Iterator<Item = Branch> + '_ {
        let first = self.of.get(e).copied().flatten();
        std::iter::successors(first, |i| self.all[*i].around).map(|i| self.all[i])
    }
}
