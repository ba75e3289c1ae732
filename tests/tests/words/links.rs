//! Relative links of the documents: the file exists, and so does the heading.

use std::fs;
use std::path::Path;

use super::File;

/// The links of a document that lead nowhere.
pub(super) fn dead(root: &Path, document: &File) -> Vec<String> {
    let targets = document.text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let dead = targets.map(|(target, _)| target).filter(|target| !leads_somewhere(root, document, target));
    dead.map(|target| format!("{}: the link `{target}` leads nowhere", document.path)).collect()
}

fn leads_somewhere(root: &Path, document: &File, target: &str) -> bool {
    if target.starts_with("http") {
        return true;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = root.join(&document.path);
    let file = if path.is_empty() { file } else { file.with_file_name(path) };
    if heading.is_empty() {
        return file.exists();
    }
    fs::read_to_string(file).is_ok_and(|text| headings(&text).any(|known| known == heading))
}

/// The anchors of the headings, as GitHub makes them.
fn headings(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

#[test]
fn a_dead_link_is_found() {
    let root = recall_tests::workspace();
    let dead = |link: &str| {
        let text = format!("# One `list`, twice?\n\nSee [this]({link}).\n");
        dead(&root, &File { path: "docs/a.md".to_owned(), text }).len()
    };
    for alive in ["glossary.md", "../README.md", "adr", "https://example.com/x", "glossary.md#glossary"] {
        assert_eq!(dead(alive), 0, "{alive}");
    }
    for gone in ["glosary.md", "README.md", "glossary.md#words", "#elsewhere"] {
        assert_eq!(dead(gone), 1, "{gone}");
    }
    assert_eq!(headings("# One `list`, twice?\n").collect::<Vec<_>>(), ["one-list-twice"]);
}
