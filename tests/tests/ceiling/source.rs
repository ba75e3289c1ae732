//! Generated source text of a given length, reproducible from a seed, that real parsers accept.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use oorandom::Rand64;

/// The parts of names.
const WORDS: [&str; 48] = [
    "account", "archive", "balance", "batch", "border", "branch", "buffer", "cache", "channel", "chunk", "client",
    "column", "commit", "config", "cursor", "decode", "device", "digest", "encode", "entry", "event", "filter",
    "frame", "handle", "header", "index", "invoice", "journal", "kernel", "ledger", "limit", "merge", "message",
    "metric", "packet", "parser", "payload", "policy", "queue", "record", "region", "request", "schema", "session",
    "socket", "thread", "token", "window",
];

/// A text of about `bytes` bytes in the language of a file's ending.
#[expect(clippy::many_single_char_names, reason = "the templates are read with short names")]
pub(crate) fn text(ending: &str, bytes: usize, seed: u64) -> String {
    let mut random = Rand64::new(seed.into());
    let mut text = String::with_capacity(bytes + 1024);
    while text.len() < bytes {
        let [a, b, c, d] = [(); 4].map(|()| WORDS[random.rand_range(0..WORDS.len() as u64) as usize]);
        let n = random.rand_range(0..10_000);
        let written = match ending {
            "rs" => write!(
                text,
                "/// Moves the {a} of a {b} to its {c}.\npub fn {a}_{b}_{n}({c}: &mut {d}, limit: usize) -> Result<usize, Error> {{\n    \
                 let mut {b}_count = 0;\n    for {a} in {c}.{b}_entries().take(limit) {{\n        if {a}.is_{d}() && {a}.{b}() > {n} {{\n            \
                 {b}_count += {a}_{c}({a}, {n})?;\n            {c}.push_{d}({a}.clone());\n        }}\n    }}\n    Ok({b}_count)\n}}\n\n"
            ),
            "py" => write!(
                text,
                "class {a}{b}{n}:\n    \"\"\"Keeps the {c} of each {d}.\"\"\"\n\n    def {c}_{d}(self, {a}, limit={n}):\n        for {b} in self.{a}_{c}({a})[:limit]:\n            \
                 if {b}.{d} and {b}.{c} > {n}:\n                yield self.{d}_{a}({b})\n\n"
            ),
            "c" => write!(
                text,
                "/* The {a} of a {b}. */\nstatic int {a}_{b}_{n}(struct {c} *{d}, size_t limit)\n{{\n    int {b} = 0;\n    for (size_t i = 0; i < limit; i++) {{\n        \
                 if ({d}->{a}[i].{b} > {n})\n            {b} += {c}_{d}(&{d}->{a}[i], {n});\n    }}\n    return {b};\n}}\n\n"
            ),
            "js" => write!(
                text,
                "export function {a}{b}{n}({c}, {d} = {n}) {{\n  const {b} = {c}.{a}().filter((entry) => entry.{d} > {d});\n  return {b}.map(({a}) => ({{ {a}, {b}: {c}.{d}({a}) }}));\n}}\n\n"
            ),
            "md" => write!(
                text,
                "## The {a} of a {b} {n}\n\nEach {c} has a {d}, and every {a} of the {b} follows the {c} to its {d}.\n\n"
            ),
            // Nearly every byte is a token of its own.
            "json" => write!(
                text,
                "{}[{n},{n},[{n}],{{\"{a}\":[1,2,3,4,5,6,7,8,9,0]}}]",
                if text.is_empty() { "[" } else { "," }
            ),
            other => panic!("no text ends in .{other}"),
        };
        written.expect("a string can be written");
    }
    if ending == "json" {
        text.push(']');
    }
    text
}

/// The file extensions, used in turn.
const ENDINGS: [&str; 6] = ["rs", "py", "c", "js", "md", "json"];

/// Fills a folder with files of about `bytes` bytes each, a hundred per subfolder.
pub(crate) fn fill(root: &Path, files: usize, bytes: usize, seed: u64) {
    for number in 0..files {
        let ending = ENDINGS[number % ENDINGS.len()];
        let folder = root.join(format!("part{}", number / 100));
        fs::create_dir_all(&folder).expect("a new folder can be written");
        let text = text(ending, bytes, seed * 1_000_003 + number as u64);
        fs::write(folder.join(format!("{}_{number}.{ending}", WORDS[number % WORDS.len()])), text)
            .expect("there is room");
    }
}
