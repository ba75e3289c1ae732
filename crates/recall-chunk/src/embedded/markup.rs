//! The components in markup, and the names in the expressions of templates.
//!
//! Reads tokens, not a grammar: the expressions of a dozen template languages differ in everything but names, calls and strings.

use std::ops::Range;

use super::blocks::Host;

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

/// A name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) name: Range<usize>,
    pub(super) role: MentionRole,
}

/// What an expression does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MentionRole {
    /// Calls it: `open(row)`, `row.open()`.
    Called,
    /// Filters a value by it: `row | money`.
    Filter,
    /// Anything else, except for a member of another value.
    Value,
}

/// Words before a parenthesis that are not called.
const KEYWORDS: &[&str] = &[
    "and",
    "async",
    "await",
    "case",
    "catch",
    "do",
    "elif",
    "elseif",
    "elsif",
    "fn",
    "foreach",
    "function",
    "import",
    "in",
    "instanceof",
    "is",
    "new",
    "not",
    "or",
    "typeof",
    "unless",
    "until",
    "when",
    "with",
    "yield",
];

/// Appends the names in a part of a text. Strings end with their line, because an apostrophe in prose opens one too.
pub(super) fn mentions(text: &str, part: Range<usize>, found: &mut Vec<Mention>) {
    let bytes = text.as_bytes();
    let mut at = part.start;
    let mut before = 0_u8;
    while at < part.end {
        let byte = bytes[at];
        if matches!(byte, b'"' | b'\'') {
            at = string_end(bytes, at, part.end);
            before = byte;
        } else if is_name_byte(byte) && !byte.is_ascii_digit() {
            let start = at;
            while at < part.end && is_name_byte(bytes[at]) {
                at += 1;
            }
            // In Ruby and Elixir such a mark belongs to the name, but definitions are written without it in other places.
            let after = bytes[at..part.end].iter().copied().find(|byte| !byte.is_ascii_whitespace());
            let is_spread = before == b'.' && text[..start].ends_with("...");
            let role = match (after, before) {
                (Some(b'('), _) if bytes.get(at) == Some(&b'(') => Some(MentionRole::Called),
                (_, b'|') if !text[..start].trim_end().ends_with("||") => Some(MentionRole::Filter),
                (_, b'.') if !is_spread => None,
                // A label, a key or a symbol.
                (Some(b':'), _) if bytes.get(at) == Some(&b':') => None,
                (_, b':' | b'@') if bytes[start - 1] == before => None,
                _ => Some(MentionRole::Value),
            };
            let name = start + usize::from(bytes[start] == b'$')..at;
            if let Some(role) = role
                && !KEYWORDS.contains(&&text[name.clone()])
            {
                found.push(Mention { name, role });
            }
            before = b'a';
        } else if byte.is_ascii_digit() {
            while at < part.end && is_name_byte(bytes[at]) {
                at += 1;
            }
            before = b'0';
        } else {
            if !byte.is_ascii_whitespace() {
                before = byte;
            }
            at += 1;
        }
    }
}

/// The end of a string, after its closing quote. The end of the line if it is not closed before.
fn string_end(bytes: &[u8], open: usize, end: usize) -> usize {
    let mut at = open + 1;
    while at < end && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == bytes[open] => return at + 1,
            _ => at += 1,
        }
    }
    at.min(end)
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
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

#[cfg(test)]
mod expression_tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, MentionRole)]) {
        let mut found = Vec::new();
        mentions(text, 0..text.len(), &mut found);
        let found: Vec<(&str, MentionRole)> =
            found.iter().map(|mention| (&text[mention.name.clone()], mention.role)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn calls_filters_and_values_are_told_apart() {
        use super::MentionRole::{Called, Filter, Value};
        check("openHeron(row.id)", &[("openHeron", Called), ("row", Value)]);
        check("store.open('a(b)')", &[("store", Value), ("open", Called)]);
        check("price | money | upper", &[("price", Value), ("money", Filter), ("upper", Filter)]);
        check("a || b", &[("a", Value), ("b", Value)]);
        check("{ ...rest, key: 1 }", &[("rest", Value)]);
        check("render partial: :form, x: @user", &[("render", Value)]);
        check("not (a) and größe(1)", &[("a", Value), ("größe", Called)]);
        check("$count + 3px", &[("count", Value)]);
        check("don't call(", &[("don", Value)]);
        check("'\\", &[]);
    }
}
