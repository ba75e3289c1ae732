//! Hyperlinks to files, as the escape sequence OSC 8.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The beginning of a link; its address and [`END`] follow.
const BEGIN: &str = "\u{1b}]8;;";

/// The end of an address.
const END: &str = "\u{1b}\\";

/// Where the links of an answer lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// The name of this machine. A terminal that shows another machine's output does not open its own file of that name.
    pub(crate) host: String,
    /// The root of the project.
    pub(crate) root: PathBuf,
}

impl Links {
    /// Links a text to a file of the project.
    fn link(&self, path: &str, text: &str) -> String {
        format!("{BEGIN}{}{END}{text}{BEGIN}{END}", self.address(path))
    }

    /// Returns the file's address, percent-encoded.
    fn address(&self, path: &str) -> String {
        let mut address = format!("file://{}", self.host);
        for byte in self.root.join(Path::new(path)).to_string_lossy().bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                address.push(char::from(byte));
            } else {
                let _ = write!(address, "%{byte:02X}");
            }
        }
        address
    }
}

/// Links a text to a file of the project, if there are links.
pub(crate) fn link(links: Option<&Links>, path: &str, text: &str) -> String {
    links.map_or_else(|| text.to_owned(), |links| links.link(path, text))
}

/// Removes the links from a text, and keeps the linked words.
pub(crate) fn without_links(text: &str) -> String {
    let mut pieces = text.split(BEGIN);
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept.push_str(piece.split_once(END).map_or("", |(_, rest)| rest));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_the_file_on_this_machine_and_can_be_removed() {
        let links = Links { host: "zoo".to_owned(), root: PathBuf::from("/home/me/my code") };
        let text = link(Some(&links), "src/ü#1.rs", "src/ü#1.rs:10");
        assert_eq!(
            text,
            "\u{1b}]8;;file://zoo/home/me/my%20code/src/%C3%BC%231.rs\u{1b}\\src/ü#1.rs:10\u{1b}]8;;\u{1b}\\"
        );
        assert_eq!(without_links(&format!("1. {text}  fn a")), "1. src/ü#1.rs:10  fn a");
        assert_eq!(link(None, "a.rs", "a.rs:1"), "a.rs:1");
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), "src/ü#1.rs:10");
    }
}
