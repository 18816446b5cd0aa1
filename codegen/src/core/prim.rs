//! Properties of core's operations: the language primitive of each, its name, and whether it is a view.

use super::{Level, PadMode, Prim, ScalarOp, Space};
use lift_analysis::prims::{self, PrimitiveId};

impl Prim {
    /// The language primitive and the level; `None` for operations that only rules make.
    fn operation(self) -> Option<(PrimitiveId, Level)> {
        use PrimitiveId as Id;
        let unplaced = |id| Some((id, Level::Auto));
        match self {
            Prim::ReduceByKey(_) | Prim::Update => None,
            Prim::Map(level) => Some((Id::Map, level)),
            Prim::Reduce(level) => Some((Id::Reduce, level)),
            Prim::Scan(level) => Some((Id::Scan, level)),
            Prim::ScanExcl(level) => Some((Id::ScanExcl, level)),
            Prim::Filter(level) => Some((Id::Filter, level)),
            Prim::PartRed => unplaced(Id::PartRed),
            Prim::ReduceWhileSeq => unplaced(Id::ReduceWhile),
            Prim::IterateWhile => unplaced(Id::IterateWhile),
            Prim::Iterate => unplaced(Id::Iterate),
            Prim::Zip => unplaced(Id::Zip),
            Prim::Unzip => unplaced(Id::Unzip),
            Prim::Split => unplaced(Id::Split),
            Prim::Join => unplaced(Id::Join),
            Prim::Slide => unplaced(Id::Slide),
            Prim::Pad(_) => unplaced(Id::Pad),
            Prim::PadConstant => unplaced(Id::PadConstant),
            Prim::Transpose => unplaced(Id::Transpose),
            Prim::Gather => unplaced(Id::Reorder),
            Prim::Scatter => unplaced(Id::Scatter),
            Prim::Reverse => unplaced(Id::Reverse),
            Prim::Stride => unplaced(Id::Stride),
            Prim::Take => unplaced(Id::Take),
            Prim::Drop => unplaced(Id::Drop),
            Prim::Slice => unplaced(Id::Slice),
            Prim::Head => unplaced(Id::Head),
            Prim::Last => unplaced(Id::Last),
            Prim::Tail => unplaced(Id::Tail),
            Prim::Concat => unplaced(Id::Concat),
            Prim::Aref => unplaced(Id::Aref),
            Prim::Iota => unplaced(Id::Iota),
            Prim::Generate => unplaced(Id::Generate),
            Prim::Fill => unplaced(Id::Fill),
            Prim::Length => unplaced(Id::Length),
            Prim::Sort => unplaced(Id::Sort),
            Prim::Argsort => unplaced(Id::Argsort),
            Prim::Search => unplaced(Id::Search),
            Prim::LSearch => unplaced(Id::LinearSearch),
            Prim::AsVector => unplaced(Id::AsVector),
            Prim::AsScalar => unplaced(Id::AsScalar),
            Prim::Vectorize => unplaced(Id::Vectorize),
            Prim::Partition => unplaced(Id::Partition),
        }
    }

    /// Whether the operation only changes how elements are addressed.
    pub fn is_view(self) -> bool {
        match self {
            Prim::Zip
            | Prim::Unzip
            | Prim::Split
            | Prim::Join
            | Prim::Partition
            | Prim::Slide
            | Prim::Pad(_)
            | Prim::PadConstant
            | Prim::Transpose
            | Prim::Gather
            | Prim::Reverse
            | Prim::Stride
            | Prim::Take
            | Prim::Drop
            | Prim::Slice
            | Prim::Tail
            | Prim::Concat
            | Prim::Iota
            | Prim::Generate
            | Prim::Fill
            | Prim::Length
            | Prim::AsVector
            | Prim::AsScalar => true,
            Prim::Map(_)
            | Prim::Reduce(_)
            | Prim::PartRed
            | Prim::ReduceByKey(_)
            | Prim::ReduceWhileSeq
            | Prim::IterateWhile
            | Prim::Scan(_)
            | Prim::ScanExcl(_)
            | Prim::Filter(_)
            | Prim::Iterate
            | Prim::Scatter
            | Prim::Head
            | Prim::Last
            | Prim::Aref
            | Prim::Update
            | Prim::Sort
            | Prim::Argsort
            | Prim::Search
            | Prim::LSearch
            | Prim::Vectorize => false,
        }
    }

    /// The name without the level, for messages and labels.
    pub fn label(self) -> &'static str {
        match (self, self.operation()) {
            // Core's name for both `reorder` and `gather`.
            (Prim::Gather, _) => "gather",
            (Prim::Update, _) => "update",
            (_, Some((id, _))) => prims::named(id),
            (_, None) => "reduceByKey",
        }
    }

    /// The language primitive and its level, if a program can place it there.
    pub fn placed(self) -> Option<(PrimitiveId, prims::Level)> {
        let (id, level) = self.operation()?;
        Some((id, level.of_language()?))
    }

    /// The name as programs write it, with the level.
    pub fn name(self) -> String {
        match self {
            Prim::Pad(mode) => format!("{} {}", self.label(), mode.name()),
            Prim::Gather => self.label().into(),
            // A group's, or of one work-item; else the whole device's.
            Prim::ReduceByKey(level) => match level.of_language().filter(|_| level != Level::Glb(0)) {
                Some(level) => format!("{}{level}", self.label()),
                None => self.label().into(),
            },
            _ => match self.placed() {
                None if matches!(self.operation(), Some((_, Level::Host))) => format!("{}Host", self.label()),
                None => self.label().into(),
                Some((id, level)) => match prims::placed(id, Some(level)) {
                    Some(primitive) => primitive.name.to_string(),
                    // A level that only the compiler chooses.
                    None => format!("{}{level}", self.label()),
                },
            },
        }
    }
}

impl Level {
    /// The level as a program writes it; `None` for [`Level::Auto`] and for [`Level::Host`], which only rules choose.
    pub fn of_language(self) -> Option<prims::Level> {
        match self {
            Level::Auto | Level::Host => None,
            Level::Seq => Some(prims::Level::Seq),
            Level::Glb(d) => Some(prims::Level::Glb(d)),
            Level::Wrg(d) => Some(prims::Level::Wrg(d)),
            Level::Lcl(d) => Some(prims::Level::Lcl(d)),
        }
    }
}

impl PadMode {
    /// The name as programs write it.
    pub fn name(self) -> &'static str {
        prims::named(match self {
            PadMode::Clamp => PrimitiveId::Clamp,
            PadMode::Mirror => PrimitiveId::Mirror,
            PadMode::Wrap => PrimitiveId::Wrap,
        })
    }
}

impl ScalarOp {
    /// The name as programs write it.
    pub fn name(self) -> &'static str {
        use PrimitiveId as Id;
        prims::named(match self {
            ScalarOp::Add => Id::Add,
            ScalarOp::Sub => Id::Sub,
            ScalarOp::Mul => Id::Mul,
            ScalarOp::Div => Id::Div,
            ScalarOp::Mod => Id::Mod,
            ScalarOp::FloorMod => Id::FloorMod,
            ScalarOp::Min => Id::Min,
            ScalarOp::Max => Id::Max,
            ScalarOp::Lt => Id::Less,
            ScalarOp::Gt => Id::Greater,
            ScalarOp::Le => Id::AtMost,
            ScalarOp::Ge => Id::AtLeast,
            ScalarOp::Eq => Id::Equal,
            ScalarOp::Ne => Id::NotEqual,
            ScalarOp::And => Id::And,
            ScalarOp::Or => Id::Or,
            ScalarOp::Not => Id::Not,
            ScalarOp::BitAnd => Id::BitAnd,
            ScalarOp::BitOr => Id::BitOr,
            ScalarOp::BitXor => Id::BitXor,
            ScalarOp::Shl => Id::ShiftLeft,
            ScalarOp::Shr => Id::ShiftRight,
            ScalarOp::Neg => Id::Neg,
            ScalarOp::Abs => Id::Abs,
            ScalarOp::Sqrt => Id::Sqrt,
            ScalarOp::Exp => Id::Exp,
            ScalarOp::Log => Id::Log,
            ScalarOp::Sin => Id::Sin,
            ScalarOp::Cos => Id::Cos,
            ScalarOp::Tan => Id::Tan,
            ScalarOp::Asin => Id::Asin,
            ScalarOp::Acos => Id::Acos,
            ScalarOp::Atan => Id::Atan,
            ScalarOp::Sinh => Id::Sinh,
            ScalarOp::Cosh => Id::Cosh,
            ScalarOp::Tanh => Id::Tanh,
            ScalarOp::Asinh => Id::Asinh,
            ScalarOp::Acosh => Id::Acosh,
            ScalarOp::Atanh => Id::Atanh,
            ScalarOp::Atan2 => Id::Atan2,
            ScalarOp::Round => Id::Round,
            ScalarOp::IsNan => Id::IsNan,
            ScalarOp::UShr => Id::LogicalShiftRight,
            ScalarOp::PopCount => Id::PopCount,
            ScalarOp::Clz => Id::LeadingZeros,
            ScalarOp::Pow => Id::Pow,
            ScalarOp::Floor => Id::Floor,
            ScalarOp::Ceil => Id::Ceil,
            ScalarOp::To(scalar) => return scalar.conversion().unwrap_or_default(),
        })
    }
}

impl Space {
    /// The name as programs write it.
    pub fn name(self) -> &'static str {
        prims::named(match self {
            Space::Global => PrimitiveId::ToGlobal,
            Space::Local => PrimitiveId::ToLocal,
            Space::Private => PrimitiveId::ToPrivate,
        })
    }
}
