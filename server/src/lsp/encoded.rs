//! Answers about a whole file, encoded by the thread that computes them.
//!
//! The library makes a tree of JSON values of each answer before it writes the text: nine tenths of the time of the
//! outline of a long file. Such a handler encodes its answer itself and leaves the text in its task, where
//! [`with_text`] takes it.

use serde::Serialize;
use std::cell::RefCell;
use tower_lsp_server::jsonrpc::Response;

tokio::task_local! {
    static LEFT: RefCell<Option<String>>;
}

/// The JSON of an answer, `null` if it has none.
pub fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_else(|_| "null".to_owned())
}

/// Leaves the text of the answer in the task of the handler, whose result is replaced by it.
///
/// # Panics
///
/// Panics outside of [`with_text`].
pub fn leave(text: String) {
    LEFT.with(|left| left.replace(Some(text)));
}

/// Runs a handler; also returns the text that it left.
pub async fn with_text<T>(handler: impl Future<Output = T>) -> (T, Option<String>) {
    let both = async {
        let result = handler.await;
        (result, LEFT.with(RefCell::take))
    };
    LEFT.scope(RefCell::default(), both).await
}

/// The body of a response whose result is this JSON text.
pub fn body(reply: &Response, text: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","result":{text},"id":{}}}"#, json(reply.id())).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tower_lsp_server::jsonrpc::Id;

    #[test]
    fn the_message_is_that_of_the_library() {
        let answer = json!([{ "name": "\"scale\"", "line": 3 }, null]);
        for id in [Id::Number(7), Id::String("\"a\"".to_owned())] {
            let reply = Response::from_ok(id, answer.clone());
            let ours: Value = serde_json::from_slice(&body(&reply, &super::json(&answer))).expect("JSON");
            assert_eq!(ours, serde_json::to_value(&reply).expect("JSON"));
        }
    }

    #[test]
    fn each_task_has_its_own_text() {
        let rt = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let leaves = |text: Option<&'static str>| async move {
            tokio::task::yield_now().await;
            if let Some(text) = text {
                leave(text.to_owned());
            }
        };
        let all = async { tokio::join!(with_text(leaves(Some("1"))), with_text(leaves(None))) };
        let ((_, first), (_, second)) = rt.block_on(all);
        assert_eq!((first.as_deref(), second), (Some("1"), None));
    }
}
