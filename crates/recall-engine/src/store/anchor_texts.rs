//! A cache of the symbol hashes that anchors of memories are compared with.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::{ContentHash, DocPath};

/// How many files' symbols are cached; when full, the cache is cleared.
const MOST_FILES: usize = 4096;

/// The symbol hashes of files, by the file's path and the hash of its bytes.
#[derive(Debug, Default)]
pub(crate) struct AnchorTexts {
    of_symbols: Mutex<HashMap<(DocPath, ContentHash), Arc<SymbolHashes>>>,
}

/// The hashes of the definitions of each qualified name of a file.
pub(crate) type SymbolHashes = HashMap<String, Vec<ContentHash>>;

impl AnchorTexts {
    /// Returns the cached symbols of a file with that content.
    pub(crate) fn get(&self, file: &(DocPath, ContentHash)) -> Option<Arc<SymbolHashes>> {
        self.of_symbols.lock().get(file).map(Arc::clone)
    }

    /// Caches the symbols of a file with that content.
    pub(crate) fn insert(&self, file: (DocPath, ContentHash), symbols: Arc<SymbolHashes>) {
        let mut cached = self.of_symbols.lock();
        if cached.len() >= MOST_FILES {
            cached.clear();
        }
        cached.insert(file, symbols);
    }
}
