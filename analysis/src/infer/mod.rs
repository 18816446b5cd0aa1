//! Type inference of one body.
//!
//! Input: a [`Body`] and an [`Env`] with the types of other definitions. Output: an [`Inference`], plain data without
//! source locations. Inference walks the body once ([`walk`]) and generates inference variables and
//! constraints; unification ([`table`]) and deferred constraints ([`solve`]) do the rest. The state is [`context`]: a
//! few parts with private fields, each with its invariant. [`finish`] and [`report`] compute from what was found.
//!
//! Existential lengths (IPSJ 13(3) 2020, Fig. 13 and 20) are opened and hidden here: conceptually the program is in
//! A-normal form, each named value of existential type is opened where it is named, and the body of a lambda (a branch,
//! an `unpack`) whose type mentions lengths opened inside hides them. [`elaborate`] writes these insertions into the
//! text.
//!
//! Invariants: no source locations, no syntax trees, no database; the same body and environment give the same result;
//! an erroneous expression has the error type, which conflicts with nothing.
//!
//! | module | job |
//! |---|---|
//! | `binders` | what is known of each binder |
//! | `branches` | the branches of a form |
//! | `lets` | types and lengths of generalised `let`s |
//! | `result` | the result of inferring one body |
//! | `cause` | causes of unifications |
//! | `texts` | abridged texts of expressions |
//! | `program` | the form, and the meaning of its names |
//! | `table` | the inference variables and index variables, and their unification |
//! | `budget` | the cost of a form so far, against its limits |
//! | `names` | names of opened and hidden lengths |
//! | `scopes` | the scopes of a form, and the lengths opened in each |
//! | `constraint` | the kinds of deferred constraints |
//! | `agenda` | the deferred constraints, and those that may be solvable now |
//! | `size_params` | parameters without an annotation that are sizes |
//! | `found` | what was found so far |
//! | `meant` | calls as they were probably meant |
//! | `results` | what is known so far, read only |
//! | `context` | the state of one inference |
//! | `walk` | the walk over expressions, which generates constraints |
//! | `solve` | attempts at deferred constraints |
//! | `finish` | the end of an inference |
//! | `report` | turns conflicts into diagnostics |
//! | [`elaborate`] | the program with every inserted `pack` and `unpack` written out |
//! | `guards` | facts about sizes from the conditions around an expression |
//! | `equal_here` | lengths that are equal by the conditions around a call |
//! | [`given`] | definitions that are given rows of hidden length |
//! | `uses` | the uses of such definitions |
//! | `openers` | functions given by name that open their arguments |
//! | `partial` | inference of a body that is still being written |
//! | `placement` | where parallel primitives may occur |

// Data: results, and the parts of the state.
mod agenda;
mod binders;
mod branches;
mod budget;
mod cause;
mod constraint;
mod context;
mod found;
mod lets;
mod meant;
mod names;
mod program;
mod result;
mod results;
mod scopes;
mod size_params;
mod table;
mod texts;
// The walk over a body.
mod walk;
// Deferred constraints.
mod solve;
// The end: assumptions, quantification, errors.
mod finish;
mod report;
// Other uses of a result.
pub mod elaborate;
mod equal_here;
pub mod given;
mod guards;
mod openers;
mod partial;
mod placement;
#[cfg(test)]
mod tests;
mod uses;

pub use partial::{Partial, infer_partial};
pub use placement::{Definitions, check_placement};
pub use report::repair::{size_source, type_source};
pub use result::*;
pub use texts::{call_of, short_text};

use crate::hir::{Body, Expr, ExprId, FormKind, Name};
use crate::prims::{Primitive, Special};
use crate::ty::{Scheme, Ty};
use context::Infer;
use given::{Functions, Given};
use solve::work::{TERMS_AT_THE_END, WORK_LIMIT};

/// The source of openings and hidings: the checker and the program, or only the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    Insert,
    /// `lift check --explicit`: exactly the paper's rules (Fig. 13).
    Explicit,
}

/// The meaning of a name that is not local.
pub enum Lookup {
    Definition(Box<Scheme>),
    Primitive(&'static Primitive),
    /// The definition is recursive: the names of the cycle, starting with this one.
    Recursive(Vec<Name>),
    /// The definition has errors, which are reported there.
    Failed,
    Unknown {
        similar: Option<Name>,
    },
}

/// The environment of a body.
pub trait Env {
    fn lookup(&self, name: &str) -> Lookup;

    /// The type of a definition whose parameters are given these types; `None` if its body is wrong with them.
    fn given(&self, name: &str, given: &Given) -> Option<Scheme>;

    /// The first error of a definition whose parameters are given these types.
    fn wrong_with_given(&self, name: &str, given: &Given) -> Option<String>;

    /// The primitive that a name refers to. Needs the type of no definition.
    fn primitive(&self, name: &str) -> Option<&'static Primitive>;

    /// The type of a word of the language. Of the program's own definitions only those may be looked up that the form
    /// mentions: others may need its type in turn.
    fn word(&self, name: &str) -> Option<Scheme>;
}

/// Infers the types of one form.
pub fn infer_body(body: &Body, env: &dyn Env, mode: Mode) -> Inference {
    let plain = infer_given(body, env, mode, None);
    if plain.is_without_errors() || mode == Mode::Explicit || body.kind != FormKind::Define {
        return plain;
    }
    // What makes rows shorter in a loop needs rows of hidden length from the start.
    let rows = plain.scheme.as_ref().and_then(|scheme| Given::rows(&scheme.ty));
    let with_rows = rows.map(|rows| infer_given(body, env, mode, Some(&rows)));
    with_rows.filter(Inference::is_without_errors).unwrap_or(plain)
}

/// Infers the types of a definition whose parameters are given these types.
pub fn infer_given(body: &Body, env: &dyn Env, mode: Mode, given: Option<&Given>) -> Inference {
    let infer = |guesses: Guesses, functions: Functions| infer_with(body, env, mode, given, guesses, functions);
    let mut guesses = Guesses { components: Components::OfPairs, openings: Openings::Wait };
    let mut plain = infer(guesses, Functions::default());
    if !plain.is_without_errors() && has_local_functions(body) {
        let later = Guesses { components: Components::OfUses, ..guesses };
        let inference = infer(later, Functions::default());
        if inference.is_without_errors() {
            (guesses, plain) = (later, inference);
        }
    }
    if !plain.is_without_errors() && has_loops(body, env) {
        let now = Guesses { openings: Openings::DecidedByLoops, ..guesses };
        let inference = infer(now, Functions::default());
        if inference.errors() < plain.errors() {
            (guesses, plain) = (now, inference);
        }
    }
    openers::with_openers(body, env, mode, given, plain, |functions| infer(guesses, functions))
}

/// Choices where the program determines nothing. Guesses are tried in order; the first without errors are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Guesses {
    components: Components,
    openings: Openings,
}

/// The number of components of a tuple from which a `let`-bound function takes one, if only its uses determine it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Components {
    /// The smallest tuple that has the component. The function is polymorphic in its components.
    OfPairs,
    /// The tuple to which the function is applied: one for all uses.
    OfUses,
}

/// When a value of a type that is not known yet is taken to hide no length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Openings {
    /// At the end.
    Wait,
    /// At the end of the function of a loop, if the type of the function's result depends on it.
    DecidedByLoops,
}

fn has_loops(body: &Body, env: &dyn Env) -> bool {
    let is_loop = |name: &Name| {
        let special = env.primitive(name).and_then(|p| p.special);
        matches!(special, Some(Special::Iterate | Special::IterateWhile))
    };
    body.exprs.iter().any(|e| matches!(e, Expr::Global(name) if is_loop(name)))
}

fn has_local_functions(body: &Body) -> bool {
    let is_function = |e: &ExprId| matches!(body.expr(*e), Expr::Lambda { .. } | Expr::Compose(_));
    body.exprs.iter().any(|e| matches!(e, Expr::Let { value, .. } if is_function(value)))
}

fn infer_with(
    body: &Body,
    env: &dyn Env,
    mode: Mode,
    given: Option<&Given>,
    guesses: Guesses,
    functions: Functions,
) -> Inference {
    // Each definition is inferred with its own budget.
    crate::size::work::apart(WORK_LIMIT + TERMS_AT_THE_END, || {
        let mut infer = Infer::new(body, env, mode);
        infer.guesses = guesses;
        infer.is_given_sizes = given.is_some_and(Given::has_sizes);
        infer.found.set_functions(functions);
        let ty = infer.walk(given);
        infer.finish(ty)
    })
}

impl Infer<'_> {
    /// Walks the whole body and returns the type of its root.
    fn walk(&mut self, given: Option<&Given>) -> Option<Ty> {
        let body = self.program.body();
        let root = body.root?;
        Some(match (&body.kind, body.expr(root).clone()) {
            (FormKind::Kernel, Expr::Lambda { params, body: inner }) => {
                let declared: Vec<_> = body.param_types.iter().map(|t| Some(self.written_type(*t))).collect();
                let ty = self.lambda(&params, inner, None, &declared);
                self.found.set_type(root, ty.clone());
                ty
            }
            (_, Expr::Lambda { params, body: inner }) => {
                let declared = given.map_or_else(Vec::new, |given| self.given_params(given));
                let ty = self.lambda(&params, inner, None, &declared);
                self.found.set_type(root, ty.clone());
                ty
            }
            // A defined value is a scope like the body of a function: lengths opened in it do not escape.
            _ => {
                let expected = given.map(|given| self.given_function(given));
                self.defined_value(root, expected.as_ref())
            }
        })
    }
}
