//! A context window for people: without the marks of Markdown.

use std::fmt::Write as _;

use super::style::{DIM, LINE, PATH};
use super::text::printable;

/// Formats the text of a window. Headings are highlighted, fences left out, and the lines of files indented.
pub(crate) fn text(window: &str) -> String {
    let mut shown = String::new();
    let mut fence: Option<&str> = None;
    for line in window.lines() {
        if let Some(open) = fence {
            if line == open {
                fence = None;
            } else {
                let _ = writeln!(shown, "{DIM}│{DIM:#} {}", printable(line));
            }
        } else if line.starts_with("```") {
            fence = Some(&line[..line.len() - line.trim_start_matches('`').len()]);
        } else if let Some(place) = line.strip_prefix("### ") {
            let _ = writeln!(shown, "{PATH}{}{PATH:#}", printable(place));
        } else if let Some(heading) = line.strip_prefix("## ") {
            let _ = writeln!(shown, "{LINE}{}{LINE:#}", printable(heading));
        } else {
            let _ = writeln!(shown, "{}", printable(line));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_shown_without_its_fences() {
        let window = "## Code\n### src/a.rs:1-3\n````rust\nlet a = \"```\";\n````\n- src/b.rs:4-9 fn b()\n";
        insta::assert_snapshot!(anstream::adapter::strip_str(&text(window)), @r#"
        Code
        src/a.rs:1-3
        │ let a = "```";
        - src/b.rs:4-9 fn b()
        "#);
    }
}
