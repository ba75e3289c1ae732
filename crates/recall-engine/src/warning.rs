//! The coverage of an answer, that is which state of a store it is from, and its warnings.

use std::path::PathBuf;
use std::time::Duration;

use recall_core::{Generation, MemoryId, StoreScope, Timestamp};

use crate::git::RemovingCommit;

/// A warning of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The project was not indexed yet, and this request indexed it.
    IndexedOnTheWay {
        /// The project that was indexed, so that a client sees which folder was taken.
        project: IndexedProject,
        /// How many files were indexed.
        files: u64,
        /// How long it took.
        took: Duration,
    },
    /// The store is still being indexed: the answer covers the documents so far.
    Indexing {
        /// Files that are written, of `files`.
        files_done: u64,
        /// Files to read in all.
        files: u64,
    },
    /// The store waits for its turn to be indexed: the answer covers the documents so far.
    IndexingWaits,
    /// The store has no complete index yet: that nothing was found says nothing.
    NotIndexedYet(FirstIndex),
    /// The scan was not done in time: files that are new since the last one may be missing.
    ScanRunning,
    /// The links between the documents are still being read: the next answer may have another order.
    LinksBehind,
    /// Files are not watched, and the next scan is not due yet: changes since the last one may be missing.
    NotCompared {
        /// How long ago the last scan was.
        ago: Duration,
    },
    /// A file changed while the query ran and could not be indexed in time: its hits are left out.
    LeftOut {
        /// Its path as answers show it.
        path: String,
    },
    /// The request names a document by the end of its path, and no other indexed path ends like that.
    NamedByEnd {
        /// Its whole path as answers show it.
        path: String,
    },
    /// No indexed file has a name of the request, and a commit removed the last place of it.
    NameRemoved {
        /// The name.
        name: String,
        /// The commit.
        commit: RemovingCommit,
    },
    /// No indexed file has a name of the request, and whether a commit removed it is not known.
    NameHistoryUnread {
        /// The name.
        name: String,
        /// Whether git is still looking. If not, it did not find it in time.
        is_running: bool,
    },
    /// Files that may hold text are not indexed, so that the answer says nothing about them.
    FilesLeftOut {
        /// How many there are for each reason, the most frequent first.
        groups: Vec<LeftOutGroup>,
    },
    /// The request names transcripts, and the user did not switch their reading on.
    TranscriptsOff,
    /// Transcripts were not read, because they are too old, too many, too large or damaged.
    TranscriptsLeftOut {
        /// The number of files; those of other projects may be among them.
        files: u64,
    },
    /// A file has secrets, which are masked in the answer.
    SecretsMasked {
        /// Its path as answers show it, which may be masked too.
        path: String,
    },
    /// Memories of the answer had vanished from a journal, and were put back.
    PutBack {
        /// Their ids.
        ids: Vec<MemoryId>,
    },
    /// A damaged index was quarantined and rebuilt.
    Repaired {
        /// A sentence that names the damaged part.
        what: String,
    },
    /// The changes of the files could not be indexed: the answer covers the documents before them.
    NotRefreshed {
        /// The error and its causes, as one text.
        reason: String,
    },
    /// The answer is about the past. It is from the files of a commit and from the memories that had been recorded by then.
    AsOf {
        /// The time as of which it is.
        at: Timestamp,
        /// The commit; `None` if there was none by then, so that the answer has memories only.
        commit: Option<String>,
        /// The links, submodules and large files of the commit, which were not looked at.
        left_out: u64,
    },
    /// Files were left out of a period, because git knows no commit of them.
    Undated {
        /// How many.
        files: u64,
    },
    /// Nothing was made in the period that the words of the query name, so it was not limited to it.
    PeriodWithoutHits {
        /// The words.
        words: String,
    },
    /// The query was limited to the period that its words name.
    PeriodFromWords {
        /// The words.
        words: String,
    },
    /// One of the stores could not be searched.
    StoreUnavailable {
        /// The scope of that store.
        scope: StoreScope,
        /// The error and its causes, as one text.
        reason: String,
    },
    /// A store that a team shares did not answer: the answer is without it.
    SharedStore {
        /// Its name in the configuration.
        store: String,
        /// The error and its causes, as one text.
        reason: String,
        /// Whether it answered the last search.
        is_new: bool,
    },
    /// The request is limited to a time, and stores that a team shares do not know when something was made: they were not searched.
    SharedWithoutTimes {
        /// The names of these stores in the configuration.
        stores: Vec<String>,
    },
    /// Only the best candidates of a store that a team shares were compared with a filter expression, and few passed: more may.
    SharedNotFiltered {
        /// Its name in the configuration.
        store: String,
        /// How many documents were compared.
        compared: u64,
        /// Whether counts of all documents were asked for: those of the store are not in them.
        is_uncounted: bool,
    },
    /// Documents of a store that a team shares match the query and were left out: another version of recall published them.
    SharedOfAnotherVersion {
        /// Its name in the configuration.
        store: String,
        /// How many of the documents that the store returned were left out.
        left_out: u64,
    },
    /// Only some documents of a store that a team shares were compared with a text: there was no time for the others, or another version
    /// of recall published them.
    SharedNotScanned {
        /// Its name in the configuration.
        store: String,
        /// How many were compared.
        compared: u64,
    },
    /// Git did not list the commits of a document in time.
    HistoryUnread {
        /// The document's path as answers show it.
        path: String,
    },
    /// More lines were asked for than an answer explains.
    LinesLeftOut {
        /// The last line that the answer explains.
        last: u32,
        /// The setting `why.lines`.
        limit: u32,
    },
    /// Records of who wrote lines are not valid, and were not believed.
    TracesUnread {
        /// How many.
        records: u64,
    },
    /// There are more nested repositories and other projects than a request reads.
    StoresLeftOut {
        /// How many were not read.
        left_out: u64,
        /// The setting `daemon.max_stores_per_request`.
        limit: u64,
    },
    /// Several symbols have the requested name.
    SeveralDefinitions {
        /// The name as the request has it.
        name: String,
        /// How many there are.
        definitions: u64,
        /// How many of them the answer begins with.
        shown: u64,
    },
    /// The ranking used words only, since not every text has an embedding yet.
    EmbeddingsToCome,
    /// The embeddings by a model could not be used.
    EmbeddingsUnusable {
        /// Why not, as one text.
        reason: String,
        /// The model that was used instead; `None` if the ranking used words only.
        instead: Option<String>,
    },
    /// The selected cross-encoder failed: the order is the one without it.
    NotReranked {
        /// The error and its causes, as one text.
        reason: String,
    },
    /// The selected language model failed: the order is the one without it.
    NotJudged {
        /// The error and its causes, as one text.
        reason: String,
    },
    /// A word of the query has the form of a filter but is not one: it is searched for as a word.
    UnknownFilter {
        /// The word as the query has it.
        word: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A path filter names nothing: no file of the project and no document.
    PathMissing {
        /// The path as it was written.
        path: String,
        /// A path of the project with a similar name.
        near: Option<String>,
    },
    /// A path filter names something on the disk of which nothing is indexed.
    PathNotIndexed {
        /// The path as it was written.
        path: String,
    },
    /// Nothing was found, and documents pass a path filter.
    PathWithoutHits {
        /// The path as it was written.
        path: String,
        /// How many documents pass it.
        documents: u64,
    },
    /// The request has weights of the retrievers, so the order is their fusion, without the learned rankers.
    WeightsDecide,
    /// Memories that were acknowledged are not in the index yet.
    MemoriesBehind,
    /// The journals could not be read: the answer covers the memories of the last read.
    JournalsUnread {
        /// The error and its causes, as one text.
        reason: String,
    },
    /// Lines of the journals cannot be read: their events are missing.
    JournalLinesUnread(UnreadLines),
    /// Lines of the selection cannot be read and are ignored.
    SelectionLinesUnread(UnreadLines),
    /// A setting is invalid and is ignored.
    Configuration {
        /// The problem and its place.
        message: String,
    },
}

impl Warning {
    /// Returns the first index that the answer should wait for, if the warning is about one.
    pub fn awaited_index(&self) -> Option<&FirstIndex> {
        match self {
            Self::NotIndexedYet(first) => match first.stage {
                FirstIndexStage::Queued | FirstIndexStage::Scanning | FirstIndexStage::Indexing(_) => Some(first),
                FirstIndexStage::LikelyIndexed(_) | FirstIndexStage::ChangesLeft(_) => None,
            },
            _ => None,
        }
    }

    /// Returns whether documents or changes that belong to the searched stores may be missing in the answer.
    pub(crate) fn leaves_documents_out(&self) -> bool {
        matches!(
            self,
            Self::Indexing { .. }
                | Self::IndexingWaits
                | Self::NotIndexedYet(_)
                | Self::ScanRunning
                | Self::NotCompared { .. }
                | Self::LeftOut { .. }
                | Self::NotRefreshed { .. }
                | Self::SharedStore { .. }
                | Self::SharedNotScanned { .. }
                | Self::SharedWithoutTimes { .. }
                | Self::StoresLeftOut { .. }
                | Self::StoreUnavailable { .. }
                | Self::MemoriesBehind
                | Self::JournalsUnread { .. }
                | Self::JournalLinesUnread(_)
                | Self::SelectionLinesUnread(_)
        )
    }
}

/// A project as a store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedProject {
    /// The root of the project in the present, also of a store of its past.
    pub root: PathBuf,
    /// The time as of which the store has it; `None` for the present.
    pub as_of: Option<Timestamp>,
}

/// The first index of a store, which is not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstIndex {
    /// The root of the store.
    pub root: PathBuf,
    /// The project that is indexed.
    pub project: IndexedProject,
    /// The number of the scan whose end completes the index.
    pub scan: u64,
    /// The number that the question has among those that wait for the index; `None` if it waits for all of it.
    pub question: Option<u64>,
    /// What the scan does.
    pub stage: FirstIndexStage,
}

/// What the scan for a first index, or for very many changes, does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstIndexStage {
    /// It waits for its turn, after other projects.
    Queued,
    /// It lists the files.
    Scanning,
    /// It reads and writes them.
    Indexing(Indexing),
    /// It has written the files that most likely answer the question, and writes the rest.
    LikelyIndexed(Indexing),
    /// It writes very many new and changed files to an older index, from which the answer is: first those that most likely answer the
    /// question.
    ChangesLeft(Indexing),
}

/// Files that are not indexed for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutGroup {
    /// The reason: a clause to follow a file's name.
    pub reason: String,
    /// The number of such files in the store.
    pub files: u64,
    /// Whether the files may hold text that a search could have found.
    pub may_hide_text: bool,
}

/// Lines of a store's files that cannot be read. They stay in the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLines {
    /// The file of the first one, absolute.
    pub file: PathBuf,
    /// The first one, counted from 1; 0 if the file as a whole cannot be read.
    pub line: u64,
    /// Why it cannot be read.
    pub reason: String,
    /// The number of such lines in all files.
    pub count: u64,
}

/// The state of one store that an answer is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Whether it is a project's, a domain's or the global store.
    pub scope: StoreScope,
    /// The root of its files; for a shared store its name.
    pub root: PathBuf,
    /// The generation that was searched.
    pub generation: Generation,
    /// The number of its documents.
    pub documents: u64,
    /// The modification time of its newest document.
    pub newest: Option<Timestamp>,
    /// Whether it belongs to another project than the client's.
    pub is_elsewhere: bool,
    /// Whether it is a store that a team shares.
    pub is_shared: bool,
    /// The index job that was running meanwhile, if any.
    pub indexing: Option<Indexing>,
}

impl Coverage {
    /// Returns the number of files that a running index job has yet to read.
    pub(crate) fn files_to_come(&self) -> u64 {
        self.indexing.map_or(0, |job| job.files.saturating_sub(job.files_done))
    }
}

/// The progress of a running index job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Indexing {
    /// Files that are written, of `files`.
    pub files_done: u64,
    /// Files to read in all; 0 while they are being searched for.
    pub files: u64,
}
