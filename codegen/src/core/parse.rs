//! Parses kernels from the text that [`super::print`] makes, for tests of single passes.
//!
//! Printing a parsed kernel gives the same text, except for nested minima. Details that the text lacks are invented:
//! the origin of a statement or function is its line (as [`ExprId`]), and lengths are distinguished by the names in
//! scope.
//!
//! | module | job |
//! |---|---|
//! | `call` | right-hand sides |
//! | `size` | sizes and assumptions |

mod call;
mod size;

use super::{Atom, Block, Kernel, Lambda, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::halves;
use lift_analysis::hir::{ExprId, Literal, Scalar};
use lift_analysis::origin::{FormKey, Origin};
use lift_analysis::parameters::{self, Settings, TargetName};
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

type Result<T> = std::result::Result<T, String>;

/// Parses a kernel; an error names its line.
pub fn kernel(text: &str) -> Result<Kernel> {
    let mut parser = Parser::new(text);
    let result = parser.kernel();
    result.map_err(|what| format!("line {}: {what}", parser.line()))
}

/// Parses `target=gpu group=64`.
fn settings_of(text: &str) -> Result<Settings> {
    let mut settings = Settings::DEFAULT;
    for word in text.split_whitespace() {
        match word.strip_prefix("target=") {
            Some(name) => settings.target = Some(TargetName::named(name).ok_or("an unknown target")?),
            None => parameters::parse(word).map(|(parameter, value)| settings.set(parameter, value))?,
        }
    }
    Ok(settings)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    vars: Vec<VarInfo>,
    /// The variables of each name, by number: `x`, `x'2`, … A variable that is used before it is bound is declared as
    /// an integer.
    numbered: FxHashMap<String, Vec<VarId>>,
    visible: Vec<(String, VarId)>,
    lengths: Vec<Var>,
    next_length: u32,
    form: Arc<FormKey>,
    /// The settings in force here.
    settings: Option<Arc<Settings>>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        let form = FormKey { file: "core".into(), name: None, nth: 0 };
        Parser {
            text,
            at: 0,
            vars: Vec::new(),
            numbered: FxHashMap::default(),
            visible: Vec::new(),
            lengths: Vec::new(),
            next_length: 0,
            form: Arc::new(form),
            settings: None,
        }
    }

    fn kernel(&mut self) -> Result<Kernel> {
        self.require("kernel ")?;
        let name = self.word()?.into();
        self.require(" (")?;
        let mut sizes = Vec::new();
        while !self.take(")") {
            self.take(" ");
            let size = Var::new(VarKind::Param, sizes.len() as u32, self.word()?);
            self.lengths.push(size.clone());
            sizes.push(size);
        }
        let mut params = Vec::new();
        while self.take(" (") {
            params.push(self.typed()?);
            self.require(")")?;
        }
        self.require(" -> ")?;
        let result = self.ty()?;
        let mut assumptions = Vec::new();
        while self.take_line("assume ") {
            let origin = self.origin();
            assumptions.push((self.assumption()?, origin));
        }
        let mut settings = Settings::DEFAULT;
        if self.take_line("with ") {
            let line = self.rest().lines().next().unwrap_or_default();
            self.at += line.len();
            settings = settings_of(line)?;
            self.settings = Some(Arc::new(settings));
        }
        let body = self.block()?;
        if !self.text[self.at..].trim().is_empty() {
            return Err("text after the result of the kernel".into());
        }
        Ok(Kernel { name, sizes, params, vars: std::mem::take(&mut self.vars), body, result, assumptions, settings })
    }

    // --- text -------------------------------------------------------------------------------------

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }
    fn line(&self) -> usize {
        self.text[..self.at].matches('\n').count() + 1
    }
    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }
    fn require(&mut self, token: &str) -> Result<()> {
        if self.take(token) {
            return Ok(());
        }
        let found: String = self.rest().chars().take_while(|c| *c != '\n').take(30).collect();
        Err(format!("expected `{}`, found `{found}`", token.trim()))
    }
    /// Takes the token at the beginning of the next line, whatever its indentation.
    fn take_line(&mut self, token: &str) -> bool {
        let next = self.rest().trim_start();
        let found = self.at_line_end() && next.starts_with(token);
        if found {
            self.at = self.text.len() - next.len() + token.len();
        }
        found
    }
    fn at_line_end(&self) -> bool {
        self.rest().is_empty() || self.rest().starts_with('\n')
    }
    /// Takes everything up to white space, a comma or a parenthesis.
    fn word(&mut self) -> Result<&'t str> {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || ",();".contains(c)).unwrap_or(rest.len());
        if end == 0 {
            return Err("expected a name".into());
        }
        self.at += end;
        Ok(&rest[..end])
    }
    fn origin(&self) -> Origin {
        Origin { settings: self.settings.clone(), ..Origin::new(self.form.clone(), ExprId(self.line() as u32)) }
    }

    // --- variables --------------------------------------------------------------------------------

    /// Parses the binder `name : type`.
    fn typed(&mut self) -> Result<VarId> {
        let name = self.word()?;
        self.require(" : ")?;
        let ty = self.ty()?;
        let var = self.declare(name);
        self.vars[var.0 as usize].ty = ty;
        self.visible.push((name.to_string(), var));
        Ok(var)
    }

    /// The variable with this printed name; `x'2` is the second with the name `x`, in the order of their ids.
    fn declare(&mut self, name: &str) -> VarId {
        let numbered = name.rsplit_once('\'').and_then(|(stem, number)| Some((stem, number.parse::<usize>().ok()?)));
        let (stem, number) = numbered.unwrap_or((name, 1));
        let vars = &mut self.vars;
        let ids = self.numbered.entry(stem.to_string()).or_default();
        while ids.len() < number {
            ids.push(VarId(vars.len() as u32));
            vars.push(VarInfo { name: stem.into(), ty: Ty::int() });
        }
        ids[number - 1]
    }

    fn variable(&self, name: &str) -> Option<VarId> {
        self.visible.iter().rev().find(|(known, _)| known == name).map(|(_, var)| *var)
    }

    fn fresh_length(&mut self, kind: VarKind, name: &str) -> Var {
        self.next_length += 1;
        let length = Var::new(kind, self.next_length, name);
        self.lengths.push(length.clone());
        length
    }

    /// Runs `inside`; the variables and lengths that it binds leave scope afterwards.
    fn scope<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (visible, lengths) = (self.visible.len(), self.lengths.len());
        let result = inside(self);
        self.visible.truncate(visible);
        self.lengths.truncate(lengths);
        result
    }

    // --- blocks and statements --------------------------------------------------------------------

    fn block(&mut self) -> Result<Block> {
        self.scope(|this| {
            let mut stmts = Vec::new();
            loop {
                let next = this.rest().trim_start();
                if !this.at_line_end() || next.is_empty() {
                    return Err("expected a statement or a result on a new line".into());
                }
                this.at = this.text.len() - next.len();
                if !next.starts_with("let ") && !next.starts_with("unpack (") {
                    return Ok(Block { stmts, result: this.atom()? });
                }
                stmts.push(this.stmt()?);
            }
        })
    }

    fn stmt(&mut self) -> Result<Stmt> {
        let origin = self.origin();
        let mut binds = Vec::new();
        if self.take("unpack (") {
            while !self.take(")") {
                self.take(" ");
                let name = self.word()?;
                binds.push(self.fresh_length(VarKind::Skolem, name));
            }
            self.require(" ")?;
        } else {
            self.require("let ")?;
        }
        let var = self.typed()?;
        self.require(" = ")?;
        let outer = self.settings.clone();
        if self.take("with (") {
            let (text, _) = self.rest().split_once(") ").ok_or("a `with` without an end")?;
            self.at += text.len() + 2;
            self.settings = Some(Arc::new(settings_of(text)?));
        }
        let origin = Origin { settings: self.settings.clone(), ..origin };
        // The variable is in scope only after its statement.
        let bound = self.visible.pop();
        let rhs = if binds.is_empty() { self.rhs()? } else { Rhs::Unpack(self.atom()?) };
        self.visible.extend(bound);
        self.settings = outer;
        if !self.at_line_end() {
            return Err(format!("`{}` after a statement", self.rest().lines().next().unwrap_or_default()));
        }
        Ok(Stmt { var, binds, rhs, origin })
    }

    fn lambda(&mut self) -> Result<Lambda> {
        let origin = self.origin();
        self.require("(λ(")?;
        self.scope(|this| {
            let (parameters, _) = this.rest().split_once('\n').ok_or("a function ends in its first line")?;
            let mut position = None;
            if let Some((name, _)) = parameters.split_once(';').filter(|(name, _)| !name.contains([' ', ')'])) {
                position = Some(this.fresh_length(VarKind::Position, name));
                this.require(&format!("{name}; "))?;
            }
            let mut params = Vec::new();
            while !this.take(")") {
                this.take(", ");
                params.push(this.typed()?);
            }
            let body = this.block()?;
            this.require(")")?;
            Ok(Lambda { position, params, body, origin })
        })
    }

    fn atom(&mut self) -> Result<Atom> {
        if self.take("#") {
            return Ok(Atom::Size(self.size()?));
        }
        let word = self.word()?;
        let literal = || -> Option<Literal> {
            Some(match word {
                "true" => Literal::Bool(true),
                "false" => Literal::Bool(false),
                _ if word.ends_with('h') => {
                    Literal::Half(halves::nearest(word[..word.len() - 1].parse().ok()?).to_bits())
                }
                // `inf` also ends in `f`, the suffix of a float.
                _ if word.ends_with('f') && word.trim_start_matches('-') != "inf" => {
                    Literal::Float(word[..word.len() - 1].parse::<f32>().ok()?.to_bits())
                }
                _ => {
                    let suffix = word.trim_start_matches('-').trim_start_matches(|c: char| c.is_ascii_digit());
                    let of_integers = |s: &Scalar| s.is_integer() && s.suffix() == suffix;
                    let number = word.strip_suffix(suffix).and_then(|digits| digits.parse().ok());
                    match (Scalar::all().find(of_integers), number) {
                        (Some(scalar), Some(number)) => Literal::of_integer(scalar, number)?,
                        _ => Literal::Double(word.parse::<f64>().ok()?.to_bits()),
                    }
                }
            })
        };
        let var = self.variable(word).map(Atom::Var);
        var.or_else(|| literal().map(Atom::Lit)).ok_or_else(|| format!("`{word}` is not in scope"))
    }

    fn list(&mut self, between: &str, close: &str) -> Result<Vec<Atom>> {
        let mut atoms = Vec::new();
        while !self.take(close) {
            if !atoms.is_empty() {
                self.require(between)?;
            }
            atoms.push(self.atom()?);
        }
        Ok(atoms)
    }

    // --- types ------------------------------------------------------------------------------------

    fn ty(&mut self) -> Result<Ty> {
        if self.take("(") {
            let mut parts = Vec::new();
            while !self.take(")") {
                self.take(", ");
                parts.push(self.ty()?);
            }
            return Ok(Ty::tuple(parts));
        }
        if self.take("<∃") {
            return self.scope(|this| {
                let mut vars = Vec::new();
                while !this.take(", ") {
                    this.take(" ");
                    let name = this.word()?;
                    vars.push(this.bound_in_type(VarKind::Bound, name));
                }
                let body = this.ty()?;
                this.require(">")?;
                Ok(Ty::exists(vars, body))
            });
        }
        if self.take("Vec[") {
            let lane = self.ty()?;
            return Ok(Ty::new(TyKind::Vec(lane, self.length()?)));
        }
        if self.take("Array[") {
            let position = self.rest().split_once(" => ").map(|(name, _)| name);
            let position = position.filter(|name| name.chars().all(|c| c.is_alphanumeric() || "_'-".contains(c)));
            let (position, element) = self.scope(|this| {
                let position = position.map(|name| {
                    this.at += name.len() + " => ".len();
                    this.bound_in_type(VarKind::Position, name)
                });
                Ok((position, this.ty()?))
            })?;
            let length = self.length()?;
            return Ok(match position {
                Some(position) => Ty::dependent_array(position, element, length),
                None => Ty::array(element, length),
            });
        }
        let found = Scalar::all().find(|scalar| self.take(scalar.name()));
        found.map(Ty::scalar).ok_or_else(|| "expected a type".into())
    }

    /// Parses `,n]`.
    fn length(&mut self) -> Result<Size> {
        self.require(",")?;
        let length = self.expression()?;
        self.require("]")?;
        Ok(length)
    }

    /// Binds a length or index variable of a type, numbered by its depth, so that equal text gives equal types.
    fn bound_in_type(&mut self, kind: VarKind, name: &str) -> Var {
        let depth = self.lengths.iter().filter(|v| v.kind == kind).count() as u32;
        let length = Var::new(kind, (1 << 16) + depth, name);
        self.lengths.push(length.clone());
        length
    }
}
