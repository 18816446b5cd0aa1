//! Detects arguments in the wrong order, `(map xs f)`, `(reduce + 0 xs)`, or with one missing, `(reduce + xs)`.
//!
//! Runs before the call is checked, where a function is given for a value and a value for a function. That is reported
//! as one mistake, and the call is checked as if corrected. So are an array and a number, `(take xs 3)`.

use crate::diagnostics::Note;
use crate::diagnostics::Problem;
use crate::diagnostics::problem::Noun;
use crate::diagnostics::{Diagnostic, Edit, Title};
use crate::hir::*;
use crate::infer::Lookup;
use crate::infer::context::Infer;
use crate::infer::meant::{Ordered, UnboundBody};
use crate::prims::{self, PrimitiveId, Special};
use crate::ty::{Ty, TyKind};

/// The apparent kind of an argument before it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    Function,
    Array,
    /// An array of scalars of this type.
    ArrayOf(Scalar),
    /// A literal that is not an Int.
    Fraction,
    /// A written size, `#4`.
    Size,
    /// Neither a function nor an array.
    Value,
    Unclear,
}

/// The kind of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Function,
    Array,
    ArrayOf(Scalar),
    Size,
    Int,
    /// Any other number.
    Number,
    /// Includes type variables, which may be arrays.
    Value,
}

impl Takes {
    fn of(ty: &Ty) -> Takes {
        match ty.kind() {
            TyKind::Fun(..) => Takes::Function,
            TyKind::Array(array) => array.element.as_scalar().map_or(Takes::Array, Takes::ArrayOf),
            TyKind::Size(_) => Takes::Size,
            TyKind::Scalar(Scalar::Int) => Takes::Int,
            TyKind::Scalar(_) => Takes::Number,
            _ => Takes::Value,
        }
    }

    fn may_be(self, looks: Looks) -> bool {
        match looks {
            Looks::Function => self == Takes::Function,
            Looks::Array => self.is_array() || self == Takes::Value,
            Looks::ArrayOf(scalar) => matches!(self, Takes::Array | Takes::Value) || self == Takes::ArrayOf(scalar),
            Looks::Fraction => matches!(self, Takes::Number | Takes::Value),
            Looks::Size | Looks::Value => self != Takes::Function && !self.is_array(),
            Looks::Unclear => true,
        }
    }

    /// Whether an argument that was written in another place is probably meant for this parameter.
    fn is_meant(self, looks: Looks) -> bool {
        self.may_be(looks) && (looks != Looks::Size || self == Takes::Size)
    }

    fn is_array(self) -> bool {
        matches!(self, Takes::Array | Takes::ArrayOf(_))
    }

    fn is_number(self) -> bool {
        matches!(self, Takes::Size | Takes::Int | Takes::Number)
    }

    fn noun(self) -> Noun {
        match self {
            Takes::Function => Noun::Function,
            Takes::Array | Takes::ArrayOf(_) => Noun::Array,
            Takes::Size | Takes::Int | Takes::Number => Noun::Number,
            Takes::Value => Noun::Value,
        }
    }
}

impl Looks {
    fn is_array(self) -> bool {
        matches!(self, Looks::Array | Looks::ArrayOf(_))
    }
}

/// A call as it was probably meant.
pub enum Meant {
    Ordered(Vec<ExprId>),
    /// An argument is missing; only the result type is known.
    Lacking(Ty),
}

impl Infer<'_> {
    /// Detects two exchanged arguments or a missing one. Reports the mistake and returns the corrected call.
    pub fn in_order(&mut self, callee: ExprId, args: &[ExprId]) -> Option<Meant> {
        let Expr::Global(name) = self.program.expr(callee) else { return None };
        let name = name.clone();
        let ty = match self.program.lookup(&name) {
            Lookup::Definition(scheme) => scheme.ty,
            Lookup::Primitive(p) => p.scheme.ty.clone(),
            Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => return None,
        };
        let params: Vec<Takes> = ty.uncurry().0.into_iter().map(Takes::of).collect();
        let mut looks: Vec<Looks> = args.iter().map(|a| self.looks(*a)).collect();
        let body = self.misplaced_body(&ty, &params, args, &looks);
        if let Some((at, _)) = body {
            looks[at] = Looks::Function;
        }
        if let Some(written) = self.of_each(&name, &params, args, &looks) {
            self.infer_all(args);
            let problem = Problem::NeedsArrays { callee: name, written };
            self.found.diagnostic(Diagnostic::new(Node::Expr(callee), &problem));
            return Some(Meant::Lacking(Ty::error()));
        }
        if let Some(order) = order_that_fits(&params, &looks) {
            return Some(self.reordered(name, args, &order));
        }
        let at = |is: &dyn Fn(Takes, Looks) -> bool| params.iter().zip(&looks).position(|(p, l)| is(*p, *l));
        let is_value = |looks: Looks| !matches!(looks, Looks::Function | Looks::Unclear);
        // An array where a size is expected, too, shows that an argument before it is missing.
        let value = at(&|takes, looks| takes == Takes::Function && is_value(looks))
            .or_else(|| at(&|takes, looks| takes == Takes::Size && looks.is_array()));
        if value.is_some()
            && let Some(missing) = missing(&params, &looks)
        {
            return Some(self.lacks_argument(callee, args, &ty, missing));
        }
        let functions = || {
            let value = value.filter(|at| params[*at] == Takes::Function)?;
            Some((value, at(&|takes, looks| takes != Takes::Function && looks == Looks::Function)?))
        };
        let is_number = |looks: Looks| matches!(looks, Looks::Value | Looks::Size | Looks::Fraction);
        let numbers = || {
            let array = at(&|takes: Takes, looks| takes.is_number() && looks.is_array())?;
            Some((array, at(&|takes, looks| takes.is_array() && is_number(looks))?))
        };
        let found =
            self.zero_for_length(&params, args).or_else(|| exchange_that_fits(&params, &looks)).or_else(functions);
        let (one, other) = match params.contains(&Takes::Function) {
            true => found?,
            false => found.or_else(numbers)?,
        };
        let mut ordered = args.to_vec();
        ordered.swap(one, other);
        let (low, high) = (one.min(other), one.max(other));
        let (first, second) = (args[low], args[high]);
        // The argument at the other place distinguishes a value from a function, even if the place accepts both.
        let value = |takes: Takes| if takes == Takes::Function { Noun::Function } else { Noun::Value };
        let elements = |takes: Takes| match takes {
            Takes::ArrayOf(scalar) => Noun::ArrayOf(scalar),
            other => other.noun(),
        };
        let wanted = match [params[low], params[high]] {
            both if both.contains(&Takes::Function) => both.map(value),
            both if both.iter().all(|takes| takes.is_array()) => both.map(elements),
            both => both.map(Takes::noun),
        };
        let [wanted_first, _] = wanted;
        let body = body.filter(|(at, _)| [low, high].contains(at));
        let written = body.as_ref().map(|(at, meant)| {
            let each = ordered.iter().map(|arg| match *arg == args[*at] {
                true => format!(" {}", meant.written),
                false => format!(" {}", self.program.short(*arg)),
            });
            format!("({name}{})", each.collect::<String>())
        });
        let problem = Problem::ArgumentOrder {
            callee: name,
            wanted,
            first: self.program.short(first),
            second: self.program.short(second),
        };
        let mut d = Diagnostic::new(Node::Expr(first), &problem)
            .related(Node::Expr(second), &Note::ArgumentHere { noun: wanted_first });
        d = match body.zip(written) {
            Some(((at, meant), written)) => {
                let (body, value) = (args[at], args[low + high - at]);
                let edits = meant.move_to(value, body).into_iter().chain(move_to(body, value)).collect();
                d = d.guess(&meant.guess()).fix(Title::Write(written).proposed(edits));
                self.found.meant_as_parameters(meant.uses);
                d
            }
            None => d.fix(Title::ExchangeArguments.certain(exchanged(first, second))),
        };
        self.found.diagnostic(d);
        Some(Meant::Ordered(ordered))
    }

    /// `(reduce (+ a b) 0 xs)`: an expression of unbound names beside a value in place of the function, and its index.
    fn misplaced_body(
        &self,
        ty: &Ty,
        params: &[Takes],
        args: &[ExprId],
        looks: &[Looks],
    ) -> Option<(usize, UnboundBody)> {
        let at = params.iter().zip(looks).position(|(takes, looks)| {
            *takes == Takes::Function && !matches!(looks, Looks::Function | Looks::Unclear)
        })?;
        let takes = ty.uncurry().0[at].uncurry().0.len();
        (0..args.len()).find_map(|at| Some((at, self.results().meant_as_body(args[at], takes)?)))
    }

    /// The call of an unknown name as a call of `meant`, and the edits of its arguments, if `meant` takes them in another order.
    pub fn ordered_for(&self, callee: ExprId, meant: &Name) -> Option<Ordered> {
        let args = self.program.body().exprs.iter().find_map(|e| match e {
            Expr::Apply { callee: of, args } if *of == callee => Some(args),
            _ => None,
        })?;
        let ty = self.program.word(meant)?.ty;
        let params: Vec<Takes> = ty.uncurry().0.into_iter().map(Takes::of).collect();
        let looks: Vec<Looks> = args.iter().map(|a| self.looks(*a)).collect();
        let order = order_that_fits(&params, &looks).or_else(|| {
            let (one, other) = exchange_that_fits(&params, &looks)?;
            let mut order: Vec<usize> = (0..args.len()).collect();
            order.swap(one, other);
            Some(order)
        })?;
        let written: String = order.iter().map(|index| format!(" {}", self.program.short(args[*index]))).collect();
        let moved = args.iter().zip(order.iter().map(|index| args[*index])).filter(|(to, from)| *to != from);
        let edits = moved.flat_map(|(to, from)| move_to(*to, from)).collect();
        Some((format!("({meant}{written})"), edits))
    }

    /// The call that is meant by `(groupBy f xs)` if it takes a size and two arrays: the first array is what the function gives
    /// for each element of the other.
    fn of_each(&self, callee: &str, params: &[Takes], args: &[ExprId], looks: &[Looks]) -> Option<String> {
        let ([Takes::Size, first, second], [one, other]) = (params, looks) else { return None };
        if !first.is_array() || !second.is_array() {
            return None;
        }
        let (function, array) = match (one, other) {
            (Looks::Function, array) if array.is_array() => (args[0], args[1]),
            (array, Looks::Function) if array.is_array() => (args[1], args[0]),
            _ => return None,
        };
        let (function, array) = (self.program.short(function), self.program.short(array));
        let map = prims::named(PrimitiveId::Map);
        Some(format!("({callee} #n ({map} {function} {array}) {array})"))
    }

    /// A length of 0 without `#` beside a size as a value, as in `(fill 0 N)`: the indices of both.
    fn zero_for_length(&self, params: &[Takes], args: &[ExprId]) -> Option<(usize, usize)> {
        let is_zero = |e: ExprId| matches!(self.program.expr(e), Expr::Literal(Literal::Int(0)));
        let is_size = |e: ExprId| match self.program.expr(e) {
            Expr::Size(_) => true,
            Expr::Local(b) => self.program.body().binder(*b).role.is_size(),
            _ => false,
        };
        let at = |takes: Takes, is: &dyn Fn(ExprId) -> bool| {
            params.iter().zip(args).position(|(param, arg)| *param == takes && is(*arg))
        };
        Some((at(Takes::Size, &is_zero)?, at(Takes::Value, &is_size)?))
    }

    /// Reports arguments in another order than the callee takes them. `order` has the index of each argument that it takes.
    fn reordered(&mut self, callee: Name, args: &[ExprId], order: &[usize]) -> Meant {
        let ordered: Vec<ExprId> = order.iter().map(|index| args[*index]).collect();
        let moved: Vec<(ExprId, ExprId)> = args.iter().copied().zip(ordered.iter().copied()).collect();
        let written: String = ordered.iter().map(|arg| format!(" {}", self.program.short(*arg))).collect();
        let problem = Problem::ArgumentsInOrder { written: format!("({callee}{written})"), callee };
        let moved = moved.into_iter().filter(|(to, from)| to != from);
        let first = moved.clone().next().map_or(args[0], |(first, _)| first);
        let edits = moved.flat_map(|(to, from)| move_to(to, from)).collect();
        let d = Diagnostic::new(Node::Expr(first), &problem).fix(Title::OrderArguments.certain(edits));
        self.found.diagnostic(d);
        Meant::Ordered(ordered)
    }

    /// Reports that the argument at index `missing` is missing.
    fn lacks_argument(&mut self, callee: ExprId, args: &[ExprId], ty: &Ty, missing: usize) -> Meant {
        self.infer_all(args);
        let name = self.program.short(callee);
        let at = args[missing];
        let takes = ty.uncurry().0[missing];
        let what = Takes::of(takes).noun();
        let before = self.program.short(at);
        let array = args.iter().find_map(|a| self.results().operand_type(*a).filter(|ty| ty.as_array().is_some()));
        let neutral = array.as_ref().and_then(|array| self.results().neutral_element(at, array));
        let neutral = neutral.map(|neutral| neutral.to_string());
        let problem = Problem::MissingArgument { callee: name, what, before, neutral: neutral.clone() };
        let is_mode = self.program.primitive_at(callee).is_some_and(|p| p.special == Some(Special::Pad));
        let problem = if is_mode { Problem::PadMode } else { problem };
        let mut d = Diagnostic::new(Node::Expr(at), &problem);
        if let Some(neutral) = neutral {
            let edits = vec![Edit::InsertBefore(Node::Expr(at), format!("{neutral} "))];
            d = d.fix(Title::InsertNeutral(neutral).certain(edits));
        } else if is_order(takes) {
            let edits = vec![Edit::InsertBefore(Node::Expr(at), "< ".into())];
            d = d.fix(Title::InsertAscending.proposed(edits));
        } else if is_test(takes) && array.is_some_and(|array| has_truth_values(&array)) {
            d = self.results().meant_truth_values(callee, args, at).add_to(d);
        }
        self.found.diagnostic(d);
        Meant::Lacking(Ty::error())
    }

    fn looks(&self, e: ExprId) -> Looks {
        let of = |ty: &Ty| match self.table.shallow(ty).kind() {
            TyKind::Fun(..) => Looks::Function,
            TyKind::Array(array) => self.table.shallow(&array.element).as_scalar().map_or(Looks::Array, Looks::ArrayOf),
            TyKind::Unknown(_) | TyKind::Generic(_) | TyKind::Exists(..) | TyKind::Error => Looks::Unclear,
            _ => Looks::Value,
        };
        match self.program.expr(e) {
            Expr::Lambda { .. } => Looks::Function,
            Expr::Literal(literal) if literal.scalar() != Scalar::Int => Looks::Fraction,
            Expr::Size(_) => Looks::Size,
            Expr::Literal(_) | Expr::Tuple(_) => Looks::Value,
            Expr::Local(b) if self.program.body().binder(*b).role.is_size() => Looks::Value,
            Expr::Local(b) => self.binders.ty(*b).map_or(Looks::Unclear, of),
            Expr::Global(name) => match self.program.lookup(name) {
                Lookup::Definition(scheme) => of(&scheme.ty),
                Lookup::Primitive(p) => of(&p.scheme.ty),
                Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => Looks::Unclear,
            },
            // A call that lacks arguments is a function.
            Expr::Apply { callee, args } => match self.program.expr(*callee) {
                Expr::Global(name) => match self.program.lookup(name) {
                    Lookup::Definition(scheme) if awaits_more(&scheme.ty, args.len()) => Looks::Function,
                    Lookup::Primitive(p) if p.awaits_more(args.len()) => Looks::Function,
                    Lookup::Definition(scheme) => result(&scheme.ty, args.len()).map_or(Looks::Unclear, of),
                    Lookup::Primitive(p) => result(&p.scheme.ty, args.len()).map_or(Looks::Unclear, of),
                    _ => Looks::Unclear,
                },
                _ => Looks::Unclear,
            },
            _ => Looks::Unclear,
        }
    }
}

/// The index of the single missing argument, if the given ones fit the other parameters.
fn missing(params: &[Takes], looks: &[Looks]) -> Option<usize> {
    if looks.len() + 1 != params.len() {
        return None;
    }
    let fits_without = |index: &usize| {
        let mut rest = params.iter().enumerate().filter(|(i, _)| i != index).map(|(_, p)| p);
        looks.iter().all(|looks| rest.next().is_some_and(|p| p.may_be(*looks)))
    };
    // Of several numbers, the last is missing.
    let first = (0..looks.len()).find(fits_without)?;
    Some(
        (first..looks.len())
            .take_while(|index| params[*index] == params[first] && fits_without(index))
            .last()
            .unwrap_or(first),
    )
}

/// The only two arguments that fit when they are exchanged, if they do not as given.
fn exchange_that_fits(params: &[Takes], looks: &[Looks]) -> Option<(usize, usize)> {
    let given: Vec<(Takes, Looks)> = params.iter().copied().zip(looks.iter().copied()).collect();
    if given.len() < looks.len() || given.iter().all(|(takes, looks)| takes.may_be(*looks)) {
        return None;
    }
    let fits = |one: usize, other: usize| {
        let is_known = |at: usize| looks[at] != Looks::Unclear;
        let others = given.iter().enumerate().filter(|(at, _)| ![one, other].contains(at));
        is_known(one)
            && is_known(other)
            && looks[one] != looks[other]
            && params[one].is_meant(looks[other])
            && params[other].is_meant(looks[one])
            && others.into_iter().all(|(_, (takes, looks))| takes.may_be(*looks))
    };
    let pairs = (0..looks.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
    let mut found = pairs.filter(|(one, other)| fits(*one, *other));
    found.next().filter(|_| found.next().is_none())
}

/// The only order in which three or more arguments fit, if they do not as given and more than two of them move. Arguments
/// that look alike keep their order. The order has the index of each argument that is taken.
fn order_that_fits(params: &[Takes], looks: &[Looks]) -> Option<Vec<usize>> {
    const MOST: usize = 5;
    let fits = |order: &[usize]| order.iter().zip(params).all(|(index, takes)| takes.may_be(looks[*index]));
    let given: Vec<usize> = (0..looks.len()).collect();
    if !(3..=MOST).contains(&looks.len())
        || looks.len() > params.len()
        || looks.contains(&Looks::Unclear)
        || fits(&given)
    {
        return None;
    }
    let mut found = None;
    let mut open = vec![Vec::new()];
    while let Some(order) = open.pop() {
        if order.len() == looks.len() {
            if found.replace(order).is_some() {
                return None;
            }
            continue;
        }
        for next in 0..looks.len() {
            let before_a_like = |index: &usize| !order.contains(index) && looks[*index] == looks[next];
            let is_first = (0..looks.len()).find(before_a_like) == Some(next);
            if is_first && params[order.len()].is_meant(looks[next]) {
                open.push(order.iter().copied().chain([next]).collect());
            }
        }
    }
    let moved = |order: &Vec<usize>| order.iter().zip(0..).filter(|(index, at)| **index != *at).count();
    found.filter(|order| moved(order) > 2)
}

/// Edits that exchange two expressions.
pub fn exchanged(first: ExprId, second: ExprId) -> Vec<Edit> {
    move_to(first, second).into_iter().chain(move_to(second, first)).collect()
}

/// Edits that write the expression `from` in place of `to`.
fn move_to(to: ExprId, from: ExprId) -> [Edit; 2] {
    let (at, of) = (Node::Expr(to), Node::Expr(from));
    let copy = Edit::CopyBefore { at, before: String::new(), of, after: String::new() };
    [copy, Edit::Replace(at, String::new())]
}

/// Whether a type is that of a test of one value.
pub fn is_test(ty: &Ty) -> bool {
    let (params, result) = ty.uncurry();
    params.len() == 1 && result.as_scalar() == Some(Scalar::Bool)
}

fn has_truth_values(array: &Ty) -> bool {
    array.as_array().is_some_and(|array| array.element.as_scalar() == Some(Scalar::Bool))
}

/// Whether a type is that of `<`: two values of one type are compared.
pub fn is_order(ty: &Ty) -> bool {
    let (params, result) = ty.uncurry();
    matches!(params[..], [a, b] if a == b) && result.as_scalar() == Some(Scalar::Bool)
}

/// The result of a function with exactly `args` parameters.
fn result(function: &Ty, args: usize) -> Option<&Ty> {
    let (params, result) = function.uncurry();
    (params.len() == args).then_some(result)
}

fn awaits_more(function: &Ty, given: usize) -> bool {
    function.uncurry().0.len() > given
}
