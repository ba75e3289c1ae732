//! The text of one hit.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use recall_core::feature_words;
use recall_proto::v1::{Adopted, Chunk, Document, Doubt, Explain, Hit, Retrieved, StoreScope};

use super::quote::{Place, fenced, numbered};
use crate::render::clean::inline;
use crate::render::length::chars;
use crate::render::origin::origin;

/// The longest name shown. A path of symbols or headings is seldom longer; the bound limits hostile content.
const NAME_CHARS: usize = 160;

/// The longest signature or line shown; few are longer.
const SIGNATURE_CHARS: usize = 120;

/// How many features an explanation shows: further ones seldom add up to the weight of the last.
const MOST_FEATURES: usize = 10;

/// How many duplicate locations are shown.
const MOST_PLACES: usize = 5;

/// The text of a hit, and whether its content was cut to fit.
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) cut: bool,
}

/// Formats the `number`th hit of an answer, as far as it fits.
pub(super) fn hit(number: u32, hit: &Hit, fence: &str, fitting_chars: usize) -> Shown {
    let doc = hit.doc.clone().unwrap_or_default();
    let chunk = hit.chunk.clone().unwrap_or_default();
    let mut head = title(number, hit, &doc, &chunk);
    if !hit.also_at.is_empty() {
        let places: Vec<String> = hit.also_at.iter().take(MOST_PLACES).map(|place| inline(place, 400)).collect();
        let more = hit.also_at.len().saturating_sub(MOST_PLACES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let _ = writeln!(head, "    also at {}{more}", places.join(", "));
    }
    if let Some(explain) = &hit.explain {
        let _ = writeln!(head, "    because {}; score {:.4}", reasons(explain), hit.score);
    }
    let room = fitting_chars.saturating_sub(chars(&head) + 2 * fence.len() + 200);
    let content = numbered(&chunk.text, chunk.start_line, None, room);
    let mut text = head + &fenced(fence, &doc.language, &content.text);
    if let Some(Place { line, .. }) = content.rest {
        let _ = writeln!(
            text,
            "    cut at line {line} of {}: recall_get {} has the rest",
            chunk.end_line,
            inline(&hit.citation, 400)
        );
    }
    Shown { text, cut: content.rest.is_some() }
}

/// Formats a hit without its text: its title, and its signature or first meaningful line.
pub(super) fn brief(number: u32, hit: &Hit) -> String {
    let doc = hit.doc.clone().unwrap_or_default();
    let chunk = hit.chunk.clone().unwrap_or_default();
    let mut text = title(number, hit, &doc, &chunk);
    let first = chunk.text.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric));
    let says = if chunk.signature.is_empty() { first.unwrap_or_default() } else { &chunk.signature };
    if !says.is_empty() {
        let _ = writeln!(text, "    | {}", inline(says, SIGNATURE_CHARS));
    }
    text
}

/// Formats the lines above a hit's text.
fn title(number: u32, hit: &Hit, doc: &Document, chunk: &Chunk) -> String {
    let name = name(doc, chunk).map_or_else(String::new, |name| format!(" · {name}"));
    let facts = facts(hit, doc, chunk);
    let facts = if facts.is_empty() { String::new() } else { format!("\n    {facts}") };
    let mut title = format!("[{number}] {}{name}{facts}\n", inline(&hit.citation, 400));
    for Doubt { line, name, reason, .. } in hit.adopted.iter().flat_map(|adopted| &adopted.doubts).take(MOST_PLACES) {
        let _ = writeln!(title, "    outdated? line {line} names {}: {}", inline(name, 200), inline(reason, 200));
    }
    title
}

/// Returns the name of a chunk: its symbol, or the document's title unless that is only its file name.
fn name(doc: &Document, chunk: &Chunk) -> Option<String> {
    let file_name = doc.path.rsplit('/').next().unwrap_or_default();
    let title = Some(&doc.title).filter(|title| !title.is_empty() && title.as_str() != file_name);
    match (chunk.symbol.is_empty(), title) {
        (false, Some(title)) if doc.r#type != "code" && !chunk.symbol.starts_with(title.as_str()) => {
            Some(inline(&format!("{title} > {}", chunk.symbol), NAME_CHARS))
        }
        (false, _) => Some(inline(&chunk.symbol, NAME_CHARS)),
        (true, title) => title.map(|title| inline(title, NAME_CHARS)),
    }
}

fn facts(hit: &Hit, doc: &Document, chunk: &Chunk) -> String {
    let mut facts = Vec::new();
    // The origin is omitted for the common case, a file of the project.
    if hit.memory.is_some() || doc.scope() != StoreScope::Project || !doc.source.is_empty() {
        facts.push(origin(doc, hit.memory.as_ref()));
    }
    if hit.memory.is_none() && doc.r#type != "code" {
        facts.push(inline(&doc.r#type, 20));
    }
    if doc.r#type == "code" && !chunk.kind.is_empty() {
        facts.push(inline(&chunk.kind, 20));
    }
    if !matches!(doc.file_kind.as_str(), "" | "main") {
        facts.push(inline(&doc.file_kind, 20));
    }
    if !doc.tag.is_empty() {
        facts.push(inline(&format!("tags {}", doc.tag.join(", ")), NAME_CHARS));
    }
    if let Some(adopted) = &hit.adopted {
        facts.push(owner(adopted));
    }
    if hit.staleness >= 1.0 {
        facts.push("old: not changed or verified for long".to_owned());
    }
    // A file is identified by its citation, a memory by its id, whichever part of it was found.
    if hit.memory.is_some() {
        facts.push(format!("id {}", inline(&doc.id, 80)));
    }
    facts.join(" · ")
}

/// Describes whose file with instructions or memories it is.
fn owner(adopted: &Adopted) -> String {
    match adopted.owner.as_str() {
        "user" => format!("your own auto memory, in {}", inline(&adopted.file, 400)),
        "repository" => "instructions from the repository".to_owned(),
        _ => "instructions that are not committed".to_owned(),
    }
}

fn reasons(explain: &Explain) -> String {
    let Explain { lexical, semantic, symbol, path, fused, priors, rerank, contributions } = explain;
    let mut reasons = Vec::new();
    for (name, retrieved) in [("words", lexical), ("meaning", semantic), ("symbol", symbol), ("path", path)] {
        if let Some(Retrieved { rank, score, weight }) = retrieved {
            reasons.push(format!("{name} #{rank} ({score:.2}, weight {weight:.2})"));
        }
    }
    reasons.push(format!("fused {fused:.4}"));
    reasons.extend(priors.iter().map(|(name, factor)| format!("{} ×{factor:.2}", inline(name, 40))));
    if let Some(rerank) = rerank {
        reasons.push(format!("reranked {:.3} by {}", rerank.score, inline(&rerank.model, 60)));
    }
    reasons.extend(strongest(contributions));
    reasons.join(", ")
}

/// Returns the features with the largest contributions, in words: `text of the best passage +1.25`. JSON has all of them.
fn strongest(contributions: &BTreeMap<String, f64>) -> impl Iterator<Item = String> {
    let mut features: Vec<(&String, f64)> = contributions.iter().map(|(name, part)| (name, *part)).collect();
    features.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(b.0)));
    let formatted = |(name, part): (&String, f64)| {
        let words = feature_words(name).map_or_else(|| inline(name, 40), ToOwned::to_owned);
        format!("{words} {part:+.2}")
    };
    features.into_iter().take(MOST_FEATURES).map(formatted)
}
