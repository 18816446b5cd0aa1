//! Solves for sizes: size parameters from the shapes of the inputs, hidden lengths from the shape of a value.
//!
//! Every array of an input gives an equation between the length in its type and its actual length. Equations with a
//! single unknown are solved repeatedly; finally all must hold. Sizes that the shapes leave open (an array without rows
//! does not show their length) must be given by the caller.

use super::{Result, RunError, RunErrorKind};
use crate::core::Kernel;
use crate::number::Number;
use crate::sizes::SizeValues;
use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, EvalError, Facts, Size, Solution, Var, VarKind, solve};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

/// Variables with their values, for messages: `N = 4, M = 2`.
fn explain(vars: &[Var], env: &SizeValues) -> String {
    let known = vars.iter().filter_map(|v| Some(format!("{} = {}", v.name, env.get(v)?)));
    known.collect::<Vec<_>>().join(", ")
}

/// An equation for the length of one array of an input, or of several arrays of equal length.
#[derive(Debug, Clone)]
struct Equation {
    size: Size,
    value: i64,
    place: Place,
}

#[derive(Debug, Clone)]
struct Place {
    /// The parameter's index; `None` inside a value whose hidden lengths are sought.
    param: Option<usize>,
    /// The dimension, from 0.
    dim: usize,
}

/// An input with the dimensions from its file, because an array without rows does not show their length.
#[derive(Debug, Clone, Copy)]
pub struct Shaped<'a> {
    pub value: &'a Value,
    /// The leading dimensions; may be fewer than the value has.
    pub dims: &'a [usize],
}

/// Binds the size parameters of `kernel` from the shapes of `inputs`, starting from `given`. Checks that the inputs
/// have the types of the parameters: rank, element types, equal rows. Does not check the kernel's assumptions.
pub fn bind_sizes(kernel: &Kernel, inputs: &[Value], given: &[(Var, i64)]) -> Result<SizeValues> {
    let inputs: Vec<Shaped<'_>> = inputs.iter().map(|value| Shaped { value, dims: &[] }).collect();
    bind_shapes(kernel, &inputs, given)
}

/// Like [`bind_sizes`], for inputs whose dimensions may be known.
pub fn bind_shapes(kernel: &Kernel, inputs: &[Shaped<'_>], given: &[(Var, i64)]) -> Result<SizeValues> {
    if inputs.len() != kernel.params.len() {
        return Err(RunError::new(RunErrorKind::Input, wrong_count(kernel, inputs.len())));
    }
    let mut env = SizeValues::default();
    for (var, value) in given {
        if !kernel.sizes.contains(var) {
            let message = format!("`{}` has no size parameter `{}`", kernel.name, var.name);
            return Err(RunError::new(RunErrorKind::Size, message));
        }
        if *value < 0 {
            let message = format!("the size `{}` is given as {value}, but a size is not negative", var.name);
            return Err(RunError::new(RunErrorKind::Size, message));
        }
        if let Some(other) = env.get(var).filter(|other| other != value) {
            let message = format!("the size `{}` is given twice, as {other} and as {value}", var.name);
            return Err(RunError::new(RunErrorKind::Size, message));
        }
        env.insert(var.clone(), *value);
    }
    let mut shapes = Shapes { equations: Vec::new(), param: None, dims: &[] };
    for (i, (param, input)) in kernel.params.iter().zip(inputs).enumerate() {
        shapes.param = Some(i);
        shapes.dims = input.dims;
        shapes.value(kernel.ty(*param), input.value, 0).map_err(|problem| {
            let message =
                format!("input `{}` does not fit its type `{}`: {problem}", kernel.name_of(*param), kernel.ty(*param));
            RunError::new(RunErrorKind::Input, message)
        })?;
    }
    let mut found_by = FxHashMap::default();
    solve_all(&shapes.equations, &kernel.sizes, &mut env, &mut found_by);
    for equation in &shapes.equations {
        // A hidden length is checked when the value is converted.
        if equation.size.any_var(&mut |v| v.kind != VarKind::Param) {
            continue;
        }
        if env.eval(&equation.size).ok() != Some(equation.value) {
            if let Some(var) = equation.size.vars().iter().find(|v| env.get(v).is_none()) {
                return Err(RunError::new(RunErrorKind::Size, unsolved(kernel, equation, var, &env)));
            }
            return Err(RunError::new(RunErrorKind::Size, disagreement(kernel, equation, &env, &found_by)));
        }
    }
    if let Some(open) = kernel.sizes.iter().find(|v| env.get(v).is_none()) {
        let message = format!(
            "the size `{0}` does not follow from the shapes of the inputs; give it, as in `--size {0}=16`",
            open.name
        );
        return Err(RunError::new(RunErrorKind::Size, message));
    }
    Ok(env)
}

/// Checks those assumptions whose variables all have values.
pub fn check_assumptions(assumptions: &[(Assumption, Origin)], env: &SizeValues) -> Result<()> {
    assumptions.iter().try_for_each(|(assumption, origin)| check_assumption(assumption, origin, env))
}

pub(super) fn check_assumption(assumption: &Assumption, origin: &Origin, env: &SizeValues) -> Result<()> {
    let problem = match assumption.check(&|v| env.get(v)) {
        Ok(true) | Err(EvalError::Unbound(_)) => return Ok(()),
        Ok(false) => String::new(),
        Err(e) => format!(": {e}"),
    };
    let values = explain(&assumption.vars(), env);
    let here = if values.is_empty() { String::new() } else { format!(" for {values}") };
    let message = format!("the program relies on `{assumption}`, which is false{here}{problem}");
    Err(RunError::false_assumption(assumption, message).at(origin))
}

/// The values of `vars` for which `body` is the type of `value`. A length that the shape leaves open is 0, because no
/// element has it.
pub(super) fn hidden_lengths(vars: &[Var], body: &Ty, value: &Value, env: &SizeValues) -> Result<Vec<i64>> {
    let mut shapes = Shapes { equations: Vec::new(), param: None, dims: &[] };
    let misfit = |problem: String| {
        RunError::new(RunErrorKind::Input, format!("an input does not fit its type `{body}`: {problem}"))
    };
    shapes.value(body, value, 0).map_err(misfit)?;
    let mut env = env.clone();
    for v in vars {
        env.remove(v);
    }
    // A length hidden further inside differs between rows, even if a value from before is known.
    body.any(&mut |ty| {
        if let TyKind::Exists(inner, _) = ty.kind() {
            for v in inner {
                env.remove(v);
            }
        }
        false
    });
    solve_all(&shapes.equations, vars, &mut env, &mut FxHashMap::default());
    for v in vars {
        if env.get(v).is_none() {
            env.insert(v.clone(), 0);
        }
    }
    for equation in &shapes.equations {
        match env.eval(&equation.size) {
            Ok(n) if n == equation.value => {}
            Err(EvalError::Unbound(_)) => {}
            Ok(n) => return Err(misfit(format!("a length is {}, but `{}` is {n}", equation.value, equation.size))),
            Err(e) => return Err(misfit(format!("a length is {}, but `{}`: {e}", equation.value, equation.size))),
        }
    }
    Ok(vars.iter().map(|v| env.get(v).unwrap_or(0)).collect())
}

/// Solves for the `unknown` variables, as long as an equation has a single unknown.
fn solve_all(equations: &[Equation], unknown: &[Var], env: &mut SizeValues, found_by: &mut FxHashMap<Var, Place>) {
    let mut open: Vec<&Equation> = equations.iter().collect();
    loop {
        let before = open.len();
        open.retain(|equation| {
            let free: Vec<Var> = equation.size.vars().into_iter().filter(|v| env.get(v).is_none()).collect();
            match free.as_slice() {
                [] => false,
                [var] if unknown.contains(var) => {
                    if let Found::One(value) = solve_one(equation, var, env) {
                        env.insert(var.clone(), value);
                        found_by.insert(var.clone(), equation.place.clone());
                    }
                    // Not solvable alone; another equation may determine the variable.
                    false
                }
                _ => true,
            }
        });
        if open.len() == before {
            return;
        }
    }
}

/// The solutions of an equation for its single unknown.
enum Found {
    One(i64),
    None,
    Several,
}

fn solve_one(equation: &Equation, var: &Var, env: &SizeValues) -> Found {
    let size = equation.size.subst(&mut |v| env.get(v).map(Size::int));
    let fits = |x: i64| size.eval(&|v| (v == var).then_some(x)).ok() == Some(equation.value);
    if let Solution::Unique(value, _) = solve(&size, &Size::int(equation.value), var, &Facts::new())
        && let Some(value) = value.as_const()
    {
        return if value >= 0 && fits(value) { Found::One(value) } else { Found::None };
    }
    // Lengths grow with their sizes, so N*(N+1)/2 = 10 has one solution, found by bisection.
    let (mut below, mut at_most) = (-1, equation.value.max(1));
    let reaches = |x: i64| match size.eval_int(&|v| (v == var).then_some(x)) {
        Ok(n) => n >= equation.value,
        Err(EvalError::Overflow) => true,
        Err(_) => false,
    };
    while at_most - below > 1 {
        let middle = below + (at_most - below) / 2;
        if reaches(middle) { at_most = middle } else { below = middle }
    }
    match (fits(at_most), fits(at_most.saturating_add(1))) {
        (true, false) => Found::One(at_most),
        (true, true) => Found::Several,
        (false, _) => Found::None,
    }
}

/// Collects the equations of values.
struct Shapes<'a> {
    equations: Vec<Equation>,
    param: Option<usize>,
    /// The known dimensions of the parameter.
    dims: &'a [usize],
}

impl Shapes<'_> {
    /// Compares a value with its type and collects the equations; the error describes the mismatch.
    fn value(&mut self, ty: &Ty, value: &Value, dim: usize) -> std::result::Result<(), String> {
        let wrong = || Err(format!("`{ty}` is expected, but this is {}", value.describe()));
        match (ty.kind(), value) {
            (TyKind::Scalar(s), v) if v.number().map(Number::scalar) == Some(*s) => Ok(()),
            (TyKind::Tuple(types), Value::Tuple(parts)) if types.len() == parts.len() => {
                types.iter().zip(parts).try_for_each(|(t, v)| self.value(t, v, dim))
            }
            (TyKind::Vec(element, width), Value::Vec(lanes)) => {
                if width.as_const() != Some(lanes.len() as i64) {
                    return wrong();
                }
                lanes.iter().try_for_each(|v| self.value(element, v, dim))
            }
            // The lengths inside are found when the value is converted.
            (TyKind::Exists(_, body), v) => self.value(body, v, dim),
            (TyKind::Array(a), Value::Array(elements)) => {
                if let Some((scalar, count)) = crate::core::typing::packed(ty)
                    && elements.scalar() == Some(scalar)
                {
                    self.equation(&count, elements.len(), dim);
                    return Ok(());
                }
                self.equation(&a.len, elements.len(), dim);
                if elements.is_empty() {
                    self.rows_that_are_none(&a.element, dim + 1);
                }
                match elements {
                    ArrayValue::Values(rows) => self.rows(ty, rows, dim + 1),
                    flat if flat.scalar() == a.element.as_scalar() => Ok(()),
                    // An empty array does not show the type of its elements.
                    flat if flat.is_empty() => Ok(()),
                    _ => wrong(),
                }
            }
            _ => wrong(),
        }
    }

    /// Adds equations for the rows of an array without rows, from the known dimensions.
    fn rows_that_are_none(&mut self, row: &Ty, dim: usize) {
        if let (TyKind::Array(a), Some(len)) = (row.kind(), self.dims.get(dim))
            && a.position.is_none()
        {
            self.equation(&a.len, *len, dim);
            self.rows_that_are_none(&a.element, dim + 1);
        }
    }

    fn rows(&mut self, ty: &Ty, rows: &[Value], dim: usize) -> std::result::Result<(), String> {
        let TyKind::Array(a) = ty.kind() else { return Ok(()) };
        let first = self.equations.len();
        for (i, row) in rows.iter().enumerate() {
            let start = self.equations.len();
            match &a.position {
                Some(position) => {
                    let here = a.element.subst_size(position, &Size::int(i as i64));
                    self.value(&here, row, dim).map_err(|e| format!("in row {i}, {e}"))?;
                }
                None => {
                    self.value(&a.element, row, dim).map_err(|e| format!("in row {i}, {e}"))?;
                    if i == 0 {
                        continue;
                    }
                    if !self.repeats(first, start, i)? {
                        continue;
                    }
                    self.equations.truncate(start);
                }
            }
        }
        Ok(())
    }

    /// Whether the equations from `start` on repeat those from `first` on, so that they can be dropped. An error if
    /// rows differ in length, unless each row hides its own length.
    fn repeats(&self, first: usize, start: usize, row: usize) -> std::result::Result<bool, String> {
        let count = self.equations.len() - start;
        let mut pairs = self.equations[first..].iter().zip(&self.equations[start..]).take(start - first);
        if count > start - first || !pairs.clone().all(|(zeroth, this)| zeroth.size == this.size) {
            return Ok(false);
        }
        let hidden = |size: &Size| size.any_var(&mut |v| v.kind == VarKind::Bound);
        match pairs.find(|(zeroth, this)| zeroth.value != this.value && !hidden(&zeroth.size)) {
            None => Ok(true),
            Some((zeroth, this)) => Err(format!(
                "its rows are not equally long: row 0 has {} elements, row {row} has {}",
                zeroth.value, this.value
            )),
        }
    }

    fn equation(&mut self, size: &Size, len: usize, dim: usize) {
        let place = Place { param: self.param, dim };
        self.equations.push(Equation { size: size.clone(), value: i64::try_from(len).unwrap_or(i64::MAX), place });
    }
}

fn wrong_count(kernel: &Kernel, given: usize) -> String {
    let names: Vec<String> = kernel.params.iter().map(|p| format!("`{}`", kernel.name_of(*p))).collect();
    let takes = match names.len() {
        0 => "no inputs".into(),
        1 => format!("one input ({})", names[0]),
        n => format!("{n} inputs ({})", names.join(", ")),
    };
    let given = match given {
        0 => "none is given".into(),
        1 => "one is given".into(),
        n => format!("{n} are given"),
    };
    format!("`{}` takes {takes}, but {given}", kernel.name)
}

fn param_name(kernel: &Kernel, place: &Place) -> Name {
    let param = place.param.and_then(|i| kernel.params.get(i));
    param.map_or_else(|| "input".into(), |p| kernel.vars[p.0 as usize].name.clone())
}

/// The subject of a message: "`ys` has 5 elements", "the rows of `ys` have 5 elements".
fn subject(kernel: &Kernel, equation: &Equation) -> String {
    let name = param_name(kernel, &equation.place);
    let elements = match equation.value {
        1 => "1 element".into(),
        n => format!("{n} elements"),
    };
    match equation.place.dim {
        0 => format!("`{name}` has {elements}"),
        1 => format!("the rows of `{name}` have {elements}"),
        d => format!("dimension {} of `{name}` has {elements}", d + 1),
    }
}

fn unsolved(kernel: &Kernel, equation: &Equation, var: &Var, env: &SizeValues) -> String {
    let subject = subject(kernel, equation);
    let alone = equation.size.vars().iter().all(|v| v == var || env.get(v).is_some());
    if alone && matches!(solve_one(equation, var, env), Found::None) {
        let known = explain(&equation.size.vars(), env);
        let known = if known.is_empty() { known } else { format!(" with {known}") };
        return format!(
            "{subject}, but by its type that number is `{}`, which it is for no `{}`{known}",
            equation.size, var.name
        );
    }
    format!(
        "the size `{0}` does not follow from the shapes of the inputs: {subject}, which is `{1}`; give it, as in `--size {0}=16`",
        var.name, equation.size
    )
}

fn disagreement(kernel: &Kernel, equation: &Equation, env: &SizeValues, found_by: &FxHashMap<Var, Place>) -> String {
    let reasons: Vec<String> = equation
        .size
        .vars()
        .iter()
        .filter_map(|v| {
            let value = env.get(v)?;
            Some(match found_by.get(v) {
                Some(place) => format!("`{}` is {value} by `{}`", v.name, param_name(kernel, place)),
                None => format!("`{}` is given as {value}", v.name),
            })
        })
        .collect();
    let subject = subject(kernel, equation);
    match (reasons.is_empty(), env.eval(&equation.size)) {
        (true, _) => format!("{subject}, but its type says {}", equation.size),
        (false, _) if equation.size.as_var().is_some() => {
            format!("the sizes disagree: {}, but {subject}", reasons.join(" and "))
        }
        (false, Ok(n)) => {
            format!("the sizes disagree: {}, so that `{}` is {n}, but {subject}", reasons.join(" and "), equation.size)
        }
        (false, Err(e)) => {
            format!("the sizes disagree: {}, but then `{}` is not a length: {e}", reasons.join(" and "), equation.size)
        }
    }
}
