//! The stored files of a release, which later releases must be able to open.
//!
//! The task uses the programs on a small project and copies what they stored to `tests/fixtures/stores/VERSION`. It is run once for each
//! release, before its tag. `tests/tests/stores.rs` opens all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::{programs, say, workspace};

/// The project, by path and text.
const PROJECT: &[(&str, &str)] = &[
    (
        "src/burrow.rs",
        "//! Burrows of wombats.\n\n/// Digs a burrow of the given depth.\npub fn dig(depth_metres: u32) -> Burrow {\n    \
         Burrow { depth_metres }\n}\n\n/// A burrow.\npub struct Burrow {\n    /// Its depth.\n    pub depth_metres: u32,\n}\n",
    ),
    (
        "docs/adr/0001-fences.md",
        "# Fences are checked every evening\n\nBadgers dig under the northern fence, so a keeper walks along it before \
         dusk.\n",
    ),
];

/// The commands that fill the store. The project is indexed first.
const COMMANDS: &[&[&str]] = &[
    &["search", "dig"],
    &["remember", "Wombats are fed at midnight, never before.", "--type", "lesson"],
    &["remember", "Keepers write their notes in the evening.", "--type", "lesson", "--scope", "global"],
    &["session", "start", "--goal", "Feed the wombats"],
    &["search", "wombats fed at midnight"],
    &["daemon", "stop"],
];

/// Makes the fixture with the programs in a folder, or with those of a release build.
pub(crate) fn run(folder: Option<&str>) -> ExitCode {
    match make(folder) {
        Ok(made) => {
            say(&format!("made {}\n", made.display()));
            ExitCode::SUCCESS
        }
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn make(folder: Option<&str>) -> Result<PathBuf, String> {
    let folder = folder.map_or_else(|| programs::build("release"), |folder| Ok(PathBuf::from(folder)))?;
    let program = folder.join(format!("recall{}", std::env::consts::EXE_SUFFIX));
    let place = programs::target_folder().join("fixture");
    let failed = |error: std::io::Error| format!("cannot write below {}: {error}", place.display());
    if place.exists() {
        fs::remove_dir_all(&place).map_err(failed)?;
    }
    for (path, text) in PROJECT {
        write(&place.join("project").join(path), text.as_bytes()).map_err(failed)?;
    }
    for arguments in COMMANDS {
        recall(&program, &place, arguments)?;
    }
    let version = recall(&program, &place, &["--version"])?;
    let version = version.split_whitespace().nth(1).ok_or("`recall --version` printed no version")?;
    let fixture = workspace().join("tests/fixtures/stores").join(version);
    if fixture.exists() {
        fs::remove_dir_all(&fixture).map_err(failed)?;
    }
    copy(&place.join("project"), &fixture.join("project")).map_err(failed)?;
    let data = place.join("home/data");
    copy(&data.join("written"), &fixture.join("written")).map_err(failed)?;
    copy(&data.join("global"), &fixture.join("global")).map_err(failed)?;
    copy(&index_of(&data, &place.join("project"))?, &fixture.join("index")).map_err(failed)?;
    Ok(fixture)
}

/// Runs a command in the project, with a home of its own; returns its output.
fn recall(program: &Path, place: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(place.join("project"))
        .env("HOME", place)
        .env("RECALL_HOME", place.join("home"))
        .output()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if !output.status.success() {
        let reported = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`recall {}` failed ({}): {reported}", arguments.join(" "), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the index of a root, whose store notes the root's path.
fn index_of(data: &Path, root: &Path) -> Result<PathBuf, String> {
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    let stores = fs::read_dir(data.join("stores")).map_err(|error| error.to_string())?;
    let mut folders = stores.flatten().map(|entry| entry.path());
    let is_of_root = |folder: &PathBuf| {
        fs::read_to_string(folder.join("root")).is_ok_and(|noted| Path::new(noted.trim_end()) == root)
    };
    folders.find(is_of_root).map(|folder| folder.join("index")).ok_or_else(|| "the project has no index".to_owned())
}

/// Copies a folder without its locks. `.recall`, `.gitignore` and `.gitattributes` lose their dots, so that neither git nor recall
/// interprets them as files of this repository.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let (path, target) = (entry.path(), to.join(plain(&name)));
        if path.is_dir() {
            copy(&path, &target)?;
        } else if !name.ends_with("lock") {
            write(&target, &fs::read(&path)?)?;
        }
    }
    Ok(())
}

fn plain(name: &str) -> &str {
    match name {
        ".recall" => "recall",
        ".gitignore" => "gitignore",
        ".gitattributes" => "gitattributes",
        other => other,
    }
}

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)
}
