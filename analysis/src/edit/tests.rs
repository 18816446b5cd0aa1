//! The data that edits update is that of a fresh file.

use crate::db::{Form, RootDatabase, SourceFile};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The data of a file that edits update, with forms as their places.
fn structure(db: &RootDatabase, file: SourceFile) -> String {
    let at = |form: &Form| form.place(db);
    let places = |forms: &[Form]| -> Vec<_> { forms.iter().map(at).collect() };
    let mut out = String::new();
    for form in file.members(db).iter() {
        let mut uses: Vec<_> = form.uses(db).to_vec();
        uses.sort_unstable();
        let _ = writeln!(out, "{:?} {:?} {} {:?} {uses:?}", at(form), form.name(db), form.nth(db), form.kind(db));
    }
    let names: BTreeMap<_, _> = file.names(db).iter().map(|(name, form)| (name.clone(), at(form))).collect();
    let by_name: BTreeMap<_, _> = file.by_name(db).iter().map(|(name, forms)| (name.clone(), places(forms))).collect();
    let defined: BTreeSet<_> = file.defined(db).iter().map(|(name, form)| (*name, at(form))).collect();
    assert!(file.defined(db).is_sorted_by_key(|(name, _)| *name));
    let words = file.with_word(db).iter().map(|(word, forms)| (*word, forms.iter().map(at).collect()));
    let words: BTreeMap<u32, BTreeSet<Option<usize>>> = words.collect();
    let (imports, repeated) = (places(file.import_forms(db)), places(file.repeated(db)));
    let acyclic = file.acyclic(db);
    let _ = write!(out, "{names:?}\n{by_name:?}\n{defined:?}\n{imports:?} {repeated:?} {acyclic}\n{words:?}");
    out
}

#[test]
fn what_edits_keep_of_a_file_is_what_a_fresh_one_has() {
    let forms = [
        "(define (a x) (b x))",
        "(define (a x) (+ x 1))",
        "(define (b x) (* x c))",
        "(define c 2)",
        "(define c (a 1))",
        "(define (d d) d)",
        "(import \"a.lift\")",
        "(lift k (N) ((array-type int N)) (lambda (xs) (map a xs)))",
        "(lift (N) ((array-type int N)) (lambda (xs) (map b xs)))",
        "(lift () (int) (lambda (x) x))",
        "stray",
        "(define",
    ];
    let chain: Vec<String> = (0..100).map(|i| format!("(define (n{i} x) (n{} x))", i + 1)).collect();
    // A linear congruential generator (Knuth).
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut db = RootDatabase::default();
    let mut file: Vec<&str> = Vec::new();
    for round in 0..120 {
        match random(4) {
            0 if !file.is_empty() => drop(file.remove(random(file.len()))),
            1 if !file.is_empty() => {
                let at = random(file.len());
                file[at] = forms[random(forms.len())];
            }
            2 if file.len() > 1 => file.swap(0, 1),
            _ => file.insert(random(file.len() + 1), forms[random(forms.len())]),
        }
        if round % 30 == 29 {
            // More names than an update visits one by one.
            file.extend(chain.iter().map(String::as_str));
        } else {
            file.truncate(12);
        }
        let text = file.join("\n");
        db.set_file("main.lift", text.as_str().into());
        let mut fresh = RootDatabase::default();
        fresh.set_file("main.lift", text.as_str().into());
        let [kept, new] = [&db, &fresh].map(|db| structure(db, db.file("main.lift").unwrap()));
        assert_eq!(kept, new, "after edit {round}, of\n{text}");
    }
}
