//! Foreign sessions as sessions.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recall_agents::foreign::{ForeignEvent, ForeignSession, LeftOut, LeftOutReason};
use recall_core::{
    DocumentKey, EndReason, EventDetails, RECORD_TEXT_BYTES, Session, SessionEvent, SessionEventType, StoreScope,
};
use recall_text::error_chain;

use super::MigrateError;
use super::import::{Import, key};
use super::memories::provenance;
use crate::backup::RestoreMode;
use crate::git::Git;
use crate::indexing::refresh_documents;
use crate::mask::{self, Masking};
use crate::memory::about;
use crate::session::{Keeping, Material, SummaryAuthor, end_event, summary_of, write_summary};
use crate::session_log::masking::mask_details;

impl Import<'_> {
    /// Writes the events of a session with one sync, and its summary, which stays private.
    pub(super) fn take_session(&mut self, session: ForeignSession) -> Result<(), MigrateError> {
        if self.store.scope != StoreScope::Project {
            self.report.leave_out(LeftOut::one(session.id, LeftOutReason::OtherScope));
            return Ok(());
        }
        if session.goal.is_none() && session.summary.is_none() && session.events.is_empty() {
            self.report.leave_out(LeftOut::one(session.id, LeftOutReason::Empty));
            return Ok(());
        }
        self.report.sessions.found += 1;
        if !self.known_sessions.insert(session.id.clone()) {
            self.report.sessions.known += 1;
            return Ok(());
        }
        self.report.sessions.added += 1;
        self.write_session(session)
    }

    fn write_session(&mut self, session: ForeignSession) -> Result<(), MigrateError> {
        let ForeignSession { id, started, ended, goal, summary, belongs, origin, events, further } = session;
        let (started, ended) = (self.believable(Some(started)), self.believable(Some(ended)));
        let here = mask::provenance(provenance(&origin));
        let mut masking = Masking::default();
        let goal = goal.map(|goal| masking.mask(cut(&goal)));
        let event_id = |number: usize| {
            let key = key(self.source.kind, "event", &format!("{id}/{number}"));
            self.store.ledger.event_id(Some(&key), self.now)
        };
        let start = EventDetails::new(SessionEventType::SessionStart, goal.clone().unwrap_or_default());
        let mut drafts = vec![(event_id(0), started, start)];
        for (number, ForeignEvent { timestamp, details, files }) in events.into_iter().enumerate() {
            let named = self.files_of(&files, belongs.project.as_deref());
            let related_files = about::resolve_files(self.store, &self.origin, &named)?;
            let content = cut(&details.content).to_owned();
            let details = EventDetails { content, related_files, ..details };
            drafts.push((event_id(number + 1), timestamp.max(started).min(ended), mask_details(details, &mut masking)));
        }
        let told = |(id, timestamp, details): &(_, _, EventDetails)| SessionEvent {
            id: *id,
            timestamp: *timestamp,
            details: details.clone(),
            provenance: here.clone(),
        };
        let written: Vec<SessionEvent> = drafts.iter().map(told).collect();
        let session = Session { goal, ended: Some(ended), last: ended, ..Session::new(&id, started, &here) };
        let author = if summary.is_some() { SummaryAuthor::Client } else { SummaryAuthor::Recall };
        let mut text = if let Some(summary) = summary {
            Some(masking.mask(cut(&summary)))
        } else {
            let commits = Git::at(&self.store.root).commits_between(started, ended);
            let material = Material { session: &session, events: &written, commits, memories: Vec::new() };
            summary_of(material).map(|text| masking.mask(&text))
        };
        if let Some(text) = text.as_mut().filter(|_| further > 0) {
            let _ = write!(text, "\n{further} further events were not imported.\n");
        }
        if !masking.rules.is_empty() {
            self.report.masked += 1;
        }
        if self.mode == RestoreMode::DryRun {
            return Ok(());
        }
        let path = match text.as_deref() {
            Some(text) => Some(write_summary(self.store, &session, text, Keeping::Private)?.0),
            None => None,
        };
        let end = end_event(text.unwrap_or_default(), author, EndReason::Exit, path.as_ref());
        drafts.push((event_id(drafts.len()), ended, end));
        self.store.sessions.write(&id, &here, drafts)?;
        self.summaries.extend(path);
        Ok(())
    }

    /// Indexes the summaries that were written.
    pub(super) fn index_summaries(&mut self) {
        let summaries: BTreeSet<DocumentKey> = self.summaries.drain(..).map(DocumentKey::File).collect();
        if summaries.is_empty() || self.store.awaits_first_index() {
            return;
        }
        if let Err(error) = refresh_documents(self.store, &summaries, self.now) {
            let reason = error_chain(&error);
            tracing::warn!(reason, "imported summaries are not indexed yet; the next search does");
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(RECORD_TEXT_BYTES)]
}
