//! Methods for tests, only in builds with debug assertions.

use super::super::outcome::Outcome;
use super::Server;
use serde_json::{Value, json};
use tower_lsp_server::LspServiceBuilder;
use tower_lsp_server::gen_lsp_types::*;
use tower_lsp_server::jsonrpc::Result;

/// Environment variable that enables the methods.
const TEST_METHODS: &str = "LIFT_TEST_METHODS";

pub fn added(service: LspServiceBuilder<Server>) -> LspServiceBuilder<Server> {
    if std::env::var_os(TEST_METHODS).is_none() {
        return service;
    }
    service
        .custom_method("lift/test/panic", Server::test_panic)
        .custom_method("lift/test/panicInWrite", Server::test_panic_in_write)
        .custom_method("lift/test/panicInHandler", Server::test_panic_in_handler)
        .custom_method("lift/test/text", Server::test_text)
        .custom_method("lift/test/busy", Server::test_busy)
        .custom_method("lift/test/notifyThenReply", Server::test_notify_then_reply)
}

impl Server {
    async fn test_panic(&self, _: Value) -> Result<Value> {
        self.read(|_| -> Outcome<Value> { panic!("asked for") }).await
    }
    async fn test_panic_in_write(&self, _: Value) -> Result<Value> {
        self.main.write(|_| panic!("asked for"));
        Ok(Value::Null)
    }
    async fn test_panic_in_handler(&self, _: Value) -> Result<Value> {
        panic!("asked for")
    }
    async fn test_text(&self, params: TextDocumentIdentifier) -> Result<Value> {
        self.read(move |snap| Ok(json!(&*snap.file(&params.uri)?.lines.text))).await
    }
    /// Works until it is cancelled.
    async fn test_busy(&self, params: TextDocumentIdentifier) -> Result<Value> {
        self.read(move |snap| {
            loop {
                snap.file(&params.uri)?;
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        })
        .await
    }
    async fn test_notify_then_reply(&self, _: Value) -> Result<Value> {
        self.client.log_message(MessageType::Info, "before the reply").await;
        Ok(Value::Null)
    }
}
