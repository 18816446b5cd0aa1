//! Names of lengths: `X1`, `X2`, … for opened ones, numbers for hidden ones, `i`, `j`, … for index variables.
//!
//! Invariant: a generated name is not one of the program's.

use crate::hir::*;
use crate::size::Var;
use rustc_hash::FxHashSet;

#[derive(Debug, Default)]
pub struct Names {
    taken: FxHashSet<Name>,
    /// The sizes of the program, without index variables.
    sizes: FxHashSet<Name>,
    opened: u32,
    bound: u32,
}

impl Names {
    pub fn new(body: &Body) -> Names {
        let taken =
            body.binders.iter().filter(|b| !matches!(b.role, BinderRole::Param | BinderRole::Let | BinderRole::Unpack));
        let taken: Vec<&Binder> = taken.collect();
        let sizes = taken.iter().filter(|b| b.role != BinderRole::Position).map(|b| b.name.clone()).collect();
        Names { taken: taken.iter().map(|b| b.name.clone()).collect(), sizes, opened: 0, bound: 0 }
    }
    /// The name of the next opened length.
    pub fn opened(&mut self) -> Name {
        loop {
            self.opened += 1;
            let name: Name = format!("X{}", self.opened).into();
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
    /// The next length bound by an existential type.
    pub fn bound(&mut self, name: &str) -> Var {
        self.bound += 1;
        crate::ty::bound(self.bound - 1, name)
    }
    /// The `nth` of `i`, `j`, … that names neither a size nor one of the index variables `around`.
    pub fn position(&self, nth: usize, around: &[Var]) -> Name {
        let taken = |name: &str| self.sizes.contains(name) || around.iter().any(|p| *p.name == *name);
        let letters = ["i", "j", "k", "l", "m", "n", "p", "q"];
        let names = (0u32..).flat_map(|round| {
            letters.iter().map(move |l| if round == 0 { l.to_string() } else { format!("{l}{round}") })
        });
        names.filter(|n| !taken(n)).nth(nth).unwrap_or_else(|| "i".into()).into()
    }
}
