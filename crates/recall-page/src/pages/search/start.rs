//! What is shown without a query: examples from the project, and the saved searches.

use std::time::Duration;

use maud::{Markup, html};
use recall_api::v1::{Document, ListEntry, ListRequest, Scope};
use tokio::time::timeout;

use super::{SavedSearch, address, exact, saved};
use crate::access::Project;
use crate::pages::Site;

/// How long the page waits for examples. Without them it is as useful, and a store that is opened first may take seconds.
const PATIENCE: Duration = Duration::from_millis(60);

/// The documents of a type that are looked at for an example.
const LOOKED_AT: u32 = 20;

pub(super) async fn start(site: &mut Site, project: &Project) -> Markup {
    let examples = timeout(PATIENCE, examples(site, project)).await.unwrap_or_default();
    html! {
        div.start {
            p { "Ask in words, or name a symbol, a path or an error." }
            @if !examples.is_empty() {
                ul.examples { @for (search, about) in &examples { li { a href=(address(search)) { code { (search.q) } } span.dim { (about) } } } }
            }
            (saved::list(site, project))
        }
    }
}

/// Returns searches that find something in the project, with what they are.
async fn examples(site: &mut Site, project: &Project) -> Vec<(SavedSearch, &'static str)> {
    let [pages, code, decisions] = [
        list(site, project, "documentation").await,
        list(site, project, "code").await,
        list(site, project, "decision").await,
    ];
    let document = |entry: &ListEntry| entry.doc.clone();
    let page = pages.iter().filter_map(document).find_map(|doc| words(&doc.title, 3..=8));
    let file = code.iter().filter_map(document).find(|doc| file_name(doc).is_some());
    let decision =
        decisions.iter().filter_map(|entry| entry.memory.as_ref()).find_map(|memory| words(&memory.title, 2..=12));
    let name = file.as_ref().and_then(file_name);
    let examples = [
        page.map(|words| (words.join(" "), "", "in words")),
        file.as_ref().and_then(|doc| Some((filter_query(doc)?, "", "with filters"))),
        decision.and_then(|words| {
            Some((format!("type:decision {}", words.iter().max_by_key(|word| word.len())?), "", "a memory"))
        }),
        name.map(|name| (name, exact::LITERAL, "every line with it")),
    ];
    let examples = examples.into_iter().flatten();
    examples
        .map(|(q, mode, about)| (SavedSearch { q, mode: mode.to_owned(), ..SavedSearch::default() }, about))
        .collect()
}

/// Returns the latest documents of a type; none if they cannot be listed, since the search says why.
async fn list(site: &mut Site, project: &Project, kind: &str) -> Vec<ListEntry> {
    let request = ListRequest {
        context: Some(project.subject.context.clone()),
        r#type: kind.to_owned(),
        scope: Scope::Project.into(),
        limit: Some(LOOKED_AT),
        ..ListRequest::default()
    };
    site.rpc.list(request).await.map(|answer| answer.into_inner().entries).unwrap_or_default()
}

/// Returns the words of a title, if it has as many as wanted and no marks that a query reads.
fn words(title: &str, wanted: std::ops::RangeInclusive<usize>) -> Option<Vec<String>> {
    let words: Vec<&str> =
        title.split_whitespace().map(|word| word.trim_matches(['.', ',', ';', '`', '(', ')'])).collect();
    let is_plain =
        words.iter().all(|word| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_'".contains(c)));
    (is_plain && wanted.contains(&words.len())).then(|| words.into_iter().map(str::to_owned).collect())
}

/// Returns the name of a file without its extension, if it is a name that a person would search.
fn file_name(doc: &Document) -> Option<String> {
    let name = doc.path.rsplit('/').next()?.split('.').next()?;
    let is_telling = name.len() > 4 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_telling && !["index", "__init__"].contains(&name)).then(|| name.to_owned())
}

/// Returns a search for a file by its language and directory.
fn filter_query(doc: &Document) -> Option<String> {
    let (folder, _) = doc.path.rsplit_once('/')?;
    let name = file_name(doc)?.replace('_', " ");
    let folder = if folder.contains(char::is_whitespace) { format!("\"{folder}\"") } else { folder.to_owned() };
    Some(if doc.language.is_empty() {
        format!("{name} path:{folder}")
    } else {
        format!("{name} lang:{} path:{folder}", doc.language)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_an_example_if_it_is_words() {
        let check = |title: &str, expected: Option<&str>| {
            assert_eq!(words(title, 3..=8).map(|words| words.join(" ")).as_deref(), expected, "{title}");
        };
        check("Where things go.", Some("Where things go"));
        check("Use `WAL` mode", Some("Use WAL mode"));
        check("README", None);
        check("type:adr or lang:rust", None);
        check("a \"quoted\" title", None);
    }

    #[test]
    fn a_file_is_an_example_with_its_language_and_folder() {
        let check = |path: &str, language: &str, expected: Option<&str>| {
            let doc = Document { path: path.to_owned(), language: language.to_owned(), ..Document::default() };
            assert_eq!(filter_query(&doc).as_deref(), expected, "{path}");
        };
        check("src/request_context.py", "python", Some("request context lang:python path:src"));
        check("a b/store.rs", "rust", Some("store lang:rust path:\"a b\""));
        check("src/lib.rs", "rust", None);
        check("setup.py", "python", None);
        check("src/page.tmpl.x", "", None);
    }
}
