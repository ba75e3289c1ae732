//! The picture of the finder: the query, the list, the preview and a line of keys.

use std::ops::Range;

use anstyle::{AnsiColor, Effects};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};
use recall_api::v1;

use super::state::State;
use crate::output::format::Screen;
use crate::output::human::excerpt::Marked;
use crate::output::human::quantity::{count, millis};
use crate::output::human::style::{DIM, LINE, NOTE, PATH, SYMBOL};
use crate::output::human::text::{columns, fit_path, printable};

/// The mark before the query.
const PROMPT: &str = "› ";

/// The width from which the preview is next to the list; below, it is under it.
const SIDE_BY_SIDE_FROM: u16 = 110;

/// What the keys do.
const KEYS: &str = "enter open · ^y copy citation · pgup/pgdn preview · esc leave";

/// Draws the state. `look` says whether colours are used.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State, look: Screen) {
    let [query, body, status] =
        Layout::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(1)]).areas(frame.area());
    let is_wide = body.width >= SIDE_BY_SIDE_FROM;
    let (list, preview) = if is_wide {
        let [list, preview] = Layout::horizontal([Constraint::Percentage(42), Constraint::Min(1)]).areas(body);
        (list, preview)
    } else {
        let [list, preview] = Layout::vertical([Constraint::Percentage(40), Constraint::Min(1)]).areas(body);
        (list, preview)
    };
    draw_query(frame, query, state, look);
    draw_list(frame, list, state, look);
    let border = if is_wide { Borders::LEFT } else { Borders::TOP };
    draw_preview(frame, preview, state, look, border);
    draw_status(frame, status, state, look);
}

fn draw_query(frame: &mut Frame<'_>, area: Rect, state: &State, look: Screen) {
    let (before, after) = state.around_cursor();
    let (before, after) = (printable(before), printable(after));
    // The end of a query that is wider than the terminal is shown, where text is typed.
    let before = fit_path(&before, Some(usize::from(area.width).saturating_sub(columns(PROMPT) + 1)));
    let cursor = columns(PROMPT) + columns(&before);
    let spans =
        vec![Span::styled(PROMPT, style(NOTE, look)), Span::raw(before.into_owned()), Span::raw(after.into_owned())];
    frame.render_widget(Line::from(spans), area);
    let column = u16::try_from(cursor).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
    frame.set_cursor_position(Position::new(area.x + column, area.y));
}

fn draw_list(frame: &mut Frame<'_>, area: Rect, state: &State, look: Screen) {
    let rows = usize::from(area.height);
    // The selected hit is always in sight.
    let first = (state.selected + 1).saturating_sub(rows);
    for (row, (at, hit)) in state.hits.iter().enumerate().skip(first).take(rows).enumerate() {
        let y = area.y + u16::try_from(row).expect("fewer than the rows of the area");
        let line = hit_line(hit, usize::from(area.width), look);
        let line = if at == state.selected { line.style(Style::new().add_modifier(Modifier::REVERSED)) } else { line };
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
}

/// `src/store.rs:10-24  fn open`, the path cut if it is long.
fn hit_line(hit: &v1::Hit, width: usize, look: Screen) -> Line<'static> {
    let (doc, chunk) = (hit.doc.clone().unwrap_or_default(), hit.chunk.clone().unwrap_or_default());
    let name = if doc.path.is_empty() { doc.id } else { doc.path };
    let name = if doc.root.is_empty() { name } else { format!("{}/{name}", doc.root) };
    let lines = format!(":{}", chunk.start_line);
    let path = fit_path(&printable(&name), Some((width * 3 / 5).saturating_sub(lines.len()))).into_owned();
    let symbol = if chunk.symbol.is_empty() { doc.title } else { chunk.symbol };
    Line::from(vec![
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
    let (doc, chunk) = (hit.doc.clone().unwrap_or_default(), hit.chunk.clone().unwrap_or_default());
    let matches: Vec<Range<usize>> =
        hit.highlights.iter().map(|range| range.start as usize..range.end as usize).collect();
    let marked =
        Marked { text: &chunk.text, first_line: chunk.start_line, matches: &matches, language: look.language(&doc) };
    let lines = marked.styled_lines().into_iter().map(|(number, pieces)| {
        let mut spans = vec![Span::styled(format!("{number:>5} "), style(LINE, look))];
        spans.extend(pieces.into_iter().map(|(text, piece)| Span::styled(text, style(piece, look))));
        Line::from(spans)
    });
    let text = Paragraph::new(lines.collect::<Vec<_>>()).scroll((state.scrolled, 0)).block(block);
    frame.render_widget(text, area);
}

fn draw_status(frame: &mut Frame<'_>, area: Rect, state: &State, look: Screen) {
    let found = match (&state.note, state.query().trim()) {
        (Some(note), _) => printable(note).into_owned(),
        (None, "") => "type words, a question, a symbol or a path".to_owned(),
        (None, _) if state.hits.is_empty() && state.is_asking => "searching".to_owned(),
        (None, _) if state.hits.is_empty() => "nothing found".to_owned(),
        (None, _) => format!("{} of {} · {}", state.selected + 1, count(state.matches), millis(state.took_ms)),
    };
    let room = usize::from(area.width);
    let keys = if columns(&found) + columns(KEYS) + 3 <= room { KEYS } else { "" };
    let padding = " ".repeat(room.saturating_sub(columns(&found) + columns(keys)));
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
    for (effect, modifier) in [(Effects::BOLD, Modifier::BOLD), (Effects::DIMMED, Modifier::DIM)] {
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
        let mut state = State::new("open store".to_owned());
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
        src/store.rs:9  fn open
        …/that/does/not/fit.rs:9  fn close

        ────────────────────────────────────────
            9 pub fn open() {
           10     lock();
           11 }

        1 of 12 · 1.5 ms
        ");
    }

    #[test]
    fn a_wide_terminal_has_the_preview_beside() {
        let shown = drawn(&state(), 120, 6);
        let second = shown.lines().nth(1).expect("a line");
        assert!(second.starts_with("src/store.rs:9  fn open") && second.contains("│    9 pub fn open() {"), "{shown}");
        assert!(shown.ends_with("esc leave\n"), "{shown}");
    }

    #[test]
    fn an_empty_finder_says_what_to_type_and_a_tiny_one_does_not_panic() {
        assert!(drawn(&State::new(String::new()), 80, 5).contains("type words, a question"), "a hint");
        for (width, height) in [(1, 1), (2, 3), (5, 2), (300, 3)] {
            drawn(&state(), width, height);
        }
    }
}
