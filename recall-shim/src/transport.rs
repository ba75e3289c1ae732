//! The transport of the protocol's messages: a line each, over standard input and output.
//!
//! The SDK's own transport drops a line that it cannot read, and a client waits for its answer for ever. Here every line that asks
//! for an answer gets one, and what a client meant is read if that is clear: see [`message`].
//!
//! In revision 2025-03-26 a line may be a batch, whose answers are one line too: see [`batch`].
//!
//! Calls beyond the limit wait in the pipe: an error would make clients repeat them at once (ADR 54).

mod batch;
mod message;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};

use recall_config::McpSettings;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

use batch::{Batch, Batches, Outgoing, answered_call};
use message::{Line, Lines, Received, Rejected};

/// The calls that are being answered, each with its place among those that may be.
type InFlight = Arc<SyncMutex<HashMap<RequestId, OwnedSemaphorePermit>>>;

/// Messages as lines of an input and an output.
pub(crate) struct LineTransport<R, W> {
    lines: Lines<R>,
    output: Arc<Mutex<Option<W>>>,
    in_flight: InFlight,
    places: Arc<Semaphore>,
    /// The place for the next call.
    place: Option<OwnedSemaphorePermit>,
    /// The answer to a line that is not a message, while it is written.
    rejection: Option<JoinHandle<io::Result<()>>>,
    batches: Arc<SyncMutex<Batches>>,
    /// The messages of a batch that were not received yet.
    unpacked: VecDeque<RxJsonRpcMessage<RoleServer>>,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    pub(crate) fn new(input: R, output: W, settings: &McpSettings) -> Self {
        Self {
            lines: Lines::new(input, settings.message_bytes),
            output: Arc::new(Mutex::new(Some(output))),
            in_flight: InFlight::default(),
            places: Arc::new(Semaphore::new(settings.calls.get())),
            place: None,
            rejection: None,
            batches: Arc::default(),
            unpacked: VecDeque::new(),
        }
    }

    /// Keeps the books of the calls that are being answered.
    fn note_received(&mut self, message: &RxJsonRpcMessage<RoleServer>) {
        let mut in_flight = lock(&self.in_flight);
        match message {
            JsonRpcMessage::Request(request) => {
                in_flight.extend(self.place.take().map(|place| (request.id.clone(), place)));
            }
            // The SDK does not answer a call that was cancelled.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    in_flight.remove(id);
                    let outgoing = lock(&self.batches).cancel(id);
                    if let Some(writing) = write_soon(&self.output, outgoing) {
                        self.rejection = Some(writing);
                    }
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    fn reject(&mut self, rejected: Rejected) {
        self.rejection = write_soon(&self.output, Outgoing::Message(Box::new(rejection(rejected))));
    }

    /// Unpacks a batch: its messages are received one after the other, and what is no message is answered.
    fn unpack(&mut self, read: Vec<Result<RxJsonRpcMessage<RoleServer>, Rejected>>) {
        let mut batch = Batch::default();
        for message in read {
            match message {
                Ok(message) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        batch.waiting.insert(request.id.clone());
                    }
                    self.unpacked.push_back(message);
                }
                Err(rejected) => batch.answers.push(rejection(rejected)),
            }
        }
        let outgoing = lock(&self.batches).open(batch);
        self.rejection = write_soon(&self.output, outgoing);
    }
}

/// Returns the answer to what is no message.
fn rejection(rejected: Rejected) -> TxJsonRpcMessage<RoleServer> {
    let Rejected { id, code, message } = rejected;
    TxJsonRpcMessage::<RoleServer>::error(ErrorData::new(code, message, None), id)
}

fn lock<T>(mutex: &SyncMutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = answered_call(&message);
        let outgoing = lock(&self.batches).take(message);
        let (output, in_flight) = (Arc::clone(&self.output), Arc::clone(&self.in_flight));
        async move {
            // A task of its own: if the SDK drops this future, half a line must not remain in the output.
            let written = match write_soon(&output, outgoing) {
                Some(writing) => writing.await.map_err(io::Error::other)?,
                None => Ok(()),
            };
            if let Some(id) = answered {
                lock(&in_flight).remove(&id);
            }
            written
        }
    }

    /// Returns the next message; `None` at the end of the input. If the future is dropped, nothing that was read is lost.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(rejection) = &mut self.rejection {
                let written = rejection.await;
                self.rejection = None;
                written.ok()?.ok()?;
            }
            if self.place.is_none() {
                // While there is no place, the next calls wait in the pipe.
                self.place = Some(Arc::clone(&self.places).acquire_owned().await.ok()?);
            }
            if let Some(message) = self.unpacked.pop_front() {
                self.note_received(&message);
                return Some(message);
            }
            let read = match self.lines.next().await? {
                Line::Whole(bytes) => message::read(bytes, lock(&self.batches).are_allowed),
                Line::TooLong { id, limit_bytes } => Err(Rejected::too_long(id, limit_bytes)),
            };
            match read {
                Ok(Received::Message(message)) => {
                    self.note_received(&message);
                    return Some(*message);
                }
                Ok(Received::Batch(messages)) => self.unpack(messages),
                Ok(Received::Nothing) => {}
                Err(rejected) => self.reject(rejected),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        *self.output.lock().await = None;
        Ok(())
    }
}

/// Writes what is to be written as a line, in a task of its own; `None` if that is nothing.
fn write_soon<W>(output: &Arc<Mutex<Option<W>>>, outgoing: Outgoing) -> Option<JoinHandle<io::Result<()>>>
where
    W: AsyncWrite + Unpin + Send + 'static,
{
    let line = match outgoing {
        Outgoing::Message(message) => serde_json::to_vec(&message),
        Outgoing::Batch(messages) => serde_json::to_vec(&messages),
        Outgoing::Nothing => return None,
    };
    Some(tokio::spawn(write(Arc::clone(output), line)))
}

async fn write<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<Option<W>>>,
    line: serde_json::Result<Vec<u8>>,
) -> io::Result<()> {
    let mut line = line?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.write_all(&line).await?;
    output.flush().await
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use serde_json::{Value, json};
    use tokio::io::AsyncReadExt as _;

    use super::*;

    /// A client's ends of the pipes of a transport.
    struct Client {
        input: tokio::io::DuplexStream,
        output: tokio::io::DuplexStream,
        transport: LineTransport<tokio::io::DuplexStream, tokio::io::DuplexStream>,
    }

    fn client(settings: &McpSettings) -> Client {
        let (input, from_client) = tokio::io::duplex(1 << 16);
        let (to_client, output) = tokio::io::duplex(1 << 16);
        Client { input, output, transport: LineTransport::new(from_client, to_client, settings) }
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(work)
    }

    /// Sends lines, closes the input, and returns the ids of the messages that were received and the lines that were written.
    fn check(settings: &McpSettings, lines: &[u8]) -> (Vec<Value>, Vec<Value>) {
        block_on(async {
            let Client { mut input, mut output, mut transport } = client(settings);
            let sending = async move {
                input.write_all(lines).await.expect("the transport reads");
                drop(input);
            };
            let receiving = async move {
                let mut ids = Vec::new();
                while let Some(message) = transport.receive().await {
                    ids.push(serde_json::to_value(&message).expect("plain data")["id"].clone());
                }
                transport.close().await.expect("it closes");
                ids
            };
            let reading = async move {
                let mut text = String::new();
                output.read_to_string(&mut text).await.expect("UTF-8");
                text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
            };
            let ((), ids, answers) = tokio::join!(sending, receiving, reading);
            (ids, answers)
        })
    }

    #[test]
    fn every_line_is_a_message_or_gets_an_error() {
        let good = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
        let (ids, answers) = check(&McpSettings::default(), format!("garbage\n\r\n\n{good}\n[1]\n").as_bytes());
        assert_eq!(ids, [json!(1)]);
        let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["code"].clone()).collect();
        assert_eq!(codes, [json!(-32700), json!(-32600)]);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_with_its_id_and_the_next_one_is_read() {
        let settings = McpSettings { message_bytes: 100, ..McpSettings::default() };
        let long =
            json!({"method": "ping", "params": {"x": "y".repeat(200_000), "id": 3}, "jsonrpc": "2.0", "id": "a"});
        let next = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
        let (ids, answers) = check(&settings, format!("{long}\n{next}\n").as_bytes());
        assert_eq!(ids, [json!(2)]);
        assert_eq!((&answers[0]["id"], &answers[0]["error"]["code"]), (&json!("a"), &json!(-32602)));
        let message = answers[0]["error"]["message"].as_str().expect("a text");
        assert!(message.contains("100") && message.contains("mcp.message_bytes"), "{message}");
    }

    #[test]
    fn the_answers_of_a_batch_are_one_line() {
        block_on(async {
            let Client { mut input, mut output, mut transport } = client(&McpSettings::default());
            lock(&transport.batches).are_allowed = true;
            let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}});
            let batch = json!([ping(1), ping(2), {"jsonrpc": "2.0", "id": 3}, ping(4)]);
            input.write_all(format!("{batch}\n{cancel}\n[]\n").as_bytes()).await.expect("room");
            let answer = |id: i64| {
                let error = ErrorData::internal_error("an answer", None);
                TxJsonRpcMessage::<RoleServer>::error(error, Some(RequestId::Number(id)))
            };
            for _ in 0..3 {
                transport.receive().await.expect("a call of the batch");
            }
            transport.send(answer(4)).await.expect("the client is there");
            transport.receive().await.expect("the cancellation");
            transport.send(answer(1)).await.expect("the client is there");
            drop(input);
            assert!(transport.receive().await.is_none(), "an empty batch is refused");
            transport.close().await.expect("it closes");
            drop(transport);
            let mut text = String::new();
            output.read_to_string(&mut text).await.expect("UTF-8");
            let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            let mut ids: Vec<_> =
                lines[0].as_array().expect("a batch").iter().map(|answer| answer["id"].as_i64()).collect();
            ids.sort_unstable();
            assert_eq!(ids, [Some(1), Some(3), Some(4)]);
            assert_eq!((lines.len(), &lines[1]["error"]["code"]), (2, &json!(-32600)));
        });
    }

    #[test]
    fn a_call_waits_in_the_pipe_until_one_is_answered_or_cancelled() {
        block_on(async {
            let settings = McpSettings { calls: NonZero::<usize>::MIN, ..McpSettings::default() };
            let Client { mut input, output: _output, mut transport } = client(&settings);
            let call = |id: u32| format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
            input.write_all((call(1) + &call(2)).as_bytes()).await.expect("room");
            assert!(transport.receive().await.is_some());
            let waits = tokio::select! {
                biased;
                _ = transport.receive() => false,
                () = tokio::task::yield_now() => true,
            };
            assert!(waits);
            let answer = TxJsonRpcMessage::<RoleServer>::error(
                ErrorData::internal_error("an answer", None),
                Some(RequestId::Number(1)),
            );
            transport.send(answer).await.expect("the client is there");
            let second = transport.receive().await.expect("the second call");
            assert_eq!(serde_json::to_value(&second).expect("plain data")["id"], 2);
        });
    }
}
