//! Arrays of scalars on the host, as they are copied to and from a device.

use lift_analysis::hir::Scalar;

/// Elements of a buffer. `Bool` is stored as bytes, 0 for false.
#[derive(Debug, Clone, PartialEq)]
pub enum HostData {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bool(Vec<u8>),
}

/// Matches on the variant and binds its vector to a name.
macro_rules! each {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            HostData::Int($v) => $body,
            HostData::Long($v) => $body,
            HostData::Float($v) => $body,
            HostData::Double($v) => $body,
            HostData::Bool($v) => $body,
        }
    };
}

impl HostData {
    pub fn new(element: Scalar) -> HostData {
        match element {
            Scalar::Int => HostData::Int(Vec::new()),
            Scalar::Long => HostData::Long(Vec::new()),
            Scalar::Float => HostData::Float(Vec::new()),
            Scalar::Double => HostData::Double(Vec::new()),
            Scalar::Bool => HostData::Bool(Vec::new()),
        }
    }

    pub fn element(&self) -> Scalar {
        match self {
            HostData::Int(_) => Scalar::Int,
            HostData::Long(_) => Scalar::Long,
            HostData::Float(_) => Scalar::Float,
            HostData::Double(_) => Scalar::Double,
            HostData::Bool(_) => Scalar::Bool,
        }
    }

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
