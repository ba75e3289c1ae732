//! What is known about a file that is about to be read or edited: the other sessions in the repository, and what is
//! remembered about it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use recall_core::{Memory, MemoryId, MemoryView};
use recall_text::DocPath;

use super::cue::{Situation, first_of_each, memories_cued};
use super::memory::{self, id_key, is_in_force};
use super::others::{goal_of_session, heading, sessions_at_work};
use super::relevance::choose;
use super::request::{RemindRequest, Reminders, pack};
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

/// Returns the memories about a file that are worth showing, and those that have it as a cue.
pub(super) fn remind(
    engine: &Engine,
    origin: &Origin,
    request: &RemindRequest,
    file: &str,
) -> Result<Reminders, SearchError> {
    let root = origin.root(&engine.registry.places).ok();
    let written = root.and_then(|root| origin::paths_below(&root, origin, file).into_iter().next());
    let others = sessions_at_work(engine, origin, request, written.as_ref());
    let files: BTreeSet<_> = match engine.name(origin, file) {
        Some(Name::Paths(paths)) => paths.into_iter().collect(),
        _ => written.into_iter().collect(),
    };
    let goals = request.session.as_deref().map(|session| goals(engine, session, &files)).unwrap_or_default();
    let reason = if goals.is_empty() { REASON } else { REASON_OF_GOAL };
    let about = memories_about(engine, origin, request, &files, &goals)?;
    let about = about.iter().filter(|view| is_in_force(view)).map(|view| memory::reminder(view, reason));
    let mut new: Vec<_> = about.collect();
    let situation = Situation { files, ..Situation::default() };
    new.extend(memories_cued(engine, origin, request, &situation)?);
    let new = others.into_iter().chain(first_of_each(new).into_iter().take(MOST_MEMORIES));
    Ok(pack(heading(file), new, "", request.budget_tokens))
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

/// Returns the memories about some files that are worth showing and that the session has not seen, the best first.
fn memories_about(
    engine: &Engine,
    origin: &Origin,
    request: &RemindRequest,
    files: &BTreeSet<DocPath>,
    goals: &[HashSet<String>],
) -> Result<Vec<MemoryView>, SearchError> {
    let stores = engine.fresh_stores(origin, request.scope)?.stores;
    let mut known = BTreeSet::new();
    let mut about: Vec<(usize, Memory)> = Vec::new();
    for (place, store) in stores.iter().enumerate() {
        about.extend(memories_in_force_about(store, files, &mut known).into_iter().map(|memory| (place, memory)));
    }
    if about.is_empty() {
        return Ok(Vec::new());
    }
    about.sort_by_key(|(_, memory)| (Reverse(memory.updated), memory.id));
    let rarities: Vec<_> = stores.iter().map(|store| store.ledger.word_rarity()).collect();
    let weighed: Vec<_> = about.iter().map(|(place, memory)| (memory, &*rarities[*place])).collect();
    let worth = choose(&weighed, goals, request.memory_confidence);
    let is_new = |id: MemoryId| !request.shown.contains(&id_key(id));
    let now = engine.clock.now();
    let mut views = Vec::new();
    for (place, memory) in worth.into_iter().map(|place| &about[place]).filter(|(_, memory)| is_new(memory.id)) {
        views.extend(recall_for_client(&stores[*place], &[memory.id], now)?);
    }
    Ok(views)
}
