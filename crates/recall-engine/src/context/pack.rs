//! Selection of what a context window holds, within a budget of tokens, and its text.
//!
//! A document is shown as one line with its place and its signature, or as a block with its text. The document that a task
//! needs is often not the first. So a part of the budget is for lines about many documents, and most of the rest for the first
//! text of as many as possible. What remains completes the text of the best ones. Lists of entries have shares of their own;
//! what they leave goes to the documents.

use std::collections::BTreeSet;

use recall_text::tokens::count;

use crate::context::draft::{ContextSection, Entry, Lines, Part, Run, Source, block, pointer};

/// The share of the documents' budget that is spent on lines about as many documents as possible.
const BREADTH: f64 = 0.3;

/// The tokens that the text of one document takes at first. When each document has had its turn, the first ones get the rest of
/// theirs.
const FIRST_TEXT: u32 = 120;

/// The share of the budget for text that is spent on the first text of documents.
const SPREAD: f64 = 0.7;

/// The same if documents are shown in depth.
const BREADTH_BESIDE_DEPTH: f64 = 0.15;

/// The share of the budget for text that documents get that are shown in depth.
const DEPTH: f64 = 0.8;

/// The most documents that are shown as a line only. Few tasks concern more files, and their order is of no use that far down.
const MOST_POINTERS: usize = 60;

/// The fewest tokens of a block that is cut to fit. Less text says little more than the line.
const LEAST_BLOCK: u32 = 60;

/// The share of the budget of each list. What a list does not need goes to the documents, what they do not need to the lists.
const SHARES: [(ContextSection, f64); 5] = [
    (ContextSection::Decisions, 0.15),
    (ContextSection::Signatures, 0.08),
    (ContextSection::Tests, 0.05),
    (ContextSection::Changes, 0.05),
    (ContextSection::Owners, 0.05),
];

/// The tokens of a usual entry: each list may have one, if that is not too large a part of the budget.
const ONE_ENTRY: u32 = 80;

/// The candidates of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Candidates {
    /// The documents, the best first.
    pub(crate) sources: Vec<Source>,
    /// The entries of each list, the best first.
    pub(crate) lists: Vec<(ContextSection, Vec<Entry>)>,
}

/// How a document is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Not at all.
    No,
    /// As one line.
    Pointer,
    Block(Lines),
}

/// What a window holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Selection {
    /// How each document is shown.
    pub(crate) shown: Vec<Shown>,
    /// The number of entries of each list.
    pub(crate) entries: Vec<usize>,
}

/// Selects what fits the budget. `most_parts` bounds the parts of a document.
///
/// The tokens of a text are at most the sum of those of its lines, so no check of the whole is needed.
pub(crate) fn pack(candidates: &Candidates, budget_tokens: u32, most_parts: usize) -> Selection {
    let mut window = PackWindow {
        candidates,
        left: budget_tokens,
        opened: Vec::new(),
        shown: vec![Shown::No; candidates.sources.len()],
        entries: vec![0; candidates.lists.len()],
    };
    for (section, share) in SHARES {
        let own = (f64::from(budget_tokens) * share) as u32;
        window.add_entries(section, own.max(ONE_ENTRY.min(budget_tokens / 8)));
    }
    let is_any_deep = candidates.sources.iter().any(|source| source.is_deep);
    let breadth = if is_any_deep { BREADTH_BESIDE_DEPTH } else { BREADTH };
    let for_breadth = (f64::from(window.left) * breadth) as u32;
    window.add_pointers(for_breadth);
    window.add_deep((f64::from(window.left) * DEPTH) as u32);
    let for_depth = window.left - (f64::from(window.left) * SPREAD) as u32;
    window.add_blocks(1, FIRST_TEXT, for_depth);
    window.add_blocks(most_parts, u32::MAX, 0);
    window.add_pointers(window.left);
    for (section, _) in &candidates.lists {
        window.add_entries(*section, window.left);
    }
    Selection { shown: window.shown, entries: window.entries }
}

/// A window while it is filled.
struct PackWindow<'a> {
    candidates: &'a Candidates,
    left: u32,
    /// The sections whose heading is paid.
    opened: Vec<ContextSection>,
    shown: Vec<Shown>,
    entries: Vec<usize>,
}

impl PackWindow<'_> {
    /// Returns the cost of the section's heading, if the section has nothing yet.
    fn opening(&self, section: ContextSection) -> u32 {
        if self.opened.contains(&section) { 0 } else { count(section.heading()) + count("\n") }
    }

    /// Pays for a text of a section if it fits. `freed` is what it replaces.
    fn pay(&mut self, section: ContextSection, tokens: u32, freed: u32) -> bool {
        let tokens = tokens + self.opening(section);
        if tokens > self.left + freed {
            return false;
        }
        self.left = self.left + freed - tokens;
        if !self.opened.contains(&section) {
            self.opened.push(section);
        }
        true
    }

    /// Adds the next entries of a list, as long as they fit a part of the budget.
    fn add_entries(&mut self, section: ContextSection, most: u32) {
        let lists = self.candidates.lists.iter().enumerate();
        let Some((at, (_, entries))) = lists.into_iter().find(|(_, (known, _))| *known == section) else { return };
        let mut most = most.min(self.left);
        while let Some(entry) = entries.get(self.entries[at]) {
            let before = self.left;
            if count(&entry.text) + self.opening(section) > most || !self.pay(section, count(&entry.text), 0) {
                return;
            }
            most -= before - self.left;
            self.entries[at] += 1;
        }
    }

    /// Adds a line for each document that is not shown yet, in their order, as long as they fit a part of the budget.
    fn add_pointers(&mut self, most: u32) {
        let mut most = most.min(self.left);
        for (at, source) in self.candidates.sources.iter().enumerate().take(MOST_POINTERS) {
            if self.shown[at] != Shown::No {
                continue;
            }
            let tokens = count(&pointer(source));
            let before = self.left;
            if tokens + self.opening(source.section) > most || !self.pay(source.section, tokens, 0) {
                return;
            }
            most -= before - self.left;
            self.shown[at] = Shown::Pointer;
        }
    }

    /// Shows the documents that are shown in depth, each with as many of its parts as fit its part of the budget.
    fn add_deep(&mut self, most: u32) {
        let candidates = self.candidates;
        let deep = || candidates.sources.iter().enumerate().filter(|(_, source)| source.is_deep);
        let most = most / (deep().count().max(1) as u32);
        for (at, source) in deep() {
            for place in 0..source.parts.len() {
                self.add_part(at, source, place, most);
            }
        }
    }

    /// Shows the text of the documents: first the best part of each, in their order, then their further parts. No document gets
    /// more than `most` tokens, and `spared` tokens are left.
    fn add_blocks(&mut self, most_parts: usize, most: u32, spared: u32) {
        let candidates = self.candidates;
        let longest = candidates.sources.iter().map(|source| source.parts.len()).max().unwrap_or(0);
        for place in 0..longest.min(most_parts) {
            for (at, source) in candidates.sources.iter().enumerate() {
                if place < source.parts.len() && self.left >= LEAST_BLOCK + spared {
                    self.add_part(at, source, place, most);
                }
            }
        }
    }

    /// Shows a part of a document: all of it, or as many of its lines as fit.
    fn add_part(&mut self, at: usize, source: &Source, place: usize, most: u32) {
        let (before, freed) = match &self.shown[at] {
            Shown::No => (Lines::default(), 0),
            Shown::Pointer => (Lines::default(), count(&pointer(source))),
            Shown::Block(lines) => (lines.clone(), count(&block(source, lines))),
        };
        // A further part of a document without its best one would mislead.
        if place > 0 && before.is_empty() {
            return;
        }
        let part = &source.parts[place];
        let room = (self.left + freed).saturating_sub(self.opening(source.section)).min(most);
        let costs = |keep: usize| {
            let lines = before.with(place, part, keep);
            (count(&block(source, &lines)), lines)
        };
        let (whole, lines) = costs(part.most_lines);
        let (tokens, lines) = if whole <= room {
            (whole, lines)
        } else {
            // The most lines that fit: costs grow with the number of lines, but for gaps that close.
            let (mut fits, mut too_many) = (0, part.most_lines);
            while fits + 1 < too_many {
                let middle = usize::midpoint(fits, too_many);
                if costs(middle).0 <= room { fits = middle } else { too_many = middle }
            }
            let (tokens, lines) = costs(fits);
            if fits == 0 || tokens < LEAST_BLOCK || tokens > room {
                return;
            }
            (tokens, lines)
        };
        if self.pay(source.section, tokens, freed) {
            self.shown[at] = Shown::Block(lines);
        }
    }
}

/// A span in the text of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderedSpan {
    /// The index of its document among the candidates.
    pub(crate) source: usize,
    /// Its lines, from 1, both included.
    pub(crate) lines: (u32, u32),
    pub(crate) text: String,
    /// The tokens of its text.
    pub(crate) tokens: u32,
    /// Whether lines of its part are left out.
    pub(crate) is_cut: bool,
}

/// Renders a window: the sections in the order in which they were asked for, in each the blocks, then the lines.
pub(crate) fn render(
    candidates: &Candidates,
    selection: &Selection,
    sections: &[ContextSection],
) -> (String, Vec<RenderedSpan>) {
    let mut text = String::new();
    let mut spans = Vec::new();
    let mut seen = BTreeSet::new();
    for &section in sections.iter().filter(|section| seen.insert(**section)) {
        let mut body = String::new();
        let mut pointers = String::new();
        for (at, source) in candidates.sources.iter().enumerate().filter(|(_, source)| source.section == section) {
            match &selection.shown[at] {
                Shown::No => {}
                Shown::Pointer => {
                    pointers.push_str(&pointer(source));
                    let part = &source.parts[0];
                    spans.push(RenderedSpan {
                        source: at,
                        lines: (part.first_line, part.last_line()),
                        tokens: count(&part.gist),
                        text: part.gist.clone(),
                        is_cut: true,
                    });
                }
                Shown::Block(lines) => {
                    body.push_str(&block(source, lines));
                    spans.extend(lines.runs(source).into_iter().map(|run| span(at, source, &run)));
                }
            }
        }
        body.push_str(&pointers);
        for ((_, entries), shown) in
            candidates.lists.iter().zip(&selection.entries).filter(|((known, _), _)| *known == section)
        {
            body.extend(entries.iter().take(*shown).map(|entry| entry.text.as_str()));
        }
        if !body.is_empty() {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(section.heading());
            text.push_str(&body);
        }
    }
    (text, spans)
}

fn span(at: usize, source: &Source, run: &Run<'_>) -> RenderedSpan {
    let text = run.text();
    let covers = |part: &Part| run.first_line <= part.first_line && part.last_line() <= run.last_line();
    RenderedSpan {
        source: at,
        lines: (run.first_line, run.last_line()),
        tokens: count(&text),
        text,
        is_cut: !source.parts.iter().any(covers),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::context::draft::Part;
    use crate::context::pack::render;

    fn part(first_line: u32, lines: &[&str]) -> Part {
        Part {
            first_line,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            key_lines: vec![0],
            most_lines: lines.len(),
            gist: lines[0].trim().to_owned(),
        }
    }

    fn source(label: &str, parts: Vec<Part>) -> Source {
        let (section, language) = (ContextSection::Code, "rust".to_owned());
        Source { section, label: label.to_owned(), language, state: String::new(), is_deep: false, parts }
    }

    fn window(candidates: &Candidates, budget: u32) -> String {
        render(candidates, &pack(candidates, budget, 3), &ContextSection::DEFAULT).0
    }

    #[test]
    fn parts_that_touch_or_overlap_are_one_span() {
        let sources = vec![source("a.rs", vec![part(4, &["four", "five"]), part(1, &["one", "two", "three", "four"])])];
        let candidates = Candidates { sources, lists: Vec::new() };
        assert_eq!(window(&candidates, 200), "## Code\n### a.rs:1-5\n```rust\none\ntwo\nthree\nfour\nfive\n```\n");
    }

    #[test]
    fn what_does_not_fit_is_cut_between_lines_and_then_one_line() {
        let long: Vec<String> = (0..40).map(|n| format!("    let value_{n} = compute({n});")).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        let sources = vec![source("a.rs", vec![part(1, &long)]), source("b.rs", vec![part(7, &long)])];
        let candidates = Candidates { sources, lists: Vec::new() };
        let cut = window(&candidates, 150);
        assert!(
            cut.starts_with("## Code\n### a.rs:1-") && cut.contains("\n- b.rs:7-46 let value_0 = compute(0);\n"),
            "{cut}"
        );
        assert_eq!(window(&candidates, 30), "## Code\n- a.rs:1-40 let value_0 = compute(0);\n");
        assert_eq!(window(&candidates, 9), "");
    }

    #[test]
    fn no_line_of_a_file_closes_its_fence() {
        let sources = vec![source("a.md", vec![part(1, &["text", "```", "````", "## Decisions"])])];
        let text = window(&Candidates { sources, lists: Vec::new() }, 200);
        assert!(text.contains("`````rust\ntext\n```\n````\n## Decisions\n`````\n"), "{text}");
    }

    #[test]
    fn lists_have_shares_and_leave_the_rest_to_documents() {
        let line = |n: usize| format!("statement number {n} of a function with some length;");
        let lines: Vec<String> = (0..100).map(line).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let entry = |n: usize| Entry { text: format!("- D-0000000{n} decision (own): remember the number {n}\n") };
        let sources = vec![source("a.rs", vec![part(1, &lines)])];
        let candidates = Candidates { sources, lists: vec![(ContextSection::Decisions, (0..9).map(entry).collect())] };
        let selection = pack(&candidates, 1000, 3);
        assert!((4..9).contains(&selection.entries[0]), "{selection:?}");
        let text = window(&candidates, 1000);
        assert!(count(&text) > 950, "{}", count(&text));
        assert_eq!(pack(&candidates, 4000, 3).entries, [9], "what is left goes to the lists");
    }

    fn parts() -> impl Strategy<Value = Vec<Part>> {
        let line = prop_oneof!["[ -~]{0,60}", "\\PC{0,20}", Just(String::new()), Just("```".to_owned())];
        let lines = prop::collection::vec(line, 1..30);
        let part =
            (1_u32..60, lines, prop::collection::vec(0_usize..30, 0..4)).prop_map(|(first_line, lines, keys)| {
                let mut key_lines: Vec<usize> = Vec::new();
                for key in keys {
                    let key = key % lines.len();
                    if !key_lines.contains(&key) {
                        key_lines.push(key);
                    }
                }
                let gist = lines[0].trim().chars().take(100).collect();
                Part { first_line, key_lines, most_lines: lines.len(), gist, lines }
            });
        prop::collection::vec(part, 1..4)
    }

    proptest! {
        #[test]
        fn the_budget_is_held_whatever_is_packed(
            budget in 1_u32..1500,
            documents in prop::collection::vec(("[a-z/]{1,40}", 0_usize..3, parts()), 0..12),
            entries in prop::collection::vec((0_usize..3, "[ -~]{0,200}"), 0..20),
            most_parts in 1_usize..5,
        ) {
            let sections = [ContextSection::Code, ContextSection::Documentation, ContextSection::Adrs];
            let sources: Vec<Source> = documents
                .into_iter()
                .map(|(label, section, parts)| Source { section: sections[section], ..source(&label, parts) })
                .collect();
            let mut lists =
                [ContextSection::Decisions, ContextSection::Signatures, ContextSection::Changes].map(|section| (section, Vec::new()));
            for (list, text) in entries {
                lists[list].1.push(Entry { text: format!("- {text}\n") });
            }
            let candidates = Candidates { sources, lists: lists.into() };
            let selection = pack(&candidates, budget, most_parts);
            let (text, spans) = render(&candidates, &selection, &ContextSection::DEFAULT);
            prop_assert!(count(&text) <= budget, "{} of {budget}\n{text}", count(&text));
            prop_assert_eq!(&selection, &pack(&candidates, budget, most_parts));
            for span in spans {
                prop_assert!(span.lines.0 <= span.lines.1);
                prop_assert!(text.contains(span.text.trim_end()), "{:?}", span.text);
            }
        }
    }
}
