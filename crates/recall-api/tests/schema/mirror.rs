//! Mirrors of the schema that reject unknown fields.

use std::collections::BTreeMap;

use serde::Deserialize;

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
    Exact {
        ok: bool, schema_version: String, query: Query, ignore_case: bool, results: Vec<Hit>, total_matches: u64,
        total_lines: u64, total_documents: u64, complete: bool, files_left_out: u64, stats: Stats,
        warnings: Vec<Warning>, next_offset: Option<u32>,
    }
    Facet { counts: Vec<Count>, left_out: u64 }
    Count { value: String, documents: u64 }
    Query {
        text: String, rql: Option<String>, filters: Filters, filter: Option<String>, class: String, limit: u32,
        offset: u32, scope: String, weights: Weights, language: Option<String>,
        translation: Option<String>,
    }
    Filters { types: Vec<String>, languages: Vec<String>, paths: Vec<String>, tags: Vec<String> }
    Weights { vector: Option<f32>, bm25: Option<f32> }
    Hit {
        score: f64, doc: Document, chunk: Chunk, citation: String, staleness: f64, also_at: Vec<String>,
        explain: Option<Explain>, highlights: Vec<ByteRange>, parents: Vec<Parent>, confidence: Option<f64>,
        memory: Option<Memory>, parent_text: Option<String>, adopted: Option<Adopted>,
    }
    Adopted { owner: String, trust: Option<String>, file: Option<String>, doubts: Vec<Doubt> }
    Doubt { path: String, line: u32, sentence: String, name: String, kind: String, reason: String }
    AdoptedCheck { files: u64, claims: u64, doubts: Vec<Doubt>, too_early: bool }
    Document {
        id: String, path: Option<String>, mtime: Option<String>, hash: String, tag: Vec<String>,
        source: Option<String>, r#type: String, title: String, scope: Option<String>, language: Option<String>,
        size: u64, created_at: Option<String>, updated_at: Option<String>, file_kind: Option<String>, store_id: String,
        root: Option<String>,
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
        broken: Vec<Anchor>, moved: Vec<MovedFile>,
    }
    MovedFile { from: String, to: String }
    Anchor { path: String, symbol: Option<String>, hash: String, state: Option<String> }
    ItemStats { retrievals: u64, useful: u64, not_useful: u64, usefulness: Option<f64>, flagged: bool }
    Stats {
        took_ms: f64, total_hits: u64, snapshot: String, generation: u64, stages: BTreeMap<String, f64>,
        stores: Vec<SearchedStore>, candidates: BTreeMap<String, u32>, reranked: bool,
        models: BTreeMap<String, String>, indexing: Option<Indexing>, stale_files: u64,
        documents: u64,
    }
    Context {
        ok: bool, schema_version: String, query: Option<Query>, context: Option<Packed>, stats: Option<Stats>,
        warnings: Vec<Warning>,
    }
    Packed { text: String, budget_tokens: u32, used_tokens: u32, chunks: Vec<PackedSpan>, tokenizer: String }
    PackedSpan {
        context_type: String, doc: Option<Document>, chunk: Option<Chunk>, citation: String, score: f64, tokens: u32,
        truncated: bool,
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
    Entry { doc: Document, chunks: u32, staleness: f64, memory: Option<Memory>, stale_reasons: Vec<String> }
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
        forgotten: u64,
    }
    ItemFailure { item: String, code: String, reason: String }
    Added {
        ok: bool, schema_version: String, id: String, title: String, status: String, similar: Vec<Similar>,
        warnings: Vec<Warning>,
    }
    Similar { id: String, title: String, similarity: f64 }
    Updated { ok: bool, schema_version: String, memory: Option<Memory>, warnings: Vec<Warning> }
    Rated { ok: bool, schema_version: String, acknowledged: bool, item_stats: Option<RatedStats> }
    RatedStats {
        retrieval_count: u64, useful_count: u64, not_useful_count: u64, usefulness_rate: Option<f64>, retrievals: u64,
        useful: u64, not_useful: u64, usefulness: Option<f64>, flagged: bool,
    }
    Doctor { ok: bool, schema_version: String, findings: Vec<Finding>, checked: Vec<String> }
    Finding {
        check: String, severity: String, message: String, hint: Option<String>, path: Option<String>, fixed: bool,
        store_id: Option<String>,
    }
    VerifiedAll { ok: bool, schema_version: String, results: Vec<VerifiedOne>, broken: u64, adopted: Option<AdoptedCheck> }
    VerifiedOne { id: String, title: String, verification: Option<Verification> }
    Promoted { ok: bool, schema_version: String, id: String, scope: Option<String> }
    Status {
        ok: bool, schema_version: String, daemon: Daemon, stores: Vec<Store>, models: Vec<Model>,
        latencies: Vec<Latency>, counters: BTreeMap<String, u64>, warnings: Vec<Warning>, kept: Vec<Kept>,
    }
    LeftOutGroup { reason: String, files: u64, may_hide_text: bool }
    FileCounts { listed: u64, indexed: u64, failed: u64, skipped: u64, pending: u64 }
    Kept {
        root: String, index_bytes: u64, last_change: Option<String>, gone: bool, gone_since: Option<String>,
    }
    Compacted {
        ok: bool, schema_version: String, bytes_before: u64, bytes_after: u64, deleted_roots: Vec<String>, took_ms: f64,
    }
    BackedUp {
        ok: bool, schema_version: String, path: String, bytes: u64, files: u64, records: u64,
        left_out: Vec<ItemFailure>, took_ms: f64,
    }
    Restored {
        ok: bool, schema_version: String, added: u64, known: u64, untrusted: u64, conflicts: Vec<ItemFailure>,
        left_out: Vec<ItemFailure>, project_root: Option<String>, created: Option<String>,
        recall_version: Option<String>, took_ms: f64,
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
        text_bytes: u64, index_bytes: u64, indexing: Option<Indexing>, files: Option<FileCounts>, failed: u64, failures: Vec<ItemFailure>,
        left_out: Vec<LeftOutGroup>, ruled_out: u64,
        last_scan: Option<String>, last_change: Option<String>, freshness: Option<String>, unwatched: Option<String>,
        documents_by_type: BTreeMap<String, u64>, documents_by_language: BTreeMap<String, u64>,
        embedded: BTreeMap<String, f64>, memories_verified: Option<f64>, schema_versions: BTreeMap<String, u32>,
        ranker: Option<String>, model: Option<String>, warnings: Vec<Warning>,
    }
    Model {
        name: String, roles: Vec<String>, used_as: Vec<String>, origin: String, path: Option<String>,
        dimensions: u32, window_tokens: u32, licence: Option<String>, fingerprint: Option<String>, loaded: bool,
        provider: Option<String>, bytes: u64, problem: Option<String>, installed: bool, address: Option<String>,
        remote: Option<RemoteUse>,
    }
    RemoteUse {
        texts: u64, tokens: u64, dollars: Option<f64>, tokens_today: u64, tokens_daily: Option<u64>,
        texts_per_second: Option<f64>, chunks_left: u64,
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
        symbols: u64, failures: Vec<ItemFailure>, in_parts: u64, left_out: Vec<ItemFailure>,
    }
    Run {
        ok: bool, schema_version: String, event: String, added: u64, changed: u64, unchanged: u64, removed: u64,
        failed: u64, skipped: u64, took_ms: f64, bytes: u64, generation: u64, documents: u64, chunks: u64,
        symbols: u64, failures: Vec<ItemFailure>, in_parts: u64, left_out: Vec<ItemFailure>, warnings: Vec<Warning>,
    }
    Told { ok: bool, schema_version: String, event: String, warning: Warning }
}
