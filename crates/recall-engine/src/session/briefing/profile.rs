//! The briefing's section of the user, the project and the conventions.

use std::fmt::Write as _;
use std::path::Path;

use recall_core::{Memory, MemoryType, Ownership, Scope};

use crate::mask::Masking;
use crate::memory::verify::{PROFILE, profile_of, read_profile};
use crate::session::briefing::Scene;
use crate::session::briefing::pack::Entry;
use crate::session_log::SessionError;
use recall_text::quote::{QUOTE_CHARS, inline, quote};

/// The label of a project profile that this user has not confirmed; anyone may have written it.
const UNCONFIRMED: &str = "A profile from the repository, unconfirmed";

/// The most characters that are quoted of a profile.
const PROFILE_CHARS: usize = 2 * QUOTE_CHARS;

/// The most memories that are listed as conventions.
const CONVENTIONS: usize = 5;

impl Scene<'_> {
    pub(crate) fn profile(&self) -> Result<Vec<Entry>, SessionError> {
        let mut entries = vec![self.project()?];
        let places = &self.engine.registry.places;
        let users = read_profile(&places.global_root, Path::new(PROFILE)).map(|text| ("The user's profile", text));
        let projects = profile_of(&self.store.root).map(|text| {
            let is_confirmed = self.engine.registry.own.confirmed_profile(&text);
            (if is_confirmed { "The project's profile" } else { UNCONFIRMED }, text)
        });
        for (whose, text) in users.into_iter().chain(projects) {
            let text = Masking::default().mask(&String::from_utf8_lossy(&text));
            let quote = quote(&text, PROFILE_CHARS);
            if !quote.is_empty() {
                entries.push(Entry::new(format!("- {whose}:\n{quote}"), vec![PROFILE.to_owned()]));
            }
        }
        entries.extend(self.conventions()?);
        Ok(entries)
    }

    /// Describes the project: its checkout, documents, languages and memories.
    fn project(&self) -> Result<Entry, SessionError> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general over the snapshot's lifetime"
        )]
        let counts = self.store.index.read(|snapshot| snapshot.counts())?;
        let mut line = format!("- Project {}", inline(self.here.project.as_deref().unwrap_or("without a name")));
        if let Some(branch) = &self.here.branch {
            let _ = write!(line, ", branch {}", inline(branch));
        }
        if let Some(commit) = &self.here.commit {
            let _ = write!(line, " at {}", &commit[..commit.len().min(12)]);
        }
        let mut languages: Vec<_> =
            counts.by_language.iter().map(|(language, count)| (*count, language.as_str())).collect();
        languages.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let languages: Vec<&str> = languages.into_iter().take(3).map(|(_, name)| name).collect();
        let _ = write!(line, ": {}", count_noun(counts.documents, "document", "documents"));
        if !languages.is_empty() {
            let _ = write!(line, " ({})", languages.join(", "));
        }
        let _ = write!(line, ", {}.", count_noun(self.store.ledger.count(), "memory", "memories"));
        Ok(Entry::new(line, Vec::new()))
    }

    /// Lists the memories that apply to all work: global patterns and decisions, and context; confirmed ones first, then the
    /// latest.
    fn conventions(&self) -> Result<Vec<Entry>, SessionError> {
        let mut memories: Vec<(Memory, Ownership)> = Vec::new();
        for store in self.engine.registry.stores(self.origin, Scope::All, &*self.engine.clock)? {
            store.ledger.refresh(self.now)?;
            let is_global = store.scope == recall_core::StoreScope::Global;
            let is_wanted = |memory: &Memory| {
                memory.id.memory_type == MemoryType::Context
                    || (is_global && matches!(memory.id.memory_type, MemoryType::Pattern | MemoryType::Decision))
            };
            let wanted = store.ledger.in_force().into_iter().filter(is_wanted);
            memories.extend(wanted.filter_map(|memory| {
                let ownership = store.ledger.judge(memory.id)?.ownership;
                Some((memory, ownership))
            }));
        }
        // Memories that this user has not confirmed come last.
        memories.sort_by(|(a, of_a), (b, of_b)| {
            let vouched = of_b.is_vouched_for().cmp(&of_a.is_vouched_for());
            vouched.then(b.updated.cmp(&a.updated)).then(a.id.cmp(&b.id))
        });
        let entry = |(memory, ownership): (Memory, Ownership)| {
            let Memory { id, title, content, scope, .. } = &memory;
            let quote = quote(content, QUOTE_CHARS / 2);
            let mark = if ownership.is_vouched_for() { "" } else { " (from the repository, unconfirmed)" };
            let line = format!("- {id} {scope} {}{mark}: {}", id.memory_type, inline(title));
            Entry::new(format!("{line}\n{quote}"), vec![id.to_string()])
        };
        Ok(memories.into_iter().take(CONVENTIONS).map(entry).collect())
    }
}

fn count_noun(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
