//! Prints a [`Unit`] as OpenCL C 1.2, with the map back to the source.

use super::ast::*;
use super::helpers::Helper;
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// The OpenCL text of a kernel, with the origins of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenClText {
    pub text: String,
    /// Origins by byte range of `text`, sorted; an inner range follows the outer ones that contain it.
    pub map: Vec<(Range<u32>, Origin)>,
    /// The kernels with their byte ranges in `text`, in order.
    pub kernels: Vec<(Name, Range<u32>)>,
}

impl OpenClText {
    /// The text with only these kernels. Empty lines stand for the others, so that lines keep their numbers.
    pub fn text_of(&self, wanted: &FxHashSet<&str>) -> Cow<'_, str> {
        if self.kernels.iter().all(|(name, _)| wanted.contains(&**name)) {
            return Cow::Borrowed(&self.text);
        }
        let (mut text, mut from) = (String::with_capacity(self.text.len()), 0);
        for (_, range) in self.kernels.iter().filter(|(name, _)| !wanted.contains(&**name)) {
            let [start, end] = [range.start, range.end].map(|at| at as usize);
            text.push_str(&self.text[from..start]);
            text.extend(self.text[start..end].matches('\n'));
            from = end;
        }
        text.push_str(&self.text[from..]);
        Cow::Owned(text)
    }
}

pub fn print(unit: &Unit) -> OpenClText {
    let nothing = PartOrigins::default();
    let mut p = Printer { text: String::new(), indent: 0, map: Vec::new(), kernels: Vec::new(), parts: &nothing };
    p.unit(unit);
    // Outer ranges first; the sort is stable, so of equal ranges the outer one, opened first, stays first.
    p.map.sort_by(|(a, _), (b, _)| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    OpenClText { text: p.text, map: p.map, kernels: p.kernels }
}

struct Printer<'u> {
    text: String,
    indent: usize,
    map: Vec<(Range<u32>, Origin)>,
    kernels: Vec<(Name, Range<u32>)>,
    /// The origins of subexpressions of the current function.
    parts: &'u PartOrigins,
}

/// The precedence of an expression in the grammar of C.
fn precedence(e: &Expr) -> u8 {
    match e {
        Expr::Int { value, .. } if *value < 0 => 13,
        Expr::Select(..) => 2,
        Expr::Binary(op, ..) => binary_precedence(*op),
        Expr::Unary(..) | Expr::Cast(..) | Expr::Vector(..) | Expr::AddressOf(_) | Expr::Wide { .. } => 13,
        _ => 15,
    }
}

fn binary_precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 3,
        BinaryOp::And => 4,
        BinaryOp::BitOr => 5,
        BinaryOp::BitXor => 6,
        BinaryOp::BitAnd => 7,
        BinaryOp::Eq | BinaryOp::Ne => 8,
        BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => 9,
        BinaryOp::Shl | BinaryOp::Shr => 10,
        BinaryOp::Add | BinaryOp::Sub => 11,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 12,
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
    }
}

/// Pairs of operators for which compilers warn if there are no brackets.
fn wants_brackets(outer: BinaryOp, inner: BinaryOp) -> bool {
    use BinaryOp::*;
    let bits = |op| matches!(op, BitAnd | BitOr | BitXor | Shl | Shr);
    (bits(outer) && inner != outer) || (outer == Or && inner == And)
}

fn integer(value: i64, long: bool) -> String {
    match value {
        // C has no negative literals, and the absolute values of these have another type.
        i64::MIN => "(-9223372036854775807L - 1L)".to_owned(),
        v if v == i64::from(i32::MIN) && !long => "(-2147483647 - 1)".to_owned(),
        v => format!("{v}{}", if long { "L" } else { "" }),
    }
}

fn float(bits: u32) -> String {
    let v = f32::from_bits(bits);
    match v {
        v if v.is_nan() => "NAN".into(),
        v if v == f32::INFINITY => "INFINITY".into(),
        v if v == f32::NEG_INFINITY => "-INFINITY".into(),
        v => format!("{v:?}f"),
    }
}

fn double(bits: u64) -> String {
    let v = f64::from_bits(bits);
    match v {
        v if v.is_nan() => "(double)NAN".into(),
        v if v == f64::INFINITY => "(double)INFINITY".into(),
        v if v == f64::NEG_INFINITY => "-(double)INFINITY".into(),
        v => format!("{v:?}"),
    }
}

impl<'u> Printer<'u> {
    fn push(&mut self, s: &str) {
        self.text.push_str(s);
    }
    fn line_start(&mut self) {
        for _ in 0..self.indent {
            self.text.push_str("  ");
        }
    }
    fn line(&mut self, s: &str) {
        self.line_start();
        self.push(s);
        self.push("\n");
    }
    fn record(&mut self, start: usize, origin: &Origin) {
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.map.push((at(start)..at(self.text.len()), origin.clone()));
    }

    fn unit(&mut self, unit: &'u Unit) {
        for line in &unit.header {
            self.line(format!("// {line}").trim_end());
        }
        if unit.uses_double {
            self.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
        }
        self.line("#pragma OPENCL FP_CONTRACT OFF");
        let mut helpers: BTreeSet<Helper> = unit.helpers.clone();
        helpers.extend(unit.helpers.iter().filter_map(|h| h.needs()));
        for helper in helpers {
            self.push("\n");
            self.push(helper.text());
        }
        for function in &unit.functions {
            self.push("\n");
            self.function(function);
        }
    }

    fn function(&mut self, f: &'u Function) {
        self.parts = &f.parts;
        if !f.doc.is_empty() {
            self.line(&format!("// {}", f.doc));
        }
        let start = self.text.len();
        if let Some([x, y, z]) = f.group_size {
            self.line(&format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))"));
        }
        self.push(&format!("__kernel void {}(", f.name));
        for (i, param) in f.params.iter().enumerate() {
            self.push(if i > 0 { ",\n    " } else { "\n    " });
            match &param.ty {
                ParamType::Buffer { element, constant } => {
                    let constant = if *constant { "const " } else { "" };
                    self.push(&format!("__global {constant}{}* restrict {}", element.name(), param.name));
                }
                ParamType::Local(element) => self.push(&format!("__local {}* restrict {}", element.name(), param.name)),
                ParamType::Value(ty) => self.push(&format!("{} {}", ty.name(), param.name)),
            }
        }
        self.push(")\n{\n");
        self.indent += 1;
        self.stmts(&f.body);
        self.indent -= 1;
        self.push("}\n");
        self.record(start, &f.origin);
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.kernels.push((f.name.clone(), at(start)..at(self.text.len())));
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for s in stmts {
            self.stmt(s);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        self.line_start();
        let start = self.text.len();
        self.stmt_kind(&s.kind);
        if let Some(origin) = &s.origin {
            self.record(start, origin);
        }
        self.push("\n");
    }

    fn braces(&mut self, body: &[Stmt]) {
        self.push("{\n");
        self.indent += 1;
        self.stmts(body);
        self.indent -= 1;
        self.line_start();
        self.push("}");
    }

    fn stmt_kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Declare { ty, constant, name, init } => {
                if *constant {
                    self.push("const ");
                }
                self.push(&format!("{} {name}", ty.name()));
                if let Some(init) = init {
                    self.push(" = ");
                    self.expr(init, 0);
                }
                self.push(";");
            }
            StmtKind::DeclareArray { storage, ty, name, len } => {
                let (space, aligned) = match storage {
                    Storage::Private => ("", ""),
                    Storage::Local => ("__local ", ""),
                    // Drivers align an array only to its element type, and may place other data before it.
                    Storage::LocalVectors => ("__local ", " __attribute__((aligned(16)))"),
                };
                self.push(&format!("{space}{} {name}[{len}]{aligned};", ty.name()));
            }
            StmtKind::Assign(to, value) => self.assign(to, value),
            StmtKind::Expr(e) => {
                self.expr(e, 0);
                self.push(";");
            }
            StmtKind::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
            StmtKind::For { ty, var, from, condition, step, body, below: _ } => {
                self.push(&format!("for ({} {var} = ", ty.name()));
                self.expr(from, 0);
                self.push("; ");
                self.expr(condition, 0);
                self.push("; ");
                self.step(var, step);
                self.push(") ");
                self.braces(body);
            }
            StmtKind::While { condition, body } => {
                self.push("while (");
                self.expr(condition, 0);
                self.push(") ");
                self.braces(body);
            }
            StmtKind::Break => self.push("break;"),
            StmtKind::Return | StmtKind::Stop => self.push("return;"),
            StmtKind::Barrier { local, global } => self.push(match (local, global) {
                (true, true) => "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
                (false, true) => "barrier(CLK_GLOBAL_MEM_FENCE);",
                _ => "barrier(CLK_LOCAL_MEM_FENCE);",
            }),
            StmtKind::Block(body) => self.braces(body),
            StmtKind::Comment(text) => self.push(&format!("// {text}")),
            StmtKind::Unroll => self.push("#pragma unroll"),
            StmtKind::Roll => self.push("#pragma unroll 1"),
        }
    }

    fn assign(&mut self, to: &Expr, value: &Expr) {
        self.expr(to, 0);
        match value {
            Expr::Binary(BinaryOp::Add, a, by) if **a == *to => match **by {
                Expr::Int { value: 1, .. } => self.push("++"),
                _ => {
                    self.push(" += ");
                    self.expr(by, 0);
                }
            },
            _ => {
                self.push(" = ");
                self.expr(value, 0);
            }
        }
        self.push(";");
    }

    /// Prints an `if`; one in its `else` follows on the same line.
    fn branch(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        self.push("if (");
        self.expr(condition, 0);
        self.push(") ");
        self.braces(then);
        match otherwise {
            [] => {}
            [Stmt { kind: nested @ StmtKind::If { .. }, origin }] => {
                self.push(" else ");
                let start = self.text.len();
                self.stmt_kind(nested);
                if let Some(origin) = origin {
                    self.record(start, origin);
                }
            }
            _ => {
                self.push(" else ");
                self.braces(otherwise);
            }
        }
    }

    fn step(&mut self, var: &Name, step: &Step) {
        match step {
            Step::Increment => self.push(&format!("{var}++")),
            Step::Double => self.push(&format!("{var} *= 2")),
            Step::Add(by) => {
                self.push(&format!("{var} += "));
                self.expr(by, 0);
            }
        }
    }

    /// Prints `e`, bracketed if it binds less tightly than `at_least`.
    fn expr(&mut self, e: &Expr, at_least: u8) {
        let bracketed = precedence(e) < at_least;
        if bracketed {
            self.push("(");
        }
        let start = self.text.len();
        self.expr_inner(e);
        if let Some(origin) = self.parts.find(e) {
            self.record(start, origin);
        }
        if bracketed {
            self.push(")");
        }
    }

    fn operand(&mut self, outer: BinaryOp, e: &Expr, at_least: u8) {
        let forced = matches!(e, Expr::Binary(inner, ..) if wants_brackets(outer, *inner));
        self.expr(e, if forced { 14 } else { at_least });
    }

    fn args(&mut self, args: &[Expr]) {
        self.push("(");
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.expr(a, 1);
        }
        self.push(")");
    }

    fn expr_inner(&mut self, e: &Expr) {
        match e {
            Expr::Int { value, long } => self.push(&integer(*value, *long)),
            Expr::UInt(v) => self.push(&format!("{v}u")),
            Expr::Float(bits) => {
                let text = float(*bits);
                let text = if text.starts_with('-') { format!("({text})") } else { text };
                self.push(&text);
            }
            Expr::Double(bits) => {
                let text = double(*bits);
                let text = if text.starts_with(['-', '(']) { format!("({text})") } else { text };
                self.push(&text);
            }
            Expr::Bool(b) => self.push(if *b { "true" } else { "false" }),
            Expr::Var(name) => self.push(name),
            Expr::AddressOf(a) => {
                self.push("&");
                self.expr(a, 13);
            }
            Expr::Unary(op, a) => {
                self.push(match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                });
                // `- -x` must not become `--x`.
                let nested = matches!(&**a, Expr::Unary(..)) || matches!(&**a, Expr::Int { value, .. } if *value < 0);
                self.expr(a, if nested { 14 } else { 13 });
            }
            Expr::Binary(op, a, b) => {
                let level = binary_precedence(*op);
                self.operand(*op, a, level);
                self.push(" ");
                self.push(symbol(*op));
                self.push(" ");
                self.operand(*op, b, level + 1);
            }
            Expr::Select(c, a, b) => {
                self.expr(c, 3);
                self.push(" ? ");
                self.expr(a, 3);
                self.push(" : ");
                self.expr(b, 2);
            }
            Expr::Call(name, args) => {
                self.push(name);
                self.args(args);
            }
            Expr::Cast(ty, a) => {
                self.push(&format!("({})", ty.name()));
                self.expr(a, 14);
            }
            Expr::Index(a, at) => {
                self.expr(a, 15);
                self.push("[");
                self.expr(at, 0);
                self.push("]");
            }
            Expr::Lane(a, lane) => {
                self.expr(a, 15);
                self.push(&format!(".s{lane:x}"));
            }
            Expr::Wide { ty, space, pointer } => {
                let space = match space {
                    Qualifier::Global => "__global",
                    Qualifier::GlobalConst => "__global const",
                    Qualifier::Local => "__local",
                };
                self.push(&format!("*({space} {}*)", ty.name()));
                self.expr(pointer, 14);
            }
            Expr::Vector(ty, lanes) => {
                self.push(&format!("({})", ty.name()));
                self.args(lanes);
            }
        }
    }
}
