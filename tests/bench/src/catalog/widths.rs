//! Jacobi stencils of 3×3 to 15×15 points on a clamped square, in three variants: each access clamps (`plain`), the
//! program splits off the edges (`split`), or the compiler's rules do (`auto`).

use super::grids::square;
use super::{Benchmark, Scale};
use crate::by_hand::{Arg::*, ByHand, Memory::*};
use crate::external::Kind;

/// The program template for all widths.
const TEXT: &str = include_str!("../../programs/stencil.lift");

/// At the small scale, the narrowest and the widest suffice.
pub fn all(scale: Scale) -> Vec<Benchmark> {
    let widths = scale.of(&[3, 15][..], &[3, 5, 7, 9, 11, 13, 15], &[3, 5, 7, 9, 11, 13, 15]);
    let forms = ["plain", "split", "auto"];
    widths.iter().flat_map(|width| forms.map(|form| stencil(form, *width, scale))).collect()
}

/// Fills in the program template.
fn text(width: usize) -> String {
    let radius = width / 2;
    TEXT.replace("WIDTH", &width.to_string())
        .replace("(* 2 RADIUS)", &(2 * radius).to_string())
        .replace("RADIUS", &radius.to_string())
        .replace("INVERSE", &format!("{:?}", 1.0 / (width * width) as f32))
}

fn stencil(form: &'static str, width: usize, scale: Scale) -> Benchmark {
    let (n, radius) = (scale.of(256, 4096, 4096), width / 2);
    let (lx, ly, rows) = (scale.of(16, 32, 32), 4, if radius > 3 { 4 } else { 2 });
    let peer = move |_| {
        let hand = ByHand::new(format!("by hand: 4×{rows} an item, registers"), include_str!("../../kernels/box.cl"));
        let options = [("RAD", radius), ("LX", lx), ("LY", ly), ("RB", rows)];
        let hand = options.into_iter().fold(hand, |hand, (name, value)| hand.define(name, value));
        let groups = [n / (4 * lx), n / (ly * rows), 1];
        vec![hand.result(Floats(n * n)).launch3("st_reg", &[Input(0), Result(0), Int(n), Int(n)], groups, [lx, ly, 1])]
    };
    let goals: &[(Kind, f64)] = if form == "auto" { &[(Kind::Hand, 1.1)] } else { &[] };
    Benchmark {
        text: Some(text(width)),
        by_hand: Box::new(peer),
        external: Vec::new(),
        ..square(&format!("stencil-{width}-{form}"), "stencil", form, scale)
    }
    .goals(scale, goals)
}

#[cfg(test)]
mod tests {
    use super::text;
    use lift_codegen::lower;
    use lift_codegen::target::Target;
    use std::path::Path;

    /// The code per element in the middle of the grid, where both dimensions are split.
    #[test]
    fn the_middle_of_a_split_stencil_has_no_conditionals() {
        for width in [3, 5, 9] {
            let kernels = crate::source::kernels(Path::new(""), "stencil.lift", &text(width)).expect("it is a program");
            let split = kernels.into_iter().find(|kernel| kernel.name == "split").expect("it has this kernel");
            let split = split.core.unwrap_or_else(|why| panic!("{why}"));
            let program = lower::compile(&split, &Target::gpu()).unwrap_or_else(|errors| panic!("{}", errors[0]));
            let text = &program.opencl.text;
            let behind = |text: &str, head: String| -> String {
                text.split_once(&head).unwrap_or_else(|| panic!("no `{head}` in\n{text}")).1.to_owned()
            };
            let edges = width - 1;
            let rows = behind(text, format!("< N - {edges};"));
            let columns = behind(&rows, format!("< M - {edges};"));
            let (middle, _) = columns.split_once("result[").unwrap_or_else(|| panic!("no result in\n{columns}"));
            assert!(middle.contains("grid["), "{middle}");
            for conditional in ["if (", "?", "min(", "max(", "clamp("] {
                assert!(!middle.contains(conditional), "`{conditional}` in\n{middle}");
            }
        }
    }
}
