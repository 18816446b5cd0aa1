//! From a conflict to a diagnostic: what was wanted, what is there, and where each came from.

use super::Mode;
use super::context::Infer;
use super::describe::{ordinal, shorten};
use super::result::*;
use super::shown::Shown;
use super::unify::Mismatch;
use crate::diagnostics::{Diagnostic, Edit, Fix, Obligation};
use crate::hir::*;
use crate::size::{Facts, Size, Truth, Var, VarKind};
use crate::ty::{Class, Ty, TyKind};

/// Why two types had to be equal.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// An argument, from zero.
    Argument {
        apply: ExprId,
        callee: ExprId,
        index: usize,
        arg: ExprId,
    },
    Condition(ExprId),
    Branches {
        at: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `(: e type)`
    Annotation(ExprId),
    /// A part of a composition, or a callee.
    Component(ExprId),
    /// An annotated parameter; the body it belongs to.
    Binder(ExprId, BinderId),
    /// `(length xs)` in a size.
    LengthOf(ExprId, SizeRefId),
    /// A name used as a size.
    SizeName(ExprId, BinderId),
    /// Something that the checker made equal itself; conflicts here come from elsewhere.
    Result(ExprId),
}

impl Cause {
    pub fn site(body: &Body, site: Site) -> Cause {
        match site {
            Site::Expr(e) => Cause::Result(e),
            Site::Binder(b) => Cause::Binder(body.root.unwrap_or(ExprId(0)), b),
        }
    }
    /// The expression to which assumptions made on the way belong.
    pub fn at(&self) -> ExprId {
        match self {
            Cause::Argument { apply, .. } => *apply,
            Cause::Condition(e) | Cause::Annotation(e) | Cause::Component(e) | Cause::Result(e) => *e,
            Cause::Branches { at, .. } => *at,
            Cause::Binder(e, _) | Cause::LengthOf(e, _) | Cause::SizeName(e, _) => *e,
        }
    }
    /// The expression whose type is recorded as the provenance of what is learnt.
    pub fn why(&self) -> Option<ExprId> {
        match self {
            Cause::Argument { arg, .. } => Some(*arg),
            Cause::Condition(e) | Cause::Annotation(e) | Cause::Component(e) => Some(*e),
            _ => None,
        }
    }
    /// Where the diagnostic stands.
    fn node(&self) -> Node {
        match self {
            Cause::Argument { arg, .. } => Node::Expr(*arg),
            Cause::Binder(_, b) => Node::Binder(*b),
            Cause::LengthOf(_, s) => Node::Size(*s),
            Cause::SizeName(_, b) => Node::Binder(*b),
            Cause::Branches { otherwise, .. } => Node::Expr(*otherwise),
            other => Node::Expr(other.at()),
        }
    }
}

impl Infer<'_> {
    pub fn report_mismatch(&mut self, expected: &Ty, actual: &Ty, m: Mismatch, cause: &Cause) {
        let (expected, actual) = (self.table.zonk(expected), self.table.zonk(actual));
        match m {
            Mismatch::Lengths { .. } => self.report_lengths_of(m, cause),
            Mismatch::Types { left, right, left_why, .. } => {
                let (left, right) = (self.table.zonk(&left), self.table.zonk(&right));
                self.report_types(&expected, &actual, &left, &right, left_why, cause);
            }
            Mismatch::Class { class, ty } => self.report_class(class, &ty, &actual, cause),
            Mismatch::Infinite { ty } => {
                self.error(
                    "infinite-type",
                    cause.node(),
                    format!("this would need a type that contains itself: it is part of `{ty}`"),
                );
            }
            Mismatch::Escape { length, .. } => self.report_escape(&length, cause),
        }
    }

    fn report_types(
        &mut self,
        expected: &Ty,
        actual: &Ty,
        left: &Ty,
        right: &Ty,
        left_why: Option<ExprId>,
        cause: &Cause,
    ) {
        // A literal of the wrong type is the mistake, whichever side it stands on.
        if let (Some(why), Some(wanted)) = (left_why, right.as_scalar())
            && let Some(fix) = self.literal_fix(why, wanted)
        {
            let here = self.short(why);
            let mut d = Diagnostic::error(
                "type-mismatch",
                Node::Expr(why),
                format!("`{here}` is `{}`, and it meets `{}` here", Shown(left), Shown(right)),
            )
            .fix(fix);
            if let Cause::Argument { arg, .. } = cause {
                let text = self.short(*arg);
                d = d.related(Node::Expr(*arg), format!("`{text}` is `{}`", Shown(actual)));
            }
            return self.diagnostic(d);
        }
        if matches!(right.kind(), TyKind::Exists(..)) && matches!(left.kind(), TyKind::Array(_)) {
            if let Some(d) = self.takes_no_hidden_length(left, right, cause) {
                return self.diagnostic(d);
            }
            let message = match (self.mode, cause) {
                (Mode::Insert, Cause::Argument { callee, .. }) if matches!(expected.kind(), TyKind::Fun(..)) => {
                    let callee = self.short(*callee);
                    if super::repair::is_endomorphism(&self.table.zonk(expected)) {
                        format!(
                            "`{callee}` gives the result of this function to it again, so the length may not change from round to round, and the result's is known only at run time: `{}`; keep all elements, and beside them, in a tuple, how many of them count",
                            Shown(right)
                        )
                    } else {
                        format!(
                            "`{callee}` needs a function whose result has a known length, `{}`, and the length of this one's is known only at run time: `{}`",
                            Shown(left),
                            Shown(right)
                        )
                    }
                }
                _ => format!(
                    "the length of this array is hidden: `{}`; it must be opened with `unpack` before it is used",
                    Shown(right)
                ),
            };
            return self.error("hidden-length", cause.node(), message);
        }
        let (expected, actual) = (Shown(expected), Shown(actual));
        let message = match cause {
            Cause::Argument { callee, index, .. } => {
                let callee = self.short(*callee);
                format!("`{callee}` needs `{expected}` as its {} argument, and this is `{actual}`", ordinal(*index))
            }
            Cause::Condition(_) => format!("a condition is `Bool`, and this is `{actual}`"),
            Cause::Branches { .. } => {
                format!("the branches of an `if` have one type; the first is `{expected}`, the second `{actual}`")
            }
            Cause::Annotation(_) => format!("this is annotated as `{expected}`, and it is `{actual}`"),
            Cause::Component(e) => {
                let part = self.short(*e);
                format!("`{part}` takes `{expected}`, and what it is given is `{actual}`")
            }
            Cause::Binder(_, b) => {
                let name = self.body.binder(*b).name.clone();
                format!("`{name}` would have to be both `{expected}` and `{actual}`")
            }
            Cause::LengthOf(..) => format!("only an array has a length, and this is `{actual}`"),
            Cause::SizeName(_, b) => {
                let name = self.body.binder(*b).name.clone();
                format!("`{name}` stands for a size here, and it is `{actual}`")
            }
            Cause::Result(_) => format!("this would have to be both `{expected}` and `{actual}`"),
        };
        let mut d = Diagnostic::error("type-mismatch", cause.node(), message);
        if expected.0 != left && left != right {
            d.message.push_str(&format!(" (`{}` is not `{}`)", Shown(left), Shown(right)));
        }
        if let Cause::Branches { then, .. } = cause {
            d = d.related(Node::Expr(*then), format!("this branch is `{expected}`"));
        }
        if let Some(why) = left_why.filter(|w| Node::Expr(*w) != cause.node()) {
            let text = self.short(why);
            d = d.related(Node::Expr(why), format!("`{}` comes from `{text}`", Shown(left)));
        }
        if let (Cause::Argument { arg, .. }, Some(wanted)) = (cause, left.as_scalar())
            && let Some(fix) = self.literal_fix(*arg, wanted)
        {
            d = d.fix(fix);
        }
        self.diagnostic(d);
    }

    /// How a literal is written at another type, if the value allows it.
    fn literal_fix(&self, at: ExprId, wanted: Scalar) -> Option<Fix> {
        let Expr::Literal(l) = self.body.expr(at) else { return None };
        let text = match (l, wanted) {
            (Literal::Int(n), Scalar::Long) => format!("{n}L"),
            (Literal::Int(n), Scalar::Float) => format!("{n}.0f"),
            (Literal::Int(n), Scalar::Double) => format!("{n}.0"),
            (Literal::Long(n), Scalar::Int) => i32::try_from(*n).ok()?.to_string(),
            (Literal::Long(n), Scalar::Float) => format!("{n}.0f"),
            (Literal::Long(n), Scalar::Double) => format!("{n}.0"),
            (Literal::Double(b), Scalar::Float) => format!("{:?}f", f64::from_bits(*b)),
            (Literal::Float(b), Scalar::Double) => format!("{:?}", f32::from_bits(*b)),
            _ => return None,
        };
        Some(Fix { title: format!("Write `{text}`"), edits: vec![Edit::Replace(Node::Expr(at), text)], certain: true })
    }

    fn report_class(&mut self, class: Class, ty: &Ty, actual: &Ty, cause: &Cause) {
        let members = class.members();
        let mut d = match cause {
            // The function is given what it does not take.
            Cause::Argument { arg, .. } if matches!(actual.kind(), TyKind::Fun(..)) && !ty.is_error() => {
                let function = self.short(*arg);
                let message = format!("`{function}` works on {members}, and what it is given here is `{ty}`");
                Diagnostic::error("wrong-operand", Node::Expr(*arg), message)
            }
            Cause::Argument { callee, arg, .. } => {
                let callee = self.short(*callee);
                Diagnostic::error(
                    "wrong-operand",
                    Node::Expr(*arg),
                    format!("`{callee}` works on {members}, and this is `{}`", if ty.is_error() { actual } else { ty }),
                )
            }
            _ => Diagnostic::error("wrong-operand", cause.node(), format!("this must be {members}, and it is `{ty}`")),
        };
        if let TyKind::Array(_) = ty.kind() {
            d.message.push_str("; `map` applies a function to each element");
        }
        self.diagnostic(d);
    }

    fn report_escape(&mut self, length: &crate::size::Var, cause: &Cause) {
        if length.kind == VarKind::Position {
            return self.report_dependent(length, cause);
        }
        let name = shorten(&length.name);
        let mut d = Diagnostic::error(
            "length-escapes",
            cause.node(),
            format!("this would need the length `{name}` outside the function in which it is known"),
        );
        if let Some(o) = self.out.openings.iter().find(|o| o.lengths.contains(length)).cloned() {
            let origin = self.length_origin(&o, length);
            d.message = format!(
                "something from outside would have to have the length `{name}` ({}), which is known only inside this function",
                origin.description
            );
            d = d.related(origin.made_by, format!("`{name}` comes from here"));
        }
        self.diagnostic(d);
    }

    /// Rows of different lengths where rows of one length are needed.
    fn report_dependent(&mut self, position: &Var, cause: &Cause) {
        let array = match cause {
            Cause::Argument { arg, .. } => self.operand_type(*arg).map(|t| self.table.zonk(&t)),
            _ => None,
        };
        let rows = array.as_ref().and_then(|t| t.as_array()).filter(|a| a.position.is_some());
        let message = match (cause, rows) {
            (Cause::Argument { callee, .. }, Some(rows)) => {
                let name = self.short(*callee);
                let i = rows.position.as_ref().map_or("i", |p| &p.name);
                format!(
                    "`{name}` needs an array whose elements are all of one type, and the elements of this one depend on the position: at `{i}` it has `{}`",
                    rows.element
                )
            }
            (Cause::Argument { callee, .. }, None) => {
                let name = self.short(*callee);
                format!(
                    "the length that `{name}` needs here depends on the position `{}` of another array, and it must be the same at every position",
                    position.name
                )
            }
            _ => format!(
                "a length that depends on the position `{}` of an array would be needed where there is no position",
                position.name
            ),
        };
        self.error("depends-on-position", cause.node(), message);
    }

    /// The first position at which the lengths differ, and both there.
    fn where_different(&self, left: &Size, right: &Size, names: Option<&[String; 2]>) -> Option<String> {
        let mut vars = left.vars();
        vars.extend(right.vars());
        let positions: Vec<Var> = vars.into_iter().filter(|v| v.kind == VarKind::Position).collect();
        let position = positions.first()?;
        let facts = self.facts_about(&positions);
        for i in 0..4 {
            let at = |s: &Size| s.subst(&mut |v| (v == position).then(|| Size::int(i)));
            let (l, r) = (at(left), at(right));
            if facts.equal(&l, &r) != Truth::Yes {
                let [l, r] = self.readable([l, r]);
                let i = format!("{} = {i}", position.name);
                let Some([a, b]) = names else { return Some(format!("at {i} they are `{l}` and `{r}`")) };
                let elements = if l.is_one() { "element" } else { "elements" };
                return Some(format!("at {i} `{a}` has {l} {elements}, `{b}` {r}"));
            }
        }
        None
    }

    /// A conflict between lengths that was found after the types had been compared.
    pub fn report_lengths(&mut self, m: Mismatch, cause: &Cause) {
        match m {
            Mismatch::Escape { length, .. } => self.report_escape(&length, cause),
            m => self.report_lengths_of(m, cause),
        }
    }

    fn report_lengths_of(&mut self, m: Mismatch, cause: &Cause) {
        let Mismatch::Lengths { left, right, left_why, right_why } = m else { return };
        let (left, right) = (self.table.zonk_size(&left), self.table.zonk_size(&right));
        let (l, l_at) = self.describe_length(&left, left_why);
        let (r, r_at) = self.describe_length(&right, right_why.or(cause.why()));
        let sibling = match cause {
            Cause::Argument { apply, index, .. } => {
                let bound_by = left_why.and_then(|w| self.argument_index(*apply, w));
                bound_by.or_else(|| self.argument_of_length(*apply, &left)).filter(|i| i < index).map(|i| (i, *index))
            }
            _ => None,
        };
        let names = match (cause, sibling) {
            (Cause::Argument { apply, .. }, Some((first, second))) => match self.body.expr(*apply) {
                Expr::Apply { args, .. } => {
                    let short = |i: usize| args.get(i).map(|a| self.short(*a));
                    short(first).zip(short(second)).map(|(a, b)| [a, b])
                }
                _ => None,
            },
            _ => None,
        };
        let differ = self.why_different(&left, &right, names.as_ref());
        let [left, right] = self.readable([left, right]);
        let message = match (cause, sibling) {
            (Cause::Argument { callee, apply, .. }, Some((first, second))) => {
                let name = self.short(*callee);
                let count = self.argument_count(*apply);
                let (a, b) = if &*name == "zip" && count == 2 {
                    ("first".into(), "second".into())
                } else {
                    (format!("{} argument", ordinal(first)), ordinal(second))
                };
                let arrays =
                    if &*name == "zip" && count == 2 { "two arrays".to_string() } else { "arrays".to_string() };
                format!(
                    "`{name}` needs {arrays} of one length: the {a} has length `{left}`{l}, the {b} `{right}`{r}; {differ}"
                )
            }
            (Cause::Argument { callee, .. }, None) => {
                let name = self.short(*callee);
                format!(
                    "`{name}` needs an array of length `{left}`{l} here, and this one has length `{right}`{r}; {differ}"
                )
            }
            (Cause::Branches { .. }, _) => {
                format!("the branches have different lengths, `{left}`{l} and `{right}`{r}; {differ}")
            }
            (Cause::Annotation(_), _) => {
                format!("this is annotated with length `{left}`, and it has length `{right}`{r}; {differ}")
            }
            (Cause::Component(e), _) => {
                let part = self.short(*e);
                format!(
                    "`{part}` takes an array of length `{left}`{l}, and it is given one of length `{right}`{r}; {differ}"
                )
            }
            _ => format!("the lengths `{left}`{l} and `{right}`{r} would have to be equal; {differ}"),
        };
        let mut d = Diagnostic::error("unequal-lengths", cause.node(), message);
        d.obligation = Some(Box::new(Obligation { left: (left.clone(), l_at), right: (right.clone(), r_at) }));
        for (size, at) in [(&left, l_at), (&right, r_at)] {
            if let Some(at) = at {
                d = d.related(at, format!("length `{size}` comes from here"));
            }
        }
        if let (Cause::Argument { apply, .. }, Some((first, second))) = (cause, sibling)
            && !left.any_var(&mut |v| v.kind == VarKind::Position)
            && !right.any_var(&mut |v| v.kind == VarKind::Position)
            && let Some(fix) = self.checked_cast_fix(*apply, first, second, &left, &right)
        {
            d = d.fix(fix);
        }
        self.diagnostic(d);
    }

    /// One clause that says why the lengths may differ.
    fn why_different(&self, left: &Size, right: &Size, names: Option<&[String; 2]>) -> String {
        let origin = |s: &Size| {
            let v = s.as_var().filter(|v| v.kind == VarKind::Skolem)?;
            let o = self.out.openings.iter().find(|o| o.lengths.contains(v))?;
            Some(self.length_origin(o, v))
        };
        if let Some(at) = self.where_different(left, right, names) {
            return at;
        }
        match (origin(left), origin(right)) {
            (Some(a), Some(b)) if a.description.contains("kept") && b.description.contains("kept") => {
                "two filters may keep different numbers of elements".into()
            }
            (Some(_), Some(_)) => "two hidden lengths are equal only if they come from one value".into(),
            (Some(o), None) | (None, Some(o)) => format!("`{}` is known only at run time", o.length.name),
            (None, None) => match Facts::new().equal(left, right) {
                Truth::No => "they differ whatever the sizes are".into(),
                _ => "nothing says that they are equal".into(),
            },
        }
    }

    pub fn no_component(&mut self, ty: &Ty, index: usize, at: ExprId) {
        if ty.contains_error() {
            return;
        }
        let ty = self.table.zonk(ty);
        let message = match ty.kind() {
            TyKind::Tuple(parts) => format!("`get{}` of a tuple of {} components, `{ty}`", index + 1, parts.len()),
            _ => format!("`get{}` takes a tuple, and this is `{ty}`", index + 1),
        };
        self.error("no-component", Node::Expr(at), message);
    }

    fn argument_index(&self, apply: ExprId, arg: ExprId) -> Option<usize> {
        let Expr::Apply { args, .. } = self.body.expr(apply) else { return None };
        args.iter().position(|a| *a == arg)
    }
    /// The first argument that is an array of this length.
    fn argument_of_length(&self, apply: ExprId, length: &Size) -> Option<usize> {
        let Expr::Apply { args, .. } = self.body.expr(apply) else { return None };
        args.iter().position(|a| self.operand_type(*a).is_some_and(|t| t.as_array().is_some_and(|t| t.len == *length)))
    }
    /// The lengths with letters for what is unknown in them.
    fn readable(&self, lengths: [Size; 2]) -> [Size; 2] {
        let mut unknown: Vec<u32> =
            lengths.iter().flat_map(|s| s.vars()).filter(|v| v.kind == VarKind::Unknown).map(|v| v.id).collect();
        unknown.sort_unstable();
        unknown.dedup();
        let letter = |id: u32| {
            let i = unknown.iter().position(|u| *u == id)?;
            Some(Size::var(Var { kind: VarKind::Generic, id, name: super::generalize::size_variable_name(i).into() }))
        };
        lengths.map(|s| s.subst(&mut |v| if v.kind == VarKind::Unknown { letter(v.id) } else { None }))
    }
    fn argument_count(&self, apply: ExprId) -> usize {
        match self.body.expr(apply) {
            Expr::Apply { args, .. } => args.len(),
            _ => 0,
        }
    }
}
