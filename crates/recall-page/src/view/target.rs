//! Where a link in a text leads: to a web site, to a document of the project, or nowhere.

use crate::view::{encode, link_to, link_to_line};

/// What stands before the name of a heading in the id of its element, so that no heading takes the id of a part of the page.
const HEADING: &str = "h-";

/// Returns the address of a link in the document at a path; `None` if it leads to neither a web site nor a place in the project.
pub(crate) fn address(path: &str, target: &str) -> Option<String> {
    let target = target.trim();
    if target.chars().any(char::is_control) {
        return None;
    }
    if is_web(target) {
        return Some(target.to_owned());
    }
    let (target, fragment) = target.split_once('#').unwrap_or((target, ""));
    let target = target.split('?').next().unwrap_or_default();
    // `javascript:`, `mailto:`, `C:`, and `//host`, which takes the scheme of the page.
    let has_scheme = target.split('/').next().is_some_and(|first| first.contains(':'));
    if has_scheme || target.starts_with("//") || (target.is_empty() && fragment.is_empty()) {
        return None;
    }
    if target.is_empty() {
        return Some(format!("#{}", anchor(fragment)));
    }
    let folder = if target.starts_with('/') { "" } else { path.rsplit_once('/').map_or("", |(folder, _)| folder) };
    let resolved = join(folder, &decode(target))?;
    if resolved.is_empty() || target.ends_with('/') {
        return Some(link_to("browse", &[("path", &resolved)]));
    }
    Some(match line(fragment) {
        Some(line) => link_to_line(&resolved, line),
        None if fragment.is_empty() => link_to("doc", &[("id", &resolved)]),
        None => format!("{}#{}", link_to("doc", &[("id", &resolved)]), anchor(fragment)),
    })
}

/// Whether a target is the address of a web site.
pub(crate) fn is_web(target: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        target.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            && target.len() > scheme.len()
    })
}

/// Returns the id of the element of a heading: its text as web sites that show Markdown write it in an address.
pub(crate) fn heading_id(text: &str) -> String {
    let mut id = HEADING.to_owned();
    for letter in text.trim().chars() {
        match letter {
            ' ' | '-' => id.push('-'),
            '_' => id.push('_'),
            letter if letter.is_alphanumeric() => id.extend(letter.to_lowercase()),
            _ => {}
        }
    }
    id
}

/// Returns the id of the element that a fragment names: of a line, or of a heading.
fn anchor(fragment: &str) -> String {
    match line(fragment) {
        Some(line) => format!("L{line}"),
        None => encode(&heading_id(&decode(fragment))),
    }
}

/// Returns the line that a fragment such as `L10` or `L10-L20` names.
fn line(fragment: &str) -> Option<u32> {
    fragment.strip_prefix('L')?.split('-').next()?.parse().ok()
}

/// Returns a path from a folder without `.` and `..`; `None` if it leaves the root.
fn join(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns a text without percent encoding; what is not valid is left as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(target: &str, expected: Option<&str>) {
        assert_eq!(address("docs/adr/1.md", target).as_deref(), expected, "{target}");
    }

    #[test]
    fn a_link_leads_to_a_web_site_or_into_the_project() {
        check("https://example.org/a?b#c", Some("https://example.org/a?b#c"));
        check("HTTP://example.org", Some("HTTP://example.org"));
        check("2.md", Some("doc?id=docs%2Fadr%2F2.md"));
        check("../a%20b.md#Some-Heading", Some("doc?id=docs%2Fa%20b.md#h-some-heading"));
        check("/src/lib.rs#L10-L20", Some("doc?id=src%2Flib.rs&line=10#L10"));
        check("../../src/", Some("browse?path=src"));
        check("#here", Some("#h-here"));
        check("#L7", Some("#L7"));
    }

    #[test]
    fn a_link_to_anything_else_leads_nowhere() {
        for target in [
            "javascript:boom(1)",
            "JaVaScRiPt:boom(1)",
            " java\nscript:boom(1)",
            "data:text/html,<script>",
            "mailto:a@example.org",
            "vscode://file/etc/passwd",
            "file:///etc/passwd",
            "//example.org/a",
            "https://",
            "../../../etc/passwd",
            "%2e%2e/%2e%2e/../etc/passwd",
            "",
            "?x",
        ] {
            check(target, None);
        }
    }

    #[test]
    fn a_heading_has_the_id_that_links_to_it_name() {
        assert_eq!(heading_id("What's `new`, in 2.0?"), "h-whats-new-in-20");
        assert_eq!(heading_id("Über uns"), "h-über-uns");
    }
}
