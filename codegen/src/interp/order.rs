//! Sorts and searches with functions of the program.

use super::Result;
use super::eval::{Interp, nth, number};
use super::repr::{Array, Val};
use crate::core::order::NumberOrder;
use crate::core::{Lambda, PrimCall};
use crate::number::Number;

impl<'k> Interp<'k> {
    /// The indices of `xs` in the order of `before`, stable. A bottom-up merge sort: if `before` is not a strict weak
    /// order, the result still is a permutation.
    pub fn sorted_order(&mut self, before: &'k Lambda, xs: &Array) -> Result<Vec<usize>> {
        let n = xs.len();
        let by_number = NumberOrder::of(before);
        let mut order: Vec<usize> = (0..n).collect();
        let mut merged = Vec::with_capacity(n);
        let mut width = 1;
        while width < n {
            merged.clear();
            for start in (0..n).step_by(2 * width) {
                let (middle, end) = ((start + width).min(n), (start + 2 * width).min(n));
                let (mut left, mut right) = (start, middle);
                while left < middle && right < end {
                    let (x, y) = (nth(xs, order[left])?, nth(xs, order[right])?);
                    let last = by_number.as_ref().map(|by| (is_nan(&y, by), is_nan(&x, by)));
                    let right_first = self.call(before, [y, x])?.bool()? || last == Some((false, true));
                    let next = if right_first { &mut right } else { &mut left };
                    merged.push(order[*next]);
                    *next += 1;
                }
                merged.extend_from_slice(&order[left..middle]);
                merged.extend_from_slice(&order[right..end]);
            }
            std::mem::swap(&mut order, &mut merged);
            width *= 2;
        }
        Ok(order)
    }

    pub fn search(&mut self, call: &'k PrimCall) -> Result<Val> {
        let (f, xs) = (self.fun(call, 0)?, self.array(call, 0)?);
        let (mut low, mut high) = (0, xs.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.call(f, [nth(&xs, middle)?])?.int()? {
                0 => return number(middle as i64),
                i32::MIN..0 => high = middle,
                1.. => low = middle + 1,
            }
        }
        Ok(Val::Int(-1))
    }

    pub fn linear_search(&mut self, call: &'k PrimCall) -> Result<Val> {
        let (f, xs) = (self.fun(call, 0)?, self.array(call, 0)?);
        for i in 0..xs.len() {
            if self.call(f, [nth(&xs, i)?])?.int()? == 0 {
                return number(i as i64);
            }
        }
        Ok(Val::Int(-1))
    }
}

/// Whether the number by which an element is sorted is NaN.
fn is_nan(element: &Val, order: &NumberOrder) -> bool {
    let number = order.path.iter().try_fold(element, |of, at| match of {
        Val::Tuple(parts) => parts.get(*at),
        _ => None,
    });
    number.and_then(Val::number).is_some_and(Number::is_nan)
}
