//! Caches queries about sizes in straight-line code that repeats them.
//!
//! Valid as long as no facts about indices are removed: in a scope and in nested ones.
//!
//! [`answers`]: the cache.

pub mod answers;

use super::super::Result;
use super::super::function::FunctionBuilder;
use crate::opencl::CType;
use lift_analysis::size::{Node, Size};

impl<'k> FunctionBuilder<'_, 'k> {
    /// The index clamped to `0 <= i < n`, cached.
    pub fn clamped(&mut self, i: &Size, n: &Size) -> Result<Size> {
        let nearest = || Size::max(&Size::min(i, &n.sub(&Size::one())), &Size::zero());
        let Some(memo) = self.known().memo() else { return Ok(nearest()) };
        let key = (i.clone(), n.clone());
        if let Some(known) = memo.indices.get(&key) {
            return Ok(known.clone());
        }
        let at = nearest();
        let named = match memo.clamped.get(&at) {
            Some(known) => known.clone(),
            None => named_choice(self, &at, n)?,
        };
        if let Some(memo) = self.known_mut().memo_mut() {
            memo.clamped.insert(at, named.clone());
            memo.indices.insert(key, named.clone());
        }
        Ok(named)
    }
}

/// An index below `n`, bound to a name if it contains a minimum, maximum or condition.
fn named_choice(f: &mut FunctionBuilder, at: &Size, n: &Size) -> Result<Size> {
    let simple = f.known_mut().simplify(at);
    if !chooses(&f.program_mut().node(&simple)) {
        return Ok(simple);
    }
    let value = f.size(&simple)?;
    let value = f.bind("clamped", CType::Int, value);
    Ok(f.number("clamped", value, &n.sub(&Size::one())))
}

/// Whether it contains a minimum, maximum or condition.
fn chooses(n: &Node) -> bool {
    match n {
        Node::Min(_) | Node::Max(_) | Node::IfLe { .. } => true,
        Node::Neg(a) => chooses(a),
        Node::Add(all) | Node::Mul(all) => all.iter().any(chooses),
        Node::Sub(a, b) | Node::ExactDiv(a, b) => chooses(a) || chooses(b),
        _ => false,
    }
}
