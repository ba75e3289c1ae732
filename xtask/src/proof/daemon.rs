//! What a running daemon promises: an edit is searchable at once, and a memory that was acknowledged survives a crash.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::Bench;
use super::report::{Report, Table, figure};
use super::statistics::{self, Random};
use super::tree::{self, Checkout};
use crate::programs;

/// How long an edit is waited for before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(30);

/// The memories that are added before the next crash, at most.
const ADDITIONS: usize = 20;

/// The longest time from the first addition of a round to its crash.
const CRASH_WITHIN_MS: usize = 400;

/// Appends a line with a new word to a random file and searches the word at once, again and again.
pub(crate) fn freshness(bench: &Bench) -> Result<Report, String> {
    let checkout = Checkout::clone(&bench.repository, bench.place.join("trees/freshness"))?;
    checkout.switch("HEAD")?;
    let recall = bench.recall("freshness", &[])?;
    recall.settle(&checkout.root)?;
    let paths = tree::read_git(&checkout.root, &["ls-files", "-z", "*.rs", "*.md"])?;
    let paths: Vec<&str> = paths.split('\0').filter(|path| !path.is_empty()).collect();
    if paths.is_empty() {
        return Err("there is no file to edit".to_owned());
    }
    let mut random = Random::new(bench.seed);
    let mut report = Report { raw: Table::new(&["round", "file", "first_search", "ms"]), ..Report::default() };
    let (mut times, mut announced, mut stale) = (Vec::new(), 0, 0);
    for round in 0..bench.limit {
        let path = paths[random.below(paths.len())];
        let word = format!("quokka{}x{}", letters(&mut random), letters(&mut random));
        thread::sleep(Duration::from_millis(random.below(500) as u64));
        let begin = Instant::now();
        let mut file =
            OpenOptions::new().append(true).open(checkout.root.join(path)).map_err(|error| error.to_string())?;
        writeln!(file, "// {word}").map_err(|error| error.to_string())?;
        drop(file);
        let mut first = None;
        loop {
            let answer = recall.ask(&checkout.root, &["search", "--scope", "project", "--k", "3", &word], "")?.json;
            let is_found = answer["results"].as_array().into_iter().flatten().any(|hit| {
                let chunk = hit["chunk"]["text"].as_str().unwrap_or_default();
                chunk.contains(&word)
            });
            let has_warning = answer["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
            let outcome = if is_found {
                "found"
            } else if has_warning {
                "announced"
            } else {
                "stale"
            };
            first.get_or_insert(outcome);
            if is_found || begin.elapsed() > PATIENCE {
                break;
            }
        }
        let ms = begin.elapsed().as_secs_f64() * 1_000.0;
        let first = first.unwrap_or("stale");
        announced += usize::from(first == "announced");
        stale += usize::from(first == "stale");
        times.push(ms);
        report.raw.rows.push(vec![round.to_string(), path.to_owned(), first.to_owned(), format!("{ms:.1}")]);
    }
    let (p50, p95) = (figure(statistics::percentile(&times, 0.5)), figure(statistics::percentile(&times, 0.95)));
    let mut table = Table::new(&[
        "edits",
        "found by the first search",
        "not found, and the answer says so",
        "not found without a word",
        "save to answer, p50 ms",
        "p95 ms",
    ]);
    let found = times.len() - announced - stale;
    let numbers = [times.len(), found, announced, stale].map(|number| number.to_string());
    table.rows.push([&numbers[..], &[p50.clone(), p95.clone()]].concat());
    report.tables.push(table);
    if stale > 0 {
        report.losses.push(format!("{stale} of {} first answers after an edit lack it without a word", times.len()));
    }
    if announced > 0 {
        report.losses.push(format!(
            "{announced} of {} first answers after an edit lack it, and say that files are behind",
            times.len()
        ));
    }
    report.losses.push(format!("rg reads the files themselves, so that it is never stale; recall needs {p50} ms (p50) from the save to the answer"));
    report.summary = format!(
        "{found} of {} edits found by the first search, {stale} answers silently stale, p50 {p50} ms",
        times.len()
    );
    report.remarks.push(
        "A line with a new word is appended to a random file of this repository, and a new process of `recall search` asks for the word at once."
            .to_owned(),
    );
    Ok(report)
}

fn letters(random: &mut Random) -> String {
    (0..6).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
}

/// Kills the daemon while memories are added, again and again; then looks for each that was acknowledged.
pub(crate) fn durability(bench: &Bench) -> Result<Report, String> {
    let root = bench.place.join("trees/durability");
    if root.exists() {
        fs::remove_dir_all(&root).map_err(|error| format!("cannot delete {}: {error}", root.display()))?;
    }
    fs::create_dir_all(&root).map_err(|error| format!("cannot create {}: {error}", root.display()))?;
    programs::run_quietly(tree::git(&root).args(["init", "--quiet"]))?;
    let recall = bench.recall("durability", &[])?;
    let mut random = Random::new(bench.seed);
    let rounds = bench.limit.div_ceil(2);
    let mut report = Report { raw: Table::new(&["memory", "round", "found"]), ..Report::default() };
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    for round in 0..rounds {
        let pid = recall.pid(&root)?;
        let delay = Duration::from_millis(random.below(CRASH_WITHIN_MS) as u64);
        let killer = thread::spawn(move || {
            thread::sleep(delay);
            Command::new("kill").args(["-9", &pid.to_string()]).status()
        });
        for at in 0..ADDITIONS {
            let text =
                format!("Round {round}, addition {at}: the {} needs a {}.", letters(&mut random), letters(&mut random));
            match recall.ask(&root, &["remember", &text, "--type", "lesson"], "").map(|answer| answer.json) {
                Ok(answer) if answer["ok"] == true => {
                    let id = answer["id"].as_str().ok_or("an answer of `remember` has no id")?;
                    acknowledged.push((id.to_owned(), text, round));
                }
                _ => refused += 1,
            }
            if killer.is_finished() && at > 0 {
                break;
            }
        }
        killer.join().map_err(|_| "the killer failed")?.map_err(|error| format!("cannot start kill: {error}"))?;
    }
    let mut lost = 0;
    for (id, text, round) in &acknowledged {
        let answer = recall.ask(&root, &["get", id], "");
        let is_found = answer.is_ok_and(|answer| {
            answer.json["memory"]["content"].as_str().is_some_and(|content| content.contains(text))
        });
        lost += usize::from(!is_found);
        report.raw.rows.push(vec![id.clone(), round.to_string(), is_found.to_string()]);
    }
    let mut table =
        Table::new(&["kill -9 of the daemon", "memories acknowledged", "lost", "additions that failed and said so"]);
    table.rows.push([rounds, acknowledged.len(), lost, refused].map(|number| number.to_string()).to_vec());
    report.tables.push(table);
    if lost > 0 {
        report.losses.push(format!("{lost} of {} acknowledged memories are lost", acknowledged.len()));
    }
    report.summary = format!("{lost} of {} acknowledged memories lost in {rounds} × `kill -9`", acknowledged.len());
    report.remarks.push(
        "Processes of `recall remember` add memories one after another; the daemon is killed at a random moment within 0.4 s of the first, and the next \
         command starts another. A loss of power is not tried."
            .to_owned(),
    );
    Ok(report)
}
