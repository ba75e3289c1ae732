//! The document type of a file that declares none.

use recall_core::DocumentType;
use recall_text::{DocPath, Language};

/// The type of a file, by its path and language. A decision record in an unusual place is recognized by its headings.
///
/// Only prose can be other than [`DocumentType::Code`], except below `.recall/history/`.
pub fn document_type_of(path: &DocPath, language: Option<&Language>, text: &str) -> DocumentType {
    if path.as_str().starts_with(".recall/history/") {
        return DocumentType::Session;
    }
    if !is_prose(language) {
        return DocumentType::Code;
    }
    if is_adr(path, text) {
        DocumentType::Adr
    } else if is_playbook(path) {
        DocumentType::Playbook
    } else {
        DocumentType::Documentation
    }
}

/// Whether a language is prose, written to be read from top to bottom.
fn is_prose(language: Option<&Language>) -> bool {
    language.is_some_and(|language| matches!(language.as_str(), "markdown" | "rst" | "asciidoc" | "text" | "org"))
}

/// Whether a file is a decision record: by its folder, its name (`adr-0007-…`), or the headings that all ADR templates
/// share.
fn is_adr(path: &DocPath, text: &str) -> bool {
    let stem = path.stem().to_ascii_lowercase();
    let is_index = matches!(stem.as_str(), "readme" | "index" | "template");
    let mut folders = path.components().rev().skip(1);
    if folders.any(|folder| {
        ["adr", "adrs", "decisions", "architecture-decisions"].iter().any(|name| folder.eq_ignore_ascii_case(name))
    }) {
        return !is_index;
    }
    let numbered = |rest: &str| rest.trim_start_matches(['-', '_', ' ']).starts_with(|c: char| c.is_ascii_digit());
    if stem.strip_prefix("adr").is_some_and(numbered) {
        return true;
    }
    let (mut status, mut context, mut decision) = (false, false, false);
    for line in text.lines().take(400) {
        let Some(heading) = line.strip_prefix("##") else { continue };
        let heading = heading.trim_matches(['#', ' ', ':']).to_ascii_lowercase();
        status |= heading.starts_with("status");
        context |= heading.starts_with("context");
        decision |= heading.starts_with("decision");
    }
    status && context && decision && !is_index
}

/// Whether a file is a runbook, by any part of its path.
fn is_playbook(path: &DocPath) -> bool {
    let lower = path.as_str().to_ascii_lowercase();
    ["runbook", "playbook"].iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_follows_from_path_and_headings() {
        let adr = "# Use tantivy\n\n## Status\n\nAccepted\n\n## Context\n\n## Decision\n";
        for (path, text, expected) in [
            ("docs/adr/0001-use-sqlite.md", "", DocumentType::Adr),
            ("docs/adr/README.md", "", DocumentType::Documentation),
            ("notes/search.md", adr, DocumentType::Adr),
            ("notes/adr-007-search.md", "", DocumentType::Adr),
            ("notes/adrenaline.md", "", DocumentType::Documentation),
            ("ops/runbooks/restore.md", "", DocumentType::Playbook),
            ("docs/oncall-playbook.rst", "", DocumentType::Playbook),
            ("ops/runbooks/restore.sh", "", DocumentType::Code),
            (".recall/history/2026-11-20.md", "", DocumentType::Session),
            ("README.md", "", DocumentType::Documentation),
            ("src/lib.rs", adr, DocumentType::Code),
            ("data.xyz", "", DocumentType::Code),
        ] {
            let path = DocPath::new(path).expect("plain");
            let language = Language::detect(&path, text);
            assert_eq!(document_type_of(&path, language.as_ref(), text), expected, "{path}");
        }
    }
}
