//! The sizes of tiles, and which of them a product has.

use crate::lower::tile::operand::Side;
use crate::target::Target;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// The size of a tile: `warps` of `warp` work-items with `item` results each, in rows and in columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Multiples of four.
    pub item: [i64; 2],
    pub warp: [i64; 2],
    /// Eight together.
    pub warps: [i64; 2],
    pub depth: i64,
    pub padding: i64,
}

impl Shape {
    /// As many rows as columns.
    pub fn square(item: i64, depth: i64, padding: i64) -> Shape {
        Shape { item: [item; 2], warp: [8, 4], warps: [2, 4], depth, padding }
    }

    /// All warps beside each other, or above each other, for products of few rows, or few columns.
    fn narrow(of_columns: bool, [few, many]: [i64; 2], depth: i64) -> Shape {
        let (item, warps) = if of_columns { ([many, few], [8, 1]) } else { ([few, many], [1, 8]) };
        Shape { item, warp: [8, 4], warps, depth, padding: 4 }
    }

    pub fn rows(self) -> Side {
        self.side(0)
    }

    pub fn columns(self) -> Side {
        self.side(1)
    }

    fn side(self, k: usize) -> Side {
        let lanes = self.warps[k] * self.warp[k] * self.item[k];
        Side { lanes, of_item: self.item[k], spread: 4 * self.warp[k], depth: self.depth, padding: self.padding }
    }

    /// The number of tiles of `n` rows and `m` columns.
    pub fn tiles(self, [n, m]: [&Size; 2]) -> Size {
        self.above(n).mul(&self.beside(m))
    }

    /// The number of tiles above each other.
    pub fn above(self, n: &Size) -> Size {
        tiles_along(n, self.rows().lanes)
    }

    /// The number of tiles beside each other.
    pub fn beside(self, m: &Size) -> Size {
        tiles_along(m, self.columns().lanes)
    }

    /// Bytes of local memory for operands whose elements have this many bytes together.
    pub fn bytes(self, element: [i64; 2]) -> i64 {
        let sides = [self.rows(), self.columns()].map(|side| side.lanes + side.padding);
        2 * self.depth * sides.iter().zip(element).map(|(pitch, bytes)| pitch * bytes).sum::<i64>()
    }
}

fn tiles_along(n: &Size, lanes: i64) -> Size {
    n.add(&Size::int(lanes - 1)).div_floor(&Size::int(lanes))
}

/// The shapes of square tiles, preferred first.
pub(super) fn shapes(target: &Target) -> Vec<Shape> {
    let [most, depth] = [Parameter::MatrixItem, Parameter::MatrixDepth].map(|p| i64::from(target.get(p)));
    let all: &[(i64, i64, i64)] = match depth {
        // The work-items of a group fetch at least a vector of four each, so small tiles are not flat.
        8 => &[(8, 8, 4), (4, 16, 4), (4, 16, 0)],
        // The last two are for elements of 8 bytes or more; without padding, those of doubles fit 32 KiB.
        _ => &[(8, 16, 4), (8, 8, 4), (4, 16, 4), (4, 16, 0)],
    };
    let shapes = all.iter().map(|&(item, depth, padding)| Shape::square(item, depth, padding));
    shapes.filter(|shape| shape.item[0] <= most).collect()
}

/// The shapes of tiles of few rows, and of few columns, each as deep as it may be.
pub(super) fn narrow_shapes(target: &Target, fits: impl Fn(&Shape) -> bool) -> impl Iterator<Item = Shape> {
    let most = i64::from(target.get(Parameter::MatrixItem));
    let depth = i64::from(target.get(Parameter::MatrixDepth));
    let of =
        move |of_columns, item| [depth, 8].map(|depth| Shape::narrow(of_columns, item, depth)).into_iter().find(&fits);
    [of(false, [4, most]), of(true, [8, 4])].into_iter().flatten()
}

/// The narrow tiles that may be better than square ones, each with a size that is 1 where they are and 0 elsewhere: a
/// square tile would be empty for the most part, and there are enough narrow ones for the device.
pub(super) fn narrow_tiles(
    target: &Target,
    shapes: impl Iterator<Item = Shape>,
    [n, m]: [&Size; 2],
    around: &Size,
) -> Vec<(Shape, Size)> {
    let (units, zero, one) = (Size::nat(target.compute_units.into()), Size::zero(), Size::one());
    let (mut found, mut others) = (Vec::new(), one.clone());
    for shape in shapes {
        let of_rows = shape.warps[0] == 1;
        let (few, side) = if of_rows { (n, shape.rows()) } else { (m, shape.columns()) };
        let enough = Size::if_le(&units, &shape.tiles([n, m]).mul(around), &one, &zero);
        let fits = Size::if_le(few, &Size::int(side.lanes), &enough, &zero).mul(&others);
        others = others.sub(&fits);
        found.push((shape, fits));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::tile::operand::{ITEMS, WIDE};

    #[test]
    fn all_work_items_fetch_parts_of_a_tile() {
        for item in [4, 8] {
            for depth in [8, 16] {
                let target = Target::nvidia().with(Parameter::MatrixItem, item).with(Parameter::MatrixDepth, depth);
                let all = shapes(&target);
                assert!(!all.is_empty(), "{item} and {depth}");
                for shape in all {
                    for side in [shape.rows(), shape.columns()] {
                        assert_eq!(side.lanes * shape.depth % (ITEMS * WIDE), 0, "{shape:?}");
                    }
                }
                for shape in narrow_shapes(&target, |_| true) {
                    for side in [shape.rows(), shape.columns()] {
                        assert_eq!(side.lanes * shape.depth % (ITEMS * side.width()), 0, "{shape:?}");
                    }
                }
            }
        }
    }
}
