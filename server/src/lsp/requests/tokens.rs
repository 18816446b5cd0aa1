//! Semantic tokens: of a document, of a range, and changes since the last request.

use crate::lsp::convert;
use crate::lsp::outcome::Outcome;
use crate::lsp::snapshot::{File, Snapshot};
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use tower_lsp_server::gen_lsp_types::*;

/// The last answers by id, as bases of deltas. Few suffice, since each client keeps one per document.
#[derive(Clone, Default)]
pub struct TokenCache(Arc<Mutex<VecDeque<Answer>>>);

type Answer = (String, Arc<Vec<SemanticToken>>);

const MOST_ANSWERS: usize = 8;

impl TokenCache {
    fn keep(&self, answer: &SemanticTokens) {
        let Some(id) = answer.result_id.clone() else { return };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != id);
        kept.push_back((id, Arc::new(answer.data.clone())));
        if kept.len() > MOST_ANSWERS {
            kept.pop_front();
        }
    }
    fn get(&self, id: &str) -> Option<Arc<Vec<SemanticToken>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == id).map(|(_, data)| data.clone())
    }
}

/// Returns the tokens of a range; equal tokens have equal ids.
fn of_range(snap: &Snapshot, uri: &Uri, range: Option<Range>) -> Outcome<SemanticTokens> {
    let File { path, lines } = snap.file(uri)?;
    let tokens = match range {
        Some(range) => snap.analysis.semantic_tokens(&path, lines.text_range(range))?,
        None => snap.analysis.all_semantic_tokens(&path)?,
    };
    let data = convert::semantic_tokens(&lines, &tokens);
    let mut hasher = FxHasher::default();
    (uri.as_str(), &data).hash(&mut hasher);
    Ok(SemanticTokens { result_id: Some(format!("{:016x}", hasher.finish())), data })
}

pub fn semantic_tokens(snap: &Snapshot, uri: &Uri, cache: &TokenCache) -> Outcome<SemanticTokens> {
    let tokens = of_range(snap, uri, None)?;
    cache.keep(&tokens);
    Ok(tokens)
}

pub fn semantic_tokens_range(snap: &Snapshot, params: &SemanticTokensRangeParams) -> Outcome<SemanticTokens> {
    let tokens = of_range(snap, &params.text_document.uri, Some(params.range))?;
    Ok(SemanticTokens { result_id: None, ..tokens })
}

pub fn semantic_tokens_delta(
    snap: &Snapshot,
    params: &SemanticTokensDeltaParams,
    cache: &TokenCache,
) -> Outcome<SemanticTokensDeltaResponse> {
    let before = cache.get(&params.previous_result_id);
    let now = semantic_tokens(snap, &params.text_document.uri, cache)?;
    Ok(match before {
        Some(before) => SemanticTokensDeltaResponse::SemanticTokensDelta(SemanticTokensDelta {
            result_id: now.result_id,
            edits: convert::token_edits(&before, &now.data),
        }),
        None => SemanticTokensDeltaResponse::SemanticTokens(now),
    })
}
