//! The call graph: cycles, and an order with callees first.
//!
//! Recursion is found here, over names alone, before anything is inferred. Queries of inference therefore never form a
//! cycle, and their results do not depend on the order of requests.

use crate::db::{Db, Form, SourceFile, forms};
use crate::hir::Name;
use crate::imports::imports_itself;
use crate::names::callees;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A strongly connected component of the call graph that contains a cycle.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub struct Cycle {
    /// The member at which the cycle is reported.
    pub head: Form,
    /// A shortest cycle through the head: each uses the next, the last uses the head.
    pub names: Arc<[Name]>,
}

/// The forms of a file that may be part of a cycle, in order. Uses only the names of definitions in the forms, which
/// change less often than their texts; a parameter named like a definition adds forms that are in none.
#[salsa::tracked]
fn suspects(db: &dyn Db, file: SourceFile) -> Vec<Form> {
    // A cycle through another file needs an import cycle.
    if imports_itself(db, file) {
        return forms(db, file).to_vec();
    }
    if file.acyclic(db) {
        return Vec::new();
    }
    let all = forms(db, file);
    let mut defined: FxHashMap<u32, Vec<Form>> = FxHashMap::default();
    for &(name, form) in file.defined(db).iter() {
        defined.entry(name).or_default().push(form);
    }
    let mentioned: FxHashMap<Form, Vec<Form>> = all
        .iter()
        .map(|&form| (form, form.uses(db).iter().filter_map(|word| defined.get(word)).flatten().copied().collect()))
        .collect();
    let mentioned = |form| mentioned.get(&form).map_or(&[] as &[_], Vec::as_slice);
    let of_cycles: FxHashSet<Form> = components(all, mentioned)
        .into_iter()
        .filter(|component| component.len() > 1 || mentioned(component[0]).contains(&component[0]))
        .flatten()
        .collect();
    all.iter().filter(|form| of_cycles.contains(form)).copied().collect()
}

/// The cycles among the forms of a file and all that they reach, by member.
#[salsa::tracked]
fn cycles(db: &dyn Db, file: SourceFile) -> FxHashMap<Form, Cycle> {
    let mut cycles = FxHashMap::default();
    for mut component in components(suspects(db, file), |form| callees(db, form)) {
        let alone = component.len() == 1;
        if alone && !callees(db, component[0]).contains(&component[0]) {
            continue;
        }
        // The first form of its file is the head, so that all files report the same one.
        component.sort_by_cached_key(|form| {
            let file = form.file(db);
            (file.path(db).clone(), form.place(db))
        });
        let names: Arc<[Name]> = round_trip(db, &component).iter().filter_map(|form| form.name(db).clone()).collect();
        let head = component[0];
        cycles.extend(component.into_iter().map(|form| (form, Cycle { head, names: names.clone() })));
    }
    cycles
}

/// The cycle that a form is part of.
#[salsa::tracked]
pub fn cycle_of(db: &dyn Db, form: Form) -> Option<Cycle> {
    if suspects(db, form.file(db)).is_empty() {
        return None;
    }
    cycles(db, form.file(db)).get(&form).cloned()
}

/// A shortest cycle through the first form of a strongly connected component.
fn round_trip(db: &dyn Db, component: &[Form]) -> Vec<Form> {
    let Some(&first) = component.first() else { return Vec::new() };
    let members: FxHashSet<Form> = component.iter().copied().collect();
    let mut before: FxHashMap<Form, Form> = FxHashMap::default();
    let mut queue = std::collections::VecDeque::from([first]);
    while let Some(form) = queue.pop_front() {
        for &callee in callees(db, form) {
            if callee == first {
                let mut path = vec![form];
                while let Some(&earlier) = path.last().and_then(|last| before.get(last)) {
                    path.push(earlier);
                }
                path.reverse();
                return path;
            }
            if members.contains(&callee) && !before.contains_key(&callee) {
                before.insert(callee, form);
                queue.push_back(callee);
            }
        }
    }
    vec![first]
}

/// The strongly connected components of all reachable forms, callees first (Tarjan 1972, without recursion, because a
/// program may be a chain of ten thousand definitions).
fn components<'a>(roots: &[Form], callees: impl Fn(Form) -> &'a [Form]) -> Vec<Vec<Form>> {
    let mut components = Vec::new();
    // Lowlink: the smallest number of a form on the stack known to be reachable from the form.
    let mut low: FxHashMap<Form, usize> = FxHashMap::default();
    let mut stack: Vec<Form> = Vec::new();
    let mut on_stack: FxHashSet<Form> = FxHashSet::default();
    for &root in roots {
        // Each entry: a form, its number, and the number of its callees already visited.
        let mut path: Vec<(Form, usize, usize)> = Vec::new();
        let mut enter = Some(root).filter(|root| !low.contains_key(root));
        loop {
            if let Some(form) = enter.take() {
                let number = low.len();
                low.insert(form, number);
                stack.push(form);
                on_stack.insert(form);
                path.push((form, number, 0));
            }
            let Some((form, number, looked_at)) = path.last_mut() else { break };
            let (form, number) = (*form, *number);
            if let Some(&callee) = callees(form).get(*looked_at) {
                *looked_at += 1;
                match low.get(&callee) {
                    None => enter = Some(callee),
                    Some(&reached) if on_stack.contains(&callee) => reaches(&mut low, form, reached),
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            let reached = low.get(&form).copied().unwrap_or(number);
            if let Some((parent, ..)) = path.last() {
                reaches(&mut low, *parent, reached);
            }
            if reached == number {
                let start = stack.iter().rposition(|member| *member == form).unwrap_or(0);
                let component = stack.split_off(start);
                for member in &component {
                    on_stack.remove(member);
                }
                components.push(component);
            }
        }
    }
    components
}

fn reaches(low: &mut FxHashMap<Form, usize>, form: Form, number: usize) {
    if let Some(low) = low.get_mut(&form) {
        *low = (*low).min(number);
    }
}

/// The forms and all that they reach, callees first. Requesting them in this order keeps the stack of queries flat.
pub fn in_order(db: &dyn Db, roots: &[Form]) -> Vec<Form> {
    components(roots, |form| callees(db, form)).into_iter().flatten().collect()
}
