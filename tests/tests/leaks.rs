//! Isolation of projects: no RPC returns data of one project to another.
//!
//! Two projects and the global store are filled randomly. The data of one project contains a mark. A request from the
//! other project must not return that mark, in a response or in an error, and must not change the first project. The
//! RPCs are those of the service's descriptor, so that a new one without a case here fails.

#![cfg(target_os = "linux")]

mod ask;
mod fill;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use oorandom::Rand32;
use recall_api::{rpcs, v1};
use recall_client::{Client, Launch};

use crate::daemon::home::Home;
use ask::{Probe, ask};
use fill::{Filled, fill};

/// The number of random pairs of projects.
const PAIRS: u32 = 4;

/// The number of requests per RPC and pair.
const ROUNDS: usize = 6;

/// RPCs without a store: they report on the daemon, its models and its settings. Their requests have no scope.
const OF_NO_STORE: [&str; 8] = [
    "Handshake",
    "ListModels",
    "AddModel",
    "PullModel",
    "UseModel",
    "RemoveModel",
    "InstallRuntime",
    // Ends the daemon.
    "Shutdown",
];

fn context(root: &Path) -> v1::RequestContext {
    v1::RequestContext { working_directory: root.to_string_lossy().into_owned(), ..v1::RequestContext::default() }
}

/// Every file below a folder, with its bytes.
fn durable_files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut truths = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it is there") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).expect("readable");
                truths.insert(path, bytes);
            }
        }
    }
    truths
}

/// Returns the whole content of a project, as its own requests report it.
async fn content_of(client: &Client, root: &Path) -> String {
    let list = v1::ListRequest {
        context: Some(context(root)),
        scope: v1::Scope::Project.into(),
        limit: Some(100),
        sort: v1::ListSort::Path.into(),
        ..v1::ListRequest::default()
    };
    let listing = client.list(list).await.expect("a listing");
    // Without usage counts, which searches change.
    format!("{:?}", listing.entries.iter().map(|entry| (&entry.doc, entry.chunks)).collect::<Vec<_>>())
}

#[test]
fn every_rpc_has_a_case_or_uses_no_store() {
    for rpc in rpcs() {
        let is_of_no_store = OF_NO_STORE.contains(&rpc.name.as_str());
        assert_ne!(is_of_no_store, ask::CASES.contains(&rpc.name.as_str()), "{} has no case, or two", rpc.name);
        if is_of_no_store {
            assert!(!rpc.fields.iter().any(|field| field == "scope"), "{} has a scope", rpc.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_rpc_in_one_project_returns_data_of_another() {
    let home = Home::new(&[]);
    let client = home.connect(Launch::IfNeeded).await.expect("a daemon answers");
    let mut asked = 0;
    for pair in 0..PAIRS {
        let mut random = Rand32::new(u64::from(pair) + 1);
        let here = fill(&client, &home.path().join(format!("here-{pair}")), &mut random).await;
        let there = fill(&client, &home.path().join(format!("there-{pair}")), &mut random).await;
        let (kept, said) = (durable_files(&there.root), content_of(&client, &there.root).await);
        for rpc in rpcs().into_iter().filter(|rpc| !OF_NO_STORE.contains(&rpc.name.as_str())) {
            for round in 0..ROUNDS {
                let probe = Probe::of(&there, &here, round, &mut random);
                let reported = ask(&rpc.name, &client, context(&here.root), &probe).await;
                let reported = reported.unwrap_or_else(|| panic!("{} has no case", rpc.name));
                check(&rpc.name, &probe, &reported, &there);
                asked += 1;
            }
        }
        assert!(kept == durable_files(&there.root), "files of the other project changed");
        assert_eq!(said, content_of(&client, &there.root).await, "the content of the other project changed");
        // The mark is found by a search in the project that contains it.
        let probe = Probe::of(&there, &here, 0, &mut random).with_all_words();
        let reported = ask("Search", &client, context(&there.root), &probe).await.expect("a case");
        assert!(reported.contains(&there.mark), "the search finds nothing at all: {reported}");
    }
    println!("{asked} requests");
}

#[track_caller]
fn check(rpc: &str, probe: &Probe, reported: &str, there: &Filled) {
    if let Some(at) = reported.find(&there.mark) {
        let around = reported.get(at.saturating_sub(200)..(at + 200).min(reported.len())).unwrap_or(reported);
        panic!("{rpc} of {probe:?} returns data of another project: …{around}…");
    }
}
