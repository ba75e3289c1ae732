//! The lifecycle of the daemon: started on demand, one per user, replaced when outdated, and cleaned up after exit.

#![cfg(target_os = "linux")]

pub(crate) mod home;
mod old;
mod reach;
mod upgrade;

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_client::{Client, ConnectError, Launch, daemon};
use recall_testkit::wait_until;
use rustix::process::Signal;

use home::{Home, send_signal};

#[tokio::test(flavor = "multi_thread")]
async fn twenty_clients_at_once_start_one_daemon() {
    let home = Home::new(&[]);
    let clients: Vec<_> = (0..20).map(|_| tokio::spawn(home.connect(Launch::IfNeeded))).collect();
    let mut pids = Vec::new();
    for client in clients {
        pids.push(client.await.expect("no panic").expect("a daemon answers").daemon().pid);
    }
    pids.dedup();
    assert_eq!(pids.len(), 1, "all reached the same daemon: {pids:?}");
    wait_until("the others to give way", || (home.processes() == [pids[0].cast_signed()]).then_some(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_twenty_daemons_started_at_once_one_stays() {
    let home = Home::new(&[]);
    let mut daemons: Vec<_> =
        (0..20).map(|_| home.daemon(&[]).stderr(Stdio::piped()).spawn().expect("the program runs")).collect();
    wait_until("nineteen to end", || {
        let ended = daemons.iter_mut().filter_map(|daemon| daemon.try_wait().expect("ours")).count();
        (ended == 19).then_some(())
    });
    let winner = home.connect(Launch::Never).await.expect("one stays").daemon().pid;
    for daemon in daemons.iter_mut().filter(|daemon| daemon.id() != winner) {
        let mut said = String::new();
        daemon.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
        assert_eq!((daemon.wait().expect("ours").code(), said.as_str()), (Some(0), ""));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_daemon_is_replaced_at_once() {
    let home = Home::new(&[]);
    for _ in 0..5 {
        let first = home.connect(Launch::IfNeeded).await.expect("a daemon answers").daemon().pid;
        send_signal(first, Signal::KILL);
        let began = Instant::now();
        let second = home.connect(Launch::IfNeeded).await.expect("a daemon answers").daemon().pid;
        assert_ne!(first, second);
        // A second on an idle machine; a loaded one may take longer.
        assert!(began.elapsed() < Duration::from_secs(20), "it took {:?}", began.elapsed());
    }
    assert_eq!(home.processes().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_client_reaches_the_next_daemon_through_its_old_connection() {
    let home = Home::new(&[]);
    let client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    send_signal(client.daemon().pid, Signal::KILL);
    home.connect(Launch::IfNeeded).await.expect("another daemon answers");
    let status = client.status(v1::StatusRequest::default());
    let status = match status.await {
        // The first call may fail because the old connection is broken.
        Err(_) => client.status(v1::StatusRequest::default()).await,
        answered => answered,
    };
    let pid = status.expect("the connection was made again").daemon.expect("always reported").pid;
    assert_ne!(pid, client.daemon().pid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_daemon_leaves_nothing_behind() {
    let home = Home::new(&[]);
    let ours = format!("recall-private-{}-", std::process::id());
    let folders = || {
        let entries = std::fs::read_dir(std::env::temp_dir()).expect("it is there").flatten();
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&ours)).count()
    };
    let client = home.connect(Launch::Private).await.expect("it answers");
    assert_eq!(home.processes(), [client.daemon().pid.cast_signed()]);
    let status = client.status(v1::StatusRequest::default()).await.expect("it answers");
    let daemon_status = status.daemon.expect("always reported");
    assert!(daemon_status.private && !daemon_status.auto_started);
    assert!(!home.dirs().socket().exists(), "the shared socket is not its business");

    let copy = client.clone();
    assert_eq!(folders(), 1);
    drop(client);
    assert_eq!(home.processes().len(), 1, "it lives as long as somebody has the connection");
    drop(copy);
    assert_eq!((home.processes().len(), folders()), (0, 0));
}

#[test]
fn a_private_daemon_ends_with_its_owner() {
    let home = Home::new(&[]);
    let runtime = home.path().join("private");
    let mut daemon = home
        .daemon(&["--private", "--runtime", runtime.to_str().expect("plain")])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let socket = runtime.join("recalld.sock");
    wait_until("it to listen", || UnixStream::connect(&socket).ok());
    drop(daemon.stdin.take());
    assert!(daemon.wait().expect("ours").success());
    assert!(!runtime.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_daemon_shuts_down_cleanly_with_connected_clients() {
    let home = Home::new(&[]);
    let client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let began = Instant::now();
    send_signal(client.daemon().pid, Signal::TERM);
    wait_until("it to end", || home.processes().is_empty().then_some(()));
    assert!(began.elapsed() < Duration::from_secs(20), "it took {:?}", began.elapsed());
    assert!(!home.dirs().socket().exists());
    wait_until("its lock to be free", || (!daemon::is_running(&home.dirs())).then_some(()));
    let log = home.log();
    assert!(log.contains("\"reason\":\"SIGTERM\"") && log.contains("\"finished\":true"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_hangs_does_not_block_the_shutdown() {
    let home = Home::new(&[("RECALL_DAEMON__DRAIN", "1s")]);
    let client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let _silent = UnixStream::connect(home.dirs().socket()).expect("it listens");
    let mut halfway = UnixStream::connect(home.dirs().socket()).expect("it listens");
    halfway.write_all(b"PRI * HTTP/2.0\r\n\r\n").expect("it reads");
    send_signal(client.daemon().pid, Signal::TERM);
    let began = Instant::now();
    wait_until("it to end", || home.processes().is_empty().then_some(()));
    assert!(began.elapsed() < Duration::from_secs(4), "it took {:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_waits_for_the_end_of_the_daemon() {
    let home = Home::new(&[]);
    let dirs = home.dirs();
    let pid = home.connect(Launch::IfNeeded).await.expect("a daemon answers").daemon().pid;
    let deadline = Duration::from_secs(30);
    let stopped = daemon::stop(&dirs, "stop", deadline).await.expect("it obeys");
    assert_eq!(stopped, daemon::Stopped::Ended { pid, by: daemon::StopMethod::Request });
    assert!(!daemon::is_running(&dirs));
    let again = daemon::stop(&dirs, "stop", deadline).await.expect("there is none");
    assert_eq!(again, daemon::Stopped::NotRunning);
    assert!(matches!(home.connect(Launch::Never).await, Err(ConnectError::NotRunning { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_started_by_a_client_ends_when_idle() {
    let home = Home::new(&[("RECALL_DAEMON__IDLE_EXIT", "1s")]);
    let client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    assert!(client.daemon().auto_started);
    drop(client);
    wait_until("it to end", || home.processes().is_empty().then_some(()));
    assert!(home.log().contains("\"reason\":\"idle\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_socket_is_private() {
    let home = Home::new(&[]);
    let _client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let dirs = home.dirs();
    assert_eq!((mode(&dirs.runtime), mode(&dirs.socket()), mode(&dirs.lock())), (0o700, 0o600, 0o600));
    assert_eq!(mode(&daemon::log_file(&dirs)), 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        // Only root can switch to another user. The decision itself has unit tests.
        return;
    }
    let home = Home::new(&[]);
    let client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    // Remove all other protections, so that only the daemon's own check is left.
    for (path, mode) in [(home.path().to_owned(), 0o755), (home.dirs().runtime, 0o755), (home.dirs().socket(), 0o666)] {
        open_up(&path, mode);
    }
    open_up(home.dirs().runtime.parent().expect("below the home"), 0o755);
    let socket = home.dirs().socket();
    let heard = std::thread::spawn(move || {
        // On Linux, credentials belong to a thread, and this one is not used for anything else.
        rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65534)).expect("root may become anybody");
        let mut stream = UnixStream::connect(socket).expect("all fences are down");
        let mut answer = Vec::new();
        // A refused peer finds the connection closed, before or after its first bytes.
        let _ = stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0");
        let _ = stream.read_to_end(&mut answer);
        answer
    });
    assert_eq!(heard.join().expect("no panic"), b"");
    wait_until("the refusal to be logged", || home.log().contains("another user").then_some(()));
    client.status(v1::StatusRequest::default()).await.expect("its own user is still served");
}

fn open_up(path: &std::path::Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_too_many_replaces_the_one_that_is_idle_longest() {
    let home = Home::new(&[("RECALL_DAEMON__MAX_CONNECTIONS", "2")]);
    let first = home.connect_persistently().await.expect("a daemon answers");
    let second = home.connect_persistently().await.expect("there is a place");
    let third = home.connect_persistently().await.expect("a place is made");
    wait_until("the first one to lose its place", || home.log().contains("idle longest").then_some(()));
    for client in [&third, &second, &first] {
        let answer = client.status(v1::StatusRequest::default()).await;
        answer.expect("a client whose connection was closed connects again");
    }
    assert_eq!(home.processes().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_cannot_start_reports_the_reason() {
    let home = Home::new(&[("RECALL_DAEMON__DRAIN", "soon")]);
    match home.connect(Launch::IfNeeded).await {
        Err(ConnectError::StartFailed { message, log, .. }) => {
            assert!(message.contains("RECALL_DAEMON__DRAIN"), "{message}");
            let reported = std::fs::read_to_string(log).expect("the log is there");
            assert!(reported.contains("cannot start"), "{reported}");
        }
        other => panic!("its configuration is wrong: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_and_their_text_is_not_logged() {
    let home = Home::new(&[("RECALL_DAEMON__LOG_LEVEL", "debug")]);
    let client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let project = home.project(&[("src/lib.rs", "pub fn xylophone_quartet() {}\n")]);
    let context = v1::RequestContext {
        working_directory: project.to_string_lossy().into_owned(),
        ..v1::RequestContext::default()
    };
    let query = "xylophone_quartet".to_owned();
    let search = v1::SearchRequest { context: Some(context), query, ..v1::SearchRequest::default() };
    let answer = client.search(search).await.expect("it searches");
    assert_eq!(answer.results[0].doc.as_ref().expect("always reported").path, "src/lib.rs");

    let status = client.status(v1::StatusRequest { metrics: true, ..v1::StatusRequest::default() });
    let status = status.await.expect("it answers");
    let of_search = status.latencies.iter().find(|latency| latency.name == "rpc.Search").expect("it was called");
    assert_eq!(of_search.count, 1);
    assert!(of_search.max_ms > 0.0 && of_search.p50_ms <= of_search.max_ms);
    let log = home.log();
    assert!(log.contains("\"rpc\":\"Search\""), "{log}");
    assert!(!log.contains("xylophone"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn health_is_reported_by_the_standard_service() {
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_check_response::ServingStatus;
    use tonic_health::pb::health_client::HealthClient;

    let home = Home::new(&[]);
    let _client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let mut health = HealthClient::new(home.channel().await);
    for service in ["", "recall.v1.Recall"] {
        let request = HealthCheckRequest { service: service.to_owned() };
        let answer = health.check(request).await.expect("it is known").into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_starts_and_stops_leave_no_process() {
    let home = Home::new(&[]);
    for cycle in 0..10 {
        let client: Client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
        match cycle % 3 {
            0 => send_signal(client.daemon().pid, Signal::KILL),
            1 => send_signal(client.daemon().pid, Signal::TERM),
            _ => {
                daemon::stop(&home.dirs(), "stop", Duration::from_secs(30)).await.expect("it obeys");
            }
        }
        assert!(home.processes().len() <= 1);
    }
    wait_until("the last one to end", || home.processes().is_empty().then_some(()));
}
