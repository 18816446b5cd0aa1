//! The layout of a `reduceByKey`'s tables in local memory, and the distribution of elements.

use super::super::stream::tile::bytes;
use super::super::value::{Array, Closure, Value};
use crate::schedule::by_key::{Atomic, table_bytes};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Elements that a work-item processes at the same time.
pub const IN_FLIGHT: i64 = 8;

/// The operands of a `reduceByKey`.
pub struct ByKey<'k> {
    pub f: Closure<'k>,
    pub z: Value<'k>,
    pub keys: Array<'k>,
    pub xs: Array<'k>,
    /// The type of a value: a scalar, or a tuple of scalars.
    pub ty: Ty,
    /// OpenCL's atomic function for the operator, if there is one; then values are scalars.
    pub atomic: Option<Atomic>,
    /// The one for the bits of floats in their order, which a table in global memory has.
    pub ordered: Option<Atomic>,
    pub buckets: Size,
    /// The columns, if the elements are rows.
    pub columns: Option<Size>,
}

impl ByKey<'_> {
    /// The bytes of a value.
    pub fn bytes(&self) -> u64 {
        bytes(&self.ty).unwrap_or(1).max(1)
    }
    pub fn width(&self) -> Size {
        self.columns.clone().unwrap_or_else(Size::one)
    }
    pub fn cells(&self) -> Size {
        self.buckets.mul(&self.width())
    }
}

/// The layout of a group's table in local memory. The host knows all of these sizes.
pub struct Table {
    /// Work-items of a group.
    pub group: u32,
    /// Elements that fit the memory.
    pub room: i64,
    /// Buckets and columns in memory at a time.
    pub buckets: Size,
    pub columns: Size,
    /// Neighbouring work-items that share the columns of one element.
    pub team: Size,
    pub copies: Size,
    /// The number of such tables that make up the whole: in buckets, in columns.
    pub turns: (Size, Size),
    pub parts: Size,
}

pub fn quotient(a: &Size, b: &Size) -> Size {
    a.div_floor(&Size::max(&Size::one(), b))
}
pub fn at_least_one(a: &Size) -> Size {
    Size::max(&Size::one(), a)
}
pub fn rounded_up(a: &Size, b: &Size) -> Size {
    a.add(b).sub(&Size::one()).div_floor(b)
}

impl Table {
    pub fn of(target: &Target, by: &ByKey, most: &Size) -> Table {
        let group = if target.class == Class::Cpu { 1 } else { target.most_in_group.clamp(1, 256) };
        let bytes = table_bytes(target);
        let room = (bytes / by.bytes()) as i64;
        let (room_size, group_size) = (Size::int(room), Size::nat(group.into()));
        let width = by.width();
        let columns = Size::min(&width, &room_size);
        let team = at_least_one(&Size::min(&columns, &group_size));
        let teams = group_size.div_floor(&team);
        // Without atomic operations, copies are worth more turns: each group has several, or all its work-items share
        // one.
        let copies_wanted = Size::nat(target.get(Parameter::KeyCopies).into());
        let (fit, most_copies) = match by.atomic {
            Some(_) => (quotient(&room_size, &columns), Size::min(&copies_wanted, &teams)),
            None => {
                let lanes = Size::min(&columns.mul(&copies_wanted), &group_size);
                (quotient(&room_size, &Size::max(&columns, &lanes)), teams)
            }
        };
        let buckets = Size::min(&by.buckets, &fit);
        let copies = at_least_one(&Size::min(&quotient(&room_size, &columns.mul(&buckets)), &most_copies));
        let turns = (rounded_up(&by.buckets, &fit), rounded_up(&width, &room_size));
        // All tables together, if there are several, take no more memory than if each were as large as local memory.
        let most_parts = i64::from(target.get(Parameter::KeyParts) * target.compute_units);
        let fit = Size::int(most_parts * room).div_floor(&by.cells().add(&Size::one()));
        let useful = rounded_up(&most.mul(&columns), &Size::nat(target.get(Parameter::KeyPart).into()));
        let parts = at_least_one(&Size::min(&useful, &Size::min(&Size::int(most_parts), &fit)));
        Table { group, room, buckets, columns, team, copies, turns, parts }
    }
    /// The table of a group for a row, of at most this many bytes. `n`: the elements of the row.
    pub fn of_row(group: u32, bytes: i64, by: &ByKey, n: &Size) -> Table {
        let room = bytes / by.bytes() as i64;
        let (room_size, group_size) = (Size::int(room), Size::nat(group.into()));
        // Each copy must be cleared and added up, so all copies together have fewer cells than there are elements.
        // Without atomic operations more copies pay, because each keeps work-items busy.
        let useful = match by.atomic {
            Some(_) => at_least_one(&quotient(n, &by.buckets.add(&by.buckets))),
            None => group_size.clone(),
        };
        let fit = match by.atomic {
            Some(_) => room_size.clone(),
            None => quotient(&room_size, &Size::int(32.min(i64::from(group)))),
        };
        let buckets = Size::min(&by.buckets, &fit);
        let most = Size::min(&useful, &Size::min(&group_size, &quotient(&room_size, &buckets)));
        Table {
            group,
            room,
            columns: Size::one(),
            team: Size::one(),
            copies: at_least_one(&most),
            turns: (rounded_up(&by.buckets, &fit), Size::one()),
            parts: Size::one(),
            buckets,
        }
    }
    pub fn tasks(&self) -> Size {
        self.turns.0.mul(&self.turns.1).mul(&self.parts)
    }
    /// Elements that a group processes at a time; without atomic operations one for each copy.
    pub fn at_once(&self, by: &ByKey) -> Size {
        match by.atomic {
            Some(_) => Size::nat(self.group.into()).div_floor(&self.team),
            None => self.copies.clone(),
        }
    }
    /// Elements of one bucket in all copies.
    pub fn lanes(&self) -> Size {
        self.copies.mul(&self.columns)
    }
}
