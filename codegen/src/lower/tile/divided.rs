//! Quotients in the addresses of an operand whose rows are no rows of memory, such as the windows of a matrix: its lanes and
//! its iterations are counted through several dimensions. A work-item divides once for each tile: a division takes longer
//! than a load.

use super::local_id;
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::value::{Array, Dest, Place, Value};
use crate::opencl::{CType, Expr, Storage};
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::Ty;

/// The quotients in the address of element `[lane][round]`.
pub struct Divided {
    lane: Var,
    round: Var,
    of_lane: Vec<Size>,
    of_round: Vec<Size>,
    /// The quotients of the lanes that a work-item fetches, those of one lane beside each other.
    kept: Option<Place>,
    /// The quotients of the iterations of two tiles, those of one iteration beside each other. `None` if neighbouring
    /// work-items fetch neighbouring iterations, or there is no room.
    table: Option<Place>,
}

/// How neighbouring elements of rows that are no rows of memory lie, found by trying.
pub struct Tried {
    pub along_rounds: bool,
    divided: Divided,
}

/// Tries what an element of the rows reads; `None` if that is not known.
pub fn tried<'k>(f: &mut FunctionBuilder<'_, 'k>, rows: &Array<'k>) -> Result<Option<Tried>> {
    let (_, found) = f.scope(|f| {
        let [lane, round] = ["lane", "round"].map(|name| f.index_var(name, Expr::var(name)));
        f.known_mut().assume_index(&lane, &rows.len);
        let noted = f.known_mut().quotients_mut().note(Some(Vec::new()));
        let row = f.read(rows, &Size::var(lane.clone()))?;
        let row = f.array(&row)?;
        f.known_mut().assume_index(&round, &row.len);
        f.read(&row, &Size::var(round.clone()))?;
        Ok((lane, round, f.known_mut().quotients_mut().note(noted).unwrap_or_default()))
    })?;
    let (lane, round, asked) = found;
    // Of what mentions both, conditions are short.
    let both = asked.iter().filter(|size| size.contains(&lane) && size.contains(&round));
    let Some(address) = both.max_by_key(|size| size.weight()) else { return Ok(None) };
    let along_rounds = adjacent(address, &round) >= adjacent(address, &lane);
    let of = |own: &Var| -> Vec<Size> {
        let known = |v: &Var| v == own || v.kind == VarKind::Param;
        let mut found: Vec<Size> = Vec::new();
        for quotient in asked.iter().flat_map(Size::quotients) {
            if quotient.contains(own) && !quotient.any_var(&mut |v| !known(v)) && !found.contains(&quotient) {
                found.push(quotient);
            }
        }
        found
    };
    let (of_lane, of_round) = (of(&lane), of(&round));
    let divided = Divided { lane, round, of_lane, of_round, kept: None, table: None };
    Ok(Some(Tried { along_rounds, divided }))
}

/// How often the next element of an index is adjacent, for some sizes that stand for all.
fn adjacent(address: &Size, index: &Var) -> usize {
    const DIMENSION: i64 = 64;
    let at = |moved: i64| {
        let value = |v: &Var| {
            Some(match v.kind {
                _ if v == index => moved,
                VarKind::Param => DIMENSION + i64::from(v.id),
                _ => 0,
            })
        };
        address.eval_int(&value).ok()
    };
    (0..DIMENSION).filter(|k| at(*k).zip(at(k + 1)).is_some_and(|(a, b)| b - a == 1)).count()
}

impl Tried {
    /// Declares registers for the quotients of lanes, of which a work-item fetches `lanes`.
    pub fn declared(self, f: &mut FunctionBuilder<'_, '_>, name: &str, lanes: i64) -> Result<Divided> {
        let mut divided = self.divided;
        let kept = lanes.unsigned_abs() * divided.of_lane.len() as u64;
        let most = f.target().get(Parameter::MatrixQuotients).into();
        if (1..=most).contains(&kept) {
            let layout = f.arrays(&Ty::scalar(Scalar::Int), &format!("{name}_of_lane"), Storage::Private, kept)?;
            divided.kept = Some(Place { layout, at: Size::zero() });
        }
        Ok(divided)
    }
}

impl Divided {
    /// Declares local memory for the quotients of the iterations of tiles of this depth, if there is room after all else
    /// that is declared.
    pub fn declare_table(&mut self, f: &mut FunctionBuilder<'_, '_>, name: &str, depth: i64) -> Result<()> {
        let table = 2 * depth.unsigned_abs() * self.of_round.len() as u64;
        let room = f.target().local_memory.saturating_sub(f.own().local_bytes());
        if (1..=room / Scalar::Int.bytes()).contains(&table) {
            let layout = f.arrays(&Ty::scalar(Scalar::Int), &format!("{name}_of_round"), Storage::Local, table)?;
            self.table = Some(Place { layout, at: Size::zero() });
        }
        Ok(())
    }

    /// Divides the `k`th lane that the work-item fetches.
    pub fn enter_lane(&self, f: &mut FunctionBuilder<'_, '_>, k: &Size, lane: &Size) -> Result<()> {
        let Some(kept) = &self.kept else { return Ok(()) };
        self.note(f, (&self.of_lane, &self.lane), lane, &Place { at: place_of(k, &self.of_lane), ..kept.clone() })
    }

    pub fn keeps_lanes(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether the iterations of a tile must be divided before it is fetched.
    pub fn has_table(&self) -> bool {
        self.table.is_some()
    }

    /// Divides the iterations of a tile from `first` on, for half `half` of the table. All work-items of the group call it.
    pub fn enter_rounds(
        &self,
        f: &mut FunctionBuilder<'_, '_>,
        depth: i64,
        [first, half, end]: [&Size; 3],
    ) -> Result<()> {
        let Some(table) = &self.table else { return Ok(()) };
        let own = local_id().cast(CType::Int);
        let round = f.size(first)?.add(own.clone());
        let there = own.clone().lt(Expr::int(depth)).and(round.clone().lt(f.size(end)?));
        f.when(there, |f| {
            let own = f.number("own", own, &Size::int(depth - 1));
            let round = f.number("round", round, &end.sub(&Size::one()));
            let row = half.mul(&Size::int(depth)).add(&own);
            self.note(
                f,
                (&self.of_round, &self.round),
                &round,
                &Place { at: place_of(&row, &self.of_round), ..table.clone() },
            )
        })
    }

    fn note(
        &self,
        f: &mut FunctionBuilder<'_, '_>,
        (all, of): (&[Size], &Var),
        index: &Size,
        to: &Place,
    ) -> Result<()> {
        for (k, quotient) in all.iter().enumerate() {
            let value = f.size(&quotient.subst_var(of, index))?;
            let value = Value::computed(Scalar::Int, value);
            let at = to.at.add(&Size::nat(k as u64));
            f.copy(&value, &Dest::Place(Place { layout: to.layout.clone(), at }))?;
        }
        Ok(())
    }

    /// Names the quotients of the `k`th lane of the work-item and of iteration `in_tile` of half `half` of the table, which
    /// are `lane` and `round`, until the end of the scope.
    pub fn known(
        &self,
        f: &mut FunctionBuilder<'_, '_>,
        (k, lane): (&Size, &Size),
        (half, in_tile, round): (&Size, &Size, &Size),
        depth: i64,
    ) -> Result<()> {
        if let Some(kept) = &self.kept {
            self.name(f, (&self.of_lane, &self.lane), lane, &Place { at: place_of(k, &self.of_lane), ..kept.clone() })?;
        }
        if let Some(table) = &self.table {
            let row = half.mul(&Size::int(depth)).add(in_tile);
            let from = Place { at: place_of(&row, &self.of_round), ..table.clone() };
            self.name(f, (&self.of_round, &self.round), round, &from)?;
        }
        Ok(())
    }

    fn name(
        &self,
        f: &mut FunctionBuilder<'_, '_>,
        (all, of): (&[Size], &Var),
        index: &Size,
        from: &Place,
    ) -> Result<()> {
        for (k, quotient) in all.iter().enumerate() {
            let value = f.load(&Place { layout: from.layout.clone(), at: from.at.add(&Size::nat(k as u64)) })?;
            let value = f.scalar_of(&value)?;
            let value = f.scalar(&value)?;
            let value = f.bind("quotient", CType::Int, value);
            let quotient = quotient.subst_var(of, index);
            let var = f.index_var("quotient", value);
            f.known_mut().assume_value(&var, &quotient);
            if let Some((dividend, divisor)) = quotient.as_quotient() {
                let multiple = divisor.mul(&Size::var(var.clone()));
                let next = multiple.add(divisor).sub(&Size::one());
                f.known_mut().assume_le(multiple, dividend.clone());
                f.known_mut().assume_le(dividend.clone(), next);
            }
            f.known_mut().quotients_mut().add(quotient, var);
        }
        Ok(())
    }
}

/// Where the quotients of the `k`th index are.
fn place_of(k: &Size, all: &[Size]) -> Size {
    k.mul(&Size::nat(all.len() as u64))
}
