//! Functions on path texts: directories, module paths and relative paths; and files that an import may mean.

/// Returns the path by which code names the module in a file: without the extension, and without the file name if the file
/// represents its directory (`index.ts`, `mod.rs`, `__init__.py`). Empty for such a file at the root.
pub(crate) fn module_of(path: &str) -> &str {
    let name = last_component(path);
    let directory = directory_of(path);
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    };
    let stands_for_directory = match extension {
        "rs" => matches!(stem, "mod" | "lib" | "main"),
        "py" | "pyi" => stem == "__init__",
        "lua" => stem == "init",
        "md" | "markdown" | "rst" => matches!(stem, "README" | "readme" | "Readme"),
        _ => matches!(stem, "index" | "index.d"),
    };
    if stands_for_directory {
        return directory;
    }
    let stem = if extension == "ts" { stem.strip_suffix(".d").unwrap_or(stem) } else { stem };
    &path[..path.len() - name.len() + stem.len()]
}

/// Returns the directory of a file; empty at the root.
pub(crate) fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

pub(crate) fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns whether a path ends with these components.
pub(crate) fn ends_with(path: &str, end: &str) -> bool {
    !end.is_empty() && path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Returns the number of leading directories that two files share.
pub(crate) fn shared_directories(a: &str, b: &str) -> usize {
    let (a, b) = (directory_of(a).split('/'), directory_of(b).split('/'));
    a.zip(b).take_while(|(a, b)| a == b && !a.is_empty()).count()
}

/// Resolves a relative path from a directory; `None` if it leaves the root.
pub(crate) fn join(directory: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Files that an import may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    /// A path, complete or an end of one.
    pub(crate) path: String,
    pub(crate) reach: Reach,
    pub(crate) thing: Thing,
}

/// The base of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// At the store's root.
    Here,
    /// In any directory.
    Anywhere,
}

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    /// A file, with its extension.
    File,
    /// A module: a file with one of these extensions, or the file that represents the directory of that name.
    Module(&'static [&'static str]),
    /// A directory whose files have one of these extensions.
    Package(&'static [&'static str]),
}

pub(crate) fn guess(path: impl Into<String>, reach: Reach, thing: Thing) -> Guess {
    Guess { path: path.into(), reach, thing }
}

/// Returns the path of a target next to a file.
pub(crate) fn beside(from: &str, target: &str) -> Option<String> {
    join(directory_of(from), target)
}

/// Joins the parts from an index on with `/`.
pub(crate) fn tail(parts: &[&str], from: usize) -> String {
    parts[from..].join("/")
}
