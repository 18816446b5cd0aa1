//! The parameters of a function under construction, and the arguments of its launch.

use crate::opencl::{CType, Param, ParamType};
use crate::plan::{Arg, Buffer, BufferId};
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::size::Size;

/// The accesses of a function by the parameter of a buffer.
#[derive(Debug, Clone, Copy)]
pub struct Accessed {
    pub scalar: Scalar,
    pub written: bool,
}

/// The parameters so far, each with its argument. Invariants: a buffer is one parameter, and so is each wide size.
#[derive(Default)]
pub struct Signature {
    /// Each with its name, and whether the function writes it.
    buffers: Vec<(BufferId, Name, bool)>,
    sizes: Vec<(Size, Name)>,
    /// Sizes that branches need, as `long`s, because they may exceed the range of generated code.
    wide_sizes: Vec<(Size, Name)>,
    /// Local memory allocated by the host: its element type, bytes and name.
    locals: Vec<(CType, Size, Name)>,
}

impl Signature {
    /// Whether the function, as written so far, writes a buffer.
    pub fn writes(&self, id: BufferId) -> bool {
        self.buffers.iter().any(|(b, _, written)| *b == id && *written)
    }
    /// The buffers by the names of their parameters; `all` are those of the program.
    pub(super) fn accessed(&self, all: &[Buffer]) -> Vec<(Name, Accessed)> {
        let of = |(id, name, written): &(BufferId, Name, bool)| {
            (name.clone(), Accessed { scalar: all[id.0 as usize].element, written: *written })
        };
        self.buffers.iter().map(of).collect()
    }
    /// The parameter of a buffer, named by `fresh` if it is new.
    pub(super) fn buffer(&mut self, id: BufferId, written: bool, fresh: impl FnOnce() -> Name) -> Name {
        if let Some((_, name, w)) = self.buffers.iter_mut().find(|(b, ..)| *b == id) {
            *w |= written;
            return name.clone();
        }
        let name = fresh();
        self.buffers.push((id, name.clone(), written));
        name
    }
    /// The parameter of a size, if it has one.
    pub(super) fn size(&self, size: &Size) -> Option<&Name> {
        self.sizes.iter().find(|(s, _)| s == size).map(|(_, name)| name)
    }
    pub(super) fn add_size(&mut self, size: Size, name: Name) {
        self.sizes.push((size, name));
    }
    /// The parameter of a wide size, named by `fresh` if it is new.
    pub(super) fn wide_size(&mut self, size: &Size, fresh: impl FnOnce() -> Name) -> Name {
        if let Some((_, name)) = self.wide_sizes.iter().find(|(s, _)| s == size) {
            return name.clone();
        }
        let name = fresh();
        self.wide_sizes.push((size.clone(), name.clone()));
        name
    }
    pub(super) fn add_local(&mut self, element: CType, bytes: Size, name: Name) {
        self.locals.push((element, bytes, name));
    }

    /// The parameters and the arguments, in the order of a launch.
    pub(super) fn finish(self, all: &[Buffer]) -> (Vec<Param>, Vec<Arg>) {
        let (mut params, mut args) = (Vec::new(), Vec::new());
        for (id, name, written) in self.buffers {
            let element = CType::stored(all[id.0 as usize].element);
            params.push(Param { name, ty: ParamType::Buffer { element, constant: !written } });
            args.push(Arg::Buffer(id));
        }
        for (value, name) in self.sizes {
            params.push(Param { name, ty: ParamType::Value(CType::Int) });
            args.push(Arg::Size { value, wide: false });
        }
        for (value, name) in self.wide_sizes {
            params.push(Param { name, ty: ParamType::Value(CType::Long) });
            args.push(Arg::Size { value, wide: true });
        }
        for (element, bytes, name) in self.locals {
            params.push(Param { name, ty: ParamType::Local(element) });
            args.push(Arg::Local { bytes });
        }
        (params, args)
    }
}
