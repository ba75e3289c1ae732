//! The programs of recall with a home of their own, asked as a script asks them.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::programs;

/// How long an index may take to become whole.
const PATIENCE: Duration = Duration::from_mins(20);

/// The interval between two questions whether the index is whole.
const INTERVAL: Duration = Duration::from_millis(100);

/// When the daemon of an interrupted run ends by itself.
const IDLE_EXIT: &str = "5m";

/// The passages that are asked for: with two a file, more than ten files.
const PASSAGES: &str = "30";

/// What the answers are taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Corpus {
    /// Files of code; the others are not asked for.
    Code,
    /// All files.
    All,
}

/// An answer and its time as a whole process.
pub(crate) struct Answer {
    pub(crate) json: Value,
    pub(crate) ms: f64,
}

/// A passage of an answer.
pub(crate) struct Passage {
    pub(crate) path: String,
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) text: String,
}

/// The command line. Its daemon ends when this is dropped.
pub(crate) struct CommandLine {
    programs: PathBuf,
    home: PathBuf,
    settings: Vec<(&'static str, &'static str)>,
}

impl CommandLine {
    /// Takes an empty home. The settings are environment variables.
    pub(crate) fn new(
        programs: &Path,
        home: PathBuf,
        settings: &[(&'static str, &'static str)],
    ) -> Result<Self, String> {
        if home.exists() {
            fs::remove_dir_all(&home).map_err(|error| format!("cannot delete {}: {error}", home.display()))?;
        }
        fs::create_dir_all(&home).map_err(|error| format!("cannot create {}: {error}", home.display()))?;
        Ok(Self { programs: programs.to_owned(), home, settings: settings.to_vec() })
    }

    /// Returns a command of one of the programs, without the environment of this process.
    pub(crate) fn program(&self, name: &str, root: &Path) -> Command {
        let mut command = Command::new(self.programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("RECALL_HOME", &self.home)
            .env("RECALL_DAEMON__IDLE_EXIT", IDLE_EXIT)
            .env("LANG", "C.UTF-8")
            .envs(self.settings.iter().copied())
            .current_dir(root)
            .stdin(Stdio::null());
        command
    }

    /// Asks, and reads the answer. Nothing found is an answer.
    ///
    /// # Errors
    /// The program failed, or did not write JSON.
    pub(crate) fn ask<S: AsRef<OsStr>>(&self, root: &Path, arguments: &[S], input: &str) -> Result<Answer, String> {
        let mut command = self.program("recall", root);
        // Before the arguments: what follows a `--` among them is the question.
        command.args(["--json", "--no-pager"]).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begin = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("cannot start recall: {error}"))?;
        let mut standard_input = child.stdin.take().expect("the input is piped");
        // A command that does not read its input may end before it is written.
        drop(standard_input.write_all(input.as_bytes()));
        drop(standard_input);
        let output = child.wait_with_output().map_err(|error| format!("recall was lost: {error}"))?;
        let ms = begin.elapsed().as_secs_f64() * 1_000.0;
        let text = String::from_utf8_lossy(&output.stdout);
        if !matches!(output.status.code(), Some(0 | 1 | 7)) {
            return Err(format!("recall failed ({}): {}", output.status, text.chars().take(300).collect::<String>()));
        }
        let json = serde_json::from_str(&text).map_err(|error| format!("recall wrote no JSON: {error}"))?;
        Ok(Answer { json, ms })
    }

    /// Waits until an answer lacks nothing; returns the seconds.
    pub(crate) fn settle(&self, root: &Path) -> Result<f64, String> {
        let begin = Instant::now();
        loop {
            let output = self.program("recall", root).args(["search", "is everything here", "--json"]).output();
            let output = output.map_err(|error| format!("cannot start recall: {error}"))?;
            let text = String::from_utf8_lossy(&output.stdout);
            if programs::is_whole(&text) && serde_json::from_str(&text).is_ok_and(|json| is_at_rest(&json)) {
                return Ok(begin.elapsed().as_secs_f64());
            }
            if begin.elapsed() > PATIENCE {
                return Err(format!("the index of {} is not whole after {} s", root.display(), PATIENCE.as_secs()));
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Returns the passages of a search, best first, and its time.
    pub(crate) fn search(&self, root: &Path, question: &str, corpus: Corpus) -> Result<(Vec<Passage>, Answer), String> {
        // A text of several lines comes from standard input, as a report is pasted.
        let words = if question.contains('\n') { "-" } else { question };
        let of_type: &[&str] = if corpus == Corpus::Code { &["--type", "code"] } else { &[] };
        let arguments = [&["search", "--scope", "project", "--k", PASSAGES], of_type, &["--", words]].concat();
        let answer = self.ask(root, &arguments, question)?;
        let passages = answer.json["results"].as_array().into_iter().flatten().filter_map(passage).collect();
        Ok((passages, answer))
    }

    /// Ends the daemon.
    pub(crate) fn stop(&self) {
        drop(self.program("recall", &self.home).args(["daemon", "stop"]).output());
    }

    /// Returns the process of the daemon.
    pub(crate) fn pid(&self, root: &Path) -> Result<u32, String> {
        let status = self.ask(root, &["status"], "")?.json;
        status["daemon"]["pid"].as_f64().map(|pid| pid as u32).ok_or_else(|| "the daemon has no pid".to_owned())
    }
}

impl Drop for CommandLine {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Whether nothing is being indexed.
fn is_at_rest(answer: &Value) -> bool {
    let stats = &answer["stats"];
    stats["indexing"].is_null() && stats["stale_files"] == 0
}

fn passage(hit: &Value) -> Option<Passage> {
    let (doc, chunk) = (&hit["doc"], &hit["chunk"]);
    Some(Passage {
        // A memory has no path.
        path: doc["path"].as_str().or_else(|| doc["id"].as_str())?.to_owned(),
        first: chunk["start_line"].as_f64()? as usize,
        last: chunk["end_line"].as_f64()? as usize,
        text: chunk["text"].as_str()?.to_owned(),
    })
}
