//! The daemon, and what commands without the daemon did.

use recall_proto::v1;
use serde::Serialize;

use super::{Envelope, answer, moment, some};

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
            build: some(build),
            protocols: protocols.map(ProtocolRange::from),
            started_at: moment(started_at.as_ref()),
            uptime_ms: *uptime_ms,
            memory: memory.map(MemoryUse::from),
            connections: *connections,
            sessions: *sessions,
            requests_in_flight: *requests_in_flight,
            limits: limits.map(Limits::from),
            socket,
            log: some(log),
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
#[expect(clippy::struct_field_names, reason = "the names of the schema, with their unit")]
struct MemoryUse {
    resident_bytes: u64,
    anonymous_bytes: u64,
    peak_bytes: u64,
    ceiling_bytes: u64,
}

impl From<v1::MemoryUse> for MemoryUse {
    fn from(message: v1::MemoryUse) -> Self {
        let v1::MemoryUse { resident_bytes, anonymous_bytes, peak_bytes, ceiling_bytes } = message;
        Self { resident_bytes, anonymous_bytes, peak_bytes, ceiling_bytes }
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

/// What the daemon's process did.
#[derive(Debug, Serialize)]
pub(crate) struct DaemonState<'a> {
    pub(crate) running: bool,
    pub(crate) changed: bool,
    pub(crate) pid: Option<u32>,
    pub(crate) version: Option<&'a str>,
}

/// Whether the daemon runs, and whether that is this command's doing.
pub(crate) fn state(state: DaemonState<'_>) -> Envelope<DaemonState<'_>> {
    answer(state)
}
