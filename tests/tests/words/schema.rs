//! The page on JSON output against the types that are serialised.

use std::collections::BTreeSet;

use super::File;

/// The sources whose types make the schema.
const SOURCES: &[&str] = &["crates/recall-api/src/", "recall-cli/src/output/json", "recall-cli/src/command/"];

/// The serialised fields of a source that a page does not name between backticks.
pub(super) fn missing_from(page: &str, source: &File) -> Vec<String> {
    if !SOURCES.iter().any(|folder| source.path.starts_with(folder)) {
        return Vec::new();
    }
    let fields = fields(&source.text).into_iter().filter(|field| !page.contains(&format!("`{field}`")));
    fields.map(|field| format!("{}: `{field}` is missing", source.path)).collect()
}

/// The fields of all types that derive `Serialize`, except flattened ones, whose own fields count.
fn fields(source: &str) -> Vec<&str> {
    let (mut derives, mut is_inside, mut is_flattened) = (false, false, false);
    let mut fields = Vec::new();
    for line in source.lines() {
        if is_inside && !line.starts_with('}') {
            if !is_flattened && !line.trim_start().starts_with("//") {
                fields.extend(line.split(['{', ',']).filter_map(field));
            }
            is_flattened = line.contains("flatten");
            continue;
        }
        is_inside = derives && (line.contains("struct ") || line.contains("enum ")) && line.ends_with('{');
        derives = line.contains("Serialize") || (derives && line.starts_with("#["));
    }
    fields
}

/// The fields in a snapshot of answers that a page does not name between backticks.
pub(super) fn missing_from_answers(page: &str, answers: &str) -> Vec<String> {
    // A key with a blank is a value of the snapshot, in an object by that value.
    let names = answers.lines().filter_map(|line| line.trim_start().strip_prefix('"')?.split_once("\": "));
    let names = names.filter(|(name, _)| !name.contains(' '));
    let names: BTreeSet<_> = names.map(|(name, _)| name).filter(|name| !page.contains(&format!("`{name}`"))).collect();
    names.into_iter().map(|name| format!("the answers: `{name}` is missing")).collect()
}

/// The name in `name: Type`.
fn field(text: &str) -> Option<&str> {
    let (name, _) = text.split_once(": ")?;
    let name = name.trim().trim_start_matches("pub(crate) ").trim_start_matches("r#");
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

#[test]
fn a_missing_field_is_found() {
    let text = "
#[derive(Debug, Serialize)]
#[serde(tag = \"event\")]
pub(crate) enum Line<'a> {
    Started { root: &'a str, counts: BTreeMap<String, u32> },
    Finished {
        // A note: with a colon.
        pub(crate) took_ms: f64,
        #[serde(flatten)]
        body: T,
        r#type: &'a str,
    },
}

struct NotSerialised {
    other: u32,
}
";
    let source = File { path: "crates/recall-api/src/a.rs".to_owned(), text: text.to_owned() };
    assert_eq!(fields(text), ["root", "counts", "took_ms", "type"]);
    assert_eq!(missing_from("`root`, `counts`, `type`", &source), ["crates/recall-api/src/a.rs: `took_ms` is missing"]);
    let foreign = File { path: "recalld/src/a.rs".to_owned(), ..source };
    assert!(missing_from("", &foreign).is_empty());
    let answers = "Answer {\n  \"root\": \"a\",\n  \"took_ms\": 1.5\n}\nempty {\"root\":null}";
    assert_eq!(missing_from_answers("`root`", answers), ["the answers: `took_ms` is missing"]);
}
