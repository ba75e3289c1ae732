//! A newer client and an older daemon.

use std::sync::Arc;
use std::time::Duration;

use recall_api::PROTOCOLS;
use recall_api::v1::{HandshakeResponse, ProtocolRange};
use recall_client::{Client, ConnectError, ConnectOptions, KeptBecause, Launch, Replace};
use recall_testkit::wait_until;

use super::home::Home;
use super::old::Other;

/// The version of the programs under test.
const OURS: &str = env!("CARGO_PKG_VERSION");

#[tokio::test(flavor = "multi_thread")]
async fn an_older_daemon_is_shut_down_and_replaced() {
    let home = Home::new(&[]);
    let old = Other::start(&home.dirs(), "0.0.1", 1..=1);
    let client = home.connect(Launch::IfNeeded).await.expect("a new daemon answers");
    assert_eq!(client.daemon().version, env!("CARGO_PKG_VERSION"));
    assert_eq!(old.shutdowns(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_daemon_is_used_if_none_may_be_started() {
    let home = Home::new(&[]);
    let old = Other::start(&home.dirs(), "0.0.1", 1..=1);
    let client = home.connect(Launch::Never).await.expect("they speak the same protocol");
    assert_eq!((client.daemon().version.as_str(), old.shutdowns()), ("0.0.1", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_daemon_is_never_stopped() {
    let home = Home::new(&[]);
    let newer = Other::start(&home.dirs(), "99.0.0", 7..=9);
    match home.connect(Launch::IfNeeded).await {
        Err(ConnectError::Newer { version, protocols }) => {
            assert_eq!((version.as_str(), protocols), ("99.0.0", 7..=9));
        }
        other => panic!("it speaks another protocol: {other:?}"),
    }
    assert_eq!(newer.shutdowns(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_newer_clients_replace_an_older_daemon_once() {
    let home = Home::new(&[]);
    let old = Other::start(&home.dirs(), "0.0.1", PROTOCOLS);
    let clients: Vec<_> = (0..20).map(|_| tokio::spawn(home.connect(Launch::IfNeeded))).collect();
    let mut pids = Vec::new();
    for client in clients {
        let client = client.await.expect("no panic").expect("a daemon answers");
        assert_eq!((client.daemon().version.as_str(), client.older_daemon()), (OURS, None));
        pids.push(client.daemon().pid);
    }
    pids.dedup();
    assert_eq!((pids.len(), old.shutdowns()), (1, 1), "{pids:?}");
    assert_eq!(home.processes(), [pids[0].cast_signed()]);
}

/// Connects to an older daemon that must be kept, and returns why it was.
async fn kept(hello: HandshakeResponse, options: impl FnOnce(ConnectOptions) -> ConnectOptions) -> KeptBecause {
    let home = Home::new(&[]);
    let (min, max) = PROTOCOLS.into_inner();
    let protocols = Some(ProtocolRange { min, max });
    let old = Other::start_as(&home.dirs(), HandshakeResponse { protocol: max, protocols, ..hello });
    let client = Client::connect(&options(home.options())).await.expect("they share a revision");
    assert_eq!(old.shutdowns(), 0);
    assert!(home.processes().is_empty());
    client.older_daemon().expect("it is older").why
}

fn detached(version: &str) -> HandshakeResponse {
    HandshakeResponse { version: version.to_owned(), auto_started: true, ..HandshakeResponse::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_daemon_in_the_foreground_is_kept() {
    let hello = HandshakeResponse { auto_started: false, ..detached("0.0.1") };
    assert_eq!(kept(hello, |options| options).await, KeptBecause::Foreground);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_daemon_is_kept_if_the_setting_says_so() {
    let off = |options| ConnectOptions { replace: Replace::Never, ..options };
    assert_eq!(kept(detached("0.0.1"), off).await, KeptBecause::TurnedOff);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_daemon_is_kept_if_the_program_to_start_is_not_newer() {
    let newer = |options| ConnectOptions { version: "99.1.0".to_owned(), ..options };
    assert_eq!(kept(detached(OURS), newer).await, KeptBecause::NoNewerProgram);
    assert_eq!(kept(detached("99.0.0"), newer).await, KeptBecause::NoNewerProgram);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_of_unknown_version_is_kept() {
    let home = Home::new(&[]);
    let other = Other::start(&home.dirs(), "tomorrow", PROTOCOLS);
    let client = home.connect(Launch::IfNeeded).await.expect("they share a revision");
    assert_eq!((client.older_daemon(), other.shutdowns()), (None, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_restarted_by_its_manager_if_its_program_is_newer() {
    let home = Arc::new(Home::new(&[]));
    let (min, max) = PROTOCOLS.into_inner();
    let hello = HandshakeResponse {
        version: "0.0.1".to_owned(),
        protocol: max,
        protocols: Some(ProtocolRange { min, max }),
        managed: true,
        program: home.program().to_str().expect("plain").to_owned(),
        ..HandshakeResponse::default()
    };
    let old = Other::start_as(&home.dirs(), hello);
    let connecting = tokio::spawn(home.connect(Launch::IfNeeded));
    wait_until("the older daemon to end", || (old.shutdowns() == 1).then_some(()));
    let mut started = home.daemon(&["--foreground"]).spawn().expect("the program runs");
    let client = connecting.await.expect("no panic").expect("the service answers");
    assert_eq!((client.daemon().pid, client.older_daemon()), (started.id(), None));
    started.kill().expect("ours");
    started.wait().expect("ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_client_uses_a_newer_daemon() {
    let home = Home::new(&[]);
    let first = home.connect(Launch::IfNeeded).await.expect("a daemon answers").daemon().pid;
    let older = ConnectOptions { version: "0.0.1".to_owned(), ..home.options() };
    let client = Client::connect(&older).await.expect("they share a revision");
    assert_eq!((client.daemon().pid, client.older_daemon()), (first, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_finishes_its_work_before_the_next_one_starts() {
    // The old daemon takes 200 ms to end. A client with little time left still waits for it.
    let home = Home::new(&[]);
    let _old = Other::start(&home.dirs(), "0.0.1", PROTOCOLS);
    let hasty = ConnectOptions { deadline: Duration::from_millis(150), ..home.options() };
    let client = Client::connect(&hasty).await.expect("the time is extended");
    assert_eq!(client.daemon().version, OURS);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_clients_that_are_newer_than_their_daemon_replace_an_older_one_once() {
    // As after an upgrade of the clients alone: the daemon that they start is older than they are.
    let home = Home::new(&[]);
    let old = Other::start(&home.dirs(), "0.0.1", PROTOCOLS);
    let clients: Vec<_> = (0..20)
        .map(|_| {
            let options = ConnectOptions { version: "99.0.0".to_owned(), ..home.options() };
            tokio::spawn(async move { Client::connect(&options).await })
        })
        .collect();
    let mut pids = Vec::new();
    for client in clients {
        let client = client.await.expect("no panic").expect("a daemon answers");
        let older = client.older_daemon().map(|older| older.why);
        assert!(matches!(older, Some(KeptBecause::NoNewerProgram | KeptBecause::CameBack)), "{older:?}");
        pids.push(client.daemon().pid);
    }
    pids.dedup();
    assert_eq!((pids.len(), old.shutdowns()), (1, 1), "{pids:?}");
    assert_eq!(home.log().matches("\"reason\":\"upgrade\"").count(), 0, "{}", home.log());
}
