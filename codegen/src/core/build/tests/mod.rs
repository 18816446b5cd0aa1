//! Programs, the kernels built from them, and their results.

mod functions;
mod lengths;
mod papers;
mod prelude;
mod programs;
mod random;
mod with;

use super::elaborated_kernel;
use crate::core::Kernel;
use crate::core::check::problems;
use crate::core::simplify::simplify;
use crate::interp::{Limits, run};
use crate::value::Value;
use expect_test::Expect;
use lift_analysis::db::{Db, Form, RootDatabase, forms};
use lift_analysis::queries::signature;

/// The last form of a program as a kernel, as built and simplified. Both must be well formed.
fn build(text: &str) -> Result<(Kernel, Kernel), String> {
    let mut db = RootDatabase::default();
    db.set_file("test.lift", text.into());
    let file = db.file("test.lift").ok_or("no file")?;
    let form: Form = *forms(&db, file).last().ok_or("no form")?;
    let kernel = elaborated_kernel(&db as &dyn Db, form).map_err(|e| {
        let at = e.origin.as_ref().map(|o| format!(" [{}]", o.form.name.as_deref().unwrap_or("_"))).unwrap_or_default();
        format!("error: {e}{at}")
    })?;
    assert_eq!(problems(&kernel), Vec::<String>::new(), "as built:\n{kernel}");
    // The kernel's type is the one the checker shows.
    let shown = signature(&db, form).map(|s| s.ty.uncurry().1.to_string());
    assert_eq!(shown.as_deref(), Some(kernel.result.to_string().as_str()), "{kernel}");
    let simple = simplify(kernel.clone());
    assert_eq!(problems(&simple), Vec::<String>::new(), "simplified:\n{simple}\nof:\n{kernel}");
    assert_eq!(kernel.result.to_string(), simple.result.to_string());
    Ok((kernel, simple))
}

fn result(text: &str, inputs: &[Value]) -> String {
    result_within(Limits::default(), text, inputs)
}

/// The result of the program; the same whether simplified or not.
fn result_within(limits: Limits, text: &str, inputs: &[Value]) -> String {
    let (kernel, simple) = match build(text) {
        Ok(kernels) => kernels,
        Err(problem) => return problem,
    };
    let run = |k: &Kernel| match run(k, inputs.to_vec(), &[], limits) {
        Ok(value) => value.to_string(),
        Err(e) => format!("stopped: {e}"),
    };
    let (before, after) = (run(&kernel), run(&simple));
    assert_eq!(before, after, "before:\n{kernel}\nafter:\n{simple}");
    after
}

fn check(text: &str, inputs: &[Value], expected: Expect) {
    expected.assert_eq(&result(text, inputs));
}

/// Compares the simplified kernel.
fn check_kernel(text: &str, expected: Expect) {
    expected.assert_eq(&match build(text) {
        Ok((_, simple)) => simple.to_string(),
        Err(problem) => problem,
    });
}

fn ints(xs: impl IntoIterator<Item = i32>) -> Value {
    Value::from(xs.into_iter().collect::<Vec<i32>>())
}
fn floats(xs: impl IntoIterator<Item = f32>) -> Value {
    Value::from(xs.into_iter().collect::<Vec<f32>>())
}
