//! The anchors of memories to files and symbols, and their verification.
//!
//! A file is compared by the hash of its bytes, a symbol by the hash of its text, so that other changes in its file do not
//! matter. A memory that names symbols of a file is anchored to these, not to the whole file.

mod named_symbols;

use std::collections::BTreeSet;
use std::sync::Arc;

use recall_core::{
    Anchor, AnchorState, ContentHash, DocPath, DocumentKey, Memory, SymbolKind, Verification, error_chain,
};
use recall_watch::StatOutcome;

use super::MemoryNote;
use crate::error::StoreError;
use crate::known::Known;
use crate::mask;
use crate::store::{Store, SymbolHashes};
use named_symbols::NamedSymbols;

/// The most symbols of one file that a memory is anchored to. A text that names more is about the file.
const MOST_SYMBOLS: usize = 16;

/// Which state of the files anchors are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparedWith {
    /// Their state at the last scan.
    Indexed,
    /// Their current state; costs one `stat` per file.
    Now,
}

impl Store {
    /// Returns the anchors of a memory to the current state of its files, or of the symbols in them that its text names.
    ///
    /// A file that cannot be anchored is reported in `notes`.
    pub(super) fn anchor_memory(
        &self,
        files: &[DocPath],
        text: &str,
        commit: Option<&str>,
        notes: &mut Vec<MemoryNote>,
    ) -> Result<Vec<Anchor>, StoreError> {
        let known = self.known();
        let names = NamedSymbols::of(text);
        let mut anchors = Vec::new();
        for path in files {
            if mask::is_secret_path(path) {
                let reason = "its name holds a secret, which a journal does not keep".to_owned();
                let mut path = path.clone();
                mask::path(&mut path);
                notes.push(MemoryNote::NotAnchored { path, reason });
                continue;
            }
            let hash = match self.read_file(path) {
                Ok((content, _)) => content.hash,
                Err(error) => {
                    notes.push(MemoryNote::NotAnchored { path: path.clone(), reason: error_chain(&error) });
                    continue;
                }
            };
            let anchor = |symbol, hash| Anchor { path: path.clone(), symbol, hash, commit: commit.map(str::to_owned) };
            let is_indexed = known.files.get(path.as_str()).is_some_and(|file| file.hash == Some(hash));
            let symbols =
                if is_indexed && names.are_any() { self.symbols_named(path, &names)? } else { BTreeSet::new() };
            if symbols.is_empty() || symbols.len() > MOST_SYMBOLS {
                anchors.push(anchor(None, hash));
                continue;
            }
            let Some(hashes) = self.symbol_hashes(path, hash)? else {
                anchors.push(anchor(None, hash));
                continue;
            };
            for symbol in symbols {
                if let Some(&hash) = hashes.get(&symbol).and_then(|definitions| definitions.first()) {
                    anchors.push(anchor(Some(symbol), hash));
                }
            }
        }
        Ok(anchors)
    }

    /// Returns the qualified names of the definitions in a file that a text names.
    fn symbols_named(&self, path: &DocPath, names: &NamedSymbols<'_>) -> Result<BTreeSet<String>, StoreError> {
        let symbols = self.read(|snapshot| match snapshot.document_at(path)? {
            Some(stored) => snapshot.symbols_of(stored.row),
            None => Ok(Vec::new()),
        })?;
        let is_code = |kind| !matches!(kind, SymbolKind::Heading | SymbolKind::Key);
        let mentioned = symbols.into_iter().filter(|symbol| is_code(symbol.kind) && names.hold(symbol));
        Ok(mentioned.map(|symbol| symbol.qualified).collect())
    }

    /// Returns the hashes of the texts of all definitions in a file with that content; `None` if the catalog has another content.
    fn symbol_hashes(&self, path: &DocPath, hash: ContentHash) -> Result<Option<Arc<SymbolHashes>>, StoreError> {
        let key = (path.clone(), hash);
        if let Some(known) = self.anchor_texts.get(&key) {
            return Ok(Some(known));
        }
        let hashes = self.read(|snapshot| {
            let stored = snapshot.document_at(path)?.filter(|stored| stored.document.hash == hash);
            let Some(stored) = stored else { return Ok(None) };
            let Some(text) = snapshot.text(stored.row)? else { return Ok(None) };
            let mut hashes = SymbolHashes::new();
            for symbol in snapshot.symbols_of(stored.row)? {
                if let Some(text) = symbol.span.bytes.of(&text) {
                    hashes.entry(symbol.qualified).or_default().push(ContentHash::of(text.as_bytes()));
                }
            }
            Ok(Some(hashes))
        })?;
        let Some(hashes) = hashes.map(Arc::new) else { return Ok(None) };
        self.anchor_texts.insert(key, Arc::clone(&hashes));
        Ok(Some(hashes))
    }

    /// Compares a memory's anchors with the files.
    pub(super) fn verification(&self, memory: &Memory, look: ComparedWith) -> Result<Verification, StoreError> {
        let known = self.known();
        let states = memory.anchors.iter().map(|anchor| Ok((anchor.clone(), self.state_of(anchor, &known, look)?)));
        let states = states.collect::<Result<_, StoreError>>()?;
        Ok(Verification::of(memory.verified.as_ref().map(|verified| verified.timestamp), states))
    }

    /// Returns the worst state of anchors, and the share of broken ones.
    pub(super) fn anchor_state(
        &self,
        anchors: &[Anchor],
        look: ComparedWith,
    ) -> Result<(AnchorState, f64), StoreError> {
        let known = self.known();
        let states = anchors.iter().map(|anchor| self.state_of(anchor, &known, look));
        Ok(AnchorState::sum(states.collect::<Result<Vec<_>, _>>()?))
    }

    fn state_of(&self, anchor: &Anchor, known: &Known, look: ComparedWith) -> Result<AnchorState, StoreError> {
        let indexed = known.files.get(anchor.path.as_str());
        let hash = match look {
            ComparedWith::Indexed => indexed.and_then(|file| file.hash),
            ComparedWith::Now => match self.stat(&anchor.path) {
                StatOutcome::Gone | StatOutcome::NotRegular => return Ok(AnchorState::Gone),
                StatOutcome::File { size_bytes, modified } => indexed
                    .filter(|file| file.size_bytes == size_bytes && file.modified == modified)
                    .and_then(|file| file.hash)
                    .or_else(|| self.hash_of_file(&anchor.path)),
            },
        };
        let is_indexed = indexed.is_some_and(|file| file.hash.is_some() && file.hash == hash);
        Ok(match (hash, &anchor.symbol) {
            (Some(hash), None) => same(hash == anchor.hash),
            (Some(hash), Some(symbol)) if is_indexed => match self.symbol_hashes(&anchor.path, hash)? {
                Some(hashes) => match hashes.get(symbol) {
                    Some(definitions) => same(definitions.contains(&anchor.hash)),
                    None => AnchorState::Gone,
                },
                None => AnchorState::Unchecked,
            },
            // The file cannot be read, or its current content is not indexed.
            (None, _) | (Some(_), Some(_)) => AnchorState::Unchecked,
        })
    }

    /// Reads a file whose current content is not indexed, and returns its hash.
    fn hash_of_file(&self, path: &DocPath) -> Option<ContentHash> {
        self.read_file(path).ok().map(|(content, _)| content.hash)
    }

    /// Returns the files that memories are anchored to and that changed since they were indexed.
    pub(crate) fn changed_anchors<'m>(&self, memories: impl Iterator<Item = &'m Memory>) -> BTreeSet<DocumentKey> {
        let known = self.known();
        let paths: BTreeSet<&DocPath> =
            memories.flat_map(|memory| &memory.anchors).map(|anchor| &anchor.path).collect();
        let is_changed = |path: &DocPath| {
            let Some(file) = known.files.get(path.as_str()).filter(|file| file.hash.is_some()) else { return false };
            !matches!(
                self.stat(path),
                StatOutcome::File { size_bytes, modified } if file.size_bytes == size_bytes && file.modified == modified
            )
        };
        paths.into_iter().filter(|path| is_changed(path)).cloned().map(DocumentKey::File).collect()
    }
}

fn same(is_same: bool) -> AnchorState {
    if is_same { AnchorState::Verified } else { AnchorState::Changed }
}
