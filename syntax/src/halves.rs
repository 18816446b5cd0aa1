//! Numbers of 16 bits, binary16 of IEEE 754: rounding to them, and their shortest decimals.

pub use half::f16;

/// The nearest half; of two, the even one. (The conversion of `half` rounds a double to a float first.)
pub fn nearest(x: f64) -> f16 {
    f16::from_f32(rounded_to_odd(x))
}

/// A float from which the nearest half is that of `x`: exact, or the neighbour of `x` with an odd last bit, which is
/// between two halves where `x` is.
fn rounded_to_odd(x: f64) -> f32 {
    let near = x as f32;
    let back = f64::from(near);
    let bits = near.to_bits();
    if x.is_nan() || back == x || bits & 1 == 1 {
        return near;
    }
    f32::from_bits(if back.abs() > x.abs() { bits - 1 } else { bits + 1 })
}

/// The decimal with the fewest digits from which [`nearest`] gives the number: `0.1`, `65500.0`, `6e-8`, `inf`, `NaN`.
pub fn shortest(x: f16) -> String {
    let exact = f64::from(x);
    if !exact.is_finite() {
        return format!("{exact:?}");
    }
    // Five digits tell any two halves apart.
    let digits = (0..5).map(|digits| format!("{exact:.digits$e}"));
    let shorter = digits.filter_map(|text| text.parse::<f64>().ok()).find(|short| nearest(*short) == x);
    // A float prints large and small numbers as a number of this type would be.
    format!("{:?}", shorter.unwrap_or(exact) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_has_a_shortest_decimal_that_is_read_back() {
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits);
            let read = nearest(shortest(x).parse().expect("a decimal"));
            assert!(read.to_bits() == bits || read.is_nan() && x.is_nan(), "{bits:#x}: {}", shortest(x));
        }
        let shown = [0.1, 65504.0, 1.0, 6e-8, -0.0, f64::NAN].map(|x| shortest(nearest(x)));
        assert_eq!(shown, ["0.1", "65500.0", "1.0", "6e-8", "-0.0", "NaN"]);
    }

    #[test]
    fn a_double_is_rounded_once() {
        for bits in 0..0x7bff {
            let (x, next) = (f64::from(f16::from_bits(bits)), f64::from(f16::from_bits(bits + 1)));
            let middle = (x + next) / 2.0;
            let even = if bits % 2 == 0 { x } else { next };
            assert_eq!(f64::from(nearest(middle)), even);
            assert_eq!(f64::from(nearest(middle.next_down())), x);
            assert_eq!(f64::from(nearest(middle.next_up())), next);
        }
        assert_eq!(nearest(65519.99999999), f16::MAX);
        assert_eq!(nearest(65520.0), f16::INFINITY);
        assert_eq!(nearest(-1e300), f16::NEG_INFINITY);
        assert_eq!(nearest(1e-300), f16::ZERO);
    }
}
