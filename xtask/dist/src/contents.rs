//! The files that packages are made of, and the checksums of the packages.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};

use crate::Package;
use crate::release::PROGRAMS;

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// The path in its group, with `/`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether it is a program.
    pub(crate) is_executable: bool,
}

impl Item {
    pub(crate) fn text(path: &str, text: impl Into<Vec<u8>>) -> Self {
        Self { path: path.to_owned(), bytes: text.into(), is_executable: false }
    }

    /// Returns the permissions of the file.
    pub(crate) fn mode(&self) -> u32 {
        if self.is_executable { 0o755 } else { 0o644 }
    }

    /// Returns the file below another folder.
    pub(crate) fn below(&self, folder: &str) -> Self {
        Self { path: format!("{folder}/{}", self.path), ..self.clone() }
    }
}

/// Returns the folder of the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Reads the programs, whose names have an ending on some systems.
pub(crate) fn programs(folder: &Path, suffix: &str) -> Result<Vec<Item>, String> {
    let program = |name: &&str| {
        let path = format!("{name}{suffix}");
        Ok(Item { bytes: read(&folder.join(&path))?, path, is_executable: true })
    };
    PROGRAMS.iter().map(program).collect()
}

/// Reads the documents that every package has.
pub(crate) fn documents() -> Result<Vec<Item>, String> {
    let document = |name: &&str| Ok(Item::text(name, read(&workspace().join(name))?));
    ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"].iter().map(document).collect()
}

/// Reads the units of systemd.
pub(crate) fn units() -> Result<Vec<Item>, String> {
    let unit = |name: &&str| Ok(Item::text(name, read(&workspace().join("systemd").join(name))?));
    ["recalld.service", "recalld.socket"].iter().map(unit).collect()
}

/// Has `recall` print its completions.
pub(crate) fn completions(programs: &Path) -> Result<Vec<Item>, String> {
    let shells = [("bash", "recall"), ("zsh", "_recall"), ("fish", "recall.fish")];
    let print = |(shell, name): &(&str, &str)| {
        let text = output(programs, &["completions", shell])?;
        Ok(Item::text(&format!("{shell}/{name}"), text))
    };
    shells.iter().map(print).collect()
}

/// Has `recall` write its manual pages.
pub(crate) fn pages(programs: &Path) -> Result<Vec<Item>, String> {
    let folder = std::env::temp_dir().join(format!("recall-dist-{}", std::process::id()));
    let text = folder.to_str().ok_or("the folder for temporary files has no name in UTF-8")?;
    let pages = output(programs, &["man", text]).and_then(|_| all_of(&folder));
    // What is left takes little space.
    let _ = fs::remove_dir_all(&folder);
    pages
}

/// Reads the files of a folder, in the order of their names.
fn all_of(folder: &Path) -> Result<Vec<Item>, String> {
    let unreadable = |error| format!("cannot read {}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    paths.sort();
    paths.iter().map(|path| Ok(Item::text(&file_name(path), read(path)?))).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn output(programs: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let program = programs.join("recall");
    let run = Command::new(&program).args(arguments).output();
    let run = run.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if run.status.success() {
        Ok(run.stdout)
    } else {
        let stderr = String::from_utf8_lossy(&run.stderr);
        Err(format!("`recall {}` failed ({}): {stderr}", arguments.join(" "), run.status))
    }
}

/// Returns the SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Returns bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the file that `sha256sum --check` reads.
pub(crate) fn sums_file(name: &str, packages: &[Package]) -> Package {
    let line = |package: &Package| format!("{}  {}\n", hex(&sha256(&package.bytes)), package.name);
    Package { name: name.to_owned(), bytes: packages.iter().map(line).collect::<String>().into_bytes() }
}
