//! The parts of pages: what all have around their content, links, and values in words, such as times and how far a
//! memory is to be believed.

use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, html};
use recall_api::json::rfc3339;
use recall_api::v1::{Memory, MemoryStatus, Trust, VerificationState};
use serde::Deserialize;
use serde::de::Error;

use crate::access::Project;

pub(crate) mod code;
pub(crate) mod markdown;
pub(crate) mod memory;
mod target;

/// A page of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Search,
    Browse,
    Graph,
    Decisions,
    Memories,
    Sessions,
    Health,
}

impl Tab {
    const ALL: [Self; 7] =
        [Self::Search, Self::Browse, Self::Graph, Self::Decisions, Self::Memories, Self::Sessions, Self::Health];

    fn name(self) -> &'static str {
        match self {
            Self::Search => "Search",
            Self::Browse => "Browse",
            Self::Graph => "Graph",
            Self::Decisions => "Decisions",
            Self::Memories => "Memories",
            Self::Sessions => "Sessions",
            Self::Health => "Health",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Search => "",
            Self::Browse => "browse",
            Self::Graph => "graph",
            Self::Decisions => "decisions",
            Self::Memories => "memories",
            Self::Sessions => "sessions",
            Self::Health => "health",
        }
    }
}

/// The keys and what they do.
const KEYS: [(&str, &str); 8] = [
    ("/", "search"),
    ("↓ ↑ or j k", "next, previous"),
    ("Enter", "open"),
    ("x", "select a memory"),
    ("e", "open in the editor"),
    ("s", "a document as it is written, or rendered"),
    ("Esc", "back to the search, empty it, leave a field"),
    ("?", "these keys"),
];

/// Returns a whole page. Links in it are relative to the project's path.
pub(crate) fn page(project: &Project, tab: Tab, title: &str, content: &Markup) -> Markup {
    let base = format!("/{}/", project.key);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · " (project.name()) " · recall" }
                link rel="icon" href={ (base) "icon.svg" };
                link rel="stylesheet" href={ (base) "style.css" };
                script src={ (base) "page.js" } defer {}
            }
            body data-base=(base) {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href=(base) title=(project.subject.root) { span.mark { "recall" } span.project { (project.name()) } }
                    nav aria-label="Pages" {
                        @for page in Tab::ALL {
                            a href={ (base) (page.path()) } aria-current=[(page == tab).then_some("page")] { (page.name()) }
                        }
                    }
                }
                main #main { (content) }
                div #said role="status" aria-live="polite" {}
                dialog #keys aria-label="Keys" {
                    h2 { "Keys" }
                    dl { @for (key, does) in KEYS { dt { kbd { (key) } } dd { (does) } } }
                    form method="dialog" { button { "Close" } }
                }
            }
        }
    }
}

/// Appends a parameter of an address.
fn push(address: &mut String, name: &str, value: &str) {
    address.push(if address.contains('?') { '&' } else { '?' });
    let _ = write!(address, "{name}={}", encode(value));
}

/// Encodes a text for an address: all but letters, digits and `-._~` of ASCII.
pub(crate) fn encode(text: &str) -> String {
    encoded_but(text, "")
}

/// Encodes a text for an address, except the characters in `kept`.
pub(crate) fn encoded_but(text: &str, kept: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.as_bytes().contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Returns the address of a page with its parameters; empty ones are left out.
pub(crate) fn link_to(page: &str, parameters: &[(&str, &str)]) -> String {
    let mut address = page.to_owned();
    for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
        push(&mut address, name, value);
    }
    address
}

/// Returns the address of a line of a document. Long documents are shown in parts, so the line is a parameter too.
pub(crate) fn link_to_line(id: &str, line: u32) -> String {
    if line > 1 {
        return format!("{}#L{line}", link_to("doc", &[("id", id), ("line", &line.to_string())]));
    }
    link_to("doc", &[("id", id)])
}

/// Returns the link to a line of a file below a root; `None` if the user wants none, or if the path leaves the root.
pub(crate) fn link_in_editor(template: Option<&str>, root: &str, path: &str, line: u32) -> Option<String> {
    let template = template?;
    let is_below = !path.is_empty() && !path.starts_with('/') && path.split('/').all(|part| part != "..");
    if !is_below || !root.starts_with('/') {
        return None;
    }
    let file = format!("{}/{path}", root.trim_end_matches('/'));
    Some(template.replace("{line}", &line.to_string()).replace("{path}", &encoded_but(&file, "/")))
}

/// Returns the name of a trust.
pub(crate) fn trust(memory: &Memory) -> &'static str {
    match memory.trust() {
        Trust::Unspecified => "",
        Trust::Low => "low",
        Trust::Medium => "medium",
        Trust::High => "high",
    }
}

/// Returns the name of a standing.
pub(crate) fn status(memory: &Memory) -> &'static str {
    match memory.status() {
        MemoryStatus::Unspecified | MemoryStatus::Current => "current",
        MemoryStatus::Stale => "stale",
        MemoryStatus::Deprecated => "deprecated",
    }
}

/// Returns what the comparison with the files said.
pub(crate) fn state(state: VerificationState) -> &'static str {
    match state {
        VerificationState::Unspecified => "not checked",
        VerificationState::Verified => "unchanged",
        VerificationState::Changed => "changed since",
        VerificationState::Gone => "gone",
        VerificationState::Unanchored => "no files",
    }
}

/// Shows the type of a memory and what is unusual about it as labels.
pub(crate) fn standing_labels(memory: &Memory) -> Markup {
    html! { span.label { (memory.r#type) } (memory::unusual_labels(memory)) }
}

/// The type of a time in messages.
pub(crate) type Time = prost_types::Timestamp;

/// A time in a request, in RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(pub(crate) Time);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        recall_api::json::timestamp(&text)
            .map(Self)
            .ok_or_else(|| D::Error::custom(format!("`{text}` is not a time in RFC 3339")))
    }
}

/// Shows a time to the minute, in UTC. The script shows its age (`3 minutes ago`), with the exact time in the reader's zone as the title.
pub(crate) fn time(time: Option<&Time>) -> Markup {
    let text = time.and_then(rfc3339).unwrap_or_default();
    let shown = text.get(..16).unwrap_or_default().replace('T', " ");
    html! { @if !shown.is_empty() { time datetime=(text) { (shown) " UTC" } } }
}

/// Returns the day of a time in UTC: `2026-11-27`; empty if there is none.
pub(crate) fn day(time: Option<&Time>) -> String {
    let text = time.and_then(rfc3339).unwrap_or_default();
    text.get(..10).unwrap_or_default().to_owned()
}

/// Shows the hour and minute of a time, in UTC; the script shows it in the reader's zone.
pub(crate) fn clock(time: Option<&Time>) -> Markup {
    let text = time.and_then(rfc3339).unwrap_or_default();
    html! { @if let Some(clock) = text.get(11..16) { time datetime=(text) data-clock="" { (clock) } } }
}

/// Shows a text whose commands are between backticks.
pub(crate) fn code_markup(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_cannot_leave_their_place() {
        assert_eq!(link_to("doc", &[("id", "a&b=c#d?e/ü"), ("x", "")]), "doc?id=a%26b%3Dc%23d%3Fe%2F%C3%BC");
        assert_eq!(link_to("./", &[]), "./");
        assert_eq!(link_to_line("a", 1), "doc?id=a");
        assert_eq!(link_to_line("a b", 7), "doc?id=a%20b&line=7#L7");
    }

    #[test]
    fn a_path_is_encoded_and_stays_below_its_root() {
        let link = |path| link_in_editor(Some("vscode://file{path}:{line}"), "/p", path, 7);
        assert_eq!(link("a b/ü{line}.rs").as_deref(), Some("vscode://file/p/a%20b/%C3%BC%7Bline%7D.rs:7"));
        assert_eq!(link("a?x=1#\"<").as_deref(), Some("vscode://file/p/a%3Fx%3D1%23%22%3C:7"));
        assert_eq!(link("../secret"), None);
        assert_eq!(link("/etc/passwd"), None);
        assert_eq!(link_in_editor(None, "/p", "a", 1), None);
    }
}
