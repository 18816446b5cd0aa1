//! Splits `map f ∘ slide n s ∘ pad l r` into three parts: the windows that reach the left halo, the interior, and those
//! that reach the right halo (Pizzuti, Steuwer, Dubach, *Position-dependent arrays*, 2019, section 4.4). In the
//! interior, indices need no clamping, so the loop can be vectorised.

use super::Result;
use super::function::FunctionBuilder;
use super::value::{Array, Closure, Dest, Value, View};
use crate::core::Level;
use crate::opencl::Expr;
use crate::schedule::rules;
use crate::target::Class;
use lift_analysis::size::Size;

/// The numbers of elements at the beginning and at the end of an array that may depend on padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Borders {
    first: i64,
    last: i64,
}

impl Borders {
    fn or(self, other: Borders) -> Borders {
        Borders { first: self.first.max(other.first), last: self.last.max(other.last) }
    }
}

/// Maximum depth of views to search for a padded array.
const DEEPEST: u32 = 12;
/// Maximum total width of the borders.
const WIDEST: i64 = 64;

/// The borders of an array over which a loop goes, if it pays to split the loop. On a GPU, neighbouring work-items
/// would wait for those at the border; there each block chooses between two versions.
pub fn borders_of<'k>(f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>) -> Result<Option<Borders>> {
    if f.target().class != Class::Cpu || f.position().in_border() {
        return Ok(None);
    }
    let found = padded(f, xs, DEEPEST)?;
    let some = found.first + found.last;
    let long = xs.len.as_const().is_none_or(|n| n > 4 * some);
    Ok((some > 0 && some <= WIDEST && long).then_some(found))
}

/// Writes `map f xs` to `dest`, in three parts.
pub fn map_apart<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    level: Level,
    f: &Closure<'k>,
    xs: &Array<'k>,
    dest: &Dest<'k>,
    borders: Borders,
) -> Result<()> {
    let origin = b.origin();
    b.program_mut().applied(&rules::SLIDE_PAD_PIECES, &origin);
    let (first, last, n) = (Size::int(borders.first), Size::int(borders.last), xs.len.clone());
    let both = first.add(&last);
    let known = |size: Size| b.facts().simplify(&size);
    let before = known(Size::min(&first, &n));
    let middle = known(Size::max(&Size::zero(), &n.sub(&both)));
    // Differences are clamped at 0, because any subexpression may become an argument of the kernel.
    let behind = known(Size::min(&last, &Size::max(&Size::zero(), &n.sub(&first))));
    let from = known(n.sub(&behind));
    b.at_border(|b| b.for_level(level, &before, |b, i| b.map_at(f, xs, dest, i)))?;
    b.for_level(level, &middle, |b, i| {
        b.known_mut().assume_le(both.add(&Size::one()), n.clone());
        b.known_mut().assume_le(i.add(&both).add(&Size::one()), n.clone());
        b.map_at(f, xs, dest, &i.add(&first))
    })?;
    b.at_border(|b| {
        b.for_level(level, &behind, |b, i| {
            b.known_mut().assume_le(from.add(i).add(&Size::one()), n.clone());
            b.map_at(f, xs, dest, &from.add(i))
        })
    })
}

fn padded<'k>(f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>, deep: u32) -> Result<Borders> {
    if deep == 0 {
        return Ok(Borders::default());
    }
    let deep = deep - 1;
    Ok(match &*xs.view {
        View::Pad { left, of, .. } | View::PadConstant { left, of, .. } => {
            let inner = padded(f, of, deep)?;
            let right = xs.len.sub(&of.len).sub(left);
            match (left.as_const(), right.as_const()) {
                (Some(left), Some(right)) => Borders { first: left + inner.first, last: right + inner.last },
                _ => Borders::default(),
            }
        }
        View::Windows { step, of, .. } => {
            let inner = padded(f, of, deep)?;
            match step.as_const() {
                Some(step @ 1..) => {
                    Borders { first: (inner.first + step - 1) / step, last: (inner.last + step - 1) / step }
                }
                _ => Borders::default(),
            }
        }
        View::Mapped(_, of) | View::Component(of, _) => padded(f, of, deep)?,
        View::Zip(parts) => {
            let mut all = Borders::default();
            for part in parts {
                all = all.or(padded(f, part, deep)?);
            }
            all
        }
        View::Part { step, of, .. } if step.is_one() => padded(f, of, deep)?,
        // Every row has the same columns.
        View::Transposed(of) => {
            let (_, found) = f.scope(|f| {
                let any = f.index_below("any", Expr::int(0), &of.len);
                match f.read(of, &any)? {
                    Value::Array(row) => padded(f, &row, deep),
                    _ => Ok(Borders::default()),
                }
            })?;
            found
        }
        _ => Borders::default(),
    })
}
