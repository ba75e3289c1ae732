//! A cache of the symbol hashes that anchors of memories are compared with.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::{Anchor, ContentHash, Generation};
use recall_text::DocPath;

/// How many files' symbols are cached; when full, the cache is cleared.
const MOST_FILES: usize = 4096;

/// The symbol hashes of files, by the file's path and the hash of its bytes.
#[derive(Debug, Default)]
pub(super) struct AnchorTexts {
    of_symbols: Mutex<HashMap<(DocPath, ContentHash), Arc<SymbolHashes>>>,
}

/// The paths to which anchored files were moved, as of one generation of the index.
#[derive(Debug, Default)]
pub(super) struct MovedFiles {
    state: Mutex<(Generation, BTreeMap<Anchor, Option<DocPath>>)>,
}

impl MovedFiles {
    /// Returns where the file of an anchor is in a generation: as cached, otherwise as `find` says.
    ///
    /// # Errors
    /// Those of `find`.
    pub(crate) fn get_or_find<E>(
        &self,
        generation: Generation,
        anchor: &Anchor,
        find: impl FnOnce() -> Result<Option<DocPath>, E>,
    ) -> Result<Option<DocPath>, E> {
        {
            let mut state = self.state.lock();
            if state.0 != generation || state.1.len() >= MOST_FILES {
                *state = (generation, BTreeMap::new());
            }
            if let Some(found) = state.1.get(anchor) {
                return Ok(found.clone());
            }
        }
        let found = find()?;
        let mut state = self.state.lock();
        if state.0 == generation {
            state.1.insert(anchor.clone(), found.clone());
        }
        Ok(found)
    }
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
