//! The interactive finder: hits appear while the query is typed.
//!
//! The daemon searches; here are the query line, the list, the preview and the terminal. A key changes the [`state`], which asks
//! for a search; the latest query wins, and a request for an older one is cancelled.

mod filter;
mod input;
mod state;
mod view;

use std::future::Future;
use std::io::{self, Stderr};
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use ratatui::crossterm::clipboard::CopyToClipboard;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, EventStream};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal};
use recall_api::v1;
use recall_client::Client;
use recall_core::{MemoryType, title_of};
use tonic::Status;

use crate::output::format::Screen as Look;

use state::{Act, State};
pub(crate) use state::{Chosen, Purpose};

/// The time for which a query must not change before it is sent: less than between two keys of a fast typist, and enough for a
/// pasted text to be one query.
const DEBOUNCE: Duration = Duration::from_millis(10);

/// The request in progress.
type Pending = Pin<Box<dyn Future<Output = Result<v1::SearchResponse, Status>>>>;

/// Runs the finder until the user chooses hits or leaves. `None` if the user left.
///
/// `request` is the search, whose query and filters are replaced by those of the user. The terminal is restored in every case, also on a panic and
/// if the process is asked to end.
///
/// # Errors
/// The terminal cannot be used.
pub(crate) async fn run(
    client: Client,
    request: v1::SearchRequest,
    look: Look,
) -> io::Result<Option<(Purpose, Vec<Chosen>)>> {
    let mut screen = FullScreen::enter()?;
    let mut events = EventStream::new();
    let mut end = EndSignals::new()?;
    let mut state = State::new(&request);
    let mut pending: Option<Pending> = ask(&client, &request, &state);
    loop {
        screen.draw(|frame| view::draw(frame, &state, look))?;
        tokio::select! {
            event = events.next() => {
                let Some(event) = event else { return Ok(None) };
                match state.on(&event?) {
                    Act::Ask => pending = ask(&client, &request, &state),
                    Act::Copy(text) => screen.copy(&text)?,
                    Act::Remember(text, files) => {
                        let memory = memory(text, files, request.context.clone());
                        state.take_memory(client.add(memory).await);
                    }
                    Act::Choose(purpose, chosen) => return Ok(Some((purpose, chosen))),
                    Act::Leave => return Ok(None),
                    Act::Draw => {}
                }
            }
            answer = async { pending.as_mut().expect("checked").await }, if pending.is_some() => {
                pending = None;
                state.take_answer(answer);
            }
            () = end.next() => return Ok(None),
        }
    }
}

/// Sends the typed query. Dropping the future cancels the request. `None` for a blank query.
fn ask(client: &Client, base: &v1::SearchRequest, state: &State) -> Option<Pending> {
    let (client, request) = (client.clone(), state.request(base)?);
    Some(Box::pin(async move {
        tokio::time::sleep(DEBOUNCE).await;
        client.search(request).await
    }))
}

/// The note that a user typed about files.
fn memory(text: String, related_files: Vec<String>, context: Option<v1::RequestContext>) -> v1::AddRequest {
    v1::AddRequest {
        context,
        r#type: MemoryType::Note.as_str().to_owned(),
        title: title_of(&text),
        content: text,
        related_files,
        ..v1::AddRequest::default()
    }
}

/// The signals that ask a process to end.
#[cfg(unix)]
struct EndSignals {
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl EndSignals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, hang_up: signal(SignalKind::hangup())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct EndSignals;

#[cfg(not(unix))]
impl EndSignals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        std::future::pending().await
    }
}

/// The terminal on standard error, so that standard output is free for what is chosen.
struct FullScreen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
}

impl FullScreen {
    /// Switches to the alternate screen.
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        // Made first: if the next step fails, its drop restores the terminal.
        let screen = Self { terminal: Terminal::new(CrosstermBackend::new(io::stderr()))? };
        execute!(io::stderr(), EnterAlternateScreen, EnableBracketedPaste)?;
        Ok(screen)
    }

    /// Draws the whole screen; only what has changed is written.
    fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(render).map(drop)
    }

    /// Copies a text to the clipboard, by the escape sequence OSC 52.
    #[expect(clippy::unused_self, reason = "only a screen that was entered receives escape sequences")]
    fn copy(&self, text: &str) -> io::Result<()> {
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
