//! The queue of waiting texts, the choice of the next batch, and the division of texts into batches.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::mpsc::Sender;
use std::time::Instant;

use recall_core::ModelError;

use crate::manifest::Batching;
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

/// The largest share of padding in a batch. A text that would exceed it begins the next batch.
const MOST_PADDING: f64 = 0.125;

/// Divides texts, sorted by token count, into consecutive batches.
///
/// A batch has at most `most_tokens` tokens, including padding, unless it is a single longer text.
pub(crate) fn batches(lengths: &[usize], most_tokens: usize, batching: Batching) -> Vec<Range<usize>> {
    debug_assert!(lengths.is_sorted(), "texts are sorted by length");
    let mut batches = Vec::new();
    let (mut begin, mut tokens) = (0, 0);
    for (at, length) in lengths.iter().enumerate() {
        let padded = (at + 1 - begin) * length;
        let padding = padded - (tokens + length);
        let fits =
            batching == Batching::Together && padded <= most_tokens && padding as f64 <= MOST_PADDING * padded as f64;
        if !fits && at > begin {
            batches.push(begin..at);
            (begin, tokens) = (at, 0);
        }
        tokens += length;
    }
    if begin < lengths.len() {
        batches.push(begin..lengths.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_batch_ends_before_too_many_tokens_or_too_much_padding() {
        let sizes = |lengths: &[usize], most_tokens, batching| -> Vec<usize> {
            batches(lengths, most_tokens, batching).iter().map(ExactSizeIterator::len).collect()
        };
        for (lengths, most_tokens, expected) in [
            (&[][..], 10, &[][..]),
            (&[5, 5, 5], 10, &[2, 1]),
            (&[2, 2, 9, 9], 100, &[2, 2]),
            (&[90], 10, &[1]),
            (&[0, 0, 3], 10, &[2, 1]),
        ] {
            assert_eq!(sizes(lengths, most_tokens, Batching::Together), expected, "{lengths:?}");
        }
        assert_eq!(sizes(&[5, 5], 10, Batching::Alone), [1, 1]);
    }

    proptest! {
        #[test]
        fn every_text_is_in_one_batch_within_the_limits(
            mut lengths in prop::collection::vec(0_usize..300, 0..100), most_tokens in 1_usize..2000
        ) {
            lengths.sort_unstable();
            let batches = batches(&lengths, most_tokens, Batching::Together);
            let texts: Vec<usize> = batches.iter().cloned().flatten().collect();
            prop_assert_eq!(texts, (0..lengths.len()).collect::<Vec<_>>());
            for batch in batches {
                let lengths = &lengths[batch];
                let padded = lengths.len() * lengths.last().copied().unwrap_or(0);
                prop_assert!(lengths.len() == 1 || padded <= most_tokens);
                let padding = padded - lengths.iter().sum::<usize>();
                prop_assert!(lengths.len() == 1 || padding as f64 <= MOST_PADDING * padded as f64);
            }
        }
    }
}
