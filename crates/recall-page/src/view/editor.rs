//! Links that open a file in an editor.

use super::link::encoded_but;

/// Returns the link to a line of a file below a root; `None` if the user wants none, or if the path leaves the root.
pub(crate) fn link(template: Option<&str>, root: &str, path: &str, line: u32) -> Option<String> {
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
    fn a_path_is_encoded_and_stays_below_its_root() {
        let link = |path| link(Some("vscode://file{path}:{line}"), "/p", path, 7);
        assert_eq!(link("a b/ü{line}.rs").as_deref(), Some("vscode://file/p/a%20b/%C3%BC%7Bline%7D.rs:7"));
        assert_eq!(link("a?x=1#\"<").as_deref(), Some("vscode://file/p/a%3Fx%3D1%23%22%3C:7"));
        assert_eq!(link("../secret"), None);
        assert_eq!(link("/etc/passwd"), None);
        assert_eq!(super::link(None, "/p", "a", 1), None);
    }
}
