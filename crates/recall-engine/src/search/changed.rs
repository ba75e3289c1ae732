//! The check that files and memories have not changed since they were indexed.

use std::collections::{BTreeSet, HashMap};

use recall_core::{Document, DocumentKey};
use recall_watch::StatOutcome;

use crate::store::Store;

/// Returns the files and memories that differ from their indexed state. Costs one `stat` a file.
pub(crate) fn changed_documents<'a>(
    store: &Store,
    documents: impl Iterator<Item = &'a Document>,
) -> BTreeSet<DocumentKey> {
    let mut checked: HashMap<DocumentKey, bool> = HashMap::new();
    for document in documents {
        checked.entry(document.key()).or_insert_with_key(|key| match key {
            DocumentKey::Memory(id) => !store.ledger.is_up_to_date(*id, document.hash),
            DocumentKey::File(path) => !matches!(
                store.files.stat(path),
                StatOutcome::File { size_bytes, modified }
                    if size_bytes == document.size_bytes && modified == document.modified
            ),
        });
    }
    checked.into_iter().filter(|&(_, is_changed)| is_changed).map(|(key, _)| key).collect()
}
