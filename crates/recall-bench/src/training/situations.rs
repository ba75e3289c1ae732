//! Measurement of what hooks show, at moments that are mined from a git history.
//!
//! The commits are replayed, the oldest first. Memories are the messages of commits that give a cause, a reason or a warning.
//! Before a later commit, in the tree of its parent, the engine gets five kinds of events: the subject as a prompt, the edit of a file,
//! the search for the edited definition, and the commands and errors that the message quotes. It knows only memories that are at least
//! twenty commits older. What it shows is compared with the memories that the later message names. `moments` says how weak these
//! labels are.
//!
//! Nothing is learnt here. Repositories that judge may be measured, but no threshold may be chosen by them.

mod measure;
mod message;
mod moments;
mod repository;

use std::error::Error;

use crate::quality::mine::{Checkout, History, Lineage};
use crate::training::arguments::{SituationsArguments, report};
use crate::training::ask::{Models, QueryEngine};

use measure::{Outcome, print};
use moments::{MomentKind, MomentLimits, mine};
use repository::ReplayRepository;

/// Measures all repositories, and prints each and the sum.
pub(crate) fn run(arguments: &SituationsArguments) -> Result<(), Box<dyn Error + Send + Sync>> {
    let models = Models::instant();
    let mut all = Vec::new();
    for path in &arguments.repositories {
        let outcomes = measure(path, arguments, &models)?;
        report(&print(&path.display().to_string(), &outcomes));
        all.extend(outcomes);
    }
    report(&print("all", &all));
    Ok(())
}

/// Measures the moments of one repository.
fn measure(
    path: &std::path::Path,
    arguments: &SituationsArguments,
    models: &Models,
) -> Result<Vec<Outcome>, Box<dyn Error + Send + Sync>> {
    let history = History::open(path)?;
    let commits = history.messages(Lineage::All, arguments.commits + arguments.past)?;
    let SituationsArguments { commits: newest, moments, memories, seed, .. } = *arguments;
    let mined = mine(&history, &commits, &MomentLimits { commits: newest, moments, memories, seed })?;
    let folder = tempfile::tempdir()?;
    let (tree, home) = (folder.path().join("tree"), folder.path().join("home"));
    let mut checkout = Checkout::new(history.git_dir(), &tree)?;
    let repository = ReplayRepository::new(history.git_dir(), folder.path().join("git"), &tree)?;
    let asked = QueryEngine::new(&tree, &home, models, recall_engine::Rankers::built_in());
    let mut replay = measure::Replay::new(&mined, &commits, arguments);
    let mut outcomes = Vec::new();
    for moment in &mined.moments {
        let parent = commits[moment.place].parents.split(' ').next().unwrap_or_default();
        if replay.tree.as_deref() != Some(parent) {
            checkout.at(parent)?;
            asked.refresh()?;
            replay.tree = Some(parent.to_owned());
        }
        let is_edit = moment.kind == MomentKind::Edit;
        let in_tree = is_edit.then(|| repository.put_at(parent)).transpose()?;
        outcomes.push(replay.ask(&asked, moment)?);
        drop(in_tree);
    }
    Ok(outcomes)
}
