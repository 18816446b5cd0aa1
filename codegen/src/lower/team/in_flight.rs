//! Maps over rows that are neither in registers nor in local memory: each work-item of a team loads several elements
//! before it computes the first result, because with one at a time it would mostly wait for memory.

use super::{is_in_local, item};
use crate::core::{Block, Rhs};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::instructions::in_flight;
use crate::lower::value::{Array, Closure, Dest};
use crate::opencl::{CType, Expr, Step};
use crate::schedule::flat::is_flat;
use crate::schedule::nested::is_known;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// Maximum statements of a function that is written out for each of the elements.
const MOST: usize = 16;

/// How the elements of such a row are distributed.
pub struct Flight {
    /// Work-items of the team.
    items: i64,
    /// Elements that each of them loads at the same time.
    loads: i64,
}

impl Flight {
    /// For `map f xs`, if it pays.
    pub fn of(b: &FunctionBuilder<'_, '_>, f: &Closure<'_>, xs: &Array<'_>) -> Option<Flight> {
        let flight =
            Flight { items: b.grid().items_of_team()?, loads: in_flight(xs, b.parameter(Parameter::ReduceLoads)) };
        let short = xs.len.as_const().is_some_and(|n| n < flight.round());
        let of_numbers = f.lambda.params.iter().all(|x| is_flat(b.kernel().ty(*x)));
        // Rows beside arrays in local memory are short.
        let keeps = b.grid().team().is_some_and(|team| team.keeps);
        let held = keeps || b.grid().is_own_row(&xs.len) || is_in_local(xs);
        // The rounds of a row of its own length are as many as its work-items need, few of them whole.
        let plain = is_known(&xs.len);
        let pays = flight.loads > 1 && plain && !short && !held && of_numbers && is_brief(&f.lambda.body);
        (pays && b.team().is_some()).then_some(flight)
    }

    fn round(&self) -> i64 {
        self.items * self.loads
    }

    /// Writes `map f xs`: whole rounds, then the rest of the row element by element.
    pub fn map<'k>(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        f: &Closure<'k>,
        xs: &Array<'k>,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let (items, round) = (Expr::int(self.items), Size::int(self.round()));
        let whole = xs.len.div_floor(&round).mul(&round);
        b.for_range("base", Expr::int(0), &whole, Step::Add(Expr::int(self.round())), |b, base| {
            let first = b.size(base)?.add(item());
            let first = b.bind("l", CType::Int, first);
            let first = Size::var(b.index_var("l", first));
            b.known_mut().assume_le(Size::zero(), first.clone());
            b.known_mut().assume_le(first.add(&Size::int(self.round() - self.items + 1)), xs.len.clone());
            let at = |k: i64| first.add(&Size::int(self.items * k));
            let mut elements = Vec::new();
            for k in 0..self.loads {
                let x = b.read(xs, &at(k))?;
                elements.push(b.named_scalar(&x, "x")?);
            }
            for (k, x) in (0..self.loads).zip(elements) {
                let to = b.dest_at(dest, &at(k))?;
                b.call_into(&f.at(&at(k)), &[x], &to)?;
            }
            Ok(())
        })?;
        let rest = b.size(&whole)?.add(item());
        b.for_range("l", rest, &xs.len.clone(), Step::Add(items), |b, i| b.map_at(f, xs, dest, i))
    }
}

/// Whether a function computes numbers of numbers, without a loop.
fn is_brief(block: &Block) -> bool {
    let plain = |rhs: &Rhs| matches!(rhs, Rhs::Scalar(..) | Rhs::Atom(_) | Rhs::Proj(..) | Rhs::Tuple(_));
    block.stmts.len() <= MOST && block.stmts.iter().all(|s| plain(&s.rhs))
}
