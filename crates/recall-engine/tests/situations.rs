//! Which memories are shown in a situation: 120 situations of agents with 45 memories about a small project.
//!
//! `tests/collections/situations` has them, and what a careful colleague would say in each. The rules were written for those with odd
//! numbers; those with even numbers are held out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use recall_core::{AddMemory, Scope};
use recall_engine::{Occasion, RemindRequest, ReminderSubject};
use serde::Deserialize;

use crate::support::{Sandbox, new_memory};

#[derive(Deserialize)]
struct KnownMemory {
    id: String,
    #[serde(rename = "type")]
    memory_type: String,
    title: String,
    content: String,
    files: Vec<String>,
}

#[derive(Deserialize)]
struct Situation {
    id: String,
    kind: String,
    #[serde(default)]
    command: String,
    #[serde(default)]
    output: String,
    #[serde(default)]
    pattern: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    prompt: String,
    expected: BTreeSet<String>,
}

impl Situation {
    fn occasion(&self) -> Occasion {
        match self.kind.as_str() {
            "command" => Occasion::Command(self.command.clone()),
            "failure" => Occasion::Failure { command: self.command.clone(), output: self.output.clone() },
            "search" if self.pattern.is_empty() => Occasion::Command(self.command.clone()),
            "search" => Occasion::Search(self.pattern.clone()),
            "file" => Occasion::File(self.path.clone()),
            _ => Occasion::Prompt(self.prompt.clone()),
        }
    }

    fn is_held_out(&self) -> bool {
        self.id.ends_with(['0', '2', '4', '6', '8'])
    }
}

/// How many memories were shown, how many of these rightly, and how many were expected.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    shown: usize,
    right: usize,
    expected: usize,
}

impl Tally {
    fn precision(self) -> f64 {
        self.right as f64 / self.shown.max(1) as f64
    }

    fn misses(self) -> f64 {
        1.0 - self.right as f64 / self.expected.max(1) as f64
    }
}

fn collection() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/collections/situations")
}

fn rows<T: serde::de::DeserializeOwned>(file: &str) -> Vec<T> {
    let text = fs::read_to_string(collection().join(file)).expect("readable");
    text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

fn files_below(folder: &Path, root: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files_below(&path, root, files);
        } else {
            let name = path.strip_prefix(root).expect("below").to_string_lossy().replace('\\', "/");
            files.push((name, fs::read_to_string(&path).expect("text")));
        }
    }
}

#[test]
fn memories_are_shown_in_the_situations_that_they_are_about() {
    let root = collection().join("corpus");
    let mut files = Vec::new();
    files_below(&root, &root, &mut files);
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let sandbox = Sandbox::with(&files);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let mut names = BTreeMap::new();
    for KnownMemory { id, memory_type, title, content, files } in rows::<KnownMemory>("memories.jsonl") {
        let memory_type = memory_type.parse().expect("a type");
        let memory = AddMemory { related_files: files, ..new_memory(memory_type, title, content) };
        let report = engine.add_memory(&sandbox.origin(), &memory).expect("added");
        names.insert(report.id, id);
    }
    let mut tallies: BTreeMap<(bool, String), Tally> = BTreeMap::new();
    for situation in rows::<Situation>("situations.jsonl") {
        let request = RemindRequest {
            occasion: situation.occasion(),
            budget_tokens: 600,
            place_confidence: 0.2,
            memory_confidence: 0.1,
            shown: BTreeSet::new(),
            session: None,
            others_within: std::time::Duration::from_mins(15),
            replacements: Vec::new(),
            scope: Scope::All,
        };
        let reminders = engine.remind(&sandbox.origin(), &request).expect("an answer").reminders;
        let shown: BTreeSet<String> = reminders
            .iter()
            .filter_map(|reminder| match &reminder.subject {
                ReminderSubject::Memory(id) => names.get(id).cloned(),
                ReminderSubject::Place(_) | ReminderSubject::Session(_) => None,
            })
            .collect();
        if shown != situation.expected && std::env::var_os("SHOW_SITUATIONS").is_some() {
            let (id, expected, occasion) = (&situation.id, &situation.expected, situation.occasion());
            eprintln!("{id}: expected {expected:?}, shown {shown:?}: {occasion:?}");
        }
        for kind in [situation.kind.as_str(), "all"] {
            let tally = tallies.entry((situation.is_held_out(), kind.to_owned())).or_default();
            tally.shown += shown.len();
            tally.right += shown.intersection(&situation.expected).count();
            tally.expected += situation.expected.len();
        }
    }
    for ((is_held_out, kind), tally) in &tallies {
        let half = if *is_held_out { "held out" } else { "development" };
        eprintln!("{half} {kind}: precision {:.2}, misses {:.2}, {tally:?}", tally.precision(), tally.misses());
    }
    for is_held_out in [false, true] {
        let tally = tallies[&(is_held_out, "all".to_owned())];
        assert!(tally.precision() >= 0.8 && tally.misses() <= 0.35, "{tally:?}");
    }
}
