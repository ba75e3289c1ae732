//! What recall costs: the time of an answer, the memory of its processes, and the room of its index.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::mcp::Server;
use super::recall::{CommandLine, Corpus};
use super::report::{Report, Table, figure};
use super::statistics::percentile;
use super::tree::Checkout;
use super::{Bench, ripgrep};

/// The questions, with a literal that a person would grep instead.
const QUESTIONS: &[(&str, &str)] = &[
    ("where is the lock of the daemon taken", "DaemonLock"),
    ("how is a commit message turned into a query", "subject"),
    ("what happens if the disk is full", "StorageFull"),
    ("which files are left out of the index", "left_out"),
    ("how are secrets masked", "masked"),
    ("parse a traceback of Python", "Traceback"),
    ("idle exit of the daemon", "idle_exit"),
    ("rank fusion constant", "RRF_K"),
    ("how does the shim read its lines", "read_line"),
    ("budget of tokens of a context window", "budget_tokens"),
];

/// A checkout of this repository with a whole index.
fn index_checkout(bench: &Bench, name: &str) -> Result<(Checkout, CommandLine, f64), String> {
    let checkout = Checkout::clone(&bench.repository, bench.place.join("trees").join(name))?;
    checkout.switch("HEAD")?;
    let recall = bench.recall(name, &[])?;
    let seconds = recall.settle(&checkout.root)?;
    Ok((checkout, recall, seconds))
}

/// Times questions, exact strings and ripgrep in turn.
pub(crate) fn speed(bench: &Bench) -> Result<Report, String> {
    let (checkout, recall, seconds) = index_checkout(bench, "speed")?;
    let root = &checkout.root;
    let mut report = Report { raw: Table::new(&["round", "question", "what", "ms"]), ..Report::default() };
    let names = [
        "a question, whole process",
        "a question, in the daemon",
        "an exact string, whole process",
        "rg for the same string, whole process",
    ];
    let mut times: [Vec<f64>; 4] = Default::default();
    let rounds = bench.limit.div_ceil(QUESTIONS.len());
    for round in 0..=rounds {
        for (question, literal) in QUESTIONS {
            let answer = recall.search(root, question, Corpus::All)?.1;
            let in_daemon = answer.json["stats"]["took_ms"].as_f64().unwrap_or_default();
            let exact = recall.ask(root, &["search", "--scope", "project", "--exact", literal], "")?;
            let begin = Instant::now();
            drop(
                ripgrep::command(root, literal, Corpus::All)
                    .output()
                    .map_err(|error| format!("cannot start rg: {error}"))?,
            );
            let grep = begin.elapsed().as_secs_f64() * 1_000.0;
            // The first round warms the caches of all.
            if round == 0 {
                continue;
            }
            for ((name, times), ms) in names.iter().zip(&mut times).zip([answer.ms, in_daemon, exact.ms, grep]) {
                times.push(ms);
                report.raw.rows.push(vec![
                    round.to_string(),
                    (*question).to_owned(),
                    (*name).to_owned(),
                    format!("{ms:.2}"),
                ]);
            }
        }
    }
    let mut table = Table::new(&["", "p50 ms", "p95 ms", "measured"]);
    for (name, times) in names.iter().zip(&times) {
        let figures = [percentile(times, 0.5), percentile(times, 0.95)].map(figure);
        table.rows.push([&[(*name).to_owned()][..], &figures, &[times.len().to_string()]].concat());
    }
    report.tables.push(table);
    let (ours, theirs) = (percentile(&times[2], 0.5), percentile(&times[3], 0.5));
    if ours > theirs {
        report.losses.push(format!("an exact string takes {} ms (p50), rg {}", figure(ours), figure(theirs)));
    }
    report
        .losses
        .push(format!("rg needs no index; recall needs {} s for its first one of this repository", figure(seconds)));
    report.summary = format!(
        "a question p50 {} ms as a process, {} in the daemon; an exact string {}, rg {}",
        figure(percentile(&times[0], 0.5)),
        figure(percentile(&times[1], 0.5)),
        figure(ours),
        figure(theirs)
    );
    report.remarks.push("Ten questions and ten strings over a checkout of this repository, in turn, the daemon running, the index whole. rg prints all lines; recall fifty and the number of all.".to_owned());
    Ok(report)
}

/// Reads the memory of the daemon after questions, and of a shim that waits.
pub(crate) fn memory(bench: &Bench) -> Result<Report, String> {
    let (checkout, recall, _) = index_checkout(bench, "memory")?;
    for (question, _) in QUESTIONS {
        recall.search(&checkout.root, question, Corpus::All)?;
    }
    let log = bench.place.join("shim.log");
    let log = File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    let mut shim = Server::start(recall.program("recall-shim", &checkout.root), log)?;
    shim.call("recall_search", &json!({"query": "where is the lock of the daemon taken"}))?;
    let daemon = recall.ask(&checkout.root, &["status"], "")?.json;
    let mut report = Report { raw: Table::new(&["process", "resident_kb", "own_kb"]), ..Report::default() };
    let of_daemon = resident(daemon["daemon"]["pid"].as_f64().unwrap_or_default() as u32)?;
    let peak = daemon["daemon"]["memory"]["peak_bytes"].as_f64().unwrap_or_default();
    let of_shim = resident(shim.pid())?;
    let mut table = Table::new(&["process", "resident MB", "of it own MB"]);
    for (name, [all, own]) in
        [("recalld after ten questions", of_daemon), ("recall-shim, idle after one call", of_shim)]
    {
        table.rows.push(vec![name.to_owned(), figure(all / 1_000.0), figure(own / 1_000.0)]);
        report.raw.rows.push(vec![name.to_owned(), format!("{all:.0}"), format!("{own:.0}")]);
    }
    table.rows.push(vec!["recalld, peak while it indexed".to_owned(), figure(peak / 1e6), String::new()]);
    report.tables.push(table);
    report
        .losses
        .push(format!("rg leaves nothing running; the daemon has {} MB resident", figure(of_daemon[0] / 1_000.0)));
    report.summary =
        format!("daemon {} MB resident, shim {}", figure(of_daemon[0] / 1_000.0), figure(of_shim[0] / 1_000.0));
    report.remarks.push("Over a checkout of this repository. Resident memory counts the pages of files that the system may drop; own memory does not. Linux only.".to_owned());
    Ok(report)
}

/// Returns the resident memory of a process and what of it is its own, in kB.
fn resident(pid: u32) -> Result<[f64; 2], String> {
    let path = format!("/proc/{pid}/status");
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let field = |name: &str| field_of(&text, name).ok_or_else(|| format!("{path} has no {name}"));
    Ok([field("VmRSS:")?, field("RssAnon:")?])
}

fn field_of(status: &str, name: &str) -> Option<f64> {
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Compares the bytes of an index with those of the texts.
pub(crate) fn disk(bench: &Bench) -> Result<Report, String> {
    let (checkout, recall, seconds) = index_checkout(bench, "disk")?;
    let store = ask_idle_store(&recall, &checkout.root)?;
    let number = |name: &str| store[name].as_f64().unwrap_or_default();
    let (text, index) = (number("text_bytes"), number("index_bytes"));
    let mut report = Report {
        raw: Table::new(&["documents", "chunks", "text_bytes", "index_bytes", "seconds"]),
        ..Report::default()
    };
    let numbers = [number("documents"), number("chunks"), text, index].map(|number| format!("{number:.0}"));
    report.raw.rows.push([&numbers[..], &[format!("{seconds:.1}")]].concat());
    let mut table =
        Table::new(&["documents", "chunks", "text MB", "index MB", "index ÷ text", "seconds to a whole index"]);
    let figures = [text / 1e6, index / 1e6, index / text.max(1.0), seconds].map(figure);
    table.rows.push([&[figure(number("documents")), figure(number("chunks"))][..], &figures].concat());
    report.tables.push(table);
    report
        .losses
        .push(format!("rg and a memory file need no room; the index has {} × the bytes of the text", figures[2]));
    report.summary = format!("index {} × the text", figures[2]);
    let files = count(&checkout.root)?;
    report.remarks.push(format!("A checkout of this repository, {files} files. The size is that of an index at rest."));
    Ok(report)
}

/// How long the size of an index must stay the same. Until then its log is being emptied and its parts are being merged.
const IDLE: Duration = Duration::from_secs(5);

/// The most questions for the size.
const MOST_QUESTIONS: usize = 60;

/// Returns the status of the project's store once its size stays the same.
fn ask_idle_store(recall: &CommandLine, root: &Path) -> Result<Value, String> {
    let mut before = None;
    for _ in 0..MOST_QUESTIONS {
        let status = recall.ask(root, &["status"], "")?.json;
        let store =
            status["stores"].as_array().into_iter().flatten().find(|store| store["scope"].as_str() == Some("project"));
        let store = store.ok_or("the project has no store")?.clone();
        let bytes = store["index_bytes"].as_u64();
        if bytes == before {
            return Ok(store);
        }
        before = bytes;
        std::thread::sleep(IDLE);
    }
    Err("the size of the index does not come to rest".to_owned())
}

fn count(root: &Path) -> Result<usize, String> {
    Ok(super::tree::read_git(root, &["ls-files"])?.lines().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_a_status_is_read() {
        assert_eq!(field_of("Name:\tx\nVmRSS:\t    5012 kB\n", "VmRSS:"), Some(5_012.0));
        assert_eq!(field_of("Name:\tx\n", "VmRSS:"), None);
    }
}
