//! What the reader of an answer should know beside it.

use std::path::PathBuf;
use std::time::Duration;

use recall_core::StoreScope;

/// What the reader of an answer should know beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Nobody had indexed the project: this request did.
    IndexedOnTheWay {
        /// How many files were indexed.
        files: u64,
        /// How long it took.
        took: Duration,
    },
    /// The store is still being indexed: the answer is of what is there.
    Indexing {
        /// Files read.
        files_done: u64,
        /// Files to read in all.
        files: u64,
    },
    /// The store waits for its turn to be indexed: the answer is of what is there.
    IndexingWaits,
    /// The freshness scan was not done in time: files that are new since the last one may be missing.
    ScanRunning,
    /// The links between the documents are still being read: the next answer may have another order.
    LinksBehind,
    /// Changes are not watched, and the files were last compared so long ago: what changed since may be missing.
    NotCompared {
        /// How long.
        ago: Duration,
    },
    /// A file changed while the query ran and could not be indexed in time: its hits are left out.
    LeftOut {
        /// The file.
        path: String,
    },
    /// Secrets stand in a file; what is told of it has masks in their places.
    SecretsMasked {
        /// The file.
        path: String,
    },
    /// A damaged index was set aside and made anew.
    Repaired {
        /// What was damaged.
        what: String,
    },
    /// The index could not be brought up to the files: the answer is of what was indexed before.
    NotRefreshed {
        /// Why.
        reason: String,
    },
    /// One of the stores could not be searched.
    StoreUnavailable {
        /// Which.
        scope: StoreScope,
        /// Why.
        reason: String,
    },
    /// Several symbols have the name that was asked for.
    SeveralDefinitions {
        /// The name.
        name: String,
        /// How many there are.
        definitions: u64,
        /// How many of them the answer starts at.
        shown: u64,
    },
    /// Words alone decided, since not every text has an embedding yet.
    EmbeddingsToCome,
    /// The embeddings by a model could not be asked.
    EmbeddingsPassedOver {
        /// Why.
        reason: String,
        /// The model that told the meaning instead; `None` where words alone decided.
        instead: Option<String>,
    },
    /// The cross-encoder that is used could not be asked: the order is the one without it.
    NotReranked {
        /// Why.
        reason: String,
    },
    /// The ranker that was learnt from the project's history cannot be used: the built-in ones decided.
    RankerPassedOver {
        /// Why.
        reason: String,
    },
    /// A word of the query has the form of a filter and is none: it is looked for as a word.
    UnknownFilter {
        /// The word.
        word: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Weights of the retrievers are given, so their fusion decides on the order and the learned rankers do not.
    WeightsDecide,
    /// Memories that were acknowledged are not in the index yet.
    MemoriesBehind,
    /// The journals could not be read: the answer is of what they said before.
    JournalsUnread {
        /// Why.
        reason: String,
    },
    /// Lines of the journals cannot be read: what they say is missing.
    JournalLinesUnread(UnreadLines),
    /// Lines of the selection cannot be read: what they decide does not hold.
    SelectionLinesUnread(UnreadLines),
    /// Something in the configuration is wrong and was passed over.
    Configuration {
        /// What and where.
        message: String,
    },
}

/// Lines of a store's files that cannot be read. They stay where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLines {
    /// The file of the first one, absolute.
    pub file: PathBuf,
    /// The first one, counted from 1; 0 if the file as a whole cannot be read.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
    /// How many there are, in all files.
    pub count: u64,
}
