//! Code inside texts of another form: scripts and expressions of components and pages, directives of templates, cells of notebooks.
//!
//! A script or a cell is parsed by the grammar of its language, which sees only its bytes, so all positions are those of the whole
//! text. Markup, expressions and directives are read token by token: they are in a dozen dialects, and a name that is called looks
//! alike in all of them. Only names that are called, or that the text's own scripts define or import, count as uses.

mod blocks;
mod directives;
mod markup;
mod template_words;

use std::ops::Range;
use std::time::Duration;

use recall_core::{ByteSpan, Span, Symbol, SymbolKind};
use recall_text::{DocPath, Language};

use self::blocks::Parts;
use self::directives::{Defined, Directives};
use self::markup::Markup;
use crate::ChunkLimits;
use crate::grammar::Grammar;
use crate::lines::{self, Lines};
use crate::outline::{self, DefinitionNode, NO_CUT, Outline, Reference, names};
use crate::parse::{ParseError, Parsers, WorkClock};
pub(crate) use blocks::Host;
use markup::{Mention, MentionRole};

/// The language of notebooks.
pub(crate) const NOTEBOOK: &str = "jupyter";

/// Reads a text that holds code. `base` is the outline of the text itself, if it has a grammar.
///
/// # Errors
/// The scripts take longer than a parse may. A script that is rejected for another reason is left out.
pub(crate) fn read(
    parsers: &mut Parsers,
    lines: &Lines<'_>,
    host: Host,
    base: Option<Outline>,
    limits: &ChunkLimits,
) -> Result<Outline, ParseError> {
    let mut outline = base.unwrap_or_else(|| Outline::with_costs(layout_costs(lines)));
    let text = lines.text();
    let Parts { scripts, sources, markup: parts } = blocks::divide(text, host);
    outline.imports.extend(sources);
    let time = SharedTime::new(limits.parse_time);
    for script in &scripts {
        let Some(part) = parse(parsers, lines, script.language, &script.bytes, limits, &time)? else { continue };
        let element = lines.line_of(script.element);
        outline.embed(part, lines, element, lines.line_of(script.bytes.start)..lines.line_of(script.bytes.end) + 1);
    }
    let mut markup = Markup::default();
    for part in parts {
        markup.read(text, part, host);
    }
    let mut mentions = Vec::new();
    for expression in markup.expressions {
        markup::mentions(text, expression, &mut mentions);
    }
    if !host.is_component() {
        let Directives { imports, mentions: used, definitions } = directives::read(text);
        outline.imports.extend(imports);
        mentions.extend(used);
        outline.definitions.extend(definitions.into_iter().map(|defined| definition(lines, defined)));
    }
    outline.nest();
    add_mentions(&mut outline, text, &mentions, host);
    for component in markup.components {
        add_component(&mut outline, text, component);
    }
    Ok(outline)
}

/// Reads the code cells of a notebook's text, which are its fenced blocks. Their lines keep no cut costs.
///
/// # Errors
/// The cells take longer than a parse may.
pub(crate) fn cells(parsers: &mut Parsers, lines: &Lines<'_>, limits: &ChunkLimits) -> Result<Outline, ParseError> {
    let mut outline = Outline::with_costs(vec![NO_CUT; lines.len()]);
    let time = SharedTime::new(limits.parse_time);
    let mut open: Option<(&str, usize)> = None;
    for line in 0..lines.len() {
        let text = lines.get(line);
        let Some((mark, first)) = open else {
            open = lines::fence_after(None, text).map(|mark| (mark, line + 1));
            continue;
        };
        if lines::fence_after(Some(mark), text).is_some() {
            continue;
        }
        open = None;
        let tag = lines.get(first - 1).trim_start().trim_start_matches(['`', '~']);
        let Some(language) = tag.trim().parse::<Language>().ok().filter(|language| Grammar::exists(language.as_str()))
        else {
            continue;
        };
        for part in without_magics(lines, first..line) {
            let bytes = lines.start(part.start)..lines.start(part.end);
            if let Some(part) = parse(parsers, lines, language.as_str(), &bytes, limits, &time)? {
                outline.embed(part, lines, first, 0..0);
            }
        }
    }
    outline.nest();
    Ok(outline)
}

/// The runs of lines of a cell between commands of the notebook: `%matplotlib inline`, `!pip install x`. A cell that begins with
/// `%%` is in another language.
fn without_magics(lines: &Lines<'_>, cell: Range<usize>) -> Vec<Range<usize>> {
    if lines.get(cell.start).starts_with("%%") {
        return Vec::new();
    }
    let is_magic = |line: usize| lines.get(line).trim_start().starts_with(['%', '!', '?']);
    let mut runs = Vec::new();
    let mut start = cell.start;
    for line in cell.clone().filter(|&line| is_magic(line)) {
        runs.push(start..line);
        start = line + 1;
    }
    runs.push(start..cell.end);
    runs.retain(|run| !lines.trim(run.clone()).is_empty());
    runs
}

/// Parses a part of a text. `None` if the parser must not see it.
fn parse(
    parsers: &mut Parsers,
    lines: &Lines<'_>,
    language: &str,
    bytes: &Range<usize>,
    limits: &ChunkLimits,
    time: &SharedTime,
) -> Result<Option<Outline>, ParseError> {
    let Some((index, grammar)) = Grammar::for_language(language) else { return Ok(None) };
    match parsers.parse_part(index, grammar, lines, bytes, time.left()) {
        Ok(tree) => Ok(Some(outline::read(grammar, &tree, lines, limits.parse_depth))),
        Err(ParseError::Timeout { .. }) => Err(ParseError::Timeout { limit: limits.parse_time }),
        Err(ParseError::Rejected(_) | ParseError::Grammar { .. }) => Ok(None),
    }
}

/// The time that the parts of a text share.
struct SharedTime {
    clock: WorkClock,
    limit: Duration,
}

impl SharedTime {
    fn new(limit: Duration) -> Self {
        Self { clock: WorkClock::start(), limit }
    }

    fn left(&self) -> Duration {
        self.limit.saturating_sub(self.clock.work())
    }
}

/// Adds the names that expressions use.
fn add_mentions(outline: &mut Outline, text: &str, mentions: &[Mention], host: Host) {
    let mut known: Vec<&str> = outline.aliases.iter().map(|alias| alias.name.as_str()).collect();
    known.extend(outline.definitions.iter().map(|found| &text[found.name.clone()]));
    known.sort_unstable();
    let builtins = if host.is_component() || host == Host::Page {
        Grammar::for_language("typescript").map_or(&[][..], |(_, grammar)| grammar.syntax.builtins)
    } else {
        &[]
    };
    let is_used = |Mention { name, role }: &Mention| {
        let name = &text[name.clone()];
        names::is_worth_naming(name)
            && match role {
                MentionRole::Called => builtins.binary_search(&name).is_err(),
                MentionRole::Filter => !host.is_component(),
                MentionRole::Value => known.binary_search(&name).is_ok(),
            }
    };
    let reference = |Mention { name, .. }: &Mention| Reference {
        name: ByteSpan { start: name.start as u32, end: name.end as u32 },
        qualifier: names::qualifier_before(text, name.start),
    };
    let references: Vec<Reference> = mentions.iter().filter(|mention| is_used(mention)).map(reference).collect();
    outline.references.extend(references);
}

/// Adds the use of a component: `Item` of `<Menu.Item>`, `UserCard` of `<user-card>`.
fn add_component(outline: &mut Outline, text: &str, element: Range<usize>) {
    let written = &text[element.clone()];
    let at = element.start as u32;
    // The file of a component in a folder of Blade's components.
    if let Some(path) = written.strip_prefix("x-") {
        return outline.imports.push((at, format!("components.{path}")));
    }
    if written.contains('-') {
        return outline.addresses.push((at, component_name(written)));
    }
    let start = written.rfind(['.', ':']).map_or(0, |dot| dot + 1);
    let name = element.start + start..element.end;
    if names::is_worth_naming(&text[name.clone()]) {
        let qualifier = names::qualifier_before(text, name.start);
        let name = ByteSpan { start: name.start as u32, end: name.end as u32 };
        outline.references.push(Reference { name, qualifier });
    }
}

/// `UserCard` for `user-card`.
fn component_name(name: &str) -> String {
    let capitalised = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    name.split('-').filter_map(capitalised).collect()
}

/// Returns the component that a file defines, which is called like the file. `None` if other files do not use it by that name:
/// pages and layouts that a framework finds by their paths.
pub(crate) fn component(path: &DocPath, language: &str, text: &str) -> Option<Symbol> {
    let stem = path.stem();
    let is_name = stem.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    if !Host::for_language(language)?.is_component() || !is_name || matches!(stem, "index" | "layout" | "page") {
        return None;
    }
    let name = component_name(stem);
    let is_worth_naming = name.starts_with(char::is_alphabetic) && names::is_worth_naming(&name);
    let end = text.trim_end().len() as u32;
    let last_line = text.trim_end().matches('\n').count() as u32 + 1;
    (is_worth_naming && end > 0).then(|| Symbol {
        qualified: name.clone(),
        name,
        kind: SymbolKind::Class,
        span: Span { bytes: ByteSpan { start: 0, end }, start_line: 1, end_line: last_line },
        chunk: 0,
    })
}

fn definition(lines: &Lines<'_>, defined: Defined) -> DefinitionNode {
    let Defined { bytes, name, keyword, kinds } = defined;
    DefinitionNode {
        lines: lines.line_of(bytes.start)..lines.line_of(bytes.end.saturating_sub(1)) + 1,
        signature: bytes.start..bytes.start,
        doc: None,
        bytes,
        name,
        kinds,
        keyword,
        label: None,
        scope: None,
        parent: None,
        subtree_end: 0,
    }
}

/// The indentation, in bytes, from which on all lines are equally deep.
const MOST_INDENT: usize = 60;

/// The beginnings of lines that end or continue what begins above them.
const CONTINUATIONS: &[&str] = &[
    "</", "{/", "{:", "}", ")", "]", ">", "/>", "-->", "{% end", "{%- end", "{% el", "{%- el", "<% end", "<% else",
    "<% }", "{{/", "{{ end", "{{- end", "{{else", "{{ else", "{{- else", "@end", "@else",
];

/// Returns a cost for each line: twice its indentation, and one more if no blank line is above it.
fn layout_costs(lines: &Lines<'_>) -> Vec<u16> {
    let mut after_blank = true;
    let cost = |line| {
        if lines.is_blank(line) {
            after_blank = true;
            return NO_CUT;
        }
        let is_first = std::mem::replace(&mut after_blank, false);
        let text = lines.get(line).trim_start();
        if CONTINUATIONS.iter().any(|start| text.starts_with(start)) {
            return NO_CUT;
        }
        1 + 2 * lines.indent(line).min(MOST_INDENT) as u16 + u16::from(!is_first)
    };
    (0..lines.len()).map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_lines_and_those_of_one_paragraph_cost_more() {
        let lines = Lines::new("<a>\n  b\n\n  c\n</a>\n<d>\n");
        assert_eq!(layout_costs(&lines), [1, 6, NO_CUT, 5, NO_CUT, 2]);
    }
}
