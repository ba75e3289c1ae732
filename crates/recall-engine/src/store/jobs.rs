//! The jobs of a store outside of requests: its threads, its index runs, the questions that wait for the first of these, and how jobs
//! are stopped.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use recall_core::{Needle, Understood};
use recall_index::lexical::exact::Pattern;
use recall_index::lexical::terms;
use recall_text::Report;

use crate::index_runs::{Cancel, IndexRuns};
use crate::warning::Indexing;

/// The jobs of a store.
pub(crate) struct Jobs {
    threads: Arc<TaskTracker>,
    /// Asks the jobs to stop.
    cancel: Cancel,
    /// The queue of index runs, shared by all stores.
    index_runs: Arc<IndexRuns>,
    indexing: Mutex<Progresses>,
    questions: WaitingQuestions,
}

impl Jobs {
    pub(super) fn new(index_runs: &Arc<IndexRuns>) -> Self {
        Self {
            threads: Arc::default(),
            cancel: Cancel::default(),
            index_runs: Arc::clone(index_runs),
            indexing: Mutex::default(),
            questions: WaitingQuestions::default(),
        }
    }

    /// Counts a thread that is about to start. Closing the store waits until it drops the guard.
    pub(crate) fn begin_thread(&self) -> TaskGuard {
        self.threads.begin()
    }

    /// Waits until no thread works; returns whether that was before the timeout.
    pub(super) fn wait(&self, patience: Duration) -> bool {
        self.threads.wait(patience)
    }

    /// Returns what asks the jobs to stop.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Returns the queue of index runs.
    pub(crate) fn index_runs(&self) -> &Arc<IndexRuns> {
        &self.index_runs
    }

    /// Returns the questions that wait for the first index.
    pub(crate) fn questions(&self) -> &WaitingQuestions {
        &self.questions
    }

    /// Sets the progress of the running work of a kind; `None` if none is running.
    pub(crate) fn set_indexing(&self, work: IndexWork, indexing: Option<Indexing>) {
        let mut progresses = self.indexing.lock();
        match work {
            IndexWork::Run => progresses.run = indexing,
            IndexWork::Edit => progresses.edit = indexing,
        }
    }

    /// Returns the progress of the index run, or else of an edit that is indexed; `None` if neither is running.
    pub(crate) fn indexing(&self) -> Option<Indexing> {
        let Progresses { run, edit } = *self.indexing.lock();
        run.or(edit)
    }
}

/// The kind of work of an ingest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexWork {
    /// Many files, with a turn to index.
    Run,
    /// A few files or memories, also between two batches of a run.
    Edit,
}

/// The progress of each kind of work. An edit during a run does not hide how far the run is.
#[derive(Debug, Default)]
struct Progresses {
    run: Option<Indexing>,
    edit: Option<Indexing>,
}

/// The most words of a question that are looked for: the longest ones, which select most.
const MOST_WORDS: usize = 16;

/// The most paths of a question that are looked for: the first ones, since the innermost place of a trace comes first.
const MOST_PATHS: usize = 40;

/// What a question looks for in files that are not indexed yet.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// A question.
    Question {
        /// Its words, as the index has them.
        words: Vec<String>,
        /// The paths that it names, as written: of files, and of the places of a trace.
        paths: Vec<String>,
    },
    /// An exact text.
    Text {
        /// The text or the regular expression.
        needle: Needle,
        pattern: Arc<Pattern>,
    },
}

impl Wanted {
    /// Returns what a question looks for.
    pub(crate) fn question(understood: &Understood) -> Self {
        let mut words = terms(&understood.text);
        words.sort_by_key(|word| Reverse(word.len()));
        words.truncate(MOST_WORDS);
        let report = understood.report.as_deref();
        let own_frames = report.into_iter().flat_map(|report| &report.frames).filter(|frame| !frame.is_library);
        let mut paths: Vec<String> = own_frames.flat_map(Report::candidate_paths).collect();
        paths.extend(understood.paths.iter().chain(&understood.possible_paths).cloned());
        paths.truncate(MOST_PATHS);
        Self::Question { words, paths }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Question { words, paths }, Self::Question { words: other_words, paths: other_paths }) => {
                words == other_words && paths == other_paths
            }
            (Self::Text { needle: one, .. }, Self::Text { needle: other, .. }) => one == other,
            _ => false,
        }
    }
}

/// The questions that wait for the first index of a store. Each has a number, counted from 1.
#[derive(Debug, Default)]
pub(crate) struct WaitingQuestions(Mutex<Questions>);

#[derive(Debug, Default)]
struct Questions {
    /// The number of the question before the first one of `wanted`.
    before: u64,
    wanted: Vec<Wanted>,
    /// How many of them were taken.
    taken: usize,
}

impl WaitingQuestions {
    /// Adds a question, and returns its number; that of an equal one that was asked before.
    pub(crate) fn ask(&self, wanted: &Wanted) -> u64 {
        let mut questions = self.0.lock();
        let place = questions.wanted.iter().position(|known| known.is_same(wanted)).unwrap_or_else(|| {
            questions.wanted.push(wanted.clone());
            questions.wanted.len() - 1
        });
        questions.before + place as u64 + 1
    }

    /// Returns whether there is a question that was not taken.
    pub(crate) fn is_any_new(&self) -> bool {
        let questions = self.0.lock();
        questions.taken < questions.wanted.len()
    }

    /// Takes the new questions, and returns the number of the last one.
    pub(crate) fn take(&self) -> (Vec<Wanted>, u64) {
        let mut questions = self.0.lock();
        let new = questions.wanted[questions.taken..].to_vec();
        questions.taken = questions.wanted.len();
        (new, questions.before + questions.taken as u64)
    }

    /// Forgets the questions, once everything is indexed.
    pub(crate) fn clear(&self) {
        let mut questions = self.0.lock();
        *questions = Questions { before: questions.before + questions.wanted.len() as u64, ..Questions::default() };
    }
}

/// Counts the threads that work for a store outside of requests, so that closing it can wait for them.
#[derive(Debug, Default)]
struct TaskTracker {
    working: Mutex<usize>,
    ended: Condvar,
}

/// The guard of one counted thread. The thread drops it after its reference to the store.
pub(crate) struct TaskGuard(Arc<TaskTracker>);

impl TaskTracker {
    /// Counts a thread that is about to start.
    pub(crate) fn begin(self: &Arc<Self>) -> TaskGuard {
        *self.working.lock() += 1;
        TaskGuard(Arc::clone(self))
    }

    /// Waits until no thread works; returns whether that was before the timeout.
    pub(crate) fn wait(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut working = self.working.lock();
        while *working > 0 {
            if self.ended.wait_until(&mut working, deadline).timed_out() {
                return *working == 0;
            }
        }
        true
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        *self.0.working.lock() -= 1;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    #[test]
    fn a_question_is_taken_once_and_keeps_its_number() {
        let questions = WaitingQuestions::default();
        let ask = |text: &str| questions.ask(&Wanted::question(&understand(text)));
        assert_eq!([ask("where are routes added"), ask("session cookie"), ask("where are routes added")], [1, 2, 1]);
        assert_eq!((questions.is_any_new(), questions.take().0.len(), questions.take().1), (true, 2, 2));
        assert_eq!((ask("session cookie"), questions.is_any_new()), (2, false));
        assert_eq!((ask("blueprints"), questions.is_any_new()), (3, true));
        questions.clear();
        assert_eq!((questions.is_any_new(), ask("session cookie")), (false, 4));
    }

    #[test]
    fn waiting_ends_when_the_last_thread_has_ended() {
        let background = Arc::new(TaskTracker::default());
        assert!(background.wait(Duration::ZERO));
        let working = background.begin();
        assert!(!background.wait(Duration::ZERO));
        let thread = std::thread::spawn(move || drop(working));
        assert!(background.wait(Duration::from_secs(30)));
        thread.join().expect("no panic");
    }
}
