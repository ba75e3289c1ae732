//! The ignore file that a user has configured for all repositories.
//!
//! Only the user's own configuration is read. That of a repository may name any file as `core.excludesFile`, and the
//! repository may be somebody else's.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::read_own;

/// The most files of configuration that include each other. Git allows a depth of ten.
const MOST_FILES: usize = 32;

/// The most bytes read of a file of configuration.
const CONFIG_BYTES: u64 = 1024 * 1024;

/// Where a user's configuration of git is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserConfig {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder that `XDG_CONFIG_HOME` names; `None` for `.config` in the home folder.
    pub config_home: Option<PathBuf>,
}

/// The ignore file of a user, and the files that say which it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserIgnoreFile {
    /// The ignore file, which need not exist; `None` if the user has none.
    pub path: Option<PathBuf>,
    /// The files of configuration, whether they exist or not.
    pub configuration: Vec<PathBuf>,
}

impl UserConfig {
    /// Finds the ignore file: the last `core.excludesFile` of the user's configuration, or else git's default.
    pub fn ignore_file(&self) -> UserIgnoreFile {
        let config_home = self.config_home.clone().or_else(|| Some(self.home.as_ref()?.join(".config")));
        let folder = config_home.map(|folder| folder.join("git"));
        let files = [folder.as_ref().map(|folder| folder.join("config")), self.in_home(".gitconfig")];
        let mut reading = Reading { home: self.home.as_deref(), named: None, seen: HashSet::new(), files: Vec::new() };
        for file in files.into_iter().flatten() {
            reading.read(&file);
        }
        let Reading { named, files, .. } = reading;
        let path = match named {
            // An empty value turns the default off.
            Some(named) => Some(named).filter(|named| named.is_absolute()),
            None => folder.map(|folder| folder.join("ignore")),
        };
        UserIgnoreFile { path, configuration: files }
    }

    fn in_home(&self, name: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(name))
    }
}

/// A walk over files of configuration.
struct Reading<'a> {
    home: Option<&'a Path>,
    /// The last value of `core.excludesFile`.
    named: Option<PathBuf>,
    seen: HashSet<PathBuf>,
    files: Vec<PathBuf>,
}

impl Reading<'_> {
    fn read(&mut self, file: &Path) {
        if self.files.len() == MOST_FILES || !self.seen.insert(file.to_owned()) {
            return;
        }
        self.files.push(file.to_owned());
        let Some(text) = read_text(file) else { return };
        for Entry { section, name, value } in entries(&text) {
            match (section.as_str(), name.as_str()) {
                ("core", "excludesfile") => self.named = Some(self.expand(&value)),
                ("include", "path") => {
                    let included = self.expand(&value);
                    self.read(&file.with_file_name("").join(included));
                }
                _ => {}
            }
        }
    }

    /// Replaces a leading `~/` by the home folder.
    fn expand(&self, value: &str) -> PathBuf {
        match (value.strip_prefix("~/"), self.home) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(value),
        }
    }
}

/// Reads a user's own file, which may be a link.
fn read_text(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&read_own(path, CONFIG_BYTES).ok()?).into_owned())
}

/// A variable of a configuration.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// The section in lower case; with its subsection, as written, if it has one.
    section: String,
    /// The name in lower case.
    name: String,
    value: String,
}

/// Reads the variables of a configuration in their order. Lines that are neither a section nor a variable are skipped.
fn entries(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut section = String::new();
    let mut lines = text.trim_start_matches('\u{FEFF}').lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim();
        if let Some(header) = line.strip_prefix('[')
            && let Some((name, rest)) = header.split_once(']')
        {
            section = match name.split_once('"') {
                Some((name, sub)) => format!("{}.{}", name.trim().to_lowercase(), sub.trim_end_matches('"')),
                None => name.trim().to_lowercase(),
            };
            line = rest.trim_start();
        }
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim().to_lowercase();
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            continue;
        }
        entries.push(Entry { section: section.clone(), name, value: value_of(value, &mut lines) });
    }
    entries
}

/// Reads a value: without quotes, escapes and comments, over several lines if they end with a backslash.
fn value_of<'t>(first: &'t str, more: &mut impl Iterator<Item = &'t str>) -> String {
    let mut value = String::new();
    // The length up to the last character that is not white space outside of quotes.
    let mut kept = 0;
    let mut is_quoted = false;
    let mut line = first.trim_start();
    loop {
        let mut chars = line.chars();
        let mut is_continued = false;
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('b') => value.push('\u{8}'),
                    Some(other) => value.push(other),
                    None => is_continued = true,
                },
                '"' => is_quoted = !is_quoted,
                '#' | ';' if !is_quoted => break,
                c if c.is_whitespace() && !is_quoted => {
                    value.push(c);
                    continue;
                }
                c => value.push(c),
            }
            kept = value.len();
        }
        if !is_continued {
            break;
        }
        let Some(next) = more.next() else { break };
        line = next;
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Writes files below a home folder, in which `@` stands for that folder, and returns the ignore file below it.
    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let folder = tempfile::tempdir().expect("a folder");
        let home = dunce::canonicalize(folder.path()).expect("there");
        for (path, text) in files {
            let file = home.join(path);
            fs::create_dir_all(file.parent().expect("below")).expect("made");
            fs::write(file, text.replace('@', home.to_str().expect("text"))).expect("written");
        }
        let config = UserConfig { home: Some(home.clone()), config_home: None };
        let path = config.ignore_file().path;
        assert_eq!(path, expected.map(|expected| home.join(expected)), "{files:?}");
    }

    #[test]
    fn the_ignore_file_is_the_configured_one_or_the_default() {
        check(&[], Some(".config/git/ignore"));
        check(&[(".gitconfig", "[user]\n\tname = x\n")], Some(".config/git/ignore"));
        for text in [
            "[core]\n\texcludesFile = ~/gi\n",
            "[core]\nexcludesfile=@/gi",
            "[CORE] EXCLUDESFILE = \"~/gi\" # mine",
            "[core]\n  autocrlf = input\n  excludesFile = ~/g\\\ni ; mine\n[core \"x\"]\nexcludesFile = ~/other\n",
            "\u{FEFF}# excludesFile = ~/other\n[core]\nexcludesFile = ~/other\nexcludesFile = ~/gi\n",
        ] {
            check(&[(".gitconfig", text)], Some("gi"));
        }
        check(&[(".config/git/config", "[core]\nexcludesFile = ~/gi\n")], Some("gi"));
        check(
            &[
                (".config/git/config", "[core]\nexcludesFile = ~/first\n"),
                (".gitconfig", "[core]\nexcludesFile = ~/second\n"),
            ],
            Some("second"),
        );
    }

    #[test]
    fn an_empty_or_relative_name_means_no_ignore_file() {
        check(&[(".gitconfig", "[core]\nexcludesFile =\n")], None);
        check(&[(".gitconfig", "[core]\nexcludesFile = gi\n")], None);
    }

    #[test]
    fn included_files_count_where_they_are_included() {
        let included = (".config/mine", "[core]\nexcludesFile = ~/gi\n");
        check(&[(".gitconfig", "[include]\npath = .config/mine\n"), included], Some("gi"));
        check(&[(".gitconfig", "[include]\npath = ~/.config/mine\n"), included], Some("gi"));
        let then = "[include]\npath = @/.config/mine\n[core]\nexcludesFile = ~/later\n";
        check(&[(".gitconfig", then), included], Some("later"));
        let circle = "[include]\npath = .gitconfig\n[core]\nexcludesFile = ~/gi\n";
        check(&[(".gitconfig", circle)], Some("gi"));
    }

    #[test]
    fn the_folder_of_configuration_may_be_elsewhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = UserConfig { home: None, config_home: Some(folder.path().to_owned()) };
        assert_eq!(config.ignore_file().path, Some(folder.path().join("git/ignore")));
        assert_eq!(UserConfig::default().ignore_file(), UserIgnoreFile::default());
    }
}
