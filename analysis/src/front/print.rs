//! Prints a body as Lift text, to show the result of a front end to people and in tests.

use crate::hir::*;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The text of the kernel under the given name. A binder whose name is taken gets a number.
pub fn to_lift(body: &Body, name: &str) -> String {
    let mut printer = Printer { body, names: FxHashMap::default(), taken: FxHashMap::default(), out: String::new() };
    printer.kernel(name);
    printer.out
}

struct Printer<'b> {
    body: &'b Body,
    names: FxHashMap<BinderId, String>,
    taken: FxHashMap<String, u32>,
    out: String,
}

impl<'b> Printer<'b> {
    fn kernel(&mut self, name: &str) {
        let body = self.body;
        let sizes: Vec<String> = body.size_params.iter().map(|size| self.bind(*size)).collect();
        let types: Vec<String> = body.param_types.iter().map(|ty| self.ty(*ty)).collect();
        let _ = write!(self.out, "(lift {name} ({}) ({})", sizes.join(" "), types.join(" "));
        self.line(1);
        match body.root {
            Some(root) => self.expr(root, 1),
            None => self.out.push_str("(lambda () 0)"),
        }
        self.out.push_str(")\n");
    }

    fn line(&mut self, depth: usize) {
        self.out.push('\n');
        // Consecutive `let`s have one indentation.
        self.out.push_str(&"  ".repeat(depth.min(20)));
    }

    /// A Lift name that no other binder has.
    fn bind(&mut self, binder: BinderId) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut name: String = self.body.binder(binder).name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'v');
        }
        let count = self.taken.entry(name.clone()).or_default();
        *count += 1;
        // A primitive may have the name without a number.
        let name = format!("{name}'{count}");
        self.names.insert(binder, name.clone());
        name
    }

    fn name(&self, binder: BinderId) -> &str {
        self.names.get(&binder).map_or("_", |name| name)
    }

    fn expr(&mut self, id: ExprId, depth: usize) {
        let body = self.body;
        match body.expr(id) {
            Expr::Missing => self.out.push('_'),
            Expr::Local(binder) => {
                let name = self.name(*binder).to_owned();
                self.out.push_str(&name);
            }
            Expr::Global(name) => self.out.push_str(name),
            Expr::Literal(literal) => self.literal(*literal),
            Expr::Size(size) => {
                let text = self.size(*size);
                let _ = write!(self.out, "#{text}");
            }
            Expr::Lambda { params, body } => {
                let params: Vec<String> = params.iter().map(|param| self.bind(*param)).collect();
                let _ = write!(self.out, "(lambda ({}) ", params.join(" "));
                self.expr(*body, depth);
                self.out.push(')');
            }
            Expr::Apply { callee, args } => {
                self.out.push('(');
                self.expr(*callee, depth + 1);
                for arg in args {
                    self.out.push(' ');
                    self.expr(*arg, depth + 1);
                }
                self.out.push(')');
            }
            Expr::Let { .. } | Expr::Unpack { .. } => self.spine(id, depth),
            Expr::If { condition, then, otherwise } => {
                self.out.push_str("(if ");
                for (index, part) in [condition, then, otherwise].into_iter().enumerate() {
                    if index > 0 {
                        self.out.push(' ');
                    }
                    self.expr(*part, depth + 1);
                }
                self.out.push(')');
            }
            Expr::Tuple(parts) => self.list("(tuple", parts, depth),
            Expr::Component { of, index, .. } => {
                let name = self.name(*of).to_owned();
                let _ = write!(self.out, "(get{} {name})", index + 1);
            }
            Expr::Compose(parts) => self.list("(o", parts, depth),
            Expr::Ascribe { value, ty } => {
                self.out.push_str("(: ");
                self.expr(*value, depth + 1);
                let ty = self.ty(*ty);
                let _ = write!(self.out, " {ty})");
            }
            Expr::Pack(value) => self.list("(pack", &[*value], depth),
        }
    }

    fn list(&mut self, head: &str, parts: &[ExprId], depth: usize) {
        self.out.push_str(head);
        for part in parts {
            self.out.push(' ');
            self.expr(*part, depth + 1);
        }
        self.out.push(')');
    }

    /// Prints nested `let`s and `unpack`s, one per line.
    fn spine(&mut self, mut id: ExprId, depth: usize) {
        let body = self.body;
        let mut open = 0;
        loop {
            match body.expr(id) {
                Expr::Let { binder, value, body } => {
                    let name = self.bind(*binder);
                    let _ = write!(self.out, "(let {name} ");
                    self.expr(*value, depth + 1);
                    id = *body;
                }
                Expr::Unpack { sizes, binder, value, body } => {
                    let names: Vec<String> = sizes.iter().chain([binder]).map(|name| self.bind(*name)).collect();
                    let _ = match names.as_slice() {
                        [name] => write!(self.out, "(unpack {name} "),
                        names => write!(self.out, "(unpack ({}) ", names.join(" ")),
                    };
                    self.expr(*value, depth + 1);
                    id = *body;
                }
                _ => break,
            }
            open += 1;
            self.line(depth + 1);
        }
        self.expr(id, depth + 1);
        self.out.push_str(&")".repeat(open));
    }

    fn literal(&mut self, literal: Literal) {
        let _ = write!(self.out, "{literal}");
    }

    fn ty(&mut self, id: TypeRefId) -> String {
        let body = self.body;
        match body.type_ref(id) {
            TypeRef::Error => "_".to_owned(),
            TypeRef::Scalar(scalar) => scalar.spelling().to_owned(),
            TypeRef::Variable(name) => name.to_string(),
            TypeRef::Array { element, length, .. } => {
                let element = self.ty(*element);
                format!("(array-type {element} {})", self.size(*length))
            }
            TypeRef::Tuple(parts) => format!("(tuple-type {})", self.types(parts)),
            TypeRef::Vector { element, width } => {
                let element = self.ty(*element);
                format!("(vector-type {element} {})", self.size(*width))
            }
            TypeRef::Exists { sizes, body } => {
                let sizes: Vec<String> = sizes.iter().map(|size| self.bind(*size)).collect();
                format!("(exists ({}) {})", sizes.join(" "), self.ty(*body))
            }
            TypeRef::Function { params, result } => {
                let params = self.types(params);
                format!("(-> {params} {})", self.ty(*result))
            }
        }
    }

    fn types(&mut self, types: &[TypeRefId]) -> String {
        types.iter().map(|ty| self.ty(*ty)).collect::<Vec<_>>().join(" ")
    }

    fn size(&self, id: SizeRefId) -> String {
        match self.body.size_ref(id) {
            SizeRef::Error => "_".to_owned(),
            SizeRef::Nat(n) => n.to_string(),
            SizeRef::Local(binder) => self.name(*binder).to_owned(),
            SizeRef::Global(_) => "_".to_owned(),
            SizeRef::Variable(name) => name.to_string(),
            SizeRef::Op(op, parts) => {
                let op = match op {
                    SizeOp::Add => '+'.to_string(),
                    SizeOp::Sub => '-'.to_string(),
                    SizeOp::Mul => '*'.to_string(),
                    SizeOp::Div => '/'.to_string(),
                    other => format!("{other:?}").to_lowercase(),
                };
                let parts: Vec<String> = parts.iter().map(|part| self.size(*part)).collect();
                format!("({op} {})", parts.join(" "))
            }
            SizeRef::Sum { count, body, .. } => format!("(sum (_ {}) {})", self.size(*count), self.size(*body)),
            SizeRef::LengthOf(binder) => format!("(length {})", self.name(*binder)),
        }
    }
}
