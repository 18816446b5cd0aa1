//! Data of a file about the names and the order of its forms.
//!
//! Each part is updated for the forms and names that an edit touches. The other forms are only counted and copied, as
//! numbers in an array, so that a new name costs nearly the same in a long file.

use super::recursion;
use super::{Before, Change, uses};
use crate::db::{Form, RootDatabase, SourceFile, word};
use crate::hir::Name;
use lift_syntax::FormKind;
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Setter;
use std::sync::Arc;

/// Changed names, forms or words beyond which the whole file is visited, as when it is opened.
const MANY: usize = 64;

/// The forms of a file that an edit replaced by others.
pub(super) struct Replaced<'a> {
    pub first: usize,
    pub old: &'a [Form],
    pub new: &'a [Form],
}

/// Updates the data of the file after its forms were set.
pub(super) fn after(db: &mut RootDatabase, file: SourceFile, change: &Change, replaced: &Replaced<'_>) {
    index_words(db, file, &change.touched);
    let mut concerned: Vec<Form> = Vec::new();
    if change.structure {
        set_places(db, file, replaced);
        set_imports(db, file, replaced);
        concerned = set_names(db, file, change, replaced);
    }
    let other_uses = |before: &&Before| change.structure || before.uses != *before.form.uses(db);
    concerned.extend(change.touched.iter().filter(other_uses).map(|before| before.form));
    if concerned.is_empty() {
        return;
    }
    let acyclic = match file.acyclic(db) && concerned.len() <= MANY {
        true => recursion::is_acyclic_from(db, file, &concerned),
        false => recursion::is_acyclic(db, file),
    };
    if file.acyclic(db) != acyclic {
        file.set_acyclic(db).to(acyclic);
    }
}

/// Updates the index of forms by the words in them. It is taken out of the database meanwhile, to be changed in place.
fn index_words(db: &mut RootDatabase, file: SourceFile, touched: &[Before]) {
    if touched.iter().all(|before| before.words == *before.form.words(db)) {
        return;
    }
    let mut index = file.set_with_word(db).to(Arc::default());
    let with_word = Arc::make_mut(&mut index);
    for before in touched {
        let (old, new) = (&before.words, before.form.words(db));
        for lost in old.iter().filter(|word| new.binary_search(word).is_err()) {
            if let Some(forms) = with_word.get_mut(lost) {
                if let Some(at) = forms.iter().position(|form| *form == before.form) {
                    forms.swap_remove(at);
                }
                if forms.is_empty() {
                    with_word.remove(lost);
                }
            }
        }
        for &gained in new.iter().filter(|word| old.binary_search(word).is_err()) {
            with_word.entry(gained).or_default().push(before.form);
        }
    }
    file.set_with_word(db).to(index);
}

fn set_places(db: &mut RootDatabase, file: SourceFile, replaced: &Replaced<'_>) {
    let Replaced { first, old, new } = *replaced;
    let mut places = file.places(db).to_vec();
    let behind = (first + old.len()) as u32;
    let moved = new.len() as i64 - old.len() as i64;
    if moved != 0 {
        let later = places.iter_mut().filter(|place| **place != u32::MAX && **place >= behind);
        later.for_each(|place| *place = (i64::from(*place) + moved) as u32);
    }
    for form in old {
        places[form.slot(db) as usize] = u32::MAX;
    }
    for (place, form) in (first..).zip(new) {
        let slot = form.slot(db) as usize;
        places.resize(places.len().max(slot + 1), u32::MAX);
        places[slot] = place as u32;
    }
    if **file.places(db) != *places {
        file.set_places(db).to(places.into());
    }
}

fn set_imports(db: &mut RootDatabase, file: SourceFile, replaced: &Replaced<'_>) {
    let is_import = |form: &Form| form.kind(db) == FormKind::Import && form.is_member(db);
    let known = file.import_forms(db).iter().chain(replaced.new);
    let imports = in_order(db, known.copied().filter(is_import));
    if **file.import_forms(db) != *imports {
        file.set_import_forms(db).to(imports.into());
    }
}

/// Updates what depends on names. Returns the forms in which a word has become the name of a definition, or no longer is
/// one.
fn set_names(db: &mut RootDatabase, file: SourceFile, change: &Change, replaced: &Replaced<'_>) -> Vec<Form> {
    let mut named: FxHashMap<Option<Name>, Vec<Form>> = FxHashMap::default();
    for &form in replaced.old.iter().chain(replaced.new) {
        named.entry(form.name(db).clone()).or_default().push(form);
    }
    for before in &change.touched {
        named.entry(before.name.clone()).or_default();
        named.entry(before.form.name(db).clone()).or_default().push(before.form);
    }
    let is_other = |form: &Form| !named.contains_key(form.name(db));
    let mut repeated: Vec<Form> = file.repeated(db).iter().copied().filter(is_other).collect();
    let mut renumbered = Vec::new();
    let mut renamed: Vec<Renamed> = Vec::new();
    for (name, forms) in &mut named {
        let known = file.by_name(db).get(name).into_iter().flatten().copied();
        let all = known.chain(forms.drain(..)).filter(|form| form.is_member(db) && form.name(db) == name);
        *forms = in_order(db, all);
        renumbered.extend(forms.iter().zip(0..).filter(|(form, nth)| form.nth(db) != *nth).map(|(f, nth)| (*f, nth)));
        let kernel = |form: &Form| form.kind(db) == FormKind::Lift;
        let definition = |form: &Form| form.kind(db) == FormKind::Define || kernel(form);
        match name {
            Some(name) => {
                repeated.extend(forms.iter().skip(1).copied().filter(definition));
                let (was, is) = (file.names(db).get(name).copied(), forms.iter().copied().find(definition));
                if was != is {
                    renamed.push(Renamed { name: name.clone(), was, is });
                }
            }
            None => repeated.extend(forms.iter().copied().filter(kernel).nth(1)),
        }
    }
    for (form, nth) in renumbered {
        form.set_nth(db).to(nth);
    }
    let repeated = in_order(db, repeated.into_iter());
    if **file.repeated(db) != *repeated {
        file.set_repeated(db).to(repeated.into());
    }
    let mut by_name = file.set_by_name(db).to(Arc::default());
    let index = Arc::make_mut(&mut by_name);
    for (name, forms) in named {
        match forms.is_empty() {
            true => drop(index.remove(&name)),
            false => drop(index.insert(name, forms.into())),
        }
    }
    file.set_by_name(db).to(by_name);
    if renamed.is_empty() {
        return Vec::new();
    }
    let mut names = file.set_names(db).to(Arc::default());
    let index = Arc::make_mut(&mut names);
    for Renamed { name, is, .. } in &renamed {
        match is {
            Some(form) => drop(index.insert(name.clone(), *form)),
            None => drop(index.remove(name)),
        }
    }
    file.set_names(db).to(names);
    set_defined(db, file, &renamed)
}

/// The first definition of a name, before an edit and after it.
struct Renamed {
    name: Name,
    was: Option<Form>,
    is: Option<Form>,
}

/// Updates the hashes of a file's names, and the forms that mention a name which was added or removed. Returns these.
fn set_defined(db: &mut RootDatabase, file: SourceFile, renamed: &[Renamed]) -> Vec<Form> {
    let old = file.defined(db).clone();
    let key = |(hash, form): &(u32, Form)| (*hash, form.slot(db));
    let defined: Vec<(u32, Form)> = if renamed.len() <= MANY {
        let mut defined = old.to_vec();
        for Renamed { name, was, is } in renamed {
            let hash = word(name);
            if let Some(at) = was.and_then(|form| defined.binary_search_by_key(&key(&(hash, form)), key).ok()) {
                defined.remove(at);
            }
            if let Some(form) = *is {
                let at = defined.partition_point(|other| key(other) < key(&(hash, form)));
                defined.insert(at, (hash, form));
            }
        }
        defined
    } else {
        let mut defined: Vec<(u32, Form)> = file.names(db).iter().map(|(name, form)| (word(name), *form)).collect();
        defined.sort_unstable_by_key(key);
        defined
    };
    let defined: Arc<[(u32, Form)]> = defined.into();
    file.set_defined(db).to(defined.clone());
    let is_in = |list: &[(u32, Form)], hash| list.binary_search_by_key(&hash, |(other, _)| *other).is_ok();
    let changed = renamed.iter().map(|renamed| word(&renamed.name));
    let changed: FxHashSet<u32> = changed.filter(|hash| is_in(&old, *hash) != is_in(&defined, *hash)).collect();
    let mentioning: FxHashSet<Form> = if changed.len() <= MANY {
        let with_word = file.with_word(db);
        changed.iter().filter_map(|hash| with_word.get(hash)).flatten().copied().collect()
    } else {
        file.members(db).iter().copied().collect()
    };
    let other = mentioning.into_iter().filter_map(|form| {
        let uses = uses(form.words(db), &defined);
        (*form.uses(db) != uses).then_some((form, uses))
    });
    let other: Vec<_> = other.collect();
    let forms = other.iter().map(|(form, _)| *form).collect();
    for (form, uses) in other {
        form.set_uses(db).to(uses);
    }
    forms
}

/// The forms in the order of the file, each once.
fn in_order(db: &RootDatabase, forms: impl Iterator<Item = Form>) -> Vec<Form> {
    let mut forms: Vec<Form> = forms.collect();
    forms.sort_unstable_by_key(|form| form.place(db));
    forms.dedup();
    forms
}
