//! What a session did, each fact once: the content of summaries and briefings, and the name of the session.

mod lines;

use std::collections::BTreeMap;

use recall_core::{
    HookRecord, ITEMS, Memory, Metadata, MetadataValue, SessionEntry, SessionEvent, SessionEventType, SessionPart,
    SessionPartKind, SessionTask, TASKS,
};
use recall_text::DocPath;

use crate::git::{Commit, is_own};
use lines::{Decided, ENTRY_CHARS, edits_of, entries, is_same, line_of_commit, sentence};
pub(crate) use lines::{Failure, first_chars, one_line};

/// The greatest length of a name, in characters: a line of a list.
const TITLE_CHARS: usize = 100;

/// The greatest length of an entry, and the most entries of a kind, where the story is one of several.
const BRIEF_CHARS: usize = 160;
const BRIEF_ENTRIES: usize = 4;

/// What a session did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story {
    /// What was asked, on one line.
    goal: Option<String>,
    /// What the agent said at the ends of its turns, the earliest first.
    messages: Vec<String>,
    /// The files that were edited, with the number of edits.
    changed: BTreeMap<String, u64>,
    /// Other files that events are about.
    files: Vec<String>,
    commits: Vec<Commit>,
    decided: Vec<Decided>,
    reached: Vec<String>,
    failures: Vec<Failure>,
    noted: Vec<String>,
    handovers: Vec<String>,
    /// The items of lists in the agent's messages, and whether they are ticked.
    items: Vec<(String, bool)>,
    /// The agent's list of tasks, as it was last.
    tasks: Vec<SessionTask>,
    /// The first search.
    query: Option<String>,
}

impl Story {
    /// Tells the story of chronological events, with the commits of their time, the earliest first, and the memories that were
    /// added.
    pub(crate) fn tell(events: &[SessionEvent], commits: Vec<Commit>, memories: &[Memory]) -> Self {
        let added = |memory: &Memory| Decided { id: Some(memory.id), text: one_line(&memory.title), why: None };
        let decided = memories.iter().map(added).collect();
        let mut story = Self { commits, decided, ..Self::default() };
        for event in events {
            story.add(event);
        }
        let changed = &story.changed;
        let mut files: Vec<String> = events
            .iter()
            .flat_map(|event| &event.details.related_files)
            .filter(|path| !is_own(path) && !changed.contains_key(path.as_str()))
            .map(|path| path.as_str().to_owned())
            .collect();
        files.sort_unstable();
        files.dedup();
        story.files = files;
        story
    }

    fn add(&mut self, event: &SessionEvent) {
        let details = &event.details;
        let record = text_of(&details.metadata, HookRecord::KEY).and_then(HookRecord::from_name);
        let text = one_line(&details.content);
        let why = details.rationale.as_deref().map(one_line).filter(|why| !why.is_empty());
        match (details.event_type, record) {
            (SessionEventType::SessionStart, _) if !text.is_empty() => self.goal = Some(text),
            (SessionEventType::RetrievalQuery, _) => drop(self.query.get_or_insert(text)),
            (_, Some(HookRecord::Tasks)) => self.tasks = tasks_of(&details.metadata),
            (_, Some(HookRecord::Message)) => self.say(text, &details.metadata),
            (SessionEventType::Observation, record) => match edited_file(&text, &details.related_files, record) {
                Some(file) => *self.changed.entry(file).or_default() += 1,
                // recall's own files are not what the session is about.
                None if record == Some(HookRecord::Edit) => {}
                None => push(&mut self.noted, text),
            },
            (SessionEventType::Milestone, record) => match parse_commit(&text, record) {
                Some(commit) => self.commit(commit),
                None => push(&mut self.reached, text),
            },
            (SessionEventType::Decision, _) if self.decided.iter().any(|known| is_same(&known.text, &text)) => {}
            (SessionEventType::Decision, _) => self.decided.push(Decided { id: None, text, why }),
            (SessionEventType::Error, _) => {
                let how = details.resolution.as_deref().map(one_line).filter(|how| !how.is_empty());
                match self.failures.iter_mut().find(|known| known.what == text) {
                    Some(known) => {
                        known.why = known.why.take().or(why);
                        known.how = how.or(known.how.take());
                    }
                    None => self.failures.push(Failure { what: text, why, how }),
                }
            }
            (SessionEventType::AgentSwitch, _) => {
                let name = |name: &Option<String>| name.as_deref().map_or_else(|| "?".to_owned(), one_line);
                let (from, to) = (name(&details.from_agent), name(&details.to_agent));
                self.handovers.push(format!("{from} → {to}: {text}"));
            }
            _ => {}
        }
    }

    fn say(&mut self, text: String, metadata: &Metadata) {
        push(&mut self.messages, text);
        for (item, is_done) in items_of(metadata) {
            match self.items.iter_mut().find(|(known, _)| is_same(known, &item)) {
                Some(known) => known.1 = is_done,
                None => self.items.push((item, is_done)),
            }
        }
    }

    /// Adds a commit that a hook saw, unless git reports it.
    fn commit(&mut self, commit: Commit) {
        let is_known = |known: &Commit| known.id.starts_with(&commit.id) || commit.id.starts_with(&known.id);
        if !self.commits.iter().any(is_known) {
            self.commits.push(commit);
        }
    }

    /// Returns whether there is nothing to tell.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { messages, changed, commits, decided, reached, failures, noted, handovers, items, tasks, .. } = self;
        messages.is_empty()
            && changed.is_empty()
            && commits.is_empty()
            && decided.is_empty()
            && reached.is_empty()
            && failures.is_empty()
            && noted.is_empty()
            && handovers.is_empty()
            && items.is_empty()
            && tasks.is_empty()
    }

    /// Names the session: by its goal, else by the first of what it did; `None` if it did nothing.
    pub(crate) fn title(&self) -> Option<String> {
        let changed = || {
            let (first, more) = (self.changed.keys().next()?, self.changed.len() - 1);
            Some(if more == 0 { format!("Changed {first}") } else { format!("Changed {first} and {more} more") })
        };
        let title = (self.goal.clone())
            .or_else(|| self.messages.last().cloned())
            .or_else(|| self.commits.first().map(|commit| one_line(&commit.subject)))
            .or_else(|| self.decided.first().map(|decided| decided.text.clone()))
            .or_else(|| self.reached.first().cloned())
            .or_else(changed)
            .or_else(|| self.failures.first().map(|failure| failure.what.clone()))
            .or_else(|| self.noted.first().cloned())
            .or_else(|| self.handovers.first().cloned())
            .or_else(|| self.query.as_ref().map(|query| format!("Looked for “{query}”")));
        title.map(|title| first_chars(&title, TITLE_CHARS))
    }

    /// Returns what the agent said last.
    pub(crate) fn outcome(&self) -> Option<&str> {
        self.messages.last().map(String::as_str)
    }

    /// Returns the agent's list of tasks.
    pub(crate) fn tasks(&self) -> &[SessionTask] {
        &self.tasks
    }

    /// Returns the items of its messages and its tasks, and whether each is done.
    pub(crate) fn items(&self) -> impl Iterator<Item = (&str, bool)> {
        let items = self.items.iter().map(|(item, is_done)| (item.as_str(), *is_done));
        items.chain(self.tasks.iter().map(|task| (task.text.as_str(), task.state.is_done())))
    }

    /// Returns what was left open.
    pub(crate) fn open(&self) -> Vec<&str> {
        let mut open: Vec<&str> = Vec::new();
        for (item, is_done) in self.items() {
            if !is_done && !open.iter().any(|known| is_same(known, item)) {
                open.push(item);
            }
        }
        open
    }

    /// Returns what was tried and failed.
    pub(crate) fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Returns the files that were edited, or that events are about.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.changed.keys().chain(&self.files).map(String::as_str)
    }

    /// Returns the parts of a summary with their entries; those without entries too. What was said last and what is left open is not
    /// in them.
    pub(crate) fn sections(&self) -> Vec<SessionPart> {
        let earlier = self.messages.split_last().map_or(&[][..], |(_, earlier)| earlier);
        let changed = self.changed.iter().map(|(file, edits)| SessionEntry {
            text: format!("`{file}` ({})", edits_of(*edits)),
            item: Some(file.clone()),
        });
        let decided = self
            .decided
            .iter()
            .map(|decided| SessionEntry { text: decided.to_string(), item: decided.id.map(|id| id.to_string()) });
        let files = self.files.iter().map(|file| SessionEntry { text: format!("`{file}`"), item: Some(file.clone()) });
        let part = |kind, entries| SessionPart { kind, entries };
        vec![
            part(SessionPartKind::Changed, changed.collect()),
            part(SessionPartKind::Commits, entries(self.commits.iter().map(line_of_commit))),
            part(SessionPartKind::Decided, decided.collect()),
            part(SessionPartKind::Reached, entries(self.reached.iter().map(|text| sentence(text)))),
            part(SessionPartKind::Failed, entries(self.failures.iter().map(ToString::to_string))),
            part(SessionPartKind::Noted, entries(&self.noted)),
            part(SessionPartKind::HandedOver, entries(&self.handovers)),
            part(SessionPartKind::EarlierTurns, entries(earlier)),
            part(SessionPartKind::Files, files.collect()),
        ]
    }

    /// Returns all parts that have entries.
    pub(crate) fn parts(&self) -> Vec<SessionPart> {
        let said = SessionPart { kind: SessionPartKind::Said, entries: entries(self.outcome()) };
        let open = SessionPart { kind: SessionPartKind::Open, entries: entries(self.open()) };
        let all = std::iter::once(said).chain(self.sections()).chain([open]);
        all.filter(|part| !part.entries.is_empty()).collect()
    }

    /// Tells the story in a few lines. What was left open and what was not resolved is not in them.
    pub(crate) fn brief(&self) -> String {
        let mut lines: Vec<String> = self.outcome().map(|said| first_chars(said, ENTRY_CHARS)).into_iter().collect();
        let mut line = |label: &str, entries: Vec<String>| {
            if entries.is_empty() {
                return;
            }
            let shown = entries.iter().take(BRIEF_ENTRIES).map(|entry| first_chars(entry, BRIEF_CHARS));
            let shown = shown.collect::<Vec<_>>().join("; ");
            let more = entries.len().saturating_sub(BRIEF_ENTRIES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("{label}: {shown}{more}"));
        };
        let resolved = self.failures.iter().filter(|failure| failure.is_resolved());
        line("Changed", self.changed.iter().map(|(file, edits)| format!("{file} ({})", edits_of(*edits))).collect());
        line("Committed", self.commits.iter().map(line_of_commit).collect());
        line("Decided", self.decided.iter().map(ToString::to_string).collect());
        line("Reached", self.reached.clone());
        line("Tried and failed first", resolved.map(ToString::to_string).collect());
        line("Noted", self.noted.clone());
        line("Handed over", self.handovers.clone());
        lines.join("\n")
    }
}

/// What an event says of which git has a trace too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// An edit of the file at a path below the root.
    Edit(String),
    /// A commit, by its hash as git shortened it.
    Commit(String),
}

impl Deed {
    /// Returns the deed that an event reports.
    pub(crate) fn parse(event: &SessionEvent) -> Option<Self> {
        let details = &event.details;
        let record = text_of(&details.metadata, HookRecord::KEY).and_then(HookRecord::from_name);
        let text = one_line(&details.content);
        match details.event_type {
            SessionEventType::Observation => edited_file(&text, &details.related_files, record).map(Self::Edit),
            SessionEventType::Milestone => parse_commit(&text, record).map(|commit| Self::Commit(commit.id)),
            _ => None,
        }
    }
}

/// Returns the file that an event says was edited.
fn edited_file(text: &str, files: &[DocPath], record: Option<HookRecord>) -> Option<String> {
    let named = text.strip_prefix("edited ")?;
    match (files, record) {
        ([file], _) => (!is_own(file)).then(|| file.as_str().to_owned()),
        (_, Some(HookRecord::Edit)) => Some(named.to_owned()),
        _ => None,
    }
}

/// Returns the commit that an event reports.
fn parse_commit(text: &str, record: Option<HookRecord>) -> Option<Commit> {
    let (id, subject) = text.strip_prefix("committed ")?.split_once(' ')?;
    let is_hash = id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_commit = is_hash || record == Some(HookRecord::Commit);
    is_commit.then(|| Commit { id: id.to_owned(), subject: subject.to_owned() })
}

pub(crate) fn text_of<'m>(metadata: &'m Metadata, name: &str) -> Option<&'m str> {
    match metadata.get(name) {
        Some(MetadataValue::Text(text)) => Some(text),
        _ => None,
    }
}

/// Returns the maps of a list.
fn maps_of<'m>(metadata: &'m Metadata, name: &str) -> impl Iterator<Item = &'m Metadata> {
    let list = match metadata.get(name) {
        Some(MetadataValue::List(list)) => list.as_slice(),
        _ => &[],
    };
    list.iter().filter_map(|value| match value {
        MetadataValue::Map(map) => Some(map),
        _ => None,
    })
}

fn items_of(metadata: &Metadata) -> Vec<(String, bool)> {
    let item = |map: &Metadata| {
        let text = one_line(text_of(map, "text")?);
        (!text.is_empty()).then(|| (text, matches!(map.get("done"), Some(MetadataValue::Bool(true)))))
    };
    maps_of(metadata, ITEMS).filter_map(item).collect()
}

fn tasks_of(metadata: &Metadata) -> Vec<SessionTask> {
    let task = |map: &Metadata| {
        let text = one_line(text_of(map, "text")?);
        let state = text_of(map, "status").and_then(recall_core::TaskState::from_name).unwrap_or_default();
        (!text.is_empty()).then_some(SessionTask { text, state })
    };
    maps_of(metadata, TASKS).filter_map(task).collect()
}

/// Adds a text, unless it is blank or the last one.
fn push(list: &mut Vec<String>, text: String) {
    if !text.is_empty() && list.last() != Some(&text) {
        list.push(text);
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{EventDetails, EventId, Provenance, Timestamp};

    use super::*;

    fn event(details: EventDetails) -> SessionEvent {
        let id = EventId::from_parts(&[details.content.as_bytes()]);
        SessionEvent { id, timestamp: Timestamp(0), details, provenance: Provenance::default() }
    }

    fn recorded(event_type: SessionEventType, content: &str, record: HookRecord) -> SessionEvent {
        let mut details = EventDetails::new(event_type, content);
        let name = MetadataValue::Text(record.as_str().to_owned());
        details.metadata.insert(HookRecord::KEY.to_owned(), name);
        event(details)
    }

    fn plain(event_type: SessionEventType, content: &str) -> SessionEvent {
        event(EventDetails::new(event_type, content))
    }

    fn map(fields: &[(&str, MetadataValue)]) -> MetadataValue {
        MetadataValue::Map(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    }

    fn text(text: &str) -> MetadataValue {
        MetadataValue::Text(text.to_owned())
    }

    #[test]
    fn a_commit_that_git_and_a_hook_report_is_told_once() {
        let events = [
            plain(SessionEventType::Milestone, "committed 0123abc Add jitter"),
            plain(SessionEventType::Milestone, "committed 7654fed Amended away"),
            plain(SessionEventType::Milestone, "The pool is dug"),
        ];
        let commits = vec![Commit { id: "0123abcdef".to_owned(), subject: "Add jitter".to_owned() }];
        let story = Story::tell(&events, commits, &[]);
        let expected = "Committed: 0123abcdef Add jitter; 7654fed Amended away\nReached: The pool is dug";
        assert_eq!(story.brief(), expected);
    }

    #[test]
    fn a_failure_has_the_reason_of_one_event_and_the_resolution_of_another() {
        let failed = |why: &str, how: &str| {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            let details = EventDetails::new(SessionEventType::Error, "`make test` failed");
            event(EventDetails { rationale: some(why), resolution: some(how), ..details })
        };
        let story = Story::tell(
            &[failed("expected TypeError\n got RangeError", ""), failed("", "the test was wrong")],
            Vec::new(),
            &[],
        );
        let [failure] = story.failures() else { panic!("{story:?}") };
        let expected = "`make test` failed. Why: expected TypeError got RangeError. Resolved: the test was wrong.";
        assert_eq!((failure.to_string().as_str(), failure.is_resolved()), (expected, true));
    }

    #[test]
    fn what_is_left_open_is_what_the_last_mention_says() {
        let mut first = recorded(SessionEventType::Observation, "Half of it works.", HookRecord::Message);
        let item = |item: &str, done| map(&[("text", text(item)), ("done", MetadataValue::Bool(done))]);
        let items = vec![item("Add a test", false), item("Mention it in the log.", false)];
        first.details.metadata.insert(ITEMS.to_owned(), MetadataValue::List(items));
        let mut second = recorded(SessionEventType::Observation, "All of it works.", HookRecord::Message);
        second.details.metadata.insert(ITEMS.to_owned(), MetadataValue::List(vec![item("add a test", true)]));
        let mut tasks = recorded(SessionEventType::Observation, "1 of 2 tasks done", HookRecord::Tasks);
        let task = |task: &str, status: &str| map(&[("text", text(task)), ("status", text(status))]);
        let list = vec![task("Dig", "completed"), task("Fill", "in_progress")];
        tasks.details.metadata.insert(TASKS.to_owned(), MetadataValue::List(list));
        let story = Story::tell(&[first, second, tasks], Vec::new(), &[]);
        assert_eq!(story.open(), ["Mention it in the log.", "Fill"]);
        assert_eq!(story.title().as_deref(), Some("All of it works."));
        let states: Vec<bool> = story.tasks().iter().map(|task| task.state.is_done()).collect();
        assert_eq!(states, [true, false]);
    }

    #[test]
    fn edits_are_counted_and_recalls_own_files_are_not_told() {
        let edit = |path: &str| {
            let mut edit = recorded(SessionEventType::Observation, &format!("edited {path}"), HookRecord::Edit);
            edit.details.related_files = vec![DocPath::new(path).expect("plain")];
            edit
        };
        let events = [edit("src/a.rs"), edit(".recall/profile.md"), edit("src/b.rs"), edit("src/a.rs")];
        let story = Story::tell(&events, Vec::new(), &[]);
        assert_eq!(story.brief(), "Changed: src/a.rs (2 edits); src/b.rs (1 edit)");
        assert_eq!(story.title().as_deref(), Some("Changed src/a.rs and 1 more"));
    }

    #[test]
    fn a_session_without_a_goal_is_named_by_what_it_did() {
        let check = |events: &[SessionEvent], expected: Option<&str>| {
            let story = Story::tell(events, Vec::new(), &[]);
            assert_eq!(story.title().as_deref(), expected, "{events:?}");
        };
        let asked = plain(SessionEventType::SessionStart, "Why do\nretries fail?");
        let decided = plain(SessionEventType::Decision, "Three attempts.");
        let searched = plain(SessionEventType::RetrievalQuery, "retry limit");
        check(&[asked, decided.clone()], Some("Why do retries fail?"));
        check(&[plain(SessionEventType::SessionStart, ""), searched.clone(), decided], Some("Three attempts."));
        check(&[searched], Some("Looked for “retry limit”"));
        check(&[], None);
        let long = plain(SessionEventType::Decision, &"word ".repeat(200));
        let title = Story::tell(&[long], Vec::new(), &[]).title().expect("a title");
        assert!(title.chars().count() <= TITLE_CHARS + 1 && title.ends_with('…'), "{title}");
    }
}
