//! The history of a document: the commits that changed it, and what a decision record says about its own status.

use recall_core::{Citation, Scope};
use recall_index::catalog::StoredDocument;
use recall_text::DocPath;

use super::get::{Item, ItemRequest, Parent};
use super::named_by_end::NamedByEnd;
use crate::error::{GetError, StoreError};
use crate::git::{DocumentCommit, Git};
use crate::graph::start::Name;
use crate::links::path_text;
use crate::origin::Origin;
use crate::store::Store;
use crate::warning::Warning;
use crate::{Engine, mask};

/// A request for the commits that changed a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRequest {
    /// The id of a document or of a chunk, or a path below the root.
    pub id: String,
    /// The stores to search, the project's first.
    pub scope: Scope,
    /// The most commits in the answer; the latest ones.
    pub limit: usize,
}

/// The commits that changed a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The path of the document.
    pub path: String,
    /// The commits, the latest first, with secrets masked.
    pub commits: Vec<DocumentCommit>,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

impl Engine {
    /// Returns the latest commits of the current branch that changed a document. A memory, and a file that git does not know, have none.
    ///
    /// # Errors
    /// The id or path is unknown or that of a published document, or a store cannot be opened or read.
    pub fn history(&self, origin: &Origin, request: &HistoryRequest) -> Result<History, GetError> {
        let names: Vec<Name> =
            Citation::readings(request.id.trim()).filter_map(|read| self.name(origin, read.document)).collect();
        for store in self.fresh_stores(origin, request.scope)?.stores {
            for name in names.iter().filter_map(|name| name.in_store(&store)) {
                if let Some(StoredDocument { document, .. }) = find_document(&store, &name)? {
                    let shown = mask::shown_path(store.mount.outer(document.path.as_str()));
                    return Ok(history_of(&store, &document.path, shown, request.limit));
                }
            }
        }
        if let Some(NamedByEnd { citation, warning }) = self.named_by_end(origin, request.scope, &request.id)? {
            let mut history = self.history(origin, &HistoryRequest { id: citation, ..*request })?;
            history.warnings.push(warning);
            return Ok(history);
        }
        let published = self.get_published(
            origin,
            &ItemRequest {
                id: Citation::split(request.id.trim()).document.to_owned(),
                parent: Parent::Leave,
                scope: request.scope,
            },
        )?;
        Err(match published {
            Some(Item { document, coverage, .. }) => GetError::NotPublished {
                path: document.path.as_str().to_owned(),
                store: coverage.root.to_string_lossy().into_owned(),
            },
            None => self.explain_missing(origin, request.scope, &request.id),
        })
    }
}

/// Returns a document as its store has it; `None` if the store does not have it.
pub(crate) fn find_document(store: &Store, name: &Name) -> Result<Option<StoredDocument>, StoreError> {
    store.index.read(|snapshot| match name {
        Name::Document(id) => snapshot.document(*id),
        Name::Chunk(id) => Ok(snapshot.chunk(*id)?.map(|stored| stored.document)),
        Name::Paths(paths) => {
            paths.iter().map(|path| snapshot.document_at(path)).find_map(Result::transpose).transpose()
        }
    })
}

fn history_of(store: &Store, path: &DocPath, shown: String, limit: usize) -> History {
    let Some(mut commits) = Git::at(&store.root).commits_of(path, limit) else {
        let warnings = vec![Warning::HistoryUnread { path: shown.clone() }];
        return History { path: shown, commits: Vec::new(), warnings };
    };
    for commit in &mut commits {
        mask::text(&mut commit.author);
        mask::text(&mut commit.subject);
    }
    History { path: shown, commits, warnings: Vec::new() }
}

/// The status of a decision record, as it states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordStatus {
    /// The text, on one line and without markup: `accepted`, `superseded by ADR 12`.
    pub text: String,
    /// The document that the text links to.
    pub link: Option<DocPath>,
}

/// How many lines from the start are read.
const LINES: usize = 60;

/// The most characters of a status.
const MOST_CHARS: usize = 120;

impl RecordStatus {
    /// Reads the status of the record at a path: a field `status` of the front matter, a line `Status: accepted`, or the first text
    /// below a heading `Status`. Returns `None` if the record states none.
    pub(crate) fn parse(path: &DocPath, text: &str) -> Option<Self> {
        let mut lines = text.lines().take(LINES).map(str::trim);
        while let Some(line) = lines.next() {
            let bare = line.trim_start_matches(['#', '*', '-', '_', '>', '|', ' ']);
            let Some(rest) = bare.get(..6).filter(|word| word.eq_ignore_ascii_case("status")).map(|_| &bare[6..])
            else {
                continue;
            };
            let rest = rest.trim_start_matches(['*', '_', ' ']);
            let stated = if let Some(stated) = rest.strip_prefix([':', '|']) {
                stated.trim_matches(['*', '_', '|', ' '])
            } else if line.starts_with('#') && rest.is_empty() {
                ""
            } else {
                continue;
            };
            let stated = if stated.is_empty() { lines.find(|line| !line.is_empty())? } else { stated };
            return (!stated.starts_with('#')).then(|| Self::read(path, stated));
        }
        None
    }

    fn read(path: &DocPath, stated: &str) -> Self {
        let (text, target) = without_links(stated.trim_matches(['"', '\'', '*', '_', ' ']));
        // The last sentence may go on in the next line.
        let whole = match text.rsplit_once(". ") {
            Some((whole, rest)) if !rest.ends_with('.') => whole,
            _ => &text,
        };
        let folder = path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
        let link = target.filter(|target| !target.contains("://")).and_then(|target| {
            let target = target.split(['#', '?']).next().unwrap_or_default();
            path_text::join(folder, target).and_then(|joined| DocPath::new(&joined).ok())
        });
        Self { text: whole.chars().take(MOST_CHARS).collect(), link }
    }
}

/// Returns a line with the names of its links alone, and the first target.
fn without_links(line: &str) -> (String, Option<&str>) {
    let (mut text, mut rest, mut first) = (String::new(), line, None);
    while let Some((before, after)) = rest.split_once('[') {
        let named = after.split_once("](").and_then(|(name, after)| Some((name, after.split_once(')')?)));
        let Some((name, (target, behind))) = named else { break };
        text.push_str(before);
        text.push_str(name);
        first = first.or(Some(target));
        rest = behind;
    }
    text.push_str(rest);
    (text, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, Option<&str>)>) {
        let path = DocPath::new("docs/adr/0001-a.md").expect("plain");
        let found = RecordStatus::parse(&path, text);
        let found = found.as_ref().map(|status| (status.text.as_str(), status.link.as_ref().map(DocPath::as_str)));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_status_is_read_in_its_usual_forms() {
        check("# 1. A\n\n**Status:** accepted\n", Some(("accepted", None)));
        check("# 1. A\n\n- Status: Proposed\n", Some(("Proposed", None)));
        check("# 1. A\n\n* **Status**: rejected\n", Some(("rejected", None)));
        check("---\ntitle: A\nstatus: \"deprecated\"\n---\n# A\n", Some(("deprecated", None)));
        check("# 1. A\n\n## Status\n\nAccepted\n\n## Context\n", Some(("Accepted", None)));
        check("# 1. A\n\n| Status | accepted |\n", Some(("accepted", None)));
    }

    #[test]
    fn a_status_names_the_record_that_it_links_to() {
        let later = Some("docs/adr/0002-b.md");
        check("**Status:** accepted. [2](0002-b.md) ends it, and\n[3](0003-c.md) too.\n", Some(("accepted", later)));
        check("## Status\nSuperseded by [ADR 2](0002-b.md#decision)\n", Some(("Superseded by ADR 2", later)));
        check("Status: superseded by [2](./0002-b.md), see there\n", Some(("superseded by 2, see there", later)));
        check("Status: see [x](https://example.org/a)\n", Some(("see x", None)));
        check("Status: an [open bracket\n", Some(("an [open bracket", None)));
    }

    #[test]
    fn a_record_without_a_status_has_none() {
        for text in
            ["", "# A\n\nThe status of this is unknown.\n", "## Status\n\n## Context\n", "## Status\n", "statusé: x\n"]
        {
            check(text, None);
        }
    }
}
