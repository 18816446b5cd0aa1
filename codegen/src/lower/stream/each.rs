//! Loops over global work-items in one dimension with little work per element: each work-item takes several elements.
//!
//! A GPU that starts one work-item per element spends its time on starting them. With four elements each, still
//! accessed contiguously by the group, memory bandwidth is the limit. A CPU needs few work-items, each with consecutive
//! elements that the device's compiler can vectorise. Iterations with much straight-line code (divisions, function
//! calls) are not unrolled, because four copies exceed the instruction cache (Black-Scholes on an H200: 138 µs
//! unrolled, 124 in a loop).

use super::flat::has_long_loop;
use super::words::{WORD, Words, words};
use crate::core::Level;
use crate::lower::Result;
use crate::lower::function::{Accessed, Dims, FunctionBuilder};
use crate::lower::vectors::along::Span;
use crate::opencl::{BinaryOp, CType, Expr, Step, Stmt, StmtKind, has_loop, names};
use crate::schedule::rules;
use crate::target::Class;
use lift_analysis::hir::Name;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// Maximum divisions and calls in an iteration that is unrolled.
const FEW_SPECIAL: usize = 4;
/// [`FEW_SPECIAL`] for the elements of a word: there are four times as many copies, but without them too few bytes are in
/// flight.
const FEW_SPECIAL_IN_WORDS: usize = 3;

/// The number of divisions and library functions that take many instructions.
fn special(stmts: &[Stmt]) -> usize {
    let of = |e: &Expr| {
        let mut n = 0;
        e.any(&mut |e| {
            n += usize::from(match e {
                Expr::Binary(BinaryOp::Div, _, by) => by.as_int().is_none() && !matches!(**by, Expr::UInt(_)),
                Expr::Call(name, _) => names::is_special(name),
                _ => false,
            });
            false
        });
        n
    };
    let in_stmt = |s: &Stmt| match &s.kind {
        StmtKind::Declare { init, .. } => init.as_ref().map_or(0, of),
        StmtKind::Assign(to, value) => of(to) + of(value),
        StmtKind::Expr(e) => of(e),
        StmtKind::If { condition, then, otherwise } => of(condition) + special(then) + special(otherwise),
        StmtKind::Block(body) => special(body),
        _ => 0,
    };
    stmts.iter().map(in_stmt).sum()
}

impl FunctionBuilder<'_, '_> {
    /// A loop over tiles: each work-item of a group takes `each` elements, which are a group's size apart; or as many
    /// words ([`super::words`]).
    pub fn tiles(&mut self, name: &Name, n: Expr, useful: Option<Size>, each: u32, body: Vec<Stmt>) -> Result<()> {
        let words = self.in_words(name, &body);
        let origin = self.origin();
        if words.is_some() {
            self.program_mut().applied(&rules::NARROW_WORDS, &origin);
        }
        let elements = if words.is_some() { each * WORD as u32 } else { each };
        if let Some(useful) = &useful {
            let elements = Size::nat(elements.into());
            let items = useful.add(&elements).sub(&Size::one()).div_floor(&elements);
            self.grid_mut().ask_for(Level::Glb(0), 0, &items);
        }
        let group = self.bind("group_size", CType::Int, Expr::call("get_local_size", [Expr::int(0)]));
        let tile = self.bind("tile", CType::Int, group.clone().mul(Expr::int(elements.into())));
        // Unsigned, because the index one step after the last tile may exceed an `int`.
        let begin = self.fresh_name("begin");
        let left = self.fresh_name("left");
        let at = |offset: Expr| Expr::Var(begin.clone()).cast(CType::Int).add(offset);
        let declare = |name: &Name, value: Expr| StmtKind::Declare {
            ty: CType::Int,
            constant: true,
            name: name.clone(),
            init: Some(value),
        };
        let round = |value: Expr, body: Vec<Stmt>| {
            let mut all = vec![declare(name, value).at(&origin)];
            all.extend(body);
            all
        };
        let local_id = Expr::call("get_local_id", [Expr::int(0)]);
        let k = self.fresh_name("k");
        let offset = Expr::binary(BinaryOp::Mul, Expr::Var(k.clone()), group.clone()).add(local_id.clone());
        let several = match &words {
            Some(words) => {
                let (word, c) = (self.fresh_name("word"), self.fresh_name("c"));
                // A tile begins at a multiple of its words.
                let first = Expr::binary(BinaryOp::Div, Expr::Var(begin.clone()).cast(CType::Int), Expr::int(WORD));
                let stmts = words.written_out(&Expr::Var(word.clone()), &c, body.clone());
                std::iter::once(declare(&word, first.add(offset))).chain(stmts).map(|kind| kind.at(&origin)).collect()
            }
            None => round(at(offset), body.clone()),
        };
        let few = if words.is_some() { FEW_SPECIAL_IN_WORDS } else { FEW_SPECIAL };
        let whole = vec![
            if special(&body) > few || words.is_some() && has_loop(&body) { StmtKind::Roll } else { StmtKind::Unroll }
                .at(&origin),
            StmtKind::For {
                ty: CType::Int,
                var: k.clone(),
                from: Expr::int(0),
                condition: Expr::Var(k.clone()).lt(Expr::int(each.into())),
                step: Step::Increment,
                below: None,
                body: several,
            }
            .at(&origin),
        ];
        let o = self.fresh_name("o");
        let rest = StmtKind::For {
            ty: CType::Int,
            var: o.clone(),
            from: local_id,
            condition: Expr::Var(o.clone()).lt(Expr::Var(left.clone())),
            step: Step::Add(group),
            below: None,
            body: round(at(Expr::Var(o)), body),
        };
        let body = vec![
            declare(&left, n.clone().sub(Expr::Var(begin.clone()).cast(CType::Int))).at(&origin),
            StmtKind::If {
                condition: Expr::Var(left).ge(tile.clone()),
                then: whole,
                otherwise: vec![rest.at(&origin)],
            }
            .at(&origin),
        ];
        let groups = |call: &str| Expr::call(call, [Expr::int(0)]).mul(tile.clone());
        self.emit(StmtKind::For {
            ty: CType::UInt,
            var: begin.clone(),
            from: groups("get_group_id"),
            condition: Expr::Var(begin).lt(n.cast(CType::UInt)),
            step: Step::Add(groups("get_num_groups")),
            below: useful,
            body,
        });
        Ok(())
    }
}

impl FunctionBuilder<'_, '_> {
    fn in_words(&mut self, name: &Name, body: &[Stmt]) -> Option<Words> {
        let memory: Vec<(Name, Accessed)> = self.buffers_so_far();
        let of = |name: &Name| memory.iter().find(|(n, _)| n == name).map(|(_, m)| *m);
        words(body, name, &of, &mut |wish| self.fresh_name(wish))
    }

    /// Whether the loop over global work-items of dimension 0 at this point may be distributed freely, because nothing
    /// else is distributed over the device.
    pub fn can_stream(&self) -> bool {
        let alone = Dims { glb: [true, false, false], ..Dims::default() };
        self.grid().used() == alone && !self.position().in_loop() && self.target().class != Class::Portable
    }

    /// Runs `body` for each `0 <= i < n`.
    pub fn for_stream(&mut self, n: &Size, body: impl FnOnce(&mut Self, &Size) -> Result<()>) -> Result<()> {
        let target = *self.target();
        let useful = self.upper(n);
        let bound = self.length(n)?;
        let name = self.fresh_name("i");
        let var = self.index_var("i", Expr::Var(name.clone()));
        // However the elements are distributed below, work-item k does none before element k.
        let (body, ()) = self.in_loop(|f| {
            f.with_item_rounds(useful.clone(), |f| {
                f.scope(|f| {
                    f.known_mut().assume_index(&var, n);
                    body(f, &Size::var(var.clone()))
                })
            })
        })?;
        if body.is_empty() {
            return Ok(());
        }
        let wish = |f: &mut Self, useful: Option<Size>| {
            if let Some(useful) = useful {
                f.grid_mut().ask_for(Level::Glb(0), 0, &useful);
            }
        };
        match target.class {
            Class::Cpu => {
                self.grid_mut().one_item_per_group();
                let Span { from, to, .. } = span_of_item(self, n, bound)?;
                let condition = Expr::Var(name.clone()).lt(to);
                self.emit(StmtKind::For {
                    ty: CType::Int,
                    var: name,
                    from,
                    condition,
                    step: Step::Increment,
                    below: None,
                    body,
                });
                Ok(())
            }
            Class::Gpu if !has_long_loop(&body) => self.tiles(&name, bound, useful, target.per_item, body),
            // An iteration with much work gets its own work-item.
            _ => {
                wish(self, useful.clone());
                let (from, step) =
                    (Expr::call("get_global_id", [Expr::int(0)]), Expr::call("get_global_size", [Expr::int(0)]));
                let condition = Expr::Var(name.clone()).lt(bound);
                let below = useful;
                self.emit(StmtKind::For {
                    ty: CType::Int,
                    var: name,
                    from,
                    condition,
                    step: Step::Add(step),
                    below,
                    body,
                });
                Ok(())
            }
        }
    }
}

/// The consecutive elements of this work-item. Each core has a few work-items.
pub fn span_of_item(f: &mut FunctionBuilder<'_, '_>, all: &Size, n: Expr) -> Result<Span> {
    let target = *f.target();
    let most = Size::nat((target.compute_units * target.get(Parameter::MapPieces)).into());
    let useful = f.upper(all).map_or(most.clone(), |n| Size::min(&n, &most));
    f.grid_mut().ask_for(Level::Glb(0), 0, &useful);
    let items = Expr::call("get_global_size", [Expr::int(0)]).cast(CType::Int);
    let piece = f.bind("piece", CType::Int, crate::lower::device_filter::rounded_up(n.clone(), items));
    // In `long`, because the last chunks may begin after the end.
    let from = Expr::call("get_global_id", [Expr::int(0)]).cast(CType::Long).mul(piece.clone());
    let from = Expr::call("min", [from, n.clone().cast(CType::Long)]).cast(CType::Int);
    let from = f.bind("from", CType::Int, from);
    let to = from.clone().add(Expr::call("min", [piece, n.sub(from.clone())]));
    let to = f.bind("to", CType::Int, to);
    Ok(Span { from, to, of: all.clone() })
}
