//! Helper functions of generated kernels; each is printed only if used.
//!
//! They define what C leaves undefined, in agreement with the interpreter: a division by zero is recorded as a failure
//! and gives 0, `INT_MIN / -1` wraps, an index out of range is recorded and gives 0.
//!
//! | module | job |
//! |---|---|
//! | `text` | the C text of each |

mod text;

/// The elements of the failure buffer that [`Helper::Fail`] writes, from the first one on.
pub const FAILURE: i64 = 4;

/// In printing order: a function follows those it calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Helper {
    Fail,
    DivInt,
    ModInt,
    DivLong,
    ModLong,
    DivUInt,
    ModUInt,
    DivULong,
    ModULong,
    QuotientInt,
    RemainderInt,
    QuotientLong,
    RemainderLong,
    FloorModInt,
    FloorModLong,
    FloorRemainderInt,
    FloorRemainderLong,
    FloorModFloat,
    FloorModDouble,
    CheckIndex,
    CheckLength,
    CheckCount,
    CheckNumber,
    FloorDiv,
    FloorMod,
    FromHalf,
    ToHalf,
    DoubleToHalf,
    Power,
    GroupScan,
    GroupSums,
    Ranks,
    LongAtomics,
    NextTile,
    Round,
    Publish,
    Status,
    LastGroup,
    SumBefore,
    PackHead,
    PackInt,
    PackFloat,
    PackLong,
    PackDouble,
    Differs,
    Offsets,
    DigitSums,
    Histograms,
    Sortable32,
    Sortable64,
    Note32,
    Note64,
    Digits32,
    Digits64,
    DigitsAlone32,
    DigitsAlone64,
    Move32,
    Digits32InAll,
    MoveTiles32,
    Move64,
    Digits64InAll,
    MoveTiles64,
    MoveAlone32,
    MoveAlone64,
}

impl Helper {
    /// The name in the generated text.
    pub fn name(self) -> &'static str {
        match self {
            Helper::Fail => "lift_fail",
            Helper::DivInt => "lift_div_int",
            Helper::ModInt => "lift_mod_int",
            Helper::DivLong => "lift_div_long",
            Helper::ModLong => "lift_mod_long",
            Helper::DivUInt => "lift_div_uint",
            Helper::ModUInt => "lift_mod_uint",
            Helper::DivULong => "lift_div_ulong",
            Helper::ModULong => "lift_mod_ulong",
            Helper::QuotientInt => "lift_quotient_int",
            Helper::RemainderInt => "lift_remainder_int",
            Helper::QuotientLong => "lift_quotient_long",
            Helper::RemainderLong => "lift_remainder_long",
            Helper::FloorModInt => "lift_floor_mod_int",
            Helper::FloorModLong => "lift_floor_mod_long",
            Helper::FloorRemainderInt => "lift_floor_remainder_int",
            Helper::FloorRemainderLong => "lift_floor_remainder_long",
            Helper::FloorModFloat => "lift_floor_mod_float",
            Helper::FloorModDouble => "lift_floor_mod_double",
            Helper::CheckIndex => "lift_check_index",
            Helper::CheckLength => "lift_check_length",
            Helper::CheckCount => "lift_check_count",
            Helper::CheckNumber => "lift_check_number",
            Helper::FloorDiv => "lift_floor_div",
            Helper::FloorMod => "lift_floor_mod",
            Helper::FromHalf => "lift_from_half",
            Helper::ToHalf => "lift_to_half",
            Helper::DoubleToHalf => "lift_double_to_half",
            Helper::Power => "lift_power",
            Helper::GroupScan => "lift_group_scan",
            Helper::GroupSums => "lift_group_sums",
            Helper::Ranks => "lift_ranks",
            Helper::LongAtomics => "",
            Helper::NextTile => "lift_next_tile",
            Helper::Round => "lift_round",
            Helper::Publish => "lift_publish",
            Helper::Status => "lift_status",
            Helper::LastGroup => "lift_last_group",
            Helper::SumBefore => "lift_sum_before",
            Helper::PackHead => "",
            Helper::PackInt => "lift_pack_int",
            Helper::PackFloat => "lift_pack_float",
            Helper::PackLong => "lift_pack_long",
            Helper::PackDouble => "lift_pack_double",
            Helper::Differs => "lift_moves",
            Helper::Offsets => "lift_offsets",
            Helper::DigitSums => "lift_digit_sums",
            Helper::Histograms => "lift_histograms",
            Helper::Sortable32 => "lift_sortable_32",
            Helper::Sortable64 => "lift_sortable_64",
            Helper::Note32 => "lift_note_32",
            Helper::Note64 => "lift_note_64",
            Helper::Digits32 => "lift_digits_32",
            Helper::DigitsAlone32 => "lift_digits_alone_32",
            Helper::Digits64 => "lift_digits_64",
            Helper::DigitsAlone64 => "lift_digits_alone_64",
            Helper::Move32 => "lift_move_32",
            Helper::Digits32InAll => "lift_digits_in_all_32",
            Helper::MoveTiles32 => "lift_move_tiles_32",
            Helper::MoveAlone32 => "lift_move_alone_32",
            Helper::Move64 => "lift_move_64",
            Helper::Digits64InAll => "lift_digits_in_all_64",
            Helper::MoveTiles64 => "lift_move_tiles_64",
            Helper::MoveAlone64 => "lift_move_alone_64",
        }
    }
    /// The helper that it calls, if any.
    pub fn needs(self) -> Option<Helper> {
        match self {
            Helper::DivInt
            | Helper::ModInt
            | Helper::DivLong
            | Helper::ModLong
            | Helper::DivUInt
            | Helper::ModUInt
            | Helper::DivULong
            | Helper::ModULong
            | Helper::CheckIndex
            | Helper::CheckLength
            | Helper::CheckCount
            | Helper::CheckNumber => Some(Helper::Fail),
            Helper::FloorMod => Some(Helper::FloorDiv),
            Helper::FloorModInt => Some(Helper::ModInt),
            Helper::FloorModLong => Some(Helper::ModLong),
            Helper::DoubleToHalf => Some(Helper::ToHalf),
            Helper::Ranks => Some(Helper::GroupSums),
            Helper::NextTile | Helper::Publish | Helper::LastGroup => Some(Helper::LongAtomics),
            Helper::SumBefore => Some(Helper::Status),
            Helper::Offsets | Helper::DigitSums => Some(Helper::GroupScan),
            Helper::Note32
            | Helper::Digits32
            | Helper::DigitsAlone32
            | Helper::Move32
            | Helper::MoveAlone32
            | Helper::Digits32InAll
            | Helper::MoveTiles32 => Some(Helper::Sortable32),
            Helper::Note64
            | Helper::Digits64
            | Helper::DigitsAlone64
            | Helper::Move64
            | Helper::MoveAlone64
            | Helper::Digits64InAll
            | Helper::MoveTiles64 => Some(Helper::Sortable64),
            Helper::PackInt | Helper::PackFloat | Helper::PackLong | Helper::PackDouble => Some(Helper::PackHead),
            Helper::Fail
            | Helper::QuotientInt
            | Helper::RemainderInt
            | Helper::QuotientLong
            | Helper::RemainderLong
            | Helper::FloorDiv
            | Helper::FloorRemainderInt
            | Helper::FloorRemainderLong
            | Helper::FloorModFloat
            | Helper::FloorModDouble
            | Helper::FromHalf
            | Helper::ToHalf
            | Helper::Power
            | Helper::GroupScan
            | Helper::GroupSums
            | Helper::LongAtomics
            | Helper::Round
            | Helper::Status
            | Helper::PackHead
            | Helper::Differs
            | Helper::Histograms
            | Helper::Sortable32
            | Helper::Sortable64 => None,
        }
    }
    /// Whether all work-items of a group must call the function, because it contains a barrier.
    pub fn meets(name: &str) -> bool {
        let helpers = [
            Helper::GroupScan,
            Helper::GroupSums,
            Helper::Ranks,
            Helper::NextTile,
            Helper::LastGroup,
            Helper::SumBefore,
            Helper::Offsets,
            Helper::DigitSums,
            Helper::Histograms,
            Helper::Note32,
            Helper::Note64,
            Helper::Digits32,
            Helper::Digits64,
            Helper::Move32,
            Helper::Move64,
            Helper::MoveTiles32,
            Helper::MoveTiles64,
        ];
        helpers.iter().any(|h| h.name() == name)
    }
    /// Whether a call of the function may record a failure.
    pub fn records_failures(name: &str) -> bool {
        [
            Helper::DivInt,
            Helper::ModInt,
            Helper::DivLong,
            Helper::ModLong,
            Helper::DivUInt,
            Helper::ModUInt,
            Helper::DivULong,
            Helper::ModULong,
            Helper::FloorModInt,
            Helper::FloorModLong,
            Helper::CheckIndex,
            Helper::CheckLength,
            Helper::CheckCount,
            Helper::CheckNumber,
        ]
        .iter()
        .any(|h| h.name() == name)
    }
}
