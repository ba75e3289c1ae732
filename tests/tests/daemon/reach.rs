//! A daemon whose files are deleted, whose connections are used up, or that hangs: it stays reachable or is stopped.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_client::daemon::{self, StopMethod, Stopped};
use recall_client::{Client, ConnectError, Launch, Unreached};
use recall_testkit::{Running, wait_until};
use recall_tests::{Sandbox, sandbox};
use rustix::process::Signal;

use super::home::{Home, send_signal};

/// The connection limit of a daemon whose connections are used up.
const CONNECTIONS: usize = 64;

type Deletion<'a> = &'a dyn Fn() -> std::io::Result<()>;

/// Returns the process id of the daemon that a client reaches without starting one.
async fn pid(home: &Home) -> u32 {
    home.connect(Launch::Never).await.expect("the daemon is reached").daemon().pid
}

async fn first_pid(home: &Home) -> u32 {
    home.connect(Launch::IfNeeded).await.expect("a daemon answers").daemon().pid
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_whose_files_are_deleted_stays_reachable() {
    let home = Home::new(&[]);
    let dirs = home.dirs();
    let first = first_pid(&home).await;
    let deletions: [Deletion<'_>; 4] = [
        &|| fs::remove_file(dirs.socket()),
        &|| fs::remove_file(dirs.lock()),
        &|| fs::remove_file(dirs.data_lock()),
        &|| fs::remove_dir_all(&dirs.runtime),
    ];
    for (number, delete) in deletions.iter().enumerate() {
        delete().expect("there");
        let reached = home.connect(Launch::IfNeeded).await.expect("it is reached").daemon().pid;
        assert_eq!((reached, home.processes()), (first, vec![first.cast_signed()]), "deletion {number}");
        // The daemon is still reachable and notices the deletion at its next check.
        wait_until("everything to be back", || {
            let held = |lock| fs::File::open(lock).is_ok_and(|lock| lock.try_lock_shared().is_err());
            (held(dirs.lock()) && held(dirs.data_lock())).then_some(())
        });
    }
    // No request triggers the check; the daemon makes it at an interval.
    fs::remove_dir_all(&dirs.runtime).expect("there");
    wait_until("the socket to be back", || UnixStream::connect(dirs.socket()).ok());
    let mode = |path: &std::path::Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&dirs.runtime), mode(&dirs.socket()), mode(&dirs.lock())), (0o700, 0o600, 0o600));
    assert_eq!(mode(&dirs.data_lock()), 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_daemons_without_locks_one_ends_and_keeps_the_socket_of_the_other() {
    let home = Home::new(&[("RECALL_DAEMON__SOCKET_CHECK", "10m")]);
    let dirs = home.dirs();
    let first = first_pid(&home).await;
    fs::remove_dir_all(&dirs.runtime).expect("there");
    fs::remove_file(dirs.data_lock()).expect("there");
    let second = first_pid(&home).await;
    assert_ne!(first, second, "nothing is left of the first one but its process");
    send_signal(first, Signal::HUP);
    wait_until("the first one to end", || (home.processes() == [second.cast_signed()]).then_some(()));
    assert_eq!(pid(&home).await, second, "its socket is in place");
    assert!(home.log().contains("has lost its place"), "{}", home.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_of_another_runtime_folder_is_found_and_no_second_one_is_started() {
    let home = Home::new(&[]);
    let elsewhere = home.path().join("elsewhere");
    let mut first = home
        .daemon(&["--foreground", "--runtime", elsewhere.to_str().expect("plain")])
        .spawn()
        .expect("the program runs");
    wait_until("it to listen", || UnixStream::connect(elsewhere.join("recalld.sock")).ok());
    assert_eq!(first_pid(&home).await, first.id());
    assert_eq!(home.processes(), [first.id().cast_signed()]);
    first.kill().expect("ours");
    first.wait().expect("ours");
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_are_closed_and_do_not_block_others() {
    let most = CONNECTIONS.to_string();
    let home = Home::new(&[("RECALL_DAEMON__HANDSHAKE_TIMEOUT", "3s"), ("RECALL_DAEMON__MAX_CONNECTIONS", &most)]);
    let idle = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let first = idle.daemon().pid;
    let mut silent = Vec::new();
    for greeting in [b"".as_slice(), b"PRI * HTTP/2.0\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"]
    {
        for _ in 0..CONNECTIONS {
            let mut stream = UnixStream::connect(home.dirs().socket()).expect("it listens");
            // The daemon may have closed it in favour of the next one.
            let _ = stream.write_all(greeting);
            silent.push(stream);
        }
        assert_eq!(pid(&home).await, first);
    }
    for stream in &mut silent {
        stream.set_read_timeout(Some(recall_testkit::DEADLINE)).expect("a socket");
        let mut said = Vec::new();
        match stream.read_to_end(&mut said) {
            Ok(_) => {}
            // It was closed with unread data.
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "it is closed in time"),
        }
    }
    idle.status(v1::StatusRequest::default()).await.expect("a client that has called may stay");
    assert_eq!(home.processes(), [first.cast_signed()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_hangs_is_reported_and_twenty_clients_start_no_other() {
    let home = Home::new(&[]);
    let first = first_pid(&home).await;
    send_signal(first, Signal::STOP);
    fs::remove_file(home.dirs().socket()).expect("there");
    let clients: Vec<_> =
        (0..20).map(|_| tokio::spawn(home.connect_within(Launch::IfNeeded, Duration::from_secs(2)))).collect();
    let mut most = 0;
    wait_until("the clients to give up", || {
        most = most.max(home.processes().len());
        clients.iter().all(tokio::task::JoinHandle::is_finished).then_some(())
    });
    for client in clients {
        match client.await.expect("no panic") {
            Err(ConnectError::Unreachable { holder, why, .. }) => {
                assert_eq!((holder.pid(), why), (Some(first), Unreached::NoSocket));
            }
            other => panic!("the daemon hangs: {other:?}"),
        }
    }
    assert_eq!(most, 1, "processes");
    let stopped = daemon::stop(&home.dirs(), "stop", Duration::from_millis(100)).await.expect("it can be ended");
    assert_eq!(stopped, Stopped::Ended { pid: first, by: StopMethod::Kill });
    assert_ne!(first_pid(&home).await, first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_without_a_socket_is_shut_down_cleanly() {
    let home = Home::new(&[("RECALL_DAEMON__SOCKET_CHECK", "10m")]);
    let first = first_pid(&home).await;
    fs::remove_file(home.dirs().socket()).expect("there");
    let stopped = daemon::stop(&home.dirs(), "stop", Duration::from_secs(30)).await.expect("it can be ended");
    assert_eq!(stopped, Stopped::Ended { pid: first, by: StopMethod::Terminate });
    assert!(home.log().contains("\"finished\":true"), "{}", home.log());
}

#[test]
fn another_process_with_the_noted_id_is_not_killed() {
    let sandbox = sandbox!();
    let dirs = sandbox.dirs();
    let mut stranger = std::process::Command::new("/bin/sleep").arg("1000").spawn().expect("it runs");
    fs::create_dir_all(&dirs.data).expect("the sandbox is new");
    fs::write(dirs.data_lock(), format!("{}\nstarted 1\n", stranger.id())).expect("the sandbox is new");
    let held = fs::File::open(dirs.data_lock()).expect("there");
    held.try_lock().expect("nobody else is there");
    let project = sandbox.project("p", &[]);
    for command in ["stop", "restart"] {
        let outcome = sandbox.recall(&project, &["daemon", command]);
        assert_eq!(outcome.code, Some(4), "{outcome:?}");
        assert!(outcome.stderr.contains(&format!("kill {}", stranger.id())), "{outcome:?}");
    }
    assert!(stranger.try_wait().expect("ours").is_none(), "it still runs");
    stranger.kill().expect("ours");
    stranger.wait().expect("ours");
}

/// A hanging daemon, which the command line detects and ends.
fn hanging(sandbox: &Sandbox) -> Running {
    let daemon = sandbox.start_daemon(&["--foreground"]);
    wait_until("its note", || {
        let holder = daemon::Holder::find(&sandbox.dirs())?;
        (holder.pid() == Some(daemon.id())).then_some(())
    });
    send_signal(daemon.id(), Signal::STOP);
    daemon
}

#[test]
fn the_commands_report_a_daemon_that_hangs_and_end_it() {
    let sandbox =
        sandbox!().with_variable("RECALL_CLIENT__START_TIMEOUT", "1s").with_variable("RECALL_DAEMON__DRAIN", "100ms");
    let project = sandbox.project("p", &[("a.txt", "wombat\n")]);
    let mut first = hanging(&sandbox);
    let named = format!("pid {}", first.id());

    let status = sandbox.recall(&project, &["daemon", "status"]);
    assert_eq!(status.code, Some(3), "{status:?}");
    assert!(status.stdout.starts_with(&format!("recalld is running ({named}, since 20")), "{status:?}");
    assert!(status.stdout.contains("not reachable: it did not answer on"), "{status:?}");
    let status = sandbox.recall(&project, &["--json", "daemon", "status"]);
    let reported: serde_json::Value = serde_json::from_str(&status.stdout).expect("JSON");
    assert_eq!((&reported["running"], &reported["pid"]), (&true.into(), &first.id().into()), "{reported}");
    assert!(reported["unreachable"].is_string() && reported["since"].is_string(), "{reported}");
    let search = sandbox.recall(&project, &["search", "wombat"]);
    assert_eq!(search.code, Some(3), "{search:?}");
    assert!(search.stderr.contains(&named) && search.stderr.contains("recall daemon restart"), "{search:?}");

    let restart = sandbox.recall(&project, &["daemon", "restart"]);
    assert_eq!(restart.code, Some(0), "{restart:?}");
    assert!(restart.stderr.contains("SIGKILL") && restart.stderr.contains(&named), "{restart:?}");
    wait_until("the first one to be gone", || first.has_ended().then_some(()));
    assert_eq!(sandbox.recall(&project, &["search", "wombat"]).code, Some(0));

    let stop = sandbox.recall(&project, &["daemon", "stop"]);
    assert!(stop.code == Some(0) && stop.stdout.starts_with("recalld has ended, pid "), "{stop:?}");
    let second = hanging(&sandbox);
    let stop = sandbox.recall(&project, &["daemon", "stop"]);
    let expected = format!("recalld did not end in time and was killed with SIGKILL, pid {}\n", second.id());
    assert_eq!((stop.code, stop.stdout), (Some(0), expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_another_process_has_open_can_be_read_and_written() {
    let home = Home::new(&[]);
    let root = home.project(&[("src/burrow.rs", "pub fn wombat_burrow() {}\n")]);
    let context =
        Some(v1::RequestContext { working_directory: root.to_string_lossy().into_owned(), ..Default::default() });
    let shared = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let named = format!("pid {}", shared.daemon().pid);
    let search = async |client: &Client, query: &str| {
        let request = v1::SearchRequest { context: context.clone(), query: query.to_owned(), ..Default::default() };
        let answer = client.search(request).await.expect("an answer");
        let found = |hit: &v1::Hit| Some(format!("{} {}", hit.doc.as_ref()?.path, hit.chunk.as_ref()?.text));
        let hits: Vec<_> = answer.results.iter().filter_map(found).collect();
        let warnings: Vec<_> = answer.warnings.iter().map(|warning| warning.message.clone()).collect();
        (hits.join(" "), warnings.join(" "))
    };
    assert!(search(&shared, "wombat_burrow").await.0.contains("src/burrow.rs"));

    let private = home.connect(Launch::Private).await.expect("it starts");
    assert_ne!(private.daemon().pid, shared.daemon().pid);
    assert!(search(&private, "wombat_burrow").await.0.contains("src/burrow.rs"));
    let memory = v1::AddRequest {
        context: context.clone(),
        title: "Numbats".to_owned(),
        content: "Numbats dig at noon.".to_owned(),
        r#type: "note".to_owned(),
        ..Default::default()
    };
    private.add(memory).await.expect("it is kept");
    until("the shared daemon to look at the journals", async || {
        search(&shared, "numbats").await.0.contains("Numbats dig")
    })
    .await;

    fs::write(root.join("src/later.rs"), "pub fn quokka_later() {}\n").expect("writable");
    // If the scan takes longer than a search waits, the response reports only that.
    until("a search to say who has the index open", async || search(&private, "quokka_later").await.1.contains(&named))
        .await;
    let rebuild = v1::RebuildRequest { context: context.clone(), ..Default::default() };
    let mut events = private.rebuild(rebuild).await.expect("it begins");
    let refused = loop {
        match events.message().await {
            Ok(Some(_)) => {}
            ended => break ended.expect_err("another daemon has the index"),
        }
    };
    assert!(refused.message().contains(&named), "{refused}");

    drop(shared);
    daemon::stop(&home.dirs(), "a test", Duration::from_secs(5)).await.expect("it ends");
    until("the private daemon to index what is new", async || {
        search(&private, "quokka_later").await.0.contains("src/later.rs")
    })
    .await;
}

/// Waits until a condition holds.
async fn until(what: &str, ask: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !ask().await {
        assert!(began.elapsed() < Duration::from_mins(1), "waited for {what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_safe_to_repeat_survives_its_daemon() {
    let home = Home::new(&[]);
    let client: Client = home.connect_persistently().await.expect("a daemon answers");
    for _ in 0..3 {
        let pid = |status: v1::StatusResponse| status.daemon.expect("always reported").pid;
        let before = pid(client.status(v1::StatusRequest::default()).await.expect("an answer"));
        send_signal(before, Signal::KILL);
        let began = Instant::now();
        let after = pid(client.status(v1::StatusRequest::default()).await.expect("another daemon answers"));
        assert_ne!(before, after);
        assert!(began.elapsed() < Duration::from_secs(30), "it took {:?}", began.elapsed());
    }
}
