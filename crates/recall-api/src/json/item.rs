//! A single item with its text.

use serde::Serialize;

use crate::json::document::{Chunk, Document, Symbol};
use crate::json::memory::Memory;
use crate::json::{Warning, answer, warnings};
use crate::v1;

#[derive(Debug, Serialize)]
pub(crate) struct Item<'a> {
    doc: Option<Document<'a>>,
    chunk: Option<Chunk<'a>>,
    text: &'a str,
    start_line: u32,
    end_line: u32,
    citation: &'a str,
    staleness: f64,
    memory: Option<Memory<'a>>,
    symbols: Vec<Symbol<'a>>,
    generation: u64,
    warnings: Vec<Warning<'a>>,
}

/// A single item with its text.
pub fn item(message: &v1::GetResponse) -> impl Serialize {
    let v1::GetResponse {
        doc,
        chunk,
        text,
        start_line,
        end_line,
        citation,
        staleness,
        memory,
        symbols,
        generation,
        warnings: messages,
    } = message;
    answer(Item {
        doc: doc.as_ref().map(Document::from),
        chunk: chunk.as_ref().map(Chunk::from),
        text,
        start_line: *start_line,
        end_line: *end_line,
        citation,
        staleness: *staleness,
        memory: memory.as_ref().map(Memory::from),
        symbols: symbols.iter().map(Symbol::from).collect(),
        generation: *generation,
        warnings: warnings(messages),
    })
}

#[derive(Debug, Serialize)]
pub(crate) struct History<'a> {
    path: &'a str,
    commits: Vec<Commit<'a>>,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct Commit<'a> {
    id: &'a str,
    day: &'a str,
    author: &'a str,
    subject: &'a str,
}

impl<'a> From<&'a v1::Commit> for Commit<'a> {
    fn from(message: &'a v1::Commit) -> Self {
        let v1::Commit { id, day, author, subject } = message;
        Self { id, day, author, subject }
    }
}

/// The commits that changed a document.
pub fn history(message: &v1::HistoryResponse) -> impl Serialize {
    let v1::HistoryResponse { path, commits, warnings: messages } = message;
    answer(History { path, commits: commits.iter().map(Commit::from).collect(), warnings: warnings(messages) })
}
