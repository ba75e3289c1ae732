//! What an edit of an agent replaces, from the arguments of its tools.

use recall_api::v1::Replacement;
use serde_json::Value;

/// The most replacements of one call that are sent.
const MOST: usize = 16;

/// The longest text of a replacement that is sent. A longer one is a new file rather than a place in one.
const TEXT_BYTES: usize = 16 * 1024;

/// The names of the text before and the text after, by the vendors.
const BEFORE: [&str; 3] = ["old_string", "old_str", "oldString"];
const AFTER: [&str; 3] = ["new_string", "new_str", "newString"];

/// The lists of replacements in one call.
const LIST: &str = "edits";

/// Returns what a call replaces in its file. Empty if it writes the whole file, or its form is not known.
pub(super) fn replacements(arguments: &Value) -> Vec<Replacement> {
    let list = arguments[LIST].as_array().into_iter().flatten();
    list.chain([arguments]).filter_map(replacement).filter(is_sent).take(MOST).collect()
}

fn replacement(arguments: &Value) -> Option<Replacement> {
    let text = |names: [&str; 3]| names.into_iter().find_map(|name| arguments[name].as_str()).map(str::to_owned);
    Some(Replacement { before: text(BEFORE)?, after: text(AFTER)? })
}

/// Returns what a patch of Codex replaces in its first file, a hunk each.
pub(super) fn in_patch(patch: &str) -> Vec<Replacement> {
    let mut hunks = vec![Replacement::default()];
    let lines = patch.split_inclusive('\n').skip_while(|line| !line.starts_with("*** Update File: ")).skip(1);
    for line in lines.take_while(|line| !line.starts_with("*** ")) {
        let Some(hunk) = hunks.last_mut() else { break };
        match (line.get(..1), line.get(1..)) {
            (Some("@"), _) => hunks.push(Replacement::default()),
            (Some("-"), Some(text)) => hunk.before.push_str(text),
            (Some("+"), Some(text)) => hunk.after.push_str(text),
            (Some(" "), Some(text)) => {
                hunk.before.push_str(text);
                hunk.after.push_str(text);
            }
            _ => {}
        }
    }
    hunks.into_iter().filter(is_sent).take(MOST).collect()
}

fn is_sent(replacement: &Replacement) -> bool {
    let Replacement { before, after } = replacement;
    before != after && before.len() <= TEXT_BYTES && after.len() <= TEXT_BYTES
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pairs(replacements: Vec<Replacement>) -> Vec<(String, String)> {
        replacements.into_iter().map(|Replacement { before, after }| (before, after)).collect()
    }

    fn pair(before: &str, after: &str) -> (String, String) {
        (before.to_owned(), after.to_owned())
    }

    #[test]
    fn replacements_are_read_from_every_form() {
        let check = |arguments: Value, expected: &[(String, String)]| {
            assert_eq!(pairs(replacements(&arguments)), expected, "{arguments}");
        };
        check(json!({"file_path": "a.rs", "old_string": "a", "new_string": "b"}), &[pair("a", "b")]);
        check(json!({"path": "a.rs", "old_str": "a", "new_str": "b"}), &[pair("a", "b")]);
        check(json!({"filePath": "a.rs", "oldString": "a", "newString": ""}), &[pair("a", "")]);
        let list = json!([{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}, 7]);
        check(json!({"file_path": "a.rs", "edits": list}), &[pair("a", "b"), pair("c", "d")]);
        check(json!({"file_path": "a.rs", "content": "a"}), &[]);
        check(json!({"old_string": "a", "new_string": "x".repeat(TEXT_BYTES + 1)}), &[]);
        check(json!({"old_string": 7, "new_string": "b"}), &[]);
    }

    #[test]
    fn the_hunks_of_a_patch_are_the_replacements_in_its_first_file() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@ fn a()\n one\n-two\n+three\n@@\n+four\n*** Update File: b.rs\n-x\n+y\n*** End Patch\n";
        assert_eq!(pairs(in_patch(patch)), [pair("one\ntwo\n", "one\nthree\n"), pair("", "four\n")]);
        assert_eq!(pairs(in_patch("*** Begin Patch\n*** Add File: a.rs\n+one\n*** End Patch\n")), []);
    }
}
