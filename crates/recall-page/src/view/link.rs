//! Links to pages, with their parameters encoded, and links that open a file in an editor.

use std::fmt::Write as _;

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
pub(crate) fn to(page: &str, parameters: &[(&str, &str)]) -> String {
    let mut address = page.to_owned();
    for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
        push(&mut address, name, value);
    }
    address
}

/// Returns the address of a line of a document. Long documents are shown in parts, so the line is a parameter too.
pub(crate) fn to_line(id: &str, line: u32) -> String {
    if line > 1 {
        return format!("{}#L{line}", to("doc", &[("id", id), ("line", &line.to_string())]));
    }
    to("doc", &[("id", id)])
}

/// Returns the link to a line of a file below a root; `None` if the user wants none, or if the path leaves the root.
pub(crate) fn in_editor(template: Option<&str>, root: &str, path: &str, line: u32) -> Option<String> {
    let template = template?;
    let is_below = !path.is_empty() && !path.starts_with('/') && path.split('/').all(|part| part != "..");
    if !is_below || !root.starts_with('/') {
        return None;
    }
    let file = format!("{}/{path}", root.trim_end_matches('/'));
    Some(template.replace("{line}", &line.to_string()).replace("{path}", &encoded_but(&file, "/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_cannot_leave_their_place() {
        assert_eq!(to("doc", &[("id", "a&b=c#d?e/ü"), ("x", "")]), "doc?id=a%26b%3Dc%23d%3Fe%2F%C3%BC");
        assert_eq!(to("./", &[]), "./");
        assert_eq!(to_line("a", 1), "doc?id=a");
        assert_eq!(to_line("a b", 7), "doc?id=a%20b&line=7#L7");
    }

    #[test]
    fn a_path_is_encoded_and_stays_below_its_root() {
        let link = |path| in_editor(Some("vscode://file{path}:{line}"), "/p", path, 7);
        assert_eq!(link("a b/ü{line}.rs").as_deref(), Some("vscode://file/p/a%20b/%C3%BC%7Bline%7D.rs:7"));
        assert_eq!(link("a?x=1#\"<").as_deref(), Some("vscode://file/p/a%3Fx%3D1%23%22%3C:7"));
        assert_eq!(link("../secret"), None);
        assert_eq!(link("/etc/passwd"), None);
        assert_eq!(in_editor(None, "/p", "a", 1), None);
    }
}
