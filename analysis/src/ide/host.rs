//! The writable state of the editor features, and snapshots of it.

use super::digest::Digests;
use super::*;
use crate::bodies;
use crate::db::{Form, RootDatabase, SourceFile, forms_in, language};
use crate::edit::Invalidated;
use crate::front::print::to_lift;
use crate::front::program::Printed;
use crate::imports;
use crate::laws::Law;
use crate::origin::Origin;
use crate::parameters::Settings;
use crate::prims::Primitive;
use lift_syntax::{Language, LineIndex};
use salsa::Database;
use std::panic::{AssertUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// The single writable owner of the state.
#[derive(Default)]
pub struct AnalysisHost {
    db: RootDatabase,
    digests: Digests,
}

impl AnalysisHost {
    /// A host that counts the executions of its queries, for tests.
    pub fn counting() -> AnalysisHost {
        AnalysisHost { db: RootDatabase::counting(), ..AnalysisHost::default() }
    }

    /// Sets the text of a file, or adds the file. An equal text changes nothing.
    pub fn set_file(&mut self, path: &str, text: Arc<str>) {
        let invalidated = self.db.set_file(path, text);
        self.changed(invalidated);
    }

    /// Records why an imported file cannot be read.
    pub fn set_unreadable(&mut self, path: &str, why: &str) {
        if self.db.set_unreadable(path, why) {
            self.digests.edited(Invalidated { everything: true, ..Invalidated::default() });
        }
    }

    pub fn remove_file(&mut self, path: &str) {
        let invalidated = self.db.remove_file(path);
        self.changed(invalidated);
    }

    /// Records an edit in the file index. The database is already changed, so no older snapshot is alive to mistake the
    /// edit for one that it contains.
    fn changed(&mut self, invalidated: Option<Invalidated>) {
        if let Some(invalidated) = invalidated {
            self.digests.edited(invalidated);
        }
    }

    /// Evicts the least recently used results. The next change would do so as well; this method does it while no
    /// request waits. Like a change, it waits for snapshots.
    pub fn rest(&mut self) {
        self.db.trigger_lru_eviction();
    }

    pub fn file_text(&self, path: &str) -> Option<Arc<str>> {
        self.db.file(path).map(|file| file.text(&self.db).clone())
    }

    pub fn line_index(&self, path: &str) -> Option<Arc<LineIndex>> {
        self.db.file(path).map(|file| file.lines(&self.db).clone())
    }

    /// A snapshot for one job. Drop it before the next change, which waits for it.
    pub fn snapshot(&self) -> Analysis {
        Analysis { db: self.db.clone(), digests: self.digests.clone() }
    }
}

/// A snapshot of the state; it stays on one thread.
pub struct Analysis {
    db: RootDatabase,
    digests: Digests,
}

impl Analysis {
    /// A token with which another thread can cancel this snapshot's computation.
    pub fn cancellation_token(&self) -> salsa::CancellationToken {
        self.db.cancellation_token()
    }

    pub fn db(&self) -> &RootDatabase {
        &self.db
    }

    /// Runs a feature and catches its cancellation. A panic by a bug still unwinds to the caller.
    fn with<T>(&self, f: impl FnOnce(&RootDatabase) -> T + UnwindSafe) -> Cancellable<T> {
        // References to the database may cross an unwind boundary: salsa supports it.
        let db = AssertUnwindSafe(&self.db);
        salsa::Cancelled::catch(move || {
            let db = db;
            // Features that only read inputs are cancelled here as well.
            db.unwind_if_revision_cancelled();
            f(&db)
        })
        .map_err(|cancelled| match cancelled {
            salsa::Cancelled::Local => Stopped::ByRequest,
            // This includes waiting for a result that another thread abandoned.
            _ => Stopped::ByEdit,
        })
    }

    fn with_file<T: Default>(&self, path: &str, f: impl FnOnce(&RootDatabase, SourceFile) -> T) -> Cancellable<T> {
        let f = AssertUnwindSafe(f);
        self.with(move |db| {
            let f = f;
            db.file(path).map(|file| f.0(db, file)).unwrap_or_default()
        })
    }

    /// [`Analysis::with_file`] for features of Lift files only.
    fn with_lift<T: Default>(&self, path: &str, f: impl FnOnce(&RootDatabase, SourceFile) -> T) -> Cancellable<T> {
        self.by_language(path, f, |_, _| T::default(), |_, _| T::default())
    }

    /// Runs the feature of the file's language.
    fn by_language<T: Default>(
        &self,
        path: &str,
        lift: impl FnOnce(&RootDatabase, SourceFile) -> T,
        apl: impl FnOnce(&RootDatabase, SourceFile) -> T,
        fcl: impl FnOnce(&RootDatabase, SourceFile) -> T,
    ) -> Cancellable<T> {
        self.with_file(path, |db, file| match language(db, file) {
            Language::Lift => lift(db, file),
            Language::Apl => apl(db, file),
            Language::Fcl => fcl(db, file),
        })
    }

    /// The printed values of a kernel in another language; `None` for a Lift file.
    pub fn printed(&self, path: &str, kernel: &str) -> Cancellable<Option<Printed>> {
        self.with_file(path, |db, file| {
            let program = bodies::program(db, needed::kernel_form(db, file, kernel)?)?;
            Some(Printed { language: language(db, file), outputs: program.outputs.clone() })
        })
    }

    /// A kernel in another language as one of Lift; `None` for a Lift file.
    pub fn as_lift(&self, path: &str, kernel: &str) -> Cancellable<Option<String>> {
        self.with_file(path, |db, file| {
            let program = bodies::program(db, needed::kernel_form(db, file, kernel)?)?;
            Some(to_lift(&program.body, "main"))
        })
    }

    pub fn text(&self, path: &str) -> Cancellable<Option<Arc<str>>> {
        self.with_file(path, |db, file| Some(file.text(db).clone()))
    }

    pub fn line_index(&self, path: &str) -> Cancellable<Option<Arc<LineIndex>>> {
        self.with_file(path, |db, file| Some(file.lines(db).clone()))
    }

    /// The paths of all files except built-in ones, sorted.
    pub fn files(&self) -> Cancellable<Vec<Arc<str>>> {
        self.with(|db| {
            let files = crate::db::Files::get(db).by_path(db).values();
            let own = files.filter(|file| !crate::db::is_builtin(db, **file));
            let mut paths: Vec<Arc<str>> = own.map(|file| file.path(db).clone()).collect();
            paths.sort();
            paths
        })
    }

    /// The normalised paths of a file's imports, whether they exist or not.
    pub fn imports(&self, path: &str) -> Cancellable<Vec<Arc<str>>> {
        self.with_file(path, |db, file| {
            imports::imports(db, file).iter().filter_map(|import| import.target.clone().ok()).collect()
        })
    }

    pub fn diagnostics(&self, path: &str) -> Cancellable<Vec<FileDiagnostic>> {
        self.with_file(path, |db, file| self.digests.diagnostics(db, file))
    }

    /// The errors in what a kernel uses, each with its file's path; `None` if the kernel does not exist.
    pub fn errors_of_kernel(&self, path: &str, kernel: &str) -> Cancellable<Option<PlacedErrors>> {
        self.with_file(path, |db, file| {
            needed::kernel_form(db, file, kernel).map(|form| needed::errors_of_kernel(db, form))
        })
    }

    /// The diagnostics of the forms that touch a range.
    pub fn diagnostics_near(&self, path: &str, range: TextRange) -> Cancellable<Vec<FileDiagnostic>> {
        self.with_file(path, |db, file| diagnostics::diagnostics_near(db, file, range))
    }

    /// The diagnostics of a file without insertions.
    pub fn explicit_diagnostics(&self, path: &str) -> Cancellable<Vec<FileDiagnostic>> {
        self.with_lift(path, |db, file| diagnostics::explicit_file_diagnostics(db, file))
    }

    /// The hover of an expression. An empty range is a cursor; any other range selects the innermost expression around
    /// it.
    pub fn hover(&self, path: &str, range: TextRange) -> Cancellable<Option<Hover>> {
        self.by_language(
            path,
            |db, file| hover::hover(db, file, range),
            |db, file| apl::hover(db, file, range),
            |db, file| fcl::hover(db, file, range),
        )
    }

    pub fn inlay_hints(&self, path: &str, range: TextRange) -> Cancellable<Vec<InlayHint>> {
        self.by_language(
            path,
            |db, file| hints::inlay_hints(db, file, range),
            |db, file| apl::hints(db, file, range),
            |db, file| fcl::hints(db, file, range),
        )
    }

    /// The edits that write a hint into the program; empty where that is impossible.
    pub fn hint_edits(&self, path: &str, offset: TextSize, kind: HintKind, label: &str) -> Cancellable<Vec<TextEdit>> {
        self.with_lift(path, |db, file| hints::hint_edits(db, file, offset, kind, label))
    }

    /// Hint text about the form at an offset, in which names of lengths link to their origins.
    pub fn linked(&self, path: &str, offset: TextSize, text: &str) -> Cancellable<Vec<HintPart>> {
        self.with_lift(path, |db, file| hints::linked(db, file, offset, text))
    }

    /// The primitive called by a part of a compiled program, and where its name occurs.
    pub fn called_at(&self, origin: &Origin) -> Cancellable<Option<(FileRange, &'static Primitive)>> {
        let path = origin.form.file.clone();
        self.with_lift(&path, |db, file| navigation::called_at(db, file, origin))
    }

    /// A range that follows its text through edits.
    pub fn anchor(&self, path: &str, part: TextRange) -> Cancellable<Option<Anchor>> {
        self.with_lift(path, |db, file| anchor::anchor(db, file, part))
    }

    /// The current range of the anchored text; `None` if that text changed.
    pub fn anchored(&self, anchor: &Anchor) -> Cancellable<Option<TextRange>> {
        self.with_lift(anchor.path(), |db, file| anchor::anchored(db, file, anchor))
    }

    pub fn goto_definition(&self, path: &str, offset: TextSize) -> Cancellable<Vec<NavTarget>> {
        self.by_language(
            path,
            |db, file| navigation::goto_definition(db, file, offset),
            |db, file| apl::definition(db, file, offset),
            |db, file| fcl::definition(db, file, offset),
        )
    }

    /// All uses of the name at an offset, its definition first.
    pub fn references(&self, path: &str, offset: TextSize) -> Cancellable<Vec<FileRange>> {
        self.by_language(
            path,
            |db, file| navigation::references(db, file, offset),
            |db, file| apl::references(db, file, offset),
            |db, file| fcl::references(db, file, offset),
        )
    }

    /// The completions at an offset.
    pub fn completions(&self, path: &str, offset: TextSize) -> Cancellable<completion::Completions> {
        self.by_language(
            path,
            |db, file| completion::completions(db, &|of| self.digests.definitions(db, of), file, offset),
            |db, file| apl::completion::completions(db, file, offset),
            |db, file| fcl::completion::completions(db, file, offset),
        )
    }

    /// The documentation of a completed name, as Markdown.
    pub fn completion_documentation(&self, path: &str, name: &str) -> Cancellable<Option<String>> {
        self.by_language(
            path,
            |db, file| completion::documentation(db, file, name),
            |_, _| apl::completion::documentation(name),
            |_, _| fcl::completion::documentation(name),
        )
    }

    pub fn signature_help(&self, path: &str, offset: TextSize) -> Cancellable<Option<signature_help::SignatureHelp>> {
        self.by_language(
            path,
            |db, file| signature_help::signature_help(db, file, offset),
            |db, file| apl::signature_help::signature_help(db, file, offset),
            |db, file| fcl::signature_help::signature_help(db, file, offset),
        )
    }

    /// The semantic tokens that touch a range.
    pub fn semantic_tokens(&self, path: &str, range: TextRange) -> Cancellable<Vec<semantic::SemanticToken>> {
        self.with_file(path, |db, file| semantic::semantic_tokens(db, file, range))
    }

    /// The semantic tokens of the whole file.
    pub fn all_semantic_tokens(&self, path: &str) -> Cancellable<Vec<semantic::SemanticToken>> {
        self.with_file(path, |db, file| self.digests.tokens(db, file))
    }

    pub fn folds(&self, path: &str) -> Cancellable<Vec<structure::Fold>> {
        let lift = |db: &_, file| self.digests.folds(db, file);
        self.by_language(path, lift, |db, file| apl::folds(db, file), |db, file| fcl::folds(db, file))
    }

    /// The nested ranges for expanding a selection, smallest first.
    pub fn selection_ranges(&self, path: &str, offset: TextSize) -> Cancellable<Vec<TextRange>> {
        self.with_lift(path, |db, file| structure::selection_ranges(db, file, offset))
    }

    /// The uses in the same file of the name at an offset.
    pub fn highlights(&self, path: &str, offset: TextSize) -> Cancellable<Vec<Highlight>> {
        self.by_language(
            path,
            |db, file| navigation::highlights(db, file, offset),
            |db, file| apl::highlights(db, file, offset),
            |db, file| fcl::highlights(db, file, offset),
        )
    }

    /// The ranges of imports, with the paths of the imported files.
    pub fn links(&self, path: &str) -> Cancellable<Vec<(TextRange, Arc<str>)>> {
        self.with_lift(path, |db, file| structure::links(db, file))
    }

    /// The edits that keep every import after files and folders are moved.
    pub fn moved(&self, moves: &[Move]) -> Cancellable<SourceChange> {
        self.with(|db| importing::moved(db, moves))
    }

    pub fn type_definition(&self, path: &str, offset: TextSize) -> Cancellable<Vec<NavTarget>> {
        self.with_lift(path, |db, file| call_hierarchy::type_definition(db, file, offset))
    }

    /// Definitions and kernels of all files that match a query, with their files.
    pub fn workspace_symbols(&self, query: &str) -> Cancellable<Vec<(Arc<str>, Symbol)>> {
        self.with(|db| outline::workspace_symbols(db, query))
    }

    /// The definition at an offset, for the call hierarchy.
    pub fn call_item(&self, path: &str, offset: TextSize) -> Cancellable<Option<call_hierarchy::CallItem>> {
        self.with_lift(path, |db, file| call_hierarchy::prepare(db, file, offset))
    }

    /// The users of the definition whose name is at an offset.
    pub fn incoming_calls(&self, path: &str, name: TextSize) -> Cancellable<Vec<call_hierarchy::Call>> {
        self.with_lift(path, |db, file| call_hierarchy::incoming(db, file, name))
    }

    /// The definitions used by the definition whose name is at an offset.
    pub fn outgoing_calls(&self, path: &str, name: TextSize) -> Cancellable<Vec<call_hierarchy::Call>> {
        self.with_lift(path, |db, file| call_hierarchy::outgoing(db, file, name))
    }

    /// The name at an offset and its range if it can be renamed; otherwise the reason why not.
    pub fn prepare_rename(&self, path: &str, offset: TextSize) -> Cancellable<Result<(TextRange, String), String>> {
        let renamed = self.by_language(
            path,
            |db, file| Some(rename::prepare(db, file, offset)),
            |db, file| Some(apl::rename::prepare_rename(db, file, offset)),
            |db, file| Some(fcl::rename::prepare_rename(db, file, offset)),
        )?;
        Ok(renamed.unwrap_or_else(|| Err(format!("there is no file {path}"))))
    }

    pub fn rename(&self, path: &str, offset: TextSize, new: &str) -> Cancellable<Result<SourceChange, String>> {
        let renamed = self.by_language(
            path,
            |db, file| Some(rename::rename(db, file, offset, new)),
            |db, file| Some(apl::rename::rename(db, file, offset, new)),
            |db, file| Some(fcl::rename::rename(db, file, offset, new)),
        )?;
        Ok(renamed.unwrap_or_else(|| Err(format!("there is no file {path}"))))
    }

    /// The code actions at a range, and those for the whole file.
    pub fn code_actions(&self, path: &str, range: TextRange) -> Cancellable<Vec<CodeAction>> {
        let mut actions = self.code_actions_at(path, range)?;
        actions.extend(self.explicit_file_action(path)?);
        Ok(actions)
    }

    /// The code actions at a range.
    pub fn code_actions_at(&self, path: &str, range: TextRange) -> Cancellable<Vec<CodeAction>> {
        self.by_language(
            path,
            |db, file| actions::code_actions(db, file, range),
            |_, _| Vec::new(),
            |db, file| fcl::actions::code_actions(db, file, range),
        )
    }

    /// The rewrites of a file by one law, wherever it applies.
    pub fn rewrites_by(&self, path: &str, law: &Law) -> Cancellable<Vec<CodeAction>> {
        let law = AssertUnwindSafe(law);
        self.with_lift(path, |db, file| actions::rewrites_by(db, file, &law))
    }

    /// The rewrites of a kernel, and of the definitions in its file that it uses, by laws without conditions for the
    /// programmer to check, each with its law's name. Their order is the same for equal programs.
    pub fn rewrites_of_kernel(&self, path: &str, kernel: &str) -> Cancellable<Vec<(Arc<str>, SourceChange)>> {
        self.with_lift(path, |db, file| {
            let forms = needed::kernel_form(db, file, kernel).map(|form| needed::own_forms(db, form));
            actions::certain_rewrites(db, file, &forms.unwrap_or_default())
        })
    }

    /// The ranges of the forms of its file that a kernel needs, in order: imports, and the definitions that it uses.
    pub fn ranges_of_kernel(&self, path: &str, kernel: &str) -> Cancellable<Vec<TextRange>> {
        self.with_file(path, |db, file| {
            let own = needed::kernel_form(db, file, kernel).map(|form| needed::own_forms(db, form));
            let mut forms: Vec<Form> = file.import_forms(db).iter().copied().chain(own.into_iter().flatten()).collect();
            forms.sort_unstable_by_key(|form| form.start(db));
            forms.iter().map(|form| TextRange::at(form.start(db), TextSize::of(&**form.text(db)))).collect()
        })
    }

    /// The first kernel of a file that uses the definition around an offset.
    pub fn kernel_using(&self, path: &str, at: TextSize) -> Cancellable<Option<KernelInfo>> {
        self.with_lift(path, |db, file| {
            let near = forms_in(db, file, TextRange::empty(at)).first()?;
            outline::kernel_of(db, needed::first_kernel_using(db, *near)?)
        })
    }

    /// The change after which the kernel at an offset has these settings, written as a `with`; `None` if it has them.
    pub fn write_settings(&self, path: &str, at: TextSize, settings: &Settings) -> Cancellable<Option<SourceChange>> {
        self.with_lift(path, |db, file| actions::write_settings(db, file, at, settings))
    }

    /// The change that adds a copy of the kernel at an offset, with these settings, another name and documentation.
    pub fn copy_with_settings(
        &self,
        path: &str,
        at: TextSize,
        settings: &Settings,
        name: &str,
        docs: &str,
    ) -> Cancellable<Option<SourceChange>> {
        self.with_lift(path, |db, file| actions::copy_with_settings(db, file, at, settings, name, docs))
    }

    /// The code action that writes out all insertions of a file, if there are any. Its cost follows the amount of text
    /// written.
    pub fn explicit_file_action(&self, path: &str) -> Cancellable<Option<CodeAction>> {
        self.with_lift(path, |db, file| actions::explicit_in_file(db, file, &self.digests.inserted(db, file)))
    }

    /// Whether a file has insertions.
    pub fn has_insertions(&self, path: &str) -> Cancellable<bool> {
        self.with_lift(path, |db, file| self.digests.has_insertions(db, file))
    }

    pub fn format(&self, path: &str) -> Cancellable<Vec<TextEdit>> {
        self.by_language(
            path,
            |db, file| actions::format(db, file),
            |db, file| apl::format::format(db, file, None),
            |db, file| fcl::format::format(db, file, None),
        )
    }

    /// The edits that format the forms touching a range.
    pub fn format_range(&self, path: &str, range: TextRange) -> Cancellable<Vec<TextEdit>> {
        self.by_language(
            path,
            |db, file| actions::format_range(db, file, range),
            |db, file| apl::format::format(db, file, Some(range)),
            |db, file| fcl::format::format(db, file, Some(range)),
        )
    }

    /// The edits that follow the character typed before an offset; it is one of [`typing::TRIGGERS`].
    pub fn on_type(&self, path: &str, offset: TextSize, typed: &str) -> Cancellable<Vec<TextEdit>> {
        self.with_lift(path, |db, file| typing::on_type(db, file, offset, typed))
    }

    /// The ranges of a local name, to be edited together.
    pub fn linked_ranges(&self, path: &str, offset: TextSize) -> Cancellable<Vec<TextRange>> {
        self.with_lift(path, |db, file| typing::linked_ranges(db, file, offset))
    }

    pub fn symbols(&self, path: &str) -> Cancellable<Vec<Symbol>> {
        let symbols = |db: &_, file| self.digests.symbols(db, file).into_iter().map(|(_, symbol)| symbol).collect();
        self.by_language(path, symbols, |db, file| apl::symbols(db, file), |db, file| fcl::symbols(db, file))
    }

    /// The definitions and kernels of a file with their documentation, in order.
    pub fn documented(&self, path: &str) -> Cancellable<Vec<Documented>> {
        self.with_lift(path, |db, file| documented::documented(db, self.digests.symbols(db, file)))
    }

    /// The file that defines the meaning of a name in a file, and the name there.
    pub fn definition_of(&self, path: &str, name: &str) -> Cancellable<Option<(Arc<str>, String)>> {
        self.with_lift(path, |db, file| documented::definition_of(db, file, name))
    }

    /// The names of the kernels, with their ranges.
    pub fn kernel_names(&self, path: &str) -> Cancellable<Vec<KernelName>> {
        self.with_file(path, |db, file| {
            let symbols = self.digests.symbols(db, file).into_iter();
            let kernels = symbols.filter(|(_, symbol)| symbol.kind == SymbolKind::Kernel);
            kernels.map(|(form, symbol)| outline::kernel_name(db, form, symbol)).collect()
        })
    }

    pub fn kernels(&self, path: &str) -> Cancellable<Vec<KernelInfo>> {
        self.with_file(path, |db, file| outline::kernels(db, self.digests.symbols(db, file)))
    }

    /// The kernels that touch a range.
    pub fn kernels_in(&self, path: &str, range: TextRange) -> Cancellable<Vec<KernelInfo>> {
        self.with_file(path, |db, file| outline::kernels_in(db, file, range))
    }

    /// The kernels that touch a range, then the nearest others, at most `most`.
    pub fn kernels_near(&self, path: &str, range: TextRange, most: usize) -> Cancellable<Vec<KernelInfo>> {
        self.with_file(path, |db, file| outline::kernels_near(db, file, range, most))
    }

    pub fn types(&self, path: &str) -> Cancellable<Vec<FormType>> {
        self.with_file(path, |db, file| {
            let kernels = outline::types(db, self.digests.symbols(db, file));
            match language(db, file) {
                Language::Lift => kernels,
                Language::Apl => apl::types(db, file).into_iter().chain(kernels).collect(),
                Language::Fcl => fcl::types(db, file),
            }
        })
    }

    /// The whole file with every inserted `pack` and `unpack` written out.
    pub fn elaborated(&self, path: &str) -> Cancellable<Option<String>> {
        self.with_lift(path, |db, file| Some(explicit::elaborated(db, file)))
    }

    /// Where the hidden lengths that a checked cast compares come from.
    pub fn compared_lengths(&self, origin: &Origin) -> Cancellable<Vec<RelatedPlace>> {
        let path = origin.form.file.clone();
        self.with_file(&path, |db, file| navigation::compared_lengths(db, file, origin))
    }

    /// The fix of a call whose pieces or windows leave a remainder: the call of the function that leaves it out.
    pub fn without_remainder(&self, origin: &Origin) -> Cancellable<Option<CodeFix>> {
        let path = origin.form.file.clone();
        self.with_lift(&path, |db, file| diagnostics::remainder::without_remainder(db, file, origin))
    }

    /// The source range of a part of a compiled program.
    pub fn resolve_origin(&self, origin: &Origin) -> Cancellable<Option<FileRange>> {
        let path = origin.form.file.clone();
        self.with_file(&path, |db, file| navigation::resolve_origin(db, file, origin))
    }
}
