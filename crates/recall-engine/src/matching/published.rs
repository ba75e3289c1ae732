//! Filters on documents of shared stores.
//!
//! A server knows types, languages, paths and tags. What follows of a filter for these is asked of it; the whole filter is then evaluated
//! here on what came back, by the evaluator of the stores of this machine. What a record does not have is absent: the dates, the trust
//! and the text of a memory. Paths are those in the repository, as they are for `--path`.

use recall_core::rql::{Check, Condition, Field, Filter};
use recall_core::{ChunkRow, DocumentRow, StoreScope, Timestamp};
use recall_index::catalog::{ChunkRun, StoredDocument};
use recall_shared::{Filters, PathCondition};

use super::row::MatchRow;
use crate::shared::Record;

/// Adds the conditions that a server can check to those that it is asked for anyway. They leave out nothing that passes.
pub(crate) fn narrow_published(filter: &Filter, filters: &mut Filters) {
    for (condition, _) in filter.parts() {
        match condition {
            Condition::Is(Field::DocType, Check::Among(kinds)) if filters.kinds.is_empty() => {
                filters.kinds = kinds.iter().cloned().collect();
            }
            Condition::Is(Field::DocLanguage, Check::Among(languages)) if filters.languages.is_empty() => {
                filters.languages = languages.iter().cloned().collect();
            }
            Condition::Is(Field::DocTag, Check::Among(tags)) if tags.len() == 1 => {
                filters.tags.extend(tags.iter().cloned());
            }
            Condition::Is(Field::DocPath, Check::Among(paths)) if filters.paths.is_empty() => {
                filters.paths = paths.iter().map(|path| PathCondition::Below(path.clone())).collect();
            }
            Condition::Is(Field::DocPath, Check::Matches(pattern)) if filters.paths.is_empty() => {
                let directory = pattern.prefix().rsplit_once('/').map(|(directory, _)| directory.to_owned());
                filters.paths.extend(directory.map(PathCondition::Below));
            }
            _ => {}
        }
    }
}

/// Whether a filter reads the texts of chunks.
pub(crate) fn reads_texts(filter: &Filter) -> bool {
    filter.parts().any(|(condition, _)| condition.depends_on(&|field| field == Field::ChunkText))
}

/// Returns whether each chunk of a document passes. `texts` has the text of each chunk, if the filter reads them.
pub(crate) fn passing_chunks(filter: &Filter, record: &Record, texts: Option<&[Option<String>]>) -> Vec<bool> {
    let document = &record.document;
    let count = record.chunks.len() as u32;
    let stored = StoredDocument {
        row: DocumentRow(0),
        document: document.clone(),
        created: Timestamp::default(),
        chunk_count: count,
    };
    let mut row = MatchRow {
        scope: StoreScope::Domain,
        path: document.path.clone(),
        stored,
        run: ChunkRun { document: DocumentRow(0), first: ChunkRow(0), count },
        memory: None,
        chunk: None,
        text: None,
    };
    let mut passing = Vec::with_capacity(record.chunks.len());
    for (place, chunk) in record.chunks.iter().enumerate() {
        row.chunk = Some((ChunkRow(0), chunk.clone()));
        row.text = texts.and_then(|texts| texts.get(place).cloned().flatten());
        passing.push(filter.holds(&row));
    }
    passing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_asked_for_what_it_knows() {
        let check = |filter: &str, kinds: &[&str], languages: &[&str], paths: &[&str], tags: &[&str]| {
            let mut filters = Filters::default();
            narrow_published(&Filter::parse(filter).expect("valid"), &mut filters);
            let below = |path: &&str| PathCondition::Below((*path).to_owned());
            assert_eq!(
                filters,
                Filters {
                    kinds: kinds.iter().map(ToString::to_string).collect(),
                    languages: languages.iter().map(ToString::to_string).collect(),
                    paths: paths.iter().map(below).collect(),
                    tags: tags.iter().map(ToString::to_string).collect(),
                },
                "{filter}"
            );
        };
        check("doc.type = 'adr' AND doc.language = 'rust'", &["adr"], &["rust"], &[], &[]);
        check("doc.path GLOB 'src/net/c*' AND chunk.tokens > 10", &[], &[], &["src/net"], &[]);
        check("doc.path GLOB '*.rs'", &[], &[], &[], &[]);
        check("doc.path = 'src/a.rs' AND doc.tag = 'x'", &[], &[], &["src/a.rs"], &["x"]);
        check("doc.type = 'adr' OR doc.tag = 'x'", &[], &[], &[], &[]);
        check("NOT doc.type = 'adr'", &[], &[], &[], &[]);
    }
}
