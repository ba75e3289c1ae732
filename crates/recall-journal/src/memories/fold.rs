//! The fold of a memory's events, borrowing from them.

use std::sync::Arc;

use recall_core::{
    Anchor, Cue, Deleted, Event, EventBody, FeedbackTally, Memory, MemoryChange, MemoryId, NewBound, NewMemory,
    Promotion, Provenance, TimePoint, Timestamp, ValidTime, ValidityInputs, Verified,
};
use recall_text::DocPath;

/// A memory, borrowed from its events.
#[derive(Clone, Debug)]
pub(super) struct Fold<'e> {
    /// The last addition. It has the fields that no other event changes.
    added: &'e NewMemory,
    title: &'e Arc<str>,
    content: &'e Arc<str>,
    tags: &'e [String],
    related_files: &'e [DocPath],
    cues: Option<&'e [Cue]>,
    valid: [Option<&'e TimePoint>; 2],
    anchors: &'e [Anchor],
    provenance: &'e Provenance,
    created: Timestamp,
    updated: Timestamp,
    verified: Option<&'e Event>,
    deleted: Option<(&'e Event, Option<&'e String>)>,
    promoted: Option<&'e Promotion>,
    proposed: bool,
    sources: FieldSources<'e>,
}

/// The events that determine the content. One event may determine several fields.
#[derive(Clone, Copy, Debug)]
struct FieldSources<'e> {
    added: &'e Event,
    title: &'e Event,
    content: &'e Event,
    tags: &'e Event,
    related_files: &'e Event,
    cues: &'e Event,
    valid: [&'e Event; 2],
    anchors: &'e Event,
    updated: &'e Event,
    accepted: &'e Event,
}

impl<'e> FieldSources<'e> {
    fn all(event: &'e Event) -> Self {
        Self {
            added: event,
            title: event,
            content: event,
            tags: event,
            related_files: event,
            cues: event,
            valid: [event; 2],
            anchors: event,
            updated: event,
            accepted: event,
        }
    }
}

impl<'e> Fold<'e> {
    /// Starts a fold with the memory's first addition.
    pub(super) fn new(event: &'e Event, added: &'e NewMemory) -> Self {
        Self {
            added,
            title: &added.title,
            content: &added.content,
            tags: &added.tags,
            related_files: &added.related_files,
            cues: added.cues.as_deref(),
            valid: [added.valid.from.as_ref(), added.valid.until.as_ref()],
            anchors: &added.anchors,
            provenance: &event.provenance,
            created: event.timestamp,
            updated: event.timestamp,
            verified: None,
            deleted: None,
            promoted: None,
            proposed: false,
            sources: FieldSources::all(event),
        }
    }

    /// Applies an event. Events must be applied in order.
    pub(super) fn change(&mut self, event: &'e Event, change: &'e MemoryChange) {
        match change {
            MemoryChange::Add(added) | MemoryChange::Propose(added) => {
                // A later addition replaces only the fields that an addition has.
                let Self { created, verified, promoted, .. } = *self;
                let proposed = matches!(change, MemoryChange::Propose(_));
                *self = Self { created, verified, promoted, proposed, ..Self::new(event, added) };
            }
            MemoryChange::Accept => (self.proposed, self.sources.accepted) = (false, event),
            MemoryChange::Update(amendment) => {
                let recall_core::Amendment { title, content, tags, related_files, cues, anchors, valid } = &**amendment;
                let sources = &mut self.sources;
                replace(&mut self.title, title.as_ref(), &mut sources.title, event);
                replace(&mut self.content, content.as_ref(), &mut sources.content, event);
                replace(&mut self.tags, tags.as_deref(), &mut sources.tags, event);
                replace(&mut self.related_files, related_files.as_deref(), &mut sources.related_files, event);
                replace(&mut self.cues, cues.as_deref().map(Some), &mut sources.cues, event);
                for (at, bound) in [&valid.from, &valid.until].into_iter().enumerate() {
                    let point = bound.as_ref().map(|bound| match bound {
                        NewBound::At(point) => Some(point),
                        NewBound::Open => None,
                    });
                    replace(&mut self.valid[at], point, &mut sources.valid[at], event);
                }
                replace(&mut self.anchors, anchors.as_deref(), &mut sources.anchors, event);
                (self.updated, sources.updated) = (event.timestamp, event);
                self.deleted = None;
            }
            MemoryChange::Delete { reason } => self.deleted = Some((event, reason.as_ref())),
            MemoryChange::Verify { anchors } => {
                replace(&mut self.anchors, anchors.as_deref(), &mut self.sources.anchors, event);
                self.verified = Some(event);
            }
            MemoryChange::Promote(promotion) => self.promoted = Some(promotion),
        }
    }

    /// Notes that somebody vouches for the memory by the event.
    pub(super) fn verify(&mut self, event: &'e Event) {
        self.verified = Some(event);
    }

    pub(super) fn anchors(&self) -> &'e [Anchor] {
        self.anchors
    }

    /// Returns the events that determine the content. An event may occur several times.
    pub(super) fn source_events(&self) -> impl Iterator<Item = &'e Event> {
        let FieldSources { added, title, content, tags, related_files, cues, valid, anchors, updated, accepted } =
            self.sources;
        let fields = [added, title, content, tags, related_files, cues, anchors, updated, accepted];
        fields.into_iter().chain(valid)
    }

    pub(super) fn supersedes(&self) -> Option<MemoryId> {
        self.added.supersedes
    }

    pub(super) fn creation_time(&self) -> Timestamp {
        self.created
    }

    /// Returns when a person accepted it; `None` if it was added without a review, or is only proposed.
    pub(super) fn acceptance(&self) -> Option<Timestamp> {
        let event = self.sources.accepted;
        matches!(event.body, EventBody::Memory { change: MemoryChange::Accept, .. }).then_some(event.timestamp)
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.deleted.is_some()
    }

    /// Returns whether it is neither deleted nor only proposed.
    pub(super) fn counts(&self) -> bool {
        self.deleted.is_none() && !self.proposed
    }

    /// Returns the inputs of the memory's validity.
    pub(super) fn validity_inputs(&self, feedback: FeedbackTally, is_superseded: bool) -> ValidityInputs {
        ValidityInputs {
            updated: self.updated,
            verified: self.verified.map(|event| event.timestamp),
            is_retired: is_superseded || self.promoted.is_some() || !self.counts(),
            valid: self.valid.map(|point| point.map(|point| point.at)),
            feedback,
        }
    }

    pub(super) fn to_memory(&self, id: MemoryId, feedback: FeedbackTally) -> Memory {
        let NewMemory { scope, source, origin, supersedes, lineage, .. } = self.added;
        Memory {
            id,
            title: Arc::clone(self.title),
            content: Arc::clone(self.content),
            tags: self.tags.to_vec(),
            related_files: self.related_files.to_vec(),
            cues: self.cues.map(<[Cue]>::to_vec),
            scope: *scope,
            source: source.clone(),
            origin: *origin,
            supersedes: *supersedes,
            anchors: self.anchors.to_vec(),
            lineage: lineage.clone(),
            valid: ValidTime { from: self.valid[0].cloned(), until: self.valid[1].cloned() },
            provenance: self.provenance.clone(),
            created: self.created,
            updated: self.updated,
            verified: self
                .verified
                .map(|event| Verified { timestamp: event.timestamp, provenance: event.provenance.clone() }),
            deleted: self.deleted.map(|(event, reason)| Deleted {
                timestamp: event.timestamp,
                reason: reason.cloned(),
                provenance: event.provenance.clone(),
            }),
            promoted: self.promoted.cloned(),
            proposed: self.proposed,
            feedback,
        }
    }
}

fn replace<'e, T: Copy>(field: &mut T, value: Option<T>, source: &mut &'e Event, event: &'e Event) {
    if let Some(value) = value {
        (*field, *source) = (value, event);
    }
}
