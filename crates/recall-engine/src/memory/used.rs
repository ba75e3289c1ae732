//! Implicit feedback: which of its hits a session used.
//!
//! Agents seldom rate a hit, and to ask for it costs every session tokens. What a session does with a hit is a sign without a
//! question: it opens it, reads or edits its file, or names it in what it writes. Such a use counts once a session, next to the
//! retrievals, and for less than a rating (see [`prior`](super::prior)). It is not written to the journal, which the repository holds.

use recall_core::{ItemId, Metadata, MetadataValue, Provenance, Scope};

use super::about;
use super::feedback::holder;
use crate::Engine;
use crate::engine::SessionHit;
use crate::engine::recorder::Note;
use crate::error::MemoryError;
use crate::origin::Origin;

/// What a session did.
#[derive(Clone, Copy, Debug)]
pub enum ItemUse<'a> {
    /// It read an item by its id or path: the memory or the document.
    Opened(ItemId),
    /// It reads or edits files, named in any form.
    Files(&'a [String]),
    /// It wrote texts. The ids of memories and the citations in them name items.
    Named(&'a [&'a str]),
}

impl ItemUse<'_> {
    fn reason(&self) -> &'static str {
        match self {
            Self::Opened(_) => "opened",
            Self::Files(_) => "file read or edited",
            Self::Named(_) => "named",
        }
    }
}

impl Engine {
    /// Counts the hits of the session that it uses now, each once a session, and records that in the session. Does nothing without a
    /// session or without hits. Never fails: a use that cannot be counted is lost.
    pub fn note_use(&self, origin: &Origin, provenance: &Provenance, item_use: ItemUse<'_>) {
        let is_present = !origin.is_past(&self.registry.places);
        let session = provenance.session.as_deref().filter(|_| is_present);
        let Some(session) = session.filter(|session| self.session_hits.has_unused(session)) else {
            return;
        };
        let used = match item_use {
            ItemUse::Opened(item) => self.session_hits.take_used(session, |hit| hit.item == item),
            ItemUse::Files(named) => {
                let Ok(paths) = self.paths_below(origin, named) else { return };
                self.session_hits.take_used(session, |hit| paths.contains(&hit.path))
            }
            ItemUse::Named(texts) => {
                self.session_hits.take_used(session, |hit| texts.iter().any(|text| names(text, hit)))
            }
        };
        if used.is_empty() {
            return;
        }
        let Ok(stores) = self.stores(origin, Scope::All) else { return };
        for SessionHit { item, .. } in used {
            if let Ok(Some((store, inner))) = holder(&stores, item) {
                store.facts.retrievals().note_use(inner);
                self.recorder.note(origin, provenance, || Note::Use { item, reason: item_use.reason() });
            }
        }
    }

    /// Returns the paths of files as the hits of a search name them.
    fn paths_below(&self, origin: &Origin, named: &[String]) -> Result<Vec<String>, MemoryError> {
        let store = self.memory_store(origin, Scope::Project)?;
        let paths = about::resolve_files(&store, origin, named)?;
        Ok(paths.into_iter().map(|path| path.as_str().to_owned()).collect())
    }
}

/// Returns the texts of a judgment's metadata that say which hits were kept; what was dropped was not used.
pub(crate) fn kept_in(metadata: &Metadata) -> Vec<&str> {
    let Some(MetadataValue::List(kept)) = metadata.get("kept") else { return Vec::new() };
    let texts =
        kept.iter().filter_map(|value| if let MetadataValue::Text(text) = value { Some(&**text) } else { None });
    texts.collect()
}

/// Returns whether a text names a hit: by the id of the memory, or by the path of the file with a line, as a citation does.
///
/// A path alone is no citation: a text about a file is not about what the search found in it.
fn names(text: &str, hit: &SessionHit) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || "_-./\\".contains(c);
    let name = match hit.item {
        ItemId::Memory(id) => id.to_string(),
        ItemId::Document(_) | ItemId::Chunk(_) => format!("{}:", hit.path),
    };
    let is_citation = |after: &str| match hit.item {
        ItemId::Memory(_) => !after.starts_with(|c: char| c.is_alphanumeric()),
        ItemId::Document(_) | ItemId::Chunk(_) => after.starts_with(|c: char| c.is_ascii_digit()),
    };
    text.match_indices(&name).any(|(at, name)| !text[..at].ends_with(is_word) && is_citation(&text[at + name.len()..]))
}

#[cfg(test)]
mod tests {
    use recall_core::DocumentId;
    use recall_text::DocPath;

    use super::*;

    #[test]
    fn a_text_names_a_memory_by_its_id_and_a_file_by_a_citation() {
        let memory = SessionHit { item: "L-0123abcd".parse().expect("an id"), path: String::new() };
        let item = ItemId::Document(DocumentId::from_path(&DocPath::new("a.rs").expect("a path")));
        let file = SessionHit { item, path: "a.rs".to_owned() };
        for (text, hit, expected) in [
            ("as L-0123abcd says", &memory, true),
            ("kept (L-0123abcd), dropped none", &memory, true),
            ("L-0123abcde", &memory, false),
            ("see a.rs:10-20@0123456789ab", &file, true),
            ("see `a.rs:10`", &file, true),
            ("see data.rs:10 and src/a.rs:10", &file, false),
            ("a.rs: it is fine", &file, false),
            ("a.rs", &file, false),
        ] {
            assert_eq!(names(text, hit), expected, "{text}");
        }
    }
}
