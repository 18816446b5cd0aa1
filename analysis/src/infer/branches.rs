//! Where the branches of a form are.

use crate::hir::*;

/// An expression that is computed only if a condition holds, or only if it does not.
#[derive(Debug, Clone, Copy)]
pub struct Branch {
    pub body: ExprId,
    pub condition: ExprId,
    pub holds: bool,
    /// The next one outside.
    pub around: Option<usize>,
}

/// All branches of a form.
#[derive(Debug, Default)]
pub struct Branches {
    pub all: Vec<Branch>,
    /// The innermost one around each expression.
    pub of: Vec<Option<usize>>,
}

impl Branches {
    /// The branches around an expression, the innermost first.
    pub fn around(&self, e: ExprId) -> impl Iterator<Item = Branch> + '_ {
        let first = self.of.get(e.index()).copied().flatten();
        std::iter::successors(first, |i| self.all[*i].around).map(|i| self.all[i])
    }
}
