//! How well does a language model tell which memories contradict each other?
//!
//! `cargo run --release -p recall-models --example compare -- MODEL tests/collections/oppositions/pairs.jsonl [ADDRESS]` asks about each
//! pair once, as the daemon does, and prints the figures of each part. `MODEL` is named as for `recall models use compare`.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::collections::BTreeMap;
use std::sync::Arc;

use recall_core::{Clock, Comparer as _, PairVerdict, Timestamp};
use recall_models::providers::{
    Addresses, Link, LinkSettings, Network, Providers, RemoteComparer, RemoteName, Usage, probe_comparer,
};
use recall_text::Relation;
use serde::Deserialize;

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place here that asks for the time")]
    fn now(&self) -> Timestamp {
        Timestamp::from(std::time::SystemTime::now())
    }
}

#[derive(Deserialize)]
struct Pair {
    kind: String,
    first: String,
    second: String,
    part: String,
}

#[derive(Default)]
struct PartFigures {
    pairs: u32,
    contradictions: u32,
    found: u32,
    right: u32,
    without_verdict: u32,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, pairs, address @ ..] = &arguments[..] else { panic!("a model and a file of pairs") };
    let name = RemoteName::parse(model).expect("PROVIDER:MODEL");
    let addresses = address.first().map_or_else(Addresses::default, |address| Addresses {
        ollama: address.clone(),
        openai: address.clone(),
        anthropic: address.clone(),
        compatible: [(name.provider.clone(), address.clone())].into(),
        ..Addresses::default()
    });
    let providers = Providers::new(&addresses, &std::env::vars().collect());
    let provider = providers.get(&name.provider).expect("a provider; another one needs an address").clone();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let usage = Arc::new(Usage::new(folder.path(), None, Arc::new(SystemClock)));
    let link = Link::new(provider, &Network::default(), LinkSettings::default(), usage).expect("a server");
    let link = Arc::new(link);
    let model = probe_comparer(&link, &name).expect("a model that compares");
    let comparer = RemoteComparer::new(model, link).expect("a model's name");

    let mut parts: BTreeMap<String, PartFigures> = BTreeMap::new();
    for line in std::fs::read_to_string(pairs).expect("pairs").lines() {
        let Pair { kind, first, second, part } = serde_json::from_str(line).expect("a pair");
        let verdict = comparer.compare(&first, &second).expect("the server answers");
        let is_found = verdict == Some(PairVerdict::Related(Relation::Contradiction));
        let is_there = kind == Relation::Contradiction.as_str();
        let figures = parts.entry(part).or_default();
        figures.pairs += 1;
        figures.contradictions += u32::from(is_there);
        figures.found += u32::from(is_found);
        figures.right += u32::from(is_found && is_there);
        figures.without_verdict += u32::from(verdict.is_none());
    }
    for (part, PartFigures { pairs, contradictions, found, right, without_verdict }) in parts {
        let share = |whole: u32| f64::from(right) / f64::from(whole);
        let (precision, recall) = (share(found), share(contradictions));
        println!(
            "{part}: {pairs} pairs, precision {precision:.3}, recall {recall:.3}, {without_verdict} without a verdict"
        );
    }
}
