//! The state of the finder, and what the keys do to it.

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use recall_api::v1;
use tonic::Status;

use crate::last_search::Place;

/// The number of lines that a key scrolls the preview by.
const SCROLL: u16 = 10;

/// What is shown.
#[derive(Debug, Default)]
pub(super) struct State {
    query: String,
    /// The byte at which text is inserted; a character boundary.
    cursor: usize,
    /// The latest answer. It is kept while the next one is awaited, so that the list does not flicker.
    pub(super) hits: Vec<v1::Hit>,
    /// The number of matches, at least.
    pub(super) matches: u64,
    pub(super) took_ms: f64,
    /// The selected hit. Within the list unless that is empty.
    pub(super) selected: usize,
    /// The first line of the preview that is shown, counted from its first.
    pub(super) scrolled: u16,
    /// Whether an answer is awaited.
    pub(super) is_asking: bool,
    /// A message of the last key or answer.
    pub(super) note: Option<String>,
}

/// A hit that the user chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Its citation.
    pub(crate) citation: String,
    /// Its file and line.
    pub(crate) place: Place,
}

/// What follows from a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Only the screen changes.
    Draw,
    /// The query has changed.
    Ask,
    /// A text for the clipboard.
    Copy(String),
    /// A hit was chosen.
    Choose(Chosen),
    /// The user leaves.
    Leave,
}

impl State {
    pub(super) fn new(query: String) -> Self {
        Self { cursor: query.len(), is_asking: !query.trim().is_empty(), query, ..Self::default() }
    }

    /// The typed query.
    pub(super) fn query(&self) -> &str {
        &self.query
    }

    /// The query before and after the cursor.
    pub(super) fn around_cursor(&self) -> (&str, &str) {
        self.query.split_at(self.cursor)
    }

    /// The selected hit.
    pub(super) fn hit(&self) -> Option<&v1::Hit> {
        self.hits.get(self.selected)
    }

    /// Takes the answer to the latest query.
    pub(super) fn take_answer(&mut self, answer: Result<v1::SearchResponse, Status>) {
        self.is_asking = false;
        match answer {
            Ok(answer) => {
                let stats = answer.stats.unwrap_or_default();
                (self.matches, self.took_ms) = (stats.total_hits.max(answer.results.len() as u64), stats.took_ms);
                self.hits = answer.results;
                self.note = answer.warnings.into_iter().next().map(|warning| warning.message);
            }
            Err(status) => {
                self.hits.clear();
                self.note = Some(status.message().to_owned());
            }
        }
        (self.selected, self.scrolled) = (0, 0);
    }

    /// Applies an event of the terminal.
    pub(super) fn on(&mut self, event: &Event) -> Act {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.on_key(*key),
            Event::Paste(text) => {
                self.insert(&text.replace(['\n', '\r'], " "));
                self.ask()
            }
            _ => Act::Draw,
        }
    }

    fn on_key(&mut self, key: KeyEvent) -> Act {
        self.note = None;
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => Act::Leave,
            KeyCode::Char('c' | 'd' | 'g') if is_control => Act::Leave,
            KeyCode::Enter => self.choose(),
            KeyCode::Char('y') if is_control => self.copy(),
            KeyCode::Up => self.select(self.selected.saturating_sub(1)),
            KeyCode::Down => self.select(self.selected + 1),
            KeyCode::Char('p' | 'k') if is_control => self.select(self.selected.saturating_sub(1)),
            KeyCode::Char('n' | 'j') if is_control => self.select(self.selected + 1),
            KeyCode::PageUp => self.scroll(self.scrolled.saturating_sub(SCROLL)),
            KeyCode::PageDown => self.scroll(self.scrolled.saturating_add(SCROLL)),
            KeyCode::Home => self.move_to(0),
            KeyCode::Char('a') if is_control => self.move_to(0),
            KeyCode::End => self.move_to(self.query.len()),
            KeyCode::Char('e') if is_control => self.move_to(self.query.len()),
            KeyCode::Left => self.move_to(self.cursor - self.before()),
            KeyCode::Right => {
                self.move_to(self.cursor + self.query[self.cursor..].chars().next().map_or(0, char::len_utf8))
            }
            KeyCode::Backspace => self.remove_before(self.before()),
            KeyCode::Char('u') if is_control => self.remove_before(self.cursor),
            KeyCode::Char('w') if is_control => {
                let kept = self.query[..self.cursor].trim_end();
                let kept = kept.rfind(' ').map_or(0, |space| space + 1);
                self.remove_before(self.cursor - kept)
            }
            KeyCode::Delete => {
                if self.cursor < self.query.len() {
                    self.query.remove(self.cursor);
                }
                self.ask()
            }
            KeyCode::Char(c) if !is_control && !key.modifiers.contains(KeyModifiers::ALT) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
                self.ask()
            }
            _ => Act::Draw,
        }
    }

    /// The length of the character before the cursor; 0 at the beginning.
    fn before(&self) -> usize {
        self.query[..self.cursor].chars().next_back().map_or(0, char::len_utf8)
    }

    fn insert(&mut self, text: &str) {
        self.query.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    fn remove_before(&mut self, bytes: usize) -> Act {
        let from = self.cursor - bytes;
        self.query.replace_range(from..self.cursor, "");
        self.cursor = from;
        self.ask()
    }

    /// The query has changed. A blank one has no hits.
    fn ask(&mut self) -> Act {
        self.is_asking = !self.query.trim().is_empty();
        if !self.is_asking {
            self.hits.clear();
            (self.matches, self.selected, self.scrolled) = (0, 0, 0);
        }
        Act::Ask
    }

    fn move_to(&mut self, cursor: usize) -> Act {
        self.cursor = cursor;
        Act::Draw
    }

    fn select(&mut self, selected: usize) -> Act {
        self.selected = selected.min(self.hits.len().saturating_sub(1));
        self.scrolled = 0;
        Act::Draw
    }

    fn scroll(&mut self, scrolled: u16) -> Act {
        let lines = self.hit().and_then(|hit| hit.chunk.as_ref()).map_or(0, |chunk| chunk.text.lines().count());
        self.scrolled = scrolled.min(u16::try_from(lines.saturating_sub(1)).unwrap_or(u16::MAX));
        Act::Draw
    }

    fn choose(&mut self) -> Act {
        let chosen = self.hit().map(|hit| Chosen { citation: hit.citation.clone(), place: Place::from_hit(hit) });
        chosen.map_or(Act::Draw, Act::Choose)
    }

    fn copy(&mut self) -> Act {
        let Some(citation) = self.hit().map(|hit| hit.citation.clone()) else { return Act::Draw };
        self.note = Some(format!("copied {citation}"));
        Act::Copy(citation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(state: &mut State, code: KeyCode, modifiers: KeyModifiers) -> Act {
        state.on(&Event::Key(KeyEvent::new(code, modifiers)))
    }

    fn type_text(state: &mut State, text: &str) {
        for c in text.chars() {
            assert_eq!(press(state, KeyCode::Char(c), KeyModifiers::NONE), Act::Ask);
        }
    }

    fn hit(path: &str) -> v1::Hit {
        v1::Hit {
            citation: format!("{path}:3-9@0123"),
            doc: Some(v1::Document { path: path.to_owned(), ..v1::Document::default() }),
            chunk: Some(v1::Chunk { start_line: 3, ..v1::Chunk::default() }),
            ..v1::Hit::default()
        }
    }

    #[test]
    fn keys_edit_the_query() {
        let mut state = State::new(String::new());
        type_text(&mut state, "open ü store");
        let control = KeyModifiers::CONTROL;
        for (code, modifiers, expected) in [
            (KeyCode::Char('w'), control, "open ü "),
            (KeyCode::Backspace, KeyModifiers::NONE, "open ü"),
            (KeyCode::Left, KeyModifiers::NONE, "open ü"),
            (KeyCode::Delete, KeyModifiers::NONE, "open "),
            (KeyCode::Home, KeyModifiers::NONE, "open "),
            (KeyCode::Backspace, KeyModifiers::NONE, "open "),
            (KeyCode::Left, KeyModifiers::NONE, "open "),
            (KeyCode::End, KeyModifiers::NONE, "open "),
            (KeyCode::Right, KeyModifiers::NONE, "open "),
            (KeyCode::Char('u'), control, ""),
        ] {
            press(&mut state, code, modifiers);
            assert_eq!(state.query(), expected, "{code:?}");
        }
        assert_eq!(state.on(&Event::Paste("a\nb".to_owned())), Act::Ask);
        assert_eq!(state.around_cursor(), ("a b", ""));
    }

    #[test]
    fn a_hit_is_selected_copied_and_chosen() {
        let mut state = State::new("x".to_owned());
        assert_eq!(press(&mut state, KeyCode::Enter, KeyModifiers::NONE), Act::Draw, "there is no hit yet");
        let answer = v1::SearchResponse { results: vec![hit("a.rs"), hit("b.rs")], ..v1::SearchResponse::default() };
        state.take_answer(Ok(answer));
        for _ in 0..3 {
            press(&mut state, KeyCode::Down, KeyModifiers::NONE);
        }
        assert_eq!(state.selected, 1, "the last hit stays selected");
        let copied = press(&mut state, KeyCode::Char('y'), KeyModifiers::CONTROL);
        assert_eq!(copied, Act::Copy("b.rs:3-9@0123".to_owned()));
        let Act::Choose(chosen) = press(&mut state, KeyCode::Enter, KeyModifiers::NONE) else { panic!("chosen") };
        assert_eq!((chosen.place.path.as_str(), chosen.place.line), ("b.rs", 3));
        assert_eq!(press(&mut state, KeyCode::Esc, KeyModifiers::NONE), Act::Leave);
    }

    #[test]
    fn a_blank_query_has_no_hits_and_an_error_is_shown() {
        let mut state = State::new("x".to_owned());
        let answer = v1::SearchResponse { results: vec![hit("a.rs")], ..v1::SearchResponse::default() };
        state.take_answer(Ok(answer));
        press(&mut state, KeyCode::Backspace, KeyModifiers::NONE);
        assert!(state.hits.is_empty() && !state.is_asking);
        type_text(&mut state, "y");
        assert!(state.is_asking);
        state.take_answer(Err(Status::unavailable("the daemon ended")));
        assert_eq!((state.note.as_deref(), state.is_asking), (Some("the daemon ended"), false));
    }
}
