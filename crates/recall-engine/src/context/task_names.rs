//! The commands, options and targets that a task names.
//!
//! Only forms that can hardly mean anything else are read: an option with its dashes, a command in a code span or next to the word
//! "command", a target of make, a script of a package. "Make the limit a setting" names nothing.

/// The words of a task that are read.
const MOST_WORDS: usize = 400;

/// The most things that a task names.
const MOST_NAMES: usize = 6;

/// Something that a task names and a project defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TaskName {
    /// An option without its dashes: `dry-run`.
    Option(String),
    /// A command with those above it: `recall`, `search`.
    Command(Vec<String>),
    /// A target of a makefile or a recipe of a justfile.
    Target(String),
    /// A script of a `package.json`.
    Script(String),
}

/// Programs whose commands no project defines.
const FOREIGN: &[&str] = &[
    "apt",
    "brew",
    "cargo",
    "cat",
    "cd",
    "cmake",
    "curl",
    "docker",
    "echo",
    "git",
    "go",
    "grep",
    "helm",
    "kubectl",
    "ls",
    "mkdir",
    "node",
    "npx",
    "pip",
    "python",
    "python3",
    "rm",
    "rustup",
    "sed",
    "sudo",
    "terraform",
];

pub(crate) fn read(task: &str) -> Vec<TaskName> {
    let mut names: Vec<TaskName> = Vec::new();
    let mut add = |name: TaskName| {
        if !names.contains(&name) && names.len() < MOST_NAMES {
            names.push(name);
        }
    };
    for (at, span) in task.split('`').enumerate() {
        if at % 2 == 1 {
            for name in names_in_code(span) {
                add(name);
            }
        }
    }
    let words: Vec<&str> = task.split_whitespace().map(bare).take(MOST_WORDS).collect();
    for (at, word) in words.iter().enumerate() {
        if let Some(option) = option(word) {
            add(TaskName::Option(option));
        }
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let after = words.get(at + 1).copied().unwrap_or("");
        match word.to_ascii_lowercase().as_str() {
            "command" | "subcommand" => {
                let name = [before, after].into_iter().find(|name| is_command(name) && !is_article(name));
                if let Some(name) = name {
                    add(TaskName::Command(vec![name.to_owned()]));
                }
            }
            "target" | "recipe" => {
                let name = [before, after].into_iter().find(|name| is_command(name) && !is_article(name));
                if let Some(name) = name {
                    add(TaskName::Target(name.to_owned()));
                }
            }
            "npm" | "pnpm" | "yarn" | "bun" => add_script(&words[at + 1..], &mut add),
            _ => {}
        }
    }
    names
}

fn names_in_code(span: &str) -> Vec<TaskName> {
    let words: Vec<&str> = span.split_whitespace().collect();
    let mut names = Vec::new();
    match words.as_slice() {
        ["make" | "gmake" | "just", rest @ ..] => {
            let target = rest.iter().find(|word| is_command(word));
            names.extend(target.map(|target| TaskName::Target((*target).to_owned())));
        }
        ["npm" | "pnpm" | "yarn" | "bun", ..] => {}
        [program, rest @ ..] if is_command(program) && !FOREIGN.contains(program) => {
            let commands: Vec<String> =
                rest.iter().take_while(|word| is_command(word)).map(|word| (*word).to_owned()).collect();
            if !commands.is_empty() {
                names.push(TaskName::Command([vec![(*program).to_owned()], commands].concat()));
            }
        }
        _ => {}
    }
    names
}

/// `run build`, `test`: what follows the name of a package manager.
fn add_script(after: &[&str], add: &mut impl FnMut(TaskName)) {
    match after {
        ["run" | "run-script" | "script", name, ..] if is_script(name) => add(TaskName::Script((*name).to_owned())),
        [name @ ("test" | "start" | "build" | "lint" | "dev"), ..] => add(TaskName::Script((*name).to_owned())),
        _ => {}
    }
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    let word = word.trim_start_matches(['`', '"', '\'', '(', '[', '“', '‘']);
    word.trim_end_matches(['`', '"', '\'', ')', ']', '”', '’', '.', ',', ';', ':', '!', '?'])
}

/// `dry-run` of `--dry-run=true`.
fn option(word: &str) -> Option<String> {
    let name = word.strip_prefix("--")?.split('=').next()?;
    let is_name = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_name.then(|| name.to_owned())
}

fn is_command(word: &str) -> bool {
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_'))
}

fn is_script(word: &str) -> bool {
    is_command(&word.replace([':', '.'], "-"))
}

/// Whether a word next to "command" or "target" does not name it.
fn is_article(word: &str) -> bool {
    [
        "an", "and", "any", "build", "by", "each", "every", "first", "for", "from", "in", "is", "its", "line", "make",
        "name", "new", "of", "on", "one", "our", "same", "should", "that", "the", "this", "to", "which", "with",
    ]
    .contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(task: &str, expected: &[TaskName]) {
        assert_eq!(read(task), expected, "{task}");
    }

    #[test]
    fn commands_options_targets_and_scripts_are_read() {
        let command = |words: &[&str]| TaskName::Command(words.iter().map(|word| (*word).to_owned()).collect());
        let option = |name: &str| TaskName::Option(name.to_owned());
        check("add a flag to `recall search`", &[command(&["recall", "search"])]);
        check("the `--path` option, and --dry-run=x.", &[option("path"), option("dry-run")]);
        check("the search command prints too much", &[command(&["search"])]);
        check("speed up `make lint`", &[TaskName::Target("lint".to_owned())]);
        check("the target docs is broken", &[TaskName::Target("docs".to_owned())]);
        check("why does npm run build:web fail", &[TaskName::Script("build:web".to_owned())]);
        check("yarn test hangs", &[TaskName::Script("test".to_owned())]);
    }

    #[test]
    fn plain_sentences_name_nothing() {
        for task in [
            "make the retry limit a setting",
            "run `git push` and `cargo build`",
            "the command line and a new command",
            "rename `Store::open` -- and `--`",
            "",
        ] {
            check(task, &[]);
        }
    }
}
