//! The text of a memory: whose it is, whether it holds, and its beginning as a quote.

use std::fmt::Write as _;

use recall_core::{AnchorState, MemoryId, MemoryOrigin, MemoryStatus, MemoryView, Ownership, Trust};
use recall_text::quote::{inline, quote};

use super::request::{Reminder, ReminderSubject};

/// The most characters that are quoted of a memory.
const QUOTE_CHARS: usize = 400;

/// The most files of a memory that are named.
const MOST_FILES: usize = 3;

/// The digits of a commit that are shown.
const COMMIT_DIGITS: usize = 7;

/// Whether a memory is in force.
pub(super) fn is_in_force(view: &MemoryView) -> bool {
    view.status != MemoryStatus::Deprecated
}

/// Returns the key of the reminder of a memory.
pub(super) fn id_key(id: MemoryId) -> String {
    format!("memory {id}")
}

/// Returns a memory whose cue is met as a reminder, with the reason in its text.
pub(super) fn cued_reminder(view: &MemoryView, reason: &str) -> Reminder {
    let mut reminder = reminder(view, reason);
    let end = reminder.text.find('\n').map_or(reminder.text.len(), |at| at + 1);
    reminder.text.insert_str(end, &format!("  because {reason}\n"));
    reminder
}

/// Returns a memory as a reminder: its id, type, origin, validity, title and files on a line, and its text as a quote.
pub(super) fn reminder(view: &MemoryView, reason: &str) -> Reminder {
    let memory = &view.memory;
    let facts = facts(view).iter().map(|fact| inline(fact)).collect::<Vec<_>>().join(", ");
    let facts = if facts.is_empty() { facts } else { format!(" ({facts})") };
    let mut text = format!("- {} {}{facts}: {}", memory.id, memory.id.memory_type, inline(&memory.title));
    let files: Vec<String> = memory.related_files.iter().take(MOST_FILES).map(|path| inline(path.as_str())).collect();
    if !files.is_empty() {
        let _ = write!(text, " [{}]", files.join(", "));
    }
    text.push('\n');
    // The title of a short memory is its text.
    if memory.content.trim() != memory.title.trim() {
        text.push_str(&quote(&memory.content, QUOTE_CHARS));
    }
    let subject = ReminderSubject::Memory(memory.id);
    Reminder { key: id_key(memory.id), subject, reason: reason.to_owned(), text }
}

/// Returns the origin and the state of a memory in a few words each; the usual values are left out.
fn facts(view: &MemoryView) -> Vec<String> {
    let mut facts = match view.ownership {
        Ownership::Repository => vec![added_by(view)],
        Ownership::Confirmed => vec!["confirmed by you".to_owned()],
        Ownership::Own => claims(view),
    };
    // A stranger who knows the files can make any text match them.
    if view.ownership != Ownership::Repository || view.verification.state.is_broken() {
        facts.extend(state(view));
    }
    if view.status == MemoryStatus::Stale {
        facts.push("stale".to_owned());
    }
    if view.stats.is_flagged {
        facts.push("to be looked at".to_owned());
    }
    facts.extend(view.verification.broken.first().map(|(anchor, state)| {
        let what = if *state == AnchorState::Gone { "gone" } else { "changed" };
        let symbol = anchor.symbol.as_ref().map(|symbol| format!("{symbol} in ")).unwrap_or_default();
        format!("may no longer hold ({what}: {symbol}{})", anchor.path)
    }));
    facts
}

/// Describes the origin of a memory of this user.
fn claims(view: &MemoryView) -> Vec<String> {
    let origin = match view.memory.origin {
        MemoryOrigin::Human => None,
        origin => Some(origin.as_str()),
    };
    let trust = match view.trust {
        Trust::Low => Some("unconfirmed"),
        Trust::Medium => Some("confirmed by use"),
        Trust::High => None,
    };
    [Some("own"), origin, trust].into_iter().flatten().map(str::to_owned).collect()
}

/// Describes the origin of a memory that this user did not write and has not confirmed.
fn added_by(view: &MemoryView) -> String {
    let by = view.added_by.as_ref().map(|by| format!(", added by {} in {}", inline(&by.author), inline(&by.commit)));
    format!("from the repository{}, unconfirmed", by.unwrap_or_default())
}

/// Describes the state of a memory's anchors; `None` if they were not compared.
fn state(view: &MemoryView) -> Option<String> {
    let moved = match &view.verification.moved[..] {
        [] => String::new(),
        [moved] => format!(", moved to {}", moved.to),
        [moved, others @ ..] => format!(", moved to {} and {} more", moved.to, others.len()),
    };
    let since = view.verification.since_commit.as_deref().map(|commit| {
        let digits: String = commit.chars().take(COMMIT_DIGITS).collect();
        format!(" since {digits}")
    });
    match view.verification.state {
        AnchorState::Verified => Some(format!("verified{moved}")),
        AnchorState::Changed => Some(format!("changed{}{moved}", since.unwrap_or_default())),
        AnchorState::Gone => Some("gone".to_owned()),
        AnchorState::Unanchored => Some("unanchored".to_owned()),
        AnchorState::Unchecked => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use recall_core::{
        Anchor, ContentHash, FeedbackTally, Freshness, Memory, Provenance, StoreScope, Timestamp, Verification,
    };
    use recall_text::DocPath;

    use super::*;

    /// A memory of the user, not tied to a file, with a title of its own.
    pub(in crate::remind) fn view(id: &str, content: &str) -> MemoryView {
        let memory = Memory {
            id: id.parse().expect("an id"),
            title: "Retries need jitter".into(),
            content: content.into(),
            tags: Vec::new(),
            related_files: Vec::new(),
            cues: None,
            scope: StoreScope::Project,
            source: None,
            origin: MemoryOrigin::Human,
            supersedes: None,
            anchors: Vec::new(),
            lineage: None,
            valid: recall_core::ValidTime::default(),
            provenance: Provenance::default(),
            created: Timestamp(0),
            updated: Timestamp(0),
            verified: None,
            deleted: None,
            promoted: None,
            proposed: false,
            feedback: FeedbackTally::default(),
        };
        let verification = Verification {
            state: AnchorState::Unanchored,
            since_commit: None,
            changed_ratio: 0.0,
            verified: None,
            broken: Vec::new(),
            moved: Vec::new(),
        };
        let freshness = Freshness::default();
        MemoryView::derive(
            memory,
            Ownership::Own,
            verification,
            None,
            recall_core::UseCounts::default(),
            &freshness,
            Timestamp(0),
        )
    }

    #[test]
    fn a_memory_says_whose_it_is_and_what_no_longer_holds() {
        let mut view = view("L-0123abcd", "Without it\n\n- D-1 all clients retry at once.");
        let path = DocPath::new("src/a.rs").expect("a path");
        view.memory.related_files = vec![path.clone()];
        view.memory.title = "Retries\n- need jitter".into();
        let anchor = Anchor { path, symbol: None, hash: ContentHash::hash(b""), commit: None };
        view.verification.state = AnchorState::Changed;
        view.verification.since_commit = Some("0123456789abcdef".to_owned());
        view.verification.broken = vec![(anchor, AnchorState::Changed)];
        let text = |view: &MemoryView| reminder(view, "").text;
        let expected = "- L-0123abcd lesson (own, changed since 0123456, may no longer hold (changed: src/a.rs)): Retries - need \
                        jitter [src/a.rs]\n  > Without it\n  > - D-1 all clients retry at once.\n";
        assert_eq!(text(&view), expected);
        view.ownership = Ownership::Repository;
        view.verification.state = AnchorState::Verified;
        view.verification.broken.clear();
        let told = text(&view);
        assert!(told.starts_with("- L-0123abcd lesson (from the repository, unconfirmed): "), "{told}");
    }
}
