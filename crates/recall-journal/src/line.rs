//! The JSON form of an event, and the conversion of an event to its line.
//!
//! One object per line: texts as in the domain types, timestamps in RFC 3339, ids and hashes in hexadecimal. A written
//! line has exactly these fields; unknown fields of a read line are ignored.

mod read;

use recall_core::{
    Amendment, Anchor, Cue, Event, EventBody, Feedback, Lineage, MemoryChange, MemoryId, NewBound, NewMemory,
    Promotion, Provenance, TimePoint, Verdict,
};
use recall_text::DocPath;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::FaultKind;
use crate::day::moment;

pub(crate) use read::read_line;

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
    /// Since when and until when a memory holds: a time, and for a commit its hash after a blank. Empty: not any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<Value>,
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
    /// The ids of the events that are taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<String>>,
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
    Propose,
    Accept,
    Update,
    Delete,
    Feedback,
    Verify,
    Promote,
    Revert,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Add,
        Self::Propose,
        Self::Accept,
        Self::Update,
        Self::Delete,
        Self::Feedback,
        Self::Verify,
        Self::Promote,
        Self::Revert,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Propose => "propose",
            Self::Accept => "accept",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Feedback => "feedback",
            Self::Verify => "verify",
            Self::Promote => "promote",
            Self::Revert => "revert",
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

/// Appends an event's line, with its newline, to `lines`.
pub(crate) fn write_line(event: &Event, lines: &mut Vec<u8>) {
    serde_json::to_writer(&mut *lines, &Line::from(event))
        .expect("all keys are strings, and writing to a `Vec` cannot fail");
    lines.push(b'\n');
}

impl From<&Event> for Line {
    fn from(event: &Event) -> Self {
        let Event { timestamp, id: event_id, body, provenance } = event;
        let line = match body {
            EventBody::Memory { id, change } => change_line(*id, change),
            EventBody::Feedback { item, feedback } => {
                Line { id: Some(Value::String(item.to_string())), ..feedback_line(feedback) }
            }
            EventBody::Revert { item, events } => Line {
                event: Some(Kind::Revert.as_str().to_owned()),
                id: Some(Value::String(item.to_string())),
                events: Some(events.iter().map(ToString::to_string).collect()),
                ..Line::default()
            },
        };
        let provenance = (*provenance != Provenance::default()).then(|| provenance.into());
        let timestamp = Some(Value::String(moment(*timestamp).to_string()));
        Line { event_id: Some(event_id.to_string()), timestamp, provenance, ..line }
    }
}

fn change_line(id: MemoryId, change: &MemoryChange) -> Line {
    let (kind, line) = match change {
        MemoryChange::Add(added) => (Kind::Add, Line { r#type: Some(id.memory_type.to_string()), ..add_line(added) }),
        MemoryChange::Propose(added) => {
            (Kind::Propose, Line { r#type: Some(id.memory_type.to_string()), ..add_line(added) })
        }
        MemoryChange::Accept => (Kind::Accept, Line::default()),
        MemoryChange::Update(amendment) => (Kind::Update, update_line(amendment)),
        MemoryChange::Delete { reason } => (Kind::Delete, Line { reason: reason.clone(), ..Line::default() }),
        MemoryChange::Verify { anchors } => {
            (Kind::Verify, Line { anchors: anchors.as_deref().map(anchor_fields), ..Line::default() })
        }
        MemoryChange::Promote(Promotion { to, domain }) => {
            (Kind::Promote, Line { to: Some(to.to_string()), domain: domain.clone(), ..Line::default() })
        }
    };
    Line { event: Some(kind.as_str().to_owned()), id: Some(Value::String(id.to_string())), ..line }
}

fn add_line(added: &NewMemory) -> Line {
    let NewMemory {
        title,
        content,
        tags,
        related_files,
        cues,
        scope,
        source,
        origin,
        supersedes,
        anchors,
        lineage,
        valid,
    } = added;
    Line {
        title: Some(title.to_string()),
        content: Some(content.to_string()),
        tags: Some(Texts::Many(tags.clone())),
        related_files: Some(paths(related_files)),
        cues: cues.as_deref().map(cue_texts),
        scope: Some(scope.to_string()),
        source: source.clone().map(Value::String),
        origin: Some(origin.as_str().to_owned()),
        supersedes: supersedes.map(|id| id.to_string()),
        anchors: (!anchors.is_empty()).then(|| anchor_fields(anchors)),
        lineage: lineage
            .as_ref()
            .map(|Lineage { scope, name }| LineageField { scope: scope.to_string(), name: name.clone() }),
        valid_from: valid.from.as_ref().map(point),
        valid_until: valid.until.as_ref().map(point),
        ..Line::default()
    }
}

fn update_line(amendment: &Amendment) -> Line {
    let Amendment { title, content, tags, related_files, cues, anchors, valid } = amendment;
    Line {
        title: title.as_deref().map(str::to_owned),
        content: content.as_deref().map(str::to_owned),
        tags: tags.clone().map(Texts::Many),
        related_files: related_files.as_deref().map(paths),
        cues: cues.as_deref().map(cue_texts),
        anchors: anchors.as_deref().map(anchor_fields),
        valid_from: valid.from.as_ref().map(bound),
        valid_until: valid.until.as_ref().map(bound),
        ..Line::default()
    }
}

fn feedback_line(feedback: &Feedback) -> Line {
    let Feedback { verdict, note } = feedback;
    let (name, duplicate_of) = match verdict {
        Verdict::Useful => (USEFUL, None),
        Verdict::NotUseful => (NOT_USEFUL, None),
        Verdict::Outdated => (OUTDATED, None),
        Verdict::Duplicate { of } => (DUPLICATE, Some(of.to_string())),
    };
    Line {
        event: Some(Kind::Feedback.as_str().to_owned()),
        feedback: Some(name.to_owned()),
        duplicate_of,
        note: note.clone(),
        ..Line::default()
    }
}

fn paths(paths: &[DocPath]) -> Texts {
    Texts::Many(paths.iter().map(|path| path.as_str().to_owned()).collect())
}

fn cue_texts(cues: &[Cue]) -> Texts {
    Texts::Many(cues.iter().map(ToString::to_string).collect())
}

fn point(point: &TimePoint) -> Value {
    let commit = point.commit.as_ref().map(|commit| format!(" {commit}")).unwrap_or_default();
    Value::String(format!("{}{commit}", moment(point.at)))
}

fn bound(bound: &NewBound) -> Value {
    match bound {
        NewBound::At(at) => point(at),
        NewBound::Open => Value::String(String::new()),
    }
}

fn anchor_fields(anchors: &[Anchor]) -> Vec<AnchorField> {
    let field = |Anchor { path, symbol, hash, commit }: &Anchor| AnchorField {
        path: path.as_str().to_owned(),
        symbol: symbol.clone(),
        hash: hash.to_string(),
        commit: commit.clone(),
    };
    anchors.iter().map(field).collect()
}

impl From<&Provenance> for ProvenanceFields {
    fn from(provenance: &Provenance) -> Self {
        let Provenance { session, agent, mode, branch, commit, project, project_path } = provenance.clone();
        Self { session, agent, mode, branch, commit, project, project_path }
    }
}
