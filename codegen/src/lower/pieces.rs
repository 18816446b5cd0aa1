//! Rows of different lengths (segments): where each starts, and which one contains an element.

use super::Result;
use super::function::FunctionBuilder;
use super::launch::{Body, Request, Title};
use super::program::ProgramBuilder;
use super::program::sum_index;
use super::value::{Array, Layout, Pieces, Place, Value, View};
use crate::core::typing::offset;
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind};
use crate::plan::{BufferId, BufferRole};
use crate::schedule::place::FEW_PIECES;
use lift_analysis::hir::Scalar;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Node, Size, Var, VarKind};
use std::rc::Rc;

impl Pieces {
    /// Rows of `each` elements, a size that mentions `position`.
    pub fn new(position: &Var, each: &Size) -> Pieces {
        Pieces { position: position.clone(), each: each.clone(), before: offset(position, each, &sum_index()) }
    }
}

/// The number of segments of an array, if it is so small that a loop over them is unrolled.
pub fn few_pieces(a: &Array<'_>) -> Option<i64> {
    let n = a.len.as_const().filter(|n| (0..=FEW_PIECES).contains(n))?;
    fn cut(a: &Array<'_>) -> bool {
        match &*a.view {
            View::Pieces { .. } => true,
            View::Mapped(_, of) | View::Component(of, _) => cut(of),
            View::Zip(parts) => parts.iter().any(cut),
            _ => false,
        }
    }
    cut(a).then_some(n)
}

/// Row `i` of a packed layout.
pub fn packed_row(f: &mut FunctionBuilder, layout: &Rc<Layout>, base: &Size, i: &Size) -> Result<Place> {
    let Layout::Packed { position, before, element, .. } = &**layout else {
        return Err(f.error("", "rows of different lengths are not where they should be"));
    };
    let at = named_offset(f, &base.add(&before.subst_var(position, i)))?;
    Ok(Place { layout: element.subst(position, i), at })
}

/// The start of a row, bound to a name unless it is a simple expression, so that it is computed once per row.
pub fn named_offset(f: &mut FunctionBuilder, at: &Size) -> Result<Size> {
    let at = f.facts().simplify(at);
    let simple = |n: &Node| matches!(n, Node::Int(_) | Node::Var(_));
    let is_sum = match &*f.program_mut().node(&at) {
        Node::Add(parts) => parts.iter().all(|p| simple(p) || matches!(p, Node::Mul(fs) if fs.iter().all(simple))),
        Node::Mul(factors) => factors.iter().all(simple),
        Node::Sub(a, b) => simple(a) && simple(b),
        n => simple(n),
    };
    if is_sum {
        return Ok(at);
    }
    let known = f.facts().bounds(&at);
    let expr = f.size(&at)?;
    if expr.is_atom() {
        return Ok(at);
    }
    let name = f.bind("start", CType::Int, expr);
    let var = f.index_var("start", name);
    f.known_mut().assume_range(var.clone(), Some(Size::zero()), known.1);
    Ok(Size::var(var))
}

/// Element `k` of the concatenated rows.
pub fn read_in_pieces<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    pieces: &Pieces,
    of: &Array<'k>,
    k: &Size,
) -> Result<Value<'k>> {
    match of.len.as_const() {
        Some(n @ 1..=FEW_PIECES) => read_in_piece(f, pieces, of, k, 0, n - 1),
        _ => {
            let row = piece_of(f, pieces, &of.len, k)?;
            let column = k.sub(&pieces.before(&row));
            f.known_mut().assume_le(Size::zero(), column.clone());
            f.known_mut().assume_le(column.add(&Size::one()), pieces.each(&row));
            let value = f.read(of, &row)?;
            let array = f.array(&value)?;
            f.read(&array, &column)
        }
    }
}

/// Whether each row of an array is at least as long as the previous one.
pub fn rows_grow<'k>(f: &FunctionBuilder<'_, 'k>, rows: &Array<'k>) -> bool {
    let each = match &*rows.view {
        View::Packed { layout, .. } => match &**layout {
            Layout::Packed { position, element, .. } => match &**element {
                Layout::Array { len, .. } | Layout::Packed { len, .. } => (position.clone(), len.clone()),
                _ => return false,
            },
            _ => return false,
        },
        View::Pieces { pieces, .. } => (pieces.position.clone(), pieces.each.clone()),
        View::Zip(parts) => return parts.iter().any(|p| rows_grow(f, p)),
        View::Mapped(_, of) => return rows_grow(f, of),
        _ => return false,
    };
    let (position, each) = each;
    let next = each.subst_var(&position, &Size::var(position.clone()).add(&Size::one()));
    each.contains(&position) && f.facts().le(&each, &next).is_yes()
}

// ---- sums without a closed form

/// A sum of `body` over `0 <= index < count`, where `body` mentions only `index` and size parameters: looked up in
/// a table that is computed once before the run, for every possible count.
pub fn tabled_sum<'k>(f: &mut FunctionBuilder<'_, 'k>, index: &Var, count: &Node, body: &Node) -> Result<Expr> {
    let of = |n: &Node| crate::schedule::bounds::size_of_node(n);
    let unsupported =
        |f: &FunctionBuilder<'_, 'k>| f.error("", "a length that is a sum without a closed form is not compiled here");
    let (Some(count), Some(body)) = (of(count), of(body)) else { return Err(unsupported(f)) };
    let known = |v: &Var| v == index || v.kind == VarKind::Param;
    let Some(most) = crate::schedule::bounds::upper(f.facts(), &count) else { return Err(unsupported(f)) };
    if body.any_var(&mut |v| !known(v)) {
        return Err(unsupported(f));
    }
    let origin = f.origin();
    let table = f.program_mut().prefix_sums(index, &body, &most, &origin)?;
    let at = f.size(&count)?;
    let table = f.use_buffer(table, false);
    Ok(Expr::Var(table).index(at))
}

/// Element `k` of the concatenated rows, which is not in a segment before `piece`.
fn read_in_piece<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    pieces: &Pieces,
    of: &Array<'k>,
    k: &Size,
    piece: i64,
    last: i64,
) -> Result<Value<'k>> {
    let (i, next) = (Size::int(piece), pieces.before(&Size::int(piece + 1)));
    let column = f.facts().simplify(&k.sub(&pieces.before(&i)));
    let in_piece = |f: &mut FunctionBuilder<'_, 'k>| {
        let value = f.read(of, &i)?;
        let array = f.array(&value)?;
        f.read(&array, &column)
    };
    if piece == last || f.facts().lt(k, &next).is_yes() {
        return in_piece(f);
    }
    if f.facts().le(&next, k).is_yes() {
        return read_in_piece(f, pieces, of, k, piece + 1, last);
    }
    let (at, end) = (f.size(k)?, f.size(&next)?);
    f.choose(
        at.lt(end),
        |f| {
            f.known_mut().assume_le(k.clone(), next.sub(&Size::one()));
            in_piece(f)
        },
        |f| {
            f.known_mut().assume_le(next.clone(), k.clone());
            read_in_piece(f, pieces, of, k, piece + 1, last)
        },
    )
}

/// Finds the segment that contains element `k`, by binary search.
fn piece_of(f: &mut FunctionBuilder, pieces: &Pieces, count: &Size, k: &Size) -> Result<Size> {
    let (sought, end) = (f.size(k)?, f.size(count)?);
    let low = Expr::Var(f.variable("piece", CType::Int, Some(Expr::int(0))));
    let high = Expr::Var(f.variable("high", CType::Int, Some(end)));
    let (body, ()) = f.scope(|f| {
        let half = Expr::binary(BinaryOp::Div, high.clone().sub(low.clone()), Expr::int(2));
        let middle = f.bind("middle", CType::Int, low.clone().add(half));
        let var = f.index_var("middle", middle.clone());
        f.known_mut().assume_index(&var, count);
        let start = f.size(&pieces.before(&Size::var(var)))?;
        let (before, ()) = f.scope(|f| {
            f.assign(low.clone(), middle.clone());
            Ok(())
        })?;
        let (behind, ()) = f.scope(|f| {
            f.assign(high.clone(), middle.clone());
            Ok(())
        })?;
        f.emit_if(start.le(sought.clone()), before, behind);
        Ok(())
    })?;
    let more = Expr::int(1).lt(high.sub(low.clone()));
    f.emit(StmtKind::While { condition: more, body });
    let found = f.bind("row", CType::Int, low);
    let var = f.index_var("row", found);
    f.known_mut().assume_index(&var, count);
    Ok(Size::var(var))
}

impl<'k> ProgramBuilder<'k> {
    /// A buffer whose element `n` is the sum of `body` over all indices below `n`, for `n` up to `most`.
    fn prefix_sums(&mut self, index: &Var, body: &Size, most: &Size, origin: &Origin) -> Result<BufferId> {
        let known = self.tables.iter().find(|(b, m, _)| b == body && m == most);
        if let Some((.., table)) = known {
            return Ok(*table);
        }
        let room = most.add(&Size::one());
        let table = self.buffer("offsets", Scalar::Int, room, BufferRole::Temporary);
        self.tables.push((body.clone(), most.clone(), table));
        let outside = std::mem::take(&mut self.steps);
        let title = Title { name: "offsets", label: "where each row begins", origin };
        let sums: Body<'_, 'k> = Box::new(|f| {
            let to = Expr::Var(f.use_buffer(table, true));
            let sum = Expr::Var(f.variable("sum", CType::Int, Some(Expr::int(0))));
            f.for_range("i", Expr::int(0), most, Step::Increment, |f, i| {
                let (at, each) = (f.size(i)?, f.size(&body.subst_var(index, i))?);
                f.assign(to.clone().index(at), sum.clone());
                f.assign(sum.clone(), sum.clone().add(each));
                Ok(())
            })?;
            let last = f.size(most)?;
            f.assign(to.index(last), sum);
            Ok(())
        });
        let result = self.emit_launch(&Request::of_one_item(&title), sums);
        let steps = std::mem::replace(&mut self.steps, outside);
        self.setup.extend(steps);
        result.map(|()| table)
    }
}
