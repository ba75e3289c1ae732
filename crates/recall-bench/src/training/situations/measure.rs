//! The replay of a history with an engine, and the figures of what it showed.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::time::Duration;

use recall_core::{AddMemory, Provenance, Repeats, Scope, StartSession, WordedTime};
use recall_engine::{Occasion, RemindRequest, ReminderSubject};

use super::moments::{MinedMoments, Moment, MomentKind, is_known_at};
use crate::quality::mine::{Commit, code_files};
use crate::training::arguments::{SituationsArguments, report};
use crate::training::ask::QueryEngine;

/// The confidences that are measured, in hundredths.
const THRESHOLDS: [u32; 8] = [0, 5, 8, 10, 15, 20, 30, 50];

/// The place of the default confidence.
const DEFAULT: usize = 3;

/// What was shown at a moment.
pub(super) struct Outcome {
    pub(super) kind: MomentKind,
    /// The memories that were known and right.
    pub(super) wanted: usize,
    /// For each threshold, why each memory was shown, and whether rightly.
    pub(super) shown: Vec<Vec<(String, bool)>>,
}

/// The state of a replay: what the engine has been told so far.
pub(super) struct Replay<'m> {
    mined: &'m MinedMoments,
    commits: &'m [Commit],
    arguments: &'m SituationsArguments,
    /// The tree that is indexed.
    pub(super) tree: Option<String>,
    /// The commits of the memories that were added, by their ids.
    added: BTreeMap<String, usize>,
    sessions: usize,
    printed: usize,
}

impl<'m> Replay<'m> {
    pub(super) fn new(mined: &'m MinedMoments, commits: &'m [Commit], arguments: &'m SituationsArguments) -> Self {
        Self { mined, commits, arguments, tree: None, added: BTreeMap::new(), sessions: 0, printed: 0 }
    }

    /// Asks the engine what it would show at a moment, with each threshold. The moments must come from the oldest on.
    pub(super) fn ask(
        &mut self,
        asked: &QueryEngine,
        moment: &Moment,
    ) -> Result<Outcome, Box<dyn Error + Send + Sync>> {
        self.remember(asked, moment)?;
        let session = self.start_session(asked, moment)?;
        let mut shown = Vec::new();
        for hundredths in THRESHOLDS {
            let request = RemindRequest {
                occasion: occasion(moment),
                budget_tokens: 600,
                place_confidence: 0.2,
                memory_confidence: f64::from(hundredths) / 100.0,
                shown: BTreeSet::new(),
                session: session.clone(),
                others_within: Duration::ZERO,
                replacements: moment.replacements.clone(),
                scope: Scope::Project,
            };
            let reminders = asked.remind(&request)?.reminders;
            let memories = reminders.into_iter().filter_map(|reminder| match reminder.subject {
                ReminderSubject::Memory(id) => Some((reminder.reason, *self.added.get(&id.to_string())?)),
                ReminderSubject::Place(_) | ReminderSubject::Session(_) => None,
            });
            shown.push(memories.collect::<Vec<_>>());
        }
        self.explain(moment, &shown[DEFAULT]);
        let shown = shown.into_iter().map(|memories| judge(memories, moment)).collect();
        Ok(Outcome { kind: moment.kind, wanted: moment.right.len(), shown })
    }

    /// Adds the memories that are known at a moment and not yet there, the oldest first.
    fn remember(&mut self, asked: &QueryEngine, moment: &Moment) -> Result<(), Box<dyn Error + Send + Sync>> {
        let there: BTreeSet<usize> = self.added.values().copied().collect();
        for (place, memory) in self.mined.memories.iter().rev() {
            if there.contains(place) || !is_known_at(moment, *place) {
                continue;
            }
            let memory = AddMemory {
                memory_type: memory.memory_type,
                title: memory.title.clone(),
                content: memory.content.clone(),
                scope: Scope::Project,
                tags: Vec::new(),
                cues: Vec::new(),
                related_files: asked.retain_present(code_files(&self.commits[*place], b"MA")),
                supersedes: None,
                repeats: Repeats::Accept,
                source: None,
                origin: None,
                key: None,
                // It was added right after its commit was made.
                provenance: Provenance { commit: Some(self.commits[*place].id.clone()), ..Provenance::default() },
                valid: WordedTime::default(),
            };
            self.added.insert(asked.add(&memory)?, *place);
        }
        asked.settle()?;
        Ok(())
    }

    /// Starts the session of a moment, whose goal is the subject of the commit.
    fn start_session(
        &mut self,
        asked: &QueryEngine,
        moment: &Moment,
    ) -> Result<Option<String>, Box<dyn Error + Send + Sync>> {
        if self.arguments.without_goals {
            return Ok(None);
        }
        self.sessions += 1;
        let session = format!("moment-{}", self.sessions);
        let provenance = Provenance { session: Some(session.clone()), ..Provenance::default() };
        let goal = Some(self.commits[moment.place].subject.clone());
        asked.start_session(&StartSession { goal, provenance })?;
        Ok(Some(session))
    }

    /// Prints what was shown wrongly or missed, the first ones of a repository.
    fn explain(&mut self, moment: &Moment, shown: &[(String, usize)]) {
        let wrong = shown
            .iter()
            .filter(|(_, place)| !moment.right.contains(place))
            .map(|(reason, place)| ("wrong", &**reason, place));
        let is_missed = |place: &&usize| !shown.iter().any(|(_, other)| other == *place);
        let missed = moment.right.iter().filter(is_missed).map(|place| ("missed", "", place));
        for (what, reason, place) in wrong.chain(missed) {
            if self.printed >= self.arguments.show {
                return;
            }
            self.printed += 1;
            let (commit, memory) = (&self.commits[moment.place], &self.commits[*place]);
            report(&format!(
                "{what}: {} {:?} before \"{}\" ({:.7}): \"{}\" ({:.7}), {reason}",
                moment.kind.name(),
                moment.subject,
                commit.subject,
                commit.id,
                memory.subject,
                memory.id,
            ));
        }
    }
}

/// Returns why each memory was shown, and whether rightly.
fn judge(memories: Vec<(String, usize)>, moment: &Moment) -> Vec<(String, bool)> {
    memories.into_iter().map(|(reason, place)| (reason_class(&reason), moment.right.contains(&place))).collect()
}

fn occasion(moment: &Moment) -> Occasion {
    let subject = moment.subject.clone();
    match moment.kind {
        MomentKind::Prompt => Occasion::Prompt(subject),
        MomentKind::Edit => Occasion::File(subject),
        MomentKind::Search => Occasion::Search(subject),
        MomentKind::Command => Occasion::Command(subject),
        // The program is not known, and the output says enough.
        MomentKind::Failure => Occasion::Failure { command: "make check".to_owned(), output: subject },
    }
}

/// Returns a reason without what differs from memory to memory.
fn reason_class(reason: &str) -> String {
    match reason.strip_prefix("its cue is ") {
        Some(cue) => format!("its cue is a {}", cue.split(':').next().unwrap_or_default()),
        None => reason.to_owned(),
    }
}

/// How many memories were shown, how many of these rightly, and how many were wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    moments: usize,
    shown: usize,
    right: usize,
    wanted: usize,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome, threshold: usize) {
        self.moments += 1;
        self.shown += outcome.shown[threshold].len();
        self.right += outcome.shown[threshold].iter().filter(|(_, is_right)| *is_right).count();
        self.wanted += outcome.wanted;
    }

    /// Returns the figures as the end of a row.
    fn row(self) -> String {
        let Self { moments, shown, right, wanted } = self;
        let precision = right as f64 / shown.max(1) as f64;
        let missed = 1.0 - right as f64 / wanted.max(1) as f64;
        format!("{moments} | {wanted} | {shown} | {precision:.2} | {missed:.2} |\n")
    }
}

/// Returns the figures as tables: by kind, by reason, and by threshold.
pub(super) fn print(title: &str, outcomes: &[Outcome]) -> String {
    let mut text =
        format!("\n{title}\n| moments | count | wanted | shown | precision | missed |\n|---|---|---|---|---|---|\n");
    let mut kinds: BTreeMap<MomentKind, Tally> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut whole = Tally::default();
    for outcome in outcomes {
        kinds.entry(outcome.kind).or_default().add(outcome, DEFAULT);
        whole.add(outcome, DEFAULT);
        for (reason, is_right) in &outcome.shown[DEFAULT] {
            let (shown, right) = reasons.entry(reason).or_default();
            *shown += 1;
            *right += usize::from(*is_right);
        }
    }
    for (kind, tally) in kinds {
        let _ = write!(text, "| {} | {}", kind.name(), tally.row());
    }
    let _ = write!(text, "| all | {}| because | shown | precision |\n|---|---|---|\n", whole.row());
    for (reason, (shown, right)) in reasons {
        let _ = writeln!(text, "| {reason} | {shown} | {:.2} |", right as f64 / shown as f64);
    }
    text.push_str("| confidence | count | wanted | shown | precision | missed |\n|---|---|---|---|---|---|\n");
    for (threshold, hundredths) in THRESHOLDS.iter().enumerate() {
        let mut tally = Tally::default();
        for outcome in outcomes {
            tally.add(outcome, threshold);
        }
        let _ = write!(text, "| {:.2} | {}", f64::from(*hundredths) / 100.0, tally.row());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_count_what_was_shown_rightly() {
        let outcome = |wanted: usize, shown: &[bool]| Outcome {
            kind: MomentKind::Edit,
            wanted,
            shown: vec![
                shown.iter().map(|is_right| ("it is about the file".to_owned(), *is_right)).collect();
                THRESHOLDS.len()
            ],
        };
        let text = print("a", &[outcome(1, &[true, false]), outcome(1, &[]), outcome(0, &[false])]);
        assert!(text.contains("| edit | 3 | 2 | 3 | 0.33 | 0.50 |"), "{text}");
        assert!(text.contains("| it is about the file | 3 | 0.33 |"), "{text}");
        assert_eq!(reason_class("its cue is command:make migrate"), "its cue is a command");
    }
}
