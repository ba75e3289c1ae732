//! The JSON form of an event.
//!
//! One object per line: texts as in the domain types, timestamps in RFC 3339, ids and hashes in hexadecimal. A written
//! line has exactly these fields; unknown fields of a read line are ignored.

mod read;
mod resync;
mod write;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::FaultKind;

pub(crate) use resync::read_line;
pub(crate) use write::write_line;

/// The beginning of every line that this crate writes. A partial last line that begins otherwise was not torn by this
/// crate.
pub(crate) const BEGINNING: &[u8] = b"{\"event\":\"";

/// The fields of all events. The event's kind determines which ones are present.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Line {
    /// The event's kind. Lines written by other programs lack it; they are additions.
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<String>,
    /// A memory's id, or for feedback the id of any item. Other programs use ids of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Texts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    related_files: Option<Texts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cues: Option<Texts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supersedes: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anchors: Option<Vec<AnchorField>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lineage: Option<LineageField>,
    /// The reason for a deletion.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The scope to which a memory was promoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<ProvenanceFields>,
}

/// A list of texts. Other programs may write a single text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Texts {
    Many(Vec<String>),
    One(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct AnchorField {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    hash: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct LineageField {
    scope: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ProvenanceFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_path: Option<String>,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Add,
    Update,
    Delete,
    Feedback,
    Verify,
    Promote,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Add, Self::Update, Self::Delete, Self::Feedback, Self::Verify, Self::Promote];

    fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Feedback => "feedback",
            Self::Verify => "verify",
            Self::Promote => "promote",
        }
    }
}

/// The names of verdicts.
const USEFUL: &str = "useful";
const NOT_USEFUL: &str = "not_useful";
const OUTDATED: &str = "outdated";
const DUPLICATE: &str = "duplicate";

/// Returns the fault of a line that lacks a field.
fn missing(field: &str) -> FaultKind {
    FaultKind::NotAnEvent { reason: format!("missing field `{field}`") }
}

/// Returns the parser's message without its line and column, which count within a part of the line.
pub(crate) fn parser_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}
