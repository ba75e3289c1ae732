//! The briefing's section of earlier sessions.

use std::fmt::Write as _;

use recall_core::{Session, SessionState};
use recall_journal::Day;

use crate::mask::Masking;
use crate::quote::{QUOTE_CHARS, inline, quoted};
use crate::session::briefing::Scene;
use crate::session::briefing::pack::Entry;
use crate::session::{summary_without_commits, title_of};
use crate::session_log::SessionError;

/// The most sessions of the section.
const SESSIONS: usize = 5;

impl Scene<'_> {
    pub(crate) fn history(&self) -> Result<Vec<Entry>, SessionError> {
        let mut entries = Vec::new();
        for session in &self.sessions {
            if entries.len() == SESSIONS {
                break;
            }
            entries.extend(self.session(session)?);
        }
        Ok(entries)
    }

    /// Returns the entry of a session; `None` if it has no summary and no events to make one from.
    fn session(&self, session: &Session) -> Result<Option<Entry>, SessionError> {
        let summary = if let Some(summary) = &session.summary {
            Some(summary.clone())
        } else {
            // It has no summary yet, so one is generated from its events.
            let events = self.store.sessions.read(&session.id)?.unwrap_or_default();
            summary_without_commits(session, &events)
        };
        let Some(summary) = summary else { return Ok(None) };
        let summary = Masking::default().mask(&summary);
        let mut line = format!("- {}", Day::of(session.started));
        if let Some(agent) = &session.provenance.agent {
            let _ = write!(line, ", {}", inline(agent));
        }
        if let Some(branch) = &session.provenance.branch {
            let _ = write!(line, " on {}", inline(branch));
        }
        let _ = write!(line, ": {}", inline(&Masking::default().mask(&title_of(session))));
        match session.state {
            SessionState::Ended => {}
            SessionState::Open => line.push_str(" (goes on)"),
            SessionState::Abandoned => {
                let _ = write!(line, " (broke off; session {} can be recovered)", inline(&session.id));
            }
        }
        let place = session.summary_path.as_ref().map_or_else(|| session.id.clone(), ToString::to_string);
        Ok(Some(Entry::new(format!("{line}\n{}", quoted(body_of(&summary), QUOTE_CHARS)), vec![place])))
    }
}

/// Returns a summary without its first heading, which repeats the title.
fn body_of(summary: &str) -> &str {
    let summary = summary.trim_start();
    match summary.split_once('\n') {
        Some((first, rest)) if first.starts_with("# ") => rest,
        _ => summary,
    }
}
