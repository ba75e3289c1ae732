//! The daemon's status.

use crate::v1;
use serde::Serialize;

use crate::json::{non_empty, timestamp_text};

#[derive(Debug, Serialize)]
pub(crate) struct Daemon<'a> {
    pid: u32,
    version: &'a str,
    build: Option<&'a str>,
    protocols: Option<ProtocolRange>,
    started_at: Option<String>,
    uptime_ms: u64,
    memory: Option<MemoryUse>,
    connections: u32,
    sessions: u32,
    requests_in_flight: u32,
    limits: Option<Limits>,
    socket: &'a str,
    log: Option<&'a str>,
    auto_started: bool,
    private: bool,
}

impl<'a> From<&'a v1::DaemonStatus> for Daemon<'a> {
    fn from(message: &'a v1::DaemonStatus) -> Self {
        let v1::DaemonStatus {
            pid,
            version,
            build,
            protocols,
            started_at,
            uptime_ms,
            memory,
            connections,
            sessions,
            requests_in_flight,
            limits,
            socket,
            log,
            auto_started,
            private,
        } = message;
        Self {
            pid: *pid,
            version,
            build: non_empty(build),
            protocols: protocols.map(ProtocolRange::from),
            started_at: timestamp_text(started_at.as_ref()),
            uptime_ms: *uptime_ms,
            memory: memory.clone().map(MemoryUse::from),
            connections: *connections,
            sessions: *sessions,
            requests_in_flight: *requests_in_flight,
            limits: limits.map(Limits::from),
            socket,
            log: non_empty(log),
            auto_started: *auto_started,
            private: *private,
        }
    }
}

#[derive(Debug, Serialize)]
struct ProtocolRange {
    min: u32,
    max: u32,
}

impl From<v1::ProtocolRange> for ProtocolRange {
    fn from(message: v1::ProtocolRange) -> Self {
        let v1::ProtocolRange { min, max } = message;
        Self { min, max }
    }
}

#[derive(Debug, Serialize)]
struct MemoryUse {
    resident_bytes: u64,
    anonymous_bytes: u64,
    peak_bytes: u64,
    ceiling_bytes: u64,
    shares: Vec<MemoryShare>,
}

impl From<v1::MemoryUse> for MemoryUse {
    fn from(message: v1::MemoryUse) -> Self {
        let v1::MemoryUse { resident_bytes, anonymous_bytes, peak_bytes, ceiling_bytes, shares } = message;
        let shares = shares.into_iter().map(MemoryShare::from).collect();
        Self { resident_bytes, anonymous_bytes, peak_bytes, ceiling_bytes, shares }
    }
}

#[derive(Debug, Serialize)]
struct MemoryShare {
    name: String,
    whole_bytes: u64,
    used_bytes: u64,
    waiting: u64,
}

impl From<v1::MemoryShare> for MemoryShare {
    fn from(message: v1::MemoryShare) -> Self {
        let v1::MemoryShare { name, whole_bytes, used_bytes, waiting } = message;
        Self { name, whole_bytes, used_bytes, waiting }
    }
}

#[derive(Debug, Serialize)]
struct Limits {
    query_bytes: u64,
    hits: u32,
    list_entries: u32,
    file_bytes: u64,
    chunk_tokens: u32,
    parse_time_ms: u64,
    parse_depth: u32,
    memory_bytes: u64,
}

impl From<v1::Limits> for Limits {
    fn from(message: v1::Limits) -> Self {
        let v1::Limits {
            query_bytes,
            hits,
            list_entries,
            file_bytes,
            chunk_tokens,
            parse_time_ms,
            parse_depth,
            memory_bytes,
        } = message;
        Self { query_bytes, hits, list_entries, file_bytes, chunk_tokens, parse_time_ms, parse_depth, memory_bytes }
    }
}
