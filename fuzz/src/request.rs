//! Requests: any bytes decoded as each request message, and validated.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use prost::Message;
use recall_api::{Failure, InvalidRequest, convert, v1};
use recall_core::Limits;

type Check = fn(&[u8]) -> Option<InvalidRequest>;

/// A check for each request message. The first byte of an input selects one.
const CHECKS: &[Check] = &[
    |bytes| check(bytes, check_search),
    |bytes| check(bytes, |message| convert::remember::add(message).map(drop)),
    |bytes| check(bytes, |message| convert::remember::update(message).map(drop)),
    |bytes| {
        check(bytes, |message: v1::FeedbackRequest| {
            let _ = convert::remember::rated_by_path(&message);
            convert::remember::feedback(message).map(drop)
        })
    },
    |bytes| check(bytes, |message| convert::remember::verify(message).map(drop)),
    |bytes| check(bytes, |message| convert::remember::promote(message).map(drop)),
    |bytes| check(bytes, |message| convert::session::log(message).map(drop)),
    |bytes| check(bytes, |message| convert::session::start(message).map(drop)),
    |bytes| check(bytes, |message| convert::session::end(message).map(drop)),
    |bytes| check(bytes, |message| convert::session::list(message, &Limits::default()).map(drop)),
    |bytes| check(bytes, |message| convert::session::events(message, &Limits::default()).map(drop)),
    |bytes| check(bytes, |message| convert::session::briefing(message).map(drop)),
    |bytes| check(bytes, |message| check_related(&message)),
    |bytes| check(bytes, |message| graph(&message)),
    |bytes| check(bytes, |message| check_list(&message)),
    |bytes| {
        check(bytes, |message: prost_types::Timestamp| {
            let time = convert::time::from_proto(&message);
            assert_eq!(convert::time::from_proto(&convert::time::to_proto(time)), time);
            Ok(())
        })
    },
    decode::<v1::HandshakeRequest>,
    |bytes| check(bytes, |message| convert::exact::query_from_proto(message).map(drop)),
    decode::<v1::ContextRequest>,
    decode::<v1::GetRequest>,
    decode::<v1::RemoveRequest>,
    decode::<v1::IndexRequest>,
    decode::<v1::RebuildRequest>,
    decode::<v1::StatusRequest>,
    decode::<v1::DoctorRequest>,
    decode::<v1::CompactRequest>,
    decode::<v1::ExportRequest>,
    decode::<v1::ImportRequest>,
    decode::<v1::MigrateRequest>,
    decode::<v1::AuditRequest>,
    decode::<v1::ListModelsRequest>,
    decode::<v1::AddModelRequest>,
    decode::<v1::PullModelRequest>,
    decode::<v1::UseModelRequest>,
    decode::<v1::RemoveModelRequest>,
    decode::<v1::InstallRuntimeRequest>,
    decode::<v1::ConfigRequest>,
    decode::<v1::ShutdownRequest>,
];

/// The names of the fields of all messages.
static FIELDS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let files = prost_types::FileDescriptorSet::decode(v1::FILE_DESCRIPTOR_SET).expect("the built-in descriptors");
    let messages = files.file.into_iter().flat_map(|file| file.message_type);
    messages.flat_map(|message| message.field).map(|field| field.name().to_owned()).collect()
});

/// Decodes bytes as a request and validates it. The first byte selects the message.
///
/// # Panics
/// If an error does not name a field of a message, or if a valid request is another one after it is written.
pub fn request(bytes: &[u8]) {
    let [kind, message @ ..] = bytes else { return };
    let Some(invalid) = CHECKS[usize::from(*kind) % CHECKS.len()](message) else { return };
    let is_known = invalid.field.split('.').all(|name| FIELDS.contains(name));
    assert!(is_known, "no message has a field `{}`", invalid.field);
    assert!(invalid.to_string().contains(invalid.field));
    let text = invalid.to_string();
    assert!(text.len() < 1_000, "the message has {} bytes", text.len());
    let _: Failure = invalid.into();
}

/// Decodes a message and validates it. Bytes that are not that message are valid.
fn check<M: Message + Default>(
    bytes: &[u8],
    validate: impl FnOnce(M) -> Result<(), InvalidRequest>,
) -> Option<InvalidRequest> {
    validate(M::decode(bytes).ok()?).err()
}

/// Decodes a message whose fields the daemon validates itself. What is encoded again is the same message.
fn decode<M: Message + Default>(bytes: &[u8]) -> Option<InvalidRequest> {
    check(bytes, |message: M| {
        let encoded = message.encode_to_vec();
        let again = M::decode(&*encoded).expect("its own encoding");
        assert_eq!(again.encode_to_vec(), encoded);
        Ok(())
    })
}

fn check_search(message: v1::SearchRequest) -> Result<(), InvalidRequest> {
    let limits = Limits::default();
    let call = convert::search::from_proto(message, &limits)?;
    assert!((1..=limits.hits).contains(&call.request.limit) && !call.request.query.trim().is_empty());
    let written = convert::search::to_proto(&call.request, call.context.clone());
    let again = convert::search::from_proto(written, &limits).expect("a valid request");
    assert_eq!((again.request, again.context), (call.request, call.context));
    Ok(())
}

fn check_related(message: &v1::RelatedRequest) -> Result<(), InvalidRequest> {
    convert::limits::related_entries(message.limit)?;
    message.types.iter().try_for_each(|name| convert::document_type("types", name).map(drop))?;
    convert::scope::from_proto(message.scope, recall_core::Scope::All).map(drop)
}

fn graph(message: &v1::GraphRequest) -> Result<(), InvalidRequest> {
    convert::limits::graph_nodes(message.limit)?;
    convert::limits::graph_depth(message.depth)?;
    convert::relations_from_proto(&message.relations).map(drop)
}

fn check_list(message: &v1::ListRequest) -> Result<(), InvalidRequest> {
    convert::document_type("type", &message.r#type)?;
    convert::limits::offset(&message.cursor)?;
    convert::limits::list_entries(message.limit, &Limits::default())?;
    convert::scope::from_proto(message.scope, recall_core::Scope::All).map(drop)
}

/// Valid requests of every kind that is validated here.
pub fn request_seeds() -> Vec<Vec<u8>> {
    let text = str::to_owned;
    let context = Some(v1::RequestContext {
        working_directory: text("/srv/app"),
        session_id: text("s1"),
        agent: text("coder"),
        provenance: Some(v1::Provenance { git_branch: text("main"), ..v1::Provenance::default() }),
        ..v1::RequestContext::default()
    });
    let id = || text("lesson-00000001");
    let filters = Some(v1::Filters {
        types: vec![text("adr")],
        languages: vec![text("rust")],
        paths: vec![text("src/**")],
        tags: vec![text("a")],
        since: text("3d"),
        before: text("v1"),
    });
    let add = v1::AddRequest {
        context: context.clone(),
        r#type: text("lesson"),
        title: text("A title"),
        content: text("Retry twice."),
        tags: vec![text("a")],
        ..v1::AddRequest::default()
    };
    let message = |kind: u8, bytes: Vec<u8>| [&[kind][..], &bytes].concat();
    let search = v1::SearchRequest {
        context: context.clone(),
        query: text("retry"),
        filters: filters.clone(),
        limit: Some(5),
        weights: Some(v1::Weights { vector: Some(0.5), bm25: Some(1.0) }),
        min_relative_score: Some(0.5),
        without: vec![text("rerank")],
        ..v1::SearchRequest::default()
    };
    let update = v1::UpdateRequest { id: id(), content: Some(text("Thrice.")), ..Default::default() };
    let feedback = v1::FeedbackRequest { item_id: id(), feedback: 4, duplicate_of: id(), ..Default::default() };
    let verify = v1::VerifyRequest { ids: vec![id()], mode: 2, ..Default::default() };
    let promote = v1::PromoteRequest { id: id(), to: 3, domain: text("web"), ..Default::default() };
    let log = v1::LogEventRequest {
        context: context.clone(),
        r#type: text("milestone"),
        content: text("Done."),
        related_files: vec![text("src/lib.rs")],
        ..Default::default()
    };
    let start = v1::StartSessionRequest { context: context.clone(), goal: text("g"), briefing: true };
    let end = v1::EndSessionRequest { context: context.clone(), memories: vec![add.clone()], ..Default::default() };
    let list = v1::ListSessionsRequest { limit: Some(3), cursor: text("20"), state: 1, ..Default::default() };
    let events = v1::ListEventsRequest { context: context.clone(), types: vec![text("error")], ..Default::default() };
    let briefing = v1::BriefingRequest { context, budget_tokens: Some(500), goal: text("g"), subject: 1 };
    vec![
        message(0, search.encode_to_vec()),
        message(1, add.encode_to_vec()),
        message(2, update.encode_to_vec()),
        message(3, feedback.encode_to_vec()),
        message(4, verify.encode_to_vec()),
        message(5, promote.encode_to_vec()),
        message(6, log.encode_to_vec()),
        message(7, start.encode_to_vec()),
        message(8, end.encode_to_vec()),
        message(9, list.encode_to_vec()),
        message(10, events.encode_to_vec()),
        message(11, briefing.encode_to_vec()),
        message(15, prost_types::Timestamp { seconds: 1_700_000_000, nanos: 5 }.encode_to_vec()),
    ]
}
