//! The schema as seen by a client: no unknown fields, no wrong types.

use std::collections::BTreeMap;

use recall_proto::v1;
use recall_proto::v1::index_event::Event;
use recall_proto::v1::transfer_event::Event as Transfer;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Mirrors of the schema that reject unknown fields.
#[expect(clippy::struct_field_names, reason = "the names of the schema")]
mod mirror {
    use super::{BTreeMap, Deserialize};

    macro_rules! mirror {
        ($($Name:ident { $($field:ident: $Type:ty),* $(,)? })*) => {
            $(
                #[derive(Debug, Deserialize)]
                #[serde(deny_unknown_fields)]
                #[expect(dead_code, reason = "reading them is the test")]
                pub(super) struct $Name { $(pub(super) $field: $Type,)* }
            )*
        };
    }

    mirror! {
        Search {
            ok: bool, schema_version: String, query: Query, results: Vec<Hit>, breakdown: BTreeMap<String, u32>,
            facets: BTreeMap<String, Facet>, stats: Stats, warnings: Vec<Warning>, next_offset: Option<u32>,
            confidence: Option<f64>, low_confidence: bool, did_you_mean: Vec<String>,
        }
        Facet { counts: Vec<Count>, left_out: u64 }
        Count { value: String, documents: u64 }
        Query {
            text: String, rql: Option<String>, filters: Filters, filter: Option<String>, class: String, limit: u32,
            offset: u32, scope: String, weights: Weights,
        }
        Filters { types: Vec<String>, languages: Vec<String>, paths: Vec<String>, tags: Vec<String> }
        Weights { vector: Option<f32>, bm25: Option<f32>, ppr: Option<f32> }
        Hit {
            score: f64, doc: Document, chunk: Chunk, citation: String, staleness: f64, also_at: Vec<String>,
            explain: Option<Explain>, highlights: Vec<ByteRange>, parents: Vec<Parent>, confidence: Option<f64>,
            memory: Option<Memory>, parent_text: Option<String>,
        }
        Document {
            id: String, path: Option<String>, mtime: Option<String>, hash: String, tag: Vec<String>,
            source: Option<String>, r#type: String, title: String, scope: Option<String>, language: Option<String>,
            size: u64, created_at: Option<String>, updated_at: Option<String>, file_kind: Option<String>, store_id: String,
        }
        Chunk {
            id: String, doc_id: String, offset: u32, tokens: u32, text: String, start_line: u32, end_line: u32,
            symbol: Option<String>, kind: String, signature: Option<String>,
        }
        ByteRange { start: u32, end: u32 }
        Parent { name: String, kind: String, signature: Option<String>, start_line: u32, end_line: u32 }
        Explain {
            lexical: Option<Retrieved>, semantic: Option<Retrieved>, symbol: Option<Retrieved>, path: Option<Retrieved>,
            fused: f64, priors: BTreeMap<String, f64>, rerank: Option<Reranked>, contributions: BTreeMap<String, f64>,
        }
        Retrieved { rank: u32, score: f64, weight: f64 }
        Reranked { model: String, stage: u32, score: f64, rank_before: u32 }
        Memory {
            id: String, r#type: String, title: String, content: String, tags: Vec<String>, related_files: Vec<String>,
            scope: Option<String>, source: Option<String>, created_at: Option<String>, updated_at: Option<String>,
            session: Option<String>, agent: Option<String>, provenance: Option<Provenance>, origin: Option<String>,
            trust: Option<String>, ownership: Option<String>, standing: Option<String>, added_by: Option<String>,
            added_in: Option<String>, verification: Option<Verification>, stats: Option<ItemStats>,
            supersedes: Option<String>, superseded_by: Option<String>, status: String,
        }
        Provenance {
            agent_mode: Option<String>, git_branch: Option<String>, git_commit: Option<String>,
            project_path: Option<String>, project_name: Option<String>,
        }
        Verification {
            state: Option<String>, since_commit: Option<String>, changed_ratio: f64, verified_at: Option<String>,
            broken: Vec<Anchor>,
        }
        Anchor { path: String, symbol: Option<String>, hash: String, state: Option<String> }
        ItemStats { retrievals: u64, useful: u64, not_useful: u64, usefulness: Option<f64>, flagged: bool }
        Stats {
            took_ms: f64, total_hits: u64, snapshot: String, generation: u64, stages: BTreeMap<String, f64>,
            stores: Vec<SearchedStore>, candidates: BTreeMap<String, u32>, reranked: bool,
            models: BTreeMap<String, String>, indexing: Option<Indexing>, stale_files: u64,
            documents: u64,
        }
        SearchedStore { scope: Option<String>, id: String, name: String, generation: u64 }
        Indexing { done: u64, total: u64, running: bool }
        Warning {
            code: String, message: String, hint: Option<String>, path: Option<String>, severity: String,
        }
        Item {
            ok: bool, schema_version: String, doc: Document, chunk: Option<Chunk>, text: String, start_line: u32,
            end_line: u32, citation: String, staleness: f64, memory: Option<Memory>, symbols: Vec<Symbol>,
            generation: u64, warnings: Vec<Warning>,
        }
        Symbol { name: String, qualified: String, kind: String, start_line: u32, end_line: u32, chunk_id: String }
        Listing {
            ok: bool, schema_version: String, results: Vec<Entry>, next_cursor: Option<String>, total: u64,
            generation: u64, warnings: Vec<Warning>,
        }
        Entry { doc: Document, chunks: u32, staleness: f64, memory: Option<Memory> }
        Related {
            ok: bool, schema_version: String, results: Vec<RelatedEntry>, generation: u64, warnings: Vec<Warning>,
        }
        RelatedEntry { score: f64, doc: Document, reasons: Vec<String>, citation: Option<String> }
        Graph {
            ok: bool, schema_version: String, nodes: Vec<Node>, edges: Vec<Edge>, truncated: bool, generation: u64,
            warnings: Vec<Warning>,
        }
        Node {
            id: String, kind: String, label: String, path: Option<String>, start_line: Option<u32>,
            end_line: Option<u32>, distance: u32, doc_id: Option<String>, symbol_kind: Option<String>,
        }
        Edge { from: String, to: String, relation: String }
        Removed {
            ok: bool, schema_version: String, documents: u64, memories: u64, removed: Vec<String>,
            failures: Vec<ItemFailure>, generation: u64,
        }
        ItemFailure { item: String, code: String, reason: String }
        Added {
            ok: bool, schema_version: String, id: String, title: String, status: String, similar: Vec<Similar>,
            warnings: Vec<Warning>,
        }
        Similar { id: String, title: String, similarity: f64 }
        Updated { ok: bool, schema_version: String, memory: Option<Memory>, warnings: Vec<Warning> }
        Rated { ok: bool, schema_version: String, acknowledged: bool, item_stats: Option<ItemStats> }
        Doctor { ok: bool, schema_version: String, findings: Vec<Finding>, checked: Vec<String> }
        Finding {
            check: String, severity: String, message: String, hint: Option<String>, path: Option<String>, fixed: bool,
            store_id: Option<String>,
        }
        VerifiedAll { ok: bool, schema_version: String, results: Vec<VerifiedOne>, broken: u64 }
        VerifiedOne { id: String, title: String, verification: Option<Verification> }
        Promoted { ok: bool, schema_version: String, id: String, scope: Option<String> }
        Status {
            ok: bool, schema_version: String, daemon: Daemon, stores: Vec<Store>, models: Vec<Model>,
            latencies: Vec<Latency>, counters: BTreeMap<String, u64>, warnings: Vec<Warning>,
        }
        Daemon {
            pid: u32, version: String, build: Option<String>, protocols: Option<Protocols>, started_at: Option<String>,
            uptime_ms: u64, memory: Option<MemoryUse>, connections: u32, sessions: u32, requests_in_flight: u32,
            limits: Option<Limits>, socket: String, log: Option<String>, auto_started: bool, private: bool,
        }
        Protocols { min: u32, max: u32 }
        MemoryUse {
            resident_bytes: u64, anonymous_bytes: u64, peak_bytes: u64, ceiling_bytes: u64, shares: Vec<MemoryShare>,
        }
        MemoryShare { name: String, whole_bytes: u64, used_bytes: u64, waiting: u64 }
        Limits {
            query_bytes: u64, hits: u32, list_entries: u32, file_bytes: u64, chunk_tokens: u32, parse_time_ms: u64,
            parse_depth: u32, memory_bytes: u64,
        }
        Store {
            id: String, scope: Option<String>, name: String, root: String, index_path: String, initialised: bool,
            indexed: bool, generation: u64, documents: u64, chunks: u64, symbols: u64, edges: u64, memories: u64,
            text_bytes: u64, index_bytes: u64, indexing: Option<Indexing>, failed: u64, failures: Vec<ItemFailure>,
            last_scan: Option<String>, last_change: Option<String>, freshness: Option<String>, unwatched: Option<String>,
            documents_by_type: BTreeMap<String, u64>, documents_by_language: BTreeMap<String, u64>,
            embedded: BTreeMap<String, f64>, memories_verified: Option<f64>, schema_versions: BTreeMap<String, u32>,
            ranker: Option<String>, model: Option<String>, warnings: Vec<Warning>,
        }
        Model {
            name: String, roles: Vec<String>, used_as: Vec<String>, origin: String, path: Option<String>,
            dimensions: u32, window_tokens: u32, licence: Option<String>, fingerprint: Option<String>, loaded: bool,
            provider: Option<String>, bytes: u64, problem: Option<String>, installed: bool,
        }
        Models { ok: bool, schema_version: String, models: Vec<Model> }
        ModelAdded { ok: bool, schema_version: String, model: Option<Model> }
        ModelUsed { ok: bool, schema_version: String, model: Option<Model>, chunks_to_embed: u64 }
        ModelRemoved { ok: bool, schema_version: String, bytes_freed: u64 }
        Fetching {
            ok: bool, schema_version: String, event: String, file: String, bytes_done: u64, bytes_total: Option<u64>,
        }
        Fetched {
            ok: bool, schema_version: String, event: String, model: Option<Model>, path: Option<String>, took_ms: f64,
        }
        Latency { name: String, count: u64, p50_ms: f64, p95_ms: f64, p99_ms: f64, max_ms: f64, total_ms: f64 }
        Started {
            ok: bool, schema_version: String, event: String, root: String, scope: Option<String>, store_id: String,
            generation: u64,
        }
        Progress {
            ok: bool, schema_version: String, event: String, files_done: u64, files_total: u64, bytes: u64,
            current: Option<String>, phase: Option<String>,
        }
        Finished {
            ok: bool, schema_version: String, event: String, added: u64, changed: u64, unchanged: u64, removed: u64,
            failed: u64, skipped: u64, took_ms: f64, bytes: u64, generation: u64, documents: u64, chunks: u64,
            symbols: u64, failures: Vec<ItemFailure>,
        }
        Told { ok: bool, schema_version: String, event: String, warning: Warning }
    }
}

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
    let read: mirror::Search = read(&recall_json::search(&found()));
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
fn results_about_memories_are_read_with_their_schema() {
    let similar = vec![v1::SimilarMemory::default()];
    let status = v1::AddStatus::Duplicate.into();
    let message = v1::AddResponse { similar, status, warnings: vec![warning()], ..v1::AddResponse::default() };
    let added: mirror::Added = read(&recall_json::added(&message));
    assert_eq!((added.status.as_str(), added.similar.len()), ("duplicate", 1));
    let message = v1::UpdateResponse { memory: Some(memory()), ..v1::UpdateResponse::default() };
    let updated: mirror::Updated = read(&recall_json::updated(&message));
    assert!(updated.memory.is_some());
    let item_stats = Some(v1::ItemStats { useful: 2, ..v1::ItemStats::default() });
    let rated: mirror::Rated = read(&recall_json::rated(&v1::FeedbackResponse { acknowledged: true, item_stats }));
    assert_eq!(rated.item_stats.map(|stats| stats.useful), Some(2));
    let one = v1::VerifiedMemory { verification: memory().verification, ..v1::VerifiedMemory::default() };
    let verified: mirror::VerifiedAll =
        read(&recall_json::verified(&v1::VerifyResponse { results: vec![one], broken: 1 }));
    assert_eq!((verified.results.len(), verified.broken), (1, 1));
    let scope = v1::StoreScope::Global.into();
    let promoted: mirror::Promoted = read(&recall_json::promoted(&v1::PromoteResponse { id: "x".to_owned(), scope }));
    assert_eq!(promoted.scope.as_deref(), Some("global"));
}

#[test]
fn findings_are_read_with_their_schema() {
    let finding = v1::Finding { severity: v1::Severity::Error.into(), fixed: true, ..v1::Finding::default() };
    let message = v1::DoctorResponse { findings: vec![finding], checked: vec!["journal".to_owned()] };
    let report: mirror::Doctor = read(&recall_json::doctor(&message));
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
    let read: mirror::Item = read(&recall_json::item(&message));
    assert_eq!(read.doc.path.as_deref(), Some("src/a.rs"));
}

#[test]
fn listings_and_removals_are_read_with_their_schemas() {
    let entry = v1::ListEntry { doc: Some(document()), memory: Some(memory()), ..v1::ListEntry::default() };
    let message = v1::ListResponse { entries: vec![entry], warnings: vec![warning()], ..v1::ListResponse::default() };
    let listing: mirror::Listing = read(&recall_json::listing(&message));
    assert_eq!(listing.next_cursor, None, "there is no other page");
    let message = v1::RemoveResponse {
        documents: 2,
        removed: vec!["0123456789abcdef".to_owned()],
        failures: vec![v1::ItemFailure::default()],
        ..v1::RemoveResponse::default()
    };
    let removed: mirror::Removed = read(&recall_json::removed(&message));
    assert_eq!(removed.documents, 2);
}

#[test]
fn related_documents_and_graphs_are_read_with_their_schemas() {
    let entry =
        v1::RelatedEntry { doc: Some(document()), reasons: vec!["imports".to_owned()], ..v1::RelatedEntry::default() };
    let message =
        v1::RelatedResponse { results: vec![entry], warnings: vec![warning()], ..v1::RelatedResponse::default() };
    let related: mirror::Related = read(&recall_json::related(&message));
    assert_eq!(related.results[0].citation, None, "the whole document is related");
    let message = v1::GraphResponse {
        nodes: vec![v1::GraphNode::default(), v1::GraphNode { start_line: 3, ..v1::GraphNode::default() }],
        edges: vec![v1::GraphEdge::default()],
        warnings: vec![warning()],
        ..v1::GraphResponse::default()
    };
    let graph: mirror::Graph = read(&recall_json::graph(&message));
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
            failures: vec![v1::ItemFailure::default()],
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
    };
    let read: mirror::Status = read(&recall_json::status(&message));
    assert_eq!(read.stores[0].scope.as_deref(), Some("global"));
    assert_eq!(read.stores[0].freshness.as_deref(), Some("scanned"));
    assert_eq!(read.stores[0].ranker.as_deref(), Some("own"));
    assert_eq!(read.stores[0].model.as_deref(), Some("static"));
}

#[test]
fn each_line_of_a_run_is_read_with_its_schema() {
    let line: mirror::Started = read(&recall_json::index_line(&Event::Started(v1::IndexStarted::default())));
    assert_eq!(line.event, "started");
    let progress = v1::IndexProgress { phase: v1::IndexPhase::Indexing.into(), ..v1::IndexProgress::default() };
    let line: mirror::Progress = read(&recall_json::index_line(&Event::Progress(progress)));
    assert_eq!((line.event.as_str(), line.phase.as_deref()), ("progress", Some("indexing")));
    let finished = v1::IndexFinished { failures: vec![v1::ItemFailure::default()], ..v1::IndexFinished::default() };
    let line: mirror::Finished = read(&recall_json::index_line(&Event::Finished(finished)));
    assert_eq!(line.event, "finished");
    let line: mirror::Told = read(&recall_json::index_line(&Event::Warning(warning())));
    assert_eq!((line.event.as_str(), line.warning.severity.as_str()), ("warning", "notice"));
}

#[test]
fn results_about_models_are_read_with_their_schemas() {
    let model = || v1::Model { name: "tiny".to_owned(), installed: true, ..v1::Model::default() };
    let listed: mirror::Models = read(&recall_json::models(&v1::ListModelsResponse { models: vec![model()] }));
    assert_eq!((listed.models[0].name.as_str(), &listed.models[0].fingerprint), ("tiny", &None));
    let added: mirror::ModelAdded = read(&recall_json::model_added(&v1::AddModelResponse { model: Some(model()) }));
    assert!(added.model.is_some_and(|model| model.installed));
    let used = v1::UseModelResponse { model: None, chunks_to_embed: 7 };
    let used: mirror::ModelUsed = read(&recall_json::model_used(&used));
    assert_eq!((used.model.is_none(), used.chunks_to_embed), (true, 7));
    let removed = v1::RemoveModelResponse { bytes_freed: 9 };
    let removed: mirror::ModelRemoved = read(&recall_json::model_removed(&removed));
    assert_eq!(removed.bytes_freed, 9);

    let progress = Transfer::Progress(v1::TransferProgress { bytes_done: 5, ..v1::TransferProgress::default() });
    let line: mirror::Fetching = read(&recall_json::transfer_line(&progress));
    assert_eq!((line.event.as_str(), line.bytes_done, line.bytes_total), ("progress", 5, None));
    let finished = Transfer::Finished(v1::TransferFinished { model: Some(model()), ..v1::TransferFinished::default() });
    let line: mirror::Fetched = read(&recall_json::transfer_line(&finished));
    assert_eq!((line.event.as_str(), line.path), ("finished", None));
    let line: mirror::Told = read(&recall_json::transfer_line(&Transfer::Warning(warning())));
    assert_eq!(line.event, "warning");
}
