//! Ids of the primitives: the only list of their names in Rust.

/// Declares [`PrimitiveId`]: each operation with the names under which `primitives.lift` declares it.
macro_rules! primitives {
    ($($(#[$about:meta])* $id:ident: $($name:literal)+;)+) => {
        /// The operation of a primitive. [`super::Primitive::level`] says where it runs: `map` and `mapGlb0` are both
        /// `Map`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum PrimitiveId {
            $($(#[$about])* $id,)+
        }

        impl PrimitiveId {
            pub const ALL: &[PrimitiveId] = &[$(PrimitiveId::$id,)+];

            /// The declared names, without aliases; the first is the operation's own.
            pub const fn names(self) -> &'static [&'static str] {
                match self {
                    $(PrimitiveId::$id => &[$($name),+],)+
                }
            }
        }
    };
}

primitives! {
    // Numbers.
    Add: "+" "+i";
    Sub: "-" "-i";
    Mul: "*" "*i";
    Div: "/" "/i";
    Mod: "mod";
    FloorMod: "floorMod";
    Min: "min";
    Max: "max";
    Neg: "neg";
    Abs: "abs";
    Less: "<" "<i";
    Greater: ">" ">i";
    AtMost: "<=";
    AtLeast: ">=";
    Equal: "=" "=i";
    NotEqual: "!=";
    And: "and";
    Or: "or";
    Not: "not";
    BitAnd: "bitand";
    BitOr: "bitor";
    BitXor: "bitxor";
    ShiftLeft: "shl";
    ShiftRight: "shr";
    LogicalShiftRight: "ushr";
    PopCount: "popcount";
    LeadingZeros: "clz";
    Sqrt: "sqrt";
    Exp: "exp";
    Log: "log";
    Sin: "sin";
    Cos: "cos";
    Tan: "tan";
    Asin: "asin";
    Acos: "acos";
    Atan: "atan";
    Sinh: "sinh";
    Cosh: "cosh";
    Tanh: "tanh";
    Asinh: "asinh";
    Acosh: "acosh";
    Atanh: "atanh";
    Atan2: "atan2";
    Pow: "pow";
    Floor: "floor";
    Ceil: "ceil";
    Round: "round";
    IsNan: "isnan";
    ToByte: "toByte";
    ToUByte: "toUByte";
    ToShort: "toShort";
    ToUShort: "toUShort";
    ToInt: "toInt";
    ToUInt: "toUInt";
    ToLong: "toLong";
    ToULong: "toULong";
    ToHalf: "toHalf";
    ToFloat: "toFloat";
    ToDouble: "toDouble";
    ToElement: "toElement";

    // Operations on arrays.
    Map: "map" "mapSeq" "mapGlb0" "mapGlb1" "mapGlb2" "mapWrg0" "mapWrg1" "mapWrg2" "mapLcl0" "mapLcl1" "mapLcl2";
    Reduce: "reduce" "reduceSeq";
    PartRed: "partRed";
    ReduceWhile: "reduceWhileSeq";
    IterateWhile: "iterateWhile";
    Scan: "scan" "scanSeq";
    ScanExcl: "scanExcl";
    Filter: "filter" "filterSeq" "filterGlb" "filterWrg" "filterLcl";
    Iterate: "iterate";
    Sort: "sort";
    Argsort: "argsort";
    /// Binary search.
    Search: "search";
    /// Linear search.
    LinearSearch: "lsearch";

    // Tuples.
    Zip: "zip";
    Unzip: "unzip";
    /// One component, whose number the declaration gives ([`super::Special::Get`]).
    Get: "get1" "get2" "get3" "get4" "get5" "get6" "get7" "get8" "get9" "get10" "get11" "get12" "get13" "get14" "get15"
        "get16";

    // Views.
    Split: "split";
    Join: "join";
    Slide: "slide";
    Pad: "pad";
    Clamp: "clamp";
    Mirror: "mirror";
    Wrap: "wrap";
    PadConstant: "padConstant";
    Transpose: "transpose";
    Reorder: "reorder";
    Scatter: "scatter";
    Reverse: "reverse";
    Stride: "stride";
    Take: "take";
    Drop: "drop";
    Slice: "slice";
    Head: "head";
    Last: "last";
    Tail: "tail";
    Init: "init";
    Concat: "concat";
    Aref: "aref";
    Iota: "iota";
    Generate: "generate";
    Fill: "fill";
    Length: "length";
    RowLengths: "rowLengths";
    Partition: "partition";
    CaseSplit: "caseSplit";

    // Vectors.
    AsVector: "asVector";
    AsScalar: "asScalar";
    Vectorize: "vectorize";
    MapVec: "mapVec";

    // Storage.
    ToGlobal: "toGlobal";
    ToLocal: "toLocal";
    ToPrivate: "toPrivate";

    Identity: "id";
}

/// A neutral element, independent of the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neutral {
    Number(u8),
    Bool(bool),
}

impl PrimitiveId {
    /// The neutral element of an associative operator, if one exists at all of its types.
    pub fn neutral(self) -> Option<Neutral> {
        match self {
            PrimitiveId::Add => Some(Neutral::Number(0)),
            PrimitiveId::Mul => Some(Neutral::Number(1)),
            PrimitiveId::And => Some(Neutral::Bool(true)),
            PrimitiveId::Or => Some(Neutral::Bool(false)),
            _ => None,
        }
    }
}
