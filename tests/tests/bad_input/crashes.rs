//! Kills of the daemon during its work: the next response is correct and complete, or reports what it lacks.

use std::time::{Duration, Instant};

use recall_testkit::wait_until;

use super::case::{Case, KNOWN};

const FILES: usize = 300;
const ROUNDS: u32 = 20;

/// Rewrites every file with the number of the round.
fn write_files(case: &Case, round: u32) {
    for file in 0..FILES {
        let text = format!(
            "/// Part {file}, written in round {round}.\npub fn part_{file}_of_round_{round}() -> usize {{\n    {file}\n}}\n"
        );
        case.project.write(&format!("src/part_{file}.rs"), text);
    }
}

/// Searches until a response no longer reports that it may be incomplete. No response may contain outdated content.
fn settled_search(case: &Case, query: &str) -> Vec<String> {
    wait_until("the index to be whole", || {
        let (found, warnings) = case.search(query);
        let lacks = ["INDEXING", "NOT_INDEXED_YET", "SCAN_RUNNING", "NOT_REFRESHED", "FILE_CHANGED"];
        let is_partial = warnings.iter().any(|warning| lacks.contains(&warning.as_str()));
        (!is_partial).then_some(found)
    })
}

#[test]
fn a_daemon_killed_while_indexing_loses_nothing() {
    let case = Case::new();
    write_files(&case, 0);
    let began = Instant::now();
    assert_eq!(case.recall(&["add", "."]).code, Some(0));
    let whole_run = began.elapsed();
    assert_eq!(case.recall(&["daemon", "stop"]).code, Some(0));
    for round in 1..=ROUNDS {
        write_files(&case, round);
        if round % 2 == 0 {
            // Delete the index, so that this run is a first one.
            std::fs::remove_dir_all(case.index()).expect("ours");
        }
        let mut daemon = case.sandbox.start_daemon(&[]);
        let run = case.sandbox.start_recall(&case.project, &["add", "."]);
        // The kills are spread over the duration of a run; the step that each one hits is random.
        std::thread::sleep(whole_run.mul_f64(f64::from(round) / f64::from(ROUNDS)));
        daemon.kill();
        drop(run);
        for file in [0, 137, FILES - 1] {
            let found = settled_search(&case, &format!("part_{file}_of_round_{round}"));
            assert_eq!(found.first(), Some(&format!("src/part_{file}.rs")), "round {round}");
        }
        let (_, status) = case.json(&["status"]);
        assert_eq!(status["stores"][0]["documents"], FILES + 1, "round {round}: {status}");
        assert_eq!(case.recall(&["daemon", "stop"]).code, Some(0));
    }
}

#[test]
fn a_daemon_killed_during_a_call_is_replaced_and_the_call_repeated() {
    let case = Case::new();
    write_files(&case, 0);
    for round in 0..5 {
        let mut daemon = case.sandbox.start_daemon(&[]);
        // In the first round the project is not indexed yet, so the call takes long.
        let call = case.sandbox.start_recall(&case.project, &["--json", "search", "--", KNOWN.0]);
        std::thread::sleep(Duration::from_millis(20 * round));
        daemon.kill();
        let outcome = call.finish();
        let answer: serde_json::Value = serde_json::from_str(&outcome.stdout).expect("one JSON object");
        assert_eq!(answer["results"][0]["doc"]["path"], KNOWN.1, "{outcome:?}");
        assert_eq!(settled_search(&case, KNOWN.0).first().map(String::as_str), Some(KNOWN.1));
        assert_eq!(case.recall(&["daemon", "stop"]).code, Some(0));
    }
}
