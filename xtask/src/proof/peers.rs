//! The programs that are compared, each asked for the files that answer a question.
//!
//! A peer is installed from its registry into a folder of its own. One that cannot be had, or fails, says why.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::recall::{CommandLine, Corpus};
use super::{Bench, ripgrep};
use crate::programs::{self, Install};

/// The programs that answer questions about files. recall is the first: the others are compared with it.
pub(crate) const SEARCHERS: &[&str] = &["recall", "recall without rankers", "ripgrep", "semble", "qmd"];

/// The versions that are installed.
pub(crate) const SEMBLE: &str = "semble==0.7.0";
pub(crate) const BASIC_MEMORY: &str = "basic-memory==0.24.1";
pub(crate) const SERVER_MEMORY: &str = "@modelcontextprotocol/server-memory@2026.8.31";

/// recall without its model and its learned ranking: BM25 of the words, fused by rank with what the paths and the symbols find.
const WORDS_ONLY: &[(&str, &str)] = &[("RECALL_SEARCH__RANKER", "none"), ("RECALL_SEARCH__MODEL", "none")];

/// The files of an answer that count.
const FILES: usize = 10;

/// A program that answers.
pub(crate) enum Searcher {
    /// recall, with the arguments that its searches add.
    Recall(CommandLine),
    Ripgrep,
    Semble(Semble),
}

impl Searcher {
    /// Opens a program by its name in [`SEARCHERS`].
    ///
    /// # Errors
    /// Says why it cannot be used here.
    pub(crate) fn open(name: &str, bench: &Bench) -> Result<Self, String> {
        match name {
            "recall" => bench.recall("recall", &[]).map(Self::Recall),
            "recall without rankers" => bench.recall("words", WORDS_ONLY).map(Self::Recall),
            "ripgrep" => version("rg").map(|_| Self::Ripgrep),
            "semble" => Semble::open(bench).map(Self::Semble),
            _ => Err(qmd()),
        }
    }

    /// Prepares for questions about a tree that changed.
    pub(crate) fn prepare(&mut self, root: &Path, corpus: Corpus) -> Result<(), String> {
        match self {
            Self::Recall(recall) => recall.settle(root).map(|_| ()),
            Self::Ripgrep => Ok(()),
            Self::Semble(semble) => semble.index(root, corpus),
        }
    }

    /// Returns the first ten distinct files of the answer.
    pub(crate) fn files(&mut self, root: &Path, question: &str, corpus: Corpus) -> Result<Vec<String>, String> {
        let paths = match self {
            Self::Recall(recall) => recall.search(root, question, corpus)?.0.into_iter().map(|at| at.path).collect(),
            Self::Ripgrep => ripgrep::rank(root, question, corpus)?,
            Self::Semble(semble) => semble.ask(question)?,
        };
        let mut files: Vec<String> = Vec::new();
        for path in paths {
            if files.len() < FILES && !files.contains(&path) {
                files.push(path);
            }
        }
        Ok(files)
    }

    /// Says how the program was run, where its name does not.
    pub(crate) fn remark(&self) -> &str {
        if let Self::Semble(semble) = self { &semble.mode } else { "" }
    }
}

/// Why qmd is not run.
fn qmd() -> String {
    let node = version("node").unwrap_or_else(|_| "none".to_owned());
    format!("@tobilu/qmd needs Node 22 or newer; there is Node {node}, and no driver is written for it yet")
}

/// Returns the version that a program says, or that it is not installed.
pub(crate) fn version(program: &str) -> Result<String, String> {
    let output =
        Command::new(program).arg("--version").output().map_err(|_| format!("`{program}` is not installed"))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned())
}

/// Provides packages of Python; returns the folder of their programs.
pub(crate) fn provide_python(bench: &Bench, package: &str, interpreters: &[&str]) -> Result<PathBuf, String> {
    let folder = bench.place.join("peers").join(package.replace("==", "-"));
    let installed = folder.join("installed");
    if !installed.exists() {
        ask_to_install(bench, package)?;
        let python =
            interpreters.iter().find(|python| version(python).is_ok_and(|version| version.starts_with("Python")));
        let python = python.ok_or_else(|| format!("{package} needs one of {}", interpreters.join(", ")))?;
        programs::run_command(Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
        programs::run_command(Command::new(folder.join("bin/pip")).args(["install", "--quiet", package]))?;
        fs::write(&installed, "").map_err(|error| format!("cannot write {}: {error}", installed.display()))?;
    }
    Ok(folder.join("bin"))
}

/// Provides a package of npm; returns the folder of its programs.
pub(crate) fn provide_npm(bench: &Bench, package: &str) -> Result<PathBuf, String> {
    let folder = bench.place.join("peers").join(package.replace(['@', '/'], "-").trim_matches('-'));
    let installed = folder.join("installed");
    if !installed.exists() {
        ask_to_install(bench, package)?;
        fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        // Without scripts of packages, which may download anything.
        let arguments = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", package];
        programs::run_command(Command::new("npm").args(arguments).current_dir(&folder))?;
        fs::write(&installed, "").map_err(|error| format!("cannot write {}: {error}", installed.display()))?;
    }
    Ok(folder.join("node_modules/.bin"))
}

fn ask_to_install(bench: &Bench, package: &str) -> Result<(), String> {
    if bench.install == Install::Run {
        return Ok(());
    }
    Err(format!("{package} is not installed; `--install` installs it in the target folder"))
}

/// What semble runs: one line of JSON a request and an answer. Without its model it gives BM25 the whole weight, and keeps its ranking
/// of code.
const SEMBLE_PROGRAM: &str = r#"
import json, sys
import numpy as np
import semble.index.index as library
from semble.types import ContentType
class Nothing:
    dim = 1
    def encode(self, texts, **_):
        return np.ones((len(texts), 1), dtype=np.float32)
alpha, mode = None, "with its model"
try:
    library.load_model(None)
except Exception as error:
    alpha, mode = 0.0, "BM25 and its ranking of code, since its model cannot be had here"
    library.load_model = lambda path=None: (Nothing(), "none")
print(json.dumps({"mode": mode}), flush=True)
index = None
for line in sys.stdin:
    asked = json.loads(line)
    if "root" in asked:
        kinds = [ContentType.CODE] if asked["code"] else list(ContentType)
        index = library.SembleIndex.from_path(asked["root"], content=kinds)
        print(json.dumps({"chunks": len(index.chunks)}), flush=True)
    else:
        hits = index.search(asked["question"], top_k=30, alpha=alpha)
        print(json.dumps({"paths": [hit.chunk.file_path for hit in hits]}), flush=True)
"#;

/// semble in a process of Python.
pub(crate) struct Semble {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    mode: String,
}

impl Semble {
    fn open(bench: &Bench) -> Result<Self, String> {
        let python = provide_python(bench, SEMBLE, &["python3"])?.join("python");
        let log = bench.place.join("semble.log");
        let log = fs::File::create(&log).map_err(|error| format!("cannot write {}: {error}", log.display()))?;
        let mut child = Command::new(python)
            .args(["-c", SEMBLE_PROGRAM])
            .env("HOME", &bench.place)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("cannot start semble: {error}"))?;
        let input = child.stdin.take().expect("the input is piped");
        let output = BufReader::new(child.stdout.take().expect("the output is piped"));
        let mut semble = Self { child, input, output, mode: String::new() };
        let hello = semble.read()?;
        hello["mode"].as_str().unwrap_or_default().clone_into(&mut semble.mode);
        Ok(semble)
    }

    fn index(&mut self, root: &Path, corpus: Corpus) -> Result<(), String> {
        self.request(&json!({"root": root, "code": corpus == Corpus::Code})).map(|_| ())
    }

    fn ask(&mut self, question: &str) -> Result<Vec<String>, String> {
        let answer = self.request(&json!({"question": question}))?;
        Ok(answer["paths"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    fn request(&mut self, request: &Value) -> Result<Value, String> {
        writeln!(self.input, "{request}").map_err(|error| format!("semble has ended: {error}"))?;
        self.read()
    }

    fn read(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        let bytes = self.output.read_line(&mut line).map_err(|error| format!("semble cannot be read: {error}"))?;
        if bytes == 0 {
            return Err("semble has ended; semble.log in the folder of the proof says why".to_owned());
        }
        serde_json::from_str(&line).map_err(|error| format!("semble wrote no JSON: {error}"))
    }
}

impl Drop for Semble {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
