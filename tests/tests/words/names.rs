//! Rules about the names of functions, types and closures.

use std::collections::{BTreeMap, BTreeSet};

use super::File;

/// Names that are neither a verb nor a noun.
const PRONOUNS: &[&str] = &[
    "both", "chosen", "found", "given", "held", "kept", "known", "lost", "made", "only", "others", "own", "said",
    "seen", "shown", "some", "taken", "those", "told", "whole", "written",
];

/// Verbs and nouns that end like a participle.
const NO_PARTICIPLES: &[&str] = &["embed", "feed", "need", "seed", "speed", "succeed"];

/// Functions that keep such a name: errors are constructed by the name of their variant, and the name of a call is part of the
/// protocol.
const EXCEPTIONS: &[&str] = &["damaged", "related"];

/// A closure with a name is a function if its body has more lines.
const MOST_CLOSURE_LINES: usize = 2;

/// Returns the functions of a file named `of`, or by a participle or a pronoun.
pub(super) fn unnamed_functions(file: &File) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line) in code(file).lines().enumerate() {
        let Some((_, rest)) = line.split_once("fn ").filter(|(before, _)| is_declaration(before)) else { continue };
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let is_participle = name.ends_with("ed") && !name.contains('_') && !NO_PARTICIPLES.contains(&name);
        let is_bad = name == "of" || name.starts_with("of_") || is_participle || PRONOUNS.contains(&name);
        if is_bad && !EXCEPTIONS.contains(&name) {
            found.push(format!("{}:{}: `{name}`", file.path, at + 1));
        }
    }
    found
}

/// Returns the closures of a file that have a name and a long body.
pub(super) fn long_closures(file: &File) -> Vec<String> {
    let lines: Vec<&str> = code(file).lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        let is_named = text.starts_with("let ") && (text.contains(" = |") || text.contains(" = move |"));
        if !is_named || !text.ends_with('{') {
            continue;
        }
        let indent = line.len() - text.len();
        let is_end = |line: &&str| line.starts_with(&format!("{}}}", " ".repeat(indent)));
        let body = lines[at + 1..].iter().position(is_end).unwrap_or_default();
        if body > MOST_CLOSURE_LINES {
            found.push(format!("{}:{}", file.path, at + 1));
        }
    }
    found
}

/// Returns the names of types that several files of one crate define.
pub(super) fn repeated_types(files: &[File]) -> Vec<String> {
    let mut places: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let Some((krate, _)) = file.path.split_once("/src/") else { continue };
        for line in code(file).lines() {
            let line = line.trim_start();
            let line =
                line.strip_prefix("pub").map_or(line, |rest| rest.split_once(' ').map_or(rest, |(_, rest)| rest));
            let name = ["struct ", "enum ", "trait "].iter().find_map(|keyword| line.strip_prefix(keyword));
            let Some(name) = name else { continue };
            let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            places.entry((krate, name)).or_default().insert(&file.path);
        }
    }
    let repeated = places.into_iter().filter(|(_, files)| files.len() > 1);
    repeated.map(|((krate, name), files)| format!("{krate}: `{name}` in {files:?}")).collect()
}

/// The source of a file without its unit tests.
fn code(file: &File) -> &str {
    if !file.path.contains("/src/") || file.path.ends_with("/tests.rs") || file.path.contains("/tests/") {
        return "";
    }
    file.text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default()
}

/// Whether the text before `fn` belongs to a declaration, not to a sentence or a type.
fn is_declaration(before: &str) -> bool {
    before.split_whitespace().all(|word| {
        word.starts_with("pub") || matches!(word, "async" | "const" | "unsafe" | "extern" | "in") || word.ends_with(')')
    })
}
