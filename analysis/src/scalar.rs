//! The scalar types. [`TABLE`] is the one place that lists their names, sizes and kinds; other code asks for these
//! properties, so that a type of a size and kind that exist is a line here.
//!
//! What the world outside calls a type (NumPy, OpenCL) follows from its kind and size, and is no part of this table.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    Int,
    Long,
    Float,
    Double,
    Bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// Two's complement.
    Signed,
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
    /// For completion.
    about: &'static str,
}

const fn row(
    scalar: Scalar,
    name: &'static str,
    spelling: &'static str,
    kind: ScalarKind,
    bytes: u8,
    about: &'static str,
) -> Row {
    Row { scalar, name, spelling, kind, bytes, about }
}

/// One row per type, in the order of the variants.
static TABLE: [Row; 5] = {
    use ScalarKind::*;
    [
        row(Scalar::Int, "Int", "int", Signed, 4, "a number of 32 bits"),
        row(Scalar::Long, "Long", "long", Signed, 8, "a number of 64 bits"),
        row(Scalar::Float, "Float", "float", Floating, 4, "a floating-point number of 32 bits"),
        row(Scalar::Double, "Double", "double", Floating, 8, "a floating-point number of 64 bits"),
        row(Scalar::Bool, "Bool", "bool", Truth, 1, "true or false"),
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
    pub fn is_integer(self) -> bool {
        self.kind() == ScalarKind::Signed
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
        }
    }

    #[test]
    fn the_parser_knows_the_same_words() {
        let spellings: Vec<&str> = Scalar::all().map(Scalar::spelling).collect();
        assert_eq!(spellings, lift_syntax::SCALAR_TYPES);
    }
}
