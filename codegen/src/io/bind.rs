//! Binds the arguments of a run: those with a shape determine the sizes, and the sizes determine how many numbers are
//! generated for the others.

use super::generate::{Generator, generate};
use crate::core::Kernel;
use crate::interp::{RunError, RunErrorKind, Shaped, bind_shapes, bind_sizes, check_assumptions};
use crate::sizes::SizeValues;
use crate::value::Value;
use lift_analysis::size::Var;

/// An argument: read from a file or a literal, or to be generated.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    Value {
        value: Value,
        /// The dimensions, as far as they are known independently of the elements.
        dims: Vec<usize>,
    },
    Generated(Generator),
}

impl From<Value> for Argument {
    fn from(value: Value) -> Argument {
        Argument::Value { value, dims: Vec::new() }
    }
}

/// Arguments of a kernel whose sizes are known. Values are not generated yet, so a caller can refuse large ones before
/// they take memory.
#[derive(Debug, Clone)]
pub struct Bound<'k> {
    kernel: &'k Kernel,
    arguments: Vec<Argument>,
    pub sizes: SizeValues,
}

/// The values of all arguments and sizes.
pub fn bind(
    kernel: &Kernel,
    arguments: Vec<Argument>,
    given: &[(Var, i64)],
) -> Result<(Vec<Value>, SizeValues), RunError> {
    let bound = measure(kernel, arguments, given)?;
    let sizes = bound.sizes.clone();
    Ok((bound.into_values()?, sizes))
}

/// Determines the sizes of a run from the shapes of the arguments, where known, and from `given`. There must be one
/// argument for each parameter of `kernel`.
pub fn measure<'k>(kernel: &'k Kernel, arguments: Vec<Argument>, given: &[(Var, i64)]) -> Result<Bound<'k>, RunError> {
    if arguments.len() != kernel.params.len() {
        // The values do not matter: their wrong number gives the right error.
        let values = vec![Value::Tuple(Vec::new()); arguments.len()];
        let sizes = bind_sizes(kernel, &values, given)?;
        return Ok(Bound { kernel, arguments, sizes });
    }
    // The kernel with only those parameters whose shapes are known.
    let mut known = kernel.clone();
    known.params.clear();
    let mut shaped = Vec::new();
    for (param, argument) in kernel.params.iter().zip(&arguments) {
        if let Argument::Value { value, dims } = argument {
            known.params.push(*param);
            shaped.push(Shaped { value, dims });
        }
    }
    let sizes = bind_shapes(&known, &shaped, given)?;
    Ok(Bound { kernel, arguments, sizes })
}

impl Bound<'_> {
    /// The values of all arguments. Fails if an assumption of the kernel is false, because no values exist for
    /// impossible sizes, such as negative lengths of rows.
    pub fn into_values(self) -> Result<Vec<Value>, RunError> {
        let Bound { kernel, arguments, sizes } = self;
        check_assumptions(&kernel.assumptions, &sizes)?;
        let value = |(i, argument): (usize, Argument)| match argument {
            Argument::Value { value, .. } => Ok(super::packed::unpack(kernel.ty(kernel.params[i]), value, &sizes)),
            Argument::Generated(generator) => {
                let param = kernel.params[i];
                generate(generator, kernel.ty(param), &|v: &Var| sizes.get(v)).map_err(|e| {
                    RunError::new(RunErrorKind::Input, format!("input `{}`: {}", kernel.name_of(param), e.message))
                })
            }
        };
        arguments.into_iter().enumerate().map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::builder::{Builder, array, float};
    use crate::value::ArrayValue;
    use expect_test::expect;
    use lift_analysis::size::Size;

    /// `xs : Array[Float,N]`, `ys : Array[Float,2*N]`, `k : Float`
    fn kernel() -> Kernel {
        let mut b = Builder::new("f");
        let n = b.size("N");
        let xs = b.param("xs", array(float(), &n));
        b.param("ys", array(float(), &(Size::nat(2) * n)));
        b.param("k", float());
        b.finish(xs)
    }

    /// The sizes bound by an argument of type `Array[Array[Float,M],N]`, as text.
    fn bound_matrix(value: Value, dims: &[usize], given: &[i64]) -> String {
        let mut b = Builder::new("f");
        let (n, m) = (b.size("N"), b.size("M"));
        let xs = b.param("xs", array(array(float(), &m), &n));
        let kernel = b.finish(xs);
        let given: Vec<_> = given.iter().map(|m| (kernel.sizes[1].clone(), *m)).collect();
        match bind(&kernel, vec![Argument::Value { value, dims: dims.to_vec() }], &given) {
            Ok((_, sizes)) => sizes.iter().map(|(v, n)| format!("{v}={n} ")).collect(),
            Err(e) => e.to_string(),
        }
    }

    fn floats(values: &[f32]) -> Argument {
        Value::Array(ArrayValue::Float(values.to_vec())).into()
    }

    fn bound(arguments: Vec<Argument>, given: &[(&str, i64)]) -> String {
        let kernel = kernel();
        let var = |name: &str| kernel.sizes.iter().find(|v| &*v.name == name).expect("a size").clone();
        let given: Vec<_> = given.iter().map(|(name, value)| (var(name), *value)).collect();
        match bind(&kernel, arguments, &given) {
            Ok((values, sizes)) => {
                let sizes: Vec<String> = sizes.iter().map(|(v, n)| format!("{v}={n}")).collect();
                format!("{values:?} {}", sizes.join(" "))
            }
            Err(e) => e.to_string(),
        }
    }

    const IOTA: Argument = Argument::Generated(Generator::Iota);

    #[test]
    fn a_file_says_how_much_is_made() {
        expect!["[Array(Float([5.0, 6.0])), Array(Float([0.0, 1.0, 2.0, 3.0])), Float(0.0)] N=2"]
            .assert_eq(&bound(vec![floats(&[5.0, 6.0]), IOTA, IOTA], &[]));
        expect!["[Array(Float([0.0])), Array(Float([5.0, 6.0])), Float(0.0)] N=1"]
            .assert_eq(&bound(vec![IOTA, floats(&[5.0, 6.0]), IOTA], &[]));
    }

    #[test]
    fn a_file_says_how_long_rows_are_that_are_not_there() {
        let none = || Value::Array(ArrayValue::Values(Vec::new()));
        expect!["N=0 M=3 "].assert_eq(&bound_matrix(none(), &[0, 3], &[]));
        expect!["N=0 M=3 "].assert_eq(&bound_matrix(none(), &[0, 3], &[3]));
        expect!["the sizes disagree: `M` is given as 5, but the rows of `xs` have 3 elements"]
            .assert_eq(&bound_matrix(none(), &[0, 3], &[5]));
        expect!["N=0 M=5 "].assert_eq(&bound_matrix(none(), &[], &[5]));
        let empty = || Value::Array(ArrayValue::Float(Vec::new()));
        expect!["N=2 M=0 "].assert_eq(&bound_matrix(Value::rows([empty(), empty()]), &[2, 0], &[]));
    }

    #[test]
    fn a_given_size_says_it_too() {
        expect!["[Array(Float([0.0])), Array(Float([0.0, 1.0])), Float(0.0)] N=1"]
            .assert_eq(&bound(vec![IOTA, IOTA, IOTA], &[("N", 1)]));
    }

    #[test]
    fn what_nothing_says_is_asked_for() {
        expect!["the size `N` does not follow from the shapes of the inputs; give it, as in `--size N=16`"]
            .assert_eq(&bound(vec![IOTA, IOTA, IOTA], &[]));
    }

    #[test]
    fn disagreement_and_a_wrong_number_are_found() {
        expect!["the sizes disagree: `N` is given as 2, but `xs` has 1 element"]
            .assert_eq(&bound(vec![floats(&[5.0]), IOTA, IOTA], &[("N", 2)]));
        expect!["`ys` has 1 element, but by its type that number is `2*N`, which it is for no `N`"]
            .assert_eq(&bound(vec![IOTA, floats(&[5.0]), IOTA], &[]));
        expect!["`f` takes 3 inputs (`xs`, `ys`, `k`), but one is given"].assert_eq(&bound(vec![IOTA], &[]));
        expect!["`f` takes 3 inputs (`xs`, `ys`, `k`), but 4 are given"]
            .assert_eq(&bound(vec![IOTA, IOTA, IOTA, IOTA], &[("N", 2)]));
        expect!["input `xs`: 9223372036854775807 numbers would have to be made; at most 1073741824 can be"]
            .assert_eq(&bound(vec![IOTA, IOTA, IOTA], &[("N", i64::MAX)]));
    }
}
