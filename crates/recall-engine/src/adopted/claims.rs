//! What the sentences of a text claim to be in the project: files, symbols and commands, by their names.
//!
//! A name counts if a reader would look for exactly it: a path, an identifier in backticks, a command. Placeholders, globs, addresses,
//! variables and absolute paths do not.

use recall_text::words::{self, Word};

use super::sentences::{Form, Sentence};

/// The longest name, in bytes.
const NAME_BYTES: usize = 200;

/// Something that a sentence names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The line of the name, from 1.
    pub(super) line: u32,
    /// The name as written, without a line number or an anchor.
    pub(super) name: String,
    pub(super) subject: Subject,
}

/// What a name is the name of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// A path with a directory, or one that ends with `/`.
    Path(String),
    /// The name of a file without a directory.
    FileName(String),
    /// An identifier: the names of its scopes, outermost first, then its own.
    Symbol(Vec<String>),
    /// A script of a `package.json`.
    Script(String),
    /// A target of a makefile.
    MakeTarget(String),
    /// A recipe of a justfile.
    Recipe(String),
    /// A package of a Cargo workspace.
    CargoPackage(String),
}

/// Endings of files that people write or generate from.
const EXTENSIONS: [&str; 71] = [
    "rs", "py", "pyi", "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "go", "java", "kt", "kts", "scala", "rb",
    "php", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "cs", "fs", "swift", "m", "mm", "ex", "exs", "erl", "hs", "ml",
    "clj", "lua", "r", "jl", "zig", "dart", "vue", "svelte", "astro", "sql", "graphql", "proto", "sh", "bash", "zsh",
    "fish", "ps1", "md", "mdx", "mdc", "rst", "txt", "toml", "yaml", "yml", "json", "jsonc", "json5", "html", "css",
    "scss", "tf", "nix", "ipynb", "cmake", "gradle",
];

/// Placeholder words in the names of examples.
const PLACEHOLDERS: [&str; 22] = [
    "foo",
    "bar",
    "baz",
    "qux",
    "example",
    "examples",
    "your",
    "my",
    "some",
    "xxx",
    "xyz",
    "yyyy",
    "nnnn",
    "abc",
    "placeholder",
    "sample",
    "hello",
    "acme",
    "myapp",
    "yourname",
    "whatever",
    "something",
];

/// Words of a sentence that does not say that its names are there now.
const HEDGES: [&str; 42] = [
    "e.g.",
    "example",
    "for instance",
    "such as",
    "naming",
    "named like",
    "name it",
    "create ",
    "creates ",
    "created ",
    "creating ",
    "generate",
    "add a ",
    "adding a ",
    "new file",
    "will be ",
    "would ",
    "should be named",
    "rename",
    "removed",
    "remove ",
    "delete",
    "deprecated",
    "legacy",
    " old ",
    "no longer",
    "used to",
    "formerly",
    "previously",
    "replaced",
    "instead of",
    "rather than",
    "don't",
    "do not ",
    "never ",
    "avoid ",
    "does not exist",
    "doesn't exist",
    "not exist",
    "gitignored",
    "output",
    "if it exists",
];

/// Returns whether a sentence may name what is not there.
pub(super) fn is_hedged(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    HEDGES.iter().any(|hedge| lower.contains(hedge))
}

/// Returns what a sentence names, in order.
pub(super) fn claims(sentence: &Sentence) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut claim = |at: usize, name: &str, subject: Subject| {
        found.push(Claim { line: sentence.line_at(at), name: name.to_owned(), subject });
    };
    if sentence.form == Form::Command {
        for command in commands(&sentence.text) {
            claim(0, &command.0, command.1);
        }
        return found;
    }
    for (at, span) in code_spans(&sentence.text) {
        if span.contains(char::is_whitespace) {
            for (name, subject) in commands(span) {
                claim(at, &name, subject);
            }
        } else if let Some((name, subject)) = path(span) {
            claim(at, &name, subject);
        } else if let Some((name, subject)) = symbol(span) {
            claim(at, &name, subject);
        }
    }
    for (at, word) in words_outside_code(&sentence.text) {
        if let Some((name, subject @ Subject::Path(_))) = path(word)
            && has_extension(&name)
        {
            claim(at, &name, subject);
        }
    }
    found
}

/// Returns the inline code of a text, with its places.
fn code_spans(text: &str) -> Vec<(usize, &str)> {
    pieces(text).into_iter().filter(|(is_code, ..)| *is_code).map(|(_, at, piece)| (at, piece.trim())).collect()
}

/// Returns the words outside of inline code, without the marks around them, with their places.
fn words_outside_code(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    for (_, start, piece) in pieces(text).into_iter().filter(|(is_code, ..)| !is_code) {
        let mut at = 0;
        for word in piece
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '|' | '"' | '\'' | ',' | ';'))
        {
            let is_address = word.contains("://");
            let bare = word.trim_start_matches(['*', '_', '@']).trim_end_matches(['.', ':', '*', '_', '!', '?']);
            if !is_address && bare.contains('/') {
                words.push((start + at, bare));
            }
            at += word.len() + 1;
        }
    }
    words
}

/// Splits a text at its backticks: whether a piece is code, where it begins, and the piece.
fn pieces(text: &str) -> Vec<(bool, usize, &str)> {
    let mut pieces = Vec::new();
    let mut rest = 0;
    while let Some(open) = text[rest..].find('`').map(|at| rest + at) {
        let length = text[open..].bytes().take_while(|byte| *byte == b'`').count();
        let inside = open + length;
        let Some(close) = text[inside..].find(&text[open..inside]).map(|at| inside + at) else { break };
        pieces.push((false, rest, &text[rest..open]));
        pieces.push((true, inside, &text[inside..close]));
        rest = close + length;
    }
    pieces.push((false, rest, &text[rest..]));
    pieces
}

/// Reads a word as a path or the name of a file.
fn path(word: &str) -> Option<(String, Subject)> {
    let word = word.strip_prefix('@').filter(|rest| has_extension(rest)).unwrap_or(word);
    let word = without_place(word);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+' | '@');
    if word.is_empty()
        || word.len() > NAME_BYTES
        || !word.chars().all(is_plain)
        || word.contains("..")
        || word.contains("//")
    {
        return None;
    }
    if word.starts_with(['/', '~', '-', '@', '+']) || is_placeholder(word) || is_host(word) {
        return None;
    }
    let bare = word.strip_prefix("./").unwrap_or(word);
    if !bare.contains('/') {
        let is_file = has_extension(bare) && !bare.starts_with('.') && !is_product(bare) && !is_numbered(bare);
        return is_file.then(|| (word.to_owned(), Subject::FileName(bare.to_owned())));
    }
    let names = bare.trim_end_matches('/').split('/').collect::<Vec<_>>();
    let has_letters = names.iter().all(|name| name.chars().any(char::is_alphabetic));
    has_letters.then(|| (word.to_owned(), Subject::Path(bare.to_owned())))
}

/// Removes what follows a path: `:12`, `:12-30`, `#anchor`, `::test_name`.
fn without_place(word: &str) -> &str {
    let word = word.split("::").next().unwrap_or(word);
    let word = word.split('#').next().unwrap_or(word);
    match word.split_once(':') {
        Some((path, place)) if place.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | ',')) => path,
        _ => word,
    }
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension))
}

/// Returns whether a name is that of a program or a service, such as Node.js.
fn is_product(name: &str) -> bool {
    let stem = name.strip_suffix(".js").unwrap_or_default();
    stem.chars().next().is_some_and(char::is_uppercase)
        && stem.chars().skip(1).all(|c| c.is_lowercase() || c.is_numeric())
}

/// Returns whether a name is one of a series: `task_001.txt`, `2026-11-25.md`.
fn is_numbered(name: &str) -> bool {
    name.bytes().filter(u8::is_ascii_digit).count() >= 3
}

/// Returns whether a word begins with the name of a host.
fn is_host(word: &str) -> bool {
    const DOMAINS: [&str; 8] = [".com", ".org", ".io", ".dev", ".net", ".ai", ".app", ".co"];
    let first = word.split('/').next().unwrap_or(word);
    word.contains('/') && DOMAINS.iter().any(|domain| first.ends_with(domain))
}

/// Returns whether a part of a name stands for others.
fn is_placeholder(name: &str) -> bool {
    let mut found = false;
    words::split(name, |word| {
        let (Word::Plain(part) | Word::Part(part) | Word::Compound(part)) = word;
        let is_pattern = part.len() > 1 && part.chars().all(|c| matches!(c, 'X' | 'N' | 'Y' | 'x'));
        found |= is_pattern || PLACEHOLDERS.contains(&part.to_ascii_lowercase().as_str());
    });
    found
}

/// Reads a word in backticks as an identifier of code.
fn symbol(word: &str) -> Option<(String, Subject)> {
    if word.len() > NAME_BYTES {
        return None;
    }
    let (bare, is_call) = match word.split_once('(') {
        Some((bare, rest)) if rest.ends_with(')') => (bare, true),
        Some(_) => return None,
        None => (word, false),
    };
    let bare = bare.trim_end_matches('!');
    let scopes: Vec<&str> = if bare.contains("::") { bare.split("::").collect() } else { bare.split('.').collect() };
    if scopes.iter().any(|scope| !is_identifier(scope)) || is_placeholder(&scopes.join("_")) {
        return None;
    }
    let own = *scopes.last()?;
    let looks_like_code =
        is_compound(own) || (is_call && own.len() >= 4) || (scopes.len() > 1 && is_compound(scopes[scopes.len() - 2]));
    if own.len() < 4 || !looks_like_code || is_shouted(own) {
        return None;
    }
    Some((word.to_owned(), Subject::Symbol(scopes.into_iter().map(str::to_owned).collect())))
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether an identifier has several parts: `open_store`, `openStore`, `OpenStore`.
fn is_compound(word: &str) -> bool {
    let inner = word.trim_matches('_');
    let humps =
        inner.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    inner.contains('_') || humps > 0
}

/// Returns whether a name is that of a variable of the environment or a constant.
fn is_shouted(word: &str) -> bool {
    !word.chars().any(|c| c.is_ascii_lowercase())
}

/// Reads the commands of a line whose targets are declared in files of the project.
fn commands(line: &str) -> Vec<(String, Subject)> {
    let line = line.split(" #").next().unwrap_or(line);
    let parts = line.split("&&").flat_map(|part| part.split(';')).flat_map(|part| part.split('|'));
    parts.filter_map(command).collect()
}

fn command(part: &str) -> Option<(String, Subject)> {
    let words: Vec<&str> =
        part.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-')).collect();
    let (&program, rest) = words.split_first()?;
    // A command in another directory or of another file is about what that holds.
    let elsewhere = |word: &&&str| {
        matches!(
            **word,
            "-C" | "-f"
                | "--prefix"
                | "--cwd"
                | "--dir"
                | "--file"
                | "-F"
                | "--filter"
                | "--manifest-path"
                | "-w"
                | "--workspace"
        )
    };
    let is_elsewhere =
        rest.iter().any(|word| elsewhere(&word)) || rest.iter().any(|word| word.starts_with("--filter="));
    let subject = match program {
        "npm" | "pnpm" | "yarn" | "bun" => match rest {
            ["run", script, ..] if !is_elsewhere => Subject::Script(target(script)?),
            _ => return None,
        },
        "make" => {
            if is_elsewhere {
                return None;
            }
            Subject::MakeTarget(target(rest.iter().find(|word| !word.starts_with('-') && !word.contains('='))?)?)
        }
        "just" => {
            let first =
                rest.first().filter(|word| !word.starts_with('-') && !word.contains('=') && !word.contains("::"))?;
            if is_elsewhere {
                return None;
            }
            Subject::Recipe(target(first)?)
        }
        "cargo" => {
            let at = rest.iter().position(|word| matches!(*word, "-p" | "--package"))?;
            if rest.contains(&"--manifest-path") || matches!(rest.first(), Some(&"install" | &"add")) {
                return None;
            }
            Subject::CargoPackage(target(rest.get(at + 1)?)?)
        }
        _ => return None,
    };
    Some((words.join(" "), subject))
}

/// Returns a word as a target's name; `None` for a placeholder.
fn target(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '/' | '@');
    let is_name = !word.is_empty() && word.len() <= NAME_BYTES && word.chars().all(is_plain);
    (is_name && word.starts_with(|c: char| c.is_ascii_alphanumeric()) && !is_placeholder(word)).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::sentences::sentences;
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = sentences(text)
            .iter()
            .flat_map(claims)
            .map(|Claim { name, subject, .. }| match subject {
                Subject::Path(_) => format!("path {name}"),
                Subject::FileName(_) => format!("file {name}"),
                Subject::Symbol(_) => format!("symbol {name}"),
                Subject::Script(target) => format!("script {target}"),
                Subject::MakeTarget(target) => format!("make {target}"),
                Subject::Recipe(target) => format!("just {target}"),
                Subject::CargoPackage(target) => format!("cargo {target}"),
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn paths_are_claims() {
        check(
            "Look at `src/store/open.rs` and docs/adr/0001-x.md.",
            &["path src/store/open.rs", "path docs/adr/0001-x.md"],
        );
        check(
            "See [the guide](docs/guide.md#start) or @docs/style.md first",
            &["path docs/guide.md", "path docs/style.md"],
        );
        check("`src/lib.rs:12-30` and `tests/test_a.py::test_b`", &["path src/lib.rs", "path tests/test_a.py"]);
        check("`crates/engine/` and `config.toml`", &["path crates/engine/", "file config.toml"]);
        check("`./scripts/run.sh`", &["path ./scripts/run.sh"]);
    }

    #[test]
    fn what_stands_for_others_is_no_claim() {
        check("`src/<name>/mod.rs` `src/**/*.ts` `src/{a,b}.ts` `$HOME/x.sh` `~/x.md` `/etc/x.conf` `C:\\x.md`", &[]);
        check("https://a.com/b/c.md `github.com/a/b.rs` `path/to/foo.rs` `YYYY-MM.md` `../x/y.rs`", &[]);
        check("`someAiAction()` `task_001.txt` `2026-11-25.md` see .archon/config.yaml", &["path .archon/config.yaml"]);
        check("`Node.js` `.env` `and/or.` `1/2` `RUST_LOG` `true` `open` `a..b`", &["path and/or."]);
        check("either/or and text/html", &[]);
    }

    #[test]
    fn identifiers_in_backticks_are_claims() {
        check(
            "`open_store()` `Store::open_it` `parseHeader` `OpenStore` `store.fetch_all(x)` plain_text",
            &[
                "symbol open_store()",
                "symbol Store::open_it",
                "symbol parseHeader",
                "symbol OpenStore",
                "symbol store.fetch_all(x)",
            ],
        );
        check("`my_function()` `foo_bar` `x()` `MAX_SIZE` `a-b` `--flag_name`", &[]);
    }

    #[test]
    fn commands_with_declared_targets_are_claims() {
        check("Run `npm run lint:fix` or `make -j4 check`.", &["script lint:fix", "make check"]);
        check(
            "```sh\ncd web && pnpm run build # all\nCI=1 just test-all\ncargo test -p engine --lib\n```",
            &["script build", "just test-all", "cargo engine"],
        );
        check(
            "`npm run <script>` `make -C docs html` `cargo install -p x` `npm install x` `pnpm --filter web run build`",
            &[],
        );
    }

    #[test]
    fn a_hedged_sentence_is_recognised() {
        for sentence in ["Create `a/b.rs`", "Never edit x", "Use b instead of `a()`", "(e.g. `a/b.rs`)"] {
            assert!(is_hedged(sentence), "{sentence}");
        }
        assert!(!is_hedged("The store is in `src/store.rs`."));
    }
}
