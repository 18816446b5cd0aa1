//! A number or truth value of any scalar type.

use lift_analysis::each_scalar;
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
}

macro_rules! conversions {
    (() $($kind:ident: $rust:ident $unsigned:ident),*) => {
        impl From<Literal> for Number {
            fn from(literal: Literal) -> Number {
                match literal {
                    $(Literal::$kind(x) => Number::$kind(x),)*
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
                            Scalar::Float => Number::Float($x as f32),
                            Scalar::Double => Number::Double($x as f64),
                            Scalar::Bool => return None,
                        }
                    };
                }
                Some(match self {
                    $(Number::$kind(x) => from!(x),)*
                    Number::Float(x) => from!(x),
                    Number::Double(x) => from!(x),
                    Number::Bool(_) => return None,
                })
            }
        }
    };
}
each_integer!(conversions!());
