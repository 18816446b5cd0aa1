//! Bodies of the C functions: checks, buffers, launches and copies, in the order of the plan's steps.

use super::{Printer, c_type, comment, literal};
use crate::emit::kernels;
use crate::emit::size::{Function, Language, condition};
use crate::plan::{Arg, BufferId, BufferRole, Launch, Step};
use lift_analysis::size::{Size, Var};

impl Printer<'_> {
    pub(super) fn run_on(&self) -> Result<String, String> {
        let mut b = Body::default();
        b.line(&self.run_on_signature());
        b.line("{");
        b.depth = 1;
        b.line("int status = -1;");
        for (_, name) in &self.sizes[self.given..] {
            b.line(&format!("int64_t {name} = 0;"));
        }
        // Swaps change the memory to which a name refers.
        for (i, buffer) in self.plan.buffers.iter().enumerate() {
            let name = &self.buffers[i];
            match buffer.role {
                BufferRole::Input => b.line(&format!("cl_mem b_{name} = {name};")),
                BufferRole::Output if !self.late(buffer) => b.line(&format!("cl_mem b_{name} = {name};")),
                _ => b.line(&format!("cl_mem b_{name} = NULL;")),
            }
        }
        b.line(&format!("if (check_sizes(program{}) || use_queue(program, queue)) {{", self.size_args()));
        b.line("  goto done;");
        b.line("}");
        for (i, buffer) in self.plan.buffers.iter().enumerate() {
            if buffer.role == BufferRole::Input || buffer.role == BufferRole::Output && !self.late(buffer) {
                b.line(&format!(
                    "if (has_room(program, {}, {}, sizeof({}), {})) {{ goto done; }}",
                    self.buffers[i],
                    self.expr(&buffer.capacity)?,
                    c_type(buffer.element),
                    literal(&buffer.name)
                ));
            }
        }
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
                b.line(&format!("hand_over(program, b_{name});"));
            } else if self.swaps(BufferId(i as u32)) {
                let count = self.expr(&buffer.capacity)?;
                b.line(&format!("if (b_{name} != {name} && {count} > 0 &&"));
                b.line(&format!("    check(program, clEnqueueCopyBuffer(queue, b_{name}, {name}, 0, 0,"));
                b.line(&format!(
                    "        (size_t){count} * sizeof({}), 0, NULL, NULL), \"copy the result\")) {{",
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
        b.line("return status;");
        b.depth = 0;
        b.line("}");
        Ok(self.without_unused_inputs(b.text))
    }

    /// Removes inputs that no launch takes: compilers warn about unused variables.
    fn without_unused_inputs(&self, text: String) -> String {
        let mut text = text;
        for (i, _) in self.with_role(BufferRole::Input) {
            let name = &self.buffers[i];
            let named = format!("  cl_mem b_{name} = {name};\n");
            let Some((before, after)) = text.split_once(&named) else { continue };
            if !super::mentions(after, &format!("b_{name}")) {
                text = format!("{before}  (void){name};\n{after}");
            }
        }
        text
    }

    /// The function that checks the sizes.
    pub(super) fn check_sizes(&self) -> Result<String, String> {
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
                step => step.inside().into_iter().any(|inner| any(inner, id)),
            })
        }
        any(&self.plan.steps, id)
    }

    fn allocate(&self, b: &mut Body, i: usize) -> Result<(), String> {
        let (buffer, name) = (&self.plan.buffers[i], &self.buffers[i]);
        let (capacity, ty) = (self.expr(&buffer.capacity)?, c_type(buffer.element));
        b.line(&format!(
            "if (allocate(program, {i}, &b_{name}, {capacity}, sizeof({ty}), {})) {{ goto done; }}",
            literal(&buffer.name)
        ));
        if buffer.role == BufferRole::State {
            b.line(&format!("if (fill(program, queue, b_{name})) {{ goto done; }}"));
        }
        Ok(())
    }

    /// Reads the failure buffer.
    fn failed(&self, b: &mut Body) {
        let Some((i, _)) = self.with_role(BufferRole::Failure).next() else { return };
        b.line("{");
        b.line("  cl_int failure_flag[4] = {0};");
        b.line(&format!(
            "  if (copy_out(program, queue, b_{}, 4, sizeof(cl_int), failure_flag)) {{ goto done; }}",
            self.buffers[i]
        ));
        b.line("  if (failure_flag[0]) {");
        b.line("    fail_with(program, failure_flag[1], failure_flag[2], failure_flag[3]);");
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
                Step::For { index, count, steps } => {
                    let (index, count) = (self.var(index), self.expr(count)?);
                    b.line(&format!("for ({index} = 0; {index} < {count}; {index}++) {{"));
                    b.depth += 1;
                    self.steps(b, steps)?;
                    b.depth -= 1;
                    b.line("}");
                }
                Step::While { test, flag, steps } => {
                    b.line("for (;;) {");
                    b.depth += 1;
                    self.steps(b, test)?;
                    self.failed(b);
                    b.line("cl_uchar again = 0;");
                    let flag = &self.buffers[flag.0 as usize];
                    b.line(&format!(
                        "if (copy_out(program, queue, b_{flag}, 1, sizeof again, &again)) {{ goto done; }}"
                    ));
                    b.line("if (!again) { break; }");
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
        b.line(&format!("    fail_with(program, {negative}, found, 0);"));
        b.line("    goto done;");
        b.line("  }");
        b.line(&format!("  {} = found;", self.var(var)));
        b.line("}");
        // In the order in which lengths are measured: a buffer that needs several waits for the last one.
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
        if !launch.only_if.is_empty() {
            let all: Result<Vec<_>, _> = launch.only_if.iter().map(|s| Ok(format!("{} > 0", self.expr(s)?))).collect();
            b.line(&format!("if ({})", all.map_err(|e: String| e)?.join(" && ")));
        }
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

    pub(super) fn run(&self) -> Result<String, String> {
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
                "if (allocate(program, {i}, &b_{name}, {capacity}, sizeof({ty}), {}) ||",
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
                "if (allocate(program, {i}, &b_{name}, {capacity}, sizeof({ty}), {})) {{ goto done; }}",
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
        // Allocated during the run; its contents have been copied.
        for (i, _) in outputs.iter().filter(|(_, b)| self.late(b)) {
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
