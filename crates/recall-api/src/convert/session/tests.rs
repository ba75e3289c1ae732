use proptest::prelude::*;
use recall_core::{Metadata, MetadataValue};

use super::*;
use crate::Reason;

fn context() -> v1::RequestContext {
    v1::RequestContext { session_id: "s1".to_owned(), ..v1::RequestContext::default() }
}

fn decision() -> v1::LogEventRequest {
    v1::LogEventRequest {
        context: Some(context()),
        r#type: "decision".to_owned(),
        content: "We retry.".to_owned(),
        ..v1::LogEventRequest::default()
    }
}

#[track_caller]
fn check<T: std::fmt::Debug>(read: Validated<T>, field: &str, reason: Reason) {
    let error = read.expect_err(field);
    assert_eq!((error.field, error.reason()), (field, reason));
}

#[test]
fn every_field_of_an_event_is_read() {
    let message =
        v1::LogEventRequest { rationale: "because".to_owned(), related_files: vec!["a.rs".to_owned()], ..decision() };
    let (_, asked) = log(message).expect("well-formed");
    assert_eq!((asked.event_type, asked.content.as_str()), (SessionEventType::Decision, "We retry."));
    assert_eq!((asked.rationale.as_deref(), asked.resolution), (Some("because"), None));
    assert_eq!(asked.provenance.session.as_deref(), Some("s1"));
}

#[test]
fn invalid_events_are_refused_with_field_and_reason() {
    let text = |length| "x".repeat(length);
    let typed = |name: &str| v1::LogEventRequest { r#type: name.to_owned(), ..decision() };
    check(log(typed("novel")), "type", Reason::InvalidArgument);
    check(log(typed("session_end")), "type", Reason::InvalidArgument);
    check(log(v1::LogEventRequest { content: " ".to_owned(), ..decision() }), "content", Reason::InvalidArgument);
    check(log(v1::LogEventRequest { content: text(MEMORY_BYTES + 1), ..decision() }), "content", Reason::LimitExceeded);
    let long = text(RECORD_TEXT_BYTES + 1);
    check(log(v1::LogEventRequest { rationale: long.clone(), ..decision() }), "rationale", Reason::LimitExceeded);
    check(log(v1::LogEventRequest { resolution: long, ..decision() }), "resolution", Reason::LimitExceeded);
    let files = vec!["a".to_owned(); MEMORY_ENTRIES + 1];
    check(log(v1::LogEventRequest { related_files: files, ..decision() }), "related_files", Reason::LimitExceeded);
    check(log(v1::LogEventRequest { context: None, ..decision() }), "context.session_id", Reason::InvalidArgument);
}

#[test]
fn metadata_have_bounds() {
    let refused = |metadata: Metadata| {
        let metadata = Some(metadata_to_proto(metadata));
        check(log(v1::LogEventRequest { metadata, ..decision() }), "metadata", Reason::LimitExceeded);
    };
    let named = |value| Metadata::from([("a".to_owned(), value)]);
    refused(named(MetadataValue::Text("x".repeat(recall_core::METADATA_BYTES))));
    refused(named(MetadataValue::List(vec![MetadataValue::Null; recall_core::METADATA_VALUES])));
    let deep = |levels| (0..levels).fold(MetadataValue::Null, |inner, _| MetadataValue::Map(named(inner)));
    refused(named(deep(recall_core::METADATA_DEPTH)));
    let most = Some(metadata_to_proto(named(deep(recall_core::METADATA_DEPTH - 1))));
    assert!(log(v1::LogEventRequest { metadata: most, ..decision() }).is_ok());
    let infinite = Some(metadata_to_proto(named(MetadataValue::Number(f64::INFINITY))));
    check(log(v1::LogEventRequest { metadata: infinite, ..decision() }), "metadata", Reason::InvalidArgument);
}

#[test]
fn requests_about_sessions_have_bounds() {
    let limits = Limits::default();
    let nobody = v1::ListEventsRequest::default();
    check(events(nobody, &limits), "session_id", Reason::InvalidArgument);
    let ours = v1::ListEventsRequest { context: Some(context()), ..v1::ListEventsRequest::default() };
    assert_eq!(events(ours.clone(), &limits).expect("well-formed").1.session, "s1");
    let other = v1::ListEventsRequest { session_id: "s2".to_owned(), ..ours.clone() };
    assert_eq!(events(other, &limits).expect("well-formed").1.session, "s2");
    check(events(v1::ListEventsRequest { limit: Some(101), ..ours.clone() }, &limits), "limit", Reason::LimitExceeded);
    check(
        events(v1::ListEventsRequest { types: vec!["x".to_owned()], ..ours.clone() }, &limits),
        "types",
        Reason::InvalidArgument,
    );
    check(events(v1::ListEventsRequest { cursor: "x".to_owned(), ..ours }, &limits), "cursor", Reason::InvalidArgument);
    check(drafts(v1::ListDraftsRequest::default()), "session_id", Reason::InvalidArgument);
    let ours = v1::ListDraftsRequest { context: Some(context()), session_id: String::new() };
    assert_eq!(drafts(ours.clone()).expect("well-formed").1, "s1");
    let other = v1::ListDraftsRequest { session_id: "s2".to_owned(), ..ours };
    assert_eq!(drafts(other).expect("well-formed").1, "s2");
    let sessions = v1::ListSessionsRequest { state: 9, ..v1::ListSessionsRequest::default() };
    check(list(sessions, &limits), "state", Reason::InvalidArgument);
    let ending = v1::EndSessionRequest { context: Some(context()), ..v1::EndSessionRequest::default() };
    check(
        end(v1::EndSessionRequest { reason: "bored".to_owned(), ..ending.clone() }),
        "reason",
        Reason::InvalidArgument,
    );
    check(
        end(v1::EndSessionRequest { context: None, ..ending.clone() }),
        "context.session_id",
        Reason::InvalidArgument,
    );
    let memories = vec![v1::AddRequest::default()];
    check(end(v1::EndSessionRequest { memories, ..ending }), "title", Reason::InvalidArgument);
    let much = v1::BriefingRequest { budget_tokens: Some(100_000), ..v1::BriefingRequest::default() };
    check(briefing(much), "budget_tokens", Reason::LimitExceeded);
}

fn value() -> impl Strategy<Value = MetadataValue> {
    let leaf = prop_oneof![
        Just(MetadataValue::Null),
        any::<bool>().prop_map(MetadataValue::Bool),
        (-1e9..1e9).prop_map(MetadataValue::Number),
        ".{0,8}".prop_map(MetadataValue::Text),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(MetadataValue::List),
            prop::collection::btree_map(".{0,4}", inner, 0..4).prop_map(MetadataValue::Map),
        ]
    })
}

proptest! {
    #[test]
    fn metadata_come_back_from_their_message(metadata in prop::collection::btree_map(".{0,4}", value(), 0..4)) {
        prop_assert_eq!(metadata_from_proto(Some(metadata_to_proto(metadata.clone()))), Ok(metadata));
    }
}
