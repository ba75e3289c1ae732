//! Applying of changes.

use recall_core::Generation;

use super::{Change, Vectors};
use crate::WriteError;
use crate::delta::Entry;

impl Vectors {
    /// Writes a change to the log, and makes it visible to every later search.
    ///
    /// An empty change is written too, because it advances the generation.
    ///
    /// # Errors
    /// See [`WriteError`]. The index is unchanged.
    pub fn apply(&self, generation: Generation, change: &Change) -> Result<(), WriteError> {
        let Change { removed, added } = change;
        let expected = self.model.dimensions;
        if let Some((row, embedding)) = added.iter().find(|(_, known)| known.components().len() != expected) {
            return Err(WriteError::Dimensions { row: row.0, expected, found: embedding.components().len() });
        }
        let mut log = self.log.lock();
        let written = log.delta.append(generation, removed, added);
        written.map_err(|error| WriteError::io(log.delta.path(), error))?;
        if let Some(since) = &mut log.since_merge {
            since.push(Entry { generation, removed: removed.clone(), added: added.clone() });
        }
        self.state.write().change(generation, removed, added);
        Ok(())
    }
}
