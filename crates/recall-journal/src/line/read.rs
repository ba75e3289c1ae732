//! Parsing of a line, with resynchronization after damaged parts, and the conversion of its object to an event.

use std::sync::Arc;

use memchr::memmem;
use recall_core::{
    Amendment, Anchor, ContentHash, Cue, Event, EventBody, EventId, Feedback, Lineage, MemoryChange, MemoryId,
    MemoryOrigin, MemoryType, NewBound, NewMemory, Promotion, Provenance, StoreScope, TimePoint, Timestamp, ValidTime,
    ValidTimeChange, Verdict,
};
use recall_text::DocPath;
use serde_json::Value;

use super::{
    AnchorField, BEGINNING, DUPLICATE, Kind, Line, LineageField, NOT_USEFUL, OUTDATED, ProvenanceFields, Texts, USEFUL,
    missing, parser_message,
};
use crate::day::moment_of;
use crate::{Day, FaultKind};

/// The largest number read as seconds, in the year 5138. A larger number is read as milliseconds.
const MOST_SECONDS: i64 = 99_999_999_999;

/// Converts an object to an event. Bad paths do not fail the event; they are added to `remarks`.
pub(super) fn read_event(line: Line, day: Day, remarks: &mut Vec<FaultKind>) -> Result<Event, FaultKind> {
    let id = line.id.as_ref().and_then(Value::as_str);
    let is_foreign = line.event.is_none() && id.is_none_or(|id| id.parse::<MemoryId>().is_err());
    let line = if is_foreign { adopt(line, day)? } else { line };
    let Some(kind) = kind(&line)? else {
        return Err(FaultKind::UnknownEvent { event: line.event.unwrap_or_default() });
    };
    let id = match &line.event_id {
        Some(id) => id.parse().map_err(wrong)?,
        // The line was written by hand. Lines with equal fields are the same event, in whatever file they are.
        None => EventId::from_parts(&[&serde_json::to_vec(&line).map_err(wrong)?]),
    };
    let timestamp = timestamp(line.timestamp.as_ref(), day)?;
    let provenance = line.provenance.clone().map(Provenance::from).unwrap_or_default();
    let body = body(kind, line, remarks)?;
    Ok(Event { timestamp, id, body, provenance })
}

fn kind(line: &Line) -> Result<Option<Kind>, FaultKind> {
    match line.event.as_deref() {
        None => Ok(Some(Kind::Add)),
        Some("") => Err(missing("event")),
        Some(name) => Ok(Kind::ALL.into_iter().find(|kind| kind.as_str() == name)),
    }
}

/// Parses a timestamp: RFC 3339, or a number of seconds or milliseconds. If there is none, it is the start of the
/// file's day.
fn timestamp(value: Option<&Value>, day: Day) -> Result<Timestamp, FaultKind> {
    let unreachable = || FaultKind::NotAnEvent { reason: "the timestamp is outside the years 1677 to 2262".to_owned() };
    let moment = match value {
        None | Some(Value::Null) => return day.begin().ok_or_else(unreachable),
        Some(Value::String(text)) => text.parse::<jiff::Timestamp>().map_err(wrong)?,
        Some(Value::Number(number)) => match number.as_i64() {
            Some(seconds) if seconds.abs() <= MOST_SECONDS => jiff::Timestamp::from_second(seconds).map_err(wrong)?,
            Some(milliseconds) => jiff::Timestamp::from_millisecond(milliseconds).map_err(wrong)?,
            None => {
                let seconds = number.as_f64().filter(|seconds| seconds.abs() <= MOST_SECONDS as f64);
                jiff::Timestamp::from_millisecond((seconds.ok_or_else(unreachable)? * 1000.0).round() as i64)
                    .map_err(wrong)?
            }
        },
        Some(_) => {
            return Err(FaultKind::NotAnEvent { reason: "the timestamp is neither a string nor a number".to_owned() });
        }
    };
    i64::try_from(moment.as_nanosecond()).map(Timestamp).map_err(|_| unreachable())
}

fn body(kind: Kind, line: Line, remarks: &mut Vec<FaultKind>) -> Result<EventBody, FaultKind> {
    let Some(Value::String(id)) = &line.id else { return Err(missing("id")) };
    if kind == Kind::Feedback {
        let item = id.parse().map_err(wrong)?;
        return Ok(EventBody::Feedback { item, feedback: feedback(line)? });
    }
    if kind == Kind::Revert {
        let item = id.parse().map_err(wrong)?;
        let events = line.events.ok_or_else(|| missing("events"))?;
        let events = events.iter().map(|id| id.parse().map_err(wrong)).collect::<Result<_, _>>()?;
        return Ok(EventBody::Revert { item, events });
    }
    let id: MemoryId = id.parse().map_err(wrong)?;
    if let Some(named) = line.r#type.as_deref().filter(|named| *named != id.memory_type.as_str()) {
        return Err(FaultKind::NotAnEvent { reason: format!("type `{named}` does not match id {id}") });
    }
    let mut paths = Paths { memory: id, remarks };
    let change = match kind {
        Kind::Add => MemoryChange::Add(Box::new(new_memory(line, &mut paths)?)),
        Kind::Propose => MemoryChange::Propose(Box::new(new_memory(line, &mut paths)?)),
        Kind::Accept => MemoryChange::Accept,
        Kind::Update => MemoryChange::Update(Box::new(amendment(line, &mut paths)?)),
        Kind::Delete => MemoryChange::Delete { reason: line.reason },
        Kind::Verify => MemoryChange::Verify { anchors: paths.anchors(line.anchors)? },
        Kind::Promote => {
            let to = line.to.ok_or_else(|| missing("to"))?.parse().map_err(wrong)?;
            MemoryChange::Promote(Promotion { to, domain: line.domain })
        }
        Kind::Feedback | Kind::Revert => unreachable!("they returned above"),
    };
    Ok(EventBody::Memory { id, change })
}

fn new_memory(line: Line, paths: &mut Paths<'_>) -> Result<NewMemory, FaultKind> {
    let content: Arc<str> = line.content.ok_or_else(|| missing("content"))?.into();
    Ok(NewMemory {
        title: line.title.map_or_else(|| recall_core::title_of(&content).into(), Arc::from),
        content,
        tags: line.tags.map(sort).unwrap_or_default(),
        related_files: paths.sort(line.related_files).unwrap_or_default(),
        cues: line.cues.map(cues),
        scope: line.scope.map_or(Ok(StoreScope::Project), |scope| scope.parse().map_err(wrong))?,
        source: line.source.and_then(text),
        origin: line.origin.map_or(Ok(MemoryOrigin::Imported), |origin| origin.parse().map_err(wrong))?,
        supersedes: line.supersedes.map(|id| id.parse().map_err(wrong)).transpose()?,
        anchors: paths.anchors(line.anchors)?.unwrap_or_default(),
        lineage: line.lineage.map(Lineage::try_from).transpose()?,
        valid: ValidTime {
            from: line.valid_from.and_then(bound).and_then(point),
            until: line.valid_until.and_then(bound).and_then(point),
        },
    })
}

fn amendment(line: Line, paths: &mut Paths<'_>) -> Result<Amendment, FaultKind> {
    Ok(Amendment {
        title: line.title.map(Arc::from),
        content: line.content.map(Arc::from),
        tags: line.tags.map(sort),
        related_files: paths.sort(line.related_files),
        cues: line.cues.map(cues),
        anchors: paths.anchors(line.anchors)?,
        valid: ValidTimeChange { from: line.valid_from.and_then(bound), until: line.valid_until.and_then(bound) },
    })
}

/// Reads a bound of the time in which a memory holds. What other programs write there and this version cannot read says nothing.
fn bound(value: Value) -> Option<NewBound> {
    let text = text(value)?;
    let (time, commit) = text.trim().split_once(' ').map_or((text.trim(), None), |(time, commit)| (time, Some(commit)));
    if time.is_empty() {
        return Some(NewBound::Open);
    }
    let at = moment_of(time).or_else(|| Day::from_name(time).and_then(Day::begin))?;
    Some(NewBound::At(TimePoint { at, commit: commit.map(str::to_owned) }))
}

fn point(bound: NewBound) -> Option<TimePoint> {
    match bound {
        NewBound::At(point) => Some(point),
        NewBound::Open => None,
    }
}

fn feedback(line: Line) -> Result<Feedback, FaultKind> {
    let verdict = match line.feedback.ok_or_else(|| missing("feedback"))?.as_str() {
        USEFUL => Verdict::Useful,
        NOT_USEFUL => Verdict::NotUseful,
        OUTDATED => Verdict::Outdated,
        DUPLICATE => {
            let of = line.duplicate_of.ok_or_else(|| missing("duplicate_of"))?;
            Verdict::Duplicate { of: of.parse().map_err(wrong)? }
        }
        other => return Err(FaultKind::NotAnEvent { reason: format!("unknown feedback `{other}`") }),
    };
    Ok(Feedback { verdict, note: line.note })
}

/// Converts the paths of a memory's line. A path outside the project is left out and reported.
struct Paths<'a> {
    memory: MemoryId,
    remarks: &'a mut Vec<FaultKind>,
}

impl Paths<'_> {
    fn path(&mut self, path: String) -> Option<DocPath> {
        let checked = DocPath::new(&path).ok();
        if checked.is_none() {
            self.remarks.push(FaultKind::PathOutside { memory: self.memory, path });
        }
        checked
    }

    fn sort(&mut self, paths: Option<Texts>) -> Option<Vec<DocPath>> {
        let mut paths: Vec<_> = sort(paths?).into_iter().filter_map(|path| self.path(path)).collect();
        paths.sort_unstable();
        Some(paths)
    }

    fn anchors(&mut self, anchors: Option<Vec<AnchorField>>) -> Result<Option<Vec<Anchor>>, FaultKind> {
        let Some(fields) = anchors else { return Ok(None) };
        let mut anchors = Vec::with_capacity(fields.len());
        for AnchorField { path, symbol, hash, commit } in fields {
            let hash = content_hash(&hash)?;
            anchors.extend(self.path(path).map(|path| Anchor { path, symbol, hash, commit }));
        }
        Ok(Some(anchors))
    }
}

fn content_hash(text: &str) -> Result<ContentHash, FaultKind> {
    let hash = blake3::Hash::from_hex(text)
        .map_err(|_| FaultKind::NotAnEvent { reason: format!("`{text}` is not a hash") })?;
    Ok(ContentHash(*hash.as_bytes()))
}

impl TryFrom<LineageField> for Lineage {
    type Error = FaultKind;

    fn try_from(field: LineageField) -> Result<Self, FaultKind> {
        let LineageField { scope, name } = field;
        Ok(Self { scope: scope.parse().map_err(wrong)?, name })
    }
}

impl From<ProvenanceFields> for Provenance {
    fn from(fields: ProvenanceFields) -> Self {
        let ProvenanceFields { session, agent, mode, branch, commit, project, project_path } = fields;
        Self { session, agent, mode, branch, commit, project, project_path }
    }
}

/// Reads cues. Those of kinds that this version does not know cannot be shown, and are left out.
fn cues(texts: Texts) -> Vec<Cue> {
    sort(texts).iter().filter_map(|text| text.parse().ok()).collect()
}

/// Returns the texts sorted, without duplicates.
fn sort(texts: Texts) -> Vec<String> {
    let mut texts = match texts {
        Texts::Many(texts) => texts,
        Texts::One(text) => {
            text.split(',').map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
        }
    };
    texts.sort_unstable();
    texts.dedup();
    texts
}

fn wrong(error: impl std::fmt::Display) -> FaultKind {
    FaultKind::NotAnEvent { reason: error.to_string() }
}

/// Adds the missing ids to a foreign line.
///
/// The memory's id is derived from type and content, so that the same text always gives the same memory. The event's id
/// is derived from the whole line. An unknown type becomes a note tagged with the type's name.
fn adopt(line: Line, day: Day) -> Result<Line, FaultKind> {
    let content = line.content.as_deref().filter(|content| !content.trim().is_empty());
    let content = content.ok_or_else(|| missing("content"))?;
    let named = line.r#type.as_deref().unwrap_or_default();
    let known = named.trim().to_lowercase().parse::<MemoryType>();
    let memory_type = *known.as_ref().unwrap_or(&MemoryType::Note);
    let id = MemoryId::from_parts(memory_type, &[content.as_bytes()]);
    let source = line.source.clone().and_then(text).unwrap_or_default();
    let moment = line.timestamp.clone().and_then(text).unwrap_or_else(|| day.to_string());
    let parts = [named, &source, content, &moment];
    let event_id = EventId::from_parts(&parts.map(str::as_bytes));
    let tag = known.is_err().then(|| named.trim().to_owned()).filter(|tag| !tag.is_empty());
    let tags = tag.map_or(line.tags.clone(), |tag| Some(with(line.tags.clone(), tag)));
    Ok(Line {
        event_id: Some(event_id.to_string()),
        id: Some(Value::String(id.to_string())),
        r#type: Some(memory_type.to_string()),
        // The values that other programs give these fields may mean something else.
        scope: line.scope.clone().filter(|scope| scope.parse::<recall_core::StoreScope>().is_ok()),
        origin: line.origin.clone().filter(|origin| origin.parse::<recall_core::MemoryOrigin>().is_ok()),
        supersedes: line.supersedes.clone().filter(|id| id.parse::<MemoryId>().is_ok()),
        tags,
        ..line
    })
}

fn with(tags: Option<Texts>, tag: String) -> Texts {
    match tags {
        None => Texts::Many(vec![tag]),
        Some(Texts::Many(tags)) => Texts::Many([tags, vec![tag]].concat()),
        Some(Texts::One(tags)) => Texts::One(format!("{tags},{tag}")),
    }
}

/// Converts a value to text: a string as it is, null to `None`, any other value to its JSON.
fn text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

/// The UTF-8 byte order mark that some editors put at the beginning of a file.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The conflict markers of git.
const CONFLICT_MARKS: [&[u8]; 4] = [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"];

/// How often parsing resumes after a damaged part of a line. Each attempt may scan the whole line.
const RESUMPTIONS: usize = 64;

/// Why the parser stopped.
enum Stop {
    /// The end of the line.
    End,
    /// Bytes that are not UTF-8, `after` bytes past the last value.
    NotUtf8 { after: usize },
    /// Text that is not JSON.
    NotJson { reason: String },
}

/// The events and faults of a line.
#[derive(Debug, Default)]
pub(crate) struct ReadLine {
    pub(crate) events: Vec<Event>,
    pub(crate) faults: Vec<FaultKind>,
}

/// Reads a line without its newline. It may hold any number of objects.
///
/// After a damaged part, parsing resumes at the next bytes that begin like a line of this crate: another process may
/// have appended after a torn line.
pub(crate) fn read_line(bytes: &[u8], day: Day) -> ReadLine {
    let mut read = ReadLine::default();
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return read;
    }
    if is_conflict_mark(bytes) {
        read.faults.push(FaultKind::ConflictMarker);
        return read;
    }
    // Serde would accept an array as the fields in order.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let text = std::str::from_utf8(bytes);
    if let Some(line) = text.ok().filter(|_| is_object).and_then(|text| serde_json::from_str(text).ok()) {
        read.object(line, day);
        return read;
    }
    read.objects(bytes, day);
    read
}

impl ReadLine {
    fn object(&mut self, line: Line, day: Day) {
        match read_event(line, day, &mut self.faults) {
            Ok(event) => self.events.push(event),
            Err(fault) => self.faults.push(fault),
        }
    }

    /// Reads one object after another, resuming after damaged parts.
    fn objects(&mut self, bytes: &[u8], day: Day) {
        let mut column = 0;
        for _ in 0..RESUMPTIONS {
            let (read, stop) = self.count_well_formed(&bytes[column..], day);
            let begin = column + read;
            self.faults.push(match stop {
                Stop::End => return,
                Stop::NotUtf8 { after } => FaultKind::NotUtf8 { column: begin + after },
                Stop::NotJson { reason } => FaultKind::NotJson { column: begin, reason },
            });
            match memmem::find(&bytes[begin + 1..], BEGINNING) {
                Some(found) => column = begin + 1 + found,
                None => return,
            }
        }
    }

    /// Reads complete values. Returns the number of bytes read and why it stopped.
    fn count_well_formed(&mut self, bytes: &[u8], day: Day) -> (usize, Stop) {
        let valid = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("`valid_up_to` ends on a character boundary")
            }
        };
        let is_text = valid.len() == bytes.len();
        let mut values = serde_json::Deserializer::from_str(valid).into_iter::<Value>();
        loop {
            let begin = values.byte_offset();
            let not_utf8 = Stop::NotUtf8 { after: valid.len() - begin };
            match values.next() {
                Some(Ok(value)) => self.value(value, day),
                Some(Err(error)) if is_text || !error.is_eof() => {
                    return (begin, Stop::NotJson { reason: parser_message(&error) });
                }
                None if is_text => return (begin, Stop::End),
                None | Some(Err(_)) => return (begin, not_utf8),
            }
        }
    }

    fn value(&mut self, value: Value, day: Day) {
        if !value.is_object() {
            self.faults.push(FaultKind::NotAnEvent { reason: "not a JSON object".to_owned() });
            return;
        }
        match serde_json::from_value(value) {
            Ok(line) => self.object(line, day),
            Err(error) => self.faults.push(FaultKind::NotAnEvent { reason: parser_message(&error) }),
        }
    }
}

fn is_conflict_mark(bytes: &[u8]) -> bool {
    let is =
        |mark: &&[u8]| bytes.strip_prefix(*mark).is_some_and(|rest| rest.is_empty() || rest[0].is_ascii_whitespace());
    CONFLICT_MARKS.iter().any(is)
}
