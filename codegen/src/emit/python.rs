//! A Python module on `pyopencl` and NumPy: `Kernel(queue)(xs, …)` gives the result as arrays, tuples and numbers.
//!
//! The plan becomes data of Python, sizes functions of the sizes known so far; `runtime.py` does the rest.

use super::size::{Function, Language, condition, expression};
use crate::plan::{Arg, BufferRole, Layout, Program, Step};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var, VarKind};

/// Prints a kernel as a module. `place` names a place in the source, as in `3:5`. An error names what cannot be written.
pub fn print(program: &Program, place: &dyn Fn(&Origin) -> String) -> Result<String, String> {
    let plan = &program.plan;
    let measured = plan.measured();
    let inputs: Vec<String> = plan.inputs.iter().map(|i| format!("{} : {}", i.name, i.ty)).collect();
    let doc =
        format!("{}: generated from Lift.\n\n{}\nthe result : {}", plan.kernel, inputs.join("\n"), plan.result_ty);
    let mut out = format!("{}\n\nimport numpy as np\nimport pyopencl as cl\n\n", literal(&doc));
    out += "SOURCE = (\n";
    for line in program.opencl.text.lines() {
        out += &format!("    {}\n", literal(&format!("{line}\n")));
    }
    out += ")\n\n";
    let at = |origin: &Origin| match place(origin) {
        place if place.is_empty() => String::new(),
        place => format!(" (at {place})"),
    };
    let sizes: Vec<String> = plan.sizes.iter().map(|v| literal(&v.name)).collect();
    out += &format!("SIZES = [{}]\n", sizes.join(", "));
    let longest: Vec<String> = plan.input_lengths().iter().map(key).collect();
    out += &format!("LONGEST = [{}]\n", longest.join(", "));
    out += "INPUTS = [\n";
    for input in &plan.inputs {
        out += &format!("    ({}, {}),\n", literal(&input.name), layout(&input.layout)?);
    }
    out += &format!("]\nRESULT = {}\nBUFFERS = [\n", layout(&plan.result)?);
    for b in &plan.buffers {
        let role = match b.role {
            BufferRole::Input => "input",
            BufferRole::Output => "output",
            BufferRole::Temporary => "temporary",
            BufferRole::State => "state",
            BufferRole::Failure => "failure",
        };
        let (name, element) = (literal(&b.name), literal(&b.element.to_string()));
        let waits: Vec<String> = measured.iter().filter(|v| b.capacity.vars().contains(v)).map(key).collect();
        let (capacity, role) = (function(&b.capacity)?, literal(role));
        out += &format!("    ({name}, {element}, {capacity}, {role}, [{}]),\n", waits.join(", "));
    }
    out += "]\nCHECKS = [\n";
    for (assumption, origin) in &plan.checks {
        let message = format!("the program relies on `{assumption}`, which is false{}", at(origin));
        out += &format!("    ({}, lambda s: {}),\n", literal(&message), condition(&Python, assumption, "and")?);
    }
    out += &format!("]\nSTEPS = {}\nFAILURES = [\n", steps(&plan.steps, 0)?);
    for failure in &plan.failures {
        out += &format!("    {},\n", literal(&format!("{}{}", failure.message, at(&failure.origin))));
    }
    Ok(out + "]\n\n\n" + include_str!("runtime.py"))
}

struct Python;

impl Language for Python {
    fn var(&self, v: &Var) -> String {
        format!("s[{}]", key(v))
    }
    fn call(&self, function: Function, args: &[String]) -> String {
        match (function, args) {
            (Function::Mul, [a, b]) => format!("({a} * {b})"),
            (Function::Pow, [a, b]) => format!("({a} ** {b})"),
            (Function::Min, _) => format!("min({})", args.join(", ")),
            (Function::Max, _) => format!("max({})", args.join(", ")),
            (Function::Mod, _) => format!("_mod({})", args.join(", ")),
            _ => format!("_div({})", args.join(", ")),
        }
    }
    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String {
        format!("({then} if {condition} else {otherwise})")
    }
    fn sum(
        &self,
        index: &Var,
        count: &str,
        body: &dyn Fn(&dyn Language) -> Result<String, String>,
    ) -> Result<String, String> {
        Under(Vec::new()).sum(index, count, body)
    }
}

/// Inside of sums: their indices are names.
struct Under(Vec<Var>);

impl Language for Under {
    fn var(&self, v: &Var) -> String {
        if self.0.contains(v) { format!("i_{}", v.id) } else { Python.var(v) }
    }
    fn call(&self, function: Function, args: &[String]) -> String {
        Python.call(function, args)
    }
    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String {
        Python.choose(condition, then, otherwise)
    }
    fn sum(
        &self,
        index: &Var,
        count: &str,
        body: &dyn Fn(&dyn Language) -> Result<String, String>,
    ) -> Result<String, String> {
        let body = body(&Under(self.0.iter().chain([index]).cloned().collect()))?;
        Ok(format!("sum({body} for i_{} in range({count}))", index.id))
    }
}

/// A text as a literal of Python.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\U{:08x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// What a size goes by: its name, if no other can have it.
fn key(v: &Var) -> String {
    match v.kind {
        VarKind::Param => literal(&v.name),
        _ => literal(&format!("{} {}", v.name, v.id)),
    }
}

fn function(s: &Size) -> Result<String, String> {
    Ok(format!("lambda s: {}", expression(&Python, s)?))
}

fn layout(l: &Layout) -> Result<String, String> {
    Ok(match l {
        Layout::Scalar(b) => format!("(\"scalar\", {})", b.0),
        Layout::Vec { buffer, width } => format!("(\"vector\", {}, {width})", buffer.0),
        Layout::Tuple(parts) => {
            let parts = parts.iter().map(layout).collect::<Result<Vec<_>, _>>()?;
            format!("(\"tuple\", [{}])", parts.join(", "))
        }
        Layout::Array { len, element } => {
            let name = len.as_var().map_or_else(|| "None".to_string(), key);
            format!("(\"array\", {name}, {}, {})", function(len)?, layout(element)?)
        }
        Layout::Packed { len, position, element } => {
            let name = len.as_var().map_or_else(|| "None".to_string(), key);
            format!("(\"packed\", {name}, {}, {}, {})", function(len)?, layout(element)?, key(position))
        }
        Layout::Exists { lengths, body } => {
            let mut all = Vec::new();
            for l in lengths {
                let longest = l.at_most.as_var().map_or_else(|| "None".to_string(), key);
                all.push(format!("({}, {}, {}, {longest})", key(&l.var), l.buffer.0, function(&l.at_most)?));
            }
            format!("(\"exists\", [{}], {})", all.join(", "), layout(body)?)
        }
    })
}

fn steps(all: &[Step], depth: usize) -> Result<String, String> {
    let indent = "    ".repeat(depth);
    let mut out = String::from("[\n");
    for step in all {
        let text = match step {
            Step::Launch(launch) => {
                let mut args = Vec::new();
                for arg in &launch.args {
                    args.push(match arg {
                        Arg::Buffer(id) => format!("(\"buffer\", {})", id.0),
                        Arg::Size { value, wide } => {
                            format!("(\"{}\", {})", if *wide { "long" } else { "int" }, function(value)?)
                        }
                        Arg::Local { bytes } => format!("(\"local\", {})", function(bytes)?),
                    });
                }
                let mut groups = Vec::new();
                for count in &launch.groups {
                    let wish = expression(&Python, &count.wish)?;
                    groups.push(match count.multiple_of {
                        0 | 1 => format!("lambda s: {wish}"),
                        n => format!("lambda s: -(-({wish}) // {n}) * {n}"),
                    });
                }
                let local: Vec<String> = launch.local.iter().map(|n| n.max(&1).to_string()).collect();
                let exact = if launch.exact_local { "True" } else { "False" };
                let only_if: Result<Vec<_>, _> = launch.only_if.iter().map(function).collect();
                let only_if = only_if?.join(", ");
                let (kernel, args) = (literal(&launch.kernel), args.join(", "));
                format!(
                    "(\"launch\", {kernel}, [{args}], [{}], [{}], {exact}, [{only_if}])",
                    groups.join(", "),
                    local.join(", ")
                )
            }
            Step::Zero(id) => format!("(\"zero\", {})", id.0),
            Step::Repeat { count, steps: inner } => {
                format!("(\"repeat\", {}, {})", function(count)?, steps(inner, depth + 1)?)
            }
            Step::While { test, flag, steps: inner } => {
                format!("(\"while\", {}, {}, {})", steps(test, depth + 1)?, flag.0, steps(inner, depth + 1)?)
            }
            Step::Swap(a, b) => format!("(\"swap\", {}, {})", a.0, b.0),
            Step::Measure { var, from, negative } => {
                format!("(\"measure\", {}, {}, {negative})", key(var), from.0)
            }
        };
        out += &format!("{indent}    {text},\n");
    }
    Ok(out + &indent + "]")
}
