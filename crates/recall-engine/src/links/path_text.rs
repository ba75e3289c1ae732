//! Paths as text: their directories, the modules that they name, and where relative ones lead.

/// The path by which code names the module in a file: without its extension, and without the name of a file that stands
/// for its directory (`index.ts`, `mod.rs`, `__init__.py`). Empty for such a file at the root.
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

/// The directory of a file; empty at the root.
pub(crate) fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The last component of a path.
pub(crate) fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path ends with these components.
pub(crate) fn ends_with(path: &str, end: &str) -> bool {
    !end.is_empty() && path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// How many directories two files share from the root on.
pub(crate) fn shared_directories(a: &str, b: &str) -> usize {
    let (a, b) = (directory_of(a).split('/'), directory_of(b).split('/'));
    a.zip(b).take_while(|(a, b)| a == b && !a.is_empty()).count()
}

/// The path that a relative one leads to from a directory; `None` where it leads out of the root.
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
