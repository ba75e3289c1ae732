//! The text of one hit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use recall_api::v1::{Adopted, Chunk, Document, Doubt, Explain, Hit, Retrieved, StoreScope};
use recall_core::feature_words;

use super::text::numbered_lines;
use crate::render::origin::origin;
use crate::render::text::{clean, inline};

/// The longest name shown. A path of symbols or headings is seldom longer; the bound limits hostile content.
const NAME_CHARS: usize = 160;

/// The longest signature or line shown; few are longer.
const SIGNATURE_CHARS: usize = 120;

/// How many features an explanation shows: further ones seldom add up to the weight of the last.
const MOST_FEATURES: usize = 10;

/// How many duplicate locations are shown.
const MOST_PLACES: usize = 5;

/// The parts of a hit, of which an answer shows what fits.
pub(super) struct Parts {
    /// The title, without further places and reasons.
    pub(super) title: String,
    /// The title with further places and reasons, which stands above a quote.
    pub(super) head: String,
    /// The numbered lines of the quote, from the first one that is not blank.
    pub(super) lines: Vec<String>,
    /// The line that matches best, for a hit that is not quoted.
    pub(super) matched: String,
    pub(super) language: String,
    citation: String,
    /// The number of the first line, and of the last one of the chunk.
    first_line: u32,
    last_line: u32,
}

impl Parts {
    /// Formats the note that the lines from a place on are left out.
    pub(super) fn rest_from(&self, lines: usize) -> String {
        let line = self.first_line + lines as u32;
        let get = &self.citation;
        format!("    cut at line {line} of {}: recall_get {get} has the rest\n", self.last_line)
    }

    /// Leaves out all of the title but the citation and the name, cut to a length, for an answer with little room.
    pub(super) fn shorten(&mut self, title_chars: usize) {
        let title = self.title.lines().next().unwrap_or_default();
        self.title = inline(title, title_chars) + "\n";
        self.head.clone_from(&self.title);
    }

    /// Cuts the first line.
    pub(super) fn cut_first_line(&mut self, chars: usize) {
        self.lines.truncate(1);
        if let Some(line) = self.lines.first_mut()
            && let Some((end, _)) = line.char_indices().nth(chars)
        {
            line.truncate(end);
            line.push_str("…\n");
        }
    }
}

/// Formats the parts of the `number`th hit of an answer.
pub(super) fn parts(number: u32, hit: &Hit) -> Parts {
    let doc = hit.doc.clone().unwrap_or_default();
    let chunk = hit.chunk.clone().unwrap_or_default();
    let title = title(number, hit, &doc, &chunk);
    let mut head = title.clone();
    if !hit.also_at.is_empty() {
        let places: Vec<String> = hit.also_at.iter().take(MOST_PLACES).map(|place| inline(place, 400)).collect();
        let more = hit.also_at.len().saturating_sub(MOST_PLACES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let _ = writeln!(head, "    also at {}{more}", places.join(", "));
    }
    if let Some(explain) = &hit.explain {
        let _ = writeln!(head, "    because {}; score {:.4}", reasons(explain), hit.score);
    }
    let matched = match matching_line(hit, &doc, &chunk) {
        "" => String::new(),
        line => format!("    | {}\n", inline(line, SIGNATURE_CHARS)),
    };
    let blank = chunk.text.lines().take_while(|line| clean(line).trim().is_empty()).count();
    let lines = numbered_lines(&chunk.text, chunk.start_line);
    Parts {
        title,
        head,
        // A text that is blank as a whole is shown as it is.
        first_line: chunk.start_line + if blank < lines.len() { blank as u32 } else { 0 },
        lines: if blank < lines.len() { lines[blank..].to_vec() } else { lines },
        matched,
        language: doc.language,
        citation: inline(&hit.citation, 400),
        last_line: chunk.end_line,
    }
}

/// Returns the line of a hit with the most different words of the query, but not its heading, which is in its title. Without
/// such a word, the signature or the first meaningful line.
fn matching_line<'c>(hit: &Hit, doc: &Document, chunk: &'c Chunk) -> &'c str {
    let heading = |line: &str| {
        let bare = bare(line);
        let last = chunk.symbol.rsplit(" > ").next().unwrap_or_default();
        [doc.title.as_str(), chunk.symbol.as_str(), last].iter().any(|name| self::bare(name) == bare)
    };
    let mut best: (usize, &str) = (0, "");
    let mut start = 0;
    for line in chunk.text.split_inclusive('\n') {
        let end = start + line.len();
        let inside = hit.highlights.iter().map(|range| (range.start as usize, range.end as usize));
        let words: BTreeSet<String> = inside
            .filter(|&(from, to)| start <= from && to <= end)
            .filter_map(|(from, to)| chunk.text.get(from..to))
            .map(str::to_lowercase)
            .collect();
        if words.len() > best.0 && !heading(line) {
            best = (words.len(), line.trim());
        }
        start = end;
    }
    if best.0 > 0 {
        return best.1;
    }
    if !chunk.signature.is_empty() {
        return &chunk.signature;
    }
    let mut meaningful = chunk.text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let first = meaningful.clone().next().unwrap_or_default();
    meaningful.find(|line| !heading(line)).unwrap_or(first)
}

/// Returns a heading without its marks.
fn bare(line: &str) -> String {
    line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
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
        "user" => format!("your own {} memory, in {}", inline(&adopted.agent, 20), inline(&adopted.file, 400)),
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
