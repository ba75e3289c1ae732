//! The components and the expressions in markup.

use std::ops::Range;

use super::blocks::Host;
use super::expression::is_name_byte;

/// What a part of markup holds.
#[derive(Debug, Default)]
pub(super) struct Markup {
    /// The names of the elements that may be components.
    pub(super) components: Vec<Range<usize>>,
    /// The expressions in the language of the scripts.
    pub(super) expressions: Vec<Range<usize>>,
}

/// The longest expression. A brace that is closed further away was misread.
const MOST_EXPRESSION_BYTES: usize = 16 * 1024;

impl Markup {
    pub(super) fn read(&mut self, text: &str, part: Range<usize>, host: Host) {
        match host {
            Host::Vue => self.read_moustaches(text, part.clone()),
            Host::Svelte | Host::Astro => self.read_braces(text, part.clone()),
            Host::Page | Host::Template => {}
        }
        self.read_tags(text, part, host);
    }

    /// `{{ row.title }}`.
    fn read_moustaches(&mut self, text: &str, part: Range<usize>) {
        let mut at = part.start;
        while let Some(open) = text[at..part.end].find("{{").map(|open| at + open + 2) {
            let Some(close) = text[open..part.end].find("}}").map(|close| open + close) else { return };
            self.expressions.push(open..close);
            at = close + 2;
        }
    }

    /// `{row.title}`, `{#each rows as row}`.
    fn read_braces(&mut self, text: &str, part: Range<usize>) {
        let mut at = part.start;
        while let Some(open) = text[at..part.end].find('{').map(|open| at + open) {
            let end = closing_brace(text.as_bytes(), open, part.end);
            self.expressions.push(open + 1..end);
            at = end.max(open + 1);
        }
    }

    fn read_tags(&mut self, text: &str, part: Range<usize>, host: Host) {
        let bytes = text.as_bytes();
        let mut at = part.start;
        while let Some(open) = text[at..part.end].find('<').map(|open| at + open + 1) {
            let name_end = (open..part.end).find(|&at| !is_tag_byte(bytes[at])).unwrap_or(part.end);
            at = name_end;
            if open == name_end {
                continue;
            }
            if may_be_component(&text[open..name_end], host) {
                self.components.push(open..name_end);
            }
            at = self.read_attributes(text, name_end..part.end, host);
        }
    }

    /// Reads the attributes of a tag, and returns its end.
    fn read_attributes(&mut self, text: &str, part: Range<usize>, host: Host) -> usize {
        let bytes = text.as_bytes();
        let mut at = part.start;
        while at < part.end {
            match bytes[at] {
                b'>' | b'<' => return at,
                b'{' => at = text.ceil_char_boundary(closing_brace(bytes, at, part.end) + 1),
                byte if byte.is_ascii_whitespace() || matches!(byte, b'/' | b'=' | b'"' | b'\'') => at += 1,
                _ => {
                    let start = at;
                    let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'>' | b'<' | b'{');
                    while at < part.end && !is_end(bytes[at]) {
                        at += 1;
                    }
                    let name = start..at;
                    let value = (at..part.end).find(|&at| !bytes[at].is_ascii_whitespace() && bytes[at] != b'=');
                    let Some(value) = value.filter(|&value| text[at..value].contains('=')) else { continue };
                    let quote = bytes[value];
                    if matches!(quote, b'"' | b'\'') {
                        let close = (value + 1..part.end).find(|&at| bytes[at] == quote).unwrap_or(part.end);
                        if is_code(&text[name], host) {
                            self.expressions.push(value + 1..close);
                        }
                        at = close + 1;
                    } else if quote == b'{' {
                        let close = closing_brace(bytes, value, part.end);
                        if host == Host::Template {
                            self.expressions.push(value + 1..close);
                        }
                        at = text.ceil_char_boundary(close + 1);
                    } else {
                        at = value;
                    }
                }
            }
        }
        part.end
    }
}

/// The brace that closes the one at `open`. The end of the part if there is none near enough.
fn closing_brace(bytes: &[u8], open: usize, end: usize) -> usize {
    let mut depth = 0_u32;
    let reach = end.min(open + MOST_EXPRESSION_BYTES);
    for (at, &byte) in bytes.iter().enumerate().take(reach).skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    // A cut between two bytes of a character would not be a part of the text.
    (open + 1..=reach).rev().find(|&at| at == bytes.len() || !is_continuation(bytes[at])).unwrap_or(open + 1)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

fn is_tag_byte(byte: u8) -> bool {
    is_name_byte(byte) || matches!(byte, b'.' | b'-' | b':')
}

/// Whether an element may be a component rather than an element of HTML.
fn may_be_component(name: &str, host: Host) -> bool {
    let is_capitalised = name.starts_with(|c: char| c.is_uppercase());
    match host {
        Host::Vue => is_capitalised || name.contains('-') && !name.contains(['.', ':']),
        Host::Svelte | Host::Astro => is_capitalised,
        // `<.button>` and `<Layouts.app>` of Phoenix, `<x-alert>` of Blade.
        Host::Template => name.starts_with('.') || name.starts_with("x-") || is_capitalised && name.contains('.'),
        Host::Page => false,
    }
}

/// Whether the quoted value of an attribute is code.
fn is_code(attribute: &str, host: Host) -> bool {
    match host {
        Host::Vue => attribute.starts_with([':', '@', '#']) || attribute.starts_with("v-"),
        Host::Page | Host::Template => attribute.starts_with("on") || attribute.starts_with('@'),
        Host::Svelte | Host::Astro => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: Host, text: &str, components: &[&str], expressions: &[&str]) {
        let mut markup = Markup::default();
        markup.read(text, 0..text.len(), host);
        let texts = |parts: &[Range<usize>]| parts.iter().map(|part| text[part.clone()].to_owned()).collect::<Vec<_>>();
        assert_eq!(texts(&markup.components), components, "{text}");
        assert_eq!(texts(&markup.expressions), expressions, "{text}");
    }

    #[test]
    fn components_and_expressions_are_found() {
        check(
            Host::Vue,
            "<user-card v-if=\"a > b\" :id = 'c' title=\"d\"/><p>{{ e }}</p><Card>",
            &["user-card", "Card"],
            &[" e ", "a > b", "c"],
        );
        check(
            Host::Svelte,
            "<Menu.Item onclick={() => { f() }}/>{#if g}x{/if}",
            &["Menu.Item"],
            &["() => { f() }", "#if g", "/if"],
        );
        check(Host::Page, "<button onclick=\"save(1)\">x</button>", &[], &["save(1)"]);
        check(Host::Template, "<.button phx={f(1)}/><x-forms.input/>", &[".button", "x-forms.input"], &["f(1)"]);
        check(Host::Astro, "{é", &[], &["é"]);
        check(Host::Astro, "< a <", &[], &[]);
        // The last character is where an expression without an end stops.
        check(Host::Template, "<.a b={é", &[".a"], &["é"]);
        check(Host::Template, &format!("<.a {{{}é>", "x".repeat(MOST_EXPRESSION_BYTES - 2)), &[".a"], &[]);
    }
}
