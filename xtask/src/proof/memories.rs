//! Memories: which is found by a question in other words, and by its rarest word. The servers of memories are asked over MCP, as an
//! agent asks them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::mcp::Server;
use super::peers::{self, BASIC_MEMORY, SERVER_MEMORY};
use super::plot::Bar;
use super::recall::{CommandLine, Corpus};
use super::report::{Report, Table, figure, interval, outcomes};
use super::statistics::{self, Difference};
use super::{Bench, ripgrep, words};
use crate::{say, workspace};

/// The programs, by name. recall is the first: the others are compared with it.
const STORES: &[&str] = &["recall", "ripgrep", "basic-memory", "the official memory server", "claude-mem"];

/// The collection of this repository: memories, each with a question that shares no content word with it.
const COLLECTION: &str = "tests/collections/paraphrases/pairs.jsonl";

/// The kinds of questions.
const KINDS: [&str; 2] = ["in other words", "by its rarest word"];

/// The ranks of the memories, by kind of question.
type Ranks = [Vec<Option<usize>>; 2];

struct Memory {
    text: String,
    questions: [String; 2],
}

/// Asks every store both questions of every memory.
pub(crate) fn measure(bench: &Bench) -> Result<Report, String> {
    let memories = collection(bench)?;
    let mut report = Report { raw: Table::new(&["memory", "program", "kind", "rank"]), ..Report::default() };
    let mut runs: Vec<(&str, Ranks)> = Vec::new();
    for name in bench.select(STORES) {
        say(&format!("memories: {name}, {} memories\n", memories.len()));
        match Store::open(name, bench).and_then(|mut store| ask(&mut store, &memories)) {
            Ok(ranks) => runs.push((name, ranks)),
            Err(why) if name == "recall" => return Err(why),
            Err(why) => report.not_run.push(format!("{name}: {why}")),
        }
    }
    for (name, ranks) in &runs {
        for (kind, ranks) in KINDS.iter().zip(ranks) {
            for (at, rank) in ranks.iter().enumerate() {
                let rank = rank.map_or("-".to_owned(), |rank| rank.to_string());
                report.raw.rows.push(vec![at.to_string(), (*name).to_owned(), (*kind).to_owned(), rank]);
            }
        }
    }
    let mut summaries = Vec::new();
    for (at, kind) in KINDS.iter().enumerate() {
        summaries.push(format!("{kind}: {}", compare(&mut report, &runs, at, kind, bench.seed)));
    }
    report.summary = format!("{} memories, found among three {}", memories.len(), summaries.join("; "));
    report.remarks = REMARKS.iter().map(|remark| (*remark).to_owned()).collect();
    Ok(report)
}

const REMARKS: &[&str] = &[
    "The memories and their questions are `tests/collections/paraphrases`, written for this project: no question shares a content word with its \
     memory, so that no search by words can find it. A memory's rarest word is the one that fewest memories have, the longest of these. \
     The rules of recall were made with this collection in sight.",
    "basic-memory keeps a note a memory (`write_note`) and is asked with `search_notes` as it is by default; the official memory server keeps an \
     entity with one observation (`create_entities`) and is asked with `search_nodes`, which looks for the question as a part of a text. ripgrep ranks a \
     file a memory by the recipe of the questions about code. recall is asked by its command line. The question is given to each as it is; an agent may \
     ask again in other words, which is not measured.",
];

fn collection(bench: &Bench) -> Result<Vec<Memory>, String> {
    let text = fs::read_to_string(workspace().join(COLLECTION))
        .map_err(|error| format!("cannot read {COLLECTION}: {error}"))?;
    let rows = text.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>();
    let rows = rows.map_err(|error| format!("{COLLECTION}: {error}"))?;
    let pairs: Vec<(&str, &str)> = rows
        .iter()
        .filter_map(|row| Some((row["memory"].as_str()?, row["question"].as_str()?)))
        .take(bench.limit.max(1))
        .collect();
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    for (memory, _) in &pairs {
        for word in words::split_question(memory) {
            *files.entry(word).or_default() += 1;
        }
    }
    Ok(pairs.iter().map(|(text, question)| Memory::new(text, question, &files)).collect())
}

impl Memory {
    fn new(text: &str, question: &str, files: &BTreeMap<String, usize>) -> Self {
        let words = words::split_question(text);
        let rarest = words.iter().min_by_key(|word| (files[*word], std::cmp::Reverse(word.len())));
        Self { text: text.to_owned(), questions: [question.to_owned(), rarest.cloned().unwrap_or_default()] }
    }

    /// Returns where an answer first names or quotes the memory of a number.
    fn find_in(&self, answer: &str, at: usize) -> Option<usize> {
        let named = answer.find(&mark(at));
        named.into_iter().chain(answer.find(&self.text)).min()
    }
}

/// A store of memories.
enum Store {
    Recall(CommandLine, PathBuf),
    Ripgrep(PathBuf),
    Basic(Server),
    Official(Server),
}

impl Store {
    fn open(name: &str, bench: &Bench) -> Result<Self, String> {
        let folder = bench.place.join("memories").join(name.replace(' ', "-"));
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| format!("cannot delete {}: {error}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        match name {
            "recall" => {
                crate::programs::run_quietly(super::tree::git(&folder).args(["init", "--quiet"]))?;
                Ok(Self::Recall(bench.recall("memories", &[])?, folder))
            }
            "ripgrep" => {
                peers::version("rg")?;
                crate::programs::run_quietly(super::tree::git(&folder).args(["init", "--quiet"]))?;
                Ok(Self::Ripgrep(folder))
            }
            "basic-memory" => {
                let programs = peers::provide_python(bench, BASIC_MEMORY, &["python3.13", "python3.12", "python3.14"])?;
                let mut command = Command::new(programs.join("basic-memory"));
                command
                    .arg("mcp")
                    .env("HOME", &folder)
                    .env("BASIC_MEMORY_HOME", folder.join("notes"))
                    .current_dir(&folder);
                Server::start(command, log(&folder)?).map(Self::Basic)
            }
            "the official memory server" => {
                let mut command = Command::new(peers::provide_npm(bench, SERVER_MEMORY)?.join("mcp-server-memory"));
                command.env("MEMORY_FILE_PATH", folder.join("memory.jsonl")).current_dir(&folder);
                Server::start(command, log(&folder)?).map(Self::Official)
            }
            _ => {
                Err("its memories are summaries that a language model writes of sessions; it takes no memory as a text"
                    .to_owned())
            }
        }
    }

    fn add(&mut self, at: usize, text: &str) -> Result<(), String> {
        let name = mark(at);
        match self {
            Self::Recall(recall, root) => {
                let answer = recall.ask(root, &["remember", text, "--type", "lesson"], "")?;
                if answer.json["ok"] == true { Ok(()) } else { Err("recall did not remember".to_owned()) }
            }
            Self::Ripgrep(folder) => {
                fs::write(folder.join(format!("{name}.md")), text).map_err(|error| error.to_string())
            }
            Self::Basic(server) => {
                let note = json!({"title": name, "directory": "notes", "content": text});
                server.call("write_note", &note).map(|_| ())
            }
            Self::Official(server) => {
                let entity = json!({"name": name, "entityType": "memory", "observations": [text]});
                server.call("create_entities", &json!({"entities": [entity]})).map(|_| ())
            }
        }
    }

    /// Waits until what was added is searched.
    fn settle(&mut self) -> Result<(), String> {
        if let Self::Recall(recall, root) = self { recall.settle(root).map(|_| ()) } else { Ok(()) }
    }

    /// Returns the answer as one text, best first.
    fn search(&mut self, question: &str) -> Result<String, String> {
        match self {
            Self::Recall(recall, root) => {
                let passages = recall.search(root, question, Corpus::All)?.0;
                Ok(passages.into_iter().map(|passage| passage.text).collect::<Vec<_>>().join("\n"))
            }
            Self::Ripgrep(folder) => Ok(ripgrep::rank(folder, question, Corpus::All)?.join("\n")),
            Self::Basic(server) => server.call("search_notes", &json!({"query": question, "page_size": 30})),
            Self::Official(server) => server.call("search_nodes", &json!({"query": question})),
        }
    }
}

fn log(folder: &Path) -> Result<File, String> {
    let path = folder.join("server.log");
    File::create(&path).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The name that a memory has in a store that wants one.
fn mark(at: usize) -> String {
    format!("memory-{at:03}")
}

/// Adds all memories, then asks; returns the ranks of the memories, by kind of question.
fn ask(store: &mut Store, memories: &[Memory]) -> Result<Ranks, String> {
    for (at, memory) in memories.iter().enumerate() {
        store.add(at, &memory.text)?;
    }
    store.settle()?;
    let mut ranks = [Vec::new(), Vec::new()];
    for (at, memory) in memories.iter().enumerate() {
        for (ranks, question) in ranks.iter_mut().zip(&memory.questions) {
            ranks.push(rank(&store.search(question)?, memories, at));
        }
    }
    Ok(ranks)
}

/// Returns the rank of a memory in an answer: how many memories are named or quoted in it before this one, and one.
fn rank(answer: &str, memories: &[Memory], wanted: usize) -> Option<usize> {
    let wanted = memories[wanted].find_in(answer, wanted)?;
    let places = memories.iter().enumerate().filter_map(|(at, memory)| memory.find_in(answer, at));
    Some(places.filter(|place| *place < wanted).count() + 1)
}

/// Adds the table of one kind of questions; returns the means of the share among three.
fn compare(report: &mut Report, runs: &[(&str, Ranks)], kind: usize, title: &str, seed: u64) -> String {
    let within = |ranks: &[Option<usize>], k| -> Vec<f64> {
        ranks.iter().map(|rank| statistics::any_within(&[*rank], k)).collect()
    };
    let mut table = Table::new(&[
        title,
        "first",
        "among three",
        "among ten",
        "recall minus it, among three",
        "better / worse / equal",
    ]);
    let (mut bars, mut means) = (Vec::new(), Vec::new());
    for (name, ranks) in runs {
        let mut row = vec![(*name).to_owned()];
        row.extend([1, 3, 10].map(|k| figure(statistics::mean(&within(&ranks[kind], k)))));
        if *name == runs[0].0 {
            row.extend([String::new(), String::new()]);
        } else {
            let difference = Difference::compare(&within(&runs[0].1[kind], 3), &within(&ranks[kind], 3), seed);
            if difference.mean < 0.0 {
                report
                    .losses
                    .push(format!("{title}, among three: {name} is better; difference {}", interval(&difference)));
            }
            row.extend([interval(&difference), outcomes(difference.greater, difference.less, difference.equal)]);
        }
        let value = statistics::mean(&within(&ranks[kind], 3));
        bars.push(Bar { label: (*name).to_owned(), value, text: figure(value) });
        means.push(format!("{name} {}", figure(value)));
        table.rows.push(row);
    }
    report.tables.push(table);
    report.plot.get_or_insert((format!("Memories found among three, {title}"), bars));
    let missed = runs[0].1[kind].iter().filter(|rank| rank.is_none_or(|rank| rank > 3)).count();
    if missed > 0 {
        report
            .losses
            .push(format!("{title}: recall does not show {missed} of {} memories among three", runs[0].1[kind].len()));
    }
    means.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_counts_the_memories_before() {
        let memory = |text: &str| Memory { text: text.to_owned(), questions: [String::new(), String::new()] };
        let memories = [memory("use pnpm"), memory("wipe on Sunday"), memory("never call")];
        assert_eq!(rank("1. memory-002\n2. wipe on Sunday", &memories, 1), Some(2));
        assert_eq!(rank("never call", &memories, 2), Some(1));
        assert_eq!(rank("nothing", &memories, 0), None);
    }
}
