//! The oracle: the expected state after each operation.

use std::collections::{BTreeMap, BTreeSet};

use recall_core::{MemoryId, StoreScope};

/// The memories as a client sees them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The memories that are not deleted, by id.
    pub(crate) memories: BTreeMap<MemoryId, Fact>,
    /// The memories in force, which a search finds, each with its store.
    pub(crate) found: BTreeSet<(StoreScope, MemoryId)>,
    /// The promoted memories as the project still has them.
    pub(crate) moved: BTreeMap<MemoryId, Fact>,
}

/// A memory as a client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) scope: StoreScope,
    pub(crate) title: String,
    pub(crate) content: String,
    pub(crate) useful: u64,
    pub(crate) superseded_by: Option<MemoryId>,
}

/// The expected state after each operation.
#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    after: Vec<Facts>,
    /// The intermediate states that are allowed during an operation, by its number.
    between: BTreeMap<usize, Facts>,
}

impl Oracle {
    pub(crate) fn new() -> Self {
        Self { after: vec![Facts::default()], between: BTreeMap::new() }
    }

    /// Returns the state after the last operation.
    pub(crate) fn facts(&self) -> &Facts {
        self.after.last().expect("it begins with nothing")
    }

    pub(crate) fn add(&mut self, id: MemoryId, fact: Fact, supersedes: Option<MemoryId>) {
        let mut facts = self.facts().clone();
        facts.found.insert((fact.scope, id));
        facts.memories.insert(id, fact);
        if let Some(older) = supersedes {
            facts.memories.get_mut(&older).expect("known").superseded_by = Some(id);
            facts.found.remove(&(StoreScope::Project, older));
        }
        self.after.push(facts);
    }

    pub(crate) fn amend(&mut self, id: MemoryId, amend: impl FnOnce(&mut Fact)) {
        let mut facts = self.facts().clone();
        amend(facts.memories.get_mut(&id).expect("known"));
        self.after.push(facts);
    }

    /// Deletes a memory. A memory that it retired is in force again. Of a promoted memory only the copy is deleted: the project
    /// still has it as promoted, and what it retired stays retired.
    pub(crate) fn delete(&mut self, id: MemoryId) {
        let mut facts = self.facts().clone();
        facts.memories.remove(&id);
        facts.found.retain(|(_, found)| *found != id);
        if let Some(fact) = facts.moved.remove(&id) {
            facts.memories.insert(id, fact);
        } else {
            for (older, fact) in &mut facts.memories {
                if fact.superseded_by == Some(id) {
                    fact.superseded_by = None;
                    facts.found.insert((fact.scope, *older));
                }
            }
        }
        self.after.push(facts);
    }

    /// Promotes a memory. It is written to the global store first; until it is marked in the project, both have it, and a search
    /// returns one of them.
    pub(crate) fn promote(&mut self, id: MemoryId) {
        let mut facts = self.facts().clone();
        facts.found.remove(&(StoreScope::Project, id));
        facts.found.insert((StoreScope::Global, id));
        self.between.insert(self.after.len() - 1, facts.clone());
        facts.moved.insert(id, facts.memories[&id].clone());
        let fact = facts.memories.get_mut(&id).expect("known");
        // Feedback stays in the project, since it is about the use there.
        (fact.scope, fact.useful) = (StoreScope::Global, 0);
        self.after.push(facts);
    }

    /// Returns the allowed states after `acknowledged` operations. The next operation may have been running.
    pub(crate) fn allowed(&self, acknowledged: usize) -> Vec<&Facts> {
        let next = self.after.get(acknowledged + 1);
        [Some(&self.after[acknowledged]), self.between.get(&acknowledged), next].into_iter().flatten().collect()
    }

    /// Returns whether a state is allowed after `acknowledged` operations.
    pub(crate) fn allows(&self, seen: &Facts, acknowledged: usize) -> bool {
        let is_seen = |facts: &&Facts| facts.memories == seen.memories && facts.found == seen.found;
        self.allowed(acknowledged).iter().any(is_seen)
    }

    /// Returns every id that was ever assigned.
    pub(crate) fn ids(&self) -> BTreeSet<MemoryId> {
        self.after.iter().flat_map(|facts| facts.memories.keys().copied()).collect()
    }
}
