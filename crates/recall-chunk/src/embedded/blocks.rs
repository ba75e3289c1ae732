//! The forms of texts that hold code of another language, their scripts, and the markup around them.

use std::ops::Range;

/// The parts of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The scripts whose language is known, in order.
    pub(super) scripts: Vec<Script>,
    /// The position and the file of each script that is in a file of its own.
    pub(super) sources: Vec<(u32, String)>,
    /// Everything else but comments and style sheets, in order.
    pub(super) markup: Vec<Range<usize>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Script {
    /// The first byte of its element.
    pub(super) element: usize,
    /// Its text, without the element's tags.
    pub(super) bytes: Range<usize>,
    pub(super) language: &'static str,
}

/// Divides a text. An element that is not closed ends with the text.
pub(super) fn divide(text: &str, host: Host) -> Parts {
    let mut parts = Parts::default();
    let mut at = 0;
    if host == Host::Astro
        && let Some((script, end)) = front_matter(text)
    {
        parts.scripts.push(Script { element: 0, bytes: script, language: "typescript" });
        at = end;
    }
    let mut markup = at;
    while let Some(open) = find(text, at, "<") {
        let rest = &text[open..];
        let end = if rest.starts_with("<!--") {
            find(text, open, "-->").map_or(text.len(), |close| close + 3)
        } else if let Some(name) = raw_element(rest) {
            // A tag that does not end leaves no element to look for.
            let Some(inner) = tag_end(text, open + 1 + name.len()) else { break };
            let tag = &text[open..inner];
            if tag.ends_with("/>") {
                at = inner;
                continue;
            }
            let close = closing_tag(text, inner, name);
            if name == "script" {
                add_script(&mut parts, host, tag, Script { element: open, bytes: inner..close, language: "" });
            }
            find(text, close, ">").map_or(text.len(), |end| end + 1)
        } else {
            at = open + 1;
            continue;
        };
        parts.markup.push(markup..open);
        (markup, at) = (end, end);
    }
    parts.markup.push(markup..text.len());
    parts.markup.retain(|part| !part.is_empty());
    parts
}

fn add_script(parts: &mut Parts, host: Host, tag: &str, script: Script) {
    // The grammar of HTML reads the attributes of a page.
    if host != Host::Page
        && let Some(source) = attribute(tag, "src").filter(|source| !source.is_empty())
    {
        parts.sources.push((script.element as u32, source.to_owned()));
    }
    if let Some(language) = language_of(tag, host) {
        parts.scripts.push(Script { language, ..script });
    }
}

/// The text between the lines `---` at the top, and the end of the second.
fn front_matter(text: &str) -> Option<(Range<usize>, usize)> {
    let open = text.len() - text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']).len();
    let first = text[open..].lines().next().filter(|line| line.trim_end() == "---")?;
    let start = open + first.len();
    let close = text[start..].find("\n---")? + start + 1;
    Some((start..close, close + 3))
}

/// The name of an element whose content is not markup.
fn raw_element(tag: &str) -> Option<&'static str> {
    ["script", "style"].into_iter().find(|name| {
        let written = tag.as_bytes().get(1..=name.len());
        written.is_some_and(|written| written.eq_ignore_ascii_case(name.as_bytes()))
            && matches!(tag.as_bytes().get(1 + name.len()), Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n'))
    })
}

/// The end of a tag, after its `>`, from a byte inside it. A `>` in a quoted value does not end it.
fn tag_end(text: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, &byte) in text.as_bytes().iter().enumerate().skip(from) {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The first byte of the tag that closes an element.
fn closing_tag(text: &str, from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(open) = find(text, at, "</") {
        let written = text.as_bytes().get(open + 2..open + 2 + name.len());
        if written.is_some_and(|written| written.eq_ignore_ascii_case(name.as_bytes())) {
            return open;
        }
        at = open + 2;
    }
    text.len()
}

/// The language of a script. `None` for data and for languages without a grammar.
fn language_of(tag: &str, host: Host) -> Option<&'static str> {
    match attribute(tag, "lang").unwrap_or_default() {
        "ts" | "typescript" => return Some("typescript"),
        "tsx" | "jsx" => return Some("tsx"),
        "" | "js" | "javascript" => {}
        _ => return None,
    }
    match attribute(tag, "type").unwrap_or_default() {
        "" | "module" if host == Host::Astro => Some("typescript"),
        "" | "module" | "text/babel" | "text/jsx" => Some("javascript"),
        "text/typescript" => Some("typescript"),
        kind if kind.contains("javascript") || kind.contains("ecmascript") => Some("javascript"),
        _ => None,
    }
}

/// The quoted value of an attribute.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    while let Some(at) = rest.find(name) {
        let is_whole = rest[..at].ends_with(char::is_whitespace);
        rest = &rest[at + name.len()..];
        let Some(value) = rest.trim_start().strip_prefix('=').filter(|_| is_whole) else { continue };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        return value[1..].split(quote).next();
    }
    None
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    Some(from + text.get(from..)?.find(what)?)
}

/// A form of text that holds code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Vue,
    Svelte,
    Astro,
    /// HTML, with or without directives of a template language.
    Page,
    Template,
}

impl Host {
    /// Returns the form of a language's texts. `None` if they hold no code of another language.
    pub(crate) fn for_language(language: &str) -> Option<Self> {
        Some(match language {
            "vue" => Self::Vue,
            "svelte" => Self::Svelte,
            "astro" => Self::Astro,
            "html" => Self::Page,
            "template" => Self::Template,
            _ => return None,
        })
    }

    /// Whether a text is a component: a script and the markup that it fills.
    pub(super) fn is_component(self) -> bool {
        matches!(self, Self::Vue | Self::Svelte | Self::Astro)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: Host, text: &str, scripts: &[(&str, &str)], markup: &[&str]) {
        let parts = divide(text, host);
        let found: Vec<(&str, &str)> =
            parts.scripts.iter().map(|script| (script.language, &text[script.bytes.clone()])).collect();
        assert_eq!(found, scripts, "{text}");
        let found: Vec<&str> = parts.markup.iter().map(|part| &text[part.clone()]).collect();
        assert_eq!(found, markup, "{text}");
    }

    #[test]
    fn scripts_are_separated_from_markup() {
        check(
            Host::Vue,
            "<p/><script setup lang=\"ts\">a()</script><style>b</style><i>",
            &[("typescript", "a()")],
            &["<p/>", "<i>"],
        );
        check(Host::Svelte, "<SCRIPT>a</Script >x<!-- <script>b</script> -->y", &[("javascript", "a")], &["x", "y"]);
        check(Host::Page, "<script type='application/json'>{}</script>z", &[], &["z"]);
        check(Host::Page, "<script data-lang=\"x\">a", &[("javascript", "a")], &[]);
        check(Host::Vue, "<script generics=\"T extends A<B>\">a</script>", &[("javascript", "a")], &[]);
        check(Host::Vue, "<scripted>a</scripted>", &[], &["<scripted>a</scripted>"]);
        check(Host::Vue, "<script lang=\"ts\"", &[], &["<script lang=\"ts\""]);
        check(Host::Vue, "<script />x", &[], &["<script />x"]);
        check(Host::Astro, "---\nimport A\n---\n<A/>", &[("typescript", "\nimport A\n")], &["\n<A/>"]);
        check(Host::Astro, "---\nunclosed", &[], &["---\nunclosed"]);
    }

    #[test]
    fn a_script_in_a_file_of_its_own_is_a_source() {
        let parts = divide("<script src=\"./card.ts\" lang=\"ts\"></script>", Host::Vue);
        assert_eq!(parts.sources, [(0, "./card.ts".to_owned())]);
    }
}
