//! Public benchmarks in a folder that the caller names. None is shipped, and only numbers about them are written.
//!
//! | below the folder | format |
//! |---|---|
//! | `repositories/OWNER+NAME` | a git repository, bare or not |
//! | `code/repos.json`, `code/annotations/NAME.json` | semble's benchmark of code search |
//! | `languages/NAME.json` | questions about its repositories in several languages: as its annotations, with `lang` and `source` |
//! | `swe/*.jsonl` | SWE-bench and its relatives: a report, and a patch or the names of the files |
//! | `NAME/corpus.jsonl`, `queries.jsonl`, `qrels.tsv` | BEIR, with a `group` of documents and questions, which may be missing |

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::Bench;
use super::ranking::Group;
use super::recall::Corpus;
use super::statistics::Random;
use super::tree::{self, Checkout, Place, Question};
use crate::programs;

/// Returns the repositories of the folder, by name.
pub(crate) fn repositories(bench: &Bench) -> Result<Vec<(String, PathBuf)>, String> {
    let folder = bench.data()?.join("repositories");
    let entries = fs::read_dir(&folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let path = path.canonicalize().map_err(|error| format!("cannot open {}: {error}", path.display()))?;
        let is_bare = path.join("HEAD").exists() && path.join("objects").exists();
        if is_bare || path.join(".git").exists() {
            found.push((entry.file_name().to_string_lossy().into_owned(), path));
        }
    }
    found.sort();
    if found.is_empty() { Err(format!("{} has no git repository", folder.display())) } else { Ok(found) }
}

/// Returns the repository `OWNER/NAME`, if it is there.
fn repository<'a>(all: &'a [(String, PathBuf)], name: &str) -> Option<&'a Path> {
    let wanted = name.replace('/', "+");
    all.iter().find(|(name, _)| name.eq_ignore_ascii_case(&wanted)).map(|(_, path)| path.as_path())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Reads a file of JSON.
pub(crate) fn read_json(path: &Path) -> Result<Value, String> {
    parse(&read(path)?, path)
}

fn parse(text: &str, path: &Path) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("{}: {error}", path.display()))
}

fn read_lines(path: &Path) -> Result<Vec<Value>, String> {
    read(path)?.lines().filter(|line| !line.trim().is_empty()).map(|line| parse(line, path)).collect()
}

/// Returns `OWNER/NAME` of a row of semble's list of repositories.
pub(crate) fn repository_of(row: &Value) -> Option<&str> {
    if let Some(name) = text(row, &["github", "repo"]) {
        return Some(name);
    }
    let url = row["url"].as_str()?;
    let url = url.strip_suffix(".git").unwrap_or(url);
    url.match_indices('/').rev().nth(1).map(|(at, _)| &url[at + 1..])
}

fn text<'a>(row: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| row[name].as_str())
}

/// Questions about code with judged files: one group a repository that is there, at the commit that the benchmark names, cut to the folder
/// that it names.
pub(crate) fn code(bench: &Bench) -> Result<Vec<Group>, String> {
    Ok(cut(read_trees(bench, "code", Path::new("code/annotations"))?, bench.limit))
}

/// The same questions in several languages. The limit is that of the questions of one language.
///
/// The id of a question is `NAME/LANGUAGE/N`, with the same number in each language.
pub(crate) fn languages(bench: &Bench) -> Result<Vec<Group>, String> {
    let groups = read_trees(bench, "languages", Path::new("languages"))?;
    let languages: BTreeSet<&str> =
        groups.iter().flat_map(|group| &group.questions).filter_map(|question| question.id.split('/').nth(1)).collect();
    let limit = bench.limit * languages.len();
    Ok(cut(groups, limit))
}

/// Reads the annotations of one folder about the repositories of semble's benchmark.
fn read_trees(bench: &Bench, set: &str, folder: &Path) -> Result<Vec<Group>, String> {
    let (data, repositories) = (bench.data()?, repositories(bench)?);
    let names = data.join("code/repos.json");
    let list = read_json(&names)?;
    let mut groups = Vec::new();
    for row in list.as_array().into_iter().flatten() {
        let name = text(row, &["name"]).ok_or("a repository of repos.json has no name")?;
        let source = repository_of(row).and_then(|of| repository(&repositories, of));
        let annotations = data.join(folder).join(format!("{name}.json"));
        let (Some(source), true) = (source, annotations.exists()) else { continue };
        let revision = text(row, &["revision"]).unwrap_or("HEAD");
        let root = bench.place.join("trees").join(format!("{set}-{name}"));
        lay(source, revision, text(row, &["benchmark_root"]), &root)?;
        let base = text(row, &["benchmark_root"]).unwrap_or_default();
        let questions = read_annotations(name, &read_json(&annotations)?, &root, base);
        groups.push(Group { root, history: None, corpus: Corpus::Code, questions });
    }
    Ok(groups)
}

/// Lays a tree, or a folder of it, without its history.
fn lay(source: &Path, revision: &str, folder: Option<&str>, root: &Path) -> Result<(), String> {
    if root.exists() {
        fs::remove_dir_all(root).map_err(|error| format!("cannot delete {}: {error}", root.display()))?;
    }
    fs::create_dir_all(root).map_err(|error| format!("cannot create {}: {error}", root.display()))?;
    let archive = root.with_extension("tar");
    let mut command = tree::git(source);
    command.args(["archive", "--output"]).arg(&archive).arg(revision).args(folder.filter(|folder| !folder.is_empty()));
    programs::run_quietly(&mut command)?;
    programs::run_quietly(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(root))?;
    // Without it, the tree would be a part of the repository in which it lies.
    programs::run_quietly(tree::git(root).args(["init", "--quiet"]))?;
    fs::remove_file(&archive).map_err(|error| error.to_string())
}

/// Reads the questions of a repository. Their paths are below the tree or below the benchmark's folder.
fn read_annotations(name: &str, list: &Value, root: &Path, base: &str) -> Vec<Question> {
    let mut sources: Vec<&str> = Vec::new();
    let mut questions = Vec::new();
    for (at, row) in list.as_array().into_iter().flatten().enumerate() {
        let id = if let (Some(language), Some(source)) = (row["lang"].as_str(), row["source"].as_str()) {
            let number = sources.iter().position(|known| *known == source).unwrap_or_else(|| {
                sources.push(source);
                sources.len() - 1
            });
            format!("{name}/{language}/{number}")
        } else {
            format!("{name}/{at}")
        };
        questions.extend(annotation(&id, row, root, base));
    }
    questions.retain(|question| !question.places.is_empty());
    questions
}

fn annotation(id: &str, row: &Value, root: &Path, base: &str) -> Option<Question> {
    let targets =
        row["relevant"].as_array().into_iter().flatten().chain(row["secondary"].as_array().into_iter().flatten());
    let text = row["query"].as_str()?.to_owned();
    let places = targets.filter_map(|target| target_file(target, root, base)).collect();
    Some(Question { id: id.to_owned(), text, commit: String::new(), places })
}

/// Returns the file of a target, which is a path or an object with one.
fn target_file(target: &Value, root: &Path, base: &str) -> Option<Place> {
    let path = target.as_str().or_else(|| target["path"].as_str())?;
    let below = format!("{base}/{path}");
    let is_below = !root.join(path).exists() && root.join(&below).exists();
    Some(Place { path: if is_below { below } else { path.to_owned() }, lines: None })
}

/// The most reports of a repository; more would make one repository the result.
pub(crate) const MOST_REPORTS: usize = 8;

/// Returns the reports of a folder by repository, `OWNER/NAME`, each list in the order in which the seed draws from it.
pub(crate) fn drawn_reports(folder: &Path, seed: u64) -> Result<BTreeMap<String, Vec<Question>>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    let mut questions: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for row in files.iter().map(|path| read_lines(path)).collect::<Result<Vec<_>, _>>()?.iter().flatten() {
        if let Some((repository, question)) = report(row) {
            questions.entry(repository).or_default().push(question);
        }
    }
    for questions in questions.values_mut() {
        questions.sort_by(|left, right| left.id.cmp(&right.id));
        Random::new(seed).shuffle(questions);
    }
    Ok(questions)
}

/// Reports with the files, or the lines, that their fixes changed. Each is asked in the tree before its fix.
pub(crate) fn reports(bench: &Bench) -> Result<Vec<Group>, String> {
    let (folder, repositories) = (bench.data()?.join("swe"), repositories(bench)?);
    let mut groups = Vec::new();
    for (name, mut questions) in drawn_reports(&folder, bench.seed)? {
        let Some(source) = repository(&repositories, &name) else { continue };
        questions.retain_mut(|question| {
            // What the fix added is not in the tree; a commit may be missing in a copy of the repository.
            let commit = question.commit.clone();
            question.places.retain(|place| {
                tree::read_git(source, &["cat-file", "-e", &format!("{commit}:{}", place.path)]).is_ok()
            });
            !question.places.is_empty()
        });
        let checkout = Checkout::clone(source, bench.place.join("trees").join(name.replace('/', "+")))?;
        let questions = checkout.complete(questions, MOST_REPORTS);
        groups.push(Group { root: checkout.root.clone(), history: Some(checkout), corpus: Corpus::Code, questions });
    }
    Ok(cut(groups, bench.limit))
}

/// Reads an instance; one without files of code that changed is none.
fn report(row: &Value) -> Option<(String, Question)> {
    let places = if let Some(patch) = row["patch"].as_str() {
        tree::changed_places(patch)
    } else {
        let paths =
            row["files"].as_array().into_iter().flatten().filter_map(Value::as_str).filter(|path| tree::is_code(path));
        paths.map(|path| Place { path: path.to_owned(), lines: None }).collect()
    };
    let question = Question {
        id: text(row, &["instance_id"])?.to_owned(),
        text: text(row, &["problem_statement", "problem"])?.to_owned(),
        commit: text(row, &["base_commit", "base"])?.to_owned(),
        places,
    };
    (!question.places.is_empty()).then(|| (row["repo"].as_str().unwrap_or_default().to_owned(), question))
}

/// Cuts to a number of questions, one a group in turn.
fn cut(mut groups: Vec<Group>, limit: usize) -> Vec<Group> {
    let mut keep = vec![0; groups.len()];
    let (mut left, mut before) = (limit, usize::MAX);
    while left > 0 && left != before {
        before = left;
        for (keep, group) in keep.iter_mut().zip(&groups) {
            if left > 0 && *keep < group.questions.len() {
                (*keep, left) = (*keep + 1, left - 1);
            }
        }
    }
    for (group, keep) in groups.iter_mut().zip(keep) {
        group.questions.truncate(keep);
    }
    groups.retain(|group| !group.questions.is_empty());
    groups
}

/// Questions about documents: each document is a file, each group of documents a tree.
pub(crate) fn documents(bench: &Bench, set: &str, ending: &str) -> Result<Vec<Group>, String> {
    let folder = bench.data()?.join(set);
    let place = bench.place.join("trees").join(set);
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|error| format!("cannot delete {}: {error}", place.display()))?;
    }
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for (at, row) in read_lines(&folder.join("corpus.jsonl"))?.iter().enumerate() {
        let id = row["_id"].as_str().ok_or("a document has no _id")?;
        // The name says nothing: an id may be a path, or tell the answer.
        let file = format!("{at}.{ending}");
        let path = place.join(group_of(row)).join(&file);
        fs::create_dir_all(path.parent().expect("it is in a folder")).map_err(|error| error.to_string())?;
        let title = row["title"].as_str().filter(|title| !title.is_empty()).map(|title| format!("{title}\n\n"));
        let content = format!("{}{}\n", title.unwrap_or_default(), row["text"].as_str().unwrap_or_default());
        fs::write(&path, content).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        files.insert(id.to_owned(), file);
    }
    let mut relevant: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for line in read(&folder.join("qrels.tsv"))?.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [query, document, score] = cells[..] else { continue };
        if let (Some(file), true) = (files.get(document), score.trim().parse::<f64>().is_ok_and(|score| score > 0.0)) {
            relevant.entry(query.to_owned()).or_default().push(Place { path: file.clone(), lines: None });
        }
    }
    let mut groups: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for row in read_lines(&folder.join("queries.jsonl"))? {
        let (Some(id), Some(text)) = (row["_id"].as_str(), row["text"].as_str()) else { continue };
        if let Some(places) = relevant.remove(id) {
            let question = Question { id: id.to_owned(), text: text.to_owned(), commit: String::new(), places };
            groups.entry(group_of(&row)).or_default().push(question);
        }
    }
    let mut random = Random::new(bench.seed);
    let mut made = Vec::new();
    for (name, mut questions) in groups {
        random.shuffle(&mut questions);
        let root = place.join(name);
        programs::run_quietly(tree::git(&root).args(["init", "--quiet"]))?;
        made.push(Group { root, history: None, corpus: Corpus::All, questions });
    }
    Ok(cut(made, bench.limit))
}

/// Returns the folder of a document's or a question's group.
fn group_of(row: &Value) -> String {
    let name = row["group"].as_str().unwrap_or("all");
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_has_the_files_or_the_lines_of_its_fix() {
        let row = r#"{"instance_id": "a__b-1", "repo": "a/b", "base_commit": "c0", "problem_statement": "It fails",
            "patch": "--- a/x.py\n+++ b/x.py\n@@ -5 +5 @@\n-a\n+b\n"}"#;
        let (repository, question) = report(&serde_json::from_str(row).expect("JSON")).expect("a report");
        assert_eq!((repository.as_str(), question.commit.as_str()), ("a/b", "c0"));
        assert_eq!(question.places, [Place { path: "x.py".to_owned(), lines: Some((5, 5)) }]);
        let row = r#"{"instance_id": "a", "repo": "a/b", "base": "c0", "problem": "x", "files": ["y.go", "NEWS.md"]}"#;
        let (_, question) = report(&serde_json::from_str(row).expect("JSON")).expect("a report");
        assert_eq!(question.places, [Place { path: "y.go".to_owned(), lines: None }]);
        let row = r#"{"instance_id": "a", "repo": "a/b", "base": "c0", "problem": "x", "files": ["NEWS.md"]}"#;
        assert!(report(&serde_json::from_str(row).expect("JSON")).is_none(), "prose only");
    }

    #[test]
    fn a_repository_is_named_or_has_an_address() {
        for (row, expected) in [
            (json!({"url": "https://github.com/a/b.nvim.git"}), Some("a/b.nvim")),
            (json!({"github": "a/b"}), Some("a/b")),
            (json!({"name": "b"}), None),
        ] {
            assert_eq!(repository_of(&row), expected);
        }
    }

    #[test]
    fn a_question_has_one_number_in_all_languages() {
        let list = r#"[{"query": "a", "lang": "en", "source": "a", "relevant": ["x.go"]}, {"query": "b", "lang": "en", "source": "b",
            "relevant": ["y.go"]}, {"query": "c", "lang": "de", "source": "b", "relevant": [{"path": "y.go"}], "secondary": []}]"#;
        let questions = read_annotations("gin", &serde_json::from_str(list).expect("JSON"), Path::new("none"), "");
        let ids: Vec<&str> = questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(ids, ["gin/en/0", "gin/en/1", "gin/de/1"]);
    }

    #[test]
    fn a_limit_takes_from_each_group_in_turn() {
        let question =
            |id: &str| Question { id: id.to_owned(), text: String::new(), commit: String::new(), places: Vec::new() };
        let group = |ids: &[&str]| Group {
            root: PathBuf::new(),
            history: None,
            corpus: Corpus::All,
            questions: ids.iter().map(|id| question(id)).collect(),
        };
        let sizes = |limit| -> Vec<usize> {
            cut(vec![group(&["a"]), group(&["b", "c", "d"])], limit).iter().map(|group| group.questions.len()).collect()
        };
        assert_eq!([sizes(3), sizes(1), sizes(99)], [vec![1, 2], vec![1], vec![1, 3]]);
    }
}
