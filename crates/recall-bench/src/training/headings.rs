//! Questions from the headings of Markdown sections.
//!
//! A heading summarises its section in a few words. To ask for the section, it is stored in a file of its own without
//! the heading.

use recall_text::words::is_stop_word;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) text: String,
}

/// The minimum length of a section in bytes.
const MIN_BYTES: usize = 120;
/// The minimum number of content words of a heading.
const MIN_WORDS: usize = 2;

/// Returns the sections of a Markdown text, in order, without short ones and those without a heading.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut is_fenced = false;
    for line in text.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        match line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')) {
            Some(heading) if !is_fenced && heading.starts_with(' ') => {
                let heading = heading.split(" {#").next().unwrap_or_default().trim().trim_end_matches('#').trim();
                sections.push(Section { heading: heading.to_owned(), text: String::new() });
            }
            _ => {
                if let Some(section) = sections.last_mut() {
                    section.text.push_str(line);
                    section.text.push('\n');
                }
            }
        }
    }
    sections.retain(|section| section.text.trim().len() >= MIN_BYTES);
    sections
}

/// Whether a heading is descriptive enough to be a question.
pub(crate) fn is_descriptive(heading: &str) -> bool {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    let telling = words.filter(|word| !is_stop_word(&word.to_ascii_lowercase()) && !word.starts_with(char::is_numeric));
    telling.count() >= MIN_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_at_the_next_heading() {
        let body = "words ".repeat(30);
        let text = format!("# One thing\n{body}\n```\n# no heading\n```\n## Another {{#id}}\n{body}\n### Short\nx\n");
        let sections = sections(&text);
        let headings: Vec<&str> = sections.iter().map(|section| section.heading.as_str()).collect();
        assert_eq!(headings, ["One thing", "Another"]);
        assert!(sections[0].text.contains("# no heading"));
    }

    #[test]
    fn a_heading_of_one_word_is_not_descriptive() {
        assert!(
            is_descriptive("Rotating the signing key") && !is_descriptive("Usage") && !is_descriptive("Version 1.2")
        );
    }
}
