//! What templates include: `base.html`, `shared/header`, `layouts.app`.

use crate::links::resolve::guess::{Guess, Reach, Thing, beside, guess};

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

pub(crate) fn guesses(from: &str, target: &str) -> Vec<Guess> {
    // Twig names a bundle before the path.
    let target = target.strip_prefix('@').and_then(|rest| rest.split_once('/')).map_or(target, |(_, path)| path);
    if target.is_empty() || target.contains("://") || target.contains(char::is_whitespace) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if target.starts_with('.') {
        let path = beside(from, target);
        found.extend(path.into_iter().flat_map(|path| files(&path, Reach::Here)));
        return found;
    }
    let target = target.trim_start_matches('/');
    // Blade writes dots for slashes, and no extension.
    let dotted = target.replace('.', "/");
    let names = [target, dotted.as_str()];
    for name in &names[..=usize::from(dotted != target)] {
        for name in [(*name).to_owned(), partial(name)] {
            found.extend(beside(from, &name).into_iter().flat_map(|path| files(&path, Reach::Here)));
            for folder in FOLDERS {
                found.extend(files(&format!("{folder}/{name}"), Reach::Anywhere));
            }
            if name.contains('/') || name.contains('.') {
                found.extend(files(&name, Reach::Anywhere));
            }
        }
    }
    found
}

/// A path with or without its extensions. Before the extension of the language there may be that of the result.
fn files(path: &str, reach: Reach) -> Vec<Guess> {
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
