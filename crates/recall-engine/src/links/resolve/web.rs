//! Imports by the path of a file: scripts and pages, templates, links of documents, and includes of other languages.

use crate::links::path_text::{Guess, Reach, Thing, beside, guess, join};

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

/// The extensions of templates and of the pages that they make.
const TEMPLATES: Thing = Thing::Module(&[
    "html",
    "erb",
    "heex",
    "eex",
    "leex",
    "hbs",
    "handlebars",
    "mustache",
    "liquid",
    "twig",
    "j2",
    "jinja",
    "jinja2",
    "njk",
    "tmpl",
    "ejs",
    "php",
    "htm",
]);

/// The folders in which frameworks look for templates.
const FOLDERS: &[&str] =
    &["templates", "views", "partials", "layouts", "components", "snippets", "_includes", "includes"];

pub(crate) fn template_guesses(from: &str, target: &str) -> Vec<Guess> {
    // Twig names a bundle before the path.
    let target = target.strip_prefix('@').and_then(|rest| rest.split_once('/')).map_or(target, |(_, path)| path);
    if target.is_empty() || target.contains("://") || target.contains(char::is_whitespace) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if target.starts_with('.') {
        let path = beside(from, target);
        found.extend(path.into_iter().flat_map(|path| template_files(&path, Reach::Here)));
        return found;
    }
    let target = target.trim_start_matches('/');
    // Blade writes dots for slashes, and no extension.
    let dotted = target.replace('.', "/");
    let names = [target, dotted.as_str()];
    for name in &names[..=usize::from(dotted != target)] {
        for name in [(*name).to_owned(), partial(name)] {
            found.extend(beside(from, &name).into_iter().flat_map(|path| template_files(&path, Reach::Here)));
            for folder in FOLDERS {
                found.extend(template_files(&format!("{folder}/{name}"), Reach::Anywhere));
            }
            if name.contains('/') || name.contains('.') {
                found.extend(template_files(&name, Reach::Anywhere));
            }
        }
    }
    found
}

/// A path with or without its extensions. Before the extension of the language there may be that of the result.
fn template_files(path: &str, reach: Reach) -> Vec<Guess> {
    vec![
        guess(path, reach, Thing::File),
        guess(path, reach, TEMPLATES),
        guess(format!("{path}.html"), reach, TEMPLATES),
        guess(format!("{path}.blade"), reach, TEMPLATES),
    ]
}

/// `shared/_header`, as Rails names the file of `shared/header`.
fn partial(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/_{name}"),
        None => format!("_{path}"),
    }
}

/// The extensions of files that a link without one may lead to.
const PAGES: Thing = Thing::Module(&["md", "mdx", "markdown", "rst", "adoc", "html", "txt"]);

pub(crate) fn link_guesses(from: &str, target: &str) -> Vec<Guess> {
    let target = decode(target);
    let mut found = Vec::new();
    let from_root = join("", target.trim_start_matches('/'));
    let relative = if target.starts_with('/') { None } else { beside(from, &target) };
    for path in [relative, from_root].into_iter().flatten().filter(|path| !path.is_empty()) {
        found.push(guess(path.clone(), Reach::Here, Thing::File));
        found.push(guess(path, Reach::Here, PAGES));
    }
    found
}

/// Decodes percent-encoding in a link; unchanged if the result is not UTF-8.
fn decode(link: &str) -> String {
    let mut bytes = Vec::with_capacity(link.len());
    let mut rest = link.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|digits| byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let decoded = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| link.to_owned())
}

/// Resolves `"x.h"`: next to the file, or below an include directory.
pub(crate) fn include_guesses(from: &str, target: &str) -> Vec<Guess> {
    beside_or_anywhere(from, target)
}

/// `@import("x.zig")`; other names are packages of the build.
pub(crate) fn zig_guesses(from: &str, target: &str) -> Vec<Guess> {
    let is_file = target.contains('.');
    let path = beside(from, target).filter(|_| is_file);
    path.into_iter().map(|path| guess(path, Reach::Here, Thing::File)).collect()
}

/// Resolves `source lib/x.sh`, ignoring a computed directory before it.
pub(crate) fn sourced_guesses(from: &str, target: &str) -> Vec<Guess> {
    beside_or_anywhere(from, target.trim_start_matches('/'))
}

/// Resolves `./modules/vpc`: the files of a directory.
pub(crate) fn terraform_guesses(from: &str, target: &str) -> Vec<Guess> {
    let path = beside(from, target).filter(|path| target.starts_with('.') && !path.is_empty());
    path.into_iter().map(|path| guess(path, Reach::Here, Thing::Package(&["tf"]))).collect()
}

fn beside_or_anywhere(from: &str, target: &str) -> Vec<Guess> {
    let mut found: Vec<Guess> =
        beside(from, target).into_iter().map(|path| guess(path, Reach::Here, Thing::File)).collect();
    let plain = target.trim_start_matches("./");
    if !plain.starts_with("../") {
        found.push(guess(plain, Reach::Anywhere, Thing::File));
    }
    found
}
