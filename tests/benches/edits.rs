//! A benchmark of freshness: an editor changes files in all the ways that editors do, and an oracle compares every answer.
//!
//! `cargo bench -p recall-tests --bench edits -- [OPERATIONS] [--busy]` performs 10,000 operations by default. After each one it
//! searches for what was written until it is found, and for what was replaced. It prints the time from a save to the first answer
//! with the text, and the number of stale answers. With `--busy`, another project is indexed again and again meanwhile.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::{Project, Sandbox};

/// The number of files at the start.
const FILES: usize = 300;

/// The number of files of the project that is indexed meanwhile.
const OTHER_FILES: usize = 3_000;

/// The operations by default.
const OPERATIONS: usize = 10_000;

/// A change that takes longer to be found is late.
const LATE: Duration = Duration::from_secs(2);

/// A change that takes longer to be found is lost.
const LOST: Duration = Duration::from_secs(20);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Tests build and start benchmarks too.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let operations = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(OPERATIONS);
    let is_busy = arguments.iter().any(|argument| argument == "--busy");
    let sandbox = recall_tests::sandbox!();
    let (project, other) = (sandbox.project("edited", &[]), sandbox.project("other", &[]));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if is_busy {
            for number in 0..OTHER_FILES {
                other.write(&format!("part_{}/file_{number}.rs", number % 40), other_text(number));
            }
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    sandbox.recall(&other, &["rebuild"]);
                }
            });
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(edit(&sandbox, &project, operations));
        over.store(true, Ordering::Relaxed);
    });
}

fn other_text(number: usize) -> String {
    let mut text = String::new();
    for at in 0..40 {
        let _ = writeln!(text, "pub fn part_{number}_{at}(value: u64) -> u64 {{ value * {at} }}");
    }
    text
}

async fn edit(sandbox: &Sandbox, project: &Project, operations: usize) {
    let mut editor = Editor::new(project.root().to_owned());
    for number in 0..FILES {
        editor.create(&format!("src/part_{}/file_{number}.rs", number % 20));
    }
    sandbox.recall(project, &["search", "warm up"]);
    let options = ConnectOptions {
        dirs: sandbox.dirs(),
        launch: Launch::Never,
        daemon_binary: None,
        daemon_home: None,
        client_name: "edits".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        replace: Replace::Older,
        deadline: Duration::from_secs(30),
        attempts: 1,
    };
    let root = project.root().to_string_lossy().into_owned();
    let context = v1::RequestContext { working_directory: root.clone(), project_root: root, ..Default::default() };
    let oracle = Oracle { client: Client::connect(&options).await.expect("the daemon runs"), context };
    let mut report = Report::default();
    for _ in 0..operations {
        let (what, changed) = editor.operate();
        *report.operations.entry(what).or_default() += 1;
        let began = Instant::now();
        // One of the changed files, and one of those that are gone.
        if let Some((path, word)) = editor.pick(&changed.written) {
            let took = oracle.await_word(&word, &path, began, &mut report).await;
            report.found.push(took);
        }
        if let Some(word) = changed.replaced.first() {
            oracle.expect_nothing(word, what, &mut report).await;
        }
        if let Some((path, word)) = editor.any() {
            oracle.await_word(&word, &path, Instant::now(), &mut report).await;
        }
    }
    report.print(&editor);
}

/// What an operation changed.
#[derive(Default)]
struct Changed {
    /// The files with a new text or a new path.
    written: Vec<String>,
    /// Words that no file has any more.
    replaced: Vec<String>,
}

/// An editor, with what each file should hold.
struct Editor {
    root: PathBuf,
    random: fastrand::Rng,
    /// The word in each file, by path below the root. Ignored files are not among them.
    files: BTreeMap<String, String>,
    /// The directories that the ignore file names, with their files.
    ignored: BTreeMap<String, BTreeMap<String, String>>,
    words: u64,
}

impl Editor {
    fn new(root: PathBuf) -> Self {
        Self { root, random: fastrand::Rng::with_seed(5), files: BTreeMap::new(), ignored: BTreeMap::new(), words: 0 }
    }

    /// Returns a word that was never used.
    fn word(&mut self) -> String {
        self.words += 1;
        let letters = |mut number: u64| {
            let mut text = String::new();
            for _ in 0..5 {
                text.push(char::from(b'a' + (number % 26) as u8));
                number /= 26;
            }
            text
        };
        format!("w{}q", letters(self.words))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn create(&mut self, path: &str) {
        let word = self.word();
        let at = self.path(path);
        fs::create_dir_all(at.parent().expect("below the root")).expect("made");
        fs::write(at, text(&word)).expect("written");
        self.files.insert(path.to_owned(), word);
    }

    fn any(&mut self) -> Option<(String, String)> {
        let at = self.random.usize(..self.files.len().max(1));
        self.files.iter().nth(at).map(|(path, word)| (path.clone(), word.clone()))
    }

    fn pick(&mut self, paths: &[String]) -> Option<(String, String)> {
        let path = self.random.choice(paths)?;
        self.files.get(path).map(|word| (path.clone(), word.clone()))
    }

    /// Performs one operation.
    fn operate(&mut self) -> (&'static str, Changed) {
        let Some((path, word)) = self.any() else { return self.create_one() };
        match self.random.u32(..100) {
            0..22 => self.save("write in place", &path, word, |at, text| fs::write(at, text).expect("written")),
            22..44 => self.save("write beside and rename", &path, word, |at, text| {
                let beside = at.with_extension("rs.tmp");
                fs::write(&beside, text).expect("written");
                fs::rename(beside, at).expect("renamed");
            }),
            44..54 => self.save("back up, write, delete the backup", &path, word, |at, text| {
                let backup = at.with_extension("rs~");
                fs::rename(at, &backup).expect("renamed");
                fs::write(at, text).expect("written");
                fs::remove_file(backup).expect("removed");
            }),
            54..60 => self.save("truncate, then write", &path, word, |at, text| {
                fs::write(at, "").expect("truncated");
                std::thread::sleep(Duration::from_millis(3));
                fs::write(at, text).expect("written");
            }),
            60..68 => self.create_one(),
            68..74 if self.files.len() > FILES / 2 => {
                fs::remove_file(self.path(&path)).expect("removed");
                self.files.remove(&path);
                ("delete", Changed { written: Vec::new(), replaced: vec![word] })
            }
            74..82 => self.rename(&path, word),
            82..86 => self.rename_by_case(&path, word),
            86..89 => self.move_directory(&path),
            89..92 => self.touch(&path),
            92..96 => self.format_many(),
            _ => self.ignore(),
        }
    }

    fn create_one(&mut self) -> (&'static str, Changed) {
        let path = format!("{}/made_{}.rs", self.open_folder("new"), self.words);
        self.create(&path);
        ("create", Changed { written: vec![path], replaced: Vec::new() })
    }

    /// Returns one of a few folders that is not ignored.
    fn open_folder(&mut self, name: &str) -> String {
        loop {
            let folder = format!("src/{name}_{}", self.random.u32(..12));
            if !self.ignored.contains_key(&folder) {
                return folder;
            }
        }
    }

    /// Gives a file a new text in a way of editors.
    fn save(
        &mut self,
        what: &'static str,
        path: &str,
        before: String,
        write: impl FnOnce(&Path, &str),
    ) -> (&'static str, Changed) {
        let word = self.word();
        write(&self.path(path), &text(&word));
        self.files.insert(path.to_owned(), word);
        (what, Changed { written: vec![path.to_owned()], replaced: vec![before] })
    }

    fn rename(&mut self, path: &str, word: String) -> (&'static str, Changed) {
        let to = format!("{}/renamed_{}.rs", self.open_folder("moved"), self.words);
        self.words += 1;
        self.move_file(path, to.clone(), word);
        ("rename", Changed { written: vec![to], replaced: Vec::new() })
    }

    fn rename_by_case(&mut self, path: &str, word: String) -> (&'static str, Changed) {
        let (folder, name) = path.rsplit_once('/').expect("no file is at the top");
        let changed = if name.chars().next().is_some_and(char::is_lowercase) {
            name[..1].to_uppercase() + &name[1..]
        } else {
            name[..1].to_lowercase() + &name[1..]
        };
        let to = format!("{folder}/{changed}");
        self.move_file(path, to.clone(), word);
        ("rename by case", Changed { written: vec![to], replaced: Vec::new() })
    }

    fn move_file(&mut self, path: &str, to: String, word: String) {
        let at = self.path(&to);
        fs::create_dir_all(at.parent().expect("below the root")).expect("made");
        fs::rename(self.path(path), at).expect("renamed");
        self.files.remove(path);
        self.files.insert(to, word);
    }

    fn move_directory(&mut self, path: &str) -> (&'static str, Changed) {
        let (folder, _) = path.rsplit_once('/').expect("no file is at the top");
        let to = format!("src/folder_{}", self.words);
        self.words += 1;
        fs::rename(self.path(folder), self.path(&to)).expect("renamed");
        let below = format!("{folder}/");
        let moved: Vec<String> = self.files.keys().filter(|path| path.starts_with(&below)).cloned().collect();
        let mut written = Vec::new();
        for path in moved {
            let word = self.files.remove(&path).expect("it is there");
            let path = format!("{to}/{}", &path[below.len()..]);
            self.files.insert(path.clone(), word);
            written.push(path);
        }
        ("move a directory", Changed { written, replaced: Vec::new() })
    }

    fn touch(&mut self, path: &str) -> (&'static str, Changed) {
        let at = self.path(path);
        fs::write(&at, fs::read(&at).expect("readable")).expect("written");
        ("write the same text", Changed { written: vec![path.to_owned()], replaced: Vec::new() })
    }

    fn format_many(&mut self) -> (&'static str, Changed) {
        let paths: BTreeSet<String> = (0..20).filter_map(|_| self.any()).map(|(path, _)| path).collect();
        let mut changed = Changed::default();
        for path in paths {
            let before = self.files[&path].clone();
            let word = self.word();
            fs::write(self.path(&path), text(&word)).expect("written");
            self.files.insert(path.clone(), word);
            changed.written.push(path);
            changed.replaced.push(before);
        }
        ("write twenty files", changed)
    }

    /// Adds a directory to the ignore file, or takes one out.
    fn ignore(&mut self) -> (&'static str, Changed) {
        let mut changed = Changed::default();
        if let Some((_, files)) = self.ignored.pop_first() {
            changed.written = files.keys().cloned().collect();
            self.files.extend(files);
        } else if let Some((path, _)) = self.any() {
            let (folder, _) = path.rsplit_once('/').expect("no file is at the top");
            let below = format!("{folder}/");
            let inside: Vec<String> = self.files.keys().filter(|path| path.starts_with(&below)).cloned().collect();
            let files: BTreeMap<String, String> =
                inside.into_iter().map(|path| (path.clone(), self.files.remove(&path).expect("there"))).collect();
            changed.replaced = files.values().cloned().collect();
            self.ignored.insert(folder.to_owned(), files);
        }
        let lines: Vec<String> = self.ignored.keys().map(|directory| format!("/{directory}/\n")).collect();
        fs::write(self.path(".ignore"), lines.concat()).expect("written");
        ("edit the ignore file", changed)
    }
}

fn text(word: &str) -> String {
    format!("//! A file with a word of its own.\npub fn {word}() -> &'static str {{\n    \"{word}\"\n}}\n")
}

/// Compares answers with files.
struct Oracle {
    client: Client,
    context: v1::RequestContext,
}

impl Oracle {
    async fn search(&self, word: &str) -> Vec<v1::Hit> {
        let request = v1::SearchRequest {
            context: Some(self.context.clone()),
            query: word.to_owned(),
            limit: Some(5),
            ..Default::default()
        };
        match self.client.search(request).await {
            Ok(answer) => answer.results,
            Err(status) => {
                println!("error: {}", status.message());
                Vec::new()
            }
        }
    }

    /// Searches until a word is found at its path. Returns how long that took since `began`.
    async fn await_word(&self, word: &str, path: &str, began: Instant, report: &mut Report) -> Duration {
        loop {
            let hits = self.search(word).await;
            let is_there =
                |hit: &v1::Hit| has(hit, word) && hit.doc.as_ref().is_some_and(|document| document.path == path);
            let took = began.elapsed();
            if let Some(wrong) = hits.iter().find(|hit| has(hit, word) && !is_there(hit)) {
                let at = wrong.doc.as_ref().map(|document| document.path.clone()).unwrap_or_default();
                report.stale.push(format!("{word} was found at {at} and is at {path}"));
            }
            if hits.iter().any(is_there) {
                report.late += u64::from(took > LATE);
                return took;
            }
            report.behind += 1;
            if took > LOST {
                report.lost.push(format!("{word} at {path}"));
                return took;
            }
        }
    }

    async fn expect_nothing(&self, word: &str, what: &str, report: &mut Report) {
        if let Some(hit) = self.search(word).await.iter().find(|hit| has(hit, word)) {
            let at = hit.doc.as_ref().map(|document| document.path.clone()).unwrap_or_default();
            report.stale.push(format!("after `{what}`, {word} was found at {at}"));
        }
    }
}

fn has(hit: &v1::Hit, word: &str) -> bool {
    hit.chunk.as_ref().is_some_and(|chunk| chunk.text.contains(word))
}

#[derive(Default)]
struct Report {
    operations: BTreeMap<&'static str, u64>,
    /// How long it took until a written text was found.
    found: Vec<Duration>,
    /// Answers that did not have a written text yet.
    behind: u64,
    late: u64,
    lost: Vec<String>,
    /// Answers with a text or a place that is no longer there.
    stale: Vec<String>,
}

impl Report {
    fn print(mut self, editor: &Editor) {
        println!("\n{} operations, {} files at the end", self.operations.values().sum::<u64>(), editor.files.len());
        for (what, count) in &self.operations {
            println!("  {what:<40} {count:>8}");
        }
        self.found.sort_unstable();
        let at = |part: f64| self.found[((self.found.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
        println!(
            "  save to answer: p50 {:.1} ms, p95 {:.1} ms, p99 {:.1} ms, most {:.1} ms, of {}",
            at(0.5),
            at(0.95),
            at(0.99),
            at(1.0),
            self.found.len()
        );
        println!("  {:<40} {:>8}", "answers before the text was there", self.behind);
        println!("  {:<40} {:>8}", "changes found after 2 s", self.late);
        println!("  {:<40} {:>8}", "changes not found", self.lost.len());
        println!("  {:<40} {:>8}", "stale answers", self.stale.len());
        for example in self.lost.iter().chain(&self.stale).take(20) {
            println!("    {example}");
        }
    }
}
