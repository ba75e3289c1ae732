//! The schema as seen by a client: no unknown fields, no wrong types.

use std::collections::BTreeMap;

use recall_api::v1;
use recall_api::v1::index_event::Event;
use recall_api::v1::transfer_event::Event as Transfer;
use serde::de::DeserializeOwned;

#[expect(clippy::struct_field_names, reason = "the names of the schema")]
mod mirror;

/// Parses serialised output; fails on a field that the mirror lacks or requires.
fn read<T: DeserializeOwned>(written: &impl serde::Serialize) -> T {
    let text = serde_json::to_string(written).expect("serialisable");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn document() -> v1::Document {
    v1::Document {
        id: "0123456789abcdef".to_owned(),
        path: "src/a.rs".to_owned(),
        mtime: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 500_000_000 }),
        r#type: "code".to_owned(),
        scope: v1::StoreScope::Project.into(),
        ..v1::Document::default()
    }
}

fn warning() -> v1::Warning {
    v1::Warning { severity: v1::Severity::Notice.into(), ..v1::Warning::default() }
}

fn memory() -> v1::Memory {
    v1::Memory {
        provenance: Some(v1::Provenance::default()),
        origin: v1::Origin::Human.into(),
        verification: Some(v1::Verification {
            state: v1::VerificationState::Changed.into(),
            broken: vec![v1::Anchor::default()],
            moved: vec![v1::MovedFile::default()],
            ..v1::Verification::default()
        }),
        stats: Some(v1::ItemStats::default()),
        ..v1::Memory::default()
    }
}

fn found() -> v1::SearchResponse {
    let hit = v1::Hit {
        doc: Some(document()),
        chunk: Some(v1::Chunk::default()),
        explain: Some(v1::Explain {
            lexical: Some(v1::Retrieved::default()),
            rerank: Some(v1::Reranked::default()),
            ..v1::Explain::default()
        }),
        highlights: vec![v1::ByteRange { start: 1, end: 2 }],
        parents: vec![v1::Parent::default()],
        memory: Some(memory()),
        parent_text: Some("whole".to_owned()),
        adopted: Some(v1::Adopted {
            trust: v1::Trust::Low.into(),
            doubts: vec![v1::Doubt::default()],
            ..v1::Adopted::default()
        }),
        ..v1::Hit::default()
    };
    let counts = BTreeMap::from([("adr".to_owned(), 2), ("code".to_owned(), 3), ("note".to_owned(), 2)]);
    let facet = v1::Facet { counts, left_out: 1 };
    v1::SearchResponse {
        query: Some(v1::QueryEcho {
            filters: Some(v1::Filters::default()),
            weights: Some(v1::Weights { bm25: Some(1.0), ..v1::Weights::default() }),
            ..v1::QueryEcho::default()
        }),
        results: vec![hit, v1::Hit { doc: Some(document()), chunk: Some(v1::Chunk::default()), ..v1::Hit::default() }],
        facets: BTreeMap::from([("type".to_owned(), facet)]),
        stats: Some(v1::SearchStats {
            stores: vec![v1::SearchedStore::default()],
            indexing: Some(v1::Indexing::default()),
            ..v1::SearchStats::default()
        }),
        warnings: vec![warning()],
        next_offset: Some(10),
        ..v1::SearchResponse::default()
    }
}

#[test]
fn a_search_is_read_with_its_schema() {
    let read: mirror::Search = read(&recall_api::json::search(&found()));
    assert!(read.ok);
    assert_eq!((read.schema_version.as_str(), read.next_offset), ("1", Some(10)));
    assert_eq!(read.stats.snapshot, "", "an empty store has no newest document");
    assert_eq!(read.query.scope, "all");
    let counts = &read.facets["type"].counts;
    let counts: Vec<_> = counts.iter().map(|count| count.value.as_str()).collect();
    assert_eq!(counts, ["code", "adr", "note"], "the most frequent first");
    let [first, second] = &read.results[..] else { panic!("two hits") };
    assert_eq!(first.doc.mtime.as_deref(), Some("2023-11-14T22:13:20.5Z"));
    assert_eq!(first.doc.language, None, "what is not known is null");
    assert!(first.explain.is_some() && second.explain.is_none());
}

#[test]
fn an_exact_search_is_read_with_its_schema() {
    let v1::SearchResponse { query, results, stats, warnings, next_offset, .. } = found();
    let message = v1::ExactResponse {
        query,
        results,
        stats,
        warnings,
        next_offset,
        total_matches: 5,
        total_lines: 4,
        total_documents: 3,
        complete: true,
        files_left_out: 2,
        ignore_case: true,
    };
    let read: mirror::Exact = read(&recall_api::json::exact(&message));
    assert_eq!((read.total_matches, read.total_lines, read.total_documents, read.files_left_out), (5, 4, 3, 2));
    assert!(read.ok && read.complete && read.ignore_case && read.results.len() == 2);
}

#[test]
fn results_about_memories_are_read_with_their_schema() {
    let similar = vec![v1::SimilarMemory::default()];
    let status = v1::AddStatus::Duplicate.into();
    let message = v1::AddResponse { similar, status, warnings: vec![warning()], ..v1::AddResponse::default() };
    let added: mirror::Added = read(&recall_api::json::add_answer(&message));
    assert_eq!((added.status.as_str(), added.similar.len()), ("duplicate", 1));
    let message = v1::UpdateResponse { memory: Some(memory()), ..v1::UpdateResponse::default() };
    let updated: mirror::Updated = read(&recall_api::json::update_answer(&message));
    assert!(updated.memory.is_some());
    let item_stats = Some(v1::ItemStats { useful: 2, ..v1::ItemStats::default() });
    let rated: mirror::Rated =
        read(&recall_api::json::feedback_answer(&v1::FeedbackResponse { acknowledged: true, item_stats }));
    assert_eq!(rated.item_stats.map(|stats| stats.useful), Some(2));
    let one = v1::VerifiedMemory { verification: memory().verification, ..v1::VerifiedMemory::default() };
    let doubts = vec![v1::Doubt::default()];
    let adopted = Some(v1::AdoptedCheck { files: 1, claims: 2, doubts, too_early: false });
    let verified: mirror::VerifiedAll =
        read(&recall_api::json::verify_answer(&v1::VerifyResponse { results: vec![one], broken: 1, adopted }));
    assert_eq!((verified.results.len(), verified.broken), (1, 1));
    assert_eq!(verified.adopted.map(|adopted| adopted.doubts.len()), Some(1));
    let scope = v1::StoreScope::Global.into();
    let promoted: mirror::Promoted =
        read(&recall_api::json::promote_answer(&v1::PromoteResponse { id: "x".to_owned(), scope }));
    assert_eq!(promoted.scope.as_deref(), Some("global"));
}

#[test]
fn findings_are_read_with_their_schema() {
    let finding = v1::Finding { severity: v1::Severity::Error.into(), fixed: true, ..v1::Finding::default() };
    let message = v1::DoctorResponse { findings: vec![finding], checked: vec!["journal".to_owned()] };
    let report: mirror::Doctor = read(&recall_api::json::doctor(&message));
    assert_eq!((report.findings[0].severity.as_str(), report.findings[0].fixed), ("error", true));
    assert_eq!(report.checked, ["journal"]);
}

#[test]
fn an_item_is_read_with_its_schema() {
    let message = v1::GetResponse {
        doc: Some(document()),
        chunk: Some(v1::Chunk::default()),
        memory: Some(memory()),
        symbols: vec![v1::Symbol::default()],
        warnings: vec![warning()],
        ..v1::GetResponse::default()
    };
    let read: mirror::Item = read(&recall_api::json::item(&message));
    assert_eq!(read.doc.path.as_deref(), Some("src/a.rs"));
}

#[test]
fn listings_and_removals_are_read_with_their_schemas() {
    let entry = v1::ListEntry {
        doc: Some(document()),
        memory: Some(memory()),
        stale_reasons: vec!["rated outdated".to_owned()],
        ..v1::ListEntry::default()
    };
    let message = v1::ListResponse { entries: vec![entry], warnings: vec![warning()], ..v1::ListResponse::default() };
    let listing: mirror::Listing = read(&recall_api::json::listing(&message));
    assert_eq!(listing.next_cursor, None, "there is no other page");
    let message = v1::RemoveResponse {
        documents: 2,
        removed: vec!["0123456789abcdef".to_owned()],
        failures: vec![v1::ItemFailure::default()],
        ..v1::RemoveResponse::default()
    };
    let removed: mirror::Removed = read(&recall_api::json::remove_answer(&message));
    assert_eq!(removed.documents, 2);
}

#[test]
fn context_windows_are_read_with_their_schema() {
    let span = v1::PackedSpan {
        context_type: v1::ContextType::RelatedCode.into(),
        doc: Some(document()),
        chunk: Some(v1::Chunk::default()),
        ..v1::PackedSpan::default()
    };
    let packed = v1::PackedContext { chunks: vec![span], budget_tokens: 500, ..v1::PackedContext::default() };
    let message =
        v1::ContextResponse { context: Some(packed), warnings: vec![warning()], ..v1::ContextResponse::default() };
    let context: mirror::Context = read(&recall_api::json::context(&message));
    let packed = context.context.expect("a window");
    assert_eq!((packed.chunks[0].context_type.as_str(), packed.budget_tokens), ("related_code", 500));
    assert!(context.query.is_none() && context.stats.is_none());
}

#[test]
fn related_documents_and_graphs_are_read_with_their_schemas() {
    let entry =
        v1::RelatedEntry { doc: Some(document()), reasons: vec!["imports".to_owned()], ..v1::RelatedEntry::default() };
    let message =
        v1::RelatedResponse { results: vec![entry], warnings: vec![warning()], ..v1::RelatedResponse::default() };
    let related: mirror::Related = read(&recall_api::json::related_answer(&message));
    assert_eq!(related.results[0].citation, None, "the whole document is related");
    let message = v1::GraphResponse {
        nodes: vec![v1::GraphNode::default(), v1::GraphNode { start_line: 3, ..v1::GraphNode::default() }],
        edges: vec![v1::GraphEdge::default()],
        warnings: vec![warning()],
        ..v1::GraphResponse::default()
    };
    let graph: mirror::Graph = read(&recall_api::json::graph(&message));
    assert_eq!((graph.nodes[0].start_line, graph.nodes[1].start_line), (None, Some(3)));
    assert_eq!((&graph.nodes[0].path, &graph.nodes[0].symbol_kind), (&None, &None));
}

#[test]
fn the_status_is_read_with_its_schema() {
    let message = v1::StatusResponse {
        daemon: Some(v1::DaemonStatus {
            protocols: Some(v1::ProtocolRange { min: 1, max: 1 }),
            memory: Some(v1::MemoryUse { shares: vec![v1::MemoryShare::default()], ..v1::MemoryUse::default() }),
            limits: Some(v1::Limits::default()),
            ..v1::DaemonStatus::default()
        }),
        stores: vec![v1::StoreStatus {
            scope: v1::StoreScope::Global.into(),
            indexing: Some(v1::Indexing::default()),
            files: Some(v1::FileCounts::default()),
            failures: vec![v1::ItemFailure::default()],
            left_out: vec![v1::LeftOutGroup { reason: "too large".to_owned(), files: 2, may_hide_text: true }],
            freshness: v1::Freshness::Scanned.into(),
            warnings: vec![warning()],
            ranker: "own".to_owned(),
            model: "static".to_owned(),
            ..v1::StoreStatus::default()
        }],
        models: vec![v1::Model::default()],
        latencies: vec![v1::LatencyHistogram::default()],
        counters: BTreeMap::from([("requests".to_owned(), 1)]),
        warnings: vec![warning()],
        kept: vec![v1::KeptStore { gone: true, ..v1::KeptStore::default() }],
    };
    let compacted: mirror::Compacted = read(&recall_api::json::compact_answer(&v1::CompactResponse::default()));
    assert_eq!(compacted.deleted_roots, [""; 0]);
    let read: mirror::Status = read(&recall_api::json::status(&message));
    assert!(read.kept[0].gone);
    assert_eq!(read.stores[0].scope.as_deref(), Some("global"));
    assert_eq!((read.stores[0].left_out[0].reason.as_str(), read.stores[0].left_out[0].files), ("too large", 2));
    assert_eq!(read.stores[0].freshness.as_deref(), Some("scanned"));
    assert_eq!(read.stores[0].ranker.as_deref(), Some("own"));
    assert_eq!(read.stores[0].model.as_deref(), Some("static"));
}

#[test]
fn reports_of_backups_are_read_with_their_schemas() {
    let left_out = || vec![v1::ItemFailure { code: "LEFT_OUT".to_owned(), ..v1::ItemFailure::default() }];
    let message = v1::BackupResponse { path: "/b".to_owned(), left_out: left_out(), ..v1::BackupResponse::default() };
    let made: mirror::BackedUp = read(&recall_api::json::backed_up(&message));
    assert_eq!((made.path.as_str(), made.left_out[0].code.as_str()), ("/b", "LEFT_OUT"));
    let message = v1::RestoreResponse {
        added: 3,
        conflicts: left_out(),
        left_out: left_out(),
        project_root: "/p".to_owned(),
        ..v1::RestoreResponse::default()
    };
    let restored: mirror::Restored = read(&recall_api::json::restore_answer(&message));
    assert_eq!((restored.added, restored.project_root.as_deref(), restored.created), (3, Some("/p"), None));
    assert_eq!((restored.conflicts.len(), restored.left_out.len()), (1, 1));
}

#[test]
fn each_line_of_a_run_is_read_with_its_schema() {
    let line: mirror::Started = read(&recall_api::json::index_line(&Event::Started(v1::IndexStarted::default())));
    assert_eq!(line.event, "started");
    let progress = v1::IndexProgress { phase: v1::IndexPhase::Indexing.into(), ..v1::IndexProgress::default() };
    let line: mirror::Progress = read(&recall_api::json::index_line(&Event::Progress(progress)));
    assert_eq!((line.event.as_str(), line.phase.as_deref()), ("progress", Some("indexing")));
    let failures = || vec![v1::ItemFailure::default()];
    let finished =
        v1::IndexFinished { failures: failures(), left_out: failures(), in_parts: 1, ..v1::IndexFinished::default() };
    let line: mirror::Finished = read(&recall_api::json::index_line(&Event::Finished(finished)));
    assert_eq!(line.event, "finished");
    let whole: mirror::Run = read(&recall_api::json::index_answer(&v1::IndexFinished::default(), &[warning()]));
    assert_eq!(whole.warnings.len(), 1);
    let line: mirror::Told = read(&recall_api::json::index_line(&Event::Warning(warning())));
    assert_eq!((line.event.as_str(), line.warning.severity.as_str()), ("warning", "notice"));
}

#[test]
fn results_about_models_are_read_with_their_schemas() {
    let model = || v1::Model {
        name: "tiny".to_owned(),
        remote: Some(v1::RemoteUse::default()),
        installed: true,
        ..v1::Model::default()
    };
    let listed: mirror::Models = read(&recall_api::json::models(&v1::ListModelsResponse { models: vec![model()] }));
    assert_eq!((listed.models[0].name.as_str(), &listed.models[0].fingerprint), ("tiny", &None));
    let added: mirror::ModelAdded =
        read(&recall_api::json::add_model_answer(&v1::AddModelResponse { model: Some(model()) }));
    assert!(added.model.is_some_and(|model| model.installed));
    let used = v1::UseModelResponse { model: None, chunks_to_embed: 7 };
    let used: mirror::ModelUsed = read(&recall_api::json::use_model_answer(&used));
    assert_eq!((used.model.is_none(), used.chunks_to_embed), (true, 7));
    let removed = v1::RemoveModelResponse { bytes_freed: 9 };
    let removed: mirror::ModelRemoved = read(&recall_api::json::remove_model_answer(&removed));
    assert_eq!(removed.bytes_freed, 9);

    let progress = Transfer::Progress(v1::TransferProgress { bytes_done: 5, ..v1::TransferProgress::default() });
    let line: mirror::Fetching = read(&recall_api::json::transfer_line(&progress));
    assert_eq!((line.event.as_str(), line.bytes_done, line.bytes_total), ("progress", 5, None));
    let finished = Transfer::Finished(v1::TransferFinished { model: Some(model()), ..v1::TransferFinished::default() });
    let line: mirror::Fetched = read(&recall_api::json::transfer_line(&finished));
    assert_eq!((line.event.as_str(), line.path), ("finished", None));
    let line: mirror::Told = read(&recall_api::json::transfer_line(&Transfer::Warning(warning())));
    assert_eq!(line.event, "warning");
}
