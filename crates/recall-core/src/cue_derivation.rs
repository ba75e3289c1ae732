//! The cues that follow from the text of a memory.
//!
//! An author rarely says when a text should be shown, but a text says what it is about: the command that fails, the error that it
//! prints, the name or the folder. The idea: what stands as code (between backticks, or in a block of a shell) is classified by its
//! form, and of the rest only what has an unmistakable form counts, such as the class of an error. A wrong cue costs an agent's
//! attention each session, so what is common to many texts (`git status`, `ValueError`) is no cue.
//!
//! A language model would find more. It would also take seconds, and give other cues each time.

use std::collections::BTreeSet;

use crate::{Cue, CueKind, Memory, MemoryType};

/// The most cues that follow from a text. More would make it a text about everything.
const MOST_CUES: usize = 12;

/// The most bytes that are read of a text.
const READ_BYTES: usize = 16 * 1024;

/// The fewest words of a message that is not marked as an error.
const MESSAGE_WORDS: usize = 3;

/// The most words of a message. What follows are values.
const MOST_MESSAGE_WORDS: usize = 14;

/// Programs whose name alone says what a command does.
const TASK_PROGRAMS: &str = "alembic ansible-playbook black clippy-driver cypress diesel eslint flake8 isort jest mocha mypy nox phpunit playwright \
    pre-commit prettier pyright pytest rspec rubocop ruff sqlx tox tsc vitest webpack";

/// Programs that do something else with each subcommand or argument.
const PROGRAMS: &str = "ant aws az bash bazel brew bun bundle cabal cargo cmake composer conda curl dart deno django-admin docker \
    docker-compose dotnet flutter gcloud gem gh git go gradle gradlew helm java just kubectl make meson mix mvn mvnw mysql \
    ng ninja nix node npm npx php pip pip3 pipenv pnpm podman poetry prisma psql python python3 rails rake redis-cli rsync \
    ruby rustup sbt sh ssh stack swift systemctl task terraform tilt turbo uv uvx vite xcodebuild yarn zig";

/// Commands that stand in texts without backticks: a program and what it does.
const UNMISTAKABLE: &[(&str, &[&str])] = &[
    ("cargo", &["build", "bench", "check", "clippy", "doc", "fmt", "publish", "run", "test"]),
    ("docker", &["build", "compose", "push", "run"]),
    ("git", &["bisect", "commit", "lfs", "merge", "push", "rebase", "stash", "submodule"]),
    ("go", &["build", "generate", "test", "vet"]),
    ("helm", &["install", "upgrade"]),
    ("kubectl", &["apply", "delete", "rollout"]),
    ("npm", &["ci", "install", "publish", "run", "test"]),
    ("pnpm", &["build", "install", "run", "test"]),
    ("poetry", &["install", "lock", "run"]),
    ("terraform", &["apply", "destroy", "init", "plan"]),
    ("yarn", &["build", "install", "test"]),
];

/// Commands that change nothing worth a warning.
const HARMLESS: &[&str] = &["git status", "git log", "git diff", "git add", "git show", "git branch"];

/// Classes of errors that say nothing without their message.
const COMMON_CLASSES: &str = "ArgumentError AssertionError AttributeError Error Exception FileNotFoundError IOException IOError \
    IllegalArgumentException IllegalStateException ImportError IndexError KeyError ModuleNotFoundError NameError \
    NullPointerException OSError PermissionError RangeError ReferenceError RuntimeError RuntimeException SyntaxError \
    TimeoutError TypeError ValueError Warning";

/// What ends a message within a sentence.
const MESSAGE_ENDS: &[&str] =
    &[". ", "; ", " when ", " because ", " if ", " after ", " since ", " – ", " — ", " (", "。", "、"];

impl Memory {
    /// Returns when the memory is shown unasked: its stated cues, or else those that follow from its text.
    pub fn effective_cues(&self) -> Vec<Cue> {
        self.cues.clone().unwrap_or_else(|| derive_cues(self.id.memory_type, &self.title, &self.content))
    }
}

/// Returns the cues that follow from the title and the text of a memory, sorted, at most twelve.
pub fn derive_cues(memory_type: MemoryType, title: &str, content: &str) -> Vec<Cue> {
    let content = &content[..content.floor_char_boundary(READ_BYTES)];
    let is_about_a_failure = matches!(memory_type, MemoryType::Failure | MemoryType::Lesson);
    let mut cues = BTreeSet::new();
    for text in [title, content] {
        let (spans, prose) = spans_and_prose(text);
        for span in &spans {
            cues.extend(span_cue(span, is_about_a_failure));
        }
        for line in prose.lines() {
            errors_of(line, &mut cues);
            commands_of(line, &mut cues);
            symbols_of(line, &mut cues);
            if is_about_a_failure {
                cues.extend(quoted_messages(line).filter_map(message_cue));
                cues.extend(introduced_messages(line).filter_map(message_cue));
            }
        }
    }
    remove_bare_programs(&mut cues);
    cues.into_iter().take(MOST_CUES).collect()
}

/// Removes the commands that are only a program if there is one that says what the program does.
fn remove_bare_programs(cues: &mut BTreeSet<Cue>) {
    let commands: Vec<Vec<String>> = cues
        .iter()
        .filter(|cue| cue.kind == CueKind::Command)
        .map(|cue| cue.text.split(' ').map(str::to_owned).collect())
        .collect();
    cues.retain(|cue| {
        cue.kind != CueKind::Command
            || cue.text.contains(' ')
            || !commands.iter().any(|words| words.len() > 1 && words.contains(&cue.text))
    });
}

/// Returns what stands as code in a Markdown text, and the text with a placeholder in its place.
fn spans_and_prose(text: &str) -> (Vec<String>, String) {
    let (mut spans, mut prose) = (Vec::new(), String::new());
    let mut fence = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if let Some(language) = trimmed.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language.trim().to_lowercase()) };
            continue;
        }
        match fence.as_deref() {
            Some("sh" | "bash" | "shell" | "zsh" | "console") => {
                let command = trimmed.trim_start_matches("$ ").split(" #").next().unwrap_or_default();
                spans.push(command.trim().to_owned());
            }
            Some(_) => spans.extend(trimmed.strip_prefix("$ ").map(|command| command.trim().to_owned())),
            None => {
                let mut parts = line.split('`');
                prose.push_str(parts.next().unwrap_or_default());
                let mut is_code = true;
                for part in parts {
                    if is_code && !part.is_empty() {
                        spans.push(part.trim().to_owned());
                        prose.push('`');
                    } else {
                        prose.push_str(part);
                    }
                    is_code = !is_code;
                }
                prose.push('\n');
            }
        }
    }
    spans.retain(|span| !span.is_empty());
    (spans, prose)
}

/// Returns the cue of something that stands as code.
fn span_cue(span: &str, is_about_a_failure: bool) -> Option<Cue> {
    let mut errors = BTreeSet::new();
    errors_of(span, &mut errors);
    if let Some(error) = errors.pop_first() {
        return Some(error);
    }
    if is_command(span) {
        return Cue::new(CueKind::Command, span).filter(|cue| !HARMLESS.contains(&cue.text.as_str()));
    }
    if is_path(span) {
        return Cue::new(CueKind::Path, span.trim_start_matches("./"));
    }
    if let Some(symbol) = symbol_of(span) {
        return Cue::new(CueKind::Symbol, symbol);
    }
    if is_about_a_failure { message_cue(span) } else { None }
}

/// Whether a text is a command line, by its program.
fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace().skip_while(|word| is_assignment(word));
    let Some(program) = words.next() else { return false };
    let has_more = words.next().is_some();
    let is_script = (program.starts_with("./") || program.starts_with("scripts/") || program.starts_with("bin/"))
        && (has_more || is_script_name(program.rsplit('/').next().unwrap_or_default()))
        && !program.ends_with('/')
        && !program.contains('*');
    is_script || is_listed(TASK_PROGRAMS, program) || (has_more && is_listed(PROGRAMS, program))
}

/// Whether the name of a file has the extension of a shell script, or none.
fn is_script_name(name: &str) -> bool {
    name.rsplit_once('.').is_none_or(|(_, extension)| extension == "sh")
}

/// Whether a word sets a variable: `FOO=1`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// Whether a text is the path of a file or a folder, or a glob.
fn is_path(text: &str) -> bool {
    let is_plain =
        !text.contains(char::is_whitespace) && !text.contains("://") && !text.starts_with(['/', '~', '-', '@', '$']);
    let name = text.rsplit('/').next().unwrap_or_default();
    is_plain
        && text.contains('/')
        && !text.contains(['(', ')', '<', '>', '"', '=', ',', ':', ';'])
        && (name.is_empty() || name.contains('.') || text.contains('*'))
}

/// Returns the last part of a name that only code has: `Retry`, `retry_policy`, `Store::open()`.
fn symbol_of(text: &str) -> Option<&str> {
    let text = text.split_once('(').map_or(text, |(name, _)| name);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '#');
    if text.is_empty() || !text.chars().all(is_name) || text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let name = text.rsplit(['.', ':', '#']).next().unwrap_or_default();
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let has_both_cases = name.chars().any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    let is_qualified = name.len() < text.len() && !is_file_name(text);
    (letters >= 3 && (has_both_cases || name.trim_matches('_').contains('_') || is_qualified) && !is_file_name(text))
        .then_some(name)
}

/// Whether a text looks like the name of a file: a short extension in lower case after a single point.
fn is_file_name(text: &str) -> bool {
    text.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && !stem.contains([':', '('])
            && (1..=5).contains(&extension.len())
            && is_listed(EXTENSIONS, extension)
    })
}

/// Collects the errors in a line: their classes with their messages, and their codes.
fn errors_of(line: &str, cues: &mut BTreeSet<Cue>) {
    let mut start = 0;
    for word in line.split_whitespace() {
        let at = start + line[start..].find(word).unwrap_or_default();
        start = at + word.len();
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        if is_code(bare) {
            cues.extend(Cue::new(CueKind::Error, bare));
        } else if is_error_class(bare) {
            let class = bare.rsplit(['.', ':']).next().unwrap_or(bare);
            let message = if word.ends_with(':') { message_in(&line[start..]) } else { "" };
            if !message.is_empty() {
                cues.extend(Cue::new(CueKind::Error, &format!("{class}: {message}")));
            } else if !is_listed(COMMON_CLASSES, class) {
                cues.extend(Cue::new(CueKind::Error, class));
            }
        }
    }
}

/// Returns the beginning of a text that is the message of an error.
fn message_in(text: &str) -> &str {
    let text = text.trim();
    let end = MESSAGE_ENDS.iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let end = end.min(text.find('`').unwrap_or(text.len()));
    text[..end].trim_end_matches(['.', ',', ';', ' '])
}

/// Whether a word names a class of errors: `OperationalError`, `sqlalchemy.exc.IntegrityError`.
fn is_error_class(word: &str) -> bool {
    let name = word.rsplit(['.', ':']).next().unwrap_or(word);
    let ends = ["Error", "Exception", "Warning", "Fault", "Panic"].iter().any(|end| name.ends_with(end));
    ends && name.starts_with(char::is_uppercase) && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a word is the code of an error: `E0382`, `TS2345`, `EADDRINUSE`, `ERR_MODULE_NOT_FOUND`, `ORA-00001`.
fn is_code(word: &str) -> bool {
    let is_errno = word.len() >= 6
        && word.starts_with('E')
        && word.bytes().all(|byte| byte.is_ascii_uppercase())
        && is_listed(ERRNOS, word);
    has_digits_after(word, "E", 4)
        || has_digits_after(word, "TS", 4)
        || has_digits_after(word, "CS", 4)
        || has_digits_after(word, "ORA-", 5)
        || word.strip_prefix("ERR_").is_some_and(|rest| rest.len() > 3)
        || is_errno
}

/// The extensions of files that texts name.
const EXTENSIONS: &str = "c cc cfg cpp cs css go h html ini java js json jsx kt lock md mjs php proto py rb rs scss sh sql svelte swift toml ts \
    tsx txt vue xml yaml yml";

/// What introduces a message in a sentence about a failure.
const MESSAGE_BEGINS: &[&str] = &[
    "fails with ",
    "failed with ",
    "dies with ",
    "died with ",
    "crashes with ",
    "crashed with ",
    "exits with ",
    "aborts with ",
    "prints ",
    "printed ",
    "error: ",
    "Error: ",
    "FATAL: ",
];

/// Names of products that are written like names in code.
const BRANDS: &str = "AppImage BitBucket CircleCI DevOps DynamoDB FastAPI GitHub GitLab GraphQL IntelliJ JavaScript LaTeX LinkedIn MacBook \
    MacOS MariaDB MongoDB MySQL NumPy OAuth OpenAI OpenAPI OpenSSL OpenTelemetry PostgreSQL PyCharm PyPI PyTorch RabbitMQ \
    RubyGems SQLAlchemy SQLite StackOverflow TypeScript WebAssembly WebSocket YouTube iOS macOS iPhone";

/// Whether a word is a prefix and a number of at least so many digits, and at most five.
fn has_digits_after(word: &str, prefix: &str, least: usize) -> bool {
    let digits = word.strip_prefix(prefix).unwrap_or_default();
    (least..=5).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is one of a list.
fn is_listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Codes of the operating system that programs print.
const ERRNOS: &str = "EACCES EADDRINUSE EADDRNOTAVAIL ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDQUOT EEXIST EHOSTUNREACH EISDIR EMFILE \
    ENAMETOOLONG ENFILE ENOENT ENOMEM ENOSPC ENOSYS ENOTDIR ENOTEMPTY ENOTFOUND EPERM EPIPE ERESOLVE ESRCH ETIMEDOUT EXDEV";

/// Collects the commands in a line that is not code.
fn commands_of(line: &str, cues: &mut BTreeSet<Cue>) {
    let words: Vec<&str> =
        line.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-')).collect();
    for (at, word) in words.iter().enumerate() {
        let follows = words.get(at + 1).copied().unwrap_or_default();
        let is_pair =
            UNMISTAKABLE.iter().any(|(program, subcommands)| program == word && subcommands.contains(&follows));
        if is_pair {
            // `npm run` and `docker compose` say nothing without what they run.
            let third = words.get(at + 2).copied().unwrap_or_default();
            let needs_third = matches!(follows, "run" | "compose") && *word != "cargo";
            let text = if needs_third { format!("{word} {follows} {third}") } else { format!("{word} {follows}") };
            if !needs_third || !third.is_empty() {
                cues.extend(Cue::new(CueKind::Command, &text));
            }
        } else if is_listed(TASK_PROGRAMS, word)
            && !matches!(*word, "black" | "tox" | "nox" | "playwright" | "webpack" | "prettier")
        {
            cues.extend(Cue::new(CueKind::Command, word));
        }
    }
}

/// Collects the names in a line that is not code which have the form that only names in code have.
fn symbols_of(line: &str, cues: &mut BTreeSet<Cue>) {
    for word in line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '/' | ':' | '-')) {
        let word = word.trim_matches(['.', ':', '-']);
        let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let inner = word.trim_matches('_');
        let has_hump =
            inner.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        let is_snake = inner.contains('_') && inner.chars().any(char::is_lowercase);
        if is_plain && (has_hump || is_snake) && !is_listed(BRANDS, word) && !is_error_class(word) {
            cues.extend(Cue::new(CueKind::Symbol, word));
        }
    }
}

/// Returns the messages that a sentence introduces by saying that something failed.
fn introduced_messages(line: &str) -> impl Iterator<Item = &str> {
    MESSAGE_BEGINS.iter().filter_map(|begin| {
        let at = line.find(begin)?;
        // Not within the class of an error.
        let begins_a_word = !line[..at].ends_with(char::is_alphanumeric);
        begins_a_word.then(|| message_in(&line[at + begin.len()..]))
    })
}

/// Returns the texts between double quotes.
fn quoted_messages(line: &str) -> impl Iterator<Item = &str> {
    let marks: Vec<(usize, char)> =
        line.char_indices().filter(|(_, c)| matches!(c, '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」')).collect();
    let pairs: Vec<&str> =
        marks.chunks_exact(2).map(|pair| &line[pair[0].0 + pair[0].1.len_utf8()..pair[1].0]).collect();
    pairs.into_iter()
}

/// Returns the cue of a message; `None` if it is too short to tell errors apart.
fn message_cue(text: &str) -> Option<Cue> {
    let words: Vec<&str> = text.split_whitespace().take(MOST_MESSAGE_WORDS).collect();
    let letters = words.iter().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1).count();
    let is_code = text.contains(['{', '}', ';', '=']) && !text.contains(':');
    if letters < MESSAGE_WORDS || is_code { None } else { Cue::new(CueKind::Error, &words.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(memory_type: MemoryType, text: &str, expected: &[&str]) {
        let cues: Vec<String> = derive_cues(memory_type, "", text).iter().map(ToString::to_string).collect();
        assert_eq!(cues, expected, "{text}");
    }

    #[test]
    fn code_is_classified_by_its_form() {
        check(
            MemoryType::Lesson,
            "Run `FOO=1 make migrate` before `pytest -x tests/db`, never `git status`.",
            &["command:FOO=1 make migrate", "command:pytest -x tests/db"],
        );
        check(
            MemoryType::Note,
            "`RetryPolicy` and `Store::open()` live in `src/net/`, see `src/net/*.rs`; `x`, `true` and `a b` say nothing.",
            &["path:src/net/", "path:src/net/*.rs", "symbol:RetryPolicy", "symbol:open"],
        );
        check(MemoryType::Note, "`config.yaml` is read by `./run.sh`.", &["command:./run.sh"]);
        check(MemoryType::Note, "```sh\n$ docker compose up -d  # slow\nls\n```\n", &["command:docker compose up -d"]);
    }

    #[test]
    fn errors_are_read_with_and_without_backticks() {
        check(
            MemoryType::Failure,
            "sqlalchemy.exc.OperationalError: database is locked. Close the session first.",
            &["error:OperationalError: database is locked"],
        );
        check(
            MemoryType::Failure,
            "ValueError is raised, or E0382, or EADDRINUSE.",
            &["error:E0382", "error:EADDRINUSE"],
        );
        check(
            MemoryType::Failure,
            "It prints `connection pool is exhausted`.",
            &["error:connection pool is exhausted"],
        );
        check(MemoryType::Decision, "It prints `connection pool is exhausted`.", &[]);
        check(MemoryType::Failure, "Meldung: „relation does not exist“", &["error:relation does not exist"]);
        check(MemoryType::Note, "A StaleLeaseError means that a worker died.", &["error:StaleLeaseError"]);
    }

    #[test]
    fn unmistakable_commands_need_no_backticks() {
        check(
            MemoryType::Note,
            "Before cargo test and npm run build, make sure to go on; git history is long.",
            &["command:cargo test", "command:npm run build"],
        );
        check(MemoryType::Note, "テストは pytest で実行する。", &["command:pytest"]);
    }

    #[test]
    fn a_text_has_few_cues() {
        let names: Vec<String> = (0..100).map(|number| format!("`NameNumber{number}`")).collect();
        assert_eq!(derive_cues(MemoryType::Note, "", &names.join(" ")).len(), MOST_CUES);
        check(MemoryType::Note, "We chose sessions over tokens.", &[]);
    }
}
