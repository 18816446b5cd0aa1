//! The names known to every FCL program: the types of primitives, and a library written in FCL.

use super::infer::{Environment, declarations, infer};
use super::types::{Level, Scheme, Ty};
use lift_syntax::fcl::ast::{Definition, program};
use lift_syntax::fcl::{FclKind, parse};
use rustc_hash::FxHashMap;
use std::rc::Rc;

const TEXT: &str = include_str!("../../prelude/prelude.fcl");

/// The library, read once for each thread.
pub struct Library {
    pub types: Environment,
    pub definitions: FxHashMap<Rc<str>, Rc<Definition>>,
    docs: FxHashMap<Rc<str>, String>,
}

thread_local! {
    static LIBRARY: Rc<Library> = Rc::new(read());
}

pub fn library() -> Rc<Library> {
    LIBRARY.with(Rc::clone)
}

impl Library {
    /// The documentation of a name.
    pub fn about(&self, name: &str) -> Option<&str> {
        self.docs.get(name).map(String::as_str)
    }
}

fn read() -> Library {
    let tree = parse(TEXT).syntax();
    let program = program(&tree);
    let declared = declarations(&program);
    let own = lift_syntax::fcl::ast::Program { strays: Vec::new(), ..program.clone() };
    let inferred = infer(&own, &declared);
    debug_assert!(inferred.errors.is_empty(), "{:?}", inferred.errors);
    let mut types: Environment = declared.iter().map(|(name, scheme)| (name.clone(), closed(scheme))).collect();
    for (name, scheme) in &inferred.definitions {
        types.insert(name.text.clone(), closed(scheme));
    }
    let definitions = program.definitions.iter().map(|own| (own.name.text.clone(), own.clone())).collect();
    Library { types, definitions, docs: docs(&tree) }
}

/// The scheme with its variables numbered independently of any program.
fn closed(scheme: &Scheme) -> Scheme {
    let ty = scheme.ty.map(
        &mut |leaf| match leaf {
            Ty::Var(id) => Some(Ty::Rigid(*id, "'a".into())),
            _ => None,
        },
        &mut Level::clone,
    );
    Scheme { ty, ..scheme.clone() }
}

/// The documentation of signatures: the comments directly above them.
fn docs(tree: &lift_syntax::fcl::FclNode) -> FxHashMap<Rc<str>, String> {
    let mut docs = FxHashMap::default();
    let mut lines: Vec<String> = Vec::new();
    for token in tree.descendants_with_tokens().filter_map(|part| part.into_token()) {
        match token.kind() {
            FclKind::Comment => lines.push(token.text().trim_start_matches('-').trim().to_owned()),
            FclKind::Space if token.text().matches('\n').count() > 1 => lines.clear(),
            FclKind::Space => {}
            FclKind::Name => {
                if !lines.is_empty() {
                    docs.insert(token.text().into(), lines.join(" "));
                }
                lines.clear();
            }
            FclKind::Keyword if token.text() == "sig" => {}
            _ => lines.clear(),
        }
    }
    docs
}
