//! The imports between the files of a crate, read from the paths in its source text.
//!
//! An arrow leads from a file to the file that *defines* what it names: re-exports are followed to the definition, so that
//! the file of a room that only declares and re-exports its children has no arrows. `mod` and `use` by themselves are not
//! arrows; a name that is imported or written as a path is. Comments, strings and `#[cfg(test)]` modules at the end of a file
//! do not count. A method that is called on a value is not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module, or an item in one, by its segments from the root of the crate on.
type Segments = Vec<String>;

/// The source text of each file of a crate, by its module; the root is the empty one.
pub type Sources = BTreeMap<Segments, String>;

/// The files that each file takes names from, with the names.
pub type Arrows = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Reads the files of a crate below its `src`, without its program and its test modules.
///
/// # Panics
/// A file cannot be read.
pub fn sources(src: &Path) -> Sources {
    let mut sources = Sources::new();
    let mut folders = vec![src.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path.strip_prefix(src).expect("below the sources").with_extension("");
                let module: Segments =
                    below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
                match module.last().map(String::as_str) {
                    Some("tests") => {}
                    Some("main") if module.len() == 1 => {}
                    Some("lib") if module.len() == 1 => {
                        sources.insert(Segments::new(), fs::read_to_string(&path).expect("text"));
                    }
                    _ => {
                        sources.insert(module, fs::read_to_string(&path).expect("text"));
                    }
                }
            }
        }
    }
    sources
}

/// The module of a name such as `store/known`; the root is `lib`.
pub fn module(name: &str) -> Segments {
    if name == "lib" { Segments::new() } else { name.split('/').map(str::to_owned).collect() }
}

/// The arrows between the files of a crate.
pub fn arrows(sources: &Sources) -> Arrows {
    let files: BTreeMap<&Segments, File> =
        sources.iter().map(|(module, text)| (module, File::read(module, text, sources))).collect();
    let mut arrows = Arrows::new();
    for (module, file) in &files {
        for path in &file.named {
            if let Some((to, name)) = definition(path, &files)
                && to != **module
            {
                arrows.entry(label(module)).or_default().entry(label(&to)).or_default().insert(name);
            }
        }
    }
    arrows
}

/// Returns the cycles of files, each with its arrows, sorted.
pub fn circles(arrows: &Arrows) -> Vec<String> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        arrows.keys().map(|from| (from.as_str(), reach(from, arrows))).collect();
    let mut reported = BTreeSet::new();
    let mut circles = Vec::new();
    for (from, to) in &reached {
        if !to.contains(from) || !reported.insert(*from) {
            continue;
        }
        let ring: Vec<&str> =
            to.iter().copied().filter(|other| reached.get(other).is_some_and(|back| back.contains(from))).collect();
        reported.extend(ring.iter().copied());
        let ties = ring.iter().flat_map(|file| {
            let here = arrows[*file].iter().filter(|(to, _)| ring.contains(&to.as_str()));
            here.map(move |(to, names)| {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                format!("{file} takes {} from {to}", names.join(", "))
            })
        });
        circles.push(ties.collect::<Vec<_>>().join("; "));
    }
    circles
}

/// Returns the files that are reachable from a file.
fn reach<'a>(from: &'a str, arrows: &'a Arrows) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(file) = open.pop() {
        let next = arrows.get(file).into_iter().flat_map(BTreeMap::keys);
        open.extend(next.map(String::as_str).filter(|to| reached.insert(*to)));
    }
    reached
}

fn label(module: &[String]) -> String {
    if module.is_empty() { "lib".to_owned() } else { module.join("/") }
}

/// The imports and paths of a file.
struct File {
    /// The path of each imported name, by the name that it has in this file.
    imports: BTreeMap<String, Segments>,
    /// The paths that it names, from the root of the crate on.
    named: BTreeSet<Segments>,
}

impl File {
    fn read(module: &Segments, text: &str, sources: &Sources) -> Self {
        let tokens = tokens(text);
        let mut imports = BTreeMap::new();
        // An import that is passed on counts if the file itself uses the name.
        let mut passed_on: BTreeMap<String, Segments> = BTreeMap::new();
        let mut named = BTreeSet::new();
        let mut paths: Vec<Segments> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            match tokens[at].as_str() {
                "use" if tokens.get(at + 1).is_some_and(|next| next != "<") => {
                    let is_public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
                    let end = at + tokens[at..].iter().position(|token| token == ";").unwrap_or(tokens.len() - at);
                    for (path, local) in leaves(&tokens[at + 1..end]) {
                        let Some(path) = absolute(module, &path, sources) else { continue };
                        imports.insert(local.clone(), path.clone());
                        if is_public {
                            passed_on.insert(local, path);
                        } else {
                            named.insert(path);
                        }
                    }
                    at = end;
                }
                "mod" => at += 2,
                token if is_name(token) => {
                    let mut path = vec![token.to_owned()];
                    while at + 2 < tokens.len() && tokens[at + 1] == "::" && is_name(&tokens[at + 2]) {
                        path.push(tokens[at + 2].clone());
                        at += 2;
                    }
                    paths.push(path);
                    at += 1;
                }
                _ => at += 1,
            }
        }
        for path in paths {
            if let Some(known) = passed_on.get(&path[0]) {
                named.insert(known.clone());
            }
            if path.len() < 2 {
                continue;
            }
            match imports.get(&path[0]) {
                Some(known) => {
                    named.insert(known.iter().chain(&path[1..]).cloned().collect());
                }
                None => named.extend(absolute(module, &path, sources)),
            }
        }
        Self { imports, named }
    }
}

/// The file that defines what a path names, and the name; `None` if the path names a file as a whole.
fn definition(path: &[String], files: &BTreeMap<&Segments, File>) -> Option<(Segments, String)> {
    let mut path = path.to_vec();
    // Follow re-exports. More of them in a row than this are a cycle of re-exports.
    for _ in 0..16 {
        let depth = (0..=path.len()).rev().find(|&depth| files.contains_key(&path[..depth].to_vec()))?;
        let (file, rest) = path.split_at(depth);
        let name = rest.first()?;
        match files[&file.to_vec()].imports.get(name) {
            Some(further) => path = further.iter().chain(&rest[1..]).cloned().collect(),
            None => return Some((file.to_vec(), name.clone())),
        }
    }
    None
}

/// A path from the root of the crate on; `None` for one that leads out of the crate.
fn absolute(module: &[String], path: &[String], sources: &Sources) -> Option<Segments> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    let (base, rest) = match path.first()?.as_str() {
        "crate" => (&module[..0], &path[1..]),
        "self" => (module, &path[1..]),
        "super" => (&module[..module.len().checked_sub(supers)?], &path[supers..]),
        first => {
            let child: Segments = module.iter().cloned().chain([first.to_owned()]).collect();
            (if sources.contains_key(&child) { module } else { return None }, path)
        }
    };
    Some(base.iter().chain(rest).cloned().collect())
}

/// The paths of a `use`, each with the name that it introduces. Globs are left out.
fn leaves(tokens: &[String]) -> Vec<(Segments, String)> {
    fn read(tokens: &[String], at: &mut usize, prefix: &Segments, all: &mut Vec<(Segments, String)>) {
        let mut path = prefix.clone();
        while *at < tokens.len() {
            match tokens[*at].as_str() {
                "::" => *at += 1,
                "{" => {
                    *at += 1;
                    while *at < tokens.len() && tokens[*at] != "}" {
                        read(tokens, at, &path, all);
                        if tokens.get(*at).is_some_and(|token| token == ",") {
                            *at += 1;
                        }
                    }
                    *at += 1;
                    return;
                }
                "," | "}" => break,
                "*" => {
                    *at += 1;
                    return;
                }
                "as" => {
                    all.push((path, tokens[*at + 1].clone()));
                    *at += 2;
                    return;
                }
                // `a::{self, b}` names `a` itself.
                "self" if !path.is_empty() => *at += 1,
                name => {
                    path.push(name.to_owned());
                    *at += 1;
                }
            }
        }
        if let Some(local) = path.last().cloned() {
            all.push((path, local));
        }
    }
    let (mut at, mut all) = (0, Vec::new());
    read(tokens, &mut at, &Segments::new(), &mut all);
    all
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first == '_' || first.is_alphabetic())
}

/// The names and signs of a source text, up to its tests: without comments, strings, characters and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else if let Some(length) = raw_string(rest) {
            length
        } else if first == '"' {
            quote_length(rest, '"')
        } else if first == '\'' {
            character(rest)
        } else if first == '_' || first.is_alphanumeric() {
            let length = rest.find(|next: char| next != '_' && !next.is_alphanumeric()).unwrap_or(rest.len());
            tokens.push(rest[..length].to_owned());
            length
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of a raw string that a text begins with.
fn raw_string(text: &str) -> Option<usize> {
    let begin = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = begin.len() - begin.trim_start_matches('#').len();
    let inner = begin[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inner.find(&end).map_or(inner.len(), |at| at + end.len());
    Some(text.len() - inner.len() + length)
}

/// The length of what is quoted at the beginning of a text.
fn quote_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, next) in text.char_indices().skip(1) {
        match next {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if next == quote => return at + next.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The length of the character or the lifetime that a text begins with.
fn character(text: &str) -> usize {
    let mut inner = text.chars().skip(1);
    match (inner.next(), inner.next()) {
        (Some('\\'), _) => quote_length(text, '\''),
        (Some(one), Some('\'')) => 2 + one.len_utf8(),
        _ => 1,
    }
}
