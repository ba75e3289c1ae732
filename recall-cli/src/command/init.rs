//! `recall init`
//!
//! Writes a few files into the user's project, with the user's rights and without the daemon.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use recall_core::{GIT_FILES, missing_lines};
use serde::Serialize;

use crate::complaint::{CommandError, Complaint};
use crate::invocation::Invocation;
use crate::output::{Format, human::style};
use crate::{Exit, project_root};

/// Settings that a project is likely to want, all of them commented out.
const CONFIGURATION: &str = include_str!("init/recall.toml");

/// Arguments of `recall init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The project's root; otherwise that of the working directory.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
}

/// What was done.
#[derive(Debug, Serialize)]
struct Prepared {
    root: String,
    changed: bool,
    written: Vec<String>,
}

pub(super) fn run(args: &InitArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let root = match &args.path {
        Some(path) => invocation.absolute(path),
        None => project_root::of(invocation),
    };
    project_root::check(&root, invocation)?;
    let written = prepare(&root)?;
    let output = &invocation.output;
    match output.format {
        Format::Json => output.json(&recall_json::answer(Prepared {
            root: root.display().to_string(),
            changed: !written.is_empty(),
            written: written.iter().map(|path| path.display().to_string()).collect(),
        }))?,
        Format::Human => output.text(&told(&root, &written))?,
    }
    output.murmur("register recall in Claude Code with `recall mcp install`");
    Ok(Exit::Done)
}

/// Makes what is missing, and leaves what is there as it is. Returns the files that were written.
fn prepare(root: &Path) -> Result<Vec<PathBuf>, Complaint> {
    let folder = root.join(".recall");
    let failed = |path: &Path| {
        let doing = format!("cannot write `{}`", path.display());
        move |error: io::Error| Complaint::refused(doing, &error)
    };
    fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let mut written = Vec::new();
    let configuration = folder.join("recall.toml");
    if write_new(&configuration, CONFIGURATION).map_err(failed(&configuration))? {
        written.push(configuration);
    }
    for (name, lines) in GIT_FILES {
        let path = folder.join(name);
        if add_lines(&path, lines).map_err(failed(&path))? {
            written.push(path);
        }
    }
    Ok(written)
}

/// Writes a file unless there is one.
fn write_new(path: &Path, text: &str) -> io::Result<bool> {
    match fs::OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Adds lines that a file lacks.
fn add_lines(path: &Path, lines: &[&str]) -> io::Result<bool> {
    let known = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let Some(added) = missing_lines(&known, lines) else { return Ok(false) };
    fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(added.as_bytes())?;
    Ok(true)
}

fn told(root: &Path, written: &[PathBuf]) -> String {
    if written.is_empty() {
        return format!("`{}` is initialised already\n", root.display());
    }
    let good = style::GOOD;
    let files: Vec<String> = written.iter().map(|path| format!("  {}", path.display())).collect();
    format!("{good}initialised{good:#} `{}`\n{}\n", root.display(), files.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(root: &Path, name: &str) -> String {
        fs::read_to_string(root.join(".recall").join(name)).expect("written")
    }

    #[test]
    fn a_project_is_prepared_once() {
        let root = tempfile::tempdir().expect("a folder");
        let written = prepare(root.path()).expect("writable");
        let names: Vec<_> = written.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["recall.toml", ".gitignore", ".gitattributes"]);
        assert_eq!(read(root.path(), ".gitignore"), "index/\nsessions/\n");
        assert_eq!(read(root.path(), ".gitattributes"), "*.jsonl merge=union\n");
        assert_eq!(prepare(root.path()).expect("readable"), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_the_user_wrote_stays() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join(".recall");
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join("recall.toml"), "[index]\nexclude = [\"x\"]\n").expect("written");
        fs::write(folder.join(".gitignore"), "sessions/\nmine").expect("written");
        prepare(root.path()).expect("writable");
        assert_eq!(read(root.path(), "recall.toml"), "[index]\nexclude = [\"x\"]\n");
        assert_eq!(read(root.path(), ".gitignore"), "sessions/\nmine\nindex/\n");
    }

    /// The template without the marks of comments before its settings.
    fn uncommented() -> String {
        let setting = |line: &str| line.strip_prefix("#: ").map(ToOwned::to_owned);
        CONFIGURATION.lines().map(|line| setting(line).unwrap_or_else(|| line.to_owned()) + "\n").collect()
    }

    #[test]
    fn the_template_sets_nothing_and_offers_only_settings_that_a_project_may_set() {
        let place = tempfile::tempdir().expect("a folder");
        let loaded = |text: &str| {
            fs::create_dir_all(place.path().join(".recall")).expect("made");
            fs::write(place.path().join(".recall/recall.toml"), text).expect("written");
            let environment = recall_config::Environment {
                recall_home: Some(PathBuf::from("/nowhere")),
                ..recall_config::Environment::default()
            };
            let homes = recall_config::Homes::from_environment(&environment).expect("homes");
            recall_config::Settings::load(&homes, Some(place.path()), &environment, &[]).expect("loads")
        };
        let untouched = loaded(CONFIGURATION);
        assert_eq!((untouched.settings, untouched.warnings), (recall_config::Settings::default(), Vec::new()));
        let everything = loaded(&uncommented());
        assert_eq!(everything.warnings, Vec::new());
        assert_ne!(everything.settings, recall_config::Settings::default());
    }
}
