//! Calls as they were probably meant.

use crate::diagnostics::Edit;
use crate::diagnostics::notes::Guess;
use crate::hir::*;

/// The text of a call whose arguments are put in order, and the edits of the arguments.
pub type Ordered = (String, Vec<Edit>);

/// An expression that is meant as the body of a function.
pub struct UnboundBody {
    /// Where its parameters occur.
    pub uses: Vec<ExprId>,
    /// The source text of the lambda before its body.
    pub before: String,
    /// The lambda, shortened.
    pub written: String,
}

impl UnboundBody {
    /// Follows the message about another mistake.
    pub fn guess(&self) -> Guess {
        Guess::FunctionOf(self.written.clone())
    }

    /// Edits that put the lambda in place of `to`.
    pub fn move_to(&self, to: ExprId, body: ExprId) -> Vec<Edit> {
        let (at, of) = (Node::Expr(to), Node::Expr(body));
        let copy = Edit::CopyBefore { at, before: self.before.clone(), of, after: ")".into() };
        vec![copy, Edit::Replace(at, String::new())]
    }
}
