//! What should be known after so many operations?

use std::collections::{BTreeMap, BTreeSet};

use recall_core::{MemoryId, StoreScope};

/// What a client knows of the memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// By id, those that are not deleted.
    pub(crate) memories: BTreeMap<MemoryId, Fact>,
    /// What a search finds: those in force, by the store that they are in.
    pub(crate) found: BTreeSet<(StoreScope, MemoryId)>,
    /// What the project still knows of those that were moved away from it.
    pub(crate) moved: BTreeMap<MemoryId, Fact>,
}

/// What a client knows of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) scope: StoreScope,
    pub(crate) title: String,
    pub(crate) content: String,
    pub(crate) useful: u64,
    pub(crate) superseded_by: Option<MemoryId>,
}

/// What should be known after each operation.
#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    after: Vec<Facts>,
    /// What may be known while the operation of that number runs, beside what is known before and after it.
    between: BTreeMap<usize, Facts>,
}

impl Oracle {
    pub(crate) fn new() -> Self {
        Self { after: vec![Facts::default()], between: BTreeMap::new() }
    }

    /// What is known by now.
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

    /// What retired another is gone: that one is in force again. Of what was moved, the copy alone is gone: the project, which knows
    /// that it was moved, still knows what it retired.
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

    /// It is written to the global store first; until it is taken from the project's, both have it, and a search tells one.
    pub(crate) fn promote(&mut self, id: MemoryId) {
        let mut facts = self.facts().clone();
        facts.found.remove(&(StoreScope::Project, id));
        facts.found.insert((StoreScope::Global, id));
        self.between.insert(self.after.len() - 1, facts.clone());
        facts.moved.insert(id, facts.memories[&id].clone());
        let fact = facts.memories.get_mut(&id).expect("known");
        // Feedback stays where it was given: it told of use in that project.
        (fact.scope, fact.useful) = (StoreScope::Global, 0);
        self.after.push(facts);
    }

    /// What may be known when so many operations were acknowledged: the next one may have been under way.
    pub(crate) fn allowed(&self, acknowledged: usize) -> Vec<&Facts> {
        let next = self.after.get(acknowledged + 1);
        [Some(&self.after[acknowledged]), self.between.get(&acknowledged), next].into_iter().flatten().collect()
    }

    /// Whether a client would see what is allowed.
    pub(crate) fn allows(&self, seen: &Facts, acknowledged: usize) -> bool {
        let is_seen = |facts: &&Facts| facts.memories == seen.memories && facts.found == seen.found;
        self.allowed(acknowledged).iter().any(is_seen)
    }

    /// Every id that was ever given.
    pub(crate) fn ids(&self) -> BTreeSet<MemoryId> {
        self.after.iter().flat_map(|facts| facts.memories.keys().copied()).collect()
    }
}
