//! The answer with an added memory.

use std::fmt::Write as _;

use recall_api::v1::{AddResponse, AddStatus, SimilarMemory};

use super::notes::notes;
use crate::render::text::{TITLE_CHARS, inline};

/// The most cues that are named.
const MOST_CUES: usize = 6;

/// Formats the result of adding a memory.
pub(crate) fn render_add(response: &AddResponse) -> String {
    let AddResponse { id, title, status: _, cues, similar, warnings } = response;
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
    if !cues.is_empty() {
        let cues: Vec<String> = cues.iter().take(MOST_CUES).map(|cue| inline(cue, TITLE_CHARS)).collect();
        let _ = write!(text, " Shown unasked at {}.", cues.join(", "));
    }
    if !similar.is_empty() {
        text.push_str("\nSimilar:");
        for SimilarMemory { id, title, similarity } in similar {
            let _ = write!(text, "\n- {} · {} · {similarity:.2}", inline(id, 20), inline(title, TITLE_CHARS));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_is_rejected_with_similar_memories_and_advice() {
        let similar =
            SimilarMemory { id: "L-0123abcd".to_owned(), title: "Retries\nneed jitter".to_owned(), similarity: 0.914 };
        let response = AddResponse {
            id: "L-0123abcd".to_owned(),
            title: "Retries need jitter".to_owned(),
            status: AddStatus::Duplicate.into(),
            cues: Vec::new(),
            similar: vec![similar],
            warnings: Vec::new(),
        };
        insta::assert_snapshot!(render_add(&response), @r#"
        Not saved: L-0123abcd says nearly the same. Read it with recall_get; amend what it says by a memory with supersedes "L-0123abcd", or repeat the call with force true if this is another matter.
        Similar:
        - L-0123abcd · Retries need jitter · 0.91
        "#);
    }
}
