//! The parts of a pasted report: its title, prose, code, and what templates of trackers add.

use std::sync::LazyLock;

use regex::Regex;

use super::formats::PATTERNS;

/// The parts of a report.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// The first line of prose; empty if there is none.
    pub(super) title: String,
    /// The other lines of prose, in order, without those about versions and installation.
    pub(super) prose: Vec<String>,
    /// The lines of code, of logs and of traces, without those about versions and installation.
    pub(super) code: Vec<String>,
    /// The texts between back ticks in the title and the prose.
    pub(super) quoted: Vec<String>,
}

/// The fewest words of a line that is a title.
const MIN_TITLE_WORDS: usize = 2;

/// A sentence of a text without lines ends here at the latest.
const TITLE_BYTES: usize = 240;

/// The words in headings of templates under which nothing is said about the problem.
const ABOUT_THE_MACHINE: [&str; 22] = [
    "version",
    "environment",
    "system",
    "platform",
    "install",
    "operating",
    "browser",
    "checklist",
    "guideline",
    "additional",
    "software",
    "dependenc",
    "willing",
    "code of conduct",
    "conduct",
    "prerequisite",
    "relevant log",
    "debug log",
    "hardware",
    "os",
    "setup",
    "before submitting",
];

struct Markup {
    comment: Regex,
    image: Regex,
    link: Regex,
    address: Regex,
    heading: Regex,
    bold: Regex,
    check: Regex,
    ticks: Regex,
    label: Regex,
}

static MARKUP: LazyLock<Markup> = LazyLock::new(|| {
    let regex = |pattern: &str| Regex::new(pattern).expect("the expression is valid: tests compile it");
    Markup {
        comment: regex(r"(?s)<!--.*?(?:-->|$)"),
        image: regex(r"!\[[^\]]*\]\([^)]*\)|<img[^>]*>"),
        link: regex(r"\[([^\]]*)\]\([^)]*\)"),
        address: regex(r"https?://[^ )>]+"),
        heading: regex(r"^[ \t]*#{1,6}[ \t]+(.+)$"),
        bold: regex(r"^[ \t]*\*\*([^*]+)\*\*:?[ \t]*$"),
        check: regex(r"^[ \t]*[-*][ \t]*\[.\]"),
        ticks: regex(r"`([^`\n]{2,80})`"),
        label: regex(r"^(?:\[[A-Za-z /-]{2,20}\]|(?i-u:bug|feature request|question|regression|issue)):?[ \t]+"),
    }
});

impl Sections {
    /// Reads the parts of a text. A text of one line has its first sentence as the title.
    pub(super) fn read(text: &str) -> Self {
        let text = MARKUP.comment.replace_all(text, "");
        let mut sections = Self::default();
        let (mut fence, mut about_machine): (Option<char>, bool) = (None, false);
        for line in text.lines() {
            let trimmed = line.trim();
            let marks = trimmed.chars().next().filter(|_| trimmed.starts_with("```") || trimmed.starts_with("~~~"));
            match (fence, marks) {
                (Some(open), Some(mark)) if open == mark => fence = None,
                (Some(_), _) => sections.push_code(trimmed, about_machine),
                (None, Some(mark)) => fence = Some(mark),
                (None, None) => {
                    let heading = MARKUP.heading.captures(line).or_else(|| MARKUP.bold.captures(line));
                    if let Some(heading) = heading.filter(|_| !sections.title.is_empty()) {
                        about_machine = is_about_machine(&heading[1]);
                    } else if is_code(line) {
                        sections.push_code(trimmed, about_machine);
                    } else {
                        sections.push_prose(trimmed, about_machine);
                    }
                }
            }
        }
        sections
    }

    fn push_code(&mut self, line: &str, about_machine: bool) {
        if !about_machine && !line.is_empty() {
            self.code.push(line.to_owned());
        }
    }

    fn push_prose(&mut self, line: &str, about_machine: bool) {
        if about_machine || MARKUP.check.is_match(line) || line == "_No response_" {
            return;
        }
        let plain = MARKUP.image.replace_all(line, "");
        let plain = MARKUP.link.replace_all(&plain, "$1");
        let plain = MARKUP.address.replace_all(&plain, "");
        self.quoted.extend(MARKUP.ticks.captures_iter(&plain).map(|quoted| quoted[1].to_owned()));
        let plain = plain.replace(['"', '`'], " ");
        let plain = plain.trim_start_matches(['#', '>', ' ', '*']).trim();
        if plain.is_empty() {
            return;
        }
        if !self.title.is_empty() || plain.split_whitespace().count() < MIN_TITLE_WORDS {
            self.prose.push(plain.to_owned());
            return;
        }
        let title = MARKUP.label.replace(plain, "");
        let end = if title.len() > TITLE_BYTES { sentence_end(&title) } else { title.len() };
        title[..end].trim().clone_into(&mut self.title);
        self.prose.extend(Some(title[end..].trim().to_owned()).filter(|rest| !rest.is_empty()));
    }
}

/// Returns where the first sentence of a long line ends, at most [`TITLE_BYTES`].
fn sentence_end(line: &str) -> usize {
    let most = line.floor_char_boundary(TITLE_BYTES);
    let sentence = line[..most].find(". ").or_else(|| line[..most].find("? ")).map(|at| at + 1);
    sentence.or_else(|| line[..most].rfind(' ')).unwrap_or(most)
}

fn is_about_machine(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    let is_word = |word: &str| heading.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    ABOUT_THE_MACHINE.iter().any(|word| if word.len() <= 3 { is_word(word) } else { heading.contains(word) })
}

/// Whether a line outside of a fence is code, a log or part of a trace.
fn is_code(line: &str) -> bool {
    if line.starts_with("    ") || line.starts_with('\t') {
        return true;
    }
    let line = line.trim_end();
    let is_marked = line.ends_with(['{', ';', '}']) || line.starts_with(['$', '|']) || line.starts_with("Traceback");
    is_marked || PATTERNS.error.is_match(line) || PATTERNS.read(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "[BUG] Cart `total` is wrong\n<!-- read the\nguide -->\n\n## Describe the bug\nThe sum of [two](https://x.y/z) items is \"0\".\n- [x] I searched\n\n```py\ncart.total()\n```\n    indented()\n\n**Environment**\n\nLinux 6.1\n```\npip list\n```\n## Expected\nIt is `3.5`.\n";

    #[test]
    fn a_report_has_a_title_prose_and_code() {
        let sections = Sections::read(REPORT);
        assert_eq!(sections.title, "Cart  total  is wrong");
        assert_eq!(sections.prose, ["The sum of two items is  0 .", "It is  3.5 ."]);
        assert_eq!(sections.code, ["cart.total()", "indented()"]);
        assert_eq!(sections.quoted, ["total", "3.5"]);
    }

    #[test]
    fn traces_are_not_titles() {
        let sections = Sections::read(
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nKeyError: 'a b'\nwhy does this fail?\n",
        );
        assert_eq!(sections.title, "why does this fail?");
        assert_eq!(sections.prose, [""; 0]);
    }

    #[test]
    fn a_long_line_gives_its_first_sentence() {
        let text = format!("The cart loses its items. {}", "It was so before. ".repeat(40));
        assert_eq!(Sections::read(&text).title, "The cart loses its items.");
        let unbroken = "x".repeat(1_000);
        assert!(Sections::read(&format!("a {unbroken}")).title.len() <= TITLE_BYTES);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|[ \n`#*<>-]|```\n|<!--){0,300}") {
            Sections::read(&text);
        }
    }
}
