//! Kernels as text, for people: one statement a line, blocks indented.
//!
//! ```text
//! kernel evens (N) (xs : Array[Int,N]) -> <∃X, Array[Int,X]>
//!   let ys : <∃X, Array[Int,X]> = filter (λ(x : Int)
//!     let m : Int = x mod 2
//!     let b : Bool = m = 0
//!     b) xs
//!   ys
//! ```

use super::{Atom, Block, Kernel, Lambda, Rhs, Stmt, VarId};
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Settings;
use lift_analysis::size::Size;
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(self).kernel().text)
    }
}

/// A kernel as text, with the origins of its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoreText {
    pub text: String,
    /// Origins of statements and functions by byte range, sorted; an inner range follows the outer ones that contain
    /// it.
    pub map: Vec<(Range<u32>, Origin)>,
}

/// Prints a kernel as `Display` does, with the map back to the source.
pub fn mapped(kernel: &Kernel) -> CoreText {
    Printer::new(kernel).kernel()
}

/// A fingerprint of a kernel, independent of variable names and source locations.
pub fn meaning(kernel: &Kernel) -> u64 {
    let mut printer = Printer::new(kernel);
    printer.names = (0..kernel.vars.len()).map(|i| format!("${i}")).collect();
    // `DefaultHasher::new` has fixed keys: the same kernel has the same fingerprint in every process.
    let mut hasher = DefaultHasher::new();
    printer.kernel().text.hash(&mut hasher);
    hasher.finish()
}

struct Printer<'k> {
    kernel: &'k Kernel,
    /// Names made unique: the second `x` is `x'2`.
    names: Vec<String>,
    out: String,
    indent: usize,
    /// The settings in force here.
    settings: Settings,
    map: Vec<(Range<u32>, Origin)>,
}

impl<'k> Printer<'k> {
    fn new(kernel: &'k Kernel) -> Printer<'k> {
        let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
        let names = kernel.vars.iter().map(|v| {
            let count = seen.entry(&v.name).or_default();
            *count += 1;
            if *count == 1 { v.name.to_string() } else { format!("{}'{count}", v.name) }
        });
        Printer {
            kernel,
            names: names.collect(),
            out: String::new(),
            indent: 0,
            settings: kernel.settings,
            map: Vec::new(),
        }
    }

    fn kernel(mut self) -> CoreText {
        let k = self.kernel;
        let sizes: Vec<&str> = k.sizes.iter().map(|v| &*v.name).collect();
        let params: Vec<String> = k.params.iter().map(|p| format!(" ({})", self.typed(*p))).collect();
        self.out = format!("kernel {} ({}){} -> {}", k.name, sizes.join(" "), params.concat(), k.result);
        self.indent = 1;
        for (assumption, origin) in &k.assumptions {
            self.line();
            let start = self.out.len();
            self.push(&format!("assume {assumption}"));
            self.record(start, origin);
        }
        if k.settings != Settings::DEFAULT {
            self.line();
            self.push(&format!("with {}", k.settings));
        }
        self.block(&k.body);
        self.out.push('\n');
        self.map.sort_by(|(a, _), (b, _)| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        CoreText { text: self.out, map: self.map }
    }

    fn record(&mut self, start: usize, origin: &Origin) {
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.map.push((at(start)..at(self.out.len()), origin.clone()));
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }
    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }
    fn name(&self, v: VarId) -> &str {
        self.names.get(v.0 as usize).map_or("?", String::as_str)
    }
    fn typed(&self, v: VarId) -> String {
        match self.kernel.vars.get(v.0 as usize) {
            Some(info) => format!("{} : {}", self.name(v), info.ty),
            None => "?".into(),
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.line();
        self.atom(&block.result);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.line();
        let start = self.out.len();
        let outer = self.settings;
        self.settings = stmt.origin.settings.as_ref().map_or(outer, |own| own.inside(&self.kernel.settings));
        self.stmt_text(stmt, &outer);
        self.settings = outer;
        self.record(start, &stmt.origin);
    }

    /// `outer`: the settings around the statement; others are printed.
    fn stmt_text(&mut self, stmt: &Stmt, outer: &Settings) {
        if !stmt.binds.is_empty() {
            let names: Vec<&str> = stmt.binds.iter().map(|v| &*v.name).collect();
            let typed = self.typed(stmt.var);
            self.push(&format!("unpack ({}) {typed} = ", names.join(" ")));
        } else {
            let typed = self.typed(stmt.var);
            self.push(&format!("let {typed} = "));
        }
        if self.settings != *outer {
            self.push(&format!("with ({}) ", self.settings));
        }
        match &stmt.rhs {
            Rhs::Atom(a) | Rhs::Unpack(a) => self.atom(a),
            Rhs::Tuple(parts) => self.list("(", ", ", parts, ")"),
            Rhs::Proj(a, i) => {
                self.push(&format!("get{} ", i + 1));
                self.atom(a);
            }
            Rhs::Scalar(op, operands) => match operands.as_slice() {
                [x, y] => {
                    self.atom(x);
                    self.push(&format!(" {} ", op.name()));
                    self.atom(y);
                }
                _ => {
                    self.push(op.name());
                    self.list(" ", " ", operands, "");
                }
            },
            Rhs::If(condition, then, otherwise) => {
                self.push("if ");
                self.atom(condition);
                self.push(" then");
                self.nested(then);
                self.line();
                self.push("else");
                self.nested(otherwise);
            }
            Rhs::Prim(call) => {
                self.push(&call.prim.name());
                for size in &call.sizes {
                    self.push(&format!(" #{}", grouped(size)));
                }
                for f in &call.funs {
                    self.lambda(f);
                }
                for a in &call.args {
                    self.push(" ");
                    self.atom(a);
                }
            }
            Rhs::Store(space, a) => {
                self.push(space.name());
                self.push(" ");
                self.atom(a);
            }
            Rhs::Pack(a, witnesses) => {
                self.push("pack ");
                self.atom(a);
                let hidden: Vec<String> = witnesses.iter().map(Size::to_string).collect();
                self.push(&format!(" hiding {}", hidden.join(", ")));
            }
            Rhs::Cast(a, checks) => {
                self.push("cast ");
                self.atom(a);
                let checks: Vec<String> = checks.iter().map(ToString::to_string).collect();
                self.push(&format!(" checking {}", checks.join(", ")));
            }
        }
    }

    fn nested(&mut self, block: &Block) {
        self.indent += 1;
        self.block(block);
        self.indent -= 1;
    }

    fn lambda(&mut self, f: &Lambda) {
        let params: Vec<String> = f.params.iter().map(|p| self.typed(*p)).collect();
        self.push(" ");
        let start = self.out.len();
        let at = f.position.as_ref().map_or(String::new(), |p| format!("{}; ", p.name));
        self.push(&format!("(λ({at}{})", params.join(", ")));
        self.nested(&f.body);
        self.push(")");
        self.record(start, &f.origin);
    }

    fn list(&mut self, open: &str, between: &str, atoms: &[Atom], close: &str) {
        self.push(open);
        for (i, a) in atoms.iter().enumerate() {
            if i > 0 {
                self.push(between);
            }
            self.atom(a);
        }
        self.push(close);
    }

    fn atom(&mut self, a: &Atom) {
        match a {
            Atom::Var(v) => {
                let name = self.name(*v).to_string();
                self.push(&name);
            }
            Atom::Size(s) => self.push(&format!("#{}", grouped(s))),
            Atom::Lit(l) => {
                // Writing to a string cannot fail.
                let _ = write!(self.out, "{l}");
            }
        }
    }
}

/// A size as text, in parentheses if it contains spaces.
fn grouped(size: &Size) -> String {
    let text = size.to_string();
    if text.contains(' ') { format!("({text})") } else { text }
}
