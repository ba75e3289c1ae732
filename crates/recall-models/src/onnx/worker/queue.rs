//! The queue of waiting texts, and the choice of the next batch.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::time::Instant;

use recall_core::ModelError;

use crate::manifest::Batching;
use crate::onnx::batch::batches;
use crate::onnx::tokens::Tokens;

/// The number of texts that are sorted by length together. A larger number means less padding, but a longer wait for
/// the last text.
const SORTED_TEXTS: usize = 512;

/// Whether a person is waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    /// A person is waiting: runs first.
    Interactive,
    /// Background work.
    Background,
}

pub(super) struct Job {
    pub(super) tokens: Tokens,
    /// The index of the text in its request.
    pub(super) place: usize,
    pub(super) deadline: Option<Instant>,
    pub(super) answer: Sender<Answer>,
}

/// The output of a text, with its index in its request.
pub(super) type Answer = (usize, Result<Vec<f32>, ModelError>);

#[derive(Default)]
pub(super) struct Queue {
    interactive: VecDeque<Job>,
    background: VecDeque<Job>,
    /// Batches formed from background texts.
    batches_ready: VecDeque<Vec<Job>>,
    is_closed: bool,
}

impl Job {
    /// Sends the output to the caller.
    pub(super) fn complete(&self, output: Result<Vec<f32>, ModelError>) {
        // The caller may have stopped waiting.
        let _ = self.answer.send((self.place, output));
    }
}

impl Queue {
    pub(super) fn put(&mut self, jobs: impl Iterator<Item = Job>, priority: Priority) {
        match priority {
            Priority::Interactive => self.interactive.extend(jobs),
            Priority::Background => self.background.extend(jobs),
        }
    }

    /// Takes the next batch: interactive texts if there are any, otherwise the oldest ones.
    pub(super) fn take(&mut self, most_tokens: usize, batching: Batching) -> Option<Vec<Job>> {
        if !self.interactive.is_empty() {
            let mut batches = form_batches(&mut self.interactive, most_tokens, batching);
            let next = batches.pop_front();
            self.interactive.extend(batches.into_iter().flatten());
            return next;
        }
        if self.batches_ready.is_empty() {
            self.batches_ready = form_batches(&mut self.background, most_tokens, batching);
        }
        self.batches_ready.pop_front()
    }

    pub(super) fn len(&self) -> usize {
        self.interactive.len() + self.background.len() + self.batches_ready.iter().map(Vec::len).sum::<usize>()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Closes the queue. Waiting callers are woken by the end of their channels.
    pub(super) fn close(&mut self) {
        *self = Self { is_closed: true, ..Self::default() };
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

/// Takes the first texts of a queue and divides them into batches, the shortest texts first.
fn form_batches(queue: &mut VecDeque<Job>, most_tokens: usize, batching: Batching) -> VecDeque<Vec<Job>> {
    let mut jobs: Vec<Job> = queue.drain(..queue.len().min(SORTED_TEXTS)).collect();
    jobs.sort_by_key(|job| job.tokens.len());
    let lengths: Vec<usize> = jobs.iter().map(|job| job.tokens.len()).collect();
    let mut jobs = jobs.into_iter();
    let batches = batches(&lengths, most_tokens, batching);
    batches.into_iter().map(|batch| jobs.by_ref().take(batch.len()).collect()).collect()
}
