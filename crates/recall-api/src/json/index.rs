//! Progress of an indexing run: one object per line, the last with `"event": "finished"`.

use crate::v1;
use crate::v1::index_event::Event;
use serde::Serialize;

use crate::json::{ItemFailure, Warning, answer, non_empty, store_scope, warnings};

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum IndexLine<'a> {
    Started {
        root: &'a str,
        scope: Option<&'static str>,
        store_id: &'a str,
        generation: u64,
    },
    Progress {
        files_done: u64,
        files_total: u64,
        bytes: u64,
        current: Option<&'a str>,
        phase: Option<&'static str>,
    },
    Finished {
        added: u64,
        changed: u64,
        unchanged: u64,
        removed: u64,
        failed: u64,
        skipped: u64,
        took_ms: f64,
        bytes: u64,
        generation: u64,
        documents: u64,
        chunks: u64,
        symbols: u64,
        failures: Vec<ItemFailure<'a>>,
        in_parts: u64,
        left_out: Vec<ItemFailure<'a>>,
    },
    Warning {
        warning: Warning<'a>,
    },
}

/// One line: an event of the run.
pub fn index_line(event: &Event) -> impl Serialize {
    answer(match event {
        Event::Started(v1::IndexStarted { root, scope, store_id, generation }) => {
            IndexLine::Started { root, scope: store_scope(*scope), store_id, generation: *generation }
        }
        Event::Progress(v1::IndexProgress { files_done, files_total, bytes, current, phase }) => IndexLine::Progress {
            files_done: *files_done,
            files_total: *files_total,
            bytes: *bytes,
            current: non_empty(current),
            phase: phase_name(*phase),
        },
        Event::Finished(finished) => finished_line(finished),
        Event::Warning(warning) => IndexLine::Warning { warning: warning.into() },
    })
}

/// The summary of a run: its last event, with the warnings of all events.
pub fn index_answer<'a>(message: &'a v1::IndexFinished, messages: &'a [v1::Warning]) -> impl Serialize + 'a {
    answer(Run { finished: finished_line(message), warnings: warnings(messages) })
}

#[derive(Debug, Serialize)]
struct Run<'a> {
    #[serde(flatten)]
    finished: IndexLine<'a>,
    warnings: Vec<Warning<'a>>,
}

fn finished_line(message: &v1::IndexFinished) -> IndexLine<'_> {
    let v1::IndexFinished {
        added,
        changed,
        unchanged,
        removed,
        failed,
        skipped,
        took_ms,
        bytes,
        generation,
        documents,
        chunks,
        symbols,
        failures,
        in_parts,
        left_out,
    } = message;
    IndexLine::Finished {
        added: *added,
        changed: *changed,
        unchanged: *unchanged,
        removed: *removed,
        failed: *failed,
        skipped: *skipped,
        took_ms: *took_ms,
        bytes: *bytes,
        generation: *generation,
        documents: *documents,
        chunks: *chunks,
        symbols: *symbols,
        failures: failures.iter().map(ItemFailure::from).collect(),
        in_parts: *in_parts,
        left_out: left_out.iter().map(ItemFailure::from).collect(),
    }
}

fn phase_name(phase: i32) -> Option<&'static str> {
    match v1::IndexPhase::try_from(phase) {
        Ok(v1::IndexPhase::Discovering) => Some("discovering"),
        Ok(v1::IndexPhase::Indexing) => Some("indexing"),
        Ok(v1::IndexPhase::Embedding) => Some("embedding"),
        Ok(v1::IndexPhase::Publishing) => Some("publishing"),
        Ok(v1::IndexPhase::Unspecified) | Err(_) => None,
    }
}
