//! The state of the finder, and what the keys do to it.

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use recall_api::v1;
use tonic::Status;

use super::filter::{Filter, ProjectFilter};
use super::input::{Edit, TextField};
use crate::last_search::Place;

/// The number of lines that a key scrolls the preview by.
const SCROLL: u16 = 10;

/// What is shown.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) query: TextField,
    /// The text of a memory about the marked hits, while it is typed.
    pub(super) memory: Option<TextField>,
    /// Only hits of this type.
    pub(super) type_filter: Filter,
    /// Only hits in this language.
    pub(super) language_filter: Filter,
    /// The projects that are searched.
    pub(super) projects: ProjectFilter,
    /// The latest answer. It is kept while the next one is awaited, so that the list does not flicker.
    pub(super) hits: Vec<v1::Hit>,
    /// The hits that were marked, also by earlier queries, in the order of marking.
    pub(super) marked: Vec<Chosen>,
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

impl Chosen {
    fn from_hit(hit: &v1::Hit) -> Self {
        Self { citation: hit.citation.clone(), place: Place::from_hit(hit) }
    }
}

/// What is done with the chosen hits after the finder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// They are opened in the editor.
    Open,
    /// Their citations are printed.
    Cite,
}

/// What follows from a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Only the screen changes.
    Draw,
    /// The query or a filter has changed.
    Ask,
    /// A text for the clipboard.
    Copy(String),
    /// A memory is saved: its text, and the files that it is about.
    Remember(String, Vec<String>),
    /// Hits were chosen, at least one.
    Choose(Purpose, Vec<Chosen>),
    /// The user leaves.
    Leave,
}

impl State {
    /// Begins with a query and with the filters of the command line.
    pub(super) fn new(request: &v1::SearchRequest) -> Self {
        let query = TextField::new(request.query.clone());
        let filters = request.filters.clone().unwrap_or_default();
        Self {
            is_asking: !query.is_blank(),
            query,
            type_filter: Filter::new(filters.types),
            language_filter: Filter::new(filters.languages),
            ..Self::default()
        }
    }

    /// Returns the search for what is typed; `None` for a blank query.
    pub(super) fn request(&self, base: &v1::SearchRequest) -> Option<v1::SearchRequest> {
        if self.query.is_blank() {
            return None;
        }
        let filters = v1::Filters {
            types: self.type_filter.values(),
            languages: self.language_filter.values(),
            ..base.filters.clone().unwrap_or_default()
        };
        Some(v1::SearchRequest {
            query: self.query.text().to_owned(),
            filters: Some(filters),
            everywhere: self.projects == ProjectFilter::All,
            facets: true,
            ..base.clone()
        })
    }

    /// The selected hit.
    pub(super) fn hit(&self) -> Option<&v1::Hit> {
        self.hits.get(self.selected)
    }

    /// Whether a hit is marked.
    pub(super) fn is_marked(&self, hit: &v1::Hit) -> bool {
        let hit = Chosen::from_hit(hit);
        self.marked.contains(&hit)
    }

    /// Takes the answer to the latest query.
    pub(super) fn take_answer(&mut self, answer: Result<v1::SearchResponse, Status>) {
        self.is_asking = false;
        match answer {
            Ok(answer) => {
                let stats = answer.stats.unwrap_or_default();
                (self.matches, self.took_ms) = (stats.total_hits.max(answer.results.len() as u64), stats.took_ms);
                let is_doubtful = answer.low_confidence && !answer.results.is_empty();
                let doubt = is_doubtful.then(|| "low confidence: these hits may not answer".to_owned());
                self.hits = answer.results;
                self.note = answer.warnings.into_iter().next().map(|warning| warning.message).or(doubt);
                self.type_filter.offer(answer.facets.get("type"));
                self.language_filter.offer(answer.facets.get("language"));
            }
            Err(status) => {
                self.hits.clear();
                self.note = Some(status.message().to_owned());
            }
        }
        (self.selected, self.scrolled) = (0, 0);
    }

    /// Takes the answer to the request to save a memory.
    pub(super) fn take_memory(&mut self, answer: Result<v1::AddResponse, Status>) {
        self.note = Some(match answer {
            Ok(answer) if answer.status() == v1::AddStatus::Duplicate => {
                format!("not saved: {} says nearly the same", answer.id)
            }
            Ok(answer) if answer.status() == v1::AddStatus::Proposed => format!("proposed {}", answer.id),
            Ok(answer) => format!("saved {}", answer.id),
            Err(status) => status.message().to_owned(),
        });
    }

    /// Applies an event of the terminal.
    pub(super) fn on(&mut self, event: &Event) -> Act {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                self.note = None;
                if self.memory.is_some() { self.on_memory_key(*key) } else { self.on_key(*key) }
            }
            Event::Paste(text) => {
                if let Some(memory) = &mut self.memory {
                    memory.insert(text);
                    return Act::Draw;
                }
                self.query.insert(text);
                self.ask()
            }
            _ => Act::Draw,
        }
    }

    fn on_key(&mut self, key: KeyEvent) -> Act {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => Act::Leave,
            KeyCode::Char('c' | 'd' | 'g') if is_control => Act::Leave,
            KeyCode::Enter => self.choose(Purpose::Open),
            KeyCode::Char('o') if is_control => self.choose(Purpose::Cite),
            KeyCode::Char('y') if is_control => self.copy(),
            KeyCode::Char('r') if is_control => self.begin_memory(),
            KeyCode::Tab => self.mark(),
            KeyCode::Char('t') if is_control => {
                self.type_filter.advance();
                self.ask()
            }
            KeyCode::Char('l') if is_control => {
                self.language_filter.advance();
                self.ask()
            }
            KeyCode::Char('s') if is_control => {
                self.projects = self.projects.other();
                self.ask()
            }
            KeyCode::Up => self.select(self.selected.saturating_sub(1)),
            KeyCode::Down => self.select(self.selected + 1),
            KeyCode::Char('p' | 'k') if is_control => self.select(self.selected.saturating_sub(1)),
            KeyCode::Char('n' | 'j') if is_control => self.select(self.selected + 1),
            KeyCode::PageUp => self.scroll(self.scrolled.saturating_sub(SCROLL)),
            KeyCode::PageDown => self.scroll(self.scrolled.saturating_add(SCROLL)),
            _ => match self.query.on_key(key) {
                Edit::Changed => self.ask(),
                Edit::Moved | Edit::Other => Act::Draw,
            },
        }
    }

    /// Applies a key while the text of a memory is typed.
    fn on_memory_key(&mut self, key: KeyEvent) -> Act {
        let Some(memory) = &mut self.memory else { return Act::Draw };
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => self.memory = None,
            KeyCode::Char('c' | 'd' | 'g') if is_control => self.memory = None,
            KeyCode::Enter if memory.is_blank() => self.memory = None,
            KeyCode::Enter => {
                let text = memory.text().trim().to_owned();
                self.memory = None;
                return Act::Remember(text, self.files());
            }
            _ => {
                memory.on_key(key);
            }
        }
        Act::Draw
    }

    /// The query or a filter has changed. A blank query has no hits.
    fn ask(&mut self) -> Act {
        self.is_asking = !self.query.is_blank();
        if !self.is_asking {
            self.hits.clear();
            (self.matches, self.selected, self.scrolled) = (0, 0, 0);
        }
        Act::Ask
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

    /// Marks the selected hit, or removes its mark, and selects the next one.
    fn mark(&mut self) -> Act {
        let Some(hit) = self.hit().map(Chosen::from_hit) else { return Act::Draw };
        match self.marked.iter().position(|marked| *marked == hit) {
            Some(at) => drop(self.marked.remove(at)),
            None => self.marked.push(hit),
        }
        self.select(self.selected + 1)
    }

    /// Returns the marked hits; without any, the selected one.
    fn choice(&self) -> Vec<Chosen> {
        if self.marked.is_empty() {
            self.hit().map(Chosen::from_hit).into_iter().collect()
        } else {
            self.marked.clone()
        }
    }

    fn choose(&self, purpose: Purpose) -> Act {
        let chosen = self.choice();
        if chosen.is_empty() { Act::Draw } else { Act::Choose(purpose, chosen) }
    }

    fn copy(&mut self) -> Act {
        let citations: Vec<_> = self.choice().into_iter().map(|chosen| chosen.citation).collect();
        self.note = match &citations[..] {
            [] => return Act::Draw,
            [citation] => Some(format!("copied {citation}")),
            several => Some(format!("copied {} citations", several.len())),
        };
        Act::Copy(citations.join("\n"))
    }

    fn begin_memory(&mut self) -> Act {
        if self.choice().is_empty() {
            self.note = Some("select a hit first: a memory is about files".to_owned());
        } else {
            self.memory = Some(TextField::default());
        }
        Act::Draw
    }

    /// Returns the files of the chosen hits in this project, each once.
    pub(super) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        for Chosen { place, .. } in self.choice() {
            let is_here = !place.is_memory && place.root.as_os_str().is_empty();
            if is_here && !files.contains(&place.path) {
                files.push(place.path);
            }
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(query: &str) -> State {
        State::new(&v1::SearchRequest { query: query.to_owned(), ..v1::SearchRequest::default() })
    }

    fn press(state: &mut State, code: KeyCode, modifiers: KeyModifiers) -> Act {
        state.on(&Event::Key(KeyEvent::new(code, modifiers)))
    }

    fn control(state: &mut State, letter: char) -> Act {
        press(state, KeyCode::Char(letter), KeyModifiers::CONTROL)
    }

    fn type_text(state: &mut State, text: &str, expected: &Act) {
        for c in text.chars() {
            assert_eq!(press(state, KeyCode::Char(c), KeyModifiers::NONE), *expected);
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

    fn counts(pairs: &[(&str, u64)]) -> v1::Facet {
        let counts = pairs.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect();
        v1::Facet { counts, left_out: 0 }
    }

    fn answer(hits: &[&str]) -> v1::SearchResponse {
        v1::SearchResponse { results: hits.iter().map(|path| hit(path)).collect(), ..v1::SearchResponse::default() }
    }

    #[test]
    fn a_hit_is_selected_copied_and_chosen() {
        let mut state = state("x");
        assert_eq!(press(&mut state, KeyCode::Enter, KeyModifiers::NONE), Act::Draw, "there is no hit yet");
        state.take_answer(Ok(answer(&["a.rs", "b.rs"])));
        for _ in 0..3 {
            press(&mut state, KeyCode::Down, KeyModifiers::NONE);
        }
        assert_eq!(state.selected, 1, "the last hit stays selected");
        assert_eq!(control(&mut state, 'y'), Act::Copy("b.rs:3-9@0123".to_owned()));
        let Act::Choose(Purpose::Open, chosen) = press(&mut state, KeyCode::Enter, KeyModifiers::NONE) else {
            panic!("chosen")
        };
        assert_eq!((chosen.len(), chosen[0].place.path.as_str(), chosen[0].place.line), (1, "b.rs", 3));
        assert_eq!(press(&mut state, KeyCode::Esc, KeyModifiers::NONE), Act::Leave);
    }

    #[test]
    fn several_hits_are_marked_across_queries_and_cited_together() {
        let mut state = state("x");
        state.take_answer(Ok(answer(&["a.rs", "b.rs"])));
        press(&mut state, KeyCode::Tab, KeyModifiers::NONE);
        assert_eq!((state.marked.len(), state.selected), (1, 1));
        state.take_answer(Ok(answer(&["c.rs", "a.rs"])));
        press(&mut state, KeyCode::Tab, KeyModifiers::NONE);
        assert!(state.is_marked(&hit("a.rs")) && state.is_marked(&hit("c.rs")));
        assert_eq!(control(&mut state, 'y'), Act::Copy("a.rs:3-9@0123\nc.rs:3-9@0123".to_owned()));
        let Act::Choose(Purpose::Cite, chosen) = control(&mut state, 'o') else { panic!("chosen") };
        assert_eq!(chosen.len(), 2);
        press(&mut state, KeyCode::Tab, KeyModifiers::NONE);
        assert!(!state.is_marked(&hit("a.rs")), "the second time, the mark is removed");
    }

    #[test]
    fn keys_change_the_filters() {
        let mut state = state("x");
        let facets = [
            ("type".to_owned(), counts(&[("code", 9), ("lesson", 1)])),
            ("language".to_owned(), counts(&[("markdown", 2), ("rust", 9)])),
        ];
        state.take_answer(Ok(v1::SearchResponse { facets: facets.into(), ..answer(&["a.rs"]) }));
        assert_eq!(control(&mut state, 't'), Act::Ask);
        assert_eq!(control(&mut state, 'l'), Act::Ask);
        assert_eq!(control(&mut state, 's'), Act::Ask);
        let request = state.request(&v1::SearchRequest::default()).expect("not blank");
        let filters = request.filters.expect("set");
        assert_eq!((&filters.types[..], &filters.languages[..]), (&["code".to_owned()][..], &["rust".to_owned()][..]));
        assert!(request.everywhere && request.facets);
        // A filtered answer counts only what passes the filter; the other choices stay.
        state.take_answer(Ok(answer(&["a.rs"])));
        for expected in ["lesson", "any"] {
            control(&mut state, 't');
            assert_eq!(state.type_filter.name(), expected);
        }
    }

    #[test]
    fn a_memory_about_the_marked_hits_is_typed_in_the_finder() {
        let mut state = state("x");
        assert_eq!(control(&mut state, 'r'), Act::Draw);
        assert!(state.memory.is_none() && state.note.is_some(), "without a hit there is nothing to remember");
        state.take_answer(Ok(answer(&["a.rs", "b.rs"])));
        control(&mut state, 'r');
        type_text(&mut state, "Locks are short.", &Act::Draw);
        assert_eq!(state.query.text(), "x", "the query stays");
        let saved = press(&mut state, KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(saved, Act::Remember("Locks are short.".to_owned(), vec!["a.rs".to_owned()]));
        state.take_memory(Ok(v1::AddResponse { id: "N-01234567".to_owned(), ..v1::AddResponse::default() }));
        assert_eq!(state.note.as_deref(), Some("saved N-01234567"));
        control(&mut state, 'r');
        assert_eq!(press(&mut state, KeyCode::Esc, KeyModifiers::NONE), Act::Draw, "leaves the text, not the finder");
        assert!(state.memory.is_none());
    }

    #[test]
    fn a_blank_query_has_no_hits_and_an_error_is_shown() {
        let mut state = state("x");
        state.take_answer(Ok(answer(&["a.rs"])));
        press(&mut state, KeyCode::Backspace, KeyModifiers::NONE);
        assert!(state.hits.is_empty() && !state.is_asking);
        assert_eq!(state.request(&v1::SearchRequest::default()), None);
        type_text(&mut state, "y", &Act::Ask);
        assert!(state.is_asking);
        state.take_answer(Err(Status::unavailable("the daemon ended")));
        assert_eq!((state.note.as_deref(), state.is_asking), (Some("the daemon ended"), false));
    }

    #[test]
    fn a_doubt_is_told_next_to_the_hits() {
        let mut state = state("x");
        state.take_answer(Ok(v1::SearchResponse { low_confidence: true, ..answer(&["a.rs"]) }));
        assert!(state.note.as_deref().is_some_and(|note| note.starts_with("low confidence")), "{:?}", state.note);
        state.take_answer(Ok(v1::SearchResponse { low_confidence: true, ..answer(&[]) }));
        assert_eq!(state.note, None);
    }
}
