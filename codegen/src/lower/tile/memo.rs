//! What is known of sizes in straight code that asks the same again and again.
//!
//! Valid as long as nothing that is known of indices is forgotten: in a scope, and in those inside of it.

use super::super::Result;
use super::super::function::FunctionBuilder;
use crate::opencl::CType;
use lift_analysis::size::{Node, Size};
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Default)]
pub struct Memo {
    simplified: FxHashMap<Size, Size>,
    /// Clamped indices, under names of their own.
    clamped: FxHashMap<Size, Size>,
    /// The same by the index that is clamped and the length, before it is worked out what that is.
    indices: FxHashMap<(Size, Size), Size>,
}

impl Memo {
    pub fn learn(&mut self, found: Memo) {
        self.simplified = found.simplified;
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// The simplest form of a size by what is known here.
    pub fn simplify(&mut self, s: &Size) -> Size {
        if let Some(known) = self.memo.as_ref().and_then(|m| m.simplified.get(s)) {
            return known.clone();
        }
        let simple = self.facts.simplify(s);
        if let Some(memo) = &mut self.memo {
            memo.simplified.insert(s.clone(), simple.clone());
            memo.simplified.insert(simple.clone(), simple.clone());
        }
        simple
    }

    /// The nearest index below `n`: where the same is asked often, it is computed once.
    pub fn clamped(&mut self, i: &Size, n: &Size) -> Result<Size> {
        let nearest = || Size::max(&Size::min(i, &n.sub(&Size::one())), &Size::zero());
        let Some(memo) = &self.memo else { return Ok(nearest()) };
        let key = (i.clone(), n.clone());
        if let Some(known) = memo.indices.get(&key) {
            return Ok(known.clone());
        }
        let at = nearest();
        let named = match memo.clamped.get(&at) {
            Some(known) => known.clone(),
            None => self.named_choice(&at, n)?,
        };
        if let Some(memo) = &mut self.memo {
            memo.clamped.insert(at, named.clone());
            memo.indices.insert(key, named.clone());
        }
        Ok(named)
    }

    /// An index below `n`, under a name if there is a choice in it.
    fn named_choice(&mut self, at: &Size, n: &Size) -> Result<Size> {
        let simple = self.simplify(at);
        if !chooses(&self.program.node(&simple)) {
            return Ok(simple);
        }
        let value = self.size(&simple)?;
        let value = self.bind("clamped", CType::Int, value);
        Ok(self.number("clamped", value, &n.sub(&Size::one())))
    }
}

/// Whether there is a choice in it.
fn chooses(n: &Node) -> bool {
    match n {
        Node::Min(_) | Node::Max(_) | Node::IfLe { .. } => true,
        Node::Neg(a) => chooses(a),
        Node::Add(all) | Node::Mul(all) => all.iter().any(chooses),
        Node::Sub(a, b) | Node::ExactDiv(a, b) => chooses(a) || chooses(b),
        _ => false,
    }
}
