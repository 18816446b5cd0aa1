//! The types of FCL, and how they are printed.

use lift_syntax::TextRange;
use std::rc::Rc;

/// A level of the hierarchy: its number of steps above the base. `thread` is 0, `block` 1, `grid` 2.
#[derive(Debug, Clone)]
pub struct Level {
    pub base: Base,
    pub steps: u32,
    /// The range in the program that gives the level.
    pub from: Option<TextRange>,
}

#[derive(Debug, Clone)]
pub enum Base {
    Zero,
    /// A level with a name. The id distinguishes equal names.
    Name(u32, Rc<str>),
    /// The level of an erroneous expression, which fits every level.
    Any,
}

impl Level {
    pub const fn any() -> Level {
        Level { base: Base::Any, steps: 0, from: None }
    }

    pub fn fits(&self, other: &Level) -> bool {
        let same = match (&self.base, &other.base) {
            (Base::Any, _) | (_, Base::Any) => return true,
            (Base::Zero, Base::Zero) => true,
            (Base::Name(a, _), Base::Name(b, _)) => a == b,
            _ => false,
        };
        same && self.steps == other.steps
    }

    fn print(&self, names: &Names) -> String {
        match (&self.base, self.steps) {
            (Base::Zero, 0) => "thread".to_owned(),
            (Base::Zero, 1) => "block".to_owned(),
            (Base::Zero, 2) => "grid".to_owned(),
            (base, steps) => {
                let base = match base {
                    Base::Zero => "thread".to_owned(),
                    Base::Name(id, name) => names.level(*id).unwrap_or(name).to_owned(),
                    Base::Any => "_".to_owned(),
                };
                format!("{}{base}", "1+".repeat(steps as usize))
            }
        }
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.print(&Names::default()))
    }
}

#[derive(Debug, Clone)]
pub enum Ty {
    Int,
    Double,
    Bool,
    String,
    Unit,
    Fun(Rc<Ty>, Rc<Ty>),
    Pair(Rc<Ty>, Rc<Ty>),
    Pull(Rc<Ty>),
    Push(Level, Rc<Ty>),
    Program(Level, Rc<Ty>),
    /// An inference variable, or a quantified variable of a scheme.
    Var(u32),
    /// A type variable of a signature, which equals only itself.
    Rigid(u32, Rc<str>),
    /// The type of an erroneous expression, which fits every type.
    Any,
}

impl Ty {
    pub fn fun(a: Ty, b: Ty) -> Ty {
        Ty::Fun(Rc::new(a), Rc::new(b))
    }

    pub fn program(level: Level, of: Ty) -> Ty {
        Ty::Program(level, Rc::new(of))
    }

    /// The same type with other types at its leaves, and other levels.
    pub fn map(&self, leaf: &mut dyn FnMut(&Ty) -> Option<Ty>, level: &mut dyn FnMut(&Level) -> Level) -> Ty {
        if let Some(other) = leaf(self) {
            return other;
        }
        let mut part = |ty: &Rc<Ty>, level: &mut dyn FnMut(&Level) -> Level| Rc::new(ty.map(leaf, level));
        match self {
            Ty::Fun(a, b) => Ty::Fun(part(a, level), part(b, level)),
            Ty::Pair(a, b) => Ty::Pair(part(a, level), part(b, level)),
            Ty::Pull(a) => Ty::Pull(part(a, level)),
            Ty::Push(at, a) => Ty::Push(level(at), part(a, level)),
            Ty::Program(at, a) => Ty::Program(level(at), part(a, level)),
            other => other.clone(),
        }
    }
}

/// `forall <l> 'a. type`
#[derive(Debug, Clone)]
pub struct Scheme {
    pub levels: Vec<(u32, Rc<str>)>,
    /// Numbers of [`Ty::Var`] and [`Ty::Rigid`].
    pub types: Vec<u32>,
    pub ty: Ty,
}

impl Scheme {
    pub fn mono(ty: Ty) -> Scheme {
        Scheme { levels: Vec::new(), types: Vec::new(), ty }
    }
}

/// The printed names of the quantified variables.
#[derive(Default)]
struct Names {
    types: Vec<(u32, String)>,
    levels: Vec<(u32, String)>,
}

impl Names {
    fn level(&self, id: u32) -> Option<&str> {
        self.levels.iter().find(|(known, _)| *known == id).map(|(_, name)| name.as_str())
    }
}

/// `a`, `b`, …, `a1`
fn letter(at: usize) -> String {
    let letter = char::from(b'a' + (at % 26) as u8);
    if at < 26 { letter.to_string() } else { format!("{letter}{}", at / 26) }
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut printer = Printer { names: Names::default(), rigid: false };
        for (id, name) in &self.levels {
            printer.names.levels.push((*id, name.to_string()));
        }
        let ty = printer.ty(&self.ty, false);
        if printer.names.types.is_empty() && self.levels.is_empty() {
            return f.write_str(&ty);
        }
        f.write_str("forall")?;
        if !self.levels.is_empty() {
            let names: Vec<&str> = self.levels.iter().map(|(_, name)| &**name).collect();
            write!(f, " <{}>", names.join(", "))?;
        }
        for (_, name) in &printer.names.types {
            write!(f, " '{name}")?;
        }
        write!(f, ". {ty}")
    }
}

/// Prints the types of one message or hover, with the program's names for variables.
pub struct TypePrinter(Printer);

impl TypePrinter {
    pub fn new() -> TypePrinter {
        TypePrinter(Printer { names: Names::default(), rigid: true })
    }

    /// Prints a type. A variable has the same name in all types of one printer.
    pub fn ty(&mut self, ty: &Ty) -> String {
        self.0.ty(ty, false)
    }
}

struct Printer {
    names: Names,
    /// Whether types with names are printed under them.
    rigid: bool,
}

impl Printer {
    fn name(&mut self, id: u32) -> String {
        if let Some((_, name)) = self.names.types.iter().find(|(known, _)| *known == id) {
            return format!("'{name}");
        }
        let name = letter(self.names.types.len());
        self.names.types.push((id, name.clone()));
        format!("'{name}")
    }

    fn ty(&mut self, ty: &Ty, inner: bool) -> String {
        match ty {
            Ty::Int => "int".to_owned(),
            Ty::Double => "double".to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::String => "string".to_owned(),
            Ty::Unit => "unit".to_owned(),
            Ty::Any => "_".to_owned(),
            Ty::Fun(a, b) => {
                let text = format!("{} -> {}", self.ty(a, true), self.ty(b, false));
                if inner { format!("({text})") } else { text }
            }
            Ty::Pair(a, b) => format!("({}, {})", self.ty(a, false), self.ty(b, false)),
            Ty::Pull(a) => format!("[{}]", self.ty(a, false)),
            Ty::Push(level, a) => format!("[{}]<{}>", self.ty(a, false), level.print(&self.names)),
            Ty::Program(level, a) => {
                format!("Program <{}> {}", level.print(&self.names), self.ty(a, true))
            }
            Ty::Rigid(_, name) if self.rigid => name.to_string(),
            Ty::Var(id) | Ty::Rigid(id, _) => self.name(*id),
        }
    }
}
