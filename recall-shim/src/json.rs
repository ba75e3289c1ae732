//! Answers in the schema of `recall --json`, paginated like the text answers.

use std::path::{Path, PathBuf};

use recall_api::v1::{
    ExactResponse, GetResponse, GraphResponse, Hit, ListResponse, RelatedResponse, SearchResponse, WhyResponse,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::render::index::Run;
use crate::render::{self, ANSWER_CHARS, Place, TooMany, clean};

/// A symbol takes about 120 characters, so these leave more than half of an answer to the text.
const MOST_SYMBOLS: usize = 100;

/// The size of an answer without its entries.
const AROUND_CHARS: usize = 500;

/// Returns the answer to a search whose first hit is the `offset`th; `cursor` makes the cursor of the page that starts at a
/// hit.
///
/// Hits that do not fit are left to the next page. The first hit is always included, with its text cut if necessary.
pub(crate) fn search(
    response: &SearchResponse,
    offset: u32,
    reminder: Option<&str>,
    cursor: impl Fn(u32) -> String,
) -> Value {
    let mut response = response.clone();
    loop {
        let shown = response.results.len() as u32;
        let next = response.next_offset.map(|_| offset + shown);
        let mut answer = object(recall_api::json::answer(&response));
        answer.insert("next_offset".to_owned(), next.into());
        answer.insert("cursor".to_owned(), next.map(&cursor).into());
        answer.extend(reminder.map(|reminder| ("_judge_reminder".to_owned(), reminder.into())));
        let excess = excess(&answer);
        if excess == 0 {
            return Value::Object(answer);
        }
        match response.results.as_mut_slice() {
            [] => return Value::Object(answer),
            [hit] => {
                if !shorten_longest(hit, excess) {
                    return Value::Object(answer);
                }
            }
            [..] => {
                response.results.pop();
                response.next_offset = Some(offset + shown - 1);
            }
        }
    }
}

/// Returns the answer to an exact search whose first line is the `offset`th. Lines that do not fit are left to the next page.
pub(crate) fn exact(response: &ExactResponse, offset: u32, cursor: impl Fn(u32) -> String) -> Value {
    let mut response = response.clone();
    loop {
        let shown = response.results.len() as u32;
        let next = response.next_offset.map(|_| offset + shown);
        let mut answer = object(recall_api::json::answer(&response));
        answer.insert("next_offset".to_owned(), next.into());
        answer.insert("cursor".to_owned(), next.map(&cursor).into());
        if excess(&answer) == 0 || shown <= 1 {
            return Value::Object(answer);
        }
        response.results.pop();
        response.next_offset = Some(offset + shown - 1);
    }
}

/// Returns an item, from a place on; `cursor` makes the cursor of the page that starts at a place.
pub(crate) fn get(response: &GetResponse, from: Option<Place>, cursor: impl Fn(Place) -> String) -> Value {
    let (content, first_line) = render::body(response);
    let content = content.to_owned();
    let mut response = response.clone();
    // The outline of a long file must not leave its text without room.
    response.symbols.truncate(MOST_SYMBOLS);
    let mut fitting_chars = ANSWER_CHARS;
    loop {
        let page = render::page(&content, first_line, from, fitting_chars);
        (response.start_line, response.end_line) = (page.first_line, page.last_line);
        match &mut response.chunk {
            Some(chunk) if response.text.is_empty() => page.text.clone_into(&mut chunk.text),
            _ => page.text.clone_into(&mut response.text),
        }
        let mut answer = object(recall_api::json::answer(&response));
        answer.insert("cursor".to_owned(), page.rest.map(&cursor).into());
        let shown_chars = page.text.chars().count();
        match excess(&answer) {
            0 => return Value::Object(answer),
            _ if shown_chars <= 1 => return Value::Object(answer),
            excess => fitting_chars = shown_chars.saturating_sub(excess).max(shown_chars / 2),
        }
    }
}

/// Returns a page of a listing.
///
/// # Errors
/// There are more entries than fit in one answer.
pub(crate) fn list(response: &ListResponse) -> Result<Value, TooMany> {
    let answer = object(recall_api::json::answer(response));
    let excess = excess(&answer);
    let entries = response.entries.len();
    if excess == 0 || entries <= 1 {
        return Ok(Value::Object(answer));
    }
    let fitting = entries * (ANSWER_CHARS - AROUND_CHARS) / (ANSWER_CHARS + excess);
    Err(TooMany { fitting: fitting.clamp(1, entries - 1) as u32 })
}

/// Returns the documents related to one; leaves out the farthest if they do not fit in one answer.
pub(crate) fn related_answer(response: &RelatedResponse) -> Value {
    let mut response = response.clone();
    loop {
        let answer = object(recall_api::json::answer(&response));
        if excess(&answer) == 0 || response.results.len() <= 1 {
            return Value::Object(answer);
        }
        response.results.pop();
    }
}

/// Returns where lines come from; leaves out the last ones if they do not fit in one answer.
pub(crate) fn why(response: &WhyResponse) -> Value {
    let mut response = response.clone();
    loop {
        let answer = object(recall_api::json::answer(&response));
        if excess(&answer) == 0 || response.ranges.len() <= 1 {
            return Value::Object(answer);
        }
        response.ranges.truncate(response.ranges.len() / 2);
    }
}

/// Returns a part of the graph; leaves out the farthest nodes if they do not fit in one answer.
pub(crate) fn graph(response: &GraphResponse) -> Value {
    let mut response = response.clone();
    loop {
        let answer = object(recall_api::json::answer(&response));
        let excess = excess(&answer);
        let nodes = response.nodes.len();
        if excess == 0 || nodes <= 1 {
            return Value::Object(answer);
        }
        let fitting = nodes * (ANSWER_CHARS - AROUND_CHARS) / (ANSWER_CHARS + excess);
        response.nodes.truncate(fitting.clamp(1, nodes - 1));
        let is_shown = |id: &str| response.nodes.iter().any(|node| node.id == id);
        response.edges.retain(|edge| is_shown(&edge.from) && is_shown(&edge.to));
        response.truncated = true;
    }
}

/// Returns the result of an indexing run.
pub(crate) fn index(run: &Run) -> Value {
    Value::Object(object(recall_api::json::index_answer(&run.finished, &run.warnings)))
}

/// Returns the files that initialised the project, and the result of its first indexing.
pub(crate) fn init_answer(root: &Path, written: &[PathBuf], run: &Run) -> Value {
    let shown = |path: &Path| Value::from(clean(&path.to_string_lossy()).into_owned());
    let mut answer = object(recall_api::json::index_answer(&run.finished, &run.warnings));
    answer.insert("root".to_owned(), shown(root));
    answer.insert("changed".to_owned(), (!written.is_empty()).into());
    answer.insert("written".to_owned(), written.iter().map(|path| shown(path)).collect());
    Value::Object(answer)
}

/// Returns an answer that needs no pagination.
pub(crate) fn plain(message: impl Serialize) -> Value {
    Value::Object(object(recall_api::json::answer(message)))
}

fn object(answer: impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(answer).expect("the keys of answers are strings") {
        Value::Object(mut object) => {
            object.values_mut().for_each(clean_all);
            object
        }
        other => unreachable!("an answer is an object, not {other}"),
    }
}

fn clean_all(value: &mut Value) {
    match value {
        Value::String(text) => {
            let cleaned = clean(text);
            if cleaned != *text {
                *text = cleaned.into_owned();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(clean_all),
        Value::Object(values) => values.values_mut().for_each(clean_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns by how many characters an answer exceeds the limit.
fn excess(answer: &Map<String, Value>) -> usize {
    let written = serde_json::to_string(answer).expect("a JSON object serializes");
    written.chars().count().saturating_sub(ANSWER_CHARS)
}

/// Shortens the longest text of a hit: that of its chunk, of its memory or of its document. Returns whether there was one.
fn shorten_longest(hit: &mut Hit, by_chars: usize) -> bool {
    let chunk = hit.chunk.as_mut().map(|chunk| &mut chunk.text);
    let memory = hit.memory.as_mut().map(|memory| &mut memory.content);
    let texts = [chunk, memory, hit.parent_text.as_mut()].into_iter().flatten();
    let Some(longest) = texts.max_by_key(|text| text.len()).filter(|text| !text.is_empty()) else { return false };
    *longest = shorten(longest, by_chars);
    let kept = hit.chunk.as_ref().map_or(0, |chunk| chunk.text.len());
    hit.highlights.retain(|range| range.end as usize <= kept);
    true
}

/// Returns a text shortened by about `by_chars` characters, but at most by half, and to the end of a line if there is one.
///
/// JSON escapes a character with several, so that cutting the whole excess at once could remove far too much.
fn shorten(text: &str, by_chars: usize) -> String {
    let length_chars = text.chars().count();
    let kept = length_chars.saturating_sub(by_chars).max(length_chars / 2);
    let end = text.char_indices().nth(kept).map_or(text.len(), |(end, _)| end);
    let end = text[..end].rfind('\n').map_or(end, |at| at + 1);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use recall_api::v1::{GraphEdge, GraphNode, ListEntry, Memory, Symbol};

    use super::*;
    use crate::render::sample::{doc, hit, sample_answer};

    fn size(answer: &Value) -> usize {
        answer.to_string().chars().count()
    }

    #[test]
    fn hits_that_do_not_fit_are_left_to_the_next_page() {
        let text = "a \"quoted\" line\n".repeat(600);
        let large = || hit(doc("a.rs", "code", "rust"), "f", &text);
        let answer = search(&sample_answer(vec![large(), large(), large(), large()]), 4, None, |position| {
            format!("<{position}>")
        });
        assert!(size(&answer) <= ANSWER_CHARS);
        assert_eq!(answer["results"].as_array().map(Vec::len), Some(2));
        assert_eq!((&answer["next_offset"], &answer["cursor"]), (&6.into(), &"<6>".into()));
    }

    #[test]
    fn a_hit_that_is_larger_than_an_answer_is_cut() {
        let answer =
            search(&sample_answer(vec![hit(doc("a.rs", "code", "rust"), "f", &"x\n".repeat(50_000))]), 0, None, |_| {
                String::new()
            });
        assert!(size(&answer) <= ANSWER_CHARS);
        assert!(
            answer["results"][0]["chunk"]["text"]
                .as_str()
                .is_some_and(|text| text.len() > 1_000 && text.ends_with('\n'))
        );
        assert!(answer["cursor"].is_null());
    }

    #[test]
    fn a_large_memory_is_cut_wherever_its_text_is() {
        let text = "a line of a large memory\n".repeat(20_000);
        let mut large = hit(doc("L-0123abcd", "lesson", ""), "", &text);
        large.memory = Some(Memory { content: text.clone(), ..Memory::default() });
        let answer = search(&sample_answer(vec![large]), 0, None, |_| String::new());
        assert!(size(&answer) <= ANSWER_CHARS, "{}", size(&answer));
        let [chunk, memory] = [&answer["results"][0]["chunk"]["text"], &answer["results"][0]["memory"]["content"]];
        assert!(chunk.as_str().is_some_and(|text| text.len() > 1_000), "{chunk}");
        assert!(memory.as_str().is_some_and(|text| text.len() > 1_000), "{memory}");
    }

    #[test]
    fn invisible_characters_are_removed_from_every_text() {
        let answer = search(
            &sample_answer(vec![hit(doc("a\u{202e}.rs", "code", "rust"), "f\u{1b}[31m", "x\u{200b}y")]),
            0,
            Some("judge"),
            |_| String::new(),
        );
        assert_eq!(answer["_judge_reminder"], "judge");
        let hit = &answer["results"][0];
        assert_eq!(
            (&hit["doc"]["path"], &hit["chunk"]["symbol"], &hit["chunk"]["text"]),
            (&"a.rs".into(), &"f".into(), &"xy".into())
        );
    }

    #[test]
    fn the_pages_of_a_long_document_are_all_of_it() {
        let text: String = "a \"quoted\" line\n".repeat(5_000);
        let symbols = vec![Symbol { qualified: "a::b".to_owned(), ..Symbol::default() }; 500];
        let response = GetResponse { text: text.clone(), start_line: 1, symbols, ..GetResponse::default() };
        let (mut from, mut joined) = (None, String::new());
        loop {
            let next = std::cell::Cell::new(None);
            let answer = get(&response, from, |place| {
                next.set(Some(place));
                String::new()
            });
            assert!(size(&answer) <= ANSWER_CHARS);
            joined.push_str(answer["text"].as_str().expect("text"));
            // The places of attempts that did not fit are not those of the page.
            from = next.get().filter(|_| !answer["cursor"].is_null());
            if from.is_none() {
                break;
            }
        }
        assert_eq!(joined, text);
    }

    #[test]
    fn a_large_graph_keeps_its_nearest_nodes() {
        let node =
            |number: u32| GraphNode { id: format!("node {number}"), path: "a/".repeat(200), ..GraphNode::default() };
        let edge = |number: u32| GraphEdge {
            from: "node 0".to_owned(),
            to: format!("node {number}"),
            relation: "imports".to_owned(),
        };
        let response = GraphResponse {
            nodes: (0..200).map(node).collect(),
            edges: (1..200).map(edge).collect(),
            ..GraphResponse::default()
        };
        let answer = graph(&response);
        let (nodes, edges) = (answer["nodes"].as_array().expect("nodes"), answer["edges"].as_array().expect("edges"));
        assert!(size(&answer) <= ANSWER_CHARS && answer["truncated"] == true);
        assert!(nodes.len() > 30 && edges.len() == nodes.len() - 1, "{} {}", nodes.len(), edges.len());
    }

    #[test]
    fn too_many_entries_say_how_many_fit() {
        let entry = ListEntry { doc: Some(doc("a.rs", "code", "rust")), ..ListEntry::default() };
        let listing = |entries| ListResponse { entries: vec![entry.clone(); entries], ..ListResponse::default() };
        let TooMany { fitting } = list(&listing(1_000)).expect_err("a thousand do not fit");
        assert!(list(&listing(fitting as usize)).is_ok());
    }
}
