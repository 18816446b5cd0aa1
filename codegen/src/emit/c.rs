//! One C file and its header: a plain function that runs the kernel on host memory, one that runs it on OpenCL buffers.
//!
//! Arguments are the sizes, then the input buffers of the plan, then the buffers of its result, in their order: a
//! structure of arrays, as `docs/plan.md` describes. Where the room for a result is known before the run, the caller
//! gives it, and a function says how much; else it is made by the call.

use super::size::{Function, Language, condition, expression};
use super::{kernels, waits};
use crate::opencl::Names;
use crate::plan::{Arg, Buffer, BufferId, BufferRole, LONGEST, Launch, Layout, Plan, Program, Step};
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The two files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub header: String,
    pub source: String,
}

/// Prints a kernel. `stem` is the name of the files without their ending; `place` names a place in the source, as in
/// `3:5`. An error names what cannot be written in C.
pub fn print(program: &Program, stem: &str, place: &dyn Fn(&Origin) -> String) -> Result<Files, String> {
    let plan = &program.plan;
    let mut names = Names::default();
    for word in RESERVED {
        names.reserve(word);
    }
    let kernel = names.fresh(&plan.kernel);
    let measured = plan.measured();
    let longest = plan.input_lengths();
    let given = plan.sizes.len() + longest.len();
    let sizes = plan.sizes.iter().chain(&longest).chain(&measured).map(|v| (v.clone(), names.fresh(&v.name))).collect();
    let buffers = plan.buffers.iter().map(|b| names.fresh(&b.name)).collect();
    let p = Printer { plan, kernel, measured, sizes, given, buffers, used: RefCell::default(), place };
    Ok(Files { header: p.header(stem)?, source: p.source(stem, &program.opencl.text)? })
}

const RESERVED: &[&str] = &[
    "program",
    "queue",
    "status",
    "code",
    "owned",
    "done",
    "failure_flag",
    "groups",
    "local",
    "kernel",
    "found",
    "context",
    "device",
    "error",
    "source",
    "kernel_names",
    "messages",
    "fail",
    "check",
    "fill",
    "argument",
    "launch",
    "allocate",
    "make",
    "told",
    "check_sizes",
    "copy_in",
    "copy_out",
    "given",
    "bytes",
    "main",
    "int64_t",
    "size_t",
    "free",
    "malloc",
    "round",
    "min",
    "max",
    "NULL",
    "struct",
    "static",
];

struct Printer<'a> {
    plan: &'a Plan,
    /// What the functions' names begin with.
    kernel: Name,
    measured: Vec<Var>,
    sizes: Vec<(Var, Name)>,
    /// How many of them the caller gives: the first.
    given: usize,
    /// By buffer.
    buffers: Vec<Name>,
    /// Helpers that were called.
    used: RefCell<BTreeSet<Function>>,
    place: &'a dyn Fn(&Origin) -> String,
}

impl Language for Printer<'_> {
    fn var(&self, v: &Var) -> String {
        let known = self.sizes.iter().find(|(var, _)| var == v);
        known.map_or_else(|| "0".into(), |(_, name)| name.to_string())
    }
    fn call(&self, function: Function, args: &[String]) -> String {
        self.used.borrow_mut().insert(function);
        format!("{}({})", helper_name(function), args.join(", "))
    }
    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String {
        format!("({condition} ? {then} : {otherwise})")
    }
    fn sum(&self, index: &Var, _: &str, _: &dyn Fn(&dyn Language) -> Result<String, String>) -> Result<String, String> {
        Err(format!("a size that is a sum over {index} without a closed form is not written in C"))
    }
}

fn helper_name(function: Function) -> &'static str {
    match function {
        Function::Min => "size_min",
        Function::Max => "size_max",
        Function::FloorDiv => "size_div",
        Function::Mod => "size_mod",
        Function::Pow => "size_pow",
        Function::Mul => "size_mul",
    }
}

fn helper_text(function: Function) -> &'static str {
    match function {
        Function::Min => "static int64_t size_min(int64_t a, int64_t b)\n{\n  return a < b ? a : b;\n}\n",
        Function::Max => "static int64_t size_max(int64_t a, int64_t b)\n{\n  return a > b ? a : b;\n}\n",
        Function::FloorDiv => {
            "static int64_t size_div(int64_t a, int64_t b)\n{\n  return b <= 0 ? -1 : a / b - (a % b < 0);\n}\n"
        }
        Function::Mod => {
            "static int64_t size_mod(int64_t a, int64_t b)\n{\n  return b <= 0 ? -1 : (a % b + b) % b;\n}\n"
        }
        Function::Mul => {
            "/* What is too large stays the largest. */\nstatic int64_t size_mul(int64_t a, int64_t b)\n{\n  \
             if (a > 0 && b > INT64_MAX / a) {\n    return INT64_MAX;\n  }\n  return a * b;\n}\n"
        }
        Function::Pow => {
            "static int64_t size_pow(int64_t base, int64_t exponent)\n{\n  int64_t result = 1;\n  \
             for (int64_t i = 0; i < exponent && result <= INT32_MAX; i++) {\n    result *= base;\n  }\n  \
             return result;\n}\n"
        }
    }
}

fn c_type(s: Scalar) -> &'static str {
    match s {
        Scalar::Int => "cl_int",
        Scalar::Long => "cl_long",
        Scalar::Float => "cl_float",
        Scalar::Double => "cl_double",
        Scalar::Bool => "cl_uchar",
    }
}

/// A text as a C literal.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // No trigraphs.
            '?' => out.push_str("\\?"),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            c => {
                let mut bytes = [0; 4];
                // Octal: a digit behind a hexadecimal escape would belong to it.
                c.encode_utf8(&mut bytes).bytes().for_each(|b| out.push_str(&format!("\\{b:03o}")));
            }
        }
    }
    out + "\""
}

/// A text inside of a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

impl<'a> Printer<'a> {
    fn with_role(&self, role: BufferRole) -> impl Iterator<Item = (usize, &'a Buffer)> + use<'a> {
        self.plan.buffers.iter().enumerate().filter(move |(_, b)| b.role == role)
    }
    fn expr(&self, s: &Size) -> Result<String, String> {
        expression(self, s)
    }
    /// Whether the room for a result is known only during the run.
    fn late(&self, b: &Buffer) -> bool {
        waits(&b.capacity, &self.measured)
    }
    /// The input is a number by itself, which is given as such.
    fn is_number(&self, i: usize) -> bool {
        let id = BufferId(i as u32);
        self.plan.inputs.iter().any(|input| matches!(&input.layout, Layout::Scalar(b) if *b == id))
    }

    fn size_params(&self) -> String {
        let params = &self.sizes[..self.given];
        params.iter().map(|(_, name)| format!(", int64_t {name}")).collect()
    }
    fn size_args(&self) -> String {
        self.sizes[..self.given].iter().map(|(_, name)| format!(", {name}")).collect()
    }

    /// `int k_run(…)`, on host memory.
    fn run_signature(&self) -> String {
        let mut out = format!("int {k}_run(struct {k} *program{}", self.size_params(), k = self.kernel);
        for (i, b) in self.with_role(BufferRole::Input) {
            let star = if self.is_number(i) { " " } else { " *" };
            let constant = if self.is_number(i) { "" } else { "const " };
            out += &format!(", {constant}{}{star}{}", c_type(b.element), self.buffers[i]);
        }
        for (i, b) in self.with_role(BufferRole::Output) {
            let (ty, name) = (c_type(b.element), &self.buffers[i]);
            out +=
                &if self.late(b) { format!(", {ty} **{name}, size_t *{name}_room") } else { format!(", {ty} *{name}") };
        }
        out + ")"
    }

    /// `int k_run_on(…)`, on OpenCL buffers.
    fn run_on_signature(&self) -> String {
        let mut out = format!(
            "int {k}_run_on(struct {k} *program, cl_command_queue queue{}",
            self.size_params(),
            k = self.kernel
        );
        for (i, _) in self.with_role(BufferRole::Input) {
            out += &format!(", cl_mem {}", self.buffers[i]);
        }
        for (i, b) in self.with_role(BufferRole::Output) {
            let name = &self.buffers[i];
            out += &if self.late(b) {
                format!(", cl_mem *{name}, size_t *{name}_room")
            } else {
                format!(", cl_mem {name}")
            };
        }
        out + ")"
    }

    fn room_signature(&self, i: usize) -> String {
        let params = self.size_params();
        let params = params.strip_prefix(", ").unwrap_or("void");
        format!("size_t {}_room_{}({params})", self.kernel, self.buffers[i])
    }

    fn header(&self, stem: &str) -> Result<String, String> {
        let k = &self.kernel;
        let guard: String =
            stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
        let mut out = format!(
            "/* {}: generated from Lift. */\n#ifndef LIFT_{guard}_H\n#define LIFT_{guard}_H\n\n\
             #ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION 120\n#endif\n\
             #include <CL/cl.h>\n#include <stddef.h>\n#include <stdint.h>\n\n\
             #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
            comment(&self.plan.kernel)
        );
        out += &format!(
            "/* The kernel, built for a device. One thread at a time may use it. */\nstruct {k};\n\n\
             /* NULL if it cannot be built: `error`, unless it is NULL, then points to a text that says why, to be given to\n   \
             free(). */\n\
             struct {k} *{k}_create(cl_context context, cl_device_id device, char **error);\n\
             void {k}_free(struct {k} *program);\n\n\
             /* What the last run that failed found wrong. */\n\
             const char *{k}_error(const struct {k} *program);\n\n"
        );
        for input in &self.plan.inputs {
            out += &format!("/* {} : {} */\n", comment(&input.name), comment(&input.ty.to_string()));
        }
        for (_, name) in &self.sizes[self.plan.sizes.len()..self.given] {
            out += &format!("/* {name}: the greatest of a length that an input hides, for which it has room */\n");
        }
        out += &format!("/* the result : {} */\n", comment(&self.plan.result_ty.to_string()));
        for (i, b) in self.with_role(BufferRole::Output) {
            let name = &self.buffers[i];
            out += &if self.late(b) {
                format!(
                    "/* {name}: its room is found by the run, {}: *{name} is made by it (host memory is to be given to \
                     free(), a buffer to be released), and *{name}_room says for how many elements. */\n",
                    comment(&b.capacity.to_string())
                )
            } else {
                format!(
                    "/* {name}: room for {} elements, which the next function computes. */\n{};\n",
                    comment(&b.capacity.to_string()),
                    self.room_signature(i)
                )
            };
        }
        out += &format!(
            "\n/* Runs on host memory. 0, or -1 and an error. */\n{};\n\n\
             /* Runs on buffers of the device, in an in-order queue of it; when it returns all work is enqueued, and done\n   \
             if the kernel can fail. */\n{};\n\n\
             #ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
            self.run_signature(),
            self.run_on_signature()
        );
        Ok(out)
    }

    fn source(&self, stem: &str, opencl: &str) -> Result<String, String> {
        // The bodies first: they say which helpers they need.
        let (run_on, run, check_sizes) = (self.run_on()?, self.run()?, self.check_sizes()?);
        let mut rooms = String::new();
        for (i, b) in self.with_role(BufferRole::Output).filter(|(_, b)| !self.late(b)) {
            let unused: String =
                self.sizes[..self.given].iter().map(|(_, name)| format!("  (void){name};\n")).collect();
            rooms += &format!(
                "\n{}\n{{\n{unused}  const int64_t count = {};\n  return count > 0 ? (size_t)count : 0;\n}}\n",
                self.room_signature(i),
                self.expr(&b.capacity)?
            );
        }
        let k = &self.kernel;
        let kernels = kernels(self.plan);
        let mut out = format!(
            "/* {}: generated from Lift. */\n#include \"{stem}.h\"\n#include <stdarg.h>\n#include <stdio.h>\n\
             #include <stdlib.h>\n#include <string.h>\n\n#define lift_program {k}\n#define LIFT_LONGEST {LONGEST}\n\
             #define LIFT_KERNELS {}\n\n",
            comment(&self.plan.kernel),
            kernels.len().max(1),
        );
        out += &format!(
            "struct {k} {{\n  cl_context context;\n  cl_device_id device;\n  cl_command_queue queue;\n  \
             cl_program built;\n  cl_kernel kernels[LIFT_KERNELS];\n  char error[512];\n}};\n\n"
        );
        out += "static const char *const source[] = {\n";
        for line in opencl.lines() {
            out += &format!("  {},\n", literal(&format!("{line}\n")));
        }
        out += "};\n\nstatic const char *const kernel_names[] = {";
        out += &kernels.iter().map(|name| literal(name)).collect::<Vec<_>>().join(", ");
        out += "};\n\n";
        if !self.plan.failures.is_empty() {
            out += "static const char *const messages[] = {\n";
            for failure in &self.plan.failures {
                let place = (self.place)(&failure.origin);
                let at = if place.is_empty() { String::new() } else { format!(" (at {place})") };
                out += &format!("  {},\n", literal(&format!("{}{at}", failure.message)));
            }
            out += "};\n\n";
        }
        out += &self.runtime(&run_on, &run);
        out += include_str!("runtime_build.c");
        for function in self.used.borrow().iter() {
            out += "\n";
            out += helper_text(*function);
        }
        out += &rooms;
        out += &format!("\n{check_sizes}");
        out += &format!(
            "\nstruct {k} *{k}_create(cl_context context, cl_device_id device, char **error)\n{{\n  \
             return make(context, device, error);\n}}\n\n\
             void {k}_free(struct {k} *program)\n{{\n  if (program) {{\n    give_back(program);\n  }}\n}}\n\n\
             const char *{k}_error(const struct {k} *program)\n{{\n  return program->error;\n}}\n\n"
        );
        Ok(out + &run_on + "\n" + &run)
    }

    /// Of the functions that every kernel could need those that this one calls: compilers warn of the others.
    fn runtime(&self, run_on: &str, run: &str) -> String {
        let mut out = String::new();
        let all: Vec<&str> = include_str!("runtime.c").split_inclusive("\n}\n").collect();
        let name = |text: &str| {
            let at = text.find("static int ").map_or("", |at| &text[at + "static int ".len()..]);
            at.split('(').next().unwrap_or("").to_string()
        };
        for (i, text) in all.iter().enumerate() {
            let call = format!("{}(", name(text));
            let later = all[i + 1..].iter().any(|t| t.contains(&call));
            if later || run_on.contains(&call) || run.contains(&call) {
                out += text.trim_start_matches('\n');
                out.push('\n');
            }
        }
        out
    }

    fn run_on(&self) -> Result<String, String> {
        let mut b = Body::default();
        b.line(&self.run_on_signature());
        b.line("{");
        b.depth = 1;
        b.line("int status = -1;");
        b.line(&format!("cl_mem owned[{}] = {{0}};", self.plan.buffers.len().max(1)));
        for (_, name) in &self.sizes[self.given..] {
            b.line(&format!("int64_t {name} = 0;"));
        }
        // Swaps change which memory a name means.
        for (i, buffer) in self.plan.buffers.iter().enumerate() {
            let name = &self.buffers[i];
            match buffer.role {
                BufferRole::Input => b.line(&format!("cl_mem b_{name} = {name};")),
                BufferRole::Output if !self.late(buffer) => b.line(&format!("cl_mem b_{name} = {name};")),
                _ => b.line(&format!("cl_mem b_{name} = NULL;")),
            }
        }
        b.line(&format!("if (check_sizes(program{})) {{", self.size_args()));
        b.line("  goto done;");
        b.line("}");
        for i in 0..self.plan.buffers.len() {
            let buffer = &self.plan.buffers[i];
            let made = match buffer.role {
                BufferRole::Input => false,
                BufferRole::Output | BufferRole::Temporary | BufferRole::State | BufferRole::Failure => {
                    !self.late(buffer) && buffer.role != BufferRole::Output
                }
            };
            if made {
                self.allocate(&mut b, i)?;
            }
            if buffer.role == BufferRole::Failure {
                b.line(&format!("if (fill(program, queue, b_{})) {{ goto done; }}", self.buffers[i]));
            }
        }
        self.steps(&mut b, &self.plan.steps)?;
        self.failed(&mut b);
        for (i, buffer) in self.with_role(BufferRole::Output) {
            let name = &self.buffers[i];
            if self.late(buffer) {
                b.line(&format!("*{name} = b_{name};"));
                b.line(&format!("*{name}_room = (size_t){};", self.expr(&buffer.capacity)?));
                b.line(&format!("clRetainMemObject(b_{name});"));
            } else if self.swaps(BufferId(i as u32)) {
                b.line(&format!(
                    "if (b_{name} != {name} && check(program, clEnqueueCopyBuffer(queue, b_{name}, {name}, 0, 0,"
                ));
                b.line(&format!(
                    "    (size_t){} * sizeof({}), 0, NULL, NULL), \"copy the result\")) {{",
                    self.expr(&Size::max(&buffer.capacity, &Size::one()))?,
                    c_type(buffer.element)
                ));
                b.line("  goto done;");
                b.line("}");
            }
        }
        b.line("status = check(program, clFlush(queue), \"start the work\");");
        b.depth = 0;
        b.line("done:");
        b.depth = 1;
        b.line("for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {");
        b.line("  if (owned[i]) {");
        b.line("    clReleaseMemObject(owned[i]);");
        b.line("  }");
        b.line("}");
        b.line("return status;");
        b.depth = 0;
        b.line("}");
        Ok(b.text)
    }

    /// What is wrong with the sizes.
    fn check_sizes(&self) -> Result<String, String> {
        let mut b = Body::default();
        b.line(&format!("static int check_sizes(struct {} *program{})", self.kernel, self.size_params()));
        b.line("{");
        b.depth = 1;
        b.line("program->error[0] = 0;");
        for (_, name) in &self.sizes[..self.given] {
            b.line(&format!("if ({name} < 0 || {name} > INT32_MAX) {{"));
            let text = format!("the size {name} = %lld is not between 0 and %d");
            b.line(&format!("  return fail(program, \"{text}\", (long long){name}, INT32_MAX);"));
            b.line("}");
        }
        for (assumption, origin) in &self.plan.checks {
            b.line(&format!("if (!({})) {{", condition(self, assumption, "&&")?));
            let place = (self.place)(origin);
            let at = if place.is_empty() { String::new() } else { format!(" (at {place})") };
            let text = format!("the program relies on `{assumption}`, which is false{at}");
            b.line(&format!("  return fail(program, \"%s\", {});", literal(&text)));
            b.line("}");
        }
        b.line("return 0;");
        b.depth = 0;
        b.line("}");
        Ok(b.text)
    }

    fn swaps(&self, id: BufferId) -> bool {
        fn any(steps: &[Step], id: BufferId) -> bool {
            steps.iter().any(|s| match s {
                Step::Swap(a, b) => *a == id || *b == id,
                Step::Repeat { steps, .. } => any(steps, id),
                _ => false,
            })
        }
        any(&self.plan.steps, id)
    }

    fn allocate(&self, b: &mut Body, i: usize) -> Result<(), String> {
        let (buffer, name) = (&self.plan.buffers[i], &self.buffers[i]);
        let (capacity, ty) = (self.expr(&buffer.capacity)?, c_type(buffer.element));
        b.line(&format!(
            "if (allocate(program, &owned[{i}], {capacity}, sizeof({ty}), {})) {{ goto done; }}",
            literal(&buffer.name)
        ));
        b.line(&format!("b_{name} = owned[{i}];"));
        if buffer.role == BufferRole::State {
            b.line(&format!("if (fill(program, queue, b_{name})) {{ goto done; }}"));
        }
        Ok(())
    }

    /// Reads what kernels found wrong.
    fn failed(&self, b: &mut Body) {
        let Some((i, _)) = self.with_role(BufferRole::Failure).next() else { return };
        b.line("{");
        b.line("  cl_int failure_flag[4] = {0};");
        b.line(&format!(
            "  if (copy_out(program, queue, b_{}, 4, sizeof(cl_int), failure_flag)) {{ goto done; }}",
            self.buffers[i]
        ));
        b.line("  if (failure_flag[0]) {");
        b.line("    fail_with(program, messages[failure_flag[1]], failure_flag[2], failure_flag[3]);");
        b.line("    goto done;");
        b.line("  }");
        b.line("}");
    }

    fn steps(&self, b: &mut Body, steps: &[Step]) -> Result<(), String> {
        for step in steps {
            match step {
                Step::Launch(launch) => self.launch(b, launch)?,
                Step::Zero(id) => {
                    b.line(&format!("if (fill(program, queue, b_{})) {{ goto done; }}", self.buffers[id.0 as usize]));
                }
                Step::Repeat { count, steps } => {
                    let count = self.expr(count)?;
                    b.line(&format!("for (int64_t round = {count}; round > 0; round--) {{"));
                    b.depth += 1;
                    self.steps(b, steps)?;
                    b.depth -= 1;
                    b.line("}");
                }
                Step::Swap(x, y) => {
                    let (x, y) = (&self.buffers[x.0 as usize], &self.buffers[y.0 as usize]);
                    b.line("{");
                    b.line(&format!("  const cl_mem given = b_{x};"));
                    b.line(&format!("  b_{x} = b_{y};"));
                    b.line(&format!("  b_{y} = given;"));
                    b.line("}");
                }
                Step::Measure { var, from, negative } => self.measure(b, var, *from, *negative)?,
            }
        }
        Ok(())
    }

    fn measure(&self, b: &mut Body, var: &Var, from: BufferId, negative: usize) -> Result<(), String> {
        self.failed(b);
        b.line("{");
        b.line("  cl_int found = 0;");
        let from = &self.buffers[from.0 as usize];
        b.line(&format!("  if (copy_out(program, queue, b_{from}, 1, sizeof found, &found)) {{ goto done; }}"));
        b.line("  if (found < 0) {");
        b.line(&format!("    fail_with(program, messages[{negative}], found, 0);"));
        b.line("    goto done;");
        b.line("  }");
        b.line(&format!("  {} = found;", self.var(var)));
        b.line("}");
        // Lengths in the order in which they are found: what needs several waits for the last.
        let last = |capacity: &Size| {
            let vars = capacity.vars();
            self.measured.iter().rev().find(|v| vars.contains(v)) == Some(var)
        };
        for i in 0..self.plan.buffers.len() {
            if last(&self.plan.buffers[i].capacity) {
                self.allocate(b, i)?;
            }
        }
        Ok(())
    }

    fn launch(&self, b: &mut Body, launch: &Launch) -> Result<(), String> {
        let index = kernels(self.plan).iter().position(|name| *name == launch.kernel).unwrap_or(0);
        b.line(&format!("{{ /* {} */", comment(&launch.label)));
        b.line(&format!("  const cl_kernel kernel = program->kernels[{index}];"));
        let mut groups = Vec::new();
        for count in &launch.groups {
            let wish = self.expr(&count.wish)?;
            groups.push(match count.multiple_of {
                0 | 1 => wish,
                n => {
                    let rounded = self.call(Function::FloorDiv, &[format!("({wish} + {})", n - 1), n.to_string()]);
                    format!("{rounded} * {n}")
                }
            });
        }
        b.line(&format!("  const int64_t groups[3] = {{{}}};", groups.join(", ")));
        let local: Vec<String> = launch.local.iter().map(|n| n.max(&1).to_string()).collect();
        b.line(&format!("  const size_t local[3] = {{{}}};", local.join(", ")));
        let mut calls = Vec::new();
        for (i, arg) in launch.args.iter().enumerate() {
            calls.push(match arg {
                Arg::Buffer(id) => {
                    let name = &self.buffers[id.0 as usize];
                    format!("argument(program, kernel, {i}, sizeof(cl_mem), &b_{name})")
                }
                Arg::Size { value, wide: false } => {
                    format!("int_argument(program, kernel, {i}, {})", self.expr(value)?)
                }
                Arg::Size { value, wide: true } => {
                    format!("argument(program, kernel, {i}, sizeof(cl_long), &(cl_long){{{}}})", self.expr(value)?)
                }
                Arg::Local { bytes } => {
                    format!("argument(program, kernel, {i}, (size_t){}, NULL)", self.expr(bytes)?)
                }
            });
        }
        let label = literal(&launch.label);
        calls
            .push(format!("launch(program, queue, kernel, groups, local, {}, {label})", i32::from(launch.exact_local)));
        for (i, call) in calls.iter().enumerate() {
            let (open, close) =
                (if i == 0 { "if (" } else { "    " }, if i + 1 == calls.len() { ") {" } else { " ||" });
            b.line(&format!("  {open}{call}{close}"));
        }
        b.line("    goto done;");
        b.line("  }");
        b.line("}");
        Ok(())
    }

    fn run(&self) -> Result<String, String> {
        let mut b = Body::default();
        b.line(&self.run_signature());
        b.line("{");
        b.depth = 1;
        b.line("const cl_command_queue queue = program->queue;");
        b.line("int status = -1;");
        let inputs: Vec<_> = self.with_role(BufferRole::Input).collect();
        let outputs: Vec<_> = self.with_role(BufferRole::Output).collect();
        for (i, _) in inputs.iter().chain(&outputs) {
            b.line(&format!("cl_mem b_{} = NULL;", self.buffers[*i]));
        }
        b.line(&format!("if (check_sizes(program{})) {{", self.size_args()));
        b.line("  goto done;");
        b.line("}");
        for (i, buffer) in &inputs {
            let (name, ty) = (&self.buffers[*i], c_type(buffer.element));
            let capacity = self.expr(&buffer.capacity)?;
            let from = if self.is_number(*i) { format!("&{name}") } else { name.to_string() };
            b.line(&format!(
                "if (allocate(program, &b_{name}, {capacity}, sizeof({ty}), {}) ||",
                literal(&buffer.name)
            ));
            b.line(&format!("    copy_in(program, queue, b_{name}, {capacity}, sizeof({ty}), {from})) {{"));
            b.line("  goto done;");
            b.line("}");
        }
        for (i, buffer) in outputs.iter().filter(|(_, b)| !self.late(b)) {
            let (name, ty) = (&self.buffers[*i], c_type(buffer.element));
            let capacity = self.expr(&buffer.capacity)?;
            b.line(&format!(
                "if (allocate(program, &b_{name}, {capacity}, sizeof({ty}), {})) {{ goto done; }}",
                literal(&buffer.name)
            ));
        }
        let mut args = String::new();
        for (i, _) in &inputs {
            args += &format!(", b_{}", self.buffers[*i]);
        }
        for (i, buffer) in &outputs {
            let name = &self.buffers[*i];
            args += &if self.late(buffer) { format!(", &b_{name}, {name}_room") } else { format!(", b_{name}") };
        }
        b.line(&format!("if ({}_run_on(program, queue{}{args})) {{ goto done; }}", self.kernel, self.size_args()));
        for (i, buffer) in &outputs {
            let (name, ty) = (&self.buffers[*i], c_type(buffer.element));
            let (count, to) = if self.late(buffer) {
                b.line(&format!("*{name} = malloc((*{name}_room > 0 ? *{name}_room : 1) * sizeof({ty}));"));
                b.line(&format!("if (!*{name}) {{"));
                b.line("  fail(program, \"there is no memory for the result\");");
                b.line("  goto done;");
                b.line("}");
                (format!("(int64_t)*{name}_room"), format!("*{name}"))
            } else {
                (self.expr(&buffer.capacity)?, name.to_string())
            };
            b.line(&format!("if (copy_out(program, queue, b_{name}, {count}, sizeof({ty}), {to})) {{ goto done; }}"));
        }
        b.line("status = 0;");
        b.depth = 0;
        b.line("done:");
        b.depth = 1;
        for (i, _) in inputs.iter().chain(&outputs) {
            b.line(&format!("if (b_{name}) {{ clReleaseMemObject(b_{name}); }}", name = self.buffers[*i]));
        }
        b.line("return status;");
        b.depth = 0;
        b.line("}");
        Ok(b.text)
    }
}

/// Lines of a function.
#[derive(Default)]
struct Body {
    text: String,
    depth: usize,
}

impl Body {
    fn line(&mut self, text: &str) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(text);
        self.text.push('\n');
    }
}
