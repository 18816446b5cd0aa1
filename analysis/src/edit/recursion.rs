//! Whether the definitions of a file may be recursive, by the names of definitions in their texts.

use crate::db::{Form, RootDatabase, SourceFile};
use rustc_hash::FxHashMap;

/// Whether no definition mentions itself, directly or through others. Removes definitions that none mentions (Kahn,
/// *Topological sorting of large networks*, 1962), on arrays, because it visits the whole file.
pub fn is_acyclic(db: &RootDatabase, file: SourceFile) -> bool {
    let defined = file.defined(db);
    let mut first: FxHashMap<u32, usize> = FxHashMap::default();
    for (at, (name, _)) in defined.iter().enumerate().rev() {
        first.insert(*name, at);
    }
    // Definitions by their place in `defined`; the names of several may have one hash.
    let mentioned = |at: usize| {
        let starts = defined[at].1.uses(db).iter().filter_map(|word| first.get(word).map(|start| (*word, *start)));
        starts.flat_map(|(word, start)| (start..defined.len()).take_while(move |&at| defined[at].0 == word))
    };
    let mut uses_of = vec![0_u32; defined.len()];
    for at in 0..defined.len() {
        mentioned(at).for_each(|other| uses_of[other] += 1);
    }
    let mut unused: Vec<usize> = (0..defined.len()).filter(|&at| uses_of[at] == 0).collect();
    let mut removed = 0;
    while let Some(at) = unused.pop() {
        removed += 1;
        for other in mentioned(at) {
            uses_of[other] -= 1;
            if uses_of[other] == 0 {
                unused.push(other);
            }
        }
    }
    removed == defined.len()
}

/// [`is_acyclic`] for a file that was so before an edit of `edited`: a new cycle goes through one of these forms. Visits
/// only what they mention, directly or through others.
pub fn is_acyclic_from(db: &RootDatabase, file: SourceFile, edited: &[Form]) -> bool {
    let defined = file.defined(db);
    let mentioned = |form: Form| -> Vec<Form> {
        let of = |word: &u32| {
            let (word, start) = (*word, defined.partition_point(|(other, _)| other < word));
            defined[start..].iter().take_while(move |(other, _)| *other == word).map(|(_, form)| *form)
        };
        form.uses(db).iter().flat_map(of).collect()
    };
    // Whether a visited form is on the path, by form.
    let mut is_on_path: FxHashMap<Form, bool> = FxHashMap::default();
    for &root in edited {
        let mut path: Vec<(Form, Vec<Form>)> = Vec::new();
        let mut enter = Some(root).filter(|root| !is_on_path.contains_key(root));
        loop {
            if let Some(form) = enter.take() {
                is_on_path.insert(form, true);
                path.push((form, mentioned(form)));
            }
            let Some((form, rest)) = path.last_mut() else { break };
            match rest.pop() {
                Some(next) => match is_on_path.get(&next) {
                    Some(true) => return false,
                    Some(false) => {}
                    None => enter = Some(next),
                },
                None => {
                    is_on_path.insert(*form, false);
                    path.pop();
                }
            }
        }
    }
    true
}
