//! Conversion of an event to its line.

use recall_core::{
    Amendment, Anchor, Cue, Event, EventBody, Feedback, Lineage, MemoryChange, MemoryId, NewMemory, Promotion,
    Provenance, Verdict,
};
use recall_text::DocPath;
use serde_json::Value;

use super::{AnchorField, DUPLICATE, Kind, Line, LineageField, NOT_USEFUL, OUTDATED, ProvenanceFields, Texts, USEFUL};
use crate::day::moment;

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
        };
        let provenance = (*provenance != Provenance::default()).then(|| provenance.into());
        let timestamp = Some(Value::String(moment(*timestamp).to_string()));
        Line { event_id: Some(event_id.to_string()), timestamp, provenance, ..line }
    }
}

fn change_line(id: MemoryId, change: &MemoryChange) -> Line {
    let (kind, line) = match change {
        MemoryChange::Add(added) => (Kind::Add, Line { r#type: Some(id.memory_type.to_string()), ..add_line(added) }),
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
    let NewMemory { title, content, tags, related_files, cues, scope, source, origin, supersedes, anchors, lineage } =
        added;
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
        ..Line::default()
    }
}

fn update_line(amendment: &Amendment) -> Line {
    let Amendment { title, content, tags, related_files, cues, anchors } = amendment;
    Line {
        title: title.as_deref().map(str::to_owned),
        content: content.as_deref().map(str::to_owned),
        tags: tags.clone().map(Texts::Many),
        related_files: related_files.as_deref().map(paths),
        cues: cues.as_deref().map(cue_texts),
        anchors: anchors.as_deref().map(anchor_fields),
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
