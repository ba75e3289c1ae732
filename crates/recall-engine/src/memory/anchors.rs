//! The anchors of memories to files and symbols, the symbol names in a memory's text, and the verification of anchors,
//! which leads to notes.
//!
//! A file is compared by the hash of its bytes, a symbol by the hash of its text, so that other changes in its file do not matter. A
//! memory that names symbols of a file is anchored to these, not to the whole file: in a busy file, every memory would be "changed"
//! within a day (ADR 12). A hash says that a text changed, not how much or whether it matters; that is for the reader to judge.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use recall_core::{
    Anchor, AnchorState, ContentHash, Document, DocumentKey, Memory, MemoryId, MovedFile, Symbol, SymbolKind,
    Verification,
};
use recall_text::words::{self, Word};
use recall_text::{DocPath, error_chain};
use recall_watch::StatOutcome;

use crate::error::StoreError;
use crate::git::Git;
use crate::known::Known;
use crate::mask::{self, Masking};
use crate::settings::StoreSettings;
use crate::store::{Files, Index, ItemFacts, Store, SymbolHashes};

/// The most symbols of one file that a memory is anchored to. A text that names more is about the file.
const MOST_SYMBOLS: usize = 16;

/// The most documents with a definition of the same name that are searched for a symbol that was moved.
const MOST_NAMESAKES: usize = 64;

/// Which state of the files anchors are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparedWith {
    /// None: the anchors are unchecked.
    Nothing,
    /// Their state at the last scan.
    Indexed,
    /// Their current state; costs one `stat` per file.
    Now,
}

/// The parts of a store that anchors are compared with.
pub(crate) struct Anchored<'a> {
    root: &'a Path,
    settings: Arc<StoreSettings>,
    index: &'a Index,
    files: &'a Files,
    facts: &'a ItemFacts,
}

impl<'a> Anchored<'a> {
    pub(crate) fn new(store: &'a Store) -> Self {
        Self {
            root: &store.root,
            settings: store.settings(),
            index: &store.index,
            files: &store.files,
            facts: &store.facts,
        }
    }

    /// Returns the anchors of a memory to the current state of its files, or of the symbols in them that its text names.
    ///
    /// A file that cannot be anchored is reported in `notes`.
    pub(super) fn anchor(
        &self,
        files: &[DocPath],
        text: &str,
        commit: Option<&str>,
        notes: &mut Vec<MemoryNote>,
    ) -> Result<Vec<Anchor>, StoreError> {
        let known = self.index.known_documents();
        let names = NamedSymbols::new(text);
        let mut anchors = Vec::new();
        for path in files {
            if mask::is_secret_path(path) {
                let reason = "its name holds a secret, which a journal does not keep".to_owned();
                let mut path = path.clone();
                mask::path(&mut path);
                notes.push(MemoryNote::NotAnchored { path, reason });
                continue;
            }
            let hash = match self.files.read_file(path, &self.settings.limits) {
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
        let symbols = self.index.read(|snapshot| match snapshot.document_at(path)? {
            Some(stored) => snapshot.symbols_of(stored.row),
            None => Ok(Vec::new()),
        })?;
        let is_code = |kind| !matches!(kind, SymbolKind::Heading | SymbolKind::Key);
        let mentioned = symbols.into_iter().filter(|symbol| is_code(symbol.kind) && names.hold(symbol));
        Ok(mentioned.map(|symbol| symbol.qualified).collect())
    }

    /// Returns the hashes of the texts of all definitions in a file with that content; `None` if the catalog has another content.
    fn symbol_hashes(&self, path: &DocPath, hash: ContentHash) -> Result<Option<Arc<SymbolHashes>>, StoreError> {
        self.facts.symbol_hashes((path.clone(), hash), || {
            self.index.read(|snapshot| {
                let stored = snapshot.document_at(path)?.filter(|stored| stored.document.hash == hash);
                let Some(stored) = stored else { return Ok(None) };
                let Some(text) = snapshot.text(stored.row)? else { return Ok(None) };
                let mut hashes = SymbolHashes::new();
                for symbol in snapshot.symbols_of(stored.row)? {
                    if let Some(text) = symbol.span.bytes.slice(&text) {
                        hashes.entry(symbol.qualified).or_default().push(ContentHash::hash(text.as_bytes()));
                    }
                }
                Ok(Some(hashes))
            })
        })
    }

    /// Compares a memory's anchors with the files.
    pub(super) fn verification(&self, memory: &Memory, look: ComparedWith) -> Result<Verification, StoreError> {
        let known = self.index.known_documents();
        let mut moved = Vec::new();
        let mut states = Vec::new();
        for anchor in &memory.anchors {
            let (state, to) = self.state_of(anchor, &known, look)?;
            states.push((anchor.clone(), state));
            moved.extend(to.map(|mut to| {
                mask::path(&mut to);
                MovedFile { from: anchor.path.clone(), to }
            }));
        }
        let verified = memory.verified.as_ref().map(|verified| verified.timestamp);
        Ok(Verification::new(verified, states).with_moved(moved))
    }

    /// Returns the worst state of anchors, and the share of broken ones.
    pub(super) fn state(&self, anchors: &[Anchor], look: ComparedWith) -> Result<(AnchorState, f64), StoreError> {
        let known = self.index.known_documents();
        let states = anchors.iter().map(|anchor| Ok(self.state_of(anchor, &known, look)?.0));
        Ok(AnchorState::sum(states.collect::<Result<Vec<_>, StoreError>>()?))
    }

    /// Returns the state of an anchor, and the path of its file if that was moved.
    fn state_of(
        &self,
        anchor: &Anchor,
        known: &Known,
        look: ComparedWith,
    ) -> Result<(AnchorState, Option<DocPath>), StoreError> {
        if look == ComparedWith::Nothing {
            return Ok((AnchorState::Unchecked, None));
        }
        let at_path = self.state_at_path(anchor, known, look)?;
        let is_file_gone = at_path == AnchorState::Gone && !known.files.contains_key(anchor.path.as_str());
        let Some(to) = (if is_file_gone { self.moved_to(anchor, known)? } else { None }) else {
            return Ok((at_path, None));
        };
        let moved = Anchor { path: to.clone(), ..anchor.clone() };
        Ok((self.state_at_path(&moved, known, look)?, Some(to)))
    }

    /// Returns the path to which the file of an anchor was moved: of the file with the anchored text, otherwise of the file that git
    /// takes for the same.
    fn moved_to(&self, anchor: &Anchor, known: &Known) -> Result<Option<DocPath>, StoreError> {
        self.facts.moved_file(known.generation, anchor, || {
            let same = match &anchor.symbol {
                None => known.files_with(anchor.hash).iter().filter_map(|path| DocPath::new(path).ok()).collect(),
                Some(symbol) => self.files_with_symbol(symbol, anchor.hash)?,
            };
            let renamed = || Git::at(self.root).renamed_since(anchor.commit.as_deref()?, &anchor.path);
            Ok(self.nearest_of(same, &anchor.path).or_else(renamed))
        })
    }

    /// Returns one of some files that exist: if possible, one of the same name as another file.
    fn nearest_of(&self, files: Vec<DocPath>, other: &DocPath) -> Option<DocPath> {
        let name = |path: &DocPath| path.as_str().rsplit('/').next().map(str::to_owned);
        let there = files.into_iter().filter(|path| self.files.stat(path) != StatOutcome::Gone);
        there.min_by_key(|path| (name(path) != name(other), path.clone()))
    }

    /// Returns the files with a definition that has this name and this text.
    fn files_with_symbol(&self, symbol: &str, hash: ContentHash) -> Result<Vec<DocPath>, StoreError> {
        let bare = symbol.rsplit(['.', ':', '#', '/', '$']).next().unwrap_or(symbol);
        let documents = self.index.read(|snapshot| {
            let mut rows = BTreeSet::new();
            snapshot.each_definition(|row, _, name, _| {
                if name == bare && rows.len() < MOST_NAMESAKES {
                    rows.insert(row);
                }
            })?;
            let mut documents = Vec::new();
            for row in rows {
                documents.extend(snapshot.document_in(row)?.map(|stored| stored.document));
            }
            Ok(documents)
        })?;
        let mut files = Vec::new();
        for Document { path, hash: of_file, .. } in documents {
            let hashes = self.symbol_hashes(&path, of_file)?;
            let definitions = hashes.as_ref().and_then(|hashes| hashes.get(symbol));
            if definitions.is_some_and(|definitions| definitions.contains(&hash)) {
                files.push(path);
            }
        }
        Ok(files)
    }

    /// Returns the state of an anchor at its own path.
    fn state_at_path(&self, anchor: &Anchor, known: &Known, look: ComparedWith) -> Result<AnchorState, StoreError> {
        let indexed = known.files.get(anchor.path.as_str());
        let hash = match look {
            ComparedWith::Nothing => None,
            ComparedWith::Indexed => indexed.and_then(|file| file.hash),
            ComparedWith::Now => match self.files.stat(&anchor.path) {
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
        self.files.read_file(path, &self.settings.limits).ok().map(|(content, _)| content.hash)
    }

    /// Returns whether a file of the anchors is gone.
    pub(crate) fn is_any_gone(&self, anchors: &[Anchor]) -> bool {
        anchors.iter().any(|anchor| self.files.stat(&anchor.path) == StatOutcome::Gone)
    }

    /// Returns the files that memories are anchored to and that changed since they were indexed.
    pub(crate) fn changed_files<'m>(&self, memories: impl Iterator<Item = &'m Memory>) -> BTreeSet<DocumentKey> {
        let known = self.index.known_documents();
        let paths: BTreeSet<&DocPath> =
            memories.flat_map(|memory| &memory.anchors).map(|anchor| &anchor.path).collect();
        let is_changed = |path: &DocPath| {
            let Some(file) = known.files.get(path.as_str()).filter(|file| file.hash.is_some()) else { return false };
            !matches!(
                self.files.stat(path),
                StatOutcome::File { size_bytes, modified } if file.size_bytes == size_bytes && file.modified == modified
            )
        };
        paths.into_iter().filter(|path| is_changed(path)).cloned().map(DocumentKey::File).collect()
    }
}

fn same(is_same: bool) -> AnchorState {
    if is_same { AnchorState::Verified } else { AnchorState::Changed }
}

/// The separator in a symbol's qualified name.
const SCOPED: &str = "::";

/// The words of a text that may be symbols.
#[derive(Debug)]
struct NamedSymbols<'t> {
    /// Identifiers: all words between backticks, and compound words, as `open_store`.
    bare: HashSet<String>,
    text: &'t str,
}

impl<'t> NamedSymbols<'t> {
    fn new(text: &'t str) -> Self {
        let mut bare = HashSet::new();
        for (at, piece) in text.split('`').enumerate() {
            let is_code = at % 2 == 1;
            words::split(piece, |word| match word {
                Word::Compound(word) => _ = bare.insert(word.to_owned()),
                Word::Plain(word) if is_code => _ = bare.insert(word.to_owned()),
                Word::Plain(_) | Word::Part(_) => {}
            });
        }
        Self { bare, text }
    }

    /// Returns whether the text has words that may be symbols.
    fn are_any(&self) -> bool {
        !self.bare.is_empty() || self.text.contains(SCOPED)
    }

    /// Returns whether the text names a symbol, by its name as an identifier or by its qualified name.
    fn hold(&self, symbol: &Symbol) -> bool {
        let is_qualified = symbol.qualified.len() > symbol.name.len();
        self.bare.contains(symbol.name.as_str()) || (is_qualified && self.text.contains(&symbol.qualified))
    }
}

/// A note for the caller that stored a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryNote {
    /// Secrets in it were masked.
    Masked {
        /// The names of the rules that matched, in order.
        rules: Vec<&'static str>,
    },
    /// It could not be anchored to a related file.
    NotAnchored {
        /// The related file, below the root.
        path: DocPath,
        /// The reason, as a clause.
        reason: String,
    },
    /// Another memory says something else in nearly the same words, such as the opposite. Both are kept.
    MayContradict {
        /// The memory that says something else.
        id: MemoryId,
        /// Its title, with secrets masked.
        title: String,
    },
    /// It is not noted at a commit which lines its session wrote.
    NotTraced {
        /// The hash of the commit, as the session recorded it.
        commit: String,
        /// The reason, as a clause.
        reason: String,
    },
}

/// Returns the note on masked secrets, if there were any.
pub(crate) fn for_masking(masking: &Masking) -> Option<MemoryNote> {
    let rules: Vec<_> = masking.rules.iter().copied().collect();
    (!rules.is_empty()).then_some(MemoryNote::Masked { rules })
}

#[cfg(test)]
mod tests {
    use recall_core::{ByteSpan, Span, SymbolKind};

    use super::*;

    fn check(text: &str, qualified: &str, expected: bool) {
        let span = Span { bytes: ByteSpan { start: 0, end: 0 }, start_line: 1, end_line: 1 };
        let name = qualified.rsplit("::").next().expect("one part at least").to_owned();
        let symbol = Symbol { name, qualified: qualified.to_owned(), kind: SymbolKind::Function, span, chunk: 0 };
        let names = NamedSymbols::new(text);
        assert_eq!(names.hold(&symbol), expected, "{text}: {qualified}");
        assert!(names.are_any() || !expected, "{text}");
    }

    #[test]
    fn symbols_are_recognised_by_backticks_compounds_and_qualified_names() {
        check("`open` waits for the lock", "open", true);
        check("`Store::open(path)` waits", "Store::open", true);
        check("call Store::open first", "Store::open", true);
        check("open_store waits", "open_store", true);
        check("keep the door open", "open", false);
        assert!(!NamedSymbols::new("keep the door open").are_any());
        check("reopen_store waits", "open_store", false);
    }
}
