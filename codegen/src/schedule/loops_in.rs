//! Loops at host level whose rounds have little work: one group runs all of them, instead of launches for each.
//!
//! `iterate k f z = head (map (λi. iterate k f z) (iota 1))`, and likewise for `iterateWhile`, `reduceHost` and `scanHost`
//!
//! A launch takes microseconds, in which a group computes thousands of elements. A group runs the loop in the function of
//! a map, so the loop becomes a map over one element. The host chooses it for rounds with few elements.

use super::nested::{Work, array_of, is_loop, rounds_of, work_of};
use super::pass::{Names, over};
use super::versions::{branch, choice, decided, fresh};
use super::{Applied, host_blocks, on_the_host, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Minimum work-items of a group that is worth the loop: fewer have no advantage over the device.
const ITEMS: u32 = 32;

/// The kernel with the version for few elements of each such loop.
pub fn loops_in(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu || target.most_in_group < ITEMS {
        return kernel;
    }
    over(kernel, |kernel, Names { vars, lengths }, body| {
        Writer { kernel, vars, lengths, target, applied }.block(body);
    })
}

struct Writer<'a> {
    kernel: &'a Kernel,
    vars: &'a mut Vec<VarInfo>,
    lengths: &'a mut Lengths,
    target: &'a Target,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let original = stmt.clone();
            host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.block(inner));
            match self.versions(&original, &stmt) {
                Some(stmts) => out.extend(stmts),
                None => out.push(stmt),
            }
        }
        block.stmts = out;
    }

    /// The versions of a loop; `by_host`: the loop whose rounds have versions already.
    fn versions(&mut self, stmt: &Stmt, by_host: &Stmt) -> Option<Vec<Stmt>> {
        let looped = in_group(self.kernel, stmt)?;
        let target = self.target.written(&stmt.settings());
        let round = Round::of(self.kernel, &looped, &target);
        let most = round.launches.mul(&Size::nat(target.get(Parameter::LoopsWork).into()));
        let below = most.add(&Size::one());
        // A loop that the host does not run is the work of one work-item.
        let few = if on_the_host(self.kernel, call_of(stmt)?) { decided(&round.elements, &below) } else { Some(true) };
        if few == Some(false) {
            return None;
        }
        self.applied.push(Applied { rule: &rules::LOOP_IN, origin: stmt.origin.clone() });
        let group = self.by_group(stmt, looped);
        let mut all = match few {
            Some(_) => group,
            None => {
                let host = branch(self.vars, stmt, by_host.rhs.clone());
                choice(self.vars, stmt, &round.elements, &below, group, host)
            }
        };
        all.stmts.last_mut()?.var = stmt.var;
        Some(all.stmts)
    }

    /// `head (map (λi. loop) (iota 1))`; a fold, whose result is an array of one state, is `map (λi. head fold) (iota 1)`.
    fn by_group(&mut self, stmt: &Stmt, looped: PrimCall) -> Block {
        let ty = self.kernel.ty(stmt.var).clone();
        let folds = matches!(looped.prim, Prim::Reduce(_));
        let state = if folds { self.kernel.atom_ty(&looped.args[0]) } else { ty.clone() };
        let view =
            |prim: Prim, sizes: Vec<Size>, args: Vec<Atom>| Rhs::Prim(PrimCall { prim, sizes, funs: Vec::new(), args });
        let mut new = |ty: &Ty| fresh(self.vars, stmt.var, ty.clone());
        let (result, one) = (new(&ty), new(&array_of(&state, &Size::one())));
        let (element, elements) = (new(&Ty::int()), new(&array_of(&Ty::int(), &Size::one())));
        let mut stmts = vec![at(stmt, result, Rhs::Prim(looped))];
        let mut last = result;
        if folds {
            last = new(&state);
            stmts.push(at(stmt, last, view(Prim::Head, Vec::new(), vec![Atom::Var(result)])));
        }
        let body = Block { stmts, result: Atom::Var(last) };
        let f = Lambda { position: None, params: vec![element], body, origin: stmt.origin.clone() };
        let f = Copier::new(self.vars, self.lengths).lambda(&f);
        let args = vec![Atom::Var(elements)];
        let map = PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args };
        let mut stmts =
            vec![at(stmt, elements, view(Prim::Iota, vec![Size::one()], Vec::new())), at(stmt, one, Rhs::Prim(map))];
        if folds {
            return Block { stmts, result: Atom::Var(one) };
        }
        let last = fresh(self.vars, stmt.var, ty);
        stmts.push(at(stmt, last, view(Prim::Head, Vec::new(), vec![Atom::Var(one)])));
        Block { stmts, result: Atom::Var(last) }
    }
}

fn call_of(stmt: &Stmt) -> Option<&PrimCall> {
    match &stmt.rhs {
        Rhs::Prim(call) => Some(call),
        _ => None,
    }
}

/// The loop of a statement at host level as it is in the function of a map, if a group can share its rounds there.
fn in_group(kernel: &Kernel, stmt: &Stmt) -> Option<PrimCall> {
    let call = call_of(stmt)?;
    let prim = match call.prim {
        Prim::Reduce(Level::Host) => Prim::Reduce(Level::Seq),
        Prim::Scan(Level::Host) => Prim::Scan(Level::Seq),
        prim => prim,
    };
    let looped = PrimCall { prim, ..call.clone() };
    let stmt = Stmt { rhs: Rhs::Prim(looped.clone()), ..stmt.clone() };
    rounds_of(kernel, &stmt)?;
    Some(looped)
}

/// The work of the rounds of a loop.
struct Round {
    /// Elements of all operators.
    elements: Size,
    /// Operators that are launches, if the host runs the rounds.
    launches: Size,
}

impl Round {
    fn of(kernel: &Kernel, looped: &PrimCall, target: &Target) -> Round {
        let mut round = Round { elements: Size::zero(), launches: Size::zero() };
        let stmts = looped.funs.iter().flat_map(|f| &f.body.stmts);
        for stmt in stmts.filter(|s| matches!(work_of(kernel, s), Work::Together(_) | Work::Nest)) {
            let own = match &stmt.rhs {
                Rhs::Prim(inner) if is_loop(kernel, inner) => Round::of(kernel, inner, target),
                _ => Round { elements: elements_of(kernel, stmt), launches: Size::one() },
            };
            round.elements = round.elements.add(&own.elements);
            round.launches = round.launches.add(&own.launches);
        }
        if looped.prim == Prim::IterateWhile {
            round.launches = round.launches.add(&Size::nat(target.get(Parameter::LoopsTest).into()));
        }
        // A round without operators copies its state.
        Round { launches: Size::max(&round.launches, &Size::one()), ..round }
    }
}

/// The elements that the operators of a statement go over: in a map, those of its function for each element.
fn elements_of(kernel: &Kernel, stmt: &Stmt) -> Size {
    let Rhs::Prim(call) = &stmt.rhs else { return Size::zero() };
    let long = call.args.iter().filter_map(|a| kernel.atom_ty(a).as_array().map(|a| a.len.clone()));
    let own = match call.prim {
        prim if prim.is_view() => Size::zero(),
        Prim::Head | Prim::Last | Prim::Aref => Size::zero(),
        Prim::Iterate => call.sizes.first().cloned().unwrap_or(Size::one()),
        Prim::IterateWhile => Size::one(),
        _ => long.reduce(|a, b| if a == b { a } else { Size::max(&a, &b) }).unwrap_or(Size::zero()),
    };
    let inside = call.funs.iter().flat_map(|f| &f.body.stmts).map(|s| elements_of(kernel, s));
    let inside = inside.fold(Size::zero(), |a, b| a.add(&b));
    if inside.as_const() == Some(0) { own } else { own.mul(&inside) }
}

fn at(like: &Stmt, var: VarId, rhs: Rhs) -> Stmt {
    Stmt { var, binds: Vec::new(), rhs, origin: like.origin.clone() }
}
