//! The methods of the protocol. Each only queues its work in the main loop, before its first await.
//!
//! | module | job |
//! |---|---|
//! | `show` | texts shown to editors that ignore the results of commands |
//! | `commands` | generate, run, test, tune |
//! | `test_methods` | methods for tests, only in builds with debug assertions |

mod commands;
mod show;
#[cfg(debug_assertions)]
mod test_methods;

use self::show::Folder;
use super::capabilities::server_capabilities;
use super::costs;
use super::documents::{SCHEME, file_path};
use super::encoded;
use super::features::{Features, Options};
use super::main_loop::Handle;
use super::main_loop::state::Outgoing;
use super::outcome::Outcome;
use super::progress::Cancels;
use super::requests::{self, GeneratedRangesParams, SourceRange, SourceRangeParams};
use super::snapshot::Snapshot;
use super::views;
use super::views::view::Address;
use lift_syntax::apl::glyphs::characters;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tower_lsp_server::gen_lsp_types::*;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::{Client, ClientSocket, LanguageServer, LspService};

pub struct Server {
    pub(super) client: Client,
    pub(super) main: Handle,
    pub(super) features: OnceLock<Arc<Features>>,
    pub(super) cancels: Cancels,
    pub(super) folder: Folder,
    tokens: requests::TokenCache,
}

/// Makes the service for a main loop; `outgoing` are the main loop's messages for the client.
pub fn service(main: Handle, outgoing: mpsc::UnboundedReceiver<Outgoing>) -> (LspService<Server>, ClientSocket) {
    let make = |client: Client| {
        tokio::spawn(tell(client.clone(), main.clone(), outgoing));
        Server {
            client,
            main,
            features: OnceLock::new(),
            cancels: Cancels::default(),
            folder: Folder::default(),
            tokens: requests::TokenCache::default(),
        }
    };
    let service = LspService::build(make)
        .custom_method("lift/virtualText", Server::virtual_text)
        .custom_method("lift/sourceRange", Server::source_range)
        .custom_method("lift/generatedRanges", Server::generated_ranges)
        .custom_method("lift/hoverRange", Server::hover_range)
        .custom_method("lift/characters", Server::characters)
        .custom_method("window/workDoneProgress/cancel", Server::progress_cancelled)
        .custom_method("$/setTrace", Server::set_trace);
    #[cfg(debug_assertions)]
    let service = test_methods::added(service);
    service.finish()
}

/// `lift/virtualTextChanged`: the client may request the text again with `lift/virtualText`.
#[derive(Debug)]
enum VirtualTextChanged {}
impl Notification for VirtualTextChanged {
    type Params = TextDocumentContentParams;
    const METHOD: LspNotificationMethod<'static> = LspNotificationMethod::new("lift/virtualTextChanged");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ServerToClient;
}

/// Maximal number of retries after edits before the request for a text fails.
const RETRIES: u32 = 100;

/// Sends the main loop's messages to the client; a single task keeps their order.
async fn tell(client: Client, main: Handle, mut outgoing: mpsc::UnboundedReceiver<Outgoing>) {
    while let Some(message) = outgoing.recv().await {
        match message {
            Outgoing::Diagnostics(params) => client.send_notification::<PublishDiagnosticsNotification>(params).await,
            Outgoing::Log(kind, message) => client.log_message(kind, message).await,
            Outgoing::RefreshHints => {
                let (client, main) = (client.clone(), main.clone());
                tokio::spawn(async move {
                    let features = main.read(|snap| Ok(snap.features.clone())).await;
                    if features.is_ok_and(|f| f.refresh_hints && f.options.inlay_hints) {
                        let _ = client.inlay_hint_refresh().await;
                    }
                });
            }
            Outgoing::TextChanged(uri) => {
                let (client, main) = (client.clone(), main.clone());
                tokio::spawn(async move {
                    let features = main.read(|snap| Ok(snap.features.clone())).await;
                    if features.is_ok_and(|f| f.text_document_content) {
                        let _ = client.text_document_content_refresh(uri).await;
                    } else {
                        client.send_notification::<VirtualTextChanged>(TextDocumentContentParams { uri }).await;
                    }
                });
            }
            Outgoing::Refresh => {
                let (client, main) = (client.clone(), main.clone());
                // Do not wait for the client's answer here.
                tokio::spawn(async move {
                    let features = main.read(|snap| Ok(snap.features.clone())).await;
                    if let Ok(features) = features {
                        if features.refresh_hints {
                            let _ = client.inlay_hint_refresh().await;
                        }
                        if features.refresh_diagnostics && features.pull_diagnostics {
                            let _ = client.workspace_diagnostic_refresh().await;
                        }
                    }
                });
            }
        }
    }
}

impl Server {
    /// Runs a read on a snapshot, queued at the time of the call.
    pub(super) fn read<T, F>(&self, f: F) -> impl Future<Output = Result<T>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&Snapshot) -> Outcome<T> + Send + 'static,
    {
        self.main.read(f)
    }
    /// As [`Server::read`], for answers about a whole file.
    fn read_whole<T, F>(&self, f: F) -> impl Future<Output = Result<Option<T>>> + Send + use<T, F>
    where
        T: Serialize + 'static,
        F: FnOnce(&Snapshot) -> Outcome<T> + Send + 'static,
    {
        let text = self.read(|snap| Ok(encoded::json(&f(snap)?)));
        async move {
            encoded::leave(text.await?);
            Ok(None)
        }
    }
    pub(super) fn features(&self) -> Arc<Features> {
        self.features.get().cloned().unwrap_or_default()
    }

    async fn hover_range(&self, params: requests::HoverRangeParams) -> Result<Option<Hover>> {
        self.read(move |snap| requests::hover_range(snap, &params)).await
    }
    /// The characters of APL with their keys after the prefix key, and their names.
    async fn characters(&self, _: Value) -> Result<Value> {
        let found = characters().filter(|(character, key, _)| character != key);
        let found = found.map(|(character, key, names)| json!({"character": character, "key": key, "names": names}));
        Ok(json!({"characters": found.collect::<Vec<Value>>()}))
    }
    async fn virtual_text(&self, params: TextDocumentContentParams) -> Result<TextDocumentContentResult> {
        self.text_of(params.uri).await
    }
    async fn text_of(&self, uri: Uri) -> Result<TextDocumentContentResult> {
        if uri.scheme() != SCHEME {
            return self.read(move |snap| requests::virtual_text(snap, &uri)).await;
        }
        let address = Address::parse(&uri);
        let address = address.ok_or_else(|| Error::invalid_params(format!("{uri} names no kernel of a program")))?;
        let mut tries = 0;
        let prepared = loop {
            let address = address.clone();
            match self.read(move |snap| views::prepare(snap, &address)).await {
                // After a newer edit, prepare the newest text.
                Err(e) if e.code == ErrorCode::ContentModified && tries < RETRIES => tries += 1,
                prepared => break prepared?,
            }
        };
        let (address, view) = self.main.compute(move || views::make(prepared)).await?;
        let text = view.text();
        self.main.write(move |state| state.view_given(address, view));
        Ok(TextDocumentContentResult { text })
    }
    async fn source_range(&self, params: SourceRangeParams) -> Result<Option<SourceRange>> {
        self.read(move |snap| requests::source_range(snap, &params)).await
    }
    async fn generated_ranges(&self, params: GeneratedRangesParams) -> Result<Vec<Range>> {
        self.read(move |snap| requests::generated_ranges(snap, &params)).await
    }
    async fn progress_cancelled(&self, params: WorkDoneProgressCancelParams) {
        self.cancels.cancel(&params.token);
    }
    async fn set_trace(&self, _: SetTraceParams) {}
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let features = Arc::new(Features::of(&params));
        let _ = self.features.set(features.clone());
        let capabilities = server_capabilities(&features);
        let roots = workspace_roots(&params);
        self.main.write(move |state| {
            state.features = features;
            state.roots = Arc::new(roots);
        });
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        Ok(InitializeResult { capabilities, server_info: Some(ServerInfo { name: "lift".to_owned(), version }) })
    }

    async fn initialized(&self, _: InitializedParams) {
        if self.features().watch_files {
            let watch = Registration {
                id: "lift files".to_owned(),
                method: "workspace/didChangeWatchedFiles".to_owned(),
                register_options: Some(json!({ "watchers": [{ "globPattern": "**/*.lift" }] })),
            };
            let _ = self.client.register_capability(vec![watch]).await;
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.cancels.cancel_all();
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        self.main.write(move |state| state.open(params.text_document));
    }
    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.main.write(move |state| state.change(params));
    }
    async fn did_save(&self, _: DidSaveTextDocumentParams) {
        self.main.write(|state| state.save());
    }
    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.main.write(move |state| state.close(&params.text_document.uri));
    }
    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.main.write(move |state| state.watched(params.changes));
    }
    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.main.write(move |state| state.folders_changed(params.event));
    }
    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        // Clients without settings for us send `null` or other settings.
        if let Some(options) = params.settings.get("lift").filter(|options| options.is_object()) {
            let options = Options::from_json(Some(options));
            self.main.write(move |state| state.configure(options));
        }
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let asked = move |snap: &Snapshot| requests::hover(snap, &params.text_document_position_params);
        let (said, cost) = self.read(asked).await?;
        let (Some(said), Some(cost)) = (said.clone(), cost) else { return Ok(said) };
        let cost = self.main.compute(move || cost.answer()).await?;
        Ok(Some(match cost {
            Some(cost) => costs::append(said, &cost),
            None => said,
        }))
    }
    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let answer = move |snap: &Snapshot| requests::completion(snap, &params.text_document_position_params);
        Ok(Some(CompletionResponse::CompletionList(self.read(answer).await?)))
    }
    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        self.read(move |snap| requests::resolve_completion(snap, item)).await
    }
    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.read(move |snap| requests::inlay_hints(snap, &params).map(Some)).await
    }
    async fn inlay_hint_resolve(&self, hint: InlayHint) -> Result<InlayHint> {
        self.read(move |snap| requests::resolve_hint(snap, hint)).await
    }
    async fn goto_definition(&self, params: DefinitionParams) -> Result<Option<DefinitionResponse>> {
        self.read(move |snap| requests::definition(snap, &params.text_document_position_params)).await
    }
    async fn goto_type_definition(&self, params: TypeDefinitionParams) -> Result<Option<TypeDefinitionResponse>> {
        let answer = move |snap: &Snapshot| requests::type_definition(snap, &params.text_document_position_params);
        Ok(Some(Definition::LocationList(self.read(answer).await?).into()))
    }
    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        self.read(move |snap| requests::signature_help(snap, &params.text_document_position_params)).await
    }
    async fn semantic_tokens_full(&self, params: SemanticTokensParams) -> Result<Option<SemanticTokens>> {
        let cache = self.tokens.clone();
        self.read_whole(move |snap| requests::semantic_tokens(snap, &params.text_document.uri, &cache)).await
    }
    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensDeltaResponse>> {
        let cache = self.tokens.clone();
        self.read_whole(move |snap| requests::semantic_tokens_delta(snap, &params, &cache)).await
    }
    async fn semantic_tokens_range(&self, params: SemanticTokensRangeParams) -> Result<Option<SemanticTokens>> {
        self.read(move |snap| requests::semantic_tokens_range(snap, &params).map(Some)).await
    }
    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.read_whole(move |snap| requests::folding_ranges(snap, &params.text_document.uri)).await
    }
    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        self.read(move |snap| requests::selection_ranges(snap, &params).map(Some)).await
    }
    async fn document_highlight(&self, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
        let answer = move |snap: &Snapshot| requests::highlights(snap, &params.text_document_position_params);
        self.read(answer).await.map(Some)
    }
    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.read(move |snap| requests::links(snap, &params.text_document.uri).map(Some)).await
    }
    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        let found = self.read(move |snap| requests::workspace_symbols(snap, &params.query)).await?;
        Ok(Some(WorkspaceSymbolResponse::WorkspaceSymbolList(found)))
    }
    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        self.read(move |snap| requests::prepare_calls(snap, &params.text_document_position_params)).await
    }
    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.read(move |snap| requests::incoming_calls(snap, &params.item).map(Some)).await
    }
    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.read(move |snap| requests::outgoing_calls(snap, &params.item).map(Some)).await
    }
    async fn prepare_rename(&self, params: TextDocumentPositionParams) -> Result<Option<PrepareRenameResult>> {
        self.read(move |snap| requests::prepare_rename(snap, &params)).await
    }
    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        self.read(move |snap| requests::rename(snap, &params).map(Some)).await
    }
    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        let moving = self.read(move |snap| requests::will_rename(snap, &params)).await?;
        self.main.compute(move || moving.edit()).await.map(Some)
    }
    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.read(move |snap| requests::references(snap, &params).map(Some)).await
    }
    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        self.read_whole(move |snap| requests::symbols(snap, &params.text_document.uri)).await
    }
    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.read(move |snap| requests::format(snap, &params.text_document.uri).map(Some)).await
    }
    async fn range_formatting(&self, params: DocumentRangeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.read(move |snap| requests::format_range(snap, &params).map(Some)).await
    }
    async fn on_type_formatting(&self, params: DocumentOnTypeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        self.read(move |snap| requests::on_type(snap, &params).map(Some)).await
    }
    async fn linked_editing_range(&self, params: LinkedEditingRangeParams) -> Result<Option<LinkedEditingRanges>> {
        self.read(move |snap| requests::linked_ranges(snap, &params.text_document_position_params)).await
    }
    async fn code_action(&self, params: CodeActionParams) -> Result<Option<Vec<CodeActionResponse>>> {
        let (actions, rewritings) = self.read(move |snap| requests::code_actions(snap, &params)).await?;
        let Some(rewritings) = rewritings else { return Ok(Some(actions)) };
        self.main.compute(move || rewritings.with_effects(actions)).await.map(Some)
    }
    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        self.read(move |snap| requests::resolve_action(snap, action)).await
    }
    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.read_whole(move |snap| requests::code_lenses(snap, &params.text_document.uri)).await
    }
    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReport> {
        self.read(move |snap| requests::pull_diagnostics(snap, &params)).await
    }
    async fn workspace_diagnostic(&self, params: WorkspaceDiagnosticParams) -> Result<WorkspaceDiagnosticReport> {
        self.read(move |snap| requests::workspace_diagnostics(snap, &params)).await
    }
    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LspAny>> {
        commands::execute(self, params).await
    }
    async fn text_document_content(&self, params: TextDocumentContentParams) -> Result<TextDocumentContentResult> {
        self.text_of(params.uri).await
    }
}

#[allow(deprecated)] // Older clients send it.
fn workspace_roots(params: &InitializeParams) -> Vec<PathBuf> {
    match &params.workspace_folders_initialize_params.workspace_folders {
        Some(WorkspaceFolders::WorkspaceFolderList(folders)) => {
            folders.iter().filter_map(|f| file_path(&f.uri)).collect()
        }
        _ => params.root_uri.iter().filter_map(file_path).collect(),
    }
}

/// Lets commands fail with their own response.
impl From<super::outcome::Failure> for Error {
    fn from(failure: super::outcome::Failure) -> Error {
        failure.into_error()
    }
}
