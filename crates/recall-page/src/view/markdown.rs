//! Markdown as HTML.
//!
//! Every tag and every attribute is written here, and every text is escaped, so no text can add one, and there is nothing to sanitise
//! afterwards (ADR 71). Elements of HTML in a text are left out. A link leads to a web site or to a document of the project; an image
//! is named, not loaded.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::ops::Range;

use maud::{Markup, PreEscaped, Render as _, html};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use recall_text::Language;

use super::{code, target};

/// The extensions of `CommonMark` that are understood.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);

/// The elements of HTML that are left out; their texts stay. Other names in angle brackets are text, as in `Vec<T>`.
const ELEMENTS: &str = " a abbr b blockquote br center code dd del details div dl dt em font h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol \
                        p picture pre q s samp small source span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul \
                        video ";

/// Where in a document a reader looks, and what is said next to its lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// The line that was asked for.
    pub(crate) target: Option<u32>,
    /// What is said, by the line from 1.
    pub(crate) by_line: BTreeMap<u32, Markup>,
}

/// Shows a text that is not a document, such as a memory. Its links go from the project's root.
pub(crate) fn text(text: &str) -> Markup {
    let events = Parser::new_ext(text, OPTIONS).into_offset_iter().collect();
    Writer::new("", events, None).write()
}

/// Shows a whole document. Its headings and the lines of its blocks can be linked to; a note stands before the block of its line.
pub(crate) fn document(path: &str, text: &str, notes: &Notes) -> Markup {
    let events: Vec<_> = Parser::new_ext(text, OPTIONS).into_offset_iter().collect();
    let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let mut lines = Lines { breaks, done: 0, target: None, notes: BTreeMap::new() };
    let starts = |is_start: fn(&Event<'_>) -> bool| -> Vec<u32> {
        events.iter().filter(|(event, _)| is_start(event)).map(|(_, at)| lines.number(at)).collect()
    };
    let (blocks, rows) =
        (starts(is_block), starts(|event| is_block(event) || matches!(event, Event::Start(Tag::TableRow))));
    lines.target = notes.target.and_then(|line| Some((block_of(&rows, line)?, line)));
    for (line, note) in &notes.by_line {
        if let Some(block) = block_of(&blocks, *line) {
            lines.notes.entry(block).or_default().push(note.clone());
        }
    }
    Writer::new(path, events, Some(lines)).write()
}

/// Returns the first line of the block that has a line, by the first lines of all blocks: the first block, for a line before it.
fn block_of(starts: &[u32], line: u32) -> Option<u32> {
    starts.iter().copied().filter(|&start| start <= line).max().or(starts.first().copied())
}

/// Whether an event begins a block with an address of its own.
fn is_block(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Start(
            Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Item | Tag::Table(_)
        )
    )
}

/// The lines of a document.
struct Lines {
    /// The line breaks, by byte.
    breaks: Vec<usize>,
    /// The last line that has an address.
    done: u32,
    /// The block that was asked for, by its first line, and the line.
    target: Option<(u32, u32)>,
    /// What is said, by the first line of the block.
    notes: BTreeMap<u32, Vec<Markup>>,
}

impl Lines {
    /// Returns the number of a line, from 1.
    fn number(&self, at: &Range<usize>) -> u32 {
        self.breaks.partition_point(|&end| end < at.start) as u32 + 1
    }
}

type Events<'t> = Vec<(Event<'t>, Range<usize>)>;

struct Writer<'p, 't> {
    /// The path of the document.
    path: &'p str,
    events: Events<'t>,
    at: usize,
    lines: Option<Lines>,
    output: String,
    /// The level of the last heading. No level is skipped, so that one can jump from heading to heading; the page's own title is 1.
    level: usize,
    /// How often each id of a heading was given.
    ids: HashMap<String, u32>,
    /// For each open link, whether it leads anywhere.
    links: Vec<bool>,
    columns: Vec<Alignment>,
    column: usize,
    is_head: bool,
}

impl<'p, 't> Writer<'p, 't> {
    fn new(path: &'p str, events: Events<'t>, lines: Option<Lines>) -> Self {
        Self {
            path,
            events,
            at: 0,
            lines,
            output: String::new(),
            level: 1,
            ids: HashMap::new(),
            links: Vec::new(),
            columns: Vec::new(),
            column: 0,
            is_head: false,
        }
    }

    fn write(mut self) -> Markup {
        while let Some((event, range)) = self.events.get(self.at).cloned() {
            self.at += 1;
            match event {
                Event::Start(tag) => self.start(tag, &range),
                Event::End(tag) => self.end(tag),
                Event::Text(text) => text.as_ref().render_to(&mut self.output),
                Event::Code(text) => html! { code { (text.as_ref()) } }.render_to(&mut self.output),
                Event::Html(text) | Event::InlineHtml(text) => without_elements(&text).render_to(&mut self.output),
                Event::SoftBreak => self.output.push('\n'),
                Event::HardBreak => self.output.push_str("<br>"),
                Event::Rule => self.output.push_str("<hr>"),
                Event::TaskListMarker(is_done) => self.output.push_str(if is_done { "☑ " } else { "☐ " }),
                // Their options are off.
                Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
            }
        }
        PreEscaped(self.output)
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Paragraph => self.open("p", range),
            Tag::Heading { level, .. } => self.heading(level as usize, range),
            Tag::BlockQuote(_) => self.output.push_str("<blockquote>"),
            Tag::CodeBlock(kind) => self.code(&kind, range),
            Tag::MetadataBlock(_) => self.code(&CodeBlockKind::Fenced("yaml".into()), range),
            Tag::HtmlBlock => self.html(range),
            Tag::List(None) => self.output.push_str("<ul>"),
            Tag::List(Some(first)) => _ = write!(self.output, "<ol start=\"{first}\">"),
            Tag::Item => self.open("li", range),
            Tag::Table(columns) => {
                self.columns = columns;
                self.note(range);
                self.output.push_str("<div class=\"wide\" tabindex=\"0\"><table>");
            }
            Tag::TableHead => {
                (self.is_head, self.column) = (true, 0);
                self.output.push_str("<thead>");
                self.open("tr", range);
            }
            Tag::TableRow => {
                self.column = 0;
                self.open("tr", range);
            }
            Tag::TableCell => self.cell(),
            Tag::Emphasis => self.output.push_str("<em>"),
            Tag::Strong => self.output.push_str("<strong>"),
            Tag::Strikethrough => self.output.push_str("<del>"),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => self.image(&dest_url),
            // Their options are off.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let close = match tag {
            TagEnd::Paragraph => "</p>\n",
            TagEnd::BlockQuote(_) => "</blockquote>\n",
            TagEnd::List(true) => "</ol>\n",
            TagEnd::List(false) => "</ul>\n",
            TagEnd::Item => "</li>\n",
            TagEnd::Table => "</tbody></table></div>\n",
            TagEnd::TableHead => {
                self.is_head = false;
                "</tr></thead><tbody>\n"
            }
            TagEnd::TableRow => "</tr>\n",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Link => match self.links.pop() {
                Some(true) => "</a>",
                _ => "",
            },
            TagEnd::Heading(_) => {
                _ = write!(self.output, "</h{}>", self.level);
                "\n"
            }
            // The browser closes a cell; what is inside others was read with the start.
            _ => "",
        };
        self.output.push_str(close);
    }

    /// Writes the notes of a block before it.
    fn note(&mut self, range: &Range<usize>) {
        let Some(lines) = &mut self.lines else { return };
        let number = lines.number(range);
        for note in lines.notes.remove(&number).into_iter().flatten() {
            note.render_to(&mut self.output);
        }
    }

    /// Opens a block, with the address of its line unless a block around it has that.
    fn open(&mut self, tag: &str, range: &Range<usize>) {
        if tag != "li" && tag != "tr" {
            self.note(range);
        }
        let address = self.address(range);
        let _ = write!(self.output, "<{tag}{address}>");
        if tag != "tr" {
            self.mark_target(range);
        }
        if tag == "li" {
            self.note(range);
        }
    }

    /// Returns the attributes of a block: the id of its line, and whether it was asked for.
    fn address(&mut self, range: &Range<usize>) -> String {
        let Some(lines) = &mut self.lines else { return String::new() };
        let number = lines.number(range);
        if number <= lines.done {
            return String::new();
        }
        lines.done = number;
        let is_target = lines.target.is_some_and(|(block, _)| block == number);
        format!(" id=\"L{number}\"{}", if is_target { " class=\"target\"" } else { "" })
    }

    /// Writes the address of the line that was asked for, if it is inside the block.
    fn mark_target(&mut self, range: &Range<usize>) {
        let Some(lines) = &mut self.lines else { return };
        if let Some((block, line)) = lines.target
            && block == lines.number(range)
            && line > block
        {
            lines.target = None;
            lines.done = lines.done.max(line);
            html! { span id={ "L" (line) } {} }.render_to(&mut self.output);
        }
    }

    fn heading(&mut self, level: usize, range: &Range<usize>) {
        self.note(range);
        self.level = (level + 1).min(self.level + 1).min(6);
        let level = self.level;
        if self.lines.is_none() {
            let _ = write!(self.output, "<h{level}>");
            return;
        }
        let id = target::heading_id(&self.text_until(|end| matches!(end, TagEnd::Heading(_))));
        let times = self.ids.entry(id.clone()).or_insert(0);
        let id = if *times == 0 { id } else { format!("{id}-{times}") };
        *times += 1;
        let _ = write!(self.output, "<h{level} id=\"");
        id.as_str().render_to(&mut self.output);
        let address = self.address(range);
        let _ = write!(self.output, "\"><span{address}></span>");
        self.mark_target(range);
    }

    /// Returns the text up to an end, without reading on.
    fn text_until(&self, is_end: impl Fn(&TagEnd) -> bool) -> String {
        let ahead = self.events[self.at..].iter().map(|(event, _)| event);
        let inside = ahead.take_while(|event| !matches!(event, Event::End(end) if is_end(end)));
        inside.fold(String::new(), |mut text, event| {
            match event {
                Event::Text(part) | Event::Code(part) | Event::Html(part) => text.push_str(part),
                Event::SoftBreak | Event::HardBreak => text.push(' '),
                _ => {}
            }
            text
        })
    }

    /// Reads up to an end, and returns the text.
    fn read_until(&mut self, is_end: impl Fn(&TagEnd) -> bool) -> String {
        let text = self.text_until(&is_end);
        let ahead = self.events[self.at..].iter();
        self.at += ahead.take_while(|(event, _)| !matches!(event, Event::End(end) if is_end(end))).count() + 1;
        text
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>, range: &Range<usize>) {
        let text = self.read_until(|end| matches!(end, TagEnd::CodeBlock | TagEnd::MetadataBlock(_)));
        let named = match kind {
            CodeBlockKind::Fenced(named) => named.split([' ', ',', '{']).next().unwrap_or_default(),
            CodeBlockKind::Indented => "",
        };
        let language = named.parse().ok().map(|language: Language| language.to_string()).unwrap_or_default();
        self.note(range);
        // Long lines are scrolled, with the keys too.
        let address = self.address(range);
        let _ = write!(self.output, "<pre tabindex=\"0\"{address}>");
        self.mark_target(range);
        let lines = code::lines(&text, 1, &language, &[]).into_iter().zip(text.lines());
        html! { code { @for (line, plain) in lines { @if !plain.is_empty() { (line.markup()) } "\n" } } }
            .render_to(&mut self.output);
        self.output.push_str("</pre>\n");
    }

    fn html(&mut self, range: &Range<usize>) {
        let text = self.read_until(|end| matches!(end, TagEnd::HtmlBlock));
        let text = without_elements(&text);
        if text.trim().is_empty() {
            self.note(range);
            return;
        }
        self.open("p", range);
        text.trim().render_to(&mut self.output);
        self.output.push_str("</p>\n");
    }

    fn cell(&mut self) {
        let is_empty = matches!(self.events.get(self.at), Some((Event::End(TagEnd::TableCell), _)));
        let tag = if self.is_head && !is_empty { "th" } else { "td" };
        let is_number = self.columns.get(self.column) == Some(&Alignment::Right);
        self.column += 1;
        let _ = write!(self.output, "<{tag}{}>", if is_number { " class=\"n\"" } else { "" });
    }

    fn link(&mut self, target: &str) {
        let address = target::address(self.path, target);
        self.links.push(address.is_some());
        if let Some(address) = address {
            self.output.push_str("<a href=\"");
            address.as_str().render_to(&mut self.output);
            self.output.push_str(if target::is_web(&address) { "\" rel=\"noreferrer\">" } else { "\">" });
        }
    }

    /// Names an image. Its text is a link to a web site's, unless it is in a link already.
    fn image(&mut self, address: &str) {
        let mut depth = 0;
        let end = self.events[self.at..].iter().position(|(event, _)| {
            match event {
                Event::Start(Tag::Image { .. }) => depth += 1,
                Event::End(TagEnd::Image) if depth == 0 => return true,
                Event::End(TagEnd::Image) => depth -= 1,
                _ => {}
            }
            false
        });
        let end = self.at + end.unwrap_or(0);
        let text = self.events[self.at..end].iter().fold(String::new(), |mut text, (event, _)| {
            if let Event::Text(part) | Event::Code(part) = event {
                text.push_str(part);
            }
            text
        });
        self.at = end + 1;
        let name = if text.trim().is_empty() { "image" } else { text.trim() };
        let is_linked = target::is_web(address) && !self.links.contains(&true);
        html! {
            span.image {
                @if is_linked { a href=(address) rel="noreferrer" { (name) } } @else { (name) }
            }
        }
        .render_to(&mut self.output);
    }
}

/// Returns a text of HTML without its comments and the tags of its elements.
fn without_elements(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let name = tag.strip_prefix('/').unwrap_or(tag);
        let length = name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
        let is_element = length > 0 && ELEMENTS.contains(&format!(" {} ", name[..length].to_ascii_lowercase()));
        if !is_element {
            text.push('<');
            rest = tag;
            continue;
        }
        match end_of_tag(tag) {
            Some(end) => rest = &tag[end..],
            // Nothing after it can end either, so the rest is text.
            None => return text + "<" + tag,
        }
    }
    text.push_str(rest);
    text
}

/// Returns where a tag ends, after its `>`, which may be in a quoted value too.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in tag.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            None if letter == '>' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
