//! Front matter of Markdown documents.

use recall_text::normalize_text;

use super::Markup;
use crate::lines::Lines;

/// The declarations in a document's front matter.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    /// The number of lines it takes. 0 if there is none.
    pub(super) lines: usize,
    pub(super) title: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) supersedes: Vec<String>,
    pub(super) related: Vec<String>,
}

impl FrontMatter {
    /// Reads YAML between `---` or TOML between `+++` at the top of a Markdown text.
    ///
    /// Reads scalars and lists of scalars at the top level, and ignores everything else.
    pub(super) fn read(lines: &Lines<'_>, markup: Markup) -> Self {
        if markup != Markup::Markdown || lines.len() == 0 {
            return Self::default();
        }
        let fence = lines.get(0).trim_end();
        let separator = match fence {
            "---" => ':',
            "+++" => '=',
            _ => return Self::default(),
        };
        let Some(end) = (1..lines.len()).find(|&line| lines.get(line).trim_end() == fence) else {
            return Self::default();
        };
        let mut front = Self { lines: end + 1, ..Self::default() };
        let mut key = String::new();
        for line in (1..end).map(|line| lines.get(line)) {
            if let Some(item) = line.trim_start().strip_prefix("- ") {
                front.add(&key, item);
                continue;
            }
            if line.starts_with([' ', '\t']) {
                continue;
            }
            if let Some((name, value)) = line.split_once(separator) {
                key = name.trim().trim_matches('"').to_ascii_lowercase();
                match value.trim().strip_prefix('[') {
                    Some(list) => {
                        list.trim_end_matches(']').split(',').for_each(|item| front.add(&key, item));
                    }
                    None => front.add(&key, value),
                }
            }
        }
        front.tags.sort_unstable();
        front.tags.dedup();
        front
    }

    fn add(&mut self, key: &str, value: &str) {
        let value = value.trim().trim_matches(['"', '\'']).trim();
        if value.is_empty() {
            return;
        }
        match key {
            "title" => self.title = Some(value.to_owned()),
            "tags" | "tag" | "keywords" | "categories" => self.tags.push(normalize_text(value).into_owned()),
            "supersedes" | "replaces" => self.supersedes.push(value.to_owned()),
            "related" | "related_files" | "relates_to" | "see_also" => self.related.push(value.to_owned()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> FrontMatter {
        FrontMatter::read(&Lines::new(text), Markup::Markdown)
    }

    #[test]
    fn front_matter_is_read_from_both_notations() {
        let yaml =
            "---\ntitle: \"A: B\"\ntags:\n  - zeta\n  - alpha\nsupersedes: 0001-a.md\nnested:\n  title: no\n---\n# x\n";
        let front = read(yaml);
        assert_eq!(
            (front.lines, front.title.as_deref(), front.tags, front.supersedes),
            (9, Some("A: B"), vec!["alpha".to_owned(), "zeta".to_owned()], vec!["0001-a.md".to_owned()])
        );
        let toml = read("+++\ntitle = 'T'\ntags = [\"a\", 'b']\n+++\n");
        assert_eq!((toml.title.as_deref(), toml.tags.len()), (Some("T"), 2));
    }

    #[test]
    fn a_rule_at_the_top_is_not_front_matter() {
        assert_eq!(read("---\nno end\n"), FrontMatter::default());
        assert_eq!(read(""), FrontMatter::default());
    }
}
