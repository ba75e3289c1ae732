//! Agent Trace records: which lines of a revision people and agents wrote, in the open form that several tools share
//! (<https://agent-trace.dev>, version 0.1).
//!
//! The specification leaves open where records are. Other tools keep them in git notes at the commit, as one record, a list or a
//! sequence of records, or append them to a file of the work tree, one record a line. Anyone can write a note, so each record is
//! checked, and its texts are masked, cleaned and cut before they are shown.

use std::ops::RangeInclusive;

use recall_core::{ContentHash, Timestamp};
use recall_journal::{moment_of, rfc_3339};
use recall_text::quote::inline;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::mask;

/// The version of the records that are written.
const VERSION: &str = "0.1.0";

/// What the address of a conversation that recall recorded begins with; the id of the session follows.
const SESSION_URL: &str = "recall://session/";

/// The longest name of a model, by the specification.
const MODEL_CHARS: usize = 250;

/// The most records that are read in one place. The latest are.
const MOST_RECORDS: usize = 2_000;

/// Who wrote lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TraceContributor {
    /// A person.
    Human,
    /// An agent.
    Ai,
    /// Both.
    Mixed,
    /// Nobody knows.
    Unknown,
}

impl TraceContributor {
    /// Returns the name, as records and interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Ai => "ai",
            Self::Mixed => "mixed",
            Self::Unknown => "unknown",
        }
    }
}

/// What a record says about a line. Its texts are another program's, fit to be shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TraceClaim {
    /// Who wrote it.
    pub contributor: TraceContributor,
    /// The model, as `provider/name`.
    pub model: Option<String>,
    /// The address of the conversation.
    pub url: Option<String>,
    /// The program that made the record.
    pub tool: Option<String>,
}

impl TraceClaim {
    /// Returns the id of the session of recall that the address names.
    pub(super) fn session(&self) -> Option<&str> {
        self.url.as_deref()?.strip_prefix(SESSION_URL)
    }
}

#[derive(Clone, Debug, Deserialize)]
struct TraceRecord {
    version: String,
    id: String,
    timestamp: String,
    #[serde(default)]
    vcs: Option<TraceVcs>,
    #[serde(default)]
    tool: Option<TraceTool>,
    files: Vec<TraceFile>,
}

#[derive(Clone, Debug, Deserialize)]
struct TraceVcs {
    r#type: String,
    revision: String,
}

#[derive(Clone, Debug, Deserialize)]
struct TraceTool {
    #[serde(default)]
    name: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct TraceFile {
    path: String,
    conversations: Vec<TraceConversation>,
}

#[derive(Clone, Debug, Deserialize)]
struct TraceConversation {
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    contributor: Option<NamedContributor>,
    ranges: Vec<TraceRange>,
}

#[derive(Clone, Debug, Deserialize)]
struct NamedContributor {
    r#type: TraceContributor,
    #[serde(default)]
    model_id: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct TraceRange {
    start_line: u32,
    end_line: u32,
    #[serde(default)]
    contributor: Option<NamedContributor>,
}

/// The records of one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Traces {
    records: Vec<TraceRecord>,
    /// The number of those that are not valid.
    pub(super) invalid: u64,
}

impl Traces {
    /// Reads the records of a note: one, a list, or one after the other.
    pub(super) fn read_note(note: &str) -> Self {
        let mut traces = Self::default();
        match values(note) {
            Some(values) => values.into_iter().for_each(|value| traces.add(value)),
            None => traces.invalid = 1,
        }
        traces
    }

    /// Reads the records of a file with one in each line.
    pub(super) fn read_lines(text: &str) -> Self {
        let mut traces = Self::default();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        for line in &lines[lines.len().saturating_sub(MOST_RECORDS)..] {
            traces.add(serde_json::from_str(line).unwrap_or_default());
        }
        traces
    }

    fn add(&mut self, value: Value) {
        match serde_json::from_value::<TraceRecord>(value).ok().filter(TraceRecord::is_valid) {
            Some(record) => self.records.push(record),
            None => self.invalid += 1,
        }
    }

    /// Returns what the latest record says about a line of a file, by its path from the top of the repository.
    ///
    /// With `revisions`, only records of one of them count. Without, all do: a note is about the commit that has it, also after a rebase.
    pub(super) fn claim(&self, revisions: Option<&[&str]>, path: &str, line: u32) -> Option<TraceClaim> {
        let records = self.records.iter().rev();
        records.filter(|record| record.is_about(revisions)).find_map(|record| record.claim(path, line))
    }
}

impl TraceRecord {
    fn is_valid(&self) -> bool {
        let numbers: Vec<Option<u32>> = self.version.split('.').map(|number| number.parse().ok()).collect();
        // Later major versions may mean something else by the same names.
        let is_known = matches!(numbers[..], [Some(0 | 1), Some(_)] | [Some(0 | 1), Some(_), Some(_)]);
        let ranges = self.files.iter().flat_map(|file| &file.conversations).flat_map(|said| &said.ranges);
        let is_range = |range: &TraceRange| range.start_line > 0 && range.start_line <= range.end_line;
        is_known && !self.id.is_empty() && moment_of(&self.timestamp).is_some() && ranges.into_iter().all(is_range)
    }

    fn is_about(&self, revisions: Option<&[&str]>) -> bool {
        match (&self.vcs, revisions) {
            (Some(vcs), Some(revisions)) => vcs.r#type == "git" && revisions.contains(&vcs.revision.as_str()),
            (None, Some(_)) => false,
            (_, None) => true,
        }
    }

    fn claim(&self, path: &str, line: u32) -> Option<TraceClaim> {
        let conversations = self.files.iter().filter(|file| file.path == path).flat_map(|file| &file.conversations);
        let mut ranges = conversations.flat_map(|said| said.ranges.iter().map(move |range| (said, range)));
        let (said, range) = ranges.find(|(_, range)| (range.start_line..=range.end_line).contains(&line))?;
        let contributor = range.contributor.as_ref().or(said.contributor.as_ref());
        Some(TraceClaim {
            contributor: contributor.map_or(TraceContributor::Unknown, |contributor| contributor.r#type),
            model: contributor.and_then(|contributor| contributor.model_id.as_deref()).and_then(shorten),
            url: said.url.as_deref().and_then(shorten),
            tool: self.tool.as_ref().and_then(|tool| tool.name.as_deref()).and_then(shorten),
        })
    }
}

/// Returns a text of a record on one line, without secrets.
fn shorten(text: &str) -> Option<String> {
    let mut text: String = text.chars().take(MODEL_CHARS).collect();
    mask::path_text(&mut text);
    Some(inline(&text)).filter(|text| !text.is_empty())
}

/// Returns the records of a note; `None` if it is not JSON.
fn values(note: &str) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for value in serde_json::Deserializer::from_str(note).into_iter() {
        match value.ok()? {
            Value::Array(list) => values.extend(list),
            value => values.push(value),
        }
    }
    Some(values)
}

/// Lines of a file that a session wrote, by its path from the top of the repository.
pub(super) type WrittenLines = (String, Vec<RangeInclusive<u32>>);

/// Returns the note of a commit with the record of a session, and with the records of others that the note has; `None` if it has the
/// record already.
///
/// # Errors
/// The note is not JSON. It is somebody else's, and is not replaced.
pub(super) fn add_record(
    note: &str,
    commit: &str,
    session: &str,
    files: &[WrittenLines],
    now: Timestamp,
) -> Result<Option<String>, &'static str> {
    let mut records = values(note).ok_or("its note has another form")?;
    let range = |lines: &RangeInclusive<u32>| json!({"start_line": lines.start(), "end_line": lines.end()});
    let is_plain = session.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let files: Value = files
        .iter()
        .map(|(path, lines)| {
            let ranges: Vec<Value> = lines.iter().map(range).collect();
            let mut said = json!({"contributor": {"type": TraceContributor::Ai}, "ranges": ranges});
            if is_plain {
                said["url"] = format!("{SESSION_URL}{session}").into();
            }
            json!({"path": path, "conversations": [said]})
        })
        .collect();
    let id = uuid(commit, session);
    if records.iter().any(|record| record["id"] == id && record["files"] == files) {
        return Ok(None);
    }
    records.retain(|record| record["id"] != id);
    records.push(json!({
        "version": VERSION,
        "id": id,
        "timestamp": rfc_3339(now),
        "vcs": {"type": "git", "revision": commit},
        "tool": {"name": "recall", "version": env!("CARGO_PKG_VERSION")},
        "files": files,
        // The session edited these files. Which of the lines a person changed meanwhile is not known.
        "metadata": {"recall": {"evidence": "edited files"}},
    }));
    // Some tools read one record only.
    let note = if records.len() == 1 { records.remove(0) } else { Value::Array(records) };
    Ok(Some(serde_json::to_string_pretty(&note).expect("values are JSON")))
}

/// Returns the id of a session's record at a commit: a UUID of version 8, which is free to be made of a hash.
fn uuid(commit: &str, session: &str) -> String {
    let hash = ContentHash::hash(format!("{commit}\n{session}").as_bytes()).to_string();
    format!("{}-{}-8{}-a{}-{}", &hash[..8], &hash[8..12], &hash[12..15], &hash[15..18], &hash[18..30])
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    /// A record as other tools write it.
    fn record(version: &str, line: u32) -> Value {
        json!({
            "version": version,
            "id": "550e8400-e29b-41d4-a716-446655440000",
            "timestamp": "2026-01-23T14:30:00Z",
            "vcs": {"type": "git", "revision": COMMIT},
            "tool": {"name": "cursor", "version": "2.4.0"},
            "files": [{"path": "src/a.ts", "conversations": [{
                "url": "https://api.example.com/v1/conversations/1",
                "contributor": {"type": "ai", "model_id": "anthropic/claude-opus-4-5-20251101"},
                "ranges": [
                    {"start_line": line, "end_line": 20, "content_hash": "murmur3:9f2e8a1b"},
                    {"start_line": 30, "end_line": 30, "contributor": {"type": "human"}},
                ],
                "related": [{"type": "session", "url": "https://api.example.com/v1/sessions/6"}],
            }]}],
            "metadata": {"confidence": 0.95, "dev.cursor": {"workspace_id": "w"}},
        })
    }

    #[test]
    fn a_record_of_another_tool_says_who_wrote_a_line() {
        let traces = Traces::read_note(&record("0.1.0", 10).to_string());
        let claim = traces.claim(None, "src/a.ts", 10).expect("covered");
        assert_eq!((claim.contributor, claim.session()), (TraceContributor::Ai, None));
        assert_eq!(claim.model.as_deref(), Some("anthropic/claude-opus-4-5-20251101"));
        assert_eq!(claim.tool.as_deref(), Some("cursor"));
        let of_range = traces.claim(None, "src/a.ts", 30).expect("covered");
        assert_eq!((of_range.contributor, of_range.model), (TraceContributor::Human, None));
        for (path, line) in [("src/a.ts", 9), ("src/a.ts", 21), ("a.ts", 10)] {
            assert_eq!(traces.claim(None, path, line), None, "{path}:{line}");
        }
    }

    #[test]
    fn records_come_alone_in_a_list_or_one_after_the_other() {
        let (one, other) = (record("0.1.0", 10), record("1.0", 1));
        for note in [json!([one, other]).to_string(), format!("{one}\n\n{other}\n"), format!("{one}{other}")] {
            let traces = Traces::read_note(&note);
            assert_eq!((traces.records.len(), traces.invalid), (2, 0), "{note}");
            assert!(traces.claim(None, "src/a.ts", 1).is_some());
        }
        let lines = Traces::read_lines(&format!("cut off}}\n{one}\n\n{other}\n"));
        assert_eq!((lines.records.len(), lines.invalid), (2, 1));
        assert!(lines.claim(Some(&[COMMIT]), "src/a.ts", 1).is_some());
        assert!(lines.claim(Some(&["another"]), "src/a.ts", 1).is_none());
    }

    #[test]
    fn what_is_not_a_record_is_counted_and_not_believed() {
        let with = |change: &dyn Fn(&mut Value)| {
            let mut record = record("0.1.0", 10);
            change(&mut record);
            record.to_string()
        };
        for note in [
            "no JSON".to_owned(),
            "[1]".to_owned(),
            record("2.0.0", 10).to_string(),
            record("one", 10).to_string(),
            record("0.1.0", 0).to_string(),
            record("0.1.0", 21).to_string(),
            with(&|record| record["timestamp"] = "yesterday".into()),
            with(&|record| record["files"] = Value::Null),
            with(&|record| record["files"][0]["conversations"][0]["contributor"] = "ai".into()),
        ] {
            let traces = Traces::read_note(&note);
            assert_eq!((traces.records.len(), traces.invalid), (0, 1), "{note}");
        }
    }

    #[test]
    fn texts_of_a_record_are_masked_and_on_one_line() {
        let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2");
        let mut record = record("0.1.0", 10);
        record["tool"]["name"] = format!("x\n\u{202e}{token}").into();
        record["files"][0]["conversations"][0]["url"] = format!("https://a.example/{}", "y".repeat(10_000)).into();
        let claim = Traces::read_note(&record.to_string()).claim(None, "src/a.ts", 10).expect("covered");
        let tool = claim.tool.expect("named");
        assert!(!tool.contains(&token) && !tool.contains(['\n', '\u{202e}']), "{tool}");
        assert!(claim.url.expect("there").len() < 300);
    }

    #[test]
    fn a_note_that_is_written_is_read_back_and_keeps_the_records_of_others() {
        let files = [("src/a.ts".to_owned(), vec![1..=2, 7..=7])];
        let write = |note: &str, session| add_record(note, COMMIT, session, &files, Timestamp(0)).expect("JSON");
        let note = write("", "s-1").expect("a new record");
        assert!(note.starts_with('{'), "{note}");
        let traces = Traces::read_note(&note);
        let claim = traces.claim(Some(&[COMMIT]), "src/a.ts", 7).expect("covered");
        assert_eq!((claim.contributor, claim.session()), (TraceContributor::Ai, Some("s-1")));
        assert_eq!((traces.claim(None, "src/a.ts", 3), traces.invalid), (None, 0));
        assert_eq!(write(&note, "s-1"), None, "the record is there");
        let both = write(&record("0.1.0", 10).to_string(), "a/b c").expect("a new record");
        let traces = Traces::read_note(&both);
        assert_eq!(traces.claim(None, "src/a.ts", 15).and_then(|claim| claim.tool).as_deref(), Some("cursor"));
        assert_eq!(traces.claim(None, "src/a.ts", 1).expect("covered").url, None, "no such address");
        assert!(add_record("plain words", COMMIT, "s", &files, Timestamp(0)).is_err());
    }
}
