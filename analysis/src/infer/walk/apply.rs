//! Applications, and primitives with typing rules beyond schemes.

use crate::diagnostics::Diagnostic;
use crate::diagnostics::Note;
use crate::diagnostics::Problem;
use crate::diagnostics::problem::NeedsArguments;
use crate::hir::*;
use crate::infer::cause::Cause;
use crate::infer::constraint::Constraint;
use crate::infer::context::Infer;
use crate::infer::walk::order::Meant;
use crate::prims::{Primitive, PrimitiveId, Special};
use crate::size::Size;
use crate::ty::{ArrayTy, Ty, TyKind};

impl Infer<'_> {
    pub fn apply(&mut self, id: ExprId, callee: ExprId, args: &[ExprId]) -> Ty {
        if self.too_many_for_a_type(args.len()) {
            self.give_up_on_type(Node::Expr(id));
            return Ty::error();
        }
        // `(x => x)` has the word of the form after its first part.
        let arrow = args.first().filter(|_| matches!(self.program.expr(callee), Expr::Global(_) | Expr::Local(_)));
        if let Some(word) = [Some(&callee), arrow].into_iter().flatten().find(|e| self.program.is_foreign_form(**e)) {
            self.operand(*word, None);
            return Ty::error();
        }
        let meant = self.in_order(callee, args);
        let args = match &meant {
            Some(Meant::Ordered(ordered)) => ordered,
            Some(Meant::Lacking(result)) => return result.clone(),
            None => args,
        };
        if let Some(ty) = self.special_application(id, callee, args) {
            return ty;
        }
        if let Expr::Lambda { params, body } = self.program.expr(callee) {
            let (params, body) = (params.clone(), *body);
            return self.apply_lambda(id, callee, &params, body, args);
        }
        let ty = self.operand(callee, None);
        if let Some((right, ..)) = self.program.right_side(callee, args) {
            self.found.right_side(right);
        }
        self.call(id, callee, ty, args, 0)
    }

    /// Types `((lambda (x) …) e)` like `(let x e …)`: the type of `e` is known before the body is checked. Annotated
    /// parameters, and those whose argument is a function, are treated as in other calls.
    fn apply_lambda(&mut self, id: ExprId, callee: ExprId, params: &[BinderId], body: ExprId, args: &[ExprId]) -> Ty {
        let is_function = |e: ExprId| matches!(self.program.expr(e), Expr::Lambda { .. } | Expr::Compose(_));
        let told = |(p, arg): (&BinderId, &ExprId)| self.program.body().binder(*p).ty.is_none() && !is_function(*arg);
        let told: Vec<bool> = params.iter().zip(args).map(told).collect();
        let mut given = Vec::with_capacity(told.len());
        for ((&p, &arg), told) in params.iter().zip(args).zip(&told) {
            given.push(match told {
                true if self.binders.is_size_param(p) => self.parameter_type(p),
                true => self.operand(arg, None),
                false => self.fresh(),
            });
        }
        let rest = self.fresh();
        let expected = Ty::funs(given.iter().cloned(), rest);
        let ty = self.lambda(params, body, Some(&expected), &[]);
        self.found.set_type(callee, ty.clone());
        let (types, _) = ty.uncurry();
        let types: Vec<Ty> = types.into_iter().take(told.len()).cloned().collect();
        let mut result = ty.clone();
        for (index, param) in types.iter().enumerate() {
            if let TyKind::Fun(_, next) = self.table.shallow(&result).kind() {
                result = next.clone();
            }
            let arg = args[index];
            if !told[index] || self.binders.is_size_param(params[index]) {
                self.argument(arg, param, &Cause::Argument { apply: id, callee, index, arg });
            }
        }
        self.solve();
        match args.get(told.len()..) {
            Some(more) if !more.is_empty() => self.call(id, callee, result, more, told.len()),
            _ => result,
        }
    }

    /// Applies a function of type `ty` to `args`, which follow `done` earlier arguments.
    pub fn call(&mut self, id: ExprId, callee: ExprId, ty: Ty, args: &[ExprId], done: usize) -> Ty {
        let mut result = ty;
        let mut params = Vec::with_capacity(args.len());
        for (i, &arg) in args.iter().enumerate() {
            let head = self.table.shallow(&result);
            match head.kind() {
                TyKind::Fun(a, r) => {
                    params.push((i, arg, a.clone()));
                    result = r.clone();
                }
                TyKind::Unknown(_) if !self.has_class(&head) => {
                    let (a, r) = (self.fresh(), self.fresh());
                    if !self.unify(&head, &Ty::fun(a.clone(), r.clone()), &Cause::Component(callee)) {
                        self.infer_all(&args[i..]);
                        result = Ty::error();
                        break;
                    }
                    params.push((i, arg, a));
                    result = r;
                }
                TyKind::Error => {
                    self.infer_all(&args[i..]);
                    result = Ty::error();
                    break;
                }
                // An applied result may be an opened function of hidden lengths; anything else is an error.
                _ => {
                    self.infer_all(&args[i..]);
                    let taken: Vec<Ty> = params.iter().map(|(_, _, ty)| self.table.zonk(ty)).collect();
                    self.too_many_arguments(callee, &head, args, &taken, done);
                    // The surplus explains arguments of other types.
                    self.infer_all(&args[..i]);
                    return Ty::error();
                }
            }
        }
        // Function arguments are checked for the index variables of the arrays that they are applied to.
        let positions = self.found.so_far().instances.get(&callee).map_or_else(Vec::new, |i| i.positions.clone());
        // Function arguments come last, when their parameter types are known.
        let is_literal = |e: ExprId| matches!(self.program.expr(e), Expr::Lambda { .. } | Expr::Compose(_));
        let (functions, values): (Vec<_>, Vec<_>) = params.into_iter().partition(|(_, arg, _)| is_literal(*arg));
        let mut usable = true;
        for (i, arg, param) in values.into_iter().chain(functions) {
            let cause = Cause::Argument { apply: id, callee, index: i + done, arg };
            let fits = match self.table.shallow(&param).kind() {
                TyKind::Fun(..) => {
                    self.found.checked_at(&positions, arg);
                    if let (Expr::Lambda { .. }, Some(position)) = (self.program.expr(arg), positions.first()) {
                        self.found.applied_at(arg, position.clone());
                    }
                    self.at_positions(&positions, |this| this.argument(arg, &param, &cause))
                }
                _ if self.found.so_far().right_sides.contains(&arg) => {
                    self.in_scope(arg, false, |this, _| this.argument(arg, &param, &cause))
                }
                _ => self.argument(arg, &param, &cause),
            };
            usable &= fits || !self.other_shape(&param, arg);
        }
        self.solve();
        // An argument of another shape makes the result unreliable; one with other lengths or number types does not.
        if usable { result } else { Ty::error() }
    }

    fn other_shape(&self, param: &Ty, arg: ExprId) -> bool {
        let Some(actual) = self.results().operand_type(arg) else { return false };
        let (p, a) = (self.table.shallow(param), self.table.shallow(&actual));
        let scalar = |t: &Ty| matches!(t.kind(), TyKind::Scalar(_) | TyKind::Unknown(_) | TyKind::Error);
        std::mem::discriminant(p.kind()) != std::mem::discriminant(a.kind()) && !(scalar(&p) && scalar(&a))
    }

    pub fn infer_all(&mut self, args: &[ExprId]) {
        for &a in args {
            self.operand(a, None);
        }
    }

    /// Checks an argument against the parameter's type. Returns false after a conflict.
    pub fn argument(&mut self, arg: ExprId, param: &Ty, cause: &Cause) -> bool {
        let wanted = self.table.shallow(param);
        match wanted.kind() {
            TyKind::Size(_) => {
                self.size_argument(arg, &wanted, cause);
                true
            }
            TyKind::Exists(..) => {
                let own = match self.before_opening(arg).filter(|ty| self.is_existential(ty)) {
                    Some(ty) => {
                        self.found.set_type(arg, ty.clone());
                        ty
                    }
                    None => self.infer(arg, Some(&wanted)),
                };
                self.coerce_to_existential(&own, &wanted, self.scopes.level(), arg, cause);
                true
            }
            TyKind::Fun(..) if self.is_meant_as_body(arg, &wanted) => {
                self.operand(arg, None);
                self.unify(param, &Ty::error(), cause)
            }
            _ => {
                // Parameters that are too many show what was meant; the others would have wrong types.
                let fits = !self.has_surplus_parameters(arg, &wanted);
                let actual = self.operand(arg, Some(&wanted).filter(|_| fits));
                let takes_size = matches!(wanted.kind(), TyKind::Unknown(v) if self.table.class(*v).is_none())
                    && !self.is_primitive_call(cause);
                let actual = if takes_size { actual } else { self.size_as_int(actual) };
                self.unify(param, &actual, cause)
            }
        }
    }

    /// Reports an expression of unbound names where a function is taken.
    fn is_meant_as_body(&mut self, arg: ExprId, wanted: &Ty) -> bool {
        let params = self.table.zonk(wanted).uncurry().0.len();
        let Some(meant) = self.results().meant_as_body(arg, params) else { return false };
        let reported = meant.uses.iter().all(|name| self.found.is_meant_as_parameter(*name));
        if !reported && let Some(diagnostic) = self.results().unbound_body(arg, &meant) {
            self.found.diagnostic(diagnostic);
        }
        self.found.meant_as_parameters(meant.uses);
        true
    }

    /// Whether a lambda has more parameters than it is given arguments.
    fn has_surplus_parameters(&self, lambda: ExprId, wanted: &Ty) -> bool {
        let Expr::Lambda { params, .. } = self.program.expr(lambda) else { return false };
        let mut result = self.table.shallow(wanted);
        for _ in params {
            match result.kind() {
                TyKind::Fun(_, next) => result = self.table.shallow(&next.clone()),
                TyKind::Unknown(_) | TyKind::Error => return false,
                _ => return true,
            }
        }
        false
    }

    /// The type of a primitive says which arguments are sizes, so any other is a value.
    fn is_primitive_call(&self, cause: &Cause) -> bool {
        matches!(cause, Cause::Argument { callee, .. } if self.program.primitive_at(*callee).is_some())
    }

    fn is_existential(&self, ty: &Ty) -> bool {
        matches!(self.table.shallow(ty).kind(), TyKind::Exists(..))
    }

    fn size_argument(&mut self, arg: ExprId, wanted: &Ty, cause: &Cause) {
        match self.static_size(arg) {
            Some(size) => {
                let ty = Ty::new(TyKind::Size(size));
                self.found.set_type(arg, ty.clone());
                self.unify(wanted, &ty, cause);
            }
            None => {
                let actual = self.operand(arg, Some(wanted));
                match self.table.shallow(&actual).kind() {
                    TyKind::Unknown(_) | TyKind::Size(_) | TyKind::Error => {
                        self.unify(wanted, &actual, cause);
                    }
                    _ => self.needs_size(arg, cause),
                }
            }
        }
    }

    // --- primitives

    /// A primitive used as a value.
    pub fn primitive(&mut self, id: ExprId, p: &'static Primitive) -> Ty {
        let needs_arguments = |this: &mut Self, of: NeedsArguments| {
            this.error(Node::Expr(id), &Problem::NeedsArguments { of });
            Ty::error()
        };
        match p.special {
            Some(Special::Get(index)) => {
                let (from, to) = (self.fresh(), self.fresh());
                self.defer(Constraint::Project { from: from.clone(), index, to: to.clone(), at: id });
                Ty::fun(from, to)
            }
            Some(Special::Unzip) => {
                let (len, to) = (self.fresh_size(), self.fresh());
                let (array, _) = self.any_array(&len);
                self.defer(Constraint::Unzip { array: array.clone(), to: to.clone(), at: id });
                Ty::fun(array, to)
            }
            Some(Special::Join) => self.join_type(id),
            Some(Special::Iterate) => needs_arguments(self, NeedsArguments::Iterate),
            Some(Special::CaseSplit) => needs_arguments(self, NeedsArguments::CaseSplit),
            Some(Special::Partition) => needs_arguments(self, NeedsArguments::Partition),
            // Without arguments, or with the usual ones, the scheme suffices.
            None
            | Some(
                Special::Zip
                | Special::Sized
                | Special::Cut
                | Special::Generate
                | Special::Vectorize
                | Special::Pad
                | Special::PadMode
                | Special::Aref
                | Special::IterateWhile,
            ) => self.instantiate(id, &p.scheme),
        }
    }

    fn special_application(&mut self, id: ExprId, callee: ExprId, args: &[ExprId]) -> Option<Ty> {
        let Expr::Global(name) = self.program.expr(callee) else { return None };
        let name = name.clone();
        let (&first, rest) = args.split_first()?;
        let primitive = self.program.primitive(&name)?;
        let special = primitive.special?;
        let note = |this: &mut Self, ty: &Ty| {
            this.found.set_type(callee, ty.clone());
            this.found.uses(&name);
        };
        match special {
            Special::Zip if args.len() >= 3 => {
                let len = self.fresh_size();
                let (first, element) = self.any_array(&len);
                let array = first.as_array().cloned()?;
                let deps: Vec<u32> = array.position.iter().map(|p| p.id).collect();
                let level = self.scopes.level();
                let mut elements = vec![element];
                elements.extend(args[1..].iter().map(|_| self.table.fresh_type_at(level, None, deps.clone())));
                let of = |element: Ty| Ty::new(TyKind::Array(ArrayTy { element, ..array.clone() }));
                let arrays: Vec<Ty> = elements.iter().cloned().map(of).collect();
                let ty = Ty::funs(arrays, of(Ty::tuple(elements)));
                note(self, &ty);
                Some(self.call(id, callee, ty, args, 0))
            }
            Special::Generate if self.generates_by_position(first, rest) => {
                Some(self.generate_by_position(id, callee, first, rest, note))
            }
            Special::Partition if args.len() >= 2 => Some(self.partition(id, callee, args, note)),
            Special::Aref if args.len() >= 2 => self.indexed(id, callee, args, note),
            Special::Sized | Special::Generate => {
                let element = if primitive.id == PrimitiveId::Iota { Ty::int() } else { self.fresh() };
                let (count, array) = match self.static_size(first) {
                    Some(size) => {
                        let ty = Ty::new(TyKind::Size(size.clone()));
                        self.found.set_type(first, ty.clone());
                        (ty, Ty::array(element.clone(), size))
                    }
                    None => {
                        let bound = self.scopes.bind_length("X");
                        (Ty::int(), Ty::exists(vec![bound.clone()], Ty::array(element.clone(), Size::var(bound))))
                    }
                };
                let ty = match primitive.id {
                    PrimitiveId::Generate => Ty::fun(Ty::fun(Ty::int(), element), array),
                    PrimitiveId::Fill => Ty::fun(element, array),
                    _ => array,
                };
                if matches!(count.kind(), TyKind::Scalar(_)) {
                    let cause = Cause::Argument { apply: id, callee, index: 0, arg: first };
                    let actual = self.operand(first, Some(&count));
                    self.unify(&count, &actual, &cause);
                }
                note(self, &Ty::fun(count, ty.clone()));
                Some(self.call(id, callee, ty, rest, 1))
            }
            Special::Cut if args.len() >= primitive.static_sizes.len() => self.cut(id, callee, primitive, args, note),
            Special::Iterate if args.len() >= 2 => Some(self.iterate(id, callee, args, note)),
            Special::IterateWhile if args.len() >= 3 => Some(self.iterate_while(id, callee, args, note)),
            Special::Pad if self.reports_pad_mode(args) => {
                self.infer_all(args);
                Some(Ty::error())
            }
            // In this form, these are checked like other values.
            Special::Zip
            | Special::Cut
            | Special::Iterate
            | Special::IterateWhile
            | Special::Partition
            | Special::Aref
            | Special::Unzip
            | Special::Get(_)
            | Special::Vectorize
            | Special::Pad
            | Special::PadMode
            | Special::Join
            | Special::CaseSplit => None,
        }
    }

    /// Types `take`, `drop` or `slice` with an argument that is not a size but computed at run time. A length that is
    /// then known only at run time is hidden.
    fn cut(
        &mut self,
        id: ExprId,
        callee: ExprId,
        primitive: &Primitive,
        args: &[ExprId],
        note: impl Fn(&mut Self, &Ty),
    ) -> Option<Ty> {
        let (counts, rest) = args.split_at(primitive.static_sizes.len());
        let sizes: Vec<Option<Size>> = counts.iter().map(|count| self.static_size(*count)).collect();
        if sizes.iter().all(Option::is_some) {
            return None;
        }
        let (element, len) = (self.fresh(), self.fresh_size());
        let array = Ty::array(element.clone(), len);
        let mut types = Vec::with_capacity(counts.len() + 1);
        for (index, (&count, size)) in counts.iter().zip(&sizes).enumerate() {
            let ty = match size {
                Some(size) => {
                    let ty = Ty::new(TyKind::Size(size.clone()));
                    self.found.set_type(count, ty.clone());
                    ty
                }
                None => {
                    let cause = Cause::Argument { apply: id, callee, index, arg: count };
                    let actual = self.operand(count, Some(&Ty::int()));
                    let actual = self.size_as_int(actual);
                    self.unify(&Ty::int(), &actual, &cause);
                    Ty::int()
                }
            };
            types.push(ty);
        }
        // The last size is the length of the part, except for `drop`, where it is the number of elements removed.
        let result = match sizes.last() {
            Some(Some(len)) if primitive.id == PrimitiveId::Slice => Ty::array(element, len.clone()),
            _ => {
                let bound = self.scopes.bind_length("X");
                Ty::exists(vec![bound.clone()], Ty::array(element, Size::var(bound)))
            }
        };
        let ty = Ty::fun(array, result);
        note(self, &Ty::funs(types, ty.clone()));
        Some(self.call(id, callee, ty, rest, counts.len()))
    }

    /// Reports a border mode of `pad` that is neither one of three names nor a parameter of a definition that is given one.
    fn reports_pad_mode(&mut self, args: &[ExprId]) -> bool {
        let Some(&mode) = args.get(2) else { return false };
        let known = match self.program.expr(mode) {
            Expr::Global(n) => {
                // Unknown names are reported elsewhere.
                self.program.primitive(n).is_none_or(|p| p.special == Some(Special::PadMode))
            }
            Expr::Local(b) => self.program.body().binder(*b).role == BinderRole::Param,
            Expr::Missing => true,
            _ => false,
        };
        if !known {
            self.error(Node::Expr(mode), &Problem::PadMode);
        }
        !known
    }

    // --- mistakes

    /// Reports surplus arguments: `args` follow `taken`, which follow `done` earlier ones.
    fn too_many_arguments(&mut self, callee: ExprId, result: &Ty, args: &[ExprId], taken: &[Ty], done: usize) {
        let ty = self.table.zonk(result);
        let name = self.program.short(callee);
        let given = taken.len() + done;
        let (d, meant) = if given == 0 {
            let meant = self.results().meant_by_applying(callee, &ty, args);
            let problem = Problem::NotApplicable { callee: name, ty };
            (Diagnostic::new(Node::Expr(callee), &problem), meant)
        } else {
            let Some(&extra) = args.get(taken.len()) else { return };
            let problem = Problem::TooManyArguments { callee: name.clone(), takes: given, given: args.len() + done };
            let d = Diagnostic::new(Node::Expr(extra), &problem).related(
                Node::Expr(callee),
                &Note::TypeOf { name: name.to_string(), ty: self.type_of_callee(callee).to_string() },
            );
            let meant = match done {
                0 => self.results().meant_by_more(callee, args, taken, &ty),
                _ => self.results().meant_by_sizes(callee, &ty),
            };
            (d, meant)
        };
        self.found.diagnostic(match meant {
            Some(meant) => meant.add_to(d),
            None => d,
        });
    }

    fn type_of_callee(&self, callee: ExprId) -> Ty {
        self.found.ty(callee).map_or_else(Ty::error, |ty| self.table.zonk(ty))
    }

    pub fn needs_size(&mut self, arg: ExprId, cause: &Cause) {
        let callee = match cause {
            Cause::Argument { callee, .. } => Some(*callee),
            _ => None,
        };
        let of_definition = callee.is_some_and(|callee| match self.program.expr(callee) {
            Expr::Global(name) => self.program.primitive(name).is_none(),
            _ => false,
        });
        let callee = callee.map(|callee| self.program.short(callee));
        self.error(Node::Expr(arg), &Problem::NeedsSize { callee, of_definition });
    }
}
