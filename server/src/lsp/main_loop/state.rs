//! The state of a session: open documents, imported files, published diagnostics.

use super::{Handle, Pool};
use crate::files::ReadError;
use crate::lsp::compiled::Compiler;
use crate::lsp::compiled_hints::shown::Shown;
use crate::lsp::convert;
use crate::lsp::disk::Disk;
use crate::lsp::documents::{Document, Documents, file_path, path_of};
use crate::lsp::effects;
use crate::lsp::features::{Features, Options};
use crate::lsp::measured::measurement::{Measured, Measurements};
use crate::lsp::snapshot::Snapshot;
use crate::lsp::views;
use crate::lsp::views::view::{Address, View, Views};
use lift_analysis::ide::{AnalysisHost, Cancellable};
use lift_syntax::LineIndex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tower_lsp_server::gen_lsp_types::*;

/// If an edit arrives before the previous one's diagnostics are ready, diagnostics wait for a pause of this length.
const DEBOUNCE: Duration = Duration::from_millis(20);
/// Generated texts wait for a pause of this length in typing.
const VIEW_DEBOUNCE: Duration = Duration::from_millis(120);
/// After a pause of this length caches are evicted, so that the next edit need not: for a long file that was just
/// opened, this takes longer than an edit may.
const PAUSE: Duration = Duration::from_millis(150);

/// A message from the main loop to the client.
pub enum Outgoing {
    Diagnostics(PublishDiagnosticsParams),
    Log(MessageType, String),
    /// An imported file changed, so the client's answers are stale.
    Refresh,
    /// The hints of documents changed.
    RefreshHints,
    /// The text of a generated document changed.
    TextChanged(Uri),
}

pub struct State {
    host: AnalysisHost,
    documents: Arc<Documents>,
    pub features: Arc<Features>,
    /// The workspace folders.
    pub roots: Arc<Vec<PathBuf>>,
    disk: Disk,
    /// Whether texts changed since imports were last loaded.
    unsettled: bool,
    /// The direct and indirect imports of open documents.
    imported: FxHashSet<Arc<str>>,
    /// Documents that changed since diagnostics were last started.
    edited: FxHashSet<Arc<str>>,
    /// Number of documents whose diagnostics are being computed.
    diagnosing: usize,
    /// When diagnostics are due.
    due: Option<Instant>,
    published: FxHashMap<Arc<str>, (i32, Vec<Diagnostic>)>,
    openings: u64,
    /// The number of changes of the state.
    revision: u64,
    views: Arc<Views>,
    /// When the views are due to be made again.
    views_due: Option<Instant>,
    /// When the absence of requests counts as a pause.
    rest_due: Option<Instant>,
    /// Its reference count is the number of live snapshots plus one.
    alive: Arc<()>,
    measured: Arc<Measurements>,
    compiler: Compiler,
    compiled: Shown,
    effects: effects::Known,
    pub pool: Pool,
    back: Handle,
    outbox: mpsc::UnboundedSender<Outgoing>,
}

impl State {
    pub fn new(pool: Pool, back: Handle, outbox: mpsc::UnboundedSender<Outgoing>) -> State {
        State {
            host: AnalysisHost::default(),
            documents: Arc::default(),
            features: Arc::default(),
            roots: Arc::default(),
            disk: Disk::default(),
            unsettled: false,
            imported: FxHashSet::default(),
            edited: FxHashSet::default(),
            diagnosing: 0,
            due: None,
            published: FxHashMap::default(),
            openings: 0,
            revision: 0,
            views: Arc::default(),
            views_due: None,
            rest_due: None,
            alive: Arc::default(),
            measured: Arc::default(),
            compiler: Compiler::new({
                let back = back.clone();
                move || back.write(State::compiled)
            }),
            compiled: Shown::default(),
            effects: effects::Known::default(),
            pool,
            back,
            outbox,
        }
    }

    pub fn log(&self, kind: MessageType, message: impl Into<String>) {
        let _ = self.outbox.send(Outgoing::Log(kind, message.into()));
    }

    /// Returns a snapshot of the current state, with imports loaded.
    pub fn snapshot(&mut self) -> Snapshot {
        self.settle();
        self.rest_due = Some(Instant::now() + PAUSE);
        Snapshot {
            analysis: self.host.snapshot(),
            documents: self.documents.clone(),
            features: self.features.clone(),
            roots: self.roots.clone(),
            revision: self.revision,
            views: self.views.clone(),
            measured: self.measured.clone(),
            compiler: self.compiler.clone(),
            compiled: self.compiled.clone(),
            effects: self.effects.clone(),
            alive: self.alive.clone(),
        }
    }

    pub fn open(&mut self, item: TextDocumentItem) {
        let path = path_of(&item.uri);
        if is_ours(&path) {
            return;
        }
        self.openings += 1;
        let text: Arc<str> = item.text.into();
        let document = Document { uri: item.uri, version: item.version, text: text.clone(), generation: self.openings };
        Arc::make_mut(&mut self.documents).insert(path.clone(), document);
        self.disk.forget(&path);
        self.host.set_file(&path, text);
        self.changed();
    }

    pub fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.text_document_identifier.uri;
        let path = path_of(&uri);
        if is_ours(&path) {
            return;
        }
        let Some(old) = self.documents.get(&path) else {
            self.log(MessageType::Warning, format!("{uri} was changed without being open; the change is left out"));
            return;
        };
        let version = params.text_document.version;
        if version <= old.version {
            // Messages arrive in order, so the edits are right and only the version is wrong.
            let message = format!("{uri}: version {version} came after version {}", old.version);
            self.log(MessageType::Warning, message);
        }
        let index = self.host.line_index(&path).unwrap_or_else(|| Arc::new(LineIndex::new(&old.text)));
        let text = convert::apply_changes(&old.text, &index, params.content_changes, self.features.encoding);
        let text: Arc<str> = text.into();
        if let Some(document) = Arc::make_mut(&mut self.documents).get_mut(&path) {
            document.version = version;
            document.text = text.clone();
        }
        self.host.set_file(&path, text);
        self.edited.insert(path);
        self.changed();
    }

    pub fn save(&mut self) {
        let stale = self.disk.recheck();
        self.files_changed(stale);
    }

    pub fn close(&mut self, uri: &Uri) {
        let path = path_of(uri);
        if Arc::make_mut(&mut self.documents).remove(&path).is_none() {
            return;
        }
        // If another document imports the file, following the imports reloads it from disk.
        self.host.remove_file(&path);
        self.disk.forget(&path);
        if self.published.remove(&path).is_some_and(|(_, old)| !old.is_empty()) {
            self.publish(uri.clone(), None, Vec::new());
        }
        self.changed();
    }

    /// Handles changes of files on disk reported by the client.
    pub fn watched(&mut self, changes: Vec<FileEvent>) {
        let paths = changes.iter().map(|c| path_of(&c.uri)).filter(|p| self.disk.knows(p)).collect();
        self.files_changed(paths);
    }

    fn files_changed(&mut self, paths: Vec<Arc<str>>) {
        if paths.is_empty() {
            return;
        }
        for path in paths {
            self.disk.forget(&path);
            if !self.documents.contains_key(&path) {
                self.host.remove_file(&path);
            }
        }
        self.changed();
        let _ = self.outbox.send(Outgoing::Refresh);
    }

    pub fn folders_changed(&mut self, event: WorkspaceFoldersChangeEvent) {
        let gone: Vec<_> = event.removed.iter().filter_map(|f| file_path(&f.uri)).collect();
        let roots = Arc::make_mut(&mut self.roots);
        roots.retain(|r| !gone.contains(r));
        roots.extend(event.added.iter().filter_map(|f| file_path(&f.uri)));
        self.disk.forget_refused();
        self.changed();
    }

    fn changed(&mut self) {
        self.compiler.edited();
        self.unsettled = true;
        self.revision += 1;
        let now = Instant::now();
        // An edit before the previous one's diagnostics are ready. Messages that have already arrived are handled
        // before anything due.
        let storm = self.due.is_some() || self.diagnosing > 0;
        self.due = Some(if storm { now + DEBOUNCE } else { now });
        self.views_due = self.views.wanted().next().map(|_| now + VIEW_DEBOUNCE);
    }

    /// When [`State::act`] must be called.
    pub fn due(&self) -> Option<Instant> {
        [self.due, self.views_due, self.rest_due].into_iter().flatten().min()
    }

    /// Does the work that is due.
    pub fn act(&mut self) {
        let now = Instant::now();
        if self.due.is_some_and(|due| due <= now) {
            self.diagnose();
        }
        if self.views_due.is_some_and(|due| due <= now) {
            self.make_views();
        }
        if self.rest_due.is_some_and(|due| due <= now) {
            self.rest();
        }
    }

    /// Evicts caches if the server is idle; otherwise waits for the next pause.
    fn rest(&mut self) {
        let busy = self.due.is_some() || self.diagnosing > 0 || Arc::strong_count(&self.alive) > 1;
        self.rest_due = busy.then(|| Instant::now() + PAUSE);
        if !busy {
            self.host.rest();
        }
    }

    /// Remakes the views that the client is showing, in the pool.
    fn make_views(&mut self) {
        self.views_due = None;
        let wanted: Vec<Address> = self.views.wanted().cloned().collect();
        for address in wanted {
            let (snapshot, back) = (self.snapshot(), self.back.clone());
            self.pool.run(move || {
                let prepared = views::prepare(&snapshot, &address);
                drop(snapshot); // An edit waits for it, and compiling takes long.
                // If a newer edit cancels this, that edit has scheduled the views again.
                if let Ok(prepared) = prepared {
                    let (address, view) = views::make(prepared);
                    back.write(move |state| state.view_made(&address, view));
                }
            });
        }
    }

    fn view_made(&mut self, address: &Address, view: Arc<View>) {
        if Arc::make_mut(&mut self.views).made(address, view)
            && let Ok(uri) = address.to_string().parse()
        {
            let _ = self.outbox.send(Outgoing::TextChanged(uri));
        }
    }

    /// Handles a change of the client's settings.
    pub fn configure(&mut self, options: Options) {
        Arc::make_mut(&mut self.features).options = options;
        self.changed();
        let _ = self.outbox.send(Outgoing::RefreshHints);
    }

    /// Records a view that the client has received.
    pub fn view_given(&mut self, address: Address, view: Arc<View>) {
        Arc::make_mut(&mut self.views).given(address, view);
    }

    /// Asks the client to refresh its hints after background compilation.
    pub fn compiled(&mut self) {
        let _ = self.outbox.send(Outgoing::RefreshHints);
    }

    /// Records the result of a run.
    pub fn ran(&mut self, path: Arc<str>, kernel: String, measured: Option<Measured>) {
        let measurements = Arc::make_mut(&mut self.measured);
        match measured {
            Some(measured) => measurements.insert((path, kernel), Arc::new(measured)),
            None => measurements.remove(&(path, kernel)),
        };
        let _ = self.outbox.send(Outgoing::RefreshHints);
    }

    /// Loads the imports of open documents and removes files that are no longer imported.
    fn settle(&mut self) {
        if !std::mem::take(&mut self.unsettled) {
            return;
        }
        // Files with the folder that must contain their imports.
        let mut queue: Vec<(Arc<str>, Arc<PathBuf>)> = Vec::new();
        for (path, document) in &*self.documents {
            if let Some(root) = self.root_of(&document.uri) {
                queue.push((path.clone(), Arc::new(root)));
            }
        }
        self.imported.clear();
        let mut reached: FxHashSet<Arc<str>> = queue.iter().map(|(p, _)| p.clone()).collect();
        while let Some((path, root)) = queue.pop() {
            // Only this thread writes, so this read cannot be cancelled.
            let imports: Cancellable<Vec<Arc<str>>> = self.host.snapshot().imports(&path);
            for import in imports.unwrap_or_default() {
                self.imported.insert(import.clone());
                if !reached.insert(import.clone()) {
                    continue;
                }
                if !self.documents.contains_key(&import) && !self.disk.knows(&import) {
                    match self.disk.load(&root, &import) {
                        Ok(text) => self.host.set_file(&import, text),
                        Err(why) => {
                            self.log(MessageType::Warning, format!("{import} is not loaded: {why}"));
                            if !matches!(why, ReadError::Missing) {
                                self.host.set_unreadable(&import, &why.to_string());
                            }
                        }
                    }
                }
                queue.push((import, root.clone()));
            }
        }
        for path in self.disk.unreached(&reached) {
            self.host.remove_file(&path);
        }
    }

    /// Returns the folder from which a document may import: the innermost workspace folder around it, else its own.
    fn root_of(&self, uri: &Uri) -> Option<PathBuf> {
        let path = file_path(uri)?;
        let around = self.roots.iter().filter(|r| path.starts_with(r)).max_by_key(|r| r.components().count());
        around.cloned().or_else(|| path.parent().map(PathBuf::from))
    }

    /// Computes the diagnostics of every open document in the pool and publishes the changes.
    fn diagnose(&mut self) {
        self.due = None;
        self.settle();
        // The client's answers for documents that import these may be stale.
        if self.edited.drain().any(|path| self.imported.contains(&path)) {
            let _ = self.outbox.send(Outgoing::Refresh);
        }
        if self.features.pull_diagnostics {
            return;
        }
        let paths: Vec<Arc<str>> = self.documents.keys().cloned().collect();
        for path in paths {
            let (snapshot, back) = (self.snapshot(), self.back.clone());
            self.diagnosing += 1;
            let done = Done(Some(back));
            self.pool.run(move || {
                // If a newer edit cancels this, that edit has scheduled diagnostics again.
                let diagnostics = diagnostics(&snapshot, &path);
                let document = snapshot.documents.get(&path).map(|d| (d.generation, d.version));
                drop(snapshot); // An edit waits for it.
                // In one write: the client may respond with an edit, which must find `diagnosing` already decreased.
                done.with(move |state| {
                    if let (Ok(diagnostics), Some((generation, version))) = (diagnostics, document) {
                        state.diagnosed(&path, generation, version, diagnostics);
                    }
                });
            });
        }
    }

    fn diagnosed(&mut self, path: &Arc<str>, generation: u64, version: i32, diagnostics: Vec<Diagnostic>) {
        // Meanwhile the document may have changed, or been closed and reopened.
        let Some(document) = self.documents.get(path) else { return };
        if document.generation != generation || document.version != version {
            return;
        }
        let uri = document.uri.clone();
        let news = (version, diagnostics);
        if self.published.get(path) != Some(&news) {
            self.published.insert(path.clone(), news.clone());
            self.publish(uri, Some(version), news.1);
        }
    }

    fn publish(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let _ = self.outbox.send(Outgoing::Diagnostics(PublishDiagnosticsParams { uri, version, diagnostics }));
    }

    /// Recovers from a panic during a write: keeps the texts of the documents and rebuilds everything else.
    pub fn recover(&mut self, panic: &str) {
        self.log(MessageType::Error, format!("internal error, starting from the texts again: {panic}"));
        self.host = AnalysisHost::default();
        self.disk = Disk::default();
        for (path, document) in &*self.documents {
            self.host.set_file(path, document.text.clone());
        }
        self.changed();
    }
}

/// Reports on drop that a document's diagnostics are finished, even after cancellation or a panic.
struct Done(Option<Handle>);

impl Done {
    /// Reports the end together with the result.
    fn with(mut self, news: impl FnOnce(&mut State) + Send + 'static) {
        self.say(news);
    }

    fn say(&mut self, news: impl FnOnce(&mut State) + Send + 'static) {
        if let Some(back) = self.0.take() {
            back.write(move |state| {
                state.diagnosing = state.diagnosing.saturating_sub(1);
                news(state);
            });
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.say(|_| ());
    }
}

/// Whether the server provides the text: the prelude, pages about codes, generated texts.
fn is_ours(path: &str) -> bool {
    path.starts_with("lift:") || path.starts_with("lift-opencl:")
}

/// Maximal number of published diagnostics per file, because more are slow to show; one more gives the number of the
/// rest.
const MOST_DIAGNOSTICS: usize = 500;

/// Returns the diagnostics of a file in protocol terms; none for a file that is not loaded.
pub fn diagnostics(snap: &Snapshot, path: &str) -> Cancellable<Vec<Diagnostic>> {
    let Some(lines) = snap.lines(path)? else {
        return Ok(Vec::new());
    };
    let found = snap.analysis.diagnostics(path)?;
    let shown = found.iter().take(MOST_DIAGNOSTICS).map(|d| convert::diagnostic(snap, &lines, d));
    let mut shown: Vec<Diagnostic> = shown.collect::<Cancellable<_>>()?;
    if let Some(next) = found.get(MOST_DIAGNOSTICS) {
        let more = found.len() - MOST_DIAGNOSTICS;
        shown.push(convert::more_diagnostics(&lines, next.range, more));
    }
    Ok(shown)
}
