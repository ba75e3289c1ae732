//! The picture of the finder: the query, the list, the preview and a line of keys.

use std::ops::Range;

use anstyle::{AnsiColor, Effects};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};
use recall_api::v1;

use super::filter::ProjectFilter;
use super::input::TextField;
use super::state::State;
use crate::output::format::Screen;
use crate::output::human::excerpt::Marked;
use crate::output::human::markdown;
use crate::output::human::memory::facts;
use crate::output::human::quantity::{count, millis};
use crate::output::human::style::{DIM, GOOD, LINE, NOTE, PATH, STRONG, SYMBOL};
use crate::output::human::text::{columns, fit_path, printable};

/// The mark before the query.
const PROMPT: &str = "› ";

/// The mark before the text of a memory.
const MEMORY_PROMPT: &str = "remember › ";

/// The language of prose, which is rendered.
const MARKDOWN: &str = "markdown";

/// The width from which the preview is next to the list; below, it is under it.
const SIDE_BY_SIDE_FROM: u16 = 110;

/// What the keys do with the chosen hits. As many are shown as there is room for.
const KEYS: [&str; 6] = ["enter open", "tab mark", "^y copy", "^o cite", "^r note", "esc leave"];

/// Draws the state. `look` says whether colours are used.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State, look: Screen) {
    let [query, filters, body, status] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)])
            .areas(frame.area());
    let is_wide = body.width >= SIDE_BY_SIDE_FROM;
    let (list, preview) = if is_wide {
        let [list, preview] = Layout::horizontal([Constraint::Percentage(42), Constraint::Min(1)]).areas(body);
        (list, preview)
    } else {
        let [list, preview] = Layout::vertical([Constraint::Percentage(40), Constraint::Min(1)]).areas(body);
        (list, preview)
    };
    match &state.memory {
        Some(memory) => draw_input(frame, query, MEMORY_PROMPT, memory, look),
        None => draw_input(frame, query, PROMPT, &state.query, look),
    }
    draw_filters(frame, filters, state, look);
    draw_list(frame, list, state, look);
    let border = if is_wide { Borders::LEFT } else { Borders::TOP };
    draw_preview(frame, preview, state, look, border);
    draw_status(frame, status, state, look);
}

fn draw_input(frame: &mut Frame<'_>, area: Rect, prompt: &'static str, input: &TextField, look: Screen) {
    let (before, after) = input.around_cursor();
    let (before, after) = (printable(before), printable(after));
    // The end of a text that is wider than the terminal is shown, where text is typed.
    let before = fit_path(&before, Some(usize::from(area.width).saturating_sub(columns(prompt) + 1)));
    let cursor = columns(prompt) + columns(&before);
    let spans =
        vec![Span::styled(prompt, style(NOTE, look)), Span::raw(before.into_owned()), Span::raw(after.into_owned())];
    frame.render_widget(Line::from(spans), area);
    let column = u16::try_from(cursor).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
    frame.set_cursor_position(Position::new(area.x + column, area.y));
}

/// The filters with their keys; while a memory is typed, what it is about.
fn draw_filters(frame: &mut Frame<'_>, area: Rect, state: &State, look: Screen) {
    let dim = style(DIM, look);
    if state.memory.is_some() {
        let about = match &state.files()[..] {
            [] => "about no file".to_owned(),
            [file] => format!("about {}", printable(file)),
            [file, others @ ..] => format!("about {} and {} more", printable(file), count(others.len() as u64)),
        };
        frame.render_widget(Line::styled(format!("{about} · enter saves it as a note · esc cancels"), dim), area);
        return;
    }
    let mut spans = Vec::new();
    for (key, name, value, is_set) in [
        ("^t", "type", state.type_filter.name(), state.type_filter.is_set()),
        ("^l", "language", state.language_filter.name(), state.language_filter.is_set()),
        ("^s", "project", state.projects.name().to_owned(), state.projects == ProjectFilter::All),
    ] {
        let set = if is_set { style(STRONG, look) } else { dim };
        spans.push(Span::styled(format!("{key} {name} "), dim));
        spans.push(Span::styled(format!("{}   ", printable(&value)), set));
    }
    if !state.marked.is_empty() {
        spans.push(Span::styled(format!("{} marked", count(state.marked.len() as u64)), style(STRONG, look)));
    }
    frame.render_widget(Line::from(spans), area);
}

fn draw_list(frame: &mut Frame<'_>, area: Rect, state: &State, look: Screen) {
    let rows = usize::from(area.height);
    // The selected hit is always in sight.
    let first = (state.selected + 1).saturating_sub(rows);
    for (row, (at, hit)) in state.hits.iter().enumerate().skip(first).take(rows).enumerate() {
        let y = area.y + u16::try_from(row).expect("fewer than the rows of the area");
        let line = hit_line(hit, state.is_marked(hit), usize::from(area.width), look);
        let line = if at == state.selected { line.style(Style::new().add_modifier(Modifier::REVERSED)) } else { line };
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
}

/// `● src/store.rs:10  fn open`: the mark, the place, whose beginning is cut if it is long, and the symbol or the title. A memory
/// is called by its id.
fn hit_line(hit: &v1::Hit, is_marked: bool, width: usize, look: Screen) -> Line<'static> {
    let (doc, chunk) = (hit.doc.clone().unwrap_or_default(), hit.chunk.clone().unwrap_or_default());
    let name = if doc.path.is_empty() { doc.id } else { doc.path };
    let name = if doc.root.is_empty() { name } else { format!("{}/{name}", doc.root) };
    let lines = if hit.memory.is_some() { String::new() } else { format!(":{}", chunk.start_line) };
    let path = fit_path(&printable(&name), Some((width * 3 / 5).saturating_sub(lines.len()))).into_owned();
    let symbol = if chunk.symbol.is_empty() { doc.title } else { chunk.symbol };
    Line::from(vec![
        Span::styled(if is_marked { "● " } else { "  " }, style(GOOD, look)),
        Span::styled(path, style(PATH, look)),
        Span::styled(lines, style(LINE, look)),
        Span::styled(format!("  {}", printable(&symbol)), style(SYMBOL, look)),
    ])
}

fn draw_preview(frame: &mut Frame<'_>, area: Rect, state: &State, look: Screen, border: Borders) {
    let block = Block::new().borders(border).border_style(style(DIM, look));
    let Some(hit) = state.hit() else {
        frame.render_widget(block, area);
        return;
    };
    let width = usize::from(block.inner(area).width);
    let lines = preview(hit, width, look).into_iter();
    let lines = lines.map(|pieces| pieces.into_iter().map(|(text, piece)| Span::styled(text, style(piece, look))));
    let lines: Vec<_> = lines.map(|spans| Line::from(spans.collect::<Vec<_>>())).collect();
    frame.render_widget(Paragraph::new(lines).scroll((state.scrolled, 0)).block(block), area);
}

/// The lines of the preview: prose is rendered, code has its numbers.
fn preview(hit: &v1::Hit, width: usize, look: Screen) -> Vec<Vec<(String, anstyle::Style)>> {
    let (doc, chunk) = (hit.doc.clone().unwrap_or_default(), hit.chunk.clone().unwrap_or_default());
    let matches: Vec<Range<usize>> =
        hit.highlights.iter().map(|range| range.start as usize..range.end as usize).collect();
    if hit.memory.is_some() || doc.language == MARKDOWN {
        let mut lines = Vec::new();
        if let Some(memory) = &hit.memory {
            lines.push(vec![(printable(&memory.title).into_owned(), STRONG)]);
            lines.push(vec![(printable(&facts(memory).join(" · ")).into_owned(), DIM)]);
            lines.push(Vec::new());
        }
        lines.extend(markdown::lines(&chunk.text, &matches, width));
        return lines;
    }
    let marked =
        Marked { text: &chunk.text, first_line: chunk.start_line, matches: &matches, language: look.language(&doc) };
    let numbered = |(number, mut pieces): (u32, Vec<_>)| {
        pieces.insert(0, (format!("{number:>5} "), LINE));
        pieces
    };
    marked.styled_lines().into_iter().map(numbered).collect()
}

fn draw_status(frame: &mut Frame<'_>, area: Rect, state: &State, look: Screen) {
    let found = match (&state.note, state.query.text().trim()) {
        (Some(note), _) => printable(note).into_owned(),
        (None, "") => "type words, a question, a symbol or a path".to_owned(),
        (None, _) if state.hits.is_empty() && state.is_asking => "searching".to_owned(),
        (None, _) if state.hits.is_empty() => "nothing found".to_owned(),
        (None, _) => format!("{} of {} · {}", state.selected + 1, count(state.matches), millis(state.took_ms)),
    };
    let room = usize::from(area.width);
    // The key to leave is the last that is left out.
    let mut keys = KEYS.to_vec();
    while keys.len() > 1 && columns(&found) + columns(&keys.join("  ")) + 3 > room {
        keys.remove(keys.len() - 2);
    }
    let keys = keys.join("  ");
    let keys = if columns(&found) + columns(&keys) + 3 <= room { keys } else { String::new() };
    let padding = " ".repeat(room.saturating_sub(columns(&found) + columns(&keys)));
    frame.render_widget(Line::styled(format!("{found}{padding}{keys}"), style(DIM, look)), area);
}

/// Converts a style of the text output. Without colours there is none.
fn style(style: anstyle::Style, look: Screen) -> Style {
    if !look.highlights_code {
        return Style::new();
    }
    let mut converted = Style::new();
    if let Some(anstyle::Color::Ansi(color)) = style.get_fg_color() {
        converted = converted.fg(ansi(color));
    }
    for (effect, modifier) in [
        (Effects::BOLD, Modifier::BOLD),
        (Effects::DIMMED, Modifier::DIM),
        (Effects::ITALIC, Modifier::ITALIC),
        (Effects::STRIKETHROUGH, Modifier::CROSSED_OUT),
    ] {
        if style.get_effects().contains(effect) {
            converted = converted.add_modifier(modifier);
        }
    }
    converted
}

fn ansi(color: AnsiColor) -> Color {
    match color {
        AnsiColor::Black => Color::Black,
        AnsiColor::Red => Color::Red,
        AnsiColor::Green => Color::Green,
        AnsiColor::Yellow => Color::Yellow,
        AnsiColor::Blue => Color::Blue,
        AnsiColor::Magenta => Color::Magenta,
        AnsiColor::Cyan => Color::Cyan,
        AnsiColor::White => Color::Gray,
        AnsiColor::BrightBlack => Color::DarkGray,
        AnsiColor::BrightRed => Color::LightRed,
        AnsiColor::BrightGreen => Color::LightGreen,
        AnsiColor::BrightYellow => Color::LightYellow,
        AnsiColor::BrightBlue => Color::LightBlue,
        AnsiColor::BrightMagenta => Color::LightMagenta,
        AnsiColor::BrightCyan => Color::LightCyan,
        AnsiColor::BrightWhite => Color::White,
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    fn hit(path: &str, symbol: &str, text: &str) -> v1::Hit {
        v1::Hit {
            doc: Some(v1::Document { path: path.to_owned(), language: "rust".to_owned(), ..v1::Document::default() }),
            chunk: Some(v1::Chunk {
                text: text.to_owned(),
                start_line: 9,
                symbol: symbol.to_owned(),
                ..v1::Chunk::default()
            }),
            ..v1::Hit::default()
        }
    }

    fn state() -> State {
        let mut state =
            State::new(&v1::SearchRequest { query: "open store".to_owned(), ..v1::SearchRequest::default() });
        let counts = v1::SearchStats { total_hits: 12, took_ms: 1.5, ..v1::SearchStats::default() };
        let results = vec![
            hit("src/store.rs", "fn open", "pub fn open() {\n    lock();\n}\n"),
            hit("src/a/very/long/path/that/does/not/fit.rs", "fn close", "fn close() {}\n"),
        ];
        state.take_answer(Ok(v1::SearchResponse { results, stats: Some(counts), ..v1::SearchResponse::default() }));
        state
    }

    fn drawn(state: &State, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a buffer");
        terminal.draw(|frame| draw(frame, state, Screen::default())).expect("drawn");
        let buffer = terminal.backend().buffer();
        let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..height).map(|y| row(y).trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn a_narrow_terminal_has_the_preview_below() {
        insta::assert_snapshot!(drawn(&state(), 40, 10), @r"
        › open store
        ^t type any   ^l language any   ^s proje
          src/store.rs:9  fn open
          …/that/does/not/fit.rs:9  fn close

        ────────────────────────────────────────
            9 pub fn open() {
           10     lock();
           11 }
        1 of 12 · 1.5 ms   enter open  esc leave
        ");
    }

    #[test]
    fn a_wide_terminal_has_the_preview_beside() {
        let shown = drawn(&state(), 120, 6);
        let second = shown.lines().nth(2).expect("a line");
        assert!(
            second.trim_start().starts_with("src/store.rs:9  fn open") && second.contains("│    9 pub fn open() {"),
            "{shown}"
        );
        assert!(shown.ends_with("esc leave\n"), "{shown}");
    }

    #[test]
    fn a_memory_is_previewed_without_the_marks_of_its_source() {
        let memory = v1::Memory { title: "Retries need jitter".to_owned(), ..v1::Memory::default() };
        let text = "## Why\n\n`backoff` alone **aligns** clients.\n";
        let mut state = State::default();
        let results = vec![v1::Hit { memory: Some(memory), ..hit("", "", text) }];
        state.take_answer(Ok(v1::SearchResponse { results, ..v1::SearchResponse::default() }));
        state.query.insert("x");
        let shown = drawn(&state, 40, 14);
        assert!(
            shown.contains("Retries need jitter\n") && shown.contains("\nbackoff alone aligns clients.\n"),
            "{shown}"
        );
    }

    #[test]
    fn filters_marks_and_the_text_of_a_memory_are_shown() {
        let mut state = state();
        let key = |code| Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
        state.on(&key(KeyCode::Tab));
        let shown = drawn(&state, 80, 10);
        assert!(shown.contains("^t type any   ^l language any   ^s project this   1 marked\n"), "{shown}");
        assert!(shown.contains("● src/store.rs:9"), "{shown}");
        assert!(shown.ends_with("^r note  esc leave\n"), "{shown}");
        state.on(&Event::Key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL)));
        state.on(&key(KeyCode::Char('x')));
        let shown = drawn(&state, 80, 10);
        assert!(shown.starts_with("remember › x\nabout src/store.rs · enter saves it as a note"), "{shown}");
    }

    #[test]
    fn an_empty_finder_says_what_to_type_and_a_tiny_one_does_not_panic() {
        assert!(drawn(&State::default(), 80, 5).contains("type words, a question"), "a hint");
        for (width, height) in [(1, 1), (2, 3), (5, 2), (300, 3)] {
            drawn(&state(), width, height);
        }
    }
}
