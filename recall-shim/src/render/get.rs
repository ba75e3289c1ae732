//! The answers with one item, and with an added memory.

use std::fmt::Write as _;

use super::text::{Place, fence, fence_block, moment, notes, number_lines};
use crate::render::origin::origin;
use crate::render::text::{ANSWER_CHARS, TAIL_CHARS, TITLE_CHARS, chars, clean, inline};
use recall_api::v1::{AddResponse, AddStatus, GetResponse, SimilarMemory};

/// The maximum number of related files shown for a memory.
const MOST_FILES: usize = 10;

/// Returns the text of an item, and the number of its first line.
pub(crate) fn body(response: &GetResponse) -> (&str, u32) {
    match &response.chunk {
        Some(chunk) if response.text.is_empty() => (&chunk.text, chunk.start_line),
        _ => (&response.text, response.start_line.max(1)),
    }
}

/// Formats an item, from a place on; `cursor` makes the cursor of the page that starts at a place.
pub(crate) fn get(response: &GetResponse, from: Option<Place>, cursor: impl Fn(Place) -> String) -> String {
    let doc = response.doc.clone().unwrap_or_default();
    let (content, first_line) = body(response);
    let mut text = notes(&response.warnings, None);
    let _ = write!(text, "{}", inline(&response.citation, 400));
    if let Some(chunk) = response.chunk.as_ref().filter(|chunk| !chunk.symbol.is_empty()) {
        let _ = write!(text, " · {}", inline(&chunk.symbol, 160));
    }
    if let Some(memory) = &response.memory {
        let _ = write!(text, " · {}", inline(&memory.title, 160));
    }
    let id = response.chunk.as_ref().map_or(doc.id.as_str(), |chunk| chunk.id.as_str());
    let facts = [
        Some(origin(&doc, response.memory.as_ref())),
        Some(inline(&doc.r#type, 20)),
        Some(format!("id {}", inline(id, 80))),
        moment(doc.updated_at.as_ref()).map(|moment| format!("updated {moment}")),
    ];
    let _ = writeln!(text, "\n    {}", facts.into_iter().flatten().collect::<Vec<_>>().join(" · "));
    let about = response.memory.iter().flat_map(|memory| &memory.related_files);
    let about: Vec<String> = about.take(MOST_FILES).map(|path| inline(path, 200)).collect();
    if !about.is_empty() {
        let _ = writeln!(text, "    about {}", about.join(", "));
    }
    if content.is_empty() {
        text.push_str("It is empty.");
        return text;
    }
    let fence = fence([content, doc.title.as_str(), response.citation.as_str()]);
    let room = ANSWER_CHARS.saturating_sub(TAIL_CHARS + chars(&text) + 2 * fence.len());
    let page = number_lines(content, first_line, from, room);
    text.push_str(&fence_block(&fence, &doc.language, &page.text));
    if let Some(place) = page.rest {
        let last_line = first_line as usize + content.lines().count() - 1;
        let _ = write!(
            text,
            "More, from line {} of {last_line}: repeat the call with cursor \"{}\".",
            place.line,
            cursor(place)
        );
    }
    text
}

/// Formats a memory as a document: its title, its origin and related files, then its content as written.
pub(crate) fn memory(response: &GetResponse) -> String {
    let doc = response.doc.clone().unwrap_or_default();
    let memory = response.memory.clone().unwrap_or_default();
    let what = origin(&doc, response.memory.as_ref());
    let mut text = format!("# {}\n\n{} · {what}", inline(&memory.title, 160), inline(&memory.id, 20));
    for (word, names) in [("about", &memory.related_files), ("tags", &memory.tags), ("shown unasked at", &memory.cues)]
    {
        let names: Vec<String> = names.iter().take(MOST_FILES).map(|name| inline(name, 200)).collect();
        if !names.is_empty() {
            let _ = write!(text, "\n{word} {}", names.join(", "));
        }
    }
    let _ = write!(text, "\n\n{}", clean(&response.text));
    text
}

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
        AddStatus::Proposed => {
            write!(text, "Proposed as {id} · {title}. It is not found until a person accepts it; do not add it again.")
        }
        AddStatus::Added | AddStatus::Unspecified => write!(text, "Saved as {id} · {title}."),
    };
    if !cues.is_empty() {
        let cues: Vec<String> = cues.iter().take(MOST_CUES).map(|cue| inline(cue, TITLE_CHARS)).collect();
        let _ = write!(text, " Shown unasked at {}.", cues.join(", "));
    }
    if !similar.is_empty() {
        text.push_str("\nSimilar:");
        for SimilarMemory { id, title, similarity, relation, .. } in similar {
            let _ = write!(text, "\n- {} · {} · {similarity:.2}", inline(id, 20), inline(title, TITLE_CHARS));
            if !relation.is_empty() {
                let _ = write!(text, " · {}", inline(relation, 20));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use recall_api::v1::Chunk;

    use super::*;
    use crate::render::sample::doc;

    fn whole(text: &str) -> GetResponse {
        let end_line = text.lines().count() as u32;
        GetResponse {
            doc: Some(doc("src/store.rs", "code", "rust")),
            citation: format!("src/store.rs:1-{end_line}@0123456789ab"),
            text: text.to_owned(),
            start_line: 1,
            end_line,
            ..GetResponse::default()
        }
    }

    fn cursor(place: Place) -> String {
        format!("{}.{}", place.line, place.within)
    }

    #[test]
    fn a_document_is_cited_and_quoted() {
        insta::assert_snapshot!(get(&whole("fn a() {}\nfn b() {}\n"), None, cursor), @r"
        src/store.rs:1-2@0123456789ab
            project file · code · id 0123456789abcdef · updated 2023-11-14 22:13 UTC
        ```rust
        1 | fn a() {}
        2 | fn b() {}
        ```
        ");
        assert!(get(&whole(""), None, cursor).ends_with("It is empty."));
    }

    #[test]
    fn a_memory_is_shown_with_its_title_and_files() {
        let memory = recall_api::v1::Memory {
            title: "Opening waits".to_owned(),
            related_files: vec!["src/store.rs".to_owned()],
            ..recall_api::v1::Memory::default()
        };
        let mut response = GetResponse { memory: Some(memory), ..whole("For the lock.\n") };
        response.citation = "L-0123abcd:1-1@0123456789ab".to_owned();
        let as_resource = super::memory(&response);
        assert!(as_resource.starts_with("# Opening waits\n\n"), "{as_resource}");
        assert!(as_resource.ends_with("\nabout src/store.rs\n\nFor the lock.\n"), "{as_resource}");
        let text = get(&response, None, cursor);
        assert!(text.starts_with("L-0123abcd:1-1@0123456789ab · Opening waits\n"), "{text}");
        assert!(text.contains("\n    about src/store.rs\n"), "{text}");
    }

    #[test]
    fn a_chunk_keeps_its_line_numbers() {
        let mut response = whole("");
        response.chunk = Some(Chunk {
            id: "0123456789abcdef-2".to_owned(),
            text: "fn b() {}\n".to_owned(),
            start_line: 2,
            end_line: 2,
            symbol: "fn b".to_owned(),
            ..Chunk::default()
        });
        let text = get(&response, None, cursor);
        assert!(
            text.contains("· fn b\n") && text.contains("id 0123456789abcdef-2 ") && text.contains("\n2 | fn b() {}\n")
        );
    }

    #[test]
    fn the_pages_of_a_long_document_are_all_of_it() {
        let text = "a line of a document that is long\n".repeat(3_000);
        let response = whole(&text);
        let (mut from, mut numbers) = (None, Vec::new());
        loop {
            let next = std::cell::Cell::new(None);
            let page = get(&response, from, |place| {
                next.set(Some(place));
                cursor(place)
            });
            assert!(page.chars().count() <= ANSWER_CHARS);
            numbers.extend(page.lines().filter_map(|line| line.split_once(" | ")?.0.trim().parse::<u32>().ok()));
            from = next.get();
            if from.is_none() {
                break;
            }
        }
        assert_eq!(numbers, (1..=3_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_repetition_is_rejected_with_similar_memories_and_advice() {
        let similar = SimilarMemory {
            id: "L-0123abcd".to_owned(),
            title: "Retries\nneed jitter".to_owned(),
            similarity: 0.914,
            relation: "repeat".to_owned(),
            ..SimilarMemory::default()
        };
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
        - L-0123abcd · Retries need jitter · 0.91 · repeat
        "#);
    }
}
