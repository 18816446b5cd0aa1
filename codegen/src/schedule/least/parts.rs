//! The best elements of long arrays: lanes keep those of parts that lie one after the other, then fewer lanes those of all
//! that were kept, in the same order.

use super::{Emitter, Found, Keep, MOST, Writer};
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt};
use crate::schedule::nested::array_of;
use crate::schedule::unrolled::row_of;
use crate::schedule::versions::{branch, choice, decided, fresh};
use crate::target::Target;
use lift_analysis::hir::Literal;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Maximum lanes of an array: more do not run at the same time.
const MOST_LANES: u64 = 1 << 16;

/// How many lanes fold a row, and how many then fold what the lanes before them have kept.
pub(super) fn of_row(target: &Target) -> [Size; 3] {
    let lanes = u64::from(target.get(Parameter::SortFirst));
    [1, 8, 64].map(|fewer| Size::nat((lanes / fewer).max(1)))
}

/// How many lanes fold an array at the top of a kernel, and then what was kept. With at least `long` elements, each lane reads
/// as many as it keeps, or more.
fn of_array(n: &Size, long: u64, target: &Target) -> [Size; 4] {
    let fewest = (long / MOST as u64).max(1);
    let each = Size::nat(u64::from(target.get(Parameter::SortParts)).max(MOST as u64));
    let wanted = Size::min(&Size::nat(MOST_LANES), &n.div_floor(&each));
    let [fewer, few, last] = [1, 32, 512].map(|by| Size::nat((fewest / by).max(1)));
    [Size::max(&fewer, &wanted), fewer, few, last]
}

impl Writer<'_> {
    /// The statements that make the first elements of an array at host level, which is sorted if it is short.
    pub(super) fn at_the_top(&mut self, found: &Found, block: &Block) -> Option<Vec<Stmt>> {
        let (sort, part) = (&block.stmts[found.sort], &block.stmts[found.part]);
        let long = u64::from(self.target.get(Parameter::SortWhole));
        let lanes = of_array(&found.row, long, self.target);
        let long = Size::nat(long);
        let short = decided(&found.row, &long);
        if short == Some(true) {
            return None;
        }
        let stmts = self.folded(found, block, &lanes)?;
        if short == Some(false) {
            return Some(stmts);
        }
        let ty = self.kernel.ty(part.var).clone();
        let result = fresh(&mut self.kernel.vars, part.var, ty);
        let mut folded = Block { stmts, result: Atom::Var(result) };
        folded.stmts.last_mut()?.var = result;
        let mut sorted = branch(&mut self.kernel.vars, part, part.rhs.clone());
        sorted.stmts.insert(0, sort.clone());
        let mut all = choice(&mut self.kernel.vars, part, &found.row, &long, sorted, folded);
        all.stmts.push(Stmt { rhs: Rhs::Atom(all.result), ..part.clone() });
        Some(all.stmts)
    }

    /// The array of what each lane keeps of its part, and its length. Parts differ by one element at most.
    pub(super) fn by_lanes(
        &mut self,
        keep: &Keep,
        out: &mut Emitter,
        (xs, n): (&Atom, &Size),
        lanes: &Size,
    ) -> Option<(Atom, Size)> {
        let Keep { kept, like, .. } = keep;
        let like = *like;
        let k = Size::nat(keep.found.count as u64);
        let plain = |prim, sizes, funs, args| Rhs::Prim(PrimCall { prim, sizes, funs, args });
        let each = n.div_floor(lanes);
        let longer = n.sub(&lanes.mul(&each));
        let lane = fresh(&mut self.kernel.vars, like, Ty::int());
        let mut inner = Emitter { origin: keep.origin, stmts: Vec::new() };
        let size = |s: &Size| Atom::Size(s.clone());
        let int = |n| Atom::Lit(Literal::Int(n));
        let before = inner.scalar(self.kernel, like, ScalarOp::Mul, vec![Atom::Var(lane), size(&each)]);
        let more = inner.scalar(self.kernel, like, ScalarOp::Min, vec![Atom::Var(lane), size(&longer)]);
        let first = inner.scalar(self.kernel, like, ScalarOp::Add, vec![before, more]);
        let is_longer = inner.scalar(self.kernel, like, ScalarOp::Lt, vec![Atom::Var(lane), size(&longer)]);
        let one = inner.chosen_int(self.kernel, like, &is_longer, [1, 0]);
        let count = inner.scalar(self.kernel, like, ScalarOp::Add, vec![size(&each), one]);
        let rounds = each.add(&Size::one());
        let steps = plain(Prim::Iota, vec![rounds.clone()], vec![], vec![]);
        let steps = inner.emit(self.kernel, like, array_of(&Ty::int(), &rounds), steps);
        // λ(acc,j). if j < count then step acc (aref xs (first + j)) else acc
        let step = self.step(keep);
        let (acc, x) = (step.params[0], step.params[1]);
        let j = fresh(&mut self.kernel.vars, like, Ty::int());
        let mut read = Emitter { origin: keep.origin, stmts: Vec::new() };
        let there = read.scalar(self.kernel, like, ScalarOp::Lt, vec![Atom::Var(j), count]);
        let mut reading = Emitter { origin: keep.origin, stmts: Vec::new() };
        let at = reading.scalar(self.kernel, like, ScalarOp::Add, vec![first, Atom::Var(j)]);
        let last = size(&n.sub(&Size::one()));
        let at = reading.scalar(self.kernel, like, ScalarOp::Min, vec![at, last]);
        let at = reading.scalar(self.kernel, like, ScalarOp::Max, vec![at, int(0)]);
        let element = plain(Prim::Aref, vec![], vec![], vec![xs.clone(), at]);
        reading.stmts.push(Stmt { var: x, binds: Vec::new(), rhs: element, origin: keep.origin.clone() });
        reading.stmts.extend(step.body.stmts);
        let then = Block { stmts: reading.stmts, result: step.body.result };
        let otherwise = Block { stmts: Vec::new(), result: Atom::Var(acc) };
        let next = read.emit(self.kernel, like, keep.state.clone(), Rhs::If(there, then, otherwise));
        let body = Block { stmts: read.stmts, result: next };
        let step = Lambda { position: None, params: vec![acc, j], body, origin: keep.origin.clone() };
        let elements = self.kept_by(keep, &mut inner, step, steps);
        let row = array_of(kept, &k);
        let (made, result) = row_of(&mut self.kernel.vars, self.lengths, keep.origin, elements, &row)?;
        inner.stmts.extend(made);
        let body = Block { stmts: inner.stmts, result };
        let f = Lambda { position: None, params: vec![lane], body, origin: keep.origin.clone() };
        let numbers = plain(Prim::Iota, vec![lanes.clone()], vec![], vec![]);
        let numbers = out.emit(self.kernel, like, array_of(&Ty::int(), lanes), numbers);
        let parts = plain(Prim::Map(Level::Auto), vec![], vec![f], vec![numbers]);
        let parts = out.emit(self.kernel, like, array_of(&row, lanes), parts);
        if let Atom::Var(parts) = &parts {
            self.parts.push(*parts);
        }
        let all = lanes.mul(&k);
        let joined = plain(Prim::Join, vec![], vec![], vec![parts]);
        Some((out.emit(self.kernel, like, array_of(kept, &all), joined), all))
    }
}
