//! Counts the work of loops.

use super::What;
use super::amount::Work;
use super::branches::Branches;
use super::count::{Counter, Loop};
use super::domain::{Domain, rounded_up};
use super::values::eval;
use crate::opencl::{BinaryOp, Expr, Helper, Step, Stmt, StmtKind};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;

/// Maximum iterations that are evaluated one by one.
const MOST_COMPUTED: usize = 64;

impl Counter<'_> {
    pub fn rounds(&mut self, l: &Loop, body: &[Stmt], domain: &mut Domain) -> Work {
        let from = eval(l.from, &self.names, &self.grid, domain);
        let end = l.end.and_then(|end| eval(end, &self.names, &self.grid, domain));
        let step = match l.step {
            Step::Increment => Some(Size::one()),
            Step::Add(by) => eval(by, &self.names, &self.grid, domain),
            Step::Double => None,
        };
        self.forget(body);
        let below = l.below.map(|below| self.given(below));
        let below = below.as_ref();
        if let (Some(end), Some(below)) = (&end, below)
            && let Some(unknown) = self.unknown.iter_mut().find(|u| end.as_var() == Some(&u.var))
        {
            unknown.at_most.get_or_insert_with(|| below.clone());
        }
        if matches!(l.step, Step::Double) {
            return self.doubling(l, from, end, body, domain);
        }
        // As many iterations, over all work-items of the group, as a flag was set.
        if let Some(Expr::Var(name)) = l.end
            && let Some(total) = self.ranks.get(name).and_then(|flag| self.set.get(flag)).cloned()
        {
            let part = domain.limited(total);
            self.names.remove(l.var);
            return self.block(body, part);
        }
        let exact = domain.exact && !breaks(body);
        let most = from.as_ref().zip(end.as_ref()).and_then(|(from, end)| self.longest(from, end, domain));
        let range = || l.end.and_then(|end| self.longest_range(l.from, end, &mut domain.clone()));
        let most = most.or_else(range);
        let (mut inside, value) = match (from, end, step) {
            (Some(from), Some(end), Some(step)) => {
                let (inside, value) = domain.iterate(&from, &end, &step, most.as_ref());
                (inside, Some(value))
            }
            (Some(from), None, Some(step)) if below.is_some() => {
                let end = below.cloned().unwrap_or_else(Size::zero);
                let (mut inside, value) = domain.iterate(&from, &end, &step, most.as_ref());
                inside.exact = false;
                (inside, Some(value))
            }
            (from, end, step) => {
                let span = l.end.and_then(|end| self.longest_range(l.from, end, domain));
                if let (Some(most), Some(step)) = (span, step.filter(|step| domain.is_at_most(&Size::one(), step))) {
                    let mut inside = domain.clone();
                    let n = inside.push(&rounded_up(&most, &step));
                    inside.exact = false;
                    let value = from.map(|from| from.add(&n.mul(&step)));
                    match value {
                        Some(value) => self.names.insert(l.var.clone(), value),
                        None => self.names.remove(l.var),
                    };
                    let work = self.block(body, inside);
                    self.forget(body);
                    return work;
                }
                let most = end.as_ref().or(below).cloned();
                let rounds = self.unknown("rounds", What::Rounds, most, l.origin);
                let mut inside = domain.clone();
                inside.push(&Size::var(rounds));
                inside.exact = false;
                (inside, None)
            }
        };
        inside.exact &= exact;
        match value {
            Some(value) => self.names.insert(l.var.clone(), value),
            None => self.names.remove(l.var),
        };
        let work = self.block(body, inside);
        self.forget(body);
        work
    }

    /// An upper bound of `end - from`, if the end was computed from the start or from an earlier number.
    fn longest(&self, from: &Size, end: &Size, domain: &Domain) -> Option<Size> {
        let spans = self.grid.spans.borrow();
        let found = spans.iter().find(|[to, start, _]| to == end && domain.is_at_most(start, from));
        found.map(|[.., most]| most.clone())
    }

    /// A loop with `i *= 2` in each iteration.
    fn doubling(&mut self, l: &Loop, from: Option<Size>, end: Option<Size>, body: &[Stmt], domain: &Domain) -> Work {
        let constants = from.as_ref().and_then(Size::as_const).zip(end.as_ref().and_then(Size::as_const));
        if let Some((from, end)) = constants
            && from > 0
        {
            let mut work = Work::none();
            let values = std::iter::successors(Some(from), |n| n.checked_mul(2)).take_while(|n| *n < end);
            for value in values {
                self.names.insert(l.var.clone(), Size::int(value));
                work.add(&self.block(body, domain.clone()));
                self.forget(body);
            }
            return work;
        }
        let what = match (&from, &end) {
            (Some(from), Some(end)) if from.is_one() => What::Doublings(end.clone()),
            _ => What::Rounds,
        };
        let name = match &what {
            What::Doublings(of) => format!("log2({of})"),
            _ => "rounds".into(),
        };
        let exact = matches!(what, What::Doublings(_)) && !breaks(body);
        let found = self.unknown.iter().find(|u| u.what == what && exact).map(|u| u.var.clone());
        let rounds = found.unwrap_or_else(|| self.unknown(&name, what, None, l.origin));
        let mut inside = domain.clone();
        inside.push(&Size::var(rounds));
        inside.exact &= exact;
        self.names.remove(l.var);
        self.block(body, inside)
    }

    pub fn whiles(&mut self, condition: &Expr, body: &[Stmt], origin: Option<&Origin>, domain: &mut Domain) -> Work {
        if let Some(work) = self.tiles(condition, body, domain) {
            return work;
        }
        if let Some(work) = self.counted(condition, body, origin, domain) {
            return work;
        }
        if let Some(work) = self.computed(condition, body, domain) {
            return work;
        }
        let halvings = self.halvings(condition, body, domain);
        self.forget(body);
        let rounds = match halvings {
            Some(rounds) => rounds,
            None => Size::var(self.unknown("rounds", What::Rounds, None, origin)),
        };
        let mut inside = domain.clone();
        inside.push(&rounds.add(&Size::one()));
        inside.exact = false;
        let mut work = self.expr(condition, &mut inside.clone());
        work.add(&self.block(body, inside));
        self.forget(body);
        work
    }

    /// Evaluates `while (team < 256 && team * 16 < M) { team = team * 2; }`, if all operands are numbers.
    fn computed(&mut self, condition: &Expr, body: &[Stmt], domain: &Domain) -> Option<Work> {
        let plain = |s: &Stmt| matches!(&s.kind, StmtKind::Assign(Expr::Var(_), _));
        let is_number = |e: &Expr| eval(e, &self.names, &self.grid, &mut domain.clone())?.as_const();
        let numbers = matches!(condition, Expr::Binary(BinaryOp::Lt, a, b) if is_number(a).and(is_number(b)).is_some());
        if !body.iter().all(plain) && (!numbers || breaks(body)) {
            return None;
        }
        let before = self.names.clone();
        let mut work = Work::none();
        for _ in 0..MOST_COMPUTED {
            work.add(&self.expr(condition, &mut domain.clone()));
            match self.branches(condition, &mut domain.clone()) {
                Branches::Known(Some(_), None) => work.add(&self.block(body, domain.clone())),
                Branches::Known(None, Some(_)) => return Some(work),
                _ => break,
            }
        }
        self.names = before;
        None
    }

    /// `while (tile < tiles) { …; tile = lift_next_tile(…); }`: each tile belongs to one group.
    fn tiles(&mut self, condition: &Expr, body: &[Stmt], domain: &mut Domain) -> Option<Work> {
        let Expr::Binary(BinaryOp::Lt, tile, tiles) = condition else { return None };
        let Expr::Var(name) = &**tile else { return None };
        let is_next = |s: &Stmt| {
            matches!(&s.kind, StmtKind::Assign(to, Expr::Call(f, _))
                if *to == **tile && **f == *Helper::NextTile.name())
        };
        let (last, rest) = body.split_last().filter(|(last, _)| is_next(last))?;
        let tiles = eval(tiles, &self.names, &self.grid, domain)?;
        let group = self.grid.group[0].clone();
        let (mut inside, number) = domain.iterate(&group, &tiles, &self.grid.groups[0], None);
        inside.exact = domain.exact;
        self.forget(body);
        self.names.insert(name.clone(), number);
        // With one group per tile, no group takes a second one.
        let stop = rest.iter().position(|s| matches!(&s.kind, StmtKind::If { then, .. } if breaks(then)));
        let work = self.block(&rest[..stop.unwrap_or(rest.len())], inside);
        self.forget(std::slice::from_ref(last));
        Some(work)
    }

    /// `while (i + c < end) { …; i = i + step; }`, or `while (end - i >= c)`
    fn counted(
        &mut self,
        condition: &Expr,
        body: &[Stmt],
        origin: Option<&Origin>,
        domain: &mut Domain,
    ) -> Option<Work> {
        let (reached, beyond, end) = match condition {
            Expr::Binary(BinaryOp::Lt, reached, end) => (reached, None, end),
            Expr::Binary(BinaryOp::Ge, left, least) => match &**left {
                Expr::Binary(BinaryOp::Sub, end, reached) => (reached, Some(least), end),
                _ => return None,
            },
            _ => return None,
        };
        let (last, rest) = body.split_last()?;
        let StmtKind::Assign(Expr::Var(name), Expr::Binary(BinaryOp::Add, old, step)) = &last.kind else { return None };
        if **old != Expr::Var(name.clone()) || assigns(rest, name) {
            return None;
        }
        let start = self.names.get(name)?.clone();
        let reached = eval(reached, &self.names, &self.grid, domain)?;
        let least = match beyond {
            Some(least) => eval(least, &self.names, &self.grid, domain)?.sub(&Size::one()),
            None => Size::zero(),
        };
        let beyond = reached.sub(&start).add(&least);
        let end = eval(end, &self.names, &self.grid, domain)?.sub(&beyond);
        let step = eval(step, &self.names, &self.grid, domain)?;
        if !domain.is_at_most(&Size::one(), &step) {
            return None;
        }
        let (mut inside, value) = domain.iterate(&start, &end, &step, None);
        inside.exact &= !breaks(body);
        let _ = origin;
        self.forget(body);
        self.names.insert(name.clone(), value);
        let work = self.block(rest, inside);
        self.forget(body);
        // Where the next loop continues: this loop's iterations for this work-item alone.
        let rounds = Size::max(&Size::zero(), &rounded_up(&end.sub(&start), &step));
        self.names.insert(name.clone(), start.add(&rounds.mul(&step)));
        self.reached.insert(name.clone(), start);
        Some(work)
    }
}

/// Whether these statements may break out of the surrounding loop.
pub fn breaks(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Break | StmtKind::Return => true,
        StmtKind::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        StmtKind::Block(body) => breaks(body),
        _ => false,
    })
}

fn assigns(stmts: &[Stmt], name: &Name) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Assign(Expr::Var(to), _) => to == name,
        StmtKind::If { then, otherwise, .. } => assigns(then, name) || assigns(otherwise, name),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => assigns(body, name),
        _ => false,
    })
}
