//! Batches of messages, which revision 2025-03-26 of the protocol allows and no other.
//!
//! The answers to the calls of a batch are one line, written when the last of them is there. A cancelled call has no answer.

use std::collections::HashSet;

use rmcp::model::{JsonRpcMessage, ProtocolVersion, RequestId, ServerResult};
use rmcp::service::{RoleServer, TxJsonRpcMessage};

type Answer = TxJsonRpcMessage<RoleServer>;

/// The batches whose answers are not complete.
#[derive(Default)]
pub(super) struct Batches {
    /// Whether the session's revision allows batches.
    pub(super) are_allowed: bool,
    open: Vec<Batch>,
}

/// A batch that is being answered.
#[derive(Default)]
pub(super) struct Batch {
    /// The calls without an answer.
    pub(super) waiting: HashSet<RequestId>,
    pub(super) answers: Vec<Answer>,
}

/// What is written for an answer.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// The message on a line of its own.
    Message(Box<Answer>),
    /// The answers of a batch.
    Batch(Vec<Answer>),
    /// Nothing: other answers of its batch are missing.
    Nothing,
}

impl Batches {
    /// Adds a batch; returns its answers if it waits for no call.
    pub(super) fn open(&mut self, batch: Batch) -> Outgoing {
        if batch.waiting.is_empty() {
            return batch.finish();
        }
        self.open.push(batch);
        Outgoing::Nothing
    }

    /// Takes a message that is to be written.
    pub(super) fn take(&mut self, message: Answer) -> Outgoing {
        if let JsonRpcMessage::Response(response) = &message
            && let ServerResult::InitializeResult(result) = &response.result
        {
            self.are_allowed = result.protocol_version == ProtocolVersion::V_2025_03_26;
        }
        let Some(at) = answered_call(&message).and_then(|id| self.waiting_for(&id)) else {
            return Outgoing::Message(Box::new(message));
        };
        self.open[at].answers.push(message);
        self.finish(at)
    }

    /// Forgets a call that is not answered, because it was cancelled.
    pub(super) fn cancel(&mut self, id: &RequestId) -> Outgoing {
        self.waiting_for(id).map_or(Outgoing::Nothing, |at| self.finish(at))
    }

    /// Returns the place of the batch that waits for a call, and notes that it does so no longer.
    fn waiting_for(&mut self, id: &RequestId) -> Option<usize> {
        self.open.iter_mut().position(|batch| batch.waiting.remove(id))
    }

    fn finish(&mut self, at: usize) -> Outgoing {
        if self.open[at].waiting.is_empty() { self.open.swap_remove(at).finish() } else { Outgoing::Nothing }
    }
}

impl Batch {
    fn finish(self) -> Outgoing {
        if self.answers.is_empty() { Outgoing::Nothing } else { Outgoing::Batch(self.answers) }
    }
}

/// Returns the id of the call that a message answers.
pub(super) fn answered_call(message: &Answer) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(response.id.clone()),
        JsonRpcMessage::Error(error) => error.id.clone(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}
