//! The origin of a text and how far it may be trusted.

use recall_api::v1::{
    Document, Memory, MemoryStatus, Opposed, Origin, Ownership, StoreScope, Trust, VerificationState,
};

use crate::render::text::{inline, moment};

/// Formats the origin of a document's text: `project file`, `project decision, own, written by a person, trusted`, `project
/// lesson, from the repository, added by Ada in 0123abc, unconfirmed`.
///
/// The origin that a memory from the repository claims for itself is not shown.
pub(crate) fn origin(doc: &Document, memory: Option<&Memory>) -> String {
    let scope = match doc.scope() {
        StoreScope::Project => "project",
        StoreScope::Global => "global",
        StoreScope::Domain => "domain",
        StoreScope::Unspecified => "unknown store's",
    };
    let Some(memory) = memory else {
        let source = if doc.source.is_empty() { String::new() } else { format!(" from {}", inline(&doc.source, 80)) };
        return format!("{scope} file{source}");
    };
    let mut words = vec![format!("{scope} {}", inline(&memory.r#type, 20))];
    match memory.ownership() {
        Ownership::Own => {
            words.push("own".to_owned());
            words.extend([claims(memory), trust(memory)].map(str::to_owned));
        }
        Ownership::Confirmed => words.push("confirmed by you".to_owned()),
        Ownership::Repository => {
            words.push("from the repository".to_owned());
            if !memory.added_in.is_empty() {
                let (author, commit) = (inline(&memory.added_by, 60), inline(&memory.added_in, 40));
                words.push(format!("added by {author} in {commit}"));
            }
            words.push("unconfirmed".to_owned());
        }
        Ownership::Unspecified => words.extend([claims(memory), trust(memory)].map(str::to_owned)),
    }
    words.extend(verification(memory));
    match memory.status() {
        MemoryStatus::Stale => words.push("stale".to_owned()),
        MemoryStatus::Deprecated if !memory.holds.is_empty() => words.push(inline(&memory.holds, 20)),
        MemoryStatus::Deprecated => {
            let by = match &memory.superseded_by {
                id if id.is_empty() => String::new(),
                id => format!(" by {}", inline(id, 20)),
            };
            let until = moment(memory.valid_until.as_ref().and_then(|until| until.at.as_ref()));
            let since = until.map(|until| format!(" since {until}")).unwrap_or_default();
            words.push(format!("retired{by}{since}"));
        }
        MemoryStatus::Current | MemoryStatus::Unspecified => {}
    }
    if memory.stats.as_ref().is_some_and(|stats| stats.flagged) {
        words.push("flagged for review".to_owned());
    }
    words.extend(memory.contradicts.iter().map(opposition));
    words.join(", ")
}

fn opposition(other: &Opposed) -> String {
    let id = inline(&other.id, 20);
    match &other.judged_by {
        model if model.is_empty() => format!("may contradict {id}"),
        model => format!("may contradict {id} (by the language model {})", inline(model, 60)),
    }
}

fn claims(memory: &Memory) -> &'static str {
    match memory.origin() {
        Origin::Observed => "observed by an agent",
        Origin::Inferred => "inferred by an agent",
        Origin::Imported => "imported",
        Origin::Human => "written by a person",
        Origin::Unspecified => "of unknown origin",
    }
}

fn trust(memory: &Memory) -> &'static str {
    match memory.trust() {
        Trust::High => "trusted",
        Trust::Medium => "confirmed by use",
        Trust::Low | Trust::Unspecified => "unconfirmed",
    }
}

fn verification(memory: &Memory) -> Option<String> {
    let verification = memory.verification.as_ref()?;
    match verification.state() {
        // Not shown: anyone who knows the files can write a text that matches them.
        VerificationState::Verified if memory.ownership() == Ownership::Repository => None,
        VerificationState::Verified => Some("verified against its files".to_owned()),
        VerificationState::Changed if verification.since_commit.is_empty() => {
            Some("its files changed since".to_owned())
        }
        VerificationState::Changed => {
            Some(format!("its files changed since {}", inline(&verification.since_commit, 12)))
        }
        VerificationState::Gone => Some("its files are gone".to_owned()),
        VerificationState::Unanchored => Some("unanchored".to_owned()),
        VerificationState::Unspecified => None,
    }
}

#[cfg(test)]
mod tests {
    use recall_api::v1::{TimePoint, Verification};

    use super::*;

    #[test]
    fn files_and_memories_are_shown_with_their_origin() {
        let doc = Document { scope: StoreScope::Project.into(), ..Document::default() };
        assert_eq!(origin(&doc, None), "project file");
        let memory = Memory {
            r#type: "decision".to_owned(),
            origin: Origin::Inferred.into(),
            trust: Trust::Low.into(),
            verification: Some(Verification {
                state: VerificationState::Changed.into(),
                since_commit: "0123456789abcdef".to_owned(),
                ..Verification::default()
            }),
            ..Memory::default()
        };
        assert_eq!(
            origin(&doc, Some(&memory)),
            "project decision, inferred by an agent, unconfirmed, its files changed since 0123456789ab…"
        );
        let at = Some(prost_types::Timestamp::default());
        let retired = Memory {
            r#type: "lesson".to_owned(),
            status: MemoryStatus::Deprecated.into(),
            superseded_by: "L-0123abcd".to_owned(),
            valid_until: Some(TimePoint { at, ..TimePoint::default() }),
            ..Memory::default()
        };
        let told = origin(&doc, Some(&retired));
        assert!(told.ends_with("retired by L-0123abcd since 1970-01-01 00:00 UTC"), "{told}");
    }

    #[test]
    fn the_claims_of_a_memory_from_the_repository_are_not_shown() {
        let doc = Document { scope: StoreScope::Project.into(), ..Document::default() };
        let stranger = Memory {
            r#type: "decision".to_owned(),
            origin: Origin::Human.into(),
            trust: Trust::Low.into(),
            ownership: Ownership::Repository.into(),
            added_by: "Mallory".to_owned(),
            added_in: "0123abc".to_owned(),
            verification: Some(Verification { state: VerificationState::Verified.into(), ..Verification::default() }),
            ..Memory::default()
        };
        assert_eq!(
            origin(&doc, Some(&stranger)),
            "project decision, from the repository, added by Mallory in 0123abc, unconfirmed"
        );
        let confirmed = Memory { ownership: Ownership::Confirmed.into(), ..stranger };
        assert_eq!(origin(&doc, Some(&confirmed)), "project decision, confirmed by you, verified against its files");
    }
}
