//! The directives of template languages: what a template includes, defines and calls.
//!
//! Jinja, Django, Twig, Nunjucks and Liquid (`{% … %}`), Handlebars, Mustache and Go (`{{ … }}`), ERB, EJS and `EEx` (`<% … %>`), and Blade
//! (`@include(…)`). A text has the marks of one of them, so all are looked for.

use std::ops::Range;

use super::markup::{Mention, MentionRole, is_name_byte, mentions};
use super::template_words::{BLADE_INCLUDES, FILTERS, HELPERS, INCLUDES, TAGS};
use crate::languages::Kinds;
use crate::outline::MAX_DEFINITIONS;

/// What the directives of a text say.
#[derive(Debug, Default)]
pub(super) struct Directives {
    /// The position and the target of each included, extended or imported template.
    pub(super) imports: Vec<(u32, String)>,
    /// The names that expressions use.
    pub(super) mentions: Vec<Mention>,
    /// The named parts of the template.
    pub(super) definitions: Vec<Defined>,
}

/// A named part of a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Defined {
    pub(super) bytes: Range<usize>,
    pub(super) name: Range<usize>,
    pub(super) keyword: &'static str,
    pub(super) kinds: Kinds,
}

/// The longest directive. A mark that is closed further away was misread.
const MOST_BYTES: usize = 4 * 1024;

/// The most blocks that are open at once. Deeper ones are not read as definitions.
const MOST_OPEN: usize = 64;

/// A definition whose end is not read yet.
struct Open {
    keyword: &'static str,
    start: usize,
    /// `None` for a block that defines nothing.
    defined: Option<(Range<usize>, Kinds)>,
}

pub(super) fn read(text: &str) -> Directives {
    let mut reader =
        DirectiveReader { text, directives: Directives::default(), open: Vec::new(), closings: Vec::new() };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        at = match (bytes[at], bytes[at + 1]) {
            (b'{', b'#') => reader.close_of(at, "#}").map_or(at + 2, |close| close + 2),
            (b'{', b'%') => reader.within(at, "%}", DirectiveReader::statement),
            (b'{', b'{') => reader.within(at, "}}", DirectiveReader::expression),
            (b'<', b'%') => reader.within(at, "%>", DirectiveReader::code),
            (b'{', b'!') => reader.within(at + 1, "!!}", DirectiveReader::expression),
            (b'@', next) if next.is_ascii_alphabetic() && (at == 0 || !is_name_byte(bytes[at - 1])) => reader.blade(at),
            _ => at + 1,
        };
    }
    for open in std::mem::take(&mut reader.open) {
        let end = open.defined.as_ref().map_or(open.start, |(name, _)| name.end);
        reader.define(open, end);
    }
    reader.directives.definitions.sort_by_key(|defined| (defined.bytes.start, std::cmp::Reverse(defined.bytes.end)));
    reader.directives
}

struct DirectiveReader<'t> {
    text: &'t str,
    directives: Directives,
    /// The blocks that are open, outermost first.
    open: Vec<Open>,
    /// The next position of each mark that was looked for.
    closings: Vec<(&'static str, usize)>,
}

impl DirectiveReader<'_> {
    /// The position of the mark that closes the directive at `open`. Directives are read in order, so one search serves all those
    /// before the mark that it finds.
    fn close_of(&mut self, open: usize, mark: &'static str) -> Option<usize> {
        let from = open + 2;
        let text = self.text.get(from..)?;
        let known = self.closings.iter_mut().find(|(known, _)| *known == mark);
        let close = match known {
            Some((_, close)) if *close >= from => *close,
            Some((_, close)) => {
                *close = text.find(mark).map_or(usize::MAX, |close| from + close);
                *close
            }
            None => {
                let close = text.find(mark).map_or(usize::MAX, |close| from + close);
                self.closings.push((mark, close));
                close
            }
        };
        (close <= open + MOST_BYTES).then_some(close)
    }

    /// Reads what is between two marks, and returns the position after it.
    fn within(&mut self, open: usize, mark: &'static str, read: fn(&mut Self, Range<usize>, Range<usize>)) -> usize {
        let Some(close) = self.close_of(open, mark) else { return open + 2 };
        let inner = self.trim(open + 2..close);
        read(self, inner, open..close + mark.len());
        close + mark.len()
    }

    /// A part without white space and the signs that control it.
    fn trim(&self, part: Range<usize>) -> Range<usize> {
        let is_space = |c: char| c.is_whitespace() || matches!(c, '-' | '~' | '+');
        let text = &self.text[part.clone()];
        let start = part.start + (text.len() - text.trim_start_matches(is_space).len());
        let end = start + self.text[start..part.end].trim_end_matches(is_space).len();
        start..end
    }

    /// The first word of a part and the rest.
    fn word(&self, part: &Range<usize>) -> (Range<usize>, Range<usize>) {
        let bytes = self.text.as_bytes();
        let end = (part.start..part.end).find(|&at| !is_name_byte(bytes[at])).unwrap_or(part.end);
        (part.start..end, self.trim(end..part.end))
    }

    /// `{% include "header.html" %}`.
    fn statement(&mut self, inner: Range<usize>, whole: Range<usize>) {
        let (word, rest) = self.word(&inner);
        let keyword = &self.text[word.clone()];
        match keyword {
            "block" => self.open("block", whole.start, self.word(&rest).0, Kinds::KEY),
            "macro" => self.open("macro", whole.start, self.word(&rest).0, Kinds::FUNCTION),
            "partialdef" => self.open("partialdef", whole.start, self.word(&rest).0, Kinds::FUNCTION),
            "endblock" | "endmacro" | "endpartialdef" => self.close(&keyword[3..], whole.end),
            _ if INCLUDES.contains(&keyword) => self.import(rest),
            _ => {
                let is_own = !keyword.starts_with("end") && TAGS.binary_search(&keyword).is_err();
                if is_own && !word.is_empty() {
                    self.directives.mentions.push(Mention { name: word, role: MentionRole::Called });
                }
                self.mention(rest);
            }
        }
    }

    /// `{{ total(row) | money }}`, `{{> header }}`, `{{#list rows}}`, `{{ template "header" . }}`.
    fn expression(&mut self, inner: Range<usize>, whole: Range<usize>) {
        let text = self.text;
        let (mark, rest) = match text.as_bytes().get(inner.start) {
            Some(mark @ (b'>' | b'#' | b'/' | b'^' | b'!' | b'*' | b'&' | b'{')) if !inner.is_empty() => {
                (*mark, self.trim(inner.start + 1..inner.end))
            }
            _ => (0, inner),
        };
        match mark {
            b'!' | b'/' => return,
            b'>' => return self.partial(&rest),
            b'#' if text.as_bytes().get(rest.start) == Some(&b'>') => {
                return self.partial(&self.trim(rest.start + 1..rest.end));
            }
            _ => {}
        }
        let (word, arguments) = self.word(&rest);
        match &text[word.clone()] {
            "define" | "block" if text[arguments.clone()].starts_with('"') => {
                let name = self.quotations(&arguments).next();
                if let Some(name) = name {
                    self.open("define", whole.start, name, Kinds::FUNCTION);
                }
                return;
            }
            "if" | "range" | "with" => {
                self.push(Open { keyword: "define", start: whole.start, defined: None });
            }
            "end" => return self.close("define", whole.end),
            "template" | "include" | "partial" if text[arguments.clone()].starts_with(['"', '\'']) => {
                let name = self.quotations(&arguments).next();
                if let Some(name) = name {
                    self.directives.mentions.push(Mention { name, role: MentionRole::Called });
                }
                self.import(arguments);
                return;
            }
            _ => {}
        }
        let takes_arguments = text[arguments.clone()]
            .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '.' | '$' | '@' | '_'))
            && word.end < arguments.start
            && !["if", "or", "and", "is", "in", "not", "else"].contains(&&text[self.word(&arguments).0]);
        if takes_arguments && !HELPERS.contains(&&text[word.clone()]) && !word.is_empty() {
            self.directives.mentions.push(Mention { name: word, role: MentionRole::Called });
        }
        self.mention(rest);
    }

    /// `<%= render "shared/header" %>`, `<%- include('header') %>`.
    fn code(&mut self, inner: Range<usize>, _whole: Range<usize>) {
        let text = self.text;
        if text[inner.clone()].starts_with(['#', '%']) {
            return;
        }
        let is_shown = text[inner.clone()].starts_with('=');
        let code = self.trim(inner.start + usize::from(is_shown)..inner.end);
        let (word, arguments) = self.word(&code);
        let first = &text[word.clone()];
        if matches!(first, "render" | "include" | "partial") {
            return self.import(arguments);
        }
        // A call without parentheses.
        let is_call = word.end < arguments.start
            && text[arguments.clone()]
                .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | ':' | '@' | '_'));
        if is_shown && is_call && !first.is_empty() {
            self.directives.mentions.push(Mention { name: word, role: MentionRole::Called });
        }
        let known = self.directives.mentions.len();
        self.mention(code);
        // A bar encloses the parameters of a block here.
        let mut place = 0;
        self.directives.mentions.retain(|mention| {
            place += 1;
            place <= known || mention.role != MentionRole::Filter
        });
    }

    /// `@include('shared.header')`. Returns the position after it.
    fn blade(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let end = (at + 1..bytes.len()).find(|&at| !is_name_byte(bytes[at])).unwrap_or(bytes.len());
        let word = self.text[at + 1..end].to_ascii_lowercase();
        let end = (end..bytes.len()).find(|&at| bytes[at] != b' ').unwrap_or(bytes.len());
        if bytes.get(end) != Some(&b'(') {
            return end;
        }
        let reach = self.text.floor_char_boundary(end + MOST_BYTES);
        let Some(close) = self.text[end..reach].find([')', '\n']).map(|close| end + close) else { return reach };
        if BLADE_INCLUDES.contains(&word.as_str()) {
            let target = self.quotations(&(end..close)).next();
            self.directives.imports.extend(target.map(|target| (target.start as u32, self.text[target].to_owned())));
        } else if matches!(word.as_str(), "section" | "push" | "yield" | "stack") {
            let name = self.quotations(&(end..close)).next();
            if let Some(name) = name.filter(|_| word == "section") {
                let defined = Defined { bytes: at..name.end, name, keyword: "section", kinds: Kinds::KEY };
                self.directives.definitions.push(defined);
            }
        } else {
            self.mention(end..close);
        }
        close
    }

    /// `{{> shared/header title="x" }}`.
    fn partial(&mut self, rest: &Range<usize>) {
        let target = self.text[rest.clone()].split_whitespace().next().unwrap_or_default();
        let target = target.trim_matches(['"', '\'']);
        if !target.is_empty() && !target.starts_with('(') && !target.starts_with('@') {
            self.directives.imports.push((rest.start as u32, target.to_owned()));
        }
    }

    /// Records the quoted templates before the values that they are given.
    fn import(&mut self, rest: Range<usize>) {
        let text = &self.text[rest.clone()];
        let stop = [" with ", " import ", " as ", ", "].iter().filter_map(|word| text.find(word)).min();
        // In a list, each is tried in turn: `["mobile.html", "page.html"]`.
        let stop = if text.starts_with(['[', '(']) { None } else { stop };
        let names = rest.start..stop.map_or(rest.end, |stop| rest.start + stop);
        let mut targets: Vec<Range<usize>> = self.quotations(&names).collect();
        if targets.is_empty() {
            // `render partial: "form"`, `render(CardView, "card.html", assigns)`.
            targets.extend(self.quotations(&rest).next());
        }
        let target = |name: Range<usize>| (name.start as u32, self.text[name].to_owned());
        self.directives.imports.extend(targets.into_iter().map(target));
        self.mention(rest);
    }

    /// The string literals of a part that could name a file.
    fn quotations(&self, part: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'_> {
        const MOST_NAME_BYTES: usize = 200;
        let (mut at, end) = (part.start, part.end);
        std::iter::from_fn(move || {
            let open = at + self.text[at..end].find(['"', '\''])?;
            let quote = &self.text[open..=open];
            let close = open + 1 + self.text[open + 1..end].find(quote)?;
            at = close + 1;
            Some(open + 1..close)
        })
        .filter(|name| !name.is_empty() && name.len() <= MOST_NAME_BYTES && !self.text[name.clone()].contains('\n'))
    }

    fn mention(&mut self, part: Range<usize>) {
        let known = self.directives.mentions.len();
        mentions(self.text, part, &mut self.directives.mentions);
        let mut place = 0;
        self.directives.mentions.retain(|mention| {
            place += 1;
            place <= known
                || mention.role != MentionRole::Filter
                || FILTERS.binary_search(&&self.text[mention.name.clone()]).is_err()
        });
    }

    fn open(&mut self, keyword: &'static str, start: usize, name: Range<usize>, kinds: Kinds) {
        let defined = (!name.is_empty()).then_some((name, kinds));
        self.push(Open { keyword, start, defined });
    }

    fn push(&mut self, open: Open) {
        if self.open.len() < MOST_OPEN {
            self.open.push(open);
        }
    }

    /// Closes the innermost block of a kind, and those in it that are not closed.
    fn close(&mut self, keyword: &str, end: usize) {
        let Some(place) = self.open.iter().rposition(|open| open.keyword == keyword) else { return };
        for open in self.open.split_off(place) {
            self.define(open, end);
        }
    }

    fn define(&mut self, open: Open, end: usize) {
        let Some((name, kinds)) = open.defined.filter(|_| self.directives.definitions.len() < MAX_DEFINITIONS) else {
            return;
        };
        self.directives.definitions.push(Defined { bytes: open.start..end, name, keyword: open.keyword, kinds });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, imports: &[&str], uses: &[&str], definitions: &[&str]) {
        let read = read(text);
        let found: Vec<&str> = read.imports.iter().map(|(_, target)| target.as_str()).collect();
        assert_eq!(found, imports, "imports of {text}");
        let mentioned = read.mentions.iter().filter(|mention| mention.role != MentionRole::Value);
        let found: Vec<&str> = mentioned.map(|mention| &text[mention.name.clone()]).collect();
        assert_eq!(found, uses, "uses in {text}");
        let found: Vec<String> = read
            .definitions
            .iter()
            .map(|defined| format!("{} {} {}", defined.keyword, &text[defined.name.clone()], defined.bytes.len()))
            .collect();
        assert_eq!(found, definitions, "definitions in {text}");
    }

    #[test]
    fn jinja_and_its_relatives() {
        check("{% extends 'base.html' %}", &["base.html"], &[], &[]);
        check("{%- include \"a.html\" with x=f(1) -%}", &["a.html"], &["f"], &[]);
        check("{% from 'forms.html' import field as f %}{{ f(x)|money|safe }}", &["forms.html"], &["f", "money"], &[]);
        check("{% include ['a.html', 'b.html'] %}", &["a.html", "b.html"], &[], &[]);
        check(
            "{% macro field(n) %}{% block x %}{% endblock %}{% endmacro %}",
            &[],
            &[],
            &["macro field 61", "block x 27"],
        );
        check("{% avatar user size=3 %}{% if can(x) %}{% endif %}", &[], &["avatar", "can"], &[]);
        check("{# {% include 'a' %} #}", &[], &[], &[]);
        check("{% block x %}", &[], &[], &["block x 10"]);
    }

    #[test]
    fn handlebars_and_go() {
        check("{{> shared/header title=\"x\"}}{{#> layout}}", &["shared/header", "layout"], &[], &[]);
        check("{{formatDate day \"short\"}}{{#list rows}}{{/list}}{{title}}", &[], &["formatDate", "list"], &[]);
        check("{{ a if b else c }}{{!-- {{>x}} --}}", &[], &[], &[]);
        check("{{ define \"head\" }}{{ if .x }}{{ end }}{{ end }}", &[], &[], &["define head 48"]);
        check("{{ template \"head\" . }}", &["head"], &["head"], &[]);
    }

    #[test]
    fn erb_and_its_relatives() {
        check("<%= render \"shared/header\", user: find_user(1) %>", &["shared/header"], &["find_user"], &[]);
        check("<%= render partial: 'form' %><%- include('nav') -%>", &["form", "nav"], &[], &[]);
        check("<%= format_day day %><%# render 'x' %><% if open?(day) %>", &[], &["format_day"], &[]);
    }

    #[test]
    fn blade() {
        check("@extends('layouts.app')\n@section('main')", &["layouts.app"], &[], &["section main 14"]);
        check(
            "@include('shared.header', ['a' => 1]) {{ price($x) }} {!! html($y) !!}",
            &["shared.header"],
            &["price", "html"],
            &[],
        );
        check("me@include('x') @if (can('x'))", &[], &["can"], &[]);
    }

    #[test]
    fn marks_that_are_not_closed_are_text() {
        for text in ["{%", "{{", "<%", "{#", "{{ é", "@é(", "@include('", "{% block %}", "{{>", "{% from %}"] {
            read(text);
        }
    }
}
