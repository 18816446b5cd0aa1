//! The arguments of a run together: those that have a shape say what the sizes are, the sizes how many numbers are made
//! for the others.

use super::generate::{Generator, generate};
use crate::core::Kernel;
use crate::interp::{RunError, RunErrorKind, bind_sizes};
use crate::sizes::SizeValues;
use crate::value::Value;
use lift_analysis::size::Var;

/// An argument, read from a file or a literal, or still to be made.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    Value(Value),
    Generated(Generator),
}

/// The values of all arguments, one for each parameter of `kernel` in order, and of all its sizes, of which some may be
/// `given`.
pub fn bind(
    kernel: &Kernel,
    arguments: Vec<Argument>,
    given: &[(Var, i64)],
) -> Result<(Vec<Value>, SizeValues), RunError> {
    let is_generated = |argument: &Argument| matches!(argument, Argument::Generated(_));
    if arguments.len() != kernel.params.len() || !arguments.iter().any(is_generated) {
        // A wrong number of arguments is found there, too.
        let values: Vec<Value> = arguments.into_iter().map(Argument::into_value).collect();
        let sizes = bind_sizes(kernel, &values, given)?;
        return Ok((values, sizes));
    }
    let mut known = kernel.clone();
    known.params.clear();
    let (mut values, mut generators) = (Vec::new(), Vec::new());
    for (param, argument) in kernel.params.iter().zip(arguments) {
        match argument {
            Argument::Value(value) => {
                known.params.push(*param);
                values.push(value);
                generators.push(None);
            }
            Argument::Generated(generator) => generators.push(Some(generator)),
        }
    }
    let sizes = bind_sizes(&known, &values, given)?;
    let mut values = values.into_iter();
    let mut all = Vec::with_capacity(generators.len());
    for (param, generator) in kernel.params.iter().zip(generators) {
        all.extend(match generator {
            None => values.next(),
            Some(generator) => Some(generate(generator, kernel.ty(*param), &|v: &Var| sizes.get(v)).map_err(|e| {
                RunError::new(RunErrorKind::Input, format!("input `{}`: {}", kernel.name_of(*param), e.message))
            })?),
        });
    }
    // The sizes of generated arguments hold by their making; this says so of every type there is.
    let sizes = bind_sizes(kernel, &all, &sizes.iter().map(|(v, n)| (v.clone(), n)).collect::<Vec<_>>())?;
    Ok((all, sizes))
}

impl Argument {
    /// Something in place of an argument that is not made, where only the number of arguments matters.
    fn into_value(self) -> Value {
        match self {
            Argument::Value(value) => value,
            Argument::Generated(_) => Value::Tuple(Vec::new()),
        }
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

    fn floats(values: &[f32]) -> Argument {
        Argument::Value(Value::Array(ArrayValue::Float(values.to_vec())))
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
        expect!["input `xs`: 9223372036854775807 numbers would have to be made; at most 2147483647 can be"]
            .assert_eq(&bound(vec![IOTA, IOTA, IOTA], &[("N", i64::MAX)]));
    }
}
