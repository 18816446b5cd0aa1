//! Nests of loops over global work-items with little work per element: one range of numbers for all of them.
//!
//! `map (map f)` writes a loop over the work-items of a dimension for each map. With a work-item per element, a GPU spends
//! its time on starting them (8192 rows of 4096 floats on an H200: 165 µs, a copy 65). So the loops are joined: element `t`
//! of the range stands for one index of each loop, and each work-item takes several elements, as in a single loop
//! ([`super::each`]).

use crate::core::Level;
use crate::lower::Result;
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::instructions::FEW_ROUNDS;
use crate::opencl::{BinaryOp, CType, Expr, Step, Stmt, StmtKind, has_loop};
use crate::target::{Class, GRID};
use lift_analysis::hir::Name;
use lift_analysis::size::Size;

/// A loop over the work-items of a dimension, or around such loops.
struct Turn {
    /// The dimensions of loops around those over work-items are above those of the grid.
    dimension: i64,
    var: Name,
    n: Size,
}

/// Loops in each other, with nothing between them but constants.
struct Nest {
    /// Outermost first.
    turns: Vec<Turn>,
    /// The constants, and the statements for each element.
    body: Vec<Stmt>,
}

/// Which loops become one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Those over work-items, and those around them.
    All,
    /// Those around, and the outermost over work-items.
    Around,
}

/// The first dimension above those of a grid.
const AROUND: i64 = GRID as i64;

/// The replacement of a statement.
enum Flat {
    Nest(Nest),
    If {
        condition: Expr,
        then: Vec<Flat>,
        otherwise: Vec<Flat>,
    },
    Block(Vec<Flat>),
    /// Unchanged, because it is the same for all work-items.
    Same(StmtKind),
}

impl FunctionBuilder<'_, '_> {
    /// Joins the loops over global work-items of the whole function, if they use several dimensions and all of them can be
    /// joined. Then the function uses one dimension. Otherwise joins those around them with the outermost, so that the work
    /// of all iterations is shared.
    pub fn join_loops(&mut self) -> Result<()> {
        let used = self.grid().used();
        let nested = used.glb[1..].iter().any(|d| *d) && Dims { glb: [false; 3], ..used } == Dims::default();
        let own = self.own().has_items() || self.own().has_groups();
        if !nested || own || self.grid().alone_in_group() || self.target().class != Class::Gpu || self.depth() != 1 {
            return Ok(());
        }
        let Some(stmts) = self.innermost() else { return Ok(()) };
        let stmts = stmts.clone();
        let all = all_flat(self, &stmts, Which::All);
        let which = if all.is_some() { Which::All } else { Which::Around };
        let Some(flat) = all.or_else(|| all_flat(self, &stmts, which)) else { return Ok(()) };
        if let Some(scope) = self.innermost() {
            scope.clear();
        }
        if which == Which::All {
            self.grid_mut().flatten();
        }
        flat.into_iter().try_for_each(|flat| write_flat(self, flat, which))
    }
}

fn all_flat(f: &FunctionBuilder, stmts: &[Stmt], which: Which) -> Option<Vec<Flat>> {
    stmts.iter().map(|s| flat(f, &s.kind, which)).collect()
}

fn flat(f: &FunctionBuilder, stmt: &StmtKind, which: Which) -> Option<Flat> {
    let all = |stmts: &[Stmt]| all_flat(f, stmts, which);
    Some(match stmt {
        StmtKind::For { .. } => Flat::Nest(nest(f, stmt, which)?),
        StmtKind::If { condition, then, otherwise } if !asks_for_id(condition) => {
            Flat::If { condition: condition.clone(), then: all(then)?, otherwise: all(otherwise)? }
        }
        StmtKind::Block(body) => Flat::Block(all(body)?),
        StmtKind::Declare { init, .. } if !init.as_ref().is_some_and(asks_for_id) => Flat::Same(stmt.clone()),
        StmtKind::Return | StmtKind::Stop | StmtKind::Comment(_) => Flat::Same(stmt.clone()),
        _ => return None,
    })
}

fn nest(f: &FunctionBuilder, stmt: &StmtKind, which: Which) -> Option<Nest> {
    let (mut turns, mut before) = (Vec::new(), Vec::new());
    let mut next = stmt;
    loop {
        let (turn, body) = turn_of(f, next)?;
        // The lengths of inner loops are the same in all iterations of the outer ones.
        let bound =
            |name: &Name| turns.iter().any(|t: &Turn| t.var == *name) || before.iter().any(|s| declares(s, name));
        let varies = |e: &Expr| e.any(&mut |e| matches!(e, Expr::Var(name) if bound(name)));
        if turn.n.any_var(&mut |v| f.known().expr_of(v).is_some_and(varies)) {
            return None;
        }
        let of_grid = turn.dimension != AROUND;
        turns.push(turn);
        if which == Which::Around && of_grid {
            before.extend_from_slice(body);
            break;
        }
        let (last, constants) = body.split_last()?;
        let inner = matches!(&last.kind, StmtKind::For { .. }) && turn_of(f, &last.kind).is_some();
        if !inner {
            before.extend_from_slice(body);
            break;
        }
        if !constants.iter().all(is_cheap_constant) {
            return None;
        }
        before.extend_from_slice(constants);
        next = &last.kind;
    }
    let around = turns.iter().filter(|t| t.dimension == AROUND).count() as i64;
    for (turn, nth) in turns.iter_mut().filter(|t| t.dimension == AROUND).zip(1..) {
        turn.dimension = AROUND + around - nth;
    }
    if which == Which::Around {
        let whole = around > 0 && turns.last().is_some_and(|turn| turn.dimension != AROUND);
        return whole.then_some(Nest { turns, body: before });
    }
    let different = turns.iter().enumerate().all(|(i, t)| turns[..i].iter().all(|u| u.dimension != t.dimension));
    let inner = turns.iter().find(|t| t.dimension == 0)?;
    // For accesses that are far apart, groups of several rows and columns are better than a long row.
    if before.iter().any(|s| has_apart(&s.kind, &inner.var)) {
        return None;
    }
    let plain = !has_long_loop(&before) && !before.iter().any(|s| waits_or_asks(&s.kind));
    (different && plain).then_some(Nest { turns, body: before })
}

fn declares(stmt: &Stmt, name: &Name) -> bool {
    matches!(&stmt.kind, StmtKind::Declare { name: declared, .. } if declared == name)
}

/// A loop over global work-items, or one around such loops, of a length that was written for it.
fn turn_of<'s>(f: &FunctionBuilder, stmt: &'s StmtKind) -> Option<(Turn, &'s [Stmt])> {
    let StmtKind::For { var, from, step, body, .. } = stmt else { return None };
    let dimension = match (from, step) {
        (Expr::Call(id, of), Step::Add(_)) => of.first()?.as_int().filter(|_| &**id == "get_global_id")?,
        (from, Step::Increment) if from.as_int() == Some(0) => AROUND,
        _ => return None,
    };
    let n = f.grid().length_of_loop(var)?.clone();
    Some((Turn { dimension, var: var.clone(), n }, body))
}

fn write_flat<'k>(f: &mut FunctionBuilder<'_, 'k>, flat: Flat, which: Which) -> Result<()> {
    let all = |f: &mut FunctionBuilder<'_, 'k>, parts: Vec<Flat>| {
        f.scope(|f| parts.into_iter().try_for_each(|part| write_flat(f, part, which))).map(|(stmts, ())| stmts)
    };
    match flat {
        Flat::Same(stmt) => f.emit(stmt),
        Flat::Block(parts) => {
            let stmts = all(f, parts)?;
            f.emit(StmtKind::Block(stmts));
        }
        Flat::If { condition, then, otherwise } => {
            let (then, otherwise) = (all(f, then)?, all(f, otherwise)?);
            f.emit_if(condition, then, otherwise);
        }
        Flat::Nest(nest) => write_nest(f, nest, which)?,
    }
    Ok(())
}

fn write_nest(f: &mut FunctionBuilder, Nest { mut turns, body }: Nest, which: Which) -> Result<()> {
    let total = turns.iter().fold(Size::one(), |all, turn| all.mul(&turn.n));
    let useful = f.upper(&total);
    let bound = f.length(&total)?;
    let t = f.fresh_name("t");
    // Neighbours in dimension 0 are neighbours in the range.
    turns.sort_by_key(|turn| turn.dimension);
    let (mut rest, mut indices) = (Expr::Var(t.clone()), Vec::new());
    let constant = |name: &Name, value: Expr| StmtKind::Declare {
        ty: CType::Int,
        constant: true,
        name: name.clone(),
        init: Some(value),
    };
    let count = turns.len();
    for (i, turn) in turns.iter().enumerate() {
        if i + 1 == count {
            indices.push(constant(&turn.var, rest.clone()).at(&f.origin()));
            break;
        }
        let n = f.length(&turn.n)?;
        // Unsigned, because that division is shorter; it is never negative.
        let of = |e: Expr| e.cast(CType::UInt);
        let quotient = Expr::binary(BinaryOp::Div, of(rest.clone()), of(n.clone())).cast(CType::Int);
        let name = if i + 2 == count { turns[i + 1].var.clone() } else { f.fresh_name("rest") };
        indices.push(constant(&name, quotient).at(&f.origin()));
        let next = Expr::Var(name);
        indices.push(constant(&turn.var, rest.sub(n.mul(next.clone()))).at(&f.origin()));
        rest = next;
        if i + 2 == count {
            break;
        }
    }
    indices.extend(body);
    if which == Which::All {
        let each = f.target().per_item;
        return f.tiles(&t, bound, useful, each, indices);
    }
    let d = turns.iter().map(|turn| turn.dimension).min().unwrap_or(0);
    if let (Some(useful), Ok(at)) = (&useful, u8::try_from(d)) {
        f.grid_mut().ask_for(Level::Glb(at), usize::from(at), useful);
    }
    let of = |what: &str| Expr::call(what, [Expr::int(d)]);
    f.emit(StmtKind::For {
        ty: CType::Int,
        var: t.clone(),
        from: of("get_global_id"),
        condition: Expr::binary(BinaryOp::Lt, Expr::Var(t), bound),
        step: Step::Add(of("get_global_size")),
        below: None,
        body: indices,
    });
    Ok(())
}

/// Maximum distance, in elements, of reads by neighbouring work-items that still count as adjacent.
const TOGETHER: i64 = 4;

/// Whether a statement accesses memory far apart for neighbouring values of a variable.
fn has_apart(stmt: &StmtKind, var: &Name) -> bool {
    let of = |e: &Expr| e.any(&mut |e| matches!(e, Expr::Index(_, at) if is_apart(at, var)));
    let all = |stmts: &[Stmt]| stmts.iter().any(|s| has_apart(&s.kind, var));
    match stmt {
        StmtKind::Declare { init, .. } => init.as_ref().is_some_and(of),
        StmtKind::Assign(to, value) => of(to) || of(value),
        StmtKind::Expr(e) => of(e),
        StmtKind::If { condition, then, otherwise } => of(condition) || all(then) || all(otherwise),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => all(body),
        _ => false,
    }
}

/// Whether an index contains a product of a variable and something that may be large.
fn is_apart(at: &Expr, var: &Name) -> bool {
    let mentions = |e: &Expr| e.any(&mut |e| matches!(e, Expr::Var(name) if name == var));
    at.any(&mut |e| match e {
        Expr::Binary(BinaryOp::Mul, a, b) => {
            [(a, b), (b, a)].iter().any(|(of, by)| mentions(of) && by.as_int().is_none_or(|n| n.abs() > TOGETHER))
        }
        _ => false,
    })
}

/// Whether these statements contain a loop that is not unrolled: one with more than a few iterations, or inside
/// another.
pub fn has_long_loop(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::For { from, condition: Expr::Binary(BinaryOp::Lt, _, to), step: Step::Increment, body, .. } => {
            let rounds = from.as_int().zip(to.as_int()).map(|(from, to)| to - from);
            rounds.is_none_or(|n| n > FEW_ROUNDS) || has_loop(body)
        }
        StmtKind::For { .. } | StmtKind::While { .. } => true,
        StmtKind::If { then, otherwise, .. } => has_long_loop(then) || has_long_loop(otherwise),
        StmtKind::Block(body) => has_long_loop(body),
        _ => false,
    })
}

/// Whether a statement declares a constant that may be computed again for each element.
fn is_cheap_constant(stmt: &Stmt) -> bool {
    let cheap = |e: &Expr| {
        let literal = |e: &Expr| matches!(e, Expr::Int { .. } | Expr::Float(_));
        !e.any(&mut |e| match e {
            Expr::Call(..) => true,
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => !literal(by),
            _ => false,
        })
    };
    match &stmt.kind {
        StmtKind::Declare { constant: true, init: Some(init), .. } => cheap(init),
        StmtKind::Comment(_) => true,
        _ => false,
    }
}

/// Whether an expression depends on which work-item computes it.
fn asks_for_id(e: &Expr) -> bool {
    e.any(&mut |e| matches!(e, Expr::Call(name, _) if name.starts_with("get_")))
}

fn waits_or_asks(stmt: &StmtKind) -> bool {
    match stmt {
        StmtKind::Declare { init, .. } => init.as_ref().is_some_and(asks_for_id),
        StmtKind::Assign(to, value) => asks_for_id(to) || asks_for_id(value),
        StmtKind::Expr(e) => asks_for_id(e),
        StmtKind::If { condition, then, otherwise } => {
            asks_for_id(condition) || then.iter().chain(otherwise).any(|s| waits_or_asks(&s.kind))
        }
        StmtKind::Block(body) => body.iter().any(|s| waits_or_asks(&s.kind)),
        StmtKind::DeclareArray { .. } | StmtKind::Return | StmtKind::Stop | StmtKind::Comment(_) => false,
        StmtKind::For { body, .. } => body.iter().any(|s| waits_or_asks(&s.kind)),
        StmtKind::While { .. } | StmtKind::Break | StmtKind::Barrier { .. } => true,
        StmtKind::Unroll | StmtKind::Roll => false,
    }
}
