//! What a store makes of the errors of its server.

use std::time::{Duration, Instant};

use recall_shared::{Qdrant, QdrantSettings, SharedStore as _, StoreError, publish};
use recall_testkit::FailureMoment;
use tonic::Code;

use super::{server, settings, store_at};
use crate::suite::corpus::{Corpus, branch, model};

#[test]
fn a_status_is_a_kind_of_error() {
    let server = server();
    let store = store_at(server.address(), "team");
    publish(&store, &branch("team/a", "main"), Some(&model()), &Corpus::random(1, 3)).expect("it answers");
    let check = |code, expected: fn(&StoreError) -> bool, may_pass| {
        // The client repeats some by itself.
        server.fail("", 1_000, FailureMoment::Before, code);
        let failed = store.texts(&[crate::suite::corpus::chunk("w1").key]).expect_err("it fails");
        assert!(expected(&failed), "{code:?}: {failed:?}");
        assert_eq!(failed.may_pass(), may_pass, "{code:?}");
        assert!(server.heal() > 0);
    };
    for code in [Code::Unavailable, Code::Aborted, Code::Cancelled, Code::Internal, Code::Unknown] {
        check(code, |error| matches!(error, StoreError::Unreachable { .. }), true);
    }
    check(Code::DeadlineExceeded, |error| matches!(error, StoreError::Late { .. }), true);
    check(Code::NotFound, |error| matches!(error, StoreError::Empty), false);
    for code in [
        Code::InvalidArgument,
        Code::PermissionDenied,
        Code::Unauthenticated,
        Code::FailedPrecondition,
        Code::OutOfRange,
        Code::Unimplemented,
        Code::DataLoss,
        Code::ResourceExhausted,
    ] {
        check(code, |error| matches!(error, StoreError::Refused { .. }), false);
    }
}

#[test]
fn a_server_that_has_too_much_to_do_is_asked_when_it_wants() {
    let server = server();
    let store = store_at(server.address(), "team");
    publish(&store, &branch("team/a", "main"), None, &Corpus::random(1, 3)).expect("it answers");
    server.overload(1, 1);
    let failed = store.statistics(&[]).expect_err("it is refused");
    assert!(matches!(failed, StoreError::Overloaded { after, .. } if after == Duration::from_secs(1)), "{failed:?}");
    server.heal();
    server.overload(1, 1);
    let began = Instant::now();
    publish(&store, &branch("team/a", "main"), None, &Corpus::random(2, 3)).expect("it is repeated");
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
}

#[test]
fn a_late_answer_costs_the_deadline() {
    let server = server();
    let quick = QdrantSettings { deadline: Duration::from_millis(200), ..settings(server.address(), "team") };
    let store = Qdrant::new(quick).expect("a valid address");
    publish(&store, &branch("team/a", "main"), None, &Corpus::random(1, 3)).expect("it answers");
    server.delay("", 1_000, Duration::from_secs(30));
    let began = Instant::now();
    let failed = store.statistics(&[1]).expect_err("it is late");
    assert!(failed.may_pass(), "{failed:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    server.heal();
    assert_eq!(store.statistics(&[]).expect("it answers again").documents, 3);
}

#[test]
fn a_wrong_key_is_refused_and_a_right_one_is_not() {
    let server = server();
    server.require_key("right");
    let with = |key: &str| {
        let settings = QdrantSettings { key: key.to_owned(), ..settings(server.address(), "team") };
        Qdrant::new(settings).expect("a valid address").ping()
    };
    with("right").expect("it answers");
    for wrong in ["", "wrong"] {
        let failed = with(wrong).expect_err("it is refused");
        let text = format!("{failed:?}");
        assert!(matches!(failed, StoreError::Refused { .. }) && text.contains("Invalid API key"), "{text}");
        assert!(!text.contains("right") && !text.contains("\"wrong"), "{text}");
    }
}

#[test]
fn a_server_that_ignores_conditions_is_not_published_to() {
    let server = server();
    server.set_version("1.15.4");
    let store = store_at(server.address(), "team");
    let failed = store.begin(&branch("team/a", "main"), None).expect_err("it is too old");
    assert!(format!("{failed:?}").contains("1.17"), "{failed:?}");
    assert!(server.sizes().is_empty(), "nothing was created");
}

#[test]
fn nobody_at_the_address_is_unreachable() {
    let address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        format!("http://{}", listener.local_addr().expect("bound"))
    };
    let failed = store_at(address, "team").ping().expect_err("nobody answers");
    assert!(matches!(failed, StoreError::Unreachable { .. }), "{failed:?}");
}

#[test]
fn what_should_be_encrypted_is_not_sent_in_the_open() {
    let server = server();
    let store = store_at(server.address().replace("http://", "https://"), "team");
    let failed = store.statistics(&[]).expect_err("the server speaks no TLS");
    assert!(matches!(failed, StoreError::Unreachable { .. }), "{failed:?}");
    assert!(server.calls().is_empty());
}
