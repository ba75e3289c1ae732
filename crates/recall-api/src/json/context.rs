//! Context windows.

use crate::convert::context_type;
use crate::v1;
use serde::Serialize;

use crate::json::document::{Chunk, Document};
use crate::json::search::{Query, Stats};
use crate::json::{Warning, answer, warnings};

#[derive(Debug, Serialize)]
struct Window<'a> {
    query: Option<Query<'a>>,
    context: Option<Packed<'a>>,
    stats: Option<Stats<'a>>,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct Packed<'a> {
    text: &'a str,
    budget_tokens: u32,
    used_tokens: u32,
    chunks: Vec<Span<'a>>,
    tokenizer: &'a str,
}

#[derive(Debug, Serialize)]
struct Span<'a> {
    context_type: String,
    doc: Option<Document<'a>>,
    chunk: Option<Chunk<'a>>,
    citation: &'a str,
    score: f64,
    tokens: u32,
    truncated: bool,
}

/// The answer of `context`: the packed spans with their citations.
pub fn context(message: &v1::ContextResponse) -> impl Serialize {
    let v1::ContextResponse { query, context, stats, warnings: messages } = message;
    answer(Window {
        query: query.as_ref().map(Query::from),
        context: context.as_ref().map(Packed::from),
        stats: stats.as_ref().map(Stats::from),
        warnings: warnings(messages),
    })
}

impl<'a> From<&'a v1::PackedContext> for Packed<'a> {
    fn from(message: &'a v1::PackedContext) -> Self {
        let v1::PackedContext { text, budget_tokens, used_tokens, chunks, tokenizer } = message;
        Self {
            text,
            budget_tokens: *budget_tokens,
            used_tokens: *used_tokens,
            chunks: chunks.iter().map(Span::from).collect(),
            tokenizer,
        }
    }
}

impl<'a> From<&'a v1::PackedSpan> for Span<'a> {
    fn from(message: &'a v1::PackedSpan) -> Self {
        let v1::PackedSpan { context_type: _, doc, chunk, citation, score, tokens, truncated } = message;
        Self {
            context_type: context_type::name(message.context_type()),
            doc: doc.as_ref().map(Document::from),
            chunk: chunk.as_ref().map(Chunk::from),
            citation,
            score: *score,
            tokens: *tokens,
            truncated: *truncated,
        }
    }
}
