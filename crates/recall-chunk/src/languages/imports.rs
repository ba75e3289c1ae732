//! Readers of the modules and files named in the text of an import.

/// Every string literal: `import ("fmt"; "os")`, `#include "a.h"`, `export * from './x'`.
pub(super) fn push_quoted(text: &str, targets: &mut Vec<String>) {
    let mut rest = text;
    while let Some(open) = rest.find(['"', '\'', '`']) {
        let quote = rest[open..].chars().next().unwrap_or('"');
        let inner = &rest[open + 1..];
        let Some(close) = inner.find(quote) else { return };
        push(targets, &inner[..close]);
        rest = &inner[close + 1..];
    }
}

/// The last string literal, for forms with other literals before their source.
pub(super) fn push_last_quoted(text: &str, targets: &mut Vec<String>) {
    let mut all = Vec::new();
    push_quoted(text, &mut all);
    targets.extend(all.pop());
}

/// `#include <a.h>` or `#include "a.h"`.
pub(super) fn include(text: &str, targets: &mut Vec<String>) {
    match (text.find('<'), text.find('>')) {
        (Some(open), Some(close)) if open < close => push(targets, &text[open + 1..close]),
        _ => push_quoted(text, targets),
    }
}

/// `import a.b.C as D;`, `import static a.b.*`, `using X = A.B`, `import qualified "pkg" Data.Map as M (x)`: the dotted
/// path after the keywords and the quoted package.
pub(super) fn push_dotted(text: &str, targets: &mut Vec<String>) {
    const KEYWORDS: &[&str] = &[
        "import",
        "using",
        "static",
        "global",
        "qualified",
        "safe",
        "open",
        "@testable",
        "class",
        "struct",
        "enum",
        "protocol",
        "func",
        "typealias",
        "var",
        "let",
        "type",
        "pattern",
        "unsafe",
        "{-#",
        "SOURCE",
        "#-}",
    ];
    let text = text.split_once('=').map_or(text, |(_, right)| right);
    let path = text
        .split(|c: char| c.is_whitespace() || matches!(c, ';' | '('))
        .find(|word| !word.is_empty() && !word.starts_with('"') && !KEYWORDS.contains(word));
    push(targets, path.unwrap_or_default().trim_end_matches(".*").trim_end_matches("._"));
}

/// `use a::{b, c::{d, e}, self};` and `import a.b.{C, D => E}`: one target per leaf, without its new name.
pub(super) fn push_braced(text: &str, separator: &str, targets: &mut Vec<String>) {
    /// The most leaves kept of one import, as a bound on generated lists.
    const MAX: usize = 256;
    let mut prefixes: Vec<String> = vec![String::new()];
    let mut word = String::new();
    let end = targets.len() + MAX;
    let mut close = |prefixes: &[String], word: &mut String| {
        let leaf = word.split(" as ").next().unwrap_or_default();
        let leaf = leaf.split("=>").next().unwrap_or_default().trim();
        let prefix: String = prefixes.concat();
        let path = match leaf {
            "" => String::new(),
            "self" | "*" | "_" | "given" if !prefix.is_empty() => prefix.trim_end_matches(separator).to_owned(),
            leaf => format!("{prefix}{leaf}"),
        };
        let path = path.trim_end_matches('*').trim_end_matches("._").trim_end_matches(separator);
        if targets.len() < end {
            push(targets, path);
        }
        word.clear();
    };
    for c in text.chars() {
        match c {
            // The words before a brace are the prefix of its contents. No real import nests deeper than this.
            '{' if prefixes.len() < 16 => {
                prefixes.push(word.trim().to_owned());
                word.clear();
            }
            '}' => {
                close(&prefixes, &mut word);
                if prefixes.len() > 1 {
                    prefixes.pop();
                }
            }
            ',' => close(&prefixes, &mut word),
            ';' => break,
            '\n' | '\r' | '\t' => word.push(' '),
            _ => word.push(c),
        }
    }
    close(&prefixes, &mut word);
}

pub(super) fn push(targets: &mut Vec<String>, target: &str) {
    /// No module or file name is longer; anything longer was misread.
    const MAX_BYTES: usize = 300;
    let target = target.trim();
    if !target.is_empty() && target.len() <= MAX_BYTES {
        targets.push(target.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: impl Fn(&str, &mut Vec<String>), text: &str, expected: &[&str]) {
        let mut targets = Vec::new();
        read(text, &mut targets);
        assert_eq!(targets, expected, "{text}");
    }

    #[test]
    fn imports_name_their_targets() {
        check(push_quoted, "import (\"fmt\"\n x \"a/b\")", &["fmt", "a/b"]);
        check(push_quoted, "import \"unclosed", &[]);
        check(push_last_quoted, "export { 'q' as x } from './y'", &["./y"]);
        check(include, "#include <sys/stat.h>", &["sys/stat.h"]);
        check(include, "#include \"a.h\"", &["a.h"]);
        check(push_dotted, "import static a.b.C.*;", &["a.b.C"]);
        check(push_dotted, "using X = A.B;", &["A.B"]);
        check(push_dotted, "import qualified Data.Map as M (x)", &["Data.Map"]);
        check(push_dotted, "import {-# SOURCE #-} \"containers\" Data.Map (x)", &["Data.Map"]);
        check(push_dotted, "@testable import Store", &["Store"]);
        check(push_dotted, "import", &[]);
        let rust = |text: &str, targets: &mut Vec<String>| push_braced(text, "::", targets);
        check(rust, "std::{io, fs::{self, File as F}, a::*};", &["std::io", "std::fs", "std::fs::File", "std::a"]);
        check(rust, "a::b as c;", &["a::b"]);
        let scala = |text: &str, targets: &mut Vec<String>| push_braced(text, ".", targets);
        check(scala, "a.b.{C, D => E, _}", &["a.b.C", "a.b.D", "a.b"]);
        check(rust, "}}}{{{", &[]);
    }
}
