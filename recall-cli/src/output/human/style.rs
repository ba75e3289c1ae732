//! Styles by their meaning. They use the terminal's own palette of sixteen colours, so that they suit its theme.

use anstyle::{AnsiColor, Style};

/// Paths and other things to click or copy.
pub(crate) const PATH: Style = AnsiColor::Magenta.on_default();
/// Line numbers.
pub(crate) const LINE: Style = AnsiColor::Green.on_default();
/// Names of symbols.
pub(crate) const SYMBOL: Style = AnsiColor::Cyan.on_default();
/// What matches the query.
pub(crate) const MATCH: Style = AnsiColor::Red.on_default().bold();
/// Secondary information.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Headings.
pub(crate) const STRONG: Style = Style::new().bold();
/// Success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// The word before an error.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The word before a warning.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The word before a note or a hint.
pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// Returns styled text without styles, with matches in brackets.
#[cfg(test)]
pub(crate) fn plain(text: &str) -> String {
    let (begin, end) = (MATCH.render().to_string(), MATCH.render_reset().to_string());
    let mut pieces = text.split(&begin);
    let mut marked = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        marked.push('[');
        marked.push_str(&piece.replacen(&end, "]", 1));
    }
    anstream::adapter::strip_str(&marked).to_string()
}
