//! Types of the generator.

use super::len::{Base, Len};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    UByte,
    Int,
    UInt,
    Long,
    Float,
    Double,
    Bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ty {
    Scalar(Scalar),
    Tuple(Vec<Ty>),
    /// An OpenCL vector.
    Vec(Scalar, u32),
    Array(Box<Ty>, Len),
    /// `Array[i => Array[a,i+1],n]`
    Triangle(Scalar, Len),
    /// An existential type; its body mentions [`Base::Hidden`] with indices below the number.
    Hidden(u32, Box<Ty>),
}

pub const INT: Ty = Ty::Scalar(Scalar::Int);
pub const FLOAT: Ty = Ty::Scalar(Scalar::Float);
pub const BOOL: Ty = Ty::Scalar(Scalar::Bool);

impl Scalar {
    pub fn text(self) -> &'static str {
        match self {
            Scalar::UByte => "ubyte",
            Scalar::UInt => "uint",
            Scalar::Int => "int",
            Scalar::Long => "long",
            Scalar::Float => "float",
            Scalar::Double => "double",
            Scalar::Bool => "bool",
        }
    }
}

impl Ty {
    pub fn array(element: Ty, len: Len) -> Ty {
        Ty::Array(Box::new(element), len)
    }
    /// Returns the type of an array of hidden length.
    pub fn dynamic(element: Ty) -> Ty {
        Ty::Hidden(1, Box::new(Ty::array(element, Len::of(Base::Hidden(0)))))
    }
    pub fn as_array(&self) -> Option<(&Ty, &Len)> {
        match self {
            Ty::Array(element, len) => Some((element, len)),
            _ => None,
        }
    }
    pub fn hides(&self) -> bool {
        match self {
            Ty::Scalar(_) | Ty::Vec(..) | Ty::Triangle(..) => false,
            Ty::Tuple(parts) => parts.iter().any(Ty::hides),
            Ty::Array(element, _) => element.hides(),
            Ty::Hidden(..) => true,
        }
    }
    pub fn with(&self, is: &dyn Fn(Base) -> Option<Len>) -> Ty {
        match self {
            Ty::Scalar(_) | Ty::Vec(..) => self.clone(),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|p| p.with(is)).collect()),
            Ty::Array(element, len) => Ty::array(element.with(is), len.with(is)),
            Ty::Triangle(scalar, len) => Ty::Triangle(*scalar, len.with(is)),
            Ty::Hidden(n, body) => {
                let outer = |base| if matches!(base, Base::Hidden(_)) { None } else { is(base) };
                Ty::Hidden(*n, Box::new(body.with(&outer)))
            }
        }
    }
    /// Formats the type in the syntax of the language; `None` if a length has no name.
    pub fn text(&self, name: &dyn Fn(Base) -> Option<String>) -> Option<String> {
        Some(match self {
            Ty::Scalar(s) => s.text().to_owned(),
            Ty::Vec(s, width) => format!("(vector-type {} {width})", s.text()),
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|p| p.text(name)).collect::<Option<Vec<_>>>()?;
                format!("(tuple-type {})", parts.join(" "))
            }
            Ty::Array(element, len) => format!("(array-type {} {})", element.text(name)?, len.text(name)?),
            Ty::Triangle(s, len) => format!("(array-type (p) (array-type {} (+ p 1)) {})", s.text(), len.text(name)?),
            Ty::Hidden(n, body) => {
                let hidden = |base| match base {
                    Base::Hidden(i) => Some(format!("H{i}")),
                    base => name(base),
                };
                let names: Vec<String> = (0..*n).map(|i| format!("H{i}")).collect();
                format!("(exists ({}) {})", names.join(" "), body.text(&hidden)?)
            }
        })
    }
}
