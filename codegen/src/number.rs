//! A number or truth value of any scalar type.

use lift_analysis::each_scalar;
use lift_analysis::halves::{self, f16};
use lift_analysis::hir::{Literal, Scalar};

macro_rules! numbers {
    (() $($kind:ident: $rust:ty),*) => {
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Number {
            $($kind($rust),)*
        }

        impl Number {
            pub fn scalar(self) -> Scalar {
                match self {
                    $(Number::$kind(_) => Scalar::$kind,)*
                }
            }
        }
    };
}
each_scalar!(numbers!());

/// Calls a macro with the integer types: variant, type in Rust, and the unsigned type of the same size.
macro_rules! each_integer {
    ($then:ident!($($more:tt)*)) => {
        $then! {
            ($($more)*)
            Byte: i8 u8, UByte: u8 u8, Short: i16 u16, UShort: u16 u16, Int: i32 u32, UInt: u32 u32, Long: i64 u64,
            ULong: u64 u64
        }
    };
}
pub(crate) use each_integer;

impl Number {
    /// The value of an integer.
    pub fn integer(self) -> Option<i128> {
        Literal::from(self).integer()
    }
    pub fn is_nan(self) -> bool {
        match self {
            Number::Half(x) => x.is_nan(),
            Number::Float(x) => x.is_nan(),
            Number::Double(x) => x.is_nan(),
            _ => false,
        }
    }
}

macro_rules! conversions {
    (() $($kind:ident: $rust:ident $unsigned:ident),*) => {
        impl From<Literal> for Number {
            fn from(literal: Literal) -> Number {
                match literal {
                    $(Literal::$kind(x) => Number::$kind(x),)*
                    Literal::Half(bits) => Number::Half(f16::from_bits(bits)),
                    Literal::Float(bits) => Number::Float(f32::from_bits(bits)),
                    Literal::Double(bits) => Number::Double(f64::from_bits(bits)),
                    Literal::Bool(x) => Number::Bool(x),
                }
            }
        }

        impl From<Number> for Literal {
            fn from(number: Number) -> Literal {
                match number {
                    $(Number::$kind(x) => Literal::$kind(x),)*
                    Number::Half(x) => Literal::Half(x.to_bits()),
                    Number::Float(x) => Literal::Float(x.to_bits()),
                    Number::Double(x) => Literal::Double(x.to_bits()),
                    Number::Bool(x) => Literal::Bool(x),
                }
            }
        }

        impl Number {
            /// The number of another type: integers lose their upper bits; floating-point numbers are truncated and
            /// saturate, and NaN becomes 0.
            pub fn converted(self, to: Scalar) -> Option<Number> {
                macro_rules! from {
                    ($x:expr) => {
                        match to {
                            $(Scalar::$kind => Number::$kind($x as $rust),)*
                            // An integer that a double does not hold is far above the greatest half.
                            Scalar::Half => Number::Half(halves::nearest($x as f64)),
                            Scalar::Float => Number::Float($x as f32),
                            Scalar::Double => Number::Double($x as f64),
                            Scalar::Bool => return None,
                        }
                    };
                }
                Some(match self {
                    $(Number::$kind(x) => from!(x),)*
                    Number::Half(x) => from!(f32::from(x)),
                    Number::Float(x) => from!(x),
                    Number::Double(x) => from!(x),
                    Number::Bool(_) => return None,
                })
            }
        }
    };
}
each_integer!(conversions!());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_is_kept_by_the_wider_types() {
        for bits in 0..=u16::MAX {
            let half = Number::Half(f16::from_bits(bits));
            for wider in [Scalar::Float, Scalar::Double] {
                let back = half.converted(wider).and_then(|number| number.converted(Scalar::Half));
                let same = back
                    .is_some_and(|back| Literal::from(back) == Literal::from(half) || back.is_nan() && half.is_nan());
                assert!(same, "{bits:#x}: {back:?}");
            }
        }
    }
}
