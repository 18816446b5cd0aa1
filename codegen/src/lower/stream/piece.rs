//! Per-thread chunks: consecutive elements for each of a few work-items, which are CPU threads.

use super::reduce::Reduction;
use super::tile::bytes;
use crate::core::Stmt;
use crate::lower::Result;
use crate::lower::device_filter::rounded_up;
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::value::{Array, Dest, Place, Value};
use crate::lower::vectors::along::Span;
use crate::opencl::{CType, Expr, Step};
use crate::target::Class;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// Minimum elements of a chunk.
pub(super) const LEAST: i64 = 1024;

pub(super) const ITEMS: Dims = Dims { glb: [true, false, false], wrg: [false; 3], lcl: [false; 3] };

/// A chunk: the elements `from <= i < to`.
#[derive(Clone)]
pub(super) struct Piece {
    pub number: Size,
    pub from: Expr,
    pub to: Expr,
    /// The number of elements of the whole array.
    pub of: Size,
    /// Whether it is the last chunk.
    pub last: Expr,
}

impl<'k> Host<'k> {
    /// The number of chunks; `None` if the target does not use them.
    pub(super) fn pieces(&self, len: &Size) -> Option<Size> {
        let target = &self.program.target;
        if target.class != Class::Cpu {
            return None;
        }
        let most = Size::nat((target.compute_units * target.get(Parameter::Pieces)).into());
        let wanted = self
            .program
            .upper(&self.program.facts, len)
            .map(|n| n.add(&Size::int(LEAST - 1)).div_floor(&Size::int(LEAST)))
            .map_or(most.clone(), |wanted| Size::min(&wanted, &most));
        Some(Size::max(&Size::one(), &wanted))
    }

    /// The folds of the chunks, in new memory; `None` if chunks are not used.
    pub fn folds_of_pieces(
        &mut self,
        stmt: &'k Stmt,
        label: &str,
        r: &Reduction<'_, 'k>,
        commutative: bool,
    ) -> Result<Option<Place>> {
        let (Some(pieces), Some(_)) = (self.pieces(&r.xs.len), bytes(r.ty)) else { return Ok(None) };
        let parts = self.partials(stmt, r.ty, &pieces)?;
        let name = format!("{}_chunks", self.program.kernel.name_of(stmt.var));
        let title = Title { name: &name, label, origin: &stmt.origin };
        let to = Dest::Place(parts.clone());
        self.launch(&title, ITEMS, [None; 3], |f| {
            for_pieces(f, &r.xs.len, &pieces, |f, piece| {
                let all = fold_of_piece(f, r, piece, commutative)?;
                let to = f.dest_at(&to, &piece.number)?;
                f.copy(&all, &to)
            })
        })?;
        Ok(Some(parts))
    }

    /// Folds the folds of the chunks.
    pub fn fold_of_folds(
        &mut self,
        stmt: &'k Stmt,
        r: &Reduction<'_, 'k>,
        parts: &Place,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let Value::Array(parts) = self.load(parts)? else { return Ok(()) };
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let title = Title { name: &name, label: "reduce: result", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| {
            let count = f.host_size(&parts.len, "pieces")?;
            let all = fold_first(f, r, &parts, &count)?;
            let to = f.dest_at(dest, &Size::zero())?;
            f.copy(&all, &to)
        })
    }

    /// Scans each chunk, starting with the fold of the preceding ones.
    pub fn scan_pieces(
        &mut self,
        stmt: &'k Stmt,
        r: &Reduction<'_, 'k>,
        parts: &Place,
        dest: &Dest<'k>,
        inclusive: bool,
    ) -> Result<()> {
        let Some(pieces) = self.pieces(&r.xs.len) else { return Ok(()) };
        let Value::Array(parts) = self.load(parts)? else { return Ok(()) };
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let title = Title { name: &name, label: "scan: carry", origin: &stmt.origin };
        self.launch(&title, ITEMS, [None; 3], |f| {
            for_pieces(f, &r.xs.len, &pieces, |f, piece| {
                let acc = fold_first(f, r, &parts, &piece.number)?;
                piece.for_piece(f, |f, i| {
                    let x = f.read(r.xs, i)?;
                    let to = f.dest_at(dest, i)?;
                    if inclusive {
                        r.next(f, &acc, x)?;
                        return f.copy(&acc, &to);
                    }
                    // The element may be stored at the result's location.
                    let x = f.named_scalar(&x, "x")?;
                    f.copy(&acc, &to)?;
                    r.next(f, &acc, x)
                })
            })
        })
    }
}

pub(super) fn for_pieces<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    n: &Size,
    pieces: &Size,
    body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Piece) -> Result<()>,
) -> Result<()> {
    f.grid_mut().one_item_per_group();
    if let Some(most) = f.upper(pieces) {
        f.grid_mut().ask_for_items(most);
    }
    let pieces = f.host_size(pieces, "pieces")?;
    let (n_expr, count) = (f.length(n)?, f.size(&pieces)?);
    let each = f.bind("piece", CType::Int, rounded_up(n_expr.clone(), count));
    let global = |call: &str| Expr::call(call, [Expr::int(0)]);
    let mut active = f.position().active();
    active.glb[0] = true;
    let (first, step) = (global("get_global_id"), global("get_global_size"));
    f.with_active(active, |f| {
        f.for_range("p", first, &pieces, Step::Add(step), |f, number| {
            // In `long`, because the last chunks may begin after the end.
            let from = f.size(number)?.cast(CType::Long).mul(each.clone());
            let from = Expr::call("min", [from, n_expr.clone().cast(CType::Long)]).cast(CType::Int);
            let from = f.bind("from", CType::Int, from);
            let to = from.clone().add(Expr::call("min", [each, n_expr.sub(from.clone())]));
            let to = f.bind("to", CType::Int, to);
            let last = f.size(number)?.eq(f.size(&pieces.sub(&Size::one()))?);
            body(f, &Piece { number: number.clone(), from, to, of: n.clone(), last })
        })
    })
}

impl Piece {
    fn span(&self) -> Span {
        Span { from: self.from.clone(), to: self.to.clone(), of: self.of.clone() }
    }

    pub(super) fn for_piece<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Size) -> Result<()>,
    ) -> Result<()> {
        self.for_piece_while(f, None, body)
    }

    /// A loop over the elements of a chunk while a condition holds.
    pub(super) fn for_piece_while<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        also: Option<Expr>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Size) -> Result<()>,
    ) -> Result<()> {
        self.span().for_each(f, also, body)
    }
}

fn fold_of_piece<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    r: &Reduction<'_, 'k>,
    piece: &Piece,
    commutative: bool,
) -> Result<Value<'k>> {
    if commutative && let Some(all) = r.in_lanes(f, &piece.span())? {
        return Ok(all);
    }
    let acc = r.neutral(f)?;
    r.in_order(f, &piece.span(), &acc)?;
    Ok(acc)
}

/// The fold of the first `count` elements of an array.
fn fold_first<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    r: &Reduction<'_, 'k>,
    xs: &Array<'k>,
    count: &Size,
) -> Result<Value<'k>> {
    let acc = r.neutral(f)?;
    f.for_range("j", Expr::int(0), count, Step::Increment, |f, j| {
        let x = f.read(xs, j)?;
        r.next(f, &acc, x)
    })?;
    Ok(acc)
}
