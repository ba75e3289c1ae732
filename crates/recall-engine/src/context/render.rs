//! The text of a context window.

use std::collections::BTreeSet;

use recall_text::tokens::count;

use crate::context::block::{Run, block, pointer};
use crate::context::draft::ContextSection;
use crate::context::draft::{Part, Source};
use crate::context::pack::{Candidates, Selection, Shown};

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
