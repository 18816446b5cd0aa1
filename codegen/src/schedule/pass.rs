//! The frame of a pass that writes statements with new variables and lengths into the body of a kernel.

use crate::core::copy::Lengths;
use crate::core::{Block, Kernel, VarInfo};

/// Runs a pass that adds variables to the kernel and changes a copy of its body.
pub fn within(mut kernel: Kernel, pass: impl FnOnce(&mut Kernel, &mut Lengths, &mut Block)) -> Kernel {
    let (mut body, mut lengths) = (kernel.body.clone(), Lengths::of(&kernel));
    pass(&mut kernel, &mut lengths, &mut body);
    Kernel { body, assumptions: lengths.assumptions, ..kernel }
}

/// Runs a pass that adds variables to the kernel and changes its body. The pass finds no statement in the kernel,
/// which lacks its body meanwhile.
pub fn alone(mut kernel: Kernel, pass: impl FnOnce(&mut Kernel, &mut Lengths, &mut Block)) -> Kernel {
    let mut lengths = Lengths::of(&kernel);
    let none = Block { stmts: Vec::new(), result: kernel.body.result.clone() };
    let mut body = std::mem::replace(&mut kernel.body, none);
    pass(&mut kernel, &mut lengths, &mut body);
    Kernel { body, assumptions: lengths.assumptions, ..kernel }
}

/// The variables and lengths of a kernel, to which a pass adds.
pub struct Names {
    pub vars: Vec<VarInfo>,
    pub lengths: Lengths,
}

/// Runs a pass that changes a copy of the kernel's body.
pub fn over(kernel: Kernel, pass: impl FnOnce(&Kernel, &mut Names, &mut Block)) -> Kernel {
    let mut names = Names { vars: kernel.vars.clone(), lengths: Lengths::of(&kernel) };
    let mut body = kernel.body.clone();
    pass(&kernel, &mut names, &mut body);
    Kernel { vars: names.vars, body, assumptions: names.lengths.assumptions, ..kernel }
}
