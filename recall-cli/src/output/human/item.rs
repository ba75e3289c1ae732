//! Text output of one whole item, and of a context window without the marks of Markdown.

use std::fmt::Write as _;

use recall_api::convert::scope;
use recall_api::v1;
use recall_core::StoreScope;

use super::excerpt::Marked;
use super::markdown;
use super::memory::{broken, facts};
use super::style::{DIM, LINE, PATH, STRONG, SYMBOL};
use super::text::{Links, fit, link, printable, wrap};
use crate::output::format::Screen;

/// The indentation of the continued lines of prose.
const WRAPPED_INDENT: usize = 2;

/// The requested text: that of the document or its lines, or that of the chunk if the id named one.
pub(crate) fn content(answer: &v1::GetResponse) -> (&str, u32) {
    match &answer.chunk {
        Some(chunk) if answer.text.is_empty() => (&chunk.text, chunk.start_line),
        _ => (&answer.text, answer.start_line.max(1)),
    }
}

/// A line about the item and its numbered text.
pub(crate) fn render(answer: &v1::GetResponse, screen: Screen, links: Option<&Links>) -> String {
    let doc = answer.doc.clone().unwrap_or_default();
    let is_linked = doc.scope() == v1::StoreScope::Project && answer.memory.is_none();
    let citation = format!("{PATH}{}{PATH:#}", printable(&answer.citation));
    let mut text = link(links.filter(|_| is_linked), &doc.path, &citation);
    if let Some(chunk) = answer.chunk.as_ref().filter(|chunk| !chunk.symbol.is_empty()) {
        let _ = write!(text, "  {SYMBOL}{}{SYMBOL:#}", printable(&chunk.symbol));
    }
    let mut about = vec![doc.r#type.as_str()];
    about.extend((!doc.language.is_empty()).then_some(doc.language.as_str()));
    let store = scope::store_from_proto(doc.scope).filter(|scope| *scope != StoreScope::Project);
    about.extend(store.map(StoreScope::as_str));
    about.extend(doc.tag.iter().map(String::as_str));
    let standing = answer.memory.as_ref().map(facts).unwrap_or_default();
    about.extend(standing.iter().map(String::as_str));
    let _ = writeln!(text, "  {DIM}{}{DIM:#}", printable(&about.join(" · ")));
    if let Some(memory) = &answer.memory {
        let _ = writeln!(text, "{STRONG}{}{STRONG:#}", printable(&memory.title));
        for line in broken(memory) {
            let _ = writeln!(text, "{DIM}{}{DIM:#}", printable(&line));
        }
        if !memory.cues.is_empty() {
            let _ = writeln!(text, "{DIM}shown unasked at {}{DIM:#}", printable(&memory.cues.join(", ")));
        }
    }
    let (content, first_line) = content(answer);
    if let (Some(_), Some(width)) = (&answer.memory, screen.width) {
        text.push('\n');
        text.push_str(&markdown::render(content, width));
        return text;
    }
    text.push_str(
        &Marked { text: content, first_line, matches: &[], language: screen.language(&doc) }
            .render(usize::MAX, screen.width),
    );
    text
}

/// Formats a memory for a pipe: its title, its state and its content, which ends with a line break.
pub(crate) fn memory_text(memory: &v1::Memory, content: &str) -> String {
    let mut text = format!("{}\n{}\n", memory.title, facts(memory).join(" · "));
    for line in broken(memory) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "\n{}", content.trim_end_matches('\n'));
    text
}

/// Formats the text of a window. Headings are highlighted, fences left out, and the lines of files indented. For a terminal, prose is
/// wrapped and the lines of files are cut at its width.
pub(crate) fn text(window: &str, width: Option<usize>) -> String {
    let mut shown = String::new();
    let mut fence: Option<&str> = None;
    for line in window.lines() {
        if let Some(open) = fence {
            if line == open {
                fence = None;
            } else {
                let room = width.map(|width| width.saturating_sub(2));
                let _ = writeln!(shown, "{DIM}│{DIM:#} {}", fit(&printable(line), room));
            }
        } else if line.starts_with("```") {
            fence = Some(&line[..line.len() - line.trim_start_matches('`').len()]);
        } else if let Some(place) = line.strip_prefix("### ") {
            let _ = writeln!(shown, "{PATH}{}{PATH:#}", fit(&printable(place), width));
        } else if let Some(heading) = line.strip_prefix("## ") {
            let _ = writeln!(shown, "{LINE}{}{LINE:#}", printable(heading));
        } else {
            let _ = writeln!(shown, "{}", wrap(&printable(line), width, WRAPPED_INDENT));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_in_a_pipe_has_its_title_and_its_state_and_ends_with_a_line() {
        let memory = v1::Memory {
            title: "Contexts nest".to_owned(),
            ownership: v1::Ownership::Own.into(),
            verification: Some(v1::Verification {
                state: v1::VerificationState::Verified.into(),
                ..v1::Verification::default()
            }),
            ..v1::Memory::default()
        };
        let expected = "Contexts nest\nown · verified\n\nPush a new one.\n";
        assert_eq!(memory_text(&memory, "Push a new one."), expected);
        assert_eq!(memory_text(&memory, "Push a new one.\n"), expected);
    }

    #[test]
    fn a_memory_on_a_terminal_has_no_marks_of_markdown() {
        let memory = v1::Memory { title: "Contexts nest".to_owned(), ..v1::Memory::default() };
        let text = "Call `push` **twice**.\n".to_owned();
        let answer = v1::GetResponse { memory: Some(memory), text, ..v1::GetResponse::default() };
        let shown = render(&answer, Screen { width: Some(40), ..Screen::default() }, None);
        let shown = anstream::adapter::strip_str(&shown).to_string();
        assert!(shown.ends_with("Contexts nest\n\nCall push twice.\n"), "{shown}");
    }

    #[test]
    fn no_line_of_a_window_is_wider_than_the_terminal() {
        let prose = "a sentence with a few words ".repeat(5);
        let window =
            format!("## Code\n### src/a/very/long/path/to/a.rs:1-3\n````rust\n{}\n````\n{prose}\n", "x".repeat(90));
        let shown = anstream::adapter::strip_str(&text(&window, Some(32))).to_string();
        assert!(shown.lines().all(|line| line.chars().count() <= 32), "{shown}");
        assert!(shown.contains("│ xxx") && shown.contains("\n  "), "{shown}");
    }

    #[test]
    fn an_item_is_shown_with_its_citation_and_numbered_lines() {
        let answer = v1::GetResponse {
            doc: Some(v1::Document {
                r#type: "code".to_owned(),
                language: "rust".to_owned(),
                tag: vec!["core".to_owned()],
                scope: v1::StoreScope::Global.into(),
                ..v1::Document::default()
            }),
            text: "fn a() {}\n\nfn b() {}\n".to_owned(),
            start_line: 7,
            end_line: 9,
            citation: "src/a.rs:7-9@0123456789ab".to_owned(),
            ..v1::GetResponse::default()
        };
        insta::assert_snapshot!(anstream::adapter::strip_str(&render(&answer, Screen::default(), None)), @r"
        src/a.rs:7-9@0123456789ab  code · rust · global · core
           7 │ fn a() {}
           8 │
           9 │ fn b() {}
        ");
    }

    #[test]
    fn a_window_is_shown_without_its_fences() {
        let window = "## Code\n### src/a.rs:1-3\n````rust\nlet a = \"```\";\n````\n- src/b.rs:4-9 fn b()\n";
        insta::assert_snapshot!(anstream::adapter::strip_str(&text(window, None)), @r#"
        Code
        src/a.rs:1-3
        │ let a = "```";
        - src/b.rs:4-9 fn b()
        "#);
    }
}
