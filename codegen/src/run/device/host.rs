//! Arrays of scalars on the host, as they are copied to and from a device.

use crate::number::Number;
use crate::value::ArrayValue;
use lift_analysis::each_scalar;
use lift_analysis::halves::f16;
use lift_analysis::hir::Scalar;
use std::ops::Range;

/// A value as it is stored in a buffer.
pub trait InMemory {
    type Stored: Copy + Default;
    fn stored(self) -> Self::Stored;
    fn loaded(stored: Self::Stored) -> Self;
}

macro_rules! as_they_are {
    ($($rust:ty)*) => {$(
        impl InMemory for $rust {
            type Stored = $rust;
            fn stored(self) -> $rust {
                self
            }
            fn loaded(stored: $rust) -> $rust {
                stored
            }
        }
    )*};
}
as_they_are!(i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64);

impl InMemory for bool {
    type Stored = u8;
    fn stored(self) -> u8 {
        u8::from(self)
    }
    fn loaded(stored: u8) -> bool {
        stored != 0
    }
}

macro_rules! host_data {
    (($d:tt) $($kind:ident: $rust:ty),*) => {
        /// Elements of a buffer. `Bool` is stored as bytes, 0 for false.
        #[derive(Debug, Clone, PartialEq)]
        pub enum HostData {
            $($kind(Vec<<$rust as InMemory>::Stored>),)*
        }

        /// Matches on the variant and binds its vector to a name.
        macro_rules! each {
            ($d data:expr, $d v:ident => $d body:expr) => {
                match $d data {
                    $(HostData::$kind($d v) => $d body,)*
                }
            };
        }

        impl HostData {
            pub fn new(element: Scalar) -> HostData {
                match element {
                    $(Scalar::$kind => HostData::$kind(Vec::new()),)*
                }
            }

            pub fn element(&self) -> Scalar {
                match self {
                    $(HostData::$kind(_) => Scalar::$kind,)*
                }
            }

            /// Appends a number; returns whether it has the type of the elements.
            pub fn push(&mut self, number: Number) -> bool {
                match (self, number) {
                    $((HostData::$kind(to), Number::$kind(x)) => to.push(x.stored()),)*
                    _ => return false,
                }
                true
            }

            /// Appends scalars; returns whether they have the type of the elements.
            pub fn extend(&mut self, array: &ArrayValue) -> bool {
                match (self, array) {
                    $((HostData::$kind(to), ArrayValue::$kind(from)) => to.extend(from.iter().map(|x| x.stored())),)*
                    _ => return false,
                }
                true
            }

            /// The elements of a range; `None` if it is not in the array.
            pub fn values(&self, range: Range<usize>) -> Option<ArrayValue> {
                Some(match self {
                    $(HostData::$kind(v) => {
                        ArrayValue::$kind(v.get(range)?.iter().map(|x| <$rust>::loaded(*x)).collect())
                    })*
                })
            }
        }
    };
}
each_scalar!(host_data!($));

impl HostData {
    pub fn len(&self) -> usize {
        each!(self, v => v.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Truncates to `len` elements, or pads with zeros.
    pub fn resize(&mut self, len: usize) {
        each!(self, v => v.resize(len, Default::default()))
    }

    /// Moves the elements of the range `from` to index `to`, which is not after the range's start.
    pub(super) fn move_down(&mut self, from: std::ops::Range<usize>, to: usize) {
        each!(self, v => v.copy_within(from, to))
    }

    pub(super) fn as_ptr(&self) -> *const std::ffi::c_void {
        each!(self, v => v.as_ptr().cast())
    }

    /// The address of element `index`, which is at most the length.
    pub(super) fn as_mut_ptr(&mut self, index: usize) -> *mut std::ffi::c_void {
        each!(self, v => v[index..].as_mut_ptr().cast())
    }
}

/// Size of a scalar in a buffer, in bytes.
pub fn bytes_of(element: Scalar) -> usize {
    element.bytes() as usize
}
