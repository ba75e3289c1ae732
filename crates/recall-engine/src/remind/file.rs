//! What is known about a file that is about to be read or edited: the other sessions in the repository, and what is
//! remembered about it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use recall_core::Memory;
use recall_text::DocPath;

use super::cue::{Situation, first_of_each, memories_cued};
use super::memory::{self, id_key, is_in_force};
use super::others::{goal_of_session, heading, sessions_at_work};
use super::relevance::{AboutFile, choose};
use super::request::{RemindRequest, Reminder, Reminders, pack};
use super::written::written_shares;
use crate::Engine;
use crate::error::SearchError;
use crate::graph::start::Name;
use crate::ledger::words::telling_words;
use crate::memory::{memories_in_force_about, recall_for_client};
use crate::origin::{self, Origin};

/// The most memories that are shown.
const MOST_MEMORIES: usize = 5;

/// Why a memory is shown.
const REASON: &str = "it is about the file";
const REASON_OF_GOAL: &str = "it is about the file and shares words with what the session was asked";
const REASON_OF_LINES: &str = "it was made with the lines that the edit replaces";

/// Returns the memories about a file that are worth showing, and those that have it as a cue.
pub(super) fn remind(
    engine: &Engine,
    origin: &Origin,
    request: &RemindRequest,
    file: &str,
) -> Result<Reminders, SearchError> {
    let FileAtHand { path, files } = FileAtHand::find(engine, origin, file);
    let others = sessions_at_work(engine, origin, request, path.as_ref());
    let mut new = memories_about(engine, origin, request, &files, FileMemories::All)?;
    let situation = Situation { files, ..Situation::default() };
    new.extend(memories_cued(engine, origin, request, &situation)?);
    let new = others.into_iter().chain(first_of_each(new).into_iter().take(MOST_MEMORIES));
    Ok(pack(heading(file), new, "", request.budget_tokens))
}

/// Returns the other sessions that edited the definitions that an edit of a file is about, and the memory that was made with the lines
/// that it replaces. The session was reminded of the file before.
pub(super) fn remind_of_edit(
    engine: &Engine,
    origin: &Origin,
    request: &RemindRequest,
    file: &str,
) -> Result<Reminders, SearchError> {
    let FileAtHand { path, files } = FileAtHand::find(engine, origin, file);
    let Some(path) = path else { return Ok(Reminders::default()) };
    let others = sessions_at_work(engine, origin, request, Some(&path));
    let of_lines = memories_about(engine, origin, request, &files, FileMemories::OfTheLines)?;
    Ok(pack(heading(file), others.into_iter().chain(of_lines), "", request.budget_tokens))
}

/// A file that a tool names.
struct FileAtHand {
    /// Its path below the root as it is written.
    path: Option<DocPath>,
    /// The documents that the name may mean.
    files: BTreeSet<DocPath>,
}

impl FileAtHand {
    fn find(engine: &Engine, origin: &Origin, file: &str) -> Self {
        let root = origin.root(&engine.registry.places).ok();
        let path = root.and_then(|root| origin::paths_below(&root, origin, file).into_iter().next());
        let files = match engine.name(origin, file) {
            Some(Name::Paths(paths)) => paths.into_iter().collect(),
            _ => path.clone().into_iter().collect(),
        };
        Self { path, files }
    }
}

/// Which memories about a file are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileMemories {
    All,
    /// Those that were made with the lines that an edit replaces.
    OfTheLines,
}

/// Returns what a session was asked, first and lately: of each request the words that are not in the names of files.
fn goals(engine: &Engine, session: &str, files: &BTreeSet<DocPath>) -> Vec<HashSet<String>> {
    let asked = goal_of_session(engine, session).into_iter().chain(engine.live.prompts(session));
    let words = asked.map(|text| telling_words(&text)).filter(|words| !words.is_empty());
    words.map(|words| without_names(words, files)).collect()
}

/// Returns words without those of the names of files. All memories about a file share these.
fn without_names(mut words: HashSet<String>, files: &BTreeSet<DocPath>) -> HashSet<String> {
    for file in files {
        words = words.difference(&telling_words(file.as_str())).cloned().collect();
    }
    words
}

/// Returns the memories about some files that are worth showing and that the session has not seen, the best first, as reminders.
fn memories_about(
    engine: &Engine,
    origin: &Origin,
    request: &RemindRequest,
    files: &BTreeSet<DocPath>,
    asked: FileMemories,
) -> Result<Vec<Reminder>, SearchError> {
    if asked == FileMemories::OfTheLines && request.replacements.is_empty() {
        return Ok(Vec::new());
    }
    let stores = engine.fresh_stores(origin, request.scope)?.stores;
    let mut known = BTreeSet::new();
    let mut memories: Vec<(usize, Memory)> = Vec::new();
    for (place, store) in stores.iter().enumerate() {
        memories.extend(memories_in_force_about(store, files, &mut known).into_iter().map(|memory| (place, memory)));
    }
    if memories.is_empty() {
        return Ok(Vec::new());
    }
    memories.sort_by_key(|(_, memory)| (Reverse(memory.updated), memory.id));
    let written = match files.first().filter(|_| files.len() == 1) {
        Some(file) => written_shares(engine, &stores, file, &request.replacements, &memories),
        // A name that means several files has no lines.
        None => vec![0.0; memories.len()],
    };
    let rarities: Vec<_> = stores.iter().map(|store| store.ledger.word_rarity()).collect();
    let about = (0..).zip(memories.iter().zip(written));
    let about = about
        .map(|(place, ((store, memory), written))| (place, AboutFile { memory, rarity: &rarities[*store], written }));
    let wanted = about.filter(|(_, about)| asked == FileMemories::All || about.is_of_the_lines());
    let (places, about): (Vec<usize>, Vec<AboutFile<'_>>) = wanted.unzip();
    let goals = request.session.as_deref().map(|session| goals(engine, session, files)).unwrap_or_default();
    let reason = if goals.is_empty() { REASON } else { REASON_OF_GOAL };
    let now = engine.clock.now();
    let mut reminders = Vec::new();
    for place in choose(&about, &goals, request.memory_confidence) {
        let (store, memory) = &memories[places[place]];
        if request.shown.contains(&id_key(memory.id)) {
            continue;
        }
        let views = recall_for_client(&stores[*store], &[memory.id], now)?;
        reminders.extend(views.iter().filter(|view| is_in_force(view)).map(|view| {
            if about[place].is_of_the_lines() {
                memory::cued_reminder(view, REASON_OF_LINES)
            } else {
                memory::reminder(view, reason)
            }
        }));
    }
    Ok(reminders)
}
