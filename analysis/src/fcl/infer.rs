//! Hindley–Milner with levels: levels are written by the program and only compared.
//!
//! `written`: types and levels as a program writes them.

mod written;

pub use written::declarations;

use super::types::{Base, Level, Scheme, Ty, TypePrinter};
use super::unify::{Clash, Unknowns};
use crate::lower::closest;
use lift_syntax::SyntaxErrorCode::{FclLevel, FclName, FclSignature, FclType};
use lift_syntax::fcl::ast::{Definition, Expr, ExprKind, LevelRef, Named, Program, Statement, function_of};
use lift_syntax::{SyntaxError, SyntaxErrorCode, TextRange};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The type of a name, and where it was bound (`None` for the library).
#[derive(Debug, Clone)]
pub struct Known {
    pub scheme: Scheme,
    pub at: Option<TextRange>,
}

/// The result of inference for a program.
#[derive(Default)]
pub struct Inferred {
    pub errors: Vec<SyntaxError>,
    /// Types of expressions and of names that are bound.
    pub types: Vec<(TextRange, String)>,
    /// Uses of names that the program binds, and where these are bound.
    pub uses: Vec<(TextRange, TextRange)>,
    /// Names with their types, in order.
    pub definitions: Vec<(Named, Scheme)>,
}

/// The types of names that are known before a program.
pub type Environment = FxHashMap<Rc<str>, Scheme>;

pub fn infer(program: &Program, before: &Environment) -> Inferred {
    let mut checker = Checker::new(before);
    checker.later = program.definitions.iter().map(|definition| definition.name.text.clone()).collect();
    checker.promised = program.strays.iter().map(|stray| stray.name.text.clone()).collect();
    for stray in &program.strays {
        let behind = match &stray.next {
            Some(next) => format!("the definition after it is `{}`", next.text),
            None => "no definition is after it".to_owned(),
        };
        let message = format!("this is the signature of `{}`, but {behind}", stray.name.text);
        checker.error(FclSignature, stray.name.range, message, None);
    }
    for definition in &program.definitions {
        let scheme = checker.definition(definition);
        checker.later.retain(|name| *name != definition.name.text);
        checker.out.definitions.push((definition.name.clone(), scheme.clone()));
        checker.bind(&definition.name, scheme);
    }
    checker.finish()
}

struct Checker<'e> {
    unknowns: Unknowns,
    before: &'e Environment,
    scope: Vec<(Rc<str>, Known)>,
    /// Levels with names, the innermost last.
    levels: Vec<(Rc<str>, Level)>,
    /// The depth of nested definitions.
    depth: u32,
    noted: Vec<(TextRange, Scheme)>,
    /// Top-level names whose definitions follow.
    later: Vec<Rc<str>>,
    /// Names of signatures without a definition.
    promised: Vec<Rc<str>>,
    /// Ranges of names whose definition does not have the type of their signature.
    disputed: Vec<TextRange>,
    out: Inferred,
}

impl<'e> Checker<'e> {
    fn new(before: &'e Environment) -> Checker<'e> {
        Checker {
            unknowns: Unknowns::default(),
            before,
            scope: Vec::new(),
            levels: Vec::new(),
            depth: 0,
            noted: Vec::new(),
            later: Vec::new(),
            promised: Vec::new(),
            disputed: Vec::new(),
            out: Inferred::default(),
        }
    }
}

impl Checker<'_> {
    fn finish(mut self) -> Inferred {
        if self.unknowns.is_exhausted() {
            let at = self.out.definitions.first().map_or(TextRange::default(), |(name, _)| name.range);
            self.error(FclType, at, "the types of this program are too large".to_owned(), None);
        }
        for (range, scheme) in std::mem::take(&mut self.noted) {
            let ty = self.unknowns.resolve(&scheme.ty);
            let text = if scheme.types.is_empty() && scheme.levels.is_empty() {
                TypePrinter::new().ty(&ty)
            } else {
                Scheme { ty, ..scheme }.to_string()
            };
            self.out.types.push((range, text));
        }
        self.out.errors.sort_by_key(|error| error.range.start());
        self.out
    }

    fn error(
        &mut self,
        code: SyntaxErrorCode,
        range: TextRange,
        message: String,
        related: Option<(TextRange, String)>,
    ) {
        if !self.out.errors.iter().any(|known| known.range == range) {
            self.out.errors.push(SyntaxError { code, range, message, related, fix: None });
        }
    }

    fn fresh(&mut self) -> Ty {
        self.unknowns.fresh(self.depth)
    }

    fn note(&mut self, range: TextRange, ty: &Ty) {
        self.noted.push((range, Scheme::mono(ty.clone())));
    }

    fn bind(&mut self, name: &Named, scheme: Scheme) {
        self.noted.push((name.range, scheme.clone()));
        self.scope.push((name.text.clone(), Known { scheme, at: Some(name.range) }));
    }

    // ---- definitions

    fn definition(&mut self, definition: &Definition) -> Scheme {
        let outer = self.levels.len();
        let mut levels = Vec::new();
        for name in &definition.levels {
            let id = self.unknowns.number();
            levels.push((id, name.text.clone()));
            let base = Base::Name(id, name.text.clone());
            self.levels.push((name.text.clone(), Level { base, steps: 0, from: None }));
        }
        let promised = definition.scheme.as_ref().map(|scheme| {
            if scheme.levels.len() != definition.levels.len() {
                let (said, has) = (scheme.levels.len(), definition.levels.len());
                let message =
                    format!("the signature of `{}` has {said} levels, but it has {has}", definition.name.text);
                self.error(FclSignature, definition.name.range, message, None);
            }
            (scheme.ty.range, self.scheme(scheme, levels.clone()))
        });
        self.depth += 1;
        let errors = self.out.errors.len();
        let found = match &promised {
            Some((_, promised)) => self.expected(&definition.body, &promised.ty),
            None => self.expr(&definition.body),
        };
        self.depth -= 1;
        self.levels.truncate(outer);
        match promised {
            Some((range, promised)) => {
                // Errors inside are already reported.
                if self.out.errors.len() == errors {
                    self.keeps(definition, range, &found, &promised);
                }
                promised
            }
            None => self.generalize(&found, levels),
        }
    }

    fn generalize(&mut self, ty: &Ty, levels: Vec<(u32, Rc<str>)>) -> Scheme {
        let ty = self.unknowns.resolve(ty);
        let mut types = Vec::new();
        let depth = self.depth;
        ty.map(
            &mut |leaf| {
                if let Ty::Var(id) = leaf
                    && self.unknowns.depth(*id) > depth
                    && !types.contains(id)
                {
                    types.push(*id);
                }
                None
            },
            &mut Level::clone,
        );
        Scheme { levels, types, ty }
    }

    /// Checks a body against its signature; the parameter types are known during the check.
    fn expected(&mut self, body: &Expr, promised: &Ty) -> Ty {
        let ExprKind::Function(param, inner) = body.kind() else { return self.expr(body) };
        let Ty::Fun(from, to) = promised else { return self.expr(body) };
        self.bind(param, Scheme::mono((**from).clone()));
        let result = self.expected(inner, to);
        self.scope.pop();
        let ty = Ty::fun((**from).clone(), result);
        self.note(body.range(), &ty);
        ty
    }

    fn keeps(&mut self, definition: &Definition, said: TextRange, found: &Ty, promised: &Scheme) {
        let Err(clash) = self.unknowns.unify(found, &promised.ty) else { return };
        let mut printer = TypePrinter::new();
        let (found, wanted) = (self.unknowns.resolve(found), self.unknowns.resolve(&promised.ty));
        let (found, wanted) = (printer.ty(&found), printer.ty(&wanted));
        let name = &definition.name;
        self.disputed.push(name.range);
        let message = format!("`{}` is `{found}`, but its signature says `{wanted}`{}", name.text, because(&clash));
        let related = self.origin(&clash).unwrap_or((said, "the signature".to_owned()));
        let code = if matches!(clash, Clash::Levels(..)) { FclLevel } else { FclSignature };
        self.error(code, name.range, message, Some(related));
    }

    // ---- expressions

    fn expr(&mut self, expr: &Expr) -> Ty {
        let ty = stacker::maybe_grow(128 << 10, 4 << 20, || self.expr_inner(expr));
        self.note(expr.range(), &ty);
        ty
    }

    fn expr_inner(&mut self, expr: &Expr) -> Ty {
        match expr.kind() {
            ExprKind::Int(n) => {
                if i32::try_from(*n).is_err() {
                    let message = "this number does not fit 32 bits".to_owned();
                    self.error(SyntaxErrorCode::FclWord, expr.range(), message, None);
                }
                Ty::Int
            }
            ExprKind::Double(_) => Ty::Double,
            ExprKind::Bool(_) => Ty::Bool,
            ExprKind::String(_) => Ty::String,
            ExprKind::Unit => Ty::Unit,
            ExprKind::Missing => Ty::Any,
            ExprKind::Name(name, levels) => self.name(name, levels, expr.range()),
            ExprKind::Apply(f, arg) => {
                let of = self.expr(f);
                let given = self.expr(arg);
                self.apply(f, of, arg, given)
            }
            ExprKind::Pipe(_, arg, f) => {
                let given = self.expr(arg);
                let of = self.expr(f);
                self.apply(f, of, arg, given)
            }
            ExprKind::Binary(operator, left, right) => {
                let function = function_of(&operator.text);
                let of_doubles = function_of_doubles(function);
                let sides = [(left, self.expr(left)), (right, self.expr(right))];
                // The wrong operator is one mistake, whatever both its operands are.
                let wrong = sides.iter().any(|(side, found)| {
                    let is_double = matches!(self.unknowns.resolve(found), Ty::Double);
                    let instead = of_doubles.filter(|_| is_double);
                    let instead = instead.map_or(String::new(), |name| format!("; `{name}` takes two of `double`"));
                    let why = || format!("`{}` takes two of `int`{instead}", operator.text);
                    self.is(side, found, &Ty::Int, Some(operator.range), why).is_some()
                });
                match function {
                    _ if wrong => Ty::Any,
                    "eqi" | "neqi" => Ty::Bool,
                    _ => Ty::Int,
                }
            }
            ExprKind::Pair(a, b) => Ty::Pair(Rc::new(self.expr(a)), Rc::new(self.expr(b))),
            ExprKind::If(condition, then, otherwise) => {
                let found = self.expr(condition);
                self.is(condition, &found, &Ty::Bool, None, || "a condition is a `bool`".to_owned());
                let one = self.expr(then);
                let other = self.expr(otherwise);
                let why = || "both branches of an `if` have one type".to_owned();
                self.is(otherwise, &other, &one, Some(then.range()), why);
                one
            }
            ExprKind::Let(definition, body) => {
                let scheme = self.definition(definition);
                self.bind(&definition.name, scheme);
                let ty = self.expr(body);
                self.scope.pop();
                ty
            }
            ExprKind::Function(param, body) => {
                let from = self.fresh();
                self.bind(param, Scheme::mono(from.clone()));
                let to = self.expr(body);
                self.scope.pop();
                Ty::fun(from, to)
            }
            ExprKind::Do(level, statements) => self.block(level, statements, expr.range()),
        }
    }

    fn name(&mut self, name: &Named, levels: &[LevelRef], range: TextRange) -> Ty {
        let levels: Vec<Level> = levels.iter().map(|level| self.level(level)).collect();
        let local = self.scope.iter().rev().find(|(known, _)| *known == name.text).map(|(_, known)| known.clone());
        let known = local.or_else(|| Some(Known { scheme: self.before.get(&name.text)?.clone(), at: None }));
        let Some(known) = known else {
            if self.promised.contains(&name.text) {
                return Ty::Any;
            }
            let message = self.missing(&name.text);
            self.error(FclName, name.range, message, None);
            return Ty::Any;
        };
        if let Some(at) = known.at {
            self.out.uses.push((name.range, at));
            if self.disputed.contains(&at) {
                return Ty::Any;
            }
        }
        let scheme = known.scheme;
        if scheme.levels.len() != levels.len() {
            let (wants, names) = (scheme.levels.len(), scheme.levels.iter().map(|(_, name)| &**name));
            let names: Vec<&str> = names.collect();
            let message = match wants {
                0 => format!("`{}` takes no levels", name.text),
                1 => format!("`{}` takes one level: `{}<{}>`", name.text, name.text, names.join(", ")),
                n => format!("`{}` takes {n} levels: `{}<{}>`", name.text, name.text, names.join(", ")),
            };
            self.error(FclLevel, range, message, known.at.map(|at| (at, "defined here".to_owned())));
        }
        self.instance(&scheme, &levels)
    }

    /// The message about an unknown name, with a similar name.
    fn missing(&self, name: &str) -> String {
        if self.later.first().is_some_and(|own| **own == *name) {
            return format!(
                "`{name}` is used in its own definition, but there is no recursion: `power`, `whileSeq` and `foldl` repeat"
            );
        }
        if self.later.iter().any(|later| **later == *name) {
            return format!("`{name}` is defined further down: a definition knows those above it");
        }
        let mut known: Vec<&str> = self.scope.iter().map(|(known, _)| &**known).collect();
        known.extend(self.before.keys().map(|known| &**known));
        known.sort_unstable();
        if let Some(meant) = closest(name, known.iter().copied()) {
            return format!("`{name}` is not defined; did you mean `{meant}`?");
        }
        let longer: Vec<String> = match name.len() {
            0..=2 => Vec::new(),
            length => {
                let begins = |known: &&&str| known.get(..length).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
                known.iter().filter(begins).map(|known| format!("`{known}`")).collect()
            }
        };
        match longer.is_empty() {
            true => format!("`{name}` is not defined"),
            false => format!("`{name}` is not defined; there are {}", longer.join(", ")),
        }
    }

    fn instance(&mut self, scheme: &Scheme, levels: &[Level]) -> Ty {
        let fresh: Vec<(u32, Ty)> = scheme.types.iter().map(|id| (*id, self.unknowns.fresh(self.depth))).collect();
        let ty = self.unknowns.resolve(&scheme.ty);
        ty.map(
            &mut |leaf| match leaf {
                Ty::Var(id) | Ty::Rigid(id, _) => {
                    fresh.iter().find(|(known, _)| known == id).map(|(_, fresh)| fresh.clone())
                }
                _ => None,
            },
            &mut |level| {
                let Base::Name(id, _) = &level.base else { return level.clone() };
                match scheme.levels.iter().position(|(known, _)| known == id) {
                    Some(at) => match levels.get(at) {
                        Some(given) => Level { steps: given.steps + level.steps, ..given.clone() },
                        None => Level::any(),
                    },
                    None => level.clone(),
                }
            },
        )
    }

    fn apply(&mut self, f: &Expr, of: Ty, arg: &Expr, given: Ty) -> Ty {
        match self.unknowns.head(&of) {
            Ty::Fun(from, to) => {
                let named = callee(f);
                let why = || match &named {
                    Some(name) => format!("`{name}` takes"),
                    None => "the function takes".to_owned(),
                };
                match self.takes(arg, &given, &from, &to, f.range(), why) {
                    true => (*to).clone(),
                    false => Ty::Any,
                }
            }
            Ty::Var(_) => {
                let to = self.fresh();
                let function = Ty::fun(given, to.clone());
                if self.unknowns.unify(&of, &function).is_err() {
                    let message = "this would be a function that takes itself".to_owned();
                    self.error(FclType, arg.range(), message, Some((f.range(), "the function".to_owned())));
                    return Ty::Any;
                }
                to
            }
            Ty::Any => Ty::Any,
            // The argument is wrong already, perhaps because it should not be one; or another one is.
            _ if matches!(given, Ty::Any) || self.is_wrong(f.range()) => Ty::Any,
            other => {
                let other = self.unknowns.resolve(&other);
                let message = format!("this is not a function: it is `{}`", TypePrinter::new().ty(&other));
                let related = Some((arg.range(), "it is applied to this".to_owned()));
                self.error(FclType, f.range(), message, related);
                Ty::Any
            }
        }
    }

    fn is_wrong(&self, range: TextRange) -> bool {
        self.out.errors.iter().any(|error| range.contains_range(error.range))
    }

    /// Unifies an argument's type with the parameter's. `rest` is the function's type after this parameter. Returns false if
    /// the argument is that of another parameter.
    fn takes(
        &mut self,
        arg: &Expr,
        given: &Ty,
        wanted: &Ty,
        rest: &Ty,
        function: TextRange,
        why: impl Fn() -> String,
    ) -> bool {
        let Err(clash) = self.unknowns.unify(given, wanted) else { return true };
        let is_program = |ty: &Ty| matches!(self.unknowns.resolve(ty), Ty::Program(..));
        let named = is_program(given) && !is_program(wanted) && !matches!(clash, Clash::Levels(..));
        let is_later = matches!(self.unknowns.head(given), Ty::Pull(_) | Ty::Push(..))
            && matches!(self.unknowns.head(wanted), Ty::Int | Ty::Double | Ty::Bool)
            && self.takes_array(rest);
        let what_to_do = match (self.unknowns.head(given), self.unknowns.head(wanted)) {
            _ if is_later => " before the array".to_owned(),
            _ if named => ": in a `do`, `x <- …` names what a program gives".to_owned(),
            (Ty::Pull(_), Ty::Push(level, _)) => format!(": `push<{level}>` makes one from the other"),
            (Ty::Push(level, _), Ty::Program(..)) => {
                format!(": `force<{level}>` stores it, and `return<{level}>` makes a program of it")
            }
            (Ty::Push(level, _), Ty::Pull(_)) => format!(": in a `do`, `x <- force<{level}> …` stores it to be read"),
            _ => String::new(),
        };
        let (found, wanted) = self.both(given, wanted);
        let message = format!("this is `{found}`, and {} `{wanted}`{}{what_to_do}", why(), because(&clash));
        let related = self.origin(&clash).unwrap_or((function, "the function".to_owned()));
        self.clash(&clash, arg.range(), message, related);
        !is_later
    }

    /// Whether a function of this type has a parameter that is an array.
    fn takes_array(&self, function: &Ty) -> bool {
        let mut function = self.unknowns.head(function);
        while let Ty::Fun(from, to) = &function {
            if matches!(self.unknowns.head(from), Ty::Pull(_) | Ty::Push(..)) {
                return true;
            }
            function = self.unknowns.head(to);
        }
        false
    }

    /// Unifies an expression's type with an expected one; `why` explains the expectation.
    fn is(
        &mut self,
        expr: &Expr,
        found: &Ty,
        wanted: &Ty,
        at: Option<TextRange>,
        why: impl Fn() -> String,
    ) -> Option<Clash> {
        let clash = self.unknowns.unify(found, wanted).err()?;
        let (found, wanted) = self.both(found, wanted);
        let message = format!("this is `{found}`, not `{wanted}`: {}{}", why(), because(&clash));
        let other = at.map(|at| (at, format!("this is `{wanted}`")));
        match self.origin(&clash).or(other) {
            Some(related) => self.clash(&clash, expr.range(), message, related),
            None => self.error(FclType, expr.range(), message, None),
        }
        Some(clash)
    }

    fn both(&self, found: &Ty, wanted: &Ty) -> (String, String) {
        let mut printer = TypePrinter::new();
        let found = printer.ty(&self.unknowns.resolve(found));
        (found, printer.ty(&self.unknowns.resolve(wanted)))
    }

    fn clash(&mut self, clash: &Clash, range: TextRange, message: String, related: (TextRange, String)) {
        let code = if matches!(clash, Clash::Levels(..)) { FclLevel } else { FclType };
        self.error(code, range, message, Some(related));
    }

    /// The range in the program that determines a level of a clash.
    fn origin(&self, clash: &Clash) -> Option<(TextRange, String)> {
        let Clash::Levels(found, wanted) = clash else { return None };
        let (level, at) = [found, wanted].into_iter().find_map(|level| Some((level, level.from?)))?;
        Some((at, format!("`{level}` is from here")))
    }

    /// `do<l> { … }`: each statement is a program of the level.
    fn block(&mut self, level: &LevelRef, statements: &[Statement], range: TextRange) -> Ty {
        let mut level = self.level(level);
        let outer = self.scope.len();
        let mut result = Ty::Any;
        for (place, statement) in statements.iter().enumerate() {
            let errors = self.out.errors.len();
            let found = self.expr(&statement.value);
            result = found.clone();
            let last = place + 1 == statements.len();
            if last && statement.name.is_some() {
                // Other errors follow from the missing separation into statements.
                self.out.errors.truncate(errors);
                let message = "the last statement of `do` is its result, so it has no name: `;` separates statements";
                self.error(FclType, statement.value.range(), message.to_owned(), None);
                result = Ty::Any;
                break;
            }
            if statements.len() > 1 {
                let of = self.fresh();
                let wanted = Ty::program(level.clone(), of.clone());
                let shown = level.clone();
                let why = || format!("a statement of `do<{shown}>` is a program of that level");
                let clash = self.is(&statement.value, &found, &wanted, level.from.or(Some(range)), why);
                if matches!(clash, Some(Clash::Levels(..))) {
                    // The level of the block may be wrong, which is said once.
                    level.base = Base::Any;
                }
                if let Some(name) = &statement.name {
                    self.bind(name, Scheme::mono(of));
                }
            }
        }
        self.scope.truncate(outer);
        result
    }
}

/// The part of a message about a clash of levels or an infinite type.
fn because(clash: &Clash) -> String {
    match clash {
        Clash::Types => String::new(),
        Clash::Levels(found, wanted) => format!(": the levels are `{found}` and `{wanted}`"),
        Clash::Endless => ": it would contain itself".to_owned(),
    }
}

/// The name of the function at the head of an application.
fn callee(f: &Expr) -> Option<Rc<str>> {
    match f.kind() {
        ExprKind::Name(name, _) => Some(name.text.clone()),
        ExprKind::Apply(f, _) => callee(f),
        _ => None,
    }
}

/// The function on doubles that corresponds to one on integers.
fn function_of_doubles(of_integers: &str) -> Option<&'static str> {
    Some(match of_integers {
        "addi" => "addd",
        "subi" => "subd",
        "muli" => "muld",
        "divi" => "divd",
        _ => return None,
    })
}
