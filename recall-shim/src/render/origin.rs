//! Where does a text come from, and how far may it be trusted?

use recall_proto::v1::{Document, Memory, MemoryStatus, Origin, StoreScope, Trust, VerificationState};

use super::inline;

/// The origin of a document's text in a few words: `project file`, `global decision, written by an agent,
/// unconfirmed, verified`.
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
    words.push(
        match memory.origin() {
            Origin::Observed => "observed by an agent",
            Origin::Inferred => "inferred by an agent",
            Origin::Imported => "imported",
            Origin::Human => "written by a person",
            Origin::Unspecified => "of unknown origin",
        }
        .to_owned(),
    );
    words.push(
        match memory.trust() {
            Trust::High => "trusted",
            Trust::Medium => "confirmed by use",
            Trust::Low | Trust::Unspecified => "unconfirmed",
        }
        .to_owned(),
    );
    words.extend(verification(memory));
    match memory.status() {
        MemoryStatus::Stale => words.push("stale".to_owned()),
        MemoryStatus::Deprecated => words.push("retired".to_owned()),
        MemoryStatus::Current | MemoryStatus::Unspecified => {}
    }
    if memory.stats.as_ref().is_some_and(|stats| stats.flagged) {
        words.push("flagged for review".to_owned());
    }
    words.join(", ")
}

fn verification(memory: &Memory) -> Option<String> {
    let verification = memory.verification.as_ref()?;
    match verification.state() {
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
    use recall_proto::v1::Verification;

    use super::*;

    #[test]
    fn a_file_and_a_memory_say_where_they_come_from() {
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
    }
}
