//! The places where a project defines the commands, options, targets and scripts that a task names.
//!
//! Found by the forms in which the usual libraries declare them, in the files that the words of the name lead to.

use std::collections::BTreeSet;

use recall_core::{Filters, understand};
use recall_index::catalog::Snapshot;
use recall_text::{DocPath, FileKind, Form};

use crate::context::task_names::TaskName;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::links::paths::Paths;

/// The most files that are read for one name, and the chunks that lead to them.
const MOST_FILES: usize = 60;
const MOST_CHUNKS: usize = 200;

/// The most places of one name.
const MOST_PLACES: usize = 2;

/// The lines above a declaration that may belong to it: attributes, decorators, the head of a call.
const LINES_ABOVE: usize = 6;

/// The folders of files that define one command each.
const COMMAND_FOLDERS: &[&str] = &["cli", "cmd", "command", "commands", "subcommand", "subcommands"];

/// Calls and attributes that declare an option.
const OPTION_CALLS: &[&str] = &[
    "add_argument(",
    "addOption(",
    "addFlag(",
    "option(",
    "Option(",
    "flag(",
    "Flag(",
    "opt(",
    "Opt(",
    "optflag(",
    "optopt(",
    ".on(",
    "Flags()",
    "flag.",
    "Var(",
    "VarP(",
    "long(",
    "long =",
    "long=",
];

/// Calls and attributes that declare a command.
const COMMAND_CALLS: &[&str] = &[
    "Command::new(",
    "add_command(",
    "add_parser(",
    "addCommand(",
    "command(",
    "Command(",
    "subcommand(",
    "name =",
    "Use:",
];

/// A place that defines something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryPoint {
    /// The index of its store among those that were searched.
    pub(crate) store: usize,
    /// The file, as the client sees it.
    pub(crate) path: DocPath,
    /// Its first and last line, counted from 1.
    pub(crate) lines: (u32, u32),
}

/// Returns the places of the names in the stores, in their order.
pub(crate) fn find(stores: &[MountedStore], names: &[TaskName]) -> Result<Vec<EntryPoint>, StoreError> {
    let mut found: Vec<EntryPoint> = Vec::new();
    if names.is_empty() {
        return Ok(found);
    }
    // Several commands can have an option of the same name; the words of the command select the right one.
    let words: Vec<&str> = names
        .iter()
        .filter_map(|name| match name {
            TaskName::Command(words) => words.last().map(String::as_str),
            _ => None,
        })
        .collect();
    for (place, store) in stores.iter().enumerate() {
        let snapshot = store.index.snapshot()?;
        let stated = store.index.stated_links(&snapshot)?;
        let finder = EntryFinder { place, store, snapshot: &snapshot, paths: &stated.paths, words: &words };
        for name in names {
            for point in finder.find(name)? {
                if !found.contains(&point) {
                    found.push(point);
                }
            }
        }
    }
    Ok(found)
}

struct EntryFinder<'a> {
    /// The index of the store.
    place: usize,
    store: &'a MountedStore,
    snapshot: &'a Snapshot<'a>,
    paths: &'a Paths,
    /// The commands that the task names.
    words: &'a [&'a str],
}

impl EntryFinder<'_> {
    fn find(&self, name: &TaskName) -> Result<Vec<EntryPoint>, StoreError> {
        match name {
            TaskName::Target(name) => self.in_files(self.by_languages(&["make", "just"]), |lines| target(lines, name)),
            TaskName::Script(name) => self.in_files(self.files_by_name("package.json"), |lines| script(lines, name)),
            TaskName::Option(name) => {
                let files = self.by_words(&format!("{name} option argument flag long"))?;
                self.in_files(files, |lines| option(lines, name))
            }
            TaskName::Command(words) => {
                let last = words.last().map_or("", String::as_str);
                let mut files = self.by_command(words);
                files.extend(self.by_words(&format!("{} command subcommand args", words.join(" ")))?);
                self.in_files(files, |lines| command(lines, last))
            }
        }
    }

    /// Returns the first places in some files that a reader finds.
    fn in_files(
        &self,
        files: Vec<u32>,
        read: impl Fn(&[&str]) -> Option<(usize, usize)>,
    ) -> Result<Vec<EntryPoint>, StoreError> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for document in files.into_iter().filter(|document| seen.insert(*document)).take(MOST_FILES) {
            let row = self.paths.place(document).row;
            let text =
                self.snapshot.text(row).map_err(|source| self.store.index.read_error(source))?.unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            if let Some((first, last)) = read(&lines) {
                let path = self.store.mount.outer_path(&self.paths.place(document).path);
                found.push(EntryPoint { store: self.place, path, lines: (first as u32 + 1, last as u32 + 1) });
                if found.len() == MOST_PLACES {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Returns the files of code with the words of a query, the best first, those of the named commands before the others.
    fn by_words(&self, query: &str) -> Result<Vec<u32>, StoreError> {
        let searcher = self.store.index.searcher();
        let candidates = searcher
            .lexical(&understand(query), &Filters::default(), MOST_CHUNKS)
            .map_err(|source| self.store.index.search_error(source))?;
        let documents = candidates.into_iter().filter_map(|candidate| self.paths.in_row(candidate.document));
        let mut documents: Vec<u32> = documents.filter(|document| self.is_source(*document)).collect();
        documents.sort_by_key(|document| {
            let path = self.paths.place(*document).path.as_str();
            !self.words.iter().any(|word| path.contains(word))
        });
        Ok(documents)
    }

    /// Returns the files that define a command by their place: `commands/search.ts`, `cmd/search/main.go`.
    fn by_command(&self, words: &[String]) -> Vec<u32> {
        let Some((last, others)) = words.split_last() else { return Vec::new() };
        let is_named = |name: &str| name.replace('_', "-") == last.replace('_', "-");
        let mut found = self.all(|path| {
            let mut folders = path.components().rev().skip(1);
            let in_folder = |folder: &str| COMMAND_FOLDERS.contains(&folder);
            let own_folder =
                path.components().rev().nth(1).is_some_and(is_named) && matches!(path.stem(), "main" | "index" | "mod");
            (is_named(path.stem()) || own_folder) && folders.any(in_folder)
        });
        found.retain(|document| self.is_source(*document));
        found.sort_by_key(|document| {
            let path = self.paths.place(*document).path.as_str();
            (std::cmp::Reverse(others.iter().filter(|word| path.contains(word.as_str())).count()), path.len())
        });
        found
    }

    fn by_languages(&self, languages: &[&str]) -> Vec<u32> {
        let documents = (0..).zip(self.paths.places());
        let of_language = documents.filter(|(_, place)| {
            place.language.as_ref().is_some_and(|language| languages.contains(&language.as_str()))
        });
        let mut found: Vec<u32> = of_language.map(|(document, _)| document).collect();
        self.outermost_first(&mut found);
        found
    }

    fn files_by_name(&self, file: &str) -> Vec<u32> {
        let mut found = self.all(|path| path.file_name() == file);
        self.outermost_first(&mut found);
        found
    }

    fn all(&self, is_meant: impl Fn(&DocPath) -> bool) -> Vec<u32> {
        let documents = (0..).zip(self.paths.places());
        documents.filter(|(_, place)| is_meant(&place.path)).map(|(document, _)| document).collect()
    }

    fn outermost_first(&self, documents: &mut [u32]) {
        documents.sort_by_key(|document| {
            let path = self.paths.place(*document).path.as_str();
            (path.matches('/').count(), path.len())
        });
    }

    fn is_source(&self, document: u32) -> bool {
        let place = self.paths.place(document);
        Form::for_language(place.language.as_ref()) == Form::Program && place.file_kind == FileKind::Main
    }
}

/// The lines of a target or recipe, with what it runs.
fn target(lines: &[&str], name: &str) -> Option<(usize, usize)> {
    let is_rule = |line: &&str| {
        let head = line.split(':').next().unwrap_or_default();
        line.contains(':')
            && !line.starts_with(char::is_whitespace)
            && !line[head.len()..].starts_with(":=")
            && head.split_whitespace().any(|word| word.trim_start_matches('@') == name)
            && !line.starts_with('.')
    };
    let first = lines.iter().position(is_rule)?;
    let end =
        lines[first + 1..].iter().position(|line| !line.starts_with(['\t', ' '])).unwrap_or(lines.len() - first - 1);
    Some((first, first + end))
}

/// The line of a script in a `package.json`.
fn script(lines: &[&str], name: &str) -> Option<(usize, usize)> {
    let scripts = lines.iter().position(|line| line.trim_start().starts_with("\"scripts\""))?;
    let key = format!("\"{name}\"");
    let is_key =
        |line: &&str| line.trim_start().strip_prefix(&key).is_some_and(|rest| rest.trim_start().starts_with(':'));
    let at =
        scripts + lines[scripts..].iter().take_while(|line| !line.trim_start().starts_with('}')).position(is_key)?;
    Some((at, at))
}

/// The line that declares an option.
fn option(lines: &[&str], name: &str) -> Option<(usize, usize)> {
    let dashed = format!("--{name}");
    let field = format!("{}:", name.replace('-', "_"));
    let declares = |at: usize| {
        let line = lines[at];
        let above = &lines[at.saturating_sub(LINES_ABOVE)..=at];
        let is_quoted = is_quoted_in(line, name) || (line.contains(['"', '\'']) && has_word(line, &dashed));
        if is_quoted {
            let near = &lines[at.saturating_sub(1)..=at];
            return near.iter().any(|line| OPTION_CALLS.iter().any(|call| line.contains(call)));
        }
        // A field whose name is that of the option: `#[arg(long)] dry_run: bool`.
        let declared = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        declared.starts_with(&field)
            && above.iter().rev().skip(1).take_while(|line| is_above_field(line)).any(|line| {
                ["#[arg(", "#[clap(", "#[structopt("].iter().any(|mark| line.contains(mark)) && line.contains("long")
            })
    };
    let at = (0..lines.len()).find(|&at| declares(at))?;
    Some((at, at))
}

/// Whether a line above a field belongs to it.
fn is_above_field(line: &str) -> bool {
    let line = line.trim_start();
    ["#", "///", "//", ")", "]"].iter().any(|start| line.starts_with(start)) || !line.ends_with([',', '{', '}'])
}

/// The line that declares a command, or defines its arguments or its function.
fn command(lines: &[&str], name: &str) -> Option<(usize, usize)> {
    let capitalised: String = name.split(['-', '_']).map(capitalise).collect();
    let snake = name.replace('-', "_");
    let arguments = ["Args", "Command", "Cmd", "Options"].map(|end| format!("{capitalised}{end}"));
    let is_definition = |line: &&str| {
        ["struct ", "class ", "type "].iter().any(|word| line.contains(word))
            && arguments.iter().any(|name| has_word(line, name))
    };
    let is_declaration = |at: usize| {
        let near = &lines[at.saturating_sub(1)..=at];
        let is_called = near.iter().any(|line| COMMAND_CALLS.iter().any(|call| line.contains(call)));
        let decorated = lines[at.saturating_sub(LINES_ABOVE)..at].iter().any(|line| {
            let line = line.trim_start();
            line.starts_with('@') && line.contains("command")
        });
        (is_called && is_quoted_in(lines[at], name)) || (decorated && lines[at].contains(&format!("def {snake}(")))
    };
    let at = lines.iter().position(is_definition).or_else(|| (0..lines.len()).find(|&at| is_declaration(at)))?;
    Some((at, at))
}

fn capitalise(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

/// Whether a line has a name as the first word of a string literal.
fn is_quoted_in(line: &str, name: &str) -> bool {
    ['"', '\'', '`'].iter().any(|quote| {
        line.match_indices(&format!("{quote}{name}"))
            .any(|(at, start)| line[at + start.len()..].starts_with([*quote, ' ', '<', '[']))
    })
}

/// Whether a line has a word that no letter, digit or hyphen continues.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    line.match_indices(word).any(|(at, _)| {
        !line[at + word.len()..].starts_with(is_part)
            && !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader of the lines of a file that looks for a name.
    type Reader = fn(&[&str], &str) -> Option<(usize, usize)>;

    fn check(read: Reader, text: &str, name: &str, expected: Option<(usize, usize)>) {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(read(&lines, name), expected, "{name} in {text}");
    }

    #[test]
    fn options_are_found_where_they_are_declared() {
        for text in [
            "#[arg(long, short)]\npub(crate) dry_run: bool,",
            "x\n    #[arg(long = \"dry-run\")]",
            "parser.add_argument(\n    \"--dry-run\",",
            "x\n@click.option('-n', '--dry-run', is_flag=True)",
            "x\ncmd.Flags().BoolVar(&dry, \"dry-run\", false)",
            "x\n  .option('-n, --dry-run', 'prints only')",
        ] {
            check(option, text, "dry-run", Some((1, 1)));
        }
        for text in
            ["run(\"--dry-run\")", "call([\"x\", \"--dry-run\"])", "dry_run: bool,", "option(\"--dry-run-all\")"]
        {
            check(option, text, "dry-run", None);
        }
    }

    #[test]
    fn commands_are_found_where_they_are_declared() {
        for (text, at) in [
            ("/// Arguments.\nstruct SearchArgs {", 1),
            ("@cli.command()\n@click.argument(\"x\")\ndef search(x):", 2),
            ("program\n  .command('search <query>')", 1),
            ("var c = &cobra.Command{\n\tUse: \"search [query]\",", 1),
            ("sub.add_parser(\"search\")", 0),
        ] {
            check(command, text, "search", Some((at, at)));
        }
        check(command, "fn search() { find(\"search\") }", "search", None);
    }

    #[test]
    fn targets_and_scripts_are_found() {
        check(
            target,
            ".PHONY: lint\nlint:=1\nlint test: build\n\tcargo clippy\n\tcargo test\n\nall:",
            "lint",
            Some((2, 4)),
        );
        check(target, "lint:", "lint", Some((0, 0)));
        check(target, "a: lint", "lint", None);
        let manifest = "{\n\"build\": 1,\n\"scripts\": {\n  \"build\": \"tsc\"\n},\n\"test\": 2\n}";
        check(script, manifest, "build", Some((3, 3)));
        check(script, manifest, "test", None);
    }
}
