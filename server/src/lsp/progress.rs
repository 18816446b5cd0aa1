//! Progress of long work: displayed to the user, ended in every case, cancellable by the user.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::Notify;
use tower_lsp_server::gen_lsp_types::ProgressToken;
use tower_lsp_server::{Client, OngoingProgress};

/// Cancellable work by progress token.
#[derive(Clone, Default)]
pub struct Cancels(Arc<Mutex<HashMap<ProgressToken, Arc<Notify>>>>);

impl Cancels {
    fn lock(&self) -> MutexGuard<'_, HashMap<ProgressToken, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
    pub fn cancel(&self, token: &ProgressToken) {
        if let Some(stop) = self.lock().get(token) {
            stop.notify_one();
        }
    }
    pub fn cancel_all(&self) {
        for stop in self.lock().values() {
            stop.notify_one();
        }
    }
}

/// The progress of one task. Dropping it ends its display.
pub struct Progress {
    ongoing: Option<Ongoing>,
    token: Option<ProgressToken>,
    stop: Arc<Notify>,
    cancels: Cancels,
}

type Ongoing = OngoingProgress<tower_lsp_server::Unbounded, tower_lsp_server::Cancellable>;

impl Progress {
    /// Begins progress with the client's token. Without one, creates a token if `may_create` and the client agrees.
    pub async fn begin(
        client: &Client,
        cancels: &Cancels,
        given: Option<ProgressToken>,
        may_create: bool,
        title: String,
    ) -> Progress {
        let token = match given {
            Some(token) => Some(token),
            None if may_create => {
                let token = ProgressToken::String(format!("lift/{}", client.next_request_id()));
                client.create_work_done_progress(token.clone()).await.is_ok().then_some(token)
            }
            None => None,
        };
        let stop = Arc::new(Notify::new());
        let ongoing = match &token {
            Some(token) => {
                cancels.lock().insert(token.clone(), stop.clone());
                Some(client.progress(token.clone(), title).with_cancel_button().begin().await)
            }
            None => None,
        };
        Progress { ongoing, token, stop, cancels: cancels.clone() }
    }
    /// Reports the current step.
    pub async fn report(&self, message: String) {
        if let Some(ongoing) = &self.ongoing {
            ongoing.report_with_message(message, None).await;
        }
    }
    /// Returns when the user cancels the work.
    pub async fn stopped(&self) {
        self.stop.notified().await;
    }
    pub async fn end(mut self) {
        if let Some(ongoing) = self.ongoing.take() {
            ongoing.finish().await;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(token) = &self.token {
            self.cancels.lock().remove(token);
        }
        // The request was cancelled, so no caller is left to end the display.
        if let (Some(ongoing), Ok(runtime)) = (self.ongoing.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(ongoing.finish());
        }
    }
}
