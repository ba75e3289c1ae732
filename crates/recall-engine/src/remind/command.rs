//! Command lines: the commands in them, and what those search for.

/// The programs whose output names lines of files that did not fail.
const READERS: [&str; 16] =
    ["ack", "ag", "awk", "bat", "cat", "diff", "fd", "find", "grep", "head", "jq", "ls", "rg", "sed", "tail", "which"];

/// The subcommands of git whose output is text of files or commits.
const GIT_READERS: [&str; 6] = ["blame", "diff", "grep", "log", "show", "status"];

/// The programs that search the lines of files for a pattern.
const LINE_SEARCHERS: [&str; 7] = ["ack", "ag", "egrep", "fgrep", "grep", "rg", "ugrep"];

/// The programs that search the names of files.
const NAME_SEARCHERS: [&str; 3] = ["fd", "fdfind", "find"];

/// The flags of searching programs that have a value after them.
const FLAGS_WITH_VALUE: [&str; 15] = [
    "-A",
    "-B",
    "-C",
    "-T",
    "-d",
    "-f",
    "-g",
    "-j",
    "-m",
    "-t",
    "--glob",
    "--include",
    "--type",
    "--exclude",
    "--max-count",
];

/// The words that only run what follows them.
const WRAPPERS: [&[&str]; 16] = [
    &["sudo"],
    &["time"],
    &["env"],
    &["exec"],
    &["nohup"],
    &["command"],
    &["npx"],
    &["bunx"],
    &["uvx"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["bundle", "exec"],
    &["pnpm", "exec"],
    &["python", "-m"],
    &["python3", "-m"],
];

/// A command of a command line: its program and its arguments, without what only runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SimpleCommand {
    words: Vec<String>,
    /// The variables that are set for it, as `NAME=value`.
    variables: Vec<String>,
    /// Whether it reads what another command writes.
    is_piped: bool,
}

impl SimpleCommand {
    /// Splits a command line. A line whose quotes do not match is split at blanks.
    pub(super) fn split(line: &str) -> Vec<Self> {
        let mut commands = Vec::new();
        for line in line.lines() {
            let spaced = space_separators(line);
            let words = shlex::split(&spaced).unwrap_or_else(|| spaced.split_whitespace().map(str::to_owned).collect());
            let mut current = Self { words: Vec::new(), variables: Vec::new(), is_piped: false };
            for word in words {
                if matches!(word.as_str(), "&&" | "||" | "|" | ";" | "&" | "|&") {
                    let next = Self {
                        words: Vec::new(),
                        variables: Vec::new(),
                        is_piped: word.starts_with('|') && word != "||",
                    };
                    commands.push(std::mem::replace(&mut current, next));
                } else {
                    current.words.push(word);
                }
            }
            commands.push(current);
        }
        commands.iter_mut().for_each(Self::unwrap_program);
        commands.retain(|command| !command.words.is_empty());
        commands
    }

    /// Whether it only prints how it is used.
    pub(super) fn only_explains(&self) -> bool {
        self.words.iter().any(|word| matches!(word.as_str(), "--help" | "-h" | "--version"))
    }

    /// Returns its long flags and the variables that it sets: what its author chose.
    pub(super) fn choices(&self) -> impl Iterator<Item = &str> {
        let flags = self.words.iter().filter(|word| word.starts_with("--") && word.len() > 3);
        flags.chain(&self.variables).map(String::as_str)
    }

    /// Removes assignments and wrappers from the beginning, and the folder of the program.
    fn unwrap_program(&mut self) {
        loop {
            let is_assigned = self.words.first().is_some_and(|word| {
                word.split_once('=').is_some_and(|(name, _)| {
                    !name.is_empty() && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
                })
            });
            let wrapper = WRAPPERS.iter().find(|wrapper| {
                self.words.len() > wrapper.len()
                    && self.words.iter().zip(**wrapper).all(|(word, wrapped)| word == wrapped)
            });
            let dropped = if is_assigned { 1 } else { wrapper.map_or(0, |wrapper| wrapper.len()) };
            if dropped == 0 {
                break;
            }
            let removed = self.words.drain(..dropped);
            if is_assigned {
                self.variables.extend(removed);
            }
        }
        if let Some(program) = self.words.first_mut() {
            if let Some((_, name)) = program.rsplit_once('/') {
                *program = name.to_owned();
            }
            if program == "docker-compose" {
                "docker".clone_into(program);
                self.words.insert(1, "compose".to_owned());
            }
        }
    }

    fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Whether it does what another command names: the same program, and after it the other's arguments in their order. A path also
    /// stands for what is below it. Short flags do not count, and neither do arguments that the other does not have.
    pub(super) fn does(&self, other: &Self) -> bool {
        if self.program() != other.program() || self.program().is_empty() {
            return false;
        }
        let mut own = self.words[1..].iter();
        other.words[1..]
            .iter()
            .filter(|word| !is_short_flag(word))
            .all(|wanted| own.any(|word| is_or_is_below(word, wanted)))
    }

    /// Returns what it searches files for; `None` if it does something else.
    fn pattern(&self) -> Option<&str> {
        let is_git_grep = self.program() == "git" && self.words.get(1).is_some_and(|word| word == "grep");
        let arguments = &self.words[if is_git_grep { 2 } else { 1 }..];
        if self.program() == "find" {
            let at =
                arguments.iter().position(|word| matches!(word.as_str(), "-name" | "-iname" | "-path" | "-regex"))?;
            return arguments.get(at + 1).map(String::as_str);
        }
        let is_search =
            is_git_grep || LINE_SEARCHERS.contains(&self.program()) || NAME_SEARCHERS.contains(&self.program());
        if !is_search || self.is_piped {
            return None;
        }
        let mut arguments = arguments.iter();
        while let Some(word) = arguments.next() {
            if word == "-e" || word == "--regexp" {
                return arguments.next().map(String::as_str);
            }
            if FLAGS_WITH_VALUE.contains(&word.as_str()) {
                arguments.next();
            } else if !word.starts_with('-') {
                return Some(word);
            }
        }
        None
    }
}

/// Puts blanks around the separators of commands that are not between quotes.
fn space_separators(line: &str) -> String {
    let (mut spaced, mut quote, mut before) = (String::with_capacity(line.len() + 8), None, ' ');
    for c in line.chars() {
        match quote {
            Some(open) if open == c && before != '\\' => quote = None,
            None if matches!(c, '\'' | '"') && before != '\\' => quote = Some(c),
            _ => {}
        }
        let is_separator = |c: char| matches!(c, ';' | '|' | '&');
        // `2>&1` and `&>` redirect.
        let joins = |a: char, b: char| is_separator(a) == is_separator(b) || matches!((a, b), ('>', '&') | ('&', '>'));
        let is_digit_of_redirection = before == '&' && c.is_ascii_digit();
        if quote.is_none()
            && !joins(before, c)
            && !before.is_whitespace()
            && !c.is_whitespace()
            && !is_digit_of_redirection
        {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    spaced
}

/// Whether a word is a flag of one letter, or several of them.
fn is_short_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word.starts_with("--")
}

fn is_or_is_below(word: &str, wanted: &str) -> bool {
    let (word, wanted) = (word.trim_start_matches("./"), wanted.trim_start_matches("./").trim_end_matches('/'));
    word == wanted || word.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('/') || rest.starts_with("::"))
}

/// Returns what a command line searches files for; `None` if it does something else.
pub(super) fn searched_pattern(commands: &[SimpleCommand]) -> Option<&str> {
    commands.iter().find_map(SimpleCommand::pattern)
}

/// Whether the last command of a command line searches or prints files, whatever reads its output.
pub(super) fn reads_texts(line: &str) -> bool {
    let commands = SimpleCommand::split(line);
    let Some(last) = commands.iter().rfind(|command| !command.is_piped) else { return false };
    READERS.contains(&last.program())
        || (last.program() == "git"
            && last.words[1..]
                .iter()
                .find(|word| !word.starts_with('-'))
                .is_some_and(|word| GIT_READERS.contains(&word.as_str())))
}

/// Returns the names in a pattern: what is left of it without the marks of regular expressions and globs.
pub(super) fn names_in(pattern: &str) -> Vec<String> {
    let mut plain = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            // `\b` and `\s` are classes, `\.` is a point.
            '\\' => plain.push(rest.next().filter(|next| !next.is_alphanumeric()).unwrap_or(' ')),
            c => plain.push(c),
        }
    }
    let names = plain.split(|c: char| !c.is_alphanumeric() && c != '_');
    names.filter(|name| name.chars().filter(|c| c.is_alphabetic()).count() >= 2).map(str::to_owned).collect()
}

/// Whether a word has a form that only names in code have.
pub(super) fn is_code_name(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let is_mixed = inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase);
    inner.contains('_') || is_mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_read_texts_are_told_from_those_that_run_programs() {
        for (command, expected) in [
            ("grep -rn total src", true),
            ("cd web && LC_ALL=C /usr/bin/rg total", true),
            ("git --no-pager log -p", true),
            ("ls missing", true),
            ("cargo test 2>&1 | grep -A5 panicked", false),
            ("git push", false),
            ("make test", false),
            ("grep -q x a && python -m shop\n", false),
            ("", false),
        ] {
            assert_eq!(reads_texts(command), expected, "{command}");
        }
    }

    #[test]
    fn a_command_does_what_another_names() {
        for (line, named, expected) in [
            ("cd api && uv run pytest tests/db/test_pool.py -x", "pytest -x tests/db", true),
            ("FOO=1 sudo make -C api migrate ENV=dev", "make migrate", true),
            ("python3 -m pytest -q", "pytest", true),
            ("docker-compose up -d;sleep 1", "docker compose up", true),
            ("./gradlew test --info", "gradlew test", true),
            ("npm run build 2>&1 | tail", "npm run build", true),
            ("git push --force origin main", "git push --force", true),
            ("cargo test -p ingest", "cargo test -p ingest", true),
            ("git push origin main", "git push --force", false),
            ("npm run build:prod", "npm run build", false),
            ("git commit -m 'git push'", "git push", false),
            ("pytest tests/api", "pytest tests/db", false),
            ("echo make migrate", "make migrate", false),
            ("make test", "make migrate", false),
        ] {
            let named = SimpleCommand::split(named);
            let does = SimpleCommand::split(line).iter().any(|command| command.does(&named[0]));
            assert_eq!(does, expected, "{line}");
        }
    }

    #[test]
    fn what_is_searched_is_read_from_command_lines() {
        for (line, expected) in [
            ("rg -n 'class Retry' api", Some("class Retry")),
            ("cd web && git grep -n -e total -- src", Some("total")),
            ("grep -rn --include '*.py' -A 3 \"def total\\b\" . | head", Some("def total\\b")),
            ("find . -type f -name '*retry*'", Some("*retry*")),
            ("fd -e py cart", Some("py")),
            ("cargo test | grep FAILED", None),
            ("git log --grep x", None),
            ("rg --files", None),
            ("make 'unclosed", None),
        ] {
            assert_eq!(searched_pattern(&SimpleCommand::split(line)), expected, "{line}");
        }
        assert_eq!(names_in(r"def (total|sum)\b.*\.close\("), ["def", "total", "sum", "close"]);
        assert_eq!(names_in("**/*retry*.py"), ["retry", "py"]);
    }
}
