//! What is known about a file that is about to be read or edited: the other sessions in the repository, and what is
//! remembered about it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::cue::{Situation, first_of_each, memories_cued};
use super::memory::{self, is_in_force};
use super::others::{heading, sessions_at_work};
use super::request::{RemindRequest, Reminders, pack};
use crate::Engine;
use crate::error::SearchError;
use crate::graph::start::Name;
use crate::memory::{MemoryOrder, memories_about};
use crate::origin::{self, Origin};

/// The most memories that are shown.
const MOST_MEMORIES: usize = 5;

/// The most memories that are looked at. Checking the files of one takes some microseconds.
const MOST_CONSIDERED: usize = 12;

/// Why a memory is shown.
const REASON: &str = "it is about the file";

/// Returns the memories about a file, the newest first: what was learnt last is most likely to hold, and a file that much is
/// remembered about has more than is shown.
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
    let now = engine.clock.now();
    let (mut known, mut memories) = (BTreeSet::new(), Vec::new());
    for store in engine.fresh_stores(origin, request.scope)?.stores {
        memories.extend(memories_about(&store, &files, &mut known, MemoryOrder::Newest, MOST_CONSIDERED, now)?);
    }
    // Each store has its memories in this order; the latest of all come first.
    memories.sort_by_key(|view| Reverse(view.memory.updated));
    let about = memories.iter().filter(|view| is_in_force(view)).map(|view| memory::reminder(view, REASON));
    let mut new: Vec<_> = about.filter(|reminder| !request.shown.contains(&reminder.key)).collect();
    let situation = Situation { files, ..Situation::default() };
    new.extend(memories_cued(engine, origin, request, &situation)?);
    let new = others.into_iter().chain(first_of_each(new).into_iter().take(MOST_MEMORIES));
    Ok(pack(heading(file), new, "", request.budget_tokens))
}
