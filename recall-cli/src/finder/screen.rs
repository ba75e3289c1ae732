//! The terminal while the finder runs: the alternate screen without line editing, restored on drop.

use std::io::{self, Stderr};

use ratatui::crossterm::clipboard::CopyToClipboard;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal};

/// The terminal on standard error, so that standard output is free for what is chosen.
pub(super) struct FullScreen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
}

impl FullScreen {
    /// Switches to the alternate screen.
    pub(super) fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        // Made first: if the next step fails, its drop restores the terminal.
        let screen = Self { terminal: Terminal::new(CrosstermBackend::new(io::stderr()))? };
        execute!(io::stderr(), EnterAlternateScreen, EnableBracketedPaste)?;
        Ok(screen)
    }

    /// Draws the whole screen; only what has changed is written.
    pub(super) fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(render).map(drop)
    }

    /// Copies a text to the clipboard, by the escape sequence OSC 52.
    #[expect(clippy::unused_self, reason = "only a screen that was entered receives escape sequences")]
    pub(super) fn copy(&self, text: &str) -> io::Result<()> {
        execute!(io::stderr(), CopyToClipboard::to_clipboard_from(text))
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        // The terminal may be gone. There is nothing else to restore.
        let _ = self.terminal.show_cursor();
        let _ = execute!(io::stderr(), DisableBracketedPaste, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}
