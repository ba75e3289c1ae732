//! The answers about memories: added, rated, verified, promoted.

use std::fmt::Write as _;

use recall_proto::v1::{
    AddResponse, AddStatus, Anchor, FeedbackResponse, PromoteResponse, SimilarMemory, VerificationState,
    VerifiedMemory, VerifyResponse,
};

use super::notes::notes;
use super::quantity::count;
use crate::render::clean::inline;
use crate::render::length::{ANSWER_CHARS, TAIL_CHARS, chars};

/// The longest title shown; few are longer.
const TITLE_CHARS: usize = 160;

/// Formats the result of adding a memory.
pub(crate) fn added(response: &AddResponse) -> String {
    let AddResponse { id, title, status: _, similar, warnings } = response;
    let mut text = notes(warnings, None);
    let (id, title) = (inline(id, 20), inline(title, TITLE_CHARS));
    let _ = match response.status() {
        AddStatus::Duplicate => write!(
            text,
            "Not saved: {id} says nearly the same. Read it with recall_get; amend what it says by a memory with \
             supersedes \"{id}\", or repeat the call with force true if this is another matter."
        ),
        AddStatus::Superseded => {
            write!(text, "Saved as {id} · {title}. The one that it supersedes is no longer found.")
        }
        AddStatus::Added | AddStatus::Unspecified => write!(text, "Saved as {id} · {title}."),
    };
    if !similar.is_empty() {
        text.push_str("\nSimilar:");
        for SimilarMemory { id, title, similarity } in similar {
            let _ = write!(text, "\n- {} · {} · {similarity:.2}", inline(id, 20), inline(title, TITLE_CHARS));
        }
    }
    text
}

/// Formats the acceptance of a text, with the word `Accepted` that plain clients look for.
pub(crate) fn stored(response: &AddResponse) -> String {
    let AddResponse { id, title, status: _, similar: _, warnings } = response;
    format!("{}Accepted: {} · {}.", notes(warnings, None), inline(id, 20), inline(title, TITLE_CHARS))
}

/// Formats the feedback about an item.
pub(crate) fn rated(item: &str, response: &FeedbackResponse) -> String {
    let stats = response.item_stats.unwrap_or_default();
    let flag = if stats.flagged { " It is flagged for review." } else { "" };
    format!("Noted. {}: {} useful, {} not useful.{flag}", inline(item, 80), stats.useful, stats.not_useful)
}

/// Formats the state of memories, the outdated ones first.
pub(crate) fn verified(response: &VerifyResponse) -> String {
    let VerifyResponse { results, broken } = response;
    let memories = if results.len() == 1 { "memory" } else { "memories" };
    let state = if *broken == 0 { "all up to date".to_owned() } else { format!("{broken} out of date") };
    let mut text = format!("{} {memories} checked, {state}.", count(results.len() as u64));
    text.push('\n');
    let is_broken = |memory: &&VerifiedMemory| {
        memory.verification.as_ref().is_some_and(|verification| !verification.broken.is_empty())
    };
    let (first, rest): (Vec<_>, Vec<_>) = results.iter().partition(is_broken);
    let mut left = results.len();
    for memory in first.into_iter().chain(rest) {
        let line = line(memory);
        if chars(&text) + chars(&line) > ANSWER_CHARS - TAIL_CHARS {
            let _ = write!(text, "- and {left} more; name ids to see them");
            break;
        }
        text.push_str(&line);
        left -= 1;
    }
    text
}

fn line(memory: &VerifiedMemory) -> String {
    let VerifiedMemory { id, title, verification } = memory;
    let verification = verification.clone().unwrap_or_default();
    let mut line = format!("- {} · {} · {}", inline(id, 20), inline(title, TITLE_CHARS), state(verification.state()));
    for Anchor { path, symbol, .. } in verification.broken.iter().take(5) {
        let symbol = if symbol.is_empty() { String::new() } else { format!("{} in ", inline(symbol, 80)) };
        let _ = write!(line, "; {symbol}{}", inline(path, 400));
    }
    line.push('\n');
    line
}

fn state(state: VerificationState) -> &'static str {
    match state {
        VerificationState::Verified => "verified",
        VerificationState::Changed => "changed",
        VerificationState::Gone => "gone",
        VerificationState::Unanchored => "unanchored",
        VerificationState::Unspecified => "not checked",
    }
}

/// Formats the new store of a promoted memory.
pub(crate) fn promoted(response: &PromoteResponse) -> String {
    format!("Promoted: {} is in the global store now, for every project.", inline(&response.id, 20))
}

#[cfg(test)]
mod tests {
    use recall_proto::v1::Verification;

    use super::*;

    #[test]
    fn a_repetition_is_rejected_with_similar_memories_and_advice() {
        let similar =
            SimilarMemory { id: "L-0123abcd".to_owned(), title: "Retries\nneed jitter".to_owned(), similarity: 0.914 };
        let response = AddResponse {
            id: "L-0123abcd".to_owned(),
            title: "Retries need jitter".to_owned(),
            status: AddStatus::Duplicate.into(),
            similar: vec![similar],
            warnings: Vec::new(),
        };
        insta::assert_snapshot!(added(&response), @r#"
        Not saved: L-0123abcd says nearly the same. Read it with recall_get; amend what it says by a memory with supersedes "L-0123abcd", or repeat the call with force true if this is another matter.
        Similar:
        - L-0123abcd · Retries need jitter · 0.91
        "#);
    }

    #[test]
    fn outdated_memories_are_shown_first() {
        let one = |id: &str, state: VerificationState, broken: &[&str]| VerifiedMemory {
            id: id.to_owned(),
            title: "T".to_owned(),
            verification: Some(Verification {
                state: state.into(),
                broken: broken.iter().map(|path| Anchor { path: (*path).to_owned(), ..Anchor::default() }).collect(),
                ..Verification::default()
            }),
        };
        let holds = one("L-00000001", VerificationState::Verified, &[]);
        let results = vec![holds, one("L-00000002", VerificationState::Gone, &["src/a.rs"])];
        insta::assert_snapshot!(verified(&VerifyResponse { results, broken: 1 }), @r"
        2 memories checked, 1 out of date.
        - L-00000002 · T · gone; src/a.rs
        - L-00000001 · T · verified
        ");
    }
}
