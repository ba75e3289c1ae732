//! The memories about a document at the lines that they speak of.

use std::collections::BTreeMap;

use maud::{Markup, html};
use recall_api::v1::{GetRequest, GetResponse, Memory, RelatedEntry, Symbol};

use crate::access::Project;
use crate::pages::Site;
use crate::view;

/// The memories that are looked at. A document has a few.
const MEMORIES: usize = 20;

/// Returns what is shown before a line, by the line: the memories whose file the document is, and that name a line or a symbol of it.
pub(super) async fn notes(
    site: &mut Site,
    project: &Project,
    found: &GetResponse,
    entries: &[&RelatedEntry],
) -> BTreeMap<u32, Markup> {
    let path = found.doc.as_ref().map(|doc| doc.path.as_str()).unwrap_or_default();
    let mut by_line: BTreeMap<u32, Vec<Memory>> = BTreeMap::new();
    for doc in entries.iter().filter_map(|entry| entry.doc.as_ref()).take(MEMORIES) {
        let (context, id) = (Some(project.subject.context.clone()), doc.id.clone());
        let Ok(answer) = site.rpc.get(GetRequest { context, id, ..GetRequest::default() }).await else { continue };
        let Some(memory) = answer.into_inner().memory else { continue };
        if let Some(line) = line(&memory, path, &found.symbols)
            && (found.start_line..=found.end_line).contains(&line)
        {
            by_line.entry(line).or_default().push(memory);
        }
    }
    by_line.into_iter().map(|(line, memories)| (line, markup(&memories))).collect()
}

/// Returns the line of a document that a memory is about: the first that it names, else that of the first symbol that it names.
/// `None` if it is about another file, or about the whole one.
fn line(memory: &Memory, path: &str, symbols: &[Symbol]) -> Option<u32> {
    if !memory.related_files.iter().any(|file| file == path) {
        return None;
    }
    let stated = memory.content.match_indices(path).find_map(|(at, _)| {
        let rest = memory.content[at + path.len()..].strip_prefix(':')?;
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    });
    let broken = memory.verification.iter().flat_map(|verification| &verification.broken);
    let anchored = broken.filter(|anchor| anchor.path == path).map(|anchor| anchor.symbol.as_str());
    let cues = memory.cues.iter().filter_map(|cue| cue.strip_prefix("symbol:"));
    let names = anchored.chain(cues);
    let line_of = |name: &str| symbols.iter().find(|symbol| symbol.name == name || symbol.qualified == name);
    stated.or_else(|| names.filter(|name| !name.is_empty()).find_map(line_of).map(|symbol| symbol.start_line))
}

fn markup(memories: &[Memory]) -> Markup {
    html! {
        @for memory in memories {
            p.remembered {
                span.dim { (memory.r#type) } " "
                a href=(view::link_to("memory", &[("id", &memory.id)])) { (memory.title) }
                @if view::status(memory) != "current" { " " span.label.warn { (view::status(memory)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, cue: &str, expected: Option<u32>) {
        let symbol = Symbol {
            name: "push".to_owned(),
            qualified: "Context::push".to_owned(),
            start_line: 40,
            ..Symbol::default()
        };
        let memory = Memory {
            content: content.to_owned(),
            cues: vec![cue.to_owned()],
            related_files: vec!["src/ctx.rs".to_owned()],
            ..Memory::default()
        };
        assert_eq!(line(&memory, "src/ctx.rs", &[symbol]), expected, "{content} {cue}");
    }

    #[test]
    fn a_memory_stands_at_the_line_or_the_symbol_that_it_names() {
        check("See src/ctx.rs:12-14 for why.", "symbol:push", Some(12));
        check("A context is pushed once.", "symbol:push", Some(40));
        check("A context is pushed once.", "symbol:Context::push", Some(40));
        check("A context is pushed once.", "symbol:pop", None);
        check("See src/ctx.rs: it is old.", "command:push", None);
    }

    #[test]
    fn a_memory_about_another_file_stands_at_no_line() {
        let memory = Memory { content: "src/a.rs:3".to_owned(), ..Memory::default() };
        assert_eq!(line(&memory, "src/a.rs", &[]), None);
    }
}
