//! The clients of calls, the limit on connections, and the eviction of idle ones.
//!
//! A connection that makes no call in time is closed. If all places are taken, the connection that has been idle longest is
//! closed to admit the next; its client connects again at its next call. While every connection has a call in flight, the
//! next one waits in the backlog of the socket.
//!
//! The daemon sends no HTTP/2 pings: the system closes a local connection with its process, and a process that is only
//! stopped, for example by a suspended terminal, keeps its session.

use std::collections::HashMap;
use std::io;
use std::num::NonZero;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Frame, SizeHint};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::codegen::http::{Request, Response};

use crate::middleware::{Middleware, Next};
use crate::unread::Unread;

/// How long a connection must have been without a call before it may be evicted. Commands and agents that make several
/// calls pause for less than that between them.
const LULL: Duration = Duration::from_secs(1);

/// How often a waiting connection checks for an idle one.
const RETRY: Duration = Duration::from_millis(20);

/// The places for connections.
#[derive(Debug)]
pub(crate) struct Places {
    most: NonZero<usize>,
    handshake: Duration,
    stop: CancellationToken,
    taken: Mutex<HashMap<ClientId, Occupant>>,
    freed: Notify,
}

/// A connection that has a place.
#[derive(Debug)]
struct Occupant {
    calls: usize,
    speech: Speech,
    /// When it connected, or when its last call ended.
    idle_since: Instant,
    /// Cancelled when another connection gets its place.
    evicted: CancellationToken,
}

/// Whether a connection has made a call. Those that have not are evicted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Speech {
    Silent,
    HasCalled,
}

impl Places {
    /// Creates places for `most` connections. Each must make its first call within `handshake`; connections without a call are
    /// closed at once when `stop` is cancelled.
    pub(crate) fn new(most: NonZero<usize>, handshake: Duration, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self { most, handshake, stop, taken: Mutex::default(), freed: Notify::new() })
    }

    /// Waits for a place for a connection.
    pub(crate) async fn enter(self: &Arc<Self>, client: ClientId) -> Place {
        loop {
            let freed = self.freed.notified();
            if let Some(place) = self.try_enter(client) {
                return place;
            }
            tokio::select! {
                () = freed => {}
                () = sleep(RETRY) => {}
            }
        }
    }

    fn try_enter(self: &Arc<Self>, client: ClientId) -> Option<Place> {
        let now = Instant::now();
        let mut taken = self.lock_occupants();
        if taken.len() >= self.most.get() {
            let idle = taken.iter().filter(|(_, occupant)| occupant.is_idle(now));
            let (&longest, _) = idle.min_by_key(|(_, occupant)| (occupant.speech, occupant.idle_since))?;
            let occupant = taken.remove(&longest)?;
            tracing::info!(speech = ?occupant.speech, "closed the connection that was idle longest for another one");
            occupant.evicted.cancel();
        }
        let evicted = CancellationToken::new();
        let occupant = Occupant { calls: 0, speech: Speech::Silent, idle_since: now, evicted: evicted.clone() };
        taken.insert(client, occupant);
        drop(taken);
        let ended = Box::pin(wait_until_free(Arc::clone(self), client, now + self.handshake, evicted));
        Some(Place { client, places: Arc::clone(self), ended, has_ended: false, has_read: false })
    }

    /// Counts a call of a connection until the returned value is dropped.
    pub(crate) fn call(self: &Arc<Self>, client: ClientId) -> Call {
        if let Some(occupant) = self.lock_occupants().get_mut(&client) {
            occupant.calls += 1;
            occupant.speech = Speech::HasCalled;
        }
        Call { client, places: Arc::clone(self) }
    }

    fn is_silent(&self, client: ClientId) -> bool {
        self.lock_occupants().get(&client).is_some_and(|occupant| occupant.speech == Speech::Silent)
    }

    fn lock_occupants(&self) -> MutexGuard<'_, HashMap<ClientId, Occupant>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Occupant {
    fn is_idle(&self, now: Instant) -> bool {
        self.calls == 0 && now.saturating_duration_since(self.idle_since) >= LULL
    }
}

/// Completes when the connection must be closed.
async fn wait_until_free(places: Arc<Places>, client: ClientId, deadline: Instant, evicted: CancellationToken) {
    let silent = async {
        tokio::select! {
            () = places.stop.cancelled() => {}
            () = sleep_until(deadline) => {}
        }
        if !places.is_silent(client) {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = evicted.cancelled() => {}
        () = silent => tracing::info!("closed a connection that made no call in time"),
    }
}

/// The place of one connection; dropping it frees the place.
pub(crate) struct Place {
    client: ClientId,
    places: Arc<Places>,
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
    has_ended: bool,
    /// Whether input was read that the transport may not have parsed yet.
    has_read: bool,
}

impl Place {
    /// Passes on the result of a read, or reports the end of the stream, as if the client had closed its side, if the connection
    /// must be closed.
    pub(crate) fn watch(&mut self, cx: &mut Context<'_>, read: Poll<io::Result<()>>) -> Poll<io::Result<()>> {
        if read.is_ready() {
            self.has_read = true;
            return read;
        }
        if std::mem::take(&mut self.has_read) && self.places.is_silent(self.client) {
            // The first call may be in the input just read: the transport must parse it before the deadline counts.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if !self.has_ended && self.ended.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.has_ended = true;
        Poll::Ready(Ok(()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock_occupants().remove(&self.client);
        self.places.freed.notify_one();
    }
}

/// A call in flight.
#[derive(Debug)]
pub(crate) struct Call {
    client: ClientId,
    places: Arc<Places>,
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(occupant) = self.places.lock_occupants().get_mut(&self.client) {
            occupant.calls -= 1;
            occupant.idle_since = Instant::now();
        }
    }
}

/// Counts each call for its connection, until the body of its answer is dropped.
impl Middleware for Arc<Places> {
    fn answer<S: Next>(
        self,
        request: Request<Body>,
        mut next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static {
        let client = request.extensions().get::<Caller>().expect("every connection has one").client;
        let call = self.call(client);
        let answer = next.call(request);
        async move { Ok(answer.await?.map(|body| Body::new(Counted { body, _call: call }))) }
    }
}

/// The body of an answer. Its call counts as in flight until it is dropped.
struct Counted {
    body: Body,
    _call: Call,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The id of a connection, unique in the lifetime of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientId(pub(crate) u64);

/// The client of a call.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The id of its connection.
    pub(crate) client: ClientId,
    /// The answers that it has not read yet.
    pub(crate) unread: Unread,
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use crate::activity::{Activity, Presence};

    const HANDSHAKE: Duration = Duration::from_secs(5);

    fn places(most: usize) -> Arc<Places> {
        Places::new(NonZero::new(most).expect("not 0"), HANDSHAKE, CancellationToken::new())
    }

    async fn enter(places: &Arc<Places>, activity: &Activity) -> (Presence, Place) {
        let presence = activity.enter();
        let place = places.enter(presence.client()).await;
        (presence, place)
    }

    /// Returns whether the connection is closed if it sends nothing more.
    fn is_closed(place: &mut Place) -> bool {
        std::future::poll_fn(|cx| place.watch(cx, Poll::Pending)).now_or_never().is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_call_in_time_is_closed() {
        let (places, activity) = (places(9), Activity::default());
        let (_, mut silent) = enter(&places, &activity).await;
        let (caller, mut calling) = enter(&places, &activity).await;
        drop(places.call(caller.client()));
        sleep(HANDSHAKE.saturating_sub(Duration::from_millis(1))).await;
        assert!(!is_closed(&mut silent));
        sleep(Duration::from_millis(2)).await;
        assert!(is_closed(&mut silent) && is_closed(&mut silent));
        assert!(!is_closed(&mut calling));
        sleep(Duration::from_hours(9)).await;
        assert!(!is_closed(&mut calling), "a session may be idle for hours");
    }

    #[tokio::test(start_paused = true)]
    async fn silent_connections_are_closed_when_the_daemon_ends() {
        let (places, activity) = (places(9), Activity::default());
        let (_, mut silent) = enter(&places, &activity).await;
        let (caller, mut calling) = enter(&places, &activity).await;
        let call = places.call(caller.client());
        places.stop.cancel();
        assert!(is_closed(&mut silent));
        assert!(!is_closed(&mut calling), "its answer is waited for");
        drop(call);
    }

    #[tokio::test(start_paused = true)]
    async fn input_is_parsed_before_the_deadline_counts() {
        let (places, activity) = (places(9), Activity::default());
        let (client, mut place) = enter(&places, &activity).await;
        sleep(2 * HANDSHAKE).await;
        let read = std::future::poll_fn(|cx| place.watch(cx, Poll::Ready(Ok(()))));
        assert!(read.now_or_never().is_some());
        assert!(!is_closed(&mut place), "the call in it comes first");
        drop(places.call(client.client()));
        assert!(!is_closed(&mut place));
    }

    #[tokio::test(start_paused = true)]
    async fn silent_connections_are_evicted_first_then_the_longest_idle() {
        let (places, activity) = (places(3), Activity::default());
        let (first, mut oldest) = enter(&places, &activity).await;
        drop(places.call(first.client()));
        let (second, mut busy) = enter(&places, &activity).await;
        let call = places.call(second.client());
        sleep(LULL).await;
        let (_, mut silent) = enter(&places, &activity).await;
        sleep(LULL).await;

        let (third, mut newer) = enter(&places, &activity).await;
        drop(places.call(third.client()));
        assert!(is_closed(&mut silent) && !is_closed(&mut oldest) && !is_closed(&mut busy));
        let (_, _newest) = enter(&places, &activity).await;
        assert!(is_closed(&mut oldest) && !is_closed(&mut busy) && !is_closed(&mut newer));
        drop(call);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_waits_for_the_first_free_or_idle_place() {
        let (places, activity) = (places(2), Activity::default());
        let (first, place) = enter(&places, &activity).await;
        let call = places.call(first.client());
        let (second, _other) = enter(&places, &activity).await;
        let other_call = places.call(second.client());
        let began = Instant::now();
        let ((), ()) = tokio::join!(async { drop(enter(&places, &activity).await) }, async {
            sleep(Duration::from_secs(7)).await;
            drop((call, place));
        });
        assert_eq!(began.elapsed().as_secs(), 7, "it was free at once");

        let (third, _place) = enter(&places, &activity).await;
        let _call = places.call(third.client());
        drop(other_call);
        let began = Instant::now();
        enter(&places, &activity).await;
        assert!((LULL..2 * LULL).contains(&began.elapsed()), "after {:?}", began.elapsed());
    }
}
