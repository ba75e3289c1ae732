//! Which of the texts that wait are run next?

use std::collections::VecDeque;

use super::Job;
use crate::manifest::Batching;
use crate::onnx::batch::batches;

/// How many texts are sorted by length at a time. With more, batches have less padding, and the last of them waits longer.
const GATHERED: usize = 512;

/// Whether a person waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Somebody waits for the answer: goes first.
    Urgent,
    /// Work in the background.
    Patient,
}

/// The texts that wait.
#[derive(Default)]
pub(super) struct Queue {
    urgent: VecDeque<Job>,
    patient: VecDeque<Job>,
    /// Texts that were taken from those that are patient, in batches.
    gathered: VecDeque<Vec<Job>>,
    is_closed: bool,
}

impl Queue {
    pub(super) fn put(&mut self, jobs: impl Iterator<Item = Job>, urgency: Urgency) {
        match urgency {
            Urgency::Urgent => self.urgent.extend(jobs),
            Urgency::Patient => self.patient.extend(jobs),
        }
    }

    /// Takes the next batch: of those that are urgent, else of those that came first.
    pub(super) fn take(&mut self, most_tokens: usize, batching: Batching) -> Option<Vec<Job>> {
        if !self.urgent.is_empty() {
            let mut batches = gather(&mut self.urgent, most_tokens, batching);
            let next = batches.pop_front();
            self.urgent.extend(batches.into_iter().flatten());
            return next;
        }
        if self.gathered.is_empty() {
            self.gathered = gather(&mut self.patient, most_tokens, batching);
        }
        self.gathered.pop_front()
    }

    pub(super) fn len(&self) -> usize {
        self.urgent.len() + self.patient.len() + self.gathered.iter().map(Vec::len).sum::<usize>()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Nothing is taken any more; who waits is told by the end of its channel.
    pub(super) fn close(&mut self) {
        *self = Self { is_closed: true, ..Self::default() };
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

/// Takes the first texts of a queue, the shortest first, in batches.
fn gather(queue: &mut VecDeque<Job>, most_tokens: usize, batching: Batching) -> VecDeque<Vec<Job>> {
    let mut jobs: Vec<Job> = queue.drain(..queue.len().min(GATHERED)).collect();
    jobs.sort_by_key(|job| job.tokens.len());
    let lengths: Vec<usize> = jobs.iter().map(|job| job.tokens.len()).collect();
    let mut jobs = jobs.into_iter();
    let batches = batches(&lengths, most_tokens, batching);
    batches.into_iter().map(|batch| jobs.by_ref().take(batch.len()).collect()).collect()
}
