//! The folder name of a session.

use recall_core::ContentHash;

/// The longest id that is used as a folder name unchanged. Ids of agents are half as long.
const NAME_BYTES: usize = 80;

/// The most characters that are kept of any other id: enough to recognise it.
const SHOWN_CHARS: usize = 40;

/// Names that are devices on Windows, with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Returns the folder name of a session: its id if that is a portable file name, else the portable characters of it and a hash
/// that makes it unique.
pub(crate) fn name_of(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
    let begins_well = id.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    let stem = id.split('.').next().unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
    let is_name = begins_well && id.len() <= NAME_BYTES && id.chars().all(is_plain) && !id.ends_with('.');
    if is_name && !DEVICES.contains(&stem) {
        return id.to_owned();
    }
    let shown: String =
        id.chars().map(|c| c.to_ascii_lowercase()).filter(|c| is_plain(*c) && *c != '.').take(SHOWN_CHARS).collect();
    let hash = ContentHash::hash(id.as_bytes()).short();
    format!("s-{shown}-{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_a_name_names_its_folder() {
        for id in ["session-7", "0b9f3a52-1d7e-4b59-9a53-2f0c7a1f6f3e", "a.b_c"] {
            assert_eq!(name_of(id), id);
        }
    }

    #[test]
    fn no_id_leads_anywhere_else_or_to_the_folder_of_another() {
        let ids = ["../x", "/etc", "", ".", "..", ".hidden", "A", "a/b", "a b", "nul", "com1.txt", "x.", "ä", "a\0b"];
        let mut names: Vec<String> = ids.iter().map(|id| name_of(id)).collect();
        for name in &names {
            assert!(name.starts_with("s-") && !name.contains(['/', '\\', '\0', ' ']) && name.len() < 80, "{name}");
        }
        names.push(name_of(&"x".repeat(1000)));
        names.push(name_of("a"));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ids.len() + 2);
    }
}
