//! The memories whose cues are met by what happens.
//!
//! A search finds texts that are like a question. A cue is the other way round: a memory says when it wants to be shown, so it can be
//! shown at a moment when nobody asks, before a command or after its failure. What meets a cue is certain, whatever else is known, and
//! its reason can be told (ADR 69).

use std::collections::BTreeSet;

use globset::GlobBuilder;
use recall_core::{Cue, CueKind, Memory, MemoryId};
use recall_text::DocPath;
use recall_text::quote::inline;

use super::command::SimpleCommand;
use super::memory::{self, is_in_force};
use super::request::{RemindRequest, Reminder};
use crate::error::SearchError;
use crate::memory::about::weight;
use crate::memory::recall_for_client;
use crate::origin::Origin;
use crate::{Engine, mask};

/// The most memories that are checked against their files on an occasion.
const MOST_CONSIDERED: usize = 12;

/// The share of the words of a message that must be in a line, in their order. The others are values.
const MESSAGE_SHARE: f64 = 0.75;

/// How much longer than the message the part of the line may be that has its words.
const MESSAGE_STRETCH: usize = 3;

/// The most lines of an output that are compared, from its end.
const MOST_LINES: usize = 400;

/// What happens, in the terms of cues.
#[derive(Debug, Default)]
pub(super) struct Situation {
    /// The commands that are about to run. One that failed is met by its errors: it may have failed for another reason.
    pub(super) commands: Vec<SimpleCommand>,
    /// The lines of the output of a command that failed, as words in lower case; `None` if no command failed.
    pub(super) output: Option<Vec<Vec<String>>>,
    /// The files that are read or edited, below the root.
    pub(super) files: BTreeSet<DocPath>,
    /// The names that are searched for or mentioned.
    pub(super) names: Vec<String>,
    /// How the names came up.
    pub(super) naming: Naming,
    /// The branch that is checked out.
    pub(super) branch: Option<String>,
    /// The day, as `2026-12-01`.
    pub(super) day: Option<String>,
}

/// How names came up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Naming {
    /// They are searched for.
    #[default]
    Searched,
    /// They stand in a prompt, which may be about something else.
    Mentioned,
}

impl Situation {
    /// Sets the output of a command that failed.
    pub(super) fn with_output(self, output: &str) -> Self {
        let lines: Vec<&str> = output.lines().collect();
        let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
        Self { output: Some(last.iter().map(|line| words(line)).collect()), ..self }
    }

    /// Returns the cues of a memory that are met.
    fn met<'c>(&self, cues: &'c [Cue]) -> Vec<&'c Cue> {
        cues.iter().filter(|cue| self.meets(cue)).collect()
    }

    /// Returns whether a cue that follows from a text says that its memory matters. A mentioned name that several memories have does not
    /// say which one is meant, or whether any is.
    fn is_telling(&self, cue: &Cue, met: &[(MemoryId, Vec<&Cue>)]) -> bool {
        self.naming == Naming::Searched
            || cue.kind != CueKind::Symbol
            || met.iter().filter(|(_, cues)| cues.contains(&cue)).count() == 1
    }

    /// Whether a command has a flag or a variable that a memory recommends: one that stands in the memory and not in its cue.
    fn follows(&self, memory: &Memory, cue: &Cue) -> bool {
        cue.kind == CueKind::Command
            && self.commands.iter().flat_map(SimpleCommand::choices).any(|choice| {
                (memory.content.contains(choice) || memory.title.contains(choice)) && !cue.text.contains(choice)
            })
    }

    fn meets(&self, Cue { kind, text }: &Cue) -> bool {
        match kind {
            CueKind::Path => self.files.iter().any(|file| path_meets(file.as_str(), text)),
            CueKind::Symbol => self.names.iter().any(|name| name == text),
            CueKind::Command => {
                let named = SimpleCommand::split(text);
                let is_run = |named: &SimpleCommand| self.commands.iter().any(|command| command.does(named));
                !named.is_empty() && named.iter().all(is_run)
            }
            CueKind::Error => {
                let wanted = words(text);
                self.output.iter().flatten().any(|line| has_message(line, &wanted))
            }
            CueKind::Branch => self.branch.as_deref().is_some_and(|branch| path_meets(branch, text)),
            CueKind::Date => self.day.as_deref().is_some_and(|day| day >= text.as_str()),
        }
    }
}

/// Whether a path or a branch is one that a text names, is below it, or fits it as a glob.
fn path_meets(path: &str, text: &str) -> bool {
    let folder = text.strip_suffix('/').unwrap_or(text);
    if path == text || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')) {
        return true;
    }
    text.contains(['*', '?', '['])
        && GlobBuilder::new(text)
            .literal_separator(true)
            .build()
            .is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// Returns the words of a line in lower case. The parts of a qualified name are words.
fn words(line: &str) -> Vec<String> {
    let parts = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a line has most of the words of a message in their order and close together. The first word, which may be a class, must be
/// there.
fn has_message(line: &[String], message: &[String]) -> bool {
    let Some(first) = message.first() else { return false };
    let least = (message.len() as f64 * MESSAGE_SHARE).ceil() as usize;
    let begins = line.iter().enumerate().filter(|(_, word)| *word == first).map(|(at, _)| at);
    begins.into_iter().any(|at| {
        let part = &line[at..line.len().min(at + message.len() * MESSAGE_STRETCH)];
        let mut from = 0;
        let mut matching = 0;
        for word in message {
            if let Some(found) = part[from..].iter().position(|other| other == word) {
                from += found + 1;
                matching += 1;
            }
        }
        matching >= least
    })
}

/// Returns the memories that have a cue that is met, those first that matter most, as reminders with their reasons.
pub(super) fn memories_cued(
    engine: &Engine,
    origin: &Origin,
    request: &RemindRequest,
    situation: &Situation,
) -> Result<Vec<Reminder>, SearchError> {
    let now = engine.clock.now();
    let mut reminders = Vec::new();
    for store in engine.fresh_stores(origin, request.scope)?.stores {
        let cues = store.ledger.cues();
        let mut met: Vec<(MemoryId, Vec<&Cue>)> =
            cues.iter().map(|(id, cues)| (*id, situation.met(cues))).filter(|(_, cues)| !cues.is_empty()).collect();
        met.retain(|(id, _)| store.ledger.is_in_force(*id));
        let all_met = met.clone();
        met.retain(|(id, _)| !request.shown.contains(&memory::id_key(*id)));
        met.sort_by_key(|(id, _)| (weight(id.memory_type), *id));
        met.truncate(MOST_CONSIDERED);
        let ids: Vec<MemoryId> = met.iter().map(|(id, _)| *id).collect();
        let views = recall_for_client(&store, &ids, now)?;
        for view in views.iter().filter(|view| is_in_force(view)) {
            let Some((_, cues)) = met.iter().find(|(id, _)| *id == view.memory.id) else { continue };
            let is_stated = view.memory.cues.is_some();
            let Some(cue) = cues.iter().find(|cue| is_stated || situation.is_telling(cue, &all_met)) else { continue };
            if situation.follows(&view.memory, cue) {
                continue;
            }
            let mut cue = cue.to_string();
            mask::text(&mut cue);
            reminders.push(memory::cued_reminder(view, &format!("its cue is {}", inline(&cue))));
        }
    }
    Ok(reminders)
}

/// Returns the reminders without those that repeat an earlier one.
pub(super) fn first_of_each(reminders: Vec<Reminder>) -> Vec<Reminder> {
    let mut known = BTreeSet::new();
    reminders.into_iter().filter(|reminder| known.insert(reminder.key.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(situation: &Situation, cue: &str) -> bool {
        situation.meets(&cue.parse().expect("a cue"))
    }

    #[test]
    fn messages_are_told_from_their_values() {
        let output = "INFO  start\nE   sqlalchemy.exc.OperationalError: (sqlite3) database is locked at 12:01\nKeyError: 'pear'\n\
                      duplicate key value violates unique constraint \"users_pkey\"\n";
        let situation = Situation::default().with_output(output);
        for (cue, expected) in [
            ("error:OperationalError: database is locked", true),
            ("error:OperationalError", true),
            ("error:database is locked", true),
            ("error:duplicate key value violates unique constraint orders_pkey", true),
            ("error:OperationalError: no such table users", false),
            ("error:key is missing", false),
            ("error:KeyError: apple", false),
            ("error:IntegrityError", false),
        ] {
            assert_eq!(meets(&situation, cue), expected, "{cue}");
        }
    }

    #[test]
    fn a_mentioned_name_of_several_memories_says_nothing() {
        let cue = |text: &str| text.parse::<Cue>().expect("a cue");
        let (common, rare, command) = (cue("symbol:OpenFlow"), cue("symbol:skip_snat"), cue("command:make migrate"));
        let ids: Vec<MemoryId> = ["L-0000000a", "L-0000000b"].map(|id| id.parse().expect("an id")).to_vec();
        let met = [(ids[0], vec![&common, &rare, &command]), (ids[1], vec![&common, &command])];
        for (naming, expected) in [(Naming::Mentioned, [false, true, true]), (Naming::Searched, [true; 3])] {
            let situation = Situation { naming, ..Situation::default() };
            assert_eq!([&common, &rare, &command].map(|cue| situation.is_telling(cue, &met)), expected, "{naming:?}");
        }
    }

    #[test]
    fn paths_branches_and_days_are_met() {
        let files = BTreeSet::from([DocPath::new("src/net/client.rs").expect("a path")]);
        let day = Some("2026-12-01".to_owned());
        let situation = Situation { files, branch: Some("fix/login".to_owned()), day, ..Situation::default() };
        for (cue, expected) in [
            ("path:src/net/client.rs", true),
            ("path:src/net/", true),
            ("path:src/net", true),
            ("path:src/*/*.rs", true),
            ("path:**/client.*", true),
            ("path:src/*.rs", false),
            ("path:src/ne", false),
            ("branch:fix/*", true),
            ("branch:main", false),
            ("date:2026-11-30", true),
            ("date:2026-12-02", false),
            ("symbol:client", false),
        ] {
            assert_eq!(meets(&situation, cue), expected, "{cue}");
        }
    }
}
