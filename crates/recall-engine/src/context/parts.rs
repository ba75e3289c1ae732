//! Parts of documents, from hits, from whole files, and from the passages that a report is about.
//!
//! A file is found by the title of a report. Which of its functions is meant, the rest of the report says too: it names what was
//! called, and quotes what was printed. So the passages of a file are compared with each other by all of its words.

use std::collections::BTreeMap;

use recall_core::{ChunkKind, Symbol};
use recall_text::{Report, clean};

use crate::context::draft::Part;
use crate::inspect::Item;
use crate::search::Hit;
use recall_index::lexical::terms;
use recall_text::quote::inline;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most characters of a line. Longer lines are data or minified code.
const LINE_CHARS: usize = 300;

/// The most lines of a hit that are kept first for the words of the query that they contain.
const TELLING_LINES: usize = 3;

/// The most characters of a gist.
const GIST_CHARS: usize = 120;

/// The lines around a changed line that are shown if no definition contains it.
const AROUND: u32 = 3;

/// Returns the lines of a text, cleaned and bounded.
fn lines_of(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.split('\n').map(|line| shorten(&clean(line), LINE_CHARS)).collect();
    while lines.len() > 1 && lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

fn shorten(line: &str, most_chars: usize) -> String {
    match line.char_indices().nth(most_chars) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.trim_end().to_owned(),
    }
}

/// Returns the part that a hit covers. Its first line and the lines with the most words of the query come first.
pub(crate) fn from_hit(hit: &Hit) -> Part {
    let lines = lines_of(&hit.text);
    let line_at = |byte: usize| hit.text.get(..byte).map_or(0, |before| before.matches('\n').count());
    // The definition begins after its doc comment. Masking may have moved the text, then the first line stands for it.
    let comment = hit.chunk.doc_comment.map_or(0, |comment| comment.end.saturating_sub(hit.chunk.span.bytes.start));
    let from = if comment > 0 { line_at(comment as usize) } else { 0 };
    let is_text = |line: &String| !line.trim().is_empty();
    let first = (from..lines.len()).find(|&at| is_text(&lines[at]) && (at > from || comment == 0)).unwrap_or(0);
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    for range in &hit.highlights {
        *found.entry(line_at(range.start)).or_default() += 1;
    }
    let mut telling: Vec<(usize, usize)> = found.into_iter().filter(|(at, _)| *at < lines.len()).collect();
    telling.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let best = telling.first().map_or(first, |(at, _)| *at);
    let gist = match &hit.chunk.signature {
        Some(signature) if hit.chunk.kind != ChunkKind::Section => signature.as_str(),
        _ => &lines[best],
    };
    let gist = shorten(&inline(gist), GIST_CHARS);
    let mut key_lines = vec![first];
    key_lines.extend(telling.iter().map(|(at, _)| *at).filter(|at| *at != first).take(TELLING_LINES));
    Part { first_line: hit.chunk.span.start_line, key_lines, gist, most_lines: lines.len(), lines }
}

/// Returns a whole file as one part that shows the first line of each definition, or as much as it has lines if it has none.
pub(crate) fn outline(item: &Item) -> Part {
    let lines = lines_of(&item.text);
    let mut key_lines: Vec<usize> = Vec::new();
    for symbol in &item.symbols {
        let at = definition_line(&lines, symbol);
        if !key_lines.contains(&at) {
            key_lines.push(at);
        }
    }
    let names: Vec<&str> = item.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    let gist = shorten(&inline(&names.join(", ")), GIST_CHARS);
    let most_lines = if key_lines.is_empty() { lines.len() } else { key_lines.len() };
    Part { first_line: 1, key_lines, gist, most_lines, lines }
}

/// Returns the index of the line that names a symbol: the first of its lines with the name.
fn definition_line(lines: &[String], symbol: &Symbol) -> usize {
    let last = lines.len() - 1;
    let from = (symbol.span.start_line as usize).saturating_sub(1).min(last);
    let to = (symbol.span.end_line as usize).saturating_sub(1).min(last);
    let names = |at: &usize| {
        let line = lines[*at].trim_start();
        line.contains(&symbol.name) && !["//", "#", "*", "/*", "--", "\"\"\""].iter().any(|mark| line.starts_with(mark))
    };
    (from..=to).find(names).unwrap_or(from)
}

/// Returns the parts of a file around lines: the definitions that contain them, or a few lines around.
pub(crate) fn around(item: &Item, wanted: &[(u32, u32)]) -> Vec<Part> {
    let lines = lines_of(&item.text);
    let count = lines.len() as u32;
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for &(start, end) in wanted {
        let span = match definition_at(&item.symbols, (start, end)) {
            Some(symbol) => (symbol.span.start_line, symbol.span.end_line),
            None => (start.saturating_sub(AROUND).max(1), end.saturating_add(AROUND)),
        };
        let span = (span.0.min(count).max(1), span.1.min(count));
        match spans.last_mut() {
            Some(last) if span.0 <= last.1 + 1 => last.1 = last.1.max(span.1),
            _ => spans.push(span),
        }
    }
    spans.iter().map(|span| part_of(&lines, &item.symbols, *span, wanted)).collect()
}

/// Returns a passage of a file as a part; `None` if the file has fewer lines.
pub(crate) fn passage(item: &Item, (start, end): (u32, u32)) -> Option<Part> {
    let lines = lines_of(&item.text);
    let end = end.min(lines.len() as u32);
    (1..=end).contains(&start).then(|| part_of(&lines, &item.symbols, (start, end), &[]))
}

/// Returns lines of a file as a part. The line that names their definition and the wanted lines come first.
fn part_of(lines: &[String], symbols: &[Symbol], (start, end): (u32, u32), wanted: &[(u32, u32)]) -> Part {
    let named = definition_at(symbols, (start, end)).map(|symbol| definition_line(lines, symbol) + 1);
    let first = named.map_or(0, |line| line.saturating_sub(start as usize));
    let lines = lines[start as usize - 1..end as usize].to_vec();
    let first = first.min(lines.len() - 1);
    let is_wanted = |at: &usize| {
        let line = start + *at as u32;
        *at != first && wanted.iter().any(|&(from, to)| (from..=to).contains(&line))
    };
    let key_lines: Vec<usize> = [first].into_iter().chain((0..lines.len()).filter(is_wanted)).collect();
    let gist = shorten(&inline(&lines[first]), GIST_CHARS);
    Part { first_line: start, key_lines, gist, most_lines: lines.len(), lines }
}

/// Returns the smallest definition that contains lines.
pub(crate) fn definition_at(symbols: &[Symbol], (start, end): (u32, u32)) -> Option<&Symbol> {
    let contains = |symbol: &&Symbol| symbol.span.start_line <= start && end <= symbol.span.end_line;
    symbols.iter().filter(contains).min_by_key(|symbol| symbol.span.end_line - symbol.span.start_line)
}

/// The weight of a term of the title; the other terms of a report count half of it.
const TITLE: f32 = 1.0;

/// The most terms of a report that are compared.
const MOST_TERMS: usize = 600;

/// The parameters of BM25. Passages are long or short by what they define, which says less than the length of a page.
const K1: f32 = 1.2;

const B: f32 = 0.5;

/// The words of a report, with their weights.
pub(crate) struct ReportTerms(BTreeMap<String, f32>);

/// Reads the words of a task that is a report; `None` if it is a question.
pub(crate) fn read_report(task: &str) -> Option<ReportTerms> {
    Report::read(task).map(|_| ReportTerms::read(task))
}

impl ReportTerms {
    /// Reads a report, the title in its first line.
    pub(crate) fn read(report: &str) -> Self {
        let mut weights = BTreeMap::new();
        let lines = report.trim_start().lines().filter(|line| !line.trim().is_empty());
        for (number, line) in lines.enumerate() {
            for term in terms(line) {
                if weights.len() < MOST_TERMS {
                    weights.entry(term).or_insert(if number == 0 { TITLE } else { TITLE / 2.0 });
                }
            }
        }
        Self(weights)
    }

    /// Returns the places of the passages with words of the report, the most telling first. A passage is its name and its text.
    ///
    /// A term counts by how few of the passages have it, and again if it is in the name.
    pub(crate) fn rank(&self, passages: &[(&str, &str)]) -> Vec<usize> {
        let passages: Vec<ComparedPassage> =
            passages.iter().map(|(name, text)| ComparedPassage::new(name, text)).collect();
        let mean_length = passages.iter().map(|passage| passage.length).sum::<f32>() / passages.len().max(1) as f32;
        let all = passages.len() as f32;
        let weights: Vec<(&String, f32)> = self
            .0
            .iter()
            .map(|(term, weight)| {
                let with = passages.iter().filter(|passage| passage.frequencies.contains_key(term)).count() as f32;
                (term, weight * (1.0 + (all - with + 0.5) / (with + 0.5)).ln())
            })
            .collect();
        let scores = passages.iter().map(|passage| passage.score(&weights, mean_length.max(1.0)));
        let mut ranked: Vec<(usize, f32)> = scores.enumerate().filter(|(_, score)| *score > 0.0).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.into_iter().map(|(place, _)| place).collect()
    }
}

/// The words of a passage.
struct ComparedPassage {
    name: FxHashSet<String>,
    frequencies: FxHashMap<String, f32>,
    length: f32,
}

impl ComparedPassage {
    fn new(name: &str, text: &str) -> Self {
        let frequencies = frequencies(text);
        Self { name: terms(name).into_iter().collect(), length: frequencies.values().sum(), frequencies }
    }

    fn score(&self, weights: &[(&String, f32)], mean_length: f32) -> f32 {
        let length = K1 * (1.0 - B + B * self.length / mean_length);
        let mut score = 0.0;
        for (term, weight) in weights {
            let Some(frequency) = self.frequencies.get(*term) else { continue };
            let in_name = if self.name.contains(*term) { 1.0 } else { 0.0 };
            score += weight * (frequency * (K1 + 1.0) / (frequency + length) + in_name);
        }
        score
    }
}

/// Counts the lines of a text that have each term.
fn frequencies(text: &str) -> FxHashMap<String, f32> {
    let mut counts = FxHashMap::default();
    for term in text.lines().flat_map(terms) {
        *counts.entry(term).or_default() += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_whole_report_choose_the_passage() {
        let passages = [
            ("open_session", "def open_session(user):\n    return Session(user)"),
            ("close_session", "def close_session(session):\n    session.flush()\n    session.done = True"),
            ("flush", "def flush(self):\n    self.stream.write(self.pending)"),
        ];
        let check = |report: &str, expected: &[usize]| {
            assert_eq!(ReportTerms::read(report).rank(&passages), expected, "{report}");
        };
        check("Sessions are lost\n\nI call `close_session` and see no `done`.", &[1, 0]);
        check("Pending data is not written\n\nIt stays in the stream.", &[2]);
        check("Colours are wrong", &[]);
    }
}
