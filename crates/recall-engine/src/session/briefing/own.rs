//! The briefing about what a session did so far, for an agent that lost its context.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recall_core::{AskBriefing, Session};
use recall_text::DocPath;

use crate::git::{BranchChanges, Git};
use crate::mask::Masking;
use crate::session::briefing::Scene;
use crate::session::briefing::answer::SectionKind;
use crate::session::briefing::pack::{Entry, SectionDraft};
use crate::session::title_of;
use crate::session_log::{SessionError, Story};
use recall_text::quote::{QUOTE_CHARS, inline, quote};

/// The most entries of a section that are told.
const ENTRIES: usize = 20;

impl Scene<'_> {
    /// Returns the sections about a session; `None` if it did nothing. The memories are those about the files that it changed and
    /// about its goal.
    pub(crate) fn session_sections(&self, session: &Session) -> Result<Option<Vec<SectionDraft>>, SessionError> {
        let events = self.store.sessions.read(&session.id)?.unwrap_or_default();
        let commits = Git::at(&self.store.root).commits_between(session.started, self.now);
        let story = Story::tell(&events, commits, &self.memories_of(&session.id));
        if story.is_empty() {
            return Ok(None);
        }
        let title = story.title().unwrap_or_else(|| title_of(session));
        let mut entries = vec![entry(&format!("- {}", inline(&Masking::default().mask(&title))), &session.id)];
        if let Some(said) = story.outcome().filter(|said| **said != title) {
            entries.push(entry(&quote(&Masking::default().mask(said), QUOTE_CHARS), &session.id));
        }
        // What was not resolved is in the section of what is open.
        let unresolved = story.failures().iter().filter(|failure| !failure.is_resolved());
        let unresolved: BTreeSet<String> = unresolved.map(ToString::to_string).collect();
        for (heading, mut of_section) in story.sections() {
            of_section.retain(|entry| !unresolved.contains(entry));
            let mut text = String::new();
            for entry in of_section.iter().take(ENTRIES) {
                text.push_str(&quote(&Masking::default().mask(&format!("- {entry}")), QUOTE_CHARS));
            }
            if let Some(more) = of_section.len().checked_sub(ENTRIES).filter(|more| *more > 0) {
                let _ = writeln!(text, "  > - and {more} more");
            }
            if !text.is_empty() {
                entries.push(entry(&format!("- {heading}:\n{text}"), &session.id));
            }
        }
        let files: BTreeSet<DocPath> = story.paths().filter_map(|path| DocPath::new(path).ok()).collect();
        let goal = session.goal.clone().or_else(|| self.request.goal.clone());
        let request = AskBriefing { goal, ..self.request.clone() };
        let about = Scene {
            branch: Some(BranchChanges { base: None, files }),
            request: &request,
            here: self.here.clone(),
            sessions: Vec::new(),
            ..*self
        };
        let decisions = about.decisions(&self.latest_memories()?);
        Ok(Some(vec![
            SectionDraft { kind: SectionKind::Session, entries },
            SectionDraft { kind: SectionKind::Tasks, entries: self.tasks_of(session, &mut BTreeSet::new())? },
            SectionDraft { kind: SectionKind::Decisions, entries: decisions },
        ]))
    }
}

fn entry(text: &str, session: &str) -> Entry {
    Entry::new(text, vec![session.to_owned()])
}
