//! Tiles of few rows or columns, and operands that are no rows of memory.

use super::jam::{images, of_any_length};
use super::tiles::{compiled, dot, product};
use super::*;
use crate::core::Level;
use crate::core::builder::*;
use lift_analysis::parameters::Parameter;

/// Products of few rows, or of few columns, have tiles that are as narrow, if there are enough for the device.
#[test]
fn products_of_few_rows_or_columns() {
    for columns_given in [false, true] {
        let kernel = product("product", float, columns_given, |b, x, y| dot(b, Level::Auto, 0.0f32, x, y));
        // One compute unit has enough with a few tiles.
        let sizes = [(5, 37, 700), (700, 16, 31), (32, 3, 520), (520, 18, 1)];
        let inputs = sizes.map(|(n, k, m)| vec![rows(n, k), if columns_given { rows(m, k) } else { rows(k, m) }]);
        for target in [Target::gpu(), Target::nvidia()].map(|target| Target { compute_units: 1, ..target }) {
            let program = compiled(&kernel, &target);
            assert_eq!(program.opencl.text.matches("// map: narrow tiles\n").count(), 2);
            for inputs in &inputs {
                if let Err(problem) = agree(&kernel, &program, inputs) {
                    panic!("{problem}");
                }
            }
        }
    }
}

/// The windows of several channels are the columns of a matrix. Neighbouring work-items fetch neighbouring windows, and divide
/// the number of a window, and that of an element in it, once for each tile.
#[test]
fn products_of_windows_divide_before_they_load() {
    let kernel = of_any_length(|b, x, y| b.mul(x, y));
    for target in [Target::gpu(), Target::nvidia()].map(|target| target.with(Parameter::MatrixLeast, 1)) {
        let target = Target { compute_units: 1, ..target }.with(Parameter::MatrixCells, 1);
        let program = compiled(&kernel, &target);
        assert!(program.opencl.text.contains("_of_round["), "{}", program.opencl.text);
        for sizes in [[1, 1, 1, 1], [2, 7, 5, 300], [1, 16, 40, 70], [3, 11, 33, 257]] {
            if let Err(problem) = agree(&kernel, &program, &images(sizes)) {
                panic!("{problem}");
            }
        }
    }
}
