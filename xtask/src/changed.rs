//! The check of what changed: the formatting, the lints, and the tests of the packages that depend on a changed file.
//!
//! The tests are built for the whole workspace, as `check` builds them: cargo compiles what is not up to date, while a selection of
//! packages would compile their dependencies again with other features. Only the programs of the affected packages run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::{cargo, say, steps, workspace};

/// Files and folders that every package depends on.
const OF_ALL: &[&str] = &["Cargo.toml", "Cargo.lock", "clippy.toml", ".cargo/"];

/// Files outside a package that one reads: the messages, of which `recall-api` makes code.
const OF_ONE: &[(&str, &str)] = &[("proto/", "recall-api"), ("training/rank/", "recall-bench")];

/// The package with the tests of the repository as a whole and of the programs.
const END_TO_END: &str = "recall-tests";

/// The tests of the repository as a whole, which every change concerns.
const HOUSE: &[&str] = &["arrows::", "deletions::", "documented::", "rooms::", "runners::", "words::"];

/// Checks what changed since a commit.
pub(crate) fn run(base: Option<&str>) -> ExitCode {
    match check(base) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn check(base: Option<&str>) -> Result<(), String> {
    let base = base.map_or_else(default_base, |base| Ok(base.to_owned()))?;
    let files = changed_files(&base)?;
    if files.is_empty() {
        say(&format!("nothing changed since {base}\n"));
        return Ok(());
    }
    let affected = Packages::read()?.affected_packages(&files);
    say(&format!("{} files changed since {base}; packages to test: {}\n", files.len(), list(&affected)));
    for name in ["fmt", "clippy"] {
        steps::run_named(name)?;
    }
    for program in test_programs()? {
        if affected.contains(&program.package) {
            program.run(&[])?;
        } else if program.package == END_TO_END && program.name() == "runner" {
            program.run(HOUSE)?;
        }
    }
    Ok(())
}

fn list(packages: &BTreeSet<String>) -> String {
    if packages.is_empty() { "none".to_owned() } else { packages.iter().cloned().collect::<Vec<_>>().join(", ") }
}

/// Returns the commit in which this branch left `origin/main`; without one, or on `origin/main` itself, the commit before the last.
fn default_base() -> Result<String, String> {
    let head = git(&["rev-parse", "HEAD"])?;
    match git(&["merge-base", "HEAD", "origin/main"]) {
        Ok(base) if base != head => Ok(base.trim().to_owned()),
        _ => git(&["rev-parse", "HEAD~1"]).map(|base| base.trim().to_owned()),
    }
}

/// Returns the files that differ from a commit, committed or not, with those that git does not know yet.
fn changed_files(base: &str) -> Result<Vec<String>, String> {
    let mut files = git(&["diff", "--name-only", "--no-renames", base, "--"])?;
    files.push_str(&git(&["ls-files", "--others", "--exclude-standard"])?);
    Ok(files.lines().map(str::to_owned).collect())
}

fn git(arguments: &[&str]) -> Result<String, String> {
    // Names as they are, not quoted.
    let output =
        Command::new("git").args(["-c", "core.quotePath=false"]).args(arguments).current_dir(workspace()).output();
    stdout("git", output)
}

/// Returns what a command printed.
fn stdout(program: &str, output: std::io::Result<std::process::Output>) -> Result<String, String> {
    let output = output.map_err(|error| format!("cannot start {program}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}

/// The packages of the workspace.
#[derive(Default)]
struct Packages {
    /// The folder of each package, below the workspace.
    folders: BTreeMap<String, PathBuf>,
    /// The packages that depend on a package.
    users: BTreeMap<String, BTreeSet<String>>,
    /// The packages whose tests depend on a package.
    testers: BTreeMap<String, BTreeSet<String>>,
}

impl Packages {
    fn read() -> Result<Self, String> {
        let mut packages = Self::default();
        packages.users = packages.arrows("normal,build")?;
        packages.testers = packages.arrows("dev")?;
        Ok(packages)
    }

    /// Reads which packages of the workspace directly depend on each.
    fn arrows(&mut self, edges: &str) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
        let mut tree = cargo();
        tree.args(["tree", "--workspace", "--all-features", "--target", "all", "--no-dedupe", "--edges", edges]);
        let text = stdout("cargo tree", tree.args(["--depth", "1", "--prefix", "depth", "--format", "{p}"]).output())?;
        Ok(self.parse(&text))
    }

    /// Parses a tree of depth 1: `0recall-engine v0.1.0 (/folder)`, and each dependency with the prefix `1`.
    fn parse(&mut self, text: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut user = String::new();
        for line in text.lines() {
            let Some((depth, package)) = line.split_at_checked(1) else { continue };
            let (name, rest) = package.split_once(' ').unwrap_or((package, ""));
            if depth == "0" {
                let folder = rest.rsplit_once('(').and_then(|(_, folder)| folder.strip_suffix(')')).unwrap_or_default();
                let folder = Path::new(folder).strip_prefix(workspace()).unwrap_or(Path::new(folder));
                self.folders.insert(name.to_owned(), folder.to_owned());
                name.clone_into(&mut user);
            } else {
                arrows.entry(name.to_owned()).or_default().insert(user.clone());
            }
        }
        arrows
    }

    /// Returns the packages whose tests may have another outcome after a change of files.
    fn affected_packages(&self, files: &[String]) -> BTreeSet<String> {
        let mut affected: BTreeSet<String> = files.iter().flat_map(|file| self.owners(file)).collect();
        let mut open: Vec<String> = affected.iter().cloned().collect();
        while let Some(package) = open.pop() {
            for user in self.users.get(&package).into_iter().flatten() {
                if affected.insert(user.clone()) {
                    open.push(user.clone());
                }
            }
        }
        // The tests of a package are in no other package, so this is one step.
        let testers = affected.iter().filter_map(|package| self.testers.get(package)).flatten().cloned();
        let testers: Vec<String> = testers.collect();
        affected.extend(testers);
        affected
    }

    /// Returns the packages that a file belongs to. A document outside all packages belongs to none.
    fn owners(&self, file: &str) -> Vec<String> {
        if OF_ALL.iter().any(|all| file == *all || (all.ends_with('/') && file.starts_with(all))) {
            return self.folders.keys().cloned().collect();
        }
        if let Some((_, package)) = OF_ONE.iter().find(|(folder, _)| file.starts_with(folder)) {
            return vec![(*package).to_owned()];
        }
        let holding = self.folders.iter().filter(|(_, folder)| Path::new(file).starts_with(folder));
        match holding.max_by_key(|(_, folder)| folder.components().count()) {
            Some((name, _)) => vec![name.clone()],
            None if Path::new(file).extension().is_some_and(|extension| extension == "md") => Vec::new(),
            // Units of services, the plugin and the like, which the tests of the programs read.
            None => vec![END_TO_END.to_owned()],
        }
    }
}

struct TestProgram {
    package: String,
    /// The folder of the package, in which cargo runs tests.
    folder: PathBuf,
    path: PathBuf,
}

impl TestProgram {
    /// Returns the name without the hash that cargo appends.
    fn name(&self) -> &str {
        let stem = self.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        stem.rsplit_once('-').map_or(stem, |(name, _)| name)
    }

    fn run(&self, filters: &[&str]) -> Result<(), String> {
        say(&format!("\n== {}: {} {}\n", self.package, self.name(), filters.join(" ")));
        let status = Command::new(&self.path).args(filters).current_dir(&self.folder).status();
        let status = status.map_err(|error| format!("cannot start {}: {error}", self.path.display()))?;
        if status.success() { Ok(()) } else { Err(format!("tests of {} failed ({status})", self.package)) }
    }
}

/// Builds all tests and returns their programs.
fn test_programs() -> Result<Vec<TestProgram>, String> {
    let arguments = [
        "test",
        "--workspace",
        "--features",
        steps::TRAINING,
        "--no-run",
        "--message-format",
        "json-render-diagnostics",
    ];
    say(&format!("\n== cargo {}\n", arguments.join(" ")));
    let output = cargo().args(arguments).stderr(std::process::Stdio::inherit()).output();
    let messages = stdout("cargo test --no-run", output)?;
    Ok(messages.lines().filter_map(test_program).collect())
}

/// Reads a message of cargo about a program with tests.
fn test_program(message: &str) -> Option<TestProgram> {
    if !message.starts_with("{\"reason\":\"compiler-artifact\"") || !message.contains("\"test\":true}") {
        return None;
    }
    let folder = PathBuf::from(field(message, "manifest_path")?).parent()?.to_owned();
    // `path+file:///folder#0.1.0`, or `…/folder#name@0.1.0` if the folder has another name.
    let id = field(message, "package_id")?;
    let (place, version) = id.rsplit_once('#')?;
    let package = version.split_once('@').map_or_else(|| place.rsplit('/').next(), |(name, _)| Some(name))?;
    Some(TestProgram { package: package.to_owned(), folder, path: PathBuf::from(field(message, "executable")?) })
}

/// Returns a text of a JSON object. Texts with quotation marks are not expected here.
fn field(object: &str, name: &str) -> Option<String> {
    let (_, rest) = object.split_once(&format!("\"{name}\":\""))?;
    rest.split('"').next().map(|text| text.replace("\\\\", "\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages() -> Packages {
        let mut packages = Packages::default();
        let root = workspace().display();
        let normal = format!(
            "0core v0.1.0 ({root}/crates/core)\n1serde v1.0.0\n\n0engine v0.1.0 ({root}/crates/engine)\n1core v0.1.0 ({root}/crates/core)\n\n\
             0daemon v0.1.0 ({root}/daemon)\n1engine v0.1.0 ({root}/crates/engine)\n\n0kit v0.1.0 ({root}/crates/kit)\n\n\
             0recall-api v0.1.0 ({root}/crates/recall-api)\n"
        );
        packages.users = packages.parse(&normal);
        packages.testers =
            packages.parse(&format!("0engine v0.1.0 ({root}/crates/engine)\n1kit v0.1.0 ({root}/crates/kit)\n"));
        packages
    }

    #[track_caller]
    fn check(file: &str, expected: &[&str]) {
        let affected = packages().affected_packages(&[file.to_owned()]);
        assert_eq!(affected.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{file}");
    }

    #[test]
    fn a_change_affects_the_packages_above_it() {
        check("crates/core/src/lib.rs", &["core", "daemon", "engine"]);
        check("daemon/src/main.rs", &["daemon"]);
        // What only tests use changes the tests of its users, and nothing above them.
        check("crates/kit/src/lib.rs", &["engine", "kit"]);
    }

    #[test]
    fn a_file_outside_all_packages_affects_those_that_read_it() {
        check("Cargo.lock", &["core", "daemon", "engine", "kit", "recall-api"]);
        check("proto/recall/v1/hits.proto", &["recall-api"]);
        check("docs/scale.md", &[]);
        check("systemd/recalld.socket", &["recall-tests"]);
    }

    #[test]
    fn a_message_of_cargo_names_a_test_program() {
        let message = |profile: &str, executable: &str| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"package_id\":\"path+file:///here/tests#recall-tests@0.1.0\",\"manifest_path\":\
                 \"/here/tests/Cargo.toml\",\"target\":{{\"test\":true,\"kind\":[]}},\"profile\":{{\"opt_level\":\"0\",\"test\":{profile}}},\
                 \"executable\":{executable},\"fresh\":true}}"
            )
        };
        let program = test_program(&message("true", "\"/here/target/debug/deps/runner-0a1b\"")).expect("a program");
        assert_eq!((program.package.as_str(), program.name()), ("recall-tests", "runner"));
        assert_eq!(program.folder, Path::new("/here/tests"));
        assert!(test_program(&message("false", "\"/here/target/debug/recall\"")).is_none());
        assert!(test_program(&message("true", "null")).is_none());
    }
}
