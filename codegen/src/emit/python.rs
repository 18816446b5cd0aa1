//! Emits kernels for Python, as a module on the package `lift_runtime`, or as JSON for a program that runs them itself.
//!
//! Both contain the plan as JSON ([`crate::plan::json`]) and the OpenCL text; the runtime interprets the plan.

use crate::parts::{self, Parts};
use crate::plan::{Program, json};
use lift_analysis::origin::Origin;

/// A kernel with its compiled programs.
pub struct Kernel<'a> {
    pub name: &'a str,
    /// Its documentation; may be empty.
    pub docs: &'a str,
    /// Changes whenever the meaning of the kernel does ([`crate::core::print::meaning`]).
    pub meaning: u64,
    /// One program for each class of devices, with the name of the class.
    pub programs: Vec<(&'a str, &'a Program)>,
}

/// A module with all kernels of the source file `source`; `place` formats a source location of a kernel, as `3:5`.
pub fn module(source: &str, kernels: &[Kernel<'_>], place: &dyn Fn(&str, &Origin) -> String) -> String {
    let mut names = Names::default();
    let named: Vec<(String, &Kernel<'_>)> = kernels.iter().map(|k| (names.of(k.name), k)).collect();
    let types: Vec<String> = named.iter().map(|(name, k)| format!("    {name} : {}\n", type_of(k))).collect();
    let doc = format!("{source}, compiled by lift.\n\n{}", types.concat());
    let mut out = format!("{}\n\n", text(&doc));
    out += "from lift_runtime import LiftError\nfrom lift_runtime import compiled as _compiled\n\n";
    out += "__all__ = [\n    \"LiftError\",\n";
    named.iter().for_each(|(name, _)| out += &format!("    \"{name}\",\n"));
    out += "]\n";
    for (name, kernel) in &named {
        out += &format!("\n{name} = _compiled(\n    {},\n    {},\n    {{\n", text(kernel.name), text(kernel.docs));
        for (target, program) in &kernel.programs {
            let plan = json::to_json(program, &format!("{}.cl", kernel.name), &|origin| place(kernel.name, origin));
            out += &format!("        \"{target}\": (\n{},\n{},\n        ),\n", text(&plan), text(&program.opencl.text));
        }
        out += "    },\n)\n";
    }
    out
}

/// A kernel as one line of JSON: its name, its documentation, and for each class of devices the plan and the OpenCL
/// text.
pub fn line(kernel: &Kernel<'_>, place: &dyn Fn(&Origin) -> String) -> String {
    described(kernel, place).to_string()
}

fn described(kernel: &Kernel<'_>, place: &dyn Fn(&Origin) -> String) -> serde_json::Value {
    let program = |(target, program): &(&str, &Program)| {
        let plan = json::to_json(program, &format!("{}.cl", kernel.name), place);
        ((*target).to_owned(), serde_json::json!([plan, program.opencl.text]))
    };
    let programs: serde_json::Map<_, _> = kernel.programs.iter().map(program).collect();
    let meaning = format!("{:016x}", kernel.meaning);
    serde_json::json!({ "kernel": kernel.name, "docs": kernel.docs, "meaning": meaning, "programs": programs })
}

/// A kernel in parts as one line of JSON: the steps, and for each kernel the content of [`line`].
pub fn parts_line(parts: &Parts, kernels: &[Kernel<'_>], place: &dyn Fn(&Origin) -> String) -> String {
    let kernels: Vec<serde_json::Value> = kernels.iter().map(|kernel| described(kernel, place)).collect();
    serde_json::json!({ "parts": parts::json::to_json(parts, place), "kernels": kernels }).to_string()
}

/// The module name for a source file: `scalar_product` for `scalar-product.lift`.
pub fn module_name(stem: &str) -> String {
    Names::default().of(stem)
}

/// The kernel's type, as in `Array[Float,N] -> Float`.
fn type_of(kernel: &Kernel<'_>) -> String {
    let Some((_, program)) = kernel.programs.first() else { return String::new() };
    let inputs = program.plan.inputs.iter().map(|input| format!("{} -> ", input.ty));
    format!("{}{}", inputs.collect::<String>(), program.plan.result_ty)
}

/// Unique names that are legal in Python.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn of(&mut self, name: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut wish: String = name.chars().map(plain).collect();
        if !wish.starts_with(|c: char| c.is_ascii_alphabetic()) {
            // A leading `_` would mark the name as private.
            wish = format!("k{wish}");
        }
        let taken = |name: &String| self.0.contains(name) || RESERVED.contains(&name.as_str());
        let mut found = wish.clone();
        for n in 2.. {
            if !taken(&found) {
                break;
            }
            found = if n == 2 && !self.0.contains(&wish) { format!("{wish}_") } else { format!("{wish}_{n}") };
        }
        self.0.push(found.clone());
        found
    }
}

/// Python's keywords, and other names of the module.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "LiftError", "lift_runtime",
];

/// A text as a Python string literal that keeps its lines.
fn text(text: &str) -> String {
    let mut out = String::from("'''");
    for c in text.chars() {
        match c {
            // Three of them in a row would end the literal.
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push('\n'),
            c if c.is_control() => out.push_str(&format!("\\U{:08x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "'''"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_such_as_python_takes() {
        let mut names = Names::default();
        let all = ["scalar-product", "step", "lambda", "a-b", "a_b", "x'", "2nd", "LiftError", "lambda_", "größe"];
        let given: Vec<String> = all.iter().map(|name| names.of(name)).collect();
        let expected =
            ["scalar_product", "step", "lambda_", "a_b", "a_b_2", "x_", "k2nd", "LiftError_", "lambda__2", "gr__e"];
        assert_eq!(given, expected);
    }
}
