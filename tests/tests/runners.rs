//! The test programs of each package: every file of tests belongs to one, and they are few.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::arrows::{list, metadata, text};

/// The most test programs of a package: each is linked with everything that the package needs, which takes seconds.
const MOST_PROGRAMS: usize = 3;

/// The text of each file of tests in a package.
type Files = BTreeMap<PathBuf, String>;

#[test]
fn every_file_of_tests_is_in_a_program() {
    let mut found = 0;
    let mut complaints = Vec::new();
    for (package, programs) in packages() {
        let files = files(&package.join("tests"));
        found += files.len();
        complaints.extend(forgotten(&files, &programs));
    }
    assert!(found > 100, "only {found} files of tests were found");
    assert_eq!(complaints, [""; 0]);
}

#[test]
fn no_package_has_many_test_programs() {
    let many = packages().into_iter().filter(|(_, programs)| programs.len() > MOST_PROGRAMS);
    let many: Vec<_> =
        many.map(|(package, programs)| format!("{} has {}", package.display(), programs.len())).collect();
    assert_eq!(many, [""; 0]);
}

#[test]
fn a_planted_file_is_found() {
    let files = [
        ("tests/runner.rs", "mod a;\n#[path = \"shared/main.rs\"]\nmod shared;\n"),
        ("tests/a.rs", "#[cfg(unix)]\npub(crate) mod child;\n"),
        ("tests/a/child.rs", "#[path = \"../b/elsewhere.rs\"]\nmod elsewhere;\n"),
        ("tests/b/elsewhere.rs", "mod neighbour;\n"),
        ("tests/b/neighbour.rs", ""),
        ("tests/shared/main.rs", "mod part;\n"),
        ("tests/shared/part.rs", "// mod planted;\n"),
        ("tests/planted.rs", ""),
        ("tests/a/planted.rs", ""),
    ];
    let files: Files = files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
    let expected = ["tests/a/planted.rs is in no test program", "tests/planted.rs is in no test program"];
    assert_eq!(forgotten(&files, &[PathBuf::from("tests/runner.rs")]), expected);
}

/// Returns the folder of each package with the first files of its test programs.
fn packages() -> Vec<(PathBuf, Vec<PathBuf>)> {
    let metadata = metadata(&["--no-deps"]);
    let packages = list(&metadata["packages"]).iter().map(|package| {
        let tests = list(&package["targets"]).iter().filter(|target| target["kind"][0] == "test");
        let folder = Path::new(text(&package["manifest_path"])).parent().expect("a manifest is in a folder");
        (folder.to_owned(), tests.map(|target| PathBuf::from(text(&target["src_path"]))).collect())
    });
    packages.collect()
}

/// Reads the Rust files below a folder, which may be missing.
fn files(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source is text");
                files.insert(path, text);
            }
        }
    }
    files
}

/// Reports the files that no program declares as a module, directly or through other files.
fn forgotten(files: &Files, programs: &[PathBuf]) -> Vec<String> {
    let mut reached: BTreeSet<PathBuf> = programs.iter().cloned().collect();
    // Whether the modules of a file are next to it, as those of a program, or in the folder of its name.
    let mut open: Vec<(PathBuf, bool)> = programs.iter().map(|program| (program.clone(), true)).collect();
    while let Some((file, owns_folder)) = open.pop() {
        let Some(text) = files.get(&file) else { continue };
        for (module, owns_folder) in modules(&file, owns_folder, text) {
            if reached.insert(module.clone()) {
                open.push((module, owns_folder));
            }
        }
    }
    let forgotten = files.keys().filter(|file| !reached.contains(*file));
    forgotten.map(|file| format!("{} is in no test program", file.display())).collect()
}

/// Returns the files of the modules that a file declares, each with whether its own modules are next to it.
fn modules(file: &Path, owns_folder: bool, text: &str) -> Vec<(PathBuf, bool)> {
    let folder = file.parent().expect("a file is in a folder");
    let children = if owns_folder { folder.to_owned() } else { file.with_extension("") };
    let (mut modules, mut path) = (Vec::new(), None);
    for line in text.lines() {
        if let Some(named) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            path = Some(named);
        } else if let Some(name) = declared(line) {
            modules.push(match path.take() {
                Some(path) => (without_dots(&folder.join(path)), true),
                None => (children.join(name).with_extension("rs"), false),
            });
        }
    }
    modules
}

/// Returns the module that a line declares in a file of its own.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
    line.strip_prefix("mod ")?.strip_suffix(';')
}

/// Resolves the `..` of a path.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}
