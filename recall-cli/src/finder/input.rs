//! A line of text that is being typed: the query, or the text of a memory.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A text with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TextField {
    text: String,
    /// The byte at which text is inserted; a character boundary.
    cursor: usize,
}

/// What a key did to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// The text has changed.
    Changed,
    /// The cursor has moved, or stayed at an end.
    Moved,
    /// The key edits no text.
    Other,
}

impl TextField {
    /// Begins with a text, and the cursor after it.
    pub(super) fn new(text: String) -> Self {
        Self { cursor: text.len(), text }
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether nothing but spaces is typed.
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The text before and after the cursor.
    pub(super) fn around_cursor(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// Inserts a text at the cursor. Line breaks become spaces.
    pub(super) fn insert(&mut self, text: &str) {
        let text = text.replace(['\n', '\r'], " ");
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Applies a key.
    pub(super) fn on_key(&mut self, key: KeyEvent) -> Edit {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Home => self.move_to(0),
            KeyCode::Char('a') if is_control => self.move_to(0),
            KeyCode::End => self.move_to(self.text.len()),
            KeyCode::Char('e') if is_control => self.move_to(self.text.len()),
            KeyCode::Left => self.move_to(self.cursor - self.before()),
            KeyCode::Right => self.move_to(self.cursor + self.after()),
            KeyCode::Backspace => self.remove_before(self.before()),
            KeyCode::Char('u') if is_control => self.remove_before(self.cursor),
            KeyCode::Char('w') if is_control => {
                let kept = self.text[..self.cursor].trim_end();
                let kept = kept.rfind(' ').map_or(0, |space| space + 1);
                self.remove_before(self.cursor - kept)
            }
            KeyCode::Delete => {
                self.text.replace_range(self.cursor..self.cursor + self.after(), "");
                Edit::Changed
            }
            KeyCode::Char(c) if !is_control && !key.modifiers.contains(KeyModifiers::ALT) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
                Edit::Changed
            }
            _ => Edit::Other,
        }
    }

    /// The length of the character before the cursor; 0 at the beginning.
    fn before(&self) -> usize {
        self.text[..self.cursor].chars().next_back().map_or(0, char::len_utf8)
    }

    /// The length of the character after the cursor; 0 at the end.
    fn after(&self) -> usize {
        self.text[self.cursor..].chars().next().map_or(0, char::len_utf8)
    }

    fn remove_before(&mut self, bytes: usize) -> Edit {
        let from = self.cursor - bytes;
        self.text.replace_range(from..self.cursor, "");
        self.cursor = from;
        Edit::Changed
    }

    fn move_to(&mut self, cursor: usize) -> Edit {
        self.cursor = cursor;
        Edit::Moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_edit_the_text() {
        let mut input = TextField::new("open ü store".to_owned());
        let control = KeyModifiers::CONTROL;
        for (code, modifiers, expected) in [
            (KeyCode::Char('w'), control, "open ü "),
            (KeyCode::Backspace, KeyModifiers::NONE, "open ü"),
            (KeyCode::Left, KeyModifiers::NONE, "open ü"),
            (KeyCode::Delete, KeyModifiers::NONE, "open "),
            (KeyCode::Delete, KeyModifiers::NONE, "open "),
            (KeyCode::Home, KeyModifiers::NONE, "open "),
            (KeyCode::Backspace, KeyModifiers::NONE, "open "),
            (KeyCode::Left, KeyModifiers::NONE, "open "),
            (KeyCode::End, KeyModifiers::NONE, "open "),
            (KeyCode::Right, KeyModifiers::NONE, "open "),
            (KeyCode::Char('x'), KeyModifiers::NONE, "open x"),
            (KeyCode::Char('u'), control, ""),
        ] {
            assert_ne!(input.on_key(KeyEvent::new(code, modifiers)), Edit::Other);
            assert_eq!(input.text(), expected, "{code:?}");
        }
        input.insert("a\nb");
        assert_eq!(input.around_cursor(), ("a b", ""));
        assert_eq!(input.on_key(KeyEvent::new(KeyCode::Char('t'), control)), Edit::Other);
        assert_eq!((input.text(), input.is_blank()), ("a b", false));
    }
}
