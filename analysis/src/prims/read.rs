//! Reads the declarations of the primitives.
//!
//! A malformed declaration is an error with its range; a test makes sure that the shipped file has none.

use super::{Level, Primitive, PrimitiveId, Special};
use crate::hir::*;
use crate::lower::{Lowerer, SizeNames};
use crate::size::{Assumption, Size, Var, VarKind};
use crate::ty::{self, ArrayTy, Class, Dependence, Scheme, Ty, TyKind};
use lift_syntax::ast::{self, AstNode, Clause, ClausePart};
use lift_syntax::{TextRange, parse_file};
use rustc_hash::FxHashMap;

/// The range and the message of a malformed declaration.
pub(super) type Malformed = (TextRange, String);

/// All forms of the file, each as a primitive or an error.
pub(super) fn declarations(text: &str) -> Vec<Result<Primitive, Malformed>> {
    let read = |form: lift_syntax::ParsedForm| {
        let start = form.raw.range.start();
        let fail = |message: String| (form.raw.range, message);
        if let Some(error) = form.parse.errors.first() {
            return Err(fail(error.message.clone()));
        }
        let tree = form.parse.form();
        let Some(ast::Item::Primitive(primitive)) = tree.as_ref().and_then(|tree| tree.item()) else {
            return Err(fail("not a declaration of a primitive".into()));
        };
        let docs = tree.and_then(|tree| tree.doc()).unwrap_or_default();
        let node = primitive.syntax().text_range() + start;
        let mut read = read(&primitive, docs).map_err(fail)?;
        read.name_range += start;
        read.range = node;
        Ok(read)
    };
    parse_file(text).forms.into_iter().map(read).collect()
}

fn read(primitive: &ast::Primitive, docs: String) -> Result<Primitive, String> {
    let name = primitive.name().and_then(|name| name.token()).ok_or("a primitive without a name")?;
    let mut lowerer = Lowerer::new(SizeNames::Variables);
    let written = lowerer.primitive_type(primitive);
    if let Some(problem) = lowerer.body.diagnostics.first() {
        return Err(problem.message.clone());
    }
    let body = lowerer.body;
    let mut scope = Variables::of(&body);
    let result = scope.ty(&body, written)?;
    let static_sizes: Vec<Name> = body.size_params.iter().map(|b| body.binder(*b).name.clone()).collect();
    let sizes = static_sizes.iter().map(|name| Ty::new(TyKind::Size(Size::var(scope.sizes[name].clone()))));
    let ty = Ty::funs(sizes.collect::<Vec<_>>(), result);
    let mut quantified: Vec<Var> = scope.sizes.values().cloned().collect();
    quantified.sort_by_key(|var| var.id);
    let id = PrimitiveId::ALL.iter().find(|id| id.names().contains(&name.text()));
    let mut read = Primitive {
        id: *id.ok_or("a primitive without a `PrimitiveId`")?,
        name: name.text().into(),
        aliases: Vec::new(),
        static_sizes,
        scheme: Scheme {
            dependence: dependence(&ty, scope.types.len() as u32, &quantified),
            types: vec![None; scope.types.len()],
            sizes: quantified,
            ty,
            assumptions: Vec::new(),
            constants: Vec::new(),
            natural: None,
            literals: Vec::new(),
            folds: Vec::new(),
            faulty: false,
        },
        at_most: None,
        special: None,
        level: None,
        common: None,
        docs,
        range: TextRange::default(),
        name_range: name.text_range(),
    };
    for clause in primitive.clauses() {
        scope.clause(&clause, &mut read)?;
    }
    Ok(read)
}

/// The type and size variables of one declaration.
struct Variables {
    types: FxHashMap<Name, u32>,
    sizes: FxHashMap<Name, Var>,
    bound: FxHashMap<BinderId, Var>,
    positions: FxHashMap<Name, Var>,
}

impl Variables {
    /// Numbers types in alphabetical order, so that they print as written, and sizes in order of appearance.
    fn of(body: &Body) -> Variables {
        let mut names: Vec<&Name> = Vec::new();
        for ty in &body.types {
            if let TypeRef::Variable(name) = ty
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names.sort();
        let types = names.into_iter().zip(0..).map(|(name, index)| (name.clone(), index)).collect();
        let mut sizes: FxHashMap<Name, Var> = FxHashMap::default();
        let declared = body.size_params.iter().map(|b| &body.binder(*b).name);
        let free = body.sizes.iter().filter_map(|size| match size {
            SizeRef::Variable(name) => Some(name),
            _ => None,
        });
        for name in declared.chain(free) {
            let id = sizes.len() as u32;
            sizes.entry(name.clone()).or_insert_with(|| Var::new(VarKind::Generic, id, name.clone()));
        }
        Variables { types, sizes, bound: FxHashMap::default(), positions: FxHashMap::default() }
    }

    fn ty(&mut self, body: &Body, id: TypeRefId) -> Result<Ty, String> {
        Ok(match body.type_ref(id) {
            TypeRef::Scalar(scalar) => Ty::scalar(*scalar),
            TypeRef::Variable(name) => Ty::new(TyKind::Generic(self.types[name])),
            TypeRef::Array { position: None, element, length } => {
                Ty::array(self.ty(body, *element)?, self.size(body, *length)?)
            }
            // Index variables of one name are one variable: the index at which the function is applied, if there is
            // one.
            TypeRef::Array { position: Some(binder), element, length } => {
                let name = body.binder(*binder).name.clone();
                let id = self.positions.len() as u32;
                let position =
                    self.positions.entry(name.clone()).or_insert_with(|| Var::new(VarKind::Position, id, name));
                let position = Some(position.clone());
                let (element, len) = (self.ty(body, *element)?, self.size(body, *length)?);
                Ty::new(TyKind::Array(ArrayTy { element, len, position }))
            }
            TypeRef::Tuple(parts) => {
                Ty::tuple(parts.iter().map(|part| self.ty(body, *part)).collect::<Result<_, String>>()?)
            }
            TypeRef::Vector { element, width } => {
                Ty::new(TyKind::Vec(self.ty(body, *element)?, self.size(body, *width)?))
            }
            TypeRef::Exists { sizes, body: inner } => {
                let mut vars = Vec::new();
                for &binder in sizes {
                    let var = ty::bound(self.bound.len() as u32, &body.binder(binder).name);
                    self.bound.insert(binder, var.clone());
                    vars.push(var);
                }
                Ty::exists(vars, self.ty(body, *inner)?)
            }
            TypeRef::Function { params, result } => {
                let params = params.iter().map(|param| self.ty(body, *param)).collect::<Result<Vec<_>, String>>()?;
                Ty::funs(params, self.ty(body, *result)?)
            }
            TypeRef::Error => return Err("a type that no primitive can have".into()),
        })
    }

    fn size(&self, body: &Body, id: SizeRefId) -> Result<Size, String> {
        match body.size_ref(id) {
            SizeRef::Nat(value) => Ok(Size::nat(*value)),
            SizeRef::Variable(name) => self.size_variable(name),
            SizeRef::Local(binder) => match self.bound.get(binder) {
                Some(var) => Ok(Size::var(var.clone())),
                None => self.size_variable(&body.binder(*binder).name),
            },
            SizeRef::Op(op, operands) => {
                let operands =
                    operands.iter().map(|size| self.size(body, *size)).collect::<Result<Vec<_>, String>>()?;
                operation(*op, &operands)
            }
            SizeRef::Error | SizeRef::Global(_) | SizeRef::Sum { .. } | SizeRef::LengthOf(_) => {
                Err("a size that no primitive can have".into())
            }
        }
    }

    fn size_variable(&self, name: &str) -> Result<Size, String> {
        if let Some(position) = self.positions.get(name) {
            return Ok(Size::var(position.clone()));
        }
        match self.sizes.get(name) {
            Some(var) => Ok(Size::var(var.clone())),
            None => Err(format!("there is no size `{name}` in the declaration")),
        }
    }

    // ---- clauses

    fn clause(&self, clause: &Clause, into: &mut Primitive) -> Result<(), String> {
        let (head, parts) = split_clause(clause)?;
        match head.as_str() {
            "where" => {
                for part in &parts {
                    self.condition(part, into)?;
                }
            }
            "alias" => {
                for part in &parts {
                    into.aliases.push(word(part)?.into());
                }
            }
            "level" => into.level = Some(level(one(&parts)?)?),
            "elements-at" => {
                let position = self.positions.get("i").ok_or("`elements-at` is of the position `i`")?.clone();
                let index = self.clause_size(one(&parts)?)?;
                // Elements of the result come from the argument at another index, so only the arguments determine the
                // dependence.
                let (args, _) = into.scheme.ty.uncurry();
                let arguments = Ty::tuple(args.into_iter().cloned().collect());
                let mut around = dependence(&arguments, into.scheme.types.len() as u32, &into.scheme.sizes);
                std::mem::swap(&mut around.types, &mut into.scheme.dependence.types);
                into.scheme.dependence.element = Some((position, index));
            }
            "at-most" => into.at_most = Some(self.clause_size(one(&parts)?)?),
            "common" => {
                let rank = word(one(&parts)?)?;
                into.common = Some(rank.parse().map_err(|_| "`common` takes a number")?);
            }
            "special" => into.special = Some(special(&parts)?),
            _ => return Err(format!("there is no clause `{head}`")),
        }
        Ok(())
    }

    fn condition(&self, part: &ClausePart, into: &mut Primitive) -> Result<(), String> {
        let ClausePart::Clause(clause) = part else { return Err("a condition is in brackets".into()) };
        let (head, parts) = split_clause(clause)?;
        let class = match head.as_str() {
            "num" => Some(Class::Num),
            "integral" => Some(Class::Integral),
            "floating" => Some(Class::Floating),
            "scalar" => Some(Class::Scalar),
            _ => None,
        };
        if let Some(class) = class {
            let name = word(one(&parts)?)?;
            let index =
                *self.types.get(name.as_str()).ok_or(format!("there is no type `{name}` in the declaration"))?;
            into.scheme.types[index as usize] = Some(class);
            return Ok(());
        }
        let sizes = parts.iter().map(|part| self.clause_size(part)).collect::<Result<Vec<_>, String>>()?;
        into.scheme.assumptions.push(match (head.as_str(), sizes.as_slice()) {
            ("divides", [divisor, value]) => Assumption::Divides { divisor: divisor.clone(), value: value.clone() },
            ("<=", [a, b]) => Assumption::AtMost(a.clone(), b.clone()),
            ("positive", [a]) => Assumption::Positive(a.clone()),
            _ => return Err(format!("there is no condition `{head}` of {} sizes", sizes.len())),
        });
        Ok(())
    }

    fn clause_size(&self, part: &ClausePart) -> Result<Size, String> {
        match part {
            ClausePart::Token(token) => match token.text().parse::<u64>() {
                Ok(value) => Ok(Size::nat(value)),
                Err(_) => self.size_variable(token.text()),
            },
            ClausePart::Clause(clause) => {
                let (head, parts) = split_clause(clause)?;
                let op = match head.as_str() {
                    "+" => SizeOp::Add,
                    "-" => SizeOp::Sub,
                    "*" => SizeOp::Mul,
                    "/" => SizeOp::Div,
                    _ => return Err(format!("there is no operation `{head}` on the sizes of a clause")),
                };
                let operands = parts.iter().map(|part| self.clause_size(part)).collect::<Result<Vec<_>, String>>()?;
                operation(op, &operands)
            }
        }
    }
}

/// A type or length of a declaration may depend on the index variables bound around all its uses. Types in function
/// arguments are not counted: they are those at the index of the mapped array.
fn dependence(ty: &Ty, types: u32, sizes: &[Var]) -> Dependence {
    let (args, result) = ty.uncurry();
    let data = || args.iter().copied().filter(|t| !matches!(t.kind(), TyKind::Fun(..))).chain([result]);
    let around = |is_use: &dyn Fn(&Ty) -> bool| {
        let mut uses = Vec::new();
        data().for_each(|t| binders_around(t, is_use, &mut Vec::new(), &mut uses));
        let mut uses = uses.into_iter();
        let first: Vec<Var> = uses.next().unwrap_or_default();
        uses.fold(first, |common, other| common.into_iter().filter(|p| other.contains(p)).collect())
    };
    Dependence {
        types: (0..types).map(|n| around(&|t| matches!(t.kind(), TyKind::Generic(m) if *m == n))).collect(),
        sizes: (sizes.iter())
            .map(|v| {
                around(&|t| match t.kind() {
                    TyKind::Array(a) => a.len.contains(v),
                    TyKind::Vec(_, s) | TyKind::Size(s) => s.contains(v),
                    _ => false,
                })
            })
            .collect(),
        element: None,
    }
}

fn binders_around(ty: &Ty, is_use: &dyn Fn(&Ty) -> bool, binders: &mut Vec<Var>, uses: &mut Vec<Vec<Var>>) {
    if is_use(ty) {
        uses.push(binders.clone());
    }
    match ty.kind() {
        TyKind::Array(a) => {
            let outer = binders.len();
            binders.extend(a.position.clone());
            binders_around(&a.element, is_use, binders, uses);
            binders.truncate(outer);
        }
        TyKind::Tuple(parts) => parts.iter().for_each(|p| binders_around(p, is_use, binders, uses)),
        TyKind::Fun(a, r) => [a, r].into_iter().for_each(|t| binders_around(t, is_use, binders, uses)),
        TyKind::Exists(_, t) | TyKind::Vec(t, _) => binders_around(t, is_use, binders, uses),
        _ => {}
    }
}

fn operation(op: SizeOp, operands: &[Size]) -> Result<Size, String> {
    Ok(match (op, operands) {
        (SizeOp::Add, [first, rest @ ..]) => rest.iter().fold(first.clone(), |a, b| a.add(b)),
        (SizeOp::Mul, [first, rest @ ..]) => rest.iter().fold(first.clone(), |a, b| a.mul(b)),
        (SizeOp::Sub, [a, b]) => a.sub(b),
        (SizeOp::Div, [a, b]) => a.div_exact(b),
        _ => return Err("an operation that sizes of primitives do not need".into()),
    })
}

/// The head word of a clause and its remaining parts.
fn split_clause(clause: &Clause) -> Result<(String, Vec<ClausePart>), String> {
    let mut parts = clause.parts();
    let head = word(&parts.next().ok_or("an empty clause")?)?;
    Ok((head, parts.collect()))
}

fn word(part: &ClausePart) -> Result<String, String> {
    match part {
        ClausePart::Token(token) => Ok(token.text().to_owned()),
        ClausePart::Clause(_) => Err("a word is expected where there is a list".into()),
    }
}

fn one(parts: &[ClausePart]) -> Result<&ClausePart, String> {
    match parts {
        [part] => Ok(part),
        _ => Err(format!("one part is wanted, not {}", parts.len())),
    }
}

fn level(part: &ClausePart) -> Result<Level, String> {
    let ClausePart::Clause(clause) = part else {
        return match word(part)?.as_str() {
            "seq" => Ok(Level::Seq),
            other => Err(format!("there is no level `{other}`")),
        };
    };
    let (head, parts) = split_clause(clause)?;
    let dimension: u8 = word(one(&parts)?)?.parse().map_err(|_| "a dimension is 0, 1 or 2")?;
    match head.as_str() {
        "glb" => Ok(Level::Glb(dimension)),
        "wrg" => Ok(Level::Wrg(dimension)),
        "lcl" => Ok(Level::Lcl(dimension)),
        _ => Err(format!("there is no level `{head}`")),
    }
}

fn special(parts: &[ClausePart]) -> Result<Special, String> {
    let words = parts.iter().map(word).collect::<Result<Vec<String>, String>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        ["zip"] => Special::Zip,
        ["unzip"] => Special::Unzip,
        ["get", number] => {
            let number = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            Special::Get(number.ok_or("`get` takes a number from 1")?)
        }
        ["iterate"] => Special::Iterate,
        ["iterate-while"] => Special::IterateWhile,
        ["sized"] => Special::Sized,
        ["cut"] => Special::Cut,
        ["generate"] => Special::Generate,
        ["vectorize"] => Special::Vectorize,
        ["join"] => Special::Join,
        ["pad"] => Special::Pad,
        ["pad-mode"] => Special::PadMode,
        ["aref"] => Special::Aref,
        ["partition"] => Special::Partition,
        ["case-split"] => Special::CaseSplit,
        _ => return Err(format!("there is no rule `{}`", words.join(" "))),
    })
}
