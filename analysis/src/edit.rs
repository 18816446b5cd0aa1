//! What an edit of a text changes of the forms of its file.
//!
//! The text is split again where it differs ([`lift_syntax::resplit`]); the forms found there take the places of those
//! that stood there, by name, and only what differs is set. Names, order and numbers of the forms are gathered anew only
//! if one of them changed.

use crate::db::{FormEntity, RootDatabase, SourceFile};
use crate::hir::Name;
use lift_syntax::{FormKind, LineIndex, RawForm, SyntaxKind, TextSize, lex, resplit};
use rustc_hash::{FxHashMap, FxHasher};
use salsa::{Durability, Setter};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Words by their hashes, sorted: two words may have one hash, which only makes more of what is asked about them.
pub type Words = Arc<[u32]>;

/// The hash of a word.
pub fn word(text: &str) -> u32 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

/// How long a file lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// It ships with the program and never changes.
    Program,
    Session,
}

/// What an edit did.
#[derive(Debug)]
pub struct Change {
    pub file: SourceFile,
    /// The forms of which something but the place is new, as they were before.
    pub touched: Vec<Before>,
    /// Which forms there are, how they are named, or in which order they stand.
    pub structure: bool,
    /// A file came or went.
    pub files: bool,
}

/// What a form was.
#[derive(Debug)]
pub struct Before {
    pub form: FormEntity,
    pub name: Option<Name>,
    pub kind: FormKind,
    pub words: Words,
}

/// What a text says of one of its forms.
struct Wanted<'t> {
    name: Option<&'t str>,
    kind: FormKind,
    text: &'t str,
}

impl Wanted<'_> {
    fn of<'t>(text: &'t str, raw: &RawForm) -> Wanted<'t> {
        Wanted { name: raw.name.map(|range| &text[range]), kind: raw.kind, text: &text[raw.range] }
    }

    /// All words but the name at the place where the form defines it.
    fn words(&self) -> Words {
        let tokens = lex(self.text);
        let mut own = self.name;
        let mut words: Vec<u32> = Vec::new();
        for token in 0..tokens.len() {
            let kind = tokens.kind(token);
            // Numbers name nothing, and are what is edited most.
            let number = matches!(kind, SyntaxKind::INT | SyntaxKind::LONG | SyntaxKind::FLOAT | SyntaxKind::DOUBLE);
            if number || kind.is_trivia() || kind.is_opener() || kind.is_closer() {
                continue;
            }
            let text = &self.text[tokens.range(token)];
            if own == Some(text) {
                own = None;
                continue;
            }
            words.push(word(text));
        }
        words.sort_unstable();
        words.dedup();
        words.into()
    }
}

/// A file that did not exist. It is not among the files yet.
pub fn new_file(db: &mut RootDatabase, path: Arc<str>, text: Arc<str>, lifetime: Lifetime) -> Change {
    let durability = if lifetime == Lifetime::Program { Durability::HIGH } else { Durability::MEDIUM };
    let moving = if lifetime == Lifetime::Program { Durability::HIGH } else { Durability::LOW };
    let none = || Arc::from([]);
    let lines = Arc::new(LineIndex::new(""));
    let file = SourceFile::builder(
        path,
        "".into(),
        lines,
        Arc::from([]),
        none(),
        Arc::from([]),
        none(),
        Arc::default(),
        none(),
        none(),
    )
    .durability(durability)
    .text_durability(moving)
    .lines_durability(moving)
    .split_durability(moving)
    .new(db);
    set_forms(db, file, text, durability, moving)
}

/// Sets the text of a file, and of its forms what that changes.
pub fn set_text(db: &mut RootDatabase, file: SourceFile, text: Arc<str>) -> Change {
    set_forms(db, file, text, Durability::MEDIUM, Durability::LOW)
}

fn set_forms(
    db: &mut RootDatabase,
    file: SourceFile,
    text: Arc<str>,
    durability: Durability,
    moving: Durability,
) -> Change {
    let (old_text, old_split, old) = (file.text(db).clone(), file.split(db).clone(), file.members(db).clone());
    let edit = resplit(&old_text, &old_split, &text);
    let wanted: Vec<Wanted<'_>> = edit.between.iter().map(|raw| Wanted::of(&text, raw)).collect();
    let (taken, left) = take_places(db, &old[edit.first..edit.behind], &wanted);
    // Some are left only if every place is taken.
    let mut spare: Vec<FormEntity> = file.spare(db).to_vec();
    let mut change = Change { file, touched: Vec::new(), structure: false, files: false };
    let mut between = Vec::with_capacity(wanted.len());
    let mut slots = file.places(db).len() as u32;
    for (wanted, form) in wanted.iter().zip(taken) {
        between.push(match form.or_else(|| spare.pop()) {
            Some(form) => {
                update(db, form, wanted, &mut change);
                form
            }
            None => {
                let name = wanted.name.map(Name::from);
                let words = wanted.words();
                let form = FormEntity::builder(file, slots, name, 0, wanted.kind, words, wanted.text.into())
                    .durability(durability)
                    .text_durability(moving)
                    .new(db);
                slots += 1;
                change.touched.push(Before { form, name: None, kind: FormKind::Stray, words: Arc::from([]) });
                change.structure = true;
                form
            }
        });
    }
    for form in left {
        spare.push(form);
        update(db, form, &Wanted { name: None, kind: FormKind::Stray, text: "" }, &mut change);
    }
    let forms_now = edit.forms(&old_split);
    if old[edit.first..edit.behind] != *between {
        change.structure = true;
        let members: Vec<FormEntity> =
            old[..edit.first].iter().chain(&between).chain(&old[edit.behind..]).copied().collect();
        file.set_members(db).to(members.into());
        file.set_spare(db).to(spare.into());
    }
    let inserted = (usize::from(edit.replaced.len()) as isize + edit.moved) as u32;
    let lines = file.lines(db).edited(edit.replaced, TextSize::new(inserted), &text);
    file.set_lines(db).to(Arc::new(lines));
    file.set_text(db).to(text);
    file.set_split(db).to(forms_now.into());
    if change.structure {
        set_structure(db, file, slots);
    }
    change
}

/// For each form that is wanted, the old form of its name, in order; for those without one, an old form whose name
/// nobody wants. Then the old forms that are left.
fn take_places(
    db: &RootDatabase,
    old: &[FormEntity],
    wanted: &[Wanted<'_>],
) -> (Vec<Option<FormEntity>>, Vec<FormEntity>) {
    let mut by_name: FxHashMap<Option<&str>, VecDeque<usize>> = FxHashMap::default();
    for (index, form) in old.iter().enumerate() {
        by_name.entry(form.name(db).as_deref()).or_default().push_back(index);
    }
    let mut free = vec![true; old.len()];
    let mut taken: Vec<Option<FormEntity>> = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        let index = by_name.get_mut(&wanted.name).and_then(VecDeque::pop_front);
        if let Some(index) = index {
            free[index] = false;
        }
        taken.push(index.map(|index| old[index]));
    }
    let mut left = old.iter().zip(free).filter(|(_, free)| *free).map(|(form, _)| *form);
    for place in taken.iter_mut().filter(|place| place.is_none()) {
        *place = left.next();
    }
    let left = left.collect();
    (taken, left)
}

/// Makes a form what is wanted.
fn update(db: &mut RootDatabase, form: FormEntity, wanted: &Wanted<'_>, change: &mut Change) {
    let renamed = form.name(db).as_deref() != wanted.name;
    let another = form.kind(db) != wanted.kind;
    if !renamed && !another && **form.text(db) == *wanted.text {
        return;
    }
    let words = wanted.words();
    change.touched.push(Before {
        form,
        name: form.name(db).clone(),
        kind: form.kind(db),
        words: form.words(db).clone(),
    });
    change.structure |= renamed || another;
    if *form.words(db) != words {
        form.set_words(db).to(words);
    }
    if renamed {
        form.set_name(db).to(wanted.name.map(Name::from));
    }
    if another {
        form.set_kind(db).to(wanted.kind);
    }
    form.set_text(db).to(wanted.text.into());
}

/// What is known of a file from which forms it has, and how they are named.
fn set_structure(db: &mut RootDatabase, file: SourceFile, slots: u32) {
    let members = file.members(db).clone();
    let mut places = vec![u32::MAX; slots as usize];
    let mut seen: FxHashMap<Option<Name>, u32> = FxHashMap::default();
    let mut names: FxHashMap<Name, FormEntity> = FxHashMap::default();
    let (mut imports, mut repeated, mut renumbered) = (Vec::new(), Vec::new(), Vec::new());
    let mut unnamed_kernels = 0;
    for (place, &form) in members.iter().enumerate() {
        places[form.slot(db) as usize] = place as u32;
        let name = form.name(db);
        let count = seen.entry(name.clone()).or_default();
        if form.nth(db) != *count {
            renumbered.push((form, *count));
        }
        let nth = *count;
        *count += 1;
        match (form.kind(db), name) {
            (FormKind::Import, _) => imports.push(form),
            (FormKind::Define | FormKind::Lift, Some(name)) => {
                names.entry(name.clone()).or_insert(form);
                if nth > 0 {
                    repeated.push(form);
                }
            }
            (FormKind::Lift, None) => {
                unnamed_kernels += 1;
                if unnamed_kernels == 2 {
                    repeated.push(form);
                }
            }
            _ => {}
        }
    }
    for (form, nth) in renumbered {
        form.set_nth(db).to(nth);
    }
    if **file.places(db) != *places {
        file.set_places(db).to(places.into());
    }
    if **file.import_forms(db) != *imports {
        file.set_import_forms(db).to(imports.into());
    }
    if **file.names(db) != names {
        file.set_names(db).to(Arc::new(names));
    }
    if **file.repeated(db) != *repeated {
        file.set_repeated(db).to(repeated.into());
    }
}
