//! Emits a C file and its header, with a function that runs the kernel on host memory and one that runs it on OpenCL
//! buffers.
//!
//! Arguments are the sizes, then the plan's input buffers, then the buffers of its result, in order: a structure of
//! arrays, described in `docs/plan.md`. If the capacity of a result is known before the run, a function returns it and
//! the caller provides the memory; otherwise the call allocates it.
//!
//! `body`: bodies of the C functions.

mod body;

use super::size::{Function, Language, where_used};
use super::{kernels, waits};
use crate::opencl::Names;
use crate::plan::{Buffer, BufferId, BufferRole, LONGEST, Layout, Plan, Program};
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The contents of the two files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub header: String,
    pub source: String,
}

/// Emits a kernel. `stem` is the file name without extension; `place` formats a source location, as `3:5`. An error
/// names a feature that cannot be written in C.
pub fn print(program: &Program, stem: &str, place: &dyn Fn(&Origin) -> String) -> Result<Files, String> {
    let plan = &program.plan;
    let mut names = Names::default();
    for word in RESERVED.iter().copied().chain(LIBRARY.split_whitespace()) {
        names.reserve(word);
    }
    let kernel = names.fresh(&plan.kernel);
    let measured = plan.measured();
    let longest = plan.input_lengths();
    let given = plan.sizes.len() + longest.len();
    let indices = plan.indices();
    let sizes = plan.sizes.iter().chain(&longest).chain(&measured).chain(&indices);
    let sizes = sizes.map(|v| (v.clone(), names.fresh(&v.name))).collect();
    let buffers = plan.buffers.iter().map(|b| names.fresh(&b.name)).collect();
    let p = Printer {
        plan,
        kernel,
        measured,
        sizes,
        given,
        buffers,
        used: RefCell::default(),
        sums: RefCell::default(),
        place,
    };
    Ok(Files { header: p.header(stem)?, source: p.source(stem, &program.opencl.text)? })
}

/// Functions of the included headers: C11, and additions of common systems.
const LIBRARY: &str = "
    abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc clearerr close div dprintf exit
    fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread free freopen fscanf fseek fsetpos
    ftell fwrite getc getchar getenv getline index labs ldiv link llabs lldiv main malloc mblen mbstowcs mbtowc
    memchr memcmp memcpy memmove memset offsetof open perror pipe printf putc putchar puts qsort quick_exit rand
    random read realloc remove rename rewind rindex scanf select setbuf setvbuf snprintf sprintf srand srandom
    sscanf strcat strchr strcmp strcoll strcpy strcspn strdup strerror strlen strncat strncmp strncpy strndup
    strpbrk strrchr strspn strstr strtod strtof strtok strtol strtold strtoll strtoul strtoull strxfrm system
    tmpfile tmpnam ungetc unlink vfprintf vprintf vsnprintf vsprintf wcstombs wctomb write
";

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
    "use_queue",
    "hand_over",
    "fail_with",
    "build_log",
    "build_options",
    "built",
    "give_back",
    "make",
    "told",
    "check_sizes",
    "copy_in",
    "copy_out",
    "given",
    "bytes",
    "int64_t",
    "size_t",
    "round",
    "again",
    "min",
    "max",
    "count",
    "all",
    "NULL",
    "struct",
    "static",
];

struct Printer<'a> {
    plan: &'a Plan,
    /// The prefix of the functions' names.
    kernel: Name,
    measured: Vec<Var>,
    sizes: Vec<(Var, Name)>,
    /// The number of sizes that the caller gives; they come first.
    given: usize,
    /// Names by buffer.
    buffers: Vec<Name>,
    /// Helpers in use.
    used: RefCell<BTreeSet<Function>>,
    /// Functions for sums without a closed form, each after those that it calls.
    sums: RefCell<Vec<String>>,
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
    fn sum(
        &self,
        index: &Var,
        count: &str,
        body: &dyn Fn(&dyn Language) -> Result<String, String>,
    ) -> Result<String, String> {
        Under { printer: self, indices: Vec::new() }.sum(index, count, body)
    }
}

/// The language inside a sum, where the sums' indices are arguments as well.
struct Under<'a, 'p> {
    printer: &'a Printer<'p>,
    indices: Vec<Var>,
}

impl Language for Under<'_, '_> {
    fn var(&self, v: &Var) -> String {
        if self.indices.contains(v) { format!("i_{}", v.id) } else { self.printer.var(v) }
    }
    fn call(&self, function: Function, args: &[String]) -> String {
        self.printer.call(function, args)
    }
    fn choose(&self, condition: &str, then: &str, otherwise: &str) -> String {
        self.printer.choose(condition, then, otherwise)
    }
    /// Makes a function of the sizes and surrounding indices that the sum mentions.
    fn sum(
        &self,
        index: &Var,
        count: &str,
        body: &dyn Fn(&dyn Language) -> Result<String, String>,
    ) -> Result<String, String> {
        let indices: Vec<Var> = self.indices.iter().chain([index]).cloned().collect();
        let body = body(&Under { printer: self.printer, indices })?;
        let names = self.printer.sizes.iter().map(|(_, name)| name.to_string());
        let names = names.chain(self.indices.iter().map(|v| format!("i_{}", v.id)));
        // Sizes that it does not mention may be unknown at the call.
        let names: Vec<String> = names.filter(|name| mentions(count, name) || mentions(&body, name)).collect();
        let params: Vec<String> = names.iter().map(|name| format!("int64_t {name}")).collect();
        let mut sums = self.printer.sums.borrow_mut();
        let (function, i) = (format!("size_sum_{}", sums.len() + 1), format!("i_{}", index.id));
        let mut text = match params.as_slice() {
            [] => format!("static int64_t {function}(void)\n{{\n"),
            params => format!("static int64_t {function}({})\n{{\n", params.join(", ")),
        };
        text += &format!("  const int64_t count = {count};\n  int64_t all = 0;\n");
        text +=
            &format!("  for (int64_t {i} = 0; {i} < count; {i}++) {{\n    all += {body};\n  }}\n  return all;\n}}\n");
        sums.push(text);
        Ok(format!("{function}({})", names.join(", ")))
    }
}

/// Whether an expression contains a name.
fn mentions(expression: &str, name: &str) -> bool {
    expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
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
        Scalar::Byte => "cl_char",
        Scalar::UByte => "cl_uchar",
        Scalar::Short => "cl_short",
        Scalar::UShort => "cl_ushort",
        Scalar::Int => "cl_int",
        Scalar::UInt => "cl_uint",
        Scalar::Long => "cl_long",
        Scalar::ULong => "cl_ulong",
        Scalar::Half => "cl_half",
        Scalar::Float => "cl_float",
        Scalar::Double => "cl_double",
        Scalar::Bool => "cl_uchar",
    }
}

/// A text as a C string literal.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // Avoids trigraphs.
            '?' => out.push_str("\\?"),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            c => {
                let mut bytes = [0; 4];
                // Octal, because a digit after a hexadecimal escape would become part of it.
                c.encode_utf8(&mut bytes).bytes().for_each(|b| out.push_str(&format!("\\{b:03o}")));
            }
        }
    }
    out + "\""
}

/// A text inside a C comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

impl<'a> Printer<'a> {
    fn with_role(&self, role: BufferRole) -> impl Iterator<Item = (usize, &'a Buffer)> + use<'a> {
        self.plan.buffers.iter().enumerate().filter(move |(_, b)| b.role == role)
    }
    fn expr(&self, s: &Size) -> Result<String, String> {
        where_used(self, s)
    }
    /// Whether the capacity of a buffer is known only during the run.
    fn late(&self, b: &Buffer) -> bool {
        waits(&b.capacity, &self.measured)
    }
    /// Whether input `i` is a single number, passed by value.
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

    /// The signature `int k_run(…)`, on host memory.
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

    /// The signature `int k_run_on(…)`, on OpenCL buffers.
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
            "/* The kernel, built for a device. One thread at a time may use it; it keeps its memory for the next run. */\n\
             struct {k};\n\n\
             /* NULL if it cannot be built: `error`, unless it is NULL, then points to a text that says why, to be given to\n   \
             free(). */\n\
             struct {k} *{k}_create(cl_context context, cl_device_id device, char **error);\n\
             /* Another one for another thread, without building it again. */\n\
             struct {k} *{k}_clone(const struct {k} *program, char **error);\n\
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
                    "/* {name}: room for {}, which the next function computes. */\n{};\n",
                    if b.capacity.is_one() {
                        "1 element".into()
                    } else {
                        format!("{} elements", comment(&b.capacity.to_string()))
                    },
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
        // The bodies first, because they determine the helpers needed.
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
             #define LIFT_KERNELS {}\n#define LIFT_BUFFERS {}\n\n",
            comment(&self.plan.kernel),
            kernels.len().max(1),
            self.plan.buffers.len().max(1),
        );
        out += &format!(
            "struct {k} {{\n  cl_context context;\n  cl_device_id device;\n  cl_command_queue queue;\n  \
             cl_program built;\n  cl_kernel kernels[LIFT_KERNELS];\n  cl_command_queue last;\n  \
             cl_mem owned[LIFT_BUFFERS];\n  size_t room[LIFT_BUFFERS];\n  char error[512];\n}};\n\n"
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
        out += include_str!("../runtime_build.c");
        for function in self.used.borrow().iter() {
            out += "\n";
            out += helper_text(*function);
        }
        self.sums.borrow().iter().for_each(|sum| out += sum);
        out += &rooms;
        out += &format!("\n{check_sizes}");
        out += &format!(
            "\nstruct {k} *{k}_create(cl_context context, cl_device_id device, char **error)\n{{\n  \
             return make(context, device, NULL, error);\n}}\n\n\
             struct {k} *{k}_clone(const struct {k} *program, char **error)\n{{\n  \
             return make(program->context, program->device, program->built, error);\n}}\n\n\
             void {k}_free(struct {k} *program)\n{{\n  if (program) {{\n    give_back(program);\n  }}\n}}\n\n\
             const char *{k}_error(const struct {k} *program)\n{{\n  return program->error;\n}}\n\n"
        );
        Ok(out + &run_on + "\n" + &run)
    }

    /// The runtime functions that this kernel calls; compilers warn about unused ones.
    fn runtime(&self, run_on: &str, run: &str) -> String {
        let mut out = String::new();
        let all: Vec<&str> = include_str!("../runtime.c").split_inclusive("\n}\n").collect();
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
}
