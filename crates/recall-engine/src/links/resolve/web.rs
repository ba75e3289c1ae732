//! `./store`, `../lib/index.js`, `@/components/x`, `/style.css`.

use crate::links::resolve::guess::{Guess, Reach, Thing, beside, guess};

const EXTENSIONS: &[&str] =
    &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro", "json", "css", "scss"];
const FILES: Thing = Thing::Module(EXTENSIONS);
const SHEETS: Thing = Thing::Module(&["scss", "sass", "less", "css"]);

/// Aliases of the source root in bundlers' settings.
const ALIASES: &[&str] = &["@/", "~/", "$lib/", "#/", "src/"];

/// The directories in which monorepos keep their packages.
const WORKSPACES: &[&str] = &["packages", "libs", "apps", "modules"];

pub(crate) fn script_guesses(from: &str, target: &str) -> Vec<Guess> {
    let target = target.split(['?', '!']).next().unwrap_or(target);
    let mut found = Vec::new();
    if target.starts_with('.') {
        if let Some(path) = beside(from, target) {
            files(&mut found, &path, Reach::Here);
        }
    } else if let Some(path) = ALIASES.iter().find_map(|alias| target.strip_prefix(alias)) {
        files(&mut found, &format!("src/{path}"), Reach::Anywhere);
        files(&mut found, path, if path.contains('/') { Reach::Anywhere } else { Reach::Here });
    } else if let Some(path) = target.strip_prefix('/') {
        files(&mut found, path, Reach::Here);
    } else if !target.contains(':') {
        package(&mut found, target);
    }
    found
}

/// Resolves a path with or without an extension, which may be that of the file's compiled form.
fn files(found: &mut Vec<Guess>, path: &str, reach: Reach) {
    if let Some((stem, extension)) = path.rsplit_once('.')
        && !extension.contains('/')
    {
        found.push(guess(path, reach, Thing::File));
        if matches!(extension, "js" | "jsx" | "mjs" | "cjs") {
            found.push(guess(stem.strip_suffix("/index").unwrap_or(stem), reach, FILES));
        }
    }
    found.push(guess(path, reach, FILES));
}

/// Resolves `@scope/package/part` and `package`: another package of the repository.
fn package(found: &mut Vec<Guess>, target: &str) {
    let name = match target.strip_prefix('@').and_then(|rest| rest.split_once('/')) {
        Some((_, name)) => name,
        None => target,
    };
    let (package, part) = name.split_once('/').unwrap_or((name, ""));
    if !part.is_empty() {
        for path in [format!("{package}/src/{part}"), format!("{package}/{part}")] {
            files(found, &path, Reach::Anywhere);
        }
        return;
    }
    for workspace in WORKSPACES {
        for path in [format!("{workspace}/{package}/src"), format!("{workspace}/{package}")] {
            found.push(guess(path, Reach::Anywhere, FILES));
        }
    }
}

/// Resolves what pages and style sheets load.
pub(crate) fn page_guesses(from: &str, target: &str) -> Vec<Guess> {
    let target = target.split(['?', '#']).next().unwrap_or(target);
    if target.is_empty() || target.contains("://") || target.starts_with("//") {
        return Vec::new();
    }
    if let Some(path) = target.strip_prefix('/') {
        return vec![guess(path, Reach::Here, Thing::File), guess(path, Reach::Anywhere, Thing::File)];
    }
    let mut found: Vec<Guess> =
        beside(from, target).into_iter().map(|path| guess(path, Reach::Here, Thing::File)).collect();
    // A partial of a style sheet is named without its underscore and its extension.
    if let Some(path) = beside(from, target) {
        let (directory, name) =
            path.rsplit_once('/').map_or(("", path.as_str()), |(directory, name)| (directory, name));
        let separator = if directory.is_empty() { "" } else { "/" };
        found.push(guess(format!("{directory}{separator}_{name}"), Reach::Here, SHEETS));
        found.push(guess(path, Reach::Here, SHEETS));
    }
    found
}
