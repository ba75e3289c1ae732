//! A short run of every target.
//!
//! `RECALL_FUZZ_SECONDS` sets the time for each target, `RECALL_FUZZ_SEED` the number of the first input. With a time
//! of its own, each input is written to `recall-fuzz-TARGET` in the temporary folder before it is tried.

use std::time::Duration;

use recall_fuzz::{Plan, fuzz};

#[expect(clippy::print_stderr, reason = "the number of inputs says how much a long run has tried")]
fn run(name: &str, target: fn(&[u8]), seeds: &[Vec<u8>]) {
    let number = |variable: &str| std::env::var(variable).ok().map(|text| text.parse().expect("a number"));
    let seconds = number("RECALL_FUZZ_SECONDS");
    let plan = Plan {
        time: Duration::from_secs(seconds.unwrap_or(1)),
        first: number("RECALL_FUZZ_SEED").unwrap_or_default(),
        last_input: seconds.map(|_| std::env::temp_dir().join(format!("recall-fuzz-{name}"))),
    };
    eprintln!("{name}: {} inputs", fuzz(target, seeds, &plan));
}

#[test]
fn chunker() {
    run("chunker", recall_fuzz::chunker, &recall_fuzz::chunker_seeds());
}

#[test]
fn journal() {
    run("journal", recall_fuzz::journal, &recall_fuzz::journal_seeds());
}

#[test]
fn session() {
    run("session", recall_fuzz::session, &recall_fuzz::session_seeds());
}

#[test]
fn request() {
    run("request", recall_fuzz::request, &recall_fuzz::request_seeds());
}

#[test]
fn query() {
    run("query", recall_fuzz::query, &recall_fuzz::query_seeds());
}

#[test]
fn configuration() {
    run("configuration", recall_fuzz::configuration, &recall_fuzz::configuration_seeds());
}

#[test]
fn rql() {
    run("rql", recall_fuzz::rql, &recall_fuzz::rql_seeds());
}
