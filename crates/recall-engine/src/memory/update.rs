//! Updating a memory.

use recall_core::{Amendment, Event, EventBody, MemoryChange, MemoryView, UpdateMemory, title_of};

use super::add::sort;
use super::anchors::Anchored;
use super::verify::recall_memory;
use crate::error::MemoryError;
use crate::git::Head;
use crate::indexing::index_memories_soon;
use crate::ledger::Vouching;
use crate::mask::Masking;
use crate::memory::{MemoryNote, about, anchors};
use crate::moments::valid_time_change;
use crate::origin::Origin;
use crate::{Engine, store};

/// The result of updating a memory.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateReport {
    /// The memory as it is after the amendment, with its validity.
    pub memory: MemoryView,
    /// Notes for the caller.
    pub notes: Vec<MemoryNote>,
}

impl Engine {
    /// Updates a memory in the first store that holds it, starting with the project's. The change is on disk when this returns.
    ///
    /// If its text or related files change, it is anchored to the current state of the files: the author has just looked at them.
    ///
    /// # Errors
    /// No memory has that id, it was amended at another time than expected, a related file is outside of its store, or the journal
    /// cannot be written. Then nothing changes.
    pub fn update_memory(&self, origin: &Origin, request: &UpdateMemory) -> Result<UpdateReport, MemoryError> {
        let (store, _) = self.find_memory(origin, request.id)?;
        let _amending = store.ledger.begin_amending();
        let memory = store.ledger.memory(request.id);
        let memory = memory.ok_or_else(|| MemoryError::NotFound { id: request.id.to_string() })?;
        store.check_author(&request.provenance, &memory)?;
        if request.expected.is_some_and(|expected| expected != memory.updated) {
            return Err(MemoryError::Amended { id: request.id });
        }
        let (mut masking, mut notes) = (Masking::default(), Vec::new());
        let head = Head::read_from(&store.root);
        let provenance = store::complete_provenance(&request.provenance, &head, &store);
        let related = request.related_files.as_deref();
        let related = related.map(|named| about::resolve_files(&store, origin, named)).transpose()?;
        let (title, content) =
            (masking.mask_some(request.title.as_deref()), masking.mask_some(request.content.as_deref()));
        // A title that was made of the text follows it, so that no headline states what no longer holds.
        let is_derived = *memory.title == *title_of(&memory.content);
        let title = title.filter(|title| !is_derived || **title != *memory.title);
        let title = title.or_else(|| content.as_deref().filter(|_| is_derived).map(title_of));
        let anchors = if content.is_some() || related.is_some() {
            let text = format!(
                "{}\n{}",
                title.as_deref().unwrap_or(&memory.title),
                content.as_deref().unwrap_or(&memory.content)
            );
            let files = related.as_deref().unwrap_or(&memory.related_files);
            Some(Anchored::new(&store).anchor(files, &text, provenance.commit.as_deref(), &mut notes)?)
        } else {
            None
        };
        let valid = valid_time_change(&store.root, &request.valid, self.clock.now())?;
        let amendment = Amendment {
            valid,
            title: title.map(Into::into),
            content: content.map(Into::into),
            tags: request.tags.as_deref().map(|tags| sort(masking.mask_all(tags))),
            related_files: related.map(|paths| masking.mask_paths(paths)),
            cues: request.cues.as_deref().map(|cues| masking.mask_cues(cues)),
            anchors,
        };
        notes.extend(anchors::for_masking(&masking));
        let now = self.clock.now();
        let change = MemoryChange::Update(Box::new(amendment));
        let vouching = Vouching::from_provenance(&provenance);
        let amended = Event {
            timestamp: store.ledger.moment_after(request.id, now),
            id: store.ledger.event_id(None, now),
            body: EventBody::Memory { id: request.id, change },
            provenance,
        };
        store.ledger.write_about(request.id, amended, vouching)?;
        index_memories_soon(&store, &self.clock);
        let memory = recall_memory(&store, request.id, now)?;
        Ok(UpdateReport { memory: memory.ok_or(MemoryError::NotFound { id: request.id.to_string() })?, notes })
    }
}
