//! Infers the forms of a small program without the database.

use crate::diagnostics::{Edit, Severity};
use crate::hir::{Body, Name, Node, SourceMap};
use crate::infer::given::Given;
use crate::infer::{Env, Inference, Lookup, Mode, elaborate, infer_body, infer_given};
use crate::lower::lower;
use crate::ty::Scheme;
use expect_test::Expect;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

pub struct Form {
    pub text: String,
    pub body: Arc<Body>,
    pub map: SourceMap,
    pub inference: Inference,
}

pub struct Program {
    bodies: Vec<(String, Arc<Body>, SourceMap)>,
    done: RefCell<HashMap<usize, Inference>>,
    active: RefCell<Vec<usize>>,
    mode: Mode,
}

impl Env for Program {
    fn lookup(&self, name: &str) -> Lookup {
        let Some(i) = self.bodies.iter().position(|(_, b, _)| b.name.as_deref() == Some(name)) else {
            return match crate::prims::lookup(name) {
                Some(p) => Lookup::Primitive(p),
                None => Lookup::Unknown { similar: None },
            };
        };
        if let Some(at) = self.active.borrow().iter().position(|a| *a == i) {
            let cycle: Vec<Name> =
                self.active.borrow()[at..].iter().filter_map(|a| self.bodies[*a].1.name.clone()).collect();
            return Lookup::Recursive(cycle);
        }
        match self.infer(i).scheme {
            Some(s) => Lookup::Definition(Box::new(s)),
            None => Lookup::Failed,
        }
    }

    fn given(&self, name: &str, given: &Given) -> Option<Scheme> {
        let inference = self.infer_with_given(name, given)?;
        if inference.is_without_errors() { inference.scheme } else { None }
    }

    fn wrong_with_given(&self, name: &str, given: &Given) -> Option<String> {
        Some(self.infer_with_given(name, given)?.first_error()?.message.clone())
    }

    fn word(&self, name: &str) -> Option<Scheme> {
        self.primitive(name).map(|primitive| primitive.scheme.clone())
    }

    fn primitive(&self, name: &str) -> Option<&'static crate::prims::Primitive> {
        let is_own = self.bodies.iter().any(|(_, body, _)| body.name.as_deref() == Some(name));
        if is_own { None } else { crate::prims::lookup(name) }
    }
}

impl Program {
    fn infer_with_given(&self, name: &str, given: &Given) -> Option<Inference> {
        let (_, body, _) = self.bodies.iter().find(|(_, body, _)| body.name.as_deref() == Some(name))?;
        Some(infer_given(body, self, Mode::Insert, Some(given)))
    }

    fn infer(&self, i: usize) -> Inference {
        if let Some(done) = self.done.borrow().get(&i) {
            return done.clone();
        }
        self.active.borrow_mut().push(i);
        let out = infer_body(&self.bodies[i].1, self, self.mode);
        self.active.borrow_mut().pop();
        self.done.borrow_mut().insert(i, out.clone());
        out
    }
}

pub fn program(text: &str, mode: Mode) -> Vec<Form> {
    let bodies = lift_syntax::split(text)
        .into_iter()
        .map(|raw| {
            let text = text[raw.range].to_string();
            let lowered = lower(&text, false);
            (text, lowered.body.clone(), lowered.map)
        })
        .collect();
    let program = Program { bodies, done: RefCell::default(), active: RefCell::default(), mode };
    let all: Vec<Inference> = (0..program.bodies.len()).map(|i| program.infer(i)).collect();
    program
        .bodies
        .into_iter()
        .zip(all)
        .map(|((text, body, map), inference)| Form { text, body, map, inference })
        .collect()
}

impl Form {
    fn slice(&self, at: Node) -> String {
        let r = self.map.range(at);
        self.text[usize::from(r.start())..usize::from(r.end())].split_whitespace().collect::<Vec<_>>().join(" ")
    }
    pub fn describe(&self) -> String {
        let name = self.body.name.as_deref().unwrap_or("_");
        let mut out = match &self.inference.scheme {
            Some(s) => format!("{name} : {s}\n"),
            None => format!("{name}\n"),
        };
        for a in self.inference.scheme.iter().flat_map(|s| &s.assumptions) {
            out.push_str(&format!("  assumes {a}\n"));
        }
        for d in self.inference.diagnostics.iter().filter(|d| d.code != "unused-name") {
            out.push_str(&format!("  {} at `{}`: {}\n", d.code, self.slice(d.at), d.message));
            for r in &d.related {
                let place = match &r.place {
                    crate::diagnostics::Place::Here(n) => self.slice(*n),
                    crate::diagnostics::Place::Definition(n) => format!("definition of {n}"),
                };
                out.push_str(&format!("    `{place}`: {}\n", r.message));
            }
            for f in &d.fixes {
                out.push_str(&format!("    fix: {}\n", f.title));
            }
        }
        out
    }
    pub fn elaborated(&self) -> String {
        elaborate::explicit_text(&self.body, &self.map, &self.text, &self.inference, &|_| true)
    }
}

pub fn check(text: &str, expect: Expect) {
    let out: String = program(text, Mode::Insert).iter().map(Form::describe).collect();
    expect.assert_eq(&out);
}

pub fn check_explicit(text: &str, expect: Expect) {
    let out: String = program(text, Mode::Explicit).iter().map(Form::describe).collect();
    expect.assert_eq(&out);
}

/// Checks the elaborated program, which must have the same types in explicit mode and with insertion.
pub fn check_elaborated(text: &str, expect: Expect) {
    let forms = program(text, Mode::Insert);
    let elaborated: Vec<String> = forms.iter().map(Form::elaborated).collect();
    let elaborated = elaborated.join("\n");
    expect.assert_eq(&elaborated);
    let types = |forms: &[Form]| {
        forms
            .iter()
            .map(|f| {
                let wrong = f.inference.diagnostics.iter().any(|d| d.severity == crate::diagnostics::Severity::Error);
                assert!(!wrong, "{}\nof\n{elaborated}", f.describe());
                f.inference.scheme.as_ref().map(|s| s.ty.to_string())
            })
            .collect::<Vec<_>>()
    };
    let before = types(&forms);
    for mode in [Mode::Explicit, Mode::Insert] {
        assert_eq!(types(&program(&elaborated, mode)), before, "{mode:?}:\n{elaborated}");
    }
}

/// Checks the program after the first fix of each diagnostic.
pub fn check_repaired(text: &str, expect: Expect) {
    let forms = program(text, Mode::Insert);
    let mut repaired = Vec::new();
    for form in &forms {
        let mut edits: Vec<(usize, usize, String)> = Vec::new();
        for d in form.inference.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
            let fix = d.fixes.first().unwrap_or_else(|| panic!("no fix for {}", d.message));
            edits.extend(fix.edits.iter().map(|e| form.edit(e)));
        }
        edits.sort();
        let (mut out, mut at) = (String::new(), 0);
        for (start, end, new) in edits {
            out.push_str(&form.text[at..start]);
            out.push_str(&new);
            at = end;
        }
        out.push_str(&form.text[at..]);
        repaired.push(out);
    }
    let repaired = repaired.join("\n");
    let again: String = program(&repaired, Mode::Insert).iter().map(Form::describe).collect();
    expect.assert_eq(&format!("{repaired}\n\n{again}"));
}

impl Form {
    fn edit(&self, e: &Edit) -> (usize, usize, String) {
        let range = |n: &Node| (usize::from(self.map.range(*n).start()), usize::from(self.map.range(*n).end()));
        match e {
            Edit::Replace(n, t) => (range(n).0, range(n).1, t.clone()),
            Edit::InsertBefore(n, t) => (range(n).0, range(n).0, t.clone()),
            Edit::InsertAfter(n, t) => (range(n).1, range(n).1, t.clone()),
            Edit::CopyBefore { at, before, of, after } => {
                let (start, end) = range(of);
                (range(at).0, range(at).0, format!("{before}{}{after}", &self.text[start..end]))
            }
        }
    }
}
