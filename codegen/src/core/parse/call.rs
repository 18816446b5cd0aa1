//! Right-hand sides: operators, primitives, branches, `pack` and `cast`.

use super::super::{Level, PadMode, Prim, PrimCall, Rhs, ScalarOp, Space};
use super::{Parser, Result};
use lift_analysis::hir::Scalar;

impl Parser<'_> {
    pub(super) fn rhs(&mut self) -> Result<Rhs> {
        if self.take("(") {
            return Ok(Rhs::Tuple(self.list(", ", ")")?));
        }
        if self.take("if ") {
            let condition = self.atom()?;
            self.require(" then")?;
            let then = self.block()?;
            if !self.take_line("else") {
                return Err("expected `else`".into());
            }
            return Ok(Rhs::If(condition, then, self.block()?));
        }
        if self.take("pack ") {
            let packed = self.atom()?;
            self.require(" hiding ")?;
            let mut hidden = vec![self.expression()?];
            while self.take(", ") {
                hidden.push(self.expression()?);
            }
            return Ok(Rhs::Pack(packed, hidden));
        }
        if self.take("cast ") {
            let cast = self.atom()?;
            self.require(" checking ")?;
            let mut checks = Vec::new();
            while !self.at_line_end() {
                if !checks.is_empty() {
                    self.require(", ")?;
                }
                checks.push(self.length_check()?);
            }
            return Ok(Rhs::Cast(cast, checks));
        }
        let start = self.at;
        let operand = self.atom();
        if operand.is_ok() && (self.at_line_end() || self.infix().is_some()) {
            let left = operand?;
            let Some(op) = self.infix() else { return Ok(Rhs::Atom(left)) };
            self.require(&format!(" {} ", op.name()))?;
            return Ok(Rhs::Scalar(op, vec![left, self.atom()?]));
        }
        self.at = start;
        self.named_rhs()
    }

    /// Looks ahead for an infix operator.
    fn infix(&self) -> Option<ScalarOp> {
        let word = self.rest().strip_prefix(' ')?.split(' ').next()?;
        SCALAR_OPS.into_iter().find(|op| op.name() == word)
    }

    fn named_rhs(&mut self) -> Result<Rhs> {
        let name = self.word()?;
        if let Some(component) = name.strip_prefix("get").and_then(|number| number.parse::<usize>().ok()) {
            self.require(" ")?;
            return Ok(Rhs::Proj(self.atom()?, component.checked_sub(1).ok_or("components are counted from 1")?));
        }
        if let Some(space) = [Space::Global, Space::Local, Space::Private].into_iter().find(|s| s.name() == name) {
            self.require(" ")?;
            return Ok(Rhs::Store(space, self.atom()?));
        }
        if let Some(op) = SCALAR_OPS.into_iter().find(|op| op.name() == name) {
            return Ok(Rhs::Scalar(op, self.operands()?));
        }
        let prim = match name {
            "pad" => {
                self.require(" ")?;
                let mode = self.word()?;
                PADS.into_iter().find(|prim| prim.name() == format!("pad {mode}"))
            }
            _ => primitive(name),
        };
        let prim = prim.ok_or_else(|| format!("no operation is called `{name}`"))?;
        let mut call = PrimCall { prim, sizes: Vec::new(), funs: Vec::new(), args: Vec::new() };
        while call.sizes.len() < most_sizes(prim) && self.take(" #") {
            call.sizes.push(self.size()?);
        }
        while self.rest().starts_with(" (λ") {
            self.require(" ")?;
            call.funs.push(self.lambda()?);
        }
        call.args = self.operands()?;
        Ok(Rhs::Prim(call))
    }

    fn operands(&mut self) -> Result<Vec<super::Atom>> {
        let mut operands = Vec::new();
        while self.take(" ") {
            operands.push(self.atom()?);
        }
        Ok(operands)
    }
}

fn primitive(name: &str) -> Option<Prim> {
    let whole = WHOLE.into_iter().find(|prim| prim.name() == name);
    let at = |level: Level| PLACED.into_iter().map(move |placed| placed(level)).find(|prim| prim.name() == name);
    let dimensions = 0..3;
    let levels = dimensions.flat_map(|d| [Level::Glb(d), Level::Wrg(d), Level::Lcl(d)]);
    whole.or_else(|| [Level::Auto, Level::Seq, Level::Host].into_iter().chain(levels).find_map(at))
}

/// The most static sizes that a call has; further sizes are operands.
fn most_sizes(prim: Prim) -> usize {
    match prim {
        Prim::Slide | Prim::Pad(_) | Prim::PadConstant | Prim::Slice => 2,
        Prim::PartRed
        | Prim::ReduceByKey(_)
        | Prim::Iterate
        | Prim::Split
        | Prim::Stride
        | Prim::Take
        | Prim::Drop
        | Prim::Iota
        | Prim::Generate
        | Prim::Fill
        | Prim::AsVector
        | Prim::Vectorize
        | Prim::Partition => 1,
        _ => 0,
    }
}

const PADS: [Prim; 3] = [Prim::Pad(PadMode::Clamp), Prim::Pad(PadMode::Mirror), Prim::Pad(PadMode::Wrap)];

/// The primitives with a level.
const PLACED: [fn(Level) -> Prim; 5] = [Prim::Map, Prim::Reduce, Prim::Scan, Prim::ScanExcl, Prim::Filter];

/// The primitives without a level, except `pad`.
const WHOLE: [Prim; 39] = [
    Prim::PartRed,
    Prim::ReduceByKey(Level::Glb(0)),
    Prim::ReduceByKey(Level::Lcl(0)),
    Prim::ReduceByKey(Level::Seq),
    Prim::ReduceWhileSeq,
    Prim::IterateWhile,
    Prim::Iterate,
    Prim::Zip,
    Prim::Unzip,
    Prim::Split,
    Prim::Join,
    Prim::Slide,
    Prim::PadConstant,
    Prim::Transpose,
    Prim::Gather,
    Prim::Scatter,
    Prim::Reverse,
    Prim::Stride,
    Prim::Take,
    Prim::Drop,
    Prim::Slice,
    Prim::Head,
    Prim::Last,
    Prim::Tail,
    Prim::Concat,
    Prim::Aref,
    Prim::Update,
    Prim::Iota,
    Prim::Generate,
    Prim::Fill,
    Prim::Length,
    Prim::Sort,
    Prim::Argsort,
    Prim::Search,
    Prim::LSearch,
    Prim::AsVector,
    Prim::AsScalar,
    Prim::Vectorize,
    Prim::Partition,
];

const SCALAR_OPS: [ScalarOp; 59] = [
    ScalarOp::Add,
    ScalarOp::Sub,
    ScalarOp::Mul,
    ScalarOp::Div,
    ScalarOp::Mod,
    ScalarOp::FloorMod,
    ScalarOp::Min,
    ScalarOp::Max,
    ScalarOp::Lt,
    ScalarOp::Gt,
    ScalarOp::Le,
    ScalarOp::Ge,
    ScalarOp::Eq,
    ScalarOp::Ne,
    ScalarOp::And,
    ScalarOp::Or,
    ScalarOp::Not,
    ScalarOp::BitAnd,
    ScalarOp::BitOr,
    ScalarOp::BitXor,
    ScalarOp::Shl,
    ScalarOp::Shr,
    ScalarOp::Neg,
    ScalarOp::Abs,
    ScalarOp::Sqrt,
    ScalarOp::Exp,
    ScalarOp::Log,
    ScalarOp::Sin,
    ScalarOp::Cos,
    ScalarOp::Tan,
    ScalarOp::Asin,
    ScalarOp::Acos,
    ScalarOp::Atan,
    ScalarOp::Sinh,
    ScalarOp::Cosh,
    ScalarOp::Tanh,
    ScalarOp::Asinh,
    ScalarOp::Acosh,
    ScalarOp::Atanh,
    ScalarOp::Atan2,
    ScalarOp::Round,
    ScalarOp::IsNan,
    ScalarOp::UShr,
    ScalarOp::PopCount,
    ScalarOp::Clz,
    ScalarOp::Pow,
    ScalarOp::Floor,
    ScalarOp::Ceil,
    ScalarOp::To(Scalar::Byte),
    ScalarOp::To(Scalar::UByte),
    ScalarOp::To(Scalar::Short),
    ScalarOp::To(Scalar::UShort),
    ScalarOp::To(Scalar::Int),
    ScalarOp::To(Scalar::UInt),
    ScalarOp::To(Scalar::Long),
    ScalarOp::To(Scalar::ULong),
    ScalarOp::To(Scalar::Half),
    ScalarOp::To(Scalar::Float),
    ScalarOp::To(Scalar::Double),
];
