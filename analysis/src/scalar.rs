//! The scalar types. [`TABLE`] is the one place that lists their names, sizes and kinds; other code asks for these
//! properties, so that a type of a size and kind that exist is a line here.
//!
//! Names of a type elsewhere (NumPy, OpenCL) follow from its kind and size, and are not part of this table.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    Byte,
    UByte,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
    Bool,
}

/// Calls a macro with the variants of [`Scalar`] and the types of their values in Rust, after what else is given.
#[macro_export]
macro_rules! each_scalar {
    ($then:ident!($($more:tt)*)) => {
        $then! {
            ($($more)*)
            Byte: i8, UByte: u8, Short: i16, UShort: u16, Int: i32, UInt: u32, Long: i64, ULong: u64,
            Half: $crate::halves::f16, Float: f32, Double: f64, Bool: bool
        }
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// Two's complement.
    Signed,
    Unsigned,
    /// IEEE 754.
    Floating,
    /// Stored as 0 or 1.
    Truth,
}

/// The properties of a scalar type.
#[derive(Debug)]
struct Row {
    scalar: Scalar,
    /// As types are printed.
    name: &'static str,
    /// As programs write it.
    spelling: &'static str,
    kind: ScalarKind,
    /// Size in memory.
    bytes: u8,
    /// The suffix of a literal; empty for `Int`, `Double` and `Bool`.
    suffix: &'static str,
    /// The primitive that converts to it; empty for `Bool`.
    conversion: &'static str,
    /// For completion.
    about: &'static str,
}

const fn row(
    scalar: Scalar,
    [name, spelling, suffix, conversion]: [&'static str; 4],
    kind: ScalarKind,
    bytes: u8,
    about: &'static str,
) -> Row {
    Row { scalar, name, spelling, kind, bytes, suffix, conversion, about }
}

/// One row per type, in the order of the variants.
static TABLE: [Row; 12] = {
    use ScalarKind::*;
    [
        row(Scalar::Byte, ["Byte", "byte", "b", "toByte"], Signed, 1, "a number of 8 bits: -128 to 127"),
        row(Scalar::UByte, ["UByte", "ubyte", "ub", "toUByte"], Unsigned, 1, "a number of 8 bits: 0 to 255"),
        row(Scalar::Short, ["Short", "short", "s", "toShort"], Signed, 2, "a number of 16 bits"),
        row(Scalar::UShort, ["UShort", "ushort", "us", "toUShort"], Unsigned, 2, "a number of 16 bits from 0 on"),
        row(Scalar::Int, ["Int", "int", "", "toInt"], Signed, 4, "a number of 32 bits"),
        row(Scalar::UInt, ["UInt", "uint", "u", "toUInt"], Unsigned, 4, "a number of 32 bits from 0 on"),
        row(Scalar::Long, ["Long", "long", "L", "toLong"], Signed, 8, "a number of 64 bits"),
        row(Scalar::ULong, ["ULong", "ulong", "uL", "toULong"], Unsigned, 8, "a number of 64 bits from 0 on"),
        row(Scalar::Half, ["Half", "half", "h", "toHalf"], Floating, 2, "a floating-point number of 16 bits"),
        row(Scalar::Float, ["Float", "float", "f", "toFloat"], Floating, 4, "a floating-point number of 32 bits"),
        row(Scalar::Double, ["Double", "double", "", "toDouble"], Floating, 8, "a floating-point number of 64 bits"),
        row(Scalar::Bool, ["Bool", "bool", "", ""], Truth, 1, "true or false"),
    ]
};

impl Scalar {
    pub fn all() -> impl Iterator<Item = Scalar> {
        TABLE.iter().map(|row| row.scalar)
    }
    /// The type that programs write as `word`.
    pub fn spelled(word: &str) -> Option<Scalar> {
        TABLE.iter().find(|row| row.spelling == word).map(|row| row.scalar)
    }
    fn row(self) -> &'static Row {
        // In bounds: the rows are those of the variants, as a test holds.
        &TABLE[self as usize]
    }
    /// The name in printed types: `Int`.
    pub fn name(self) -> &'static str {
        self.row().name
    }
    /// The name in programs: `int`.
    pub fn spelling(self) -> &'static str {
        self.row().spelling
    }
    pub fn about(self) -> &'static str {
        self.row().about
    }
    pub fn kind(self) -> ScalarKind {
        self.row().kind
    }
    /// Size in memory.
    pub fn bytes(self) -> u64 {
        u64::from(self.row().bytes)
    }
    /// The suffix of literals: `L`.
    pub fn suffix(self) -> &'static str {
        self.row().suffix
    }
    /// The primitive that converts numbers to this type; `None` for `Bool`.
    pub fn conversion(self) -> Option<&'static str> {
        Some(self.row().conversion).filter(|name| !name.is_empty())
    }
    pub fn bits(self) -> u32 {
        8 * u32::from(self.row().bytes)
    }
    pub fn is_integer(self) -> bool {
        matches!(self.kind(), ScalarKind::Signed | ScalarKind::Unsigned)
    }
    pub fn is_unsigned(self) -> bool {
        self.kind() == ScalarKind::Unsigned
    }
    /// The least and the greatest number of an integer type.
    pub fn range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
        match self.kind() {
            ScalarKind::Signed => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            ScalarKind::Unsigned => Some((0, (1 << bits) - 1)),
            ScalarKind::Floating | ScalarKind::Truth => None,
        }
    }
    /// A whole number as a literal of this type; `None` if it does not fit.
    pub fn written(self, number: i128) -> Option<String> {
        match (self.kind(), self.range()) {
            (_, Some((least, most))) => (least..=most).contains(&number).then(|| format!("{number}{}", self.suffix())),
            (ScalarKind::Floating, _) => Some(format!("{number}.0{}", self.suffix())),
            _ => None,
        }
    }
    pub fn is_floating(self) -> bool {
        self.kind() == ScalarKind::Floating
    }
    pub fn is_number(self) -> bool {
        self.is_integer() || self.is_floating()
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_those_of_the_variants() {
        for (index, scalar) in Scalar::all().enumerate() {
            assert_eq!(scalar as usize, index);
            assert_eq!(scalar.row().scalar, scalar);
            assert_eq!(Scalar::spelled(scalar.spelling()), Some(scalar));
            assert_eq!(scalar.name(), format!("{scalar:?}"));
            assert!(matches!(scalar.bytes(), 1 | 2 | 4 | 8));
            if let Some(conversion) = scalar.conversion() {
                assert_eq!(conversion, format!("to{scalar}"));
                assert!(crate::prims::names().any(|name| name == conversion), "{conversion}");
            }
        }
    }

    #[test]
    fn the_parser_knows_the_same_words() {
        let spellings: Vec<&str> = Scalar::all().map(Scalar::spelling).collect();
        assert_eq!(spellings, lift_syntax::SCALAR_TYPES);
    }
}
