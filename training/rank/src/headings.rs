//! Which sections stand below which headings?
//!
//! A heading says in a few words what its section is about. To ask for the section, it stands alone in a file, without the
//! heading.

use recall_core::words::is_stop_word;

/// A section and its heading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) text: String,
}

/// The fewest bytes of a section that says something.
const SHORTEST_BYTES: usize = 120;
/// The fewest telling words of a heading that is asked for.
const FEWEST_WORDS: usize = 2;

/// The sections of a text in Markdown, in order; those without a heading or with hardly a text are left out.
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
    sections.retain(|section| section.text.trim().len() >= SHORTEST_BYTES);
    sections
}

/// Whether a heading says enough to be asked for.
pub(crate) fn is_telling(heading: &str) -> bool {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    let telling = words.filter(|word| !is_stop_word(&word.to_ascii_lowercase()) && !word.starts_with(char::is_numeric));
    telling.count() >= FEWEST_WORDS
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
    fn a_heading_of_one_word_tells_nothing() {
        assert!(is_telling("Rotating the signing key") && !is_telling("Usage") && !is_telling("Version 1.2"));
    }
}
