//! Gets public benchmarks, and the repositories that they ask about, from where their authors publish them, into the folder that
//! [`super::data`] reads. What is there already is not got again.
//!
//! | set | what | from |
//! |---|---|---|
//! | `code`, `commits` | questions and repositories | semble's repository; each repository at the revision that it names, with the commits before it |
//! | `swe` | reports and trees | `SWE-bench` Lite and Multilingual, by the rows of the hub of Hugging Face; the tree before each fix |
//! | `locomo` | dialogues | `LoCoMo`'s repository |
//! | `cosqa` | questions and functions | `CoSQA`'s repository |
//!
//! Nothing of it becomes a part of this repository: not every licence allows more than to measure.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{data, tree};
use crate::programs;
use crate::say;

/// Where repositories are, without `/OWNER/NAME`.
const GIT: &str = "https://github.com";

/// Where rows of data sets are.
const ROWS: &str = "https://datasets-server.huggingface.co/rows";

/// The most rows that one request may ask for.
const ROWS_AT_ONCE: usize = 100;

/// How many commits before its revision a repository of semble's benchmark brings, for questions about its history.
const HISTORY: usize = 400;

/// The data sets of whole reports: the file, and the name at the hub.
const REPORTS: [(&str, &str); 2] =
    [("lite.jsonl", "princeton-nlp/SWE-bench_Lite"), ("multilingual.jsonl", "SWE-bench/SWE-bench_Multilingual")];

/// Gets what some sets need.
///
/// # Errors
/// A set that was asked for could not be got at all. A repository that cannot be had is named and left out.
pub(crate) fn get(folder: &Path, sets: &[String], seed: u64) -> Result<(), String> {
    let is_wanted = |name: &str| sets.is_empty() || sets.iter().any(|set| set == name);
    fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    if is_wanted("code") || is_wanted("commits") || is_wanted("languages") {
        code(folder)?;
    }
    if is_wanted("swe") {
        reports(folder, seed)?;
    }
    if is_wanted("locomo") && !folder.join("locomo").exists() {
        let source = clone(folder, "snap-research/locomo")?;
        locomo(&data::read_json(&source.join("data/locomo10.json"))?)?.write(&folder.join("locomo"))?;
    }
    if is_wanted("cosqa") && !folder.join("cosqa").exists() {
        let search = clone(folder, "Jun-jie-Huang/CoCLR")?.join("data/search");
        let functions = data::read_json(&search.join("code_idx_map.txt"))?;
        cosqa(&functions, &data::read_json(&search.join("cosqa-retrieval-test-500.json"))?)
            .write(&folder.join("cosqa"))?;
    }
    Ok(())
}

/// Clones the newest tree of a repository below `sources`, unless it is there; returns its folder.
fn clone(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let place = folder.join("sources").join(name.replace('/', "+"));
    if !place.exists() {
        let mut command = tree::git(folder);
        command.args(["clone", "--quiet", "--depth", "1"]).arg(format!("{GIT}/{name}")).arg(&place);
        programs::run_command(&mut command)?;
    }
    Ok(place)
}

/// Gets semble's questions, and the repositories that they are about.
fn code(folder: &Path) -> Result<(), String> {
    let benchmark = clone(folder, "MinishLab/semble")?.join("benchmarks");
    let place = folder.join("code");
    let annotations = place.join("annotations");
    fs::create_dir_all(&annotations).map_err(|error| format!("cannot create {}: {error}", annotations.display()))?;
    copy(&benchmark.join("repos.json"), &place.join("repos.json"))?;
    let list = data::read_json(&place.join("repos.json"))?;
    let mut missing = Vec::new();
    for row in list.as_array().into_iter().flatten() {
        let (Some(name), Some(revision), Some(of)) =
            (row["name"].as_str(), row["revision"].as_str(), data::repository_of(row))
        else {
            continue;
        };
        let questions = format!("{name}.json");
        if copy(&benchmark.join("annotations").join(&questions), &annotations.join(&questions)).is_err() {
            continue;
        }
        let url = row["url"].as_str().map_or_else(|| format!("{GIT}/{of}"), str::to_owned);
        if let Err(why) = commits(folder, of, &url, &[revision], HISTORY) {
            missing.push(format!("{of}: {why}"));
        }
    }
    finish("code", &missing, folder)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("cannot copy {}: {error}", from.display()))
}

/// Gets whole reports, and the trees of those that the seed draws.
fn reports(folder: &Path, seed: u64) -> Result<(), String> {
    let place = folder.join("swe");
    fs::create_dir_all(&place).map_err(|error| format!("cannot create {}: {error}", place.display()))?;
    for (file, name) in REPORTS {
        let path = place.join(file);
        if !path.exists() {
            say(&format!("\n== the rows of {name}\n"));
            let lines: Vec<String> = rows(name)?.iter().map(Value::to_string).collect();
            fs::write(&path, lines.join("\n")).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
    }
    let mut missing = Vec::new();
    for (of, questions) in data::drawn_reports(&place, seed)? {
        let bases: BTreeSet<&str> =
            questions.iter().take(data::MOST_REPORTS).map(|question| question.commit.as_str()).collect();
        let bases: Vec<&str> = bases.into_iter().collect();
        if let Err(why) = commits(folder, &of, &format!("{GIT}/{of}"), &bases, 1) {
            missing.push(format!("{of}: {why}"));
        }
    }
    finish("swe", &missing, folder)
}

/// Says which repositories are missing.
fn finish(set: &str, missing: &[String], folder: &Path) -> Result<(), String> {
    for why in missing {
        say(&format!("{set}: without {why}\n"));
    }
    let there = fs::read_dir(folder.join("repositories")).is_ok_and(|mut entries| entries.next().is_some());
    if there { Ok(()) } else { Err(format!("no repository of `{set}` could be got")) }
}

/// Gets commits of a repository, each with its tree and the `depth - 1` commits before it.
fn commits(folder: &Path, name: &str, url: &str, wanted: &[&str], depth: usize) -> Result<(), String> {
    let place = folder.join("repositories").join(name.replace('/', "+"));
    if !place.exists() {
        fs::create_dir_all(&place).map_err(|error| format!("cannot create {}: {error}", place.display()))?;
        programs::run_quietly(tree::git(&place).args(["init", "--quiet", "--bare"]))?;
    }
    for commit in wanted {
        let branch = format!("refs/heads/at-{commit}");
        if tree::read_git(&place, &["rev-parse", "--verify", "--quiet", &branch]).is_ok() {
            continue;
        }
        let mut command = tree::git(&place);
        command.args(["fetch", "--quiet", "--no-tags", "--depth", &depth.to_string(), url, commit]);
        programs::run_command(&mut command)?;
        // A clone takes what branches reach.
        tree::read_git(&place, &["update-ref", &branch, "FETCH_HEAD"])?;
        tree::read_git(&place, &["symbolic-ref", "HEAD", &branch])?;
    }
    Ok(())
}

/// Gets the test split of a data set, with what [`data`] reads of each row.
fn rows(name: &str) -> Result<Vec<Value>, String> {
    let mut all = Vec::new();
    loop {
        let dataset = name.replace('/', "%2F");
        let url =
            format!("{ROWS}?dataset={dataset}&config=default&split=test&offset={}&length={ROWS_AT_ONCE}", all.len());
        let mut command = Command::new("curl");
        command.args(["--fail", "--silent", "--show-error", "--location", "--retry", "3", &url]);
        let output = command.output().map_err(|error| format!("cannot start curl: {error}"))?;
        if !output.status.success() {
            return Err(format!("cannot get {url}: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let page: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("{url}: {error}"))?;
        let before = all.len();
        all.extend(page["rows"].as_array().into_iter().flatten().map(|row| select_fields(&row["row"])));
        let total = page["num_rows_total"].as_u64().and_then(|total| usize::try_from(total).ok()).unwrap_or_default();
        if all.len() >= total || all.len() == before {
            return if all.is_empty() { Err(format!("{name} has no rows")) } else { Ok(all) };
        }
    }
}

fn select_fields(row: &Value) -> Value {
    let names = ["instance_id", "repo", "base_commit", "problem_statement", "patch"];
    names.iter().map(|name| ((*name).to_owned(), row[*name].clone())).collect::<serde_json::Map<_, _>>().into()
}

/// Documents and questions in the form of BEIR.
#[derive(Default)]
struct Collection {
    corpus: Vec<Value>,
    queries: Vec<Value>,
    /// The ids of a question and of a document that answers it.
    answers: Vec<(String, String)>,
}

impl Collection {
    /// Writes the files, in a folder that is complete once it has its name.
    fn write(&self, folder: &Path) -> Result<(), String> {
        let unfinished = folder.with_extension("unfinished");
        fs::create_dir_all(&unfinished).map_err(|error| format!("cannot create {}: {error}", unfinished.display()))?;
        let judgements: Vec<String> =
            self.answers.iter().map(|(query, document)| format!("{query}\t{document}\t1\n")).collect();
        for (name, content) in [
            ("corpus.jsonl", lines(&self.corpus)),
            ("queries.jsonl", lines(&self.queries)),
            ("qrels.tsv", format!("query-id\tcorpus-id\tscore\n{}", judgements.concat())),
        ] {
            let path = unfinished.join(name);
            fs::write(&path, content).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        fs::rename(&unfinished, folder).map_err(|error| format!("cannot rename {}: {error}", unfinished.display()))
    }
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect::<Vec<_>>().concat()
}

/// Turns of dialogues with their speaker and date; a question is asked in the turns of its dialogue. Questions of the fifth
/// category have no answer.
fn locomo(dialogues: &Value) -> Result<Collection, String> {
    const WITHOUT_ANSWER: u64 = 5;
    let mut collection = Collection::default();
    for (at, dialogue) in dialogues.as_array().ok_or("LoCoMo is not a list of dialogues")?.iter().enumerate() {
        let group = dialogue["sample_id"].as_str().map_or_else(|| format!("conv-{at}"), str::to_owned);
        let conversation =
            dialogue["conversation"].as_object().ok_or_else(|| format!("{group} has no conversation"))?;
        let mut turns: BTreeSet<String> = BTreeSet::new();
        for (name, session) in conversation {
            let date = conversation.get(&format!("{name}_date_time")).and_then(Value::as_str).unwrap_or_default();
            for turn in session.as_array().into_iter().flatten() {
                let (Some(id), Some(text)) = (turn["dia_id"].as_str(), turn["text"].as_str()) else { continue };
                let speaker = turn["speaker"].as_str().unwrap_or_default();
                let image = turn["blip_caption"].as_str().map(|of| format!(" [image: {of}]")).unwrap_or_default();
                let id = format!("{group}:{id}");
                collection.corpus.push(json!({
                    "_id": id, "group": group, "text": format!("({date}) {speaker}: {text}{image}"),
                }));
                turns.insert(id);
            }
        }
        for (number, question) in dialogue["qa"].as_array().into_iter().flatten().enumerate() {
            let Some(text) = question["question"].as_str() else { continue };
            let id = format!("{group}/q{number}");
            let evidence = question["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let answers: BTreeSet<String> =
                evidence.map(|turn| format!("{group}:{turn}")).filter(|turn| turns.contains(turn)).collect();
            if answers.is_empty() || question["category"].as_u64() == Some(WITHOUT_ANSWER) {
                continue;
            }
            collection.queries.push(json!({"_id": id, "group": group, "text": text}));
            collection.answers.extend(answers.into_iter().map(|turn| (id.clone(), turn)));
        }
    }
    Ok(collection)
}

/// Functions of Python and the questions that one of them answers.
///
/// `functions` maps a text to its number; a question names the number.
fn cosqa(functions: &Value, questions: &Value) -> Collection {
    let numbered: BTreeMap<u64, &String> =
        functions.as_object().into_iter().flatten().filter_map(|(text, at)| Some((at.as_u64()?, text))).collect();
    let mut collection = Collection {
        corpus: numbered.iter().map(|(at, text)| json!({"_id": format!("c{at}"), "text": text})).collect(),
        ..Collection::default()
    };
    for question in questions.as_array().into_iter().flatten() {
        let (Some(id), Some(text), Some(at)) =
            (question["idx"].as_str(), question["doc"].as_str(), question["retrieval_idx"].as_u64())
        else {
            continue;
        };
        collection.queries.push(json!({"_id": id, "text": text}));
        collection.answers.push((id.to_owned(), format!("c{at}")));
    }
    collection
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn a_turn_keeps_its_speaker_and_date_and_answers_its_question() {
        let collection = locomo(&parse(
            r#"[{"sample_id": "conv-1", "conversation": {"speaker_a": "Ann", "session_1_date_time": "8 May", "session_1":
                [{"speaker": "Ann", "dia_id": "D1:1", "text": "I have a dog", "blip_caption": "a dog"}]}, "qa":
                [{"question": "Which pet?", "evidence": ["D1:1", "D9:9"], "category": 1},
                 {"question": "Which car?", "evidence": ["D1:1"], "category": 5}]}]"#,
        ))
        .expect("dialogues");
        assert_eq!(collection.corpus[0]["text"], "(8 May) Ann: I have a dog [image: a dog]");
        assert_eq!(collection.queries.len(), 1, "a question without an answer is none");
        assert_eq!(collection.answers, [("conv-1/q0".to_owned(), "conv-1:D1:1".to_owned())]);
    }

    #[test]
    fn a_question_is_answered_by_the_function_of_its_number() {
        let questions = parse(r#"[{"idx": "q1", "doc": "sort a list", "retrieval_idx": 1}, {"idx": "q2"}]"#);
        let collection = cosqa(&parse(r#"{"def a(): 1": 1, "def b(): 2": 0}"#), &questions);
        assert_eq!(collection.corpus[1], json!({"_id": "c1", "text": "def a(): 1"}));
        assert_eq!(collection.answers, [("q1".to_owned(), "c1".to_owned())]);
    }

    #[test]
    fn commits_are_got_with_as_much_history_as_is_asked_for() {
        let place = std::env::temp_dir().join(format!("proof-fetch-{}", std::process::id()));
        let source = place.join("source");
        fs::create_dir_all(&source).expect("a folder");
        programs::run_quietly(tree::git(&source).args(["init", "--quiet"])).expect("git works");
        for text in ["one", "two", "three"] {
            fs::write(source.join("a.rs"), text).expect("written");
            let who = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
            for arguments in [&["add", "."][..], &["commit", "--quiet", "-m", text]] {
                programs::run_quietly(tree::git(&source).args(who).args(arguments)).expect("git works");
            }
        }
        let log = tree::read_git(&source, &["log", "--format=%H"]).expect("a history");
        let [newest, middle, _] = log.lines().collect::<Vec<_>>()[..] else { panic!("three commits") };
        let url = format!("file://{}", source.display());
        commits(&place, "owner/name", &url, &[newest], 2).expect("got");
        commits(&place, "owner/name", "file:///nowhere", &[newest], 2).expect("it is there");
        let bare = place.join("repositories/owner+name");
        let got = tree::read_git(&bare, &["log", "--format=%H", "HEAD"]).expect("a history");
        assert_eq!(got.lines().collect::<Vec<_>>(), [newest, middle]);
        let checkout = tree::Checkout::clone(&bare, place.join("clone")).expect("cloned");
        checkout.switch(newest).expect("switched");
        assert_eq!(fs::read_to_string(checkout.root.join("a.rs")).expect("there"), "three");
        assert!(commits(&place, "owner/other", "file:///nowhere", &[newest], 1).is_err());
        fs::remove_dir_all(&place).expect("deleted");
    }
}
