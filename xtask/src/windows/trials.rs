//! What is tried under Wine, each in a project of its own.

mod life;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::wine::{Agent, Wine, within};
use crate::{say, workspace};

/// How often a daemon is killed.
const KILLS: usize = 200;

/// How many operations on files are seen.
const OPERATIONS: usize = 1000;

/// How many operations lie between two searches.
const ROUND: usize = 20;

/// How long a daemon may take to end.
const END: Duration = Duration::from_secs(30);

/// A trial, by its name. It returns its figures.
type Trial = (&'static str, fn(&Wine) -> Result<String, String>);

/// The trials, in their order.
const TRIALS: [Trial; 15] = [
    ("first-search", first_search),
    ("tour", tour),
    ("names", names),
    ("memories", memories),
    ("two-shims", two_shims),
    ("held-files", held_files),
    ("rebuild", rebuild),
    ("watcher", watcher),
    ("upgrade", upgrade),
    ("versions", versions),
    ("kills", kills),
    ("stop", life::stop),
    ("service", life::service),
    ("skew", life::skew),
    ("purge", life::purge),
];

/// Checks that there is a trial of that name.
pub(super) fn check_name(only: Option<&str>) -> Result<(), String> {
    if let Some(name) = only.filter(|name| TRIALS.iter().all(|(known, _)| known != name)) {
        let names = TRIALS.map(|(name, _)| name).join(", ");
        return Err(format!("there is no trial `{name}`; the trials are: {names}"));
    }
    Ok(())
}

/// Runs the trials, or the one of that name.
pub(super) fn run(wine: &Wine, only: Option<&str>) -> Result<(), String> {
    wine.end();
    let chosen = TRIALS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name));
    let mut failed = Vec::new();
    for (name, trial) in chosen {
        // A fresh installation each time.
        let home = wine.home()?;
        let cleared = if home.exists() { fs::remove_dir_all(&home) } else { Ok(()) };
        cleared.map_err(|error| format!("cannot clear {}: {error}", home.display()))?;
        wine.begin()?;
        let began = Instant::now();
        let outcome = trial(wine);
        let took = began.elapsed().as_secs_f64();
        match outcome {
            Ok(figures) => say(&format!("ok      {name} ({took:.1} s) {figures}\n")),
            Err(why) => {
                say(&format!("FAILED  {name} ({took:.1} s) {why}\n"));
                failed.push(*name);
                let log = home.join("data/state/logs/recalld.log");
                say(&format!("the daemon's log is {}\n", log.display()));
                keep(&log, name);
            }
        }
        wine.end();
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed under Wine: {}", failed.join(", "))) }
}

/// Keeps the log of a failed trial next to the prefix: the next trial begins with an empty home.
fn keep(log: &Path, name: &str) {
    let _ = fs::copy(log, std::env::temp_dir().join(format!("recall-wine-{name}.log")));
}

/// A project on the drive.
struct Project {
    root: PathBuf,
}

impl Project {
    fn new(wine: &Wine, name: &str, files: &[(&str, &str)]) -> Result<Self, String> {
        let root = wine.drive().join("work").join(name);
        if root.exists() {
            fs::remove_dir_all(&root).map_err(|error| format!("cannot clear {}: {error}", root.display()))?;
        }
        let project = Self { root };
        fs::create_dir_all(project.root.join(".git")).map_err(|error| error.to_string())?;
        for (path, text) in files {
            project.write(path, text)?;
        }
        Ok(project)
    }

    fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.root.join(path);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        made.map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// Runs `recall` in the project; returns what it said. Exit code 1 is an answer.
    fn recall(&self, wine: &Wine, arguments: &[&str]) -> Result<String, String> {
        let ended = wine.run("recall.exe", arguments, &self.root)?;
        let said = String::from_utf8(ended.stdout).map_err(|_| "the output is not UTF-8".to_owned())?;
        if matches!(ended.status.code(), Some(0 | 1)) {
            return Ok(said);
        }
        let complaint = String::from_utf8_lossy(&ended.stderr).into_owned();
        Err(format!("`recall {}` failed ({}): {said}{complaint}", arguments.join(" "), ended.status))
    }
}

/// Fails unless the text contains what is expected.
fn expect(text: &str, expected: &str) -> Result<(), String> {
    if text.contains(expected) { Ok(()) } else { Err(format!("expected `{expected}` in:\n{text}")) }
}

fn check(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// The arguments that store a memory.
fn memory(text: &str) -> String {
    format!(r#"{{"type":"lesson","title":"{text}","content":"{text}.","force":true}}"#)
}

const SESSIONS: &str =
    "/// Opens the session store.\npub fn open_sessions() -> Sessions {\n    Sessions::default()\n}\n";

fn first_search(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "first", &[("src/sessions.rs", SESSIONS)])?;
    let began = Instant::now();
    let found = project.recall(wine, &["search", "where are the sessions opened"])?;
    let first = began.elapsed().as_secs_f64();
    expect(&found, "src/sessions.rs")?;
    let began = Instant::now();
    expect(&project.recall(wine, &["search", "open_sessions"])?, "pub fn open_sessions()")?;
    Ok(format!("the first search took {first:.1} s, the second {:.1} s", began.elapsed().as_secs_f64()))
}

/// A tour of the documentation and the daemon's sources.
fn tour(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "tour", &[])?;
    for part in ["docs", "recalld", "proto", "crates/recall-client"] {
        copy_tree(&workspace().join(part), &project.root.join(part)).map_err(|error| format!("{part}: {error}"))?;
    }
    project.recall(wine, &["init"])?;
    expect(&project.recall(wine, &["search", "why are there two indexes", "--k", "5"])?, "docs/adr/0001")?;
    expect(&project.recall(wine, &["search", "DaemonLock", "--k", "3"])?, "recalld/src/lock.rs")?;
    expect(&project.recall(wine, &["get", "proto/recall/v1/service.proto:1-9"])?, "syntax")?;
    let status = project.recall(wine, &["status"])?;
    expect(&status, "recalld")?;
    project.recall(wine, &["list"])?;
    project.recall(wine, &["context", "how does the daemon take its lock"])?;
    let doctor = project.recall(wine, &["doctor"])?;
    let logs = project.recall(wine, &["daemon", "logs"])?;
    check(!logs.contains(" ERROR "), || format!("the log has errors:\n{logs}"))?;
    project.recall(wine, &["rebuild"])?;
    let backup = project.recall(wine, &["backup", r"C:\work\tour.tar.gz"])?;
    project.recall(wine, &["service", "install", "--dry-run"])?;
    project.recall(wine, &["mcp", "install", "--all", "--dry-run"])?;
    Ok(format!("{}, {}", doctor.lines().last().unwrap_or_default(), backup.lines().last().unwrap_or_default()))
}

fn copy_tree(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy_tree(&source, &target)?;
        } else {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// Names beyond ASCII, with spaces, in deep folders and in another case; texts with CRLF and a byte order mark.
fn names(wine: &Wine) -> Result<String, String> {
    let deep = format!("{}/ziel.md", ["ein_langer_ordner_name_von_vierzig_zeichen"; 8].join("/"));
    let files = [
        ("Größe und Öl/日本語.md", "# Überschrift\r\n\r\nDie Zwiebelsuppe kocht.\r\nZweite Zeile mit Kardamom.\r\n"),
        ("with space/ünïcode.rs", "\u{feff}/// Stirs the quokka soup.\r\npub fn stir_quokka() {}\r\n"),
        (deep.as_str(), "The wombat lives at the end of a long path.\n"),
        ("CON.md.txt", "The reserved marmot.\n"),
    ];
    let project = Project::new(wine, "Zürich Straße", &files)?;
    expect(&project.recall(wine, &["search", "Zwiebelsuppe"])?, "Größe und Öl/日本語.md")?;
    let found = project.recall(wine, &["search", "stir_quokka"])?;
    expect(&found, "with space/ünïcode.rs")?;
    check(!found.contains('\r'), || format!("a carriage return is in the answer:\n{found:?}"))?;
    expect(&project.recall(wine, &["search", "wombat"])?, "ziel.md")?;
    expect(&project.recall(wine, &["get", "Größe und Öl/日本語.md:4-4"])?, "Zweite Zeile mit Kardamom.")?;
    // Windows writes paths with backslashes and finds them in any case.
    expect(&project.recall(wine, &["get", r"with space\ünïcode.rs"])?, "stir_quokka")?;
    let kept = project.recall(wine, &["remember", "Die Suppe in Zürich heißt 汤"])?;
    expect(&project.recall(wine, &["search", "汤"])?, "Zürich heißt 汤").map_err(|why| format!("{kept}{why}"))?;
    let upper = wine.drive().join("work/zürich straße");
    check(upper.parent().is_some(), String::new)?;
    let other_case =
        wine.run("recall.exe", &["--project", r"c:\WORK\Zürich Straße", "search", "wombat"], &wine.drive())?;
    let said = String::from_utf8_lossy(&other_case.stdout).into_owned();
    expect(&said, "ziel.md")?;
    let verbatim =
        wine.run("recall.exe", &["--project", r"\\?\C:\work\Zürich Straße", "search", "wombat"], &wine.drive())?;
    let said = String::from_utf8_lossy(&verbatim.stdout).into_owned() + &String::from_utf8_lossy(&verbatim.stderr);
    expect(&said, "ziel.md")?;
    let stores = project.recall(wine, &["status", "--stores"])?;
    Ok(format!("{} lines of stores", stores.lines().count()))
}

fn memories(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "memories", &[("src/sessions.rs", SESSIONS)])?;
    project.recall(wine, &["init"])?;
    for n in 0..5 {
        project.recall(wine, &["remember", &format!("The deploy number {n} needs the quince key")])?;
    }
    expect(&project.recall(wine, &["search", "quince key", "--k", "10"])?, "deploy number 4")?;
    project.recall(wine, &["remember", "--scope", "global", "Everybody drinks rooibos"])?;
    expect(&project.recall(wine, &["search", "rooibos"])?, "drinks rooibos")?;
    let journals = fs::read_dir(project.root.join(".recall")).map_err(|error| error.to_string())?.count();
    Ok(format!("{journals} entries in .recall"))
}

fn two_shims(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "shims", &[("src/sessions.rs", SESSIONS)])?;
    // Both start at once, without a daemon.
    let (mut one, mut two) = (Agent::start(wine, &project.root)?, Agent::start(wine, &project.root)?);
    let question = r#"{"query":"open_sessions"}"#;
    let (first, second) = (one.send("recall_search", question)?, two.send("recall_search", question)?);
    expect(&one.answer(first)?, "src/sessions.rs:")?;
    expect(&two.answer(second)?, "src/sessions.rs:")?;
    for n in 0..10 {
        let (writer, reader) = if n % 2 == 0 { (&mut one, &mut two) } else { (&mut two, &mut one) };
        writer.call("recall_add", &memory(&format!("The shared plum {n} is ripe")))?;
        expect(
            &reader.call("recall_search", &format!(r#"{{"query":"shared plum {n}"}}"#))?,
            &format!("plum {n} is ripe"),
        )?;
    }
    let daemons = wine.daemons().len();
    check(daemons == 1, || format!("{daemons} daemons run"))?;
    Ok("10 memories of each other read at once, one daemon".to_owned())
}

/// Files that another program holds alone are skipped, and indexed when it lets go.
fn held_files(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "held", &[("free.md", "The free heron.\n"), ("held.md", "The held heron.\n")])?;
    let mut holder = wine.start("hold.exe", &["held.md"], &project.root)?;
    let mut said = [0; 4];
    std::io::Read::read_exact(holder.stdout.as_mut().ok_or("no output")?, &mut said).map_err(|e| e.to_string())?;
    let mut agent = Agent::start(wine, &project.root)?;
    let found = agent.call("recall_search", r#"{"query":"heron"}"#)?;
    expect(&found, "free.md")?;
    check(!found.contains("The held heron"), || "a held file was read".to_owned())?;
    drop(holder.stdin.take());
    let _ = holder.wait();
    let seen = within(END, || {
        agent.call("recall_search", r#"{"query":"held heron"}"#).is_ok_and(|found| found.contains("The held heron"))
    });
    check(seen, || "a file that is no longer held was not indexed".to_owned())?;
    // The daemon keeps no file of the project open: others may delete and rename them.
    let moved = fs::rename(project.root.join("held.md"), project.root.join("moved.md"));
    moved.map_err(|error| error.to_string())?;
    expect(&agent.call("recall_search", r#"{"query":"held heron"}"#)?, "moved.md")?;
    Ok(String::new())
}

/// The files of an index are replaced and deleted while searches read them.
fn rebuild(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "rebuild", &[])?;
    for n in 0..200 {
        project.write(
            &format!("src/part_{n}.rs"),
            &format!("/// Part {n}.\npub fn part_{n}() -> usize {{\n    {n}\n}}\n"),
        )?;
    }
    let mut agent = Agent::start(wine, &project.root)?;
    expect(&agent.call("recall_search", r#"{"query":"part_7"}"#)?, "part_7")?;
    for n in 0..3 {
        let asked = agent.send("recall_search", &format!(r#"{{"query":"part_{n}"}}"#))?;
        project.recall(wine, &["rebuild"])?;
        agent.answer(asked)?;
        expect(&agent.call("recall_search", &format!(r#"{{"query":"part_{n}"}}"#))?, &format!("part_{n}"))?;
    }
    // An index may be deleted while nothing runs.
    project.recall(wine, &["daemon", "stop"])?;
    let stores = wine.home()?.join("data/stores");
    fs::remove_dir_all(&stores).map_err(|error| format!("{}: {error}", stores.display()))?;
    expect(&agent.call("recall_search", r#"{"query":"part_7"}"#)?, "part_7")?;
    project.recall(wine, &["compact"])?;
    let doctor = project.recall(wine, &["doctor"])?;
    Ok(doctor.lines().last().unwrap_or_default().to_owned())
}

/// Searches until the answer is complete: one that did not wait for the index or the scan says so.
fn wait_for(agent: &mut Agent, word: &str) -> Result<String, String> {
    let began = Instant::now();
    loop {
        let found = agent.call("recall_search", &format!(r#"{{"query":"{word}"}}"#))?;
        let is_settled = !found.contains("ask again") && !found.contains("may be missing");
        if is_settled || began.elapsed() > END {
            return Ok(found);
        }
    }
}

/// Files are made, edited, renamed and deleted; each search afterwards finds the new texts and no old one.
fn watcher(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "watched", &[("README.md", "# Watched\n")])?;
    let mut agent = Agent::start(wine, &project.root)?;
    agent.call("recall_search", r#"{"query":"watched"}"#)?;
    let (mut done, mut searches, mut stale) = (0, 0, 0);
    // The word of each file, by its number; `None` after it was deleted.
    let mut words: Vec<Option<String>> = Vec::new();
    let mut gone: Vec<String> = Vec::new();
    while done < OPERATIONS {
        let mut fresh = Vec::new();
        for _ in 0..ROUND {
            let kind = done % 5;
            let target = if words.is_empty() { 0 } else { (done * 7) % words.len() };
            let path = |n: usize| format!("notes/note_{n}.md");
            let word = format!("zwiebel{done}q");
            match kind {
                0 | 1 => {
                    project.write(&path(words.len()), &format!("# Note\n\nThe word is {word}.\n"))?;
                    words.push(Some(word.clone()));
                    fresh.push(word);
                }
                2 | 3 if words[target].is_some() => {
                    project.write(&path(target), &format!("# Edited\n\nThe word became {word}.\n"))?;
                    gone.extend(words[target].replace(word.clone()));
                    fresh.push(word);
                }
                _ => {
                    if let Some(old) = words[target].take() {
                        fs::remove_file(project.root.join(path(target))).map_err(|error| error.to_string())?;
                        gone.push(old);
                    }
                }
            }
            done += 1;
        }
        fresh.retain(|word| !gone.contains(word));
        for word in [fresh.first(), fresh.last()].into_iter().flatten() {
            searches += 1;
            let found = wait_for(&mut agent, word)?;
            expect(&found, &format!("{word}.")).map_err(|why| format!("after {done} operations: {why}"))?;
        }
        for word in gone.iter().rev().take(2) {
            searches += 1;
            stale += usize::from(wait_for(&mut agent, word)?.contains(&format!("{word}.")));
        }
    }
    check(stale == 0, || format!("{stale} of {searches} searches found a deleted text"))?;
    for word in words.iter().flatten() {
        expect(&wait_for(&mut agent, word)?, &format!("{word}."))?;
        searches += 1;
    }
    Ok(format!("{done} operations, {searches} searches, none stale"))
}

/// A session goes on while its older daemon is replaced by the one of another client.
fn upgrade(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "upgrade", &[("src/sessions.rs", SESSIONS)])?;
    let older = wine.command("test-recalld.exe", &[], &project.root).env("RECALL_TEST_VERSION", "0.0.1").spawn();
    let mut older = older.map_err(|error| error.to_string())?;
    let answers = within(END, || project.recall(wine, &["daemon", "status"]).is_ok_and(|said| said.contains("0.0.1")));
    check(answers, || "the older daemon does not answer".to_owned())?;
    let mut agent = Agent::with(wine, &project.root, &[("RECALL_CLIENT__REPLACE_OLDER", "false")])?;
    agent.call("recall_add", &memory("The upgrade keeps the papaya"))?;
    expect(&agent.call("recall_status", "{}")?, "0.0.1")?;
    // Calls go on while another client replaces the daemon.
    let mut replacing = wine.start("recall.exe", &["daemon", "start"], &project.root)?;
    let mut calls = 0;
    while !matches!(replacing.try_wait(), Ok(Some(_))) {
        calls += 1;
        agent.call("recall_add", &memory(&format!("The upgrade keeps the lychee{calls}x")))?;
    }
    expect(&agent.call("recall_status", "{}")?, env!("CARGO_PKG_VERSION"))?;
    let journal = journal_lines(&project.root.join(".recall"));
    for n in 1..=calls {
        expect(&journal, &format!("lychee{n}x")).map_err(|_| format!("memory {n} of {calls} is lost"))?;
    }
    expect(&agent.call("recall_search", r#"{"query":"papaya"}"#)?, "keeps the papaya")?;
    check(within(END, || matches!(older.try_wait(), Ok(Some(_)))), || "the older daemon still runs".to_owned())?;
    let daemons = wine.daemons().len();
    check(daemons == 1, || format!("{daemons} daemons run"))?;
    Ok(format!("{calls} memories written during the replacement, none lost"))
}

/// Two versions side by side: one daemon serves, the other gives way.
fn versions(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "versions", &[("src/sessions.rs", SESSIONS)])?;
    let first =
        wine.command("test-recalld.exe", &["--foreground"], &project.root).env("RECALL_TEST_VERSION", "0.0.1").spawn();
    let mut first = first.map_err(|error| error.to_string())?;
    let answers = within(END, || project.recall(wine, &["daemon", "status"]).is_ok_and(|said| said.contains("0.0.1")));
    check(answers, || "the other daemon does not answer".to_owned())?;
    // A daemon in the foreground belongs to a person: it is kept, and there is no second one for the same data.
    expect(&project.recall(wine, &["search", "open_sessions"])?, "src/sessions.rs")?;
    let second = wine.run("recalld.exe", &["--foreground"], &project.root)?;
    check(second.status.success(), || "the second daemon failed".to_owned())?;
    check(matches!(first.try_wait(), Ok(None)), || "the first daemon has ended".to_owned())?;
    project.recall(wine, &["daemon", "stop"])?;
    check(within(END, || matches!(first.try_wait(), Ok(Some(_)))), || "the first daemon still runs".to_owned())?;
    Ok(String::new())
}

/// Every memory that was acknowledged before a kill is there afterwards.
fn kills(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "kills", &[("src/sessions.rs", SESSIONS)])?;
    project.recall(wine, &["init"])?;
    let mut agent = Agent::start(wine, &project.root)?;
    let (mut acknowledged, mut unanswered) = (Vec::new(), 0);
    for n in 0..KILLS {
        agent.call("recall_add", &memory(&format!("Before kill {n} the pangolin{n}x slept")))?;
        acknowledged.push(n);
        // The kill comes while another memory is on its way.
        let sent = agent.send("recall_add", &memory(&format!("During kill {n} the tapir{n}x swam")))?;
        std::thread::sleep(Duration::from_millis((n % 17) as u64));
        check(wine.kill_daemons()? >= 1, || format!("no daemon ran at kill {n}"))?;
        unanswered += usize::from(agent.answer(sent).is_err());
    }
    let exported: String = journal_lines(&project.root.join(".recall"));
    for n in &acknowledged {
        expect(&exported, &format!("pangolin{n}x ")).map_err(|_| format!("memory {n} is not in the journal"))?;
    }
    let mut found = 0;
    for n in &acknowledged {
        let answer = agent.call("recall_search", &format!(r#"{{"query":"pangolin{n}x"}}"#))?;
        found += usize::from(answer.contains(&format!("pangolin{n}x slept")));
    }
    check(found == acknowledged.len(), || format!("{found} of {} memories were found", acknowledged.len()))?;
    Ok(format!(
        "{KILLS} kills, {found} of {} acknowledged memories found, {unanswered} calls failed",
        acknowledged.len()
    ))
}

fn journal_lines(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            text += &journal_lines(&path);
        } else if path.extension().is_some_and(|name| name == "jsonl") {
            text += &fs::read_to_string(&path).unwrap_or_default();
        }
    }
    text
}
