//! Installation of the programs under test.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The programs under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    /// `recall`, the command line.
    pub recall: PathBuf,
    /// `recalld`, the daemon.
    pub recalld: PathBuf,
    /// `recall-shim`, the MCP server.
    pub recall_shim: PathBuf,
    /// `recall-bench`, which `recall bench` and `recall eval` run.
    pub recall_bench: PathBuf,
}

impl Binaries {
    /// Puts the programs into one folder under their installed names.
    ///
    /// Test packages build them under other names, because two packages of a workspace cannot both build a `recalld`;
    /// but a client looks for the daemon next to itself. The folder should be on the file system of the programs: they
    /// are hard-linked, and copied only if that fails. Safe to call from several test processes at once.
    ///
    /// # Panics
    /// If the folder cannot be written.
    #[must_use]
    pub fn installed_in(&self, folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap_or_else(|error| panic!("cannot create `{}`: {error}", folder.display()));
        let install = |program: &Path, name: &str| {
            let place = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
            install(program, &place).unwrap_or_else(|error| panic!("cannot install `{}`: {error}", place.display()));
            place
        };
        Self {
            recall: install(&self.recall, "recall"),
            recalld: install(&self.recalld, "recalld"),
            recall_shim: install(&self.recall_shim, "recall-shim"),
            recall_bench: install(&self.recall_bench, "recall-bench"),
        }
    }
}

/// Links or copies a program to a path, replacing an existing one atomically.
fn install(program: &Path, place: &Path) -> io::Result<()> {
    let folder = place.parent().expect("the path has a parent folder");
    let new = tempfile::Builder::new().prefix(".new-").tempdir_in(folder)?;
    let new = new.path().join("program");
    fs::hard_link(program, &new).or_else(|_| fs::copy(program, &new).map(drop))?;
    fs::rename(&new, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_replaced_by_newer_ones() {
        let place = tempfile::tempdir().expect("temporary folder");
        let built = |name: &str| place.path().join(name);
        let binaries =
            Binaries { recall: built("a"), recalld: built("b"), recall_shim: built("c"), recall_bench: built("d") };
        for content in ["old", "new"] {
            for name in ["a", "b", "c", "d"] {
                // A linker replaces a program instead of writing into it.
                fs::write(built("fresh"), format!("{content} {name}")).expect("written");
                fs::rename(built("fresh"), built(name)).expect("renamed");
            }
            for _ in 0..2 {
                let installed = binaries.installed_in(&place.path().join("bin"));
                let names: Vec<_> = fs::read_dir(place.path().join("bin")).expect("made").collect();
                assert_eq!(names.len(), 4, "{names:?}");
                assert_eq!(fs::read_to_string(installed.recalld).expect("there"), format!("{content} b"));
            }
        }
    }
}
