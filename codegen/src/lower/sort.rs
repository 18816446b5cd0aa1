//! `sort` and `argsort` by one work-item: a bottom-up merge sort, stable, between two memories.

use super::Result;
use super::function::FunctionBuilder;
use super::value::{Dest, Env};
use crate::core::PrimCall;

impl<'k> FunctionBuilder<'_, 'k> {
    pub fn sort(&mut self, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>, positions: bool) -> Result<()> {
        let _ = (call, env, dest);
        Err(self.error(if positions { "argsort" } else { "sort" }, "this is not compiled yet"))
    }
}
